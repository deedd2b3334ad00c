// csrc/lab/slots.c - see slots.h.
//
// Source: Barr, "nudge" (2017, document 004). A contact goes into the first of 16 open slots that has none of its
// moving bodies; a full slot is closed and another opened in its place. When a contact fits into none, the fullest is
// closed. Each body has a mask of the open slots that it is in, so that a contact finds its slot by one bit
// operation. Contacts whose side B does not move have open slots of their own, because the kernels treat the sides of
// a slot alike. Row N-16 of docs/seed_ledger.md.
#include "lab/slots.h"

enum { OPEN = 16 };

typedef struct packer {
    const b2d_graph* graph;
    uint32_t* masks;                      // by body id: bits of the open slots, those with fixed sides in the high half
    int32_t members[2 * OPEN][B2D_LANES]; // indices of contacts
    int32_t counts[2 * OPEN];
    const int32_t* contacts;
    b2d_slot* slots;
    int32_t* lanes;
    int32_t first, made;
} packer;

// The moving bodies of a contact; a body that does not move is left out.
static int32_t moving_bodies(const b2d_graph* graph, int32_t contact, int32_t bodies[2]) {
    const b2d_pair* pair = &graph->pairs[contact];
    int32_t count = 0;
    if (b2d_moves(graph, pair->body_a)) bodies[count++] = pair->body_a;
    if (b2d_moves(graph, pair->body_b)) bodies[count++] = pair->body_b;
    return count;
}

static void close_slot(packer* p, int32_t open) {
    const int32_t slot = p->first + p->made++;
    p->slots[slot] = (b2d_slot){p->counts[open], open >= OPEN};
    for (int32_t lane = 0; lane < p->counts[open]; lane++) {
        const int32_t member = p->members[open][lane];
        int32_t bodies[2];
        p->lanes[member] = slot * B2D_LANES + lane;
        for (int32_t k = moving_bodies(p->graph, p->contacts[member], bodies) - 1; k >= 0; k--)
            p->masks[bodies[k]] &= ~(1u << open);
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
    const int32_t from = p->graph->contacts[p->contacts[member]].fixed ? OPEN : 0;
    int32_t bodies[2];
    const int32_t count = moving_bodies(p->graph, p->contacts[member], bodies);
    uint32_t taken = 0;
    for (int32_t k = 0; k < count; k++) taken |= p->masks[bodies[k]];
    const uint32_t free = ~taken >> from & ((1u << OPEN) - 1u);
    const int32_t open = free != 0 ? from + b2d_ctz64(free) : fullest(p, from);
    if (free == 0) close_slot(p, open);
    p->members[open][p->counts[open]++] = member;
    for (int32_t k = 0; k < count; k++) p->masks[bodies[k]] |= 1u << open;
    if (p->counts[open] == B2D_LANES) close_slot(p, open);
}

int32_t b2d_slots_pack(const b2d_graph* graph, const int32_t* contacts, int32_t count, int32_t first, b2d_slot* slots,
                       int32_t* lanes, uint32_t* masks) {
    packer p = {.graph = graph, .masks = masks, .contacts = contacts, .slots = slots, .lanes = lanes, .first = first};
    for (int32_t k = 0; k < count; k++) add(&p, k);
    for (int32_t open = 0; open < 2 * OPEN; open++)
        if (p.counts[open] > 0) close_slot(&p, open);
    return p.made;
}
