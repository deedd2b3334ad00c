// csrc/objects/callback.c - calls the functions of the user during a step, and stores the pairs that the filter
// function has refused.
//
// Idea: every callback runs in a serial stage, on the thread that steps. While it runs, the world stays locked for
// writers, and only that thread may read (b2d_begin_read in api/entry.h). The key of a refused pair stays in a sorted
// list until the fat boxes separate or until the pairs of one of its shapes have to be searched again, which is marked
// by an empty old box. Without a callback all of this costs one test of a bit.
// Proof: tests/api/test_callbacks.py.
#include "objects/callback.h"

#include "objects/proxy.h"

#include <stdlib.h>

static _Thread_local char thread_token;
const void* b2d_this_thread(void) { return &thread_token; }

// What a presolve function has set counts as part of its answer.
static void log_answer(b2d_world* world, int32_t kind, int32_t result, const b2d_contact_data* contact) {
    b2d_log_call(world, B2D_OK, B2D_LOGGED_ANSWER, kind, result, contact == NULL ? 0.0 : (double)contact->friction,
                 contact == NULL ? 0.0 : (double)contact->restitution,
                 contact == NULL ? 0.0 : (double)contact->tangent_speed);
}

static bool call_user(b2d_world* world, int32_t kind, const void* rows, int32_t count) {
    if (world->callback_failed) return true;
    b2d_publish_tables(world);
    b2d_float_leave(world->caller_float);
    atomic_store(&world->calling, b2d_this_thread());
    int32_t result = world->callback(world->callback_user, kind, rows, count);
    atomic_store(&world->calling, NULL);
    world->caller_float = b2d_float_enter();
    world->callback_failed = result < 0;
    if (world->log.on) log_answer(world, kind, result, kind == B2D_CALL_PRESOLVE ? rows : NULL);
    return result != 0;
}

void b2d_world_report(b2d_world* world, int32_t event, const void* rows, int32_t count) {
    if (count > 0 && b2d_world_has_call(world, event)) call_user(world, event, rows, count);
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

void b2d_world_prune_refused(b2d_world* world) {
    int32_t kept = 0;
    for (int32_t k = 0; k < world->refused_count; k++) {
        uint64_t key = world->refused[k];
        if (b2d_proxies_still_near(&world->proxies, (int32_t)(key >> 32), (int32_t)(key & 0xFFFFFFFFu)))
            world->refused[kept++] = key;
    }
    world->refused_count = world->refused_sorted = kept;
}

void b2d_world_sort_refused(b2d_world* world) {
    if (world->refused_sorted < world->refused_count)
        qsort(world->refused, (size_t)world->refused_count, sizeof *world->refused, compare_keys);
    world->refused_sorted = world->refused_count;
}

bool b2d_world_call_filter(b2d_world* world, int32_t a, int32_t b) {
    b2d_contact_event row = {.generation_a = world->shape_generations[a],
                             .generation_b = world->shape_generations[b],
                             .shape_a = a,
                             .shape_b = b,
                             .contact = B2D_NONE};
    return call_user(world, B2D_CALL_FILTER, &row, 1);
}

bool b2d_world_call_filter_for_pair(b2d_world* world, uint64_t key) {
    int32_t a = (int32_t)(key >> 32), b = (int32_t)(key & 0xFFFFFFFFu);
    if (!B2D_GROW(&world->memory, world->refused, world->refused_capacity, world->refused_count + 1)) {
        world->step_failed = true; // the filter is not called now; the next step finds the pair again
        b2d_world_renew_pairs(world, a);
        b2d_world_renew_pairs(world, b);
        return false;
    }
    if (b2d_world_call_filter(world, a, b)) return true;
    world->refused[world->refused_count++] = key;
    return false;
}

// Presolve

bool b2d_world_call_presolve(b2d_world* world, b2d_contact_data* data) {
    return call_user(world, B2D_CALL_PRESOLVE, data, 1);
}
