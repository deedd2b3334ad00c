// csrc/broadphase/raster.h - where static shapes are, roughly: a picture of 256 x 256 bits over all their fat boxes.
//
// Idea: most fast bodies are far from all statics, and a search from the root for each of them costs more than the rest of its step's end.
// A cell's bit is set when some box reaches into it. Cells are found by a subtraction, a multiplication and a truncation, all of which are
// monotone, rounding included: boxes that overlap share a cell, so "empty" is always true.
// Cost: a look-up some 10 ns; drawing one byte a shape and the cells of the static ones. Threads: drawing is serial, any may look.
// Proof: tests/c/test_broadphase.c.
#pragma once
#include "broadphase/proxies.h"

enum { B2D_RASTER_SIZE = 256 }; // cells a side

typedef struct b2d_raster {
    b2d_box bounds; // of all static fat boxes; without statics it overlaps nothing
    float scale_x, scale_y; // cells a metre
    uint64_t rows[B2D_RASTER_SIZE][B2D_RASTER_SIZE / 64];
} b2d_raster;

void b2d_raster_draw(b2d_raster* raster, const b2d_proxies* proxies);
bool b2d_raster_is_empty(const b2d_raster* raster, b2d_box box); // false: there may be a static shape whose fat box overlaps
