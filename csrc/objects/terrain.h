// csrc/objects/terrain.h - contacts with terrain of many shapes, whose internal edges are corrected.
#pragma once
#include "objects/world.h"

bool b2d_world_meets_terrain(const b2d_world* world, const b2d_pair* pair); // one of its shapes is terrain
void b2d_world_mark_internal_edges(b2d_world* world, int32_t contact);      // of a new contact with terrain
void b2d_world_update_terrain(b2d_world* world, int32_t body);              // a dynamic body grew or shrank
// Terrain goes or moves: the contacts of its neighbours get full manifolds.
void b2d_world_refresh_internal_edges(b2d_world* world, int32_t contact);
b2d_neighbors_fn b2d_world_terrain_neighbors;
b2d_same_material_fn b2d_world_same_terrain_material;
// A contact with terrain is about to end: adds its impulses to the contact that now carries the same points.
void b2d_world_transfer_impulses(b2d_world* world, int32_t contact, const b2d_bits* begun, const b2d_bits* ended);
