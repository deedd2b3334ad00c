// csrc/step/water.h - which bodies may cross the border of water in this step: solver/lift.h.
#pragma once
#include "objects/world.h"

// Gives awake bodies in or near the waters of this step their lifts, and the solver both. False: no memory.
bool b2d_world_prepare_lifts(b2d_world* world, b2d_solver* solver);
