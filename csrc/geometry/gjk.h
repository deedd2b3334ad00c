// csrc/geometry/gjk.h - GJK between two point sets in float64; the core of distance, shape cast and time of impact.
#pragma once
#include "geometry/shape.h"

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

// Ray origin + t translation against the row of a shape, body coordinates: the fraction at which it enters the shape,
// if that is in (lower, upper]. A ray that starts inside or on the surface (`lower` is its start) does not hit; nor
// does a ray that meets a chain segment from behind. The translation must not be zero; the origin should be near the
// shape.
bool b2d_row_ray(const b2d_shape_hot* hot, const b2d_hull4* second, b2d_point64 origin, b2d_point64 translation,
                 double lower, double upper, double* fraction, b2d_vec2* normal);
