// csrc/joints/joint_types.c - the table of joint types, made from lists/joint_types.def.
#include "joints/joint_type.h"

const b2d_joint_type* const b2d_joint_types[B2D_JOINT_TYPE_COUNT] = {
#define B2D_JOINT_TYPE(NAME, name) [B2D_##NAME] = &b2d_joint_type_##name,
#include "lists/joint_types.def"
#undef B2D_JOINT_TYPE
};
