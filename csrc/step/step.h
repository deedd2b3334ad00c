// csrc/step/step.h - one step of the world.
#pragma once
#include "objects/world.h"

bool b2d_world_at_rest(const b2d_world* world); // no stage would do anything
void b2d_world_run_step(b2d_world* world, float dt, int32_t substeps, bool at_rest);
