// csrc/joints/properties.h - what the user may set on and read from a joint: one table for each joint type.
//
// An entry says where the value is, its bounds and its default. Entries that several types have are macros. Creation,
// reading and writing (the API of joints) go by these tables alone.
#pragma once
#include "joints/measure.h"

#include <math.h>

enum {
    B2D_PROPERTY_ABSENT, // the type does not have it: in no entry
    // Settable, members of b2d_joint
    B2D_PROPERTY_NUMBER,      // float, finite
    B2D_PROPERTY_OPEN_NUMBER, // float, may be infinite
    B2D_PROPERTY_PAIR,        // two floats
    B2D_PROPERTY_WORLD_PAIR,  // two doubles
    // Of a spring, which has two floats in one of two forms: cycles a second and the damping ratio, or, if the first is
    // negative, -stiffness and damping. Reading gives either form, and writing changes to the form that is written
    B2D_PROPERTY_HERTZ,
    B2D_PROPERTY_DAMPING_RATIO,
    B2D_PROPERTY_STIFFNESS, // N/m or N m/rad
    B2D_PROPERTY_DAMPING,   // N s/m or N m s/rad
    B2D_PROPERTY_FLAG,      // a bit of b2d_joint.flags
    // Read only
    B2D_PROPERTY_IMPULSE,      // a float of b2d_joint_impulses, read as force or torque
    B2D_PROPERTY_IMPULSE_PAIR, // two floats of b2d_joint_impulses
    B2D_PROPERTY_COMPUTED,     // by a function
};

typedef struct b2d_joint_property {
    uint8_t kind;
    uint8_t flag;           // of FLAG: its bit; of IMPULSE: the bit that must be set, 0 = none; of a spring: B2D_ROWS_*
    bool restarts;          // a new value calls the type's `start` again
    int16_t argument;       // B2D_ARG_*
    uint16_t offset;        // of the member
    int16_t floor, ceiling; // properties that the value must not pass, 0 = none (LOCAL_ANCHOR_A is never one)
    double lower, upper;    // bounds
    double initial;         // default
    bool (*valid)(double x, double length_unit); // within the bounds; NULL: all values are
    void (*read)(const b2d_joint_view* view, double out[2]);
} b2d_joint_property;

static inline bool b2d_property_is_of_spring(const b2d_joint_property* property) {
    return property->kind >= B2D_PROPERTY_HERTZ && property->kind <= B2D_PROPERTY_DAMPING;
}
static inline bool b2d_property_is_newton(const b2d_joint_property* property) {
    return property->kind == B2D_PROPERTY_STIFFNESS || property->kind == B2D_PROPERTY_DAMPING;
}
static inline bool b2d_property_is_settable(const b2d_joint_property* property) {
    return property->kind != B2D_PROPERTY_ABSENT && property->kind <= B2D_PROPERTY_FLAG;
}

// The last argument of these four: further members of b2d_joint_property, if any.
#define B2D_SETTABLE(NAME, KIND, member, low, high, start, ...)  \
    [B2D_JOINT_##NAME] = {.kind = B2D_PROPERTY_##KIND,           \
                          .argument = B2D_ARG_##NAME,            \
                          .offset = offsetof(b2d_joint, member), \
                          .lower = low,                          \
                          .upper = high,                         \
                          .initial = start,                      \
                          __VA_ARGS__}
#define B2D_NUMBER(NAME, member, low, high, start, ...) \
    B2D_SETTABLE(NAME, NUMBER, member, low, high, start, __VA_ARGS__)
#define B2D_OPEN_NUMBER(NAME, member, low, high, start, ...) \
    B2D_SETTABLE(NAME, OPEN_NUMBER, member, low, high, start, __VA_ARGS__)
#define B2D_PAIR(NAME, member, bound) B2D_SETTABLE(NAME, PAIR, member, -(bound), bound, 0.0, )
#define B2D_FLAG(NAME, bit) \
    [B2D_JOINT_##NAME] = {  \
        .kind = B2D_PROPERTY_FLAG, .argument = B2D_ARG_##NAME, .flag = bit, .lower = -1.0e30, .upper = 1.0e30}
#define B2D_IMPULSE(NAME, member, bit) \
    [B2D_JOINT_##NAME] = {.kind = B2D_PROPERTY_IMPULSE, .offset = offsetof(b2d_joint_impulses, member), .flag = bit}
#define B2D_IMPULSE_PAIR(NAME, member) \
    [B2D_JOINT_##NAME] = {.kind = B2D_PROPERTY_IMPULSE_PAIR, .offset = offsetof(b2d_joint_impulses, member)}
#define B2D_COMPUTED(NAME, function) [B2D_JOINT_##NAME] = {.kind = B2D_PROPERTY_COMPUTED, .read = function}

// Of every type.
#define B2D_LOAD_PROPERTIES                                          \
    B2D_COMPUTED(CONSTRAINT_FORCE, b2d_read_constraint_force),       \
        B2D_COMPUTED(CONSTRAINT_TORQUE, b2d_read_constraint_torque), \
        B2D_COMPUTED(LINEAR_SEPARATION, b2d_read_linear_separation), \
        B2D_COMPUTED(ANGULAR_SEPARATION, b2d_read_angular_separation)

// Of every type that has rows. Negative softness stands for that of the world.
#define B2D_ROW_PROPERTIES                                                            \
    B2D_LOAD_PROPERTIES, B2D_FLAG(COLLIDE_CONNECTED, B2D_JOINT_COLLIDE),              \
        B2D_NUMBER(JOINT_HERTZ, hertz, -1.0e9, 1.0e6, -1.0, ),                        \
        B2D_NUMBER(JOINT_DAMPING_RATIO, damping_ratio, -1.0e9, 1.0e6, -1.0, ),        \
        B2D_NUMBER(JOINT_SOLVER, solver, 0.0, 2.0, 0.0, .valid = b2d_is_whole),       \
        B2D_OPEN_NUMBER(FORCE_THRESHOLD, force_threshold, 0.0, INFINITY, INFINITY, ), \
        B2D_OPEN_NUMBER(TORQUE_THRESHOLD, torque_threshold, 0.0, INFINITY, INFINITY, )

// Of every type with a frame on each body. The arguments go to the angles of the frames.
#define B2D_FRAME_PROPERTIES(...)                                                                               \
    B2D_ROW_PROPERTIES, B2D_PAIR(LOCAL_ANCHOR_A, anchor[0], 1.0e9), B2D_PAIR(LOCAL_ANCHOR_B, anchor[1], 1.0e9), \
        B2D_NUMBER(LOCAL_ANGLE_A, frame_angle[0], -1.0e6, 1.0e6, 0.0, __VA_ARGS__),                             \
        B2D_NUMBER(LOCAL_ANGLE_B, frame_angle[1], -1.0e6, 1.0e6, 0.0, __VA_ARGS__),                             \
        B2D_COMPUTED(RELATIVE_POSITION, b2d_read_relative_position),                                            \
        B2D_COMPUTED(RELATIVE_VELOCITY, b2d_read_relative_velocity)

// The four properties of a spring whose two floats begin with `member`. In a definition a stiffness or damping of
// B2D_NO_NEWTON is not given.
#define B2D_NO_NEWTON -1.0
#define B2D_SPRING(PREFIX, member, rows, ratio)                                                                 \
    B2D_SETTABLE(PREFIX##HERTZ, HERTZ, member, 0.0, 1.0e6, 0.0, .flag = rows),                                  \
        B2D_SETTABLE(PREFIX##DAMPING_RATIO, DAMPING_RATIO, member, 0.0, 1.0e6, ratio, .flag = rows),            \
        B2D_SETTABLE(PREFIX##STIFFNESS, STIFFNESS, member, 0.0, B2D_LIMIT_NEWTON, B2D_NO_NEWTON, .flag = rows), \
        B2D_SETTABLE(PREFIX##DAMPING, DAMPING, member, 0.0, B2D_LIMIT_NEWTON, B2D_NO_NEWTON, .flag = rows)

// A spring, with a switch or always on. `rows`: what it acts on.
#define B2D_SPRING_PROPERTIES(rows) B2D_SPRING(, spring_hertz, rows, 0.0)

// A spring, limits and a motor, each with a switch. The bounds have names of their own in each type.
#define B2D_SWITCHED_PROPERTIES(rows)                                                                                \
    B2D_SPRING_PROPERTIES(rows), B2D_FLAG(ENABLE_SPRING, B2D_JOINT_SPRING), B2D_FLAG(ENABLE_LIMIT, B2D_JOINT_LIMIT), \
        B2D_FLAG(ENABLE_MOTOR, B2D_JOINT_MOTOR), B2D_NUMBER(MOTOR_SPEED, motor_speed, -1.0e9, 1.0e9, 0.0, )

// A pair of limits: the lower one must not pass the upper one. Either may be infinitely far away.
#define B2D_LIMIT_PROPERTIES(LOWER, UPPER, bound)                                       \
    B2D_OPEN_NUMBER(LOWER, lower, -INFINITY, bound, 0.0, .ceiling = B2D_JOINT_##UPPER), \
        B2D_OPEN_NUMBER(UPPER, upper, -(bound), INFINITY, 0.0, .floor = B2D_JOINT_##LOWER)

// A joint held softly in the plane and about the angle.
#define B2D_SOFT_PROPERTIES                                                                                           \
    B2D_SPRING(LINEAR_, spring_hertz, B2D_ROWS_PLANE, 1.0), B2D_SPRING(ANGULAR_, angular_hertz, B2D_ROWS_ANGLE, 1.0), \
        B2D_IMPULSE(SPRING_TORQUE, angle_spring, 0), B2D_IMPULSE_PAIR(SPRING_FORCE, plane_spring_x)

// The ratio of a gear or pulley, and the sum that it keeps; B2D_UNMEASURED: the present one.
#define B2D_UNMEASURED 2.0e9
#define B2D_COUPLING_PROPERTIES                                                                        \
    B2D_NUMBER(RATIO, ratio, -1.0e6, 1.0e6, 1.0, .restarts = true, .valid = b2d_is_not_zero_as_float), \
        B2D_NUMBER(TOTAL, total, -1.0e9, B2D_UNMEASURED, B2D_UNMEASURED, ),                            \
        B2D_COMPUTED(SPEED, b2d_read_coordinate_a_speed)

static inline bool b2d_is_whole(double x, double unit) { return (void)unit, x == (double)(int32_t)x; }
static inline bool b2d_is_not_zero_as_float(double x, double unit) { return (void)unit, (float)x != 0.0f; }

#define B2D_LIMIT_ANGLE  1.0e6 // of lower and upper angle: beyond it, a float32 is coarser than 0.06 rad
#define B2D_LIMIT_LENGTH 1.0e9
#define B2D_LIMIT_NEWTON 1.0e30 // of stiffness and damping
