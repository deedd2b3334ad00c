// csrc/broadphase/cells.h - queries among the shapes of one cell.
#pragma once
#include "broadphase/broadphase.h"

extern const b2d_broadphase_table b2d_broadphase_cells;

// As in b2d_broadphase_table, but only shapes [first, first + proxies->cell_shapes).
void b2d_cells_query(const b2d_broadphase* broadphase, int32_t first, b2d_box box, uint32_t classes,
                     b2d_query_fn* found, void* context);

// Boxes of shapes that rays may meet, side by side.
enum { B2D_NEAR_MOST = 256, B2D_NEAR_WIDEST = 16 };
typedef struct b2d_near {
    int32_t count;
    int32_t ids[B2D_NEAR_MOST];
    float min_x[B2D_NEAR_MOST + B2D_NEAR_WIDEST], min_y[B2D_NEAR_MOST + B2D_NEAR_WIDEST];
    float max_x[B2D_NEAR_MOST + B2D_NEAR_WIDEST], max_y[B2D_NEAR_MOST + B2D_NEAR_WIDEST];
} b2d_near;

// The shapes in [begin, end), at most B2D_NEAR_MOST, whose fat boxes overlap and which `accepts` accepts.
void b2d_cells_gather(const b2d_broadphase* broadphase, int32_t begin, int32_t end, b2d_box box, uint32_t classes,
                      b2d_query_fn* accepts, void* context, b2d_near* out);
// Calls `found` for those that the ray may meet before *max_fraction, whatever it returns. `box` is that of the ray.
void b2d_cells_ray(const b2d_broadphase* broadphase, const b2d_near* near, double px, double py, double dx, double dy,
                   b2d_box box, const float* max_fraction, b2d_query_fn* found, void* context);
