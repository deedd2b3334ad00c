// tests/c/test_narrowphase.c - the narrow phase against its scalar instance, brute force and known manifolds.
#include "base/cpu.h"
#include "narrowphase/collide.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int failures;
#define CHECK(condition, name, got, wanted)                                                                       \
    ((condition) ? (void)0                                                                                        \
                 : (void)(failures++ < 40 && printf("FAIL %s:%d %s: got %.9g, wanted %.9g\n", __FILE__, __LINE__, \
                                                    name, (double)(got), (double)(wanted))))
#define CHECK_NEAR(got, wanted, tolerance, name) \
    CHECK(fabs((double)(got) - (double)(wanted)) <= (tolerance), name, got, wanted)
#define DONE(name) printf("%s %s\n", failures == failures_before ? "ok" : "FAILED", name)

static uint64_t seed = 88172645463325252ull;
static uint32_t next(void) {
    seed ^= seed << 13, seed ^= seed >> 7, seed ^= seed << 17;
    return (uint32_t)(seed >> 32);
}
static double uniform(double a, double b) { return a + (b - a) * (next() / 4294967296.0); }

static const float slop = 0.005f, speculative = 0.02f;

// -------------------------------------------------------------------------------------------------------------
// geometries

static b2d_geometry circle(double x, double y, double r) {
    return (b2d_geometry){.type = B2D_CIRCLE, .count = 1, .radius = (float)r, .x = {(float)x}, .y = {(float)y}};
}
static b2d_geometry line(double x1, double y1, double x2, double y2, double r) {
    return (b2d_geometry){.type = r > 0 ? B2D_CAPSULE : B2D_SEGMENT,
                          .count = 2,
                          .radius = (float)r,
                          .x = {(float)x1, (float)x2},
                          .y = {(float)y1, (float)y2}};
}
static b2d_geometry box(double hx, double hy, double r) {
    return (b2d_geometry){.type = B2D_POLYGON,
                          .count = 4,
                          .radius = (float)r,
                          .x = {(float)-hx, (float)hx, (float)hx, (float)-hx},
                          .y = {(float)-hy, (float)-hy, (float)hy, (float)hy}};
}
static b2d_geometry polygon(int count, double r) { // on an ellipse, so convex
    b2d_geometry g = {.type = B2D_POLYGON, .count = count, .radius = (float)r};
    double a = uniform(0.3, 1.2), b = uniform(0.3, 1.2), turn = uniform(0, 6.28), ox = uniform(-0.5, 0.5),
           oy = uniform(-0.5, 0.5);
    for (int i = 0; i < count; i++) {
        double angle = turn + (i + uniform(-0.3, 0.3)) * 6.283185307 / count;
        b2d_rot q = b2d_make_rot(angle);
        g.x[i] = (float)(ox + a * q.c), g.y[i] = (float)(oy + b * q.s);
    }
    return g;
}
static b2d_geometry chain_segment(void) { // neighbours in any direction, or none
    b2d_geometry g = {.type = B2D_CHAIN_SEGMENT, .count = 2};
    for (int k = 0; k < 2; k++) g.x[k] = (float)uniform(0.1 + k, 0.9 + k) - 1, g.y[k] = (float)uniform(-0.3, 0.3);
    for (int k = 0; k < 2; k++) {
        b2d_rot q = b2d_make_rot(uniform(-3, 3));
        bool end = next() % 4 == 0, straight = next() % 4 == 0;
        float away = straight ? 2.0f : 1.0f;
        g.x[2 + k] = end ? g.x[1 - k] : straight ? g.x[k] + away * (g.x[k] - g.x[1 - k]) : g.x[k] + q.c;
        g.y[2 + k] = end ? g.y[1 - k] : straight ? g.y[k] + away * (g.y[k] - g.y[1 - k]) : g.y[k] + q.s;
    }
    return g;
}
static b2d_geometry random_geometry(int form) {
    if (form == B2D_FORM_CHAIN) return chain_segment();
    // One draw a full expression
    double r = next() % 2 ? uniform(0.01, 0.2) : 0.0, x = uniform(-1, 0), y = uniform(-1, 0);
    double w = uniform(0.2, 1), h = uniform(0.2, 1);
    switch (form) {
    case B2D_FORM_POINT: return circle(x + 0.5, y + 0.5, w);
    case B2D_FORM_LINE: return line(x, y, w, h, r);
    case B2D_FORM_QUAD: return next() % 2 ? box(w, h, r) : polygon(3 + (int)(next() % 2), r);
    default: return polygon(5 + (int)(next() % 4), r);
    }
}
static void bucket_forms(int bucket, int* a, int* b) {
    static const int forms[B2D_BUCKET_COUNT][2] = {{0, 0}, {1, 0}, {1, 1}, {2, 0}, {3, 0}, {2, 1},
                                                   {3, 1}, {4, 0}, {4, 1}, {4, 2}, {4, 3}};
    *a = forms[bucket][0];
    *b = forms[bucket][1];
    if (bucket == B2D_BUCKET_QUAD) *b += (int)(next() % 2);
    if (bucket == B2D_BUCKET_OCT) *b += (int)(next() % 3);
}
static int bucket_of(int a, int b) {
    if (b == 0)
        return a == 0   ? B2D_BUCKET_POINT_POINT
               : a == 1 ? B2D_BUCKET_LINE_POINT
               : a == 2 ? B2D_BUCKET_QUAD_POINT
                        : B2D_BUCKET_OCT_POINT;
    return a == 1 ? B2D_BUCKET_LINE_LINE : a == 2 ? B2D_BUCKET_QUAD : B2D_BUCKET_OCT;
}

// ------------------------------------------------------------------------------------------------------------- brute
// force

typedef struct dvec {
    double x, y;
} dvec;
static double point_segment(dvec p, dvec a, dvec b) {
    double ex = b.x - a.x, ey = b.y - a.y, square = ex * ex + ey * ey;
    double t = square > 0 ? ((p.x - a.x) * ex + (p.y - a.y) * ey) / square : 0;
    t = t < 0 ? 0 : t > 1 ? 1 : t;
    double dx = p.x - a.x - t * ex, dy = p.y - a.y - t * ey;
    return sqrt(dx * dx + dy * dy);
}
static int core(const b2d_geometry* g, b2d_transform t, dvec* out) {
    for (int i = 0; i < g->count; i++)
        out[i] = (dvec){(double)t.q.c * g->x[i] - (double)t.q.s * g->y[i] + t.p.x,
                        (double)t.q.s * g->x[i] + (double)t.q.c * g->y[i] + t.p.y};
    return g->count;
}
// Greatest separation over the edge normals of a (its offset from b's vertices).
static double face_separation(const dvec* a, int na, const dvec* b, int nb) {
    double best = -1e30;
    for (int i = 0; na > 1 && i < na; i++) {
        dvec p = a[i], q = a[(i + 1) % na];
        double ex = q.x - p.x, ey = q.y - p.y, length = sqrt(ex * ex + ey * ey), least = 1e30;
        for (int j = 0; j < nb; j++) {
            double d = ((b[j].x - p.x) * ey - (b[j].y - p.y) * ex) / length;
            if (d < least) least = d;
        }
        if (least > best) best = least;
    }
    return best;
}
// Distance of the cores when positive, else the greatest face separation.
static double brute_separation(const dvec* a, int na, const dvec* b, int nb) {
    double sa = face_separation(a, na, b, nb), sb = face_separation(b, nb, a, na), faces = sa > sb ? sa : sb,
           least = 1e30;
    for (int i = 0; i < na; i++)
        for (int j = 0; j < nb; j++) {
            double d1 = point_segment(a[i], b[j], b[(j + 1) % nb]), d2 = point_segment(b[j], a[i], a[(i + 1) % na]);
            if (d1 < least) least = d1;
            if (d2 < least) least = d2;
        }
    bool apart = faces > 0 || (na == 1 && nb == 1);
    if (!apart && na <= 2 && nb <= 2) { // lines in one line have no separating face; crossing ones have distance 0
        bool crossing = na == 2 && nb == 2;
        for (int side = 0; crossing && side < 2; side++) {
            const dvec *p = side ? b : a, *q = side ? a : b;
            double c0 = (p[1].x - p[0].x) * (q[0].y - p[0].y) - (p[1].y - p[0].y) * (q[0].x - p[0].x);
            double c1 = (p[1].x - p[0].x) * (q[1].y - p[0].y) - (p[1].y - p[0].y) * (q[1].x - p[0].x);
            crossing = c0 * c1 < 0;
        }
        if (!crossing) return least;
    }
    return apart ? least : faces;
}

// ------------------------------------------------------------------------------------------------------------- a small
// world

enum { N = 3000 };
typedef struct scene {
    b2d_memory memory;
    b2d_pose* poses;
    b2d_shape_hot* shapes;
    b2d_hull4* second;
    b2d_geometry* geometries;
    float* fat[4];
    b2d_pair* pairs;
    b2d_contact_block* blocks;
    b2d_manifold_block* manifolds;
    b2d_collide_worker worker;
    b2d_bits new_fat_boxes; // all bodies: any box may change here
    b2d_collide_context context;
    int n;
} scene;

static void scene_init(scene* s, int n) {
    *s = (scene){.memory = {.fail_after = -1}, .n = n};
    b2d_memory* m = &s->memory;
    int rows = 2 * n, blocks = n / 8 + 2;
    s->poses = b2d_allocate(m, sizeof(b2d_pose) * (size_t)rows);
    s->shapes = b2d_allocate(m, sizeof(b2d_shape_hot) * (size_t)rows);
    s->second = b2d_allocate(m, sizeof(b2d_hull4) * (size_t)rows);
    s->geometries = b2d_allocate(m, sizeof(b2d_geometry) * (size_t)rows);
    for (int k = 0; k < 4; k++) s->fat[k] = b2d_allocate(m, sizeof(float) * (size_t)rows);
    s->pairs = b2d_allocate(m, sizeof(b2d_pair) * (size_t)n);
    s->blocks = b2d_allocate(m, sizeof(b2d_contact_block) * (size_t)blocks);
    s->manifolds = b2d_allocate(m, sizeof(b2d_manifold_block) * (size_t)blocks);
    s->worker.memory = m;
    b2d_bits_reserve(m, &s->worker.begun, n);
    b2d_bits_reserve(m, &s->worker.ended, n);
    b2d_bits_reserve(m, &s->worker.parted, n);
    b2d_bits_reserve(m, &s->new_fat_boxes, rows);
    for (int k = 0; k < blocks; k++)
        for (int lane = 0; lane < B2D_LANES; lane++)
            s->manifolds[k].contact[lane] = s->blocks[k].body_a[lane] = s->blocks[k].body_b[lane] = B2D_NONE;
    s->context = (b2d_collide_context){s->poses,  s->shapes, s->second,  s->fat[0],    s->fat[1],   s->fat[2],
                                       s->fat[3], s->pairs,  s->blocks,  s->manifolds, speculative, slop,
                                       0.05f,     0.199f,    &s->worker, NULL,         0,           &s->new_fat_boxes,
                                       NULL,      NULL,      NULL,       NULL,         NULL};
    for (int i = 0; i < rows; i++) b2d_bits_set(&s->new_fat_boxes, i);
}
static void scene_copy(scene* to, const scene* from) { // `to` has the same n; its bits and records become empty
    int rows = 2 * from->n, blocks = from->n / 8 + 2;
    memcpy(to->poses, from->poses, sizeof(b2d_pose) * (size_t)rows);
    memcpy(to->shapes, from->shapes, sizeof(b2d_shape_hot) * (size_t)rows);
    memcpy(to->second, from->second, sizeof(b2d_hull4) * (size_t)rows);
    for (int k = 0; k < 4; k++) memcpy(to->fat[k], from->fat[k], sizeof(float) * (size_t)rows);
    memcpy(to->pairs, from->pairs, sizeof(b2d_pair) * (size_t)from->n);
    memcpy(to->blocks, from->blocks, sizeof(b2d_contact_block) * (size_t)blocks);
    memcpy(to->manifolds, from->manifolds, sizeof(b2d_manifold_block) * (size_t)blocks);
    b2d_bits_clear(&to->worker.begun), b2d_bits_clear(&to->worker.ended), b2d_bits_clear(&to->worker.parted);
    to->worker.record_count = 0, to->worker.updated = to->worker.recycled = 0;
    to->context.recycle_distance = from->context.recycle_distance;
}
static void scene_free(scene* s) {
    b2d_memory* m = &s->memory;
    int rows = 2 * s->n, blocks = s->n / 8 + 2;
    b2d_free(m, s->poses, sizeof(b2d_pose) * (size_t)rows);
    b2d_free(m, s->shapes, sizeof(b2d_shape_hot) * (size_t)rows);
    b2d_free(m, s->second, sizeof(b2d_hull4) * (size_t)rows);
    b2d_free(m, s->geometries, sizeof(b2d_geometry) * (size_t)rows);
    for (int k = 0; k < 4; k++) b2d_free(m, s->fat[k], sizeof(float) * (size_t)rows);
    b2d_free(m, s->pairs, sizeof(b2d_pair) * (size_t)s->n);
    b2d_free(m, s->blocks, sizeof(b2d_contact_block) * (size_t)blocks);
    b2d_free(m, s->manifolds, sizeof(b2d_manifold_block) * (size_t)blocks);
    b2d_bits_free(m, &s->worker.begun), b2d_bits_free(m, &s->worker.ended), b2d_bits_free(m, &s->worker.parted);
    b2d_bits_free(m, &s->new_fat_boxes);
    b2d_free(m, s->worker.records, sizeof(b2d_contact_record) * (size_t)s->worker.record_capacity);
    CHECK(m->bytes == 0, "bytes left", m->bytes, 0);
}
static void scene_shape(scene* s, int i, b2d_geometry g) {
    s->geometries[i] = g;
    b2d_shape_hot_make(&g, &s->shapes[i], &s->second[i]);
    s->shapes[i].second_hull = g.count > 4 || g.type == B2D_CHAIN_SEGMENT ? i : B2D_NONE;
    s->shapes[i].body = i;
}
static void scene_pose(scene* s, int body, double x, double y, b2d_rot q) {
    b2d_pose* p = &s->poses[body];
    p->x = x, p->y = y, p->c = q.c, p->s = q.s;
}
static void scene_boxes(scene* s, double margin) {
    for (int i = 0; i < 2 * s->n; i++) {
        b2d_box b = b2d_box_grow(b2d_shape_box(&s->shapes[i], &s->second[i], &s->poses[i]), (float)margin);
        s->fat[0][i] = b.min_x, s->fat[1][i] = b.min_y, s->fat[2][i] = b.max_x, s->fat[3][i] = b.max_y;
    }
}
static void scene_pair(scene* s, int i, int bucket, bool flip) {
    s->pairs[i] = (b2d_pair){.shape_a = 2 * i,
                             .shape_b = 2 * i + 1,
                             .body_a = 2 * i,
                             .body_b = 2 * i + 1,
                             .lane_index = B2D_NONE,
                             .record = B2D_NONE,
                             .bucket = (uint8_t)bucket,
                             .flags = flip ? B2D_PAIR_FLIP : 0,
                             .extent = b2d_min(s->shapes[2 * i].extent, s->shapes[2 * i + 1].extent)};
}
// Pairs of one bucket: a third overlapping, a third close to contact, the others anywhere near; some degenerate, some
// far from the origin.
static void scene_random(scene* s, int bucket) {
    for (int i = 0; i < s->n; i++) {
        int fa, fb;
        bucket_forms(bucket, &fa, &fb);
        for (int k = 0; k < 2; k++) {
            scene_shape(s, 2 * i + k, random_geometry(k ? fb : fa));
            s->poses[2 * i + k].cx = (float)uniform(-0.5, 0.5), s->poses[2 * i + k].cy = (float)uniform(-0.5, 0.5);
        }
        if (fa != B2D_FORM_CHAIN && next() % 16 == 0) scene_shape(s, 2 * i + 1, s->geometries[2 * i]), fb = fa;
        double x = uniform(-10, 10) * (next() % 32 == 0 ? 1e5 : 1), y = uniform(-10, 10), reach = uniform(0, 2);
        b2d_rot q = next() % 4 ? b2d_make_rot(uniform(-3, 3)) : (b2d_rot){1, 0};
        scene_pose(s, 2 * i, x, y, q);
        b2d_rot turn = b2d_make_rot(uniform(-3.2, 3.2));
        if (next() % 4) q = b2d_make_rot(uniform(-3, 3));
        if (next() % 16 == 0) reach = 0; // coincident
        double ex = x + reach * turn.c, ey = y + reach * turn.s;
        scene_pose(s, 2 * i + 1, ex, ey, q);
        if (next() % 3 == 0 && reach > 0) { // move to just touching along the line
            double lo = 0, hi = 6;
            b2d_transform id = {{0, 0}, {1, 0}};
            for (int step = 0; step < 20; step++) {
                dvec pa[8], pb[8];
                double mid = 0.5 * (lo + hi);
                scene_pose(s, 2 * i + 1, x + mid * turn.c, y + mid * turn.s, q);
                b2d_transform t = b2d_pose_relative(&s->poses[2 * i], &s->poses[2 * i + 1]);
                int na = core(&s->geometries[2 * i], id, pa), nb = core(&s->geometries[2 * i + 1], t, pb);
                double d = brute_separation(pa, na, pb, nb) - s->shapes[2 * i].radius - s->shapes[2 * i + 1].radius;
                *(d > 0.01 ? &hi : &lo) = mid;
            }
        }
        scene_pair(s, i, fa == fb ? bucket_of(fa, fb) : bucket, next() % 2);
    }
    scene_boxes(s, 0.1);
}
// The serial stage: contacts that began get a lane and random impulses, contacts that ended free theirs.
static void scene_enter_lane(scene* s, int id, int lane_index) {
    const b2d_pair* pair = &s->pairs[id];
    const bool flip = (pair->flags & B2D_PAIR_FLIP) != 0;
    b2d_contact_block* block = &s->blocks[lane_index / B2D_LANES];
    block->body_a[lane_index % B2D_LANES] = flip ? pair->body_b : pair->body_a;
    block->body_b[lane_index % B2D_LANES] = flip ? pair->body_a : pair->body_b;
    s->manifolds[lane_index / B2D_LANES].contact[lane_index % B2D_LANES] = id;
    s->manifolds[lane_index / B2D_LANES].extent[lane_index % B2D_LANES] = pair->extent;
}
static void scene_leave_lane(scene* s, int id) {
    const int lane_index = s->pairs[id].lane_index;
    if (lane_index == B2D_NONE) return;
    b2d_contact_block* block = &s->blocks[lane_index / B2D_LANES];
    block->body_a[lane_index % B2D_LANES] = block->body_b[lane_index % B2D_LANES] =
        s->manifolds[lane_index / B2D_LANES].contact[lane_index % B2D_LANES] = B2D_NONE;
    s->pairs[id].lane_index = B2D_NONE;
}
static void scene_serial(scene* s) {
    static int taken[N * 2 + 64];
    int lanes = (s->n / 8 + 2) * B2D_LANES;
    memset(taken, 0, sizeof taken);
    for (int i = 0; i < s->n; i++)
        if (s->pairs[i].lane_index != B2D_NONE) taken[s->pairs[i].lane_index] = 1;
    B2D_FOR_BITS (&s->worker.ended, id) {
        taken[s->pairs[id].lane_index] = 0;
        scene_leave_lane(s, id);
        s->pairs[id].flags &= (uint8_t)~B2D_PAIR_TOUCHING;
    }
    B2D_FOR_BITS (&s->worker.begun, id) {
        int lane_index = (int)(next() % (uint32_t)lanes);
        while (taken[lane_index]) lane_index = (lane_index + 1) % lanes;
        taken[lane_index] = 1;
        s->pairs[id].lane_index = lane_index;
        s->pairs[id].flags |= B2D_PAIR_TOUCHING;
        b2d_contact_record* r = &s->worker.records[s->pairs[id].record & 0xffffff];
        for (int k = 0; k < 2; k++)
            r->point[k].normal_impulse = (float)uniform(0, 1), r->point[k].tangent_impulse = (float)uniform(-1, 1);
        if (r->feature >> 16 == 0xffff) r->point[1].normal_impulse = r->point[1].tangent_impulse = 0;
        b2d_block_write(&s->blocks[lane_index / B2D_LANES], &s->manifolds[lane_index / B2D_LANES],
                        lane_index % B2D_LANES, r);
        scene_enter_lane(s, id, lane_index);
    }
}
static void run(scene* s, int simd, bool split) {
    static int32_t list[N];
    const int blocks = s->n / 8 + 2;
    for (int i = 0; i < blocks; i++) list[i] = i;
    for (int i = 0; i < blocks;) {
        int size = split ? 1 + (int)(next() % 20u) : blocks;
        if (size > blocks - i) size = blocks - i;
        b2d_collide_blocks_kernel(simd)(&s->context, list + i, size, 0);
        i += size;
    }
    for (int bucket = 0; bucket < B2D_BUCKET_COUNT; bucket++) {
        int count = 0;
        for (int i = 0; i < s->n; i++)
            if (s->pairs[i].bucket == bucket && s->pairs[i].lane_index == B2D_NONE) list[count++] = i;
        for (int i = 0; i < count;) {
            int most = next() % 4 ? 40 : 300, size = split ? 1 + (int)(next() % (uint32_t)most) : count;
            if (size > count - i) size = count - i;
            b2d_collide_kernel(simd)(&s->context, bucket, list + i, size, 0);
            i += size;
        }
    }
}
static void move_bodies(scene* s) {
    for (int i = 0; i < 2 * s->n; i++) {
        double scale = next() % 3 == 0 ? 0 : next() % 2 ? 0.002 : next() % 2 ? 0.03 : 0.3;
        b2d_pose* p = &s->poses[i];
        p->x += uniform(-scale, scale), p->y += uniform(-scale, scale);
        b2d_rot q = b2d_rot_multiply((b2d_rot){p->c, p->s}, b2d_make_rot(uniform(-scale, scale)));
        p->c = q.c, p->s = q.s;
        int lane_index = s->pairs[i / 2].lane_index;
        if (next() % 50 == 0 && lane_index != B2D_NONE)
            s->manifolds[lane_index / B2D_LANES].qc[lane_index % B2D_LANES] =
                s->manifolds[lane_index / B2D_LANES].qs[lane_index % B2D_LANES] = 0;
    }
}

// ------------------------------------------------------------------------------------------------------------- tests

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
                    run(&copy, simd, true);
                    CHECK(memcmp(copy.blocks, base.blocks, sizeof(b2d_contact_block) * (N / 8 + 2)) == 0,
                          "blocks of set", simd, 0);
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
    CHECK(recycled > 10000 && begun > 10000 && ended > 1000 && parted > 100, "all cases occur", recycled, begun);
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
                b2d_rot turn = b2d_make_rot(uniform(-3.2, 3.2)), q = b2d_make_rot(uniform(-3.2, 3.2));
                double lo = 0, hi = 6, aim = uniform(-0.05, 0.04), d = 0, radius = (double)a.radius + b.radius;
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
                    CHECK(error < limit, "separation", least, d);
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
        b2d_geometry a = random_geometry((int)(next() % 4)), b = random_geometry((int)(next() % 4));
        b2d_transform t = {{(float)uniform(-2, 2), (float)uniform(-2, 2)}, b2d_make_rot(uniform(-3, 3))};
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
            CHECK_NEAR(b2d_length(b2d_sub(p, m.point[k])), 0, 1e-4, "mirrored point");
            uint16_t f = (uint16_t)(w.feature[j] >> 8 | w.feature[j] << 8);
            CHECK(f == m.feature[k], "mirrored feature", f, m.feature[k]);
        }
    }
    CHECK(other * 50 < count, "other reference", other, count);
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
    DONE("manifolds of plain situations");
}

static void test_features_persist(void) {
    int failures_before = failures;
    long pairs = 0, changed = 0;
    for (int i = 0; i < 40000; i++) {
        b2d_geometry a = random_geometry(1 + (int)(next() % 3)), b = random_geometry(1 + (int)(next() % 3));
        double x = uniform(-2, 2), y = uniform(-2, 2), angle = uniform(-3, 3);
        b2d_manifold m = collide(a, b, x, y, angle);
        if (m.count == 0) continue;
        b2d_manifold w = collide(a, b, x + uniform(-1e-5, 1e-5), y + uniform(-1e-5, 1e-5),
                                 angle + uniform(-1e-5, 1e-5));
        pairs++;
        changed += m.count != w.count || m.feature[0] != w.feature[0] || m.feature[1] != w.feature[1];
    }
    CHECK(changed * 500 < pairs, "changed features", changed, pairs);
    for (int i = 0; i < 1000; i++) { // resting stacks, the equal boxes exactly aligned up to noise: never
        b2d_manifold m = collide(box(0.5, 0.5, 0), box(0.5, 0.5, 0), uniform(-1e-4, 1e-4), 0.999 + uniform(-1e-4, 1e-4),
                                 uniform(-1e-4, 1e-4));
        b2d_manifold w = collide(box(0.5, 0.5, 0), box(0.5, 0.5, 0), uniform(-1e-4, 1e-4), 0.999 + uniform(-1e-4, 1e-4),
                                 uniform(-1e-4, 1e-4));
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
            if (m.count == 1)
                CHECK(r->point[1].initial_separation == B2D_DEAD_POINT && r->point[1].normal_arm == 0 &&
                          r->feature >> 16 == 0xffff,
                      "dead point", r->point[1].initial_separation, 0);
            count++;
        }
        if (failures > failures_before) break;
    }
    CHECK(count > 5000, "records", count, 5000);
    scene_free(&s);
    DONE("records say what the manifold says");
}

static void test_recycled_is_full(void) {
    int failures_before = failures;
    scene s, full;
    scene_init(&s, N), scene_init(&full, N);
    double worst = 0;
    long count = 0, singles = 0;
    for (int bucket = 0; bucket < B2D_BUCKET_COUNT; bucket++) {
        scene_random(&s, bucket);
        b2d_bits_clear(&s.worker.begun), b2d_bits_clear(&s.worker.ended);
        s.worker.record_count = 0;
        run(&s, b2d_cpu_best(), false);
        scene_serial(&s);
        double scale = 1e-4;
        for (int i = 0; i < 2 * N; i++) {
            b2d_pose* p = &s.poses[i];
            p->x += uniform(-scale, scale), p->y += uniform(-scale, scale);
            b2d_rot q = b2d_rot_multiply((b2d_rot){p->c, p->s}, b2d_make_rot(uniform(-scale, scale)));
            p->c = q.c, p->s = q.s;
        }
        scene_boxes(&s, 0.1);
        scene_copy(&full, &s);
        full.context.recycle_distance = 0;
        s.worker.recycled = 0;
        run(&s, b2d_cpu_best(), false);
        run(&full, b2d_cpu_best(), false);
        long lasting = 0;
        for (int i = 0; i < N; i++) {
            int lane_index = s.pairs[i].lane_index;
            if (lane_index == B2D_NONE) continue;
            b2d_contact_record r, f;
            b2d_block_read(&s.blocks[lane_index / 16], &s.manifolds[lane_index / 16], lane_index % 16, &r);
            const bool single = r.point[1].initial_separation == B2D_DEAD_POINT;
            lasting += r.qc != 0.0f;
            singles += single && r.qc != 0.0f;
            const int own = s.pairs[i].bucket;
            CHECK(!single || r.qc == 0.0f || own == B2D_BUCKET_LINE_LINE || own == B2D_BUCKET_QUAD ||
                      own == B2D_BUCKET_OCT,
                  "single points of circles and chains are not recycled", own, i);
            b2d_block_read(&full.blocks[lane_index / 16], &full.manifolds[lane_index / 16], lane_index % 16, &f);
            if (b2d_bits_has(&full.worker.ended, i) || r.feature != f.feature) continue;
            if (r.nx * f.nx + r.ny * f.ny < 0.99999f) continue; // another feature, or a corner
            // Where a point is clipped at an end, the place on the tilted edge moves with the end; a chain's normal
            // snaps to its segment's.
            double limit = bucket < B2D_BUCKET_CHAIN_POINT ? 1e-3 : 1e-2;
            for (int k = 0; k < 2; k++) {
                double e = fabs(r.point[k].initial_separation - f.point[k].initial_separation);
                if (e > worst) worst = e;
                CHECK(e < limit, "recycled separation", r.point[k].initial_separation, f.point[k].initial_separation);
            }
            CHECK_NEAR(r.nx, f.nx, 1e-2, "recycled normal");
            CHECK_NEAR(r.normal_arm_shift, f.normal_arm_shift, 2e-2, "recycled normal_arm_shift");
            CHECK_NEAR(r.along_normal_shift, f.along_normal_shift, 2e-2, "recycled along_normal_shift");
            CHECK(r.point[0].normal_impulse == f.point[0].normal_impulse, "impulse stays", r.point[0].normal_impulse,
                  f.point[0].normal_impulse);
            count++;
        }
        CHECK(labs((long)s.worker.recycled - lasting) < 20, "what lasts is recycled", s.worker.recycled, lasting);
        for (int i = 0; i < N; i++) scene_leave_lane(&s, i);
    }
    scene_free(&s), scene_free(&full);
    printf("    compared %ld, worst %.2g, single points %ld\n", count, worst, singles);
    CHECK(singles > 1000, "single points were recycled", singles, 1000);
    DONE("recycled separations are those of a full manifold");
}

// A vertex over an edge, moved about as far as recycling allows: the full manifold, as long as it has the same vertex
// over the same edge, is nearly the same.
static void test_recycled_vertices(void) {
    int failures_before = failures;
    scene s, full;
    scene_init(&s, N), scene_init(&full, N);
    double worst = 0, worst_normal = 0;
    long count = 0;
    static const int buckets[] = {B2D_BUCKET_LINE_LINE, B2D_BUCKET_QUAD, B2D_BUCKET_OCT};
    for (int k = 0; k < 3; k++) {
        scene_random(&s, buckets[k]);
        b2d_bits_clear(&s.worker.begun), b2d_bits_clear(&s.worker.ended);
        s.worker.record_count = 0;
        run(&s, b2d_cpu_best(), false);
        scene_serial(&s);
        for (int i = 0; i < 2 * N; i++) {
            b2d_pose* p = &s.poses[i];
            p->x += uniform(-2e-3, 2e-3), p->y += uniform(-2e-3, 2e-3);
            b2d_rot q = b2d_rot_multiply((b2d_rot){p->c, p->s}, b2d_make_rot(uniform(-2e-3, 2e-3)));
            p->c = q.c, p->s = q.s;
        }
        scene_boxes(&s, 0.1);
        scene_copy(&full, &s);
        full.context.recycle_distance = 0;
        run(&s, b2d_cpu_best(), false);
        run(&full, b2d_cpu_best(), false);
        for (int i = 0; i < N; i++) {
            const int lane_index = s.pairs[i].lane_index;
            if (lane_index == B2D_NONE || b2d_bits_has(&full.worker.ended, i) || fabs(s.poses[2 * i].x) > 1e3) continue;
            b2d_contact_record r, f;
            b2d_block_read(&s.blocks[lane_index / 16], &s.manifolds[lane_index / 16], lane_index % 16, &r);
            b2d_block_read(&full.blocks[lane_index / 16], &full.manifolds[lane_index / 16], lane_index % 16, &f);
            const bool recycled = r.px != f.px || r.py != f.py || r.qs != f.qs;
            if (!recycled || r.feature != f.feature || f.point[1].initial_separation != B2D_DEAD_POINT) continue;
            const double turn = fabs(r.nx * f.ny - r.ny * f.nx);
            if (turn > 0.1 || r.nx * f.nx + r.ny * f.ny < 0) continue; // the full test has the edge of the other shape
            const double e = fabs(r.point[0].initial_separation - f.point[0].initial_separation);
            worst = fmax(worst, e), worst_normal = fmax(worst_normal, turn);
            count++;
        }
        for (int i = 0; i < N; i++) scene_leave_lane(&s, i);
    }
    CHECK(count > 500, "vertices were recycled", count, 500);
    CHECK(worst < 5e-5, "separation of a recycled vertex", worst, 5e-5);
    CHECK(worst_normal < 5e-3, "normal of a recycled vertex", worst_normal, 5e-3);
    scene_free(&s), scene_free(&full);
    printf("    compared %ld, worst separation %.2g, normal %.2g\n", count, worst, worst_normal);
    DONE("a recycled vertex over an edge is nearly where a full manifold has it");
}

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
        CHECK(one >> 16 == 0xffff, "one point", one >> 16, 0xffff);
        int was = (one & 0xffff) == (two & 0xffff) ? 0 : 1;
        CHECK((one & 0xffff) == (two >> 16 * was & 0xffff), "old feature", one, two);
        CHECK(began == 0, "what stays does not begin", began, 0);
        s.context.step = 5u << B2D_BEGIN_SHIFT;
        CHECK(p[0].normal_impulse[lane] == 1 + was && p[0].tangent_impulse[lane] == 3 + was, "impulse in slot 0",
              p[0].normal_impulse[lane], 1 + was);
        CHECK(p[1].normal_impulse[lane] == 0 && p[1].tangent_impulse[lane] == 0, "dead impulse",
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
    test_all_sets_agree();
    test_expected();
    test_against_brute_force();
    test_swapped();
    test_features_persist();
    test_record_is_the_manifold();
    test_recycled_is_full();
    test_recycled_vertices();
    test_impulses_follow_features();
    test_no_memory_waits();
    printf("%d failures\n", failures);
    return failures != 0;
}
