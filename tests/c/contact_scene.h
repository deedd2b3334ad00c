// tests/c/contact_scene.h - geometries, brute force, and a small world of pairs with its serial stage, for the tests of
// the narrow phase.
#pragma once
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
