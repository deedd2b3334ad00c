// csrc/step/relative.h - sweeps of bodies that move against bodies that move.
#pragma once
#include "objects/world.h"

bool b2d_world_needs_relative(const b2d_world* world); // is there a sweeper or a fast kinematic body in this step?
// Lowers the fractions of the fast bodies (ascending) and moves other bodies that have to be cut or carried. False: no
// memory, and nothing has been changed.
bool b2d_world_relative(b2d_world* world, const int32_t* awake, int32_t awake_count, const int32_t* fast,
                        float* fractions, int32_t fast_count);
