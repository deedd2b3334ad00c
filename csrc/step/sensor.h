// csrc/step/sensor.h - sensor events: finds the shapes that overlap sensors.
#pragma once
#include "objects/world.h"

// Whether there was something to do
bool b2d_world_update_sensors(b2d_world* world);
// Tests the geometries, not the boxes
bool b2d_world_shapes_overlap(b2d_world* world, int32_t shape_a, int32_t shape_b);
// All conditions except the geometric one
bool b2d_world_sensor_accepts(const b2d_world* world, int32_t sensor, int32_t visitor);
int32_t b2d_overlap_find(const b2d_overlaps* list, uint64_t key); // the first row whose key is not below
