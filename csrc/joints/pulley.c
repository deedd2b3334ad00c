// csrc/joints/pulley.c - pulley joint: a rope over two fixed wheels, length a + ratio * length b stays as it was.
#include "joints/joint_type.h"

static const b2d_joint_property properties[B2D_JOINT_PROPERTY_COUNT] = {
#include "lists/joints/pulley.def"
};

// The rope from the ground anchor to the anchor on the body.
static b2d_coordinate rope(const b2d_joint* joint, const b2d_pose* pose, int32_t side) {
    b2d_rot q = {pose->c, pose->s};
    b2d_vec2 arm = b2d_rotate(q, joint->anchor[side]), r = b2d_sub(arm, b2d_pose_center(pose));
    b2d_vec2 d = {(float)(pose->x - joint->ground[side][0]) + arm.x, (float)(pose->y - joint->ground[side][1]) + arm.y};
    b2d_coordinate coordinate;
    coordinate.n = b2d_normalize(d, &coordinate.value);
    coordinate.lever = b2d_cross(r, coordinate.n);
    return coordinate;
}

static b2d_coupling coupling(const b2d_graph* graph, const b2d_pose* poses, const b2d_joint* joint) {
    (void)graph;
    const b2d_coordinate ropes[2] = {rope(joint, &poses[joint->body[0]], 0), rope(joint, &poses[joint->body[1]], 1)};
    return b2d_couple(joint, ropes);
}

// An end that is as near to its wheel as it moves in two steps may pass it, and the direction of its rope says nothing:
// it cannot hold the other end, which is held by its own wheel until the next step.
static uint8_t lay_out(const b2d_joint_lane* lane) {
    const uint8_t have = b2d_fill_coupling(lane);
    for (int32_t side = 0; side < 2; side++) {
        const b2d_pose* pose = &lane->poses[lane->joint->body[side]];
        const b2d_vec2 arm = b2d_rotate((b2d_rot){pose->c, pose->s}, lane->joint->anchor[side]),
                       r = b2d_sub(arm, b2d_pose_center(pose)), v = lane->velocity[side];
        const float w = lane->angular_velocity[side];
        if (rope(lane->joint, pose, side).value > 2.0f * lane->dt * b2d_length(b2d_v(v.x - w * r.y, v.y + w * r.x)))
            continue;
        const int32_t k = lane->lane;
        b2d_joint_rows* rows = lane->rows;
        if (lane->flip == (side == 1)) rows->coupling_ax[k] = rows->coupling_ay[k] = rows->coupling_aw[k] = 0.0f;
        else rows->coupling_bx[k] = rows->coupling_by[k] = rows->coupling_bw[k] = 0.0f;
        break; // where both ends are at their wheels, one of them holds
    }
    return have;
}

static void separation(const b2d_joint_view* view, double* linear, double* angular) {
    (void)angular;
    *linear = fabs((double)coupling(view->graph, view->poses, view->joint).value);
}

const b2d_joint_type b2d_joint_type_pulley = {
    .rows = B2D_ROWS_COUPLING | B2D_ROWS_NO_POINT | B2D_ROWS_EVERY_STEP,
    .direct = true,
    .properties = properties,
    .lay_out = lay_out,
    .separation = separation,
    .start = b2d_start_coupling,
    .coupling = coupling,
};
