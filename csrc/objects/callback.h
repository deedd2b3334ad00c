// csrc/objects/callback.h - calls the functions of the user during a step.
#pragma once
#include "objects/world.h"

const void* b2d_this_thread(void); // an address that is unique among the running threads
static inline bool b2d_world_has_call(const b2d_world* world, int32_t call) { return (world->calls >> call & 1) != 0; }
// Passes the events to the user if there are any and the user has asked for this kind.
void b2d_world_report(b2d_world* world, int32_t event, const void* rows, int32_t count);
bool b2d_world_is_refused(const b2d_world* world, uint64_t key);
void b2d_world_prune_refused(b2d_world* world); // called before pairs are created
void b2d_world_sort_refused(b2d_world* world);  // called after pairs were created
// Calls the filter function, which decides whether the two shapes may collide. The first function also stores a
// refusal.
bool b2d_world_call_filter_for_pair(b2d_world* world, uint64_t key);
bool b2d_world_call_filter(b2d_world* world, int32_t shape_a, int32_t shape_b);
// Calls the presolve function, which decides whether the points of the contact count. It may change `data`.
bool b2d_world_call_presolve(b2d_world* world, b2d_contact_data* data);
