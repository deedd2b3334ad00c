// csrc/page/page.c - what a web page calls: one world in an instance of the core, compiled for WebAssembly.
//
// Idea: JavaScript reads and writes the memory of the instance. Functions return numbers, or the address of rows that
// stay where they are until the next call; `count` then says how many there are. Everything that changes the world
// goes through the public API, so the log of calls has it, and a program can make it again.
// Threads: there are none. Proof: tests/golden/test_wasm.py.
#if defined(__wasm__)
#include "box2dpy.h"

#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

// The offsets that the script of the page reads
_Static_assert(sizeof(b2d_shape_data) == 104 && offsetof(b2d_shape_data, shape) == 8, "live.js");
_Static_assert(offsetof(b2d_shape_data, x) == 24 && offsetof(b2d_shape_data, y) == 56, "live.js");
_Static_assert(offsetof(b2d_shape_data, radius) == 88 && offsetof(b2d_shape_data, sensor) == 100, "live.js");
_Static_assert(sizeof(b2d_joint_data) == 176 && offsetof(b2d_joint_data, joint) == 152, "live.js");

#define EXPORT(name) __attribute__((export_name(#name)))

enum { LIVING = 4, AWAKE = 8, ENABLED = 16, MESSAGE = 512 }; // bits of the flags of a body; the two lowest: its type

typedef struct rows { // a buffer that only grows
    void* at;
    size_t size;
} rows;

static b2d_world* world;
static b2d_handle target, held; // of the drag: the fixed body, and the body that is pulled
static b2d_log log_found;
static b2d_replay replay;
static rows start, flag_rows, body_rows, list_rows, log_rows; // start: the snapshot
static size_t start_size;
static int32_t row_count;
static char message[MESSAGE];

static void* room_for(rows* r, size_t size) {
    if (size <= r->size) return r->at;
    free(r->at);
    r->at = malloc(size);
    r->size = r->at == NULL ? 0 : size;
    return r->at;
}

EXPORT(take) void* b2d_page_take(size_t size) { return malloc(size); }
EXPORT(give) void b2d_page_give(void* block) { free(block); }
EXPORT(message) const char* b2d_page_message(void) { return message; }
EXPORT(count) int32_t b2d_page_count(void) { return row_count; }

// ---- the world

static b2d_status load(void) {
    b2d_world_def def;
    b2d_world_def_init(&def);
    def.workers = 1;
    message[0] = 0;
    if (world != NULL) b2d_world_destroy(world);
    world = NULL;
    target = held = (b2d_handle){0};
    replay = (b2d_replay){.equal = true};
    return b2d_world_from_snapshot(start.at, (int64_t)start_size, &def, &world, message, MESSAGE);
}

// Opens a snapshot in place of the world that is open. After an error, `message` may say more.
EXPORT(open) b2d_status b2d_page_open(const uint8_t* data, size_t size) {
    if (room_for(&start, size + 1) == NULL) return B2D_NO_MEMORY;
    memcpy(start.at, data, size);
    start_size = size;
    return load();
}

// Back to what was opened. Not by b2d_world_restore: objects that are made after it get other generations than before,
// and a log would not fit the snapshot.
EXPORT(reset) b2d_status b2d_page_reset(void) { return load(); }

EXPORT(step) b2d_status b2d_page_step(double dt, int32_t substeps) { return b2d_world_step(world, dt, substeps); }

EXPORT(hash) uint64_t b2d_page_hash(void) {
    uint64_t hash = 0;
    return b2d_world_hash(world, &hash) == B2D_OK ? hash : 0;
}

EXPORT(bounds) const double* b2d_page_bounds(void) {
    static double box[4];
    return b2d_world_bounds(world, box) == B2D_OK ? box : NULL;
}

// ---- pictures

// Rows of 32 bytes by body: x, y, cosine, sine
EXPORT(poses) const void* b2d_page_poses(void) {
    b2d_table table;
    if (b2d_world_table(world, B2D_TABLE_POSE, &table) != B2D_OK) return NULL;
    row_count = table.count;
    return table.data;
}

// A byte by body
EXPORT(flags) const uint8_t* b2d_page_flags(void) {
    int32_t count = 0;
    if (b2d_world_bodies(world, NULL, 0, &count) != B2D_OK) return NULL;
    b2d_body_data* bodies = room_for(&body_rows, (size_t)(count + 1) * sizeof *bodies);
    uint8_t* flags = room_for(&flag_rows, (size_t)count + 1);
    if (bodies == NULL || flags == NULL || b2d_world_bodies(world, bodies, count, &count) != B2D_OK) return NULL;
    for (int32_t k = 0; k < count; k++)
        flags[k] = bodies[k].type < 0 ? 0
                                      : (uint8_t)(bodies[k].type | LIVING | (bodies[k].awake ? AWAKE : 0) |
                                                  (bodies[k].enabled ? ENABLED : 0));
    row_count = count;
    return flags;
}

EXPORT(shapes) const b2d_shape_data* b2d_page_shapes(void) {
    int32_t count = 0;
    if (b2d_world_shapes(world, NULL, 0, &count) != B2D_OK) return NULL;
    b2d_shape_data* out = room_for(&list_rows, (size_t)(count + 1) * sizeof *out);
    if (out == NULL || b2d_world_shapes(world, out, count, &row_count) != B2D_OK) return NULL;
    return out;
}

EXPORT(joints) const b2d_joint_data* b2d_page_joints(void) {
    int32_t count = 0;
    if (b2d_world_joints(world, NULL, 0, &count) != B2D_OK) return NULL;
    b2d_joint_data* out = room_for(&list_rows, (size_t)(count + 1) * sizeof *out);
    if (out == NULL || b2d_world_joints(world, out, count, &row_count) != B2D_OK) return NULL;
    return out;
}

// A number that changes with the shapes, and one that changes with the joints
EXPORT(shape_changes) uint32_t b2d_page_shape_changes(void) {
    uint32_t changes = 0;
    return b2d_world_shape_changes(world, &changes) == B2D_OK ? changes : 0;
}

EXPORT(joint_changes) uint32_t b2d_page_joint_changes(void) {
    int32_t count = 0;
    const uint64_t* generations = b2d_world_generations(world, B2D_KIND_JOINT, &count);
    uint64_t fold = 14695981039346656037ull;
    for (int32_t k = 0; k < count; k++) fold = (fold ^ generations[k]) * 1099511628211ull;
    return (uint32_t)(fold ^ fold >> 32);
}

// ---- logs

EXPORT(log_start) b2d_status b2d_page_log_start(void) { return b2d_world_log_start(world); }

// The log since the last call; `count` is its bytes. `log_lacks`: something happened that no log can hold.
EXPORT(log_take) const uint8_t* b2d_page_log_take(void) {
    row_count = 0;
    if (b2d_world_log_take(world, log_rows.at, (int64_t)log_rows.size, &log_found) != B2D_OK) return NULL;
    if ((size_t)log_found.size > log_rows.size) {
        if (room_for(&log_rows, 2 * (size_t)log_found.size) == NULL ||
            b2d_world_log_take(world, log_rows.at, (int64_t)log_rows.size, &log_found) != B2D_OK)
            return NULL;
    }
    row_count = log_found.steps > 0 || log_found.incomplete ? (int32_t)log_found.size : 0;
    return log_rows.at;
}

EXPORT(log_lacks) bool b2d_page_log_lacks(void) { return log_found.incomplete; }

// Makes the calls of a part of a log again, up to the end of a step. `equal`: all parts so far gave what the log says.
EXPORT(replay) b2d_status b2d_page_replay(const uint8_t* data, int32_t size) {
    const bool before = replay.equal;
    const b2d_status status = b2d_world_replay(world, data, size, &replay);
    replay.equal = replay.equal && before;
    return status;
}

EXPORT(equal) bool b2d_page_equal(void) { return replay.equal; }

// ---- what the visitor does

static uint64_t generation_of(int32_t body) {
    int32_t count = 0;
    const uint64_t* generations = b2d_world_generations(world, B2D_KIND_BODY, &count);
    return body >= 0 && body < count ? generations[body] : 0;
}

static bool is_dynamic(int32_t body) {
    double type = 0.0;
    return b2d_body_get(world, body, generation_of(body), B2D_BODY_TYPE, &type) == B2D_OK && type == B2D_DYNAMIC;
}

// The dynamic body of the first shape that contains the point, or else of the first within reach; as MouseDrag
static int32_t body_at(const double point[2], double reach) {
    const b2d_geometry circle = {.type = B2D_CIRCLE, .count = 1, .radius = (float)reach};
    const b2d_query_filter* all = &b2d_query_all;
    const double turn = 0.0;
    for (int32_t part = 0; part < (reach > 0.0 ? 2 : 1); part++) {
        int32_t count = 0;
        for (int32_t room = 64;;) {
            b2d_query_overlap* out = room_for(&list_rows, (size_t)room * sizeof *out);
            if (out == NULL) return -1;
            const b2d_status status = part == 0 ? b2d_world_overlap_points(world, 1, point, all, out, room, &count)
                                                : b2d_world_overlap_shapes(world, &circle, 1, point, &turn, all, out,
                                                                           room, &count);
            if (status != B2D_OK) return -1;
            for (int32_t k = 0; count <= room && k < count; k++)
                if (is_dynamic(out[k].body)) return out[k].body;
            if (count <= room) break;
            room = count;
        }
    }
    return -1;
}

EXPORT(release) void b2d_page_release(void) {
    b2d_handle gone[4];
    int32_t count;
    if (target.generation != 0) (void)b2d_body_destroy(world, target.index, target.generation, gone, 4, &count);
    target = held = (b2d_handle){0};
}

// Whether `grab` would find a body
EXPORT(hits) bool b2d_page_hits(double x, double y, double reach) {
    const double point[2] = {x, y};
    return body_at(point, reach) >= 0;
}

// Holds the dynamic body at a point; returns its index, or -1. max_force: in weights of the body
EXPORT(grab)
int32_t b2d_page_grab(double x, double y, double reach, double hertz, double damping_ratio, double max_force) {
    const double point[2] = {x, y};
    b2d_page_release();
    const int32_t body = body_at(point, reach);
    if (body < 0) return -1;
    const uint64_t generation = generation_of(body);
    double place[2], rotation[2], mass, gx, gy;
    if (b2d_body_get(world, body, generation, B2D_BODY_POSITION, place) != B2D_OK ||
        b2d_body_get(world, body, generation, B2D_BODY_ROTATION, rotation) != B2D_OK ||
        b2d_body_get(world, body, generation, B2D_BODY_MASS, &mass) != B2D_OK ||
        b2d_world_get_option(world, B2D_OPTION_GRAVITY_X, &gx) != B2D_OK ||
        b2d_world_get_option(world, B2D_OPTION_GRAVITY_Y, &gy) != B2D_OK ||
        b2d_body_create_at(world, B2D_STATIC, x, y, 0.0, &target) != B2D_OK)
        return -1;
    const double dx = x - place[0], dy = y - place[1], gravity = hypot(gx, gy);
    b2d_joint_def def;
    b2d_joint_def_init(&def, B2D_MOTOR);
    def.bx = rotation[0] * dx + rotation[1] * dy, def.by = rotation[0] * dy - rotation[1] * dx;
    def.value[B2D_JOINT_LINEAR_HERTZ][0] = hertz;
    def.value[B2D_JOINT_LINEAR_DAMPING_RATIO][0] = damping_ratio;
    def.value[B2D_JOINT_MAX_SPRING_FORCE][0] = max_force * mass * (gravity > 0.0 ? gravity : 10.0);
    def.value[B2D_JOINT_COLLIDE_CONNECTED][0] = 1.0;
    b2d_handle joint;
    if (b2d_joint_create(world, target.index, target.generation, body, generation, &def, &joint) != B2D_OK) {
        b2d_page_release();
        return -1;
    }
    held = (b2d_handle){generation, body, B2D_KIND_BODY};
    return body;
}

EXPORT(drag) void b2d_page_drag(double x, double y) {
    const double point[2] = {x, y}, on = 1.0;
    if (target.generation == 0) return;
    (void)b2d_body_set(world, target.index, target.generation, B2D_BODY_POSITION, point);
    (void)b2d_body_set(world, held.index, held.generation, B2D_BODY_AWAKE, &on);
}

// A box that flies from a point
EXPORT(throw) b2d_status b2d_page_throw(double x, double y, double vx, double vy, double half) {
    b2d_body_def body;
    b2d_body_def_init(&body);
    body.type = B2D_DYNAMIC, body.x = x, body.y = y, body.vx = vx, body.vy = vy;
    b2d_shape_def shape;
    b2d_shape_def_init(&shape);
    b2d_geometry box;
    b2d_handle made, of_shape;
    b2d_status status = b2d_make_box(half, half, 0.0, 0.0, 0.0, 0.0, &box);
    if (status == B2D_OK) status = b2d_body_create(world, &body, &made);
    return status == B2D_OK ? b2d_shape_create(world, made.index, made.generation, &box, &shape, &of_shape) : status;
}
#endif
