// csrc/geometry/hot_shape.h - the row of a shape as wide kernels load it, and the queries of single shapes.
//
// Idea: every convex shape is a core of 1 to 8 vertices and a radius. The row holds the first four vertices so that
// wide kernels load four floats at a time; a polygon of more vertices has the other four in a second hull
// (`second_hull`). Padding is inert: vertices repeat the first vertex, normals repeat the last normal, and a padded
// edge's offset is B2D_PAD_OFFSET, so that it never has the greatest separation (n . x - offset) nor wins a tie as
// incident edge.
#pragma once
#include "base/memory.h"
#include "base/vec.h"

#include <string.h>

#define B2D_PAD_OFFSET 1.0e18f

// Circle; capsule and segment; polygon of up to 4 vertices; of up to 8; chain segment
enum { B2D_FORM_POINT, B2D_FORM_LINE, B2D_FORM_QUAD, B2D_FORM_OCT, B2D_FORM_CHAIN };

// Edge i runs from vertex i to vertex i + 1, its outward unit normal is normal i, offset[i] = normal i . vertex i. A
// line has two vertices, two edges and two opposite normals, padded to four. A chain segment is a line whose first
// normal is its front; its neighbours are in a second hull: slots 0 and 1 hold the points before and after it, the unit
// directions from and to them in place of normals, and in place of the offset 1 where the chain bends away from the
// front there (a corner to hit), else 0.
typedef struct b2d_hull4 {
    float vx[4], vy[4], nx[4], ny[4], offset[4];
} b2d_hull4;

typedef struct b2d_shape_hot { // 128 bytes, 64-byte aligned; body coordinates
    b2d_hull4 hull;
    float radius;
    int16_t count; // vertices of the core
    int16_t form;  // B2D_FORM_*
    float margin;  // of the fat box, m; set by the world
    int32_t body;
    // Row of the table of second hulls (vertices 4 to 7, or the neighbours of a chain segment), or B2D_NONE
    int32_t second_hull;
    float center_x, center_y; // centroid of the core
    float extent;             // greatest distance of the core from the centroid, plus radius
#define B2D_SHAPE_PROPERTY(NAME, name, ...) float name;
#include "lists/shape_surface.def"
#undef B2D_SHAPE_PROPERTY
} b2d_shape_hot;
_Static_assert(sizeof(b2d_shape_hot) == 128, "two cache lines");

static inline void b2d_shape_prefetch(const b2d_shape_hot* hot) {
    __builtin_prefetch(hot);
    __builtin_prefetch(&hot->radius); // in the second cache line
}

typedef struct b2d_mass_data {
    float mass;
    float inertia; // about the centre of mass
    b2d_vec2 center;
} b2d_mass_data;

// Fills `hot` (all but body, second_hull and the material) and, for more than 4 vertices or a chain segment, `second`.
// The geometry has passed b2d_geometry_check.
void b2d_shape_hot_make(const b2d_geometry* geometry, b2d_shape_hot* hot, b2d_hull4* second);
// The inverse, exact
void b2d_shape_hot_geometry(const b2d_shape_hot* hot, const b2d_hull4* second, int32_t type, b2d_geometry* out);
// The most that a mass, kg, or an inertia, kg m^2, counts, so that all that is computed from it is finite.
#define B2D_MOST_MASS 1.0e30
float b2d_bounded_mass(double mass);
b2d_mass_data b2d_geometry_mass(const b2d_geometry* geometry, float density); // rounded polygons and capsules exactly
// Tight box in world coordinates, float32 rounded outward from the float64 pose (contains the exact box).
b2d_box b2d_shape_box(const b2d_shape_hot* hot, const b2d_hull4* second, const b2d_pose* pose);
// The same, for callers that need many.
static inline b2d_box b2d_hull4_bounds(const b2d_hull4* hull, b2d_rot q) { // all four: padding repeats a vertex
    float x[4], y[4];
    for (int32_t i = 0; i < 4; i++) { // b2d_rotate, in a form that the compiler makes wide
        x[i] = q.c * hull->vx[i] - q.s * hull->vy[i];
        y[i] = q.s * hull->vx[i] + q.c * hull->vy[i];
    }
    return (b2d_box){
        b2d_min(b2d_min(x[0], x[1]), b2d_min(x[2], x[3])), b2d_min(b2d_min(y[0], y[1]), b2d_min(y[2], y[3])),
        b2d_max(b2d_max(x[0], x[1]), b2d_max(x[2], x[3])), b2d_max(b2d_max(y[0], y[1]), b2d_max(y[2], y[3]))};
}
static inline b2d_box b2d_shape_box_inline(const b2d_shape_hot* hot, const b2d_hull4* second, const b2d_pose* pose) {
    b2d_rot q = {pose->c, pose->s};
    b2d_box b = b2d_hull4_bounds(&hot->hull, q);
    if (hot->count > 4) {
        b2d_box more = b2d_hull4_bounds(second, q);
        b.min_x = b2d_min(b.min_x, more.min_x);
        b.min_y = b2d_min(b.min_y, more.min_y);
        b.max_x = b2d_max(b.max_x, more.max_x);
        b.max_y = b2d_max(b.max_y, more.max_y);
    }
    float r = hot->radius;
    return (b2d_box){b2d_round_down(pose->x + (double)(b.min_x - r)), b2d_round_down(pose->y + (double)(b.min_y - r)),
                     b2d_round_up(pose->x + (double)(b.max_x + r)), b2d_round_up(pose->y + (double)(b.max_y + r))};
}
// The box grown by `margin` on each side.
static inline b2d_box b2d_box_grow(b2d_box box, float margin) {
    return (b2d_box){box.min_x - margin, box.min_y - margin, box.max_x + margin, box.max_y + margin};
}

// A convex core for GJK: up to 8 points and a radius, in any one frame.
typedef struct b2d_proxy {
    b2d_vec2 points[8];
    int32_t count;
    float radius;
} b2d_proxy;
b2d_proxy b2d_shape_proxy(const b2d_shape_hot* hot, const b2d_hull4* second); // body coordinates
b2d_proxy b2d_geometry_proxy(const b2d_geometry* geometry);

typedef struct b2d_distance {
    b2d_vec2 point_a, point_b, normal; // in frame A; the normal points from A to B, (0, 0) when the cores overlap
    float distance;                    // of the cores less the radii; negative: overlap of the rounded shapes
    int32_t iterations;
} b2d_distance;
b2d_distance b2d_shape_distance(const b2d_proxy* a, const b2d_proxy* b, b2d_transform b_in_a);

bool b2d_shape_contains(const b2d_geometry* geometry, b2d_vec2 point);

// Motion of a body over one step, about its centre of mass: positions relative to an origin near both bodies.
typedef struct b2d_sweep {
    b2d_vec2 local_center;
    b2d_vec2 c1, c2; // centre of mass at fractions 0 and 1
    b2d_rot q1;      // rotation at fraction 0
    float angle;     // turned by fraction 1 (may exceed pi)
} b2d_sweep;
b2d_transform b2d_sweep_at(const b2d_sweep* sweep, float fraction);

typedef struct b2d_toi {
    enum { B2D_TOI_SEPARATED, B2D_TOI_HIT, B2D_TOI_OVERLAPPED, B2D_TOI_FAILED } state;
    float fraction; // where the cores come within the target distance; 1 when separated
    b2d_vec2 point, normal;
    int32_t iterations;
} b2d_toi;
// Conservative advancement with safe bracketing: the first fraction in [0, max_fraction] at which the distance falls to
// the target (half the linear slop inside the sum of radii, at least half the slop). Deterministic, no libm.
b2d_toi b2d_time_of_impact(const b2d_proxy* a, const b2d_sweep* sweep_a, const b2d_proxy* b, const b2d_sweep* sweep_b,
                           float max_fraction, float linear_slop);
