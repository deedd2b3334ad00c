// csrc/step/platforms.h - which bodies are swept against kinematic bodies that are not fast themselves.
#pragma once
#include "objects/scratch.h"

typedef struct b2d_platform { // a kinematic body in this step
    b2d_pose start;
    double x, y; // its centre of mass at the beginning
    float dx, dy, angle, extent, travel;
    float inner; // nothing of it is nearer to the centre
    float slack; // how far it moves, and a slop
    b2d_rot turn;
    int32_t body;
} b2d_platform;

typedef struct b2d_platforms {
    b2d_platform* rows; // by body; those that are awake and not fast
    int32_t count;
    float travel, turn; // the greatest of them
    bool sleeps;        // one is asleep: it is swept against as a static body
} b2d_platforms;

typedef struct b2d_platform_pairs {
    const uint64_t* keys; // a shape of a dynamic body << 32 | one of a platform, ascending
    int32_t count;
} b2d_platform_pairs;

// Before any body of the step has its final pose. False: no memory.
bool b2d_list_platforms(b2d_world* world, b2d_platforms* out);
// The pairs of shapes that may meet, of the bodies in the set `near` of the first worker and of bodies that sleep.
// False: no memory.
bool b2d_list_platform_pairs(b2d_world* world, const b2d_platforms* platforms, b2d_platform_pairs* out);
