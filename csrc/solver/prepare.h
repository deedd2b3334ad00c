// csrc/solver/prepare.h - the work before the first substep: prepare.c and prepare_joint.c.
#pragma once
#include "solver/kernels.h"

void b2d_prepare_bodies(const b2d_solver* solver, const int32_t* bodies, int32_t begin, int32_t end);
void b2d_prepare_joints(const b2d_solver* solver, const b2d_color_list* list, int32_t begin, int32_t end);
void b2d_prepare_contacts(const b2d_solver* solver, const b2d_color_list* list, int32_t begin, int32_t end);
// Set all impulses to 0
void b2d_clear_joints(const b2d_solver* solver, const b2d_color_list* list, int32_t begin, int32_t end);
void b2d_clear_contacts(const b2d_solver* solver, const b2d_color_list* list, int32_t begin, int32_t end);
void b2d_clear_contact(const b2d_solver* solver, int32_t lane_index);
// Serial, before the stages: mark all joint lanes to be laid out again; the latter if a setting of theirs has changed.
void b2d_forget_joint_lanes(b2d_graph* graph);
void b2d_check_joint_lanes(const b2d_solver* solver);
