// csrc/broadphase/tree.h - an incremental binary tree of boxes: branch-and-bound insertion and rotations.
//
// Idea: siblings are adjacent in one cache line (a pair at an even index, the root alone at 0), so a traversal reads
// one line for each inner node it visits, a removal moves the sibling into its parent, and no sibling link is needed.
// Leaves are found by shape id. A build needs no memory of its own: the items it sorts are at the end of the array that
// its nodes fill from the start.
// Metric: half the perimeter (the area of a flat box would be zero).
// Cost: insertion about 0.5 us, removal 0.1 us, a bulk build 0.15 us for each leaf. The height never exceeds
// B2D_TREE_HEIGHT, so traversals use a fixed stack. Threads: any number of readers or one writer. Proof:
// tests/c/test_broadphase.c.
#pragma once
#include "broadphase/proxies.h"

enum { B2D_TREE_HEIGHT = 200 }; // levels; a tree that would grow higher is rebuilt

typedef struct b2d_tree_node {
    b2d_box box;    // union of the boxes of the children, or the box of the leaf
    int32_t parent; // B2D_NONE at the root; in the first node of a free pair the next free pair
    int32_t child;  // first of the pair of children, B2D_NONE in a leaf
    int32_t shape;  // B2D_NONE in an inner node
    int32_t height; // 0 in a leaf
} b2d_tree_node;    // 32 bytes: a pair is a cache line

typedef struct __attribute__((may_alias)) b2d_tree_item { // what a build sorts; stored in the memory of the nodes
    b2d_box box;
    int32_t shape;
} b2d_tree_item;

typedef struct b2d_tree {
    b2d_tree_node* nodes; // [0] the root, [1] unused, then pairs
    int32_t node_capacity;
    int32_t used;      // nodes ever taken; pairs above were never used
    int32_t free_pair; // list of returned pairs, or B2D_NONE
    int32_t leaf_count;
    int32_t refits;   // leaves that were changed in place since the last build
    int32_t* node_of; // by shape id: node index plus one, 0 = not in the tree
    int32_t id_capacity;
} b2d_tree;

void b2d_tree_init(b2d_tree* tree);
void b2d_tree_free(b2d_memory* memory, b2d_tree* tree);
// Room for `leaves` leaves with shape ids below `ids`, and for builds of as many: the functions below then cannot fail.
bool b2d_tree_reserve(b2d_memory* memory, b2d_tree* tree, int32_t leaves, int32_t ids);
void b2d_tree_clear(b2d_tree* tree);

void b2d_tree_insert(b2d_tree* tree, int32_t shape, b2d_box box);
void b2d_tree_remove(b2d_tree* tree, int32_t shape);
void b2d_tree_move(b2d_tree* tree, int32_t shape,
                   b2d_box box); // in place if the boxes overlap, else removal and insertion
// Inserts the items, which are reordered, as leaves, in clumps: each becomes a subtree that is inserted as a whole.
void b2d_tree_insert_items(b2d_tree* tree, b2d_tree_item* items, int32_t count);
void b2d_tree_rebuild(b2d_tree* tree); // from its own leaves
// Brings the tree up to date with the columns for `count` different shapes in ascending order: shape s is to be a leaf
// with its fat box when bit column[s] of `wanted` is set. Few changes are made one by one, many together, and most by a
// new build.
bool b2d_tree_sync(b2d_memory* memory, b2d_tree* tree, const b2d_proxies* proxies, const int32_t* ids, int32_t count,
                   const uint8_t* column, uint32_t wanted);
double b2d_tree_cost(
    const b2d_tree* tree); // sum of the half perimeters of the inner nodes, divided by that of the root
const char* b2d_tree_validate(const b2d_tree* tree);

void b2d_tree_inner_boxes(const b2d_tree* tree, b2d_box_fn* found, void* context); // level: height of the node

static inline bool b2d_tree_has(const b2d_tree* tree, int32_t shape) {
    return shape < tree->id_capacity && tree->node_of[shape] != 0;
}
static inline b2d_box b2d_tree_box(const b2d_tree* tree, int32_t shape) {
    return tree->nodes[tree->node_of[shape] - 1].box;
}

// Usage: b2d_tree_walk walk; b2d_tree_walk_start(&tree, &walk, box);
//        for (int32_t shape; (shape = b2d_tree_walk_next(&tree, &walk, box)) != B2D_NONE;) ...
typedef struct b2d_tree_walk {
    int32_t count;
    int32_t stack[B2D_TREE_HEIGHT + 2];
} b2d_tree_walk;

static inline void b2d_tree_walk_start(const b2d_tree* tree, b2d_tree_walk* walk, b2d_box box) {
    walk->count = 0;
    if (tree->leaf_count > 0 && b2d_box_overlaps(tree->nodes[0].box, box)) walk->stack[walk->count++] = 0;
}
static inline int32_t b2d_tree_walk_next(const b2d_tree* tree, b2d_tree_walk* walk, b2d_box box) {
    const b2d_tree_node* nodes = tree->nodes;
    const b2d_corners wanted = b2d_wanted_corners(box);
    while (walk->count > 0) {
        int32_t n = walk->stack[--walk->count];
        while (nodes[n].child != B2D_NONE) {
            int32_t c = nodes[n].child;
            bool first = b2d_box_meets(&nodes[c].box, wanted), second = b2d_box_meets(&nodes[c + 1].box, wanted);
            walk->stack[walk->count] = c + 1;
            walk->count += first & second;
            n = first ? c : c + 1;
            if (!first && !second) break;
            if (nodes[n].child == B2D_NONE) return nodes[n].shape;
        }
        if (nodes[n].child == B2D_NONE && b2d_box_meets(&nodes[n].box, wanted)) return nodes[n].shape;
    }
    return B2D_NONE;
}
// Calls `found` for every leaf whose box the ray hits, nearer branches first; false when the callback ended the search.
bool b2d_tree_ray(const b2d_tree* tree, const b2d_ray* ray, const float* max_fraction, b2d_query_fn* found,
                  void* context);
