// csrc/graph/validate.c - checks every invariant of the graph; for tests and world.validate().
#include "graph/graph.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FAIL(...) return (snprintf(message, room, __VA_ARGS__), message)

// A worker that solves one cluster must not touch bodies of another cluster that is solved at the same time.
static bool clusters_tied(const b2d_graph* graph, int32_t cluster, int32_t a, int32_t b) {
    const int32_t root = b2d_cluster_find(graph, cluster);
    return b2d_cluster_find(graph, graph->body_clusters[a]) == root &&
           (graph->bodies[b].type == B2D_STATIC || b2d_cluster_find(graph, graph->body_clusters[b]) == root);
}

// A block has the cluster of its list; those of the overflow belong to none.
static const char* check_blocks(const b2d_color_list* list, const uint16_t* clusters, int32_t cluster, char* message,
                                size_t room) {
    for (int32_t k = 0; k < b2d_color_list_blocks(list); k++)
        if (clusters[list->blocks[k]] != cluster)
            FAIL("block %d of cluster %d says cluster %d", list->blocks[k], cluster, clusters[list->blocks[k]]);
    return NULL;
}

static const char* check_lanes(const b2d_graph* graph, const b2d_color_list* list, int32_t color, int32_t fixed,
                               char* message, size_t room) {
    for (int32_t n = 0; n < list->count; n++) {
        int32_t block = list->blocks[n / B2D_LANES], lane = n % B2D_LANES;
        int32_t id = graph->manifolds[block].contact[lane];
        if (!b2d_id_pool_has(&graph->contact_ids, id))
            FAIL("lane %d of block %d names dead contact %d", lane, block, id);
        const b2d_pair* pair = &graph->pairs[id];
        const b2d_contact* contact = &graph->contacts[id];
        if (pair->lane_index != block * B2D_LANES + lane)
            FAIL("contact %d has lane_index %d but is in block %d lane %d", id, pair->lane_index, block, lane);
        if (contact->color != color || contact->fixed != fixed)
            FAIL("contact %d is in colour %d list %d but its row says %d, %d", id, color, fixed, contact->color,
                 contact->fixed);
        bool flip = (pair->flags & B2D_PAIR_FLIP) != 0;
        int32_t a = flip ? pair->body_b : pair->body_a, b = flip ? pair->body_a : pair->body_b;
        if (!clusters_tied(graph, color == B2D_OVERFLOW ? graph->body_clusters[a] : graph->block_clusters[block], a, b))
            FAIL("contact %d is in a cluster that is not tied to its bodies'", id);
        if (graph->blocks[block].body_a[lane] != a || graph->blocks[block].body_b[lane] != b)
            FAIL("contact %d: its lane names other bodies", id);
        if (!b2d_moves(graph, a) || b2d_moves(graph, b) == fixed)
            FAIL("contact %d: side A must move, and list %d fits side B's type", id, fixed);
        if ((pair->flags & B2D_PAIR_EXTRA) && graph->extras[block] == NULL)
            FAIL("contact %d lacks its extra block", id);
    }
    for (int32_t n = list->count; n % B2D_LANES != 0; n++) {
        int32_t block = list->blocks[n / B2D_LANES], lane = n % B2D_LANES;
        if (graph->blocks[block].body_a[lane] != B2D_NONE || graph->manifolds[block].contact[lane] != B2D_NONE)
            FAIL("padding lane %d of block %d is not empty", lane, block);
    }
    return NULL;
}

static const char* check_joint_lanes(const b2d_graph* graph, const b2d_color_list* list, int32_t color, int32_t fixed,
                                     char* message, size_t room) {
    for (int32_t n = 0; n < list->count; n++) {
        int32_t lane_index = list->blocks[n / B2D_LANES] * B2D_LANES + n % B2D_LANES,
                id = graph->joint_block_joint[lane_index];
        if (!b2d_id_pool_has(&graph->joint_ids, id)) FAIL("joint lane %d names dead joint %d", lane_index, id);
        const b2d_joint* joint = &graph->joints[id];
        int32_t block = lane_index / B2D_LANES, lane = lane_index % B2D_LANES,
                flip = (joint->flags & B2D_JOINT_FLIP) != 0;
        if (!clusters_tied(graph,
                           color == B2D_OVERFLOW ? graph->body_clusters[joint->body[flip]]
                                                 : graph->joint_block_clusters[block],
                           joint->body[flip], joint->body[!flip]))
            FAIL("joint %d is in a cluster that is not tied to its bodies'", id);
        if (graph->joint_blocks[block].body_a[lane] != joint->body[flip] ||
            graph->joint_blocks[block].body_b[lane] != joint->body[!flip])
            FAIL("joint %d: its lane names other bodies", id);
        if (!b2d_moves(graph, joint->body[flip]) || b2d_moves(graph, joint->body[!flip]) == fixed)
            FAIL("joint %d: side A must move, and list %d fits side B's type", id, fixed);
        if (joint->lane_index != lane_index || joint->color != color || joint->fixed != fixed)
            FAIL("joint %d is not in the lane that its row names", id);
    }
    return NULL;
}

static const char* check_contacts(const b2d_graph* graph, uint64_t* masks, char* message, size_t room) {
    int32_t touching = 0, rest = 0, solved = 0;
    for (int32_t id = b2d_id_pool_next(&graph->contact_ids, 0); id != B2D_NONE;
         id = b2d_id_pool_next(&graph->contact_ids, id + 1)) {
        const b2d_pair* pair = &graph->pairs[id];
        const b2d_contact* contact = &graph->contacts[id];
        if (graph->contact_generations[id] == 0) FAIL("contact %d is alive without a generation", id);
        if (b2d_pair_set_find(&graph->pair_set, b2d_pair_key(pair->shape_a, pair->shape_b)) != id)
            FAIL("contact %d is not in the pair set", id);
        bool touches = (pair->flags & B2D_PAIR_TOUCHING) != 0, at_rest = (pair->flags & B2D_PAIR_REST) != 0;
        if (touches != (pair->lane_index != B2D_NONE || at_rest) || (pair->lane_index != B2D_NONE && at_rest))
            FAIL("contact %d: touching %d, lane_index %d, at rest %d", id, touches, pair->lane_index, at_rest);
        if (at_rest != (contact->rest != B2D_NONE) || (at_rest && !b2d_id_pool_has(&graph->rest_ids, contact->rest)))
            FAIL("contact %d: rest row %d", id, contact->rest);
        touching += touches, rest += at_rest, solved += pair->lane_index != B2D_NONE;
        bool dynamic_a = b2d_moves(graph, pair->body_a), dynamic_b = b2d_moves(graph, pair->body_b);
        bool awake_a = b2d_is_awake(graph, pair->body_a), awake_b = b2d_is_awake(graph, pair->body_b);
        if (!dynamic_a && !dynamic_b) FAIL("contact %d between two bodies that do not move", id);
        bool awake = !at_rest && (awake_a || awake_b);
        if (b2d_bits_has(&graph->awake_contacts[pair->bucket], id) != awake)
            FAIL("contact %d: awake bit %d, should be %d", id, !awake, awake);
        bool dynamic_awake = (dynamic_a && awake_a) || (dynamic_b && awake_b);
        if (touches && at_rest == dynamic_awake)
            FAIL("touching contact %d: at rest %d while a dynamic side is awake %d", id, at_rest, dynamic_awake);
        bool links = touches && dynamic_a && dynamic_b;
        const bool loose = graph->loose && contact->island == B2D_NONE && b2d_is_awake(graph, pair->body_a);
        if (links != (contact->island != B2D_NONE) && !loose)
            FAIL("contact %d: island %d, should link: %d", id, contact->island, links);
        if (links && !loose) {
            const b2d_island_links linked = b2d_island_linked(&graph->islands[contact->island]);
            if (contact->island_slot >= linked.contact_count || linked.contacts[contact->island_slot].id != id)
                FAIL("contact %d is not in slot %d of island %d", id, contact->island_slot, contact->island);
            if (graph->bodies[pair->body_a].island != contact->island ||
                graph->bodies[pair->body_b].island != contact->island)
                FAIL("contact %d links bodies of islands %d and %d", id, graph->bodies[pair->body_a].island,
                     graph->bodies[pair->body_b].island);
        }
        if (pair->lane_index != B2D_NONE && contact->color != B2D_OVERFLOW)
            for (int32_t side = 0; side < 2; side++) {
                int32_t body = side ? pair->body_b : pair->body_a;
                if (!b2d_moves(graph, body)) continue;
                if (masks[body] >> contact->color & 1)
                    FAIL("body %d is twice in colour %d (contact %d)", body, contact->color, id);
                masks[body] |= 1ull << contact->color;
            }
        for (int32_t side = 0; side < 2; side++) {
            int32_t next = contact->next[side], prev = contact->prev[side], body = side ? pair->body_b : pair->body_a;
            if (next != B2D_NONE ? graph->contacts[next >> 1].prev[next & 1] != (id << 1 | side)
                                 : graph->bodies[body].contact_tail != (id << 1 | side))
                FAIL("contact %d: broken adjacency after side %d", id, side);
            if (next != B2D_NONE && graph->pairs[next >> 1].flags & ~pair->flags & B2D_PAIR_TERRAIN)
                FAIL("contact %d is with a terrain shape, but comes after one that is not", next >> 1);
            if (prev != B2D_NONE ? graph->contacts[prev >> 1].next[prev & 1] != (id << 1 | side)
                                 : graph->bodies[body].contact_head != (id << 1 | side))
                FAIL("contact %d: broken adjacency before side %d", id, side);
        }
    }
    if (touching != graph->touching) FAIL("%d contacts touch, the counter says %d", touching, graph->touching);
    if (rest != graph->rest_ids.count) FAIL("%d contacts rest, the pool has %d rows", rest, graph->rest_ids.count);
    if (graph->pair_set.count != graph->contact_ids.count)
        FAIL("pair set has %d keys for %d contacts", graph->pair_set.count, graph->contact_ids.count);
    int32_t listed = 0;
    for (int32_t f = 0; f < 2; f++) {
        for (int32_t c = 0; c < B2D_COLORS; c++)
            for (int32_t cluster = 0; cluster < graph->cluster_count; cluster++) {
                const b2d_color_list* list = &graph->clusters[cluster].contacts[c][f];
                listed += list->count;
                if (check_blocks(list, graph->block_clusters, cluster, message, room) ||
                    check_lanes(graph, list, c, f, message, room))
                    return message;
            }
        listed += graph->overflow_contact_list[f].count;
        if (check_lanes(graph, &graph->overflow_contact_list[f], B2D_OVERFLOW, f, message, room)) return message;
    }
    if (listed != solved) FAIL("%d lanes in use for %d solved contacts", listed, solved);
    B2D_FOR_BITS (&graph->overflow_contacts, id)
        if (!b2d_id_pool_has(&graph->contact_ids, id) || graph->contacts[id].color != B2D_OVERFLOW)
            FAIL("contact %d of another colour is in the set of the overflow", id);
    if (b2d_bits_count(&graph->overflow_contacts) != b2d_overflow_count(graph->overflow_contact_list))
        FAIL("the set and the blocks of the overflow contacts differ");
    int32_t unlike = 0;
    for (int32_t id = b2d_id_pool_next(&graph->contact_ids, 0); id != B2D_NONE;
         id = b2d_id_pool_next(&graph->contact_ids, id + 1))
        unlike += b2d_is_unlike(graph, id);
    B2D_FOR_BITS (&graph->unlike_contacts, id)
        if (!b2d_id_pool_has(&graph->contact_ids, id) || !b2d_is_unlike(graph, id))
            FAIL("contact %d is in the set of contacts of unlike masses", id);
    if (b2d_bits_count(&graph->unlike_contacts) != unlike) FAIL("the set of contacts of unlike masses lacks some");
    B2D_FOR_BITS (&graph->pressed_contacts, id)
        if (!b2d_bits_has(&graph->in_lanes, id)) FAIL("contact %d was in a press and is in no block", id);
    return NULL;
}

static const char* check_joints(const b2d_graph* graph, uint64_t* masks, char* message, size_t room) {
    int32_t solved = 0, listed = 0;
    for (int32_t id = b2d_id_pool_next(&graph->joint_ids, 0); id != B2D_NONE;
         id = b2d_id_pool_next(&graph->joint_ids, id + 1)) {
        const b2d_joint* joint = &graph->joints[id];
        const b2d_body *a = &graph->bodies[joint->body[0]], *b = &graph->bodies[joint->body[1]];
        bool enabled = b2d_joint_acts(graph, joint);
        bool dynamic_a = a->type == B2D_DYNAMIC, dynamic_b = b->type == B2D_DYNAMIC;
        bool awake = (dynamic_a && b2d_is_awake(graph, joint->body[0])) ||
                     (dynamic_b && b2d_is_awake(graph, joint->body[1]));
        if ((joint->lane_index != B2D_NONE) != (enabled && awake))
            FAIL("joint %d: lane_index %d, enabled %d, awake %d", id, joint->lane_index, enabled, awake);
        bool links = enabled && dynamic_a && dynamic_b;
        const bool loose = graph->loose && joint->island == B2D_NONE && awake;
        if (links != (joint->island != B2D_NONE) && !loose)
            FAIL("joint %d: island %d, should link: %d", id, joint->island, links);
        if (links && !loose &&
            (a->island != joint->island || b->island != joint->island ||
             joint->island_slot >= b2d_island_linked(&graph->islands[joint->island]).joint_count ||
             b2d_island_linked(&graph->islands[joint->island]).joints[joint->island_slot].id != id))
            FAIL("joint %d and its island disagree", id);
        solved += joint->lane_index != B2D_NONE;
        if (joint->lane_index != B2D_NONE && joint->color != B2D_OVERFLOW)
            for (int32_t side = 0; side < 2; side++) {
                if (!b2d_moves(graph, joint->body[side])) continue;
                if (masks[joint->body[side]] >> joint->color & 1)
                    FAIL("body %d is twice in colour %d (joint %d)", joint->body[side], joint->color, id);
                masks[joint->body[side]] |= 1ull << joint->color;
            }
        for (int32_t side = 0; side < 2; side++) {
            int32_t next = joint->next[side], prev = joint->prev[side];
            if (next != B2D_NONE && graph->joints[next >> 1].prev[next & 1] != (id << 1 | side))
                FAIL("joint %d: broken adjacency after side %d", id, side);
            if (prev != B2D_NONE ? graph->joints[prev >> 1].next[prev & 1] != (id << 1 | side)
                                 : graph->bodies[joint->body[side]].joint_head != (id << 1 | side))
                FAIL("joint %d: broken adjacency before side %d", id, side);
        }
    }
    for (int32_t f = 0; f < 2; f++) {
        for (int32_t c = 0; c < B2D_COLORS; c++)
            for (int32_t cluster = 0; cluster < graph->cluster_count; cluster++) {
                const b2d_color_list* list = &graph->clusters[cluster].joints[c][f];
                listed += list->count;
                if (check_blocks(list, graph->joint_block_clusters, cluster, message, room) ||
                    check_joint_lanes(graph, list, c, f, message, room))
                    return message;
            }
        listed += graph->overflow_joint_list[f].count;
        if (check_joint_lanes(graph, &graph->overflow_joint_list[f], B2D_OVERFLOW, f, message, room)) return message;
    }
    if (listed != solved) FAIL("%d joint lanes in use for %d solved joints", listed, solved);
    B2D_FOR_BITS (&graph->overflow_joints, id)
        if (!b2d_id_pool_has(&graph->joint_ids, id) || graph->joints[id].color != B2D_OVERFLOW)
            FAIL("joint %d of another colour is in the set of the overflow", id);
    if (b2d_bits_count(&graph->overflow_joints) != b2d_overflow_count(graph->overflow_joint_list))
        FAIL("the set and the blocks of the overflow joints differ");
    return NULL;
}

static const char* check_islands(const b2d_graph* graph, char* message, size_t room) {
    if (graph->merged_count != 0) FAIL("%d merged islands were not collapsed", graph->merged_count);
    for (int32_t cluster = 0; cluster < graph->cluster_count; cluster++) {
        int32_t blocks = 0;
        for (int32_t k = 0; k < B2D_CLUSTER_LISTS; k++)
            blocks += b2d_color_list_blocks(&graph->clusters[cluster].joints[0][0] + k);
        if (blocks != graph->cluster_blocks[cluster])
            FAIL("cluster %d has %d blocks, the counter says %d", cluster, blocks, graph->cluster_blocks[cluster]);
    }
    for (int32_t color = 0; color < B2D_COLORS; color++) {
        int32_t blocks = 0;
        for (int32_t cluster = 0; cluster < graph->cluster_count; cluster++)
            for (int32_t f = 0; f < 2; f++)
                blocks += b2d_color_list_blocks(&graph->clusters[cluster].joints[color][f]) +
                          b2d_color_list_blocks(&graph->clusters[cluster].contacts[color][f]);
        if (blocks != graph->color_blocks[color])
            FAIL("colour %d has %d blocks, the counter says %d", color, blocks, graph->color_blocks[color]);
    }
    for (int32_t id = b2d_id_pool_next(&graph->island_ids, 0); id != B2D_NONE;
         id = b2d_id_pool_next(&graph->island_ids, id + 1)) {
        const b2d_island* island = &graph->islands[id];
        if (island->body_count == 0) FAIL("island %d is empty", id);
        if (!graph->grouped && island->body_count > 1 && b2d_is_awake(graph, b2d_island_bodies(island)[0]))
            FAIL("island %d has several bodies, unnoticed", id);
        if (island->parent != B2D_NONE) FAIL("island %d has parent %d", id, island->parent);
        bool awake = b2d_is_awake(graph, b2d_island_bodies(island)[0]);
        for (int32_t k = 0; k < island->body_count; k++) {
            const b2d_body* body = &graph->bodies[b2d_island_bodies(island)[k]];
            if (body->island != id || body->island_slot != k)
                FAIL("body %d in slot %d of island %d says %d, %d", b2d_island_bodies(island)[k], k, id, body->island,
                     body->island_slot);
            if (graph->body_clusters[b2d_island_bodies(island)[k]] != island->cluster)
                FAIL("body %d is not in the cluster of its island %d", b2d_island_bodies(island)[k], id);
            if (b2d_is_awake(graph, b2d_island_bodies(island)[k]) != awake)
                FAIL("island %d is half awake (body %d)", id, b2d_island_bodies(island)[k]);
            if (body->type != B2D_DYNAMIC && island->body_count != 1)
                FAIL("body %d does not move but shares island %d", b2d_island_bodies(island)[k], id);
        }
        const b2d_island_links linked = b2d_island_linked(island);
        for (int32_t k = 0; k < linked.contact_count; k++)
            if (graph->contacts[linked.contacts[k].id].island != id ||
                graph->contacts[linked.contacts[k].id].island_slot != k)
                FAIL("link %d of island %d: contact %d disagrees", k, id, linked.contacts[k].id);
        for (int32_t k = 0; k < linked.joint_count; k++)
            if (graph->joints[linked.joints[k].id].island != id || graph->joints[linked.joints[k].id].island_slot != k)
                FAIL("link %d of island %d: joint %d disagrees", k, id, linked.joints[k].id);
    }
    return NULL;
}

const char* b2d_graph_validate(const b2d_graph* graph, char* message, size_t room) {
    uint64_t* masks = calloc((size_t)graph->body_capacity + 1, sizeof *masks);
    if (masks == NULL) return NULL;
    const char* fault = check_contacts(graph, masks, message, room);
    if (fault == NULL) fault = check_joints(graph, masks, message, room);
    for (int32_t body = 0; fault == NULL && body < b2d_min_int(graph->body_capacity, graph->color_mask_capacity);
         body++)
        if (graph->color_masks[body] != masks[body]) {
            snprintf(message, room, "body %d: colour mask %016llx, recomputed %016llx", body,
                     (unsigned long long)graph->color_masks[body], (unsigned long long)masks[body]);
            fault = message;
        }
    free(masks);
    return fault != NULL ? fault : check_islands(graph, message, room);
}
