// csrc/world/contact_api.c - the edge of contacts and islands: read-back in world coordinates and lists.
#include "world/edge.h"

// Levers and normal are those of when the last step began, about the centre of mass of side A; its pose now places the points.
static b2d_contact_data describe(b2d_world* world, int32_t contact) {
    const b2d_graph* graph = &world->graph;
    const b2d_pair* pair = &graph->pairs[contact];
    bool flip = (pair->flags & B2D_PAIR_FLIP) != 0;
    b2d_contact_data data = {
        .generation = graph->contact_generations[contact],
        .generation_a = world->shape_generations[pair->shape_a], .generation_b = world->shape_generations[pair->shape_b],
        .contact = contact, .shape_a = pair->shape_a, .shape_b = pair->shape_b, .body_a = pair->body_a, .body_b = pair->body_b,
        .color = graph->contacts[contact].color,
        .feature = {0xFFFF, 0xFFFF},
        .awake = b2d_bits_has(&graph->awake_contacts[pair->bucket], contact),
    };
    if (!(pair->flags & B2D_PAIR_TOUCHING)) return data;
    b2d_contact_record record;
    b2d_contact_record_read(graph, contact, &record);
    const b2d_pose* pose = b2d_world_pose(world, flip ? pair->body_b : pair->body_a);
    b2d_vec2 center = b2d_pose_center(pose), n = {record.nx, record.ny}, t = {record.ny, -record.nx};
    data.normal_x = flip ? -n.x : n.x;
    data.normal_y = flip ? -n.y : n.y;
    data.friction = record.friction;
    data.restitution = record.restitution;
    for (int32_t k = 0; k < 2; k++) {
        int32_t feature = (int32_t)(record.feature >> 16 * k & 0xFFFF);
        if (feature == 0xFFFF) continue;
        int32_t at = data.point_count++;
        b2d_vec2 r = b2d_add(b2d_scale(record.point[k].nd, n), b2d_scale(record.point[k].rn, t)); // t x n = 1
        data.px[at] = pose->x + (double)(center.x + r.x);
        data.py[at] = pose->y + (double)(center.y + r.y);
        data.separation[at] = record.point[k].separation;
        data.normal_impulse[at] = record.point[k].normal_impulse;
        data.tangent_impulse[at] = record.point[k].tangent_impulse;
        data.feature[at] = feature;
    }
    return data;
}

b2d_status b2d_contact_get(b2d_world* world, int32_t index, uint64_t generation, b2d_contact_data* out) {
    B2D_TRY(b2d_open_read(world));
    bool alive = b2d_contact_alive(world, index, generation);
    if (alive) *out = describe(world, index);
    return b2d_close_read(world, alive ? B2D_OK : b2d_error(B2D_STALE_HANDLE, B2D_ARG_CONTACT));
}

b2d_status b2d_world_contacts(b2d_world* world, bool touching_only, b2d_contact_data* out, int32_t room, int32_t* count) {
    B2D_TRY(b2d_open_read(world));
    const b2d_graph* graph = &world->graph;
    int32_t found = 0;
    for (int32_t id = b2d_id_pool_next(&graph->contact_ids, 0); id != B2D_NONE; id = b2d_id_pool_next(&graph->contact_ids, id + 1)) {
        if (touching_only && !(graph->pairs[id].flags & B2D_PAIR_TOUCHING)) continue;
        if (found < room) out[found] = describe(world, id);
        found++;
    }
    *count = found;
    return b2d_close_read(world, B2D_OK);
}

b2d_status b2d_shape_contacts(b2d_world* world, int32_t index, uint64_t generation, b2d_handle* out, int32_t room, int32_t* count) {
    B2D_TRY(b2d_open_read(world));
    if (!b2d_shape_alive(world, index, generation)) return b2d_close_read(world, b2d_error(B2D_STALE_HANDLE, B2D_ARG_SHAPE));
    const b2d_graph* graph = &world->graph;
    b2d_id_list list = {0};
    for (int32_t key = graph->bodies[world->shapes_hot[index].body].contact_head; key != B2D_NONE; key = graph->contacts[key >> 1].next[key & 1])
        if (graph->pairs[key >> 1].shape_a == index || graph->pairs[key >> 1].shape_b == index) b2d_id_list_add(&list, key >> 1);
    return b2d_close_read(world, b2d_id_list_write(&list, B2D_KIND_CONTACT, graph->contact_generations, out, room, count));
}

static b2d_status list_island(const b2d_world* world, int32_t index, uint64_t generation, int32_t kind, b2d_handle* out, int32_t room, int32_t* count) {
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

b2d_status b2d_island_list(b2d_world* world, int32_t index, uint64_t generation, int32_t kind, b2d_handle* out, int32_t room, int32_t* count) {
    B2D_TRY(b2d_open_read(world));
    return b2d_close_read(world, list_island(world, index, generation, kind, out, room, count));
}
