// csrc/step/finalize.h - the finalize stage and the job of its kernels.
#pragma once
#include "step/motion.h"

typedef struct b2d_finalize_job {
    b2d_world* world;
    const int32_t* awake;
    float dt, inverse_dt, sleep_time, length_unit, max_speed;
    bool sleeping, continuous;
    bool keeps_motions; // relative sweeps may follow, and read the motions of all bodies
} b2d_finalize_job;
b2d_stage_fn b2d_finalize_bodies_scalar, b2d_finalize_bodies_sse2, b2d_finalize_bodies_avx2, b2d_finalize_bodies_avx512,
    b2d_finalize_bodies_neon;

void b2d_world_finalize(b2d_world* world, const int32_t* awake, int32_t count, float dt);
