// csrc/geometry/mass.c - mass, centre and inertia of any shape, exactly.
//
// Idea: a core of n >= 2 vertices grown by a radius is the core itself, a strip over each edge and a circular sector at
// each vertex. Areas, first and second moments of the three kinds are added about one reference point (the first
// vertex, so that shapes far from the origin stay exact). A capsule is a core of two vertices: no inner area, two
// strips, two half discs. All in float64.
#include "geometry/hot_shape.h"

#define PI 3.14159265358979323846

typedef struct moments {
    double area, x, y; // area and first moments
    double polar;      // integral of r^2
} moments;

static void add_triangle(moments* m, double ax, double ay, double bx, double by) { // with the reference point
    double area = 0.5 * (ax * by - ay * bx);
    m->area += area;
    m->x += area * (ax + bx) / 3.0;
    m->y += area * (ay + by) / 3.0;
    m->polar += area * (ax * ax + ax * bx + bx * bx + ay * ay + ay * by + by * by) / 6.0;
}

static void add_strip(moments* m, double ax, double ay, double bx, double by, double nx, double ny, double length,
                      double r) {
    double area = length * r, x = 0.5 * (ax + bx + r * nx), y = 0.5 * (ay + by + r * ny);
    m->area += area;
    m->x += area * x;
    m->y += area * y;
    m->polar += area * ((length * length + r * r) / 12.0 + x * x + y * y);
}

// The sector at (vx, vy) from direction (px, py) counter-clockwise to (qx, qy).
static void add_sector(moments* m, double vx, double vy, double px, double py, double qx, double qy, double r) {
    double angle = b2d_atan2((float)(px * qy - py * qx), (float)(px * qx + py * qy));
    if (angle < 0.0) angle += 2.0 * PI; // only a half disc can round to a negative angle
    double area = 0.5 * angle * r * r, cube = r * r * r / 3.0;
    double fx = cube * (qy - py), fy = cube * (px - qx); // first moment about the vertex
    m->area += area;
    m->x += area * vx + fx;
    m->y += area * vy + fy;
    m->polar += 0.5 * area * r * r + 2.0 * (vx * fx + vy * fy) + area * (vx * vx + vy * vy);
}

float b2d_bounded_mass(double mass) { return (float)(mass < B2D_MOST_MASS ? mass : B2D_MOST_MASS); }

b2d_mass_data b2d_geometry_mass(const b2d_geometry* geometry, float density) {
    const b2d_geometry* g = geometry;
    double r = g->radius;
    if (g->type == B2D_CIRCLE) {
        double mass = density * PI * r * r;
        return (b2d_mass_data){b2d_bounded_mass(mass), b2d_bounded_mass(0.5 * mass * r * r), {g->x[0], g->y[0]}};
    }
    if (g->type == B2D_SEGMENT || g->type == B2D_CHAIN_SEGMENT)
        return (b2d_mass_data){
            0.0f, 0.0f, {(float)(0.5 * ((double)g->x[0] + g->x[1])), (float)(0.5 * ((double)g->y[0] + g->y[1]))}};

    moments m = {0.0, 0.0, 0.0, 0.0};
    double x0 = g->x[0], y0 = g->y[0], nx[B2D_MAX_VERTICES], ny[B2D_MAX_VERTICES];
    for (int32_t i = 0; i < g->count; i++) {
        int32_t j = i + 1 == g->count ? 0 : i + 1;
        double ax = g->x[i] - x0, ay = g->y[i] - y0, bx = g->x[j] - x0, by = g->y[j] - y0;
        double ex = bx - ax, ey = by - ay, length = sqrt(ex * ex + ey * ey);
        nx[i] = ey / length;
        ny[i] = -ex / length;
        add_triangle(&m, ax, ay, bx, by);
        if (r > 0.0) add_strip(&m, ax, ay, bx, by, nx[i], ny[i], length, r);
    }
    for (int32_t i = 0; i < g->count && r > 0.0; i++) {
        int32_t before = i == 0 ? g->count - 1 : i - 1;
        add_sector(&m, g->x[i] - x0, g->y[i] - y0, nx[before], ny[before], nx[i], ny[i], r);
    }
    double cx = m.x / m.area, cy = m.y / m.area;
    double inertia = m.polar - m.area * (cx * cx + cy * cy);
    return (b2d_mass_data){
        b2d_bounded_mass(density * m.area), b2d_bounded_mass(density * inertia), {(float)(x0 + cx), (float)(y0 + cy)}};
}
