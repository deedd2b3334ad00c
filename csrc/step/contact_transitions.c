// csrc/step/contact_transitions.c - applies the results of the narrow phase to the graph: contacts end, begin and are
// destroyed.
//
// Contacts that end free their colours before contacts that begin take colours, and ids are freed last. Each of the
// three passes handles its contacts in ascending order of ids. The rows of a group of contacts are prefetched together
// (prefetch.h). Threads: serial.
#include "step/contact_transitions.h"

#include "objects/body.h"
#include "objects/contact.h"
#include "objects/scratch.h"
#include "objects/terrain.h"
#include "step/clock.h"
#include "step/prefetch.h"
#include "step/presolve.h"

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
    }
    return count;
}

// Usage: int32_t ids[B2D_PREFETCH_GROUP]; FOR_GROUPS(graph, bits, ids, count) for (int32_t k = 0; k < count; k++) ...
#define FOR_GROUPS(graph, bits, ids, count)                          \
    for (int32_t count = next_group(graph, bits, 0, ids); count > 0; \
         count = next_group(graph, bits, ids[count - 1] + 1, ids))

static void end_contacts(b2d_world* world, const b2d_bits* ended) {
    int32_t ids[B2D_PREFETCH_GROUP];
    FOR_GROUPS(&world->graph, ended, ids, count) {
        for (int32_t k = 0; k < count; k++) {
            const b2d_pair* pair = &world->graph.pairs[ids[k]];
            b2d_fetch(&world->shape_generations[pair->shape_a]);
            b2d_fetch(&world->shape_generations[pair->shape_b]);
        }
        for (int32_t k = 0; k < count; k++) b2d_world_end_contact(world, ids[k], true);
        world->counters.edges_ended += count;
    }
}

// Reserves the arrays before many contacts begin at once, so that none is outgrown and copied several times. Without
// memory each contact grows them by itself.
static void expect(b2d_world* world, int32_t contacts) {
    enum { MANY = 1024 };
    if (contacts < MANY) return;
    b2d_contact_events* events = &world->begin_events;
    (void)b2d_color_reserve_contacts(&world->graph, contacts);
    (void)B2D_GROW(&world->memory, events->rows, events->capacity, contacts);
}

static void begin_contacts(b2d_world* world, const b2d_bits* begun) {
    expect(world, b2d_bits_count(begun));
    int32_t ids[B2D_PREFETCH_GROUP];
    FOR_GROUPS(&world->graph, begun, ids, count) {
        for (int32_t k = 0; k < count; k++) {
            const b2d_pair* pair = &world->graph.pairs[ids[k]];
            b2d_fetch_shape(world, pair->shape_a);
            b2d_fetch_shape(world, pair->shape_b);
            b2d_fetch(b2d_begun_record(&world->scratch->records, world->scratch->collide_workers, pair->record));
        }
        for (int32_t k = 0; k < count; k++) {
            b2d_pair* pair = &world->graph.pairs[ids[k]];
            int32_t record_index = pair->record;
            pair->record = B2D_NONE;
            if (!b2d_world_begin_contact(
                    world, ids[k],
                    b2d_begun_record(&world->scratch->records, world->scratch->collide_workers, record_index)))
                world->step_failed = true;
            else world->counters.edges_begun++;
        }
    }
}

static void destroy_contacts(b2d_world* world, const b2d_bits* parted) {
    b2d_graph* graph = &world->graph;
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
    B2D_FOR_BITS (&merged->ended, id)
        if (graph->pairs[id].flags & B2D_PAIR_INTERNAL_EDGES)
            b2d_world_transfer_impulses(world, id, &merged->begun, &merged->ended);
    b2d_world_presolve(world);
    end_contacts(world, &merged->ended);
    begin_contacts(world, &merged->begun);
    resize_shared_records(world);
    if (!world->island_table->keeps &&
        !b2d_islands_settle(graph, world->island_table, world->scheduler, &world->scratch->arena))
        graph->needs_repair = world->step_failed = true;
    if (!b2d_island_collapse(graph)) world->step_failed = true;
    destroy_contacts(world, &merged->parted);
    b2d_bits_clear(&merged->begun);
    b2d_bits_clear(&merged->ended);
    b2d_bits_clear(&merged->parted);
    b2d_world_flush_sleep_changes(world);
    b2d_color_sort_contacts(graph, &world->scratch->arena);
    b2d_lap(world, &world->laps.edges);
}
