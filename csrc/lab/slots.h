// csrc/lab/slots.h - packs contacts into slots of 16 in which no moving body appears twice.
#pragma once
#include "graph/graph.h"

typedef struct b2d_slot {
    int32_t count; // contacts
    int32_t fixed; // 1: side B of all of them does not move
} b2d_slot;

// Packs contacts in their order. Writes where each lies, (first + slot) * 16 + lane, and the slots from slots[first]
// on. Returns the number of slots. `masks` has a row for each body id; they are 0 before and after.
int32_t b2d_slots_pack(const b2d_graph* graph, const int32_t* contacts, int32_t count, int32_t first, b2d_slot* slots,
                       int32_t* lanes, uint32_t* masks);
