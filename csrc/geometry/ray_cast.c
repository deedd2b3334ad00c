// csrc/geometry/ray_cast.c - rays and points against one shape, exactly, in float64.
//
// Idea: the boundary of a core grown by a radius lies on circles around its vertices and on its edges moved outward, and all of
// these lie within the shape; so the first of all their entries is the shape's. A sharp polygon is clipped by its half planes
// instead, since moved edges without circles would leak at the corners. A ray from inside, or from the surface, hits nothing.
#include "geometry/shape.h"

typedef struct vec { double x, y; } vec;
typedef struct entry { double fraction; vec normal; } entry;

static vec vertex(const b2d_geometry* g, int32_t i) { return (vec){g->x[i], g->y[i]}; }
static vec minus(vec a, vec b) { return (vec){a.x - b.x, a.y - b.y}; }
static double dot(vec a, vec b) { return a.x * b.x + a.y * b.y; }
static double cross(vec a, vec b) { return a.x * b.y - a.y * b.x; }

static vec edge_normal(vec a, vec b) { // to the right of a -> b: outward for counter-clockwise vertices
    vec e = minus(b, a);
    double length = sqrt(dot(e, e));
    return (vec){e.y / length, -e.x / length};
}

static void enter_circle(entry* first, vec o, vec d, vec center, double r) {
    vec m = minus(o, center);
    double dd = dot(d, d), towards = -dot(m, d), side = cross(d, m);
    double room = dd * r * r - side * side; // half the chord, squared, times dd
    if (towards <= 0.0 || room < 0.0) return;
    double t = (towards - sqrt(room)) / dd;
    if (t < 0.0 || t > first->fraction) return;
    vec n = {m.x + t * d.x, m.y + t * d.y};
    double length = sqrt(dot(n, n));
    *first = (entry){t, {n.x / length, n.y / length}};
}

static void enter_edge(entry* first, vec o, vec d, vec a, vec b, double r) {
    vec n = edge_normal(a, b), e = minus(b, a), m = minus(o, a);
    double speed = -dot(d, n), height = dot(m, n) - r;
    if (speed <= 0.0 || height < 0.0) return;
    double t = height / speed;
    vec p = {m.x + t * d.x, m.y + t * d.y};
    double along = dot(p, e);
    if (t > first->fraction || along < 0.0 || along > dot(e, e)) return;
    *first = (entry){t, n};
}

static bool clip(entry* first, const b2d_geometry* g, vec o, vec d) {
    double enter = 0.0, leave = first->fraction;
    vec normal = {0.0, 0.0};
    for (int32_t i = 0; i < g->count; i++) {
        vec a = vertex(g, i), n = edge_normal(a, vertex(g, i + 1 == g->count ? 0 : i + 1));
        double height = dot(minus(o, a), n), speed = -dot(d, n);
        if (speed == 0.0) {
            if (height > 0.0) return false;
        } else if (speed > 0.0) { // going in
            if (height >= enter * speed) enter = height / speed, normal = n;
        } else if (height > leave * speed) { // going out
            leave = height / speed;
        }
        if (enter > leave) return false;
    }
    *first = (entry){enter, normal};
    return normal.x != 0.0 || normal.y != 0.0; // none: the origin is on the surface, to rounding
}

static bool enter_segment(entry* first, const b2d_geometry* g, vec o, vec d) { // from either side
    vec a = vertex(g, 0), b = vertex(g, 1), n = edge_normal(a, b), e = minus(b, a), m = minus(o, a);
    double height = dot(m, n);
    if (height < 0.0) n = (vec){-n.x, -n.y}, height = -height;
    double speed = -dot(d, n);
    if (height == 0.0 || speed <= 0.0) return false;
    double t = height / speed;
    vec p = {m.x + t * d.x, m.y + t * d.y};
    double along = dot(p, e);
    if (t > first->fraction || along < 0.0 || along > dot(e, e)) return false;
    *first = (entry){t, n};
    return true;
}

b2d_ray_hit b2d_shape_ray_cast(const b2d_geometry* geometry, b2d_vec2 origin, b2d_vec2 translation, float max_fraction) {
    const b2d_geometry* g = geometry;
    b2d_ray_hit miss = {{0.0f, 0.0f}, {0.0f, 0.0f}, 0.0f, false};
    vec o = {origin.x, origin.y}, d = {translation.x, translation.y};
    if (!(dot(d, d) > 0.0) || b2d_shape_contains(g, origin)) return miss;
    entry first = {max_fraction, {0.0, 0.0}};
    bool hit;
    if (g->type == B2D_SEGMENT) {
        hit = enter_segment(&first, g, o, d);
    } else if (g->radius == 0.0f) {
        hit = clip(&first, g, o, d);
    } else {
        for (int32_t i = 0; i < g->count; i++) {
            enter_circle(&first, o, d, vertex(g, i), g->radius);
            if (g->count > 1) enter_edge(&first, o, d, vertex(g, i), vertex(g, i + 1 == g->count ? 0 : i + 1), g->radius);
        }
        hit = first.normal.x != 0.0 || first.normal.y != 0.0;
    }
    if (!hit) return miss;
    double t = first.fraction;
    return (b2d_ray_hit){{(float)(o.x + t * d.x), (float)(o.y + t * d.y)}, {(float)first.normal.x, (float)first.normal.y}, (float)t, true};
}

static double squared_distance_to_edge(vec p, vec a, vec b) {
    vec e = minus(b, a), m = minus(p, a);
    double along = dot(m, e), squared = dot(e, e);
    double t = along <= 0.0 || squared == 0.0 ? 0.0 : along >= squared ? 1.0 : along / squared;
    vec off = {m.x - t * e.x, m.y - t * e.y};
    return dot(off, off);
}

bool b2d_shape_contains(const b2d_geometry* geometry, b2d_vec2 point) { // closed; a segment contains nothing
    const b2d_geometry* g = geometry;
    if (g->type == B2D_SEGMENT) return false;
    vec p = {point.x, point.y};
    bool inside = g->count > 2;
    double r = g->radius;
    for (int32_t i = 0; i < g->count; i++) {
        vec a = vertex(g, i), b = vertex(g, i + 1 == g->count ? 0 : i + 1);
        if (squared_distance_to_edge(p, a, b) <= r * r) return true;
        inside = inside && cross(minus(b, a), minus(p, a)) >= 0.0;
    }
    return inside;
}
