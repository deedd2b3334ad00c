// csrc/broadphase/brute.c - the reference: tests every moved shape, and every query, against every shape.
//
// Idea: without a search structure nothing can be out of date. The inner loop writes one byte for each shape, so the
// compiler vectorises it.
// Cost: moved shapes times all shapes, 0.2-0.5 ns for each test. Threads: parallel over the moved shapes. Proof: it is
// simple enough to read, and the other broad phases are compared with it (tests/c/test_broadphase.c).
#include "broadphase/brute.h"
#include "broadphase/proxies.h"

typedef struct b2d_brute {
    const b2d_proxies* proxies;
    b2d_key_list* lists; // of the pairs call under way
    int32_t* moved;
    int32_t moved_capacity;
} b2d_brute;

static bool brute_create(b2d_memory* memory, const b2d_proxies* proxies, int32_t simd, b2d_broadphase** out) {
    (void)simd;
    b2d_brute* brute = b2d_allocate(memory, sizeof *brute);
    if (brute == NULL) return false;
    brute->proxies = proxies;
    *out = (b2d_broadphase*)brute;
    return true;
}

static void brute_destroy(b2d_memory* memory, b2d_broadphase* broadphase) {
    b2d_brute* brute = (b2d_brute*)broadphase;
    if (brute == NULL) return;
    b2d_free(memory, brute->moved, (size_t)brute->moved_capacity * sizeof *brute->moved);
    b2d_free(memory, brute, sizeof *brute);
}

static bool brute_change(b2d_memory* memory, b2d_broadphase* broadphase, const int32_t* shapes, int32_t count,
                         int32_t before) {
    (void)memory, (void)broadphase, (void)shapes, (void)count, (void)before;
    return true;
}

static bool brute_update(b2d_memory* memory, b2d_broadphase* broadphase, b2d_scheduler* scheduler) {
    (void)memory, (void)broadphase, (void)scheduler;
    return true;
}

enum { CHUNK = 256 };

// hits[j - begin] = the fat boxes of i and j overlap.
static void overlap_row(const b2d_proxies* p, int32_t i, int32_t begin, int32_t end, uint8_t* restrict hits) {
    const float* restrict min_x = p->fat_min_x;
    const float* restrict min_y = p->fat_min_y;
    const float* restrict max_x = p->fat_max_x;
    const float* restrict max_y = p->fat_max_y;
    const b2d_box box = b2d_fat_box(p, i);
    for (int32_t j = begin; j < end; j++)
        hits[j - begin] = (uint8_t)((min_x[j] <= box.max_x) & (box.min_x <= max_x[j]) & (min_y[j] <= box.max_y) &
                                    (box.min_y <= max_y[j]));
}

static void find_pairs(const b2d_proxies* p, const int32_t* ids, int32_t count, b2d_key_list* list) {
    uint8_t hits[CHUNK];
    for (int32_t k = 0; k < count; k++) {
        const int32_t i = ids[k];
        if (p->proxy_class[i] == B2D_PROXY_NONE) continue;
        const b2d_box old = b2d_old_box(p, i);
        for (int32_t from = 0; from < p->limit; from += CHUNK) {
            const int32_t to = b2d_min_int(from + CHUNK, p->limit);
            overlap_row(p, i, from, to, hits);
            for (int32_t j = from; j < to; j++) {
                if (!hits[j - from] || j == i || !b2d_proxies_may_pair(p, i, j)) continue;
                if (b2d_box_overlaps(old, b2d_old_box(p, j))) continue;
                if (j < i && b2d_bits_has(&p->moved, j)) continue; // the lower id reports
                b2d_key_list_push(list, b2d_pair_key(i, j));
            }
        }
    }
}

static void pairs_stage(void* context, int32_t begin, int32_t end, int32_t worker) {
    b2d_brute* brute = context;
    find_pairs(brute->proxies, brute->moved + begin, end - begin, &brute->lists[worker]);
}

static bool brute_pairs(b2d_memory* memory, b2d_broadphase* broadphase, b2d_scheduler* scheduler, b2d_key_list* lists) {
    b2d_brute* brute = (b2d_brute*)broadphase;
    const b2d_proxies* p = brute->proxies;
    const int32_t room = b2d_bits_count(&p->moved);
    if (!B2D_GROW(memory, brute->moved, brute->moved_capacity, room)) return false;
    const int32_t count = b2d_bits_list(&p->moved, 0, p->moved.word_count, brute->moved);
    brute->lists = lists;
    b2d_parallel_for(scheduler, pairs_stage, brute, count, 16);
    return !b2d_key_lists_failed(lists, b2d_scheduler_workers(scheduler));
}

void b2d_brute_query(const b2d_proxies* p, b2d_box box, uint32_t classes, b2d_query_fn* found, void* context) {
    classes &= ~(1u << B2D_PROXY_NONE);
    for (int32_t i = 0; i < p->limit; i++)
        if ((classes >> p->proxy_class[i] & 1) != 0 && b2d_box_overlaps(box, b2d_fat_box(p, i)) && !found(context, i))
            return;
}

uint32_t b2d_brute_meets_static(const b2d_proxies* p, const b2d_box_rows* boxes, uint32_t asked) {
    uint32_t found = 0;
    for (int32_t i = 0; i < p->limit && found != asked; i++)
        if (p->proxy_class[i] == B2D_PROXY_STATIC)
            for (uint32_t rest = asked & ~found; rest != 0; rest &= rest - 1)
                if (b2d_box_overlaps(b2d_box_row(boxes, b2d_ctz64(rest)), b2d_fat_box(p, i))) found |= rest & -rest;
    return found;
}

static uint32_t brute_meets_static(const b2d_broadphase* broadphase, const b2d_box_rows* boxes, uint32_t asked) {
    return b2d_brute_meets_static(((const b2d_brute*)broadphase)->proxies, boxes, asked);
}

static void brute_query(const b2d_broadphase* broadphase, b2d_box box, uint32_t classes, b2d_query_fn* found,
                        void* context) {
    b2d_brute_query(((const b2d_brute*)broadphase)->proxies, box, classes, found, context);
}

void b2d_brute_ray(const b2d_proxies* p, double px, double py, double dx, double dy, float radius, uint32_t classes,
                   const float* max_fraction, b2d_query_fn* found, void* context) {
    const b2d_ray ray = b2d_ray_make(px, py, dx, dy, radius);
    classes &= ~(1u << B2D_PROXY_NONE);
    for (int32_t i = 0; i < p->limit; i++)
        if ((classes >> p->proxy_class[i] & 1) != 0 && b2d_ray_enter(&ray, b2d_fat_box(p, i), *max_fraction) >= 0.0 &&
            !found(context, i))
            return;
}

static void brute_ray(const b2d_broadphase* broadphase, double px, double py, double dx, double dy, float radius,
                      uint32_t classes, const float* max_fraction, b2d_query_fn* found, void* context) {
    b2d_brute_ray(((const b2d_brute*)broadphase)->proxies, px, py, dx, dy, radius, classes, max_fraction, found,
                  context);
}

static const char* brute_validate(const b2d_broadphase* broadphase) {
    (void)broadphase;
    return NULL;
}

const b2d_broadphase_table b2d_broadphase_brute = {
    "brute",     brute_create,       brute_destroy, brute_change, brute_update,   brute_pairs,
    brute_query, brute_meets_static, brute_ray,     NULL,         brute_validate,
};
