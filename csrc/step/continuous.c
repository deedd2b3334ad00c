// csrc/step/continuous.c - continuous collision: fast bodies are swept against static shapes, bullets also against
// all other bodies that are no bullets.
//
// Idea: the motion of the step is cut at the earliest time of impact. Velocities stay as they are, so the contact
// solver answers in the next step, within the speculative margin. A body writes only its own rows and reads rows that
// no other worker writes (static shapes first; for bullets all others, which have reached their final poses). So the
// order of bodies has no influence, and they run in parallel. Candidates are sorted by id, because the interval
// shrinks as hits are found.
// A bullet is not swept against a moving body that it touches: the solver has moved both together, and a body that
// the bullet has pushed ends in its way. Resting and sliding contacts must not stop a body: a sweep that starts
// within the target distance uses a small core about the centroid of the shape instead, which cannot rest on
// anything.
#include "step/continuous.h"

#include "geometry/gjk.h"
#include "objects/callback.h"
#include "objects/contact.h"
#include "objects/one_way.h"
#include "objects/proxy.h"
#include "step/motion.h"

#include <stdlib.h>
#include <string.h>

typedef struct continuous_job {
    b2d_world* world;
    const int32_t* fast;
    const b2d_bits* bullets; // NULL while only statics are swept against
    float* fractions;        // of `fast`, when a callback may have a say; NULL: each moves at once
} continuous_job;

static bool note_candidate(void* context, int32_t shape) {
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

static bool note_one(void* context, int32_t shape) {
    (void)shape;
    *(bool*)context = true;
    return false;
}

// Most fast bodies fall through empty space. Their circle, swept, is asked for once; only those that may hit anything
// are swept.
bool b2d_may_hit(const b2d_world* world, int32_t id) {
    const b2d_body* body = &world->graph.bodies[id];
    if (body->shape_head == B2D_NONE) return false;
    if (body->flags & B2D_BODY_FLAG_BULLET) return true;
    if (world->static_shapes == 0) return false;
    const b2d_pose* pose = (const b2d_pose*)world->poses.data + id;
    const b2d_body_state* state = (const b2d_body_state*)world->states.data + id;
    b2d_vec2 center = b2d_pose_center(pose);
    double x = pose->x + (double)center.x, y = pose->y + (double)center.y,
           r = 1.001 * (double)body->extent + 0.02 * (double)b2d_linear_slop(world);
    double dx = (double)state->dx, dy = (double)state->dy;
    b2d_box box = {b2d_round_down((dx < 0.0 ? x + dx : x) - r), b2d_round_down((dy < 0.0 ? y + dy : y) - r),
                   b2d_round_up((dx > 0.0 ? x + dx : x) + r), b2d_round_up((dy > 0.0 ? y + dy : y) + r)};
    bool found = false;
    world->broadphase_table->query(world->broadphase, box, 1u << B2D_PROXY_STATIC, note_one, &found);
    return found;
}

// A shape of a fast body on its way: all that does not depend on what it may hit, relative to the body's start.
typedef struct traveller {
    const b2d_sweep* sweep;
    b2d_proxy core;                     // body coordinates
    b2d_transform begin, end;           // of the body
    b2d_vec2 from[8], to[8];            // the core's points at both ends of the way
    b2d_vec2 center, center_from;       // its centroid, body coordinates and at the beginning
    b2d_point64 points[8], first, last; // at the beginning, as the time of impact sees it; the centroid at both ends
    float bend;                         // how far the centroid's way may be from a straight line
    int32_t shape;
} traveller;

static void traveller_make(const b2d_world* world, int32_t shape, const b2d_sweep* sweep, b2d_transform begin,
                           b2d_transform end, traveller* t) {
    const b2d_shape_hot* hot = &world->shapes_hot[shape];
    t->sweep = sweep, t->begin = begin, t->end = end, t->shape = shape;
    t->core = b2d_shape_proxy(hot, b2d_world_second(world, hot));
    t->center = b2d_v(hot->center_x, hot->center_y);
    t->center_from = b2d_transform_point(begin, t->center);
    for (int32_t k = 0; k < t->core.count; k++) {
        t->from[k] = b2d_transform_point(begin, t->core.points[k]);
        t->to[k] = b2d_transform_point(end, t->core.points[k]);
    }
    b2d_proxy middle = {.points = {t->center}, .count = 1};
    b2d_point64 place[8];
    b2d_gjk_place(&t->core, begin, t->points);
    b2d_gjk_place(&middle, begin, place), t->first = place[0];
    b2d_gjk_place(&middle, end, place), t->last = place[0];
    // Of an arc from its chord
    t->bend = 0.125f * sweep->angle * sweep->angle * b2d_length(b2d_sub(t->center, sweep->local_center));
}

// A chain segment does not stop what starts behind it, nor what ends in front of it, but for a depth that contacts deal
// with.
static bool lets_pass(const b2d_shape_hot* segment, b2d_transform place, const traveller* fast, float slop) {
    b2d_vec2 normal = {segment->hull.nx[0], segment->hull.ny[0]};
    float front = segment->hull.offset[0];
    if (b2d_dot(normal, b2d_transform_invert(place, fast->center_from)) < front) return true;
    for (int32_t k = 0; k < fast->core.count; k++)
        if (b2d_dot(normal, b2d_transform_invert(place, fast->to[k])) - fast->core.radius < front - 2.0f * slop)
            return false;
    return true;
}

static double squared_gap(b2d_point64 p, b2d_point64 a, b2d_point64 b) { // of a point and a line of some length
    double ex = b.x - a.x, ey = b.y - a.y, x = p.x - a.x, y = p.y - a.y, along = x * ex + y * ey,
           squared = ex * ex + ey * ey;
    double part = along <= 0.0 ? 0.0 : along >= squared ? 1.0 : along / squared, gx = x - part * ex, gy = y - part * ey;
    return gx * gx + gy * gy;
}

static bool side_of(b2d_point64 p, b2d_point64 a, b2d_point64 b) {
    return (p.x - a.x) * (b.y - a.y) > (p.y - a.y) * (b.x - a.x);
}

// Are they surely nearer than `near`? Not all that are nearer are found to be.
static bool starts_near(const b2d_point64 ends[2], const traveller* fast, double near) {
    int32_t count = fast->core.count;
    for (int32_t k = 0; k < count; k++)
        if (squared_gap(fast->points[k], ends[0], ends[1]) <= near * near) return true;
    for (int32_t k = 0; k < count && count > 1; k++) {
        b2d_point64 p = fast->points[k], q = fast->points[k + 1 == count ? 0 : k + 1];
        if (squared_gap(ends[0], p, q) <= near * near || squared_gap(ends[1], p, q) <= near * near) return true;
        // They cross
        if (side_of(p, ends[0], ends[1]) != side_of(q, ends[0], ends[1]) &&
            side_of(ends[0], p, q) != side_of(ends[1], p, q))
            return true;
    }
    return false;
}

// What slides along a chain touches it when it starts and keeps its centroid away from it: it goes on, and no time of
// impact has to be found to see that. Both tests are on the safe side: what starts near is reported at fraction 0, and
// the small core at the centroid stays so far from the segment's line that it is reported nowhere.
static bool slides_on(const b2d_proxy* segment, b2d_transform place, const traveller* fast, float slop) {
    b2d_point64 ends[8];
    b2d_gjk_place(segment, place, ends);
    double ex = ends[1].x - ends[0].x, ey = ends[1].y - ends[0].y;
    double rounding = 1.0e-6 * (b2d_abs(place.p.x) + b2d_abs(place.p.y) + b2d_abs(fast->sweep->c2.x) +
                                b2d_abs(fast->sweep->c2.y));
    double least = (4.0 * slop + segment->radius + fast->bend + rounding) * sqrt(ex * ex + ey * ey);
    if ((fast->first.x - ends[0].x) * ey - (fast->first.y - ends[0].y) * ex < least) return false;
    if ((fast->last.x - ends[0].x) * ey - (fast->last.y - ends[0].y) * ex < least) return false;
    double radii = (double)segment->radius + fast->core.radius;
    return starts_near(ends, fast, (radii > slop ? radii - 0.5 * slop : 0.5 * slop) + 0.24 * slop);
}

// A one-way shape stops only what comes upon it from its side, or rests there already.
static bool goes_through(const b2d_world* world, int32_t fixed_shape, int32_t fast_shape, const b2d_toi* toi) {
    if (!((world->shapes[fixed_shape].flags | world->shapes[fast_shape].flags) & B2D_SHAPE_FLAG_ONE_WAY)) return false;
    int32_t contact = b2d_pair_set_find(&world->graph.pair_set, b2d_pair_key(fixed_shape, fast_shape));
    if (contact != B2D_NONE && world->graph.pairs[contact].flags & B2D_PAIR_TOUCHING) return false;
    return toi->state == B2D_TOI_OVERLAPPED ||
           !b2d_world_one_way_faces(world, fixed_shape, fast_shape, toi->normal, B2D_ONE_WAY_FACING);
}

// How deep the core is behind an edge, as a negative height over it.
static float height_over(b2d_vec2 normal, float offset, b2d_transform place, const b2d_vec2* points,
                         const b2d_proxy* core) {
    float least = 3.0e38f;
    for (int32_t k = 0; k < core->count; k++)
        least = b2d_min(least, b2d_dot(normal, b2d_transform_invert(place, points[k])));
    return least - core->radius - offset;
}

// A shape that slides along a side of another, no deeper than contacts resolve, stays in front of it. The next shape
// of a floor, which is no deeper under it either, must not stop it.
static bool slides_along(const b2d_world* world, const b2d_shape_hot* fixed, b2d_transform place, const traveller* fast,
                         float slop) {
    if (fixed->form == B2D_FORM_POINT) return false;
    const b2d_hull4* second = b2d_world_second(world, fixed);
    for (int32_t k = 0; k < fixed->count; k++) {
        const b2d_hull4* hull = k < 4 ? &fixed->hull : second;
        b2d_vec2 normal = {hull->nx[k & 3], hull->ny[k & 3]};
        float offset = hull->offset[k & 3] + fixed->radius,
              before = height_over(normal, offset, place, fast->from, &fast->core);
        if (before >= -2.0f * slop &&
            height_over(normal, offset, place, fast->to, &fast->core) >= b2d_min(before, 0.0f) - 0.5f * slop)
            return true;
    }
    return false;
}

// Time of impact of one shape of a fast body with one shape that stays, both relative to the fast body's start.
static float impact(b2d_world* world, const traveller* fast, int32_t fixed_shape, const b2d_pose* start, float limit,
                    b2d_toi* found) {
    const b2d_shape_hot* fixed = &world->shapes_hot[fixed_shape];
    const b2d_pose* pose = b2d_world_pose(world, fixed->body);
    b2d_vec2 at = {(float)(pose->x - start->x), (float)(pose->y - start->y)};
    b2d_transform place = {at, {pose->c, pose->s}};
    float slop = b2d_linear_slop(world);
    bool chain = fixed->form == B2D_FORM_CHAIN;
    if (chain ? lets_pass(fixed, place, fast, slop) : slides_along(world, fixed, place, fast, slop)) return limit;
    b2d_sweep still = {.local_center = {0.0f, 0.0f}, .c1 = at, .c2 = at, .q1 = place.q, .angle = 0.0f};
    b2d_proxy a = b2d_shape_proxy(fixed, b2d_world_second(world, fixed));
    if (chain && slides_on(&a, b2d_sweep_at(&still, 0.0f), fast, slop)) return limit;
    b2d_toi toi = b2d_time_of_impact(&a, &still, &fast->core, fast->sweep, limit, slop);
    if (toi.state == B2D_TOI_SEPARATED || goes_through(world, fixed_shape, fast->shape, &toi)) return limit;
    *found = toi;
    if (toi.state != B2D_TOI_OVERLAPPED && toi.fraction > 0.0f) return toi.fraction; // a failure is safe too
    b2d_proxy core = {.points = {fast->center}, .count = 1, .radius = 4.0f * slop};
    *found = toi = b2d_time_of_impact(&a, &still, &core, fast->sweep, limit, slop);
    return toi.state == B2D_TOI_HIT && toi.fraction > 0.0f ? toi.fraction : limit;
}

// The body is where it goes to; the motion of the step is used up.
static void arrive(b2d_world* world, int32_t id, const b2d_pose* at, int32_t turns, b2d_bits* moved) {
    b2d_body_state* state = b2d_world_state(world, id);
    *b2d_world_pose(world, id) = *at;
    world->graph.bodies[id].turns = turns;
    state->dx = state->dy = state->angle = 0.0f;
    b2d_refresh_boxes(world, id, moved);
}

static void move(b2d_world* world, int32_t id, float fraction, b2d_bits* moved) {
    const b2d_body_state* state = b2d_world_state(world, id);
    b2d_motion* motion = b2d_world_motion(world, id);
    b2d_pose at = *b2d_world_pose(world, id);
    b2d_body body = world->graph.bodies[id];
    if (motion != NULL) motion->dx *= fraction, motion->dy *= fraction, motion->angle *= fraction;
    b2d_move_pose(&at, &body, fraction * state->dx, fraction * state->dy, fraction * state->angle);
    arrive(world, id, &at, body.turns, moved);
}

// Callbacks that may decide about a sweep. A pair that is a contact has passed the filter.
static bool filter_decides(const b2d_world* world, uint64_t key) {
    return b2d_world_has_call(world, B2D_CALL_FILTER) && b2d_pair_set_find(&world->graph.pair_set, key) == B2D_NONE;
}
static bool presolve_decides(const b2d_world* world, int32_t a, int32_t b) {
    return b2d_world_has_call(world, B2D_CALL_PRESOLVE) &&
           ((world->shapes[a].flags | world->shapes[b].flags) & B2D_SHAPE_FLAG_PRESOLVE) != 0;
}

// The fraction up to which the shape may go as far as `other` is concerned; a hit that has to be decided is noted
// instead.
static float meet(const continuous_job* job, b2d_finalize_worker* out, const traveller* fast, int32_t other,
                  const b2d_pose* start, float limit) {
    b2d_world* world = job->world;
    const int32_t shape = fast->shape;
    b2d_toi toi = {0};
    uint64_t key = b2d_pair_key(shape, other);
    if (job->fractions != NULL && b2d_world_is_refused(world, key)) return limit;
    float fraction = impact(world, fast, other, start, limit, &toi);
    if (job->fractions == NULL || fraction >= limit ||
        !(filter_decides(world, key) || presolve_decides(world, shape, other)))
        return fraction;
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

// The box of all that the shape may come near enough to on its way: the boxes at both ends, by what an arc leaves them,
// and by the distance at which the small core stops.
static b2d_box swept_box(const b2d_world* world, int32_t shape, const b2d_pose* from, const b2d_pose* to, float reach,
                         float angle) {
    const b2d_shape_hot* hot = &world->shapes_hot[shape];
    const b2d_hull4* second = b2d_world_second(world, hot);
    b2d_box a = b2d_shape_box(hot, second, from), b = b2d_shape_box(hot, second, to);
    b2d_box both = {b2d_min(a.min_x, b.min_x), b2d_min(a.min_y, b.min_y), b2d_max(a.max_x, b.max_x),
                    b2d_max(a.max_y, b.max_y)};
    return b2d_box_grow(both, 5.0f * b2d_linear_slop(world) + 0.01f * hot->extent +
                                  reach * b2d_min(0.125f * angle * angle, 2.0f));
}

static bool touch_and_move(const b2d_world* world, int32_t shape, int32_t other) {
    if (world->proxies.proxy_class[other] == B2D_PROXY_STATIC) return false;
    int32_t contact = b2d_pair_set_find(&world->graph.pair_set, b2d_pair_key(shape, other));
    return contact != B2D_NONE && (world->graph.pairs[contact].flags & B2D_PAIR_TOUCHING) != 0;
}

// The fraction up to which the body may go.
static float sweep_body(const continuous_job* job, b2d_finalize_worker* out, int32_t id, const b2d_pose* after) {
    b2d_world* world = job->world;
    uint32_t classes = job->bullets == NULL ? 1u << B2D_PROXY_STATIC
                                            : 1u << B2D_PROXY_STATIC | 1u << B2D_PROXY_ASLEEP | 1u << B2D_PROXY_MOVING;
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
        world->broadphase_table->query(world->broadphase,
                                       swept_box(world, shape, pose, after, body->extent, state->angle), classes,
                                       note_candidate, out);
        out->candidate_most = b2d_max_int(out->candidate_most, out->candidate_count);
        if (out->candidate_count == 0) continue;
        sort_ids(out->candidates, out->candidate_count);
        traveller fast;
        traveller_make(world, shape, &sweep, begin, end, &fast);
        for (int32_t c = 0; c < out->candidate_count; c++) {
            int32_t other = out->candidates[c];
            if (job->bullets != NULL &&
                (b2d_bits_has(job->bullets, world->shapes_hot[other].body) || touch_and_move(world, shape, other)))
                continue;
            if (b2d_world_pair_allowed(world, shape, other)) fraction = meet(job, out, &fast, other, pose, fraction);
        }
    }
    return out->failed ? 0.0f : fraction; // without memory the body stays where it was for this step
}

static void sweep_bodies(void* context, int32_t begin, int32_t end, int32_t worker) {
    const continuous_job* job = context;
    b2d_world* world = job->world;
    b2d_finalize_worker* out = &world->finalize_workers[worker];
    for (int32_t k = begin; k < end; k++) {
        int32_t id = job->fast[k];
        b2d_body* body = &world->graph.bodies[id];
        b2d_body_state* state = b2d_world_state(world, id);
        b2d_pose* pose = b2d_world_pose(world, id);
        b2d_pose after = *pose;
        b2d_body whole = *body; // a trial move must not count turns
        b2d_move_pose(&after, &whole, state->dx, state->dy, state->angle);
        float fraction = sweep_body(job, out, id, &after);
        if (job->fractions != NULL) job->fractions[k] = fraction;
        else if (fraction < 1.0f) move(world, id, fraction, &out->moved);
        else arrive(world, id, &after, whole.turns, &out->moved);
    }
}

// What the user is asked about, in the order of bodies, and along the way of each: he is asked only for what would be
// met.
static int compare_hits(const void* a, const void* b) {
    const b2d_swept_hit *x = a, *y = b;
    if (x->body != y->body) return (x->body > y->body) - (x->body < y->body);
    if (x->fraction != y->fraction) return (x->fraction > y->fraction) - (x->fraction < y->fraction);
    if (x->other != y->other) return (x->other > y->other) - (x->other < y->other);
    return (x->shape > y->shape) - (x->shape < y->shape);
}

static bool stops(b2d_world* world, const b2d_swept_hit* hit) {
    uint64_t key = b2d_pair_key(hit->shape, hit->other);
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

static bool decide(b2d_world* world, const int32_t* ids, float* fractions, int32_t count) {
    int32_t total = 0, at = 0;
    for (int32_t w = 0; w < world->worker_count; w++) total += world->finalize_workers[w].hit_count;
    b2d_swept_hit* hits = b2d_arena_take(&world->memory, &world->arena, (size_t)(total + 1) * sizeof *hits);
    if (hits == NULL) return false;
    for (int32_t w = 0; w < world->worker_count; w++) {
        const b2d_finalize_worker* out = &world->finalize_workers[w];
        if (out->hit_count > 0) memcpy(hits + at, out->hits, (size_t)out->hit_count * sizeof *hits);
        at += out->hit_count;
    }
    qsort(hits, (size_t)total, sizeof *hits, compare_hits);
    int32_t next = 0;
    for (int32_t k = 0; k < count; k++)
        for (; next < total && hits[next].body == ids[k]; next++)
            if (hits[next].fraction < fractions[k] && stops(world, &hits[next])) fractions[k] = hits[next].fraction;
    b2d_world_sort_refused(world);
    return true;
}

static void move_all(b2d_world* world, const int32_t* ids, const float* fractions, int32_t count) {
    for (int32_t k = 0; k < count; k++)
        move(world, ids[k], fractions == NULL ? 0.0f : fractions[k], &world->finalize_workers[0].moved);
}

static void sweep(b2d_world* world, b2d_bits* fast, const b2d_bits* bullets) {
    int32_t count = b2d_bits_count(fast);
    if (count == 0) return;
    world->counters.continuous_bodies += count;
    int32_t* ids = b2d_arena_take(&world->memory, &world->arena, (size_t)count * sizeof *ids);
    if (ids == NULL) { // without memory: the bodies stay where they were for this step
        world->step_failed = true;
        B2D_FOR_BITS (fast, id) {
            b2d_body_state* state = b2d_world_state(world, id);
            state->dx = state->dy = state->angle = 0.0f;
        }
        return;
    }
    b2d_bits_list(fast, 0, fast->word_count, ids);
    continuous_job job = {world, ids, bullets, NULL};
    bool asks = b2d_world_has_call(world, B2D_CALL_FILTER) || b2d_world_has_call(world, B2D_CALL_PRESOLVE);
    if (asks) job.fractions = b2d_arena_take(&world->memory, &world->arena, (size_t)count * sizeof *job.fractions);
    if (asks && job.fractions == NULL) {
        world->step_failed = true;
        move_all(world, ids, NULL, count);
        return;
    }
    for (int32_t w = 0; w < world->worker_count; w++) {
        world->finalize_workers[w].failed = false;
        world->finalize_workers[w].hit_count = 0;
    }
    b2d_parallel_for(world->scheduler, sweep_bodies, &job, count, 8);
    int32_t most = 0;
    for (int32_t w = 0; w < world->worker_count; w++) {
        world->step_failed = world->step_failed || world->finalize_workers[w].failed;
        most = b2d_max_int(most, world->finalize_workers[w].candidate_most);
    }
    // Next time another worker may meet as many: a steady state must not allocate
    for (int32_t w = 0; w < world->worker_count; w++) {
        b2d_finalize_worker* out = &world->finalize_workers[w];
        (void)B2D_GROW(out->memory, out->candidates, out->candidate_capacity, most);
    }
    if (!asks) return;
    bool decided = decide(world, ids, job.fractions, count);
    world->step_failed = world->step_failed || !decided;
    move_all(world, ids, decided ? job.fractions : NULL, count);
}

void b2d_world_continuous(b2d_world* world) {
    b2d_bits* fast = &world->finalize_workers[0].fast;
    b2d_bits* bullets = &world->finalize_workers[0].bullets;
    b2d_bits_clear(&world->swept);
    b2d_bits_merge(&world->swept, fast);
    B2D_FOR_BITS (fast, id)
        if (world->graph.bodies[id].flags & B2D_BODY_FLAG_BULLET) {
            b2d_bits_set(bullets, id);
            b2d_bits_unset(fast, id);
        }
    sweep(world, fast, NULL);
    b2d_bits_clear(fast);
    if (b2d_bits_next(bullets, 0) == B2D_NONE) return;
    b2d_collect_moved(world); // bullets must see where the others have come to
    world->broadphase_stale = true;
    if (b2d_world_update_broadphase(world)) sweep(world, bullets, bullets);
    else world->step_failed = true;
    b2d_bits_clear(bullets);
}
