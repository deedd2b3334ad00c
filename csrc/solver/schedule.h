// csrc/solver/schedule.h - the seam for solve orders: which constraints a worker solves, and in which order.
#pragma once
#include "solver/task.h"

typedef struct b2d_schedule {
    const char* name;
    // Deals the work out to tasks that share no awake body. On entry plan->everything is filled and is the shared task;
    // the constraints are prepared. False: no memory, and nothing was solved.
    bool (*plan)(const b2d_solver* solver, b2d_solver_plan* plan);
    // Runs one pass of the constraints of a single-worker task. NULL: the default order, whose passes can also be
    // shared out. A schedule with an order of its own plans no shared task; its restitution runs task by task too.
    void (*pass)(const b2d_solver_task* task, int32_t pass);
    // Runs after restitution; NULL: the impulses are already in their blocks.
    void (*finish)(const b2d_solver* solver, const b2d_solver_plan* plan);
} b2d_schedule;

// colors, the default: colour by colour.
#define B2D_SCHEDULE(NAME, name) extern const b2d_schedule b2d_schedule_##name;
#include "lists/schedules.def"
#undef B2D_SCHEDULE

// The solver at work in one step. Its parts follow each other; they return false when there is no memory.
typedef struct b2d_solver_run {
    b2d_solver solver; // filled by the caller
    atomic_uint flags_seen;
    struct b2d_added_contacts* added_contacts; // of the user (added_contacts.h); mostly NULL
    b2d_solver_plan plan;
    b2d_presses presses;
    struct b2d_pass_stages* lists; // of the job that runs, one for each pass of the program; NULL: for a lone worker
    bool one_core;                 // the calling thread runs all passes of the shared task
    bool restitutes;
    b2d_stage* restitution_stages; // room for them, unless the worker is alone
} b2d_solver_run;

bool b2d_solver_prepare(b2d_solver_run* run); // lays out all awake constraints; false: no body has moved
bool b2d_solver_bounce(b2d_solver_run* run); // impacts that the substeps do not solve; follows at once; false: as above
// Runs half substeps [from, to). The first half of a substep ends with velocities that satisfy the constraints, and the
// second half moves the bodies by them.
bool b2d_solver_substeps(b2d_solver_run* run, int32_t from, int32_t to);
void b2d_solver_finish(b2d_solver_run* run); // restitution, after the last substep

// For a solver without tasks (csrc/buffers): calls `run` with each pass of the program that has this label
// (B2D_STAGE_*) and is due in half substeps [from, to), in their order.
typedef void b2d_pass_fn(void* context, int32_t pass);
void b2d_run_program(const b2d_solver* solver, int32_t label, int32_t from, int32_t to, b2d_pass_fn* run,
                     void* context);
bool b2d_is_body_pass(int32_t pass); // whether it visits bodies alone
// The part of a pass that visits bodies: rows begin .. end - 1 of `bodies`.
void b2d_bodies_pass(const b2d_solver* solver, int32_t pass, const int32_t* bodies, int32_t begin, int32_t end);
