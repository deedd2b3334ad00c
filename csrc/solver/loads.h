// csrc/solver/loads.h - what the stored impulses say about the loads of constraints when substeps differ in length.
//
// Idea: a stored impulse stands for a load (N) times the length h of a substep, so the warm start of a substep of
// another length multiplies it by the ratio of both. But an impulse also stops the relative velocity dv that other
// constraints have left. In a substep of a nanosecond that is all it does, and m dv / h is no load. So a load is a mean
// over time: where a substep is shorter than the longest one of the last second, its impulses count for as much of the
// mean as it lasts, and the loads of before count for the rest. A stop then gives the next substep, however long, no
// more than m dv. Steps of one length keep their own impulses, to the bit, and cost nothing.
// Before the first step there is no load: the first steps are trusted for as long as they lasted together.
// How soft contacts and joints are follows the length of substeps too, and with it how deep piles sink: ten boxes by
// 0.34 m more at one substep in 1/60 s than at four. So that each shorter substep does not throw them up, the softness
// has a length of its own, which follows that of the substeps as slowly as piles may rise. In the long run it is the
// length that 1/11 of the time exceeds, in any order. Substeps of one length have that length, to the bit. An assigned
// contact_hertz or joint_hertz counts at once: the memory begins anew.
// Threads: serial. Proof: tests/physics/test_step_lengths.py.
#pragma once
#include "solver/solver.h"

#define B2D_LOAD_MEMORY     1.0f // s, after which a long substep and the beginning of the world are forgotten
// s, in which softness reaches that of longer substeps, and in which it goes back by a factor of e in the length
// (docs/decisions/solver.md, "Softness follows the substeps of the past").
#define B2D_SOFTEN_TIME     4.0f
#define B2D_STIFFEN_TIME    40.0f
#define B2D_LONGEST_SUBSTEP 0.0201f // s, see b2d_substeps_of

typedef struct b2d_loads { // of a world, or of a cell of a packed world
    float time;            // s, over which the stored impulses are a mean
    float age;             // s, that the steps took so far, B2D_LOAD_MEMORY at most
    float substep;         // s, which the softness of contacts and joints follows; 0: it begins with the next step
} b2d_loads;

// `frame`: s, the substeps of a frame of 1/60 s, or of this step if it is shorter. What lies between them and those of
// the step stays: a frame that comes late, or one of many in a step, asks for nothing else.
static inline float b2d_loads_next_substep(const b2d_loads* loads, float dt, float h, float frame) {
    const float now = loads->substep, least = b2d_min(h, frame), most = b2d_max(h, frame),
                passed = b2d_min(dt / loads->age, 1.0f) * B2D_LOAD_MEMORY; // s, in a young world its share of a second
    if (now == 0.0f) return h;
    if (now < least) return b2d_min(now + passed / B2D_SOFTEN_TIME * least, least);
    return now > most ? b2d_max(now / (1.0f + passed / B2D_STIFFEN_TIME), most) : now;
}

// A step of dt seconds with substeps of h begins. Returns the share that its impulses have of the mean.
static inline float b2d_loads_begin(b2d_loads* loads, float dt, float h, float frame) {
    loads->age = b2d_min(loads->age + dt, B2D_LOAD_MEMORY);
    loads->time = b2d_max(loads->time / (1.0f + dt / B2D_LOAD_MEMORY), h);
    loads->substep = b2d_loads_next_substep(loads, dt, h, frame);
    return h / loads->time;
}
// By which the stored impulses are multiplied before that.
static inline float b2d_loads_ratio(const b2d_loads* loads, float last_h, float h) {
    if (!(last_h > 0.0f) || last_h == h) return 1.0f;
    return h / last_h * b2d_min(loads->age / h, 1.0f);
}

// Copies the impulses of all lanes into the arena when the constraints are prepared; NULL: no memory.
float* b2d_loads_keep(const b2d_solver* solver);
// The same for the forces of joints, by id, before the constraints are prepared.
b2d_joint_load* b2d_loads_keep_forces(const b2d_solver* solver);
// Take them into the mean after the last substep. The shares are by cell of a packed world.
void b2d_loads_mix(const b2d_solver* solver, const float* retained, const float* shares);
void b2d_loads_mix_forces(const b2d_solver* solver, const b2d_joint_load* retained, const float* shares);
