// csrc/lab/morton.c - the broad phase "morton": chunks of 8 boxes in Morton order, compared by their bounds.
//
// Idea (Barr 2017): sorting by the Morton code of the lower left corner puts neighbours into the same chunk with little
// effort. All pairs of chunk bounds are then compared by brute force, and the boxes of two chunks whose bounds overlap.
// Above 8192 shapes a third level, bounds of 16 chunks, keeps brute force cheap. The codes count cells between the
// quantiles of a sample, so that one body far away does not put all others into one cell; boxes much larger than the
// median would spoil the bound of their chunk and lie in a tree.
// Cost: 60-150 ns for each shape when anything moves. Threads: sorting is serial, comparing parallel over chunks.
// Proof: tests/c/test_broadphase.c.
#include "base/radix_sort.h"
#include "lab/box_run.h"
#include "lab/members.h"

enum {
    CHUNK = 8,     // boxes
    SUPER = 16,    // chunks with one more bound
    MANY = 8192,   // shapes from which on these bounds are used
    SAMPLES = 128, // boxes from which the frame of the codes is chosen
    LARGE = 8,     // a box is large when its extent is this many times the median
};

typedef struct bound_columns { // bounds in columns, with room for `capacity`
    b2d_box_columns boxes;
    float* floats;
    int32_t count, capacity;
} bound_columns;

typedef struct b2d_morton {
    b2d_members members;
    const b2d_run_kernels* kernels;
    b2d_box_run all; // all members in Morton order
    bound_columns chunks, supers;
    int32_t super;      // chunks of one of `supers`
    int32_t* active;    // chunks in which a shape moved, of the pairs call under way
    uint8_t* is_active; // by chunk
    int32_t active_count, active_capacity, is_active_capacity;
    uint64_t* keys; // scratch: twice the members
    int32_t key_capacity;
    int32_t sized_for; // sleeping and moving shapes when the greatest extent was chosen
    b2d_key_list* lists;
} b2d_morton;

static bool morton_visit(const b2d_broadphase* broadphase, b2d_box box, b2d_query_fn* found, void* context) {
    const b2d_morton* morton = (const b2d_morton*)broadphase;
    return b2d_box_run_query(&morton->all, morton->kernels, box, found, context);
}

static bool morton_visit_ray(const b2d_broadphase* broadphase, const b2d_ray* ray, const float* max_fraction,
                             b2d_query_fn* found, void* context) {
    const b2d_morton* morton = (const b2d_morton*)broadphase;
    return b2d_box_run_ray(&morton->all, morton->members.proxies, ray, max_fraction, found, context);
}

static bool morton_create(b2d_memory* memory, const b2d_proxies* proxies, int32_t simd, b2d_broadphase** out) {
    b2d_morton* morton = b2d_allocate(memory, sizeof *morton);
    if (morton == NULL) return false;
    b2d_members_init(&morton->members, proxies, morton_visit, morton_visit_ray);
    morton->kernels = b2d_run_kernels_of(simd);
    *out = (b2d_broadphase*)morton;
    return true;
}

static void morton_destroy(b2d_memory* memory, b2d_broadphase* broadphase) {
    b2d_morton* morton = (b2d_morton*)broadphase;
    if (morton == NULL) return;
    b2d_members_free(memory, &morton->members);
    b2d_box_run_free(memory, &morton->all);
    b2d_free(memory, morton->chunks.floats, (size_t)morton->chunks.capacity * sizeof(float));
    b2d_free(memory, morton->supers.floats, (size_t)morton->supers.capacity * sizeof(float));
    b2d_free(memory, morton->active, (size_t)morton->active_capacity * sizeof *morton->active);
    b2d_free(memory, morton->is_active, (size_t)morton->is_active_capacity * sizeof *morton->is_active);
    b2d_free(memory, morton->keys, (size_t)morton->key_capacity * sizeof *morton->keys);
    b2d_free(memory, morton, sizeof *morton);
}

static bool reserve_bounds(b2d_memory* memory, bound_columns* bounds, int32_t count) {
    if (!B2D_GROW(memory, bounds->floats, bounds->capacity, 4 * count)) return false;
    float** columns[4] = {&bounds->boxes.min_x, &bounds->boxes.min_y, &bounds->boxes.max_x, &bounds->boxes.max_y};
    for (int32_t k = 0; k < 4; k++) *columns[k] = bounds->floats + (size_t)k * (size_t)count;
    bounds->count = count;
    return true;
}

static b2d_box box_at(const b2d_box_columns* boxes, int32_t k) {
    return (b2d_box){boxes->min_x[k], boxes->min_y[k], boxes->max_x[k], boxes->max_y[k]};
}

// Bounds of each `size` boxes of `boxes`.
static void bound_runs(bound_columns* bounds, const b2d_box_columns* boxes, int32_t count, int32_t size) {
    for (int32_t b = 0; b < bounds->count; b++) {
        b2d_box bound = box_at(boxes, b * size);
        for (int32_t k = b * size + 1; k < b2d_min_int((b + 1) * size, count); k++)
            bound = b2d_box_union(bound, box_at(boxes, k));
        bounds->boxes.min_x[b] = bound.min_x, bounds->boxes.min_y[b] = bound.min_y;
        bounds->boxes.max_x[b] = bound.max_x, bounds->boxes.max_y[b] = bound.max_y;
    }
}

static uint32_t every_second_bit(uint32_t x) { // of 16 bits: bit k becomes bit 2k
    x = (x | x << 8) & 0x00ff00ffu;
    x = (x | x << 4) & 0x0f0f0f0fu;
    x = (x | x << 2) & 0x33333333u;
    return (x | x << 1) & 0x55555555u;
}

// Lower and upper end of the sampled values without the outermost few, which may lie anywhere.
static void quantiles(const float* column, const b2d_bits* ids, int32_t count, float* lower, float* upper) {
    float values[SAMPLES];
    int32_t taken = 0, at = 0;
    const int32_t stride = (count + SAMPLES - 1) / SAMPLES;
    B2D_FOR_BITS (ids, id) {
        if (at++ % stride != 0) continue;
        int32_t k = taken++;
        for (; k > 0 && values[k - 1] > column[id]; k--) values[k] = values[k - 1];
        values[k] = column[id];
    }
    *lower = values[taken / 50];
    *upper = values[taken - 1 - taken / 50];
}

// The cell of x among 2^16, counted from `origin`; clamped, in double because the span may exceed the range of floats.
static uint32_t cell_of(float x, float origin, double scale) {
    const double cell = ((double)x - (double)origin) * scale;
    return cell > 0.0 ? cell < 65535.0 ? (uint32_t)cell : 65535u : 0u;
}

static bool sort_members(b2d_memory* memory, b2d_morton* morton, int32_t count) {
    const b2d_proxies* p = morton->members.proxies;
    const b2d_bits* inside = &morton->members.inside;
    const int32_t chunks = (count + CHUNK - 1) / CHUNK;
    morton->super = count > MANY ? SUPER : b2d_max_int(chunks, 1);
    if (!B2D_GROW(memory, morton->keys, morton->key_capacity, 2 * count) ||
        !b2d_box_run_reserve(memory, &morton->all, count) || !reserve_bounds(memory, &morton->chunks, chunks) ||
        !reserve_bounds(memory, &morton->supers, (chunks + morton->super - 1) / morton->super))
        return false;
    if (count == 0) return true;
    float left, right, bottom, top;
    quantiles(p->fat_min_x, inside, count, &left, &right);
    quantiles(p->fat_min_y, inside, count, &bottom, &top);
    // One scale for both axes: the cells are squares.
    const double span = b2d_max(right - left, top - bottom), scale = span > 0.0 ? 65535.0 / span : 0.0;
    int32_t at = 0;
    B2D_FOR_BITS (inside, id) {
        const uint32_t code = every_second_bit(cell_of(p->fat_min_x[id], left, scale)) |
                              every_second_bit(cell_of(p->fat_min_y[id], bottom, scale)) << 1;
        morton->keys[at++] = (uint64_t)code << 32 | (uint32_t)id;
    }
    if (count > 0) b2d_radix_sort(morton->keys, morton->keys + count, count);
    for (int32_t k = 0; k < count; k++) morton->all.ids[k] = (int32_t)(uint32_t)morton->keys[k];
    b2d_box_run_gather(&morton->all, p, false);
    bound_runs(&morton->chunks, &morton->all.now, count, CHUNK);
    bound_runs(&morton->supers, &morton->chunks.boxes, chunks, morton->super);
    return true;
}

static bool morton_update(b2d_memory* memory, b2d_broadphase* broadphase, b2d_scheduler* scheduler) {
    b2d_morton* morton = (b2d_morton*)broadphase;
    b2d_members* members = &morton->members;
    (void)scheduler;
    if (!b2d_members_update(memory, members)) return false;
    if (b2d_bits_is_empty(&members->stale)) return true;
    const int32_t count = b2d_bits_count(&members->inside) + members->large.leaf_count;
    if (count > 2 * morton->sized_for || 2 * count < morton->sized_for) { // the sizes may have changed
        if (!b2d_members_set_extent(memory, members, LARGE * b2d_members_median_extent(members))) return false;
        morton->sized_for = count;
    }
    if (!sort_members(memory, morton, b2d_bits_count(&members->inside))) return false;
    b2d_members_done(members);
    return true;
}

// One active chunk against itself and all chunks; of two active ones the first reports.
static void chunk_stage(void* context, int32_t begin, int32_t end, int32_t worker) {
    const b2d_morton* morton = context;
    const b2d_box_run* all = &morton->all;
    const b2d_proxies* p = morton->members.proxies;
    const b2d_run_kernels* kernels = morton->kernels;
    b2d_key_list* list = &morton->lists[worker];
    enum { SOME = 256 };
    for (int32_t a = begin; a < end; a++) {
        const int32_t c = morton->active[a], first = CHUNK * c, last = b2d_min_int(first + CHUNK, all->count);
        const b2d_box bound = box_at(&morton->chunks.boxes, c);
        kernels->pairs(p, all, first, last, all, first, last, false, list);
        int32_t supers[SOME], near[SOME];
        for (int32_t s = 0; s < morton->supers.count; s += SOME) {
            const int32_t super_count = kernels->find(&morton->supers.boxes, bound, s,
                                                      b2d_min_int(s + SOME, morton->supers.count), supers);
            for (int32_t k = 0; k < super_count; k++) {
                const int32_t to = b2d_min_int((supers[k] + 1) * morton->super, morton->chunks.count);
                for (int32_t from = supers[k] * morton->super; from < to; from += SOME) {
                    const int32_t near_count = kernels->find(&morton->chunks.boxes, bound, from,
                                                             b2d_min_int(from + SOME, to), near);
                    for (int32_t n = 0; n < near_count; n++) {
                        const int32_t d = near[n];
                        if (d == c || (d < c && morton->is_active[d])) continue;
                        // The kernel takes only greater indices of the same run, so the lower chunk comes first.
                        const int32_t low = CHUNK * b2d_min_int(c, d), high = CHUNK * b2d_max_int(c, d);
                        kernels->pairs(p, all, low, low + CHUNK, all, high, b2d_min_int(high + CHUNK, all->count),
                                       false, list);
                    }
                }
            }
        }
    }
}

static bool morton_pairs(b2d_memory* memory, b2d_broadphase* broadphase, b2d_scheduler* scheduler,
                         b2d_key_list* lists) {
    b2d_morton* morton = (b2d_morton*)broadphase;
    const b2d_proxies* p = morton->members.proxies;
    b2d_box_run* all = &morton->all;
    const int32_t chunks = morton->chunks.count;
    if (!b2d_bits_is_empty(&morton->members.stale)) return false; // the previous update found no memory
    if (b2d_bits_is_empty(&p->moved)) return true;
    if (!B2D_GROW(memory, morton->active, morton->active_capacity, chunks) ||
        !B2D_GROW(memory, morton->is_active, morton->is_active_capacity, chunks))
        return false;
    morton->active_count = 0;
    for (int32_t c = 0; c < chunks; c++) {
        bool moved = false;
        for (int32_t k = CHUNK * c; k < b2d_min_int(CHUNK * (c + 1), all->count); k++)
            moved |= b2d_bits_has(&p->moved, all->ids[k]);
        morton->is_active[c] = moved;
        if (moved) morton->active[morton->active_count++] = c;
    }
    if (morton->active_count > 0) b2d_box_run_gather_old(all, p);
    morton->lists = lists;
    b2d_parallel_for(scheduler, chunk_stage, morton, morton->active_count, 16);
    return b2d_members_tree_pairs(memory, &morton->members, scheduler, lists);
}

static void morton_boxes(const b2d_broadphase* broadphase, b2d_box_fn* found, void* context) {
    const b2d_morton* morton = (const b2d_morton*)broadphase;
    b2d_members_boxes(&morton->members, found, context);
    for (int32_t c = 0; c < morton->chunks.count; c++) found(context, box_at(&morton->chunks.boxes, c), 1);
    for (int32_t s = 0; s < morton->supers.count; s++) found(context, box_at(&morton->supers.boxes, s), 2);
}

static const char* morton_validate(const b2d_broadphase* broadphase) {
    const b2d_morton* morton = (const b2d_morton*)broadphase;
    const b2d_box_run* all = &morton->all;
    if (all->count != b2d_bits_count(&morton->members.inside)) return "morton: members are missing in the chunks";
    for (int32_t k = 0; k < all->count; k++) {
        if (!b2d_bits_has(&morton->members.inside, all->ids[k])) return "morton: a chunk holds a stranger";
        const int32_t chunk = k / CHUNK;
        if (!b2d_box_contains(box_at(&morton->chunks.boxes, chunk), box_at(&all->now, k)) ||
            !b2d_box_contains(box_at(&morton->supers.boxes, chunk / morton->super), box_at(&all->now, k)))
            return "morton: a bound is too small";
    }
    return b2d_members_validate(&morton->members);
}

const b2d_broadphase_table b2d_broadphase_morton = {
    "morton",          morton_create, morton_destroy,  b2d_members_change, morton_update,   morton_pairs,
    b2d_members_query, NULL,          b2d_members_ray, morton_boxes,       morton_validate,
};
