// csrc/api/state.c - the API of states: save, restore, clone and clear.
//
// A state is a world that cannot be stepped (state/copy.h). It never changes, so any number of threads may read it.
#include "api/state.h"
#include "objects/repair.h"
#include "state/copy.h"
#include "state/create.h"
#include "state/snapshot.h"

#include <stdio.h>
#include <string.h>

static b2d_world* world_of(b2d_state* state) { return &state->world; }

// Not inside a callback, where the step is not complete.
static b2d_status open_whole(b2d_world* world) {
    B2D_TRY(b2d_open_read(world));
    if (atomic_load(&world->lock) == -1) return b2d_error(B2D_LOCKED, B2D_ARG_WORLD);
    return B2D_OK;
}

b2d_status b2d_world_save(b2d_world* world, b2d_state** out) {
    B2D_TRY(open_whole(world));
    b2d_world* image = b2d_world_make_image(b2d_state_size(world), world->memory.fail_after);
    bool done = image != NULL && b2d_world_copy(image, world);
    b2d_end_read(world);
    if (!done && image != NULL) b2d_world_free(image);
    if (!done) return b2d_error(B2D_NO_MEMORY, B2D_ARG_NONE);
    image->memory.fail_after = -1;
    *out = (b2d_state*)image;
    return B2D_OK;
}

void b2d_state_free(b2d_state* state) {
    if (state != NULL) b2d_world_free(world_of(state));
}

int64_t b2d_state_bytes(b2d_state* state) { return world_of(state)->memory.bytes; }

// Without memory the world is as it was, so there is nothing to repair; tables may have moved.
static b2d_status close_copy(b2d_world* world, bool done) {
    b2d_float_leave(world->caller_float);
    b2d_publish_tables(world);
    world->log.logged = false;
    b2d_end_write(world);
    return done ? B2D_OK : b2d_error(B2D_NO_MEMORY, B2D_ARG_NONE);
}

b2d_status b2d_world_restore(b2d_world* world, b2d_state* state, bool* same_objects) {
    B2D_TRY(b2d_open_write(world));
    *same_objects = b2d_world_same_objects(world, world_of(state));
    world->log.found.incomplete = true;
    return close_copy(world, b2d_world_copy(world, world_of(state)));
}

b2d_status b2d_world_clear(b2d_world* world) {
    B2D_TRY(b2d_open_write(world));
    b2d_world empty = {.split_island = B2D_NONE, .material_rules = world->material_rules};
    memcpy(empty.options, world->options, sizeof empty.options);
    const bool done = b2d_world_copy(world, &empty);
    if (done) B2D_LOG(world, B2D_OK, B2D_LOGGED_CLEAR);
    return close_copy(world, done);
}

static b2d_status clone(b2d_world* from, const b2d_world_def* def, b2d_world** out) {
    b2d_world* world = b2d_world_make(&(b2d_making){.scheduler = def->scheduler,
                                                    .workers = def->workers,
                                                    .simd = def->simd,
                                                    .broadphase = def->broadphase,
                                                    .narrowphase = def->narrowphase,
                                                    .islands = def->islands,
                                                    .schedule = def->schedule,
                                                    .warm_start = def->warm_start,
                                                    .lab = def->lab,
                                                    .preallocated = b2d_state_size(from),
                                                    .fail_after = from->memory.fail_after});
    if (world == NULL) return b2d_error(B2D_NO_MEMORY, B2D_ARG_NONE);
    if (!b2d_world_copy(world, from)) {
        b2d_world_free(world);
        return b2d_error(B2D_NO_MEMORY, B2D_ARG_NONE);
    }
    world->memory.fail_after = -1;
    b2d_publish_tables(world);
    *out = world;
    return B2D_OK;
}

b2d_status b2d_world_clone(b2d_world* world, const b2d_world_def* def, b2d_world** out) {
    B2D_TRY(open_whole(world));
    b2d_world_def like = {.simd = -2,
                          .broadphase = -1,
                          .narrowphase = -1,
                          .islands = -1,
                          .schedule = -1,
                          .warm_start = -1,
                          .lab = UINT32_MAX};
    if (def != NULL) like = *def;
    else memcpy(like.options, world->options, sizeof world->options);
    if (like.workers == 0 && like.scheduler == NULL) {
        like.workers = b2d_scheduler_workers(world->scheduler);
        if (world->shares_scheduler) like.scheduler = world->scheduler;
    }
    if (like.simd == -2) like.simd = world->simd;
    if (like.broadphase == -1) like.broadphase = world->broadphase_kind;
    if (like.narrowphase == -1) like.narrowphase = world->narrowphase_kind;
    if (like.islands == -1) like.islands = world->islands_kind;
    if (like.schedule == -1) like.schedule = world->schedule_kind;
    if (like.warm_start == -1) like.warm_start = world->warm_start_kind;
    if (like.lab == UINT32_MAX) like.lab = world->lab;
    b2d_status status = b2d_check_def(&like, &like.simd);
    return b2d_close_read(world, status == B2D_OK ? clone(world, &like, out) : status);
}

// Bytes

static b2d_status write_snapshot(b2d_world* world, uint8_t* out, int64_t room, int64_t* size) {
    world->repair = world->repair || world->graph.loose;
    if (world->repair && !b2d_world_repair(world)) return b2d_error(B2D_NO_MEMORY, B2D_ARG_NONE);
    if (room > 0) b2d_want_huge_pages(out, (size_t)room);
    *size = b2d_snapshot_write(world, out, room);
    B2D_LOG_NOTHING(world);
    return B2D_OK;
}

b2d_status b2d_world_snapshot(b2d_world* world, uint8_t* out, int64_t room, int64_t* size) {
    B2D_TRY(b2d_open_write(world));
    return b2d_close_write(world, write_snapshot(world, out, room, size));
}

b2d_status b2d_world_log_from_snapshot(b2d_world* world, uint8_t* out, int64_t room, int64_t* size, uint64_t* hash) {
    B2D_TRY(b2d_open_write(world));
    const b2d_status status = write_snapshot(world, out, room, size);
    if (status == B2D_OK && *size <= room) {
        *hash = b2d_world_hash_of(world);
        b2d_log_begin(world);
    }
    return b2d_close_write(world, status);
}

static b2d_status check_options(const b2d_world* world, char* message, int32_t room) {
    b2d_world_def def;
    int32_t simd;
    b2d_world_def_init(&def);
    memcpy(def.options, world->options, sizeof world->options);
    if (b2d_check_def(&def, &simd) == B2D_OK) return B2D_OK;
    snprintf(message, (size_t)room, "section options: a value is out of range");
    return b2d_error(B2D_SNAPSHOT, B2D_ARG_NONE);
}

static b2d_status validate(b2d_world* world, char* message, int32_t room) {
    char what[384];
    B2D_TRY(check_options(world, message, room));
    b2d_status status = b2d_world_validate(world, what, sizeof what);
    if ((status & 0xFF) != B2D_INVARIANT) return status;
    snprintf(message, (size_t)room, "the sections do not fit together: %s", what);
    return b2d_error(B2D_SNAPSHOT, B2D_ARG_NONE);
}

static b2d_status read(const uint8_t* data, int64_t size, const b2d_making* making, b2d_world** out, char* message,
                       int32_t room) {
    b2d_world* world = b2d_world_make(making);
    if (world == NULL) return b2d_error(B2D_NO_MEMORY, B2D_ARG_NONE);
    world->memory.settling = false; // rows that the bytes do not fill must be zero
    b2d_world_def standard;         // and options that they do not have are the usual ones
    b2d_world_def_init(&standard);
    memcpy(world->options, standard.options, sizeof world->options);
    const b2d_read_result result = b2d_snapshot_read(world, data, size, message, (size_t)room);
    b2d_status status = result == B2D_READ_NO_MEMORY ? b2d_error(B2D_NO_MEMORY, B2D_ARG_NONE)
                        : result == B2D_READ_WRONG   ? b2d_error(B2D_SNAPSHOT, B2D_ARG_NONE)
                                                     : validate(world, message, room);
    if (status != B2D_OK) {
        b2d_world_free(world);
        return status;
    }
    world->memory.fail_after = -1;
    b2d_publish_tables(world);
    *out = world;
    return B2D_OK;
}

b2d_status b2d_world_from_snapshot(const uint8_t* data, int64_t size, const b2d_world_def* def, b2d_world** out,
                                   char* message, int32_t room) {
    int32_t simd;
    B2D_TRY(b2d_check_def(def, &simd));
    const b2d_making making = {.scheduler = def->scheduler,
                               .workers = def->workers,
                               .simd = simd,
                               .broadphase = def->broadphase,
                               .narrowphase = def->narrowphase,
                               .islands = def->islands,
                               .schedule = def->schedule,
                               .warm_start = def->warm_start,
                               .lab = def->lab,
                               .fail_after = -1};
    return read(data, size, &making, out, message, room);
}

b2d_status b2d_world_restore_snapshot(b2d_world* world, const uint8_t* data, int64_t size, bool* same_objects,
                                      char* message, int32_t room) {
    B2D_TRY(b2d_open_write(world));
    const b2d_making making = {
        .workers = 1, .simd = world->simd, .broadphase = B2D_BROADPHASE_BRUTE, .fail_after = world->memory.fail_after};
    b2d_world* staging;
    const b2d_status status = read(data, size, &making, &staging, message, room);
    if (status != B2D_OK) {
        (void)close_copy(world, true);
        return status;
    }
    *same_objects = b2d_world_same_objects(world, staging);
    world->log.found.incomplete = true;
    const bool done = b2d_world_copy(world, staging);
    b2d_world_free(staging);
    return close_copy(world, done);
}

bool b2d_repair_snapshot(uint8_t* data, int64_t size) { return b2d_snapshot_repair(data, size); }
