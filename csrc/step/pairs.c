// csrc/step/pairs.c - the pair stage: creates contacts where fat boxes begin to overlap.
//
// Contacts are created in ascending order of their keys. The boxes of this stage become the old boxes of the next one.
// Threads: the search is parallel, and so are what a contact consists of and the boxes; ids are serial.
#include "step/pairs.h"

#include "base/trace.h"
#include "objects/body.h"
#include "objects/callback.h"
#include "objects/contact.h"
#include "objects/proxy.h"
#include "objects/scratch.h"
#include "objects/terrain.h"
#include "step/clock.h"
#include "step/keys.h"
#include "step/prefetch.h"

#include <stdatomic.h>

static void fetch_body(const b2d_world* world, int32_t shape) {
    const b2d_body* body = &world->graph.bodies[world->shapes_hot[shape].body];
    b2d_fetch(body);
    b2d_fetch((const char*)(body + 1) - 1);
}

bool b2d_world_reserve_contacts(b2d_world* world, int32_t contacts) {
    b2d_graph* g = &world->graph;
    b2d_memory* memory = &world->memory;
    bool done = b2d_id_pool_reserve(memory, &g->contact_ids, contacts) &&
                B2D_GROW(memory, g->pairs, g->pair_capacity, contacts) &&
                B2D_GROW(memory, g->contacts, g->contact_capacity, contacts) &&
                B2D_GROW(memory, g->contact_generations, g->contact_generation_capacity, contacts) &&
                B2D_GROW(memory, world->begin_stamps, world->begin_stamp_capacity, contacts) &&
                b2d_pair_set_reserve(memory, &g->pair_set, contacts);
    for (int32_t k = 0; done && k < B2D_BUCKET_COUNT; k++)
        done = b2d_bits_reserve(memory, &g->awake_contacts[k], contacts);
    done = done && b2d_bits_reserve(memory, &g->overflow_contacts, contacts) &&
           b2d_bits_reserve(memory, &g->unlike_contacts, contacts) &&
           b2d_bits_reserve(memory, &g->pressed_contacts, contacts);
    // This array is reserved last: if it has room, all others have room too.
    return done && b2d_bits_reserve(memory, &g->in_lanes, contacts);
}

// Whether the pair may collide and has no contact.
static bool is_allowed(const void* context, uint64_t key) {
    const b2d_world* world = context;
    return b2d_pair_set_find(&world->graph.pair_set, key) == B2D_NONE &&
           b2d_world_pair_allowed(world, (int32_t)(key >> 32), (int32_t)(key & 0xFFFFFFFFu));
}

// Whether there is memory for all rows of these contacts: a crowd has so many that a few would fill the memory in vain.
static bool reserve_all(b2d_world* world, int64_t contacts) {
    const int64_t row = (int64_t)(sizeof(b2d_pair) + sizeof(b2d_contact) + 4 * sizeof(uint64_t)); // and the pair set
    return contacts <= INT32_MAX / 2 &&
           b2d_memory_may_take(&world->memory, row * (contacts - world->graph.contact_capacity)) &&
           b2d_world_reserve_contacts(world, (int32_t)contacts);
}

// Reserving room for all contacts at once leaves no holes of outgrown arrays in the slabs. The first contacts of a
// large pile get an eighth more: otherwise the next contact would make all tables grow, in a step with little else.
static bool reserve_found(b2d_world* world) {
    enum { MANY = 1024 };
    b2d_scratch* s = world->scratch;
    int64_t found = 0, allowed = 0;
    const int64_t now = world->graph.contact_ids.count;
    for (int32_t w = 0; w < s->worker_count; w++) found += s->key_lists[w].count;
    const bool first = found >= MANY && now + found > world->graph.contact_capacity;
    if (!first) return reserve_all(world, now + found);
    for (int32_t w = 0; w < s->worker_count; w++) { // filters may refuse nearly all
        b2d_key_list_drop_refused(&s->key_lists[w]);
        allowed += s->key_lists[w].count;
    }
    return reserve_all(world, now + allowed + (now + allowed) / 8) || reserve_all(world, now + allowed);
}

typedef struct create_job {
    const b2d_world* world;
    const uint64_t* keys;
    b2d_new_contact* contacts;
} create_job;

static void describe_contacts(void* context, int32_t begin, int32_t end, int32_t worker) {
    (void)worker;
    const create_job* job = context;
    const b2d_world* world = job->world;
    for (int32_t from = begin; from < end; from += B2D_PREFETCH_GROUP) {
        const int32_t to = b2d_min_int(from + B2D_PREFETCH_GROUP, end);
        for (int32_t k = from; k < to; k++) {
            const int32_t low = (int32_t)(job->keys[k] >> 32), high = (int32_t)(job->keys[k] & 0xFFFFFFFFu);
            b2d_pair_set_fetch(&world->graph.pair_set, job->keys[k]);
            b2d_fetch_shape(world, low);
            b2d_fetch_shape(world, high);
            b2d_fetch(&world->proxies.proxy_class[low]);
            b2d_fetch(&world->proxies.proxy_class[high]);
        }
        for (int32_t k = from; k < to; k++)
            fetch_body(world, (int32_t)(job->keys[k] >> 32)), fetch_body(world, (int32_t)(job->keys[k] & 0xFFFFFFFFu));
        for (int32_t k = from; k < to; k++) {
            b2d_world_describe_pair(world, job->keys[k], &job->contacts[k]);
            if (k > 0 && job->keys[k] == job->keys[k - 1]) job->contacts[k].allowed = false; // found twice
        }
    }
}

typedef struct mark_job {
    b2d_world* world;
    const b2d_new_contact* made;
    const int32_t* ids;
} mark_job;

static void mark_terrain(void* context, int32_t begin, int32_t end, int32_t worker) {
    (void)worker;
    const mark_job* job = context;
    for (int32_t k = begin; k < end; k++)
        if (job->made[k].pair.flags & B2D_PAIR_TERRAIN) b2d_world_mark_internal_edges(job->world, job->ids[k]);
}

static void create_one_by_one(b2d_world* world, const uint64_t* keys, int32_t count, const b2d_new_contact* described) {
    for (int32_t k = 0; k < count; k++) {
        b2d_new_contact contact;
        if (described == NULL) b2d_world_describe_pair(world, keys[k], &contact);
        b2d_world_create_pair(world, keys[k], described == NULL ? &contact : &described[k]);
    }
}

// What the contacts consist of is found on all workers, and so are their places in the lists of bodies. One after the
// other are created few contacts, those that the user's filter decides about, that wake bodies, or of a packed world.
static void create_contacts(b2d_world* world, const uint64_t* keys, int32_t count) {
    enum { GRAIN = 64, MANY = 64 };
    b2d_graph* graph = &world->graph;
    const size_t row = sizeof(b2d_new_contact) + sizeof(int32_t);
    create_job job = {world, keys, b2d_arena_take(&world->scratch->arena, (size_t)count * row)};
    if (job.contacts == NULL) {
        create_one_by_one(world, keys, count, NULL);
        return;
    }
    b2d_scheduler_label(world->scheduler, B2D_STAGE_create_contacts);
    const b2d_stage stage = {describe_contacts, &job, count, GRAIN};
    b2d_scheduler_run_entered(world->scheduler, &stage, 1);
    int32_t* ids = (int32_t*)(job.contacts + count);
    int32_t made = 0;
    bool plain = graph->cells.count == 0 && !b2d_world_has_call(world, B2D_CALL_FILTER);
    for (int32_t k = 0; k < count; k++)
        made += job.contacts[k].allowed, plain = plain && !(job.contacts[k].allowed && job.contacts[k].wakes);
    if (!plain || made < MANY || !b2d_world_reserve_contacts(world, graph->contact_ids.count + made)) {
        create_one_by_one(world, keys, count, job.contacts);
        return;
    }
    made = 0;
    for (int32_t k = 0; k < count; k++)
        if (job.contacts[k].allowed) job.contacts[made++] = job.contacts[k];
    b2d_contacts_create(graph, world->scheduler, job.contacts, ids, made);
    world->counters.pairs_created += made;
    mark_job marks = {world, job.contacts, ids};
    const b2d_stage mark = {mark_terrain, &marks, made, GRAIN};
    b2d_scheduler_run_entered(world->scheduler, &mark, 1);
}

typedef struct renew_job {
    b2d_world* world;
    atomic_bool has_static; // one of the moved shapes is static
} renew_job;

static void renew_words(void* context, int32_t begin, int32_t end, int32_t worker) {
    renew_job* job = context;
    b2d_world* world = job->world;
    b2d_proxies* p = &world->proxies;
    b2d_bits* bodies = worker == 0 ? &world->graph.new_fat_boxes : &world->scratch->finalize_workers[worker].renewed;
    bool has_static = false;
    for (int32_t word = begin; word < end; word++) {
        if (p->moved.summary[word >> 6] == 0) word |= 63; // the next word is the first of another 64
        else
            for (uint64_t left = p->moved.words[word]; left != 0; left &= left - 1) {
                const int32_t shape = 64 * word + b2d_ctz64(left);
                b2d_bits_set(bodies, p->body[shape]);
                p->old_min_x[shape] = p->fat_min_x[shape], p->old_min_y[shape] = p->fat_min_y[shape];
                p->old_max_x[shape] = p->fat_max_x[shape], p->old_max_y[shape] = p->fat_max_y[shape];
                has_static |= p->proxy_class[shape] == B2D_PROXY_STATIC;
            }
    }
    if (has_static) atomic_store_explicit(&job->has_static, true, memory_order_relaxed);
}

// A static shape has its boxes: the bodies wake that those of a body overlap which the user has moved.
static void end_change_of_static(b2d_world* world, int32_t shape) {
    b2d_graph* graph = &world->graph;
    b2d_body* body = &graph->bodies[world->proxies.body[shape]];
    world->shapes[shape].flags &= (uint8_t)~B2D_SHAPE_FLAG_CHANGED;
    if ((body->flags & B2D_BODY_FLAG_TELEPORTED) == 0) return;
    body->flags &= (uint16_t)~B2D_BODY_FLAG_TELEPORTED;
    for (int32_t key = body->contact_head; key != B2D_NONE; key = graph->contacts[key >> 1].next[key & 1])
        b2d_wake(graph, key & 1 ? graph->pairs[key >> 1].body_a : graph->pairs[key >> 1].body_b);
    b2d_world_flush_sleep_changes(world);
}

// The fat boxes of the moved shapes become their old boxes. False: no memory, and nothing has changed.
static bool renew_old_boxes(b2d_world* world) {
    enum { GRAIN = 8, MANY = 1024 }; // words of 64 shapes; shapes that are worth sharing out
    const b2d_bits* moved = &world->proxies.moved;
    b2d_scratch* s = world->scratch;
    for (int32_t w = 1; w < s->worker_count; w++)
        if (!b2d_bits_reserve(&s->memory, &s->finalize_workers[w].renewed, world->body_ids.limit)) return false;
    renew_job job = {.world = world};
    b2d_scheduler_label(world->scheduler, B2D_STAGE_create_contacts);
    const int32_t words = moved->word_count;
    const b2d_stage stage = {renew_words, &job, words, b2d_bits_count(moved) < MANY ? words : GRAIN};
    b2d_scheduler_run_entered(world->scheduler, &stage, 1);
    for (int32_t w = 1; w < s->worker_count; w++) {
        b2d_bits_merge(&world->graph.new_fat_boxes, &s->finalize_workers[w].renewed);
        b2d_bits_clear(&s->finalize_workers[w].renewed);
    }
    if (!atomic_load_explicit(&job.has_static, memory_order_relaxed)) return true;
    B2D_FOR_BITS (moved, shape)
        if (world->proxies.proxy_class[shape] == B2D_PROXY_STATIC) end_change_of_static(world, shape);
    return true;
}

void b2d_world_create_pairs(b2d_world* world) {
    b2d_scheduler_label(world->scheduler, B2D_STAGE_pairs);
    int32_t count = 0;
    bool found = b2d_world_update_broadphase(world);
    if (found && world->refused_count == 0 && b2d_bits_is_empty(&world->proxies.moved))
        return; // no pair can have begun
    b2d_world_clear_keys(world);
    for (int32_t w = 0; w < world->scratch->worker_count; w++) {
        world->scratch->key_lists[w].keep = is_allowed;
        world->scratch->key_lists[w].context = world;
    }
    if (found && !b2d_bits_is_empty(&world->proxies.moved))
        found = world->broadphase_table->pairs(&world->memory, world->broadphase, world->scheduler,
                                               world->scratch->key_lists);
    found = found && reserve_found(world);
    uint64_t* keys = found ? b2d_world_join_keys(world, &count) : NULL;
    if (world->refused_count > 0) b2d_world_prune_refused(world);
    b2d_lap(world, &world->laps.pairs);
    if (keys == NULL) { // the moved bits and old boxes stay, so the next step searches again
        world->step_failed = true;
        return;
    }
    create_contacts(world, keys, count);
    b2d_world_sort_refused(world);
    // There was no memory for some pairs: old boxes and moved bits stay, so the next step finds them again
    if (world->step_failed || !renew_old_boxes(world)) {
        world->step_failed = true;
        b2d_lap(world, &world->laps.create_contacts);
        return;
    }
    b2d_bits_clear(&world->proxies.moved);
    b2d_lap(world, &world->laps.create_contacts);
}
