// csrc/base/pair_set.h - hash map from a 64-bit pair key to an int32 (a contact id), open addressing, linear probing.
//
// Key = (uint64_t)lower_shape_id << 32 | higher_shape_id; never iterated, so its order cannot influence a result.
// Deletion shifts later keys back, so there are no tombstones.
// Threads: serial stages write; between them any thread may read.
// Proof: tests/c/test_base.c.
#pragma once
#include "base/memory.h"

typedef struct b2d_pair_set {
    uint64_t* keys; // UINT64_MAX = empty
    int32_t* values;
    int32_t capacity; // power of two, at most 3/4 full
    int32_t count;
} b2d_pair_set;

static inline uint64_t b2d_pair_key(int32_t a, int32_t b) {
    return a < b ? (uint64_t)a << 32 | (uint32_t)b : (uint64_t)b << 32 | (uint32_t)a;
}
bool b2d_pair_set_reserve(b2d_memory* memory, b2d_pair_set* set, int32_t count);
bool b2d_pair_set_add(b2d_memory* memory, b2d_pair_set* set, uint64_t key, int32_t value); // false: no memory
int32_t b2d_pair_set_find(const b2d_pair_set* set, uint64_t key);                          // B2D_NONE: absent
// Finds and adds or removes with one search. The value that a present key has, or *value for a key that is added.
bool b2d_pair_set_find_or_add(b2d_memory* memory, b2d_pair_set* set, uint64_t key, int32_t* value); // false: no memory
int32_t b2d_pair_set_take(b2d_pair_set* set, uint64_t key); // the value of the removed key; B2D_NONE: absent
// Prefetches the memory that a look-up will read
void b2d_pair_set_fetch(const b2d_pair_set* set, uint64_t key);
void b2d_pair_set_remove(b2d_pair_set* set, uint64_t key);   // an absent key is ignored
int32_t b2d_pair_set_longest_probe(const b2d_pair_set* set); // slots that the slowest look-up of a key in it reads
void b2d_pair_set_free(b2d_memory* memory, b2d_pair_set* set);
// Copying in two steps, of which only the first may find no memory; it changes no member of `to`.
bool b2d_pair_set_fit(b2d_memory* memory, b2d_pair_set* to, const b2d_pair_set* from);
void b2d_pair_set_copy(b2d_pair_set* to, const b2d_pair_set* from);
