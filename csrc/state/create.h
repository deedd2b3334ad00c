// csrc/state/create.h - worlds are created and freed here.
#pragma once
#include "objects/world.h"

typedef struct b2d_making {   // how a world differs from others with the same state
    b2d_scheduler* scheduler; // shared, or NULL: the world gets one of its own
    int32_t workers;          // of its own scheduler
    int32_t simd;             // B2D_SIMD_*, that the CPU has
    int32_t broadphase, narrowphase, islands, schedule, warm_start;
    uint32_t lab;
    int64_t preallocated; // bytes of memory that the world takes at once, for tables whose sizes are known
    int64_t fail_after;
    b2d_cells cells; // of a packed world, which has the broad phase of the cells; zero: an ordinary world
} b2d_making;

// A world without objects; its options are zero. NULL: no memory.
b2d_world* b2d_world_make(const b2d_making* making);
// A world that only holds a state: it has no workers, scheduler and broad phase, and cannot be stepped.
b2d_world* b2d_world_make_image(int64_t preallocated, int64_t fail_after);
void b2d_world_free(b2d_world* world);
