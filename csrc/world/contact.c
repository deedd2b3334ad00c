// csrc/world/contact.c - the life of a contact: created by the pair stage, begun and ended by the edge stage,
// destroyed.
//
// A contact exists while two fat boxes overlap; it is touching while its manifold has points. Only touching contacts
// are solved, link islands and send events. Threads: serial stages only, in ascending id order within a step.
#include "world/world.h"

#include <stdlib.h>

bool b2d_world_filter_allows(const b2d_world* world, int32_t shape_a, int32_t shape_b) {
    const b2d_shape *a = &world->shapes[shape_a], *b = &world->shapes[shape_b];
    if (a->group == b->group && a->group != 0) return a->group > 0;
    return (a->mask & b->category) != 0 && (b->mask & a->category) != 0;
}

// Some joint between the two forbids contact. Walks the shorter of the two lists.
static bool joined(const b2d_graph* graph, int32_t body_a, int32_t body_b) {
    if (graph->bodies[body_b].joint_count < graph->bodies[body_a].joint_count) {
        int32_t body = body_a;
        body_a = body_b;
        body_b = body;
    }
    for (int32_t key = graph->bodies[body_a].joint_head; key != B2D_NONE;) {
        const b2d_joint* joint = &graph->joints[key >> 1];
        if (joint->body[~key & 1] == body_b && !(joint->flags & B2D_JOINT_COLLIDE)) return true;
        key = joint->next[key & 1];
    }
    return false;
}

bool b2d_world_pair_allowed(const b2d_world* world, int32_t shape_a, int32_t shape_b) {
    int32_t body_a = world->shapes_hot[shape_a].body, body_b = world->shapes_hot[shape_b].body;
    if (body_a == body_b) return false;
    if (world->proxies.proxy_class[shape_a] == B2D_PROXY_NONE || world->proxies.proxy_class[shape_b] == B2D_PROXY_NONE)
        return false;
    if (!b2d_moves(&world->graph, body_a) && !b2d_moves(&world->graph, body_b)) return false;
    if (world->shapes_hot[shape_a].form == B2D_FORM_CHAIN && world->shapes_hot[shape_b].form == B2D_FORM_CHAIN)
        return false;
    return b2d_world_filter_allows(world, shape_a, shape_b) && !joined(&world->graph, body_a, body_b);
}

// Is the shape of the higher id to be shape a? A chain is, a circle is not, of two hulls the one that does not move is:
// kernels prefer the edges of shape a in near ties, and what slides must not be thrown up by its own tilt. Else the
// higher form is, else the lower id.
bool b2d_world_pair_swapped(const b2d_world* world, int32_t low, int32_t high) {
    const b2d_shape_hot *a = &world->shapes_hot[low], *b = &world->shapes_hot[high];
    bool hulls = a->form != B2D_FORM_POINT && a->form != B2D_FORM_CHAIN && b->form != B2D_FORM_POINT &&
                 b->form != B2D_FORM_CHAIN;
    bool moves_a = b2d_moves(&world->graph, a->body), moves_b = b2d_moves(&world->graph, b->body);
    return hulls && moves_a != moves_b ? moves_a : b->form > a->form;
}

static uint8_t bucket_of(int32_t form_a, int32_t form_b) {
    if (form_a < form_b) return bucket_of(form_b, form_a);
    switch (form_a) {
    case B2D_FORM_CHAIN: return (uint8_t)(B2D_BUCKET_CHAIN_POINT + form_b);
    case B2D_FORM_POINT: return B2D_BUCKET_POINT_POINT;
    case B2D_FORM_LINE: return form_b == B2D_FORM_POINT ? B2D_BUCKET_LINE_POINT : B2D_BUCKET_LINE_LINE;
    case B2D_FORM_QUAD: return form_b == B2D_FORM_POINT ? B2D_BUCKET_QUAD_POINT : B2D_BUCKET_QUAD;
    default: return form_b == B2D_FORM_POINT ? B2D_BUCKET_OCT_POINT : B2D_BUCKET_OCT;
    }
}

// Side A of the record is the moving body when the other does not move, else that of smaller extent, else of the lower
// shape id.
static bool is_flipped(const b2d_graph* graph, const b2d_pair* pair) {
    bool moves_a = b2d_moves(graph, pair->body_a), moves_b = b2d_moves(graph, pair->body_b);
    if (moves_a != moves_b) return moves_b;
    float extent_a = graph->bodies[pair->body_a].extent, extent_b = graph->bodies[pair->body_b].extent;
    if (extent_a != extent_b) return extent_b < extent_a;
    return pair->shape_b < pair->shape_a;
}

void b2d_world_create_pair(b2d_world* world, uint64_t key) {
    b2d_graph* graph = &world->graph;
    int32_t low = (int32_t)(key >> 32), high = (int32_t)(key & 0xFFFFFFFFu);
    if (b2d_pair_set_find(&graph->pair_set, key) != B2D_NONE) return;
    if (!b2d_world_pair_allowed(world, low, high)) return;
    if (b2d_world_calls(world, B2D_CALL_FILTER) &&
        (b2d_world_is_refused(world, key) || !b2d_world_ask_filter(world, key)))
        return;

    bool swap = b2d_world_pair_swapped(world, low, high);
    b2d_pair pair = {
        .shape_a = swap ? high : low, .shape_b = swap ? low : high, .lane_index = B2D_NONE, .record = B2D_NONE};
    const b2d_shape_hot *a = &world->shapes_hot[pair.shape_a], *b = &world->shapes_hot[pair.shape_b];
    pair.body_a = a->body;
    pair.body_b = b->body;
    pair.bucket = bucket_of(a->form, b->form);
    pair.extent = b2d_min(graph->bodies[a->body].extent, graph->bodies[b->body].extent);
    b2d_mixture m = b2d_world_mix(world, &pair);
    if (is_flipped(graph, &pair)) pair.flags |= B2D_PAIR_FLIP;
    pair.flags |= (uint8_t)((m.extra ? B2D_PAIR_EXTRA : 0) | (m.asks ? B2D_PAIR_ONE_WAY : 0) |
                            (b2d_world_meets_terrain(world, &pair) ? B2D_PAIR_TERRAIN : 0));
    int32_t contact = b2d_contact_create(graph, &pair, b2d_mixture_flags(&m));
    if (contact == B2D_NONE) { // the pair is lost to this stage: both shapes are looked at again in the next
        world->step_failed = true;
        b2d_world_reopen(world, low);
        b2d_world_reopen(world, high);
        return;
    }
    if (pair.flags & B2D_PAIR_TERRAIN) b2d_world_mark_internal_edges(world, contact);
    world->counters.pairs_created++;
    if (!((world->shapes[low].flags | world->shapes[high].flags) & B2D_SHAPE_FLAG_CHANGED)) return;
    if (!b2d_world_wake_moving(world, pair.body_a) || !b2d_world_wake_moving(world, pair.body_b))
        world->step_failed = true;
}

// In place: a row made on the stack and copied would wait for all stores before it, and lanes are far away.
static void add_event(const b2d_world* world, b2d_contact_events* events, int32_t contact) {
    const b2d_pair* pair = &world->graph.pairs[contact];
    b2d_contact_event* row = &events->rows[events->count++];
    row->generation_a = world->shape_generations[pair->shape_a];
    row->generation_b = world->shape_generations[pair->shape_b];
    row->generation_contact = world->graph.contact_generations[contact];
    row->shape_a = pair->shape_a;
    row->shape_b = pair->shape_b;
    row->contact = contact;
}

bool b2d_world_begin_contact(b2d_world* world, int32_t contact, const b2d_contact_record* record) {
    b2d_graph* graph = &world->graph;
    b2d_contact_record row = *record;
    b2d_contact_events* events = &world->begin_events;
    int32_t body_a = graph->pairs[contact].body_a, body_b = graph->pairs[contact].body_b;
    B2D_ASSERT(!(graph->pairs[contact].flags & B2D_PAIR_TOUCHING));
    if (!B2D_GROW(&world->memory, events->rows, events->capacity, events->count + 1)) return false;
    if (!b2d_world_wake_moving(world, body_a) || !b2d_world_wake_moving(world, body_b)) return false;

    b2d_mixture m = b2d_world_mix(world, &graph->pairs[contact]);
    b2d_mixture_write(&m, &row);
    bool links = b2d_moves(graph, body_a) && b2d_moves(graph, body_b);
    if (links && !b2d_island_link_contact(graph, contact)) return false;
    if (!b2d_color_add_contact(graph, contact, &row, m.extra)) {
        if (links) b2d_island_unlink_contact(graph, contact);
        return false;
    }
    graph->pairs[contact].flags |= B2D_PAIR_TOUCHING;
    graph->contacts[contact].flags = (uint8_t)(b2d_mixture_flags(&m) | (m.events ? B2D_CONTACT_BEGIN_REPORTED : 0));
    graph->touching++;
    world->began[contact] = b2d_world_began(world, 3u * B2D_BEGIN_POINT | B2D_BEGIN_CONTACT);
    if (m.events) add_event(world, events, contact);
    return true;
}

static void queue_end(b2d_world* world, int32_t contact) {
    b2d_contact_events* events = world->stepping ? &world->end_events : &world->pending_end_events;
    if (B2D_GROW(&world->memory, events->rows, events->capacity, events->count + 1)) add_event(world, events, contact);
    else world->step_failed = true; // the event is lost, nothing else
}

// By contact: ends of what the user destroyed come in the order of his calls, those of a body in that of its list.
static int compare_ends(const void* a, const void* b) {
    const b2d_contact_event *x = a, *y = b;
    if (x->contact != y->contact) return (x->contact > y->contact) - (x->contact < y->contact);
    return (x->generation_contact > y->generation_contact) - (x->generation_contact < y->generation_contact);
}

void b2d_world_sort_ends(b2d_world* world, int32_t from) {
    const int32_t count = world->end_events.count - from;
    if (count > 1) qsort(world->end_events.rows + from, (size_t)count, sizeof *world->end_events.rows, compare_ends);
}

static void leave_rest(b2d_graph* graph, int32_t contact) {
    b2d_id_pool_release(&graph->rest_ids, graph->contacts[contact].rest);
    graph->contacts[contact].rest = B2D_NONE;
    graph->pairs[contact].flags &= (uint8_t)~B2D_PAIR_REST;
}

void b2d_world_end_contact(b2d_world* world, int32_t contact, bool event) {
    b2d_graph* graph = &world->graph;
    if (!(graph->pairs[contact].flags & B2D_PAIR_TOUCHING)) return;
    if (event && (graph->contacts[contact].flags & B2D_CONTACT_BEGIN_REPORTED)) queue_end(world, contact);
    if (graph->pairs[contact].lane_index != B2D_NONE) b2d_color_remove_contact(graph, contact, NULL);
    else if (graph->contacts[contact].rest != B2D_NONE) leave_rest(graph, contact);
    if (graph->contacts[contact].island != B2D_NONE) b2d_island_unlink_contact(graph, contact);
    graph->pairs[contact].flags &= (uint8_t)~B2D_PAIR_TOUCHING;
    graph->touching--;
}

void b2d_world_destroy_contact(b2d_world* world, int32_t contact, bool wake) {
    b2d_graph* graph = &world->graph;
    if (graph->pairs[contact].flags & B2D_PAIR_TOUCHING) {
        int32_t body_a = graph->pairs[contact].body_a, body_b = graph->pairs[contact].body_b;
        if (wake && !(b2d_world_wake_moving(world, body_a) && b2d_world_wake_moving(world, body_b)))
            world->step_failed = true;
        b2d_world_end_contact(world, contact, true);
    }
    if (graph->pairs[contact].flags & B2D_PAIR_INTERNAL_EDGES) b2d_world_refresh_internal_edges(world, contact);
    b2d_contact_destroy(graph, contact);
}

void b2d_world_destroy_contacts_of_shape(b2d_world* world, int32_t shape) {
    b2d_graph* graph = &world->graph;
    for (int32_t key = graph->bodies[world->shapes_hot[shape].body].contact_head; key != B2D_NONE;) {
        int32_t contact = key >> 1, next = graph->contacts[contact].next[key & 1];
        if (graph->pairs[contact].shape_a == shape || graph->pairs[contact].shape_b == shape)
            b2d_world_destroy_contact(world, contact, true);
        key = next;
    }
}

bool b2d_world_wake_neighbors_of_shape(b2d_world* world, int32_t shape) {
    const b2d_graph* graph = &world->graph;
    bool done = true;
    for (int32_t key = graph->bodies[world->shapes_hot[shape].body].contact_head; key != B2D_NONE;
         key = graph->contacts[key >> 1].next[key & 1]) {
        const b2d_pair* pair = &graph->pairs[key >> 1];
        if (pair->shape_a != shape && pair->shape_b != shape) continue;
        done = b2d_world_wake_moving(world, pair->body_a) && b2d_world_wake_moving(world, pair->body_b) && done;
    }
    return done;
}

void b2d_world_refresh_contacts(b2d_world* world, int32_t body) {
    b2d_graph* graph = &world->graph;
    for (int32_t key = graph->bodies[body].contact_head; key != B2D_NONE; key = graph->contacts[key >> 1].next[key & 1])
        b2d_contact_refresh(graph, key >> 1);
}
