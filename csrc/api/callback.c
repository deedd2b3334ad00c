// csrc/api/callback.c - sets the callback of a world, and wakes the bodies that the change may affect.
#include "api/entry.h"
#include "objects/body.h"
#include "objects/proxy.h"

// Forgets all refused pairs, so that the next step searches them again. Wakes the bodies that sleep inside a shape that
// may be solid now.
static bool renew_all_pairs(b2d_world* world) {
    bool done = true;
    for (int32_t k = 0; k < world->refused_count; k++) {
        int32_t shapes[2] = {(int32_t)(world->refused[k] >> 32), (int32_t)(world->refused[k] & 0xFFFFFFFFu)};
        if (!b2d_proxies_still_near(&world->proxies, shapes[0], shapes[1])) continue;
        for (int32_t i = 0; i < 2; i++) done = b2d_world_wake_moving(world, world->shapes_hot[shapes[i]].body) && done;
    }
    for (int32_t id = b2d_id_pool_next(&world->shape_ids, 0); id != B2D_NONE;
         id = b2d_id_pool_next(&world->shape_ids, id + 1))
        b2d_world_renew_pairs(world, id);
    world->refused_count = world->refused_sorted = 0;
    return done;
}

// Wakes the bodies that sleep where the old presolve function let them pass, because the new one may not.
static bool wake_bodies_passing_through(b2d_world* world) {
    bool done = true;
    for (int32_t id = b2d_id_pool_next(&world->graph.contact_ids, 0); id != B2D_NONE;
         id = b2d_id_pool_next(&world->graph.contact_ids, id + 1)) {
        const b2d_pair* pair = &world->graph.pairs[id];
        if (pair->flags & B2D_PAIR_TOUCHING ||
            !((world->shapes[pair->shape_a].flags | world->shapes[pair->shape_b].flags) & B2D_SHAPE_FLAG_PRESOLVE))
            continue;
        done = b2d_world_wake_moving(world, pair->body_a) && b2d_world_wake_moving(world, pair->body_b) && done;
    }
    return done;
}

b2d_status b2d_world_set_callback(b2d_world* world, b2d_callback callback, void* user, uint32_t calls,
                                  int32_t assigned) {
    B2D_TRY(b2d_open_write(world));
    world->callback = callback;
    world->callback_user = user;
    world->calls = callback == NULL ? 0 : calls;
    bool done = assigned == B2D_CALL_FILTER ? renew_all_pairs(world)
                                            : assigned != B2D_CALL_PRESOLVE || wake_bodies_passing_through(world);
    const b2d_status status = done ? B2D_OK : b2d_error(B2D_NO_MEMORY, B2D_ARG_NONE);
    B2D_LOG(world, status, B2D_LOGGED_CALLBACKS, (uint64_t)world->calls, assigned);
    return b2d_close_write(world, status);
}
