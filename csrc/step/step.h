// csrc/step/step.h - one step of the world, as a whole or in parts.
#pragma once
#include "graph/partition.h"
#include "objects/world.h"
#include "solver/schedule.h"
#include "step/conserve.h"

bool b2d_world_at_rest(const b2d_world* world); // no stage would do anything
void b2d_world_run_step(b2d_world* world, float dt, int32_t substeps, bool at_rest);

// A step at work. Its parts follow each other; b2d_world_run_step is this sequence. Failures for lack of memory set
// world->step_failed, and the parts that follow do what can be done.
typedef struct b2d_step_run {
    float dt;
    int32_t substeps;
    int64_t start;       // ticks
    int64_t allocations; // of the world before the step
    int32_t* awake;      // ids of the awake bodies, ascending, in the arena of the step
    int32_t awake_count;
    bool advances;  // the constraints are prepared, so the bodies will move; false for dt 0
    bool splitting; // an island is searched; b2d_step_join_split applies the result
    b2d_island_search split;
    b2d_side_task split_task;
    // By cell, the share that the impulses of this step have of the stored ones (solver/loads.h), NULL: all; and those
    // stored before the step
    float *load_shares, *kept_loads;
    b2d_joint_load* kept_forces;
    b2d_assemblies assemblies; // step/conserve.h
    b2d_solver_run solver;
} b2d_step_run;

// The number of substeps of a step: `substeps`, or in a step longer than 1/50 s so many for each 1/60 s of it.
int32_t b2d_substeps_of(float dt, int32_t substeps);

void b2d_step_begin(b2d_world* world, b2d_step_run* run, float dt, int32_t substeps);
// Pairs, contacts and their events. An island that may have come apart is searched until b2d_step_join_split, or
// b2d_step_finish, beside what follows.
void b2d_step_collide(b2d_world* world, b2d_step_run* run);
void b2d_step_join_split(b2d_world* world, b2d_step_run* run);
// run->solver.added_contacts may be set before it, with its rows
void b2d_step_prepare(b2d_world* world, b2d_step_run* run);
void b2d_step_substeps(b2d_world* world, b2d_step_run* run, int32_t from, int32_t to); // halves: b2d_solver_substeps
void b2d_step_finish(b2d_world* world, b2d_step_run* run); // moves the bodies, and all other events
