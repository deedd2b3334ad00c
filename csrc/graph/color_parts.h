// csrc/graph/color_parts.h - what the files of colours have of each other: color.c, color_joints.c, color_many.c,
// color_order.c.
#pragma once
#include "graph/graph.h"

#include <string.h>

#define B2D_ALL_COLORS    ((1ull << B2D_COLORS) - 1)
#define B2D_MOVING_COLORS ((1ull << (B2D_COLORS - B2D_STATIC_COLORS)) - 1)

static inline int32_t b2d_pick_color(uint64_t used, bool fixed) {
    uint64_t open = ~used & (fixed ? B2D_ALL_COLORS : B2D_MOVING_COLORS);
    if (open == 0) return B2D_OVERFLOW;
    return fixed ? 63 - __builtin_clzll(open) : b2d_ctz64(open);
}

_Static_assert(B2D_COLORS <= 32, "a colour mask has 32 bits");
// moving: bodies, or B2D_NONE in place of one that does not move
static inline void b2d_color_change_masks(b2d_graph* graph, const int32_t moving[2], int32_t color, bool set) {
    if (color == B2D_OVERFLOW) return; // the overflow has no bits in the masks
    for (int32_t k = 0; k < 2; k++) {
        if (moving[k] == B2D_NONE) continue;
        if (set) graph->color_masks[moving[k]] |= 1u << color;
        else graph->color_masks[moving[k]] &= ~(1u << color);
    }
}
static inline void b2d_color_set_masks(b2d_graph* graph, int32_t body_a, int32_t body_b, int32_t color, bool set) {
    const int32_t moving[2] = {b2d_moves(graph, body_a) ? body_a : B2D_NONE,
                               b2d_moves(graph, body_b) ? body_b : B2D_NONE};
    b2d_color_change_masks(graph, moving, color, set);
}

static inline uint64_t b2d_used_colors(const b2d_graph* graph, int32_t body_a, int32_t body_b) {
    return (b2d_moves(graph, body_a) ? graph->color_masks[body_a] : 0) |
           (b2d_moves(graph, body_b) ? graph->color_masks[body_b] : 0);
}

static inline b2d_color_list* b2d_color_contact_list(b2d_graph* graph, int32_t cluster, int32_t color, int32_t fixed) {
    return color == B2D_OVERFLOW ? &graph->overflow_contact_list[fixed]
                                 : &graph->clusters[cluster].contacts[color][fixed];
}
static inline b2d_color_list* b2d_color_joint_list(b2d_graph* graph, int32_t cluster, int32_t color, int32_t fixed) {
    return color == B2D_OVERFLOW ? &graph->overflow_joint_list[fixed] : &graph->clusters[cluster].joints[color][fixed];
}

static inline void b2d_color_count_block(b2d_graph* graph, int32_t cluster, int32_t color, int32_t change) {
    if (color == B2D_OVERFLOW) return;
    graph->color_blocks[color] += change;
    graph->cluster_blocks[cluster] += change;
}

// The cluster of a constraint is the cluster of its island, which may have been merged in this step. The clusters of
// its bodies are tied to that cluster.
static inline int32_t b2d_cluster_of_body(b2d_graph* graph, int32_t body) {
    int32_t island = graph->bodies[body].island;
    return island == B2D_NONE ? graph->body_clusters[body] : graph->islands[b2d_island_find(graph, island)].cluster;
}

static inline int32_t b2d_choose_cluster(b2d_graph* graph, int32_t side_a, int32_t side_b) {
    int32_t cluster = b2d_cluster_of_body(graph, side_a);
    b2d_cluster_tie(graph, cluster, graph->body_clusters[side_a]);
    if (graph->bodies[side_b].type != B2D_STATIC) b2d_cluster_tie(graph, cluster, graph->body_clusters[side_b]);
    return cluster;
}

// Blocks for so many more constraints: the last block of each list has free lanes. A pile has about ten lists for each
// cluster.
static inline int32_t b2d_color_blocks_of(const b2d_graph* graph, int32_t constraints) {
    enum { LISTS = 12 };
    return b2d_min_int(constraints, constraints / B2D_LANES + LISTS * (graph->cluster_count + 1));
}

// The rows for so many more blocks, with the gaps between the runs of the lists.
static inline int32_t b2d_color_rows_for(const b2d_id_pool* ids, int32_t blocks) {
    return ids->count + blocks + (ids->count + blocks) / 4;
}

// The blocks of a list follow each other in memory where they can: a pass then finds the next ones in the cache.
static inline int32_t b2d_color_next_block_id(const b2d_id_pool* ids, const b2d_color_list* list) {
    enum { LONGEST_RUN = 8 };
    const int32_t blocks = list->count / B2D_LANES;
    int32_t run = 1;
    while (2 * run <= b2d_min_int(blocks, LONGEST_RUN)) run *= 2;
    return b2d_id_pool_after(ids, blocks == 0 ? B2D_NONE : list->blocks[blocks - 1], run);
}

// By which impulses that stand for substeps of length h are multiplied, so that they stand for those of the last step.
static inline float b2d_color_impulse_ratio(const b2d_graph* graph, float h) {
    return h > 0.0f && graph->impulse_h > 0.0f && h != graph->impulse_h ? graph->impulse_h / h : 1.0f;
}

// The moving body of a lane with the lower id.
static inline int32_t b2d_color_first_body(const b2d_graph* graph, const b2d_color_list* list, int32_t k,
                                           int32_t fixed) {
    const b2d_contact_block* block = &graph->blocks[list->blocks[k / B2D_LANES]];
    const int32_t a = block->body_a[k % B2D_LANES];
    return fixed ? a : b2d_min_int(a, block->body_b[k % B2D_LANES]);
}

// Copies lane `from` of one block over lane `to` of another: every row of 16 floats or ids.
static inline void b2d_move_lane(void* to_block, int32_t to, const void* from_block, int32_t from, size_t size) {
    uint32_t* t = to_block;
    const uint32_t* f = from_block;
    for (size_t k = 0; k < size / sizeof(uint32_t); k += B2D_LANES) t[k + (size_t)to] = f[k + (size_t)from];
}

// color.c - the extra block of a block; taking fails without memory.
bool b2d_color_take_extra(b2d_graph* graph, int32_t block);
void b2d_color_give_extra(b2d_graph* graph, int32_t block);
// color.c - of lanes, by lane_index: all rows but those of ids; the rows of ids; none is left
void b2d_color_copy_values(b2d_graph* graph, int32_t to, const b2d_graph* from, int32_t source);
void b2d_color_copy_ids(b2d_graph* graph, int32_t to, const b2d_graph* from, int32_t source);
void b2d_color_clear_lane(b2d_graph* graph, int32_t lane_index);
void b2d_color_abandon(b2d_graph* graph, int32_t lane_index); // one behind the end of its list: frees an empty block
void b2d_color_unset_bits(b2d_graph* graph, int32_t contact); // of a contact that has no lane any more
