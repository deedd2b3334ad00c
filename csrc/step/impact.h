// csrc/step/impact.h - the time of impact of a swept shape with another shape, for the continuous stage.
#pragma once
#include "geometry/gjk.h"
#include "objects/world.h"

// A swept shape of a fast body: everything that does not depend on the other shape, relative to the start pose of the
// body.
typedef struct b2d_traveller {
    const b2d_sweep* sweep;
    b2d_proxy core;               // in body coordinates
    b2d_transform begin, end;     // of the body
    b2d_vec2 from[8], to[8];      // the points of the core at both ends of the motion
    b2d_vec2 center, center_from; // its centroid, in body coordinates and at the beginning
    b2d_point64 points[8], first,
        last;   // as b2d_time_of_impact computes them at the beginning; the centroid at both ends
    float bend; // greatest distance of the path of the centroid from its chord
    int32_t shape;
    bool pressed; // a wall that touches it carries it
} b2d_traveller;

void b2d_traveller_make(const b2d_world* world, int32_t shape, const b2d_sweep* sweep, b2d_transform begin,
                        b2d_transform end, b2d_traveller* t);

// The simultaneous motion of the body of the other shape, relative to the same origin.
typedef struct b2d_way {
    b2d_sweep sweep;
    b2d_transform begin, end;
} b2d_way;
b2d_way b2d_way_of_still(const b2d_pose* pose, const b2d_pose* origin);
b2d_way b2d_way_of(const b2d_pose* pose, const b2d_pose* origin, float dx, float dy, float angle);

// The fraction at which the two shapes meet, and the time of impact; `limit` if they do not meet before it. The state
// is B2D_TOI_OVERLAPPED if the shapes are in contact from the start and the centroid would enter the other shape.
float b2d_impact(b2d_world* world, const b2d_traveller* fast, int32_t other, const b2d_way* way, float limit,
                 b2d_toi* found);
