// csrc/geometry/distance.c - distance of two convex shapes by GJK.
//
// Idea: the cores' distance is that of the origin from the set of all differences b - a, which is convex. Keep up to
// three such differences (a simplex), find their point closest to the origin, and take the difference that lies
// farthest from there in the direction of the origin (the support point); stop when it brings no progress. Three
// differences around the origin mean overlap. The closest point of a triangle is the better one of its two new sides
// unless the origin is inside, which needs no further cases. Each round must come strictly closer, so the loop ends. In
// float64, so that touching shapes and shapes far away are exact enough (Gilbert, Johnson, Keerthi, 1988).
#include "geometry/gjk.h"

#define TOUCHING   1.0e-10 // metres: closer cores count as overlapping, since they have no direction
#define PROGRESS   1.0e-12 // relative: smaller gains are rounding errors
#define MAX_ROUNDS 32      // a safety limit: 8 points against 8 take under ten rounds

typedef struct corner {
    double x, y; // b - a
    int32_t ia, ib;
} corner;

typedef struct closest {
    corner corners[3]; // the corners that carry the point
    double weights[3];
    int32_t count;
    double x, y, squared; // the point and its distance from the origin
} closest;

static corner corner_of(const b2d_point64* a, int32_t ia, const b2d_point64* b, int32_t ib) {
    return (corner){b[ib].x - a[ia].x, b[ib].y - a[ia].y, ia, ib};
}

static int32_t farthest(const b2d_point64* points, int32_t count, double dx, double dy) {
    int32_t best = 0;
    double most = points[0].x * dx + points[0].y * dy;
    for (int32_t i = 1; i < count; i++) {
        double along = points[i].x * dx + points[i].y * dy;
        if (along > most) most = along, best = i;
    }
    return best;
}

static closest of_point(corner p) { return (closest){{p}, {1.0}, 1, p.x, p.y, p.x * p.x + p.y * p.y}; }

static closest of_side(corner p, corner q) {
    double ex = q.x - p.x, ey = q.y - p.y, along = -(p.x * ex + p.y * ey), squared = ex * ex + ey * ey;
    if (along <= 0.0) return of_point(p);
    if (along >= squared) return of_point(q);
    double t = along / squared, x = p.x + t * ex, y = p.y + t * ey;
    return (closest){{p, q}, {1.0 - t, t}, 2, x, y, x * x + y * y};
}

// r is new: the origin is closest to side pq only if r made no progress.
static closest of_triangle(corner p, corner q, corner r) {
    double wp = q.x * r.y - q.y * r.x, wq = r.x * p.y - r.y * p.x, wr = p.x * q.y - p.y * q.x, sum = wp + wq + wr;
    bool inside = (wp > 0.0 && wq > 0.0 && wr > 0.0) || (wp < 0.0 && wq < 0.0 && wr < 0.0);
    if (inside) return (closest){{p, q, r}, {wp / sum, wq / sum, wr / sum}, 3, 0.0, 0.0, 0.0};
    closest pr = of_side(p, r), qr = of_side(q, r);
    return qr.squared < pr.squared ? qr : pr;
}

static closest closest_with(const closest* c, corner next) {
    if (c->count == 1) return of_side(c->corners[0], next);
    return of_triangle(c->corners[0], c->corners[1], next);
}

b2d_gjk b2d_gjk_solve(const b2d_point64* a, int32_t count_a, const b2d_point64* b, int32_t count_b) {
    closest now = of_point(corner_of(a, 0, b, 0));
    int32_t rounds = 0;
    while (rounds < MAX_ROUNDS && now.count < 3 && now.squared > TOUCHING * TOUCHING) {
        rounds++;
        corner next = corner_of(a, farthest(a, count_a, now.x, now.y), b, farthest(b, count_b, -now.x, -now.y));
        double gain = now.squared - (next.x * now.x + next.y * now.y);
        if (gain <= PROGRESS * now.squared) break;
        closest better = closest_with(&now, next);
        if (better.squared >= now.squared) break;
        now = better;
    }
    b2d_gjk out = {.iterations = rounds};
    for (int32_t i = 0; i < now.count; i++) {
        b2d_point64 pa = a[now.corners[i].ia], pb = b[now.corners[i].ib];
        out.a.x += now.weights[i] * pa.x;
        out.a.y += now.weights[i] * pa.y;
        out.b.x += now.weights[i] * pb.x;
        out.b.y += now.weights[i] * pb.y;
    }
    if (now.count < 3 && now.squared > TOUCHING * TOUCHING) {
        out.distance = sqrt(now.squared);
        out.normal = (b2d_point64){now.x / out.distance, now.y / out.distance};
        if (now.count == 2) { // the perpendicular of the side: exact however close the cores are
            double ex = now.corners[1].x - now.corners[0].x, ey = now.corners[1].y - now.corners[0].y;
            double length = sqrt(ex * ex + ey * ey), side = ex * now.y - ey * now.x < 0.0 ? -1.0 : 1.0;
            out.normal = (b2d_point64){side * -ey / length, side * ex / length};
        }
    }
    return out;
}

void b2d_gjk_place(const b2d_proxy* proxy, b2d_transform t, b2d_point64 out[8]) {
    double c = t.q.c, s = t.q.s;
    for (int32_t i = 0; i < proxy->count; i++) {
        double x = proxy->points[i].x, y = proxy->points[i].y;
        out[i] = (b2d_point64){t.p.x + (c * x - s * y), t.p.y + (s * x + c * y)};
    }
}

b2d_distance b2d_shape_distance(const b2d_proxy* a, const b2d_proxy* b, b2d_transform b_in_a) {
    b2d_point64 pa[8], pb[8];
    b2d_gjk_place(a, (b2d_transform){{0.0f, 0.0f}, {1.0f, 0.0f}}, pa);
    b2d_gjk_place(b, b_in_a, pb);
    b2d_gjk g = b2d_gjk_solve(pa, a->count, pb, b->count);
    double ra = a->radius, rb = b->radius; // the points move from the cores to the surfaces
    return (b2d_distance){
        .point_a = {(float)(g.a.x + ra * g.normal.x), (float)(g.a.y + ra * g.normal.y)},
        .point_b = {(float)(g.b.x - rb * g.normal.x), (float)(g.b.y - rb * g.normal.y)},
        .normal = {(float)g.normal.x, (float)g.normal.y},
        .distance = (float)(g.distance - ra - rb),
        .iterations = g.iterations,
    };
}
