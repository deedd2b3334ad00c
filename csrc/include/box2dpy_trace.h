// csrc/include/box2dpy_trace.h - the public C API of timelines: what each worker does in a step. cffi reads it after
// box2dpy.h.
//
// While a trace is on, each worker records what it runs. `room` is the greatest number of spans for each worker and
// step; 0 ends the trace. With `alone` the calling thread runs all stages as they are cut for the workers, one span for
// each, so that the times are those of the work without its communication. Threads: as in box2dpy.h.
#ifndef BOX2DPY_H_TRACE
#define BOX2DPY_H_TRACE
#include "box2dpy.h"

enum {
#define B2D_PROFILE(name) B2D_STAGE_##name,
#include "lists/profile.def"
#undef B2D_PROFILE
    B2D_STAGE_COUNT
};

// Work that one worker did without a pause while a trace was on. Times in milliseconds since the step began.
typedef struct b2d_span {
    double begin, end;
    double longest;        // grain, of a stage that is traced alone and has one item in each grain; otherwise 0
    int32_t worker, stage; // B2D_STAGE_*
    int32_t grains;        // parts that workers could share; 0 for a task beside the jobs
} b2d_span;

b2d_status b2d_world_trace(b2d_world* world, int32_t room, bool alone);
// The spans of the last step, sorted by worker, then by time.
b2d_status b2d_world_spans(b2d_world* world, b2d_span* out, int32_t room, int32_t* count);

#endif
