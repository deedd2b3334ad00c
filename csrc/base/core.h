// csrc/base/core.h - what every file needs: integer types, assertions, bit tricks, the status codes.
//
// Internal functions that may find no memory return bool; the API functions turn that into B2D_NO_MEMORY.
#pragma once
#include "box2dpy.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#if defined(__FAST_MATH__)
#error "box2dpy's results are bit-exact by contract: build without -ffast-math"
#endif

// For invariants only; the API functions answer user errors with a status. Enabled by -DB2D_ASSERTS.
#if defined(B2D_ASSERTS)
#include <stdio.h>
#include <stdlib.h>
#define B2D_ASSERT(condition) \
    ((condition) ? (void)0 : (fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition), abort()))
#else
#define B2D_ASSERT(condition) ((void)sizeof(condition))
#endif

// Every job runs on the calling thread, with the same results. Without this a target needs POSIX threads.
#if (defined(_WIN32) || defined(__wasm__)) && !defined(B2D_NO_THREADS)
#define B2D_NO_THREADS
#endif

#define B2D_NONE      (-1) // no id, no lane, no link
#define B2D_ALIGNMENT 64   // bytes: a cache line, and the widest vector

// For the functions of wide kernels: lanes must stay in registers, so no part of a kernel may become a call.
#define B2D_INLINE    static inline __attribute__((always_inline))

static inline int32_t b2d_ctz64(uint64_t word) { return __builtin_ctzll(word); }
static inline int32_t b2d_popcount64(uint64_t word) { return __builtin_popcountll(word); }
static inline int32_t b2d_min_int(int32_t a, int32_t b) { return a < b ? a : b; }
static inline int32_t b2d_max_int(int32_t a, int32_t b) { return a > b ? a : b; }
