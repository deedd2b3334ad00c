// csrc/broadphase/broadphase.h - the seam: who is near whom. One table of functions, chosen when the world is created.
//
// The world owns the boxes (SoA columns by shape id) and the class of every shape; a broad phase owns only its search
// structure. Exactness (DESIGN.md section 7): every broad phase finds exactly the same pairs and answers every query
// with exactly the shapes whose fat box overlaps (<=), each once; callers sort by id.
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
    int32_t* body;                                        // for skipping pairs of one body
    b2d_bits moved; // fat box changed (or was reopened) since the last pair stage; any class
    b2d_bits dirty; // fat box changed by a parallel stage since the last update; serial stages call `change`
    int32_t capacity;
    int32_t limit; // one more than the highest shape id in use
} b2d_proxies;

// A worker's list of pair keys (b2d_pair_key), in any order, without duplicates over all workers.
typedef struct b2d_key_list {
    uint64_t* keys;
    int32_t count, capacity;
    b2d_memory* memory; // of this worker alone
    bool failed;        // no memory: the step reports it and reopens the moved shapes
} b2d_key_list;

typedef bool b2d_query_fn(void* context, int32_t shape); // false ends the query

typedef void b2d_box_fn(void* context, b2d_box box, int32_t level);

typedef struct b2d_broadphase b2d_broadphase;
typedef struct b2d_broadphase_table {
    const char* name;
    bool (*create)(b2d_memory* memory, const b2d_proxies* proxies, int32_t simd, b2d_broadphase** out);
    void (*destroy)(b2d_memory* memory, b2d_broadphase* broadphase);
    // A shape's class or box was changed by a serial stage (created, destroyed, woken, put to sleep, teleported).
    // Called with the proxy row already in its new state; `before` is the class it had. Must be cheap: it may only note
    // the id and act in `update`.
    bool (*change)(b2d_memory* memory, b2d_broadphase* broadphase, int32_t shape, int32_t before);
    // Brings the structure up to date with the columns: after it, queries and pairs see the boxes as they are. Parallel
    // inside. When it succeeds, the caller clears `dirty`.
    bool (*update)(b2d_memory* memory, b2d_broadphase* broadphase, b2d_scheduler* scheduler);
    // All pairs {i, j}, at least one of them in `moved`, of different bodies, neither NONE, not both STATIC, whose fat
    // boxes overlap now while their old boxes did not. Each once, spread over the workers' lists. The caller then
    // copies fat to old for the moved shapes and clears `moved`; it filters what else must not meet (kinematic pairs,
    // joints, user filters).
    bool (*pairs)(b2d_memory* memory, b2d_broadphase* broadphase, b2d_scheduler* scheduler, b2d_key_list* lists);
    // Every shape of a class in `classes` (bit 1 << B2D_PROXY_*) whose fat box overlaps the box, each once, in any
    // order.
    void (*query)(const b2d_broadphase* broadphase, b2d_box box, uint32_t classes, b2d_query_fn* found, void* context);
    // Every shape whose fat box, grown by `radius`, meets the segment p + t d for t in [0, *max_fraction], where the
    // callback may lower *max_fraction (pruning keeps equal fractions). Any order.
    void (*ray)(const b2d_broadphase* broadphase, double px, double py, double dx, double dy, float radius,
                uint32_t classes, const float* max_fraction, b2d_query_fn* found, void* context);
    // Every box of the search structure, for drawing: `level` 0 for what holds shapes, more for what holds boxes. NULL:
    // there is none.
    void (*boxes)(const b2d_broadphase* broadphase, b2d_box_fn* found, void* context);
    const char* (*validate)(const b2d_broadphase* broadphase); // NULL, or the sentence of the broken invariant
} b2d_broadphase_table;

extern const b2d_broadphase_table b2d_broadphase_brute; // all pairs, the reference
extern const b2d_broadphase_table b2d_broadphase_tree;  // incremental binary tree, one query a moved shape
// Uniform grid rebuilt each step for what moves, trees for the rest
extern const b2d_broadphase_table b2d_broadphase_grid;
