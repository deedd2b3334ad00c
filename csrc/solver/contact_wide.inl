// csrc/solver/contact_wide.inl - contact passes over blocks, V_LANES contacts at a time; compiled once per instruction
// set.
#include "solver/contact_rows_wide.inl"

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

// Lanes of a block that overlap by more than the slop.
B2D_INLINE uint32_t deep_lanes(const b2d_contact_block* block, int32_t live, vf most) {
    uint32_t deep = 0;
    for (int32_t lane = 0; lane < live; lane += V_LANES) {
        const vf separation = v_min(v_load(block->point[0].initial_separation + lane),
                                    v_load(block->point[1].initial_separation + lane));
        deep |= m_bits(v_gt(most, separation)) << lane;
    }
    return deep & ((1u << live) - 1u);
}

B2D_INLINE void contact_pass(const b2d_solver* solver, const b2d_color_list* list, int32_t fixed, int32_t begin,
                             int32_t end, int32_t pass) {
    const vf most = v_set(-solver->linear_slop);
    for (int32_t k = begin; k < end; k++) {
        int32_t live = b2d_color_list_live(list, k), id = list->blocks[k];
        if (pass == B2D_PASS_PREPARE && solver->deep_contacts != NULL)
            solver->deep_contacts[id] = (uint16_t)deep_lanes(&solver->graph->blocks[id], live, most);
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
