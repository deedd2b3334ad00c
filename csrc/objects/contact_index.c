// csrc/objects/contact_index.c - see contact_index.h.
#include "objects/contact_index.h"

#include <string.h>

static int32_t shape_at(const b2d_graph* graph, int32_t key) {
    const b2d_pair* pair = &graph->pairs[key >> 1];
    return key & 1 ? pair->shape_b : pair->shape_a;
}

// Counts the contacts of each shape, then lists them body by body.
static bool build(b2d_world* world) {
    const b2d_graph* graph = &world->graph;
    b2d_contact_index* index = &world->contact_index;
    const int32_t shapes = world->shape_ids.limit;
    index->searched = 0;
    if (graph->contact_ids.count > INT32_MAX / 2 ||
        !B2D_GROW(&world->memory, index->ends, index->end_capacity, shapes) ||
        !B2D_GROW(&world->memory, index->keys, index->key_capacity, 2 * graph->contact_ids.count))
        return false;
    memset(index->ends, 0, (size_t)shapes * sizeof *index->ends);
    for (int32_t id = b2d_id_pool_next(&graph->contact_ids, 0); id != B2D_NONE;
         id = b2d_id_pool_next(&graph->contact_ids, id + 1))
        index->ends[graph->pairs[id].shape_a]++, index->ends[graph->pairs[id].shape_b]++;
    for (int32_t shape = 0, sum = 0; shape < shapes; shape++) {
        const int32_t count = index->ends[shape];
        index->ends[shape] = sum; // where the contacts of the shape begin; they move it to where they end
        sum += count;
    }
    for (int32_t body = b2d_id_pool_next(&world->body_ids, 0); body != B2D_NONE;
         body = b2d_id_pool_next(&world->body_ids, body + 1))
        for (int32_t key = graph->bodies[body].contact_head; key != B2D_NONE;
             key = graph->contacts[key >> 1].next[key & 1])
            index->keys[index->ends[shape_at(graph, key)]++] = key;
    index->shapes = shapes;
    index->links = graph->contact_links;
    return true;
}

b2d_contact_walk b2d_world_contacts_of(b2d_world* world, int32_t shape) {
    b2d_contact_index* index = &world->contact_index;
    b2d_contact_walk walk = {.shape = shape, .next = world->graph.bodies[world->shapes_hot[shape].body].contact_head};
    bool built = index->shapes > 0 && index->links == world->graph.contact_links;
    if (!built && index->searched > world->graph.contact_ids.count) built = build(world);
    if (!built) return walk;
    static const int32_t none;
    walk.at = walk.end = &none;
    if (shape < index->shapes) { // else it is younger than all contacts
        walk.at = index->keys + (shape == 0 ? 0 : index->ends[shape - 1]);
        walk.end = index->keys + index->ends[shape];
    }
    return walk;
}

int32_t b2d_world_next_contact(b2d_world* world, b2d_contact_walk* walk) {
    const b2d_graph* graph = &world->graph;
    if (walk->at != NULL) {
        while (walk->at < walk->end) { // those that were destroyed meanwhile are still listed, and no id is used again
            const int32_t id = *walk->at++ >> 1;
            if (b2d_id_pool_has(&graph->contact_ids, id)) return id;
        }
        return B2D_NONE;
    }
    while (walk->next != B2D_NONE) {
        const int32_t key = walk->next;
        walk->next = graph->contacts[key >> 1].next[key & 1];
        if (shape_at(graph, key) == walk->shape) return key >> 1;
        world->contact_index.searched++;
    }
    return B2D_NONE;
}

void b2d_contact_index_free(b2d_world* world) {
    b2d_contact_index* index = &world->contact_index;
    b2d_free(&world->memory, index->ends, (size_t)index->end_capacity * sizeof *index->ends);
    b2d_free(&world->memory, index->keys, (size_t)index->key_capacity * sizeof *index->keys);
    *index = (b2d_contact_index){0};
}
