// csrc/solver/prepare.h - see prepare.c and prepare_joint.c.
#pragma once
#include "solver/kernels.h"

void b2d_prepare_bodies(const b2d_solver* solver, const int32_t* bodies, int32_t begin, int32_t end);
void b2d_prepare_joints(const b2d_solver* solver, const b2d_color_list* list, int32_t begin, int32_t end);
void b2d_prepare_contacts(const b2d_solver* solver, const b2d_color_list* list, int32_t begin, int32_t end);
// Serial, before the stages: what is kept in lanes must be laid out anew if settings changed
void b2d_forget_joint_lanes(const b2d_solver* solver);
// Angle of frame B relative to frame A, unwrapped by the bodies' turns.
float b2d_joint_angle(const b2d_joint* joint, const b2d_pose* poses, const b2d_body* bodies);

// The angle that a ratchet does not turn back from: its phase and whole teeth; `tooth`, the last one passed, only
// grows.
float b2d_ratchet_angle(const b2d_joint* joint, float angle, float* tooth);

// Where a joint's anchors are, in world axes and user order.
typedef struct b2d_joint_place {
    b2d_vec2 ra, rb; // levers from the centres of mass
    b2d_vec2 d;      // anchor B - anchor A
    b2d_vec2 axis;   // of the line: frame A's x axis, or for a distance joint the direction of d
    float value;     // d along the axis: translation or length
} b2d_joint_place;
b2d_joint_place b2d_place_joint(const b2d_joint* joint, const b2d_pose* poses);

// The row of a gear or pulley, user order: length[0] + ratio * length[1] - total, and how the bodies' motion changes
// it.
typedef struct b2d_joint_link {
    float value, length[2];
    b2d_vec2 n[2];
    float lever[2];
} b2d_joint_link;
b2d_joint_link b2d_link_joint(const b2d_graph* graph, const b2d_joint* joint, const b2d_pose* poses);
