// csrc/joints/joint_lane.c - writes the rows of a joint: switches, softness, bounds and targets.
#include "joints/joint_lane.h"
#include "joints/joint_type.h"

// Switches a row on or off; returns the share of its impulse that stays.
static float switch_row(const b2d_joint_lane* lane, float* on, bool wanted) {
    on[lane->lane] = wanted ? 1.0f : 0.0f;
    return wanted ? lane->impulse_ratio : 0.0f;
}

// With a share of 0 the old impulse, which could be NaN or -0, does not enter.
static void keep_impulse(const b2d_joint_lane* lane, float* impulse, float share) {
    impulse[lane->lane] = share == 0.0f ? 0.0f : impulse[lane->lane] * share;
}

static float impulse_bound(const b2d_joint_lane* lane, float force) {
    return b2d_max(-B2D_LARGEST, b2d_min(lane->h * force, B2D_LARGEST));
}

// In the plane a spring given by its stiffness is as soft in all directions, whatever the effective mass is in each.
static b2d_softness make_spring(const b2d_joint_lane* lane, uint8_t rows, float hertz, float damping_ratio) {
    if (hertz >= 0.0f) return b2d_make_spring(hertz, damping_ratio, lane->h);
    const float inverse_mass = b2d_spring_inverse_mass(lane->joint, lane->poses, &lane->inverse, rows);
    b2d_softness soft = b2d_make_newton_spring(-hertz, damping_ratio, inverse_mass, lane->h);
    if (rows == B2D_ROWS_PLANE)
        soft.mass_scale = -b2d_max(inverse_mass * soft.impulse_scale / soft.mass_scale, 1.0e-30f);
    return soft;
}

void b2d_fill_spring(const b2d_joint_lane* lane, b2d_scalar_rows* rows, bool on, float hertz, float damping_ratio,
                     float low, float high) {
    const int32_t k = lane->lane;
    keep_impulse(lane, rows->spring_impulse, switch_row(lane, rows->spring_on, on && hertz != 0.0f));
    const uint8_t kind = rows == &lane->rows->angle ? B2D_ROWS_ANGLE : B2D_ROWS_LINE;
    b2d_softness soft = make_spring(lane, kind, hertz, damping_ratio);
    rows->spring_bias_rate[k] = soft.bias_rate;
    rows->spring_mass_scale[k] = soft.mass_scale;
    rows->spring_impulse_scale[k] = soft.impulse_scale;
    rows->spring_low[k] = impulse_bound(lane, low);
    rows->spring_high[k] = impulse_bound(lane, high);
}

void b2d_fill_motor(const b2d_joint_lane* lane, b2d_scalar_rows* rows, bool on, float speed, float max) {
    keep_impulse(lane, rows->motor_impulse, switch_row(lane, rows->motor_on, on));
    rows->motor_speed[lane->lane] = speed;
    rows->motor_max[lane->lane] = impulse_bound(lane, max);
}

void b2d_fill_limits(const b2d_joint_lane* lane, b2d_scalar_rows* rows, bool on, float lower, float upper) {
    float share = switch_row(lane, rows->limit_on, on);
    keep_impulse(lane, rows->lower_impulse, share);
    keep_impulse(lane, rows->upper_impulse, share);
    rows->lower[lane->lane] = b2d_max(lower, -1.0e9f);
    rows->upper[lane->lane] = b2d_min(upper, 1.0e9f);
}

void b2d_fill_angle_limits(const b2d_joint_lane* lane, bool on, float lower, float upper) {
    b2d_fill_limits(lane, &lane->rows->angle, on, lane->flip ? -upper : lower, lane->flip ? -lower : upper);
}

void b2d_fill_rigid(const b2d_joint_lane* lane, b2d_scalar_rows* rows, bool on) {
    keep_impulse(lane, rows->rigid_impulse, switch_row(lane, rows->rigid_on, on));
}

uint8_t b2d_fill_angle(const b2d_joint_lane* lane, float target) {
    lane->rows->angle.target[lane->lane] = b2d_in_lane_order(lane, target);
    return B2D_ROWS_ANGLE;
}

uint8_t b2d_fill_point(const b2d_joint_lane* lane, bool on) {
    lane->rows->point_off[lane->lane] = on ? 0.0f : 1.0f;
    return on ? 0 : B2D_ROWS_NO_POINT;
}

uint8_t b2d_fill_line(const b2d_joint_lane* lane, bool across) {
    const int32_t k = lane->lane;
    const bool slide = b2d_joint_type_of(lane->joint)->line == B2D_LINE_SLIDE;
    b2d_joint_rows* rows = lane->rows;
    rows->slide_on[k] = slide ? 1.0f : 0.0f;
    rows->distance_on[k] = slide ? 0.0f : 1.0f;
    rows->across_on[k] = across ? 1.0f : 0.0f;
    rows->axis_on_b[k] = lane->flip ? 1.0f : 0.0f;
    rows->line.target[k] = lane->joint->spring_target;
    keep_impulse(lane, rows->across_impulse, lane->impulse_ratio);
    return B2D_ROWS_LINE | b2d_fill_point(lane, false);
}

void b2d_fill_plane_spring(const b2d_joint_lane* lane, bool on, float hertz, float damping_ratio, float max) {
    const int32_t k = lane->lane;
    b2d_joint_rows* rows = lane->rows;
    float share = switch_row(lane, rows->plane_spring_on, on && hertz != 0.0f);
    keep_impulse(lane, rows->plane_spring_x, share);
    keep_impulse(lane, rows->plane_spring_y, share);
    b2d_softness soft = make_spring(lane, B2D_ROWS_PLANE, hertz, damping_ratio);
    rows->plane_spring_bias_rate[k] = soft.bias_rate;
    rows->plane_spring_mass_scale[k] = soft.mass_scale;
    rows->plane_spring_impulse_scale[k] = soft.impulse_scale;
    rows->plane_spring_max[k] = impulse_bound(lane, max);
}

void b2d_fill_plane_motor(const b2d_joint_lane* lane, const float velocity[2], const float max[2], bool by_axis) {
    const int32_t k = lane->lane;
    b2d_joint_rows* rows = lane->rows;
    float share = switch_row(lane, by_axis ? rows->plane_motor_by_axis_on : rows->plane_motor_on,
                             max[0] > 0.0f || (by_axis && max[1] > 0.0f));
    keep_impulse(lane, rows->plane_motor_x, share);
    keep_impulse(lane, rows->plane_motor_y, share);
    rows->plane_motor_vx[k] = b2d_in_lane_order(lane, velocity[0]);
    rows->plane_motor_vy[k] = b2d_in_lane_order(lane, velocity[1]);
    rows->plane_motor_max[k] = impulse_bound(lane, max[0]);
    if (!by_axis) return;
    rows->plane_motor_max_y[k] = impulse_bound(lane, max[1]);
    const int32_t side = b2d_joint_axes_side(lane->joint);
    const b2d_rot axis = b2d_make_rot(side == B2D_NONE ? 0.0 : (double)lane->joint->frame_angle[side]);
    rows->plane_turns_with_a[k] = side == (lane->flip ? 1 : 0) ? 1.0f : 0.0f;
    rows->plane_turns_with_b[k] = side == (lane->flip ? 0 : 1) ? 1.0f : 0.0f;
    rows->plane_local_x[k] = axis.c, rows->plane_local_y[k] = axis.s;
}

uint8_t b2d_fill_coupling(const b2d_joint_lane* lane) {
    const int32_t k = lane->lane, a = lane->flip;
    b2d_joint_rows* rows = lane->rows;
    b2d_coupling coupling = b2d_joint_type_of(lane->joint)->coupling(lane->graph, lane->poses, lane->joint);
    keep_impulse(lane, rows->coupling_impulse, switch_row(lane, rows->coupling_on, true));
    rows->coupling_value[k] = coupling.value;
    rows->coupling_ax[k] = coupling.n[a].x, rows->coupling_ay[k] = coupling.n[a].y,
    rows->coupling_aw[k] = coupling.lever[a];
    rows->coupling_bx[k] = coupling.n[!a].x, rows->coupling_by[k] = coupling.n[!a].y,
    rows->coupling_bw[k] = coupling.lever[!a];
    return B2D_ROWS_COUPLING | B2D_ROWS_EVERY_STEP | b2d_fill_point(lane, false);
}
