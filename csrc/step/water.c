// csrc/step/water.c - see water.h. Threads: serial. Cost: nothing without water; else by awake shapes times waters.
#include "step/water.h"

#include "objects/body.h"

#include <math.h>
#include <string.h>

// m, more than a point of the body moves in the step unless something strikes it.
static double motion_of(const b2d_world* world, const b2d_solver* solver, int32_t body) {
    const b2d_body_state* state = &solver->states[body];
    const b2d_vec2 g = b2d_gravity_of(solver, body);
    const double dt = (double)solver->dt, vx = state->vx, vy = state->vy,
                 turning = fabs((double)state->w) * (double)world->graph.bodies[body].extent;
    return dt * (2.0 * (sqrt(vx * vx + vy * vy) + turning) + dt * sqrt((double)(g.x * g.x + g.y * g.y)));
}

static bool accepts(const b2d_world* world, const b2d_water* water, int32_t shape) {
    const b2d_shape* cold = &world->shapes[shape];
    return (water->mask & cold->category) != 0 && (cold->mask & water->category) != 0 &&
           (cold->flags & B2D_SHAPE_FLAG_SENSOR) == 0;
}

// Whether a shape may be in the water in this step; *reach is how far from the centre of mass it comes in it.
static bool comes_near(const b2d_world* world, const b2d_solver* solver, const b2d_water* water, int32_t shape,
                       double* reach) {
    const b2d_shape_hot* hot = &world->shapes_hot[shape];
    const b2d_pose* pose = &solver->poses[hot->body];
    const b2d_vec2 center = b2d_pose_center(pose);
    const double x = pose->x + (double)center.x, y = pose->y + (double)center.y;
    if ((hot->radius == 0.0f && hot->count < 3) || !accepts(world, water, shape)) return false;
    *reach = (double)world->graph.bodies[hot->body].extent + motion_of(world, solver, hot->body);
    return x + *reach > water->box[0] && y + *reach > water->box[1] && x - *reach < water->box[2] &&
           y - *reach < water->box[3];
}

// False: no memory.
static bool fill(const b2d_world* world, const b2d_solver* solver, const b2d_water* water, int32_t shape, double reach,
                 b2d_lift* lift) {
    const b2d_shape_hot* hot = &world->shapes_hot[shape];
    const b2d_pose* pose = &solver->poses[hot->body];
    const b2d_vec2 center = b2d_pose_center(pose), g = b2d_gravity_of(solver, hot->body);
    b2d_contour outline;
    b2d_contour_write(hot, b2d_world_second(world, hot), pose, &outline);
    const b2d_area all = b2d_contour_measure(&outline);
    *lift = (b2d_lift){.wx = water->density * (double)g.x,
                       .wy = water->density * (double)g.y,
                       .area = all.area,
                       .x = all.x,
                       .y = all.y,
                       .outline_count = outline.count};
    for (int32_t k = 0; k < outline.count; k++)
        lift->reach = fmax(lift->reach, sqrt(outline.p[k].x * outline.p[k].x + outline.p[k].y * outline.p[k].y));
    for (int32_t k = 0; k < water->count; k++) {
        const double nx = water->nx[k], ny = water->ny[k],
                     offset = nx * (water->px[k] - pose->x - (double)center.x) +
                              ny * (water->py[k] - pose->y - (double)center.y);
        if (reach * sqrt(nx * nx + ny * ny) <= offset) continue; // this edge is too far away
        lift->nx[lift->edge_count] = nx, lift->ny[lift->edge_count] = ny;
        lift->offset[lift->edge_count++] = offset;
    }
    const size_t bytes = (size_t)outline.count * sizeof *outline.p;
    b2d_point64* points = b2d_arena_take(solver->arena, bytes);
    if (points == NULL) return false;
    lift->outline = memcpy(points, outline.p, bytes);
    b2d_lift_measure(lift, 0.0f, 0.0f, 0.0f, lift->start);
    return true;
}

// Runs through the shapes that may be in a water.
#define FOR_LIFTS(world, solver, shape, water, reach)                                                               \
    for (int32_t k_ = 0; k_ < (solver)->awake_count; k_++)                                                          \
        for (int32_t shape = b2d_moves(&(world)->graph, (solver)->awake[k_])                                        \
                                 ? (world)->graph.bodies[(solver)->awake[k_]].shape_head                            \
                                 : B2D_NONE;                                                                        \
             shape != B2D_NONE; shape = (world)->shapes[shape].next)                                                \
            for (const b2d_water* water = (world)->waters; water < (world)->waters + (world)->water_count; water++) \
                if (comes_near(world, solver, water, shape, &(reach)))

bool b2d_world_prepare_lifts(b2d_world* world, b2d_solver* solver) {
    int32_t most = 0, count = 0;
    double reach = 0.0;
    solver->laws = world->laws;
    for (int32_t row = 0; row < world->law_rows; row++)
        if (world->laws[row].lift != B2D_NO_LIFT) world->laws[row].lift = B2D_NONE;
    if (world->water_count == 0) return true;
    FOR_LIFTS(world, solver, shape, water, reach) most++;
    b2d_lift* lifts = b2d_arena_take(solver->arena, ((size_t)most + 1) * sizeof *lifts);
    if (lifts == NULL) return false;
    FOR_LIFTS(world, solver, shape, water, reach) {
        const int32_t body = world->shapes_hot[shape].body;
        uint16_t* flags = &world->graph.bodies[body].flags;
        if (!b2d_world_reserve_law(world, body) || !fill(world, solver, water, shape, reach, &lifts[count]))
            return false;
        b2d_force_law* law = &world->laws[body];
        if (!(*flags & B2D_BODY_FLAG_YIELDS)) *law = (b2d_force_law){.lift = B2D_NONE};
        *flags |= B2D_BODY_FLAG_YIELDS;
        if (law->lift == B2D_NO_LIFT) continue;
        lifts[count].next = law->lift;
        law->lift = count++;
    }
    solver->laws = world->laws;
    solver->lifts = lifts;
    return true;
}
