// csrc/api/entry.h - shared by all API functions: the lock of the world, checks of arguments, statuses.
#pragma once
#include "base/allowed.h"
#include "objects/body.h"
#include "objects/callback.h"
#include "objects/scratch.h"

#include <math.h>

static inline b2d_status b2d_error(int32_t status, int32_t argument) {
    if (status == B2D_OUT_OF_RANGE) b2d_set_allowed((double)NAN, (double)NAN);
    return status | argument << 8;
}

// A reader that finds masses or the broad phase out of date updates them under the lock value B2D_LOCK_FLUSH. For the
// user this is still a read: other readers wait until it ends, and writers are refused as during any read.
enum { B2D_LOCK_FLUSH = -2 };

static inline bool b2d_begin_write(b2d_world* world) {
    int free_world = 0;
    return atomic_compare_exchange_strong(&world->lock, &free_world, -1);
}
static inline void b2d_end_write(b2d_world* world) {
    const unsigned long long writes = atomic_load_explicit(&world->writes, memory_order_relaxed);
    atomic_store_explicit(&world->writes, writes + 1, memory_order_relaxed); // only the holder of the lock writes it
    atomic_store(&world->lock, 0);
}
static inline bool b2d_begin_read(b2d_world* world) {
    int readers = atomic_load(&world->lock);
    // A callback of the running step may read while the step holds the lock
    if (readers == -1 && atomic_load(&world->calling) == b2d_this_thread()) return true;
    while (readers >= 0 || readers == B2D_LOCK_FLUSH) {
        if (readers == B2D_LOCK_FLUSH) {
            b2d_thread_yield();
            readers = atomic_load(&world->lock);
        } else if (atomic_compare_exchange_weak(&world->lock, &readers, readers + 1)) {
            return true;
        }
    }
    return false;
}
static inline void b2d_end_read(b2d_world* world) {
    // A call inside a callback has not taken the lock
    if (atomic_load(&world->lock) > 0) atomic_fetch_sub(&world->lock, 1);
}

// Runs `update` of a reader, which is alone meanwhile. After an error, or if it fails, the caller is no reader.
b2d_status b2d_flush(b2d_world* world, bool (*update)(b2d_world*)); // query.c

// The same, with statuses. A writer computes under the floating-point control word of the engine, whatever that of the
// caller is.
//
// A call that changes shapes of a body may leave its mass to a later call; all others find every mass computed.
static inline void b2d_enter_shape_write(b2d_world* world) {
    world->caller_float = b2d_float_enter();
    b2d_memory_ask_again(&world->memory);
}
static inline void b2d_enter_write(b2d_world* world) { // of the holder of the lock
    b2d_enter_shape_write(world);
    world->balance_count = 0;
    if (!b2d_bits_is_empty(&world->mass_due)) b2d_world_settle_masses(world);
}
static inline b2d_status b2d_open_shape_write(b2d_world* world) {
    if (world == NULL) return b2d_error(B2D_STALE_HANDLE, B2D_ARG_WORLD);
    if (!b2d_begin_write(world)) return b2d_error(B2D_LOCKED, B2D_ARG_WORLD);
    b2d_enter_shape_write(world);
    return B2D_OK;
}
static inline b2d_status b2d_open_write(b2d_world* world) {
    if (world == NULL) return b2d_error(B2D_STALE_HANDLE, B2D_ARG_WORLD);
    if (!b2d_begin_write(world)) return b2d_error(B2D_LOCKED, B2D_ARG_WORLD);
    b2d_enter_write(world);
    return B2D_OK;
}
static inline b2d_status b2d_close_write(b2d_world* world, b2d_status status) {
    if ((status & 0xFF) == B2D_NO_MEMORY || world->graph.needs_repair) world->repair = true;
    if (world->scratch != NULL) b2d_return_scratch(world);
    b2d_float_leave(world->caller_float);
    b2d_publish_tables(world);
    b2d_log_end_call(&world->log, status, world->step_failed);
    b2d_end_write(world);
    return status;
}
static inline b2d_status b2d_open_read(b2d_world* world) {
    if (world == NULL) return b2d_error(B2D_STALE_HANDLE, B2D_ARG_WORLD);
    if (!b2d_begin_read(world)) return b2d_error(B2D_LOCKED, B2D_ARG_WORLD);
    return b2d_bits_is_empty(&world->mass_due) ? B2D_OK : b2d_flush(world, b2d_world_settle_masses);
}
static inline b2d_status b2d_close_read(b2d_world* world, b2d_status status) {
    b2d_end_read(world);
    return status;
}

// Input checks. They return B2D_OK, or the error and the argument.
static inline b2d_status b2d_check_range(double x, double lower, double upper, int32_t argument) {
    if (!isfinite(x)) return b2d_error(B2D_NOT_FINITE, argument);
    return lower <= x && x <= upper ? B2D_OK : b2d_out_of_range(lower, upper, argument);
}
static inline b2d_status b2d_check_vec(const double* v, double limit, int32_t argument) {
    b2d_status status = b2d_check_range(v[0], -limit, limit, argument);
    return status != B2D_OK ? status : b2d_check_range(v[1], -limit, limit, argument);
}
// A bound may have been rounded to a float32 beyond itself; this one is within it.
static inline double b2d_toward_zero(double x) { return (double)nextafterf((float)x, 0.0f); }
#define B2D_TRY(expression)                          \
    do {                                             \
        b2d_status try_status = (expression);        \
        if (try_status != B2D_OK) return try_status; \
    } while (0)

// Checks all members (world.c); `simd` is the instruction set to use.
b2d_status b2d_check_def(const b2d_world_def* def, int32_t* simd);
b2d_status b2d_check_material_pair(const b2d_material_pair* pair);             // material.c
b2d_status b2d_close_with_step(b2d_world* world, double dt, int32_t substeps); // which have been checked
void b2d_log_frame(b2d_world* world, double dt);                               // of a log that is on: a step is over

uint64_t b2d_world_hash_of(b2d_world* world); // hash.c; the caller holds the lock
uint64_t b2d_cell_hash_of(b2d_world* world, int32_t cell);

static const double b2d_limit_position = 1.0e12; // m
static const double b2d_limit_angle = 1.0e9;     // rad
static const double b2d_limit_speed = 1.0e9;     // m/s, rad/s
static const double b2d_limit_force = 1.0e30;    // N, N m, N s
static const double b2d_limit_number = 1.0e30;   // all other quantities that are stored as float32

static inline bool b2d_body_alive(const b2d_world* world, int32_t index, uint64_t generation) {
    return generation != 0 && b2d_id_pool_has(&world->body_ids, index) && world->body_generations[index] == generation;
}
static inline bool b2d_shape_alive(const b2d_world* world, int32_t index, uint64_t generation) {
    return generation != 0 && b2d_id_pool_has(&world->shape_ids, index) &&
           world->shape_generations[index] == generation;
}
static inline bool b2d_joint_alive(const b2d_world* world, int32_t index, uint64_t generation) {
    return generation != 0 && b2d_id_pool_has(&world->graph.joint_ids, index) &&
           world->graph.joint_generations[index] == generation;
}
static inline bool b2d_contact_alive(const b2d_world* world, int32_t index, uint64_t generation) {
    return generation != 0 && b2d_id_pool_has(&world->graph.contact_ids, index) &&
           world->graph.contact_generations[index] == generation;
}
static inline bool b2d_island_alive(const b2d_world* world, int32_t index, uint64_t generation) {
    return generation != 0 && b2d_id_pool_has(&world->graph.island_ids, index) &&
           world->graph.island_generations[index] == generation;
}
