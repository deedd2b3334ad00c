// csrc/solver/prepare_joint.c - lays joints into their lanes: which rows are on, softness, bounds, frames.
//
// That is done only where something changed (B2D_ROWS_UNKNOWN) or must be seen anew in every step (links, ratchets);
// what moves with the bodies is placed in every step by joint_place_wide.inl. One branch a type chooses the rows;
// everything else is common. Values are in the user's order until they are written: angles, point and plane rows turn
// their sign in a flipped lane, rows along a line turn their axis instead (graph/joint_block.h).
#include "solver/prepare.h"

#include <string.h>

#define PI      3.14159265358979323846f
#define LARGEST 3.0e38f // stands for infinity in lanes

float b2d_joint_angle(const b2d_joint* joint, const b2d_pose* poses, const b2d_body* bodies) {
    const b2d_pose* a = &poses[joint->body[0]];
    const b2d_pose* b = &poses[joint->body[1]];
    b2d_rot relative = b2d_rot_relative((b2d_rot){a->c, a->s}, (b2d_rot){b->c, b->s});
    float offset = joint->frame_angle[1] - joint->frame_angle[0];
    // The precise part comes from the relative rotation. Their angles, in (-pi, pi], may differ by a whole turn from
    // it: when they lie on both sides of zero and it goes the other way round.
    float fine = b2d_atan2(relative.s, relative.c);
    int32_t whole = bodies[joint->body[1]].turns - bodies[joint->body[0]].turns;
    if (a->s < 0.0f && b->s >= 0.0f && fine < 0.0f) whole++;
    if (a->s >= 0.0f && b->s < 0.0f && fine > 0.0f) whole--;
    return fine + 2.0f * PI * (float)whole + offset;
}

float b2d_ratchet_angle(const b2d_joint* joint, float angle, float* tooth) {
    const float early = 1.0e-3f; // of a tooth: one that rounding keeps the joint just before counts as passed
    float passed = (angle - joint->lower) / joint->ratio + early,
          whole = (float)(int64_t)b2d_max(-1.0e9f, b2d_min(passed, 1.0e9f));
    *tooth = b2d_max(*tooth, whole > passed ? whole - 1.0f : whole);
    return joint->lower + *tooth * joint->ratio;
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
    place.axis = b2d_v(0.0f, 0.0f);
    if (joint->type == B2D_DISTANCE) {
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

b2d_joint_link b2d_link_joint(const b2d_graph* graph, const b2d_joint* joint, const b2d_pose* poses) {
    b2d_joint_link link = {.value = -joint->total};
    for (int32_t side = 0; side < 2; side++) {
        float factor = side == 0 ? 1.0f : joint->ratio;
        b2d_vec2 n = {0.0f, 0.0f};
        float lever = 0.0f, value;
        if (joint->type == B2D_PULLEY) {
            const b2d_pose* pose = &poses[joint->body[side]];
            b2d_rot q = {pose->c, pose->s};
            b2d_vec2 arm = b2d_rotate(q, joint->anchor[side]), r = b2d_sub(arm, b2d_pose_center(pose));
            b2d_vec2 d = {(float)(pose->x - joint->ground[side][0]) + arm.x,
                          (float)(pose->y - joint->ground[side][1]) + arm.y};
            n = b2d_normalize(d, &value);
            lever = b2d_cross(r, n);
        } else { // of a gear: the coordinate of the joint it drives, by the motion of that joint's moving body
            const b2d_joint* driven = &graph->joints[joint->joint[side]];
            bool second = driven->body[1] == joint->body[side];
            float sign = second ? 1.0f : -1.0f;
            if (driven->type == B2D_REVOLUTE) {
                value = b2d_joint_angle(driven, poses, graph->bodies);
                lever = sign;
            } else {
                b2d_joint_place place = b2d_place_joint(driven, poses);
                value = place.value;
                n = b2d_scale(sign, place.axis);
                lever = b2d_cross(second ? place.rb : b2d_add(place.d, place.ra), n);
            }
        }
        link.length[side] = value;
        link.value += factor * value;
        link.n[side] = b2d_scale(factor, n);
        link.lever[side] = factor * lever;
    }
    return link;
}

// One joint on its way into its lane.
typedef struct filling {
    const b2d_solver* solver;
    const b2d_joint* joint;
    b2d_joint_rows* rows;
    int32_t lane_index, lane;
    bool flip;
    float ratio; // of impulses kept from the step before
} filling;

static float switched(const filling* f, float* on, bool wanted) { // factor of the row's impulses
    on[f->lane] = wanted ? 1.0f : 0.0f;
    return wanted ? f->ratio : 0.0f;
}

// A row that is off loses its impulse; a factor that is 0 must not leave a NaN or -0 of an old one.
static void keep_impulse(const filling* f, float* impulse, float factor) {
    impulse[f->lane] = factor == 0.0f ? 0.0f : impulse[f->lane] * factor;
}

static float impulse_bound(const filling* f, float force) {
    return b2d_max(-LARGEST, b2d_min(f->solver->h * force, LARGEST));
}

static void fill_spring(const filling* f, b2d_scalar_rows* rows, bool on, float hertz, float damping_ratio, float low,
                        float high) {
    int32_t lane = f->lane;
    keep_impulse(f, rows->spring_impulse, switched(f, rows->spring_on, on && hertz > 0.0f));
    b2d_softness soft = b2d_make_softness(hertz, damping_ratio, f->solver->h);
    rows->spring_bias_rate[lane] = soft.bias_rate;
    rows->spring_mass_scale[lane] = soft.mass_scale;
    rows->spring_impulse_scale[lane] = soft.impulse_scale;
    rows->spring_low[lane] = impulse_bound(f, low);
    rows->spring_high[lane] = impulse_bound(f, high);
}

static void fill_motor(const filling* f, b2d_scalar_rows* rows, bool on, float speed, float max) {
    keep_impulse(f, rows->motor_impulse, switched(f, rows->motor_on, on));
    rows->motor_speed[f->lane] = speed;
    rows->motor_max[f->lane] = impulse_bound(f, max);
}

static void fill_limits(const filling* f, b2d_scalar_rows* rows, bool on, float lower, float upper) {
    float factor = switched(f, rows->limit_on, on);
    keep_impulse(f, rows->lower_impulse, factor);
    keep_impulse(f, rows->upper_impulse, factor);
    rows->lower[f->lane] = b2d_max(lower, -1.0e9f);
    rows->upper[f->lane] = b2d_min(upper, 1.0e9f);
}

static void fill_rigid(const filling* f, b2d_scalar_rows* rows, bool on) {
    keep_impulse(f, rows->rigid_impulse, switched(f, rows->rigid_on, on));
}

static uint8_t fill_angle(const filling* f, float target) {
    f->rows->angle.target[f->lane] = f->flip ? -target : target;
    return B2D_ROWS_ANGLE;
}

static uint8_t fill_line(const filling* f, bool slide, bool across) {
    int32_t lane = f->lane;
    const b2d_joint* joint = f->joint;
    b2d_joint_rows* rows = f->rows;
    rows->slide_on[lane] = slide ? 1.0f : 0.0f;
    rows->distance_on[lane] = slide ? 0.0f : 1.0f;
    rows->across_on[lane] = across ? 1.0f : 0.0f;
    rows->axis_on_b[lane] = f->flip ? 1.0f : 0.0f;
    rows->point_off[lane] = 1.0f;
    rows->line.target[lane] = joint->spring_target;
    keep_impulse(f, rows->cross_impulse, f->ratio);
    return B2D_ROWS_LINE | B2D_ROWS_NO_POINT;
}

static void fill_pull(const filling* f, bool on, float hertz, float damping_ratio, float max) {
    int32_t lane = f->lane;
    b2d_joint_rows* rows = f->rows;
    float factor = switched(f, rows->pull_on, on && hertz > 0.0f);
    keep_impulse(f, rows->pull_x, factor);
    keep_impulse(f, rows->pull_y, factor);
    b2d_softness soft = b2d_make_softness(hertz, damping_ratio, f->solver->h);
    rows->pull_bias_rate[lane] = soft.bias_rate;
    rows->pull_mass_scale[lane] = soft.mass_scale;
    rows->pull_impulse_scale[lane] = soft.impulse_scale;
    rows->pull_max[lane] = impulse_bound(f, max);
}

static uint8_t fill_revolute(const filling* f) {
    const b2d_joint* joint = f->joint;
    bool spring = (joint->flags & B2D_JOINT_SPRING) != 0, motor = (joint->flags & B2D_JOINT_MOTOR) != 0,
         limit = (joint->flags & B2D_JOINT_LIMIT) != 0;
    bool any = spring || motor || limit;
    float speed = f->flip ? -joint->motor_speed : joint->motor_speed;
    fill_spring(f, &f->rows->angle, spring, joint->spring_hertz, joint->spring_damping_ratio, -LARGEST, LARGEST);
    fill_motor(f, &f->rows->angle, motor, speed, joint->motor_max);
    fill_limits(f, &f->rows->angle, limit, f->flip ? -joint->upper : joint->lower,
                f->flip ? -joint->lower : joint->upper);
    return any ? fill_angle(f, joint->spring_target) : 0;
}

static uint8_t fill_slide(const filling* f) {
    const b2d_joint* joint = f->joint;
    bool wheel = joint->type == B2D_WHEEL, motor = (joint->flags & B2D_JOINT_MOTOR) != 0;
    fill_spring(f, &f->rows->line, (joint->flags & B2D_JOINT_SPRING) != 0, joint->spring_hertz,
                joint->spring_damping_ratio, -LARGEST, LARGEST);
    fill_motor(f, &f->rows->line, motor && !wheel, joint->motor_speed, joint->motor_max);
    fill_limits(f, &f->rows->line, (joint->flags & B2D_JOINT_LIMIT) != 0, joint->lower, joint->upper);
    fill_motor(f, &f->rows->angle, motor && wheel, f->flip ? -joint->motor_speed : joint->motor_speed,
               joint->motor_max);
    fill_rigid(f, &f->rows->angle, !wheel);
    return fill_line(f, true, true) | (wheel && !motor ? 0 : fill_angle(f, 0.0f));
}

static uint8_t fill_distance(const filling* f) {
    const b2d_joint* joint = f->joint;
    bool spring = (joint->flags & B2D_JOINT_SPRING) != 0;
    fill_spring(f, &f->rows->line, spring, joint->spring_hertz, joint->spring_damping_ratio, joint->spring_low,
                joint->spring_high);
    fill_motor(f, &f->rows->line, spring && (joint->flags & B2D_JOINT_MOTOR) != 0, joint->motor_speed,
               joint->motor_max);
    fill_limits(f, &f->rows->line, (joint->flags & B2D_JOINT_LIMIT) != 0, joint->lower, joint->upper);
    fill_rigid(f, &f->rows->line, !spring);
    return fill_line(f, false, false);
}

static uint8_t fill_weld(const filling* f) {
    const b2d_joint* joint = f->joint;
    bool soft = joint->spring_hertz > 0.0f, turns = joint->turn_hertz > 0.0f;
    f->rows->point_off[f->lane] = soft ? 1.0f : 0.0f;
    fill_pull(f, soft, joint->spring_hertz, joint->spring_damping_ratio, LARGEST);
    fill_spring(f, &f->rows->angle, turns, joint->turn_hertz, joint->turn_damping_ratio, -LARGEST, LARGEST);
    fill_rigid(f, &f->rows->angle, !turns);
    return fill_angle(f, 0.0f) | (soft ? B2D_ROWS_PLANE | B2D_ROWS_NO_POINT : 0);
}

static uint8_t fill_drive(const filling* f) {
    const b2d_joint* joint = f->joint;
    int32_t lane = f->lane;
    b2d_joint_rows* rows = f->rows;
    float sign = f->flip ? -1.0f : 1.0f;
    rows->point_off[lane] = 1.0f;
    fill_pull(f, joint->spring_high > 0.0f, joint->spring_hertz, joint->spring_damping_ratio, joint->spring_high);
    float factor = switched(f, rows->drive_on, joint->velocity_max[0] > 0.0f);
    keep_impulse(f, rows->drive_x, factor);
    keep_impulse(f, rows->drive_y, factor);
    rows->drive_vx[lane] = sign * joint->velocity[0];
    rows->drive_vy[lane] = sign * joint->velocity[1];
    rows->drive_max[lane] = impulse_bound(f, joint->velocity_max[0]);
    fill_spring(f, &rows->angle, joint->turn_spring_max > 0.0f, joint->turn_hertz, joint->turn_damping_ratio,
                -joint->turn_spring_max, joint->turn_spring_max);
    fill_motor(f, &rows->angle, joint->motor_max > 0.0f, sign * joint->motor_speed, joint->motor_max);
    return fill_angle(f, 0.0f) | B2D_ROWS_PLANE | B2D_ROWS_NO_POINT;
}

static uint8_t fill_mover(const filling* f) {
    const b2d_joint* joint = f->joint;
    int32_t lane = f->lane;
    b2d_joint_rows* rows = f->rows;
    float sign = f->flip ? -1.0f : 1.0f;
    rows->point_off[lane] = 1.0f;
    float factor = switched(f, rows->drive_xy_on, joint->velocity_max[0] > 0.0f || joint->velocity_max[1] > 0.0f);
    keep_impulse(f, rows->drive_x, factor);
    keep_impulse(f, rows->drive_y, factor);
    rows->drive_vx[lane] = sign * joint->velocity[0];
    rows->drive_vy[lane] = sign * joint->velocity[1];
    rows->drive_max[lane] = impulse_bound(f, joint->velocity_max[0]);
    rows->drive_max_y[lane] = impulse_bound(f, joint->velocity_max[1]);
    return B2D_ROWS_PLANE | B2D_ROWS_NO_POINT;
}

static uint8_t fill_pogo(const filling* f) {
    const b2d_joint* joint = f->joint;
    fill_spring(f, &f->rows->line, true, joint->spring_hertz, joint->spring_damping_ratio, -joint->spring_low,
                joint->spring_high);
    return fill_line(f, true, false);
}

static uint8_t fill_groove(const filling* f) {
    fill_limits(f, &f->rows->line, true, 0.0f, f->joint->upper);
    return fill_line(f, true, true);
}

// The tooth is found once a step, by the lane that has the joint: nobody else looks at it.
static uint8_t fill_ratchet(const filling* f) {
    b2d_joint* joint = &f->solver->graph->joints[f->solver->graph->joint_block_joint[f->lane_index]];
    float held = b2d_ratchet_angle(joint, b2d_joint_angle(joint, f->solver->poses, f->solver->graph->bodies),
                                   &joint->total);
    bool forwards = joint->ratio > 0.0f;
    float lower = forwards ? held : -LARGEST, upper = forwards ? LARGEST : held;
    f->rows->point_off[f->lane] = 1.0f;
    fill_limits(f, &f->rows->angle, true, f->flip ? -upper : lower, f->flip ? -lower : upper);
    return fill_angle(f, 0.0f) | B2D_ROWS_NO_POINT | B2D_ROWS_RESTLESS;
}

static uint8_t fill_rotary_spring(const filling* f) {
    const b2d_joint* joint = f->joint;
    f->rows->point_off[f->lane] = 1.0f;
    fill_spring(f, &f->rows->angle, true, joint->spring_hertz, joint->spring_damping_ratio, -joint->turn_spring_max,
                joint->turn_spring_max);
    return fill_angle(f, joint->spring_target) | B2D_ROWS_NO_POINT;
}

static uint8_t fill_link(const filling* f) {
    int32_t lane = f->lane, a = f->flip;
    b2d_joint_rows* rows = f->rows;
    b2d_joint_link link = b2d_link_joint(f->solver->graph, f->joint, f->solver->poses);
    rows->point_off[lane] = 1.0f;
    keep_impulse(f, rows->link_impulse, switched(f, rows->link_on, true));
    rows->link_value[lane] = link.value;
    rows->link_ax[lane] = link.n[a].x, rows->link_ay[lane] = link.n[a].y, rows->link_aw[lane] = link.lever[a];
    rows->link_bx[lane] = link.n[!a].x, rows->link_by[lane] = link.n[!a].y, rows->link_bw[lane] = link.lever[!a];
    return B2D_ROWS_LINK | B2D_ROWS_NO_POINT | B2D_ROWS_RESTLESS;
}

static uint8_t fill_rows(const filling* f) {
    switch (f->joint->type) {
    case B2D_REVOLUTE: return fill_revolute(f);
    case B2D_DISTANCE: return fill_distance(f);
    case B2D_PRISMATIC:
    case B2D_WHEEL: return fill_slide(f);
    case B2D_WELD: return fill_weld(f);
    case B2D_MOTOR: return fill_drive(f);
    case B2D_MOVER: return fill_mover(f);
    case B2D_POGO: return fill_pogo(f);
    case B2D_GROOVE: return fill_groove(f);
    case B2D_RATCHET: return fill_ratchet(f);
    case B2D_ROTARY_SPRING: return fill_rotary_spring(f);
    default: return fill_link(f);
    }
}

// Softness of the rigid rows; joints of a world mostly share one.
typedef struct rigid_softness {
    float hertz, damping_ratio;
    b2d_softness soft;
} rigid_softness;

static void soften(const b2d_solver* solver, const b2d_joint* joint, rigid_softness* last) {
    float hertz = joint->hertz < 0.0f ? solver->joint_hertz : joint->hertz;
    float damping_ratio = joint->damping_ratio < 0.0f ? solver->joint_damping_ratio : joint->damping_ratio;
    if (hertz == last->hertz && damping_ratio == last->damping_ratio) return;
    *last = (rigid_softness){hertz, damping_ratio, {0.0f, 1.0f, 0.0f}}; // 0 hertz: velocity only
    if (hertz != 0.0f)
        last->soft = b2d_make_softness(b2d_min(hertz, 0.25f * solver->inverse_h), damping_ratio, solver->h);
}

static uint8_t lay_out_joint(const b2d_solver* solver, int32_t lane_index, rigid_softness* rigid) {
    b2d_graph* graph = solver->graph;
    const b2d_joint* joint = &graph->joints[graph->joint_block_joint[lane_index]];
    b2d_joint_block* block = &graph->joint_blocks[lane_index / B2D_LANES];
    b2d_joint_frames* frames = &graph->joint_frames[lane_index / B2D_LANES];
    int32_t lane = lane_index % B2D_LANES;
    bool flip = (joint->flags & B2D_JOINT_FLIP) != 0;
    b2d_rot axis = b2d_make_rot((double)joint->frame_angle[0]);
    frames->ax[lane] = joint->anchor[flip].x, frames->ay[lane] = joint->anchor[flip].y;
    frames->bx[lane] = joint->anchor[!flip].x, frames->by[lane] = joint->anchor[!flip].y;
    frames->flip[lane] = flip ? 1.0f : 0.0f;
    frames->offset[lane] = joint->frame_angle[1] - joint->frame_angle[0];
    frames->axis_x[lane] = axis.c, frames->axis_y[lane] = axis.s;

    soften(solver, joint, rigid);
    block->bias_rate[lane] = rigid->soft.bias_rate;
    block->mass_scale[lane] = rigid->soft.mass_scale;
    block->impulse_scale[lane] = rigid->soft.impulse_scale;
    float ratio = solver->warm_starting ? solver->impulse_ratio : 0.0f;
    block->impulse_x[lane] *= ratio;
    block->impulse_y[lane] *= ratio;
    filling f = {solver, joint, &graph->joint_rows[lane_index / B2D_LANES], lane_index, lane, flip, ratio};
    uint8_t have = fill_rows(&f);
    if (have & B2D_ROWS_NO_POINT) block->impulse_x[lane] = block->impulse_y[lane] = 0.0f;
    return have;
}

void b2d_forget_joint_lanes(const b2d_solver* solver) {
    b2d_graph* graph = solver->graph;
    const float now[4] = {solver->h, solver->inverse_h, solver->joint_hertz, solver->joint_damping_ratio};
    if (memcmp(now, graph->prepared_settings, sizeof now) == 0 && solver->impulse_ratio == 1.0f &&
        solver->warm_starting)
        return;
    memcpy(graph->prepared_settings, now, sizeof now);
    for (int32_t id = 0; id < graph->joint_block_ids.limit; id++) graph->joint_block_rows[id] |= B2D_ROWS_UNKNOWN;
}

void b2d_prepare_joints(const b2d_solver* solver, const b2d_color_list* list, int32_t begin, int32_t end) {
    rigid_softness rigid = {-1.0f, -1.0f, {0.0f, 0.0f, 0.0f}};
    for (int32_t k = begin; k < end; k++) {
        uint8_t* rows = &solver->graph->joint_block_rows[list->blocks[k]];
        if (!(*rows & (B2D_ROWS_UNKNOWN | B2D_ROWS_RESTLESS))) continue;
        int32_t live = b2d_color_list_live(list, k);
        uint8_t have = 0;
        for (int32_t lane = 0; lane < live; lane++)
            have |= lay_out_joint(solver, list->blocks[k] * B2D_LANES + lane, &rigid);
        *rows = have;
    }
    solver->kernels->joint_place(solver, list, begin, end);
}
