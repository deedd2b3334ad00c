// csrc/joints/revolute.c - revolute joint: one point in common; a spring, limits and a motor about the angle.
#include "joints/joint_type.h"

static const b2d_joint_property properties[B2D_JOINT_PROPERTY_COUNT] = {
#include "lists/joints/revolute.def"
};

static uint8_t lay_out(const b2d_joint_lane* lane) {
    const b2d_joint* joint = lane->joint;
    b2d_scalar_rows* angle = &lane->rows->angle;
    b2d_fill_spring(lane, angle, (joint->flags & B2D_JOINT_SPRING) != 0, joint->spring_hertz,
                    joint->spring_damping_ratio, -B2D_LARGEST, B2D_LARGEST);
    b2d_fill_motor(lane, angle, (joint->flags & B2D_JOINT_MOTOR) != 0, b2d_in_lane_order(lane, joint->motor_speed),
                   joint->motor_max);
    b2d_fill_angle_limits(lane, (joint->flags & B2D_JOINT_LIMIT) != 0, joint->lower, joint->upper);
    const bool any = (joint->flags & (B2D_JOINT_SPRING | B2D_JOINT_MOTOR | B2D_JOINT_LIMIT)) != 0;
    return any ? b2d_fill_angle(lane, joint->spring_target) : 0;
}

static void separation(const b2d_joint_view* view, double* linear, double* angular) {
    const b2d_joint* joint = view->joint;
    *linear = b2d_distance_of_anchors(view);
    if (joint->flags & B2D_JOINT_LIMIT)
        *angular = b2d_distance_outside((double)b2d_joint_angle(joint, view->poses, view->graph->bodies),
                                        (double)joint->lower, (double)joint->upper);
}

static b2d_coordinate coordinate(const b2d_graph* graph, const b2d_pose* poses, const b2d_joint* joint, int32_t side) {
    return (b2d_coordinate){.value = b2d_joint_angle(joint, poses, graph->bodies), .lever = side == 0 ? -1.0f : 1.0f};
}

const b2d_joint_type b2d_joint_type_revolute = {
    .rows = B2D_ROWS_ANGLE,
    .direct = true,
    .motor = B2D_ROWS_ANGLE,
    .properties = properties,
    .lay_out = lay_out,
    .separation = separation,
    .coordinate = coordinate,
};
