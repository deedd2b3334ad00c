// csrc/solver/settings.h - the numbers of a solver that follow from the options of a world and the length of a step.
#pragma once
#include "solver/solver.h"

// `options`: of a world, by B2D_OPTION_*.
void b2d_solver_set_numbers(b2d_solver* solver, const double* options, float dt, int32_t substeps);
// `rate`: 1/s, of the substeps that it follows. `h`: s, length of this one.
b2d_stiffness b2d_make_stiffness(const double* options, float rate, float h);
void b2d_solver_set_kernels(b2d_solver* solver, int32_t simd);

// Within this distance, m, surfaces count as touching.
static inline float b2d_slop_of(double length_unit) { return 0.005f * (float)length_unit; }
