// csrc/narrowphase/contact_block.h - where touching contacts live: persistent blocks of 16 lanes.
//
// Idea: the narrow phase refreshes a contact where the solver reads it, so nothing is copied between layouts. A block
// belongs to one list of one colour; no moving body appears twice in a colour. Lanes fill from 0 without holes (the
// last block of a list may be partial), so a block's live lanes are 0 .. count - 1. Which lane a contact has never
// changes a bit.
//
// Contact frame: normal n from side A to side B, tangent t = (n.y, -n.x). Lever r of a point about the centre of mass
// of side A is kept as normal_arm = r x n and along_normal = r . n; about side B it is (normal_arm + normal_arm_shift, along_normal + along_normal_shift), one offset for both points.
// Then
//   normal speed  = n . (vB - vA) + wB (normal_arm + normal_arm_shift) - wA normal_arm
//   tangent speed = t . (vB - vA) - wB (along_normal + along_normal_shift) + wA along_normal        (because r x t = -r . n)
//   separation    = initial_separation + n . (dB - dA) + [sin(thB) (normal_arm + normal_arm_shift) - (1 - cos thB) (along_normal + along_normal_shift + roundB)]
//                                        - [sin(thA) normal_arm - (1 - cos thA) (along_normal - roundA)]
// with d, th the motion since the step began, and round the radii of the shapes: what turns is the core, the rounding
// stays on the normal's side of it (so a rolling ball keeps its distance). Side A is the moving body when the other is
// not, else that of smaller extent.
#pragma once
#include "base/core.h"

enum { B2D_LANES = 16, B2D_COLORS = 32, B2D_STATIC_COLORS = 4, B2D_OVERFLOW = B2D_COLORS };

typedef struct b2d_contact_point {
    float normal_arm[B2D_LANES], along_normal[B2D_LANES]; // lever about side A
    float initial_separation[B2D_LANES]; // separation when the step began; B2D_DEAD_POINT for a missing second point
    float normal_impulse[B2D_LANES], tangent_impulse[B2D_LANES];
} b2d_contact_point;
#define B2D_DEAD_POINT 1.0e6f

// What every pass of the solver reads: 19 rows. 64-byte aligned.
typedef struct b2d_contact_block {
    int32_t body_a[B2D_LANES], body_b[B2D_LANES]; // padding lanes: -1, the hidden zero row
    float nx[B2D_LANES], ny[B2D_LANES];
    float normal_arm_shift[B2D_LANES], along_normal_shift[B2D_LANES];
    float friction[B2D_LANES];
    float radius_a[B2D_LANES], radius_b[B2D_LANES]; // radii of the shapes of sides A and B
    b2d_contact_point point[2];
} b2d_contact_block;

// What only the narrow phase and read-back need. Relative poses and the normal are in the body frame of side A.
typedef struct b2d_manifold_block {
    int32_t contact[B2D_LANES];  // id
    uint32_t feature[B2D_LANES]; // point 0 in the low 16 bits, point 1 in the high; 0xFFFF = no point
    // Pose of body B's origin in A's frame at the last full manifold; qc and qs are 0 where it must not be recycled
    float px[B2D_LANES], py[B2D_LANES], qc[B2D_LANES], qs[B2D_LANES];
    float local_nx[B2D_LANES], local_ny[B2D_LANES]; // normal in A's frame at the last full manifold
    float separation[2][B2D_LANES];                 // at the last full manifold
    float extent[B2D_LANES];                        // of the pair: smaller extent of the two bodies
} b2d_manifold_block;

// Second block, only where some lane needs it (B2D_PAIR_EXTRA): restitution, rolling, conveyor, hit totals.
typedef struct b2d_extra_block {
    float restitution[B2D_LANES];
    float rolling[B2D_LANES]; // rolling resistance times radius, m
    float tangent_speed[B2D_LANES];
    float rolling_impulse[B2D_LANES];
    float approach[2][B2D_LANES];     // normal speed before the first substep
    float peak_impulse[2][B2D_LANES]; // greatest normal impulse of the step
} b2d_extra_block;

// One contact outside the blocks, in the same form: a fresh manifold before its colour is known, or a sleeping contact
// at rest.
typedef struct b2d_contact_record {
    float nx, ny, normal_arm_shift, along_normal_shift, friction, radius_a, radius_b;
    struct {
        float normal_arm, along_normal, initial_separation, normal_impulse, tangent_impulse, separation;
    } point[2];
    uint32_t feature;
    float px, py, qc, qs, local_nx, local_ny;
    float restitution, rolling, tangent_speed, rolling_impulse;
} b2d_contact_record;

// The row of a contact that the narrow phase reads, by contact id. 32 bytes.
typedef struct b2d_pair {
    // A chain is shape_a, a circle shape_b, of two hulls the fixed one is shape_a; else the higher form, the lower id
    int32_t shape_a, shape_b;
    int32_t body_a, body_b; // of the same shapes
    int32_t lane_index;     // block * B2D_LANES + lane while solved; B2D_NONE otherwise
    // The collide stage leaves here the number of the record of a contact that begins (see below)
    int32_t record;
    uint8_t bucket; // B2D_BUCKET_*
    uint8_t flags;  // B2D_PAIR_*
    uint16_t unused;
    float extent; // smaller extent of the two bodies: recycling limits
} b2d_pair;
enum {
    B2D_PAIR_TOUCHING = 1,         // has begun and not ended
    B2D_PAIR_FLIP = 2,             // side A of the record is shape_b's body (normal and levers follow)
    B2D_PAIR_EXTRA = 4,            // its block has an extra block
    B2D_PAIR_REST = 8,             // touching, asleep: its record is in the rest pool
    B2D_PAIR_TERRAIN = 16,         // one of its shapes is a terrain, the other moves
    B2D_PAIR_ONE_WAY = 32,         // the narrow phase asks the world whether its points count (one-way shapes)
    B2D_PAIR_PASSES_THROUGH = 64,  // they did not count when last asked: one goes through the other
    B2D_PAIR_INTERNAL_EDGES = 128, // with a terrain, and the moving shape meets others too: narrowphase/internal_edge.h
};
// Kernels by forms, the higher first. A quad kernel takes lines, an oct kernel takes quads and lines, as either shape.
// Those of chains follow the form of the second shape.
enum {
    B2D_BUCKET_POINT_POINT,
    B2D_BUCKET_LINE_POINT,
    B2D_BUCKET_LINE_LINE,
    B2D_BUCKET_QUAD_POINT,
    B2D_BUCKET_OCT_POINT,
    B2D_BUCKET_QUAD,
    B2D_BUCKET_OCT,
    B2D_BUCKET_CHAIN_POINT,
    B2D_BUCKET_CHAIN_LINE,
    B2D_BUCKET_CHAIN_QUAD,
    B2D_BUCKET_CHAIN_OCT,
    B2D_BUCKET_COUNT
};
