// csrc/base/pair_set.c - see pair_set.h.
#include "base/pair_set.h"

#include <string.h>

static const uint64_t empty = UINT64_MAX; // no pair: ids are non-negative int32

// Multiply, fold, multiply: consecutive ids in either half spread over the whole table.
static uint32_t ideal_slot(uint64_t key, int32_t capacity) {
    key *= 0x9e3779b97f4a7c15ull; // 2^64 / golden ratio, odd
    key ^= key >> 32;
    key *= 0x9e3779b97f4a7c15ull;
    return (uint32_t)(key >> 32) & (uint32_t)(capacity - 1);
}

// The slot of `key`, or the empty one where it would go. The table is never full.
static int32_t slot_of(const b2d_pair_set* set, uint64_t key) {
    uint32_t mask = (uint32_t)(set->capacity - 1), i = ideal_slot(key, set->capacity);
    while (set->keys[i] != key && set->keys[i] != empty) i = (i + 1) & mask;
    return (int32_t)i;
}

static void put(b2d_pair_set* set, uint64_t key, int32_t value) {
    int32_t i = slot_of(set, key);
    set->count += set->keys[i] == empty;
    set->keys[i] = key;
    set->values[i] = value;
}

bool b2d_pair_set_reserve(b2d_memory* memory, b2d_pair_set* set, int32_t count) {
    int64_t capacity = set->capacity > 16 ? set->capacity : 16;
    while (capacity * 3 < (int64_t)count * 4) capacity *= 2;
    if (capacity == set->capacity) return true;
    if (capacity > 1 << 30) return false;
    b2d_pair_set grown = {.capacity = (int32_t)capacity};
    grown.keys = b2d_allocate(memory, (size_t)capacity * sizeof *grown.keys);
    if (grown.keys == NULL) return false;
    grown.values = b2d_allocate(memory, (size_t)capacity * sizeof *grown.values);
    if (grown.values == NULL) {
        b2d_free(memory, grown.keys, (size_t)capacity * sizeof *grown.keys);
        return false;
    }
    memset(grown.keys, 0xff, (size_t)capacity * sizeof *grown.keys);
    for (int32_t i = 0; i < set->capacity; i++)
        if (set->keys[i] != empty) put(&grown, set->keys[i], set->values[i]);
    b2d_pair_set_free(memory, set);
    *set = grown;
    return true;
}

bool b2d_pair_set_add(b2d_memory* memory, b2d_pair_set* set, uint64_t key, int32_t value) {
    B2D_ASSERT(key != empty);
    if (!b2d_pair_set_reserve(memory, set, set->count + 1)) return false;
    put(set, key, value);
    return true;
}

bool b2d_pair_set_find_or_add(b2d_memory* memory, b2d_pair_set* set, uint64_t key, int32_t* value) {
    B2D_ASSERT(key != empty);
    if (!b2d_pair_set_reserve(memory, set, set->count + 1)) return false;
    const int32_t i = slot_of(set, key);
    if (set->keys[i] == key) {
        *value = set->values[i];
        return true;
    }
    set->count++;
    set->keys[i] = key;
    set->values[i] = *value;
    return true;
}

void b2d_pair_set_fetch(const b2d_pair_set* set, uint64_t key) {
    if (set->capacity == 0) return;
    uint32_t i = ideal_slot(key, set->capacity);
    __builtin_prefetch(&set->keys[i]);
    __builtin_prefetch(&set->values[i]);
}

int32_t b2d_pair_set_find(const b2d_pair_set* set, uint64_t key) {
    if (set->count == 0) return B2D_NONE;
    int32_t i = slot_of(set, key);
    return set->keys[i] == key ? set->values[i] : B2D_NONE;
}

// Fills the hole with later members of the run that may move back without passing their ideal slot.
int32_t b2d_pair_set_take(b2d_pair_set* set, uint64_t key) {
    if (set->count == 0) return B2D_NONE;
    uint32_t mask = (uint32_t)(set->capacity - 1), hole = (uint32_t)slot_of(set, key);
    if (set->keys[hole] != key) return B2D_NONE;
    const int32_t value = set->values[hole];
    for (uint32_t i = (hole + 1) & mask; set->keys[i] != empty; i = (i + 1) & mask) {
        uint32_t distance = (i - ideal_slot(set->keys[i], set->capacity)) & mask;
        if (distance < ((i - hole) & mask)) continue;
        set->keys[hole] = set->keys[i];
        set->values[hole] = set->values[i];
        hole = i;
    }
    set->keys[hole] = empty;
    set->count--;
    return value;
}

void b2d_pair_set_remove(b2d_pair_set* set, uint64_t key) { (void)b2d_pair_set_take(set, key); }

int32_t b2d_pair_set_longest_probe(const b2d_pair_set* set) {
    int32_t longest = 0;
    for (int32_t i = 0; i < set->capacity; i++) {
        if (set->keys[i] == empty) continue;
        const uint32_t slots = (uint32_t)i - ideal_slot(set->keys[i], set->capacity);
        longest = b2d_max_int(longest, 1 + (int32_t)(slots & (uint32_t)(set->capacity - 1)));
    }
    return longest;
}

void b2d_pair_set_free(b2d_memory* memory, b2d_pair_set* set) {
    b2d_free(memory, set->keys, (size_t)set->capacity * sizeof *set->keys);
    b2d_free(memory, set->values, (size_t)set->capacity * sizeof *set->values);
    *set = (b2d_pair_set){0};
}

bool b2d_pair_set_fit(b2d_memory* memory, b2d_pair_set* to, const b2d_pair_set* from) {
    // An empty set gets the capacity of the other, so that the tables can be copied as they are
    return from->count == 0 ||
           b2d_pair_set_reserve(memory, to, to->capacity == 0 ? from->capacity / 4 * 3 : from->count);
}

void b2d_pair_set_copy(b2d_pair_set* to, const b2d_pair_set* from) {
    if (to->capacity == 0) return; // there is nothing to copy
    if (to->capacity == from->capacity) {
        memcpy(to->keys, from->keys, (size_t)from->capacity * sizeof *to->keys);
        memcpy(to->values, from->values, (size_t)from->capacity * sizeof *to->values);
        to->count = from->count;
        return;
    }
    memset(to->keys, 0xff, (size_t)to->capacity * sizeof *to->keys);
    to->count = 0;
    for (int32_t i = 0; i < from->capacity; i++)
        if (from->keys[i] != empty) put(to, from->keys[i], from->values[i]);
}
