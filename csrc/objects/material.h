// csrc/objects/material.h - what two materials make of a contact.
#pragma once
#include "objects/world.h"

typedef struct b2d_mixture { // the values of a contact, from the materials of both shapes
    float friction, restitution, rolling, tangent_speed;
    float radius_a, radius_b; // radii of the record's sides
    bool extra;               // it needs an extra block
    bool events, hits;        // begin and end events; hit events
    bool one_way;
} b2d_mixture;

b2d_mixture b2d_world_mix(const b2d_world* world, const b2d_pair* pair);
uint8_t b2d_mixture_flags(const b2d_mixture* m); // B2D_CONTACT_HITS
void b2d_mixture_write(const b2d_mixture* m, b2d_contact_record* record);
uint64_t b2d_material_key(int32_t a, int32_t b);
int32_t b2d_material_find(const b2d_material_rules* rules, uint64_t key); // the first row that is not below
bool b2d_world_refresh_material(b2d_world* world, int32_t contact);       // mixes again and writes the lane
bool b2d_world_refresh_materials(b2d_world* world, int32_t shape);        // of all its contacts
// The same, and wakes bodies whose contact has other values now. B2D_NONE: all contacts.
bool b2d_world_remix(b2d_world* world, int32_t shape);
// `on`: writes into the lanes what the presolve function set in this step; else writes the mixed values back.
void b2d_world_override_materials(b2d_world* world, bool on);
