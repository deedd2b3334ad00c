// csrc/joints/pogo.c - pogo joint: a spring leg that pushes body B off body A along the x axis of frame A.
#include "joints/joint_type.h"

static const b2d_joint_property properties[B2D_JOINT_PROPERTY_COUNT] = {
    B2D_FRAME_PROPERTIES(),
    B2D_SPRING_PROPERTIES(B2D_ROWS_LINE),
    B2D_NUMBER(REST_LENGTH, spring_target, 0.0, B2D_LIMIT_LENGTH, 0.0, ),
    B2D_OPEN_NUMBER(MAX_TENSION_FORCE, spring_low, 0.0, INFINITY, INFINITY, ),
    B2D_OPEN_NUMBER(MAX_COMPRESSION_FORCE, spring_high, 0.0, INFINITY, INFINITY, ),
    B2D_COMPUTED(ANGLE, b2d_read_angle),
    B2D_COMPUTED(CURRENT_LENGTH, b2d_read_line),
    B2D_COMPUTED(SPEED, b2d_read_line_speed),
    B2D_IMPULSE(SPRING_FORCE, line_spring, 0),
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
