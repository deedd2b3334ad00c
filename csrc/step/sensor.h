// csrc/step/sensor.h - sensor events: which shapes overlap sensors.
#pragma once
#include "objects/world.h"

void b2d_world_update_sensors(b2d_world* world);
bool b2d_world_shapes_overlap(b2d_world* world, int32_t shape_a, int32_t shape_b);   // the geometries, not the boxes
bool b2d_world_sensor_sees(const b2d_world* world, int32_t sensor, int32_t visitor); // all conditions but geometry
int32_t b2d_overlap_find(const b2d_overlaps* list, uint64_t key);                    // the first row not below
