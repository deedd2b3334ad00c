// csrc/step/warm_start.h - the seam for warm starting: where the impulses of contacts are from one step to the next.
#pragma once
#include "objects/world.h"

typedef struct b2d_warm_start {
    const char* name;
    // Before the collide stage: takes the impulses of all touching contacts into the arena. NULL: no memory. A strategy
    // without this function leaves the impulses in their lanes, where the collide stage matches them.
    void* (*keep)(b2d_world* world);
    // After the collide stage: writes the impulses of the contacts that have a lane.
    void (*restore)(b2d_world* world, const void* kept);
} b2d_warm_start;

#define B2D_WARM_START(NAME, name) extern const b2d_warm_start b2d_warm_start_##name;
#include "lists/warm_starts.def"
#undef B2D_WARM_START
