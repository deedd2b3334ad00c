// csrc/api/joint.h - properties of joints that exist, for the calls for one joint and those for a batch.
#pragma once
#include "api/entry.h"

b2d_status b2d_world_read_joint_property(b2d_world* world, int32_t joint, int32_t property, double* out);
// The check finds every invalid value; after it, writing fails only for lack of memory.
b2d_status b2d_world_check_joint_property(b2d_world* world, int32_t joint, int32_t property, const double* in);
b2d_status b2d_world_write_joint_property(b2d_world* world, int32_t joint, int32_t property, const double* in);
