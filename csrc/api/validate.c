// csrc/api/validate.c - checks the whole world and reports the first broken invariant.
//
// A test oracle: everything that is updated incrementally is computed again from its source. Cost: all rows, and all
// pairs of shapes if there are at most 2000 shapes.
#include "api/body.h"
#include "api/entry.h"
#include "api/joint.h"
#include "api/shape.h"
#include "objects/callback.h"
#include "objects/contact.h"
#include "objects/joint.h"
#include "objects/material.h"
#include "objects/proxy.h"
#include "objects/repair.h"
#include "objects/terrain.h"
#include "step/sensor.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { BRUTE_FORCE_LIMIT = 2000 };

typedef struct report {
    char* message;
    size_t room;
} report;

#define REQUIRE(condition, ...)                             \
    do {                                                    \
        if (!(condition)) {                                 \
            snprintf(out->message, out->room, __VA_ARGS__); \
            return false;                                   \
        }                                                   \
    } while (0)

static bool check_generations(const report* out, const b2d_world* world, const char* kind, const b2d_id_pool* pool,
                              const uint64_t* generations, int32_t rows) {
    int32_t live = 0;
    for (int32_t id = 0; id < pool->limit && id < rows; id++) {
        bool taken = b2d_id_pool_has(pool, id);
        live += taken;
        REQUIRE((generations[id] != 0) == taken, "%s %d: its generation and its id disagree whether it exists", kind,
                id);
        REQUIRE(generations[id] <= world->graph.generation, "%s %d has a generation that was never given out", kind,
                id);
    }
    REQUIRE(live == pool->count, "%d %s ids are taken, the pool counts %d", live, kind, pool->count);
    return true;
}

static bool check_shape_list(const report* out, const b2d_world* world, int32_t id) {
    const b2d_body* body = &world->graph.bodies[id];
    int32_t count = 0, before = B2D_NONE;
    for (int32_t shape = body->shape_head; shape != B2D_NONE; shape = world->shapes[shape].next) {
        REQUIRE(b2d_id_pool_has(&world->shape_ids, shape), "body %d lists the dead shape %d", id, shape);
        REQUIRE(world->shapes_hot[shape].body == id, "body %d lists shape %d of body %d", id, shape,
                world->shapes_hot[shape].body);
        REQUIRE(world->shapes[shape].prev == before, "shape %d: its back link is %d instead of %d", shape,
                world->shapes[shape].prev, before);
        REQUIRE(++count <= body->shape_count, "body %d lists more than its %d shapes", id, body->shape_count);
        before = shape;
    }
    REQUIRE(count == body->shape_count, "body %d lists %d shapes and counts %d", id, count, body->shape_count);
    return true;
}

// Whether a value that is stored as float32 is one that the user may set.
typedef b2d_status check_fn(b2d_world* world, int32_t id, int32_t property, const double* in);
static bool may_be_set(b2d_world* world, check_fn* check, int32_t id, int32_t property, const double value[2]) {
    const double inside[2] = {b2d_toward_zero(value[0]), b2d_toward_zero(value[1])};
    return check(world, id, property, value) == B2D_OK || check(world, id, property, inside) == B2D_OK;
}

static b2d_status check_shape_value(b2d_world* world, int32_t id, int32_t property, const double* in) {
    (void)world, (void)id;
    return b2d_shape_check(property, in);
}

static bool check_body_values(const report* out, b2d_world* world, int32_t id) {
    static const int32_t numbers[] = {
#define B2D_BODY_PROPERTY(NAME, ...) B2D_BODY_##NAME,
#include "lists/body_numbers.def"
#undef B2D_BODY_PROPERTY
    };
    for (size_t k = 0; k < sizeof numbers / sizeof *numbers; k++) {
        const int32_t property = numbers[k];
        double value[2] = {0.0, 0.0};
        (void)b2d_world_read_body_property(world, id, property, value);
        REQUIRE(may_be_set(world, b2d_world_check_body_property, id, property, value), "body %d: property %d is %g", id,
                property, value[0]);
    }
    return true;
}

static bool check_shape_values(const report* out, b2d_world* world, int32_t id) {
    for (int32_t property = 0; property < B2D_SHAPE_AABB; property++) { // the boxes come last
        double value[2] = {0.0, 0.0};
        (void)b2d_world_get_shape(world, id, property, value);
        REQUIRE(may_be_set(world, check_shape_value, id, property, value), "shape %d: property %d is %g", id, property,
                value[0]);
    }
    return true;
}

static bool check_material_pairs(const report* out, const b2d_world* world) {
    for (int32_t k = 0; k < world->material_rules.count; k++) {
        const b2d_material_rule* rule = &world->material_rules.rows[k];
        REQUIRE(rule->row.a <= rule->row.b && rule->key == b2d_material_key(rule->row.a, rule->row.b) &&
                    b2d_check_material_pair(&rule->row) == B2D_OK,
                "the row of the materials %d and %d is wrong", rule->row.a, rule->row.b);
    }
    return true;
}

static bool check_body(const report* out, b2d_world* world, int32_t id) {
    const b2d_body* body = &world->graph.bodies[id];
    const b2d_pose* pose = b2d_world_pose(world, id);
    const b2d_body_state* state = b2d_world_state(world, id);
    const b2d_body_mass* mass = &world->masses[id];
    bool awake = b2d_is_awake(&world->graph, id), enabled = (body->flags & B2D_BODY_FLAG_ENABLED) != 0;
    float length = pose->c * pose->c + pose->s * pose->s;
    REQUIRE(body->type <= B2D_DYNAMIC, "body %d has type %d", id, body->type);
    REQUIRE(isfinite(pose->x) && isfinite(pose->y), "body %d is at (%g, %g)", id, pose->x, pose->y);
    REQUIRE(length > 0.999f && length < 1.001f, "body %d: squared length of its rotation is %g", id, (double)length);
    REQUIRE(isfinite(state->vx) && isfinite(state->vy) && isfinite(state->w), "body %d moves at (%g, %g), %g", id,
            (double)state->vx, (double)state->vy, (double)state->w);
    REQUIRE(isfinite(pose->cx) && isfinite(pose->cy), "body %d has its centre of mass at (%g, %g)", id,
            (double)pose->cx, (double)pose->cy);
    REQUIRE(state->inverse_mass >= 0.0f && state->inverse_inertia >= 0.0f && isfinite(state->inverse_mass) &&
                isfinite(state->inverse_inertia),
            "body %d has the inverse mass %g and inertia %g", id, (double)state->inverse_mass,
            (double)state->inverse_inertia);
    REQUIRE(mass->mass >= 0.0f && mass->inertia >= 0.0f && isfinite(mass->mass) && isfinite(mass->inertia),
            "body %d has the mass %g and inertia %g", id, (double)mass->mass, (double)mass->inertia);
    REQUIRE(isfinite(mass->force_x) && isfinite(mass->force_y) && isfinite(mass->torque),
            "body %d: a force or the torque is out of range", id);
    REQUIRE(state->dx == 0.0f && state->dy == 0.0f && state->angle == 0.0f, "body %d has unfinished motion", id);
    REQUIRE(!awake || (body->type != B2D_STATIC && enabled), "body %d is awake but static or disabled", id);
    REQUIRE(awake || !enabled || (state->vx == 0.0f && state->vy == 0.0f && state->w == 0.0f),
            "body %d sleeps and moves", id);
    REQUIRE((body->island != B2D_NONE) == (body->type != B2D_STATIC && enabled),
            "body %d: island %d does not fit its type", id, body->island);
    REQUIRE(body->type == B2D_DYNAMIC || (state->inverse_mass == 0.0f && state->inverse_inertia == 0.0f),
            "body %d is not dynamic and has mass", id);
    REQUIRE(body->type == B2D_DYNAMIC || world->graph.color_masks[id] == 0, "body %d is not dynamic and has colours",
            id);
    REQUIRE(b2d_bits_has(&world->plates, id) == b2d_is_plate(body),
            "body %d: its extents and the set of plates disagree", id);
    REQUIRE(b2d_bits_has(&world->kinematics, id) == (body->type == B2D_KINEMATIC && body->shape_head != B2D_NONE),
            "body %d: its type and the set of kinematic bodies disagree", id);
    REQUIRE(!b2d_bits_has(&world->graph.sleep_changed, id),
            "body %d: its change of sleep was not passed to the broad phase", id);
    return check_body_values(out, world, id) && check_shape_list(out, world, id);
}

static bool check_zero_row(const report* out, b2d_world* world) {
    static const b2d_body_state zero = {0};
    REQUIRE(world->states.data == NULL || memcmp(b2d_world_state(world, -1), &zero, sizeof zero) == 0,
            "the hidden row before body 0 is not zero");
    return true;
}

static uint8_t class_of(const b2d_world* world, int32_t shape) {
    int32_t body = world->shapes_hot[shape].body;
    const b2d_body* row = &world->graph.bodies[body];
    if ((world->shapes[shape].flags & B2D_SHAPE_FLAG_SENSOR) || !(row->flags & B2D_BODY_FLAG_ENABLED))
        return B2D_PROXY_NONE;
    if (row->type == B2D_STATIC) return B2D_PROXY_STATIC;
    return b2d_is_awake(&world->graph, body) ? B2D_PROXY_MOVING : B2D_PROXY_ASLEEP;
}

static b2d_box fat_box(const b2d_proxies* p, int32_t id) {
    return (b2d_box){p->fat_min_x[id], p->fat_min_y[id], p->fat_max_x[id], p->fat_max_y[id]};
}
static b2d_box old_box(const b2d_proxies* p, int32_t id) {
    return (b2d_box){p->old_min_x[id], p->old_min_y[id], p->old_max_x[id], p->old_max_y[id]};
}
static bool is_empty(b2d_box box) { return box.min_x > box.max_x; }

static bool check_hot_row(const report* out, const b2d_world* world, int32_t id) {
    const b2d_shape_hot* hot = &world->shapes_hot[id];
    const b2d_hull4* second = b2d_world_second(world, hot);
    b2d_geometry geometry;
    b2d_shape_hot recomputed = {0};
    b2d_hull4 second_recomputed = {0};
    REQUIRE((hot->second_hull != B2D_NONE) == (hot->count > 4 || hot->form == B2D_FORM_CHAIN),
            "shape %d of %d vertices has second hull %d", id, hot->count, hot->second_hull);
    REQUIRE(second == NULL || b2d_id_pool_has(&world->second_ids, hot->second_hull),
            "shape %d: its second hull %d is free", id, hot->second_hull);
    b2d_shape_hot_geometry(hot, second, world->shapes[id].type, &geometry);
    b2d_shape_hot_make(&geometry, &recomputed, second == NULL ? NULL : &second_recomputed);
    REQUIRE(memcmp(&recomputed.hull, &hot->hull, sizeof recomputed.hull) == 0 && recomputed.radius == hot->radius &&
                recomputed.count == hot->count && recomputed.form == hot->form && recomputed.extent == hot->extent &&
                recomputed.center_x == hot->center_x && recomputed.center_y == hot->center_y,
            "shape %d: its hot row does not follow from its geometry", id);
    REQUIRE(second == NULL || memcmp(&second_recomputed, second, sizeof *second) == 0,
            "shape %d: its second hull does not follow from its geometry", id);
    return true;
}

static bool check_shape(const report* out, b2d_world* world, int32_t id) {
    const b2d_proxies* p = &world->proxies;
    const b2d_shape_hot* hot = &world->shapes_hot[id];
    REQUIRE(b2d_id_pool_has(&world->body_ids, hot->body), "shape %d belongs to the dead body %d", id, hot->body);
    REQUIRE(p->body[id] == hot->body, "shape %d: body %d in its proxy, %d in its row", id, p->body[id], hot->body);
    REQUIRE(p->proxy_class[id] == class_of(world, id), "shape %d has proxy class %d instead of %d", id,
            p->proxy_class[id], class_of(world, id));
    b2d_box tight = b2d_shape_box(hot, b2d_world_second(world, hot), b2d_world_pose(world, hot->body));
    // The step tests this exactly, relative to the origin of the body. The box here is rounded outward to float32, so
    // the test allows for the rounding.
    float slack = 1.0e-5f + 2.4e-7f * b2d_max(b2d_max(b2d_abs(tight.min_x), b2d_abs(tight.max_x)),
                                              b2d_max(b2d_abs(tight.min_y), b2d_abs(tight.max_y)));
    REQUIRE(p->proxy_class[id] == B2D_PROXY_NONE || b2d_box_contains(b2d_box_grow(fat_box(p, id), slack), tight),
            "shape %d has left its fat box", id);
    REQUIRE(!b2d_bits_has(&p->moved, id) || p->proxy_class[id] != B2D_PROXY_NONE,
            "shape %d is marked as moved and is not in the broad phase", id);
    b2d_box fat = fat_box(p, id), old = old_box(p, id);
    REQUIRE(p->proxy_class[id] == B2D_PROXY_NONE || b2d_bits_has(&p->moved, id) || memcmp(&fat, &old, sizeof fat) == 0,
            "shape %d: its fat box is new and it is not marked as moved", id);
    return check_hot_row(out, world, id) && check_shape_values(out, world, id);
}

static bool check_shapes(const report* out, b2d_world* world) {
    int32_t second_hulls = 0, static_count = 0;
    for (int32_t id = 0; id < world->shape_ids.limit; id++) {
        if (!b2d_id_pool_has(&world->shape_ids, id)) {
            REQUIRE(world->proxies.proxy_class[id] == B2D_PROXY_NONE, "dead shape %d is in the broad phase", id);
            continue;
        }
        if (!check_shape(out, world, id)) return false;
        second_hulls += world->shapes_hot[id].second_hull != B2D_NONE;
        static_count += world->proxies.proxy_class[id] == B2D_PROXY_STATIC;
    }
    REQUIRE(static_count == world->static_shapes, "%d shapes are static, %d are counted", static_count,
            world->static_shapes);
    REQUIRE(second_hulls == world->second_ids.count, "%d second hulls are in use, %d are taken", second_hulls,
            world->second_ids.count);
    REQUIRE(world->proxies.limit >= world->shape_ids.limit, "the proxies end before shape %d",
            world->shape_ids.limit - 1);
    return true;
}

// Checks the lists of contacts and joints of a body, which b2d_graph_validate does not: the back link of every link,
// and the lengths of the lists.
static bool check_lists(const report* out, const b2d_world* world, int32_t id) {
    const b2d_graph* g = &world->graph;
    const b2d_body* body = &g->bodies[id];
    int32_t count = 0, before = B2D_NONE;
    for (int32_t key = body->contact_head; key != B2D_NONE; key = g->contacts[key >> 1].next[key & 1]) {
        REQUIRE(b2d_id_pool_has(&g->contact_ids, key >> 1), "body %d lists the dead contact %d", id, key >> 1);
        REQUIRE((key & 1 ? g->pairs[key >> 1].body_b : g->pairs[key >> 1].body_a) == id,
                "body %d lists contact %d of other bodies", id, key >> 1);
        REQUIRE(g->contacts[key >> 1].prev[key & 1] == before, "contact %d: broken back link at body %d", key >> 1, id);
        REQUIRE(++count <= body->contact_count, "body %d lists more than its %d contacts", id, body->contact_count);
        before = key;
    }
    REQUIRE(count == body->contact_count, "body %d lists %d contacts and counts %d", id, count, body->contact_count);
    count = 0, before = B2D_NONE;
    for (int32_t key = body->joint_head; key != B2D_NONE; key = g->joints[key >> 1].next[key & 1]) {
        REQUIRE(b2d_id_pool_has(&g->joint_ids, key >> 1), "body %d lists the dead joint %d", id, key >> 1);
        REQUIRE(g->joints[key >> 1].body[key & 1] == id, "body %d lists joint %d of other bodies", id, key >> 1);
        REQUIRE(g->joints[key >> 1].prev[key & 1] == before, "joint %d: broken back link at body %d", key >> 1, id);
        REQUIRE(++count <= body->joint_count, "body %d lists more than its %d joints", id, body->joint_count);
        before = key;
    }
    REQUIRE(count == body->joint_count, "body %d lists %d joints and counts %d", id, count, body->joint_count);
    return true;
}

// Every gear is in the lists of its two joints: the list of each joint has gears on it, and together they have all.
static bool check_gears(const report* out, const b2d_world* world) {
    const b2d_graph* g = &world->graph;
    int32_t sides = 0;
    for (int32_t id = b2d_id_pool_next(&g->joint_ids, 0); id != B2D_NONE;
         id = b2d_id_pool_next(&g->joint_ids, id + 1)) {
        int32_t before = B2D_NONE;
        for (int32_t key = g->joints[id].gear_head; key != B2D_NONE; key = g->joints[key >> 1].gear_next[key & 1]) {
            REQUIRE(b2d_id_pool_has(&g->joint_ids, key >> 1) && g->joints[key >> 1].joint[key & 1] == id,
                    "joint %d lists gear %d, which is not on it", id, key >> 1);
            REQUIRE(g->joints[key >> 1].gear_prev[key & 1] == before, "gear %d: broken back link at joint %d", key >> 1,
                    id);
            before = key;
            sides++;
        }
        sides -= (g->joints[id].joint[0] != B2D_NONE) + (g->joints[id].joint[1] != B2D_NONE);
    }
    REQUIRE(sides == 0, "the lists of gears lack %d", -sides);
    return true;
}

static bool check_joint(const report* out, b2d_world* world, int32_t id) {
    b2d_joint* joint = &world->graph.joints[id];
    REQUIRE(b2d_joint_values_allowed(world, id), "joint %d has a value that is out of range", id);
    const bool watched = isfinite(joint->force_threshold) || isfinite(joint->torque_threshold);
    REQUIRE(b2d_bits_has(&world->watched_joints, id) == watched,
            "joint %d: its thresholds and the set of watched joints differ", id);
    return true;
}

static bool check_contact(const report* out, const b2d_world* world, int32_t id) {
    const b2d_graph* g = &world->graph;
    const b2d_pair* pair = &g->pairs[id];
    int32_t a = pair->shape_a, b = pair->shape_b;
    REQUIRE(b2d_id_pool_has(&world->shape_ids, a) && b2d_id_pool_has(&world->shape_ids, b),
            "contact %d joins shapes %d and %d, of which one is dead", id, a, b);
    const b2d_shape_hot *hot_a = &world->shapes_hot[a], *hot_b = &world->shapes_hot[b];
    REQUIRE(hot_a->body == pair->body_a && hot_b->body == pair->body_b,
            "contact %d: bodies %d and %d are not those of its shapes", id, pair->body_a, pair->body_b);
    REQUIRE(b2d_world_pair_swapped(world, b2d_min_int(a, b), b2d_max_int(a, b)) == (a > b),
            "contact %d: shapes %d and %d are in the wrong order", id, a, b);
    REQUIRE(b2d_pair_set_find(&g->pair_set, b2d_pair_key(a, b)) == id,
            "contact %d of shapes %d and %d is not in the pair set", id, a, b);
    REQUIRE(b2d_world_pair_allowed(world, a, b), "contact %d: shapes %d and %d must not collide", id, a, b);
    REQUIRE(((pair->flags & B2D_PAIR_TERRAIN) != 0) == b2d_world_meets_terrain(world, pair),
            "contact %d is flagged wrongly for a terrain", id);
    bool is_one_way = ((world->shapes[a].flags | world->shapes[b].flags) & B2D_SHAPE_FLAG_ONE_WAY) != 0;
    const bool yields = (g->contacts[id].flags & B2D_CONTACT_YIELDS) != 0,
               asked = (pair->flags & B2D_PAIR_ONE_WAY) != 0;
    REQUIRE(asked || !(is_one_way || yields), "contact %d: one-way shapes %d and %d and its flags disagree", id, a, b);
    REQUIRE(!(pair->flags & B2D_PAIR_PASSES_THROUGH) || (asked && !(pair->flags & B2D_PAIR_TOUCHING)),
            "contact %d is passed through and touches", id);
    if (pair->flags & B2D_PAIR_TOUCHING) {
        b2d_mixture m = b2d_world_mix(world, pair);
        b2d_contact_record r;
        b2d_contact_record_read(g, id, &r);
        REQUIRE(m.friction == r.friction && m.restitution == r.restitution && m.rolling == r.rolling &&
                    m.tangent_speed == r.tangent_speed,
                "contact %d does not have the mixed materials of shapes %d and %d", id, a, b);
        REQUIRE(m.extra == ((pair->flags & B2D_PAIR_EXTRA) != 0),
                "contact %d: its extra block and its material disagree", id);
        REQUIRE(b2d_mixture_flags(&m) == (g->contacts[id].flags & B2D_CONTACT_HITS),
                "contact %d: its hit event flag and its shapes disagree", id);
    }
    bool flip = (pair->flags & B2D_PAIR_FLIP) != 0;
    REQUIRE(b2d_moves(g, flip ? pair->body_b : pair->body_a), "contact %d: side A does not move", id);
    return true;
}

static bool check_contacts(const report* out, const b2d_world* world) {
    const b2d_graph* g = &world->graph;
    for (int32_t id = b2d_id_pool_next(&g->contact_ids, 0); id != B2D_NONE;
         id = b2d_id_pool_next(&g->contact_ids, id + 1))
        if (!check_contact(out, world, id)) return false;
    for (int32_t bucket = 0; bucket < B2D_BUCKET_COUNT; bucket++)
        B2D_FOR_BITS (&g->awake_contacts[bucket], id)
            REQUIRE(b2d_id_pool_has(&g->contact_ids, id) && g->pairs[id].bucket == bucket,
                    "contact %d is dead or not of its awake bucket %d", id, bucket);
    return true;
}

// Whether the next collide stage tests the fat boxes of this contact, because one of its bodies has woken since the
// last one.
static bool is_tested_next(const b2d_graph* graph, int32_t contact) {
    const b2d_pair* pair = &graph->pairs[contact];
    return b2d_bits_has(&graph->new_fat_boxes, pair->body_a) || b2d_bits_has(&graph->new_fat_boxes, pair->body_b);
}

// The last pair stage used the old boxes: exactly the pairs that overlapped then and may collide have contacts, except
// for contacts that the collide stage did not visit, because they sleep or woke after it. Shapes whose pairs must be
// searched again have no old box; the next pair stage handles them.
static bool check_pairs(const report* out, const b2d_world* world) {
    const b2d_graph* g = &world->graph;
    const b2d_proxies* p = &world->proxies;
    int32_t limit = world->shape_ids.limit;
    if (world->shape_ids.count > BRUTE_FORCE_LIMIT || world->step_failed) return true;
    for (int32_t i = 0; i < limit; i++) {
        if (p->proxy_class[i] == B2D_PROXY_NONE || is_empty(old_box(p, i))) continue;
        for (int32_t j = i + 1; j < limit; j++) {
            if (p->proxy_class[j] == B2D_PROXY_NONE || is_empty(old_box(p, j))) continue;
            int32_t id = b2d_pair_set_find(&g->pair_set, b2d_pair_key(i, j));
            bool exists = id != B2D_NONE, awake = exists && b2d_bits_has(&g->awake_contacts[g->pairs[id].bucket], id);
            bool overlap = b2d_box_overlaps(old_box(p, i), old_box(p, j));
            REQUIRE(overlap || !awake || is_tested_next(g, id),
                    "shapes %d and %d have a contact and their fat boxes are apart", i, j);
            REQUIRE(exists || !overlap || !b2d_world_pair_allowed(world, i, j) ||
                        b2d_world_is_refused(world, b2d_pair_key(i, j)),
                    "shapes %d and %d overlap and have no contact", i, j);
        }
    }
    return true;
}

static bool check_chains(const report* out, const b2d_world* world) {
    int32_t listed = 0, marked = 0;
    for (int32_t id = b2d_id_pool_next(&world->chain_ids, 0); id != B2D_NONE;
         id = b2d_id_pool_next(&world->chain_ids, id + 1)) {
        const b2d_chain* chain = &world->chains[id];
        const b2d_shape_hot *first = NULL, *before = NULL;
        int32_t count = 0;
        for (int32_t shape = chain->head; shape != B2D_NONE; shape = b2d_world_chain_link(world, shape)->next) {
            const b2d_shape_hot* hot = &world->shapes_hot[shape];
            REQUIRE(b2d_id_pool_has(&world->shape_ids, shape) && b2d_world_chain_of(world, shape) == id,
                    "chain %d lists shape %d, which is not its own", id, shape);
            REQUIRE(hot->body == chain->body && hot->form == B2D_FORM_CHAIN,
                    "chain %d: shape %d is no segment of body %d", id, shape, chain->body);
            REQUIRE(++count <= b2d_min_int(chain->count, world->shape_ids.count),
                    "chain %d lists more than its %d segments", id, chain->count);
            REQUIRE(before == NULL || (before->hull.vx[1] == hot->hull.vx[0] && before->hull.vy[1] == hot->hull.vy[0] &&
                                       b2d_world_second(world, before)->vx[1] == hot->hull.vx[1] &&
                                       b2d_world_second(world, hot)->vx[0] == before->hull.vx[0]),
                    "chain %d: segment %d does not start where the one before it ends", id, shape);
            if (first == NULL) first = hot;
            before = hot;
        }
        REQUIRE(count == chain->count && count > 0, "chain %d lists %d segments and counts %d", id, count,
                chain->count);
        REQUIRE(!chain->loop || (before->hull.vx[1] == first->hull.vx[0] && before->hull.vy[1] == first->hull.vy[0]),
                "chain %d is not closed", id);
        listed += count;
    }
    for (int32_t shape = b2d_id_pool_next(&world->shape_ids, 0); shape != B2D_NONE;
         shape = b2d_id_pool_next(&world->shape_ids, shape + 1))
        marked += b2d_world_chain_of(world, shape) != B2D_NONE;
    REQUIRE(listed == marked, "%d shapes belong to chains, which list %d", marked, listed);
    return true;
}

// The list of overlaps must fit the present poses, except for shapes that have changed since the last sensor stage.
static bool check_sensors(const report* out, b2d_world* world) {
    const b2d_overlaps* list = &world->overlaps;
    for (int32_t id = 0; id < world->shape_ids.limit; id++) {
        bool sensor = b2d_id_pool_has(&world->shape_ids, id) && (world->shapes[id].flags & B2D_SHAPE_FLAG_SENSOR);
        REQUIRE(b2d_bits_has(&world->sensors, id) == sensor, "shape %d: its flag and the set of sensors disagree", id);
    }
    for (int32_t k = 0; k < list->count; k++) {
        const b2d_overlap* row = &list->rows[k];
        REQUIRE(k == 0 || (list->rows[k - 1].key | B2D_OVERLAP_SWEPT) < row->key,
                "sensor overlaps are out of order at row %d", k);
        REQUIRE(row->generation_sensor <= world->graph.generation &&
                    row->generation_visitor <= world->graph.generation && row->generation_sensor != 0 &&
                    row->generation_visitor != 0,
                "sensor overlap %d has a generation that was never given out", k);
    }
    if (world->shape_ids.count > BRUTE_FORCE_LIMIT || world->step_failed || world->counters.steps == 0) return true;
    B2D_FOR_BITS (&world->sensors, sensor) {
        bool on = (world->graph.bodies[world->shapes_hot[sensor].body].flags & B2D_BODY_FLAG_ENABLED) != 0;
        for (int32_t id = b2d_id_pool_next(&world->shape_ids, 0); id != B2D_NONE;
             id = b2d_id_pool_next(&world->shape_ids, id + 1)) {
            if (b2d_bits_has(&world->sensor_changes, sensor) || b2d_bits_has(&world->sensor_changes, id)) continue;
            uint64_t key = (uint64_t)(uint32_t)sensor << 32 | (uint64_t)(uint32_t)id << 1;
            int32_t at = b2d_overlap_find(list, key);
            bool listed = at < list->count && (list->rows[at].key | B2D_OVERLAP_SWEPT) == (key | B2D_OVERLAP_SWEPT);
            bool overlaps = on && b2d_world_sensor_accepts(world, sensor, id) &&
                            b2d_world_shapes_overlap(world, sensor, id);
            if (listed && (list->rows[at].key & B2D_OVERLAP_SWEPT)) continue; // it overlapped only during the step
            REQUIRE(listed == overlaps, "sensor %d and shape %d overlap: %d, listed: %d", sensor, id, overlaps, listed);
        }
    }
    return true;
}

// The joints marked as direct must be those of the plan, and its seeds marked as seeds, if nothing changed since.
static bool check_direct(const report* out, const b2d_world* world) {
    const b2d_graph* g = &world->graph;
    int32_t direct = 0;
    for (int32_t id = b2d_id_pool_next(&g->joint_ids, 0); id != B2D_NONE;
         id = b2d_id_pool_next(&g->joint_ids, id + 1)) {
        const uint8_t flags = g->joints[id].flags;
        REQUIRE(!(flags & B2D_JOINT_DIRECT) || g->joints[id].lane_index == B2D_NONE ||
                    g->joints[id].color == B2D_OVERFLOW,
                "joint %d is solved directly and has colour %d", id, g->joints[id].color);
        direct += (flags & B2D_JOINT_DIRECT) != 0;
    }
    if (b2d_direct_changed(&world->direct)) return true;
    REQUIRE(direct == world->direct.joint_count, "%d joints are marked as solved directly, %d are", direct,
            world->direct.joint_count);
    for (int32_t k = 0; k < direct; k++)
        REQUIRE(g->joints[world->direct.joints[k].id].flags & B2D_JOINT_DIRECT,
                "joint %d is solved directly and not marked", world->direct.joints[k].id);
    for (int32_t k = 0; k < world->direct.assembly_count; k++)
        REQUIRE(g->joints[world->direct.assemblies[k].seed].flags & B2D_JOINT_SEED, "joint %d is no seed",
                world->direct.assemblies[k].seed);
    return true;
}

static bool check_world(const report* out, b2d_world* world) {
    const b2d_graph* g = &world->graph;
    if (!check_generations(out, world, "body", &world->body_ids, world->body_generations,
                           world->body_generation_capacity) ||
        !check_generations(out, world, "chain", &world->chain_ids, world->chain_generations,
                           world->chain_generation_capacity) ||
        !check_generations(out, world, "shape", &world->shape_ids, world->shape_generations,
                           world->shape_generation_capacity) ||
        !check_generations(out, world, "contact", &g->contact_ids, g->contact_generations,
                           g->contact_generation_capacity) ||
        !check_generations(out, world, "joint", &g->joint_ids, g->joint_generations, g->joint_generation_capacity) ||
        !check_generations(out, world, "island", &g->island_ids, g->island_generations,
                           g->island_generation_capacity) ||
        !check_zero_row(out, world))
        return false;
    int64_t shapes = 0, contacts = 0, joints = 0;
    for (int32_t id = b2d_id_pool_next(&world->body_ids, 0); id != B2D_NONE;
         id = b2d_id_pool_next(&world->body_ids, id + 1)) {
        if (!check_body(out, world, id) || !check_lists(out, world, id)) return false;
        shapes += g->bodies[id].shape_count, contacts += g->bodies[id].contact_count;
        joints += g->bodies[id].joint_count;
    }
    REQUIRE(shapes == world->shape_ids.count && contacts == 2ll * g->contact_ids.count &&
                joints == 2ll * g->joint_ids.count,
            "a shape, contact or joint is not in the list of its body");
    for (int32_t id = b2d_id_pool_next(&g->joint_ids, 0); id != B2D_NONE; id = b2d_id_pool_next(&g->joint_ids, id + 1))
        if (!check_joint(out, world, id)) return false;
    if (!check_gears(out, world)) return false;
    B2D_FOR_BITS (&world->watched_joints, id)
        REQUIRE(b2d_id_pool_has(&g->joint_ids, id), "joint %d is watched and does not exist", id);
    if (!check_material_pairs(out, world)) return false;
    if (!check_shapes(out, world) || !check_contacts(out, world) || !check_pairs(out, world) ||
        !check_sensors(out, world) || !check_chains(out, world))
        return false;
    const char* broken = b2d_graph_validate(g, out->message, out->room);
    if (broken != NULL && broken != out->message) snprintf(out->message, out->room, "%s", broken);
    if (broken != NULL) return false;
    return check_direct(out, world);
}

// An earlier call that found no memory may have left something undone, and the broad phase may be out of date.
static b2d_status validate(const report* out, b2d_world* world) {
    if (world->repair && !b2d_world_repair(world)) return b2d_error(B2D_NO_MEMORY, B2D_ARG_NONE);
    if (!check_world(out, world)) return b2d_error(B2D_INVARIANT, B2D_ARG_WORLD);
    if (!b2d_world_update_broadphase(world)) return b2d_error(B2D_NO_MEMORY, B2D_ARG_NONE);
    const char* broken = world->broadphase_table->validate(world->broadphase);
    if (broken != NULL) snprintf(out->message, out->room, "broad phase: %s", broken);
    return broken == NULL ? B2D_OK : b2d_error(B2D_INVARIANT, B2D_ARG_WORLD);
}

b2d_status b2d_world_validate(b2d_world* world, char* message, int32_t room) {
    char spare[256];
    report out = room > 0 ? (report){message, (size_t)room} : (report){spare, sizeof spare};
    out.message[0] = 0;
    B2D_TRY(b2d_open_write(world)); // a write, because the broad phase may have to be updated
    B2D_LOG_NOTHING(world);
    return b2d_close_write(world, validate(&out, world));
}
