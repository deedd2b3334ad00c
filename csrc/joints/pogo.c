// csrc/joints/pogo.c - pogo joint: a spring leg that pushes body B off body A along the x axis of frame A.
#include "joints/joint_type.h"

static const b2d_joint_property properties[B2D_JOINT_PROPERTY_COUNT] = {
#include "lists/joints/pogo.def"
};

static uint8_t lay_out(const b2d_joint_lane* lane) {
    const b2d_joint* joint = lane->joint;
    b2d_fill_spring(lane, &lane->rows->line, true, joint->spring_hertz, joint->spring_damping_ratio, -joint->spring_low,
                    joint->spring_high);
    return b2d_fill_line(lane, false);
}

const b2d_joint_type b2d_joint_type_pogo = {
    .rows = B2D_ROWS_LINE | B2D_ROWS_NO_POINT,
    .line = B2D_LINE_SLIDE,
    .properties = properties,
    .lay_out = lay_out,
};
