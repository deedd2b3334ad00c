// csrc/objects/shape.h - operations on shapes: creation, destruction, another geometry.
#pragma once
#include "objects/world.h"

bool b2d_world_reserve_shapes(b2d_world* world, int32_t count); // columns for ids 0 .. count - 1
// The geometry has been checked. The id, or B2D_NONE without memory.
int32_t b2d_world_new_shape(b2d_world* world, int32_t body, const b2d_geometry* geometry, const b2d_shape_def* def);
void b2d_world_drop_shape(b2d_world* world, int32_t shape, bool update_mass);
bool b2d_world_replace_geometry(b2d_world* world, int32_t shape, const b2d_geometry* geometry, bool update_mass);
