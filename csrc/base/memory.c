// csrc/base/memory.c - counted memory, growth, shared tables, the pool and the arena, all on top of slab.c.
#include "base/memory.h"

#include <stdatomic.h>
#include <string.h>

enum {
    SLAB_LEAST = 16 << 10, // bytes: smaller arrays come from the system
    SLAB_WORLD = 3 << 20,  // bytes: smaller worlds use no slab
};

static size_t round_up(size_t size) {
    return size == 0 ? B2D_ALIGNMENT : (size + B2D_ALIGNMENT - 1) & ~(size_t)(B2D_ALIGNMENT - 1);
}

// Whether a test lets this request fail. The arena asks also where it has room; requests from the preallocated block
// never fail.
static bool refuses(b2d_memory* memory) {
    if (memory->fail_after <= 0) return memory->fail_after == 0;
    memory->fail_after--;
    return false;
}

static void count(b2d_memory* memory, int64_t size) {
    memory->allocations++;
    memory->bytes += size;
    if (memory->bytes > memory->peak_bytes) memory->peak_bytes = memory->bytes;
}

// Not zeroed: growth overwrites most of a block anyway.
static void* take_from(b2d_memory* memory, size_t size, bool slab) {
    if (size > PTRDIFF_MAX - B2D_HUGE_PAGE) return NULL;
    size = round_up(size);
    if (slab && (int64_t)size <= memory->preallocated_size - memory->preallocated_used) {
        memory->preallocated_used += (int64_t)size;
        return memory->preallocated + (memory->preallocated_used - (int64_t)size);
    }
    void* block = slab && memory->stock != NULL ? b2d_slab_cut(&memory->stock, size) : NULL;
    if (block != NULL) return block;
    if (refuses(memory) || (memory->refused > 0 && (int64_t)size >= memory->refused)) return NULL;
    block = slab && size >= SLAB_LEAST && memory->bytes + (int64_t)size >= SLAB_WORLD
                ? b2d_slab_take(&memory->slabs, size)
                : b2d_system_take(size);
    if (block != NULL) count(memory, (int64_t)size);
    else memory->refused = (int64_t)size;
    return block;
}

bool b2d_memory_may_take(const b2d_memory* memory, int64_t size) {
    return (memory->refused == 0 || size < memory->refused) && (size <= 0 || b2d_system_may_take((size_t)size));
}

static void* take(b2d_memory* memory, size_t size) { return take_from(memory, size, true); }

void* b2d_allocate(b2d_memory* memory, size_t size) {
    void* block = take(memory, size);
    if (block != NULL) memset(block, 0, round_up(size));
    return block;
}

void b2d_free(b2d_memory* memory, void* block, size_t size) {
    if (block == NULL || (uintptr_t)block - (uintptr_t)memory->preallocated < (size_t)memory->preallocated_size) return;
    size = round_up(size);
    if (memory->stock != NULL && b2d_slab_give(&memory->stock, block, size, true)) return;
    memory->bytes -= (int64_t)size;
    if (size < SLAB_LEAST || !b2d_slab_give(&memory->slabs, block, size, false)) b2d_system_give(block);
}

bool b2d_memory_stock(b2d_memory* memory, int64_t room) {
    const int64_t missing = room - (int64_t)b2d_slab_room(memory->stock);
    if (missing <= 0) return true;
    if (missing > PTRDIFF_MAX / 2 || refuses(memory) || !b2d_slab_add(&memory->stock, (size_t)missing)) return false;
    memory->stock_size += missing;
    count(memory, missing);
    return true;
}

void b2d_memory_leave_stock(b2d_memory* memory) {
    memory->bytes -= memory->stock_size;
    memory->stock_size = 0;
    b2d_slab_free(&memory->stock);
}

bool b2d_memory_settle(b2d_memory* memory, int64_t size) {
    size = (int64_t)round_up((size_t)size);
    uint8_t* block = take_from(memory, (size_t)size, false);
    if (block == NULL) return false;
    memory->preallocated = block;
    memory->preallocated_size = size;
    memory->preallocated_used = 0;
    return true;
}

void b2d_memory_free_preallocated(b2d_memory* memory) {
    if (memory->preallocated == NULL) return;
    memory->bytes -= memory->preallocated_size;
    memory->preallocated_size = 0;
    b2d_system_give(memory->preallocated);
}

// The bytes of so many rows. Where a size_t does not hold them, more than any system grants.
static size_t bytes_of(int32_t rows, size_t stride) {
    size_t bytes;
    return __builtin_mul_overflow((size_t)rows, stride, &bytes) ? SIZE_MAX : bytes;
}

// The first request is granted exactly, so that small worlds stay small; later growth is geometric, and by at least
// four rows if rows are small.
static int32_t grown(int32_t capacity, int32_t needed, size_t stride) {
    if (capacity == 0) return needed;
    int64_t more = (int64_t)capacity + capacity / 4 + (stride < 256 ? 4 : 0);
    if (more < needed) more = needed;
    return more > INT32_MAX ? INT32_MAX : (int32_t)more;
}

bool b2d_fit(b2d_memory* memory, void** block, int32_t* capacity, int32_t needed, size_t stride) {
    if (needed <= *capacity) return true;
    if (*capacity > 0 || !memory->settling) return b2d_grow(memory, block, capacity, needed, stride);
    void* fitted = take(memory, bytes_of(needed, stride));
    if (fitted == NULL) return false;
    memcpy((void*)block, &fitted, sizeof fitted);
    *capacity = needed;
    return true;
}

bool b2d_grow(b2d_memory* memory, void** block, int32_t* capacity, int32_t needed, size_t stride) {
    if (needed <= *capacity) return true;
    void* old; // read and written as bytes: the caller's pointer has another type
    memcpy(&old, (void*)block, sizeof old);
    int32_t room = grown(*capacity, needed, stride);
    size_t old_size = (size_t)*capacity * stride, size = bytes_of(room, stride);
    uint8_t* grown_block = take(memory, size);
    if (grown_block == NULL) return false;
    if (old_size > 0) memcpy(grown_block, old, old_size);
    memset(grown_block + old_size, 0, size - old_size);
    b2d_free(memory, old, old_size);
    memcpy((void*)block, &grown_block, sizeof grown_block);
    *capacity = room;
    return true;
}

bool b2d_grow_levels(b2d_memory* memory, uint64_t** const* levels, int32_t* const* counts, int32_t count,
                     int32_t needed) {
    int32_t room[B2D_MOST_LEVELS];
    uint64_t size = 0, old_size = 0;
    for (int32_t k = 0; k < count; k++) {
        room[k] = k == 0 ? grown(*counts[0], needed, sizeof **levels[0]) : (room[k - 1] + 63) / 64;
        size += (uint64_t)room[k] * sizeof(uint64_t);
        old_size += (uint64_t)*counts[k] * sizeof(uint64_t);
    }
    if (size > PTRDIFF_MAX) return false;
    uint64_t *block = b2d_allocate(memory, (size_t)size), *old = *levels[0];
    if (block == NULL) return false;
    for (int32_t k = 0; k < count; block += room[k], k++) {
        if (*counts[k] > 0) memcpy(block, *levels[k], (size_t)*counts[k] * sizeof *block);
        *levels[k] = block;
        *counts[k] = room[k];
    }
    b2d_free(memory, old, (size_t)old_size);
    return true;
}

// ---- shared tables: [head, 64 bytes][hidden zero rows, ending on a 64-byte boundary][rows] ----

typedef struct shared_head {
    atomic_int_least32_t references;
} shared_head;

static size_t lead_size(const b2d_shared* table) {
    return table->lead == 0 ? 0 : round_up((size_t)table->lead * (size_t)table->stride);
}

static size_t shared_size(const b2d_shared* table, int32_t capacity) {
    const size_t rows = bytes_of(capacity, (size_t)table->stride), start = B2D_ALIGNMENT + lead_size(table);
    return rows > SIZE_MAX - start ? SIZE_MAX : start + rows;
}

bool b2d_shared_grow(b2d_memory* memory, b2d_shared* table, int32_t needed) {
    if (needed <= table->capacity && table->block != NULL) return true;
    int32_t room = grown(table->capacity, needed, (size_t)table->stride);
    size_t start = B2D_ALIGNMENT + lead_size(table), used = (size_t)table->capacity * (size_t)table->stride;
    size_t size = shared_size(table, room);
    uint8_t* block = take_from(memory, size, false); // a view may outlive the world and its slabs
    if (block == NULL) return false;
    memset(block, 0, start);
    if (used > 0) memcpy(block + start, table->data, used);
    memset(block + start + used, 0, size - start - used);
    atomic_init(&((shared_head*)block)->references, 1);
    b2d_shared_free(memory, table);
    table->block = block;
    table->data = block + start;
    table->capacity = room;
    return true;
}

// A block that only a view keeps alive is no longer counted, since the world has released it.
void b2d_shared_free(b2d_memory* memory, b2d_shared* table) {
    if (table->block == NULL) return;
    memory->bytes -= (int64_t)round_up(shared_size(table, table->capacity));
    b2d_shared_release(table->block);
    table->block = table->data = NULL;
    table->capacity = 0;
}

void* b2d_shared_acquire(b2d_shared* table) {
    if (table->block != NULL)
        atomic_fetch_add_explicit(&((shared_head*)table->block)->references, 1, memory_order_relaxed);
    return table->block;
}

void b2d_shared_release(void* block) {
    if (block == NULL) return;
    if (atomic_fetch_sub_explicit(&((shared_head*)block)->references, 1, memory_order_acq_rel) == 1)
        b2d_system_give(block);
}

// ---- pool ----

enum { POOL_LOWEST = 4 }; // class c holds blocks of 2^(c + 4) bytes
static const int64_t pool_first_chunk = 2 << 10, pool_largest_chunk = 4 << 20;

typedef struct pool_chunk { // the first 64 bytes of each chunk
    struct pool_chunk* next;
    int64_t size;
} pool_chunk;

static int32_t pool_class(size_t size) {
    return size <= 1u << POOL_LOWEST ? 0 : 64 - __builtin_clzll((unsigned long long)size - 1) - POOL_LOWEST;
}

size_t b2d_pool_granted(size_t size) { return (size_t)1 << (pool_class(size) + POOL_LOWEST); }

static void pool_put(b2d_pool* pool, void* block, size_t granted) {
    void** list = &pool->free_blocks[pool_class(granted)];
    *(void**)block = *list;
    *list = block;
}

void b2d_pool_give(b2d_pool* pool, void* block, size_t granted) {
    if (block == NULL) return;
    pool->live -= (int64_t)granted;
    pool_put(pool, block, granted);
}

// What is left of the current chunk goes to the free lists in the largest pieces that fit.
static void pool_shelve(b2d_pool* pool) {
    while (pool->chunk_left >= B2D_ALIGNMENT) {
        int64_t piece = (int64_t)1 << (63 - __builtin_clzll((unsigned long long)pool->chunk_left));
        pool_put(pool, pool->chunk_next, (size_t)piece);
        pool->chunk_next += piece;
        pool->chunk_left -= piece;
    }
}

static void pool_open(b2d_pool* pool, pool_chunk* chunk) {
    pool_shelve(pool);
    chunk->next = pool->chunks;
    pool->chunks = chunk;
    pool->chunk_next = (uint8_t*)chunk + B2D_ALIGNMENT;
    pool->chunk_left = chunk->size - B2D_ALIGNMENT;
}

static pool_chunk* pool_chunk_take(b2d_memory* memory, int64_t size) {
    pool_chunk* chunk = take(memory, (size_t)size);
    if (chunk != NULL) *chunk = (pool_chunk){NULL, size};
    return chunk;
}

static bool pool_refill(b2d_memory* memory, b2d_pool* pool, int64_t needed) {
    needed += B2D_ALIGNMENT;
    for (pool_chunk *before = NULL, *chunk = pool->spare; chunk != NULL; before = chunk, chunk = chunk->next) {
        if (chunk->size < needed) continue;
        if (before == NULL) pool->spare = chunk->next;
        else before->next = chunk->next;
        pool_open(pool, chunk);
        return true;
    }
    const pool_chunk* last = pool->chunks;
    int64_t size = last == NULL || last->size < pool_first_chunk / 2 ? pool_first_chunk : 2 * last->size;
    if (size > pool_largest_chunk) size = pool_largest_chunk;
    pool_chunk* chunk = pool_chunk_take(memory, size < needed ? needed : size);
    if (chunk != NULL) pool_open(pool, chunk);
    return chunk != NULL;
}

void* b2d_pool_take(b2d_memory* memory, b2d_pool* pool, size_t size, size_t* granted) {
    int32_t c = pool_class(size);
    if (c >= B2D_POOL_CLASSES) return NULL;
    int64_t room = (int64_t)1 << (c + POOL_LOWEST);
    void* block = pool->free_blocks[c];
    if (block != NULL) {
        pool->free_blocks[c] = *(void**)block;
    } else {
        int64_t cut = room < B2D_ALIGNMENT ? B2D_ALIGNMENT : room; // small blocks are cut from a cache line
        if (pool->chunk_left < cut && !pool_refill(memory, pool, cut)) return NULL;
        block = pool->chunk_next;
        pool->chunk_next += cut;
        pool->chunk_left -= cut;
        for (int64_t at = cut - room; at > 0; at -= room) pool_put(pool, (uint8_t*)block + at, (size_t)room);
    }
    pool->live += room;
    *granted = (size_t)room;
    return block;
}

static void free_chunks(b2d_memory* memory, pool_chunk* chunk) {
    for (pool_chunk* next; chunk != NULL; chunk = next) {
        next = chunk->next;
        b2d_free(memory, chunk, (size_t)chunk->size);
    }
}

void b2d_pool_free(b2d_memory* memory, b2d_pool* pool) {
    free_chunks(memory, pool->chunks);
    free_chunks(memory, pool->spare);
    *pool = (b2d_pool){0};
}

// The head of the chunk, and a cache line for each class of blocks that are smaller than one.
int64_t b2d_pool_room(int64_t live) { return live == 0 ? 0 : (int64_t)round_up((size_t)live) + 3 * B2D_ALIGNMENT; }

bool b2d_pool_reserve(b2d_memory* memory, b2d_pool* pool, int64_t live) {
    const int64_t needed = b2d_pool_room(live);
    for (const pool_chunk* chunk = pool->chunks; chunk != NULL; chunk = chunk->next)
        if (chunk->size >= needed) return true;
    for (const pool_chunk* chunk = pool->spare; chunk != NULL; chunk = chunk->next)
        if (chunk->size >= needed) return true;
    if (live == 0) return true;
    pool_chunk* chunk = pool_chunk_take(memory, needed);
    if (chunk == NULL) return false;
    chunk->next = pool->spare;
    pool->spare = chunk;
    return true;
}

void b2d_pool_clear(b2d_pool* pool) {
    pool_chunk *all = pool->spare, *largest = NULL;
    for (pool_chunk *chunk = pool->chunks, *next; chunk != NULL; chunk = next) {
        next = chunk->next;
        chunk->next = all;
        all = chunk;
    }
    for (pool_chunk* chunk = all; chunk != NULL; chunk = chunk->next)
        if (largest == NULL || chunk->size > largest->size) largest = chunk;
    *pool = (b2d_pool){0};
    if (largest == NULL) return;
    for (pool_chunk *chunk = all, *next; chunk != NULL; chunk = next) {
        next = chunk->next;
        if (chunk == largest) continue;
        chunk->next = pool->spare;
        pool->spare = chunk;
    }
    pool_open(pool, largest);
}

// ---- arena: the current block, and a list of those that were filled since the last reset ----

typedef struct arena_block { // the 64 bytes before `block`
    struct arena_block* next;
    int64_t capacity;
} arena_block;

static bool arena_renew(b2d_arena* arena, int64_t least) {
    const int64_t capacity = (int64_t)round_up((size_t)least);
    arena_block* head = take(arena->memory, (size_t)(capacity + B2D_ALIGNMENT));
    if (head == NULL) return false;
    head->capacity = capacity;
    arena->block = (uint8_t*)head + B2D_ALIGNMENT;
    arena->capacity = capacity;
    arena->used = 0;
    return true;
}

static void arena_drop(b2d_arena* arena) {
    if (arena->block != NULL) {
        arena_block* head = (arena_block*)(arena->block - B2D_ALIGNMENT);
        head->next = arena->overflow;
        arena->overflow = head;
    }
    for (arena_block *head = arena->overflow, *next; head != NULL; head = next) {
        next = head->next;
        b2d_free(arena->memory, head, (size_t)(head->capacity + B2D_ALIGNMENT));
    }
    *arena = (b2d_arena){.memory = arena->memory};
}

bool b2d_arena_reserve(b2d_arena* arena, int64_t capacity) {
    if (arena->used > 0 || arena->capacity >= capacity) return true;
    b2d_arena before = *arena;
    if (!arena_renew(arena, capacity)) return false;
    arena_drop(&before);
    return true;
}

void* b2d_arena_take_slowly(b2d_arena* arena, size_t size) {
    if (size > PTRDIFF_MAX / 4 || refuses(arena->memory)) return NULL;
    int64_t room = (int64_t)round_up(size);
    if (room > arena->capacity - arena->used) {
        b2d_arena full = *arena;
        int64_t capacity = 2 * full.capacity > 4096 ? 2 * full.capacity : 4096;
        if (!arena_renew(arena, room > capacity ? room : capacity)) return NULL;
        if (full.block != NULL) {
            arena_block* head = (arena_block*)(full.block - B2D_ALIGNMENT);
            head->next = full.overflow;
            arena->overflow = head;
            arena->overflow_bytes += full.used;
        }
    }
    void* result = arena->block + arena->used;
    arena->used += room;
    return result;
}

void b2d_arena_reset(b2d_arena* arena) {
    if (arena->overflow != NULL) {
        int64_t total = arena->overflow_bytes + arena->used;
        arena_drop(arena);
        (void)arena_renew(arena, total + total / 4); // without memory the next take tries again
    }
    arena->used = 0;
}

void b2d_arena_free(b2d_arena* arena) { arena_drop(arena); }
