// csrc/api/joint.c - the edge of joints: checks all input, answers with a status; forces and coordinates read
// back.
//
// What a user may set is one table: for each property the types that have it, where it is in the joint's row, its
// bounds and default. Creation, reading and writing all go by it.
#include "api/entry.h"
#include "objects/body.h"
#include "objects/joint.h"
#include "solver/prepare.h"

static const double pi = 3.14159265358979323846;
#define LIMIT_ANGLE  (0.99 * 3.14159265358979323846) // of lower and upper angle: one turn less the slack of soft rows
#define LIMIT_LENGTH 1.0e9

enum { NOTHING, NUMBER, OPEN_NUMBER /* infinite too */, PAIR, WORLD_PAIR /* float64 */, FLAG };
enum { ALL = (1 << B2D_JOINT_TYPE_COUNT) - 1 };
#define TYPE(NAME) (1 << B2D_##NAME)

typedef struct field {
    uint16_t types;
    uint8_t kind, flag;
    uint16_t offset;
    int16_t argument;
    double lower, upper, initial;
    int16_t floor, ceiling; // properties that the value must not pass; 0 = none (LOCAL_ANCHOR_A is never one)
} field;

#define AT(member) offsetof(b2d_joint, member)
#define FLOAT(NAME, types, member, lower, upper, initial) \
    [B2D_JOINT_##NAME] = {types, NUMBER, 0, AT(member), B2D_ARG_##NAME, lower, upper, initial, 0, 0}
#define OPEN(NAME, types, member, lower, upper, initial) \
    [B2D_JOINT_##NAME] = {types, OPEN_NUMBER, 0, AT(member), B2D_ARG_##NAME, lower, upper, initial, 0, 0}
#define LOW(NAME, types, kind, member, lower, upper, initial, CEILING) \
    [B2D_JOINT_##NAME] = {types, kind, 0, AT(member), B2D_ARG_##NAME, lower, upper, initial, 0, B2D_JOINT_##CEILING}
#define HIGH(NAME, types, kind, member, lower, upper, initial, FLOOR) \
    [B2D_JOINT_##NAME] = {types, kind, 0, AT(member), B2D_ARG_##NAME, lower, upper, initial, B2D_JOINT_##FLOOR, 0}
#define SWITCH(NAME, types, bit, initial) \
    [B2D_JOINT_##NAME] = {types, FLAG, bit, 0, B2D_ARG_##NAME, -1.0e30, 1.0e30, initial, 0, 0}
#define VECTOR(NAME, types, kind, member, bound) \
    [B2D_JOINT_##NAME] = {types, kind, 0, AT(member), B2D_ARG_##NAME, -(bound), bound, 0.0, 0, 0}

enum {
    PLACED = ALL & ~TYPE(FILTER) & ~TYPE(GEAR),
    SPRINGY = TYPE(REVOLUTE) | TYPE(DISTANCE) | TYPE(PRISMATIC) | TYPE(WHEEL),
    SLIDES = TYPE(PRISMATIC) | TYPE(WHEEL),
    SOFT = TYPE(WELD) | TYPE(MOTOR),
    LINKS = TYPE(GEAR) | TYPE(PULLEY),
    TURNS = TYPE(RATCHET) | TYPE(ROTARY_SPRING),
    SPRUNG = SPRINGY | TYPE(POGO) | TYPE(ROTARY_SPRING),
};

static const field fields[B2D_JOINT_PROPERTY_COUNT] = {
    VECTOR(LOCAL_ANCHOR_A, PLACED, PAIR, anchor[0], 1.0e9),
    VECTOR(LOCAL_ANCHOR_B, PLACED, PAIR, anchor[1], 1.0e9),
    FLOAT(LOCAL_ANGLE_A, PLACED, frame_angle[0], -1.0e6, 1.0e6, 0.0),
    FLOAT(LOCAL_ANGLE_B, PLACED, frame_angle[1], -1.0e6, 1.0e6, 0.0),
    SWITCH(COLLIDE_CONNECTED, ALL & ~TYPE(FILTER), B2D_JOINT_COLLIDE, 0.0),
    FLOAT(JOINT_HERTZ, ALL & ~TYPE(FILTER), hertz, -1.0e9, 1.0e6, -1.0),
    FLOAT(JOINT_DAMPING_RATIO, ALL & ~TYPE(FILTER), damping_ratio, -1.0e9, 1.0e6, -1.0),
    OPEN(FORCE_THRESHOLD, ALL & ~TYPE(FILTER), force_threshold, 0.0, INFINITY, INFINITY),
    OPEN(TORQUE_THRESHOLD, ALL & ~TYPE(FILTER), torque_threshold, 0.0, INFINITY, INFINITY),

    SWITCH(ENABLE_SPRING, SPRINGY, B2D_JOINT_SPRING, 0.0),
    FLOAT(HERTZ, SPRUNG, spring_hertz, 0.0, 1.0e6, 0.0),
    FLOAT(DAMPING_RATIO, SPRUNG, spring_damping_ratio, 0.0, 1.0e6, 0.0),
    FLOAT(TARGET_ANGLE, TYPE(REVOLUTE) | TYPE(ROTARY_SPRING), spring_target, -1.0e6, 1.0e6, 0.0),
    FLOAT(TARGET_TRANSLATION, TYPE(PRISMATIC), spring_target, -LIMIT_LENGTH, LIMIT_LENGTH, 0.0),
    FLOAT(LENGTH, TYPE(DISTANCE), spring_target, -1.0, LIMIT_LENGTH, -1.0), // -1: as it is now
    LOW(LOWER_SPRING_FORCE, TYPE(DISTANCE), OPEN_NUMBER, spring_low, -INFINITY, INFINITY, -INFINITY,
        UPPER_SPRING_FORCE),
    HIGH(UPPER_SPRING_FORCE, TYPE(DISTANCE), OPEN_NUMBER, spring_high, -INFINITY, INFINITY, INFINITY,
         LOWER_SPRING_FORCE),

    SWITCH(ENABLE_LIMIT, SPRINGY, B2D_JOINT_LIMIT, 0.0),
    LOW(LOWER_ANGLE, TYPE(REVOLUTE), NUMBER, lower, -LIMIT_ANGLE, LIMIT_ANGLE, 0.0, UPPER_ANGLE),
    HIGH(UPPER_ANGLE, TYPE(REVOLUTE), NUMBER, upper, -LIMIT_ANGLE, LIMIT_ANGLE, 0.0, LOWER_ANGLE),
    LOW(LOWER_TRANSLATION, SLIDES, NUMBER, lower, -LIMIT_LENGTH, LIMIT_LENGTH, 0.0, UPPER_TRANSLATION),
    HIGH(UPPER_TRANSLATION, SLIDES | TYPE(GROOVE), NUMBER, upper, -LIMIT_LENGTH, LIMIT_LENGTH, 0.0, LOWER_TRANSLATION),
    LOW(MIN_LENGTH, TYPE(DISTANCE), NUMBER, lower, 0.0, LIMIT_LENGTH, 0.0, MAX_LENGTH),
    HIGH(MAX_LENGTH, TYPE(DISTANCE), OPEN_NUMBER, upper, 0.0, INFINITY, INFINITY, MIN_LENGTH),

    SWITCH(ENABLE_MOTOR, SPRINGY, B2D_JOINT_MOTOR, 0.0),
    FLOAT(MOTOR_SPEED, SPRINGY, motor_speed, -1.0e9, 1.0e9, 0.0),
    FLOAT(MAX_MOTOR_TORQUE, TYPE(REVOLUTE) | TYPE(WHEEL), motor_max, 0.0, 1.0e30, 0.0),
    FLOAT(MAX_MOTOR_FORCE, TYPE(PRISMATIC) | TYPE(DISTANCE), motor_max, 0.0, 1.0e30, 0.0),

    FLOAT(LINEAR_HERTZ, SOFT, spring_hertz, 0.0, 1.0e6, 0.0),
    FLOAT(LINEAR_DAMPING_RATIO, SOFT, spring_damping_ratio, 0.0, 1.0e6, 1.0),
    FLOAT(ANGULAR_HERTZ, SOFT, turn_hertz, 0.0, 1.0e6, 0.0),
    FLOAT(ANGULAR_DAMPING_RATIO, SOFT, turn_damping_ratio, 0.0, 1.0e6, 1.0),
    VECTOR(LINEAR_VELOCITY, TYPE(MOTOR) | TYPE(MOVER), PAIR, velocity, 1.0e9),
    FLOAT(ANGULAR_VELOCITY, TYPE(MOTOR), motor_speed, -1.0e9, 1.0e9, 0.0),
    OPEN(MAX_VELOCITY_FORCE, TYPE(MOTOR), velocity_max[0], 0.0, INFINITY, 0.0),
    [B2D_JOINT_MAX_VELOCITY_FORCE_XY] = {TYPE(MOVER), PAIR, 0, AT(velocity_max), B2D_ARG_MAX_VELOCITY_FORCE, 0.0,
                                         1.0e30, 0.0, 0, 0},
    OPEN(MAX_VELOCITY_TORQUE, TYPE(MOTOR), motor_max, 0.0, INFINITY, 0.0),
    OPEN(MAX_SPRING_FORCE, TYPE(MOTOR), spring_high, 0.0, INFINITY, 0.0),
    OPEN(MAX_SPRING_TORQUE, TYPE(MOTOR) | TYPE(ROTARY_SPRING), turn_spring_max, 0.0, INFINITY, 0.0),

    VECTOR(GROUND_ANCHOR_A, TYPE(PULLEY), WORLD_PAIR, ground[0], 1.0e12),
    VECTOR(GROUND_ANCHOR_B, TYPE(PULLEY), WORLD_PAIR, ground[1], 1.0e12),
    FLOAT(RATIO, LINKS, ratio, -1.0e6, 1.0e6, 1.0),

    FLOAT(REST_LENGTH, TYPE(POGO), spring_target, 0.0, LIMIT_LENGTH, 0.0),
    OPEN(MAX_TENSION_FORCE, TYPE(POGO), spring_low, 0.0, INFINITY, INFINITY),
    OPEN(MAX_COMPRESSION_FORCE, TYPE(POGO), spring_high, 0.0, INFINITY, INFINITY),
    FLOAT(PHASE, TYPE(RATCHET), lower, -1.0e6, 1.0e6, 0.0),
    FLOAT(RATCHET, TYPE(RATCHET), ratio, -1.0e6, 1.0e6, 1.0),
};
_Static_assert(B2D_JOINT_PROPERTY_COUNT <= 96, "b2d_joint_def.value has room for all");

// What the engine alone changes: for each property the types that have it.
static const uint16_t read_only[B2D_JOINT_PROPERTY_COUNT] = {
    [B2D_JOINT_COLLIDE_CONNECTED] = TYPE(FILTER), // never
    [B2D_JOINT_ANGLE] = PLACED & ~TYPE(PULLEY) & ~TYPE(DISTANCE),
    [B2D_JOINT_TRANSLATION] = SLIDES | TYPE(GROOVE),
    [B2D_JOINT_CURRENT_LENGTH] = TYPE(DISTANCE) | TYPE(POGO),
    [B2D_JOINT_LENGTH_A] = TYPE(PULLEY),
    [B2D_JOINT_LENGTH_B] = TYPE(PULLEY),
    [B2D_JOINT_COORDINATE_A] = TYPE(GEAR),
    [B2D_JOINT_COORDINATE_B] = TYPE(GEAR),
    [B2D_JOINT_HELD_ANGLE] = TYPE(RATCHET),
    [B2D_JOINT_SPEED] = ALL & ~TYPE(FILTER) & ~TYPE(MOVER),
    [B2D_JOINT_MOTOR_TORQUE] = TYPE(REVOLUTE) | TYPE(WHEEL) | TYPE(MOTOR),
    [B2D_JOINT_MOTOR_FORCE] = TYPE(PRISMATIC) | TYPE(DISTANCE) | TYPE(MOTOR) | TYPE(MOVER),
    [B2D_JOINT_SPRING_TORQUE] = TYPE(REVOLUTE) | TYPE(ROTARY_SPRING) | SOFT,
    [B2D_JOINT_SPRING_FORCE] = TYPE(DISTANCE) | SLIDES | TYPE(POGO) | SOFT,
    [B2D_JOINT_RELATIVE_POSITION] = PLACED,
    [B2D_JOINT_RELATIVE_VELOCITY] = PLACED,
    [B2D_JOINT_CONSTRAINT_FORCE] = ALL,
    [B2D_JOINT_CONSTRAINT_TORQUE] = ALL,
    [B2D_JOINT_LINEAR_SEPARATION] = ALL,
    [B2D_JOINT_ANGULAR_SEPARATION] = ALL,
};

static const field* field_of(int32_t type, int32_t property) {
    const field* f = &fields[property];
    return f->types >> type & 1 ? f : NULL;
}

void b2d_joint_def_init(b2d_joint_def* def, int32_t type) {
    *def = (b2d_joint_def){.type = type};
    for (int32_t p = 0; p < B2D_JOINT_PROPERTY_COUNT; p++) def->value[p][0] = def->value[p][1] = fields[p].initial;
    if (type == B2D_ROTARY_SPRING) def->value[B2D_JOINT_MAX_SPRING_TORQUE][0] = INFINITY;
}

static float* number_at(b2d_joint* joint, const field* f) { return (float*)((char*)joint + f->offset); }

static b2d_status check_number(const field* f, double x) {
    if (f->kind != OPEN_NUMBER) return b2d_check_range(x, f->lower, f->upper, f->argument);
    if (x != x) return b2d_error(B2D_NOT_FINITE, f->argument);
    return f->lower <= x && x <= f->upper ? B2D_OK : b2d_error(B2D_OUT_OF_RANGE, f->argument);
}

// The property alone, without its neighbours.
static b2d_status check_value(const field* f, const double* in) {
    B2D_TRY(check_number(f, in[0]));
    if (f->kind == PAIR || f->kind == WORLD_PAIR) B2D_TRY(check_number(f, in[1]));
    // A length is -1 or what a direction can still be told from.
    if (f == &fields[B2D_JOINT_LENGTH] && in[0] != -1.0 && in[0] < 1.0e-4)
        return b2d_error(B2D_OUT_OF_RANGE, f->argument);
    if (f == &fields[B2D_JOINT_RATIO] && (float)in[0] == 0.0f) return b2d_error(B2D_OUT_OF_RANGE, f->argument);
    if (f == &fields[B2D_JOINT_RATCHET] && fabs(in[0]) < 1.0e-3) return b2d_error(B2D_OUT_OF_RANGE, f->argument);
    return B2D_OK;
}

// Compared as they are kept, in float32.
static b2d_status check_order(b2d_joint* joint, const field* f, double x) {
    if (f->ceiling != 0 && !((float)x <= *number_at(joint, &fields[f->ceiling])))
        return b2d_error(B2D_OUT_OF_RANGE, f->argument);
    if (f->floor != 0 && !((float)x >= *number_at(joint, &fields[f->floor])))
        return b2d_error(B2D_OUT_OF_RANGE, f->argument);
    return B2D_OK;
}

static void store_value(b2d_joint* joint, const field* f, const double* in) {
    float* at = number_at(joint, f);
    switch (f->kind) {
    case FLAG: joint->flags = (uint8_t)(in[0] != 0.0 ? joint->flags | f->flag : joint->flags & ~f->flag); break;
    case WORLD_PAIR: ((double*)at)[0] = in[0], ((double*)at)[1] = in[1]; break;
    case PAIR: at[0] = (float)in[0], at[1] = (float)in[1]; break;
    default: at[0] = (float)in[0]; break;
    }
}

static b2d_status find_joint(const b2d_world* world, int32_t index, uint64_t generation) {
    return b2d_joint_alive(world, index, generation) ? B2D_OK : b2d_error(B2D_STALE_HANDLE, B2D_ARG_JOINT);
}

static b2d_status fill_row(const b2d_joint_def* def, b2d_joint* row) {
    const double a[2] = {def->ax, def->ay}, b[2] = {def->bx, def->by};
    B2D_TRY(b2d_check_vec(a, 1.0e9, B2D_ARG_FRAME_A));
    B2D_TRY(b2d_check_vec(b, 1.0e9, B2D_ARG_FRAME_B));
    B2D_TRY(b2d_check_range(def->angle_a, -1.0e6, 1.0e6, B2D_ARG_FRAME_A));
    B2D_TRY(b2d_check_range(def->angle_b, -1.0e6, 1.0e6, B2D_ARG_FRAME_B));
    for (int32_t p = B2D_JOINT_COLLIDE_CONNECTED; p < B2D_JOINT_PROPERTY_COUNT; p++) {
        const field* f = field_of(def->type, p);
        if (f == NULL) continue;
        B2D_TRY(check_value(f, def->value[p]));
        store_value(row, f, def->value[p]);
    }
    for (int32_t p = B2D_JOINT_COLLIDE_CONNECTED; p < B2D_JOINT_PROPERTY_COUNT; p++) {
        const field* f = field_of(def->type, p);
        if (f != NULL) B2D_TRY(check_order(row, f, def->value[p][0]));
    }
    row->anchor[0] = b2d_v((float)def->ax, (float)def->ay);
    row->anchor[1] = b2d_v((float)def->bx, (float)def->by);
    row->frame_angle[0] = (float)def->angle_a;
    row->frame_angle[1] = (float)def->angle_b;
    return B2D_OK;
}

// The bodies of a gear are what its two joints move; each must hold its body to a static one.
static b2d_status find_geared(const b2d_world* world, const b2d_joint_def* def, b2d_joint* row) {
    const b2d_graph* graph = &world->graph;
    for (int32_t k = 0; k < 2; k++) {
        int32_t argument = k == 0 ? B2D_ARG_JOINT_A : B2D_ARG_JOINT_B, id = def->joint[k].index;
        if (!b2d_joint_alive(world, id, def->joint[k].generation)) return b2d_error(B2D_STALE_HANDLE, argument);
        const b2d_joint* driven = &graph->joints[id];
        bool first = b2d_moves(graph, driven->body[0]), second = b2d_moves(graph, driven->body[1]);
        if ((driven->type != B2D_REVOLUTE && driven->type != B2D_PRISMATIC) || first == second)
            return b2d_error(B2D_NOT_ALLOWED, argument);
        if (graph->bodies[driven->body[first]].type != B2D_STATIC) return b2d_error(B2D_NOT_ALLOWED, argument);
        row->joint[k] = id;
        row->body[k] = driven->body[second];
    }
    return row->body[0] != row->body[1] ? B2D_OK : b2d_error(B2D_NOT_ALLOWED, B2D_ARG_JOINT_B);
}

static b2d_status create(b2d_world* world, int32_t body_a, uint64_t generation_a, int32_t body_b, uint64_t generation_b,
                         const b2d_joint_def* def, b2d_handle* out) {
    if (def->type < 0 || def->type >= B2D_JOINT_TYPE_COUNT) return b2d_error(B2D_OUT_OF_RANGE, B2D_ARG_TYPE);
    b2d_joint row = {.body = {body_a, body_b}, .joint = {B2D_NONE, B2D_NONE}, .type = (uint8_t)def->type};
    if (def->type == B2D_GEAR) {
        B2D_TRY(find_geared(world, def, &row));
    } else {
        if (!b2d_body_alive(world, body_a, generation_a)) return b2d_error(B2D_STALE_HANDLE, B2D_ARG_BODY_A);
        if (!b2d_body_alive(world, body_b, generation_b)) return b2d_error(B2D_STALE_HANDLE, B2D_ARG_BODY_B);
        if (body_a == body_b) return b2d_error(B2D_NOT_ALLOWED, B2D_ARG_BODY_B);
    }
    B2D_TRY(fill_row(def, &row));
    int32_t joint = b2d_world_new_joint(world, &row);
    if (joint == B2D_NONE) return b2d_error(B2D_NO_MEMORY, B2D_ARG_NONE);
    *out = (b2d_handle){world->graph.joint_generations[joint], joint, B2D_KIND_JOINT};
    return B2D_OK;
}

b2d_status b2d_joint_create(b2d_world* world, int32_t body_a, uint64_t generation_a, int32_t body_b,
                            uint64_t generation_b, const b2d_joint_def* def, b2d_handle* out) {
    B2D_TRY(b2d_open_write(world));
    return b2d_close_write(world, create(world, body_a, generation_a, body_b, generation_b, def, out));
}

b2d_status b2d_joint_destroy(b2d_world* world, int32_t index, uint64_t generation) {
    B2D_TRY(b2d_open_write(world));
    b2d_status status = find_joint(world, index, generation);
    if (status == B2D_OK) b2d_world_drop_joint(world, index);
    return b2d_close_write(world, status);
}

// The tooth that holds a ratchet, as the next step will see it.
static double held_angle(const b2d_world* world, int32_t index) {
    const b2d_joint* joint = &world->graph.joints[index];
    float tooth = joint->total;
    return (double)b2d_ratchet_angle(joint, (float)b2d_world_joint_angle(world, index), &tooth);
}

static double beyond(double x, double lower, double upper) {
    return x < lower ? lower - x : (x > upper ? x - upper : 0.0);
}

// How far a joint is from where its rigid rows and limits want it: metres, radians. Springs do not count.
static void separations(const b2d_world* world, int32_t index, double* linear, double* angular) {
    const b2d_joint* joint = &world->graph.joints[index];
    bool limited = (joint->flags & B2D_JOINT_LIMIT) != 0;
    *linear = *angular = 0.0;
    if (joint->type == B2D_FILTER || joint->type == B2D_MOVER || joint->type == B2D_POGO ||
        joint->type == B2D_ROTARY_SPRING)
        return;
    if (joint->type == B2D_RATCHET) {
        double behind = held_angle(world, index) - b2d_world_joint_angle(world, index);
        *angular = fmax(joint->ratio > 0.0f ? behind : -behind, 0.0);
        return;
    }
    if (joint->type == B2D_GEAR || joint->type == B2D_PULLEY) {
        double off = fabs((double)b2d_link_joint(&world->graph, joint, world->poses.data).value);
        bool turns = joint->type == B2D_GEAR && world->graph.joints[joint->joint[0]].type == B2D_REVOLUTE;
        *(turns ? angular : linear) = off;
        return;
    }
    b2d_joint_place place = b2d_place_joint(joint, world->poses.data);
    double value = place.value;
    switch (joint->type) {
    case B2D_REVOLUTE:
        *linear = sqrt((double)place.d.x * place.d.x + (double)place.d.y * place.d.y);
        if (limited) *angular = beyond(b2d_world_joint_angle(world, index), joint->lower, joint->upper);
        break;
    case B2D_DISTANCE:
        if (!(joint->flags & B2D_JOINT_SPRING)) *linear = fabs(value - (double)joint->spring_target);
        else if (limited) *linear = beyond(value, joint->lower, joint->upper);
        break;
    case B2D_PRISMATIC:
    case B2D_GROOVE:
    case B2D_WHEEL: {
        bool ends = limited || joint->type == B2D_GROOVE;
        double across = (double)b2d_cross(place.axis, place.d),
               over = ends ? beyond(value, joint->lower, joint->upper) : 0.0;
        *linear = sqrt(across * across + over * over);
        if (joint->type == B2D_PRISMATIC) *angular = fabs(b2d_world_joint_angle(world, index));
        break;
    }
    default: // weld and motor: of the frames, however soft they are held
        *linear = sqrt((double)place.d.x * place.d.x + (double)place.d.y * place.d.y);
        *angular = fabs(b2d_world_joint_angle(world, index));
        break;
    }
}

static double wrapped(double angle) { // frame angles as given: turns put into frame B at creation do not show
    double turns = angle / (2.0 * pi);
    return angle >= -pi && angle <= pi ? angle
                                       : angle - 2.0 * pi * (double)(int64_t)(turns < 0.0 ? turns - 0.5 : turns + 0.5);
}

static void read_value(const b2d_world* world, b2d_joint* joint, const field* f, int32_t property, double* out) {
    const float* at = number_at(joint, f);
    switch (f->kind) {
    case FLAG: out[0] = (joint->flags & f->flag) != 0; return;
    case WORLD_PAIR: out[0] = ((const double*)at)[0], out[1] = ((const double*)at)[1]; return;
    case PAIR: out[0] = at[0], out[1] = at[1]; return;
    default: out[0] = at[0]; break;
    }
    if (property == B2D_JOINT_LOCAL_ANGLE_A || property == B2D_JOINT_LOCAL_ANGLE_B) out[0] = wrapped(out[0]);
    if (property == B2D_JOINT_JOINT_HERTZ && out[0] < 0.0) out[0] = world->options[B2D_OPTION_JOINT_HERTZ];
    if (property == B2D_JOINT_JOINT_DAMPING_RATIO && out[0] < 0.0)
        out[0] = world->options[B2D_OPTION_JOINT_DAMPING_RATIO];
}

// What the engine alone changes.
static void read_state(const b2d_world* world, int32_t index, int32_t property, double* out) {
    const b2d_joint* joint = &world->graph.joints[index];
    const double rate = world->last_h > 0.0f ? 1.0 / (double)world->last_h : 0.0; // impulses of a substep to forces
    const b2d_joint_impulses p = b2d_joint_read_impulses(&world->graph, index);
    const bool sprung = !(SPRINGY >> joint->type & 1) || joint->flags & B2D_JOINT_SPRING;
    // Forces in the plane, not along a line
    const bool flat = joint->type == B2D_MOTOR || joint->type == B2D_MOVER || joint->type == B2D_WELD;
    double fx, fy, other;
    out[0] = 0.0;
    switch (property) {
    case B2D_JOINT_COLLIDE_CONNECTED: break;
    case B2D_JOINT_ANGLE: out[0] = b2d_world_joint_angle(world, index); break;
    case B2D_JOINT_TRANSLATION:
    case B2D_JOINT_CURRENT_LENGTH: out[0] = b2d_place_joint(joint, world->poses.data).value; break;
    case B2D_JOINT_LENGTH_A:
    case B2D_JOINT_COORDINATE_A: out[0] = b2d_link_joint(&world->graph, joint, world->poses.data).length[0]; break;
    case B2D_JOINT_LENGTH_B:
    case B2D_JOINT_COORDINATE_B: out[0] = b2d_link_joint(&world->graph, joint, world->poses.data).length[1]; break;
    case B2D_JOINT_HELD_ANGLE: out[0] = held_angle(world, index); break;
    case B2D_JOINT_SPEED: out[0] = b2d_world_joint_speed(world, index); break;
    case B2D_JOINT_RELATIVE_POSITION: {
        b2d_vec2 d = b2d_place_joint(joint, world->poses.data).d;
        out[0] = d.x, out[1] = d.y;
        break;
    }
    case B2D_JOINT_RELATIVE_VELOCITY: b2d_world_joint_velocity(world, index, &out[0], &out[1]); break;
    // Rows that are off have no impulse, but keep the old one until the next step.
    case B2D_JOINT_MOTOR_TORQUE:
        out[0] = joint->flags & B2D_JOINT_MOTOR || joint->type == B2D_MOTOR ? rate * (double)p.motor : 0.0;
        break;
    case B2D_JOINT_MOTOR_FORCE:
        if (flat) out[0] = rate * (double)p.drive_x, out[1] = rate * (double)p.drive_y;
        else out[0] = joint->flags & B2D_JOINT_MOTOR ? rate * (double)p.line_motor : 0.0;
        break;
    case B2D_JOINT_SPRING_TORQUE: out[0] = sprung ? rate * (double)p.spring : 0.0; break;
    case B2D_JOINT_SPRING_FORCE:
        if (flat) out[0] = rate * (double)p.pull_x, out[1] = rate * (double)p.pull_y;
        else out[0] = sprung ? rate * (double)p.line_spring : 0.0;
        break;
    case B2D_JOINT_CONSTRAINT_FORCE: b2d_world_joint_load(world, index, &out[0], &out[1], &other); break;
    case B2D_JOINT_CONSTRAINT_TORQUE: b2d_world_joint_load(world, index, &fx, &fy, &out[0]); break;
    case B2D_JOINT_LINEAR_SEPARATION: separations(world, index, &out[0], &other); break;
    default: separations(world, index, &other, &out[0]); break;
    }
}

static b2d_status get(b2d_world* world, int32_t index, uint64_t generation, int32_t property, double* out) {
    B2D_TRY(find_joint(world, index, generation));
    if (property < 0 || property >= B2D_JOINT_PROPERTY_COUNT) return b2d_error(B2D_OUT_OF_RANGE, B2D_ARG_OPTION);
    b2d_joint* joint = &world->graph.joints[index];
    const field* f = field_of(joint->type, property);
    if (f != NULL) {
        read_value(world, joint, f, property, out);
        return B2D_OK;
    }
    if (!(read_only[property] >> joint->type & 1)) return b2d_error(B2D_NOT_ALLOWED, B2D_ARG_OPTION);
    read_state(world, index, property, out);
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

// Rows that are off lose their impulses when the next step lays them out. Thresholds wake nobody.
static b2d_status set(b2d_world* world, int32_t index, uint64_t generation, int32_t property, const double* in) {
    B2D_TRY(find_joint(world, index, generation));
    if (property < 0 || property >= B2D_JOINT_PROPERTY_COUNT) return b2d_error(B2D_OUT_OF_RANGE, B2D_ARG_OPTION);
    b2d_joint* joint = &world->graph.joints[index];
    const field* f = field_of(joint->type, property);
    if (f == NULL) return b2d_error(B2D_NOT_ALLOWED, B2D_ARG_OPTION);
    B2D_TRY(check_value(f, in));
    B2D_TRY(check_order(joint, f, in[0]));
    if (f->kind == FLAG && (in[0] != 0.0) == ((joint->flags & f->flag) != 0)) return B2D_OK;
    if (property != B2D_JOINT_FORCE_THRESHOLD && property != B2D_JOINT_TORQUE_THRESHOLD) B2D_TRY(rouse(world, joint));
    float before = *number_at(joint, f);
    store_value(joint, f, in);
    if (joint->type == B2D_WELD) b2d_world_weigh_joint(world, index, true); // a soft one is not solved directly
    if ((property == B2D_JOINT_FORCE_THRESHOLD || property == B2D_JOINT_TORQUE_THRESHOLD) &&
        !b2d_world_watch_joint(world, index)) {
        *number_at(joint, f) = before;
        return b2d_error(B2D_NO_MEMORY, B2D_ARG_NONE);
    }
    bool turned = property == B2D_JOINT_LOCAL_ANGLE_A || property == B2D_JOINT_LOCAL_ANGLE_B;
    if (property == B2D_JOINT_RATIO || property == B2D_JOINT_LENGTH || f->kind == WORLD_PAIR ||
        (joint->type == B2D_RATCHET && (turned || property == B2D_JOINT_PHASE || property == B2D_JOINT_RATCHET)))
        b2d_world_settle_joint(world, joint);
    if (joint->lane_index != B2D_NONE) world->graph.joint_block_rows[joint->lane_index / B2D_LANES] |= B2D_ROWS_UNKNOWN;
    if (property == B2D_JOINT_COLLIDE_CONNECTED) {
        if (in[0] != 0.0) b2d_world_reopen_connected(world, index);
        else b2d_world_separate_connected(world, index);
    }
    return B2D_OK;
}

b2d_status b2d_joint_set(b2d_world* world, int32_t index, uint64_t generation, int32_t property, const double* in) {
    B2D_TRY(b2d_open_write(world));
    return b2d_close_write(world, set(world, index, generation, property, in));
}

b2d_status b2d_joint_bodies(b2d_world* world, int32_t index, uint64_t generation, b2d_handle* body_a,
                            b2d_handle* body_b, int32_t* type) {
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
