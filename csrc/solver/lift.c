// csrc/solver/lift.c - see lift.h.
#include "solver/lift.h"

#include <math.h>
#include <string.h>

// The body stands still, and the edges of the water move the other way.
void b2d_lift_measure(const b2d_lift* lift, float dx, float dy, float angle, double force[3]) {
    const b2d_rot q = b2d_make_rot((double)angle);
    const double c = (double)q.c, s = (double)q.s;
    double area = lift->area, x = lift->x, y = lift->y;
    b2d_contour parts[2];
    int32_t now = 0;
    bool cut = false;
    for (int32_t k = 0; k < lift->edge_count; k++) {
        const double nx = lift->nx[k], ny = lift->ny[k], offset = lift->offset[k] - nx * (double)dx - ny * (double)dy,
                     reach = lift->reach * sqrt(nx * nx + ny * ny);
        if (reach <= offset) continue;
        if (!cut) {
            memcpy(parts[0].p, lift->outline, (size_t)lift->outline_count * sizeof *lift->outline);
            parts[0].count = lift->outline_count;
            cut = true;
        }
        b2d_contour_clip(&parts[now], c * nx + s * ny, c * ny - s * nx, offset, &parts[1 - now]);
        now = 1 - now;
        if (parts[now].count < 3) break;
    }
    if (cut) {
        const b2d_area part = b2d_contour_measure(&parts[now]);
        area = part.area, x = part.x, y = part.y;
    }
    const double rx = c * x - s * y, ry = s * x + c * y;
    force[0] = -lift->wx * area, force[1] = -lift->wy * area;
    force[2] = rx * force[1] - ry * force[0];
}
