// csrc/objects/joint.h - operations on joints: creation, destruction, activation, read-back.
#pragma once
#include "objects/world.h"

// Creates a joint from the row and sets the values that depend on the poses of the bodies. B2D_NONE without memory.
int32_t b2d_world_new_joint(b2d_world* world, b2d_joint* row);
// Measures the values that the joint stores of the present poses (b2d_joint_type.start).
void b2d_world_start_joint(const b2d_world* world, b2d_joint* joint);
void b2d_world_drop_joint(b2d_world* world, int32_t joint); // and the gears on it
// Watches the joint if it has a threshold; false without memory
bool b2d_world_watch_joint(b2d_world* world, int32_t joint);
// Events of watched joints whose load is above a threshold, by id
void b2d_world_collect_joint_events(b2d_world* world);
bool b2d_world_joint_solved(const b2d_world* world, int32_t joint); // a side is awake and dynamic, and both are enabled
bool b2d_world_activate_joint(b2d_world* world, int32_t joint);     // gives it an island link and a colour
void b2d_world_deactivate_joint(b2d_world* world, int32_t joint);
// The gears on a joint, after a change of its bodies; false: no memory
bool b2d_world_renew_gears(b2d_world* world, int32_t joint, bool active);
// Called after a change of the joint: the next step decides again whether its assembly is solved directly. `active`:
// the joint may still act.
void b2d_world_joint_changed(b2d_world* world, int32_t joint, bool active);
void b2d_world_destroy_connected_contacts(b2d_world* world, int32_t joint); // destroys the contacts between its bodies
// Lets the next pair stage find the pairs of its bodies again
void b2d_world_renew_connected_pairs(b2d_world* world, int32_t joint);
// The data from which the state of a joint is read
b2d_joint_view b2d_world_view_joint(const b2d_world* world, int32_t joint);
