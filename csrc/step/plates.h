// csrc/step/plates.h - which bodies search for thin obstacles in the way of wider movers.
#pragma once
#include "objects/scratch.h"

typedef struct b2d_crossings {
    float reach; // how far those move at most that searchers look for; 0: there is no searcher
    const uint64_t*
        pairs; // of plates that search, << 32, with movers near, ascending; NULL: they search the broad phase
    int32_t count;
} b2d_crossings;

// A mover is a fast dynamic body without joints that is no sweeper, a plate a body that is neither static nor compact.
// Adds to `searchers` the plates that a mover may cross in this step, or the movers that may cross one.
b2d_crossings b2d_list_plates(b2d_world* world, b2d_bits* searchers);
// Whether two bodies move against each other by more than both half widths, so that their centres may pass each other.
bool b2d_moves_past(const b2d_world* world, int32_t a, int32_t b);
bool b2d_crosses(const b2d_world* world, int32_t fast, int32_t plate); // whether both are that, too

static inline float b2d_nearest(b2d_vec2 apart, b2d_vec2 motion) { // the least length on the way along the motion
    const float square = b2d_dot(motion, motion),
                share = square > 0.0f ? b2d_max(0.0f, b2d_min(1.0f, -b2d_dot(apart, motion) / square)) : 0.0f;
    return b2d_length(b2d_add(apart, b2d_scale(share, motion)));
}
