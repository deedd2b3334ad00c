// csrc/objects/joint.c - joints: creation, destruction and activation.
//
// A joint links the islands of two dynamic bodies while both are enabled, whether asleep or awake. It has a colour and
// a lane while one of its dynamic bodies is awake. Everything that depends on the type is in csrc/joints.
#include "objects/joint.h"

#include "joints/joint_type.h"
#include "objects/body.h"
#include "objects/contact.h"
#include "objects/proxy.h"

bool b2d_world_joint_solved(const b2d_world* world, int32_t id) {
    const b2d_graph* graph = &world->graph;
    const b2d_joint* joint = &graph->joints[id];
    if (!b2d_joint_acts(graph, joint)) return false;
    for (int32_t side = 0; side < 2; side++)
        if (b2d_moves(graph, joint->body[side]) && b2d_is_awake(graph, joint->body[side])) return true;
    return false;
}

void b2d_world_joint_changed(b2d_world* world, int32_t id, bool active) {
    b2d_joint* joint = &world->graph.joints[id];
    b2d_direct_touch(&world->memory, &world->direct, joint->body[0]);
    b2d_direct_touch(&world->memory, &world->direct, joint->body[1]);
    world->direct.stale = world->direct.stale || (joint->flags & (B2D_JOINT_DIRECT | B2D_JOINT_SEED)) != 0;
    if (!active) joint->flags &= (uint8_t)~B2D_JOINT_SEED;
}

bool b2d_world_activate_joint(b2d_world* world, int32_t id) {
    b2d_graph* graph = &world->graph;
    int32_t a = graph->joints[id].body[0], b = graph->joints[id].body[1];
    if (!b2d_joint_acts(graph, &graph->joints[id])) return true;
    b2d_world_joint_changed(world, id, true);
    bool links = b2d_moves(graph, a) && b2d_moves(graph, b);
    // Islands merge only if both are awake or both are asleep
    if (links && b2d_is_awake(graph, a) != b2d_is_awake(graph, b) &&
        !(b2d_world_wake_body(world, a) && b2d_world_wake_body(world, b)))
        return false;
    if (links && graph->joints[id].island == B2D_NONE) {
        bool linked = b2d_island_link_joint(graph, id);
        if (!b2d_island_collapse(graph) || !linked) return false; // the caller unlinks the joint again
    }
    return !b2d_world_joint_solved(world, id) || graph->joints[id].lane_index != B2D_NONE ||
           b2d_color_add_joint(graph, id);
}

void b2d_world_deactivate_joint(b2d_world* world, int32_t id) {
    b2d_graph* graph = &world->graph;
    b2d_world_joint_changed(world, id, false);
    if (graph->joints[id].lane_index != B2D_NONE) b2d_color_remove_joint(graph, id);
    if (graph->joints[id].island != B2D_NONE) b2d_island_unlink_joint(graph, id);
}

bool b2d_world_renew_gears(b2d_world* world, int32_t id, bool active) {
    b2d_graph* graph = &world->graph;
    bool done = true;
    for (int32_t key = graph->joints[id].gear_head; key != B2D_NONE; key = graph->joints[key >> 1].gear_next[key & 1]) {
        if (!active) b2d_world_deactivate_joint(world, key >> 1);
        else if (b2d_world_joint_solved(world, key >> 1)) done = b2d_world_activate_joint(world, key >> 1) && done;
    }
    return done;
}

void b2d_world_destroy_connected_contacts(b2d_world* world, int32_t id) {
    b2d_graph* graph = &world->graph;
    int32_t body = graph->joints[id].body[0], other = graph->joints[id].body[1];
    if (graph->bodies[other].contact_count < graph->bodies[body].contact_count) {
        int32_t swap = body;
        body = other;
        other = swap;
    }
    for (int32_t key = graph->bodies[body].contact_head; key != B2D_NONE;) {
        int32_t contact = key >> 1, next = graph->contacts[contact].next[key & 1];
        const b2d_pair* pair = &graph->pairs[contact];
        if ((key & 1 ? pair->body_a : pair->body_b) == other) b2d_world_destroy_contact(world, contact, true);
        key = next;
    }
}

// The shapes of one body are sufficient, because a pair is found again from either of its shapes.
void b2d_world_renew_connected_pairs(b2d_world* world, int32_t id) {
    const b2d_joint* joint = &world->graph.joints[id];
    const b2d_body* bodies = world->graph.bodies;
    int32_t fewer = bodies[joint->body[1]].shape_count < bodies[joint->body[0]].shape_count;
    for (int32_t shape = bodies[joint->body[fewer]].shape_head; shape != B2D_NONE; shape = world->shapes[shape].next)
        b2d_world_renew_pairs(world, shape);
}

// The angle of a new joint lies within half a turn. The whole turns counted between its bodies are subtracted from the
// angle of frame B.
static void start_unwrapped(const b2d_world* world, b2d_joint* joint) {
    const double turn = 6.283185307179586;
    double turns = (double)b2d_joint_angle(joint, world->poses.data, world->graph.bodies) / turn;
    double whole = (double)(int64_t)(turns < 0.0 ? turns - 0.5 : turns + 0.5);
    joint->frame_angle[1] = (float)((double)joint->frame_angle[1] - whole * turn);
}

void b2d_world_start_joint(const b2d_world* world, b2d_joint* joint) {
    const b2d_joint_type* type = b2d_joint_type_of(joint);
    if (type->start != NULL) type->start(&world->graph, world->poses.data, b2d_linear_slop(world), joint);
}

static void unwatch(b2d_world* world, int32_t id) {
    if (id / 64 < world->watched_joints.word_count) b2d_bits_unset(&world->watched_joints, id);
}

int32_t b2d_world_new_joint(b2d_world* world, b2d_joint* row) {
    b2d_graph* graph = &world->graph;
    row->flags |= b2d_joint_type_of(row)->flags;
    start_unwrapped(world, row);
    b2d_world_start_joint(world, row);
    if (!b2d_world_wake_body(world, row->body[0]) || !b2d_world_wake_body(world, row->body[1])) return B2D_NONE;
    int32_t id = b2d_joint_add(graph, row);
    if (id == B2D_NONE) return B2D_NONE;
    if (!b2d_world_watch_joint(world, id) || !b2d_world_activate_joint(world, id)) {
        b2d_world_deactivate_joint(world, id);
        unwatch(world, id);
        b2d_joint_remove(graph, id);
        return B2D_NONE;
    }
    if (!(row->flags & B2D_JOINT_COLLIDE)) b2d_world_destroy_connected_contacts(world, id);
    return id;
}

void b2d_world_drop_joint(b2d_world* world, int32_t id) {
    b2d_graph* graph = &world->graph;
    const b2d_joint* joint = &graph->joints[id];
    while (joint->gear_head != B2D_NONE) b2d_world_drop_joint(world, joint->gear_head >> 1);
    if (!b2d_world_wake_body(world, joint->body[0]) || !b2d_world_wake_body(world, joint->body[1]))
        world->step_failed = true;
    if (!(graph->joints[id].flags & B2D_JOINT_COLLIDE)) b2d_world_renew_connected_pairs(world, id);
    b2d_world_deactivate_joint(world, id);
    b2d_joint_remove(graph, id);
    unwatch(world, id);
}

b2d_joint_view b2d_world_view_joint(const b2d_world* world, int32_t id) {
    const b2d_joint* joint = &world->graph.joints[id];
    const b2d_body_state *a = (const b2d_body_state*)world->states.data + joint->body[0],
                         *b = (const b2d_body_state*)world->states.data + joint->body[1];
    const bool gear = joint->joint[0] != B2D_NONE;
    const b2d_body_state* base = gear ? (const b2d_body_state*)world->states.data +
                                            b2d_gear_base(&world->graph, joint, 0)
                                      : NULL;
    return (b2d_joint_view){.graph = &world->graph,
                            .poses = world->poses.data,
                            .joint = joint,
                            .id = id,
                            .velocity = {{a->vx, a->vy}, {b->vx, b->vy}},
                            .angular_velocity = {a->w, b->w},
                            .base_velocity = gear ? b2d_v(base->vx, base->vy) : b2d_v(0.0f, 0.0f),
                            .base_angular_velocity = gear ? base->w : 0.0f,
                            .rate = world->graph.impulse_h > 0.0f ? 1.0 / (double)world->graph.impulse_h : 0.0};
}

bool b2d_world_watch_joint(b2d_world* world, int32_t id) {
    const b2d_joint* joint = &world->graph.joints[id];
    bool watched = isfinite(joint->force_threshold) || isfinite(joint->torque_threshold);
    if (watched && !b2d_bits_reserve(&world->memory, &world->watched_joints, id + 1)) return false;
    if (watched) b2d_bits_set(&world->watched_joints, id);
    else unwatch(world, id);
    return true;
}

void b2d_world_collect_joint_events(b2d_world* world) {
    b2d_joint_events* events = &world->joint_events;
    B2D_FOR_BITS (&world->watched_joints, id) {
        const b2d_joint* joint = &world->graph.joints[id];
        if (joint->lane_index == B2D_NONE) continue; // asleep, so its load has not changed
        const b2d_joint_load load = b2d_joint_read_load(&world->graph, id);
        const double torque = (double)load.torque,
                     force = sqrt((double)load.x * (double)load.x + (double)load.y * (double)load.y);
        if (force <= (double)joint->force_threshold && fabs(torque) <= (double)joint->torque_threshold) continue;
        if (B2D_GROW(&world->memory, events->rows, events->capacity, events->count + 1))
            events->rows[events->count++] = (b2d_joint_event){world->graph.joint_generations[id], id, 0, force, torque};
        else world->step_failed = true;
    }
}
