// csrc/lab/pairs_harness.c - broad phases without a world, and the alternatives that no broad phase uses.
//
// Idea: the columns of a world and one broad phase, moved from outside, so that a benchmark measures finding pairs and
// nothing else; and the data structures that Terdiman's paper compares with its own, each just large enough to be
// timed.
// Cost: figures in docs/lab.md. Threads: as the broad phase. Proof: tests/scenes/test_lab.py.
#include "base/radix_sort.h"
#include "base/timer.h"
#include "broadphase/proxies.h"
#include "lab/sap_broadphase.h"
#include "box2dpy_lab.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_WORKERS = 64 };

struct b2d_lab_pairs {
    b2d_memory memory, phase_memory, worker_memory[MOST_WORKERS];
    b2d_proxies p;
    const b2d_broadphase_table* table;
    b2d_broadphase* phase;
    b2d_scheduler* scheduler;
    b2d_key_list lists[MOST_WORKERS];
    bool sweeps; // sap or multi_sap
    b2d_sap_options options;
};

static const b2d_broadphase_table* table_of(int32_t kind) {
    switch (kind) {
#define B2D_BROADPHASE(NAME, name) \
    case B2D_BROADPHASE_##NAME: return &b2d_broadphase_##name;
#include "lists/broadphases.def"
#undef B2D_BROADPHASE
    default: return NULL;
    }
}

void b2d_lab_pairs_destroy(b2d_lab_pairs* pairs) {
    if (pairs == NULL) return;
    b2d_memory* m = &pairs->memory;
    b2d_proxies* p = &pairs->p;
    if (pairs->phase != NULL) pairs->table->destroy(&pairs->phase_memory, pairs->phase);
    b2d_scheduler_destroy(pairs->scheduler);
    float* columns[8] = {p->fat_min_x, p->fat_min_y, p->fat_max_x, p->fat_max_y,
                         p->old_min_x, p->old_min_y, p->old_max_x, p->old_max_y};
    for (int32_t k = 0; k < 8; k++) b2d_free(m, columns[k], (size_t)p->capacity * sizeof(float));
    b2d_free(m, p->proxy_class, (size_t)p->capacity);
    b2d_free(m, p->body, (size_t)p->capacity * sizeof(int32_t));
    b2d_bits_free(m, &p->moved);
    b2d_bits_free(m, &p->dirty);
    for (int32_t w = 0; w < MOST_WORKERS; w++) {
        b2d_key_list* list = &pairs->lists[w];
        b2d_free(&pairs->worker_memory[w], list->keys, (size_t)list->capacity * sizeof *list->keys);
    }
    b2d_memory last = *m;
    b2d_free(&last, pairs, sizeof *pairs);
}

b2d_status b2d_lab_pairs_create(const b2d_lab_pairs_options* options, int32_t shapes, b2d_lab_pairs** out) {
    b2d_memory memory = {.fail_after = -1};
    const b2d_broadphase_table* table = table_of(options->broadphase);
    *out = NULL;
    if (table == NULL || shapes < 1) return B2D_OUT_OF_RANGE;
    b2d_lab_pairs* pairs = b2d_allocate(&memory, sizeof *pairs);
    if (pairs == NULL) return B2D_NO_MEMORY;
    pairs->memory = memory;
    pairs->phase_memory.fail_after = -1;
    pairs->table = table;
    pairs->sweeps = table == &b2d_broadphase_sap || table == &b2d_broadphase_multi_sap;
    b2d_proxies* p = &pairs->p;
    p->capacity = (shapes + 63) & ~63;
    float** columns[8] = {&p->fat_min_x, &p->fat_min_y, &p->fat_max_x, &p->fat_max_y,
                          &p->old_min_x, &p->old_min_y, &p->old_max_x, &p->old_max_y};
    bool done = true;
    for (int32_t k = 0; k < 8; k++) {
        *columns[k] = b2d_allocate(&pairs->memory, (size_t)p->capacity * sizeof(float));
        done &= *columns[k] != NULL;
    }
    p->proxy_class = b2d_allocate(&pairs->memory, (size_t)p->capacity);
    p->body = b2d_allocate(&pairs->memory, (size_t)p->capacity * sizeof(int32_t));
    done = done && p->proxy_class != NULL && p->body != NULL &&
           b2d_bits_reserve(&pairs->memory, &p->moved, p->capacity) &&
           b2d_bits_reserve(&pairs->memory, &p->dirty, p->capacity) &&
           b2d_scheduler_create(options->workers, &pairs->scheduler) == B2D_OK &&
           table->create(&pairs->phase_memory, p, options->simd, &pairs->phase);
    if (!done) {
        b2d_lab_pairs_destroy(pairs);
        return B2D_NO_MEMORY;
    }
    for (int32_t w = 0; w < MOST_WORKERS; w++) {
        pairs->worker_memory[w].fail_after = -1;
        pairs->lists[w].memory = &pairs->worker_memory[w];
    }
    pairs->options = (b2d_sap_options){.grid = options->grid,
                                       .one_by_one = options->one_by_one,
                                       .always_search = options->always_search,
                                       .by_coordinates = options->by_coordinates,
                                       .queues = options->queues,
                                       .cells = options->cells};
    if (pairs->sweeps) b2d_sap_set_options(pairs->phase, &pairs->options);
    *out = pairs;
    return B2D_OK;
}

b2d_status b2d_lab_pairs_move(b2d_lab_pairs* pairs, const int32_t* ids, const float* boxes, int32_t count,
                              int32_t kind) {
    static const uint8_t classes[5] = {B2D_PROXY_MOVING, B2D_PROXY_MOVING, B2D_PROXY_STATIC, B2D_PROXY_NONE,
                                       B2D_PROXY_ASLEEP};
    b2d_proxies* p = &pairs->p;
    if (kind < 0 || kind > 4) return B2D_OUT_OF_RANGE;
    for (int32_t k = 0; k < count; k++) {
        const int32_t i = ids[k], before = i >= 0 && i < p->capacity ? p->proxy_class[i] : B2D_PROXY_NONE;
        if (i < 0 || i >= p->capacity) return B2D_OUT_OF_RANGE;
        if (i >= p->limit) p->limit = i + 1;
        p->body[i] = i;
        p->proxy_class[i] = classes[kind];
        if (kind <= B2D_LAB_CREATE_STATIC) {
            const float* b = &boxes[4 * k];
            p->fat_min_x[i] = b[0], p->fat_min_y[i] = b[1], p->fat_max_x[i] = b[2], p->fat_max_y[i] = b[3];
            b2d_bits_set(&p->moved, i);
            b2d_bits_set(&p->dirty, i);
        }
        if (kind == B2D_LAB_MOVE) continue;
        if (kind == B2D_LAB_DESTROY) b2d_bits_unset(&p->moved, i);
        else if (kind != B2D_LAB_SLEEP) p->old_min_x[i] = p->old_min_y[i] = 1.0f, p->old_max_x[i] = p->old_max_y[i] = 0;
        if (!pairs->table->change(&pairs->phase_memory, pairs->phase, &i, 1, before)) return B2D_NO_MEMORY;
    }
    return B2D_OK;
}

void b2d_lab_pairs_set_one_by_one(b2d_lab_pairs* pairs, int32_t one_by_one) {
    pairs->options.one_by_one = one_by_one;
    if (pairs->sweeps) b2d_sap_set_options(pairs->phase, &pairs->options);
}

b2d_status b2d_lab_pairs_run(b2d_lab_pairs* pairs, b2d_lab_pairs_step* out) {
    b2d_proxies* p = &pairs->p;
    const int32_t workers = b2d_scheduler_workers(pairs->scheduler);
    *out = (b2d_lab_pairs_step){0};
    for (int32_t w = 0; w < workers; w++) pairs->lists[w].count = 0, pairs->lists[w].failed = false;
    const double start = b2d_milliseconds();
    if (!pairs->table->update(&pairs->phase_memory, pairs->phase, pairs->scheduler)) return B2D_NO_MEMORY;
    b2d_bits_clear(&p->dirty);
    const double middle = b2d_milliseconds();
    if (!pairs->table->pairs(&pairs->phase_memory, pairs->phase, pairs->scheduler, pairs->lists)) return B2D_NO_MEMORY;
    out->update_ms = middle - start;
    out->pairs_ms = b2d_milliseconds() - middle;
    for (int32_t w = 0; w < workers; w++) {
        out->pairs += pairs->lists[w].count;
        for (int32_t k = 0; k < pairs->lists[w].count; k++) {
            uint64_t key = pairs->lists[w].keys[k] * 0x9e3779b97f4a7c15ull;
            key ^= key >> 29;
            out->pair_hash += key * 0xbf58476d1ce4e5b9ull;
        }
    }
    B2D_FOR_BITS (&p->moved, i) {
        p->old_min_x[i] = p->fat_min_x[i], p->old_min_y[i] = p->fat_min_y[i];
        p->old_max_x[i] = p->fat_max_x[i], p->old_max_y[i] = p->fat_max_y[i];
    }
    b2d_bits_clear(&p->moved);
    out->bytes = pairs->phase_memory.bytes;
    if (!pairs->sweeps) return B2D_OK;
    const b2d_sap_counters counters = b2d_sap_count(pairs->phase);
    out->swaps = counters.swaps;
    out->endpoint_moves = counters.endpoint_moves;
    out->apparent_removals = counters.apparent_removals;
    out->real_removals = counters.real_removals;
    out->tests = counters.tests;
    out->cell_entries = b2d_sap_cell_entries(pairs->phase);
    out->live_pairs = b2d_sap_manager(pairs->phase)->count;
    out->serial_ms = b2d_sap_serial_milliseconds(pairs->phase);
    out->merging_ms = b2d_sap_merging_milliseconds(pairs->phase);
    return B2D_OK;
}

// ---- storage and keys of one axis

typedef struct float_end {
    float value;
    uint32_t data; // index << 1 | is_max
} float_end;

typedef struct list_end {
    uint32_t key;
    struct list_end *before, *after;
} list_end;

typedef struct owned_end { // an end point as the paper's list has it
    const float* owner;
    struct owned_end *before, *after;
    uint32_t key;
    int32_t is_max;
} owned_end;

typedef union axis { // of 2 count end points and two sentinels
    uint64_t* keys;
    float_end* floats;
    list_end* links;
    owned_end* owned;
} axis;

// Moves end point `data` to a new value among its neighbours; returns how many it passes.
static int64_t move_key(uint64_t* ends, int32_t* at, uint32_t data, float value) {
    const uint64_t end = (uint64_t)b2d_float_key(value) << 32 | data;
    int32_t p = at[data];
    int64_t swaps = 0;
    for (; ends[p - 1] > end; p--, swaps++) ends[p] = ends[p - 1], at[(uint32_t)ends[p]] = p;
    for (; ends[p + 1] < end; p++, swaps++) ends[p] = ends[p + 1], at[(uint32_t)ends[p]] = p;
    ends[p] = end;
    at[data] = p;
    return swaps;
}

// The same where a loop must also test whether it has reached an end of the array.
static int64_t move_bounded_key(uint64_t* ends, int32_t* at, int32_t last, uint32_t data, float value) {
    const uint64_t end = (uint64_t)b2d_float_key(value) << 32 | data;
    int32_t p = at[data];
    int64_t swaps = 0;
    for (; p > 1 && ends[p - 1] > end; p--, swaps++) ends[p] = ends[p - 1], at[(uint32_t)ends[p]] = p;
    for (; p < last && ends[p + 1] < end; p++, swaps++) ends[p] = ends[p + 1], at[(uint32_t)ends[p]] = p;
    ends[p] = end;
    at[data] = p;
    return swaps;
}

static int64_t move_float(float_end* ends, int32_t* at, uint32_t data, float value) {
    const float_end end = {value, data};
    int32_t p = at[data];
    int64_t swaps = 0;
    for (; ends[p - 1].value > value; p--, swaps++) ends[p] = ends[p - 1], at[ends[p].data] = p;
    for (; ends[p + 1].value < value; p++, swaps++) ends[p] = ends[p + 1], at[ends[p].data] = p;
    ends[p] = end;
    at[data] = p;
    return swaps;
}

static int64_t move_link(list_end* end, float value) {
    int64_t swaps = 0;
    end->key = b2d_float_key(value);
    list_end *before = end->before, *after = end->after;
    for (; before->key > end->key; before = before->before, swaps++) after = before;
    for (; after->key < end->key; after = after->after, swaps++) before = after;
    if (swaps == 0) return 0;
    end->before->after = end->after, end->after->before = end->before;
    end->before = before, end->after = after;
    before->after = after->before = end;
    return swaps;
}

// A test of two boxes; their other axis is the same interval again.
static bool rows_meet(const float* a, const float* b) { return a[0] <= b[1] && b[0] <= a[1]; }

static int64_t move_tested_key(uint64_t* ends, int32_t* at, const float* rows, uint32_t data, float value,
                               int64_t* met) {
    const uint64_t end = (uint64_t)b2d_float_key(value) << 32 | data;
    const float* row = &rows[3 * (data >> 1)];
    int32_t p = at[data];
    int64_t swaps = 0;
    for (; ends[p - 1] > end; p--, swaps++) {
        const uint32_t passed = (uint32_t)ends[p - 1];
        *met += ((passed ^ data) & 1) != 0 && rows_meet(row, &rows[3 * (passed >> 1)]);
        ends[p] = ends[p - 1], at[passed] = p;
    }
    for (; ends[p + 1] < end; p++, swaps++) {
        const uint32_t passed = (uint32_t)ends[p + 1];
        *met += ((passed ^ data) & 1) != 0 && rows_meet(row, &rows[3 * (passed >> 1)]);
        ends[p] = ends[p + 1], at[passed] = p;
    }
    ends[p] = end;
    at[data] = p;
    return swaps;
}

static bool owners_meet(const owned_end* a, const owned_end* b) {
    return a->is_max != b->is_max && rows_meet(a->owner, b->owner);
}

static int64_t move_owned_link(owned_end* end, float value, int64_t* met) {
    int64_t swaps = 0;
    end->key = b2d_float_key(value);
    owned_end *before = end->before, *after = end->after;
    for (; before->key > end->key; before = before->before, swaps++) *met += owners_meet(before, end), after = before;
    for (; after->key < end->key; after = after->after, swaps++) *met += owners_meet(after, end), before = after;
    if (swaps == 0) return 0;
    end->before->after = end->after, end->after->before = end->before;
    end->before = before, end->after = after;
    before->after = after->before = end;
    return swaps;
}

b2d_status b2d_lab_axis(int32_t kind, const float* intervals, int32_t count, int32_t steps, double* ms,
                        int64_t* swaps) {
    b2d_memory memory = {.fail_after = -1};
    const size_t ends = 2 * (size_t)count + 2, size = ends * sizeof(owned_end), key_bytes = 2 * ends * sizeof(uint64_t);
    axis axis = {.keys = b2d_allocate(&memory, size)};
    int32_t* at = b2d_allocate(&memory, ends * sizeof *at);
    uint64_t* keys = b2d_allocate(&memory, key_bytes);
    const bool done = axis.keys != NULL && at != NULL && keys != NULL;
    *swaps = 0;
    *ms = 0.0;
    if (done) {
        for (uint32_t data = 0; data < 2 * (uint32_t)count; data++)
            keys[data] = (uint64_t)b2d_float_key(intervals[3 * (data >> 1) + (data & 1)]) << 32 | data;
        b2d_radix_sort(keys, keys + ends, 2 * count);
        if (kind == 0 || kind == 4) axis.keys[0] = 0, axis.keys[ends - 1] = UINT64_MAX;
        if (kind == 1) axis.floats[0].value = -INFINITY, axis.floats[ends - 1].value = INFINITY;
        list_end *first = &axis.links[ends - 2], *last = &axis.links[ends - 1], *previous = first;
        owned_end *owned = &axis.owned[0], *owned_last = &axis.owned[ends - 1];
        int64_t met = 0;
        for (int32_t k = 0; k < 2 * count; k++) {
            const uint32_t data = (uint32_t)keys[k];
            at[data] = k + 1;
            if (kind == 0 || kind == 3 || kind == 4) axis.keys[k + 1] = keys[k];
            if (kind == 1) axis.floats[k + 1] = (float_end){intervals[3 * (data >> 1) + (data & 1)], data};
            if (kind == 5) {
                owned_end* node = &axis.owned[data + 1];
                node->owner = &intervals[3 * (data >> 1)];
                node->key = (uint32_t)(keys[k] >> 32);
                node->is_max = (int32_t)(data & 1);
                node->before = owned;
                owned->after = node;
                owned = node;
            }
            if (kind != 2) continue;
            list_end* link = &axis.links[data];
            link->key = (uint32_t)(keys[k] >> 32);
            link->before = previous;
            previous->after = link;
            previous = link;
        }
        if (kind == 2) first->key = 0, last->key = UINT32_MAX, last->before = previous, previous->after = last;
        if (kind == 5) owned_last->key = UINT32_MAX, owned_last->before = owned, owned->after = owned_last;
        const double start = b2d_milliseconds();
        for (int32_t s = 1; s <= steps; s++)
            for (int32_t i = 0; i < count; i++) {
                const float* row = &intervals[3 * i];
                const float moved = (s & 1) != 0 ? row[2] : 0.0f; // there and back
                for (uint32_t k = 0; k < 2; k++) { // the end in front first, so that the interval is never inverted
                    const uint32_t side = ((s & 1) != 0) == (row[2] > 0.0f) ? 1 - k : k, data = 2 * (uint32_t)i + side;
                    const float value = row[side] + moved;
                    *swaps += kind == 0   ? move_key(axis.keys, at, data, value)
                              : kind == 1 ? move_float(axis.floats, at, data, value)
                              : kind == 2 ? move_link(&axis.links[data], value)
                              : kind == 4 ? move_tested_key(axis.keys, at, intervals, data, value, &met)
                              : kind == 5 ? move_owned_link(&axis.owned[data + 1], value, &met)
                                          : move_bounded_key(axis.keys, at, 2 * count, data, value);
                }
            }
        *ms = b2d_milliseconds() - start;
        *swaps += met < 0; // the tests are not left out
    }
    b2d_free(&memory, axis.keys, size);
    b2d_free(&memory, at, ends * sizeof *at);
    b2d_free(&memory, keys, key_bytes);
    return done ? B2D_OK : B2D_NO_MEMORY;
}
