// csrc/api/overlap.c - finds the shapes that overlap a box, a geometry or a point, for arrays of queries on all
// workers; and explosions.
//
// Idea: the broad phase gives the candidates, and GJK in coordinates of the body decides; shapes that just touch
// overlap. Each worker lists keys of (query, shape). The keys are sorted, so the result does not depend on which worker
// found which overlap.
// Threads: overlaps are readers; an explosion is a writer that pushes shapes in ascending order of ids. Proof:
// tests/queries.
#include "api/entry.h"
#include "api/query.h"
#include "base/radix_sort.h"
#include "objects/body.h"
#include "objects/proxy.h"

#include <string.h>

// The geometry of a query: points relative to an origin in world coordinates, and a radius.
typedef struct overlap {
    b2d_query_scope scope;
    double x, y;
    b2d_point64 points[8];
    int32_t count;
    double radius;
    bool solid_only; // the query is a point, and segments contain no points
    bool is_box;
    double min_x, min_y, max_x, max_y; // the box, or the bounds of the points
    uint64_t query;
    b2d_key_list* list;
} overlap;

static bool overlaps(const overlap* o, int32_t shape) {
    const b2d_world* world = o->scope.world;
    const b2d_shape_hot* hot = &world->shapes_hot[shape];
    const b2d_pose* pose = (const b2d_pose*)world->poses.data + hot->body;
    b2d_point64 points[8];
    if (o->is_box) { // only the part of the box near the shape is used, which is exact however large the box is
        const b2d_box box = b2d_shape_box(hot, b2d_world_second(world, hot), pose);
        if (o->min_x <= box.min_x && box.max_x <= o->max_x && o->min_y <= box.min_y && box.max_y <= o->max_y)
            return true;
        const double left = (o->min_x > box.min_x - 1.0 ? o->min_x : box.min_x - 1.0) - pose->x,
                     right = (o->max_x < box.max_x + 1.0 ? o->max_x : box.max_x + 1.0) - pose->x;
        const double bottom = (o->min_y > box.min_y - 1.0 ? o->min_y : box.min_y - 1.0) - pose->y,
                     top = (o->max_y < box.max_y + 1.0 ? o->max_y : box.max_y + 1.0) - pose->y;
        if (left > right || bottom > top) return false;
        points[0] = (b2d_point64){left, bottom}, points[1] = (b2d_point64){right, bottom};
        points[2] = (b2d_point64){right, top}, points[3] = (b2d_point64){left, top};
    } else {
        if (o->solid_only && hot->radius == 0.0f && hot->form == B2D_FORM_LINE) return false;
        const double dx = o->x - pose->x, dy = o->y - pose->y;
        for (int32_t i = 0; i < o->count; i++) points[i] = (b2d_point64){dx + o->points[i].x, dy + o->points[i].y};
    }
    return b2d_shape_gjk(world, shape, points, o->count).distance <= o->radius + (double)hot->radius;
}

static bool test_overlap(void* context, int32_t shape) {
    overlap* o = context;
    if (b2d_query_accepts(&o->scope, shape) && overlaps(o, shape))
        b2d_key_list_push(o->list, o->query << 32 | (uint64_t)(uint32_t)shape);
    return !o->list->failed;
}

static overlap box_overlap(const double* lower, const double* upper) {
    return (overlap){
        .count = 4, .is_box = true, .min_x = lower[0], .min_y = lower[1], .max_x = upper[0], .max_y = upper[1]};
}

static overlap points_overlap(const b2d_proxy* proxy, double x, double y, double angle) {
    overlap o = {.x = x, .y = y, .count = proxy->count, .radius = proxy->radius};
    b2d_place_points(proxy, 0.0, 0.0, b2d_make_rot(angle), o.points);
    o.min_x = o.min_y = INFINITY, o.max_x = o.max_y = -INFINITY;
    for (int32_t i = 0; i < o.count; i++) {
        const b2d_point64 p = o.points[i];
        o.min_x = p.x < o.min_x ? p.x : o.min_x, o.min_y = p.y < o.min_y ? p.y : o.min_y;
        o.max_x = p.x > o.max_x ? p.x : o.max_x, o.max_y = p.y > o.max_y ? p.y : o.max_y;
    }
    o.min_x += x - o.radius, o.min_y += y - o.radius, o.max_x += x + o.radius, o.max_y += y + o.radius;
    return o;
}

// ---- arrays

typedef struct batch {
    b2d_query_scope scope;
    const double *first, *second, *angles; // lower and upper corners for boxes, otherwise positions
    const b2d_proxy* proxy;                // NULL for boxes
    bool points;
    b2d_key_list* lists;
} batch;

static void overlap_stage(void* context, int32_t begin, int32_t end, int32_t worker) {
    const batch* b = context;
    for (int32_t k = begin; k < end && !b->lists[worker].failed; k++) {
        const double* p = b->first + 2 * (size_t)k;
        overlap o = b->proxy == NULL ? box_overlap(p, b->second + 2 * (size_t)k)
                                     : points_overlap(b->proxy, p[0], p[1], b->angles == NULL ? 0.0 : b->angles[k]);
        o.scope = b->scope;
        o.solid_only = b->points;
        o.query = (uint64_t)(uint32_t)k;
        o.list = &b->lists[worker];
        b2d_query_scope_box(&b->scope, o.min_x, o.min_y, o.max_x, o.max_y, test_overlap, &o);
    }
}

enum { MAX_WORKERS = 64 };

// The sorted keys of all workers. NULL if there is no memory or no key.
static uint64_t* join_keys(b2d_memory* memory, const b2d_key_list* lists, int32_t workers, int32_t total,
                           uint64_t** scratch) {
    uint64_t* keys = b2d_allocate(memory, 2 * (size_t)total * sizeof *keys);
    if (keys == NULL) return NULL;
    int32_t count = 0;
    for (int32_t w = 0; w < workers; w++) {
        if (lists[w].count > 0) memcpy(keys + count, lists[w].keys, (size_t)lists[w].count * sizeof *keys);
        count += lists[w].count;
    }
    *scratch = keys + total;
    b2d_radix_sort(keys, *scratch, total);
    return keys;
}

static b2d_status write_overlaps(const b2d_world* world, const b2d_key_list* lists, int32_t workers,
                                 b2d_query_overlap* out, int32_t room, int32_t* count) {
    int64_t total = 0;
    for (int32_t w = 0; w < workers; w++) total += lists[w].count;
    if (b2d_key_lists_failed(lists, workers) || total > INT32_MAX / 2) return b2d_error(B2D_NO_MEMORY, B2D_ARG_NONE);
    *count = (int32_t)total;
    if (total == 0 || total > room) return B2D_OK;
    b2d_memory memory = {.fail_after = -1};
    uint64_t* scratch;
    uint64_t* keys = join_keys(&memory, lists, workers, (int32_t)total, &scratch);
    if (keys == NULL) return b2d_error(B2D_NO_MEMORY, B2D_ARG_NONE);
    for (int32_t k = 0; k < (int32_t)total; k++) {
        const int32_t shape = (int32_t)(uint32_t)keys[k];
        out[k] = (b2d_query_overlap){world->shape_generations[shape], (int32_t)(keys[k] >> 32), shape,
                                     world->shapes_hot[shape].body, 0};
    }
    b2d_free(&memory, keys, 2 * (size_t)total * sizeof *keys);
    return B2D_OK;
}

static b2d_status run_overlaps(batch* b, int32_t n, b2d_query_overlap* out, int32_t room, int32_t* count) {
    b2d_world* world = b->scope.world;
    b2d_memory memories[MAX_WORKERS];
    b2d_key_list lists[MAX_WORKERS];
    B2D_TRY(b2d_open_scope(&b->scope));
    const int32_t workers = b2d_scheduler_workers(world->scheduler);
    for (int32_t w = 0; w < workers; w++) {
        memories[w] = (b2d_memory){.fail_after = -1};
        lists[w] = (b2d_key_list){.memory = &memories[w]};
    }
    b->lists = lists;
    uint32_t saved = b2d_float_enter();
    b2d_parallel_for(world->scheduler, overlap_stage, b, n, 16);
    b2d_status status = write_overlaps(world, lists, workers, out, room, count);
    b2d_float_leave(saved);
    for (int32_t w = 0; w < workers; w++)
        b2d_free(&memories[w], lists[w].keys, (size_t)lists[w].capacity * sizeof *lists[w].keys);
    return b2d_close_read(world, status);
}

b2d_status b2d_world_overlap_boxes(b2d_world* world, int32_t n, const double* lowers, const double* uppers,
                                   const b2d_query_filter* filter, b2d_query_overlap* out, int32_t room,
                                   int32_t* count) {
    B2D_TRY(b2d_check_values(B2D_ARG_OVERLAP_AABB_LOWER, n, lowers));
    B2D_TRY(b2d_check_values(B2D_ARG_OVERLAP_AABB_UPPER, n, uppers));
    for (int64_t k = 0; k < 2 * (int64_t)n; k++)
        if (lowers[k] > uppers[k]) return b2d_error(B2D_OUT_OF_RANGE, B2D_ARG_OVERLAP_AABB_LOWER);
    batch b = {.scope = {world, *filter}, .first = lowers, .second = uppers};
    return run_overlaps(&b, n, out, room, count);
}

b2d_status b2d_world_overlap_shapes(b2d_world* world, const b2d_geometry* geometry, int32_t n, const double* positions,
                                    const double* angles, const b2d_query_filter* filter, b2d_query_overlap* out,
                                    int32_t room, int32_t* count) {
    b2d_geometry checked = *geometry;
    B2D_TRY(b2d_geometry_check(&checked));
    B2D_TRY(b2d_check_values(B2D_ARG_OVERLAP_SHAPE_POSITION, n, positions));
    B2D_TRY(b2d_check_values(B2D_ARG_OVERLAP_SHAPE_ANGLE, n, angles));
    const b2d_proxy proxy = b2d_geometry_proxy(&checked);
    batch b = {.scope = {world, *filter}, .first = positions, .angles = angles, .proxy = &proxy};
    return run_overlaps(&b, n, out, room, count);
}

b2d_status b2d_world_overlap_points(b2d_world* world, int32_t n, const double* points, const b2d_query_filter* filter,
                                    b2d_query_overlap* out, int32_t room, int32_t* count) {
    B2D_TRY(b2d_check_values(B2D_ARG_POINT_QUERY_POINT, n, points));
    const b2d_proxy proxy = {.count = 1};
    batch b = {.scope = {world, *filter}, .first = points, .proxy = &proxy, .points = true};
    return run_overlaps(&b, n, out, room, count);
}

// ---- explosions

// The width of a shape across a direction.
static double width_across(const b2d_world* world, int32_t shape, double nx, double ny) {
    const b2d_shape_hot* hot = &world->shapes_hot[shape];
    const b2d_pose* pose = (const b2d_pose*)world->poses.data + hot->body;
    const b2d_proxy proxy = b2d_shape_proxy(hot, b2d_world_second(world, hot));
    b2d_point64 points[8];
    b2d_place_points(&proxy, 0.0, 0.0, (b2d_rot){pose->c, pose->s}, points);
    double lower = INFINITY, upper = -INFINITY;
    for (int32_t i = 0; i < proxy.count; i++) {
        const double along = nx * points[i].y - ny * points[i].x;
        lower = along < lower ? along : lower, upper = along > upper ? along : upper;
    }
    return upper - lower + 2.0 * (double)hot->radius;
}

typedef struct blast {
    b2d_query_scope scope;
    double x, y, radius, falloff, impulse_per_length;
} blast;

static double clamped_speed(double v) {
    return v < -b2d_limit_speed ? -b2d_limit_speed : v > b2d_limit_speed ? b2d_limit_speed : v;
}

// A shape whose centroid is at the centre of the explosion has no direction and is not pushed.
static bool push_shape(const blast* e, int32_t shape) {
    b2d_world* world = e->scope.world;
    const b2d_shape_hot* hot = &world->shapes_hot[shape];
    const int32_t body = hot->body;
    const b2d_pose* pose = b2d_world_pose(world, body);
    const b2d_point64 center = {e->x - pose->x, e->y - pose->y};
    const b2d_gjk g = b2d_shape_gjk(world, shape, &center, 1); // a is the shape; the normal points to the centre
    double distance = g.distance - (double)hot->radius, nx = -g.normal.x, ny = -g.normal.y;
    b2d_point64 at = {g.a.x - (double)hot->radius * nx, g.a.y - (double)hot->radius * ny};
    if (distance > e->radius + e->falloff) return true;
    if (distance <= 0.0) { // the centre is inside the shape: push away from the centre, through the centroid
        const b2d_vec2 middle = b2d_rotate((b2d_rot){pose->c, pose->s}, b2d_v(hot->center_x, hot->center_y));
        nx = middle.x - center.x, ny = middle.y - center.y;
        const double length = sqrt(nx * nx + ny * ny);
        if (!(length > 1.0e-6 * world->options[B2D_OPTION_LENGTH_UNIT])) return true;
        nx /= length, ny /= length;
        at = (b2d_point64){middle.x, middle.y};
        distance = 0.0;
    }
    double strength = e->impulse_per_length * width_across(world, shape, nx, ny);
    if (distance > e->radius) strength *= (e->radius + e->falloff - distance) / e->falloff;
    if (strength == 0.0) return true;
    if (!b2d_world_wake_body(world, body)) return false;
    pose = b2d_world_pose(world, body);
    b2d_body_state* state = b2d_world_state(world, body);
    const b2d_vec2 mass_center = b2d_pose_center(pose);
    const double jx = strength * nx, jy = strength * ny,
                 torque = (at.x - mass_center.x) * jy - (at.y - mass_center.y) * jx;
    const uint16_t flags = world->graph.bodies[body].flags;
    if (!(flags & B2D_BODY_FLAG_LOCK_X)) state->vx = (float)clamped_speed(state->vx + state->inverse_mass * jx);
    if (!(flags & B2D_BODY_FLAG_LOCK_Y)) state->vy = (float)clamped_speed(state->vy + state->inverse_mass * jy);
    if (!(flags & B2D_BODY_FLAG_LOCK_ROTATION))
        state->w = (float)clamped_speed(state->w + state->inverse_inertia * torque);
    return true;
}

static b2d_status push_all(const blast* e, const b2d_key_list* list) {
    if (list->failed) return b2d_error(B2D_NO_MEMORY, B2D_ARG_NONE);
    if (list->count == 0) return B2D_OK;
    b2d_memory memory = {.fail_after = -1};
    uint64_t* scratch;
    uint64_t* keys = join_keys(&memory, list, 1, list->count, &scratch);
    bool done = keys != NULL;
    for (int32_t k = 0; done && k < list->count; k++) done = push_shape(e, (int32_t)(uint32_t)keys[k]);
    b2d_free(&memory, keys, 2 * (size_t)list->count * sizeof *keys);
    return done ? B2D_OK : b2d_error(B2D_NO_MEMORY, B2D_ARG_NONE);
}

typedef struct blast_list {
    const blast* blast;
    b2d_key_list keys;
} blast_list;

static bool add_pushed_shape(void* context, int32_t shape) {
    blast_list* list = context;
    const b2d_world* world = list->blast->scope.world;
    if (b2d_query_accepts(&list->blast->scope, shape) && b2d_moves(&world->graph, world->shapes_hot[shape].body))
        b2d_key_list_push(&list->keys, (uint64_t)(uint32_t)shape);
    return true;
}

b2d_status b2d_world_explode(b2d_world* world, double x, double y, double radius, double falloff,
                             double impulse_per_length, uint64_t category, uint64_t mask) {
    const double center[2] = {x, y};
    B2D_TRY(b2d_check_vec(center, b2d_limit_position, B2D_ARG_CENTER));
    B2D_TRY(b2d_check_range(radius, 0.0, b2d_limit_position, B2D_ARG_RADIUS));
    B2D_TRY(b2d_check_range(falloff, 0.0, b2d_limit_position, B2D_ARG_FALLOFF));
    B2D_TRY(b2d_check_range(impulse_per_length, -b2d_limit_force, b2d_limit_force, B2D_ARG_IMPULSE_PER_LENGTH));
    B2D_TRY(b2d_open_write(world));
    if (!b2d_world_update_broadphase(world)) return b2d_close_write(world, b2d_error(B2D_NO_MEMORY, B2D_ARG_NONE));
    const blast e = {{world, {.category = category, .mask = mask}}, x, y, radius, falloff, impulse_per_length};
    b2d_memory memory = {.fail_after = -1};
    blast_list list = {&e, {.memory = &memory}};
    const double reach = radius + falloff;
    b2d_query_box(world, x - reach, y - reach, x + reach, y + reach, add_pushed_shape, &list);
    b2d_status status = push_all(&e, &list.keys);
    B2D_LOG(world, status, B2D_LOGGED_EXPLODE, x, y, radius, falloff, impulse_per_length, category, mask);
    b2d_free(&memory, list.keys.keys, (size_t)list.keys.capacity * sizeof *list.keys.keys);
    return b2d_close_write(world, status);
}
