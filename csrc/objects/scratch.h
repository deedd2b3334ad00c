// csrc/objects/scratch.h - what a call on a world needs only while it runs: an arena, and the lists and bits of each
// worker.
//
// Idea: scratch belongs to workers, not to worlds, so that many small worlds share one that stays in the cache. A call
// leases it and gives it back before it ends. A scheduler of several workers keeps the scratch of its workers; for a
// single worker it comes from a pool that the calling thread keeps. This pool is the one exception to the rule that
// there is no global state. It is freed with the thread. It has no lock, and after fork() the child has a copy of its
// own. A world that is stepped in a callback of another one takes a further scratch from the pool. A world keeps a
// scratch that has become large.
// Between two calls all bits are zero and all lists are empty, so no result depends on which scratch a call gets.
// Threads: a scratch is used by one world at a time. The pool of a scheduler may be used by any thread.
// Proof: tests/oracle/test_scratch.py.
#pragma once
#include "objects/world.h"

// A sweep hit a shape, and a callback decides whether the hit stops the body. The decisions are serial, in ascending
// order of bodies, then of fractions.
typedef struct b2d_swept_hit {
    double x, y;     // a point between the surfaces, in world coordinates
    b2d_vec2 normal; // from the other shape to the fast one, in world axes
    float fraction;
    int32_t body, shape, other;
} b2d_swept_hit;

// The data of one worker in the finalize and continuous stages.
typedef struct b2d_finalize_worker {
    b2d_bits moved;         // shapes with a new fat box
    b2d_bits awake_islands; // islands that must stay awake
    b2d_bits may_sleep;     // bodies that have been slow for the sleep time; in most steps there is none
    b2d_bits fast;          // bodies to sweep
    b2d_bits invalid;       // bodies with a non-finite state
    b2d_bits passing;       // other fast bodies at their final poses: kinematic, or without a static shape near them
    b2d_bits near;          // bodies that may have to be swept against platforms (step/platforms.h)
    b2d_bits renewed;       // bodies whose fat boxes became their old ones; of the first worker they are in the graph
    b2d_bits partners;      // of the relative sweeps; only the first worker has them
    b2d_bits split_islands; // of a packed world: islands with removed constraints and a body at rest
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
    int32_t movers;          // where there are plates: their number (step/plates.h)
    float widest, narrowest; // half widths of the movers and of the plates that are awake
    bool pushes_sleeper;     // a moving kinematic body touches a sleeping one
    bool pushes_fast;        // a force acts on a fast body
    bool sweeps_moving;      // a sweeper or a fast kinematic body exists: relative.c sweeps it against moving bodies
} b2d_finalize_worker;

struct b2d_scratch {
    struct b2d_scratch* next; // in the pool of a thread
    b2d_memory memory;        // used by serial stages
    b2d_arena arena;
    b2d_shared_records records; // of contacts that begin
    int32_t worker_count;
    b2d_memory* worker_memory;           // one for each worker, like the following
    b2d_collide_worker* collide_workers; // narrowphase/collide.h
    b2d_key_list* key_lists;             // broadphase/broadphase.h
    b2d_finalize_worker* finalize_workers;
};

// Gives the world a scratch, or keeps the one that it has. False: no memory. A world whose allocations are limited by
// a test gets one that is as limited.
bool b2d_lease_scratch(b2d_world* world);
void b2d_return_scratch(b2d_world* world); // does nothing if there is none
void b2d_free_scratch(b2d_world* world);   // also the one that the world keeps
int64_t b2d_scratch_allocations(const b2d_scratch* scratch);
int64_t b2d_scratch_bytes(const b2d_scratch* scratch);
