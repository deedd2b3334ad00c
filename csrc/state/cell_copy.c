// csrc/state/cell_copy.c - copies one cell: rows of bodies, shapes and joints with their ids translated, and what else
// decides how the cell goes on.
//
// Idea: an ordinary world, and so a saved state, is a packed world of one cell. So packing worlds, saving a cell,
// restoring it and taking it out are one operation. Its cost is that of the rows of one cell; nothing else is touched.
// Rows are reserved before anything changes. Proof: tests/oracle/test_batch.py.
#include "state/cell_copy.h"

#include "objects/body.h"
#include "objects/shape.h"
#include "step/pairs.h"
#include "step/sensor.h"

#include <string.h>

typedef struct cell_size {
    int32_t bodies, shapes, joints, seconds, chains;
} cell_size;

static cell_size size_of(const b2d_world* world) {
    const b2d_cells* cells = &world->graph.cells;
    if (cells->count > 0)
        return (cell_size){cells->bodies, cells->shapes, cells->joints, cells->seconds, cells->chains};
    return (cell_size){world->body_ids.limit, world->shape_ids.limit, world->graph.joint_ids.limit,
                       world->second_ids.limit, world->chain_ids.limit};
}

void b2d_cells_fit(b2d_cells* cells, const b2d_world* world) {
    const cell_size size = size_of(world);
    cells->bodies = b2d_max_int(cells->bodies, size.bodies);
    cells->shapes = b2d_max_int(cells->shapes, size.shapes);
    cells->joints = b2d_max_int(cells->joints, size.joints);
    // A new geometry may need one for every shape, and one more while it replaces the old geometry
    cells->seconds = b2d_max_int(cells->seconds, b2d_max_int(size.seconds, cells->shapes) + 1);
    cells->chains = b2d_max_int(cells->chains, size.chains);
}

// Whether the same of `count` ids are in use, from these first ones on.
static bool same_range(const b2d_id_pool* a, int32_t first_a, const b2d_id_pool* b, int32_t first_b, int32_t count) {
    for (int32_t k = 0; k < count; k += 64) {
        const int32_t n = b2d_min_int(64, count - k);
        if (b2d_bit_range(a->used, a->word_count, first_a + k, n) !=
            b2d_bit_range(b->used, b->word_count, first_b + k, n))
            return false;
    }
    return true;
}

static bool same_ids(const b2d_id_pool* packed, int32_t first, int32_t count, const b2d_id_pool* ids) {
    return ids->limit <= count && same_range(packed, first, ids, 0, count);
}

bool b2d_cells_hold(const b2d_cells* cells, const b2d_world* world) {
    return world->body_ids.limit <= cells->bodies && world->shape_ids.limit <= cells->shapes &&
           world->graph.joint_ids.limit <= cells->joints && world->chain_ids.limit <= cells->chains &&
           world->second_ids.limit <= cells->seconds;
}

bool b2d_cell_matches(const b2d_world* packed, int32_t k, const b2d_world* world) {
    const b2d_cells* cells = &packed->graph.cells;
    const b2d_cell cell = b2d_cell_at(cells, k);
    return same_ids(&packed->body_ids, cell.body, cells->bodies, &world->body_ids) &&
           same_ids(&packed->shape_ids, cell.shape, cells->shapes, &world->shape_ids) &&
           same_ids(&packed->graph.joint_ids, cell.joint, cells->joints, &world->graph.joint_ids) &&
           same_ids(&packed->chain_ids, cell.chain, cells->chains, &world->chain_ids);
}

// ---- room

static bool reserve_objects(b2d_world* world, cell_size rows) {
    b2d_memory* memory = &world->memory;
    b2d_graph* graph = &world->graph;
    return b2d_id_pool_reserve(memory, &world->body_ids, rows.bodies) && b2d_world_reserve_bodies(world, rows.bodies) &&
           b2d_bits_reserve(memory, &world->swept, rows.bodies) &&
           b2d_id_pool_reserve(memory, &world->shape_ids, rows.shapes) &&
           b2d_world_reserve_shapes(world, rows.shapes) &&
           b2d_id_pool_reserve(memory, &graph->joint_ids, rows.joints) &&
           B2D_GROW(memory, graph->joints, graph->joint_capacity, rows.joints) &&
           B2D_GROW(memory, graph->joint_generations, graph->joint_generation_capacity, rows.joints) &&
           b2d_bits_reserve(memory, &graph->overflow_joints, rows.joints) &&
           b2d_bits_reserve(memory, &world->watched_joints, rows.joints) &&
           b2d_id_pool_reserve(memory, &world->second_ids, rows.seconds) &&
           B2D_GROW(memory, world->second_hulls, world->second_capacity, rows.seconds) &&
           b2d_id_pool_reserve(memory, &world->chain_ids, rows.chains) &&
           B2D_GROW(memory, world->chains, world->chain_capacity, rows.chains) &&
           B2D_GROW(memory, world->chain_generations, world->chain_generation_capacity, rows.chains);
}

bool b2d_cells_reserve(b2d_world* packed) {
    const b2d_cells* cells = &packed->graph.cells;
    const int32_t n = cells->count;
    return B2D_GROW(&packed->memory, packed->cell_rows, packed->cell_row_capacity, n) &&
           B2D_GROW(&packed->memory, packed->cell_gravities, packed->cell_gravity_capacity, n) &&
           reserve_objects(packed, (cell_size){n * cells->bodies, n * cells->shapes, n * cells->joints,
                                               n * cells->seconds, n * cells->chains});
}

// One more than the highest id of the pool that the cell uses
static int32_t last_used(const b2d_id_pool* pool, const b2d_cell* cell) {
    int32_t end = 0;
    for (int32_t id = cell->first; id < pool->limit; id += cell->stride)
        if (b2d_id_pool_has(pool, id)) end = id + 1;
    return end;
}

static bool reserve(b2d_world* to, const b2d_world* from, const b2d_cell_map* map) {
    b2d_graph* graph = &to->graph;
    const int32_t contacts = last_used(&from->graph.contact_ids, &map->from),
                  islands = last_used(&from->graph.island_ids, &map->from);
    const int32_t contact_rows = contacts == 0 ? 0 : b2d_map_strided(map, contacts - 1) + 1,
                  island_rows = islands == 0 ? 0 : b2d_map_strided(map, islands - 1) + 1;
    if (to->graph.cells.count == 0 && !reserve_objects(to, size_of(from))) return false;
    // A segment of a chain may be alone, and the first one may come with a state
    const int32_t links = from->chain_link_capacity == 0 ? 0 : to->second_capacity;
    if (!B2D_GROW(&to->memory, to->chain_links, to->chain_link_capacity, links)) return false;
    const int32_t changes = b2d_bits_is_empty(&from->mass_changed) ? 0 : map->to.body + size_of(from).bodies;
    return b2d_bits_reserve(&to->memory, &to->mass_changed, changes) && b2d_world_reserve_contacts(to, contact_rows) &&
           b2d_id_pool_reserve(&to->memory, &graph->island_ids, island_rows) &&
           B2D_GROW(&to->memory, graph->islands, graph->island_capacity, island_rows) &&
           B2D_GROW(&to->memory, graph->island_generations, graph->island_generation_capacity, island_rows);
}

// ---- rows

// Gives the target the ids that the source has. There is room for them.
static void copy_ids(b2d_world* to, b2d_id_pool* pool, uint64_t* generations, int32_t first, const b2d_id_pool* from,
                     int32_t source, int32_t count) {
    if (same_range(pool, first, from, source, count)) return;
    for (int32_t k = 0; k < count; k++)
        if (b2d_id_pool_has(from, source + k) && !b2d_id_pool_has(pool, first + k)) {
            (void)b2d_id_pool_take_id(&to->memory, pool, first + k);
            generations[first + k] = ++to->graph.generation;
        }
}

static void copy_bodies(b2d_world* to, const b2d_world* from, const b2d_cell_map* map, int32_t count) {
    const int32_t first = map->to.body, source = map->from.body;
    const size_t rows = (size_t)count;
    if (count == 0) return;
    copy_ids(to, &to->body_ids, to->body_generations, first, &from->body_ids, source, count);
    memcpy(b2d_world_pose(to, first), (const b2d_pose*)from->poses.data + source, rows * sizeof(b2d_pose));
    memcpy(b2d_world_state(to, first), (const b2d_body_state*)from->states.data + source,
           rows * sizeof(b2d_body_state));
    memcpy(to->masses + first, from->masses + source, rows * sizeof *to->masses);
    memcpy(to->body_steps + first, from->body_steps + source, rows * sizeof *to->body_steps);
    memcpy(to->body_rests + first, from->body_rests + source, rows * sizeof *to->body_rests);
    b2d_bits_copy(&to->plates, first, &from->plates, source, count);
    b2d_bits_copy(&to->kinematics, first, &from->kinematics, source, count);
    b2d_bits_copy(&to->swept, first, &from->swept, source, count);
    b2d_bits_copy(&to->mass_changed, first, &from->mass_changed, source, count);
    // Forces that are to change in the coming step stay constant in a copy of a cell
    for (int32_t k = 0; k < count; k++) to->graph.bodies[first + k].flags &= (uint16_t)~B2D_BODY_FLAG_YIELDS;
}

static void copy_proxies(b2d_proxies* to, int32_t first, const b2d_proxies* from, int32_t source, int32_t count) {
    float* columns[8] = {to->fat_min_x, to->fat_min_y, to->fat_max_x, to->fat_max_y,
                         to->old_min_x, to->old_min_y, to->old_max_x, to->old_max_y};
    const float* others[8] = {from->fat_min_x, from->fat_min_y, from->fat_max_x, from->fat_max_y,
                              from->old_min_x, from->old_min_y, from->old_max_x, from->old_max_y};
    for (int32_t k = 0; k < 8; k++) memcpy(columns[k] + first, others[k] + source, (size_t)count * sizeof(float));
    b2d_bits_copy(&to->moved, first, &from->moved, source, count);
    b2d_bits_copy(&to->dirty, first, &from->dirty, source, count);
}

static void copy_shapes(b2d_world* to, const b2d_world* from, const b2d_cell_map* map, int32_t count) {
    const int32_t first = map->to.shape, source = map->from.shape;
    if (count == 0) return;
    copy_ids(to, &to->shape_ids, to->shape_generations, first, &from->shape_ids, source, count);
    for (int32_t k = 0; k < count; k++) {
        b2d_shape_hot* hot = &to->shapes_hot[first + k];
        b2d_shape* cold = &to->shapes[first + k];
        *hot = from->shapes_hot[source + k];
        *cold = from->shapes[source + k];
        hot->body = b2d_map_body(map, hot->body);
        hot->second_hull = b2d_map_second(map, hot->second_hull);
        cold->next = b2d_map_shape(map, cold->next), cold->prev = b2d_map_shape(map, cold->prev);
        uint8_t* class = &to->proxies.proxy_class[first + k];
        const uint8_t now = from->proxies.proxy_class[source + k];
        to->static_shapes += (now == B2D_PROXY_STATIC) - (*class == B2D_PROXY_STATIC);
        *class = now;
        to->proxies.body[first + k] = hot->body;
    }
    copy_proxies(&to->proxies, first, &from->proxies, source, count);
    b2d_bits_copy(&to->sensors, first, &from->sensors, source, count);
    for (int32_t k = 0; k < count; k++) { // those of shapes that have gone are for rows that are not copied
        const bool changed = b2d_bits_has(&from->sensor_changes, source + k);
        if (changed && b2d_id_pool_has(&to->shape_ids, first + k)) b2d_bits_set(&to->sensor_changes, first + k);
        else b2d_bits_unset(&to->sensor_changes, first + k);
    }
    to->proxies.limit = b2d_max_int(to->proxies.limit, to->shape_ids.limit);
}

// A new geometry may have taken or given back a row since the cell was last copied.
static void copy_second_hulls(b2d_world* to, const b2d_world* from, const b2d_cell_map* map, int32_t count) {
    const int32_t rows = b2d_max_int(count, to->graph.cells.count > 0 ? to->graph.cells.seconds : 0);
    for (int32_t k = 0; k < rows; k++) {
        const int32_t source = map->from.second + k, id = map->to.second + k;
        if (k >= count || !b2d_id_pool_has(&from->second_ids, source)) {
            if (b2d_id_pool_has(&to->second_ids, id)) b2d_id_pool_release(&to->second_ids, id);
            continue;
        }
        if (!b2d_id_pool_has(&to->second_ids, id)) (void)b2d_id_pool_take_id(&to->memory, &to->second_ids, id);
        to->second_hulls[id] = from->second_hulls[source];
        if (id >= to->chain_link_capacity) continue;
        to->chain_links[id] = (b2d_chain_link){0};
        if (source >= from->chain_link_capacity) continue;
        to->chain_links[id] = (b2d_chain_link){b2d_map_chain(map, from->chain_links[source].chain),
                                               b2d_map_shape(map, from->chain_links[source].next)};
    }
}

static void copy_chains(b2d_world* to, const b2d_world* from, const b2d_cell_map* map, int32_t count) {
    copy_ids(to, &to->chain_ids, to->chain_generations, map->to.chain, &from->chain_ids, map->from.chain, count);
    for (int32_t k = 0; k < count; k++) {
        b2d_chain* chain = &to->chains[map->to.chain + k];
        *chain = from->chains[map->from.chain + k];
        chain->body = b2d_map_body(map, chain->body);
        chain->head = b2d_map_shape(map, chain->head);
    }
}

// ---- what else decides how the cell goes on

// Whether the plan of the direct solver sees the two joints in the same way: see solver/direct_plan.c.
static bool same_in_plan(const b2d_world* to, const b2d_world* from, const b2d_cell_map* map, const b2d_joint* a,
                         const b2d_joint* b) {
    if (a->type != b->type || a->flags != b->flags || a->solver != b->solver) return false;
    for (int32_t side = 0; side < 2; side++) {
        const int32_t body = b->body[side], other = b2d_map_body(map, body);
        if (a->body[side] != other || a->next[side] != b2d_map_joint_key(map, b->next[side]) ||
            b2d_moves(&to->graph, other) != b2d_moves(&from->graph, body) ||
            to->graph.bodies[other].joint_head != b2d_map_joint_key(map, from->graph.bodies[body].joint_head))
            return false;
    }
    return true;
}

// The plan is not copied. It is made again only where it would differ.
static bool plan_differs(const b2d_world* to, const b2d_world* from, const b2d_cell_map* map, int32_t joints) {
    for (int32_t k = 0; k < joints; k++) {
        const int32_t id = map->to.joint + k, source = map->from.joint + k;
        if (!b2d_id_pool_has(&from->graph.joint_ids, source)) continue;
        const bool known = b2d_id_pool_has(&to->graph.joint_ids, id);
        const b2d_joint *a = &to->graph.joints[id], *b = &from->graph.joints[source];
        const int32_t flags = (known ? a->flags : 0) | b->flags;
        if ((flags & (B2D_JOINT_DIRECT | B2D_JOINT_SEED)) != 0 && !(known && same_in_plan(to, from, map, a, b)))
            return true;
    }
    return false;
}

static void copy_direct_changes(b2d_world* to, const b2d_world* from, const b2d_cell_map* map, cell_size size) {
    const b2d_direct* direct = &from->direct;
    const int32_t end = map->from.body + size.bodies;
    to->direct.stale = to->direct.stale || direct->stale;
    for (int32_t k = 0; k < direct->changed_count; k++)
        if (map->from.body <= direct->changed[k] && direct->changed[k] < end &&
            b2d_id_pool_has(&from->body_ids, direct->changed[k]))
            b2d_direct_touch(&to->memory, &to->direct, b2d_map_body(map, direct->changed[k]));
    for (int32_t source = map->from.body; direct->all_changed && source < end; source++)
        if (b2d_id_pool_has(&from->body_ids, source) && from->graph.bodies[source].joint_head != B2D_NONE)
            b2d_direct_touch(&to->memory, &to->direct, b2d_map_body(map, source));
}

// Begin stamps count steps of the world that they are in.
static void copy_stamps(b2d_world* to, const b2d_world* from, const b2d_cell_map* map) {
    const uint32_t later = (b2d_begin_stamp(to, 0) - b2d_begin_stamp(from, 0));
    for (int32_t source = map->from.first; source < from->graph.contact_ids.limit; source += map->from.stride)
        if (b2d_id_pool_has(&from->graph.contact_ids, source) && source < from->begin_stamp_capacity)
            to->begin_stamps[b2d_map_strided(map, source)] = from->begin_stamps[source] + later;
}

static uint64_t first_key(int32_t shape) { return (uint64_t)(uint32_t)shape << 32; }

// Whether both shapes of a row exist, and are those that overlapped.
static bool is_of_living(const b2d_world* world, const b2d_overlap* row) {
    return world->shape_generations[b2d_overlap_sensor(row)] == row->generation_sensor &&
           world->shape_generations[b2d_overlap_visitor(row)] == row->generation_visitor;
}

// The rows of the cell are replaced by those of the source, without those of shapes that have gone: the source reports
// their ends. All rows are sorted by sensor.
static bool copy_overlaps(b2d_world* to, const b2d_world* from, const b2d_cell_map* map, int32_t to_shapes,
                          int32_t from_shapes) {
    b2d_overlaps* list = &to->overlaps;
    const int32_t begin = b2d_overlap_find(list, first_key(map->to.shape)),
                  end = b2d_overlap_find(list, first_key(map->to.shape + to_shapes)),
                  first = b2d_overlap_find(&from->overlaps, first_key(map->from.shape)),
                  last = b2d_overlap_find(&from->overlaps, first_key(map->from.shape + from_shapes));
    int32_t change = begin - end;
    for (int32_t k = first; k < last; k++) change += is_of_living(from, &from->overlaps.rows[k]);
    if (!B2D_GROW(&to->memory, list->rows, list->capacity, list->count + change)) return false;
    for (int32_t k = begin; k < end; k++) list->refused -= list->rows[k].refused;
    if (change != 0 && list->count > end)
        memmove(list->rows + end + change, list->rows + end, (size_t)(list->count - end) * sizeof *list->rows);
    list->count += change;
    for (int32_t k = first, row = begin; k < last; k++) {
        const b2d_overlap* old = &from->overlaps.rows[k];
        if (!is_of_living(from, old)) continue;
        const int32_t sensor = b2d_map_shape(map, b2d_overlap_sensor(old)),
                      visitor = b2d_map_shape(map, b2d_overlap_visitor(old));
        list->rows[row++] = (b2d_overlap){first_key(sensor) | (uint64_t)(uint32_t)visitor << 1 |
                                              (old->key & B2D_OVERLAP_SWEPT),
                                          to->shape_generations[sensor], to->shape_generations[visitor], old->refused};
        list->refused += old->refused;
    }
    return true;
}

static void copy_split(b2d_world* to, int32_t to_cell, const b2d_world* from, int32_t from_cell,
                       const b2d_cell_map* map) {
    const bool packed = from->graph.cells.count > 0;
    int32_t island = packed ? from->cell_rows[from_cell].split_island : from->split_island;
    const uint64_t generation = packed ? from->cell_rows[from_cell].split_generation : from->split_generation;
    if (island != B2D_NONE &&
        (!b2d_id_pool_has(&from->graph.island_ids, island) || from->graph.island_generations[island] != generation))
        island = B2D_NONE; // it has gone
    island = b2d_map_strided(map, island);
    const uint64_t now = island == B2D_NONE ? 0 : to->graph.island_generations[island];
    if (to->graph.cells.count == 0) {
        to->split_island = island;
        to->split_generation = now;
        return;
    }
    to->cell_rows[to_cell].split_island = island;
    to->cell_rows[to_cell].split_generation = now;
    if (island != B2D_NONE) to->split_island = island; // so that the next step looks at the cells
}

static void copy_gravity(b2d_world* to, int32_t to_cell, const b2d_world* from, int32_t from_cell) {
    b2d_vec2 gravity = {b2d_option(from, B2D_OPTION_GRAVITY_X), b2d_option(from, B2D_OPTION_GRAVITY_Y)};
    if (from->graph.cells.count > 0) gravity = from->cell_gravities[from_cell];
    if (to->graph.cells.count > 0) to->cell_gravities[to_cell] = gravity;
    else { // an option of the same value keeps its digits
        double *x = &to->options[B2D_OPTION_GRAVITY_X], *y = &to->options[B2D_OPTION_GRAVITY_Y];
        if ((float)*x != gravity.x) *x = (double)gravity.x;
        if ((float)*y != gravity.y) *y = (double)gravity.y;
    }
}

bool b2d_cell_copy_settings(b2d_world* to, const b2d_world* from) {
    b2d_material_rules* rules = &to->material_rules;
    const b2d_material_rules* old = &from->material_rules;
    if (!B2D_GROW(&to->memory, rules->rows, rules->capacity, old->count)) return false;
    if (old->count > 0) memcpy(rules->rows, old->rows, (size_t)old->count * sizeof *old->rows);
    rules->count = old->count;
    memcpy(to->options, from->options, sizeof to->options);
    memcpy(to->graph.prepared_settings, from->graph.prepared_settings, sizeof to->graph.prepared_settings);
    to->graph.impulse_h = from->graph.impulse_h;
    to->last_dt = from->last_dt;
    to->counters.steps = from->counters.steps;
    return true;
}

// For lack of memory the constraints are not complete. Disabled bodies without any are a state that steps can go on
// from, and the cell counts as invalid until it is restored.
static void disable(b2d_world* to, int32_t k, const b2d_cell* cell, cell_size size) {
    b2d_overlaps* list = &to->overlaps;
    b2d_cell_disable(&to->graph, cell, size.bodies, size.joints);
    for (int32_t id = cell->body; id < cell->body + size.bodies; id++) *b2d_world_state(to, id) = (b2d_body_state){0};
    for (int32_t id = cell->shape; id < cell->shape + size.shapes; id++) {
        to->static_shapes -= to->proxies.proxy_class[id] == B2D_PROXY_STATIC;
        to->proxies.proxy_class[id] = B2D_PROXY_NONE;
        b2d_bits_unset(&to->proxies.moved, id);
    }
    int32_t kept = 0;
    for (int32_t row = 0; row < list->count; row++) {
        const int32_t sensor = b2d_overlap_sensor(&list->rows[row]);
        if (cell->shape <= sensor && sensor < cell->shape + size.shapes) list->refused -= list->rows[row].refused;
        else list->rows[kept++] = list->rows[row];
    }
    list->count = kept;
    to->direct.stale = true;
    if (to->graph.cells.count > 0) {
        to->cell_rows[k].invalid = true;
        to->cell_rows[k].split_island = B2D_NONE;
    }
}

static void release(b2d_id_pool* pool, uint64_t* generations, int32_t first, int32_t count) {
    for (int32_t id = first; id < first + count; id++) {
        if (!b2d_id_pool_has(pool, id)) continue;
        b2d_id_pool_release(pool, id);
        if (generations != NULL) generations[id] = 0;
    }
}

static void unset(b2d_bits* bits, int32_t first, int32_t count) {
    for (int32_t id = first; id < first + count; id++) b2d_bits_unset(bits, id);
}

void b2d_cell_clear(b2d_world* packed, int32_t k) {
    const b2d_cell cell = b2d_cell_at(&packed->graph.cells, k);
    const cell_size size = size_of(packed);
    disable(packed, k, &cell, size);
    for (int32_t id = cell.body; id < cell.body + size.bodies; id++) {
        *b2d_world_pose(packed, id) = (b2d_pose){.c = 1.0f};
        packed->masses[id] = (b2d_body_mass){0};
    }
    release(&packed->body_ids, packed->body_generations, cell.body, size.bodies);
    release(&packed->shape_ids, packed->shape_generations, cell.shape, size.shapes);
    release(&packed->graph.joint_ids, packed->graph.joint_generations, cell.joint, size.joints);
    release(&packed->chain_ids, packed->chain_generations, cell.chain, size.chains);
    release(&packed->second_ids, NULL, cell.second, size.seconds);
    unset(&packed->plates, cell.body, size.bodies);
    unset(&packed->kinematics, cell.body, size.bodies);
    unset(&packed->swept, cell.body, size.bodies);
    unset(&packed->mass_changed, cell.body, size.bodies);
    unset(&packed->mass_due, cell.body, size.bodies);
    unset(&packed->proxies.dirty, cell.shape, size.shapes);
    unset(&packed->sensors, cell.shape, size.shapes);
    unset(&packed->sensor_changes, cell.shape, size.shapes);
    unset(&packed->watched_joints, cell.joint, size.joints);
}

bool b2d_cell_copy(b2d_world* to, int32_t to_cell, const b2d_world* from, int32_t from_cell) {
    const b2d_cell_map map = {b2d_cell_at(&from->graph.cells, from_cell), b2d_cell_at(&to->graph.cells, to_cell)};
    const cell_size size = size_of(from);
    if (!reserve(to, from, &map)) return false;
    if (plan_differs(to, from, &map, size.joints)) to->direct.stale = true;
    if (!b2d_cell_copy_graph(&to->graph, &from->graph, &map, size.bodies, size.joints)) {
        disable(to, to_cell, &map.to, size_of(to));
        return false;
    }
    copy_bodies(to, from, &map, size.bodies);
    copy_second_hulls(to, from, &map, size.seconds);
    copy_chains(to, from, &map, size.chains);
    copy_shapes(to, from, &map, size.shapes);
    if (!copy_overlaps(to, from, &map, size_of(to).shapes, size.shapes)) {
        disable(to, to_cell, &map.to, size_of(to));
        return false;
    }
    b2d_bits_copy(&to->watched_joints, map.to.joint, &from->watched_joints, map.from.joint, size.joints);
    copy_direct_changes(to, from, &map, size);
    copy_stamps(to, from, &map);
    copy_split(to, to_cell, from, from_cell, &map);
    copy_gravity(to, to_cell, from, from_cell);
    to->hits_wanted = to->hits_wanted || from->hits_wanted;
    to->broadphase_stale = true;
    to->direct.looped_count = B2D_NONE;
    *b2d_loads_of_cell(to, to_cell) = from->graph.cells.count == 0 ? from->loads : from->cell_rows[from_cell].loads;
    if (to->graph.cells.count > 0) to->cell_rows[to_cell].invalid = false;
    return true;
}
