// csrc/graph/joint_block.h - where awake joints live: persistent blocks of 16 lanes, like contacts.
//
// Idea: a joint is two frames and a list of rows; a type is a choice of rows (csrc/joints/README.md has the table). The
// block has the rigid point rows; every other row is in the second block, looked at only where joint_block_rows says
// that some lane has such a row.
//   angle  coordinate: angle of frame B against frame A. Rigid, spring, motor, lower, upper.
//   line   coordinate: anchor B - anchor A along an axis of frame A (slide) or its length (distance). The same five, and for a
//          slide the rigid row across the axis, solved together with a rigid angle row.
//   plane  coordinate: the vector anchor B - anchor A. A spring and a motor of bounded length, or a motor bounded along x and y.
//   link   one rigid row with its own direction on each side (gear, pulley): coordinate and direction of the step's start.
// Side A is the moving body when the other is fixed (B2D_JOINT_FLIP). Angles, point and plane rows then change sign;
// line and link rows do not, for their axis turns over with the sides. Levers and the difference of centres are in
// world axes at the start of the step; the kernels turn them by the step's motion.
#pragma once
#include "narrowphase/contact_block.h"

typedef struct b2d_joint_block {
    int32_t body_a[B2D_LANES], body_b[B2D_LANES];                     // padding lanes: -1
    float ax[B2D_LANES], ay[B2D_LANES], bx[B2D_LANES], by[B2D_LANES]; // levers from the centres of mass
    float dx[B2D_LANES], dy[B2D_LANES];                               // centre B - centre A when the step began
    float bias_rate[B2D_LANES], mass_scale[B2D_LANES], impulse_scale[B2D_LANES]; // softness of rigid rows
    float impulse_x[B2D_LANES], impulse_y[B2D_LANES];
    // Angular impulses in the velocities that the next substep replays
    float carried_a[B2D_LANES], carried_b[B2D_LANES];
} b2d_joint_block;

// Of the same lanes, what prepare needs in every step to place them: the solver's passes do not read it.
typedef struct b2d_joint_frames {
    float ax[B2D_LANES], ay[B2D_LANES], bx[B2D_LANES], by[B2D_LANES]; // anchors on sides A and B, body coordinates
    float flip[B2D_LANES];                                            // 1: side A is the user's body B
    float offset[B2D_LANES];                                          // frame angle B - frame angle A, user order
    float axis_x[B2D_LANES], axis_y[B2D_LANES]; // of a slide: x axis of frame A, coordinates of the user's body A
} b2d_joint_frames;

// Rows about one scalar coordinate. A row is off where its flag is 0; then every lane value of it stays as it is, to
// the bit.
typedef struct b2d_scalar_rows {
    float target[B2D_LANES]; // of the spring and of the rigid row
    float spring_on[B2D_LANES], spring_bias_rate[B2D_LANES], spring_mass_scale[B2D_LANES],
        spring_impulse_scale[B2D_LANES], spring_low[B2D_LANES], spring_high[B2D_LANES], spring_impulse[B2D_LANES];
    float motor_on[B2D_LANES], motor_speed[B2D_LANES], motor_max[B2D_LANES], motor_impulse[B2D_LANES];
    float limit_on[B2D_LANES], lower[B2D_LANES], upper[B2D_LANES], lower_impulse[B2D_LANES], upper_impulse[B2D_LANES];
    float rigid_on[B2D_LANES], rigid_impulse[B2D_LANES];
} b2d_scalar_rows;

typedef struct b2d_joint_rows {
    b2d_scalar_rows angle;
    float start_angle[B2D_LANES];                     // unwrapped, when the step began
    float carried_x[B2D_LANES], carried_y[B2D_LANES]; // as carried_a; linear, on side B

    b2d_scalar_rows line;
    float slide_on[B2D_LANES], distance_on[B2D_LANES];
    float across_on[B2D_LANES];                                       // of a slide: the rigid row across it
    float axis_x[B2D_LANES], axis_y[B2D_LANES], axis_on_b[B2D_LANES]; // of a slide; which side it turns with
    float cross_impulse[B2D_LANES];

    float point_off[B2D_LANES]; // 1: the lane has no rigid point rows
    float pull_on[B2D_LANES], pull_bias_rate[B2D_LANES], pull_mass_scale[B2D_LANES], pull_impulse_scale[B2D_LANES],
        pull_max[B2D_LANES], pull_x[B2D_LANES], pull_y[B2D_LANES]; // the spring in the plane
    float drive_on[B2D_LANES], drive_vx[B2D_LANES], drive_vy[B2D_LANES], drive_max[B2D_LANES], drive_x[B2D_LANES],
        drive_y[B2D_LANES];
    float drive_xy_on[B2D_LANES], drive_max_y[B2D_LANES]; // the motor with a bound along each axis: x has drive_max

    float link_on[B2D_LANES], link_value[B2D_LANES], link_impulse[B2D_LANES];
    float link_ax[B2D_LANES], link_ay[B2D_LANES], link_aw[B2D_LANES], link_bx[B2D_LANES], link_by[B2D_LANES],
        link_bw[B2D_LANES];
} b2d_joint_rows;

// joint_block_rows: what some lane of a block may have. UNKNOWN: a lane was filled or its joint was changed, so prepare
// must lay out the block anew; without it only what moves is placed. RESTLESS: some lane must be laid out in every
// step.
enum {
    B2D_ROWS_ANGLE = 1,
    B2D_ROWS_LINE = 2,
    B2D_ROWS_PLANE = 4,
    B2D_ROWS_LINK = 8,
    B2D_ROWS_NO_POINT = 16,
    B2D_ROWS_KINDS = 31,
    B2D_ROWS_RESTLESS = 64,
    B2D_ROWS_UNKNOWN = 128,
};

// Impulses of a joint outside the blocks (asleep, disabled, just made), in user order (not flipped).
typedef struct b2d_joint_impulses {
    float x, y;                                                  // point
    float spring, motor, lower, upper, turn;                     // angle; turn: its rigid row
    float line_spring, line_motor, line_lower, line_upper, line; // line; line: its rigid row
    float cross;
    float pull_x, pull_y, drive_x, drive_y;
    float link;
} b2d_joint_impulses;
