// csrc/broadphase/cells.h - queries among the shapes of one cell.
#pragma once
#include "broadphase/broadphase.h"

extern const b2d_broadphase_table b2d_broadphase_cells;

// As in b2d_broadphase_table, but only shapes [first, first + proxies->cell_shapes).
void b2d_cells_query(const b2d_broadphase* broadphase, int32_t first, b2d_box box, uint32_t classes,
                     b2d_query_fn* found, void* context);
void b2d_cells_ray(const b2d_broadphase* broadphase, int32_t first, double px, double py, double dx, double dy,
                   float radius, uint32_t classes, const float* max_fraction, b2d_query_fn* found, void* context);
