// csrc/solver/machine.h - machines, which are bodies that joints connect, forget impacts as a whole.
#pragma once
#include "solver/task.h"

typedef struct b2d_machine_row { // by body id; it holds where the body has B2D_STEP_MACHINE
    int32_t first, next;         // the body from which the machine was found; the one found next, of any machine
    float own, kept;             // shares of the impulses that the machine repeats: by its own motion; in the end
    bool held;                   // of the first body: by joints to what is not dynamic, or locks
    double x, y;                 // kg m/s, of the first body: what the substep changed of the machine's momentum
} b2d_machine_row;

typedef struct b2d_machines {
    b2d_machine_row* rows;
    bool struck; // in this step, some body with joints; several workers set it
} b2d_machines;

// Before the step is prepared; bodies have ids below the limit. Without joints there is nothing to forget, nor where
// each substep begins anew, nor with an order of its own, whose lanes may be copies. False: no memory.
bool b2d_machines_begin(b2d_solver* solver, int32_t body_limit);
// The body may be struck in this step: if it has joints, its machine is judged. B2D_NONE is a body that never moves.
void b2d_strike_machine(const b2d_solver* solver, int32_t body);
// Ends a relax pass of a task; `last`: that of the last substep.
void b2d_forget_machine_impacts(const b2d_solver_task* task, bool last);

// The share of what it did in a substep that a body repeats in the next one
static inline double b2d_repeated_share(const b2d_solver* solver, int32_t body) {
    return solver->steps[body].flags & B2D_STEP_MACHINE ? (double)solver->machines->rows[body].kept : 1.0;
}
