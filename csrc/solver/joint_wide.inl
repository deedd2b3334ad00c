// csrc/solver/joint_wide.inl - joint passes over blocks, V_LANES joints at a time; included after contact_wide.inl.
//
// The replayed warm start (solver.h) applies the impulses of the substep before with the levers and directions that
// they had then. A joint under tension needs impulses along the present directions, because their rotation straightens
// a chain. So each joint stores its part of the replay (`replayed_`) and, before it is solved, applies the difference
// between its present impulses and that part. If levers and directions were fixed for a whole step, a hanging bridge
// would stretch forty times as much.
#include "solver/joint_rows_wide.inl"

// The sum of a joint's rows except the coupling, whose direction is fixed for the step: the linear impulse on side B
// (side A gets the opposite) and the angular impulses; that of b is added, that of a subtracted.
typedef struct joint_impulse {
    vf x, y, a, b;
} joint_impulse;

B2D_INLINE void add_impulse(joint_impulse* sum, vm on, vf x, vf y, vf a, vf b) {
    sum->x = v_select(on, v_add(sum->x, x), sum->x);
    sum->y = v_select(on, v_add(sum->y, y), sum->y);
    sum->a = v_select(on, v_add(sum->a, a), sum->a);
    sum->b = v_select(on, v_add(sum->b, b), sum->b);
}

B2D_INLINE vf scalar_impulse(const b2d_scalar_rows* rows, int32_t lane) { // a row that is off has the impulse 0
    vf soft = v_add(v_load(rows->spring_impulse + lane), v_load(rows->motor_impulse + lane));
    vf limits = v_sub(v_load(rows->lower_impulse + lane), v_load(rows->upper_impulse + lane));
    return v_add(v_add(soft, limits), v_load(rows->rigid_impulse + lane));
}

B2D_INLINE joint_impulse total_impulse(const b2d_joint_block* block, const b2d_joint_rows* rows, int32_t have,
                                       int32_t lane, const anchor_lanes* at, const line_state* line,
                                       const plane_axes* axes) {
    const vf *r = at->r, *anchors = at->anchors;
    vf x = v_load(block->impulse_x + lane), y = v_load(block->impulse_y + lane);
    joint_impulse sum = {x, y, v_cross(r[0], r[1], x, y), v_cross(r[2], r[3], x, y)};
    if (have & B2D_ROWS_NO_POINT) {
        vm on = m_not(flag_of(rows->point_off, lane));
        sum = (joint_impulse){v_mask(on, sum.x), v_mask(on, sum.y), v_mask(on, sum.a), v_mask(on, sum.b)};
    }
    if (have & B2D_ROWS_ANGLE) {
        const b2d_scalar_rows* angle = &rows->angle;
        vm on = m_or(m_or(flag_of(angle->rigid_on, lane), flag_of(angle->spring_on, lane)),
                     m_or(flag_of(angle->motor_on, lane), flag_of(angle->limit_on, lane)));
        vf impulse = scalar_impulse(angle, lane);
        sum.a = v_select(on, v_add(sum.a, impulse), sum.a);
        sum.b = v_select(on, v_add(sum.b, impulse), sum.b);
    }
    if (have & B2D_ROWS_LINE) {
        const line_lanes *n = &line->along, *p = &line->across;
        vf impulse = scalar_impulse(&rows->line, lane);
        add_impulse(&sum, line->valid, v_mul(n->nx, impulse), v_mul(n->ny, impulse), v_mul(n->lever_a, impulse),
                    v_mul(n->lever_b, impulse));
        impulse = v_load(rows->across_impulse + lane);
        add_impulse(&sum, line->across_on, v_mul(p->nx, impulse), v_mul(p->ny, impulse), v_mul(p->lever_a, impulse),
                    v_mul(p->lever_b, impulse));
    }
    if (have & B2D_ROWS_PLANE) {
        x = v_load(rows->plane_spring_x + lane), y = v_load(rows->plane_spring_y + lane);
        add_impulse(&sum, flag_of(rows->plane_spring_on, lane), x, y, v_cross(r[0], r[1], x, y),
                    v_cross(r[2], r[3], x, y));
        vf motor_x = v_load(rows->plane_motor_x + lane), motor_y = v_load(rows->plane_motor_y + lane);
        vm by_axis = flag_of(rows->plane_motor_by_axis_on, lane);
        vf along_x = v_sub(v_mul(axes->x, motor_x), v_mul(axes->y, motor_y)),
           along_y = v_add(v_mul(axes->y, motor_x), v_mul(axes->x, motor_y));
        x = v_select(by_axis, along_x, motor_x), y = v_select(by_axis, along_y, motor_y);
        add_impulse(&sum, m_or(flag_of(rows->plane_motor_on, lane), by_axis), x, y,
                    v_select(by_axis, v_cross(anchors[0], anchors[1], x, y), v_cross(r[0], r[1], x, y)),
                    v_select(by_axis, v_cross(anchors[2], anchors[3], x, y), v_cross(r[2], r[3], x, y)));
    }
    return sum;
}

B2D_INLINE void apply_linear(lanes* a, lanes* b, const joint_impulse* p) {
    a->vx = v_sub(a->vx, v_mul(a->m, p->x));
    a->vy = v_sub(a->vy, v_mul(a->m, p->y));
    b->vx = v_add(b->vx, v_mul(b->m, p->x));
    b->vy = v_add(b->vy, v_mul(b->m, p->y));
}
B2D_INLINE void apply_turning(lanes* a, lanes* b, const joint_impulse* p) {
    a->w = v_sub(a->w, v_mul(a->i, p->a));
    b->w = v_add(b->w, v_mul(b->i, p->b));
}

B2D_INLINE joint_impulse load_replayed(const b2d_joint_block* block, const b2d_joint_rows* rows, int32_t have,
                                       int32_t lane) {
    joint_impulse replayed = {v_zero(), v_zero(), v_load(block->replayed_a + lane), v_load(block->replayed_b + lane)};
    if (have != 0) replayed.x = v_load(rows->replayed_x + lane), replayed.y = v_load(rows->replayed_y + lane);
    return replayed;
}
B2D_INLINE void store_replayed(b2d_joint_block* block, b2d_joint_rows* rows, int32_t have, int32_t lane,
                               const joint_impulse* replayed) {
    v_store(block->replayed_a + lane, replayed->a);
    v_store(block->replayed_b + lane, replayed->b);
    if (have != 0) v_store(rows->replayed_x + lane, replayed->x), v_store(rows->replayed_y + lane, replayed->y);
}
B2D_INLINE joint_impulse impulse_less(const joint_impulse* p, const joint_impulse* q) {
    return (joint_impulse){v_sub(p->x, q->x), v_sub(p->y, q->y), v_sub(p->a, q->a), v_sub(p->b, q->b)};
}

// Limbs that get between the bodies of a joint in a pile hold it open by up to 0.25 m. Its pull must not get weaker by
// the bound of joints that are far apart, so the bound of points, over the speed of pushes, is that of 0.36 m.
#define POINT_PULL 8.0f

// Where an impulse midway between the anchors would spin the bodies rather than move them (`spins`), and the pull of
// the point is bounded, they are pulled along the line between the anchors alone, as by a rope. Gives the impulse for
// these lanes.
#define FAR_LEVERS \
    18.0f // inverse masses of a point over that of the bodies: midway is about four radii of gyration away
static __attribute__((noinline)) void solve_far_point(const anchor_lanes* at, const point_mass* k, vm spins, vf old_x,
                                                      vf old_y, vf speed_x, vf speed_y, const joint_softness* soft,
                                                      bool bias, vf* px, vf* py) {
    // The same test as that of the group, so that no lane depends on the others
    const vf most = v_mul(soft->bias_rate, v_max(v_abs(at->dx), v_abs(at->dy)));
    const vm far = m_and(spins, v_gt(most, v_set(soft->push_speed)));
    if (m_bits(far) == 0) return;
    const vf length = v_sqrt(v_add(v_mul(at->dx, at->dx), v_mul(at->dy, at->dy))),
             inverse = v_reciprocal_or_zero(length), nx = v_mul(at->dx, inverse), ny = v_mul(at->dy, inverse);
    const vf diagonal = v_add(v_add(v_mul(v_mul(nx, nx), k->k11), v_mul(v_mul(ny, ny), k->k22)),
                              v_mul(v_mul(v_set(2.0f), v_mul(nx, ny)), k->k12)),
             old = v_add(v_mul(nx, old_x), v_mul(ny, old_y)), mass = v_reciprocal_or_zero(diagonal);
    vf speed = v_add(v_mul(nx, speed_x), v_mul(ny, speed_y)), x, y;
    if (bias) { // the part of the old impulse that is across the line now is taken back
        const vf gone_x = v_sub(v_mul(nx, old), old_x), gone_y = v_sub(v_mul(ny, old), old_y);
        speed = v_add(speed, v_add(v_mul(nx, v_add(v_mul(k->k11, gone_x), v_mul(k->k12, gone_y))),
                                   v_mul(ny, v_add(v_mul(k->k12, gone_x), v_mul(k->k22, gone_y)))));
        const pull_lanes pull = {v_set(1.0f), v_set(1.0f)};
        speed = v_add(speed, bounded_bias(v_mul(soft->bias_rate, length), v_mul(diagonal, old), &pull, soft));
        const vf retained = v_sub(old, v_mul(soft->impulse_scale, old)),
                 total = v_sub(retained, v_mul(v_mul(soft->mass_scale, mass), speed));
        x = v_sub(v_mul(nx, total), old_x), y = v_sub(v_mul(ny, total), old_y);
    } else {
        const vf impulse = v_neg(v_mul(mass, speed));
        x = v_mul(nx, impulse), y = v_mul(ny, impulse);
    }
    *px = v_select(far, x, *px), *py = v_select(far, y, *py);
}

// The rigid point rows, after all others.
B2D_INLINE void solve_point(b2d_joint_block* block, const b2d_joint_rows* rows, int32_t have, int32_t lane, lanes* a,
                            lanes* b, const anchor_lanes* at, const joint_softness* soft, bool bias) {
    const vf* r = at->r;
    vf old_x = v_load(block->impulse_x + lane), old_y = v_load(block->impulse_y + lane);
    vf target_x = point_speed_x(a, b, r), target_y = point_speed_y(a, b, r);
    point_mass k = mass_at(a, b, r);
    const vf speed_x = target_x, speed_y = target_y;
    const joint_softness far = {soft->bias_rate, soft->mass_scale, soft->impulse_scale, soft->inverse_h,
                                POINT_PULL * soft->push_speed};
    bool pulls = !bias;
    if (bias) {
        vf bx = v_mul(soft->bias_rate, at->dx), by = v_mul(soft->bias_rate, at->dy);
        if (m_bits(v_gt(v_max(v_abs(bx), v_abs(by)), v_set(far.push_speed))) != 0) {
            pulls = true;
            const pull_lanes pull = pull_of(a, b, false);
            bx = bounded_bias(bx, v_add(v_mul(k.k11, old_x), v_mul(k.k12, old_y)), &pull, &far);
            by = bounded_bias(by, v_add(v_mul(k.k12, old_x), v_mul(k.k22, old_y)), &pull, &far);
        }
        target_x = v_add(target_x, bx);
        target_y = v_add(target_y, by);
    }
    vf x = mass_x(&k, target_x, target_y), y = mass_y(&k, target_x, target_y);
    vf px, py;
    if (bias) {
        px = v_sub(v_neg(v_mul(soft->mass_scale, x)), v_mul(soft->impulse_scale, old_x));
        py = v_sub(v_neg(v_mul(soft->mass_scale, y)), v_mul(soft->impulse_scale, old_y));
    } else {
        px = v_neg(x);
        py = v_neg(y);
    }
    const vm spins = v_gt(v_add(k.k11, k.k22), v_mul(v_set(FAR_LEVERS), v_add(a->m, b->m)));
    if (pulls && m_bits(spins) != 0) { // copies, so that the others stay in registers
        const anchor_lanes at_copy = *at;
        const point_mass k_copy = k;
        const joint_softness far_copy = far;
        vf far_x = px, far_y = py;
        solve_far_point(&at_copy, &k_copy, spins, old_x, old_y, speed_x, speed_y, &far_copy, bias, &far_x, &far_y);
        px = far_x, py = far_y;
    }
    vf new_x = v_add(old_x, px), new_y = v_add(old_y, py);
    lanes a2 = *a, b2 = *b;
    apply_point(a, b, r, px, py);
    if (have & B2D_ROWS_NO_POINT) {
        vm off = flag_of(rows->point_off, lane);
        new_x = v_select(off, old_x, new_x), new_y = v_select(off, old_y, new_y);
        keep_where(off, a, &a2);
        keep_where(off, b, &b2);
    }
    v_store(block->impulse_x + lane, new_x);
    v_store(block->impulse_y + lane, new_y);
}

// V_LANES joints on their way through a pass.
typedef struct joint_group {
    b2d_joint_block* block;
    b2d_joint_rows* rows;
    int32_t lane, live;
    lanes a, b;
    anchor_lanes at;
    line_state line;
    plane_axes axes, push;
    joint_impulse before; // the sum of its rows
} joint_group;

B2D_INLINE void joint_begin(const b2d_solver* solver, int32_t id, int32_t have, int32_t lane, int32_t live,
                            int32_t fixed, int32_t pass, joint_group* g) {
    g->block = &solver->graph->joint_blocks[id], g->rows = &solver->graph->joint_rows[id];
    g->lane = lane, g->live = live;
    g->a = gather_bodies(solver, g->block->body_a + lane), g->b = gather_bodies(solver, g->block->body_b + lane);
    g->at = place_anchors(g->block, lane, &g->a, &g->b);
    if (have & B2D_ROWS_LINE) g->line = line_of(g->rows, lane, &g->a, &g->b, &g->at, solver->least_length);
    if (have & B2D_ROWS_PLANE) {
        g->push = g->axes = plane_axes_of(g->rows, lane, &g->a, &g->b);
        if (pass == B2D_PASS_RELAX) g->push = axes_midway(g->rows, lane, &g->axes, &g->a, &g->b, solver->h);
        memcpy(g->at.anchors, g->at.r, sizeof g->at.anchors);
    } else g->push = g->axes = (plane_axes){v_zero(), v_zero()};
    if (!fixed) join_levers(&g->at);
    g->before = total_impulse(g->block, g->rows, have, lane, &g->at, &g->line, &g->push);
}

// A relax pass ends a substep: the bodies have got the impulses that the joint has now, `sum` without its coupling.
B2D_INLINE void add_load(const b2d_solver* solver, const joint_group* g, int32_t have, joint_impulse sum) {
    b2d_joint_block* block = g->block;
    const int32_t lane = g->lane;
    const vf inverse_dt = v_set(1.0f / solver->dt);
    vf torque = have & B2D_ROWS_ANGLE ? scalar_impulse(&g->rows->angle, lane) : v_zero();
    if (have & B2D_ROWS_COUPLING) {
        const coupling_lanes j = coupling_of(g->rows, lane);
        // The sides do not get opposite forces, and the load is that of the user's body B
        const vm flip = flag_of(solver->graph->joint_frames[block - solver->graph->joint_blocks].flip, lane);
        const vf impulse = v_load(g->rows->coupling_impulse + lane), zero = v_zero(),
                 x = v_select(flip, v_neg(j.ax), j.bx), y = v_select(flip, v_neg(j.ay), j.by),
                 turn = v_select(flip, v_neg(j.aw), j.bw);
        sum.x = v_add(sum.x, v_mul(x, impulse)), sum.y = v_add(sum.y, v_mul(y, impulse));
        torque = v_add(torque, v_mask(m_and(v_eq(x, zero), v_eq(y, zero)), v_mul(turn, impulse)));
    }
    v_store(block->force_x + lane, v_madd(sum.x, inverse_dt, v_load(block->force_x + lane)));
    v_store(block->force_y + lane, v_madd(sum.y, inverse_dt, v_load(block->force_y + lane)));
    if (have & (B2D_ROWS_ANGLE | B2D_ROWS_COUPLING))
        v_store(block->torque + lane, v_madd(torque, inverse_dt, v_load(block->torque + lane)));
}

B2D_INLINE joint_softness joint_softness_of(const b2d_solver* solver, const joint_group* g) {
    return (joint_softness){v_load(g->block->bias_rate + g->lane), v_load(g->block->mass_scale + g->lane),
                            v_load(g->block->impulse_scale + g->lane), v_set(solver->inverse_h), solver->push_speed};
}
B2D_INLINE vf angle_of(const joint_group* g) {
    return v_add(v_load(g->rows->start_angle + g->lane), v_sub(g->b.angle, g->a.angle));
}

B2D_INLINE void warm_start_joints(joint_group* g, int32_t have) {
    if (have & B2D_ROWS_COUPLING) {
        coupling_lanes j = coupling_of(g->rows, g->lane);
        apply_coupling(&g->a, &g->b, &j, flag_of(g->rows->coupling_on, g->lane),
                       v_load(g->rows->coupling_impulse + g->lane));
    }
    apply_linear(&g->a, &g->b, &g->before);
    apply_turning(&g->a, &g->b, &g->before);
    store_replayed(g->block, g->rows, have, g->lane, &g->before);
}

// All rows up to those about the angle.
B2D_INLINE void solve_first_rows(const b2d_solver* solver, joint_group* g, int32_t have, bool bias) {
    const joint_softness soft = joint_softness_of(solver, g);
    if (bias && solver->warm_starting) {
        joint_impulse replayed = load_replayed(g->block, g->rows, have, g->lane),
                      change = impulse_less(&g->before, &replayed);
        if (have & (B2D_ROWS_LINE | B2D_ROWS_PLANE)) { // only these directions rotate
            lanes a2 = g->a, b2 = g->b;
            apply_linear(&a2, &b2, &change);
            vm on = v_gt(v_zero(), v_zero());
            if (have & B2D_ROWS_LINE) on = m_or(g->line.slide, flag_of(g->rows->distance_on, g->lane));
            if (have & B2D_ROWS_PLANE)
                on = m_or(on, m_or(flag_of(g->rows->plane_turns_with_a, g->lane),
                                   flag_of(g->rows->plane_turns_with_b, g->lane)));
            keep_where(on, &g->a, &a2);
            keep_where(on, &g->b, &b2);
        }
        apply_turning(&g->a, &g->b, &change);
    }
    if (have & B2D_ROWS_COUPLING) solve_coupling(g->rows, g->lane, &g->a, &g->b, &soft, bias);
    if ((have & B2D_ROWS_ANGLE) == 0) return;
    const vm all = v_ge(v_zero(), v_zero()), coupled = have & B2D_ROWS_LINE ? g->line.across_on : m_not(all);
    solve_scalar_rows(&g->rows->angle, g->lane, &g->a, &g->b, NULL, all, coupled, angle_of(g), &soft, bias);
}

B2D_INLINE void solve_last_rows(const b2d_solver* solver, joint_group* g, int32_t have, bool bias) {
    const joint_softness soft = joint_softness_of(solver, g);
    b2d_joint_rows* rows = g->rows;
    lanes a = g->a, b = g->b;
    vf slowed = v_zero();
    if (have & B2D_ROWS_LINE) {
        const line_state* line = &g->line;
        if (bias) slowed = slow_swing(rows, g->lane, &a, &b, line, &soft);
        const vm all = v_ge(v_zero(), v_zero());
        solve_scalar_rows(&rows->line, g->lane, &a, &b, &line->along, line->valid, m_not(all), line->c, &soft, bias);
        if (m_bits(line->across_on) != 0)
            solve_across(rows, g->lane, &a, &b, line, have & B2D_ROWS_ANGLE ? angle_of(g) : v_zero(), &soft, bias);
    }
    if (have & B2D_ROWS_PLANE) solve_plane(rows, g->lane, &a, &b, &g->at, &g->axes, &g->push, bias);
    solve_point(g->block, rows, have, g->lane, &a, &b, &g->at, &soft, bias);
    joint_impulse after = total_impulse(g->block, rows, have, g->lane, &g->at, &g->line, &g->push);
    if (bias && (have & B2D_ROWS_LINE)) { // the next substep does not repeat it
        const line_lanes* p = &g->line.across;
        add_impulse(&after, v_lt(v_zero(), v_abs(slowed)), v_mul(p->nx, slowed), v_mul(p->ny, slowed),
                    v_mul(p->lever_a, slowed), v_mul(p->lever_b, slowed));
    }
    if (!bias) {
        // The replay contains the impulses of the solve with the levers of that time
        const joint_impulse now = after;
        joint_impulse replayed = load_replayed(g->block, rows, have, g->lane),
                      change = impulse_less(&after, &g->before);
        after = (joint_impulse){v_add(replayed.x, change.x), v_add(replayed.y, change.y), v_add(replayed.a, change.a),
                                v_add(replayed.b, change.b)};
        add_load(solver, g, have, have & (B2D_ROWS_LINE | B2D_ROWS_PLANE) ? after : now);
    }
    store_replayed(g->block, rows, have, g->lane, &after);
    g->a = a, g->b = b;
}

B2D_INLINE void joint_first_part(const b2d_solver* solver, joint_group* g, int32_t have, int32_t pass) {
    if (pass == B2D_PASS_WARM_START) warm_start_joints(g, have);
    else solve_first_rows(solver, g, have, pass == B2D_PASS_SOLVE);
}
B2D_INLINE void joint_last_part(const b2d_solver* solver, joint_group* g, int32_t have, int32_t pass) {
    if (pass != B2D_PASS_WARM_START) solve_last_rows(solver, g, have, pass == B2D_PASS_SOLVE);
}

B2D_INLINE void joint_end(const b2d_solver* solver, joint_group* g, int32_t fixed) {
    scatter_bodies(solver, g->block->body_a + g->lane, &g->a, g->live);
    if (!fixed) scatter_bodies(solver, g->block->body_b + g->lane, &g->b, g->live);
}

B2D_INLINE void joint_lanes(const b2d_solver* solver, int32_t id, int32_t have, int32_t lane, int32_t live,
                            int32_t fixed, int32_t pass) {
    joint_group g;
    joint_begin(solver, id, have, lane, live, fixed, pass, &g);
    joint_first_part(solver, &g, have, pass);
    joint_last_part(solver, &g, have, pass);
    joint_end(solver, &g, fixed);
}

// Blocks with point rows alone, and with point and angle rows, use copies of the kernel without the other rows.
B2D_INLINE void joint_block_lanes(const b2d_solver* solver, int32_t id, int32_t have, int32_t live, int32_t fixed,
                                  int32_t pass) {
    for (int32_t lane = 0; lane < live; lane += V_LANES) joint_lanes(solver, id, have, lane, live - lane, fixed, pass);
}
// The same for two groups at a time, as in motion_pass.
B2D_INLINE void joint_block_groups(const b2d_solver* solver, int32_t id, int32_t have, int32_t live, int32_t fixed,
                                   int32_t pass) {
    int32_t lane = 0;
    for (; lane + V_LANES < live; lane += 2 * V_LANES) {
        joint_group g[2];
        joint_begin(solver, id, have, lane, live - lane, fixed, pass, &g[0]);
        joint_begin(solver, id, have, lane + V_LANES, live - lane - V_LANES, fixed, pass, &g[1]);
        joint_first_part(solver, &g[0], have, pass);
        joint_first_part(solver, &g[1], have, pass);
        joint_last_part(solver, &g[0], have, pass);
        joint_end(solver, &g[0], fixed);
        joint_last_part(solver, &g[1], have, pass);
        joint_end(solver, &g[1], fixed);
    }
    if (lane < live) joint_lanes(solver, id, have, lane, live - lane, fixed, pass);
}
static __attribute__((noinline)) void warm_start_all_rows(const b2d_solver* solver, int32_t id, int32_t live,
                                                          int32_t fixed) {
    joint_block_lanes(solver, id, solver->graph->joint_block_rows[id], live, fixed, B2D_PASS_WARM_START);
}
static __attribute__((noinline)) void solve_all_rows(const b2d_solver* solver, int32_t id, int32_t live,
                                                     int32_t fixed) {
    joint_block_lanes(solver, id, solver->graph->joint_block_rows[id], live, fixed, B2D_PASS_SOLVE);
}
static __attribute__((noinline)) void relax_all_rows(const b2d_solver* solver, int32_t id, int32_t live,
                                                     int32_t fixed) {
    joint_block_lanes(solver, id, solver->graph->joint_block_rows[id], live, fixed, B2D_PASS_RELAX);
}

B2D_INLINE void joint_pass(const b2d_solver* solver, const b2d_color_list* list, int32_t fixed, int32_t begin,
                           int32_t end, int32_t pass) {
    for (int32_t k = begin; k < end; k++) {
        int32_t live = b2d_color_list_live(list, k), id = list->blocks[k],
                have = solver->graph->joint_block_rows[id] & B2D_ROWS_KINDS;
        if (k + 1 < end) prefetch_ids(&solver->graph->joint_blocks[list->blocks[k + 1]]);
        if (have == 0) joint_block_groups(solver, id, 0, live, fixed, pass);
        else if (have == B2D_ROWS_ANGLE) joint_block_groups(solver, id, B2D_ROWS_ANGLE, live, fixed, pass);
        else if (pass == B2D_PASS_WARM_START) warm_start_all_rows(solver, id, live, fixed);
        else if (pass == B2D_PASS_SOLVE) solve_all_rows(solver, id, live, fixed);
        else relax_all_rows(solver, id, live, fixed);
    }
}

static void joint_warm_start(const b2d_solver* solver, const b2d_color_list* list, int32_t fixed, int32_t begin,
                             int32_t end) {
    joint_pass(solver, list, fixed, begin, end, B2D_PASS_WARM_START);
}
static void joint_solve(const b2d_solver* solver, const b2d_color_list* list, int32_t fixed, int32_t begin,
                        int32_t end) {
    joint_pass(solver, list, fixed, begin, end, B2D_PASS_SOLVE);
}
static void joint_relax(const b2d_solver* solver, const b2d_color_list* list, int32_t fixed, int32_t begin,
                        int32_t end) {
    joint_pass(solver, list, fixed, begin, end, B2D_PASS_RELAX);
}
