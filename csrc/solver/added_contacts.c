// csrc/solver/added_contacts.c - lays out the contacts that the user adds to one step, and solves them one by one.
#include "solver/added_contacts.h"

#include "solver/kernels.h"
#include "solver/prepare.h"
#include "solver/restitution.h"

#include <string.h>

static bool is_pushed(const b2d_graph* graph, int32_t body) {
    return body != B2D_NONE && b2d_moves(graph, body) && b2d_is_awake(graph, body);
}

static b2d_vec2 center_of(const b2d_pose* poses, int32_t body, double x, double y) { // relative to the point
    if (body == B2D_NONE) return b2d_v(0.0f, 0.0f);
    const b2d_pose* pose = &poses[body];
    const b2d_vec2 center = b2d_pose_center(pose);
    return b2d_v((float)(pose->x - x) + center.x, (float)(pose->y - y) + center.y);
}

// Side A is a body that can be pushed; the normal of the lane points away from it (narrowphase/contact_block.h).
static void lay_out(const b2d_added_contacts* added, const b2d_pose* poses, int32_t k) {
    const b2d_added_contact* row = &added->rows[added->row_of[k]];
    b2d_contact_block* block = &added->graph.blocks[k / B2D_LANES];
    b2d_extra_block* extra = added->graph.extras[k / B2D_LANES];
    const int32_t lane = k % B2D_LANES;
    const bool flip = !is_pushed(&added->graph, row->body_a);
    const int32_t side_a = flip ? row->body_b : row->body_a, side_b = flip ? row->body_a : row->body_b;
    const b2d_vec2 n = flip ? b2d_v(-row->normal_x, -row->normal_y) : b2d_v(row->normal_x, row->normal_y),
                   t = b2d_v(n.y, -n.x), lever_a = b2d_scale(-1.0f, center_of(poses, side_a, row->px, row->py)),
                   lever_b = b2d_scale(-1.0f, center_of(poses, side_b, row->px, row->py));
    block->body_a[lane] = side_a;
    block->body_b[lane] = side_b;
    block->nx[lane] = n.x;
    block->ny[lane] = n.y;
    block->friction[lane] = row->friction;
    block->radius_a[lane] = flip ? row->radius_b : row->radius_a;
    block->radius_b[lane] = flip ? row->radius_a : row->radius_b;
    block->normal_arm_shift[lane] = b2d_dot(lever_b, t) - b2d_dot(lever_a, t);
    block->along_normal_shift[lane] = b2d_dot(lever_b, n) - b2d_dot(lever_a, n);
    block->point[0].normal_arm[lane] = b2d_dot(lever_a, t);
    block->point[0].along_normal[lane] = b2d_dot(lever_a, n);
    block->point[0].initial_separation[lane] = row->separation;
    block->point[0].normal_impulse[lane] = row->normal_impulse;
    block->point[0].tangent_impulse[lane] = row->tangent_impulse;
    b2d_move_arms(block, lane, added->solver.states, b2d_middle_of_step(added->solver.dt, added->solver.substeps));
    extra->restitution[lane] = row->restitution;
    extra->tangent_speed[lane] = row->tangent_speed;
    extra->rolling[lane] = row->rolling_resistance * b2d_max(row->radius_a, row->radius_b);
    extra->rolling_impulse[lane] = flip ? -row->rolling_impulse : row->rolling_impulse;
}

static bool is_fixed(const b2d_added_contacts* added, int32_t k) {
    return !is_pushed(&added->graph, added->graph.blocks[k / B2D_LANES].body_b[k % B2D_LANES]);
}

bool b2d_added_contacts_lay_out(b2d_added_contacts* added, const b2d_solver* solver) {
    b2d_graph* graph = &added->graph;
    const int32_t most = added->row_count / B2D_LANES + 1;
    *graph = *solver->graph;
    added->solver = *solver;
    added->solver.graph = graph;
    added->solver.lanes_away = true;
    int32_t* row_of = b2d_arena_take(solver->arena, (size_t)(added->row_count + 1) * sizeof *row_of);
    int32_t* ids = b2d_arena_take(solver->arena, (size_t)most * sizeof *ids);
    b2d_extra_block* extras = b2d_arena_take(solver->arena, (size_t)most * sizeof *extras);
    graph->blocks = b2d_arena_take(solver->arena, (size_t)most * sizeof *graph->blocks);
    graph->extras = b2d_arena_take(solver->arena, (size_t)most * sizeof *graph->extras);
    added->solver.contact_steps = b2d_arena_take(solver->arena, (size_t)most * sizeof *added->solver.contact_steps);
    if (row_of == NULL || ids == NULL || extras == NULL || graph->blocks == NULL || graph->extras == NULL ||
        added->solver.contact_steps == NULL)
        return false;
    added->count = 0;
    for (int32_t k = 0; k < added->row_count; k++)
        if (is_pushed(graph, added->rows[k].body_a) || is_pushed(graph, added->rows[k].body_b))
            row_of[added->count++] = k;
    added->row_of = row_of;
    added->list = (b2d_color_list){.blocks = ids, .block_capacity = most, .count = added->count};
    memset(graph->blocks, 0, (size_t)most * sizeof *graph->blocks);
    memset(extras, 0, (size_t)most * sizeof *extras);
    for (int32_t k = 0; k < most; k++) {
        ids[k] = k;
        graph->extras[k] = &extras[k];
        for (int32_t lane = 0; lane < B2D_LANES; lane++) {
            graph->blocks[k].body_a[lane] = graph->blocks[k].body_b[lane] = B2D_NONE;
            for (int32_t j = 0; j < 2; j++) graph->blocks[k].point[j].initial_separation[lane] = B2D_DEAD_POINT;
        }
    }
    for (int32_t k = 0; k < added->count; k++) lay_out(added, solver->poses, k);
    return true;
}

void b2d_added_contacts_pass(const b2d_added_contacts* added, int32_t pass) {
    const int32_t blocks = b2d_color_list_blocks(&added->list);
    if (pass == B2D_PASS_PREPARE) b2d_prepare_contacts(&added->solver, &added->list, 0, blocks);
    else if (pass == B2D_PASS_CLEAR) b2d_clear_contacts(&added->solver, &added->list, 0, blocks);
    else
        for (int32_t k = 0; k < added->count; k++)
            if (pass == B2D_PASS_RESTITUTION)
                b2d_restitute(&added->solver, k / B2D_LANES, k % B2D_LANES, is_fixed(added, k), false);
            else b2d_solve_overflow_contact(&added->solver, k, is_fixed(added, k), pass);
}

void b2d_added_contacts_read(const b2d_added_contacts* added) {
    for (int32_t k = 0; k < added->count; k++) {
        const int32_t lane = k % B2D_LANES;
        const b2d_contact_block* block = &added->graph.blocks[k / B2D_LANES];
        b2d_added_contact* row = &added->rows[added->row_of[k]];
        const float rolling = added->graph.extras[k / B2D_LANES]->rolling_impulse[lane];
        row->normal_impulse = block->point[0].normal_impulse[lane];
        row->tangent_impulse = block->point[0].tangent_impulse[lane];
        row->rolling_impulse = block->body_a[lane] == row->body_a ? rolling : -rolling;
    }
}
