// csrc/joints/distance.c - distance joint: a rod between two anchors; a spring, limits and a motor along its length.
#include "joints/joint_type.h"

// A length is -1 (as it is at creation) or long enough that the rod has a direction: a fiftieth of the slop, which is
// the shortest that a rod has at creation.
static bool is_length(double x, double unit) { return x == -1.0 || x >= 1.0e-4 * unit; }

static const b2d_joint_property properties[B2D_JOINT_PROPERTY_COUNT] = {
    B2D_FRAME_PROPERTIES(),
    B2D_SWITCHED_PROPERTIES(B2D_ROWS_LINE),
    B2D_NUMBER(LENGTH, spring_target, -1.0, B2D_LIMIT_LENGTH, -1.0, .restarts = true, .valid = is_length),
    B2D_OPEN_NUMBER(LOWER_SPRING_FORCE, spring_low, -INFINITY, INFINITY, -INFINITY,
                    .ceiling = B2D_JOINT_UPPER_SPRING_FORCE),
    B2D_OPEN_NUMBER(UPPER_SPRING_FORCE, spring_high, -INFINITY, INFINITY, INFINITY,
                    .floor = B2D_JOINT_LOWER_SPRING_FORCE),
    B2D_NUMBER(MIN_LENGTH, lower, 0.0, B2D_LIMIT_LENGTH, 0.0, .ceiling = B2D_JOINT_MAX_LENGTH),
    B2D_OPEN_NUMBER(MAX_LENGTH, upper, 0.0, INFINITY, INFINITY, .floor = B2D_JOINT_MIN_LENGTH),
    B2D_NUMBER(MAX_MOTOR_FORCE, motor_max, 0.0, 1.0e30, 0.0, ),
    B2D_COMPUTED(CURRENT_LENGTH, b2d_read_line),
    B2D_COMPUTED(SPEED, b2d_read_line_speed),
    B2D_IMPULSE(SPRING_FORCE, line_spring, B2D_JOINT_SPRING),
    B2D_IMPULSE(MOTOR_FORCE, line_motor, B2D_JOINT_MOTOR),
};

static uint8_t lay_out(const b2d_joint_lane* lane) {
    const b2d_joint* joint = lane->joint;
    b2d_scalar_rows* line = &lane->rows->line;
    const bool spring = (joint->flags & B2D_JOINT_SPRING) != 0;
    b2d_fill_spring(lane, line, spring, joint->spring_hertz, joint->spring_damping_ratio, joint->spring_low,
                    joint->spring_high);
    b2d_fill_motor(lane, line, spring && (joint->flags & B2D_JOINT_MOTOR) != 0, joint->motor_speed, joint->motor_max);
    b2d_fill_limits(lane, line, (joint->flags & B2D_JOINT_LIMIT) != 0, joint->lower, joint->upper);
    b2d_fill_rigid(lane, line, !spring);
    return b2d_fill_line(lane, false);
}

static void separation(const b2d_joint_view* view, double* linear, double* angular) {
    (void)angular;
    const b2d_joint* joint = view->joint;
    const double length = (double)b2d_place_joint(joint, view->poses).value;
    if (!(joint->flags & B2D_JOINT_SPRING)) *linear = fabs(length - (double)joint->spring_target);
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
