// csrc/solver/kernels_wide.inl - all wide kernels of the solver and their table, compiled once per instruction set.
#include "solver/kernels.h"
#include "solver/machine.h"
#include "solver/restitution.h"
#include "solver/contact_wide.inl"
#include "solver/direct_wide.inl"
#include "solver/joint_place_wide.inl"
#include "solver/joint_wide.inl"

const b2d_solver_kernels B2D_KERNEL(b2d_solver_kernels_of) = {
    .contacts = {[B2D_PASS_PREPARE] = contact_approach,
                 [B2D_PASS_WARM_START] = contact_warm_start,
                 [B2D_PASS_SOLVE] = contact_solve,
                 [B2D_PASS_RELAX] = contact_relax,
                 [B2D_PASS_RESTITUTION] = b2d_restitute_contacts},
    .joints = {[B2D_PASS_WARM_START] = joint_warm_start,
               [B2D_PASS_SOLVE] = joint_solve,
               [B2D_PASS_RELAX] = joint_relax},
#if !defined(B2D_ISA_SCALAR)
    .direct = b2d_direct_lanes,
#endif
    .direct_lanes = D_LANES,
    .joint_place = joint_place,
};

#if defined(B2D_ISA_SCALAR)
void b2d_solve_overflow_joint(const b2d_solver* solver, int32_t lane_index, int32_t fixed, int32_t pass) {
    int32_t block = lane_index / B2D_LANES;
    joint_lanes(solver, block, solver->graph->joint_block_rows[block], lane_index % B2D_LANES, 1, fixed, pass);
}

void b2d_add_joint_load(const b2d_solver* solver, int32_t lane_index) {
    const int32_t block = lane_index / B2D_LANES, lane = lane_index % B2D_LANES,
                  have = solver->graph->joint_block_rows[block];
    joint_group g = {
        .block = &solver->graph->joint_blocks[block], .rows = &solver->graph->joint_rows[block], .lane = lane};
    if (have & ~B2D_ROWS_ANGLE & B2D_ROWS_KINDS) joint_begin(solver, block, have, lane, 1, true, B2D_PASS_RELAX, &g);
    else g.before = (joint_impulse){g.block->impulse_x[lane], g.block->impulse_y[lane], 0.0f, 0.0f};
    add_load(solver, &g, have, g.before);
}

void b2d_solve_overflow_contact(const b2d_solver* solver, int32_t lane_index, int32_t fixed, int32_t pass) {
    int32_t block = lane_index / B2D_LANES, lane = lane_index % B2D_LANES;
    const bool extra = solver->graph->extras[block] != NULL;
    if (pass == B2D_PASS_RESTITUTION && extra) b2d_restitute(solver, block, lane, fixed != 0, true);
    else if (pass == B2D_PASS_RESTITUTION) return;
    else if (pass == B2D_PASS_SOLVE) solve_group(solver, block, lane, 1, fixed);
    else if (pass == B2D_PASS_RELAX) relax_group(solver, block, lane, 1, fixed);
    else contact_lanes(solver, block, lane, 1, fixed, pass);
}

void b2d_begin_contacts(const b2d_solver* solver, int32_t block) {
    for (int32_t lane = 0; lane < B2D_LANES; lane++) begin_lane(solver, block, lane);
}
#endif
