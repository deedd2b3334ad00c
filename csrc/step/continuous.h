// csrc/step/continuous.h - the sweeps of fast bodies.
#pragma once
#include "objects/world.h"

void b2d_world_continuous(b2d_world* world);
// Whether anything that a fast body is swept against is near its path.
bool b2d_may_hit(const b2d_world* world, int32_t body);
