// csrc/broadphase/brute.h - queries of every shape, for the reference and for worlds of few shapes.
#pragma once
#include "broadphase/broadphase.h"

// As in b2d_broadphase_table
void b2d_brute_query(const b2d_proxies* proxies, b2d_box box, uint32_t classes, b2d_query_fn* found, void* context);
uint32_t b2d_brute_meets_static(const b2d_proxies* proxies, const b2d_box_rows* boxes, uint32_t asked);
void b2d_brute_ray(const b2d_proxies* proxies, double px, double py, double dx, double dy, float radius,
                   uint32_t classes, const float* max_fraction, b2d_query_fn* found, void* context);
