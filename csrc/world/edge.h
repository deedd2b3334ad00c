// csrc/world/edge.h - the public edge: taking the world, naming what is wrong.
#pragma once
#include "world/world.h"

static inline b2d_status b2d_error(int32_t status, int32_t argument) { return status | argument << 8; }

static inline bool b2d_begin_write(b2d_world* world) {
    int free_world = 0;
    return atomic_compare_exchange_strong(&world->lock, &free_world, -1);
}
static inline void b2d_end_write(b2d_world* world) { atomic_store(&world->lock, 0); }
static inline bool b2d_begin_read(b2d_world* world) {
    int readers = atomic_load(&world->lock);
    while (readers >= 0)
        if (atomic_compare_exchange_weak(&world->lock, &readers, readers + 1)) return true;
    return false;
}
static inline void b2d_end_read(b2d_world* world) { atomic_fetch_sub(&world->lock, 1); }

static inline bool b2d_body_alive(const b2d_world* world, int32_t index, uint64_t generation) {
    return generation != 0 && b2d_id_pool_has(&world->body_ids, index) && world->body_generations[index] == generation;
}
static inline bool b2d_shape_alive(const b2d_world* world, int32_t index, uint64_t generation) {
    return generation != 0 && b2d_id_pool_has(&world->shape_ids, index) && world->shape_generations[index] == generation;
}
static inline bool b2d_joint_alive(const b2d_world* world, int32_t index, uint64_t generation) {
    return generation != 0 && b2d_id_pool_has(&world->graph.joint_ids, index) && world->graph.joint_generations[index] == generation;
}
static inline bool b2d_contact_alive(const b2d_world* world, int32_t index, uint64_t generation) {
    return generation != 0 && b2d_id_pool_has(&world->graph.contact_ids, index) && world->graph.contact_generations[index] == generation;
}
static inline bool b2d_island_alive(const b2d_world* world, int32_t index, uint64_t generation) {
    return generation != 0 && b2d_id_pool_has(&world->graph.island_ids, index) && world->graph.island_generations[index] == generation;
}
