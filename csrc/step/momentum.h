// csrc/step/momentum.h - what floats free keeps its angular momentum.
#pragma once
#include "objects/world.h"

typedef struct b2d_floating { // bodies that only the joints and contacts between them act on, beside gravity
    int32_t first, count;     // in the list of bodies
    double momentum, energy;  // kg m^2/s and J, about their centre of mass, when the step began
} b2d_floating;

typedef struct b2d_floating_groups {
    b2d_floating* rows;
    int32_t* bodies; // group by group, ascending
    int32_t count;
} b2d_floating_groups;

// Before the solver: finds and measures the groups of this step, in its arena. False: no memory.
bool b2d_world_measure_momentum(b2d_world* world, const int32_t* awake, int32_t count, b2d_floating_groups* groups);
// After it
void b2d_world_return_momentum(b2d_world* world, const b2d_floating_groups* groups);
