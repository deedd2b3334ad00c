// csrc/base/trace.h - what workers note of their work, for timelines. Cost: two looks at the clock a piece of work,
// nothing when off.
// Proof: tests/api/test_trace.py.
#pragma once
#include "base/scheduler.h"
#include "box2dpy_trace.h"

// Traces, for timelines. All but the label fail (false, -1) while a job runs. Spans lie by worker, then by time, since
// the last start.
bool b2d_scheduler_trace(b2d_scheduler* scheduler, int32_t room);  // spans a worker; 0 = off; false: busy or no memory
void b2d_scheduler_start_trace(b2d_scheduler* scheduler);          // forgets the spans; times count from now
void b2d_scheduler_label(b2d_scheduler* scheduler, int32_t stage); // of what runs from now on
int32_t b2d_scheduler_spans(b2d_scheduler* scheduler, b2d_span* out, int32_t room); // how many there are
