// csrc/step/motion.c - moves bodies to their poses at the end of the step: poses, fat boxes, and the motions of fast
// bodies.
#include "step/motion.h"

#include "base/lower_bound.h"
#include "broadphase/proxies.h"

// The count of whole turns after a rotation by `angle`; it stops at B2D_MOST_TURNS. Up to a quarter turn, the angle
// passed +-pi when the sine changed its sign on the left half plane; beyond, the difference of the angles says how many
// turns went by.
static int32_t turns_after(int32_t turns, b2d_rot before, b2d_rot after, float angle) {
    const float quarter = 1.5f;
    const double turn = 6.283185307179586, most = B2D_MOST_TURNS;
    if (fabsf(angle) <= quarter) {
        if (before.c < 0.0f && after.c < 0.0f && (before.s < 0.0f) != (after.s < 0.0f))
            turns += before.s < 0.0f ? -1 : 1;
        return turns < -B2D_MOST_TURNS ? -B2D_MOST_TURNS : b2d_min_int(turns, B2D_MOST_TURNS);
    }
    const double from = (double)b2d_atan2(before.s, before.c), to = (double)b2d_atan2(after.s, after.c);
    const double sum = (double)turns + floor((from + (double)angle - to) / turn + 0.5);
    return (int32_t)(sum < -most ? -most : sum > most ? most : sum);
}

// Moves the origin of the body so that its centre of mass moves by (dx, dy) and the body turns by `angle`.
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
    body->turns = turns_after(body->turns, before, after, angle);
    pose->c = after.c;
    pose->s = after.s;
}

bool b2d_is_held(const b2d_world* world, int32_t id, int32_t contact) {
    const b2d_graph* graph = &world->graph;
    const b2d_body* body = &graph->bodies[id];
    const b2d_body_state* states = (const b2d_body_state*)world->states.data;
    const float inverse_mass = states[id].inverse_mass;
    if (body->joint_count > 0) return false; // a limit may stop it before its far end arrives
    for (int32_t key = body->contact_head; key != B2D_NONE; key = graph->contacts[key >> 1].next[key & 1]) {
        const b2d_pair* pair = &graph->pairs[key >> 1];
        if (graph->contacts[key >> 1].color >= 0 && key >> 1 != contact &&
            b2d_holds(states[key & 1 ? pair->body_a : pair->body_b].inverse_mass, inverse_mass))
            return true;
    }
    return false;
}

bool b2d_turns_far(const b2d_world* world, int32_t id, float dt) {
    const b2d_body* body = &world->graph.bodies[id];
    const b2d_body_state* state = (const b2d_body_state*)world->states.data + id;
    return body->type == B2D_DYNAMIC && body->shape_count > 1 &&
           b2d_turning_way(state->vx, state->vy, state->w, body->extent, dt) > 2.0f * b2d_speculative_distance(world) &&
           b2d_is_held(world, id, B2D_NONE);
}

void b2d_refresh_boxes(b2d_world* world, int32_t body, b2d_bits* moved) {
    const b2d_pose* pose = b2d_world_pose(world, body);
    const b2d_body_state* state = (const b2d_body_state*)world->states.data + body;
    const float dt = b2d_time_of_turn(world->last_dt, state->w);
    const bool both = b2d_turns_far(world, body, world->last_dt);
    b2d_pose next = *pose;
    b2d_body row = world->graph.bodies[body];
    if (both) b2d_move_pose(&next, &row, dt * state->vx, dt * state->vy, dt * state->w);
    b2d_proxies* p = &world->proxies;
    for (int32_t id = world->graph.bodies[body].shape_head; id != B2D_NONE; id = world->shapes[id].next) {
        if (p->proxy_class[id] == B2D_PROXY_NONE) continue;
        const b2d_shape_hot* hot = &world->shapes_hot[id];
        b2d_box tight = b2d_shape_box_inline(hot, b2d_world_second(world, hot), pose);
        if (both) tight = b2d_box_union(tight, b2d_shape_box_inline(hot, b2d_world_second(world, hot), &next));
        b2d_box fat = {p->fat_min_x[id], p->fat_min_y[id], p->fat_max_x[id], p->fat_max_y[id]};
        if (b2d_box_contains(fat, tight)) continue;
        fat = b2d_box_grow(tight, hot->margin);
        p->fat_min_x[id] = fat.min_x, p->fat_min_y[id] = fat.min_y, p->fat_max_x[id] = fat.max_x,
        p->fat_max_y[id] = fat.max_y;
        b2d_bits_set(moved, id);
    }
}

// Islands that a moving kinematic body touches stay awake. If the user put one of them to sleep, it is woken later.
void b2d_keep_touching_islands_awake(b2d_world* world, b2d_finalize_worker* out, int32_t id) {
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

bool b2d_body_meets_sensors(const b2d_world* world, int32_t id) {
    for (int32_t shape = world->graph.bodies[id].shape_head; shape != B2D_NONE; shape = world->shapes[shape].next)
        if (world->shapes[shape].flags & (B2D_SHAPE_FLAG_SENSOR | B2D_SHAPE_FLAG_SENSOR_EVENTS)) return true;
    return false;
}

bool b2d_keeps_motions(const b2d_world* world) { return world->options[B2D_OPTION_CONTINUOUS] != 0.0; }

void b2d_record_motion(b2d_world* world, int32_t row, int32_t id) {
    if (world->motions == NULL || !b2d_body_meets_sensors(world, id)) return;
    const b2d_body_state* state = b2d_world_state(world, id);
    world->motions[row] = (b2d_motion){*b2d_world_pose(world, id), state->dx, state->dy, state->angle, id};
}

void b2d_collect_moved(b2d_world* world) {
    for (int32_t w = 0; w < world->scratch->worker_count; w++) {
        b2d_bits_merge(&world->proxies.moved, &world->scratch->finalize_workers[w].moved);
        b2d_bits_merge(&world->proxies.dirty, &world->scratch->finalize_workers[w].moved);
        b2d_bits_clear(&world->scratch->finalize_workers[w].moved);
    }
}
