// csrc/base/allowed.c - the range of the last argument out of range, one for each thread.
#include "base/allowed.h"

static _Thread_local double allowed[2];

void b2d_set_allowed(double lower, double upper) {
    allowed[0] = lower;
    allowed[1] = upper;
}

void b2d_allowed_range(double out[2]) {
    out[0] = allowed[0];
    out[1] = allowed[1];
}
