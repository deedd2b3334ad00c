// csrc/solver/press.h - presses: light bodies between heavy ones and what carries them, solved as a whole.
//
// Idea: sequential impulses move a load through a contact by about the mass of its lighter body in each pass. Under a
// much heavier body the contacts therefore act like springs: the heavy body sinks in and is thrown back, whatever their
// restitution. A press is such a heavy body with the bodies that it presses, directly, through others or by joints;
// motors, springs and forces press as weights do (press_loads.c). All of its contacts and joints (press_joints.c) are
// solved together: the velocities v minimise the convex function
//   1/2 (v - v0)^T M (v - v0) + sum over normals 1/(2 g) min(0, J v + b)^2 + sum over tangents huber(J v - belt)
// and the like for rows of joints, with the velocities v0 without all that, masses M, directions J, biases b and a
// compliance g that is next to nothing; huber is quadratic up to the limit of Coulomb's friction and linear beyond
// it. The gradient is 0 where each impulse fits its contact, so the minimum is the state that passes without end
// would reach. Newton's method with an exact line search finds it; the matrix is factored in envelope form (George
// and Liu, "Computer Solution of Large Sparse Positive Definite Systems", 1981), in the order of a breadth-first
// walk.
// While a press exists its contacts are switched off in their lanes, so that the other passes change nothing there.
// Cost: next to nothing without contacts of unlike masses, laden bodies, joints or forces; for a press of n bodies in
// rows of w about n w^2 / 100 us a step.
// Threads: a press is in one task. All arithmetic is in float64.
// Proof: tests/physics/test_presses.py, test_machines.py, test_pressed_by_forces.py.
#pragma once
#include "solver/solver.h"

// A contact of two moving bodies may be heavy where their masses differ by this factor: as the first in an impact, as
// the second under a load. Below them, sequential impulses return less than 4 % of the height of a drop from up to 15 m
// (tests/physics/test_presses.py), and loads come to rest.
#define B2D_UNLIKE_MASSES 2.5f
#define B2D_LOAD_MASSES   4.0f

typedef struct b2d_press b2d_press;
typedef struct b2d_presses {
    b2d_press* rows;
    int32_t count;
} b2d_presses;

static inline bool b2d_are_unlike(const b2d_body_state* states, int32_t a, int32_t b) {
    const float x = states[a].inverse_mass, y = states[b].inverse_mass;
    return x > 0.0f && y > 0.0f && (x >= B2D_UNLIKE_MASSES * y || y >= B2D_UNLIKE_MASSES * x);
}

// A body is laden if joints connect it with one of so many times its mass, in an assembly of B2D_MOST_PRESSED bodies at
// most. Ragdolls have less, and are to stay cheap. The plan of the direct solver notes it (direct_plan.c).
#define B2D_LADEN_RATIO 5.0f
enum { B2D_MOST_PRESSED = 96 }; // bodies of a press

// Whether a contact of two bodies may be part of a press.
static inline bool b2d_may_press(const b2d_graph* graph, const b2d_body_state* states, int32_t a, int32_t b) {
    return ((graph->bodies[a].flags | graph->bodies[b].flags) & B2D_BODY_FLAG_LADEN) != 0 ||
           b2d_are_unlike(states, a, b);
}

// Finds the presses of the step and switches their contacts off in the lanes. False: no memory, and nothing is changed.
bool b2d_presses_begin(const b2d_solver* solver, b2d_presses* presses);
void b2d_presses_end(const b2d_solver* solver, b2d_presses* presses); // writes the contacts back into their lanes
b2d_press* b2d_press_at(const b2d_presses* presses, int32_t k);
int32_t b2d_press_body(const b2d_press* press);                                // some body of it
void b2d_press_pass(const b2d_solver* solver, b2d_press* press, int32_t pass); // solve, relax; any pass before: nothing
void b2d_press_forget(const b2d_solver* solver,
                      b2d_press* press); // its bodies repeat shares of their changes: machine.h
