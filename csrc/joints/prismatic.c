// csrc/joints/prismatic.c - prismatic joint: an axis and no rotation; a spring, limits and a motor along the axis.
#include "joints/joint_type.h"

static const b2d_joint_property properties[B2D_JOINT_PROPERTY_COUNT] = {
#include "lists/joints/prismatic.def"
};

static uint8_t lay_out(const b2d_joint_lane* lane) {
    const b2d_joint* joint = lane->joint;
    b2d_scalar_rows *line = &lane->rows->line, *angle = &lane->rows->angle;
    b2d_fill_spring(lane, line, (joint->flags & B2D_JOINT_SPRING) != 0, joint->spring_hertz,
                    joint->spring_damping_ratio, -B2D_LARGEST, B2D_LARGEST);
    b2d_fill_motor(lane, line, (joint->flags & B2D_JOINT_MOTOR) != 0, joint->motor_speed, joint->motor_max);
    b2d_fill_limits(lane, line, (joint->flags & B2D_JOINT_LIMIT) != 0, joint->lower, joint->upper);
    b2d_fill_motor(lane, angle, false, 0.0f, 0.0f);
    b2d_fill_rigid(lane, angle, true);
    return b2d_fill_line(lane, true) | b2d_fill_angle(lane, 0.0f);
}

static void separation(const b2d_joint_view* view, double* linear, double* angular) {
    *linear = b2d_distance_from_slide(view);
    *angular = b2d_angle_of_frames(view);
}

static b2d_coordinate coordinate(const b2d_graph* graph, const b2d_pose* poses, const b2d_joint* joint, int32_t side) {
    (void)graph;
    b2d_joint_place place = b2d_place_joint(joint, poses);
    b2d_vec2 n = b2d_scale(side == 0 ? -1.0f : 1.0f, place.axis);
    b2d_vec2 arm = side == 0 ? b2d_add(place.d, place.ra) : place.rb;
    return (b2d_coordinate){place.value, n, b2d_cross(arm, n)};
}

const b2d_joint_type b2d_joint_type_prismatic = {
    .rows = B2D_ROWS_ANGLE | B2D_ROWS_LINE | B2D_ROWS_NO_POINT,
    .line = B2D_LINE_SLIDE,
    .holds_angle = true,
    .direct = true,
    .motor = B2D_ROWS_LINE,
    .properties = properties,
    .lay_out = lay_out,
    .separation = separation,
    .coordinate = coordinate,
};
