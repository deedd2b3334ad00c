// csrc/base/vec.h - vectors, rotations and poses: float32 around a body, float64 for world positions.
#pragma once
#include "base/core.h"
#include <math.h> // sqrtf, fabsf and isfinite only: all exact, all inline
#include <string.h>

typedef struct b2d_vec2 {
    float x, y;
} b2d_vec2;
typedef struct b2d_rot {
    float c, s;
} b2d_rot;
typedef struct b2d_transform {
    b2d_vec2 p;
    b2d_rot q;
} b2d_transform; // in float32, of one body relative to another

// One row of the pose table: position and rotation of a body's origin, and its centre of mass.
typedef struct b2d_pose {
    double x, y;
    float c, s;
    float cx, cy; // centre of mass in body coordinates
} b2d_pose;

typedef struct b2d_box {
    float min_x, min_y, max_x, max_y;
} b2d_box;

static inline b2d_vec2 b2d_v(float x, float y) { return (b2d_vec2){x, y}; }
static inline b2d_vec2 b2d_add(b2d_vec2 a, b2d_vec2 b) { return b2d_v(a.x + b.x, a.y + b.y); }
static inline b2d_vec2 b2d_sub(b2d_vec2 a, b2d_vec2 b) { return b2d_v(a.x - b.x, a.y - b.y); }
static inline b2d_vec2 b2d_scale(float s, b2d_vec2 a) { return b2d_v(s * a.x, s * a.y); }
static inline b2d_vec2 b2d_neg(b2d_vec2 a) { return b2d_v(-a.x, -a.y); }
static inline float b2d_dot(b2d_vec2 a, b2d_vec2 b) { return a.x * b.x + a.y * b.y; }
static inline float b2d_cross(b2d_vec2 a, b2d_vec2 b) { return a.x * b.y - a.y * b.x; }
static inline b2d_vec2 b2d_cross_sv(float s, b2d_vec2 a) { return b2d_v(-s * a.y, s * a.x); }
static inline b2d_vec2 b2d_left_perp(b2d_vec2 a) { return b2d_v(-a.y, a.x); }
static inline b2d_vec2 b2d_right_perp(b2d_vec2 a) { return b2d_v(a.y, -a.x); }
static inline b2d_vec2 b2d_lerp(b2d_vec2 a, b2d_vec2 b, float t) {
    return b2d_v((1.0f - t) * a.x + t * b.x, (1.0f - t) * a.y + t * b.y);
}
static inline float b2d_length_squared(b2d_vec2 a) { return a.x * a.x + a.y * a.y; }
static inline float b2d_length(b2d_vec2 a) { return sqrtf(a.x * a.x + a.y * a.y); }
static inline float b2d_min(float a, float b) { return a < b ? a : b; } // operand order as in the SIMD operations
static inline float b2d_max(float a, float b) { return a > b ? a : b; }
static inline float b2d_abs(float a) { return fabsf(a); }
static inline float b2d_clamp(float x, float lower, float upper) { return x < lower ? lower : (x > upper ? upper : x); }
// Unit vector and length; a vector too short to have a direction gives (0, 0) and length 0.
static inline b2d_vec2 b2d_normalize(b2d_vec2 a, float* length) {
    float l = b2d_length(a);
    if (l < 1.0e-30f) {
        *length = 0.0f;
        return b2d_v(0.0f, 0.0f);
    }
    *length = l;
    return b2d_v(a.x / l, a.y / l);
}
static inline b2d_vec2 b2d_rotate(b2d_rot q, b2d_vec2 v) { return b2d_v(q.c * v.x - q.s * v.y, q.s * v.x + q.c * v.y); }
static inline b2d_vec2 b2d_unrotate(b2d_rot q, b2d_vec2 v) {
    return b2d_v(q.c * v.x + q.s * v.y, q.c * v.y - q.s * v.x);
}
static inline b2d_rot b2d_rot_multiply(b2d_rot a, b2d_rot b) {
    return (b2d_rot){a.c * b.c - a.s * b.s, a.s * b.c + a.c * b.s};
}
// A^-1 b
static inline b2d_rot b2d_rot_relative(b2d_rot a, b2d_rot b) {
    return (b2d_rot){a.c * b.c + a.s * b.s, a.c * b.s - a.s * b.c};
}
static inline b2d_rot b2d_rot_normalize(b2d_rot q) {
    float l = sqrtf(q.c * q.c + q.s * q.s);
    return (b2d_rot){q.c / l, q.s / l};
}
static inline b2d_vec2 b2d_transform_point(b2d_transform t, b2d_vec2 v) { return b2d_add(b2d_rotate(t.q, v), t.p); }
static inline b2d_vec2 b2d_transform_invert(b2d_transform t, b2d_vec2 v) { return b2d_unrotate(t.q, b2d_sub(v, t.p)); }
// Pose of b in the frame of a: the difference of positions is taken in float64.
static inline b2d_transform b2d_pose_relative(const b2d_pose* a, const b2d_pose* b) {
    b2d_rot qa = {a->c, a->s}, qb = {b->c, b->s};
    b2d_vec2 d = {(float)(b->x - a->x), (float)(b->y - a->y)};
    return (b2d_transform){b2d_unrotate(qa, d), b2d_rot_relative(qa, qb)};
}
// Centre of mass relative to the origin, in world axes.
static inline b2d_vec2 b2d_pose_center(const b2d_pose* p) {
    return b2d_rotate((b2d_rot){p->c, p->s}, b2d_v(p->cx, p->cy));
}

// The greatest float not above a finite d, and the least not below. The bits of a float, read as an integer, grow with
// its magnitude; a negative d never rounds to +0.
static inline float b2d_round_down(double d) {
    float f = (float)d;
    int32_t bits, too_high = -((double)f > d);
    memcpy(&bits, &f, sizeof bits);
    bits -= (bits >> 31 | 1) & too_high;
    memcpy(&f, &bits, sizeof f);
    return f;
}
static inline float b2d_round_up(double d) { return -b2d_round_down(-d); }

static inline b2d_box b2d_box_above(double min_x, double min_y, double max_x, double max_y) { // rounded outwards
    return (b2d_box){b2d_round_down(min_x), b2d_round_down(min_y), b2d_round_up(max_x), b2d_round_up(max_y)};
}

static inline bool b2d_box_overlaps(b2d_box a, b2d_box b) { // closed: touching counts
    return a.min_x <= b.max_x && b.min_x <= a.max_x && a.min_y <= b.max_y && b.min_y <= a.max_y;
}
// The same for one box against many. With signs turned so that all four comparisons ask the same, they are one vector
// operation; four branches would often be mispredicted.
typedef float b2d_corners __attribute__((vector_size(16)));
typedef int64_t b2d_halves __attribute__((vector_size(16)));
static inline b2d_corners b2d_wanted_corners(b2d_box box) {
    return (b2d_corners){box.max_x, box.max_y, -box.min_x, -box.min_y};
}
static inline bool b2d_box_meets(const b2d_box* box, b2d_corners wanted) {
    const b2d_corners sign = {0.0f, 0.0f, -0.0f, -0.0f};
    b2d_corners corners;
    memcpy(&corners, box, sizeof corners);
    const b2d_halves in = (b2d_halves)((b2d_corners)((b2d_halves)corners ^ (b2d_halves)sign) <= wanted);
    return (in[0] & in[1]) == -1;
}
static inline bool b2d_box_contains(b2d_box outer, b2d_box inner) {
    return outer.min_x <= inner.min_x && outer.min_y <= inner.min_y && inner.max_x <= outer.max_x &&
           inner.max_y <= outer.max_y;
}

// Deterministic trigonometry (base/trig.c): polynomials of our own, equal bits on all platforms. Cosine and sine of any
// finite angle, within 1 float32 ulp up to 2^50; 0 gives (1, 0)
b2d_rot b2d_make_rot(double angle);
b2d_rot b2d_integrate_rot(b2d_rot q, float angle); // q turned by `angle`, normalised
float b2d_atan2(float y, float x);                 // in (-pi, pi], within 2 ulp; (0, 0) gives 0
