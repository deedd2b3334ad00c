// csrc/api/joint.h - creation and properties of joints, for the calls for one joint, templates and batches.
#pragma once
#include "api/entry.h"

// Creates a joint in a world that is open for writing, and logs it.
b2d_status b2d_world_create_joint(b2d_world* world, int32_t body_a, uint64_t generation_a, int32_t body_b,
                                  uint64_t generation_b, const b2d_joint_def* def, b2d_handle* out);
// Rotates the world points of a definition, such as the ground anchors of a pulley, about a point, and moves that point
// to the position.
void b2d_joint_def_move(b2d_joint_def* def, const double* origin, const double* position, double cosine, double sine);

// Of a joint that exists.
b2d_status b2d_world_read_joint_property(b2d_world* world, int32_t joint, int32_t property, double* out);
// Whether a property with one component has another value, as float32; a missing one differs from every number.
bool b2d_world_joint_property_differs(b2d_world* world, int32_t joint, int32_t property, double value);
// The check finds every invalid value; after it, writing fails only for lack of memory.
b2d_status b2d_world_check_joint_property(b2d_world* world, int32_t joint, int32_t property, const double* in);
bool b2d_joint_values_allowed(const b2d_world* world, int32_t joint); // whether the user may set each of its values
b2d_status b2d_world_write_joint_property(b2d_world* world, int32_t joint, int32_t property, const double* in);
