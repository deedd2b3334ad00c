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
