// csrc/step/wedge.h - lets out bodies that hold a joint open.
#pragma once
#include "objects/world.h"
#include "solver/solver.h"

// After the substeps, while the poses are still those of the start of the step.
void b2d_world_release_wedged(b2d_world* world, b2d_solver* solver);
