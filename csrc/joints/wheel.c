// csrc/joints/wheel.c - wheel joint: an axis with a spring and limits along it; a motor about the angle.
#include "joints/joint_type.h"

static const b2d_joint_property properties[B2D_JOINT_PROPERTY_COUNT] = {
    B2D_FRAME_PROPERTIES(),
    B2D_SWITCHED_PROPERTIES(B2D_ROWS_LINE),
    B2D_LIMIT_PROPERTIES(LOWER_TRANSLATION, UPPER_TRANSLATION, B2D_LIMIT_LENGTH),
    B2D_NUMBER(MAX_MOTOR_TORQUE, motor_max, 0.0, 1.0e30, 0.0, ),
    B2D_COMPUTED(ANGLE, b2d_read_angle),
    B2D_COMPUTED(TRANSLATION, b2d_read_line),
    B2D_COMPUTED(TRANSLATION_SPEED, b2d_read_line_speed),
    B2D_COMPUTED(SPEED, b2d_read_angular_speed),
    B2D_IMPULSE(SPRING_FORCE, line_spring, B2D_JOINT_SPRING),
    B2D_IMPULSE(MOTOR_TORQUE, angle_motor, B2D_JOINT_MOTOR),
};

static uint8_t lay_out(const b2d_joint_lane* lane) {
    const b2d_joint* joint = lane->joint;
    const bool motor = (joint->flags & B2D_JOINT_MOTOR) != 0;
    b2d_scalar_rows *line = &lane->rows->line, *angle = &lane->rows->angle;
    b2d_fill_spring(lane, line, (joint->flags & B2D_JOINT_SPRING) != 0, joint->spring_hertz,
                    joint->spring_damping_ratio, -B2D_LARGEST, B2D_LARGEST);
    b2d_fill_motor(lane, line, false, 0.0f, 0.0f);
    b2d_fill_limits(lane, line, (joint->flags & B2D_JOINT_LIMIT) != 0, joint->lower, joint->upper);
    b2d_fill_motor(lane, angle, motor, b2d_in_lane_order(lane, joint->motor_speed), joint->motor_max);
    b2d_fill_rigid(lane, angle, false);
    return b2d_fill_line(lane, true) | (motor ? b2d_fill_angle(lane, 0.0f) : 0);
}

static void separation(const b2d_joint_view* view, double* linear, double* angular) {
    (void)angular;
    *linear = b2d_distance_from_slide(view);
}

const b2d_joint_type b2d_joint_type_wheel = {
    .rows = B2D_ROWS_ANGLE | B2D_ROWS_LINE | B2D_ROWS_NO_POINT,
    .line = B2D_LINE_SLIDE,
    .direct = true,
    .motor = B2D_ROWS_ANGLE,
    .properties = properties,
    .lay_out = lay_out,
    .separation = separation,
};
