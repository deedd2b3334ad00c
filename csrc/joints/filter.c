// csrc/joints/filter.c - filter joint: its bodies do not touch each other. It has no rows.
#include "joints/joint_type.h"

static const b2d_joint_property properties[B2D_JOINT_PROPERTY_COUNT] = {
#include "lists/joints/filter.def"
};

const b2d_joint_type b2d_joint_type_filter = {
    .flags = B2D_JOINT_NO_ROWS,
    .properties = properties,
};
