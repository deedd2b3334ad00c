// csrc/joints/rotary_spring.c - rotary spring: a torsion spring between two bodies, which are free to move apart.
#include "joints/joint_type.h"

static const b2d_joint_property properties[B2D_JOINT_PROPERTY_COUNT] = {
    B2D_FRAME_PROPERTIES(),
    B2D_SPRING_PROPERTIES(B2D_ROWS_ANGLE),
    B2D_NUMBER(TARGET_ANGLE, spring_target, -1.0e6, 1.0e6, 0.0, ),
    B2D_OPEN_NUMBER(MAX_SPRING_TORQUE, angular_spring_max, 0.0, INFINITY, INFINITY, ),
    B2D_COMPUTED(ANGLE, b2d_read_angle),
    B2D_COMPUTED(SPEED, b2d_read_angular_speed),
    B2D_IMPULSE(SPRING_TORQUE, angle_spring, 0),
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
