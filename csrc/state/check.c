// csrc/state/check.c - what must hold in a world that was read before any other function may look at it.
//
// Every reference must be in range, and what later calls take for granted without a check must be so.
// b2d_world_validate then compares the tables with each other. The numbers of the lanes need no check: a body whose
// velocity they make infinite is disabled by the step, as any other.
#include "joints/joint_type.h"
#include "state/snapshot.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const float most_coordinate = 1.0e30f; // of a box, m: their sums and differences are finite

#define WRONG(name, why)                                      \
    do {                                                      \
        snprintf(message, room, "section %s: %s", name, why); \
        return message;                                       \
    } while (0)

// A row that does not exist may refer to anything, for example where a world was taken out of a batch.
static bool refers_well(const char* layout, void* base, size_t stride, int32_t rows, const b2d_id_pool* pool,
                        const b2d_world* world) {
    b2d_column columns[B2D_MOST_COLUMNS];
    const int32_t count = b2d_layout_columns(layout, stride, columns);
    for (int32_t row = 0; pool != NULL && row < rows; row++)
        if (!b2d_id_pool_has(pool, row)) b2d_layout_forget(columns, count, base, stride, row);
    return b2d_layout_check(columns, count, base, stride, rows, world);
}

static const char* check_references(b2d_world* world, char* message, size_t room) {
#define B2D_ARRAY(array, capacity, rows, kind, layout)                                                               \
    if (layout[0] != 0 &&                                                                                            \
        !refers_well(layout, world->array, sizeof *world->array, world->rows, b2d_layout_pool(world, #rows), world)) \
        WRONG(#array, "it refers to a row that does not exist");
#define B2D_SHARED(table, rows, kind, layout)
#define B2D_IDS(pool, kind)
#define B2D_BITS(bits, kind, ids)
#define B2D_PAIR_SET(set, kind)
#define B2D_VALUE(member, kind, layout)
#define B2D_PART(member, kind)
#include "state/tables.def"
    return NULL;
}

static bool subset(const b2d_bits* bits, const b2d_id_pool* pool) {
    B2D_FOR_BITS (bits, id)
        if (!b2d_id_pool_has(pool, id)) return false;
    return true;
}

// Whether the shape of an overlap exists, or what became of it will be found in the next step.
static bool is_known(const b2d_world* world, int32_t shape, uint64_t generation) {
    return world->shape_generations[shape] == generation || b2d_bits_has(&world->sensor_changes, shape);
}

static const char* check_values(const b2d_world* world, char* message, size_t room) {
    const int64_t most_events = INT64_C(1) << 60; // counters go on from here
    const int32_t most_ties = 1 << 30, most_wait = 1 << 16;
    const b2d_graph* g = &world->graph;
    if (world->repair || g->needs_repair || g->merged_count != 0) WRONG("repair", "the world was not complete");
    if (world->proxies.limit != world->shape_ids.limit) WRONG("proxies.limit", "it is not that of the shapes");
    if (!isfinite(g->impulse_h) || !isfinite(world->last_dt) || g->impulse_h < 0.0f || world->last_dt < 0.0f ||
        !(world->loads.time >= 0.0f) || !(world->loads.age >= 0.0f) || !(world->loads.substep >= 0.0f) ||
        world->loads.substep > B2D_LONGEST_SUBSTEP)
        WRONG("last_dt", "it is no length of a step");
    for (int32_t k = 0; k < world->water_count; k++) {
        const b2d_water* water = &world->waters[k];
        double sum = water->density;
        for (int32_t i = 0; i < B2D_MAX_VERTICES; i++)
            sum += fabs(water->nx[i]) + fabs(water->ny[i]) + fabs(water->px[i]) + fabs(water->py[i]);
        if (water->count < 0 || water->count > B2D_MAX_VERTICES || !isfinite(sum)) WRONG("waters", "it is no region");
    }
    int64_t numbers[sizeof world->counters / sizeof(int64_t)];
    memcpy(numbers, &world->counters, sizeof numbers);
    for (size_t k = 0; k < sizeof numbers / sizeof *numbers; k++)
        if (numbers[k] < 0 || numbers[k] > most_events) WRONG("counters", "a number is out of range");
    const int64_t events[] = {g->merges, g->relabeled, g->searches, g->splits, g->woken, g->slept};
    for (size_t k = 0; k < sizeof events / sizeof *events; k++)
        if (events[k] < 0 || events[k] > most_events) WRONG("graph.merges", "a number of events is out of range");
    if (g->cluster_ties < 0 || g->cluster_ties > most_ties || g->cluster_wait < -most_wait ||
        g->cluster_wait > most_wait || g->cluster_patience < 0 || g->cluster_patience > most_wait)
        WRONG("graph.cluster_wait", "it is out of range");
    if (world->refused_sorted < 0 || world->refused_sorted > world->refused_count)
        WRONG("refused_sorted", "it is out of range");
    if (g->generation > UINT64_MAX / 2) WRONG("graph.generation", "it is out of range");
    if (!subset(&g->awake, &world->body_ids)) WRONG("graph.awake", "a member does not exist");
    if (!subset(&world->mass_changed, &world->body_ids)) WRONG("mass_changed", "a member does not exist");
    for (int32_t k = 0; k < world->direct.changed_count; k++) {
        const int32_t id = world->direct.changed[k];
        if (id < 0 || (!b2d_id_pool_has(&world->body_ids, id) && g->bodies[id].joint_head != B2D_NONE))
            WRONG("direct.changed", "a body does not exist");
    }
    if (!subset(&world->proxies.moved, &world->shape_ids)) WRONG("proxies.moved", "a member does not exist");
    if (!subset(&world->watched_joints, &g->joint_ids)) WRONG("watched_joints", "a member does not exist");
    if (!subset(&g->extra_blocks, &g->block_ids)) WRONG("graph.extra_blocks", "a member does not exist");
    for (int32_t k = 0; k < g->cluster_count; k++)
        if (g->cluster_parents[k] > k) WRONG("graph.cluster_parents", "a cluster is below a later one");
    int32_t refused = 0;
    for (int32_t k = 0; k < world->overlaps.count; k++) {
        const b2d_overlap* row = &world->overlaps.rows[k];
        if (b2d_overlap_sensor(row) < 0 || b2d_overlap_sensor(row) >= world->shape_ids.limit ||
            b2d_overlap_visitor(row) >= world->shape_ids.limit ||
            !is_known(world, b2d_overlap_sensor(row), row->generation_sensor) ||
            !is_known(world, b2d_overlap_visitor(row), row->generation_visitor))
            WRONG("overlaps.rows", "a shape does not exist");
        refused += row->refused;
    }
    if (refused != world->overlaps.refused) WRONG("overlaps.refused", "it is another number than in the rows");
    for (int32_t k = 0; k < world->refused_count; k++) {
        const uint64_t key = world->refused[k];
        if (key >> 32 >= (uint64_t)world->shape_ids.limit || (key & 0xFFFFFFFFu) >= (uint64_t)world->shape_ids.limit ||
            key >> 32 >= (key & 0xFFFFFFFFu))
            WRONG("refused", "a shape does not exist");
        if (k > 0 && k < world->refused_sorted && world->refused[k - 1] >= key) WRONG("refused", "it is not sorted");
    }
    for (int32_t k = 1; k < world->material_rules.count; k++)
        if (world->material_rules.rows[k - 1].key >= world->material_rules.rows[k].key)
            WRONG("material_rules.rows", "it is not sorted");
    return NULL;
}

static bool in_range(int32_t id, int32_t limit) { return id >= 0 && id < limit; }
static bool is_length(float x) { return x >= 0.0f && isfinite(x); }

// Objects of events may have gone, but each had a row. The layouts of the other rows check their ids (layout.h).
static bool is_contact_event(const b2d_world* world, const b2d_contact_event* row) {
    return in_range(row->shape_a, world->shape_ids.limit) && in_range(row->shape_b, world->shape_ids.limit) &&
           in_range(row->contact, world->graph.contact_ids.limit);
}
static bool is_hit_event(const b2d_world* world, const b2d_hit_event* row) {
    return in_range(row->shape_a, world->shape_ids.limit) && in_range(row->shape_b, world->shape_ids.limit) &&
           in_range(row->contact, world->graph.contact_ids.limit);
}
static bool is_body_event(const b2d_world* world, const b2d_body_event* row) {
    return in_range(row->body, world->body_ids.limit);
}
#define is_joint_event(world, row)  true
#define is_sensor_event(world, row) true

static const char* check_events(const b2d_world* world, char* message, size_t room) {
    for (int32_t k = 0; k < world->pending_end_events.count; k++)
        if (!is_contact_event(world, &world->pending_end_events.rows[k]))
            WRONG("pending_end_events.rows", "an event is of no object");
#define B2D_EVENT(KIND, name, list, row, ...)       \
    for (int32_t k = 0; k < world->list.count; k++) \
        if (!is_##row##_event(world, &world->list.rows[k])) WRONG(#list ".rows", "an event is of no object");
#include "lists/events.def"
#undef B2D_EVENT
    return NULL;
}

static const char* check_bodies(b2d_world* world, char* message, size_t room) {
    const b2d_graph* g = &world->graph;
    for (int32_t id = b2d_id_pool_next(&world->body_ids, 0); id != B2D_NONE;
         id = b2d_id_pool_next(&world->body_ids, id + 1)) {
        const b2d_body* body = &g->bodies[id];
        if (body->type > B2D_DYNAMIC) WRONG("graph.bodies", "a body has no type");
        if (!is_length(body->extent) || !is_length(body->min_extent) || !is_length(body->sleep_timer) ||
            body->turns < -B2D_MOST_TURNS || body->turns > B2D_MOST_TURNS)
            WRONG("graph.bodies", "a number is out of range");
        if ((body->flags & B2D_BODY_FLAG_YIELDS) && id >= world->law_rows) WRONG("graph.bodies", "a force has no law");
        if (body->island == B2D_NONE) continue;
        if (!b2d_id_pool_has(&g->island_ids, body->island) || body->island_slot < 0 ||
            body->island_slot >= g->islands[body->island].body_count ||
            b2d_island_bodies(&g->islands[body->island])[body->island_slot] != id)
            WRONG("graph.bodies", "a body is not in its island");
    }
    return NULL;
}

static const char* check_shapes(b2d_world* world, char* message, size_t room) {
    for (int32_t id = b2d_id_pool_next(&world->shape_ids, 0); id != B2D_NONE;
         id = b2d_id_pool_next(&world->shape_ids, id + 1)) {
        const b2d_shape_hot* hot = &world->shapes_hot[id];
        b2d_geometry geometry;
        if (hot->count < 1 || hot->count > 8 || hot->form < B2D_FORM_POINT || hot->form > B2D_FORM_CHAIN ||
            world->shapes[id].type >= B2D_GEOMETRY_COUNT ||
            (world->shapes[id].type == B2D_CHAIN_SEGMENT) != (hot->form == B2D_FORM_CHAIN) ||
            !b2d_id_pool_has(&world->body_ids, hot->body) ||
            (hot->second_hull != B2D_NONE) != (hot->count > 4 || hot->form == B2D_FORM_CHAIN) ||
            (hot->second_hull != B2D_NONE && !b2d_id_pool_has(&world->second_ids, hot->second_hull)))
            WRONG("shapes_hot", "a shape is wrong");
        b2d_shape_hot_geometry(hot, b2d_world_second(world, hot), world->shapes[id].type, &geometry);
        if (b2d_geometry_check(&geometry) != B2D_OK) WRONG("shapes_hot", "a geometry is degenerate");
        if (!is_length(hot->margin)) WRONG("shapes_hot", "a margin is out of range");
        if (hot->form != B2D_FORM_CHAIN) continue;
        const b2d_chain_link* link = b2d_world_chain_link(world, id);
        if (link->chain < B2D_NONE || link->chain >= world->chain_ids.limit || link->next < B2D_NONE ||
            link->next >= world->shape_ids.limit)
            WRONG("chain_links", "it refers to a row that does not exist");
    }
    const b2d_proxies* p = &world->proxies;
    for (int32_t id = 0; id < p->limit; id++) {
        const float box[8] = {p->fat_min_x[id], p->fat_min_y[id], p->fat_max_x[id], p->fat_max_y[id],
                              p->old_min_x[id], p->old_min_y[id], p->old_max_x[id], p->old_max_y[id]};
        const bool known = p->proxy_class[id] != B2D_PROXY_NONE; // to a broad phase, which computes with its box
        for (int32_t k = 0; k < 8; k++)
            if (!isfinite(box[k]) || (known && k < 4 && fabsf(box[k]) > most_coordinate))
                WRONG("proxies.fat_min_x", "a box is out of range");
        if (p->proxy_class[id] > B2D_PROXY_MOVING) WRONG("proxies.proxy_class", "there is no such class");
    }
    return NULL;
}

static const char* check_contacts(const b2d_world* world, char* message, size_t room) {
    const b2d_graph* g = &world->graph;
    int32_t in_lanes = 0, unlike = 0, pressed = 0;
    for (int32_t id = b2d_id_pool_next(&g->contact_ids, 0); id != B2D_NONE;
         id = b2d_id_pool_next(&g->contact_ids, id + 1)) {
        const b2d_pair* pair = &g->pairs[id];
        const b2d_contact* contact = &g->contacts[id];
        if (pair->shape_a == B2D_NONE || pair->shape_b == B2D_NONE || pair->shape_a == pair->shape_b ||
            !b2d_id_pool_has(&world->shape_ids, pair->shape_a) || !b2d_id_pool_has(&world->shape_ids, pair->shape_b) ||
            pair->body_a != world->shapes_hot[pair->shape_a].body ||
            pair->body_b != world->shapes_hot[pair->shape_b].body)
            WRONG("graph.pairs", "a contact is not of two shapes");
        if (!is_length(pair->extent)) WRONG("graph.pairs", "an extent is out of range");
        if (pair->bucket != b2d_bucket_of(world->shapes_hot[pair->shape_a].form, world->shapes_hot[pair->shape_b].form))
            WRONG("graph.pairs", "a contact has the kernel of other shapes");
        if ((pair->lane_index != B2D_NONE) != b2d_bits_has(&g->in_lanes, id))
            WRONG("graph.in_lanes", "it does not fit the contacts");
        in_lanes += pair->lane_index != B2D_NONE;
        if (b2d_is_unlike(g, id) != b2d_bits_has(&g->unlike_contacts, id))
            WRONG("graph.unlike_contacts", "it does not fit the contacts");
        unlike += b2d_is_unlike(g, id);
        pressed += pair->lane_index != B2D_NONE && b2d_bits_has(&g->pressed_contacts, id);
        if (contact->color < -1 || contact->color > B2D_OVERFLOW || contact->fixed > 1 ||
            ((pair->lane_index != B2D_NONE) != (contact->color >= 0)))
            WRONG("graph.contacts", "there is no such colour");
        if (contact->island != B2D_NONE &&
            (!b2d_id_pool_has(&g->island_ids, contact->island) || contact->island_slot < 0))
            WRONG("graph.contacts", "there is no such island");
        const b2d_extra_block* extra = pair->lane_index == B2D_NONE ? NULL : g->extras[pair->lane_index / B2D_LANES];
        if ((pair->flags & B2D_PAIR_EXTRA) && pair->lane_index != B2D_NONE && extra == NULL)
            WRONG("graph.extras", "a contact lacks its block");
    }
    if (in_lanes != b2d_bits_count(&g->in_lanes)) WRONG("graph.in_lanes", "it does not fit the contacts");
    if (unlike != b2d_bits_count(&g->unlike_contacts)) WRONG("graph.unlike_contacts", "it does not fit the contacts");
    if (pressed != b2d_bits_count(&g->pressed_contacts)) WRONG("graph.pressed_contacts", "a contact is not in a block");
    return NULL;
}

static const char* check_joints(const b2d_world* world, char* message, size_t room) {
    const b2d_graph* g = &world->graph;
    for (int32_t id = b2d_id_pool_next(&g->joint_ids, 0); id != B2D_NONE;
         id = b2d_id_pool_next(&g->joint_ids, id + 1)) {
        const b2d_joint* joint = &g->joints[id];
        if (!b2d_id_pool_has(&world->body_ids, joint->body[0]) || !b2d_id_pool_has(&world->body_ids, joint->body[1]) ||
            joint->body[0] == joint->body[1])
            WRONG("graph.joints", "a joint is not between two bodies");
        if (joint->type >= B2D_JOINT_TYPE_COUNT || joint->color < -1 || joint->color > B2D_OVERFLOW ||
            joint->fixed > 1 || (joint->lane_index != B2D_NONE) != (joint->color >= 0))
            WRONG("graph.joints", "a joint has no type or colour");
        if (joint->island != B2D_NONE && (!b2d_id_pool_has(&g->island_ids, joint->island) || joint->island_slot < 0))
            WRONG("graph.joints", "there is no such island");
        if (((joint->flags & B2D_JOINT_NO_ROWS) != 0) != ((b2d_joint_type_of(joint)->flags & B2D_JOINT_NO_ROWS) != 0))
            WRONG("graph.joints", "a joint does not fit its type");
        if (!(joint->forgotten >= 0.0f && joint->forgotten <= 1.0f))
            WRONG("graph.joints", "a joint forgets no share of its impulses");
        for (int32_t side = 0; side < 2; side++) {
            const int32_t other = joint->joint[side];
            if (!b2d_joint_type_of(joint)->on_joints && other == B2D_NONE) continue;
            if (!b2d_joint_type_of(joint)->on_joints || other == id || !b2d_id_pool_has(&g->joint_ids, other) ||
                g->joints[other].type >= B2D_JOINT_TYPE_COUNT ||
                b2d_joint_type_of(&g->joints[other])->coordinate == NULL)
                WRONG("graph.joints", "a gear couples no joint");
            if (joint->body[side] != g->joints[other].body[0] && joint->body[side] != g->joints[other].body[1])
                WRONG("graph.joints", "a gear drives another body than its joint");
        }
    }
    return NULL;
}

// Rows that belong to exactly one owner: a block to a list of one colour, a second hull to a shape and a row of the
// rest pool to a contact.
enum { BLOCKS, JOINT_BLOCKS, SECOND_HULLS, REST_ROWS, OWNED };

// Returns whether the row exists and has no other owner.
static bool claim(b2d_bits* seen, const b2d_id_pool* pool, int32_t row) {
    if (!b2d_id_pool_has(pool, row) || b2d_bits_has(seen, row)) return false;
    b2d_bits_set(seen, row);
    return true;
}

static const char* find_owners(b2d_world* world, b2d_bits seen[OWNED], const b2d_id_pool* const pools[OWNED],
                               char* message, size_t room) {
    b2d_graph* g = &world->graph;
    const int32_t of_clusters = g->cluster_count * B2D_CLUSTER_LISTS, half = B2D_CLUSTER_LISTS / 2;
    for (int32_t k = 0; k < of_clusters + 4; k++) {
        const bool of_joints = k < of_clusters ? k % B2D_CLUSTER_LISTS < half : k - of_clusters >= 2;
        const int32_t kind = of_joints ? JOINT_BLOCKS : BLOCKS;
        const b2d_color_list* list = b2d_snapshot_list(g, k);
        for (int32_t n = 0; n < b2d_color_list_blocks(list); n++)
            if (!claim(&seen[kind], pools[kind], list->blocks[n]))
                WRONG("graph.clusters.blocks", "a block does not exist or is in two lists");
    }
    for (int32_t id = b2d_id_pool_next(&world->shape_ids, 0); id != B2D_NONE;
         id = b2d_id_pool_next(&world->shape_ids, id + 1)) {
        const int32_t hull = world->shapes_hot[id].second_hull;
        if (hull != B2D_NONE && !claim(&seen[SECOND_HULLS], pools[SECOND_HULLS], hull))
            WRONG("shapes_hot", "two shapes have the same second hull");
    }
    for (int32_t id = b2d_id_pool_next(&g->contact_ids, 0); id != B2D_NONE;
         id = b2d_id_pool_next(&g->contact_ids, id + 1)) {
        const int32_t row = g->contacts[id].rest;
        if (row != B2D_NONE && !claim(&seen[REST_ROWS], pools[REST_ROWS], row))
            WRONG("graph.contacts", "two contacts have the same row of the rest pool");
    }
    return NULL;
}

static b2d_read_result check_owners(b2d_world* world, char* message, size_t room) {
    const b2d_graph* g = &world->graph;
    const b2d_id_pool* const pools[OWNED] = {&g->block_ids, &g->joint_block_ids, &world->second_ids, &g->rest_ids};
    static const char* const names[OWNED] = {"graph.block_ids", "graph.joint_block_ids", "second_ids",
                                             "graph.rest_ids"};
    b2d_bits seen[OWNED] = {{0}};
    int32_t counts[OWNED];
    const char* fault = NULL;
    bool enough = true;
    for (int32_t kind = 0; kind < OWNED; kind++) {
        counts[kind] = pools[kind]->count;
        enough = enough && b2d_bits_reserve(&world->memory, &seen[kind], pools[kind]->limit + 1);
    }
    if (enough) fault = find_owners(world, seen, pools, message, room);
    for (int32_t kind = 0; kind < OWNED; kind++) {
        if (enough && fault == NULL && b2d_bits_count(&seen[kind]) != counts[kind]) {
            snprintf(message, room, "section %s: a row belongs to nothing", names[kind]);
            fault = message;
        }
        b2d_bits_free(&world->memory, &seen[kind]);
    }
    return !enough ? B2D_READ_NO_MEMORY : fault != NULL ? B2D_READ_WRONG : B2D_READ_OK;
}

static const char* check_islands(const b2d_world* world, char* message, size_t room) {
    const b2d_graph* g = &world->graph;
    for (int32_t id = b2d_id_pool_next(&g->island_ids, 0); id != B2D_NONE;
         id = b2d_id_pool_next(&g->island_ids, id + 1)) {
        const b2d_island_links linked = b2d_island_linked(&g->islands[id]);
        for (int32_t k = 0; k < g->islands[id].body_count; k++)
            if (!b2d_id_pool_has(&world->body_ids, b2d_island_bodies(&g->islands[id])[k]))
                WRONG("graph.islands.members", "a body does not exist");
        for (int32_t k = 0; k < linked.contact_count; k++) {
            const b2d_link* link = &linked.contacts[k];
            if (!b2d_id_pool_has(&g->contact_ids, link->id) || g->pairs[link->id].body_a != link->body_a ||
                g->pairs[link->id].body_b != link->body_b)
                WRONG("graph.islands.members", "a contact does not exist");
        }
        for (int32_t k = 0; k < linked.joint_count; k++) {
            const b2d_link* link = &linked.joints[k];
            if (!b2d_id_pool_has(&g->joint_ids, link->id) || g->joints[link->id].body[0] != link->body_a ||
                g->joints[link->id].body[1] != link->body_b)
                WRONG("graph.islands.members", "a joint does not exist");
        }
    }
    return NULL;
}

b2d_read_result b2d_snapshot_check(b2d_world* world, char* message, size_t room) {
    const char* fault = check_references(world, message, room);
    if (fault == NULL) fault = check_values(world, message, room);
    if (fault == NULL) fault = check_events(world, message, room);
    if (fault == NULL) fault = check_islands(world, message, room);
    if (fault == NULL) fault = check_bodies(world, message, room);
    if (fault == NULL) fault = check_shapes(world, message, room);
    if (fault == NULL) fault = check_contacts(world, message, room);
    if (fault == NULL) fault = check_joints(world, message, room);
    return fault != NULL ? B2D_READ_WRONG : check_owners(world, message, room);
}
