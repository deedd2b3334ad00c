// csrc/solver/impact_row.h - one row of a contact, and the speed that a point has after an impact; bounce.c and
// restitution.c share it.
#pragma once
#include "solver/solver.h"

typedef struct b2d_impact_row { // the normal or the tangent of a point: its direction, levers, inverse effective mass
    b2d_body_state *a, *b;
    float dx, dy, arm_a, arm_b, mass_a, mass_b, turn_a, turn_b, inverse_mass;
} b2d_impact_row;

// `fixed`: side B does not move.
static inline b2d_impact_row b2d_impact_row_make(const b2d_solver* solver, int32_t block_index, int32_t lane,
                                                 bool fixed, int32_t j, bool along_tangent) {
    const b2d_contact_block* block = &solver->graph->blocks[block_index];
    const float nx = block->nx[lane], ny = block->ny[lane];
    b2d_impact_row r = {.a = &solver->states[block->body_a[lane]], .b = &solver->states[block->body_b[lane]]};
    if (along_tangent) {
        // The levers of the lane lead to the middle between the surfaces; in an impact these meet there
        const float apart = block->point[j].initial_separation[lane];
        r.dx = ny, r.dy = -nx;
        r.arm_a = 0.5f * apart - block->point[j].along_normal[lane];
        r.arm_b = r.arm_a - apart - block->along_normal_shift[lane];
    } else {
        r.dx = nx, r.dy = ny;
        r.arm_a = block->point[j].normal_arm[lane];
        r.arm_b = r.arm_a + block->normal_arm_shift[lane];
    }
    r.mass_a = r.a->inverse_mass, r.turn_a = r.a->inverse_inertia * r.arm_a;
    if (!fixed) r.mass_b = r.b->inverse_mass, r.turn_b = r.b->inverse_inertia * r.arm_b;
    r.inverse_mass = r.mass_a + r.mass_b + (r.turn_a * r.arm_a + r.turn_b * r.arm_b);
    return r;
}

// The levers of side A at a point when the side has turned since the step began, with its core (contact_block.h).
typedef struct b2d_turned_lever {
    float arm, core, rise; // m; by `rise` the turn has moved the core along the normal
} b2d_turned_lever;

static inline b2d_turned_lever b2d_turned_lever_make(const b2d_contact_block* block, int32_t lane, int32_t j,
                                                     float turned) {
    const float core = b2d_core_along(block->point[j].along_normal[lane], block->radius_a[lane],
                                      block->point[j].initial_separation[lane]),
                arm = b2d_turned_arm(block->point[j].normal_arm[lane] - block->roll_arm[lane], core, block->turn[lane]),
                t = b2d_max(-0.78539816f, b2d_min(0.78539816f, turned)), t2 = t * t,
                sine = t * (1.0f + t2 * (-1.0f / 6.0f + t2 / 120.0f)), versine = t2 * (0.5f - t2 / 24.0f),
                rise = sine * arm - versine * core;
    return (b2d_turned_lever){arm - versine * arm - sine * core, core + rise, rise};
}

// Whether the levers change while side A turns: only what stands still leaves the normal where it is, and the core of a
// disc is a point.
static inline bool b2d_lever_turns(const b2d_solver* solver, const b2d_impact_row* normal, bool fixed,
                                   const b2d_contact_block* block, int32_t lane, int32_t j) {
    const b2d_turned_lever now = b2d_turned_lever_make(block, lane, j, 0.0f);
    return fixed && normal->a->w != 0.0f && normal->b->w == 0.0f &&
           b2d_abs(now.arm) + b2d_abs(now.core) > 0.01f * solver->linear_slop;
}

// Gives a row of a contact with what stands still the levers of a time at which side A has turned.
static inline void b2d_impact_row_turn(b2d_impact_row* r, const b2d_contact_block* block, int32_t lane, int32_t j,
                                       bool along_tangent, float turned) {
    const b2d_turned_lever to = b2d_turned_lever_make(block, lane, j, turned);
    r->arm_a = along_tangent ? -(to.core + block->radius_a[lane]) : to.arm;
    r->turn_a = r->a->inverse_inertia * r->arm_a;
    r->inverse_mass = r->mass_a + r->mass_b + (r->turn_a * r->arm_a + r->turn_b * r->arm_b);
}

// By how much side A turns until a point of it that is apart and approaches what stands still meets it; backwards if it
// has met it.
static inline float b2d_turn_to_impact(const b2d_solver* solver, const b2d_impact_row* normal,
                                       const b2d_contact_block* block, int32_t lane, int32_t j, float apart) {
    const b2d_body_state *a = normal->a, *b = normal->b;
    const float straight = normal->dx * (b->vx - a->vx) + normal->dy * (b->vy - a->vy);
    float time = 0.0f;
    for (int32_t k = 0; k < 4; k++) { // Newton's method
        const b2d_turned_lever to = b2d_turned_lever_make(block, lane, j, time * a->w);
        const float gap = apart + time * straight - to.rise, speed = straight - a->w * to.arm;
        if (!(speed < 0.0f)) break;
        time = b2d_max(-solver->dt, b2d_min(solver->dt, time - gap / speed));
    }
    return time * a->w;
}

static inline float b2d_impact_row_speed(const b2d_impact_row* r) {
    return r->dx * (r->b->vx - r->a->vx) + r->dy * (r->b->vy - r->a->vy) + (r->b->w * r->arm_b - r->a->w * r->arm_a);
}

static inline void b2d_impact_row_push(const b2d_impact_row* r, float impulse) {
    r->a->vx -= r->mass_a * impulse * r->dx, r->a->vy -= r->mass_a * impulse * r->dy, r->a->w -= r->turn_a * impulse;
    if (r->mass_b == 0.0f && r->turn_b == 0.0f) return; // its row may be shared with other islands
    r->b->vx += r->mass_b * impulse * r->dx, r->b->vy += r->mass_b * impulse * r->dy, r->b->w += r->turn_b * impulse;
}

enum { B2D_SUPPORT_DEPTH = 8 }; // contacts from an impact to the last one that supports its bodies

// The acceleration of a body by gravity and forces, less what things take away on which it rests by other contacts,
// through at most `depth` bodies.
b2d_vec2 b2d_supported_acceleration(const b2d_solver* solver, int32_t body, int32_t contact, int32_t depth);

// Whether few contacts touch two bodies; those of what does not move do not count.
bool b2d_is_uncrowded(const b2d_graph* graph, int32_t a, int32_t b);

// Whether a contact between moving bodies, or of much restitution, bounces together with others, if it is fast enough.
static inline bool b2d_may_bounce_in_rounds(const b2d_solver* solver, int32_t block, int32_t lane) {
    const b2d_extra_block* extra = solver->graph->extras[block];
    if (extra == NULL || extra->restitution[lane] >= B2D_LEAST_IMPACT_RESTITUTION) return extra != NULL;
    const b2d_contact_block* hit = &solver->graph->blocks[block];
    return extra->restitution[lane] > 0.0f && b2d_is_uncrowded(solver->graph, hit->body_a[lane], hit->body_b[lane]);
}

// Along the normal, of side B against side A: negative where the acceleration closes the contact.
static inline float b2d_normal_acceleration(const b2d_solver* solver, int32_t block_index, int32_t lane, bool fixed) {
    const b2d_contact_block* block = &solver->graph->blocks[block_index];
    if (fixed)
        return -b2d_dot(b2d_v(block->nx[lane], block->ny[lane]), b2d_free_acceleration(solver, block->body_a[lane]));
    const int32_t contact = solver->graph->manifolds[block_index].contact[lane],
                  depth = b2d_may_bounce_in_rounds(solver, block_index, lane) ? B2D_SUPPORT_DEPTH : 0;
    const b2d_vec2 a = b2d_supported_acceleration(solver, block->body_a[lane], contact, depth),
                   b = b2d_supported_acceleration(solver, block->body_b[lane], contact, depth);
    return b2d_dot(b2d_v(block->nx[lane], block->ny[lane]), b2d_sub(b, a));
}

// The velocity of a body that is moved along a way and keeps its energy in the field of an acceleration. The part along
// the acceleration changes, as on the parabola of a fall; what it cannot give for a way uphill, the part across gives,
// and what both cannot is left as `owed`, in m^2/s^2. Half a substep as below.
static inline b2d_vec2 b2d_velocity_moved(b2d_vec2 v, b2d_vec2 acceleration, b2d_vec2 way, float h, float* owed) {
    const float size = b2d_length(acceleration);
    *owed = 0.0f;
    if (!(size > 0.0f && size < 1.0e15f)) return v; // or a square would be infinite
    const b2d_vec2 down = b2d_scale(1.0f / size, acceleration);
    const float falling = b2d_dot(down, v), speed = falling + 0.5f * h * size,
                square = speed * speed + 2.0f * size * b2d_dot(down, way), there = sqrtf(b2d_max(square, 0.0f));
    if (square < 0.0f) {
        const b2d_vec2 across = b2d_sub(v, b2d_scale(falling, down));
        const float energy = b2d_dot(across, across);
        if (energy > 0.0f) v = b2d_sub(v, b2d_scale(1.0f - sqrtf(b2d_max(1.0f + square / energy, 0.0f)), across));
        *owed = b2d_max(-square - energy, 0.0f);
    }
    return b2d_add(v, b2d_scale((speed < 0.0f ? -there : there) - speed, down));
}

// The energy, per mass and doubled, that an approach has where the surfaces meet, and that is left where a point
// rebounds. It is that of the parabola on which the bodies move freely.
//
// Velocity lag of semi-implicit Euler: a substep moves bodies by its last velocity, so they follow the exact parabola
// of a velocity that is half a substep of acceleration ahead. That one must be reflected, or each bounce on a floor
// loses speed. Impacts are treated before or after the substep in which the surfaces meet, so the points are apart by
// s, or overlap (s < 0). With the speed v and the acceleration g towards the surface, v^2 + 2 g s is that square of the
// speed where they meet. A part e^2 of it is left, less the 2 g s' which the point has already risen when it leaves at
// s'.
typedef struct b2d_rebound {
    float half;    // m/s, half a substep of the acceleration along the normal
    float fall;    // m/s^2, the acceleration towards the surface
    float meeting; // m^2/s^2, the square of the speed of approach where the surfaces meet
} b2d_rebound;

static inline b2d_rebound b2d_rebound_make(const b2d_solver* solver, float acceleration, float speed,
                                           float separation) {
    b2d_rebound r = {.half = 0.5f * solver->h * acceleration, .fall = -acceleration};
    const float square = (speed + r.half) * (speed + r.half), meeting = square + 2.0f * r.fall * separation;
    // What overlaps deeper than a fall at this speed explains was not falling
    if (meeting >= 0.0f) r.meeting = meeting;
    else r.meeting = square, r.fall = 0.0f;
    return r;
}

// The square of the speed, half a substep ahead, at which a point leaves at a separation; negative: it does not come
// so far.
static inline float b2d_rebound_square(const b2d_rebound* r, float restitution, float separation) {
    return restitution * restitution * r->meeting - 2.0f * r->fall * separation;
}

static inline float b2d_rebound_speed(const b2d_rebound* r, float restitution, float separation) {
    return b2d_max(sqrtf(b2d_max(b2d_rebound_square(r, restitution, separation), 0.0f)) - r->half, 0.0f);
}

// Whether nothing but one contact holds or touches the body.
static inline bool b2d_has_only(const b2d_graph* graph, int32_t body, int32_t contact) {
    if (graph->bodies[body].joint_count > 0) return false;
    for (int32_t key = graph->bodies[body].contact_head; key != B2D_NONE; key = graph->contacts[key >> 1].next[key & 1])
        if (graph->contacts[key >> 1].color >= 0 && key >> 1 != contact) return false;
    return true;
}

// Whether a contact that approaches with a speed (negative) bounces together with others.
static inline bool b2d_bounces_in_rounds(const b2d_solver* solver, int32_t block, int32_t lane, bool fixed,
                                         float speed) {
    const b2d_extra_block* extra = solver->graph->extras[block];
    const float e = extra == NULL ? 0.0f : extra->restitution[lane];
    if (e >= B2D_LEAST_IMPACT_RESTITUTION) return true;
    const bool alone = fixed && solver->graph->bodies[solver->graph->blocks[block].body_a[lane]].joint_count == 0;
    return !alone && -e * speed >= B2D_LEAST_IMPACT_RESTITUTION * solver->restitution_threshold &&
           b2d_may_bounce_in_rounds(solver, block, lane);
}

// Whether a contact may bounce before the first substep: it bounces in rounds, or it has a fixed side, or two moving
// bodies touch each other alone. The rounds of others would be many.
static inline bool b2d_may_bounce_early(const b2d_solver* solver, int32_t block, int32_t lane, bool fixed,
                                        float speed) {
    const b2d_graph* graph = solver->graph;
    const b2d_extra_block* extra = graph->extras[block];
    const float e = extra == NULL ? 0.0f : extra->restitution[lane];
    if (b2d_bounces_in_rounds(solver, block, lane, fixed, speed) || (fixed && e > 0.0f)) return true;
    const int32_t contact = graph->manifolds[block].contact[lane];
    return e > 0.0f && !solver->lanes_away && b2d_has_only(graph, graph->blocks[block].body_a[lane], contact) &&
           b2d_has_only(graph, graph->blocks[block].body_b[lane], contact);
}

// Whether a point of such a contact does that approaches with a speed (negative): it is near, because something else
// may stop a far one before (contact_block.h), the surfaces meet in this step, and it still rises when the step ends.
// Others bounce after the last substep, at the surface: from where they are now, they would not rise as high as they
// must. `acceleration`: of the contact, along the normal.
static inline bool b2d_bounces_early(const b2d_solver* solver, int32_t block, int32_t lane, int32_t j, float speed,
                                     float acceleration, b2d_rebound* rebound) {
    const float apart = solver->graph->blocks[block].point[j].initial_separation[lane], dt = solver->dt,
                e = solver->graph->extras[block]->restitution[lane];
    *rebound = b2d_rebound_make(solver, acceleration, speed, apart);
    const float lost = b2d_max(rebound->fall, 0.0f) * dt;
    return apart < B2D_NEAR_SLOPS * solver->linear_slop &&
           apart + (speed + 0.5f * acceleration * dt) * dt < solver->linear_slop &&
           b2d_rebound_square(rebound, e, b2d_max(apart, 0.0f)) >= lost * lost;
}
