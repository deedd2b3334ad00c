// csrc/step/keys.c - joins and sorts the keys that the workers of a stage have found.
//
// Each worker fills its own list. After sorting, the result does not depend on which worker found which key.
#include "step/keys.h"

#include "base/radix_sort.h"
#include "objects/scratch.h"

#include <string.h>

void b2d_world_clear_keys(b2d_world* world) {
    for (int32_t w = 0; w < world->scratch->worker_count; w++) {
        b2d_key_list* list = &world->scratch->key_lists[w];
        list->count = list->kept = 0;
        list->failed = false;
        list->keep = NULL;
    }
}

uint64_t* b2d_world_join_keys(b2d_world* world, int32_t* count) {
    int32_t at = 0;
    int64_t total = 0;
    bool failed = false;
    for (int32_t w = 0; w < world->scratch->worker_count; w++) {
        total += world->scratch->key_lists[w].count;
        failed = failed || world->scratch->key_lists[w].failed;
    }
    failed = failed || total > INT32_MAX / 2;
    uint64_t* keys = failed ? NULL : b2d_arena_take(&world->scratch->arena, (size_t)(total + 1) * 2 * sizeof *keys);
    if (keys == NULL) return NULL;
    for (int32_t w = 0; w < world->scratch->worker_count; w++) {
        // In the next step a single worker may find all keys. The list grows now, so that a steady state does not
        // allocate.
        b2d_key_list* list = &world->scratch->key_lists[w];
        if (world->scratch->worker_count > 1) (void)B2D_GROW(list->memory, list->keys, list->capacity, (int32_t)total);
        if (list->count == 0) continue;
        memcpy(keys + at, world->scratch->key_lists[w].keys, (size_t)world->scratch->key_lists[w].count * sizeof *keys);
        at += world->scratch->key_lists[w].count;
    }
    *count = (int32_t)total;
    b2d_radix_sort(keys, keys + total, *count);
    return keys;
}
