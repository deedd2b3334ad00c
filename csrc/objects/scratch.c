// csrc/objects/scratch.c - makes, lends and frees scratch memory. See scratch.h.
#include "objects/scratch.h"

#if !defined(B2D_NO_THREADS)
#include <pthread.h>
#endif

// ---- One scratch

static void limit_allocations(b2d_scratch* s, int64_t limit) {
    s->memory.fail_after = limit;
    for (int32_t w = 0; w < s->worker_count; w++) s->worker_memory[w].fail_after = limit;
}

static void free_worker(b2d_scratch* s, int32_t w) {
    b2d_collide_worker* collide = &s->collide_workers[w];
    b2d_key_list* list = &s->key_lists[w];
    b2d_finalize_worker* finalize = &s->finalize_workers[w];
    b2d_bits* bits[] = {&collide->begun,          &collide->ended,          &collide->parted,     &finalize->moved,
                        &finalize->awake_islands, &finalize->fast,          &finalize->invalid,   &finalize->passing,
                        &finalize->partners,      &finalize->split_islands, &finalize->may_sleep, &finalize->renewed,
                        &finalize->near};
    for (size_t k = 0; k < sizeof bits / sizeof *bits; k++) b2d_bits_free(&s->memory, bits[k]);
    b2d_memory* memory = &s->worker_memory[w];
    b2d_free(memory, collide->records, (size_t)collide->record_capacity * sizeof *collide->records);
    b2d_free(memory, list->keys, (size_t)list->capacity * sizeof *list->keys);
    b2d_free(memory, finalize->hits, (size_t)finalize->hit_capacity * sizeof *finalize->hits);
    b2d_free(memory, finalize->candidates, (size_t)finalize->candidate_capacity * sizeof *finalize->candidates);
    b2d_memory_leave_stock(memory);
    B2D_ASSERT(memory->bytes == 0);
}

// The parts of the one block in which a scratch and the arrays of its workers lie
typedef struct block_parts {
    size_t memory, collide, keys, finalize, size;
} block_parts;

static size_t next_part(size_t* end, size_t size) {
    const size_t at = *end;
    *end = at + ((size + B2D_ALIGNMENT - 1) & ~(size_t)(B2D_ALIGNMENT - 1));
    return at;
}

static block_parts parts_of(int32_t workers) {
    const size_t n = (size_t)workers;
    block_parts parts;
    size_t end = 0;
    (void)next_part(&end, sizeof(b2d_scratch));
    parts.memory = next_part(&end, n * sizeof(b2d_memory));
    parts.collide = next_part(&end, n * sizeof(b2d_collide_worker));
    parts.keys = next_part(&end, n * sizeof(b2d_key_list));
    parts.finalize = next_part(&end, n * sizeof(b2d_finalize_worker));
    parts.size = end;
    return parts;
}

static void destroy(void* scratch) {
    b2d_scratch* s = scratch;
    for (int32_t w = 0; w < s->worker_count; w++) free_worker(s, w);
    b2d_arena_free(&s->arena);
    b2d_free(&s->memory, s->records.rows, (size_t)s->records.capacity * sizeof *s->records.rows);
    b2d_memory last = s->memory;
    b2d_free(&last, s, parts_of(s->worker_count).size);
    b2d_memory_leave_stock(&last);
    B2D_ASSERT(last.bytes == 0);
}

static b2d_scratch* make(int32_t workers, int64_t limit) {
    b2d_memory memory = {.fail_after = limit};
    const block_parts parts = parts_of(workers);
    uint8_t* block = b2d_allocate(&memory, parts.size);
    if (block == NULL) return NULL;
    b2d_scratch* s = (b2d_scratch*)(void*)block;
    s->memory = memory;
    s->arena.memory = &s->memory;
    s->worker_count = workers;
    s->worker_memory = (b2d_memory*)(void*)(block + parts.memory);
    s->collide_workers = (b2d_collide_worker*)(void*)(block + parts.collide);
    s->key_lists = (b2d_key_list*)(void*)(block + parts.keys);
    s->finalize_workers = (b2d_finalize_worker*)(void*)(block + parts.finalize);
    for (int32_t w = 0; w < workers; w++) {
        s->worker_memory[w].fail_after = memory.fail_after;
        s->collide_workers[w].memory = &s->worker_memory[w];
        s->key_lists[w].memory = &s->worker_memory[w];
        s->finalize_workers[w].memory = &s->worker_memory[w];
        s->finalize_workers[w].split_island = B2D_NONE;
    }
    return s;
}

int64_t b2d_scratch_allocations(const b2d_scratch* s) {
    int64_t sum = s->memory.allocations;
    for (int32_t w = 0; w < s->worker_count; w++) sum += s->worker_memory[w].allocations;
    return sum;
}

int64_t b2d_scratch_bytes(const b2d_scratch* s) {
    int64_t sum = s->memory.bytes;
    for (int32_t w = 0; w < s->worker_count; w++) sum += s->worker_memory[w].bytes;
    return sum;
}

// ---- The pool of a thread

#if defined(B2D_NO_THREADS)
static b2d_scratch* take_from_thread(void) { return NULL; } // a thread keeps nothing here
static void give_to_thread(b2d_scratch* s) { destroy(s); }
#else
static _Thread_local b2d_scratch* spare;
static _Thread_local bool watched; // whether the end of this thread empties its pool
static pthread_key_t end_of_thread;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static bool can_watch;

static void empty_pool(void* unused) {
    (void)unused;
    watched = false;
    for (b2d_scratch *s = spare, *next; s != NULL; s = next) {
        next = s->next;
        destroy(s);
    }
    spare = NULL;
}

static void make_key(void) { can_watch = pthread_key_create(&end_of_thread, empty_pool) == 0; }

static b2d_scratch* take_from_thread(void) {
    b2d_scratch* s = spare;
    if (s != NULL) spare = s->next;
    return s;
}

static void give_to_thread(b2d_scratch* s) {
    if (!watched) { // the system calls empty_pool if the value is not NULL
        pthread_once(&once, make_key);
        watched = can_watch && pthread_setspecific(end_of_thread, &end_of_thread) == 0;
    }
    if (!watched) {
        destroy(s);
        return;
    }
    s->next = spare;
    spare = s;
}
#endif

// ---- Leases

enum { LARGE_SCRATCH = 256 << 10 }; // bytes: a world keeps a scratch of this size or more

bool b2d_lease_scratch(b2d_world* world) {
    if (world->scratch != NULL) return true;
    const int64_t limit = world->memory.fail_after;
    const int32_t workers = b2d_scheduler_workers(world->scheduler);
    b2d_scratch* s = world->own_scratch;
    world->own_scratch = NULL;
    if (s == NULL && limit < 0) s = workers > 1 ? b2d_scheduler_take_spare(world->scheduler) : take_from_thread();
    if (s == NULL) s = make(workers, limit);
    else if (limit >= 0) limit_allocations(s, limit);
    world->scratch = s;
    if (s == NULL) return false;
    b2d_memory_ask_again(&s->memory);
    for (int32_t w = 0; w < workers; w++) b2d_memory_ask_again(&s->worker_memory[w]);
    return true;
}

// After a step without memory some bits may still be set.
static bool is_usable(const b2d_world* world, const b2d_scratch* s) {
    return !world->step_failed && s->memory.fail_after < 0;
}

void b2d_return_scratch(b2d_world* world) {
    b2d_scratch* s = world->scratch;
    if (s == NULL) return;
    world->scratch = NULL;
    b2d_arena_reset(&s->arena);
    if (!is_usable(world, s)) destroy(s);
    else if (b2d_scratch_bytes(s) >= LARGE_SCRATCH || s->memory.stock != NULL) world->own_scratch = s;
    else if (s->worker_count == 1) give_to_thread(s);
    else if (!b2d_scheduler_keep_spare(world->scheduler, s, destroy)) destroy(s);
}

void b2d_free_scratch(b2d_world* world) {
    if (world->scratch != NULL) destroy(world->scratch);
    if (world->own_scratch != NULL) destroy(world->own_scratch);
    world->scratch = world->own_scratch = NULL;
}
