// csrc/graph/joint_block.h - where awake joints live: persistent blocks of 16 lanes, like contacts.
//
// Idea: a joint is two frames and a list of rows. The point rows (two rigid linear rows) and the angle rows (rigid, spring,
// motor, lower, upper) cover the revolute joint; the angle part is a block of its own, present only where a lane has such a row.
// Side A is the moving body when the other is fixed (B2D_JOINT_FLIP); all signs in a lane are in that order.
// Levers and the difference of centres are in world axes at the start of the step; the kernels turn them by the step's motion.
#pragma once
#include "narrowphase/contact_block.h"

typedef struct b2d_joint_block {
    int32_t body_a[B2D_LANES], body_b[B2D_LANES]; // padding lanes: -1
    float ax[B2D_LANES], ay[B2D_LANES], bx[B2D_LANES], by[B2D_LANES]; // levers from the centres of mass
    float dx[B2D_LANES], dy[B2D_LANES];                               // centre B - centre A when the step began
    float bias_rate[B2D_LANES], mass_scale[B2D_LANES], impulse_scale[B2D_LANES]; // softness of rigid rows
    float impulse_x[B2D_LANES], impulse_y[B2D_LANES];
    float last[4][B2D_LANES]; // the four levers when the impulse was last applied as a whole
} b2d_joint_block;

// A row is off where its flag is 0; then every lane value of it stays as it is, to the bit.
typedef struct b2d_joint_angle_block {
    float angle[B2D_LANES]; // of frame B relative to frame A when the step began, unwrapped
    float spring_on[B2D_LANES], spring_target[B2D_LANES], spring_bias_rate[B2D_LANES], spring_mass_scale[B2D_LANES],
        spring_impulse_scale[B2D_LANES], spring_impulse[B2D_LANES];
    float motor_on[B2D_LANES], motor_speed[B2D_LANES], motor_max[B2D_LANES], motor_impulse[B2D_LANES];
    float limit_on[B2D_LANES], lower[B2D_LANES], upper[B2D_LANES], lower_impulse[B2D_LANES], upper_impulse[B2D_LANES];
} b2d_joint_angle_block;

// Impulses of a joint outside the blocks (asleep, disabled, just made), in user order (not flipped).
typedef struct b2d_joint_impulses {
    float x, y, spring, motor, lower, upper;
} b2d_joint_impulses;
