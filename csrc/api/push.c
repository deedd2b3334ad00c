// csrc/api/push.c - forces, torques and impulses on bodies, one by one and in rows.
#include "api/body.h"
#include "objects/body.h"

// A force, torque, impulse or angular impulse on a dynamic body. Without `wake` it has no effect on a sleeping body.
typedef struct b2d_push {
    double force[2], torque; // N and N m, or N s and N m s
    double point[2];         // where the force acts, in world coordinates
    bool at_point;           // the force acts at `point`, otherwise at the centre of mass
    bool turning;            // the push is a torque; errors name the argument accordingly
    bool impulse;            // changes the velocity immediately, instead of the sums for the next step
    bool wake;
} b2d_push;

B2D_ALWAYS_INLINE double torque_of(b2d_world* world, int32_t index, const b2d_push* push) {
    if (!push->at_point) return push->torque;
    const b2d_pose* pose = b2d_world_pose(world, index);
    b2d_vec2 center = b2d_pose_center(pose);
    double rx = push->point[0] - (pose->x + (double)center.x), ry = push->point[1] - (pose->y + (double)center.y);
    return push->torque + rx * push->force[1] - ry * push->force[0];
}

// The sums of forces, or the velocities, after the push: x, y and the rotational part.
B2D_ALWAYS_INLINE void sums_after(b2d_world* world, int32_t index, const b2d_push* push, double out[3]) {
    const b2d_body_state* state = b2d_world_state(world, index);
    const b2d_body_mass* mass = &world->masses[index];
    double torque = torque_of(world, index, push);
    out[0] = push->impulse ? state->vx + push->force[0] * (double)state->inverse_mass : mass->force_x + push->force[0];
    out[1] = push->impulse ? state->vy + push->force[1] * (double)state->inverse_mass : mass->force_y + push->force[1];
    out[2] = push->impulse ? state->w + torque * (double)state->inverse_inertia : mass->torque + torque;
}

B2D_ALWAYS_INLINE b2d_status check_push(b2d_world* world, int32_t index, const b2d_push* push) {
    int32_t argument = push->impulse ? B2D_ARG_IMPULSE : push->turning ? B2D_ARG_TORQUE : B2D_ARG_FORCE;
    B2D_TRY(b2d_check_vec(push->force, b2d_limit_force, argument));
    B2D_TRY(b2d_check_range(push->torque, -b2d_limit_force, b2d_limit_force, argument));
    if (push->at_point) B2D_TRY(b2d_check_vec(push->point, b2d_limit_position, B2D_ARG_POINT));
    if (!b2d_moves(&world->graph, index)) return b2d_error(B2D_NOT_ALLOWED, argument);
    double limit = push->impulse ? b2d_limit_speed : b2d_limit_force, sums[3];
    sums_after(world, index, push, sums);
    B2D_TRY(b2d_check_vec(sums, limit, argument));
    return b2d_check_range(sums[2], -limit, limit, argument);
}

// Clamps the sum of many pushes to the range that each of them was checked against.
static float clamped(double sum, double limit) { return (float)(sum < -limit ? -limit : sum > limit ? limit : sum); }

B2D_ALWAYS_INLINE bool apply_push(b2d_world* world, int32_t index, const b2d_push* push) {
    if (!b2d_is_awake(&world->graph, index) && !push->wake) return true;
    double limit = push->impulse ? b2d_limit_speed : b2d_limit_force, sums[3];
    sums_after(world, index, push, sums);
    if (push->wake && !b2d_world_wake_body(world, index)) return false;
    float x = clamped(sums[0], limit), y = clamped(sums[1], limit), turning = clamped(sums[2], limit);
    if (push->impulse) {
        b2d_body_state* state = b2d_world_state(world, index);
        state->vx = x, state->vy = y, state->w = turning;
        b2d_world_apply_locks(world, index);
    } else {
        b2d_body_mass* mass = &world->masses[index];
        mass->force_x = x, mass->force_y = y, mass->torque = turning;
    }
    return true;
}

static b2d_status apply(b2d_world* world, int32_t index, uint64_t generation, const b2d_push* push) {
    B2D_TRY(b2d_find_body(world, index, generation));
    B2D_TRY(check_push(world, index, push));
    return b2d_status_of_memory(apply_push(world, index, push));
}

B2D_ALWAYS_INLINE b2d_push push_of(b2d_push kind, const double* values, const double* points, int32_t row) {
    const size_t k = (size_t)row;
    if (kind.turning) kind.torque = values[k];
    else kind.force[0] = values[2 * k], kind.force[1] = values[2 * k + 1];
    if (kind.at_point) kind.point[0] = points[2 * k], kind.point[1] = points[2 * k + 1];
    return kind;
}

B2D_ALWAYS_INLINE b2d_status push_rows(b2d_world* world, int32_t n, const int32_t* indices, b2d_push kind,
                                       const double* values, const double* points, int32_t* row) {
    for (*row = 0; *row < n; ++*row) {
        const b2d_push push = push_of(kind, values, points, *row);
        B2D_TRY(check_push(world, indices[*row], &push));
    }
    for (*row = 0; *row < n; ++*row) {
        const b2d_push push = push_of(kind, values, points, *row);
        if (!apply_push(world, indices[*row], &push)) return b2d_error(B2D_NO_MEMORY, B2D_ARG_NONE);
    }
    return B2D_OK;
}

b2d_status b2d_world_push_rows(b2d_world* world, int32_t n, const int32_t* indices, bool turning, bool impulse,
                               const double* values, const double* points, bool wake, int32_t* row) {
    // Each loop makes one kind of push
#define PUSH_ROWS(...) push_rows(world, n, indices, (b2d_push){.wake = wake, __VA_ARGS__}, values, points, row)
    if (turning) return impulse ? PUSH_ROWS(.turning = true, .impulse = true) : PUSH_ROWS(.turning = true);
    if (points != NULL) return impulse ? PUSH_ROWS(.at_point = true, .impulse = true) : PUSH_ROWS(.at_point = true);
    return impulse ? PUSH_ROWS(.impulse = true) : PUSH_ROWS(.impulse = false);
#undef PUSH_ROWS
}

static bool push_of_all(const double* forces, const double* torques, int32_t row, b2d_push* push) {
    const double x = forces[2 * (size_t)row], y = forces[2 * (size_t)row + 1], torque = torques[row];
    *push = (b2d_push){.force = {x, y}, .torque = torque, .turning = x == 0.0 && y == 0.0, .wake = true};
    return x != 0.0 || y != 0.0 || torque != 0.0;
}

b2d_status b2d_world_push_all(b2d_world* world, int32_t rows, const double* forces, const double* torques,
                              int32_t* row) {
    b2d_push push;
    for (*row = 0; *row < rows; ++*row) {
        if (!push_of_all(forces, torques, *row, &push)) continue;
        if (!b2d_id_pool_has(&world->body_ids, *row)) return b2d_error(B2D_STALE_HANDLE, B2D_ARG_BODY);
        B2D_TRY(check_push(world, *row, &push));
    }
    for (*row = 0; *row < rows; ++*row) {
        if (!push_of_all(forces, torques, *row, &push)) continue;
        // Another thread may have written since
        if (!b2d_id_pool_has(&world->body_ids, *row)) return b2d_error(B2D_STALE_HANDLE, B2D_ARG_BODY);
        B2D_TRY(check_push(world, *row, &push));
        if (!apply_push(world, *row, &push)) return b2d_error(B2D_NO_MEMORY, B2D_ARG_NONE);
    }
    return B2D_OK;
}

b2d_status b2d_body_apply_force(b2d_world* world, int32_t index, uint64_t generation, double fx, double fy,
                                bool at_point, double px, double py, bool wake) {
    b2d_push push = {.force = {fx, fy}, .point = {px, py}, .at_point = at_point, .wake = wake};
    B2D_TRY(b2d_open_write(world));
    const b2d_status status = apply(world, index, generation, &push);
    B2D_LOG(world, status, B2D_LOGGED_BODY_FORCE, index, generation, fx, fy, at_point, px, py, wake);
    return b2d_close_write(world, status);
}

b2d_status b2d_body_apply_torque(b2d_world* world, int32_t index, uint64_t generation, double torque, bool wake) {
    b2d_push push = {.torque = torque, .turning = true, .wake = wake};
    B2D_TRY(b2d_open_write(world));
    const b2d_status status = apply(world, index, generation, &push);
    B2D_LOG(world, status, B2D_LOGGED_BODY_TORQUE, index, generation, torque, wake);
    return b2d_close_write(world, status);
}

b2d_status b2d_body_apply_impulse(b2d_world* world, int32_t index, uint64_t generation, double jx, double jy,
                                  bool at_point, double px, double py, bool wake) {
    b2d_push push = {.force = {jx, jy}, .point = {px, py}, .at_point = at_point, .impulse = true, .wake = wake};
    B2D_TRY(b2d_open_write(world));
    const b2d_status status = apply(world, index, generation, &push);
    B2D_LOG(world, status, B2D_LOGGED_BODY_IMPULSE, index, generation, jx, jy, at_point, px, py, wake);
    return b2d_close_write(world, status);
}

b2d_status b2d_body_apply_angular_impulse(b2d_world* world, int32_t index, uint64_t generation, double impulse,
                                          bool wake) {
    b2d_push push = {.torque = impulse, .turning = true, .impulse = true, .wake = wake};
    B2D_TRY(b2d_open_write(world));
    const b2d_status status = apply(world, index, generation, &push);
    B2D_LOG(world, status, B2D_LOGGED_BODY_ANGULAR_IMPULSE, index, generation, impulse, wake);
    return b2d_close_write(world, status);
}
