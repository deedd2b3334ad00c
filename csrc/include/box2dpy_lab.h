// csrc/include/box2dpy_lab.h - what the harnesses of `python -m benchmarks lab` call: experiments that need no world.
//
// cffi reads it after box2dpy_trace.h. A build with B2D_NO_LAB has none of it, and nothing outside csrc/lab, benchmarks
// and tests uses it.
#ifndef BOX2DPY_H_LAB
#define BOX2DPY_H_LAB
#include "box2dpy_trace.h"

// ---- broad phases without a world: the caller moves the boxes

typedef struct b2d_lab_pairs b2d_lab_pairs;

enum { B2D_LAB_GRID_HASHED, B2D_LAB_GRID_WRAPPED, B2D_LAB_GRID_FIXED };

typedef struct b2d_lab_pairs_options {
    int32_t broadphase; // B2D_BROADPHASE_*, not AUTO
    int32_t simd;       // B2D_SIMD_*, -1 for the best
    int32_t workers;
    // Of sap and multi_sap only, see csrc/lab/sap_broadphase.h; 0 are the values of a world.
    int32_t grid, one_by_one, always_search, by_coordinates, queues;
    float cells;
} b2d_lab_pairs_options;

typedef struct b2d_lab_pairs_step {
    double update_ms, pairs_ms;
    int64_t pairs;      // new ones
    uint64_t pair_hash; // of any order
    int64_t bytes;      // of the structure
    // Of sap and multi_sap, since they were created; 0 for the others.
    int64_t swaps, endpoint_moves, apparent_removals, real_removals, tests;
    int64_t cell_entries, live_pairs;
    double serial_ms;  // of the updates that is not parallel
    double merging_ms; // of that: merging the pairs of the cells
} b2d_lab_pairs_step;

b2d_status b2d_lab_pairs_create(const b2d_lab_pairs_options* options, int32_t shapes, b2d_lab_pairs** out);
void b2d_lab_pairs_destroy(b2d_lab_pairs* pairs);
enum {                     // what happens to shapes
    B2D_LAB_MOVE,          // a step gave them new boxes
    B2D_LAB_CREATE_MOVING, // also with the id of a destroyed shape
    B2D_LAB_CREATE_STATIC,
    B2D_LAB_DESTROY,
    B2D_LAB_SLEEP, // where they are
};
// Boxes are rows of four numbers, in the order of the ids; the last two kinds read none.
b2d_status b2d_lab_pairs_move(b2d_lab_pairs* pairs, const int32_t* ids, const float* boxes, int32_t count,
                              int32_t kind);
void b2d_lab_pairs_set_one_by_one(b2d_lab_pairs* pairs, int32_t one_by_one); // from the next step on
b2d_status b2d_lab_pairs_run(b2d_lab_pairs* pairs, b2d_lab_pairs_step* out); // update, pairs, and takes them over
// Ways to keep pairs.
enum { B2D_LAB_PAIR_MANAGER, B2D_LAB_PAIR_MATRIX, B2D_LAB_PAIR_LISTS, B2D_LAB_PAIR_MAP };
// Adds, finds, walks and removes the same pairs of shapes below `ids`, with memory from a first round that is not
// measured. Milliseconds of the four. `bytes` is what the structure held at most, `longest` what its slowest look-up
// read (slots, links, nodes).
b2d_status b2d_lab_pair_sets(int32_t kind, const uint64_t* keys, int32_t count, int32_t ids, double ms[4],
                             int64_t* bytes, int32_t* longest);
// Boxes in the cells of a grid that they touch; box pruning finds the pairs of each cell. `owner`: a pair of several
// cells is reported by one of them, else it is looked up in a hash table. `found`: overlaps in all cells.
b2d_status b2d_lab_cell_pairs(bool owner, const float* boxes, int32_t count, float cell, double* ms, int64_t* pairs,
                              int64_t* found);
// The pairs of boxes by a hash grid: each box in the lists of the cells that it touches, each list behind its hash.
b2d_status b2d_lab_hash_grid(const float* boxes, int32_t count, float cell, double* ms, int64_t* pairs);
// The pairs of boxes of which at least one is among the last `fresh`: by box pruning along an axis at `angle` to the x
// axis, or by a list of the intervals that are open while all ends are walked.
typedef struct b2d_lab_sweep_result {
    double ms;
    int64_t pairs, tests;
    uint64_t hash; // of the pairs, in any order
} b2d_lab_sweep_result;
b2d_status b2d_lab_sweep(bool open_intervals, const float* boxes, int32_t count, int32_t fresh, float angle,
                         b2d_lab_sweep_result* out);
// A row of cells, a sweep-and-prune each, in which `count` boxes of 1 m move on a ground as long as the row. The ground
// is in all cells, or in a tree that each mover queries. `entries`: boxes in cells; `pairs`: with the ground, at the
// end.
b2d_status b2d_lab_ground(bool in_cells, int32_t count, float cell, int32_t steps, double* ms, int64_t* bytes,
                          int64_t* entries, int64_t* pairs);
// Moves intervals for some steps and keeps their end points sorted: 0 an array with integer keys, 1 an array of floats
// and indices, 2 a linked list with integer keys, 3 as 0, but with tests of the bounds instead of sentinels; 4 as 0,
// and 5 a linked list of the paper's nodes, with owner and kind, both with a test of the two boxes where ends of
// different kinds pass. Intervals are rows of lower end, upper end and movement in a step.
b2d_status b2d_lab_axis(int32_t kind, const float* intervals, int32_t count, int32_t steps, double* ms, int64_t* swaps);

// Pairs of boxes, [0] each with its separating axes and then its manifold, [1] first the axes of all. Columns: half
// width and height of box a, of box b, the centre of b in the frame of a, cosine and sine of its angle. The digest is a
// sum over all points.
b2d_status b2d_lab_staged_sat(const float* columns, int32_t count, int32_t passes, double ms[2], double digest[2],
                              int32_t touching[2]);

// ---- refined trees (csrc/lab/refine_tree.h)

typedef struct b2d_refine_tree b2d_refine_tree;

enum { // builders; all but the first are refiners too
    B2D_REFINE_INSERT,
    B2D_REFINE_MEDIAN,
    B2D_REFINE_SWEEP,
    B2D_REFINE_BINNED,
    B2D_REFINE_MORTON,
    B2D_REFINE_AGGLOMERATIVE,
    B2D_REFINE_TREELETS // binned, then each treelet of up to 7 pieces in its best form
};
enum { B2D_REFINE_POLICY_REFINE, B2D_REFINE_POLICY_THRESHOLD, B2D_REFINE_POLICY_REBUILD, B2D_REFINE_POLICY_NONE };
// PARTS puts the nodes of each refined subtree in order, INCREMENTAL some nodes in rotation.
enum { B2D_REFINE_LAYOUT_COPY, B2D_REFINE_LAYOUT_INCREMENTAL, B2D_REFINE_LAYOUT_PARTS, B2D_REFINE_LAYOUT_NONE };
enum { B2D_REFINE_PAIRS_SELF, B2D_REFINE_PAIRS_CHANGED, B2D_REFINE_PAIRS_QUERY };
enum { B2D_REFINE_METRIC_PERIMETER, B2D_REFINE_METRIC_AREA };

typedef struct b2d_refine_options {
    int32_t build, policy, refiner, layout, pairs, metric;
    int32_t simd;   // 1: the pair search compares both children of two nodes at once, SELF also up to 8 by 8 leaves
    int32_t root;   // 0: the top of the tree is never refined
    int32_t growth; // 1: the top is taken apart where bounds grew since they were arranged, 0: where they are largest
    int32_t workers;
} b2d_refine_options;

typedef struct b2d_refine_frame {
    double refit_ms, refine_ms, layout_ms, pairs_ms;
    double cost;          // sum of the metrics of all nodes but the root and of all leaves, divided by that of the root
    double carried_cost;  // the same from the sum that refits and refinements carry along; not with POLICY_REBUILD
    double cost_change;   // by the refit, in metrics of the root before it
    double cache_quality; // share of child nodes that are where depth-first order puts them
    double balance;       // greatest share of the pair search of a worker, times the workers
    int64_t refined_leaves, refine_bound; // pieces that were rearranged, and how many there may be at most
    int64_t pairs;
    uint64_t pair_hash; // sum over the pairs, of any order
    int64_t tests;      // comparisons of boxes by the pair search
} b2d_refine_frame;

// Boxes are rows of four numbers: lower x and y, upper x and y.
b2d_status b2d_refine_tree_create(const b2d_refine_options* options, b2d_refine_tree** out);
void b2d_refine_tree_destroy(b2d_refine_tree* tree);
b2d_status b2d_refine_tree_load(b2d_refine_tree* tree, const float* boxes, int32_t count); // at least 2
// Takes over the boxes of the leaves in `ids`, which are different, and finds pairs: all, or with `pairs` CHANGED and
// QUERY those with a leaf in `ids`.
b2d_status b2d_refine_tree_frame(b2d_refine_tree* tree, const float* boxes, const int32_t* ids, int32_t count,
                                 b2d_refine_frame* out);
double b2d_refine_tree_cost(const b2d_refine_tree* tree);
uint64_t b2d_refine_tree_hash(const b2d_refine_tree* tree);        // of all nodes, bit by bit
const char* b2d_refine_tree_validate(const b2d_refine_tree* tree); // NULL, or what is wrong

// A tree of objects with virtual functions (csrc/lab/object_tree.c). `ms`: update and self test of a frame.
typedef struct b2d_object_tree b2d_object_tree;
b2d_status b2d_object_tree_create(const float* boxes, int32_t count, b2d_object_tree** out);
void b2d_object_tree_destroy(b2d_object_tree* tree);
void b2d_object_tree_frame(b2d_object_tree* tree, const float* boxes, double ms[2], int64_t* pairs, uint64_t* hash);

// Partitions of the awake bodies of a world (islands). `digest` is a hash of the parts.
enum { B2D_LAB_SEARCH, B2D_LAB_DFS, B2D_LAB_UNION_FIND, B2D_LAB_PARALLEL_UNION_FIND, B2D_LAB_PARTITION_COUNT };
typedef struct b2d_lab_partition_result {
    double gather_ns, find_ns; // least of the passes: listing the bodies and links, labelling the parts
    uint64_t digest;
    int32_t bodies, links, parts;
} b2d_lab_partition_result;
b2d_status b2d_lab_partition(b2d_world* world, int32_t kind, int32_t passes, b2d_lab_partition_result* out);
// Depth-first search with other marks (0: bytes that are cleared, 1: stamps, 2: a bitset that is cleared; 3, 4: cleared
// marks and stamps in the bodies and contacts themselves) and seeds (of all bodies, or of the awake ones). `stamp` is
// the number of the search before the first.
b2d_status b2d_lab_marks(b2d_world* world, int32_t marks, bool all_seeds, uint32_t stamp, int32_t passes,
                         b2d_lab_partition_result* out);
// The lists of contacts of the parts as workers append them: time with and without the sort, and how many contacts were
// not in their sorted place before it.
b2d_status b2d_lab_link_order(b2d_world* world, int32_t passes, double* append_ns, double* sorted_ns,
                              int32_t* displaced);
// The narrow phase of the bodies in `seeds` and of all that they wake, which unites the sets of bodies that touch while
// it runs: in rounds, each with the bodies that the one before woke. `root`: by body id the lowest body of its set, -1
// for bodies that stay asleep. The world does not change.
typedef struct b2d_lab_waking {
    double ms; // least of the passes
    int32_t rounds, woken;
    int64_t pairs; // that were collided
} b2d_lab_waking;
b2d_status b2d_lab_wake_by_links(b2d_world* world, const int32_t* seeds, int32_t count, int32_t passes, int32_t* root,
                                 b2d_lab_waking* out);
// Islands as linked lists through their bodies and contacts, as document 000 has them, or as arrays with the place of
// each member in it. `count` islands of two bodies and a link become one in a chain of links; all links are removed and
// added again; with every `cut`-th link removed it is split. Milliseconds: [0] merging, [1] removing and adding, [2]
// splitting, [3] reading all members. `parts`: islands after the split.
b2d_status b2d_lab_island_storage(bool lists, int32_t count, int32_t cut, double ms[4], int32_t* parts);
// A bit array of `ids` ids of which every `stride`-th is a member (0: none): time to visit its members, and time of a
// loop over rows of 32 bytes that tests a flag in each.
b2d_status b2d_lab_scan_bits(int32_t ids, int32_t stride, int32_t passes, double* bits_ns, double* loop_ns,
                             int64_t* found);

// The last step of a world with schedule serial, islands or slots that this thread has called.
typedef struct b2d_lab_order {
    double plan_ms, copy_in_ms, copy_out_ms;
    int32_t tasks, contacts, lanes;
} b2d_lab_order;
void b2d_lab_last_order(b2d_lab_order* out);

#endif
