// csrc/geometry/contour.h - the outline of a shape as a polygon, cut by lines: what is under water.
#pragma once
#include "geometry/gjk.h"

// Chords of a full circle; greatest number of vertices of a clipped outline
enum { B2D_ARC = 48, B2D_CONTOUR = B2D_ARC + 4 * B2D_MAX_VERTICES };

typedef struct b2d_contour {
    b2d_point64 p[B2D_CONTOUR]; // counter-clockwise
    int32_t count;
} b2d_contour;

typedef struct b2d_area { // area, centroid, polar moment about the origin (m^2, m, m^4)
    double area, x, y, polar;
} b2d_area;

// Relative to the centre of mass of the body, in world axes. Arcs become chords of the same area.
void b2d_contour_write(const b2d_shape_hot* hot, const b2d_hull4* second, const b2d_pose* pose, b2d_contour* out);
// The part on the inner side of the line n . p = offset.
void b2d_contour_clip(const b2d_contour* in, double nx, double ny, double offset, b2d_contour* out);
b2d_area b2d_contour_measure(const b2d_contour* outline); // the area is 0 where there is next to nothing
