// csrc/geometry/gjk.h - GJK between two point sets in float64; the core of distance, shape cast and time of impact.
#pragma once
#include "geometry/hot_shape.h"

typedef struct b2d_point64 {
    double x, y;
} b2d_point64;

typedef struct b2d_gjk {
    b2d_point64 a, b;   // closest points of the cores
    b2d_point64 normal; // unit, from a to b; (0, 0) when the cores overlap
    double distance;    // of the cores; 0 when they overlap
    int32_t iterations;
} b2d_gjk;

b2d_gjk b2d_gjk_solve(const b2d_point64* a, int32_t count_a, const b2d_point64* b, int32_t count_b);
void b2d_gjk_place(const b2d_proxy* proxy, b2d_transform transform, b2d_point64 out[8]); // the proxy's points, moved
// The same in float64: rotated by q and moved by (x, y)
static inline void b2d_place_points(const b2d_proxy* proxy, double x, double y, b2d_rot q, b2d_point64 out[8]) {
    const double c = q.c, s = q.s;
    for (int32_t i = 0; i < proxy->count; i++) {
        const double px = proxy->points[i].x, py = proxy->points[i].y;
        out[i] = (b2d_point64){x + (c * px - s * py), y + (s * px + c * py)};
    }
}

typedef struct b2d_cast_rule {
    double tolerance; // m: shapes this near touch
    double graze;     // m: a shape that the path, continued, does not enter deeper than this is not met
    bool leaves;      // a shape that touches or overlaps at the start is met only if the path leads deeper into it
} b2d_cast_rule;
typedef struct b2d_cast_hit {
    b2d_point64 point; // relative to the origin of A
    b2d_vec2 normal;   // from A to B; (0, 0) where they overlap at the start
    double fraction;
    bool hit;
} b2d_cast_hit;
// Moves B, from `start` relative to the origin of A, along `translation` until it touches A.
b2d_cast_hit b2d_shape_cast(const b2d_proxy* a, b2d_rot qa, const b2d_proxy* b, b2d_rot qb, b2d_point64 start,
                            b2d_point64 translation, const b2d_cast_rule* rule);

// Ray origin + t translation against the row of a shape, body coordinates: the fraction at which it enters the shape,
// if that is in (lower, upper]. A ray that starts inside or on the surface (`lower` is its start) does not hit; nor
// does a ray that meets a chain segment from behind. The translation must not be zero; the origin should be near the
// shape.
bool b2d_row_ray(const b2d_shape_hot* hot, const b2d_hull4* second, b2d_point64 origin, b2d_point64 translation,
                 double lower, double upper, double* fraction, b2d_vec2* normal);
