// csrc/api/joint.c - the API of joints: checks all input and returns a status.
//
// The property tables of the joint types (joints/properties.h) list what the user may set and read. Creation, reading
// and writing all use them.
#include "api/joint.h"
#include "joints/joint_type.h"
#include "objects/body.h"
#include "objects/joint.h"

static const double pi = 3.14159265358979323846;
static const float no_stiffness = 1.0e-30f; // stands for 0, because 0 is no spring: a damper alone

static const b2d_joint_property* property_of(int32_t type, int32_t property) {
    return &b2d_joint_types[type]->properties[property];
}

_Static_assert(B2D_JOINT_PROPERTY_COUNT <= sizeof((b2d_joint_def*)NULL)->value / sizeof *((b2d_joint_def*)NULL)->value,
               "b2d_joint_def.value has room for all properties");

void b2d_joint_def_init(b2d_joint_def* def, int32_t type) {
    *def = (b2d_joint_def){.type = type};
    if (type < 0 || type >= B2D_JOINT_TYPE_COUNT) return; // joint creation reports the error
    for (int32_t k = 0; k < B2D_JOINT_PROPERTY_COUNT; k++)
        def->value[k][0] = def->value[k][1] = property_of(type, k)->initial;
}

static float* number_at(b2d_joint* joint, const b2d_joint_property* p) { return (float*)((char*)joint + p->offset); }

static b2d_status check_number(const b2d_joint_property* p, double x) {
    if (p->kind != B2D_PROPERTY_OPEN_NUMBER) return b2d_check_range(x, p->lower, p->upper, p->argument);
    if (x != x) return b2d_error(B2D_NOT_FINITE, p->argument);
    return p->lower <= x && x <= p->upper ? B2D_OK : b2d_out_of_range(p->lower, p->upper, p->argument);
}

// Checks the property alone, without the properties that bound it.
static b2d_status check_value(const b2d_world* world, const b2d_joint_property* p, const double* in) {
    B2D_TRY(check_number(p, in[0]));
    if (p->kind == B2D_PROPERTY_PAIR || p->kind == B2D_PROPERTY_WORLD_PAIR) B2D_TRY(check_number(p, in[1]));
    const bool valid = p->valid == NULL || p->valid(in[0], world->options[B2D_OPTION_LENGTH_UNIT]);
    return valid ? B2D_OK : b2d_error(B2D_OUT_OF_RANGE, p->argument);
}

// Values are compared as float32, because they are stored as such.
static b2d_status check_order(b2d_joint* joint, const b2d_joint_property* p, double x) {
    const float* ceiling = p->ceiling != 0 ? number_at(joint, property_of(joint->type, p->ceiling)) : NULL;
    const float* floor = p->floor != 0 ? number_at(joint, property_of(joint->type, p->floor)) : NULL;
    if (ceiling != NULL && !((float)x <= *ceiling)) return b2d_out_of_range(p->lower, (double)*ceiling, p->argument);
    if (floor != NULL && !((float)x >= *floor)) return b2d_out_of_range((double)*floor, p->upper, p->argument);
    return B2D_OK;
}

static void store_value(b2d_joint* joint, const b2d_joint_property* p, const double* in) {
    float* at = number_at(joint, p);
    switch (p->kind) {
    case B2D_PROPERTY_FLAG:
        joint->flags = (uint8_t)(in[0] != 0.0 ? joint->flags | p->flag : joint->flags & ~p->flag);
        break;
    case B2D_PROPERTY_WORLD_PAIR: ((double*)at)[0] = in[0], ((double*)at)[1] = in[1]; break;
    case B2D_PROPERTY_PAIR: at[0] = (float)in[0], at[1] = (float)in[1]; break;
    case B2D_PROPERTY_STIFFNESS: at[0] = -b2d_max((float)in[0], no_stiffness); break;
    case B2D_PROPERTY_DAMPING_RATIO:
    case B2D_PROPERTY_DAMPING: at[1] = (float)in[0]; break;
    default: at[0] = (float)in[0]; break;
    }
    if (b2d_property_is_newton(p) && at[0] >= -no_stiffness && at[1] == 0.0f) at[0] = 0.0f; // no spring at all
}

static b2d_status find_joint(const b2d_world* world, int32_t index, uint64_t generation) {
    return b2d_joint_alive(world, index, generation) ? B2D_OK : b2d_error(B2D_STALE_HANDLE, B2D_ARG_JOINT);
}

static b2d_status fill_row(const b2d_world* world, const b2d_joint_def* def, b2d_joint* row) {
    const double a[2] = {def->ax, def->ay}, b[2] = {def->bx, def->by};
    B2D_TRY(b2d_check_vec(a, 1.0e9, B2D_ARG_FRAME_A));
    B2D_TRY(b2d_check_vec(b, 1.0e9, B2D_ARG_FRAME_B));
    B2D_TRY(b2d_check_range(def->angle_a, -1.0e6, 1.0e6, B2D_ARG_FRAME_A));
    B2D_TRY(b2d_check_range(def->angle_b, -1.0e6, 1.0e6, B2D_ARG_FRAME_B));
    for (int32_t k = B2D_JOINT_COLLIDE_CONNECTED; k < B2D_JOINT_PROPERTY_COUNT; k++) {
        const b2d_joint_property* p = property_of(def->type, k);
        if (!b2d_property_is_settable(p)) continue;
        if (b2d_property_is_newton(p)) { // they come after hertz and ratio
            float* spring = number_at(row, p);
            if (def->value[k][0] == B2D_NO_NEWTON) continue;
            if (spring[0] >= 0.0f) spring[0] = -no_stiffness, spring[1] = 0.0f;
        }
        B2D_TRY(check_value(world, p, def->value[k]));
        store_value(row, p, def->value[k]);
    }
    for (int32_t k = B2D_JOINT_COLLIDE_CONNECTED; k < B2D_JOINT_PROPERTY_COUNT; k++) {
        const b2d_joint_property* p = property_of(def->type, k);
        if (b2d_property_is_settable(p)) B2D_TRY(check_order(row, p, def->value[k][0]));
    }
    row->anchor[0] = b2d_v((float)def->ax, (float)def->ay);
    row->anchor[1] = b2d_v((float)def->bx, (float)def->by);
    row->frame_angle[0] = (float)def->angle_a;
    row->frame_angle[1] = (float)def->angle_b;
    return B2D_OK;
}

// A gear drives one body of each of its joints: the one that moves, or body B. If that is the same body, it drives the
// other body of a joint of which both move.
static b2d_status find_driven_joints(const b2d_world* world, const b2d_joint_def* def, b2d_joint* row) {
    const b2d_graph* graph = &world->graph;
    for (int32_t k = 0; k < 2; k++) {
        int32_t argument = k == 0 ? B2D_ARG_JOINT_A : B2D_ARG_JOINT_B, id = def->joint[k].index;
        if (!b2d_joint_alive(world, id, def->joint[k].generation)) return b2d_error(B2D_STALE_HANDLE, argument);
        const b2d_joint* driven = &graph->joints[id];
        const bool second = b2d_moves(graph, driven->body[1]);
        if (b2d_joint_type_of(driven)->coordinate == NULL || !(second || b2d_moves(graph, driven->body[0])))
            return b2d_error(B2D_NOT_ALLOWED, argument);
        row->joint[k] = id;
        row->body[k] = driven->body[second];
    }
    for (int32_t k = 2; k-- > 0 && row->body[0] == row->body[1];) {
        const int32_t base = b2d_gear_base(graph, row, k);
        if (b2d_moves(graph, base)) row->body[k] = base;
    }
    return row->body[0] != row->body[1] ? B2D_OK : b2d_error(B2D_NOT_ALLOWED, B2D_ARG_JOINT_B);
}

static b2d_status create(b2d_world* world, int32_t body_a, uint64_t generation_a, int32_t body_b, uint64_t generation_b,
                         const b2d_joint_def* def, b2d_handle* out) {
    if (def->type < 0 || def->type >= B2D_JOINT_TYPE_COUNT) return b2d_error(B2D_OUT_OF_RANGE, B2D_ARG_TYPE);
    b2d_joint row = {.body = {body_a, body_b}, .joint = {B2D_NONE, B2D_NONE}, .type = (uint8_t)def->type};
    if (b2d_joint_types[def->type]->on_joints) {
        B2D_TRY(find_driven_joints(world, def, &row));
    } else {
        if (!b2d_body_alive(world, body_a, generation_a)) return b2d_error(B2D_STALE_HANDLE, B2D_ARG_BODY_A);
        if (!b2d_body_alive(world, body_b, generation_b)) return b2d_error(B2D_STALE_HANDLE, B2D_ARG_BODY_B);
        if (body_a == body_b) return b2d_error(B2D_NOT_ALLOWED, B2D_ARG_BODY_B);
    }
    B2D_TRY(fill_row(world, def, &row));
    int32_t joint = b2d_world_new_joint(world, &row);
    if (joint == B2D_NONE) return b2d_error(B2D_NO_MEMORY, B2D_ARG_NONE);
    *out = (b2d_handle){world->graph.joint_generations[joint], joint, B2D_KIND_JOINT};
    return B2D_OK;
}

b2d_status b2d_world_create_joint(b2d_world* world, int32_t body_a, uint64_t generation_a, int32_t body_b,
                                  uint64_t generation_b, const b2d_joint_def* def, b2d_handle* out) {
    const b2d_status status = create(world, body_a, generation_a, body_b, generation_b, def, out);
    B2D_LOG(world, status, B2D_LOGGED_JOINT_CREATE, body_a, generation_a, body_b, generation_b, def);
    return status;
}

b2d_status b2d_joint_create(b2d_world* world, int32_t body_a, uint64_t generation_a, int32_t body_b,
                            uint64_t generation_b, const b2d_joint_def* def, b2d_handle* out) {
    B2D_TRY(b2d_open_write(world));
    return b2d_close_write(world, b2d_world_create_joint(world, body_a, generation_a, body_b, generation_b, def, out));
}

static int32_t list_gears(const b2d_graph* graph, int32_t index, b2d_handle* out, int32_t room) {
    int32_t count = 0;
    for (int32_t key = graph->joints[index].gear_head; key != B2D_NONE;
         key = graph->joints[key >> 1].gear_next[key & 1])
        if (count++ < room) out[count - 1] = (b2d_handle){graph->joint_generations[key >> 1], key >> 1, B2D_KIND_JOINT};
    return count;
}

b2d_status b2d_joint_destroy(b2d_world* world, int32_t index, uint64_t generation, b2d_handle* out, int32_t room,
                             int32_t* count) {
    B2D_TRY(b2d_open_write(world));
    b2d_status status = find_joint(world, index, generation);
    if (status == B2D_OK) {
        *count = list_gears(&world->graph, index, out, room);
        if (*count <= room) b2d_world_drop_joint(world, index);
    }
    if (status == B2D_OK && *count > room) B2D_LOG_NOTHING(world);
    else B2D_LOG(world, status, B2D_LOGGED_JOINT_DESTROY, index, generation);
    return b2d_close_write(world, status);
}

// A frame angle as the user set it, without the whole turns that creation added to frame B.
static double wrapped(double angle) {
    double turns = angle / (2.0 * pi);
    return angle >= -pi && angle <= pi ? angle
                                       : angle - 2.0 * pi * (double)(int64_t)(turns < 0.0 ? turns - 0.5 : turns + 0.5);
}

static void read_stored(b2d_joint* joint, const b2d_joint_property* p, double* out) {
    const float* at = number_at(joint, p);
    switch (p->kind) {
    case B2D_PROPERTY_FLAG: out[0] = (joint->flags & p->flag) != 0; break;
    case B2D_PROPERTY_WORLD_PAIR: out[0] = ((const double*)at)[0], out[1] = ((const double*)at)[1]; break;
    case B2D_PROPERTY_PAIR: out[0] = at[0], out[1] = at[1]; break;
    default: out[0] = at[0]; break;
    }
}

static bool is_frame_angle(int32_t property) {
    return property == B2D_JOINT_LOCAL_ANGLE_A || property == B2D_JOINT_LOCAL_ANGLE_B;
}

static double spring_inverse_mass(const b2d_world* world, const b2d_joint* joint, const b2d_joint_property* p) {
    const b2d_body_state* states = world->states.data;
    b2d_inverse_masses inverse;
    for (int32_t side = 0; side < 2; side++) {
        inverse.mass[side] = states[joint->body[side]].inverse_mass;
        inverse.inertia[side] = states[joint->body[side]].inverse_inertia;
    }
    return (double)b2d_spring_inverse_mass(joint, world->poses.data, &inverse, p->flag);
}

// Hertz and damping ratio of a spring, or stiffness and damping, whichever form it is kept in.
static void read_spring(const b2d_world* world, b2d_joint* joint, const b2d_joint_property* p, bool newton,
                        double out[2]) {
    const float* at = number_at(joint, p);
    out[0] = at[0], out[1] = at[1];
    if (at[0] < 0.0f) out[0] = at[0] >= -no_stiffness ? 0.0 : -out[0];
    if ((at[0] < 0.0f) == newton) return;
    const double inverse_mass = spring_inverse_mass(world, joint, p);
    if (newton) {
        const double omega = 2.0 * pi * out[0], mass = inverse_mass > 0.0 ? 1.0 / inverse_mass : 0.0;
        out[0] = mass * omega * omega, out[1] *= 2.0 * mass * omega;
    } else {
        const double omega = sqrt(out[0] * inverse_mass);
        out[0] = omega / (2.0 * pi), out[1] = omega > 0.0 ? 0.5 * out[1] * inverse_mass / omega : 0.0;
    }
}

static void read_settable(const b2d_world* world, b2d_joint* joint, int32_t property, double* out) {
    const b2d_joint_property* p = property_of(joint->type, property);
    if (b2d_property_is_of_spring(p)) {
        double spring[2];
        read_spring(world, joint, p, b2d_property_is_newton(p), spring);
        out[0] = spring[p->kind == B2D_PROPERTY_DAMPING_RATIO || p->kind == B2D_PROPERTY_DAMPING];
        return;
    }
    read_stored(joint, property_of(joint->type, property), out);
    if (is_frame_angle(property)) out[0] = wrapped(out[0]);
    if (property == B2D_JOINT_JOINT_HERTZ && out[0] < 0.0) out[0] = world->options[B2D_OPTION_JOINT_HERTZ];
    if (property == B2D_JOINT_JOINT_DAMPING_RATIO && out[0] < 0.0)
        out[0] = world->options[B2D_OPTION_JOINT_DAMPING_RATIO];
}

// A disabled row has no force, although it keeps its old impulse until the next step.
static void read_impulse(const b2d_joint_view* view, const b2d_joint_property* p, double* out) {
    const b2d_joint_impulses impulses = b2d_joint_read_impulses(view->graph, view->id);
    const float* at = (const float*)((const char*)&impulses + p->offset);
    const bool on = p->flag == 0 || view->joint->flags & p->flag;
    out[0] = on ? view->rate * (double)at[0] : 0.0;
    if (p->kind == B2D_PROPERTY_IMPULSE_PAIR) out[1] = on ? view->rate * (double)at[1] : 0.0;
}

b2d_status b2d_world_read_joint_property(b2d_world* world, int32_t index, int32_t property, double* out) {
    if (property < 0 || property >= B2D_JOINT_PROPERTY_COUNT) return b2d_error(B2D_OUT_OF_RANGE, B2D_ARG_OPTION);
    b2d_joint* joint = &world->graph.joints[index];
    const b2d_joint_property* p = property_of(joint->type, property);
    if (p->kind == B2D_PROPERTY_ABSENT) return b2d_error(B2D_NOT_ALLOWED, B2D_ARG_OPTION);
    if (b2d_property_is_settable(p)) {
        read_settable(world, joint, property, out);
        return B2D_OK;
    }
    const b2d_joint_view view = b2d_world_view_joint(world, index);
    if (p->kind == B2D_PROPERTY_COMPUTED) p->read(&view, out);
    else read_impulse(&view, p, out);
    return B2D_OK;
}

bool b2d_world_joint_property_differs(b2d_world* world, int32_t index, int32_t property, double value) {
    b2d_joint* joint = &world->graph.joints[index];
    double now[2] = {(double)NAN, 0.0};
    if (property == B2D_JOINT_MOTOR_SPEED || property == B2D_JOINT_MAX_MOTOR_TORQUE) { // written in every step
        const b2d_joint_property* p = property_of(joint->type, property);
        if (p->kind != B2D_PROPERTY_ABSENT) now[0] = (double)*number_at(joint, p);
    } else (void)b2d_world_read_joint_property(world, index, property, now);
    return now[0] != now[0] ? value == value : (float)value != (float)now[0];
}

b2d_status b2d_joint_get(b2d_world* world, int32_t index, uint64_t generation, int32_t property, double* out) {
    B2D_TRY(b2d_open_read(world));
    b2d_status status = find_joint(world, index, generation);
    if (status == B2D_OK) status = b2d_world_read_joint_property(world, index, property, out);
    return b2d_close_read(world, status);
}

static void define(const b2d_world* world, int32_t index, b2d_joint_def* out) {
    b2d_joint* joint = &world->graph.joints[index];
    b2d_joint_def_init(out, joint->type);
    for (int32_t k = B2D_JOINT_COLLIDE_CONNECTED; k < B2D_JOINT_PROPERTY_COUNT; k++) {
        const b2d_joint_property* p = property_of(joint->type, k);
        if (!b2d_property_is_settable(p)) continue;
        const bool newton = b2d_property_is_newton(p);
        // Only the form that a spring is kept in
        if (b2d_property_is_of_spring(p) && newton != (*number_at(joint, p) < 0.0f)) continue;
        read_settable(world, joint, k, out->value[k]);
        const bool inherited = (k == B2D_JOINT_JOINT_HERTZ || k == B2D_JOINT_JOINT_DAMPING_RATIO) &&
                               *number_at(joint, p) < 0.0f;
        if (inherited) out->value[k][0] = p->initial;
    }
    // With the turns that creation has added: wrapping would round them
    out->ax = joint->anchor[0].x, out->ay = joint->anchor[0].y, out->angle_a = joint->frame_angle[0];
    out->bx = joint->anchor[1].x, out->by = joint->anchor[1].y, out->angle_b = joint->frame_angle[1];
    for (int32_t k = 0; k < 2 && b2d_joint_types[joint->type]->on_joints; k++)
        out->joint[k] = (b2d_handle){world->graph.joint_generations[joint->joint[k]], joint->joint[k], B2D_KIND_JOINT};
}

b2d_status b2d_joint_definition(b2d_world* world, int32_t index, uint64_t generation, b2d_joint_def* out) {
    B2D_TRY(b2d_open_read(world));
    const b2d_status status = find_joint(world, index, generation);
    if (status == B2D_OK) define(world, index, out);
    return b2d_close_read(world, status);
}

void b2d_joint_def_move(b2d_joint_def* def, const double* origin, const double* position, double cosine, double sine) {
    for (int32_t k = 0; k < B2D_JOINT_PROPERTY_COUNT; k++) {
        if (property_of(def->type, k)->kind != B2D_PROPERTY_WORLD_PAIR) continue;
        const double x = def->value[k][0] - origin[0], y = def->value[k][1] - origin[1];
        def->value[k][0] = position[0] + cosine * x - sine * y;
        def->value[k][1] = position[1] + sine * x + cosine * y;
    }
}

static b2d_status wake_bodies(b2d_world* world, const b2d_joint* joint) {
    int32_t a = joint->body[0], b = joint->body[1];
    bool done = b2d_world_wake_body(world, a) && b2d_world_wake_body(world, b);
    return done ? B2D_OK : b2d_error(B2D_NO_MEMORY, B2D_ARG_NONE);
}

b2d_status b2d_world_check_joint_property(b2d_world* world, int32_t index, int32_t property, const double* in) {
    if (property < 0 || property >= B2D_JOINT_PROPERTY_COUNT) return b2d_error(B2D_OUT_OF_RANGE, B2D_ARG_OPTION);
    b2d_joint* joint = &world->graph.joints[index];
    const b2d_joint_property* p = property_of(joint->type, property);
    if (!b2d_property_is_settable(p)) return b2d_error(B2D_NOT_ALLOWED, B2D_ARG_OPTION);
    B2D_TRY(check_value(world, p, in));
    return check_order(joint, p, in[0]);
}

bool b2d_joint_values_allowed(const b2d_world* world, int32_t index) {
    b2d_joint* joint = &world->graph.joints[index];
    for (int32_t k = 0; k < B2D_JOINT_PROPERTY_COUNT; k++) {
        const b2d_joint_property* p = property_of(joint->type, k);
        double value[2] = {0.0, 0.0};
        if (!b2d_property_is_settable(p)) continue;
        if (b2d_property_is_of_spring(p)) {
            const float* at = number_at(joint, p);
            const bool newton = at[0] < 0.0f;
            if (!(at[0] >= -(float)B2D_LIMIT_NEWTON && at[0] <= 1.0e6f && at[1] >= 0.0f &&
                  at[1] <= (newton ? (float)B2D_LIMIT_NEWTON : 1.0e6f)))
                return false;
            continue;
        }
        read_stored(joint, p, value);
        if (is_frame_angle(k) || k == B2D_JOINT_TOTAL) { // with any number of turns, and what was measured
            if (!isfinite(value[0])) return false;
            continue;
        }
        const double inside[2] = {b2d_toward_zero(value[0]), b2d_toward_zero(value[1])};
        if ((check_value(world, p, value) != B2D_OK && check_value(world, p, inside) != B2D_OK) ||
            check_order(joint, p, value[0]) != B2D_OK)
            return false;
    }
    return true;
}

// Programs set motors in every step, so a motor that runs is written into its lane. False: the lane must be laid out.
static bool write_motor(b2d_world* world, b2d_joint* joint) {
    b2d_graph* graph = &world->graph;
    const b2d_joint_type* type = b2d_joint_type_of(joint);
    const int32_t block = joint->lane_index / B2D_LANES;
    if (type->motor == 0 || !(joint->flags & B2D_JOINT_MOTOR) || (graph->joint_block_rows[block] & B2D_ROWS_STALE))
        return false;
    const b2d_joint_lane lane = {.graph = graph,
                                 .poses = world->poses.data,
                                 .joint = joint,
                                 .rows = &graph->joint_rows[block],
                                 .lane = joint->lane_index % B2D_LANES,
                                 .flip = (joint->flags & B2D_JOINT_FLIP) != 0,
                                 .h = graph->prepared_settings[0], // with which the block was laid out
                                 .impulse_ratio = 1.0f};
    if (type->motor == B2D_ROWS_LINE)
        b2d_fill_motor(&lane, &lane.rows->line, true, joint->motor_speed, joint->motor_max);
    else b2d_fill_motor(&lane, &lane.rows->angle, true, b2d_in_lane_order(&lane, joint->motor_speed), joint->motor_max);
    return true;
}

static void change_lane(b2d_world* world, b2d_joint* joint, bool motor) {
    if (joint->lane_index != B2D_NONE && !(motor && write_motor(world, joint)))
        world->graph.joint_block_rows[joint->lane_index / B2D_LANES] |= B2D_ROWS_STALE;
}

// Changes a spring to the form of the property that is written; hertz and ratio of a very stiff one to their bounds.
static void change_form(const b2d_world* world, b2d_joint* joint, const b2d_joint_property* p) {
    float* at = number_at(joint, p);
    const bool newton = b2d_property_is_newton(p);
    double spring[2];
    if (newton == (at[0] < 0.0f)) return;
    read_spring(world, joint, p, newton, spring);
    const double most = newton ? B2D_LIMIT_NEWTON : 1.0e6;
    at[0] = (float)fmin(spring[0], most), at[1] = (float)fmin(spring[1], most);
    if (newton) at[0] = -b2d_max(at[0], no_stiffness);
}

// A row that was disabled loses its impulse when the next step sets up the lane. Setting a threshold wakes no body.
b2d_status b2d_world_write_joint_property(b2d_world* world, int32_t index, int32_t property, const double* in) {
    b2d_joint* joint = &world->graph.joints[index];
    const b2d_joint_property* p = property_of(joint->type, property);
    const bool threshold = property == B2D_JOINT_FORCE_THRESHOLD || property == B2D_JOINT_TORQUE_THRESHOLD;
    if (p->kind == B2D_PROPERTY_FLAG && (in[0] != 0.0) == ((joint->flags & p->flag) != 0)) return B2D_OK;
    if (!threshold) B2D_TRY(wake_bodies(world, joint));
    if (property == B2D_JOINT_MOTOR_SPEED || property == B2D_JOINT_MAX_MOTOR_TORQUE ||
        property == B2D_JOINT_MAX_MOTOR_FORCE) { // nothing else depends on them
        store_value(joint, p, in);
        change_lane(world, joint, true);
        return B2D_OK;
    }
    const float before = *number_at(joint, p);
    const uint32_t kind = b2d_direct_kind(&world->graph, index);
    if (b2d_property_is_of_spring(p)) change_form(world, joint, p);
    store_value(joint, p, in);
    if (b2d_direct_kind(&world->graph, index) != kind || property == B2D_JOINT_JOINT_SOLVER)
        b2d_world_joint_changed(world, index, true);
    else if (p->kind == B2D_PROPERTY_FLAG && (joint->flags & B2D_JOINT_DIRECT))
        world->direct.stale = true; // a spring, limit or motor makes another assembly of it: see is_pendulum
    if (threshold && !b2d_world_watch_joint(world, index)) {
        *number_at(joint, p) = before;
        return b2d_error(B2D_NO_MEMORY, B2D_ARG_NONE);
    }
    if (p->restarts || (is_frame_angle(property) && b2d_joint_type_of(joint)->turns_start)) {
        if (b2d_joint_type_of(joint)->coupling != NULL) joint->total = (float)B2D_UNMEASURED;
        b2d_world_start_joint(world, joint);
    }
    if (property == B2D_JOINT_TOTAL) b2d_world_start_joint(world, joint); // measures it if it is not given
    change_lane(world, joint, false);
    if (property == B2D_JOINT_COLLIDE_CONNECTED) {
        if (in[0] != 0.0) b2d_world_renew_connected_pairs(world, index);
        else b2d_world_destroy_connected_contacts(world, index);
    }
    return B2D_OK;
}

b2d_status b2d_joint_set(b2d_world* world, int32_t index, uint64_t generation, int32_t property, const double* in) {
    B2D_TRY(b2d_open_write(world));
    b2d_status status = find_joint(world, index, generation);
    if (status == B2D_OK) status = b2d_world_check_joint_property(world, index, property, in);
    if (status == B2D_OK) status = b2d_world_write_joint_property(world, index, property, in);
    B2D_LOG(world, status, B2D_LOGGED_JOINT_SET, index, generation, property, in);
    return b2d_close_write(world, status);
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
