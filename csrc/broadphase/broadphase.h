// csrc/broadphase/broadphase.h - the interface of the broad phases, which find the pairs of overlapping fat boxes.
//
// The world chooses a table when it is created. It owns the boxes (one column for each coordinate, by shape id) and the
// class of every shape; a broad phase owns only its search structure. Every broad phase finds exactly the same pairs,
// and answers every query with exactly the shapes whose fat box overlaps the region (touching counts), each once;
// callers sort by id, so that no result depends on the broad phase.
#pragma once
#include "base/bits.h"
#include "base/scheduler.h"
#include "base/vec.h"

enum {
    B2D_PROXY_NONE,   // no shape, or not in the broad phase (disabled body)
    B2D_PROXY_STATIC, // shape of a static body
    B2D_PROXY_ASLEEP, // shape of a sleeping dynamic or kinematic body
    B2D_PROXY_MOVING, // shape of an awake dynamic or kinematic body
};

// Columns by shape id, owned by the world; capacity rows each, 64-byte aligned.
typedef struct b2d_proxies {
    float *fat_min_x, *fat_min_y, *fat_max_x, *fat_max_y; // fat boxes now
    float *old_min_x, *old_min_y, *old_max_x, *old_max_y; // fat boxes of the last pair stage; empty = min > max
    uint8_t* proxy_class;                                 // B2D_PROXY_*
    int32_t* body;                                        // body id: shapes of one body are no pair
    // Fat box changed since the last pair stage, or old box emptied so that all its pairs are found again; any class
    b2d_bits moved;
    // Fat box changed by a parallel stage since the last update; serial stages call `change` instead
    b2d_bits dirty;
    int32_t capacity;
    int32_t limit;       // one more than the highest shape id in use
    int32_t cell_shapes; // of each cell of a packed world (broadphase/cell_pairs.h); 0 in an ordinary one
} b2d_proxies;

// A worker's list of pair keys (b2d_pair_key), in any order, without duplicates over all workers. A long list that is
// full loses the keys that `keep` refuses before it grows, so that pairs which never collide need no memory.
typedef struct b2d_key_list {
    uint64_t* keys;
    int32_t count, capacity;
    b2d_memory* memory; // of this worker alone
    bool failed;        // no memory: the step reports it and has all pairs of the moved shapes found again
    bool (*keep)(const void* context, uint64_t key); // NULL: all; called by several workers
    const void* context;
    int32_t kept; // the first of the keys, which `keep` has seen
} b2d_key_list;

typedef bool b2d_query_fn(void* context, int32_t shape); // false ends the query

typedef void b2d_box_fn(void* context, b2d_box box, int32_t level);

enum { B2D_BOX_ROWS = 16 };
typedef struct b2d_box_rows { // boxes side by side; bit k of a mask: box k
    _Alignas(64) float min_x[B2D_BOX_ROWS];
    float min_y[B2D_BOX_ROWS], max_x[B2D_BOX_ROWS], max_y[B2D_BOX_ROWS];
} b2d_box_rows;
static inline b2d_box b2d_box_row(const b2d_box_rows* boxes, int32_t k) {
    return (b2d_box){boxes->min_x[k], boxes->min_y[k], boxes->max_x[k], boxes->max_y[k]};
}

typedef struct b2d_broadphase b2d_broadphase;
typedef struct b2d_broadphase_table {
    const char* name;
    bool (*create)(b2d_memory* memory, const b2d_proxies* proxies, int32_t simd, b2d_broadphase** out);
    void (*destroy)(b2d_memory* memory, b2d_broadphase* broadphase);
    // A serial stage changed the class or box of shapes (creation, destruction, waking, falling asleep, teleport).
    // Called when the columns hold the new state; `before` is the previous class of all of them. Must be cheap: it may
    // store the ids and do the work in `update`.
    bool (*change)(b2d_memory* memory, b2d_broadphase* broadphase, const int32_t* shapes, int32_t count,
                   int32_t before);
    // Brings the structure up to date with the columns: queries and pairs then use the present boxes. Parallel inside.
    // When it succeeds, the caller clears `dirty`.
    bool (*update)(b2d_memory* memory, b2d_broadphase* broadphase, b2d_scheduler* scheduler);
    // All pairs {i, j}, at least one of them in `moved`, of different bodies, neither NONE, not both STATIC, whose fat
    // boxes overlap now while their old boxes did not. Each pair once, spread over the workers' lists. The caller then
    // copies the fat boxes of the moved shapes to their old boxes and clears `moved`; it removes pairs that must not
    // collide (two kinematic bodies, joints, the user's filters).
    bool (*pairs)(b2d_memory* memory, b2d_broadphase* broadphase, b2d_scheduler* scheduler, b2d_key_list* lists);
    // Every shape of a class in `classes` (bit 1 << B2D_PROXY_*) whose fat box overlaps the box, each once, in any
    // order.
    void (*query)(const b2d_broadphase* broadphase, b2d_box box, uint32_t classes, b2d_query_fn* found, void* context);
    // Of the boxes asked for, those that overlap the fat box of a static shape. NULL: callers must use `query`.
    uint32_t (*meets_static)(const b2d_broadphase* broadphase, const b2d_box_rows* boxes, uint32_t asked);
    // Every shape whose fat box, grown by `radius`, meets the segment p + t d for t in [0, *max_fraction], where the
    // callback may lower *max_fraction (pruning keeps equal fractions). Any order.
    void (*ray)(const b2d_broadphase* broadphase, double px, double py, double dx, double dy, float radius,
                uint32_t classes, const float* max_fraction, b2d_query_fn* found, void* context);
    // Every box of the search structure, for drawing: `level` 0 is a box around shapes, a higher one a box around
    // boxes. NULL: not available.
    void (*boxes)(const b2d_broadphase* broadphase, b2d_box_fn* found, void* context);
    const char* (*validate)(const b2d_broadphase* broadphase); // NULL, or a sentence about the broken invariant
} b2d_broadphase_table;

// brute: all pairs, the reference. tree: an incremental binary tree, one query for each moved shape. grid, the default:
// a uniform grid, rebuilt when many shapes move, and trees for shapes that do not move or are large.
#define B2D_BROADPHASE(NAME, name) extern const b2d_broadphase_table b2d_broadphase_##name;
#include "lists/broadphases.def"
#undef B2D_BROADPHASE
