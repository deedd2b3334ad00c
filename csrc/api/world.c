// csrc/api/world.c - the API of the world: creation and destruction, options, stepping, counters, tables, lists.
//
// Any number of readers may run at the same time; a writer has exclusive access; calls on a busy world return
// B2D_LOCKED.
#include "api/body.h"
#include "base/cpu.h"
#include "base/trace.h"
#include "objects/body.h"
#include "objects/material.h"
#include "objects/repair.h"
#include "objects/shape.h"
#include "state/create.h"
#include "step/reserve.h"
#include "step/step.h"

#include <string.h>

static const struct {
    double standard, lower, upper;
    bool whole; // one of several choices
} option_rows[B2D_OPTION_COUNT] = {
#define B2D_OPTION(NAME, name, type, choices, standard, lower, upper, ...) {standard, lower, upper, sizeof choices > 1},
#include "lists/options.def"
#undef B2D_OPTION
};

static b2d_status check_option(int32_t option, double value) {
    const bool gravity = option == B2D_OPTION_GRAVITY_X || option == B2D_OPTION_GRAVITY_Y;
    const int32_t argument = gravity ? B2D_ARG_GRAVITY : B2D_ARG_OPTION;
    B2D_TRY(b2d_check_range(value, option_rows[option].lower, option_rows[option].upper, argument));
    const bool allowed = !option_rows[option].whole || value == (double)(int32_t)value;
    return allowed ? B2D_OK : b2d_error(B2D_OUT_OF_RANGE, argument);
}

void b2d_world_def_init(b2d_world_def* def) {
    *def = (b2d_world_def){
        .workers = 1, .simd = -1, .broadphase = B2D_BROADPHASE_AUTO, .narrowphase = B2D_NARROWPHASE_BATCHED};
    for (int32_t k = 0; k < B2D_OPTION_COUNT; k++) def->options[k] = option_rows[k].standard;
}

// Creation and destruction

b2d_status b2d_check_def(const b2d_world_def* def, int32_t* simd) {
    for (int32_t k = 0; k < B2D_OPTION_COUNT; k++) B2D_TRY(check_option(k, def->options[k]));
    if (def->scheduler == NULL && (def->workers < 1 || def->workers > 64))
        return b2d_out_of_range(1.0, 64.0, B2D_ARG_WORKERS);
    if (def->simd < -1 || def->simd >= B2D_SIMD_COUNT) return b2d_error(B2D_OUT_OF_RANGE, B2D_ARG_SIMD);
    if (def->broadphase < 0 || def->broadphase >= B2D_BROADPHASE_COUNT)
        return b2d_error(B2D_OUT_OF_RANGE, B2D_ARG_BROADPHASE);
    if (def->narrowphase < 0 || def->narrowphase >= B2D_NARROWPHASE_COUNT)
        return b2d_error(B2D_OUT_OF_RANGE, B2D_ARG_NARROWPHASE);
    if (def->islands < 0 || def->islands >= B2D_ISLANDS_COUNT) return b2d_error(B2D_OUT_OF_RANGE, B2D_ARG_ISLANDS);
    if (def->schedule < 0 || def->schedule >= B2D_SCHEDULE_COUNT) return b2d_error(B2D_OUT_OF_RANGE, B2D_ARG_SCHEDULE);
    if (def->warm_start < 0 || def->warm_start >= B2D_WARM_START_COUNT)
        return b2d_error(B2D_OUT_OF_RANGE, B2D_ARG_WARM_START);
    if (def->lab >> B2D_LAB_COUNT != 0) return b2d_error(B2D_OUT_OF_RANGE, B2D_ARG_LAB);
    *simd = def->simd == -1 ? b2d_cpu_best() : def->simd;
    return def->simd == -1 || b2d_cpu_has(*simd) ? B2D_OK : b2d_error(B2D_NO_SUCH_SIMD, B2D_ARG_SIMD);
}

b2d_status b2d_world_create(const b2d_world_def* def, b2d_world** out) {
    int32_t simd;
    B2D_TRY(b2d_check_def(def, &simd));
    b2d_world* world = b2d_world_make(&(b2d_making){.scheduler = def->scheduler,
                                                    .workers = def->workers,
                                                    .simd = simd,
                                                    .broadphase = def->broadphase,
                                                    .narrowphase = def->narrowphase,
                                                    .islands = def->islands,
                                                    .schedule = def->schedule,
                                                    .warm_start = def->warm_start,
                                                    .lab = def->lab,
                                                    .fail_after = -1});
    if (world == NULL) return b2d_error(B2D_NO_MEMORY, B2D_ARG_NONE);
    memcpy(world->options, def->options, sizeof world->options);
    world->memory.settling = false;
    *out = world;
    return B2D_OK;
}

b2d_status b2d_world_destroy(b2d_world* world) {
    if (world == NULL) return B2D_OK;
    if (!b2d_begin_write(world)) return b2d_error(B2D_LOCKED, B2D_ARG_WORLD);
    b2d_world_free(world); // the lock is freed too
    return B2D_OK;
}

b2d_status b2d_check_step(double dt, int32_t substeps) {
    B2D_TRY(b2d_check_range(dt, 0.0, 1.0, B2D_ARG_DT));
    // The inverse of a smaller dt would overflow
    if (dt > 0.0 && dt < 1.0e-9) return b2d_out_of_range(1.0e-9, 1.0, B2D_ARG_DT);
    return substeps < 1 || substeps > 64 ? b2d_out_of_range(1.0, 64.0, B2D_ARG_SUBSTEPS) : B2D_OK;
}

int32_t b2d_substeps(double dt, int32_t substeps) { return b2d_substeps_of((float)dt, substeps); }

void b2d_log_frame(b2d_world* world, double dt) {
    world->log.found.hash = b2d_world_hash_of(world);
    world->log.found.time += dt;
    world->log.found.steps++;
}

static void log_step(b2d_world* world, b2d_status status, double dt, int32_t substeps) {
    b2d_log_frame(world, dt);
    b2d_log_call(world, status, B2D_LOGGED_STEP, dt, substeps, world->log.found.hash);
}

b2d_status b2d_close_with_step(b2d_world* world, double dt, int32_t substeps) {
    if (world->repair && !b2d_world_repair(world))
        return b2d_close_write(world, b2d_error(B2D_NO_MEMORY, B2D_ARG_NONE));
    const bool rests = b2d_world_at_rest(world);
    if (!rests && !b2d_lease_scratch(world)) return b2d_close_write(world, b2d_error(B2D_NO_MEMORY, B2D_ARG_NONE));
    world->stepping = true;
    b2d_world_run_step(world, (float)dt, substeps, rests);
    world->stepping = false;
    bool callback_failed = world->callback_failed;
    b2d_status status = world->step_failed ? b2d_error(B2D_NO_MEMORY, B2D_ARG_NONE) : B2D_OK;
    if (world->log.on) log_step(world, status, dt, substeps);
    (void)b2d_close_write(world, status);
    return callback_failed ? b2d_error(B2D_CALLBACK, B2D_ARG_NONE) : status;
}

b2d_status b2d_world_step(b2d_world* world, double dt, int32_t substeps) {
    B2D_TRY(b2d_check_step(dt, substeps));
    B2D_TRY(b2d_open_write(world));
    return b2d_close_with_step(world, dt, substeps);
}

// The most objects and substeps of a small world. When all 32 shapes meet at once, their first step takes 0.14 ms;
// Python lets a thread keep the interpreter for 5 ms.
enum { SMALL_SHAPES = 32, SMALL_CONSTRAINTS = 64, SMALL_SUBSTEPS = 8 };

static bool is_small(const b2d_world* world, double dt, int32_t substeps) {
    const b2d_graph* graph = &world->graph;
    return world->body_ids.count <= SMALL_SHAPES && world->shape_ids.count <= SMALL_SHAPES &&
           graph->contact_ids.count + graph->joint_ids.count <= SMALL_CONSTRAINTS &&
           b2d_substeps(dt, substeps) <= SMALL_SUBSTEPS && world->calls == 0 && !world->repair &&
           graph->cells.count == 0 && b2d_scheduler_workers(world->scheduler) == 1 &&
           !b2d_scheduler_is_hosted(world->scheduler);
}

static bool is_brief(const b2d_world* world, double dt, int32_t substeps) {
    return !world->log.on && (is_small(world, dt, substeps) || b2d_world_at_rest(world));
}

static int32_t watch_tables(b2d_world* world, uint32_t version, int32_t seen) {
    return b2d_world_tables_version(world) == version ? seen : seen | B2D_STEP_MOVED_TABLES;
}

int32_t b2d_world_step_watched(b2d_world* world, double dt, int32_t substeps, uint32_t version) {
    B2D_TRY(b2d_check_step(dt, substeps));
    B2D_TRY(b2d_open_write(world));
    // Found within the lock: another thread may change the world at once
    int32_t seen = b2d_scheduler_is_hosted(world->scheduler) ? B2D_STEP_HOSTED : 0;
    if (is_brief(world, dt, substeps)) seen |= B2D_STEP_BRIEF;
    return watch_tables(world, version, seen | b2d_close_with_step(world, dt, substeps));
}

int32_t b2d_world_step_brief(b2d_world* world, double dt, int32_t substeps, uint32_t version) {
    if (b2d_check_step(dt, substeps) != B2D_OK || world == NULL || !b2d_begin_write(world)) return -1;
    if (is_brief(world, dt, substeps)) {
        b2d_enter_write(world);
        return watch_tables(world, version, b2d_close_with_step(world, dt, substeps));
    }
    b2d_end_write(world);
    return -1;
}

int32_t b2d_world_step_at_rest(b2d_world* world, double dt, int32_t substeps, uint32_t version) {
    if (b2d_check_step(dt, substeps) != B2D_OK || world == NULL || !b2d_begin_write(world)) return -1;
    (void)version; // no table can move
    const bool rests = !world->log.on && b2d_world_at_rest(world);
    if (rests) b2d_world_run_step(world, (float)dt, substeps, true);
    b2d_end_write(world);
    return rests ? 0 : -1;
}

// Options

b2d_status b2d_world_get_option(b2d_world* world, int32_t option, double* value) {
    if (option < 0 || option >= B2D_OPTION_COUNT) return b2d_error(B2D_OUT_OF_RANGE, B2D_ARG_OPTION);
    B2D_TRY(b2d_open_read(world));
    *value = world->options[option];
    return b2d_close_read(world, B2D_OK);
}

static bool wake_all(b2d_world* world) {
    bool done = true;
    for (int32_t id = b2d_id_pool_next(&world->body_ids, 0); id != B2D_NONE;
         id = b2d_id_pool_next(&world->body_ids, id + 1))
        done = b2d_wake(&world->graph, id) && done;
    b2d_world_flush_sleep_changes(world);
    return done;
}

// Margins and thresholds depend on the length unit, so it cannot change once there are shapes or joints. A change of
// gravity wakes all bodies.
static bool stiffens(int32_t option) { return option == B2D_OPTION_CONTACT_HERTZ || option == B2D_OPTION_JOINT_HERTZ; }

static b2d_status set_option(b2d_world* world, int32_t option, double value) {
    double before = world->options[option];
    if (option == B2D_OPTION_LENGTH_UNIT && value != before &&
        (world->shape_ids.count > 0 || world->graph.joint_ids.count > 0))
        return b2d_error(B2D_NOT_ALLOWED, B2D_ARG_OPTION);
    world->options[option] = value;
    if (option == B2D_OPTION_JOINT_SOLVER && value != before) world->direct.all_changed = true;
    // Who asks for another stiffness gets it, whatever the substeps were before
    for (int32_t k = 0; stiffens(option) && value != before && k < b2d_max_int(world->graph.cells.count, 1); k++)
        b2d_loads_of_cell(world, k)->substep = 0.0f;
    const bool wakes = (option == B2D_OPTION_SLEEPING && value == 0.0) ||
                       ((option == B2D_OPTION_GRAVITY_X || option == B2D_OPTION_GRAVITY_Y) && value != before),
               mixes = option == B2D_OPTION_FRICTION_MIXING || option == B2D_OPTION_RESTITUTION_MIXING;
    const bool done = (!wakes || wake_all(world)) && (!mixes || b2d_world_remix(world, B2D_NONE));
    if (done) return B2D_OK;
    world->options[option] = before; // the repair mixes the materials again
    return b2d_error(B2D_NO_MEMORY, B2D_ARG_NONE);
}

b2d_status b2d_world_set_option(b2d_world* world, int32_t option, double value) {
    if (option < 0 || option >= B2D_OPTION_COUNT) return b2d_error(B2D_OUT_OF_RANGE, B2D_ARG_OPTION);
    B2D_TRY(check_option(option, value));
    B2D_TRY(b2d_open_write(world));
    const b2d_status status = set_option(world, option, value);
    B2D_LOG(world, status, B2D_LOGGED_OPTION, option, value);
    return b2d_close_write(world, status);
}

// Takes over the reference to the scheduler. A scratch has as many workers as the scheduler that it was made for.
static void take_scheduler(b2d_world* world, b2d_scheduler* scheduler, bool shared) {
    b2d_free_scratch(world);
    b2d_scheduler_destroy(world->scheduler);
    world->scheduler = scheduler;
    world->shares_scheduler = shared;
}

static b2d_status set_workers(b2d_world* world, int32_t workers) {
    if (workers == b2d_scheduler_workers(world->scheduler) && !world->shares_scheduler) return B2D_OK;
    b2d_scheduler* scheduler;
    B2D_TRY(b2d_scheduler_create(workers, &scheduler));
    take_scheduler(world, scheduler, false);
    return B2D_OK;
}

b2d_status b2d_world_set_workers(b2d_world* world, int32_t workers) {
    if (workers < 1 || workers > 64) return b2d_out_of_range(1.0, 64.0, B2D_ARG_WORKERS);
    B2D_TRY(b2d_open_write(world));
    B2D_LOG_NOTHING(world);
    return b2d_close_write(world, set_workers(world, workers));
}

static b2d_status share_scheduler(b2d_world* world, b2d_scheduler* scheduler) {
    if (scheduler == world->scheduler) return B2D_OK;
    b2d_scheduler_hold(scheduler);
    take_scheduler(world, scheduler, true);
    return B2D_OK;
}

b2d_status b2d_world_set_scheduler(b2d_world* world, b2d_scheduler* scheduler) {
    if (scheduler == NULL) return b2d_error(B2D_OUT_OF_RANGE, B2D_ARG_WORKERS);
    B2D_TRY(b2d_open_write(world));
    B2D_LOG_NOTHING(world);
    return b2d_close_write(world, share_scheduler(world, scheduler));
}

int32_t b2d_world_workers(b2d_world* world) { return b2d_scheduler_workers(world->scheduler); }
int32_t b2d_world_simd(b2d_world* world) { return world->simd; }
int32_t b2d_world_broadphase(b2d_world* world) { return world->broadphase_kind; }
int32_t b2d_world_narrowphase(b2d_world* world) { return world->narrowphase_kind; }
int32_t b2d_world_islands(b2d_world* world) { return world->islands_kind; }
int32_t b2d_world_schedule(b2d_world* world) { return world->schedule_kind; }
int32_t b2d_world_warm_start(b2d_world* world) { return world->warm_start_kind; }
uint32_t b2d_world_lab(b2d_world* world) { return world->lab; }

b2d_status b2d_world_reserve(b2d_world* world, int32_t bodies, int32_t shapes, int32_t contacts, int32_t joints) {
    const b2d_object_counts most = {bodies, shapes, contacts, joints};
    const int32_t limit = 1 << 26;
    if (bodies < 0 || shapes < 0 || contacts < 0 || joints < 0 || bodies > limit || shapes > limit ||
        contacts > limit || joints > limit)
        return b2d_error(B2D_OUT_OF_RANGE, B2D_ARG_VALUE);
    B2D_TRY(b2d_open_write(world));
    B2D_LOG_NOTHING(world);
    const bool done = b2d_world_reserve_objects(world, &most);
    return b2d_close_write(world, done ? B2D_OK : b2d_error(B2D_NO_MEMORY, B2D_ARG_NONE));
}

b2d_status b2d_world_most(b2d_world* world, int32_t out[4]) {
    B2D_TRY(b2d_open_read(world));
    const b2d_object_counts most = b2d_world_most_objects(world);
    out[0] = most.bodies, out[1] = most.shapes, out[2] = most.contacts, out[3] = most.joints;
    return b2d_close_read(world, B2D_OK);
}

// Counters

static void count_colors(const b2d_graph* graph, b2d_counters* out) {
    for (int32_t color = 0; color < B2D_COLORS; color++) out->colors += graph->color_blocks[color] > 0;
    out->overflow_contacts = b2d_overflow_count(graph->overflow_contact_list);
    B2D_FOR_BITS (&graph->overflow_joints, id) out->direct_joints += (graph->joints[id].flags & B2D_JOINT_DIRECT) != 0;
    out->overflow_joints = b2d_overflow_count(graph->overflow_joint_list) - out->direct_joints;
}

b2d_status b2d_world_steps(b2d_world* world, int64_t* out) {
    B2D_TRY(b2d_open_read(world));
    *out = world->counters.steps;
    return b2d_close_read(world, B2D_OK);
}

b2d_status b2d_world_counters(b2d_world* world, b2d_counters* out) {
    B2D_TRY(b2d_open_read(world));
    const b2d_graph* graph = &world->graph;
    *out = world->counters;
    out->bodies = world->body_ids.count;
    out->awake_bodies = b2d_bits_count(&graph->awake);
    out->shapes = world->shape_ids.count;
    out->contacts = graph->contact_ids.count;
    out->touching = graph->touching;
    out->joints = graph->joint_ids.count;
    out->islands = graph->island_ids.count;
    out->chains = world->chain_ids.count;
    out->sensors = b2d_bits_count(&world->sensors);
    out->sensor_overlaps = world->overlaps.count - world->overlaps.refused;
    out->awake_islands = out->colors = 0;
    for (int32_t id = b2d_id_pool_next(&graph->island_ids, 0); id != B2D_NONE;
         id = b2d_id_pool_next(&graph->island_ids, id + 1))
        out->awake_islands += graph->islands[id].body_count > 0 &&
                              b2d_is_awake(graph, b2d_island_bodies(&graph->islands[id])[0]);
    count_colors(graph, out);
    out->bytes = world->memory.bytes;
    out->peak_bytes = world->memory.peak_bytes;
    if (world->own_scratch != NULL) {
        out->bytes += b2d_scratch_bytes(world->own_scratch);
        out->peak_bytes += b2d_scratch_bytes(world->own_scratch);
    }
    return b2d_close_read(world, B2D_OK);
}

b2d_status b2d_world_last_dt(b2d_world* world, double* dt) {
    B2D_TRY(b2d_open_read(world));
    *dt = (double)world->last_dt;
    return b2d_close_read(world, B2D_OK);
}

b2d_status b2d_world_profile(b2d_world* world, b2d_profile* out) {
    B2D_TRY(b2d_open_read(world));
    *out = world->profile;
    return b2d_close_read(world, B2D_OK);
}

b2d_status b2d_world_trace(b2d_world* world, int32_t room, bool alone) {
    if (room < 0 || room > 1000000) return b2d_error(B2D_OUT_OF_RANGE, B2D_ARG_VALUE);
    B2D_TRY(b2d_open_write(world));
    B2D_LOG_NOTHING(world);
    bool done = b2d_scheduler_trace(world->scheduler, room, alone);
    return b2d_close_write(world, done ? B2D_OK : b2d_error(B2D_LOCKED, B2D_ARG_WORLD));
}

b2d_status b2d_world_spans(b2d_world* world, b2d_span* out, int32_t room, int32_t* count) {
    B2D_TRY(b2d_open_read(world));
    *count = b2d_scheduler_spans(world->scheduler, out, room);
    return b2d_close_read(world, *count < 0 ? b2d_error(B2D_LOCKED, B2D_ARG_WORLD) : B2D_OK);
}

// Lists and copies

b2d_status b2d_world_bounds(b2d_world* world, double out[4]) {
    B2D_TRY(b2d_open_read(world));
    bool first = true;
    out[0] = out[1] = out[2] = out[3] = 0.0;
    for (int32_t id = b2d_id_pool_next(&world->shape_ids, 0); id != B2D_NONE;
         id = b2d_id_pool_next(&world->shape_ids, id + 1)) {
        const b2d_shape_hot* hot = &world->shapes_hot[id];
        b2d_box box = b2d_shape_box(hot, b2d_world_second(world, hot), b2d_world_pose(world, hot->body));
        if (first || box.min_x < out[0]) out[0] = box.min_x;
        if (first || box.min_y < out[1]) out[1] = box.min_y;
        if (first || box.max_x > out[2]) out[2] = box.max_x;
        if (first || box.max_y > out[3]) out[3] = box.max_y;
        first = false;
    }
    return b2d_close_read(world, B2D_OK);
}

typedef struct id_kind {
    const b2d_id_pool* pool; // NULL if there is no such kind
    const uint64_t* generations;
    int32_t rows; // rows with a generation: the limit of the pool, except ids whose creation found no memory for a row
} id_kind;

static id_kind kind_of(const b2d_world* world, int32_t kind) {
    const b2d_graph* g = &world->graph;
    id_kind found = {0};
    switch (kind) {
    case B2D_KIND_BODY:
        found = (id_kind){&world->body_ids, world->body_generations, world->body_generation_capacity};
        break;
    case B2D_KIND_SHAPE:
        found = (id_kind){&world->shape_ids, world->shape_generations, world->shape_generation_capacity};
        break;
    case B2D_KIND_JOINT: found = (id_kind){&g->joint_ids, g->joint_generations, g->joint_generation_capacity}; break;
    case B2D_KIND_CONTACT:
        found = (id_kind){&g->contact_ids, g->contact_generations, g->contact_generation_capacity};
        break;
    case B2D_KIND_ISLAND:
        found = (id_kind){&g->island_ids, g->island_generations, g->island_generation_capacity};
        break;
    case B2D_KIND_CHAIN:
        found = (id_kind){&world->chain_ids, world->chain_generations, world->chain_generation_capacity};
        break;
    default: return found;
    }
    found.rows = b2d_min_int(found.rows, found.pool->limit);
    return found;
}

b2d_status b2d_world_list(b2d_world* world, int32_t kind, b2d_handle* out, int32_t room, int32_t* count) {
    B2D_TRY(b2d_open_read(world));
    id_kind ids = kind_of(world, kind);
    if (ids.pool == NULL) return b2d_close_read(world, b2d_error(B2D_OUT_OF_RANGE, B2D_ARG_TYPE));
    *count = ids.pool->count;
    int32_t written = 0;
    for (int32_t id = b2d_id_pool_next(ids.pool, 0); id != B2D_NONE && written < room;
         id = b2d_id_pool_next(ids.pool, id + 1))
        out[written++] = (b2d_handle){ids.generations[id], id, kind};
    return b2d_close_read(world, B2D_OK);
}

b2d_status b2d_world_list_from(b2d_world* world, int32_t kind, int32_t from, uint64_t* newest, b2d_handle* out,
                               int32_t room, int32_t* count) {
    B2D_TRY(b2d_open_read(world));
    id_kind ids = kind_of(world, kind);
    if (ids.pool == NULL) return b2d_close_read(world, b2d_error(B2D_OUT_OF_RANGE, B2D_ARG_TYPE));
    if (*newest == 0) *newest = world->graph.generation;
    *count = 0;
    for (int32_t id = b2d_id_pool_next(ids.pool, from < 0 ? 0 : from); id != B2D_NONE && *count < room;
         id = b2d_id_pool_next(ids.pool, id + 1))
        if (ids.generations[id] <= *newest) out[(*count)++] = (b2d_handle){ids.generations[id], id, kind};
    return b2d_close_read(world, B2D_OK);
}

typedef struct event_rows {
    const void* rows;
    int32_t count;
    size_t size; // bytes per row; 0 if there is no such event
} event_rows;

static event_rows rows_of(const b2d_world* world, int32_t event) {
    switch (event) {
#define B2D_EVENT(KIND, name, list, ...) \
    case B2D_EVENT_##KIND: return (event_rows){world->list.rows, world->list.count, sizeof *world->list.rows};
#include "lists/events.def"
#undef B2D_EVENT
    default: return (event_rows){NULL, 0, 0};
    }
}

b2d_status b2d_world_events(b2d_world* world, int32_t event, const void** data, int32_t* count) {
    B2D_TRY(b2d_open_read(world));
    event_rows found = rows_of(world, event);
    *data = found.rows;
    *count = found.count;
    return b2d_close_read(world, found.size > 0 ? B2D_OK : b2d_error(B2D_OUT_OF_RANGE, B2D_ARG_TYPE));
}

b2d_status b2d_world_copy_events(b2d_world* world, int32_t event, void* out, int64_t room, int32_t* count) {
    B2D_TRY(b2d_open_read(world));
    event_rows found = rows_of(world, event);
    *count = found.count;
    size_t bytes = found.size * (size_t)found.count;
    if (bytes > 0 && (int64_t)bytes <= room) memcpy(out, found.rows, bytes);
    return b2d_close_read(world, found.size > 0 ? B2D_OK : b2d_error(B2D_OUT_OF_RANGE, B2D_ARG_TYPE));
}

b2d_status b2d_world_living(b2d_world* world, int32_t kind, int32_t n, const uint64_t* generations,
                            const int32_t* indices, bool* out) {
    B2D_TRY(b2d_open_read(world));
    id_kind ids = kind_of(world, kind);
    if (ids.pool == NULL || n < 0) return b2d_close_read(world, b2d_error(B2D_OUT_OF_RANGE, B2D_ARG_TYPE));
    for (int32_t k = 0; k < n; k++)
        out[k] = generations[k] != 0 && indices[k] >= 0 && indices[k] < ids.rows &&
                 ids.generations[indices[k]] == generations[k];
    return b2d_close_read(world, B2D_OK);
}

b2d_status b2d_world_gather(b2d_world* world, int32_t body_property, double* out, int32_t rows, int32_t* count) {
    const size_t width = (size_t)b2d_body_property_width(body_property);
    if (width == 0) return b2d_error(B2D_OUT_OF_RANGE, B2D_ARG_OPTION);
    B2D_TRY(b2d_open_read(world));
    *count = kind_of(world, B2D_KIND_BODY).rows;
    for (int32_t id = 0; id < rows && id < *count; id++)
        if (world->body_generations[id] == 0) memset(out + width * (size_t)id, 0, width * sizeof *out);
        else (void)b2d_world_read_body_property(world, id, body_property, out + width * (size_t)id);
    return b2d_close_read(world, B2D_OK);
}

// Tables and generations

_Static_assert(offsetof(b2d_world, writes) == offsetof(b2d_world, tables_state) + sizeof(uint64_t), "they follow");
const uint64_t* b2d_world_tables_state(b2d_world* world) { return (const void*)&world->tables_state; }

uint32_t b2d_world_tables_version(b2d_world* world) {
    return (uint32_t)atomic_load_explicit(&world->tables_state, memory_order_acquire);
}

static b2d_shared* table_of(b2d_world* world, int32_t table) {
    return table == B2D_TABLE_POSE ? &world->poses : table == B2D_TABLE_STATE ? &world->states : NULL;
}

b2d_status b2d_world_table(b2d_world* world, int32_t table, b2d_table* out) {
    B2D_TRY(b2d_open_read(world));
    const b2d_shared* shared = table_of(world, table);
    if (shared == NULL) return b2d_close_read(world, b2d_error(B2D_OUT_OF_RANGE, B2D_ARG_TYPE));
    *out = (b2d_table){shared->data, kind_of(world, B2D_KIND_BODY).rows, shared->capacity, shared->stride,
                       b2d_world_tables_version(world)};
    return b2d_close_read(world, B2D_OK);
}

void* b2d_world_acquire_table(b2d_world* world, int32_t table) {
    if (b2d_open_read(world) != B2D_OK) return NULL;
    b2d_shared* shared = table_of(world, table);
    void* block = shared == NULL ? NULL : b2d_shared_acquire(shared);
    b2d_end_read(world);
    return block;
}

const uint64_t* b2d_world_generations(b2d_world* world, int32_t kind, int32_t* count) {
    id_kind ids = kind_of(world, kind);
    *count = ids.rows;
    return ids.generations;
}

// The scratch of a call and each of its workers have limits of their own, equal to that of the world.
void b2d_world_fail_allocation(b2d_world* world, int64_t after) { world->memory.fail_after = after; }

b2d_status b2d_world_split_islands(b2d_world* world, int32_t* made) {
    B2D_TRY(b2d_open_write(world));
    b2d_graph* graph = &world->graph;
    if (!b2d_lease_scratch(world)) return b2d_close_write(world, b2d_error(B2D_NO_MEMORY, B2D_ARG_NONE));
    b2d_status status = B2D_OK;
    *made = 0;
    for (int32_t id = 0, limit = graph->island_ids.limit; id < limit && status == B2D_OK; id++) {
        if (!b2d_id_pool_has(&graph->island_ids, id) || graph->islands[id].removals == 0) continue;
        int32_t parts = 0;
        if (b2d_island_split(graph, &world->scratch->arena, id, &parts)) *made += parts;
        else status = b2d_error(B2D_NO_MEMORY, B2D_ARG_NONE);
    }
    B2D_LOG(world, status, B2D_LOGGED_SPLIT_ISLANDS);
    return b2d_close_write(world, status);
}
