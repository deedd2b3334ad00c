// csrc/joints/distance.c - distance joint: a rod between two anchors; a spring, limits and a motor along its length.
#include "joints/joint_type.h"

// A length is -1 (as it is at creation) or long enough that the rod has a direction: a fiftieth of the slop, which is
// the shortest that a rod has at creation.
static bool is_length(double x, double unit) { return x == -1.0 || x >= 1.0e-4 * unit; }

static const b2d_joint_property properties[B2D_JOINT_PROPERTY_COUNT] = {
#include "lists/joints/distance.def"
};

// A rod cannot have a length that its limits forbid: its row and theirs would push against each other without end.
static float length_of(const b2d_joint* joint) {
    return joint->flags & B2D_JOINT_LIMIT ? b2d_clamp(joint->spring_target, joint->lower, joint->upper)
                                          : joint->spring_target;
}

static uint8_t lay_out(const b2d_joint_lane* lane) {
    const b2d_joint* joint = lane->joint;
    b2d_scalar_rows* line = &lane->rows->line;
    const bool spring = (joint->flags & B2D_JOINT_SPRING) != 0;
    b2d_fill_spring(lane, line, spring, joint->spring_hertz, joint->spring_damping_ratio, joint->spring_low,
                    joint->spring_high);
    b2d_fill_motor(lane, line, spring && (joint->flags & B2D_JOINT_MOTOR) != 0, joint->motor_speed, joint->motor_max);
    b2d_fill_limits(lane, line, spring && (joint->flags & B2D_JOINT_LIMIT) != 0, joint->lower, joint->upper);
    b2d_fill_rigid(lane, line, !spring);
    const uint8_t rows = b2d_fill_line(lane, false);
    if (!spring) line->target[lane->lane] = length_of(joint);
    return rows;
}

static void separation(const b2d_joint_view* view, double* linear, double* angular) {
    (void)angular;
    const b2d_joint* joint = view->joint;
    const double length = (double)b2d_place_joint(joint, view->poses).value;
    if (!(joint->flags & B2D_JOINT_SPRING)) *linear = fabs(length - (double)length_of(joint));
    else if (joint->flags & B2D_JOINT_LIMIT)
        *linear = b2d_distance_outside(length, (double)joint->lower, (double)joint->upper);
}

static void start(const b2d_graph* graph, const b2d_pose* poses, float linear_slop, b2d_joint* joint) {
    (void)graph;
    if (joint->spring_target < 0.0f)
        joint->spring_target = b2d_clamp(b2d_place_joint(joint, poses).value, linear_slop, (float)B2D_LIMIT_LENGTH);
}

const b2d_joint_type b2d_joint_type_distance = {
    .rows = B2D_ROWS_LINE | B2D_ROWS_NO_POINT,
    .line = B2D_LINE_ROD,
    .direct = true,
    .properties = properties,
    .lay_out = lay_out,
    .separation = separation,
    .start = start,
};
