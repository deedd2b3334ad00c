// csrc/geometry/geometry_check.c - checks and normalises every geometry of the user: b2d_geometry_check, b2d_make_box.
//
// Idea: a geometry that passed is normal: finite, within 1e6 m of its body, unused slots zero, and polygons are convex,
// counter-clockwise, starting at the lowest x (then lowest y), without vertices that coincide or lie on an edge. So the
// order of the input does not matter, and a second check changes nothing. Signs are decided in float64, where the
// difference of two float32 coordinates and its products round far below these tolerances.
#include "base/allowed.h"
#include "geometry/convex_hull.h"

#define LEAST_LENGTH 0.005                // metres: shorter segments are points
#define WELD         (0.1 * LEAST_LENGTH) // closer vertices are one vertex, thinner polygons are lines
#define FLATNESS     WELD                 // a vertex closer to the chord of its neighbours is dropped
#define RANGE        1.0e6f               // greatest coordinate and radius

static b2d_status fail(int32_t what, int32_t argument) {
    b2d_set_allowed((double)NAN, (double)NAN);
    return what | argument << 8;
}

static const double least_above_zero = 5.0e-324;

static double turn(b2d_point64 a, b2d_point64 b, b2d_point64 c) {
    return (b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x);
}

static double distance_between(b2d_point64 a, b2d_point64 b) {
    double dx = b.x - a.x, dy = b.y - a.y;
    return sqrt(dx * dx + dy * dy);
}

static double height_over(b2d_point64 a, b2d_point64 b, b2d_point64 p) {
    return turn(a, b, p) / distance_between(a, b);
}

static b2d_status check_point(const b2d_geometry* g, int32_t i, int32_t argument) {
    if (!isfinite(g->x[i]) || !isfinite(g->y[i])) return fail(B2D_NOT_FINITE, argument);
    if (fabsf(g->x[i]) > RANGE || fabsf(g->y[i]) > RANGE)
        return b2d_out_of_range((double)-RANGE, (double)RANGE, argument);
    return B2D_OK;
}

static b2d_status check_radius(const b2d_geometry* g) {
    if (!isfinite(g->radius)) return fail(B2D_NOT_FINITE, B2D_ARG_RADIUS);
    bool may_be_zero = g->type == B2D_POLYGON;
    if (g->radius < 0.0f || (g->radius == 0.0f && !may_be_zero) || g->radius > RANGE)
        return b2d_out_of_range(may_be_zero ? 0.0 : least_above_zero, (double)RANGE, B2D_ARG_RADIUS);
    return B2D_OK;
}

static void sort_points(b2d_point64* p, int32_t n) { // by x, then y
    for (int32_t i = 1; i < n; i++) {
        b2d_point64 key = p[i];
        int32_t j = i;
        for (; j > 0 && (key.x < p[j - 1].x || (key.x == p[j - 1].x && key.y < p[j - 1].y)); j--) p[j] = p[j - 1];
        p[j] = key;
    }
}

static int32_t weld(b2d_point64* p, int32_t n) { // keeps the first of points that are close together; the order stays
    int32_t kept = 0;
    for (int32_t i = 0; i < n; i++) {
        bool is_new = true;
        for (int32_t j = 0; j < kept; j++) is_new = is_new && distance_between(p[i], p[j]) > WELD;
        if (is_new) p[kept++] = p[i];
    }
    return kept;
}

static int32_t drop_flat_vertices(b2d_point64* hull, int32_t n) { // the flattest first
    while (n >= 3) {
        int32_t flattest = -1;
        double least = FLATNESS;
        for (int32_t i = 0; i < n; i++) {
            double height = -height_over(hull[(i + n - 1) % n], hull[(i + 1) % n], hull[i]);
            if (height < least) least = height, flattest = i;
        }
        if (flattest < 0) break;
        n--;
        for (int32_t i = flattest; i < n; i++) hull[i] = hull[i + 1];
    }
    return n;
}

static double least_width(const b2d_point64* hull, int32_t n) {
    double width = 1.0e30;
    for (int32_t i = 0; i < n; i++) {
        double height = 0.0;
        for (int32_t j = 0; j < n; j++) {
            double h = height_over(hull[i], hull[(i + 1) % n], hull[j]);
            if (h > height) height = h;
        }
        if (height < width) width = height;
    }
    return width;
}

// Whether make_hull would change nothing; false in case of doubt. From its leftmost vertex on x increases once and
// decreases once, with a left turn at each vertex; these make one full turn, so the polygon is convex.
static bool is_hull(const b2d_geometry* g) {
    const double room = 1.001 * WELD, flat = 1.001 * FLATNESS;
    const int32_t n = g->count;
    int32_t turned_back = 0;
    for (int32_t i = 0; i < n; i++) {
        const int32_t j = i + 1 < n ? i + 1 : 0, k = j + 1 < n ? j + 1 : 0;
        const b2d_point64 a = {g->x[i], g->y[i]}, b = {g->x[j], g->y[j]}, c = {g->x[k], g->y[k]};
        const bool down = b.x < a.x || (b.x == a.x && b.y < a.y), next_down = c.x < b.x || (c.x == b.x && c.y < b.y);
        turned_back += down && !next_down;
        const double area = turn(a, b, c), dx = b.x - a.x, dy = b.y - a.y, ex = c.x - a.x, ey = c.y - a.y;
        if (!(area > 0.0 && area * area > flat * flat * (ex * ex + ey * ey))) return false;
        double height = 0.0; // of the hull over the edge from a to b
        for (int32_t m = 0; m < n; m++) {
            const b2d_point64 p = {g->x[m], g->y[m]};
            const double h = turn(a, b, p), px = p.x - a.x, py = p.y - a.y;
            if (m > i && px * px + py * py <= room * room) return false;
            if (h > height) height = h;
        }
        if (height * height <= room * room * (dx * dx + dy * dy)) return false;
        if (i > 0 && (a.x < g->x[0] || (a.x == g->x[0] && a.y < g->y[0]))) return false;
    }
    return turned_back == 1;
}

static b2d_status make_hull(b2d_geometry* g) {
    if (is_hull(g)) return B2D_OK;
    b2d_point64 points[B2D_MAX_VERTICES], hull[2 * B2D_MAX_VERTICES];
    for (int32_t i = 0; i < g->count; i++) points[i] = (b2d_point64){g->x[i], g->y[i]};
    sort_points(points, g->count);
    int32_t n = weld(points, g->count);
    if (n < 3) return fail(B2D_BAD_GEOMETRY, B2D_ARG_VERTICES);
    n = drop_flat_vertices(hull, b2d_hull_wrap(points, n, hull));
    if (n < 3 || least_width(hull, n) <= WELD) return fail(B2D_BAD_GEOMETRY, B2D_ARG_VERTICES);

    int32_t start = 0; // the start vertex may have been dropped
    for (int32_t i = 1; i < n; i++)
        if (hull[i].x < hull[start].x || (hull[i].x == hull[start].x && hull[i].y < hull[start].y)) start = i;
    g->count = n;
    for (int32_t i = 0; i < n; i++) {
        g->x[i] = (float)hull[(start + i) % n].x;
        g->y[i] = (float)hull[(start + i) % n].y;
    }
    return B2D_OK;
}

static b2d_status check_points_and_normalise(b2d_geometry* g) {
    b2d_status status;
    switch (g->type) {
    case B2D_CIRCLE:
        if ((status = check_point(g, 0, B2D_ARG_CENTER)) != B2D_OK) return status;
        g->count = 1;
        return check_radius(g);
    case B2D_CAPSULE:
    case B2D_SEGMENT:
        if ((status = check_point(g, 0, B2D_ARG_P1)) != B2D_OK) return status;
        if ((status = check_point(g, 1, B2D_ARG_P2)) != B2D_OK) return status;
        if (distance_between((b2d_point64){g->x[0], g->y[0]}, (b2d_point64){g->x[1], g->y[1]}) <= LEAST_LENGTH)
            return fail(B2D_BAD_GEOMETRY, B2D_ARG_P2);
        g->count = 2;
        if (g->type == B2D_CAPSULE) return check_radius(g);
        g->radius = 0.0f;
        return B2D_OK;
    case B2D_CHAIN_SEGMENT:
        for (int32_t i = 0; i < 4; i++)
            if ((status = check_point(g, i, (int32_t[]){B2D_ARG_P1, B2D_ARG_P2, B2D_ARG_GHOST1, B2D_ARG_GHOST2}[i])) !=
                B2D_OK)
                return status;
        if (distance_between((b2d_point64){g->x[0], g->y[0]}, (b2d_point64){g->x[1], g->y[1]}) <= LEAST_LENGTH)
            return fail(B2D_BAD_GEOMETRY, B2D_ARG_P2);
        if (distance_between((b2d_point64){g->x[0], g->y[0]}, (b2d_point64){g->x[2], g->y[2]}) <= LEAST_LENGTH)
            return fail(B2D_BAD_GEOMETRY, B2D_ARG_GHOST1);
        if (distance_between((b2d_point64){g->x[1], g->y[1]}, (b2d_point64){g->x[3], g->y[3]}) <= LEAST_LENGTH)
            return fail(B2D_BAD_GEOMETRY, B2D_ARG_GHOST2);
        g->count = 2;
        g->radius = 0.0f;
        return B2D_OK;
    case B2D_POLYGON:
        if (g->count < 3 || g->count > B2D_MAX_VERTICES) return fail(B2D_BAD_COUNT, B2D_ARG_VERTICES);
        for (int32_t i = 0; i < g->count; i++)
            if ((status = check_point(g, i, B2D_ARG_VERTICES)) != B2D_OK) return status;
        if ((status = check_radius(g)) != B2D_OK) return status;
        return make_hull(g);
    default: return fail(B2D_OUT_OF_RANGE, B2D_ARG_TYPE);
    }
}

b2d_status b2d_geometry_check(b2d_geometry* geometry) {
    b2d_geometry checked = *geometry; // a copy, so that a refused geometry is not changed
    b2d_status status = check_points_and_normalise(&checked);
    if (status != B2D_OK) return status;
    for (int32_t i = checked.type == B2D_CHAIN_SEGMENT ? 4 : checked.count; i < B2D_MAX_VERTICES; i++)
        checked.x[i] = checked.y[i] = 0.0f;
    *geometry = checked;
    return B2D_OK;
}

static b2d_status check_half_extent(double h, int32_t argument) {
    if (!isfinite(h)) return fail(B2D_NOT_FINITE, argument);
    if (h <= 0.0 || h > RANGE) return b2d_out_of_range(least_above_zero, (double)RANGE, argument);
    return 2.0 * h <= WELD ? fail(B2D_BAD_GEOMETRY, argument) : B2D_OK;
}

b2d_status b2d_make_box(double hx, double hy, double cx, double cy, double angle, double radius, b2d_geometry* out) {
    b2d_status status;
    if ((status = check_half_extent(hx, B2D_ARG_HX)) != B2D_OK) return status;
    if ((status = check_half_extent(hy, B2D_ARG_HY)) != B2D_OK) return status;
    if (!isfinite(cx) || !isfinite(cy)) return fail(B2D_NOT_FINITE, B2D_ARG_CENTER);
    if (fabs(cx) > RANGE || fabs(cy) > RANGE) return b2d_out_of_range((double)-RANGE, (double)RANGE, B2D_ARG_CENTER);
    if (!isfinite(angle)) return fail(B2D_NOT_FINITE, B2D_ARG_ANGLE);
    if (!isfinite(radius)) return fail(B2D_NOT_FINITE, B2D_ARG_RADIUS);
    if (radius < 0.0 || radius > RANGE) return b2d_out_of_range(0.0, (double)RANGE, B2D_ARG_RADIUS);

    b2d_rot q = b2d_make_rot(angle);
    b2d_geometry box = {.type = B2D_POLYGON, .count = 4, .radius = (float)radius};
    for (int32_t i = 0; i < 4; i++) {
        double x = i == 1 || i == 2 ? hx : -hx, y = i >= 2 ? hy : -hy;
        box.x[i] = (float)(cx + q.c * x - q.s * y);
        box.y[i] = (float)(cy + q.s * x + q.c * y);
    }
    status = b2d_geometry_check(&box);
    if ((status & 0xff) == B2D_OUT_OF_RANGE) return fail(B2D_OUT_OF_RANGE, B2D_ARG_CENTER);
    // Too thin for float32 that far from the origin
    if (status != B2D_OK) return fail(status & 0xff, hx < hy ? B2D_ARG_HX : B2D_ARG_HY);
    *out = box;
    return B2D_OK;
}
