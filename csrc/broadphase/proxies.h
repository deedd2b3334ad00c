// csrc/broadphase/proxies.h - what all broad phases share: the rule for pairs, key lists, the ray test.
//
// Idea: there is one definition of each, so that all broad phases agree exactly by construction.
//
// Threads: the functions only read the columns; a key list belongs to one worker.
#pragma once
#include "base/pair_set.h"
#include "broadphase/broadphase.h"

static inline b2d_box b2d_fat_box(const b2d_proxies* p, int32_t i) {
    return (b2d_box){p->fat_min_x[i], p->fat_min_y[i], p->fat_max_x[i], p->fat_max_y[i]};
}
static inline bool b2d_box_same(b2d_box a, b2d_box b) {
    return a.min_x == b.min_x && a.min_y == b.min_y && a.max_x == b.max_x && a.max_y == b.max_y;
}
static inline b2d_box b2d_box_union(b2d_box a, b2d_box b) {
    return (b2d_box){b2d_min(a.min_x, b.min_x), b2d_min(a.min_y, b.min_y), b2d_max(a.max_x, b.max_x),
                     b2d_max(a.max_y, b.max_y)};
}

// The old box; an empty one becomes infinity .. -infinity, which overlaps nothing in the plain test of four
// comparisons.
static inline b2d_box b2d_old_box(const b2d_proxies* p, int32_t i) {
    b2d_box box = {p->old_min_x[i], p->old_min_y[i], p->old_max_x[i], p->old_max_y[i]};
    if (box.min_x <= box.max_x && box.min_y <= box.max_y) return box;
    return (b2d_box){INFINITY, INFINITY, -INFINITY, -INFINITY};
}
// Whether two shapes may be a pair: both in the broad phase, of different bodies, not both static.
static inline bool b2d_proxies_may_pair(const b2d_proxies* p, int32_t i, int32_t j) {
    int32_t a = p->proxy_class[i], b = p->proxy_class[j];
    return a != B2D_PROXY_NONE && b != B2D_PROXY_NONE && !(a == B2D_PROXY_STATIC && b == B2D_PROXY_STATIC) &&
           p->body[i] != p->body[j];
}

// Without memory the key is dropped and `failed` is set; the caller reports it after the stage.
bool b2d_key_list_make_room(b2d_key_list* list); // key_list.c
void b2d_key_list_drop_refused(b2d_key_list* list);
static inline void b2d_key_list_push(b2d_key_list* list, uint64_t key) {
    if (list->count == list->capacity && !b2d_key_list_make_room(list)) return;
    list->keys[list->count++] = key;
}
static inline bool b2d_key_lists_failed(const b2d_key_list* lists, int32_t workers) {
    bool failed = false;
    for (int32_t w = 0; w < workers; w++) failed |= lists[w].failed;
    return failed;
}

// The segment p + t d. Both bounds of a slab are monotonic in the box, rounding included, so a box that contains
// another is hit whenever the other is: trees and grids prune with the same test that decides the answer.
typedef struct b2d_ray {
    double px, py;
    double inverse_dx, inverse_dy; // 0: parallel to the axis
    double radius;
} b2d_ray;

static inline b2d_ray b2d_ray_make(double px, double py, double dx, double dy, float radius) {
    const double least = 1.0e-290; // m; below it the reciprocal would overflow
    return (b2d_ray){px, py, fabs(dx) > least ? 1.0 / dx : 0.0, fabs(dy) > least ? 1.0 / dy : 0.0, radius};
}
// Narrows [*enter, *leave] to one slab; false when it is missed.
static inline bool b2d_ray_clip(double p, double inverse, double lower, double upper, double* enter, double* leave) {
    if (inverse == 0.0) return lower <= p && p <= upper;
    double a = (lower - p) * inverse, b = (upper - p) * inverse;
    double first = a < b ? a : b, last = a < b ? b : a;
    if (first > *enter) *enter = first;
    if (last < *leave) *leave = last;
    return *enter <= *leave;
}
// Where the ray enters the grown box, or a negative number when it misses it before max_fraction.
static inline double b2d_ray_enter(const b2d_ray* ray, b2d_box box, float max_fraction) {
    double enter = 0.0, leave = max_fraction;
    if (!b2d_ray_clip(ray->px, ray->inverse_dx, box.min_x - ray->radius, box.max_x + ray->radius, &enter, &leave))
        return -1.0;
    if (!b2d_ray_clip(ray->py, ray->inverse_dy, box.min_y - ray->radius, box.max_y + ray->radius, &enter, &leave))
        return -1.0;
    return enter <= leave ? enter : -1.0;
}
