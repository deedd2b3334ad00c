// csrc/base/bits.c - see bits.h: every function here reads the summary level first.
#include "base/bits.h"

bool b2d_bits_grow(b2d_memory* memory, b2d_bits* bits, int32_t words) {
    uint64_t** const levels[] = {&bits->words, &bits->summary, &bits->top};
    int32_t* const counts[] = {&bits->word_count, &bits->summary_count, &bits->top_count};
    return b2d_grow_levels(memory, levels, counts, 3, words);
}

bool b2d_bits_add(b2d_memory* memory, b2d_bits* bits, const int32_t* members, int32_t count, int32_t room) {
    int32_t greatest = -1;
    for (int32_t k = 0; k < count; k++) greatest = members[k] > greatest ? members[k] : greatest;
    if (greatest >= 64 * bits->word_count && !b2d_bits_reserve(memory, bits, greatest < room ? room : greatest + 1))
        return false;
    b2d_bits_set_many(bits, members, count);
    return true;
}

void b2d_bits_free(b2d_memory* memory, b2d_bits* bits) {
    const size_t words = (size_t)bits->word_count + (size_t)bits->summary_count + (size_t)bits->top_count;
    b2d_free(memory, bits->words, words * sizeof *bits->words);
    *bits = (b2d_bits){0};
}

void b2d_bits_clear_members(b2d_bits* bits) {
    for (int32_t s = b2d_bits_skip(bits, 0); s < bits->summary_count; s = b2d_bits_skip(bits, s + 1)) {
        for (uint64_t left = bits->summary[s]; left != 0; left &= left - 1) bits->words[64 * s + b2d_ctz64(left)] = 0;
        bits->summary[s] = 0;
        bits->top[s >> 6] &= ~(1ull << (s & 63));
    }
}

void b2d_bits_merge(b2d_bits* into, const b2d_bits* from) {
    for (int32_t s = b2d_bits_skip(from, 0); s < from->summary_count; s = b2d_bits_skip(from, s + 1)) {
        for (uint64_t left = from->summary[s]; left != 0; left &= left - 1) {
            int32_t w = 64 * s + b2d_ctz64(left);
            B2D_ASSERT(w < into->word_count || from->words[w] == 0);
            if (w < into->word_count) into->words[w] |= from->words[w];
        }
        if (s >= into->summary_count) continue;
        into->summary[s] |= from->summary[s];
        into->top[s >> 6] |= 1ull << (s & 63);
    }
}

int32_t b2d_bits_count_members(const b2d_bits* bits) {
    int32_t count = 0;
    for (int32_t s = b2d_bits_skip(bits, 0); s < bits->summary_count; s = b2d_bits_skip(bits, s + 1))
        for (uint64_t left = bits->summary[s]; left != 0; left &= left - 1)
            count += b2d_popcount64(bits->words[64 * s + b2d_ctz64(left)]);
    return count;
}

int32_t b2d_bits_next(const b2d_bits* bits, int32_t from) {
    int32_t w = from >> 6;
    if (w >= bits->word_count) return B2D_NONE;
    uint64_t word = bits->words[w] & UINT64_MAX << (from & 63);
    if (word != 0) return 64 * w + b2d_ctz64(word);
    w++;
    int32_t s = w >> 6;
    if (s >= bits->summary_count) return B2D_NONE;
    uint64_t left = bits->summary[s] & UINT64_MAX << (w & 63);
    if (left == 0) {
        s = b2d_bits_skip(bits, s + 1);
        if (s >= bits->summary_count) return B2D_NONE;
        left = bits->summary[s];
    }
    w = 64 * s + b2d_ctz64(left);
    return 64 * w + b2d_ctz64(bits->words[w]);
}

int32_t b2d_bits_list(const b2d_bits* bits, int32_t from_word, int32_t to_word, int32_t* out) {
    to_word = b2d_min_int(to_word, bits->word_count);
    int32_t count = 0;
    for (int32_t s = b2d_bits_skip(bits, from_word >> 6); s << 6 < to_word; s = b2d_bits_skip(bits, s + 1)) {
        uint64_t left = bits->summary[s];
        if (64 * s < from_word) left &= UINT64_MAX << (from_word & 63);
        for (; left != 0; left &= left - 1) {
            int32_t w = 64 * s + b2d_ctz64(left);
            if (w >= to_word) return count;
            for (uint64_t word = bits->words[w]; word != 0; word &= word - 1) out[count++] = 64 * w + b2d_ctz64(word);
        }
    }
    return count;
}
