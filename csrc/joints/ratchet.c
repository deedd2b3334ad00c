// csrc/joints/ratchet.c - ratchet joint: the angle may grow, and does not fall back behind the last tooth passed.
//
// `lower` is the phase and `ratio` the angle between two teeth, negative for a ratchet that turns the other way;
// `total` is the number of the tooth that holds.
#include "joints/joint_type.h"

// The angle of the tooth that holds; `tooth` only grows. A tooth that rounding keeps the joint just before counts as
// passed.
static float hold_tooth(const b2d_joint* joint, float angle, float* tooth) {
    const float early = 1.0e-3f; // of a tooth
    float passed = (angle - joint->lower) / joint->ratio + early,
          whole = (float)(int64_t)b2d_max(-1.0e9f, b2d_min(passed, 1.0e9f));
    *tooth = b2d_max(*tooth, whole > passed ? whole - 1.0f : whole);
    return joint->lower + *tooth * joint->ratio;
}

// As the next step will see it.
static void read_held_angle(const b2d_joint_view* view, double out[2]) {
    float tooth = view->joint->total;
    out[0] = (double)hold_tooth(view->joint, b2d_joint_angle(view->joint, view->poses, view->graph->bodies), &tooth);
}

static bool is_tooth(double x, double unit) { return (void)unit, fabs(x) >= 1.0e-3; }

static const b2d_joint_property properties[B2D_JOINT_PROPERTY_COUNT] = {
#include "lists/joints/ratchet.def"
};

// In every step: the tooth follows the angle.
static uint8_t lay_out(const b2d_joint_lane* lane) {
    b2d_joint* joint = lane->joint;
    float held = hold_tooth(joint, b2d_joint_angle(joint, lane->poses, lane->graph->bodies), &joint->total);
    const bool forwards = joint->ratio > 0.0f;
    b2d_fill_angle_limits(lane, true, forwards ? held : -B2D_LARGEST, forwards ? B2D_LARGEST : held);
    return b2d_fill_angle(lane, 0.0f) | B2D_ROWS_EVERY_STEP | b2d_fill_point(lane, false);
}

static void separation(const b2d_joint_view* view, double* linear, double* angular) {
    (void)linear;
    double held[2];
    read_held_angle(view, held);
    double behind = held[0] - (double)b2d_joint_angle(view->joint, view->poses, view->graph->bodies);
    *angular = fmax(view->joint->ratio > 0.0f ? behind : -behind, 0.0);
}

static void start(const b2d_graph* graph, const b2d_pose* poses, float linear_slop, b2d_joint* joint) {
    (void)linear_slop;
    joint->total = -1.0e9f;
    (void)hold_tooth(joint, b2d_joint_angle(joint, poses, graph->bodies), &joint->total);
}

const b2d_joint_type b2d_joint_type_ratchet = {
    .rows = B2D_ROWS_ANGLE | B2D_ROWS_NO_POINT | B2D_ROWS_EVERY_STEP,
    .turns_start = true,
    .properties = properties,
    .lay_out = lay_out,
    .separation = separation,
    .start = start,
};
