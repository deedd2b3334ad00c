// csrc/base/trace.h - records when each worker worked on which stage, for timelines.
//
// Cost: two readings of the clock for each run of grains; nothing when tracing is off. Proof: tests/api/test_trace.py.
#pragma once
#include "base/scheduler.h"
#include "box2dpy_trace.h"

// While a job runs, tracing cannot be switched on, switched off or started, and spans cannot be read. Spans are sorted
// by worker, then by time. Times are measured from the last start.
// Makes room for `room` spans for each worker; 0 switches tracing off. Returns false if a job runs or memory is short.
bool b2d_scheduler_trace(b2d_scheduler* scheduler, int32_t room, bool alone); // alone: see box2dpy_trace.h
void b2d_scheduler_start_trace(b2d_scheduler* scheduler); // deletes all spans; the time starts at zero
// Sets the stage of the step (B2D_STAGE_*) that the following spans are labelled with.
void b2d_scheduler_label(b2d_scheduler* scheduler, int32_t stage);
// Copies at most `room` spans to `out`; returns how many there are, or -1 while a job runs.
int32_t b2d_scheduler_spans(b2d_scheduler* scheduler, b2d_span* out, int32_t room);
