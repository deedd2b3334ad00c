// csrc/objects/body.h - operations on bodies: creation, destruction, placing, mass, type, waking.
#pragma once
#include "objects/world.h"

// Functions that need memory return false without it and leave the world as it was.
bool b2d_world_reserve_bodies(b2d_world* world, int32_t count);        // columns for ids 0 .. count - 1
int32_t b2d_world_new_body(b2d_world* world, const b2d_body_def* def); // the id, or B2D_NONE
// With its shapes, joints and contacts; their end events are queued.
void b2d_world_drop_body(b2d_world* world, int32_t body);
bool b2d_world_wake_body(b2d_world* world, int32_t body);     // and its island; the broad phase learns of it
bool b2d_world_wake_moving(b2d_world* world, int32_t body);   // if it is dynamic and asleep
void b2d_world_wake_touching(b2d_world* world, int32_t body); // the body and every body that it touches
// Bodies that fell asleep or woke (graph.sleep_changed): updates their proxies, zeroes the velocity of sleeping ones.
void b2d_world_flush_sleep_changes(b2d_world* world);
void b2d_world_destroy_contacts_of_body(b2d_world* world, int32_t body); // wakes both sides first
// From its shapes; keeps the velocity of the material point at the new centre of mass.
void b2d_world_update_mass(b2d_world* world, int32_t body);
void b2d_world_update_extents(b2d_world* world, int32_t body);
// Sets the pose at once: boxes and contacts follow, touching bodies wake.
void b2d_world_place_body(b2d_world* world, int32_t body, double x, double y, b2d_rot q);
bool b2d_world_set_body_type(b2d_world* world, int32_t body, int32_t type);
bool b2d_world_set_body_enabled(b2d_world* world, int32_t body, bool enabled);
bool b2d_world_set_body_awake(b2d_world* world, int32_t body, bool awake);
