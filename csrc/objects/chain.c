// csrc/objects/chain.c - chains: one-sided segments along a line of points, created, changed and destroyed together.
//
// Idea: a chain is a linked list of its shapes in the order of the points. Each segment stores the point before it and
// the point after it, so a shape that slides from one segment to the next does not collide with an edge between them
// (narrowphase/manifold_wide.inl). The end points of an open chain have no neighbour; this is stored as a neighbour
// that folds back, so these points are solid too.
// Threads: serial stages only.
#include "objects/chain.h"

#include "objects/shape.h"

b2d_geometry b2d_chain_segment(const double* points, int32_t count, bool loop, int32_t k) {
    int32_t last = count - 1, next = k == last ? 0 : k + 1;
    int32_t before = k > 0 ? k - 1 : loop ? last : next, after = next < last ? next + 1 : loop ? 0 : k;
    int32_t at[4] = {k, next, before, after};
    b2d_geometry geometry = {.type = B2D_CHAIN_SEGMENT, .count = 2};
    for (int32_t i = 0; i < 4; i++) {
        geometry.x[i] = (float)points[2 * at[i]];
        geometry.y[i] = (float)points[2 * at[i] + 1];
    }
    return geometry;
}

static bool reserve(b2d_world* world, int32_t segments) {
    return b2d_world_reserve_shapes(world, world->shape_ids.limit + segments) &&
           b2d_id_pool_reserve(&world->memory, &world->second_ids, world->second_ids.limit + segments) &&
           B2D_GROW(&world->memory, world->second_hulls, world->second_capacity, world->second_ids.limit + segments) &&
           B2D_GROW(&world->memory, world->chain_links, world->chain_link_capacity, world->second_ids.limit + segments);
}

static int32_t take_row(b2d_world* world) {
    const int32_t rows = b2d_id_pool_rows(&world->chain_ids);
    if (!B2D_GROW(&world->memory, world->chains, world->chain_capacity, rows) ||
        !B2D_GROW(&world->memory, world->chain_generations, world->chain_generation_capacity, rows))
        return B2D_NONE;
    return b2d_id_pool_take(&world->memory, &world->chain_ids);
}

int32_t b2d_world_new_chain(b2d_world* world, int32_t body, const double* points, int32_t count, bool loop,
                            const b2d_shape_def* def) {
    int32_t segments = loop ? count : count - 1, last = B2D_NONE;
    if (!reserve(world, segments)) return B2D_NONE;
    int32_t id = take_row(world);
    if (id == B2D_NONE) return B2D_NONE;
    world->chains[id] = (b2d_chain){.body = body, .head = B2D_NONE, .count = 0, .loop = loop};
    world->chain_generations[id] = ++world->graph.generation;
    for (int32_t k = 0; k < segments; k++) {
        b2d_geometry geometry = b2d_chain_segment(points, count, loop, k);
        b2d_geometry_check(&geometry);
        int32_t shape = b2d_world_new_shape(world, body, &geometry, def);
        if (shape == B2D_NONE) {
            b2d_world_drop_chain(world, id);
            return B2D_NONE;
        }
        b2d_world_chain_link(world, shape)->chain = id;
        if (last == B2D_NONE) world->chains[id].head = shape;
        else b2d_world_chain_link(world, last)->next = shape;
        world->chains[id].count++;
        last = shape;
    }
    return id;
}

// The row is freed with the last shape (b2d_world_leave_chain), or here if there is no shape yet.
void b2d_world_drop_chain(b2d_world* world, int32_t id) {
    uint64_t generation = world->chain_generations[id];
    for (int32_t shape = world->chains[id].head, next; shape != B2D_NONE; shape = next) {
        next = b2d_world_chain_link(world, shape)->next;
        b2d_world_drop_shape(world, shape, false);
    }
    if (!b2d_id_pool_has(&world->chain_ids, id) || world->chain_generations[id] != generation) return;
    world->chain_generations[id] = 0;
    b2d_id_pool_release(&world->chain_ids, id);
}

void b2d_world_leave_chain(b2d_world* world, int32_t shape) {
    int32_t id = b2d_world_chain_of(world, shape);
    if (id == B2D_NONE) return;
    b2d_world_chain_link(world, shape)->chain = B2D_NONE;
    if (--world->chains[id].count > 0) return;
    world->chain_generations[id] = 0;
    b2d_id_pool_release(&world->chain_ids, id);
}
