// csrc/objects/body.h - operations on bodies: creation, destruction, placing, mass, type, waking.
#pragma once
#include "objects/world.h"

// Functions that need memory return false or B2D_NONE without it and leave the world unchanged.
bool b2d_world_reserve_bodies(b2d_world* world, int32_t count); // rows for ids 0 .. count - 1
// Locked motion has no velocity.
void b2d_world_apply_locks(b2d_world* world, int32_t body);
int32_t b2d_world_new_body(b2d_world* world, const b2d_body_def* def); // the id, or B2D_NONE
// Room for the force law of a body in the coming step. New rows are 0.
bool b2d_world_reserve_law(b2d_world* world, int32_t body);
void b2d_world_drop_law(b2d_world* world, int32_t body);            // the user has set the force
bool b2d_world_add_water(b2d_world* world, const b2d_water* water); // for the coming step
void b2d_world_forget_laws(b2d_world* world);                       // after a step; the waters too
// Destroys the body with its shapes, joints and contacts. Their end events are queued.
void b2d_world_drop_body(b2d_world* world, int32_t body);
bool b2d_world_wake_sleeping_body(b2d_world* world, int32_t body);
// Wakes its island too and updates the proxies.
static inline bool b2d_world_wake_body(b2d_world* world, int32_t body) {
    world->graph.bodies[body].sleep_timer = 0.0f;
    return b2d_is_awake(&world->graph, body) || b2d_world_wake_sleeping_body(world, body);
}
bool b2d_world_wake_moving(b2d_world* world, int32_t body);   // only if it is dynamic and asleep
void b2d_world_wake_touching(b2d_world* world, int32_t body); // wakes the body and every body that it touches
// Handles bodies that fell asleep or woke (graph.sleep_changed): updates their proxies and zeroes the velocity of
// sleeping bodies.
void b2d_world_flush_sleep_changes(b2d_world* world);
void b2d_world_destroy_contacts_of_body(b2d_world* world, int32_t body); // wakes both sides first
// Computes the mass from the shapes. The material point at the new centre of mass keeps its velocity.
void b2d_world_update_mass(b2d_world* world, int32_t body);
enum { B2D_MANY_SHAPES = 64 };                              // a body with more updates its mass and extents later
void b2d_world_change_mass(b2d_world* world, int32_t body); // the same after a change of its shapes, at once or later
// To be called with 1 after a shape has come and with -1 before it goes; with both where its mass changes.
void b2d_world_weigh_shape(b2d_world* world, int32_t shape, int32_t sign);
// What change_mass has left for later: the mass of one body and of all, before they are read; and what depends on them,
// before a step.
void b2d_world_settle_mass(b2d_world* world, int32_t body);
bool b2d_world_settle_masses(b2d_world* world); // always true
void b2d_world_follow_masses(b2d_world* world);
void b2d_world_invert_mass(b2d_world* world, int32_t body); // after a change of its mass, type or locks
// Whether a body that moves may be so thin that what is wider passes it; compact are circles (1) and squares (1.4).
static inline bool b2d_is_plate(const b2d_body* body) {
    return body->type != B2D_STATIC && body->shape_head != B2D_NONE && body->extent > B2D_COMPACT * body->min_extent;
}
void b2d_world_note_kind(b2d_world* world, int32_t id); // after a change of the extents or the type
float b2d_world_extent_without_shapes(const b2d_world* world, int32_t body);
void b2d_world_update_extents(b2d_world* world, int32_t body);
void b2d_world_extend(b2d_world* world, int32_t body, int32_t shape); // the same, for one shape that was added
// Sets the pose immediately: updates boxes and contacts, and wakes touching bodies.
void b2d_world_place_body(b2d_world* world, int32_t body, double x, double y, b2d_rot q);
// The same for many, which keep their rotations; rows take effect in order.
void b2d_world_move_bodies(b2d_world* world, int32_t n, const int32_t* ids, const double* positions);
bool b2d_world_set_body_type(b2d_world* world, int32_t body, int32_t type);
bool b2d_world_set_body_enabled(b2d_world* world, int32_t body, bool enabled);
// The same for many; *row is the row that failed.
bool b2d_world_enable_bodies(b2d_world* world, int32_t n, const int32_t* ids, const double* enabled, int32_t* row);
bool b2d_world_set_body_awake(b2d_world* world, int32_t body, bool awake);
bool b2d_world_set_bodies_awake(b2d_world* world, int32_t n, const int32_t* ids, const double* awake, int32_t* row);
