// csrc/objects/terrain.h - contacts with terrain of many shapes, whose internal edges are corrected.
#pragma once
#include "objects/world.h"

// Whether one of its shapes is terrain for the other
bool b2d_world_meets_terrain(const b2d_world* world, const b2d_pair* pair);
// Sets the flag for a new contact with terrain. Any worker, when all new contacts are in the lists of their bodies
void b2d_world_mark_internal_edges(b2d_world* world, int32_t contact);
void b2d_world_update_terrain(b2d_world* world, int32_t body); // called when the extent of a dynamic body has changed
// Called when terrain is removed or moved: the contacts of its neighbours compute full manifolds. Any worker, of a
// world whose masses are settled.
void b2d_world_refresh_internal_edges(b2d_world* world, int32_t contact);
b2d_neighbors_fn b2d_world_terrain_neighbors;
b2d_landing_depth_fn b2d_world_landing_depth;
b2d_same_material_fn b2d_world_same_terrain_material;
// Called when a contact with terrain is about to end: adds its impulses to the contact that now carries the same
// points. Workers may do this at once for contacts of different bodies on terrain.
int32_t b2d_world_body_on_terrain(const b2d_world* world, int32_t contact); // the body that is not terrain
void b2d_world_transfer_impulses(b2d_world* world, int32_t contact, const b2d_bits* begun, const b2d_bits* ended);
