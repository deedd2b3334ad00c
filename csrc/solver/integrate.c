// csrc/solver/integrate.c - integrates the velocities and the positions of bodies, one body at a time.
//
// A body's velocity (x, y, angular) and its inverse mass are one row of four floats, so that the arithmetic of one body
// is one vector operation. The vectors are the compiler's 128-bit extension, not base/simd.h: that vocabulary has one
// body per lane, and to transpose rows into lanes and back would cost more than the few operations between. 128 bits
// are the baseline of both x86-64 and aarch64, so one compiled instance serves all instruction sets.
#include "solver/integrate.h"
#include "solver/lift.h"

#include <math.h>

typedef float row4 __attribute__((vector_size(16), may_alias));
typedef int32_t mask4 __attribute__((vector_size(16), may_alias));
typedef int64_t pair2 __attribute__((vector_size(16), may_alias));
static const mask4 first_three = {-1, -1, -1, 0}, magnitude = {0x7FFFFFFF, 0x7FFFFFFF, 0x7FFFFFFF, 0},
                   minus_zero = {0, 0, INT32_MIN, INT32_MIN};

static inline float max_rotation(const b2d_solver* solver, uint32_t flags) {
    return flags & B2D_STEP_FAST_ROTATION ? 3.0e38f : solver->max_rotation;
}

// Velocity without what is along locked axes.
static row4 unlocked(uint32_t flags, row4 v) {
    if (!(flags & B2D_STEP_DYNAMIC)) return v;
    if (flags & B2D_BODY_FLAG_LOCK_X) v[0] = 0.0f;
    if (flags & B2D_BODY_FLAG_LOCK_Y) v[1] = 0.0f;
    if (flags & B2D_BODY_FLAG_LOCK_ROTATION) v[2] = 0.0f;
    return v;
}

// The velocity within the limits that are not constraints: greatest speed, greatest rotation, motion locks.
static row4 bounded(const b2d_solver* solver, uint32_t flags, row4 v) {
    if (!(flags & B2D_STEP_DYNAMIC)) return v;
    float speed2 = v[0] * v[0] + v[1] * v[1], max2 = solver->max_speed * solver->max_speed,
          max_w = max_rotation(solver, flags);
    if (speed2 > max2) {
        float scale = solver->max_speed / sqrtf(speed2);
        v[0] *= scale;
        v[1] *= scale;
    }
    if (fabsf(v[2]) > max_w) v[2] = v[2] > 0.0f ? max_w : -max_w;
    return unlocked(flags, v);
}

// A velocity below these on each axis is within the limits: 0.7 of the greatest speed (0.7 < 1 / sqrt 2), and the
// greatest rotation.
static inline row4 safe_velocity(const b2d_solver* solver) {
    return (row4){0.7f * solver->max_speed, 0.7f * solver->max_speed, solver->max_rotation, 0.0f};
}

static inline bool is_safe(row4 v, row4 safe) {
    // Compared as integers: the bits of a float without its sign grow with its magnitude, and NaN is above all
    const pair2 over = (pair2)(((mask4)v & magnitude) > (mask4)safe);
    return (over[0] | over[1]) == 0;
}

// Solves a u = b by elimination. Returns false if some pivot is not positive.
static bool solve3(double a[3][3], double b[3]) {
    for (int32_t k = 0; k < 3; k++) {
        if (!(a[k][k] > 0.0)) return false;
        for (int32_t i = k + 1; i < 3; i++) {
            const double factor = a[i][k] / a[k][k];
            for (int32_t j = k; j < 3; j++) a[i][j] -= factor * a[k][j];
            b[i] -= factor * b[k];
        }
    }
    for (int32_t k = 2; k >= 0; k--) {
        for (int32_t j = k + 1; j < 3; j++) b[k] -= a[k][j] * b[j];
        b[k] /= a[k][k];
    }
    return true;
}

// The change of velocity with what the force law adds to the constant force. Drag is that at the middle of the substep,
// but may not turn a motion back: where its rate times h is more than 2, the share of the end is 1 - 1 / that product.
static __attribute__((noinline)) row4 yielding(const b2d_solver* solver, int32_t id, row4 v, row4 change) {
    const b2d_force_law* law = &solver->laws[id];
    const b2d_body_state* state = &solver->states[id];
    const uint32_t flags = solver->steps[id].flags;
    const double h = (double)solver->h,
                 inverse[3] = {flags & B2D_BODY_FLAG_LOCK_X ? 0.0 : (double)state->inverse_mass,
                               flags & B2D_BODY_FLAG_LOCK_Y ? 0.0 : (double)state->inverse_mass,
                               flags & B2D_BODY_FLAG_LOCK_ROTATION ? 0.0 : (double)state->inverse_inertia};
    double rate = 0.0, lift[3] = {0.0, 0.0, 0.0}, a[3][3], u[3];
    for (int32_t k = law->lift; k >= 0; k = solver->lifts[k].next) {
        double now[3];
        b2d_lift_measure(&solver->lifts[k], state->dx, state->dy, state->angle, now);
        for (int32_t i = 0; i < 3; i++) lift[i] += now[i] - solver->lifts[k].start[i];
    }
    for (int32_t i = 0; i < 3; i++) rate += h * inverse[i] * fabs((double)law->by_velocity[4 * i]);
    const double end = rate > 2.0 ? 1.0 - 1.0 / rate : 0.5;
    for (int32_t i = 0; i < 3; i++) {
        u[i] = (double)change[i] + h * inverse[i] * lift[i];
        for (int32_t j = 0; j < 3; j++) {
            const double drag = h * inverse[i] * (double)law->by_velocity[3 * i + j];
            u[i] += drag * ((double)v[j] - (double)law->start[j]);
            a[i][j] = (i == j) - end * drag;
        }
    }
    // Numbers beyond all physics cancel to nothing sensible, and the squares of speeds must stay finite
    if (!solve3(a, u) || !(fabs(u[0]) + fabs(u[1]) + fabs(u[2]) < 1.0e18)) return change;
    return (row4){(float)u[0], (float)u[1], (float)u[2], 0.0f};
}

// The share of a velocity that damping leaves in a substep; x: its rate times the length of the substep. 1 - x is the
// damping force of the beginning: with it a body at rest has its whole weight, and one that falls the speed of balance.
// Beyond 1/2 it goes on with the same slope and never turns a motion back.
static inline float damped(float x) { return x > 0.5f ? 0.25f / x : 1.0f - x; }

_Static_assert(offsetof(b2d_body_mass, gravity_scale) == offsetof(b2d_body_mass, force_x) + 12 &&
                   offsetof(b2d_body_mass, angular_damping) == offsetof(b2d_body_mass, linear_damping) + 4,
               "new lines of body_numbers.def are the last");

// Velocity after the forces of a substep; the fourth lane, the inverse mass, does not change. Where a body has no mass,
// -0 is added, because that keeps every number to the bit. Damping is skipped when it is zero: its factors would be 1.
static inline row4 pushed(const b2d_solver* solver, int32_t id, row4 v, row4 gravity) {
    const b2d_body_mass* mass = &solver->masses[id];
    const float inverse_inertia = solver->states[id].inverse_inertia, h = solver->h;
    const row4 inverse_mass = {v[3], v[3], v[3], v[3]}, inverse = {v[3], v[3], inverse_inertia, 0.0f};
    row4 force; // its fourth lane is the gravity scale
    uint64_t dampings;
    memcpy(&force, &mass->force_x, sizeof force);
    memcpy(&dampings, &mass->linear_damping, sizeof dampings);
    const mask4 heavy = inverse_mass > 0.0f;
    const row4 scale = (row4)((mask4)(row4){force[3], force[3], force[3], force[3]} & heavy);
    row4 change = h * ((row4)((mask4)(scale * gravity) | minus_zero) + inverse * force);
    if (solver->steps[id].flags & B2D_STEP_YIELDS) change = yielding(solver, id, v, change);
    if (dampings != 0) {
        const float linear = damped(h * mass->linear_damping), angular = damped(h * mass->angular_damping);
        v *= (row4){linear, linear, angular, 1.0f};
    }
    return v + change;
}

static inline __attribute__((always_inline)) void integrate(const b2d_solver* solver, const int32_t* bodies,
                                                            int32_t begin, int32_t end, bool replay) {
    const row4 safe = safe_velocity(solver);
    const float h = solver->h;
    row4 gravity = {solver->gravity_x, solver->gravity_y, 0.0f, 0.0f};
    row4 fall = h * (gravity + (row4){0.0f});                          // what `pushed` adds to a B2D_STEP_PLAIN body
    int32_t cell_end = solver->cell_gravities == NULL ? INT32_MAX : 0; // the bodies are in ascending order
    b2d_body_state* states = solver->states;
    b2d_body_step* steps = solver->steps;
    for (int32_t k = begin; k < end; k++) {
        const int32_t id = bodies[k];
        if (id >= cell_end) {
            const b2d_vec2 g = b2d_gravity_of(solver, id);
            gravity = (row4){g.x, g.y, 0.0f, 0.0f};
            fall = h * (gravity + (row4){0.0f});
            cell_end = (b2d_cell_of_body(&solver->graph->cells, id) + 1) * solver->graph->cells.bodies;
        }
        const uint32_t flags = steps[id].flags;
        row4 *row = (row4*)&states[id], *kept = (row4*)&steps[id];
        const row4 v = *row, old = *kept;
        row4 base = v + (row4){0.0f};
        if (flags & B2D_STEP_PLAIN) base = v + fall;
        else if (flags & B2D_STEP_DYNAMIC) base = pushed(solver, id, v, gravity);
        const bool locked = (flags & B2D_STEP_LOCKS) != 0;
        if (!is_safe(base, safe) || locked) base = bounded(solver, flags, base);
        row4 next = base;
        if (replay) next += (row4)((mask4)(v - (row4)((mask4)old & first_three)) & first_three);
        if (locked) next = unlocked(flags, next); // what is repeated is not bounded
        *kept = (row4)(((mask4)base & first_three) | ((mask4)old & ~first_three));
        *row = next;
    }
}

void b2d_integrate_velocities(const b2d_solver* solver, const int32_t* bodies, int32_t begin, int32_t end,
                              bool replay) {
    if (replay) integrate(solver, bodies, begin, end, true);
    else integrate(solver, bodies, begin, end, false);
}

void b2d_integrate_positions(const b2d_solver* solver, const int32_t* bodies, int32_t begin, int32_t end) {
    const row4 least = {solver->least_speed, solver->least_speed, solver->least_rotation, 0.0f};
    const row4 h = {solver->h, solver->h, solver->h, 0.0f}; // the fourth lane, the inverse inertia, does not change
    const row4 safe = safe_velocity(solver);
    for (int32_t k = begin; k < end; k++) {
        const int32_t id = bodies[k];
        row4* state = (row4*)&solver->states[id];
        const uint32_t flags = solver->steps[id].flags;
        // The limits hold after the constraints too: a joint that was torn far apart must not throw a body out of the
        // world.
        row4 v = state[0];
        if (!is_safe(v, safe) || (flags & B2D_STEP_LOCKS) != 0) {
            const row4 whole = unlocked(flags, v);
            state[0] = v = bounded(solver, flags, v);
            state[0][2] = whole[2]; // friction which the substep repeats may be in it, and the relax pass takes it back
        }
        // A motion that spreads through a mesh of joints gets smaller by a factor from body to body, down to subnormal
        // numbers, which cost a processor a hundred times as much. So tiny velocities become zero.
        if (flags & B2D_STEP_JOINTED) {
            const mask4 kept = ((mask4)v & magnitude) >= (mask4)least;
            v = (row4)((mask4)v & kept), state[0] = (row4)((mask4)state[0] & kept);
        }
        state[1] += h * v;
    }
}
