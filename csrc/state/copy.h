// csrc/state/copy.h - copies the state of a world to another one: save, restore, clone and clear.
#pragma once
#include "objects/world.h"

// Bytes of all tables that b2d_world_copy fills in a world without tables.
int64_t b2d_state_size(const b2d_world* world);
// Gives `to` the state of `from`. `to` keeps what is its own: workers, broad phase, callbacks, memory. False: no
// memory, and `to` has not changed. Threads: none may use `to`; others may read `from`.
bool b2d_world_copy(b2d_world* to, const b2d_world* from);
// Whether both have the same bodies, shapes, joints and chains, by index and generation.
bool b2d_world_same_objects(const b2d_world* a, const b2d_world* b);
