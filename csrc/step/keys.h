// csrc/step/keys.h - keys that the workers of a stage find, joined and sorted.
#pragma once
#include "objects/world.h"

void b2d_world_clear_keys(b2d_world* world);
// The keys of all workers, ascending, in the arena; NULL: no memory, now or when a worker noted one.
uint64_t* b2d_world_join_keys(b2d_world* world, int32_t* count);
