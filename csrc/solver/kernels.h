// csrc/solver/kernels.h - the passes of the solver, and the table of wide kernels that run them.
#pragma once
#include "base/cpu.h"
#include "solver/solver.h"

// A pass visits all bodies or all constraints of a task once. Their sequence is the table in schedule.c.
enum {
    B2D_PASS_PREPARE,     // body flags, joint lanes, scaled impulses, approach speeds
    B2D_PASS_FORCES,      // velocities: gravity, forces, damping
    B2D_PASS_REPLAY,      // the same, and the warm start of the previous substep again
    B2D_PASS_WARM_START,  // the impulses of the previous step
    B2D_PASS_CLEAR,       // without warm starting: every substep begins with impulses of 0
    B2D_PASS_SOLVE,       // normal rows and joints with the soft bias; friction of what sticks
    B2D_PASS_MOVE,        // motion of the bodies by their velocities
    B2D_PASS_RELAX,       // all rows without the bias
    B2D_PASS_RESTITUTION, // after the last substep, of contacts with little restitution
    B2D_PASS_COUNT
};

struct b2d_direct_assembly;

// Runs one pass over blocks [begin, end) of a list; `fixed` is 1 when side B of the list does not move.
typedef void b2d_kernel_fn(const b2d_solver* solver, const b2d_color_list* list, int32_t fixed, int32_t begin,
                           int32_t end);

// One table for each instruction set; all give the same bits.
typedef struct b2d_solver_kernels {
    b2d_kernel_fn *contacts[B2D_PASS_COUNT], *joints[B2D_PASS_COUNT]; // NULL where a pass has no kernel
    // A pass over up to `direct_lanes` assemblies with the same plan and rows (direct_wide.inl). Returns the lanes that
    // it leaves to the scalar code, unchanged. NULL in scalar code
    uint32_t (*direct)(const b2d_solver* solver, const struct b2d_direct_assembly* const* lanes, int32_t count,
                       bool relax, bool again);
    int32_t direct_lanes;
    void (*joint_place)(const b2d_solver* solver, const b2d_color_list* list, int32_t begin, int32_t end);
} b2d_solver_kernels;

B2D_DECLARE_KERNELS(extern const b2d_solver_kernels b2d_solver_kernels_of_)

static inline const b2d_solver_kernels* b2d_kernels_for(const b2d_solver* solver, const b2d_color_list* list) {
    if (list->count <= 1) return solver->kernels_of_one;
    return list->count <= 4 ? solver->kernels_of_four : list->count <= 8 ? solver->kernels_of_eight : solver->kernels;
}

// One overflow constraint. Overflow constraints share bodies and are therefore solved one after another; every
// instruction set uses the scalar instance.
void b2d_solve_overflow_joint(const b2d_solver* solver, int32_t lane_index, int32_t fixed, int32_t pass);
void b2d_solve_overflow_contact(const b2d_solver* solver, int32_t lane_index, int32_t fixed, int32_t pass);
// Adds the impulses of a joint that no kernel has solved to its load, at the end of a relax pass.
void b2d_add_joint_load(const b2d_solver* solver, int32_t lane_index);

// Fills solver->contact_steps[block], for a block that was copied after the prepare pass of a step without warm
// starting.
void b2d_begin_contacts(const b2d_solver* solver, int32_t block);
