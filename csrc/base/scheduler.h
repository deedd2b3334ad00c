// csrc/base/scheduler.h - a pool of parked worker threads that run lists of stages.
//
// Idea: a job is a list of stages; each stage is a count of items cut into grains that workers claim with one atomic. A
// stage is over when all its items are done, not when all workers have arrived, so a preempted or late worker stalls
// nobody unless it holds a grain. The caller works too, as worker 0. Between stages workers spin for a bounded time
// (they yield at once when there are more workers than processors the process may use), then sleep on a condition
// variable, until a stage or job has grains for them. Which worker ran what never reaches a result: see DESIGN.md, rule
// 3. With one worker everything is a plain call. B2D_CHAOS=seed in the environment when the scheduler is made delays
// workers pseudo-randomly (tests). A scheduler may be shared by worlds and used from several threads: one job at a
// time, a second caller runs its job alone, inline, as worker 0 (never waits, no deadlock). After fork() the child's
// schedulers run everything on the caller.
#pragma once
#include "base/core.h"

typedef void b2d_stage_fn(void* context, int32_t begin, int32_t end, int32_t worker);

typedef struct b2d_stage {
    b2d_stage_fn* run;
    void* context;
    int32_t count; // items; 0 is skipped
    int32_t grain; // items a claim, at least 1; chosen from the data alone, never from the worker count
} b2d_stage;

typedef struct b2d_scheduler b2d_scheduler; // opaque, public: box2dpy.h

void b2d_scheduler_hold(b2d_scheduler* scheduler); // one more reference: each is given back by b2d_scheduler_destroy

// Runs the stages in order; returns when the last is over. Every worker index is in [0, b2d_scheduler_workers).
// Each worker sets the floating-point control word (round to nearest, no flush to zero) before its first item.
void b2d_scheduler_run(b2d_scheduler* scheduler, const b2d_stage* stages, int32_t stage_count);

// Rounds spent waiting so far, of all workers; a measure only
int64_t b2d_scheduler_spins(const b2d_scheduler* scheduler);

static inline void b2d_parallel_for(b2d_scheduler* scheduler, b2d_stage_fn* run, void* context, int32_t count,
                                    int32_t grain) {
    b2d_stage stage = {run, context, count, grain};
    b2d_scheduler_run(scheduler, &stage, 1);
}

// Floating-point control word: enter sets the engine's, leave restores the caller's.
uint32_t b2d_float_enter(void);
void b2d_float_leave(uint32_t saved);
void b2d_thread_yield(void); // lets other threads run
