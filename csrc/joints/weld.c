// csrc/joints/weld.c - weld joint: one point and one direction in common, each rigid or held by a spring.
#include "joints/joint_type.h"

static const b2d_joint_property properties[B2D_JOINT_PROPERTY_COUNT] = {
#include "lists/joints/weld.def"
};

static uint8_t lay_out(const b2d_joint_lane* lane) {
    const b2d_joint* joint = lane->joint;
    b2d_scalar_rows* angle = &lane->rows->angle;
    const bool soft_point = joint->spring_hertz != 0.0f, soft_angle = joint->angular_hertz != 0.0f;
    b2d_fill_plane_spring(lane, soft_point, joint->spring_hertz, joint->spring_damping_ratio, B2D_LARGEST);
    b2d_fill_spring(lane, angle, soft_angle, joint->angular_hertz, joint->angular_damping_ratio, -B2D_LARGEST,
                    B2D_LARGEST);
    b2d_fill_rigid(lane, angle, !soft_angle);
    return b2d_fill_angle(lane, 0.0f) | b2d_fill_point(lane, !soft_point) | (soft_point ? B2D_ROWS_PLANE : 0);
}

static void separation(const b2d_joint_view* view, double* linear, double* angular) { // of the frames, soft or not
    *linear = b2d_distance_of_anchors(view);
    *angular = b2d_angle_of_frames(view);
}

const b2d_joint_type b2d_joint_type_weld = {
    .rows = B2D_ROWS_ANGLE | B2D_ROWS_PLANE | B2D_ROWS_NO_POINT,
    .holds_angle = true,
    .direct = true,
    .properties = properties,
    .lay_out = lay_out,
    .separation = separation,
};
