// csrc/base/id_pool.h - small integer ids, always the lowest free one.
//
// Idea: two-level bit array in one block, 1 = taken. Reusing the lowest free id keeps arrays dense and makes every id
// depend on the history of calls alone, so equal runs agree on all ids. Threads: serial stages only.
// Proof: tests/c/test_base.c.
#pragma once
#include "base/memory.h"

typedef struct b2d_id_pool {
    uint64_t* used; // bit i % 64 of word i / 64: id i is taken
    uint64_t* full; // bit w % 64 of word w / 64: used[w] has no free id
    int32_t word_count;
    int32_t full_count;
    int32_t count; // ids taken
    int32_t limit; // one more than the highest id ever taken
} b2d_id_pool;

bool b2d_id_pool_reserve(b2d_memory* memory, b2d_id_pool* pool, int32_t count); // ids 0 .. count - 1 need no memory
int32_t b2d_id_pool_take(b2d_memory* memory, b2d_id_pool* pool);                // B2D_NONE: no memory, unchanged
// The lowest free id of first, first + stride, first + 2 stride ..; B2D_NONE: there is none
int32_t b2d_id_pool_lowest_of(const b2d_id_pool* pool, int32_t first, int32_t stride);
// A free id for the next row of a list whose last row is `last` (B2D_NONE: it has none), so that the rows of a list
// follow each other: last + 1, else the first of `run` free ids, a power of two up to 64, or of half as many and so on.
// At most a fifth of the ids become gaps. B2D_NONE: there is none
int32_t b2d_id_pool_after(const b2d_id_pool* pool, int32_t last, int32_t run);
int32_t b2d_id_pool_next(const b2d_id_pool* pool, int32_t from); // the least taken id >= from, or B2D_NONE
void b2d_id_pool_free(b2d_memory* memory, b2d_id_pool* pool);

// Rows that a table needs before an id is taken. Reserving them first gives every id below the limit a row, also when
// memory runs out between the two.
static inline int32_t b2d_id_pool_rows(const b2d_id_pool* pool) {
    return pool->count < pool->limit ? pool->limit : pool->limit + 1;
}
static inline bool b2d_id_pool_has(const b2d_id_pool* pool, int32_t id) {
    const uint32_t w = (uint32_t)id >> 6; // that of a negative id is beyond all words
    return w < (uint32_t)pool->word_count && (pool->used[w] >> (id & 63) & 1) != 0;
}

// Inline, because many bodies that are enabled or disabled together take or release an id each

// The lowest free id; B2D_NONE: there is none.
static inline int32_t b2d_id_pool_lowest(const b2d_id_pool* pool) {
    int32_t f = 0;
    while (f < pool->full_count && pool->full[f] == UINT64_MAX) f++;
    int32_t w = f < pool->full_count ? 64 * f + b2d_ctz64(~pool->full[f]) : 64 * f;
    if (w >= INT32_MAX / 64) return B2D_NONE;
    return w >= pool->word_count ? 64 * w : 64 * w + b2d_ctz64(~pool->used[w]);
}

// Takes a free id; false: no memory.
static inline bool b2d_id_pool_take_id(b2d_memory* memory, b2d_id_pool* pool, int32_t id) {
    const int32_t w = id >> 6;
    if (w >= pool->word_count && !b2d_id_pool_reserve(memory, pool, 64 * (w + 1))) return false;
    B2D_ASSERT(!b2d_id_pool_has(pool, id));
    pool->used[w] |= 1ull << (id & 63);
    if (pool->used[w] == UINT64_MAX) pool->full[w >> 6] |= 1ull << (w & 63);
    pool->count++;
    pool->limit = b2d_max_int(pool->limit, id + 1);
    return true;
}

static inline void b2d_id_pool_release(b2d_id_pool* pool, int32_t id) {
    B2D_ASSERT(b2d_id_pool_has(pool, id)); // the API functions have refused stale handles
    pool->used[id >> 6] &= ~(1ull << (id & 63));
    pool->full[id >> 12] &= ~(1ull << (id >> 6 & 63));
    pool->count--;
}
