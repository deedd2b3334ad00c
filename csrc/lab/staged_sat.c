// csrc/lab/staged_sat.c - pairs of boxes in one pass, or first all separating axes and then the manifolds.
//
// Idea (Barr 2017): faces are tested over all pairs in a loop without branches, which leaves few pairs to the passes
// after it. In two dimensions a pair has four axes, the faces of both boxes, and no pass of edges with edges, so two
// passes remain: axes, then manifolds of what overlaps.
// Cost: figures in docs/lab.md. Threads: one. Proof: tests/scenes/test_lab.py.
#include "base/memory.h"
#include "base/vec.h"
#include "box2dpy_lab.h"
#include "lab/refine_data.h"

enum { COLUMNS = 8, CHUNK = 64 };

typedef struct pair {     // box b in the frame of box a
    float ax, ay, bx, by; // half widths and heights
    float x, y;           // centre of b
    float cosine, sine;   // of the angle of b
} pair;

// The separation along each of the four axes: x and y of a, x and y of b.
static inline float most_separation(const pair* p, int32_t* axis) {
    const float c = fabsf(p->cosine), s = fabsf(p->sine);
    const float u = p->cosine * p->x + p->sine * p->y, v = p->cosine * p->y - p->sine * p->x;
    const float a = fabsf(p->x) - (p->ax + c * p->bx + s * p->by), b = fabsf(p->y) - (p->ay + s * p->bx + c * p->by),
                d = fabsf(u) - (p->bx + c * p->ax + s * p->ay), e = fabsf(v) - (p->by + s * p->ax + c * p->ay);
    const float ab = a > b ? a : b, de = d > e ? d : e;
    *axis = de > ab ? (e > d ? 3 : 2) : (b > a ? 1 : 0);
    return de > ab ? de : ab;
}

// The two ends of the incident edge, clipped to the reference edge; returns a digest of points and depths.
static double manifold(const pair* p, int32_t axis) {
    pair q = *p;
    if (axis >= 2) // as seen from b
        q = (pair){
            p->bx,     p->by,   p->ax, p->ay, -(p->cosine * p->x + p->sine * p->y), p->sine * p->x - p->cosine * p->y,
            p->cosine, -p->sine};
    if ((axis & 1) != 0) // a quarter turn, so that the reference edge is upright
        q = (pair){q.ay, q.ax, q.by, q.bx, q.y, -q.x, q.cosine, q.sine};
    const float sign = q.x < 0.0f ? -1.0f : 1.0f;
    // The edge of the other box that faces the reference edge most
    const bool upright = fabsf(q.cosine) > fabsf(q.sine);
    const float nx = upright ? q.cosine : -q.sine, ny = upright ? q.sine : q.cosine;
    const float toward = nx * sign < 0.0f ? 1.0f : -1.0f, out = upright ? q.bx : q.by, along = upright ? q.by : q.bx;
    const float mx = q.x + toward * out * nx, my = q.y + toward * out * ny;
    double digest = 0.0;
    float px[2] = {mx - along * ny, mx + along * ny}, py[2] = {my + along * nx, my - along * nx};
    const float slope = py[1] != py[0] ? (px[1] - px[0]) / (py[1] - py[0]) : 0.0f;
    for (int32_t k = 0; k < 2; k++) {
        const float y = py[k] > q.ay ? q.ay : py[k] < -q.ay ? -q.ay : py[k];
        const float x = px[k] + slope * (y - py[k]), depth = q.ax - sign * x;
        if (depth > 0.0f) digest += (double)(depth + 0.5f * x + 0.25f * y);
    }
    return digest;
}

static pair read(const float* columns, int32_t count, int32_t k) {
    float v[COLUMNS];
    for (int32_t c = 0; c < COLUMNS; c++) v[c] = columns[(size_t)c * (size_t)count + (size_t)k];
    return (pair){v[0], v[1], v[2], v[3], v[4], v[5], v[6], v[7]};
}

static double in_one_pass(const float* columns, int32_t count, int32_t* touching) {
    double digest = 0.0;
    for (int32_t k = 0; k < count; k++) {
        int32_t axis;
        const pair p = read(columns, count, k);
        if (most_separation(&p, &axis) > 0.0f) continue;
        ++*touching;
        digest += manifold(&p, axis);
    }
    return digest;
}

// Of CHUNK pairs. No branches, so that the compiler makes vectors of it.
static void chunk_of_axes(const float* restrict columns, size_t stride, float* restrict separation,
                          int32_t* restrict axes) {
    const float *ax = columns, *ay = ax + stride, *bx = ay + stride, *by = bx + stride, *x = by + stride,
                *y = x + stride, *cosine = y + stride, *sine = cosine + stride;
    for (int32_t k = 0; k < CHUNK; k++) {
        const float c = fabsf(cosine[k]), s = fabsf(sine[k]);
        const float u = cosine[k] * x[k] + sine[k] * y[k], v = cosine[k] * y[k] - sine[k] * x[k];
        const float a = fabsf(x[k]) - (ax[k] + c * bx[k] + s * by[k]),
                    b = fabsf(y[k]) - (ay[k] + s * bx[k] + c * by[k]);
        const float d = fabsf(u) - (bx[k] + c * ax[k] + s * ay[k]), e = fabsf(v) - (by[k] + s * ax[k] + c * ay[k]);
        const float ab = a > b ? a : b, de = d > e ? d : e;
        const int32_t of_a = b > a ? 1 : 0, of_b = e > d ? 3 : 2;
        separation[k] = de > ab ? de : ab;
        axes[k] = de > ab ? of_b : of_a;
    }
}

static double in_stages(const float* columns, int32_t count, int32_t* list, int32_t* touching) {
    int32_t kept = 0;
    for (int32_t begin = 0; begin < count; begin += CHUNK) {
        const int32_t here = b2d_min_int(count - begin, CHUNK);
        float separation[CHUNK];
        int32_t axes[CHUNK];
        if (here == CHUNK) chunk_of_axes(columns + begin, (size_t)count, separation, axes);
        else
            for (int32_t k = 0; k < here; k++) {
                const pair p = read(columns, count, begin + k);
                separation[k] = most_separation(&p, &axes[k]);
            }
        for (int32_t k = 0; k < here; k++) {
            list[kept] = 4 * (begin + k) + axes[k];
            kept += separation[k] <= 0.0f;
        }
    }
    double digest = 0.0;
    for (int32_t k = 0; k < kept; k++) {
        const pair p = read(columns, count, list[k] >> 2);
        digest += manifold(&p, list[k] & 3);
    }
    *touching = kept;
    return digest;
}

b2d_status b2d_lab_staged_sat(const float* columns, int32_t count, int32_t passes, double ms[2], double digest[2],
                              int32_t touching[2]) {
    b2d_memory memory = {.fail_after = -1};
    const size_t size = (size_t)(count + 1) * sizeof(int32_t);
    int32_t* list = b2d_allocate(&memory, size);
    if (list == NULL) return B2D_NO_MEMORY;
    ms[0] = ms[1] = INFINITY;
    for (int32_t k = 0; k < 2 * passes; k++) {
        const double start = b2d_thread_milliseconds();
        touching[k & 1] = 0;
        digest[k & 1] = (k & 1) == 0 ? in_one_pass(columns, count, &touching[0])
                                     : in_stages(columns, count, list, &touching[1]);
        const double spent = b2d_thread_milliseconds() - start;
        if (spent < ms[k & 1]) ms[k & 1] = spent;
    }
    b2d_free(&memory, list, size);
    return B2D_OK;
}
