// csrc/lab/pair_manager.h - the overlapping pairs that a sweep-and-prune keeps from step to step.
//
// Idea (Terdiman 2007): a hash table over a dense array of pairs: adding, finding and removing take constant time, and
// the pairs can be walked without holes. A removal moves the last pair into the hole. A pair that was added is `fresh`
// until it has been reported; the list of fresh pairs holds keys, because removals and growth move the pairs.
// Threads: serial. Proof: tests/c/test_lab_pairs.c.
#pragma once
#include "base/pair_set.h"

typedef struct b2d_pair_manager {
    uint64_t* keys; // b2d_pair_key, dense
    uint8_t* fresh; // whether the pair is in the list of fresh pairs
    int32_t count, key_capacity, flag_capacity;
    b2d_pair_set places; // place of a key in `keys`
    uint64_t* fresh_keys;
    int32_t fresh_count, fresh_capacity; // keys may occur twice, and may have been removed since
    bool records_ended;                  // for those who want incremental results: removed pairs are listed too
    uint64_t* ended_keys;
    int32_t ended_count, ended_capacity;
    bool failed; // a change found no memory: all pairs are to be checked, and those that are missing added
} b2d_pair_manager;

void b2d_pair_manager_free(b2d_memory* memory, b2d_pair_manager* manager);
void b2d_pair_manager_add(b2d_memory* memory, b2d_pair_manager* manager, uint64_t key); // a present pair is ignored
// An absent pair is ignored. Recording may find no memory; then the pair stays, and `failed` is set.
void b2d_pair_manager_remove(b2d_memory* memory, b2d_pair_manager* manager, uint64_t key);
void b2d_pair_manager_remove_all(b2d_memory* memory, b2d_pair_manager* manager, int32_t id); // a walk over all pairs
static inline bool b2d_pair_manager_has(const b2d_pair_manager* manager, uint64_t key) {
    return b2d_pair_set_find(&manager->places, key) != B2D_NONE;
}
// The pairs that ended since the last call, each once: a pair that was added and removed, or removed and added again,
// is not among them. Valid until the next change.
const uint64_t* b2d_pair_manager_ended(b2d_pair_manager* manager, int32_t* count);
