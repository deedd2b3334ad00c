// csrc/broadphase/grid_query.c - boxes and rays of users in the grid.
//
// Idea: a query visits the cells of its box, a ray the cells along its way, row by row, so that what is behind a hit is
// not visited; where they would be more than the groups of slots, the bounds of the groups are tested instead.
// Threads: any number of readers. Proof: tests/c/test_broadphase.c.
#include "broadphase/brute.h"
#include "broadphase/grid_cells.h"

typedef struct class_filter {
    const b2d_grid* grid;
    uint32_t classes;
    b2d_query_fn* found;
    void* context;
} class_filter;

static bool found_shape(void* context, int32_t shape) {
    const class_filter* filter = context;
    return (filter->classes >> filter->grid->proxies->proxy_class[shape] & 1) == 0 ||
           filter->found(filter->context, shape);
}
static bool found_slot(void* context, int32_t slot) {
    const class_filter* filter = context;
    return found_shape(context, filter->grid->slots.ids[slot]);
}

static bool query_tree(const b2d_tree* tree, b2d_box box, class_filter* filter) {
    b2d_tree_walk walk;
    b2d_tree_walk_start(tree, &walk, box);
    for (int32_t shape; (shape = b2d_tree_walk_next(tree, &walk, box)) != B2D_NONE;)
        if (!found_shape(filter, shape)) return false;
    return true;
}

void b2d_grid_query(const b2d_broadphase* broadphase, b2d_box box, uint32_t classes, b2d_query_fn* found,
                    void* context) {
    const b2d_grid* grid = (const b2d_grid*)broadphase;
    if (b2d_grid_is_brute(grid)) {
        b2d_brute_query(grid->proxies, box, classes, found, context);
        return;
    }
    class_filter filter = {grid, classes & ~(1u << B2D_PROXY_NONE), found, context};
    if ((classes & 1u << B2D_PROXY_STATIC) != 0 && !query_tree(&grid->still, box, &filter)) return;
    if ((classes & (1u << B2D_PROXY_ASLEEP | 1u << B2D_PROXY_MOVING)) != 0 && !query_tree(&grid->other, box, &filter))
        return;
    if ((classes & 1u << B2D_PROXY_MOVING) != 0) b2d_grid_visit(grid, box, found_slot, &filter);
}

uint32_t b2d_grid_meets_static(const b2d_broadphase* broadphase, const b2d_box_rows* boxes, uint32_t asked) {
    const b2d_grid* grid = (const b2d_grid*)broadphase;
    if (b2d_grid_is_brute(grid)) return b2d_brute_meets_static(grid->proxies, boxes, asked);
    return grid->still.leaf_count == 0 ? 0 : grid->kernels->meets_leaf(&grid->still, boxes, asked);
}

typedef struct ray_search {
    const b2d_grid* grid;
    const b2d_ray* ray;
    const float* max_fraction;
    class_filter* filter;
} ray_search;

static bool ray_meets_slot(const ray_search* search, int32_t slot) {
    const b2d_slots* s = &search->grid->slots;
    if (s->ids[slot] == B2D_NONE || b2d_ray_enter(search->ray, b2d_grid_slot_box(s, slot), *search->max_fraction) < 0.0)
        return true;
    return found_shape(search->filter, s->ids[slot]);
}

static void ray_groups(const ray_search* search) {
    const b2d_grid* grid = search->grid;
    const int32_t groups = b2d_grid_round(grid->loose_end) / B2D_GRID_GROUP;
    for (int32_t g = 0; g < groups; g++) {
        if (g % B2D_GRID_BLOCK == 0 &&
            b2d_ray_enter(search->ray, grid->block_boxes[g / B2D_GRID_BLOCK], *search->max_fraction) < 0.0) {
            g += B2D_GRID_BLOCK - 1;
            continue;
        }
        if (b2d_ray_enter(search->ray, grid->group_boxes[g], *search->max_fraction) < 0.0) continue;
        for (int32_t slot = B2D_GRID_GROUP * g; slot < B2D_GRID_GROUP * (g + 1); slot++)
            if (!ray_meets_slot(search, slot)) return;
    }
}

// A ray in cells. The box of a shape whose corner is in cell c lies within [c - BELOW, c + ABOVE]: half a cell of
// rounding to a cell, 7/8 of side and 1/8 for rounding errors, see b2d_grid_frame.
#define BELOW 0.625
#define ABOVE 1.625
typedef struct cell_ray {
    double px, py, dx, dy, radius;
    int32_t first, last, rows; // rows of cells where it begins and ends, in its direction
    double cells;              // estimate of how many it crosses
} cell_ray;

static int32_t bounded_cell(const b2d_grid_frame* frame, double f, bool upper) { // the integer at or inside of f
    const double range = (double)frame->range + 2.0;
    f = f < -range ? -range : f > range ? range : f;
    const int32_t cell = (int32_t)f;
    return upper ? cell - ((double)cell > f) : cell + ((double)cell < f);
}

static cell_ray cell_ray_make(const b2d_grid_frame* frame, double px, double py, double dx, double dy, double radius,
                              double fraction) {
    const double inverse = frame->inverse;
    cell_ray w = {.px = (px - frame->origin_x) * inverse,
                  .py = (py - frame->origin_y) * inverse,
                  .dx = dx * inverse,
                  .dy = dy * inverse,
                  .radius = radius * inverse};
    const double end = w.py + fraction * w.dy, lower = w.dy < 0.0 ? end : w.py, upper = w.dy < 0.0 ? w.py : end;
    const int32_t bottom = bounded_cell(frame, lower - w.radius - ABOVE, false),
                  top = bounded_cell(frame, upper + w.radius + BELOW, true);
    w.first = w.dy < 0.0 ? top : bottom;
    w.last = w.dy < 0.0 ? bottom : top;
    w.rows = top - bottom + 1;
    w.cells = (double)w.rows * (3.0 + 2.0 * w.radius) + 3.0 * fabs(w.dx) * fraction;
    return w;
}

// The part of the fractions [*from, *to] at which p + t d is within [lower, upper]; false when there is none.
static bool narrow(double p, double d, double lower, double upper, double* from, double* to) {
    if (fabs(d) < 1.0e-12) return lower - 1.0e-6 <= p && p <= upper + 1.0e-6; // fractions are at most about 1
    const double a = (lower - p) / d, b = (upper - p) / d;
    const double first = a < b ? a : b, last = a < b ? b : a;
    if (first > *from) *from = first;
    if (last < *to) *to = last;
    return *from <= *to;
}

// Visits cells row by row in the direction of the ray, so that cells behind a hit are not visited; within a row,
// several columns at a time.
static void ray_rows(const ray_search* search, const cell_ray* w) {
    const b2d_grid* grid = search->grid;
    const b2d_grid_frame* frame = &grid->frame;
    const int32_t up = w->last < w->first ? -1 : 1, right = w->dx < 0.0 ? -1 : 1, stride = 8;
    const bool loose = grid->loose_end > grid->loose_begin;
    for (int32_t r = 0; r < w->rows; r++) {
        const int32_t y = w->first + up * r;
        double from = 0.0, to = *search->max_fraction;
        if (!narrow(w->py, w->dy, y - BELOW - w->radius, y + ABOVE + w->radius, &from, &to)) continue;
        const double x0 = w->px + from * w->dx, x1 = w->px + to * w->dx, lower = x0 < x1 ? x0 : x1,
                     upper = x0 < x1 ? x1 : x0;
        const int32_t least = bounded_cell(frame, lower - w->radius - ABOVE, false),
                      most = bounded_cell(frame, upper + w->radius + BELOW, true);
        const int32_t columns = b2d_min_int(most - least + 1, frame->width),
                      row = (y & (frame->height - 1)) * frame->width;
        const bool whole = columns == frame->width; // cells far apart share a cell of the table: no order, no early end
        for (int32_t done = 0; done < columns; done += stride) {
            const int32_t count = b2d_min_int(stride, columns - done);
            const int32_t begin = right > 0 ? least + done : least + columns - done - count;
            double enter = 0.0, leave = *search->max_fraction;
            if (!whole &&
                !narrow(w->px, w->dx, begin - BELOW - w->radius, begin + count - 1 + ABOVE + w->radius, &enter, &leave))
                continue;
            const int32_t first = begin & (frame->width - 1), beyond = b2d_max_int(first + count - frame->width, 0);
            const int32_t ends[4] = {grid->start[row + first], grid->start[row + first + count - beyond],
                                     grid->start[row], grid->start[row + beyond]};
            for (int32_t part = 0; part < (beyond > 0 ? 4 : 2); part += 2)
                for (int32_t slot = ends[part]; slot < ends[part + 1]; slot++)
                    if (!ray_meets_slot(search, slot)) return;
            for (int32_t c = 0; loose && c < count; c++) {
                const uint32_t cell = (uint32_t)(row + ((begin + c) & (frame->width - 1)));
                for (int32_t link = *b2d_grid_loose_list(grid, cell); link != 0;
                     link = grid->loose_next[link - 1 - grid->loose_begin])
                    if (grid->slots.keys[link - 1] == cell && !ray_meets_slot(search, link - 1)) return;
            }
        }
    }
}

void b2d_grid_ray(const b2d_broadphase* broadphase, double px, double py, double dx, double dy, float radius,
                  uint32_t classes, const float* max_fraction, b2d_query_fn* found, void* context) {
    const b2d_grid* grid = (const b2d_grid*)broadphase;
    if (b2d_grid_is_brute(grid)) {
        b2d_brute_ray(grid->proxies, px, py, dx, dy, radius, classes, max_fraction, found, context);
        return;
    }
    const b2d_ray ray = b2d_ray_make(px, py, dx, dy, radius);
    class_filter filter = {grid, classes & ~(1u << B2D_PROXY_NONE), found, context};
    if ((classes & 1u << B2D_PROXY_STATIC) != 0 &&
        !b2d_tree_ray(&grid->still, &ray, max_fraction, found_shape, &filter))
        return;
    if ((classes & (1u << B2D_PROXY_ASLEEP | 1u << B2D_PROXY_MOVING)) != 0 &&
        !b2d_tree_ray(&grid->other, &ray, max_fraction, found_shape, &filter))
        return;
    if ((classes & 1u << B2D_PROXY_MOVING) == 0 || grid->member_count == 0) return;
    const cell_ray w = cell_ray_make(&grid->frame, px, py, dx, dy, radius, *max_fraction);
    const ray_search search = {grid, &ray, max_fraction, &filter};
    if (w.rows <= grid->frame.height && w.cells <= (double)b2d_grid_round(grid->loose_end)) ray_rows(&search, &w);
    else ray_groups(&search);
}
