// csrc/joints/motor.c - motor joint: a motor and a spring of bounded force, in the plane and about the angle.
#include "joints/joint_type.h"

static const b2d_joint_property properties[B2D_JOINT_PROPERTY_COUNT] = {
#include "lists/joints/motor.def"
};

static uint8_t lay_out(const b2d_joint_lane* lane) {
    const b2d_joint* joint = lane->joint;
    b2d_scalar_rows* angle = &lane->rows->angle;
    b2d_fill_plane_spring(lane, joint->spring_high > 0.0f, joint->spring_hertz, joint->spring_damping_ratio,
                          joint->spring_high);
    b2d_fill_plane_motor(lane, joint->velocity, joint->velocity_force_max, false);
    b2d_fill_spring(lane, angle, joint->angular_spring_max > 0.0f, joint->angular_hertz, joint->angular_damping_ratio,
                    -joint->angular_spring_max, joint->angular_spring_max);
    b2d_fill_motor(lane, angle, joint->motor_max > 0.0f, b2d_in_lane_order(lane, joint->motor_speed), joint->motor_max);
    return b2d_fill_angle(lane, 0.0f) | B2D_ROWS_PLANE | b2d_fill_point(lane, false);
}

static void separation(const b2d_joint_view* view, double* linear, double* angular) { // of the frames
    *linear = b2d_distance_of_anchors(view);
    *angular = b2d_angle_of_frames(view);
}

const b2d_joint_type b2d_joint_type_motor = {
    .rows = B2D_ROWS_ANGLE | B2D_ROWS_PLANE | B2D_ROWS_NO_POINT,
    .properties = properties,
    .lay_out = lay_out,
    .separation = separation,
};
