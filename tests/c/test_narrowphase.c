// tests/c/test_narrowphase.c - the narrow phase against its scalar instance, brute force and known manifolds.
#include "base/cpu.h"
#include "narrowphase/collide.h"
#include "test.h"

#include <string.h>

static int failures;
#define CHECK(condition, name, got, wanted)                                                                       \
    ((condition) ? (void)0                                                                                        \
                 : (void)(failures++ < 40 && printf("FAIL %s:%d %s: got %.9g, wanted %.9g\n", __FILE__, __LINE__, \
                                                    name, (double)(got), (double)(wanted))))
#define CHECK_NEAR(got, wanted, tolerance, name) \
    CHECK(BOUND(fabs((double)(got) - (double)(wanted)), <=, tolerance), name, got, wanted)
#define DONE(name) printf("%s %s\n", failures == failures_before ? "ok" : "FAILED", name)

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
    double a = draw(0.3, 1.2), b = draw(0.3, 1.2), turn = draw(0, 6.28), ox = draw(-0.5, 0.5), oy = draw(-0.5, 0.5);
    for (int i = 0; i < count; i++) {
        double angle = turn + (i + draw(-0.3, 0.3)) * 6.283185307 / count;
        b2d_rot q = b2d_make_rot(angle);
        g.x[i] = (float)(ox + a * q.c), g.y[i] = (float)(oy + b * q.s);
    }
    return g;
}
static b2d_geometry chain_segment(void) { // neighbours in any direction, or none
    b2d_geometry g = {.type = B2D_CHAIN_SEGMENT, .count = 2};
    for (int k = 0; k < 2; k++) g.x[k] = (float)draw(0.1 + k, 0.9 + k) - 1, g.y[k] = (float)draw(-0.3, 0.3);
    for (int k = 0; k < 2; k++) {
        b2d_rot q = b2d_make_rot(draw(-3, 3));
        bool end = draw_below(4) == 0, straight = draw_below(4) == 0;
        float away = straight ? 2.0f : 1.0f;
        g.x[2 + k] = end ? g.x[1 - k] : straight ? g.x[k] + away * (g.x[k] - g.x[1 - k]) : g.x[k] + q.c;
        g.y[2 + k] = end ? g.y[1 - k] : straight ? g.y[k] + away * (g.y[k] - g.y[1 - k]) : g.y[k] + q.s;
    }
    return g;
}
static b2d_geometry random_geometry(int form) {
    if (form == B2D_FORM_CHAIN) return chain_segment();
    // One draw a full expression
    double r = draw_below(2) ? draw(0.01, 0.2) : 0.0, x = draw(-1, 0), y = draw(-1, 0);
    double w = draw(0.2, 1), h = draw(0.2, 1);
    switch (form) {
    case B2D_FORM_POINT: return circle(x + 0.5, y + 0.5, w);
    case B2D_FORM_LINE: return line(x, y, w, h, r);
    case B2D_FORM_QUAD: return draw_below(2) ? box(w, h, r) : polygon(3 + draw_below(2), r);
    default: return polygon(5 + draw_below(4), r);
    }
}
static void bucket_forms(int bucket, int* a, int* b) {
    static const int forms[B2D_BUCKET_COUNT][2] = {{0, 0}, {1, 0}, {1, 1}, {2, 0}, {3, 0}, {2, 1},
                                                   {3, 1}, {4, 0}, {4, 1}, {4, 2}, {4, 3}};
    *a = forms[bucket][0];
    *b = forms[bucket][1];
    if (bucket == B2D_BUCKET_QUAD) *b += draw_below(2);
    if (bucket == B2D_BUCKET_OCT) *b += draw_below(3);
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
    float* states; // no body moves
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
    s->states = (float*)b2d_allocate(m, 8 * sizeof(float) * ((size_t)rows + 8)) + 64; // a zero row before, aligned
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
    s->context = (b2d_collide_context){.poses = s->poses,
                                       .states = s->states,
                                       .shapes = s->shapes,
                                       .second_hulls = s->second,
                                       .fat_min_x = s->fat[0],
                                       .fat_min_y = s->fat[1],
                                       .fat_max_x = s->fat[2],
                                       .fat_max_y = s->fat[3],
                                       .pairs = s->pairs,
                                       .blocks = s->blocks,
                                       .manifolds = s->manifolds,
                                       .speculative_distance = speculative,
                                       .linear_slop = slop,
                                       .recycle_distance = 0.05f,
                                       .recycle_sine = 0.199f,
                                       .workers = &s->worker,
                                       .new_fat_boxes = &s->new_fat_boxes};
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
    b2d_free(m, s->states - 64, 8 * sizeof(float) * ((size_t)rows + 8));
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
            s->poses[2 * i + k].cx = (float)draw(-0.5, 0.5), s->poses[2 * i + k].cy = (float)draw(-0.5, 0.5);
        }
        if (fa != B2D_FORM_CHAIN && draw_below(16) == 0) scene_shape(s, 2 * i + 1, s->geometries[2 * i]), fb = fa;
        double x = draw(-10, 10), scale = draw_below(32) == 0 ? 1e5 : 1, y = draw(-10, 10), reach = draw(0, 2);
        b2d_rot q = draw_below(4) ? b2d_make_rot(draw(-3, 3)) : (b2d_rot){1, 0};
        x *= scale;
        scene_pose(s, 2 * i, x, y, q);
        b2d_rot turn = b2d_make_rot(draw(-3.2, 3.2));
        if (draw_below(4)) q = b2d_make_rot(draw(-3, 3));
        if (draw_below(16) == 0) reach = 0; // coincident
        double ex = x + reach * turn.c, ey = y + reach * turn.s;
        scene_pose(s, 2 * i + 1, ex, ey, q);
        if (draw_below(3) == 0 && reach > 0) { // move to just touching along the line
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
        scene_pair(s, i, fa == fb ? bucket_of(fa, fb) : bucket, draw_below(2));
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
        int lane_index = draw_below(lanes);
        while (taken[lane_index]) lane_index = (lane_index + 1) % lanes;
        taken[lane_index] = 1;
        s->pairs[id].lane_index = lane_index;
        s->pairs[id].flags |= B2D_PAIR_TOUCHING;
        b2d_contact_record* r = &s->worker.records[s->pairs[id].record & 0xffffff];
        for (int k = 0; k < 2; k++)
            r->point[k].normal_impulse = (float)draw(0, 1), r->point[k].tangent_impulse = (float)draw(-1, 1);
        if (r->feature >> 16 == 0xffff || r->point[1].separation > speculative)
            r->point[1].normal_impulse = r->point[1].tangent_impulse = 0;
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
        int size = split ? 1 + draw_below(20) : blocks;
        if (size > blocks - i) size = blocks - i;
        b2d_collide_blocks_kernel(simd)(&s->context, list + i, size, 0);
        i += size;
    }
    for (int bucket = 0; bucket < B2D_BUCKET_COUNT; bucket++) {
        int count = 0;
        for (int i = 0; i < s->n; i++)
            if (s->pairs[i].bucket == bucket && s->pairs[i].lane_index == B2D_NONE) list[count++] = i;
        for (int i = 0; i < count;) {
            int most = draw_below(4) ? 40 : 300, size = split ? 1 + draw_below(most) : count;
            if (size > count - i) size = count - i;
            b2d_collide_kernel(simd)(&s->context, bucket, list + i, size, 0);
            i += size;
        }
    }
}
static void move_bodies(scene* s) {
    for (int i = 0; i < 2 * s->n; i++) {
        double scale = draw_below(3) == 0 ? 0 : draw_below(2) ? 0.002 : draw_below(2) ? 0.03 : 0.3;
        b2d_pose* p = &s->poses[i];
        p->x += draw(-scale, scale), p->y += draw(-scale, scale);
        b2d_rot q = b2d_rot_multiply((b2d_rot){p->c, p->s}, b2d_make_rot(draw(-scale, scale)));
        p->c = q.c, p->s = q.s;
        int lane_index = s->pairs[i / 2].lane_index;
        if (draw_below(50) == 0 && lane_index != B2D_NONE)
            s->manifolds[lane_index / B2D_LANES].qc[lane_index % B2D_LANES] =
                s->manifolds[lane_index / B2D_LANES].qs[lane_index % B2D_LANES] = 0;
    }
}

// ------------------------------------------------------------------------------------------------------------- tests

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

// ---- recycled contacts against full manifolds
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
