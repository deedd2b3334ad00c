// csrc/lab/box_pruning.c - the broad phase "box_pruning": boxes sorted along one axis, from scratch in each step.
//
// Idea (Terdiman 2007): in the order of the lower ends a box can only overlap the boxes that begin before it ends, so a
// scan forward finds all candidates, and the wide kernel tests them on both axes. Moved shapes are compared with each
// other (complete), and with the rest (bipartite: from each side the boxes that begin within a box of the other side).
// The axis is that along which the boxes are spread out most. Nothing persists, so it does not matter how far boxes
// move; the sorted run also answers queries, as strips.
// Cost: 60-100 ns for each shape when anything moves. Threads: sorting is serial, scanning parallel.
// Proof: tests/c/test_broadphase.c.
#include "base/radix_sort.h"
#include "lab/box_run.h"
#include "lab/members.h"

typedef struct b2d_box_pruning {
    b2d_members members;
    const b2d_run_kernels* kernels;
    b2d_box_run all;         // all members, ascending along the axis
    b2d_box_run moved, rest; // of the pairs call under way, in the same order
    uint64_t* keys;          // scratch: twice the members
    int32_t key_capacity;
    b2d_key_list* lists;
} b2d_box_pruning;

static bool pruning_visit(const b2d_broadphase* broadphase, b2d_box box, b2d_query_fn* found, void* context) {
    const b2d_box_pruning* pruning = (const b2d_box_pruning*)broadphase;
    return b2d_box_run_query(&pruning->all, pruning->kernels, box, found, context);
}

static bool pruning_visit_ray(const b2d_broadphase* broadphase, const b2d_ray* ray, const float* max_fraction,
                              b2d_query_fn* found, void* context) {
    const b2d_box_pruning* pruning = (const b2d_box_pruning*)broadphase;
    return b2d_box_run_ray(&pruning->all, pruning->members.proxies, ray, max_fraction, found, context);
}

static bool pruning_create(b2d_memory* memory, const b2d_proxies* proxies, int32_t simd, b2d_broadphase** out) {
    b2d_box_pruning* pruning = b2d_allocate(memory, sizeof *pruning);
    if (pruning == NULL) return false;
    b2d_members_init(&pruning->members, proxies, pruning_visit, pruning_visit_ray);
    pruning->kernels = b2d_run_kernels_of(simd);
    *out = (b2d_broadphase*)pruning;
    return true;
}

static void pruning_destroy(b2d_memory* memory, b2d_broadphase* broadphase) {
    b2d_box_pruning* pruning = (b2d_box_pruning*)broadphase;
    if (pruning == NULL) return;
    b2d_members_free(memory, &pruning->members);
    b2d_box_run_free(memory, &pruning->all);
    b2d_box_run_free(memory, &pruning->moved);
    b2d_box_run_free(memory, &pruning->rest);
    b2d_free(memory, pruning->keys, (size_t)pruning->key_capacity * sizeof *pruning->keys);
    b2d_free(memory, pruning, sizeof *pruning);
}

// Whether the lower left corners are spread out more along y than along x.
static bool spread_along_y(const b2d_members* members) {
    const b2d_proxies* p = members->proxies;
    double count = 0.0, sum_x = 0.0, sum_y = 0.0, squares_x = 0.0, squares_y = 0.0;
    B2D_FOR_BITS (&members->inside, id) {
        const double x = p->fat_min_x[id], y = p->fat_min_y[id];
        count += 1.0;
        sum_x += x, squares_x += x * x;
        sum_y += y, squares_y += y * y;
    }
    return squares_y * count - sum_y * sum_y > squares_x * count - sum_x * sum_x;
}

static bool pruning_update(b2d_memory* memory, b2d_broadphase* broadphase, b2d_scheduler* scheduler) {
    b2d_box_pruning* pruning = (b2d_box_pruning*)broadphase;
    b2d_members* members = &pruning->members;
    (void)scheduler;
    if (!b2d_members_update(memory, members)) return false;
    if (b2d_bits_is_empty(&members->stale)) return true;
    const int32_t count = b2d_bits_count(&members->inside);
    if (!B2D_GROW(memory, pruning->keys, pruning->key_capacity, 2 * count) ||
        !b2d_box_run_reserve(memory, &pruning->all, count))
        return false;
    const bool swapped = spread_along_y(members);
    const float* lower = swapped ? members->proxies->fat_min_y : members->proxies->fat_min_x;
    int32_t at = 0;
    B2D_FOR_BITS (&members->inside, id) pruning->keys[at++] = (uint64_t)b2d_float_key(lower[id]) << 32 | (uint32_t)id;
    if (count > 0) b2d_radix_sort(pruning->keys, pruning->keys + count, count);
    for (int32_t k = 0; k < count; k++) pruning->all.ids[k] = (int32_t)(uint32_t)pruning->keys[k];
    b2d_box_run_gather(&pruning->all, members->proxies, swapped);
    b2d_members_done(members);
    return true;
}

// The first box at or after `at` that begins at or after (`strictly`: after) x.
static int32_t first_from(const b2d_box_run* run, float x, bool strictly) {
    int32_t low = 0, high = run->count;
    while (low < high) {
        const int32_t middle = (low + high) / 2;
        if (strictly ? run->now.min_x[middle] <= x : run->now.min_x[middle] < x) low = middle + 1;
        else high = middle;
    }
    return low;
}

// Each box of `a` in [begin, end) with the boxes of `b` that begin within it.
static void begins_within(const b2d_box_pruning* pruning, const b2d_box_run* a, int32_t begin, int32_t end,
                          const b2d_box_run* b, bool strictly, b2d_key_list* list) {
    if (begin >= end) return;
    int32_t from = first_from(b, a->now.min_x[begin], strictly);
    for (int32_t i = begin; i < end; i++) {
        const float x = a->now.min_x[i];
        while (from < b->count && (strictly ? b->now.min_x[from] <= x : b->now.min_x[from] < x)) from++;
        pruning->kernels->pairs(pruning->members.proxies, a, i, i + 1, b, from, b->count, true, list);
    }
}

static void moved_stage(void* context, int32_t begin, int32_t end, int32_t worker) {
    const b2d_box_pruning* pruning = context;
    const b2d_box_run* moved = &pruning->moved;
    b2d_key_list* list = &pruning->lists[worker];
    pruning->kernels->pairs(pruning->members.proxies, moved, begin, end, moved, 0, moved->count, true, list);
    begins_within(pruning, moved, begin, end, &pruning->rest, false, list);
}

static void rest_stage(void* context, int32_t begin, int32_t end, int32_t worker) {
    const b2d_box_pruning* pruning = context;
    begins_within(pruning, &pruning->rest, begin, end, &pruning->moved, true, &pruning->lists[worker]);
}

static bool pruning_pairs(b2d_memory* memory, b2d_broadphase* broadphase, b2d_scheduler* scheduler,
                          b2d_key_list* lists) {
    b2d_box_pruning* pruning = (b2d_box_pruning*)broadphase;
    b2d_members* members = &pruning->members;
    const b2d_proxies* p = members->proxies;
    const b2d_box_run* all = &pruning->all;
    if (!b2d_bits_is_empty(&members->stale)) return false; // the previous update found no memory
    if (b2d_bits_is_empty(&p->moved)) return true;
    if (!b2d_box_run_reserve(memory, &pruning->moved, all->count) ||
        !b2d_box_run_reserve(memory, &pruning->rest, all->count))
        return false;
    pruning->moved.count = pruning->rest.count = 0;
    for (int32_t k = 0; k < all->count; k++) {
        b2d_box_run* run = b2d_bits_has(&p->moved, all->ids[k]) ? &pruning->moved : &pruning->rest;
        run->ids[run->count++] = all->ids[k];
    }
    if (pruning->moved.count == 0) pruning->rest.count = 0;
    b2d_box_run* both[2] = {&pruning->moved, &pruning->rest};
    for (int32_t k = 0; k < 2; k++) {
        b2d_box_run_gather(both[k], p, all->swapped);
        b2d_box_run_gather_old(both[k], p);
    }
    pruning->lists = lists;
    const b2d_stage stages[2] = {
        {moved_stage, pruning, pruning->moved.count, 256},
        {rest_stage, pruning, pruning->rest.count, 1024},
    };
    b2d_scheduler_run(scheduler, stages, 2);
    return b2d_members_tree_pairs(memory, members, scheduler, lists);
}

static void pruning_boxes(const b2d_broadphase* broadphase, b2d_box_fn* found, void* context) {
    const b2d_box_pruning* pruning = (const b2d_box_pruning*)broadphase;
    b2d_members_boxes(&pruning->members, found, context);
    b2d_box_run_boxes(&pruning->all, found, context);
}

static const char* pruning_validate(const b2d_broadphase* broadphase) {
    const b2d_box_pruning* pruning = (const b2d_box_pruning*)broadphase;
    const b2d_box_run* all = &pruning->all;
    if (all->count != b2d_bits_count(&pruning->members.inside)) return "box_pruning: members are missing in the run";
    for (int32_t k = 0; k < all->count; k++) {
        if (!b2d_bits_has(&pruning->members.inside, all->ids[k])) return "box_pruning: the run holds a stranger";
        if (k > 0 && all->now.min_x[k] < all->now.min_x[k - 1]) return "box_pruning: the run is not sorted";
    }
    return b2d_members_validate(&pruning->members);
}

const b2d_broadphase_table b2d_broadphase_box_pruning = {
    "box_pruning",     pruning_create, pruning_destroy, b2d_members_change, pruning_update,   pruning_pairs,
    b2d_members_query, NULL,           b2d_members_ray, pruning_boxes,      pruning_validate,
};
