// csrc/include/box2dpy_lab.h - what the harnesses of `python -m benchmarks lab` call: experiments that need no world.
//
// cffi reads it after box2dpy_trace.h. A build with B2D_NO_LAB has none of it, and nothing outside csrc/lab, benchmarks
// and tests uses it.
#ifndef BOX2DPY_H_LAB
#define BOX2DPY_H_LAB
#include "box2dpy_trace.h"

// Partitions of the awake bodies of a world (islands). `digest` is a hash of the parts.
enum { B2D_LAB_SEARCH, B2D_LAB_DFS, B2D_LAB_UNION_FIND, B2D_LAB_PARALLEL_UNION_FIND, B2D_LAB_PARTITION_COUNT };
typedef struct b2d_lab_partition_result {
    double gather_ns, find_ns; // least of the passes: listing the bodies and links, labelling the parts
    uint64_t digest;
    int32_t bodies, links, parts;
} b2d_lab_partition_result;
b2d_status b2d_lab_partition(b2d_world* world, int32_t kind, int32_t passes, b2d_lab_partition_result* out);
// Depth-first search with other marks (0: bytes that are cleared, 1: stamps, 2: a bitset that is cleared) and seeds (of
// all bodies, or of the awake ones). `stamp` is the number of the search before the first.
b2d_status b2d_lab_marks(b2d_world* world, int32_t marks, bool all_seeds, uint32_t stamp, int32_t passes,
                         b2d_lab_partition_result* out);
// The lists of contacts of the parts as workers append them: time with and without the sort, and how many contacts were
// not in their sorted place before it.
b2d_status b2d_lab_link_order(b2d_world* world, int32_t passes, double* append_ns, double* sorted_ns,
                              int32_t* displaced);
// A bit array of `ids` ids of which every `stride`-th is a member (0: none): time to visit its members, and time of a
// loop over rows of 32 bytes that tests a flag in each.
b2d_status b2d_lab_scan_bits(int32_t ids, int32_t stride, int32_t passes, double* bits_ns, double* loop_ns,
                             int64_t* found);

// The last step of any world with schedule serial, islands or slots.
typedef struct b2d_lab_order {
    double plan_ms, copy_in_ms, copy_out_ms;
    int32_t tasks, contacts, lanes;
} b2d_lab_order;
void b2d_lab_last_order(b2d_lab_order* out);

#endif
