// csrc/objects/contact_index.h - the contacts of one shape, in the order of the list of its body.
//
// Idea: a body lists its contacts, a shape does not, because steps have no use for that. A search of the list of a body
// with many shapes takes a pass over the contacts of all of them. When such searches have visited as many contacts in
// vain as there are in the world, the contacts are listed by shape; so n searches take a time proportional to n and to
// the number of contacts. A contact that is created, or moved in a list, makes that list useless.
// Threads: writers only. Proof: tests/unit/test_c_costs.py, tests/oracle/test_contact_index.py.
#pragma once
#include "objects/world.h"

typedef struct b2d_contact_walk { // a walk over the contacts of a shape
    int32_t shape;
    int32_t next;      // half-edge in the list of the body
    const int32_t* at; // in the list by shape; NULL: there is none
    const int32_t* end;
} b2d_contact_walk;

b2d_contact_walk b2d_world_contacts_of(b2d_world* world, int32_t shape);
int32_t b2d_world_next_contact(b2d_world* world, b2d_contact_walk* walk); // B2D_NONE: the end. It may be destroyed
void b2d_contact_index_free(b2d_world* world);
