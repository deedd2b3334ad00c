// csrc/solver/lift.h - the lift of water in each substep.
//
// Idea: the lift of a floating body is a spring. A spring whose force is that of the beginning of the step in all
// substeps gives energy; one whose force is that of the pose at the beginning of each substep keeps it, because the
// positions follow from the new velocities. So a body that may cross the border of the water in this step has a lift
// for each of its shapes: the outline of the shape and the edges of the region. The force that `apply_buoyancy` has
// added to the sums is that at the beginning of the step; here is how it changes.
// Threads: read only in the passes. Proof: tests/physics/test_fluids.py.
#pragma once
#include "geometry/contour.h"

typedef struct b2d_water {                             // a region that `apply_buoyancy` has filled for the coming step
    double nx[B2D_MAX_VERTICES], ny[B2D_MAX_VERTICES]; // outward normals of the edges, as long as the edges
    double px[B2D_MAX_VERTICES], py[B2D_MAX_VERTICES]; // a point of each edge
    double box[4], density;                            // m, world coordinates; kg/m^2
    uint64_t category, mask;                           // of the filter
    int32_t count, unused;                             // edges
} b2d_water;

typedef struct b2d_lift { // all relative to the centre of mass when the step began, in world axes
    const b2d_point64* outline;
    double nx[B2D_MAX_VERTICES], ny[B2D_MAX_VERTICES], offset[B2D_MAX_VERTICES]; // edges that the body may cross
    double wx, wy;                           // weight of a unit of area of water, as a force
    double reach;                            // m, farthest point of the outline
    double area, x, y;                       // of the outline
    double start[3];                         // force and torque then
    int32_t outline_count, edge_count, next; // the latter of the same body, or B2D_NONE
} b2d_lift;

// The force and torque after this motion since the step began.
void b2d_lift_measure(const b2d_lift* lift, float dx, float dy, float angle, double force[3]);
