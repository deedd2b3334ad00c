// csrc/broadphase/cell_pairs.h - queries among the shapes of one cell.
#pragma once
#include "broadphase/grid.h"

extern const b2d_broadphase_table b2d_broadphase_cells;

// As in b2d_broadphase_table, but only shapes [first, first + proxies->cell_shapes).
void b2d_cells_query(const b2d_broadphase* broadphase, int32_t first, b2d_box box, uint32_t classes,
                     b2d_query_fn* found, void* context);

// Calls `found` for every shape in [first, first + proxies->cell_shapes) of the classes that `accepts` accepts, and
// each of the first `count` rays that may meet it. `around` is a box around these rays. `accepts` is called for all of
// up to 256 shapes before `found` is called for the first of them.
typedef void b2d_met_fn(void* context, int32_t ray, int32_t shape);
void b2d_cells_rays(const b2d_broadphase* broadphase, int32_t first, const b2d_rays* rays, int32_t count,
                    b2d_box around, uint32_t classes, b2d_query_fn* accepts, b2d_met_fn* found, void* context);
