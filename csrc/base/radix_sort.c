// csrc/base/radix_sort.c - see radix_sort.h.
#include "base/radix_sort.h"

#include <string.h>

enum { INSERTION_LIMIT = 48 }; // below this, counting 256 buckets costs more than the moves

static void insertion_sort(uint64_t* keys, int32_t count) {
    for (int32_t i = 1; i < count; i++) {
        uint64_t key = keys[i];
        int32_t j = i;
        for (; j > 0 && keys[j - 1] > key; j--) keys[j] = keys[j - 1];
        keys[j] = key;
    }
}

void b2d_radix_sort(uint64_t* keys, uint64_t* scratch, int32_t count) {
    if (count <= INSERTION_LIMIT) {
        insertion_sort(keys, count);
        return;
    }
    uint64_t differ = 0;
    bool sorted = true;
    for (int32_t i = 1; i < count; i++) {
        differ |= keys[i] ^ keys[0];
        sorted &= keys[i - 1] <= keys[i];
    }
    if (sorted) return;
    uint64_t *from = keys, *to = scratch;
    for (int32_t shift = 0; shift < 64; shift += 8) {
        if ((differ >> shift & 255) == 0) continue;
        int32_t start[256] = {0};
        for (int32_t i = 0; i < count; i++) start[from[i] >> shift & 255]++;
        for (int32_t digit = 0, sum = 0; digit < 256; digit++) {
            int32_t size = start[digit];
            start[digit] = sum;
            sum += size;
        }
        for (int32_t i = 0; i < count; i++) to[start[from[i] >> shift & 255]++] = from[i];
        uint64_t* swap = from;
        from = to;
        to = swap;
    }
    if (from != keys) memcpy(keys, from, (size_t)count * sizeof *keys);
}
