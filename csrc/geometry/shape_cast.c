// csrc/geometry/shape_cast.c - moves one shape along a line until it touches another.
//
// Idea: along a fixed separating axis the gap shrinks at a constant rate, so advancing until the gap along that axis is
// used up never passes the first contact; then take the new closest axis. The distance is a convex function of the
// fraction, and this is Newton's method on it from the left: it does not overshoot, and once the gap along an axis
// grows the shapes never touch.
//
// A shape that the path only grazes is not met: surfaces of pieces are flush to a rounding error, and along them a
// corner of the next piece comes as near as the surface itself. Whether a touch is a graze does not depend on the
// length of the path: it is one unless the path, continued, comes deeper into the shape by `graze`.
#include "geometry/gjk.h"

#define MAX_STEPS 64 // a grazing contact halves the gap in each step; 64 halvings suffice for any gap

typedef struct path {
    b2d_point64 a[8], start[8]; // the cores; that of b at the start
    int32_t count_a, count_b;
    b2d_point64 translation;
    double graze;
} path;

static b2d_gjk solve_at(const path* p, double fraction) {
    b2d_point64 b[8];
    for (int32_t i = 0; i < p->count_b; i++)
        b[i] = (b2d_point64){p->start[i].x + fraction * p->translation.x, p->start[i].y + fraction * p->translation.y};
    return b2d_gjk_solve(p->a, p->count_a, b, p->count_b);
}

static double along(b2d_point64 n, b2d_point64 v) { return n.x * v.x + n.y * v.y; }

typedef struct sides {  // the sides of both cores, as bounds of the path
    double separation;  // at the start: the greatest along a normal of a side; negative where the cores overlap
    double from, to;    // the fractions between which every side is passed to a depth
    b2d_point64 normal; // of the side that is passed last
} sides;

// The sides of the core `face`, with the other core in front of them. `sign` is 1 if the other core is the one that
// moves, else -1.
static void pass_sides(const path* p, const b2d_point64* face, int32_t count, const b2d_point64* other,
                       int32_t count_other, double sign, double depth, sides* out) {
    for (int32_t i = 0; i < count && count > 1; i++) {
        const b2d_point64 from = face[i], to = face[i + 1 == count ? 0 : i + 1];
        const double ex = to.x - from.x, ey = to.y - from.y, length = sqrt(ex * ex + ey * ey);
        const b2d_point64 n = {ey / length, -ex / length};
        double separation = along(n, other[0]);
        for (int32_t k = 1; k < count_other; k++) {
            const double each = along(n, other[k]);
            separation = each < separation ? each : separation;
        }
        separation -= along(n, from);
        out->separation = separation > out->separation ? separation : out->separation;
        const double rate = sign * along(n, p->translation), room = depth - separation;
        if (rate == 0.0) {
            if (room < 0.0) out->to = -INFINITY;
        } else if (rate > 0.0) out->to = room / rate < out->to ? room / rate : out->to;
        else if (room / rate > out->from) out->from = room / rate, out->normal = (b2d_point64){sign * n.x, sign * n.y};
    }
}

static sides passed_sides(const path* p, double depth) {
    sides out = {-INFINITY, 0.0, INFINITY, {0.0, 0.0}};
    pass_sides(p, p->a, p->count_a, p->start, p->count_b, 1.0, depth, &out);
    pass_sides(p, p->start, p->count_b, p->a, p->count_a, -1.0, depth, &out);
    return out;
}

// Whether the cores come within `distance` at this fraction or beyond it; negative: whether they overlap by as much.
static bool comes_within(const path* p, double fraction, double distance) {
    if (distance < 0.0) {
        const sides s = passed_sides(p, distance);
        return s.from <= s.to;
    }
    for (int32_t step = 0; step < MAX_STEPS; step++) {
        const b2d_gjk g = solve_at(p, fraction);
        const double gap = g.distance - distance, speed = -along(g.normal, p->translation);
        if (gap <= 1.0e-3 * p->graze) return true;
        if (speed <= 0.0) return false;
        fraction += gap / speed;
    }
    return true;
}

// Of shapes that touch or overlap at the start: whether b moves deeper into a, and along which normal. Cores that
// overlap by more than a graze have no side that b comes from.
static bool moves_deeper(const path* p, const b2d_gjk* g, double radii, b2d_point64* normal) {
    if (g->distance > 0.0) {
        *normal = g->normal;
        return along(g->normal, p->translation) < 0.0 && comes_within(p, 0.0, g->distance - p->graze);
    }
    const double separation = passed_sides(p, 0.0).separation;
    if (separation - radii < -p->graze) return false;
    const sides s = passed_sides(p, separation - p->graze);
    *normal = s.normal;
    return s.from <= s.to;
}

b2d_cast_hit b2d_shape_cast(const b2d_proxy* a, b2d_rot qa, const b2d_proxy* b, b2d_rot qb, b2d_point64 start,
                            b2d_point64 translation, const b2d_cast_rule* rule) {
    const b2d_cast_hit miss = {.hit = false};
    const double radii = (double)a->radius + b->radius;
    double fraction = 0.0;
    b2d_point64 normal = {0.0, 0.0}, touch = {0.0, 0.0};
    path p = {.count_a = a->count, .count_b = b->count, .translation = translation, .graze = rule->graze};
    b2d_place_points(a, 0.0, 0.0, qa, p.a);
    b2d_place_points(b, start.x, start.y, qb, p.start);
    for (int32_t step = 0; step < MAX_STEPS; step++) {
        const b2d_gjk g = solve_at(&p, fraction);
        const double gap = g.distance - radii;
        if (g.distance > 0.0) normal = g.normal; // else the normal of the step before, just before the cores touched
        if (step == 0 && gap <= 0.0 && rule->leaves && !moves_deeper(&p, &g, radii, &normal)) return miss;
        touch = (b2d_point64){g.a.x + a->radius * normal.x, g.a.y + a->radius * normal.y};
        if (step == 0 && gap <= 0.0) break;
        const double speed = -along(normal, translation);
        if (gap > 0.0 && speed <= 0.0) return miss;
        if (gap <= rule->tolerance) {
            if (comes_within(&p, fraction, radii - rule->graze)) break;
            return miss;
        }
        fraction += gap / speed;
        if (fraction > 1.0) return miss;
    }
    return (b2d_cast_hit){touch, {(float)normal.x, (float)normal.y}, fraction, true};
}
