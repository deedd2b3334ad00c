// csrc/buffers/pairs.c - see pairs.h.
//
// Idea (Barr 2017, document 004): sorting by the Morton code of the lower left corner puts neighbours into the same
// chunk of 8 with little effort. The bounds of all chunks are compared by brute force, then the boxes of two chunks
// whose bounds overlap. Boxes much larger than the median would spoil the bound of their chunk; they are compared with
// all others. The kernel is that of the grid. Cost: 10,000 boxes in about 1 ms.
// Proof: tests/api/test_buffers.py.
#include "buffers/pairs.h"
#include "base/radix_sort.h"

#include <math.h>

enum {
    CHUNK = 8,     // boxes
    SAMPLES = 128, // boxes from which the frame of the codes is chosen
    LARGE = 8,     // a box is large when its extent is this many times the median
    SOME = 256,    // boxes that a kernel compares at once
    PADDING = 16,  // rows behind the last one that a kernel may load
};

typedef struct search {
    const b2d_buffer_boxes* boxes;
    b2d_slots all, chunks; // in Morton order, large boxes last; bounds of the chunks of the others
    int32_t small_count, chunk_count;
    int32_t (*find)(const b2d_slots* slots, b2d_box box, int32_t begin, int32_t end, int32_t* out);
    void (*found)(void* context, int32_t shape_a, int32_t shape_b);
    void* context;
} search;

static b2d_slots take_columns(b2d_workspace* w, int32_t count) {
    b2d_slots slots = {0};
    float** columns[4] = {&slots.min_x, &slots.min_y, &slots.max_x, &slots.max_y};
    for (int32_t k = 0; k < 4; k++) B2D_WORKSPACE_TAKE(w, *columns[k], count + PADDING);
    return slots;
}
static b2d_box box_at(const b2d_slots* slots, int32_t k) {
    return (b2d_box){slots->min_x[k], slots->min_y[k], slots->max_x[k], slots->max_y[k]};
}
static void put(const b2d_slots* slots, int32_t k, b2d_box box) {
    slots->min_x[k] = box.min_x, slots->min_y[k] = box.min_y;
    slots->max_x[k] = box.max_x, slots->max_y[k] = box.max_y;
}
static b2d_box unite(b2d_box a, b2d_box b) {
    return (b2d_box){b2d_min(a.min_x, b.min_x), b2d_min(a.min_y, b.min_y), b2d_max(a.max_x, b.max_x),
                     b2d_max(a.max_y, b.max_y)};
}

static float extent_of(const b2d_buffer_boxes* boxes, int32_t k) {
    return b2d_max(boxes->max_x[k] - boxes->min_x[k], boxes->max_y[k] - boxes->min_y[k]);
}

// The value at the given part of a sorted sample.
static float quantile(const b2d_buffer_boxes* boxes, const float* column, float part) {
    float values[SAMPLES];
    int32_t taken = 0;
    const int32_t stride = (boxes->count + SAMPLES - 1) / SAMPLES;
    for (int32_t id = 0; id < boxes->count; id += stride) {
        const float value = column == NULL ? extent_of(boxes, id) : column[id];
        int32_t k = taken++;
        for (; k > 0 && values[k - 1] > value; k--) values[k] = values[k - 1];
        values[k] = value;
    }
    return values[(int32_t)(part * (float)(taken - 1))];
}

static uint32_t every_second_bit(uint32_t x) { // of 16 bits: bit k becomes bit 2k
    x = (x | x << 8) & 0x00ff00ffu;
    x = (x | x << 4) & 0x0f0f0f0fu;
    x = (x | x << 2) & 0x33333333u;
    return (x | x << 1) & 0x55555555u;
}
static uint32_t cell_of(float x, float origin, double scale) {
    const double cell = ((double)x - (double)origin) * scale;
    return cell > 0.0 ? cell < 65535.0 ? (uint32_t)cell : 65535u : 0u;
}

static void sort_boxes(search* s, uint64_t* keys) {
    const b2d_buffer_boxes* boxes = s->boxes;
    const float left = quantile(boxes, boxes->min_x, 0.02f), right = quantile(boxes, boxes->min_x, 0.98f),
                bottom = quantile(boxes, boxes->min_y, 0.02f), top = quantile(boxes, boxes->min_y, 0.98f);
    const float largest = LARGE * quantile(boxes, NULL, 0.5f);
    const double span = b2d_max(right - left, top - bottom), scale = span > 0.0 ? 65535.0 / span : 0.0;
    s->small_count = 0;
    for (int32_t k = 0; k < boxes->count; k++) {
        const bool large = extent_of(boxes, k) > largest;
        const uint64_t code = every_second_bit(cell_of(boxes->min_x[k], left, scale)) |
                              every_second_bit(cell_of(boxes->min_y[k], bottom, scale)) << 1;
        keys[k] = (large ? UINT32_MAX : code) << 32 | (uint32_t)k; // codes of large boxes come last
        s->small_count += !large;
    }
    b2d_radix_sort(keys, keys + boxes->count, boxes->count);
    for (int32_t k = 0; k < boxes->count; k++) {
        const int32_t id = s->all.ids[k] = (int32_t)(uint32_t)keys[k];
        put(&s->all, k, (b2d_box){boxes->min_x[id], boxes->min_y[id], boxes->max_x[id], boxes->max_y[id]});
    }
    s->chunk_count = (s->small_count + CHUNK - 1) / CHUNK;
    for (int32_t c = 0; c < s->chunk_count; c++) {
        b2d_box bound = box_at(&s->all, CHUNK * c);
        for (int32_t k = CHUNK * c + 1; k < b2d_min_int(CHUNK * (c + 1), s->small_count); k++)
            bound = unite(bound, box_at(&s->all, k));
        put(&s->chunks, c, bound);
    }
}

// Box k against those in [begin, end), at most SOME.
static void compare(const search* s, int32_t k, int32_t begin, int32_t end) {
    const b2d_buffer_boxes* boxes = s->boxes;
    int32_t hits[SOME + PADDING];
    const int32_t count = s->find(&s->all, box_at(&s->all, k), begin, end, hits), i = s->all.ids[k];
    for (int32_t h = 0; h < count; h++) {
        const int32_t j = s->all.ids[hits[h]], a = boxes->bodies[i], b = boxes->bodies[j];
        if (a != b && (boxes->moves[a] || boxes->moves[b])) s->found(s->context, b2d_min_int(i, j), b2d_max_int(i, j));
    }
}

static void compare_chunk(const search* s, int32_t c) {
    const int32_t end = b2d_min_int(CHUNK * (c + 1), s->small_count);
    const b2d_box bound = box_at(&s->chunks, c);
    for (int32_t k = CHUNK * c; k < end; k++) compare(s, k, k + 1, end);
    int32_t near[SOME + PADDING];
    for (int32_t from = c + 1; from < s->chunk_count; from += SOME) {
        const int32_t count = s->find(&s->chunks, bound, from, b2d_min_int(from + SOME, s->chunk_count), near);
        for (int32_t n = 0; n < count; n++) {
            const int32_t first = CHUNK * near[n], last = b2d_min_int(first + CHUNK, s->small_count);
            for (int32_t k = CHUNK * c; k < end; k++) compare(s, k, first, last);
        }
    }
}

b2d_status b2d_buffer_find_pairs(const b2d_buffer_boxes* boxes, int32_t simd, b2d_workspace* w,
                                 void (*found)(void* context, int32_t shape_a, int32_t shape_b), void* context) {
    search s = {.boxes = boxes, .find = b2d_grid_kernels_for(simd)->find, .found = found, .context = context};
    uint64_t* keys;
    B2D_WORKSPACE_TAKE(w, keys, 2 * (int64_t)boxes->count);
    s.all = take_columns(w, boxes->count);
    B2D_WORKSPACE_TAKE(w, s.all.ids, boxes->count);
    s.chunks = take_columns(w, boxes->count / CHUNK + 1);
    const b2d_status status = b2d_workspace_fits(w, 0);
    if (status == B2D_OK && boxes->count > 0) {
        sort_boxes(&s, keys);
        for (int32_t c = 0; c < s.chunk_count; c++) compare_chunk(&s, c);
        for (int32_t k = s.small_count; k < boxes->count; k++)
            for (int32_t from = 0; from < k; from += SOME) compare(&s, k, from, b2d_min_int(from + SOME, k));
    }
    return status;
}
