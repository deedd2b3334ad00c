// csrc/api/query.h - what rays, casts and overlaps share: which shapes a query sees, and the points of a shape in
// float64.
#pragma once
#include "broadphase/proxies.h"
#include "geometry/gjk.h"
#include "api/entry.h"

enum { B2D_SEEN_CLASSES = 1 << B2D_PROXY_STATIC | 1 << B2D_PROXY_ASLEEP | 1 << B2D_PROXY_MOVING };

typedef struct b2d_sight {
    b2d_world* world;
    uint64_t category, mask;
} b2d_sight;

static inline bool b2d_sees(const b2d_sight* sight, int32_t shape) {
    const b2d_shape* cold = &sight->world->shapes[shape];
    return (sight->mask & cold->category) != 0 && (cold->mask & sight->category) != 0 &&
           (cold->flags & B2D_SHAPE_FLAG_SENSOR) == 0;
}

// Points of a core turned by q and moved by (x, y).
static inline void b2d_place_points(const b2d_proxy* proxy, double x, double y, b2d_rot q, b2d_point64 out[8]) {
    const double c = q.c, s = q.s;
    for (int32_t i = 0; i < proxy->count; i++) {
        const double px = proxy->points[i].x, py = proxy->points[i].y;
        out[i] = (b2d_point64){x + (c * px - s * py), y + (s * px + c * py)};
    }
}

// A chain segment is met from its front, as contacts are: by what starts with its centroid there, (x, y) from the
// shape's body.
static inline bool b2d_comes_from_behind(const b2d_shape_hot* hot, const b2d_pose* pose, double x, double y) {
    if (hot->form != B2D_FORM_CHAIN) return false;
    const double c = pose->c, s = pose->s;
    return (double)hot->hull.nx[0] * (c * x + s * y) + (double)hot->hull.ny[0] * (c * y - s * x) <
           (double)hot->hull.offset[0];
}

// GJK of a shape (a) and points given relative to the position of its body, world axes.
static inline b2d_gjk b2d_row_gjk(const b2d_world* world, int32_t shape, const b2d_point64* b, int32_t count) {
    const b2d_shape_hot* hot = &world->shapes_hot[shape];
    const b2d_pose* pose = (const b2d_pose*)world->poses.data + hot->body;
    const b2d_proxy proxy = b2d_shape_proxy(hot, b2d_world_second(world, hot));
    b2d_point64 a[8];
    b2d_place_points(&proxy, 0.0, 0.0, (b2d_rot){pose->c, pose->s}, a);
    return b2d_gjk_solve(a, proxy.count, b, count);
}

static inline float b2d_float_above(double d) { // not below d
    const float f = (float)d;
    union {
        float f;
        uint32_t u;
    } bits = {f};
    if ((double)f >= d) return f;
    if (f == 0.0f) return 1.0e-45f;
    bits.u = f > 0.0f ? bits.u + 1 : bits.u - 1;
    return bits.f;
}
static inline float b2d_float_below(double d) { return -b2d_float_above(-d); }

// Calls `found` for every shape whose fat box meets the box; each once, in any order.
static inline void b2d_query_box(const b2d_world* world, double min_x, double min_y, double max_x, double max_y,
                                 b2d_query_fn* found, void* context) {
    const b2d_box box = {b2d_float_below(min_x), b2d_float_below(min_y), b2d_float_above(max_x),
                         b2d_float_above(max_y)};
    world->broadphase_table->query(world->broadphase, box, B2D_SEEN_CLASSES, found, context);
}

// A reader of a world whose broad phase is up to date; close with b2d_close_read.
b2d_status b2d_open_query(b2d_world* world);
