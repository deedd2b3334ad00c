// csrc/solver/impact_exact.h - rows of an impact that are solved as a whole: impact_exact.c has the method.
#pragma once
#include "solver/impact_round.h"

enum {
    B2D_EXACT_ROWS = 160,
    B2D_EXACT_CELLS = 4096, // of the lower triangle
};
#define B2D_EXACT_FREE 1.0e300 // an impulse without a bound

typedef struct b2d_exact_body {
    b2d_body_state* state;
    int32_t first; // its first row
    double inverse[3], free[3], change[3];
} b2d_exact_body;

typedef struct b2d_exact_row {
    double j[2][3], push[2][3]; // the speed by the velocities of the sides, and how an impulse changes these
    double target, diagonal, low, high, found;
    double wanted;     // m/s, with which a point that hits leaves: the target without what does not move
    double before;     // m/s beyond the target when the joints are at rest, without the contacts
    float* impulse;    // NULL: a row of a joint
    float grip;        // of friction, the limit over the impulse of the row before it; 0: it is none
    bool hit;          // a normal that bounces
    bool in_factor;    // it is no unit row there
    int32_t body[2];   // B2D_NONE: no impulse moves the side
    int32_t first, at; // the first row that it is coupled with, and the cell of that less `first`
    int32_t lane;      // of the joint
    int8_t held;       // -1, 1: at the lower or the upper bound; 0: it reaches its target
} b2d_exact_row;

typedef struct b2d_exact {
    const b2d_solver* solver;
    b2d_exact_row rows[B2D_EXACT_ROWS];
    b2d_exact_body bodies[B2D_EXACT_ROWS];
    double cells[B2D_EXACT_CELLS]; // lower triangle, with the reciprocals of its diagonal
    int32_t row_count, body_count, cell_count;
    int32_t factored; // rows
    int32_t most_rows, most_cells;
    bool joints; // they take part; bodies keep to their locked axes then
} b2d_exact;

static inline void b2d_exact_begin(b2d_exact* e, const b2d_solver* solver, int32_t rows, int32_t cells, bool joints) {
    e->solver = solver, e->most_rows = rows, e->most_cells = cells, e->joints = joints;
    e->row_count = e->body_count = e->cell_count = e->factored = 0;
}

// Returns its index; `most_rows`: there is no room.
int32_t b2d_exact_body_of(b2d_exact* e, b2d_body_state* state);
// Adds a row that pushes only, without an impulse. NULL: there is no room.
b2d_exact_row* b2d_exact_add(b2d_exact* e, b2d_body_state* const state[2], const bool moves[2], const double j[2][3],
                             double target);
b2d_exact_row* b2d_exact_add_contact(b2d_exact* e, const b2d_impact_row* from, float target, float* impulse);
// How fast the sides part beyond the target.
double b2d_exact_excess(const b2d_exact* e, const b2d_exact_row* row);
void b2d_exact_change(b2d_exact* e, const b2d_exact_row* row, double impulse);
// Finds which rows are at their bounds; the bodies have the impulses then. False: it has not found them.
bool b2d_exact_solve(b2d_exact* e, double tolerance);
void b2d_exact_store(const b2d_exact* e); // the velocities
