// csrc/broadphase/brute.h - tests against every shape, for the reference and for worlds of few shapes.
#pragma once
#include "broadphase/broadphase.h"

// The pairs of the moved shapes ids[0] to ids[count - 1].
void b2d_brute_pairs(const b2d_proxies* proxies, const int32_t* ids, int32_t count, b2d_key_list* list);
// As in b2d_broadphase_table
void b2d_brute_query(const b2d_proxies* proxies, b2d_box box, uint32_t classes, b2d_query_fn* found, void* context);
void b2d_brute_ray(const b2d_proxies* proxies, double px, double py, double dx, double dy, float radius,
                   uint32_t classes, const float* max_fraction, b2d_query_fn* found, void* context);
