// csrc/base/timer.c - the monotonic clock of the platform.
#if !defined(_WIN32)
#define _POSIX_C_SOURCE 200809L
#endif
#include "base/timer.h"

#if defined(_WIN32)
#define WIN32_LEAN_AND_MEAN
#include <windows.h>
double b2d_milliseconds(void) {
    LARGE_INTEGER ticks, per_second;
    QueryPerformanceCounter(&ticks);
    QueryPerformanceFrequency(&per_second);
    return 1000.0 * (double)ticks.QuadPart / (double)per_second.QuadPart;
}
#else
#include <time.h>
double b2d_milliseconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return 1000.0 * (double)now.tv_sec + 1.0e-6 * (double)now.tv_nsec;
}
#endif
