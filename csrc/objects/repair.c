// csrc/objects/repair.c - completes changes that a call left unfinished because it found no memory.
//
// Waking an island or changing the type of a body colours many constraints, and each of them may find no memory. The
// call then fails, and the remaining constraints belong to awake bodies but are not solved. The repair finds these
// constraints by this state, in ascending order of ids.
#include "objects/repair.h"

#include "objects/body.h"
#include "objects/joint.h"
#include "objects/material.h"

static bool repair_contact(b2d_world* world, int32_t id) {
    b2d_graph* graph = &world->graph;
    b2d_pair* pair = &graph->pairs[id];
    bool awake_a = b2d_moves(graph, pair->body_a) && b2d_is_awake(graph, pair->body_a);
    bool awake_b = b2d_moves(graph, pair->body_b) && b2d_is_awake(graph, pair->body_b);
    if ((pair->flags & B2D_PAIR_TOUCHING) && !b2d_world_refresh_material(world, id)) return false;
    int32_t row = graph->contacts[id].rest;
    if ((awake_a || awake_b) && row != B2D_NONE) {
        if (!b2d_color_add_contact(graph, id, &graph->rest[row], (pair->flags & B2D_PAIR_EXTRA) != 0)) return false;
        b2d_id_pool_release(&graph->rest_ids, row);
        graph->contacts[id].rest = B2D_NONE;
        graph->pairs[id].flags &= (uint8_t)~B2D_PAIR_REST;
        b2d_bits_set(&graph->new_fat_boxes, awake_a ? pair->body_a : pair->body_b); // as waking the body does
    }
    b2d_contact_refresh_awake(graph, id);
    return true;
}

bool b2d_world_repair(b2d_world* world) {
    const b2d_graph* graph = &world->graph;
    world->graph.needs_repair = false;
    bool done = b2d_island_collapse(&world->graph) && (!graph->loose || b2d_islands_link_all(&world->graph));
    for (int32_t id = b2d_id_pool_next(&graph->joint_ids, 0); id != B2D_NONE && done;
         id = b2d_id_pool_next(&graph->joint_ids, id + 1))
        done = b2d_world_activate_joint(world, id);
    for (int32_t id = b2d_id_pool_next(&graph->contact_ids, 0); id != B2D_NONE && done;
         id = b2d_id_pool_next(&graph->contact_ids, id + 1))
        done = repair_contact(world, id);
    b2d_world_flush_sleep_changes(world);
    world->repair = !done;
    return done;
}
