// csrc/step/finalize.h - the finalize stage and the job of its kernels.
#pragma once
#include "base/cpu.h"
#include "step/motion.h"
#include "step/platforms.h"

typedef struct b2d_finalize_job {
    b2d_world* world;
    const int32_t* awake;
    float dt, inverse_dt, sleep_time, length_unit, max_speed, speculative_distance;
    bool sleeping, continuous;
    bool keeps_motions; // relative sweeps may follow, and read the motions of all bodies
    bool has_plates;
    const b2d_platforms* platforms;
} b2d_finalize_job;
B2D_DECLARE_KERNELS(b2d_stage_fn b2d_finalize_bodies_)

void b2d_world_finalize(b2d_world* world, const int32_t* awake, int32_t count, float dt,
                        const b2d_platforms* platforms);
