// csrc/solver/direct.h - joints of assemblies with large mass ratios, solved directly instead of by sequential
// impulses.
//
// Idea: an assembly is the tree (or nearly) of bodies that joints hold together. Where one of its joints is high_mass_ratio
// (masses more than 30 : 1) and its lighter body carries something by another, sequential impulses converge too slowly,
// so velocities v and impulses l of the whole assembly come from
//   [ M  J^T ] [ v ]   [ M v0 ]
//   [ J  -G  ] [-l ] = [  -b  ]
// with masses M, Jacobian J, biases b and softness G > 0. The matrix is quasidefinite: L D L^T exists in every
// elimination order (Vanderbei, "Symmetric quasidefinite matrices", 1995). From the leaves to the root a tree has no
// fill-in, so the cost is linear in its size (Baraff, "Linear-time dynamics using Lagrange multipliers", 1996). Limits
// and motors at their bounds leave the system: an active set is found by a few rounds of principal pivoting.
// Cost: nothing in worlds without high_mass_ratio joints; 0.3 us a joint and pass in an assembly. Threads: an assembly is one
// task.
// Proof: tests/physics/test_mass_ratios.py, tests/oracle/test_direct.py.
#pragma once
#include "solver/solver.h"

#define B2D_STEEP_RATIO 30.0f // of the masses of two jointed bodies; above it their assembly is solved directly
enum {
    B2D_DIRECT_BODIES = 2048, // of an assembly; a larger one stays iterative
    B2D_DIRECT_WIDTH = 24,    // nodes that one elimination may couple; a net with more loops stays iterative
    B2D_DIRECT_ROWS = 7,      // of a joint, at most: a slide has four along, one across and two about the angle
};

typedef struct b2d_direct_row { // its impulse lambda is within [low, high]
    float* impulse;             // in the joint's lane; NULL: none is kept
    float sign;                 // of that impulse along the direction
    int8_t held;                // -1, 1: at the lower or upper bound; 0: free
    bool springs;               // softness counts the impulse of the whole substep
    double bias, softness;      // speed + bias + softness * lambda = 0 while free
    double low, high, lambda;
} b2d_direct_row;

typedef struct b2d_direct_direction { // up to three a joint: x, y, angle or along, across, angle
    double n[2];                      // its linear impulse on side B
    double j[2][3];                   // speed of its coordinate by the velocities (x, y, angular) of sides A and B
    double known;                     // speed that comes from bodies or axes that do not yield
    double inverse_mass;              // of the two bodies by themselves; 0: the direction is off
    double softness, bias, held;      // of its free rows together; impulse of the held ones
    int32_t first, count;             // rows
} b2d_direct_direction;

typedef struct b2d_direct_joint {
    int32_t id, position; // in elimination order
    int32_t body[2];      // sides A and B: of the assembly's bodies, B2D_NONE when not moved by joints
    int32_t block[2];     // where the Jacobians are: of the assembly's blocks
    bool closes;          // a loop: its rows may be redundant
    bool turns;           // under tension its anchors pull like pendulums
    double lever[2][2];   // from the centres of mass
    b2d_direct_direction directions[3];
    b2d_direct_row rows[B2D_DIRECT_ROWS];
    int32_t row_count;
} b2d_direct_joint;

typedef struct b2d_direct_body {
    int32_t id, position;
    // Of its velocity by the assembly in this substep, which the next one's replay repeats
    double change[3];
    double velocity[3], mass[3]; // mass 0: the axis does not yield
    double stiffness;            // geometric, about the angle: inertia that keeps a step of it stable
} b2d_direct_body;

typedef struct b2d_direct_node { // by elimination position
    int32_t index;               // of a body, or ~index of a joint
    int32_t first, count;        // blocks of its column
    double pivot[9], x[3];       // row-major; solution
} b2d_direct_node;

typedef struct b2d_direct_block { // of column and row, column < row
    int32_t row;
    double a[9];
} b2d_direct_block;

typedef struct b2d_direct_assembly { // in the order of their seeds
    int32_t seed;                    // its lowest high_mass_ratio joint under load
    int32_t first_body, body_count, first_joint, joint_count, first_node, first_block, block_count;
} b2d_direct_assembly;

typedef struct b2d_direct {
    bool stale;              // joints, masses or types changed since the plan was made
    int32_t high_mass_ratio; // joints with a mass ratio above B2D_STEEP_RATIO
    b2d_direct_assembly* assemblies;
    b2d_direct_body* bodies;
    b2d_direct_joint* joints;
    b2d_direct_node* nodes;
    b2d_direct_block* blocks;
    int32_t assembly_count, body_count, joint_count, node_count, block_count;
    int32_t assembly_capacity, body_capacity, joint_capacity, node_capacity, block_capacity;
} b2d_direct;

// direct_plan.c: which joints, in which order. Serial.
bool b2d_direct_suits(const b2d_graph* graph, int32_t joint); // all its rows can be solved directly
bool b2d_direct_plan(const b2d_solver* solver);               // anew; false: no memory, and it stays stale
void b2d_direct_free(b2d_memory* memory, b2d_direct* direct);

// direct_rows.c: from the lane of a joint to rows, and impulses back. `relax`: without bias, on top of the impulses
// there are.
void b2d_direct_fill(const b2d_solver* solver, const b2d_direct_body* bodies, b2d_direct_joint* joint, bool relax);
// Adds what the joint's tension, stored or just found, needs as inertia. About its own angle a body under tension is a
// pendulum of stiffness r . force, stable only while h^2 r . force stays below four times its inertia (Andrews,
// Teichmann and Kry, "Geometric stiffness for real-time constrained multibody dynamics", 2017; in the plane a point has
// no other).
void b2d_direct_stiffen(double h, b2d_direct_body* bodies, const b2d_direct_joint* joint, bool stored);
void b2d_direct_combine(b2d_direct_joint* joint);
// Whether a row changed its state
bool b2d_direct_pivot(b2d_direct_joint* joint, const double speed[3], const double total[3], bool one);
void b2d_direct_store(b2d_direct_joint* joint, bool relax);

// direct_solve.c: the seeds of awake assemblies, ascending; how many. A pass of some: solve, relax, or any other before
// the first.
int32_t b2d_direct_awake(const b2d_solver* solver, int32_t* seeds);
void b2d_direct_pass(const b2d_solver* solver, int32_t pass, const int32_t* seeds, int32_t begin, int32_t end);
