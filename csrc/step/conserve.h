// csrc/step/conserve.h - what floats free keeps its angular momentum, and what nothing drives gains no energy.
#pragma once
#include "objects/world.h"

typedef struct b2d_assembly { // bodies that joints and contacts connect
    int32_t first, count;     // in the list of bodies
    bool floats;              // only gravity acts on it from outside
    bool loose;               // its joints disagree, and nothing fixed touches or holds it
    bool passive;             // no belt or bounce gives it energy
    bool driven;              // it has springs or motors
    bool lifts;               // parts that are pulled or pushed together may get the speed of a push-out
    double energy, power;     // before the step: J, of its motion beside that of its centre if it floats; W, of forces
    double vx, vy, momentum;  // of one that floats, m/s and kg m^2/s: of its centre of mass and about it
} b2d_assembly;

typedef struct b2d_assemblies {
    b2d_assembly* rows;
    int32_t* bodies; // assembly by assembly, ascending
    int32_t count;
} b2d_assemblies;

// When the rows of joints are prepared: finds and measures the assemblies of the step, in its arena. False: no memory.
bool b2d_world_measure_assemblies(b2d_world* world, const int32_t* awake, int32_t count, b2d_assemblies* assemblies);
// After it
void b2d_world_conserve(b2d_world* world, const b2d_assemblies* assemblies, float dt);
