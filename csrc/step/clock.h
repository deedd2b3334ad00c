// csrc/step/clock.h - the clock of world.profile, which is read once where a stage ends and the next one begins.
//
// Small steps have stages that are shorter than a reading of the system's clock. So steps and stages are counted in
// ticks, and the system's clock, read about once in a million ticks, says how long a tick is.
#pragma once
#include "base/timer.h"
#include "objects/world.h"

enum { B2D_CLOCK_PERIOD = 1 << 20 }; // ticks, 0.3 ms: the error of a reading is then 1 part in 10000

// A step begins: returns the ticks.
static inline int64_t b2d_clock_start(b2d_world* world) {
    b2d_clock* clock = &world->clock;
    if (clock->tick == 0.0 && world->options[B2D_OPTION_PROFILING] != B2D_PROFILE_OFF)
        clock->now = b2d_milliseconds(), clock->ticks = b2d_ticks();
    return world->lap = b2d_ticks();
}

// Milliseconds of a tick at the end of a step, or 0 where the option says that steps are not measured.
static inline double b2d_clock_tick(b2d_world* world, int64_t ticks) {
    b2d_clock* clock = &world->clock;
    if (world->options[B2D_OPTION_PROFILING] == B2D_PROFILE_OFF) return 0.0;
    const int64_t passed = ticks - clock->ticks;
    if (passed >= 0 && passed < B2D_CLOCK_PERIOD && clock->tick > 0.0) return clock->tick;
    const double now = b2d_milliseconds();
    if (passed > 0 && now > clock->now) clock->tick = (now - clock->now) / (double)passed;
    if (passed < 0 || passed >= B2D_CLOCK_PERIOD) clock->ticks = ticks, clock->now = now;
    return clock->tick;
}

// A stage begins that does not follow another one: what happened before is not counted.
static inline void b2d_lap_begin(b2d_world* world) {
    if (world->options[B2D_OPTION_PROFILING] == B2D_PROFILE_FULL) world->lap = b2d_ticks();
}

// A stage ends that had something to do; what another one took belongs to the next stage, since reading the clock would
// take longer. Adds the ticks since the last lap to `stage`, a field of world->laps.
static inline void b2d_lap(b2d_world* world, double* stage) {
    if (world->options[B2D_OPTION_PROFILING] != B2D_PROFILE_FULL) return;
    const int64_t now = b2d_ticks();
    *stage += now > world->lap ? (double)(now - world->lap) : 0.0; // processors may disagree
    world->lap = now;
}
