// csrc/step/motion.h - bodies reach the poses of the end of the step: what finalize and the continuous stage share.
#pragma once
#include "objects/world.h"

// How a fast body moved in this step, dynamic or kinematic: noted by finalize, cut by the continuous stage.
struct b2d_motion {
    b2d_pose start;
    float dx, dy, angle;
    int32_t body;
};

// A sweep met a shape, and a callback decides about it: serially, in the order of bodies, then of fractions.
typedef struct b2d_swept_hit {
    double x, y;     // between the surfaces, world coordinates
    b2d_vec2 normal; // from the other shape to the fast one, world axes
    float fraction;
    int32_t body, shape, other;
} b2d_swept_hit;

// Data of one worker in the finalize and continuous stages.
struct b2d_finalize_worker {
    b2d_bits moved;                                              // shapes whose fat box grew
    b2d_bits awake_islands;                                      // islands that must stay awake
    b2d_bits fast;                                               // bodies to sweep
    b2d_bits invalid;                                            // bodies with a non-finite state
    b2d_bits bullets;                                            // of the fast ones; the first worker's only
    int32_t* candidates;                                         // shapes that a sweep may hit
    int32_t candidate_count, candidate_capacity, candidate_most; // candidate_most: of any sweep so far
    b2d_swept_hit* hits;
    int32_t hit_count, hit_capacity;
    b2d_memory* memory; // of this worker alone
    bool failed;        // no memory for candidates
    float split_timer;  // sleepiest body of an island with removals
    int32_t split_island;
    bool pushes_sleeper; // a moving kinematic body touches a sleeping one
};

// Notes the motion of a fast body before it moves, for sensors.
void b2d_note_motion(b2d_world* world, int32_t row, int32_t body);
b2d_motion* b2d_world_motion(const b2d_world* world, int32_t body); // NULL: it is not fast
// Moves the centre of mass by (dx, dy) and turns the body.
void b2d_move_pose(b2d_pose* pose, b2d_body* body, float dx, float dy, float angle);
// New fat boxes for shapes that left theirs.
void b2d_refresh_boxes(b2d_world* world, int32_t body, b2d_bits* moved);
void b2d_collect_moved(b2d_world* world); // merges the moved bits of the workers into those of the proxies
// A moving kinematic body keeps awake what it touches.
void b2d_keep_touchers_awake(b2d_world* world, b2d_finalize_worker* out, int32_t body);
