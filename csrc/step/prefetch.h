// csrc/step/prefetch.h - prefetching the rows of a group of contacts before the first of them is worked on.
//
// The work for one contact is small, but its rows lie scattered over more memory than the near caches hold. So contacts
// are taken in groups, and all rows of a group are prefetched first: those that the id finds, then those that these
// name. Prefetching changes no result and may be in vain.
#pragma once
#include "objects/world.h"

enum { B2D_PREFETCH_GROUP = 16 };

static inline void b2d_fetch(const void* row) { __builtin_prefetch(row); }

static inline void b2d_fetch_shape(const b2d_world* world, int32_t shape) {
    b2d_fetch(&world->shapes_hot[shape].radius); // all but the hull is in the second line
    b2d_fetch(&world->shapes[shape]);
}

static inline void b2d_fetch_contact(const b2d_graph* graph, int32_t id) {
    b2d_fetch(&graph->contacts[id]);
    b2d_fetch((const char*)&graph->contacts[id + 1] - 1); // a row may lie across two lines
}
