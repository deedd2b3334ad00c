// csrc/solver/restitution.c - restitution after the last substep, of contacts that do not bounce before the first one.
//
// The soft substeps have stopped the contact. Here it gets the speed of its rebound, both points at once, for one after
// the other would tilt a box that falls flat; then friction follows Coulomb's law for the impulse of the rebound.
// These contacts are few, so one at a time is treated, and every instruction set uses this instance.
// Proof: tests/physics/test_restitution.py.
#include "solver/restitution.h"
#include "solver/bounce.h"
#include "solver/impact_row.h"

// The impulses, none below 0, that add at least the missing speeds where they push: a linear complementarity problem,
// as in contact_wide.inl. Points that do not bounce are left out.
static void solve_both(const b2d_impact_row rows[2], const float missing[2], float impulse[2]) {
    const float own[2] = {rows[0].inverse_mass, rows[1].inverse_mass},
                coupling = rows[0].mass_a + rows[0].mass_b + rows[0].turn_a * rows[1].arm_a +
                           rows[0].turn_b * rows[1].arm_b;
    const float determinant = own[0] * own[1] - coupling * coupling;
    if (missing[0] > 0.0f && missing[1] > 0.0f && determinant > 1.0e-4f * own[0] * own[1]) {
        impulse[0] = (own[1] * missing[0] - coupling * missing[1]) / determinant;
        impulse[1] = (own[0] * missing[1] - coupling * missing[0]) / determinant;
        if (impulse[0] > 0.0f && impulse[1] > 0.0f) return;
    }
    const int32_t one = missing[0] * own[1] > missing[1] * own[0] ? 0 : 1;
    impulse[1 - one] = 0.0f;
    impulse[one] = missing[one] > 0.0f ? missing[one] / own[one] : 0.0f;
}

static float rub(const b2d_solver* solver, int32_t block, int32_t lane, bool fixed, int32_t j, float normal_impulse) {
    const b2d_impact_row tangent = b2d_impact_row_make(solver, block, lane, fixed, j, true);
    const float slip = solver->graph->extras[block]->tangent_speed[lane] - b2d_impact_row_speed(&tangent),
                limit = solver->graph->blocks[block].friction[lane] * normal_impulse;
    const float impulse = b2d_max(-limit, b2d_min(limit, slip / tangent.inverse_mass));
    b2d_impact_row_push(&tangent, impulse);
    return impulse;
}

void b2d_restitute(const b2d_solver* solver, int32_t block, int32_t lane, bool fixed, bool early) {
    float missing[2], impulse[2]; // missing: by how much the speed must grow
    b2d_impact_row rows[2];
    for (int32_t j = 0; j < 2; j++) {
        rows[j] = b2d_impact_row_make(solver, block, lane, fixed, j, false);
        const float rebound = b2d_late_rebound(solver, block, lane, fixed, early, j);
        missing[j] = rebound > 0.0f && rows[j].inverse_mass > 0.0f ? rebound - b2d_impact_row_speed(&rows[j]) : 0.0f;
    }
    if (!(missing[0] > 0.0f) && !(missing[1] > 0.0f)) return;
    if (early && fixed && !solver->lanes_away &&
        b2d_rebound_together(solver, solver->graph->blocks[block].body_a[lane]))
        return;
    solve_both(rows, missing, impulse);
    for (int32_t j = 0; j < 2; j++)
        if (impulse[j] > 0.0f) b2d_impact_row_push(&rows[j], impulse[j]);
    for (int32_t j = 0; j < 2; j++)
        if (impulse[j] > 0.0f)
            b2d_keep_late_rebound(solver, block, lane, j, impulse[j], rub(solver, block, lane, fixed, j, impulse[j]));
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
