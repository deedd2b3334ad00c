// csrc/state/create.c - creates and frees worlds; the list of tables says what there is to free.
//
// Arrays start empty, so an empty world is one struct and the rows of its workers.
#include "state/create.h"

#include "solver/schedule.h"
#include "step/motion.h"

void b2d_workers_free(b2d_world* world) {
    b2d_memory* memory = &world->memory;
    size_t count = (size_t)world->worker_count;
    for (int32_t w = 0; w < world->worker_count; w++) {
        if (world->collide_workers != NULL) {
            b2d_collide_worker* collide = &world->collide_workers[w];
            b2d_bits_free(memory, &collide->begun);
            b2d_bits_free(memory, &collide->ended);
            b2d_bits_free(memory, &collide->parted);
            b2d_free(collide->memory, collide->records, (size_t)collide->record_capacity * sizeof *collide->records);
        }
        if (world->key_lists != NULL) {
            b2d_key_list* list = &world->key_lists[w];
            b2d_free(list->memory, list->keys, (size_t)list->capacity * sizeof *list->keys);
        }
        if (world->finalize_workers != NULL) {
            b2d_finalize_worker* finalize = &world->finalize_workers[w];
            b2d_bits_free(memory, &finalize->moved);
            b2d_bits_free(memory, &finalize->awake_islands);
            b2d_bits_free(memory, &finalize->fast);
            b2d_bits_free(memory, &finalize->invalid);
            b2d_bits_free(memory, &finalize->passing);
            b2d_bits_free(memory, &finalize->partners);
            b2d_free(finalize->memory, finalize->hits, (size_t)finalize->hit_capacity * sizeof *finalize->hits);
            b2d_free(finalize->memory, finalize->candidates,
                     (size_t)finalize->candidate_capacity * sizeof *finalize->candidates);
        }
        if (world->worker_memory != NULL) memory->allocations += world->worker_memory[w].allocations;
    }
    b2d_free(memory, world->collide_workers, count * sizeof *world->collide_workers);
    b2d_free(memory, world->key_lists, count * sizeof *world->key_lists);
    b2d_free(memory, world->finalize_workers, count * sizeof *world->finalize_workers);
    b2d_free(memory, world->worker_memory, count * sizeof *world->worker_memory);
    world->collide_workers = NULL;
    world->key_lists = NULL;
    world->finalize_workers = NULL;
    world->worker_memory = NULL;
    world->worker_count = 0;
}

bool b2d_workers_make(b2d_world* world, int32_t count) {
    size_t n = (size_t)count;
    world->worker_count = count;
    world->worker_memory = b2d_allocate(&world->memory, n * sizeof *world->worker_memory);
    world->collide_workers = b2d_allocate(&world->memory, n * sizeof *world->collide_workers);
    world->key_lists = b2d_allocate(&world->memory, n * sizeof *world->key_lists);
    world->finalize_workers = b2d_allocate(&world->memory, n * sizeof *world->finalize_workers);
    if (world->worker_memory == NULL || world->collide_workers == NULL || world->key_lists == NULL ||
        world->finalize_workers == NULL)
        return false;
    for (int32_t w = 0; w < count; w++) {
        world->worker_memory[w].fail_after = -1;
        world->collide_workers[w].memory = &world->worker_memory[w];
        world->key_lists[w].memory = &world->worker_memory[w];
        world->finalize_workers[w].memory = &world->worker_memory[w];
        world->finalize_workers[w].split_island = B2D_NONE;
    }
    return true;
}

static const b2d_broadphase_table* const broadphases[B2D_BROADPHASE_COUNT] = {
#define B2D_BROADPHASE(NAME, name) [B2D_BROADPHASE_##NAME] = &b2d_broadphase_##name,
#include "lists/broadphases.def"
#undef B2D_BROADPHASE
};

static const b2d_schedule* const schedules[B2D_SCHEDULE_COUNT] = {
#define B2D_SCHEDULE(NAME, name) [B2D_SCHEDULE_##NAME] = &b2d_schedule_##name,
#include "lists/schedules.def"
#undef B2D_SCHEDULE
};

static void free_tables(b2d_world* world) {
    b2d_memory* memory = &world->memory;
#define B2D_ARRAY(array, capacity, rows, kind, layout) \
    b2d_free(memory, world->array, (size_t)world->capacity * sizeof *world->array);
#define B2D_SHARED(table, rows, kind, layout) b2d_shared_free(memory, &world->table);
#define B2D_IDS(pool, kind)                   b2d_id_pool_free(memory, &world->pool);
#define B2D_BITS(bits, kind, ids)             b2d_bits_free(memory, &world->bits);
#define B2D_PAIR_SET(set, kind)               b2d_pair_set_free(memory, &world->set);
#define B2D_VALUE(member, kind, layout)
#define B2D_PART(member, kind)
#include "state/tables.def"
}

void b2d_world_free(b2d_world* world) {
    b2d_memory* memory = &world->memory;
    if (world->broadphase != NULL) world->broadphase_table->destroy(memory, world->broadphase);
    b2d_workers_free(world);
    b2d_scheduler_destroy(world->scheduler);
    b2d_clusters_free(&world->graph);
    free_tables(world);
    b2d_pool_free(memory, &world->graph.pool);
    b2d_arena_free(memory, &world->arena);
    b2d_memory last = world->memory;
    b2d_free(&last, world, sizeof *world);
    b2d_memory_leave_home(&last);
    B2D_ASSERT(last.bytes == 0); // every table is in the list
}

b2d_world* b2d_world_make_image(int64_t home, int64_t fail_after) {
    b2d_memory memory = {.fail_after = fail_after};
    if (!b2d_memory_settle(&memory, home + (int64_t)sizeof(b2d_world) + B2D_ALIGNMENT)) return NULL;
    b2d_world* world = b2d_allocate(&memory, sizeof *world);
    world->memory = memory;
    world->memory.settling = true;
    atomic_init(&world->lock, 0);
    world->graph.memory = &world->memory;
    world->poses.stride = (int32_t)sizeof(b2d_pose);
    world->states.stride = (int32_t)sizeof(b2d_body_state);
    world->states.lead = 1; // the zero row for lanes without a body
    world->split_island = B2D_NONE;
    return world;
}

static bool make_parts(b2d_world* world, const b2d_making* making) {
    world->scheduler = making->scheduler;
    world->shares_scheduler = making->scheduler != NULL;
    if (making->scheduler != NULL) b2d_scheduler_hold(making->scheduler);
    else if (b2d_scheduler_create(making->workers, &world->scheduler) != B2D_OK) return false;
    return b2d_workers_make(world, b2d_scheduler_workers(world->scheduler)) &&
           world->broadphase_table->create(&world->memory, &world->proxies, world->simd, &world->broadphase);
}

b2d_world* b2d_world_make(const b2d_making* making) {
    const int64_t own = 4096; // a world with one worker and an empty broad phase
    b2d_world* world = b2d_world_make_image(making->home + own, making->fail_after);
    if (world == NULL) return NULL;
    world->simd = making->simd;
    world->broadphase_kind = making->broadphase == B2D_BROADPHASE_AUTO ? B2D_BROADPHASE_GRID : making->broadphase;
    world->narrowphase_kind = making->narrowphase;
    world->islands_kind = making->islands;
    world->schedule_kind = making->schedule;
    world->schedule = schedules[world->schedule_kind];
    world->lab = making->lab;
    world->broadphase_table = broadphases[world->broadphase_kind];
    const int32_t narrow = making->narrowphase == B2D_NARROWPHASE_PER_PAIR ? B2D_SIMD_SCALAR : making->simd;
    world->collide = b2d_collide_kernel(narrow);
    world->collide_blocks = b2d_collide_blocks_kernel(narrow);
    world->broadphase_stale = true; // the broad phase has not been built yet
    if (make_parts(world, making)) return world;
    b2d_world_free(world);
    return NULL;
}
