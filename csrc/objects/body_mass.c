// csrc/objects/body_mass.c - extents and masses of bodies: sums over their shapes, centres of mass, inverses.
#include "objects/body.h"

#include "objects/contact.h"
#include "objects/proxy.h"
#include "objects/shape.h"
#include "objects/terrain.h"

static b2d_rot body_rotation(b2d_world* world, int32_t body) {
    const b2d_pose* pose = b2d_world_pose(world, body);
    return (b2d_rot){pose->c, pose->s};
}

// Without shapes the radius of gyration stands for the farthest point, so that a body that spins does not fall asleep.
// Without mass it is one metre.
float b2d_world_extent_without_shapes(const b2d_world* world, int32_t id) {
    const b2d_body_mass* mass = &world->masses[id];
    if (world->graph.bodies[id].type == B2D_STATIC) return 0.0f;
    if (mass->mass > 0.0f && mass->inertia > 0.0f) return sqrtf(mass->inertia / mass->mass);
    return b2d_option(world, B2D_OPTION_LENGTH_UNIT);
}

static void clear_extents(b2d_body* body) {
    body->extent = 0.0f;
    body->min_extent = 1.0e6f;
}

static void include_in_extents(const b2d_world* world, b2d_body* body, const b2d_pose* pose, int32_t shape) {
    const b2d_shape_hot* hot = &world->shapes_hot[shape];
    const b2d_hull4* second = b2d_world_second(world, hot);
    b2d_proxy core = b2d_shape_proxy(hot, second);
    float farthest = 0.0f, inner = 1.0e6f;
    for (int32_t k = 0; k < core.count; k++)
        farthest = b2d_max(farthest, b2d_length(b2d_sub(core.points[k], b2d_v(pose->cx, pose->cy))));
    // The half width is the least distance of an edge from the centroid for a polygon, and the radius for all other
    // shapes.
    if (hot->form == B2D_FORM_QUAD || hot->form == B2D_FORM_OCT) {
        for (int32_t k = 0; k < hot->count; k++) {
            const b2d_hull4* hull = k < 4 ? &hot->hull : second;
            float inside = hull->offset[k & 3] - (hull->nx[k & 3] * hot->center_x + hull->ny[k & 3] * hot->center_y);
            inner = b2d_min(inner, inside);
        }
    } else inner = 0.0f;
    body->extent = b2d_max(body->extent, farthest + hot->radius);
    body->min_extent = b2d_min(body->min_extent, inner + hot->radius);
}

static void set_bit(b2d_bits* bits, int32_t id, bool set) {
    if (set) b2d_bits_set(bits, id);
    else b2d_bits_unset(bits, id);
}

void b2d_world_note_kind(b2d_world* world, int32_t id) {
    const b2d_body* body = &world->graph.bodies[id];
    set_bit(&world->plates, id, b2d_is_plate(body));
    set_bit(&world->kinematics, id, body->type == B2D_KINEMATIC && body->shape_head != B2D_NONE);
}

static void measure_extents(b2d_world* world, int32_t id) {
    b2d_body* body = &world->graph.bodies[id];
    clear_extents(body);
    if (body->shape_head == B2D_NONE)
        body->extent = b2d_world_extent_without_shapes(world, id), body->min_extent = 0.0f;
    for (int32_t shape = body->shape_head; shape != B2D_NONE; shape = world->shapes[shape].next)
        include_in_extents(world, body, b2d_world_pose(world, id), shape);
    b2d_world_note_kind(world, id);
}

// A body whose contacts the next step updates is left to it.
static void update_terrain(b2d_world* world, int32_t id) {
    if (world->graph.bodies[id].type == B2D_DYNAMIC && !b2d_bits_has(&world->mass_changed, id))
        b2d_world_update_terrain(world, id);
}

void b2d_world_update_extents(b2d_world* world, int32_t id) {
    measure_extents(world, id);
    update_terrain(world, id);
}

void b2d_world_extend(b2d_world* world, int32_t id, int32_t shape) {
    b2d_body* body = &world->graph.bodies[id];
    if (body->shape_count == 1) clear_extents(body);
    const float before = body->extent;
    include_in_extents(world, body, b2d_world_pose(world, id), shape);
    b2d_world_note_kind(world, id);
    const bool may_be_terrain = body->extent != before || body->shape_count <= 2; // now, and not before
    if (may_be_terrain) update_terrain(world, id);
}

// The inverse of a denormal number is infinite: such a body counts as fixed. A body without mass does not turn either,
// because with inertia alone the equations of a joint would be singular.
void b2d_world_invert_mass(b2d_world* world, int32_t id) {
    const b2d_body* body = &world->graph.bodies[id];
    const b2d_body_mass* row = &world->masses[id];
    b2d_body_state* state = b2d_world_state(world, id);
    const bool moves = body->type == B2D_DYNAMIC && row->mass > 0.0f,
               turns = moves && row->inertia > 0.0f && !(body->flags & B2D_BODY_FLAG_LOCK_ROTATION);
    state->inverse_mass = moves ? 1.0f / row->mass : 0.0f;
    state->inverse_inertia = turns ? 1.0f / row->inertia : 0.0f;
    if (!(state->inverse_mass <= 3.0e38f)) state->inverse_mass = 0.0f;
    if (!(state->inverse_inertia <= 3.0e38f)) state->inverse_inertia = 0.0f;
}

static b2d_mass_data mass_of_shape(const b2d_world* world, int32_t shape) {
    b2d_geometry geometry;
    const b2d_shape_hot* hot = &world->shapes_hot[shape];
    b2d_shape_hot_geometry(hot, b2d_world_second(world, hot), world->shapes[shape].type, &geometry);
    return b2d_geometry_mass(&geometry, world->shapes[shape].density);
}

static void add_to_balance(b2d_balance* balance, const b2d_mass_data* data, int32_t sign) {
    b2d_exact_add(&balance->mass, data->mass, sign);
    b2d_exact_add(&balance->x, (double)data->mass * data->center.x, sign);
    b2d_exact_add(&balance->y, (double)data->mass * data->center.y, sign);
}

static void center_of(const b2d_balance* balance, double* x, double* y) {
    const double mass = b2d_exact_value(&balance->mass);
    *x = mass > 0.0 ? b2d_exact_value(&balance->x) / mass : 0.0;
    *y = mass > 0.0 ? b2d_exact_value(&balance->y) / mass : 0.0;
}

static b2d_balance* find_balance(b2d_world* world, int32_t id) {
    for (int32_t k = world->balance_count; k-- > 0;)
        if (world->balances[k].body == id) return &world->balances[k];
    return NULL;
}

void b2d_world_weigh_shape(b2d_world* world, int32_t shape, int32_t sign) {
    b2d_balance* balance = find_balance(world, world->shapes_hot[shape].body);
    if (balance == NULL || world->shapes[shape].density == 0.0f) return;
    const b2d_mass_data data = mass_of_shape(world, shape);
    add_to_balance(balance, &data, sign);
}

// All that follows from the shapes of the body, and from nothing that happened before.
static void compute_mass(b2d_world* world, int32_t id) {
    b2d_body* body = &world->graph.bodies[id];
    b2d_pose* pose = b2d_world_pose(world, id);
    b2d_body_mass* row = &world->masses[id];
    if (!(body->flags & B2D_BODY_FLAG_OWN_MASS)) {
        // The sums are in double precision, so that the small shapes of a body with many shapes are not lost.
        double mass = 0.0, cx = 0.0, cy = 0.0, inertia = 0.0;
        const bool many = body->shape_count > B2D_MANY_SHAPES; // the centre must be that which move_center finds
        b2d_balance balance;
        if (many) balance = (b2d_balance){0};
        for (int32_t shape = body->shape_head; shape != B2D_NONE && body->type == B2D_DYNAMIC;
             shape = world->shapes[shape].next) {
            if (world->shapes[shape].density == 0.0f) continue;
            const b2d_mass_data data = mass_of_shape(world, shape);
            if (many) add_to_balance(&balance, &data, 1);
            mass += data.mass;
            cx += (double)data.mass * data.center.x;
            cy += (double)data.mass * data.center.y;
            inertia += (double)data.inertia + (double)data.mass * ((double)data.center.x * data.center.x +
                                                                   (double)data.center.y * data.center.y);
        }
        if (mass > 0.0) {
            cx /= mass;
            cy /= mass;
            if (many) center_of(&balance, &cx, &cy);
            inertia -= mass * (cx * cx + cy * cy);
        }
        row->mass = b2d_bounded_mass(mass);
        row->inertia = inertia > 0.0 ? b2d_bounded_mass(inertia) : 0.0f;
        pose->cx = mass > 0.0 ? (float)cx : 0.0f;
        pose->cy = mass > 0.0 ? (float)cy : 0.0f;
    }
    b2d_world_invert_mass(world, id);
    measure_extents(world, id);
}

// What depends on the mass of a body.
static void follow_mass(b2d_world* world, int32_t id) {
    const b2d_body* body = &world->graph.bodies[id];
    b2d_world_weigh_contacts(world, id);
    if (body->joint_head != B2D_NONE) b2d_direct_touch(&world->memory, &world->direct, id);
    if (body->type == B2D_DYNAMIC) b2d_world_update_terrain(world, id);
    b2d_world_refresh_contacts(world, id);
}

// The material point that is now the centre of mass keeps its velocity.
static void keep_motion(b2d_world* world, int32_t id, b2d_vec2 old_center) {
    const b2d_pose* pose = b2d_world_pose(world, id);
    b2d_body_state* state = b2d_world_state(world, id);
    const b2d_vec2 shift = b2d_rotate(body_rotation(world, id), b2d_sub(b2d_v(pose->cx, pose->cy), old_center));
    state->vx -= state->w * shift.y;
    state->vy += state->w * shift.x;
    b2d_world_apply_locks(world, id);
}

void b2d_world_update_mass(b2d_world* world, int32_t id) {
    const b2d_pose* pose = b2d_world_pose(world, id);
    const b2d_vec2 old_center = {pose->cx, pose->cy};
    compute_mass(world, id);
    keep_motion(world, id, old_center);
    follow_mass(world, id);
}

// Moves the centre of mass of a body with many shapes that turns to that of its shapes, with work for the shape that
// has changed only. The sums have no rounding, so the centre is that which compute_mass finds, however often it is
// called. Returns false without memory.
static bool move_center(b2d_world* world, int32_t id) {
    b2d_balance* balance = find_balance(world, id);
    if (balance == NULL) {
        if (!B2D_GROW(&world->memory, world->balances, world->balance_capacity, world->balance_count + 1)) return false;
        balance = &world->balances[world->balance_count++];
        *balance = (b2d_balance){.body = id};
        for (int32_t shape = world->graph.bodies[id].shape_head; shape != B2D_NONE; shape = world->shapes[shape].next)
            b2d_world_weigh_shape(world, shape, 1);
    }
    b2d_pose* pose = b2d_world_pose(world, id);
    const b2d_vec2 old_center = {pose->cx, pose->cy};
    double cx, cy;
    center_of(balance, &cx, &cy);
    pose->cx = (float)cx, pose->cy = (float)cy;
    keep_motion(world, id, old_center);
    return true;
}

static bool center_follows_shapes(const b2d_world* world, int32_t id) {
    const b2d_body* body = &world->graph.bodies[id];
    return body->type == B2D_DYNAMIC && !(body->flags & B2D_BODY_FLAG_OWN_MASS);
}

// Each computation takes a pass over all shapes. So of a body with many shapes the mass is computed before the next
// call that is not one of shapes, and what depends on it is updated by the next step: a call that only reads must not
// decide when. The velocity of a body that turns depends on the path of its centre, so its centre moves at once.
void b2d_world_change_mass(b2d_world* world, int32_t id) {
    const bool many = world->graph.bodies[id].shape_count > B2D_MANY_SHAPES,
               turns = b2d_world_state(world, id)->w != 0.0f && center_follows_shapes(world, id);
    if (many && b2d_bits_reserve(&world->memory, &world->mass_due, id + 1) &&
        b2d_bits_reserve(&world->memory, &world->mass_changed, id + 1) && (!turns || move_center(world, id))) {
        b2d_bits_set(&world->mass_due, id);
        b2d_bits_set(&world->mass_changed, id);
    } else b2d_world_update_mass(world, id);
}

void b2d_world_settle_mass(b2d_world* world, int32_t id) {
    if (b2d_bits_is_empty(&world->mass_due) || !b2d_bits_has(&world->mass_due, id)) return;
    b2d_bits_unset(&world->mass_due, id);
    compute_mass(world, id);
}

bool b2d_world_settle_masses(b2d_world* world) {
    B2D_FOR_BITS (&world->mass_due, id) compute_mass(world, id);
    b2d_bits_clear(&world->mass_due);
    return true;
}

void b2d_world_follow_masses(b2d_world* world) {
    B2D_FOR_BITS (&world->mass_changed, id) follow_mass(world, id);
    b2d_bits_clear(&world->mass_changed);
}
