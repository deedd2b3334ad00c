// csrc/step/prefetch.h - prefetches the rows of a group of contacts before the first of them is processed.
//
// The work for one contact is small, but its rows are scattered over more memory than the near caches hold. So contacts
// are processed in groups, and all rows of a group are prefetched first: the rows that are found by id, then the rows
// that these refer to. Prefetching changes no result.
#pragma once
#include "objects/world.h"

enum { B2D_PREFETCH_GROUP = 16 };

static inline void b2d_fetch(const void* row) { __builtin_prefetch(row); }

static inline void b2d_fetch_shape(const b2d_world* world, int32_t shape) {
    b2d_fetch(&world->shapes_hot[shape].radius); // everything except the hull is in the second cache line
    b2d_fetch(&world->shapes[shape]);
}

static inline void b2d_fetch_contact(const b2d_graph* graph, int32_t id) {
    b2d_fetch(&graph->contacts[id]);
    b2d_fetch((const char*)&graph->contacts[id + 1] - 1); // a row may span two cache lines
}
