// csrc/base/scheduler.h - a pool of parked worker threads that run lists of stages.
//
// Idea: a job is a list of stages. Each stage is a number of items, cut into grains. Each worker has an equal share of
// the grains, takes them with one atomic operation, and then takes from the shares of the others. A stage is over when
// all its items are done, not when all workers have arrived, so a late or preempted worker delays the others only if it
// holds a grain. The calling thread works too, as worker 0. Between stages the workers spin for a bounded time, or
// yield at once when there are more workers than processors; then they sleep on a condition variable until a stage has
// grains for them.
// Results never depend on which worker ran which item.
// With one worker a job is a plain function call. A scheduler may be shared by worlds and used from several threads. It
// runs one job at a time; a second caller runs its job by itself, as worker 0, without waiting. After fork() the
// schedulers of the child process run everything on the calling thread.
// A hosted scheduler asks the program for threads instead of starting some (b2d_scheduler_create_hosted).
// Tests set B2D_CHAOS=seed in the environment before they create a scheduler: it delays workers pseudo-randomly.
#pragma once
#include "base/core.h"

#include <stdatomic.h>

typedef void b2d_stage_fn(void* context, int32_t begin, int32_t end, int32_t worker);

typedef struct b2d_stage {
    b2d_stage_fn* run;
    void* context;
    int32_t count; // items; 0 is skipped
    int32_t grain; // items that a worker takes at once, at least 1; depends on the data, never on the workers
} b2d_stage;

typedef struct b2d_scheduler b2d_scheduler; // opaque, public: box2dpy.h

void b2d_scheduler_hold(b2d_scheduler* scheduler); // adds a reference; b2d_scheduler_destroy returns one

bool b2d_scheduler_is_hosted(const b2d_scheduler* scheduler);

// Objects that callers leave with a scheduler for the next job, from any thread, without locks.
typedef void b2d_destroy_fn(void* object);
void* b2d_scheduler_take_spare(b2d_scheduler* scheduler); // NULL: there is none
// False: it has no room. All objects have the same `destroy`, which b2d_scheduler_destroy calls.
bool b2d_scheduler_keep_spare(b2d_scheduler* scheduler, void* object, b2d_destroy_fn* destroy);

// Runs the stages in order and returns when the last one is over. Worker indices are in [0, b2d_scheduler_workers).
// Each worker sets the floating-point control word (round to nearest, no flush to zero) before its first item.
void b2d_scheduler_run(b2d_scheduler* scheduler, const b2d_stage* stages, int32_t stage_count);
// The same for a caller that has entered the word of the engine, as each step has. To read the word is to wait for all
// arithmetic before. NULL: all runs on the calling thread.
void b2d_scheduler_run_entered(b2d_scheduler* scheduler, const b2d_stage* stages, int32_t stage_count);

// Whether the solver shares its stages out as it pays, always (in a trace alone) or in every other step (B2D_CHAOS)
enum { B2D_SHARE_AS_IT_PAYS, B2D_SHARE_ALWAYS, B2D_SHARE_IN_TURN };
int32_t b2d_scheduler_sharing(const b2d_scheduler* scheduler);

// For measurements and tests only: how often workers have found no work so far, and how many threads sleep now
int64_t b2d_scheduler_spins(const b2d_scheduler* scheduler);
int32_t b2d_scheduler_parked(const b2d_scheduler* scheduler);

static inline void b2d_parallel_for(b2d_scheduler* scheduler, b2d_stage_fn* run, void* context, int32_t count,
                                    int32_t grain) {
    b2d_stage stage = {run, context, count, grain};
    b2d_scheduler_run(scheduler, &stage, 1);
}

// Work beside the jobs: a worker that finds no grain in them runs it, otherwise the thread that joins it does. It must
// not write what the jobs in between read or write, nor read what they write. The caller never runs it in a job.
typedef struct b2d_side_task {
    void (*run)(void* context);
    void* context;
    bool offered;     // a worker may have it, or have run it
    atomic_bool done; // by a worker
} b2d_side_task;

// The task stays where it is until it is joined. A scheduler holds one at a time; a further one runs when it is joined.
void b2d_scheduler_offer(b2d_scheduler* scheduler, b2d_side_task* task);
void b2d_scheduler_join(b2d_scheduler* scheduler, b2d_side_task* task); // when it returns, the task has run

// The floating-point control word: enter sets that of the engine and returns that of the caller, leave restores it.
uint32_t b2d_float_enter(void);
void b2d_float_leave(uint32_t saved);
void b2d_thread_yield(void); // lets other threads run
