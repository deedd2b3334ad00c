// csrc/solver/machine.c - machines, which are bodies that joints connect, forget impacts as a whole.
//
// Why: the next substep repeats the impulses of this one, and an impact that is repeated throws bodies back
// (`forget_impacts` in contact_wide.inl). A foot that forgets alone is pushed through the ground by its joint, which
// repeats the load of the whole machine. So a machine is judged by its centre of mass, whose velocity only what is
// outside changes, and then its contacts, its joints and what its bodies repeat keep the same share. Where it touches
// something that moves, the contact keeps the greater share of both; the machine keeps the mean of what its contacts
// keep, weighted by their parts of the change: what a heavy body pushes ahead stays under way. Joints to what is not
// dynamic and locks keep all of their part, which is what the contacts do not explain of the change: a pin repeats the
// load of a swing, and a slack rope counts for nothing.
// The shares are those of forget_impacts. After the last substep joints only note what they forget
// (b2d_joint.forgotten), because the user may read their impulses.
// Cost: nothing until a body with joints is struck. Then a look at each body of the task, and a walk over each struck
// machine, but only one a step over what gears and pulleys drive.
// Threads: a task has its machines for itself. Proof: tests/physics/test_machines.py, test_held_machines.py.
#include "solver/machine.h"

#include "joints/joint_type.h"
#include "solver/direct.h"
#include "solver/schedule.h"

#include <math.h>

typedef struct search {
    const b2d_solver* solver;
    b2d_graph* graph;
    b2d_machine_row* rows;
    int32_t head, tail; // of the list of bodies found so far
} search;

#define FOR_BODIES(s, id) for (int32_t id = (s)->head; id != B2D_NONE; id = (s)->rows[id].next)
#define FOR_MACHINE(s, first_body, id) \
    for (int32_t id = first_body; id != B2D_NONE && (s)->rows[id].first == (first_body); id = (s)->rows[id].next)
#define FOR_CONTACTS(graph, body, key)                                      \
    for (int32_t key = (graph)->bodies[body].contact_head; key != B2D_NONE; \
         key = (graph)->contacts[key >> 1].next[key & 1])
#define FOR_JOINTS(graph, body, key)                                      \
    for (int32_t key = (graph)->bodies[body].joint_head; key != B2D_NONE; \
         key = (graph)->joints[key >> 1].next[key & 1])                   \
        if (b2d_joint_acts(graph, &(graph)->joints[key >> 1]))

bool b2d_machines_begin(b2d_solver* solver, int32_t body_limit) {
    if (solver->graph->joint_ids.count == 0 || !solver->warm_starting || solver->schedule->pass != NULL) return true;
    b2d_machine_row* rows = b2d_arena_take(solver->arena, (size_t)body_limit * sizeof *rows);
    b2d_machines* machines = b2d_arena_take(solver->arena, sizeof *machines);
    if (rows == NULL || machines == NULL) return false;
    *machines = (b2d_machines){.rows = rows};
    solver->machines = machines;
    return true;
}

void b2d_strike_machine(const b2d_solver* solver, int32_t body) {
    if (solver->machines == NULL || !(solver->steps[body].flags & B2D_STEP_JOINTED)) return;
    solver->steps[body].flags |= B2D_STEP_STRUCK;
    __atomic_store_n(&solver->machines->struck, true, __ATOMIC_RELAXED);
}

static uint32_t* flags_of(const search* s, int32_t body) { return &s->solver->steps[body].flags; }
static bool in_machine(const search* s, int32_t body) { return (*flags_of(s, body) & B2D_STEP_MACHINE) != 0; }

static void visit(search* s, int32_t body, int32_t first) {
    *flags_of(s, body) |= B2D_STEP_MACHINE;
    s->rows[body] = (b2d_machine_row){.first = first, .next = B2D_NONE, .own = 1.0f, .kept = 1.0f};
    if (s->tail == B2D_NONE) s->head = body;
    else s->rows[s->tail].next = body;
    s->tail = body;
}

// Whether the machine can be judged as a whole, as far as this body shows it, and visits its neighbours. Gears and
// pulleys act on bodies that joints do not lead to.
static bool goes_on(search* s, int32_t body, int32_t first) {
    const b2d_body_state* state = &s->solver->states[body];
    if (state->inverse_mass == 0.0f || (*flags_of(s, body) & B2D_STEP_DRIVEN)) return false;
    if (*flags_of(s, body) & B2D_STEP_LOCKS) s->rows[first].held = true;
    FOR_JOINTS(s->graph, body, key) {
        const b2d_joint* joint = &s->graph->joints[key >> 1];
        const int32_t other = joint->body[!(key & 1)];
        if (joint->lane_index == B2D_NONE || joint->gear_head != B2D_NONE ||
            (b2d_joint_type_of(joint)->rows & B2D_ROWS_COUPLING))
            return false;
        if (!b2d_moves(s->graph, other)) {
            s->rows[first].held = true;
            continue;
        }
        if (!b2d_is_awake(s->graph, other)) return false;
        if (!in_machine(s, other)) visit(s, other, first);
    }
    return true;
}

// Adds the bodies of a machine to the list; what is driven is marked instead, so that it is not walked over again.
static void find(search* s, int32_t first) {
    const int32_t end = s->tail;
    bool free = true;
    visit(s, first, first);
    for (int32_t id = first; id != B2D_NONE && free; id = s->rows[id].next) free = goes_on(s, id, first);
    if (free) return;
    for (int32_t id = first; id != B2D_NONE; id = s->rows[id].next)
        *flags_of(s, id) = (*flags_of(s, id) & ~(uint32_t)B2D_STEP_MACHINE) | B2D_STEP_DRIVEN;
    s->tail = end;
    if (end == B2D_NONE) s->head = B2D_NONE;
    else s->rows[end].next = B2D_NONE;
}

static float share(double along, double square) { return (float)fmin(fmax(3.0 * (-along / square) - 2.0, 0.0), 1.0); }

// The change of a body's velocity in this substep, which the next one repeats.
static b2d_vec2 change_of(const b2d_solver* solver, int32_t body) {
    const float* before = solver->steps[body].free_velocity;
    const b2d_body_state* state = &solver->states[body];
    return b2d_v(state->vx - before[0], state->vy - before[1]);
}

// How the substep changed the momentum of the whole, and what share of that it repeats. False: it forgets nothing.
static bool judge(search* s, int32_t first) {
    const b2d_solver* solver = s->solver;
    double mass = 0.0, x = 0.0, y = 0.0, vx = 0.0, vy = 0.0, fx = 0.0, fy = 0.0;
    FOR_MACHINE (s, first, id) {
        const b2d_body_state* state = &solver->states[id];
        const double m = 1.0 / (double)state->inverse_mass;
        const b2d_vec2 change = change_of(solver, id), fall = b2d_free_acceleration(solver, id);
        mass += m;
        x += m * (double)change.x, y += m * (double)change.y;
        vx += m * (double)state->vx, vy += m * (double)state->vy;
        fx += m * (double)fall.x, fy += m * (double)fall.y;
    }
    const double square = x * x + y * y, least = fmax((double)(B2D_STRIKE_SPEED * solver->restitution_threshold) * mass,
                                                      (double)(B2D_STRIKE_FALLS * solver->h) * sqrt(fx * fx + fy * fy));
    const float own = square > least * least ? share(x * vx + y * vy, square) : 1.0f;
    FOR_MACHINE (s, first, id) s->rows[id].own = s->rows[id].kept = own;
    s->rows[first].x = x, s->rows[first].y = y;
    return own < 1.0f;
}

// A lane of a contact, with the impulse on side B and its angular impulses.
typedef struct lane {
    b2d_contact_block* block;
    float* rolling; // of its extra block, NULL
    int32_t at;
    float x, y, twist[2];
} lane;

static bool find_lane(const search* s, int32_t contact, lane* l) {
    const b2d_pair* pair = &s->graph->pairs[contact];
    if (!(pair->flags & B2D_PAIR_TOUCHING) || pair->lane_index == B2D_NONE) return false;
    const int32_t at = pair->lane_index % B2D_LANES;
    b2d_contact_block* block = &s->graph->blocks[pair->lane_index / B2D_LANES];
    b2d_extra_block* extra = s->graph->extras[pair->lane_index / B2D_LANES];
    *l = (lane){.block = block, .at = at, .rolling = extra == NULL ? NULL : &extra->rolling_impulse[at]};
    const float nx = block->nx[at], ny = block->ny[at];
    for (int32_t k = 0; k < 2; k++) {
        const b2d_contact_point* p = &block->point[k];
        const float n = p->normal_impulse[at], t = p->tangent_impulse[at];
        l->x += n * nx + t * ny, l->y += n * ny - t * nx;
        l->twist[0] += n * p->normal_arm[at] - t * p->along_normal[at];
        l->twist[1] += n * (p->normal_arm[at] + block->normal_arm_shift[at]) -
                       t * (p->along_normal[at] + block->along_normal_shift[at]);
    }
    if (l->rolling != NULL) l->twist[0] += *l->rolling, l->twist[1] += *l->rolling;
    return true;
}

// The share of a contact of a machine, whose own is `own`, that the other body asks for. A wall that turns strikes
// again in each substep, and a body with joints repeats all unless its machine is struck.
static float other_share(const search* s, int32_t other, bool in_the_end) {
    if (!b2d_moves(s->graph, other)) return s->solver->states[other].w != 0.0f ? 1.0f : 0.0f;
    if (in_machine(s, other)) return in_the_end ? s->rows[other].kept : s->rows[other].own;
    if (*flags_of(s, other) & B2D_STEP_JOINTED) return 1.0f;
    const b2d_vec2 change = change_of(s->solver, other);
    const b2d_body_state* state = &s->solver->states[other];
    const double square = (double)change.x * (double)change.x + (double)change.y * (double)change.y;
    return square > 0.0 ? share((double)(change.x * state->vx + change.y * state->vy), square) : 1.0f;
}

static int32_t other_side(const search* s, int32_t contact, int32_t body) {
    const b2d_pair* pair = &s->graph->pairs[contact];
    return pair->body_a ^ pair->body_b ^ body;
}

// The mean of what the contacts with other bodies keep, by their parts of the change of momentum.
static void weigh(search* s, int32_t first) {
    const b2d_machine_row* row = &s->rows[first];
    double sum = 0.0, whole = 0.0, rest = row->x * row->x + row->y * row->y;
    FOR_MACHINE (s, first, id) FOR_CONTACTS(s->graph, id, key) {
            const int32_t other = other_side(s, key >> 1, id);
            lane l;
            if ((in_machine(s, other) && s->rows[other].first == first) || !find_lane(s, key >> 1, &l)) continue;
            const double sign = l.block->body_a[l.at] == id ? -1.0 : 1.0,
                         part = sign * (row->x * (double)l.x + row->y * (double)l.y),
                         weight = row->held ? fabs(part) : part;
            rest -= part;
            whole += weight, sum += weight * (double)b2d_max(row->own, other_share(s, other, false));
        }
    if (row->held) whole += fabs(rest), sum += fabs(rest);
    const float kept = whole > 0.0 ? (float)fmin(fmax(sum / whole, 0.0), 1.0) : row->own;
    FOR_MACHINE (s, first, id) s->rows[id].kept = kept;
}

static void keep_of_body(const search* s, int32_t body) {
    float* before = s->solver->steps[body].free_velocity;
    const b2d_body_state* state = &s->solver->states[body];
    const float now[3] = {state->vx, state->vy, state->w}, kept = s->rows[body].kept;
    for (int32_t k = 0; k < 3; k++) before[k] = now[k] - kept * (now[k] - before[k]);
}

static void keep_of_joints(const search* s, int32_t body, bool last) {
    const float kept = s->rows[body].kept;
    FOR_JOINTS(s->graph, body, key) {
        b2d_joint* joint = &s->graph->joints[key >> 1];
        if ((key & 1) && b2d_moves(s->graph, joint->body[0])) continue; // that body does it
        const int32_t block = joint->lane_index / B2D_LANES, at = joint->lane_index % B2D_LANES;
        if (last) { // overflow blocks hold joints of several tasks
            joint->forgotten = 1.0f - kept;
            __atomic_fetch_or(&s->graph->joint_block_rows[block], B2D_ROWS_STALE, __ATOMIC_RELAXED);
            continue;
        }
        float* impulses[B2D_JOINT_IMPULSES];
        b2d_joint_block_impulses(s->graph, block, impulses);
        for (int32_t k = 0; k < B2D_JOINT_IMPULSES; k++) impulses[k][at] *= kept;
        s->graph->joint_blocks[block].replayed_a[at] *= kept, s->graph->joint_blocks[block].replayed_b[at] *= kept;
        s->graph->joint_rows[block].replayed_x[at] *= kept, s->graph->joint_rows[block].replayed_y[at] *= kept;
    }
}

// A side of a contact repeats `more` of its impulse than the rest that the body repeats.
static void repeat_more(const search* s, int32_t body, float more, float sign, const lane* l, int32_t side) {
    const b2d_body_state* state = &s->solver->states[body];
    float* before = s->solver->steps[body].free_velocity;
    before[0] += sign * more * state->inverse_mass * l->x, before[1] += sign * more * state->inverse_mass * l->y;
    before[2] += sign * more * state->inverse_inertia * l->twist[side];
}

static void keep_of_contacts(const search* s, int32_t body) {
    FOR_CONTACTS(s->graph, body, key) {
        const int32_t other = other_side(s, key >> 1, body);
        const bool both = in_machine(s, other) && s->rows[other].own < 1.0f;
        lane l;
        if ((both && other < body) || !find_lane(s, key >> 1, &l)) continue;
        const bool same = both && s->rows[other].first == s->rows[body].first;
        const float kept = same ? s->rows[body].kept : b2d_max(s->rows[body].kept, other_share(s, other, true));
        for (int32_t k = 0; k < 2; k++) l.block->point[k].normal_impulse[l.at] *= kept;
        for (int32_t k = 0; k < 2; k++) l.block->point[k].tangent_impulse[l.at] *= kept;
        if (l.rolling != NULL) *l.rolling *= kept;
        for (int32_t side = 0; side < 2; side++) {
            const int32_t id = (side == 0 ? l.block->body_a : l.block->body_b)[l.at];
            if (id == B2D_NONE || !b2d_moves(s->graph, id)) continue;
            repeat_more(s, id, kept - (in_machine(s, id) ? s->rows[id].kept : 1.0f), side == 0 ? 1.0f : -1.0f, &l,
                        side);
        }
    }
}

void b2d_forget_machine_impacts(const b2d_solver_task* task, bool last) {
    const b2d_solver* solver = task->solver;
    if (!__atomic_load_n(&solver->machines->struck, __ATOMIC_RELAXED)) return;
    search s = {solver, solver->graph, solver->machines->rows, B2D_NONE, B2D_NONE};
    enum { LOOKED_AT = B2D_STEP_STRUCK | B2D_STEP_DRIVEN | B2D_STEP_MACHINE };
    for (int32_t k = 0; k < task->body_count; k++) { // ascending, so that no sum depends on the division into tasks
        const int32_t id = task->bodies[k];
        if ((*flags_of(&s, id) & LOOKED_AT) == B2D_STEP_STRUCK) find(&s, id);
    }
    bool some = false; // each loop needs what the one before it found for all machines
    FOR_BODIES (&s, id)
        if (s.rows[id].first == id) some = judge(&s, id) || some;
    if (some) {
        FOR_BODIES (&s, id)
            if (s.rows[id].first == id && s.rows[id].own < 1.0f) weigh(&s, id);
        FOR_BODIES (&s, id)
            if (s.rows[id].own < 1.0f) keep_of_body(&s, id), keep_of_joints(&s, id, last);
        FOR_BODIES (&s, id)
            if (s.rows[id].own < 1.0f) keep_of_contacts(&s, id);
        b2d_direct_forget(solver, task->assemblies, task->assembly_count);
        for (int32_t k = 0; k < task->press_count; k++) b2d_press_forget(solver, task->presses[k]);
    }
    FOR_BODIES (&s, id) *flags_of(&s, id) &= ~(uint32_t)B2D_STEP_MACHINE;
}
