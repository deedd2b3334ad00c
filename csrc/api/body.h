// csrc/api/body.h - properties and pushes, shared by the calls for one body and the calls for many.
#pragma once
#include "api/entry.h"

#define B2D_ALWAYS_INLINE static inline __attribute__((always_inline))

static inline b2d_status b2d_find_body(const b2d_world* world, int32_t index, uint64_t generation) {
    return b2d_body_alive(world, index, generation) ? B2D_OK : b2d_error(B2D_STALE_HANDLE, B2D_ARG_BODY);
}

static inline b2d_status b2d_status_of_memory(bool enough_memory) {
    return enough_memory ? B2D_OK : b2d_error(B2D_NO_MEMORY, B2D_ARG_NONE);
}

// Functions for a body that exists. The checks find every invalid value and change nothing. After a successful check,
// writing and pushing fail only for lack of memory, and then return false.
b2d_status b2d_check_body_def(const b2d_body_def* def);
int32_t b2d_body_property_width(int32_t property); // number of components; 0 if there is no such property
b2d_status b2d_world_read_body_property(b2d_world* world, int32_t body, int32_t property, double* out);
b2d_status b2d_world_check_body_property(b2d_world* world, int32_t body, int32_t property, const double* in);
// Lists the bodies whose values differ from their rows of `in` (by id), ascending. NaN differs from everything.
int32_t b2d_world_list_changed_bodies(b2d_world* world, int32_t property, const double* in, int32_t* out);
bool b2d_world_write_body_property(b2d_world* world, int32_t body, int32_t property, const double* in);
// The same for one row for each body: the property of the bodies `indices`, row by row. `row` becomes the first row
// that is wrong, or for which there was no memory.
b2d_status b2d_world_check_body_rows(b2d_world* world, int32_t n, const int32_t* indices, int32_t property,
                                     const double* in, int32_t* row);
bool b2d_world_write_body_rows(b2d_world* world, int32_t n, const int32_t* indices, int32_t property, const double* in,
                               int32_t* row);
// Checks all rows and then pushes: torques if `turning`, otherwise forces, at `points` unless that is NULL.
b2d_status b2d_world_push_rows(b2d_world* world, int32_t n, const int32_t* indices, bool turning, bool impulse,
                               const double* values, const double* points, bool wake, int32_t* row);
// Creates a body in a world that is open for writing, and logs it.
b2d_status b2d_world_create_body(b2d_world* world, const b2d_body_def* def, b2d_handle* out);
// Adds a force at the centre of mass (x, y) and a torque to each body that has one in these rows by body id. Rows of
// zeros push nothing. All are checked first.
b2d_status b2d_world_push_all(b2d_world* world, int32_t rows, const double* forces, const double* torques,
                              int32_t* row);
