// csrc/api/contact.c - the API of contacts and islands: their data in world coordinates, and lists of them.
#include "api/entry.h"
#include "api/handle_list.h"
#include "objects/contact.h"

static b2d_contact_data describe(b2d_world* world, int32_t contact) {
    const b2d_graph* graph = &world->graph;
    if (!(graph->pairs[contact].flags & B2D_PAIR_TOUCHING)) return b2d_world_describe_contact(world, contact, NULL);
    b2d_contact_record record;
    b2d_contact_record_read(graph, contact, &record);
    return b2d_world_describe_contact(world, contact, &record);
}

b2d_status b2d_contact_get(b2d_world* world, int32_t index, uint64_t generation, b2d_contact_data* out) {
    B2D_TRY(b2d_open_read(world));
    bool alive = b2d_contact_alive(world, index, generation);
    if (alive) *out = describe(world, index);
    return b2d_close_read(world, alive ? B2D_OK : b2d_error(B2D_STALE_HANDLE, B2D_ARG_CONTACT));
}

b2d_status b2d_world_contacts(b2d_world* world, bool touching_only, b2d_contact_data* out, int32_t room,
                              int32_t* count) {
    B2D_TRY(b2d_open_read(world));
    const b2d_graph* graph = &world->graph;
    int32_t found = 0, taken = 0, contacts[B2D_MANIFOLD_BATCH];
    b2d_contact_data* rows[B2D_MANIFOLD_BATCH];
    for (int32_t id = b2d_id_pool_next(&graph->contact_ids, 0); id != B2D_NONE;
         id = b2d_id_pool_next(&graph->contact_ids, id + 1)) {
        const bool touches = (graph->pairs[id].flags & B2D_PAIR_TOUCHING) != 0;
        if (touching_only && !touches) continue;
        if (found < room && !touches) out[found] = describe(world, id);
        else if (found < room) {
            contacts[taken] = id, rows[taken++] = &out[found];
            if (taken == B2D_MANIFOLD_BATCH) b2d_world_describe_touching(world, contacts, taken, rows), taken = 0;
        }
        found++;
    }
    b2d_world_describe_touching(world, contacts, taken, rows);
    *count = found;
    return b2d_close_read(world, B2D_OK);
}

b2d_status b2d_shape_contacts(b2d_world* world, int32_t index, uint64_t generation, b2d_handle* out, int32_t room,
                              int32_t* count) {
    B2D_TRY(b2d_open_read(world));
    if (!b2d_shape_alive(world, index, generation))
        return b2d_close_read(world, b2d_error(B2D_STALE_HANDLE, B2D_ARG_SHAPE));
    const b2d_graph* graph = &world->graph;
    b2d_id_list list = {0};
    for (int32_t key = graph->bodies[world->shapes_hot[index].body].contact_head; key != B2D_NONE;
         key = graph->contacts[key >> 1].next[key & 1])
        if (graph->pairs[key >> 1].shape_a == index || graph->pairs[key >> 1].shape_b == index)
            b2d_id_list_add(&list, key >> 1);
    return b2d_close_read(world,
                          b2d_id_list_write(&list, B2D_KIND_CONTACT, graph->contact_generations, out, room, count));
}

// The contact of two shapes, B2D_NONE when there is none.
static int32_t contact_of(const b2d_graph* graph, int32_t a, int32_t b) {
    return a == b ? B2D_NONE : b2d_pair_set_find(&graph->pair_set, b2d_pair_key(a, b));
}

b2d_status b2d_world_contact_between(b2d_world* world, const b2d_handle* a, const b2d_handle* b, b2d_handle* out) {
    B2D_TRY(b2d_open_read(world));
    if (!b2d_shape_alive(world, a->index, a->generation) || !b2d_shape_alive(world, b->index, b->generation))
        return b2d_close_read(world, b2d_error(B2D_STALE_HANDLE, B2D_ARG_SHAPE));
    const int32_t contact = contact_of(&world->graph, a->index, b->index);
    *out = (b2d_handle){.index = contact, .kind = B2D_KIND_CONTACT};
    if (contact != B2D_NONE) out->generation = world->graph.contact_generations[contact];
    return b2d_close_read(world, B2D_OK);
}

// Tests whether objects touch

static b2d_status find_body_or_shape(const b2d_world* world, const b2d_handle* handle, bool* body) {
    *body = handle->kind == B2D_KIND_BODY;
    const b2d_id_pool* ids = *body ? &world->body_ids : &world->shape_ids;
    const uint64_t* generations = *body ? world->body_generations : world->shape_generations;
    bool exists = b2d_id_pool_has(ids, handle->index) &&
                  (handle->generation == 0 || generations[handle->index] == handle->generation);
    if (handle->kind != B2D_KIND_BODY && handle->kind != B2D_KIND_SHAPE)
        return b2d_error(B2D_OUT_OF_RANGE, B2D_ARG_TYPE);
    return exists ? B2D_OK : b2d_error(B2D_STALE_HANDLE, *body ? B2D_ARG_BODY : B2D_ARG_SHAPE);
}

static bool handles_touch(const b2d_world* world, const b2d_handle* a, bool body_a, const b2d_handle* b, bool body_b) {
    const b2d_graph* graph = &world->graph;
    if (!body_a && !body_b) {
        int32_t contact = contact_of(graph, a->index, b->index);
        return contact != B2D_NONE && graph->pairs[contact].flags & B2D_PAIR_TOUCHING;
    }
    int32_t one = body_a ? a->index : world->shapes_hot[a->index].body,
            two = body_b ? b->index : world->shapes_hot[b->index].body;
    int32_t shorter_list = graph->bodies[one].contact_count < graph->bodies[two].contact_count ? one : two;
    for (int32_t key = graph->bodies[shorter_list].contact_head; key != B2D_NONE;
         key = graph->contacts[key >> 1].next[key & 1]) {
        const b2d_pair* pair = &graph->pairs[key >> 1];
        if (!(pair->flags & B2D_PAIR_TOUCHING)) continue;
        int32_t first = pair->body_a == one ? pair->shape_a : pair->shape_b,
                second = pair->body_a == one ? pair->shape_b : pair->shape_a;
        bool bodies = (pair->body_a == one && pair->body_b == two) || (pair->body_a == two && pair->body_b == one);
        if (bodies && (body_a || first == a->index) && (body_b || second == b->index)) return true;
    }
    return false;
}

static b2d_status touching(const b2d_world* world, int32_t n, const b2d_handle* a, const b2d_handle* b, bool* out) {
    bool body_a, body_b;
    for (int32_t k = 0; k < n; k++) {
        B2D_TRY(find_body_or_shape(world, &a[k], &body_a));
        B2D_TRY(find_body_or_shape(world, &b[k], &body_b));
        out[k] = handles_touch(world, &a[k], body_a, &b[k], body_b);
    }
    return B2D_OK;
}

b2d_status b2d_world_touching(b2d_world* world, int32_t n, const b2d_handle* a, const b2d_handle* b, bool* out) {
    B2D_TRY(b2d_open_read(world));
    return b2d_close_read(world, touching(world, n, a, b, out));
}

static b2d_status list_island(const b2d_world* world, int32_t index, uint64_t generation, int32_t kind, b2d_handle* out,
                              int32_t room, int32_t* count) {
    if (!b2d_island_alive(world, index, generation)) return b2d_error(B2D_STALE_HANDLE, B2D_ARG_NONE);
    const b2d_graph* graph = &world->graph;
    const b2d_island* island = &graph->islands[index];
    const b2d_island_links linked = b2d_island_linked(island);
    b2d_id_list list = {0};
    switch (kind) {
    case B2D_KIND_BODY:
        for (int32_t k = 0; k < island->body_count; k++) b2d_id_list_add(&list, b2d_island_bodies(island)[k]);
        return b2d_id_list_write(&list, kind, world->body_generations, out, room, count);
    case B2D_KIND_CONTACT:
        for (int32_t k = 0; k < linked.contact_count; k++) b2d_id_list_add(&list, linked.contacts[k].id);
        return b2d_id_list_write(&list, kind, graph->contact_generations, out, room, count);
    case B2D_KIND_JOINT:
        for (int32_t k = 0; k < linked.joint_count; k++) b2d_id_list_add(&list, linked.joints[k].id);
        return b2d_id_list_write(&list, kind, graph->joint_generations, out, room, count);
    default: return b2d_error(B2D_OUT_OF_RANGE, B2D_ARG_TYPE);
    }
}

b2d_status b2d_island_list(b2d_world* world, int32_t index, uint64_t generation, int32_t kind, b2d_handle* out,
                           int32_t room, int32_t* count) {
    B2D_TRY(b2d_open_read(world));
    return b2d_close_read(world, list_island(world, index, generation, kind, out, room, count));
}
