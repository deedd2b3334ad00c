// csrc/lab/box_run.h - boxes in columns, in an order of the caller's choice: what the wide kernels of the lab compare.
//
// Idea: brute force, box pruning and Morton chunks differ only in the order of the boxes and in the runs that are
// compared, so one kernel serves them: one box against a run of boxes. Bounds of groups and blocks answer queries and
// rays exactly for any order; in the order of x they are strips, in Morton order compact chunks.
// Cost: gathering 3 ns for each box, a test 0.1-0.5 ns. Threads: serial writes, parallel reads.
// Proof: tests/c/test_broadphase.c.
#pragma once
#include "broadphase/proxies.h"

enum {
    B2D_RUN_GROUP = 16, // boxes with one common bound; the widest vector
    B2D_RUN_BLOCK = 16, // groups with one common bound
};

typedef struct b2d_box_columns {
    float *min_x, *min_y, *max_x, *max_y;
} b2d_box_columns;

// The boxes lie in the columns `count`, then at least one vector of empty boxes, because kernels load whole vectors.
typedef struct b2d_box_run {
    b2d_box_columns now, old; // old: filled by b2d_box_run_gather_old
    int32_t* ids;             // shapes
    b2d_box* group_boxes;     // bound of each group, not swapped
    b2d_box* block_boxes;     // bound of each B2D_RUN_BLOCK groups
    float* floats;            // memory of the columns
    int32_t count;
    int32_t float_capacity, id_capacity, group_capacity, block_capacity;
    bool swapped; // the columns hold y where they are named x: the order is by y
} b2d_box_run;

typedef struct b2d_run_kernels {
    int32_t lanes;
    // Reports the new pairs of boxes [first, last) of `a` with boxes [begin, end) of `b`: the boxes overlap now, the
    // old ones did not, one shape moved, and the shapes may be a pair. Where a is b, only pairs with the greater index
    // second. `sorted`: b ascends by min_x, and the search ends beyond the box's max_x.
    void (*pairs)(const b2d_proxies* p, const b2d_box_run* a, int32_t first, int32_t last, const b2d_box_run* b,
                  int32_t begin, int32_t end, bool sorted, b2d_key_list* list);
    // Indices in [begin, end) of the columns whose box overlaps; `out` has room for all. Returns how many. Reads
    // nothing beyond `end`.
    int32_t (*find)(const b2d_box_columns* boxes, b2d_box box, int32_t begin, int32_t end, int32_t* out);
    // Bit 8 i + j: box a + i overlaps box b + j, of at most 8 and 8 boxes; where a is b, only with j above i. Reads 8
    // boxes from b on.
    uint64_t (*square)(const b2d_box_columns* boxes, int32_t a, int32_t a_count, int32_t b, int32_t b_count);
} b2d_run_kernels;

const b2d_run_kernels* b2d_run_kernels_of(int32_t simd); // B2D_SIMD_*, or -1 for the best of this processor

// Makes room for `count` boxes and sets the count; `ids` is then to be filled with shapes. The old contents are lost.
bool b2d_box_run_reserve(b2d_memory* memory, b2d_box_run* run, int32_t count);
void b2d_box_run_free(b2d_memory* memory, b2d_box_run* run);
// Fills the columns, and the bounds of groups and blocks, with the fat boxes of `ids`.
void b2d_box_run_gather(b2d_box_run* run, const b2d_proxies* p, bool swapped);
void b2d_box_run_gather_old(b2d_box_run* run, const b2d_proxies* p);
// Visits the shapes of certain classes; false when the callback ended the search.
bool b2d_box_run_query(const b2d_box_run* run, const b2d_run_kernels* kernels, b2d_box box, b2d_query_fn* found,
                       void* context);
bool b2d_box_run_ray(const b2d_box_run* run, const b2d_proxies* p, const b2d_ray* ray, const float* max_fraction,
                     b2d_query_fn* found, void* context);
void b2d_box_run_boxes(const b2d_box_run* run, b2d_box_fn* found, void* context); // bounds, for drawing
