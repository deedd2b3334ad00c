// csrc/solver/press_parts.h - what a press consists of.
//
// A joint in a press has the rows that the direct solver would give it (direct_rows.c), springs too: they are soft
// rows, so Hooke's law holds however much is on them. Their impulses are those beyond the joint's own pass. Only under
// what lies on a machine that is held, a directly solved joint gets its whole impulse here: a bridge is pulled taut,
// and what its own solution gave along the directions of the soft pass would be left over in the relax pass. So a
// machine that lands on a light foot is stopped as a whole, however its joints are solved otherwise. Rows in the plane
// (motor and mover joints), which bound the length of a force, stay in their own pass, as do gears on moving bases.
#pragma once
#include "solver/direct.h"
#include "solver/press.h"

typedef struct b2d_pressed_body {
    int32_t id, first;               // first body whose velocity is coupled with that of this one in the factors
    double mass[3];                  // 0: no impulse moves this axis
    double inertia, lag;             // its own, without what tension adds to mass[2]; of free[2] by that
    double v[3], free[3], change[3]; // now; without the contacts; change by them in this substep
    double right[3], found[3];       // right side and solution of the linear system
    b2d_direct_body* direct;         // or NULL
    bool pulled;                     // by a rigid row of a joint, in this soft pass
} b2d_pressed_body;

// The impulse is within its bounds, or at one: a normal that is open, a tangent that slides
enum { B2D_HOLDS, B2D_AT_LOW, B2D_AT_HIGH };

typedef struct b2d_press_row { // normal or tangent of a point, the rolling of a contact, or a row of a joint
    int32_t side[2];           // bodies; B2D_NONE: no impulse moves it
    double j[2][3];            // speed by the velocities of sides A and B, as far as impulses move them
    double correction;         // speed that closes an open joint: a part of `wanted`, but for held presses
    double wanted, bias;       // speed that does not depend on the velocities; the same less what the multiplier gives
    double stiffness;          // 1 / compliance; 0: no impulse moves the row
    double low, high, impulse, before; // bounds; now and before the step of multipliers
    double speed, slope;               // J v + bias, and how it changes along the search
    double found, given;      // impulse that the linear system found; that which the bodies have got in this substep
    double multiplier[2];     // the impulse at the end of the last soft and of the last relax pass
    uint8_t state, states[2]; // the latter like the multipliers
    bool soft;                // a spring: it yields by its stiffness, so no multiplier makes up for that
} b2d_press_row;

typedef struct b2d_press_contact {
    int32_t contact, block, lane;
    int32_t id[2], side[2];
    bool exists[2], rolls;                               // the points; has a row of rolling resistance
    bool dragged;                                        // by the velocity of a side on an axis that no impulse moves
    float separation[2], normal[2], tangent[2], rolling; // what the lane had
    int32_t first, count; // rows: for each point the normal and the tangent, then rolling
} b2d_press_contact;

typedef struct b2d_press_joint {
    b2d_direct_joint joint;
    int32_t first; // B2D_DIRECT_ROWS rows
} b2d_press_joint;

typedef struct b2d_press_factors { // L of L L^T in envelope form, by blocks of 3 x 3, row by row
    double (*blocks)[9];
    uint8_t* holds; // rows that are in it
    bool valid;
} b2d_press_factors;

struct b2d_press {
    b2d_pressed_body* bodies;
    b2d_press_contact* contacts;
    b2d_press_joint* joints;
    b2d_direct_body* members; // the bodies as the rows of joints want them; NULL without joints
    b2d_press_row* rows;
    int32_t* start;               // by body: index of its first block less `first`
    int32_t* bent;                // rows whose states differ at the ends of a search
    b2d_press_factors factors[2]; // of the soft and of the relax pass
    int32_t body_count, contact_count, joint_count, row_count;
    double compliance, tolerance;
    bool relax, held; // held: a heavy body lies on what joints hold to something fixed
};

// Of the restitution threshold: a smaller change of a row by a step of multipliers is the last.
#define B2D_PRESS_ERROR_SPEED 1.0e-2

// Directions of a row: normal, tangent or rolling.
typedef struct b2d_press_direction {
    double a[3], b[3];
} b2d_press_direction;

static inline b2d_press_direction b2d_press_normal(const b2d_contact_block* block, int32_t l, int32_t j) {
    const double nx = (double)block->nx[l], ny = (double)block->ny[l], arm = (double)block->point[j].normal_arm[l];
    return (b2d_press_direction){{-nx, -ny, -arm}, {nx, ny, arm + (double)block->normal_arm_shift[l]}};
}
static inline b2d_press_direction b2d_press_tangent(const b2d_contact_block* block, int32_t l, int32_t j) {
    const double nx = (double)block->nx[l], ny = (double)block->ny[l], along = (double)block->point[j].along_normal[l];
    return (b2d_press_direction){{-ny, nx, along}, {ny, -nx, -along - (double)block->along_normal_shift[l]}};
}
static const b2d_press_direction b2d_press_turning = {{0.0, 0.0, -1.0}, {0.0, 0.0, 1.0}};

static inline void b2d_press_set_bound(b2d_press_row* row, double bound) { row->low = -bound, row->high = bound; }
// The limits of friction and rolling resistance by the normal impulses; `start`: by those of the last relax pass.
void b2d_press_set_limits(const b2d_solver* solver, b2d_press* press, bool start);

// ---- press_loads.c

typedef struct b2d_press_load { // of a contact
    int32_t heavy, light;       // what presses, and what it presses; the same if that does not move
    float masses;               // b2d_press_masses
} b2d_press_load;
// The ratio of masses that would press as much as the forces on a contact.
float b2d_press_masses(const b2d_solver* solver, int32_t contact);
// Lists the contacts, by id, that forces press. Returns their number; B2D_NONE: no memory.
int32_t b2d_press_loads(const b2d_solver* solver, b2d_press_load** loads);

// ---- press_joints.c

// A press of `count` joints has `members`; false: no memory.
bool b2d_press_reserve_joints(const b2d_solver* solver, b2d_press* press, int32_t count);
void b2d_press_add_joint(const b2d_solver* solver, b2d_press* press, int32_t id, const int32_t side[2]);
void b2d_press_fill_joints(const b2d_solver* solver, b2d_press* press); // a pass
// Adds the inertia that the tension just found requires. Returns whether the press is to be solved again with it.
bool b2d_press_stiffen_again(const b2d_solver* solver, b2d_press* press);
void b2d_press_find_pulled(b2d_press* press); // bodies to which rigid rows of joints give an impulse
// Adds what the press gives its joints in a relax pass to their loads, before the impulses are stored.
void b2d_press_add_loads(const b2d_solver* solver, const b2d_press* press);
// Give the impulses that the press found to the joints: to directly solved ones in each pass, to others after the step.
void b2d_press_store_direct(const b2d_solver* solver, b2d_press* press);
void b2d_press_store_others(const b2d_solver* solver, const b2d_press* press);
