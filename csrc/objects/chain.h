// csrc/objects/chain.h - operations on chains of segments.
#pragma once
#include "objects/world.h"

b2d_geometry b2d_chain_segment(const double* points, int32_t count, bool loop, int32_t k); // from point k on
// The points have been checked. The id, or B2D_NONE without memory.
int32_t b2d_world_new_chain(b2d_world* world, int32_t body, const double* points, int32_t count, bool loop,
                            const b2d_shape_def* def);
void b2d_world_drop_chain(b2d_world* world, int32_t chain);
// A shape is about to be destroyed: takes it out of its chain, if it has one; the last segment destroys the chain.
void b2d_world_leave_chain(b2d_world* world, int32_t shape);
