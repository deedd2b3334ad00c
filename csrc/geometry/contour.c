// csrc/geometry/contour.c - see contour.h.
#include "geometry/contour.h"

#include <math.h>

static void add_point(b2d_contour* out, double x, double y) { out->p[out->count++] = (b2d_point64){x, y}; }

// Each corner of a rounded core becomes an arc from the normal before it to the normal after it.
void b2d_contour_write(const b2d_shape_hot* hot, const b2d_hull4* second, const b2d_pose* pose, b2d_contour* out) {
    const double c = pose->c, s = pose->s;
    out->count = 0;
    for (int32_t k = 0; k < hot->count; k++) {
        int32_t before = k == 0 ? hot->count - 1 : k - 1;
        const b2d_hull4 *hull = k < 4 ? &hot->hull : second, *previous = before < 4 ? &hot->hull : second;
        double x = (double)hull->vx[k & 3] - pose->cx, y = (double)hull->vy[k & 3] - pose->cy, r = hot->radius;
        double wx = c * x - s * y, wy = s * x + c * y;
        if (r == 0.0) {
            add_point(out, wx, wy);
            continue;
        }
        double angle = 6.283185307179586, mx = 1.0, my = 0.0;
        if (hot->count > 1) {
            mx = previous->nx[before & 3], my = previous->ny[before & 3];
            angle = b2d_atan2((float)(mx * hull->ny[k & 3] - my * hull->nx[k & 3]),
                              (float)(mx * hull->nx[k & 3] + my * hull->ny[k & 3]));
            if (angle < 0.0) angle += 6.283185307179586;
        }
        int32_t chords = 2 + (int32_t)(angle * ((B2D_ARC - 2) / 6.283185307179586)),
                inner = hot->count > 1 ? chords - 2 : chords;
        double step = angle / chords;
        const b2d_rot turn = b2d_make_rot(step);
        // The points are moved outward, so that the area is that of the arc. The end points of an arc between two edges
        // are not moved, so that they lie on these edges.
        double growth = turn.s > 1.0e-6f ? step / (double)turn.s : 1.0, total_growth = growth * chords;
        double outer = r * (hot->count == 1 ? sqrt(growth)
                            : inner == 0    ? growth
                                            : (sqrt(1.0 + inner * total_growth) - 1.0) / inner);
        double dx = c * mx - s * my, dy = s * mx + c * my;
        for (int32_t i = 0; i < chords + (hot->count > 1); i++) {
            double from = hot->count > 1 && (i == 0 || i == chords) ? r : outer;
            add_point(out, wx + from * dx, wy + from * dy);
            double next_x = (double)turn.c * dx - (double)turn.s * dy;
            dy = (double)turn.s * dx + (double)turn.c * dy, dx = next_x;
        }
    }
}

void b2d_contour_clip(const b2d_contour* in, double nx, double ny, double offset, b2d_contour* out) {
    out->count = 0;
    for (int32_t k = 0; k < in->count; k++) {
        b2d_point64 a = in->p[k], b = in->p[k + 1 == in->count ? 0 : k + 1];
        double ha = nx * a.x + ny * a.y - offset, hb = nx * b.x + ny * b.y - offset;
        if (ha <= 0.0) add_point(out, a.x, a.y);
        if ((ha <= 0.0) != (hb <= 0.0)) {
            double t = ha / (ha - hb);
            add_point(out, a.x + t * (b.x - a.x), a.y + t * (b.y - a.y));
        }
    }
}

b2d_area b2d_contour_measure(const b2d_contour* outline) {
    b2d_area sum = {0};
    for (int32_t k = 0; k < outline->count; k++) {
        const b2d_point64 a = outline->p[k], b = outline->p[k + 1 == outline->count ? 0 : k + 1];
        const double cross = a.x * b.y - a.y * b.x;
        sum.area += 0.5 * cross;
        sum.x += cross * (a.x + b.x) / 6.0;
        sum.y += cross * (a.y + b.y) / 6.0;
        sum.polar += cross * (a.x * a.x + a.x * b.x + b.x * b.x + a.y * a.y + a.y * b.y + b.y * b.y) / 12.0;
    }
    if (!(sum.area > 1.0e-12)) return (b2d_area){0};
    sum.x /= sum.area, sum.y /= sum.area;
    return sum;
}
