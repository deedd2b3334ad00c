// csrc/graph/cells.c - copies the part of the graph that belongs to one cell: bodies, contacts, joints, islands.
//
// Idea: rows are copied with all their ids translated. Constraints keep their colours and islands keep the order of
// their members, because the steps that follow depend on both. Generations are new.
#include "graph/graph.h"

#include <string.h>

static void forget_contact(b2d_graph* graph, int32_t id) {
    b2d_pair* pair = &graph->pairs[id];
    if (pair->lane_index != B2D_NONE) b2d_color_remove_contact(graph, id, NULL);
    else if (graph->contacts[id].rest != B2D_NONE) b2d_id_pool_release(&graph->rest_ids, graph->contacts[id].rest);
    graph->touching -= (pair->flags & B2D_PAIR_TOUCHING) != 0;
    b2d_pair_set_remove(&graph->pair_set, b2d_pair_key(pair->shape_a, pair->shape_b));
    b2d_bits_unset(&graph->awake_contacts[pair->bucket], id);
    graph->contact_generations[id] = 0;
    b2d_id_pool_release(&graph->contact_ids, id);
}

void b2d_cell_clear(b2d_graph* graph, const b2d_cell* cell) {
    for (int32_t id = cell->first; id < graph->contact_ids.limit; id += cell->stride)
        if (b2d_id_pool_has(&graph->contact_ids, id)) forget_contact(graph, id);
    for (int32_t id = cell->first; id < graph->island_ids.limit; id += cell->stride)
        if (b2d_id_pool_has(&graph->island_ids, id)) b2d_island_drop(graph, id);
}

static void copy_bit(b2d_bits* to, int32_t id, const b2d_bits* from, int32_t source) {
    if (b2d_bits_has(from, source)) b2d_bits_set(to, id);
    else b2d_bits_unset(to, id);
}

static void copy_body(b2d_graph* graph, int32_t id, const b2d_graph* from, int32_t source, const b2d_cell_map* map) {
    b2d_body* body = &graph->bodies[id];
    *body = from->bodies[source];
    body->shape_head = b2d_map_shape(map, body->shape_head);
    body->contact_head = b2d_map_contact_key(map, body->contact_head);
    body->contact_tail = b2d_map_contact_key(map, body->contact_tail);
    body->joint_head = b2d_map_joint_key(map, body->joint_head);
    body->island = b2d_map_strided(map, body->island);
    graph->color_masks[id] = from->color_masks[source];
    graph->body_clusters[id] = b2d_cluster_of_new(graph, map->to.body);
    copy_bit(&graph->awake, id, &from->awake, source);
    copy_bit(&graph->new_fat_boxes, id, &from->new_fat_boxes, source);
    copy_bit(&graph->sleep_changed, id, &from->sleep_changed, source);
}

static bool copy_contact(b2d_graph* graph, int32_t id, const b2d_graph* from, int32_t source, const b2d_cell_map* map) {
    b2d_pair* pair = &graph->pairs[id];
    b2d_contact* contact = &graph->contacts[id];
    *pair = from->pairs[source];
    *contact = from->contacts[source];
    pair->shape_a = b2d_map_shape(map, pair->shape_a), pair->shape_b = b2d_map_shape(map, pair->shape_b);
    pair->body_a = b2d_map_body(map, pair->body_a), pair->body_b = b2d_map_body(map, pair->body_b);
    pair->record = B2D_NONE;
    for (int32_t side = 0; side < 2; side++) {
        contact->next[side] = b2d_map_contact_key(map, contact->next[side]);
        contact->prev[side] = b2d_map_contact_key(map, contact->prev[side]);
    }
    contact->island = b2d_map_strided(map, contact->island);
    graph->contact_generations[id] = ++graph->generation;
    graph->touching += (pair->flags & B2D_PAIR_TOUCHING) != 0;
    copy_bit(&graph->awake_contacts[pair->bucket], id, &from->awake_contacts[pair->bucket], source);
    const int32_t row = contact->rest, lane = pair->lane_index;
    contact->rest = pair->lane_index = B2D_NONE;
    if (row != B2D_NONE) {
        const int32_t rows = b2d_id_pool_rows(&graph->rest_ids);
        if (!B2D_GROW(graph->memory, graph->rest, graph->rest_capacity, rows)) return false;
        contact->rest = b2d_id_pool_take(graph->memory, &graph->rest_ids);
        if (contact->rest == B2D_NONE) return false;
        graph->rest[contact->rest] = from->rest[row];
    }
    return lane == B2D_NONE || b2d_color_copy_contact(graph, id, from, source);
}

static bool copy_contacts(b2d_graph* graph, const b2d_graph* from, const b2d_cell_map* map) {
    for (int32_t source = map->from.first; source < from->contact_ids.limit; source += map->from.stride) {
        if (!b2d_id_pool_has(&from->contact_ids, source)) continue;
        const int32_t id = b2d_map_strided(map, source);
        if (!b2d_id_pool_take_id(graph->memory, &graph->contact_ids, id) ||
            !copy_contact(graph, id, from, source, map) ||
            !b2d_pair_set_add(graph->memory, &graph->pair_set,
                              b2d_pair_key(graph->pairs[id].shape_a, graph->pairs[id].shape_b), id))
            return false;
    }
    return true;
}

// A joint keeps its lane if the copy is in the same colour, as mostly when a state is restored. Otherwise it gives the
// lane back before the rows of its bodies change.
static bool prepare_joint(b2d_graph* graph, int32_t id, const b2d_joint* source) {
    b2d_joint* joint = &graph->joints[id];
    if (!b2d_id_pool_has(&graph->joint_ids, id)) {
        if (!b2d_id_pool_take_id(graph->memory, &graph->joint_ids, id)) return false;
        joint->lane_index = B2D_NONE;
        graph->joint_generations[id] = ++graph->generation;
    }
    if (joint->lane_index != B2D_NONE &&
        (source->lane_index == B2D_NONE || source->color != joint->color || source->fixed != joint->fixed))
        b2d_color_remove_joint(graph, id);
    return true;
}

static bool copy_joint(b2d_graph* graph, int32_t id, const b2d_graph* from, int32_t source, const b2d_cell_map* map) {
    b2d_joint* joint = &graph->joints[id];
    const int32_t lane = joint->lane_index;
    *joint = from->joints[source];
    for (int32_t side = 0; side < 2; side++) {
        joint->body[side] = b2d_map_body(map, joint->body[side]);
        joint->next[side] = b2d_map_joint_key(map, joint->next[side]);
        joint->prev[side] = b2d_map_joint_key(map, joint->prev[side]);
        joint->joint[side] = b2d_map_joint(map, joint->joint[side]);
    }
    joint->island = b2d_map_strided(map, joint->island);
    const bool solved = joint->lane_index != B2D_NONE;
    joint->lane_index = lane;
    return !solved || b2d_color_copy_joint(graph, id, from, source);
}

bool b2d_cell_copy_graph(b2d_graph* graph, const b2d_graph* from, const b2d_cell_map* map, int32_t bodies,
                         int32_t joints) {
    const int32_t end = map->from.joint + joints;
    for (int32_t source = map->from.joint; source < end; source++)
        if (b2d_id_pool_has(&from->joint_ids, source) &&
            !prepare_joint(graph, b2d_map_joint(map, source), &from->joints[source]))
            return false;
    for (int32_t k = 0; k < bodies; k++) copy_body(graph, map->to.body + k, from, map->from.body + k, map);
    for (int32_t source = map->from.first; source < from->island_ids.limit; source += map->from.stride)
        if (b2d_id_pool_has(&from->island_ids, source) &&
            !b2d_island_copy(graph, b2d_map_strided(map, source), from, source, map))
            return false;
    if (!copy_contacts(graph, from, map)) return false;
    for (int32_t source = map->from.joint; source < end; source++)
        if (b2d_id_pool_has(&from->joint_ids, source) &&
            !copy_joint(graph, b2d_map_joint(map, source), from, source, map))
            return false;
    return true;
}
