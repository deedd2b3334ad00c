// csrc/graph/cell.h - many worlds packed into one: which ids belong to which of them.
//
// Idea: the cells of a packed world are worlds that never meet. Their constraints share blocks, so that the lanes of a
// wide kernel belong to different worlds, and one call steps all of them. Bodies, shapes, joints, second hulls and
// chains of a cell have a range of ids each, whose length is fixed when the world is packed; numpy shows the cells as
// a further dimension. Contacts and islands of cell k are the ids k, k + count, k + 2 count and so on: their number has
// no limit, and no id ever changes. A cell takes the lowest free one of its own ids. So its ids are in the order of
// those of a world of its own, and so is all that serial stages do: the bits are the same.
// An ordinary world is one cell that owns all ids.
// Proof: tests/oracle/test_batch.py compares every cell with a world of its own.
#pragma once
#include "base/id_pool.h"

typedef struct b2d_cells {
    int32_t count;                                   // 0: an ordinary world
    int32_t bodies, shapes, joints, seconds, chains; // ids of each cell
    int32_t per_cluster;                             // cells whose constraints are in one cluster
} b2d_cells;

typedef struct b2d_cell {
    int32_t body, shape, joint, second, chain; // the first ids
    int32_t first, stride;                     // of contacts and islands: first, first + stride, first + 2 stride ..
} b2d_cell;

static inline b2d_cell b2d_cell_at(const b2d_cells* cells, int32_t k) {
    if (cells->count == 0) return (b2d_cell){.stride = 1};
    return (b2d_cell){k * cells->bodies, k * cells->shapes, k * cells->joints, k * cells->seconds, k * cells->chains, k,
                      cells->count};
}
static inline int32_t b2d_cell_of_body(const b2d_cells* cells, int32_t body) {
    return cells->count == 0 ? 0 : body / cells->bodies;
}

// The id that the next contact or island near this body gets
static inline int32_t b2d_cells_next_id(const b2d_cells* cells, const b2d_id_pool* pool, int32_t body) {
    return cells->count == 0 ? b2d_id_pool_lowest(pool)
                             : b2d_id_pool_lowest_of(pool, body / cells->bodies, cells->count);
}

// How ids of a cell become those of another one, of the same or another world.
typedef struct b2d_cell_map {
    b2d_cell from, to;
} b2d_cell_map;

static inline int32_t b2d_map_body(const b2d_cell_map* map, int32_t id) {
    return id == B2D_NONE ? B2D_NONE : id - map->from.body + map->to.body;
}
static inline int32_t b2d_map_shape(const b2d_cell_map* map, int32_t id) {
    return id == B2D_NONE ? B2D_NONE : id - map->from.shape + map->to.shape;
}
static inline int32_t b2d_map_joint(const b2d_cell_map* map, int32_t id) {
    return id == B2D_NONE ? B2D_NONE : id - map->from.joint + map->to.joint;
}
static inline int32_t b2d_map_second(const b2d_cell_map* map, int32_t id) {
    return id == B2D_NONE ? B2D_NONE : id - map->from.second + map->to.second;
}
static inline int32_t b2d_map_chain(const b2d_cell_map* map, int32_t id) {
    return id == B2D_NONE ? B2D_NONE : id - map->from.chain + map->to.chain;
}
static inline int32_t b2d_map_strided(const b2d_cell_map* map, int32_t id) { // of a contact or an island
    return id == B2D_NONE ? B2D_NONE : (id - map->from.first) / map->from.stride * map->to.stride + map->to.first;
}
// Keys of half-edges
static inline int32_t b2d_map_contact_key(const b2d_cell_map* map, int32_t key) {
    return key == B2D_NONE ? B2D_NONE : b2d_map_strided(map, key >> 1) << 1 | (key & 1);
}
static inline int32_t b2d_map_joint_key(const b2d_cell_map* map, int32_t key) {
    return key == B2D_NONE ? B2D_NONE : b2d_map_joint(map, key >> 1) << 1 | (key & 1);
}
