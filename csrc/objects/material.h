// csrc/objects/material.h - the values of a contact, mixed from two materials.
#pragma once
#include "objects/world.h"

typedef struct b2d_mixture { // the values of a contact, from the materials of both shapes
    float friction, restitution, rolling, tangent_speed;
    float radius_a, radius_b; // radii of the shapes of sides A and B
    bool extra;               // the contact needs an extra block
    bool events, hits;        // the contact has begin and end events; hit events
    bool one_way;
} b2d_mixture;

b2d_mixture b2d_world_mix(const b2d_world* world, const b2d_pair* pair);
uint8_t b2d_mixture_flags(const b2d_mixture* m); // B2D_CONTACT_HITS or 0
void b2d_mixture_write(const b2d_mixture* m, b2d_contact_record* record);
uint64_t b2d_material_key(int32_t a, int32_t b);
int32_t b2d_material_find(const b2d_material_rules* rules, uint64_t key); // the first row whose key is not below `key`
bool b2d_world_refresh_material(b2d_world* world, int32_t contact); // mixes the materials again and writes the lane
bool b2d_world_refresh_materials(b2d_world* world, int32_t shape);  // the same for all contacts of a shape
// The same, and wakes bodies whose contacts change their values. B2D_NONE: all contacts.
bool b2d_world_remix(b2d_world* world, int32_t shape);
// `on`: writes the values that the presolve function set in this step into the lanes; otherwise writes the mixed values
// back.
void b2d_world_override_materials(b2d_world* world, bool on);
