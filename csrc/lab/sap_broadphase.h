// csrc/lab/sap_broadphase.h - the options and counters of the broad phases "sap" and "multi_sap", for the harness.
#pragma once
#include "lab/sap.h"
#include "box2dpy_lab.h"

// Set before the first update. A world uses the defaults, which are zero.
typedef struct b2d_sap_options {
    int32_t grid;           // of multi_sap: B2D_LAB_GRID_*; wrapped and fixed have B2D_SAP_GRID_SIDE cells a side
    int32_t one_by_one;     // 1 inserts and removes shapes one by one, 2 drops all pairs of one that is removed
    int32_t always_search;  // search the pair manager at each end of an overlap on one axis; sap only
    int32_t by_coordinates; // test overlaps with coordinates instead of positions
    int32_t queues;         // of multi_sap: 1 works with queues of events even with one worker
    float cells;            // of multi_sap: cell size over the median extent; 0 means 8
} b2d_sap_options;

enum { B2D_SAP_GRID_SIDE = 64 };

void b2d_sap_set_options(b2d_broadphase* broadphase, const b2d_sap_options* options);
b2d_sap_counters b2d_sap_count(const b2d_broadphase* broadphase);     // so far
int32_t b2d_sap_cell_entries(const b2d_broadphase* broadphase);       // shapes in cells, counted in each
double b2d_sap_serial_milliseconds(const b2d_broadphase* broadphase); // of updates so far: rasterising and merging
double b2d_sap_merging_milliseconds(const b2d_broadphase* broadphase);
b2d_pair_manager* b2d_sap_manager(b2d_broadphase* broadphase);
