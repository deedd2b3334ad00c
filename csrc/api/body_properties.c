// csrc/api/body_properties.c - reading, checking and writing the properties of bodies, one by one and in rows.
//
// Idea: lists/body_properties.def has name, width and range of each. Numbers of the row of masses and bits of the flags
// need no code of their own, all others have a case. Loops over rows are made for one property each, so that the
// compiler drops all others from them.
#include "api/body.h"
#include "objects/body.h"
#include "objects/contact.h"
#include "objects/joint.h"
#include "objects/shape.h"

static const double turn = 6.283185307179586;

static bool has_flag(const b2d_body* body, uint16_t flag) { return (body->flags & flag) != 0; }

static void get_box(b2d_world* world, int32_t index, double* out) {
    const b2d_pose* pose = b2d_world_pose(world, index);
    out[0] = out[2] = pose->x;
    out[1] = out[3] = pose->y;
    int32_t head = world->graph.bodies[index].shape_head;
    for (int32_t shape = head; shape != B2D_NONE; shape = world->shapes[shape].next) {
        const b2d_shape_hot* hot = &world->shapes_hot[shape];
        b2d_box box = b2d_shape_box(hot, b2d_world_second(world, hot), pose);
        if (shape == head || box.min_x < out[0]) out[0] = box.min_x;
        if (shape == head || box.min_y < out[1]) out[1] = box.min_y;
        if (shape == head || box.max_x > out[2]) out[2] = box.max_x;
        if (shape == head || box.max_y > out[3]) out[3] = box.max_y;
    }
}

static void sum_contact_forces(const b2d_world* world, int32_t index, double* out) {
    const b2d_graph* graph = &world->graph;
    out[0] = out[1] = 0.0;
    for (int32_t key = graph->bodies[index].contact_head; key != B2D_NONE;
         key = graph->contacts[key >> 1].next[key & 1]) {
        const b2d_vec2 force = b2d_world_contact_force(world, key >> 1);
        const double sign = key & 1 ? 1.0 : -1.0;
        out[0] += sign * (double)force.x, out[1] += sign * (double)force.y;
    }
}

B2D_ALWAYS_INLINE b2d_status read_property(b2d_world* world, int32_t index, int32_t property, double* out) {
    const b2d_body* body = &world->graph.bodies[index];
    const b2d_pose* pose = b2d_world_pose(world, index);
    const b2d_body_state* state = b2d_world_state(world, index);
    const b2d_body_mass* mass = &world->masses[index];
    b2d_vec2 center;
    switch (property) {
    case B2D_BODY_TYPE: out[0] = body->type; break;
    case B2D_BODY_POSITION: out[0] = pose->x, out[1] = pose->y; break;
    case B2D_BODY_ANGLE: out[0] = b2d_atan2(pose->s, pose->c); break;
    case B2D_BODY_ROTATION: out[0] = pose->c, out[1] = pose->s; break;
    case B2D_BODY_LINEAR_VELOCITY: out[0] = state->vx, out[1] = state->vy; break;
    case B2D_BODY_ANGULAR_VELOCITY: out[0] = state->w; break;
#define B2D_BODY_PROPERTY(NAME, name, ...) \
    case B2D_BODY_##NAME: out[0] = mass->name; break;
#include "lists/body_numbers.def"
#undef B2D_BODY_PROPERTY
#define B2D_BODY_PROPERTY(NAME, ...) \
    case B2D_BODY_##NAME: out[0] = has_flag(body, B2D_BODY_FLAG_##NAME); break;
#include "lists/body_flags.def"
#undef B2D_BODY_PROPERTY
    case B2D_BODY_AWAKE: out[0] = b2d_is_awake(&world->graph, index); break;
    case B2D_BODY_ENABLED: out[0] = has_flag(body, B2D_BODY_FLAG_ENABLED); break;
    case B2D_BODY_MASS: out[0] = mass->mass; break;
    case B2D_BODY_INERTIA: out[0] = mass->inertia; break;
    case B2D_BODY_LOCAL_CENTER: out[0] = pose->cx, out[1] = pose->cy; break;
    case B2D_BODY_WORLD_CENTER:
        center = b2d_pose_center(pose);
        out[0] = pose->x + (double)center.x, out[1] = pose->y + (double)center.y;
        break;
    case B2D_BODY_FORCE: out[0] = mass->force_x, out[1] = mass->force_y; break;
    case B2D_BODY_TORQUE: out[0] = mass->torque; break;
    case B2D_BODY_SLEEP_TIMER: out[0] = body->sleep_timer; break;
    case B2D_BODY_AABB: get_box(world, index, out); break;
    case B2D_BODY_TURNS: out[0] = body->turns; break;
    case B2D_BODY_CONTACT_FORCE: sum_contact_forces(world, index, out); break;
    default: return b2d_error(B2D_OUT_OF_RANGE, B2D_ARG_OPTION);
    }
    return B2D_OK;
}

b2d_status b2d_world_read_body_property(b2d_world* world, int32_t index, int32_t property, double* out) {
    return read_property(world, index, property, out);
}

B2D_ALWAYS_INLINE int32_t list_changed(b2d_world* world, int32_t property, int32_t width, const double* in,
                                       int32_t* out) {
    const b2d_id_pool* ids = &world->body_ids;
    int32_t count = 0;
    for (int32_t body = 0; body < ids->limit; body++, in += width) {
        double now[4];
        bool same = true;
        if (ids->count < ids->limit && !b2d_id_pool_has(ids, body)) continue;
        (void)read_property(world, body, property, now);
        for (int32_t k = 0; k < width; k++)
            same &= property == B2D_BODY_POSITION ? in[k] == now[k] : (float)in[k] == (float)now[k];
        out[count] = body;
        count += !same;
    }
    return count;
}

int32_t b2d_world_list_changed_bodies(b2d_world* world, int32_t property, const double* in, int32_t* out) {
    // As for writing, each loop reads one property
#define LIST_CHANGED(NAME, width) \
    case B2D_BODY_##NAME: return list_changed(world, B2D_BODY_##NAME, width, in, out);
#define B2D_BODY_PROPERTY(NAME, ...) LIST_CHANGED(NAME, 1)
    switch (property) {
        LIST_CHANGED(POSITION, 2)
        LIST_CHANGED(LINEAR_VELOCITY, 2)
        LIST_CHANGED(ANGULAR_VELOCITY, 1)
#include "lists/body_numbers.def"
        LIST_CHANGED(FORCE, 2)
        LIST_CHANGED(TORQUE, 1)
        LIST_CHANGED(AWAKE, 1)
        LIST_CHANGED(ENABLED, 1)
    default: return list_changed(world, property, b2d_body_property_width(property), in, out);
    }
#undef B2D_BODY_PROPERTY
#undef LIST_CHANGED
}

static b2d_status get(b2d_world* world, int32_t index, uint64_t generation, int32_t property, double* out) {
    B2D_TRY(b2d_find_body(world, index, generation));
    return b2d_world_read_body_property(world, index, property, out);
}

b2d_status b2d_body_get(b2d_world* world, int32_t index, uint64_t generation, int32_t property, double* out) {
    B2D_TRY(b2d_open_read(world));
    return b2d_close_read(world, get(world, index, generation, property, out));
}

// Writing

// Wakes a body before any change of its motion. A moving kinematic body also wakes the bodies that touch it.
static bool wake_for_motion(b2d_world* world, int32_t index, bool moving) {
    if (world->graph.bodies[index].type == B2D_KINEMATIC && moving) b2d_world_wake_touching(world, index);
    return b2d_world_wake_body(world, index);
}

static bool set_velocity(b2d_world* world, int32_t index, b2d_vec2 v, float w) {
    bool moving = v.x != 0.0f || v.y != 0.0f || w != 0.0f;
    if (world->graph.bodies[index].type == B2D_STATIC) return true;
    b2d_body_state* state = b2d_world_state(world, index);
    // A sleeping body whose velocity is set to zero stays asleep.
    if (!moving && state->vx == 0.0f && state->vy == 0.0f && state->w == 0.0f) return true;
    if (!wake_for_motion(world, index, moving)) return false;
    state = b2d_world_state(world, index);
    state->vx = v.x;
    state->vy = v.y;
    state->w = w;
    b2d_world_apply_locks(world, index);
    return true;
}

// Sets the pose without motion between. An angle beyond half a turn also sets the number of turns of the body.
static void set_angle(b2d_world* world, int32_t index, double angle) {
    const b2d_pose* pose = b2d_world_pose(world, index);
    b2d_rot q = b2d_make_rot(angle);
    b2d_world_place_body(world, index, pose->x, pose->y, q);
    double turns = (angle - (double)b2d_atan2(q.s, q.c)) / turn;
    world->graph.bodies[index].turns = (int32_t)(turns < 0.0 ? turns - 0.5 : turns + 0.5);
}

static void set_rotation(b2d_world* world, int32_t index, const double* in) {
    double length = sqrt(in[0] * in[0] + in[1] * in[1]);
    b2d_rot q = b2d_rot_normalize((b2d_rot){(float)(in[0] / length), (float)(in[1] / length)});
    const b2d_pose* pose = b2d_world_pose(world, index);
    b2d_world_place_body(world, index, pose->x, pose->y, q);
    world->graph.bodies[index].turns = 0;
}

static void set_inverse_mass(b2d_world* world, int32_t index) {
    b2d_world_invert_mass(world, index);
    b2d_world_weigh_contacts(world, index);
    if (world->graph.bodies[index].joint_head != B2D_NONE) b2d_direct_touch(&world->memory, &world->direct, index);
    if (world->graph.bodies[index].shape_head == B2D_NONE) b2d_world_update_extents(world, index);
}

// A mass set by the user: shapes no longer change it until b2d_body_update_mass. The inertia is scaled with the mass,
// so the distribution of the mass stays the same.
static bool set_mass(b2d_world* world, int32_t index, double value) {
    if (!b2d_world_wake_body(world, index)) return false;
    b2d_body_mass* mass = &world->masses[index];
    double inertia = mass->mass > 0.0f ? (double)mass->inertia * (value / (double)mass->mass) : (double)mass->inertia;
    mass->inertia = b2d_bounded_mass(inertia);
    mass->mass = (float)value;
    world->graph.bodies[index].flags |= B2D_BODY_FLAG_OWN_MASS;
    set_inverse_mass(world, index);
    return true;
}

static bool set_inertia(b2d_world* world, int32_t index, double value) {
    if (!b2d_world_wake_body(world, index)) return false;
    world->masses[index].inertia = (float)value;
    world->graph.bodies[index].flags |= B2D_BODY_FLAG_OWN_MASS;
    set_inverse_mass(world, index);
    return true;
}

static bool set_center(b2d_world* world, int32_t index, const double* in) {
    if (!b2d_world_wake_body(world, index)) return false;
    b2d_pose* pose = b2d_world_pose(world, index);
    b2d_body_state* state = b2d_world_state(world, index);
    b2d_vec2 before = b2d_pose_center(pose);
    pose->cx = (float)in[0];
    pose->cy = (float)in[1];
    // The material points keep their velocities.
    b2d_vec2 change = b2d_cross_sv(state->w, b2d_sub(b2d_pose_center(pose), before));
    state->vx += change.x;
    state->vy += change.y;
    b2d_world_apply_locks(world, index);
    world->graph.bodies[index].flags |= B2D_BODY_FLAG_OWN_MASS;
    b2d_world_update_extents(world, index);
    b2d_world_refresh_contacts(world, index);
    return true;
}

// A force of 0 leaves a sleeping body asleep.
static bool set_force(b2d_world* world, int32_t index, b2d_vec2 force) {
    b2d_body_mass* mass = &world->masses[index];
    if (!b2d_moves(&world->graph, index)) return true;
    if ((force.x != 0.0f || force.y != 0.0f) && !b2d_world_wake_body(world, index)) return false;
    mass->force_x = force.x;
    mass->force_y = force.y;
    b2d_world_drop_law(world, index);
    return true;
}

static bool set_torque(b2d_world* world, int32_t index, float torque) {
    if (!b2d_moves(&world->graph, index)) return true;
    if (torque != 0.0f && !b2d_world_wake_body(world, index)) return false;
    world->masses[index].torque = torque;
    b2d_world_drop_law(world, index);
    return true;
}

static bool set_flag(b2d_world* world, int32_t index, uint16_t flag, bool on) {
    b2d_body* body = &world->graph.bodies[index];
    if (on == has_flag(body, flag)) return true;
    if (flag & (B2D_BODY_FLAG_LOCKS | B2D_BODY_FLAG_CAN_SLEEP) && !b2d_world_wake_body(world, index)) return false;
    body->flags = (uint16_t)(on ? body->flags | flag : body->flags & ~flag);
    if (flag & B2D_BODY_FLAG_LOCKS) {
        b2d_world_apply_locks(world, index);
        set_inverse_mass(world, index);
    }
    return true;
}

static bool set_number(b2d_world* world, int32_t index, float* field, double value) {
    if ((float)value == *field) return true;
    if (!b2d_world_wake_body(world, index)) return false;
    *field = (float)value;
    return true;
}

static const struct {
    int32_t components, argument;
    double lower, upper;
} properties[] = {
#define B2D_BODY_PROPERTY(NAME, name, type, components, standard, ARGUMENT, lower, upper, ...) \
    {components, B2D_ARG_##ARGUMENT, lower, upper},
#include "lists/body_properties.def"
#undef B2D_BODY_PROPERTY
};

static const double least_mass = 1.0e-30; // kg; of the inertia: kg m^2

int32_t b2d_body_property_width(int32_t property) {
    return property >= 0 && property < B2D_BODY_PROPERTY_COUNT ? properties[property].components : 0;
}

b2d_status b2d_world_check_body_property(b2d_world* world, int32_t index, int32_t property, const double* in) {
    int32_t width = b2d_body_property_width(property);
    if (width == 0) return b2d_error(B2D_OUT_OF_RANGE, B2D_ARG_OPTION);
    double lower = properties[property].lower, upper = properties[property].upper;
    int32_t argument = properties[property].argument;
    if (lower > upper) return b2d_error(B2D_NOT_ALLOWED, argument); // read-only
    for (int32_t k = 0; k < width; k++) B2D_TRY(b2d_check_range(in[k], lower, upper, argument));
    bool fixed = world->graph.bodies[index].type == B2D_STATIC, moves = b2d_moves(&world->graph, index), allowed = true;
    const b2d_body_mass* mass = &world->masses[index];
    float x = (float)in[0], y = width > 1 ? (float)in[1] : 0.0f;
    switch (property) {
    case B2D_BODY_TYPE: return in[0] == (int32_t)in[0] ? B2D_OK : b2d_error(B2D_OUT_OF_RANGE, argument);
    case B2D_BODY_ROTATION:
        return sqrt(in[0] * in[0] + in[1] * in[1]) >= 1.0e-12 ? B2D_OK : b2d_error(B2D_OUT_OF_RANGE, argument);
    case B2D_BODY_LINEAR_VELOCITY:
    case B2D_BODY_ANGULAR_VELOCITY: allowed = !fixed || (x == 0.0f && y == 0.0f); break;
    case B2D_BODY_INERTIA: // 0, or a number whose inverse is finite, as of a mass
        if (in[0] != 0.0 && in[0] < least_mass) return b2d_out_of_range(least_mass, upper, argument);
        allowed = moves;
        break;
    case B2D_BODY_MASS:
    case B2D_BODY_LOCAL_CENTER: allowed = moves; break;
    case B2D_BODY_FORCE: allowed = moves || (x == 0.0f && y == 0.0f && mass->torque == 0.0f); break;
    case B2D_BODY_TORQUE: allowed = moves || (x == 0.0f && mass->force_x == 0.0f && mass->force_y == 0.0f); break;
    default: break;
    }
    return allowed ? B2D_OK : b2d_error(B2D_NOT_ALLOWED, argument);
}

// Whether every row is allowed, judged fast: false may also mean that the rows must be checked one by one.
static bool are_plain(const b2d_world* world, int32_t n, const int32_t* indices, int32_t property, const double* in) {
    const double lower = properties[property].lower, upper = properties[property].upper;
    bool moving = false;
    switch (property) {
    case B2D_BODY_LINEAR_VELOCITY:
    case B2D_BODY_ANGULAR_VELOCITY:
    case B2D_BODY_FORCE:
    case B2D_BODY_TORQUE: moving = true; break;
#define B2D_BODY_PROPERTY(NAME, ...) case B2D_BODY_##NAME:
#include "lists/body_numbers.def"
#undef B2D_BODY_PROPERTY
    case B2D_BODY_POSITION:
    case B2D_BODY_AWAKE:
    case B2D_BODY_ENABLED: break;
    default: return false;
    }
    bool plain = true;
    const int64_t values = (int64_t)properties[property].components * n;
    for (int64_t k = 0; k < values; k++) plain &= (in[k] >= lower) & (in[k] <= upper); // false for a NaN
    for (int32_t k = 0; moving && k < n; k++) plain &= b2d_moves(&world->graph, indices[k]);
    return plain;
}

b2d_status b2d_world_check_body_rows(b2d_world* world, int32_t n, const int32_t* indices, int32_t property,
                                     const double* in, int32_t* row) {
    *row = 0;
    if (are_plain(world, n, indices, property, in)) return B2D_OK;
    const size_t width = (size_t)b2d_body_property_width(property);
    for (; *row < n; ++*row)
        B2D_TRY(b2d_world_check_body_property(world, indices[*row], property, in + width * (size_t)*row));
    return B2D_OK;
}

B2D_ALWAYS_INLINE bool write_property(b2d_world* world, int32_t index, int32_t property, const double* in) {
    const b2d_pose* pose = b2d_world_pose(world, index);
    const b2d_body_state* state = b2d_world_state(world, index);
    b2d_body_mass* mass = &world->masses[index];
    bool on = in[0] != 0.0;
    switch (property) {
    case B2D_BODY_TYPE: return b2d_world_set_body_type(world, index, (int32_t)in[0]);
    case B2D_BODY_POSITION: b2d_world_place_body(world, index, in[0], in[1], (b2d_rot){pose->c, pose->s}); return true;
    case B2D_BODY_ANGLE: set_angle(world, index, in[0]); return true;
    case B2D_BODY_ROTATION: set_rotation(world, index, in); return true;
    case B2D_BODY_LINEAR_VELOCITY: return set_velocity(world, index, b2d_v((float)in[0], (float)in[1]), state->w);
    case B2D_BODY_ANGULAR_VELOCITY: return set_velocity(world, index, b2d_v(state->vx, state->vy), (float)in[0]);
#define B2D_BODY_PROPERTY(NAME, name, ...) \
    case B2D_BODY_##NAME: return set_number(world, index, &mass->name, in[0]);
#include "lists/body_numbers.def"
#undef B2D_BODY_PROPERTY
#define B2D_BODY_PROPERTY(NAME, ...) \
    case B2D_BODY_##NAME: return set_flag(world, index, B2D_BODY_FLAG_##NAME, on);
#include "lists/body_flags.def"
#undef B2D_BODY_PROPERTY
    case B2D_BODY_AWAKE: return b2d_world_set_body_awake(world, index, on);
    case B2D_BODY_ENABLED: return b2d_world_set_body_enabled(world, index, on);
    case B2D_BODY_MASS: return set_mass(world, index, in[0]);
    case B2D_BODY_INERTIA: return set_inertia(world, index, in[0]);
    case B2D_BODY_LOCAL_CENTER: return set_center(world, index, in);
    case B2D_BODY_FORCE: return set_force(world, index, b2d_v((float)in[0], (float)in[1]));
    case B2D_BODY_TORQUE: return set_torque(world, index, (float)in[0]);
    default: world->graph.bodies[index].turns = (int32_t)in[0]; return true; // B2D_BODY_TURNS
    }
}

bool b2d_world_write_body_property(b2d_world* world, int32_t index, int32_t property, const double* in) {
    return write_property(world, index, property, in);
}

bool b2d_world_write_body_rows(b2d_world* world, int32_t n, const int32_t* indices, int32_t property, const double* in,
                               int32_t* row) {
    // Each loop writes one property, so that the compiler can drop all others from it
#define WRITE_ROWS(NAME, width)                                                                                  \
    case B2D_BODY_##NAME:                                                                                        \
        for (*row = 0; *row < n; ++*row)                                                                         \
            if (!write_property(world, indices[*row], B2D_BODY_##NAME, in + width * (size_t)*row)) return false; \
        return true;
#define B2D_BODY_PROPERTY(NAME, ...) WRITE_ROWS(NAME, 1)
    switch (property) {
        WRITE_ROWS(LINEAR_VELOCITY, 2)
        WRITE_ROWS(ANGULAR_VELOCITY, 1)
#include "lists/body_numbers.def"
        WRITE_ROWS(FORCE, 2)
        WRITE_ROWS(TORQUE, 1)
    case B2D_BODY_POSITION: b2d_world_move_bodies(world, n, indices, in); return true;
    case B2D_BODY_AWAKE: return b2d_world_set_bodies_awake(world, n, indices, in, row);
    case B2D_BODY_ENABLED: return b2d_world_enable_bodies(world, n, indices, in, row);
    default: break;
    }
#undef B2D_BODY_PROPERTY
#undef WRITE_ROWS
    const size_t width = (size_t)b2d_body_property_width(property);
    for (*row = 0; *row < n; ++*row)
        if (!write_property(world, indices[*row], property, in + width * (size_t)*row)) return false;
    return true;
}

static b2d_status set(b2d_world* world, int32_t index, uint64_t generation, int32_t property, const double* in) {
    B2D_TRY(b2d_find_body(world, index, generation));
    B2D_TRY(b2d_world_check_body_property(world, index, property, in));
    return b2d_status_of_memory(b2d_world_write_body_property(world, index, property, in));
}

b2d_status b2d_body_set(b2d_world* world, int32_t index, uint64_t generation, int32_t property, const double* in) {
    B2D_TRY(b2d_open_write(world));
    const b2d_status status = set(world, index, generation, property, in);
    B2D_LOG(world, status, B2D_LOGGED_BODY_SET, index, generation, property, in);
    return b2d_close_write(world, status);
}

// Sets the velocities that bring the origin and the angle to the target in `dt`, with the rotation in the shorter
// direction.
static b2d_status set_target(b2d_world* world, int32_t index, uint64_t generation, double x, double y, double angle,
                             double dt) {
    const double target[2] = {x, y};
    B2D_TRY(b2d_find_body(world, index, generation));
    B2D_TRY(b2d_check_vec(target, b2d_limit_position, B2D_ARG_POSITION));
    B2D_TRY(b2d_check_range(angle, -b2d_limit_angle, b2d_limit_angle, B2D_ARG_ANGLE));
    B2D_TRY(b2d_check_range(dt, 1.0e-9, 1.0e9, B2D_ARG_DT));
    if (world->graph.bodies[index].type == B2D_STATIC) return b2d_error(B2D_NOT_ALLOWED, B2D_ARG_BODY);
    const b2d_pose* pose = b2d_world_pose(world, index);
    b2d_rot now = {pose->c, pose->s}, then = b2d_make_rot(angle), relative = b2d_rot_relative(now, then);
    b2d_vec2 local = {pose->cx, pose->cy};
    b2d_vec2 shift = b2d_sub(b2d_rotate(then, local), b2d_rotate(now, local));
    double vx = (x - pose->x + (double)shift.x) / dt, vy = (y - pose->y + (double)shift.y) / dt;
    double w = (double)b2d_atan2(relative.s, relative.c) / dt;
    B2D_TRY(b2d_check_range(vx, -b2d_limit_speed, b2d_limit_speed, B2D_ARG_POSITION));
    B2D_TRY(b2d_check_range(vy, -b2d_limit_speed, b2d_limit_speed, B2D_ARG_POSITION));
    B2D_TRY(b2d_check_range(w, -b2d_limit_speed, b2d_limit_speed, B2D_ARG_ANGLE));
    return b2d_status_of_memory(set_velocity(world, index, b2d_v((float)vx, (float)vy), (float)w));
}

b2d_status b2d_body_set_target(b2d_world* world, int32_t index, uint64_t generation, double x, double y, double angle,
                               double dt) {
    B2D_TRY(b2d_open_write(world));
    const b2d_status status = set_target(world, index, generation, x, y, angle, dt);
    B2D_LOG(world, status, B2D_LOGGED_BODY_TARGET, index, generation, x, y, angle, dt);
    return b2d_close_write(world, status);
}
