// csrc/step/finalize.c - runs after the solver on awake bodies: poses, sleep timers, fat boxes, fast bodies.
//
// The kernels are in finalize_wide.inl; they run in parallel over the awake bodies. A worker writes only the rows of
// its own bodies and shapes, and its own bit arrays. The pose of a fast body is not changed here: the continuous stage
// needs the pose before the step and the motion. Where relative sweeps may follow, the states of all bodies keep the
// motion until that stage is over.
#include "step/finalize.h"

#include "base/cpu.h"
#include "graph/partition.h"
#include "step/motion.h"

// Takes one row for each awake body if there are sensors. The kernel fills the rows of fast bodies with visitors;
// pack_motions then moves those rows together.
static bool reserve_motions(b2d_world* world, int32_t count) {
    if (b2d_bits_is_empty(&world->sensors)) return true;
    world->motions = b2d_arena_take(&world->scratch->arena, (size_t)(count + 1) * sizeof *world->motions);
    for (int32_t k = 0; world->motions != NULL && k < count; k++) world->motions[k].body = B2D_NONE;
    return world->motions != NULL;
}

static void pack_motions(b2d_world* world, int32_t count) {
    for (int32_t k = 0; world->motions != NULL && k < count; k++)
        if (world->motions[k].body != B2D_NONE) world->motions[world->motion_count++] = world->motions[k];
}

static b2d_stage_fn* finalize_kernel(int32_t simd) { B2D_RETURN_KERNEL(simd, b2d_finalize_bodies_); }

// The longest sleep timer of the bodies that are still finite
static float longest_rest(const b2d_world* world, const b2d_island* island, const b2d_bits* invalid) {
    float longest = 0.0f;
    for (int32_t k = 0; k < island->body_count; k++) {
        const int32_t body = b2d_island_bodies(island)[k];
        if (!b2d_bits_has(invalid, body)) longest = b2d_max(longest, world->graph.bodies[body].sleep_timer);
    }
    return longest;
}

// Each cell of a packed world splits the island that a world of its own would split.
static void choose_splits(b2d_world* world, b2d_finalize_worker* found) {
    world->split_island = B2D_NONE;
    B2D_FOR_BITS (&found->split_islands, id) {
        b2d_cell_row* row = &world->cell_rows[id % world->graph.cells.count];
        const float timer = longest_rest(world, &world->graph.islands[id], &found->invalid);
        if (row->split_island != B2D_NONE && timer < row->split_timer) continue; // ties: the larger id
        row->split_island = world->split_island = id;
        row->split_timer = timer;
        row->split_generation = world->graph.island_generations[id];
    }
    b2d_bits_clear(&found->split_islands);
}

void b2d_world_finalize(b2d_world* world, const int32_t* awake, int32_t count, float dt,
                        const b2d_platforms* platforms) {
    for (int32_t w = 0; w < world->scratch->worker_count; w++) {
        world->scratch->finalize_workers[w].split_timer = 0.0f;
        world->scratch->finalize_workers[w].split_island = B2D_NONE;
        world->scratch->finalize_workers[w].pushes_sleeper = false;
        world->scratch->finalize_workers[w].pushes_fast = false;
        world->scratch->finalize_workers[w].sweeps_moving = false;
        world->scratch->finalize_workers[w].movers = 0;
        world->scratch->finalize_workers[w].widest = 0.0f;
        world->scratch->finalize_workers[w].narrowest = 3.0e38f;
    }
    b2d_finalize_job job = {world,
                            awake,
                            dt,
                            1.0f / dt,
                            b2d_option(world, B2D_OPTION_SLEEP_TIME),
                            b2d_option(world, B2D_OPTION_LENGTH_UNIT),
                            b2d_in_units(world, B2D_OPTION_MAX_LINEAR_SPEED),
                            b2d_speculative_distance(world),
                            world->options[B2D_OPTION_SLEEPING] != 0.0,
                            world->options[B2D_OPTION_CONTINUOUS] != 0.0,
                            b2d_keeps_motions(world),
                            !b2d_bits_is_empty(&world->plates),
                            platforms};
    if (!reserve_motions(world, count)) world->step_failed = true;
    const b2d_stage stage = {finalize_kernel(b2d_simd_for(world->simd, count)), &job, count, 128};
    b2d_scheduler_run_entered(world->scheduler, &stage, 1);
    pack_motions(world, count);
    b2d_finalize_worker* first = &world->scratch->finalize_workers[0];
    for (int32_t w = 1; w < world->scratch->worker_count; w++) {
        b2d_finalize_worker* other = &world->scratch->finalize_workers[w];
        b2d_bits_merge(&first->awake_islands, &other->awake_islands);
        b2d_bits_merge(&first->may_sleep, &other->may_sleep);
        b2d_bits_merge(&first->fast, &other->fast);
        b2d_bits_merge(&first->passing, &other->passing);
        b2d_bits_merge(&first->near, &other->near);
        b2d_bits_merge(&first->invalid, &other->invalid);
        b2d_bits_clear(&other->awake_islands);
        b2d_bits_clear(&other->may_sleep);
        b2d_bits_clear(&other->fast);
        b2d_bits_clear(&other->passing);
        b2d_bits_clear(&other->near);
        b2d_bits_clear(&other->invalid);
        b2d_bits_merge(&first->split_islands, &other->split_islands);
        b2d_bits_clear(&other->split_islands);
        first->pushes_sleeper = first->pushes_sleeper || other->pushes_sleeper;
        first->pushes_fast = first->pushes_fast || other->pushes_fast;
        first->sweeps_moving = first->sweeps_moving || other->sweeps_moving;
        first->movers += other->movers;
        first->widest = b2d_max(first->widest, other->widest);
        first->narrowest = b2d_min(first->narrowest, other->narrowest);
        if (other->split_timer > first->split_timer ||
            (other->split_timer == first->split_timer && other->split_island > first->split_island)) {
            first->split_timer = other->split_timer;
            first->split_island = other->split_island;
        }
    }
    if (world->graph.cells.count > 0) {
        choose_splits(world, first);
        return;
    }
    const b2d_island_table* table = world->island_table;
    const int32_t chosen = table->pick == NULL ? first->split_island : table->pick(&world->graph);
    world->split_island = chosen;
    world->split_generation = chosen == B2D_NONE ? 0 : world->graph.island_generations[chosen];
}
