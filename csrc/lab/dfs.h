// csrc/lab/dfs.h - depth-first search over the adjacency lists, with the marks and seeds that document 000 compares.
#pragma once
#include "graph/partition.h"

// The last two are as the document has them: in the bodies, and on the contacts too, so that a search goes along each
// only once.
enum {
    B2D_MARKS_CLEAR,
    B2D_MARKS_STAMP,
    B2D_MARKS_BITSET,
    B2D_MARKS_OBJECTS_CLEAR,
    B2D_MARKS_OBJECTS_STAMP,
    B2D_MARKS_COUNT
};
enum { B2D_MARKED_BODY = 32, B2D_MARKED_LINK = 16 }; // words of an object with a mark: 128 and 64 bytes

typedef struct b2d_marks { // of bodies, by id
    int32_t kind;          // B2D_MARKS_*
    int32_t limit;         // of the ids
    // By kind: a byte that is cleared in each search, the number of the search, a bit that is cleared in each search
    uint8_t* flags;
    uint32_t* stamps;
    uint64_t* words;
    uint32_t stamp;           // of the last search; 0 is no search
    uint32_t *bodies, *links; // objects with a mark in their first word
    int32_t link_limit;       // of the ids of contacts
} b2d_marks;

void b2d_marks_start(b2d_marks* marks); // no body is marked
// As b2d_partition_fn, with marks of their own. `seeds` are the bodies that the search may start from, and the others
// are skipped: those of the partition, or all bodies of the world.
int32_t b2d_partition_by_marks(const b2d_partition* p, b2d_marks* marks, const int32_t* seeds, int32_t seed_count);
