// csrc/lab/sweep_harness.c - what document 001 mentions beside box pruning: a list of open intervals, and an axis that
// is no coordinate axis.
//
// All find the pairs of a set of boxes of which at least one is new, as a batch of insertions needs them.
#include "base/memory.h"
#include "base/radix_sort.h"
#include "base/timer.h"
#include "box2dpy_lab.h"

#include <math.h>

typedef struct sweep_row { // a box and its interval on the axis
    float lower, upper, box[4];
    int32_t id;
    bool fresh;
} sweep_row;

typedef struct sweep {
    sweep_row* rows;
    uint64_t* keys;       // of the lower ends, or of all ends, and scratch
    int32_t *open, *at;   // open intervals, those that are new in front; and their places
    int32_t count, fresh; // new boxes have the highest ids
    int64_t pairs, tests;
    uint64_t hash;
} sweep;

static void test(sweep* s, const sweep_row* a, const sweep_row* b) {
    s->tests++;
    if (a->box[0] > b->box[2] || b->box[0] > a->box[2] || a->box[1] > b->box[3] || b->box[1] > a->box[3]) return;
    s->pairs++;
    s->hash += (uint64_t)b2d_max_int(a->id, b->id) * 0x9E3779B97F4A7C15u ^
               (uint64_t)b2d_min_int(a->id, b->id) * 0xC2B2AE3D27D4EB4Fu;
}

// In the order of the lower ends: a box with those that begin before it ends. A box that was there is compared with the
// new ones only, which are a list of their own.
static void prune(sweep* s) {
    for (int32_t k = 0; k < s->count; k++) s->keys[k] = (uint64_t)b2d_float_key(s->rows[k].lower) << 32 | (uint32_t)k;
    b2d_radix_sort(s->keys, s->keys + s->count, s->count);
    int32_t fresh = 0;
    for (int32_t k = 0; k < s->count; k++)
        if (s->rows[(uint32_t)s->keys[k]].fresh) s->open[fresh++] = k; // places of the new ones
    for (int32_t k = 0, next = 0; k < s->count && next <= fresh; k++) {
        const sweep_row* a = &s->rows[(uint32_t)s->keys[k]];
        if (!a->fresh) {
            for (int32_t j = next; j < fresh; j++) {
                const sweep_row* b = &s->rows[(uint32_t)s->keys[s->open[j]]];
                if (b->lower > a->upper) break;
                test(s, a, b);
            }
            continue;
        }
        next++;
        for (int32_t j = k + 1; j < s->count; j++) {
            const sweep_row* b = &s->rows[(uint32_t)s->keys[j]];
            if (b->lower > a->upper) break;
            test(s, a, b);
        }
    }
}

static void exchange(sweep* s, int32_t i, int32_t j) {
    const int32_t a = s->open[i], b = s->open[j];
    s->open[i] = b, s->at[b] = i;
    s->open[j] = a, s->at[a] = j;
}

// In the order of all ends: a box that begins meets those that are open, and is open until it ends.
static void walk_open_intervals(sweep* s) {
    const int32_t ends = 2 * s->count;
    for (int32_t k = 0; k < s->count; k++) {
        s->keys[2 * k] = (uint64_t)b2d_float_key(s->rows[k].lower) << 32 | (uint32_t)k;
        s->keys[2 * k + 1] = (uint64_t)b2d_float_key(s->rows[k].upper) << 32 | 0x80000000u | (uint32_t)k;
    }
    b2d_radix_sort(s->keys, s->keys + ends, ends);
    int32_t open = 0, fresh = 0;
    for (int32_t k = 0; k < ends; k++) {
        const int32_t row = (int32_t)((uint32_t)s->keys[k] & 0x7FFFFFFFu);
        const sweep_row* a = &s->rows[row];
        if (((uint32_t)s->keys[k] & 0x80000000u) == 0) {
            for (int32_t j = 0; j < (a->fresh ? open : fresh); j++) test(s, a, &s->rows[s->open[j]]);
            s->open[open] = row, s->at[row] = open;
            if (a->fresh) exchange(s, open, fresh++);
            open++;
        } else {
            if (a->fresh) exchange(s, s->at[row], --fresh);
            exchange(s, s->at[row], --open);
        }
    }
}

b2d_status b2d_lab_sweep(bool open_intervals, const float* boxes, int32_t count, int32_t fresh, float angle,
                         b2d_lab_sweep_result* out) {
    b2d_memory memory = {.fail_after = -1};
    const size_t n = (size_t)count + 1;
    const float c = cosf(angle), sn = sinf(angle); // a measurement: no bit of a world depends on them
    sweep s = {.count = count, .fresh = fresh};
    *out = (b2d_lab_sweep_result){0};
    s.rows = b2d_allocate(&memory, n * sizeof *s.rows);
    s.keys = b2d_allocate(&memory, 4 * n * sizeof *s.keys);
    s.open = b2d_allocate(&memory, n * sizeof *s.open);
    s.at = b2d_allocate(&memory, n * sizeof *s.at);
    const bool done = s.rows != NULL && s.keys != NULL && s.open != NULL && s.at != NULL;
    if (done) {
        const double start = b2d_milliseconds();
        for (int32_t k = 0; k < count; k++) {
            const float* b = &boxes[4 * k];
            sweep_row* row = &s.rows[k];
            *row = (sweep_row){b[0], b[2], {b[0], b[1], b[2], b[3]}, k, k >= count - fresh};
            if (angle == 0.0f) continue;
            const float middle = 0.5f * (c * (b[0] + b[2]) + sn * (b[1] + b[3]));
            const float size = fabsf(c) * (b[2] - b[0]) + fabsf(sn) * (b[3] - b[1]),
                        summands = fabsf(c * (b[0] + b[2])) + fabsf(sn * (b[1] + b[3])), // of the middle
                half = 0.5f * (1.00001f * size + 1.0e-6f * summands);                    // no pair is lost by rounding
            row->lower = middle - half, row->upper = middle + half;
        }
        if (open_intervals) walk_open_intervals(&s);
        else prune(&s);
        *out = (b2d_lab_sweep_result){b2d_milliseconds() - start, s.pairs, s.tests, s.hash};
    }
    b2d_free(&memory, s.rows, n * sizeof *s.rows);
    b2d_free(&memory, s.keys, 4 * n * sizeof *s.keys);
    b2d_free(&memory, s.open, n * sizeof *s.open);
    b2d_free(&memory, s.at, n * sizeof *s.at);
    return done ? B2D_OK : B2D_NO_MEMORY;
}
