// csrc/state/create.c - creates and frees worlds; the list of tables says what there is to free.
//
// Arrays start empty, so an empty world is one struct and its broad phase.
#include "state/create.h"

#include "broadphase/cell_pairs.h"
#include "objects/contact_index.h"
#include "objects/scratch.h"
#include "solver/schedule.h"
#include "step/warm_start.h"

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

static const b2d_island_table* const island_tables[B2D_ISLANDS_COUNT] = {
#define B2D_ISLANDS(NAME, name) [B2D_ISLANDS_##NAME] = &b2d_islands_##name,
#include "lists/islands.def"
#undef B2D_ISLANDS
};

static const b2d_warm_start* const warm_starts[B2D_WARM_START_COUNT] = {
#define B2D_WARM_START(NAME, name) [B2D_WARM_START_##NAME] = &b2d_warm_start_##name,
#include "lists/warm_starts.def"
#undef B2D_WARM_START
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
    b2d_free_scratch(world);
    b2d_scheduler_destroy(world->scheduler);
    b2d_clusters_free(&world->graph);
    free_tables(world);
    b2d_bits_free(memory, &world->mass_due);
    b2d_contact_index_free(world);
    b2d_pool_free(memory, &world->graph.pool);
    b2d_memory last = world->memory;
    b2d_free(&last, world, sizeof *world);
    b2d_memory_leave_stock(&last);
    b2d_memory_free_preallocated(&last);
    B2D_ASSERT(last.bytes == 0); // every table is in the list
}

b2d_world* b2d_world_make_image(int64_t preallocated, int64_t fail_after) {
    b2d_memory memory = {.fail_after = fail_after};
    if (!b2d_memory_settle(&memory, preallocated + (int64_t)sizeof(b2d_world) + B2D_ALIGNMENT)) return NULL;
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
    return world->broadphase_table->create(&world->memory, &world->proxies, world->simd, &world->broadphase);
}

b2d_world* b2d_world_make(const b2d_making* making) {
    const int64_t own = 1024; // an empty broad phase
    b2d_world* world = b2d_world_make_image(making->preallocated + own, making->fail_after);
    if (world == NULL) return NULL;
    world->simd = making->simd;
    world->broadphase_kind = making->broadphase == B2D_BROADPHASE_AUTO ? B2D_BROADPHASE_GRID : making->broadphase;
    world->narrowphase_kind = making->narrowphase;
    world->islands_kind = making->islands;
    world->schedule_kind = making->schedule;
    world->island_table = island_tables[world->islands_kind];
    world->schedule = schedules[world->schedule_kind];
    world->warm_start_kind = making->warm_start;
    world->warm_start = warm_starts[world->warm_start_kind];
    world->lab = making->lab;
    world->broadphase_table = broadphases[world->broadphase_kind];
    world->graph.cells = making->cells;
    world->proxies.cell_shapes = making->cells.shapes;
    if (making->cells.count > 0) world->broadphase_table = &b2d_broadphase_cells;
    world->broadphase_stale = true; // the broad phase has not been built yet
    if (make_parts(world, making)) return world;
    b2d_world_free(world);
    return NULL;
}
