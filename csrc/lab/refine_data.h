// csrc/lab/refine_data.h - what the parts of the refined tree share: its structure, boxes of nodes, and their calls.
#pragma once
#include "lab/box_run.h"
#include "lab/refine_tree.h"

enum {
    B2D_REFINE_LEVELS = 4096,  // of a walk's stack
    B2D_REFINE_JOB_LEVELS = 8, // levels of the tree whose nodes may be jobs
    B2D_REFINE_JOBS = 512,     // parts of a parallel walk, 2^(B2D_REFINE_JOB_LEVELS + 1)
    B2D_REFINE_WORKERS = 64,   // as a scheduler
    B2D_REFINE_TARGETS = 512,
    B2D_REFINE_BATCH = 8, // most leaves of a subtree that the pair search compares at once
};

typedef struct b2d_refine_item { // what a build arranges: a leaf or a whole subtree
    b2d_box box;
    int32_t child;  // as in a node
    int32_t leaves; // below it
} b2d_refine_item;

typedef struct b2d_refine_scratch { // of one worker
    b2d_refine_item *items, *other;
    uint64_t* keys;        // twice the items
    double* costs;         // one for each item
    int32_t* slots;        // nodes that a build may use, in this order
    int32_t capacities[5]; // of the arrays, in this order
    int32_t next;          // of slots
} b2d_refine_scratch;

typedef struct b2d_refine_job { // a subtree of the refit, or a pair of subtrees of the pair search
    int32_t a, b;               // b: B2D_NONE for one subtree
    int32_t first;              // of the pair search: leaves before it
    b2d_box box;
    double change, cost, growth;
    bool changed;
    int32_t height;
} b2d_refine_job;

typedef struct b2d_refine_tally { // of one worker, on a cache line of its own
    int64_t pairs, tests;
    uint64_t hash;
    double ms;
    b2d_key_list* list; // of a broad phase, else NULL
    int64_t padding[3];
} b2d_refine_tally;

struct b2d_refine_tree {
    b2d_memory own;     // of a tree outside of a world
    b2d_memory* memory; // this, or that of the caller
    b2d_refine_options options;
    b2d_scheduler* scheduler;
    const b2d_proxies* proxies;     // of a broad phase, else NULL
    int32_t* shape_of;              // by leaf, of a broad phase
    b2d_refine_node *nodes, *spare; // spare: where the layout COPY writes
    int32_t* places;                // by leaf: 2 node + side
    b2d_box* boxes;                 // by leaf
    uint8_t* moved;                 // by leaf: changed in this frame
    int32_t* refined_in;            // by leaf: the last frame in which it was a piece of a refinement
    float* columns;                 // four of boxes, for the pair search: leaves in the order of a walk
    int32_t* column_leaf;           // by place in the columns
    float* growth; // by node, with that option: how far the bounds of it and of all below grew since they were arranged
    int32_t capacities[9]; // of these nine arrays
    int32_t count;
    int32_t height;    // levels of nodes that the last full refit found
    bool restructured; // leaves came or went since the last full refit
    int64_t disorder;  // pieces that were rearranged since the nodes were last written in order
    double cost_sum;   // sum of the metrics below the root
    b2d_refine_scratch scratches[B2D_REFINE_WORKERS];
    int32_t scratch_count;
    b2d_refine_job jobs[B2D_REFINE_JOBS];
    int32_t job_count;
    int32_t* candidates;
    int32_t candidate_count, candidate_capacity;
    int32_t targets[B2D_REFINE_TARGETS], target_count;
    int32_t cursor; // leaves before the first target of the next frame
    int64_t frame;
    int32_t calm;          // frames in which no box changed and the cost did not fall further
    double calm_cost;      // sum of the metrics when it last fell
    int32_t layout_cursor; // of the layout INCREMENTAL
    int64_t refined[B2D_REFINE_WORKERS];
    b2d_refine_tally tallies[B2D_REFINE_WORKERS];
    const int32_t* ids; // of the frame under way
    int32_t id_count;
};

static inline b2d_box b2d_refine_no_box(void) { return (b2d_box){INFINITY, INFINITY, -INFINITY, -INFINITY}; }
static inline double b2d_refine_metric(const b2d_refine_tree* tree, b2d_box box) {
    const double width = (double)box.max_x - (double)box.min_x, height = (double)box.max_y - (double)box.min_y;
    return tree->options.metric == B2D_REFINE_METRIC_AREA ? width * height : width + height;
}
static inline b2d_box b2d_refine_side_box(const b2d_refine_node* n, int32_t side) {
    return (b2d_box){n->min_x[side], n->min_y[side], n->max_x[side], n->max_y[side]};
}
static inline void b2d_refine_set_side(b2d_refine_node* n, int32_t side, b2d_box box) {
    n->min_x[side] = box.min_x, n->min_y[side] = box.min_y, n->max_x[side] = box.max_x, n->max_y[side] = box.max_y;
}
static inline b2d_box b2d_refine_node_box(const b2d_refine_node* n) {
    return b2d_box_union(b2d_refine_side_box(n, 0), b2d_refine_side_box(n, 1));
}
static inline int32_t b2d_refine_node_leaves(const b2d_refine_node* n) { return n->leaves[0] + n->leaves[1]; }

static inline bool b2d_refine_in_batches(const b2d_refine_tree* tree) { // the pair search of each frame
    return tree->options.simd != 0 && tree->options.pairs == B2D_REFINE_PAIRS_SELF;
}

// How much more work than usual follows from a change of the cost, from 1 to 4: most where a frame worsens it by 0.5 %.
static inline double b2d_refine_effort(const b2d_refine_tree* tree, double change) {
    return 1.0 + 3.0 * b2d_min(1.0f, (float)(200.0 * fabs(change) / (tree->cost_sum + 1.0e-30)));
}

static inline void b2d_refine_set_parent(b2d_refine_tree* tree, int32_t child, int32_t parent) {
    if (child < 0) tree->places[-1 - child] = parent;
    else tree->nodes[child].parent = parent;
}

// Sums of it do not depend on the order of the pairs.
static inline uint64_t b2d_refine_pair_hash(int32_t a, int32_t b) {
    const uint64_t low = (uint64_t)b2d_min_int(a, b), high = (uint64_t)b2d_max_int(a, b);
    uint64_t key = (low << 32 | high) * 0x9e3779b97f4a7c15ull;
    key ^= key >> 29;
    return key * 0xbf58476d1ce4e5b9ull;
}

// refine_tree.c
double b2d_thread_milliseconds(void);
bool b2d_refine_make_room(b2d_refine_tree* tree, int32_t count); // of all arrays, also for the workers
void b2d_refine_build(b2d_refine_tree* tree, int32_t count);     // anew from the first `count` rows of `boxes`
void b2d_refine_free(b2d_refine_tree* tree);                     // all but the structure itself
// A frame without its pairs: `boxes` and `moved` of the leaves in `ids` are already those of the frame.
void b2d_refine_update(b2d_refine_tree* tree, const int32_t* ids, int32_t count, b2d_refine_frame* out);

// refine_build.c
bool b2d_refine_reserve(b2d_refine_tree* tree, b2d_refine_scratch* scratch, int32_t count);
void b2d_refine_fill_side(b2d_refine_tree* tree, int32_t node, int32_t side, const b2d_refine_item* item);
// Arranges items in a tree whose nodes are the scratch's slots, in their order; returns what its parent has to know.
b2d_refine_item b2d_refine_arrange(b2d_refine_tree* tree, b2d_refine_scratch* scratch, b2d_refine_item* items,
                                   int32_t count, int32_t kind);
int32_t b2d_refine_insert_leaf(b2d_refine_tree* tree, int32_t leaf, int32_t node); // returns its depth
// Of at least three leaves; the last node and the last leaf take the places that become free.
void b2d_refine_remove_leaf(b2d_refine_tree* tree, int32_t leaf);

// refine_fit.c. Both refits return the change of the sum of metrics; the second fits only what is above changed leaves.
double b2d_refine_refit_all(b2d_refine_tree* tree);
double b2d_refine_refit_some(b2d_refine_tree* tree);
void b2d_refine_clear_flags(b2d_refine_tree* tree, int32_t n);
void b2d_refine_improve_layout(b2d_refine_tree* tree, double change);
void b2d_refine_order_parts(b2d_refine_tree* tree); // of the last refinement
double b2d_refine_cache_quality(const b2d_refine_tree* tree);

// refine_policies.c
int32_t b2d_refine_most_pieces(const b2d_refine_tree* tree); // of one refinement
void b2d_refine_parts(b2d_refine_tree* tree, double change, b2d_refine_frame* out);
void b2d_refine_rebuild_above_threshold(b2d_refine_tree* tree, int32_t node);
void b2d_refine_rebuild_changed(b2d_refine_tree* tree);

// refine_pairs.c
void b2d_refine_find_pairs(b2d_refine_tree* tree, b2d_refine_frame* out);
// Of changed leaves, for a broad phase; so many were marked.
void b2d_refine_find_new_pairs(b2d_refine_tree* tree, int32_t changed, b2d_key_list* lists);
