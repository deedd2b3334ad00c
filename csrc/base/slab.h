// csrc/base/slab.h - the large arrays of a large world lie in a few regions that the system may back with huge pages.
//
// Idea: with pages of 4 KB a step over several megabytes spends a fifth of its time on address translation. A slab is a
// multiple of 2 MB, aligned to 2 MB and marked for huge pages; arrays are cut out of it by best fit, so the extra
// memory is only the holes between the arrays. Small worlds use no slab.
// Cost: taking or giving back a block searches the list of free pieces, some dozens. Threads: those of the b2d_memory
// it belongs to.
// Proof: tests/c/test_base.c. Measured in docs/decisions/memory.md.
#pragma once
#include "base/core.h"

#define B2D_HUGE_PAGE ((size_t)2 << 20) // bytes

typedef struct b2d_slab b2d_slab;

// A block of `size` bytes, 64-byte aligned, not zeroed. If no slab has room, a new one is taken, at least a quarter as
// large as all others together. NULL: no memory.
void* b2d_slab_take(b2d_slab** slabs, size_t size);
void* b2d_slab_cut(b2d_slab** slabs, size_t size); // the same from the slabs that there are; NULL: none has room
// Adds a slab of exactly this size, whose memory has been touched, so that its pages exist. False: no memory.
bool b2d_slab_add(b2d_slab** slabs, size_t size);
// Gives a block back, and its slab to the system when the slab is empty, unless slabs are kept. False: the block is in
// no slab.
bool b2d_slab_give(b2d_slab** slabs, void* block, size_t size, bool keep);
size_t b2d_slab_room(const b2d_slab* slabs); // bytes that are free
void b2d_slab_free(b2d_slab** slabs);        // all of them, whatever is in them

// Whether the machine has so many free bytes. Only large sizes are looked up.
bool b2d_system_may_take(size_t size);
// The rule of it: of the `left` free bytes an eighth of all memory must remain, or half if that is less, because a
// machine swaps before its memory is full.
bool b2d_leaves_enough(int64_t size, int64_t left, int64_t all);
// Asks for huge pages where whole ones lie in this memory; the system may ignore it. Memory that is new is then filled
// faster, because a page that is touched for the first time costs about a microsecond.
void b2d_want_huge_pages(void* memory, size_t size);
// NULL: no memory, or b2d_system_may_take says no.
void* b2d_system_take(size_t size); // 64-byte aligned; from B2D_HUGE_PAGE on aligned to that and marked for huge pages
void b2d_system_give(void* block);
