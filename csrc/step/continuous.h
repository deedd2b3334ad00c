// csrc/step/continuous.h - sweeps fast bodies.
#pragma once
#include "step/motion.h"
#include "step/platforms.h"

bool b2d_world_continuous(b2d_world* world, const int32_t* awake, int32_t count, const b2d_platforms* platforms);
// Of the bodies asked for, bit k for ids[k], at most 16: those that have something that they are swept against near
// their paths; kinematic bodies that sleep are as static ones. Sets *sweeps_moving if one of them is a sweeper.
uint32_t b2d_may_hit(const b2d_world* world, const int32_t* ids, uint32_t asked, bool kinematic_sleeps,
                     bool* sweeps_moving);
// Whether a fast dynamic body is swept against bodies that move: a bullet against all, one that moves far against those
// that it moves past.
bool b2d_is_sweeper(const b2d_world* world, int32_t body);
#define B2D_FAR 8.0f // times the safety factor and the half width: twice the width by default
bool b2d_moves_far(const b2d_world* world, int32_t body);     // so that it is a sweeper
bool b2d_sweeps_always(const b2d_world* world, int32_t body); // it is as a bullet
float b2d_travel(const b2d_world* world, int32_t body);       // of its farthest point in this step

// Shared with relative.c.
// The box of the circle around the body, swept along its motion; it may have moved already.
b2d_box b2d_path_box(const b2d_world* world, int32_t body, bool moved);
// The box of everything that a shape may meet while its body moves between two poses and turns by `angle`.
b2d_box b2d_swept_box(const b2d_world* world, int32_t shape, const b2d_pose* from, const b2d_pose* to, float reach,
                      float angle);
bool b2d_swept_hit_stops(b2d_world* world, const b2d_swept_hit* hit); // calls the user's callbacks
// Moves a body by a fraction of its motion, which is then used up; b2d_stop_at also gives it the speed it had there.
void b2d_move_by(b2d_world* world, int32_t body, float fraction, b2d_bits* moved);
void b2d_stop_at(b2d_world* world, int32_t body, float fraction, b2d_bits* moved);
float b2d_sweep_carried(b2d_world* world, int32_t body); // the fraction of the motion before it meets a static shape
