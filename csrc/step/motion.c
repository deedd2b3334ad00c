// csrc/step/motion.c - bodies reach the poses of the end of the step: poses, fat boxes, and the motions of fast bodies.
#include "step/motion.h"

#include "base/lower_bound.h"

// Moves the body's origin so that its centre of mass moves by d and it turns by `angle`.
void b2d_move_pose(b2d_pose* pose, b2d_body* body, float dx, float dy, float angle) {
    b2d_rot before = {pose->c, pose->s};
    b2d_rot after = angle == 0.0f ? before : b2d_integrate_rot(before, angle);
    if (pose->cx != 0.0f || pose->cy != 0.0f) {
        b2d_vec2 local = {pose->cx, pose->cy};
        b2d_vec2 shift = b2d_sub(b2d_rotate(before, local), b2d_rotate(after, local));
        pose->x += (double)dx + (double)shift.x;
        pose->y += (double)dy + (double)shift.y;
    } else {
        pose->x += (double)dx;
        pose->y += (double)dy;
    }
    // The angle passed +-pi when the sine changed sign on the left half plane.
    if (before.c < 0.0f && after.c < 0.0f && (before.s < 0.0f) != (after.s < 0.0f))
        body->turns += before.s < 0.0f ? -1 : 1;
    pose->c = after.c;
    pose->s = after.s;
}

void b2d_refresh_boxes(b2d_world* world, int32_t body, b2d_bits* moved) {
    const b2d_pose* pose = b2d_world_pose(world, body);
    b2d_proxies* p = &world->proxies;
    for (int32_t id = world->graph.bodies[body].shape_head; id != B2D_NONE; id = world->shapes[id].next) {
        if (p->proxy_class[id] == B2D_PROXY_NONE) continue;
        const b2d_shape_hot* hot = &world->shapes_hot[id];
        b2d_box tight = b2d_shape_box(hot, b2d_world_second(world, hot), pose);
        b2d_box fat = {p->fat_min_x[id], p->fat_min_y[id], p->fat_max_x[id], p->fat_max_y[id]};
        if (b2d_box_contains(fat, tight)) continue;
        fat = b2d_box_grow(tight, hot->margin);
        p->fat_min_x[id] = fat.min_x, p->fat_min_y[id] = fat.min_y, p->fat_max_x[id] = fat.max_x,
        p->fat_max_y[id] = fat.max_y;
        b2d_bits_set(moved, id);
    }
}

// A moving kinematic body keeps awake what it touches, and wakes what the user put to sleep on it.
void b2d_keep_touchers_awake(b2d_world* world, b2d_finalize_worker* out, int32_t id) {
    const b2d_graph* graph = &world->graph;
    for (int32_t key = graph->bodies[id].contact_head; key != B2D_NONE; key = graph->contacts[key >> 1].next[key & 1]) {
        const b2d_pair* pair = &graph->pairs[key >> 1];
        int32_t other = graph->bodies[key & 1 ? pair->body_a : pair->body_b].island;
        if (!(pair->flags & B2D_PAIR_TOUCHING) || other == B2D_NONE) continue;
        b2d_bits_set(&out->awake_islands, other);
        if (pair->flags & B2D_PAIR_REST) out->pushes_sleeper = true;
    }
}

b2d_motion* b2d_world_motion(const b2d_world* world, int32_t body) {
    if (world->motion_count == 0) return NULL;
    int32_t at = b2d_lower_bound_id(&world->motions->body, sizeof *world->motions, world->motion_count, body);
    return at < world->motion_count && world->motions[at].body == body ? &world->motions[at] : NULL;
}

void b2d_note_motion(b2d_world* world, int32_t row, int32_t id) {
    if (world->motions == NULL) return;
    const b2d_body_state* state = b2d_world_state(world, id);
    for (int32_t shape = world->graph.bodies[id].shape_head; shape != B2D_NONE; shape = world->shapes[shape].next)
        if (world->shapes[shape].flags & (B2D_SHAPE_FLAG_SENSOR | B2D_SHAPE_FLAG_SENSOR_EVENTS)) {
            world->motions[row] = (b2d_motion){*b2d_world_pose(world, id), state->dx, state->dy, state->angle, id};
            return;
        }
}

void b2d_collect_moved(b2d_world* world) {
    for (int32_t w = 0; w < world->worker_count; w++) {
        b2d_bits_merge(&world->proxies.moved, &world->finalize_workers[w].moved);
        b2d_bits_merge(&world->proxies.dirty, &world->finalize_workers[w].moved);
        b2d_bits_clear(&world->finalize_workers[w].moved);
    }
}
