// csrc/base/memory.h - counted, 64-byte aligned memory of one world, growth, shared tables.
//
// Idea: every byte a world owns goes through its b2d_memory, so `counters.bytes` and `counters.step_allocations` are
// exact and a test can fail each allocation in turn. Tables that numpy may view are reference-counted blocks: growing
// one releases the world's reference, and a view that still holds the old block keeps it alive (stale, never dangling).
// Large arrays of a large world share slabs (slab.h). A stock of memory that was taken in advance serves later growth,
// so that the system is asked for nothing as long as it has room.
// Threads: serial stages only, except b2d_shared_release, which any thread may call.
// Proof: tests/c/test_base.c.
#pragma once
#include "base/slab.h"

typedef struct b2d_memory {
    int64_t bytes;       // live bytes
    int64_t peak_bytes;  // most ever live
    int64_t allocations; // requests so far that neither the preallocated block nor the stock could serve
    int64_t fail_after;  // tests: allocations still allowed; negative = no limit
    int64_t refused;     // bytes of the least request that the system could not serve since b2d_memory_ask_again, or 0
    b2d_slab* slabs;     // hold the large arrays once the world is large
    b2d_slab* stock;     // reserved memory, which requests come from first
    uint8_t* preallocated; // one block for all tables of a copied world, freed with the world; NULL: none
    int64_t preallocated_size, preallocated_used;
    int64_t stock_size;
    bool settling; // the world is being filled for the first time: b2d_fit need not zero new rows
} b2d_memory;

// Takes the preallocated block: requests come from it as long as it has room, and a block in it is only freed with it.
bool b2d_memory_settle(b2d_memory* memory, int64_t size);
void b2d_memory_free_preallocated(b2d_memory* memory); // the last call: all that lies in it goes, the world too

// Makes sure that the stock has so many free bytes. It is counted as a whole, and stays until b2d_memory_leave_stock.
bool b2d_memory_stock(b2d_memory* memory, int64_t room);
void b2d_memory_leave_stock(b2d_memory* memory); // no block of it is in use any more

// Requests as large as one that the system refused are refused without asking it, because a stage may make millions of
// them. At the start of a call it is asked again.
static inline void b2d_memory_ask_again(b2d_memory* memory) { memory->refused = 0; }
// Whether the system has so many free bytes, and would not have to swap for them.
bool b2d_memory_may_take(const b2d_memory* memory, int64_t size);

void* b2d_allocate(b2d_memory* memory, size_t size);         // zeroed, aligned; NULL when there is none
void b2d_free(b2d_memory* memory, void* block, size_t size); // size as allocated; a NULL block is ignored
// Grows *block (elements of `stride` bytes) so that *capacity >= needed: by at least a quarter, and zeroes the new
// elements. On failure returns false and changes nothing.
bool b2d_grow(b2d_memory* memory, void** block, int32_t* capacity, int32_t needed, size_t stride);
// The same, but an empty array gets exactly `needed` elements, and while the memory is settling they are not zeroed.
bool b2d_fit(b2d_memory* memory, void** block, int32_t* capacity, int32_t needed, size_t stride);
// Grows an array of 64-bit words, levels[0], and behind it in the same block the levels above it: each has one bit for
// each word of the level below. The new words are zero.
enum { B2D_MOST_LEVELS = 3 };
bool b2d_grow_levels(b2d_memory* memory, uint64_t** const* levels, int32_t* const* counts, int32_t count,
                     int32_t needed);
#define B2D_GROW(memory, array, capacity, needed) \
    ((needed) <= (capacity) || b2d_grow(memory, (void**)&(array), &(capacity), needed, sizeof *(array)))

// A table that numpy may view. `data` starts after `lead` hidden zero rows, so that row -1 is readable.
typedef struct b2d_shared {
    void* block;      // the reference-counted block, NULL while empty
    void* data;       // row 0
    int32_t capacity; // rows
    int32_t stride;   // bytes a row
    int32_t lead;     // hidden zero rows before row 0
} b2d_shared;

bool b2d_shared_grow(b2d_memory* memory, b2d_shared* table, int32_t needed); // same growth; new rows zeroed
void b2d_shared_free(b2d_memory* memory, b2d_shared* table);                 // drops the world's reference
void* b2d_shared_acquire(b2d_shared* table); // one more reference to the block, for a view; NULL while empty
void b2d_shared_release(void* block);        // atomic; frees with the last reference

// Size-class pool for many small short-lived arrays (lists of islands): blocks of a power of two from 16 bytes on, kept
// on free lists, so that a steady state allocates nothing. A block of 64 bytes or more is aligned to 64, a smaller one
// to its size.
enum { B2D_POOL_CLASSES = 28 };
typedef struct b2d_pool {
    void* free_blocks[B2D_POOL_CLASSES]; // singly linked through their first word
    void* chunks;                        // all memory in use, linked for b2d_pool_free
    void* spare;                         // chunks that are empty
    int64_t chunk_left;
    uint8_t* chunk_next;
    int64_t live; // bytes granted and not given back
} b2d_pool;

void* b2d_pool_take(b2d_memory* memory, b2d_pool* pool, size_t size, size_t* granted); // not zeroed
void b2d_pool_give(b2d_pool* pool, void* block, size_t granted);
size_t b2d_pool_granted(size_t size); // what a request of this size is granted
void b2d_pool_free(b2d_memory* memory, b2d_pool* pool);
// Makes sure that after b2d_pool_clear requests of together `live` granted bytes need no memory; changes nothing else.
bool b2d_pool_reserve(b2d_memory* memory, b2d_pool* pool, int64_t live);
void b2d_pool_clear(b2d_pool* pool); // takes all blocks back
int64_t b2d_pool_room(int64_t live); // bytes that b2d_pool_reserve takes in an empty pool

// Bump arena of one step: reset at the start of every step. When a step overflows it, extra blocks are taken, and the
// next reset merges them into one block large enough, so that a steady state allocates nothing.
// Threads: b2d_arena_take is serial; each worker that needs scratch has an arena of its own.
typedef struct b2d_arena {
    b2d_memory* memory;
    uint8_t* block;
    int64_t capacity;
    int64_t used;
    int64_t overflow_bytes; // bytes in the blocks that were filled since the last reset
    void* overflow;         // list of those blocks
} b2d_arena;

void* b2d_arena_take_slowly(b2d_arena* arena, size_t size);         // for the next function, where there may be no room
static inline void* b2d_arena_take(b2d_arena* arena, size_t size) { // 64-byte aligned, not zeroed
    if (size >= (size_t)(arena->capacity - arena->used) || arena->memory->fail_after >= 0)
        return b2d_arena_take_slowly(arena, size);
    void* result = arena->block + arena->used;
    arena->used += (int64_t)((size + B2D_ALIGNMENT - 1) & ~(size_t)(B2D_ALIGNMENT - 1)); // the room is a multiple, too
    return result;
}
// An arena that is not in use gets so many bytes at once; false: no memory, unchanged.
bool b2d_arena_reserve(b2d_arena* arena, int64_t capacity);
void b2d_arena_reset(b2d_arena* arena);
void b2d_arena_free(b2d_arena* arena);
