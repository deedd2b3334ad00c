// csrc/api/shape.h - properties of shapes that other API files read and write.
#pragma once
#include "api/entry.h"

b2d_status b2d_check_shape_def(const b2d_shape_def* def);
int32_t b2d_shape_property_width(int32_t property); // 0: no such property
b2d_status b2d_world_get_shape(b2d_world* world, int32_t shape, int32_t property, double* out);
b2d_status b2d_world_set_shape(b2d_world* world, int32_t shape, int32_t property, const double* in);
void b2d_world_set_shape_filter(b2d_world* world, int32_t shape, uint64_t category, uint64_t mask, int32_t group);
// Creates a shape in a world that is open for writing, and logs it.
b2d_status b2d_world_create_shape(b2d_world* world, int32_t body, uint64_t generation, const b2d_geometry* geometry,
                                  const b2d_shape_def* def, b2d_handle* out);
