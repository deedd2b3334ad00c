// csrc/broadphase/tree_broadphase.c - the broad phase "tree": all shapes in one tree, one query for each moved shape.
//
// Idea: the plain form of what most engines do; the grid is compared with it.
// Cost: 200-400 ns for each moved shape.
// Threads: parallel over ranges of the moved shapes; of two moved shapes the lower id reports the pair.
// Proof: tests/c/test_broadphase.c.
#include "broadphase/tree.h"

typedef struct b2d_tree_phase {
    const b2d_proxies* proxies;
    b2d_tree tree;
    b2d_bits changed;    // stored by `change`, used by `update`
    b2d_bits stale;      // scratch: changed or moved
    b2d_key_list* lists; // during a call of `pairs`
    int32_t* ids;
    int32_t id_capacity;
} b2d_tree_phase;

static void tree_destroy(b2d_memory* memory, b2d_broadphase* broadphase) {
    b2d_tree_phase* phase = (b2d_tree_phase*)broadphase;
    if (phase == NULL) return;
    b2d_tree_free(memory, &phase->tree);
    b2d_bits_free(memory, &phase->changed);
    b2d_bits_free(memory, &phase->stale);
    b2d_free(memory, phase->ids, (size_t)phase->id_capacity * sizeof *phase->ids);
    b2d_free(memory, phase, sizeof *phase);
}

static bool tree_create(b2d_memory* memory, const b2d_proxies* proxies, int32_t simd, b2d_broadphase** out) {
    (void)simd;
    b2d_tree_phase* phase = b2d_allocate(memory, sizeof *phase);
    if (phase == NULL) return false;
    phase->proxies = proxies;
    b2d_tree_init(&phase->tree);
    *out = (b2d_broadphase*)phase;
    return true;
}

static bool tree_change(b2d_memory* memory, b2d_broadphase* broadphase, const int32_t* shapes, int32_t count,
                        int32_t before) {
    b2d_tree_phase* phase = (b2d_tree_phase*)broadphase;
    (void)before;
    return b2d_bits_add(memory, &phase->changed, shapes, count, phase->proxies->capacity);
}

static bool tree_update(b2d_memory* memory, b2d_broadphase* broadphase, b2d_scheduler* scheduler) {
    b2d_tree_phase* phase = (b2d_tree_phase*)broadphase;
    const b2d_proxies* p = phase->proxies;
    (void)scheduler;
    const int32_t most = b2d_max_int(64 * b2d_max_int(p->moved.word_count, phase->changed.word_count), 1);
    if (!b2d_bits_reserve(memory, &phase->stale, most)) return false;
    b2d_bits_clear(&phase->stale);
    b2d_bits_merge(&phase->stale, &p->moved);
    b2d_bits_merge(&phase->stale, &phase->changed);
    if (!B2D_GROW(memory, phase->ids, phase->id_capacity, b2d_bits_count(&phase->stale))) return false;
    const int32_t count = b2d_bits_list(&phase->stale, 0, phase->stale.word_count, phase->ids);
    if (!b2d_tree_sync(memory, &phase->tree, p, phase->ids, count, p->proxy_class, ~(1u << B2D_PROXY_NONE)))
        return false;
    b2d_bits_clear(&phase->changed);
    return true;
}

static void pairs_stage(void* context, int32_t begin, int32_t end, int32_t worker) {
    b2d_tree_phase* phase = context;
    const b2d_proxies* p = phase->proxies;
    for (int32_t k = begin; k < end; k++) {
        const int32_t i = phase->ids[k];
        if (p->proxy_class[i] == B2D_PROXY_NONE) continue;
        const b2d_box box = b2d_fat_box(p, i), old = b2d_old_box(p, i);
        b2d_tree_walk walk;
        b2d_tree_walk_start(&phase->tree, &walk, box);
        for (int32_t j; (j = b2d_tree_walk_next(&phase->tree, &walk, box)) != B2D_NONE;) {
            if (j == i || (j < i && b2d_bits_has(&p->moved, j))) continue; // the lower id reports
            if (b2d_box_overlaps(old, b2d_old_box(p, j)) || !b2d_proxies_may_pair(p, i, j)) continue;
            b2d_key_list_push(&phase->lists[worker], b2d_pair_key(i, j));
        }
    }
}

static bool tree_pairs(b2d_memory* memory, b2d_broadphase* broadphase, b2d_scheduler* scheduler, b2d_key_list* lists) {
    b2d_tree_phase* phase = (b2d_tree_phase*)broadphase;
    const b2d_proxies* p = phase->proxies;
    if (!B2D_GROW(memory, phase->ids, phase->id_capacity, b2d_bits_count(&p->moved))) return false;
    const int32_t count = b2d_bits_list(&p->moved, 0, p->moved.word_count, phase->ids);
    phase->lists = lists;
    b2d_parallel_for(scheduler, pairs_stage, phase, count, 128);
    return !b2d_key_lists_failed(lists, b2d_scheduler_workers(scheduler));
}

static void tree_query(const b2d_broadphase* broadphase, b2d_box box, uint32_t classes, b2d_query_fn* found,
                       void* context) {
    const b2d_tree_phase* phase = (const b2d_tree_phase*)broadphase;
    b2d_tree_walk walk;
    b2d_tree_walk_start(&phase->tree, &walk, box);
    for (int32_t i; (i = b2d_tree_walk_next(&phase->tree, &walk, box)) != B2D_NONE;)
        if ((classes >> phase->proxies->proxy_class[i] & 1) != 0 && !found(context, i)) return;
}

typedef struct class_filter {
    const uint8_t* proxy_class;
    uint32_t classes;
    b2d_query_fn* found;
    void* context;
} class_filter;

static bool found_in_class(void* context, int32_t shape) {
    const class_filter* filter = context;
    return (filter->classes >> filter->proxy_class[shape] & 1) == 0 || filter->found(filter->context, shape);
}

static void tree_ray(const b2d_broadphase* broadphase, double px, double py, double dx, double dy, float radius,
                     uint32_t classes, const float* max_fraction, b2d_query_fn* found, void* context) {
    const b2d_tree_phase* phase = (const b2d_tree_phase*)broadphase;
    const b2d_ray ray = b2d_ray_make(px, py, dx, dy, radius);
    class_filter filter = {phase->proxies->proxy_class, classes, found, context};
    b2d_tree_ray(&phase->tree, &ray, max_fraction, found_in_class, &filter);
}

static const char* tree_validate(const b2d_broadphase* broadphase) {
    const b2d_tree_phase* phase = (const b2d_tree_phase*)broadphase;
    const b2d_proxies* p = phase->proxies;
    for (int32_t i = 0; i < p->limit; i++) {
        if (b2d_bits_has(&phase->changed, i)) continue; // handled by the next update
        const bool there = b2d_tree_has(&phase->tree, i);
        if (there != (p->proxy_class[i] != B2D_PROXY_NONE)) return "tree: a shape is not in it, or a dead one is";
        if (there && !b2d_bits_has(&p->moved, i) && !b2d_box_same(b2d_tree_box(&phase->tree, i), b2d_fat_box(p, i)))
            return "tree: a leaf's box is stale";
    }
    return b2d_tree_validate(&phase->tree);
}

static void tree_boxes(const b2d_broadphase* broadphase, b2d_box_fn* found, void* context) {
    b2d_tree_inner_boxes(&((const b2d_tree_phase*)broadphase)->tree, found, context);
}

const b2d_broadphase_table b2d_broadphase_tree = {
    "tree",     tree_create, tree_destroy, tree_change, tree_update,   tree_pairs,
    tree_query, NULL,        tree_ray,     tree_boxes,  tree_validate,
};
