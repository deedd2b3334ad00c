// csrc/api/staged.c - the API of the staged step: a step in parts, with the user's edits between them.
//
// Idea: the parts are those of step/step.h, so a staged step without edits is a step. The writer's lock stays held from
// begin to finish. Between two parts `calling` names the thread of the last one, which may therefore read, as in a
// callback; a part takes it away while it runs, so that two parts never run at once.
// Edits are checked before the first of them is applied. A contact with another material is handled as after
// on_presolve; a disabled one loses its points for the step, and the next step computes them afresh.
// Proof: tests/api/test_staged_step.py, tests/physics/test_added_contacts.py.
#include "api/entry.h"
#include "objects/body.h"
#include "objects/contact.h"
#include "objects/material.h"
#include "objects/repair.h"
#include "objects/scratch.h"
#include "solver/added_contacts.h"
#include "step/step.h"

#include <stdlib.h>
#include <string.h>

enum { BEGUN, COLLIDED, PREPARED };

typedef struct b2d_staged_step {
    b2d_step_run run;
    b2d_added_contacts added;
    int32_t stage;  // the last part that is over
    int32_t halves; // of substeps, that are over
} b2d_staged_step;

// Of world->staged_state. A part that runs may be around a callback, which must not begin another part.
enum { NO_STAGED_STEP, BETWEEN_PARTS, IN_A_PART };

// Begins a part, or a read of the step. B2D_LOCKED: there is no staged step, another thread has it, or a part runs.
static b2d_status enter(b2d_world* world, bool any_thread, b2d_staged_step** out) {
    if (world == NULL) return b2d_error(B2D_STALE_HANDLE, B2D_ARG_WORLD);
    int32_t free_step = BETWEEN_PARTS;
    if ((!any_thread && atomic_load(&world->calling) != b2d_this_thread()) ||
        !atomic_compare_exchange_strong(&world->staged_state, &free_step, IN_A_PART))
        return b2d_error(B2D_LOCKED, B2D_ARG_WORLD);
    atomic_store(&world->calling, NULL);
    world->caller_float = b2d_float_enter();
    *out = world->staged;
    return B2D_OK;
}

static b2d_status leave(b2d_world* world, b2d_status status) {
    b2d_float_leave(world->caller_float);
    b2d_publish_tables(world);
    atomic_store(&world->calling, b2d_this_thread());
    atomic_store(&world->staged_state, BETWEEN_PARTS);
    return status;
}

b2d_status b2d_staged_begin(b2d_world* world, double dt, int32_t substeps) {
    B2D_TRY(b2d_check_step(dt, substeps));
    B2D_TRY(b2d_open_write(world));
    b2d_staged_step* step = b2d_allocate(&world->memory, sizeof *step);
    if (step == NULL || (world->repair && !b2d_world_repair(world)) || !b2d_lease_scratch(world)) {
        b2d_free(&world->memory, step, sizeof *step);
        return b2d_close_write(world, b2d_error(B2D_NO_MEMORY, B2D_ARG_NONE));
    }
    world->staged = step;
    world->stepping = true;
    b2d_step_begin(world, &step->run, (float)dt, substeps);
    return leave(world, B2D_OK);
}

static void collide(b2d_world* world) {
    b2d_step_run* run = &world->staged->run;
    b2d_step_collide(world, run);
    b2d_step_join_split(world, run); // the user may look at the islands
    world->staged->stage = COLLIDED;
}

b2d_status b2d_staged_collide(b2d_world* world) {
    b2d_staged_step* step;
    B2D_TRY(enter(world, false, &step));
    if (step->stage != BEGUN) return leave(world, b2d_error(B2D_NOT_ALLOWED, B2D_ARG_NONE));
    collide(world);
    return leave(world, B2D_OK);
}

b2d_status b2d_staged_contacts(b2d_world* world, b2d_contact_data* out, int32_t room, int32_t* count) {
    b2d_staged_step* step;
    B2D_TRY(enter(world, false, &step));
    if (step->stage != COLLIDED) return leave(world, b2d_error(B2D_NOT_ALLOWED, B2D_ARG_NONE));
    *count = 0;
    B2D_FOR_BITS (&world->graph.in_lanes, id) {
        b2d_contact_record record;
        b2d_contact_record_read(&world->graph, id, &record);
        if (*count < room) out[*count] = b2d_world_describe_contact(world, id, &record);
        ++*count;
    }
    return leave(world, B2D_OK);
}

// Checks

static b2d_status check_edit(const b2d_world* world, const b2d_contact_edit* edit) {
    if (!b2d_contact_alive(world, edit->contact, edit->generation) ||
        world->graph.pairs[edit->contact].lane_index == B2D_NONE)
        return b2d_error(B2D_STALE_HANDLE, B2D_ARG_CONTACT);
    B2D_TRY(b2d_check_range(edit->friction, 0.0, 3.0e38, B2D_ARG_FRICTION));
    B2D_TRY(b2d_check_range(edit->restitution, 0.0, 1.0e6, B2D_ARG_RESTITUTION));
    return b2d_check_range(edit->tangent_speed, -1.0e9, 1.0e9, B2D_ARG_TANGENT_SPEED);
}

static b2d_status check_added(const b2d_world* world, const b2d_added_contact* row) {
    const double point[2] = {row->px, row->py};
    const int32_t bodies[2] = {row->body_a, row->body_b};
    for (int32_t side = 0; side < 2; side++)
        if (bodies[side] != B2D_NONE && !b2d_id_pool_has(&world->body_ids, bodies[side]))
            return b2d_error(B2D_STALE_HANDLE, side ? B2D_ARG_BODY_B : B2D_ARG_BODY_A);
    if (bodies[0] == bodies[1]) return b2d_error(B2D_NOT_ALLOWED, B2D_ARG_BODY_B);
    B2D_TRY(b2d_check_vec(point, b2d_limit_position, B2D_ARG_POINT));
    const double length = (double)row->normal_x * row->normal_x + (double)row->normal_y * row->normal_y;
    B2D_TRY(b2d_check_range(length, 0.99, 1.01, B2D_ARG_NORMAL));
    B2D_TRY(b2d_check_range(row->separation, -1.0e6, 1.0e6, B2D_ARG_SEPARATION));
    B2D_TRY(b2d_check_range(row->friction, 0.0, 1.0e30, B2D_ARG_FRICTION));
    B2D_TRY(b2d_check_range(row->restitution, 0.0, 1.0e6, B2D_ARG_RESTITUTION));
    B2D_TRY(b2d_check_range(row->rolling_resistance, 0.0, 1.0e6, B2D_ARG_ROLLING_RESISTANCE));
    B2D_TRY(b2d_check_range(row->tangent_speed, -1.0e9, 1.0e9, B2D_ARG_TANGENT_SPEED));
    B2D_TRY(b2d_check_range(row->radius_a, 0.0, 1.0e6, B2D_ARG_RADIUS));
    B2D_TRY(b2d_check_range(row->radius_b, 0.0, 1.0e6, B2D_ARG_RADIUS));
    B2D_TRY(b2d_check_range(row->normal_impulse, 0.0, 1.0e30, B2D_ARG_IMPULSE));
    B2D_TRY(b2d_check_range(row->tangent_impulse, -1.0e30, 1.0e30, B2D_ARG_IMPULSE));
    return b2d_check_range(row->rolling_impulse, -1.0e30, 1.0e30, B2D_ARG_IMPULSE);
}

static b2d_status check_all_added(const b2d_world* world, int32_t n, const b2d_added_contact* added, int32_t* row) {
    for (*row = 0; *row < n; ++*row) B2D_TRY(check_added(world, &added[*row]));
    return B2D_OK;
}

b2d_status b2d_staged_check(b2d_world* world, int32_t n, const b2d_added_contact* added, int32_t* row) {
    b2d_staged_step* step;
    B2D_TRY(enter(world, false, &step));
    if (step->stage == PREPARED) return leave(world, b2d_error(B2D_NOT_ALLOWED, B2D_ARG_NONE));
    return leave(world, check_all_added(world, n, added, row));
}

// Edits. All memory is taken before the first change.

static bool reserve_edits(b2d_world* world, int32_t edits, int32_t n) {
    b2d_staged_step* step = world->staged;
    b2d_overrides* overrides = &world->overrides;
    step->added.rows = b2d_arena_take(&world->scratch->arena, (size_t)(n + 1) * sizeof *step->added.rows);
    return step->added.rows != NULL &&
           B2D_GROW(&world->memory, overrides->rows, overrides->capacity, overrides->count + edits) &&
           B2D_GROW(&world->memory, world->disabled, world->disabled_capacity, edits);
}

static void disable(b2d_world* world, int32_t contact) {
    b2d_graph* graph = &world->graph;
    const b2d_pair* pair = &graph->pairs[contact];
    b2d_contact_record record;
    b2d_contact_record_read(graph, contact, &record);
    for (int32_t j = 0; j < 2; j++) {
        record.point[j].initial_separation = B2D_DEAD_POINT;
        record.point[j].normal_impulse = record.point[j].tangent_impulse = 0.0f;
    }
    record.rolling_impulse = 0.0f;
    b2d_contact_record_write(graph, contact, &record);
    b2d_contact_refresh(graph, contact);
    world->disabled[world->disabled_count++] = b2d_pair_key(pair->shape_a, pair->shape_b);
}

static int compare_keys(const void* a, const void* b) {
    const uint64_t x = *(const uint64_t*)a, y = *(const uint64_t*)b;
    return (x > y) - (x < y);
}

static void apply_edits(b2d_world* world, int32_t edits, const b2d_contact_edit* edit) {
    b2d_overrides* overrides = &world->overrides;
    for (int32_t k = 0; k < edits; k++)
        overrides->rows[overrides->count++] = (b2d_override){edit[k].generation, edit[k].contact,
                                                             (float)edit[k].friction, (float)edit[k].restitution,
                                                             (float)edit[k].tangent_speed};
    if (edits > 0) b2d_world_override_materials(world, true);
    for (int32_t k = 0; k < edits; k++)
        if (!edit[k].enabled) disable(world, edit[k].contact);
    if (world->disabled_count > 1)
        qsort(world->disabled, (size_t)world->disabled_count, sizeof *world->disabled, compare_keys);
}

static bool is_awake(const b2d_world* world, int32_t body) {
    return body != B2D_NONE && b2d_moves(&world->graph, body) && b2d_is_awake(&world->graph, body);
}

static void add_contacts(b2d_world* world, int32_t n, const b2d_added_contact* added) {
    b2d_staged_step* step = world->staged;
    if (n == 0) return;
    memcpy(step->added.rows, added, (size_t)n * sizeof *added);
    step->added.row_count = n;
    step->run.solver.added_contacts = &step->added;
    for (int32_t k = 0; k < n; k++) {
        const int32_t a = added[k].body_a, b = added[k].body_b;
        if (is_awake(world, a) == is_awake(world, b)) continue;
        if ((a != B2D_NONE && !b2d_world_wake_moving(world, a)) || (b != B2D_NONE && !b2d_world_wake_moving(world, b)))
            world->step_failed = true;
    }
    b2d_world_flush_sleep_changes(world);
}

static void prepare(b2d_world* world) {
    b2d_staged_step* step = world->staged;
    b2d_step_prepare(world, &step->run);
    step->stage = PREPARED;
}

b2d_status b2d_staged_prepare(b2d_world* world, int32_t edits, const b2d_contact_edit* edit, int32_t n,
                              const b2d_added_contact* added, int32_t* row) {
    b2d_staged_step* step;
    if (edits < 0 || n < 0) return b2d_error(B2D_BAD_COUNT, B2D_ARG_VALUE);
    B2D_TRY(enter(world, false, &step));
    if (step->stage != COLLIDED) return leave(world, b2d_error(B2D_NOT_ALLOWED, B2D_ARG_NONE));
    b2d_status status = B2D_OK;
    for (*row = 0; *row < edits && status == B2D_OK; *row += status == B2D_OK) status = check_edit(world, &edit[*row]);
    if (status == B2D_OK) status = check_all_added(world, n, added, row);
    if (status == B2D_OK && !reserve_edits(world, edits, n)) status = b2d_error(B2D_NO_MEMORY, B2D_ARG_NONE);
    if (status != B2D_OK) return leave(world, status);
    apply_edits(world, edits, edit);
    add_contacts(world, n, added);
    prepare(world);
    return leave(world, B2D_OK);
}

// Substeps

static int32_t halves_left(const b2d_staged_step* step) {
    return step->run.advances ? 2 * step->run.substeps - step->halves : 0;
}

b2d_status b2d_staged_advance(b2d_world* world, int32_t* left) {
    b2d_staged_step* step;
    B2D_TRY(enter(world, false, &step));
    if (step->stage != PREPARED) return leave(world, b2d_error(B2D_NOT_ALLOWED, B2D_ARG_NONE));
    if (halves_left(step) > 0) {
        b2d_step_substeps(world, &step->run, step->halves, step->halves + 1);
        step->halves++;
    }
    *left = halves_left(step);
    return leave(world, B2D_OK);
}

b2d_status b2d_staged_added(b2d_world* world, b2d_added_contact* out, int32_t room, int32_t* count) {
    b2d_staged_step* step;
    B2D_TRY(enter(world, false, &step));
    if (step->stage != PREPARED) return leave(world, b2d_error(B2D_NOT_ALLOWED, B2D_ARG_NONE));
    *count = step->added.row_count;
    if (*count > 0 && *count <= room) {
        if (step->run.advances) b2d_added_contacts_read(&step->added);
        memcpy(out, step->added.rows, (size_t)*count * sizeof *out);
    }
    return leave(world, B2D_OK);
}

static int32_t bodies_in(const b2d_world* world, int32_t rows) { return b2d_min_int(rows, world->body_ids.limit); }

b2d_status b2d_staged_get_velocities(b2d_world* world, float* out, int32_t rows) {
    b2d_staged_step* step;
    if (rows < 0) return b2d_error(B2D_BAD_COUNT, B2D_ARG_VALUE);
    B2D_TRY(enter(world, false, &step));
    for (int32_t k = 0; k < 3 * rows; k++) out[k] = 0.0f; // no memset: without rows the array may be NULL
    for (int32_t id = 0; id < bodies_in(world, rows); id++)
        if (b2d_is_awake(&world->graph, id)) memcpy(out + 3 * id, &b2d_world_state(world, id)->vx, 3 * sizeof *out);
    return leave(world, B2D_OK);
}

static bool is_edited(b2d_world* world, int32_t id, const float* v) {
    if (id < world->body_ids.limit && b2d_is_awake(&world->graph, id))
        return memcmp(&b2d_world_state(world, id)->vx, v, 3 * sizeof *v) != 0;
    return v[0] != 0.0f || v[1] != 0.0f || v[2] != 0.0f;
}

static b2d_status check_velocity(b2d_world* world, int32_t id, const float* v) {
    if (!is_edited(world, id, v)) return B2D_OK;
    if (id >= world->body_ids.limit || !b2d_is_awake(&world->graph, id))
        return b2d_error(B2D_NOT_ALLOWED, B2D_ARG_LINEAR_VELOCITY);
    const double linear[2] = {v[0], v[1]};
    B2D_TRY(b2d_check_vec(linear, b2d_limit_speed, B2D_ARG_LINEAR_VELOCITY));
    return b2d_check_range(v[2], -b2d_limit_speed, b2d_limit_speed, B2D_ARG_ANGULAR_VELOCITY);
}

// The replayed warm start of the next substep is what the constraints did in this one, not what the user did. So the
// velocity that it is measured from changes too. What the user pushes has no momentum to keep.
b2d_status b2d_staged_set_velocities(b2d_world* world, const float* in, int32_t rows, int32_t* row) {
    b2d_staged_step* step;
    if (rows < 0) return b2d_error(B2D_BAD_COUNT, B2D_ARG_VALUE);
    B2D_TRY(enter(world, false, &step));
    *row = 0;
    if (halves_left(step) % 2 == 0) return leave(world, b2d_error(B2D_NOT_ALLOWED, B2D_ARG_NONE));
    for (; *row < rows; ++*row) {
        const b2d_status status = check_velocity(world, *row, in + 3 * *row);
        if (status != B2D_OK) return leave(world, status);
    }
    for (int32_t id = 0; id < bodies_in(world, rows); id++) {
        float* v = &b2d_world_state(world, id)->vx;
        if (!is_edited(world, id, in + 3 * id)) continue;
        step->run.assemblies.count = 0;
        for (int32_t k = 0; k < 3; k++) {
            world->body_steps[id].free_velocity[k] += in[3 * id + k] - v[k];
            v[k] = in[3 * id + k];
        }
    }
    return leave(world, B2D_OK);
}

b2d_status b2d_staged_placement(b2d_world* world, double* centers, float* rotations, int32_t rows) {
    b2d_staged_step* step;
    if (rows < 0) return b2d_error(B2D_BAD_COUNT, B2D_ARG_VALUE);
    B2D_TRY(enter(world, false, &step));
    for (int32_t k = 0; centers != NULL && k < 2 * rows; k++) centers[k] = 0.0;
    for (int32_t k = 0; rotations != NULL && k < 2 * rows; k++) rotations[k] = 0.0f;
    for (int32_t id = b2d_id_pool_next(&world->body_ids, 0); id != B2D_NONE && id < rows;
         id = b2d_id_pool_next(&world->body_ids, id + 1)) {
        const b2d_pose* pose = b2d_world_pose(world, id);
        const b2d_body_state* state = b2d_world_state(world, id);
        const b2d_vec2 center = b2d_pose_center(pose);
        if (centers != NULL) {
            centers[2 * id] = pose->x + (double)center.x + (double)state->dx;
            centers[2 * id + 1] = pose->y + (double)center.y + (double)state->dy;
        }
        if (rotations != NULL) {
            const b2d_rot q = b2d_integrate_rot((b2d_rot){pose->c, pose->s}, state->angle);
            rotations[2 * id] = q.c;
            rotations[2 * id + 1] = q.s;
        }
    }
    return leave(world, B2D_OK);
}

b2d_status b2d_staged_inverse_masses(b2d_world* world, float* out, int32_t rows) {
    b2d_staged_step* step;
    if (rows < 0) return b2d_error(B2D_BAD_COUNT, B2D_ARG_VALUE);
    B2D_TRY(enter(world, false, &step));
    for (int32_t k = 0; k < 2 * rows; k++) out[k] = 0.0f;
    for (int32_t id = 0; id < bodies_in(world, rows); id++) {
        if (!is_awake(world, id)) continue;
        out[2 * id] = b2d_world_state(world, id)->inverse_mass;
        out[2 * id + 1] = b2d_world_state(world, id)->inverse_inertia;
    }
    return leave(world, B2D_OK);
}

b2d_status b2d_staged_finish(b2d_world* world) {
    b2d_staged_step* step;
    B2D_TRY(enter(world, true, &step));
    if (step->stage == BEGUN) collide(world);
    if (step->stage == COLLIDED) prepare(world);
    b2d_step_substeps(world, &step->run, step->halves, 2 * step->run.substeps);
    b2d_step_finish(world, &step->run);
    const double dt = (double)step->run.dt;
    world->disabled_count = 0;
    world->stepping = false;
    world->staged = NULL;
    b2d_free(&world->memory, step, sizeof *step);
    if (world->log.on) b2d_log_frame(world, dt);
    world->log.logged = false; // callbacks have logged answers, but not the edits: a recording gets the whole state
    const bool callback_failed = world->callback_failed;
    atomic_store(&world->staged_state, NO_STAGED_STEP);
    b2d_status status = b2d_close_write(world, world->step_failed ? b2d_error(B2D_NO_MEMORY, B2D_ARG_NONE) : B2D_OK);
    return callback_failed ? b2d_error(B2D_CALLBACK, B2D_ARG_NONE) : status;
}
