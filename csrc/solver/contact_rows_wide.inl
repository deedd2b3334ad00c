// csrc/solver/contact_rows_wide.inl - the rows of contacts, V_LANES contacts at a time.
//
// The formulas of the contact frame are in narrowphase/contact_block.h, those of the soft step in solver.h. In order:
// both normals at once, friction of point 0, of point 1, then (relax only) rolling resistance. A skipped
// part is an exact no-op: values that do not apply are selected away, never multiplied away.

typedef struct lanes {
    vf vx, vy, w, m, dx, dy, angle, i;
} lanes;

B2D_INLINE lanes gather_bodies(const b2d_solver* solver, const int32_t* bodies) {
    vf row[8];
    v_gather8((const float*)solver->states, bodies, row);
    return (lanes){row[0], row[1], row[2], row[3], row[4], row[5], row[6], row[7]};
}

// Writes the velocities of `live` lanes back; the inverse mass beside them is written unchanged.
B2D_INLINE void scatter_bodies(const b2d_solver* solver, const int32_t* bodies, const lanes* body, int32_t live) {
    vf row[4] = {body->vx, body->vy, body->w, body->m};
    if (live >= V_LANES) v_scatter4((float*)solver->states, bodies, row);
    else v_scatter4_some((float*)solver->states, bodies, row, (1u << live) - 1u);
}

// The gathers of the next block, of contacts or of joints, wait for its ids of bodies, which come first; its other rows
// come early enough by themselves.
B2D_INLINE void prefetch_ids(const void* block) {
    const int32_t* ids = block;
    __builtin_prefetch(ids);
    __builtin_prefetch(ids + B2D_LANES);
}

B2D_INLINE vf v_madd(vf a, vf b, vf c) { return v_add(v_mul(a, b), c); }
B2D_INLINE vf v_reciprocal_or_zero(vf a) {
    vm positive = v_gt(a, v_zero());
    return v_mask(positive, v_div(v_set(1.0f), v_select(positive, a, v_set(1.0f))));
}

#define B2D_SERIES_ANGLE 0.78539816f // rad, up to which the short series are exact enough

// Sine and 1 - cosine by short series.
B2D_INLINE void short_series(vf t, vf* sine, vf* versine) {
    vf t2 = v_mul(t, t);
    *sine = v_mul(t, v_add(v_set(1.0f), v_mul(t2, v_add(v_set(-1.0f / 6.0f), v_mul(t2, v_set(1.0f / 120.0f))))));
    *versine = v_mul(t2, v_add(v_set(0.5f), v_mul(t2, v_set(-1.0f / 24.0f))));
}
// Shorter: what it is off at 0.5 rad is 0.3 % of the lever, until the next manifold.
B2D_INLINE void short_turn_series(vf angle, vf* sine, vf* versine) {
    const float limit = 0.78539816f;
    vf t = v_max(v_set(-limit), v_min(v_set(limit), angle));
    vf t2 = v_mul(t, t);
    *sine = v_mul(t, v_add(v_set(1.0f), v_mul(t2, v_set(-1.0f / 6.0f))));
    *versine = v_mul(t2, v_set(0.5f));
}

// The same of the angle turned since the step began, which is clamped: a point of contact does not turn farther.
B2D_INLINE void turn_series(vf angle, vf* sine, vf* versine) {
    const float limit = B2D_SERIES_ANGLE;
    short_series(v_max(v_set(-limit), v_min(v_set(limit), angle)), sine, versine);
}

B2D_INLINE void apply_normal(lanes* a, lanes* b, vf nx, vf ny, vf lever_a, vf lever_b, vf impulse) {
    vf ma = v_mul(a->m, impulse), mb = v_mul(b->m, impulse);
    a->vx = v_sub(a->vx, v_mul(ma, nx));
    a->vy = v_sub(a->vy, v_mul(ma, ny));
    a->w = v_sub(a->w, v_mul(v_mul(a->i, lever_a), impulse));
    b->vx = v_add(b->vx, v_mul(mb, nx));
    b->vy = v_add(b->vy, v_mul(mb, ny));
    b->w = v_add(b->w, v_mul(v_mul(b->i, lever_b), impulse));
}

B2D_INLINE vf relative_speed(const lanes* a, const lanes* b, vf nx, vf ny, vf lever_a, vf lever_b) {
    vf linear = v_add(v_mul(nx, v_sub(b->vx, a->vx)), v_mul(ny, v_sub(b->vy, a->vy)));
    return v_add(linear, v_sub(v_mul(b->w, lever_b), v_mul(a->w, lever_a)));
}

B2D_INLINE vf inverse_effective_mass(const lanes* a, const lanes* b, vf lever_a, vf lever_b) {
    return v_add(v_add(a->m, b->m), v_add(v_mul(a->i, v_mul(lever_a, lever_a)), v_mul(b->i, v_mul(lever_b, lever_b))));
}

typedef struct softness_lanes {
    vf bias_rate, hardness, impulse_scale, push, inverse_h, inverse_dt, inverse_slop, slop, release_rate;
} softness_lanes;

// One part in 8192 softer than rigid, so that two rows with equal levers still have one solution.
#define B2D_RIGID_SCALE (1.0f - 1.0f / 8192.0f)

B2D_INLINE softness_lanes contact_softness(const b2d_solver* solver, int32_t fixed) {
    const b2d_softness* s = &solver->stiffness.contact[fixed];
    return (softness_lanes){.bias_rate = v_set(s->bias_rate),
                            .hardness = v_set(1.0f / b2d_min(s->mass_scale, B2D_RIGID_SCALE)),
                            .impulse_scale = v_set(s->impulse_scale),
                            .push = v_set(solver->push_speed),
                            .inverse_h = v_set(solver->inverse_h),
                            .inverse_dt = v_set(1.0f / solver->dt),
                            .inverse_slop = v_set((fixed ? 1.7f : 1.0f) / solver->linear_slop),
                            .slop = v_set(solver->linear_slop),
                            .release_rate = v_set(1.0f / solver->release_speed)};
}

// Of lanes that belong to cells of different softness.
static __attribute__((noinline)) void soften_lanes(const b2d_solver* solver, const int32_t* bodies, int32_t fixed,
                                                   softness_lanes* soft) {
    _Alignas(64) float rows[3][V_LANES];
    for (int32_t k = 0; k < V_LANES; k++) { // padding lanes have no body
        const b2d_softness* s = &b2d_stiffness_of(solver, b2d_max_int(bodies[k], 0))->contact[fixed];
        rows[0][k] = s->bias_rate, rows[1][k] = 1.0f / b2d_min(s->mass_scale, B2D_RIGID_SCALE);
        rows[2][k] = s->impulse_scale;
    }
    soft->bias_rate = v_load(rows[0]), soft->hardness = v_load(rows[1]), soft->impulse_scale = v_load(rows[2]);
}

// Inverse effective masses under this are of bodies without mass; the bound keeps their impulses finite until they are
// dropped.
#define B2D_LEAST_INVERSE_MASS 1.0e-20f

// Ratios of masses. Below them impacts are thrown back little; above them the load of a heavy body in a pile would be
// shaken off (solver/press.h).
#define B2D_LEAST_UNLIKE       1.5f
#define B2D_MOST_UNLIKE        5.0f

// The pair in the contact frame. Its normal rows are solved together, then its tangent rows one after the other. The
// speeds of both are computed at once, and the coupling corrects that of the second by what the first has changed: it
// then waits for seven operations instead of twelve.
typedef struct pair_motion {
    vf normal, tangent;       // relative speed of the centres
    vf w_a, w_b, i_a, i_b, m; // spins, inverse inertias, sum of inverse masses
    // Some side has mass. Others get no impulse, which would act as soon as one of them is given a mass
    vm massive;
    vm unlike; // both move, and one has B2D_LEAST_UNLIKE to B2D_MOST_UNLIKE times the mass of the other
} pair_motion;

typedef struct row_lanes {
    vf lever_a, lever_b, turn_a, turn_b; // what an impulse of 1 turns each side by
    vf speed, impulse;                   // before the row is solved; given by it
} row_lanes;

B2D_INLINE row_lanes make_row(const pair_motion* pair, vf lever_a, vf lever_b, vf speed) {
    row_lanes row = {.lever_a = lever_a,
                     .lever_b = lever_b,
                     .turn_a = v_mul(pair->i_a, lever_a),
                     .turn_b = v_mul(pair->i_b, lever_b)};
    row.speed = v_add(speed, v_sub(v_mul(pair->w_b, lever_b), v_mul(pair->w_a, lever_a)));
    return row;
}

// By how much an impulse of 1 in one row changes the speed of another along the same direction.
B2D_INLINE vf coupling(const pair_motion* pair, const row_lanes* x, const row_lanes* y) {
    return v_add(pair->m, v_add(v_mul(x->turn_a, y->lever_a), v_mul(x->turn_b, y->lever_b)));
}
B2D_INLINE vf effective_mass(const pair_motion* pair, const row_lanes* row) {
    return v_div(v_set(1.0f), v_max(coupling(pair, row, row), v_set(B2D_LEAST_INVERSE_MASS)));
}

// One normal row before it is solved.
typedef struct normal_row {
    vf speed_error;   // its speed less the speed wanted
    vf diagonal;      // coupling with itself
    vf hardness;      // above 1: `diagonal` times this is the diagonal of a soft row
    vf old, retained; // its impulse so far, and what a soft row keeps of it
} normal_row;

// A contact under load rests at the depth where the push-out makes up for what the soft step takes off its impulse, the
// compliance term: 0.053 of it in a substep. With less than 0.045 tall pyramids and piles on slopes flutter, because
// friction follows the normal force. Overlaps of 18 slops and more are those of bodies that something else holds in
// each other, such as a joint: they have less of it, down to a fifth at 26 slops, or bodies on one hinge turn each
// other (docs/decisions/solver.md, "The stiffness of contacts").
#define WHOLE_SHARE_LINE 2.8f // the share at no depth, if it went on beyond 1 where it ends at 18 slops
#define SHARE_PER_SLOP   0.1f
#define LEAST_SHARE      0.2f
B2D_INLINE vf compliance_share(vf separation, const softness_lanes* soft) {
    const vf slops = v_mul(separation, soft->inverse_slop); // negative
    return v_min(v_max(v_add(v_set(WHOLE_SHARE_LINE), v_mul(v_set(SHARE_PER_SLOP), slops)), v_set(LEAST_SHARE)),
                 v_set(1.0f));
}

// How far the bodies have moved since the step began: the separation of a point in terms of its levers, with the arm
// at the start of the step written out (contact_block.h).
typedef struct pair_shift {
    vf constant, of_along, of_gap, sine_a, sine_b;
} pair_shift;

B2D_INLINE pair_shift shift_of(const b2d_contact_block* block, int32_t lane, const lanes* a, const lanes* b, vf nx,
                               vf ny) {
    pair_shift shift;
    vf versine_a, versine_b, radius_a = v_load(block->radius_a + lane);
    short_turn_series(a->angle, &shift.sine_a, &versine_a);
    short_turn_series(b->angle, &shift.sine_b, &versine_b);
    const vf of_core = v_add(versine_a, v_mul(v_load(block->turn + lane), v_sub(shift.sine_b, shift.sine_a))),
             beyond = v_add(v_load(block->along_normal_shift + lane), v_load(block->radius_b + lane)),
             linear = v_add(v_mul(nx, v_sub(b->dx, a->dx)), v_mul(ny, v_sub(b->dy, a->dy))),
             roll_a = v_load(block->roll_arm + lane), roll_b = v_add(roll_a, v_load(block->roll_shift + lane)),
             ahead = v_sub(v_mul(shift.sine_b, roll_b), v_mul(shift.sine_a, roll_a));
    shift.constant = v_sub(v_sub(linear, ahead), v_add(v_mul(versine_b, beyond), v_mul(of_core, radius_a)));
    shift.of_along = v_sub(of_core, versine_b);
    shift.of_gap = v_sub(v_set(1.0f), v_mul(v_set(0.5f), v_add(of_core, versine_b)));
    return shift;
}

B2D_INLINE vf separation_of(const b2d_contact_point* p, int32_t lane, const row_lanes* row, const pair_shift* shift) {
    vf turned = v_sub(v_mul(shift->sine_b, row->lever_b), v_mul(shift->sine_a, row->lever_a));
    turned = v_add(turned, v_mul(shift->of_along, v_load(p->along_normal + lane)));
    return v_add(v_add(v_mul(shift->of_gap, v_load(p->initial_separation + lane)), shift->constant), turned);
}

// The relax pass, without `bias`, computes the separation; the soft pass that follows it finds it.
B2D_INLINE normal_row make_normal_row(const b2d_contact_block* block, b2d_contact_step* step, int32_t lane, int32_t j,
                                      const row_lanes* row, const pair_shift* shift, const softness_lanes* soft,
                                      bool bias) {
    vf s = bias ? v_load(step->separation[j] + lane) : separation_of(&block->point[j], lane, row, shift);
    if (!bias) v_store(step->separation[j] + lane, s);
    vf braking = v_mul(s, soft->inverse_h);
    vf diagonal = v_load(step->diagonal[j] + lane), old = v_load(block->point[j].normal_impulse + lane),
       rigid = v_set(1.0f / B2D_RIGID_SCALE);
    vm apart = v_gt(s, v_zero());
    if (!bias) { // what was left idle before the bodies moved stays so: it is braked before they move again
        const vf idle = v_mask(v_le(old, v_zero()), v_set(B2D_DEAD_POINT));
        return (normal_row){v_add(row->speed, v_mask(apart, v_max(braking, idle))), diagonal, rigid, old, old};
    }
    // Apart: brake just enough to touch at the end of the substep. Overlapping: the soft spring, its push speed
    // bounded.
    vf bounded = v_max(v_mul(soft->bias_rate, s), v_neg(soft->push));
    vf released = v_mask(m_not(apart), v_mul(v_mul(soft->impulse_scale, old), compliance_share(s, soft)));
    return (normal_row){v_add(row->speed, v_select(apart, braking, bounded)), diagonal,
                        v_select(apart, rigid, soft->hardness), old, v_sub(old, released)};
}

// By how much the heavier body of each pair has been turned back in this substep: the change of its speed away from the
// other body, over solver->release_speed, or over what its fall gains in a step where that is more. At rest forces and
// constraints cancel, whatever the load is, but for the errors of the passes, which grow with gravity. Where a directly
// solved assembly closes its joints, or where the heavier body belongs to one, the joints turn it and not the impact.
static __attribute__((noinline)) vf turned_back(const b2d_solver* solver, const b2d_contact_block* block,
                                                int32_t lane) {
    _Alignas(64) float share[V_LANES];
    for (int i = 0; i < V_LANES; i++) {
        // Padding lanes read any body: their pairs are not unlike
        const int32_t a = b2d_max_int(block->body_a[lane + i], 0), b = b2d_max_int(block->body_b[lane + i], 0);
        const bool is_b = solver->states[b].inverse_mass < solver->states[a].inverse_mass;
        const int32_t heavier = is_b ? b : a;
        const b2d_body_state* state = &solver->states[heavier];
        const float* free = solver->steps[heavier].free_velocity;
        const b2d_vec2 fall = b2d_free_acceleration(solver, heavier), n = {block->nx[lane + i], block->ny[lane + i]},
                       change = {state->vx - free[0] + solver->h * fall.x, state->vy - free[1] + solver->h * fall.y};
        share[i] = (is_b ? b2d_dot(n, change) : -b2d_dot(n, change)) /
                   b2d_max(solver->release_speed, solver->dt * b2d_length(fall));
        const uint32_t flags = solver->steps[a].flags | solver->steps[b].flags;
        if ((flags & B2D_STEP_CLOSING) || b2d_is_direct(solver->graph, heavier)) share[i] = 0.0f;
    }
    return v_load(share);
}

// A contact of bodies of unlike masses that opens fast at the beginning of a relax pass has more impulse than it
// needs: sequential impulses take a load off a light body as slowly as they put it on, and the rest would throw the
// heavier body back. So it loses a share of its impulse that grows with the square of the opening speed, up to all of
// it at solver->release_speed. By what a row loses its bodies approach again: at most as fast as they opened, so no
// energy comes back. The speed counts as far as the heavier body has been turned back in this substep: that is an
// impact; where a lasting load wedges a light body between others, only that body moves, and it would tremble for
// ever. Returns whether a lane lost something.
#define B2D_LEAST_RELEASE 0.03f // of that speed: slower ones lose nothing, so that most blocks go on at once
B2D_INLINE vf released_of(const normal_row* row, vf part, vf opening) {
    return v_min(v_mul(row->old, v_min(v_mul(part, part), v_set(1.0f))), v_div(opening, row->diagonal));
}
B2D_INLINE bool release(const b2d_solver* solver, const b2d_contact_block* block, int32_t lane, const pair_motion* pair,
                        normal_row* x, normal_row* y, vf opening_x, vf opening_y, const softness_lanes* soft) {
    const vf least = v_set(B2D_LEAST_RELEASE);
    vf part_x = v_mul(opening_x, soft->release_rate), part_y = v_mul(opening_y, soft->release_rate);
    if (m_bits(m_and(pair->unlike, v_gt(v_max(part_x, part_y), least))) == 0) return false;
    const vf most = turned_back(solver, block, lane);
    part_x = v_min(part_x, most), part_y = v_min(part_y, most);
    const vm fast_x = m_and(pair->unlike, v_gt(part_x, least)), fast_y = m_and(pair->unlike, v_gt(part_y, least));
    x->retained = v_sub(x->old, v_mask(fast_x, released_of(x, part_x, opening_x)));
    y->retained = v_sub(y->old, v_mask(fast_y, released_of(y, part_y, opening_y)));
    return true;
}

// Of the lanes that are `on`; `all`: each is.
B2D_INLINE void solve_friction(b2d_contact_point* p, int32_t lane, row_lanes* row, vf mass, vf friction, bool all,
                               vm on) {
    vf old = v_load(p->tangent_impulse + lane), limit = v_mul(friction, v_load(p->normal_impulse + lane));
    vf wanted = v_add(old, v_mul(mass, row->speed));
    vf total = v_max(v_neg(limit), v_min(limit, wanted));
    if (!all) total = v_select(on, total, old);
    row->impulse = v_sub(total, old);
    v_store(p->tangent_impulse + lane, total);
}

// Both points' impulses at once; those along the tangent t turn the other way, for a lever r has r x t = -r . n.
B2D_INLINE void turn_by(pair_motion* pair, const row_lanes* x, const row_lanes* y, bool along_normal) {
    vf a = v_add(v_mul(x->turn_a, x->impulse), v_mul(y->turn_a, y->impulse));
    vf b = v_add(v_mul(x->turn_b, x->impulse), v_mul(y->turn_b, y->impulse));
    pair->w_a = along_normal ? v_sub(pair->w_a, a) : v_add(pair->w_a, a);
    pair->w_b = along_normal ? v_add(pair->w_b, b) : v_sub(pair->w_b, b);
}

// Of both normal rows, whose levers differ by d; arm_shift: by how much the levers of side B differ from those of A.
B2D_INLINE vf inverse_determinant(const pair_motion* pair, vf d, vf arm_shift, const normal_row* x,
                                  const normal_row* y) {
    vf inertias = v_add(v_mul(pair->m, v_add(pair->i_a, pair->i_b)),
                        v_mul(v_mul(pair->i_a, pair->i_b), v_mul(arm_shift, arm_shift)));
    vf softened = v_mul(v_mul(x->diagonal, y->diagonal), v_sub(v_mul(x->hardness, y->hardness), v_set(1.0f)));
    return v_div(v_set(1.0f), v_add(v_mul(v_mul(d, d), inertias), softened));
}

// Both normal rows at once: solving one after the other tilts a box that falls flat and makes stacks lean. It is a
// linear complementarity problem with two unknowns: impulses x >= 0, residuals K x - b >= 0, and of each pair one is
// zero. Where the solution without bounds is negative in one row, that row is zero and the other is solved alone; K is
// positive definite, so this is the one solution, and of two such lone rows at most one pushes. The determinant K00 K11
// - K01^2 = d^2 (m (iA + iB) + iA iB s^2), with d the distance of the levers and s their shift, has no cancellation in
// this form; softness makes the diagonal, and so the determinant, greater.
B2D_INLINE void solve_normals(const b2d_solver* solver, b2d_contact_block* block, b2d_contact_step* step, int32_t lane,
                              pair_motion* pair, const pair_shift* shift, const softness_lanes* soft, bool bias,
                              vf* sum) {
    b2d_contact_point* p = block->point;
    vf arm_shift = v_load(block->normal_arm_shift + lane), arm0 = v_load(p[0].normal_arm + lane),
       arm1 = v_load(p[1].normal_arm + lane);
    row_lanes first = make_row(pair, arm0, v_add(arm0, arm_shift), pair->normal),
              second = make_row(pair, arm1, v_add(arm1, arm_shift), pair->normal);
    normal_row row0 = make_normal_row(block, step, lane, 0, &first, shift, soft, bias),
               row1 = make_normal_row(block, step, lane, 1, &second, shift, soft, bias);
    vf k = coupling(pair, &first, &second);
    vf soft_diagonal0 = v_mul(row0.diagonal, row0.hardness), soft_diagonal1 = v_mul(row1.diagonal, row1.hardness);
    vf inverse = bias ? inverse_determinant(pair, v_sub(arm0, arm1), arm_shift, &row0, &row1)
                      : v_load(step->inverse_determinant + lane);
    vf speed_error0 = row0.speed_error, speed_error1 = row1.speed_error;
    if (bias || release(solver, block, lane, pair, &row0, &row1, first.speed, second.speed, soft)) {
        speed_error0 = v_add(speed_error0, v_mul(k, v_sub(row1.retained, row1.old)));
        speed_error1 = v_add(speed_error1, v_mul(k, v_sub(row0.retained, row0.old)));
    }
    vf x0 = v_sub(row0.retained, v_mul(inverse, v_sub(v_mul(soft_diagonal1, speed_error0), v_mul(k, speed_error1)))),
       x1 = v_sub(row1.retained, v_mul(inverse, v_sub(v_mul(soft_diagonal0, speed_error1), v_mul(k, speed_error0))));
    // Alone: diagonal * x = pull
    vm alone0 = v_lt(x1, v_zero()), alone1 = v_lt(x0, v_zero());
    vf pull0 = v_sub(v_mul(soft_diagonal0, row0.retained), v_sub(row0.speed_error, v_mul(k, row1.old))),
       pull1 = v_sub(v_mul(soft_diagonal1, row1.retained), v_sub(row1.speed_error, v_mul(k, row0.old)));
    vm second_pushes = m_and(alone1, v_gt(pull1, v_zero()));
#if defined(B2D_ISA_AVX512) || defined(B2D_ISA_SCALAR) // a division takes longer than waiting for the choice
    vf lone0 = v_div(v_select(second_pushes, pull1, pull0), v_select(second_pushes, soft_diagonal1, soft_diagonal0));
    vf lone1 = lone0;
#else
    vf lone0 = v_div(pull0, soft_diagonal0), lone1 = v_div(pull1, soft_diagonal1);
#endif
    vf total0 = v_max(v_select(alone0, v_mask(m_not(second_pushes), lone0), x0), v_zero());
    vf total1 = v_max(v_select(alone1, v_mask(second_pushes, lone1), x1), v_zero());
    total0 = v_mask(pair->massive, total0), total1 = v_mask(pair->massive, total1);
    v_store(p[0].normal_impulse + lane, total0);
    v_store(p[1].normal_impulse + lane, total1);
    first.impulse = v_sub(total0, row0.old);
    second.impulse = v_sub(total1, row1.old);
    turn_by(pair, &first, &second, true);
    *sum = v_add(first.impulse, second.impulse);
}

// Speeds are those against the tangent: so the levers are the dot products as they are stored.
B2D_INLINE void solve_frictions(b2d_contact_block* block, const b2d_contact_step* step, int32_t lane, pair_motion* pair,
                                vf belt, bool all, vm on, vf* sum) {
    b2d_contact_point* p = block->point;
    vf friction = v_load(block->friction + lane), along_normal_shift = v_load(block->along_normal_shift + lane),
       nd0 = v_load(p[0].along_normal + lane), nd1 = v_load(p[1].along_normal + lane);
    vf back = v_sub(belt, pair->tangent);
    row_lanes first = make_row(pair, nd0, v_add(nd0, along_normal_shift), back),
              second = make_row(pair, nd1, v_add(nd1, along_normal_shift), back);
    solve_friction(&p[0], lane, &first, v_load(step->tangent_mass[0] + lane), friction, all, on);
    second.speed = v_sub(second.speed, v_mul(coupling(pair, &first, &second), first.impulse));
    solve_friction(&p[1], lane, &second, v_load(step->tangent_mass[1] + lane), friction, all, on);
    turn_by(pair, &first, &second, false);
    *sum = v_add(first.impulse, second.impulse);
}

// Lanes that stick or creep: their first point slips by less than twenty slops a second, and overlaps by less than ten
// slops. What overlaps more moves because it is pushed out; friction on that motion would drive wheels of such bodies.
// With a lower bound of speed too houses of cards leaned over (docs/decisions/solver.md).
#define CREEP_SPEED 20.0f // slops a second
#define CREEP_DEPTH 10.0f // slops
B2D_INLINE vm creeps(const b2d_contact_block* block, const b2d_contact_step* step, int32_t lane,
                     const pair_motion* pair, vf belt, const softness_lanes* soft) {
    vf lever_a = v_load(block->point[0].along_normal + lane),
       lever_b = v_add(lever_a, v_load(block->along_normal_shift + lane));
    vf turning = v_sub(v_mul(pair->w_b, lever_b), v_mul(pair->w_a, lever_a)),
       slip = v_abs(v_add(v_sub(belt, pair->tangent), turning)),
       depth = v_mul(v_load(step->separation[0] + lane), soft->inverse_slop);
    return m_and(v_lt(slip, v_mul(v_set(CREEP_SPEED), soft->slop)), v_gt(depth, v_set(-CREEP_DEPTH)));
}

B2D_INLINE void solve_rolling(const b2d_contact_block* block, b2d_extra_block* extra, int32_t lane, pair_motion* pair) {
    vf resistance = v_load(extra->rolling + lane);
    vm on = v_gt(resistance, v_zero());
    if (m_bits(on) == 0) return;
    vf normal = v_add(v_load(block->point[0].normal_impulse + lane), v_load(block->point[1].normal_impulse + lane));
    vf limit = v_mul(resistance, normal);
    vf mass = v_reciprocal_or_zero(v_add(pair->i_a, pair->i_b));
    vf old = v_load(extra->rolling_impulse + lane);
    vf total = v_max(v_neg(limit), v_min(limit, v_sub(old, v_mul(mass, v_sub(pair->w_b, pair->w_a)))));
    vf impulse = v_sub(total, old);
    v_store(extra->rolling_impulse + lane, v_select(on, total, old));
    pair->w_a = v_select(on, v_sub(pair->w_a, v_mul(pair->i_a, impulse)), pair->w_a);
    pair->w_b = v_select(on, v_add(pair->w_b, v_mul(pair->i_b, impulse)), pair->w_b);
}

B2D_INLINE void track_peaks(const b2d_contact_block* block, b2d_extra_block* extra, int32_t lane) {
    for (int32_t j = 0; j < 2; j++)
        v_store(extra->peak_impulse[j] + lane,
                v_max(v_load(extra->peak_impulse[j] + lane), v_load(block->point[j].normal_impulse + lane)));
}
