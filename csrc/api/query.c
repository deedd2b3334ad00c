// csrc/api/query.c - rays, shape casts and the nearest shape: one, all, or arrays of them on all workers.
//
// Idea: for each shape by itself the fraction of the hit is computed from the part of the way that is near it, in
// coordinates of its body. Fractions are compared after rounding to 2^-40, and of equal fractions the lower id wins.
// So the answer is a minimum over shapes and does not depend on the order in which a broad phase finds them. The
// bound that prunes is the best fraction, rounded up beyond that.
// Threads: readers. Proof: tests/queries.
#include "api/query.h"

#include "api/entry.h"
#include "objects/proxy.h"

#include <stdlib.h>

// ---- the lock

static bool flush(b2d_world* world) { // under B2D_LOCK_FLUSH
    uint32_t saved = b2d_float_enter();
    bool done = b2d_world_update_broadphase(world);
    b2d_float_leave(saved);
    return done;
}

b2d_status b2d_open_query(b2d_world* world) {
    for (;;) {
        B2D_TRY(b2d_open_read(world));
        if (!world->broadphase_stale) return B2D_OK;
        if (atomic_load(&world->lock) == -1) // in a callback of a step: nothing else runs
            return flush(world) ? B2D_OK : b2d_error(B2D_NO_MEMORY, B2D_ARG_NONE);
        b2d_end_read(world);
        int nobody = 0;
        if (atomic_compare_exchange_strong(&world->lock, &nobody, B2D_LOCK_FLUSH)) {
            bool done = flush(world);
            atomic_store(&world->lock, done ? 1 : 0); // a reader from now on
            return done ? B2D_OK : b2d_error(B2D_NO_MEMORY, B2D_ARG_NONE);
        }
        b2d_thread_yield(); // another reader: wait for it; a writer: the next round says so
    }
}

// ---- hits

typedef struct hits { // growing; of one call alone
    b2d_memory memory;
    b2d_query_hit* rows;
    int32_t count, capacity;
    bool failed;
} hits;

static double rounded(double fraction) { // to a multiple of 2^-40
    const double shift = 6144.0;         // its last bit is worth 2^-40
    return (fraction + shift) - shift;
}

static int compare_hits(const void* a, const void* b) {
    const b2d_query_hit *x = a, *y = b;
    const double fx = rounded(x->fraction), fy = rounded(y->fraction);
    if (fx != fy) return fx < fy ? -1 : 1;
    return (x->shape > y->shape) - (x->shape < y->shape);
}

// Equal fractions become the very same, so that the list ascends.
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
    b2d_sight sight;
    double ox, oy, dx, dy;            // where the ray, or the cast geometry's origin, starts, and its way
    double squared, inverse;          // of the length of the way
    const b2d_proxy* proxy;           // what is cast; NULL: a ray
    b2d_rot q;                        // its rotation
    double middle_x, middle_y, reach; // its centroid about its origin in world axes, and its extent from there
    int32_t mode;
    float bound; // *max_fraction of the broad phase
    b2d_query_hit best;
    hits* all;
} search;

static bool note(search* s, int32_t shape, double fraction, double px, double py, b2d_vec2 normal) {
    const b2d_world* world = s->sight.world;
    // Never -0
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
        s->bound = b2d_float_above(fraction + 0x1p-39);
    }
    return s->mode == CLOSEST;
}

// ---- rays

static bool ray_meets(void* context, int32_t shape) {
    search* s = context;
    if (!b2d_sees(&s->sight, shape)) return true;
    const b2d_world* world = s->sight.world;
    const b2d_shape_hot* hot = &world->shapes_hot[shape];
    const b2d_pose* pose = (const b2d_pose*)world->poses.data + hot->body;
    const double c = pose->c, sn = pose->s;
    // The point of the way that is nearest to the shape's centre becomes the origin.
    const double rx = s->ox - pose->x, ry = s->oy - pose->y; // of the start about the body
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
    if (!b2d_row_ray(hot, b2d_world_second(world, hot), origin, way, -t, 1.0 - t, &fraction, &normal)) return true;
    fraction += t;
    return note(s, shape, fraction, s->ox + fraction * s->dx, s->oy + fraction * s->dy,
                b2d_rotate((b2d_rot){pose->c, pose->s}, normal));
}

static void start(search* s, double ox, double oy, double dx, double dy) {
    s->ox = ox, s->oy = oy, s->dx = dx, s->dy = dy;
    s->squared = dx * dx + dy * dy;
    s->inverse = s->squared > 1.0e-200 ? 1.0 / s->squared : 0.0; // shorter is no way at all
    s->bound = 1.0f;
    s->best = no_hit;
}

static void run_ray(search* s) {
    if (s->inverse == 0.0) return;
    const b2d_world* world = s->sight.world;
    world->broadphase_table->ray(world->broadphase, s->ox, s->oy, s->dx, s->dy, 0.0f, B2D_SEEN_CLASSES, &s->bound,
                                 ray_meets, s);
}

static b2d_status check_way(const double* origin, const double* translation, int32_t origin_argument,
                            int32_t translation_argument) {
    B2D_TRY(b2d_check_vec(origin, b2d_limit_position, origin_argument));
    return b2d_check_vec(translation, b2d_limit_position, translation_argument);
}

static b2d_status one_ray(search* s, double ox, double oy, double dx, double dy) {
    const double origin[2] = {ox, oy}, translation[2] = {dx, dy};
    B2D_TRY(check_way(origin, translation, B2D_ARG_ORIGIN, B2D_ARG_TRANSLATION));
    B2D_TRY(b2d_open_query(s->sight.world));
    uint32_t saved = b2d_float_enter();
    start(s, ox, oy, dx, dy);
    run_ray(s);
    b2d_float_leave(saved);
    return b2d_close_read(s->sight.world, B2D_OK);
}

b2d_status b2d_world_ray_cast(b2d_world* world, double ox, double oy, double dx, double dy, b2d_query_hit* out) {
    search s = {.sight = {world, UINT64_MAX, UINT64_MAX}, .mode = CLOSEST};
    B2D_TRY(one_ray(&s, ox, oy, dx, dy));
    *out = s.best;
    return B2D_OK;
}

b2d_status b2d_world_ray_cast_any(b2d_world* world, double ox, double oy, double dx, double dy, uint64_t category,
                                  uint64_t mask, bool* out) {
    search s = {.sight = {world, category, mask}, .mode = ANY};
    B2D_TRY(one_ray(&s, ox, oy, dx, dy));
    *out = s.best.shape != B2D_NONE;
    return B2D_OK;
}

b2d_status b2d_world_ray_cast_all(b2d_world* world, double ox, double oy, double dx, double dy, uint64_t category,
                                  uint64_t mask, b2d_query_hit* out, int32_t room, int32_t* count) {
    hits all = {.memory = {.fail_after = -1}};
    search s = {.sight = {world, category, mask}, .mode = ALL, .all = &all};
    B2D_TRY(one_ray(&s, ox, oy, dx, dy));
    return write_hits(&all, out, room, count);
}

// ---- casts

static bool cast_meets(void* context, int32_t shape) {
    search* s = context;
    if (!b2d_sees(&s->sight, shape)) return true;
    const b2d_world* world = s->sight.world;
    const b2d_shape_hot* hot = &world->shapes_hot[shape];
    const b2d_pose* pose = (const b2d_pose*)world->poses.data + hot->body;
    const double c = pose->c, sn = pose->s;
    // The part of the way on which the bounding circles overlap, and a little more.
    const double rx = s->ox - pose->x, ry = s->oy - pose->y;
    if (b2d_comes_from_behind(hot, pose, rx + s->middle_x, ry + s->middle_y)) return true;
    const double mx = c * hot->center_x - sn * hot->center_y - rx - s->middle_x,
                 my = sn * hot->center_x + c * hot->center_y - ry - s->middle_y;
    const double reach = 1.001 * (s->reach + (double)hot->extent), middle = (mx * s->dx + my * s->dy) * s->inverse;
    const double ex = mx - middle * s->dx, ey = my - middle * s->dy, room = reach * reach - (ex * ex + ey * ey);
    if (room < 0.0) return true;
    const double half = sqrt(room * s->inverse);
    const double from = middle - half > 0.0 ? middle - half : 0.0, to = s->inverse == 0.0     ? 0.0
                                                                        : middle + half < 1.0 ? middle + half
                                                                                              : 1.0;
    if (from > to) return true;
    const double px = rx + from * s->dx, py = ry + from * s->dy, wx = (to - from) * s->dx, wy = (to - from) * s->dy;
    const b2d_rot q = {pose->c, pose->s};
    const b2d_transform b_in_a = {{(float)(c * px + sn * py), (float)(c * py - sn * px)}, b2d_rot_relative(q, s->q)};
    const b2d_vec2 way = {(float)(c * wx + sn * wy), (float)(c * wy - sn * wx)};
    const b2d_proxy a = b2d_shape_proxy(hot, b2d_world_second(world, hot));
    const b2d_cast_hit hit = b2d_shape_cast(&a, s->proxy, b_in_a, way, 1.0f,
                                            1.0e-5 * world->options[B2D_OPTION_LENGTH_UNIT]);
    if (!hit.hit) return true;
    const double touch_x = hit.point.x, touch_y = hit.point.y;
    return note(s, shape, from + (to - from) * (double)hit.fraction, pose->x + (c * touch_x - sn * touch_y),
                pose->y + (sn * touch_x + c * touch_y), b2d_rotate(q, hit.normal));
}

typedef struct cast_form { // the cast geometry
    b2d_proxy proxy;
    b2d_vec2 middle;
    float extent;
} cast_form;

static b2d_status make_form(const b2d_geometry* geometry, cast_form* form) {
    b2d_geometry checked = *geometry;
    B2D_TRY(b2d_geometry_check(&checked));
    _Alignas(64) b2d_shape_hot hot = {0};
    b2d_hull4 second;
    b2d_shape_hot_make(&checked, &hot, &second);
    *form = (cast_form){b2d_geometry_proxy(&checked), {hot.center_x, hot.center_y}, hot.extent};
    return B2D_OK;
}

static void turn(search* s, const cast_form* form, double angle) {
    s->proxy = &form->proxy;
    s->q = b2d_make_rot(angle);
    const b2d_vec2 middle = b2d_rotate(s->q, form->middle);
    s->middle_x = middle.x, s->middle_y = middle.y;
    s->reach = form->extent;
}

static void run_cast(search* s) {
    const b2d_world* world = s->sight.world;
    const double x = s->ox + s->middle_x, y = s->oy + s->middle_y, reach = 1.001 * s->reach;
    if (s->inverse == 0.0) b2d_query_box(world, x - reach, y - reach, x + reach, y + reach, cast_meets, s);
    else
        world->broadphase_table->ray(world->broadphase, x, y, s->dx, s->dy, (float)reach, B2D_SEEN_CLASSES, &s->bound,
                                     cast_meets, s);
}

static b2d_status one_cast(search* s, const b2d_geometry* geometry, double x, double y, double angle, double dx,
                           double dy) {
    cast_form form;
    B2D_TRY(make_form(geometry, &form));
    const double position[2] = {x, y}, translation[2] = {dx, dy};
    B2D_TRY(check_way(position, translation, B2D_ARG_POSITION, B2D_ARG_TRANSLATION));
    B2D_TRY(b2d_check_range(angle, -b2d_limit_angle, b2d_limit_angle, B2D_ARG_ANGLE));
    B2D_TRY(b2d_open_query(s->sight.world));
    uint32_t saved = b2d_float_enter();
    turn(s, &form, angle);
    start(s, x, y, dx, dy);
    run_cast(s);
    b2d_float_leave(saved);
    return b2d_close_read(s->sight.world, B2D_OK);
}

b2d_status b2d_world_shape_cast_any(b2d_world* world, const b2d_geometry* geometry, double x, double y, double angle,
                                    double dx, double dy, uint64_t category, uint64_t mask, bool* out) {
    search s = {.sight = {world, category, mask}, .mode = ANY};
    B2D_TRY(one_cast(&s, geometry, x, y, angle, dx, dy));
    *out = s.best.shape != B2D_NONE;
    return B2D_OK;
}

b2d_status b2d_world_shape_cast_all(b2d_world* world, const b2d_geometry* geometry, double x, double y, double angle,
                                    double dx, double dy, uint64_t category, uint64_t mask, b2d_query_hit* out,
                                    int32_t room, int32_t* count) {
    hits all = {.memory = {.fail_after = -1}};
    search s = {.sight = {world, category, mask}, .mode = ALL, .all = &all};
    B2D_TRY(one_cast(&s, geometry, x, y, angle, dx, dy));
    return write_hits(&all, out, room, count);
}

// ---- the nearest

typedef struct nearest_search {
    b2d_sight sight;
    double x, y, limit; // nothing farther counts
    b2d_query_hit best;
} nearest_search;

static bool note_nearest(void* context, int32_t shape) {
    nearest_search* s = context;
    if (!b2d_sees(&s->sight, shape)) return true;
    const b2d_world* world = s->sight.world;
    const b2d_shape_hot* hot = &world->shapes_hot[shape];
    const b2d_pose* pose = (const b2d_pose*)world->poses.data + hot->body;
    const b2d_point64 point = {s->x - pose->x, s->y - pose->y};
    const b2d_gjk g = b2d_row_gjk(world, shape, &point, 1);
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

// Boxes of growing size, until what was found is nearer than the box's edge.
static void run_nearest(nearest_search* s, double max_distance) {
    const b2d_world* world = s->sight.world;
    s->best = no_hit;
    s->limit = max_distance;
    double reach = world->options[B2D_OPTION_LENGTH_UNIT];
    for (;;) {
        if (reach > max_distance) reach = max_distance;
        b2d_query_box(world, s->x - reach, s->y - reach, s->x + reach, s->y + reach, note_nearest, s);
        if (reach >= max_distance || (s->best.shape != B2D_NONE && s->best.fraction <= reach)) return;
        reach = s->best.shape != B2D_NONE ? s->best.fraction * (1.0 + 1.0e-12) : 4.0 * reach;
    }
}

// ---- arrays

typedef struct batch {
    b2d_sight sight;
    const double *starts, *ways, *angles;
    const cast_form* form;
    double max_distance;
    b2d_query_hit* out;
} batch;

static void rays_stage(void* context, int32_t begin, int32_t end, int32_t worker) {
    const batch* b = context;
    (void)worker;
    search s = {.sight = b->sight, .mode = CLOSEST};
    for (int32_t k = begin; k < end; k++) {
        const double *o = b->starts + 2 * (size_t)k, *d = b->ways + 2 * (size_t)k;
        start(&s, o[0], o[1], d[0], d[1]);
        run_ray(&s);
        b->out[k] = s.best;
    }
}

static void casts_stage(void* context, int32_t begin, int32_t end, int32_t worker) {
    const batch* b = context;
    (void)worker;
    search s = {.sight = b->sight, .mode = CLOSEST};
    for (int32_t k = begin; k < end; k++) {
        const double *o = b->starts + 2 * (size_t)k, *d = b->ways + 2 * (size_t)k;
        turn(&s, b->form, b->angles == NULL ? 0.0 : b->angles[k]);
        start(&s, o[0], o[1], d[0], d[1]);
        run_cast(&s);
        b->out[k] = s.best;
    }
}

static void nearest_stage(void* context, int32_t begin, int32_t end, int32_t worker) {
    const batch* b = context;
    (void)worker;
    for (int32_t k = begin; k < end; k++) {
        nearest_search s = {.sight = b->sight, .x = b->starts[2 * (size_t)k], .y = b->starts[2 * (size_t)k + 1]};
        run_nearest(&s, b->max_distance);
        b->out[k] = s.best;
    }
}

static b2d_status run_batch(batch* b, b2d_stage_fn* stage, int32_t n) {
    b2d_world* world = b->sight.world;
    B2D_TRY(b2d_open_query(world));
    uint32_t saved = b2d_float_enter();
    b2d_parallel_for(world->scheduler, stage, b, n, 64);
    b2d_float_leave(saved);
    return b2d_close_read(world, B2D_OK);
}

b2d_status b2d_world_ray_casts(b2d_world* world, int32_t n, const double* origins, const double* translations,
                               uint64_t category, uint64_t mask, b2d_query_hit* out) {
    for (int32_t k = 0; k < n; k++)
        B2D_TRY(
            check_way(origins + 2 * (size_t)k, translations + 2 * (size_t)k, B2D_ARG_ORIGINS, B2D_ARG_TRANSLATIONS));
    batch b = {.sight = {world, category, mask}, .starts = origins, .ways = translations, .out = out};
    return run_batch(&b, rays_stage, n);
}

b2d_status b2d_world_shape_casts(b2d_world* world, const b2d_geometry* geometry, int32_t n, const double* positions,
                                 const double* angles, const double* translations, uint64_t category, uint64_t mask,
                                 b2d_query_hit* out) {
    cast_form form;
    B2D_TRY(make_form(geometry, &form));
    for (int32_t k = 0; k < n; k++) {
        B2D_TRY(check_way(positions + 2 * (size_t)k, translations + 2 * (size_t)k,
                          n == 1 ? B2D_ARG_POSITION : B2D_ARG_POSITIONS,
                          n == 1 ? B2D_ARG_TRANSLATION : B2D_ARG_TRANSLATIONS));
        if (angles != NULL)
            B2D_TRY(
                b2d_check_range(angles[k], -b2d_limit_angle, b2d_limit_angle, n == 1 ? B2D_ARG_ANGLE : B2D_ARG_ANGLES));
    }
    batch b = {.sight = {world, category, mask},
               .starts = positions,
               .ways = translations,
               .angles = angles,
               .form = &form,
               .out = out};
    return run_batch(&b, casts_stage, n);
}

b2d_status b2d_world_nearest(b2d_world* world, int32_t n, const double* points, double max_distance, uint64_t category,
                             uint64_t mask, b2d_query_hit* out) {
    B2D_TRY(b2d_check_range(max_distance, 0.0, b2d_limit_position, B2D_ARG_MAX_DISTANCE));
    for (int32_t k = 0; k < n; k++)
        B2D_TRY(b2d_check_vec(points + 2 * (size_t)k, b2d_limit_position, n == 1 ? B2D_ARG_POINT : B2D_ARG_POINTS));
    batch b = {.sight = {world, category, mask}, .starts = points, .max_distance = max_distance, .out = out};
    return run_batch(&b, nearest_stage, n);
}
