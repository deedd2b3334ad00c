// csrc/step/continuous.c - continuous collision: sweeps fast bodies against static shapes. relative.c sweeps moving
// bodies against moving bodies.
//
// Idea: the motion of the step is cut at the earliest time of impact. Velocities do not change, but where a centroid
// would enter a wall (`slide`), so the contact solver responds in the next step, within the speculative margin. In the
// sweep against static shapes a body writes only its own rows and reads rows that no other worker writes. So the order
// of bodies has no influence, and they run in parallel. Candidates are sorted by id, because each hit shortens the
// interval that later candidates are tested against.
// When a sweep against moving bodies follows, fast bodies keep their starting poses until relative.c has cut their
// motions a second time. Then the states of all bodies keep their motions, which this stage clears at its end.
#include "step/continuous.h"

#include "base/lower_bound.h"
#include "objects/callback.h"
#include "objects/contact.h"
#include "objects/proxy.h"
#include "solver/impact_row.h"
#include "step/impact.h"
#include "step/motion.h"
#include "step/plates.h"
#include "step/relative.h"

#include <stdlib.h>
#include <string.h>

typedef struct continuous_job {
    b2d_world* world;
    const int32_t* fast;
    float* fractions; // one for each body of `fast`; NULL: each body is moved at once
    bool calls_back;  // a callback may decide about a sweep
    uint32_t classes; // of what does not move
} continuous_job;

static bool add_candidate(void* context, int32_t shape) {
    b2d_finalize_worker* out = context;
    if (!B2D_GROW(out->memory, out->candidates, out->candidate_capacity, out->candidate_count + 1)) {
        out->failed = true;
        return false;
    }
    out->candidates[out->candidate_count++] = shape;
    return true;
}

static int compare_ids(const void* a, const void* b) {
    int32_t x = *(const int32_t*)a, y = *(const int32_t*)b;
    return (x > y) - (x < y);
}

typedef struct still_search {
    const b2d_world* world;
    bool found;
} still_search;

static bool is_still(const b2d_world* world, int32_t shape) { // static, or kinematic and asleep
    return world->graph.bodies[world->shapes_hot[shape].body].type != B2D_DYNAMIC;
}

static bool note_still(void* context, int32_t shape) {
    still_search* s = context;
    s->found = is_still(s->world, shape);
    return !s->found;
}

static bool meets_still(const b2d_world* world, int32_t id, b2d_box box, uint32_t classes) {
    still_search search = {world, false};
    b2d_world_query_near(world, id, box, classes, note_still, &search);
    return search.found;
}

float b2d_travel(const b2d_world* world, int32_t id) {
    const b2d_body_state* state = (const b2d_body_state*)world->states.data + id;
    return b2d_length(b2d_v(state->dx, state->dy)) + b2d_abs(state->angle) * world->graph.bodies[id].extent;
}

// In twice its width a body could pass many that it should hit. From less on, the search costs more than all else in
// scenes with hundreds of such bodies (docs/decisions/continuous.md). Parts of a ragdoll are held back by the others.
bool b2d_moves_far(const b2d_world* world, int32_t id) {
    const b2d_body* body = &world->graph.bodies[id];
    const float safety = B2D_FAR * world->masses[id].safety_factor;
    return body->joint_count == 0 && b2d_travel(world, id) > safety * body->min_extent;
}

bool b2d_sweeps_always(const b2d_world* world, int32_t id) {
    return world->options[B2D_OPTION_CONTINUOUS] == 2.0 || (world->graph.bodies[id].flags & B2D_BODY_FLAG_BULLET) != 0;
}

bool b2d_is_sweeper(const b2d_world* world, int32_t id) {
    return b2d_sweeps_always(world, id) || b2d_moves_far(world, id);
}

b2d_box b2d_path_box(const b2d_world* world, int32_t id, bool moved) {
    const b2d_pose* pose = (const b2d_pose*)world->poses.data + id;
    const b2d_body_state* state = (const b2d_body_state*)world->states.data + id;
    b2d_vec2 center = b2d_pose_center(pose);
    double x = pose->x + (double)center.x, y = pose->y + (double)center.y,
           r = 1.001 * (double)world->graph.bodies[id].extent + 0.02 * (double)b2d_linear_slop(world);
    double dx = moved ? -(double)state->dx : (double)state->dx, dy = moved ? -(double)state->dy : (double)state->dy;
    return (b2d_box){b2d_round_down((dx < 0.0 ? x + dx : x) - r), b2d_round_down((dy < 0.0 ? y + dy : y) - r),
                     b2d_round_up((dx > 0.0 ? x + dx : x) + r), b2d_round_up((dy > 0.0 ? y + dy : y) + r)};
}

// Most fast bodies fall through empty space. Only those with a static shape near their path are swept.
uint32_t b2d_may_hit(const b2d_world* world, const int32_t* ids, uint32_t asked, bool kinematic_sleeps,
                     bool* sweeps_moving) {
    const uint32_t asleep = kinematic_sleeps ? 1u << B2D_PROXY_ASLEEP : 0;
    uint32_t sweepers = 0, others = 0, found = 0, classes = 1u << B2D_PROXY_STATIC | asleep;
    b2d_box_rows boxes; // only of the others
    for (; asked != 0; asked &= asked - 1) {
        const int32_t k = b2d_ctz64(asked), id = ids[k];
        if (world->graph.bodies[id].shape_head == B2D_NONE) continue;
        if (b2d_is_sweeper(world, id)) sweepers |= 1u << k;
        else if (world->static_shapes > 0 || kinematic_sleeps) {
            const b2d_box box = b2d_path_box(world, id, false);
            boxes.min_x[k] = box.min_x, boxes.min_y[k] = box.min_y, boxes.max_x[k] = box.max_x,
            boxes.max_y[k] = box.max_y;
            others |= 1u << k;
        }
    }
    if (sweepers != 0) *sweeps_moving = true;
    if (others == 0) return sweepers;
    if (world->broadphase_table->meets_static != NULL && world->graph.cells.count == 0) {
        found = world->broadphase_table->meets_static(world->broadphase, &boxes, others);
        classes = asleep;
    }
    for (uint32_t left = classes == 0 ? 0 : others & ~found; left != 0; left &= left - 1) {
        const int32_t k = b2d_ctz64(left);
        found |= (uint32_t)meets_still(world, ids[k], b2d_box_row(&boxes, k), classes) << k;
    }
    return sweepers | found;
}

// Gives the body its final pose. The motion of the step is used up.
static void set_final_pose(b2d_world* world, int32_t id, const b2d_pose* at, int32_t turns, b2d_bits* moved) {
    b2d_body_state* state = b2d_world_state(world, id);
    *b2d_world_pose(world, id) = *at;
    world->graph.bodies[id].turns = turns;
    state->dx = state->dy = state->angle = 0.0f;
    b2d_refresh_boxes(world, id, moved);
}

// Of gravity and the forces of the step.
static b2d_vec2 acceleration_of(const b2d_world* world, int32_t id) {
    const b2d_body_mass* mass = &world->masses[id];
    const b2d_body_state* state = (const b2d_body_state*)world->states.data + id;
    const b2d_cells* cells = &world->graph.cells;
    const b2d_vec2 gravity = cells->count > 0 ? world->cell_gravities[b2d_cell_of_body(cells, id)]
                                              : b2d_v(b2d_option(world, B2D_OPTION_GRAVITY_X),
                                                      b2d_option(world, B2D_OPTION_GRAVITY_Y));
    const uint32_t flags = world->graph.bodies[id].flags;
    if (state->inverse_mass == 0.0f) return b2d_v(0.0f, 0.0f);
    return b2d_v(
        flags & B2D_BODY_FLAG_LOCK_X ? 0.0f : mass->gravity_scale * gravity.x + state->inverse_mass * mass->force_x,
        flags & B2D_BODY_FLAG_LOCK_Y ? 0.0f : mass->gravity_scale * gravity.y + state->inverse_mass * mass->force_y);
}

// A body that stops on its way has the speed that it had there: with gravity of the whole step, an elastic ball would
// bounce higher each time. A body that something else holds does not move along gravity and keeps its speed.
static void lose_rest(b2d_world* world, int32_t id, float rest) {
    b2d_body_state* state = b2d_world_state(world, id);
    float owed;
    const b2d_vec2 v = b2d_velocity_moved(b2d_v(state->vx, state->vy), acceleration_of(world, id),
                                          b2d_v(-rest * state->dx, -rest * state->dy), world->graph.impulse_h, &owed);
    state->vx = v.x, state->vy = v.y;
}

void b2d_stop_at(b2d_world* world, int32_t id, float fraction, b2d_bits* moved) {
    if (fraction < 1.0f) lose_rest(world, id, 1.0f - fraction);
    b2d_move_by(world, id, fraction, moved);
}

void b2d_move_by(b2d_world* world, int32_t id, float fraction, b2d_bits* moved) {
    const b2d_body_state* state = b2d_world_state(world, id);
    b2d_motion* motion = b2d_world_motion(world, id);
    b2d_pose at = *b2d_world_pose(world, id);
    b2d_body body = world->graph.bodies[id];
    if (motion != NULL) motion->dx *= fraction, motion->dy *= fraction, motion->angle *= fraction;
    b2d_move_pose(&at, &body, fraction * state->dx, fraction * state->dy, fraction * state->angle);
    set_final_pose(world, id, &at, body.turns, moved);
}

// Whether a callback may decide about a sweep. A pair that has a contact has already passed the filter.
static bool filter_decides(const b2d_world* world, uint64_t key) {
    return b2d_world_has_call(world, B2D_CALL_FILTER) && b2d_pair_set_find(&world->graph.pair_set, key) == B2D_NONE;
}
static bool presolve_decides(const b2d_world* world, int32_t a, int32_t b) {
    return b2d_world_has_call(world, B2D_CALL_PRESOLVE) &&
           ((world->shapes[a].flags | world->shapes[b].flags) & B2D_SHAPE_FLAG_PRESOLVE) != 0;
}

// Whether the user has disabled the contact of two shapes in this step.
static bool is_disabled(const b2d_world* world, uint64_t key) {
    if (world->disabled_count == 0) return false;
    const int32_t at = b2d_lower_bound(world->disabled, sizeof *world->disabled, world->disabled_count, key);
    return at < world->disabled_count && world->disabled[at] == key;
}

// The fraction of the motion at which the shape meets `other`. A hit about which a callback decides is recorded
// instead.
static float meet(const continuous_job* job, b2d_finalize_worker* out, const b2d_traveller* fast, int32_t other,
                  const b2d_pose* start, float limit, b2d_toi* found) {
    b2d_world* world = job->world;
    const int32_t shape = fast->shape;
    b2d_toi toi = {0};
    uint64_t key = b2d_pair_key(shape, other);
    if (is_disabled(world, key) || (job->calls_back && b2d_world_is_refused(world, key))) return limit;
    const b2d_way way = b2d_way_of_still(b2d_world_pose(world, world->shapes_hot[other].body), start);
    float fraction = b2d_impact(world, fast, other, &way, limit, &toi);
    if (!job->calls_back || fraction >= limit ||
        !(filter_decides(world, key) || presolve_decides(world, shape, other))) {
        if (fraction < limit) *found = toi;
        return fraction;
    }
    if (!B2D_GROW(out->memory, out->hits, out->hit_capacity, out->hit_count + 1)) {
        out->failed = true;
        return limit;
    }
    out->hits[out->hit_count++] = (b2d_swept_hit){start->x + (double)toi.point.x,
                                                  start->y + (double)toi.point.y,
                                                  toi.normal,
                                                  fraction,
                                                  world->shapes_hot[shape].body,
                                                  shape,
                                                  other};
    return limit;
}

static void sort_ids(int32_t* ids, int32_t count) {
    if (count > 16) {
        qsort(ids, (size_t)count, sizeof *ids, compare_ids);
        return;
    }
    for (int32_t i = 1; i < count; i++) {
        int32_t id = ids[i], k = i;
        for (; k > 0 && ids[k - 1] > id; k--) ids[k] = ids[k - 1];
        ids[k] = id;
    }
}

// The box of everything that the shape may meet during its motion: the boxes at both ends, extended by the deviation of
// an arc from its chord and by the distance at which the small core stops.
b2d_box b2d_swept_box(const b2d_world* world, int32_t shape, const b2d_pose* from, const b2d_pose* to, float reach,
                      float angle) {
    const b2d_shape_hot* hot = &world->shapes_hot[shape];
    const b2d_hull4* second = b2d_world_second(world, hot);
    b2d_box a = b2d_shape_box(hot, second, from), b = b2d_shape_box(hot, second, to);
    b2d_box both = {b2d_min(a.min_x, b.min_x), b2d_min(a.min_y, b.min_y), b2d_max(a.max_x, b.max_x),
                    b2d_max(a.max_y, b.max_y)};
    return b2d_box_grow(both, 5.0f * b2d_linear_slop(world) + 0.01f * hot->extent +
                                  reach * b2d_min(0.125f * angle * angle, 2.0f));
}

// The fraction of its motion that the body may complete, and the time of impact.
static float find_stop(const continuous_job* job, b2d_finalize_worker* out, int32_t id, const b2d_pose* after,
                       b2d_toi* found) {
    b2d_world* world = job->world;
    const b2d_body* body = &world->graph.bodies[id];
    const b2d_body_state* state = b2d_world_state(world, id);
    const b2d_pose* pose = b2d_world_pose(world, id);
    b2d_vec2 center = b2d_pose_center(pose);
    b2d_sweep sweep = {.local_center = {pose->cx, pose->cy},
                       .c1 = center,
                       .c2 = b2d_add(center, b2d_v(state->dx, state->dy)),
                       .q1 = {pose->c, pose->s},
                       .angle = state->angle};
    b2d_transform begin = b2d_sweep_at(&sweep, 0.0f), end = b2d_sweep_at(&sweep, 1.0f);
    float fraction = 1.0f;
    for (int32_t shape = body->shape_head; shape != B2D_NONE; shape = world->shapes[shape].next) {
        if (world->proxies.proxy_class[shape] == B2D_PROXY_NONE) continue;
        out->candidate_count = 0;
        b2d_world_query_near(world, id, b2d_swept_box(world, shape, pose, after, body->extent, state->angle),
                             job->classes, add_candidate, out);
        out->candidate_most = b2d_max_int(out->candidate_most, out->candidate_count);
        if (out->candidate_count == 0) continue;
        sort_ids(out->candidates, out->candidate_count);
        b2d_traveller fast;
        b2d_traveller_make(world, shape, &sweep, begin, end, &fast);
        for (int32_t c = 0; c < out->candidate_count; c++) {
            int32_t other = out->candidates[c];
            if (is_still(world, other) && b2d_world_pair_allowed(world, shape, other))
                fraction = meet(job, out, &fast, other, pose, fraction, found);
        }
    }
    return fraction;
}

// Where the centroid of a body would enter another shape, the body loses its speed into that shape and slides along it:
// the rest of its motion into the shape is left out. So what rests with one end in the ground turns on and gets out;
// its contact may separate there, and then the solver does not stop the rest. False: nothing of the motion changes.
static bool slide(b2d_world* world, int32_t id, const b2d_toi* found) {
    b2d_body_state* state = b2d_world_state(world, id);
    const uint32_t flags = world->graph.bodies[id].flags;
    const b2d_vec2 normal = b2d_v(flags & B2D_BODY_FLAG_LOCK_X ? 0.0f : found->normal.x,
                                  flags & B2D_BODY_FLAG_LOCK_Y ? 0.0f : found->normal.y);
    const float speed = found->normal.x * state->vx + found->normal.y * state->vy,
                way = (1.0f - found->fraction) * (found->normal.x * state->dx + found->normal.y * state->dy);
    if (speed < 0.0f) state->vx -= speed * normal.x, state->vy -= speed * normal.y;
    if (way >= 0.0f) return false;
    state->dx -= way * normal.x, state->dy -= way * normal.y;
    b2d_motion* motion = b2d_world_motion(world, id);
    if (motion != NULL) motion->dx = state->dx, motion->dy = state->dy;
    return true;
}

// As find_stop. Sets the pose after the whole motion, which may have become shorter.
static float sweep_body(const continuous_job* job, b2d_finalize_worker* out, int32_t id, b2d_pose* after,
                        b2d_body* body_after) {
    b2d_world* world = job->world;
    const b2d_body_state* state = b2d_world_state(world, id);
    const int32_t hits = out->hit_count;
    float fraction = 1.0f;
    for (int32_t again = 0; again < 2; again++) {
        b2d_toi found = {0};
        *after = *b2d_world_pose(world, id);
        *body_after = world->graph.bodies[id]; // a trial move must not change the count of turns
        b2d_move_pose(after, body_after, state->dx, state->dy, state->angle);
        out->hit_count = hits;
        fraction = find_stop(job, out, id, after, &found);
        if (found.state != B2D_TOI_OVERLAPPED || !slide(world, id, &found)) break;
    }
    return out->failed ? 0.0f : fraction; // without memory the body keeps its pose in this step
}

static void sweep_bodies(void* context, int32_t begin, int32_t end, int32_t worker) {
    const continuous_job* job = context;
    b2d_world* world = job->world;
    b2d_finalize_worker* out = &world->scratch->finalize_workers[worker];
    for (int32_t k = begin; k < end; k++) {
        const int32_t id = job->fast[k];
        b2d_pose after;
        b2d_body body_after;
        const float fraction = sweep_body(job, out, id, &after, &body_after);
        if (job->fractions != NULL) job->fractions[k] = fraction;
        else if (fraction < 1.0f) b2d_stop_at(world, id, fraction, &out->moved);
        else set_final_pose(world, id, &after, body_after.turns, &out->moved);
    }
}

// Callbacks are called in ascending order of bodies, and for each body along its path, so that they are called only for
// shapes that the body would reach.
static int compare_hits(const void* a, const void* b) {
    const b2d_swept_hit *x = a, *y = b;
    if (x->body != y->body) return (x->body > y->body) - (x->body < y->body);
    if (x->fraction != y->fraction) return (x->fraction > y->fraction) - (x->fraction < y->fraction);
    if (x->other != y->other) return (x->other > y->other) - (x->other < y->other);
    return (x->shape > y->shape) - (x->shape < y->shape);
}

bool b2d_swept_hit_stops(b2d_world* world, const b2d_swept_hit* hit) {
    uint64_t key = b2d_pair_key(hit->shape, hit->other);
    if (is_disabled(world, key)) return false;
    if (filter_decides(world, key) && (b2d_world_is_refused(world, key) || !b2d_world_call_filter_for_pair(world, key)))
        return false;
    if (!presolve_decides(world, hit->shape, hit->other)) return true;
    int32_t a = hit->other, b = hit->shape;
    b2d_contact_data data = {.generation_a = world->shape_generations[a],
                             .generation_b = world->shape_generations[b],
                             .contact = B2D_NONE,
                             .shape_a = a,
                             .shape_b = b,
                             .body_a = world->shapes_hot[a].body,
                             .body_b = hit->body,
                             .point_count = 1,
                             .color = -1,
                             .awake = 1,
                             .px = {hit->x},
                             .py = {hit->y},
                             .normal_x = hit->normal.x,
                             .normal_y = hit->normal.y,
                             .feature = {0xFFFF, 0xFFFF}};
    const b2d_body_state *state_a = b2d_world_state(world, data.body_a), *state_b = b2d_world_state(world, data.body_b);
    data.velocity_x[0] = state_b->vx - state_a->vx;
    data.velocity_y[0] = state_b->vy - state_a->vy;
    return b2d_world_call_presolve(world, &data);
}

static bool decide_hits(b2d_world* world, const int32_t* ids, float* fractions, int32_t count) {
    int32_t total = 0, at = 0;
    for (int32_t w = 0; w < world->scratch->worker_count; w++) total += world->scratch->finalize_workers[w].hit_count;
    b2d_swept_hit* hits = b2d_arena_take(&world->scratch->arena, (size_t)(total + 1) * sizeof *hits);
    if (hits == NULL) return false;
    for (int32_t w = 0; w < world->scratch->worker_count; w++) {
        b2d_finalize_worker* out = &world->scratch->finalize_workers[w];
        // In the next step a single worker may find all hits, as with keys
        if (world->scratch->worker_count > 1) (void)B2D_GROW(out->memory, out->hits, out->hit_capacity, total);
        if (out->hit_count > 0) memcpy(hits + at, out->hits, (size_t)out->hit_count * sizeof *hits);
        at += out->hit_count;
    }
    qsort(hits, (size_t)total, sizeof *hits, compare_hits);
    int32_t next = 0;
    for (int32_t k = 0; k < count; k++)
        for (; next < total && hits[next].body == ids[k]; next++)
            if (hits[next].fraction < fractions[k] && b2d_swept_hit_stops(world, &hits[next]))
                fractions[k] = hits[next].fraction;
    b2d_world_sort_refused(world);
    return true;
}

static void move_bodies(void* context, int32_t begin, int32_t end, int32_t worker) {
    const continuous_job* job = context;
    b2d_world* world = job->world;
    for (int32_t k = begin; k < end; k++)
        b2d_stop_at(world, job->fast[k], job->fractions == NULL ? 0.0f : job->fractions[k],
                    &world->scratch->finalize_workers[worker].moved);
}

// NULL: the bodies keep their poses.
static void move_all(b2d_world* world, const int32_t* ids, float* fractions, int32_t count) {
    continuous_job job = {world, ids, fractions, false, 0};
    b2d_parallel_for(world->scheduler, move_bodies, &job, count, 32);
}

static uint32_t still_classes(const b2d_world* world) {
    const uint32_t asleep = b2d_bits_is_empty(&world->kinematics) ? 0 : 1u << B2D_PROXY_ASLEEP;
    return 1u << B2D_PROXY_STATIC | asleep;
}

// The fractions of their motions that the bodies may complete; NULL: the bodies have already been moved.
static float* sweep(b2d_world* world, const int32_t* ids, int32_t count, bool hold) {
    bool calls_back = b2d_world_has_call(world, B2D_CALL_FILTER) || b2d_world_has_call(world, B2D_CALL_PRESOLVE);
    continuous_job job = {world, ids, NULL, calls_back, still_classes(world)};
    hold = hold || calls_back;
    if (hold) job.fractions = b2d_arena_take(&world->scratch->arena, (size_t)(count + 1) * sizeof *job.fractions);
    if (hold && job.fractions == NULL) {
        world->step_failed = true;
        move_all(world, ids, NULL, count);
        return NULL;
    }
    for (int32_t w = 0; w < world->scratch->worker_count; w++) {
        world->scratch->finalize_workers[w].failed = false;
        world->scratch->finalize_workers[w].hit_count = 0;
    }
    b2d_parallel_for(world->scheduler, sweep_bodies, &job, count, 8);
    int32_t most = 0;
    for (int32_t w = 0; w < world->scratch->worker_count; w++) {
        world->step_failed = world->step_failed || world->scratch->finalize_workers[w].failed;
        most = b2d_max_int(most, world->scratch->finalize_workers[w].candidate_most);
    }
    // In the next step another worker may find as many candidates, and a steady state must not allocate memory
    for (int32_t w = 0; w < world->scratch->worker_count; w++) {
        b2d_finalize_worker* out = &world->scratch->finalize_workers[w];
        (void)B2D_GROW(out->memory, out->candidates, out->candidate_capacity, most);
    }
    if (calls_back && !decide_hits(world, ids, job.fractions, count)) {
        world->step_failed = true;
        move_all(world, ids, NULL, count);
        return NULL;
    }
    return job.fractions;
}

float b2d_sweep_carried(b2d_world* world, int32_t id) {
    const continuous_job job = {world, NULL, NULL, false, still_classes(world)};
    b2d_pose after;
    b2d_body body_after;
    return sweep_body(&job, &world->scratch->finalize_workers[0], id, &after, &body_after);
}

static void forget_motions(void* context, int32_t begin, int32_t end, int32_t worker) {
    (void)worker;
    const continuous_job* job = context;
    for (int32_t k = begin; k < end; k++) {
        b2d_body_state* state = b2d_world_state(job->world, job->fast[k]);
        state->dx = state->dy = state->angle = 0.0f;
    }
}

bool b2d_world_continuous(b2d_world* world, const int32_t* awake, int32_t awake_count, const b2d_platforms* platforms) {
    b2d_finalize_worker* found = &world->scratch->finalize_workers[0];
    b2d_bits *fast = &found->fast, *passing = &found->passing;
    const int32_t count = b2d_bits_count(fast);
    b2d_bits_clear(&world->swept);
    b2d_bits_merge(&world->swept, fast);
    world->counters.continuous_bodies += count;
    b2d_platform_pairs pairs;
    if (!b2d_list_platform_pairs(world, platforms, &pairs)) world->step_failed = true;
    b2d_bits_clear(&found->near);
    const bool works = count > 0 || !b2d_bits_is_empty(passing) || pairs.count > 0;
    if (works) {
        const b2d_crossings crossings = b2d_list_plates(world, &found->partners);
        const bool relative = found->sweeps_moving || crossings.reach > 0.0f || pairs.count > 0;
        int32_t* ids = b2d_arena_take(&world->scratch->arena, (size_t)(count + 1) * sizeof *ids);
        if (ids == NULL) world->step_failed = true; // the fast bodies keep their poses in this step
        else {
            b2d_bits_list(fast, 0, fast->word_count, ids);
            float* fractions = count > 0 || relative ? sweep(world, ids, count, relative) : NULL;
            if (fractions != NULL) {
                if (relative &&
                    !b2d_world_relative(world, awake, awake_count, ids, fractions, count, &crossings, &pairs))
                    world->step_failed = true;
                move_all(world, ids, fractions, count);
            }
        }
    }
    b2d_bits_clear(&found->partners);
    if (b2d_keeps_motions(world) || world->step_failed) { // a failed step may leave those of fast bodies
        continuous_job job = {world, awake, NULL, false, 0};
        b2d_parallel_for(world->scheduler, forget_motions, &job, awake_count, 1024);
    }
    if (found->pushes_fast) {
        B2D_FOR_BITS (fast, id) b2d_forget_forces(&world->masses[id]);
        B2D_FOR_BITS (passing, id) b2d_forget_forces(&world->masses[id]);
    }
    b2d_bits_clear(fast);
    b2d_bits_clear(passing);
    return works;
}
