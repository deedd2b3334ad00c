// csrc/step/clock.h - the clock of world.profile: reading it 26 times takes longer than some small steps.
#pragma once
#include "base/timer.h"
#include "objects/world.h"

// Milliseconds, or 0 where the option says that stages are not measured.
static inline double b2d_stage_clock(const b2d_world* world) {
    return world->options[B2D_OPTION_PROFILING] == B2D_PROFILE_FULL ? b2d_milliseconds() : 0.0;
}
static inline double b2d_step_clock(const b2d_world* world) { // the same for the whole step
    return world->options[B2D_OPTION_PROFILING] == B2D_PROFILE_OFF ? 0.0 : b2d_milliseconds();
}
