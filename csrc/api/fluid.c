// csrc/api/fluid.c - wind and buoyancy: forces on shapes for the next step.
//
// Wind: a polygon edge takes the momentum of the air that is stopped by its area projected in the direction of the
// flow. The force is integrated at two Gauss points for each edge with the velocity of the material point there, so
// spinning bodies are slowed too. The widths of a core and of its rounding add up, so the rounding is treated as a
// circle at the centroid.
// Buoyancy: the outline of the shape, with arcs replaced by chords of the same area, is clipped to the region. The area
// and centroid of the clipped part give the lift (Archimedes), and its second moment gives the drag on rotation, which
// is exact for a rigid motion and a drag linear in speed.
// Threads: writers. Shapes are processed in ascending order of ids, because the rounding of sums depends on the order.
// Proof: tests/physics/test_fluids.py.
#include "api/entry.h"
#include "api/query.h"
#include "base/radix_sort.h"
#include "objects/body.h"
#include "objects/proxy.h"

// Chords of a full circle; greatest number of vertices of a clipped outline
enum { ARC = 48, OUTLINE = ARC + 4 * B2D_MAX_VERTICES };

static bool is_affected(const b2d_world* world, int32_t body, bool wake) {
    const b2d_body* row = &world->graph.bodies[body];
    return row->type == B2D_DYNAMIC && (row->flags & B2D_BODY_FLAG_ENABLED) &&
           (wake || b2d_is_awake(&world->graph, body));
}

// Adds a force at a point relative to the centre of mass, and a torque. The sums are clamped to the limit of forces.
static bool add_force(b2d_world* world, int32_t body, double fx, double fy, double x, double y, double torque) {
    if (!b2d_is_awake(&world->graph, body) && !b2d_world_wake_body(world, body)) return false;
    b2d_body_mass* mass = &world->masses[body];
    double sum[3] = {mass->force_x + fx, mass->force_y + fy, mass->torque + torque + x * fy - y * fx};
    for (int32_t k = 0; k < 3; k++)
        sum[k] = sum[k] > b2d_limit_force ? b2d_limit_force : sum[k] < -b2d_limit_force ? -b2d_limit_force : sum[k];
    mass->force_x = (float)sum[0], mass->force_y = (float)sum[1], mass->torque = (float)sum[2];
    return true;
}

// ---- wind

typedef struct wind {
    double x, y, density, drag, lift;
    bool wake;
} wind;

typedef struct push {
    double fx, fy, torque;
} push;

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
}

static bool apply_wind_to_shape(b2d_world* world, int32_t shape, const wind* w) {
    const b2d_shape_hot* hot = &world->shapes_hot[shape];
    if (!is_affected(world, hot->body, w->wake)) return true;
    const b2d_pose* pose = b2d_world_pose(world, hot->body);
    const b2d_body_state* state = b2d_world_state(world, hot->body);
    const b2d_hull4* second = b2d_world_second(world, hot);
    push sum = {0.0, 0.0, 0.0};
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
    return add_force(world, hot->body, sum.fx, sum.fy, 0.0, 0.0, sum.torque);
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
    const b2d_query_scope scope = {world, category, mask, false};
    bool done = true;
    for (int32_t shape = 0; shape < world->shape_ids.limit && done; shape++)
        if (b2d_id_pool_has(&world->shape_ids, shape) && b2d_query_accepts(&scope, shape))
            done = apply_wind_to_shape(world, shape, &w);
    const b2d_status status = done ? B2D_OK : b2d_error(B2D_NO_MEMORY, B2D_ARG_NONE);
    B2D_LOG(world, status, B2D_LOGGED_WIND, x, y, density, drag, lift, wake, category, mask);
    return b2d_close_write(world, status);
}

// ---- buoyancy

typedef struct outline {
    b2d_point64 p[OUTLINE];
    int32_t count;
} outline;

static void add_point(outline* out, double x, double y) { out->p[out->count++] = (b2d_point64){x, y}; }

// Writes the outline relative to the centre of mass, in world axes. Each corner of a rounded core becomes an arc from
// the normal before it to the normal after it.
static void write_outline(b2d_world* world, int32_t shape, outline* out) {
    const b2d_shape_hot* hot = &world->shapes_hot[shape];
    const b2d_hull4* second = b2d_world_second(world, hot);
    const b2d_pose* pose = b2d_world_pose(world, hot->body);
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
        int32_t chords = 2 + (int32_t)(angle * ((ARC - 2) / 6.283185307179586)),
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

// Writes the part of the outline on the inner side of the line n . p = offset.
static void clip_outline(const outline* in, double nx, double ny, double offset, outline* out) {
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

typedef struct buoyancy {
    b2d_query_scope scope;
    b2d_pose place;
    b2d_geometry region;
    double density, drag, flow_x, flow_y;
    bool wake;
    b2d_key_list found;
} buoyancy;

static bool apply_buoyancy_to_shape(b2d_world* world, const buoyancy* w, int32_t shape) {
    const b2d_shape_hot* hot = &world->shapes_hot[shape];
    const b2d_pose* pose = b2d_world_pose(world, hot->body);
    if (hot->radius == 0.0f && hot->count < 3) return true; // the shape has no area
    const b2d_vec2 center = b2d_pose_center(pose);
    const double offset_x = w->place.x - pose->x - center.x, offset_y = w->place.y - pose->y - center.y, c = w->place.c,
                 s = w->place.s;
    outline parts[2];
    int32_t now = 0;
    write_outline(world, shape, &parts[0]);
    for (int32_t k = 0; k < w->region.count; k++) {
        int32_t next = k + 1 == w->region.count ? 0 : k + 1;
        double ex = (double)w->region.x[next] - w->region.x[k], ey = (double)w->region.y[next] - w->region.y[k];
        double nx = c * ey + s * ex, ny = s * ey - c * ex; // (ey, -ex) in world axes
        double px = c * w->region.x[k] - s * w->region.y[k] + offset_x,
               py = s * w->region.x[k] + c * w->region.y[k] + offset_y;
        clip_outline(&parts[now], nx, ny, nx * px + ny * py, &parts[1 - now]);
        now = 1 - now;
        if (parts[now].count < 3) return true;
    }
    const outline* part = &parts[now];
    double area = 0.0, x = 0.0, y = 0.0, polar = 0.0; // relative to the centre of mass
    for (int32_t k = 0; k < part->count; k++) {
        b2d_point64 a = part->p[k], b = part->p[k + 1 == part->count ? 0 : k + 1];
        double cross = a.x * b.y - a.y * b.x;
        area += 0.5 * cross;
        x += cross * (a.x + b.x) / 6.0;
        y += cross * (a.y + b.y) / 6.0;
        polar += cross * (a.x * a.x + a.x * b.x + b.x * b.x + a.y * a.y + a.y * b.y + b.y * b.y) / 12.0;
    }
    if (!(area > 1.0e-12)) return true;
    x /= area, y /= area;
    polar -= area * (x * x + y * y);
    const b2d_body_state* state = b2d_world_state(world, hot->body);
    double vx = state->vx - state->w * y - w->flow_x, vy = state->vy + state->w * x - w->flow_y,
           k = w->density * w->drag;
    double fx = -w->density * area * world->options[B2D_OPTION_GRAVITY_X] - k * area * vx,
           fy = -w->density * area * world->options[B2D_OPTION_GRAVITY_Y] - k * area * vy;
    return add_force(world, hot->body, fx, fy, x, y, -k * polar * state->w);
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

b2d_status b2d_world_apply_buoyancy(b2d_world* world, const b2d_geometry* region, double x, double y, double angle,
                                    double density, double drag, double flow_x, double flow_y, bool wake,
                                    uint64_t category, uint64_t mask) {
    const double flow[2] = {flow_x, flow_y};
    double box[4];
    B2D_TRY(b2d_geometry_boxes(region, 1, (const double[]){x, y, angle}, box));
    buoyancy w = {.scope = {world, category, mask, false},
                  .region = *region,
                  .density = density,
                  .drag = drag,
                  .flow_x = flow_x,
                  .flow_y = flow_y,
                  .wake = wake};
    B2D_TRY(b2d_geometry_check(&w.region));
    if (w.region.type != B2D_POLYGON || w.region.radius > 0.0f) return b2d_error(B2D_BAD_GEOMETRY, B2D_ARG_REGION);
    B2D_TRY(b2d_check_range(density, 0.0, b2d_limit_number, B2D_ARG_DENSITY));
    B2D_TRY(b2d_check_range(drag, 0.0, b2d_limit_number, B2D_ARG_DRAG));
    B2D_TRY(b2d_check_vec(flow, b2d_limit_speed, B2D_ARG_FLOW));
    B2D_TRY(b2d_open_write(world));
    const b2d_rot q = b2d_make_rot(angle);
    w.place = (b2d_pose){.x = x, .y = y, .c = q.c, .s = q.s};
    bool done = b2d_world_update_broadphase(world) && apply_buoyancy_to_all(world, &w, box);
    const b2d_status status = done ? B2D_OK : b2d_error(B2D_NO_MEMORY, B2D_ARG_NONE);
    B2D_LOG(world, status, B2D_LOGGED_BUOYANCY, region, x, y, angle, density, drag, flow_x, flow_y, wake, category,
            mask);
    return b2d_close_write(world, status);
}
