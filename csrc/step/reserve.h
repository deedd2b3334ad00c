// csrc/step/reserve.h - memory for a number of objects in advance.
#pragma once
#include "objects/world.h"

typedef struct b2d_object_counts {
    int32_t bodies, shapes, contacts, joints;
} b2d_object_counts;

// Gives the world the memory for so many objects in all, so that steps within these numbers ask the system for none.
// False: no memory; what has been reserved stays. It leases the scratch.
bool b2d_world_reserve_objects(b2d_world* world, const b2d_object_counts* most);
b2d_object_counts b2d_world_most_objects(const b2d_world* world); // that have existed at one time
