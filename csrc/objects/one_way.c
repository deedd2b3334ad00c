// csrc/objects/one_way.c - one-way shapes: solid for bodies from one side, passable from the other.
//
// Idea: a contact of a one-way shape is either solid or passed through, and this is decided when its points appear. It
// is solid if the normal is within 60 degrees of the direction of the shape and no point is deeper than two slops,
// either now or at the start of the last step, computed back with the relative speed; so a body that falls several
// centimetres per step lands. Once a body has begun to pass, only its present depth counts: a speed that it gains
// inside does not make the contact solid. A solid contact stays solid until the normal turns away from the direction;
// where it goes over to the next piece of a platform, the contact with that piece is solid, too, at any depth.
// The points of a contact that is passed through do not count: no events, no island link, no work for the solver.
// Threads: called by the worker that owns the contact; reads poses and velocities, writes the flags of the contact.
// Proof: tests/physics/test_one_way.py.
#include "objects/one_way.h"

#include "objects/body.h"
#include "objects/contact.h"
#include "narrowphase/internal_edge.h"
#include "objects/material.h"
#include "objects/terrain.h"

#include <math.h>

b2d_vec2 b2d_one_way_unit(double x, double y) {
    double most = fabs(x) > fabs(y) ? fabs(x) : fabs(y);
    if (most == 0.0) return b2d_v(0.0f, 0.0f);
    x /= most, y /= most;
    double length = sqrt(x * x + y * y);
    return b2d_v((float)(x / length), (float)(y / length));
}

// The cosine between the direction of a shape and its outward normal; 2 if the shape is not one-way.
static float direction_cosine(const b2d_world* world, int32_t shape, b2d_vec2 normal) {
    if (!(world->shapes[shape].flags & B2D_SHAPE_FLAG_ONE_WAY)) return 2.0f;
    const b2d_pose* pose = (const b2d_pose*)world->poses.data + world->shapes_hot[shape].body;
    return b2d_dot(b2d_rotate((b2d_rot){pose->c, pose->s}, world->shapes[shape].one_way), normal);
}

bool b2d_world_one_way_faces(const b2d_world* world, int32_t shape_a, int32_t shape_b, b2d_vec2 normal, float least) {
    return direction_cosine(world, shape_a, normal) > least &&
           direction_cosine(world, shape_b, b2d_neg(normal)) > least;
}

// Length of the last step of the world of a body, or of its cell, which may have made none.
static float last_step(b2d_world* world, int32_t body) {
    return b2d_min(world->last_dt, b2d_loads_of_cell(world, b2d_cell_of_body(&world->graph.cells, body))->age);
}

// Whether no point is deep, now or so many seconds before.
static bool is_above(const b2d_world* world, const b2d_contact_record* r, const b2d_body_state* a,
                     const b2d_body_state* b, float before) {
    float deepest = -2.0f * b2d_linear_slop(world);
    for (int32_t k = 0; k < 2; k++) {
        if ((r->feature >> 16 * k & 0xFFFF) == 0xFFFF || r->point[k].separation >= deepest) continue;
        float normal_arm = r->point[k].normal_arm;
        float speed = r->nx * (b->vx - a->vx) + r->ny * (b->vy - a->vy) + b->w * (normal_arm + r->normal_arm_shift) -
                      a->w * normal_arm;
        if (r->point[k].separation - before * speed < deepest) return false;
    }
    return true;
}

// How far a shape reaches along a direction, seen from the origin of another body.
static float reach_of(const b2d_world* world, int32_t shape, const b2d_pose* origin, b2d_vec2 direction) {
    const b2d_shape_hot* hot = &world->shapes_hot[shape];
    const b2d_pose here = {.x = origin->x, .y = origin->y, .c = 1.0f};
    const b2d_transform place = b2d_pose_relative(&here, (const b2d_pose*)world->poses.data + hot->body);
    const b2d_proxy core = b2d_shape_proxy(hot, b2d_world_second(world, hot));
    float most = -3.0e38f;
    for (int32_t k = 0; k < core.count; k++)
        most = b2d_max(most, b2d_dot(direction, b2d_transform_point(place, core.points[k])));
    return most;
}

// Whether the moving shape rested on a piece of terrain beside this one, with the same surface.
static bool rests_beside(const b2d_world* world, int32_t contact, b2d_vec2 normal) {
    int32_t pieces[B2D_INTERNAL_EDGE_NEIGHBORS];
    bool terrain_is_b;
    const int32_t count = b2d_world_terrain_neighbors(world, contact, pieces, &terrain_is_b);
    if (count == 0) return false; // it may be no terrain
    const b2d_pair* pair = &world->graph.pairs[contact];
    const int32_t terrain = terrain_is_b ? pair->shape_b : pair->shape_a,
                  moving = terrain_is_b ? pair->shape_a : pair->shape_b;
    const b2d_vec2 out = terrain_is_b ? b2d_neg(normal) : normal;
    const b2d_pose* origin = (const b2d_pose*)world->poses.data + world->shapes_hot[terrain].body;
    for (int32_t k = 0; k < count; k++) {
        const int32_t other = b2d_pair_set_find(&world->graph.pair_set, b2d_pair_key(moving, pieces[k]));
        if (other == B2D_NONE || // or its worker writes another flag
            !(__atomic_load_n(&world->graph.pairs[other].flags, __ATOMIC_RELAXED) & B2D_PAIR_TOUCHING))
            continue;
        if (b2d_abs(reach_of(world, terrain, origin, out) - reach_of(world, pieces[k], origin, out)) <=
            2.0f * b2d_linear_slop(world))
            return true;
    }
    return false;
}

bool b2d_world_passes_through(void* context, int32_t contact, const b2d_contact_record* record) {
    b2d_world* world = context;
    b2d_pair* pair = &world->graph.pairs[contact];
    bool flip = (pair->flags & B2D_PAIR_FLIP) != 0, touching = (pair->flags & B2D_PAIR_TOUCHING) != 0, passes = false;
    uint8_t* yields = &world->graph.contacts[contact].flags;
    if ((record->feature & 0xFFFF) == 0xFFFF) *yields &= (uint8_t)~B2D_CONTACT_YIELDS;
    else if (*yields & B2D_CONTACT_YIELDS) passes = true;
    else {
        b2d_vec2 normal = flip ? b2d_v(-record->nx, -record->ny) : b2d_v(record->nx, record->ny);
        passes = !b2d_world_one_way_faces(world, pair->shape_a, pair->shape_b, normal,
                                          touching ? 0.0f : B2D_ONE_WAY_FACING);
        if (!passes && !touching) {
            const b2d_body_state *a = b2d_world_state(world, pair->body_a), *b = b2d_world_state(world, pair->body_b);
            const float before = pair->flags & B2D_PAIR_PASSES_THROUGH ? 0.0f : last_step(world, pair->body_a);
            passes = !is_above(world, record, flip ? b : a, flip ? a : b, before) &&
                     !rests_beside(world, contact, normal);
        }
    }
    const int32_t flags = passes ? pair->flags | B2D_PAIR_PASSES_THROUGH : pair->flags & ~B2D_PAIR_PASSES_THROUGH;
    // A worker with another contact of the body may read whether this one is with terrain (terrain.c)
    __atomic_store_n(&pair->flags, (uint8_t)flags, __ATOMIC_RELAXED);
    return passes;
}

// Its contacts are decided again in the next step. Bodies that rest on the shape or sleep inside it wake.
bool b2d_world_set_one_way(b2d_world* world, int32_t shape, b2d_vec2 direction) {
    b2d_shape* cold = &world->shapes[shape];
    if (direction.x == cold->one_way.x && direction.y == cold->one_way.y) return true;
    int32_t body = world->shapes_hot[shape].body;
    if (!b2d_world_wake_neighbors_of_shape(world, shape) || !b2d_world_wake_body(world, body)) return false;
    cold->one_way = direction;
    bool on = direction.x != 0.0f || direction.y != 0.0f;
    cold->flags = (uint8_t)(on ? cold->flags | B2D_SHAPE_FLAG_ONE_WAY : cold->flags & ~B2D_SHAPE_FLAG_ONE_WAY);
    b2d_world_refresh_contacts(world, body);
    return b2d_world_refresh_materials(world, shape);
}
