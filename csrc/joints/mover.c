// csrc/joints/mover.c - mover joint: a motor in the plane with a bound along each axis of the world or of a frame.
#include "joints/joint_type.h"

static const b2d_joint_property properties[B2D_JOINT_PROPERTY_COUNT] = {
#include "lists/joints/mover.def"
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
