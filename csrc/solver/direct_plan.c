// csrc/solver/direct_plan.c - finds the assemblies that are solved directly and their orders of elimination.
//
// Assemblies in which something has changed are judged by the load of their joints, and the seeds of those that are
// to be solved directly are marked; then the plan of all marked ones is made. The walk is breadth first. It starts from
// the joint of lowest id that connects the assembly to a fixed body or, without one, from a body of its joint of lowest
// id. The order of elimination is a walk backwards. In a tree a child comes before its parent, and their joint between
// them. In an assembly with loops it is a second walk, from the body that the first one reached last, and joints, which
// yield there, come before both of their bodies: so a lattice couples no more nodes than it is wide (Cuthill and McKee,
// "Reducing the bandwidth of sparse symmetric matrices", 1969). The elimination tree gives the columns of L (Liu, "The
// role of elimination trees in sparse factorization", 1990). The plan depends only on the sequence of calls so far, as
// the adjacency does.
#include "joints/joint_type.h"
#include "solver/direct.h"
#include "solver/press.h"

#include <math.h>
#include <string.h>

void b2d_direct_touch(b2d_memory* memory, b2d_direct* d, int32_t body) {
    enum { MANY = 1 << 20 };
    if (d->all_changed) return;
    if (d->changed_count < MANY && B2D_GROW(memory, d->changed, d->changed_capacity, d->changed_count + 1))
        d->changed[d->changed_count++] = body;
    else d->all_changed = true;
}

bool b2d_direct_suits(const b2d_graph* graph, int32_t id) {
    const b2d_joint* joint = &graph->joints[id];
    const b2d_joint_type* type = b2d_joint_type_of(joint);
    if (!b2d_joint_acts(graph, joint) || !type->direct || b2d_gear_moves_bases(graph, joint) ||
        joint->solver == B2D_JOINT_SOLVER_ITERATIVE)
        return false;
    return b2d_moves(graph, joint->body[0]) || b2d_moves(graph, joint->body[1]);
}

// Whether the joint holds the angle against a load, as a weld does. Limits that leave no room do.
static bool carries_torque(const b2d_joint* joint) {
    const b2d_joint_type* type = b2d_joint_type_of(joint);
    if (type->holds_angle) return joint->angular_hertz == 0.0f;
    return (joint->flags & B2D_JOINT_LIMIT) && type->line == B2D_LINE_NONE &&
           joint->upper - joint->lower <= B2D_CLOSED_RANGE;
}

// A point or a rod and nothing else, so that nothing takes energy.
static bool is_free(const b2d_joint* joint) {
    const b2d_joint_type* type = b2d_joint_type_of(joint);
    return type->line != B2D_LINE_SLIDE && !type->holds_angle && !(type->rows & B2D_ROWS_COUPLING) &&
           !(joint->flags & (B2D_JOINT_SPRING | B2D_JOINT_LIMIT | B2D_JOINT_MOTOR));
}

static bool is_soft(const b2d_joint* joint) { // only springs
    const b2d_joint_type* type = b2d_joint_type_of(joint);
    if (type->line == B2D_LINE_ROD) return (joint->flags & B2D_JOINT_SPRING) && !(joint->flags & B2D_JOINT_LIMIT);
    return (type->rows & B2D_ROWS_PLANE) && joint->spring_hertz != 0.0f && joint->angular_hertz != 0.0f;
}

uint32_t b2d_direct_kind(const b2d_graph* graph, int32_t id) {
    const b2d_joint* joint = &graph->joints[id];
    return (uint32_t)b2d_direct_suits(graph, id) | (uint32_t)carries_torque(joint) << 1 |
           (uint32_t)is_free(joint) << 2 | (uint32_t)is_soft(joint) << 3 |
           (uint32_t)((joint->flags & B2D_JOINT_MOTOR) != 0) << 4;
}

typedef struct planner {
    const b2d_solver* solver;
    const b2d_graph* graph;
    b2d_memory* memory;
    b2d_direct* direct;
    int32_t *bodies, *joints; // by id: 0 = not met, LARGE, or 1 + index in the assembly; 0, MET, CLOSES or PLACED
    int32_t *parent, *order;  // by body id: the body from which the walk came, B2D_NONE; bodies of the second walk
    int32_t *walk, *loops;    // bodies (id) and joints (~id) in the order of the walk; joints that close loops
    int32_t walked, looped, body_count;
    int32_t root_joint;
    int32_t *head, *next, *row; // head by position: its first edge to a later one; next and row by edge
    int32_t *child, *sibling;   // of the elimination tree, by position
    bool failed, large;
} planner;
enum { LARGE = INT32_MAX }; // a body of a part that is too large
enum { MET = 1, CLOSES = 2, PLACED = 3 };

static void reach_body(planner* p, int32_t id, int32_t parent) {
    p->parent[id] = parent;
    p->walk[p->walked++] = id;
    p->bodies[id] = ++p->body_count;
}

static void reach_joint(planner* p, int32_t key) {
    int32_t id = key >> 1, body = p->graph->joints[id].body[key & 1], other = p->graph->joints[id].body[!(key & 1)];
    if (p->joints[id] != 0 || !b2d_direct_suits(p->graph, id)) return;
    p->joints[id] = MET;
    bool moves = b2d_moves(p->graph, other);
    if (!moves && (p->root_joint == B2D_NONE || id < p->root_joint)) p->root_joint = id;
    if (moves && p->bodies[other] == LARGE) p->large = true;
    if (!moves || p->bodies[other] != 0) { // of all joints to fixed bodies only the root joint closes no loop
        p->joints[id] = CLOSES;
        p->loops[p->looped++] = id;
        return;
    }
    p->walk[p->walked++] = ~id;
    reach_body(p, other, body);
}

// The walk ends early only in a part that is too large, so that no part of it is taken for a small assembly later.
static void walk_from(planner* p, int32_t body, int32_t root_joint) {
    p->walked = p->looped = p->body_count = 0;
    p->root_joint = root_joint;
    if (root_joint != B2D_NONE) {
        p->joints[root_joint] = MET;
        p->walk[p->walked++] = ~root_joint;
    }
    reach_body(p, body, B2D_NONE);
    for (int32_t k = 0; k < p->walked && !p->large; k++) {
        if (p->walk[k] < 0) continue;
        for (int32_t key = p->graph->bodies[p->walk[k]].joint_head; key != B2D_NONE;
             key = p->graph->joints[key >> 1].next[key & 1])
            reach_joint(p, key);
        p->large = p->large || p->body_count > B2D_DIRECT_BODIES;
    }
    for (int32_t k = 0; k < p->walked && p->large; k++)
        if (p->walk[k] >= 0) p->bodies[p->walk[k]] = LARGE;
}

// Walks the assembly of a body that moves; false: an earlier walk has met it.
static bool walk_assembly(planner* p, int32_t body) {
    if (p->bodies[body] != 0) return false;
    p->large = false;
    walk_from(p, body, B2D_NONE);
    int32_t root = p->root_joint;
    if (root == B2D_NONE || p->large) return true;
    for (int32_t k = 0; k < p->walked; k++) *(p->walk[k] >= 0 ? &p->bodies[p->walk[k]] : &p->joints[~p->walk[k]]) = 0;
    for (int32_t k = 0; k < p->looped; k++) p->joints[p->loops[k]] = 0;
    const b2d_joint* joint = &p->graph->joints[root];
    walk_from(p, joint->body[!b2d_moves(p->graph, joint->body[0])], root);
    p->root_joint = root;
    return true;
}

static int32_t moving_side(const b2d_graph* graph, int32_t joint) {
    return graph->joints[joint].body[!b2d_moves(graph, graph->joints[joint].body[0])];
}

// ---- Which assemblies are solved directly ----

typedef struct load { // masses, first moments and the inertia about the origin, of the bodies below in the tree
    double mass, x, y, inertia;
} load;

static load load_of(const b2d_solver* solver, int32_t id) {
    const b2d_body_state* state = &solver->states[id];
    const b2d_pose* pose = &solver->poses[id];
    const b2d_vec2 center = b2d_pose_center(pose);
    const double x = pose->x + (double)center.x, y = pose->y + (double)center.y;
    const double mass = state->inverse_mass > 0.0f ? 1.0 / (double)state->inverse_mass : 0.0;
    const double inertia = state->inverse_inertia > 0.0f ? 1.0 / (double)state->inverse_inertia : 0.0;
    return (load){mass, mass * x, mass * y, inertia + mass * (x * x + y * y)};
}

static void add_load(load* sum, const load* part, double sign) {
    sum->mass += sign * part->mass;
    sum->x += sign * part->x;
    sum->y += sign * part->y;
    sum->inertia += sign * part->inertia;
}

// With the heavy bodies that touch it: joints carry these, too.
static load load_with_touching(const planner* p, int32_t id) {
    load sum = load_of(p->solver, id);
    for (int32_t key = p->graph->bodies[id].contact_head; key != B2D_NONE;
         key = p->graph->contacts[key >> 1].next[key & 1]) {
        const b2d_pair* pair = &p->graph->pairs[key >> 1];
        const int32_t other = key & 1 ? pair->body_a : pair->body_b;
        if (!(pair->flags & B2D_PAIR_TOUCHING) || !b2d_direct_loads(p->graph, p->solver->states, id, other)) continue;
        const load part = load_of(p->solver, other);
        add_load(&sum, &part, 1.0);
    }
    return sum;
}

static double inertia_about(const load* l, double x, double y) {
    return l->inertia - 2.0 * (x * l->x + y * l->y) + l->mass * (x * x + y * y);
}

static double both(double a, double b) { // the mass with which two masses resist a motion against each other
    return isinf(a) ? b : (isinf(b) ? a : (a + b > 0.0 ? a * b / (a + b) : 0.0));
}

// A body that no impulse moves counts as fixed.
static double or_fixed(double mass) { return mass > 0.0 ? mass : (double)INFINITY; }

static double central_inertia(const planner* p, int32_t id) {
    const float inverse = p->solver->states[id].inverse_inertia;
    return b2d_moves(p->graph, id) && inverse > 0.0f ? 1.0 / (double)inverse : 0.0;
}

static b2d_vec2 anchor_from_origin(const planner* p, const b2d_joint* joint, int32_t side) {
    const b2d_pose* pose = &p->solver->poses[joint->body[side]];
    return b2d_rotate((b2d_rot){pose->c, pose->s}, joint->anchor[side]);
}

// Whether the joint holds the angle of what is below it: as a weld does, or, in what something fixed holds, by a limit,
// or by a motor that can bear its weight. A weaker motor is a friction of the hinge.
static bool holds_below(const planner* p, const b2d_joint* joint, int32_t child, const load* below) {
    if (carries_torque(joint)) return true;
    const b2d_joint_type* type = b2d_joint_type_of(joint);
    if (p->root_joint == B2D_NONE) return false;
    if ((joint->flags & B2D_JOINT_LIMIT) && type->line == B2D_LINE_NONE) return true;
    if (!(joint->flags & B2D_JOINT_MOTOR) || type->motor != B2D_ROWS_ANGLE) return false;
    const b2d_pose* pose = &p->solver->poses[child];
    const b2d_vec2 arm = anchor_from_origin(p, joint, joint->body[1] == child),
                   gravity = b2d_gravity_of(p->solver, child);
    const double x = below->x - below->mass * (pose->x + (double)arm.x),
                 y = below->y - below->mass * (pose->y + (double)arm.y),
                 weight = sqrt((x * x + y * y) * (double)b2d_dot(gravity, gravity));
    return weight > 0.0 && (double)joint->motor_max >= weight;
}

// Whether the joint of the tree carries too much over what its lighter body is: sequential rows are as stiff as that
// body is heavy. `below` is the load of the far side and `all` that of the tree.
static bool is_loaded(const planner* p, const b2d_joint* joint, int32_t child, const load* below, const load* all) {
    const int32_t near = joint->body[joint->body[0] == child];
    const bool rooted = p->root_joint != B2D_NONE;
    const load own = load_of(p->solver, child),
               other = b2d_moves(p->graph, near) ? load_of(p->solver, near) : (load){0};
    load rest = *all;
    add_load(&rest, below, -1.0);
    const double mass = both(below->mass, rooted ? (double)INFINITY : rest.mass);
    const double ratio = mass / fmin(or_fixed(own.mass), or_fixed(other.mass));
    if (ratio > (rooted ? B2D_HIGH_HELD_LOAD : B2D_HIGH_FREE_LOAD)) return true;
    if (!holds_below(p, joint, child, below)) return false;
    if (!b2d_moves(p->graph, near)) return true; // stones on it come and go
    const b2d_pose* pose = &p->solver->poses[child];
    const b2d_vec2 arm = anchor_from_origin(p, joint, joint->body[1] == child);
    const double x = pose->x + (double)arm.x, y = pose->y + (double)arm.y;
    const double inertia = both(inertia_about(below, x, y), rooted ? (double)INFINITY : inertia_about(&rest, x, y));
    return inertia / fmin(or_fixed(central_inertia(p, child)), or_fixed(central_inertia(p, near))) > B2D_HIGH_HELD_LOAD;
}

// A joint of a light and a heavy body, where the light one has another joint. In an assembly with loops it may carry
// the heavy one, although the tree carries it elsewhere.
static bool high_mass_ratio(const planner* p, int32_t id) {
    const b2d_graph* graph = p->graph;
    const int32_t* body = graph->joints[id].body;
    const double a = (double)p->solver->states[body[0]].inverse_mass,
                 b = (double)p->solver->states[body[1]].inverse_mass;
    if (!(a > 0.0 && b > 0.0 && (a > B2D_HIGH_FREE_LOAD * b || b > B2D_HIGH_FREE_LOAD * a))) return false;
    for (int32_t key = graph->bodies[body[b > a]].joint_head; key != B2D_NONE;
         key = graph->joints[key >> 1].next[key & 1])
        if (key >> 1 != id && b2d_direct_suits(graph, key >> 1)) return true;
    return false;
}

// Whether it is a hinge with nothing but a motor that is weak for the weight of the body below. A stronger one is a
// friction that takes more than the iterated rows lose.
static bool is_almost_free(const planner* p, const b2d_joint* joint, int32_t child) {
    const b2d_joint_type* type = b2d_joint_type_of(joint);
    if (type->line != B2D_LINE_NONE || type->motor != B2D_ROWS_ANGLE || type->holds_angle ||
        (joint->flags & (B2D_JOINT_SPRING | B2D_JOINT_LIMIT)))
        return false;
    const float inverse = p->solver->states[child].inverse_mass;
    const b2d_vec2 arm = b2d_sub(anchor_from_origin(p, joint, joint->body[1] == child),
                                 b2d_pose_center(&p->solver->poses[child])),
                   gravity = b2d_gravity_of(p->solver, child);
    const double square = (double)b2d_dot(arm, arm) * (double)b2d_dot(gravity, gravity),
                 mass = inverse > 0.0f ? 1.0 / (double)inverse : 0.0;
    return (double)joint->motor_max <= B2D_WEAK_MOTOR * mass * sqrt(square);
}

static bool is_pendulum(const planner* p) {
    bool free = p->root_joint != B2D_NONE && p->looped == 0 && p->body_count <= B2D_DIRECT_PENDULUM;
    for (int32_t k = 0; k < p->walked && free; k++) {
        const b2d_joint* joint = p->walk[k] < 0 ? &p->graph->joints[~p->walk[k]] : NULL; // its body is the next one
        free = joint == NULL || is_free(joint) || is_almost_free(p, joint, p->walk[k + 1]);
    }
    return free;
}

// What hangs on a hinge is a mass at the hinge.
static void hang_load(const planner* p, load* sum, const b2d_joint* joint, int32_t child, const load* part) {
    const b2d_pose* pose = &p->solver->poses[child];
    const b2d_vec2 arm = anchor_from_origin(p, joint, joint->body[1] == child);
    const double m = part->mass, x = pose->x + (double)arm.x, y = pose->y + (double)arm.y;
    const load at_hinge = {m, m * x, m * y, m * (x * x + y * y)};
    add_load(sum, holds_below(p, joint, child, part) ? part : &at_hinge, 1.0);
}

// Between two fixed points, as a bridge, a straight assembly carries its weight by tensions without bound.
static bool is_spanned(const planner* p) {
    int32_t anchors = 0;
    for (int32_t k = 0; k < p->walked + p->looped; k++) {
        const int32_t at = k < p->walked ? p->walk[k] : ~p->loops[k - p->walked];
        if (at >= 0 || is_soft(&p->graph->joints[~at])) continue;
        const int32_t* body = p->graph->joints[~at].body;
        anchors += !b2d_moves(p->graph, body[0]) || !b2d_moves(p->graph, body[1]);
    }
    return anchors > 1;
}

// The inverse mass that a joint meets at its anchor on a side.
static double yield_at(const planner* p, const b2d_joint* joint, int32_t side) {
    const int32_t id = joint->body[side];
    if (!b2d_moves(p->graph, id)) return 0.0;
    const b2d_body_state* state = &p->solver->states[id];
    const b2d_vec2 arm = anchor_from_origin(p, joint, side), center = b2d_pose_center(&p->solver->poses[id]);
    const double x = (double)arm.x - (double)center.x, y = (double)arm.y - (double)center.y;
    return (double)state->inverse_mass + (double)state->inverse_inertia * (x * x + y * y);
}

// Whether the joints of a body share it too much for sequential rows.
static bool is_crowded(const planner* p, int32_t id) {
    const b2d_graph* graph = p->graph;
    double shares = 0.0;
    if ((double)graph->bodies[id].joint_count <= B2D_CROWDED) return false;
    for (int32_t key = graph->bodies[id].joint_head; key != B2D_NONE; key = graph->joints[key >> 1].next[key & 1]) {
        const b2d_joint* joint = &graph->joints[key >> 1];
        const double own = yield_at(p, joint, key & 1), other = yield_at(p, joint, !(key & 1));
        if (own > 0.0 && !is_soft(joint) && b2d_direct_suits(graph, key >> 1)) shares += own / (own + other);
    }
    return shares > B2D_CROWDED;
}

static bool carries_much(const planner* p) {
    load all = {0.0, 0.0, 0.0, 0.0}, below[B2D_DIRECT_BODIES + 1];
    if (is_spanned(p)) return true;
    for (int32_t k = 0; k < p->walked; k++) {
        if (p->walk[k] < 0) {
            if (p->looped > 0 && high_mass_ratio(p, ~p->walk[k])) return true;
            continue;
        }
        if (is_crowded(p, p->walk[k])) return true;
        below[p->bodies[p->walk[k]]] = load_with_touching(p, p->walk[k]);
        add_load(&all, &below[p->bodies[p->walk[k]]], 1.0);
    }
    for (int32_t k = 0; k < p->looped; k++)
        if (high_mass_ratio(p, p->loops[k])) return true;
    for (int32_t k = p->walked; k-- > 0;) {
        if (p->walk[k] < 0) continue;
        const int32_t body = p->walk[k], parent = p->parent[body];
        const load* sum = &below[p->bodies[body]];
        if (k > 0 && is_loaded(p, &p->graph->joints[~p->walk[k - 1]], body, sum, &all)) return true;
        if (parent != B2D_NONE) hang_load(p, &below[p->bodies[parent]], &p->graph->joints[~p->walk[k - 1]], body, sum);
    }
    return false;
}

static bool is_wish(const planner* p) { // of the user, by the option of the world or of a joint
    bool direct = p->solver->joint_solver == B2D_JOINT_SOLVER_DIRECT;
    for (int32_t k = 0; k < p->walked; k++)
        direct = direct || (p->walk[k] < 0 && p->graph->joints[~p->walk[k]].solver == B2D_JOINT_SOLVER_DIRECT);
    for (int32_t k = 0; k < p->looped; k++)
        direct = direct || p->graph->joints[p->loops[k]].solver == B2D_JOINT_SOLVER_DIRECT;
    return direct;
}

static bool is_wanted(const planner* p) {
    const bool free = p->solver->joint_solver == B2D_JOINT_SOLVER_AUTO && !p->large;
    return !p->large && (is_wish(p) || (free && ((p->body_count > 1 && is_pendulum(p)) || carries_much(p))));
}

// Notes whether the body is laden, and which of its contacts may be part of a press.
static void note_laden(const planner* p, int32_t body, bool laden) {
    b2d_graph* graph = p->solver->graph;
    const uint16_t flags = graph->bodies[body].flags;
    const b2d_body_state* states = p->solver->states;
    graph->bodies[body].flags = (uint16_t)(laden ? flags | B2D_BODY_FLAG_LADEN : flags & ~B2D_BODY_FLAG_LADEN);
    if (graph->bodies[body].flags == flags) return;
    for (int32_t key = graph->bodies[body].contact_head; key != B2D_NONE;
         key = graph->contacts[key >> 1].next[key & 1]) {
        const b2d_pair* pair = &graph->pairs[key >> 1];
        b2d_contact_set_unlike(graph, key >> 1, b2d_may_press(graph, states, pair->body_a, pair->body_b));
    }
}

static void note_looped(const planner* p, int32_t body, bool looped) {
    uint16_t* flags = &p->solver->graph->bodies[body].flags;
    *flags = (uint16_t)(looped ? *flags | B2D_BODY_FLAG_LOOPED : *flags & ~B2D_BODY_FLAG_LOOPED);
}

static void weigh_assembly(const planner* p) {
    float least = INFINITY; // inverse mass
    for (int32_t k = 0; k < p->walked; k++) {
        const float inverse = p->walk[k] >= 0 ? p->solver->states[p->walk[k]].inverse_mass : 0.0f;
        if (inverse > 0.0f) least = b2d_min(least, inverse);
    }
    const bool small = !p->large && p->body_count <= B2D_MOST_PRESSED;
    for (int32_t k = 0; k < p->walked; k++) {
        if (p->walk[k] < 0) continue;
        note_laden(p, p->walk[k], small && p->solver->states[p->walk[k]].inverse_mass >= B2D_LADEN_RATIO * least);
        note_looped(p, p->walk[k], !p->large && p->looped > 0);
    }
}

// Marks the seed of the body's assembly, if that is to be solved directly. Returns whether the plan must be made again.
static bool judge(planner* p, int32_t body) {
    b2d_joint* joints = p->graph->joints;
    int32_t seed = B2D_NONE;
    if (!b2d_moves(p->graph, body) || p->graph->bodies[body].joint_head == B2D_NONE) {
        note_laden(p, body, false);
        note_looped(p, body, false);
        return false;
    }
    if (!walk_assembly(p, body)) return false;
    weigh_assembly(p);
    const bool wanted = is_wanted(p);
    bool changed = wanted;
    for (int32_t k = 0; k < p->walked + p->looped; k++) {
        const int32_t at = k < p->walked ? p->walk[k] : ~p->loops[k - p->walked];
        if (at >= 0) continue;
        changed = changed || (joints[~at].flags & (B2D_JOINT_SEED | B2D_JOINT_DIRECT)) != 0;
        joints[~at].flags &= (uint8_t)~B2D_JOINT_SEED;
        if (seed == B2D_NONE || ~at < seed) seed = ~at;
    }
    if (wanted && seed != B2D_NONE) joints[seed].flags |= B2D_JOINT_SEED;
    return changed && seed != B2D_NONE;
}

// ---- The order of elimination ----

// Walks an assembly again, breadth first from the body that was reached last. Its bodies in this order.
static void walk_again(planner* p) {
    int32_t count = 0, last = p->walked - 1;
    while (p->walk[last] < 0) last--;
    p->order[count++] = p->walk[last];
    p->bodies[p->walk[last]] = B2D_NONE;
    for (int32_t k = 0; k < count; k++)
        for (int32_t key = p->graph->bodies[p->order[k]].joint_head; key != B2D_NONE;
             key = p->graph->joints[key >> 1].next[key & 1]) {
            const int32_t other = p->graph->joints[key >> 1].body[!(key & 1)];
            if (p->joints[key >> 1] == 0 || !b2d_moves(p->graph, other) || p->bodies[other] == B2D_NONE) continue;
            p->bodies[other] = B2D_NONE;
            p->order[count++] = other;
        }
}

static void place_joint(planner* p, b2d_direct_assembly* assembly, int32_t id) {
    const int32_t position = assembly->body_count + assembly->joint_count;
    p->direct->joints[assembly->first_joint + assembly->joint_count] = (b2d_direct_joint){
        .id = id, .position = position, .closes = p->joints[id] == CLOSES};
    p->direct->nodes[assembly->first_node + position] = (b2d_direct_node){.index = ~assembly->joint_count++};
    p->joints[id] = PLACED;
}

static void place_body(planner* p, b2d_direct_assembly* assembly, int32_t id) {
    const int32_t position = assembly->body_count + assembly->joint_count;
    p->direct->bodies[assembly->first_body + assembly->body_count] = (b2d_direct_body){.id = id, .position = position};
    p->direct->nodes[assembly->first_node + position] = (b2d_direct_node){.index = assembly->body_count++};
    p->bodies[id] = assembly->body_count;
}

static void place_with_joints(planner* p, b2d_direct_assembly* assembly, int32_t id) {
    for (int32_t key = p->graph->bodies[id].joint_head; key != B2D_NONE; key = p->graph->joints[key >> 1].next[key & 1])
        if (p->joints[key >> 1] == MET || p->joints[key >> 1] == CLOSES) place_joint(p, assembly, key >> 1);
    place_body(p, assembly, id);
}

// Bodies and joints of the assembly in the order of elimination.
static void place_nodes(planner* p, b2d_direct_assembly* assembly) {
    b2d_direct_joint* joints = p->direct->joints + assembly->first_joint;
    if (assembly->loops) walk_again(p);
    for (int32_t k = p->body_count; k-- > 0 && assembly->loops;) place_with_joints(p, assembly, p->order[k]);
    for (int32_t k = p->walked; k-- > 0 && !assembly->loops;)
        if (p->walk[k] < 0) place_joint(p, assembly, ~p->walk[k]);
        else place_body(p, assembly, p->walk[k]);
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

static bool factor_symbolically(planner* p, b2d_direct_assembly* assembly, bool wish) {
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
    int64_t pairs = 0;
    for (int32_t column = 0; column < nodes; column++) {
        if (!find_column(p, assembly, column)) return false;
        const int64_t coupled = d->nodes[assembly->first_node + column].count;
        pairs += coupled * (coupled + 1) / 2;
    }
    if (!wish && pairs > (int64_t)B2D_DIRECT_COST * nodes) return false;
    for (int32_t k = 0; k < 2 * assembly->joint_count; k++) {
        int32_t body = joints[k / 2].body[k % 2];
        if (body != B2D_NONE)
            joints[k / 2].block[k % 2] = block_of(d, assembly, joints[k / 2].position, bodies[body].position);
    }
    return true;
}

// Whether the assembly can be solved in a lane: a small tree on something fixed.
static bool fits_lane(const b2d_direct* d, const b2d_direct_assembly* assembly) {
    if (assembly->loops || assembly->body_count > B2D_DIRECT_WIDE || assembly->joint_count > B2D_DIRECT_WIDE)
        return false;
    for (int32_t k = 0; k < assembly->joint_count; k++)
        if (d->joints[assembly->first_joint + k].body[1] == B2D_NONE) return true;
    return false;
}

// Whether two trees have the same order of elimination, so the same columns.
static bool same_plan(const b2d_direct* d, const b2d_direct_assembly* a, const b2d_direct_assembly* b) {
    bool same = a->body_count == b->body_count && a->joint_count == b->joint_count;
    for (int32_t k = 0; same && k < a->body_count + a->joint_count; k++)
        same = d->nodes[a->first_node + k].index == d->nodes[b->first_node + k].index;
    for (int32_t k = 0; same && k < a->joint_count; k++) {
        const b2d_direct_joint *one = &d->joints[a->first_joint + k], *other = &d->joints[b->first_joint + k];
        same = one->body[0] == other->body[0] && one->body[1] == other->body[1];
    }
    return same;
}

static int32_t shape_of(const b2d_direct* d, int32_t index) {
    const b2d_direct_assembly* assembly = &d->assemblies[index];
    if (!fits_lane(d, assembly)) return B2D_NONE;
    const int32_t last = index > 0 ? d->assemblies[index - 1].shape : B2D_NONE;
    return last != B2D_NONE && same_plan(d, &d->assemblies[last], assembly) ? last : index;
}

// The joint that holds a small tree to something fixed, if it is to keep its energy. A body alone keeps it anyway, and
// what is coupled acts on others too.
static int32_t root_of(const planner* p, const b2d_direct_assembly* assembly) {
    int32_t root = B2D_NONE;
    if (assembly->loops || assembly->body_count == 1 || assembly->body_count > B2D_DIRECT_PENDULUM) return B2D_NONE;
    for (int32_t k = 0; k < assembly->joint_count; k++) {
        const b2d_direct_joint* joint = &p->direct->joints[assembly->first_joint + k];
        if (b2d_joint_type_of(&p->graph->joints[joint->id])->rows & B2D_ROWS_COUPLING) return B2D_NONE;
        if (joint->body[1] == B2D_NONE) root = k;
    }
    return root;
}

static void add_assembly(planner* p, int32_t seed) {
    b2d_direct* d = p->direct;
    if (!walk_assembly(p, moving_side(p->graph, seed)) || p->large) return;
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
                                      .loops = p->looped > 0,
                                      .first_body = d->body_count,
                                      .first_joint = d->joint_count,
                                      .first_node = d->node_count,
                                      .first_block = d->block_count};
    place_nodes(p, assembly);
    if (!factor_symbolically(p, assembly, is_wish(p))) return; // the next assembly overwrites its rows
    assembly->root = root_of(p, assembly);
    assembly->shape = shape_of(d, d->assembly_count++);
    d->body_count += assembly->body_count;
    d->joint_count += assembly->joint_count;
    d->node_count += assembly->body_count + assembly->joint_count;
    d->block_count += assembly->block_count;
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
    *p = (planner){.solver = solver, .graph = solver->graph, .memory = solver->memory, .direct = solver->direct};
    int32_t* room = b2d_arena_take(solver->arena, (nodes * 5 + 2 * (size_t)bodies + (size_t)joints * 5) * sizeof *room);
    if (room == NULL) return false;
    p->bodies = room, room += bodies;
    p->joints = room, room += joints;
    p->parent = room, room += bodies;
    p->order = room, room += bodies;
    p->walk = room, room += nodes;
    p->head = room, room += nodes;
    p->child = room, room += nodes;
    p->sibling = room, room += nodes;
    p->loops = room, room += joints;
    p->next = room, room += 2 * joints;
    p->row = room;
    return true;
}

static void forget_walks(planner* p) {
    memset(p->bodies, 0, (size_t)p->graph->body_capacity * sizeof *p->bodies);
    memset(p->joints, 0, (size_t)p->graph->joint_ids.limit * sizeof *p->joints);
}

static bool judge_changed(planner* p) {
    const b2d_graph* graph = p->graph;
    const b2d_direct* d = p->direct;
    bool changed = false;
    forget_walks(p);
    if (d->all_changed) {
        for (int32_t id = b2d_id_pool_next(&graph->joint_ids, 0); id != B2D_NONE;
             id = b2d_id_pool_next(&graph->joint_ids, id + 1))
            changed = judge(p, moving_side(graph, id)) || changed;
    } else {
        for (int32_t k = 0; k < d->changed_count; k++)
            if (d->changed[k] < graph->body_capacity) changed = judge(p, d->changed[k]) || changed;
    }
    return changed;
}

static bool renew(planner* p) {
    b2d_graph* graph = p->solver->graph;
    b2d_direct* d = p->direct;
    d->assembly_count = d->body_count = d->joint_count = d->node_count = d->block_count = 0;
    forget_walks(p);
    for (int32_t id = b2d_id_pool_next(&graph->joint_ids, 0); id != B2D_NONE && !p->failed;
         id = b2d_id_pool_next(&graph->joint_ids, id + 1))
        if ((graph->joints[id].flags & B2D_JOINT_SEED) && b2d_direct_suits(graph, id)) add_assembly(p, id);
    bool done = !p->failed;
    memset(p->joints, 0, (size_t)graph->joint_ids.limit * sizeof *p->joints);
    for (int32_t k = 0; k < d->joint_count; k++) p->joints[d->joints[k].id] = 1;
    // All marks are looked at: those of a world that was copied as a cell are of a plan that was not copied
    for (int32_t id = b2d_id_pool_next(&graph->joint_ids, 0); id != B2D_NONE;
         id = b2d_id_pool_next(&graph->joint_ids, id + 1))
        if (p->joints[id] == 0) done = mark_joint(graph, id, false) && done;
    for (int32_t k = 0; k < d->joint_count; k++) done = mark_joint(graph, d->joints[k].id, true) && done;
    return done;
}

bool b2d_direct_plan(const b2d_solver* solver) {
    b2d_direct* d = solver->direct;
    planner p;
    if (!make_planner(solver, &p)) return false;
    d->stale = judge_changed(&p) || d->stale;
    d->looped_count = B2D_NONE;
    d->all_changed = false;
    d->changed_count = 0;
    if (d->stale) d->stale = !renew(&p);
    return !d->stale;
}
