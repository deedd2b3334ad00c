// csrc/lab/refine_tree.h - a binary tree of boxes whose quality is kept by bounded refinement, with the alternatives.
//
// Idea (Nordby 2015, "Blazing Fast Trees"): each frame fits the bounds to the moved leaves, then rebuilds a few small
// parts: subtrees in rotation, and from time to time the top of the tree, where the largest nodes are taken first, so
// that leaves which moved far are found. No part has more than 3 sqrt(N) pieces, so no frame is much longer than the
// others. The policies of other engines, several builders, node layouts and pair finders are options of the same tree,
// so that each can be compared. The pair search compares subtrees of up to 8 leaves as squares of boxes.
// Layout: a node is one cache line with the boxes of its two children. In depth-first order the first child of node i
// is i + 1 and the second i + (leaves of the first).
// Cost: figures in docs/lab.md. Threads: refit, refinement and the pair search are parallel; nodes and pairs do not
// depend on the number of workers. Proof: tests/c/test_refine_tree.c.
#pragma once
#include "base/memory.h"
#include "base/scheduler.h"
#include "base/vec.h"
#include "box2dpy_lab.h"

typedef struct b2d_refine_node {
    float min_x[2], min_y[2], max_x[2], max_y[2]; // boxes of the children
    int32_t child[2];                             // a node, or -1 - leaf
    int32_t leaves[2];                            // below each child
    int32_t parent;                               // 2 node + side, B2D_NONE at the root
    int32_t changed;                              // bit k: a leaf below child k changed in this frame
    int32_t flagged;                              // during refinement: a part's root, or taken apart
    float arranged;                               // the metric of the box of both children when a build made the node
} b2d_refine_node;

const b2d_refine_node* b2d_refine_tree_nodes(const b2d_refine_tree* tree);
// The last frame, from 0 on, in which a leaf was a piece of a refinement; B2D_NONE: never.
int32_t b2d_refine_tree_refined_in(const b2d_refine_tree* tree, int32_t leaf);
