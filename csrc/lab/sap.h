// csrc/lab/sap.h - sweep-and-prune: the end points of boxes, sorted on both axes and kept sorted while boxes move.
//
// Idea (Terdiman 2007): an end point is one integer, key << 32 | is_max << 31 | handle, where the key orders like the
// coordinate. One comparison orders them; of equal coordinates the lower ends come first, so intervals are closed, and
// the order is total, so the sorted arrays follow from the boxes alone. A moved end point changes place with its
// neighbours; a lower end that passes an upper end starts or ends an overlap on this axis. The overlap on the other
// axis is tested with the positions of the end points, without reading coordinates. Sentinels 0 and UINT64_MAX lie
// beyond even infinite coordinates, so the loops need no bounds. Many boxes are inserted and removed in one pass over
// each array; the pairs of inserted boxes are found by box pruning, complete among the new boxes and bipartite with the
// old.
// Cost: 3-5 ns for each swap; nothing for a box at rest; insertion and removal pass over all end points once.
// Threads: one writer; different sets of boxes may be written by different workers. Proof: tests/c/test_lab_pairs.c.
#pragma once
#include "base/radix_sort.h"
#include "broadphase/proxies.h"
#include "lab/pair_manager.h"

#define B2D_SAP_MAX 0x80000000u // the flag of an upper end point

typedef struct b2d_sap_counters {
    int64_t swaps;             // of end points by moving boxes
    int64_t endpoint_moves;    // by insertions and removals
    int64_t apparent_removals; // overlaps on one axis that ended
    int64_t real_removals;     // of these the pairs that overlapped on the other axis too
    int64_t tests;             // overlap tests on the other axis
} b2d_sap_counters;

typedef struct b2d_sap {
    uint64_t* ends[2];   // [0] and [2 count + 1] are sentinels
    int32_t* at[2];      // position of an end point, by 2 handle + is_max
    int32_t* shapes;     // by handle; of a free handle -2 - the next free one
    void* block;         // memory of all of these
    size_t granted;      // bytes
    int32_t count;       // boxes
    int32_t capacity;    // handles
    int32_t used;        // handles ever taken
    int32_t free_handle; // B2D_NONE: none
    double width;        // no box was ever wider, m
} b2d_sap;

typedef struct b2d_sap_row { // a box among those ordered along x, by positions in the arrays
    int32_t min_x, max_x, min_y, max_y;
    int32_t shape;
    bool inserted;
} b2d_sap_row;

// A worker's view: where overlaps that start and end are noted, and scratch memory. On cache lines of its own, because
// each worker counts in it all the time.
typedef struct b2d_sap_sink {
    _Alignas(64) const b2d_proxies* proxies;
    b2d_memory* memory;        // for the manager
    b2d_pair_manager* manager; // NULL: all events are listed, and the boxes decide later what they mean
    bool shared;               // the manager serves several sets: a pair is removed only when its boxes really part
    bool always_search;        // search the manager also for pairs that did not overlap on the other axis
    bool by_coordinates;       // test overlaps on the other axis with coordinates, not with positions
    uint64_t* events;
    int32_t event_count, event_capacity; // a greater count tells that events were lost
    uint64_t* keys;                      // end points to insert, and as much scratch
    int32_t* handles;                    // of the boxes to insert or remove
    b2d_sap_row* rows;
    int32_t* inserted_rows;
    int32_t key_capacity, handle_capacity, row_capacity, inserted_capacity;
    b2d_sap_counters counters;
} b2d_sap_sink;

// Scratch memory for a set of at most this many boxes, all of which may be inserted or removed.
bool b2d_sap_sink_reserve(b2d_memory* memory, b2d_sap_sink* sink, int32_t boxes);
void b2d_sap_sink_free(b2d_memory* memory, b2d_sap_sink* sink);

bool b2d_sap_reserve(b2d_memory* memory, b2d_pool* pool, b2d_sap* sap, int32_t count);
void b2d_sap_release(b2d_pool* pool, b2d_sap* sap);

// The functions below need no memory but what was reserved. The boxes are the fat boxes of the proxies.
int32_t b2d_sap_take_handle(b2d_sap* sap, int32_t shape);
void b2d_sap_move(b2d_sap* sap, b2d_sap_sink* sink, int32_t handle);
void b2d_sap_insert(b2d_sap* sap, b2d_sap_sink* sink, int32_t count); // the sink's handles
void b2d_sap_remove(b2d_sap* sap, b2d_sap_sink* sink, int32_t count); // the same; pairs are left to the caller
void b2d_sap_all_pairs(const b2d_sap* sap, b2d_sap_sink* sink);       // notes every overlap as started
// One by one, as without batches: a new box comes from beyond all others, a removed one goes there.
void b2d_sap_insert_single(b2d_sap* sap, b2d_sap_sink* sink, int32_t handle);
void b2d_sap_remove_single(b2d_sap* sap, b2d_sap_sink* sink, int32_t handle);

// The shapes whose box overlaps, or is hit; false when the callback ended the search.
bool b2d_sap_visit(const b2d_sap* sap, const b2d_proxies* p, b2d_box box, b2d_query_fn* found, void* context);
bool b2d_sap_visit_ray(const b2d_sap* sap, const b2d_proxies* p, const b2d_ray* ray, const float* max_fraction,
                       b2d_query_fn* found, void* context);
void b2d_sap_boxes(const b2d_sap* sap, const b2d_proxies* p, b2d_box_fn* found, void* context); // strips, level 1
const char* b2d_sap_validate(const b2d_sap* sap, const b2d_proxies* p);
