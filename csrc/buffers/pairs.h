// csrc/buffers/pairs.h - the broad phase of the buffers: which boxes overlap, found again in each call.
#pragma once
#include "broadphase/grid.h"
#include "buffers/workspace.h"

typedef struct b2d_buffer_boxes { // by shape
    float *min_x, *min_y, *max_x, *max_y;
    const int32_t* bodies;
    const uint8_t* moves; // by body: it has a mass
    int32_t count;
} b2d_buffer_boxes;

// Calls `found` for each pair of shapes of two bodies, one of which has a mass, whose boxes overlap; in any order, the
// lower shape first. `found` may write behind what has been taken from the workspace.
b2d_status b2d_buffer_find_pairs(const b2d_buffer_boxes* boxes, int32_t simd, b2d_workspace* w,
                                 void (*found)(void* context, int32_t shape_a, int32_t shape_b), void* context);
