// csrc/step/drive.c - see drive.h. All is read from the lane of the joint, in its order of sides. Threads: serial.
// Proof: tests/physics/test_driven_machines.py.
#include "step/drive.h"

#include "joints/joint_type.h"

#include <math.h>

typedef struct vector {
    double x, y;
} vector;
static vector turned(vector v, double angle) {
    const b2d_rot rot = b2d_make_rot(angle); // not of libm, whose bits differ between platforms
    const double c = (double)rot.c, s = (double)rot.s;
    return (vector){c * v.x - s * v.y, s * v.x + c * v.y};
}
static double dot(vector a, vector b) { return a.x * b.x + a.y * b.y; }
static double cross(vector a, vector b) { return a.x * b.y - a.y * b.x; }

// A joint, at the start of the step or where its bodies are after their way in it.
typedef struct place {
    const b2d_body_state *a, *b;
    const b2d_joint_block* block;
    const b2d_joint_rows* rows;
    int32_t lane, have;
    vector ra, rb, d;      // from the centres of mass to the anchors, and from anchor A to B
    double turn_a, turn_b; // since the start
} place;

static place place_of(b2d_world* world, const b2d_joint* joint, bool moved) {
    const b2d_graph* graph = &world->graph;
    const int32_t id = joint->lane_index / B2D_LANES, lane = joint->lane_index % B2D_LANES;
    const b2d_joint_block* block = &graph->joint_blocks[id];
    const b2d_body_state *a = b2d_world_state(world, block->body_a[lane]),
                         *b = b2d_world_state(world, block->body_b[lane]);
    place at = {.a = a,
                .b = b,
                .block = block,
                .rows = &graph->joint_rows[id],
                .lane = lane,
                .have = graph->joint_block_rows[id],
                .turn_a = moved ? (double)a->angle : 0.0,
                .turn_b = moved ? (double)b->angle : 0.0};
    at.ra = turned((vector){(double)block->ax[lane], (double)block->ay[lane]}, at.turn_a);
    at.rb = turned((vector){(double)block->bx[lane], (double)block->by[lane]}, at.turn_b);
    at.d = (vector){(double)block->dx[lane] + at.rb.x - at.ra.x, (double)block->dy[lane] + at.rb.y - at.ra.y};
    if (moved) at.d.x += (double)b->dx - (double)a->dx, at.d.y += (double)b->dy - (double)a->dy;
    return at;
}

// The force of a row at the coordinate c, with the inverse mass of the row (graph/softness.h).
static double force_of(const b2d_scalar_rows* rows, int32_t lane, double c, double inverse_mass, double h) {
    const double stiffness = (double)rows->spring_bias_rate[lane] * (double)rows->spring_mass_scale[lane] /
                             ((double)rows->spring_impulse_scale[lane] * h * inverse_mass);
    return fmin(fmax(-stiffness * (c - (double)rows->target[lane]), (double)rows->spring_low[lane] / h),
                (double)rows->spring_high[lane] / h);
}

// The work of a force, or less, along the way of the bodies or in the time at their velocities
static double most_work(double force, double way, double speed, double dt) {
    return fabs(force) * fmax(fabs(way), dt * fabs(speed));
}

static double work_about_angle(const place* start, double h, double dt) {
    const b2d_body_state *a = start->a, *b = start->b;
    const double inverse_mass = (double)a->inverse_inertia + (double)b->inverse_inertia;
    if (!(inverse_mass > 0.0)) return 0.0;
    const double c = (double)start->rows->start_angle[start->lane], way = (double)b->angle - (double)a->angle;
    return most_work(force_of(&start->rows->angle, start->lane, c, inverse_mass, h), way, (double)b->w - (double)a->w,
                     dt);
}

// The unit vector of the line, and the coordinate along it.
static double along(const place* at, vector* n) {
    const b2d_joint_rows* rows = at->rows;
    if (rows->distance_on[at->lane] > 0.0f) {
        const double length = sqrt(dot(at->d, at->d));
        *n = length > 0.0 ? (vector){at->d.x / length, at->d.y / length} : (vector){0.0, 0.0};
        return length;
    }
    *n = turned((vector){(double)rows->axis_x[at->lane], (double)rows->axis_y[at->lane]},
                rows->axis_on_b[at->lane] > 0.0f ? at->turn_b : at->turn_a);
    return dot(*n, at->d);
}

static double work_along_line(const place* start, const place* end, double h, double dt) {
    const bool on_b = start->rows->axis_on_b[start->lane] > 0.0f;
    const b2d_body_state *a = start->a, *b = start->b;
    vector n, m;
    const double c = along(start, &n);
    const vector arm_a = on_b ? start->ra : (vector){start->ra.x + start->d.x, start->ra.y + start->d.y},
                 arm_b = on_b ? (vector){start->rb.x - start->d.x, start->rb.y - start->d.y} : start->rb,
                 v = {(double)b->vx - (double)a->vx, (double)b->vy - (double)a->vy};
    const double lever_a = cross(arm_a, n), lever_b = cross(arm_b, n),
                 inverse_mass = (double)a->inverse_mass + (double)b->inverse_mass +
                                (double)a->inverse_inertia * lever_a * lever_a +
                                (double)b->inverse_inertia * lever_b * lever_b,
                 speed = dot(n, v) + lever_b * (double)b->w - lever_a * (double)a->w;
    return most_work(force_of(&start->rows->line, start->lane, c, inverse_mass, h), along(end, &m) - c, speed, dt);
}

// In the plane no lever makes the spring weaker here, so the force may count as greater than it is.
static double work_in_plane(const place* start, const place* end, double h, double dt) {
    const b2d_joint_rows* rows = start->rows;
    const int32_t lane = start->lane;
    const b2d_body_state *a = start->a, *b = start->b;
    const double rate = (double)rows->plane_spring_bias_rate[lane],
                 scale = (double)rows->plane_spring_mass_scale[lane], // negative: the spring is given by its stiffness
        mass = (double)a->inverse_mass + (double)b->inverse_mass,
                 stiffness = scale < 0.0 ? -rate / (scale * h)
                                         : rate * scale / ((double)rows->plane_spring_impulse_scale[lane] * h * mass);
    const vector way = {end->d.x - start->d.x, end->d.y - start->d.y},
                 v = {(double)b->vx - (double)b->w * start->rb.y - (double)a->vx + (double)a->w * start->ra.y,
                      (double)b->vy + (double)b->w * start->rb.x - (double)a->vy - (double)a->w * start->ra.x};
    const double force = fmin(stiffness * sqrt(dot(start->d, start->d)), (double)rows->plane_spring_max[lane] / h);
    return most_work(force, sqrt(dot(way, way)), sqrt(dot(v, v)), dt);
}

static double power_of(const b2d_scalar_rows* rows, int32_t lane) {
    return rows->motor_on[lane] > 0.0f ? (double)rows->motor_max[lane] * fabs((double)rows->motor_speed[lane]) : 0.0;
}

double b2d_joint_most_work(b2d_world* world, const b2d_joint* joint, float dt) {
    if (joint->lane_index == B2D_NONE) return 0.0;
    const place start = place_of(world, joint, false), end = place_of(world, joint, true);
    const b2d_joint_rows* rows = start.rows;
    const double h = (double)world->graph.impulse_h, time = (double)dt;
    const int32_t lane = start.lane;
    double springs = 0.0, motors = 0.0;
    if (start.have & B2D_ROWS_ANGLE) {
        motors += power_of(&rows->angle, lane);
        if (rows->angle.spring_on[lane] > 0.0f) springs += work_about_angle(&start, h, time);
    }
    if (start.have & B2D_ROWS_LINE) {
        motors += power_of(&rows->line, lane);
        if (rows->line.spring_on[lane] > 0.0f) springs += work_along_line(&start, &end, h, time);
    }
    if (start.have & B2D_ROWS_PLANE) {
        const double x = fabs((double)rows->plane_motor_vx[lane]), y = fabs((double)rows->plane_motor_vy[lane]);
        if (rows->plane_motor_by_axis_on[lane] > 0.0f)
            motors += (double)rows->plane_motor_max[lane] * x + (double)rows->plane_motor_max_y[lane] * y;
        else if (rows->plane_motor_on[lane] > 0.0f) motors += (double)rows->plane_motor_max[lane] * sqrt(x * x + y * y);
        if (rows->plane_spring_on[lane] > 0.0f) springs += work_in_plane(&start, &end, h, time);
    }
    return springs + motors / h * time;
}
