// csrc/api/query.c - rays, shape casts and the nearest shape: the first hit, all hits, or arrays of queries on all
// workers.
//
// Idea: the fraction of a hit is computed for each shape independently, from the part of the path near it, in
// coordinates of its body. Fractions are compared after rounding to 2^-40, and of equal fractions the lower id wins. So
// the result is a minimum over shapes and does not depend on the order in which a broad phase finds them. The bound
// that prunes is the best fraction, rounded up by more than that.
// Threads: readers. Proof: tests/queries.
#include "api/query.h"

#include "api/entry.h"
#include "objects/proxy.h"

#include <stdlib.h>

// ---- the lock

static bool run(b2d_world* world, bool (*update)(b2d_world*)) {
    uint32_t saved = b2d_float_enter();
    bool done = update(world);
    b2d_float_leave(saved);
    return done;
}

b2d_status b2d_flush(b2d_world* world, bool (*update)(b2d_world*)) {
    while (atomic_load(&world->lock) != -1) {
        b2d_end_read(world);
        int unlocked = 0;
        if (atomic_compare_exchange_strong(&world->lock, &unlocked, B2D_LOCK_FLUSH)) {
            bool done = run(world, update);
            atomic_store(&world->lock, done ? 1 : 0); // this thread is a reader from now on
            return done ? B2D_OK : b2d_error(B2D_NO_MEMORY, B2D_ARG_NONE);
        }
        b2d_thread_yield(); // wait for other readers
        if (!b2d_begin_read(world)) return b2d_error(B2D_LOCKED, B2D_ARG_WORLD);
    }
    // In a callback of a step, when nothing else runs
    return run(world, update) ? B2D_OK : b2d_error(B2D_NO_MEMORY, B2D_ARG_NONE);
}

b2d_status b2d_open_query(b2d_world* world) {
    B2D_TRY(b2d_open_read(world));
    return world->broadphase_stale ? b2d_flush(world, b2d_world_update_broadphase) : B2D_OK;
}

b2d_status b2d_open_scope(const b2d_query_scope* scope) {
#define B2D_QUERY_OPTION(QUERY, NAME, name, type, standard, lower, upper, ...) \
    B2D_TRY(b2d_check_range((double)scope->filter.name, lower, upper, B2D_ARG_##NAME));
#include "lists/query_options.def"
#undef B2D_QUERY_OPTION
    return b2d_open_query(scope->world);
}

// ---- arguments

const b2d_query_filter b2d_query_all = {
    .category = UINT64_MAX,
    .mask = UINT64_MAX,
#define B2D_QUERY_OPTION(QUERY, NAME, name, type, standard, ...) .name = standard,
#include "lists/query_options.def"
#undef B2D_QUERY_OPTION
};

// ---- sensors

void b2d_query_sensors(const b2d_world* world, b2d_box box, int32_t first, int32_t limit, b2d_query_fn* found,
                       void* context) {
    for (int32_t shape = b2d_bits_next(&world->sensors, first); shape != B2D_NONE && shape < limit;
         shape = b2d_bits_next(&world->sensors, shape + 1)) {
        const b2d_shape_hot* hot = &world->shapes_hot[shape];
        if (!(world->graph.bodies[hot->body].flags & B2D_BODY_FLAG_ENABLED)) continue;
        const b2d_pose* pose = (const b2d_pose*)world->poses.data + hot->body;
        if (b2d_box_overlaps(box, b2d_shape_box(hot, b2d_world_second(world, hot), pose)) && !found(context, shape))
            return;
    }
}

// ---- hits

typedef struct hits { // a growing list, used by one call only
    b2d_memory memory;
    b2d_query_hit* rows;
    int32_t count, capacity;
    bool failed;
} hits;

static double rounded(double fraction) { // rounded to a multiple of 2^-40
    const double shift = 6144.0;         // the last bit of this number is worth 2^-40
    return (fraction + shift) - shift;
}

static int compare_hits(const void* a, const void* b) {
    const b2d_query_hit *x = a, *y = b;
    const double fx = rounded(x->fraction), fy = rounded(y->fraction);
    if (fx != fy) return fx < fy ? -1 : 1;
    return (x->shape > y->shape) - (x->shape < y->shape);
}

// Makes equal fractions identical, so that the list is in ascending order.
static void sort_hits(b2d_query_hit* rows, int32_t count) {
    if (count > 1) qsort(rows, (size_t)count, sizeof *rows, compare_hits);
    for (int32_t k = 1; k < count; k++)
        if (rounded(rows[k].fraction) == rounded(rows[k - 1].fraction)) rows[k].fraction = rows[k - 1].fraction;
}

static void add_hit(hits* list, const b2d_query_hit* hit) {
    if (list->failed || !B2D_GROW(&list->memory, list->rows, list->capacity, list->count < 16 ? 16 : list->count + 1)) {
        list->failed = true;
        return;
    }
    list->rows[list->count++] = *hit;
}

static b2d_status write_hits(hits* list, b2d_query_hit* out, int32_t room, int32_t* count) {
    b2d_status status = list->failed ? b2d_error(B2D_NO_MEMORY, B2D_ARG_NONE) : B2D_OK;
    if (status == B2D_OK) {
        *count = list->count;
        if (list->count <= room) sort_hits(list->rows, list->count);
        for (int32_t k = 0; k < list->count && list->count <= room; k++) out[k] = list->rows[k];
    }
    b2d_free(&list->memory, list->rows, (size_t)list->capacity * sizeof *list->rows);
    return status;
}

static const b2d_query_hit no_hit = {.shape = B2D_NONE, .body = B2D_NONE};
enum { CLOSEST, ANY, ALL };

typedef struct search {
    b2d_query_scope scope;
    double ox, oy, dx, dy;   // start of the ray or of the origin of the cast geometry, and its translation
    double squared, inverse; // squared length of the translation, and its inverse
    const b2d_proxy* proxy;  // the cast geometry; NULL for a ray
    b2d_rot q;               // rotation of the cast geometry
    // The centroid of the cast geometry relative to its origin, in world axes, and its extent from there
    double middle_x, middle_y, reach;
    int32_t mode;
    bool cores;  // a ray meets shapes as if they had no rounding, whatever their filters say
    bool mover;  // the cast geometry slides along shapes that it touches at the start, and leaves them
    float bound; // the bound of the broad phase
    b2d_query_hit best;
    hits* all;
} search;

static bool record_hit(search* s, int32_t shape, double fraction, double px, double py, b2d_vec2 normal) {
    const b2d_world* world = s->scope.world;
    // Adding 0 avoids -0
    b2d_query_hit hit = {.generation = world->shape_generations[shape],
                         .px = px,
                         .py = py,
                         .fraction = fraction,
                         .nx = normal.x + 0.0f,
                         .ny = normal.y + 0.0f,
                         .shape = shape,
                         .body = world->shapes_hot[shape].body};
    if (s->mode == ALL) {
        add_hit(s->all, &hit);
        return !s->all->failed;
    }
    if (s->best.shape == B2D_NONE || compare_hits(&hit, &s->best) < 0) {
        s->best = hit;
        s->bound = b2d_round_up(fraction + 0x1p-39);
    }
    return s->mode == CLOSEST;
}

// ---- rays

static bool test_accepted(search* s, int32_t shape) {
    const b2d_world* world = s->scope.world;
    const b2d_shape_hot* hot = &world->shapes_hot[shape];
    const b2d_pose* pose = (const b2d_pose*)world->poses.data + hot->body;
    const double c = pose->c, sn = pose->s;
    // The point of the path that is nearest to the centre of the shape becomes the origin.
    const double rx = s->ox - pose->x, ry = s->oy - pose->y; // start relative to the body
    const double mx = c * hot->center_x - sn * hot->center_y - rx, my = sn * hot->center_x + c * hot->center_y - ry;
    double t = (mx * s->dx + my * s->dy) * s->inverse;
    t = t < 0.0 ? 0.0 : t > 1.0 ? 1.0 : t;
    const double ex = mx - t * s->dx, ey = my - t * s->dy, reach = 1.001 * (double)hot->extent;
    if (ex * ex + ey * ey > reach * reach) return true;
    const double px = rx + t * s->dx, py = ry + t * s->dy;
    const b2d_point64 origin = {c * px + sn * py, c * py - sn * px},
                      way = {c * s->dx + sn * s->dy, c * s->dy - sn * s->dx};
    double fraction;
    b2d_vec2 normal;
    _Alignas(64) b2d_shape_hot core;
    const b2d_hull4* second = b2d_world_second(world, hot);
    if (s->cores && hot->count > 1) {
        core = *hot, core.radius = 0.0f;
        hot = &core;
    }
    if (!b2d_row_ray(hot, second, origin, way, -t, 1.0 - t, &fraction, &normal)) return true;
    fraction += t;
    return record_hit(s, shape, fraction, s->ox + fraction * s->dx, s->oy + fraction * s->dy,
                      b2d_rotate((b2d_rot){pose->c, pose->s}, normal));
}

static bool test_ray(void* context, int32_t shape) {
    search* s = context;
    return !(s->cores || b2d_query_accepts(&s->scope, shape)) || test_accepted(s, shape);
}

static void aim(search* s, double ox, double oy, double dx, double dy) {
    s->ox = ox, s->oy = oy, s->dx = dx, s->dy = dy;
    s->squared = dx * dx + dy * dy;
    s->inverse = s->squared > 1.0e-200 ? 1.0 / s->squared : 0.0; // a shorter translation counts as none
    s->bound = 1.0f;
    s->best.shape = B2D_NONE; // the rest is written with the first hit
}

static void start_search(search* s, double ox, double oy, double dx, double dy) {
    s->best = no_hit;
    aim(s, ox, oy, dx, dy);
}

// The sensors in a box around the path of a point, grown by `reach`.
static void search_sensors(search* s, double x, double y, double reach, int32_t first, int32_t limit,
                           b2d_query_fn* found) {
    const double end_x = x + s->dx, end_y = y + s->dy;
    const b2d_box box = b2d_box_above((x < end_x ? x : end_x) - reach, (y < end_y ? y : end_y) - reach,
                                      (x > end_x ? x : end_x) + reach, (y > end_y ? y : end_y) + reach);
    b2d_query_sensors(s->scope.world, box, first, limit, found, s);
}

static void run_ray(search* s) {
    if (s->inverse == 0.0) return;
    const b2d_world* world = s->scope.world;
    world->broadphase_table->ray(world->broadphase, s->ox, s->oy, s->dx, s->dy, 0.0f, B2D_QUERY_CLASSES, &s->bound,
                                 test_ray, s);
    if (s->scope.filter.sensors) search_sensors(s, s->ox, s->oy, 0.0, 0, INT32_MAX, test_ray);
}

static b2d_status search_ray(search* s, double ox, double oy, double dx, double dy) {
    const double origin[2] = {ox, oy}, translation[2] = {dx, dy};
    B2D_TRY(b2d_check_values(B2D_ARG_RAY_CAST_ORIGIN, 1, origin));
    B2D_TRY(b2d_check_values(B2D_ARG_RAY_CAST_TRANSLATION, 1, translation));
    B2D_TRY(b2d_open_scope(&s->scope));
    uint32_t saved = b2d_float_enter();
    start_search(s, ox, oy, dx, dy);
    run_ray(s);
    b2d_float_leave(saved);
    return b2d_close_read(s->scope.world, B2D_OK);
}

b2d_status b2d_world_ray_cast(b2d_world* world, double ox, double oy, double dx, double dy, b2d_query_hit* out) {
    search s = {.scope = {world, b2d_query_all}, .mode = CLOSEST};
    B2D_TRY(search_ray(&s, ox, oy, dx, dy));
    *out = s.best;
    return B2D_OK;
}

b2d_status b2d_world_ray_cast_any(b2d_world* world, double ox, double oy, double dx, double dy,
                                  const b2d_query_filter* filter, bool* out) {
    search s = {.scope = {world, *filter}, .mode = ANY};
    B2D_TRY(search_ray(&s, ox, oy, dx, dy));
    *out = s.best.shape != B2D_NONE;
    return B2D_OK;
}

b2d_status b2d_world_ray_cast_all(b2d_world* world, double ox, double oy, double dx, double dy,
                                  const b2d_query_filter* filter, b2d_query_hit* out, int32_t room, int32_t* count) {
    hits all = {.memory = {.fail_after = -1}};
    search s = {.scope = {world, *filter}, .mode = ALL, .all = &all};
    B2D_TRY(search_ray(&s, ox, oy, dx, dy));
    return write_hits(&all, out, room, count);
}

b2d_status b2d_world_ray_cast_cores(b2d_world* world, double ox, double oy, double dx, double dy, bool closest,
                                    b2d_query_hit* out, int32_t room, int32_t* count) {
    hits all = {.memory = {.fail_after = -1}};
    search s = {.scope = {world, b2d_query_all}, .mode = closest ? CLOSEST : ALL, .cores = true, .all = &all};
    s.scope.filter.sensors = true;
    B2D_TRY(search_ray(&s, ox, oy, dx, dy));
    if (!closest) return write_hits(&all, out, room, count);
    *out = s.best;
    return B2D_OK;
}

// ---- casts

#define CAST_TOLERANCE 1.0e-5 // length units: the error of a cast

// Moves the cast geometry against the core `a` of a shape, which lies in a circle of radius `extent` around `center`.
// `error` is how far its vertices may be from where the user placed them.
static b2d_cast_hit cast_at(const search* s, const b2d_proxy* a, const b2d_pose* pose, b2d_vec2 center, double extent,
                            double error) {
    const double c = pose->c, sn = pose->s;
    // The part of the path on which the bounding circles overlap, with a small tolerance.
    const double rx = s->ox - pose->x, ry = s->oy - pose->y;
    const double mx = c * center.x - sn * center.y - rx - s->middle_x,
                 my = sn * center.x + c * center.y - ry - s->middle_y;
    const double reach = 1.001 * (s->reach + extent), middle = (mx * s->dx + my * s->dy) * s->inverse;
    const double ex = mx - middle * s->dx, ey = my - middle * s->dy, room = reach * reach - (ex * ex + ey * ey);
    if (room < 0.0) return (b2d_cast_hit){.hit = false};
    const double half = sqrt(room * s->inverse);
    const double from = middle - half > 0.0 ? middle - half : 0.0, to = s->inverse == 0.0     ? 0.0
                                                                        : middle + half < 1.0 ? middle + half
                                                                                              : 1.0;
    if (from > to) return (b2d_cast_hit){.hit = false};
    const double px = rx + from * s->dx, py = ry + from * s->dy, wx = (to - from) * s->dx, wy = (to - from) * s->dy;
    const double tolerance = CAST_TOLERANCE * s->scope.world->options[B2D_OPTION_LENGTH_UNIT];
    const b2d_cast_rule rule = {tolerance, tolerance + error, s->mover};
    b2d_cast_hit hit = b2d_shape_cast(a, (b2d_rot){pose->c, pose->s}, s->proxy, s->q, (b2d_point64){px, py},
                                      (b2d_point64){wx, wy}, &rule);
    hit.fraction = from + (to - from) * hit.fraction;
    return hit;
}

// ---- grooves
//
// Rounded polygons that are flush have a groove between them. It is no part of the way of a character: on a slope, the
// corner of a box would catch in it. So a mover meets the corners of rounded polygons as if they were sharp where the
// sharp corner of another rounded polygon is at the same place, to a tenth of the linear slop, as in contacts with
// flush edges.

typedef struct corner {
    b2d_vec2 tip, begin, end; // where the two sides would meet, and where the rounding begins and ends
} corner;

// Corner i of a core with a radius, body coordinates; false: its sides are parallel.
static bool sharp_corner(const b2d_proxy* core, int32_t i, corner* out) {
    const b2d_vec2 at = core->points[i], before = core->points[i == 0 ? core->count - 1 : i - 1],
                   after = core->points[i + 1 == core->count ? 0 : i + 1];
    const double ax = (double)at.x - before.x, ay = (double)at.y - before.y, a = sqrt(ax * ax + ay * ay);
    const double bx = (double)after.x - at.x, by = (double)after.y - at.y, b = sqrt(bx * bx + by * by);
    const double mx = ay / a, my = -ax / a, nx = by / b, ny = -bx / b, r = core->radius, both = 1.0 + mx * nx + my * ny;
    if (both < 1.0e-3) return false;
    *out = (corner){{(float)(at.x + r * (mx + nx) / both), (float)(at.y + r * (my + ny) / both)},
                    {(float)(at.x + r * mx), (float)(at.y + r * my)},
                    {(float)(at.x + r * nx), (float)(at.y + r * ny)}};
    return true;
}

typedef struct tip_search {
    const search* s;
    b2d_point64 tip; // world coordinates
    int32_t shape;   // that has it
    bool found;
} tip_search;

static b2d_point64 tip_in_world(const corner* at, const b2d_pose* pose) {
    const double c = pose->c, sn = pose->s;
    return (b2d_point64){pose->x + (c * at->tip.x - sn * at->tip.y), pose->y + (sn * at->tip.x + c * at->tip.y)};
}

static bool has_corners(const b2d_proxy* core) { return core->count > 2 && core->radius > 0.0f; }

static bool test_tip(void* context, int32_t shape) {
    tip_search* t = context;
    const b2d_world* world = t->s->scope.world;
    if (shape == t->shape || !b2d_query_accepts(&t->s->scope, shape)) return true;
    const b2d_shape_hot* hot = &world->shapes_hot[shape];
    const b2d_pose* pose = (const b2d_pose*)world->poses.data + hot->body;
    const b2d_proxy core = b2d_shape_proxy(hot, b2d_world_second(world, hot));
    const double error = 0.1 * (double)b2d_linear_slop(world) +
                         2.0 * b2d_vertex_error(hot->center_x, hot->center_y, hot->extent);
    corner at;
    for (int32_t i = 0; i < core.count && has_corners(&core); i++)
        if (sharp_corner(&core, i, &at)) {
            const b2d_point64 tip = tip_in_world(&at, pose);
            const double x = tip.x - t->tip.x, y = tip.y - t->tip.y;
            t->found = t->found || x * x + y * y <= error * error;
        }
    return !t->found;
}

// The first hit of the corners that grooves make sharp, if it is before `best`.
static b2d_cast_hit cast_corners(const search* s, const b2d_proxy* core, const b2d_pose* pose, int32_t shape,
                                 double error, b2d_cast_hit best) {
    corner at;
    for (int32_t i = 0; i < core->count && has_corners(core); i++) {
        if (!sharp_corner(core, i, &at)) continue;
        const b2d_vec2 inside = core->points[i];
        const double reach = sqrt((double)b2d_length_squared(b2d_sub(at.tip, inside)));
        const b2d_proxy sharp = {.points = {at.begin, at.tip, at.end}, .count = 3};
        const b2d_cast_hit hit = cast_at(s, &sharp, pose, inside, reach, 2.0 * error);
        if (!hit.hit || (best.hit && hit.fraction >= best.fraction)) continue;
        tip_search t = {s, tip_in_world(&at, pose), shape, false};
        // The box of a shape contains what is rounded, not its sharp corners: it is within `reach` of them where the
        // other radius is not much larger.
        b2d_query_box(s->scope.world, t.tip.x - reach, t.tip.y - reach, t.tip.x + reach, t.tip.y + reach, test_tip, &t);
        if (t.found) best = hit;
    }
    return best;
}

static bool test_cast(void* context, int32_t shape) {
    search* s = context;
    if (!b2d_query_accepts(&s->scope, shape)) return true;
    const b2d_world* world = s->scope.world;
    const b2d_shape_hot* hot = &world->shapes_hot[shape];
    const b2d_pose* pose = (const b2d_pose*)world->poses.data + hot->body;
    if (b2d_starts_behind(hot, pose, s->ox - pose->x + s->middle_x, s->oy - pose->y + s->middle_y)) return true;
    const b2d_proxy a = b2d_shape_proxy(hot, b2d_world_second(world, hot));
    const double error = b2d_vertex_error(hot->center_x, hot->center_y, hot->extent);
    b2d_cast_hit hit = cast_at(s, &a, pose, (b2d_vec2){hot->center_x, hot->center_y}, (double)hot->extent, error);
    if (s->mover) hit = cast_corners(s, &a, pose, shape, error, hit); // whose sides may turn by rounding
    return !hit.hit || record_hit(s, shape, hit.fraction, pose->x + hit.point.x, pose->y + hit.point.y, hit.normal);
}

typedef struct cast_geometry { // the cast geometry
    b2d_proxy proxy;
    b2d_vec2 middle;
    float extent;
} cast_geometry;

static b2d_status make_cast_geometry(const b2d_geometry* geometry, cast_geometry* form) {
    b2d_geometry checked = *geometry;
    B2D_TRY(b2d_geometry_check(&checked));
    _Alignas(64) b2d_shape_hot hot = {0};
    b2d_hull4 second;
    b2d_shape_hot_make(&checked, &hot, &second);
    *form = (cast_geometry){b2d_geometry_proxy(&checked), {hot.center_x, hot.center_y}, hot.extent};
    return B2D_OK;
}

static void orient_cast(search* s, const cast_geometry* form, double angle) {
    s->proxy = &form->proxy;
    s->q = b2d_make_rot(angle);
    const b2d_vec2 middle = b2d_rotate(s->q, form->middle);
    s->middle_x = middle.x, s->middle_y = middle.y;
    s->reach = form->extent;
}

static void run_cast(search* s) {
    const b2d_world* world = s->scope.world;
    // The boxes of shapes do not contain the sharp corners that a mover meets.
    const double x = s->ox + s->middle_x, y = s->oy + s->middle_y, reach = (s->mover ? 2.0 : 1.001) * s->reach;
    if (s->inverse == 0.0) {
        b2d_query_scope_box(&s->scope, x - reach, y - reach, x + reach, y + reach, test_cast, s);
        return;
    }
    world->broadphase_table->ray(world->broadphase, x, y, s->dx, s->dy, (float)reach, B2D_QUERY_CLASSES, &s->bound,
                                 test_cast, s);
    if (s->scope.filter.sensors) search_sensors(s, x, y, reach, 0, INT32_MAX, test_cast);
}

static b2d_status check_casts(int32_t n, const double* positions, const double* angles, const double* translations) {
    B2D_TRY(b2d_check_values(B2D_ARG_SHAPE_CAST_POSITION, n, positions));
    B2D_TRY(b2d_check_values(B2D_ARG_SHAPE_CAST_ANGLE, n, angles));
    return b2d_check_values(B2D_ARG_SHAPE_CAST_TRANSLATION, n, translations);
}

static b2d_status search_cast(search* s, const b2d_geometry* geometry, double x, double y, double angle, double dx,
                              double dy) {
    cast_geometry form;
    B2D_TRY(make_cast_geometry(geometry, &form));
    const double position[2] = {x, y}, translation[2] = {dx, dy};
    B2D_TRY(check_casts(1, position, &angle, translation));
    B2D_TRY(b2d_open_scope(&s->scope));
    uint32_t saved = b2d_float_enter();
    orient_cast(s, &form, angle);
    start_search(s, x, y, dx, dy);
    run_cast(s);
    b2d_float_leave(saved);
    return b2d_close_read(s->scope.world, B2D_OK);
}

b2d_status b2d_world_shape_cast_any(b2d_world* world, const b2d_geometry* geometry, double x, double y, double angle,
                                    double dx, double dy, const b2d_query_filter* filter, bool* out) {
    search s = {.scope = {world, *filter}, .mode = ANY};
    B2D_TRY(search_cast(&s, geometry, x, y, angle, dx, dy));
    *out = s.best.shape != B2D_NONE;
    return B2D_OK;
}

b2d_status b2d_world_shape_cast_all(b2d_world* world, const b2d_geometry* geometry, double x, double y, double angle,
                                    double dx, double dy, const b2d_query_filter* filter, bool mover,
                                    b2d_query_hit* out, int32_t room, int32_t* count) {
    hits all = {.memory = {.fail_after = -1}};
    search s = {.scope = {world, *filter}, .mode = ALL, .mover = mover, .all = &all};
    B2D_TRY(search_cast(&s, geometry, x, y, angle, dx, dy));
    return write_hits(&all, out, room, count);
}

// ---- the nearest shape

typedef struct nearest_search {
    b2d_query_scope scope;
    double x, y, limit; // limit: shapes farther away are ignored
    b2d_query_hit best;
} nearest_search;

static bool test_nearest(void* context, int32_t shape) {
    nearest_search* s = context;
    if (!b2d_query_accepts(&s->scope, shape)) return true;
    const b2d_world* world = s->scope.world;
    const b2d_shape_hot* hot = &world->shapes_hot[shape];
    const b2d_pose* pose = (const b2d_pose*)world->poses.data + hot->body;
    const b2d_point64 point = {s->x - pose->x, s->y - pose->y};
    const b2d_gjk g = b2d_shape_gjk(world, shape, &point, 1);
    const double radius = hot->radius;
    double distance = g.distance - radius;
    const bool outside = distance > 0.0;
    distance = outside ? distance : 0.0;
    if (distance > s->limit || (s->best.shape != B2D_NONE && (distance > s->best.fraction ||
                                                              (distance == s->best.fraction && shape > s->best.shape))))
        return true;
    s->best = (b2d_query_hit){.generation = world->shape_generations[shape],
                              .px = s->x,
                              .py = s->y,
                              .fraction = distance,
                              .shape = shape,
                              .body = hot->body};
    if (outside) {
        s->best.px = pose->x + (g.a.x + radius * g.normal.x);
        s->best.py = pose->y + (g.a.y + radius * g.normal.y);
        s->best.nx = (float)g.normal.x + 0.0f;
        s->best.ny = (float)g.normal.y + 0.0f;
    }
    return true;
}

// Queries boxes of growing size, until the nearest shape found is nearer than the edge of the box.
static void run_nearest(nearest_search* s, double max_distance) {
    s->best = no_hit;
    s->limit = max_distance;
    double reach = s->scope.world->options[B2D_OPTION_LENGTH_UNIT];
    for (;;) {
        if (reach > max_distance) reach = max_distance;
        b2d_query_scope_box(&s->scope, s->x - reach, s->y - reach, s->x + reach, s->y + reach, test_nearest, s);
        if (reach >= max_distance || (s->best.shape != B2D_NONE && s->best.fraction <= reach)) return;
        reach = s->best.shape != B2D_NONE ? s->best.fraction * (1.0 + 1.0e-12) : 4.0 * reach;
    }
}

// ---- arrays

enum { QUERY_GRAIN = 64, CELL_GRAIN = 8 }; // of the parallel loops: queries, or cells with all of their rays

typedef struct batch {
    b2d_query_scope scope;
    const double *origins, *translations, *angles;
    const cast_geometry* form;
    double max_distance;
    b2d_query_hit* out;
} batch;

static void rays_stage(void* context, int32_t begin, int32_t end, int32_t worker) {
    const batch* b = context;
    (void)worker;
    search s = {.scope = b->scope, .mode = CLOSEST};
    for (int32_t k = begin; k < end; k++) {
        const double *o = b->origins + 2 * (size_t)k, *d = b->translations + 2 * (size_t)k;
        start_search(&s, o[0], o[1], d[0], d[1]);
        run_ray(&s);
        b->out[k] = s.best;
    }
}

// Rays of a cell: ray k starts at origins + k * origin_step, in double[2], and so on.
typedef struct cell_batch {
    b2d_query_scope scope;
    const double *origins, *translations;
    int64_t origin_cell, origin_ray, translation_cell, translation_ray; // steps from a cell, or ray, to the next one
    int32_t rays;                                                       // of each cell
    double* fraction;
    float* normal;
    int32_t* shape;
} cell_batch;

typedef struct ray_group { // rays of one cell that are cast together
    search searches[B2D_RAYS];
    b2d_rays rays;
} ray_group;

static double lesser(double a, double b) { return a < b ? a : b; }
static double greater(double a, double b) { return a > b ? a : b; }

// The line of a ray of no length has no direction, so that every box would meet it: it gets a box that none overlaps.
static b2d_box place_ray(b2d_rays* rays, int32_t k, const search* s) {
    const double x = s->ox + s->dx, y = s->oy + s->dy;
    b2d_box box = b2d_box_above(lesser(s->ox, x), lesser(s->oy, y), greater(s->ox, x), greater(s->oy, y));
    if (s->inverse == 0.0) box = (b2d_box){INFINITY, INFINITY, -INFINITY, -INFINITY};
    rays->min_x[k] = box.min_x, rays->min_y[k] = box.min_y, rays->max_x[k] = box.max_x, rays->max_y[k] = box.max_y;
    rays->nx[k] = (float)-s->dy, rays->ny[k] = (float)s->dx;
    rays->offset[k] = (float)(s->dx * s->oy - s->dy * s->ox);
    rays->slack[k] = (float)(0x1p-21 * (fabs(s->dx) + fabs(s->dy)) * (fabs(s->ox) + fabs(s->oy)));
    return box;
}

static bool accepts(void* context, int32_t shape) {
    const b2d_query_scope* scope = &((ray_group*)context)->searches[0].scope;
    b2d_shape_prefetch(&scope->world->shapes_hot[shape]); // it is tested when all shapes have been accepted
    return b2d_query_accepts(scope, shape);
}

static void meet(void* context, int32_t ray, int32_t shape) {
    (void)test_accepted(&((ray_group*)context)->searches[ray], shape);
}

static void write_ray(const cell_batch* b, int64_t row, const b2d_query_hit* hit, int32_t first) {
    const bool found = hit->shape != B2D_NONE;
    b->fraction[row] = found ? hit->fraction : (double)INFINITY;
    b->normal[2 * row] = found ? hit->nx : 0.0f, b->normal[2 * row + 1] = found ? hit->ny : 0.0f;
    b->shape[row] = found ? hit->shape - first : B2D_NONE;
}

static void cell_rays(const cell_batch* b, int32_t cell, int32_t from, int32_t count, ray_group* group) {
    const b2d_world* world = b->scope.world;
    const int32_t shapes = world->graph.cells.shapes, first = cell * shapes;
    b2d_box around = {INFINITY, INFINITY, -INFINITY, -INFINITY};
    for (int32_t k = 0; k < count; k++) {
        const double *o = b->origins + 2 * (cell * b->origin_cell + (from + k) * b->origin_ray),
                     *d = b->translations + 2 * (cell * b->translation_cell + (from + k) * b->translation_ray);
        search* s = &group->searches[k];
        aim(s, o[0], o[1], d[0], d[1]);
        around = b2d_box_union(around, place_ray(&group->rays, k, s));
    }
    b2d_cells_rays(world->broadphase, first, &group->rays, count, around, B2D_QUERY_CLASSES, accepts, meet, group);
    for (int32_t k = 0; k < count; k++) {
        search* s = &group->searches[k];
        if (s->scope.filter.sensors && s->inverse != 0.0)
            search_sensors(s, s->ox, s->oy, 0.0, first, first + shapes, test_ray);
        write_ray(b, (int64_t)cell * b->rays + from + k, &s->best, first);
    }
}

static void cell_rays_stage(void* context, int32_t begin, int32_t end, int32_t worker) {
    const cell_batch* b = context;
    ray_group group = {0};
    (void)worker;
    for (int32_t k = 0; k < B2D_RAYS; k++) group.searches[k] = (search){.scope = b->scope, .mode = CLOSEST};
    for (int32_t cell = begin; cell < end; cell++)
        for (int32_t from = 0; from < b->rays; from += B2D_RAYS)
            cell_rays(b, cell, from, b2d_min_int(b->rays - from, B2D_RAYS), &group);
}

static void casts_stage(void* context, int32_t begin, int32_t end, int32_t worker) {
    const batch* b = context;
    (void)worker;
    search s = {.scope = b->scope, .mode = CLOSEST};
    for (int32_t k = begin; k < end; k++) {
        const double *o = b->origins + 2 * (size_t)k, *d = b->translations + 2 * (size_t)k;
        orient_cast(&s, b->form, b->angles == NULL ? 0.0 : b->angles[k]);
        start_search(&s, o[0], o[1], d[0], d[1]);
        run_cast(&s);
        b->out[k] = s.best;
    }
}

static void nearest_stage(void* context, int32_t begin, int32_t end, int32_t worker) {
    const batch* b = context;
    (void)worker;
    for (int32_t k = begin; k < end; k++) {
        nearest_search s = {.scope = b->scope, .x = b->origins[2 * (size_t)k], .y = b->origins[2 * (size_t)k + 1]};
        run_nearest(&s, b->max_distance);
        b->out[k] = s.best;
    }
}

static b2d_status run_stage(const b2d_query_scope* scope, b2d_stage_fn* stage, void* context, int32_t n,
                            int32_t grain) {
    b2d_world* world = scope->world;
    B2D_TRY(b2d_open_scope(scope));
    uint32_t saved = b2d_float_enter();
    b2d_parallel_for(world->scheduler, stage, context, n, grain);
    b2d_float_leave(saved);
    return b2d_close_read(world, B2D_OK);
}

static b2d_status run_batch(batch* b, b2d_stage_fn* stage, int32_t n) {
    return run_stage(&b->scope, stage, b, n, QUERY_GRAIN);
}

b2d_status b2d_world_ray_casts(b2d_world* world, int32_t n, const double* origins, const double* translations,
                               const b2d_query_filter* filter, b2d_query_hit* out) {
    batch b = {.scope = {world, *filter}, .origins = origins, .translations = translations, .out = out};
    B2D_TRY(b2d_check_values(B2D_ARG_RAY_CAST_ORIGIN, n, origins));
    B2D_TRY(b2d_check_values(B2D_ARG_RAY_CAST_TRANSLATION, n, translations));
    return run_batch(&b, rays_stage, n);
}

// The vectors (x, y) of all cells and rays; where a step is 0, they are the same ones again.
static b2d_status check_vectors(const double* rows, int64_t cell_step, int64_t ray_step, int32_t cells, int32_t rays,
                                int32_t argument) {
    for (int32_t cell = 0; cell < (cell_step == 0 ? 1 : cells); cell++)
        for (int32_t k = 0; k < (ray_step == 0 ? 1 : rays); k++)
            B2D_TRY(b2d_check_vec(rows + 2 * (cell * cell_step + k * ray_step), b2d_limit_position, argument));
    return B2D_OK;
}

b2d_status b2d_cells_ray_casts(b2d_world* world, int32_t k, const double* origins, const int64_t* origin_steps,
                               const double* translations, const int64_t* translation_steps,
                               const b2d_query_filter* filter, double* fraction, float* normal, int32_t* shape) {
    const int32_t cells = world->graph.cells.count;
    cell_batch b = {.scope = {world, *filter},
                    .origins = origins,
                    .translations = translations,
                    .origin_cell = origin_steps[0],
                    .origin_ray = origin_steps[1],
                    .translation_cell = translation_steps[0],
                    .translation_ray = translation_steps[1],
                    .rays = k,
                    .fraction = fraction,
                    .normal = normal,
                    .shape = shape};
    if (k == 0) return B2D_OK;
    B2D_TRY(check_vectors(origins, b.origin_cell, b.origin_ray, cells, k, B2D_ARG_ORIGINS));
    B2D_TRY(check_vectors(translations, b.translation_cell, b.translation_ray, cells, k, B2D_ARG_TRANSLATIONS));
    return run_stage(&b.scope, cell_rays_stage, &b, cells, CELL_GRAIN);
}

b2d_status b2d_world_shape_casts(b2d_world* world, const b2d_geometry* geometry, int32_t n, const double* positions,
                                 const double* angles, const double* translations, const b2d_query_filter* filter,
                                 b2d_query_hit* out) {
    cast_geometry form;
    B2D_TRY(make_cast_geometry(geometry, &form));
    B2D_TRY(check_casts(n, positions, angles, translations));
    batch b = {.scope = {world, *filter},
               .origins = positions,
               .translations = translations,
               .angles = angles,
               .form = &form,
               .out = out};
    return run_batch(&b, casts_stage, n);
}

b2d_status b2d_world_nearest(b2d_world* world, int32_t n, const double* points, double max_distance,
                             const b2d_query_filter* filter, b2d_query_hit* out) {
    B2D_TRY(b2d_check_values(B2D_ARG_NEAREST_MAX_DISTANCE, 1, &max_distance));
    B2D_TRY(b2d_check_values(B2D_ARG_NEAREST_POINT, n, points));
    batch b = {.scope = {world, *filter}, .origins = points, .max_distance = max_distance, .out = out};
    return run_batch(&b, nearest_stage, n);
}
