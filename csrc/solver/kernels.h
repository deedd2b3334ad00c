// csrc/solver/kernels.h - what the instances of the wide kernels share with the passes.
#pragma once
#include "solver/solver.h"

enum { B2D_PASS_APPROACH, B2D_PASS_WARM_START, B2D_PASS_SOLVE, B2D_PASS_RELAX, B2D_PASS_RESTITUTION };

extern const b2d_solver_kernels b2d_solver_kernels_of_scalar, b2d_solver_kernels_of_sse2, b2d_solver_kernels_of_avx2,
    b2d_solver_kernels_of_avx512, b2d_solver_kernels_of_neon;

// One overflow constraint; every width uses the scalar instance.
void b2d_solve_overflow_joint(const b2d_solver* solver, int32_t lane_index, int32_t fixed, int32_t pass);
void b2d_solve_overflow_contact(const b2d_solver* solver, int32_t lane_index, int32_t fixed, int32_t pass);
