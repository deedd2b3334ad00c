// csrc/step/momentum.h - what floats free keeps its angular momentum, and what nothing drives gains no energy.
#pragma once
#include "objects/world.h"

typedef struct b2d_floating { // bodies that only the joints and contacts between them act on, beside gravity
    int32_t first, count;     // in the list of bodies
    bool pinned;              // and joints with static bodies
    bool passive;             // no spring, motor, belt or bounce gives them energy
    double momentum, energy;  // kg m^2/s and J, about their centre of mass, or at rest for pinned ones, before the step
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
