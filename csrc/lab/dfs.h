// csrc/lab/dfs.h - depth-first search over the adjacency lists, with the marks and seeds that document 000 compares.
#pragma once
#include "graph/partition.h"

enum { B2D_MARKS_CLEAR, B2D_MARKS_STAMP, B2D_MARKS_BITSET, B2D_MARKS_COUNT };

typedef struct b2d_marks { // of bodies, by id
    int32_t kind;          // B2D_MARKS_*
    int32_t limit;         // of the ids
    // By kind: a byte that is cleared in each search, the number of the search, a bit that is cleared in each search
    uint8_t* flags;
    uint32_t* stamps;
    uint64_t* words;
    uint32_t stamp; // of the last search; 0 is no search
} b2d_marks;

void b2d_marks_start(b2d_marks* marks); // no body is marked
// As b2d_partition_fn, with marks of their own. `seeds` are the bodies that the search may start from, and the others
// are skipped: those of the partition, or all bodies of the world.
int32_t b2d_partition_by_marks(const b2d_partition* p, b2d_marks* marks, const int32_t* seeds, int32_t seed_count);
