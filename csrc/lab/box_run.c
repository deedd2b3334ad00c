// csrc/lab/box_run.c - see box_run.h.
#include "lab/box_run.h"

#include "base/cpu.h"

B2D_DECLARE_KERNELS(extern const b2d_run_kernels b2d_run_kernels_)

const b2d_run_kernels* b2d_run_kernels_of(int32_t simd) {
    B2D_RETURN_KERNEL(simd >= 0 ? simd : b2d_cpu_best(), b2d_run_kernels_);
}

static int32_t groups_of(int32_t count) { return (count + B2D_RUN_GROUP - 1) / B2D_RUN_GROUP; }

bool b2d_box_run_reserve(b2d_memory* memory, b2d_box_run* run, int32_t count) {
    const int32_t groups = groups_of(count), rows = B2D_RUN_GROUP * (groups + 1);
    if (!B2D_GROW(memory, run->floats, run->float_capacity, 8 * rows) ||
        !B2D_GROW(memory, run->ids, run->id_capacity, rows) ||
        !B2D_GROW(memory, run->group_boxes, run->group_capacity, groups) ||
        !B2D_GROW(memory, run->block_boxes, run->block_capacity, groups / B2D_RUN_BLOCK + 1))
        return false;
    float** columns[8] = {&run->now.min_x, &run->now.min_y, &run->now.max_x, &run->now.max_y,
                          &run->old.min_x, &run->old.min_y, &run->old.max_x, &run->old.max_y};
    for (int32_t k = 0; k < 8; k++) *columns[k] = run->floats + (size_t)k * (size_t)rows;
    run->count = count;
    return true;
}

void b2d_box_run_free(b2d_memory* memory, b2d_box_run* run) {
    b2d_free(memory, run->floats, (size_t)run->float_capacity * sizeof *run->floats);
    b2d_free(memory, run->ids, (size_t)run->id_capacity * sizeof *run->ids);
    b2d_free(memory, run->group_boxes, (size_t)run->group_capacity * sizeof *run->group_boxes);
    b2d_free(memory, run->block_boxes, (size_t)run->block_capacity * sizeof *run->block_boxes);
}

static const b2d_box nothing = {INFINITY, INFINITY, -INFINITY, -INFINITY};

static b2d_box swap_axes(b2d_box box, bool swapped) {
    return swapped ? (b2d_box){box.min_y, box.min_x, box.max_y, box.max_x} : box;
}
static void put(b2d_box_columns* columns, int32_t k, b2d_box box) {
    columns->min_x[k] = box.min_x, columns->min_y[k] = box.min_y;
    columns->max_x[k] = box.max_x, columns->max_y[k] = box.max_y;
}

void b2d_box_run_gather(b2d_box_run* run, const b2d_proxies* p, bool swapped) {
    const int32_t groups = groups_of(run->count);
    run->swapped = swapped;
    for (int32_t g = 0; g < groups; g++) {
        b2d_box bound = nothing;
        for (int32_t k = B2D_RUN_GROUP * g; k < b2d_min_int(B2D_RUN_GROUP * (g + 1), run->count); k++) {
            const b2d_box box = b2d_fat_box(p, run->ids[k]);
            put(&run->now, k, swap_axes(box, swapped));
            bound = b2d_box_union(box, bound);
        }
        run->group_boxes[g] = bound;
        b2d_box* block = &run->block_boxes[g / B2D_RUN_BLOCK];
        *block = b2d_box_union(bound, g % B2D_RUN_BLOCK == 0 ? nothing : *block);
    }
    for (int32_t k = run->count; k < B2D_RUN_GROUP * (groups + 1); k++) put(&run->now, k, nothing);
}

void b2d_box_run_gather_old(b2d_box_run* run, const b2d_proxies* p) {
    for (int32_t k = 0; k < run->count; k++) put(&run->old, k, swap_axes(b2d_old_box(p, run->ids[k]), run->swapped));
}

bool b2d_box_run_query(const b2d_box_run* run, const b2d_run_kernels* kernels, b2d_box box, b2d_query_fn* found,
                       void* context) {
    const int32_t groups = groups_of(run->count);
    const b2d_box wanted = swap_axes(box, run->swapped);
    for (int32_t g = 0; g < groups; g++) {
        if (g % B2D_RUN_BLOCK == 0 && !b2d_box_overlaps(run->block_boxes[g / B2D_RUN_BLOCK], box)) {
            g += B2D_RUN_BLOCK - 1;
            continue;
        }
        if (!b2d_box_overlaps(run->group_boxes[g], box)) continue;
        int32_t hits[B2D_RUN_GROUP];
        const int32_t end = b2d_min_int(B2D_RUN_GROUP * (g + 1), run->count);
        const int32_t count = kernels->find(&run->now, wanted, B2D_RUN_GROUP * g, end, hits);
        for (int32_t k = 0; k < count; k++)
            if (!found(context, run->ids[hits[k]])) return false;
    }
    return true;
}

bool b2d_box_run_ray(const b2d_box_run* run, const b2d_proxies* p, const b2d_ray* ray, const float* max_fraction,
                     b2d_query_fn* found, void* context) {
    const int32_t groups = groups_of(run->count);
    for (int32_t g = 0; g < groups; g++) {
        if (g % B2D_RUN_BLOCK == 0 && b2d_ray_enter(ray, run->block_boxes[g / B2D_RUN_BLOCK], *max_fraction) < 0.0) {
            g += B2D_RUN_BLOCK - 1;
            continue;
        }
        if (b2d_ray_enter(ray, run->group_boxes[g], *max_fraction) < 0.0) continue;
        for (int32_t k = B2D_RUN_GROUP * g; k < b2d_min_int(B2D_RUN_GROUP * (g + 1), run->count); k++)
            if (b2d_ray_enter(ray, b2d_fat_box(p, run->ids[k]), *max_fraction) >= 0.0 && !found(context, run->ids[k]))
                return false;
    }
    return true;
}

void b2d_box_run_boxes(const b2d_box_run* run, b2d_box_fn* found, void* context) {
    for (int32_t g = 0; g < groups_of(run->count); g++) found(context, run->group_boxes[g], 1);
}
