// csrc/step/contact_transitions.c - applies the results of the narrow phase to the graph: contacts end, begin and are
// destroyed.
//
// Contacts that end free their colours before contacts that begin take colours, and ids are freed last. What contacts
// end, begin and leave is decided in ascending order of their ids; what does not depend on each other is decided on
// several workers, each of which goes through all contacts (graph/color_many.c). Then all workers write the rows of
// contacts, of events and of lanes, these in the order of their blocks. Rows are prefetched in groups (prefetch.h).
// Threads: serial, but for the functions that are stages.
#include "step/contact_transitions.h"

#include "objects/body.h"
#include "objects/contact.h"
#include "objects/scratch.h"
#include "objects/terrain.h"
#include "base/radix_sort.h"
#include "base/trace.h"
#include "step/clock.h"
#include "step/prefetch.h"
#include "step/presolve.h"

#include <string.h>

// Lists the next members of the set, at most B2D_PREFETCH_GROUP, and prefetches their rows.
static int32_t next_group(const b2d_graph* graph, const b2d_bits* bits, int32_t from, int32_t* ids) {
    int32_t count = 0;
    if (b2d_bits_is_empty(bits)) return 0;
    for (int32_t id = b2d_bits_next(bits, from); id != B2D_NONE && count < B2D_PREFETCH_GROUP;
         id = b2d_bits_next(bits, id + 1)) {
        ids[count++] = id;
        b2d_fetch(&graph->pairs[id]);
        b2d_fetch_contact(graph, id);
        b2d_fetch(&graph->contact_generations[id]);
    }
    for (int32_t k = 0; k < count; k++) {
        b2d_fetch(&graph->bodies[graph->pairs[ids[k]].body_a]);
        b2d_fetch(&graph->bodies[graph->pairs[ids[k]].body_b]);
        b2d_fetch(&graph->color_masks[graph->pairs[ids[k]].body_a]);
        b2d_fetch(&graph->color_masks[graph->pairs[ids[k]].body_b]);
    }
    return count;
}

// Usage: int32_t ids[B2D_PREFETCH_GROUP]; FOR_GROUPS(graph, bits, ids, count) for (int32_t k = 0; k < count; k++) ...
#define FOR_GROUPS(graph, bits, ids, count)                          \
    for (int32_t count = next_group(graph, bits, 0, ids); count > 0; \
         count = next_group(graph, bits, ids[count - 1] + 1, ids))

typedef struct transitions {
    b2d_world* world;
    b2d_contact_ends ends; // count 0: there are none, or they have ended one by one
    b2d_contact_begin* begins;
    uint64_t *order, *scratch; // of those that have begun: lane_index << 32 | number in `begins`
    int32_t* ids;              // of those that begin
    int32_t begin_count, begun;
    int32_t from, to;                 // of `begins`: those that begin together
    const b2d_contact_events* events; // being filled
    int32_t first_event;
} transitions;

enum { LANE_GRAIN = 32, EVENT_GRAIN = 256, ROW_GRAIN = 64 };
enum { MANY = 64 }; // contacts that are worth sharing out

static void note_ends(void* context, int32_t begin, int32_t end, int32_t worker) {
    (void)worker;
    transitions* t = context;
    const b2d_graph* graph = &t->world->graph;
    for (int32_t from = begin; from < end; from += B2D_PREFETCH_GROUP) {
        const int32_t to = b2d_min_int(from + B2D_PREFETCH_GROUP, end);
        for (int32_t k = from; k < to; k++) {
            t->ends.rows[k].contact = t->ends.ids[k];
            b2d_fetch(&graph->pairs[t->ends.ids[k]]);
            b2d_fetch_contact(graph, t->ends.ids[k]);
        }
        for (int32_t k = from; k < to; k++) b2d_world_note_end(t->world, &t->ends.rows[k]);
    }
}

static void decide_ends(void* context, int32_t begin, int32_t end, int32_t worker) {
    (void)worker;
    transitions* t = context;
    for (int32_t k = begin; k < end; k++)
        if (k < B2D_END_ITEMS) b2d_ends_item(&t->world->graph, &t->ends, k);
        else b2d_world_report_ends(t->world, &t->ends);
}

static void move_lanes(void* context, int32_t begin, int32_t end, int32_t worker) {
    (void)worker;
    transitions* t = context;
    b2d_ends_move(&t->world->graph, &t->ends, begin, end);
}

static void fill_events(void* context, int32_t begin, int32_t end, int32_t worker) {
    (void)worker;
    const transitions* t = context;
    b2d_world_fill_events(t->world, t->events, t->first_event + begin, t->first_event + end);
}

static void prepare_begins(void* context, int32_t begin, int32_t end, int32_t worker) {
    (void)worker;
    transitions* t = context;
    for (int32_t from = begin; from < end; from += B2D_PREFETCH_GROUP) {
        const int32_t to = b2d_min_int(from + B2D_PREFETCH_GROUP, end);
        for (int32_t k = from; k < to; k++) {
            t->begins[k].place.contact = t->ids[k];
            const b2d_pair* pair = &t->world->graph.pairs[t->ids[k]];
            b2d_fetch_shape(t->world, pair->shape_a);
            b2d_fetch_shape(t->world, pair->shape_b);
        }
        for (int32_t k = from; k < to; k++) b2d_world_prepare_begin(t->world, &t->begins[k]);
    }
}

static void link_begins(transitions* t) {
    enum { AHEAD = 8 };
    for (int32_t k = t->from; k < t->to; k++) {
        if (k + AHEAD < t->to) b2d_fetch_contact(&t->world->graph, t->begins[k + AHEAD].place.contact);
        b2d_world_link_begin(t->world, &t->begins[k]);
    }
}

static void decide_begins(void* context, int32_t begin, int32_t end, int32_t worker) {
    (void)worker;
    transitions* t = context;
    b2d_graph* graph = &t->world->graph;
    for (int32_t item = begin; item < end; item++)
        if (item == 0) link_begins(t);
        else
            for (int32_t k = t->from; k < t->to; k++)
                if (item == 1) b2d_place_color(graph, &t->begins[k].place);
                else b2d_place_bits(graph, &t->begins[k].place);
}

static void fill_lanes(void* context, int32_t begin, int32_t end, int32_t worker) {
    (void)worker;
    transitions* t = context;
    begin = b2d_lane_keys_from(t->order, begin, t->begun), end = b2d_lane_keys_from(t->order, end, t->begun);
    for (int32_t k = begin; k < end; k++) {
        b2d_world_end_begin(t->world, &t->begins[t->order[k] & 0xFFFFFFFFu]);
        b2d_world_fill_begin(t->world, &t->begins[t->order[k] & 0xFFFFFFFFu]);
    }
}

static void clear_lanes(void* context, int32_t begin, int32_t end, int32_t worker) {
    (void)worker;
    transitions* t = context;
    b2d_ends_clear(&t->world->graph, &t->ends, begin, end);
}

// ---- Contacts with terrain of many shapes ----

typedef struct edges_job {
    b2d_world* world;
    const int32_t* ids;
    int32_t count;
    const b2d_bits *begun, *ended;
} edges_job;

enum { BODY_PARTS = 4, BODY_RUN = 16 }; // bodies in a row that are in one part

// Impulses of contacts that end, in the order of their ids for each body: the items are parts of the bodies.
static void transfer_impulses(void* context, int32_t begin, int32_t end, int32_t worker) {
    (void)worker;
    const edges_job* job = context;
    for (int32_t k = 0; k < job->count; k++) {
        if (!(job->world->graph.pairs[job->ids[k]].flags & B2D_PAIR_INTERNAL_EDGES)) continue;
        const int32_t part = b2d_world_body_on_terrain(job->world, job->ids[k]) / BODY_RUN % BODY_PARTS;
        if (begin <= part && part < end) b2d_world_transfer_impulses(job->world, job->ids[k], job->begun, job->ended);
    }
}

static void refresh_edges(void* context, int32_t begin, int32_t end, int32_t worker) {
    (void)worker;
    const edges_job* job = context;
    for (int32_t k = begin; k < end; k++)
        if (job->world->graph.pairs[job->ids[k]].flags & B2D_PAIR_INTERNAL_EDGES)
            b2d_world_refresh_internal_edges(job->world, job->ids[k]);
}

// The members of a set, in a list that has room for them so many times; NULL: there are none, or no memory.
static int32_t* list_members(b2d_world* world, const b2d_bits* bits, int32_t* count, int32_t times) {
    *count = b2d_bits_count(bits);
    if (*count == 0) return NULL;
    int32_t* ids = b2d_arena_take(&world->scratch->arena, (size_t)times * (size_t)*count * sizeof *ids);
    if (ids != NULL) (void)b2d_bits_list(bits, 0, bits->word_count, ids);
    return ids;
}

static void transfer_all(b2d_world* world, const b2d_bits* begun, const b2d_bits* ended) {
    edges_job job = {.world = world, .begun = begun, .ended = ended};
    job.ids = list_members(world, ended, &job.count, 1);
    if (job.ids == NULL) {
        B2D_FOR_BITS (ended, id)
            if (world->graph.pairs[id].flags & B2D_PAIR_INTERNAL_EDGES)
                b2d_world_transfer_impulses(world, id, begun, ended);
        return;
    }
    const b2d_stage stage = {transfer_impulses, &job, BODY_PARTS, job.count < MANY ? BODY_PARTS : 1};
    b2d_scheduler_run_entered(world->scheduler, &stage, 1);
}

// ---- Ends and begins ----

// Together, if there is memory and no contact inherits an event, which the rows of other contacts decide.
static void end_contacts(transitions* t, const b2d_bits* ended, int32_t count) {
    b2d_world* world = t->world;
    b2d_contact_events* events = &world->end_events;
    t->first_event = events->count;
    world->counters.contacts_ended += count;
    if (count == 0) return;
    if (world->options[B2D_OPTION_CONTACT_EVENTS] != 0.0 || !b2d_ends_make(&world->scratch->arena, count, &t->ends)) {
        B2D_FOR_BITS (ended, id) b2d_world_end_contact(world, id, true);
        t->first_event = events->count; // their rows are filled
        return;
    }
    (void)b2d_bits_list(ended, 0, ended->word_count, t->ends.ids);
    const b2d_stage note = {note_ends, t, count, ROW_GRAIN};
    b2d_scheduler_run_entered(world->scheduler, &note, 1);
    b2d_ends_divide(&t->ends);
    if (!B2D_GROW(&world->memory, events->rows, events->capacity, events->count + t->ends.reported)) {
        for (int32_t row = 0; row < count; row++) t->ends.rows[row].reported = false; // only the events are lost
        world->step_failed = true;
    }
    const b2d_stage decide = {decide_ends, t, B2D_END_ITEMS + 1, count < MANY ? B2D_END_ITEMS + 1 : 1};
    b2d_scheduler_run_entered(world->scheduler, &decide, 1);
    b2d_ends_feed(&world->graph, &t->ends);
}

// Reserves the arrays before many contacts begin at once, so that none is outgrown and copied several times. Without
// memory each contact grows them by itself.
static void expect(b2d_world* world, int32_t contacts) {
    enum { LEAST = 1024 };
    if (contacts < LEAST) return;
    b2d_contact_events* events = &world->begin_events;
    (void)b2d_color_reserve_contacts(&world->graph, contacts);
    (void)B2D_GROW(&world->memory, events->rows, events->capacity, contacts);
}

static void list_begins(transitions* t, const b2d_bits* begun) {
    const size_t row = sizeof(b2d_contact_begin) + 2 * sizeof(uint64_t);
    if (t->begin_count == 0) return;
    t->order = b2d_arena_take(&t->world->scratch->arena, (size_t)t->begin_count * row);
    if (t->order == NULL) return;
    t->scratch = t->order + t->begin_count;
    t->begins = (b2d_contact_begin*)(t->scratch + t->begin_count);
    t->ids = (int32_t*)t->scratch; // until they are needed for sorting
    (void)b2d_bits_list(begun, 0, begun->word_count, t->ids);
}

// Those from t->from to t->to. If waking gives constraints colours, only the first one may wake bodies.
static void begin_together(transitions* t) {
    b2d_world* world = t->world;
    for (int32_t k = t->from; k < t->to; k++) b2d_world_wake_begin(world, &t->begins[k]);
    b2d_world_flush_sleep_changes(world);
    const b2d_stage decide = {decide_begins, t, 3, t->to - t->from < MANY ? 3 : 1};
    b2d_scheduler_run_entered(world->scheduler, &decide, 1);
    for (int32_t k = t->from; k < t->to; k++) {
        b2d_contact_begin* begin = &t->begins[k];
        if (!b2d_world_place_begin(world, begin)) {
            world->step_failed = true;
            continue;
        }
        world->counters.contacts_begun++;
        // Later ones read its row to find out whether their begin is an event
        if (world->options[B2D_OPTION_CONTACT_EVENTS] != 0.0) b2d_world_end_begin(world, begin);
        if (t->order != NULL) t->order[t->begun++] = (uint64_t)(uint32_t)begin->place.lane_index << 32 | (uint32_t)k;
    }
}

static void begin_contacts(transitions* t, const b2d_bits* begun) {
    b2d_world* world = t->world;
    expect(world, t->begin_count);
    t->first_event = world->begin_events.count;
    if (t->begins == NULL) { // without memory one by one
        transitions one = {.world = world, .to = 1};
        B2D_FOR_BITS (begun, id) {
            b2d_contact_begin begin = {.place.contact = id};
            one.begins = &begin;
            one.to = 1;
            b2d_world_prepare_begin(world, &begin);
            begin_together(&one);
            if (!begin.done) continue;
            b2d_world_end_begin(world, &begin);
            b2d_world_fill_begin(world, &begin);
        }
        return;
    }
    for (t->from = 0; t->from < t->begin_count; t->from = t->to) {
        for (t->to = t->from + 1; t->to < t->begin_count; t->to++)
            if (t->begins[t->to].wakes) break;
        begin_together(t);
    }
    b2d_radix_sort(t->order, t->scratch, t->begun);
}

static void change_touching(b2d_world* world, const b2d_bits* ended, const b2d_bits* begun) {
    const int32_t ends = b2d_bits_count(ended), begins = b2d_bits_count(begun);
    if (ends + begins == 0) return;
    transitions t = {.world = world, .begin_count = begins};
    end_contacts(&t, ended, ends);
    list_begins(&t, begun);
    t.events = &world->end_events;
    const b2d_stage first[] = {{move_lanes, &t, t.ends.lanes, LANE_GRAIN},
                               {fill_events, &t, t.events->count - t.first_event, EVENT_GRAIN},
                               {prepare_begins, &t, t.begins == NULL ? 0 : t.begin_count, ROW_GRAIN}};
    b2d_scheduler_run_entered(world->scheduler, first, 3);
    b2d_ends_release(&world->graph, &t.ends);
    begin_contacts(&t, begun);
    t.events = &world->begin_events;
    const b2d_stage second[] = {{fill_lanes, &t, t.begun, LANE_GRAIN},
                                {clear_lanes, &t, t.ends.lanes, LANE_GRAIN},
                                {fill_events, &t, t.events->count - t.first_event, EVENT_GRAIN}};
    b2d_scheduler_run_entered(world->scheduler, second, 3);
}

// Destroys the contacts that have parted, on all workers. Those that are left are listed at the front of `ids`, which
// has twice the room; returns how many.
static int32_t destroy_many(b2d_world* world, int32_t* ids, int32_t count) {
    b2d_graph* graph = &world->graph;
    int32_t left = 0, plain = 0;
    int32_t* rest = ids + count;
    edges_job job = {.world = world, .ids = ids};
    const b2d_stage refresh = {refresh_edges, &job, count, ROW_GRAIN};
    b2d_scheduler_run_entered(world->scheduler, &refresh, 1);
    for (int32_t k = 0; k < count; k++)
        if (graph->pairs[ids[k]].flags & B2D_PAIR_TOUCHING) rest[left++] = ids[k];
        else ids[plain++] = ids[k];
    b2d_contacts_destroy(graph, world->scheduler, ids, plain);
    memcpy(ids, rest, (size_t)left * sizeof *ids);
    return left;
}

static void destroy_contacts(b2d_world* world, const b2d_bits* parted) {
    b2d_graph* graph = &world->graph;
    int32_t parting;
    int32_t* many = list_members(world, parted, &parting, 2);
    if (many != NULL && parting >= MANY) {
        const int32_t left = destroy_many(world, many, parting);
        for (int32_t k = 0; k < left; k++) b2d_world_destroy_contact(world, many[k], false);
        world->counters.pairs_destroyed += parting;
        return;
    }
    int32_t ids[B2D_PREFETCH_GROUP];
    FOR_GROUPS(graph, parted, ids, count) {
        for (int32_t k = 0; k < count; k++) {
            const b2d_pair* pair = &graph->pairs[ids[k]];
            b2d_pair_set_fetch(&graph->pair_set, b2d_pair_key(pair->shape_a, pair->shape_b));
            for (int32_t side = 0; side < 2; side++) { // destroying the contact changes the links of its neighbours
                const b2d_contact* contact = &graph->contacts[ids[k]];
                if (contact->next[side] != B2D_NONE) b2d_fetch(&graph->contacts[contact->next[side] >> 1]);
                if (contact->prev[side] != B2D_NONE) b2d_fetch(&graph->contacts[contact->prev[side] >> 1]);
            }
        }
        for (int32_t k = 0; k < count; k++) b2d_world_destroy_contact(world, ids[k], false);
        world->counters.pairs_destroyed += count;
    }
}

// The shared list grows so that it can hold the records which did not fit in this step, up to this many records or an
// eighth of the contacts, and the workers' own lists are freed. So memory that only the first step of a pile needs is
// given back.
enum { SHARED_RECORDS = 4096 };
static int32_t most_records(const b2d_world* world) {
    return b2d_max_int(SHARED_RECORDS, world->graph.contact_ids.count / 8);
}

void b2d_world_lend_records(b2d_world* world) {
    b2d_shared_records* shared = &world->scratch->records;
    const int32_t created = b2d_min_int((int32_t)world->counters.pairs_created, B2D_LAST_RECORD);
    if (created <= b2d_max_int(most_records(world), shared->capacity)) return;
    shared->lent = B2D_GROW(&world->scratch->memory, shared->rows, shared->capacity, created);
}

static void resize_shared_records(b2d_world* world) {
    b2d_shared_records* shared = &world->scratch->records;
    const int32_t most = most_records(world);
    int32_t total = b2d_min_int(atomic_load_explicit(&shared->taken, memory_order_relaxed), shared->capacity);
    if (shared->lent) {
        b2d_free(&world->scratch->memory, shared->rows, (size_t)shared->capacity * sizeof *shared->rows);
        shared->rows = NULL;
        shared->capacity = 0;
        shared->lent = false;
    }
    for (int32_t w = 0; w < world->scratch->worker_count; w++) total += world->scratch->collide_workers[w].record_count;
    if (total <= shared->capacity) return;
    if (!B2D_GROW(&world->scratch->memory, shared->rows, shared->capacity,
                  b2d_min_int(total, b2d_min_int(most, B2D_LAST_RECORD))))
        return;
    for (int32_t w = 0; w < world->scratch->worker_count; w++) {
        b2d_collide_worker* worker = &world->scratch->collide_workers[w];
        b2d_free(worker->memory, worker->records, (size_t)worker->record_capacity * sizeof *worker->records);
        worker->records = NULL;
        worker->record_count = worker->record_capacity = 0;
    }
}

void b2d_world_apply_contact_transitions(b2d_world* world) {
    b2d_graph* graph = &world->graph;
    b2d_scheduler_label(world->scheduler, B2D_STAGE_contact_transitions);
    b2d_collide_worker* merged = &world->scratch->collide_workers[0];
    for (int32_t w = 1; w < world->scratch->worker_count; w++) {
        b2d_collide_worker* other = &world->scratch->collide_workers[w];
        b2d_bits_merge(&merged->begun, &other->begun);
        b2d_bits_merge(&merged->ended, &other->ended);
        b2d_bits_merge(&merged->parted, &other->parted);
        b2d_bits_clear(&other->begun);
        b2d_bits_clear(&other->ended);
        b2d_bits_clear(&other->parted);
    }
    const bool changed = !b2d_bits_is_empty(&merged->begun) || !b2d_bits_is_empty(&merged->ended) ||
                         !b2d_bits_is_empty(&merged->parted);
    if (!b2d_bits_is_empty(&merged->ended)) transfer_all(world, &merged->begun, &merged->ended);
    b2d_world_presolve(world);
    change_touching(world, &merged->ended, &merged->begun);
    resize_shared_records(world);
    if (!world->island_table->keeps &&
        !b2d_islands_settle(graph, world->island_table, world->scheduler, &world->scratch->arena))
        graph->needs_repair = world->step_failed = true;
    if (!b2d_island_collapse(graph)) world->step_failed = true;
    if (!b2d_bits_is_empty(&merged->parted)) destroy_contacts(world, &merged->parted);
    b2d_bits_clear(&merged->begun);
    b2d_bits_clear(&merged->ended);
    b2d_bits_clear(&merged->parted);
    b2d_world_flush_sleep_changes(world);
    b2d_color_sort_contacts(graph, world->scheduler, &world->scratch->arena);
    if (changed || world->calls != 0 || !world->island_table->keeps) b2d_lap(world, &world->laps.contact_transitions);
}
