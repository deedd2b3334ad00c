// csrc/api/body.c - the API of bodies: checks all input and returns a status. Their properties are in
// body_properties.c, forces and impulses in push.c.
#include "api/body.h"
#include "api/handle_list.h"
#include "objects/body.h"
#include "objects/contact.h"
#include "objects/joint.h"
#include "objects/shape.h"

void b2d_body_def_init(b2d_body_def* def) {
    *def = (b2d_body_def){
        .type = B2D_STATIC,
        .awake = true,
        .enabled = true,
#define B2D_BODY_PROPERTY(NAME, name, type, components, standard, ...) .name = standard,
#include "lists/body_flags.def"
#include "lists/body_numbers.def"
#undef B2D_BODY_PROPERTY
    };
}

b2d_status b2d_check_body_def(const b2d_body_def* def) {
    const double position[2] = {def->x, def->y}, velocity[2] = {def->vx, def->vy};
    B2D_TRY(def->type >= B2D_STATIC && def->type <= B2D_DYNAMIC ? B2D_OK : b2d_error(B2D_OUT_OF_RANGE, B2D_ARG_TYPE));
    B2D_TRY(b2d_check_vec(position, b2d_limit_position, B2D_ARG_POSITION));
    B2D_TRY(b2d_check_range(def->angle, -b2d_limit_angle, b2d_limit_angle, B2D_ARG_ANGLE));
    B2D_TRY(b2d_check_vec(velocity, b2d_limit_speed, B2D_ARG_LINEAR_VELOCITY));
    B2D_TRY(b2d_check_range(def->angular_velocity, -b2d_limit_speed, b2d_limit_speed, B2D_ARG_ANGULAR_VELOCITY));
    if (def->type == B2D_STATIC && (def->vx != 0.0 || def->vy != 0.0))
        return b2d_error(B2D_NOT_ALLOWED, B2D_ARG_LINEAR_VELOCITY);
    if (def->type == B2D_STATIC && def->angular_velocity != 0.0)
        return b2d_error(B2D_NOT_ALLOWED, B2D_ARG_ANGULAR_VELOCITY);
#define B2D_BODY_PROPERTY(NAME, name, type, components, standard, ARGUMENT, lower, upper, ...) \
    B2D_TRY(b2d_check_range(def->name, lower, upper, B2D_ARG_##ARGUMENT));
#include "lists/body_numbers.def"
#undef B2D_BODY_PROPERTY
    return B2D_OK;
}

static b2d_handle handle_of(const b2d_world* world, int32_t body) {
    return (b2d_handle){world->body_generations[body], body, B2D_KIND_BODY};
}

static b2d_status create(b2d_world* world, const b2d_body_def* def, b2d_handle* out) {
    B2D_TRY(b2d_check_body_def(def));
    int32_t body = b2d_world_new_body(world, def);
    if (body == B2D_NONE) return b2d_error(B2D_NO_MEMORY, B2D_ARG_NONE);
    *out = handle_of(world, body);
    return B2D_OK;
}

b2d_status b2d_world_create_body(b2d_world* world, const b2d_body_def* def, b2d_handle* out) {
    const b2d_status status = create(world, def, out);
    B2D_LOG(world, status, B2D_LOGGED_BODY_CREATE, def);
    return status;
}

b2d_status b2d_body_create(b2d_world* world, const b2d_body_def* def, b2d_handle* out) {
    // Checked before the lock, so that a callback gets the error of a bad value instead of B2D_LOCKED
    B2D_TRY(b2d_check_body_def(def));
    B2D_TRY(b2d_open_write(world));
    return b2d_close_write(world, b2d_world_create_body(world, def, out));
}

b2d_status b2d_body_create_at(b2d_world* world, int32_t type, double x, double y, double angle, b2d_handle* out) {
    b2d_body_def def;
    b2d_body_def_init(&def);
    def.type = type;
    def.x = x;
    def.y = y;
    def.angle = angle;
    return b2d_body_create(world, &def, out);
}

static bool is_on(const b2d_joint* joint, int32_t body) { return joint->body[0] == body || joint->body[1] == body; }

// Lists the objects that are destroyed with a body: its shapes, each chain before the first of its shapes in the list,
// its joints, and the gears on them that drive other bodies, each once.
static int32_t list_dependents(const b2d_world* world, int32_t index, b2d_handle* out, int32_t room) {
    const b2d_graph* graph = &world->graph;
    int32_t count = 0, last = B2D_NONE;
    for (int32_t shape = graph->bodies[index].shape_head; shape != B2D_NONE; shape = world->shapes[shape].next) {
        int32_t chain = b2d_world_chain_of(world, shape);
        if (chain != B2D_NONE && chain != last && count++ < room)
            out[count - 1] = (b2d_handle){world->chain_generations[chain], chain, B2D_KIND_CHAIN};
        last = chain;
        if (count++ < room) out[count - 1] = (b2d_handle){world->shape_generations[shape], shape, B2D_KIND_SHAPE};
    }
    for (int32_t key = graph->bodies[index].joint_head; key != B2D_NONE; key = graph->joints[key >> 1].next[key & 1])
        if (count++ < room) out[count - 1] = (b2d_handle){graph->joint_generations[key >> 1], key >> 1, B2D_KIND_JOINT};
    for (int32_t key = graph->bodies[index].joint_head; key != B2D_NONE; key = graph->joints[key >> 1].next[key & 1])
        for (int32_t k = graph->joints[key >> 1].gear_head; k != B2D_NONE; k = graph->joints[k >> 1].gear_next[k & 1]) {
            const b2d_joint* gear = &graph->joints[k >> 1];
            if (is_on(gear, index) || ((k & 1) && is_on(&graph->joints[gear->joint[0]], index))) continue;
            if (count++ < room) out[count - 1] = (b2d_handle){graph->joint_generations[k >> 1], k >> 1, B2D_KIND_JOINT};
        }
    return count;
}

b2d_status b2d_body_destroy(b2d_world* world, int32_t index, uint64_t generation, b2d_handle* out, int32_t room,
                            int32_t* count) {
    B2D_TRY(b2d_open_write(world));
    b2d_status status = b2d_find_body(world, index, generation);
    if (status == B2D_OK) {
        *count = list_dependents(world, index, out, room);
        if (*count <= room) b2d_world_drop_body(world, index);
    }
    if (status == B2D_OK && *count > room) B2D_LOG_NOTHING(world);
    else B2D_LOG(world, status, B2D_LOGGED_BODY_DESTROY, index, generation);
    return b2d_close_write(world, status);
}

static double number(b2d_world* world, int32_t body, int32_t property) {
    double out[4];
    (void)b2d_world_read_body_property(world, body, property, out);
    return out[0];
}

static void define(b2d_world* world, int32_t body, b2d_body_def* out, double* mass) {
    double position[2], velocity[2], center[2];
    (void)b2d_world_read_body_property(world, body, B2D_BODY_POSITION, position);
    (void)b2d_world_read_body_property(world, body, B2D_BODY_LINEAR_VELOCITY, velocity);
    (void)b2d_world_read_body_property(world, body, B2D_BODY_WORLD_CENTER, center);
    const double rate = number(world, body, B2D_BODY_ANGULAR_VELOCITY);
    // That of the origin, where the centre of mass is until the body gets shapes
    velocity[0] += rate * (center[1] - position[1]);
    velocity[1] -= rate * (center[0] - position[0]);
    *out = (b2d_body_def){.x = position[0],
                          .y = position[1],
                          .angle = number(world, body, B2D_BODY_ANGLE),
                          .vx = velocity[0],
                          .vy = velocity[1],
                          .angular_velocity = rate,
                          .type = (int32_t)number(world, body, B2D_BODY_TYPE),
                          .awake = true,
                          .enabled = number(world, body, B2D_BODY_ENABLED) != 0.0};
#define B2D_BODY_PROPERTY(NAME, name, ...) out->name = number(world, body, B2D_BODY_##NAME);
#include "lists/body_numbers.def"
#undef B2D_BODY_PROPERTY
#define B2D_BODY_PROPERTY(NAME, name, ...) out->name = number(world, body, B2D_BODY_##NAME) != 0.0;
#include "lists/body_flags.def"
#undef B2D_BODY_PROPERTY
    mass[0] = mass[1] = mass[2] = mass[3] = (double)NAN;
    if ((world->graph.bodies[body].flags & B2D_BODY_FLAG_OWN_MASS) == 0) return;
    mass[0] = number(world, body, B2D_BODY_MASS);
    mass[1] = number(world, body, B2D_BODY_INERTIA);
    (void)b2d_world_read_body_property(world, body, B2D_BODY_LOCAL_CENTER, mass + 2);
}

b2d_status b2d_body_definition(b2d_world* world, int32_t index, uint64_t generation, b2d_body_def* out, double* mass) {
    B2D_TRY(b2d_open_read(world));
    const b2d_status status = b2d_find_body(world, index, generation);
    if (status == B2D_OK) define(world, index, out, mass);
    return b2d_close_read(world, status);
}

static b2d_status update_mass(b2d_world* world, int32_t index, uint64_t generation) {
    B2D_TRY(b2d_find_body(world, index, generation));
    if (!b2d_world_wake_body(world, index)) return b2d_status_of_memory(false);
    world->graph.bodies[index].flags &= (uint16_t)~B2D_BODY_FLAG_OWN_MASS;
    b2d_world_update_mass(world, index);
    return B2D_OK;
}

b2d_status b2d_body_update_mass(b2d_world* world, int32_t index, uint64_t generation) {
    B2D_TRY(b2d_open_write(world));
    const b2d_status status = update_mass(world, index, generation);
    B2D_LOG(world, status, B2D_LOGGED_BODY_UPDATE_MASS, index, generation);
    return b2d_close_write(world, status);
}

static b2d_status list(const b2d_world* world, int32_t index, uint64_t generation, int32_t kind, b2d_handle* out,
                       int32_t room, int32_t* count) {
    B2D_TRY(b2d_find_body(world, index, generation));
    const b2d_graph* graph = &world->graph;
    const b2d_body* body = &graph->bodies[index];
    b2d_id_list ids = {0};
    switch (kind) {
    case B2D_KIND_SHAPE:
        for (int32_t shape = body->shape_head; shape != B2D_NONE; shape = world->shapes[shape].next)
            b2d_id_list_add(&ids, shape);
        return b2d_id_list_write(&ids, kind, world->shape_generations, out, room, count);
    case B2D_KIND_JOINT:
        for (int32_t key = body->joint_head; key != B2D_NONE; key = graph->joints[key >> 1].next[key & 1])
            b2d_id_list_add(&ids, key >> 1);
        return b2d_id_list_write(&ids, kind, graph->joint_generations, out, room, count);
    case B2D_KIND_CONTACT:
        for (int32_t key = body->contact_head; key != B2D_NONE; key = graph->contacts[key >> 1].next[key & 1])
            b2d_id_list_add(&ids, key >> 1);
        return b2d_id_list_write(&ids, kind, graph->contact_generations, out, room, count);
    case B2D_KIND_BODY: // the bodies that it touches
        for (int32_t key = body->contact_head; key != B2D_NONE; key = graph->contacts[key >> 1].next[key & 1]) {
            const b2d_pair* pair = &graph->pairs[key >> 1];
            if (pair->flags & B2D_PAIR_TOUCHING) b2d_id_list_add(&ids, key & 1 ? pair->body_a : pair->body_b);
        }
        return b2d_id_list_write(&ids, kind, world->body_generations, out, room, count);
    case B2D_KIND_CHAIN:
        for (int32_t shape = body->shape_head; shape != B2D_NONE; shape = world->shapes[shape].next)
            if (b2d_world_chain_of(world, shape) != B2D_NONE) b2d_id_list_add(&ids, b2d_world_chain_of(world, shape));
        return b2d_id_list_write(&ids, kind, world->chain_generations, out, room, count);
    case B2D_KIND_ISLAND:
        if (body->island != B2D_NONE) b2d_id_list_add(&ids, body->island);
        return b2d_id_list_write(&ids, kind, graph->island_generations, out, room, count);
    default: return b2d_error(B2D_OUT_OF_RANGE, B2D_ARG_TYPE);
    }
}

b2d_status b2d_body_list(b2d_world* world, int32_t index, uint64_t generation, int32_t kind, b2d_handle* out,
                         int32_t room, int32_t* count) {
    B2D_TRY(b2d_open_read(world));
    return b2d_close_read(world, list(world, index, generation, kind, out, room, count));
}
