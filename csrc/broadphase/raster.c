// csrc/broadphase/raster.c - see raster.h.
#include "broadphase/raster.h"

#include <string.h>

static int32_t cell_of(float x, float least, float scale) {
    float cell = (x - least) * scale;
    if (!(cell > 0.0f)) return 0; // NaN too: a scale of 0, one column of cells
    return cell < (float)(B2D_RASTER_SIZE - 1) ? (int32_t)cell : B2D_RASTER_SIZE - 1;
}

typedef struct cells { int32_t left, right, low, high; } cells;

static cells cells_of(const b2d_raster* raster, b2d_box box) {
    return (cells){cell_of(box.min_x, raster->bounds.min_x, raster->scale_x), cell_of(box.max_x, raster->bounds.min_x, raster->scale_x),
                   cell_of(box.min_y, raster->bounds.min_y, raster->scale_y), cell_of(box.max_y, raster->bounds.min_y, raster->scale_y)};
}

// Bits left .. right of a row that are in its word.
static uint64_t bits_in(int32_t word, int32_t left, int32_t right) {
    int32_t from = b2d_max_int(left - 64 * word, 0), to = b2d_min_int(right - 64 * word, 63);
    return UINT64_MAX << from & UINT64_MAX >> (63 - to);
}

void b2d_raster_draw(b2d_raster* raster, const b2d_proxies* proxies) {
    b2d_box bounds = {INFINITY, INFINITY, -INFINITY, -INFINITY};
    for (int32_t i = 0; i < proxies->limit; i++)
        if (proxies->proxy_class[i] == B2D_PROXY_STATIC) bounds = b2d_box_union(bounds, b2d_fat_box(proxies, i));
    memset(raster->rows, 0, sizeof raster->rows);
    raster->bounds = bounds;
    float width = bounds.max_x - bounds.min_x, height = bounds.max_y - bounds.min_y;
    raster->scale_x = width > 0.0f ? B2D_RASTER_SIZE / width : 0.0f;
    raster->scale_y = height > 0.0f ? B2D_RASTER_SIZE / height : 0.0f;
    for (int32_t i = 0; i < proxies->limit; i++) {
        if (proxies->proxy_class[i] != B2D_PROXY_STATIC) continue;
        cells c = cells_of(raster, b2d_fat_box(proxies, i));
        for (int32_t y = c.low; y <= c.high; y++)
            for (int32_t word = c.left >> 6; word <= c.right >> 6; word++) raster->rows[y][word] |= bits_in(word, c.left, c.right);
    }
}

bool b2d_raster_is_empty(const b2d_raster* raster, b2d_box box) {
    if (!b2d_box_overlaps(raster->bounds, box)) return true;
    cells c = cells_of(raster, box);
    for (int32_t word = c.left >> 6; word <= c.right >> 6; word++) {
        uint64_t bits = bits_in(word, c.left, c.right), found = 0;
        for (int32_t y = c.low; y <= c.high; y++) found |= raster->rows[y][word];
        if ((found & bits) != 0) return false;
    }
    return true;
}
