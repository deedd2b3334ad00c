// csrc/objects/contact.c - the lifetime of a contact: the pair stage creates it, the contact transitions begin, end and
// destroy it.
//
// A contact exists while two fat boxes overlap; it is touching while its manifold has points. Only touching contacts
// are solved, link islands and have events. Threads: serial stages only, in ascending order of ids within a step.
#include "objects/contact.h"

#include "narrowphase/internal_edge.h"
#include "objects/body.h"
#include "objects/callback.h"
#include "objects/contact_index.h"
#include "objects/material.h"
#include "objects/proxy.h"
#include "objects/scratch.h"
#include "objects/terrain.h"
#include "solver/press.h"

#include <stdlib.h>

bool b2d_world_filter_allows(const b2d_world* world, int32_t shape_a, int32_t shape_b) {
    const b2d_shape *a = &world->shapes[shape_a], *b = &world->shapes[shape_b];
    if (a->group == b->group && a->group != 0) return a->group > 0;
    return (a->mask & b->category) != 0 && (b->mask & a->category) != 0;
}

// Whether a joint between the two bodies disables their contacts. It searches the shorter of the two lists.
static bool joint_disables_contact(const b2d_graph* graph, int32_t body_a, int32_t body_b) {
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
    return b2d_world_filter_allows(world, shape_a, shape_b) && !joint_disables_contact(&world->graph, body_a, body_b);
}

// Whether the shape of the higher id becomes shape a. A chain segment always becomes shape a and a circle shape b. Of
// two hulls the one that does not move becomes shape a, because kernels prefer the edges of shape a in near ties, and a
// sliding body must not be thrown up by its own tilt. Otherwise the higher form becomes shape a, then the lower id.
bool b2d_world_pair_swapped(const b2d_world* world, int32_t low, int32_t high) {
    const b2d_shape_hot *a = &world->shapes_hot[low], *b = &world->shapes_hot[high];
    bool hulls = a->form != B2D_FORM_POINT && a->form != B2D_FORM_CHAIN && b->form != B2D_FORM_POINT &&
                 b->form != B2D_FORM_CHAIN;
    bool moves_a = b2d_moves(&world->graph, a->body), moves_b = b2d_moves(&world->graph, b->body);
    return hulls && moves_a != moves_b ? moves_a : b->form > a->form;
}

// Side A of the record is the moving body if the other does not move; otherwise the body of smaller extent, then the
// body of the lower shape id.
static bool is_flipped(const b2d_graph* graph, const b2d_pair* pair) {
    bool moves_a = b2d_moves(graph, pair->body_a), moves_b = b2d_moves(graph, pair->body_b);
    if (moves_a != moves_b) return moves_b;
    float extent_a = graph->bodies[pair->body_a].extent, extent_b = graph->bodies[pair->body_b].extent;
    if (extent_a != extent_b) return extent_b < extent_a;
    return pair->shape_b < pair->shape_a;
}

void b2d_world_describe_pair(const b2d_world* world, uint64_t key, b2d_new_contact* contact) {
    const b2d_graph* graph = &world->graph;
    const int32_t low = (int32_t)(key >> 32), high = (int32_t)(key & 0xFFFFFFFFu);
    contact->allowed = b2d_pair_set_find(&graph->pair_set, key) == B2D_NONE && b2d_world_pair_allowed(world, low, high);
    if (!contact->allowed) return;
    const bool swap = b2d_world_pair_swapped(world, low, high);
    b2d_pair* pair = &contact->pair;
    *pair = (b2d_pair){
        .shape_a = swap ? high : low, .shape_b = swap ? low : high, .lane_index = B2D_NONE, .record = B2D_NONE};
    const b2d_shape_hot *a = &world->shapes_hot[pair->shape_a], *b = &world->shapes_hot[pair->shape_b];
    pair->body_a = a->body;
    pair->body_b = b->body;
    pair->bucket = (uint8_t)b2d_bucket_of(a->form, b->form);
    pair->extent = b2d_min(graph->bodies[a->body].extent, graph->bodies[b->body].extent);
    const b2d_mixture m = b2d_world_mix(world, pair);
    if (is_flipped(graph, pair)) pair->flags |= B2D_PAIR_FLIP;
    pair->flags |= (uint8_t)((m.extra ? B2D_PAIR_EXTRA : 0) | (m.one_way ? B2D_PAIR_ONE_WAY : 0) |
                             (b2d_world_meets_terrain(world, pair) ? B2D_PAIR_TERRAIN : 0));
    contact->flags = b2d_mixture_flags(&m);
    contact->wakes = ((world->shapes[low].flags | world->shapes[high].flags) & B2D_SHAPE_FLAG_CHANGED) != 0;
}

void b2d_world_create_pair(b2d_world* world, uint64_t key, const b2d_new_contact* described) {
    b2d_graph* graph = &world->graph;
    const int32_t low = (int32_t)(key >> 32), high = (int32_t)(key & 0xFFFFFFFFu);
    const b2d_pair* pair = &described->pair;
    if (!described->allowed) return;
    if (b2d_world_has_call(world, B2D_CALL_FILTER) &&
        (b2d_world_is_refused(world, key) || !b2d_world_call_filter_for_pair(world, key)))
        return;
    const int32_t contact = b2d_contact_create(graph, pair, described->flags);
    // This stage cannot create the pair: the next one searches the pairs of both shapes again
    if (contact == B2D_NONE) {
        world->step_failed = true;
        b2d_world_renew_pairs(world, low);
        b2d_world_renew_pairs(world, high);
        return;
    }
    if (pair->flags & B2D_PAIR_TERRAIN) b2d_world_mark_internal_edges(world, contact);
    world->counters.pairs_created++;
    if (!described->wakes) return;
    if (!b2d_world_wake_moving(world, pair->body_a) || !b2d_world_wake_moving(world, pair->body_b))
        world->step_failed = true;
}

// The rows are written in place: a row built on the stack and then copied would wait for all stores before it.
void b2d_world_fill_events(const b2d_world* world, const b2d_contact_events* events, int32_t begin, int32_t end) {
    for (int32_t k = begin; k < end; k++) {
        b2d_contact_event* row = &events->rows[k];
        const b2d_pair* pair = &world->graph.pairs[row->contact];
        row->generation_a = world->shape_generations[pair->shape_a];
        row->generation_b = world->shape_generations[pair->shape_b];
        row->generation_contact = world->graph.contact_generations[row->contact];
        row->shape_a = pair->shape_a;
        row->shape_b = pair->shape_b;
    }
}

static bool wants_events(const b2d_world* world, const b2d_pair* pair) {
    return ((world->shapes[pair->shape_a].flags | world->shapes[pair->shape_b].flags) &
            B2D_SHAPE_FLAG_CONTACT_EVENTS) != 0;
}

static bool begins_in_this_step(const b2d_world* world, int32_t contact) {
    return world->scratch != NULL && b2d_bits_has(&world->scratch->collide_workers[0].begun, contact);
}

// Option contact_events = "bodies": begin and end are reported once for all contacts of two bodies. One of those that
// touch, or begin in this step, has B2D_CONTACT_BEGIN_REPORTED. Returns it, or with `successor` another one whose
// shapes report contacts; B2D_NONE: there is none.
static int32_t contact_of_same_bodies(const b2d_world* world, int32_t contact, bool successor) {
    const b2d_graph* graph = &world->graph;
    const int32_t a = graph->pairs[contact].body_a, b = graph->pairs[contact].body_b;
    const int32_t body = graph->bodies[a].contact_count < graph->bodies[b].contact_count ? a : b;
    for (int32_t key = graph->bodies[body].contact_head; key != B2D_NONE;
         key = graph->contacts[key >> 1].next[key & 1]) {
        const int32_t id = key >> 1;
        const b2d_pair* pair = &graph->pairs[id];
        if (id == contact || pair->body_a + pair->body_b != a + b) continue;
        if (!(pair->flags & B2D_PAIR_TOUCHING) && !begins_in_this_step(world, id)) continue;
        if (graph->contacts[id].flags & B2D_CONTACT_BEGIN_REPORTED || (successor && wants_events(world, pair)))
            return id;
    }
    return B2D_NONE;
}

// Strategies that do not keep links find them when all contacts have begun. Clusters are tied at once.
static bool link(b2d_world* world, int32_t contact) {
    b2d_graph* graph = &world->graph;
    if (world->island_table->keeps) return b2d_island_link_contact(graph, contact);
    const b2d_pair* pair = &graph->pairs[contact];
    b2d_cluster_tie(graph, graph->body_clusters[pair->body_a], graph->body_clusters[pair->body_b]);
    graph->loose = true;
    return true;
}

void b2d_world_weigh_contacts(b2d_world* world, int32_t body) {
    b2d_graph* graph = &world->graph;
    for (int32_t key = graph->bodies[body].contact_head; key != B2D_NONE;
         key = graph->contacts[key >> 1].next[key & 1]) {
        const b2d_pair* pair = &graph->pairs[key >> 1];
        b2d_contact_set_unlike(graph, key >> 1, b2d_may_press(graph, world->states.data, pair->body_a, pair->body_b));
    }
}

void b2d_world_prepare_begin(const b2d_world* world, b2d_contact_begin* begin) {
    const b2d_graph* graph = &world->graph;
    b2d_contact_place* place = &begin->place;
    const b2d_pair* pair = &graph->pairs[place->contact];
    const b2d_body_state* states = world->states.data;
    B2D_ASSERT(!(pair->flags & B2D_PAIR_TOUCHING));
    begin->record = pair->record;
    begin->mixture = b2d_world_mix(world, pair);
    b2d_place_begin(graph, place, place->contact, begin->mixture.extra);
    place->unlike = b2d_may_press(graph, states, pair->body_a, pair->body_b);
    begin->loads[0] = b2d_direct_loads(graph, states, pair->body_a, pair->body_b);
    begin->loads[1] = b2d_direct_loads(graph, states, pair->body_b, pair->body_a);
    begin->inherited = (graph->contacts[place->contact].flags & B2D_CONTACT_BEGIN_REPORTED) != 0;
    begin->sleeps = begin->wakes = false;
    for (int32_t k = 0; k < 2; k++) {
        if (place->moving[k] == B2D_NONE || b2d_is_awake(graph, place->moving[k])) continue;
        begin->sleeps = true;
        begin->wakes = begin->wakes || b2d_wakes_constraints(graph, place->moving[k]);
    }
}

void b2d_world_wake_begin(b2d_world* world, b2d_contact_begin* begin) {
    begin->woken = true;
    for (int32_t k = 0; begin->sleeps && begin->woken && k < 2; k++)
        if (begin->place.moving[k] != B2D_NONE && !b2d_is_awake(&world->graph, begin->place.moving[k])) {
            world->graph.bodies[begin->place.moving[k]].sleep_timer = 0.0f;
            begin->woken = b2d_wake(&world->graph, begin->place.moving[k]);
        }
}

void b2d_world_link_begin(b2d_world* world, b2d_contact_begin* begin) {
    b2d_contact_place* place = &begin->place;
    const bool links = place->moving[0] != B2D_NONE && place->moving[1] != B2D_NONE;
    begin->done = begin->woken && (!links || link(world, place->contact));
    if (begin->done) b2d_place_cluster(&world->graph, place);
}

bool b2d_world_place_begin(b2d_world* world, b2d_contact_begin* begin) {
    b2d_graph* graph = &world->graph;
    b2d_contact_events* events = &world->begin_events;
    const int32_t contact = begin->place.contact;
    const b2d_pair* pair = &graph->pairs[contact];
    const bool linked = begin->done;
    begin->done = linked && B2D_GROW(&world->memory, events->rows, events->capacity, events->count + 1) &&
                  b2d_place_lane(graph, &begin->place);
    if (!begin->done) {
        b2d_place_undo(graph, &begin->place);
        if (linked) b2d_island_unlink_contact(graph, contact);
        return false;
    }
    begin->reported = begin->mixture.events && !begin->inherited &&
                      (world->options[B2D_OPTION_CONTACT_EVENTS] == 0.0 ||
                       contact_of_same_bodies(world, contact, false) == B2D_NONE);
    if (begin->reported) events->rows[events->count++].contact = contact;
    if (begin->loads[0]) b2d_direct_touch(&world->memory, &world->direct, pair->body_a);
    if (begin->loads[1]) b2d_direct_touch(&world->memory, &world->direct, pair->body_b);
    graph->touching++;
    return true;
}

void b2d_world_end_begin(b2d_world* world, const b2d_contact_begin* begin) {
    b2d_graph* graph = &world->graph;
    const int32_t contact = begin->place.contact;
    b2d_place_end(graph, &begin->place);
    graph->pairs[contact].flags |= B2D_PAIR_TOUCHING;
    graph->pairs[contact].record = B2D_NONE;
    graph->contacts[contact].flags = (uint8_t)(b2d_mixture_flags(&begin->mixture) |
                                               (begin->place.unlike ? B2D_CONTACT_UNLIKE : 0) |
                                               (begin->reported || begin->inherited ? B2D_CONTACT_BEGIN_REPORTED : 0));
    world->begin_stamps[contact] = b2d_begin_stamp(world, 3u * B2D_BEGIN_POINT | B2D_BEGIN_CONTACT);
}

void b2d_world_fill_begin(b2d_world* world, const b2d_contact_begin* begin) {
    b2d_contact_record row = *b2d_begun_record(&world->scratch->records, world->scratch->collide_workers,
                                               begin->record);
    b2d_mixture_write(&begin->mixture, &row);
    b2d_color_fill_contact(&world->graph, begin->place.contact, &row);
}

static void queue_end(b2d_world* world, int32_t contact) {
    b2d_contact_events* events = world->stepping ? &world->end_events : &world->pending_end_events;
    if (!B2D_GROW(&world->memory, events->rows, events->capacity, events->count + 1)) {
        world->step_failed = true; // only the event is lost
        return;
    }
    events->rows[events->count++].contact = contact;
    b2d_world_fill_events(world, events, events->count - 1, events->count);
}

// Sorted by contact: the ends of destroyed objects are queued in the order of the user's calls, those of one body in
// the order of its list.
static int compare_ends(const void* a, const void* b) {
    const b2d_contact_event *x = a, *y = b;
    if (x->contact != y->contact) return (x->contact > y->contact) - (x->contact < y->contact);
    return (x->generation_contact > y->generation_contact) - (x->generation_contact < y->generation_contact);
}

void b2d_world_sort_ends(b2d_world* world, int32_t from) {
    const int32_t count = world->end_events.count - from;
    if (count > 1) qsort(world->end_events.rows + from, (size_t)count, sizeof *world->end_events.rows, compare_ends);
}

static void release_rest_record(b2d_graph* graph, int32_t contact) {
    b2d_id_pool_release(&graph->rest_ids, graph->contacts[contact].rest);
    graph->contacts[contact].rest = B2D_NONE;
    graph->pairs[contact].flags &= (uint8_t)~B2D_PAIR_REST;
}

void b2d_world_end_contact(b2d_world* world, int32_t contact, bool event) {
    b2d_graph* graph = &world->graph;
    if (!(graph->pairs[contact].flags & B2D_PAIR_TOUCHING)) return;
    if (graph->contacts[contact].flags & B2D_CONTACT_BEGIN_REPORTED) {
        const int32_t successor = world->options[B2D_OPTION_CONTACT_EVENTS] == 0.0
                                      ? B2D_NONE
                                      : contact_of_same_bodies(world, contact, true);
        if (successor != B2D_NONE) graph->contacts[successor].flags |= B2D_CONTACT_BEGIN_REPORTED;
        else if (event) queue_end(world, contact);
        graph->contacts[contact].flags &= (uint8_t)~B2D_CONTACT_BEGIN_REPORTED;
    }
    if (graph->pairs[contact].lane_index != B2D_NONE) b2d_color_remove_contact(graph, contact, NULL);
    else if (graph->contacts[contact].rest != B2D_NONE) release_rest_record(graph, contact);
    if (graph->contacts[contact].island != B2D_NONE) b2d_island_unlink_contact(graph, contact);
    graph->pairs[contact].flags &= (uint8_t)~B2D_PAIR_TOUCHING;
    graph->touching--;
}

void b2d_world_note_end(b2d_world* world, b2d_contact_end* end) {
    b2d_graph* graph = &world->graph;
    b2d_contact* contact = &graph->contacts[end->contact];
    b2d_end_note(graph, end);
    end->reported = end->touches && (contact->flags & B2D_CONTACT_BEGIN_REPORTED) != 0;
    if (end->reported) contact->flags &= (uint8_t)~B2D_CONTACT_BEGIN_REPORTED;
}

void b2d_world_report_ends(b2d_world* world, const b2d_contact_ends* ends) {
    b2d_graph* graph = &world->graph;
    b2d_contact_events* events = &world->end_events;
    for (int32_t k = 0; k < ends->count; k++) {
        const b2d_contact_end* end = &ends->rows[k];
        if (end->reported) events->rows[events->count++].contact = end->contact;
        if (end->touches && end->color < 0 && graph->contacts[end->contact].rest != B2D_NONE)
            release_rest_record(graph, end->contact);
        graph->touching -= end->touches;
    }
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
    b2d_contact_walk walk = b2d_world_contacts_of(world, shape);
    for (int32_t id = b2d_world_next_contact(world, &walk); id != B2D_NONE; id = b2d_world_next_contact(world, &walk))
        b2d_world_destroy_contact(world, id, true);
}

bool b2d_world_wake_neighbors_of_shape(b2d_world* world, int32_t shape) {
    const b2d_graph* graph = &world->graph;
    bool done = true;
    b2d_contact_walk walk = b2d_world_contacts_of(world, shape);
    for (int32_t id = b2d_world_next_contact(world, &walk); id != B2D_NONE; id = b2d_world_next_contact(world, &walk)) {
        const b2d_pair* pair = &graph->pairs[id];
        done = b2d_world_wake_moving(world, pair->body_a) && b2d_world_wake_moving(world, pair->body_b) && done;
    }
    return done;
}

void b2d_world_refresh_contacts(b2d_world* world, int32_t body) {
    b2d_graph* graph = &world->graph;
    for (int32_t key = graph->bodies[body].contact_head; key != B2D_NONE; key = graph->contacts[key >> 1].next[key & 1])
        b2d_contact_refresh(graph, key >> 1);
}

// The velocity of the material point of a body at a world position.
static b2d_vec2 velocity_at(b2d_world* world, int32_t body, double x, double y) {
    const b2d_pose* pose = b2d_world_pose(world, body);
    const b2d_body_state* state = b2d_world_state(world, body);
    b2d_vec2 r = b2d_sub(b2d_v((float)(x - pose->x), (float)(y - pose->y)), b2d_pose_center(pose));
    return b2d_v(state->vx - state->w * r.y, state->vy + state->w * r.x);
}

static b2d_collide_context present_context(b2d_world* world, float speculative_distance) {
    return (b2d_collide_context){.poses = world->poses.data,
                                 .shapes = world->shapes_hot,
                                 .second_hulls = world->second_hulls,
                                 .pairs = world->graph.pairs,
                                 .linear_slop = b2d_linear_slop(world),
                                 .speculative_distance = speculative_distance,
                                 .neighbors = b2d_world_terrain_neighbors,
                                 .landing_depth = b2d_world_landing_depth,
                                 .same_material = b2d_world_same_terrain_material,
                                 .world = world};
}

static b2d_transform present_pose(const b2d_world* world, const b2d_pair* pair) {
    const b2d_pose* poses = world->poses.data;
    return b2d_pose_relative(&poses[pair->body_a], &poses[pair->body_b]);
}

static void correct_internal_edges(b2d_world* world, int32_t contact, b2d_manifold* found) {
    const b2d_pair* pair = &world->graph.pairs[contact];
    if (!(pair->flags & B2D_PAIR_INTERNAL_EDGES)) return;
    const b2d_collide_context context = present_context(world, b2d_speculative_distance(world));
    b2d_manifold corrected = *found;
    b2d_internal_edges_correct(&context, contact, context.speculative_distance, present_pose(world, pair), &corrected);
    if (corrected.count > 0) *found = corrected;
}

// The manifolds of pairs where their bodies are now, however far apart they are. Those of the records were computed
// when the last step began, or earlier if they were recycled. At most B2D_MANIFOLD_BATCH.
static void find_present_manifolds(b2d_world* world, const int32_t* contacts, int32_t count, b2d_manifold* found) {
    const b2d_collide_context context = present_context(world, 1.0e9f);
    const b2d_pair* pairs = world->graph.pairs;
    int32_t alike[B2D_MANIFOLD_BATCH], place[B2D_MANIFOLD_BATCH];
    b2d_manifold some[B2D_MANIFOLD_BATCH];
    for (uint64_t left = UINT64_MAX >> (B2D_MANIFOLD_BATCH - count); left != 0;) { // bucket by bucket
        const int32_t bucket = pairs[contacts[b2d_ctz64(left)]].bucket;
        int32_t taken = 0;
        for (uint64_t rest = left; rest != 0; rest &= rest - 1) {
            const int32_t k = b2d_ctz64(rest);
            if (pairs[contacts[k]].bucket != bucket) continue;
            left &= ~(1ull << k);
            alike[taken] = contacts[k], place[taken++] = k;
        }
        b2d_manifolds_kernel(b2d_simd_for(world->simd, taken))(&context, bucket, alike, taken, some);
        for (int32_t at = 0; at < taken; at++) found[place[at]] = some[at];
    }
    for (int32_t k = 0; k < count; k++) correct_internal_edges(world, contacts[k], &found[k]);
}

// The point of a manifold with this feature id. Where there is none, as when a body has turned to another corner, the
// nearest is meant.
static int32_t point_with(const b2d_manifold* manifold, int32_t feature) {
    for (int32_t k = 0; k < manifold->count; k++)
        if (manifold->feature[k] == feature) return k;
    return B2D_NONE;
}

static int32_t nearest_point(const b2d_manifold* manifold, b2d_vec2 near) {
    int32_t nearest = B2D_NONE;
    float least = INFINITY;
    for (int32_t k = 0; k < manifold->count; k++) {
        const float distance = b2d_length_squared(b2d_sub(manifold->point[k], near));
        if (nearest == B2D_NONE || distance < least) least = distance, nearest = k;
    }
    return nearest;
}

static b2d_vec2 force_of(const b2d_pair* pair, const b2d_contact_record* record) {
    const float sign = pair->flags & B2D_PAIR_FLIP ? -1.0f : 1.0f, normal = sign * record->normal_force,
                tangent = sign * record->tangent_force;
    return b2d_v(normal * record->nx + tangent * record->ny, normal * record->ny - tangent * record->nx);
}

// The normal and the impulses are those of the last step. So are the arms, about the centre of mass of side A; they say
// which point of the present manifold is meant where the feature ids do not.
b2d_vec2 b2d_world_contact_force(const b2d_world* world, int32_t contact) {
    const b2d_graph* graph = &world->graph;
    const b2d_pair* pair = &graph->pairs[contact];
    if (!(pair->flags & B2D_PAIR_TOUCHING)) return b2d_v(0.0f, 0.0f);
    b2d_contact_record record;
    b2d_contact_record_read(graph, contact, &record);
    return force_of(pair, &record);
}

// `present`: its manifold where the bodies are now, not read without a record.
static void describe(b2d_world* world, int32_t contact, const b2d_contact_record* record, const b2d_manifold* present,
                     b2d_contact_data* data) {
    const b2d_graph* graph = &world->graph;
    const b2d_pair* pair = &graph->pairs[contact];
    bool flip = (pair->flags & B2D_PAIR_FLIP) != 0;
    *data = (b2d_contact_data){
        .generation = graph->contact_generations[contact],
        .generation_a = world->shape_generations[pair->shape_a],
        .generation_b = world->shape_generations[pair->shape_b],
        .contact = contact,
        .shape_a = pair->shape_a,
        .shape_b = pair->shape_b,
        .body_a = pair->body_a,
        .body_b = pair->body_b,
        .color = graph->contacts[contact].color,
        .persisted = (pair->flags & B2D_PAIR_TOUCHING) != 0,
        .feature = {0xFFFF, 0xFFFF},
        .awake = b2d_bits_has(&graph->awake_contacts[pair->bucket], contact),
    };
    if (record == NULL) return;
    // The bits of the contact and points that began in this step. If any higher bit is set, the stamp is of an older
    // step.
    uint32_t began = data->persisted ? world->begin_stamps[contact] ^ b2d_begin_stamp(world, 0) : 7u;
    if (began >= 1u << B2D_BEGIN_SHIFT) began = 0;
    data->persisted = (began & B2D_BEGIN_CONTACT) == 0;
    const b2d_pose* pose = b2d_world_pose(world, flip ? pair->body_b : pair->body_a);
    b2d_vec2 center = b2d_pose_center(pose), n = {record->nx, record->ny}, t = {record->ny, -record->nx};
    data->normal_x = flip ? -n.x : n.x;
    data->normal_y = flip ? -n.y : n.y;
    const b2d_vec2 force = pair->flags & B2D_PAIR_TOUCHING ? force_of(pair, record) : b2d_v(0.0f, 0.0f);
    data->force_x = force.x;
    data->force_y = force.y;
    data->friction = record->friction;
    data->restitution = record->restitution;
    data->tangent_speed = record->tangent_speed;
    const b2d_pose* pose_a = b2d_world_pose(world, pair->body_a);
    for (int32_t k = 0; k < 2; k++) {
        int32_t feature = (int32_t)(record->feature >> 16 * k & 0xFFFF);
        const bool far = record->point[k].separation > b2d_speculative_distance(world);
        if (feature == 0xFFFF || (k > 0 && far && !(record->point[k].normal_impulse > 0.0f))) continue;
        int32_t at = data->point_count++;
        int32_t found = point_with(present, feature);
        const b2d_rot q = {pose_a->c, pose_a->s};
        if (found == B2D_NONE) { // by its place at the last manifold
            const float along = record->point[k].along_normal,
                        core = b2d_core_along(along, record->radius_a, record->point[k].initial_separation),
                        arm = b2d_turned_arm(record->point[k].normal_arm - record->roll_arm, core, record->turn);
            b2d_vec2 r = b2d_add(b2d_scale(along, n), b2d_scale(arm, t)); // tangent and normal satisfy t x n = 1
            data->px[at] = pose->x + (double)(center.x + r.x);
            data->py[at] = pose->y + (double)(center.y + r.y);
            data->separation[at] = record->point[k].separation;
            const b2d_vec2 near = {(float)(data->px[at] - pose_a->x), (float)(data->py[at] - pose_a->y)};
            found = nearest_point(present, b2d_unrotate(q, near));
        }
        if (found != B2D_NONE) {
            const b2d_vec2 point = b2d_rotate(q, present->point[found]);
            data->px[at] = pose_a->x + (double)point.x;
            data->py[at] = pose_a->y + (double)point.y;
            data->separation[at] = present->separation[found];
        }
        data->normal_impulse[at] = record->point[k].normal_impulse;
        data->tangent_impulse[at] = record->point[k].tangent_impulse;
        b2d_vec2 velocity_a = velocity_at(world, pair->body_a, data->px[at], data->py[at]),
                 velocity_b = velocity_at(world, pair->body_b, data->px[at], data->py[at]);
        data->velocity_x[at] = velocity_b.x - velocity_a.x;
        data->velocity_y[at] = velocity_b.y - velocity_a.y;
        data->feature[at] = feature;
        data->persisted_point[at] = !far && (began >> k & B2D_BEGIN_POINT) == 0;
    }
}

b2d_contact_data b2d_world_describe_contact(b2d_world* world, int32_t contact, const b2d_contact_record* record) {
    b2d_manifold present;
    b2d_contact_data data;
    if (record != NULL) find_present_manifolds(world, &contact, 1, &present);
    describe(world, contact, record, &present, &data);
    return data;
}

void b2d_world_describe_touching(b2d_world* world, const int32_t* contacts, int32_t count,
                                 b2d_contact_data* const* out) {
    b2d_manifold present[B2D_MANIFOLD_BATCH];
    if (count == 0) return;
    find_present_manifolds(world, contacts, count, present);
    for (int32_t k = 0; k < count; k++) {
        b2d_contact_record record;
        b2d_contact_record_glance(&world->graph, contacts[k], &record);
        describe(world, contacts[k], &record, &present[k], out[k]);
    }
}
