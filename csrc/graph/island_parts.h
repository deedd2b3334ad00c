// csrc/graph/island_parts.h - what the files of islands have of each other: island.c and island_split.c.
#pragma once
#include "graph/partition.h"

#include <string.h>

static inline size_t b2d_pool_bytes(uint8_t size) { return size == 0 ? 0 : (size_t)1 << size; }
static inline int32_t* b2d_bodies_to_write(b2d_island* island) { return (int32_t*)b2d_island_bodies(island); }
static inline bool b2d_both_dynamic(const b2d_graph* graph, int32_t body_a, int32_t body_b) {
    return b2d_moves(graph, body_a) && b2d_moves(graph, body_b);
}

// Room for so many; false: no memory.
bool b2d_island_reserve_bodies(b2d_graph* graph, b2d_island* island, int32_t needed);
bool b2d_island_reserve_contacts(b2d_graph* graph, b2d_island* island, int32_t needed);
bool b2d_island_reserve_joints(b2d_graph* graph, b2d_island* island, int32_t needed);
int32_t b2d_island_new(b2d_graph* graph, int32_t body);
