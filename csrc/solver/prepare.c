// csrc/solver/prepare.c - prepares bodies and contacts for a step: flags, scaled impulses, approach speeds.
//
// Most contacts need nothing here, because the narrow phase has already refreshed their lanes. Joints are prepared in
// prepare_joint.c.
#include "solver/prepare.h"

#include <string.h>

static bool is_forced(const b2d_body_mass* mass) { return b2d_is_pushed(mass) || mass->gravity_scale != 1.0f; }

static bool is_plain(const b2d_body_mass* mass, const b2d_body_state* state) {
    const bool damped = mass->linear_damping != 0.0f || mass->angular_damping != 0.0f;
    return !damped && !is_forced(mass) && state->inverse_mass > 0.0f;
}

void b2d_prepare_bodies(const b2d_solver* solver, const int32_t* bodies, int32_t begin, int32_t end) {
    uint32_t seen = 0;
    for (int32_t k = begin; k < end; k++) {
        int32_t id = bodies[k];
        const b2d_body* body = &solver->graph->bodies[id];
        uint32_t flags = B2D_STEP_FAST_ROTATION;
        if (body->type == B2D_DYNAMIC)
            flags = B2D_STEP_DYNAMIC | (body->flags & B2D_BODY_FLAG_LOCKS) |
                    (body->flags & B2D_BODY_FLAG_ALLOW_FAST_ROTATION ? B2D_STEP_FAST_ROTATION : 0u) |
                    (is_plain(&solver->masses[id], &solver->states[id]) ? B2D_STEP_PLAIN : 0u) |
                    (is_forced(&solver->masses[id]) ? B2D_STEP_FORCED : 0u) |
                    (body->joint_count > 0 ? B2D_STEP_JOINTED : 0u);
        if (body->type == B2D_DYNAMIC && (body->flags & B2D_BODY_FLAG_YIELDS)) {
            const b2d_body_state* state = &solver->states[id];
            const float start[3] = {state->vx, state->vy, state->w};
            memcpy(solver->laws[id].start, start, sizeof start);
            flags = (flags | B2D_STEP_YIELDS) & ~(uint32_t)B2D_STEP_PLAIN;
        }
        solver->steps[id].flags = flags;
        seen |= flags;
    }
    if (solver->flags_seen != NULL) atomic_fetch_or_explicit(solver->flags_seen, seen, memory_order_relaxed);
}

void b2d_prepare_contacts(const b2d_solver* solver, const b2d_color_list* list, int32_t begin, int32_t end) {
    const float ratio = solver->impulse_ratio;
    for (int32_t k = begin; k < end; k++) {
        b2d_contact_block* block = &solver->graph->blocks[list->blocks[k]];
        memset(block->normal_force, 0, sizeof block->normal_force);
        memset(block->tangent_force, 0, sizeof block->tangent_force);
        if (ratio == 1.0f) continue;
        b2d_extra_block* extra = solver->graph->extras[list->blocks[k]];
        for (int32_t lane = 0; lane < B2D_LANES; lane++) {
            for (int32_t j = 0; j < 2; j++) {
                block->point[j].normal_impulse[lane] *= ratio;
                block->point[j].tangent_impulse[lane] *= ratio;
            }
            if (extra != NULL) extra->rolling_impulse[lane] *= ratio;
        }
    }
    b2d_kernels_for(solver, list)->contacts[B2D_PASS_PREPARE](solver, list, 0, begin, end);
}

void b2d_clear_contacts(const b2d_solver* solver, const b2d_color_list* list, int32_t begin, int32_t end) {
    for (int32_t k = begin; k < end; k++) {
        b2d_contact_block* block = &solver->graph->blocks[list->blocks[k]];
        b2d_extra_block* extra = solver->graph->extras[list->blocks[k]];
        for (int32_t j = 0; j < 2; j++) {
            memset(block->point[j].normal_impulse, 0, sizeof block->point[j].normal_impulse);
            memset(block->point[j].tangent_impulse, 0, sizeof block->point[j].tangent_impulse);
        }
        if (extra != NULL) memset(extra->rolling_impulse, 0, sizeof extra->rolling_impulse);
    }
}

void b2d_clear_contact(const b2d_solver* solver, int32_t lane_index) {
    const int32_t lane = lane_index % B2D_LANES;
    b2d_contact_point* points = solver->graph->blocks[lane_index / B2D_LANES].point;
    b2d_extra_block* extra = solver->graph->extras[lane_index / B2D_LANES];
    for (int32_t j = 0; j < 2; j++) points[j].normal_impulse[lane] = points[j].tangent_impulse[lane] = 0.0f;
    if (extra != NULL) extra->rolling_impulse[lane] = 0.0f;
}
