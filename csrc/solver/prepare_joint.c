// csrc/solver/prepare_joint.c - lays joints out in their lanes: anchors, frames and softness; the rows by their types.
//
// A block is laid out only where something changed (B2D_ROWS_STALE) or where a row must be written in every step
// (B2D_ROWS_EVERY_STEP: gears, pulleys, ratchets). joint_place_wide.inl updates the values that move with
// the bodies in every step. The type of a joint determines its rows (joints/joint_type.h).
#include "joints/joint_type.h"
#include "solver/prepare.h"

#include <string.h>

// Softness of the rigid rows. The last result is kept, because most joints of a world have the same softness.
typedef struct rigid_softness {
    float hertz, damping_ratio, rate;
    b2d_softness soft;
} rigid_softness;

static void soften(const b2d_solver* solver, const b2d_joint* joint, rigid_softness* last) {
    float hertz = joint->hertz < 0.0f ? solver->joint_hertz : joint->hertz;
    float damping_ratio = joint->damping_ratio < 0.0f ? solver->joint_damping_ratio : joint->damping_ratio;
    const float rate = b2d_stiffness_of(solver, joint->body[0])->rate;
    if (hertz == last->hertz && damping_ratio == last->damping_ratio && rate == last->rate) return;
    *last = (rigid_softness){hertz, damping_ratio, rate, {0.0f, 1.0f, 0.0f}}; // 0 hertz: velocity only
    if (hertz != 0.0f) last->soft = b2d_make_softness(b2d_min(hertz, 0.25f * rate), damping_ratio, solver->h);
}

static uint8_t lay_out_joint(const b2d_solver* solver, int32_t lane_index, rigid_softness* rigid) {
    b2d_graph* graph = solver->graph;
    b2d_joint* joint = &graph->joints[graph->joint_block_joint[lane_index]];
    b2d_joint_block* block = &graph->joint_blocks[lane_index / B2D_LANES];
    b2d_joint_frames* frames = &graph->joint_frames[lane_index / B2D_LANES];
    int32_t lane = lane_index % B2D_LANES;
    bool flip = (joint->flags & B2D_JOINT_FLIP) != 0;
    b2d_rot axis = b2d_make_rot((double)joint->frame_angle[0]);
    frames->ax[lane] = joint->anchor[flip].x, frames->ay[lane] = joint->anchor[flip].y;
    frames->bx[lane] = joint->anchor[!flip].x, frames->by[lane] = joint->anchor[!flip].y;
    frames->flip[lane] = flip ? 1.0f : 0.0f;
    frames->offset[lane] = joint->frame_angle[1] - joint->frame_angle[0];
    frames->axis_x[lane] = axis.c, frames->axis_y[lane] = axis.s;

    soften(solver, joint, rigid);
    block->bias_rate[lane] = rigid->soft.bias_rate;
    block->mass_scale[lane] = rigid->soft.mass_scale;
    block->impulse_scale[lane] = rigid->soft.impulse_scale;
    const float ratio = solver->impulse_ratio * (1.0f - joint->forgotten);
    joint->forgotten = 0.0f;
    block->impulse_x[lane] *= ratio;
    block->impulse_y[lane] *= ratio;
    const b2d_joint_type* type = b2d_joint_type_of(joint);
    const b2d_body_state *a = &solver->states[joint->body[0]], *b = &solver->states[joint->body[1]];
    const b2d_joint_lane at = {graph,
                               solver->poses,
                               joint,
                               &graph->joint_rows[lane_index / B2D_LANES],
                               lane,
                               flip,
                               solver->h,
                               ratio,
                               {{a->inverse_mass, b->inverse_mass}, {a->inverse_inertia, b->inverse_inertia}},
                               {{a->vx, a->vy}, {b->vx, b->vy}},
                               {a->w, b->w},
                               solver->dt};
    uint8_t have = type->lay_out(&at);
    B2D_ASSERT((have & ~type->rows) == 0);
    // The softness of a spring given by its stiffness depends on the effective mass, and so on the poses
    if (joint->spring_hertz < 0.0f || joint->angular_hertz < 0.0f) have |= B2D_ROWS_EVERY_STEP;
    if (have & B2D_ROWS_NO_POINT) block->impulse_x[lane] = block->impulse_y[lane] = 0.0f;
    return have;
}

void b2d_forget_joint_lanes(b2d_graph* graph) {
    for (int32_t id = 0; id < graph->joint_block_ids.limit; id++) graph->joint_block_rows[id] |= B2D_ROWS_STALE;
}

void b2d_check_joint_lanes(const b2d_solver* solver) {
    b2d_graph* graph = solver->graph;
    const float now[4] = {solver->h, solver->inverse_h, solver->joint_hertz, solver->joint_damping_ratio};
    if (memcmp(now, graph->prepared_settings, sizeof now) == 0 && solver->impulse_ratio == 1.0f) return;
    memcpy(graph->prepared_settings, now, sizeof now);
    b2d_forget_joint_lanes(graph);
}

void b2d_prepare_joints(const b2d_solver* solver, const b2d_color_list* list, int32_t begin, int32_t end) {
    rigid_softness rigid = {-1.0f, -1.0f, 0.0f, {0.0f, 0.0f, 0.0f}};
    for (int32_t k = begin; k < end; k++) {
        uint8_t* rows = &solver->graph->joint_block_rows[list->blocks[k]];
        if (!(*rows & (B2D_ROWS_STALE | B2D_ROWS_EVERY_STEP))) continue;
        int32_t live = b2d_color_list_live(list, k);
        uint8_t have = 0;
        for (int32_t lane = 0; lane < live; lane++)
            have |= lay_out_joint(solver, list->blocks[k] * B2D_LANES + lane, &rigid);
        *rows = have;
    }
    b2d_kernels_for(solver, list)->joint_place(solver, list, begin, end);
}

void b2d_clear_joints(const b2d_solver* solver, const b2d_color_list* list, int32_t begin, int32_t end) {
    for (int32_t k = begin; k < end; k++) b2d_joint_block_clear_impulses(solver->graph, list->blocks[k]);
}
