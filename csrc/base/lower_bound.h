// csrc/base/lower_bound.h - binary search in rows that are sorted by a member.
//
// `member` is that member of the first row, `stride` the size of a row in bytes. The answer is the first of `count` rows
// whose member is not below `wanted`, or `count`.
#pragma once
#include "base/core.h"

static inline int32_t b2d_lower_bound(const uint64_t* member, size_t stride, int32_t count, uint64_t wanted) {
    int32_t low = 0, high = count;
    while (low < high) {
        int32_t middle = (low + high) / 2;
        if (*(const uint64_t*)((const char*)member + (size_t)middle * stride) < wanted) low = middle + 1;
        else high = middle;
    }
    return low;
}

static inline int32_t b2d_lower_bound_id(const int32_t* member, size_t stride, int32_t count, int32_t wanted) {
    int32_t low = 0, high = count;
    while (low < high) {
        int32_t middle = (low + high) / 2;
        if (*(const int32_t*)((const char*)member + (size_t)middle * stride) < wanted) low = middle + 1;
        else high = middle;
    }
    return low;
}
