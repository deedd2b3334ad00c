// csrc/api/fluid.c - wind and buoyancy: forces on shapes for the next step.
//
// Wind: a polygon edge takes the momentum of the air that is stopped by its area projected in the direction of the
// flow. The force is integrated at two Gauss points for each edge with the velocity of the material point there, so
// spinning bodies are slowed too. The widths of a core and of its rounding add up, so the rounding is treated as a
// circle at the centroid.
// Buoyancy: the outline of the shape, with arcs replaced by chords of the same area, is clipped to the region. The area
// and centroid of the clipped part give the lift (Archimedes), and its second moment gives the drag on rotation, which
// is exact for a rigid motion and a drag linear in speed.
// The sums of forces are those at the beginning of the step. In its substeps drag follows the velocity by its
// derivative (b2d_force_law), and the lift of water the pose (solver/lift.h), so floating bodies get no energy, and
// light ones are not thrown back by the wind. The matrices of drag are symmetric and positive: for wind the share of an
// edge that faces the flow and the direction of its lift are taken as constant.
// Threads: writers. Shapes are processed in ascending order of ids, because the rounding of sums depends on the order.
// Proof: tests/physics/test_fluids.py.
#include "api/entry.h"
#include "api/query.h"
#include "base/radix_sort.h"
#include "objects/body.h"
#include "objects/proxy.h"

static bool is_affected(const b2d_world* world, int32_t body, bool wake) {
    const b2d_body* row = &world->graph.bodies[body];
    return row->type == B2D_DYNAMIC && (row->flags & B2D_BODY_FLAG_ENABLED) &&
           (wake || b2d_is_awake(&world->graph, body));
}

static double clamp(double x) {
    return x > b2d_limit_force ? b2d_limit_force : x < -b2d_limit_force ? -b2d_limit_force : x;
}

// Adds a force at a point relative to the centre of mass, and a torque. The sums are clamped to the limit of forces.
static bool add_force(b2d_world* world, int32_t body, double fx, double fy, double x, double y, double torque) {
    if (!b2d_is_awake(&world->graph, body) && !b2d_world_wake_body(world, body)) return false;
    b2d_body_mass* mass = &world->masses[body];
    mass->force_x = (float)clamp(mass->force_x + fx), mass->force_y = (float)clamp(mass->force_y + fy);
    mass->torque = (float)clamp(mass->torque + torque + x * fy - y * fx);
    return true;
}

// How the force changes with the velocity.
static bool add_law(b2d_world* world, int32_t body, const double by_velocity[9]) {
    if (!b2d_world_reserve_law(world, body)) return false;
    b2d_force_law* law = &world->laws[body];
    if (!(world->graph.bodies[body].flags & B2D_BODY_FLAG_YIELDS)) *law = (b2d_force_law){0};
    world->graph.bodies[body].flags |= B2D_BODY_FLAG_YIELDS;
    law->lift = B2D_NONE;
    for (int32_t k = 0; k < 9; k++) law->by_velocity[k] = (float)clamp((double)law->by_velocity[k] + by_velocity[k]);
    return true;
}

// ---- wind

typedef struct wind {
    double x, y, density, drag, lift;
    bool wake;
} wind;

typedef struct push {
    double fx, fy, torque;
    double by_velocity[9];
} push;

// Adds -G^T S G, where G turns the velocity of the body into that of a point, and S is xx xy, yx yy.
static void add_drag(double to[9], double px, double py, double xx, double xy, double yx, double yy) {
    const double g[2][3] = {{1.0, 0.0, -py}, {0.0, 1.0, px}};
    for (int32_t i = 0; i < 3; i++)
        for (int32_t j = 0; j < 3; j++)
            to[3 * i + j] -= g[0][i] * (xx * g[0][j] + xy * g[1][j]) + g[1][i] * (yx * g[0][j] + yy * g[1][j]);
}

// Adds the force of the air on `area` (a length, in 2D) with the unit normal (nx, ny), at a point relative to the
// centre of mass of the body.
static void add_wind_force(const wind* w, const b2d_body_state* state, double px, double py, double nx, double ny,
                           double area, bool round, push* sum) {
    double ux = w->x - (state->vx - state->w * py), uy = w->y - (state->vy + state->w * px),
           speed = sqrt(ux * ux + uy * uy);
    if (!(speed > 1.0e-9)) return;
    ux /= speed, uy /= speed;
    double facing = round ? 1.0 : -(nx * ux + ny * uy);
    if (!(facing > 0.0)) return;
    double strength = 0.5 * w->density * speed * speed * area * facing;
    // The direction across the flow
    double side_x = round ? 0.0 : -nx - facing * ux, side_y = round ? 0.0 : -ny - facing * uy;
    double fx = strength * (w->drag * ux + w->lift * side_x), fy = strength * (w->drag * uy + w->lift * side_y);
    sum->fx += fx, sum->fy += fy, sum->torque += px * fy - py * fx;
    // Drag grows with the square of the speed along the flow; lift turns a change of the flow by a right angle
    const double along = w->drag * strength / speed, across = w->lift * strength / speed * (side_y * ux - side_x * uy);
    add_drag(sum->by_velocity, px, py, along * (1.0 + ux * ux), along * ux * uy - across, along * ux * uy + across,
             along * (1.0 + uy * uy));
}

static bool apply_wind_to_shape(b2d_world* world, int32_t shape, const wind* w) {
    const b2d_shape_hot* hot = &world->shapes_hot[shape];
    if (!is_affected(world, hot->body, w->wake)) return true;
    const b2d_pose* pose = b2d_world_pose(world, hot->body);
    const b2d_body_state* state = b2d_world_state(world, hot->body);
    const b2d_hull4* second = b2d_world_second(world, hot);
    push sum = {0};
    double c = pose->c, s = pose->s;
    for (int32_t k = 0; k < hot->count && hot->count > 1; k++) {
        int32_t next = k + 1 == hot->count ? 0 : k + 1;
        const b2d_hull4 *from = k < 4 ? &hot->hull : second, *to = next < 4 ? &hot->hull : second;
        double ax = (double)from->vx[k & 3] - pose->cx, ay = (double)from->vy[k & 3] - pose->cy,
               bx = (double)to->vx[next & 3] - pose->cx, by = (double)to->vy[next & 3] - pose->cy;
        double nx = c * from->nx[k & 3] - s * from->ny[k & 3], ny = s * from->nx[k & 3] + c * from->ny[k & 3];
        double area = 0.5 * sqrt((bx - ax) * (bx - ax) + (by - ay) * (by - ay));
        for (int32_t i = 0; i < 2; i++) {
            double t = i == 0 ? 0.21132486540518713 : 0.7886751345948129, lx = ax + t * (bx - ax),
                   ly = ay + t * (by - ay);
            add_wind_force(w, state, c * lx - s * ly, s * lx + c * ly, nx, ny, area, false, &sum);
        }
    }
    if (hot->radius > 0.0f) {
        double lx = (double)hot->center_x - pose->cx, ly = (double)hot->center_y - pose->cy;
        add_wind_force(w, state, c * lx - s * ly, s * lx + c * ly, 0.0, 0.0, 2.0 * (double)hot->radius, true, &sum);
    }
    return add_force(world, hot->body, sum.fx, sum.fy, 0.0, 0.0, sum.torque) &&
           add_law(world, hot->body, sum.by_velocity);
}

static b2d_status check_wind(const wind* w) {
    const double speed[2] = {w->x, w->y};
    B2D_TRY(b2d_check_vec(speed, b2d_limit_speed, B2D_ARG_WIND));
    B2D_TRY(b2d_check_range(w->density, 0.0, b2d_limit_number, B2D_ARG_DENSITY));
    B2D_TRY(b2d_check_range(w->drag, 0.0, b2d_limit_number, B2D_ARG_DRAG));
    return b2d_check_range(w->lift, -b2d_limit_number, b2d_limit_number, B2D_ARG_LIFT);
}

b2d_status b2d_shape_apply_wind(b2d_world* world, int32_t index, uint64_t generation, double x, double y,
                                double density, double drag, double lift, bool wake) {
    const wind w = {x, y, density, drag, lift, wake};
    B2D_TRY(check_wind(&w));
    B2D_TRY(b2d_open_write(world));
    b2d_status status = b2d_shape_alive(world, index, generation) ? B2D_OK : b2d_error(B2D_STALE_HANDLE, B2D_ARG_SHAPE);
    if (status == B2D_OK && !apply_wind_to_shape(world, index, &w)) status = b2d_error(B2D_NO_MEMORY, B2D_ARG_NONE);
    B2D_LOG(world, status, B2D_LOGGED_SHAPE_WIND, index, generation, x, y, density, drag, lift, wake);
    return b2d_close_write(world, status);
}

b2d_status b2d_world_apply_wind(b2d_world* world, double x, double y, double density, double drag, double lift,
                                bool wake, uint64_t category, uint64_t mask) {
    const wind w = {x, y, density, drag, lift, wake};
    B2D_TRY(check_wind(&w));
    B2D_TRY(b2d_open_write(world));
    const b2d_query_scope scope = {world, {.category = category, .mask = mask}};
    bool done = true;
    for (int32_t shape = 0; shape < world->shape_ids.limit && done; shape++)
        if (b2d_id_pool_has(&world->shape_ids, shape) && b2d_query_accepts(&scope, shape))
            done = apply_wind_to_shape(world, shape, &w);
    const b2d_status status = done ? B2D_OK : b2d_error(B2D_NO_MEMORY, B2D_ARG_NONE);
    B2D_LOG(world, status, B2D_LOGGED_WIND, x, y, density, drag, lift, wake, category, mask);
    return b2d_close_write(world, status);
}

// ---- buoyancy

typedef struct buoyancy {
    b2d_query_scope scope;
    b2d_water water;
    double density, drag, flow_x, flow_y;
    bool wake;
    b2d_key_list found;
} buoyancy;

static bool apply_buoyancy_to_shape(b2d_world* world, const buoyancy* w, int32_t shape) {
    const b2d_shape_hot* hot = &world->shapes_hot[shape];
    const b2d_pose* pose = b2d_world_pose(world, hot->body);
    if (hot->radius == 0.0f && hot->count < 3) return true; // the shape has no area
    const b2d_vec2 center = b2d_pose_center(pose);
    const b2d_water* water = &w->water;
    b2d_contour parts[2];
    int32_t now = 0;
    b2d_contour_write(hot, b2d_world_second(world, hot), pose, &parts[0]);
    for (int32_t k = 0; k < water->count; k++, now = 1 - now) {
        const double px = water->px[k] - pose->x - center.x, py = water->py[k] - pose->y - center.y;
        b2d_contour_clip(&parts[now], water->nx[k], water->ny[k], water->nx[k] * px + water->ny[k] * py,
                         &parts[1 - now]);
    }
    const b2d_area wet = b2d_contour_measure(&parts[now]);
    const double area = wet.area, x = wet.x, y = wet.y, polar = wet.polar - area * (x * x + y * y);
    if (!(area > 0.0)) return true;
    const b2d_body_state* state = b2d_world_state(world, hot->body);
    double vx = state->vx - state->w * y - w->flow_x, vy = state->vy + state->w * x - w->flow_y,
           k = w->density * w->drag;
    double fx = -w->density * area * world->options[B2D_OPTION_GRAVITY_X] - k * area * vx,
           fy = -w->density * area * world->options[B2D_OPTION_GRAVITY_Y] - k * area * vy;
    double by_velocity[9] = {0};
    add_drag(by_velocity, x, y, k * area, 0.0, 0.0, k * area);
    by_velocity[8] -= k * polar;
    return add_force(world, hot->body, fx, fy, x, y, -k * polar * state->w) && add_law(world, hot->body, by_velocity);
}

static bool add_candidate(void* context, int32_t shape) {
    buoyancy* w = context;
    if (b2d_query_accepts(&w->scope, shape) &&
        is_affected(w->scope.world, w->scope.world->shapes_hot[shape].body, w->wake))
        b2d_key_list_push(&w->found, (uint64_t)(uint32_t)shape);
    return true;
}

static bool apply_buoyancy_to_all(b2d_world* world, buoyancy* w, const double box[4]) {
    b2d_memory memory = {.fail_after = -1};
    w->found.memory = &memory;
    b2d_query_box(world, box[0], box[1], box[2], box[3], add_candidate, w);
    int32_t count = w->found.count;
    uint64_t* keys = w->found.failed || count == 0 ? NULL : b2d_allocate(&memory, 2 * (size_t)count * sizeof *keys);
    bool done = !w->found.failed && (count == 0 || keys != NULL);
    if (keys != NULL) {
        memcpy(keys, w->found.keys, (size_t)count * sizeof *keys);
        b2d_radix_sort(keys, keys + count, count);
        for (int32_t k = 0; k < count && done; k++) done = apply_buoyancy_to_shape(world, w, (int32_t)keys[k]);
        b2d_free(&memory, keys, 2 * (size_t)count * sizeof *keys);
    }
    b2d_free(&memory, w->found.keys, (size_t)w->found.capacity * sizeof *w->found.keys);
    return done;
}

static b2d_water fill(const b2d_geometry* region, double x, double y, b2d_rot q, const double box[4]) {
    const double c = q.c, s = q.s;
    b2d_water water = {.count = region->count};
    memcpy(water.box, box, sizeof water.box);
    for (int32_t k = 0; k < region->count; k++) {
        const int32_t next = k + 1 == region->count ? 0 : k + 1;
        const double vx = region->x[k], vy = region->y[k], ex = (double)region->x[next] - vx,
                     ey = (double)region->y[next] - vy;
        water.nx[k] = c * ey + s * ex, water.ny[k] = s * ey - c * ex; // (ey, -ex) in world axes
        water.px[k] = x + c * vx - s * vy, water.py[k] = y + s * vx + c * vy;
    }
    return water;
}

b2d_status b2d_world_apply_buoyancy(b2d_world* world, const b2d_geometry* region, double x, double y, double angle,
                                    double density, double drag, double flow_x, double flow_y, bool wake,
                                    uint64_t category, uint64_t mask) {
    const double flow[2] = {flow_x, flow_y};
    double box[4];
    B2D_TRY(b2d_geometry_boxes(region, 1, (const double[]){x, y, angle}, box));
    buoyancy w = {.scope = {world, {.category = category, .mask = mask}},
                  .density = density,
                  .drag = drag,
                  .flow_x = flow_x,
                  .flow_y = flow_y,
                  .wake = wake};
    b2d_geometry checked = *region;
    B2D_TRY(b2d_geometry_check(&checked));
    if (checked.type != B2D_POLYGON || checked.radius > 0.0f) return b2d_error(B2D_BAD_GEOMETRY, B2D_ARG_REGION);
    B2D_TRY(b2d_check_range(density, 0.0, b2d_limit_number, B2D_ARG_DENSITY));
    B2D_TRY(b2d_check_range(drag, 0.0, b2d_limit_number, B2D_ARG_DRAG));
    B2D_TRY(b2d_check_vec(flow, b2d_limit_speed, B2D_ARG_FLOW));
    B2D_TRY(b2d_open_write(world));
    w.water = fill(&checked, x, y, b2d_make_rot(angle), box);
    w.water.density = density, w.water.category = category, w.water.mask = mask;
    bool done = b2d_world_add_water(world, &w.water) && b2d_world_update_broadphase(world) &&
                apply_buoyancy_to_all(world, &w, box);
    const b2d_status status = done ? B2D_OK : b2d_error(B2D_NO_MEMORY, B2D_ARG_NONE);
    B2D_LOG(world, status, B2D_LOGGED_BUOYANCY, region, x, y, angle, density, drag, flow_x, flow_y, wake, category,
            mask);
    return b2d_close_write(world, status);
}
