// csrc/api/cells.c - the API of packed worlds: creation from states, saving and restoring cells, what each cell has.
//
// Everything is checked before the first cell changes. Only a lack of memory can occur in the middle of a call; cells
// that were restored by then have the state, and the one under way is as it was or invalid, with disabled bodies.
#include "api/body.h"
#include "api/joint.h"
#include "api/shape.h"
#include "api/state.h"
#include "objects/body.h"
#include "objects/shape.h"
#include "step/sensor.h"
#include "step/step.h"
#include "state/cell_copy.h"

#include <stdio.h>
#include <string.h>

enum { MOST_ROWS = 1 << 26 };

static b2d_status refuse(const char* why, char* message, int32_t room) {
    snprintf(message, (size_t)room, "%s", why);
    return b2d_error(B2D_NOT_ALLOWED, B2D_ARG_NONE);
}

// What a packed world has once, its cells must share.
static b2d_status check_state(const b2d_world* world, const b2d_world* like, float h, char* message, int32_t room) {
    static const char* const names[B2D_OPTION_COUNT] = {
#define B2D_OPTION(NAME, name, ...) #name,
#include "lists/options.def"
#undef B2D_OPTION
    };
    if (world->repair || world->graph.needs_repair || world->graph.merged_count > 0)
        return refuse("there was too little memory in its last step; step the world once more", message, room);
    if (world->graph.loose)
        return refuse("its islands were found by a strategy that keeps no links (islands=)", message, room);
    if (world->refused_count > 0 || world->overlaps.refused > 0)
        return refuse("a filter function has refused pairs of it; a batch calls no functions", message, room);
    if (world->graph.impulse_h > 0.0f && world->graph.impulse_h != h) {
        snprintf(message, (size_t)room, "its last substep was %.9g s, those of the batch are %.9g s",
                 (double)world->graph.impulse_h, (double)h);
        return b2d_error(B2D_NOT_ALLOWED, B2D_ARG_NONE);
    }
    for (int32_t k = 0; k < B2D_OPTION_COUNT; k++)
        if (world->options[k] != like->options[k] && k != B2D_OPTION_GRAVITY_X && k != B2D_OPTION_GRAVITY_Y &&
            k != B2D_OPTION_PROFILING) {
            snprintf(message, (size_t)room, "option %s differs: %.9g here, %.9g in the batch", names[k],
                     world->options[k], like->options[k]);
            return b2d_error(B2D_NOT_ALLOWED, B2D_ARG_NONE);
        }
    const b2d_material_rules *a = &world->material_rules, *b = &like->material_rules;
    if (a->count != b->count || (a->count > 0 && memcmp(a->rows, b->rows, (size_t)a->count * sizeof *a->rows) != 0))
        return refuse("its table of material pairs differs from that of the batch", message, room);
    return B2D_OK;
}

// Several workers need several clusters each, because a cluster is solved by one worker. Of few bodies, the blocks of a
// cluster would be half empty.
static int32_t cells_per_cluster(const b2d_world_def* def, const b2d_cells* cells) {
    enum { CLUSTERS_OF_WORKER = 8, LEAST_BODIES = 128 };
    const int32_t workers = def->scheduler == NULL ? def->workers : b2d_scheduler_workers(def->scheduler);
    const int64_t share = (int64_t)cells->count * cells->bodies / (CLUSTERS_OF_WORKER * workers);
    const int32_t bodies = workers == 1                 ? B2D_CLUSTER_BODIES
                           : share > B2D_CLUSTER_BODIES ? B2D_CLUSTER_BODIES
                                                        : b2d_max_int((int32_t)share, LEAST_BODIES);
    return b2d_max_int(bodies / cells->bodies, 1);
}

static b2d_status make(const b2d_world_def* def, int32_t simd, int32_t count, const b2d_cells_size* least,
                       b2d_state** states, int32_t state_count, const int32_t* which, double dt, int32_t substeps,
                       b2d_world** out) {
    b2d_making making = {.scheduler = def->scheduler,
                         .workers = def->workers,
                         .simd = simd,
                         .broadphase = B2D_BROADPHASE_AUTO,
                         .narrowphase = B2D_NARROWPHASE_BATCHED,
                         .fail_after = -1,
                         .cells = {.count = count,
                                   .bodies = b2d_max_int(least->bodies, 1),
                                   .shapes = b2d_max_int(least->shapes, 1),
                                   .joints = least->joints,
                                   .chains = least->chains}};
    for (int32_t k = 0; k < state_count; k++) b2d_cells_fit(&making.cells, &states[k]->world);
    making.cells.per_cluster = cells_per_cluster(def, &making.cells);
    const int64_t most = b2d_max_int(b2d_max_int(making.cells.bodies, making.cells.shapes),
                                     b2d_max_int(making.cells.joints, making.cells.chains));
    if (most * count > MOST_ROWS) return b2d_error(B2D_NO_MEMORY, B2D_ARG_NONE);
    b2d_world* world = b2d_world_make(&making);
    if (world == NULL) return b2d_error(B2D_NO_MEMORY, B2D_ARG_NONE);
    world->memory.settling = false;
    bool done = b2d_cell_copy_settings(world, &states[0]->world) && b2d_cells_reserve(world);
    for (int32_t k = 0; done && k < count; k++)
        done = b2d_cell_copy(world, k, &states[which == NULL ? 0 : which[k]]->world, 0);
    if (!done) {
        b2d_world_free(world);
        return b2d_error(B2D_NO_MEMORY, B2D_ARG_NONE);
    }
    world->options[B2D_OPTION_PROFILING] = def->options[B2D_OPTION_PROFILING];
    world->last_dt = (float)dt;
    world->graph.impulse_h = (float)dt / (float)b2d_substeps_of((float)dt, substeps);
    b2d_publish_tables(world);
    *out = world;
    return B2D_OK;
}

b2d_status b2d_cells_create(const b2d_world_def* def, int32_t count, const b2d_cells_size* least, b2d_state** states,
                            int32_t state_count, const int32_t* which, double dt, int32_t substeps, b2d_world** out,
                            char* message, int32_t room) {
    int32_t simd;
    message[0] = 0;
    if (count < 1 || count > MOST_ROWS) return b2d_out_of_range(1.0, (double)MOST_ROWS, B2D_ARG_VALUE);
    B2D_TRY(b2d_check_def(def, &simd));
    B2D_TRY(b2d_check_step(dt, substeps));
    if (dt == 0.0) return b2d_out_of_range(1.0e-9, 1.0, B2D_ARG_DT);
    if (state_count < 1) return b2d_error(B2D_BAD_COUNT, B2D_ARG_VALUE);
    const int32_t most = b2d_max_int(b2d_max_int(least->bodies, least->shapes),
                                     b2d_max_int(least->joints, least->chains));
    if (most > MOST_ROWS) return b2d_out_of_range(0.0, (double)MOST_ROWS, B2D_ARG_VALUE);
    for (int32_t k = 0; which != NULL && k < count; k++)
        if (which[k] < 0 || which[k] >= state_count) return b2d_error(B2D_OUT_OF_RANGE, B2D_ARG_VALUE);
    const float h = (float)dt / (float)b2d_substeps_of((float)dt, substeps);
    for (int32_t k = 0; k < state_count; k++)
        B2D_TRY(check_state(&states[k]->world, &states[0]->world, h, message, room));
    const uint32_t saved = b2d_float_enter();
    const b2d_status status = make(def, simd, count, least, states, state_count, which, dt, substeps, out);
    b2d_float_leave(saved);
    return status;
}

void b2d_cells_get_size(b2d_world* world, b2d_cells_size* out) {
    const b2d_cells* cells = &world->graph.cells;
    *out = (b2d_cells_size){cells->count, cells->bodies, cells->shapes, cells->joints, cells->chains};
}

// ---- states

static void name_objects(b2d_world* world, const b2d_world* names) {
#define NAME(ids, generations)                                                       \
    for (int32_t id = 0; id < b2d_min_int(world->ids.limit, names->ids.limit); id++) \
        if (b2d_id_pool_has(&world->ids, id)) world->generations[id] = names->generations[id];
    NAME(body_ids, body_generations)
    NAME(shape_ids, shape_generations)
    NAME(chain_ids, chain_generations)
    NAME(graph.joint_ids, graph.joint_generations)
#undef NAME
    for (int32_t k = 0; k < world->overlaps.count; k++) {
        b2d_overlap* row = &world->overlaps.rows[k];
        row->generation_sensor = world->shape_generations[b2d_overlap_sensor(row)];
        row->generation_visitor = world->shape_generations[b2d_overlap_visitor(row)];
    }
}

b2d_status b2d_cells_save(b2d_world* world, int32_t cell, b2d_state* names, b2d_state** out) {
    B2D_TRY(b2d_open_read(world));
    if (cell < 0 || cell >= world->graph.cells.count)
        return b2d_close_read(world, b2d_error(B2D_OUT_OF_RANGE, B2D_ARG_VALUE));
    b2d_world* image = b2d_world_make_image(0, -1);
    if (image == NULL) return b2d_close_read(world, b2d_error(B2D_NO_MEMORY, B2D_ARG_NONE));
    image->memory.settling = false;
    // New generations are above those of the names, so that no two objects have the same one
    image->graph.generation = names->world.graph.generation;
    const bool done = b2d_cell_copy_settings(image, world) && b2d_cell_copy(image, 0, world, cell);
    if (done) name_objects(image, &names->world);
    else b2d_world_free(image);
    if (done) *out = (b2d_state*)image;
    return b2d_close_read(world, done ? B2D_OK : b2d_error(B2D_NO_MEMORY, B2D_ARG_NONE));
}

static b2d_status check_room(const b2d_cells* cells, const b2d_world* state, char* message, int32_t room) {
    if (b2d_cells_hold(cells, state)) return B2D_OK;
    snprintf(message, (size_t)room,
             "it has %d bodies, %d shapes, %d joints and %d chains; each world has room for %d, %d, %d and %d",
             state->body_ids.limit, state->shape_ids.limit, state->graph.joint_ids.limit, state->chain_ids.limit,
             cells->bodies, cells->shapes, cells->joints, cells->chains);
    return b2d_error(B2D_NOT_ALLOWED, B2D_ARG_NONE);
}

// Whether each cell can have its state; without `replace` it must have the objects of the cell.
static b2d_status check_cells(const b2d_world* world, b2d_state** states, const int32_t* which, bool replace,
                              char* message, int32_t room) {
    int32_t last = B2D_NONE;
    for (int32_t k = 0; k < world->graph.cells.count; k++) {
        if (which[k] < 0) continue;
        const b2d_world* state = &states[which[k]]->world;
        if (which[k] != last) {
            B2D_TRY(check_state(state, world, world->graph.impulse_h, message, room));
            if (replace) B2D_TRY(check_room(&world->graph.cells, state, message, room));
        }
        last = which[k];
        if (replace || b2d_cell_matches(world, k, state)) continue;
        snprintf(message, (size_t)room, "it has other bodies, shapes, joints or chains than world %d (see replace)", k);
        return b2d_error(B2D_NOT_ALLOWED, B2D_ARG_NONE);
    }
    return B2D_OK;
}

// What has changed in the states that are replaced does not let the plan of the direct solver judge the new ones.
static void forget_changes(b2d_world* world, const int32_t* which) {
    b2d_direct* direct = &world->direct;
    int32_t kept = 0;
    for (int32_t k = 0; k < direct->changed_count; k++)
        if (which[b2d_cell_of_body(&world->graph.cells, direct->changed[k])] < 0)
            direct->changed[kept++] = direct->changed[k];
    direct->changed_count = kept;
}

static b2d_status restore(b2d_world* world, b2d_state** states, const int32_t* which, bool replace, bool* renewed,
                          char* message, int32_t room) {
    B2D_TRY(check_cells(world, states, which, replace, message, room));
    forget_changes(world, which);
    for (int32_t k = 0; k < world->graph.cells.count; k++) {
        if (which[k] < 0) continue;
        renewed[k] = replace && !b2d_cell_matches(world, k, &states[which[k]]->world);
        if (renewed[k]) b2d_cell_clear(world, k);
        if (b2d_cell_copy(world, k, &states[which[k]]->world, 0)) continue;
        if (renewed[k]) b2d_cell_clear(world, k);
        return b2d_error(B2D_NO_MEMORY, B2D_ARG_NONE);
    }
    return B2D_OK;
}

b2d_status b2d_cells_restore(b2d_world* world, b2d_state** states, int32_t state_count, const int32_t* which,
                             bool replace, bool* renewed, char* message, int32_t room) {
    message[0] = 0;
    B2D_TRY(b2d_open_write(world));
    for (int32_t k = 0; k < world->graph.cells.count; k++)
        if (which[k] >= state_count) return b2d_close_write(world, b2d_error(B2D_OUT_OF_RANGE, B2D_ARG_VALUE));
    return b2d_close_write(world, restore(world, states, which, replace, renewed, message, room));
}

// ---- what each cell has

b2d_status b2d_cells_hash(b2d_world* world, uint64_t* out) {
    B2D_TRY(b2d_open_read(world));
    for (int32_t k = 0; k < world->graph.cells.count; k++) out[k] = b2d_cell_hash_of(world, k);
    return b2d_close_read(world, B2D_OK);
}

b2d_status b2d_cells_exist(b2d_world* world, int32_t kind, bool* out) {
    B2D_TRY(b2d_open_read(world));
    const b2d_cells* cells = &world->graph.cells;
    const b2d_id_pool* ids = kind == B2D_KIND_BODY    ? &world->body_ids
                             : kind == B2D_KIND_SHAPE ? &world->shape_ids
                                                      : &world->graph.joint_ids;
    const int32_t each = kind == B2D_KIND_BODY ? cells->bodies : kind == B2D_KIND_SHAPE ? cells->shapes : cells->joints;
    for (int32_t id = 0; id < cells->count * each; id++) out[id] = b2d_id_pool_has(ids, id);
    return b2d_close_read(world, B2D_OK);
}

b2d_status b2d_cells_invalid(b2d_world* world, bool* out) {
    B2D_TRY(b2d_open_read(world));
    for (int32_t k = 0; k < world->graph.cells.count; k++) out[k] = world->cell_rows[k].invalid;
    return b2d_close_read(world, B2D_OK);
}

b2d_status b2d_cells_get_gravity(b2d_world* world, double* out) {
    B2D_TRY(b2d_open_read(world));
    for (int32_t k = 0; k < world->graph.cells.count; k++) {
        out[2 * k] = (double)world->cell_gravities[k].x;
        out[2 * k + 1] = (double)world->cell_gravities[k].y;
    }
    return b2d_close_read(world, B2D_OK);
}

static bool wake_cell(b2d_world* world, int32_t k) {
    const b2d_cells* cells = &world->graph.cells;
    const int32_t first = k * cells->bodies;
    bool done = true;
    for (int32_t body = first; body < first + cells->bodies; body++)
        if (b2d_id_pool_has(&world->body_ids, body)) done = b2d_wake(&world->graph, body) && done;
    b2d_world_flush_sleep_changes(world);
    return done;
}

static b2d_status set_gravity(b2d_world* world, const double* in, int32_t* cell) {
    const int32_t count = world->graph.cells.count;
    for (*cell = 0; *cell < count; ++*cell) B2D_TRY(b2d_check_vec(in + 2 * *cell, 1.0e9, B2D_ARG_GRAVITY));
    bool done = true;
    for (int32_t k = 0; k < count; k++) {
        const b2d_vec2 now = {(float)in[2 * k], (float)in[2 * k + 1]}, before = world->cell_gravities[k];
        if (now.x == before.x && now.y == before.y) continue;
        world->cell_gravities[k] = now;
        done = wake_cell(world, k) && done;
    }
    return done ? B2D_OK : b2d_error(B2D_NO_MEMORY, B2D_ARG_NONE);
}

b2d_status b2d_cells_set_gravity(b2d_world* world, const double* in, int32_t* cell) {
    B2D_TRY(b2d_open_write(world));
    return b2d_close_write(world, set_gravity(world, in, cell));
}

b2d_status b2d_cells_step(b2d_world* world, double* forces, double* torques, double dt, int32_t substeps,
                          int32_t* row) {
    B2D_TRY(b2d_check_step(dt, substeps));
    B2D_TRY(b2d_open_write(world));
    if (forces != NULL) {
        const int32_t rows = world->graph.cells.count * world->graph.cells.bodies;
        const b2d_status status = b2d_world_push_all(world, rows, forces, torques, row);
        if (status != B2D_OK) return b2d_close_write(world, status);
        memset(forces, 0, 2 * (size_t)rows * sizeof *forces);
        memset(torques, 0, (size_t)rows * sizeof *torques);
    }
    return b2d_close_with_step(world, dt, substeps);
}

static bool has_shape(const b2d_world* world, int32_t id) { return b2d_id_pool_has(&world->shape_ids, id); }
static bool has_joint(const b2d_world* world, int32_t id) { return b2d_id_pool_has(&world->graph.joint_ids, id); }

b2d_status b2d_cells_get_shapes(b2d_world* world, int32_t property, double* out) {
    if (b2d_shape_property_width(property) != 1) return b2d_error(B2D_OUT_OF_RANGE, B2D_ARG_OPTION);
    B2D_TRY(b2d_open_read(world));
    const int32_t rows = world->graph.cells.count * world->graph.cells.shapes;
    for (int32_t id = 0; id < rows; id++)
        if (!has_shape(world, id) || b2d_world_get_shape(world, id, property, &out[id]) != B2D_OK)
            out[id] = (double)NAN;
    return b2d_close_read(world, B2D_OK);
}

b2d_status b2d_cells_get_joints(b2d_world* world, int32_t property, double* out) {
    B2D_TRY(b2d_open_read(world));
    const int32_t rows = world->graph.cells.count * world->graph.cells.joints;
    for (int32_t id = 0; id < rows; id++) {
        double value[2] = {(double)NAN, (double)NAN}; // the force of a motor joint is a vector, which no column holds
        if (has_joint(world, id)) (void)b2d_world_read_joint_property(world, id, property, value);
        out[id] = value[1] == value[1] ? (double)NAN : value[0];
    }
    return b2d_close_read(world, B2D_OK);
}

// What differs between shapes and joints when a column is written.
typedef struct column {
    b2d_world* world;
    int32_t property;
    bool joints;
} column;

// Whether the row has a value that is not the present one.
static bool is_written(const column* c, int32_t id, double value) {
    double now = (double)NAN;
    if (c->joints && has_joint(c->world, id)) return b2d_world_joint_property_differs(c->world, id, c->property, value);
    if (!c->joints && has_shape(c->world, id)) (void)b2d_world_get_shape(c->world, id, c->property, &now);
    return now != now ? value == value : (float)value != (float)now;
}

static b2d_status check_row(const column* c, int32_t id, const double* value) {
    if (c->joints && !has_joint(c->world, id)) return b2d_error(B2D_STALE_HANDLE, B2D_ARG_JOINT);
    if (!c->joints && !has_shape(c->world, id)) return b2d_error(B2D_STALE_HANDLE, B2D_ARG_SHAPE);
    return c->joints ? b2d_world_check_joint_property(c->world, id, c->property, value)
                     : b2d_shape_check(c->property, value);
}

static b2d_status write_column(const column* c, int32_t rows, const double* in, int32_t* row) {
    int32_t *changed = NULL, count = 0;
    *row = 0;
    if (b2d_lease_scratch(c->world))
        changed = b2d_arena_take(&c->world->scratch->arena, (size_t)(rows + 1) * sizeof *changed);
    if (changed == NULL) return b2d_error(B2D_NO_MEMORY, B2D_ARG_NONE);
    for (; *row < rows; ++*row)
        if (is_written(c, *row, in[*row])) {
            B2D_TRY(check_row(c, *row, &in[*row]));
            changed[count++] = *row;
        }
    for (int32_t k = 0; k < count; k++) {
        const double* value = &in[*row = changed[k]];
        B2D_TRY(c->joints ? b2d_world_write_joint_property(c->world, *row, c->property, value)
                          : b2d_world_set_shape(c->world, *row, c->property, value));
    }
    return B2D_OK;
}

b2d_status b2d_cells_set_shapes(b2d_world* world, int32_t property, const double* in, int32_t* row) {
    if (b2d_shape_property_width(property) != 1) return b2d_error(B2D_OUT_OF_RANGE, B2D_ARG_OPTION);
    B2D_TRY(b2d_open_write(world));
    const b2d_cells* cells = &world->graph.cells;
    return b2d_close_write(world,
                           write_column(&(column){world, property, false}, cells->count * cells->shapes, in, row));
}

b2d_status b2d_cells_set_joints(b2d_world* world, int32_t property, const double* in, int32_t* row) {
    B2D_TRY(b2d_open_write(world));
    const b2d_cells* cells = &world->graph.cells;
    return b2d_close_write(world,
                           write_column(&(column){world, property, true}, cells->count * cells->joints, in, row));
}

// ---- what touches

typedef struct object { // a shape, or a body with all its shapes
    int32_t shape, body;
} object;

static inline object object_of(const b2d_world* world, int32_t cell, int32_t number) {
    const b2d_cells* cells = &world->graph.cells;
    if (number < 0) return (object){B2D_NONE, cell * cells->bodies + ~number};
    const int32_t shape = cell * cells->shapes + number;
    return (object){shape, has_shape(world, shape) ? world->shapes_hot[shape].body : B2D_NONE};
}

static inline bool is_of(const object* o, int32_t shape, int32_t body) {
    return o->body == body && (o->shape == B2D_NONE || o->shape == shape);
}

static inline bool touches(const b2d_world* world, object a, object b) {
    const b2d_graph* graph = &world->graph;
    const int32_t body = graph->bodies[a.body].contact_count < graph->bodies[b.body].contact_count ? a.body : b.body;
    for (int32_t key = graph->bodies[body].contact_head; key != B2D_NONE;
         key = graph->contacts[key >> 1].next[key & 1]) {
        const b2d_pair* pair = &graph->pairs[key >> 1];
        if ((pair->flags & B2D_PAIR_TOUCHING) &&
            ((is_of(&a, pair->shape_a, pair->body_a) && is_of(&b, pair->shape_b, pair->body_b)) ||
             (is_of(&b, pair->shape_a, pair->body_a) && is_of(&a, pair->shape_b, pair->body_b))))
            return true;
    }
    return false;
}

static bool senses(const b2d_world* world, int32_t sensor, const object* visitor) {
    const b2d_overlaps* list = &world->overlaps;
    for (int32_t k = b2d_overlap_find(list, (uint64_t)(uint32_t)sensor << 32);
         k < list->count && b2d_overlap_sensor(&list->rows[k]) == sensor; k++) {
        const int32_t shape = b2d_overlap_visitor(&list->rows[k]);
        if (is_of(visitor, shape, world->shapes_hot[shape].body)) return true;
    }
    return false;
}

static bool overlaps(const b2d_world* world, object sensor, object visitor) {
    if (sensor.shape != B2D_NONE) return senses(world, sensor.shape, &visitor);
    for (int32_t shape = world->graph.bodies[sensor.body].shape_head; shape != B2D_NONE;
         shape = world->shapes[shape].next)
        if (senses(world, shape, &visitor)) return true;
    return false;
}

static bool is_object(const b2d_cells* cells, int32_t number) {
    return number < 0 ? ~number < cells->bodies : number < cells->shapes;
}

typedef struct watch {
    const b2d_world* world;
    bool sensor;
    int32_t n;
    const int32_t* pairs;
    const bool* mask;
    bool* out;
} watch;

static void watch_stage(void* context, int32_t begin, int32_t end, int32_t worker) {
    const watch* w = context;
    const b2d_world* world = w->world;
    (void)worker;
    for (int32_t cell = begin; cell < end; cell++) {
        if (w->mask != NULL && !w->mask[cell]) continue;
        bool* out = w->out + (size_t)cell * (size_t)w->n;
        for (int32_t k = 0; k < w->n; k++) {
            const object a = object_of(world, cell, w->pairs[2 * k]), b = object_of(world, cell, w->pairs[2 * k + 1]);
            // A cell with fewer objects than others lacks them
            const bool both = b2d_id_pool_has(&world->body_ids, a.body) && b2d_id_pool_has(&world->body_ids, b.body);
            out[k] = both && (w->sensor ? overlaps(world, a, b) : touches(world, a, b));
        }
    }
}

b2d_status b2d_cells_watch(b2d_world* world, bool sensor, int32_t n, const int32_t* pairs, const bool* mask,
                           bool* out) {
    enum { GRAIN = 128 };
    watch w = {world, sensor, n, pairs, mask, out};
    const int32_t cells = world->graph.cells.count;
    for (int32_t k = 0; k < 2 * n; k++)
        if (!is_object(&world->graph.cells, pairs[k])) return b2d_error(B2D_OUT_OF_RANGE, B2D_ARG_VALUE);
    B2D_TRY(b2d_open_read(world));
    // A mask has few cells, mostly: to wake a worker would take longer than to look at them
    b2d_parallel_for(world->scheduler, watch_stage, &w, cells, mask == NULL ? GRAIN : cells);
    return b2d_close_read(world, B2D_OK);
}

// ---- random numbers

// Source: Steele, Lea and Flood, "Fast splittable pseudorandom number generators" (2014), the finalizer of splitmix64.
static uint64_t mixed(uint64_t word) {
    word += UINT64_C(0x9E3779B97F4A7C15);
    word = (word ^ word >> 30) * UINT64_C(0xBF58476D1CE4E5B9);
    word = (word ^ word >> 27) * UINT64_C(0x94D049BB133111EB);
    return word ^ word >> 31;
}

void b2d_random_uniform(int32_t n, const uint64_t* keys, int32_t count, double* out) {
    for (int32_t row = 0; row < n; row++) {
        const uint64_t *key = keys + 3 * (size_t)row, stream = mixed(mixed(key[0]) + key[1]);
        for (int32_t k = 0; k < count; k++)
            *out++ = (double)(mixed(stream ^ mixed(key[2] + (uint64_t)k)) >> 11) * 0x1p-53;
    }
}

// ---- geometry

// Row k of each cell is of shapes[k]. `row` counts those of all cells of the mask.
static b2d_status set_geometry(b2d_world* world, int32_t count, const int32_t* shapes, const b2d_geometry* geometries,
                               bool each, const bool* mask, int32_t* row) {
    const b2d_cells* cells = &world->graph.cells;
    for (int32_t write = 0; write < 2; write++) {
        *row = 0;
        for (int32_t cell = 0; cell < cells->count; cell++)
            for (int32_t k = 0; k < count && (mask == NULL || mask[cell]); k++, ++*row) {
                const int32_t id = cell * cells->shapes + shapes[k];
                b2d_geometry checked = geometries[each ? *row : k];
                if (!has_shape(world, id)) return b2d_error(B2D_STALE_HANDLE, B2D_ARG_SHAPE);
                if (b2d_world_chain_of(world, id) != B2D_NONE) return b2d_error(B2D_NOT_ALLOWED, B2D_ARG_GEOMETRY);
                B2D_TRY(b2d_geometry_check(&checked));
                if (write && !b2d_world_replace_geometry(world, id, &checked, true))
                    return b2d_error(B2D_NO_MEMORY, B2D_ARG_NONE);
            }
    }
    return B2D_OK;
}

b2d_status b2d_cells_set_geometry(b2d_world* world, int32_t count, const int32_t* shapes,
                                  const b2d_geometry* geometries, bool each, const bool* mask, int32_t* row) {
    for (int32_t k = 0; k < count; k++)
        if (shapes[k] < 0 || shapes[k] >= world->graph.cells.shapes) return b2d_error(B2D_OUT_OF_RANGE, B2D_ARG_SHAPE);
    B2D_TRY(b2d_open_write(world));
    return b2d_close_write(world, set_geometry(world, count, shapes, geometries, each, mask, row));
}
