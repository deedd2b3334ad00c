// csrc/joints/motor.c - motor joint: a motor and a spring of bounded force, in the plane and about the angle.
#include "joints/joint_type.h"

static const b2d_joint_property properties[B2D_JOINT_PROPERTY_COUNT] = {
    B2D_FRAME_PROPERTIES(),
    B2D_SOFT_PROPERTIES,
    B2D_PAIR(LINEAR_VELOCITY, velocity, 1.0e9),
    B2D_NUMBER(ANGULAR_VELOCITY, motor_speed, -1.0e9, 1.0e9, 0.0, ),
    B2D_OPEN_NUMBER(MAX_VELOCITY_FORCE, velocity_force_max[0], 0.0, INFINITY, 0.0, ),
    B2D_OPEN_NUMBER(MAX_VELOCITY_TORQUE, motor_max, 0.0, INFINITY, 0.0, ),
    B2D_OPEN_NUMBER(MAX_SPRING_FORCE, spring_high, 0.0, INFINITY, 0.0, ),
    B2D_OPEN_NUMBER(MAX_SPRING_TORQUE, angular_spring_max, 0.0, INFINITY, 0.0, ),
    B2D_COMPUTED(ANGLE, b2d_read_angle),
    B2D_COMPUTED(SPEED, b2d_read_angular_speed),
    B2D_IMPULSE(MOTOR_TORQUE, angle_motor, 0),
    B2D_IMPULSE_PAIR(MOTOR_FORCE, plane_motor_x),
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
