// csrc/geometry/shape_cast.c - moves one shape along a line until it touches another.
//
// Idea: along a fixed separating axis the gap shrinks at a constant rate, so advancing until the gap along that axis is
// used up never passes the first contact; then take the new closest axis. The distance is a convex function of the
// fraction, and this is Newton's method on it from the left: it does not overshoot, and once the gap along an axis
// grows the shapes never touch.
#include "geometry/gjk.h"

#define MAX_STEPS 64 // a grazing contact halves the gap in each step; 64 halvings suffice for any gap

b2d_cast_hit b2d_shape_cast(const b2d_proxy* a, const b2d_proxy* b, b2d_transform b_in_a, b2d_vec2 translation,
                            float max_fraction, double tolerance) {
    b2d_cast_hit miss = {{0.0f, 0.0f}, {0.0f, 0.0f}, 0.0f, false};
    double radii = (double)a->radius + b->radius, fraction = 0.0;
    b2d_point64 pa[8], start[8], pb[8], normal = {0.0, 0.0}, touch = {0.0, 0.0};
    b2d_gjk_place(a, (b2d_transform){{0.0f, 0.0f}, {1.0f, 0.0f}}, pa);
    b2d_gjk_place(b, b_in_a, start);
    for (int32_t step = 0; step < MAX_STEPS; step++) {
        for (int32_t i = 0; i < b->count; i++)
            pb[i] = (b2d_point64){start[i].x + fraction * translation.x, start[i].y + fraction * translation.y};
        b2d_gjk g = b2d_gjk_solve(pa, a->count, pb, b->count);
        double gap = g.distance - radii;
        if (g.distance > 0.0) normal = g.normal; // else the normal of the step before, just before the cores touched
        touch = (b2d_point64){g.a.x + a->radius * normal.x, g.a.y + a->radius * normal.y};
        if (gap <= 0.0) break;
        double speed = -(normal.x * translation.x + normal.y * translation.y);
        if (speed <= 0.0) return miss;
        if (gap <= tolerance) break;
        fraction += gap / speed;
        if (fraction > max_fraction) return miss;
    }
    return (b2d_cast_hit){{(float)touch.x, (float)touch.y}, {(float)normal.x, (float)normal.y}, (float)fraction, true};
}
