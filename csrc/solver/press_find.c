// csrc/solver/press_find.c - finds the presses of a step and lays them out.
#include "solver/machine.h"
#include "solver/press_parts.h"
#include "joints/joint_type.h"
#include "solver/kernels.h"

#include <math.h>
#include <string.h>

enum {
    LEAST_LIMIT = 20, // of the limit of the bodies of a press
    SPREAD = 4, // the limit for each unit of the mass ratio: the load of that many light bodies spreads over so many
    STRIKE_SPREAD = 12, // of an impact, which lasts a few steps; wider piles return less than 5 % by themselves
};

// Times its own weight: a lighter body that carries more is pressed, until it carries less than the least
#define HEAVY_LOAD 5.0f
#define LEAST_LOAD 0.5f
#define MEETING    0.25f // of the restitution threshold: the speed from which on a heavy body strikes a lighter one
// Sequential impulses bring the load of a light foot of a machine to its contact in as many passes as it carries times
// its own weight. Machines whose load comes within this time, s, stand still by themselves; beyond 1.3 times that they
// tremble or hop (2 and 3 legs, loads of 8 to 64, 2 to 8 substeps, 30 to 120 Hz)
#define LOAD_TIME  0.134f
// Compliance of the rows, over the inverse mass of a row and the mass ratio of the press. The method of multipliers
// makes up for it; what is left of a speed v after one of its steps is about this share of v.
#define COMPLIANCE 3.0e-2

static const b2d_contact_block* block_of(const b2d_graph* graph, int32_t contact, int32_t* lane) {
    const int32_t at = graph->pairs[contact].lane_index;
    *lane = at % B2D_LANES;
    return &graph->blocks[at / B2D_LANES];
}

// How the heavier body of a contact presses the lighter one: by its weight or its motion, or by an impact that is as
// fast as one that bounces. SINKS: forces press it, whatever the masses (press_loads.c).
typedef enum pressing { NOT, PRESSES, STRIKES, SINKS } pressing;
static pressing pressing_of(const b2d_solver* solver, int32_t contact) {
    int32_t lane;
    const b2d_contact_block* block = block_of(solver->graph, contact, &lane);
    const int32_t* id[2] = {&block->body_a[lane], &block->body_b[lane]};
    const int32_t side = solver->states[*id[0]].inverse_mass > solver->states[*id[1]].inverse_mass; // of the heavier
    const b2d_body_state *heavy = &solver->states[*id[side]], *light = &solver->states[*id[!side]];
    const float towards = side ? -1.0f : 1.0f, nx = towards * block->nx[lane], ny = towards * block->ny[lane];
    const b2d_vec2 gravity = b2d_gravity_of(solver, *id[side]);
    const float load = heavy->inverse_mass > 0.0f ? light->inverse_mass / heavy->inverse_mass : 0.0f,
                weight = sqrtf(gravity.x * gravity.x + gravity.y * gravity.y);
    // Bodies of figures differ so much, and stay cheap
    const bool jointed = solver->graph->bodies[*id[0]].joint_count + solver->graph->bodies[*id[1]].joint_count > 0;
    if (load < B2D_LOAD_MASSES && jointed) return NOT;
    // In free fall nothing presses, and a body that lies on the side of a heavy one is not pressed either
    const bool lies = load * (nx * gravity.x + ny * gravity.y) > 0.5f * B2D_LOAD_MASSES * weight && weight > 0.0f;
    float carried = 0.0f, fastest = 0.0f;
    for (int32_t j = 0; j < 2; j++) {
        const b2d_contact_point* p = &block->point[j];
        if (p->initial_separation[lane] > 0.5f * B2D_DEAD_POINT) continue;
        carried += p->normal_impulse[lane] * light->inverse_mass;
        const float arm = towards * (p->normal_arm[lane] + (side ? block->normal_arm_shift[lane] : 0.0f)),
                    speed = nx * heavy->vx + ny * heavy->vy + heavy->w * arm;
        if (p->initial_separation[lane] < solver->linear_slop + speed * solver->dt) fastest = b2d_max(fastest, speed);
    }
    if (fastest > solver->restitution_threshold) return STRIKES;
    if (load < B2D_LOAD_MASSES) return NOT;
    if (lies || fastest > MEETING * solver->restitution_threshold) return PRESSES;
    const float least = b2d_bits_has(&solver->graph->pressed_contacts, contact) ? LEAST_LOAD : HEAVY_LOAD;
    return carried > least * solver->h * weight && carried > B2D_PRESS_ERROR_SPEED * solver->restitution_threshold
               ? PRESSES
               : NOT;
}

typedef struct finder {
    const b2d_solver* solver;
    int32_t* place; // by body: 0, or 1 + its index in its press
    int32_t* owner; // by body, where place is not 0: its press
    int32_t *walk, walked;
} finder;

// Returns false if a walk that found no press was there before: that pile is none from here either.
static bool reach(finder* f, int32_t body, int32_t press) {
    if (!b2d_moves(f->solver->graph, body)) return true;
    if (f->place[body] != 0) return f->owner[body] == press;
    f->owner[body] = press;
    f->walk[f->walked++] = body;
    f->place[body] = f->walked;
    return true;
}

// A gear on moving bases acts on more than two bodies, so it stays in its own pass.
static bool has_rows(const b2d_graph* graph, const b2d_joint* joint) {
    return b2d_joint_acts(graph, joint) && !b2d_gear_moves_bases(graph, joint);
}

static bool holds(const b2d_graph* graph, const b2d_joint* joint) { // holds a body to something fixed
    return b2d_joint_type_of(joint)->direct && !(b2d_moves(graph, joint->body[0]) && b2d_moves(graph, joint->body[1]));
}

// The user may choose where the direct solver may; other joints are in a press as they are.
static bool wants_iteration(const b2d_solver* solver, const b2d_joint* joint) {
    return b2d_joint_type_of(joint)->direct &&
           (solver->joint_solver == B2D_JOINT_SOLVER_ITERATIVE || joint->solver == B2D_JOINT_SOLVER_ITERATIVE);
}

// Breadth first from a heavy and a light body, over contacts and joints. Returns whether they are a press: a pile that
// rests on something fixed or is held by joints (one that holds the heavy body itself relieves the light ones), whose
// rows are in the passes, and of not more bodies than the limit. In a part of a pile the loads at its border would
// change with each pass. Joints that are solved by iteration are in it with a machine, or where the heavy body has
// B2D_LADEN_RATIO times the mass of the light one, and not where the user wants iteration. What forces press need not
// rest, as between jaws on a free base, and has the least limit: a mouse that drags a body through 30 others would take
// 2.3 ms a step instead of 0.04.
static bool walk_from(finder* f, int32_t heavy, int32_t light, pressing how, bool machine, int32_t press) {
    const b2d_graph* graph = f->solver->graph;
    const b2d_body_state* states = f->solver->states;
    const float ratio = states[light].inverse_mass / states[heavy].inverse_mass,
                spread = (float)(how == STRIKES ? STRIKE_SPREAD
                                 : how == SINKS ? 0
                                                : SPREAD);
    const int32_t limit = (int32_t)b2d_min(b2d_max(spread * ratio, (float)LEAST_LIMIT), (float)B2D_MOST_PRESSED);
    bool rests = how == SINKS, suits = true, whole = true;
    f->walked = 0;
    (void)reach(f, heavy, press);
    (void)reach(f, light, press);
    for (int32_t k = 0; k < f->walked && f->walked <= limit; k++) {
        for (int32_t key = graph->bodies[f->walk[k]].joint_head; key != B2D_NONE && f->walked <= limit;
             key = graph->joints[key >> 1].next[key & 1]) {
            const b2d_joint* joint = &graph->joints[key >> 1];
            if (!has_rows(graph, joint)) continue;
            const bool wide = machine || how == SINKS || ratio >= B2D_LADEN_RATIO ||
                              (how == STRIKES && (joint->flags & B2D_JOINT_DIRECT)) ||
                              !b2d_joint_type_of(joint)->direct;
            suits = suits && wide && joint->lane_index != B2D_NONE && !wants_iteration(f->solver, joint);
            const int32_t other = joint->body[!(key & 1)];
            rests = rests || (f->walk[k] != heavy && holds(graph, joint));
            whole = reach(f, other, press) && whole;
        }
        for (int32_t key = graph->bodies[f->walk[k]].contact_head; key != B2D_NONE && f->walked <= limit;
             key = graph->contacts[key >> 1].next[key & 1]) {
            const int32_t id = key >> 1, other = key & 1 ? graph->pairs[id].body_a : graph->pairs[id].body_b;
            if (graph->contacts[id].color < 0) continue;
            rests = rests || graph->contacts[id].fixed;
            whole = reach(f, other, press) && whole;
        }
    }
    if (rests && suits && whole && f->walked <= limit) return true;
    for (int32_t k = 0; k < f->walked; k++) f->owner[f->walk[k]] = B2D_NONE;
    return false;
}

static int32_t side_of(const finder* f, int32_t body, int32_t press) {
    return b2d_moves(f->solver->graph, body) && f->place[body] != 0 && f->owner[body] == press ? f->place[body] - 1
                                                                                               : B2D_NONE;
}

// A contact or joint of two moving bodies is met twice.
static bool is_met_first(const finder* f, int32_t key) {
    const b2d_pair* pair = &f->solver->graph->pairs[key >> 1];
    return (key & 1) == 0 || !b2d_moves(f->solver->graph, pair->body_a);
}
static bool is_joint_met_first(const finder* f, int32_t key) {
    return (key & 1) == 0 || !b2d_moves(f->solver->graph, f->solver->graph->joints[key >> 1].body[0]);
}

static void weigh(const b2d_solver* solver, b2d_pressed_body* body) {
    const b2d_body_state* state = &solver->states[body->id];
    const uint32_t locks = solver->steps[body->id].flags;
    const float inverse[3] = {locks & B2D_BODY_FLAG_LOCK_X ? 0.0f : state->inverse_mass,
                              locks & B2D_BODY_FLAG_LOCK_Y ? 0.0f : state->inverse_mass,
                              locks & B2D_BODY_FLAG_LOCK_ROTATION ? 0.0f : state->inverse_inertia};
    for (int32_t i = 0; i < 3; i++) body->mass[i] = inverse[i] > 0.0f ? 1.0 / (double)inverse[i] : 0.0;
    body->inertia = body->mass[2];
}

static void place_row(const b2d_press* press, const b2d_press_contact* c, b2d_press_row* row, b2d_press_direction d,
                      float impulse, bool normal) {
    double inverse = 0.0;
    *row = (b2d_press_row){.side = {c->side[0], c->side[1]}, .impulse = (double)impulse};
    if (normal) row->high = INFINITY;
    row->multiplier[0] = row->multiplier[1] = row->impulse;
    for (int32_t side = 0; side < 2; side++)
        for (int32_t i = 0; i < 3 && c->side[side] != B2D_NONE; i++) {
            const double mass = press->bodies[c->side[side]].mass[i], j = side ? d.b[i] : d.a[i];
            if (mass == 0.0) continue;
            row->j[side][i] = j;
            inverse += j * j / mass;
        }
    if (inverse > 0.0) row->stiffness = 1.0 / (press->compliance * inverse);
}

static void place_rows(const b2d_solver* solver, b2d_press* press) {
    for (int32_t k = 0; k < press->contact_count; k++) {
        const b2d_press_contact* c = &press->contacts[k];
        const b2d_contact_block* block = &solver->graph->blocks[c->block];
        b2d_press_row* row = press->rows + c->first;
        for (int32_t j = 0; j < 2; j++) {
            if (!c->exists[j]) continue;
            place_row(press, c, row++, b2d_press_normal(block, c->lane, j), c->normal[j], true);
            place_row(press, c, row++, b2d_press_tangent(block, c->lane, j), c->tangent[j], false);
        }
        if (c->rolls) place_row(press, c, row, b2d_press_turning, c->rolling, false);
    }
    b2d_press_set_limits(solver, press, true);
    for (int32_t k = 0; k < press->joint_count; k++)
        memset(press->rows + press->joints[k].first, 0, B2D_DIRECT_ROWS * sizeof *press->rows);
    for (int32_t k = 0; k < press->row_count; k++) {
        b2d_press_row* row = &press->rows[k];
        row->state = row->impulse <= row->low ? B2D_AT_LOW : row->impulse >= row->high ? B2D_AT_HIGH : B2D_HOLDS;
        row->states[0] = row->states[1] = row->state;
    }
}

static b2d_press_contact take_contact(const finder* f, const b2d_press* press, int32_t id, int32_t number) {
    const b2d_graph* graph = f->solver->graph;
    b2d_press_contact c = {.contact = id, .block = graph->pairs[id].lane_index / B2D_LANES, .first = press->row_count};
    const b2d_contact_block* block = block_of(graph, id, &c.lane);
    for (int32_t side = 0; side < 2; side++) {
        c.id[side] = side ? block->body_b[c.lane] : block->body_a[c.lane];
        c.side[side] = side_of(f, c.id[side], number);
        const double* mass = c.side[side] == B2D_NONE ? NULL : press->bodies[c.side[side]].mass;
        c.dragged = c.dragged || (mass != NULL ? mass[0] == 0.0 || mass[1] == 0.0 || mass[2] == 0.0
                                               : graph->bodies[c.id[side]].type == B2D_KINEMATIC);
    }
    for (int32_t j = 0; j < 2; j++) {
        c.separation[j] = block->point[j].initial_separation[c.lane];
        c.normal[j] = block->point[j].normal_impulse[c.lane];
        c.tangent[j] = block->point[j].tangent_impulse[c.lane];
        c.exists[j] = c.separation[j] < 0.5f * B2D_DEAD_POINT;
        c.count += 2 * c.exists[j];
    }
    const b2d_extra_block* extra = graph->extras[c.block];
    c.rolls = extra != NULL && extra->rolling[c.lane] > 0.0f;
    if (c.rolls) c.count++, c.rolling = extra->rolling_impulse[c.lane];
    return c;
}

// Runs through the contacts of the walk, each once.
#define FOR_CONTACTS(f, id)                                                                                  \
    for (int32_t step_ = 0; step_ < (f)->walked; step_++)                                                    \
        for (int32_t key_ = (f)->solver->graph->bodies[(f)->walk[step_]].contact_head, id; key_ != B2D_NONE; \
             key_ = (f)->solver->graph->contacts[key_ >> 1].next[key_ & 1])                                  \
            if (id = key_ >> 1, (f)->solver->graph->contacts[id].color >= 0 && is_met_first(f, key_))

// The same for its joints.
#define FOR_JOINTS(f, id)                                                                                  \
    for (int32_t step_ = 0; step_ < (f)->walked; step_++)                                                  \
        for (int32_t key_ = (f)->solver->graph->bodies[(f)->walk[step_]].joint_head, id; key_ != B2D_NONE; \
             key_ = (f)->solver->graph->joints[key_ >> 1].next[key_ & 1])                                  \
            if (id = key_ >> 1,                                                                            \
                has_rows((f)->solver->graph, &(f)->solver->graph->joints[id]) && is_joint_met_first(f, key_))

// Sides `a` and `b` of a row have a block in the factors.
static void couple(b2d_press* press, int32_t a, int32_t b) {
    if (a == B2D_NONE || b == B2D_NONE) return;
    b2d_pressed_body* high = &press->bodies[b2d_max_int(a, b)];
    high->first = b2d_min_int(high->first, b2d_min_int(a, b));
}

// The last body of the walk is eliminated first, so that bodies are coupled with those near them in the order.
static bool lay_out(finder* f, b2d_press* press, int32_t number, bool machine) {
    const b2d_solver* solver = f->solver;
    b2d_arena* arena = solver->arena;
    const int32_t count = f->walked;
    int32_t most_contacts = 0, blocks = 0;
    double lightest = 0.0, heaviest = 1.0e300; // inverse masses
    FOR_CONTACTS(f, id) most_contacts++;
    *press = (b2d_press){.body_count = count};
    press->bodies = b2d_arena_take(arena, (size_t)count * sizeof *press->bodies);
    press->start = b2d_arena_take(arena, (size_t)count * sizeof *press->start);
    press->contacts = b2d_arena_take(arena, (size_t)(most_contacts + 1) * sizeof *press->contacts);
    if (press->bodies == NULL || press->start == NULL || press->contacts == NULL) return false;
    for (int32_t k = 0; k < count; k++) {
        const int32_t at = count - 1 - k, id = f->walk[k];
        const double inverse = (double)solver->states[id].inverse_mass;
        press->bodies[at] = (b2d_pressed_body){.id = id, .first = at};
        weigh(solver, &press->bodies[at]);
        f->place[id] = at + 1;
        if (inverse > 0.0) lightest = fmax(lightest, inverse), heaviest = fmin(heaviest, inverse);
    }
    float load = 1.0f; // a mass ratio
    FOR_CONTACTS(f, id) load = b2d_max(load, b2d_press_masses(solver, id));
    press->compliance = fmin(COMPLIANCE * heaviest / fmax(lightest, heaviest), COMPLIANCE / (double)load);
    press->compliance = fmax(press->compliance, 1.0e-9);
    FOR_CONTACTS(f, id) {
        b2d_press_contact* c = &press->contacts[press->contact_count++];
        *c = take_contact(f, press, id, number);
        press->row_count += c->count;
        couple(press, c->side[0], c->side[1]);
    }
    int32_t joints = 0;
    FOR_JOINTS(f, id) joints++;
    if (!b2d_press_reserve_joints(solver, press, joints)) return false;
    FOR_JOINTS(f, id) {
        const bool flip = (solver->graph->joints[id].flags & B2D_JOINT_FLIP) != 0; // sides A and B of its lane
        const int32_t side[2] = {side_of(f, solver->graph->joints[id].body[flip], number),
                                 side_of(f, solver->graph->joints[id].body[!flip], number)};
        couple(press, side[0], side[1]);
        press->held = press->held || (!machine && holds(solver->graph, &solver->graph->joints[id]));
        b2d_press_add_joint(solver, press, id, side);
    }
    for (int32_t k = 0; k < solver->direct->body_count && joints > 0; k++) {
        const int32_t side = side_of(f, solver->direct->bodies[k].id, number);
        if (side != B2D_NONE) press->bodies[side].direct = &solver->direct->bodies[k];
    }
    for (int32_t k = 0; k < count; k++) {
        press->start[k] = blocks - press->bodies[k].first;
        blocks += k + 1 - press->bodies[k].first;
    }
    press->rows = b2d_arena_take(arena, (size_t)(press->row_count + 1) * sizeof *press->rows);
    press->bent = b2d_arena_take(arena, (size_t)(press->row_count + 1) * sizeof *press->bent);
    for (int32_t k = 0; k < 2; k++) {
        press->factors[k].blocks = b2d_arena_take(arena, (size_t)blocks * sizeof *press->factors[k].blocks);
        press->factors[k].holds = b2d_arena_take(arena, (size_t)press->row_count + 1);
        if (press->factors[k].blocks == NULL || press->factors[k].holds == NULL) return false;
    }
    if (press->rows == NULL || press->bent == NULL) return false;
    place_rows(solver, press);
    return true;
}

static void switch_off(const b2d_solver* solver, const b2d_press* press) {
    for (int32_t k = 0; k < press->contact_count; k++) {
        const b2d_press_contact* c = &press->contacts[k];
        b2d_contact_block* block = &solver->graph->blocks[c->block];
        b2d_contact_forget(solver->graph, c->contact);
        for (int32_t j = 0; j < 2; j++) block->point[j].initial_separation[c->lane] = B2D_DEAD_POINT;
    }
}

// What a contact carried in a press acts without the others of the press when it has left it.
static void forget_load(const b2d_solver* solver, int32_t contact) {
    int32_t lane;
    const b2d_contact_block* block = block_of(solver->graph, contact, &lane);
    const float a = solver->states[block->body_a[lane]].inverse_mass,
                b = solver->states[block->body_b[lane]].inverse_mass,
                load = b2d_max(block->point[0].normal_impulse[lane], block->point[1].normal_impulse[lane]);
    if (load * b2d_max(a, b) > MEETING * solver->restitution_threshold) b2d_contact_forget(solver->graph, contact);
}

// Adds the press of a heavy body and a light one, if they are in one and a press before has not met them.
static bool add_press(finder* f, b2d_presses* presses, int32_t heavy, int32_t light, pressing how, bool machine) {
    if (f->place[heavy] != 0 || f->place[light] != 0) return true;
    if (!walk_from(f, heavy, light, how, machine, presses->count)) return true;
    if (!lay_out(f, &presses->rows[presses->count], presses->count, machine)) return false;
    presses->count++;
    return true;
}

// The heaviest body that joints connect with this one, or B2D_NONE if it is not much heavier.
static int32_t heaviest_around(const b2d_solver* solver, int32_t body) {
    const b2d_graph* graph = solver->graph;
    int32_t walk[B2D_MOST_PRESSED], walked = 0, heaviest = body;
    walk[walked++] = body;
    for (int32_t k = 0; k < walked; k++)
        for (int32_t key = graph->bodies[walk[k]].joint_head; key != B2D_NONE && walked < B2D_MOST_PRESSED;
             key = graph->joints[key >> 1].next[key & 1]) {
            const int32_t other = graph->joints[key >> 1].body[!(key & 1)];
            if (!b2d_moves(graph, other) || !b2d_direct_suits(graph, key >> 1)) continue;
            int32_t met = 0;
            while (met < walked && walk[met] != other) met++;
            if (met < walked) continue;
            walk[walked++] = other;
            const float inverse = solver->states[other].inverse_mass; // 0: it has no mass
            if (inverse > 0.0f && inverse < solver->states[heaviest].inverse_mass) heaviest = other;
        }
    const float least = solver->states[heaviest].inverse_mass;
    return least > 0.0f && solver->states[body].inverse_mass >= B2D_LADEN_RATIO * least ? heaviest : B2D_NONE;
}

// Whether a joint holds the body at a point where the other body is not: continuous collision stopped one of them.
static bool is_torn(const b2d_solver* solver, int32_t body) {
    const b2d_graph* graph = solver->graph;
    const float most = 4.0f * solver->linear_slop; // joints under load are closer together
    for (int32_t key = graph->bodies[body].joint_head; key != B2D_NONE; key = graph->joints[key >> 1].next[key & 1]) {
        const b2d_joint* joint = &graph->joints[key >> 1];
        const b2d_joint_type* type = b2d_joint_type_of(joint);
        if (joint->lane_index == B2D_NONE || type->line != B2D_LINE_NONE || (type->rows & B2D_ROWS_COUPLING)) continue;
        const b2d_joint_block* block = &graph->joint_blocks[joint->lane_index / B2D_LANES];
        const int32_t k = joint->lane_index % B2D_LANES;
        const float x = block->dx[k] + (block->bx[k] - block->ax[k]), y = block->dy[k] + (block->by[k] - block->ay[k]);
        if (x * x + y * y > most * most) return true;
    }
    return false;
}

// How the heavy body of a machine presses what a light one touches: the contact would give way by the share of the
// lighter mass in each pass.
static pressing pressing_on(const b2d_solver* solver, int32_t contact, int32_t light, int32_t heavy) {
    const b2d_body_state *l = &solver->states[light], *h = &solver->states[heavy];
    int32_t lane;
    const b2d_contact_block* block = block_of(solver->graph, contact, &lane);
    const b2d_contact_point* p = block->point;
    const bool first = block->body_a[lane] == light; // normals point from A to B
    const b2d_body_state* other = &solver->states[first ? block->body_b[lane] : block->body_a[lane]];
    const float along = block->nx[lane] * (h->vx - other->vx) + block->ny[lane] * (h->vy - other->vy),
                speed = first ? along : -along,
                separation = b2d_min(p[0].initial_separation[lane], p[1].initial_separation[lane]),
                threshold = solver->restitution_threshold, still = B2D_PRESS_ERROR_SPEED * threshold;
    const bool near = separation < solver->linear_slop + speed * solver->dt;
    if (near && speed > threshold) return STRIKES;
    const b2d_vec2 gravity = b2d_gravity_of(solver, heavy);
    const bool was_pressed = b2d_bits_has(&solver->graph->pressed_contacts, contact);
    const float weight = sqrtf(b2d_dot(gravity, gravity)),
                impulse = p[0].normal_impulse[lane] + p[1].normal_impulse[lane];
    // An impact that is not over: the joints, which warm start, may not go on with it alone
    if (was_pressed && impulse * h->inverse_mass > 2.0f * solver->h * weight && impulse * l->inverse_mass > still)
        return PRESSES;
    if (was_pressed && is_torn(solver, light)) return PRESSES;
    if (l->inverse_mass * solver->h < LOAD_TIME * h->inverse_mass) return NOT;
    if (near && speed > MEETING * threshold) return PRESSES;
    const float change = l->inverse_mass * impulse, time = was_pressed ? 0.25f * LOAD_TIME : LOAD_TIME;
    return change > time * weight && change > still ? PRESSES : NOT;
}

// The same for a contact of unlike masses or of a laden body. Notes the heavy and the light body.
static pressing pressing_of_contact(const b2d_solver* solver, int32_t contact, int32_t* heavy, int32_t* light,
                                    bool* machine) {
    const b2d_pair* pair = &solver->graph->pairs[contact];
    const int32_t body[2] = {pair->body_a, pair->body_b};
    *machine = false;
    if (b2d_are_unlike(solver->states, body[0], body[1])) {
        const pressing how = pressing_of(solver, contact);
        const bool a = solver->states[body[0]].inverse_mass < solver->states[body[1]].inverse_mass;
        *heavy = body[!a], *light = body[a];
        if (how != NOT) return how;
    }
    *machine = true;
    for (int32_t side = 0; side < 2; side++) {
        if (!(solver->graph->bodies[body[side]].flags & B2D_BODY_FLAG_LADEN)) continue;
        *light = body[side], *heavy = heaviest_around(solver, *light);
        const pressing how = *heavy == B2D_NONE ? NOT : pressing_on(solver, contact, *light, *heavy);
        if (how != NOT) return how;
    }
    return NOT;
}

// Bodies in piles that were none are free for other walks again.
static void forget_walks(finder* f) {
    for (int32_t body = 0; body < f->solver->graph->body_capacity; body++)
        if (f->place[body] != 0 && f->owner[body] == B2D_NONE) f->place[body] = 0;
}

static bool find_presses(const b2d_solver* solver, b2d_presses* presses) {
    const b2d_graph* graph = solver->graph;
    b2d_press_load* loads = NULL;
    const int32_t load_count = b2d_press_loads(solver, &loads);
    int32_t count = load_count, heavy, light;
    bool machine;
    if (load_count == B2D_NONE) return false;
    B2D_FOR_BITS (&graph->unlike_contacts, id)
        count += pressing_of_contact(solver, id, &heavy, &light, &machine) != NOT;
    if (count == 0) return true;
    finder f = {.solver = solver};
    f.place = b2d_arena_take(solver->arena,
                             (size_t)(2 * graph->body_capacity + B2D_MOST_PRESSED + 1) * sizeof *f.place);
    presses->rows = b2d_arena_take(solver->arena, (size_t)count * sizeof *presses->rows);
    if (f.place == NULL || presses->rows == NULL) return false;
    memset(f.place, 0, (size_t)graph->body_capacity * sizeof *f.place);
    f.owner = f.place + graph->body_capacity;
    f.walk = f.owner + graph->body_capacity;
    B2D_FOR_BITS (&graph->unlike_contacts, id) {
        const pressing how = pressing_of_contact(solver, id, &heavy, &light, &machine);
        if (how != NOT && !add_press(&f, presses, heavy, light, how, machine)) return false;
    }
    if (load_count > 0) forget_walks(&f);
    for (int32_t k = 0; k < load_count; k++)
        if (!add_press(&f, presses, loads[k].heavy, loads[k].light, SINKS, false)) return false;
    return true;
}

bool b2d_presses_begin(const b2d_solver* solver, b2d_presses* presses) {
    b2d_bits* pressed = &solver->graph->pressed_contacts;
    *presses = (b2d_presses){NULL, 0};
    if (!find_presses(solver, presses)) {
        presses->count = 0;
        return false;
    }
    for (int32_t k = 0; k < presses->count; k++)
        for (int32_t i = 0; i < presses->rows[k].contact_count; i++)
            b2d_bits_unset(pressed, presses->rows[k].contacts[i].contact);
    B2D_FOR_BITS (pressed, id) forget_load(solver, id);
    b2d_bits_clear(pressed);
    for (int32_t k = 0; k < presses->count; k++) {
        const b2d_press* press = &presses->rows[k];
        switch_off(solver, press);
        for (int32_t i = 0; i < press->body_count; i++) b2d_strike_machine(solver, press->bodies[i].id);
    }
    return true;
}

b2d_press* b2d_press_at(const b2d_presses* presses, int32_t k) { return &presses->rows[k]; }
int32_t b2d_press_body(const b2d_press* press) { return press->bodies[0].id; }
