// csrc/step/keys.h - joins and sorts the keys that the workers of a stage have found.
#pragma once
#include "objects/world.h"

void b2d_world_clear_keys(b2d_world* world);
// Returns the keys of all workers in ascending order, in the arena. NULL if there is no memory now, or if a worker had
// none for a key.
uint64_t* b2d_world_join_keys(b2d_world* world, int32_t* count);
