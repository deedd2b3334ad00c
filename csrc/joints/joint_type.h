// csrc/joints/joint_type.h - the descriptor of a joint type: everything in which one type differs from another.
//
// A type is one file of this module, which defines its descriptor b2d_joint_type_<name>, and one line in
// lists/joint_types.def, from which the table b2d_joint_types is made. A type without a descriptor does not link. No
// other code compares joint types: what the rest of the core needs to know about a type is a field here.
#pragma once
#include "joints/joint_lane.h"
#include "joints/measure.h"
#include "joints/properties.h"

// The line of B2D_ROWS_LINE.
enum {
    B2D_LINE_NONE,
    B2D_LINE_SLIDE, // along the x axis of frame A
    B2D_LINE_ROD,   // along the direction from anchor A to anchor B
};

typedef struct b2d_joint_type {
    uint8_t rows;     // B2D_ROWS_*: what `lay_out` may return
    uint8_t flags;    // B2D_JOINT_*: set in every joint of the type
    uint8_t line;     // B2D_LINE_*
    bool holds_angle; // its bodies do not turn against each other, unless its angle is soft
    bool direct;      // its rows along the line, or else at the point, and about the angle can be solved directly
    uint8_t motor;    // B2D_ROWS_ANGLE or B2D_ROWS_LINE: the rows with motor_speed and motor_max; 0: there are none
    bool turns_start; // a new angle of a frame calls `start` again
    bool on_joints;   // it is created on two joints, acts on the bodies that they move and is destroyed with them
    const b2d_joint_property* properties; // by B2D_JOINT_*
    // Writes the rows of a lane when the joint or a setting of the solver changed; returns the kinds that are in use.
    // NULL: with the flag B2D_JOINT_NO_ROWS
    uint8_t (*lay_out)(const b2d_joint_lane* lane);
    // How far the joint is from where its rigid rows and limits want it: metres, radians, not negative. Springs do not
    // count. Both are 0 before the call. NULL: nothing is rigid
    void (*separation)(const b2d_joint_view* view, double* linear, double* angular);
    // Measures what the joint keeps of the poses it was created in, such as a rope's length. NULL: nothing
    void (*start)(const b2d_graph* graph, const b2d_pose* poses, float linear_slop, b2d_joint* joint);
    // The coordinate that a gear may couple, and how the body on `side` changes it. NULL: no gear takes this type
    b2d_coordinate (*coordinate)(const b2d_graph* graph, const b2d_pose* poses, const b2d_joint* joint, int32_t side);
    // The coupled row; for types with B2D_ROWS_COUPLING
    b2d_coupling (*coupling)(const b2d_graph* graph, const b2d_pose* poses, const b2d_joint* joint);
} b2d_joint_type;

#define B2D_JOINT_TYPE(NAME, name) \
    extern __attribute__((visibility("hidden"))) const b2d_joint_type b2d_joint_type_##name;
#include "lists/joint_types.def"
#undef B2D_JOINT_TYPE

extern const b2d_joint_type* const b2d_joint_types[B2D_JOINT_TYPE_COUNT];
static inline const b2d_joint_type* b2d_joint_type_of(const b2d_joint* joint) { return b2d_joint_types[joint->type]; }
