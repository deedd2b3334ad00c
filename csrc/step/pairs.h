// csrc/step/pairs.h - the pair stage: new contacts where fat boxes begin to overlap.
#pragma once
#include "objects/world.h"

bool b2d_world_reserve_contacts(b2d_world* world, int32_t contacts);
void b2d_world_create_pairs(b2d_world* world);
