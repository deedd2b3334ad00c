// tests/c/test_geometry.c - the module geometry against brute force and closed forms. One line for each test.
#include "geometry/gjk.h"

#include "test.h"

#include <float.h>
#include <string.h>

static int failures;
static double got_, expected_;

static void check(bool holds, int line, const char* claim) {
    if (holds) return;
    printf("tests/c/test_geometry.c:%d: %s: %.9g against %.9g\n", line, claim, got_, expected_);
    failures++;
}
#define CHECK(got, operator, expected)                                              \
    ({                                                                              \
        got_ = (double)(got), expected_ = (double)(expected);                       \
        NOTE_BOUND(got_, operator, expected_, #got " " #operator " " #expected);    \
        check(got_ operator expected_, __LINE__, #got " " #operator " " #expected); \
    })
#define CHECK_NEAR(got, expected, tolerance) CHECK(fabs((double)(got) - (double)(expected)), <=, tolerance)

static b2d_vec2 random_vector(double lower, double upper) {
    float x = (float)draw(lower, upper);
    return b2d_v(x, (float)draw(lower, upper));
}

// --- geometries ---

static b2d_geometry circle(float x, float y, float r) { return (b2d_geometry){B2D_CIRCLE, 1, r, {x}, {y}}; }
static b2d_geometry line(int32_t type, float x1, float y1, float x2, float y2, float r) {
    return (b2d_geometry){type, 2, r, {x1, x2}, {y1, y2}};
}
static b2d_geometry box(double hx, double hy, double cx, double cy, double angle, double r) {
    b2d_geometry g;
    b2d_status status = b2d_make_box(hx, hy, cx, cy, angle, r, &g);
    CHECK(status, ==, B2D_OK);
    return g;
}
static b2d_geometry random_polygon(double size, double r) {
    b2d_geometry g;
    do {
        g = (b2d_geometry){.type = B2D_POLYGON, .count = 3 + draw_below(6), .radius = (float)r};
        for (int32_t i = 0; i < g.count; i++) g.x[i] = (float)draw(-size, size), g.y[i] = (float)draw(-size, size);
    } while (b2d_geometry_check(&g) != B2D_OK);
    return g;
}
static b2d_geometry random_geometry(void) {
    b2d_geometry g;
    int32_t kind = draw_below(5);
    float u[5]; // drawn one after the other: arguments have no order of evaluation
    for (int32_t i = 0; i < 5; i++) u[i] = (float)draw(0, 1);
    float x1 = u[0] - 1, x2 = 0.1f + 0.9f * u[1], y1 = 2 * u[2] - 1, y2 = 2 * u[3] - 1, r = 0.05f + 0.4f * u[4];
    switch (kind) {
    case 0: g = circle(y1, y2, 2 * r); break;
    case 1: g = line(B2D_CAPSULE, x1, y1, x2, y2, r); break;
    case 2: g = line(B2D_SEGMENT, x1, y1, x2, y2, 0); break;
    case 3: g = random_polygon(1.0, 0.0); break;
    default: g = random_polygon(1.0, r);
    }
    CHECK(b2d_geometry_check(&g), ==, B2D_OK);
    return g;
}

// --- oracles ---

static double segment_distance(double px, double py, double ax, double ay, double bx, double by) {
    double ex = bx - ax, ey = by - ay, ee = ex * ex + ey * ey, t = ee > 0 ? ((px - ax) * ex + (py - ay) * ey) / ee : 0;
    t = t < 0 ? 0 : t > 1 ? 1 : t;
    double dx = ax + t * ex - px, dy = ay + t * ey - py;
    return sqrt(dx * dx + dy * dy);
}
static double side(double ax, double ay, double bx, double by, double px, double py) {
    return (bx - ax) * (py - ay) - (by - ay) * (px - ax);
}

typedef struct points {
    double x[8], y[8];
    int32_t n;
} points;
static points place(const b2d_proxy* p, b2d_transform t) {
    points out = {.n = p->count};
    for (int32_t i = 0; i < p->count; i++) {
        out.x[i] = t.p.x + (double)t.q.c * p->points[i].x - (double)t.q.s * p->points[i].y;
        out.y[i] = t.p.y + (double)t.q.s * p->points[i].x + (double)t.q.c * p->points[i].y;
    }
    return out;
}
static bool holds(const points* p, double x, double y) {
    if (p->n < 3) return false;
    for (int32_t i = 0; i < p->n; i++)
        if (side(p->x[i], p->y[i], p->x[(i + 1) % p->n], p->y[(i + 1) % p->n], x, y) < 0) return false;
    return true;
}
static double brute_distance(const points* a, const points* b) { // of the cores; 0 when they overlap
    if (holds(a, b->x[0], b->y[0]) || holds(b, a->x[0], a->y[0])) return 0;
    double best = 1e30;
    for (int32_t i = 0; i < a->n; i++) {
        double ax = a->x[i], ay = a->y[i], bx = a->x[(i + 1) % a->n], by = a->y[(i + 1) % a->n];
        for (int32_t j = 0; j < b->n; j++) {
            double cx = b->x[j], cy = b->y[j], dx = b->x[(j + 1) % b->n], dy = b->y[(j + 1) % b->n];
            double s1 = side(ax, ay, bx, by, cx, cy), s2 = side(ax, ay, bx, by, dx, dy);
            double s3 = side(cx, cy, dx, dy, ax, ay), s4 = side(cx, cy, dx, dy, bx, by);
            if (s1 * s2 < 0 && s3 * s4 < 0) return 0;
            double d[4] = {segment_distance(ax, ay, cx, cy, dx, dy), segment_distance(bx, by, cx, cy, dx, dy),
                           segment_distance(cx, cy, ax, ay, bx, by), segment_distance(dx, dy, ax, ay, bx, by)};
            for (int32_t k = 0; k < 4; k++)
                if (d[k] < best) best = d[k];
        }
    }
    return best;
}
static b2d_transform random_transform(double size) {
    b2d_transform t;
    t.p = random_vector(-size, size);
    t.q = b2d_make_rot(draw(-4, 4));
    return t;
}
static const b2d_transform identity = {{0, 0}, {1, 0}};

// --- tests ---

// A point that lies in a triangle, or on a segment, of other points is no corner of the hull.
static bool is_corner(const float* x, const float* y, int32_t n, int32_t p) {
    for (int32_t i = 0; i < n; i++)
        for (int32_t j = 0; j < n; j++) {
            if ((x[i] == x[p] && y[i] == y[p]) || (x[j] == x[p] && y[j] == y[p])) continue;
            if (segment_distance(x[p], y[p], x[i], y[i], x[j], y[j]) < 1e-9) return false;
            for (int32_t k = 0; k < n; k++) {
                double a = side(x[i], y[i], x[j], y[j], x[p], y[p]), b = side(x[j], y[j], x[k], y[k], x[p], y[p]),
                       c = side(x[k], y[k], x[i], y[i], x[p], y[p]);
                if ((a > 0 && b > 0 && c > 0)) return false;
            }
        }
    return true;
}

static void test_hull(void) {
    int32_t accepted = 0;
    for (int32_t round = 0; round < 20000; round++) {
        b2d_geometry g = {.type = B2D_POLYGON, .count = 3 + draw_below(6)};
        for (int32_t i = 0; i < g.count; i++) { // a coarse grid: duplicates and collinear points are common
            g.x[i] = round % 2 ? (float)draw_below(5) * 0.5f - 1 : (float)draw_below(1000) * 0.5f;
            g.y[i] = round % 2 ? (float)draw_below(5) * 0.5f - 1 : (float)draw_below(1000) * 0.5f;
        }
        b2d_geometry hull = g, shuffled = g, twice;
        for (int32_t i = g.count - 1; i > 0; i--) {
            int32_t j = draw_below(i + 1);
            float x = shuffled.x[i], y = shuffled.y[i];
            shuffled.x[i] = shuffled.x[j], shuffled.y[i] = shuffled.y[j];
            shuffled.x[j] = x, shuffled.y[j] = y;
        }
        b2d_status status = b2d_geometry_check(&hull);
        CHECK(b2d_geometry_check(&shuffled), ==, status);
        int32_t corners = 0;
        for (int32_t i = 0; i < g.count; i++) {
            bool corner = is_corner(g.x, g.y, g.count, i);
            for (int32_t j = 0; j < i; j++)
                if (g.x[j] == g.x[i] && g.y[j] == g.y[i]) corner = false;
            if (!corner) continue;
            corners++;
            if (status != B2D_OK) continue;
            bool found = false;
            for (int32_t j = 0; j < hull.count; j++) found |= hull.x[j] == g.x[i] && hull.y[j] == g.y[i];
            CHECK(found, ==, true);
        }
        if (status != B2D_OK) {
            CHECK(status, ==, (B2D_BAD_GEOMETRY | B2D_ARG_VERTICES << 8));
            CHECK(corners, <=, 2);
            CHECK(memcmp(&hull, &g, sizeof g), ==, 0);
            continue;
        }
        accepted++;
        CHECK(hull.count, ==, corners);
        CHECK(memcmp(&shuffled, &hull, sizeof hull), ==, 0);
        twice = hull;
        CHECK(b2d_geometry_check(&twice), ==, B2D_OK);
        CHECK(memcmp(&twice, &hull, sizeof hull), ==, 0);
        for (int32_t i = 0; i < hull.count; i++) {
            int32_t j = (i + 1) % hull.count, k = (i + 2) % hull.count;
            CHECK(side(hull.x[i], hull.y[i], hull.x[j], hull.y[j], hull.x[k], hull.y[k]), >, 0);
            CHECK(hull.x[0], <=, hull.x[i]);
        }
    }
    CHECK(accepted, >, 10000);
}

static void test_weld_and_flatness(void) {
    // Tiny clusters: whatever is accepted is idempotent and well apart
    for (int32_t round = 0; round < 20000; round++) {
        b2d_geometry g = {.type = B2D_POLYGON, .count = 3 + draw_below(6)}, twice;
        for (int32_t i = 0; i < g.count; i++) g.x[i] = (float)draw(0, 0.03), g.y[i] = (float)draw(0, 0.03);
        if (b2d_geometry_check(&g) != B2D_OK) continue;
        twice = g;
        CHECK(b2d_geometry_check(&twice), ==, B2D_OK);
        CHECK(memcmp(&twice, &g, sizeof g), ==, 0);
        for (int32_t i = 0; i < g.count; i++)
            for (int32_t j = 0; j < i; j++)
                CHECK(segment_distance(g.x[i], g.y[i], g.x[j], g.y[j], g.x[j], g.y[j]), >, 0.0005);
    }
}

static void check_refused(b2d_geometry g, int32_t what, int32_t argument) {
    b2d_geometry before = g;
    CHECK(b2d_geometry_check(&g), ==, (what | argument << 8));
    CHECK(memcmp(&g, &before, sizeof g), ==, 0);
}

static void test_refusals(void) {
    float inf = (float)INFINITY, nan = (float)NAN;
    check_refused(circle(0, 0, 0), B2D_OUT_OF_RANGE, B2D_ARG_RADIUS);
    check_refused(circle(0, 0, -1), B2D_OUT_OF_RANGE, B2D_ARG_RADIUS);
    check_refused(circle(0, 0, nan), B2D_NOT_FINITE, B2D_ARG_RADIUS);
    check_refused(circle(0, inf, 1), B2D_NOT_FINITE, B2D_ARG_CENTER);
    check_refused(circle(1.1e6f, 0, 1), B2D_OUT_OF_RANGE, B2D_ARG_CENTER);
    check_refused(line(B2D_CAPSULE, 0, 0, 1, 0, 0), B2D_OUT_OF_RANGE, B2D_ARG_RADIUS);
    check_refused(line(B2D_CAPSULE, 0, 0, 0.005f, 0, 1), B2D_BAD_GEOMETRY, B2D_ARG_P2);
    check_refused(line(B2D_SEGMENT, nan, 0, 1, 0, 0), B2D_NOT_FINITE, B2D_ARG_P1);
    check_refused(line(B2D_SEGMENT, 0, 0, 0, 0, 0), B2D_BAD_GEOMETRY, B2D_ARG_P2);
    check_refused((b2d_geometry){.type = B2D_POLYGON, .count = 2}, B2D_BAD_COUNT, B2D_ARG_VERTICES);
    check_refused((b2d_geometry){.type = B2D_POLYGON, .count = 9}, B2D_BAD_COUNT, B2D_ARG_VERTICES);
    check_refused((b2d_geometry){B2D_POLYGON, 3, 0, {0, 1, 2}, {0, 1, 2}}, B2D_BAD_GEOMETRY, B2D_ARG_VERTICES);
    check_refused((b2d_geometry){B2D_POLYGON, 3, 0, {0, 1, 0}, {0, 0, nan}}, B2D_NOT_FINITE, B2D_ARG_VERTICES);
    check_refused((b2d_geometry){B2D_POLYGON, 3, -1, {0, 1, 0}, {0, 0, 1}}, B2D_OUT_OF_RANGE, B2D_ARG_RADIUS);
    check_refused((b2d_geometry){.type = 7, .count = 3}, B2D_OUT_OF_RANGE, B2D_ARG_TYPE);
    b2d_geometry g;
    CHECK(b2d_make_box(0, 1, 0, 0, 0, 0, &g), ==, (B2D_OUT_OF_RANGE | B2D_ARG_HX << 8));
    CHECK(b2d_make_box(1, NAN, 0, 0, 0, 0, &g), ==, (B2D_NOT_FINITE | B2D_ARG_HY << 8));
    CHECK(b2d_make_box(1, 1, 0, INFINITY, 0, 0, &g), ==, (B2D_NOT_FINITE | B2D_ARG_CENTER << 8));
    CHECK(b2d_make_box(1, 1, 0, 0, NAN, 0, &g), ==, (B2D_NOT_FINITE | B2D_ARG_ANGLE << 8));
    CHECK(b2d_make_box(1, 1, 0, 0, 0, -1, &g), ==, (B2D_OUT_OF_RANGE | B2D_ARG_RADIUS << 8));
    g = box(0.5, 0.25, 1, 2, 0, 0);
    float x[4] = {0.5f, 1.5f, 1.5f, 0.5f}, y[4] = {1.75f, 1.75f, 2.25f, 2.25f};
    for (int32_t i = 0; i < 4; i++) CHECK(g.x[i], ==, x[i]), CHECK(g.y[i], ==, y[i]);
}

static void test_hot_row(void) {
    for (int32_t round = 0; round < 5000; round++) {
        b2d_geometry g = random_geometry(), back;
        b2d_shape_hot hot;
        b2d_hull4 second;
        memset(&hot, 0xff, sizeof hot), memset(&second, 0xff, sizeof second);
        b2d_shape_hot_make(&g, &hot, &second);
        b2d_shape_hot_geometry(&hot, &second, g.type, &back);
        CHECK(memcmp(&back, &g, sizeof g), ==, 0);
        float last_x = 0, last_y = 0;
        for (int32_t i = 0; i < (g.count > 4 ? 8 : 4); i++) {
            const b2d_hull4* h = i < 4 ? &hot.hull : &second;
            int32_t k = i % 4, j = (i + 1) % g.count;
            if (i < g.count && g.count > 1) {
                CHECK_NEAR(h->nx[k] * h->nx[k] + h->ny[k] * h->ny[k], 1, 1e-6);
                CHECK_NEAR(h->nx[k] * g.x[j] + h->ny[k] * g.y[j], h->offset[k], 1e-6);
                CHECK(h->nx[k] * (g.y[j] - g.y[i]), <=, h->ny[k] * (g.x[j] - g.x[i]) + 10); // finite
                last_x = h->nx[k], last_y = h->ny[k];
                for (int32_t v = 0; v < g.count; v++)
                    CHECK(h->nx[k] * g.x[v] + h->ny[k] * g.y[v], <=, h->offset[k] + 1e-6);
            } else {
                CHECK(h->offset[k], ==, B2D_PAD_OFFSET);
                CHECK(h->nx[k], ==, last_x), CHECK(h->ny[k], ==, last_y);
                CHECK(h->vx[k], ==, g.x[0]), CHECK(h->vy[k], ==, g.y[0]);
            }
        }
        for (int32_t i = 0; i < g.count; i++)
            CHECK(b2d_length(b2d_v(g.x[i] - hot.center_x, g.y[i] - hot.center_y)) + g.radius, <=, hot.extent + 1e-6);
        CHECK(hot.form, ==,
              (g.count == 1   ? B2D_FORM_POINT
               : g.count == 2 ? B2D_FORM_LINE
               : g.count <= 4 ? B2D_FORM_QUAD
                              : B2D_FORM_OCT));
    }
}

static void test_boxes(void) {
    for (int32_t round = 0; round < 20000; round++) {
        b2d_geometry g = random_geometry();
        b2d_shape_hot hot;
        b2d_hull4 second;
        b2d_shape_hot_make(&g, &hot, &second);
        double size = round % 3 == 0 ? 1 : round % 3 == 1 ? 1e3 : 1e8;
        b2d_rot q = b2d_make_rot(draw(-10, 10));
        b2d_pose pose = {draw(-size, size), draw(-size, size), q.c, q.s, 0, 0};
        b2d_box b = b2d_shape_box(&hot, &second, &pose);
        double exact[4] = {1e30, 1e30, -1e30, -1e30}, got[4] = {b.min_x, b.min_y, b.max_x, b.max_y};
        for (int32_t i = 0; i < g.count; i++) {
            b2d_vec2 v = b2d_rotate(q, b2d_v(g.x[i], g.y[i])); // the core's rounding is the narrow phase's, too
            double low_x = pose.x + (double)(v.x - g.radius), low_y = pose.y + (double)(v.y - g.radius);
            double high_x = pose.x + (double)(v.x + g.radius), high_y = pose.y + (double)(v.y + g.radius);
            if (low_x < exact[0]) exact[0] = low_x;
            if (low_y < exact[1]) exact[1] = low_y;
            if (high_x > exact[2]) exact[2] = high_x;
            if (high_y > exact[3]) exact[3] = high_y;
        }
        for (int32_t k = 0; k < 4; k++) {
            double slack = k < 2 ? exact[k] - got[k] : got[k] - exact[k];
            CHECK(slack, >=, 0);
            CHECK(slack, <, 1.2e-7 * (fabs(exact[k]) + 1e-30)); // less than a step
        }
    }
    b2d_geometry g = circle(0, 0, 1); // signs and zero
    b2d_shape_hot hot;
    b2d_shape_hot_make(&g, &hot, NULL);
    b2d_pose tiny = {1.0 - 1e-300, -1e-200, 1, 0, 0, 0}, at_one = {1.0, -1.0, 1, 0, 0, 0};
    b2d_box b = b2d_shape_box(&hot, NULL, &at_one);
    CHECK(b.min_x, ==, 0), CHECK(b.max_x, ==, 2), CHECK(b.min_y, ==, -2), CHECK(b.max_y, ==, 0);
    hot.radius = 0;
    b = b2d_shape_box(&hot, NULL, &tiny);
    CHECK(b.min_y, ==, -FLT_TRUE_MIN), CHECK(b.max_y, ==, 0), CHECK(b.min_x, <=, 1 - 1e-300);
}

static void test_mass(void) {
    b2d_mass_data m;
    b2d_geometry g = box(1, 0.5, 100, 50, 0, 0);
    m = b2d_geometry_mass(&g, 3);
    CHECK_NEAR(m.mass, 6, 1e-6), CHECK_NEAR(m.inertia, 6 * (4 + 1) / 12.0, 1e-5), CHECK_NEAR(m.center.x, 100, 1e-5),
        CHECK_NEAR(m.center.y, 50, 1e-5);
    g = circle(3, 4, 2), m = b2d_geometry_mass(&g, 0.5f);
    CHECK_NEAR(m.mass, 2 * 3.14159265, 1e-5), CHECK_NEAR(m.inertia, m.mass * 2, 1e-5), CHECK(m.center.x, ==, 3);
    g = line(B2D_SEGMENT, 0, 0, 2, 0, 0), m = b2d_geometry_mass(&g, 5);
    CHECK(m.mass, ==, 0), CHECK(m.inertia, ==, 0), CHECK(m.center.x, ==, 1);
    g = line(B2D_CAPSULE, -1, 0, 1, 0, 0.5f), m = b2d_geometry_mass(&g, 1); // rectangle and two half discs, by the book
    double pi = 3.14159265358979, r = 0.5, disc = pi * r * r, lever = 4 * r / (3 * pi);
    double half = 0.5 * disc * (0.5 * r * r - lever * lever + (1 + lever) * (1 + lever));
    CHECK_NEAR(m.mass, 2 + disc, 1e-6), CHECK_NEAR(m.inertia, 2 * (4 + 1) / 12.0 + 2 * half, 1e-6),
        CHECK_NEAR(m.center.x, 0, 1e-6);
    for (int32_t round = 0; round < 30; round++) { // midpoint rule over a grid
        do g = random_geometry();
        while (g.type == B2D_SEGMENT);
        m = b2d_geometry_mass(&g, 2);
        enum { N = 600 };
        double h = 4.0 / N, area = 0, x = 0, y = 0, polar = 0;
        for (int32_t i = 0; i < N; i++)
            for (int32_t j = 0; j < N; j++) {
                double px = -2 + h * (i + 0.5), py = -2 + h * (j + 0.5);
                if (!b2d_shape_contains(&g, b2d_v((float)px, (float)py))) continue;
                area += h * h, x += h * h * px, y += h * h * py, polar += h * h * (px * px + py * py);
            }
        CHECK_NEAR(m.mass, 2 * area, 0.01);
        CHECK_NEAR(m.center.x, x / area, 0.01), CHECK_NEAR(m.center.y, y / area, 0.01);
        CHECK_NEAR(m.inertia, 2 * (polar - (x * x + y * y) / area), 0.01);
    }
}

static void test_distance(void) {
    int32_t apart = 0, most = 0;
    for (int32_t round = 0; round < 50000; round++) {
        b2d_geometry ga = random_geometry(), gb = random_geometry();
        b2d_proxy a = b2d_geometry_proxy(&ga), b = b2d_geometry_proxy(&gb);
        double size = round % 2 ? 1.5 : 10;
        b2d_transform t = random_transform(size);
        points pa = place(&a, identity), pb = place(&b, t);
        double core = brute_distance(&pa, &pb);
        b2d_distance d = b2d_shape_distance(&a, &b, t);
        CHECK_NEAR(d.distance, core - a.radius - b.radius, 1e-5);
        if (d.iterations > most) most = d.iterations;
        if (core < 1e-4) {
            if (core == 0) CHECK(b2d_length(d.normal), ==, 0);
            continue;
        }
        apart++;
        CHECK_NEAR(b2d_length(d.normal), 1, 1e-5);
        b2d_vec2 gap = b2d_sub(d.point_b, d.point_a);
        CHECK_NEAR(b2d_dot(gap, d.normal), d.distance, 1e-5);
        CHECK_NEAR(b2d_cross(gap, d.normal), 0, 1e-5);
        points p = {{d.point_a.x - a.radius * d.normal.x}, {d.point_a.y - a.radius * d.normal.y}, 1};
        CHECK_NEAR(brute_distance(&pa, &p), 0, 1e-5); // the witness lies on the core
    }
    CHECK(apart, >, 20000);
    CHECK(most, <, 16);
    b2d_geometry floor_box = box(50, 1, 0, -1, 0, 0), crate = box(0.5, 0.5, 0, 0, 0, 0); // resting exactly: touching
    b2d_proxy a = b2d_geometry_proxy(&floor_box), b = b2d_geometry_proxy(&crate);
    b2d_distance d = b2d_shape_distance(&a, &b, (b2d_transform){{3, 0.501f}, {1, 0}});
    CHECK_NEAR(d.distance, 0.001, 1e-6), CHECK(d.normal.y, ==, 1);
}

typedef struct ray_hit {
    b2d_vec2 point, normal;
    float fraction;
    bool hit;
} ray_hit;

static ray_hit cast_ray(const b2d_geometry* g, b2d_vec2 o, b2d_vec2 d, double most) {
    _Alignas(64) b2d_shape_hot hot = {0};
    b2d_hull4 second;
    double fraction;
    ray_hit hit = {.hit = false};
    b2d_shape_hot_make(g, &hot, &second);
    if (d.x == 0.0f && d.y == 0.0f) return hit;
    hit.hit = b2d_row_ray(&hot, &second, (b2d_point64){o.x, o.y}, (b2d_point64){d.x, d.y}, 0.0, most, &fraction,
                          &hit.normal);
    if (hit.hit) hit.fraction = (float)fraction, hit.point = b2d_add(o, b2d_scale(hit.fraction, d));
    return hit;
}

static void test_rays(void) {
    int32_t hits = 0;
    for (int32_t round = 0; round < 3000; round++) {
        b2d_geometry g = random_geometry();
        if (g.type == B2D_SEGMENT) continue;
        b2d_vec2 o = random_vector(-3, 3), aim = random_vector(-1, 1);
        b2d_vec2 d = b2d_scale((float)draw(0.2, 3), b2d_sub(aim, o));
        ray_hit hit = cast_ray(&g, o, d, 1);
        double first = -1;
        enum { STEPS = 4000 };
        for (int32_t i = 0; i <= STEPS && first < 0; i++)
            if (b2d_shape_contains(&g, b2d_add(o, b2d_scale((float)i / STEPS, d)))) first = (double)i / STEPS;
        if (first == 0) CHECK(hit.hit, ==, false);
        else if (first > 0) {
            CHECK(hit.hit, ==, true), CHECK(hit.fraction, <=, first + 1e-6);
            hits++;
            if (hit.fraction < first - 1.1 / STEPS) { // the march missed a graze: then the chord there is short
                CHECK(b2d_shape_contains(&g, b2d_add(o, b2d_scale(hit.fraction + 1.0f / STEPS, d))), ==, false);
            }
        }
        if (!hit.hit) continue;
        CHECK(b2d_dot(hit.normal, d), <=, 0);
        CHECK_NEAR(b2d_length(hit.normal), 1, 1e-6);
        CHECK(b2d_shape_contains(&g, b2d_add(hit.point, b2d_scale(1e-4f, hit.normal))), ==, false);
        b2d_proxy core = b2d_geometry_proxy(&g),
                  dot = {.points = {{(float)hit.point.x, (float)hit.point.y}}, .count = 1};
        CHECK_NEAR(b2d_shape_distance(&core, &dot, identity).distance, 0, 1e-5);
        CHECK(cast_ray(&g, o, d, hit.fraction * 0.999f).hit, ==, false);
    }
    CHECK(hits, >, 500);
    b2d_geometry s = line(B2D_SEGMENT, -1, 0, 1, 0, 0);
    ray_hit h = cast_ray(&s, b2d_v(0.5f, 2), b2d_v(0, -4), 1);
    CHECK(h.hit, ==, true), CHECK(h.fraction, ==, 0.5), CHECK(h.normal.y, ==, 1);
    h = cast_ray(&s, b2d_v(0.5f, -2), b2d_v(0, 4), 1);
    CHECK(h.hit, ==, true), CHECK(h.normal.y, ==, -1);
    CHECK(cast_ray(&s, b2d_v(1.5f, -2), b2d_v(0, 4), 1).hit, ==, false);
    CHECK(cast_ray(&s, b2d_v(0, 2), b2d_v(0, -1), 1).hit, ==, false);
    CHECK(cast_ray(&s, b2d_v(0, 2), b2d_v(0, 0), 1).hit, ==, false);
    s.type = B2D_CHAIN_SEGMENT; // collides on the right of its direction, which is below
    s.x[2] = 2, s.x[3] = -2;
    CHECK(cast_ray(&s, b2d_v(0.5f, 2), b2d_v(0, -4), 1).hit, ==, false);
    CHECK(cast_ray(&s, b2d_v(0.5f, -2), b2d_v(0, 4), 1).normal.y, ==, -1);
}

static void test_casts(void) {
    const b2d_cast_rule rule = {.tolerance = 1.0e-5, .graze = 1.0e-5};
    int32_t hits = 0;
    for (int32_t round = 0; round < 3000; round++) {
        b2d_geometry ga = random_geometry(), gb = random_geometry();
        b2d_proxy a = b2d_geometry_proxy(&ga), b = b2d_geometry_proxy(&gb);
        b2d_transform t = random_transform(6);
        b2d_vec2 move = random_vector(-10, 10);
        b2d_cast_hit hit = b2d_shape_cast(&a, identity.q, &b, t.q, (b2d_point64){t.p.x, t.p.y},
                                          (b2d_point64){move.x, move.y}, &rule);
        double least = 1e30, first = 2;
        enum { STEPS = 1000 };
        for (int32_t i = 0; i <= STEPS; i++) {
            b2d_transform at = {b2d_add(t.p, b2d_scale((float)i / STEPS, move)), t.q};
            double d = b2d_shape_distance(&a, &b, at).distance;
            if (d < least) least = d;
            if (d <= 0 && first > 1) first = (double)i / STEPS;
        }
        if (first <= 1 && least < -2e-5) CHECK(hit.hit, ==, true);
        if (hit.hit) CHECK(hit.fraction, <=, first + 1e-6);
        if (!hit.hit) {
            CHECK(least, >, -2e-5);
            continue;
        }
        hits++;
        CHECK(least, <, 0.02);
        b2d_transform at = {b2d_add(t.p, b2d_scale((float)hit.fraction, move)), t.q};
        double d = b2d_shape_distance(&a, &b, at).distance;
        if (hit.fraction > 0) {
            CHECK_NEAR(d, 0, 3e-5);
            CHECK(b2d_dot(hit.normal, move), <, 0), CHECK_NEAR(b2d_length(hit.normal), 1, 1e-5);
            b2d_proxy dot = {.points = {{(float)hit.point.x, (float)hit.point.y}}, .count = 1};
            CHECK_NEAR(b2d_shape_distance(&a, &dot, identity).distance, 0, 3e-5);
        } else CHECK(d, <=, 1e-4);
    }
    CHECK(hits, >, 300);
}

static double core_gap(const b2d_proxy* a, const b2d_sweep* sa, const b2d_proxy* b, const b2d_sweep* sb, float f) {
    points pa = place(a, b2d_sweep_at(sa, f)), pb = place(b, b2d_sweep_at(sb, f));
    return brute_distance(&pa, &pb);
}

static uint64_t fingerprint; // equal for all compilers
static int32_t toi_most, toi_hits, toi_failed;

static b2d_toi check_toi(const b2d_proxy* a, const b2d_sweep* sa, const b2d_proxy* b, const b2d_sweep* sb) {
    const float slop = 0.005f;
    double radii = a->radius + b->radius, target = radii > slop ? radii - 0.5 * slop : 0.5 * slop;
    b2d_toi toi = b2d_time_of_impact(a, sa, b, sb, 1, slop);
    if (toi.iterations > toi_most) toi_most = toi.iterations;
    if (toi.state == B2D_TOI_FAILED) toi_failed++;
    double gap = core_gap(a, sa, b, sb, toi.fraction);
    if (toi.state == B2D_TOI_OVERLAPPED) {
        CHECK(toi.fraction, ==, 0), CHECK(gap, <, 1e-6);
        return toi;
    }
    enum { STEPS = 1000 };
    for (int32_t i = 0; i <= STEPS; i++) { // nothing before the answer may be nearer than the target
        float f = toi.fraction * (float)i / STEPS;
        if (toi.state == B2D_TOI_HIT && toi.fraction == 0) break;
        double d = core_gap(a, sa, b, sb, f);
        if (d < target - 1e-4) {
            CHECK(d, >=, target - 1e-4);
            break;
        }
    }
    if (toi.state == B2D_TOI_HIT) {
        toi_hits++;
        CHECK(gap, <=, target + 0.25 * slop + 1e-4);
        fingerprint = fingerprint * 31 + (uint64_t)(toi.fraction * 4294967296.0) +
                      (uint64_t)((2 + toi.normal.x) * 4294967296.0);
        if (toi.fraction > 0) CHECK(gap, >=, target - 1e-4);
        CHECK_NEAR(b2d_length(toi.normal), 1, 1e-5);
    }
    return toi;
}

static b2d_sweep sweep(double x, double y, double angle, double vx, double vy, double w, double h) {
    return (b2d_sweep){
        {0, 0}, {(float)x, (float)y}, {(float)(x + h * vx), (float)(y + h * vy)}, b2d_make_rot(angle), (float)(w * h)};
}

// x, y, angle, vx, vy, w: each between its two bounds, over one step of length h.
static b2d_sweep random_sweep(const double bounds[6][2], double h) {
    double u[6];
    for (int32_t i = 0; i < 6; i++) u[i] = draw(bounds[i][0], bounds[i][1]);
    return sweep(u[0], u[1], u[2], u[3], u[4], u[5], h);
}
#define SWEEP(h, ...) random_sweep((const double[6][2]){__VA_ARGS__}, h)

static void test_time_of_impact(void) {
    for (int32_t round = 0; round < 3000; round++) { // any shape against any other
        b2d_geometry ga = random_geometry(), gb = random_geometry();
        b2d_proxy a = b2d_geometry_proxy(&ga), b = b2d_geometry_proxy(&gb);
        double turn = round % 3 == 0 ? 0.5 : round % 3 == 1 ? 3 : 20;
        b2d_sweep sa = SWEEP(1, {-2, 2}, {-2, 2}, {-4, 4}, {-3, 3}, {-3, 3}, {-turn, turn});
        b2d_sweep sb = SWEEP(1, {-4, 4}, {-4, 4}, {-4, 4}, {-6, 6}, {-6, 6}, {-turn, turn});
        sb.local_center = random_vector(-1, 1);
        check_toi(&a, &sa, &b, &sb);
    }
    CHECK(toi_hits, >, 500);
    b2d_geometry sliver = box(0.1, 0.02, 0, 0, 0, 0), wall = box(0.05, 10, 0, 0, 0, 0);
    b2d_proxy a = b2d_geometry_proxy(&wall), b = b2d_geometry_proxy(&sliver);
    b2d_sweep still = sweep(0, 0, 0, 0, 0, 0, 1);
    for (int32_t round = 0; round < 2000; round++) { // fast spinning slivers never pass the wall
        b2d_sweep s = SWEEP(1.0 / 60, {-7, -0.2}, {-2, 2}, {-4, 4}, {460, 460}, {-50, 50}, {-59, 59});
        b2d_toi toi = check_toi(&a, &still, &b, &s);
        CHECK(toi.state, ==, B2D_TOI_HIT);
        CHECK(b2d_sweep_at(&s, toi.fraction).p.x, <, -0.05);
    }
    for (int32_t round = 0; round < 500; round++) { // rods and wheels that spin close to the ground
        b2d_geometry ground = box(50, 1, 0, -1, 0, 0), rod = box(1, 0.02, 0, 0, 0, 0), wheel = random_polygon(0.5, 0);
        b2d_proxy ground_proxy = b2d_geometry_proxy(&ground), spin = b2d_geometry_proxy(round % 2 ? &rod : &wheel);
        b2d_sweep s = SWEEP(1, {0, 0}, {0.05, 1.1}, {-4, 4}, {-5, 5}, {-0.5, 0.5}, {-10, 10});
        check_toi(&ground_proxy, &still, &spin, &s);
    }
    b2d_geometry ball = circle(0, 0, 0.5f), ground = box(50, 1, 0, -1, 0, 0);
    b2d_proxy pb = b2d_geometry_proxy(&ball), pg = b2d_geometry_proxy(&ground);
    b2d_sweep fast = sweep(0, 0.51, 0, 100, 0, 1000, 1.0 / 60);
    CHECK(check_toi(&pg, &still, &pb, &fast).state, ==, B2D_TOI_SEPARATED); // rolling over the ground
    fast = sweep(0, 5.5, 0, 0, -10, 0, 1);
    CHECK_NEAR(check_toi(&pg, &still, &pb, &fast).fraction, 0.5, 5e-4);
    CHECK(toi_failed, ==, 0);
    CHECK(toi_most, <, 100);
}

int main(void) {
    struct {
        const char* name;
        void (*run)(void);
    } tests[] = {{"hull", test_hull},         {"weld_and_flatness", test_weld_and_flatness},
                 {"refusals", test_refusals}, {"hot_row", test_hot_row},
                 {"boxes", test_boxes},       {"mass", test_mass},
                 {"distance", test_distance}, {"rays", test_rays},
                 {"casts", test_casts},       {"time_of_impact", test_time_of_impact}};
    for (size_t i = 0; i < sizeof tests / sizeof *tests; i++) {
        int before = failures;
        run_test(tests[i].name, tests[i].run);
        printf("%s %s\n", failures == before ? "ok  " : "FAIL", tests[i].name);
    }
    print_bounds();
    printf("time of impact: %d hits, at most %d rounds, fingerprint %016llx\n", toi_hits, toi_most,
           (unsigned long long)fingerprint);
    return failures != 0;
}
