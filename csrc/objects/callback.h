// csrc/objects/callback.h - calling the functions of the user in the middle of a step.
#pragma once
#include "objects/world.h"

const void* b2d_this_thread(void); // differs between threads that live
static inline bool b2d_world_has_call(const b2d_world* world, int32_t call) { return (world->calls >> call & 1) != 0; }
// Hands the events to the user, if there are some and he wants this kind.
void b2d_world_report(b2d_world* world, int32_t event, const void* rows, int32_t count);
bool b2d_world_is_refused(const b2d_world* world, uint64_t key);
void b2d_world_prune_refused(b2d_world* world); // before pairs are created
void b2d_world_sort_refused(b2d_world* world);  // after that
// Calls the filter function: may the two shapes meet? The first form remembers a refusal.
bool b2d_world_call_filter_for_pair(b2d_world* world, uint64_t key);
bool b2d_world_call_filter(b2d_world* world, int32_t shape_a, int32_t shape_b);
// Calls the presolve function: do the points of the contact count? It may write into the row.
bool b2d_world_call_presolve(b2d_world* world, b2d_contact_data* data);
