// csrc/solver/integrate.h - velocities from forces, motion from velocities; see integrate.c.
#pragma once
#include "solver/solver.h"

// Of bodies[begin] to bodies[end - 1]. `replay` adds the velocity change of the previous substep's constraints.
void b2d_integrate_velocities(const b2d_solver* solver, const int32_t* bodies, int32_t begin, int32_t end, bool replay);
void b2d_integrate_positions(const b2d_solver* solver, const int32_t* bodies, int32_t begin, int32_t end);
