// csrc/joints/gear.c - gear joint: couples the coordinates of two joints, a + ratio * b stays as it was.
#include "joints/joint_type.h"

static const b2d_joint_property properties[B2D_JOINT_PROPERTY_COUNT] = {
#include "lists/joints/gear.def"
};

// The row on the bodies that the gear drives. Bases that move are handled by solver/gear.c.
static b2d_coupling coupling(const b2d_graph* graph, const b2d_pose* poses, const b2d_joint* joint) {
    b2d_coordinate coordinates[2];
    for (int32_t side = 0; side < 2; side++) {
        const b2d_joint* driven = &graph->joints[joint->joint[side]];
        coordinates[side] = b2d_joint_type_of(driven)->coordinate(graph, poses, driven,
                                                                  driven->body[1] == joint->body[side]);
    }
    return b2d_couple(joint, coordinates);
}

static uint8_t lay_out(const b2d_joint_lane* lane) { return b2d_fill_coupling(lane); }

static void separation(const b2d_joint_view* view, double* linear, double* angular) {
    b2d_coupling row = coupling(view->graph, view->poses, view->joint);
    const bool turns = row.n[0].x == 0.0f && row.n[0].y == 0.0f; // coordinate a is an angle
    *(turns ? angular : linear) = fabs((double)row.value);
}

const b2d_joint_type b2d_joint_type_gear = {
    .rows = B2D_ROWS_COUPLING | B2D_ROWS_NO_POINT | B2D_ROWS_EVERY_STEP,
    .direct = true,
    .on_joints = true,
    .properties = properties,
    .lay_out = lay_out,
    .separation = separation,
    .start = b2d_start_coupling,
    .coupling = coupling,
};
