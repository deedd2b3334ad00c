// csrc/objects/contact.h - operations on contacts: creation, begin, end, destruction, read-back.
#pragma once
#include "objects/material.h"
#include "objects/world.h"

typedef struct b2d_contact_begin { // a contact that begins
    b2d_contact_place place;
    int32_t record; // its number, as in b2d_pair
    b2d_mixture mixture;
    bool loads[2];            // side A, side B carries a heavy body
    bool sleeps, wakes;       // one of its bodies; then constraints take colours, not before other contacts begin
    bool woken;               // both have been woken since
    bool inherited, reported; // it has an end event: because another contact had one, because its begin is an event
    bool done;
} b2d_contact_begin;

// Tests groups, categories and masks only.
bool b2d_world_filter_allows(const b2d_world* world, int32_t shape_a, int32_t shape_b);
// Tests every condition for a contact of two shapes except the user's filter function.
bool b2d_world_pair_allowed(const b2d_world* world, int32_t shape_a, int32_t shape_b);
// Whether the shape of the higher id becomes shape a of the contact.
bool b2d_world_pair_swapped(const b2d_world* world, int32_t low, int32_t high);
void b2d_world_describe_pair(const b2d_world* world, uint64_t key, b2d_new_contact* contact); // any worker
// Creates it if it is allowed and the user's filter does not refuse it. Sets step_failed without memory.
void b2d_world_create_pair(b2d_world* world, uint64_t key, const b2d_new_contact* contact);
// Notes which contacts of the body may be part of a press, after a change of its mass.
void b2d_world_weigh_contacts(b2d_world* world, int32_t body);
// Begins a contact, in these steps. Only the first and the last two are for any worker. Of many contacts at once each
// takes a step before the first takes the next one; b2d_place_color and b2d_place_bits go beside the third.
void b2d_world_prepare_begin(const b2d_world* world, b2d_contact_begin* begin);
void b2d_world_wake_begin(b2d_world* world,
                          b2d_contact_begin* begin); // sets `woken`; b2d_world_flush_sleep_changes must follow
void b2d_world_link_begin(b2d_world* world, b2d_contact_begin* begin);       // sets `done`: there was memory
bool b2d_world_place_begin(b2d_world* world, b2d_contact_begin* begin);      // false: no memory, it does not begin
void b2d_world_end_begin(b2d_world* world, const b2d_contact_begin* begin);  // its rows
void b2d_world_fill_begin(b2d_world* world, const b2d_contact_begin* begin); // its lane
// Frees its colour, its island link and its rest record. `event`: queues the end event.
void b2d_world_end_contact(b2d_world* world, int32_t contact, bool event);
// Of contacts that end together (graph.h): before the lists are divided, any worker; beside their items. There is room
// for their events, whose rows are filled later.
void b2d_world_note_end(b2d_world* world, b2d_contact_end* end);
void b2d_world_report_ends(b2d_world* world, const b2d_contact_ends* ends);
// The rest of rows of events that have their contact. Any worker.
void b2d_world_fill_events(const b2d_world* world, const b2d_contact_events* events, int32_t begin, int32_t end);
void b2d_world_destroy_contact(b2d_world* world, int32_t contact, bool wake);
void b2d_world_destroy_contacts_of_shape(b2d_world* world, int32_t shape);
void b2d_world_sort_ends(b2d_world* world, int32_t from); // sorts end_events by contact, from that row on
bool b2d_world_wake_neighbors_of_shape(b2d_world* world, int32_t shape); // wakes both bodies of all its contacts
// Its contacts compute a full manifold in the next step
void b2d_world_refresh_contacts(b2d_world* world, int32_t body);
// The force on its second body over the last step, N.
b2d_vec2 b2d_world_contact_force(const b2d_world* world, int32_t contact);
// The data of a contact for the user. `record` is NULL if the contact has no points.
b2d_contact_data b2d_world_describe_contact(b2d_world* world, int32_t contact, const b2d_contact_record* record);
// The same of up to B2D_MANIFOLD_BATCH contacts that touch, whose present manifolds are found several at a time.
void b2d_world_describe_touching(b2d_world* world, const int32_t* contacts, int32_t count,
                                 b2d_contact_data* const* out);
