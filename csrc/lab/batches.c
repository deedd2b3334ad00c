// csrc/lab/batches.c - the schedule "batches": colour by colour over all constraints, without single-worker tasks.
//
// The default schedule lets one worker take a small task through all substeps while its bodies stay in the cache. Here
// every pass visits all bodies and constraints before the next pass begins, so the difference of both is what the tasks
// gain. The bits are those of "colors".
#include "solver/schedule.h"

static bool plan_nothing(const b2d_solver* solver, b2d_solver_plan* plan) {
    (void)solver, (void)plan; // everything stays in the shared task
    return true;
}

const b2d_schedule b2d_schedule_batches = {"batches", plan_nothing, NULL, NULL};
