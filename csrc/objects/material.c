// csrc/objects/material.c - computes the values of a contact from two materials: mixing rules, the table of pairs, and
// changes while shapes touch.
//
// Idea: the lane of a contact holds the mixed values, so the solver never reads shapes. A change of a shape, a rule or
// the table immediately writes the lanes of all affected contacts, and wakes bodies that rest on a contact whose values
// change. The table is sorted by key and searched by bisection; an empty table costs one comparison. Threads: serial
// stages only.
// Proof: tests/physics/test_materials.py.
#include "objects/material.h"

#include "base/lower_bound.h"
#include "objects/body.h"
#include "objects/contact.h"
#include "objects/contact_index.h"
#include "objects/terrain.h"

#include <math.h>

#define MOST_FRICTION 1.0e30f // limits the products of large coefficients, which would overflow

uint64_t b2d_material_key(int32_t a, int32_t b) { // keys ascend in the smaller number, then in the larger
    uint64_t low = (uint32_t)b2d_min_int(a, b) ^ 0x80000000u, high = (uint32_t)b2d_max_int(a, b) ^ 0x80000000u;
    return low << 32 | high;
}

int32_t b2d_material_find(const b2d_material_rules* rules, uint64_t key) {
    return rules->count == 0 ? 0 : b2d_lower_bound(&rules->rows->key, sizeof *rules->rows, rules->count, key);
}

static float combine(double rule, float a, float b) {
    switch ((int32_t)rule) {
    case B2D_MIX_ARITHMETIC: return 0.5f * (a + b);
    case B2D_MIX_MIN: return b2d_min(a, b);
    case B2D_MIX_MAX: return b2d_max(a, b);
    case B2D_MIX_MULTIPLY: return b2d_min(a * b, MOST_FRICTION);
    default: return b2d_min(sqrtf(a * b), MOST_FRICTION);
    }
}

// The surface of a shape moves at tangent_speed along its outward normal turned clockwise. So the relative speed of two
// surfaces along the tangent of the contact is the sum, whichever of them is side A.
b2d_mixture b2d_world_mix(const b2d_world* world, const b2d_pair* pair) {
    const b2d_shape_hot *a = &world->shapes_hot[pair->shape_a], *b = &world->shapes_hot[pair->shape_b];
    const b2d_shape *cold_a = &world->shapes[pair->shape_a], *cold_b = &world->shapes[pair->shape_b];
    uint8_t flags = cold_a->flags | cold_b->flags;
    float rolling = b2d_max(a->rolling_resistance, b->rolling_resistance);
    b2d_mixture m = {
        .friction = combine(world->options[B2D_OPTION_FRICTION_MIXING], a->friction, b->friction),
        .restitution = combine(world->options[B2D_OPTION_RESTITUTION_MIXING], a->restitution, b->restitution),
        .tangent_speed = a->tangent_speed + b->tangent_speed};
    if (world->material_rules.count > 0) {
        uint64_t key = b2d_material_key(cold_a->material, cold_b->material);
        int32_t at = b2d_material_find(&world->material_rules, key);
        const b2d_material_rule* rule = &world->material_rules.rows[at];
        int32_t given = at < world->material_rules.count && rule->key == key ? rule->row.given : 0;
        if (given & 1 << B2D_MATERIAL_FRICTION) m.friction = (float)rule->row.value[B2D_MATERIAL_FRICTION];
        if (given & 1 << B2D_MATERIAL_RESTITUTION) m.restitution = (float)rule->row.value[B2D_MATERIAL_RESTITUTION];
        if (given & 1 << B2D_MATERIAL_ROLLING_RESISTANCE)
            rolling = (float)rule->row.value[B2D_MATERIAL_ROLLING_RESISTANCE];
        if (given & 1 << B2D_MATERIAL_TANGENT_SPEED)
            m.tangent_speed = (float)rule->row.value[B2D_MATERIAL_TANGENT_SPEED];
    }
    m.rolling = rolling * b2d_max(a->radius, b->radius);
    bool flip = (pair->flags & B2D_PAIR_FLIP) != 0;
    m.radius_a = flip ? b->radius : a->radius;
    m.radius_b = flip ? a->radius : b->radius;
    m.events = (flags & B2D_SHAPE_FLAG_CONTACT_EVENTS) != 0;
    m.hits = (flags & B2D_SHAPE_FLAG_HIT_EVENTS) != 0;
    m.one_way = (flags & B2D_SHAPE_FLAG_ONE_WAY) != 0;
    m.extra = m.restitution > 0.0f || m.rolling > 0.0f || m.tangent_speed != 0.0f || m.hits;
    return m;
}

uint8_t b2d_mixture_flags(const b2d_mixture* m) { return m->hits ? B2D_CONTACT_HITS : 0; }

void b2d_mixture_write(const b2d_mixture* m, b2d_contact_record* record) {
    record->friction = m->friction;
    record->radius_a = m->radius_a;
    record->radius_b = m->radius_b;
    record->restitution = m->restitution;
    record->rolling = m->rolling;
    record->tangent_speed = m->tangent_speed;
    if (!(m->rolling > 0.0f)) record->rolling_impulse = 0.0f;
}

// Moves a solved contact between blocks with and without an extra block. Without memory it stays in its old lane,
// solved without the new extra values; its flag shows this, and the repair tries again.
static bool change_lane(b2d_world* world, int32_t contact, const b2d_mixture* m) {
    b2d_graph* graph = &world->graph;
    b2d_contact_record record;
    b2d_color_remove_contact(graph, contact, &record);
    b2d_mixture_write(m, &record);
    if (b2d_color_add_contact(graph, contact, &record, m->extra)) return true;
    if (!b2d_color_add_contact(graph, contact, &record, false)) { // its old lane is free, so this is never reached
        B2D_ASSERT(false);
        b2d_world_end_contact(world, contact, true);
    }
    return false;
}

static bool store_mixture(b2d_world* world, int32_t contact, const b2d_mixture* m) {
    b2d_graph* graph = &world->graph;
    b2d_pair* pair = &graph->pairs[contact];
    bool had_extra = (pair->flags & B2D_PAIR_EXTRA) != 0;
    if (pair->lane_index != B2D_NONE && had_extra != m->extra) return change_lane(world, contact, m);
    if (pair->lane_index != B2D_NONE || graph->contacts[contact].rest != B2D_NONE) {
        b2d_contact_record record;
        b2d_contact_record_read(graph, contact, &record);
        b2d_mixture_write(m, &record);
        b2d_contact_record_write(graph, contact, &record);
    }
    pair->flags = (uint8_t)((pair->flags & ~B2D_PAIR_EXTRA) | (m->extra ? B2D_PAIR_EXTRA : 0));
    return true;
}

bool b2d_world_refresh_material(b2d_world* world, int32_t contact) {
    b2d_graph* graph = &world->graph;
    b2d_pair* pair = &graph->pairs[contact];
    b2d_mixture m = b2d_world_mix(world, pair);
    if (pair->flags & B2D_PAIR_INTERNAL_EDGES)
        b2d_world_refresh_internal_edges(world, contact); // the materials of neighbouring terrain may differ now
    graph->contacts[contact].flags = (uint8_t)(b2d_mixture_flags(&m) |
                                               (graph->contacts[contact].flags & B2D_CONTACT_UNLIKE) |
                                               (graph->contacts[contact].flags &
                                                (B2D_CONTACT_YIELDS | B2D_CONTACT_WEDGED)) |
                                               (graph->contacts[contact].flags & B2D_CONTACT_BEGIN_REPORTED));
    if (m.one_way || (graph->contacts[contact].flags & B2D_CONTACT_YIELDS)) pair->flags |= B2D_PAIR_ONE_WAY;
    else pair->flags &= (uint8_t)~(B2D_PAIR_ONE_WAY | B2D_PAIR_PASSES_THROUGH);
    return store_mixture(world, contact, &m);
}

void b2d_world_override_materials(b2d_world* world, bool on) {
    for (int32_t k = 0; k < world->overrides.count; k++) {
        const b2d_override* row = &world->overrides.rows[k];
        const b2d_graph* graph = &world->graph;
        if (!b2d_id_pool_has(&graph->contact_ids, row->contact) ||
            graph->contact_generations[row->contact] != row->generation)
            continue;
        const b2d_pair* pair = &graph->pairs[row->contact];
        if (!(pair->flags & B2D_PAIR_TOUCHING)) continue;
        b2d_mixture m = b2d_world_mix(world, pair);
        if (on) {
            m.friction = row->friction, m.restitution = row->restitution, m.tangent_speed = row->tangent_speed;
            m.extra = m.extra || m.restitution > 0.0f || m.tangent_speed != 0.0f;
        }
        if (!store_mixture(world, row->contact, &m)) world->step_failed = true;
    }
    if (!on) world->overrides.count = 0;
}

// Whether the values in the lane of a touching contact differ from the mixture of its materials now.
static bool mixture_changed(const b2d_world* world, int32_t contact) {
    const b2d_pair* pair = &world->graph.pairs[contact];
    if (!(pair->flags & B2D_PAIR_TOUCHING)) return false;
    b2d_mixture m = b2d_world_mix(world, pair);
    b2d_contact_record record;
    b2d_contact_record_read(&world->graph, contact, &record);
    return m.friction != record.friction || m.restitution != record.restitution || m.rolling != record.rolling ||
           m.tangent_speed != record.tangent_speed;
}

static bool remix(b2d_world* world, int32_t contact) {
    const b2d_pair* pair = &world->graph.pairs[contact];
    bool woken = !mixture_changed(world, contact) ||
                 (b2d_world_wake_moving(world, pair->body_a) && b2d_world_wake_moving(world, pair->body_b));
    return b2d_world_refresh_material(world, contact) && woken;
}

typedef bool contact_fn(b2d_world* world, int32_t contact);
static bool for_contacts_of(b2d_world* world, int32_t shape, contact_fn* function) {
    bool done = true;
    b2d_contact_walk walk = b2d_world_contacts_of(world, shape);
    for (int32_t id = b2d_world_next_contact(world, &walk); id != B2D_NONE; id = b2d_world_next_contact(world, &walk))
        done = function(world, id) && done;
    return done;
}

bool b2d_world_refresh_materials(b2d_world* world, int32_t shape) {
    return for_contacts_of(world, shape, b2d_world_refresh_material);
}

bool b2d_world_remix(b2d_world* world, int32_t shape) {
    if (shape != B2D_NONE) return for_contacts_of(world, shape, remix);
    const b2d_id_pool* ids = &world->graph.contact_ids;
    bool done = true;
    for (int32_t id = b2d_id_pool_next(ids, 0); id != B2D_NONE; id = b2d_id_pool_next(ids, id + 1))
        done = remix(world, id) && done;
    return done;
}
