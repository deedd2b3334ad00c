// csrc/joints/rotary_spring.c - rotary spring: a torsion spring between two bodies, which are free to move apart.
#include "joints/joint_type.h"

static const b2d_joint_property properties[B2D_JOINT_PROPERTY_COUNT] = {
#include "lists/joints/rotary_spring.def"
};

static uint8_t lay_out(const b2d_joint_lane* lane) {
    const b2d_joint* joint = lane->joint;
    b2d_fill_spring(lane, &lane->rows->angle, true, joint->spring_hertz, joint->spring_damping_ratio,
                    -joint->angular_spring_max, joint->angular_spring_max);
    return b2d_fill_angle(lane, joint->spring_target) | b2d_fill_point(lane, false);
}

const b2d_joint_type b2d_joint_type_rotary_spring = {
    .rows = B2D_ROWS_ANGLE | B2D_ROWS_NO_POINT,
    .properties = properties,
    .lay_out = lay_out,
};
