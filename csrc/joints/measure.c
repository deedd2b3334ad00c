// csrc/joints/measure.c - anchors, coordinates, speeds and loads of joints, for the rows and for the user.
#include "joints/measure.h"
#include "joints/joint_type.h"

#include <math.h>

#define PI 3.14159265358979323846f

float b2d_joint_angle(const b2d_joint* joint, const b2d_pose* poses, const b2d_body* bodies) {
    const b2d_pose* a = &poses[joint->body[0]];
    const b2d_pose* b = &poses[joint->body[1]];
    b2d_rot relative = b2d_rot_relative((b2d_rot){a->c, a->s}, (b2d_rot){b->c, b->s});
    float offset = joint->frame_angle[1] - joint->frame_angle[0];
    // The precise part comes from the relative rotation. The difference of the two body angles, each in (-pi, pi], may
    // differ from it by a whole turn: when the angles have different signs and the shorter way does not pass zero.
    float fine = b2d_atan2(relative.s, relative.c);
    int32_t whole = bodies[joint->body[1]].turns - bodies[joint->body[0]].turns;
    if (a->s < 0.0f && b->s >= 0.0f && fine < 0.0f) whole++;
    if (a->s >= 0.0f && b->s < 0.0f && fine > 0.0f) whole--;
    return fine + 2.0f * PI * (float)whole + offset;
}

b2d_joint_place b2d_place_joint(const b2d_joint* joint, const b2d_pose* poses) {
    const b2d_pose *a = &poses[joint->body[0]], *b = &poses[joint->body[1]];
    b2d_rot qa = {a->c, a->s}, qb = {b->c, b->s};
    b2d_joint_place place;
    place.ra = b2d_rotate(qa, b2d_sub(joint->anchor[0], b2d_v(a->cx, a->cy)));
    place.rb = b2d_rotate(qb, b2d_sub(joint->anchor[1], b2d_v(b->cx, b->cy)));
    b2d_vec2 ca = b2d_pose_center(a), cb = b2d_pose_center(b);
    b2d_vec2 centers = {(float)(b->x - a->x) + (cb.x - ca.x), (float)(b->y - a->y) + (cb.y - ca.y)};
    place.d = b2d_add(centers, b2d_sub(place.rb, place.ra));
    if (b2d_joint_type_of(joint)->line == B2D_LINE_ROD) {
        float length;
        place.axis = b2d_normalize(place.d, &length);
        place.value = length;
    } else {
        b2d_rot frame = b2d_make_rot((double)joint->frame_angle[0]);
        place.axis = b2d_rotate(qa, b2d_v(frame.c, frame.s));
        place.value = b2d_dot(place.axis, place.d);
    }
    return place;
}

float b2d_spring_inverse_mass(const b2d_joint* joint, const b2d_pose* poses, const b2d_inverse_masses* of,
                              uint8_t rows) {
    if (rows == B2D_ROWS_ANGLE) return of->inertia[0] + of->inertia[1];
    const b2d_joint_place place = b2d_place_joint(joint, poses);
    const float mass = of->mass[0] + of->mass[1];
    if (rows == B2D_ROWS_PLANE)
        return mass +
               0.5f * (of->inertia[0] * b2d_dot(place.ra, place.ra) + of->inertia[1] * b2d_dot(place.rb, place.rb));
    const float lever_a = b2d_cross(b2d_add(place.d, place.ra), place.axis), lever_b = b2d_cross(place.rb, place.axis);
    return mass + of->inertia[0] * lever_a * lever_a + of->inertia[1] * lever_b * lever_b;
}

b2d_rot b2d_joint_axes(const b2d_joint* joint, const b2d_pose* poses) {
    const int32_t side = b2d_joint_axes_side(joint);
    if (side == B2D_NONE) return (b2d_rot){1.0f, 0.0f};
    const b2d_pose* pose = &poses[joint->body[side]];
    const b2d_rot frame = b2d_make_rot((double)joint->frame_angle[side]);
    const b2d_vec2 x = b2d_rotate((b2d_rot){pose->c, pose->s}, b2d_v(frame.c, frame.s));
    return (b2d_rot){x.x, x.y};
}

b2d_coupling b2d_couple(const b2d_joint* joint, const b2d_coordinate coordinates[2]) {
    b2d_coupling coupling = {.value = -joint->total};
    for (int32_t side = 0; side < 2; side++) {
        float factor = side == 0 ? 1.0f : joint->ratio;
        coupling.coordinate[side] = coordinates[side].value;
        coupling.value += factor * coordinates[side].value;
        coupling.n[side] = b2d_scale(factor, coordinates[side].n);
        coupling.lever[side] = factor * coordinates[side].lever;
    }
    return coupling;
}

void b2d_start_coupling(const b2d_graph* graph, const b2d_pose* poses, float linear_slop, b2d_joint* joint) {
    (void)linear_slop;
    if (joint->total < (float)B2D_UNMEASURED) return;
    joint->total = 0.0f;
    joint->total = b2d_joint_type_of(joint)->coupling(graph, poses, joint).value;
}

static b2d_coupling coupling_of(const b2d_joint_view* view) {
    return b2d_joint_type_of(view->joint)->coupling(view->graph, view->poses, view->joint);
}

// `speed` has the sign that it has in the lane; `reach` turns it into m/s.
static bool row_drives(const b2d_scalar_rows* rows, int32_t lane, float speed, float reach, float still) {
    const float target = rows->motor_speed[lane];
    if (rows->spring_on[lane] > 0.0f && fabsf(speed) * reach > still) return true;
    return rows->motor_on[lane] > 0.0f && rows->motor_max[lane] > 0.0f && target != 0.0f &&
           (target < 0.0f ? -speed : speed) * reach > b2d_min(still, 0.5f * fabsf(target) * reach);
}

static bool plane_drives(const b2d_joint_rows* rows, int32_t lane, b2d_vec2 velocity, float still) {
    const b2d_vec2 target = {rows->plane_motor_vx[lane], rows->plane_motor_vy[lane]};
    const bool motor = rows->plane_motor_on[lane] > 0.0f || rows->plane_motor_by_axis_on[lane] > 0.0f;
    const float wanted = b2d_length(target);
    if (rows->plane_spring_on[lane] > 0.0f && b2d_length(velocity) > still) return true;
    return motor && wanted > 0.0f && b2d_dot(velocity, target) > b2d_min(still, 0.5f * wanted) * wanted;
}

bool b2d_joint_drives(const b2d_joint_view* view, float still) {
    const b2d_graph* graph = view->graph;
    const b2d_joint* joint = view->joint;
    const int32_t block = joint->lane_index / B2D_LANES, lane = joint->lane_index % B2D_LANES,
                  have = graph->joint_block_rows[block];
    const b2d_joint_rows* rows = &graph->joint_rows[block];
    const float sign = (joint->flags & B2D_JOINT_FLIP) != 0 ? -1.0f : 1.0f;
    double speed[2];
    if (have & B2D_ROWS_ANGLE) {
        float reach = 0.0f;
        for (int32_t side = 0; side < 2; side++)
            if (b2d_moves(graph, joint->body[side])) reach = b2d_max(reach, graph->bodies[joint->body[side]].extent);
        b2d_read_angular_speed(view, speed);
        if (row_drives(&rows->angle, lane, sign * (float)speed[0], reach, still)) return true;
    }
    if ((have & B2D_ROWS_LINE) && (rows->slide_on[lane] > 0.0f || rows->distance_on[lane] > 0.0f)) {
        b2d_read_line_speed(view, speed);
        if (row_drives(&rows->line, lane, (float)speed[0], 1.0f, still)) return true;
    }
    if (!(have & B2D_ROWS_PLANE)) return false;
    b2d_read_relative_velocity(view, speed);
    const b2d_vec2 velocity = {sign * (float)speed[0], sign * (float)speed[1]};
    return plane_drives(rows, lane, b2d_unrotate(b2d_joint_axes(joint, view->poses), velocity), still);
}

static bool row_is_passive(const b2d_scalar_rows* rows, int32_t lane) {
    return !(rows->spring_on[lane] > 0.0f) &&
           !(rows->motor_on[lane] > 0.0f && rows->motor_max[lane] > 0.0f && rows->motor_speed[lane] != 0.0f);
}

bool b2d_joint_is_passive(const b2d_graph* graph, const b2d_joint* joint) {
    if (joint->lane_index == B2D_NONE) return false;
    const int32_t block = joint->lane_index / B2D_LANES, lane = joint->lane_index % B2D_LANES,
                  have = graph->joint_block_rows[block];
    const b2d_joint_rows* rows = &graph->joint_rows[block];
    if ((have & B2D_ROWS_ANGLE) && !row_is_passive(&rows->angle, lane)) return false;
    if ((have & B2D_ROWS_LINE) && !row_is_passive(&rows->line, lane)) return false;
    if (!(have & B2D_ROWS_PLANE)) return true;
    const bool motor = rows->plane_motor_on[lane] > 0.0f || rows->plane_motor_by_axis_on[lane] > 0.0f;
    return !(rows->plane_spring_on[lane] > 0.0f) &&
           !(motor && (rows->plane_motor_vx[lane] != 0.0f || rows->plane_motor_vy[lane] != 0.0f));
}

double b2d_distance_of_anchors(const b2d_joint_view* view) {
    b2d_vec2 d = b2d_place_joint(view->joint, view->poses).d;
    return sqrt((double)d.x * d.x + (double)d.y * d.y);
}

double b2d_distance_outside(double x, double lower, double upper) {
    return x < lower ? lower - x : (x > upper ? x - upper : 0.0);
}

double b2d_distance_from_slide(const b2d_joint_view* view) {
    const b2d_joint* joint = view->joint;
    b2d_joint_place place = b2d_place_joint(joint, view->poses);
    double across = (double)b2d_cross(place.axis, place.d), along = 0.0;
    if (joint->flags & B2D_JOINT_LIMIT)
        along = b2d_distance_outside((double)place.value, (double)joint->lower, (double)joint->upper);
    return sqrt(across * across + along * along);
}

double b2d_angle_of_frames(const b2d_joint_view* view) {
    return fabs((double)b2d_joint_angle(view->joint, view->poses, view->graph->bodies));
}

void b2d_read_zero(const b2d_joint_view* view, double out[2]) {
    (void)view;
    out[0] = 0.0;
}

void b2d_read_one(const b2d_joint_view* view, double out[2]) {
    (void)view;
    out[0] = 1.0;
}

void b2d_read_angle(const b2d_joint_view* view, double out[2]) {
    out[0] = (double)b2d_joint_angle(view->joint, view->poses, view->graph->bodies);
}

void b2d_read_line(const b2d_joint_view* view, double out[2]) {
    out[0] = (double)b2d_place_joint(view->joint, view->poses).value;
}

void b2d_read_coordinate_a(const b2d_joint_view* view, double out[2]) {
    out[0] = (double)coupling_of(view).coordinate[0];
}

void b2d_read_coordinate_b(const b2d_joint_view* view, double out[2]) {
    out[0] = (double)coupling_of(view).coordinate[1];
}

void b2d_read_angular_speed(const b2d_joint_view* view, double out[2]) {
    out[0] = (double)view->angular_velocity[1] - (double)view->angular_velocity[0];
}

void b2d_read_line_speed(const b2d_joint_view* view, double out[2]) {
    b2d_joint_place place = b2d_place_joint(view->joint, view->poses);
    double linear = (double)b2d_dot(place.axis, b2d_sub(view->velocity[1], view->velocity[0]));
    out[0] = linear + (double)view->angular_velocity[1] * (double)b2d_cross(place.rb, place.axis) -
             (double)view->angular_velocity[0] * (double)b2d_cross(b2d_add(place.d, place.ra), place.axis);
}

void b2d_read_coordinate_a_speed(const b2d_joint_view* view, double out[2]) {
    b2d_coupling coupling = coupling_of(view);
    out[0] = (double)b2d_dot(coupling.n[0], view->velocity[0]) +
             (double)coupling.lever[0] * (double)view->angular_velocity[0];
    if (view->joint->joint[0] == B2D_NONE) return;
    const b2d_joint* driven = &view->graph->joints[view->joint->joint[0]];
    const b2d_coordinate base = b2d_joint_type_of(driven)->coordinate(view->graph, view->poses, driven,
                                                                      driven->body[0] == view->joint->body[0]);
    out[0] += (double)b2d_dot(base.n, view->base_velocity) + (double)base.lever * (double)view->base_angular_velocity;
}

void b2d_read_relative_position(const b2d_joint_view* view, double out[2]) {
    b2d_vec2 d = b2d_place_joint(view->joint, view->poses).d;
    out[0] = (double)d.x, out[1] = (double)d.y;
}

void b2d_read_relative_velocity(const b2d_joint_view* view, double out[2]) {
    const b2d_vec2* v = view->velocity;
    const float* w = view->angular_velocity;
    b2d_joint_place place = b2d_place_joint(view->joint, view->poses);
    const bool both = b2d_moves(view->graph, view->joint->body[0]) && b2d_moves(view->graph, view->joint->body[1]);
    const uint8_t midway = B2D_ROWS_PLANE | B2D_ROWS_ANGLE; // movers, without rows of the angle, act at their anchors
    if ((b2d_joint_type_of(view->joint)->rows & midway) == midway && both) {
        const b2d_vec2 half = b2d_scale(0.5f, place.d);
        place.ra = b2d_add(place.ra, half), place.rb = b2d_sub(place.rb, half);
    }
    out[0] = ((double)v[1].x - (double)w[1] * (double)place.rb.y) -
             ((double)v[0].x - (double)w[0] * (double)place.ra.y);
    out[1] = ((double)v[1].y + (double)w[1] * (double)place.rb.x) -
             ((double)v[0].y + (double)w[0] * (double)place.ra.x);
}

void b2d_read_constraint_force(const b2d_joint_view* view, double out[2]) {
    const b2d_joint_load load = b2d_joint_read_load(view->graph, view->id);
    out[0] = (double)load.x, out[1] = (double)load.y;
}

void b2d_read_constraint_torque(const b2d_joint_view* view, double out[2]) {
    out[0] = (double)b2d_joint_read_load(view->graph, view->id).torque;
}

static void separation_of(const b2d_joint_view* view, double* linear, double* angular) {
    const b2d_joint_type* type = b2d_joint_type_of(view->joint);
    *linear = *angular = 0.0;
    if (type->separation != NULL) type->separation(view, linear, angular);
}

void b2d_read_linear_separation(const b2d_joint_view* view, double out[2]) {
    double angular;
    separation_of(view, &out[0], &angular);
}

void b2d_read_angular_separation(const b2d_joint_view* view, double out[2]) {
    double linear;
    separation_of(view, &linear, &out[0]);
}
