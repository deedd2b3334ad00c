// csrc/step/clock.h - the clock of world.profile. It is read once where a stage ends and the next one begins, because
// reading it takes longer than some stages of small steps.
#pragma once
#include "base/timer.h"
#include "objects/world.h"

// Milliseconds, or 0 where the option says that steps are not measured.
static inline double b2d_step_clock(const b2d_world* world) {
    return world->options[B2D_OPTION_PROFILING] == B2D_PROFILE_OFF ? 0.0 : b2d_milliseconds();
}

// A stage begins that does not follow another one: what happened before is not counted.
static inline void b2d_lap_begin(b2d_world* world) {
    if (world->options[B2D_OPTION_PROFILING] == B2D_PROFILE_FULL) world->lap = b2d_milliseconds();
}

// A stage ends: adds the milliseconds since the last lap to `stage`, a field of the profile.
static inline void b2d_lap(b2d_world* world, double* stage) {
    if (world->options[B2D_OPTION_PROFILING] != B2D_PROFILE_FULL) return;
    const double now = b2d_milliseconds();
    *stage += now - world->lap;
    world->lap = now;
}
