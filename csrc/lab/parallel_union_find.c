// csrc/lab/parallel_union_find.c - islands="parallel_union_find": all workers unite the sets of the links at once.
//
// Source: Rouwe, "Architecting Jolt Physics" (GDC 2022). A worker follows both bodies of a link to the lowest place
// that it can reach and replaces the parent of the higher root by the lower one with compare-and-swap; when another
// worker was faster it tries again. The root of a set is always its lowest place, so the result does not depend on
// timing; the order in which links are appended to the list of their island does, and the lists are therefore sorted.
// Threads: parallel. All accesses to the parents are atomic.
#include "lab/parallel_union_find.h"

#include <stdlib.h>

enum { LINK_GRAIN = 512, BODY_GRAIN = 2048 };

typedef struct united { // the context of the stages
    const b2d_partition* p;
    atomic_int_least32_t* parent;
    atomic_int_least32_t* cursor; // by part
    int32_t *first, *ids;
} united;

static int32_t load(atomic_int_least32_t* parent, int32_t k) {
    return atomic_load_explicit(&parent[k], memory_order_relaxed);
}

int32_t b2d_root_by_swaps(atomic_int_least32_t* parent, int32_t k) {
    for (int32_t up = load(parent, k); up != k; up = load(parent, k)) {
        const int32_t above = load(parent, up);
        int32_t expected = up; // path halving; if another worker has changed it, its value is lower still
        if (above != up)
            atomic_compare_exchange_weak_explicit(&parent[k], &expected, above, memory_order_relaxed,
                                                  memory_order_relaxed);
        k = up;
    }
    return k;
}

void b2d_unite_by_swaps(atomic_int_least32_t* parent, int32_t a, int32_t b) {
    for (;;) {
        a = b2d_root_by_swaps(parent, a);
        b = b2d_root_by_swaps(parent, b);
        if (a == b) return;
        const int32_t low = b2d_min_int(a, b), high = b2d_max_int(a, b);
        int32_t expected = high;
        if (atomic_compare_exchange_strong_explicit(&parent[high], &expected, low, memory_order_relaxed,
                                                    memory_order_relaxed))
            return;
    }
}

static const b2d_link* link_at(const b2d_partition* p, int32_t k) {
    return k < p->link_count[0] ? &p->links[0][k] : &p->links[1][k - p->link_count[0]];
}

static void unite_links(void* context, int32_t begin, int32_t end, int32_t worker) {
    (void)worker;
    united* u = context;
    for (int32_t k = begin; k < end; k++) {
        const b2d_link* link = link_at(u->p, k);
        b2d_unite_by_swaps(u->parent, b2d_place(u->p, link->body_a), b2d_place(u->p, link->body_b));
    }
}

static void flatten(void* context, int32_t begin, int32_t end, int32_t worker) {
    (void)worker;
    united* u = context;
    for (int32_t k = begin; k < end; k++) u->p->part[k] = b2d_root_by_swaps(u->parent, k);
}

int32_t b2d_partition_by_workers(const b2d_partition* p) {
    const int32_t n = p->body_count;
    united u = {.p = p};
    u.parent = b2d_arena_take(p->arena, (size_t)(n + 1) * sizeof *u.parent);
    if (u.parent == NULL) return -1;
    for (int32_t k = 0; k < n; k++) atomic_init(&u.parent[k], k);
    const b2d_stage stages[] = {{unite_links, &u, p->link_count[0] + p->link_count[1], LINK_GRAIN},
                                {flatten, &u, n, BODY_GRAIN}};
    b2d_scheduler_run(p->scheduler, stages, 2);
    int32_t parts = 0; // the root of a set is its first member, so its number is known when the others ask for it
    for (int32_t k = 0; k < n; k++) p->part[k] = p->part[k] == k ? parts++ : p->part[p->part[k]];
    return parts;
}

static void append_links(void* context, int32_t begin, int32_t end, int32_t worker) {
    (void)worker;
    united* u = context;
    for (int32_t k = begin; k < end; k++) {
        const b2d_link* link = &u->p->links[0][k];
        const int32_t part = u->p->part[b2d_place(u->p, link->body_a)];
        u->ids[atomic_fetch_add_explicit(&u->cursor[part], 1, memory_order_relaxed)] = link->id;
    }
}

static int compare_ids(const void* a, const void* b) {
    const int32_t x = *(const int32_t*)a, y = *(const int32_t*)b;
    return (x > y) - (x < y);
}

static void sort_lists(void* context, int32_t begin, int32_t end, int32_t worker) {
    (void)worker;
    united* u = context;
    for (int32_t k = begin; k < end; k++)
        qsort(u->ids + u->first[k], (size_t)(u->first[k + 1] - u->first[k]), sizeof *u->ids, compare_ids);
}

bool b2d_list_links_by_workers(const b2d_partition* p, int32_t parts, bool sort, int32_t* first, int32_t* ids) {
    united u = {.p = p, .first = first, .ids = ids};
    u.cursor = b2d_arena_take(p->arena, (size_t)(parts + 1) * sizeof *u.cursor);
    if (u.cursor == NULL) return false;
    for (int32_t k = 0; k <= parts; k++) first[k] = 0;
    for (int32_t k = 0; k < p->link_count[0]; k++) first[p->part[b2d_place(p, p->links[0][k].body_a)] + 1]++;
    for (int32_t k = 0; k < parts; k++) {
        atomic_init(&u.cursor[k], first[k]);
        first[k + 1] += first[k];
    }
    const b2d_stage stages[] = {{append_links, &u, p->link_count[0], LINK_GRAIN},
                                {sort_lists, &u, sort ? parts : 0, 1}};
    b2d_scheduler_run(p->scheduler, stages, 2);
    return true;
}

const b2d_island_table b2d_islands_parallel_union_find = {"parallel_union_find", false, b2d_partition_by_workers, NULL,
                                                          NULL};
