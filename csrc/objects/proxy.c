// csrc/objects/proxy.c - the proxies of the broad phase: the fat box, old box and class of each shape, and their
// update.
//
// Every change of a box or class goes through `report_changes`, so the broad phase is always notified. Threads: serial
// stages only.
#include "objects/proxy.h"

#include "base/cpu.h"

#include <string.h>

static const float empty_min = 3.0e38f, empty_max = -3.0e38f; // an old box with these limits overlaps nothing

bool b2d_world_reserve_proxies(b2d_world* world, int32_t count) {
    b2d_proxies* p = &world->proxies;
    float** columns[8] = {&p->fat_min_x, &p->fat_min_y, &p->fat_max_x, &p->fat_max_y,
                          &p->old_min_x, &p->old_min_y, &p->old_max_x, &p->old_max_y};
    for (int32_t k = 0; k < 8; k++)
        if (!B2D_GROW(&world->memory, *columns[k], world->proxy_capacity[k], count)) return false;
    if (!B2D_GROW(&world->memory, p->proxy_class, world->proxy_class_capacity, count)) return false;
    if (!B2D_GROW(&world->memory, p->body, world->proxy_body_capacity, count)) return false;
    int32_t bits = world->proxy_class_capacity;
    if (!b2d_bits_reserve(&world->memory, &p->moved, bits) || !b2d_bits_reserve(&world->memory, &p->dirty, bits) ||
        !b2d_bits_reserve(&world->memory, &world->sensors, bits) ||
        !b2d_bits_reserve(&world->memory, &world->sensor_changes, bits))
        return false;
    int32_t capacity = world->proxy_class_capacity;
    for (int32_t k = 0; k < 8; k++) capacity = b2d_min_int(capacity, world->proxy_capacity[k]);
    p->capacity = b2d_min_int(capacity, world->proxy_body_capacity);
    return true;
}

static bool report_changes(b2d_world* world, const int32_t* shapes, int32_t count, int32_t before) {
    if (count == 0) return true;
    world->broadphase_stale = true;
    bool done = world->broadphase_table->change(&world->memory, world->broadphase, shapes, count, before);
    if (!done) world->step_failed = true;
    return done;
}
static bool report_change(b2d_world* world, int32_t shape, int32_t before) {
    return report_changes(world, &shape, 1, before);
}

static uint8_t class_of(const b2d_world* world, int32_t shape) {
    int32_t body = world->shapes_hot[shape].body;
    const b2d_body* row = &world->graph.bodies[body];
    if ((world->shapes[shape].flags & B2D_SHAPE_FLAG_SENSOR) || !(row->flags & B2D_BODY_FLAG_ENABLED))
        return B2D_PROXY_NONE;
    if (row->type == B2D_STATIC) return B2D_PROXY_STATIC;
    return b2d_is_awake(&world->graph, body) ? B2D_PROXY_MOVING : B2D_PROXY_ASLEEP;
}

static void store_class(b2d_world* world, int32_t shape, uint8_t now) {
    world->static_shapes += (now == B2D_PROXY_STATIC) - (world->proxies.proxy_class[shape] == B2D_PROXY_STATIC);
    world->proxies.proxy_class[shape] = now;
}

static bool set_class(b2d_world* world, int32_t shape, uint8_t now) {
    uint8_t before = world->proxies.proxy_class[shape];
    if (before == now) return true;
    store_class(world, shape, now);
    if (now == B2D_PROXY_NONE) b2d_bits_unset(&world->proxies.moved, shape);
    return report_change(world, shape, before);
}

void b2d_world_update_proxy_class(b2d_world* world, int32_t shape) {
    uint8_t now = class_of(world, shape);
    bool enters_broadphase = world->proxies.proxy_class[shape] == B2D_PROXY_NONE && now != B2D_PROXY_NONE;
    // Its box was not updated while it was not in the broad phase
    if (enters_broadphase) b2d_world_update_proxy_box(world, shape, true);
    set_class(world, shape, now);
    if (enters_broadphase) b2d_world_renew_pairs_of_changed(world, shape);
}

void b2d_world_set_proxy_class(b2d_world* world, int32_t shape, uint8_t now) {
    if (world->proxies.proxy_class[shape] != B2D_PROXY_NONE) set_class(world, shape, now);
}

void b2d_world_set_proxy_classes(b2d_world* world, const int32_t* shapes, int32_t count, uint8_t now) {
    if (count == 0) return;
    const uint8_t before = world->proxies.proxy_class[shapes[0]];
    for (int32_t k = 0; k < count; k++) store_class(world, shapes[k], now);
    (void)report_changes(world, shapes, count, before);
}

void b2d_world_renew_proxy(b2d_world* world, int32_t shape) {
    const uint8_t before = world->proxies.proxy_class[shape];
    if (before == B2D_PROXY_STATIC) world->shapes[shape].flags |= B2D_SHAPE_FLAG_CHANGED;
    b2d_world_update_proxy_class(world, shape); // a shape that enters the broad phase has its new box then
    const uint8_t now = world->proxies.proxy_class[shape];
    if ((before == B2D_PROXY_NONE) == (now == B2D_PROXY_NONE)) b2d_world_update_proxy_box(world, shape, true);
    else if (now == B2D_PROXY_NONE) b2d_world_renew_pairs(world, shape);
}

bool b2d_world_create_proxy(b2d_world* world, int32_t shape) {
    b2d_proxies* p = &world->proxies;
    p->limit = b2d_max_int(p->limit, world->shape_ids.limit);
    world->broadphase_stale = true; // a structure may be due, also for a shape that stays outside
    p->proxy_class[shape] = B2D_PROXY_NONE;
    p->body[shape] = world->shapes_hot[shape].body;
    b2d_world_update_proxy_box(world, shape, true); // the class is NONE, so this only sets the box
    const uint8_t now = class_of(world, shape);
    // A shape that stays outside is reported too, so that no report that follows needs memory
    if (!(now == B2D_PROXY_NONE ? report_change(world, shape, now) : set_class(world, shape, now))) {
        store_class(world, shape, B2D_PROXY_NONE);
        return false;
    }
    b2d_world_renew_pairs(world, shape);
    return true;
}

void b2d_world_drop_proxy(b2d_world* world, int32_t shape) {
    set_class(world, shape, B2D_PROXY_NONE);
    b2d_bits_unset(&world->proxies.moved, shape);
    b2d_bits_set(&world->sensor_changes, shape);
    world->proxies.body[shape] = B2D_NONE;
}

static b2d_box fat_box(const b2d_world* world, int32_t shape) {
    const b2d_proxies* p = &world->proxies;
    return (b2d_box){p->fat_min_x[shape], p->fat_min_y[shape], p->fat_max_x[shape], p->fat_max_y[shape]};
}

static void set_fat_box(b2d_world* world, int32_t shape, b2d_box box) {
    b2d_proxies* p = &world->proxies;
    p->fat_min_x[shape] = box.min_x;
    p->fat_min_y[shape] = box.min_y;
    p->fat_max_x[shape] = box.max_x;
    p->fat_max_y[shape] = box.max_y;
}

void b2d_world_update_proxy_box(b2d_world* world, int32_t shape, bool force) {
    const b2d_shape_hot* hot = &world->shapes_hot[shape];
    b2d_box tight = b2d_shape_box_inline(hot, b2d_world_second(world, hot), b2d_world_pose(world, hot->body));
    if (!force && b2d_box_contains(fat_box(world, shape), tight)) return;
    set_fat_box(world, shape, b2d_box_grow(tight, hot->margin));
    if (force)
        // Its contacts may have been destroyed while the old boxes still overlap.
        b2d_world_renew_pairs_of_changed(world, shape);
    uint8_t now = world->proxies.proxy_class[shape];
    if (now == B2D_PROXY_NONE) return; // it is not in the broad phase
    if (!force) b2d_bits_set(&world->proxies.moved, shape);
    report_change(world, shape, now);
}

void b2d_world_renew_pairs(b2d_world* world, int32_t shape) {
    b2d_proxies* p = &world->proxies;
    b2d_bits_set(&world->sensor_changes, shape);
    p->old_min_x[shape] = p->old_min_y[shape] = empty_min;
    p->old_max_x[shape] = p->old_max_y[shape] = empty_max;
    // It has no pairs; they are found when it returns to the broad phase
    if (p->proxy_class[shape] == B2D_PROXY_NONE) return;
    b2d_bits_set(&p->moved, shape);
    world->broadphase_stale = true;
}

void b2d_world_renew_pairs_of_changed(b2d_world* world, int32_t shape) {
    b2d_world_renew_pairs(world, shape);
    if (world->proxies.proxy_class[shape] == B2D_PROXY_STATIC) world->shapes[shape].flags |= B2D_SHAPE_FLAG_CHANGED;
}

B2D_DECLARE_KERNELS(b2d_fat_boxes_fn b2d_fat_boxes_)

static b2d_fat_boxes_fn* fat_boxes_kernel(int32_t simd) { B2D_RETURN_KERNEL(simd, b2d_fat_boxes_); }

// Neighbours, as those of bodies that were created together, are written column by column.
static void set_fat_boxes(b2d_proxies* p, const int32_t* shapes, int32_t count, const b2d_fat_boxes* boxes) {
    float* const columns[4] = {p->fat_min_x, p->fat_min_y, p->fat_max_x, p->fat_max_y};
    const bool neighbours = b2d_are_neighbours(shapes, count);
    for (int32_t c = 0; c < 4; c++)
        if (neighbours) memcpy(columns[c] + shapes[0], boxes->limits[c], (size_t)count * sizeof(float));
        else
            for (int32_t k = 0; k < count; k++) columns[c][shapes[k]] = boxes->limits[c][k];
}

static void empty_old_boxes(b2d_proxies* p, const int32_t* shapes, int32_t count) {
    float* const columns[4] = {p->old_min_x, p->old_min_y, p->old_max_x, p->old_max_y};
    const bool neighbours = b2d_are_neighbours(shapes, count);
    float rows[2][B2D_MANY_BOXES];
    for (int32_t k = 0; k < count; k++) rows[0][k] = empty_min, rows[1][k] = empty_max;
    for (int32_t c = 0; c < 4; c++)
        if (neighbours) memcpy(columns[c] + shapes[0], rows[c / 2], (size_t)count * sizeof(float));
        else
            for (int32_t k = 0; k < count; k++) columns[c][shapes[k]] = rows[c / 2][k];
}

void b2d_world_renew_boxes(b2d_world* world, const int32_t* shapes, int32_t count, uint8_t before) {
    b2d_proxies* p = &world->proxies;
    b2d_fat_boxes boxes;
    if (count == 0) return;
    fat_boxes_kernel(b2d_simd_for(world->simd, count))(world, shapes, count, &boxes);
    set_fat_boxes(p, shapes, count, &boxes);
    empty_old_boxes(p, shapes, count);
    b2d_bits_set_many(&world->sensor_changes, shapes, count);
    b2d_bits_set_many(&p->moved, shapes, count);
    if (before != B2D_PROXY_MOVING)
        for (int32_t k = 0; k < count; k++) store_class(world, shapes[k], B2D_PROXY_MOVING);
    (void)report_changes(world, shapes, count, before);
}

void b2d_world_take_out(b2d_world* world, const int32_t* shapes, int32_t count) {
    b2d_proxies* p = &world->proxies;
    if (count == 0) return;
    b2d_world_set_proxy_classes(world, shapes, count, B2D_PROXY_NONE);
    b2d_bits_unset_many(&p->moved, shapes, count);
    empty_old_boxes(p, shapes, count);
    b2d_bits_set_many(&world->sensor_changes, shapes, count);
}

bool b2d_proxies_still_near(const b2d_proxies* p, int32_t a, int32_t b) {
    if (p->proxy_class[a] == B2D_PROXY_NONE || p->proxy_class[b] == B2D_PROXY_NONE) return false;
    // The pairs of one of them will be searched again
    if (p->old_min_x[a] > p->old_max_x[a] || p->old_min_x[b] > p->old_max_x[b]) return false;
    return p->fat_min_x[a] <= p->fat_max_x[b] && p->fat_min_x[b] <= p->fat_max_x[a] &&
           p->fat_min_y[a] <= p->fat_max_y[b] && p->fat_min_y[b] <= p->fat_max_y[a];
}

bool b2d_world_update_broadphase(b2d_world* world) {
    if (!world->broadphase_stale) return true;
    if (!world->broadphase_table->update(&world->memory, world->broadphase, world->scheduler)) return false;
    b2d_bits_clear(&world->proxies.dirty);
    world->broadphase_stale = false;
    return true;
}
