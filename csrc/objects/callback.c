// csrc/objects/callback.c - asking and telling the user in the middle of a step, and the pairs that his filter refused.
//
// Idea: every callback runs in a serial stage on the thread that steps. While it runs, the world stays locked for
// writers, and that thread alone may read (b2d_begin_read in entry.h). A refused pair leaves its key in a sorted list
// until the fat boxes part or a shape of it is reopened, which an empty old box tells. Without a callback all of this
// is one test of a bit.
// Proof: tests/api/test_callbacks.py.
#include "objects/world.h"

#include <stdlib.h>

static _Thread_local char token;
const void* b2d_this_thread(void) { return &token; }

static int32_t call(b2d_world* world, int32_t kind, const void* rows, int32_t count) {
    b2d_publish_tables(world);
    b2d_float_leave(world->caller_float);
    atomic_store(&world->calling, b2d_this_thread());
    int32_t answer = world->callback(world->callback_user, kind, rows, count);
    atomic_store(&world->calling, NULL);
    world->caller_float = b2d_float_enter();
    return answer;
}

void b2d_world_tell(b2d_world* world, int32_t event, const void* rows, int32_t count) {
    if (count > 0 && b2d_world_calls(world, event)) call(world, event, rows, count);
}

// Refused pairs

static int compare_keys(const void* a, const void* b) {
    uint64_t x = *(const uint64_t*)a, y = *(const uint64_t*)b;
    return (x > y) - (x < y);
}

bool b2d_world_is_refused(const b2d_world* world, uint64_t key) {
    return world->refused_sorted > 0 &&
           bsearch(&key, world->refused, (size_t)world->refused_sorted, sizeof key, compare_keys) != NULL;
}

bool b2d_still_near(const b2d_proxies* p, int32_t a, int32_t b) {
    if (p->proxy_class[a] == B2D_PROXY_NONE || p->proxy_class[b] == B2D_PROXY_NONE) return false;
    // Reopened: asked for again
    if (p->old_min_x[a] > p->old_max_x[a] || p->old_min_x[b] > p->old_max_x[b]) return false;
    return p->fat_min_x[a] <= p->fat_max_x[b] && p->fat_min_x[b] <= p->fat_max_x[a] &&
           p->fat_min_y[a] <= p->fat_max_y[b] && p->fat_min_y[b] <= p->fat_max_y[a];
}

void b2d_world_prune_refused(b2d_world* world) {
    int32_t kept = 0;
    for (int32_t k = 0; k < world->refused_count; k++) {
        uint64_t key = world->refused[k];
        if (b2d_still_near(&world->proxies, (int32_t)(key >> 32), (int32_t)(key & 0xFFFFFFFFu)))
            world->refused[kept++] = key;
    }
    world->refused_count = world->refused_sorted = kept;
}

void b2d_world_sort_refused(b2d_world* world) {
    if (world->refused_sorted < world->refused_count)
        qsort(world->refused, (size_t)world->refused_count, sizeof *world->refused, compare_keys);
    world->refused_sorted = world->refused_count;
}

bool b2d_world_ask_shapes(b2d_world* world, int32_t a, int32_t b) {
    b2d_contact_event row = {.generation_a = world->shape_generations[a],
                             .generation_b = world->shape_generations[b],
                             .shape_a = a,
                             .shape_b = b,
                             .contact = B2D_NONE};
    return call(world, B2D_CALL_FILTER, &row, 1) != 0;
}

bool b2d_world_ask_filter(b2d_world* world, uint64_t key) {
    int32_t a = (int32_t)(key >> 32), b = (int32_t)(key & 0xFFFFFFFFu);
    if (!B2D_GROW(&world->memory, world->refused, world->refused_capacity, world->refused_count + 1)) {
        world->step_failed = true; // not asked now: both are looked at again in the next step
        b2d_world_reopen(world, a);
        b2d_world_reopen(world, b);
        return false;
    }
    if (b2d_world_ask_shapes(world, a, b)) return true;
    world->refused[world->refused_count++] = key;
    return false;
}

// Presolve

bool b2d_world_ask_presolve(b2d_world* world, const b2d_contact_data* data) {
    return call(world, B2D_CALL_PRESOLVE, data, 1) != 0;
}

static bool within(float x, float lower, float upper) { return lower <= x && x <= upper; } // not of a NaN

static void note_override(b2d_world* world, const b2d_contact_data* asked, const b2d_contact_data* given) {
    if (given->friction == asked->friction && given->restitution == asked->restitution &&
        given->tangent_speed == asked->tangent_speed)
        return;
    if (!within(given->friction, 0.0f, 3.0e38f) || !within(given->restitution, 0.0f, 1.0e6f) ||
        !within(given->tangent_speed, -1.0e9f, 1.0e9f))
        return;
    b2d_overrides* list = &world->overrides;
    if (B2D_GROW(&world->memory, list->rows, list->capacity, list->count + 1))
        list->rows[list->count++] = (b2d_override){asked->generation, asked->contact, given->friction,
                                                   given->restitution, given->tangent_speed};
    else world->step_failed = true;
}

// Contacts that begin and those that are in blocks, ascending: what sleeps is neither.
static int32_t next_with_points(const b2d_graph* graph, const b2d_bits* begun, int32_t from) {
    int32_t a = b2d_bits_next(begun, from), b = b2d_bits_next(&graph->in_lanes, from);
    return a == B2D_NONE || (b != B2D_NONE && b < a) ? b : a;
}

void b2d_world_presolve(b2d_world* world) {
    if (!b2d_world_calls(world, B2D_CALL_PRESOLVE)) return;
    b2d_graph* graph = &world->graph;
    b2d_bits *begun = &world->collide_workers[0].begun, *ended = &world->collide_workers[0].ended; // merged already
    for (int32_t id = next_with_points(graph, begun, 0); id != B2D_NONE; id = next_with_points(graph, begun, id + 1)) {
        b2d_pair* pair = &graph->pairs[id];
        world->counters.presolve_looks++;
        if (!((world->shapes[pair->shape_a].flags | world->shapes[pair->shape_b].flags) & B2D_SHAPE_FLAG_PRESOLVE))
            continue;
        bool begins = b2d_bits_has(begun, id), stays = pair->lane_index != B2D_NONE && !b2d_bits_has(ended, id);
        if (!begins && !stays) continue;
        b2d_contact_record record;
        if (stays) b2d_contact_record_read(graph, id, &record);
        else record = *b2d_begun_record(&world->records, world->collide_workers, pair->record);
        if (begins) {
            b2d_mixture m = b2d_world_mix(world, pair);
            b2d_mixture_write(&m, &record);
        }
        b2d_contact_data data = b2d_world_describe(world, id, &record);
        const b2d_contact_data asked = data;
        if (b2d_world_ask_presolve(world, &data)) {
            note_override(world, &asked, &data);
            continue;
        }
        if (stays) b2d_bits_set(ended, id);
        else b2d_bits_unset(begun, id), pair->record = B2D_NONE;
    }
}
