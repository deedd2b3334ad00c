// csrc/graph/color.c - greedy persistent colours, and the blocks in which coloured constraints live.
//
// Idea: a constraint takes the first colour that none of its dynamic bodies has; each body has a mask of 32 bits for
// its colours. Pairs of dynamic bodies take colours 0 to 27, the lowest free one. Constraints with a fixed side take
// the highest free one of all 32; only they use the last four, so that most of them are solved last. A constraint
// without a free colour goes to the overflow, which is solved serially before the colours. The choice depends only on
// the masks, and the masks only on the order of serial calls, never on lanes. The lanes of a list have no holes: when
// one is removed, the last lane moves into its place. When half of the contacts of a colour are out of order, they are
// sorted by their bodies, so that neighbouring lanes read neighbouring rows.
// Cost: O(1) for each constraint. Proof: b2d_graph_validate recomputes all masks.
#include "base/radix_sort.h"
#include "graph/graph.h"

#include <stdlib.h>
#include <string.h>

#define ALL_COLORS    ((1ull << B2D_COLORS) - 1)
#define MOVING_COLORS ((1ull << (B2D_COLORS - B2D_STATIC_COLORS)) - 1)

static int32_t pick_color(uint64_t used, bool fixed) {
    uint64_t open = ~used & (fixed ? ALL_COLORS : MOVING_COLORS);
    if (open == 0) return B2D_OVERFLOW;
    return fixed ? 63 - __builtin_clzll(open) : b2d_ctz64(open);
}

_Static_assert(B2D_COLORS <= 32, "a colour mask has 32 bits");
static void set_masks(b2d_graph* graph, int32_t body_a, int32_t body_b, int32_t color, bool set) {
    if (color == B2D_OVERFLOW) return; // the overflow has no bits in the masks
    const int32_t bodies[2] = {body_a, body_b};
    for (int32_t k = 0; k < 2; k++) {
        if (!b2d_moves(graph, bodies[k])) continue;
        if (set) graph->color_masks[bodies[k]] |= 1u << color;
        else graph->color_masks[bodies[k]] &= ~(1u << color);
    }
}

static uint64_t used_colors(const b2d_graph* graph, int32_t body_a, int32_t body_b) {
    return (b2d_moves(graph, body_a) ? graph->color_masks[body_a] : 0) |
           (b2d_moves(graph, body_b) ? graph->color_masks[body_b] : 0);
}

static b2d_color_list* contact_list(b2d_graph* graph, int32_t cluster, int32_t color, int32_t fixed) {
    return color == B2D_OVERFLOW ? &graph->overflow_contact_list[fixed]
                                 : &graph->clusters[cluster].contacts[color][fixed];
}
static b2d_color_list* joint_list(b2d_graph* graph, int32_t cluster, int32_t color, int32_t fixed) {
    return color == B2D_OVERFLOW ? &graph->overflow_joint_list[fixed] : &graph->clusters[cluster].joints[color][fixed];
}
static void count_block(b2d_graph* graph, int32_t cluster, int32_t color, int32_t change) {
    if (color == B2D_OVERFLOW) return;
    graph->color_blocks[color] += change;
    graph->cluster_blocks[cluster] += change;
}

// The cluster of a constraint is the cluster of its island, which may have been merged in this step. The clusters of
// its bodies are tied to that cluster.
static int32_t cluster_of(b2d_graph* graph, int32_t body) {
    int32_t island = graph->bodies[body].island;
    return island == B2D_NONE ? graph->body_clusters[body] : graph->islands[b2d_island_find(graph, island)].cluster;
}
static int32_t choose_cluster(b2d_graph* graph, int32_t side_a, int32_t side_b) {
    int32_t cluster = cluster_of(graph, side_a);
    b2d_cluster_tie(graph, cluster, graph->body_clusters[side_a]);
    if (graph->bodies[side_b].type != B2D_STATIC) b2d_cluster_tie(graph, cluster, graph->body_clusters[side_b]);
    return cluster;
}

static void clear_contact_lane(b2d_contact_block* block, b2d_manifold_block* manifold, int32_t lane) {
    float* rows = block->nx;
    block->body_a[lane] = block->body_b[lane] = B2D_NONE;
    for (size_t k = 0; k < (sizeof *block - offsetof(b2d_contact_block, nx)) / sizeof(float) / B2D_LANES; k++)
        rows[k * B2D_LANES + (size_t)lane] = 0.0f;
    block->point[0].initial_separation[lane] = block->point[1].initial_separation[lane] = B2D_DEAD_POINT;
    manifold->contact[lane] = B2D_NONE;
}

static void clear_contact_block(b2d_contact_block* block, b2d_manifold_block* manifold) {
    memset(block, 0, sizeof *block);
    memset(block->body_a, 0xff, sizeof block->body_a); // B2D_NONE
    memset(block->body_b, 0xff, sizeof block->body_b);
    memset(manifold->contact, 0xff, sizeof manifold->contact);
    for (int32_t lane = 0; lane < B2D_LANES; lane++)
        block->point[0].initial_separation[lane] = block->point[1].initial_separation[lane] = B2D_DEAD_POINT;
}

static bool reserve_blocks(b2d_graph* graph, int32_t count) {
    return B2D_GROW(graph->memory, graph->blocks, graph->block_capacity, count) &&
           B2D_GROW(graph->memory, graph->manifolds, graph->manifold_capacity, count) &&
           B2D_GROW(graph->memory, graph->extras, graph->extra_capacity, count) &&
           B2D_GROW(graph->memory, graph->block_clusters, graph->block_cluster_capacity, count) &&
           b2d_bits_reserve(graph->memory, &graph->extra_blocks, count);
}

// Blocks for so many more constraints: the last block of each list has free lanes. A pile has about ten lists for each
// cluster.
static int32_t blocks_of(const b2d_graph* graph, int32_t constraints) {
    enum { LISTS = 12 };
    return b2d_min_int(constraints, constraints / B2D_LANES + LISTS * (graph->cluster_count + 1));
}

// The rows for so many more blocks, with the gaps between the runs of the lists.
static int32_t rows_for(const b2d_id_pool* ids, int32_t blocks) {
    return ids->count + blocks + (ids->count + blocks) / 4;
}

// The blocks of a list follow each other in memory where they can: a pass then finds the next ones in the cache.
static int32_t next_block_id(const b2d_id_pool* ids, const b2d_color_list* list) {
    enum { LONGEST_RUN = 8 };
    const int32_t blocks = list->count / B2D_LANES;
    int32_t run = 1;
    while (2 * run <= b2d_min_int(blocks, LONGEST_RUN)) run *= 2;
    return b2d_id_pool_after(ids, blocks == 0 ? B2D_NONE : list->blocks[blocks - 1], run);
}

bool b2d_color_reserve_contacts(b2d_graph* graph, int32_t contacts) {
    return reserve_blocks(graph, rows_for(&graph->block_ids, blocks_of(graph, contacts)));
}

static int32_t take_contact_block(b2d_graph* graph, const b2d_color_list* list, int32_t cluster) {
    const int32_t id = next_block_id(&graph->block_ids, list);
    if (id == B2D_NONE || !reserve_blocks(graph, b2d_max_int(graph->block_ids.limit, id + 1)) ||
        !b2d_id_pool_take_id(graph->memory, &graph->block_ids, id))
        return B2D_NONE;
    clear_contact_block(&graph->blocks[id], &graph->manifolds[id]);
    B2D_ASSERT(graph->extras[id] == NULL);
    graph->block_clusters[id] = (uint16_t)cluster;
    return id;
}

// Gives the block an extra block if it has none; false: no memory.
static bool take_extra(b2d_graph* graph, int32_t block) {
    if (graph->extras[block] != NULL) return true;
    size_t granted;
    b2d_extra_block* extra = graph->extras[block] = b2d_pool_take(graph->memory, &graph->pool, sizeof *extra, &granted);
    if (extra == NULL) return false;
    memset(extra, 0, sizeof *extra);
    b2d_bits_set(&graph->extra_blocks, block);
    return true;
}
static void give_extra(b2d_graph* graph, int32_t block) {
    if (graph->extras[block] == NULL) return;
    b2d_pool_give(&graph->pool, graph->extras[block], b2d_pool_granted(sizeof(b2d_extra_block)));
    graph->extras[block] = NULL;
    b2d_bits_unset(&graph->extra_blocks, block);
}

static void write_extra(b2d_extra_block* extra, int32_t lane, const b2d_contact_record* record) {
    extra->restitution[lane] = record->restitution;
    extra->rolling[lane] = record->rolling;
    extra->tangent_speed[lane] = record->tangent_speed;
    extra->rolling_impulse[lane] = record->rolling_impulse;
    extra->approach[0][lane] = extra->approach[1][lane] = 0.0f;
    extra->peak_impulse[0][lane] = extra->peak_impulse[1][lane] = 0.0f;
}
static void read_extra(const b2d_extra_block* extra, int32_t lane, b2d_contact_record* record) {
    record->restitution = extra == NULL ? 0.0f : extra->restitution[lane];
    record->rolling = extra == NULL ? 0.0f : extra->rolling[lane];
    record->tangent_speed = extra == NULL ? 0.0f : extra->tangent_speed[lane];
    record->rolling_impulse = extra == NULL ? 0.0f : extra->rolling_impulse[lane];
}

// By which impulses that stand for substeps of length h are multiplied, so that they stand for those of the last step.
static float impulse_ratio(const b2d_graph* graph, float h) {
    return h > 0.0f && graph->impulse_h > 0.0f && h != graph->impulse_h ? graph->impulse_h / h : 1.0f;
}

static b2d_contact_record present_record(const b2d_graph* graph, const b2d_contact_record* kept) {
    b2d_contact_record record = *kept;
    const float ratio = impulse_ratio(graph, record.impulse_h);
    for (int32_t k = 0; ratio != 1.0f && k < 2; k++)
        record.point[k].normal_impulse *= ratio, record.point[k].tangent_impulse *= ratio;
    if (ratio != 1.0f) record.rolling_impulse *= ratio;
    record.impulse_h = graph->impulse_h;
    return record;
}

// The next free lane of a list, which is not yet counted in the list; B2D_NONE: no memory.
static int32_t open_contact_lane(b2d_graph* graph, b2d_color_list* list, int32_t cluster) {
    int32_t k = list->count / B2D_LANES, lane = list->count % B2D_LANES;
    if (lane == 0) {
        if (!B2D_GROW(graph->memory, list->blocks, list->block_capacity, k + 1)) return B2D_NONE;
        int32_t block = take_contact_block(graph, list, cluster);
        if (block == B2D_NONE) return B2D_NONE;
        list->blocks[k] = block;
    }
    return list->blocks[k] * B2D_LANES + lane;
}
static void abandon_contact_lane(b2d_graph* graph, int32_t lane_index) {
    if (lane_index % B2D_LANES != 0) return;
    give_extra(graph, lane_index / B2D_LANES);
    b2d_id_pool_release(&graph->block_ids, lane_index / B2D_LANES);
}

// The moving body of a lane with the lower id.
static int32_t first_body(const b2d_graph* graph, const b2d_color_list* list, int32_t k, int32_t fixed) {
    const b2d_contact_block* block = &graph->blocks[list->blocks[k / B2D_LANES]];
    const int32_t a = block->body_a[k % B2D_LANES];
    return fixed ? a : b2d_min_int(a, block->body_b[k % B2D_LANES]);
}

bool b2d_color_place_contact(b2d_graph* graph, int32_t id, bool extra) {
    b2d_pair* pair = &graph->pairs[id];
    b2d_contact* contact = &graph->contacts[id];
    B2D_ASSERT(pair->lane_index == B2D_NONE);
    bool flip = (pair->flags & B2D_PAIR_FLIP) != 0;
    int32_t side_a = flip ? pair->body_b : pair->body_a, side_b = flip ? pair->body_a : pair->body_b;
    int32_t fixed = !b2d_moves(graph, side_b);
    int32_t color = pick_color(used_colors(graph, side_a, side_b), fixed),
            cluster = choose_cluster(graph, side_a, side_b);
    b2d_color_list* list = contact_list(graph, cluster, color, fixed);
    int32_t lane_index = open_contact_lane(graph, list, cluster), block = lane_index / B2D_LANES,
            lane = lane_index % B2D_LANES;
    if (lane_index == B2D_NONE) return false;
    if (extra && !take_extra(graph, block)) {
        abandon_contact_lane(graph, lane_index);
        return false;
    }
    list->count++;
    if (lane == 0) count_block(graph, cluster, color, 1);
    graph->blocks[block].body_a[lane] = side_a;
    graph->blocks[block].body_b[lane] = side_b;
    graph->manifolds[block].contact[lane] = id;
    b2d_bits_set(&graph->in_lanes, id);
    if (contact->flags & B2D_CONTACT_UNLIKE) b2d_bits_set(&graph->unlike_contacts, id);
    if (color == B2D_OVERFLOW) b2d_bits_set(&graph->overflow_contacts, id);
    else if (list->count > 1)
        graph->color_disorder[color] += first_body(graph, list, list->count - 1, fixed) <
                                        first_body(graph, list, list->count - 2, fixed);
    pair->lane_index = lane_index;
    pair->flags = (uint8_t)(extra ? pair->flags | B2D_PAIR_EXTRA : pair->flags & ~B2D_PAIR_EXTRA);
    contact->color = (int8_t)color;
    contact->fixed = (uint8_t)fixed;
    set_masks(graph, side_a, side_b, color, true);
    return true;
}

void b2d_color_fill_contact(b2d_graph* graph, int32_t id, const b2d_contact_record* kept) {
    const b2d_contact_record record = present_record(graph, kept);
    const b2d_pair* pair = &graph->pairs[id];
    const int32_t block = pair->lane_index / B2D_LANES, lane = pair->lane_index % B2D_LANES;
    b2d_block_write(&graph->blocks[block], &graph->manifolds[block], lane, &record);
    if (graph->extras[block] != NULL) write_extra(graph->extras[block], lane, &record);
    graph->manifolds[block].extent[lane] = pair->extent;
}

bool b2d_color_add_contact(b2d_graph* graph, int32_t id, const b2d_contact_record* record, bool extra) {
    if (!b2d_color_place_contact(graph, id, extra)) return false;
    b2d_color_fill_contact(graph, id, record);
    return true;
}

void b2d_contact_record_read(const b2d_graph* graph, int32_t id, b2d_contact_record* record) {
    const b2d_pair* pair = &graph->pairs[id];
    if (pair->lane_index == B2D_NONE) {
        *record = present_record(graph, &graph->rest[graph->contacts[id].rest]);
        return;
    }
    int32_t block = pair->lane_index / B2D_LANES, lane = pair->lane_index % B2D_LANES;
    b2d_block_read(&graph->blocks[block], &graph->manifolds[block], lane, record);
    read_extra(graph->extras[block], lane, record);
    record->impulse_h = graph->impulse_h;
}

void b2d_contact_record_glance(const b2d_graph* graph, int32_t id, b2d_contact_record* record) {
    const b2d_pair* pair = &graph->pairs[id];
    if (pair->lane_index == B2D_NONE) {
        b2d_contact_record_read(graph, id, record);
        return;
    }
    const int32_t number = pair->lane_index / B2D_LANES, lane = pair->lane_index % B2D_LANES;
    const b2d_contact_block* block = &graph->blocks[number];
    const b2d_manifold_block* manifold = &graph->manifolds[number];
    const b2d_extra_block* extra = graph->extras[number];
    record->nx = block->nx[lane], record->ny = block->ny[lane];
    record->friction = block->friction[lane];
    record->restitution = extra == NULL ? 0.0f : extra->restitution[lane];
    record->tangent_speed = extra == NULL ? 0.0f : extra->tangent_speed[lane];
    record->normal_force = block->normal_force[lane], record->tangent_force = block->tangent_force[lane];
    record->radius_a = block->radius_a[lane], record->turn = block->turn[lane];
    record->feature = manifold->feature[lane];
    for (int32_t k = 0; k < 2; k++) {
        const b2d_contact_point* point = &block->point[k];
        record->point[k].normal_arm = point->normal_arm[lane];
        record->point[k].along_normal = point->along_normal[lane];
        record->point[k].initial_separation = point->initial_separation[lane];
        record->point[k].separation = manifold->separation[k][lane];
        record->point[k].normal_impulse = point->normal_impulse[lane];
        record->point[k].tangent_impulse = point->tangent_impulse[lane];
    }
}

void b2d_contact_record_write(b2d_graph* graph, int32_t id, const b2d_contact_record* record) {
    const b2d_pair* pair = &graph->pairs[id];
    if (pair->lane_index == B2D_NONE) {
        graph->rest[graph->contacts[id].rest] = *record;
        return;
    }
    int32_t block = pair->lane_index / B2D_LANES, lane = pair->lane_index % B2D_LANES;
    b2d_block_write(&graph->blocks[block], &graph->manifolds[block], lane, record);
    if (graph->extras[block] != NULL) write_extra(graph->extras[block], lane, record);
}

void b2d_contact_set_unlike(b2d_graph* graph, int32_t id, bool unlike) {
    b2d_contact* contact = &graph->contacts[id];
    contact->flags = (uint8_t)(unlike ? contact->flags | B2D_CONTACT_UNLIKE : contact->flags & ~B2D_CONTACT_UNLIKE);
    if (unlike && contact->color >= 0) b2d_bits_set(&graph->unlike_contacts, id);
    else b2d_bits_unset(&graph->unlike_contacts, id);
}

// A rotation of zero is no valid pose, so the narrow phase cannot recycle the manifold and computes it again.
void b2d_contact_refresh(b2d_graph* graph, int32_t id) {
    const b2d_pair* pair = &graph->pairs[id];
    if (pair->lane_index != B2D_NONE) {
        b2d_manifold_block* manifold = &graph->manifolds[pair->lane_index / B2D_LANES];
        manifold->qc[pair->lane_index % B2D_LANES] = manifold->qs[pair->lane_index % B2D_LANES] = 0.0f;
    } else if (graph->contacts[id].rest != B2D_NONE) {
        b2d_contact_record* record = &graph->rest[graph->contacts[id].rest];
        record->qc = record->qs = 0.0f;
    }
}

void b2d_contact_forget(b2d_graph* graph, int32_t id) {
    const b2d_pair* pair = &graph->pairs[id];
    if (pair->lane_index != B2D_NONE) {
        const int32_t block = pair->lane_index / B2D_LANES, lane = pair->lane_index % B2D_LANES;
        for (int32_t j = 0; j < 2; j++) {
            b2d_contact_point* point = &graph->blocks[block].point[j];
            point->normal_impulse[lane] = point->tangent_impulse[lane] = 0.0f;
        }
        if (graph->extras[block] != NULL) graph->extras[block]->rolling_impulse[lane] = 0.0f;
    } else if (graph->contacts[id].rest != B2D_NONE) {
        b2d_contact_record* record = &graph->rest[graph->contacts[id].rest];
        for (int32_t j = 0; j < 2; j++) record->point[j].normal_impulse = record->point[j].tangent_impulse = 0.0f;
        record->rolling_impulse = 0.0f;
    }
}

// Copies lane `from` of one block over lane `to` of another: every row of 16 floats or ids.
static void move_lane(void* to_block, int32_t to, const void* from_block, int32_t from, size_t size) {
    uint32_t* t = to_block;
    const uint32_t* f = from_block;
    for (size_t k = 0; k < size / sizeof(uint32_t); k += B2D_LANES) t[k + (size_t)to] = f[k + (size_t)from];
}

static void clear_extra_lane(b2d_extra_block* extra, int32_t lane) {
    for (size_t k = 0; k < sizeof *extra / sizeof(float); k += B2D_LANES) ((float*)extra)[k + (size_t)lane] = 0.0f;
}

// All rows but those of ids.
static void copy_values_of_lane(b2d_graph* graph, int32_t to, const b2d_graph* from, int32_t source) {
    const int32_t to_block = to / B2D_LANES, to_lane = to % B2D_LANES, from_block = source / B2D_LANES,
                  from_lane = source % B2D_LANES;
    move_lane(graph->blocks[to_block].nx, to_lane, from->blocks[from_block].nx, from_lane,
              sizeof(b2d_contact_block) - offsetof(b2d_contact_block, nx));
    move_lane(graph->manifolds[to_block].feature, to_lane, from->manifolds[from_block].feature, from_lane,
              sizeof(b2d_manifold_block) - offsetof(b2d_manifold_block, feature));
    if (graph->extras[to_block] == NULL) return;
    if (from->extras[from_block] != NULL)
        move_lane(graph->extras[to_block], to_lane, from->extras[from_block], from_lane, sizeof(b2d_extra_block));
    else clear_extra_lane(graph->extras[to_block], to_lane);
}

static void copy_ids_of_lane(b2d_graph* graph, int32_t to, const b2d_graph* from, int32_t source) {
    b2d_contact_block* block = &graph->blocks[to / B2D_LANES];
    const b2d_contact_block* other = &from->blocks[source / B2D_LANES];
    block->body_a[to % B2D_LANES] = other->body_a[source % B2D_LANES];
    block->body_b[to % B2D_LANES] = other->body_b[source % B2D_LANES];
    graph->manifolds[to / B2D_LANES].contact[to % B2D_LANES] =
        from->manifolds[source / B2D_LANES].contact[source % B2D_LANES];
}

static void copy_rows_of_lane(b2d_graph* graph, int32_t to, const b2d_graph* from, int32_t source) {
    copy_ids_of_lane(graph, to, from, source);
    copy_values_of_lane(graph, to, from, source);
}

// Moves the contact at lane_index `from` to lane_index `to`. If there is no memory for its extra values (restitution
// and so on), the contact loses them, and its flag is cleared.
static void copy_contact_lane(b2d_graph* graph, int32_t to, int32_t from) {
    int32_t moved = graph->manifolds[from / B2D_LANES].contact[from % B2D_LANES];
    if ((graph->pairs[moved].flags & B2D_PAIR_EXTRA) != 0 && !take_extra(graph, to / B2D_LANES))
        graph->pairs[moved].flags &= (uint8_t)~B2D_PAIR_EXTRA;
    copy_rows_of_lane(graph, to, graph, from);
    graph->pairs[moved].lane_index = to;
}

// Fills the hole at `lane_index` with the last lane of its list.
static void close_contact_lane(b2d_graph* graph, b2d_color_list* list, int32_t color, int32_t lane_index) {
    list->count--;
    int32_t last_block = list->blocks[list->count / B2D_LANES], last_lane = list->count % B2D_LANES,
            last = last_block * B2D_LANES + last_lane;
    if (last != lane_index) {
        copy_contact_lane(graph, lane_index, last);
        if (color != B2D_OVERFLOW) graph->color_disorder[color]++;
    }
    clear_contact_lane(&graph->blocks[last_block], &graph->manifolds[last_block], last_lane);
    if (graph->extras[last_block] != NULL) clear_extra_lane(graph->extras[last_block], last_lane);
    abandon_contact_lane(graph, last);
    if (last_lane == 0) count_block(graph, graph->block_clusters[last_block], color, -1);
}

// Ends the colour of a contact, whose lane stays. Returns its list.
static b2d_color_list* give_color(b2d_graph* graph, int32_t id) {
    b2d_pair* pair = &graph->pairs[id];
    b2d_contact* contact = &graph->contacts[id];
    set_masks(graph, pair->body_a, pair->body_b, contact->color, false);
    if (contact->color == B2D_OVERFLOW) b2d_bits_unset(&graph->overflow_contacts, id);
    b2d_bits_unset(&graph->unlike_contacts, id);
    b2d_bits_unset(&graph->pressed_contacts, id);
    b2d_bits_unset(&graph->in_lanes, id);
    b2d_color_list* list = contact_list(graph, graph->block_clusters[pair->lane_index / B2D_LANES], contact->color,
                                        contact->fixed);
    pair->lane_index = B2D_NONE;
    contact->color = -1;
    return list;
}

void b2d_color_remove_contact(b2d_graph* graph, int32_t id, b2d_contact_record* record) {
    const int32_t color = graph->contacts[id].color, lane_index = graph->pairs[id].lane_index;
    if (record != NULL) b2d_contact_record_read(graph, id, record);
    close_contact_lane(graph, give_color(graph, id), color, lane_index);
}

// ---- Many removals at once ----

bool b2d_lane_moves_make(b2d_arena* arena, int32_t removals, b2d_lane_moves* moves) {
    const size_t room = (size_t)removals * (2 * sizeof(uint64_t) + 3 * sizeof(int32_t));
    *moves = (b2d_lane_moves){.keys = b2d_arena_take(arena, room)};
    if (moves->keys == NULL) return false;
    moves->moved = (int32_t*)(moves->keys + 2 * (size_t)removals);
    moves->vacated = moves->moved + removals;
    moves->emptied = moves->vacated + removals;
    moves->scratch = moves->keys + removals;
    return true;
}

// As close_contact_lane; of the lanes only the rows of ids are moved.
void b2d_color_remove_contact_later(b2d_graph* graph, int32_t id, b2d_lane_moves* moves) {
    const int32_t color = graph->contacts[id].color, hole = graph->pairs[id].lane_index;
    b2d_color_list* list = give_color(graph, id);
    list->count--;
    const int32_t from = list->blocks[list->count / B2D_LANES], from_lane = list->count % B2D_LANES,
                  last = from * B2D_LANES + from_lane;
    if (last != hole) {
        const int32_t moved = graph->manifolds[from].contact[from_lane];
        b2d_pair* pair = &graph->pairs[moved];
        if ((pair->flags & B2D_PAIR_EXTRA) != 0 && !take_extra(graph, hole / B2D_LANES))
            pair->flags &= (uint8_t)~B2D_PAIR_EXTRA;
        if (pair->record == B2D_NONE) {
            pair->record = last;
            moves->moved[moves->moved_count++] = moved;
        }
        pair->lane_index = hole;
        copy_ids_of_lane(graph, hole, graph, last);
        if (color != B2D_OVERFLOW) graph->color_disorder[color]++;
    }
    graph->blocks[from].body_a[from_lane] = graph->blocks[from].body_b[from_lane] = B2D_NONE;
    graph->manifolds[from].contact[from_lane] = B2D_NONE;
    moves->vacated[moves->vacated_count++] = last;
    if (from_lane != 0) return;
    moves->emptied[moves->emptied_count++] = from;
    count_block(graph, graph->block_clusters[from], color, -1);
}

// A contact that was moved may have been removed afterwards.
int32_t b2d_lane_moves_sort(b2d_graph* graph, b2d_lane_moves* moves) {
    int32_t count = 0;
    for (int32_t k = 0; k < moves->moved_count; k++) {
        b2d_pair* pair = &graph->pairs[moves->moved[k]];
        if (pair->lane_index != B2D_NONE)
            moves->keys[count++] = (uint64_t)(uint32_t)pair->lane_index << 32 | (uint32_t)pair->record;
        pair->record = B2D_NONE;
    }
    b2d_radix_sort(moves->keys, moves->scratch, count);
    return count;
}

int32_t b2d_lane_keys_from(const uint64_t* keys, int32_t k, int32_t count) {
    const uint64_t lanes = (uint64_t)B2D_LANES << 32;
    while (0 < k && k < count && keys[k] / lanes == keys[k - 1] / lanes) k++;
    return k;
}

void b2d_lane_moves_run(b2d_graph* graph, const b2d_lane_moves* moves, int32_t begin, int32_t end) {
    for (int32_t k = begin; k < end; k++) {
        const int32_t to = (int32_t)(moves->keys[k] >> 32), from = (int32_t)(moves->keys[k] & 0xFFFFFFFFu);
        copy_values_of_lane(graph, to, graph, from);
    }
}

void b2d_lane_moves_end(b2d_graph* graph, const b2d_lane_moves* moves) {
    for (int32_t k = 0; k < moves->emptied_count; k++) abandon_contact_lane(graph, moves->emptied[k] * B2D_LANES);
}

void b2d_lane_moves_clear(b2d_graph* graph, const b2d_lane_moves* moves, int32_t begin, int32_t end) {
    for (int32_t k = begin; k < end; k++) {
        const int32_t block = moves->vacated[k] / B2D_LANES, lane = moves->vacated[k] % B2D_LANES;
        const int32_t* contact = graph->manifolds[block].contact;
        if (contact[lane] != B2D_NONE || contact[0] == B2D_NONE) continue; // taken again, or the block is free
        clear_contact_lane(&graph->blocks[block], &graph->manifolds[block], lane);
        if (graph->extras[block] != NULL) clear_extra_lane(graph->extras[block], lane);
    }
}

bool b2d_color_copy_contact(b2d_graph* graph, int32_t id, const b2d_graph* from, int32_t source) {
    b2d_pair* pair = &graph->pairs[id];
    const b2d_contact* contact = &graph->contacts[id];
    const bool flip = (pair->flags & B2D_PAIR_FLIP) != 0;
    const int32_t side_a = flip ? pair->body_b : pair->body_a, cluster = graph->body_clusters[side_a];
    b2d_color_list* list = contact_list(graph, cluster, contact->color, contact->fixed);
    const bool stays = pair->lane_index != B2D_NONE;
    const int32_t to = stays ? pair->lane_index : open_contact_lane(graph, list, cluster);
    if (to == B2D_NONE) return false;
    if ((pair->flags & B2D_PAIR_EXTRA) != 0 && !take_extra(graph, to / B2D_LANES)) {
        if (!stays) abandon_contact_lane(graph, to);
        return false;
    }
    pair->lane_index = to;
    list->count += !stays;
    if (!stays && to % B2D_LANES == 0) count_block(graph, cluster, contact->color, 1);
    copy_rows_of_lane(graph, to, from, from->pairs[source].lane_index);
    graph->blocks[to / B2D_LANES].body_a[to % B2D_LANES] = side_a;
    graph->blocks[to / B2D_LANES].body_b[to % B2D_LANES] = flip ? pair->body_a : pair->body_b;
    graph->manifolds[to / B2D_LANES].contact[to % B2D_LANES] = id;
    b2d_bits_set(&graph->in_lanes, id);
    // Of a lane that stays, the bits are those of what was there
    b2d_bits_copy(&graph->unlike_contacts, id, &from->unlike_contacts, source, 1);
    b2d_bits_copy(&graph->pressed_contacts, id, &from->pressed_contacts, source, 1);
    if (contact->color == B2D_OVERFLOW) b2d_bits_set(&graph->overflow_contacts, id);
    return true;
}

bool b2d_color_recluster_contact(b2d_graph* graph, int32_t id) {
    b2d_pair* pair = &graph->pairs[id];
    const b2d_contact* contact = &graph->contacts[id];
    int32_t from = pair->lane_index, from_cluster = graph->block_clusters[from / B2D_LANES];
    int32_t cluster = graph->body_clusters[graph->blocks[from / B2D_LANES].body_a[from % B2D_LANES]];
    if (contact->color == B2D_OVERFLOW || cluster == from_cluster) return true; // the overflow belongs to no cluster
    b2d_color_list* list = contact_list(graph, cluster, contact->color, contact->fixed);
    int32_t to = open_contact_lane(graph, list, cluster);
    if (to == B2D_NONE) return false;
    if ((pair->flags & B2D_PAIR_EXTRA) != 0 && !take_extra(graph, to / B2D_LANES)) {
        abandon_contact_lane(graph, to);
        return false;
    }
    list->count++;
    if (to % B2D_LANES == 0) count_block(graph, cluster, contact->color, 1);
    copy_contact_lane(graph, to, from);
    close_contact_lane(graph, contact_list(graph, from_cluster, contact->color, contact->fixed), contact->color, from);
    return true;
}

// Joints

static bool reserve_joint_blocks(b2d_graph* graph, int32_t count) {
    return B2D_GROW(graph->memory, graph->joint_blocks, graph->joint_block_capacity, count) &&
           B2D_GROW(graph->memory, graph->joint_rows, graph->joint_row_capacity, count) &&
           B2D_GROW(graph->memory, graph->joint_frames, graph->joint_frames_capacity, count) &&
           B2D_GROW(graph->memory, graph->joint_block_joint, graph->joint_block_joint_capacity, count * B2D_LANES) &&
           B2D_GROW(graph->memory, graph->joint_block_rows, graph->joint_block_rows_capacity, count) &&
           B2D_GROW(graph->memory, graph->joint_block_clusters, graph->joint_block_cluster_capacity, count);
}

bool b2d_color_reserve_joints(b2d_graph* graph, int32_t joints) {
    return reserve_joint_blocks(graph, rows_for(&graph->joint_block_ids, blocks_of(graph, joints)));
}

static int32_t take_joint_block(b2d_graph* graph, const b2d_color_list* list, int32_t cluster) {
    const int32_t id = next_block_id(&graph->joint_block_ids, list);
    if (id == B2D_NONE || !reserve_joint_blocks(graph, b2d_max_int(graph->joint_block_ids.limit, id + 1)) ||
        !b2d_id_pool_take_id(graph->memory, &graph->joint_block_ids, id))
        return B2D_NONE;
    memset(&graph->joint_blocks[id], 0, sizeof graph->joint_blocks[id]);
    memset(&graph->joint_rows[id], 0, sizeof graph->joint_rows[id]);
    memset(&graph->joint_frames[id], 0, sizeof graph->joint_frames[id]);
    for (int32_t lane = 0; lane < B2D_LANES; lane++) {
        graph->joint_blocks[id].body_a[lane] = graph->joint_blocks[id].body_b[lane] = B2D_NONE;
        graph->joint_block_joint[id * B2D_LANES + lane] = B2D_NONE;
    }
    graph->joint_block_rows[id] = 0;
    graph->joint_block_clusters[id] = (uint16_t)cluster;
    return id;
}

// Where an impulse is stored: its row in the block, its member in user order for a joint that is not flipped and for
// one that is flipped, and its sign if the joint is flipped.
typedef struct impulse_place {
    size_t row, user, flipped;
    float sign;
} impulse_place;
#define POINT(row, user) \
    {offsetof(b2d_joint_block, row), offsetof(b2d_joint_impulses, user), offsetof(b2d_joint_impulses, user), -1.0f}
#define ROW(row, user, flipped, sign) \
    {offsetof(b2d_joint_rows, row), offsetof(b2d_joint_impulses, user), offsetof(b2d_joint_impulses, flipped), sign}
static const impulse_place point_places[] = {POINT(impulse_x, point_x), POINT(impulse_y, point_y)};
static const impulse_place row_places[] = {
    ROW(angle.spring_impulse, angle_spring, angle_spring, -1.0f),
    ROW(angle.motor_impulse, angle_motor, angle_motor, -1.0f),
    ROW(angle.lower_impulse, angle_lower, angle_upper, 1.0f), // a flipped joint swaps its limits
    ROW(angle.upper_impulse, angle_upper, angle_lower, 1.0f),
    ROW(angle.rigid_impulse, angle_rigid, angle_rigid, -1.0f),
    ROW(line.spring_impulse, line_spring, line_spring, 1.0f),
    ROW(line.motor_impulse, line_motor, line_motor, 1.0f),
    ROW(line.lower_impulse, line_lower, line_lower, 1.0f),
    ROW(line.upper_impulse, line_upper, line_upper, 1.0f),
    ROW(line.rigid_impulse, line_rigid, line_rigid, 1.0f),
    ROW(across_impulse, across, across, 1.0f),
    ROW(plane_spring_x, plane_spring_x, plane_spring_x, -1.0f),
    ROW(plane_spring_y, plane_spring_y, plane_spring_y, -1.0f),
    ROW(plane_motor_x, plane_motor_x, plane_motor_x, -1.0f),
    ROW(plane_motor_y, plane_motor_y, plane_motor_y, -1.0f),
    ROW(coupling_impulse, coupling, coupling, 1.0f),
};
#undef POINT
#undef ROW
_Static_assert(sizeof point_places / sizeof *point_places + sizeof row_places / sizeof *row_places ==
                   sizeof(b2d_joint_impulses) / sizeof(float),
               "every impulse has a place");

static void exchange_impulses(void* block, int32_t lane, b2d_joint_impulses* impulses, bool flip, bool write,
                              const impulse_place* places, size_t count) {
    for (size_t k = 0; k < count; k++) {
        float* at = (float*)((char*)block + places[k].row) + lane;
        float* user = (float*)((char*)impulses + (flip ? places[k].flipped : places[k].user));
        float sign = flip ? places[k].sign : 1.0f;
        if (write) *at = sign * *user;
        else *user = sign * *at;
    }
}

// The impulses of a joint's row, for a substep as long as the last one.
static b2d_joint_impulses present_impulses(const b2d_graph* graph, const b2d_joint* joint) {
    b2d_joint_impulses impulses = joint->impulses;
    const float ratio = impulse_ratio(graph, joint->impulse_h);
    float* of = &impulses.point_x;
    for (int32_t k = 0; ratio != 1.0f && k < B2D_JOINT_IMPULSES; k++) of[k] *= ratio;
    return impulses;
}

// Copies impulses between the row of a joint, in user order, and its lane, where a flipped joint has body B on side A.
static void exchange_joint_impulses(const b2d_graph* graph, b2d_joint* joint, bool write) {
    int32_t block = joint->lane_index / B2D_LANES, lane = joint->lane_index % B2D_LANES;
    bool flip = (joint->flags & B2D_JOINT_FLIP) != 0;
    if (write) joint->impulses = present_impulses(graph, joint);
    joint->impulse_h = graph->impulse_h;
    exchange_impulses(&graph->joint_blocks[block], lane, &joint->impulses, flip, write, point_places,
                      sizeof point_places / sizeof *point_places);
    exchange_impulses(&graph->joint_rows[block], lane, &joint->impulses, flip, write, row_places,
                      sizeof row_places / sizeof *row_places);
}

static void clear_impulses(void* block, const impulse_place* places, size_t count) {
    for (size_t k = 0; k < count; k++) memset((char*)block + places[k].row, 0, B2D_LANES * sizeof(float));
}

void b2d_joint_block_clear_impulses(b2d_graph* graph, int32_t block) {
    clear_impulses(&graph->joint_blocks[block], point_places, sizeof point_places / sizeof *point_places);
    clear_impulses(&graph->joint_rows[block], row_places, sizeof row_places / sizeof *row_places);
}

static float** list_rows(float** rows, void* block, const impulse_place* places, size_t count) {
    for (size_t k = 0; k < count; k++) *rows++ = (float*)((char*)block + places[k].row);
    return rows;
}

void b2d_joint_block_impulses(const b2d_graph* graph, int32_t block, float* rows[B2D_JOINT_IMPULSES]) {
    rows = list_rows(rows, &graph->joint_blocks[block], point_places, sizeof point_places / sizeof *point_places);
    (void)list_rows(rows, &graph->joint_rows[block], row_places, sizeof row_places / sizeof *row_places);
}

void b2d_joint_clear_impulses(b2d_graph* graph, int32_t id) {
    b2d_joint copy = graph->joints[id];
    copy.impulses = (b2d_joint_impulses){0};
    exchange_joint_impulses(graph, &copy, true);
}

b2d_joint_impulses b2d_joint_read_impulses(const b2d_graph* graph, int32_t id) {
    b2d_joint copy = graph->joints[id];
    if (copy.lane_index == B2D_NONE) return present_impulses(graph, &copy);
    exchange_joint_impulses(graph, &copy, false);
    return copy.impulses;
}

static int32_t open_joint_lane(b2d_graph* graph, b2d_color_list* list, int32_t cluster) {
    int32_t k = list->count / B2D_LANES, lane = list->count % B2D_LANES;
    if (lane == 0) {
        if (!B2D_GROW(graph->memory, list->blocks, list->block_capacity, k + 1)) return B2D_NONE;
        int32_t block = take_joint_block(graph, list, cluster);
        if (block == B2D_NONE) return B2D_NONE;
        list->blocks[k] = block;
    }
    return list->blocks[k] * B2D_LANES + lane;
}

bool b2d_color_add_joint(b2d_graph* graph, int32_t id) {
    b2d_joint* joint = &graph->joints[id];
    B2D_ASSERT(joint->lane_index == B2D_NONE && !(joint->flags & B2D_JOINT_NO_ROWS));
    bool flip = !b2d_moves(graph, joint->body[0]);
    int32_t side_a = joint->body[flip], side_b = joint->body[!flip];
    int32_t fixed = !b2d_moves(graph, side_b);
    const bool overflow = (joint->flags & B2D_JOINT_DIRECT) != 0 || b2d_gear_moves_bases(graph, joint);
    int32_t color = overflow ? B2D_OVERFLOW : pick_color(used_colors(graph, side_a, side_b), fixed),
            cluster = choose_cluster(graph, side_a, side_b);
    b2d_color_list* list = joint_list(graph, cluster, color, fixed);
    int32_t lane_index = open_joint_lane(graph, list, cluster), block = lane_index / B2D_LANES,
            lane = lane_index % B2D_LANES;
    if (lane_index == B2D_NONE) return false;
    if (color == B2D_OVERFLOW) b2d_bits_set(&graph->overflow_joints, id);
    list->count++;
    if (lane == 0) count_block(graph, cluster, color, 1);
    joint->lane_index = lane_index;
    joint->color = (int8_t)color;
    joint->fixed = (uint8_t)fixed;
    joint->flags = (uint8_t)(flip ? joint->flags | B2D_JOINT_FLIP : joint->flags & ~B2D_JOINT_FLIP);
    graph->joint_blocks[block].body_a[lane] = side_a;
    graph->joint_blocks[block].body_b[lane] = side_b;
    graph->joint_block_joint[joint->lane_index] = id;
    graph->joint_block_rows[block] |= B2D_ROWS_STALE;
    exchange_joint_impulses(graph, joint, true);
    set_masks(graph, side_a, side_b, color, true);
    return true;
}

static void copy_rows_of_joint_lane(b2d_graph* graph, int32_t to, const b2d_graph* from, int32_t source) {
    const int32_t to_block = to / B2D_LANES, to_lane = to % B2D_LANES, from_block = source / B2D_LANES,
                  from_lane = source % B2D_LANES;
    move_lane(&graph->joint_blocks[to_block], to_lane, &from->joint_blocks[from_block], from_lane,
              sizeof(b2d_joint_block));
    move_lane(&graph->joint_rows[to_block], to_lane, &from->joint_rows[from_block], from_lane, sizeof(b2d_joint_rows));
    move_lane(&graph->joint_frames[to_block], to_lane, &from->joint_frames[from_block], from_lane,
              sizeof(b2d_joint_frames));
    graph->joint_block_rows[to_block] |= from->joint_block_rows[from_block];
}

static void copy_joint_lane(b2d_graph* graph, int32_t to, int32_t from) {
    const int32_t moved = graph->joint_block_joint[from];
    copy_rows_of_joint_lane(graph, to, graph, from);
    graph->joint_block_joint[to] = moved;
    graph->joints[moved].lane_index = to;
}

static void clear_lane(void* block, int32_t lane, size_t size) {
    for (size_t k = 0; k < size / sizeof(uint32_t); k += B2D_LANES) ((uint32_t*)block)[k + (size_t)lane] = 0;
}

static void close_joint_lane(b2d_graph* graph, b2d_color_list* list, int32_t color, int32_t lane_index) {
    list->count--;
    int32_t block = list->blocks[list->count / B2D_LANES], lane = list->count % B2D_LANES,
            last = block * B2D_LANES + lane;
    if (last != lane_index) copy_joint_lane(graph, lane_index, last);
    clear_lane(&graph->joint_blocks[block], lane, sizeof(b2d_joint_block));
    clear_lane(&graph->joint_rows[block], lane, sizeof(b2d_joint_rows));
    clear_lane(&graph->joint_frames[block], lane, sizeof(b2d_joint_frames));
    graph->joint_blocks[block].body_a[lane] = graph->joint_blocks[block].body_b[lane] = B2D_NONE;
    graph->joint_block_joint[last] = B2D_NONE;
    if (lane != 0) return;
    b2d_id_pool_release(&graph->joint_block_ids, block);
    count_block(graph, graph->joint_block_clusters[block], color, -1);
}

void b2d_color_remove_joint(b2d_graph* graph, int32_t id) {
    b2d_joint* joint = &graph->joints[id];
    exchange_joint_impulses(graph, joint, false);
    set_masks(graph, joint->body[0], joint->body[1], joint->color, false);
    if (joint->color == B2D_OVERFLOW) b2d_bits_unset(&graph->overflow_joints, id);
    close_joint_lane(
        graph,
        joint_list(graph, graph->joint_block_clusters[joint->lane_index / B2D_LANES], joint->color, joint->fixed),
        joint->color, joint->lane_index);
    joint->lane_index = B2D_NONE;
    joint->color = -1;
}

// The joint keeps the lane that it has; with `same` that lane is laid out for the same joint, so that only the impulses
// are another's.
bool b2d_color_copy_joint(b2d_graph* graph, int32_t id, const b2d_graph* from, int32_t source, bool same) {
    b2d_joint* joint = &graph->joints[id];
    const bool flip = (joint->flags & B2D_JOINT_FLIP) != 0;
    int32_t to = joint->lane_index;
    if (to != B2D_NONE && same) {
        const int32_t taken = from->joints[source].lane_index;
        joint->impulses = b2d_joint_read_impulses(from, source);
        exchange_joint_impulses(graph, joint, true);
        // Laying a lane out clears the rows that are off: what was not laid out may have -0 there
        if (taken == B2D_NONE || (from->joint_block_rows[taken / B2D_LANES] & B2D_ROWS_STALE))
            graph->joint_block_rows[to / B2D_LANES] |= B2D_ROWS_STALE;
        return true;
    }
    if (to == B2D_NONE) {
        const int32_t cluster = graph->body_clusters[joint->body[flip]];
        b2d_color_list* list = joint_list(graph, cluster, joint->color, joint->fixed);
        to = joint->lane_index = open_joint_lane(graph, list, cluster);
        if (to == B2D_NONE) return false;
        list->count++;
        if (to % B2D_LANES == 0) count_block(graph, cluster, joint->color, 1);
        if (joint->color == B2D_OVERFLOW) b2d_bits_set(&graph->overflow_joints, id);
        graph->joint_block_joint[to] = id;
    }
    copy_rows_of_joint_lane(graph, to, from, from->joints[source].lane_index);
    graph->joint_blocks[to / B2D_LANES].body_a[to % B2D_LANES] = joint->body[flip];
    graph->joint_blocks[to / B2D_LANES].body_b[to % B2D_LANES] = joint->body[!flip];
    // The lanes of the other graph may have been laid out for a step of another length
    if (memcmp(graph->prepared_settings, from->prepared_settings, sizeof graph->prepared_settings) != 0)
        graph->joint_block_rows[to / B2D_LANES] |= B2D_ROWS_STALE;
    return true;
}

bool b2d_color_recluster_joint(b2d_graph* graph, int32_t id) {
    const b2d_joint* joint = &graph->joints[id];
    int32_t from = joint->lane_index, from_cluster = graph->joint_block_clusters[from / B2D_LANES];
    int32_t cluster = graph->body_clusters[graph->joint_blocks[from / B2D_LANES].body_a[from % B2D_LANES]];
    if (joint->color == B2D_OVERFLOW || cluster == from_cluster) return true;
    b2d_color_list* list = joint_list(graph, cluster, joint->color, joint->fixed);
    int32_t to = open_joint_lane(graph, list, cluster);
    if (to == B2D_NONE) return false;
    list->count++;
    if (to % B2D_LANES == 0) count_block(graph, cluster, joint->color, 1);
    copy_joint_lane(graph, to, from);
    close_joint_lane(graph, joint_list(graph, from_cluster, joint->color, joint->fixed), joint->color, from);
    return true;
}

// ---- The order of the contacts of a colour ----

// A block in its new order, before it takes the place of the old one
typedef struct sorted_block {
    b2d_contact_block block;
    b2d_manifold_block manifold;
    b2d_extra_block extra;
} sorted_block;

typedef struct sort_item { // a block of the colour
    const b2d_color_list* list;
    const uint64_t* keys; // of its lanes, place by place; the lower half is the old place in the list
    int32_t k;            // in the list
    bool needs_extra;
} sort_item;

typedef struct sort_job {
    b2d_graph* graph;
    sort_item* items;
    sorted_block* sorted;
} sort_job;

// Gives all blocks of a list an extra block if one has one. False: no memory.
static bool take_extras(b2d_graph* graph, const b2d_color_list* list) {
    bool any = false, done = true;
    for (int32_t k = 0; k < b2d_color_list_blocks(list); k++) any = any || graph->extras[list->blocks[k]] != NULL;
    for (int32_t k = 0; any && done && k < b2d_color_list_blocks(list); k++) done = take_extra(graph, list->blocks[k]);
    return done;
}

static void gather_sorted(void* context, int32_t begin, int32_t end, int32_t worker) {
    (void)worker;
    const sort_job* job = context;
    const b2d_graph* graph = job->graph;
    for (int32_t i = begin; i < end; i++) {
        const sort_item* item = &job->items[i];
        sorted_block* to = &job->sorted[i];
        const int32_t here = item->list->blocks[item->k], live = b2d_color_list_live(item->list, item->k);
        const bool extra = graph->extras[here] != NULL; // then all blocks of the list have one
        if (live < B2D_LANES) {
            to->block = graph->blocks[here], to->manifold = graph->manifolds[here];
            if (extra) to->extra = *graph->extras[here];
        }
        for (int32_t lane = 0; lane < live; lane++) {
            const int32_t from = b2d_color_list_lane(item->list, (int32_t)(uint32_t)item->keys[lane]),
                          block = from / B2D_LANES, at = from % B2D_LANES;
            move_lane(&to->block, lane, &graph->blocks[block], at, sizeof to->block);
            move_lane(&to->manifold, lane, &graph->manifolds[block], at, sizeof to->manifold);
            if (extra) move_lane(&to->extra, lane, graph->extras[block], at, sizeof to->extra);
        }
    }
}

static void put_sorted(void* context, int32_t begin, int32_t end, int32_t worker) {
    (void)worker;
    const sort_job* job = context;
    b2d_graph* graph = job->graph;
    for (int32_t i = begin; i < end; i++) {
        sort_item* item = &job->items[i];
        const sorted_block* from = &job->sorted[i];
        const int32_t here = item->list->blocks[item->k], live = b2d_color_list_live(item->list, item->k);
        graph->blocks[here] = from->block, graph->manifolds[here] = from->manifold;
        if (graph->extras[here] != NULL) *graph->extras[here] = from->extra;
        item->needs_extra = false;
        for (int32_t lane = 0; lane < live; lane++) {
            b2d_pair* pair = &graph->pairs[from->manifold.contact[lane]];
            pair->lane_index = here * B2D_LANES + lane;
            item->needs_extra = item->needs_extra || (pair->flags & B2D_PAIR_EXTRA) != 0;
        }
    }
}

// Lists the blocks of the colour and the order of their lanes. Returns how many there are; B2D_NONE: no memory.
static int32_t order_color(b2d_graph* graph, b2d_arena* arena, int32_t color, sort_item* items) {
    int32_t count = 0;
    for (int32_t cluster = 0; cluster < graph->cluster_count; cluster++)
        for (int32_t fixed = 0; fixed < 2; fixed++) {
            const b2d_color_list* list = &graph->clusters[cluster].contacts[color][fixed];
            if (list->count < 2) continue;
            const size_t room = (size_t)list->count * sizeof(uint64_t);
            uint64_t *keys = b2d_arena_take(arena, room), *scratch = b2d_arena_take(arena, room);
            if (keys == NULL || scratch == NULL || !take_extras(graph, list)) return B2D_NONE;
            for (int32_t k = 0; k < list->count; k++)
                keys[k] = (uint64_t)first_body(graph, list, k, fixed) << 32 | (uint32_t)k;
            b2d_radix_sort(keys, scratch, list->count);
            for (int32_t k = 0; k < b2d_color_list_blocks(list); k++)
                items[count++] = (sort_item){.list = list, .keys = keys + k * B2D_LANES, .k = k};
        }
    return count;
}

static void sort_color(b2d_graph* graph, b2d_scheduler* scheduler, b2d_arena* arena, int32_t color) {
    enum { BLOCK_GRAIN = 2 };
    const size_t blocks = (size_t)graph->color_blocks[color];
    sort_job job = {graph, b2d_arena_take(arena, blocks * sizeof *job.items),
                    b2d_arena_take(arena, blocks * sizeof *job.sorted)};
    if (job.items == NULL || job.sorted == NULL) return; // without memory the order stays as it is
    const int32_t count = order_color(graph, arena, color, job.items);
    if (count == B2D_NONE) return;
    const b2d_stage stages[2] = {{gather_sorted, &job, count, BLOCK_GRAIN}, {put_sorted, &job, count, BLOCK_GRAIN}};
    b2d_scheduler_run_entered(scheduler, stages, 2);
    for (int32_t i = 0; i < count; i++)
        if (!job.items[i].needs_extra) give_extra(graph, job.items[i].list->blocks[job.items[i].k]);
    graph->color_disorder[color] = 0;
}

void b2d_color_sort_contacts(b2d_graph* graph, b2d_scheduler* scheduler, b2d_arena* arena) {
    enum { LEAST = 256 }; // lanes that are out of order; fewer stay in the cache in any order
    if (B2D_LANES * graph->block_ids.count < LEAST) return;
    for (int32_t color = 0; color < B2D_COLORS; color++) {
        const int32_t disorder = graph->color_disorder[color];
        if (disorder < LEAST || 2 * disorder < B2D_LANES * graph->color_blocks[color]) continue;
        sort_color(graph, scheduler, arena, color);
        return;
    }
}

void b2d_color_free_lists(b2d_graph* graph, b2d_color_list* lists, int32_t count) {
    for (int32_t k = 0; k < count; k++)
        b2d_free(graph->memory, lists[k].blocks, (size_t)lists[k].block_capacity * sizeof *lists[k].blocks);
}
