// csrc/solver/impact_exact.c - the normal impulses of a round, where Gauss-Seidel does not converge.
//
// A sweep passes a heavy body's impulse on through a light one by about the ratio of their masses. So where the sweeps
// come to no end, the linear complementarity problem of all normals of the round is solved as a whole, by block
// principal pivoting: all rows of the wrong sign change between pushing and open, or the last one alone where their
// number does not fall (Judice and Pires, "A block principal pivoting algorithm for large-scale strictly monotone
// linear complementarity problems", 1994). The rows that push are one system, factored in envelope form; members are
// listed by a walk outwards, so the envelope is narrow.
// Rows of joints (impact_joints.c) have no bounds, and those of friction two.
// A body that meets fixed things alone is no such case: in wedges friction holds it too, and exact normals would take
// its part.
// Proof: tests/physics/test_bounces.py.
#include "solver/impact_exact.h"

#include <math.h>

enum {
    MOST_ROWS = 96, // larger rounds without joints keep what Gauss-Seidel found
    MOST_CELLS = 2048,
    PATIENCE = 8,     // pivots of all wrong rows at once that leave no fewer wrong ones
    MOST_PIVOTS = 200 // then Gauss-Seidel's result stays
};
_Static_assert((int)MOST_ROWS <= (int)B2D_EXACT_ROWS && (int)MOST_CELLS <= (int)B2D_EXACT_CELLS, "there is room");

// Of the diagonal, added to it: supports that are one too many share the load, and the factors exist. Rows miss their
// targets by this part of what their impulse alone would change; where that is beyond the tolerance, they contradict
// each other. Far above the rounding of float64, 1e-16, and 1e7 m/s are allowed at a tolerance of 1e-4 m/s.
#define COMPLIANCE 1.0e-11

static inline double dot3(const double a[3], const double b[3]) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }

void b2d_exact_change(b2d_exact* e, const b2d_exact_row* r, double impulse) {
    for (int32_t side = 0; side < 2; side++)
        for (int32_t i = 0; i < 3 && r->body[side] != B2D_NONE; i++)
            e->bodies[r->body[side]].change[i] += impulse * r->push[side][i];
}

double b2d_exact_excess(const b2d_exact* e, const b2d_exact_row* r) {
    double speed = -r->target;
    for (int32_t side = 0; side < 2; side++) {
        if (r->body[side] == B2D_NONE) continue;
        const b2d_exact_body* body = &e->bodies[r->body[side]];
        speed += dot3(r->j[side], body->free) + dot3(r->j[side], body->change);
    }
    return speed;
}

// The change of a row's speed by an impulse of another.
static double coupling(const b2d_exact_row* r, const b2d_exact_row* other) {
    double sum = 0.0;
    for (int32_t side = 0; side < 2; side++)
        for (int32_t k = 0; k < 2; k++)
            if (r->body[side] != B2D_NONE && r->body[side] == other->body[k]) sum += dot3(r->j[side], other->push[k]);
    return sum;
}

int32_t b2d_exact_body_of(b2d_exact* e, b2d_body_state* state) {
    int32_t k = 0;
    while (k < e->body_count && e->bodies[k].state != state) k++;
    if (k < e->body_count || k == e->most_rows) return k;
    const uint32_t locks = e->joints ? e->solver->steps[state - e->solver->states].flags : 0u;
    const double mass = (double)state->inverse_mass;
    e->bodies[e->body_count++] = (b2d_exact_body){
        .state = state,
        .first = e->row_count,
        .inverse = {locks & B2D_BODY_FLAG_LOCK_X ? 0.0 : mass, locks & B2D_BODY_FLAG_LOCK_Y ? 0.0 : mass,
                    locks & B2D_BODY_FLAG_LOCK_ROTATION ? 0.0 : (double)state->inverse_inertia},
        .free = {(double)state->vx, (double)state->vy, (double)state->w}};
    return k;
}

b2d_exact_row* b2d_exact_add(b2d_exact* e, b2d_body_state* const state[2], const bool moves[2], const double j[2][3],
                             double target) {
    if (e->row_count == e->most_rows) return NULL;
    b2d_exact_row* r = &e->rows[e->row_count];
    *r = (b2d_exact_row){.target = target, .first = e->row_count, .high = B2D_EXACT_FREE, .held = -1};
    for (int32_t side = 0; side < 2; side++) {
        r->body[side] = B2D_NONE;
        if (!moves[side]) {
            const b2d_body_state* still = state[side];
            r->target -= j[side][0] * (double)still->vx + j[side][1] * (double)still->vy +
                         j[side][2] * (double)still->w;
            continue;
        }
        r->body[side] = b2d_exact_body_of(e, state[side]);
        if (r->body[side] == e->most_rows) return NULL;
        b2d_exact_body* body = &e->bodies[r->body[side]];
        body->first = b2d_min_int(body->first, e->row_count);
        r->first = b2d_min_int(r->first, body->first);
        for (int32_t i = 0; i < 3; i++) r->j[side][i] = j[side][i], r->push[side][i] = body->inverse[i] * j[side][i];
    }
    if (e->cell_count + e->row_count + 1 - r->first > e->most_cells) return NULL;
    r->at = e->cell_count - r->first;
    e->cell_count += ++e->row_count - r->first;
    r->diagonal = (1.0 + COMPLIANCE) * coupling(r, r);
    return r;
}

b2d_exact_row* b2d_exact_add_contact(b2d_exact* e, const b2d_impact_row* from, float target, float* impulse) {
    b2d_body_state* const state[2] = {from->a, from->b};
    const bool moves[2] = {from->mass_a != 0.0f || from->turn_a != 0.0f, from->mass_b != 0.0f || from->turn_b != 0.0f};
    const double x = (double)from->dx, y = (double)from->dy,
                 j[2][3] = {{-x, -y, -(double)from->arm_a}, {x, y, (double)from->arm_b}};
    b2d_exact_row* r = b2d_exact_add(e, state, moves, j, (double)target);
    if (r == NULL) return NULL;
    r->impulse = impulse;
    if (*impulse > 0.0f) r->held = 0;
    b2d_exact_change(e, r, -(double)*impulse);
    return r;
}

// A row depends on those before it alone, so what comes before the first change of a state stays as it is. Rows of
// joints come first and hardly ever change.
static void factor(b2d_exact* e) {
    int32_t first = 0;
    while (first < e->factored && e->rows[first].in_factor == (e->rows[first].held == 0)) first++;
    for (int32_t i = first; i < e->row_count; i++) {
        b2d_exact_row* r = &e->rows[i];
        double* row = e->cells + r->at;
        r->in_factor = r->held == 0;
        for (int32_t c = r->first; c <= i; c++) {
            const b2d_exact_row* other = &e->rows[c];
            const double* column = e->cells + other->at;
            double sum = c == i;
            if (r->held == 0 && other->held == 0) {
                sum = c == i ? r->diagonal : coupling(r, other);
                for (int32_t k = b2d_max_int(r->first, other->first); k < c; k++) sum -= row[k] * column[k];
            }
            row[c] = c < i ? sum * column[c] : 1.0 / sqrt(fmax(sum, 1.0e-300));
        }
    }
    e->factored = e->row_count;
}

// Adds to the impulses what the rows that are not at a bound need to reach their targets.
static void correct(b2d_exact* e) {
    double x[B2D_EXACT_ROWS];
    for (int32_t i = 0; i < e->row_count; i++) {
        const b2d_exact_row* r = &e->rows[i];
        const double* row = e->cells + r->at;
        double sum = r->held == 0 ? -b2d_exact_excess(e, r) : 0.0;
        for (int32_t c = r->first; c < i; c++) sum -= row[c] * x[c];
        x[i] = sum * row[i];
    }
    for (int32_t i = e->row_count; i-- > 0;) {
        const b2d_exact_row* r = &e->rows[i];
        const double* row = e->cells + r->at;
        x[i] *= row[i];
        for (int32_t c = r->first; c < i; c++) x[c] -= row[c] * x[i];
    }
    for (int32_t i = 0; i < e->row_count; i++) {
        b2d_exact_row* r = &e->rows[i];
        if (r->held != 0) continue;
        r->found += x[i];
        b2d_exact_change(e, r, x[i]);
    }
}

// Finds the impulses of all rows, and gives them to the bodies.
static void find(b2d_exact* e) {
    factor(e);
    for (int32_t i = 0; i < e->row_count; i++) {
        b2d_exact_row* r = &e->rows[i];
        r->found = r->held == 0 ? 0.0 : (r->held < 0 ? r->low : r->high);
        if (r->held != 0) b2d_exact_change(e, r, r->found);
    }
    correct(e);
}

// Where a row belongs that is where it is now.
static int8_t next_of(const b2d_exact* e, const b2d_exact_row* r, double tolerance) {
    if (r->held == 0) {
        if ((r->found - r->low) * r->diagonal < -tolerance) return -1;
        return (r->high - r->found) * r->diagonal < -tolerance ? 1 : 0;
    }
    return r->low < r->high && r->held * b2d_exact_excess(e, r) > tolerance ? 0 : r->held;
}

// Writes where the rows belong. Returns how many are not there, and the last of them.
static int32_t find_wrong(const b2d_exact* e, double tolerance, int8_t* next, int32_t* last) {
    int32_t count = 0;
    for (int32_t i = 0; i < e->row_count; i++) {
        next[i] = next_of(e, &e->rows[i], tolerance);
        if (next[i] != e->rows[i].held) count++, *last = i;
    }
    return count;
}

// A load far out on an arm is great beside what the contact gives, and so is what the compliance takes of it; where
// joints take part, it is given back once.
bool b2d_exact_solve(b2d_exact* e, double tolerance) {
    int32_t fewest = INT32_MAX, patience = PATIENCE;
    for (int32_t k = 0; k < MOST_PIVOTS; k++) {
        int8_t next[B2D_EXACT_ROWS];
        int32_t last = 0;
        find(e);
        int32_t count = find_wrong(e, tolerance, next, &last);
        if (count == 0 && e->joints) correct(e), count = find_wrong(e, tolerance, next, &last);
        if (count == 0) {
            bool reached = true;
            for (int32_t i = 0; i < e->row_count; i++)
                reached = reached && (e->rows[i].held != 0 || b2d_exact_excess(e, &e->rows[i]) >= -tolerance);
            return reached;
        }
        patience = count < fewest ? PATIENCE : patience - 1;
        fewest = b2d_min_int(fewest, count);
        for (int32_t i = 0; i < e->row_count; i++) {
            b2d_exact_change(e, &e->rows[i], -e->rows[i].found);
            if (patience > 0 || i == last) e->rows[i].held = next[i];
        }
    }
    return false;
}

void b2d_exact_store(const b2d_exact* e) {
    for (int32_t k = 0; k < e->body_count; k++) {
        const b2d_exact_body* body = &e->bodies[k];
        body->state->vx = (float)(body->free[0] + body->change[0]);
        body->state->vy = (float)(body->free[1] + body->change[1]);
        body->state->w = (float)(body->free[2] + body->change[2]);
    }
}

bool b2d_impact_normals_solve(const b2d_impact_round* round) {
    b2d_exact e;
    b2d_exact_begin(&e, round->solver, MOST_ROWS, MOST_CELLS, false);
    for (int32_t k = 0; k < round->count; k++)
        for (int32_t j = 0; j < 2; j++) {
            b2d_impact_member* m = &round->members[k];
            if (!m->solved[j]) continue;
            const b2d_impact_row row = b2d_impact_member_row(round->solver, m, j, false);
            if (b2d_exact_add_contact(&e, &row, m->target[j], &m->normal[j]) == NULL) return false;
        }
    if (e.body_count < 2 || !b2d_exact_solve(&e, 0.1 * (double)round->tolerance)) return false;
    for (int32_t i = 0; i < e.row_count; i++) *e.rows[i].impulse = b2d_max((float)e.rows[i].found, 0.0f);
    b2d_exact_store(&e);
    return true;
}
