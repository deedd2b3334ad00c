// csrc/base/timer.h - monotonic time for profiles; no result depends on it.
#pragma once
#include "base/core.h"
double b2d_milliseconds(void);

// A counter of constant rate that takes a few nanoseconds to read: the time stamp counter, or else nanoseconds.
static inline int64_t b2d_ticks(void) {
#if defined(__x86_64__)
    return (int64_t)__builtin_ia32_rdtsc();
#else
    return (int64_t)(1.0e6 * b2d_milliseconds());
#endif
}
