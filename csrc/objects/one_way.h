// csrc/objects/one_way.h - shapes that are solid from one side only.
#pragma once
#include "objects/world.h"

#define B2D_ONE_WAY_FACING 0.5f // least cosine between a one-way direction and the normal of what lands there
// Whether the normal (from a to b, world axes) is nearer to the directions of both shapes than the cosine `least`.
bool b2d_world_one_way_faces(const b2d_world* world, int32_t shape_a, int32_t shape_b, b2d_vec2 normal, float least);
b2d_vec2 b2d_one_way_unit(double x, double y); // of length 1, or zero
b2d_passes_through_fn b2d_world_passes_through;
bool b2d_world_set_one_way(b2d_world* world, int32_t shape, b2d_vec2 direction); // false: no memory
