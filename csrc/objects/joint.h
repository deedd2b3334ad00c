// csrc/objects/joint.h - operations on joints: creation, destruction, activation, read-back.
#pragma once
#include "objects/world.h"

// Completes the row by what depends on the bodies' places
int32_t b2d_world_new_joint(b2d_world* world, b2d_joint* row);
// Measures what the joint keeps of the present poses (b2d_joint_type.start)
void b2d_world_start_joint(const b2d_world* world, b2d_joint* joint);
void b2d_world_drop_joint(b2d_world* world, int32_t joint);
bool b2d_world_watch_joint(b2d_world* world, int32_t joint); // by its thresholds; false: no memory
void b2d_world_collect_joint_events(b2d_world* world);       // watched joints whose load is above a threshold, by id
bool b2d_world_joint_solved(const b2d_world* world, int32_t joint); // some side is awake and dynamic, both enabled
bool b2d_world_activate_joint(b2d_world* world, int32_t joint);     // island link and colour
void b2d_world_deactivate_joint(b2d_world* world, int32_t joint);
bool b2d_world_has_high_mass_ratio(const b2d_world* world, int32_t joint); // between bodies of very unequal masses
// After a change: marks it if it is high_mass_ratio, and direct assemblies as stale
void b2d_world_weigh_joint(b2d_world* world, int32_t joint, bool active);
void b2d_world_weigh_joints(b2d_world* world, int32_t body);                // those of a body whose mass changed
void b2d_world_separate_connected(b2d_world* world, int32_t joint);         // destroys the contacts between its bodies
void b2d_world_reopen_connected(b2d_world* world, int32_t joint);           // its bodies' shapes may meet again
b2d_joint_view b2d_world_view_joint(const b2d_world* world, int32_t joint); // to read its state
