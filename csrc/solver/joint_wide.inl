// csrc/solver/joint_wide.inl - joint passes over blocks, V_LANES joints at a time; included after contact_wide.inl.
//
// Rows in order: spring, motor, lower limit, upper limit about the angle, then the two point rows as one 2 x 2 block:
//   C = dB + rB - dA - rA,  K = (mA + mB) I + iA [ray^2, -rax ray; ., rax^2] + iB [rby^2, -rbx rby; ., rbx^2].
// A row that is off in a lane leaves that lane's values untouched (select, not multiply).

B2D_INLINE void apply_angular(lanes* a, lanes* b, vm on, vf impulse) {
    a->w = v_select(on, v_sub(a->w, v_mul(a->i, impulse)), a->w);
    b->w = v_select(on, v_add(b->w, v_mul(b->i, impulse)), b->w);
}

B2D_INLINE void apply_point(lanes* a, lanes* b, const vf r[4], vf px, vf py) {
    a->vx = v_sub(a->vx, v_mul(a->m, px));
    a->vy = v_sub(a->vy, v_mul(a->m, py));
    a->w = v_sub(a->w, v_mul(a->i, v_sub(v_mul(r[0], py), v_mul(r[1], px))));
    b->vx = v_add(b->vx, v_mul(b->m, px));
    b->vy = v_add(b->vy, v_mul(b->m, py));
    b->w = v_add(b->w, v_mul(b->i, v_sub(v_mul(r[2], py), v_mul(r[3], px))));
}

B2D_INLINE void turn_lever(vf angle, vf* x, vf* y) {
    vf sine, versine;
    turn_series(angle, &sine, &versine);
    vf x0 = *x, y0 = *y;
    *x = v_sub(x0, v_add(v_mul(sine, y0), v_mul(versine, x0)));
    *y = v_add(y0, v_sub(v_mul(sine, x0), v_mul(versine, y0)));
}

// The replayed warm start repeats what the impulse did to the spin with the levers of the substep before. They have turned since,
// and without the difference a chain gains energy until it bursts.
B2D_INLINE void turn_impulse(b2d_joint_block* block, int32_t lane, lanes* a, lanes* b, const vf r[4], vf px, vf py) {
    vf d[4];
    for (int32_t k = 0; k < 4; k++) {
        d[k] = v_sub(r[k], v_load(block->last[k] + lane));
        v_store(block->last[k] + lane, r[k]);
    }
    a->w = v_sub(a->w, v_mul(a->i, v_sub(v_mul(d[0], py), v_mul(d[1], px))));
    b->w = v_add(b->w, v_mul(b->i, v_sub(v_mul(d[2], py), v_mul(d[3], px))));
}

typedef struct joint_softness {
    vf bias_rate, mass_scale, impulse_scale, inverse_h;
} joint_softness;

// One-sided row: the gap must not become negative. `speed` is the rate of the gap.
B2D_INLINE vf limit_impulse(vf gap, vf speed, vf mass, vf old, const joint_softness* soft, bool bias) {
    vm apart = v_gt(gap, v_zero());
    vf target, impulse;
    if (bias) {
        target = v_add(speed, v_select(apart, v_mul(gap, soft->inverse_h), v_mul(soft->bias_rate, gap)));
        vf scale = v_select(apart, v_set(1.0f), soft->mass_scale), leak = v_select(apart, v_zero(), soft->impulse_scale);
        impulse = v_sub(v_neg(v_mul(v_mul(mass, scale), target)), v_mul(leak, old));
    } else {
        target = v_add(speed, v_mask(apart, v_mul(gap, soft->inverse_h)));
        impulse = v_neg(v_mul(mass, target));
    }
    return v_max(v_add(old, impulse), v_zero());
}

B2D_INLINE void solve_angle_rows(b2d_joint_angle_block* block, int32_t lane, lanes* a, lanes* b, const joint_softness* soft, bool bias) {
    vf mass = v_reciprocal_or_zero(v_add(a->i, b->i));
    vf angle = v_add(v_load(block->angle + lane), v_sub(b->angle, a->angle));

    vm on = v_gt(v_load(block->spring_on + lane), v_zero());
    if (m_bits(on) != 0) {
        vf old = v_load(block->spring_impulse + lane);
        vf c = v_sub(angle, v_load(block->spring_target + lane));
        vf target = v_add(v_sub(b->w, a->w), v_mul(v_load(block->spring_bias_rate + lane), c));
        vf scaled = v_mul(v_mul(v_load(block->spring_mass_scale + lane), mass), target);
        vf impulse = v_sub(v_neg(scaled), v_mul(v_load(block->spring_impulse_scale + lane), old));
        v_store(block->spring_impulse + lane, v_select(on, v_add(old, impulse), old));
        apply_angular(a, b, on, impulse);
    }
    on = v_gt(v_load(block->motor_on + lane), v_zero());
    if (m_bits(on) != 0) {
        vf old = v_load(block->motor_impulse + lane), max = v_load(block->motor_max + lane);
        vf target = v_sub(v_sub(b->w, a->w), v_load(block->motor_speed + lane));
        vf total = v_max(v_neg(max), v_min(max, v_sub(old, v_mul(mass, target))));
        v_store(block->motor_impulse + lane, v_select(on, total, old));
        apply_angular(a, b, on, v_sub(total, old));
    }
    on = v_gt(v_load(block->limit_on + lane), v_zero());
    if (m_bits(on) != 0) {
        vf old = v_load(block->lower_impulse + lane);
        vf total = limit_impulse(v_sub(angle, v_load(block->lower + lane)), v_sub(b->w, a->w), mass, old, soft, bias);
        v_store(block->lower_impulse + lane, v_select(on, total, old));
        apply_angular(a, b, on, v_sub(total, old));
        old = v_load(block->upper_impulse + lane);
        total = limit_impulse(v_sub(v_load(block->upper + lane), angle), v_sub(a->w, b->w), mass, old, soft, bias);
        v_store(block->upper_impulse + lane, v_select(on, total, old));
        apply_angular(a, b, on, v_sub(old, total));
    }
}

B2D_INLINE void joint_lanes(const b2d_solver* solver, int32_t id, int32_t lane, int32_t live, int32_t fixed, int32_t pass) {
    b2d_joint_block* block = &solver->graph->joint_blocks[id];
    b2d_joint_angle_block* rows = solver->graph->joint_block_rows[id] != 0 ? &solver->graph->joint_angles[id] : NULL;
    lanes a = gather_bodies(solver, block->body_a + lane), b = gather_bodies(solver, block->body_b + lane);
    vf r[4] = {v_load(block->ax + lane), v_load(block->ay + lane), v_load(block->bx + lane), v_load(block->by + lane)};
    vf old_x = v_load(block->impulse_x + lane), old_y = v_load(block->impulse_y + lane);
    if (pass == B2D_PASS_WARM_START) {
        if (rows != NULL) {
            vf axial = v_add(v_add(v_load(rows->spring_impulse + lane), v_load(rows->motor_impulse + lane)),
                             v_sub(v_load(rows->lower_impulse + lane), v_load(rows->upper_impulse + lane)));
            vm on = m_or(v_gt(v_load(rows->spring_on + lane), v_zero()),
                         m_or(v_gt(v_load(rows->motor_on + lane), v_zero()), v_gt(v_load(rows->limit_on + lane), v_zero())));
            apply_angular(&a, &b, on, axial);
        }
        apply_point(&a, &b, r, old_x, old_y);
        for (int32_t k = 0; k < 4; k++) v_store(block->last[k] + lane, r[k]);
    } else {
        bool bias = pass == B2D_PASS_SOLVE;
        joint_softness soft = {v_load(block->bias_rate + lane), v_load(block->mass_scale + lane), v_load(block->impulse_scale + lane), v_set(solver->inverse_h)};
        if (rows != NULL) solve_angle_rows(rows, lane, &a, &b, &soft, bias);
        turn_lever(a.angle, &r[0], &r[1]);
        turn_lever(b.angle, &r[2], &r[3]);
        if (bias && solver->warm_starting) turn_impulse(block, lane, &a, &b, r, old_x, old_y);
        vf target_x = v_sub(v_sub(b.vx, v_mul(b.w, r[3])), v_sub(a.vx, v_mul(a.w, r[1])));
        vf target_y = v_sub(v_add(b.vy, v_mul(b.w, r[2])), v_add(a.vy, v_mul(a.w, r[0])));
        if (bias) {
            vf cx = v_add(v_add(v_load(block->dx + lane), v_sub(b.dx, a.dx)), v_sub(r[2], r[0]));
            vf cy = v_add(v_add(v_load(block->dy + lane), v_sub(b.dy, a.dy)), v_sub(r[3], r[1]));
            target_x = v_add(target_x, v_mul(soft.bias_rate, cx));
            target_y = v_add(target_y, v_mul(soft.bias_rate, cy));
        }
        vf m = v_add(a.m, b.m);
        vf k11 = v_add(m, v_add(v_mul(a.i, v_mul(r[1], r[1])), v_mul(b.i, v_mul(r[3], r[3]))));
        vf k22 = v_add(m, v_add(v_mul(a.i, v_mul(r[0], r[0])), v_mul(b.i, v_mul(r[2], r[2]))));
        vf k12 = v_neg(v_add(v_mul(a.i, v_mul(r[0], r[1])), v_mul(b.i, v_mul(r[2], r[3]))));
        vf inverse = v_reciprocal_or_zero(v_sub(v_mul(k11, k22), v_mul(k12, k12)));
        vf x = v_mul(inverse, v_sub(v_mul(k22, target_x), v_mul(k12, target_y)));
        vf y = v_mul(inverse, v_sub(v_mul(k11, target_y), v_mul(k12, target_x)));
        vf px, py;
        if (bias) {
            px = v_sub(v_neg(v_mul(soft.mass_scale, x)), v_mul(soft.impulse_scale, old_x));
            py = v_sub(v_neg(v_mul(soft.mass_scale, y)), v_mul(soft.impulse_scale, old_y));
        } else {
            px = v_neg(x);
            py = v_neg(y);
        }
        v_store(block->impulse_x + lane, v_add(old_x, px));
        v_store(block->impulse_y + lane, v_add(old_y, py));
        apply_point(&a, &b, r, px, py);
    }
    scatter_bodies(solver, block->body_a + lane, &a, live);
    if (!fixed) scatter_bodies(solver, block->body_b + lane, &b, live);
}

B2D_INLINE void joint_pass(const b2d_solver* solver, const b2d_color_list* list, int32_t fixed, int32_t begin, int32_t end, int32_t pass) {
    for (int32_t k = begin; k < end; k++) {
        int32_t live = b2d_color_list_live(list, k);
        for (int32_t lane = 0; lane < live; lane += V_LANES) joint_lanes(solver, list->blocks[k], lane, live - lane, fixed, pass);
    }
}

static void joint_warm_start(const b2d_solver* solver, const b2d_color_list* list, int32_t fixed, int32_t begin, int32_t end) {
    joint_pass(solver, list, fixed, begin, end, B2D_PASS_WARM_START);
}
static void joint_solve(const b2d_solver* solver, const b2d_color_list* list, int32_t fixed, int32_t begin, int32_t end) {
    joint_pass(solver, list, fixed, begin, end, B2D_PASS_SOLVE);
}
static void joint_relax(const b2d_solver* solver, const b2d_color_list* list, int32_t fixed, int32_t begin, int32_t end) {
    joint_pass(solver, list, fixed, begin, end, B2D_PASS_RELAX);
}

const b2d_solver_kernels B2D_KERNEL(b2d_solver_kernels_of) = {contact_warm_start, contact_solve, contact_relax, contact_restitution,
                                                              joint_warm_start, joint_solve, joint_relax};
