// csrc/joints/connection.c - connection: keeps its bodies in one island, for a constraint that the program applies
// itself. Its lane has no row in use.
#include "joints/joint_type.h"

static const b2d_joint_property properties[B2D_JOINT_PROPERTY_COUNT] = {
#include "lists/joints/connection.def"
};

static uint8_t lay_out(const b2d_joint_lane* lane) { return b2d_fill_point(lane, false); }

const b2d_joint_type b2d_joint_type_connection = {
    .flags = B2D_JOINT_COLLIDE,
    .rows = B2D_ROWS_NO_POINT,
    .properties = properties,
    .lay_out = lay_out,
};
