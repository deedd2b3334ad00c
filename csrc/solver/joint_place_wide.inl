// csrc/solver/joint_place_wide.inl - prepare: the values of joint lanes that move with the bodies, V_LANES at a time.
//
// These are the anchors, the difference of the centres, the angles and the axes at the start of the step. The other
// values of a lane stay as prepare_joint.c laid them out.
#include "base/atan_wide.inl"
#include "solver/prepare.h"

typedef struct place_lanes { // the poses of one side
    vf c, s, cx, cy;         // cosine, sine, local centre of mass
} place_lanes;

B2D_INLINE place_lanes gather_places(const float* const* rows) {
    vf row[4];
    v_gather4(rows, row);
    return (place_lanes){row[0], row[1], row[2], row[3]};
}
B2D_INLINE vf turned_x(const place_lanes* p, vf x, vf y) { return v_sub(v_mul(p->c, x), v_mul(p->s, y)); }
B2D_INLINE vf turned_y(const place_lanes* p, vf x, vf y) { return v_add(v_mul(p->s, x), v_mul(p->c, y)); }

// The same as b2d_joint_angle, with a and b in the user's order; `whole` is the difference of their turns.
B2D_INLINE vf joint_angles(const place_lanes* a, const place_lanes* b, vf whole, vf offset) {
    const vf zero = v_zero(), one = v_set(1.0f);
    vf fine = v_atan2(v_sub(v_mul(a->c, b->s), v_mul(a->s, b->c)), v_add(v_mul(a->c, b->c), v_mul(a->s, b->s)));
    vm below_a = v_lt(a->s, zero), below_b = v_lt(b->s, zero);
    vm up = m_and(m_andnot(below_a, below_b), v_lt(fine, zero)),
       down = m_and(m_andnot(below_b, below_a), v_gt(fine, zero));
    whole = v_select(up, v_add(whole, one), v_select(down, v_sub(whole, one), whole));
    return v_add(v_add(fine, v_mul(v_set(2.0f * 3.14159265358979323846f), whole)), offset);
}

B2D_INLINE place_lanes select_place(vm m, const place_lanes* yes, const place_lanes* no) {
    return (place_lanes){v_select(m, yes->c, no->c), v_select(m, yes->s, no->s), v_select(m, yes->cx, no->cx),
                         v_select(m, yes->cy, no->cy)};
}

static void place_rows(const b2d_solver* solver, int32_t id, int32_t lane, int32_t have, place_lanes side_a,
                       place_lanes side_b) {
    const b2d_joint_frames* frames = &solver->graph->joint_frames[id];
    const b2d_joint_block* block = &solver->graph->joint_blocks[id];
    b2d_joint_rows* rows = &solver->graph->joint_rows[id];
    vm flip = v_gt(v_load(frames->flip + lane), v_zero());
    place_lanes a = select_place(flip, &side_b, &side_a), b = select_place(flip, &side_a, &side_b);
    if (have & B2D_ROWS_ANGLE) {
        _Alignas(64) float whole[V_LANES];
        const b2d_body* bodies = solver->graph->bodies;
        for (int32_t i = 0; i < V_LANES; i++)
            whole[i] = (float)(bodies[b2d_max_int(block->body_b[lane + i], 0)].turns -
                               bodies[b2d_max_int(block->body_a[lane + i], 0)].turns);
        vf user = v_load(whole);
        vf angle = joint_angles(&a, &b, v_select(flip, v_sub(v_zero(), user), user), v_load(frames->offset + lane));
        v_store(rows->start_angle + lane, v_select(flip, v_neg(angle), angle));
    }
    if (have & B2D_ROWS_LINE) {
        vf local_x = v_load(frames->axis_x + lane), local_y = v_load(frames->axis_y + lane);
        vf x = turned_x(&a, local_x, local_y), y = turned_y(&a, local_x, local_y);
        v_store(rows->axis_x + lane, v_select(flip, v_neg(x), x));
        v_store(rows->axis_y + lane, v_select(flip, v_neg(y), y));
    }
    if (have & B2D_ROWS_PLANE) {
        vm with_a = v_gt(v_load(rows->plane_turns_with_a + lane), v_zero()),
           with_b = v_gt(v_load(rows->plane_turns_with_b + lane), v_zero());
        place_lanes side = select_place(with_a, &side_a, &side_b);
        vf x = v_load(rows->plane_local_x + lane), y = v_load(rows->plane_local_y + lane);
        vm turns = m_or(with_a, with_b);
        v_store(rows->plane_axis_x + lane, v_select(turns, turned_x(&side, x, y), x));
        v_store(rows->plane_axis_y + lane, v_select(turns, turned_y(&side, x, y), y));
    }
}

B2D_INLINE void place_joints(const b2d_solver* solver, int32_t id, int32_t lane) {
    b2d_joint_block* block = &solver->graph->joint_blocks[id];
    const b2d_joint_frames* frames = &solver->graph->joint_frames[id];
    const float *rows_a[V_LANES], *rows_b[V_LANES];
    const double *origins_a[V_LANES], *origins_b[V_LANES];
    for (int32_t i = 0; i < V_LANES; i++) { // padding lanes read body 0; their results are not used
        const b2d_pose *a = &solver->poses[b2d_max_int(block->body_a[lane + i], 0)],
                       *b = &solver->poses[b2d_max_int(block->body_b[lane + i], 0)];
        rows_a[i] = &a->c, rows_b[i] = &b->c;
        origins_a[i] = &a->x, origins_b[i] = &b->x;
    }
    vf between[2];
    v_between(origins_a, origins_b, between);
    place_lanes a = gather_places(rows_a), b = gather_places(rows_b);
    vf ax = v_sub(v_load(frames->ax + lane), a.cx), ay = v_sub(v_load(frames->ay + lane), a.cy);
    vf bx = v_sub(v_load(frames->bx + lane), b.cx), by = v_sub(v_load(frames->by + lane), b.cy);
    const vf rax = turned_x(&a, ax, ay), ray = turned_y(&a, ax, ay), rbx = turned_x(&b, bx, by),
             rby = turned_y(&b, bx, by);
    const vf dx = v_add(between[0], v_sub(turned_x(&b, b.cx, b.cy), turned_x(&a, a.cx, a.cy))),
             dy = v_add(between[1], v_sub(turned_y(&b, b.cx, b.cy), turned_y(&a, a.cx, a.cy)));
    v_store(block->ax + lane, rax), v_store(block->ay + lane, ray);
    v_store(block->bx + lane, rbx), v_store(block->by + lane, rby);
    v_store(block->dx + lane, dx), v_store(block->dy + lane, dy);
    v_store(block->force_x + lane, v_zero()), v_store(block->force_y + lane, v_zero());
    v_store(block->torque + lane, v_zero());
    int32_t have = solver->graph->joint_block_rows[id];
    const vf gap_x = v_add(dx, v_sub(rbx, rax)), gap_y = v_add(dy, v_sub(rby, ray));
    const vf most = v_set(solver->open_length * solver->open_length);
    const uint32_t open = m_bits(v_gt(v_add(v_mul(gap_x, gap_x), v_mul(gap_y, gap_y)), most));
    solver->open_joints[id] = (uint16_t)(solver->open_joints[id] | open << lane);
    if (have & (B2D_ROWS_ANGLE | B2D_ROWS_LINE | B2D_ROWS_PLANE)) place_rows(solver, id, lane, have, a, b);
}

static void joint_place(const b2d_solver* solver, const b2d_color_list* list, int32_t begin, int32_t end) {
    for (int32_t k = begin; k < end; k++)
        for (int32_t lane = 0, live = b2d_color_list_live(list, k); lane < live; lane += V_LANES)
            place_joints(solver, list->blocks[k], lane);
}
