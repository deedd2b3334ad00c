// csrc/solver/direct_wide.inl - a pass over several assemblies with the same plan and rows, one in each lane.
//
// The operations and their order are those of direct_rows.c and direct_solve.c, so a lane has the bits of an assembly
// by itself. Assemblies in lanes are trees of moving bodies on something fixed, with joints that hold a point and
// perhaps an angle (B2D_DIRECT_IN_LANE). Their elimination has no fill-in: a column has one block at most. What is rare
// is left to the scalar code: a lane whose active set does not settle soon, whose corrections may be too fast, or whose
// numbers are huge. Then no velocity or impulse of the lane is written. Factors and directions are computed again
// in every pass, because a lane costs less than finding out whether it may keep them.
#include "solver/direct_rows_wide.inl"

#if !defined(B2D_ISA_SCALAR)
#define HUGE_IMPULSE 1.0e38 // rows of points have no other bound

static void wide_combine(wide_joint* joint) { // the rows of the angle
    const vd zero = d_set(0.0);
    wide_direction* d = &joint->directions[2];
    if (d->count == 1) {
        const wide_row* row = &joint->rows[2];
        const vl free = row->held == 0.0;
        d->held = d_select(free, zero, d_select(row->held < 0.0, row->low, row->high));
        d->softness = d_select(free, row->softness, zero), d->bias = d_select(free, row->bias, zero);
        return;
    }
    vd conductance = zero, driven = zero, held = zero;
    for (int32_t k = 2; k < joint->row_count; k++) {
        const wide_row* row = &joint->rows[k];
        const vl free = row->held == 0.0;
        conductance = d_select(free, conductance + 1.0 / row->softness, conductance);
        driven = d_select(free, driven + row->bias / row->softness, driven);
        held = d_select(free, held, held + d_select(row->held < 0.0, row->low, row->high));
    }
    const vl some = conductance > 0.0;
    d->held = held;
    d->softness = d_select(some, 1.0 / conductance, zero);
    d->bias = d_select(some, driven / conductance, zero);
}

static vd wide_inertia(const wide_pass* t, const wide_body* body) { // held_inertia
    if (t->keeps) return body->mass[2];
    const vd stiffness = (t->small ? 0.5 : 1.0) * body->stiffness;
    return d_select(stiffness > body->mass[2], stiffness, body->mass[2]);
}

static bool wide_same_diagonal(wide_pass* t) {
    bool same = t->factored;
    for (int32_t k = 0; k < t->node_count; k++) {
        wide_node* node = &t->nodes[k];
        vd diagonal[3];
        UNROLL
        for (int32_t i = 0; i < 3; i++)
            diagonal[i] = node->index < 0
                              ? t->joints[~node->index].directions[i].softness
                              : (i < 2 ? t->bodies[node->index].mass[i] : wide_inertia(t, &t->bodies[node->index]));
        UNROLL
        for (int32_t i = 0; i < 3; i++) {
            same = same && d_bits(node->diagonal[i] != diagonal[i]) == 0;
            node->diagonal[i] = diagonal[i];
        }
    }
    return same;
}

static inline vd wide_dot(const vd a[3], const vd b[3]) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }

// The lower half of the inverse; that of a plane joint has no third row.
static inline void wide_invert(const vd a[9], bool plane, bool diagonal, vd out[9]) {
    const vd i0 = 1.0 / a[0];
    if (diagonal) {
        out[0] = i0, out[4] = 1.0 / a[4], out[8] = 1.0 / a[8];
        out[3] = out[6] = out[7] = d_set(0.0);
        return;
    }
    const vd l10 = a[3] * i0, i1 = 1.0 / (a[4] - l10 * a[3]);
    if (plane) {
        out[4] = i1, out[3] = -l10 * i1, out[0] = i0 + l10 * l10 * i1;
        return;
    }
    const vd l20 = a[6] * i0, u = a[7] - l10 * a[6], l21 = u * i1, i2 = 1.0 / (a[8] - l20 * a[6] - l21 * u),
             m20 = l10 * l21 - l20;
    out[8] = i2;
    out[7] = -l21 * i2;
    out[6] = m20 * i2;
    out[4] = i1 + l21 * l21 * i2;
    out[3] = -l10 * i1 - l21 * m20 * i2;
    out[0] = i0 + l10 * l10 * i1 + m20 * m20 * i2;
}

// A body before the joint that holds it: l = J M^-1, and the joint's pivot loses l J^T. J has zeros (wide_joint), which
// are left out here and below, so zeros may have other signs than in the scalar code.
static inline void wide_eliminate_body(const wide_joint* joint, int32_t side, bool plane, vd turn, const vd m[9],
                                       vd l[9], vd to[9]) {
    const vd sign = d_set(side == 0 ? -1.0 : 1.0), p = joint->arm[side][0], q = joint->arm[side][1];
    l[0] = sign * m[0] + p * m[6], l[1] = sign * m[3] + p * m[7], l[2] = sign * m[6] + p * m[8];
    l[3] = sign * m[3] + q * m[6], l[4] = sign * m[4] + q * m[7], l[5] = sign * m[7] + q * m[8];
    to[0] = to[0] - (l[0] * sign + l[2] * p);
    to[3] = to[3] - (l[3] * sign + l[5] * p);
    to[4] = to[4] - (l[4] * sign + l[5] * q);
    if (plane) return;
    l[6] = turn * m[6], l[7] = turn * m[7], l[8] = turn * m[8];
    to[6] = to[6] - (l[6] * sign + l[8] * p);
    to[7] = to[7] - (l[7] * sign + l[8] * q);
    to[8] = to[8] - l[8] * turn;
}

// A joint before a body that it holds: l = J^T K, and the body's pivot loses l J.
static inline void wide_eliminate_joint(const wide_joint* joint, int32_t side, bool plane, vd turn, const vd m[9],
                                        vd l[9], vd to[9]) {
    const vd sign = d_set(side == 0 ? -1.0 : 1.0), p = joint->arm[side][0], q = joint->arm[side][1];
    l[0] = sign * m[0], l[1] = sign * m[3], l[3] = sign * m[3], l[4] = sign * m[4];
    l[6] = p * m[0] + q * m[3], l[7] = p * m[3] + q * m[4];
    if (!plane) {
        l[2] = sign * m[6], l[5] = sign * m[7];
        l[6] = l[6] + turn * m[6], l[7] = l[7] + turn * m[7], l[8] = p * m[6] + q * m[7] + turn * m[8];
    }
    to[0] = to[0] - l[0] * sign;
    to[3] = to[3] - l[3] * sign;
    to[4] = to[4] - l[4] * sign;
    to[6] = to[6] - l[6] * sign;
    to[7] = to[7] - l[7] * sign;
    to[8] = to[8] - (plane ? l[6] * p + l[7] * q : l[6] * p + l[7] * q + l[8] * turn);
}

static void wide_eliminate(wide_pass* t, wide_node* node) {
    const bool of_joint = node->index < 0;
    vd inverse[9];
    wide_invert(node->pivot, of_joint && node->plane, !of_joint && node->leaf, inverse);
    memcpy(node->pivot, inverse, sizeof inverse);
    if (node->row < 0) return;
    wide_node* later = &t->nodes[node->row];
    const wide_joint* joint = &t->joints[of_joint ? ~node->index : ~later->index];
    const int32_t side = joint->b == &t->bodies[of_joint ? later->index : node->index];
    const vd turn = d_select(joint->directions[2].softness > 0.0, d_set(side == 0 ? -1.0 : 1.0), d_set(0.0));
    const bool plane = joint->row_count == 2;
    if (of_joint && plane) wide_eliminate_joint(joint, side, true, turn, inverse, node->block, later->pivot);
    else if (of_joint) wide_eliminate_joint(joint, side, false, turn, inverse, node->block, later->pivot);
    else if (plane) wide_eliminate_body(joint, side, true, turn, inverse, node->block, later->pivot);
    else wide_eliminate_body(joint, side, false, turn, inverse, node->block, later->pivot);
}

static void wide_factor(wide_pass* t) {
    for (int32_t k = 0; k < t->node_count; k++) {
        wide_node* node = &t->nodes[k];
        node->pivot[3] = node->pivot[6] = node->pivot[7] = d_set(0.0);
        UNROLL
        for (int32_t i = 0; i < 3; i++) {
            const vd d = node->diagonal[i];
            node->pivot[4 * i] = node->index >= 0 ? d : -d_select(d > 0.0, d, d_set(1.0));
        }
    }
    for (int32_t k = 0; k < t->node_count; k++) wide_eliminate(t, &t->nodes[k]);
    t->factored = true;
}

static void wide_lay_out_right_side(wide_pass* t) {
    for (int32_t k = 0; k < t->body_count; k++) {
        const wide_body* body = &t->bodies[k];
        wide_node* node = &t->nodes[body->position];
        UNROLL
        for (int32_t i = 0; i < 3; i++) node->x[i] = (t->relax ? node->diagonal[i] : body->mass[i]) * body->velocity[i];
    }
    for (int32_t k = 0; k < t->joint_count; k++) {
        const wide_joint* joint = &t->joints[k];
        const wide_direction* d = joint->directions;
        wide_node* node = &t->nodes[joint->position];
        node->x[0] = -d[0].bias - d[0].known, node->x[1] = -d[1].bias - d[1].known;
        if (node->plane) continue;
        node->x[2] = d_select(d[2].softness > 0.0, -d[2].bias - d[2].known, d_set(0.0));
        vd *a = t->nodes[joint->a->position].x, *b = joint->b == NULL ? NULL : t->nodes[joint->b->position].x;
        a[2] = a[2] - d[2].held;
        if (b != NULL) b[2] = b[2] + d[2].held;
    }
}

// x of the node's row -= L x; the third row or column of a plane joint is left out.
static inline void wide_reduce(const wide_node* node, const vd u[3], vd x[3], int32_t rows, int32_t columns) {
    const vd* l = node->block;
    for (int32_t i = 0; i < rows; i++, l += 3)
        x[i] = x[i] - (columns == 2 ? l[0] * u[0] + l[1] * u[1] : wide_dot(l, u));
}

static void wide_substitute(wide_pass* t) {
    for (int32_t k = 0; k < t->node_count; k++) {
        const wide_node* node = &t->nodes[k];
        if (node->row < 0) continue;
        wide_node* later = &t->nodes[node->row];
        if (node->plane) wide_reduce(node, node->x, later->x, 3, 2);
        else if (later->plane) wide_reduce(node, node->x, later->x, 2, 3);
        else wide_reduce(node, node->x, later->x, 3, 3);
    }
    for (int32_t k = t->node_count; k-- > 0;) {
        wide_node* node = &t->nodes[k];
        const vd *l = node->block, *m = node->pivot, *u = node->x;
        vd x[3];
        if (node->plane) {
            x[0] = m[0] * u[0] + m[3] * u[1], x[1] = m[3] * u[0] + m[4] * u[1];
        } else {
            x[0] = m[0] * u[0] + m[3] * u[1] + m[6] * u[2];
            x[1] = m[3] * u[0] + m[4] * u[1] + m[7] * u[2];
            x[2] = m[6] * u[0] + m[7] * u[1] + m[8] * u[2];
        }
        if (node->row >= 0) {
            const wide_node* later = &t->nodes[node->row];
            const vd* v = later->x;
            if (node->plane) {
                x[0] = x[0] - (l[0] * v[0] + l[3] * v[1] + l[6] * v[2]);
                x[1] = x[1] - (l[1] * v[0] + l[4] * v[1] + l[7] * v[2]);
            } else if (later->plane) {
                x[0] = x[0] - (l[0] * v[0] + l[3] * v[1]);
                x[1] = x[1] - (l[1] * v[0] + l[4] * v[1]);
                x[2] = x[2] - (l[2] * v[0] + l[5] * v[1]);
            } else {
                x[0] = x[0] - (l[0] * v[0] + l[3] * v[1] + l[6] * v[2]);
                x[1] = x[1] - (l[1] * v[0] + l[4] * v[1] + l[7] * v[2]);
                x[2] = x[2] - (l[2] * v[0] + l[5] * v[1] + l[8] * v[2]);
            }
        }
        for (int32_t i = 0; i < (node->plane ? 2 : 3); i++) node->x[i] = x[i] + 0.0;
    }
}

static vd wide_next_state(const wide_row* row, vd speed) {
    const vd zero = d_set(0.0), one = d_set(1.0);
    const vd free = d_select(row->lambda < row->low, -one, d_select(row->lambda > row->high, one, zero));
    const vd wrong = speed + row->bias + row->softness * row->lambda;
    const vd low = d_select(wrong < -B2D_DIRECT_FREE_SPEED, zero, -one),
             high = d_select(wrong > B2D_DIRECT_FREE_SPEED, zero, one);
    const vd bound = d_select(row->low == row->high, row->held, d_select(row->held < 0.0, low, high));
    return d_select(row->held == 0.0, free, bound);
}

// Divides the impulse of a direction among its rows. The stiffest free row takes the rest.
static void wide_share_impulse(wide_joint* joint, const wide_direction* d, vd speed, vd total) {
    wide_row* rows = joint->rows + d->first;
    if (d->count == 1) {
        rows->lambda = d_select(rows->held == 0.0, total, d_select(rows->held < 0.0, rows->low, rows->high));
        return;
    }
    vl is_stiffest[B2D_DIRECT_ROWS];
    vl found = d_set(0.0) > 0.0;
    vd softness = d_set(0.0);
    for (int32_t k = 0; k < d->count; k++) {
        wide_row* row = &rows[k];
        const vl free = row->held == 0.0;
        row->lambda = d_select(free, -(speed + row->bias) / row->softness,
                               d_select(row->held < 0.0, row->low, row->high));
        total = d_select(free, total - row->lambda, total);
        const vl stiffer = free & (~found | (row->softness < softness));
        softness = d_select(stiffer, row->softness, softness);
        found = found | free;
        is_stiffest[k] = stiffer;
        for (int32_t i = 0; i < k; i++) is_stiffest[i] = is_stiffest[i] & ~stiffer;
    }
    for (int32_t k = 0; k < d->count; k++)
        rows[k].lambda = d_select(is_stiffest[k], rows[k].lambda + total, rows[k].lambda);
}

// Returns the lanes in which a row changed its state; those with huge impulses go to `bad`.
static uint32_t wide_pivot(wide_pass* t, uint32_t* bad) {
    vl changed = d_set(0.0) > 0.0, fine = ~changed;
    for (int32_t k = 0; k < t->joint_count; k++) {
        wide_joint* joint = &t->joints[k];
        wide_row* row = joint->rows;
        const vd* y = t->nodes[joint->position].x;
        for (int32_t i = 0; i < 2; i++, row++) { // the rows of the point are free
            row->lambda = -y[i];
            fine = fine & (d_abs(row->lambda) < HUGE_IMPULSE) & (d_abs(row->old) < HUGE_IMPULSE);
        }
        if (joint->row_count == 2) continue;
        const wide_direction* d = &joint->directions[2];
        vd speed = d->known - t->nodes[joint->a->position].x[2];
        if (joint->b != NULL) speed = speed + t->nodes[joint->b->position].x[2];
        wide_share_impulse(joint, d, speed, d_select(d->softness > 0.0, -y[2], d_set(0.0)));
        for (; row < joint->rows + joint->row_count; row++) {
            const vd next = wide_next_state(row, speed);
            changed = changed | (next != row->held);
            row->held = next;
        }
    }
    *bad |= d_bits(~fine);
    return d_bits(changed);
}

// Returns the lanes in which a body needs more inertia. The others, and those in `except`, keep what they have: they
// are settled, and further rounds must find their solution again.
static uint32_t wide_stiffen_again(wide_pass* t, const vl except) {
    vd had[B2D_DIRECT_WIDE], before[B2D_DIRECT_WIDE];
    vl more = d_set(0.0) > 0.0;
    for (int32_t k = 0; k < t->body_count; k++) {
        wide_body* body = &t->bodies[k];
        had[k] = wide_inertia(t, body), before[k] = body->stiffness;
        body->stiffness = d_set(0.0);
    }
    for (int32_t k = 0; k < t->joint_count; k++) wide_stiffen(t, &t->joints[k], false);
    for (int32_t k = 0; k < t->body_count; k++) more = more | (wide_inertia(t, &t->bodies[k]) > 2.0 * had[k]);
    more = more & ~except;
    for (int32_t k = 0; k < t->body_count; k++) {
        wide_body* body = &t->bodies[k];
        const vd least = (t->small ? 2.0 : 1.0) * had[k];
        body->stiffness = d_select(more, d_select(body->stiffness > least, body->stiffness, least), before[k]);
    }
    return d_bits(more);
}

static vl wide_mask(uint32_t bits) {
    vl mask = {0};
    for (int32_t lane = 0; lane < D_LANES; lane++) mask[lane] = -(int64_t)(bits >> lane & 1);
    return mask;
}

// Returns the lanes that are not settled or have huge numbers. A lane that is settled finds the same solution again.
static uint32_t wide_solve_rounds(wide_pass* t, uint32_t all, bool first) {
    uint32_t open = all, bad = 0;
    for (int32_t k = 0; k < t->joint_count; k++) {
        wide_fill(t, &t->joints[k], first);
        if (!t->keeps) wide_stiffen(t, &t->joints[k], true);
    }
    for (int32_t round = 0; round < B2D_DIRECT_BOLD_ROUNDS && (open & ~bad) != 0; round++) {
        for (int32_t k = 0; k < t->joint_count; k++)
            if (t->joints[k].row_count > 2) wide_combine(&t->joints[k]);
        if (!wide_same_diagonal(t)) wide_factor(t);
        wide_lay_out_right_side(t);
        wide_substitute(t);
        uint32_t changed = wide_pivot(t, &bad) & open;
        const uint32_t retained = changed | ~open;
        if (!t->relax && !t->keeps && (all & ~retained) != 0) changed |= wide_stiffen_again(t, wide_mask(retained));
        open = changed;
    }
    return open | bad;
}

// Lanes in which the greatest change of speed by the pass may exceed the push speed (bound_correction).
static uint32_t wide_fast(const wide_pass* t) {
    vl slow = ~(d_set(0.0) > 0.0);
    for (int32_t k = 0; k < t->body_count; k++) {
        const wide_body* body = &t->bodies[k];
        const vd *v = t->nodes[body->position].x, *now = body->side.speed;
        const vd speed = d_abs(v[0] - now[0]) + d_abs(v[1] - now[1]) + d_abs(v[2] - now[2]) * body->extent;
        slow = slow & (speed < 0.999 * (double)t->solver->push_speed);
    }
    return d_bits(~slow);
}

static uint32_t wide_infinite(const wide_pass* t) {
    vd sum = d_set(0.0);
    for (int32_t k = 0; k < t->node_count; k++)
        for (int32_t i = 0; i < (t->nodes[k].plane ? 2 : 3); i++) sum = sum + d_abs(t->nodes[k].x[i]);
    return d_bits(~(sum < 1.0e299));
}

static void wide_begin_solve(wide_pass* t) {
    const vd h = d_set((double)t->solver->h);
    for (int32_t k = 0; k < t->body_count; k++) {
        t->bodies[k].stiffness = d_set(0.0);
        if (!t->relax) wide_expect(&t->bodies[k].side, h);
    }
    for (int32_t k = 0; k < t->joint_count; k++) {
        wide_side* fixed = &t->joints[k].fixed;
        if (t->relax || t->joints[k].b != NULL || t->joints[k].rests) continue;
        UNROLL
        for (int32_t i = 0; i < 3; i++) fixed->expected[i] = fixed->speed[i];
        fixed->most = d_set((double)t->solver->inverse_h);
        wide_expect(fixed, h);
    }
}

// The motion of the base at the places of the bodies, where some base moves (b2d_direct_base_motion).
static void wide_base_motion(const wide_pass* t, const wide_joint* root, vd motion[][3]) {
    const b2d_solver* solver = t->solver;
    const int32_t index = (int32_t)(root - t->joints);
    double all[B2D_DIRECT_PENDULUM][3][D_LANES];
    for (int32_t k = 0; k < t->body_count && root->rests; k++) memcpy(motion[k], root->fixed.speed, sizeof motion[k]);
    if (root->rests) return;
    for (int32_t lane = 0; lane < D_LANES; lane++) {
        const b2d_direct_assembly* assembly = t->lanes[lane];
        const int32_t at = solver->direct->joints[assembly->first_joint + index].lane_index;
        const int32_t base = solver->graph->joint_blocks[at / B2D_LANES].body_b[at % B2D_LANES];
        for (int32_t k = 0; k < t->body_count; k++) {
            double one[3];
            b2d_direct_base_motion(solver, base, solver->direct->bodies[assembly->first_body + k].id, one);
            for (int32_t i = 0; i < 3; i++) all[k][i][lane] = one[i];
        }
    }
    for (int32_t k = 0; k < t->body_count; k++)
        for (int32_t i = 0; i < 3; i++) motion[k][i] = d_load_doubles(all[k][i]);
}

static vd wide_work_of(const wide_joint* joint, vd before[][3], vd after[][3], const wide_body* bodies) {
    const int32_t a = (int32_t)(joint->a - bodies), b = joint->b == NULL ? B2D_NONE : (int32_t)(joint->b - bodies);
    vd now = d_set(0.0) - after[a][2], old = d_set(0.0) - before[a][2], work = d_set(0.0);
    if (b != B2D_NONE) now = now + after[b][2], old = old + before[b][2];
    const int32_t end = joint->row_count - ((joint->kinds & B2D_DIRECT_RIGID_ROW) != 0);
    for (int32_t k = 2; k < end; k++) {
        const wide_row* row = &joint->rows[k];
        work = work + (row->old * now + row->lambda * old);
    }
    return work;
}

static void wide_keep_energy(wide_pass* t) { // b2d_direct_keep_energy
    vd before[B2D_DIRECT_PENDULUM][3], after[B2D_DIRECT_PENDULUM][3], base[B2D_DIRECT_PENDULUM][3];
    const vd zero = d_set(0.0);
    vd error = zero, energy = zero;
    bool rests = false;
    bool plain = true; // nothing but gravity acts
    for (int32_t lane = 0; lane < D_LANES; lane++) plain = plain && t->lanes[lane]->plain;
    vd fall[2];
    UNROLL
    for (int32_t i = 0; i < 2; i++) EACH_LANE(fall[i], t->lanes[lane]->kick[i])
    for (int32_t k = 0; k < t->joint_count; k++) {
        if (t->joints[k].b != NULL) continue;
        rests = (t->joints[k].kinds & B2D_DIRECT_STILL) != 0;
        if (!rests) wide_base_motion(t, &t->joints[k], base);
    }
    for (int32_t k = 0; k < t->body_count; k++) {
        const wide_body* body = &t->bodies[k];
        const vd* v = t->nodes[body->position].x;
        UNROLL
        for (int32_t i = 0; i < 3; i++) {
            vd kick = i < 2 ? fall[i] : zero;
            for (int32_t lane = 0; lane < D_LANES && !plain; lane++)
                if (!t->lanes[lane]->plain)
                    ((double*)&kick)[lane] = t->solver->direct->bodies[t->lanes[lane]->first_body + k].kick[i];
            if (rests) base[k][i] = zero;
            const vd m = body->mass[i], now = v[i] - base[k][i];
            const vd old = body->velocity[i] - body->change[i] + kick - base[k][i];
            error = error + m * (body->change[i] * now + (v[i] - body->velocity[i]) * old);
            energy = energy + m * (now * (now + 0.5 * kick) + kick * kick);
            after[k][i] = now, before[k][i] = old;
        }
    }
    for (int32_t k = 0; k < t->joint_count; k++)
        if (t->joints[k].row_count > 2) error = error - wide_work_of(&t->joints[k], before, after, t->bodies);
    const vl known = (energy > 0.0) & (energy < B2D_DIRECT_LARGEST);
    vd most;
    EACH_LANE(most, t->lanes[lane]->touches ? 1.0 : B2D_DIRECT_LARGEST)
    const vd square = 1.0 - error / energy, least = d_select(square < most, square, most);
    const vd scale = d_sqrt(d_select(least > 0.0, least, zero));
    for (int32_t k = 0; k < t->body_count; k++) {
        vd* v = t->nodes[t->bodies[k].position].x;
        UNROLL
        for (int32_t i = 0; i < 3; i++) v[i] = d_select(known, base[k][i] + scale * after[k][i], v[i]);
    }
}

static uint32_t b2d_direct_lanes(const b2d_solver* solver, const b2d_direct_assembly* const* lanes, int32_t count,
                                 bool relax, bool again) {
    wide_pass pass, *t = &pass;
    const uint32_t all = (1u << count) - 1;
    const b2d_direct_assembly* plan = &solver->direct->assemblies[lanes[0]->shape];
    t->solver = solver;
    t->body_count = lanes[0]->body_count, t->joint_count = lanes[0]->joint_count;
    t->relax = relax, t->small = t->body_count <= B2D_DIRECT_PENDULUM, t->factored = false;
    t->keeps = (lanes[0]->rows & B2D_DIRECT_KEEPS) != 0;
    t->node_count = t->body_count + t->joint_count;
    for (int32_t lane = 0; lane < D_LANES; lane++) t->lanes[lane] = lanes[lane < count ? lane : 0];
    EACH_LANE(t->share, t->lanes[lane]->share)
    for (int32_t k = 0; k < t->node_count; k++) {
        const b2d_direct_node* node = &solver->direct->nodes[plan->first_node + k];
        t->nodes[k].index = node->index, t->nodes[k].plane = false, t->nodes[k].leaf = true;
        t->nodes[k].row = node->count > 0 ? solver->direct->blocks[plan->first_block + node->first].row : -1;
    }
    for (int32_t k = 0; k < t->node_count; k++)
        if (t->nodes[k].row >= 0) t->nodes[t->nodes[k].row].leaf = false;
    for (int32_t k = 0; k < t->body_count; k++) wide_load_body(t, &t->bodies[k], k);
    for (int32_t k = 0; k < t->joint_count; k++) {
        wide_load_joint(t, &t->joints[k], k);
        t->nodes[t->joints[k].position].plane = t->joints[k].row_count == 2;
    }
    for (int32_t k = 0; k < t->body_count; k++) {
        wide_body* body = &t->bodies[k];
        UNROLL
        for (int32_t i = 0; i < 3; i++)
            body->velocity[i] = relax ? body->side.speed[i] : body->side.speed[i] - body->change[i];
    }
    wide_begin_solve(t);
    uint32_t left = wide_solve_rounds(t, all, true);
    if (!relax && !again) left |= wide_fast(t);
    if (t->small && !relax) { // again, with the rotation that was found
        for (int32_t k = 0; k < t->body_count; k++)
            t->bodies[k].side.expected[2] = t->nodes[t->bodies[k].position].x[2];
        wide_begin_solve(t);
        left |= wide_solve_rounds(t, all, false);
    }
    if (t->keeps && relax) {
        wide_keep_energy(t);
        for (int32_t lane = 0; lane < count; lane++) left |= (uint32_t)lanes[lane]->closing << lane;
    }
    left = (left | wide_infinite(t)) & all;
    wide_store(t, all & ~left);
    return left;
}
#undef EACH_LANE
#undef UNROLL
#undef HUGE_IMPULSE
#endif
