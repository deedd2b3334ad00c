// csrc/solver/direct.h - the direct solver, for assemblies of joints that carry much more than their own bodies.
//
// Idea: an assembly is a tree (or nearly a tree) of bodies that are connected by joints. If it spans two fixed points,
// or one of its joints carries much more than its lighter body, because the assembly is long or its masses differ,
// sequential impulses converge too slowly. Then the velocities v and impulses l of the whole assembly come from one
// linear system
//   [ M  J^T ] [ v ]   [ M v0 ]
//   [ J  -G  ] [-l ] = [  -b  ]
// with masses M, Jacobian J, biases b and softness G > 0. The matrix is quasidefinite, so L D L^T exists in every
// order of elimination (Vanderbei, "Symmetric quasidefinite matrices", 1995). A tree that is eliminated from the
// leaves to the root has no fill-in, so the cost is linear in its size (Baraff, "Linear-time dynamics using Lagrange
// multipliers", 1996). Limits and motors that are at their bounds leave the system; a few rounds of principal
// pivoting find this active set.
// The user may ask for it or refuse it (joint_solver).
// Many worlds in one have the same assembly again and again, with the same order of elimination. A pass solves as many
// of them at once as a register has doubles, one in each lane (direct_wide.inl). It makes the same operations in the
// same order, so the bits are those of an assembly by itself. It leaves rare cases to the scalar code.
// Cost: nothing in worlds without such joints; 0.2 us for each joint and pass of an assembly, a quarter in 8 lanes.
// Threads: an assembly is one task.
// Proof: tests/physics/test_mass_ratios.py, test_deep_assemblies.py, test_joint_cliffs.py, tests/oracle/test_direct.py.
#pragma once
#include "solver/solver.h"

// Load of a joint above which its assembly is solved directly: what the joint carries (masses, or inertias where it
// holds the angle) over that of its lighter body. A sequential row of 60 hertz stretches by 0.07 mm under gravity for
// each unit of load. What something fixed holds carries its load for ever; a free assembly carries one in impacts and
// on supports, and ragdolls, which have 1 to 3, are to stay cheap. Inertias, which bend a beam, have the lower bound.
#define B2D_HIGH_HELD_LOAD 2.0
#define B2D_HIGH_FREE_LOAD 5.0
// A body's shares of the inverse masses of its rigid joints, in all: one pass a substep over more than 4.5 sequential
// rows that share a body so does not settle, and they throw it about. Hubs of a quarter to four times the mass of their
// spokes and 1 to 8 substeps have bounds of 4.5 to 4.8. Of equal masses it is 9 joints on a body.
#define B2D_CROWDED        4.25
// A motor of this share of the moment of weight, or less, does not make a pendulum another one. As a brake it takes a
// quarter of the fall in 20 s; sequential rows of two arms lose 9 %.
#define B2D_WEAK_MOTOR     0.01
#define B2D_HEAVY_CONTACT  15.0 // a touching body of more than so many masses loads the joints of the other
#define B2D_CLOSED_RANGE   0.1f // rad: limits that are closer than this hold the angle as a weld does
enum {
    B2D_DIRECT_BODIES = 2048, // of an assembly; a larger one is solved by sequential impulses
    B2D_DIRECT_WIDTH = 24,    // nodes that one elimination may couple; loops couple more nodes
    B2D_DIRECT_COST = 16,     // pairs of coupled nodes for each node, on average, that pay without the user's wish
    B2D_DIRECT_PENDULUM = 4,  // bodies of a free pendulum or linkage, which counts with its rotation to keep its energy
    B2D_DIRECT_WIDE = 8,      // bodies of an assembly that is solved in lanes, at most; and lanes
    B2D_DIRECT_ROWS = 7,      // of a joint, at most: a slide has four along, one across and two about the angle
};

#define B2D_DIRECT_RIGID      1.0e-9 // softness of a rigid row over its inverse mass; keeps the matrix quasidefinite
#define B2D_DIRECT_LARGEST    3.0e38 // an impulse that still fits in float32
// m/s, rad/s: a row at a bound becomes free when its speed has the wrong sign by more than this
#define B2D_DIRECT_FREE_SPEED 1.0e-7
enum { B2D_DIRECT_BOLD_ROUNDS = 5 }; // of the active set: first with all changes at once, then with one change each

typedef struct b2d_direct_row { // its impulse lambda is within [low, high]
    float* impulse;             // in the joint's lane; NULL: the impulse is not kept
    float sign;                 // of that impulse along the direction
    int8_t held;                // -1, 1: at the lower or upper bound; 0: free
    bool springs;               // a spring: its softness multiplies the impulse of the whole substep
    bool rigid;                 // so it does no work
    double bias, softness;      // speed + bias + softness * lambda = 0 while free
    double low, high, lambda;
} b2d_direct_row;

typedef struct b2d_direct_direction { // up to three for each joint: x, y, angle or along, across, angle
    double n[2];                      // its linear impulse on side B
    double j[2][3];                   // speed of its coordinate by the velocities (x, y, angular) of sides A and B
    double known;                     // speed from bodies and axes that no impulse moves
    double yield;                     // softness of rigid rows and limits in an assembly with loops
    double inverse_mass;              // of the two bodies without the other joints; 0: the direction is off
    double at;                        // the coordinate itself
    double softness, bias, held;      // of its free rows together; impulse of the rows at bounds
    int32_t first, count;             // rows
} b2d_direct_direction;

typedef struct b2d_direct_joint {
    int32_t id, position; // in elimination order
    int32_t lane_index;   // of this step, B2D_NONE: there was no memory for its lane
    double loose;         // of this step: softness of rigid rows in the solve pass, over the inverse mass
    int32_t body[2];      // sides A and B: indices in the assembly, B2D_NONE for a body that joints do not move
    int32_t block[2];     // where the Jacobians are: indices of the assembly's blocks
    bool closes;          // it closes a loop, so its rows may be redundant
    bool turns;           // its rows act at points, so tension acts on its bodies as on pendulums
    bool lasts;           // until a body moves, only impulses change its rows
    bool still[2];        // no impulse moves an axis of this side
    float place[2][6];    // for which the directions are: motion of the sides, and velocity of one that stays
    double lever[2][2];   // from the centres of mass
    b2d_direct_direction directions[3];
    b2d_direct_row rows[B2D_DIRECT_ROWS];
    double pushed[B2D_DIRECT_ROWS]; // part of their impulses that the bounded correction has
    int32_t row_count;
} b2d_direct_joint;

typedef struct b2d_direct_body {
    // A pass in lanes reads the first eight numbers as a row, and the state as another one.
    // Change of its velocity by the assembly in this substep; the warm start of the next substep replays it
    double change[3];
    double most;           // rad/s, with which rows count: a substep turns the body by no more
    double mass[3];        // 0: no impulse moves this axis
    double extent;         // m, of its shapes from the centre of mass
    b2d_body_state solved; // as the last pass left it, up to inverse_mass
    int32_t id, position;
    float angle; // of this rotation
    b2d_rot rotation;
    double spin;    // rad/s, at the start of the step
    double kick[3]; // change of velocity by gravity and forces in a substep, unless it is that of the assembly
    double velocity[3];
    double expected[3];  // velocity after the pass, as far as it is known
    double corrected[3]; // velocity with the whole correction of errors of position
    double pushed[3];    // by the correction that the push speed bounds
    double stiffness;    // geometric stiffness about the angle, as the inertia that keeps the step stable
    double had;          // held inertia of the round before
} b2d_direct_body;

typedef struct b2d_direct_node { // by elimination position
    int32_t index;               // of a body, or ~index of a joint
    int32_t first, count;        // blocks of its column
    double diagonal[3];          // of the matrix; of a joint its softness, 0: the direction is off
    double pivot[9], x[3];       // row-major, the inverse once it is eliminated; solution
} b2d_direct_node;

typedef struct b2d_direct_block { // the block of a column and a row, column < row
    int32_t row;
    double a[9];
} b2d_direct_block;

typedef struct b2d_direct_assembly { // in ascending order of their seeds
    int32_t seed;                    // the lowest id of its joints
    bool loops;                      // some joint closes a loop
    bool truss;                      // of this step: a small assembly with loops that is no machine of one motion
    bool begun;                      // masses, spins and `rows` are those of this step
    bool fresh;                      // directions are not known
    bool anew;                       // a relax pass begins without the impulses of the solve pass (held presses)
    bool closing;                    // its correction was bounded in this substep
    bool pushes;                     // that is to be withdrawn
    bool factored;                   // the nodes have the factors of the last matrix
    int32_t root;                    // the joint of a small tree to something fixed, or B2D_NONE
    bool keeps;                      // its energy, in this step
    double kick[2];                  // of bodies on which nothing but gravity acts, if that is so for all
    bool plain;                      // that is so
    bool touches;                    // something, in this step: contacts may give energy, so none is given back
    double inverse_mean[2];          // of the masses and of the inertias of its bodies
    double share;                    // of the speed that corrects errors of position
    // For passes in lanes: the first of several successive assemblies with the same plan, or B2D_NONE; which rows the
    // joints have, B2D_DIRECT_*_ROW for each, or 0
    int32_t shape;
    uint64_t rows;
    int32_t first_body, body_count, first_joint, joint_count, first_node, first_block, block_count;
} b2d_direct_assembly;

enum { // bits of `rows`; WIDE is set if the assembly can be solved in a lane
    B2D_DIRECT_ANGLE = 1,
    B2D_DIRECT_SPRING_ROW = 2,
    B2D_DIRECT_MOTOR_ROW = 4,
    B2D_DIRECT_LIMIT_ROWS = 8,
    B2D_DIRECT_RIGID_ROW = 16,
    B2D_DIRECT_STILL = 32, // side B is static and moves in no pass
    B2D_DIRECT_ROW_BITS = 6,
};
#define B2D_DIRECT_IN_LANE (1ull << 63)
#define B2D_DIRECT_KEEPS   (1ull << 62) // its energy

typedef struct b2d_direct {
    bool stale;       // a joint of the plan has gone
    bool all_changed; // all assemblies are to be judged again
    int32_t* changed; // bodies whose joints or masses changed since the plan was made; ids may repeat or have gone
    int32_t changed_count, changed_capacity;
    int32_t looped_count; // bodies with B2D_BODY_FLAG_LOOPED, B2D_NONE: not counted yet
    b2d_direct_assembly* assemblies;
    b2d_direct_body* bodies;
    b2d_direct_joint* joints;
    b2d_direct_node* nodes;
    b2d_direct_block* blocks;
    int32_t assembly_count, body_count, joint_count, node_count, block_count;
    int32_t assembly_capacity, body_capacity, joint_capacity, node_capacity, block_capacity;
} b2d_direct;

// Whether contact with `other` may load the joints of `body` so much that they are to be solved directly.
static inline bool b2d_direct_loads(const b2d_graph* graph, const b2d_body_state* states, int32_t body, int32_t other) {
    return graph->bodies[body].joint_head != B2D_NONE && states[other].inverse_mass > 0.0f &&
           (double)states[body].inverse_mass > B2D_HEAVY_CONTACT * (double)states[other].inverse_mass;
}

// direct_plan.c: which joints are solved directly, and in which order. Serial.
bool b2d_direct_suits(const b2d_graph* graph, int32_t joint);    // whether all its rows can be solved directly
uint32_t b2d_direct_kind(const b2d_graph* graph, int32_t joint); // what the plan depends on
void b2d_direct_touch(b2d_memory* memory, b2d_direct* direct, int32_t body); // its joints or masses changed
static inline bool b2d_direct_changed(const b2d_direct* direct) {
    return direct->stale || direct->all_changed || direct->changed_count > 0;
}
bool b2d_direct_plan(const b2d_solver* solver); // after changes; false: no memory, and the changes stay

// direct_rows.c: reads the rows from a joint's lane and writes the impulses back. `relax`: without bias, in addition to
// the stored impulses.
// The directions are kept while the bodies stay where they are: in the three passes between two motions. Returns
// whether they are new; in a fresh assembly they are.
// In an assembly of at most B2D_DIRECT_PENDULUM bodies rigid rows of the solve pass count with the rotation of the
// anchors during the substep, so that they hold where it ends. With the relax pass that is the method of Andersen
// ("Rattle", 1983): fast machines stay together, and trees and linkages, which take the rotation that was found, keep
// their energy. In long chains the rotation changes too much within a substep, and the method creates energy.
// They count with no more rotation than the motion makes: contacts may spin a light body that is caught between heavy
// ones by radians in a substep, and holding anchors at the end of that would throw the heavy ones away.
// Every row starts where its stored impulse is: at a bound, or free.
bool b2d_direct_fill(const b2d_solver* solver, const b2d_direct_assembly* assembly, const b2d_direct_body* bodies,
                     b2d_direct_joint* joint, bool relax);
void b2d_direct_start(b2d_direct_joint* joint, bool relax);
// Adds the inertia that the joint's tension requires; the tension is that of the stored impulses or of those just
// found. A body under tension is a pendulum of stiffness r . force about its own angle, and the step is stable only
// while h^2 r . force is below four times the inertia (Andrews, Teichmann and Kry, "Geometric stiffness for real-time
// constrained multibody dynamics", 2017; in the plane a point constraint has no other geometric stiffness).
void b2d_direct_stiffen(double h, b2d_direct_body* bodies, const b2d_direct_joint* joint, bool stored);
void b2d_direct_combine(b2d_direct_joint* joint);
// Returns whether a row changed its state; `one`: it stops after the first change
bool b2d_direct_pivot(b2d_direct_joint* joint, const double speed[3], const double total[3], bool one);
void b2d_direct_store(b2d_direct_joint* joint, bool relax);

void b2d_direct_begin(const b2d_solver* solver, b2d_direct_joint* joint); // a step
int32_t b2d_direct_rigid_rows(const b2d_solver* solver, const b2d_direct_joint* joint);
// Whether its rows do no work, but for those about the angle and along fixed axes, whose directions do not change.
bool b2d_direct_works_by_angle(const b2d_solver* solver, const b2d_direct_joint* joint);
// Which rows the joint has; false: it is not solved in a lane.
bool b2d_direct_rows_of(const b2d_solver* solver, const b2d_direct_joint* joint, uint32_t* rows);

// direct_energy.c: after the relax pass of a small tree that something fixed holds, its velocities are scaled about the
// motion of what holds it, so that its rigid rows have done no work in the substep. The method of Andersen keeps nearly
// the energy only while the fastest motion has many substeps. A light arm between heavy ones whips round in three, and
// each time leaves some energy too much or too little. With velocities v0 at the start and v1 at the end of a substep,
// the kick k by gravity and forces, and the changes a by the solve pass and b by the relax pass, the energy changes by
//   sum m (a . (v0 + v1) + b . (v0 + 2 k + v1)) / 2.
// Of this a . v0 is what a stop takes (joints that are struck, or whose bodies were given speeds that disagree), and
// b . v1 is 0. Rows that may do work, as springs, motors and limits, keep theirs.
void b2d_direct_keep_energy(const b2d_solver* solver, const b2d_direct_assembly* assembly,
                            const b2d_direct_body* bodies, const b2d_direct_joint* joints, b2d_direct_node* nodes);
// Adds the motion that the base, which does not stay, gives to the place of a body.
void b2d_direct_base_motion(const b2d_solver* solver, int32_t base, int32_t body, double motion[3]);

// direct_solve.c: writes the seeds of the awake assemblies in ascending order and returns their number. A pass over
// some of them: solve, relax, or any pass before these.
int32_t b2d_direct_awake(const b2d_solver* solver, int32_t* seeds);
void b2d_direct_pass(const b2d_solver* solver, int32_t pass, const int32_t* seeds, int32_t begin, int32_t end);
// The solve pass once more, after the contacts, of those whose velocities have changed: where a contact carries a heavy
// body, the joints hold at the end of the substep, and the contact receives what the joints cannot carry.
void b2d_direct_again(const b2d_solver* solver, const int32_t* seeds, int32_t begin, int32_t end);
// Their bodies repeat shares of their changes: machine.h
void b2d_direct_forget(const b2d_solver* solver, const int32_t* seeds, int32_t count);
