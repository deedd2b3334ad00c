// csrc/buffers/slots.h - contacts in an order of the caller's: packed into slots of 16 in which no moving body appears
// twice, copied there lane by lane, and solved slot after slot.
#pragma once
#include "solver/kernels.h"

typedef struct b2d_slot {
    int32_t count; // contacts
    int32_t fixed; // 1: side B of all of them does not move
} b2d_slot;

typedef struct b2d_slot_sides { // of a contact: the bodies that move
    int32_t body_a, body_b;     // body_b is B2D_NONE when side B does not move
} b2d_slot_sides;

// Packs contacts in their order. Writes where each lies, (first + slot) * 16 + lane, and the slots from slots[first]
// on. Returns the number of slots. `masks` has a row for each body id; they are 0 before and after.
int32_t b2d_slots_pack(const b2d_slot_sides* contacts, int32_t count, int32_t first, b2d_slot* slots, int32_t* lanes,
                       uint32_t* masks);

// A block without contacts: its lanes read the hidden zero row of the bodies.
void b2d_slot_clear(b2d_contact_block* block);
// Copies one lane of a block, or of an extra block, of `bytes` to a lane of another.
void b2d_slot_copy_lane(void* to, int32_t to_lane, const void* from, int32_t from_lane, size_t bytes);
// Runs a pass over slots [first, first + count), whose contacts lie in the blocks of the same numbers.
void b2d_slots_pass(const b2d_solver* solver, const b2d_slot* slots, int32_t first, int32_t count, int32_t pass);
