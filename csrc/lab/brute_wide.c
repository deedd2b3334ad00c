// csrc/lab/brute_wide.c - the broad phase "brute_wide": every moved shape against every shape, a vector at a time.
//
// Idea (Barr 2017): a double loop over boxes in columns needs no structure at all, so for few shapes nothing is
// quicker. The moved shapes are compared with each other, each pair once, and with the rest.
// Cost: 0.1 ns for each test on AVX2, so 5 us for 200 moved shapes and 40 ms for 16,000.
// Threads: parallel over the moved shapes. Proof: tests/c/test_broadphase.c.
#include "lab/box_run.h"

typedef struct b2d_brute_wide {
    const b2d_proxies* proxies;
    const b2d_run_kernels* kernels;
    b2d_box_run moved, rest; // of the pairs call under way
    b2d_key_list* lists;
} b2d_brute_wide;

static bool wide_create(b2d_memory* memory, const b2d_proxies* proxies, int32_t simd, b2d_broadphase** out) {
    b2d_brute_wide* brute = b2d_allocate(memory, sizeof *brute);
    if (brute == NULL) return false;
    brute->proxies = proxies;
    brute->kernels = b2d_run_kernels_of(simd);
    *out = (b2d_broadphase*)brute;
    return true;
}

static void wide_destroy(b2d_memory* memory, b2d_broadphase* broadphase) {
    b2d_brute_wide* brute = (b2d_brute_wide*)broadphase;
    if (brute == NULL) return;
    b2d_box_run_free(memory, &brute->moved);
    b2d_box_run_free(memory, &brute->rest);
    b2d_free(memory, brute, sizeof *brute);
}

static bool wide_change(b2d_memory* memory, b2d_broadphase* broadphase, const int32_t* shapes, int32_t count,
                        int32_t before) {
    (void)memory, (void)broadphase, (void)shapes, (void)count, (void)before;
    return true;
}

static bool wide_update(b2d_memory* memory, b2d_broadphase* broadphase, b2d_scheduler* scheduler) {
    (void)memory, (void)broadphase, (void)scheduler;
    return true;
}

static void pairs_stage(void* context, int32_t begin, int32_t end, int32_t worker) {
    b2d_brute_wide* brute = context;
    const b2d_box_run *moved = &brute->moved, *rest = &brute->rest;
    b2d_key_list* list = &brute->lists[worker];
    brute->kernels->pairs(brute->proxies, moved, begin, end, moved, 0, moved->count, false, list);
    brute->kernels->pairs(brute->proxies, moved, begin, end, rest, 0, rest->count, false, list);
}

static bool wide_pairs(b2d_memory* memory, b2d_broadphase* broadphase, b2d_scheduler* scheduler, b2d_key_list* lists) {
    b2d_brute_wide* brute = (b2d_brute_wide*)broadphase;
    const b2d_proxies* p = brute->proxies;
    const int32_t most = b2d_bits_count(&p->moved);
    if (most == 0) return true;
    if (!b2d_box_run_reserve(memory, &brute->moved, most) || !b2d_box_run_reserve(memory, &brute->rest, p->limit))
        return false;
    brute->moved.count = brute->rest.count = 0;
    for (int32_t i = 0; i < p->limit; i++) {
        if (p->proxy_class[i] == B2D_PROXY_NONE) continue;
        b2d_box_run* run = b2d_bits_has(&p->moved, i) ? &brute->moved : &brute->rest;
        run->ids[run->count++] = i;
    }
    b2d_box_run* both[2] = {&brute->moved, &brute->rest};
    for (int32_t k = 0; k < 2; k++) {
        b2d_box_run_gather(both[k], p, false);
        b2d_box_run_gather_old(both[k], p);
    }
    brute->lists = lists;
    b2d_parallel_for(scheduler, pairs_stage, brute, brute->moved.count, 64);
    return !b2d_key_lists_failed(lists, b2d_scheduler_workers(scheduler));
}

enum { SOME = 256 };

static void wide_query(const b2d_broadphase* broadphase, b2d_box box, uint32_t classes, b2d_query_fn* found,
                       void* context) {
    const b2d_brute_wide* brute = (const b2d_brute_wide*)broadphase;
    const b2d_proxies* p = brute->proxies;
    const b2d_box_columns boxes = {p->fat_min_x, p->fat_min_y, p->fat_max_x, p->fat_max_y};
    classes &= ~(1u << B2D_PROXY_NONE);
    int32_t hits[SOME];
    for (int32_t from = 0; from < p->limit; from += SOME) {
        const int32_t count = brute->kernels->find(&boxes, box, from, b2d_min_int(from + SOME, p->limit), hits);
        for (int32_t k = 0; k < count; k++)
            if ((classes >> p->proxy_class[hits[k]] & 1) != 0 && !found(context, hits[k])) return;
    }
}

static void wide_ray(const b2d_broadphase* broadphase, double px, double py, double dx, double dy, float radius,
                     uint32_t classes, const float* max_fraction, b2d_query_fn* found, void* context) {
    const b2d_proxies* p = ((const b2d_brute_wide*)broadphase)->proxies;
    const b2d_ray ray = b2d_ray_make(px, py, dx, dy, radius);
    classes &= ~(1u << B2D_PROXY_NONE);
    for (int32_t i = 0; i < p->limit; i++)
        if ((classes >> p->proxy_class[i] & 1) != 0 && b2d_ray_enter(&ray, b2d_fat_box(p, i), *max_fraction) >= 0.0 &&
            !found(context, i))
            return;
}

static const char* wide_validate(const b2d_broadphase* broadphase) {
    (void)broadphase; // there is nothing that could be out of date
    return NULL;
}

const b2d_broadphase_table b2d_broadphase_brute_wide = {
    "brute_wide", wide_create, wide_destroy, wide_change, wide_update,   wide_pairs,
    wide_query,   NULL,        wide_ray,     NULL,        wide_validate,
};
