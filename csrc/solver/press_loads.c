// csrc/solver/press_loads.c - contacts that forces press, rather than weights.
//
// A soft contact gives way to a load F by F (1/m_a + 1/m_b) / omega^2, whatever makes the load: 18 cm under 10 kN, and
// then things pass through each other. So a contact is pressed if it would sink by more than MOST_SINK. Of what it
// carried in the last step, only what motors, springs and forces account for counts as load: the weights in a pile are
// the concern of masses, and parts that limits turn into each other would gain energy (up to 500 times a fall).
#include "solver/press_parts.h"

#include <string.h>

// Linear slops by which a contact may sink. With 0.5 it is half as deep, but dragged figures are pressed from 30 N on;
// with 2 a box under a plate sinks by 15 mm, not 8.
#define MOST_SINK 1.0f
// The sink of a contact that was pressed counts so many times. With 2, what a press lets go moves at 0.12 m/s, not 0.05
#define STAYING   4.0f
// The ratio of masses that presses as much as a load under which a contact would sink by the most; 1 to 25 do the same,
// but without it 100 kN are too much for the steps of multipliers
#define MASSES    5.0f

// m, by how much a contact gives way for each m/s that its load would add to its speed in a substep.
static float yield_of(const b2d_solver* solver, int32_t body, bool fixed) {
    const b2d_softness* soft = &b2d_stiffness_of(solver, body)->contact[fixed];
    return soft->bias_rate > 0.0f ? soft->impulse_scale / (soft->mass_scale * soft->bias_rate) : 0.0f;
}

// N s in a substep, of the forces on a body other than its weight.
static float forces_on(const b2d_solver* solver, int32_t body) {
    const float inverse_mass = solver->states[body].inverse_mass;
    if (!(inverse_mass > 0.0f) || !(solver->steps[body].flags & B2D_STEP_FORCED)) return 0.0f;
    const b2d_vec2 free = b2d_free_acceleration(solver, body), gravity = b2d_gravity_of(solver, body);
    return b2d_length(b2d_v(free.x - gravity.x, free.y - gravity.y)) * solver->h / inverse_mass;
}

// The same, of the motors and springs of a joint in the last substep; what turns acts at the end of the longer body.
static float drive_of(const b2d_solver* solver, int32_t id) {
    const b2d_graph* graph = solver->graph;
    const b2d_joint* joint = &graph->joints[id];
    const b2d_joint_impulses i = b2d_joint_read_impulses(graph, id);
    float extent = solver->linear_slop;
    for (int32_t side = 0; side < 2; side++)
        if (b2d_moves(graph, joint->body[side])) extent = b2d_max(extent, graph->bodies[joint->body[side]].extent);
    return b2d_abs(i.line_spring) + b2d_abs(i.line_motor) + b2d_length(b2d_v(i.plane_spring_x, i.plane_spring_y)) +
           b2d_length(b2d_v(i.plane_motor_x, i.plane_motor_y)) +
           (b2d_abs(i.angle_spring) + b2d_abs(i.angle_motor)) / extent;
}

// The same, of all that joints connect with a body.
static float drives_around(const b2d_solver* solver, int32_t body) {
    const b2d_graph* graph = solver->graph;
    int32_t walk[B2D_MOST_PRESSED], walked = 0;
    float sum = 0.0f;
    walk[walked++] = body;
    for (int32_t k = 0; k < walked; k++) {
        sum += forces_on(solver, walk[k]);
        for (int32_t key = graph->bodies[walk[k]].joint_head; key != B2D_NONE;
             key = graph->joints[key >> 1].next[key & 1]) {
            const int32_t other = graph->joints[key >> 1].body[!(key & 1)];
            if (!b2d_joint_acts(graph, &graph->joints[key >> 1])) continue;
            int32_t met = 0;
            while (met < walked && walk[met] != other) met++;
            if (met > k) sum += drive_of(solver, key >> 1); // else it was met from the other side
            if (met == walked && b2d_moves(graph, other) && walked < B2D_MOST_PRESSED) walk[walked++] = other;
        }
    }
    return sum;
}

// Of bodies on which more than gravity may act.
enum { DRIVEN = B2D_STEP_JOINTED | B2D_STEP_FORCED };

// Whether a body may press another by more than its masses. What is lighter by B2D_LADEN_RATIO no motor presses: it is
// pressed by the masses already, and a drum in which a pile lies presses nothing.
static bool may_load(const b2d_solver* solver, int32_t body, int32_t other) {
    const uint32_t flags = solver->steps[body].flags;
    if (!(flags & DRIVEN) || !b2d_moves(solver->graph, body)) return false;
    return (flags & B2D_STEP_FORCED) ||
           solver->states[other].inverse_mass <= B2D_LADEN_RATIO * solver->states[body].inverse_mass;
}

// By how many times the most sink a contact of a driven body gives way: under what it carried in the last step, as far
// as drives account for it and once it has begun to, and under the forces of this step.
static float sink_of(const b2d_solver* solver, int32_t contact, int32_t body) {
    const b2d_graph* graph = solver->graph;
    const int32_t at = graph->pairs[contact].lane_index, lane = at % B2D_LANES;
    const b2d_contact_block* block = &graph->blocks[at / B2D_LANES];
    const b2d_contact_point* p = block->point;
    const bool was_pressed = b2d_bits_has(&graph->pressed_contacts, contact), first = block->body_a[lane] == body;
    const float separation = b2d_min(p[0].initial_separation[lane], p[1].initial_separation[lane]),
                own = solver->states[body].inverse_mass,
                both = solver->states[block->body_a[lane]].inverse_mass +
                       solver->states[block->body_b[lane]].inverse_mass,
                sink = both * yield_of(solver, body, graph->contacts[contact].fixed) * (was_pressed ? STAYING : 1.0f) /
                       (MOST_SINK * solver->linear_slop);
    float load = 0.0f; // N s, in a substep
    if (was_pressed || separation < -solver->linear_slop) {
        load = p[0].normal_impulse[lane] + p[1].normal_impulse[lane];
        if (load * sink >= 1.0f) load = b2d_min(load, drives_around(solver, body));
    }
    if (separation < solver->linear_slop && (solver->steps[body].flags & B2D_STEP_FORCED)) {
        const b2d_vec2 free = b2d_free_acceleration(solver, body);
        const float along = block->nx[lane] * free.x + block->ny[lane] * free.y;
        load = b2d_max(load, (first ? along : -along) * solver->h / own);
    }
    return sink * load;
}

// Members of a set of contacts, as bits.
static void mark(uint64_t* marked, int32_t contact) { marked[contact / 64] |= 1ull << contact % 64; }

// Contacts on which the forces of this step may act much.
static void mark_forced(const b2d_solver* solver, uint64_t* marked) {
    const b2d_graph* graph = solver->graph;
    for (int32_t k = 0; k < solver->awake_count; k++) {
        const int32_t body = solver->awake[k];
        if (!(solver->steps[body].flags & B2D_STEP_FORCED)) continue;
        const float speed = forces_on(solver, body) * solver->states[body].inverse_mass * (1.0f + B2D_LADEN_RATIO);
        if (!(speed * yield_of(solver, body, false) > MOST_SINK * solver->linear_slop)) continue;
        for (int32_t key = graph->bodies[body].contact_head; key != B2D_NONE;
             key = graph->contacts[key >> 1].next[key & 1])
            if (graph->contacts[key >> 1].color >= 0) mark(marked, key >> 1);
    }
}

// Whether a joint that is solved is at the body. Depths are known where a world has such joints. Other worlds of
// a batch must not matter, so what forces alone press is found by mark_forced.
static bool has_joint(const b2d_graph* graph, int32_t body) {
    for (int32_t key = graph->bodies[body].joint_head; key != B2D_NONE; key = graph->joints[key >> 1].next[key & 1])
        if (graph->joints[key >> 1].lane_index != B2D_NONE) return true;
    return false;
}

// Contacts that bodies with joints have sunk in, or that are pressed.
static void mark_deep(const b2d_solver* solver, uint64_t* marked) {
    const b2d_graph* graph = solver->graph;
    for (int32_t id = 0; solver->deep_contacts != NULL && id < graph->block_ids.limit; id++)
        for (uint32_t deep = solver->deep_contacts[id]; deep != 0; deep &= deep - 1) {
            const int32_t lane = b2d_ctz64(deep), a = graph->blocks[id].body_a[lane],
                          b = graph->blocks[id].body_b[lane];
            if ((may_load(solver, a, b) && has_joint(graph, a)) || (may_load(solver, b, a) && has_joint(graph, b)))
                mark(marked, graph->manifolds[id].contact[lane]);
        }
    B2D_FOR_BITS (&graph->pressed_contacts, contact) mark(marked, contact);
}

static float masses_of(const b2d_solver* solver, int32_t contact, int32_t body) {
    const bool driven = (solver->steps[body].flags & DRIVEN) && b2d_moves(solver->graph, body);
    return driven ? MASSES * sink_of(solver, contact, body) : 0.0f;
}

float b2d_press_masses(const b2d_solver* solver, int32_t contact) {
    const b2d_pair* pair = &solver->graph->pairs[contact];
    return b2d_max(masses_of(solver, contact, pair->body_a), masses_of(solver, contact, pair->body_b));
}

// The load of a contact, by the side that sinks more.
static b2d_press_load load_of(const b2d_solver* solver, int32_t contact) {
    const b2d_graph* graph = solver->graph;
    const b2d_pair* pair = &graph->pairs[contact];
    const int32_t body[2] = {pair->body_a, pair->body_b};
    b2d_press_load load = {B2D_NONE, B2D_NONE, 0.0f};
    for (int32_t side = 0; side < 2; side++) {
        const float masses = may_load(solver, body[side], body[!side]) ? masses_of(solver, contact, body[side]) : 0.0f;
        if (masses > load.masses)
            load = (b2d_press_load){body[side], b2d_moves(graph, body[!side]) ? body[!side] : body[side], masses};
    }
    return load;
}

int32_t b2d_press_loads(const b2d_solver* solver, b2d_press_load** loads) {
    const int32_t words = (solver->graph->contact_ids.limit + 63) / 64;
    const uint32_t flags = atomic_load_explicit(solver->flags_seen, memory_order_relaxed);
    int32_t most = 0, count = 0;
    if (words == 0 || !(flags & DRIVEN)) return 0;
    uint64_t* marked = b2d_arena_take(solver->arena, (size_t)words * sizeof *marked);
    if (marked == NULL) return B2D_NONE;
    memset(marked, 0, (size_t)words * sizeof *marked);
    if (flags & B2D_STEP_FORCED) mark_forced(solver, marked);
    mark_deep(solver, marked);
    for (int32_t k = 0; k < words; k++) most += b2d_popcount64(marked[k]);
    if (most == 0) return 0;
    *loads = b2d_arena_take(solver->arena, (size_t)most * sizeof **loads);
    if (*loads == NULL) return B2D_NONE;
    for (int32_t k = 0; k < words; k++)
        for (uint64_t left = marked[k]; left != 0; left &= left - 1) {
            const b2d_press_load load = load_of(solver, 64 * k + b2d_ctz64(left));
            if (load.masses >= MASSES) (*loads)[count++] = load;
        }
    return count;
}
