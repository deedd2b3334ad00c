// csrc/world/shape.c - shapes: making, changing and dropping them, and what the broad phase is told about them.
//
// Idea: a shape is one id in four tables: the hot row (geometry and material for kernels), the cold row (filter,
// events), the proxy columns (fat box, old box, class) and, beyond four vertices, a row of second hulls. Every change
// of box or class goes through `tell`, so no broad phase can miss one. Threads: serial stages only.
#include "world/world.h"

static const float empty_min = 3.0e38f, empty_max = -3.0e38f; // an old box that overlaps nothing

static bool grow_proxies(b2d_world* world, int32_t count) {
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

bool b2d_world_reserve_shapes(b2d_world* world, int32_t count) {
    return b2d_id_pool_reserve(&world->memory, &world->shape_ids, count) &&
           B2D_GROW(&world->memory, world->shape_generations, world->shape_generation_capacity, count) &&
           B2D_GROW(&world->memory, world->shapes_hot, world->shape_hot_capacity, count) &&
           B2D_GROW(&world->memory, world->shapes, world->shape_capacity, count) && grow_proxies(world, count);
}

static bool tell(b2d_world* world, int32_t shape, int32_t before) {
    world->broadphase_stale = true;
    bool told = world->broadphase_table->change(&world->memory, world->broadphase, shape, before);
    if (!told) world->step_failed = true;
    return told;
}

static uint8_t class_of(const b2d_world* world, int32_t shape) {
    int32_t body = world->shapes_hot[shape].body;
    const b2d_body* row = &world->graph.bodies[body];
    if ((world->shapes[shape].flags & B2D_SHAPE_FLAG_SENSOR) || !(row->flags & B2D_BODY_FLAG_ENABLED))
        return B2D_PROXY_NONE;
    if (row->type == B2D_STATIC) return B2D_PROXY_STATIC;
    return b2d_is_awake(&world->graph, body) ? B2D_PROXY_MOVING : B2D_PROXY_ASLEEP;
}

static void write_class(b2d_world* world, int32_t shape, uint8_t now) {
    world->static_shapes += (now == B2D_PROXY_STATIC) - (world->proxies.proxy_class[shape] == B2D_PROXY_STATIC);
    world->proxies.proxy_class[shape] = now;
}

static bool set_class(b2d_world* world, int32_t shape, uint8_t now) {
    uint8_t before = world->proxies.proxy_class[shape];
    if (before == now) return true;
    write_class(world, shape, now);
    if (now == B2D_PROXY_NONE) b2d_bits_unset(&world->proxies.moved, shape);
    return tell(world, shape, before);
}

void b2d_world_class_shape(b2d_world* world, int32_t shape) {
    uint8_t now = class_of(world, shape);
    bool returns = world->proxies.proxy_class[shape] == B2D_PROXY_NONE && now != B2D_PROXY_NONE;
    if (returns) b2d_world_sync_shape(world, shape, true); // its box is that of when it left
    set_class(world, shape, now);
    if (returns) b2d_world_reopen_changed(world, shape);
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

void b2d_world_sync_shape(b2d_world* world, int32_t shape, bool force) {
    const b2d_shape_hot* hot = &world->shapes_hot[shape];
    b2d_box tight = b2d_shape_box(hot, b2d_world_second(world, hot), b2d_world_pose(world, hot->body));
    if (!force && b2d_box_contains(fat_box(world, shape), tight)) return;
    set_fat_box(world, shape, b2d_box_grow(tight, hot->margin));
    if (force) b2d_world_reopen_changed(world, shape); // its contacts may have gone while the old boxes still overlap
    uint8_t now = world->proxies.proxy_class[shape];
    if (now == B2D_PROXY_NONE) return; // nobody looks for it
    b2d_bits_set(&world->proxies.moved, shape);
    tell(world, shape, now);
}

void b2d_world_reopen(b2d_world* world, int32_t shape) {
    b2d_proxies* p = &world->proxies;
    b2d_bits_set(&world->sensor_changes, shape);
    p->old_min_x[shape] = p->old_min_y[shape] = empty_min;
    p->old_max_x[shape] = p->old_max_y[shape] = empty_max;
    if (p->proxy_class[shape] == B2D_PROXY_NONE) return; // it has no pairs; it is looked at when it comes back
    b2d_bits_set(&p->moved, shape);
    world->broadphase_stale = true;
}

void b2d_world_reopen_changed(b2d_world* world, int32_t shape) {
    b2d_world_reopen(world, shape);
    if (world->proxies.proxy_class[shape] == B2D_PROXY_STATIC) world->shapes[shape].flags |= B2D_SHAPE_FLAG_CHANGED;
}

// Fat margin: an eighth of the extent, at most 5 cm. Wider boxes stay longer; narrower ones meet less.
static float fat_margin(const b2d_world* world, const b2d_shape_hot* hot) {
    return b2d_min(0.125f * hot->extent, 0.05f * b2d_option(world, B2D_OPTION_LENGTH_UNIT));
}

// Fills the geometry half of the hot row; `row` is the second hull's row or B2D_NONE.
static void fill_geometry(b2d_world* world, int32_t shape, const b2d_geometry* geometry, int32_t row) {
    b2d_shape_hot* hot = &world->shapes_hot[shape];
    b2d_shape_hot kept = *hot;
    world->shape_changes++;
    b2d_shape_hot_make(geometry, hot, row == B2D_NONE ? NULL : &world->second_hulls[row]);
    hot->body = kept.body;
    hot->second_hull = row;
    hot->friction = kept.friction;
    hot->restitution = kept.restitution;
    hot->rolling_resistance = kept.rolling_resistance;
    hot->tangent_speed = kept.tangent_speed;
    world->shapes[shape].type = (uint8_t)geometry->type;
    hot->margin = fat_margin(world, hot);
}

static bool needs_second(const b2d_geometry* geometry) {
    return (geometry->type == B2D_POLYGON && geometry->count > 4) || geometry->type == B2D_CHAIN_SEGMENT;
}

// *row: B2D_NONE when four vertices suffice. False: no memory.
static bool take_second(b2d_world* world, const b2d_geometry* geometry, int32_t* row) {
    *row = B2D_NONE;
    if (!needs_second(geometry)) return true;
    *row = b2d_id_pool_take(&world->memory, &world->second_ids);
    if (*row == B2D_NONE) return false;
    const bool chain = geometry->type == B2D_CHAIN_SEGMENT;
    if (B2D_GROW(&world->memory, world->second_hulls, world->second_capacity, *row + 1) &&
        (!chain || B2D_GROW(&world->memory, world->chain_links, world->chain_link_capacity, *row + 1))) {
        if (chain) world->chain_links[*row] = (b2d_chain_link){B2D_NONE, B2D_NONE};
        return true;
    }
    b2d_id_pool_release(&world->second_ids, *row);
    return false;
}

// Mass and extents after the shapes of a body changed. A static body may have very many shapes, so its extent only
// grows, by a bound; it gets exact ones when its type changes.
static void shapes_changed(b2d_world* world, int32_t body, bool update_mass) {
    if (world->graph.bodies[body].type == B2D_STATIC) return;
    if (update_mass) b2d_world_update_mass(world, body); // and the extents
    else b2d_world_update_extents(world, body);
}

static void grow_extent(b2d_world* world, int32_t body, const b2d_shape_hot* hot) {
    const b2d_pose* pose = b2d_world_pose(world, body);
    float reach = b2d_length(b2d_sub(b2d_v(hot->center_x, hot->center_y), b2d_v(pose->cx, pose->cy))) + hot->extent;
    b2d_body* row = &world->graph.bodies[body];
    row->extent = b2d_max(row->extent, reach);
}

int32_t b2d_world_new_shape(b2d_world* world, int32_t body, const b2d_geometry* geometry, const b2d_shape_def* def) {
    int32_t second;
    if (!take_second(world, geometry, &second)) return B2D_NONE;
    int32_t shape = B2D_NONE;
    const b2d_id_pool* ids = &world->shape_ids;
    // Rows before ids
    if (!b2d_world_reserve_shapes(world, ids->count < ids->limit ? ids->limit : ids->limit + 1)) goto no_memory;
    shape = b2d_id_pool_take(&world->memory, &world->shape_ids);
    if (shape == B2D_NONE) goto no_memory;

    uint8_t flags = (uint8_t)((def->sensor ? B2D_SHAPE_FLAG_SENSOR : 0) |
                              (def->contact_events ? B2D_SHAPE_FLAG_CONTACT_EVENTS : 0) |
                              (def->hit_events ? B2D_SHAPE_FLAG_HIT_EVENTS : 0) |
                              (def->sensor_events ? B2D_SHAPE_FLAG_SENSOR_EVENTS : 0));
    world->hits_wanted = world->hits_wanted || def->hit_events;
    if (def->presolve) flags |= B2D_SHAPE_FLAG_PRESOLVE;
    b2d_vec2 one_way = b2d_one_way_unit(def->one_way_x, def->one_way_y);
    if (one_way.x != 0.0f || one_way.y != 0.0f) flags |= B2D_SHAPE_FLAG_ONE_WAY;
    world->shapes[shape] = (b2d_shape){.next = B2D_NONE,
                                       .prev = B2D_NONE,
                                       .group = def->group,
                                       .material = def->material,
                                       .category = def->category,
                                       .mask = def->mask,
                                       .color = def->color,
                                       .density = (float)def->density,
                                       .flags = flags,
                                       .one_way = one_way};
    world->shapes_hot[shape] = (b2d_shape_hot){.body = body,
                                               .friction = (float)def->friction,
                                               .restitution = (float)def->restitution,
                                               .rolling_resistance = (float)def->rolling_resistance,
                                               .tangent_speed = (float)def->tangent_speed};
    fill_geometry(world, shape, geometry, second);

    b2d_proxies* proxies = &world->proxies;
    proxies->limit = b2d_max_int(proxies->limit, world->shape_ids.limit);
    proxies->proxy_class[shape] = B2D_PROXY_NONE;
    proxies->body[shape] = body;
    b2d_world_sync_shape(world, shape, true); // class NONE: only the box
    if (!set_class(world, shape, class_of(world, shape))) {
        write_class(world, shape, B2D_PROXY_NONE);
        goto no_memory;
    }
    b2d_world_reopen(world, shape);
    if (def->sensor) b2d_bits_set(&world->sensors, shape);

    b2d_body* row = &world->graph.bodies[body];
    world->shapes[shape].next = row->shape_head;
    if (row->shape_head != B2D_NONE) world->shapes[row->shape_head].prev = shape;
    row->shape_head = shape;
    row->shape_count++;
    world->shape_generations[shape] = ++world->graph.generation;
    if (row->type == B2D_STATIC) grow_extent(world, body, &world->shapes_hot[shape]);
    else shapes_changed(world, body, def->update_mass);
    return shape;

no_memory:
    if (shape != B2D_NONE) b2d_id_pool_release(&world->shape_ids, shape);
    if (second != B2D_NONE) b2d_id_pool_release(&world->second_ids, second);
    return B2D_NONE;
}

void b2d_world_drop_shape(b2d_world* world, int32_t shape, bool update_mass) {
    b2d_shape_hot* hot = &world->shapes_hot[shape];
    b2d_shape* cold = &world->shapes[shape];
    int32_t body = hot->body;
    world->shape_changes++;
    b2d_world_leave_chain(world, shape);
    b2d_world_destroy_contacts_of_shape(world, shape);
    set_class(world, shape, B2D_PROXY_NONE);
    b2d_bits_unset(&world->proxies.moved, shape);
    b2d_bits_unset(&world->sensors, shape);
    b2d_bits_set(&world->sensor_changes, shape);
    world->proxies.body[shape] = B2D_NONE;

    b2d_body* row = &world->graph.bodies[body];
    if (cold->prev == B2D_NONE) row->shape_head = cold->next;
    else world->shapes[cold->prev].next = cold->next;
    if (cold->next != B2D_NONE) world->shapes[cold->next].prev = cold->prev;
    row->shape_count--;
    if (hot->second_hull != B2D_NONE) b2d_id_pool_release(&world->second_ids, hot->second_hull);
    hot->second_hull = hot->body = B2D_NONE;
    world->shape_generations[shape] = 0;
    b2d_id_pool_release(&world->shape_ids, shape);
    shapes_changed(world, body, update_mass);
}

bool b2d_world_replace_geometry(b2d_world* world, int32_t shape, const b2d_geometry* geometry, bool update_mass) {
    int32_t second;
    if (!take_second(world, geometry, &second)) return false;
    int32_t body = world->shapes_hot[shape].body, old_second = world->shapes_hot[shape].second_hull;
    if (!b2d_world_wake_body(world, body)) {
        if (second != B2D_NONE) b2d_id_pool_release(&world->second_ids, second);
        return false;
    }
    b2d_world_destroy_contacts_of_shape(world, shape);
    fill_geometry(world, shape, geometry, second);
    if (old_second != B2D_NONE) b2d_id_pool_release(&world->second_ids, old_second);
    b2d_world_sync_shape(world, shape, true);
    grow_extent(world, body, &world->shapes_hot[shape]);
    shapes_changed(world, body, update_mass);
    return true;
}
