// csrc/solver/impact_joints.c - impacts of bodies that joints hold.
//
// An impact ends before a body moves, so rigid rows of joints hold, whatever impulses that takes, and closed limits do
// not give way. Springs and motors have no time to act. So the contacts of a round and the joints of their bodies are
// one linear complementarity problem, in which rows of joints have no bounds and friction has those of Coulomb's law by
// the normal impulses of the pass before. A contact that ignored the joints would have too little mass behind it, and
// the substeps, whose joints stop what it moved, would take back what it gave.
// Speeds that the last step has left in the joints go first, which only takes energy, and rebounds are those of the
// approaches that remain. So a round of contacts and joints adds no energy either (bounce.c).
// Assemblies are walked breadth first from the contacts. What is farther away than there is room for is at rest in a
// round, and the substeps have it: an impulse fades from joint to joint.
// Proof: tests/physics/test_struck_machines.py.
#include "joints/joint_type.h"
#include "solver/direct.h"
#include "solver/impact_exact.h"

#include <math.h>
#include <string.h>

enum { MOST_PASSES = 6 }; // of friction by the normals of the pass before

static const b2d_joint* next_joint(const b2d_graph* graph, int32_t* key) {
    for (; *key != B2D_NONE; *key = graph->joints[*key >> 1].next[*key & 1]) {
        const b2d_joint* joint = &graph->joints[*key >> 1];
        if (b2d_joint_acts(graph, joint) && joint->lane_index != B2D_NONE && !b2d_gear_moves_bases(graph, joint))
            return joint;
    }
    return NULL;
}

int32_t b2d_impact_next_joined(const b2d_graph* graph, int32_t body, int32_t* key) {
    if (*key == B2D_NONE) return B2D_NONE;
    const b2d_joint* joint = next_joint(graph, key);
    if (joint == NULL) return B2D_NONE;
    const int32_t other = joint->body[joint->body[0] == body];
    *key = joint->next[*key & 1];
    return other;
}

bool b2d_impact_are_joined(const b2d_graph* graph, int32_t a, int32_t b) {
    const int32_t body = b2d_moves(graph, a) ? a : b;
    for (int32_t key = graph->bodies[body].joint_head, other;
         (other = b2d_impact_next_joined(graph, body, &key)) != B2D_NONE;)
        if (other == (a ^ b ^ body)) return true;
    return false;
}

typedef struct round_rows {
    b2d_exact e;
    double opens;                // m/s, rad/s: a limit that is faster opens
    bool walked[B2D_EXACT_ROWS]; // by body: all its joints are there
    int32_t contact_rows;        // still to come
} round_rows;

// A row of a joint along a direction, or against it, which may go on at `least`. Limits that open take no part, like
// contacts that do. False: there is no room.
static bool add_row(round_rows* all, const b2d_direct_joint* joint, const b2d_direct_direction* d, double sign,
                    double least, bool pushes) {
    b2d_exact* e = &all->e;
    const b2d_joint_block* block = &e->solver->graph->joint_blocks[joint->lane_index / B2D_LANES];
    const int32_t lane = joint->lane_index % B2D_LANES;
    b2d_body_state* const state[2] = {&e->solver->states[block->body_a[lane]], &e->solver->states[block->body_b[lane]]};
    const bool moves[2] = {joint->body[0] != B2D_NONE, joint->body[1] != B2D_NONE};
    double j[2][3], speed = sign * d->known;
    for (int32_t side = 0; side < 2; side++) {
        const double v[3] = {(double)state[side]->vx, (double)state[side]->vy, (double)state[side]->w};
        for (int32_t i = 0; i < 3; i++) j[side][i] = sign * d->j[side][i], speed += j[side][i] * v[i];
    }
    if (pushes && speed > all->opens) return true;
    b2d_exact_row* r = b2d_exact_add(e, state, moves, j, (pushes ? fmin(speed, least) : 0.0) - sign * d->known);
    if (r == NULL) return false;
    r->lane = joint->lane_index;
    if (!pushes) r->low = -B2D_EXACT_FREE, r->held = 0;
    return true;
}

// Its rigid rows, and the limits, which may go on to their bounds in the step.
static bool add_joint(round_rows* all, const b2d_joint* source, int32_t id) {
    const b2d_solver* solver = all->e.solver;
    const int32_t flip = (source->flags & B2D_JOINT_FLIP) != 0; // sides A and B of its lane
    const b2d_direct_assembly assembly = {.fresh = true, .share = 1.0, .body_count = B2D_DIRECT_PENDULUM + 1};
    b2d_direct_body bodies[2] = {{.id = source->body[flip]}, {.id = source->body[!flip]}};
    b2d_direct_joint joint = {.id = id};
    for (int32_t side = 0; side < 2; side++) {
        joint.body[side] = b2d_moves(solver->graph, bodies[side].id) ? side : B2D_NONE;
        if (joint.body[side] == B2D_NONE) continue;
        b2d_body_state* state = &solver->states[bodies[side].id];
        bodies[side].rotation = b2d_make_rot((double)state->angle);
        const int32_t at = b2d_exact_body_of(&all->e, state);
        if (at == all->e.most_rows) return false;
        for (int32_t i = 0; i < 3; i++) {
            const double inverse = all->e.bodies[at].inverse[i];
            bodies[side].mass[i] = inverse > 0.0 ? 1.0 / inverse : 0.0;
        }
    }
    b2d_direct_begin(solver, &joint);
    (void)b2d_direct_fill(solver, &assembly, bodies, &joint, true);
    for (int32_t k = 0; k < 3; k++) {
        const b2d_direct_direction* d = &joint.directions[k];
        for (const b2d_direct_row* row = joint.rows + d->first; row < joint.rows + d->first + d->count; row++) {
            const bool lower = row->high == B2D_DIRECT_LARGEST, upper = row->low == -B2D_DIRECT_LARGEST;
            if (row->springs || row->impulse == NULL || !(lower || upper) || !(d->inverse_mass > 0.0)) continue;
            const double sign = lower ? 1.0 : -1.0, gap = fmax(sign * row->bias, 0.0) * (double)solver->h,
                         least = -gap / (double)solver->dt;
            if (!add_row(all, &joint, d, sign, least, !(lower && upper))) return false;
        }
    }
    return true;
}

// The rows of contacts come last and may be coupled with all.
static bool has_room(const round_rows* all) {
    const b2d_exact* e = &all->e;
    const int32_t most = B2D_DIRECT_ROWS, rows = e->row_count + most;
    return rows + all->contact_rows <= e->most_rows && e->body_count < e->most_rows &&
           e->cell_count + most * rows + all->contact_rows * (rows + all->contact_rows) <= e->most_cells;
}

// Breadth first over the joints of a body. A joint of two bodies is met twice.
static void add_assembly(round_rows* all, int32_t body) {
    b2d_exact* e = &all->e;
    const b2d_graph* graph = e->solver->graph;
    const int32_t begin = e->body_count;
    if (!b2d_moves(graph, body) || b2d_exact_body_of(e, &e->solver->states[body]) < begin) return;
    for (int32_t k = begin; k < e->body_count; k++) {
        const int32_t id = (int32_t)(e->bodies[k].state - e->solver->states);
        for (int32_t key = graph->bodies[id].joint_head; key != B2D_NONE;) {
            const b2d_joint* joint = next_joint(graph, &key);
            if (joint == NULL) break;
            const int32_t other = joint->body[joint->body[0] == id], at = key;
            key = joint->next[key & 1];
            bool met = false;
            for (int32_t i = begin; i < k; i++) met = met || e->bodies[i].state == &e->solver->states[other];
            if (met && b2d_moves(graph, other)) continue;
            if (!has_room(all) || !add_joint(all, joint, at >> 1)) return;
        }
        all->walked[k] = true;
    }
}

// Whether the joints of a body of a contact are there. Without some of them, the others would turn the blow.
static bool is_walked(round_rows* all, int32_t body) {
    const b2d_solver* solver = all->e.solver;
    const int32_t k = b2d_moves(solver->graph, body) ? b2d_exact_body_of(&all->e, &solver->states[body]) : B2D_NONE;
    return k == B2D_NONE || (k < all->e.most_rows && all->walked[k]);
}

// Whether joints hold some body of a contact that pushes; counts the rows of contacts.
static bool is_held(const b2d_impact_round* round, int32_t* rows) {
    const b2d_graph* graph = round->solver->graph;
    bool held = false;
    *rows = 0;
    for (int32_t k = 0; k < round->count; k++) {
        const b2d_impact_member* m = &round->members[k];
        if (!m->solved[0] && !m->solved[1]) continue;
        const b2d_pair* pair = &graph->pairs[m->contact];
        for (int32_t side = 0; side < 2; side++) {
            const int32_t body = side ? pair->body_b : pair->body_a;
            held = held || (b2d_moves(graph, body) && graph->bodies[body].joint_count > 0);
        }
        const bool rough = graph->blocks[m->block].friction[m->lane] > 0.0f;
        for (int32_t j = 0; j < 2; j++) *rows += m->solved[j] ? 1 + (m->hit[j] && rough) : 0;
    }
    return held;
}

static bool add_contacts(const b2d_impact_round* round, b2d_exact* e) {
    for (int32_t k = 0; k < round->count; k++) {
        b2d_impact_member* m = &round->members[k];
        const float friction = round->solver->graph->blocks[m->block].friction[m->lane];
        for (int32_t j = 0; j < 2; j++) {
            if (!m->solved[j]) continue;
            const b2d_impact_row normal = b2d_impact_member_row(round->solver, m, j, false);
            b2d_exact_row* r = b2d_exact_add_contact(e, &normal, m->target[j], &m->normal[j]);
            if (r == NULL) return false;
            r->hit = m->hit[j], r->wanted = (double)m->target[j];
            r->high = 0.0; // until the joints are at rest
            if (!m->hit[j] || !(m->grip[j] * friction > 0.0f)) continue;
            const b2d_impact_row tangent = b2d_impact_member_row(round->solver, m, j, true);
            r = b2d_exact_add_contact(e, &tangent, b2d_impact_belt(round->solver, m), &m->tangent[j]);
            if (r == NULL) return false;
            r->grip = m->grip[j] * friction, r->high = 0.0;
        }
    }
    return true;
}

static bool solve(const b2d_impact_round* round, b2d_exact* e) {
    for (int32_t k = 0; k < e->body_count; k++)
        for (int32_t i = 0; i < 3; i++) e->bodies[k].change[i] = 0.0;
    return b2d_exact_solve(e, 0.1 * (double)round->tolerance);
}

#define FOR_ROWS(e, r) for (b2d_exact_row* r = (e)->rows; r < (e)->rows + (e)->row_count; r++)

// Brings the joints to rest without the contacts, and then lets these push. What bounces keeps its restitution.
static bool rest(const b2d_impact_round* round, b2d_exact* e) {
    bool rests = true;
    FOR_ROWS (e, r) {
        r->before = b2d_exact_excess(e, r);
        rests = rests && !(r->held == 0 && fabs(r->before) > 0.1 * (double)round->tolerance);
    }
    if (!rests && !solve(round, e)) return false;
    FOR_ROWS (e, r) {
        const double speed = b2d_exact_excess(e, r) + r->wanted, was = r->before + r->wanted;
        if (r->hit && was < 0.0) r->target += (fmax(speed / was, 0.0) - 1.0) * r->wanted;
        if (r->impulse != NULL && !(r->grip > 0.0f)) r->high = B2D_EXACT_FREE;
        r->before = b2d_exact_excess(e, r);
    }
    return true;
}

// Returns by how much the limits of friction move a speed at most.
static double set_limits(b2d_exact* e) {
    double most = 0.0;
    FOR_ROWS (e, r) {
        if (!(r->grip > 0.0f)) continue;
        const double limit = (double)r->grip * fmax(r[-1].found, 0.0);
        most = fmax(most, fabs(limit - r->high) * r->diagonal);
        if (limit > 0.0 && r->high == 0.0) r->held = 0;
        r->low = -limit, r->high = limit;
    }
    return most;
}

// The energy that friction has added: an impulse times the mean of the slips before and after.
static double work_of_friction(b2d_exact* e) {
    double work = 0.0;
    FOR_ROWS (e, r)
        if (r->grip > 0.0f) work += 0.5 * r->found * (r->before + b2d_exact_excess(e, r));
    return work;
}

static void hold(b2d_exact_row* r, double impulse) { r->low = r->high = impulse, r->held = -1; }

// As in impact_round.c, friction that adds energy comes after the normal impulses.
static bool solve_all(const b2d_impact_round* round, b2d_exact* e) {
    if (!rest(round, e) || !solve(round, e)) return false;
    for (int32_t pass = 0; pass < MOST_PASSES && set_limits(e) > (double)round->tolerance; pass++)
        if (!solve(round, e)) return false;
    if (!(work_of_friction(e) > 0.0)) return true;
    FOR_ROWS (e, r)
        if (r->grip > 0.0f) hold(r, 0.0);
    if (!solve(round, e)) return false;
    (void)set_limits(e);
    FOR_ROWS (e, r)
        if (r->impulse != NULL && !(r->grip > 0.0f)) hold(r, r->found);
    return solve(round, e);
}

// On side B of its lane; side A always moves.
static void add_load(const b2d_solver* solver, const b2d_exact_row* r) {
    b2d_joint_block* block = &solver->graph->joint_blocks[r->lane / B2D_LANES];
    const int32_t lane = r->lane % B2D_LANES;
    const double force = r->found / (double)solver->dt, *j = r->j[0];
    block->force_x[lane] -= (float)(force * j[0]), block->force_y[lane] -= (float)(force * j[1]);
    if (j[0] == 0.0 && j[1] == 0.0) block->torque[lane] -= (float)(force * j[2]);
}

bool b2d_impact_solve_held(const b2d_impact_round* round) {
    round_rows all;
    if (!is_held(round, &all.contact_rows)) return false;
    const b2d_graph* graph = round->solver->graph;
    all.opens = 1.0e3 * (double)round->tolerance;
    memset(all.walked, 0, sizeof all.walked);
    b2d_exact_begin(&all.e, round->solver, B2D_EXACT_ROWS, B2D_EXACT_CELLS, true);
    for (int32_t k = 0; k < round->count; k++) {
        const b2d_impact_member* m = &round->members[k];
        if (!m->solved[0] && !m->solved[1]) continue;
        add_assembly(&all, graph->pairs[m->contact].body_a);
        add_assembly(&all, graph->pairs[m->contact].body_b);
    }
    for (int32_t k = 0; k < round->count; k++) {
        const b2d_impact_member* m = &round->members[k];
        const b2d_pair* pair = &graph->pairs[m->contact];
        if ((m->solved[0] || m->solved[1]) && !(is_walked(&all, pair->body_a) && is_walked(&all, pair->body_b)))
            return false;
    }
    if (!add_contacts(round, &all.e) || !solve_all(round, &all.e)) return false;
    for (int32_t k = 0; k < all.e.body_count; k++) {
        b2d_body_step* step = &round->solver->steps[all.e.bodies[k].state - round->solver->states];
        if (step->flags & B2D_STEP_JOINTED) step->flags |= B2D_STEP_BOUNCED;
    }
    FOR_ROWS (&all.e, r) {
        if (r->impulse == NULL) add_load(round->solver, r);
        else *r->impulse = (float)(r->grip > 0.0f ? r->found : fmax(r->found, 0.0));
    }
    b2d_exact_store(&all.e);
    return true;
}
