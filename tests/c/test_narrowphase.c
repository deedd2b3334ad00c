// tests/c/test_narrowphase.c - the narrow phase against its scalar instance, brute force and known manifolds.
#include "contact_scene.h"

// A kernel may write the arms of lanes without a contact and of contacts that end.
static bool same_blocks(const scene* x, const scene* y) {
    const size_t rows = sizeof(b2d_contact_block) / sizeof(float);
    for (size_t k = 0; k < N / 8 + 2; k++)
        for (size_t at = 0; at < rows; at++) {
            const float *a = (const float*)&x->blocks[k] + at, *b = (const float*)&y->blocks[k] + at;
            const int contact = y->manifolds[k].contact[at % B2D_LANES];
            if (contact != B2D_NONE && !b2d_bits_has(&y->worker.ended, contact) && memcmp(a, b, sizeof *a) != 0)
                return false;
        }
    return true;
}

static void test_all_sets_agree(void) {
    int failures_before = failures;
    uint64_t hash = 14695981039346656037ull; // printed, so that builds can be compared
    long contacts = 0, recycled = 0, begun = 0, ended = 0, parted = 0;
    for (int bucket = 0; bucket < B2D_BUCKET_COUNT; bucket++) {
        scene base, copy;
        scene_init(&base, N), scene_init(&copy, N);
        for (int round = 0; round < 6; round++) {
            scene_random(&base, bucket);
            b2d_bits_clear(&base.worker.begun), b2d_bits_clear(&base.worker.ended), b2d_bits_clear(&base.worker.parted);
            for (int step = 0; step < 6; step++) {
                scene before;
                scene_init(&before, N);
                scene_copy(&before, &base);
                base.context.recycle_distance = before.context.recycle_distance = step == 5 ? 0 : 0.05f;
                scene_copy(&base, &before);
                run(&base, B2D_SIMD_SCALAR, false);
                for (int simd = 0; simd < B2D_SIMD_COUNT; simd++) {
                    if (!b2d_cpu_has(simd)) continue;
                    scene_copy(&copy, &before);
                    const uint64_t here = draw_branch((uint64_t)simd); // for the sizes of the groups
                    run(&copy, simd, true);
                    draw_state = here;
                    CHECK(same_blocks(&copy, &base), "blocks of set", simd, 0);
                    CHECK(memcmp(copy.manifolds, base.manifolds, sizeof(b2d_manifold_block) * (N / 8 + 2)) == 0,
                          "manifolds of set", simd, 0);
                    const b2d_bits* mine[3] = {&copy.worker.begun, &copy.worker.ended, &copy.worker.parted};
                    const b2d_bits* theirs[3] = {&base.worker.begun, &base.worker.ended, &base.worker.parted};
                    for (int k = 0; k < 3; k++)
                        CHECK(memcmp(mine[k]->words, theirs[k]->words, 8 * (N / 64)) == 0, "bits of set", simd, k);
                    CHECK(copy.worker.recycled == base.worker.recycled, "recycled", copy.worker.recycled,
                          base.worker.recycled);
                    CHECK(copy.worker.updated == base.worker.updated, "updated", copy.worker.updated,
                          base.worker.updated);
                    B2D_FOR_BITS (&base.worker.begun, id) {
                        const b2d_contact_record* r1 = &copy.worker.records[copy.pairs[id].record & 0xffffff];
                        const b2d_contact_record* r2 = &base.worker.records[base.pairs[id].record & 0xffffff];
                        CHECK(memcmp(r1, r2, sizeof *r1) == 0, "record of contact", id, simd);
                    }
                }
                contacts += N, recycled += base.worker.recycled;
                begun += b2d_bits_count(&base.worker.begun), ended += b2d_bits_count(&base.worker.ended),
                    parted += b2d_bits_count(&base.worker.parted);
                scene_serial(&base);
                for (size_t i = 0; i < sizeof(b2d_contact_block) * (N / 8 + 2) / 4; i++)
                    hash = (hash ^ ((const uint32_t*)base.blocks)[i]) * 1099511628211ull;
                for (int i = 0; i < N;
                     i++) { // no value is NaN, and the two points of a manifold have different features
                    if (base.pairs[i].lane_index == B2D_NONE) continue;
                    b2d_contact_record r;
                    b2d_block_read(&base.blocks[base.pairs[i].lane_index / 16],
                                   &base.manifolds[base.pairs[i].lane_index / 16], base.pairs[i].lane_index % 16, &r);
                    float sum = r.nx + r.ny + r.normal_arm_shift + r.along_normal_shift + r.px + r.py + r.local_nx +
                                r.local_ny;
                    for (int k = 0; k < 2; k++)
                        sum += r.point[k].normal_arm + r.point[k].along_normal + r.point[k].initial_separation +
                               r.point[k].normal_impulse;
                    CHECK(isfinite(sum), "finite", sum, i);
                    CHECK_NEAR(r.nx * r.nx + r.ny * r.ny, 1, 1e-5, "unit normal");
                    CHECK((r.feature & 0xffff) != r.feature >> 16 && (r.feature & 0xffff) != 0xffff, "features",
                          r.feature, i);
                }
                move_bodies(&base);
                if (step % 2) scene_boxes(&base, 0.05);
                scene_free(&before);
            }
            for (int i = 0; i < N; i++) scene_leave_lane(&base, i);
        }
        scene_free(&base), scene_free(&copy);
    }
    CHECK(BOUND(recycled, >, 10000) && BOUND(begun, >, 10000) && BOUND(ended, >, 1000) && BOUND(parted, >, 100),
          "all cases occur", recycled, begun);
    printf("    contacts %ld, recycled %ld, begun %ld, ended %ld, parted %ld, hash %016llx\n", contacts, recycled,
           begun, ended, parted, (unsigned long long)hash);
    DONE("all sets give the scalar bits in any group");
}

static void test_against_brute_force(void) {
    int failures_before = failures;
    double worst = 0, worst_deep = 0;
    long near = 0, deep = 0, corners = 0;
    for (int fa = 0; fa < 4; fa++)
        for (int fb = 0; fb < 4; fb++)
            for (int i = 0; i < 20000; i++) {
                b2d_geometry a = random_geometry(fa), b = random_geometry(fb);
                b2d_rot turn = b2d_make_rot(draw(-3.2, 3.2)), q = b2d_make_rot(draw(-3.2, 3.2));
                double lo = 0, hi = 6, aim = draw(-0.05, 0.04), d = 0, radius = (double)a.radius + b.radius;
                b2d_transform id = {{0, 0}, {1, 0}}, t = id;
                for (int step = 0; step < 24; step++) { // to the wanted separation
                    double mid = 0.5 * (lo + hi);
                    dvec pa[8], pb[8];
                    t = (b2d_transform){{(float)(mid * turn.c), (float)(mid * turn.s)}, q};
                    int na = core(&a, id, pa), nb = core(&b, t, pb);
                    d = brute_separation(pa, na, pb, nb) - radius;
                    *(d > aim ? &hi : &lo) = mid;
                }
                b2d_manifold m;
                b2d_collide_shapes(&a, &b, t, speculative, &m);
                double core_d = d + radius, least = m.count == 0   ? 1e9
                                                    : m.count == 1 ? m.separation[0]
                                                                   : b2d_min(m.separation[0], m.separation[1]);
                if (fabs(core_d) < 0.002)
                    continue; // near zero the direction between the cores depends on the tolerance
                if (d > speculative + 0.0006) CHECK(m.count == 0, "too far", m.count, d);
                if (d < speculative - 0.0006) {
                    CHECK(m.count > 0, "near enough", m.count, d);
                    double error = fabs(least - d), limit = 0.0007;
                    if (core_d > 0) {
                        near++;
                        corners += m.count == 1;
                        if (error > worst) worst = error;
                    } else if (fa && fb) {
                        deep++;
                        if (error > worst_deep) worst_deep = error;
                    }
                    CHECK(BOUND(error, <, limit), "separation", least, d);
                    CHECK_NEAR(b2d_length(m.normal), 1, 1e-5, "unit normal");
                }
                for (int k = 0; k < m.count; k++)
                    CHECK(isfinite(m.point[k].x + m.point[k].y + m.separation[k]), "finite", m.point[k].x, 0);
                if (failures > failures_before + 3) {
                    printf("    forms %d %d, count %d, core distance %g\n", fa, fb, m.count, core_d);
                    DONE("separations agree with brute force");
                    return;
                }
            }
    printf("    apart %ld (one point %ld), worst %.2g; overlapping %ld, worst %.2g\n", near, corners, worst, deep,
           worst_deep);
    DONE("separations agree with brute force");
}

static void test_swapped(void) {
    int failures_before = failures;
    long count = 0, other = 0;
    for (int i = 0; i < 40000; i++) {
        b2d_geometry a = random_geometry(draw_below(4)), b = random_geometry(draw_below(4));
        double x = draw(-2, 2), y = draw(-2, 2), angle = draw(-3, 3);
        b2d_transform t = {{(float)x, (float)y}, b2d_make_rot(angle)};
        b2d_transform back = {b2d_neg(b2d_unrotate(t.q, t.p)), {t.q.c, -t.q.s}};
        b2d_manifold m, w;
        b2d_collide_shapes(&a, &b, t, speculative, &m);
        b2d_collide_shapes(&b, &a, back, speculative, &w);
        if (m.count == 0 && w.count == 0) continue;
        count++;
        b2d_vec2 normal = b2d_neg(b2d_rotate(t.q, w.normal));
        // Within the tolerance both reference edges are right
        if (m.count != w.count || b2d_abs(b2d_cross(normal, m.normal)) > 1e-5f) {
            other++;
            continue;
        }
        bool crossed = m.count == 2 && b2d_length(b2d_sub(m.point[0], b2d_transform_point(t, w.point[1]))) <
                                           b2d_length(b2d_sub(m.point[0], b2d_transform_point(t, w.point[0])));
        for (int k = 0; k < m.count; k++) {
            int j = crossed ? 1 - k : k;
            CHECK_NEAR(m.separation[k], w.separation[j], 1e-5, "mirrored separation");
            b2d_vec2 p = b2d_transform_point(t, w.point[j]);
            // Of parallel edges either may be the reference; a point may lie beyond its end by the tolerance
            CHECK_NEAR(b2d_length(b2d_sub(p, m.point[k])), 0, 0.1 * slop + 1e-5, "mirrored point");
            uint16_t f = (uint16_t)(w.feature[j] >> 8 | w.feature[j] << 8);
            CHECK(f == m.feature[k], "mirrored feature", f, m.feature[k]);
        }
    }
    CHECK(BOUND(other * 50, <, count), "other reference", other, count);
    printf("    manifolds %ld, with another reference %ld\n", count, other);
    DONE("swapped operands give the mirrored manifold");
}

static b2d_manifold collide(b2d_geometry a, b2d_geometry b, double x, double y, double angle) {
    b2d_manifold m;
    b2d_collide_shapes(&a, &b, (b2d_transform){{(float)x, (float)y}, b2d_make_rot(angle)}, speculative, &m);
    return m;
}
static void test_expected(void) {
    int failures_before = failures;
    b2d_manifold m = collide(box(2, 0.5, 0), box(0.5, 0.5, 0), 0.3, 0.998, 0); // resting, 2 mm deep
    CHECK(m.count == 2, "box on box", m.count, 2);
    for (int k = 0; k < 2; k++) {
        CHECK_NEAR(m.separation[k], -0.002, 1e-6, "box on box separation");
        CHECK_NEAR(m.point[k].y, 0.499, 1e-6, "box on box height");
        CHECK_NEAR(fabs(m.point[k].x - 0.3), 0.5, 1e-6, "box on box place");
    }
    CHECK_NEAR(m.normal.y, 1, 1e-6, "box on box normal");
    m = collide(box(0.5, 0.5, 0), box(0.5, 0.5, 0), 0, 1.01, 0); // the same box exactly above, apart: still two points
    CHECK(m.count == 2, "aligned boxes apart", m.count, 2);
    m = collide(box(0.5, 0.5, 0.1), box(0.5, 0.5, 0.1), 0, 1.2, 0);
    CHECK(m.count == 2, "aligned rounded boxes", m.count, 2);
    CHECK_NEAR(m.separation[0], 0, 1e-6, "aligned rounded boxes");
    m = collide(box(0.5, 0.5, 0.1), box(0.5, 0.5, 0.1), 1.1, 1.1, 0); // corner to corner
    CHECK(m.count == 1, "rounded corners", m.count, 1);
    CHECK_NEAR(m.normal.x, 0.70710678, 1e-5, "rounded corners normal");
    CHECK_NEAR(m.separation[0], 0.1 * 1.41421356 - 0.2, 1e-5, "rounded corners separation");
    CHECK_NEAR(m.point[0].x, 0.55, 1e-5, "rounded corners point");
    m = collide(box(0.5, 0.5, 0), box(0.5, 0.5, 0), 1.01, 1.01, 0); // speculative corner: no face normal
    CHECK(m.count == 1, "speculative corner", m.count, 1);
    CHECK_NEAR(m.normal.x, 0.70710678, 1e-4, "speculative corner normal");
    m = collide(box(0.5, 0.5, 0), circle(0, 0, 0.5), 0.2, 0.99, 0);
    CHECK(m.count == 1, "circle on edge", m.count, 1);
    CHECK_NEAR(m.separation[0], -0.01, 1e-6, "circle on edge");
    CHECK_NEAR(m.point[0].x, 0.2, 1e-6, "circle on edge point");
    CHECK_NEAR(m.point[0].y, 0.495, 1e-6, "circle on edge point");
    m = collide(box(0.5, 0.5, 0), circle(0, 0, 0.5), 0.8, 0.9, 0); // 0.3, 0.4 from the corner
    CHECK(m.count == 1, "circle on corner", m.count, 1);
    CHECK_NEAR(m.normal.x, 0.6, 1e-6, "circle on corner normal");
    CHECK_NEAR(m.separation[0], 0, 1e-6, "circle on corner");
    m = collide(box(0.5, 0.5, 0), circle(0, 0, 0.25), 0.1, 0.4, 0); // centre inside
    CHECK_NEAR(m.separation[0], -0.35, 1e-6, "circle inside");
    CHECK_NEAR(m.normal.y, 1, 1e-6, "circle inside normal");
    m = collide(line(-1, 0, 1, 0, 0.1), line(-0.5, 0, 0.5, 0, 0.1), 0.2, 0.19, 0);
    CHECK(m.count == 2, "parallel capsules", m.count, 2);
    CHECK_NEAR(m.separation[0], -0.01, 1e-6, "parallel capsules");
    CHECK_NEAR(m.separation[1], -0.01, 1e-6, "parallel capsules");
    m = collide(line(-1, 0, 1, 0, 0.1), line(-1, 0, 1, 0, 0.1), 2.19, 0, 0); // end to end
    CHECK(m.count == 1, "capsules in one line", m.count, 1);
    CHECK_NEAR(m.normal.x, 1, 1e-5, "capsules in one line normal");
    CHECK_NEAR(m.separation[0], -0.01, 1e-5, "capsules in one line");
    m = collide(line(-1, 0, 1, 0, 0.1), line(-1, 0, 1, 0, 0.1), 0, 0.95, 1.57079632679); // crossing near one end
    CHECK(m.count >= 1, "crossing capsules", m.count, 1);
    CHECK_NEAR(m.normal.y, 1, 1e-5, "crossing capsules normal");
    CHECK_NEAR(m.separation[0], -0.25, 1e-5, "crossing capsules");
    m = collide(line(-1, 0, 1, 0, 0), box(0.5, 0.5, 0), 0.2, 0.499, 0); // on a segment, from above and from below
    CHECK(m.count == 2, "box on segment", m.count, 2);
    CHECK_NEAR(m.normal.y, 1, 1e-6, "box on segment");
    m = collide(line(-1, 0, 1, 0, 0), box(0.5, 0.5, 0), 0.2, -0.499, 0);
    CHECK(m.count == 2, "box under segment", m.count, 2);
    CHECK_NEAR(m.normal.y, -1, 1e-6, "box under segment");
    m = collide(circle(0, 0, 0.5), circle(0, 0, 0.5), 0, 0, 1);
    CHECK(m.count == 1 && isfinite(m.normal.x), "coincident circles", m.count, 1);
    CHECK_NEAR(m.normal.y, 1, 0, "coincident circles");
    CHECK_NEAR(m.separation[0], -1, 0, "coincident circles");
    m = collide(circle(0, 0, 0.5), circle(0, 0, 0.25), 0.5, 0, 1);
    CHECK_NEAR(m.separation[0], -0.25, 1e-6, "circles");
    CHECK_NEAR(m.point[0].x, 0.375, 1e-6, "circles");
    m = collide(line(-1, 0, 1, 0, 0.1), circle(0, 0, 0.1), 0, 0, 0);
    CHECK(m.count == 1, "circle in capsule", m.count, 1);
    CHECK_NEAR(fabs(m.normal.y), 1, 1e-6, "circle in capsule");
    m = collide(box(0.5, 0.5, 0), box(0.5, 0.5, 0), 0, 0, 0);
    CHECK(m.count == 2, "coincident boxes", m.count, 2);
    CHECK_NEAR(m.separation[0], -1, 1e-6, "coincident boxes");
    // A capsule lies below a chain segment, crosses it near one of its free ends and rises behind it: its back edge is
    // the reference, and the deeper point is at the end that it crosses.
    const b2d_geometry free_segment = {
        .type = B2D_CHAIN_SEGMENT, .count = 2, .x = {0, 1, 1, 0}, .y = {0, 0, 0, 0}}; // no neighbour: the other end
    m = collide(free_segment, line(-3, -0.206, 1.5, 0.0955, 0.05), 0, 0, 0);
    CHECK(m.count == 2, "capsule across the end of a chain", m.count, 2);
    const int end = m.point[0].x > 0.5f;
    CHECK_NEAR(m.point[end].x, 0, 0.01, "capsule across the end of a chain");
    CHECK_NEAR(m.separation[end], -0.005 * cos(atan(0.067)) - 0.05, 1e-5, "depth at the end that the capsule crosses");
    CHECK_NEAR(m.separation[1 - end], 0.062 * cos(atan(0.067)) - 0.05, 1e-5, "depth at the other end");
    DONE("manifolds of plain situations");
}

static void test_features_persist(void) {
    int failures_before = failures;
    long pairs = 0, changed = 0;
    for (int i = 0; i < 40000; i++) {
        b2d_geometry a = random_geometry(1 + draw_below(3)), b = random_geometry(1 + draw_below(3));
        double x = draw(-2, 2), y = draw(-2, 2), angle = draw(-3, 3);
        b2d_manifold m = collide(a, b, x, y, angle);
        if (m.count == 0) continue;
        const double dx = draw(-1e-5, 1e-5), dy = draw(-1e-5, 1e-5), turn = draw(-1e-5, 1e-5);
        b2d_manifold w = collide(a, b, x + dx, y + dy, angle + turn);
        pairs++;
        changed += m.count != w.count || m.feature[0] != w.feature[0] || m.feature[1] != w.feature[1];
    }
    CHECK(BOUND(changed * 500, <, pairs), "changed features", changed, pairs);
    for (int i = 0; i < 1000; i++) { // resting stacks, the equal boxes exactly aligned up to noise: never
        double noise[6];
        for (int k = 0; k < 6; k++) noise[k] = draw(-1e-4, 1e-4);
        b2d_manifold m = collide(box(0.5, 0.5, 0), box(0.5, 0.5, 0), noise[0], 0.999 + noise[1], noise[2]);
        b2d_manifold w = collide(box(0.5, 0.5, 0), box(0.5, 0.5, 0), noise[3], 0.999 + noise[4], noise[5]);
        CHECK(m.count == 2 && w.count == 2, "aligned boxes", m.count, w.count);
        bool same = (m.feature[0] == w.feature[0] && m.feature[1] == w.feature[1]) ||
                    (m.feature[0] == w.feature[1] && m.feature[1] == w.feature[0]);
        CHECK(same, "features of aligned boxes", m.feature[0], w.feature[0]);
    }
    printf("    manifolds %ld, changed %ld\n", pairs, changed);
    DONE("features persist under tiny motion");
}

static void test_record_is_the_manifold(void) { // world separation and lever formulas of contact_block.h, flips too
    int failures_before = failures;
    scene s;
    scene_init(&s, N);
    long count = 0;
    for (int bucket = 0; bucket < B2D_BUCKET_COUNT; bucket++) {
        scene_random(&s, bucket);
        b2d_bits_clear(&s.worker.begun);
        s.worker.record_count = 0;
        run(&s, b2d_cpu_best(), false);
        B2D_FOR_BITS (&s.worker.begun, id) {
            const b2d_pair* pair = &s.pairs[id];
            const b2d_contact_record* r = &s.worker.records[pair->record & 0xffffff];
            b2d_manifold m;
            b2d_transform t = b2d_pose_relative(&s.poses[pair->body_a], &s.poses[pair->body_b]);
            b2d_collide_shapes(&s.geometries[pair->shape_a], &s.geometries[pair->shape_b], t, speculative, &m);
            bool flip = pair->flags & B2D_PAIR_FLIP;
            const b2d_pose *a = &s.poses[flip ? pair->body_b : pair->body_a],
                           *b = &s.poses[flip ? pair->body_a : pair->body_b];
            const b2d_pose* frame = &s.poses[pair->body_a];
            b2d_vec2 n = b2d_rotate((b2d_rot){frame->c, frame->s}, m.normal);
            if (flip) n = b2d_neg(n);
            CHECK_NEAR(r->nx, n.x, 1e-5, "world normal");
            CHECK_NEAR(r->ny, n.y, 1e-5, "world normal");
            b2d_vec2 ca = b2d_pose_center(a), cb = b2d_pose_center(b);
            for (int k = 0; k < m.count; k++) {
                b2d_vec2 p = b2d_rotate((b2d_rot){frame->c, frame->s}, m.point[k]);
                b2d_vec2 ra = {(float)(frame->x - a->x + p.x) - ca.x, (float)(frame->y - a->y + p.y) - ca.y};
                b2d_vec2 rb = {(float)(frame->x - b->x + p.x) - cb.x, (float)(frame->y - b->y + p.y) - cb.y};
                CHECK_NEAR(r->point[k].normal_arm, b2d_cross(ra, n), 1e-4, "normal_arm");
                CHECK_NEAR(r->point[k].along_normal, b2d_dot(ra, n), 1e-4, "along_normal");
                CHECK_NEAR(r->point[k].normal_arm + r->normal_arm_shift, b2d_cross(rb, n), 1e-4,
                           "normal_arm + normal_arm_shift");
                CHECK_NEAR(r->point[k].along_normal + r->along_normal_shift, b2d_dot(rb, n), 1e-4,
                           "along_normal + along_normal_shift");
                CHECK_NEAR(r->point[k].initial_separation, m.separation[k], 1e-5, "initial separation");
                CHECK((r->feature >> 16 * k & 0xffff) == m.feature[k], "feature", r->feature, m.feature[k]);
            }
            const float second = r->point[1].initial_separation;
            const bool none = r->point[1].normal_arm == 0 && r->feature >> 16 == 0xffff;
            if (m.count == 1)
                CHECK(second == B2D_DEAD_POINT ? none : second > speculative, "far or no point", second, speculative);
            count++;
        }
        if (failures > failures_before) break;
    }
    CHECK(BOUND(count, >, 5000), "records", count, 5000);
    scene_free(&s);
    DONE("records say what the manifold says");
}

#include "recycling.h"

static void test_impulses_follow_features(void) {
    int failures_before = failures;
    scene s;
    scene_init(&s, 1);
    scene_shape(&s, 0, box(0.5, 0.5, 0)), scene_shape(&s, 1, box(0.5, 0.5, 0));
    scene_pose(&s, 0, 0, 0, (b2d_rot){1, 0}), scene_pose(&s, 1, 0.2, 0.999, b2d_make_rot(0.001));
    scene_pair(&s, 0, B2D_BUCKET_QUAD, true);
    scene_boxes(&s, 0.1);
    run(&s, 0, false);
    scene_serial(&s);
    s.context.recycle_distance = 0;
    int lane_index = s.pairs[0].lane_index;
    b2d_contact_point* p = s.blocks[lane_index / 16].point;
    int lane = lane_index % 16;
    p[0].normal_impulse[lane] = 1, p[1].normal_impulse[lane] = 2, p[0].tangent_impulse[lane] = 3,
    p[1].tangent_impulse[lane] = 4;
    uint32_t two = s.manifolds[lane_index / 16].feature[lane];
    double x0 = p[0].normal_arm[lane];
    uint32_t began = 0;
    s.context.begin_stamps = &began;
    for (int i = 0; i < 2; i++) { // tilted to the one side and to the other: one of the points stays
        scene_pose(&s, 1, 0.2, 1.03, b2d_make_rot(i ? -0.06 : 0.06));
        run(&s, 0, false);
        uint32_t one = s.manifolds[lane_index / 16].feature[lane];
        CHECK(p[1].initial_separation[lane] > speculative, "one point near", p[1].initial_separation[lane],
              speculative);
        int was = (one & 0xffff) == (two & 0xffff) ? 0 : 1;
        CHECK((one & 0xffff) == (two >> 16 * was & 0xffff), "old feature", one, two);
        CHECK(began == 0, "what stays does not begin", began, 0);
        s.context.step = 5u << B2D_BEGIN_SHIFT;
        CHECK(p[0].normal_impulse[lane] == 1 + was && p[0].tangent_impulse[lane] == 3 + was, "impulse in slot 0",
              p[0].normal_impulse[lane], 1 + was);
        CHECK(p[1].normal_impulse[lane] == 0 && p[1].tangent_impulse[lane] == 0, "a far point has no impulse",
              p[1].normal_impulse[lane], 0);
        scene_pose(&s, 1, 0.2, 0.999, b2d_make_rot(0.001));
        run(&s, 0, false);
        CHECK(s.manifolds[lane_index / 16].feature[lane] == two, "features again",
              s.manifolds[lane_index / 16].feature[lane], two);
        CHECK(p[was].normal_impulse[lane] == 1 + was && p[1 - was].normal_impulse[lane] == 0,
              "impulse back in its slot", p[was].normal_impulse[lane], 1 + was);
        uint32_t other = s.context.step | (was == 0 ? 2u * B2D_BEGIN_POINT : B2D_BEGIN_POINT);
        CHECK(began == other, "the other point begins", began, other);
        began = 0;
        p[0].normal_impulse[lane] = 1, p[1].normal_impulse[lane] = 2, p[0].tangent_impulse[lane] = 3,
        p[1].tangent_impulse[lane] = 4;
    }
    CHECK_NEAR(p[0].normal_arm[lane], x0, 1e-6, "lever again");
    scene_pose(&s, 1, 0.2, 1.06, b2d_make_rot(0.001)); // apart, boxes still overlap: ended, the lane stays
    b2d_contact_block before = s.blocks[lane_index / 16];
    run(&s, 0, false);
    CHECK(b2d_bits_has(&s.worker.ended, 0) && !b2d_bits_has(&s.worker.parted, 0), "ended", 0, 1);
    CHECK(memcmp(&before, &s.blocks[lane_index / 16], sizeof before) == 0, "lane stays", 0, 1);
    scene_pose(&s, 1, 5, 1.06, b2d_make_rot(0.001));
    scene_boxes(&s, 0.1);
    b2d_bits_clear(&s.worker.ended);
    run(&s, 0, false);
    CHECK(b2d_bits_has(&s.worker.ended, 0) && b2d_bits_has(&s.worker.parted, 0), "parted and ended", 0, 1);
    scene_free(&s);
    DONE("impulses follow features");
}

static void test_no_memory_waits(void) {
    int failures_before = failures;
    scene s;
    scene_init(&s, N);
    scene_random(&s, B2D_BUCKET_QUAD);
    s.memory.fail_after = 0;
    run(&s, b2d_cpu_best(), false);
    CHECK(s.worker.failed && s.worker.record_count == 0 && b2d_bits_count(&s.worker.begun) == 0, "nothing begins",
          s.worker.record_count, 0);
    s.memory.fail_after = -1;
    run(&s, b2d_cpu_best(), false);
    CHECK(s.worker.record_count == b2d_bits_count(&s.worker.begun) && s.worker.record_count > 100, "begin a step later",
          s.worker.record_count, 100);
    scene_free(&s);
    DONE("without memory a beginning contact waits");
}

int main(void) {
    RUN(test_all_sets_agree);
    RUN(test_expected);
    RUN(test_against_brute_force);
    RUN(test_swapped);
    RUN(test_features_persist);
    RUN(test_record_is_the_manifold);
    RUN(test_recycled_is_full);
    RUN(test_recycled_vertices);
    RUN(test_impulses_follow_features);
    RUN(test_no_memory_waits);
    print_bounds();
    printf("%d failures\n", failures);
    return failures != 0;
}
