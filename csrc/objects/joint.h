// csrc/objects/joint.h - operations on joints: creation, destruction, activation, read-back.
#pragma once
#include "objects/world.h"

// Completes the row by what depends on the bodies' places
int32_t b2d_world_new_joint(b2d_world* world, b2d_joint* row);
// Takes the present value as total of a gear or pulley, or as open length
void b2d_world_settle_joint(const b2d_world* world, b2d_joint* joint);
void b2d_world_drop_joint(b2d_world* world, int32_t joint);
bool b2d_world_watch_joint(b2d_world* world, int32_t joint); // by its thresholds; false: no memory
void b2d_world_collect_joint_events(b2d_world* world);       // watched joints whose load is above a threshold, by id
bool b2d_world_joint_solved(const b2d_world* world, int32_t joint); // some side is awake and dynamic, both enabled
bool b2d_world_activate_joint(b2d_world* world, int32_t joint);     // island link and colour
void b2d_world_deactivate_joint(b2d_world* world, int32_t joint);
bool b2d_world_has_high_mass_ratio(const b2d_world* world, int32_t joint); // between bodies of very unequal masses
// After a change: marks it if it is high_mass_ratio, and direct assemblies as stale
void b2d_world_weigh_joint(b2d_world* world, int32_t joint, bool active);
void b2d_world_weigh_joints(b2d_world* world, int32_t body);         // those of a body whose mass changed
void b2d_world_separate_connected(b2d_world* world, int32_t joint);  // destroys the contacts between its bodies
void b2d_world_reopen_connected(b2d_world* world, int32_t joint);    // its bodies' shapes may meet again
double b2d_world_joint_angle(const b2d_world* world, int32_t joint); // unwrapped
// Of its angle, its translation or length, or of what a gear or pulley does to body A
double b2d_world_joint_speed(const b2d_world* world, int32_t joint);
// Of anchor B against anchor A
void b2d_world_joint_velocity(const b2d_world* world, int32_t joint, double* x, double* y);
// On body B in the last step
void b2d_world_joint_load(const b2d_world* world, int32_t joint, double* fx, double* fy, double* torque);
