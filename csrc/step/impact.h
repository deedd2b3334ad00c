// csrc/step/impact.h - the time of impact of a shape on its way with another one, as the continuous stage needs it.
#pragma once
#include "geometry/gjk.h"
#include "objects/world.h"

// A shape of a fast body on its way: all that does not depend on what it may hit, relative to the body's start.
typedef struct b2d_traveller {
    const b2d_sweep* sweep;
    b2d_proxy core;                     // body coordinates
    b2d_transform begin, end;           // of the body
    b2d_vec2 from[8], to[8];            // the core's points at both ends of the way
    b2d_vec2 center, center_from;       // its centroid, body coordinates and at the beginning
    b2d_point64 points[8], first, last; // at the beginning, as the time of impact sees it; the centroid at both ends
    float bend;                         // how far the centroid's way may be from a straight line
    int32_t shape;
} b2d_traveller;

void b2d_traveller_make(const b2d_world* world, int32_t shape, const b2d_sweep* sweep, b2d_transform begin,
                        b2d_transform end, b2d_traveller* t);

// The motion of the body of another shape meanwhile, relative to the same origin.
typedef struct b2d_way {
    b2d_sweep sweep;
    b2d_transform begin, end;
} b2d_way;
b2d_way b2d_way_of_still(const b2d_pose* pose, const b2d_pose* origin);
b2d_way b2d_way_of(const b2d_pose* pose, const b2d_pose* origin, float dx, float dy, float angle);

// The fraction at which they meet, with what was found; `limit` if they do not meet before.
float b2d_impact(b2d_world* world, const b2d_traveller* fast, int32_t other, const b2d_way* way, float limit,
                 b2d_toi* found);
