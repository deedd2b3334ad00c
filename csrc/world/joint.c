// csrc/world/joint.c - joints: making and dropping them, when they are solved, and what can be read back.
//
// A joint links the islands of two dynamic bodies while both are enabled, asleep or not; it is coloured while one of its dynamic
// bodies is awake. Frames, forces and angles are in the user's order of bodies, whatever side the solver puts them on.
#include "solver/prepare.h"
#include "world/world.h"

static bool both_enabled(const b2d_graph* graph, const b2d_joint* joint) {
    return (graph->bodies[joint->body[0]].flags & graph->bodies[joint->body[1]].flags & B2D_BODY_FLAG_ENABLED) != 0;
}

bool b2d_world_joint_solved(const b2d_world* world, int32_t id) {
    const b2d_graph* graph = &world->graph;
    const b2d_joint* joint = &graph->joints[id];
    if (!both_enabled(graph, joint)) return false;
    for (int32_t side = 0; side < 2; side++)
        if (b2d_moves(graph, joint->body[side]) && b2d_is_awake(graph, joint->body[side])) return true;
    return false;
}

bool b2d_world_activate_joint(b2d_world* world, int32_t id) {
    b2d_graph* graph = &world->graph;
    int32_t a = graph->joints[id].body[0], b = graph->joints[id].body[1];
    if (!both_enabled(graph, &graph->joints[id])) return true;
    bool links = b2d_moves(graph, a) && b2d_moves(graph, b);
    // Islands merge only when both are awake or both asleep.
    if (links && b2d_is_awake(graph, a) != b2d_is_awake(graph, b) && !(b2d_world_wake_body(world, a) && b2d_world_wake_body(world, b)))
        return false;
    if (links && graph->joints[id].island == B2D_NONE) {
        bool linked = b2d_island_link_joint(graph, id);
        if (!b2d_island_collapse(graph) || !linked) return false; // the caller takes back what was linked
    }
    return !b2d_world_joint_solved(world, id) || graph->joints[id].home != B2D_NONE || b2d_color_add_joint(graph, id);
}

void b2d_world_deactivate_joint(b2d_world* world, int32_t id) {
    b2d_graph* graph = &world->graph;
    if (graph->joints[id].home != B2D_NONE) b2d_color_remove_joint(graph, id);
    if (graph->joints[id].island != B2D_NONE) b2d_island_unlink_joint(graph, id);
}

void b2d_world_separate_connected(b2d_world* world, int32_t id) {
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

// One side suffices: a pair is looked at again when either of its shapes is.
void b2d_world_reopen_connected(b2d_world* world, int32_t id) {
    const b2d_joint* joint = &world->graph.joints[id];
    const b2d_body* bodies = world->graph.bodies;
    int32_t fewer = bodies[joint->body[1]].shape_count < bodies[joint->body[0]].shape_count;
    for (int32_t shape = bodies[joint->body[fewer]].shape_head; shape != B2D_NONE; shape = world->shapes[shape].next)
        b2d_world_reopen(world, shape);
}

// A joint starts within a half turn: whole turns between its bodies, which unwrapping would count, go into frame B.
static void start_unwrapped(const b2d_world* world, b2d_joint* joint) {
    const double turn = 6.283185307179586;
    double turns = (double)b2d_joint_angle(joint, world->poses.data, world->graph.bodies) / turn;
    double whole = (double)(int64_t)(turns < 0.0 ? turns - 0.5 : turns + 0.5);
    joint->frame_angle[1] = (float)((double)joint->frame_angle[1] - whole * turn);
}

int32_t b2d_world_new_joint(b2d_world* world, int32_t body_a, int32_t body_b, const b2d_joint_def* def) {
    b2d_graph* graph = &world->graph;
    b2d_joint row = {
        .body = {body_a, body_b},
        .island = B2D_NONE, .island_slot = B2D_NONE, .home = B2D_NONE, .color = -1,
        .type = (uint8_t)def->type,
        .flags = (uint8_t)((def->collide_connected ? B2D_JOINT_COLLIDE : 0) | (def->enable_spring ? B2D_JOINT_SPRING : 0) |
                           (def->enable_limit ? B2D_JOINT_LIMIT : 0) | (def->enable_motor ? B2D_JOINT_MOTOR : 0)),
        .anchor = {{(float)def->ax, (float)def->ay}, {(float)def->bx, (float)def->by}},
        .frame_angle = {(float)def->angle_a, (float)def->angle_b},
        .hertz = (float)def->joint_hertz, .damping_ratio = (float)def->joint_damping_ratio,
        .force_threshold = (float)def->force_threshold, .torque_threshold = (float)def->torque_threshold,
        .spring_hertz = (float)def->hertz, .spring_damping_ratio = (float)def->damping_ratio, .spring_target = (float)def->target_angle,
        .lower = (float)def->lower_angle, .upper = (float)def->upper_angle,
        .motor_speed = (float)def->motor_speed, .motor_max_torque = (float)def->max_motor_torque,
    };
    start_unwrapped(world, &row);
    if (!b2d_world_wake_body(world, body_a) || !b2d_world_wake_body(world, body_b)) return B2D_NONE;
    int32_t id = b2d_joint_add(graph, &row);
    if (id == B2D_NONE) return B2D_NONE;
    if (!b2d_world_activate_joint(world, id)) {
        b2d_world_deactivate_joint(world, id);
        b2d_joint_remove(graph, id);
        return B2D_NONE;
    }
    if (!def->collide_connected) b2d_world_separate_connected(world, id);
    return id;
}

void b2d_world_drop_joint(b2d_world* world, int32_t id) {
    b2d_graph* graph = &world->graph;
    const b2d_joint* joint = &graph->joints[id];
    if (!b2d_world_wake_body(world, joint->body[0]) || !b2d_world_wake_body(world, joint->body[1])) world->step_failed = true;
    if (!(graph->joints[id].flags & B2D_JOINT_COLLIDE)) b2d_world_reopen_connected(world, id);
    b2d_world_deactivate_joint(world, id);
    b2d_joint_remove(graph, id);
}

double b2d_world_joint_angle(const b2d_world* world, int32_t id) {
    return (double)b2d_joint_angle(&world->graph.joints[id], world->poses.data, world->graph.bodies);
}
