// csrc/objects/contact.h - operations on contacts: creation, begin, end, destruction, read-back.
#pragma once
#include "objects/world.h"

// Groups, categories and masks only.
bool b2d_world_filter_allows(const b2d_world* world, int32_t shape_a, int32_t shape_b);
// All that decides whether two shapes may meet, but for the user's filter function.
bool b2d_world_pair_allowed(const b2d_world* world, int32_t shape_a, int32_t shape_b);
// Whether the shape of the higher id becomes shape a of the contact.
bool b2d_world_pair_swapped(const b2d_world* world, int32_t low, int32_t high);
void b2d_world_create_pair(b2d_world* world, uint64_t key); // if it may meet; sets step_failed without memory
bool b2d_world_begin_contact(b2d_world* world, int32_t contact, const b2d_contact_record* record);
// Leaves its colour, its island and the rest pool; `event`: the end event is queued.
void b2d_world_end_contact(b2d_world* world, int32_t contact, bool event);
void b2d_world_destroy_contact(b2d_world* world, int32_t contact, bool wake);
void b2d_world_destroy_contacts_of_shape(b2d_world* world, int32_t shape);
void b2d_world_sort_ends(b2d_world* world, int32_t from);                // sorts end_events from that row on by contact
bool b2d_world_wake_neighbors_of_shape(b2d_world* world, int32_t shape); // both sides of all its contacts
void b2d_world_refresh_contacts(b2d_world* world, int32_t body);         // they get a full manifold in the next step
// As the user sees it; record NULL: it has no points.
b2d_contact_data b2d_world_describe_contact(b2d_world* world, int32_t contact, const b2d_contact_record* record);
