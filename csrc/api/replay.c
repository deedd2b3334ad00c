// csrc/api/replay.c - the API of the log of calls: starts and takes it, and makes the logged calls again.
//
// Idea: a replay makes the same calls, so the same bits follow. Callbacks give the logged answers, which stand before
// their step in the log. A step whose hash differs, a call that fails, or a callback that is not called as logged makes
// the replay unequal. The bytes may come from anywhere: every argument is read with its bounds and checked by the call.
#include "api/entry.h"

#include <stdlib.h>
#include <string.h>

b2d_status b2d_world_log_start(b2d_world* world) {
    B2D_TRY(b2d_open_write(world));
    b2d_log_begin(world);
    return b2d_close_write(world, B2D_OK);
}

b2d_status b2d_world_log_stop(b2d_world* world) {
    B2D_TRY(b2d_open_write(world));
    b2d_free(&world->memory, world->log.bytes, (size_t)world->log.capacity);
    world->log = (b2d_call_log){0};
    return b2d_close_write(world, B2D_OK);
}

b2d_status b2d_world_log_take(b2d_world* world, uint8_t* out, int64_t room, b2d_log* found) {
    B2D_TRY(b2d_open_write(world));
    b2d_call_log* log = &world->log;
    B2D_LOG_NOTHING(world);
    *found = log->found;
    found->size = log->count;
    if (log->count <= room && (found->steps > 0 || found->incomplete)) {
        if (log->count > 0) memcpy(out, log->bytes, (size_t)log->count);
        log->count = 0;
        log->found = (b2d_log){0};
    }
    return b2d_close_write(world, B2D_OK);
}

// ---- replay

typedef struct answers { // of the callbacks of one step
    const uint8_t *at, *end;
    bool equal;
} answers;

// A callback that is not in the log says yes, as after a failed callback.
static int32_t answer(void* user, int32_t call, const void* rows, int32_t count) {
    answers* a = user;
    b2d_logged_argument in[B2D_LOGGED_ARGUMENTS];
    int32_t kind;
    const int64_t used = b2d_log_read(a->at, a->end - a->at, &kind, in);
    (void)count;
    a->equal = a->equal && used > 0 && kind == B2D_LOGGED_ANSWER && in[0].whole == call;
    if (!a->equal) return 1;
    a->at += used;
    if (call == B2D_CALL_PRESOLVE) {
        b2d_contact_data* contact = (b2d_contact_data*)rows; // a presolve function may write these three
        contact->friction = (float)in[2].number;
        contact->restitution = (float)in[3].number;
        contact->tangent_speed = (float)in[4].number;
    }
    return (int32_t)in[1].whole;
}

// Bytes of a file are no valid `bool` unless they are 0 or 1. The flags of a definition are its last members, from
// `first` on.
#define NORMALISE(def, first) \
    for (uint8_t* flag = (uint8_t*)&(def).first; flag < (uint8_t*)(&(def) + 1); flag++) *flag = *flag != 0

static b2d_body_def body_def_of(const void* rows) {
    b2d_body_def def;
    memcpy(&def, rows, sizeof def);
    NORMALISE(def, awake);
    return def;
}
static b2d_shape_def shape_def_of(const void* rows) {
    b2d_shape_def def;
    memcpy(&def, rows, sizeof def);
    NORMALISE(def, sensor);
    return def;
}

typedef b2d_status destroy_fn(b2d_world* world, int32_t index, uint64_t generation, b2d_handle* out, int32_t room,
                              int32_t* count);

static b2d_status destroy(destroy_fn* function, b2d_world* world, int32_t index, uint64_t generation) {
    int32_t count = 0;
    B2D_TRY(function(world, index, generation, NULL, 0, &count));
    if (count == 0) return B2D_OK;
    b2d_handle* handles = malloc((size_t)count * sizeof *handles);
    if (handles == NULL) return b2d_error(B2D_NO_MEMORY, B2D_ARG_NONE);
    const b2d_status status = function(world, index, generation, handles, count, &count);
    free(handles);
    return status;
}

static b2d_status create_bodies(b2d_world* world, const b2d_logged_argument* in) {
    const b2d_body_def body = body_def_of(in[0].rows);
    const b2d_shape_def shape = shape_def_of(in[2].rows);
    const int32_t n = (int32_t)in[3].whole;
    if (in[4].rows == NULL) return b2d_error(B2D_OUT_OF_RANGE, B2D_ARG_POSITIONS);
    b2d_handle* handles = malloc(((size_t)n + 1) * sizeof *handles);
    if (handles == NULL) return b2d_error(B2D_NO_MEMORY, B2D_ARG_NONE);
    const b2d_status status = b2d_bodies_create(world, &body, in[1].rows, &shape, n, in[4].rows, in[5].rows, in[6].rows,
                                                handles);
    free(handles);
    return status;
}

static b2d_status call_shape(b2d_world* world, int32_t call, int32_t index, uint64_t generation,
                             const b2d_logged_argument* in) {
    b2d_handle made;
    b2d_shape_def def;
    switch (call) {
    case B2D_LOGGED_SHAPE_WIND:
        return b2d_shape_apply_wind(world, index, generation, in[2].number, in[3].number, in[4].number, in[5].number,
                                    in[6].number, in[7].whole != 0);
    case B2D_LOGGED_SHAPE_CREATE:
        def = shape_def_of(in[3].rows);
        return b2d_shape_create(world, index, generation, in[2].rows, &def, &made);
    case B2D_LOGGED_SHAPE_DESTROY: return b2d_shape_destroy(world, index, generation, in[2].whole != 0);
    case B2D_LOGGED_SHAPE_SET: return b2d_shape_set(world, index, generation, (int32_t)in[2].whole, in[3].rows);
    case B2D_LOGGED_SHAPE_GEOMETRY:
        return b2d_shape_set_geometry(world, index, generation, in[2].rows, in[3].whole != 0);
    case B2D_LOGGED_SHAPE_FILTER:
        return b2d_shape_set_filter(world, index, generation, in[2].bits, in[3].bits, (int32_t)in[4].whole);
    case B2D_LOGGED_CHAIN_CREATE:
        if (in[3].rows == NULL) return b2d_error(B2D_OUT_OF_RANGE, B2D_ARG_POINTS);
        def = shape_def_of(in[5].rows);
        return b2d_chain_create(world, index, generation, in[3].rows, (int32_t)in[2].whole, in[4].whole != 0, &def,
                                &made);
    case B2D_LOGGED_CHAIN_DESTROY: return b2d_chain_destroy(world, index, generation);
    case B2D_LOGGED_CHAIN_SET: return b2d_chain_set(world, index, generation, (int32_t)in[2].whole, in[3].rows);
    default: return b2d_chain_set_filter(world, index, generation, in[2].bits, in[3].bits, (int32_t)in[4].whole);
    }
}

static b2d_status call_body(b2d_world* world, int32_t call, int32_t index, uint64_t generation,
                            const b2d_logged_argument* in) {
    switch (call) {
    case B2D_LOGGED_BODY_DESTROY: return destroy(b2d_body_destroy, world, index, generation);
    case B2D_LOGGED_BODY_SET: return b2d_body_set(world, index, generation, (int32_t)in[2].whole, in[3].rows);
    case B2D_LOGGED_BODY_FORCE:
        return b2d_body_apply_force(world, index, generation, in[2].number, in[3].number, in[4].whole != 0,
                                    in[5].number, in[6].number, in[7].whole != 0);
    case B2D_LOGGED_BODY_TORQUE: return b2d_body_apply_torque(world, index, generation, in[2].number, in[3].whole != 0);
    case B2D_LOGGED_BODY_IMPULSE:
        return b2d_body_apply_impulse(world, index, generation, in[2].number, in[3].number, in[4].whole != 0,
                                      in[5].number, in[6].number, in[7].whole != 0);
    case B2D_LOGGED_BODY_ANGULAR_IMPULSE:
        return b2d_body_apply_angular_impulse(world, index, generation, in[2].number, in[3].whole != 0);
    case B2D_LOGGED_BODY_TARGET:
        return b2d_body_set_target(world, index, generation, in[2].number, in[3].number, in[4].number, in[5].number);
    default: return b2d_body_update_mass(world, index, generation);
    }
}

// Calls of the world, and of many bodies.
static b2d_status call_world(b2d_world* world, int32_t call, const b2d_logged_argument* in) {
    int32_t row;
    double deepest;
    bool found;
    b2d_handle made;
    switch (call) {
    case B2D_LOGGED_OPTION: return b2d_world_set_option(world, (int32_t)in[0].whole, in[1].number);
    case B2D_LOGGED_CLEAR: return b2d_world_clear(world);
    case B2D_LOGGED_SPLIT_ISLANDS: return b2d_world_split_islands(world, &row);
    case B2D_LOGGED_EXPLODE:
        return b2d_world_explode(world, in[0].number, in[1].number, in[2].number, in[3].number, in[4].number,
                                 in[5].bits, in[6].bits);
    case B2D_LOGGED_RESOLVE_OVERLAPS: return b2d_world_resolve_overlaps(world, (int32_t)in[0].whole, &deepest);
    case B2D_LOGGED_WIND:
        return b2d_world_apply_wind(world, in[0].number, in[1].number, in[2].number, in[3].number, in[4].number,
                                    in[5].whole != 0, in[6].bits, in[7].bits);
    case B2D_LOGGED_BUOYANCY:
        return b2d_world_apply_buoyancy(world, in[0].rows, in[1].number, in[2].number, in[3].number, in[4].number,
                                        in[5].number, in[6].number, in[7].number, in[8].whole != 0, in[9].bits,
                                        in[10].bits);
    case B2D_LOGGED_BODY_CREATE: {
        const b2d_body_def def = body_def_of(in[0].rows);
        return b2d_body_create(world, &def, &made);
    }
    case B2D_LOGGED_BODIES_CREATE: return create_bodies(world, in);
    case B2D_LOGGED_BODIES_SET:
        return b2d_bodies_set(world, (int32_t)in[0].whole, in[1].rows, in[2].rows, (int32_t)in[3].whole, in[4].rows,
                              &row);
    case B2D_LOGGED_BODIES_SET_SHAPES:
        return b2d_bodies_set_shapes(world, (int32_t)in[0].whole, in[1].rows, in[2].rows, (int32_t)in[3].whole,
                                     in[4].rows, &row);
    case B2D_LOGGED_WORLD_SET_BODIES:
        return b2d_world_set_bodies(world, (int32_t)in[1].whole, (int32_t)in[0].whole, in[2].rows, &row);
    case B2D_LOGGED_BODIES_PUSH:
        if ((in[3].whole != 0) != (in[5].whole == 1)) return b2d_error(B2D_OUT_OF_RANGE, B2D_ARG_VALUE);
        return b2d_bodies_push(world, (int32_t)in[0].whole, in[1].rows, in[2].rows, in[3].whole != 0, in[4].whole != 0,
                               in[6].rows, in[7].rows, in[8].whole != 0, &row);
    case B2D_LOGGED_JOINT_CREATE:
        return b2d_joint_create(world, (int32_t)in[0].whole, in[1].bits, (int32_t)in[2].whole, in[3].bits, in[4].rows,
                                &made);
    case B2D_LOGGED_JOINT_DESTROY: return destroy(b2d_joint_destroy, world, (int32_t)in[0].whole, in[1].bits);
    case B2D_LOGGED_JOINT_SET:
        return b2d_joint_set(world, (int32_t)in[0].whole, in[1].bits, (int32_t)in[2].whole, in[3].rows);
    case B2D_LOGGED_MATERIAL_PAIR: return b2d_world_set_material_pair(world, in[0].rows);
    default: return b2d_world_remove_material_pair(world, (int32_t)in[0].whole, (int32_t)in[1].whole, &found);
    }
}

static b2d_status repeat_call(b2d_world* world, answers* user, int32_t call, const b2d_logged_argument* in) {
    switch (call) {
    case B2D_LOGGED_CALLBACKS:
        return b2d_world_set_callback(world, answer, user, (uint32_t)in[0].bits, (int32_t)in[1].whole);
    case B2D_LOGGED_SHAPE_WIND:
    case B2D_LOGGED_SHAPE_CREATE:
    case B2D_LOGGED_SHAPE_DESTROY:
    case B2D_LOGGED_SHAPE_SET:
    case B2D_LOGGED_SHAPE_GEOMETRY:
    case B2D_LOGGED_SHAPE_FILTER:
    case B2D_LOGGED_CHAIN_CREATE:
    case B2D_LOGGED_CHAIN_DESTROY:
    case B2D_LOGGED_CHAIN_SET:
    case B2D_LOGGED_CHAIN_FILTER: return call_shape(world, call, (int32_t)in[0].whole, in[1].bits, in);
    case B2D_LOGGED_BODY_DESTROY:
    case B2D_LOGGED_BODY_SET:
    case B2D_LOGGED_BODY_FORCE:
    case B2D_LOGGED_BODY_TORQUE:
    case B2D_LOGGED_BODY_IMPULSE:
    case B2D_LOGGED_BODY_ANGULAR_IMPULSE:
    case B2D_LOGGED_BODY_TARGET:
    case B2D_LOGGED_BODY_UPDATE_MASS: return call_body(world, call, (int32_t)in[0].whole, in[1].bits, in);
    default: return call_world(world, call, in);
    }
}

static b2d_status repeat_step(b2d_world* world, answers* user, const b2d_logged_argument* in, b2d_replay* replay) {
    const b2d_status status = b2d_world_step(world, in[0].number, (int32_t)in[1].whole);
    if (status != B2D_OK && (status & 0xFF) != B2D_CALLBACK) return status;
    B2D_TRY(b2d_world_hash(world, &replay->hash));
    replay->steps++;
    user->equal = user->equal && user->at == user->end && replay->hash == in[2].bits;
    return B2D_OK;
}

static b2d_status repeat_all(b2d_world* world, const uint8_t* data, int64_t size, answers* user, b2d_replay* replay) {
    int64_t at = 0, first_answer = -1;
    while (at < size) {
        b2d_logged_argument in[B2D_LOGGED_ARGUMENTS];
        int32_t call;
        const int64_t used = b2d_log_read(data + at, size - at, &call, in);
        if (used == 0) return b2d_error(B2D_SNAPSHOT, B2D_ARG_NONE);
        b2d_status status = B2D_OK;
        if (call == B2D_LOGGED_ANSWER) {
            if (first_answer < 0) first_answer = at;
        } else if (call == B2D_LOGGED_STEP) {
            user->at = data + (first_answer < 0 ? at : first_answer);
            user->end = data + at;
            first_answer = -1;
            status = repeat_step(world, user, in, replay);
        } else {
            status = repeat_call(world, user, call, in);
        }
        if ((status & 0xFF) == B2D_NO_MEMORY || (status & 0xFF) == B2D_LOCKED) return status;
        user->equal = user->equal && status == B2D_OK; // a call that is refused was not made by the recorded world
        at += used;
    }
    return B2D_OK;
}

b2d_status b2d_world_replay(b2d_world* world, const uint8_t* data, int64_t size, b2d_replay* replay) {
    answers user = {.equal = true};
    replay->hash = 0;
    replay->steps = 0;
    B2D_TRY(b2d_world_set_callback(world, answer, &user, replay->calls, B2D_NONE));
    const b2d_status status = repeat_all(world, data, size, &user, replay);
    replay->calls = world->calls;
    replay->equal = user.equal;
    const b2d_status closed = b2d_world_set_callback(world, NULL, NULL, 0, B2D_NONE);
    return status != B2D_OK ? status : closed;
}
