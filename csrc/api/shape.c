// csrc/api/shape.c - the API of shapes: checks all input and returns a status.
#include "api/shape.h"

#include "api/entry.h"
#include "api/handle_list.h"
#include "objects/body.h"
#include "objects/contact.h"
#include "objects/contact_index.h"
#include "objects/material.h"
#include "objects/one_way.h"
#include "objects/proxy.h"
#include "objects/shape.h"
#include "step/sensor.h"

void b2d_shape_def_init(b2d_shape_def* def) {
    *def = (b2d_shape_def){
        .density = 1.0,
        .category = 1,
        .mask = UINT64_MAX,
        .update_mass = true,
#define B2D_SHAPE_PROPERTY(NAME, name, type, components, standard, ...) .name = standard,
#include "lists/shape_flags.def"
#include "lists/shape_surface.def"
#undef B2D_SHAPE_PROPERTY
    };
}

b2d_status b2d_check_shape_def(const b2d_shape_def* def) {
    B2D_TRY(b2d_check_range(def->density, 0.0, b2d_limit_number, B2D_ARG_DENSITY));
#define B2D_SHAPE_PROPERTY(NAME, name, type, components, standard, ARGUMENT, lower, upper, ...) \
    B2D_TRY(b2d_check_range(def->name, lower, upper, B2D_ARG_##ARGUMENT));
#include "lists/shape_surface.def"
#undef B2D_SHAPE_PROPERTY
    B2D_TRY(b2d_check_range(def->one_way_x, -b2d_limit_number, b2d_limit_number, B2D_ARG_ONE_WAY));
    return b2d_check_range(def->one_way_y, -b2d_limit_number, b2d_limit_number, B2D_ARG_ONE_WAY);
}

static b2d_status find_shape(const b2d_world* world, int32_t index, uint64_t generation) {
    return b2d_shape_alive(world, index, generation) ? B2D_OK : b2d_error(B2D_STALE_HANDLE, B2D_ARG_SHAPE);
}

// More mass may unbalance a sleeping body that is supported by contacts or joints, so it must wake. A body that was
// created asleep has no contacts yet and stays asleep.
static bool shifts_balance(const b2d_world* world, int32_t body, const b2d_shape_def* def) {
    const b2d_body* row = &world->graph.bodies[body];
    return def->update_mass && def->density > 0.0 && (row->contact_count > 0 || row->joint_count > 0);
}

static b2d_status create(b2d_world* world, int32_t body, uint64_t generation, const b2d_geometry* geometry,
                         const b2d_shape_def* def, b2d_handle* out) {
    if (!b2d_body_alive(world, body, generation)) return b2d_error(B2D_STALE_HANDLE, B2D_ARG_BODY);
    b2d_geometry checked = *geometry;
    B2D_TRY(b2d_geometry_check(&checked));
    B2D_TRY(b2d_check_shape_def(def));
    const float rested = world->graph.bodies[body].sleep_timer;
    if (shifts_balance(world, body, def) && !b2d_world_wake_body(world, body))
        return b2d_error(B2D_NO_MEMORY, B2D_ARG_NONE);
    int32_t shape = b2d_world_new_shape(world, body, &checked, def);
    if (shape == B2D_NONE) {
        world->graph.bodies[body].sleep_timer = rested; // a call that fails changes nothing
        return b2d_error(B2D_NO_MEMORY, B2D_ARG_NONE);
    }
    *out = (b2d_handle){world->shape_generations[shape], shape, B2D_KIND_SHAPE};
    return B2D_OK;
}

b2d_status b2d_world_create_shape(b2d_world* world, int32_t body, uint64_t generation, const b2d_geometry* geometry,
                                  const b2d_shape_def* def, b2d_handle* out) {
    const b2d_status status = create(world, body, generation, geometry, def, out);
    B2D_LOG(world, status, B2D_LOGGED_SHAPE_CREATE, body, generation, geometry, def);
    return status;
}

b2d_status b2d_shape_create(b2d_world* world, int32_t body, uint64_t body_generation, const b2d_geometry* geometry,
                            const b2d_shape_def* def, b2d_handle* out) {
    b2d_geometry checked = *geometry;
    // Checked before the lock, so that a callback gets the error of a bad value instead of B2D_LOCKED
    B2D_TRY(b2d_geometry_check(&checked));
    B2D_TRY(b2d_check_shape_def(def));
    B2D_TRY(b2d_open_shape_write(world));
    return b2d_close_write(world, b2d_world_create_shape(world, body, body_generation, geometry, def, out));
}

static b2d_status destroy(b2d_world* world, int32_t index, uint64_t generation, bool update_mass) {
    B2D_TRY(find_shape(world, index, generation));
    // A chain can only be destroyed as a whole
    if (b2d_world_chain_of(world, index) != B2D_NONE) return b2d_error(B2D_NOT_ALLOWED, B2D_ARG_SHAPE);
    b2d_world_wake_body(world, world->shapes_hot[index].body);
    b2d_world_drop_shape(world, index, update_mass);
    return B2D_OK;
}

b2d_status b2d_shape_destroy(b2d_world* world, int32_t index, uint64_t generation, bool update_mass) {
    B2D_TRY(b2d_open_shape_write(world));
    const b2d_status status = destroy(world, index, generation, update_mass);
    B2D_LOG(world, status, B2D_LOGGED_SHAPE_DESTROY, index, generation, update_mass);
    return b2d_close_write(world, status);
}

static void write_box(b2d_box box, double* out) {
    out[0] = box.min_x;
    out[1] = box.min_y;
    out[2] = box.max_x;
    out[3] = box.max_y;
}

b2d_status b2d_world_get_shape(b2d_world* world, int32_t index, int32_t property, double* out) {
    const b2d_shape* cold = &world->shapes[index];
    const b2d_shape_hot* hot = &world->shapes_hot[index];
    const b2d_proxies* p = &world->proxies;
    switch (property) {
    case B2D_SHAPE_DENSITY: out[0] = cold->density; break;
#define B2D_SHAPE_PROPERTY(NAME, name, ...) \
    case B2D_SHAPE_##NAME: out[0] = hot->name; break;
#include "lists/shape_surface.def"
#undef B2D_SHAPE_PROPERTY
#define B2D_SHAPE_PROPERTY(NAME, ...) \
    case B2D_SHAPE_##NAME: out[0] = (cold->flags & B2D_SHAPE_FLAG_##NAME) != 0; break;
#include "lists/shape_flags.def"
#undef B2D_SHAPE_PROPERTY
    case B2D_SHAPE_SENSOR: out[0] = (cold->flags & B2D_SHAPE_FLAG_SENSOR) != 0; break;
    case B2D_SHAPE_MATERIAL: out[0] = cold->material; break;
    case B2D_SHAPE_COLOR: out[0] = cold->color; break;
    case B2D_SHAPE_ONE_WAY: out[0] = cold->one_way.x, out[1] = cold->one_way.y; break;
    case B2D_SHAPE_AABB:
        write_box(b2d_shape_box(hot, b2d_world_second(world, hot), b2d_world_pose(world, hot->body)), out);
        break;
    case B2D_SHAPE_FAT_AABB:
        write_box((b2d_box){p->fat_min_x[index], p->fat_min_y[index], p->fat_max_x[index], p->fat_max_y[index]}, out);
        break;
    default: return b2d_error(B2D_OUT_OF_RANGE, B2D_ARG_OPTION);
    }
    return B2D_OK;
}

b2d_status b2d_shape_get(b2d_world* world, int32_t index, uint64_t generation, int32_t property, double* out) {
    B2D_TRY(b2d_open_read(world));
    b2d_status status = find_shape(world, index, generation);
    return b2d_close_read(world, status != B2D_OK ? status : b2d_world_get_shape(world, index, property, out));
}

static void set_sensor(b2d_world* world, int32_t index, bool sensor) {
    b2d_shape* cold = &world->shapes[index];
    if (sensor == ((cold->flags & B2D_SHAPE_FLAG_SENSOR) != 0)) return;
    b2d_world_wake_body(world, world->shapes_hot[index].body);
    if (sensor) b2d_world_destroy_contacts_of_shape(world, index);
    cold->flags ^= B2D_SHAPE_FLAG_SENSOR;
    if (sensor) b2d_bits_set(&world->sensors, index);
    else b2d_bits_unset(&world->sensors, index);
    b2d_bits_set(&world->sensor_changes, index);
    b2d_world_update_proxy_class(world, index); // this also searches the pairs of a shape that is no longer a sensor
}

static b2d_status set_flag(b2d_world* world, int32_t index, uint8_t flag, double value) {
    b2d_shape* cold = &world->shapes[index];
    if ((value != 0.0) == ((cold->flags & flag) != 0)) return B2D_OK;
    // A body that sleeps where `on_presolve` let it pass may now overlap a solid shape.
    if (flag == B2D_SHAPE_FLAG_PRESOLVE && !b2d_world_wake_neighbors_of_shape(world, index))
        return b2d_error(B2D_NO_MEMORY, B2D_ARG_NONE);
    cold->flags ^= flag;
    world->hits_wanted = world->hits_wanted || flag == B2D_SHAPE_FLAG_HIT_EVENTS;
    if (flag == B2D_SHAPE_FLAG_SENSOR_EVENTS) {
        b2d_bits_set(&world->sensor_changes, index);
        return B2D_OK;
    }
    return b2d_world_refresh_materials(world, index) ? B2D_OK : b2d_error(B2D_NO_MEMORY, B2D_ARG_NONE);
}

static b2d_status set_material(b2d_world* world, int32_t index, float* field, double value) {
    if (*field == (float)value) return B2D_OK;
    *field = (float)value;
    return b2d_world_remix(world, index) ? B2D_OK : b2d_error(B2D_NO_MEMORY, B2D_ARG_NONE);
}

static const struct {
    int32_t components, argument;
    double lower, upper;
} properties[] = {
#define B2D_SHAPE_PROPERTY(NAME, name, type, components, standard, ARGUMENT, lower, upper, ...) \
    {components, B2D_ARG_##ARGUMENT, lower, upper},
#include "lists/shape_properties.def"
#undef B2D_SHAPE_PROPERTY
};

int32_t b2d_shape_property_width(int32_t property) {
    return property >= 0 && property < B2D_SHAPE_PROPERTY_COUNT ? properties[property].components : 0;
}

b2d_status b2d_shape_check(int32_t property, const double* in) {
    const int32_t width = b2d_shape_property_width(property);
    if (width == 0) return b2d_error(B2D_OUT_OF_RANGE, B2D_ARG_OPTION);
    const double lower = properties[property].lower, upper = properties[property].upper;
    const int32_t argument = properties[property].argument;
    if (lower > upper) return b2d_error(B2D_NOT_ALLOWED, argument); // read-only
    for (int32_t k = 0; k < width; k++) B2D_TRY(b2d_check_range(in[k], lower, upper, argument));
    return B2D_OK;
}

b2d_status b2d_world_set_shape(b2d_world* world, int32_t index, int32_t property, const double* in) {
    b2d_shape* cold = &world->shapes[index];
    b2d_shape_hot* hot = &world->shapes_hot[index];
    world->shape_changes++;
    B2D_TRY(b2d_shape_check(property, in));
    switch (property) {
    case B2D_SHAPE_DENSITY:
        if (cold->density == (float)in[0]) return B2D_OK;
        if (!b2d_world_wake_body(world, hot->body)) return b2d_error(B2D_NO_MEMORY, B2D_ARG_NONE);
        b2d_world_weigh_shape(world, index, -1);
        cold->density = (float)in[0];
        b2d_world_weigh_shape(world, index, 1);
        if (b2d_moves(&world->graph, hot->body)) b2d_world_change_mass(world, hot->body);
        return B2D_OK;
#define B2D_SHAPE_PROPERTY(NAME, name, ...) \
    case B2D_SHAPE_##NAME: return set_material(world, index, &hot->name, in[0]);
#include "lists/shape_surface.def"
#undef B2D_SHAPE_PROPERTY
#define B2D_SHAPE_PROPERTY(NAME, ...) \
    case B2D_SHAPE_##NAME: return set_flag(world, index, B2D_SHAPE_FLAG_##NAME, in[0]);
#include "lists/shape_flags.def"
#undef B2D_SHAPE_PROPERTY
    case B2D_SHAPE_SENSOR: set_sensor(world, index, in[0] != 0.0); return B2D_OK;
    case B2D_SHAPE_MATERIAL:
        cold->material = (int32_t)in[0];
        return b2d_world_remix(world, index) ? B2D_OK : b2d_error(B2D_NO_MEMORY, B2D_ARG_NONE);
    case B2D_SHAPE_COLOR: cold->color = (uint32_t)in[0]; return B2D_OK;
    default: // B2D_SHAPE_ONE_WAY
        return b2d_world_set_one_way(world, index, b2d_one_way_unit(in[0], in[1]))
                   ? B2D_OK
                   : b2d_error(B2D_NO_MEMORY, B2D_ARG_NONE);
    }
}

b2d_status b2d_shape_set(b2d_world* world, int32_t index, uint64_t generation, int32_t property, const double* in) {
    B2D_TRY(b2d_open_shape_write(world));
    b2d_status status = find_shape(world, index, generation);
    if (status == B2D_OK) status = b2d_world_set_shape(world, index, property, in);
    B2D_LOG(world, status, B2D_LOGGED_SHAPE_SET, index, generation, property, in);
    return b2d_close_write(world, status);
}

b2d_status b2d_shape_geometry(b2d_world* world, int32_t index, uint64_t generation, b2d_geometry* out) {
    B2D_TRY(b2d_open_read(world));
    b2d_status status = find_shape(world, index, generation);
    if (status == B2D_OK) {
        const b2d_shape_hot* hot = &world->shapes_hot[index];
        b2d_shape_hot_geometry(hot, b2d_world_second(world, hot), world->shapes[index].type, out);
    }
    return b2d_close_read(world, status);
}

b2d_status b2d_shape_definition(b2d_world* world, int32_t index, uint64_t generation, b2d_geometry* geometry,
                                b2d_shape_def* out) {
    B2D_TRY(b2d_open_read(world));
    b2d_status status = find_shape(world, index, generation);
    if (status == B2D_OK && b2d_world_chain_of(world, index) != B2D_NONE)
        status = b2d_error(B2D_NOT_ALLOWED, B2D_ARG_SHAPE);
    if (status == B2D_OK) {
        const b2d_shape* cold = &world->shapes[index];
        const b2d_shape_hot* hot = &world->shapes_hot[index];
        b2d_shape_hot_geometry(hot, b2d_world_second(world, hot), cold->type, geometry);
        *out = (b2d_shape_def){.density = cold->density,
                               .category = cold->category,
                               .mask = cold->mask,
                               .group = cold->group,
                               .material = cold->material,
                               .color = cold->color,
                               .one_way_x = cold->one_way.x,
                               .one_way_y = cold->one_way.y,
                               .sensor = (cold->flags & B2D_SHAPE_FLAG_SENSOR) != 0};
#define B2D_SHAPE_PROPERTY(NAME, name, ...) out->name = hot->name;
#include "lists/shape_surface.def"
#undef B2D_SHAPE_PROPERTY
#define B2D_SHAPE_PROPERTY(NAME, name, ...) out->name = (cold->flags & B2D_SHAPE_FLAG_##NAME) != 0;
#include "lists/shape_flags.def"
#undef B2D_SHAPE_PROPERTY
    }
    return b2d_close_read(world, status);
}

static b2d_status set_geometry(b2d_world* world, int32_t index, uint64_t generation, const b2d_geometry* geometry,
                               bool update_mass) {
    B2D_TRY(find_shape(world, index, generation));
    if (b2d_world_chain_of(world, index) != B2D_NONE) return b2d_error(B2D_NOT_ALLOWED, B2D_ARG_GEOMETRY);
    b2d_geometry checked = *geometry;
    B2D_TRY(b2d_geometry_check(&checked));
    return b2d_world_replace_geometry(world, index, &checked, update_mass) ? B2D_OK
                                                                           : b2d_error(B2D_NO_MEMORY, B2D_ARG_NONE);
}

b2d_status b2d_shape_set_geometry(b2d_world* world, int32_t index, uint64_t generation, const b2d_geometry* geometry,
                                  bool update_mass) {
    B2D_TRY(b2d_open_shape_write(world));
    const b2d_status status = set_geometry(world, index, generation, geometry, update_mass);
    B2D_LOG(world, status, B2D_LOGGED_SHAPE_GEOMETRY, index, generation, geometry, update_mass);
    return b2d_close_write(world, status);
}

b2d_status b2d_shape_filter(b2d_world* world, int32_t index, uint64_t generation, uint64_t* category, uint64_t* mask,
                            int32_t* group) {
    B2D_TRY(b2d_open_read(world));
    b2d_status status = find_shape(world, index, generation);
    if (status == B2D_OK) {
        *category = world->shapes[index].category;
        *mask = world->shapes[index].mask;
        *group = world->shapes[index].group;
    }
    return b2d_close_read(world, status);
}

// Contacts that the new filter refuses end immediately, contacts that it still allows keep their impulses, and refused
// pairs are tested again.
void b2d_world_set_shape_filter(b2d_world* world, int32_t index, uint64_t category, uint64_t mask, int32_t group) {
    b2d_shape* cold = &world->shapes[index];
    if (cold->category == category && cold->mask == mask && cold->group == group) return;
    cold->category = category;
    cold->mask = mask;
    cold->group = group;
    b2d_world_wake_body(world, world->shapes_hot[index].body);
    b2d_contact_walk walk = b2d_world_contacts_of(world, index);
    for (int32_t id = b2d_world_next_contact(world, &walk); id != B2D_NONE; id = b2d_world_next_contact(world, &walk)) {
        const b2d_pair* pair = &world->graph.pairs[id];
        if (!b2d_world_filter_allows(world, pair->shape_a, pair->shape_b)) b2d_world_destroy_contact(world, id, true);
    }
    b2d_world_renew_pairs_of_changed(world, index);
}

b2d_status b2d_shape_set_filter(b2d_world* world, int32_t index, uint64_t generation, uint64_t category, uint64_t mask,
                                int32_t group) {
    B2D_TRY(b2d_open_write(world));
    b2d_status status = find_shape(world, index, generation);
    if (status == B2D_OK) b2d_world_set_shape_filter(world, index, category, mask, group);
    B2D_LOG(world, status, B2D_LOGGED_SHAPE_FILTER, index, generation, category, mask, group);
    return b2d_close_write(world, status);
}

b2d_status b2d_shape_body(b2d_world* world, int32_t index, uint64_t generation, b2d_handle* out) {
    B2D_TRY(b2d_open_read(world));
    b2d_status status = find_shape(world, index, generation);
    if (status == B2D_OK) {
        int32_t body = world->shapes_hot[index].body;
        *out = (b2d_handle){world->body_generations[body], body, B2D_KIND_BODY};
    }
    return b2d_close_read(world, status);
}

static b2d_status list_overlaps(const b2d_world* world, int32_t index, uint64_t generation, b2d_handle* out,
                                int32_t room, int32_t* count) {
    B2D_TRY(find_shape(world, index, generation));
    const b2d_overlaps* all = &world->overlaps;
    b2d_id_list list = {0};
    for (int32_t k = b2d_overlap_find(all, (uint64_t)(uint32_t)index << 32);
         k < all->count && b2d_overlap_sensor(&all->rows[k]) == index; k++) {
        int32_t visitor = b2d_overlap_visitor(&all->rows[k]);
        if (!all->rows[k].refused && all->rows[k].generation_sensor == generation &&
            world->shape_generations[visitor] == all->rows[k].generation_visitor)
            b2d_id_list_add(&list, visitor);
    }
    return b2d_id_list_write(&list, B2D_KIND_SHAPE, world->shape_generations, out, room, count);
}

b2d_status b2d_shape_overlaps(b2d_world* world, int32_t index, uint64_t generation, b2d_handle* out, int32_t room,
                              int32_t* count) {
    B2D_TRY(b2d_open_read(world));
    return b2d_close_read(world, list_overlaps(world, index, generation, out, room, count));
}
