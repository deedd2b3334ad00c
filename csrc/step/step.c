// csrc/step/step.c - runs the stages of one step in order (docs/architecture.md).
#include "step/step.h"

#include "base/cpu.h"
#include "base/lower_bound.h"
#include "base/trace.h"
#include "objects/body.h"
#include "objects/callback.h"
#include "objects/contact.h"
#include "objects/joint.h"
#include "objects/material.h"
#include "objects/proxy.h"
#include "solver/added_contacts.h"
#include "solver/loads.h"
#include "solver/machine.h"
#include "solver/prepare.h"
#include "solver/settings.h"
#include "step/balance.h"
#include "step/clock.h"
#include "step/update_contacts.h"
#include "step/contact_transitions.h"
#include "step/continuous.h"
#include "step/finalize.h"
#include "step/hit.h"
#include "step/motion.h"
#include "step/pairs.h"
#include "step/sensor.h"
#include "step/water.h"
#include "step/wedge.h"
#include "step/warm_start.h"

#include <string.h>

static int64_t allocations_so_far(const b2d_world* world) {
    return world->memory.allocations + (world->scratch == NULL ? 0 : b2d_scratch_allocations(world->scratch));
}

enum { LEAST_SIDE_TASK = 200 }; // bodies of an island whose search takes longer than waking a worker

static void search_island(void* search) { b2d_island_search_run(search); }

// Whether the candidate was not merged, destroyed or put to sleep in the meantime.
static bool may_split(const b2d_world* world, int32_t id, uint64_t generation) {
    const b2d_graph* graph = &world->graph;
    return id != B2D_NONE && b2d_id_pool_has(&graph->island_ids, id) && graph->island_generations[id] == generation &&
           graph->islands[id].removals > 0;
}

// Splits at most one island of a world, or of each cell, per step. Whether the one of a world has come apart is found
// beside the solver, which neither reads nor changes islands.
static void begin_split(b2d_world* world, b2d_step_run* run) {
    b2d_graph* graph = &world->graph;
    b2d_arena* arena = &world->scratch->arena;
    const int32_t id = world->split_island, cells = id == B2D_NONE ? 0 : graph->cells.count;
    run->splitting = false;
    for (int32_t k = 0; k < cells; k++) {
        const int32_t of_cell = world->cell_rows[k].split_island;
        int32_t made;
        if (may_split(world, of_cell, world->cell_rows[k].split_generation) &&
            !b2d_island_split(graph, arena, of_cell, &made))
            world->step_failed = true;
        world->cell_rows[k].split_island = B2D_NONE;
    }
    if (cells == 0 && may_split(world, id, world->split_generation)) {
        run->splitting = b2d_island_search_begin(graph, arena, id, &run->split);
        if (!run->splitting) world->step_failed = true;
        run->split_task = (b2d_side_task){.run = search_island, .context = &run->split};
        if (run->splitting && run->split.p.body_count >= LEAST_SIDE_TASK)
            b2d_scheduler_offer(world->scheduler, &run->split_task);
    }
    world->split_island = B2D_NONE;
    if (id != B2D_NONE) b2d_lap(world, &world->laps.split);
}

void b2d_step_join_split(b2d_world* world, b2d_step_run* run) {
    if (!run->splitting) return;
    int32_t made;
    run->splitting = false;
    b2d_scheduler_join(world->scheduler, &run->split_task);
    if (!b2d_island_search_apply(&world->graph, &run->split, &made)) world->step_failed = true;
    b2d_lap(world, &world->laps.split);
}

// The memory of loads goes on by a step, and joints of another softness are laid out anew. Returns whether the impulses
// of every cell are kept as they are; `shares` has a place for each cell, or is NULL.
static bool advance_loads(b2d_world* world, float dt, float h, float* shares) {
    const int32_t cells = world->graph.cells.count;
    // Of a frame of 1/60 s; of a shorter step, with its room for rounding, its own
    const float frame = dt > 0.01667f ? h * (float)b2d_substeps_of(dt, 1) / (60.0f * dt) : h;
    bool whole = true, changed = false;
    for (int32_t k = 0; k < b2d_max_int(cells, 1); k++) {
        b2d_loads* loads = b2d_loads_of_cell(world, k);
        const float before = loads->substep, share = b2d_loads_begin(loads, dt, h, frame);
        changed = changed || before != loads->substep;
        if (shares != NULL) shares[k] = share;
        whole = whole && share == 1.0f;
    }
    if (changed) b2d_forget_joint_lanes(&world->graph);
    world->graph.impulse_h = h;
    world->last_dt = dt;
    return whole;
}

// False: no memory.
static bool begin_loads(b2d_world* world, b2d_step_run* run, float h) {
    const int32_t cells = b2d_max_int(world->graph.cells.count, 1);
    float* shares = b2d_arena_take(&world->scratch->arena, (size_t)cells * sizeof *shares);
    if (shares == NULL) return false;
    const bool whole = advance_loads(world, run->dt, h, shares);
    run->load_shares = whole || world->options[B2D_OPTION_WARM_STARTING] == 0.0 ? NULL : shares;
    return true;
}

// How soft contacts and joints are; by cell where the cells differ. False: no memory.
static bool set_stiffness(b2d_world* world, b2d_solver* solver) {
    const int32_t cells = b2d_max_int(world->graph.cells.count, 1);
    b2d_stiffness* rows = NULL;
    const float first = b2d_loads_of_cell(world, 0)->substep;
    for (int32_t k = 1; rows == NULL && k < cells; k++)
        if (b2d_loads_of_cell(world, k)->substep != first &&
            (rows = b2d_arena_take(solver->arena, (size_t)cells * sizeof *rows)) == NULL)
            return false;
    for (int32_t k = 0; k < (rows == NULL ? 1 : cells); k++) {
        const float substep = b2d_loads_of_cell(world, k)->substep,
                    rate = substep == solver->h ? solver->inverse_h : 1.0f / substep;
        *(rows == NULL ? &solver->stiffness : &rows[k]) = b2d_make_stiffness(world->options, rate, solver->h);
    }
    solver->cell_stiffness = rows;
    return true;
}

// Fills the solver and lays out the constraints. False: no memory.
static bool prepare(b2d_world* world, b2d_step_run* run) {
    const float dt = run->dt;
    const int32_t substeps = run->substeps;
    b2d_solver* solver = &run->solver.solver;
    const float h = dt / (float)substeps;
    *solver = (b2d_solver){
        .graph = &world->graph,
        .scheduler = world->scheduler,
        .memory = &world->memory,
        .arena = &world->scratch->arena,
        .poses = world->poses.data,
        .states = world->states.data,
        .masses = world->masses,
        .steps = world->body_steps,
        .awake = run->awake,
        .awake_count = run->awake_count,
        .cell_gravities = world->cell_gravities,
        .impulse_ratio = b2d_loads_ratio(&world->loads, world->graph.impulse_h, h),
        .lab = world->lab,
        .step = world->counters.steps,
        .costs = &world->solve_costs,
        .schedule = world->schedule,
        .direct = &world->direct,
    };
    b2d_solver_set_numbers(solver, world->options, dt, substeps);
    b2d_solver_set_kernels(solver, world->simd);
    if (!b2d_world_prepare_lifts(world, solver)) return false;
    if (b2d_direct_changed(&world->direct) && !b2d_direct_plan(solver)) return false;
    if (!begin_loads(world, run, h) || !set_stiffness(world, solver)) return false;
    b2d_added_contacts* added = run->solver.added_contacts;
    if (added != NULL ? !b2d_added_contacts_lay_out(added, solver) : !b2d_machines_begin(solver, world->body_ids.limit))
        return false;
    if (run->load_shares != NULL && (run->kept_forces = b2d_loads_keep_forces(solver)) == NULL) return false;
    if (!b2d_solver_prepare(&run->solver)) return false;
    if (run->load_shares != NULL && (run->kept_loads = b2d_loads_keep(solver)) == NULL) return false;
    // Here the rows of joints are those of this step; added contacts may hold anything
    run->assemblies = (b2d_assemblies){0};
    if (added == NULL && !b2d_world_measure_assemblies(world, run->awake, run->awake_count, &run->assemblies))
        return false;
    b2d_lap(world, &world->laps.prepare);
    const bool done = b2d_solver_bounce(&run->solver);
    b2d_lap(world, &world->laps.restitution);
    return done;
}

// Disables the bodies whose state became non-finite, in ascending order of ids.
static void disable_invalid(b2d_world* world) {
    b2d_bits* invalid = &world->scratch->finalize_workers[0].invalid;
    const int32_t ends = world->end_events.count;
    B2D_FOR_BITS (invalid, id) {
        b2d_body_events* events = &world->invalid_events;
        if (world->graph.cells.count > 0) world->cell_rows[b2d_cell_of_body(&world->graph.cells, id)].invalid = true;
        b2d_world_set_body_enabled(world, id, false);
        for (int32_t key = world->graph.bodies[id].joint_head; key != B2D_NONE;
             key = world->graph.joints[key >> 1].next[key & 1]) {
            // Neither impulses nor loads are finite, and the user may enable the body again
            world->graph.joints[key >> 1].impulses = (b2d_joint_impulses){0};
            world->graph.joints[key >> 1].load = (b2d_joint_load){0};
        }
        if (B2D_GROW(&world->memory, events->rows, events->capacity, events->count + 1))
            events->rows[events->count++] = (b2d_body_event){world->body_generations[id], id, 0};
        else world->step_failed = true;
    }
    b2d_bits_clear(invalid);
    b2d_world_sort_ends(world, ends);
}

// Wakes the bodies that the user put to sleep on a moving kinematic body.
static void wake_pushed(b2d_world* world, const b2d_bits* keep_awake) {
    B2D_FOR_BITS (keep_awake, island)
        if (!b2d_wake_island(&world->graph, island)) world->step_failed = true;
    b2d_world_flush_sleep_changes(world);
}

// Whether the islands of this step are known, so that those at rest may fall asleep.
static bool find_resting(b2d_world* world, const int32_t* awake, int32_t count, const b2d_bits* keep_awake) {
    const b2d_island_table* table = world->island_table;
    if (table->rest == NULL) return !world->graph.loose;
    b2d_bits* may_sleep = &world->scratch->finalize_workers[0].may_sleep;
    if (b2d_bits_is_empty(may_sleep) ||
        table->rest(&world->graph, &world->scratch->arena, awake, count, world->counters.steps, keep_awake, may_sleep))
        return true;
    world->graph.needs_repair = world->step_failed = true;
    return false;
}

// Islands without a bit in `keep_awake` fall asleep, in the order of their lowest body.
static void fall_asleep(b2d_world* world, const int32_t* awake, int32_t count) {
    b2d_graph* graph = &world->graph;
    b2d_bits *keep_awake = &world->scratch->finalize_workers[0].awake_islands,
             *may_sleep = &world->scratch->finalize_workers[0].may_sleep;
    if (world->scratch->finalize_workers[0].pushes_sleeper) wake_pushed(world, keep_awake);
    if (world->options[B2D_OPTION_SLEEPING] != 0.0 && find_resting(world, awake, count, keep_awake)) {
        B2D_FOR_BITS (may_sleep, id) {
            const int32_t island = graph->bodies[id].island;
            if (island == B2D_NONE || b2d_bits_has(keep_awake, island)) continue;
            b2d_bits_set(keep_awake, island); // each island is handled once
            const b2d_island* row = &graph->islands[island];
            if (!b2d_is_awake(graph, id) || (row->removals > 0 && row->body_count > 1)) continue;
            if (!b2d_world_island_in_balance(world, island)) continue;
            if (!b2d_sleep_island(graph, island)) world->step_failed = true;
        }
        B2D_FOR_BITS (&graph->sleep_changed, id) {
            int32_t row = b2d_lower_bound_id(awake, sizeof *awake, world->move_events.count, id);
            if (row < world->move_events.count && awake[row] == id) world->move_events.rows[row].fell_asleep = 1;
        }
        b2d_world_flush_sleep_changes(world);
    }
    b2d_bits_clear(keep_awake);
    b2d_bits_clear(may_sleep);
    b2d_lap(world, &world->laps.sleep);
}

// `new_islands`: the most that may be made before the bits are used.
static bool reserve_worker_bits(b2d_world* world, int32_t new_islands) {
    const int32_t islands = world->graph.island_ids.limit + new_islands;
    for (int32_t w = 0; w < world->scratch->worker_count; w++) {
        b2d_finalize_worker* out = &world->scratch->finalize_workers[w];
        if (!b2d_bits_reserve(&world->scratch->memory, &out->moved, world->shape_ids.limit) ||
            !b2d_bits_reserve(&world->scratch->memory, &out->awake_islands, islands) ||
            !b2d_bits_reserve(&world->scratch->memory, &out->may_sleep, world->body_ids.limit) ||
            !b2d_bits_reserve(&world->scratch->memory, &out->fast, world->body_ids.limit) ||
            !b2d_bits_reserve(&world->scratch->memory, &out->invalid, world->body_ids.limit) ||
            !b2d_bits_reserve(&world->scratch->memory, &out->passing, world->body_ids.limit) ||
            !b2d_bits_reserve(&world->scratch->memory, &out->near, world->body_ids.limit))
            return false;
        if (world->graph.cells.count > 0 && !b2d_bits_reserve(&world->scratch->memory, &out->split_islands, islands))
            return false;
    }
    if (!b2d_bits_reserve(&world->scratch->memory, &world->scratch->finalize_workers[0].partners,
                          world->body_ids.limit))
        return false;
    return b2d_bits_reserve(&world->memory, &world->swept, world->body_ids.limit);
}

// Adds one move event for each awake body. The rows are in ascending order of ids because the list of awake bodies is.
static bool list_moves(b2d_world* world, const int32_t* awake, int32_t count) {
    b2d_body_events* events = &world->move_events;
    if (!B2D_GROW(&world->memory, events->rows, events->capacity, count)) return false;
    for (int32_t k = 0; k < count; k++)
        events->rows[k] = (b2d_body_event){world->body_generations[awake[k]], awake[k], 0};
    events->count = count;
    return true;
}

static void swap_events(b2d_world* world) {
#define B2D_EVENT(KIND, name, list, ...) world->list.count = 0;
#include "lists/events.def"
#undef B2D_EVENT
    // Contacts that ended because objects were destroyed since the last step are reported together with the ends of
    // this step.
    b2d_contact_events spare = world->end_events;
    world->end_events = world->pending_end_events;
    world->pending_end_events = spare;
}

static void update_sensors(b2d_world* world) {
    b2d_scheduler_label(world->scheduler, B2D_STAGE_sensors);
    if (b2d_world_update_sensors(world)) b2d_lap(world, &world->laps.sensors);
}

// What follows the solver.
static void finalize(b2d_world* world, const b2d_step_run* run) {
    const int32_t* awake = run->awake;
    const int32_t count = run->awake_count;
    b2d_world_collect_hits(world);
    if (run->solver.restitutes) b2d_lap(world, &world->laps.restitution);
    b2d_scheduler_label(world->scheduler, B2D_STAGE_finalize);
    b2d_platforms platforms;
    if (!b2d_list_platforms(world, &platforms)) world->step_failed = true;
    b2d_world_finalize(world, awake, count, run->dt, &platforms);
    if (!list_moves(world, awake, count)) world->step_failed = true;
    disable_invalid(world);
    b2d_lap(world, &world->laps.finalize);
    b2d_scheduler_label(world->scheduler, B2D_STAGE_continuous);
    if (b2d_world_continuous(world, awake, count, &platforms)) b2d_lap(world, &world->laps.continuous);
    b2d_scheduler_label(world->scheduler, B2D_STAGE_refit);
    b2d_collect_moved(world);
    world->counters.moved_shapes = b2d_bits_count(&world->proxies.moved);
    world->broadphase_stale = world->broadphase_stale || world->counters.moved_shapes > 0;
    if (!b2d_world_update_broadphase(world)) world->step_failed = true;
    if (world->counters.moved_shapes > 0) b2d_lap(world, &world->laps.refit);
    b2d_world_collect_joint_events(world);
    update_sensors(world);
    fall_asleep(world, awake, count);
}

// Contact callbacks run before any body moves; all other events are reported at the end of the step.
static void report_ends(b2d_world* world) {
    const int32_t count = world->end_events.count - world->reported_ends;
    if (count == 0) return; // there may be no rows either
    b2d_world_report(world, B2D_EVENT_CONTACT_END, world->end_events.rows + world->reported_ends, count);
    world->reported_ends = world->end_events.count;
}

static void report_contacts(b2d_world* world) {
    world->reported_ends = 0;
    report_ends(world);
    b2d_world_report(world, B2D_EVENT_CONTACT_BEGIN, world->begin_events.rows, world->begin_events.count);
}

static void report_other_events(b2d_world* world) {
    if (world->calls == 0) return;
    report_ends(world); // contacts of bodies that were disabled because their state was not finite
#define B2D_EVENT(KIND, name, list, ...)                                                          \
    if (B2D_EVENT_##KIND != B2D_EVENT_CONTACT_END && B2D_EVENT_##KIND != B2D_EVENT_CONTACT_BEGIN) \
        b2d_world_report(world, B2D_EVENT_##KIND, world->list.rows, world->list.count);
#include "lists/events.def"
#undef B2D_EVENT
}

// Whether nothing is awake, nothing has changed and no event is pending, so that all stages would do nothing.
bool b2d_world_at_rest(const b2d_world* world) {
    const b2d_graph* graph = &world->graph;
    int32_t events = world->pending_end_events.count;
#define B2D_EVENT(KIND, name, list, ...) events += world->list.count;
#include "lists/events.def"
#undef B2D_EVENT
    if (events > 0 || world->broadphase_stale || world->repair || world->split_island != B2D_NONE) return false;
    if (!b2d_bits_is_empty(&world->mass_changed)) return false;
    if (!b2d_bits_is_empty(&graph->awake) || !b2d_bits_is_empty(&world->proxies.moved)) return false;
    if (!b2d_bits_is_empty(&world->sensor_changes) || !b2d_bits_is_empty(&graph->sleep_changed)) return false;
    for (int32_t bucket = 0; bucket < B2D_BUCKET_COUNT; bucket++)
        if (!b2d_bits_is_empty(&graph->awake_contacts[bucket])) return false;
    return true;
}

// Contacts and joints are softer in longer substeps: how far they give way under a load grows with the square of the
// substep. So a step longer than 1/50 s has the substeps of all the frames of 1/60 s that it takes; else stacks would
// sink in it, and chains would be torn. Each time has its room for rounding.
int32_t b2d_substeps_of(float dt, int32_t substeps) {
    return dt < 0.0200001f ? substeps : substeps * ((int32_t)(59.9994f * dt) + 1);
}

void b2d_step_begin(b2d_world* world, b2d_step_run* run, float dt, int32_t substeps) {
    run->start = b2d_clock_start(world);
    run->dt = dt;
    run->substeps = b2d_substeps_of(dt, substeps);
    run->load_shares = run->kept_loads = NULL;
    run->kept_forces = NULL;
    run->advances = run->splitting = false;
    run->solver.added_contacts = NULL;
    b2d_scheduler_start_trace(world->scheduler);
    run->allocations = allocations_so_far(world);
    world->counters = (b2d_counters){.steps = world->counters.steps + 1};
    world->laps = (b2d_profile){0};
    world->step_failed = world->callback_failed = false;
    world->graph.merges = world->graph.searches = world->graph.splits = world->graph.slept = 0;
    world->graph.traversed = 0;
}

const b2d_warm_start b2d_warm_start_persistent = {"persistent", NULL, NULL};

// The collide stage, with the strategy of warm starting around it.
static void collide(b2d_world* world, const b2d_step_run* run) {
    const b2d_warm_start* warm_start = world->warm_start;
    void* kept = NULL;
    if (warm_start->keep != NULL && (kept = warm_start->keep(world)) == NULL) world->step_failed = true;
    b2d_world_collide(world, b2d_middle_of_step(run->dt, run->substeps), run->dt);
    if (kept != NULL) warm_start->restore(world, kept);
    b2d_lap(world, &world->laps.collide);
}

void b2d_step_collide(b2d_world* world, b2d_step_run* run) {
    world->motion_count = 0;
    world->motions = NULL;
    swap_events(world);
    const bool has_pending_ends = world->end_events.count > 0;

    b2d_world_follow_masses(world);
    b2d_world_create_pairs(world);
    b2d_world_lend_records(world);
    collide(world, run);
    b2d_world_apply_contact_transitions(world);
    if (has_pending_ends) b2d_world_sort_ends(world, 0);
    b2d_world_override_materials(world, true);
    begin_split(world, run);
    if (world->calls == 0) return;
    report_contacts(world);
    b2d_lap_begin(world);
}

void b2d_step_prepare(b2d_world* world, b2d_step_run* run) {
    if (run->dt == 0.0f) return;
    run->awake_count = b2d_bits_count(&world->graph.awake);
    run->awake = b2d_arena_take(&world->scratch->arena, (size_t)(run->awake_count + 1) * sizeof *run->awake);
    const int32_t new_islands = run->splitting ? run->split.p.body_count : 0;
    run->advances = run->awake != NULL && reserve_worker_bits(world, new_islands) && list_moves(world, run->awake, 0);
    if (run->advances) {
        b2d_bits_list(&world->graph.awake, 0, world->graph.awake.word_count, run->awake);
        run->advances = prepare(world, run);
    }
    if (!run->advances) world->step_failed = true;
}

void b2d_step_substeps(b2d_world* world, b2d_step_run* run, int32_t from, int32_t to) {
    if (!run->advances || from == to) return;
    const bool done = b2d_solver_substeps(&run->solver, from, to);
    b2d_lap(world, &world->laps.solve);
    if (done) return;
    world->step_failed = true;
    if (from > 0) return; // bodies have moved, and the step goes on with what it has
    run->advances = false;
    for (int32_t k = 0; k < run->awake_count; k++) { // impacts may have put bodies back
        b2d_body_state* state = b2d_world_state(world, run->awake[k]);
        state->dx = state->dy = state->angle = 0.0f;
    }
}

// The motion of bodies, or with dt 0 the sensors alone.
static void move(b2d_world* world, b2d_step_run* run) {
    b2d_step_join_split(world, run);
    if (run->dt == 0.0f) {
        world->last_dt = 0.0f;
        update_sensors(world);
    } else if (run->advances) {
        b2d_solver_finish(&run->solver);
        b2d_world_conserve(world, &run->assemblies, run->dt);
        if (run->load_shares != NULL) {
            b2d_loads_mix(&run->solver.solver, run->kept_loads, run->load_shares);
            b2d_loads_mix_forces(&run->solver.solver, run->kept_forces, run->load_shares);
        }
        b2d_world_release_wedged(world, &run->solver.solver);
        finalize(world, run);
        b2d_world_forget_laws(world);
    }
    b2d_world_override_materials(world, false);
    // The arena is reset here too: blocks that overflowed in the first step of a pile are merged in that step, not in
    // the next one, which may have nothing else to do.
    world->motions = NULL;
    world->motion_count = 0;
    b2d_arena_reset(&world->scratch->arena);
}

static void write_profile(b2d_world* world, const b2d_step_run* run) {
    const int64_t end = b2d_ticks();
    const double tick = b2d_clock_tick(world, end);
#define B2D_PROFILE(name) world->profile.name = tick * world->laps.name;
#include "lists/profile.def"
#undef B2D_PROFILE
    world->profile.step = end > run->start ? tick * (double)(end - run->start) : 0.0; // processors may disagree
}

static void end_step(b2d_world* world, const b2d_step_run* run) {
    report_other_events(world);
    world->counters.islands_merged = world->graph.merges;
    world->counters.islands_relabeled = world->graph.relabeled;
    world->counters.splits_tried = world->graph.searches;
    world->counters.islands_split = world->graph.splits;
    world->counters.bodies_traversed = world->graph.traversed;
    world->counters.bodies_slept = world->graph.slept;
    world->counters.bodies_woken = world->graph.woken;
    world->graph.woken = world->graph.relabeled = 0;
    world->counters.step_allocations = allocations_so_far(world) - run->allocations;
    write_profile(world, run);
}

void b2d_step_finish(b2d_world* world, b2d_step_run* run) {
    move(world, run);
    end_step(world, run);
}

void b2d_world_run_step(b2d_world* world, float dt, int32_t substeps, bool at_rest) {
    b2d_step_run run;
    b2d_step_begin(world, &run, dt, substeps);
    if (at_rest) {
        if (dt > 0.0f) {
            (void)advance_loads(world, dt, dt / (float)run.substeps, NULL);
            b2d_world_forget_laws(world);
        }
        world->last_dt = dt;
        end_step(world, &run);
        return;
    }
    b2d_step_collide(world, &run);
    b2d_step_prepare(world, &run);
    b2d_step_substeps(world, &run, 0, 2 * run.substeps);
    b2d_step_finish(world, &run);
}
