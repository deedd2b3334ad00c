// csrc/objects/shape.c - shapes: creation, destruction, replacing the geometry.
//
// Idea: a shape is one id in four tables: the hot row (geometry and material for kernels), the cold row (filter,
// events), the columns of its proxy (proxy.c) and, with more than four vertices, a row of second hulls. Threads: serial
// stages only.
#include "objects/shape.h"

#include "objects/body.h"
#include "objects/chain.h"
#include "objects/contact.h"
#include "objects/one_way.h"
#include "objects/proxy.h"

bool b2d_world_reserve_shapes(b2d_world* world, int32_t count) {
    return b2d_id_pool_reserve(&world->memory, &world->shape_ids, count) &&
           B2D_GROW(&world->memory, world->shape_generations, world->shape_generation_capacity, count) &&
           B2D_GROW(&world->memory, world->shapes_hot, world->shape_hot_capacity, count) &&
           B2D_GROW(&world->memory, world->shapes, world->shape_capacity, count) &&
           b2d_world_reserve_proxies(world, count);
}

// The margin of a fat box is an eighth of the extent, at most 5 cm. A wider box is valid for longer; a narrower one
// overlaps fewer others.
static float fat_margin(const b2d_world* world, const b2d_shape_hot* hot) {
    return b2d_min(0.125f * hot->extent, 0.05f * b2d_option(world, B2D_OPTION_LENGTH_UNIT));
}

// Fills the geometry fields of the hot row. `row` is the row of the second hull, or B2D_NONE.
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

static bool needs_second_hull(const b2d_geometry* geometry) {
    return (geometry->type == B2D_POLYGON && geometry->count > 4) || geometry->type == B2D_CHAIN_SEGMENT;
}

// Takes a row for a second hull. *row is B2D_NONE if four vertices suffice. Returns false without memory.
static bool take_second_hull(b2d_world* world, int32_t body, const b2d_geometry* geometry, int32_t* row) {
    *row = B2D_NONE;
    if (!needs_second_hull(geometry)) return true;
    const bool chain = geometry->type == B2D_CHAIN_SEGMENT;
    const b2d_cells* cells = &world->graph.cells;
    // A cell has one for each shape, and one more while a geometry is replaced
    const int32_t id = cells->count == 0
                           ? b2d_id_pool_lowest(&world->second_ids)
                           : b2d_id_pool_lowest_of(&world->second_ids, body / cells->bodies * cells->seconds, 1);
    const int32_t rows = b2d_max_int(world->second_ids.limit, id + 1);
    if (id == B2D_NONE || !B2D_GROW(&world->memory, world->second_hulls, world->second_capacity, rows) ||
        (chain && !B2D_GROW(&world->memory, world->chain_links, world->chain_link_capacity, rows)))
        return false;
    if (!b2d_id_pool_take_id(&world->memory, &world->second_ids, id)) return false;
    *row = id;
    if (chain) world->chain_links[id] = (b2d_chain_link){B2D_NONE, B2D_NONE};
    return true;
}

// Updates mass and extents after the shapes of a body changed. A static body may have very many shapes, so its extent
// is only an upper bound that grows (grow_extent); it gets its exact extents when its type changes.
static void update_mass_and_extents(b2d_world* world, int32_t body, bool update_mass) {
    if (world->graph.bodies[body].type == B2D_STATIC) return;
    if (update_mass) b2d_world_change_mass(world, body); // also updates the extents
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
    if (!take_second_hull(world, body, geometry, &second)) return B2D_NONE;
    if (!def->update_mass) b2d_world_settle_mass(world, body); // the mass stays that of the other shapes
    int32_t shape = B2D_NONE;
    if (!b2d_world_reserve_shapes(world, b2d_id_pool_rows(&world->shape_ids))) goto no_memory;
    shape = b2d_id_pool_take(&world->memory, &world->shape_ids);
    if (shape == B2D_NONE) goto no_memory;

    int32_t flags = def->sensor ? B2D_SHAPE_FLAG_SENSOR : 0;
#define B2D_SHAPE_PROPERTY(NAME, name, ...) flags |= def->name ? B2D_SHAPE_FLAG_##NAME : 0;
#include "lists/shape_flags.def"
#undef B2D_SHAPE_PROPERTY
    world->hits_wanted = world->hits_wanted || def->hit_events;
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
                                       .flags = (uint8_t)flags,
                                       .one_way = one_way};
    world->shapes_hot[shape] = (b2d_shape_hot){
        .body = body,
#define B2D_SHAPE_PROPERTY(NAME, name, ...) .name = (float)def->name,
#include "lists/shape_surface.def"
#undef B2D_SHAPE_PROPERTY
    };
    fill_geometry(world, shape, geometry, second);

    if (!b2d_world_create_proxy(world, shape)) goto no_memory;
    if (def->sensor) b2d_bits_set(&world->sensors, shape);

    b2d_body* row = &world->graph.bodies[body];
    world->shapes[shape].next = row->shape_head;
    if (row->shape_head != B2D_NONE) world->shapes[row->shape_head].prev = shape;
    row->shape_head = shape;
    row->shape_count++;
    b2d_world_weigh_shape(world, shape, 1);
    world->shape_generations[shape] = ++world->graph.generation;
    if (row->type == B2D_STATIC) grow_extent(world, body, &world->shapes_hot[shape]);
    else if (def->update_mass) b2d_world_change_mass(world, body);
    else b2d_world_extend(world, body, shape);
    return shape;

no_memory:
    if (shape != B2D_NONE) b2d_id_pool_release(&world->shape_ids, shape);
    if (second != B2D_NONE) b2d_id_pool_release(&world->second_ids, second);
    return B2D_NONE;
}

void b2d_world_remove_shape(b2d_world* world, int32_t shape) {
    b2d_shape_hot* hot = &world->shapes_hot[shape];
    b2d_shape* cold = &world->shapes[shape];
    int32_t body = hot->body;
    world->shape_changes++;
    b2d_world_weigh_shape(world, shape, -1);
    b2d_world_leave_chain(world, shape);
    b2d_world_destroy_contacts_of_shape(world, shape);
    b2d_world_drop_proxy(world, shape);
    b2d_bits_unset(&world->sensors, shape);

    b2d_body* row = &world->graph.bodies[body];
    if (cold->prev == B2D_NONE) row->shape_head = cold->next;
    else world->shapes[cold->prev].next = cold->next;
    if (cold->next != B2D_NONE) world->shapes[cold->next].prev = cold->prev;
    row->shape_count--;
    if (hot->second_hull != B2D_NONE) b2d_id_pool_release(&world->second_ids, hot->second_hull);
    hot->second_hull = hot->body = B2D_NONE;
    world->shape_generations[shape] = 0;
    b2d_id_pool_release(&world->shape_ids, shape);
}

// Finding the extents takes a pass over all shapes of the body. Without the shape they were bounds, and of a body with
// many shapes they remain bounds until the next power of two, so that removing all shapes takes linear time.
static bool keeps_extents(const b2d_world* world, int32_t body) {
    const int32_t count = world->graph.bodies[body].shape_count;
    return count > B2D_MANY_SHAPES && (count & (count - 1)) != 0;
}

void b2d_world_drop_shape(b2d_world* world, int32_t shape, bool update_mass) {
    int32_t body = world->shapes_hot[shape].body;
    if (!update_mass) b2d_world_settle_mass(world, body);
    b2d_world_remove_shape(world, shape);
    if (update_mass || !keeps_extents(world, body)) update_mass_and_extents(world, body, update_mass);
}

bool b2d_world_replace_geometry(b2d_world* world, int32_t shape, const b2d_geometry* geometry, bool update_mass) {
    int32_t second, body = world->shapes_hot[shape].body;
    if (!take_second_hull(world, body, geometry, &second)) return false;
    int32_t old_second = world->shapes_hot[shape].second_hull;
    if (!b2d_world_wake_body(world, body)) {
        if (second != B2D_NONE) b2d_id_pool_release(&world->second_ids, second);
        return false;
    }
    if (!update_mass) b2d_world_settle_mass(world, body);
    b2d_world_destroy_contacts_of_shape(world, shape);
    b2d_world_weigh_shape(world, shape, -1);
    fill_geometry(world, shape, geometry, second);
    b2d_world_weigh_shape(world, shape, 1);
    if (old_second != B2D_NONE) b2d_id_pool_release(&world->second_ids, old_second);
    b2d_world_update_proxy_box(world, shape, true);
    grow_extent(world, body, &world->shapes_hot[shape]);
    update_mass_and_extents(world, body, update_mass);
    return true;
}
