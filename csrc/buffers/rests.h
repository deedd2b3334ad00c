// csrc/buffers/rests.h - which bodies rest: islands by union-find, a body at its lowest index.
//
// An island rests when all its bodies have been idle for long enough and no moving body without mass touches it.
#pragma once
#include "buffers/workspace.h"

typedef struct b2d_rests {
    const b2d_buffer_bodies* bodies;
    int32_t* parents; // by body
    uint8_t* awake;   // by body; of the root: of its island
    int32_t idle_limit;
} b2d_rests;

static inline bool b2d_buffer_moves(const b2d_buffer_bodies* bodies, int32_t body) {
    return bodies->masses[body].mass > 0.0f;
}
// Whether a body without mass moves by its velocity.
static inline bool b2d_buffer_carries(const b2d_buffer_bodies* bodies, int32_t body) {
    const b2d_buffer_velocity* v = &bodies->velocities[body];
    return !b2d_buffer_moves(bodies, body) && (v->x != 0.0f || v->y != 0.0f || v->w != 0.0f);
}
static inline int32_t b2d_rests_find(const b2d_rests* rests, int32_t body) {
    int32_t* parents = rests->parents;
    while (parents[body] != body) body = parents[body] = parents[parents[body]];
    return body;
}
// Every body alone. A body that is not idle is awake.
static inline void b2d_rests_begin(const b2d_rests* rests) {
    for (int32_t k = 0; k < rests->bodies->count; k++) {
        rests->parents[k] = k;
        rests->awake[k] = b2d_buffer_moves(rests->bodies, k) && rests->bodies->idle[k] < rests->idle_limit;
    }
}
// Two bodies that touch or are connected.
static inline void b2d_rests_link(const b2d_rests* rests, int32_t a, int32_t b) {
    const bool moves_a = b2d_buffer_moves(rests->bodies, a), moves_b = b2d_buffer_moves(rests->bodies, b);
    if (!moves_a && !moves_b) return;
    if (!moves_a || !moves_b) {
        if (b2d_buffer_carries(rests->bodies, moves_a ? b : a))
            rests->awake[b2d_rests_find(rests, moves_a ? a : b)] = 1;
        return;
    }
    a = b2d_rests_find(rests, a), b = b2d_rests_find(rests, b);
    const int32_t root = b2d_min_int(a, b);
    rests->parents[b2d_max_int(a, b)] = root;
    rests->awake[root] = rests->awake[a] | rests->awake[b];
}
static inline void b2d_rests_connect(const b2d_rests* rests, const int32_t* connections, int32_t count) {
    for (int32_t k = 0; k < count; k++) b2d_rests_link(rests, connections[2 * k], connections[2 * k + 1]);
}
// Whether a body moves and its island does not rest, after all links.
static inline bool b2d_rests_is_awake(const b2d_rests* rests, int32_t body) {
    return b2d_buffer_moves(rests->bodies, body) && rests->awake[b2d_rests_find(rests, body)] != 0;
}
