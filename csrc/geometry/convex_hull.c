// csrc/geometry/convex_hull.c - the convex hull of any number of points.
//
// Idea: sorted by x, then y, the points on the hull are a lower chain from left to right and an upper one back
// (Andrew's monotone chain, 1979). First the points strictly inside the octagon of eight extreme points are dropped,
// which are nearly all points of a large cloud. On which side of a line a point lies is decided exactly: in float64
// where rounding cannot change the sign, else by the exact sum of all products (Shewchuk, 1997). So the result is the
// hull of the given numbers, whatever their order: equal points count once, and points on a side never.
// Cost: O(n) for the octagon, O(k log k) for the k points that remain. Threads: any. Proof:
// tests/queries/test_hull.py.
#include "geometry/convex_hull.h"

#include <stdlib.h>

// Error bound of turn() over the sum of its two products: (3 + 16 u) u with u = 2^-53 (Shewchuk, 1997), rounded up
#define ROUNDING 3.4e-16

enum { EXTREMES = 8, FEW = 32 }; // number of directions; up to so many points are sorted without dropping any

// A sum kept exactly, as terms of ascending size that do not overlap: the sign is that of the last one.
typedef struct exact_sum {
    double term[12];
    int32_t count;
} exact_sum;

static void add(exact_sum* sum, double value) {
    int32_t kept = 0;
    for (int32_t i = 0; i < sum->count; i++) {
        double total = value + sum->term[i], part = total - value;
        double lost = (value - (total - part)) + (sum->term[i] - part);
        if (lost != 0.0) sum->term[kept++] = lost;
        value = total;
    }
    if (value != 0.0) sum->term[kept++] = value;
    sum->count = kept;
}

static double upper_half(double value) { // 26 bits (Veltkamp, 1968)
    double scaled = 134217729.0 * value;
    return scaled - (scaled - value);
}

static void add_product(exact_sum* sum, double a, double b) { // Dekker (1971): the product and its rounding error
    double product = a * b, a1 = upper_half(a), b1 = upper_half(b), a0 = a - a1, b0 = b - b1;
    add(sum, a0 * b0 - (((product - a1 * b1) - a0 * b1) - a1 * b0));
    add(sum, product);
}

static double exact_turn(b2d_point64 a, b2d_point64 b, b2d_point64 c) {
    exact_sum sum = {{0.0}, 0};
    add_product(&sum, a.x, b.y);
    add_product(&sum, -a.y, b.x);
    add_product(&sum, b.x, c.y);
    add_product(&sum, -b.y, c.x);
    add_product(&sum, c.x, a.y);
    add_product(&sum, -c.y, a.x);
    return sum.count == 0 ? 0.0 : sum.term[sum.count - 1];
}

// Only the sign is exact: positive when c is left of the line from a to b
static double turn(b2d_point64 a, b2d_point64 b, b2d_point64 c) {
    double left = (b.x - a.x) * (c.y - a.y), right = (b.y - a.y) * (c.x - a.x);
    double found = left - right, rounding = ROUNDING * (fabs(left) + fabs(right));
    return found > rounding || -found > rounding ? found : exact_turn(a, b, c);
}

int32_t b2d_hull_wrap(const b2d_point64* p, int32_t n, b2d_point64* hull) {
    int32_t h = 0;
    for (int32_t i = 0; i < n; i++) {
        while (h >= 2 && turn(hull[h - 2], hull[h - 1], p[i]) <= 0.0) h--;
        hull[h++] = p[i];
    }
    int32_t lower = h + 1;
    for (int32_t i = n - 2; i >= 0; i--) {
        while (h >= lower && turn(hull[h - 2], hull[h - 1], p[i]) <= 0.0) h--;
        hull[h++] = p[i];
    }
    return n > 1 ? h - 1 : h; // the first point is repeated at the end
}

static int compare_points(const void* a, const void* b) {
    const b2d_point64 *p = a, *q = b;
    if (p->x != q->x) return p->x < q->x ? -1 : 1;
    return p->y < q->y ? -1 : p->y > q->y;
}

// A point left of every side of a closed path through some of the points is strictly inside their hull: the path winds
// around it, which is impossible for a point on the boundary of the hull.
static int32_t drop_inner(b2d_point64* p, int32_t n) {
    static const double direction[EXTREMES][2] = {{-1, 0}, {-1, -1}, {0, -1}, {1, -1}, {1, 0}, {1, 1}, {0, 1}, {-1, 1}};
    b2d_point64 path[EXTREMES + 1];
    int32_t sides = 0, kept = 0;
    for (int32_t d = 0; d < EXTREMES; d++) {
        double most = -INFINITY;
        const b2d_point64* corner = p;
        for (int32_t i = 0; i < n; i++) {
            double along = direction[d][0] * p[i].x + direction[d][1] * p[i].y;
            if (along > most) most = along, corner = &p[i];
        }
        if (d == 0 || compare_points(corner, &path[sides - 1]) != 0) path[sides++] = *corner;
    }
    if (sides > 1 && compare_points(&path[sides - 1], &path[0]) == 0) sides--;
    path[sides] = path[0];
    for (int32_t i = 0; i < n; i++) {
        bool inside = true;
        for (int32_t k = 0; k < sides && inside; k++) inside = turn(path[k], path[k + 1], p[i]) > 0.0;
        if (!inside) p[kept++] = p[i];
    }
    return kept;
}

int32_t b2d_hull_of(b2d_point64* p, int32_t n, b2d_point64* hull) {
    int32_t left = n > FEW ? drop_inner(p, n) : n, different = 0;
    qsort(p, (size_t)left, sizeof *p, compare_points);
    for (int32_t i = 0; i < left; i++)
        if (i == 0 || compare_points(&p[i], &p[different - 1]) != 0) p[different++] = p[i];
    return b2d_hull_wrap(p, different, hull);
}
