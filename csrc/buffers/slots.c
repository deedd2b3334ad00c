// csrc/buffers/slots.c - see slots.h.
//
// Source: Barr, "nudge" (2017, document 004). A contact goes into the first of 16 open slots that has none of its
// moving bodies; a full slot is closed and another opened in its place. When a contact fits into none, the fullest is
// closed. Each body has a mask of the open slots that it is in, so that a contact finds its slot by one bit
// operation. Contacts whose side B does not move have open slots of their own, because the kernels treat the sides of
// a slot alike.
#include "buffers/slots.h"

enum { OPEN = 16 };

typedef struct packer {
    uint32_t* masks;                      // by body id: bits of the open slots, those with fixed sides in the high half
    int32_t members[2 * OPEN][B2D_LANES]; // indices of contacts
    int32_t counts[2 * OPEN];
    const b2d_slot_sides* contacts;
    b2d_slot* slots;
    int32_t* lanes;
    int32_t first, made;
} packer;

static void close_slot(packer* p, int32_t open) {
    const int32_t slot = p->first + p->made++;
    p->slots[slot] = (b2d_slot){p->counts[open], open >= OPEN};
    for (int32_t lane = 0; lane < p->counts[open]; lane++) {
        const int32_t member = p->members[open][lane];
        const b2d_slot_sides* sides = &p->contacts[member];
        p->lanes[member] = slot * B2D_LANES + lane;
        p->masks[sides->body_a] &= ~(1u << open);
        if (sides->body_b != B2D_NONE) p->masks[sides->body_b] &= ~(1u << open);
    }
    p->counts[open] = 0;
}

static int32_t fullest(const packer* p, int32_t from) {
    int32_t best = from;
    for (int32_t open = from; open < from + OPEN; open++)
        if (p->counts[open] > p->counts[best]) best = open;
    return best;
}

static void add(packer* p, int32_t member) {
    const b2d_slot_sides* sides = &p->contacts[member];
    const bool fixed = sides->body_b == B2D_NONE;
    const int32_t from = fixed ? OPEN : 0;
    const uint32_t taken = p->masks[sides->body_a] | (fixed ? 0u : p->masks[sides->body_b]);
    const uint32_t free = ~taken >> from & ((1u << OPEN) - 1u);
    const int32_t open = free != 0 ? from + b2d_ctz64(free) : fullest(p, from);
    if (free == 0) close_slot(p, open);
    p->members[open][p->counts[open]++] = member;
    p->masks[sides->body_a] |= 1u << open;
    if (!fixed) p->masks[sides->body_b] |= 1u << open;
    if (p->counts[open] == B2D_LANES) close_slot(p, open);
}

int32_t b2d_slots_pack(const b2d_slot_sides* contacts, int32_t count, int32_t first, b2d_slot* slots, int32_t* lanes,
                       uint32_t* masks) {
    packer p = {.masks = masks, .contacts = contacts, .slots = slots, .lanes = lanes, .first = first};
    for (int32_t k = 0; k < count; k++) add(&p, k);
    for (int32_t open = 0; open < 2 * OPEN; open++)
        if (p.counts[open] > 0) close_slot(&p, open);
    return p.made;
}

void b2d_slot_clear(b2d_contact_block* block) {
    memset(block, 0, sizeof *block);
    memset(block->body_a, 0xFF, sizeof block->body_a);
    memset(block->body_b, 0xFF, sizeof block->body_b);
    for (int32_t j = 0; j < 2; j++)
        for (int32_t lane = 0; lane < B2D_LANES; lane++) block->point[j].initial_separation[lane] = B2D_DEAD_POINT;
}

void b2d_slot_copy_lane(void* to, int32_t to_lane, const void* from, int32_t from_lane, size_t bytes) {
    const size_t rows = bytes / (B2D_LANES * sizeof(float)); // a block is rows of 16 words, one word for each lane
    for (size_t row = 0; row < rows; row++)
        memcpy((float*)to + row * B2D_LANES + to_lane, (const float*)from + row * B2D_LANES + from_lane, sizeof(float));
}

void b2d_slots_pass(const b2d_solver* solver, const b2d_slot* slots, int32_t first, int32_t count, int32_t pass) {
    for (int32_t block = first; block < first + count; block++) {
        b2d_color_list list = {.blocks = &block, .block_capacity = 1, .count = slots[block].count};
        solver->kernels->contacts[pass](solver, &list, slots[block].fixed, 0, 1);
    }
}
