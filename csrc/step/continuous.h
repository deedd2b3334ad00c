// csrc/step/continuous.h - sweeps fast bodies.
#pragma once
#include "objects/world.h"

void b2d_world_continuous(b2d_world* world);
// Whether the body may hit anything that it is swept against: always true for a bullet with shapes; for other bodies,
// whether the box of the swept bounding circle overlaps a static shape.
bool b2d_may_hit(const b2d_world* world, int32_t body);
