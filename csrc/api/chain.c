// csrc/api/chain.c - the API of chains: checks all input and returns a status.
#include "api/entry.h"
#include "api/shape.h"
#include "objects/body.h"
#include "objects/chain.h"

// Errors name the points, whichever value of a segment is wrong.
static b2d_status check_points(const double* points, int32_t count, bool loop) {
    if (count < (loop ? 3 : 2)) return b2d_error(B2D_BAD_COUNT, B2D_ARG_POINTS);
    for (int32_t k = 0; k < 2 * count; k++)
        B2D_TRY(b2d_check_range(points[k], -b2d_limit_number, b2d_limit_number, B2D_ARG_POINTS));
    for (int32_t k = 0; k < (loop ? count : count - 1); k++) {
        b2d_geometry geometry = b2d_chain_segment(points, count, loop, k);
        b2d_status status = b2d_geometry_check(&geometry);
        if (status != B2D_OK) return b2d_error(status & 0xFF, B2D_ARG_POINTS);
    }
    return B2D_OK;
}

static b2d_status find_chain(const b2d_world* world, int32_t index, uint64_t generation) {
    bool alive = generation != 0 && b2d_id_pool_has(&world->chain_ids, index) &&
                 world->chain_generations[index] == generation;
    return alive ? B2D_OK : b2d_error(B2D_STALE_HANDLE, B2D_ARG_CHAIN);
}

static b2d_status create(b2d_world* world, int32_t body, uint64_t generation, const double* points, int32_t count,
                         bool loop, const b2d_shape_def* def, b2d_handle* out) {
    if (!b2d_body_alive(world, body, generation)) return b2d_error(B2D_STALE_HANDLE, B2D_ARG_BODY);
    B2D_TRY(check_points(points, count, loop));
    B2D_TRY(b2d_check_shape_def(def));
    int32_t id = b2d_world_new_chain(world, body, points, count, loop, def);
    if (id == B2D_NONE) return b2d_error(B2D_NO_MEMORY, B2D_ARG_NONE);
    *out = (b2d_handle){world->chain_generations[id], id, B2D_KIND_CHAIN};
    return B2D_OK;
}

b2d_status b2d_chain_create(b2d_world* world, int32_t body, uint64_t body_generation, const double* points,
                            int32_t count, bool loop, const b2d_shape_def* def, b2d_handle* out) {
    // Checked before the lock, so that a callback gets the error of a bad value instead of B2D_LOCKED
    B2D_TRY(check_points(points, count, loop));
    B2D_TRY(b2d_check_shape_def(def));
    B2D_TRY(b2d_open_write(world));
    const b2d_status status = create(world, body, body_generation, points, count, loop, def, out);
    B2D_LOG(world, status, B2D_LOGGED_CHAIN_CREATE, body, body_generation, count, points, loop, def);
    return b2d_close_write(world, status);
}

static b2d_status destroy(b2d_world* world, int32_t index, uint64_t generation) {
    B2D_TRY(find_chain(world, index, generation));
    b2d_world_wake_body(world, world->chains[index].body);
    b2d_world_drop_chain(world, index);
    return B2D_OK;
}

b2d_status b2d_chain_destroy(b2d_world* world, int32_t index, uint64_t generation) {
    B2D_TRY(b2d_open_write(world));
    const b2d_status status = destroy(world, index, generation);
    B2D_LOG(world, status, B2D_LOGGED_CHAIN_DESTROY, index, generation);
    return b2d_close_write(world, status);
}

static b2d_status get(b2d_world* world, int32_t index, uint64_t generation, int32_t property, double* out) {
    B2D_TRY(find_chain(world, index, generation));
    int32_t shape = world->chains[index].head;
    return b2d_world_get_shape(world, shape, property, out);
}

b2d_status b2d_chain_get(b2d_world* world, int32_t index, uint64_t generation, int32_t property, double* out) {
    B2D_TRY(b2d_open_read(world));
    return b2d_close_read(world, get(world, index, generation, property, out));
}

// A value that the first shape accepts is accepted by all, because they differ only in their points.
static b2d_status set(b2d_world* world, int32_t index, uint64_t generation, int32_t property, const double* in) {
    B2D_TRY(find_chain(world, index, generation));
    for (int32_t shape = world->chains[index].head; shape != B2D_NONE; shape = b2d_world_chain_link(world, shape)->next)
        B2D_TRY(b2d_world_set_shape(world, shape, property, in));
    return B2D_OK;
}

b2d_status b2d_chain_set(b2d_world* world, int32_t index, uint64_t generation, int32_t property, const double* in) {
    B2D_TRY(b2d_open_write(world));
    const b2d_status status = set(world, index, generation, property, in);
    B2D_LOG(world, status, B2D_LOGGED_CHAIN_SET, index, generation, property, in);
    return b2d_close_write(world, status);
}

b2d_status b2d_chain_filter(b2d_world* world, int32_t index, uint64_t generation, uint64_t* category, uint64_t* mask,
                            int32_t* group) {
    B2D_TRY(b2d_open_read(world));
    b2d_status status = find_chain(world, index, generation);
    if (status == B2D_OK) {
        const b2d_shape* shape = &world->shapes[world->chains[index].head];
        *category = shape->category;
        *mask = shape->mask;
        *group = shape->group;
    }
    return b2d_close_read(world, status);
}

b2d_status b2d_chain_set_filter(b2d_world* world, int32_t index, uint64_t generation, uint64_t category, uint64_t mask,
                                int32_t group) {
    B2D_TRY(b2d_open_write(world));
    b2d_status status = find_chain(world, index, generation);
    for (int32_t shape = status == B2D_OK ? world->chains[index].head : B2D_NONE; shape != B2D_NONE;
         shape = b2d_world_chain_link(world, shape)->next)
        b2d_world_set_shape_filter(world, shape, category, mask, group);
    B2D_LOG(world, status, B2D_LOGGED_CHAIN_FILTER, index, generation, category, mask, group);
    return b2d_close_write(world, status);
}

b2d_status b2d_chain_body(b2d_world* world, int32_t index, uint64_t generation, b2d_handle* out, bool* loop) {
    B2D_TRY(b2d_open_read(world));
    b2d_status status = find_chain(world, index, generation);
    if (status == B2D_OK) {
        int32_t body = world->chains[index].body;
        *out = (b2d_handle){world->body_generations[body], body, B2D_KIND_BODY};
        *loop = world->chains[index].loop;
    }
    return b2d_close_read(world, status);
}

b2d_status b2d_chain_shapes(b2d_world* world, int32_t index, uint64_t generation, b2d_handle* out, int32_t room,
                            int32_t* count) {
    B2D_TRY(b2d_open_read(world));
    b2d_status status = find_chain(world, index, generation);
    int32_t written = 0;
    if (status == B2D_OK) {
        *count = world->chains[index].count;
        for (int32_t shape = world->chains[index].head; shape != B2D_NONE && written < room;
             shape = b2d_world_chain_link(world, shape)->next)
            out[written++] = (b2d_handle){world->shape_generations[shape], shape, B2D_KIND_SHAPE};
    }
    return b2d_close_read(world, status);
}

b2d_status b2d_shape_chain(b2d_world* world, int32_t index, uint64_t generation, b2d_handle* out) {
    B2D_TRY(b2d_open_read(world));
    if (!b2d_shape_alive(world, index, generation))
        return b2d_close_read(world, b2d_error(B2D_STALE_HANDLE, B2D_ARG_SHAPE));
    int32_t chain = b2d_world_chain_of(world, index);
    *out = (b2d_handle){chain == B2D_NONE ? 0 : world->chain_generations[chain], chain, B2D_KIND_CHAIN};
    return b2d_close_read(world, B2D_OK);
}
