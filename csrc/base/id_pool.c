// csrc/base/id_pool.c - see id_pool.h. `full` always covers `used`; its bits for words that do not exist yet are 0.
#include "base/id_pool.h"

bool b2d_id_pool_reserve(b2d_memory* memory, b2d_id_pool* pool, int32_t count) {
    const int32_t words = (int32_t)(((int64_t)count + 63) / 64);
    if (words <= pool->word_count) return true;
    uint64_t** const levels[] = {&pool->used, &pool->full};
    int32_t* const counts[] = {&pool->word_count, &pool->full_count};
    return b2d_grow_levels(memory, levels, counts, 2, words);
}

int32_t b2d_id_pool_lowest_of(const b2d_id_pool* pool, int32_t first, int32_t stride) {
    int64_t id = first;
    while (id < pool->limit && (pool->used[id >> 6] >> (id & 63) & 1) != 0) id += stride;
    return id >= INT32_MAX - 64 ? B2D_NONE : (int32_t)id;
}

// The multiples of `run`, a power of two, at which so many bits of `open` follow each other.
static uint64_t runs_of(uint64_t open, int32_t run) {
    for (int32_t length = 1; length < run; length *= 2) open &= open >> length;
    return open & UINT64_MAX / (UINT64_MAX >> (64 - run));
}

int32_t b2d_id_pool_after(const b2d_id_pool* pool, int32_t last, int32_t run) {
    const int32_t lowest = b2d_id_pool_lowest(pool), end = pool->count + pool->count / 4;
    if (last != B2D_NONE && last + 1 < end && !b2d_id_pool_has(pool, last + 1)) return last + 1;
    for (; run > 1; run /= 2)
        for (int32_t w = lowest >> 6; 64 * w + run <= end; w++) {
            const uint64_t runs = runs_of(w < pool->word_count ? ~pool->used[w] : UINT64_MAX, run);
            if (runs != 0 && 64 * w + b2d_ctz64(runs) + run <= end) return 64 * w + b2d_ctz64(runs);
        }
    return lowest;
}

int32_t b2d_id_pool_take(b2d_memory* memory, b2d_id_pool* pool) {
    const int32_t id = b2d_id_pool_lowest(pool);
    return id != B2D_NONE && b2d_id_pool_take_id(memory, pool, id) ? id : B2D_NONE;
}

int32_t b2d_id_pool_next(const b2d_id_pool* pool, int32_t from) {
    if (from >= pool->limit) return B2D_NONE;
    int32_t w = from >> 6, words = ((pool->limit - 1) >> 6) + 1;
    uint64_t word = pool->used[w] & UINT64_MAX << (from & 63);
    while (word == 0) {
        if (++w >= words) return B2D_NONE;
        word = pool->used[w];
    }
    return 64 * w + b2d_ctz64(word);
}

void b2d_id_pool_free(b2d_memory* memory, b2d_id_pool* pool) {
    b2d_free(memory, pool->used, ((size_t)pool->word_count + (size_t)pool->full_count) * sizeof *pool->used);
    *pool = (b2d_id_pool){0};
}
