// csrc/step/continuous.h - sweeps fast bodies.
#pragma once
#include "step/motion.h"

void b2d_world_continuous(b2d_world* world, const int32_t* awake, int32_t count);
// Whether the body may hit anything that it is swept against: true if something of it is near its path.
bool b2d_may_hit(const b2d_world* world, int32_t body);
bool b2d_is_sweeper(const b2d_world* world, int32_t body); // of a fast dynamic body: is it swept against all others?

// What it shares with relative.c.
// The box of all that a shape may come near on its way between two poses of its body, which turns by `angle`.
b2d_box b2d_swept_box(const b2d_world* world, int32_t shape, const b2d_pose* from, const b2d_pose* to, float reach,
                      float angle);
bool b2d_swept_hit_stops(b2d_world* world, const b2d_swept_hit* hit);              // asks the user's callbacks
void b2d_move_by(b2d_world* world, int32_t body, float fraction, b2d_bits* moved); // of its motion, which is used up
float b2d_sweep_carried(b2d_world* world, int32_t body); // how far its motion may go before it meets a static shape
