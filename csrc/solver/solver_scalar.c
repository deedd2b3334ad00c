// csrc/solver/solver_scalar.c - the solver's kernels for this instruction set; empty where the target has no such set.
#define B2D_ISA_SCALAR
#include "base/simd.h"
#ifndef B2D_ISA_ABSENT
#include "solver/kernels.h"
#include "solver/contact_wide.inl"
#include "solver/joint_place_wide.inl"
#include "solver/joint_wide.inl"

// Overflow constraints share bodies, so they are solved one after another, for every width by this instance.
void b2d_solve_overflow_joint(const b2d_solver* solver, int32_t lane_index, int32_t fixed, int32_t pass) {
    int32_t id = lane_index / B2D_LANES;
    joint_lanes(solver, id, solver->graph->joint_block_rows[id], lane_index % B2D_LANES, 1, fixed, pass);
}

void b2d_solve_overflow_contact(const b2d_solver* solver, int32_t lane_index, int32_t fixed, int32_t pass) {
    b2d_softness s = solver->contact_soft[fixed];
    softness_lanes soft = {s.bias_rate, s.mass_scale, s.impulse_scale, solver->push_speed, solver->inverse_h};
    int32_t block = lane_index / B2D_LANES, lane = lane_index % B2D_LANES;
    if (pass == B2D_PASS_RESTITUTION && solver->graph->extras[block] == NULL) return;
    contact_lanes(solver, block, lane, 1, fixed, &soft, pass);
}
#endif
#include "base/simd_end.h"
