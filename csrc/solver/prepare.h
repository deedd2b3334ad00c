// csrc/solver/prepare.h - see prepare.c.
#pragma once
#include "solver/solver.h"

void b2d_prepare_bodies(void* solver, int32_t begin, int32_t end, int32_t worker); // a stage over solver->awake
void b2d_prepare_joints(const b2d_solver* solver, const b2d_color_list* list, int32_t begin, int32_t end);
void b2d_prepare_contacts(const b2d_solver* solver, const b2d_color_list* list, int32_t begin, int32_t end);
// Angle of frame B relative to frame A, unwrapped by the bodies' turns.
float b2d_joint_angle(const b2d_joint* joint, const b2d_pose* poses, const b2d_body* bodies);
