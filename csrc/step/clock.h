// csrc/step/clock.h - the clock of world.profile, which is read once where a stage ends and the next one begins.
//
// Small steps have stages that are shorter than a reading of the system's clock. So stages are counted in ticks, and at
// the end of the step its length in milliseconds, by the system's clock, says how long a tick is.
#pragma once
#include "base/timer.h"
#include "objects/world.h"

// Milliseconds, or 0 where the option says that steps are not measured.
static inline double b2d_step_clock(const b2d_world* world) {
    return world->options[B2D_OPTION_PROFILING] == B2D_PROFILE_OFF ? 0.0 : b2d_milliseconds();
}

// A stage begins that does not follow another one: what happened before is not counted.
static inline void b2d_lap_begin(b2d_world* world) {
    if (world->options[B2D_OPTION_PROFILING] == B2D_PROFILE_FULL) world->lap = b2d_ticks();
}

// A stage ends: adds the ticks since the last lap to `stage`, a field of world->laps.
static inline void b2d_lap(b2d_world* world, double* stage) {
    if (world->options[B2D_OPTION_PROFILING] != B2D_PROFILE_FULL) return;
    const int64_t now = b2d_ticks();
    *stage += now > world->lap ? (double)(now - world->lap) : 0.0; // processors may disagree
    world->lap = now;
}
