// csrc/graph/joint_block.h - where the solved joints are: persistent blocks of 16 lanes, as for contacts.
//
// Idea: a joint is two frames and a list of constraint rows; a joint type is a choice of rows (csrc/joints/README.md
// has the table). The block has the rigid point rows. All other rows are in a second block, which is read only if
// joint_block_rows says that some lane has such a row:
//   angle     about the angle of frame B relative to frame A: rigid row, spring, motor, lower and upper limit.
//   line      along a line from anchor A to anchor B, the same five rows. The line is an axis of frame A (slide) or the
//             direction from anchor to anchor (distance). A slide may also have a rigid row across the axis, which is
//             solved together with a rigid angle row.
//   plane     on the vector anchor B - anchor A: a spring and a motor, each with a bound on the length of its force,
//             or a motor with a bound along each of two axes, those of the world or of one of the frames.
//   coupling  one rigid row that has its own direction on each side (gear, pulley). Its value and directions are those
//             at the start of the step.
// Side A of a lane is always a moving body. If the user's body A is fixed, the lane is flipped (B2D_JOINT_FLIP):
// angles, point and plane rows then change sign. Line and coupling rows do not, because their directions change sides
// instead. The vectors from the centres of mass to the anchors, and the one between the centres, are in world axes at
// the start of the step; the kernels rotate them by the motion since then.
#pragma once
#include "narrowphase/contact_block.h"

typedef struct b2d_joint_block {
    int32_t body_a[B2D_LANES], body_b[B2D_LANES];                     // padding lanes: -1
    float ax[B2D_LANES], ay[B2D_LANES], bx[B2D_LANES], by[B2D_LANES]; // from the centres of mass to the anchors
    float dx[B2D_LANES], dy[B2D_LANES];                               // centre B - centre A at the start of the step
    float bias_rate[B2D_LANES], mass_scale[B2D_LANES], impulse_scale[B2D_LANES]; // softness of rigid rows
    float impulse_x[B2D_LANES], impulse_y[B2D_LANES];
    // Angular impulses that are in the velocity change which the next substep replays as its warm start
    float replayed_a[B2D_LANES], replayed_b[B2D_LANES];
    float force_x[B2D_LANES], force_y[B2D_LANES], torque[B2D_LANES]; // on side B, N and N m: mean over the last step
} b2d_joint_block;

// What prepare needs in every step to place the same lanes. The passes of the solver do not read it.
typedef struct b2d_joint_frames {
    float ax[B2D_LANES], ay[B2D_LANES], bx[B2D_LANES], by[B2D_LANES]; // anchors on sides A and B, body coordinates
    float flip[B2D_LANES];                                            // 1: side A is the user's body B
    float offset[B2D_LANES];                    // frame angle B - frame angle A, in the user's order
    float axis_x[B2D_LANES], axis_y[B2D_LANES]; // of a slide: x axis of frame A in coordinates of the user's body A
} b2d_joint_frames;

// Rows about one scalar coordinate. A row is off in the lanes where its `..._on` is 0; there the kernels change none of
// its values.
typedef struct b2d_scalar_rows {
    float target[B2D_LANES]; // of the spring and of the rigid row
    float spring_on[B2D_LANES], spring_bias_rate[B2D_LANES], spring_mass_scale[B2D_LANES],
        spring_impulse_scale[B2D_LANES], spring_low[B2D_LANES], spring_high[B2D_LANES], spring_impulse[B2D_LANES],
        spring_bias[B2D_LANES]; // speed that the solve pass added; the relax pass adds the same
    float motor_on[B2D_LANES], motor_speed[B2D_LANES], motor_max[B2D_LANES], motor_impulse[B2D_LANES];
    float limit_on[B2D_LANES], lower[B2D_LANES], upper[B2D_LANES], lower_impulse[B2D_LANES], upper_impulse[B2D_LANES];
    float rigid_on[B2D_LANES], rigid_impulse[B2D_LANES];
} b2d_scalar_rows;

typedef struct b2d_joint_rows {
    b2d_scalar_rows angle;
    float start_angle[B2D_LANES];                       // whole turns counted, at the start of the step
    float replayed_x[B2D_LANES], replayed_y[B2D_LANES]; // like replayed_a, the linear impulse on side B

    b2d_scalar_rows line;
    float slide_on[B2D_LANES], distance_on[B2D_LANES];
    float across_on[B2D_LANES];                                       // of a slide: the rigid row across the axis
    float axis_x[B2D_LANES], axis_y[B2D_LANES], axis_on_b[B2D_LANES]; // of a slide; axis_on_b: it turns with side B
    float across_impulse[B2D_LANES];

    float point_off[B2D_LANES]; // 1: the lane has no rigid point rows
    // Of a plane spring given by its stiffness the mass scale is -softness, which is added to the matrix K
    float plane_spring_on[B2D_LANES], plane_spring_bias_rate[B2D_LANES], plane_spring_mass_scale[B2D_LANES],
        plane_spring_impulse_scale[B2D_LANES], plane_spring_max[B2D_LANES], plane_spring_x[B2D_LANES],
        plane_spring_y[B2D_LANES], plane_spring_bias_x[B2D_LANES], plane_spring_bias_y[B2D_LANES];
    float plane_motor_on[B2D_LANES], plane_motor_vx[B2D_LANES], plane_motor_vy[B2D_LANES], plane_motor_max[B2D_LANES],
        plane_motor_x[B2D_LANES], plane_motor_y[B2D_LANES];
    float plane_motor_by_axis_on[B2D_LANES],
        plane_motor_max_y[B2D_LANES]; // with bounds by axis: plane_motor_max is that of x
    // The axis x of such a motor: in the body with which it turns, and in world axes at the start of the step
    float plane_turns_with_a[B2D_LANES], plane_turns_with_b[B2D_LANES]; // neither: world axes
    float plane_local_x[B2D_LANES], plane_local_y[B2D_LANES], plane_axis_x[B2D_LANES], plane_axis_y[B2D_LANES];

    float coupling_on[B2D_LANES], coupling_value[B2D_LANES], coupling_impulse[B2D_LANES];
    float coupling_ax[B2D_LANES], coupling_ay[B2D_LANES], coupling_aw[B2D_LANES], coupling_bx[B2D_LANES],
        coupling_by[B2D_LANES], coupling_bw[B2D_LANES];
} b2d_joint_rows;

// joint_block_rows: the kinds of rows that some lane of the block may have. STALE: a lane was filled or its joint was
// changed, so prepare must lay out the whole block; without it only what moves is placed. EVERY_STEP: some lane must be
// laid out in every step.
enum {
    B2D_ROWS_ANGLE = 1,
    B2D_ROWS_LINE = 2,
    B2D_ROWS_PLANE = 4,
    B2D_ROWS_COUPLING = 8,
    B2D_ROWS_NO_POINT = 16,
    B2D_ROWS_KINDS = 31,
    B2D_ROWS_EVERY_STEP = 64,
    B2D_ROWS_STALE = 128,
};

// Impulses of a joint that is in no block (asleep, disabled or just created), in the user's order of bodies.
typedef struct b2d_joint_impulses {
    float point_x, point_y;
    float angle_spring, angle_motor, angle_lower, angle_upper, angle_rigid;
    float line_spring, line_motor, line_lower, line_upper, line_rigid;
    float across;
    float plane_spring_x, plane_spring_y, plane_motor_x, plane_motor_y;
    float coupling;
} b2d_joint_impulses;

typedef struct b2d_joint_load { // on body B, world axes: the mean over the last step
    float x, y, torque;         // N, N m
} b2d_joint_load;
