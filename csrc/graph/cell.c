// csrc/graph/cell.c - copies the part of the graph that belongs to one cell: bodies, contacts, joints, islands.
//
// Idea: rows are copied with all their ids translated. Constraints keep their colours and islands keep the order of
// their members, because the steps that follow depend on both. What the target has under the same id is used again:
// lanes of the same colour, arrays of islands, rows of the rest pool. Generations are new.
#include "graph/graph.h"

#include <string.h>

static void leave_lane(b2d_graph* graph, int32_t id) {
    if (graph->pairs[id].lane_index != B2D_NONE) b2d_color_remove_contact(graph, id, NULL);
}

static void leave_rest(b2d_graph* graph, int32_t id) {
    b2d_contact* contact = &graph->contacts[id];
    if (contact->rest != B2D_NONE) b2d_id_pool_release(&graph->rest_ids, contact->rest);
    contact->rest = B2D_NONE;
}

static void forget_contact(b2d_graph* graph, int32_t id) {
    const b2d_pair* pair = &graph->pairs[id];
    leave_lane(graph, id);
    leave_rest(graph, id);
    graph->touching -= (pair->flags & B2D_PAIR_TOUCHING) != 0;
    b2d_pair_set_remove(&graph->pair_set, b2d_pair_key(pair->shape_a, pair->shape_b));
    b2d_bits_unset(&graph->awake_contacts[pair->bucket], id);
    graph->contact_generations[id] = 0;
    b2d_id_pool_release(&graph->contact_ids, id);
}

// Forgets the contacts that the source lacks or has between other shapes, and takes those that stay out of the lanes
// and rows in which they will not be.
static void prepare_contact(b2d_graph* graph, int32_t id, const b2d_graph* from, int32_t source,
                            const b2d_cell_map* map) {
    const b2d_pair *pair = &graph->pairs[id], *other = &from->pairs[source];
    const b2d_contact *now = &graph->contacts[id], *then = &from->contacts[source];
    if (pair->shape_a != b2d_map_shape(map, other->shape_a) || pair->shape_b != b2d_map_shape(map, other->shape_b)) {
        forget_contact(graph, id);
        return;
    }
    if (other->lane_index == B2D_NONE || now->color != then->color || now->fixed != then->fixed) leave_lane(graph, id);
    if (then->rest == B2D_NONE) leave_rest(graph, id);
}

static void prepare_contacts(b2d_graph* graph, const b2d_graph* from, const b2d_cell_map* map) {
    int32_t source = map->from.first;
    for (int32_t id = map->to.first; id < graph->contact_ids.limit; id += map->to.stride, source += map->from.stride) {
        if (!b2d_id_pool_has(&graph->contact_ids, id)) continue;
        if (b2d_id_pool_has(&from->contact_ids, source)) prepare_contact(graph, id, from, source, map);
        else forget_contact(graph, id);
    }
}

static bool copy_contact(b2d_graph* graph, int32_t id, const b2d_graph* from, int32_t source, const b2d_cell_map* map) {
    b2d_pair* pair = &graph->pairs[id];
    b2d_contact* contact = &graph->contacts[id];
    int32_t lane = B2D_NONE, row = B2D_NONE;
    const bool stays = b2d_id_pool_has(&graph->contact_ids, id);
    if (stays) {
        lane = pair->lane_index, row = contact->rest;
        graph->touching -= (pair->flags & B2D_PAIR_TOUCHING) != 0;
        b2d_bits_unset(&graph->awake_contacts[pair->bucket], id);
    } else if (!b2d_id_pool_take_id(graph->memory, &graph->contact_ids, id)) return false;
    *pair = from->pairs[source];
    *contact = from->contacts[source];
    const int32_t source_lane = pair->lane_index, source_row = contact->rest;
    pair->shape_a = b2d_map_shape(map, pair->shape_a), pair->shape_b = b2d_map_shape(map, pair->shape_b);
    pair->body_a = b2d_map_body(map, pair->body_a), pair->body_b = b2d_map_body(map, pair->body_b);
    pair->record = B2D_NONE;
    for (int32_t side = 0; side < 2; side++) {
        contact->next[side] = b2d_map_contact_key(map, contact->next[side]);
        contact->prev[side] = b2d_map_contact_key(map, contact->prev[side]);
    }
    contact->island = b2d_map_strided(map, contact->island);
    pair->lane_index = lane, contact->rest = row;
    graph->contact_generations[id] = ++graph->generation;
    graph->touching += (pair->flags & B2D_PAIR_TOUCHING) != 0;
    if (b2d_bits_has(&from->awake_contacts[pair->bucket], source))
        b2d_bits_set(&graph->awake_contacts[pair->bucket], id);
    if (!stays && !b2d_pair_set_add(graph->memory, &graph->pair_set, b2d_pair_key(pair->shape_a, pair->shape_b), id))
        return false;
    if (source_row != B2D_NONE) {
        if (row == B2D_NONE) {
            if (!B2D_GROW(graph->memory, graph->rest, graph->rest_capacity, b2d_id_pool_rows(&graph->rest_ids)))
                return false;
            contact->rest = b2d_id_pool_take(graph->memory, &graph->rest_ids);
        }
        if (contact->rest == B2D_NONE) return false;
        graph->rest[contact->rest] = from->rest[source_row];
    }
    return source_lane == B2D_NONE || b2d_color_copy_contact(graph, id, from, source);
}

static bool copy_contacts(b2d_graph* graph, const b2d_graph* from, const b2d_cell_map* map) {
    for (int32_t source = map->from.first; source < from->contact_ids.limit; source += map->from.stride)
        if (b2d_id_pool_has(&from->contact_ids, source) &&
            !copy_contact(graph, b2d_map_strided(map, source), from, source, map))
            return false;
    return true;
}

static bool copy_islands(b2d_graph* graph, const b2d_graph* from, const b2d_cell_map* map) {
    int32_t source = map->from.first;
    for (int32_t id = map->to.first; id < graph->island_ids.limit; id += map->to.stride, source += map->from.stride)
        if (b2d_id_pool_has(&graph->island_ids, id) && !b2d_id_pool_has(&from->island_ids, source))
            b2d_island_drop(graph, id);
    for (source = map->from.first; source < from->island_ids.limit; source += map->from.stride)
        if (b2d_id_pool_has(&from->island_ids, source) &&
            !b2d_island_copy(graph, b2d_map_strided(map, source), from, source, map))
            return false;
    return true;
}

static void copy_bodies(b2d_graph* graph, const b2d_graph* from, const b2d_cell_map* map, int32_t count) {
    const int32_t first = map->to.body, source = map->from.body;
    const uint16_t cluster = b2d_cluster_of_new(graph, first);
    for (int32_t k = 0; k < count; k++) {
        b2d_body* body = &graph->bodies[first + k];
        *body = from->bodies[source + k];
        body->shape_head = b2d_map_shape(map, body->shape_head);
        body->contact_head = b2d_map_contact_key(map, body->contact_head);
        body->contact_tail = b2d_map_contact_key(map, body->contact_tail);
        body->joint_head = b2d_map_joint_key(map, body->joint_head);
        body->island = b2d_map_strided(map, body->island);
        graph->color_masks[first + k] = from->color_masks[source + k];
        graph->body_clusters[first + k] = cluster;
    }
    b2d_bits_copy(&graph->awake, first, &from->awake, source, count);
    b2d_bits_copy(&graph->new_fat_boxes, first, &from->new_fat_boxes, source, count);
    b2d_bits_copy(&graph->sleep_changed, first, &from->sleep_changed, source, count);
}

// What a lane is laid out from, besides the length of the step and the bodies
static bool same_options(const b2d_joint* a, const b2d_joint* b) {
    const size_t begin = offsetof(b2d_joint, anchor), end = offsetof(b2d_joint, joint);
    return a->flags == b->flags && a->type == b->type &&
           memcmp((const char*)a + begin, (const char*)b + begin, end - begin) == 0;
}

// Gives the joint its row. It keeps its lane if the source is in the same colour, as mostly when a state is restored;
// otherwise it gives the lane back. `same` becomes whether a kept lane is laid out for the same options.
static bool copy_joint(b2d_graph* graph, int32_t id, const b2d_graph* from, int32_t source, const b2d_cell_map* map,
                       bool* same) {
    b2d_joint* joint = &graph->joints[id];
    const b2d_joint* other = &from->joints[source];
    if (!b2d_id_pool_has(&graph->joint_ids, id)) {
        if (!b2d_id_pool_take_id(graph->memory, &graph->joint_ids, id)) return false;
        joint->lane_index = B2D_NONE;
        graph->joint_generations[id] = ++graph->generation;
    }
    if (joint->lane_index != B2D_NONE &&
        (other->lane_index == B2D_NONE || other->color != joint->color || other->fixed != joint->fixed))
        b2d_color_remove_joint(graph, id);
    const int32_t lane = joint->lane_index;
    *same = same_options(joint, other) && joint->body[0] == b2d_map_body(map, other->body[0]) &&
            joint->body[1] == b2d_map_body(map, other->body[1]);
    *joint = *other;
    for (int32_t side = 0; side < 2; side++) {
        joint->body[side] = b2d_map_body(map, joint->body[side]);
        joint->next[side] = b2d_map_joint_key(map, joint->next[side]);
        joint->prev[side] = b2d_map_joint_key(map, joint->prev[side]);
        joint->joint[side] = b2d_map_joint(map, joint->joint[side]);
        joint->gear_next[side] = b2d_map_joint_key(map, joint->gear_next[side]);
        joint->gear_prev[side] = b2d_map_joint_key(map, joint->gear_prev[side]);
    }
    joint->gear_head = b2d_map_joint_key(map, joint->gear_head);
    joint->island = b2d_map_strided(map, joint->island);
    joint->lane_index = lane;
    return true;
}

bool b2d_cell_copy_graph(b2d_graph* graph, const b2d_graph* from, const b2d_cell_map* map, int32_t bodies,
                         int32_t joints) {
    bool same[64] = {false}; // of further joints the lanes are copied
    graph->contact_links++;
    prepare_contacts(graph, from, map);
    for (int32_t k = 0; k < joints; k++) // before the rows of the bodies, which have the colours of lanes
        if (b2d_id_pool_has(&from->joint_ids, map->from.joint + k) &&
            !copy_joint(graph, map->to.joint + k, from, map->from.joint + k, map, &same[k < 64 ? k : 63]))
            return false;
    same[63] = same[63] && joints <= 64;
    copy_bodies(graph, from, map, bodies);
    if (!copy_islands(graph, from, map) || !copy_contacts(graph, from, map)) return false;
    for (int32_t k = 0; k < joints; k++)
        if (b2d_id_pool_has(&from->joint_ids, map->from.joint + k) &&
            from->joints[map->from.joint + k].lane_index != B2D_NONE &&
            !b2d_color_copy_joint(graph, map->to.joint + k, from, map->from.joint + k, same[k < 64 ? k : 63]))
            return false;
    return true;
}

void b2d_cell_disable(b2d_graph* graph, const b2d_cell* cell, int32_t bodies, int32_t joints) {
    for (int32_t id = cell->first; id < graph->contact_ids.limit; id += cell->stride)
        if (b2d_id_pool_has(&graph->contact_ids, id)) forget_contact(graph, id);
    for (int32_t id = cell->first; id < graph->island_ids.limit; id += cell->stride)
        if (b2d_id_pool_has(&graph->island_ids, id)) b2d_island_drop(graph, id);
    for (int32_t id = cell->joint; id < cell->joint + joints; id++) {
        if (!b2d_id_pool_has(&graph->joint_ids, id)) continue;
        if (graph->joints[id].lane_index != B2D_NONE) b2d_color_remove_joint(graph, id);
        graph->joints[id].island = graph->joints[id].island_slot = B2D_NONE;
        graph->joints[id].color = -1;
    }
    graph->contact_links++;
    for (int32_t id = cell->body; id < cell->body + bodies; id++) {
        b2d_body* body = &graph->bodies[id];
        body->contact_head = body->contact_tail = body->island = body->island_slot = B2D_NONE;
        body->contact_count = 0;
        body->flags &= (uint16_t)~B2D_BODY_FLAG_ENABLED;
        graph->color_masks[id] = 0;
        b2d_bits_unset(&graph->awake, id);
        b2d_bits_unset(&graph->new_fat_boxes, id);
        b2d_bits_unset(&graph->sleep_changed, id);
    }
}
