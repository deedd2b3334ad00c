// csrc/api/body.h - properties and pushes, shared by the calls for one body and the calls for many.
#pragma once
#include "api/entry.h"

// A force, torque, impulse or angular impulse on a dynamic body. Without `wake` it has no effect on a sleeping body.
typedef struct b2d_push {
    double force[2], torque; // N and N m, or N s and N m s
    double point[2];         // where the force acts, in world coordinates
    bool at_point;           // the force acts at `point`, otherwise at the centre of mass
    bool turning;            // the push is a torque; errors name the argument accordingly
    bool impulse;            // changes the velocity immediately, instead of the sums for the next step
    bool wake;
} b2d_push;

// Functions for a body that exists. The checks find every invalid value and change nothing. After a successful check,
// writing and pushing fail only for lack of memory, and then return false.
b2d_status b2d_check_body_def(const b2d_body_def* def);
int32_t b2d_body_property_width(int32_t property); // number of components; 0 if there is no such property
b2d_status b2d_world_read_body_property(b2d_world* world, int32_t body, int32_t property, double* out);
b2d_status b2d_world_check_body_property(b2d_world* world, int32_t body, int32_t property, const double* in);
bool b2d_world_write_body_property(b2d_world* world, int32_t body, int32_t property, const double* in);
b2d_status b2d_world_check_push(b2d_world* world, int32_t body, const b2d_push* push);
bool b2d_world_push(b2d_world* world, int32_t body, const b2d_push* push);
