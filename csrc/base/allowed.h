// csrc/base/allowed.h - the range that the last argument out of range should have been in, for messages.
//
// It is kept for each thread, as errno is, and written only where a check fails.
#pragma once
#include "base/core.h"

void b2d_set_allowed(double lower, double upper); // NaN: what is allowed is no range

static inline b2d_status b2d_out_of_range(double lower, double upper, int32_t argument) {
    b2d_set_allowed(lower, upper);
    return B2D_OUT_OF_RANGE | argument << 8;
}
