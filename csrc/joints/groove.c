// csrc/joints/groove.c - groove joint: anchor B stays on a segment of body A.
//
// The segment goes from anchor A along the x axis of frame A.
#include "joints/joint_type.h"

static const b2d_joint_property properties[B2D_JOINT_PROPERTY_COUNT] = {
#include "lists/joints/groove.def"
};

static uint8_t lay_out(const b2d_joint_lane* lane) {
    b2d_fill_limits(lane, &lane->rows->line, true, 0.0f, lane->joint->upper);
    return b2d_fill_line(lane, true);
}

static void separation(const b2d_joint_view* view, double* linear, double* angular) {
    (void)angular;
    *linear = b2d_distance_from_slide(view);
}

const b2d_joint_type b2d_joint_type_groove = {
    .rows = B2D_ROWS_LINE | B2D_ROWS_NO_POINT,
    .flags = B2D_JOINT_LIMIT,
    .line = B2D_LINE_SLIDE,
    .direct = true,
    .properties = properties,
    .lay_out = lay_out,
    .separation = separation,
};
