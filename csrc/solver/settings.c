// csrc/solver/settings.c - the numbers of a solver that follow from the options of a world and the length of a step.
#include "solver/settings.h"
#include "base/cpu.h"
#include "solver/kernels.h"

// rad/s. A manifold belongs to the poses before the step, so a body turns by at most 45 degrees; in a step of several
// frames, where that would brake wheels and chains, by as much in each, up to two turns.
static float max_rotation(float dt) { return b2d_min(0.78539816f / b2d_min(dt, 1.0f / 60.0f), 12.566371f / dt); }

// Of the substep rate, what contacts may have at most: stiffer ones let heaps tremble and piles slide on slopes
// (docs/decisions/solver.md, "The stiffness of contacts"). Of which substeps: loads.h.
#define MOST_HERTZ 0.15f

b2d_stiffness b2d_make_stiffness(const double* options, float rate, float h) {
    const float hertz = b2d_min((float)options[B2D_OPTION_CONTACT_HERTZ], MOST_HERTZ * rate),
                ratio = (float)options[B2D_OPTION_CONTACT_DAMPING_RATIO];
    // A frequency of zero turns the push-out off
    if (hertz == 0.0f) return (b2d_stiffness){rate, {{0.0f, 1.0f, 0.0f}, {0.0f, 1.0f, 0.0f}}};
    return (b2d_stiffness){rate, {b2d_make_softness(hertz, ratio, h), b2d_make_softness(2.0f * hertz, ratio, h)}};
}

void b2d_solver_set_numbers(b2d_solver* solver, const double* options, float dt, int32_t substeps) {
    const float h = dt / (float)substeps, inverse_h = (float)substeps / dt;
    const float unit = (float)options[B2D_OPTION_LENGTH_UNIT], slop = b2d_slop_of(options[B2D_OPTION_LENGTH_UNIT]);
    solver->gravity_x = (float)options[B2D_OPTION_GRAVITY_X];
    solver->gravity_y = (float)options[B2D_OPTION_GRAVITY_Y];
    solver->dt = dt, solver->h = h, solver->inverse_h = inverse_h;
    solver->substeps = substeps;
    solver->stiffness = b2d_make_stiffness(options, inverse_h, h);
    solver->push_speed = (float)options[B2D_OPTION_CONTACT_PUSH_SPEED] * unit;
    solver->release_speed = B2D_RELEASE_SPEED * unit;
    solver->joint_hertz = (float)options[B2D_OPTION_JOINT_HERTZ];
    solver->joint_damping_ratio = (float)options[B2D_OPTION_JOINT_DAMPING_RATIO];
    solver->joint_solver = (int32_t)options[B2D_OPTION_JOINT_SOLVER];
    solver->least_length = 1.0e-6f * unit;
    solver->max_speed = (float)options[B2D_OPTION_MAX_LINEAR_SPEED] * unit;
    solver->max_rotation = max_rotation(dt);
    solver->least_speed = 1.0e-12f * unit;
    solver->least_rotation = 1.0e-12f;
    // Bodies at rest are not quite still, so even a threshold of 0 leaves the slowest approaches out
    solver->restitution_threshold = b2d_max((float)options[B2D_OPTION_RESTITUTION_THRESHOLD] * unit, 0.2f * slop);
    solver->linear_slop = slop;
    solver->open_length = slop;
    solver->warm_starting = options[B2D_OPTION_WARM_STARTING] != 0.0;
}

void b2d_solver_set_kernels(b2d_solver* solver, int32_t simd) {
    solver->kernels = b2d_solver_kernel_table(simd);
    solver->kernels_of_eight = b2d_solver_kernel_table(b2d_simd_for(simd, 8));
    solver->kernels_of_one = b2d_solver_kernel_table(b2d_simd_for(simd, 1));
    solver->kernels_of_four = b2d_solver_kernel_table(b2d_simd_for(simd, 4));
}
