// csrc/narrowphase/internal_edge.h - contacts of terrain made of separate shapes: no bump where one goes on in the next.
//
// A terrain is any shape but a circle on a body that is terrain for the moving one (objects/terrain.c). A contact asks for the
// terrain of the same rounding that its moving shape meets besides, and only when there are any. Rounded terrain are looked
// at as their cores, met by a moving shape that is rounder by as much.
// * What a neighbour hides is no surface: an edge that it covers within the linear slop, and at a corner that it shares
//   all normals along which it goes on beyond. Such a manifold is made anew with the best open edge as reference, or is
//   left to the neighbour. (The kernels of chain segments do this themselves, since these know their neighbours.)
// * An edge that goes on straight in edges of other terrain of the same material is one with them: points are clipped at
//   the ends of all. So all these contacts have the same points, and the points do not wander over the moving shape
//   while it slides on.
// * Where rounded terrain in one line leave a groove between them, what lies on the flat part of one does not meet the
//   roundings beside it. One-way shapes are neighbours of one-way shapes only.
// Cost: nothing for contacts with one terrain; else a walk over the contacts of the moving body and some 100 ns a full
// manifold.
// Threads: reads only. Proof: tests/physics/test_internal_edges.py.
#pragma once
#include "narrowphase/collide.h"

enum { B2D_INTERNAL_EDGE_NEIGHBORS = 16 };

typedef struct b2d_outline { // convex, in any one frame; two vertices are a segment, one is a point
    b2d_vec2 v[8], n[8];
    float offset[8];
    int32_t count;
    int32_t edges; // those that collide: of a chain segment the first only
} b2d_outline;
void b2d_outline_make(const b2d_shape_hot* hot, const b2d_hull4* second, b2d_transform place, b2d_outline* out);

// A contact with the terrain at `points` (1 or 2) and the unit normal `out` of it: do the neighbours hide that part of its
// rim?
bool b2d_internal_edge_hidden(const b2d_outline* terrain, const b2d_outline* neighbors, int32_t count,
                              const b2d_vec2* points, int32_t point_count, b2d_vec2 out, float slop);
// The manifold of a contact flagged B2D_PAIR_INTERNAL_EDGES, in the frame of the body of shape_a: left, replaced or emptied.
void b2d_internal_edges_correct(const b2d_collide_context* context, int32_t contact, b2d_transform b_in_a,
                                b2d_manifold* manifold);
