// csrc/joints/mover.c - mover joint: a motor in the plane with a bound along each axis of the world or of a frame.
#include "joints/joint_type.h"

static const b2d_joint_property properties[B2D_JOINT_PROPERTY_COUNT] = {
    B2D_FRAME_PROPERTIES(),
    B2D_PAIR(LINEAR_VELOCITY, velocity, 1.0e9),
    [B2D_JOINT_MAX_VELOCITY_FORCE_XY] = {.kind = B2D_PROPERTY_PAIR,
                                         .argument = B2D_ARG_MAX_VELOCITY_FORCE,
                                         .offset = offsetof(b2d_joint, velocity_force_max),
                                         .lower = 0.0,
                                         .upper = 1.0e30},
    B2D_NUMBER(AXES, axes, B2D_AXES_WORLD, B2D_AXES_B, B2D_AXES_WORLD, .valid = b2d_is_whole),
    B2D_IMPULSE_PAIR(MOTOR_FORCE, plane_motor_x),
};

static uint8_t lay_out(const b2d_joint_lane* lane) {
    b2d_fill_plane_motor(lane, lane->joint->velocity, lane->joint->velocity_force_max, true);
    return B2D_ROWS_PLANE | b2d_fill_point(lane, false);
}

const b2d_joint_type b2d_joint_type_mover = {
    .rows = B2D_ROWS_PLANE | B2D_ROWS_NO_POINT,
    .properties = properties,
    .lay_out = lay_out,
};
