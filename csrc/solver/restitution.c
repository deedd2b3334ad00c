// csrc/solver/restitution.c - restitution after the last substep, of contacts that do not bounce before the first one.
//
// The soft substeps have stopped the contact. Here it gets the speed of its rebound, and the impulse of the rebound has
// friction. These contacts are few, so every instruction set uses this instance. Threads: as the wide passes.
// Proof: tests/physics/test_restitution.py.
#include "solver/restitution.h"
#include "solver/impact_round.h"

static bool is_hit(const b2d_solver* solver, const b2d_impact_member* m, int32_t j) {
    const b2d_extra_block* extra = solver->graph->extras[m->block];
    return extra != NULL && extra->restitution[m->lane] > 0.0f && extra->peak_impulse[j][m->lane] > 0.0f &&
           extra->approach[j][m->lane] < -solver->restitution_threshold;
}

// Decides which of the hit points bounce now, and which take part at all: those that bounced early leave, and what
// makes them approach again is an impact of the next step. Returns whether one bounces.
static bool choose(const b2d_solver* solver, b2d_impact_member* m, bool early, b2d_rebound rebounds[2]) {
    const float acceleration = b2d_normal_acceleration(solver, m->block, m->lane, m->fixed);
    for (int32_t j = 0; j < 2; j++) {
        const float approach = solver->graph->extras[m->block]->approach[j][m->lane];
        m->solved[j] = !(m->hit[j] && early && b2d_may_bounce_early(solver, m->block, m->lane, m->fixed, approach) &&
                         b2d_bounces_early(solver, m->block, m->lane, j, approach, acceleration, &rebounds[j]));
        m->hit[j] = m->hit[j] && m->solved[j];
        rebounds[j] = b2d_rebound_make(solver, acceleration, approach,
                                       solver->graph->blocks[m->block].point[j].initial_separation[m->lane]);
    }
    return m->hit[0] || m->hit[1];
}

// Decides what the points of a contact do. Returns the least speed that one of them is to leave with and has not; 0 if
// there is none.
static float aim(const b2d_solver* solver, b2d_impact_member* m, bool early) {
    b2d_rebound rebounds[2];
    for (int32_t j = 0; j < 2; j++) m->hit[j] = is_hit(solver, m, j);
    if (!(m->hit[0] || m->hit[1]) || !choose(solver, m, early, rebounds)) return 0.0f;
    const float e = solver->graph->extras[m->block]->restitution[m->lane];
    float least = 0.0f;
    for (int32_t j = 0; j < 2; j++) {
        const float apart = solver->contact_steps[m->block].separation[j][m->lane];
        if (apart >= 0.5f * B2D_DEAD_POINT) {
            m->solved[j] = m->hit[j] = false;
            continue;
        }
        const b2d_impact_row normal = b2d_impact_member_row(solver, m, j, false),
                             tangent = b2d_impact_member_row(solver, m, j, true);
        m->solved[j] = m->solved[j] && normal.inverse_mass > 0.0f;
        m->hit[j] = m->hit[j] && m->solved[j];
        m->target[j] = b2d_min(-b2d_max(apart, 0.0f) / solver->dt,
                               -solver->graph->extras[m->block]->approach[j][m->lane]);
        m->slip[j] = b2d_impact_row_speed(&tangent) - b2d_impact_belt(solver, m);
        if (!m->hit[j]) continue;
        b2d_impact_throw(m, j, &rebounds[j], e, e, 0.0f, apart);
        if (b2d_impact_row_speed(&normal) < m->target[j] && (least == 0.0f || m->target[j] < least))
            least = m->target[j];
    }
    return least;
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

enum { MOST_MEMBERS = 16 };

// Fixed things that the bodies of the contact strike in the same step bounce with it: one after the other, each would
// change the speed that the other has given. Those on which the bodies rest support it: a ball rebounds from a crate on
// the floor.
static int32_t add_fixed(const b2d_solver* solver, b2d_impact_member* members, bool early) {
    const b2d_contact_block* block = &solver->graph->blocks[members->block];
    const int32_t sides[2] = {block->body_a[members->lane], block->body_b[members->lane]};
    int32_t count = 1;
    for (int32_t side = 0; side < (members->fixed ? 1 : 2); side++) {
        const int32_t first = count,
                      end = first + b2d_impact_list_fixed(solver, sides[side], members + count, MOST_MEMBERS - count);
        for (int32_t k = first; k < end; k++) {
            b2d_impact_member* m = &members[count];
            *m = members[k];
            if (m->block == members->block && m->lane == members->lane) continue;
            count++;
            m->solved[0] = m->solved[1] = true;
            (void)aim(solver, m, early);
            for (int32_t j = 0; j < 2 && !(m->hit[0] || m->hit[1]); j++)
                m->solved[j] = m->solved[j] &&
                               solver->contact_steps[m->block].separation[j][m->lane] < solver->linear_slop &&
                               b2d_impact_member_row(solver, m, j, false).inverse_mass > 0.0f;
        }
    }
    return count;
}

// Machines that have bounced as a whole do not bounce once more in the step: the second impact would find the mass of
// one body where the substeps stopped all.
static bool has_bounced(const b2d_solver* solver, int32_t body) { // the flags of what does not move may be old
    return b2d_moves(solver->graph, body) && (solver->steps[body].flags & B2D_STEP_BOUNCED) != 0;
}

void b2d_restitute(const b2d_solver* solver, int32_t block, int32_t lane, bool fixed, bool early) {
    b2d_impact_member members[MOST_MEMBERS];
    members[0] = (b2d_impact_member){.block = block, .lane = lane, .fixed = fixed};
    const float least = aim(solver, members, early);
    const b2d_contact_block* sides = &solver->graph->blocks[block];
    if (least == 0.0f || has_bounced(solver, sides->body_a[lane]) || has_bounced(solver, sides->body_b[lane])) return;
    const int32_t count = solver->lanes_away ? 1 : add_fixed(solver, members, early);
    const b2d_impact_round round = {solver, members, count, 1.0e-3f * least, false};
    b2d_impact_round_solve(&round);
    for (int32_t k = 0; k < count; k++) keep_impulses(solver, &members[k]);
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
