// csrc/lab/sap.c - see sap.h.
#include "lab/sap.h"

#include <string.h>

enum { STRIP = 16 }; // boxes of a strip that is drawn

_Static_assert(sizeof(*((b2d_sap*)0)->ends[0]) == 8, "an end point is one integer of 8 bytes");

static uint64_t end_point(float coordinate, int32_t handle, uint32_t flag) {
    return (uint64_t)b2d_float_key(coordinate) << 32 | flag | (uint32_t)handle;
}
// By 2 handle + is_max.
static uint32_t slot_of(uint64_t end) { return (uint32_t)end << 1 | (uint32_t)end >> 31; }
static int32_t handle_of(uint64_t end) { return (int32_t)((uint32_t)end & ~B2D_SAP_MAX); }
static bool is_max(uint64_t end) { return ((uint32_t)end & B2D_SAP_MAX) != 0; }
static float lower_of(b2d_box box, int32_t axis) { return axis == 0 ? box.min_x : box.min_y; }
static float upper_of(b2d_box box, int32_t axis) { return axis == 0 ? box.max_x : box.max_y; }

// ---- memory

bool b2d_sap_sink_reserve(b2d_memory* memory, b2d_sap_sink* sink, int32_t boxes) {
    return B2D_GROW(memory, sink->keys, sink->key_capacity, 4 * boxes) &&
           B2D_GROW(memory, sink->handles, sink->handle_capacity, boxes) &&
           B2D_GROW(memory, sink->rows, sink->row_capacity, boxes) &&
           B2D_GROW(memory, sink->inserted_rows, sink->inserted_capacity, boxes);
}

void b2d_sap_sink_free(b2d_memory* memory, b2d_sap_sink* sink) {
    b2d_free(memory, sink->events, (size_t)sink->event_capacity * sizeof *sink->events);
    b2d_free(memory, sink->keys, (size_t)sink->key_capacity * sizeof *sink->keys);
    b2d_free(memory, sink->handles, (size_t)sink->handle_capacity * sizeof *sink->handles);
    b2d_free(memory, sink->rows, (size_t)sink->row_capacity * sizeof *sink->rows);
    b2d_free(memory, sink->inserted_rows, (size_t)sink->inserted_capacity * sizeof *sink->inserted_rows);
}

bool b2d_sap_reserve(b2d_memory* memory, b2d_pool* pool, b2d_sap* sap, int32_t count) {
    if (count <= sap->capacity) return true;
    int32_t room = 8;
    while (room < count) room *= 2; // the pool grants powers of two
    const size_t ends = (size_t)(2 * room + 2) * sizeof(uint64_t), at = (size_t)(2 * room) * sizeof(int32_t);
    b2d_sap grown = *sap;
    uint8_t* block = b2d_pool_take(memory, pool, 2 * ends + 2 * at + (size_t)room * sizeof(int32_t), &grown.granted);
    if (block == NULL) return false;
    grown.block = block;
    grown.ends[0] = (uint64_t*)(void*)block, grown.ends[1] = (uint64_t*)(void*)(block + ends);
    grown.at[0] = (int32_t*)(void*)(block + 2 * ends), grown.at[1] = grown.at[0] + 2 * room;
    grown.shapes = grown.at[1] + 2 * room;
    grown.capacity = room;
    for (int32_t axis = 0; axis < 2; axis++) {
        grown.ends[axis][0] = 0;
        grown.ends[axis][1] = UINT64_MAX;
        if (sap->block == NULL) continue;
        memcpy(grown.ends[axis], sap->ends[axis], (size_t)(2 * sap->count + 2) * sizeof(uint64_t));
        memcpy(grown.at[axis], sap->at[axis], (size_t)(2 * sap->used) * sizeof(int32_t));
    }
    if (sap->block != NULL) {
        memcpy(grown.shapes, sap->shapes, (size_t)sap->used * sizeof(int32_t));
        b2d_pool_give(pool, sap->block, sap->granted);
    } else {
        grown.free_handle = B2D_NONE;
    }
    *sap = grown;
    return true;
}

void b2d_sap_release(b2d_pool* pool, b2d_sap* sap) {
    if (sap->block != NULL) b2d_pool_give(pool, sap->block, sap->granted);
    *sap = (b2d_sap){.free_handle = B2D_NONE};
}

int32_t b2d_sap_take_handle(b2d_sap* sap, int32_t shape) {
    int32_t handle = sap->free_handle;
    if (handle != B2D_NONE) sap->free_handle = -2 - sap->shapes[handle];
    else handle = sap->used++;
    B2D_ASSERT(handle < sap->capacity);
    sap->shapes[handle] = shape;
    return handle;
}

// ---- events

static void note(b2d_sap_sink* sink, uint64_t key) {
    if (sink->event_count < sink->event_capacity) sink->events[sink->event_count] = key;
    sink->event_count++;
}

static void started(b2d_sap_sink* sink, int32_t a, int32_t b) {
    const uint64_t key = b2d_pair_key(a, b);
    if (sink->manager != NULL) b2d_pair_manager_add(sink->memory, sink->manager, key);
    else note(sink, key);
}

static void ended(b2d_sap_sink* sink, int32_t a, int32_t b) {
    const uint64_t key = b2d_pair_key(a, b);
    if (sink->manager == NULL) note(sink, key);
    else if (!sink->shared || !b2d_box_overlaps(b2d_fat_box(sink->proxies, a), b2d_fat_box(sink->proxies, b)))
        b2d_pair_manager_remove(sink->memory, sink->manager, key);
}

// ---- moving

static bool overlap_on(const b2d_sap* sap, int32_t axis, int32_t a, int32_t b) { // by positions
    const int32_t* at = sap->at[axis];
    return at[2 * a] < at[2 * b + 1] && at[2 * b] < at[2 * a + 1];
}

// The same from the coordinates in the end points, as a box without positions must test it.
static bool overlap_by_coordinates(const b2d_sap* sap, int32_t axis, int32_t a, int32_t b) {
    const uint64_t* ends = sap->ends[axis];
    const int32_t* at = sap->at[axis];
    return ends[at[2 * a]] >> 32 <= ends[at[2 * b + 1]] >> 32 && ends[at[2 * b]] >> 32 <= ends[at[2 * a + 1]] >> 32;
}

static void take_width(b2d_sap* sap, b2d_box box) {
    if ((double)box.max_x - (double)box.min_x > sap->width) sap->width = (double)box.max_x - (double)box.min_x;
}

// Moves an end point down (step -1) or up (step 1) to its new place. `quiet`: overlaps are not noted.
static inline void shift(b2d_sap* sap, b2d_sap_sink* sink, int32_t axis, uint64_t end, int32_t step, bool quiet) {
    uint64_t* ends = sap->ends[axis];
    int32_t* at = sap->at[axis];
    const int32_t handle = handle_of(end);
    const bool upper = is_max(end);
    int32_t p = at[slot_of(end)];
    int64_t swaps = 0, tests = 0;
    for (uint64_t other; step < 0 ? (other = ends[p - 1]) > end : (other = ends[p + 1]) < end; p += step) {
        ends[p] = other;
        at[slot_of(other)] = p;
        swaps++;
        if (quiet || is_max(other) == upper) continue;
        const int32_t neighbour = handle_of(other);
        const bool both = sink->by_coordinates ? overlap_by_coordinates(sap, 1 - axis, handle, neighbour)
                                               : overlap_on(sap, 1 - axis, handle, neighbour);
        B2D_ASSERT(both == overlap_by_coordinates(sap, 1 - axis, handle, neighbour));
        tests++;
        if ((step < 0) != upper) { // a lower end that moves down, or an upper end that moves up
            if (both) started(sink, sap->shapes[handle], sap->shapes[neighbour]);
        } else {
            sink->counters.apparent_removals++;
            if (!both && !sink->always_search) continue;
            sink->counters.real_removals += both;
            ended(sink, sap->shapes[handle], sap->shapes[neighbour]);
        }
    }
    ends[p] = end;
    at[slot_of(end)] = p;
    sink->counters.swaps += swaps;
    sink->counters.tests += tests;
}

void b2d_sap_move(b2d_sap* sap, b2d_sap_sink* sink, int32_t handle) {
    const b2d_box box = b2d_fat_box(sink->proxies, sap->shapes[handle]);
    take_width(sap, box);
    for (int32_t axis = 0; axis < 2; axis++) {
        const int32_t* at = sap->at[axis];
        const uint64_t lower = end_point(lower_of(box, axis), handle, 0),
                       upper = end_point(upper_of(box, axis), handle, B2D_SAP_MAX),
                       old_lower = sap->ends[axis][at[2 * handle]], old_upper = sap->ends[axis][at[2 * handle + 1]];
        // Growing first: overlaps start before others end, and the interval is never inverted.
        if (lower < old_lower) shift(sap, sink, axis, lower, -1, false);
        if (upper > old_upper) shift(sap, sink, axis, upper, 1, false);
        if (lower > old_lower) shift(sap, sink, axis, lower, 1, false);
        if (upper < old_upper) shift(sap, sink, axis, upper, -1, false);
    }
}

// ---- insertion and removal

// The boxes in the order of their lower ends on x. `first_keys`: sorted end points of the inserted boxes.
static int32_t make_rows(const b2d_sap* sap, b2d_sap_sink* sink, const uint64_t* inserted, int32_t inserted_ends) {
    const uint64_t* ends = sap->ends[0];
    int32_t count = 0, next = 0;
    for (int32_t p = 1; p <= 2 * sap->count; p++) {
        const bool is_new = next < inserted_ends && inserted[next] == ends[p];
        next += is_new;
        if (is_max(ends[p])) continue;
        const int32_t handle = handle_of(ends[p]);
        sink->rows[count++] = (b2d_sap_row){
            p,     sap->at[0][2 * handle + 1], sap->at[1][2 * handle], sap->at[1][2 * handle + 1], sap->shapes[handle],
            is_new};
    }
    return count;
}

static bool rows_overlap(const b2d_sap_row* a, const b2d_sap_row* b) {
    return a->min_y < b->max_y && b->min_y < a->max_y;
}

void b2d_sap_insert(b2d_sap* sap, b2d_sap_sink* sink, int32_t count) {
    if (count == 0) return;
    uint64_t* keys = sink->keys;
    const int32_t old = 2 * sap->count, added = 2 * count;
    for (int32_t axis = 1; axis >= 0; axis--) { // x last: its sorted keys are used below
        for (int32_t k = 0; k < count; k++) {
            const int32_t handle = sink->handles[k];
            const b2d_box box = b2d_fat_box(sink->proxies, sap->shapes[handle]);
            keys[2 * k] = end_point(lower_of(box, axis), handle, 0);
            keys[2 * k + 1] = end_point(upper_of(box, axis), handle, B2D_SAP_MAX);
            take_width(sap, box);
        }
        b2d_radix_sort(keys, keys + added, added);
        uint64_t* ends = sap->ends[axis];
        int32_t* at = sap->at[axis];
        ends[old + added + 1] = UINT64_MAX;
        for (int32_t p = old + added, i = old, j = added - 1; j >= 0; p--) { // merges from the greatest down
            ends[p] = ends[i] > keys[j] ? ends[i--] : keys[j--];
            at[slot_of(ends[p])] = p;
            sink->counters.endpoint_moves++;
        }
    }
    sap->count += count;
    const int32_t total = make_rows(sap, sink, keys, added);
    const b2d_sap_row* rows = sink->rows;
    int32_t* inserted = sink->inserted_rows;
    int32_t inserted_count = 0;
    for (int32_t k = 0; k < total; k++)
        if (rows[k].inserted) inserted[inserted_count++] = k;
    for (int32_t k = 0, next = 0; k < total && next < inserted_count; k++) {
        if (rows[k].inserted) {
            next++;
            for (int32_t j = k + 1; j < total && rows[j].min_x < rows[k].max_x; j++)
                if (rows_overlap(&rows[k], &rows[j])) started(sink, rows[k].shape, rows[j].shape);
        } else {
            for (int32_t n = next; n < inserted_count && rows[inserted[n]].min_x < rows[k].max_x; n++)
                if (rows_overlap(&rows[k], &rows[inserted[n]])) started(sink, rows[k].shape, rows[inserted[n]].shape);
        }
    }
}

void b2d_sap_all_pairs(const b2d_sap* sap, b2d_sap_sink* sink) {
    const int32_t total = make_rows(sap, sink, NULL, 0);
    for (int32_t k = 0; k < total; k++)
        for (int32_t j = k + 1; j < total && sink->rows[j].min_x < sink->rows[k].max_x; j++)
            if (rows_overlap(&sink->rows[k], &sink->rows[j])) started(sink, sink->rows[k].shape, sink->rows[j].shape);
}

static void give_handle(b2d_sap* sap, int32_t handle) {
    sap->shapes[handle] = -2 - sap->free_handle;
    sap->free_handle = handle;
}

void b2d_sap_remove(b2d_sap* sap, b2d_sap_sink* sink, int32_t count) {
    if (count == 0) return;
    for (int32_t k = 0; k < count; k++) sap->shapes[sink->handles[k]] = B2D_NONE; // the tag
    for (int32_t axis = 0; axis < 2; axis++) {
        uint64_t* ends = sap->ends[axis];
        int32_t to = 1;
        for (int32_t p = 1; p <= 2 * sap->count; p++) {
            if (sap->shapes[handle_of(ends[p])] == B2D_NONE) continue;
            if (to < p) {
                ends[to] = ends[p];
                sap->at[axis][slot_of(ends[p])] = to;
                sink->counters.endpoint_moves++;
            }
            to++;
        }
        ends[to] = UINT64_MAX;
    }
    for (int32_t k = 0; k < count; k++) give_handle(sap, sink->handles[k]);
    sap->count -= count;
}

void b2d_sap_insert_single(b2d_sap* sap, b2d_sap_sink* sink, int32_t handle) {
    const b2d_box box = b2d_fat_box(sink->proxies, sap->shapes[handle]);
    take_width(sap, box);
    const int64_t before = sink->counters.swaps;
    for (int32_t axis = 0; axis < 2; axis++) {
        const uint64_t lower = end_point(lower_of(box, axis), handle, 0),
                       upper = end_point(upper_of(box, axis), handle, B2D_SAP_MAX);
        uint64_t* ends = sap->ends[axis];
        const int32_t p = 2 * sap->count + 1;
        ends[p] = lower, ends[p + 1] = upper, ends[p + 2] = UINT64_MAX;
        sap->at[axis][2 * handle] = p, sap->at[axis][2 * handle + 1] = p + 1;
        // Only on the second axis pairs are noted: then the first is already in place.
        shift(sap, sink, axis, lower, -1, axis == 0);
        shift(sap, sink, axis, upper, -1, axis == 0);
    }
    sap->count++;
    sink->counters.endpoint_moves += sink->counters.swaps - before;
}

void b2d_sap_remove_single(b2d_sap* sap, b2d_sap_sink* sink, int32_t handle) {
    const int64_t before = sink->counters.swaps;
    for (int32_t axis = 1; axis >= 0; axis--) {
        // Beyond all coordinates but before the sentinel; keys of coordinates are below these.
        const uint64_t upper = 0xfffffffeull << 32 | B2D_SAP_MAX | (uint32_t)handle,
                       lower = 0xfffffffeull << 32 | (uint32_t)handle;
        shift(sap, sink, axis, upper, 1, true);
        shift(sap, sink, axis, lower, 1, axis == 0);
        sap->ends[axis][2 * sap->count - 1] = UINT64_MAX;
    }
    sap->count--;
    give_handle(sap, handle);
    sink->counters.endpoint_moves += sink->counters.swaps - before;
}

// ---- queries

static int32_t first_from(const b2d_sap* sap, double x) { // position of the first end point on x that is not below
    const uint64_t wanted = (uint64_t)b2d_float_key(b2d_round_down(x)) << 32;
    int32_t low = 1, high = 2 * sap->count + 1;
    while (low < high) {
        const int32_t middle = (low + high) / 2;
        if (sap->ends[0][middle] < wanted) low = middle + 1;
        else high = middle;
    }
    return low;
}

bool b2d_sap_visit(const b2d_sap* sap, const b2d_proxies* p, b2d_box box, b2d_query_fn* found, void* context) {
    if (sap->count == 0 || !(box.min_x <= box.max_x)) return true;
    const double rounding = 1.0e-14 * (fabs((double)box.min_x) + sap->width); // of the differences
    const uint64_t last = end_point(box.max_x, 0, 0) | UINT32_MAX;
    for (int32_t at = first_from(sap, (double)box.min_x - sap->width - rounding); sap->ends[0][at] <= last; at++) {
        const uint64_t end = sap->ends[0][at];
        if (end == UINT64_MAX) break;
        if (is_max(end)) continue;
        const int32_t shape = sap->shapes[handle_of(end)];
        if (b2d_box_overlaps(box, b2d_fat_box(p, shape)) && !found(context, shape)) return false;
    }
    return true;
}

bool b2d_sap_visit_ray(const b2d_sap* sap, const b2d_proxies* p, const b2d_ray* ray, const float* max_fraction,
                       b2d_query_fn* found, void* context) {
    if (sap->count == 0) return true;
    const double end_x = ray->inverse_dx != 0.0 ? ray->px + *max_fraction / ray->inverse_dx : ray->px;
    const double margin = ray->radius + sap->width * 1.0e-9 + 1.0e-9 * (fabs(ray->px) + fabs(end_x)); // of rounding
    const double lower = (ray->px < end_x ? ray->px : end_x) - margin - sap->width,
                 upper = (ray->px < end_x ? end_x : ray->px) + margin;
    for (int32_t at = first_from(sap, lower); at <= 2 * sap->count; at++) {
        const uint64_t end = sap->ends[0][at];
        if (is_max(end)) continue;
        const int32_t shape = sap->shapes[handle_of(end)];
        const b2d_box box = b2d_fat_box(p, shape);
        if ((double)box.min_x > upper) break;
        if (b2d_ray_enter(ray, box, *max_fraction) >= 0.0 && !found(context, shape)) return false;
    }
    return true;
}

void b2d_sap_boxes(const b2d_sap* sap, const b2d_proxies* p, b2d_box_fn* found, void* context) {
    const b2d_box nothing = {INFINITY, INFINITY, -INFINITY, -INFINITY};
    b2d_box strip = nothing;
    int32_t count = 0;
    for (int32_t at = 1; at <= 2 * sap->count; at++) {
        if (is_max(sap->ends[0][at])) continue;
        strip = b2d_box_union(b2d_fat_box(p, sap->shapes[handle_of(sap->ends[0][at])]), strip);
        if (++count % STRIP != 0 && count < sap->count) continue;
        found(context, strip, 1);
        strip = nothing;
    }
}

const char* b2d_sap_validate(const b2d_sap* sap, const b2d_proxies* p) {
    for (int32_t axis = 0; axis < 2 && sap->block != NULL; axis++) {
        const uint64_t* ends = sap->ends[axis];
        if (ends[0] != 0 || ends[2 * sap->count + 1] != UINT64_MAX) return "sap: a sentinel is missing";
        for (int32_t at = 1; at <= 2 * sap->count; at++) {
            if (ends[at] <= ends[at - 1]) return "sap: end points are not in order";
            if (sap->at[axis][slot_of(ends[at])] != at) return "sap: an end point is not where its box says";
            const int32_t handle = handle_of(ends[at]), shape = sap->shapes[handle];
            if (shape < 0) return "sap: an end point belongs to no shape";
            const b2d_box box = b2d_fat_box(p, shape);
            const float value = is_max(ends[at]) ? upper_of(box, axis) : lower_of(box, axis);
            if (!b2d_bits_has(&p->dirty, shape) && ends[at] >> 32 != b2d_float_key(value))
                return "sap: an end point is stale";
        }
    }
    return NULL;
}
