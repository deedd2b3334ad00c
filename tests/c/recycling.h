// tests/c/recycling.h - tests of recycled contacts against full manifolds.
//
// The bounds follow from how far the bodies moved. As long as the edge whose normal a contact has stays the same, the
// recycled normal is behind by the turn of that edge, and the separation of a vertex over it by the slide of the vertex
// times the sine of that turn. Where an end of the edge lies over a slope, the slide also changes the height by the
// tangent of the slope. Another edge, or a vertex beyond the end of its edge, comes into the place of one that was as
// near up to the tolerance, and since then nothing moved by more than the largest motion.

static dvec place(const b2d_pose* p, double x, double y) {
    return (dvec){p->x + (double)p->c * x - (double)p->s * y, p->y + (double)p->s * x + (double)p->c * y};
}
static dvec center_of(const b2d_pose* p) { return place(p, p->cx, p->cy); }
static double far(dvec a, dvec b) { return hypot(a.x - b.x, a.y - b.y); }
// Angles between two directions, and between two poses of a body.
static double angle(double ax, double ay, double bx, double by) { return atan2(ax * by - ay * bx, ax * bx + ay * by); }
static double turn_of(const b2d_pose* was, const b2d_pose* is) { return angle(was->c, was->s, is->c, is->s); }

typedef struct motion { // of the bodies of sides A and B
    const b2d_pose *was_a, *is_a, *was_b, *is_b;
} motion;
static dvec carried(const b2d_pose* was, const b2d_pose* is, dvec p) {
    const double x = p.x - was->x, y = p.y - was->y;
    return place(is, (double)was->c * x + (double)was->s * y, (double)was->c * y - (double)was->s * x);
}
// How far apart the copies of a point are now that are fixed to the two bodies.
static double slide_of(const motion* m, dvec p) {
    return far(carried(m->was_a, m->is_a, p), carried(m->was_b, m->is_b, p));
}
static double largest_slide(const motion* m, const b2d_geometry* g, const b2d_pose* pose) {
    double most = 0;
    for (int k = 0; k < g->count; k++) most = fmax(most, slide_of(m, place(pose, g->x[k], g->y[k])));
    return most;
}

static dvec edge_normal(const b2d_geometry* g, const b2d_pose* p, int k) { // outward, world axes
    const dvec from = place(p, g->x[k], g->y[k]), to = place(p, g->x[(k + 1) % g->count], g->y[(k + 1) % g->count]);
    const double length = far(from, to);
    return (dvec){(to.y - from.y) / length, (from.x - to.x) / length};
}
typedef struct reference { // the edge whose normal a contact has
    int shape, edge;       // shape -1: the normal runs between two vertices
    double slope;          // angle to the most opposed edge of the other shape
} reference;
static reference reference_of(const scene* s, const b2d_pose* poses, int pair, float nx, float ny) {
    reference found = {-1, -1, 0};
    double nearest = 1e-5, opposed = -1;
    for (int shape = 2 * pair; shape < 2 * pair + 2; shape++)
        for (int k = 0; k < s->geometries[shape].count; k++) {
            const bool is_a = (shape == 2 * pair) != ((s->pairs[pair].flags & B2D_PAIR_FLIP) != 0);
            const dvec n = edge_normal(&s->geometries[shape], &poses[shape], k);
            const double off = is_a ? hypot(n.x - nx, n.y - ny) : hypot(n.x + nx, n.y + ny); // it points away from A
            if (off < nearest) nearest = off, found.shape = shape, found.edge = k;
        }
    if (found.shape < 0) return found;
    const int other = found.shape ^ 1;
    const dvec n = edge_normal(&s->geometries[found.shape], &poses[found.shape], found.edge);
    for (int k = 0; k < s->geometries[other].count; k++) {
        const dvec m = edge_normal(&s->geometries[other], &poses[other], k);
        opposed = fmax(opposed, -n.x * m.x - n.y * m.y);
    }
    found.slope = acos(fmin(1, opposed));
    return found;
}
static dvec contact_point(const b2d_pose* a, const b2d_contact_record* r, int k) {
    const dvec c = center_of(a);
    const double along = r->point[k].along_normal, arm = r->point[k].normal_arm;
    return (dvec){c.x + along * r->nx + arm * r->ny, c.y + along * r->ny - arm * r->nx};
}
#define AT_VERTEX 2e-6 // m, along the edge
static bool is_at_vertex(const b2d_geometry* g, const b2d_pose* pose, dvec p, const b2d_contact_record* r) {
    for (int k = 0; k < g->count; k++) {
        const dvec v = place(pose, g->x[k], g->y[k]);
        if (fabs((v.x - p.x) * r->ny - (v.y - p.y) * r->nx) < AT_VERTEX) return true;
    }
    return false;
}
static double deepest(const b2d_contact_record* r) {
    return fmin(r->point[0].initial_separation, r->point[1].initial_separation);
}

typedef struct recycling {
    long compared, single, others, changed;
    double worst;
} recycling;

// A contact that was `made` at the poses `was` is `recycled` after a motion, and `full` is its full manifold there.
static void compare_recycled(const scene* s, const b2d_pose* was, int pair, const b2d_contact_record* made,
                             const b2d_contact_record* recycled, const b2d_contact_record* full, recycling* t) {
    const b2d_pose* is = s->poses;
    const bool flip = (s->pairs[pair].flags & B2D_PAIR_FLIP) != 0,
               single = full->point[1].initial_separation > speculative;
    const int a = 2 * pair + flip, b = 2 * pair + !flip;
    const motion m = {&was[a], &is[a], &was[b], &is[b]};
    const double rounding = 2e-6, tolerance = 0.1 * slop, radii = s->shapes[a].radius + s->shapes[b].radius,
                 turn = fabs(angle(recycled->nx, recycled->ny, full->nx, full->ny)),
                 most = fmax(largest_slide(&m, &s->geometries[a], &was[a]),
                             largest_slide(&m, &s->geometries[b], &was[b]));
    t->compared++, t->single += single;
    CHECK(recycled->nx == made->nx && recycled->ny == made->ny, "the frame is held", recycled->nx, made->nx);
    CHECK(recycled->point[0].normal_impulse == full->point[0].normal_impulse, "impulse stays",
          recycled->point[0].normal_impulse, full->point[0].normal_impulse);
    const reference before = reference_of(s, was, pair, made->nx, made->ny),
                    after = reference_of(s, is, pair, full->nx, full->ny);
    if (after.shape != before.shape || after.edge != before.edge) {
        t->others++;
        CHECK(BOUND(fabs(deepest(recycled) - deepest(full)), <, tolerance + 2 * most),
              "separation from another feature", deepest(recycled), deepest(full));
        if (after.shape < 0)
            CHECK(BOUND((deepest(full) + radii) * sin(turn), <, tolerance + 2 * most), "a vertex beyond an end", turn,
                  most);
        return;
    }
    const int other = before.shape ^ 1;
    const double edges = fabs(turn_of(&was[before.shape], &is[before.shape])),
                 relative = fabs(turn_of(&was[a], &is[a]) - turn_of(&was[b], &is[b]));
    CHECK(BOUND(fabs(turn - edges), <, rounding), "the normal is behind by the turn of its edge", turn, edges);
    for (int k = 0; k < (single ? 1 : 2); k++) {
        const dvec p = contact_point(&was[a], made, k);
        // The point is midway between the surfaces, the vertex on the core of the other shape
        const double depth = fabs(made->point[k].initial_separation), slope = tan(fmin(before.slope + relative, 1.57)),
                     slide = slide_of(&m, p) + (0.5 * depth + s->shapes[other].radius) * relative,
                     e = fabs(recycled->point[k].initial_separation - full->point[k].initial_separation),
                     limit = slide * sin(edges) + depth * (1 - cos(edges)) + AT_VERTEX * slope + rounding;
        t->worst = fmax(t->worst, e);
        if (is_at_vertex(&s->geometries[other], &was[other], p, made) &&
            is_at_vertex(&s->geometries[other], &is[other], contact_point(&is[a], full, k), full))
            CHECK(BOUND(e, <, limit), "separation of a vertex", e, limit);
        else CHECK(BOUND(e, <, limit + slide * slope), "separation of an end over a slope", e, slope);
    }
    const dvec was_a = center_of(&was[a]), was_b = center_of(&was[b]), is_a = center_of(&is[a]),
               is_b = center_of(&is[b]);
    const double drift = hypot(is_a.x - was_a.x - is_b.x + was_b.x, is_a.y - was_a.y - is_b.y + was_b.y) +
                         far(was_a, was_b) * turn + rounding;
    CHECK(BOUND(fabs(recycled->normal_arm_shift - full->normal_arm_shift), <, drift), "recycled normal_arm_shift",
          recycled->normal_arm_shift, full->normal_arm_shift);
    CHECK(BOUND(fabs(recycled->along_normal_shift - full->along_normal_shift), <, drift), "recycled along_normal_shift",
          recycled->along_normal_shift, full->along_normal_shift);
}

// Contacts of all kinds after motions of at most `scale` m on each axis and `scale` rad.
static void compare_after_motion(double scale) {
    static b2d_contact_record made[N];
    static b2d_pose was[2 * N];
    recycling t = {0};
    scene s, full;
    scene_init(&s, N), scene_init(&full, N);
    for (int bucket = 0; bucket < B2D_BUCKET_COUNT; bucket++) {
        scene_random(&s, bucket);
        b2d_bits_clear(&s.worker.begun), b2d_bits_clear(&s.worker.ended);
        s.worker.record_count = 0;
        run(&s, b2d_cpu_best(), false);
        scene_serial(&s);
        memcpy(was, s.poses, sizeof was);
        for (int i = 0; i < N; i++) {
            const int at = s.pairs[i].lane_index;
            if (at != B2D_NONE) b2d_block_read(&s.blocks[at / 16], &s.manifolds[at / 16], at % 16, &made[i]);
        }
        for (int i = 0; i < 2 * N; i++) {
            b2d_pose* p = &s.poses[i];
            p->x += draw(-scale, scale), p->y += draw(-scale, scale);
            b2d_rot q = b2d_rot_multiply((b2d_rot){p->c, p->s}, b2d_make_rot(draw(-scale, scale)));
            p->c = q.c, p->s = q.s;
        }
        scene_boxes(&s, 0.1);
        scene_copy(&full, &s);
        full.context.recycle_distance = 0;
        s.worker.recycled = 0;
        run(&s, b2d_cpu_best(), false);
        run(&full, b2d_cpu_best(), false);
        long recycled = 0;
        for (int i = 0; i < N; i++) {
            const int at = s.pairs[i].lane_index, own = s.pairs[i].bucket;
            if (at == B2D_NONE || b2d_bits_has(&s.worker.ended, i)) continue;
            b2d_contact_record r, f;
            b2d_block_read(&s.blocks[at / 16], &s.manifolds[at / 16], at % 16, &r);
            b2d_block_read(&full.blocks[at / 16], &full.manifolds[at / 16], at % 16, &f);
            const bool kept = made[i].qc != 0 && r.px == made[i].px && r.py == made[i].py && r.qs == made[i].qs;
            if (!kept) {
                // 1e-4: far within the limits. A far point that comes near needs a full test
                const float farther = fmaxf(f.point[0].initial_separation, f.point[1].initial_separation);
                const bool comes_near = fabsf(farther - speculative) < 2e-3f;
                CHECK(made[i].qc == 0 || scale > 1e-4 || comes_near || BOUND(deepest(&f), >, speculative - 2e-3),
                      "what lasts is recycled", deepest(&f), i);
                continue;
            }
            recycled++;
            CHECK(r.feature >> 16 != 0xffff || own == B2D_BUCKET_LINE_LINE || own == B2D_BUCKET_QUAD ||
                      own == B2D_BUCKET_OCT,
                  "single points of circles and chains are not recycled", own, i);
            if (b2d_bits_has(&full.worker.ended, i) || r.feature != f.feature) t.changed++;
            else compare_recycled(&s, was, i, &made[i], &r, &f, &t);
        }
        CHECK(recycled == s.worker.recycled, "recycled", recycled, s.worker.recycled);
        for (int i = 0; i < N; i++) scene_leave_lane(&s, i);
    }
    scene_free(&s), scene_free(&full);
    printf("    compared %ld, %ld of one point, %ld with another edge or a corner, %ld others; worst separation %.2g\n",
           t.compared, t.single, t.others, t.changed, t.worst);
    CHECK(BOUND(t.compared, >, 5000) && BOUND(t.single, >, 2000), "contacts were recycled", t.compared, t.single);
    CHECK(BOUND(t.others + t.changed, <, 0.05 * (double)t.compared), "most features stay", t.others, t.changed);
}

static void test_recycled_is_full(void) {
    int failures_before = failures;
    compare_after_motion(1e-4);
    DONE("recycled separations are those of a full manifold");
}

// About as far as recycling of a single point allows.
static void test_recycled_vertices(void) {
    int failures_before = failures;
    compare_after_motion(2e-3);
    DONE("a recycled vertex over an edge is nearly where a full manifold has it");
}
