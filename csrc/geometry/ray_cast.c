// csrc/geometry/ray_cast.c - rays and points against one shape, exactly, in float64.
//
// Idea: the boundary of a core grown by a radius lies on circles around its vertices and on its edges moved outward,
// and all of these lie within the shape; so the first entry into any of them is that into the shape. A polygon without
// a radius is clipped by its half planes instead, since edges without circles would let rays through at the corners.
// The functions find the entry of the whole line: a ray that starts beyond it starts inside, or on the surface, or
// behind the shape.
#include "geometry/gjk.h"

typedef struct vec {
    double x, y;
} vec;
typedef struct entry {
    double fraction;
    vec normal;
} entry;

static vec vertex(const b2d_geometry* g, int32_t i) { return (vec){g->x[i], g->y[i]}; }
static vec minus(vec a, vec b) { return (vec){a.x - b.x, a.y - b.y}; }
static double dot(vec a, vec b) { return a.x * b.x + a.y * b.y; }
static double cross(vec a, vec b) { return a.x * b.y - a.y * b.x; }

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

static vec row_vertex(const b2d_shape_hot* hot, const b2d_hull4* second, int32_t i) {
    const b2d_hull4* hull = i < 4 ? &hot->hull : second;
    return (vec){hull->vx[i & 3], hull->vy[i & 3]};
}

// The entry of the line into a polygon without a radius, wherever it is; false when it misses.
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
    const double r = hot->radius, squared = dot(d, d);
    first->fraction = INFINITY;
    for (int32_t i = 0; i < hot->count; i++) {
        const vec a = row_vertex(hot, second, i), m = minus(o, a);
        const double side = cross(d, m), room = squared * r * r - side * side;
        if (room >= 0.0) {
            const double t = (-dot(m, d) - sqrt(room)) / squared;
            if (t < first->fraction) *first = (entry){t, {(m.x + t * d.x) / r, (m.y + t * d.y) / r}};
        }
        if (hot->count == 1) break;
        const b2d_hull4* hull = i < 4 ? &hot->hull : second;
        const vec n = {hull->nx[i & 3], hull->ny[i & 3]},
                  e = minus(row_vertex(hot, second, i + 1 == hot->count ? 0 : i + 1), a);
        const double speed = -dot(d, n);
        if (speed <= 0.0) continue;
        const double t = (dot(m, n) - r) / speed;
        const double along = dot((vec){m.x + t * d.x, m.y + t * d.y}, e);
        if (t < first->fraction && along >= 0.0 && along <= dot(e, e)) *first = (entry){t, n};
    }
    return first->fraction < INFINITY;
}

// From either side; a chain segment only from its front. Where two segments share an end no line passes between them:
// what passes an end by less than a billionth of the length meets it, for the lines of two tests differ by rounding. So
// the vertices decide, not the normal, which is rounded to float32.
static bool line_enters_segment(const b2d_shape_hot* hot, vec o, vec d, entry* first) {
    const vec a = minus(row_vertex(hot, NULL, 0), o), b = minus(row_vertex(hot, NULL, 1), o), e = minus(b, a);
    vec n = {hot->hull.nx[0], hot->hull.ny[0]};
    const double side_a = cross(d, a), side_b = cross(d, b), turn = cross(d, e),
                 rounding = 0x1p-30 * (fabs(d.x) + fabs(d.y)) * (fabs(e.x) + fabs(e.y));
    if (fabs(turn) <= rounding || (turn > 0.0 && hot->form == B2D_FORM_CHAIN)) return false; // along it; from behind
    if (fmin(side_a, side_b) > rounding || fmax(side_a, side_b) < -rounding) return false;
    if (turn > 0.0) n = (vec){-n.x, -n.y};
    *first = (entry){cross(a, e) / turn, n};
    return true;
}

bool b2d_row_ray(const b2d_shape_hot* hot, const b2d_hull4* second, b2d_point64 origin, b2d_point64 translation,
                 double lower, double upper, double* fraction, b2d_vec2* normal) {
    const vec o = {origin.x, origin.y}, d = {translation.x, translation.y};
    entry first = {0.0, {0.0, 0.0}};
    const bool sharp = hot->radius == 0.0f;
    const bool met = !sharp            ? line_enters_round(hot, second, o, d, &first)
                     : hot->count == 2 ? line_enters_segment(hot, o, d, &first)
                                       : line_enters_hull(hot, second, o, d, &first);
    if (!met || !(first.fraction > lower) || first.fraction > upper) return false;
    *fraction = first.fraction;
    *normal = (b2d_vec2){(float)first.normal.x, (float)first.normal.y};
    return true;
}
