// csrc/solver/impact_exact.c - the normal impulses of a round, where Gauss-Seidel does not converge.
//
// A sweep passes a heavy body's impulse on through a light one by about the ratio of their masses. So where the sweeps
// come to no end, the linear complementarity problem of all normals of the round is solved as a whole, by block
// principal pivoting: all rows of the wrong sign change between pushing and open, or the last one alone where their
// number does not fall (Judice and Pires, "A block principal pivoting algorithm for large-scale strictly monotone
// linear complementarity problems", 1994). The rows that push are one system, factored in envelope form; members are
// listed by a walk outwards, so the envelope is narrow.
// A body that meets fixed things alone is no such case: in wedges friction holds it too, and exact normals would take
// its part.
// Proof: tests/physics/test_bounces.py.
#include "solver/impact_round.h"

#include <math.h>

enum {
    MOST_ROWS = 96, // larger rounds keep what Gauss-Seidel found
    MOST_CELLS = 2048,
    PATIENCE = 8,     // pivots of all wrong rows at once that leave no fewer wrong ones
    MOST_PIVOTS = 200 // then Gauss-Seidel's result stays
};

// Of the diagonal, added to it: supports that are one too many share the load, and the factors exist. Rows miss their
// targets by this part of what their impulse alone would change; where that is beyond the tolerance, they contradict
// each other. Far above the rounding of float64, 1e-16, and 1e7 m/s are allowed at a tolerance of 1e-4 m/s.
#define COMPLIANCE 1.0e-11

typedef struct exact_body {
    b2d_body_state* state;
    int32_t first; // its first row
    double free[3], change[3];
} exact_body;

typedef struct exact_row {
    float* impulse;
    double j[2][3], push[2][3]; // the speed by the velocities of the sides, and how an impulse changes these
    double target, diagonal, found;
    int32_t body[2];   // B2D_NONE: no impulse moves the side
    int32_t first, at; // the first row that it is coupled with, and the cell of that less `first`
    bool pushes;
} exact_row;

typedef struct exact {
    exact_row rows[MOST_ROWS];
    exact_body bodies[MOST_ROWS];
    double cells[MOST_CELLS]; // lower triangle, with the reciprocals of its diagonal
    int32_t row_count, body_count, cell_count;
} exact;

static inline double dot3(const double a[3], const double b[3]) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }

static void change(exact* e, const exact_row* r, double impulse) {
    for (int32_t side = 0; side < 2; side++)
        for (int32_t i = 0; i < 3 && r->body[side] != B2D_NONE; i++)
            e->bodies[r->body[side]].change[i] += impulse * r->push[side][i];
}

// How fast the sides part beyond the target.
static double excess(const exact* e, const exact_row* r) {
    double speed = -r->target;
    for (int32_t side = 0; side < 2; side++) {
        if (r->body[side] == B2D_NONE) continue;
        const exact_body* body = &e->bodies[r->body[side]];
        speed += dot3(r->j[side], body->free) + dot3(r->j[side], body->change);
    }
    return speed;
}

// The change of a row's speed by an impulse of another.
static double coupling(const exact_row* r, const exact_row* other) {
    double sum = 0.0;
    for (int32_t side = 0; side < 2; side++)
        for (int32_t k = 0; k < 2; k++)
            if (r->body[side] != B2D_NONE && r->body[side] == other->body[k]) sum += dot3(r->j[side], other->push[k]);
    return sum;
}

static int32_t find_body(exact* e, b2d_body_state* state) {
    int32_t k = 0;
    while (k < e->body_count && e->bodies[k].state != state) k++;
    if (k == e->body_count && k < MOST_ROWS)
        e->bodies[e->body_count++] = (exact_body){
            state, e->row_count, {(double)state->vx, (double)state->vy, (double)state->w}, {0.0, 0.0, 0.0}};
    return k;
}

// Returns false if there is no room.
static bool add_row(exact* e, const b2d_impact_row* from, float target, float* impulse) {
    if (e->row_count == MOST_ROWS) return false;
    exact_row* r = &e->rows[e->row_count];
    *r = (exact_row){.impulse = impulse, .target = (double)target, .first = e->row_count, .pushes = *impulse > 0.0f};
    for (int32_t side = 0; side < 2; side++) {
        const double sign = side ? 1.0 : -1.0, mass = (double)(side ? from->mass_b : from->mass_a),
                     j[3] = {sign * (double)from->dx, sign * (double)from->dy,
                             sign * (double)(side ? from->arm_b : from->arm_a)};
        b2d_body_state* state = side ? from->b : from->a;
        r->body[side] = B2D_NONE;
        if (mass == 0.0 && (side ? from->turn_b : from->turn_a) == 0.0f) { // what does not move
            r->target -= j[0] * (double)state->vx + j[1] * (double)state->vy + j[2] * (double)state->w;
            continue;
        }
        r->body[side] = find_body(e, state);
        if (r->body[side] == MOST_ROWS) return false;
        r->first = b2d_min_int(r->first, e->bodies[r->body[side]].first);
        for (int32_t i = 0; i < 3; i++)
            r->j[side][i] = j[i], r->push[side][i] = (i < 2 ? mass : (double)state->inverse_inertia) * j[i];
    }
    r->at = e->cell_count - r->first;
    e->cell_count += ++e->row_count - r->first;
    r->diagonal = (1.0 + COMPLIANCE) * coupling(r, r);
    change(e, r, -(double)*impulse);
    return e->cell_count <= MOST_CELLS;
}

static void factor(exact* e) {
    for (int32_t i = 0; i < e->row_count; i++) {
        const exact_row* r = &e->rows[i];
        double* row = e->cells + r->at;
        for (int32_t c = r->first; c <= i; c++) {
            const exact_row* other = &e->rows[c];
            const double* column = e->cells + other->at;
            double sum = c == i ? r->diagonal : coupling(r, other);
            if (!r->pushes || !other->pushes) sum = c == i;
            else
                for (int32_t k = b2d_max_int(r->first, other->first); k < c; k++) sum -= row[k] * column[k];
            row[c] = c < i ? sum * column[c] : 1.0 / sqrt(fmax(sum, 1.0e-300));
        }
    }
}

// Finds the impulses with which the rows that push reach their targets, and gives them to the bodies.
static void find(exact* e) {
    factor(e);
    for (int32_t i = 0; i < e->row_count; i++) {
        exact_row* r = &e->rows[i];
        const double* row = e->cells + r->at;
        double x = r->pushes ? -excess(e, r) : 0.0;
        for (int32_t c = r->first; c < i; c++) x -= row[c] * e->rows[c].found;
        r->found = x * row[i];
    }
    for (int32_t i = e->row_count; i-- > 0;) {
        exact_row* r = &e->rows[i];
        const double* row = e->cells + r->at;
        r->found *= row[i];
        for (int32_t c = r->first; c < i; c++) e->rows[c].found -= row[c] * r->found;
    }
    for (int32_t i = 0; i < e->row_count; i++) change(e, &e->rows[i], e->rows[i].found);
}

// Returns whether the rows that push and those that are open have been found; the bodies have the impulses then.
static bool pivot(exact* e, double tolerance) {
    int32_t fewest = INT32_MAX, patience = PATIENCE;
    for (int32_t k = 0; k < MOST_PIVOTS; k++) {
        bool wrong[MOST_ROWS];
        int32_t count = 0, last = 0;
        find(e);
        for (int32_t i = 0; i < e->row_count; i++) {
            const exact_row* r = &e->rows[i];
            wrong[i] = (r->pushes ? r->found * r->diagonal : excess(e, r)) < -tolerance;
            if (wrong[i]) count++, last = i;
        }
        if (count == 0) {
            bool reached = true;
            for (int32_t i = 0; i < e->row_count; i++) reached = reached && excess(e, &e->rows[i]) >= -tolerance;
            return reached;
        }
        patience = count < fewest ? PATIENCE : patience - 1;
        fewest = b2d_min_int(fewest, count);
        for (int32_t i = 0; i < e->row_count; i++) {
            change(e, &e->rows[i], -e->rows[i].found);
            if (wrong[i] && (patience > 0 || i == last)) e->rows[i].pushes = !e->rows[i].pushes;
        }
    }
    return false;
}

bool b2d_impact_normals_solve(const b2d_impact_round* round) {
    exact e;
    e.row_count = e.body_count = e.cell_count = 0;
    for (int32_t k = 0; k < round->count; k++)
        for (int32_t j = 0; j < 2; j++) {
            b2d_impact_member* m = &round->members[k];
            if (!m->solved[j]) continue;
            const b2d_impact_row row = b2d_impact_member_row(round->solver, m, j, false);
            if (!add_row(&e, &row, m->target[j], &m->normal[j])) return false;
        }
    if (e.body_count < 2 || !pivot(&e, 0.1 * (double)round->tolerance)) return false;
    for (int32_t i = 0; i < e.row_count; i++) *e.rows[i].impulse = b2d_max((float)e.rows[i].found, 0.0f);
    for (int32_t k = 0; k < e.body_count; k++) {
        exact_body* body = &e.bodies[k];
        body->state->vx = (float)(body->free[0] + body->change[0]);
        body->state->vy = (float)(body->free[1] + body->change[1]);
        body->state->w = (float)(body->free[2] + body->change[2]);
    }
    return true;
}
