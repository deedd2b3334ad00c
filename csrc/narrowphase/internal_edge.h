// csrc/narrowphase/internal_edge.h - removes ghost collisions at the internal edges between terrain shapes.
//
// Idea: a terrain shape is any shape but a circle on a body that is terrain for the moving body (B2D_PAIR_TERRAIN).
// When the moving shape of a contact also touches other terrain shapes of the same radius, its manifold is corrected
// with them as neighbours. Rounded terrain shapes are treated as their cores, met by a moving shape whose radius is
// larger by as much.
// * What a neighbour hides is not part of the surface: an edge that it covers within the linear slop wherever the
//   moving shape is beside it, and, at a corner that both share, every normal in whose direction the neighbour
//   continues. Such a manifold is built again with the best visible edge as reference edge, or is left to the contact
//   of the neighbour. (The kernels of chain segments do this themselves, because a segment stores its neighbours.) An
//   edge that comes out of the neighbour beside the moving shape makes a concave corner with it, so both block.
// * Collinear edges of adjoining terrain shapes of the same material count as one long edge: the incident edge is
//   clipped to the ends of all of them. All these contacts then have the same points, and the points do not move over
//   the moving shape while it slides along.
// * Two rounded terrain shapes in one line leave a groove between them. A moving shape that lies on the flat part of
//   one does not collide with the roundings beside the groove. One-way shapes are neighbours of one-way shapes only.
// Cost: nothing for contacts with one terrain shape; else a walk over the contacts of the moving body and about 100 ns
// for each full manifold.
// Threads: reads only. Proof: tests/physics/test_internal_edges.py, test_corners.py.
#pragma once
#include "narrowphase/collide.h"

enum { B2D_INTERNAL_EDGE_NEIGHBORS = 16 };

// Corrects the manifold of a contact flagged B2D_PAIR_INTERNAL_EDGES, in the frame of the body of shape_a: it is kept,
// replaced or emptied.
void b2d_internal_edges_correct(const b2d_collide_context* context, int32_t contact, float reach, b2d_transform b_in_a,
                                b2d_manifold* manifold);
