// csrc/api/body.h - what the calls for one body and the calls for many share: properties and pushes.
#pragma once
#include "api/entry.h"

// A force, torque, impulse or angular impulse on a dynamic body. Without `wake` it does nothing to a sleeping one.
typedef struct b2d_push {
    double force[2], torque; // N and N m, or N s and N m s
    double point[2];         // where the force acts, world coordinates
    bool at_point;           // else at the centre of mass
    bool turning;            // it is the torque that was given: named in errors
    bool impulse;            // changes the velocity at once, instead of the sums for the next step
    bool wake;
} b2d_push;

// Of a living body. The checks find all that may be wrong and change nothing; after them, writing and
// pushing fail for memory alone, which they say by false.
b2d_status b2d_check_body_def(const b2d_body_def* def);
int32_t b2d_body_property_width(int32_t property); // components; 0: there is no such property
b2d_status b2d_world_read_body_property(b2d_world* world, int32_t body, int32_t property, double* out);
b2d_status b2d_world_check_body_property(b2d_world* world, int32_t body, int32_t property, const double* in);
bool b2d_world_write_body_property(b2d_world* world, int32_t body, int32_t property, const double* in);
b2d_status b2d_world_check_push(b2d_world* world, int32_t body, const b2d_push* push);
bool b2d_world_push(b2d_world* world, int32_t body, const b2d_push* push);
