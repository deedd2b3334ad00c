// csrc/geometry/ray_cast.c - rays and points against one shape, exactly, in float64.
//
// Idea: the boundary of a core grown by a radius lies on circles around its vertices and on its edges moved outward, and all of
// these lie within the shape; so the first of all their entries is the shape's. A sharp polygon is clipped by its half planes
// instead, since moved edges without circles would leak at the corners. A ray from inside, or from the surface, hits nothing.
//
// b2d_row_ray is the same on the row of a shape, for queries: it takes the entry of the whole line, and a ray that starts beyond it
// starts inside or has passed.
#include "geometry/gjk.h"

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

static bool enter_segment(entry* first, const b2d_geometry* g, vec o, vec d) { // from either side, a chain's from the right only
    vec a = vertex(g, 0), b = vertex(g, 1), n = edge_normal(a, b), e = minus(b, a), m = minus(o, a);
    double height = dot(m, n);
    if (height < 0.0 && g->type == B2D_CHAIN_SEGMENT) return false;
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
    if (g->type == B2D_SEGMENT || g->type == B2D_CHAIN_SEGMENT) {
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
    if (g->type == B2D_SEGMENT || g->type == B2D_CHAIN_SEGMENT) return false;
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

// ---- rows

static vec row_vertex(const b2d_shape_hot* hot, const b2d_hull4* second, int32_t i) {
    const b2d_hull4* hull = i < 4 ? &hot->hull : second;
    return (vec){hull->vx[i & 3], hull->vy[i & 3]};
}

// The entry of the line, wherever it is; false when it misses. A sharp polygon.
static bool line_enters_hull(const b2d_shape_hot* hot, const b2d_hull4* second, vec o, vec d, entry* first) {
    double enter = -INFINITY, leave = INFINITY;
    int32_t edge = B2D_NONE;
    for (int32_t i = 0; i < hot->count; i++) {
        const b2d_hull4* hull = i < 4 ? &hot->hull : second;
        const double nx = hull->nx[i & 3], ny = hull->ny[i & 3];
        const double height = nx * o.x + ny * o.y - hull->offset[i & 3], speed = -(nx * d.x + ny * d.y);
        if (speed == 0.0) {
            if (height > 0.0) return false;
            continue;
        }
        const double t = height / speed;
        if (speed > 0.0 && t > enter) enter = t, edge = i;
        if (speed < 0.0 && t < leave) leave = t;
    }
    if (edge == B2D_NONE || enter > leave) return false;
    const b2d_hull4* hull = edge < 4 ? &hot->hull : second;
    *first = (entry){enter, {hull->nx[edge & 3], hull->ny[edge & 3]}};
    return true;
}

static bool line_enters_round(const b2d_shape_hot* hot, const b2d_hull4* second, vec o, vec d, entry* first) {
    const double r = hot->radius, dd = dot(d, d);
    first->fraction = INFINITY;
    for (int32_t i = 0; i < hot->count; i++) {
        const vec a = row_vertex(hot, second, i), m = minus(o, a);
        const double side = cross(d, m), room = dd * r * r - side * side;
        if (room >= 0.0) {
            const double t = (-dot(m, d) - sqrt(room)) / dd;
            if (t < first->fraction) *first = (entry){t, {(m.x + t * d.x) / r, (m.y + t * d.y) / r}};
        }
        if (hot->count == 1) break;
        const b2d_hull4* hull = i < 4 ? &hot->hull : second;
        const vec n = {hull->nx[i & 3], hull->ny[i & 3]}, e = minus(row_vertex(hot, second, i + 1 == hot->count ? 0 : i + 1), a);
        const double speed = -dot(d, n);
        if (speed <= 0.0) continue;
        const double t = (dot(m, n) - r) / speed;
        const double along = dot((vec){m.x + t * d.x, m.y + t * d.y}, e);
        if (t < first->fraction && along >= 0.0 && along <= dot(e, e)) *first = (entry){t, n};
    }
    return first->fraction < INFINITY;
}

static bool line_enters_segment(const b2d_shape_hot* hot, vec o, vec d, entry* first) { // from either side
    const vec a = row_vertex(hot, NULL, 0), e = minus(row_vertex(hot, NULL, 1), a), m = minus(o, a);
    vec n = {hot->hull.nx[0], hot->hull.ny[0]};
    double speed = -dot(d, n);
    if (speed == 0.0) return false;
    const double t = dot(m, n) / speed, along = dot((vec){m.x + t * d.x, m.y + t * d.y}, e);
    if (along < 0.0 || along > dot(e, e)) return false;
    if (speed < 0.0) n = (vec){-n.x, -n.y};
    *first = (entry){t, n};
    return true;
}

bool b2d_row_ray(const b2d_shape_hot* hot, const b2d_hull4* second, b2d_point64 origin, b2d_point64 translation, double lower, double upper, double* fraction, b2d_vec2* normal) {
    const vec o = {origin.x, origin.y}, d = {translation.x, translation.y};
    entry first = {0.0, {0.0, 0.0}};
    const bool sharp = hot->radius == 0.0f;
    const bool met = !sharp ? line_enters_round(hot, second, o, d, &first) : hot->count == 2 ? line_enters_segment(hot, o, d, &first) : line_enters_hull(hot, second, o, d, &first);
    if (!met || !(first.fraction > lower) || first.fraction > upper) return false;
    *fraction = first.fraction;
    *normal = (b2d_vec2){(float)first.normal.x, (float)first.normal.y};
    return true;
}
