// csrc/graph/color.c - greedy persistent colours, and the blocks in which coloured constraints live.
//
// Idea: a constraint takes the first colour that none of its dynamic bodies has; each body has a mask of 32 bits for
// its colours. Pairs of dynamic bodies take colours 0 to 27, the lowest free one. Constraints with a fixed side take
// the highest free one of all 32; only they use the last four, so that most of them are solved last. A constraint
// without a free colour goes to the overflow, which is solved serially before the colours. The choice depends only on
// the masks, and the masks only on the order of serial calls, never on lanes. The lanes of a list have no holes: when
// one is removed, the last lane moves into its place. Here are the blocks of contacts; color_joints.c has those of
// joints, color_order.c sorts the contacts of a colour.
// Cost: O(1) for each constraint. Proof: b2d_graph_validate recomputes all masks.
#include "graph/color_parts.h"

#include <stdlib.h>
#include <string.h>

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

bool b2d_color_reserve_contacts(b2d_graph* graph, int32_t contacts) {
    return reserve_blocks(graph, b2d_color_rows_for(&graph->block_ids, b2d_color_blocks_of(graph, contacts)));
}

static int32_t take_contact_block(b2d_graph* graph, const b2d_color_list* list, int32_t cluster) {
    const int32_t id = b2d_color_next_block_id(&graph->block_ids, list);
    if (id == B2D_NONE || !reserve_blocks(graph, b2d_max_int(graph->block_ids.limit, id + 1)) ||
        !b2d_id_pool_take_id(graph->memory, &graph->block_ids, id))
        return B2D_NONE;
    clear_contact_block(&graph->blocks[id], &graph->manifolds[id]);
    B2D_ASSERT(graph->extras[id] == NULL);
    graph->block_clusters[id] = (uint16_t)cluster;
    return id;
}

// Gives the block an extra block if it has none; false: no memory.
bool b2d_color_take_extra(b2d_graph* graph, int32_t block) {
    if (graph->extras[block] != NULL) return true;
    size_t granted;
    b2d_extra_block* extra = graph->extras[block] = b2d_pool_take(graph->memory, &graph->pool, sizeof *extra, &granted);
    if (extra == NULL) return false;
    memset(extra, 0, sizeof *extra);
    b2d_bits_set(&graph->extra_blocks, block);
    return true;
}
void b2d_color_give_extra(b2d_graph* graph, int32_t block) {
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

static b2d_contact_record present_record(const b2d_graph* graph, const b2d_contact_record* kept) {
    b2d_contact_record record = *kept;
    const float ratio = b2d_color_impulse_ratio(graph, record.impulse_h);
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
void b2d_color_abandon(b2d_graph* graph, int32_t lane_index) {
    if (lane_index % B2D_LANES != 0) return;
    b2d_color_give_extra(graph, lane_index / B2D_LANES);
    b2d_id_pool_release(&graph->block_ids, lane_index / B2D_LANES);
}

// ---- A contact takes its place in a colour, in steps that many contacts at once take one after the other ----

void b2d_place_begin(const b2d_graph* graph, b2d_contact_place* place, int32_t id, bool extra) {
    const b2d_pair* pair = &graph->pairs[id];
    const bool flip = (pair->flags & B2D_PAIR_FLIP) != 0;
    place->contact = id;
    place->side[0] = flip ? pair->body_b : pair->body_a, place->side[1] = flip ? pair->body_a : pair->body_b;
    for (int32_t k = 0; k < 2; k++) place->moving[k] = b2d_moves(graph, place->side[k]) ? place->side[k] : B2D_NONE;
    place->fixed = place->moving[1] == B2D_NONE;
    place->extra = extra;
}

void b2d_place_color(b2d_graph* graph, b2d_contact_place* place) {
    uint64_t used = 0;
    for (int32_t k = 0; k < 2; k++)
        if (place->moving[k] != B2D_NONE) used |= graph->color_masks[place->moving[k]];
    place->color = (int8_t)b2d_pick_color(used, place->fixed);
    b2d_color_change_masks(graph, place->moving, place->color, true);
}

void b2d_place_cluster(b2d_graph* graph, b2d_contact_place* place) {
    place->cluster = (uint16_t)b2d_choose_cluster(graph, place->side[0], place->side[1]);
}

void b2d_place_bits(b2d_graph* graph, const b2d_contact_place* place) {
    b2d_bits_set(&graph->in_lanes, place->contact);
    if (place->unlike) b2d_bits_set(&graph->unlike_contacts, place->contact);
}

bool b2d_place_lane(b2d_graph* graph, b2d_contact_place* place) {
    b2d_color_list* list = b2d_color_contact_list(graph, place->cluster, place->color, place->fixed);
    const int32_t lane_index = place->lane_index = open_contact_lane(graph, list, place->cluster),
                  block = lane_index / B2D_LANES, lane = lane_index % B2D_LANES;
    if (lane_index == B2D_NONE) return false;
    if (place->extra && !b2d_color_take_extra(graph, block)) {
        b2d_color_abandon(graph, lane_index);
        return false;
    }
    list->count++;
    if (lane == 0) b2d_color_count_block(graph, place->cluster, place->color, 1);
    graph->blocks[block].body_a[lane] = place->side[0];
    graph->blocks[block].body_b[lane] = place->side[1];
    graph->manifolds[block].contact[lane] = place->contact;
    if (place->color == B2D_OVERFLOW) b2d_bits_set(&graph->overflow_contacts, place->contact);
    else if (list->count > 1)
        graph->color_disorder[place->color] += b2d_color_first_body(graph, list, list->count - 1, place->fixed) <
                                               b2d_color_first_body(graph, list, list->count - 2, place->fixed);
    return true;
}

void b2d_place_undo(b2d_graph* graph, const b2d_contact_place* place) {
    b2d_color_change_masks(graph, place->moving, place->color, false);
    b2d_color_unset_bits(graph, place->contact);
}

void b2d_place_end(b2d_graph* graph, const b2d_contact_place* place) {
    b2d_pair* pair = &graph->pairs[place->contact];
    b2d_contact* contact = &graph->contacts[place->contact];
    pair->lane_index = place->lane_index;
    pair->flags = (uint8_t)(place->extra ? pair->flags | B2D_PAIR_EXTRA : pair->flags & ~B2D_PAIR_EXTRA);
    contact->color = place->color;
    contact->fixed = place->fixed;
}

static bool place_contact(b2d_graph* graph, int32_t id, bool extra) {
    b2d_contact_place place = {.unlike = (graph->contacts[id].flags & B2D_CONTACT_UNLIKE) != 0};
    B2D_ASSERT(graph->pairs[id].lane_index == B2D_NONE);
    b2d_place_begin(graph, &place, id, extra);
    b2d_place_color(graph, &place);
    b2d_place_cluster(graph, &place);
    b2d_place_bits(graph, &place);
    const bool done = b2d_place_lane(graph, &place);
    if (done) b2d_place_end(graph, &place);
    else b2d_place_undo(graph, &place);
    return done;
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
    if (!place_contact(graph, id, extra)) return false;
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
    record->roll_arm = block->roll_arm[lane];
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

// A rotation of zero is no valid pose, so the narrow phase cannot recycle the manifold and computes it again. Several
// workers may refresh a contact at once.
void b2d_contact_refresh(b2d_graph* graph, int32_t id) {
    const b2d_pair* pair = &graph->pairs[id];
    const int32_t rest = graph->contacts[id].rest;
    float *qc, *qs, zero = 0.0f;
    if (pair->lane_index != B2D_NONE) {
        b2d_manifold_block* manifold = &graph->manifolds[pair->lane_index / B2D_LANES];
        qc = &manifold->qc[pair->lane_index % B2D_LANES], qs = &manifold->qs[pair->lane_index % B2D_LANES];
    } else if (rest != B2D_NONE) qc = &graph->rest[rest].qc, qs = &graph->rest[rest].qs;
    else return;
    __atomic_store(qc, &zero, __ATOMIC_RELAXED);
    __atomic_store(qs, &zero, __ATOMIC_RELAXED);
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

static void clear_extra_lane(b2d_extra_block* extra, int32_t lane) {
    for (size_t k = 0; k < sizeof *extra / sizeof(float); k += B2D_LANES) ((float*)extra)[k + (size_t)lane] = 0.0f;
}

// All rows but those of ids.
void b2d_color_copy_values(b2d_graph* graph, int32_t to, const b2d_graph* from, int32_t source) {
    const int32_t to_block = to / B2D_LANES, to_lane = to % B2D_LANES, from_block = source / B2D_LANES,
                  from_lane = source % B2D_LANES;
    b2d_move_lane(graph->blocks[to_block].nx, to_lane, from->blocks[from_block].nx, from_lane,
                  sizeof(b2d_contact_block) - offsetof(b2d_contact_block, nx));
    b2d_move_lane(graph->manifolds[to_block].feature, to_lane, from->manifolds[from_block].feature, from_lane,
                  sizeof(b2d_manifold_block) - offsetof(b2d_manifold_block, feature));
    if (graph->extras[to_block] == NULL) return;
    if (from->extras[from_block] != NULL)
        b2d_move_lane(graph->extras[to_block], to_lane, from->extras[from_block], from_lane, sizeof(b2d_extra_block));
    else clear_extra_lane(graph->extras[to_block], to_lane);
}

void b2d_color_copy_ids(b2d_graph* graph, int32_t to, const b2d_graph* from, int32_t source) {
    b2d_contact_block* block = &graph->blocks[to / B2D_LANES];
    const b2d_contact_block* other = &from->blocks[source / B2D_LANES];
    block->body_a[to % B2D_LANES] = other->body_a[source % B2D_LANES];
    block->body_b[to % B2D_LANES] = other->body_b[source % B2D_LANES];
    graph->manifolds[to / B2D_LANES].contact[to % B2D_LANES] =
        from->manifolds[source / B2D_LANES].contact[source % B2D_LANES];
}

static void copy_rows_of_lane(b2d_graph* graph, int32_t to, const b2d_graph* from, int32_t source) {
    b2d_color_copy_ids(graph, to, from, source);
    b2d_color_copy_values(graph, to, from, source);
}

// Moves the contact at lane_index `from` to lane_index `to`. If there is no memory for its extra values (restitution
// and so on), the contact loses them, and its flag is cleared.
static void copy_contact_lane(b2d_graph* graph, int32_t to, int32_t from) {
    int32_t moved = graph->manifolds[from / B2D_LANES].contact[from % B2D_LANES];
    if ((graph->pairs[moved].flags & B2D_PAIR_EXTRA) != 0 && !b2d_color_take_extra(graph, to / B2D_LANES))
        graph->pairs[moved].flags &= (uint8_t)~B2D_PAIR_EXTRA;
    copy_rows_of_lane(graph, to, graph, from);
    graph->pairs[moved].lane_index = to;
}

void b2d_color_clear_lane(b2d_graph* graph, int32_t lane_index) {
    const int32_t block = lane_index / B2D_LANES, lane = lane_index % B2D_LANES;
    clear_contact_lane(&graph->blocks[block], &graph->manifolds[block], lane);
    if (graph->extras[block] != NULL) clear_extra_lane(graph->extras[block], lane);
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
    b2d_color_clear_lane(graph, last);
    b2d_color_abandon(graph, last);
    if (last_lane == 0) b2d_color_count_block(graph, graph->block_clusters[last_block], color, -1);
}

void b2d_color_unset_bits(b2d_graph* graph, int32_t id) {
    b2d_bits_unset(&graph->overflow_contacts, id);
    b2d_bits_unset(&graph->unlike_contacts, id);
    b2d_bits_unset(&graph->pressed_contacts, id);
    b2d_bits_unset(&graph->in_lanes, id);
}

void b2d_color_remove_contact(b2d_graph* graph, int32_t id, b2d_contact_record* record) {
    b2d_pair* pair = &graph->pairs[id];
    b2d_contact* contact = &graph->contacts[id];
    const int32_t color = contact->color, lane_index = pair->lane_index;
    if (record != NULL) b2d_contact_record_read(graph, id, record);
    b2d_color_set_masks(graph, pair->body_a, pair->body_b, color, false);
    b2d_color_unset_bits(graph, id);
    b2d_color_list* list = b2d_color_contact_list(graph, graph->block_clusters[lane_index / B2D_LANES], color,
                                                  contact->fixed);
    pair->lane_index = B2D_NONE;
    contact->color = -1;
    close_contact_lane(graph, list, color, lane_index);
}

bool b2d_color_copy_contact(b2d_graph* graph, int32_t id, const b2d_graph* from, int32_t source) {
    b2d_pair* pair = &graph->pairs[id];
    const b2d_contact* contact = &graph->contacts[id];
    const bool flip = (pair->flags & B2D_PAIR_FLIP) != 0;
    const int32_t side_a = flip ? pair->body_b : pair->body_a, cluster = graph->body_clusters[side_a];
    b2d_color_list* list = b2d_color_contact_list(graph, cluster, contact->color, contact->fixed);
    const bool stays = pair->lane_index != B2D_NONE;
    const int32_t to = stays ? pair->lane_index : open_contact_lane(graph, list, cluster);
    if (to == B2D_NONE) return false;
    if ((pair->flags & B2D_PAIR_EXTRA) != 0 && !b2d_color_take_extra(graph, to / B2D_LANES)) {
        if (!stays) b2d_color_abandon(graph, to);
        return false;
    }
    pair->lane_index = to;
    list->count += !stays;
    if (!stays && to % B2D_LANES == 0) b2d_color_count_block(graph, cluster, contact->color, 1);
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
    b2d_color_list* list = b2d_color_contact_list(graph, cluster, contact->color, contact->fixed);
    int32_t to = open_contact_lane(graph, list, cluster);
    if (to == B2D_NONE) return false;
    if ((pair->flags & B2D_PAIR_EXTRA) != 0 && !b2d_color_take_extra(graph, to / B2D_LANES)) {
        b2d_color_abandon(graph, to);
        return false;
    }
    list->count++;
    if (to % B2D_LANES == 0) b2d_color_count_block(graph, cluster, contact->color, 1);
    copy_contact_lane(graph, to, from);
    close_contact_lane(graph, b2d_color_contact_list(graph, from_cluster, contact->color, contact->fixed),
                       contact->color, from);
    return true;
}

void b2d_color_free_lists(b2d_graph* graph, b2d_color_list* lists, int32_t count) {
    for (int32_t k = 0; k < count; k++)
        b2d_free(graph->memory, lists[k].blocks, (size_t)lists[k].block_capacity * sizeof *lists[k].blocks);
}
