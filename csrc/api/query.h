// csrc/api/query.h - shared by rays, casts and overlaps: the filter of a query, and the points of a shape in float64.
#pragma once
#include "broadphase/proxies.h"
#include "geometry/gjk.h"
#include "api/entry.h"

enum { B2D_QUERY_CLASSES = 1 << B2D_PROXY_STATIC | 1 << B2D_PROXY_ASLEEP | 1 << B2D_PROXY_MOVING };

typedef struct b2d_query_scope {
    b2d_world* world;
    b2d_query_filter filter;
} b2d_query_scope;

// Checks what n queries have for an argument of lists/query_arguments.def, B2D_ARG_<QUERY>_<NAME>, by its range there.
// NULL is in order.
static inline b2d_status b2d_check_values(int32_t argument, int32_t n, const double* values) {
    static const struct {
        int32_t components;
        double lower, upper;
    } allowed[] = {
#define B2D_QUERY_ARGUMENT(QUERY, NAME, name, many, components, type, standard, lower, upper, ...) \
    [B2D_ARG_##QUERY##_##NAME - B2D_ARG_RAY_CAST_ORIGIN] = {components, lower, upper},
#include "lists/query_arguments.def"
#undef B2D_QUERY_ARGUMENT
    };
    const int32_t k = argument - B2D_ARG_RAY_CAST_ORIGIN; // the first one of the list
    const int64_t count = values == NULL ? 0 : (int64_t)n * allowed[k].components;
    for (int64_t i = 0; i < count; i++)
        B2D_TRY(b2d_check_range(values[i], allowed[k].lower, allowed[k].upper, argument));
    return B2D_OK;
}

static inline bool b2d_query_accepts(const b2d_query_scope* scope, int32_t shape) {
    const b2d_shape* cold = &scope->world->shapes[shape];
    return (scope->filter.mask & cold->category) != 0 && (cold->mask & scope->filter.category) != 0 &&
           (scope->filter.sensors || (cold->flags & B2D_SHAPE_FLAG_SENSOR) == 0);
}

// How far apart rounding may have moved vertices of two shapes that are at one place: their coordinates have 24 bits,
// and flush pieces agree as exactly.
static inline double b2d_vertex_error(float center_x, float center_y, float extent) {
    return 0x1p-23 * (fabs((double)center_x) + fabs((double)center_y) + (double)extent);
}

// Whether a cast with its centroid at (x, y), relative to the body of the shape, starts behind a chain segment. Such a
// cast does not hit it: a segment is solid only from its front, as for contacts.
static inline bool b2d_starts_behind(const b2d_shape_hot* hot, const b2d_pose* pose, double x, double y) {
    if (hot->form != B2D_FORM_CHAIN) return false;
    const double c = pose->c, s = pose->s;
    return (double)hot->hull.nx[0] * (c * x + s * y) + (double)hot->hull.ny[0] * (c * y - s * x) <
           (double)hot->hull.offset[0];
}

// Runs GJK on a shape (a) and points b, which are relative to the position of its body, in world axes.
static inline b2d_gjk b2d_shape_gjk(const b2d_world* world, int32_t shape, const b2d_point64* b, int32_t count) {
    const b2d_shape_hot* hot = &world->shapes_hot[shape];
    const b2d_pose* pose = (const b2d_pose*)world->poses.data + hot->body;
    const b2d_proxy proxy = b2d_shape_proxy(hot, b2d_world_second(world, hot));
    b2d_point64 a[8];
    b2d_place_points(&proxy, 0.0, 0.0, (b2d_rot){pose->c, pose->s}, a);
    return b2d_gjk_solve(a, proxy.count, b, count);
}

// Calls `found` once for every shape whose fat box overlaps the box, in any order. Sensors are not among them.
static inline void b2d_query_box(const b2d_world* world, double min_x, double min_y, double max_x, double max_y,
                                 b2d_query_fn* found, void* context) {
    world->broadphase_table->query(world->broadphase, b2d_box_above(min_x, min_y, max_x, max_y), B2D_QUERY_CLASSES,
                                   found, context);
}

// Calls `found` for the sensors of enabled bodies whose box overlaps `box`, in the range of shapes from `first` to
// `limit`. Sensors are not in the broad phase, so the time is in proportion to the number of sensors.
void b2d_query_sensors(const b2d_world* world, b2d_box box, int32_t first, int32_t limit, b2d_query_fn* found,
                       void* context);

// As b2d_query_box, for the shapes and, where the scope has them, the sensors.
static inline void b2d_query_scope_box(const b2d_query_scope* scope, double min_x, double min_y, double max_x,
                                       double max_y, b2d_query_fn* found, void* context) {
    b2d_query_box(scope->world, min_x, min_y, max_x, max_y, found, context);
    if (scope->filter.sensors)
        b2d_query_sensors(scope->world, b2d_box_above(min_x, min_y, max_x, max_y), 0, INT32_MAX, found, context);
}

// Opens the world for reading, with an up-to-date broad phase. Close it with b2d_close_read.
b2d_status b2d_open_query(b2d_world* world);
b2d_status b2d_open_scope(const b2d_query_scope* scope); // the same, after a check of the options
