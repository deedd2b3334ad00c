// csrc/solver/direct_plan.c - finds the assemblies that are solved directly and their orders of elimination.
//
// The walk is breadth first. It starts from the joint of lowest id that connects the assembly to a fixed body or,
// without one, from the body of the lowest joint with a high mass ratio. The order of elimination is the walk
// backwards, so a child comes before its parent; joints that close a loop come last. The elimination tree gives the
// columns of L (Liu, "The role of elimination trees in sparse factorization", 1990). The plan depends only
// on the sequence of calls so far, as the adjacency does.
#include "joints/joint_type.h"
#include "solver/direct.h"

#include <string.h>

bool b2d_direct_suits(const b2d_graph* graph, int32_t id) {
    const b2d_joint* joint = &graph->joints[id];
    const b2d_joint_type* type = b2d_joint_type_of(joint);
    if (!b2d_joint_acts(graph, joint) || !type->direct) return false;
    if (type->rows & B2D_ROWS_PLANE && joint->spring_hertz > 0.0f) return false; // a spring in the plane
    return b2d_moves(graph, joint->body[0]) || b2d_moves(graph, joint->body[1]);
}

typedef struct planner {
    const b2d_graph* graph;
    b2d_memory* memory;
    b2d_direct* direct;
    int32_t *bodies, *joints; // by id: 0 = not met, SEEN, or 1 + index in the assembly
    int32_t *walk, *loops;    // bodies (id) and joints (~id) in the order of the walk; joints that close loops
    int32_t walked, looped, body_count;
    int32_t root_joint;
    int32_t *head, *next, *row; // head by position: its first edge to a later one; next and row by edge
    int32_t *child, *sibling;   // of the elimination tree, by position
    bool failed;
} planner;
enum { SEEN = INT32_MAX };

static void reach_body(planner* p, int32_t id) {
    p->bodies[id] = SEEN;
    p->walk[p->walked++] = id;
    p->body_count++;
}

static void reach_joint(planner* p, int32_t key) {
    int32_t id = key >> 1, other = p->graph->joints[id].body[!(key & 1)];
    if (p->joints[id] != 0 || !b2d_direct_suits(p->graph, id)) return;
    p->joints[id] = SEEN;
    bool moves = b2d_moves(p->graph, other);
    if (!moves && (p->root_joint == B2D_NONE || id < p->root_joint)) p->root_joint = id;
    if (!moves || p->bodies[other] != 0) { // of all joints to fixed bodies only the root joint closes no loop
        p->loops[p->looped++] = id;
        return;
    }
    p->walk[p->walked++] = ~id;
    reach_body(p, other);
}

// The walk always goes to the end, so that a part of a large assembly is never taken for a small assembly.
static void walk_from(planner* p, int32_t body, int32_t root_joint) {
    p->walked = p->looped = p->body_count = 0;
    p->root_joint = root_joint;
    if (root_joint != B2D_NONE) {
        p->joints[root_joint] = SEEN;
        p->walk[p->walked++] = ~root_joint;
    }
    reach_body(p, body);
    for (int32_t k = 0; k < p->walked; k++)
        if (p->walk[k] >= 0)
            for (int32_t key = p->graph->bodies[p->walk[k]].joint_head; key != B2D_NONE;
                 key = p->graph->joints[key >> 1].next[key & 1])
                reach_joint(p, key);
}

static bool walk_assembly(planner* p, int32_t seed) {
    const b2d_joint* joints = p->graph->joints;
    int32_t body = joints[seed].body[0];
    if (p->bodies[body] != 0) return false; // an earlier seed has found it
    walk_from(p, body, B2D_NONE);
    if (p->body_count > B2D_DIRECT_BODIES || p->looped > B2D_DIRECT_WIDTH) return false;
    int32_t root = p->root_joint;
    if (root == B2D_NONE) return true;
    for (int32_t k = 0; k < p->walked; k++) *(p->walk[k] >= 0 ? &p->bodies[p->walk[k]] : &p->joints[~p->walk[k]]) = 0;
    for (int32_t k = 0; k < p->looped; k++) p->joints[p->loops[k]] = 0;
    walk_from(p, joints[root].body[!b2d_moves(p->graph, joints[root].body[0])], root);
    p->root_joint = root;
    return true;
}

// Bodies and joints of the assembly in the order of elimination.
static void place_nodes(planner* p, b2d_direct_assembly* assembly) {
    b2d_direct* d = p->direct;
    b2d_direct_body* bodies = d->bodies + assembly->first_body;
    b2d_direct_joint* joints = d->joints + assembly->first_joint;
    b2d_direct_node* nodes = d->nodes + assembly->first_node;
    int32_t count = 0;
    for (int32_t k = p->walked; k-- > 0; count++) {
        if (p->walk[k] >= 0) {
            bodies[assembly->body_count] = (b2d_direct_body){.id = p->walk[k], .position = count};
            nodes[count] = (b2d_direct_node){.index = assembly->body_count++};
            p->bodies[p->walk[k]] = assembly->body_count;
        } else {
            joints[assembly->joint_count] = (b2d_direct_joint){.id = ~p->walk[k], .position = count};
            nodes[count] = (b2d_direct_node){.index = ~assembly->joint_count++};
        }
    }
    for (int32_t k = 0; k < p->looped; k++, count++) {
        joints[assembly->joint_count] = (b2d_direct_joint){.id = p->loops[k], .position = count, .closes = true};
        nodes[count] = (b2d_direct_node){.index = ~assembly->joint_count++};
    }
    for (int32_t k = 0; k < assembly->joint_count; k++) {
        const b2d_joint* joint = &p->graph->joints[joints[k].id];
        bool flip = !b2d_moves(p->graph, joint->body[0]);
        for (int32_t side = 0; side < 2; side++) {
            int32_t body = joint->body[side ^ flip];
            joints[k].body[side] = b2d_moves(p->graph, body) ? p->bodies[body] - 1 : B2D_NONE;
        }
    }
}

// Keeps the rows ascending and without repetition; false: too many.
static bool insert_row(int32_t* rows, int32_t* count, int32_t row) {
    int32_t k = *count;
    while (k > 0 && rows[k - 1] > row) k--;
    if (k > 0 && rows[k - 1] == row) return true;
    if (*count == B2D_DIRECT_WIDTH) return false;
    memmove(rows + k + 1, rows + k, (size_t)(*count - k) * sizeof *rows);
    rows[k] = row;
    *count += 1;
    return true;
}

// A column couples its node with later nodes: its own neighbours and the rows of its children in the elimination tree.
static bool find_column(planner* p, b2d_direct_assembly* assembly, int32_t column) {
    b2d_direct* d = p->direct;
    b2d_direct_node* nodes = d->nodes + assembly->first_node;
    int32_t rows[B2D_DIRECT_WIDTH], count = 0;
    for (int32_t edge = p->head[column]; edge != B2D_NONE; edge = p->next[edge])
        if (!insert_row(rows, &count, p->row[edge])) return false;
    for (int32_t child = p->child[column]; child != B2D_NONE; child = p->sibling[child])
        for (int32_t k = 1; k < nodes[child].count; k++) // the first row of a child is this node
            if (!insert_row(rows, &count, d->blocks[assembly->first_block + nodes[child].first + k].row)) return false;
    if (!B2D_GROW(p->memory, d->blocks, d->block_capacity, assembly->first_block + assembly->block_count + count)) {
        p->failed = true;
        return false;
    }
    nodes[column].first = assembly->block_count;
    nodes[column].count = count;
    for (int32_t k = 0; k < count; k++) d->blocks[assembly->first_block + assembly->block_count++].row = rows[k];
    if (count > 0) {
        p->sibling[column] = p->child[rows[0]];
        p->child[rows[0]] = column;
    }
    return true;
}

static int32_t block_of(const b2d_direct* d, const b2d_direct_assembly* assembly, int32_t a, int32_t b) {
    int32_t column = b2d_min_int(a, b), row = b2d_max_int(a, b);
    int32_t k = d->nodes[assembly->first_node + column].first;
    while (d->blocks[assembly->first_block + k].row != row) k++;
    return k;
}

static bool factor_symbolically(planner* p, b2d_direct_assembly* assembly) {
    b2d_direct* d = p->direct;
    const b2d_direct_body* bodies = d->bodies + assembly->first_body;
    b2d_direct_joint* joints = d->joints + assembly->first_joint;
    int32_t nodes = assembly->body_count + assembly->joint_count;
    for (int32_t k = 0; k < nodes; k++) p->head[k] = p->child[k] = B2D_NONE;
    for (int32_t k = 0; k < 2 * assembly->joint_count; k++) {
        int32_t body = joints[k / 2].body[k % 2];
        if (body == B2D_NONE) continue;
        int32_t a = joints[k / 2].position, b = bodies[body].position, column = b2d_min_int(a, b);
        p->row[k] = b2d_max_int(a, b);
        p->next[k] = p->head[column];
        p->head[column] = k;
    }
    for (int32_t column = 0; column < nodes; column++)
        if (!find_column(p, assembly, column)) return false;
    for (int32_t k = 0; k < 2 * assembly->joint_count; k++) {
        int32_t body = joints[k / 2].body[k % 2];
        if (body != B2D_NONE)
            joints[k / 2].block[k % 2] = block_of(d, assembly, joints[k / 2].position, bodies[body].position);
    }
    return true;
}

static void add_assembly(planner* p, int32_t seed) {
    b2d_direct* d = p->direct;
    if (!walk_assembly(p, seed)) return;
    int32_t joints = p->walked + p->looped - p->body_count;
    if (!B2D_GROW(p->memory, d->assemblies, d->assembly_capacity, d->assembly_count + 1) ||
        !B2D_GROW(p->memory, d->bodies, d->body_capacity, d->body_count + p->body_count) ||
        !B2D_GROW(p->memory, d->joints, d->joint_capacity, d->joint_count + joints) ||
        !B2D_GROW(p->memory, d->nodes, d->node_capacity, d->node_count + p->body_count + joints)) {
        p->failed = true;
        return;
    }
    b2d_direct_assembly* assembly = &d->assemblies[d->assembly_count];
    *assembly = (b2d_direct_assembly){.seed = seed,
                                      .first_body = d->body_count,
                                      .first_joint = d->joint_count,
                                      .first_node = d->node_count,
                                      .first_block = d->block_count};
    place_nodes(p, assembly);
    if (!factor_symbolically(p, assembly)) return; // the next assembly overwrites its rows
    d->assembly_count++;
    d->body_count += assembly->body_count;
    d->joint_count += assembly->joint_count;
    d->node_count += assembly->body_count + assembly->joint_count;
    d->block_count += assembly->block_count;
}

// A light body that hangs on a heavy one by a single joint carries nothing; there sequential impulses converge well.
static bool carries(const b2d_solver* solver, int32_t id) {
    const b2d_graph* graph = solver->graph;
    const int32_t* body = graph->joints[id].body;
    int32_t light = body[solver->states[body[1]].inverse_mass > solver->states[body[0]].inverse_mass];
    for (int32_t key = graph->bodies[light].joint_head; key != B2D_NONE; key = graph->joints[key >> 1].next[key & 1])
        if (key >> 1 != id && b2d_direct_suits(graph, key >> 1)) return true;
    return false;
}

// Joints that are solved directly are kept in the overflow list, so they use up no colours.
static bool mark_joint(b2d_graph* graph, int32_t id, bool direct) {
    b2d_joint* joint = &graph->joints[id];
    if (direct == ((joint->flags & B2D_JOINT_DIRECT) != 0)) return true;
    bool solved = joint->lane_index != B2D_NONE;
    if (solved) b2d_color_remove_joint(graph, id);
    joint->flags = (uint8_t)(direct ? joint->flags | B2D_JOINT_DIRECT : joint->flags & ~B2D_JOINT_DIRECT);
    if (!solved || b2d_color_add_joint(graph, id)) return true;
    graph->needs_repair = true; // the world tries again
    return false;
}

static bool make_planner(const b2d_solver* solver, planner* p) {
    int32_t bodies = solver->graph->body_capacity, joints = solver->graph->joint_ids.limit;
    size_t nodes = (size_t)bodies + (size_t)joints;
    *p = (planner){.graph = solver->graph, .memory = solver->memory, .direct = solver->direct};
    int32_t* room = b2d_arena_take(solver->memory, solver->arena, (nodes * 6 + (size_t)joints * 4) * sizeof *room);
    if (room == NULL) return false;
    memset(room, 0, nodes * sizeof *room);
    p->bodies = room, room += bodies;
    p->joints = room, room += joints;
    p->walk = room, room += nodes;
    p->head = room, room += nodes;
    p->child = room, room += nodes;
    p->sibling = room, room += nodes;
    p->loops = room, room += joints;
    p->next = room, room += 2 * joints;
    p->row = room;
    return true;
}

bool b2d_direct_plan(const b2d_solver* solver) {
    b2d_graph* graph = solver->graph;
    b2d_direct* d = solver->direct;
    planner p;
    int32_t count = d->joint_count;
    int32_t* before = b2d_arena_take(solver->memory, solver->arena, (size_t)(count + 1) * sizeof *before);
    if (before == NULL || !make_planner(solver, &p)) return false;
    for (int32_t k = 0; k < count; k++) before[k] = d->joints[k].id;
    d->assembly_count = d->body_count = d->joint_count = d->node_count = d->block_count = 0;
    for (int32_t id = b2d_id_pool_next(&graph->joint_ids, 0); id != B2D_NONE && !p.failed;
         id = b2d_id_pool_next(&graph->joint_ids, id + 1))
        if (graph->joints[id].flags & B2D_JOINT_HIGH_MASS_RATIO && carries(solver, id)) add_assembly(&p, id);
    bool done = !p.failed;
    memset(p.joints, 0, (size_t)graph->joint_ids.limit * sizeof *p.joints);
    for (int32_t k = 0; k < d->joint_count; k++) p.joints[d->joints[k].id] = 1;
    for (int32_t k = 0; k < count; k++)
        if (b2d_id_pool_has(&graph->joint_ids, before[k]) && p.joints[before[k]] == 0)
            done = mark_joint(graph, before[k], false) && done;
    for (int32_t k = 0; k < d->joint_count; k++) done = mark_joint(graph, d->joints[k].id, true) && done;
    d->stale = !done;
    return done;
}
