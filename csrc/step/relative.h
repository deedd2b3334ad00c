// csrc/step/relative.h - sweeps moving bodies against moving bodies.
#pragma once
#include "step/plates.h"
#include "step/platforms.h"

// Lowers the fractions of the fast bodies (ids ascending) and moves the other bodies whose motion is cut or that a wall
// carries. Returns false without memory; then nothing has changed.
bool b2d_world_relative(b2d_world* world, const int32_t* awake, int32_t awake_count, const int32_t* fast,
                        float* fractions, int32_t fast_count, const b2d_crossings* crossings,
                        const b2d_platform_pairs* platform_pairs);
