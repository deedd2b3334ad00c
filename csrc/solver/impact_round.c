// csrc/solver/impact_round.c - see impact_round.h.
#include "solver/impact_round.h"

enum { MOST_PASSES = 32 }; // of Gauss-Seidel, and of exact normals in turn with friction

// Fixed things take all of it away, and the steepest of the bodies on which it rests as much as that is supported.
b2d_vec2 b2d_supported_acceleration(const b2d_solver* solver, int32_t body, int32_t contact, int32_t depth) {
    const b2d_graph* graph = solver->graph;
    b2d_vec2 g = b2d_free_acceleration(solver, body), down = {0.0f, 0.0f};
    int32_t support = B2D_NONE, under = B2D_NONE;
    if (solver->lanes_away || (g.x == 0.0f && g.y == 0.0f)) return g;
    for (int32_t key = graph->bodies[body].contact_head; key != B2D_NONE;
         key = graph->contacts[key >> 1].next[key & 1]) {
        const bool fixed = graph->contacts[key >> 1].fixed != 0;
        if (key >> 1 == contact || graph->contacts[key >> 1].color < 0 || (!fixed && depth == 0)) continue;
        const int32_t at = graph->pairs[key >> 1].lane_index, lane = at % B2D_LANES;
        const b2d_contact_block* block = &graph->blocks[at / B2D_LANES];
        const bool first = block->body_a[lane] == body; // a fixed thing is side B
        const float sign = first ? 1.0f : -1.0f,
                    apart = b2d_min(block->point[0].initial_separation[lane], block->point[1].initial_separation[lane]);
        const b2d_vec2 n = {sign * block->nx[lane], sign * block->ny[lane]}; // from the body
        const float pressing = b2d_dot(n, g);
        if (!(apart < solver->linear_slop && pressing > 0.0f)) continue;
        if (fixed) g = b2d_sub(g, b2d_scale(pressing, n));
        else if (pressing > b2d_dot(down, g))
            support = key >> 1, under = first ? block->body_b[lane] : block->body_a[lane], down = n;
    }
    if (support == B2D_NONE) return g;
    const b2d_vec2 falls = b2d_supported_acceleration(solver, under, support, depth - 1);
    return b2d_sub(g, b2d_scale(b2d_max(b2d_dot(down, b2d_sub(g, falls)), 0.0f), down));
}

bool b2d_is_uncrowded(const b2d_graph* graph, int32_t a, int32_t b) {
    enum { MOST_VISITED = 4 * B2D_FEW_CONTACTS }; // boxes that only overlap
    const int32_t bodies[2] = {a, b};
    int32_t count = 0, visited = 0;
    for (int32_t side = 0; side < 2; side++) {
        const b2d_body* body = &graph->bodies[bodies[side]];
        if (body->type != B2D_DYNAMIC) continue;
        for (int32_t key = body->contact_head; key != B2D_NONE && count <= B2D_FEW_CONTACTS && visited < MOST_VISITED;
             key = graph->contacts[key >> 1].next[key & 1], visited++)
            count += graph->contacts[key >> 1].color >= 0;
    }
    return count <= B2D_FEW_CONTACTS && visited < MOST_VISITED;
}

b2d_impact_member b2d_impact_member_make(const b2d_solver* solver, int32_t contact, int32_t depth) {
    const b2d_graph* graph = solver->graph;
    const int32_t lane_index = graph->pairs[contact].lane_index;
    return (b2d_impact_member){.contact = contact,
                               .block = lane_index / B2D_LANES,
                               .lane = lane_index % B2D_LANES,
                               .depth = depth,
                               .fixed = graph->contacts[contact].fixed != 0};
}

int32_t b2d_impact_list_fixed(const b2d_solver* solver, int32_t body, b2d_impact_member* members, int32_t most) {
    const b2d_graph* graph = solver->graph;
    int32_t count = 0;
    for (int32_t key = graph->bodies[body].contact_head; key != B2D_NONE && count < most;
         key = graph->contacts[key >> 1].next[key & 1])
        if (graph->contacts[key >> 1].color >= 0 && graph->contacts[key >> 1].fixed)
            members[count++] = b2d_impact_member_make(solver, key >> 1, 0);
    return count;
}

// Changes the sum of the impulses of a row. Returns by how much the speed changed.
static float add_impulse(const b2d_impact_row* r, float total, float* impulse) {
    const float change = total - *impulse;
    *impulse = total;
    b2d_impact_row_push(r, change);
    return fabsf(change) * r->inverse_mass;
}

static float solve_row(const b2d_impact_row* r, float wanted, float least, float most, float* impulse) {
    const float total = *impulse + (wanted - b2d_impact_row_speed(r)) / r->inverse_mass;
    return add_impulse(r, b2d_max(least, b2d_min(most, total)), impulse);
}

// Both normals at once, as in contact_rows_wide.inl: one after the other, they would tilt a box that falls flat.
static float solve_both(const b2d_impact_row r[2], const float target[2], float impulse[2]) {
    const float k0 = r[0].inverse_mass, k1 = r[1].inverse_mass,
                k = r[0].mass_a + r[0].mass_b + r[0].turn_a * r[1].arm_a + r[0].turn_b * r[1].arm_b,
                determinant = k0 * k1 - k * k,
                pull0 = target[0] - b2d_impact_row_speed(&r[0]) + k0 * impulse[0] + k * impulse[1],
                pull1 = target[1] - b2d_impact_row_speed(&r[1]) + k1 * impulse[1] + k * impulse[0];
    float x0 = k1 * pull0 - k * pull1, x1 = k0 * pull1 - k * pull0; // times the determinant
    if (x0 >= 0.0f && x1 >= 0.0f && determinant > 1.0e-4f * k0 * k1) x0 /= determinant, x1 /= determinant;
    else { // one alone; of two points at one place, that which is pulled more
        const bool second = pull1 > 0.0f && (x0 < 0.0f || (x1 >= 0.0f && pull1 * k0 > pull0 * k1));
        x0 = second ? 0.0f : b2d_max(pull0 / k0, 0.0f);
        x1 = second ? pull1 / k1 : 0.0f;
    }
    const float change = add_impulse(&r[0], x0, &impulse[0]);
    return b2d_max(change, add_impulse(&r[1], x1, &impulse[1]));
}

static float solve_impact_normals(const b2d_solver* solver, b2d_impact_member* m) {
    float change = 0.0f;
    if (m->solved[0] && m->solved[1]) {
        const b2d_impact_row both[2] = {b2d_impact_member_row(solver, m, 0, false),
                                        b2d_impact_member_row(solver, m, 1, false)};
        return solve_both(both, m->target, m->normal);
    }
    for (int32_t j = 0; j < 2; j++) {
        if (!m->solved[j]) continue;
        const b2d_impact_row normal = b2d_impact_member_row(solver, m, j, false);
        change = b2d_max(change, solve_row(&normal, m->target[j], 0.0f, 3.0e38f, &m->normal[j]));
    }
    return change;
}

static float solve_impact_frictions(const b2d_solver* solver, b2d_impact_member* m) {
    float change = 0.0f;
    for (int32_t j = 0; j < 2; j++) {
        const float limit = m->grip[j] * m->normal[j] * solver->graph->blocks[m->block].friction[m->lane];
        if (!m->hit[j] || (limit == 0.0f && m->tangent[j] == 0.0f)) continue;
        const b2d_impact_row tangent = b2d_impact_member_row(solver, m, j, true);
        change = b2d_max(change, solve_row(&tangent, b2d_impact_belt(solver, m), -limit, limit, &m->tangent[j]));
    }
    return change;
}

static float sweep(const b2d_impact_round* all, bool normals, bool frictions) {
    float change = 0.0f;
    for (int32_t k = 0; k < all->count; k++) {
        if (normals) change = b2d_max(change, solve_impact_normals(all->solver, &all->members[k]));
        if (frictions) change = b2d_max(change, solve_impact_frictions(all->solver, &all->members[k]));
    }
    return change;
}

// What does not converge has its normals solved as a whole, in turn with friction.
static void iterate(const b2d_impact_round* all, bool normals, bool frictions) {
    for (int32_t pass = 0; pass < MOST_PASSES; pass++)
        if (!(sweep(all, normals, frictions) > all->tolerance)) return;
    for (int32_t pass = 0; normals && pass < MOST_PASSES; pass++)
        if (!b2d_impact_normals_solve(all) || !(sweep(all, false, frictions) > all->tolerance)) return;
}

// The energy that friction has added: an impulse times the mean of the slips before and after.
static float work_of_friction(const b2d_impact_round* all) {
    float work = 0.0f;
    for (int32_t k = 0; k < all->count; k++)
        for (int32_t j = 0; j < 2; j++) {
            const b2d_impact_member* m = &all->members[k];
            if (m->tangent[j] == 0.0f) continue;
            const b2d_impact_row tangent = b2d_impact_member_row(all->solver, m, j, true);
            const float slip = b2d_impact_row_speed(&tangent) - b2d_impact_belt(all->solver, m);
            work += 0.5f * m->tangent[j] * (m->slip[j] + slip);
        }
    return work;
}

static void undo(const b2d_impact_round* all) {
    for (int32_t k = 0; k < all->count; k++)
        for (int32_t j = 0; j < 2; j++) {
            b2d_impact_member* m = &all->members[k];
            const b2d_impact_row normal = b2d_impact_member_row(all->solver, m, j, false),
                                 tangent = b2d_impact_member_row(all->solver, m, j, true);
            if (m->normal[j] != 0.0f) b2d_impact_row_push(&normal, -m->normal[j]);
            if (m->tangent[j] != 0.0f) b2d_impact_row_push(&tangent, -m->tangent[j]);
            m->normal[j] = m->tangent[j] = 0.0f;
        }
}

static void add_forces(const b2d_impact_round* all) {
    for (int32_t k = 0; k < all->count; k++) {
        const b2d_impact_member* m = &all->members[k];
        b2d_contact_block* block = &all->solver->graph->blocks[m->block];
        block->normal_force[m->lane] += (m->normal[0] + m->normal[1]) / all->solver->dt;
        block->tangent_force[m->lane] += (m->tangent[0] + m->tangent[1]) / all->solver->dt;
    }
}

// Newton's law of restitution together with friction can add energy (Kane, 1984). Then friction comes after the normal
// impulses, so it can only take energy, and contacts that it makes approach each other are left to the next round.
void b2d_impact_round_solve(const b2d_impact_round* all) {
    if (!all->joints || !b2d_impact_solve_held(all)) {
        iterate(all, true, true);
        if (work_of_friction(all) > 0.0f) {
            undo(all);
            iterate(all, true, false);
            iterate(all, false, true);
        }
    }
    add_forces(all);
}
