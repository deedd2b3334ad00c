// csrc/step/keys.c - keys that the workers of a stage find, joined and sorted.
//
// Each worker fills its own list; after sorting, the result does not depend on which worker found which key.
#include "step/keys.h"

#include "base/radix_sort.h"

#include <string.h>

void b2d_world_clear_keys(b2d_world* world) {
    for (int32_t w = 0; w < world->worker_count; w++) {
        world->key_lists[w].count = 0;
        world->key_lists[w].failed = false;
    }
}

uint64_t* b2d_world_join_keys(b2d_world* world, int32_t* count) {
    int32_t total = 0, at = 0;
    bool failed = false;
    for (int32_t w = 0; w < world->worker_count; w++) {
        total += world->key_lists[w].count;
        failed = failed || world->key_lists[w].failed;
    }
    uint64_t* keys = failed ? NULL
                            : b2d_arena_take(&world->memory, &world->arena, (size_t)(total + 1) * 2 * sizeof *keys);
    if (keys == NULL) return NULL;
    for (int32_t w = 0; w < world->worker_count; w++) {
        // Next time one worker may find them all: a steady state must not allocate
        b2d_key_list* list = &world->key_lists[w];
        if (world->worker_count > 1) (void)B2D_GROW(list->memory, list->keys, list->capacity, total);
        if (list->count == 0) continue;
        memcpy(keys + at, world->key_lists[w].keys, (size_t)world->key_lists[w].count * sizeof *keys);
        at += world->key_lists[w].count;
    }
    b2d_radix_sort(keys, keys + total, total);
    *count = total;
    return keys;
}
