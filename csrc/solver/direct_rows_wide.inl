// csrc/solver/direct_rows_wide.inl - directions and rows of a joint in each lane, as direct_rows.c makes them.
#include "solver/direct_lanes_wide.inl"

#if !defined(B2D_ISA_SCALAR)
static void wide_turn(const vd q[2], const vd v[2], vd out[2]) {
    out[0] = q[0] * v[0] - q[1] * v[1];
    out[1] = q[1] * v[0] + q[0] * v[1];
}

// The mass of a direction, and its speed by what is fixed; `index` is 2 for the one of the angle.
static void wide_place(const wide_joint* joint, wide_direction* d, int32_t index, vd at) {
    d->at = at, d->known = d_set(0.0);
    for (int32_t side = 0; side < 2; side++) {
        const wide_body* body = side == 0 ? joint->a : joint->b;
        vd inverse_mass;
        if (body == NULL) {
            if (joint->kinds & B2D_DIRECT_STILL) continue;
            const vd *v = joint->fixed.speed, turned = index < 2 ? joint->arm[1][index] * v[2] : v[2];
            d->known = index < 2 ? v[index] + turned : turned;
            continue;
        }
        if (index < 2) {
            const vd arm = joint->arm[side][index], turned = arm * arm * body->inverse_inertia;
            inverse_mass = side == 0 ? body->inverse_mass + turned : d->inverse_mass + body->inverse_mass + turned;
        } else {
            inverse_mass = side == 0 ? body->inverse_inertia : d->inverse_mass + body->inverse_inertia;
        }
        d->inverse_mass = inverse_mass;
    }
}

static void wide_expect(wide_side* side, vd h) { // of the rotation in a substep; bounds and series as in find_bend
    const vd w = side->expected[2], most = side->most,
             turned = d_select(w > most, most, d_select(w < -most, -most, w)) * h, square = turned * turned;
    side->versine = square * (square / 24.0 - 0.5);
    side->sine = turned * square * (square / 120.0 - 1.0 / 6.0);
}

static void wide_bend(const wide_pass* t, const wide_joint* joint, vd bend[2]) {
    const double rate = 1.0 / (double)t->solver->h;
    bend[0] = bend[1] = d_set(0.0);
    if (t->relax || !t->small) return;
    for (int32_t side = 0; side < (joint->b == NULL && joint->rests ? 1 : 2); side++) {
        const wide_side* s = side == 0 ? &joint->a->side : (joint->b == NULL ? &joint->fixed : &joint->b->side);
        const vd* r = joint->lever[side];
        const double sign = side == 0 ? -1.0 : 1.0;
        bend[0] = bend[0] + sign * (s->versine * r[0] - s->sine * r[1]) * rate;
        bend[1] = bend[1] + sign * (s->versine * r[1] + s->sine * r[0]) * rate;
    }
}

static void wide_set_row(wide_row* row, vd softness, vd bias) {
    row->softness = softness, row->bias = bias;
    row->low = d_set(-B2D_DIRECT_LARGEST), row->high = d_set(B2D_DIRECT_LARGEST);
}

static vd wide_limit_rate(const wide_pass* t, const wide_joint* joint, vd gap) {
    return d_select(gap > 0.0, d_set((double)t->solver->inverse_h), t->relax ? d_set(0.0) : joint->rate);
}

static void wide_set_limit(const wide_pass* t, const wide_joint* joint, const wide_direction* d, wide_row* row,
                           vd gap) {
    const vd soft = t->relax ? d_set(B2D_DIRECT_RIGID) : d_select(gap > 0.0, d_set(B2D_DIRECT_RIGID), joint->loose);
    wide_set_row(row, soft * d->inverse_mass, row->sign * gap * wide_limit_rate(t, joint, gap));
    *(row->sign > 0.0 ? &row->low : &row->high) = d_set(0.0);
}

static void wide_set_spring(const wide_pass* t, const wide_joint* joint, const wide_direction* d, wide_row* row) {
    const wide_scalars* s = &joint->scalars;
    const vd scale = s->spring_scale;
    const vd soft = d_select(scale > 0.0, d->inverse_mass * s->spring_impulse_scale / scale, d_set(1.0e30));
    vd bias;
    for (int32_t lane = 0; lane < D_LANES; lane++) {
        float* to = row->side_by_side ? s->spring_bias[0] + lane : s->spring_bias[lane];
        if (!t->relax) *to = (float)s->spring_rate[lane] * (float)(d->at[lane] - s->spring_target[lane]);
        ((double*)&bias)[lane] = (double)*to;
    }
    wide_set_row(row, soft + B2D_DIRECT_RIGID * d->inverse_mass, bias);
    row->low = s->spring_low, row->high = s->spring_high;
}

static void wide_set_motor(const wide_pass* t, const wide_joint* joint, const wide_direction* d, wide_row* row) {
    const wide_scalars* s = &joint->scalars;
    const vd zero = d_set(0.0), wish = s->motor_speed;
    vd speed = wish, low = -s->motor_max, high = s->motor_max;
    if (joint->kinds & B2D_DIRECT_LIMIT_ROWS) {
        const vl up = wish > 0.0;
        const vd gap = d_select(up, s->upper - d->at, d->at - s->lower);
        const vd closing = wide_limit_rate(t, joint, gap) * gap;
        const vl near = (wish != 0.0) & (closing < d_abs(wish));
        speed = d_select(near, d_select(up, closing, -closing), wish);
        low = d_select(near & up, zero, low);
        high = d_select(near & ~up, zero, high);
    }
    wide_set_row(row, 1.0e3 * B2D_DIRECT_RIGID * d->inverse_mass, -speed);
    row->low = low, row->high = high;
}

static void wide_set_scalars(const wide_pass* t, wide_joint* joint, wide_direction* d) {
    const wide_scalars* s = &joint->scalars;
    wide_row* row = joint->rows + 2;
    if (joint->kinds & B2D_DIRECT_SPRING_ROW) wide_set_spring(t, joint, d, row++);
    if (joint->kinds & B2D_DIRECT_MOTOR_ROW) wide_set_motor(t, joint, d, row++);
    if (joint->kinds & B2D_DIRECT_LIMIT_ROWS) {
        wide_set_limit(t, joint, d, row++, d->at - s->lower);
        wide_set_limit(t, joint, d, row++, s->upper - d->at);
    }
    if (joint->kinds & B2D_DIRECT_RIGID_ROW)
        wide_set_row(row, joint->loose * d->inverse_mass,
                     t->relax ? d_set(0.0) : joint->rate * (d->at - s->spring_target) + 0.0);
}

static void wide_start(const wide_pass* t, wide_row* row) {
    const vd one = d_set(1.0), zero = d_set(0.0);
    row->held = row->springs ? zero : d_select(row->old >= row->high, one, d_select(row->old <= row->low, -one, zero));
    if (!t->relax) return;
    if (row->springs) row->bias = row->bias + row->softness * row->old;
    row->low = row->low - row->old, row->high = row->high - row->old;
}

static void wide_stiffen(const wide_pass* t, wide_joint* joint, bool stored) {
    const double h = (double)t->solver->h;
    const vd x = stored ? joint->rows[0].old : joint->rows[0].lambda,
             y = stored ? joint->rows[1].old : joint->rows[1].lambda;
    const vd *a = joint->lever[0], *b = joint->lever[1];
    wide_body *body_a = (wide_body*)joint->a, *body_b = (wide_body*)joint->b;
    body_a->stiffness = body_a->stiffness + -h * (a[0] * x + a[1] * y);
    if (body_b != NULL) body_b->stiffness = body_b->stiffness + h * (b[0] * x + b[1] * y);
}

// The rows of the point are always free, so they are combined once.
static void wide_set_point(const wide_pass* t, wide_joint* joint, bool first) {
    vd bend[2];
    wide_bend(t, joint, bend);
    UNROLL
    for (int32_t k = 0; k < 2; k++) {
        wide_direction* d = &joint->directions[k];
        wide_row* row = &joint->rows[k];
        if (first) {
            wide_set_row(row, joint->loose * d->inverse_mass, d_set(0.0));
            wide_start(t, row);
            d->softness = row->softness;
        }
        d->bias = row->bias = t->relax ? d_set(0.0) : joint->rate * d->at + bend[k];
    }
}

static void wide_fill(wide_pass* t, wide_joint* joint, bool first) {
    const vd zero = d_set(0.0);
    const wide_side *a = &joint->a->side, *b = joint->b == NULL ? &joint->fixed : &joint->b->side;
    wide_direction* directions = joint->directions;
    if (first) {
        wide_turn(a->rotation, joint->anchor[0], joint->lever[0]);
        wide_turn(b->rotation, joint->anchor[1], joint->lever[1]);
        const vd *ra = joint->lever[0], *rb = joint->lever[1];
        vd d[2], half[2];
        UNROLL
        for (int32_t k = 0; k < 2; k++) {
            d[k] = joint->between[k] + (b->moved[k] - a->moved[k]) + (rb[k] - ra[k]);
            half[k] = joint->b == NULL ? zero : 0.5 * d[k];
        }
        joint->arm[0][0] = ra[1] + half[1], joint->arm[0][1] = -(ra[0] + half[0]);
        joint->arm[1][0] = -(rb[1] - half[1]), joint->arm[1][1] = rb[0] - half[0];
        UNROLL
        for (int32_t k = 0; k < 2; k++) {
            wide_place(joint, &directions[k], k, d[k]);
            directions[k].first = k, directions[k].count = 1;
        }
        directions[2].first = 2, directions[2].count = joint->row_count - 2, directions[2].softness = zero;
        if (joint->row_count > 2)
            wide_place(joint, &directions[2], 2, joint->start_angle + (b->moved[2] - a->moved[2]));
    }
    wide_set_point(t, joint, first);
    if (joint->row_count == 2) return;
    wide_set_scalars(t, joint, &directions[2]);
    for (int32_t k = 2; k < joint->row_count; k++) wide_start(t, &joint->rows[k]);
}
#endif
