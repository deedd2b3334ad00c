// csrc/joints/joint_lane.h - writes the rows of a joint into its lane of the solver's blocks (graph/joint_block.h).
//
// Values are given in the user's order of bodies. In a flipped lane, whose side A is the user's body B, angles and
// rows at the point and in the plane change sign; rows along a line have their axis reversed instead. A row that is
// off loses its impulse. Rows about one coordinate are a b2d_scalar_rows: `rows->angle` or `rows->line` of the lane.
#pragma once
#include "graph/graph.h"
#include "graph/softness.h"
#include "joints/measure.h"

#define B2D_LARGEST 3.0e38f // stands for infinity in lanes

typedef struct b2d_joint_lane {
    const b2d_graph* graph;
    const b2d_pose* poses;
    b2d_joint* joint;
    b2d_joint_rows* rows;
    int32_t lane;
    bool flip;
    float h;             // length of a substep, s
    float impulse_ratio; // share of the impulses that is kept from the step before
    b2d_inverse_masses inverse;
    b2d_vec2 velocity[2]; // of the centres of the user's bodies A and B
    float angular_velocity[2], dt;
} b2d_joint_lane;

// The value with the sign that it has in the lane; for values about the angle and in the plane.
static inline float b2d_in_lane_order(const b2d_joint_lane* lane, float value) { return lane->flip ? -value : value; }

// On if `on` holds and hertz is not 0. A negative hertz is -stiffness, and then the ratio is the damping. Its force or
// torque stays within [low, high].
void b2d_fill_spring(const b2d_joint_lane* lane, b2d_scalar_rows* rows, bool on, float hertz, float damping_ratio,
                     float low, float high);
void b2d_fill_motor(const b2d_joint_lane* lane, b2d_scalar_rows* rows, bool on, float speed, float max);
void b2d_fill_limits(const b2d_joint_lane* lane, b2d_scalar_rows* rows, bool on, float lower, float upper);
void b2d_fill_rigid(const b2d_joint_lane* lane, b2d_scalar_rows* rows, bool on);
void b2d_fill_angle_limits(const b2d_joint_lane* lane, bool on, float lower, float upper);

// Called after the rows about the angle were filled: sets their target and returns B2D_ROWS_ANGLE.
uint8_t b2d_fill_angle(const b2d_joint_lane* lane, float target);
// Called after the rows along the line were filled: the line (b2d_joint_type.line) takes the place of the point rows.
// `across`: a rigid row keeps anchor B on the axis. Returns the kinds of rows.
uint8_t b2d_fill_line(const b2d_joint_lane* lane, bool across);
// The rigid point rows. They are on without this call. Returns B2D_ROWS_NO_POINT if they are off.
uint8_t b2d_fill_point(const b2d_joint_lane* lane, bool on);

// A spring between the anchors in the plane; the length of its force is at most `max`.
void b2d_fill_plane_spring(const b2d_joint_lane* lane, bool on, float hertz, float damping_ratio, float max);
// A motor between the anchors in the plane. max[0] bounds the length of its force; `by_axis`: max bounds x and y, which
// are the axes of the joint (b2d_joint.axes).
void b2d_fill_plane_motor(const b2d_joint_lane* lane, const float velocity[2], const float max[2], bool by_axis);
// The coupled row; its direction is laid out again in every step. Returns the kinds of rows.
uint8_t b2d_fill_coupling(const b2d_joint_lane* lane);
