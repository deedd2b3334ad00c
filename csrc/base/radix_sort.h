// csrc/base/radix_sort.h - stable least-significant-digit radix sort of 64-bit keys.
//
// Idea: skips every digit in which all keys agree; short arrays use insertion sort.
// Proof: tests/c/test_base.c.
#pragma once
#include "base/core.h"

// Sorts keys[0 .. count) ascending; `scratch` has the same room. The result is in `keys`.
void b2d_radix_sort(uint64_t* keys, uint64_t* scratch, int32_t count);
// Order-preserving map from float to uint32: -0 and +0 give the same key, NaN is refused by assertion (Terdiman 2007).
static inline uint32_t b2d_float_key(float x) {
    union {
        float f;
        uint32_t u;
    } v = {x + 0.0f};
    return v.u & 0x80000000u ? ~v.u : v.u | 0x80000000u;
}
