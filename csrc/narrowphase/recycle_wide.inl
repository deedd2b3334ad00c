// csrc/narrowphase/recycle_wide.inl - touching contacts that moved little: their separations are refreshed in their
// lanes.

#define B2D_HELD_SINE 0.03f // side A may turn by 1.7 degrees before the frame of a recycled contact follows it

typedef struct recycle_poses {
    vf a[4], b[4]; // cosine, sine, local centre
    vf between[2]; // origin of body b less that of body a, world axes
    vf spin;       // angular velocity of body a
} recycle_poses;

V_FN void gather_poses(const b2d_collide_context* context, const b2d_contact_block* block, int lane,
                       recycle_poses* out) {
    const float *row_a[V_LANES], *row_b[V_LANES];
    const double *origin_a[V_LANES], *origin_b[V_LANES];
    _Alignas(64) float spin[V_LANES];
    for (int i = 0; i < V_LANES; i++) {
        const int32_t body_a = block->body_a[lane + i], body_b = block->body_b[lane + i];
        // padding lanes read any body
        const b2d_pose *a = &context->poses[body_a < 0 ? 0 : body_a], *b = &context->poses[body_b < 0 ? 0 : body_b];
        row_a[i] = &a->c, row_b[i] = &b->c;
        origin_a[i] = &a->x, origin_b[i] = &b->x;
        spin[i] = context->states[8 * (ptrdiff_t)body_a + 2]; // of padding lanes: the hidden zero row
    }
    v_gather4(row_a, out->a);
    v_gather4(row_b, out->b);
    v_between(origin_a, origin_b, out->between);
    out->spin = v_load(spin);
}

// Recycles manifolds: the last full manifold moves with side A, and only the separations change, by how far the copy of
// each point that is fixed to side B moved along the normal. Let u be the point relative to the origin of B at the time
// of the full manifold, in normal and tangent components, and (c, s) the cosine and sine of the relative rotation
// since. Then n . (rotated u) = c u_n + s u_t and t . (rotated u) = c u_t - s u_n. Returns the lanes that were
// refreshed; the others need a full manifold. A single point is recycled only as a vertex over an edge, and within
// narrower limits: beyond them the shape may roll on, or a second vertex may come near. Lanes that must not be recycled
// store a cosine and sine of 0.
V_FN uint32_t recycle_lanes(const b2d_collide_context* context, b2d_contact_block* block, const b2d_manifold_block* old,
                            int lane, uint32_t may, const recycle_poses* poses) {
    const vf *a = poses->a, *b = poses->b, *d = poses->between;
    wide_vec p = w_unrotate(a[0], a[1], (wide_vec){d[0], d[1]});
    vf q_c = v_add(v_mul(a[0], b[0]), v_mul(a[1], b[1])), q_s = v_sub(v_mul(a[0], b[1]), v_mul(a[1], b[0]));
    vf old_c = v_load(old->qc + lane), old_s = v_load(old->qs + lane);
    vf c = v_add(v_mul(old_c, q_c), v_mul(old_s, q_s)), s = v_sub(v_mul(old_c, q_s), v_mul(old_s, q_c));
    wide_vec normal = {v_load(old->local_nx + lane), v_load(old->local_ny + lane)},
             tangent = {normal.y, v_neg(normal.x)};
    wide_vec old_p = {v_load(old->px + lane), v_load(old->py + lane)}, center = {a[2], a[3]};
    wide_vec moved = w_sub(p, old_p), arm = w_sub(center, old_p);
    vf moved_n = w_dot(normal, moved), moved_t = w_dot(tangent, moved), arm_n = w_dot(normal, arm),
       arm_t = w_dot(tangent, arm);
    vf c1 = v_sub(c, v_set(1.0f));
    const b2d_contact_point *p0 = &block->point[0], *p1 = &block->point[1];
    const vf along_a0 = v_load(p0->along_normal + lane), along_a1 = v_load(p1->along_normal + lane),
             arm0 = v_load(old->normal_arm[0] + lane), arm1 = v_load(old->normal_arm[1] + lane);
    vf n0 = v_add(along_a0, arm_n), t0 = v_add(arm0, arm_t), n1 = v_add(along_a1, arm_n), t1 = v_add(arm1, arm_t);
    vf along0 = v_add(moved_n, v_add(v_mul(c1, n0), v_mul(s, t0)));
    vf along1 = v_add(moved_n, v_add(v_mul(c1, n1), v_mul(s, t1)));
    vf across0 = v_add(moved_t, v_sub(v_mul(c1, t0), v_mul(s, n0)));
    vf across1 = v_add(moved_t, v_sub(v_mul(c1, t1), v_mul(s, n1)));

    // Limits: the distance that B slid at the first point, and what the rotation adds over the extent of the smaller
    // body.
    const vf reach = v_set(context->speculative_distance), old1 = v_load(old->separation[1] + lane);
    const vm single = v_gt(old1, reach);
    vf most_slide = v_select(single, v_set(0.1f * context->recycle_distance), v_set(context->recycle_distance)),
       most_turn = v_select(single, v_set(B2D_HELD_SINE), v_set(context->recycle_sine));
    vf angle = v_abs(s), room = v_sub(most_slide, v_mul(angle, v_load(old->extent + lane)));
    vf slid = v_add(v_mul(along0, along0), v_mul(across0, across0));
    vm recyclable = m_and(m_and(v_lt(angle, most_turn), v_gt(c, v_zero())),
                          m_and(v_gt(room, v_zero()), v_lt(slid, v_mul(room, room))));
    // The frame stays where it is while side A has turned by less than 1.7 degrees: if the normals of a tall stack
    // followed the tilt of its boxes, they would tip it (tests/physics/test_stacks.py). The separation is that of the
    // turned frame, (cosine, sine) the turn of side A since the frame was made.
    wide_vec world = w_rotate(a[0], a[1], normal), held = {v_load(block->nx + lane), v_load(block->ny + lane)};
    vf cosine = w_dot(held, world), sine = w_cross(held, world);
    vm hold = v_lt(v_abs(sine), v_set(B2D_HELD_SINE));
    vf separation0 = v_add(v_load(old->separation[0] + lane), along0), separation1 = v_add(old1, along1);
    separation0 = v_select(hold, v_add(v_mul(cosine, separation0), v_mul(sine, across0)), separation0);
    separation1 = v_select(hold, v_add(v_mul(cosine, separation1), v_mul(sine, across1)), separation1);
    separation1 = v_select(v_ge(old1, v_set(B2D_DEAD_POINT)), v_set(B2D_DEAD_POINT), separation1);
    // If both points are beyond the speculative distance the full test ends the contact; a far point that comes near or
    // was touched begins with a full test
    recyclable = m_and(recyclable, m_or(v_le(separation0, reach), m_andnot(v_le(separation1, reach), single)));
    const vm touched = v_gt(v_load(p1->normal_impulse + lane), v_zero());
    recyclable = m_andnot(recyclable, m_and(single, m_or(touched, v_le(separation1, reach))));
    recyclable = m_and(recyclable, m_from_bits(may));

    wide_vec between = w_sub(center, w_add(p, w_rotate(q_c, q_s, (wide_vec){b[2], b[3]})));
    const uint32_t recycled = m_bits(recyclable);
#define STORE_RECYCLED(row, value) v_store(row + lane, v_select(recyclable, value, v_load(row + lane)))
    STORE_RECYCLED(block->point[0].initial_separation, separation0);
    STORE_RECYCLED(block->point[1].initial_separation, separation1);
    // Under a held normal the points turn with side A. Other lanes are overwritten or given up, so no old value is kept
    const vf turn = v_max(v_set(-B2D_MOST_TURN),
                          v_min(v_set(B2D_MOST_TURN), v_mul(v_set(context->ahead), poses->spin))),
             turned = v_add(v_mask(hold, sine), turn), radius = v_load(block->radius_a + lane);
    v_store(block->turn + lane, turn);
    const vf half = v_set(0.5f), core0 = v_sub(v_sub(along_a0, radius), v_mul(half, separation0)),
             core1 = v_sub(v_sub(along_a1, radius),
                           v_mask(v_lt(separation1, v_set(B2D_DEAD_POINT)), v_mul(half, separation1)));
    v_store(block->point[0].normal_arm + lane, v_sub(arm0, v_mul(turned, core0)));
    v_store(block->point[1].normal_arm + lane, v_sub(arm1, v_mul(turned, core1)));
    const vm turns = m_andnot(recyclable, hold);
    const wide_vec kept = w_select(hold, w_unrotate(a[0], a[1], held), normal);
    recyclable = m_andnot(recyclable, m_and(hold, v_le(v_abs(across0), v_set(0.1f * context->recycle_distance))));
    STORE_RECYCLED(block->normal_arm_shift, w_cross(between, kept));
    STORE_RECYCLED(block->along_normal_shift, w_dot(between, kept));
    recyclable = turns;
    STORE_RECYCLED(block->nx, world.x);
    STORE_RECYCLED(block->ny, world.y);
#undef STORE_RECYCLED
    return recycled;
}

// Of the lanes in `live` those that were refreshed. Two groups of lanes at a time, so that their gathers overlap.
V_FN uint32_t recycle_block(const b2d_collide_context* context, b2d_contact_block* block, const b2d_manifold_block* old,
                            uint32_t live) {
    const uint32_t width = (uint32_t)((1ull << V_LANES) - 1);
    const bool whole = V_LANES == (int)B2D_LANES; // a block is one group
    uint32_t done = 0;
    for (int lane = 0; lane < B2D_LANES && live >> lane != 0; lane += 2 * V_LANES) {
        const int next = lane + V_LANES;
        recycle_poses poses, next_poses;
        gather_poses(context, block, lane, &poses);
        if (!whole) gather_poses(context, block, next, &next_poses);
        done |= recycle_lanes(context, block, old, lane, live >> lane & width, &poses) << lane;
        if (!whole && live >> next != 0)
            done |= recycle_lanes(context, block, old, next, live >> next & width, &next_poses) << next;
    }
    return done;
}
