// csrc/api/bodies.c - the API for many bodies in one call: all rows are checked before the first body is changed.
//
// A row is a body and its values. Rows take effect in order, exactly as calls for single bodies would: of two writes to
// one body the later one remains, and forces and impulses on one body add up. Only a lack of memory can occur in the
// middle of a call; then the rows before have taken effect.
#include "api/body.h"
#include "api/shape.h"
#include "objects/body.h"
#include "objects/shape.h"

#include <string.h>

static b2d_status check_many(const b2d_body_def* def, int32_t n, const double* positions, const double* angles,
                             const double* velocities) {
    if (n < 0) return b2d_error(B2D_OUT_OF_RANGE, B2D_ARG_POSITIONS);
    for (int32_t k = 0; k < n; k++) {
        B2D_TRY(b2d_check_vec(positions + 2 * (size_t)k, b2d_limit_position, B2D_ARG_POSITIONS));
        if (angles != NULL) B2D_TRY(b2d_check_range(angles[k], -b2d_limit_angle, b2d_limit_angle, B2D_ARG_ANGLES));
        if (velocities == NULL) continue;
        const double* v = velocities + 2 * (size_t)k;
        B2D_TRY(b2d_check_vec(v, b2d_limit_speed, B2D_ARG_LINEAR_VELOCITIES));
        if (def->type == B2D_STATIC && (v[0] != 0.0 || v[1] != 0.0))
            return b2d_error(B2D_NOT_ALLOWED, B2D_ARG_LINEAR_VELOCITIES);
    }
    return B2D_OK;
}

static b2d_status create_many(b2d_world* world, const b2d_body_def* def, const b2d_geometry* geometry,
                              const b2d_shape_def* shape, int32_t n, const double* positions, const double* angles,
                              const double* velocities, b2d_handle* out) {
    b2d_geometry checked = *geometry;
    B2D_TRY(b2d_geometry_check(&checked));
    B2D_TRY(b2d_check_body_def(def));
    B2D_TRY(b2d_check_shape_def(shape));
    B2D_TRY(check_many(def, n, positions, angles, velocities));
    if (n > (1 << 26)) return b2d_error(B2D_NO_MEMORY, B2D_ARG_NONE);
    // The lowest free ids are used first
    int32_t bodies = world->body_ids.count + n, shapes = world->shape_ids.count + n;
    if (!b2d_id_pool_reserve(&world->memory, &world->body_ids, bodies) || !b2d_world_reserve_bodies(world, bodies) ||
        !b2d_world_reserve_shapes(world, shapes))
        return b2d_error(B2D_NO_MEMORY, B2D_ARG_NONE);
    for (int32_t k = 0; k < n; k++) {
        b2d_body_def each = *def;
        each.x = positions[2 * (size_t)k];
        each.y = positions[2 * (size_t)k + 1];
        if (angles != NULL) each.angle = angles[k];
        if (velocities != NULL) {
            each.vx = velocities[2 * (size_t)k];
            each.vy = velocities[2 * (size_t)k + 1];
        }
        int32_t body = b2d_world_new_body(world, &each);
        if (body != B2D_NONE && b2d_world_new_shape(world, body, &checked, shape) != B2D_NONE) {
            out[k] = (b2d_handle){world->body_generations[body], body, B2D_KIND_BODY};
            continue;
        }
        if (body != B2D_NONE) b2d_world_drop_body(world, body);
        while (k-- > 0) b2d_world_drop_body(world, out[k].index);
        return b2d_error(B2D_NO_MEMORY, B2D_ARG_NONE);
    }
    return B2D_OK;
}

b2d_status b2d_bodies_create(b2d_world* world, const b2d_body_def* def, const b2d_geometry* geometry,
                             const b2d_shape_def* shape, int32_t n, const double* positions, const double* angles,
                             const double* velocities, b2d_handle* out) {
    B2D_TRY(b2d_open_write(world));
    const b2d_status status = create_many(world, def, geometry, shape, n, positions, angles, velocities, out);
    B2D_LOG(world, status, B2D_LOGGED_BODIES_CREATE, def, geometry, shape, n, positions, angles, velocities);
    return b2d_close_write(world, status);
}

// The first row whose body does not exist, or the number of rows. `generations` may be NULL.
static int32_t first_stale_row(const b2d_world* world, int32_t n, const int32_t* indices, const uint64_t* generations) {
    int32_t k = 0;
    if (generations == NULL)
        while (k < n && b2d_id_pool_has(&world->body_ids, indices[k])) k++;
    else
        while (k < n && b2d_body_alive(world, indices[k], generations[k])) k++;
    return k;
}

static b2d_status get_many(b2d_world* world, int32_t n, const int32_t* indices, const uint64_t* generations,
                           int32_t property, int32_t width, double* out, int32_t* row) {
    *row = first_stale_row(world, n, indices, generations);
    if (*row < n) return b2d_error(B2D_STALE_HANDLE, B2D_ARG_BODY);
    for (int32_t k = 0; k < n; k++)
        B2D_TRY(b2d_world_read_body_property(world, indices[k], property, out + (size_t)width * (size_t)k));
    return B2D_OK;
}

b2d_status b2d_bodies_get(b2d_world* world, int32_t n, const int32_t* indices, const uint64_t* generations,
                          int32_t property, double* out, int32_t* row) {
    int32_t width = b2d_body_property_width(property);
    if (width == 0) return b2d_error(B2D_OUT_OF_RANGE, B2D_ARG_OPTION);
    B2D_TRY(b2d_open_read(world));
    return b2d_close_read(world, get_many(world, n, indices, generations, property, width, out, row));
}

static b2d_status check_rows(b2d_world* world, int32_t n, const int32_t* indices, const uint64_t* generations,
                             int32_t property, const double* in, int32_t* row) {
    *row = first_stale_row(world, n, indices, generations);
    if (*row < n) return b2d_error(B2D_STALE_HANDLE, B2D_ARG_BODY);
    return b2d_world_check_body_rows(world, n, indices, property, in, row);
}

static b2d_status set_many(b2d_world* world, int32_t n, const int32_t* indices, const uint64_t* generations,
                           int32_t property, const double* in, int32_t* row) {
    B2D_TRY(check_rows(world, n, indices, generations, property, in, row));
    return b2d_world_write_body_rows(world, n, indices, property, in, row) ? B2D_OK
                                                                           : b2d_error(B2D_NO_MEMORY, B2D_ARG_NONE);
}

b2d_status b2d_bodies_set(b2d_world* world, int32_t n, const int32_t* indices, const uint64_t* generations,
                          int32_t property, const double* in, int32_t* row) {
    if (b2d_body_property_width(property) == 0) return b2d_error(B2D_OUT_OF_RANGE, B2D_ARG_OPTION);
    B2D_TRY(b2d_open_write(world));
    const b2d_status status = set_many(world, n, indices, generations, property, in, row);
    B2D_LOG(world, status, B2D_LOGGED_BODIES_SET, n, indices, generations, property, in);
    return b2d_close_write(world, status);
}

b2d_status b2d_bodies_check(b2d_world* world, int32_t n, const int32_t* indices, const uint64_t* generations,
                            int32_t property, const double* in, int32_t* row) {
    if (b2d_body_property_width(property) == 0) return b2d_error(B2D_OUT_OF_RANGE, B2D_ARG_OPTION);
    B2D_TRY(b2d_open_read(world));
    return b2d_close_read(world, check_rows(world, n, indices, generations, property, in, row));
}

// Writes the rows that differ from what their bodies have.
static b2d_status set_all(b2d_world* world, int32_t property, int32_t width, int32_t rows, const double* in,
                          int32_t* row) {
    if (!b2d_lease_scratch(world)) return b2d_error(B2D_NO_MEMORY, B2D_ARG_NONE);
    b2d_arena* arena = &world->scratch->arena;
    int32_t* changes = b2d_arena_take(arena, (size_t)(rows + 1) * sizeof *changes);
    if (changes == NULL) return b2d_error(B2D_NO_MEMORY, B2D_ARG_NONE);
    const int32_t count = b2d_world_list_changed_bodies(world, property, in, changes);
    const double* values = in;
    if (count < world->body_ids.limit) { // the rows of the others are left out
        const size_t row_bytes = (size_t)width * sizeof *values;
        uint8_t* packed = b2d_arena_take(arena, (size_t)(count + 1) * row_bytes);
        if (packed == NULL) return b2d_error(B2D_NO_MEMORY, B2D_ARG_NONE);
        values = (const double*)packed;
        for (int32_t k = 0; k < count; k++, packed += row_bytes) memcpy(packed, in + width * changes[k], row_bytes);
    }
    int32_t k;
    b2d_status status = b2d_world_check_body_rows(world, count, changes, property, values, &k);
    if (status == B2D_OK && !b2d_world_write_body_rows(world, count, changes, property, values, &k))
        status = b2d_error(B2D_NO_MEMORY, B2D_ARG_NONE);
    if (status != B2D_OK) *row = changes[k];
    return status;
}

b2d_status b2d_world_set_bodies(b2d_world* world, int32_t property, int32_t rows, const double* in, int32_t* row) {
    int32_t width = b2d_body_property_width(property);
    if (width == 0) return b2d_error(B2D_OUT_OF_RANGE, B2D_ARG_OPTION);
    B2D_TRY(b2d_open_write(world));
    *row = 0;
    if (rows < world->body_ids.limit) return b2d_close_write(world, b2d_error(B2D_BAD_COUNT, B2D_ARG_VALUE));
    const b2d_status status = set_all(world, property, width, rows, in, row);
    B2D_LOG(world, status, B2D_LOGGED_WORLD_SET_BODIES, rows, property, in);
    return b2d_close_write(world, status);
}

static b2d_status push_many(b2d_world* world, int32_t n, const int32_t* indices, const uint64_t* generations,
                            bool turning, bool impulse, const double* values, const double* points, bool wake,
                            int32_t* row) {
    *row = first_stale_row(world, n, indices, generations);
    if (*row < n) return b2d_error(B2D_STALE_HANDLE, B2D_ARG_BODY);
    return b2d_world_push_rows(world, n, indices, turning, impulse, values, points, wake, row);
}

b2d_status b2d_bodies_push(b2d_world* world, int32_t n, const int32_t* indices, const uint64_t* generations,
                           bool turning, bool impulse, const double* values, const double* points, bool wake,
                           int32_t* row) {
    B2D_TRY(b2d_open_write(world));
    const b2d_status status = push_many(world, n, indices, generations, turning, impulse, values, points, wake, row);
    B2D_LOG(world, status, B2D_LOGGED_BODIES_PUSH, n, indices, generations, turning, impulse, turning ? 1 : 2, values,
            points, wake);
    return b2d_close_write(world, status);
}

static b2d_status get_shapes(b2d_world* world, int32_t n, const int32_t* indices, const uint64_t* generations,
                             int32_t property, int32_t width, double* out, int32_t* row) {
    *row = first_stale_row(world, n, indices, generations);
    if (*row < n) return b2d_error(B2D_STALE_HANDLE, B2D_ARG_BODY);
    for (int32_t k = 0; k < n; k++) {
        const int32_t shape = world->graph.bodies[indices[k]].shape_head;
        double* values = out + (size_t)width * (size_t)k;
        for (int32_t i = 0; i < width; i++) values[i] = (double)NAN;
        if (shape != B2D_NONE) B2D_TRY(b2d_world_get_shape(world, shape, property, values));
    }
    return B2D_OK;
}

b2d_status b2d_bodies_get_shapes(b2d_world* world, int32_t n, const int32_t* indices, const uint64_t* generations,
                                 int32_t property, double* out, int32_t* row) {
    const int32_t width = b2d_shape_property_width(property);
    if (width == 0) return b2d_error(B2D_OUT_OF_RANGE, B2D_ARG_OPTION);
    B2D_TRY(b2d_open_read(world));
    return b2d_close_read(world, get_shapes(world, n, indices, generations, property, width, out, row));
}

static b2d_status set_shapes(b2d_world* world, int32_t n, const int32_t* indices, const uint64_t* generations,
                             int32_t property, int32_t width, const double* in, int32_t* row) {
    *row = first_stale_row(world, n, indices, generations);
    if (*row < n) return b2d_error(B2D_STALE_HANDLE, B2D_ARG_BODY);
    for (*row = 0; *row < n; ++*row) B2D_TRY(b2d_shape_check(property, in + (size_t)width * (size_t)*row));
    for (*row = 0; *row < n; ++*row)
        for (int32_t shape = world->graph.bodies[indices[*row]].shape_head; shape != B2D_NONE;
             shape = world->shapes[shape].next)
            B2D_TRY(b2d_world_set_shape(world, shape, property, in + (size_t)width * (size_t)*row));
    return B2D_OK;
}

b2d_status b2d_bodies_set_shapes(b2d_world* world, int32_t n, const int32_t* indices, const uint64_t* generations,
                                 int32_t property, const double* in, int32_t* row) {
    const int32_t width = b2d_shape_property_width(property);
    if (width == 0) return b2d_error(B2D_OUT_OF_RANGE, B2D_ARG_OPTION);
    B2D_TRY(b2d_open_write(world));
    b2d_status status = set_shapes(world, n, indices, generations, property, width, in, row);
    B2D_LOG(world, status, B2D_LOGGED_BODIES_SET_SHAPES, n, indices, generations, property, in);
    return b2d_close_write(world, status);
}
