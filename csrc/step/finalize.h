// csrc/step/finalize.h - what finalize.c, its kernels and continuous.c share.
#pragma once
#include "objects/world.h"

typedef struct b2d_finalize_job {
    b2d_world* world;
    const int32_t* awake;
    float dt, inverse_dt, sleep_time, length_unit;
    bool sleeping, continuous;
} b2d_finalize_job;
b2d_stage_fn b2d_finalize_bodies_scalar, b2d_finalize_bodies_sse2, b2d_finalize_bodies_avx2, b2d_finalize_bodies_avx512,
    b2d_finalize_bodies_neon;

void b2d_note_motion(b2d_world* world, int32_t row, int32_t body); // of a fast body, before it moves, for sensors
// A fast body whose path comes near something it is swept against
bool b2d_may_hit(const b2d_world* world, int32_t body);
void b2d_keep_touchers_awake(b2d_world* world, b2d_finalize_worker* out, int32_t body); // of a moving kinematic body
void b2d_move_pose(b2d_pose* pose, b2d_body* body, float dx, float dy, float angle);
void b2d_refresh_boxes(b2d_world* world, int32_t body, b2d_bits* moved); // fat boxes that no longer contain their shape
void b2d_collect_moved(b2d_world* world);                                // the workers' moved bits into the proxies'
