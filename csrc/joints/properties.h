// csrc/joints/properties.h - what the user may set on and read from a joint: one table for each joint type.
//
// An entry of lists/joints/<type>.def says where the value is, its bounds and its default. Creation, reading and
// writing (the API of joints) go by these tables alone.
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

// The row of an entry of lists/joints/<type>.def, each of which is the table of one type.
#define B2D_JOINT_MEMBER(NAME, KIND, place, low, high, start, text, ...) \
    [B2D_JOINT_##NAME] = {.kind = B2D_PROPERTY_##KIND, B2D_AT_##KIND(NAME, place, low, high, start) __VA_ARGS__},
#define B2D_AT_NUMBER(NAME, member, low, high, start) \
    .argument = B2D_ARG_##NAME, .offset = offsetof(b2d_joint, member), .lower = low, .upper = high, .initial = start,
#define B2D_AT_OPEN_NUMBER   B2D_AT_NUMBER
#define B2D_AT_PAIR          B2D_AT_NUMBER
#define B2D_AT_WORLD_PAIR    B2D_AT_NUMBER
#define B2D_AT_HERTZ         B2D_AT_NUMBER
#define B2D_AT_DAMPING_RATIO B2D_AT_NUMBER
#define B2D_AT_STIFFNESS     B2D_AT_NUMBER
#define B2D_AT_DAMPING       B2D_AT_NUMBER
#define B2D_AT_FLAG(NAME, bit, low, high, start) \
    .argument = B2D_ARG_##NAME, .flag = bit, .lower = -1.0e30, .upper = 1.0e30, .initial = start,
#define B2D_AT_IMPULSE(NAME, member, ...)    .offset = offsetof(b2d_joint_impulses, member),
#define B2D_AT_IMPULSE_PAIR                  B2D_AT_IMPULSE
#define B2D_AT_COMPUTED(NAME, function, ...) .read = function,

// Defaults: a stiffness or damping that is not given; the sum that a gear or pulley keeps, if it is the present one; a
// value that must be given.
#define B2D_NO_NEWTON                        -1.0
#define B2D_UNMEASURED                       2.0e9
#define B2D_REQUIRED                         (double)NAN

static inline bool b2d_is_whole(double x, double unit) { return (void)unit, x == (double)(int32_t)x; }
static inline bool b2d_is_not_zero_as_float(double x, double unit) { return (void)unit, (float)x != 0.0f; }

#define B2D_LIMIT_ANGLE  1.0e6 // of lower and upper angle: beyond it, a float32 is coarser than 0.06 rad
#define B2D_LIMIT_LENGTH 1.0e9
#define B2D_LIMIT_NEWTON 1.0e30 // of stiffness and damping
