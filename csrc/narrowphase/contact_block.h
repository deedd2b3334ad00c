// csrc/narrowphase/contact_block.h - where touching contacts live: persistent blocks of 16 lanes.
//
// Idea: the narrow phase refreshes a contact where the solver reads it, so nothing is copied between layouts. A block
// belongs to one list of one colour; no moving body appears twice in a colour. Lanes are filled from 0 without holes
// (only the last block of a list may be partial), so the live lanes of a block are 0 .. count - 1. The lane in which a
// contact lies never changes a result.
//
// The contact frame, in world axes at the start of the step:
//
//            n  unit normal, from body A to body B
//            ^
//            |             body B
//   .--------|-------------------------.
//   |        |            + cB         |   cA, cB  centres of mass
//   |        |           /             |   P       contact point, midway between the two surfaces
//   |        |     rB   /              |   rA      lever P - cA of side A
//   '--------P ----------> t ----------'   rB      lever P - cB = rA + (cA - cB) of side B
//   .-------/--------------------------.   t       unit tangent (n.y, -n.x)
//   |      /                           |
//   |     /  rA                        |   normal_arm         = rA x n = rA . t   m, lever arm of the normal impulse
//   |    /                             |   along_normal       = rA . n = -rA x t  m, lever arm of the tangent impulse
//   |   + cA               body A      |   normal_arm_shift   = (cA - cB) x n     m, so that rB x n = arm + shift
//   '----------------------------------'   along_normal_shift = (cA - cB) . n     m, so that rB . n = along + shift
//
// A contact has a first point within the speculative distance. Its second point may be farther away (a far point): it
// lets a body that turns about the first point land on the second, and has no part in anything until the solver finds
// that it touches within the substep. Users do not see it while it does not push. The first point may be far where a
// body without joints turns about another contact, and the shapes will meet in the step.
//
// All of it is at the start of the step, but for the arms of the normal impulses: these are in the middle of the step,
// as far as its spin turns side A by then, and where bodies roll on each other. The middle is the mean time at which a
// substep begins. With the arms of the start of the step, which the substeps leave behind, bodies that roll or rock
// gain energy; with those of the middle the map of a step has the determinant 1 for every number of substeps.
//
// The shifts are the same for both points of a contact, hence stored once. With vA, vB the velocities of the centres
// (m/s), wA, wB the angular velocities (rad/s), dA, dB and thA, thB the motion since the step began (m, rad):
//   normal speed  = n . (vB - vA) + wB (normal_arm + normal_arm_shift) - wA normal_arm
//   tangent speed = t . (vB - vA) - wB (along_normal + along_normal_shift) + wA along_normal
//   separation    = initial_separation + n . (dB - dA)
//                   + sin(thB) (arm + normal_arm_shift - roll_shift) - (1 - cos(thB)) core_b
//                   - sin(thA) arm + (1 - cos(thA)) core_a
//   with core_a   = along_normal - initial_separation / 2 - radius_a
//        core_b   = along_normal + along_normal_shift + initial_separation / 2 + radius_b
//        arm      = normal_arm - roll_arm + turn core_a, the arm at the start of the step
// Only the core of a shape turns with its body. Its rounding stays on the normal's side of the core, and so does the
// half of the gap that lies between the surface and P: a disc that spins keeps its distance, and a normal impulse does
// not turn it. Side A is the moving body when the other does not move, else the body of smaller extent.
#pragma once
#include "base/core.h"

enum { B2D_LANES = 16, B2D_COLORS = 32, B2D_STATIC_COLORS = 4, B2D_OVERFLOW = B2D_COLORS };

typedef struct b2d_contact_point {
    float normal_arm[B2D_LANES], along_normal[B2D_LANES]; // m, lever of side A; normal_arm in the middle of the step
    float initial_separation[B2D_LANES]; // m, when the step began; B2D_DEAD_POINT: there is no such point
    float normal_impulse[B2D_LANES], tangent_impulse[B2D_LANES]; // kg m/s, of the last substep (warm starting)
} b2d_contact_point;
#define B2D_DEAD_POINT 1.0e6f // m, so far apart that the solver gives a missing second point no impulse

// Seconds from the beginning of a step to its middle.
static inline float b2d_middle_of_step(float dt, int32_t substeps) { return 0.5f * (dt - dt / (float)substeps); }

// rad, by how much side A turns up to the middle of the step. More than 1/8 of a turn in a step is not resolved.
#define B2D_MOST_TURN 0.39269908f
static inline float b2d_turn_ahead(float spin, float ahead) {
    return b2d_max(-B2D_MOST_TURN, b2d_min(B2D_MOST_TURN, ahead * spin));
}

// Whether a body, of this inverse mass, holds and stops one that turns as something fixed would. Bodies of like masses
// give way; with them whirling bodies begin a third more contacts (docs/decisions/contacts.md).
#define B2D_HOLDING_RATIO 16.0f        // of the masses
#define B2D_LEAST_TURN    9.765625e-4f // rad in a step: moves the far end of a body by a thousandth of its length
static inline bool b2d_holds(float inverse_mass, float of_turning) {
    return (of_turning > 0.0f) & (B2D_HOLDING_RATIO * inverse_mass <= of_turning);
}

// s, of a step that long, until a body has turned by 1/8 of a turn.
static inline float b2d_time_of_turn(float dt, float spin) {
    const float most = 2.0f * B2D_MOST_TURN;
    return dt * b2d_abs(spin) > most ? most / b2d_abs(spin) : dt;
}

// m, by how much the far end of a body of this extent may move in a step because the body turns about a point of
// itself. Where its centre of rotation is farther out it slides or flies rather than turns: negative if twice as far.
static inline float b2d_turning_way(float vx, float vy, float spin, float extent, float dt) {
    const float speed = b2d_abs(spin) * extent;
    return 2.0f * b2d_time_of_turn(dt, spin) * b2d_min(speed, 2.0f * speed - b2d_length(b2d_v(vx, vy)));
}

// m, core_a above; a missing second point has none.
static inline float b2d_core_along(float along_normal, float radius, float separation) {
    return (along_normal - radius) - (separation < B2D_DEAD_POINT ? 0.5f * separation : 0.0f);
}

// The arm at the start of the step from that in the middle, and back with the opposite turn.
static inline float b2d_turned_arm(float normal_arm, float core, float turn) { return normal_arm + turn * core; }

// m, by how much the arms on side A of bodies that stick to each other change up to the middle of the step beyond what
// the turn of the core does, and the shift to those on side B: the place of contact moves along both surfaces by their
// relative turn times `curvature`, the reduced radius; those of both sides reach from the cores to P.
typedef struct b2d_roll {
    float arm, shift;
} b2d_roll;
static inline b2d_roll b2d_roll_ahead(float turn_a, float turn_b, float along_a, float along_b, float core_a,
                                      float curvature) {
    return (b2d_roll){(turn_a - turn_b) * curvature - turn_a * (along_a - core_a), turn_a * along_a - turn_b * along_b};
}

// What every pass of the solver reads: 22 rows, and two that it writes. 64-byte aligned.
typedef struct b2d_contact_block {
    int32_t body_a[B2D_LANES], body_b[B2D_LANES];                     // padding lanes: -1, the hidden zero row
    float nx[B2D_LANES], ny[B2D_LANES];                               // unit normal, world axes
    float normal_arm_shift[B2D_LANES], along_normal_shift[B2D_LANES]; // m
    float friction[B2D_LANES];                                        // coefficient, no unit
    float radius_a[B2D_LANES], radius_b[B2D_LANES];                   // m, of the shapes of sides A and B
    float turn[B2D_LANES];                                            // rad, of side A up to the middle of the step
    float roll_arm[B2D_LANES], roll_shift[B2D_LANES];                 // m, in normal_arm and normal_arm_shift: b2d_roll
    b2d_contact_point point[2];
    float normal_force[B2D_LANES], tangent_force[B2D_LANES]; // N, mean over the last step, both points together
} b2d_contact_block;

// What only the narrow phase and the reading of contacts need. Poses and the normal are in the body frame of side A.
typedef struct b2d_manifold_block {
    int32_t contact[B2D_LANES];  // id
    uint32_t feature[B2D_LANES]; // feature id of point 0 in the low 16 bits, of point 1 in the high; 0xFFFF: no point
    // Pose of the origin of body B in the frame of A at the last full manifold: position (m), cosine and sine; the
    // cosine and sine are 0 where the manifold must not be recycled
    float px[B2D_LANES], py[B2D_LANES], qc[B2D_LANES], qs[B2D_LANES];
    float local_nx[B2D_LANES], local_ny[B2D_LANES]; // unit normal in the frame of A at the last full manifold
    float normal_arm[2][B2D_LANES];                 // m, at the last full manifold
    float separation[2][B2D_LANES];                 // m, at the last full manifold
    float extent[B2D_LANES];                        // m, the smaller extent of the two bodies
} b2d_manifold_block;

// A second block, present only where some lane needs it (B2D_PAIR_EXTRA): restitution, rolling resistance, conveyor
// speed, totals for hit events.
typedef struct b2d_extra_block {
    float restitution[B2D_LANES];     // coefficient, no unit
    float rolling[B2D_LANES];         // m, rolling resistance times radius
    float tangent_speed[B2D_LANES];   // m/s, of a conveyor
    float rolling_impulse[B2D_LANES]; // kg m^2/s
    float approach[2][B2D_LANES];     // m/s, normal speed before the first substep
    float peak_impulse[2][B2D_LANES]; // kg m/s, greatest normal impulse of the step
} b2d_extra_block;

// One contact outside the blocks, in the same form and units: a new manifold before its colour is known, or the contact
// of a sleeping island.
typedef struct b2d_contact_record {
    float nx, ny, normal_arm_shift, along_normal_shift, friction, radius_a, radius_b, turn, roll_arm, roll_shift;
    struct {
        float normal_arm, along_normal, initial_separation, normal_impulse, tangent_impulse;
        float full_normal_arm, separation; // at the last full manifold
    } point[2];
    uint32_t feature;
    float normal_force, tangent_force;
    float px, py, qc, qs, local_nx, local_ny;
    float restitution, rolling, tangent_speed, rolling_impulse;
    float impulse_h; // s, length of the substeps for which the impulses stand; 0: of the last step, as those in lanes
} b2d_contact_record;

// The row of a contact that the narrow phase reads, by contact id. 32 bytes.
typedef struct b2d_pair {
    // A chain segment is shape_a, a circle is shape_b; of two hulls the one that does not move is shape_a; otherwise
    // shape_a has the higher form, then the lower id
    int32_t shape_a, shape_b;
    int32_t body_a, body_b; // of the same shapes
    int32_t lane_index;     // block * B2D_LANES + lane while solved; B2D_NONE otherwise
    // Number of the record of a contact that begins, written by the collide stage (collide.h)
    int32_t record;
    uint8_t bucket; // B2D_BUCKET_*
    uint8_t flags;  // B2D_PAIR_*
    uint16_t unused;
    float extent; // m, smaller extent of the two bodies: limits recycling
} b2d_pair;
enum {
    B2D_PAIR_TOUCHING = 1,         // has begun and not ended
    B2D_PAIR_FLIP = 2,             // side A is the body of shape_b; normal and levers are stored accordingly
    B2D_PAIR_EXTRA = 4,            // its block has an extra block
    B2D_PAIR_REST = 8,             // touching and asleep: its record is in the rest pool
    B2D_PAIR_TERRAIN = 16,         // one of its shapes is a terrain shape, the other moves
    B2D_PAIR_ONE_WAY = 32,         // context->passes_through decides whether its points count
    B2D_PAIR_PASSES_THROUGH = 64,  // at the last decision they did not: one shape passes through the other
    B2D_PAIR_INTERNAL_EDGES = 128, // with a terrain shape, and the moving shape meets others as well: internal_edge.h
};
// Kernels by the forms of both shapes, the higher form first. A quad kernel also takes lines, an oct kernel also takes
// quads and lines, as either shape. The kernels of chain segments are named after the form of the second shape.
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
