// csrc/solver/solver.h - the soft step: substeps of integrate, warm start, solve, relax over coloured constraint
// blocks.
//
// Source: Catto, "Solver2D" (2024), soft constraints with relaxation; graph/softness.h has the formulas of a soft row.
// Replayed warm start: anchors are fixed within a step, so from the second substep on the warm start of all constraints
// of a body is its velocity change of the substep before, added in the integration. The order of the passes and the
// order inside a pass are in schedule.c. Impacts of contacts with much restitution come before the first substep:
// bounce.h.
#pragma once
#include "base/scheduler.h"
#include "graph/graph.h"
#include "graph/softness.h"

#include <stdatomic.h>
#include <string.h>

// The solver's row of a body, by id, 32-byte aligned, with a hidden zero row before id 0. The rows of static and
// sleeping bodies are zero, except for the inverse masses of sleeping bodies.
typedef struct b2d_body_state {
    float vx, vy, w, inverse_mass;
    float dx, dy, angle, inverse_inertia; // motion since the step began
} b2d_body_state;

typedef struct b2d_body_mass {      // by body id
    float force_x, force_y, torque; // of the coming step; they are loaded together with gravity_scale
#define B2D_BODY_PROPERTY(NAME, name, ...) float name;
#include "lists/body_numbers.def"
#undef B2D_BODY_PROPERTY
    float mass, inertia; // inertia about the centre of mass
} b2d_body_mass;

// Whether a force or torque acts on the body. Compared as bits, so that -0 counts as a force.
static inline bool b2d_is_pushed(const b2d_body_mass* mass) {
    uint64_t force;
    uint32_t torque;
    memcpy(&force, &mass->force_x, sizeof force);
    memcpy(&torque, &mass->torque, sizeof torque);
    return (force | torque) != 0;
}

static inline void b2d_forget_forces(b2d_body_mass* mass) { mass->force_x = mass->force_y = mass->torque = 0.0f; }

// How the force and torque on a body change within the coming step: by its velocity, where wind or water drags it, and
// by its pose, where it floats. About the centre of mass, in world axes.
typedef struct b2d_force_law { // by body id
    float by_velocity[9];      // matrix for (x, y, angular), times the change of velocity since the step began
    float start[3];            // that velocity, written by prepare
    int32_t lift;              // the first of its lifts, written by prepare; B2D_NONE; B2D_NO_LIFT
} b2d_force_law;
enum { B2D_NO_LIFT = -2 }; // nor may prepare find one

typedef struct b2d_body_step { // by body id, 16-byte aligned; flags are written by prepare
    float free_velocity[3];    // velocity after forces (replayed warm start)
    uint32_t flags;            // B2D_STEP_*
} b2d_body_step;
// PLAIN: nothing but gravity, at scale 1, acts on a dynamic body with mass. JOINTED: a dynamic body with joints.
// YIELDS: it has a force law. CLOSING: of an assembly whose open joints are closed at the greatest speed, written by
// the direct solver. STRUCK, DRIVEN, MACHINE: of bodies with joints, for machine.c. BOUNCED: for restitution.c. Locks
// as in the body's flags
enum {
    B2D_STEP_DYNAMIC = 1,
    B2D_STEP_FAST_ROTATION = 2,
    B2D_STEP_PLAIN = 4,
    B2D_STEP_JOINTED = 8,
    B2D_STEP_YIELDS = 16,
    B2D_STEP_CLOSING = 32,
    B2D_STEP_STRUCK = 1 << 16, // in this step
    B2D_STEP_DRIVEN = 1 << 17, // its machine is not judged as a whole
    B2D_STEP_MACHINE = 1 << 18,
    B2D_STEP_BOUNCED = 1 << 19, // in this step, before the substeps, with what joints connect with it
    B2D_STEP_FORCED = 1 << 20,  // a dynamic body on which more acts than its weight
    B2D_STEP_LOCKS = B2D_BODY_FLAG_LOCKS
};
_Static_assert((B2D_STEP_LOCKS & ~(B2D_STEP_STRUCK - 2 * B2D_STEP_CLOSING)) == 0, "locks have bits of their own");

// Contacts with this restitution or more bounce in rounds of impacts before the first substep (bounce.h). With less
// they do where they rebound with at least this share of the restitution threshold and their bodies have few contacts:
// among many bodies that give back little, propagation needs many rounds for little effect.
#define B2D_LEAST_IMPACT_RESTITUTION 0.5f
// That touch both bodies together. Time of spinner 1.12, with 6 contacts 1.23
enum { B2D_FEW_CONTACTS = 4 };
#define B2D_NEAR_SLOPS 4.0f // the speculative distance

// What the passes of one step need again and again of a block of contacts; the first that reads the lanes computes it.
typedef struct b2d_contact_step {
    // m, where the bodies are. They move between the soft pass and the relax pass only, so the soft pass finds what the
    // relax pass of the substep before computed
    float separation[2][B2D_LANES];
    float load[2][B2D_LANES];     // N s, the normal impulses with which the step began
    float diagonal[2][B2D_LANES]; // 1/kg: what an impulse of 1 at a point, along the normal, adds to the speed there
    float inverse_determinant[B2D_LANES]; // kg^2, of both normal rows in the relax pass
    float inverse_inertia[2][B2D_LANES];  // 1/(kg m^2), of sides A and B
    float tangent_mass[2][B2D_LANES];     // kg
} b2d_contact_step;

#define B2D_RELEASE_SPEED 0.4f
// An impact changes the speed of a body in a substep by more than this share of the restitution threshold, and by more
// than so many times what gravity and forces do
#define B2D_STRIKE_SPEED  0.25f
#define B2D_STRIKE_FALLS  4.0f

// What the substeps cost when all workers share their passes, and when the calling thread runs them alone. Kept from
// step to step outside of the state: it decides who runs which block, so no result depends on it.
typedef struct b2d_solve_costs {
    double shared, alone; // ticks of a block, smoothed; 0: not known yet
    int32_t wait;         // steps until the other way is tried again
} b2d_solve_costs;

// How soft contacts and joints are, by the substeps of the past (loads.h).
typedef struct b2d_stiffness {
    float rate;              // 1/s, of these substeps
    b2d_softness contact[2]; // by list: side B moves, side B fixed
} b2d_stiffness;

typedef struct b2d_solver {
    b2d_graph* graph;
    b2d_scheduler* scheduler;
    b2d_memory* memory;
    b2d_arena* arena;
    const b2d_pose* poses;
    b2d_body_state* states;
    b2d_body_mass* masses;
    b2d_body_step* steps;
    b2d_force_law* laws;
    const struct b2d_lift* lifts;    // of floating bodies: lift.h
    b2d_contact_step* contact_steps; // by block
    uint16_t* open_joints;           // by block of joints: lanes whose anchors are farther apart than open_length
    atomic_uint* flags_seen;         // those that some awake body has in `steps`; NULL outside of a step
    uint16_t* deep_contacts;         // by block of contacts: lanes deeper than the slop; NULL: there are no joints
    float open_length;               // m, from which a joint counts as open (step/wedge.h)
    const int32_t* awake;            // ids of awake dynamic and kinematic bodies, ascending
    int32_t awake_count;
    float gravity_x, gravity_y;
    const b2d_vec2* cell_gravities; // of a packed world; NULL: all bodies have the gravity above
    float dt, h, inverse_h;
    int32_t substeps;
    b2d_stiffness stiffness;
    const b2d_stiffness* cell_stiffness; // of a packed world whose cells differ; NULL: all bodies have the above
    float push_speed;
    float release_speed; // m/s, at which a contact of unlike masses opens without impulse: B2D_RELEASE_SPEED units
    float joint_hertz, joint_damping_ratio;
    int32_t joint_solver; // B2D_JOINT_SOLVER_*
    float least_length;   // a distance joint shorter than this has no direction
    float max_speed;
    float max_rotation;                // rad/s
    float least_speed, least_rotation; // a body with joints that is slower does not move
    float restitution_threshold;       // m/s, more than 0
    float linear_slop;                 // m, contacts nearer than this count as touching
    float impulse_ratio;               // h of this step / h of the last step; scales stored impulses
    bool warm_starting;
    bool lanes_away; // the lanes of the graph are copies, which its pairs do not find (lab/order.c, added_contacts.c)
    uint32_t lab;    // bits of lists/lab.def
    int64_t step;    // number of this step, from 1
    // The latter for so many lanes
    const struct b2d_solver_kernels *kernels, *kernels_of_eight, *kernels_of_four, *kernels_of_one;
    b2d_solve_costs* costs;
    const struct b2d_schedule* schedule; // schedule.h
    struct b2d_direct* direct;           // assemblies that are solved directly: direct.h
    struct b2d_machines* machines;       // machine.h; NULL: joints repeat all impulses
} b2d_solver;

static inline b2d_vec2 b2d_gravity_of(const b2d_solver* solver, int32_t body) {
    return solver->cell_gravities == NULL ? b2d_v(solver->gravity_x, solver->gravity_y)
                                          : solver->cell_gravities[b2d_cell_of_body(&solver->graph->cells, body)];
}

static inline const b2d_stiffness* b2d_stiffness_of(const b2d_solver* solver, int32_t body) {
    return solver->cell_stiffness == NULL ? &solver->stiffness
                                          : &solver->cell_stiffness[b2d_cell_of_body(&solver->graph->cells, body)];
}

// m/s^2, of what gravity and the forces of the step do to a body.
static inline b2d_vec2 b2d_free_acceleration(const b2d_solver* solver, int32_t body) {
    const float inverse_mass = body == B2D_NONE ? 0.0f : solver->states[body].inverse_mass;
    if (inverse_mass == 0.0f) return b2d_v(0.0f, 0.0f);
    const b2d_vec2 gravity = b2d_gravity_of(solver, body);
    if (solver->steps[body].flags & B2D_STEP_PLAIN) return gravity;
    const b2d_body_mass* mass = &solver->masses[body];
    return b2d_v(mass->gravity_scale * gravity.x + inverse_mass * mass->force_x,
                 mass->gravity_scale * gravity.y + inverse_mass * mass->force_y);
}

// Moves the arms of a lane from the start of the step to its middle (narrowphase/contact_block.h).
static inline void b2d_move_arms(b2d_contact_block* block, int32_t lane, const b2d_body_state* states, float ahead) {
    block->turn[lane] = b2d_turn_ahead(states[block->body_a[lane]].w, ahead);
    block->roll_arm[lane] = block->roll_shift[lane] = 0.0f;
    for (int32_t j = 0; j < 2; j++) {
        b2d_contact_point* p = &block->point[j];
        const float core = b2d_core_along(p->along_normal[lane], block->radius_a[lane], p->initial_separation[lane]);
        p->normal_arm[lane] = b2d_turned_arm(p->normal_arm[lane], core, -block->turn[lane]);
    }
}

const struct b2d_solver_kernels* b2d_solver_kernel_table(int32_t simd);
