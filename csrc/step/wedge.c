// csrc/step/wedge.c - lets out bodies that hold a joint open.
//
// Idea: an impact may open a joint so far that a limb of another figure gets between its bodies. The joint then pulls
// them together, the contacts push them apart, and both rest in balance, for ever. So a moving body that covers a part
// of the line from anchor to anchor of an open joint passes through both bodies of the joint until it has left them:
// its contacts with them yield (B2D_CONTACT_YIELDS). Only steps in which the gap hardly changes count, so that impacts,
// which open joints for some steps, and loads that swing have no part in it. Fixed bodies do not yield: a figure never
// falls through the ground.
// Threads: which open joints are held is found on all workers, the rest is serial. Only lanes that prepare found open
// are read, so joints that are closed cost nothing.
// Proof: tests/physics/test_wedges.py.
#include "step/wedge.h"

#include "base/trace.h"
#include "base/vec.h"
#include "geometry/hot_shape.h"

// 1/s: a gap that changes by a smaller share of its length is held. A free joint closes at some 67 in a second.
#define HELD_RATE 1.0f

typedef struct gap {
    double x, y; // the anchor on body A
    b2d_vec2 d;  // to that on body B
} gap;

// Whether a shape covers a part of the gap.
static bool covers(const b2d_world* world, int32_t shape, const gap* gap) {
    const b2d_shape_hot* hot = &world->shapes_hot[shape];
    const b2d_pose* pose = (const b2d_pose*)world->poses.data + hot->body;
    const b2d_rot q = {pose->c, pose->s};
    const b2d_vec2 a = b2d_unrotate(q, b2d_v((float)(gap->x - pose->x), (float)(gap->y - pose->y)));
    const b2d_proxy core = b2d_shape_proxy(hot, hot->second_hull == B2D_NONE ? NULL
                                                                             : &world->second_hulls[hot->second_hull]),
                    line = {.points = {a, b2d_add(a, b2d_unrotate(q, gap->d))}, .count = 2};
    const b2d_distance distance = b2d_shape_distance(&core, &line, (b2d_transform){{0.0f, 0.0f}, {1.0f, 0.0f}});
    return distance.distance < 0.0f || (distance.normal.x == 0.0f && distance.normal.y == 0.0f);
}

#define FOR_CONTACTS(graph, body, id)                                                                    \
    for (int32_t key = (graph)->bodies[body].contact_head, id; key != B2D_NONE && (id = key >> 1, true); \
         key = (graph)->contacts[id].next[key & 1])

static void yield_to(b2d_world* world, int32_t body, int32_t wedged) {
    b2d_graph* graph = &world->graph;
    FOR_CONTACTS(graph, body, id) {
        b2d_pair* pair = &graph->pairs[id];
        if ((pair->body_a ^ pair->body_b ^ body) != wedged || (pair->flags & B2D_PAIR_TOUCHING) == 0) continue;
        graph->contacts[id].flags |= B2D_CONTACT_YIELDS;
        pair->flags |= B2D_PAIR_ONE_WAY;
        b2d_contact_refresh(graph, id);
    }
}

// Whether the normal of a contact, out of `body`, is within 45 degrees of the gap. A load that lies across a sagging
// chain is no wedge.
static bool is_along(const b2d_graph* graph, int32_t contact, int32_t body, b2d_vec2 d) {
    const b2d_pair* pair = &graph->pairs[contact];
    const b2d_contact_block* block = &graph->blocks[pair->lane_index / B2D_LANES];
    const int32_t lane = pair->lane_index % B2D_LANES;
    const float along = block->nx[lane] * d.x + block->ny[lane] * d.y;
    return (block->body_a[lane] == body ? along : -along) >= 0.70710678f * b2d_length(d);
}

// Whether a joint holds two bodies together. Parts of one machine that overlap at its hinge are no wedges.
static bool are_joined(const b2d_graph* graph, int32_t a, int32_t b) {
    for (int32_t key = graph->bodies[a].joint_head; key != B2D_NONE; key = graph->joints[key >> 1].next[key & 1])
        if (graph->joints[key >> 1].body[!(key & 1)] == b) return true;
    return false;
}

static void release_from(b2d_world* world, const int32_t bodies[2], const gap* gap) {
    const b2d_graph* graph = &world->graph;
    for (int32_t side = 0; side < 2; side++) FOR_CONTACTS(graph, bodies[side], id) {
            const b2d_pair* pair = &graph->pairs[id];
            const bool is_b = pair->body_b != bodies[side];
            const int32_t other = is_b ? pair->body_b : pair->body_a;
            if (pair->lane_index == B2D_NONE || other == bodies[!side] || !b2d_moves(graph, other) ||
                !is_along(graph, id, bodies[side], side == 0 ? gap->d : b2d_neg(gap->d)) ||
                !covers(world, is_b ? pair->shape_b : pair->shape_a, gap) || are_joined(graph, other, bodies[0]) ||
                are_joined(graph, other, bodies[1]))
                continue;
            uint8_t* flags = &graph->contacts[id].flags;
            if (*flags < B2D_CONTACT_WEDGED) {
                *flags = (uint8_t)(*flags + B2D_CONTACT_WEDGED_ONCE);
                continue;
            }
            yield_to(world, bodies[0], other);
            yield_to(world, bodies[1], other);
        }
}

// Where an anchor gets to by the motion of its body in the step; `r` is its arm at the start.
static b2d_vec2 motion_of(const b2d_body_state* state, b2d_vec2 r) {
    const b2d_vec2 turned = b2d_rotate(b2d_make_rot((double)state->angle), r);
    return b2d_add(b2d_v(state->dx, state->dy), b2d_sub(turned, r));
}

static b2d_vec2 arm_a(const b2d_joint_block* block, int32_t lane) { return b2d_v(block->ax[lane], block->ay[lane]); }

// From anchor to anchor
static b2d_vec2 gap_of(const b2d_joint_block* block, int32_t lane) {
    return b2d_add(b2d_v(block->dx[lane], block->dy[lane]),
                   b2d_sub(b2d_v(block->bx[lane], block->by[lane]), arm_a(block, lane)));
}

// Whether the gap of an open joint hardly changes, and may be held by a contact.
static inline bool is_held(const b2d_solver* solver, int32_t id, int32_t lane) {
    const b2d_graph* graph = solver->graph;
    const b2d_joint_block* block = &graph->joint_blocks[id];
    const int32_t a = block->body_a[lane], b = block->body_b[lane];
    if (a == B2D_NONE) return false; // padding
    if (graph->bodies[a].contact_head == B2D_NONE && graph->bodies[b].contact_head == B2D_NONE) return false;
    if ((graph->joint_block_rows[id] & B2D_ROWS_NO_POINT) && graph->joint_rows[id].point_off[lane] > 0.0f) return false;
    if (graph->joints[graph->joint_block_joint[id * B2D_LANES + lane]].flags & B2D_JOINT_DIRECT) return false;
    const b2d_vec2 change = b2d_sub(motion_of(&solver->states[b], b2d_v(block->bx[lane], block->by[lane])),
                                    motion_of(&solver->states[a], arm_a(block, lane)));
    return b2d_length(change) <= HELD_RATE * solver->dt * b2d_length(gap_of(block, lane));
}

static void keep_held(void* context, int32_t begin, int32_t end, int32_t worker) {
    (void)worker;
    const b2d_solver* solver = context;
    for (int32_t id = begin; id < end; id++) {
        uint32_t held = 0;
        if (solver->open_joints[id] == 0) continue;
        for (uint32_t open = solver->open_joints[id]; open != 0; open &= open - 1)
            if (is_held(solver, id, b2d_ctz64(open))) held |= open & -open;
        solver->open_joints[id] = (uint16_t)held;
    }
}

static void release_from_lane(b2d_world* world, const b2d_solver* solver, int32_t id, int32_t lane) {
    const b2d_joint_block* block = &world->graph.joint_blocks[id];
    const int32_t bodies[2] = {block->body_a[lane], block->body_b[lane]};
    const b2d_pose* pose = &solver->poses[bodies[0]];
    const b2d_vec2 arm = b2d_add(b2d_pose_center(pose), arm_a(block, lane));
    release_from(world, bodies, &(gap){pose->x + (double)arm.x, pose->y + (double)arm.y, gap_of(block, lane)});
}

void b2d_world_release_wedged(b2d_world* world, b2d_solver* solver) {
    enum { GRAIN = 16 };
    const int32_t blocks = world->graph.joint_block_ids.limit;
    b2d_scheduler_label(world->scheduler, B2D_STAGE_restitution);
    const b2d_stage stage = {keep_held, solver, blocks, GRAIN};
    b2d_scheduler_run_entered(world->scheduler, &stage, 1);
    for (int32_t id = 0; id < blocks; id++)
        for (uint32_t held = solver->open_joints[id]; held != 0; held &= held - 1)
            release_from_lane(world, solver, id, b2d_ctz64(held));
}
