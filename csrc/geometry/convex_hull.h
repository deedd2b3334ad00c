// csrc/geometry/convex_hull.h - convex hulls of any number of points (of polygon shapes: geometry_check.c).
#pragma once
#include "geometry/gjk.h"

// The hull of n points, counter-clockwise from the lowest x (then lowest y); equal points count once, points on a side
// are dropped. A result below 3 means that the points have no area. Coordinates are 0 or 1e-100 to 1e12 in magnitude.
// Reorders `p`; `hull` has room for n + 1.
int32_t b2d_hull_of(b2d_point64* p, int32_t n, b2d_point64* hull);
// The same for different points that are sorted by x, then y
int32_t b2d_hull_wrap(const b2d_point64* p, int32_t n, b2d_point64* hull);
