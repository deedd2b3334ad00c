// csrc/broadphase/cell_pairs.c - the broad phase of packed worlds: a shape meets only the shapes of its own cell.
//
// Idea: a cell has few shapes, and they are neighbours in the columns of the boxes, so every moved shape is compared
// with all of them, a vector at a time. There is no structure that could be out of date, and the places of the cells do
// not matter: copies of a world keep the coordinates of that world, and so its bits.
// Rays likewise: of the shapes around all rays of a cell, each is compared with all of its rays. The few that a ray may
// meet are listed first, so that the caller can fetch their rows ahead.
// Cost: moved shapes times the shapes of a cell, 16 in 3 ns. Threads: parallel over the moved shapes.
// Proof: tests/oracle/test_batch.py compares every cell with a world of its own.
#include "broadphase/cell_pairs.h"
#include "broadphase/brute.h"
#include "broadphase/proxies.h"

enum { CHUNK = 256, WIDEST = 16, GRAIN = 64 };

typedef struct cells {
    const b2d_proxies* proxies;
    const b2d_grid_kernels* kernels;
    b2d_key_list* lists; // of the pairs call under way
    int32_t* moved;
    int32_t moved_capacity;
} cells;

static bool cells_create(b2d_memory* memory, const b2d_proxies* proxies, int32_t simd, b2d_broadphase** out) {
    cells* made = b2d_allocate(memory, sizeof *made);
    if (made == NULL) return false;
    made->proxies = proxies;
    made->kernels = b2d_grid_kernels_for(simd);
    *out = (b2d_broadphase*)made;
    return true;
}

static void cells_destroy(b2d_memory* memory, b2d_broadphase* broadphase) {
    cells* all = (cells*)broadphase;
    b2d_free(memory, all->moved, (size_t)all->moved_capacity * sizeof *all->moved);
    b2d_free(memory, all, sizeof *all);
}

static bool cells_change(b2d_memory* memory, b2d_broadphase* broadphase, const int32_t* shapes, int32_t count,
                         int32_t before) {
    (void)memory, (void)broadphase, (void)shapes, (void)count, (void)before;
    return true;
}

static bool cells_update(b2d_memory* memory, b2d_broadphase* broadphase, b2d_scheduler* scheduler) {
    (void)memory, (void)broadphase, (void)scheduler;
    return true;
}

// Writes the shapes in [begin, end), at most CHUNK, whose fat box overlaps. A vector is loaded whole, so it begins
// earlier where the columns end.
static int32_t find(const cells* all, b2d_box box, int32_t begin, int32_t end, int32_t* out) {
    const b2d_proxies* p = all->proxies;
    const b2d_slots columns = {
        .min_x = p->fat_min_x, .min_y = p->fat_min_y, .max_x = p->fat_max_x, .max_y = p->fat_max_y};
    const int32_t whole = b2d_min_int(end, p->capacity - WIDEST + 1);
    int32_t count = begin < whole ? all->kernels->find(&columns, box, begin, whole, out) : 0;
    for (int32_t j = b2d_max_int(begin, whole); j < end; j++)
        if (b2d_box_overlaps(box, b2d_fat_box(p, j))) out[count++] = j;
    return count;
}

static void find_pairs(const cells* all, int32_t i, b2d_key_list* list) {
    const b2d_proxies* p = all->proxies;
    int32_t near[CHUNK];
    if (p->proxy_class[i] == B2D_PROXY_NONE) return;
    const b2d_box box = b2d_fat_box(p, i), old = b2d_old_box(p, i);
    const int32_t first = i / p->cell_shapes * p->cell_shapes, last = first + p->cell_shapes;
    for (int32_t from = first; from < last; from += CHUNK) {
        const int32_t count = find(all, box, from, b2d_min_int(from + CHUNK, last), near);
        for (int32_t k = 0; k < count; k++) {
            const int32_t j = near[k];
            if (j == i || !b2d_proxies_may_pair(p, i, j) || b2d_box_overlaps(old, b2d_old_box(p, j))) continue;
            if (j > i || !b2d_bits_has(&p->moved, j)) b2d_key_list_push(list, b2d_pair_key(i, j)); // once
        }
    }
}

static void pairs_stage(void* context, int32_t begin, int32_t end, int32_t worker) {
    const cells* all = context;
    for (int32_t k = begin; k < end; k++) find_pairs(all, all->moved[k], &all->lists[worker]);
}

static bool cells_pairs(b2d_memory* memory, b2d_broadphase* broadphase, b2d_scheduler* scheduler, b2d_key_list* lists) {
    cells* all = (cells*)broadphase;
    const b2d_bits* moved = &all->proxies->moved;
    if (!B2D_GROW(memory, all->moved, all->moved_capacity, b2d_bits_count(moved))) return false;
    const int32_t count = b2d_bits_list(moved, 0, moved->word_count, all->moved);
    all->lists = lists;
    b2d_parallel_for(scheduler, pairs_stage, all, count, GRAIN);
    return !b2d_key_lists_failed(lists, b2d_scheduler_workers(scheduler));
}

void b2d_cells_query(const b2d_broadphase* broadphase, int32_t first, b2d_box box, uint32_t classes,
                     b2d_query_fn* found, void* context) {
    const cells* all = (const cells*)broadphase;
    const b2d_proxies* p = all->proxies;
    int32_t near[CHUNK];
    classes &= ~(1u << B2D_PROXY_NONE);
    if ((classes & 1u << B2D_PROXY_MOVING) == 0) { // other workers may write the boxes of moving shapes just now
        for (int32_t j = first; j < first + p->cell_shapes; j++)
            if ((classes >> p->proxy_class[j] & 1) != 0 && b2d_box_overlaps(box, b2d_fat_box(p, j)) &&
                !found(context, j))
                return;
        return;
    }
    for (int32_t from = first; from < first + p->cell_shapes; from += CHUNK) {
        const int32_t count = find(all, box, from, b2d_min_int(from + CHUNK, first + p->cell_shapes), near);
        for (int32_t k = 0; k < count; k++)
            if ((classes >> p->proxy_class[near[k]] & 1) != 0 && !found(context, near[k])) return;
    }
}

void b2d_cells_rays(const b2d_broadphase* broadphase, int32_t first, const b2d_rays* rays, int32_t count,
                    b2d_box around, uint32_t classes, b2d_query_fn* accepts, b2d_met_fn* found, void* context) {
    const cells* all = (const cells*)broadphase;
    const b2d_proxies* p = all->proxies;
    int32_t near[CHUNK];
    uint32_t met[CHUNK];
    classes &= ~(1u << B2D_PROXY_NONE);
    for (int32_t from = first; from < first + p->cell_shapes; from += CHUNK) {
        const int32_t near_count = find(all, around, from, b2d_min_int(from + CHUNK, first + p->cell_shapes), near);
        int32_t met_count = 0;
        for (int32_t k = 0; k < near_count; k++) {
            const int32_t shape = near[k];
            if ((classes >> p->proxy_class[shape] & 1) == 0) continue;
            near[met_count] = shape, met[met_count] = all->kernels->meet(rays, count, b2d_fat_box(p, shape));
            met_count += met[met_count] != 0 && accepts(context, shape);
        }
        for (int32_t k = 0; k < met_count; k++)
            for (uint32_t left = met[k]; left != 0; left &= left - 1) found(context, b2d_ctz64(left), near[k]);
    }
}

// Of all cells; no stage of a step calls these.
static void cells_query(const b2d_broadphase* broadphase, b2d_box box, uint32_t classes, b2d_query_fn* found,
                        void* context) {
    b2d_brute_query(((const cells*)broadphase)->proxies, box, classes, found, context);
}

static void cells_ray(const b2d_broadphase* broadphase, double px, double py, double dx, double dy, float radius,
                      uint32_t classes, const float* max_fraction, b2d_query_fn* found, void* context) {
    b2d_brute_ray(((const cells*)broadphase)->proxies, px, py, dx, dy, radius, classes, max_fraction, found, context);
}

static const char* cells_validate(const b2d_broadphase* broadphase) {
    (void)broadphase;
    return NULL;
}

const b2d_broadphase_table b2d_broadphase_cells = {
    "cells",     cells_create, cells_destroy, cells_change, cells_update,   cells_pairs,
    cells_query, NULL,         cells_ray,     NULL,         cells_validate,
};
