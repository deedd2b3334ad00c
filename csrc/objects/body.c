// csrc/objects/body.c - operations on bodies: creation, placing, type, sleep. The API has checked the input.
//
// An operation that removes the support of other bodies (destroying, placing, changing the type, disabling) first wakes
// the bodies that touch the body, then removes its contacts.
#include "objects/body.h"

#include "objects/contact.h"
#include "objects/joint.h"
#include "objects/proxy.h"
#include "objects/scratch.h"
#include "objects/shape.h"
#include "objects/terrain.h"

bool b2d_world_reserve_bodies(b2d_world* world, int32_t rows) {
    return b2d_shared_grow(&world->memory, &world->poses, rows) &&
           b2d_shared_grow(&world->memory, &world->states, rows) &&
           B2D_GROW(&world->memory, world->body_generations, world->body_generation_capacity, rows) &&
           B2D_GROW(&world->memory, world->masses, world->mass_capacity, rows) &&
           B2D_GROW(&world->memory, world->body_steps, world->body_step_capacity, rows) &&
           B2D_GROW(&world->memory, world->body_rests, world->body_rest_capacity, rows) &&
           B2D_GROW(&world->memory, world->graph.bodies, world->graph.body_capacity, rows) &&
           B2D_GROW(&world->memory, world->graph.color_masks, world->graph.color_mask_capacity, rows) &&
           b2d_clusters_reserve(&world->graph, rows) && b2d_bits_reserve(&world->memory, &world->graph.awake, rows) &&
           b2d_bits_reserve(&world->memory, &world->graph.sleep_changed, rows) &&
           b2d_bits_reserve(&world->memory, &world->graph.new_fat_boxes, rows) &&
           b2d_bits_reserve(&world->memory, &world->plates, rows) &&
           b2d_bits_reserve(&world->memory, &world->kinematics, rows);
}

bool b2d_world_reserve_law(b2d_world* world, int32_t body) {
    const int32_t rows = b2d_max_int(world->law_rows, body + 1);
    if (!B2D_GROW(&world->memory, world->laws, world->law_capacity, rows)) return false;
    for (int32_t row = world->law_rows; row < rows; row++) world->laws[row] = (b2d_force_law){0};
    world->law_rows = rows;
    return true;
}

void b2d_world_drop_law(b2d_world* world, int32_t body) {
    if (world->graph.bodies[body].flags & B2D_BODY_FLAG_YIELDS)
        world->laws[body] = (b2d_force_law){.lift = B2D_NO_LIFT};
}

bool b2d_world_add_water(b2d_world* world, const b2d_water* water) {
    if (!B2D_GROW(&world->memory, world->waters, world->water_capacity, world->water_count + 1)) return false;
    world->waters[world->water_count++] = *water;
    return true;
}

void b2d_world_forget_laws(b2d_world* world) {
    for (int32_t row = 0; row < world->law_rows; row++)
        world->graph.bodies[row].flags &= (uint16_t)~B2D_BODY_FLAG_YIELDS;
    world->law_rows = world->water_count = 0;
}

static bool joins_islands(const b2d_body* body) {
    return body->type != B2D_STATIC && (body->flags & B2D_BODY_FLAG_ENABLED) != 0;
}

void b2d_world_apply_locks(b2d_world* world, int32_t id) {
    const uint16_t flags = world->graph.bodies[id].flags;
    b2d_body_state* state = b2d_world_state(world, id);
    if (flags & B2D_BODY_FLAG_LOCK_X) state->vx = 0.0f;
    if (flags & B2D_BODY_FLAG_LOCK_Y) state->vy = 0.0f;
    if (flags & B2D_BODY_FLAG_LOCK_ROTATION) state->w = 0.0f;
}

int32_t b2d_world_new_body(b2d_world* world, const b2d_body_def* def) {
    if (!b2d_world_reserve_bodies(world, b2d_id_pool_rows(&world->body_ids))) return B2D_NONE;
    int32_t id = b2d_id_pool_take(&world->memory, &world->body_ids);
    if (id == B2D_NONE) return B2D_NONE;
    b2d_body* body = &world->graph.bodies[id];
    *body = (b2d_body){.shape_head = B2D_NONE,
                       .contact_head = B2D_NONE,
                       .contact_tail = B2D_NONE,
                       .joint_head = B2D_NONE,
                       .island = B2D_NONE,
                       .island_slot = B2D_NONE,
                       .type = (uint8_t)def->type,
                       .min_extent = 1.0e6f};
    int32_t flags = def->enabled ? B2D_BODY_FLAG_ENABLED : 0;
#define B2D_BODY_PROPERTY(NAME, name, ...) flags |= def->name ? B2D_BODY_FLAG_##NAME : 0;
#include "lists/body_flags.def"
#undef B2D_BODY_PROPERTY
    body->flags = (uint16_t)flags;
    bool awake = joins_islands(body) && (def->awake || !def->can_sleep);
    if (joins_islands(body) && b2d_island_create(&world->graph, id) == B2D_NONE) {
        b2d_id_pool_release(&world->body_ids, id);
        return B2D_NONE;
    }
    b2d_rot q = b2d_make_rot(def->angle);
    *b2d_world_pose(world, id) = (b2d_pose){def->x, def->y, q.c, q.s, 0.0f, 0.0f};
    *b2d_world_state(world, id) = (b2d_body_state){0};
    if (awake) {
        *b2d_world_state(world, id) = (b2d_body_state){
            .vx = (float)def->vx, .vy = (float)def->vy, .w = (float)def->angular_velocity};
        b2d_world_apply_locks(world, id);
        b2d_bits_set(&world->graph.awake, id);
    }
    world->masses[id] = (b2d_body_mass){
#define B2D_BODY_PROPERTY(NAME, name, ...) .name = (float)def->name,
#include "lists/body_numbers.def"
#undef B2D_BODY_PROPERTY
    };
    world->body_steps[id] = (b2d_body_step){0};
    world->body_rests[id] = (b2d_body_rest){0};
    body->extent = b2d_world_extent_without_shapes(world, id);
    world->graph.color_masks[id] = 0;
    world->body_generations[id] = ++world->graph.generation;
    return id;
}

void b2d_world_drop_body(b2d_world* world, int32_t id) {
    b2d_world_wake_touching(world, id);
    b2d_body* body = &world->graph.bodies[id];
    while (body->joint_head != B2D_NONE) b2d_world_drop_joint(world, body->joint_head >> 1);
    b2d_world_destroy_contacts_of_body(world, id);
    while (body->shape_head != B2D_NONE) b2d_world_remove_shape(world, body->shape_head);
    if (body->island != B2D_NONE) b2d_island_remove_body(&world->graph, id);
    b2d_bits_unset(&world->graph.awake, id);
    b2d_bits_unset(&world->graph.sleep_changed, id);
    b2d_bits_unset(&world->plates, id);
    b2d_bits_unset(&world->kinematics, id);
    if (!b2d_bits_is_empty(&world->mass_changed)) {
        b2d_bits_unset(&world->mass_due, id);
        b2d_bits_unset(&world->mass_changed, id);
    }
    *b2d_world_pose(world, id) = (b2d_pose){.c = 1.0f};
    *b2d_world_state(world, id) = (b2d_body_state){0};
    world->masses[id] = (b2d_body_mass){0};
    world->body_generations[id] = 0;
    b2d_id_pool_release(&world->body_ids, id);
}

static void stop(b2d_world* world, int32_t id) {
    b2d_body_state* state = b2d_world_state(world, id);
    state->vx = state->vy = state->w = state->dx = state->dy = state->angle = 0.0f;
}

void b2d_world_flush_sleep_changes(b2d_world* world) {
    b2d_graph* graph = &world->graph;
    B2D_FOR_BITS (&graph->sleep_changed, id) {
        const bool awake = b2d_is_awake(graph, id);
        if (!awake) stop(world, id);
        for (int32_t shape = graph->bodies[id].shape_head; shape != B2D_NONE; shape = world->shapes[shape].next)
            b2d_world_set_proxy_class(world, shape, awake ? B2D_PROXY_MOVING : B2D_PROXY_ASLEEP);
    }
    b2d_bits_clear(&graph->sleep_changed);
}

bool b2d_world_wake_sleeping_body(b2d_world* world, int32_t id) {
    bool done = b2d_wake(&world->graph, id);
    b2d_world_flush_sleep_changes(world);
    return done;
}

// A sleeping side is woken before the colours are read, because waking changes them.
bool b2d_world_wake_moving(b2d_world* world, int32_t id) {
    return !b2d_moves(&world->graph, id) || b2d_is_awake(&world->graph, id) || b2d_world_wake_body(world, id);
}

void b2d_world_wake_touching(b2d_world* world, int32_t id) {
    b2d_graph* graph = &world->graph;
    b2d_wake(graph, id);
    for (int32_t key = graph->bodies[id].contact_head; key != B2D_NONE; key = graph->contacts[key >> 1].next[key & 1]) {
        const b2d_pair* pair = &graph->pairs[key >> 1];
        if (pair->flags & B2D_PAIR_TOUCHING) b2d_wake(graph, key & 1 ? pair->body_a : pair->body_b);
    }
    for (int32_t key = graph->bodies[id].joint_head; key != B2D_NONE; key = graph->joints[key >> 1].next[key & 1])
        b2d_wake(graph, graph->joints[key >> 1].body[!(key & 1)]);
    b2d_world_flush_sleep_changes(world);
}

void b2d_world_destroy_contacts_of_body(b2d_world* world, int32_t id) {
    while (world->graph.bodies[id].contact_head != B2D_NONE)
        b2d_world_destroy_contact(world, world->graph.bodies[id].contact_head >> 1, true);
}

// Then nothing else has to wake before a change of the body.
static inline bool is_alone_and_awake(const b2d_graph* graph, int32_t id) {
    const b2d_body* body = &graph->bodies[id];
    return body->contact_head == B2D_NONE && body->joint_head == B2D_NONE && b2d_is_awake(graph, id);
}

// Whether a body is put so far away that its contacts touch at other places: by more than four slops, or by more than a
// degree. After a small correction the impulses of the last step still hold.
static bool goes_elsewhere(const b2d_world* world, const b2d_pose* from, double x, double y, b2d_rot q) {
    const double dx = x - from->x, dy = y - from->y, near = 4.0 * (double)b2d_linear_slop(world);
    return dx * dx + dy * dy > near * near || b2d_abs(from->c * q.s - from->s * q.c) > 0.0175f ||
           from->c * q.c + from->s * q.s < 0.0f;
}

void b2d_world_place_body(b2d_world* world, int32_t id, double x, double y, b2d_rot q) {
    b2d_graph* graph = &world->graph;
    b2d_body* body = &graph->bodies[id];
    const bool elsewhere = goes_elsewhere(world, b2d_world_pose(world, id), x, y, q);
    if (!is_alone_and_awake(graph, id)) b2d_world_wake_touching(world, id);
    b2d_pose* pose = b2d_world_pose(world, id);
    pose->x = x, pose->y = y, pose->c = q.c, pose->s = q.s;
    if (body->type == B2D_STATIC) body->flags |= B2D_BODY_FLAG_TELEPORTED;
    for (int32_t shape = body->shape_head; shape != B2D_NONE; shape = world->shapes[shape].next)
        b2d_world_update_proxy_box(world, shape, true);
    for (int32_t key = body->contact_head, next; key != B2D_NONE; key = next) {
        next = graph->contacts[key >> 1].next[key & 1];
        const b2d_pair* pair = &graph->pairs[key >> 1];
        const b2d_proxies* p = &world->proxies;
        int32_t a = pair->shape_a, b = pair->shape_b;
        bool overlap = p->fat_min_x[a] <= p->fat_max_x[b] && p->fat_min_x[b] <= p->fat_max_x[a] &&
                       p->fat_min_y[a] <= p->fat_max_y[b] && p->fat_min_y[b] <= p->fat_max_y[a];
        if (!overlap) b2d_world_destroy_contact(world, key >> 1, true);
        else {
            b2d_contact_refresh(graph, key >> 1);
            if (elsewhere) b2d_contact_forget(graph, key >> 1);
            if (pair->flags & B2D_PAIR_INTERNAL_EDGES) b2d_world_refresh_internal_edges(world, key >> 1);
        }
    }
}

// Shapes of bodies that one call changes alike; their proxies are renewed together.
typedef struct shape_batch {
    int32_t shapes[B2D_MANY_BOXES], count;
    int32_t bodies[B2D_MANY_BOXES]; // of the shapes, where the caller needs them
    int32_t kind;                   // what the caller makes of it
} shape_batch;

// The row of the shape is read when the batch is full, and is in the cache by then.
static inline void add_shape(const b2d_world* world, shape_batch* batch, int32_t shape) {
    b2d_shape_prefetch(&world->shapes_hot[shape]);
    batch->shapes[batch->count++] = shape;
}

// Prefetches the row of a body that comes a little later.
static inline void fetch_body(const b2d_world* world, int32_t n, const int32_t* ids, int32_t row) {
    enum { AHEAD = 8 };
    if (row + AHEAD < n) __builtin_prefetch(&world->graph.bodies[ids[row + AHEAD]]);
}

static void renew_moved(b2d_world* world, shape_batch* batch) {
    b2d_world_renew_boxes(world, batch->shapes, batch->count, B2D_PROXY_MOVING);
    batch->count = 0;
}

void b2d_world_move_bodies(b2d_world* world, int32_t n, const int32_t* ids, const double* positions) {
    shape_batch batch = {.count = 0};
    for (int32_t k = 0; k < n; k++) {
        fetch_body(world, n, ids, k);
        const int32_t shape = world->graph.bodies[ids[k]].shape_head;
        b2d_pose* pose = b2d_world_pose(world, ids[k]);
        const bool plain = is_alone_and_awake(&world->graph, ids[k]) && shape != B2D_NONE &&
                           world->graph.bodies[ids[k]].shape_count == 1 &&
                           world->proxies.proxy_class[shape] == B2D_PROXY_MOVING;
        if (batch.count == B2D_MANY_BOXES || !plain) renew_moved(world, &batch);
        if (plain) {
            pose->x = positions[2 * k], pose->y = positions[2 * k + 1];
            add_shape(world, &batch, shape);
        } else b2d_world_place_body(world, ids[k], positions[2 * k], positions[2 * k + 1], (b2d_rot){pose->c, pose->s});
    }
    renew_moved(world, &batch);
}

// detach removes a body from islands, contacts and solved joints, and attach adds it again. Type and flags may change
// in between.
static void detach(b2d_world* world, int32_t id) {
    b2d_graph* graph = &world->graph;
    if (!is_alone_and_awake(graph, id)) b2d_world_wake_touching(world, id);
    b2d_world_destroy_contacts_of_body(world, id);
    for (int32_t key = graph->bodies[id].joint_head; key != B2D_NONE; key = graph->joints[key >> 1].next[key & 1]) {
        b2d_world_deactivate_joint(world, key >> 1);
        b2d_world_renew_gears(world, key >> 1, false);
    }
    if (graph->bodies[id].island != B2D_NONE) b2d_island_remove_body(graph, id);
    b2d_bits_unset(&graph->awake, id);
    b2d_bits_unset(&graph->sleep_changed, id);
    graph->color_masks[id] = 0;
}

static bool attach(b2d_world* world, int32_t id) {
    b2d_graph* graph = &world->graph;
    b2d_body* body = &graph->bodies[id];
    bool done = true;
    body->sleep_timer = 0.0f;
    if (joins_islands(body)) { // its row is reserved
        int32_t island = b2d_island_create(graph, id);
        B2D_ASSERT(island != B2D_NONE);
        (void)island;
        b2d_bits_set(&graph->awake, id);
    }
    for (int32_t shape = body->shape_head; shape != B2D_NONE; shape = world->shapes[shape].next)
        b2d_world_renew_proxy(world, shape);
    for (int32_t key = body->joint_head; key != B2D_NONE; key = graph->joints[key >> 1].next[key & 1]) {
        b2d_wake(graph, graph->joints[key >> 1].body[!(key & 1)]);
        if (b2d_world_joint_solved(world, key >> 1)) done = b2d_world_activate_joint(world, key >> 1) && done;
        done = b2d_world_renew_gears(world, key >> 1, true) && done;
    }
    if (body->joint_head != B2D_NONE) b2d_world_flush_sleep_changes(world);
    return done;
}

bool b2d_world_set_body_type(b2d_world* world, int32_t id, int32_t type) {
    if (world->graph.bodies[id].type == type) return true;
    if (!b2d_island_reserve(&world->graph)) return false;
    detach(world, id);
    world->graph.bodies[id].type = (uint8_t)type;
    b2d_world_update_mass(world, id);
    if (!joins_islands(&world->graph.bodies[id])) stop(world, id);
    return attach(world, id);
}

// A disabled body keeps its velocity until it is enabled.
bool b2d_world_set_body_enabled(b2d_world* world, int32_t id, bool enabled) {
    b2d_body* body = &world->graph.bodies[id];
    if (enabled == ((body->flags & B2D_BODY_FLAG_ENABLED) != 0)) return true;
    if (enabled && !b2d_island_reserve(&world->graph)) return false;
    detach(world, id);
    if (enabled) body->flags |= B2D_BODY_FLAG_ENABLED;
    else body->flags &= (uint16_t)~B2D_BODY_FLAG_ENABLED;
    if (body->joint_head != B2D_NONE) b2d_direct_touch(&world->memory, &world->direct, id);
    return attach(world, id);
}

// Whether nothing else is concerned when a body wakes, falls asleep or is disabled: it is an island of its own without
// contacts and joints, and has one shape, which is in the broad phase.
static inline bool is_lone(const b2d_world* world, int32_t id) {
    const b2d_graph* graph = &world->graph;
    const b2d_body* body = &graph->bodies[id];
    if (body->island == B2D_NONE || body->contact_head != B2D_NONE || body->joint_head != B2D_NONE ||
        body->shape_count != 1 || world->proxies.proxy_class[body->shape_head] == B2D_PROXY_NONE)
        return false;
    const b2d_island* island = &graph->islands[body->island];
    return island->body_count == 1 && island->removals == 0 && island->parent == B2D_NONE;
}

// Disables a lone body that is awake; its shape then has to leave the broad phase.
static inline void disable_lone(b2d_world* world, b2d_body* body, int32_t id) {
    b2d_island_drop(&world->graph, body->island);
    body->island = body->island_slot = B2D_NONE;
    body->flags &= (uint16_t)~B2D_BODY_FLAG_ENABLED;
    body->sleep_timer = 0.0f;
    world->graph.color_masks[id] = 0;
}

static void renew_enabled(b2d_world* world, shape_batch* batch) {
    if (batch->kind != 0) {
        if (world->graph.cells.count == 0) b2d_islands_create(&world->graph, batch->bodies, batch->count);
        b2d_bits_set_many(&world->graph.awake, batch->bodies, batch->count);
        b2d_world_renew_boxes(world, batch->shapes, batch->count, B2D_PROXY_NONE);
    } else {
        b2d_bits_unset_many(&world->graph.awake, batch->bodies, batch->count);
        b2d_world_take_out(world, batch->shapes, batch->count);
    }
    batch->count = 0;
}

// The islands of bodies that are enabled are created together, and the proxies of shapes that enter or leave the broad
// phase are renewed together. A body is enabled together with others when it has no contacts and joints, and one shape
// that is not a sensor.
bool b2d_world_enable_bodies(b2d_world* world, int32_t n, const int32_t* ids, const double* enabled, int32_t* row) {
    shape_batch batch = {.count = 0};
    *row = 0;
    const bool packed = world->graph.cells.count > 0; // its islands are created one by one
    if (!packed && !b2d_islands_reserve(&world->graph, n, world->body_ids.limit)) return false;
    bool done = true;
    for (; *row < n; ++*row) {
        const int32_t id = ids[*row];
        fetch_body(world, n, ids, *row);
        b2d_body* body = &world->graph.bodies[id];
        const bool on = enabled[*row] != 0.0, was_on = (body->flags & B2D_BODY_FLAG_ENABLED) != 0;
        if (on == was_on) continue;
        const bool plain = on ? body->joint_head == B2D_NONE && body->type != B2D_STATIC && body->shape_count == 1 &&
                                    !b2d_bits_has(&world->sensors, body->shape_head)
                              : is_lone(world, id) && b2d_is_awake(&world->graph, id);
        if (batch.count == B2D_MANY_BOXES || !plain || on != batch.kind) renew_enabled(world, &batch);
        batch.kind = on;
        if (!plain) done = b2d_world_set_body_enabled(world, id, on);
        else if (on && packed) done = b2d_island_create(&world->graph, id) != B2D_NONE;
        if (!done) break;
        if (!plain) continue;
        if (on) body->flags |= B2D_BODY_FLAG_ENABLED, body->sleep_timer = 0.0f;
        else disable_lone(world, body, id);
        batch.bodies[batch.count] = id;
        add_shape(world, &batch, body->shape_head);
    }
    renew_enabled(world, &batch);
    return done;
}

static void renew_sleeping(b2d_world* world, shape_batch* batch) {
    b2d_world_set_proxy_classes(world, batch->shapes, batch->count, batch->kind ? B2D_PROXY_MOVING : B2D_PROXY_ASLEEP);
    batch->count = 0;
}

static void set_awake_of_lone(b2d_world* world, int32_t id, bool awake) {
    b2d_graph* graph = &world->graph;
    if (awake) {
        b2d_bits_set(&graph->awake, id);
        b2d_bits_set(&graph->new_fat_boxes, id);
        graph->bodies[id].sleep_timer = 0.0f;
        graph->woken++;
    } else {
        b2d_bits_unset(&graph->awake, id);
        stop(world, id);
        graph->slept++;
    }
}

// Without a report to the broad phase.
static bool set_awake(b2d_world* world, int32_t id, bool awake) {
    b2d_graph* graph = &world->graph;
    int32_t island = graph->bodies[id].island;
    if (island == B2D_NONE || awake == b2d_is_awake(graph, id)) return true;
    if (awake) return b2d_wake(graph, id);
    int32_t made;
    if ((graph->loose || graph->islands[island].removals > 0) && !b2d_lease_scratch(world)) return false;
    if (graph->loose && !b2d_island_close(graph, &world->scratch->arena, id)) return false;
    island = graph->bodies[id].island;
    if (graph->islands[island].removals > 0 && !b2d_island_split(graph, &world->scratch->arena, island, &made))
        return false;
    island = graph->bodies[id].island;
    if (!b2d_sleep_island(graph, island)) return false;
    // At once, because a later row of the same call may wake it
    const int32_t* bodies = b2d_island_bodies(&graph->islands[island]);
    for (int32_t k = 0; k < graph->islands[island].body_count; k++) stop(world, bodies[k]);
    return true;
}

// The islands that wake or fall asleep are reported to the broad phase together.
bool b2d_world_set_bodies_awake(b2d_world* world, int32_t n, const int32_t* ids, const double* awake, int32_t* row) {
    shape_batch batch = {.count = 0};
    bool done = true;
    for (*row = 0; *row < n && done; *row += done) {
        const int32_t id = ids[*row];
        const bool on = awake[*row] != 0.0;
        fetch_body(world, n, ids, *row);
        if (on == b2d_is_awake(&world->graph, id)) continue;
        if (world->graph.loose || !is_lone(world, id)) {
            done = set_awake(world, id, on);
            continue;
        }
        if (batch.count == B2D_MANY_BOXES || on != batch.kind) renew_sleeping(world, &batch);
        batch.kind = on;
        set_awake_of_lone(world, id, on);
        batch.shapes[batch.count++] = world->graph.bodies[id].shape_head;
    }
    renew_sleeping(world, &batch);
    b2d_world_flush_sleep_changes(world);
    return done;
}

bool b2d_world_set_body_awake(b2d_world* world, int32_t id, bool awake) {
    const bool done = set_awake(world, id, awake);
    b2d_world_flush_sleep_changes(world);
    return done;
}
