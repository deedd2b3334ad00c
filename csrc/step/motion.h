// csrc/step/motion.h - moves bodies to their poses at the end of the step. The finalize and continuous stages share it.
#pragma once
#include "objects/world.h"

// The motion of a fast body in this step. Dynamic and kinematic bodies have one. The finalize stage writes it, and the
// continuous stage shortens it.
struct b2d_motion {
    b2d_pose start;
    float dx, dy, angle;
    int32_t body;
};

// A sweep hit a shape, and a callback decides whether the hit stops the body. The decisions are serial, in ascending
// order of bodies, then of fractions.
typedef struct b2d_swept_hit {
    double x, y;     // a point between the surfaces, in world coordinates
    b2d_vec2 normal; // from the other shape to the fast one, in world axes
    float fraction;
    int32_t body, shape, other;
} b2d_swept_hit;

// The data of one worker in the finalize and continuous stages.
struct b2d_finalize_worker {
    b2d_bits moved;         // shapes with a new fat box
    b2d_bits awake_islands; // islands that must stay awake
    b2d_bits fast;          // bodies to sweep
    b2d_bits invalid;       // bodies with a non-finite state
    b2d_bits passing;       // other fast bodies at their final poses: kinematic, or without a static shape near them
    b2d_bits partners;      // of the relative sweeps; only the first worker has them
    int32_t* candidates;    // shapes that a sweep may hit
    // The largest count of candidates of any sweep so far is candidate_most
    int32_t candidate_count, candidate_capacity, candidate_most;
    b2d_swept_hit* hits;
    int32_t hit_count, hit_capacity;
    b2d_memory* memory; // used by this worker only
    bool failed;        // there was no memory for candidates or hits
    float farthest;     // greatest motion of a body that is not fast
    float split_timer;  // longest sleep timer of a body in an island with removed constraints
    int32_t split_island;
    bool pushes_sleeper; // a moving kinematic body touches a sleeping one
};

bool b2d_body_meets_sensors(const b2d_world* world, int32_t body); // has a sensor or a shape with sensor events
// Records the motion of a fast body before it moves, if it meets sensors.
void b2d_record_motion(b2d_world* world, int32_t row, int32_t body);
b2d_motion* b2d_world_motion(const b2d_world* world, int32_t body); // NULL if none was recorded for the body
bool b2d_keeps_motions(const b2d_world* world); // relative sweeps may follow: states keep the motions of the step
// Moves the centre of mass by (dx, dy) and turns the body by `angle`.
void b2d_move_pose(b2d_pose* pose, b2d_body* body, float dx, float dy, float angle);
// Gives new fat boxes to shapes that have left theirs, and sets the bits of these shapes in `moved`.
void b2d_refresh_boxes(b2d_world* world, int32_t body, b2d_bits* moved);
void b2d_collect_moved(b2d_world* world); // merges the moved bits of the workers into those of the proxies
// Keeps the islands awake that a moving kinematic body touches.
void b2d_keep_touching_islands_awake(b2d_world* world, b2d_finalize_worker* out, int32_t body);
