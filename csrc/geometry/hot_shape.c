// csrc/geometry/hot_shape.c - the hot row of a shape, its box and its proxy.
//
// Idea: the row is derived once, in float64, from a geometry that passed b2d_geometry_check. The box is computed in
// every step, so its arithmetic is plain float32 with compare and select up to one float64 addition of the position,
// which wide kernels can do with the same bits.
#include "geometry/hot_shape.h"
#include <string.h>

static void hull4_pad(b2d_hull4* hull, int32_t from, float vx, float vy, float nx, float ny) {
    for (int32_t i = from; i < 4; i++) {
        hull->vx[i] = vx;
        hull->vy[i] = vy;
        hull->nx[i] = nx;
        hull->ny[i] = ny;
        hull->offset[i] = B2D_PAD_OFFSET;
    }
}

// Centroid of the core: of the area, of the line, or the point itself.
static void core_centroid(const b2d_geometry* g, double* cx, double* cy) {
    double x0 = g->x[0], y0 = g->y[0], area = 0.0, x = 0.0, y = 0.0;
    if (g->count < 3) {
        *cx = 0.5 * (x0 + g->x[g->count - 1]);
        *cy = 0.5 * (y0 + g->y[g->count - 1]);
        return;
    }
    for (int32_t i = 1; i + 1 < g->count; i++) { // fan of triangles at the first vertex
        double ax = g->x[i] - x0, ay = g->y[i] - y0, bx = g->x[i + 1] - x0, by = g->y[i + 1] - y0;
        double twice = ax * by - ay * bx;
        area += twice;
        x += twice * (ax + bx);
        y += twice * (ay + by);
    }
    *cx = x0 + x / (3.0 * area);
    *cy = y0 + y / (3.0 * area);
}

// Neighbours of a chain segment. Bends below half a degree count as straight; a neighbour that folds back makes a free
// end.
static void chain_neighbors(const b2d_geometry* g, b2d_hull4* out) {
    *out = (b2d_hull4){0};
    for (int32_t i = 0; i < 2; i++) {
        double sign = i == 0 ? 1.0 : -1.0, ex = (double)g->x[1] - g->x[0], ey = (double)g->y[1] - g->y[0];
        double dx = sign * ((double)g->x[i] - g->x[2 + i]), dy = sign * ((double)g->y[i] - g->y[2 + i]);
        double length = sqrt(dx * dx + dy * dy), scale = sqrt(ex * ex + ey * ey) * length;
        double turn = sign * (dx * ey - dy * ex) / scale, along = (dx * ex + dy * ey) / scale;
        out->vx[i] = g->x[2 + i];
        out->vy[i] = g->y[2 + i];
        out->nx[i] = (float)(dx / length);
        out->ny[i] = (float)(dy / length);
        out->offset[i] = turn > 0.0087 || (along < 0.0 && turn > -0.0087) ? 1.0f : 0.0f;
    }
}

void b2d_shape_hot_make(const b2d_geometry* geometry, b2d_shape_hot* hot, b2d_hull4* second) {
    const b2d_geometry* g = geometry;
    int32_t n = g->count;
    float nx = 0.0f, ny = 0.0f; // of the last edge; a point has none
    for (int32_t i = 0; i < n; i++) {
        b2d_hull4* hull = i < 4 ? &hot->hull : second;
        hull->vx[i & 3] = g->x[i];
        hull->vy[i & 3] = g->y[i];
        if (n == 1) break;
        int32_t j = i + 1 == n ? 0 : i + 1;
        double ex = (double)g->x[j] - g->x[i], ey = (double)g->y[j] - g->y[i], length = sqrt(ex * ex + ey * ey);
        nx = (float)(ey / length);
        ny = (float)(-ex / length);
        hull->nx[i & 3] = nx;
        hull->ny[i & 3] = ny;
        hull->offset[i & 3] = (float)((double)nx * g->x[i] + (double)ny * g->y[i]);
    }
    hull4_pad(&hot->hull, n == 1 ? 1 : n, g->x[0], g->y[0], nx, ny);
    if (n == 1) {
        hot->hull.nx[0] = hot->hull.ny[0] = 0.0f;
        hot->hull.offset[0] = B2D_PAD_OFFSET;
    }
    if (g->type == B2D_CHAIN_SEGMENT) chain_neighbors(g, second);
    if (n > 4) hull4_pad(second, n - 4, g->x[0], g->y[0], nx, ny);

    double cx, cy, farthest = 0.0;
    core_centroid(g, &cx, &cy);
    for (int32_t i = 0; i < n; i++) {
        double dx = g->x[i] - cx, dy = g->y[i] - cy, d = sqrt(dx * dx + dy * dy);
        if (d > farthest) farthest = d;
    }
    hot->radius = g->radius;
    hot->count = n;
    hot->form = g->type == B2D_CHAIN_SEGMENT ? B2D_FORM_CHAIN
                : n == 1                     ? B2D_FORM_POINT
                : n == 2                     ? B2D_FORM_LINE
                : n <= 4                     ? B2D_FORM_QUAD
                                             : B2D_FORM_OCT;
    hot->center_x = (float)cx;
    hot->center_y = (float)cy;
    hot->extent = b2d_round_up(farthest + g->radius);
}

void b2d_shape_hot_geometry(const b2d_shape_hot* hot, const b2d_hull4* second, int32_t type, b2d_geometry* out) {
    *out = (b2d_geometry){.type = type, .count = hot->count, .radius = hot->radius};
    for (int32_t i = 0; i < hot->count; i++) {
        const b2d_hull4* hull = i < 4 ? &hot->hull : second;
        out->x[i] = hull->vx[i & 3];
        out->y[i] = hull->vy[i & 3];
    }
    for (int32_t i = 0; i < 2 && type == B2D_CHAIN_SEGMENT; i++) {
        out->x[2 + i] = second->vx[i];
        out->y[2 + i] = second->vy[i];
    }
}

b2d_box b2d_shape_box(const b2d_shape_hot* hot, const b2d_hull4* second, const b2d_pose* pose) {
    return b2d_shape_box_inline(hot, second, pose);
}

b2d_proxy b2d_shape_proxy(const b2d_shape_hot* hot, const b2d_hull4* second) {
    b2d_proxy proxy = {.count = hot->count, .radius = hot->radius};
    for (int32_t i = 0; i < hot->count; i++) {
        const b2d_hull4* hull = i < 4 ? &hot->hull : second;
        proxy.points[i] = b2d_v(hull->vx[i & 3], hull->vy[i & 3]);
    }
    return proxy;
}

b2d_proxy b2d_geometry_proxy(const b2d_geometry* geometry) {
    b2d_proxy proxy = {.count = geometry->count, .radius = geometry->radius};
    for (int32_t i = 0; i < geometry->count; i++) proxy.points[i] = b2d_v(geometry->x[i], geometry->y[i]);
    return proxy;
}
