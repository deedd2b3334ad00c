// csrc/solver/contact_wide.inl - contact passes over blocks, V_LANES contacts at a time; compiled once per instruction
// set.
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

// A relax pass ends a substep: the bodies have got the impulses that the contact has now.
B2D_INLINE void add_forces(b2d_contact_block* block, int32_t lane, vf inverse_dt) {
    const b2d_contact_point* p = block->point;
    vf normal = v_add(v_load(p[0].normal_impulse + lane), v_load(p[1].normal_impulse + lane)),
       tangent = v_add(v_load(p[0].tangent_impulse + lane), v_load(p[1].tangent_impulse + lane));
    v_store(block->normal_force + lane, v_madd(normal, inverse_dt, v_load(block->normal_force + lane)));
    v_store(block->tangent_force + lane, v_madd(tangent, inverse_dt, v_load(block->tangent_force + lane)));
}

// Before a body has moved. The first pass of a step that reads the lanes calls it: warm starting, else preparing.
B2D_INLINE void begin_lanes(const b2d_solver* solver, int32_t id, int32_t lane, const lanes* a, const lanes* b) {
    const b2d_contact_block* block = &solver->graph->blocks[id];
    const b2d_contact_point* p = block->point;
    b2d_contact_step* step = &solver->contact_steps[id];
    const pair_motion pair = {.i_a = a->i, .i_b = b->i, .m = v_add(a->m, b->m)};
    for (int32_t j = 0; j < 2; j++) {
        v_store(step->separation[j] + lane, v_load(p[j].initial_separation + lane));
        v_store(step->load[j] + lane, v_load(p[j].normal_impulse + lane));
    }
    vf shift = v_load(block->normal_arm_shift + lane), arm0 = v_load(p[0].normal_arm + lane),
       arm1 = v_load(p[1].normal_arm + lane), rigid = v_set(1.0f / B2D_RIGID_SCALE);
    row_lanes first = make_row(&pair, arm0, v_add(arm0, shift), v_zero()),
              second = make_row(&pair, arm1, v_add(arm1, shift), v_zero());
    // The bounds keep the products of two finite
    const vf least = v_set(1.0e-16f), most = v_set(1.0e16f);
    const normal_row row0 = {.diagonal = v_min(v_max(coupling(&pair, &first, &first), least), most), .hardness = rigid},
                     row1 = {.diagonal = v_min(v_max(coupling(&pair, &second, &second), least), most),
                             .hardness = rigid};
    v_store(step->inverse_inertia[0] + lane, a->i);
    v_store(step->inverse_inertia[1] + lane, b->i);
    v_store(step->diagonal[0] + lane, row0.diagonal);
    v_store(step->diagonal[1] + lane, row1.diagonal);
    v_store(step->inverse_determinant + lane, inverse_determinant(&pair, v_sub(arm0, arm1), shift, &row0, &row1));
    vf along_shift = v_load(block->along_normal_shift + lane), along0 = v_load(p[0].along_normal + lane),
       along1 = v_load(p[1].along_normal + lane);
    first = make_row(&pair, along0, v_add(along0, along_shift), v_zero());
    second = make_row(&pair, along1, v_add(along1, along_shift), v_zero());
    v_store(step->tangent_mass[0] + lane, effective_mass(&pair, &first));
    v_store(step->tangent_mass[1] + lane, effective_mass(&pair, &second));
}
B2D_INLINE void begin_lane(const b2d_solver* solver, int32_t id, int32_t lane) {
    const b2d_contact_block* block = &solver->graph->blocks[id];
    const lanes a = gather_bodies(solver, block->body_a + lane), b = gather_bodies(solver, block->body_b + lane);
    begin_lanes(solver, id, lane, &a, &b);
}

// The passes before the first substep.
B2D_INLINE void contact_lanes(const b2d_solver* solver, int32_t id, int32_t lane, int32_t live, int32_t fixed,
                              int32_t pass) {
    b2d_contact_block* block = &solver->graph->blocks[id];
    b2d_extra_block* extra = solver->graph->extras[id];
    lanes a = gather_bodies(solver, block->body_a + lane), b = gather_bodies(solver, block->body_b + lane);
    vf nx = v_load(block->nx + lane), ny = v_load(block->ny + lane);
    if (pass == B2D_PASS_PREPARE) {
        vf normal_arm_shift = v_load(block->normal_arm_shift + lane);
        for (int32_t j = 0; j < 2; j++) {
            vf normal_arm = v_load(block->point[j].normal_arm + lane);
            v_store(extra->approach[j] + lane,
                    relative_speed(&a, &b, nx, ny, normal_arm, v_add(normal_arm, normal_arm_shift)));
            v_store(extra->peak_impulse[j] + lane, v_zero());
        }
        return;
    }
    if (pass == B2D_PASS_WARM_START) {
        begin_lanes(solver, id, lane, &a, &b);
        const b2d_contact_point* p = block->point;
        vf normal_arm_shift = v_load(block->normal_arm_shift + lane),
           along_normal_shift = v_load(block->along_normal_shift + lane), rn0 = v_load(p[0].normal_arm + lane),
           rn1 = v_load(p[1].normal_arm + lane);
        vf n0 = v_load(p[0].normal_impulse + lane), n1 = v_load(p[1].normal_impulse + lane),
           t0 = v_load(p[0].tangent_impulse + lane);
        vf t1 = v_load(p[1].tangent_impulse + lane), n = v_add(n0, n1), t = v_add(t0, t1);
        vf jx = v_add(v_mul(n, nx), v_mul(t, ny)), jy = v_sub(v_mul(n, ny), v_mul(t, nx));
        vf slip = v_add(v_mul(t0, v_load(p[0].along_normal + lane)), v_mul(t1, v_load(p[1].along_normal + lane)));
        vf twist_a = v_sub(v_add(v_mul(n0, rn0), v_mul(n1, rn1)), slip),
           twist_b = v_add(twist_a, v_sub(v_mul(n, normal_arm_shift), v_mul(t, along_normal_shift)));
        a.vx = v_sub(a.vx, v_mul(a.m, jx)), a.vy = v_sub(a.vy, v_mul(a.m, jy)), a.w = v_sub(a.w, v_mul(a.i, twist_a));
        b.vx = v_add(b.vx, v_mul(b.m, jx)), b.vy = v_add(b.vy, v_mul(b.m, jy)), b.w = v_add(b.w, v_mul(b.i, twist_b));
        if (extra != NULL) {
            vf impulse = v_load(extra->rolling_impulse + lane);
            vm on = v_gt(v_load(extra->rolling + lane), v_zero());
            a.w = v_select(on, v_sub(a.w, v_mul(a.i, impulse)), a.w);
            b.w = v_select(on, v_add(b.w, v_mul(b.i, impulse)), b.w);
        }
    }
    scatter_bodies(solver, block->body_a + lane, &a, live);
    if (!fixed) scatter_bodies(solver, block->body_b + lane, &b, live);
}

B2D_INLINE void contact_pass(const b2d_solver* solver, const b2d_color_list* list, int32_t fixed, int32_t begin,
                             int32_t end, int32_t pass) {
    for (int32_t k = begin; k < end; k++) {
        int32_t live = b2d_color_list_live(list, k), id = list->blocks[k];
        for (int32_t lane = 0; pass == B2D_PASS_PREPARE && !solver->warm_starting && lane < live; lane += V_LANES)
            begin_lane(solver, id, lane);
        if (pass == B2D_PASS_PREPARE && solver->graph->extras[id] == NULL) continue;
        if (k + 1 < end) prefetch_ids(&solver->graph->blocks[list->blocks[k + 1]]);
        for (int32_t lane = 0; lane < live; lane += V_LANES) contact_lanes(solver, id, lane, live - lane, fixed, pass);
    }
}

// V_LANES contacts on their way through a solve or relax pass.
typedef struct contact_group {
    b2d_contact_block* block;
    b2d_extra_block* extra; // or NULL
    int32_t lane, live;
    lanes a, b;
    pair_motion pair;
    pair_shift shift; // of the relax pass
    b2d_contact_step* step;
    vf push, slip;      // sums of what the pass adds to the impulses along the normal and the tangent
    uint32_t unsettled; // lanes
} contact_group;
#define B2D_MOST_RUB 40.0f // linear slops a second: less throws nothing up by more than 2 mm

B2D_INLINE void group_begin(const b2d_solver* solver, int32_t id, int32_t lane, int32_t live, bool relax,
                            contact_group* g) {
    const b2d_contact_block* block = g->block = &solver->graph->blocks[id];
    g->step = &solver->contact_steps[id];
    g->extra = solver->graph->extras[id], g->lane = lane, g->live = live;
    lanes a = gather_bodies(solver, block->body_a + g->lane), b = gather_bodies(solver, block->body_b + g->lane);
    if (!relax) { // so that it gathers half rows
        a.i = v_load(g->step->inverse_inertia[0] + g->lane);
        b.i = v_load(g->step->inverse_inertia[1] + g->lane);
    }
    g->a = a, g->b = b;
    vf nx = v_load(block->nx + g->lane), ny = v_load(block->ny + g->lane), x = v_sub(b.vx, a.vx), y = v_sub(b.vy, a.vy);
    if (relax) g->shift = shift_of(block, g->lane, &a, &b, nx, ny);
    g->pair = (pair_motion){.normal = v_add(v_mul(nx, x), v_mul(ny, y)),
                            .tangent = v_sub(v_mul(ny, x), v_mul(nx, y)),
                            .w_a = a.w,
                            .w_b = b.w,
                            .i_a = a.i,
                            .i_b = b.i,
                            .m = v_add(a.m, b.m)};
    g->pair.massive = v_gt(g->pair.m, v_zero());
    const vf least = v_min(a.m, b.m), most = v_max(a.m, b.m);
    g->pair.unlike = m_and(v_gt(most, v_mul(v_set(B2D_LEAST_UNLIKE), least)),
                           v_lt(most, v_mul(v_set(B2D_MOST_UNLIKE), least)));
}

B2D_INLINE void group_normals(const b2d_solver* solver, contact_group* g, const softness_lanes* soft, bool bias) {
    solve_normals(solver, g->block, g->step, g->lane, &g->pair, &g->shift, soft, bias, &g->push);
}

B2D_INLINE vf group_belt(const contact_group* g) {
    return g->extra != NULL ? v_load(g->extra->tangent_speed + g->lane) : v_zero();
}
// Lanes whose friction turned the bodies so that a point that pushes opens by more than B2D_MOST_RUB: it pushed too
// hard. A load has most of its friction already; contacts that release their impulses do without.
B2D_INLINE uint32_t unsettled(const contact_group* g, vf w_a, vf w_b, const softness_lanes* soft) {
    const b2d_contact_point* p = g->block->point;
    const vf a = v_sub(g->pair.w_a, w_a), b = v_sub(g->pair.w_b, w_b), turn = v_sub(b, a),
             along = v_mul(b, v_load(g->block->normal_arm_shift + g->lane)),
             first = v_madd(turn, v_load(p[0].normal_arm + g->lane), along),
             second = v_madd(turn, v_load(p[1].normal_arm + g->lane), along),
             most = v_mul(v_set(B2D_MOST_RUB), soft->slop);
    const vm much = m_or(m_and(v_gt(first, most), v_gt(v_load(p[0].normal_impulse + g->lane), v_zero())),
                         m_and(v_gt(second, most), v_gt(v_load(p[1].normal_impulse + g->lane), v_zero())));
    const vf whole = v_add(v_load(p[0].tangent_impulse + g->lane), v_load(p[1].tangent_impulse + g->lane));
    const vm sudden = v_gt(v_abs(g->slip), v_mul(v_set(0.5f), v_abs(whole)));
    return m_bits(m_andnot(m_and(much, sudden), g->pair.unlike));
}
// In the soft pass friction acts on what does not slide: bodies move with the velocities that this pass leaves, so what
// the push-out makes slip in each substep would creep, however slowly. What slides has the friction of the relax pass.
B2D_INLINE void group_tangents(contact_group* g, const softness_lanes* soft, bool relax) {
    const vf belt = group_belt(g), w_a = g->pair.w_a, w_b = g->pair.w_b;
    g->slip = v_zero();
    const vm held = relax ? m_from_bits(0) : creeps(g->block, g->step, g->lane, &g->pair, belt, soft);
    if (relax || m_bits(held) != 0) solve_frictions(g->block, g->step, g->lane, &g->pair, belt, relax, held, &g->slip);
    if (relax) g->unsettled = unsettled(g, w_a, w_b, soft);
    if (g->extra == NULL) return;
    if (relax) solve_rolling(g->block, g->extra, g->lane, &g->pair);
    track_peaks(g->block, g->extra, g->lane);
}

B2D_INLINE void group_end(const b2d_solver* solver, contact_group* g, int32_t fixed) {
    lanes *a = &g->a, *b = &g->b;
    vf nx = v_load(g->block->nx + g->lane), ny = v_load(g->block->ny + g->lane);
    vf jx = v_add(v_mul(g->push, nx), v_mul(g->slip, ny)), jy = v_sub(v_mul(g->push, ny), v_mul(g->slip, nx));
    a->vx = v_sub(a->vx, v_mul(a->m, jx)), a->vy = v_sub(a->vy, v_mul(a->m, jy)), a->w = g->pair.w_a;
    b->vx = v_add(b->vx, v_mul(b->m, jx)), b->vy = v_add(b->vy, v_mul(b->m, jy)), b->w = g->pair.w_b;
    scatter_bodies(solver, g->block->body_a + g->lane, a, g->live);
    if (!fixed) scatter_bodies(solver, g->block->body_b + g->lane, b, g->live);
}

// Friction turns the bodies, and that changes what the points need. Substeps settle this for loads; in an impact the
// two must agree at once, or a box that lands obliquely hops: the next substep replays what does not. So where friction
// opens a point that pushes, the rows along the normal and the tangent are solved in turn until they
// settle. It loads everything again from memory: what it needs would take registers from the passes otherwise.
static __attribute__((noinline)) void settle_contacts(const b2d_solver* solver, int32_t id, int32_t lane, int32_t live,
                                                      int32_t fixed, uint32_t lanes) {
    enum { MOST_TURNS = 8 };
    const softness_lanes soft = contact_softness(solver, fixed);
    contact_group g;
    group_begin(solver, id, lane, live, true, &g);
    b2d_contact_point* p = g.block->point;
    const vf m = g.pair.m, least = v_mul(v_set(0.5f * B2D_MOST_RUB), soft.slop), belt = group_belt(&g);
    vm on = m_from_bits(lanes);
    g.push = g.slip = v_zero();
    for (int32_t k = 0; k < MOST_TURNS && m_bits(on) != 0; k++) {
        pair_motion pair = g.pair;
        pair.normal = v_add(pair.normal, v_mul(m, g.push)), pair.tangent = v_add(pair.tangent, v_mul(m, g.slip));
        vf old[4], pushed, slipped;
        for (int32_t j = 0; j < 2; j++) {
            old[j] = v_load(p[j].normal_impulse + lane);
            old[2 + j] = v_load(p[j].tangent_impulse + lane);
        }
        solve_normals(solver, g.block, g.step, lane, &pair, &g.shift, &soft, false, &pushed);
        solve_frictions(g.block, g.step, lane, &pair, belt, true, on, &slipped);
        for (int32_t j = 0; j < 2; j++) { // the other lanes are as they were
            float *normal = p[j].normal_impulse + lane, *tangent = p[j].tangent_impulse + lane;
            v_store(normal, v_select(on, v_load(normal), old[j]));
            v_store(tangent, v_select(on, v_load(tangent), old[2 + j]));
        }
        g.pair.w_a = v_select(on, pair.w_a, g.pair.w_a), g.pair.w_b = v_select(on, pair.w_b, g.pair.w_b);
        g.push = v_add(g.push, v_mask(on, pushed)), g.slip = v_add(g.slip, v_mask(on, slipped));
        on = m_and(on, v_gt(v_mul(m, v_add(v_abs(pushed), v_abs(slipped))), least));
    }
    group_end(solver, &g, fixed);
}

// What one body repeats in the next substep: the change of its velocity in this one.
typedef struct repetition {
    vf square, along; // m2/s2: of the change, and its product with the velocity
    float* free[V_LANES];
} repetition;

B2D_INLINE repetition repetition_of(const b2d_solver* solver, const int32_t* bodies, const lanes* body) {
    repetition r;
    for (int32_t i = 0; i < V_LANES; i++) r.free[i] = solver->steps[b2d_max_int(bodies[i], 0)].free_velocity;
    vf free[4];
    v_gather4((const float* const*)r.free, free);
    const vf x = v_sub(body->vx, free[0]), y = v_sub(body->vy, free[1]);
    const vm massive = v_gt(body->m, v_zero());
    r.square = v_mask(massive, v_add(v_mul(x, x), v_mul(y, y)));
    r.along = v_mask(massive, v_add(v_mul(x, body->vx), v_mul(y, body->vy)));
    return r;
}
// The share of the change that would bring the body to rest.
B2D_INLINE vf stopping_share(const repetition* r) { return v_mul(v_neg(r->along), v_reciprocal_or_zero(r->square)); }

// m/s, of a change that is an impact: the errors of the passes grow with gravity. Infinite where the contact repeats
// all: a wall that turns strikes again in each substep, and machines forget as a whole (machine.h).
static float strike_speed(const b2d_solver* solver, int32_t a, int32_t b) {
    if ((solver->steps[a].flags | solver->steps[b].flags) & B2D_STEP_JOINTED) {
        b2d_strike_machine(solver, a), b2d_strike_machine(solver, b);
        return INFINITY;
    }
    if (solver->states[b].inverse_mass == 0.0f && solver->states[b].w != 0.0f) return INFINITY;
    const float fall = b2d_max(b2d_length(b2d_free_acceleration(solver, a)),
                               b2d_length(b2d_free_acceleration(solver, b)));
    return b2d_max(B2D_STRIKE_SPEED * solver->restitution_threshold, B2D_STRIKE_FALLS * solver->h * fall);
}

// The next substep repeats the impulses of this one, because loads stay. An impact is over: repeated, it throws bodies
// back, and the passes take it from a pile as slowly as they put it on. So what the impulses of a struck body have
// grown by since the step began is repeated only as far as it stops the body: wholly if the body has at least the speed
// that this takes, not at all if it has less than two thirds of it. So a stream of bodies keeps its pressure. Speeds
// are those in the world: on a platform that goes away from the bodies all is repeated.
static __attribute__((noinline)) void forget_impacts(const b2d_solver* solver, int32_t id, int32_t lane,
                                                     uint32_t grown) {
    b2d_contact_block* block = &solver->graph->blocks[id];
    const b2d_contact_step* step = &solver->contact_steps[id];
    _Alignas(64) float speeds[V_LANES];
    for (int32_t i = 0; i < V_LANES; i++)
        speeds[i] = grown >> i & 1 ? strike_speed(solver, block->body_a[lane + i], block->body_b[lane + i]) : INFINITY;
    const lanes a = gather_bodies(solver, block->body_a + lane), b = gather_bodies(solver, block->body_b + lane);
    const repetition of_a = repetition_of(solver, block->body_a + lane, &a),
                     of_b = repetition_of(solver, block->body_b + lane, &b);
    const vf least = v_load(speeds), stopping = v_max(stopping_share(&of_a), stopping_share(&of_b)),
             kept = v_max(v_sub(v_mul(v_set(3.0f), stopping), v_set(2.0f)), v_zero()),
             lost = v_max(v_sub(v_set(1.0f), kept), v_zero());
    const vm on = m_and(v_gt(v_max(of_a.square, of_b.square), v_mul(least, least)), v_gt(lost, v_zero()));
    if (m_bits(on) == 0) return;
    const vf nx = v_load(block->nx + lane), ny = v_load(block->ny + lane), friction = v_load(block->friction + lane),
             arm_shift = v_load(block->normal_arm_shift + lane), along_shift = v_load(block->along_normal_shift + lane);
    vf jx = v_zero(), jy = v_zero(), twist_a = v_zero(), twist_b = v_zero();
    for (int32_t j = 0; j < 2; j++) {
        b2d_contact_point* p = &block->point[j];
        const vf normal = v_load(p->normal_impulse + lane), tangent = v_load(p->tangent_impulse + lane),
                 grown_by = v_max(v_sub(normal, v_load(step->load[j] + lane)), v_zero()),
                 n = v_mask(on, v_mul(lost, grown_by)), most = v_mul(friction, v_sub(normal, n)),
                 t = v_mask(on, v_sub(tangent, v_max(v_neg(most), v_min(most, tangent)))),
                 arm = v_load(p->normal_arm + lane), along = v_load(p->along_normal + lane);
        v_store(p->normal_impulse + lane, v_sub(normal, n)), v_store(p->tangent_impulse + lane, v_sub(tangent, t));
        jx = v_add(jx, v_madd(n, nx, v_mul(t, ny))), jy = v_add(jy, v_sub(v_mul(n, ny), v_mul(t, nx)));
        twist_a = v_add(twist_a, v_sub(v_mul(n, arm), v_mul(t, along)));
        twist_b = v_add(twist_b, v_sub(v_mul(n, v_add(arm, arm_shift)), v_mul(t, v_add(along, along_shift))));
    }
    _Alignas(64) float less_a[3][V_LANES], less_b[3][V_LANES];
    v_store(less_a[0], v_mul(a.m, jx)), v_store(less_a[1], v_mul(a.m, jy)), v_store(less_a[2], v_mul(a.i, twist_a));
    v_store(less_b[0], v_mul(b.m, jx)), v_store(less_b[1], v_mul(b.m, jy)), v_store(less_b[2], v_mul(b.i, twist_b));
    for (uint32_t left = m_bits(on); left != 0; left &= left - 1) {
        const int32_t k = b2d_ctz64(left);
        const b2d_body_state* side_b = &solver->states[block->body_b[lane + k]];
        const bool moves = side_b->inverse_mass > 0.0f || side_b->inverse_inertia > 0.0f; // others have other workers
        for (int32_t j = 0; j < 3; j++) of_a.free[k][j] -= less_a[j][k];
        for (int32_t j = 0; j < 3 && moves; j++) of_b.free[k][j] += less_b[j][k];
    }
}

// What ends a relax pass.
B2D_INLINE void group_settle(const b2d_solver* solver, int32_t id, const contact_group* g, int32_t fixed,
                             const softness_lanes* soft) {
    if (g->unsettled != 0) settle_contacts(solver, id, g->lane, g->live, fixed, g->unsettled);
    add_forces(g->block, g->lane, soft->inverse_dt);
    const b2d_contact_point* p = g->block->point;
    const vf first = v_sub(v_load(p[0].normal_impulse + g->lane), v_load(g->step->load[0] + g->lane)),
             second = v_sub(v_load(p[1].normal_impulse + g->lane), v_load(g->step->load[1] + g->lane)),
             speed = v_max(v_mul(first, v_load(g->step->diagonal[0] + g->lane)),
                           v_mul(second, v_load(g->step->diagonal[1] + g->lane)));
    uint32_t grown = m_bits(v_gt(speed, v_set(B2D_STRIKE_SPEED * solver->restitution_threshold)));
    if (g->live < V_LANES) grown &= (1u << g->live) - 1u;
    if (grown != 0) forget_impacts(solver, id, g->lane, grown);
}

B2D_INLINE void one_group(const b2d_solver* solver, int32_t id, int32_t lane, int32_t live, int32_t fixed,
                          const softness_lanes* soft, bool relax) {
    contact_group g;
    group_begin(solver, id, lane, live, relax, &g);
    group_normals(solver, &g, soft, !relax);
    group_tangents(&g, soft, relax);
    group_end(solver, &g, fixed);
    if (relax) group_settle(solver, id, &g, fixed, soft);
}

// One group waits for its own results most of the time. Two of a block go through the pass together, stage by stage:
// the processor overlaps them, and within a stage each has all registers for itself.
B2D_INLINE void two_groups(const b2d_solver* solver, int32_t id, int32_t lane, int32_t live, int32_t fixed,
                           const softness_lanes* soft, bool relax) {
    contact_group g[2];
    group_begin(solver, id, lane, live, relax, &g[0]);
    group_begin(solver, id, lane + V_LANES, live - V_LANES, relax, &g[1]);
    group_normals(solver, &g[0], soft, !relax);
    group_normals(solver, &g[1], soft, !relax);
    group_tangents(&g[0], soft, relax);
    group_end(solver, &g[0], fixed);
    group_tangents(&g[1], soft, relax);
    group_end(solver, &g[1], fixed);
    for (int32_t k = 0; relax && k < 2; k++) group_settle(solver, id, &g[k], fixed, soft);
}

// Not inline: gcc would begin both branches of motion_pass before it knows which it needs, and spill what they compute.
static __attribute__((noinline)) void solve_group(const b2d_solver* solver, int32_t id, int32_t lane, int32_t live,
                                                  int32_t fixed) {
    softness_lanes soft = contact_softness(solver, fixed);
    if (solver->cell_stiffness != NULL) soften_lanes(solver, solver->graph->blocks[id].body_a + lane, fixed, &soft);
    one_group(solver, id, lane, live, fixed, &soft, false);
}
static __attribute__((noinline, unused)) void relax_group(const b2d_solver* solver, int32_t id, int32_t lane,
                                                          int32_t live, int32_t fixed) {
    const softness_lanes soft = contact_softness(solver, fixed);
    one_group(solver, id, lane, live, fixed, &soft, true);
}

// The soft pass of lanes that belong to cells of different softness.
static __attribute__((noinline)) void solve_cells(const b2d_solver* solver, const b2d_color_list* list, int32_t fixed,
                                                  int32_t begin, int32_t end) {
    for (int32_t k = begin; k < end; k++)
        for (int32_t lane = 0, live = b2d_color_list_live(list, k); lane < live; lane += V_LANES)
            solve_group(solver, list->blocks[k], lane, live - lane, fixed);
}

B2D_INLINE void motion_pass(const b2d_solver* solver, const b2d_color_list* list, int32_t fixed, int32_t begin,
                            int32_t end, bool relax) {
    const softness_lanes soft = contact_softness(solver, fixed);
    const bool whole = V_LANES == (int)B2D_LANES; // a block is one group
    for (int32_t k = begin; k < end; k++) {
        const int32_t id = list->blocks[k], live = b2d_color_list_live(list, k);
        if (k + 1 < end) prefetch_ids(&solver->graph->blocks[list->blocks[k + 1]]);
        for (int32_t lane = 0; lane < live; lane += 2 * V_LANES)
            if (whole) one_group(solver, id, lane, live, fixed, &soft, relax);
            else if (lane + V_LANES < live) two_groups(solver, id, lane, live - lane, fixed, &soft, relax);
            else if (relax) relax_group(solver, id, lane, live - lane, fixed);
            else solve_group(solver, id, lane, live - lane, fixed);
    }
}

// From the beginning of a cache line: otherwise the code before decides how the loops lie in the lines, which changed
// the time of the solve stage by up to 4 %.
#if defined(B2D_ISA_WASM)
#define B2D_PASS_FN static
#else
#define B2D_PASS_FN static __attribute__((aligned(64)))
#endif
B2D_PASS_FN void contact_approach(const b2d_solver* solver, const b2d_color_list* list, int32_t fixed, int32_t begin,
                                  int32_t end) {
    contact_pass(solver, list, fixed, begin, end, B2D_PASS_PREPARE);
}
B2D_PASS_FN void contact_warm_start(const b2d_solver* solver, const b2d_color_list* list, int32_t fixed, int32_t begin,
                                    int32_t end) {
    contact_pass(solver, list, fixed, begin, end, B2D_PASS_WARM_START);
}
B2D_PASS_FN void contact_solve(const b2d_solver* solver, const b2d_color_list* list, int32_t fixed, int32_t begin,
                               int32_t end) {
    if (solver->cell_stiffness != NULL) solve_cells(solver, list, fixed, begin, end);
    else motion_pass(solver, list, fixed, begin, end, false);
}
B2D_PASS_FN void contact_relax(const b2d_solver* solver, const b2d_color_list* list, int32_t fixed, int32_t begin,
                               int32_t end) {
    motion_pass(solver, list, fixed, begin, end, true);
}
