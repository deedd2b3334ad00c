// csrc/world/joint_api.c - the edge of joints: checks all input, answers with a status; forces and angles read back.
#include "world/edge.h"

static const double pi = 3.14159265358979323846;
static const double limit_angle = 0.99 * 3.14159265358979323846; // of lower and upper angle: one turn less the slack of soft rows

void b2d_joint_def_init(b2d_joint_def* def, int32_t type) {
    *def = (b2d_joint_def){.type = type, .joint_hertz = -1.0, .joint_damping_ratio = -1.0,
                           .force_threshold = INFINITY, .torque_threshold = INFINITY};
}

static b2d_status check_threshold(double x, int32_t argument) { // infinity = never
    if (x != x) return b2d_error(B2D_NOT_FINITE, argument);
    return x >= 0.0 ? B2D_OK : b2d_error(B2D_OUT_OF_RANGE, argument);
}

static b2d_status check_limits(double lower, double upper) {
    B2D_TRY(b2d_check_range(lower, -limit_angle, limit_angle, B2D_ARG_LOWER_ANGLE));
    B2D_TRY(b2d_check_range(upper, -limit_angle, limit_angle, B2D_ARG_UPPER_ANGLE));
    return lower <= upper ? B2D_OK : b2d_error(B2D_OUT_OF_RANGE, B2D_ARG_LOWER_ANGLE);
}

static b2d_status check_def(const b2d_joint_def* def) {
    const double a[2] = {def->ax, def->ay}, b[2] = {def->bx, def->by};
    if (def->type < 0 || def->type >= B2D_JOINT_TYPE_COUNT) return b2d_error(B2D_OUT_OF_RANGE, B2D_ARG_TYPE);
    B2D_TRY(b2d_check_vec(a, 1.0e9, B2D_ARG_FRAME_A));
    B2D_TRY(b2d_check_vec(b, 1.0e9, B2D_ARG_FRAME_B));
    B2D_TRY(b2d_check_range(def->angle_a, -1.0e6, 1.0e6, B2D_ARG_FRAME_A));
    B2D_TRY(b2d_check_range(def->angle_b, -1.0e6, 1.0e6, B2D_ARG_FRAME_B));
    B2D_TRY(b2d_check_range(def->joint_hertz, -1.0e9, 1.0e6, B2D_ARG_JOINT_HERTZ));
    B2D_TRY(b2d_check_range(def->joint_damping_ratio, -1.0e9, 1.0e6, B2D_ARG_JOINT_DAMPING_RATIO));
    B2D_TRY(check_threshold(def->force_threshold, B2D_ARG_FORCE_THRESHOLD));
    B2D_TRY(check_threshold(def->torque_threshold, B2D_ARG_TORQUE_THRESHOLD));
    B2D_TRY(b2d_check_range(def->hertz, 0.0, 1.0e6, B2D_ARG_HERTZ));
    B2D_TRY(b2d_check_range(def->damping_ratio, 0.0, 1.0e6, B2D_ARG_DAMPING_RATIO));
    B2D_TRY(b2d_check_range(def->target_angle, -1.0e6, 1.0e6, B2D_ARG_TARGET_ANGLE));
    B2D_TRY(check_limits(def->lower_angle, def->upper_angle));
    B2D_TRY(b2d_check_range(def->motor_speed, -b2d_limit_speed, b2d_limit_speed, B2D_ARG_MOTOR_SPEED));
    return b2d_check_range(def->max_motor_torque, 0.0, b2d_limit_force, B2D_ARG_MAX_MOTOR_TORQUE);
}

static b2d_status find_joint(const b2d_world* world, int32_t index, uint64_t generation) {
    return b2d_joint_alive(world, index, generation) ? B2D_OK : b2d_error(B2D_STALE_HANDLE, B2D_ARG_JOINT);
}

static b2d_status create(b2d_world* world, int32_t body_a, uint64_t generation_a, int32_t body_b, uint64_t generation_b, const b2d_joint_def* def, b2d_handle* out) {
    if (!b2d_body_alive(world, body_a, generation_a)) return b2d_error(B2D_STALE_HANDLE, B2D_ARG_BODY_A);
    if (!b2d_body_alive(world, body_b, generation_b)) return b2d_error(B2D_STALE_HANDLE, B2D_ARG_BODY_B);
    if (body_a == body_b) return b2d_error(B2D_NOT_ALLOWED, B2D_ARG_BODY_B);
    B2D_TRY(check_def(def));
    int32_t joint = b2d_world_new_joint(world, body_a, body_b, def);
    if (joint == B2D_NONE) return b2d_error(B2D_NO_MEMORY, B2D_ARG_NONE);
    *out = (b2d_handle){world->graph.joint_generations[joint], joint, B2D_KIND_JOINT};
    return B2D_OK;
}

b2d_status b2d_joint_create(b2d_world* world, int32_t body_a, uint64_t generation_a, int32_t body_b, uint64_t generation_b, const b2d_joint_def* def, b2d_handle* out) {
    B2D_TRY(b2d_open_write(world));
    return b2d_close_write(world, create(world, body_a, generation_a, body_b, generation_b, def, out));
}

b2d_status b2d_joint_destroy(b2d_world* world, int32_t index, uint64_t generation) {
    B2D_TRY(b2d_open_write(world));
    b2d_status status = find_joint(world, index, generation);
    if (status == B2D_OK) b2d_world_drop_joint(world, index);
    return b2d_close_write(world, status);
}

// An anchor in world axes about `origin`, so that far worlds lose nothing.
static void place_anchor(b2d_world* world, const b2d_joint* joint, int32_t side, const b2d_pose* origin, double out[2]) {
    const b2d_pose* pose = b2d_world_pose(world, joint->body[side]);
    b2d_vec2 r = b2d_rotate((b2d_rot){pose->c, pose->s}, joint->anchor[side]);
    out[0] = pose->x - origin->x + (double)r.x;
    out[1] = pose->y - origin->y + (double)r.y;
}

static double linear_separation(b2d_world* world, const b2d_joint* joint) {
    const b2d_pose* origin = b2d_world_pose(world, joint->body[0]);
    double a[2], b[2];
    place_anchor(world, joint, 0, origin, a);
    place_anchor(world, joint, 1, origin, b);
    return sqrt((b[0] - a[0]) * (b[0] - a[0]) + (b[1] - a[1]) * (b[1] - a[1]));
}

static double angular_separation(const b2d_world* world, int32_t index) { // how far beyond its limits
    const b2d_joint* joint = &world->graph.joints[index];
    if (!(joint->flags & B2D_JOINT_LIMIT)) return 0.0;
    double angle = b2d_world_joint_angle(world, index);
    if (angle < joint->lower) return joint->lower - angle;
    return angle > joint->upper ? angle - joint->upper : 0.0;
}

static double wrapped(double angle) { // frame angles as given: turns put into frame B at creation do not show
    double turns = angle / (2.0 * pi);
    return angle >= -pi && angle <= pi ? angle : angle - 2.0 * pi * (double)(int64_t)(turns < 0.0 ? turns - 0.5 : turns + 0.5);
}

static b2d_status get(b2d_world* world, int32_t index, uint64_t generation, int32_t property, double* out) {
    B2D_TRY(find_joint(world, index, generation));
    const b2d_joint* joint = &world->graph.joints[index];
    b2d_joint_impulses impulses = b2d_joint_read_impulses(&world->graph, index);
    double rate = world->last_h > 0.0f ? 1.0 / (double)world->last_h : 0.0; // impulses of a substep to forces
    switch (property) {
    case B2D_JOINT_LOCAL_ANCHOR_A: out[0] = joint->anchor[0].x, out[1] = joint->anchor[0].y; break;
    case B2D_JOINT_LOCAL_ANCHOR_B: out[0] = joint->anchor[1].x, out[1] = joint->anchor[1].y; break;
    case B2D_JOINT_LOCAL_ANGLE_A: out[0] = wrapped(joint->frame_angle[0]); break;
    case B2D_JOINT_LOCAL_ANGLE_B: out[0] = wrapped(joint->frame_angle[1]); break;
    case B2D_JOINT_COLLIDE_CONNECTED: out[0] = (joint->flags & B2D_JOINT_COLLIDE) != 0; break;
    case B2D_JOINT_JOINT_HERTZ: out[0] = joint->hertz < 0.0f ? world->options[B2D_OPTION_JOINT_HERTZ] : joint->hertz; break;
    case B2D_JOINT_JOINT_DAMPING_RATIO:
        out[0] = joint->damping_ratio < 0.0f ? world->options[B2D_OPTION_JOINT_DAMPING_RATIO] : joint->damping_ratio;
        break;
    case B2D_JOINT_FORCE_THRESHOLD: out[0] = joint->force_threshold; break;
    case B2D_JOINT_TORQUE_THRESHOLD: out[0] = joint->torque_threshold; break;
    case B2D_JOINT_ENABLE_SPRING: out[0] = (joint->flags & B2D_JOINT_SPRING) != 0; break;
    case B2D_JOINT_HERTZ: out[0] = joint->spring_hertz; break;
    case B2D_JOINT_DAMPING_RATIO: out[0] = joint->spring_damping_ratio; break;
    case B2D_JOINT_TARGET_ANGLE: out[0] = joint->spring_target; break;
    case B2D_JOINT_ENABLE_LIMIT: out[0] = (joint->flags & B2D_JOINT_LIMIT) != 0; break;
    case B2D_JOINT_LOWER_ANGLE: out[0] = joint->lower; break;
    case B2D_JOINT_UPPER_ANGLE: out[0] = joint->upper; break;
    case B2D_JOINT_ENABLE_MOTOR: out[0] = (joint->flags & B2D_JOINT_MOTOR) != 0; break;
    case B2D_JOINT_MOTOR_SPEED: out[0] = joint->motor_speed; break;
    case B2D_JOINT_MAX_MOTOR_TORQUE: out[0] = joint->motor_max_torque; break;
    case B2D_JOINT_ANGLE: out[0] = b2d_world_joint_angle(world, index); break;
    case B2D_JOINT_SPEED: out[0] = (double)b2d_world_state(world, joint->body[1])->w - (double)b2d_world_state(world, joint->body[0])->w; break;
    case B2D_JOINT_MOTOR_TORQUE: out[0] = joint->flags & B2D_JOINT_MOTOR ? rate * (double)impulses.motor : 0.0; break;
    case B2D_JOINT_CONSTRAINT_FORCE: out[0] = rate * (double)impulses.x, out[1] = rate * (double)impulses.y; break; // on body B
    case B2D_JOINT_CONSTRAINT_TORQUE:
        out[0] = rate * ((double)impulses.spring + (double)impulses.motor + (double)impulses.lower - (double)impulses.upper);
        break;
    case B2D_JOINT_LINEAR_SEPARATION: out[0] = linear_separation(world, joint); break;
    case B2D_JOINT_ANGULAR_SEPARATION: out[0] = angular_separation(world, index); break;
    default: return b2d_error(B2D_OUT_OF_RANGE, B2D_ARG_OPTION);
    }
    return B2D_OK;
}

b2d_status b2d_joint_get(b2d_world* world, int32_t index, uint64_t generation, int32_t property, double* out) {
    B2D_TRY(b2d_open_read(world));
    return b2d_close_read(world, get(world, index, generation, property, out));
}

static b2d_status rouse(b2d_world* world, const b2d_joint* joint) {
    int32_t a = joint->body[0], b = joint->body[1];
    bool done = b2d_world_wake_body(world, a) && b2d_world_wake_body(world, b);
    return done ? B2D_OK : b2d_error(B2D_NO_MEMORY, B2D_ARG_NONE);
}

static b2d_status set_number(b2d_world* world, int32_t index, float* field, double value, double lower, double upper, int32_t argument) {
    B2D_TRY(b2d_check_range(value, lower, upper, argument));
    B2D_TRY(rouse(world, &world->graph.joints[index]));
    *field = (float)value;
    return B2D_OK;
}

// Rows that are off lose their impulses when the next step prepares them.
static b2d_status set_flag(b2d_world* world, int32_t index, uint8_t flag, double value) {
    B2D_TRY(b2d_check_range(value, -b2d_limit_number, b2d_limit_number, B2D_ARG_VALUE));
    b2d_joint* joint = &world->graph.joints[index];
    bool on = value != 0.0;
    if (on == ((joint->flags & flag) != 0)) return B2D_OK;
    B2D_TRY(rouse(world, joint));
    joint->flags ^= flag;
    if (flag != B2D_JOINT_COLLIDE) return B2D_OK;
    if (on) b2d_world_reopen_connected(world, index);
    else b2d_world_separate_connected(world, index);
    return B2D_OK;
}

static b2d_status set_anchor(b2d_world* world, int32_t index, int32_t side, const double* in, int32_t argument) {
    B2D_TRY(b2d_check_vec(in, 1.0e9, argument));
    B2D_TRY(rouse(world, &world->graph.joints[index]));
    world->graph.joints[index].anchor[side] = b2d_v((float)in[0], (float)in[1]);
    return B2D_OK;
}

static b2d_status set(b2d_world* world, int32_t index, uint64_t generation, int32_t property, const double* in) {
    B2D_TRY(find_joint(world, index, generation));
    b2d_joint* joint = &world->graph.joints[index];
    switch (property) {
    case B2D_JOINT_LOCAL_ANCHOR_A: return set_anchor(world, index, 0, in, B2D_ARG_FRAME_A);
    case B2D_JOINT_LOCAL_ANCHOR_B: return set_anchor(world, index, 1, in, B2D_ARG_FRAME_B);
    case B2D_JOINT_LOCAL_ANGLE_A: return set_number(world, index, &joint->frame_angle[0], in[0], -1.0e6, 1.0e6, B2D_ARG_FRAME_A);
    case B2D_JOINT_LOCAL_ANGLE_B: return set_number(world, index, &joint->frame_angle[1], in[0], -1.0e6, 1.0e6, B2D_ARG_FRAME_B);
    case B2D_JOINT_COLLIDE_CONNECTED: return set_flag(world, index, B2D_JOINT_COLLIDE, in[0]);
    case B2D_JOINT_JOINT_HERTZ: return set_number(world, index, &joint->hertz, in[0], -1.0e9, 1.0e6, B2D_ARG_JOINT_HERTZ);
    case B2D_JOINT_JOINT_DAMPING_RATIO: return set_number(world, index, &joint->damping_ratio, in[0], -1.0e9, 1.0e6, B2D_ARG_JOINT_DAMPING_RATIO);
    case B2D_JOINT_FORCE_THRESHOLD:
        B2D_TRY(check_threshold(in[0], B2D_ARG_FORCE_THRESHOLD));
        joint->force_threshold = (float)in[0];
        return B2D_OK;
    case B2D_JOINT_TORQUE_THRESHOLD:
        B2D_TRY(check_threshold(in[0], B2D_ARG_TORQUE_THRESHOLD));
        joint->torque_threshold = (float)in[0];
        return B2D_OK;
    case B2D_JOINT_ENABLE_SPRING: return set_flag(world, index, B2D_JOINT_SPRING, in[0]);
    case B2D_JOINT_HERTZ: return set_number(world, index, &joint->spring_hertz, in[0], 0.0, 1.0e6, B2D_ARG_HERTZ);
    case B2D_JOINT_DAMPING_RATIO: return set_number(world, index, &joint->spring_damping_ratio, in[0], 0.0, 1.0e6, B2D_ARG_DAMPING_RATIO);
    case B2D_JOINT_TARGET_ANGLE: return set_number(world, index, &joint->spring_target, in[0], -1.0e6, 1.0e6, B2D_ARG_TARGET_ANGLE);
    case B2D_JOINT_ENABLE_LIMIT: return set_flag(world, index, B2D_JOINT_LIMIT, in[0]);
    case B2D_JOINT_LOWER_ANGLE: return set_number(world, index, &joint->lower, in[0], -limit_angle, (double)joint->upper, B2D_ARG_LOWER_ANGLE);
    case B2D_JOINT_UPPER_ANGLE: return set_number(world, index, &joint->upper, in[0], (double)joint->lower, limit_angle, B2D_ARG_UPPER_ANGLE);
    case B2D_JOINT_ENABLE_MOTOR: return set_flag(world, index, B2D_JOINT_MOTOR, in[0]);
    case B2D_JOINT_MOTOR_SPEED: return set_number(world, index, &joint->motor_speed, in[0], -b2d_limit_speed, b2d_limit_speed, B2D_ARG_MOTOR_SPEED);
    case B2D_JOINT_MAX_MOTOR_TORQUE: return set_number(world, index, &joint->motor_max_torque, in[0], 0.0, b2d_limit_force, B2D_ARG_MAX_MOTOR_TORQUE);
    case B2D_JOINT_ANGLE:
    case B2D_JOINT_SPEED:
    case B2D_JOINT_MOTOR_TORQUE:
    case B2D_JOINT_CONSTRAINT_FORCE:
    case B2D_JOINT_CONSTRAINT_TORQUE:
    case B2D_JOINT_LINEAR_SEPARATION:
    case B2D_JOINT_ANGULAR_SEPARATION: return b2d_error(B2D_NOT_ALLOWED, B2D_ARG_VALUE);
    default: return b2d_error(B2D_OUT_OF_RANGE, B2D_ARG_OPTION);
    }
}

b2d_status b2d_joint_set(b2d_world* world, int32_t index, uint64_t generation, int32_t property, const double* in) {
    B2D_TRY(b2d_open_write(world));
    return b2d_close_write(world, set(world, index, generation, property, in));
}

b2d_status b2d_joint_bodies(b2d_world* world, int32_t index, uint64_t generation, b2d_handle* body_a, b2d_handle* body_b, int32_t* type) {
    B2D_TRY(b2d_open_read(world));
    b2d_status status = find_joint(world, index, generation);
    if (status == B2D_OK) {
        const b2d_joint* joint = &world->graph.joints[index];
        *body_a = (b2d_handle){world->body_generations[joint->body[0]], joint->body[0], B2D_KIND_BODY};
        *body_b = (b2d_handle){world->body_generations[joint->body[1]], joint->body[1], B2D_KIND_BODY};
        *type = joint->type;
    }
    return b2d_close_read(world, status);
}
