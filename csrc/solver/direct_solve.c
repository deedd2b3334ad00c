// csrc/solver/direct_solve.c - velocities and impulses of an assembly by one factorization.
//
// The factorization is repeated while rows change their state. It is kept while the matrix stays the same, often from a
// relax pass through the solve passes of the next substep: the bodies stand where they stood, and only impulses and
// velocities differ. The solve pass starts from the velocities without the impulses of the assembly, so it needs no
// warm start; the impulses that the replay has applied are subtracted again (`change`). The relax pass continues from
// the result of the solve pass.
#include "joints/joint_type.h"
#include "solver/direct.h"
#include "solver/kernels.h"
#include "solver/machine.h"

#include <math.h>
#include <string.h>

enum { ROUNDS = 12 }; // of the active set: the bold ones, then those with one change each, in the order of ids

typedef struct task {
    const b2d_solver* solver;
    b2d_direct_assembly* assembly;
    b2d_direct_body* bodies;
    b2d_direct_joint* joints;
    b2d_direct_node* nodes;
    b2d_direct_block* blocks;
    int32_t body_count, joint_count, node_count, block_count;
    bool relax, again, small; // at most B2D_DIRECT_PENDULUM bodies
} task;

// Inverse of a symmetric definite matrix, by its L D L^T.
static void invert(const double a[9], double out[9]) {
    if (a[3] == 0.0 && a[6] == 0.0 && a[7] == 0.0) { // the same, sooner
        out[0] = 1.0 / a[0], out[4] = 1.0 / a[4], out[8] = 1.0 / a[8];
        out[1] = out[2] = out[3] = out[5] = out[6] = out[7] = 0.0;
        return;
    }
    // i0, i1, i2: inverses of the pivots; m20: of the inverse of L, whose other entries are -l10 and -l21
    const double i0 = 1.0 / a[0], l10 = a[3] * i0, l20 = a[6] * i0;
    const double i1 = 1.0 / (a[4] - l10 * a[3]), u = a[7] - l10 * a[6], l21 = u * i1;
    const double i2 = 1.0 / (a[8] - l20 * a[6] - l21 * u), m20 = l10 * l21 - l20;
    out[8] = i2;
    out[7] = out[5] = -l21 * i2;
    out[6] = out[2] = m20 * i2;
    out[4] = i1 + l21 * l21 * i2;
    out[3] = out[1] = -l10 * i1 - l21 * m20 * i2;
    out[0] = i0 + l10 * l10 * i1 + m20 * m20 * i2;
}

// Written out, since gcc keeps loops of three as loops.
static inline void multiply(const double a[9], const double b[9], double out[9]) {
    for (int32_t r = 0; r < 9; r += 3) {
        const double x = a[r], y = a[r + 1], z = a[r + 2];
        out[r] = x * b[0] + y * b[3] + z * b[6];
        out[r + 1] = x * b[1] + y * b[4] + z * b[7];
        out[r + 2] = x * b[2] + y * b[5] + z * b[8];
    }
}

static inline double dot(const double a[3], const double b[3]) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }

static inline void subtract_product(double to[9], const double l[9], const double a[9]) { // to -= l a^T
    for (int32_t r = 0; r < 9; r += 3) {
        to[r] -= dot(l + r, a);
        to[r + 1] -= dot(l + r, a + 3);
        to[r + 2] -= dot(l + r, a + 6);
    }
}

// The same where the product is symmetric, and the upper half is not read.
static inline void subtract_symmetric(double to[9], const double l[9], const double a[9]) {
    to[0] -= dot(l, a);
    to[3] -= dot(l + 3, a);
    to[4] -= dot(l + 3, a + 3);
    to[6] -= dot(l + 6, a);
    to[7] -= dot(l + 6, a + 3);
    to[8] -= dot(l + 6, a + 6);
}

static void eliminate(const task* t, int32_t column) {
    b2d_direct_node* node = &t->nodes[column];
    b2d_direct_block* blocks = t->blocks + node->first;
    double inverse[9], original[B2D_DIRECT_WIDTH][9];
    invert(node->pivot, inverse);
    memcpy(node->pivot, inverse, sizeof inverse);
    for (int32_t k = 0; k < node->count; k++) {
        memcpy(original[k], blocks[k].a, sizeof original[k]);
        multiply(original[k], inverse, blocks[k].a);
    }
    for (int32_t i = 0; i < node->count; i++) {
        b2d_direct_node* later = &t->nodes[blocks[i].row];
        subtract_symmetric(later->pivot, blocks[i].a, original[i]);
        b2d_direct_block* target = t->blocks + later->first;
        for (int32_t k = i + 1; k < node->count; k++) {
            while (target->row != blocks[k].row) target++;
            subtract_product(target->a, blocks[k].a, original[i]);
        }
    }
}

static void substitute(const task* t) {
    for (int32_t column = 0; column < t->node_count; column++) {
        const b2d_direct_node* node = &t->nodes[column];
        const double v[3] = {node->x[0], node->x[1], node->x[2]};
        for (int32_t k = node->first; k < node->first + node->count; k++) {
            const double* l = t->blocks[k].a;
            double* x = t->nodes[t->blocks[k].row].x;
            x[0] -= dot(l, v), x[1] -= dot(l + 3, v), x[2] -= dot(l + 6, v);
        }
    }
    for (int32_t column = t->node_count; column-- > 0;) {
        b2d_direct_node* node = &t->nodes[column];
        double x = dot(node->pivot, node->x), y = dot(node->pivot + 3, node->x), z = dot(node->pivot + 6, node->x);
        for (int32_t k = node->first; k < node->first + node->count; k++) {
            const double *l = t->blocks[k].a, *later = t->nodes[t->blocks[k].row].x;
            const double u = later[0], v = later[1], w = later[2];
            x -= l[0] * u + l[3] * v + l[6] * w;
            y -= l[1] * u + l[4] * v + l[7] * w;
            z -= l[2] * u + l[5] * v + l[8] * w;
        }
        // No -0: what is left out where the matrix has zeros decides the signs of zeros (direct_wide.inl)
        node->x[0] = x + 0.0, node->x[1] = y + 0.0, node->x[2] = z + 0.0;
    }
}

static bool is_small_tree(const task* t) { return t->small && !t->assembly->loops; }

// The inertia, or the larger one that tension requires. In the solve pass the old velocity is weighted with the body's
// own inertia (an implicit step); the relax pass keeps the larger one. The bound of stability is a quarter of the
// stiffness, and more takes energy; in a tree of few bodies half of it is sufficient, and one that keeps its energy
// cannot grow unstable.
static double held_inertia(const task* t, const b2d_direct_body* body) {
    const double stiffness = (is_small_tree(t) ? 0.5 : 1.0) * body->stiffness;
    return body->mass[2] > 0.0 && stiffness > body->mass[2] ? stiffness : body->mass[2];
}

// Writes the diagonal of the matrix. Returns whether the factors of the last matrix are those of this one: the
// directions are the same then (solve_rounds), so only the diagonal can differ.
static bool lay_out_diagonal(const task* t) {
    bool same = t->assembly->factored;
    for (int32_t k = 0; k < t->node_count; k++) {
        b2d_direct_node* node = &t->nodes[k];
        double diagonal[3];
        if (node->index < 0) {
            const b2d_direct_direction* d = t->joints[~node->index].directions;
            for (int32_t i = 0; i < 3; i++) diagonal[i] = d[i].softness;
        } else {
            const b2d_direct_body* body = &t->bodies[node->index];
            for (int32_t i = 0; i < 3; i++) diagonal[i] = body->mass[i] > 0.0 ? body->mass[i] : 1.0;
            if (body->mass[2] > 0.0) diagonal[2] = held_inertia(t, body);
        }
        for (int32_t i = 0; i < 3; i++) {
            same = same && node->diagonal[i] == diagonal[i];
            node->diagonal[i] = diagonal[i];
        }
    }
    return same;
}

static void lay_out_joint(const task* t, const b2d_direct_joint* joint, b2d_direct_node* node) {
    for (int32_t side = 0; side < 2; side++) {
        if (joint->body[side] == B2D_NONE) continue;
        double* a = t->blocks[joint->block[side]].a;
        // Where the column is the joint's, the block is its Jacobian transposed
        const bool column = joint->position < t->bodies[joint->body[side]].position;
        const int32_t step = column ? 3 : 1;
        for (int32_t k = 0; k < 3; k++) {
            const double* j = joint->directions[k].j[side];
            double* row = a + (column ? k : 3 * k);
            if (node->diagonal[k] > 0.0) row[0] = j[0], row[step] = j[1], row[2 * step] = j[2];
        }
    }
}

static void factor(const task* t) {
    for (int32_t k = 0; k < t->block_count; k++) memset(t->blocks[k].a, 0, sizeof t->blocks[k].a);
    for (int32_t k = 0; k < t->node_count; k++) {
        b2d_direct_node* node = &t->nodes[k];
        memset(node->pivot, 0, sizeof node->pivot);
        for (int32_t i = 0; i < 3; i++) {
            const double d = node->diagonal[i];
            node->pivot[4 * i] = node->index >= 0 ? d : (d > 0.0 ? -d : -1.0);
        }
        if (node->index < 0) lay_out_joint(t, &t->joints[~node->index], node);
    }
    for (int32_t column = 0; column < t->node_count; column++) eliminate(t, column);
    t->assembly->factored = true;
}

static void lay_out_right_side(const task* t) {
    for (int32_t k = 0; k < t->body_count; k++) {
        const b2d_direct_body* body = &t->bodies[k];
        b2d_direct_node* node = &t->nodes[body->position];
        for (int32_t i = 0; i < 3; i++)
            node->x[i] = (t->relax || !(body->mass[i] > 0.0) ? node->diagonal[i] : body->mass[i]) * body->velocity[i];
    }
    for (int32_t k = 0; k < t->joint_count; k++) {
        const b2d_direct_joint* joint = &t->joints[k];
        b2d_direct_node* node = &t->nodes[joint->position];
        const b2d_direct_direction* d = joint->directions;
        for (int32_t i = 0; i < 3; i++) node->x[i] = d[i].softness > 0.0 ? -d[i].bias - d[i].known : 0.0;
        for (int32_t side = 0; side < 2; side++) {
            if (joint->body[side] == B2D_NONE) continue;
            double* x = t->nodes[t->bodies[joint->body[side]].position].x;
            const double *a = d[0].j[side], *b = d[1].j[side], *c = d[2].j[side];
            x[0] = x[0] + a[0] * d[0].held + b[0] * d[1].held + c[0] * d[2].held;
            x[1] = x[1] + a[1] * d[0].held + b[1] * d[1].held + c[1] * d[2].held;
            x[2] = x[2] + a[2] * d[0].held + b[2] * d[1].held + c[2] * d[2].held;
        }
    }
}

static void factor_and_solve(const task* t) {
    for (int32_t k = 0; k < t->joint_count; k++) b2d_direct_combine(&t->joints[k]);
    if (!lay_out_diagonal(t)) factor(t);
    lay_out_right_side(t);
    substitute(t);
}

static bool pivot_rows(const task* t, bool one) {
    bool changed = false;
    for (int32_t k = 0; k < t->joint_count && !(one && changed); k++) {
        b2d_direct_joint* joint = &t->joints[k];
        const double* y = t->nodes[joint->position].x;
        double speed[3], total[3];
        for (int32_t i = 0; i < 3; i++) {
            speed[i] = joint->directions[i].known;
            total[i] = joint->directions[i].softness > 0.0 ? -y[i] : 0.0;
        }
        for (int32_t side = 0; side < 2; side++) {
            if (joint->body[side] == B2D_NONE) continue;
            const double* v = t->nodes[t->bodies[joint->body[side]].position].x;
            for (int32_t i = 0; i < 3; i++) {
                const double* j = joint->directions[i].j[side];
                speed[i] = speed[i] + j[0] * v[0] + j[1] * v[1] + j[2] * v[2];
            }
        }
        changed = b2d_direct_pivot(joint, speed, total, one) || changed;
    }
    return changed;
}

static void weigh_body(const b2d_solver* solver, b2d_direct_body* body) {
    const b2d_body_state* state = &solver->states[body->id];
    const uint32_t locks = solver->steps[body->id].flags;
    const float inverse[3] = {locks & B2D_BODY_FLAG_LOCK_X ? 0.0f : state->inverse_mass,
                              locks & B2D_BODY_FLAG_LOCK_Y ? 0.0f : state->inverse_mass,
                              locks & B2D_BODY_FLAG_LOCK_ROTATION ? 0.0f : state->inverse_inertia};
    for (int32_t i = 0; i < 3; i++) body->mass[i] = inverse[i] > 0.0f ? 1.0 / (double)inverse[i] : 0.0;
}

static void weigh_bodies(const task* t) {
    double mass = 0.0, inertia = 0.0;
    for (int32_t k = 0; k < t->body_count; k++) {
        const double* diagonal = t->bodies[k].mass;
        weigh_body(t->solver, &t->bodies[k]);
        mass += diagonal[0] > diagonal[1] ? diagonal[0] : diagonal[1], inertia += diagonal[2];
    }
    t->assembly->inverse_mean[0] = mass > 0.0 ? (double)t->body_count / mass : 0.0;
    t->assembly->inverse_mean[1] = inertia > 0.0 ? (double)t->body_count / inertia : 0.0;
}

static uint64_t rows_of(const task* t) {
    uint64_t rows = t->assembly->shape == B2D_NONE ? 0 : B2D_DIRECT_IN_LANE;
    for (int32_t k = 0; k < t->body_count && rows != 0; k++) {
        const double* mass = t->bodies[k].mass;
        if (!(mass[0] > 0.0 && mass[1] > 0.0 && mass[2] > 0.0)) rows = 0;
    }
    for (int32_t k = 0; k < t->joint_count && rows != 0; k++) {
        uint32_t used = 0;
        if (b2d_direct_rows_of(t->solver, &t->joints[k], &used)) rows |= (uint64_t)used << k * B2D_DIRECT_ROW_BITS;
        else rows = 0;
    }
    return rows;
}

// Whether the rotation of a substep counts that its solution has (b2d_direct_fill).
static bool turns_within(const task* t) {
    bool turns = false;
    for (int32_t k = 0; k < t->joint_count && t->small; k++) turns = turns || t->joints[k].turns;
    return turns;
}

// Whether the rigid rows of the loops leave them another number of motions than the one of a machine. What hangs on one
// joint is not of a loop.
static bool is_truss(const task* t) {
    bool hangs[B2D_DIRECT_PENDULUM] = {false};
    int32_t freedoms = 3 * t->body_count;
    for (int32_t turn = 0; turn < t->body_count; turn++)
        for (int32_t k = 0; k < t->body_count; k++) {
            int32_t joints = 0;
            for (int32_t j = 0; j < t->joint_count; j++) {
                const int32_t *body = t->joints[j].body, other = body[body[0] == k];
                joints += (body[0] == k || body[1] == k) && (other == B2D_NONE || !hangs[other]);
            }
            hangs[k] = hangs[k] || joints <= 1;
        }
    for (int32_t k = 0; k < t->body_count; k++) freedoms -= hangs[k] ? 3 : 0;
    for (int32_t j = 0; j < t->joint_count; j++) {
        const int32_t* body = t->joints[j].body;
        if ((body[0] == B2D_NONE || !hangs[body[0]]) && (body[1] == B2D_NONE || !hangs[body[1]]))
            freedoms -= b2d_direct_rigid_rows(t->solver, &t->joints[j]);
    }
    return freedoms != 1;
}

static bool touches(const b2d_solver* solver, int32_t body) {
    const b2d_graph* graph = solver->graph;
    for (int32_t key = graph->bodies[body].contact_head; key != B2D_NONE; key = graph->contacts[key >> 1].next[key & 1])
        if (graph->pairs[key >> 1].flags & B2D_PAIR_TOUCHING) return true;
    return false;
}

// The kicks of a substep. Returns whether nothing but gravity acts, which is the same for the whole assembly.
static bool note_kicks(const task* t) {
    const b2d_solver* solver = t->solver;
    const b2d_vec2 gravity = b2d_gravity_of(solver, t->bodies[0].id);
    bool plain = true;
    t->assembly->kick[0] = (double)(solver->h * gravity.x), t->assembly->kick[1] = (double)(solver->h * gravity.y);
    for (int32_t k = 0; k < t->body_count; k++)
        plain = plain && (solver->steps[t->bodies[k].id].flags & B2D_STEP_PLAIN) != 0;
    for (int32_t k = 0; k < t->body_count && !plain; k++) {
        b2d_direct_body* body = &t->bodies[k];
        const b2d_vec2 free = b2d_free_acceleration(solver, body->id);
        const float turn = solver->states[body->id].inverse_inertia * solver->masses[body->id].torque;
        body->kick[0] = (double)(solver->h * free.x), body->kick[1] = (double)(solver->h * free.y);
        body->kick[2] = (double)(solver->h * turn);
    }
    return plain;
}

static void begin_energy(const task* t) {
    b2d_direct_assembly* assembly = t->assembly;
    assembly->keeps = assembly->root != B2D_NONE;
    for (int32_t k = 0; k < t->joint_count && assembly->keeps; k++)
        assembly->keeps = assembly->rows != 0 ? !(t->joints[k].loose > B2D_DIRECT_RIGID)
                                              : b2d_direct_works_by_angle(t->solver, &t->joints[k]);
    assembly->touches = false;
    if (!assembly->keeps) return;
    for (int32_t k = 0; k < t->body_count; k++)
        assembly->touches = assembly->touches || touches(t->solver, t->bodies[k].id);
    assembly->plain = note_kicks(t);
    if (assembly->rows != 0) assembly->rows |= B2D_DIRECT_KEEPS;
}

static void begin_step(const task* t) {
    weigh_bodies(t);
    for (int32_t k = 0; k < t->body_count; k++) {
        b2d_direct_body* body = &t->bodies[k];
        const b2d_body_state* state = &t->solver->states[body->id];
        body->spin = (double)state->w;
        body->most = (double)(t->solver->steps[body->id].flags & B2D_STEP_FAST_ROTATION ? t->solver->inverse_h
                                                                                        : t->solver->max_rotation);
        body->extent = (double)t->solver->graph->bodies[body->id].extent;
        body->angle = state->angle;
        body->rotation = b2d_make_rot((double)state->angle);
    }
    for (int32_t k = 0; k < t->joint_count; k++) b2d_direct_begin(t->solver, &t->joints[k]);
    t->assembly->truss = t->small && t->assembly->loops && is_truss(t);
    t->assembly->rows = rows_of(t);
    begin_energy(t);
    t->assembly->begun = true;
}

// As much of the rotation that is found as the body has had since the start of the step.
static double lasting(const b2d_direct_body* body, double found) {
    const double start = body->spin;
    return start * found > 0.0 ? (fabs(start) < fabs(found) ? start : found) : 0.0;
}

// Trees and machines count with the rotation that is found. A truss or a bridge yields to impacts: it counts with what
// lasts, or it would throw a ball higher than it fell.
static void expect(const task* t, b2d_direct_body* body, const double v[3]) {
    memcpy(body->expected, v, sizeof body->expected);
    if (t->assembly->truss) body->expected[2] = lasting(body, v[2]);
}

static void load_bodies(const task* t) {
    for (int32_t k = 0; k < t->body_count; k++) {
        b2d_direct_body* body = &t->bodies[k];
        const b2d_body_state* state = &t->solver->states[body->id];
        const float velocity[3] = {state->vx, state->vy, state->w};
        double speed[3];
        if (state->angle != body->angle) {
            body->angle = state->angle;
            body->rotation = b2d_make_rot((double)state->angle);
        }
        for (int32_t i = 0; i < 3; i++) {
            speed[i] = (double)velocity[i];
            body->velocity[i] = speed[i] - (t->relax ? 0.0 : body->change[i]);
        }
        expect(t, body, speed);
        body->stiffness = 0.0;
    }
}

static void store_bodies(const task* t) {
    for (int32_t k = 0; k < t->body_count; k++) {
        b2d_direct_body* body = &t->bodies[k];
        const double* v = t->nodes[body->position].x;
        b2d_body_state* state = &t->solver->states[body->id];
        for (int32_t i = 0; i < 3; i++) {
            double change = body->mass[i] > 0.0 ? v[i] - body->velocity[i] : 0.0;
            body->change[i] = t->relax ? body->change[i] + change : change;
        }
        if (body->mass[0] > 0.0) state->vx = (float)v[0];
        if (body->mass[1] > 0.0) state->vy = (float)v[1];
        if (body->mass[2] > 0.0) state->w = (float)v[2];
    }
}

// Whether nothing but the assembly itself takes up its impulses.
static bool floats(const task* t) {
    for (int32_t k = 0; k < t->joint_count; k++) {
        const b2d_direct_joint* joint = &t->joints[k];
        if (joint->body[0] == B2D_NONE || joint->body[1] == B2D_NONE) return false;
        const b2d_joint* source = &t->solver->graph->joints[joint->id];
        if (b2d_joint_type_of(source)->rows & B2D_ROWS_COUPLING) return false; // it acts on wheels or bases too
    }
    for (int32_t k = 0; k < t->body_count; k++) {
        const double* mass = t->bodies[k].mass;
        if (!(mass[0] > 0.0 && mass[1] > 0.0 && mass[2] > 0.0)) return false;
    }
    return true;
}

// The inertia that tension adds to bodies takes up angular momentum. A rotation of the whole assembly, which no joint
// notices, gives it back.
static void keep_momentum(const task* t) {
    if (!floats(t)) return;
    const b2d_solver* solver = t->solver;
    const b2d_pose* origin = &solver->poses[t->bodies[0].id];
    double mass = 0.0, middle[2] = {0.0, 0.0}, momentum = 0.0, inertia = 0.0, moved[2] = {0.0, 0.0};
    for (int32_t pass = 0; pass < 3; pass++) {
        for (int32_t k = 0; k < t->body_count; k++) {
            const b2d_direct_body* body = &t->bodies[k];
            const b2d_pose* pose = &solver->poses[body->id];
            const b2d_body_state* state = &solver->states[body->id];
            const b2d_vec2 center = b2d_pose_center(pose);
            const double x = pose->x - origin->x + (double)center.x + (double)state->dx - middle[0],
                         y = pose->y - origin->y + (double)center.y + (double)state->dy - middle[1], m = body->mass[0];
            double* v = t->nodes[body->position].x;
            if (pass == 0) {
                mass += m, moved[0] += m * x, moved[1] += m * y;
            } else if (pass == 1) {
                momentum += m * (x * (v[1] - body->velocity[1]) - y * (v[0] - body->velocity[0])) +
                            body->mass[2] * (v[2] - body->velocity[2]);
                inertia += m * (x * x + y * y) + body->mass[2];
            } else {
                const double turn = -momentum / inertia;
                v[0] -= turn * y, v[1] += turn * x, v[2] += turn;
            }
        }
        if (pass == 0) middle[0] = moved[0] / mass, middle[1] = moved[1] / mass;
    }
}

static bool all_finite(const task* t) {
    double sum = 0.0;
    for (int32_t k = 0; k < t->node_count; k++)
        sum += fabs(t->nodes[k].x[0]) + fabs(t->nodes[k].x[1]) + fabs(t->nodes[k].x[2]);
    return sum < 1.0e300;
}

// Tension that was just found may require more inertia than the stored one: true if some body needs more than twice the
// inertia it had.
static bool stiffen_again(const task* t) {
    bool more = false;
    for (int32_t k = 0; k < t->body_count; k++)
        t->bodies[k].had = held_inertia(t, &t->bodies[k]), t->bodies[k].stiffness = 0.0;
    for (int32_t k = 0; k < t->joint_count; k++)
        b2d_direct_stiffen((double)t->solver->h, t->bodies, &t->joints[k], false);
    for (int32_t k = 0; k < t->body_count; k++) {
        b2d_direct_body* body = &t->bodies[k];
        more = more || held_inertia(t, body) > 2.0 * body->had;
        const double least = (is_small_tree(t) ? 2.0 : 1.0) * body->had;
        if (!(body->stiffness > least)) body->stiffness = least;
    }
    return more;
}

static void solve_rounds(const task* t) {
    for (int32_t k = 0; k < t->joint_count; k++) {
        if (t->again && !t->assembly->fresh && t->joints[k].lasts && !t->small) b2d_direct_start(&t->joints[k], false);
        else if (b2d_direct_fill(t->solver, t->assembly, t->bodies, &t->joints[k], t->relax))
            t->assembly->factored = false;
        if (!t->assembly->keeps) b2d_direct_stiffen((double)t->solver->h, t->bodies, &t->joints[k], true);
    }
    t->assembly->fresh = false;
    bool changed = true;
    for (int32_t round = 0; round < ROUNDS && changed; round++) {
        factor_and_solve(t);
        changed = pivot_rows(t, round >= B2D_DIRECT_BOLD_ROUNDS);
        if (!changed && !t->relax && !t->assembly->keeps) changed = stiffen_again(t);
    }
}

// The greatest speed of some point of a body, over that of other velocities.
typedef enum base { OVER_ZERO, OVER_NOW, OVER_CORRECTED, OVER_UNCORRECTED } base;
static double greatest_speed(const task* t, base over) {
    double most = 0.0;
    for (int32_t k = 0; k < t->body_count; k++) {
        const b2d_direct_body* body = &t->bodies[k];
        const b2d_body_state* state = &t->solver->states[body->id];
        const double now[3] = {state->vx, state->vy, state->w}, zero[3] = {0.0, 0.0, 0.0};
        const double* from[] = {zero, now, body->corrected, body->pushed};
        const double* v = t->nodes[body->position].x;
        const double x = v[0] - from[over][0], y = v[1] - from[over][1], turn = fabs(v[2] - from[over][2]);
        const double speed = sqrt(x * x + y * y) + turn * body->extent;
        most = speed > most ? speed : most;
    }
    return most;
}

// A small assembly begins with the tension that is stored, without what the last solution required.
static void solve_with_share(const task* t, double share) {
    t->assembly->share = share;
    for (int32_t k = 0; k < t->body_count && t->small; k++) t->bodies[k].stiffness = 0.0;
    solve_rounds(t);
}

// Errors of position are corrected no faster than overlaps: in an assembly that is nearly taut, joints 4 mm apart may
// move its bodies by half a metre. The solution without correction tells how fast the whole one is, and which share of
// it is allowed. Only loops are taut. Where one at rest has such errors, it was made with them, and is corrected the
// more slowly the larger they are, because contacts in between take up a part of the speed. What moves fast makes
// errors by its motion.
//
// The relax pass begins without what the bounded correction gave. It would take it away along the rows of the new
// places, and what is left grows in an assembly that is pulled taut: its bodies flew on at 50 m/s. Only held loops are.
// Called with the solution without correction and then with that of the pass.
static void note_pushed_bodies(const task* t) {
    for (int32_t k = 0; k < t->body_count; k++) {
        b2d_direct_body* body = &t->bodies[k];
        for (int32_t i = 0; i < 3; i++) body->pushed[i] = t->nodes[body->position].x[i] - body->pushed[i];
    }
}

static void note_pushed(const task* t) {
    note_pushed_bodies(t);
    for (int32_t k = 0; k < t->joint_count; k++) {
        b2d_direct_joint* joint = &t->joints[k];
        for (int32_t i = 0; i < joint->row_count; i++) joint->pushed[i] = joint->rows[i].lambda - joint->pushed[i];
    }
}

static void withdraw_pushed(const task* t) {
    for (int32_t k = 0; k < t->body_count; k++) {
        b2d_direct_body* body = &t->bodies[k];
        b2d_body_state* state = &t->solver->states[body->id];
        float* velocity[3] = {&state->vx, &state->vy, &state->w};
        for (int32_t i = 0; i < 3; i++) {
            if (!(body->mass[i] > 0.0)) continue;
            body->change[i] -= body->pushed[i];
            *velocity[i] = (float)((double)*velocity[i] - body->pushed[i]);
        }
    }
    for (int32_t k = 0; k < t->joint_count; k++) {
        b2d_direct_joint* joint = &t->joints[k];
        for (int32_t i = 0; i < joint->row_count; i++) {
            const b2d_direct_row* row = &joint->rows[i];
            if (row->impulse == NULL) continue;
            const double rest = (double)row->sign * (double)*row->impulse - joint->pushed[i];
            *row->impulse = row->sign * (float)(rest < row->low ? row->low : (rest > row->high ? row->high : rest));
        }
    }
}

static void bound_correction(const task* t) {
    const double push = (double)t->solver->push_speed;
    if (!(greatest_speed(t, OVER_NOW) > push)) return;
    for (int32_t k = 0; k < t->body_count; k++)
        memcpy(t->bodies[k].corrected, t->nodes[t->bodies[k].position].x, sizeof t->bodies[k].corrected);
    solve_with_share(t, 0.0);
    const double correction = greatest_speed(t, OVER_CORRECTED), uncorrected = greatest_speed(t, OVER_ZERO) / push;
    double share = 1.0;
    if (correction > push) {
        share = push / correction;
        if (t->assembly->loops && uncorrected < 1.0)
            share *= uncorrected * uncorrected > share ? uncorrected : sqrt(share);
        for (int32_t k = 0; k < t->body_count; k++) {
            t->solver->steps[t->bodies[k].id].flags |= B2D_STEP_CLOSING;
            memset(t->bodies[k].pushed, 0, sizeof t->bodies[k].pushed);
        }
        for (int32_t k = 0; k < t->joint_count; k++) memset(t->joints[k].pushed, 0, sizeof t->joints[k].pushed);
        note_pushed(t);
        t->assembly->closing = true;
        t->assembly->pushes = t->assembly->loops && !floats(t);
    }
    solve_with_share(t, share);
    if (t->assembly->closing && t->assembly->keeps) note_pushed_bodies(t);
    // A smaller correction makes less tension, and so less inertia: it may have more than its share of the speed
    for (int32_t k = 0; k < 3 && t->assembly->pushes; k++) {
        const double speed = greatest_speed(t, OVER_UNCORRECTED), wanted = share * correction;
        if (!(speed > 1.5 * wanted)) break;
        solve_with_share(t, t->assembly->share * wanted / speed);
    }
}

static void solve_assembly(const task* t) {
    load_bodies(t);
    solve_rounds(t);
    if (!t->relax && !t->again) bound_correction(t);
    if (turns_within(t) && !t->relax) { // again, with the rotation that was found
        for (int32_t k = 0; k < t->body_count; k++) {
            b2d_direct_body* body = &t->bodies[k];
            expect(t, body, t->assembly->pushes ? body->pushed : t->nodes[body->position].x);
        }
        solve_with_share(t, t->assembly->share);
    }
    if (!t->relax && !t->again && t->assembly->pushes) note_pushed(t);
    const bool finite = all_finite(t);
    if (finite) keep_momentum(t);
    if (finite && t->relax && t->assembly->keeps)
        b2d_direct_keep_energy(t->solver, t->assembly, t->bodies, t->joints, t->nodes);
    if (finite) store_bodies(t);
    for (int32_t k = 0; k < t->body_count; k++) t->bodies[k].solved = t->solver->states[t->bodies[k].id];
    if (!finite) return;
    for (int32_t k = 0; k < t->joint_count; k++) b2d_direct_store(&t->joints[k], t->relax);
}

int32_t b2d_direct_awake(const b2d_solver* solver, int32_t* seeds) {
    const b2d_direct* d = solver->direct;
    int32_t count = 0;
    for (int32_t k = 0; k < d->assembly_count; k++)
        if (solver->graph->joints[d->assemblies[k].seed].lane_index != B2D_NONE) seeds[count++] = d->assemblies[k].seed;
    return count;
}

static b2d_direct_assembly* find_assembly(const b2d_direct* d, int32_t seed) {
    int32_t low = 0, high = d->assembly_count - 1;
    while (low < high) {
        int32_t middle = (low + high) / 2;
        if (d->assemblies[middle].seed < seed) low = middle + 1;
        else high = middle;
    }
    return &d->assemblies[low];
}

static task task_of(const b2d_solver* solver, b2d_direct_assembly* assembly, bool relax, bool again) {
    const b2d_direct* d = solver->direct;
    return (task){solver,
                  assembly,
                  d->bodies + assembly->first_body,
                  d->joints + assembly->first_joint,
                  d->nodes + assembly->first_node,
                  d->blocks + assembly->first_block,
                  assembly->body_count,
                  assembly->joint_count,
                  assembly->body_count + assembly->joint_count,
                  assembly->block_count,
                  relax,
                  again,
                  assembly->body_count <= B2D_DIRECT_PENDULUM};
}

// Whether the bodies still have the velocities that the assembly left them with.
static bool is_solved(const task* t) {
    bool same = true;
    for (int32_t k = 0; k < t->body_count && same; k++) {
        const b2d_direct_body* body = &t->bodies[k];
        same = memcmp(&t->solver->states[body->id], &body->solved, offsetof(b2d_body_state, dx)) == 0;
    }
    return same;
}

// Assemblies that come one after the other and have the same plan and rows are solved in lanes.
typedef struct group {
    b2d_direct_assembly* lanes[B2D_DIRECT_WIDE];
    int32_t count;
} group;

static void solve_group(const b2d_solver* solver, group* g, bool relax, bool again) {
    const b2d_solver_kernels* kernels = g->count <= solver->kernels_of_four->direct_lanes    ? solver->kernels_of_four
                                        : g->count <= solver->kernels_of_eight->direct_lanes ? solver->kernels_of_eight
                                                                                             : solver->kernels;
    uint32_t left = (1u << g->count) - 1;
    if (g->count > 1) {
        left = kernels->direct(solver, (const b2d_direct_assembly* const*)g->lanes, g->count, relax, again);
        for (int32_t k = 0; k < g->count; k++) g->lanes[k]->fresh = true; // the scalar code has not seen this pass
    }
    for (; left != 0; left &= left - 1) {
        const task t = task_of(solver, g->lanes[b2d_ctz64(left)], relax, again);
        solve_assembly(&t);
        for (int32_t k = 0; k < t.joint_count && relax; k++)
            if (t.joints[k].lane_index != B2D_NONE) b2d_add_joint_load(solver, t.joints[k].lane_index);
    }
    g->count = 0;
}

static void add_to_group(const b2d_solver* solver, group* g, b2d_direct_assembly* assembly, bool relax, bool again) {
    const b2d_direct_assembly* first = g->lanes[0];
    if (g->count == solver->kernels->direct_lanes ||
        (g->count > 0 && (first->rows == 0 || first->shape != assembly->shape || first->rows != assembly->rows)))
        solve_group(solver, g, relax, again);
    g->lanes[g->count++] = assembly;
}

static b2d_direct_assembly* next_assembly(const b2d_direct* d, b2d_direct_assembly* last, int32_t seed) {
    if (last != NULL && last + 1 < d->assemblies + d->assembly_count && last[1].seed == seed) return last + 1;
    return find_assembly(d, seed);
}

void b2d_direct_pass(const b2d_solver* solver, int32_t pass, const int32_t* seeds, int32_t begin, int32_t end) {
    const bool relax = pass == B2D_PASS_RELAX, solve = relax || pass == B2D_PASS_SOLVE;
    const bool replayed = pass == B2D_PASS_SOLVE || (relax && solver->warm_starting);
    b2d_direct_assembly* assembly = NULL;
    group g = {.count = 0};
    for (int32_t k = begin; k < end; k++) {
        assembly = next_assembly(solver->direct, assembly, seeds[k]);
        const task t = task_of(solver, assembly, relax, false);
        if (solve && !assembly->begun) begin_step(&t);
        if (relax && assembly->pushes) withdraw_pushed(&t);
        assembly->pushes = false;
        assembly->share = 1.0;
        if (!relax) assembly->closing = false;
        if (solve) add_to_group(solver, &g, assembly, relax, false);
        else assembly->fresh = true, assembly->begun = false;
        for (int32_t j = 0; j < t.joint_count && pass == B2D_PASS_CLEAR; j++)
            if (solver->graph->joints[t.joints[j].id].lane_index != B2D_NONE)
                b2d_joint_clear_impulses(solver->graph, t.joints[j].id);
    }
    if (g.count > 0) solve_group(solver, &g, relax, false);
    for (int32_t k = begin; k < end && !replayed; k++) {
        assembly = next_assembly(solver->direct, assembly, seeds[k]);
        b2d_direct_body* bodies = solver->direct->bodies + assembly->first_body;
        for (int32_t i = 0; i < assembly->body_count; i++) memset(bodies[i].change, 0, sizeof bodies[i].change);
    }
}

void b2d_direct_again(const b2d_solver* solver, const int32_t* seeds, int32_t begin, int32_t end) {
    b2d_direct_assembly* assembly = NULL;
    group g = {.count = 0};
    for (int32_t k = begin; k < end; k++) {
        assembly = next_assembly(solver->direct, assembly, seeds[k]);
        const task t = task_of(solver, assembly, false, true);
        if (!is_solved(&t)) add_to_group(solver, &g, assembly, false, true);
    }
    if (g.count > 0) solve_group(solver, &g, false, true);
}

void b2d_direct_forget(const b2d_solver* solver, const int32_t* seeds, int32_t count) {
    b2d_direct_assembly* assembly = NULL;
    for (int32_t k = 0; k < count; k++) {
        assembly = next_assembly(solver->direct, assembly, seeds[k]);
        b2d_direct_body* body = solver->direct->bodies + assembly->first_body;
        for (int32_t left = assembly->body_count; left > 0; left--, body++)
            for (int32_t i = 0; i < 3; i++) body->change[i] *= b2d_repeated_share(solver, body->id);
    }
}
