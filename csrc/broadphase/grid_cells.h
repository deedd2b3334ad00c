// csrc/broadphase/grid_cells.h - the cells and slots of the grid, and what its files have of each other.
#pragma once
#include "broadphase/grid.h"

enum { B2D_IN_NOTHING, B2D_IN_GRID, B2D_IN_STILL_TREE, B2D_IN_OTHER_TREE }; // what holds a shape

enum {
    B2D_GRID_SPARSE_PERCENT = 13, // with a smaller share of moved shapes, each of these queries the grid by itself
    B2D_GRID_GRAIN = 1024,        // slots in one unit of parallel work
};

// Whether every shape is tested. Once built, the structure is used for few shapes too.
static inline bool b2d_grid_is_brute(const b2d_grid* grid) {
    return grid->id_capacity == 0 && grid->proxies->limit <= B2D_GRID_FEW;
}

typedef struct b2d_grid_corner {
    int32_t x, y;
    bool fits;
} b2d_grid_corner; // cell in integers, before wrapping

static inline int32_t b2d_grid_cell_of(float f) { // the same operations as in the wide kernel
    union {
        float f;
        int32_t i;
    } bits = {f + 12582912.0f};
    return bits.i - B2D_GRID_ZERO;
}

static inline b2d_grid_corner b2d_grid_corner_of(const b2d_grid_frame* frame, b2d_box box) {
    const float fx = (box.min_x - frame->origin_x) * frame->inverse,
                fy = (box.min_y - frame->origin_y) * frame->inverse;
    b2d_grid_corner c = {0, 0,
                         box.max_x - box.min_x <= frame->side && box.max_y - box.min_y <= frame->side &&
                             fabsf(fx) <= frame->range && fabsf(fy) <= frame->range};
    if (c.fits) c.x = b2d_grid_cell_of(fx), c.y = b2d_grid_cell_of(fy);
    return c;
}

static inline uint32_t b2d_grid_table_cell(const b2d_grid_frame* frame, int32_t x, int32_t y) {
    return (uint32_t)(y & (frame->height - 1)) * (uint32_t)frame->width + (uint32_t)(x & (frame->width - 1));
}

// The cells [lower, upper] on one axis in which a shape of the grid can have its corner when it overlaps [from, to].
static inline void b2d_grid_cell_range(float origin, const b2d_grid_frame* frame, float from, float to, int32_t* lower,
                                       int32_t* upper) {
    *lower = b2d_grid_cell_of(b2d_clamp((from - origin) * frame->inverse, -frame->range, frame->range)) - 1;
    *upper = b2d_grid_cell_of(b2d_clamp((to - origin) * frame->inverse, -frame->range, frame->range));
}

static inline int32_t b2d_grid_round(int32_t count) { return (count + B2D_GRID_GROUP - 1) & -B2D_GRID_GROUP; }

static inline b2d_box b2d_grid_slot_box(const b2d_slots* s, int32_t slot) {
    return (b2d_box){s->min_x[slot], s->min_y[slot], s->max_x[slot], s->max_y[slot]};
}

// First of the loose slots whose cells share this cell's hash.
static inline int32_t* b2d_grid_loose_list(const b2d_grid* grid, uint32_t cell) {
    return &grid->loose_head[cell * 0x9E3779B1u >> grid->loose_shift];
}

static inline void b2d_grid_empty_slot(b2d_slots* s, int32_t slot) {
    s->min_x[slot] = s->min_y[slot] = INFINITY;
    s->max_x[slot] = s->max_y[slot] = -INFINITY;
    s->ids[slot] = B2D_NONE;
}

static inline void b2d_grid_set_holder(b2d_grid* grid, int32_t shape, int32_t holder) {
    if (grid->holder[shape] == holder) return;
    if (grid->holder[shape] == B2D_IN_GRID) b2d_bits_unset(&grid->in_grid, shape);
    if (holder == B2D_IN_GRID) b2d_bits_set(&grid->in_grid, shape);
    if (holder > B2D_IN_GRID || grid->holder[shape] > B2D_IN_GRID) b2d_bits_set(&grid->touched, shape);
    grid->holder[shape] = (uint8_t)holder;
}

// ---- grid.c

// The columns of the slots, for growing and freeing.
void b2d_grid_slot_columns(b2d_grid* grid, void** columns[10]);
// Grows several columns that share one capacity; a failure leaves all of the old capacity.
bool b2d_grid_grow_columns(b2d_memory* memory, void** const* columns, const int32_t* strides, int32_t count,
                           int32_t* capacity, int32_t needed);

// ---- grid_build.c

// Sorts all moving shapes into cells. Shapes may change between grid and tree: too large for the new cells, or small
// enough now. False: no memory.
bool b2d_grid_build(b2d_memory* memory, b2d_grid* grid, b2d_scheduler* scheduler);

// ---- grid_pairs.c

typedef bool b2d_grid_slot_fn(void* context, int32_t slot); // false ends the visit
// Visits every slot whose box overlaps, each once: by cells, or by groups where there are more cells than groups.
bool b2d_grid_visit(const b2d_grid* grid, b2d_box box, b2d_grid_slot_fn* found, void* context);
bool b2d_grid_pairs(b2d_memory* memory, b2d_broadphase* broadphase, b2d_scheduler* scheduler, b2d_key_list* lists);

// ---- grid_query.c

void b2d_grid_query(const b2d_broadphase* broadphase, b2d_box box, uint32_t classes, b2d_query_fn* found,
                    void* context);
uint32_t b2d_grid_meets_static(const b2d_broadphase* broadphase, const b2d_box_rows* boxes, uint32_t asked);
void b2d_grid_ray(const b2d_broadphase* broadphase, double px, double py, double dx, double dy, float radius,
                  uint32_t classes, const float* max_fraction, b2d_query_fn* found, void* context);
