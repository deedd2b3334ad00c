// csrc/solver/joint_rows_wide.inl - the rows of joints, V_LANES joints at a time; included after contact_wide.inl.
//
// The rows (graph/joint_block.h) are solved in this order: coupling; about the angle and then along the line each
// spring, motor, lower limit, upper limit and rigid row; across the line, together with the rigid angle row as a
// 2 x 2 block; in the plane the spring and then the motor; last the rigid point rows:
//   C = dB + rB - dA - rA,  K = (mA + mB) I + iA [ray^2, -rax ray; ., rax^2] + iB [rby^2, -rbx rby; ., rbx^2].
// Along a unit vector n that rotates with body A the coordinate is C = n . d with d = anchor B - anchor A; the lever
// of side A is (d + rA) x n and that of side B is rB x n. If the axis is fixed to side B, they are rA x n
// and (rB - d) x n. Across the line the same holds for n rotated left by 90 degrees. If a row is off in a lane, the
// values of the lane do not change at all, because the kernel selects the old ones instead of multiplying by zero.

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

// Sine and 1 - cosine of up to four turns: in a long step a link turns far.
B2D_INLINE void far_turn(vf angle, vf* sine, vf* versine) {
    short_series(angle, sine, versine);
    vm far = v_gt(v_abs(angle), v_set(B2D_SERIES_ANGLE));
    if (m_bits(far) == 0) return;
    enum { DOUBLINGS = 5 };
    vf s, q, part = v_mul(angle, v_set(1.0f / (float)(1 << DOUBLINGS)));
    short_series(v_max(v_set(-B2D_SERIES_ANGLE), v_min(v_set(B2D_SERIES_ANGLE), part)), &s, &q);
    for (int32_t k = 0; k < DOUBLINGS; k++) {
        vf twice = v_add(s, s), next = v_mul(twice, v_sub(v_set(1.0f), q));
        q = v_mul(twice, s), s = next;
    }
    *sine = v_select(far, s, *sine), *versine = v_select(far, q, *versine);
}

// Rotates the vector (x, y) by the angle.
B2D_INLINE void rotate_vector(vf angle, vf* x, vf* y) {
    vf sine, versine;
    far_turn(angle, &sine, &versine);
    vf x0 = *x, y0 = *y;
    *x = v_sub(x0, v_add(v_mul(sine, y0), v_mul(versine, x0)));
    *y = v_add(y0, v_sub(v_mul(sine, x0), v_mul(versine, y0)));
}

typedef struct joint_softness {
    vf bias_rate, mass_scale, impulse_scale, inverse_h;
    float push_speed;
} joint_softness;

// A joint that is far apart is pulled together no faster than overlaps are pushed apart; about an angle the radius of
// gyration makes a speed of it. `inverse_mass` is that of the row, `linear` that of the bodies without levers.
typedef struct pull_lanes {
    vf inverse_mass, linear;
} pull_lanes;

B2D_INLINE pull_lanes pull_of(const lanes* a, const lanes* b, bool turning) {
    if (turning) return (pull_lanes){v_add(a->i, b->i), v_add(a->m, b->m)};
    return (pull_lanes){v_set(1.0f), v_set(1.0f)};
}
B2D_INLINE vm is_far(vf bias, const pull_lanes* pull, const joint_softness* soft) {
    vf push = v_set(soft->push_speed * soft->push_speed);
    return v_gt(v_mul(v_mul(bias, bias), pull->linear), v_mul(push, pull->inverse_mass));
}
// What the bias needs against the feedback of the stored impulse comes on top, so that a load stretches no joint more.
// `stored_speed`: the stored impulse as a speed of the row.
B2D_INLINE vf bounded_bias(vf bias, vf stored_speed, const pull_lanes* pull, const joint_softness* soft) {
    vf feedback = v_mul(v_mul(soft->impulse_scale, v_reciprocal_or_zero(soft->mass_scale)), stored_speed);
    vf push = v_mul(v_set(soft->push_speed), v_sqrt(v_mul(pull->inverse_mass, v_reciprocal_or_zero(pull->linear))));
    vm up = v_gt(bias, v_zero());
    vf most = v_add(push, v_max(v_select(up, v_neg(feedback), feedback), v_zero())), bounded = v_min(v_abs(bias), most);
    return v_select(is_far(bias, pull, soft), v_select(up, bounded, v_neg(bounded)), bias);
}

// One-sided row: the gap must not become negative. `speed` is the rate of change of the gap.
B2D_INLINE vf limit_impulse(vf gap, vf speed, vf mass, vf old, const pull_lanes* pull, const joint_softness* soft,
                            bool bias) {
    vm apart = v_gt(gap, v_zero());
    vf target, impulse;
    if (bias) {
        vf back = v_mul(soft->bias_rate, gap);
        if (m_bits(m_andnot(is_far(back, pull, soft), apart)) != 0)
            back = bounded_bias(back, v_mul(old, v_reciprocal_or_zero(mass)), pull, soft);
        target = v_add(speed, v_select(apart, v_mul(gap, soft->inverse_h), back));
        vf scale = v_select(apart, v_set(1.0f), soft->mass_scale),
           impulse_scale = v_select(apart, v_zero(), soft->impulse_scale);
        impulse = v_sub(v_neg(v_mul(v_mul(mass, scale), target)), v_mul(impulse_scale, old));
    } else {
        target = v_add(speed, v_mask(apart, v_mul(gap, soft->inverse_h)));
        impulse = v_neg(v_mul(mass, target));
    }
    return v_max(v_add(old, impulse), v_zero());
}

B2D_INLINE vm flag_of(const float* flags, int32_t lane) { return v_gt(v_load(flags + lane), v_zero()); }

// Takes the changed velocities in the lanes that are on.
B2D_INLINE void keep_where(vm on, lanes* body, const lanes* changed) {
    body->vx = v_select(on, changed->vx, body->vx);
    body->vy = v_select(on, changed->vy, body->vy);
    body->w = v_select(on, changed->w, body->w);
}

// The direction of a row along a line: the unit vector and the levers of both sides.
typedef struct line_lanes {
    vf nx, ny, lever_a, lever_b;
} line_lanes;

B2D_INLINE void apply_line(lanes* a, lanes* b, const line_lanes* n, vm on, vf impulse) {
    lanes a2 = *a, b2 = *b;
    apply_normal(&a2, &b2, n->nx, n->ny, n->lever_a, n->lever_b, impulse);
    keep_where(on, a, &a2);
    keep_where(on, b, &b2);
}

// `n` is NULL for rows about the angle.
B2D_INLINE vf row_speed(const lanes* a, const lanes* b, const line_lanes* n) {
    return n == NULL ? v_sub(b->w, a->w) : relative_speed(a, b, n->nx, n->ny, n->lever_a, n->lever_b);
}
B2D_INLINE void apply_row(lanes* a, lanes* b, const line_lanes* n, vm on, vf impulse) {
    if (n == NULL) apply_angular(a, b, on, impulse);
    else apply_line(a, b, n, on, impulse);
}

// The speed towards a limit with which the solve and the relax pass let its gap close.
B2D_INLINE vf closing_speed(vf gap, const joint_softness* soft, bool bias) {
    vf rate = v_select(v_gt(gap, v_zero()), soft->inverse_h, bias ? soft->bias_rate : v_zero());
    return v_mul(gap, rate);
}

typedef struct motor_drive {
    vf speed, low, high; // target and bounds of the impulse
} motor_drive;

// A motor that drives towards a limit of its own joint drives no farther than that, and it does not brake there.
B2D_INLINE motor_drive drive_of(const b2d_scalar_rows* rows, int32_t lane, vf c, const joint_softness* soft,
                                bool bias) {
    vf speed = v_load(rows->motor_speed + lane), max = v_load(rows->motor_max + lane), zero = v_zero();
    motor_drive drive = {speed, v_neg(max), max};
    vm limit = flag_of(rows->limit_on, lane);
    if (m_bits(limit) == 0) return drive;
    vf most = closing_speed(v_sub(v_load(rows->upper + lane), c), soft, bias),
       least = v_neg(closing_speed(v_sub(c, v_load(rows->lower + lane)), soft, bias));
    vm up = m_and(limit, m_and(v_gt(speed, zero), v_gt(speed, most))),
       down = m_and(limit, m_and(v_gt(zero, speed), v_gt(least, speed)));
    drive.speed = v_select(up, most, v_select(down, least, speed));
    drive.low = v_select(up, zero, drive.low);
    drive.high = v_select(down, zero, drive.high);
    return drive;
}

// Spring, motor, limits and rigid row about the coordinate c, in the lanes of `valid`. The lanes of `coupled` solve
// their rigid row elsewhere (solve_across).
B2D_INLINE void solve_scalar_rows(b2d_scalar_rows* rows, int32_t lane, lanes* a, lanes* b, const line_lanes* n,
                                  vm valid, vm coupled, vf c, const joint_softness* soft, bool bias) {
    vf mass = v_reciprocal_or_zero(n == NULL ? v_add(a->i, b->i)
                                             : inverse_effective_mass(a, b, n->lever_a, n->lever_b));
    vm on = m_and(valid, flag_of(rows->spring_on, lane));
    if (m_bits(on) != 0) {
        vf old = v_load(rows->spring_impulse + lane);
        if (bias)
            v_store(rows->spring_bias + lane,
                    v_mul(v_load(rows->spring_bias_rate + lane), v_sub(c, v_load(rows->target + lane))));
        vf target = v_add(row_speed(a, b, n), v_load(rows->spring_bias + lane));
        vf scaled = v_mul(v_mul(v_load(rows->spring_mass_scale + lane), mass), target);
        vf impulse = v_sub(v_neg(scaled), v_mul(v_load(rows->spring_impulse_scale + lane), old));
        vf wanted = v_add(old, impulse);
        vf total = v_max(v_load(rows->spring_low + lane), v_min(v_load(rows->spring_high + lane), wanted));
        impulse = v_select(v_eq(total, wanted), impulse, v_sub(total, old));
        v_store(rows->spring_impulse + lane, v_select(on, total, old));
        apply_row(a, b, n, on, impulse);
    }
    on = m_and(valid, flag_of(rows->motor_on, lane));
    if (m_bits(on) != 0) {
        const motor_drive drive = drive_of(rows, lane, c, soft, bias);
        vf old = v_load(rows->motor_impulse + lane), target = v_sub(row_speed(a, b, n), drive.speed);
        vf total = v_max(drive.low, v_min(drive.high, v_sub(old, v_mul(mass, target))));
        v_store(rows->motor_impulse + lane, v_select(on, total, old));
        apply_row(a, b, n, on, v_sub(total, old));
    }
    on = m_and(valid, flag_of(rows->limit_on, lane));
    if (m_bits(on) != 0) {
        const pull_lanes pull = pull_of(a, b, n == NULL);
        vf old = v_load(rows->lower_impulse + lane);
        vf total = limit_impulse(v_sub(c, v_load(rows->lower + lane)), row_speed(a, b, n), mass, old, &pull, soft,
                                 bias);
        v_store(rows->lower_impulse + lane, v_select(on, total, old));
        apply_row(a, b, n, on, v_sub(total, old));
        old = v_load(rows->upper_impulse + lane);
        vf back = n == NULL ? v_sub(a->w, b->w) : v_neg(row_speed(a, b, n));
        total = limit_impulse(v_sub(v_load(rows->upper + lane), c), back, mass, old, &pull, soft, bias);
        v_store(rows->upper_impulse + lane, v_select(on, total, old));
        apply_row(a, b, n, on, v_sub(old, total));
    }
    on = m_andnot(m_and(valid, flag_of(rows->rigid_on, lane)), coupled);
    if (m_bits(on) != 0) {
        vf old = v_load(rows->rigid_impulse + lane), target = row_speed(a, b, n), impulse;
        if (bias) {
            const pull_lanes pull = pull_of(a, b, n == NULL);
            vf back = v_mul(soft->bias_rate, v_sub(c, v_load(rows->target + lane)));
            if (m_bits(m_and(on, is_far(back, &pull, soft))) != 0)
                back = bounded_bias(back, v_mul(old, v_reciprocal_or_zero(mass)), &pull, soft);
            target = v_add(target, back);
            impulse = v_sub(v_neg(v_mul(v_mul(soft->mass_scale, mass), target)), v_mul(soft->impulse_scale, old));
        } else impulse = v_neg(v_mul(mass, target));
        v_store(rows->rigid_impulse + lane, v_select(on, v_add(old, impulse), old));
        apply_row(a, b, n, on, impulse);
    }
}

// Anchors and the vector between them, rotated by the motion since the start of the step.
typedef struct anchor_lanes {
    vf r[4];       // from the centres of A and B to the anchors, x and y each
    vf dx, dy;     // anchor B - anchor A
    vf anchors[4]; // of blocks with rows in the plane: r before join_levers
} anchor_lanes;

B2D_INLINE anchor_lanes place_anchors(const b2d_joint_block* block, int32_t lane, const lanes* a, const lanes* b) {
    anchor_lanes at = {
        {v_load(block->ax + lane), v_load(block->ay + lane), v_load(block->bx + lane), v_load(block->by + lane)},
        v_zero(),
        v_zero(),
        {v_zero(), v_zero(), v_zero(), v_zero()}};
    rotate_vector(a->angle, &at.r[0], &at.r[1]);
    rotate_vector(b->angle, &at.r[2], &at.r[3]);
    at.dx = v_add(v_add(v_load(block->dx + lane), v_sub(b->dx, a->dx)), v_sub(at.r[2], at.r[0]));
    at.dy = v_add(v_add(v_load(block->dy + lane), v_sub(b->dy, a->dy)), v_sub(at.r[3], at.r[1]));
    return at;
}

// Anchors that are apart would give two moving bodies angular momentum, so impulses of the point and in the plane act
// midway between them. A motor drives the relative speed of the bodies there, which a pair that turns as one has not.
// Those of a mover act at its anchors, because it is to turn no body.
B2D_INLINE void join_levers(anchor_lanes* at) {
    vf x = v_mul(v_set(0.5f), at->dx), y = v_mul(v_set(0.5f), at->dy);
    at->r[0] = v_add(at->r[0], x), at->r[1] = v_add(at->r[1], y);
    at->r[2] = v_sub(at->r[2], x), at->r[3] = v_sub(at->r[3], y);
}

typedef struct line_state {
    line_lanes along, across;
    vm slide, across_on, valid;
    vf c, c_across;
} line_state;

B2D_INLINE vf v_cross(vf ax, vf ay, vf bx, vf by) { return v_sub(v_mul(ax, by), v_mul(ay, bx)); }

B2D_INLINE line_state line_of(const b2d_joint_rows* rows, int32_t lane, const lanes* a, const lanes* b,
                              const anchor_lanes* at, float least_length) {
    vm on_b = flag_of(rows->axis_on_b, lane), distance = flag_of(rows->distance_on, lane);
    vf nx = v_load(rows->axis_x + lane), ny = v_load(rows->axis_y + lane);
    rotate_vector(v_select(on_b, b->angle, a->angle), &nx, &ny);
    vf length = v_sqrt(v_add(v_mul(at->dx, at->dx), v_mul(at->dy, at->dy)));
    vm apart = v_gt(length, v_set(least_length)); // else a rod has no direction, and its rows are skipped
    vf inverse = v_div(v_set(1.0f), v_select(apart, length, v_set(1.0f)));
    nx = v_select(distance, v_mul(at->dx, inverse), nx);
    ny = v_select(distance, v_mul(at->dy, inverse), ny);
    vf ax = v_select(on_b, at->r[0], v_add(at->r[0], at->dx)), ay = v_select(on_b, at->r[1], v_add(at->r[1], at->dy));
    vf bx = v_select(on_b, v_sub(at->r[2], at->dx), at->r[2]), by = v_select(on_b, v_sub(at->r[3], at->dy), at->r[3]);
    vf px = v_neg(ny), py = nx;
    line_state state;
    state.slide = flag_of(rows->slide_on, lane);
    state.across_on = flag_of(rows->across_on, lane);
    state.valid = m_or(state.slide, m_and(distance, apart));
    state.along = (line_lanes){nx, ny, v_cross(ax, ay, nx, ny), v_cross(bx, by, nx, ny)};
    state.across = (line_lanes){px, py, v_cross(ax, ay, px, py), v_cross(bx, by, px, py)};
    state.c = v_select(distance, length, v_add(v_mul(nx, at->dx), v_mul(ny, at->dy)));
    state.c_across = v_add(v_mul(px, at->dx), v_mul(py, at->dy));
    return state;
}

// What swings on a rope or rod that is wound in would get faster, and gain energy from the correction. So it loses its
// speed across the line twice as fast as the line gets shorter. Returns the impulse, which is not stored.
B2D_INLINE vf slow_swing(const b2d_joint_rows* rows, int32_t lane, lanes* a, lanes* b, const line_state* line,
                         const joint_softness* soft) {
    const b2d_scalar_rows* along = &rows->line;
    vf over = v_max(v_mask(flag_of(along->limit_on, lane), v_sub(line->c, v_load(along->upper + lane))),
                    v_mask(flag_of(along->rigid_on, lane), v_sub(line->c, v_load(along->target + lane))));
    vm far = m_andnot(m_and(line->valid, v_gt(v_mul(soft->bias_rate, over), v_set(soft->push_speed))), line->slide);
    if (m_bits(far) == 0) return v_zero();
    const line_lanes* p = &line->across;
    vf speed = relative_speed(a, b, p->nx, p->ny, p->lever_a, p->lever_b),
       mass = v_reciprocal_or_zero(inverse_effective_mass(a, b, p->lever_a, p->lever_b)),
       share = v_min(v_set(1.0f), v_div(v_set(2.0f * soft->push_speed), v_mul(soft->inverse_h, line->c)));
    vf impulse = v_mask(far, v_neg(v_mul(v_mul(mass, share), speed)));
    apply_line(a, b, p, far, impulse);
    return impulse;
}

// Across a slide, together with the rigid angle row if the joint has one.
B2D_INLINE void solve_across(b2d_joint_rows* rows, int32_t lane, lanes* a, lanes* b, const line_state* line, vf angle,
                             const joint_softness* soft, bool bias) {
    const line_lanes* p = &line->across;
    vm turn = m_and(line->across_on, flag_of(rows->angle.rigid_on, lane));
    vf old_x = v_load(rows->across_impulse + lane), old_y = v_load(rows->angle.rigid_impulse + lane);
    vf x = relative_speed(a, b, p->nx, p->ny, p->lever_a, p->lever_b), y = v_sub(b->w, a->w);
    vf k11 = inverse_effective_mass(a, b, p->lever_a, p->lever_b), k22 = v_add(a->i, b->i);
    vf k12 = v_add(v_mul(a->i, p->lever_a), v_mul(b->i, p->lever_b));
    vm couple = m_and(turn, v_gt(k22, v_zero()));
    k12 = v_mask(couple, k12);
    if (bias) {
        const pull_lanes pull = pull_of(a, b, false), turn_pull = pull_of(a, b, true);
        vf back = v_mul(soft->bias_rate, line->c_across),
           turn_back = v_mul(soft->bias_rate, v_sub(angle, v_load(rows->angle.target + lane)));
        if (m_bits(m_or(is_far(back, &pull, soft), is_far(turn_back, &turn_pull, soft))) != 0) {
            back = bounded_bias(back, v_add(v_mul(k11, old_x), v_mul(k12, old_y)), &pull, soft);
            turn_back = bounded_bias(turn_back, v_add(v_mul(k12, old_x), v_mul(k22, old_y)), &turn_pull, soft);
        }
        x = v_add(x, back);
        y = v_add(y, turn_back);
    }
    y = v_mask(couple, y);
    k22 = v_select(couple, k22, v_set(1.0f));
    vf inverse = v_reciprocal_or_zero(v_sub(v_mul(k11, k22), v_mul(k12, k12)));
    vf px = v_neg(v_mul(inverse, v_sub(v_mul(k22, x), v_mul(k12, y))));
    vf py = v_neg(v_mul(inverse, v_sub(v_mul(k11, y), v_mul(k12, x))));
    if (bias) {
        px = v_sub(v_mul(soft->mass_scale, px), v_mul(soft->impulse_scale, old_x));
        py = v_sub(v_mul(soft->mass_scale, py), v_mul(soft->impulse_scale, old_y));
    }
    v_store(rows->across_impulse + lane, v_select(line->across_on, v_add(old_x, px), old_x));
    v_store(rows->angle.rigid_impulse + lane, v_select(couple, v_add(old_y, py), old_y));
    apply_line(a, b, p, line->across_on, px);
    apply_angular(a, b, couple, py);
}

// The 2 x 2 effective mass of a point. mass_x and mass_y multiply it by the speed (x, y).
typedef struct point_mass {
    vf k11, k12, k22, inverse;
} point_mass;

B2D_INLINE point_mass mass_at(const lanes* a, const lanes* b, const vf r[4]) {
    point_mass k;
    vf m = v_add(a->m, b->m);
    k.k11 = v_add(m, v_add(v_mul(a->i, v_mul(r[1], r[1])), v_mul(b->i, v_mul(r[3], r[3]))));
    k.k22 = v_add(m, v_add(v_mul(a->i, v_mul(r[0], r[0])), v_mul(b->i, v_mul(r[2], r[2]))));
    k.k12 = v_neg(v_add(v_mul(a->i, v_mul(r[0], r[1])), v_mul(b->i, v_mul(r[2], r[3]))));
    k.inverse = v_reciprocal_or_zero(v_sub(v_mul(k.k11, k.k22), v_mul(k.k12, k.k12)));
    return k;
}
B2D_INLINE vf mass_x(const point_mass* k, vf x, vf y) {
    return v_mul(k->inverse, v_sub(v_mul(k->k22, x), v_mul(k->k12, y)));
}
B2D_INLINE vf mass_y(const point_mass* k, vf x, vf y) {
    return v_mul(k->inverse, v_sub(v_mul(k->k11, y), v_mul(k->k12, x)));
}

B2D_INLINE vf point_speed_x(const lanes* a, const lanes* b, const vf r[4]) {
    return v_sub(v_sub(b->vx, v_mul(b->w, r[3])), v_sub(a->vx, v_mul(a->w, r[1])));
}
B2D_INLINE vf point_speed_y(const lanes* a, const lanes* b, const vf r[4]) {
    return v_sub(v_add(b->vy, v_mul(b->w, r[2])), v_add(a->vy, v_mul(a->w, r[0])));
}

// Adds (x, y) to the stored impulse, shortens the sum to the length `max`, stores it and applies the difference.
B2D_INLINE void add_bounded(float* store_x, float* store_y, int32_t lane, lanes* a, lanes* b, const vf r[4], vm on,
                            vf x, vf y, vf max) {
    vf old_x = v_load(store_x + lane), old_y = v_load(store_y + lane);
    x = v_add(old_x, x), y = v_add(old_y, y);
    vf length = v_sqrt(v_add(v_mul(x, x), v_mul(y, y)));
    vm over = v_gt(length, max);
    vf scale = v_select(over, v_div(max, v_select(over, length, v_set(1.0f))), v_set(1.0f));
    x = v_mul(scale, x), y = v_mul(scale, y);
    v_store(store_x + lane, v_select(on, x, old_x));
    v_store(store_y + lane, v_select(on, y, old_y));
    lanes a2 = *a, b2 = *b;
    apply_point(&a2, &b2, r, v_sub(x, old_x), v_sub(y, old_y));
    keep_where(on, a, &a2);
    keep_where(on, b, &b2);
}

// The axis x of a motor with a bound along each axis; y is it turned left by 90 degrees.
typedef struct plane_axes {
    vf x, y;
} plane_axes;

// Of `a` and `b`, turns of the sides, that of the side whose frame the axes are of; 0 for axes of the world.
B2D_INLINE vf turn_of_axes(const b2d_joint_rows* rows, int32_t lane, vf a, vf b) {
    return v_select(flag_of(rows->plane_turns_with_a, lane), a, v_mask(flag_of(rows->plane_turns_with_b, lane), b));
}

B2D_INLINE plane_axes plane_axes_of(const b2d_joint_rows* rows, int32_t lane, const lanes* a, const lanes* b) {
    plane_axes axis = {v_load(rows->plane_axis_x + lane), v_load(rows->plane_axis_y + lane)};
    rotate_vector(turn_of_axes(rows, lane, a->angle, b->angle), &axis.x, &axis.y);
    return axis;
}

// The axes midway in the motion of the substep that has ended. They had turned by w h since the speed along them was
// right. A push along the axes of now would only shorten the velocity, to cos(w h) of it; one along these turns it and
// keeps its length, as a tyre that grips sideways does, however long the substep is.
B2D_INLINE plane_axes axes_midway(const b2d_joint_rows* rows, int32_t lane, const plane_axes* axes, const lanes* a,
                                  const lanes* b, float h) {
    plane_axes midway = *axes;
    rotate_vector(v_mul(v_set(-0.5f * h), turn_of_axes(rows, lane, a->w, b->w)), &midway.x, &midway.y);
    return midway;
}

// A motor with a bound along each axis: x first, then y with the velocities that result. It measures the speed along
// `axes` and pushes along `push`.
B2D_INLINE void solve_plane_motor_by_axis(b2d_joint_rows* rows, int32_t lane, lanes* a, lanes* b, const vf r[4],
                                          const point_mass* k, const plane_axes* axes, const plane_axes* push, vm on) {
    for (int32_t axis = 0; axis < 2; axis++) {
        float* store = axis == 0 ? rows->plane_motor_x : rows->plane_motor_y;
        vf nx = axis == 0 ? axes->x : v_neg(axes->y), ny = axis == 0 ? axes->y : axes->x;
        vf px = axis == 0 ? push->x : v_neg(push->y), py = axis == 0 ? push->y : push->x;
        vf speed = v_add(v_mul(nx, point_speed_x(a, b, r)), v_mul(ny, point_speed_y(a, b, r)));
        vf inverse = v_add(v_add(v_mul(v_mul(nx, px), k->k11), v_mul(v_mul(ny, py), k->k22)),
                           v_mul(v_add(v_mul(nx, py), v_mul(ny, px)), k->k12));
        vf old = v_load(store + lane),
           max = v_load((axis == 0 ? rows->plane_motor_max : rows->plane_motor_max_y) + lane);
        vf wanted = v_mul(v_reciprocal_or_zero(inverse),
                          v_sub(speed, v_load((axis == 0 ? rows->plane_motor_vx : rows->plane_motor_vy) + lane)));
        vf total = v_max(v_neg(max), v_min(max, v_sub(old, wanted))), change = v_sub(total, old);
        v_store(store + lane, v_select(on, total, old));
        lanes a2 = *a, b2 = *b;
        apply_point(&a2, &b2, r, v_mul(px, change), v_mul(py, change));
        keep_where(on, a, &a2);
        keep_where(on, b, &b2);
    }
}

B2D_INLINE void solve_plane(b2d_joint_rows* rows, int32_t lane, lanes* a, lanes* b, const anchor_lanes* at,
                            const plane_axes* axes, const plane_axes* push, bool bias) {
    point_mass k = mass_at(a, b, at->r);
    vm on = flag_of(rows->plane_spring_on, lane);
    if (m_bits(on) != 0) {
        vf rate = v_load(rows->plane_spring_bias_rate + lane), mass = v_load(rows->plane_spring_mass_scale + lane),
           impulse_scale = v_load(rows->plane_spring_impulse_scale + lane);
        if (bias) {
            v_store(rows->plane_spring_bias_x + lane, v_mul(rate, at->dx));
            v_store(rows->plane_spring_bias_y + lane, v_mul(rate, at->dy));
        }
        vf x = v_add(point_speed_x(a, b, at->r), v_load(rows->plane_spring_bias_x + lane)),
           y = v_add(point_speed_y(a, b, at->r), v_load(rows->plane_spring_bias_y + lane));
        vf px = v_sub(v_neg(v_mul(mass, mass_x(&k, x, y))), v_mul(impulse_scale, v_load(rows->plane_spring_x + lane)));
        vf py = v_sub(v_neg(v_mul(mass, mass_y(&k, x, y))), v_mul(impulse_scale, v_load(rows->plane_spring_y + lane)));
        vm newton = m_and(on, v_gt(v_zero(), mass)); // given by its stiffness
        if (m_bits(newton) != 0) {
            vf soft = v_neg(mass), sx = v_add(x, v_mul(soft, v_load(rows->plane_spring_x + lane))),
               sy = v_add(y, v_mul(soft, v_load(rows->plane_spring_y + lane)));
            point_mass s = {v_add(k.k11, soft), k.k12, v_add(k.k22, soft), k.inverse};
            s.inverse = v_reciprocal_or_zero(v_sub(v_mul(s.k11, s.k22), v_mul(s.k12, s.k12)));
            px = v_select(newton, v_neg(mass_x(&s, sx, sy)), px);
            py = v_select(newton, v_neg(mass_y(&s, sx, sy)), py);
        }
        add_bounded(rows->plane_spring_x, rows->plane_spring_y, lane, a, b, at->r, on, px, py,
                    v_load(rows->plane_spring_max + lane));
    }
    on = flag_of(rows->plane_motor_on, lane);
    if (m_bits(on) != 0) {
        vf x = v_sub(point_speed_x(a, b, at->r), v_load(rows->plane_motor_vx + lane)),
           y = v_sub(point_speed_y(a, b, at->r), v_load(rows->plane_motor_vy + lane));
        add_bounded(rows->plane_motor_x, rows->plane_motor_y, lane, a, b, at->r, on, v_neg(mass_x(&k, x, y)),
                    v_neg(mass_y(&k, x, y)), v_load(rows->plane_motor_max + lane));
    }
    on = flag_of(rows->plane_motor_by_axis_on, lane);
    if (m_bits(on) == 0) return;
    k = mass_at(a, b, at->anchors);
    solve_plane_motor_by_axis(rows, lane, a, b, at->anchors, &k, axes, push, on);
}

// A row with a direction of its own on each side.
typedef struct coupling_lanes {
    vf ax, ay, aw, bx, by, bw;
} coupling_lanes;

B2D_INLINE coupling_lanes coupling_of(const b2d_joint_rows* rows, int32_t lane) {
    return (coupling_lanes){v_load(rows->coupling_ax + lane), v_load(rows->coupling_ay + lane),
                            v_load(rows->coupling_aw + lane), v_load(rows->coupling_bx + lane),
                            v_load(rows->coupling_by + lane), v_load(rows->coupling_bw + lane)};
}
B2D_INLINE vf coupling_sum(const coupling_lanes* j, vf ax, vf ay, vf aw, vf bx, vf by, vf bw) {
    return v_add(v_add(v_add(v_mul(j->ax, ax), v_mul(j->ay, ay)), v_mul(j->aw, aw)),
                 v_add(v_add(v_mul(j->bx, bx), v_mul(j->by, by)), v_mul(j->bw, bw)));
}
B2D_INLINE void apply_coupling(lanes* a, lanes* b, const coupling_lanes* j, vm on, vf impulse) {
    lanes a2 = *a, b2 = *b;
    vf ma = v_mul(a->m, impulse), mb = v_mul(b->m, impulse);
    a2.vx = v_add(a->vx, v_mul(ma, j->ax)), a2.vy = v_add(a->vy, v_mul(ma, j->ay)),
    a2.w = v_add(a->w, v_mul(v_mul(a->i, j->aw), impulse));
    b2.vx = v_add(b->vx, v_mul(mb, j->bx)), b2.vy = v_add(b->vy, v_mul(mb, j->by)),
    b2.w = v_add(b->w, v_mul(v_mul(b->i, j->bw), impulse));
    keep_where(on, a, &a2);
    keep_where(on, b, &b2);
}
B2D_INLINE void solve_coupling(b2d_joint_rows* rows, int32_t lane, lanes* a, lanes* b, const joint_softness* soft,
                               bool bias) {
    vm on = flag_of(rows->coupling_on, lane);
    coupling_lanes j = coupling_of(rows, lane);
    vf ka = v_add(v_mul(a->m, v_add(v_mul(j.ax, j.ax), v_mul(j.ay, j.ay))), v_mul(a->i, v_mul(j.aw, j.aw)));
    vf kb = v_add(v_mul(b->m, v_add(v_mul(j.bx, j.bx), v_mul(j.by, j.by))), v_mul(b->i, v_mul(j.bw, j.bw)));
    vf mass = v_reciprocal_or_zero(v_add(ka, kb));
    vf old = v_load(rows->coupling_impulse + lane), target = coupling_sum(&j, a->vx, a->vy, a->w, b->vx, b->vy, b->w),
       impulse;
    if (bias) {
        vf c = v_add(v_load(rows->coupling_value + lane),
                     coupling_sum(&j, a->dx, a->dy, a->angle, b->dx, b->dy, b->angle));
        const pull_lanes pull = {v_add(ka, kb), v_add(a->m, b->m)};
        vf back = v_mul(soft->bias_rate, c);
        if (m_bits(m_and(on, is_far(back, &pull, soft))) != 0)
            back = bounded_bias(back, v_mul(v_add(ka, kb), old), &pull, soft);
        impulse = v_neg(v_mul(v_mul(soft->mass_scale, mass), v_add(target, back)));
        impulse = v_sub(impulse, v_mul(soft->impulse_scale, old));
    } else impulse = v_neg(v_mul(mass, target));
    v_store(rows->coupling_impulse + lane, v_select(on, v_add(old, impulse), old));
    apply_coupling(a, b, &j, on, impulse);
}
