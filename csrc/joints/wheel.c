// csrc/joints/wheel.c - wheel joint: an axis with a spring and limits along it; a motor about the angle.
#include "joints/joint_type.h"

static const b2d_joint_property properties[B2D_JOINT_PROPERTY_COUNT] = {
#include "lists/joints/wheel.def"
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
