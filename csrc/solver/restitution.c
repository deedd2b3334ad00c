// csrc/solver/restitution.c - restitution after the last substep, of contacts that do not bounce before the first one.
//
// The soft substeps have stopped the contact. Here it gets the speed of its rebound, and the impulse of the rebound has
// friction. These contacts are few, so every instruction set uses this instance. Threads: as the wide passes.
// Proof: tests/physics/test_restitution.py.
#include "solver/restitution.h"
#include "solver/impact_round.h"

// The speed that a point must leave with; 0: it does not bounce.
static float rebound_speed(const b2d_solver* solver, const b2d_impact_member* m, bool early, int32_t j) {
    const b2d_extra_block* extra = solver->graph->extras[m->block];
    b2d_rebound rebound;
    if (extra == NULL || !(extra->restitution[m->lane] > 0.0f) || !(extra->peak_impulse[j][m->lane] > 0.0f))
        return 0.0f;
    const float approach = extra->approach[j][m->lane];
    if (!(approach < -solver->restitution_threshold) ||
        (early && b2d_bounces_early(solver, m->block, m->lane, m->fixed, j, approach, &rebound)))
        return 0.0f;
    rebound = b2d_rebound_make(solver, b2d_normal_acceleration(solver, m->block, m->lane, m->fixed), approach,
                               solver->graph->blocks[m->block].point[j].initial_separation[m->lane]);
    return b2d_rebound_speed(&rebound, extra->restitution[m->lane],
                             solver->contact_steps[m->block].separation[j][m->lane]);
}

// Decides what the points of a contact do. Returns whether one of them is still slower than it must be.
static bool aim(const b2d_solver* solver, b2d_impact_member* m, bool early) {
    bool slow = false;
    for (int32_t j = 0; j < 2; j++) {
        const b2d_impact_row normal = b2d_impact_member_row(solver, m, j, false),
                             tangent = b2d_impact_member_row(solver, m, j, true);
        const float speed = rebound_speed(solver, m, early, j),
                    apart = solver->contact_steps[m->block].separation[j][m->lane];
        m->hit[j] = speed > 0.0f;
        m->solved[j] = normal.inverse_mass > 0.0f && apart < 0.5f * B2D_DEAD_POINT;
        m->normal[j] = m->tangent[j] = 0.0f;
        m->target[j] = m->hit[j] ? speed : -b2d_max(apart, 0.0f) / solver->dt;
        m->slip[j] = b2d_impact_row_speed(&tangent) - b2d_impact_belt(solver, m);
        slow = slow || (m->hit[j] && m->solved[j] && b2d_impact_row_speed(&normal) < speed);
    }
    return slow;
}

static void keep_impulses(const b2d_solver* solver, const b2d_impact_member* m) {
    for (int32_t j = 0; j < 2; j++) {
        if (!m->hit[j]) continue;
        b2d_contact_point* point = &solver->graph->blocks[m->block].point[j];
        float* peak = &solver->graph->extras[m->block]->peak_impulse[j][m->lane];
        point->normal_impulse[m->lane] += m->normal[j];
        point->tangent_impulse[m->lane] += m->tangent[j];
        *peak = b2d_max(*peak, point->normal_impulse[m->lane]);
    }
}

void b2d_restitute(const b2d_solver* solver, int32_t block, int32_t lane, bool fixed, bool early) {
    b2d_impact_member m = {.block = block, .lane = lane, .fixed = fixed};
    if (!aim(solver, &m, early)) return;
    const float slower = m.hit[0] && m.hit[1] ? b2d_min(m.target[0], m.target[1]) : m.target[m.hit[0] ? 0 : 1];
    const b2d_impact_round round = {solver, &m, 1, 1.0e-3f * slower};
    b2d_impact_round_solve(&round);
    keep_impulses(solver, &m);
}

void b2d_restitute_contacts(const b2d_solver* solver, const b2d_color_list* list, int32_t fixed, int32_t begin,
                            int32_t end) {
    for (int32_t k = begin; k < end; k++) {
        const int32_t block = list->blocks[k], live = b2d_color_list_live(list, k);
        const b2d_extra_block* extra = solver->graph->extras[block];
        if (extra == NULL) continue;
        for (int32_t lane = 0; lane < live; lane++)
            if (b2d_min(extra->approach[0][lane], extra->approach[1][lane]) < -solver->restitution_threshold)
                b2d_restitute(solver, block, lane, fixed != 0, true);
    }
}
