// csrc/lab/pair_manager.c - see pair_manager.h.
#include "lab/pair_manager.h"

void b2d_pair_manager_free(b2d_memory* memory, b2d_pair_manager* manager) {
    b2d_free(memory, manager->keys, (size_t)manager->key_capacity * sizeof *manager->keys);
    b2d_free(memory, manager->fresh, (size_t)manager->flag_capacity * sizeof *manager->fresh);
    b2d_free(memory, manager->fresh_keys, (size_t)manager->fresh_capacity * sizeof *manager->fresh_keys);
    b2d_free(memory, manager->ended_keys, (size_t)manager->ended_capacity * sizeof *manager->ended_keys);
    b2d_pair_set_free(memory, &manager->places);
}

static void drop_removed(b2d_pair_manager* manager) { // from the list of fresh pairs
    int32_t kept = 0;
    for (int32_t k = 0; k < manager->fresh_count; k++) {
        const int32_t place = b2d_pair_set_find(&manager->places, manager->fresh_keys[k]);
        if (place != B2D_NONE && manager->fresh[place]) manager->fresh_keys[kept++] = manager->fresh_keys[k];
    }
    manager->fresh_count = kept;
}

void b2d_pair_manager_add(b2d_memory* memory, b2d_pair_manager* manager, uint64_t key) {
    if (manager->failed) return;
    if (manager->fresh_count == manager->fresh_capacity) drop_removed(manager);
    const int32_t place = manager->count;
    int32_t found = place;
    if (!B2D_GROW(memory, manager->keys, manager->key_capacity, place + 1) ||
        !B2D_GROW(memory, manager->fresh, manager->flag_capacity, place + 1) ||
        !B2D_GROW(memory, manager->fresh_keys, manager->fresh_capacity, manager->fresh_count + 1) ||
        !b2d_pair_set_find_or_add(memory, &manager->places, key, &found)) {
        manager->failed = !b2d_pair_manager_has(manager, key);
        return;
    }
    if (found != place) return;
    manager->keys[place] = key;
    manager->fresh[place] = true;
    manager->fresh_keys[manager->fresh_count++] = key;
    manager->count++;
}

void b2d_pair_manager_remove(b2d_memory* memory, b2d_pair_manager* manager, uint64_t key) {
    if (manager->records_ended &&
        !B2D_GROW(memory, manager->ended_keys, manager->ended_capacity, manager->ended_count + 1)) {
        manager->failed = manager->failed || b2d_pair_manager_has(manager, key);
        return;
    }
    const int32_t place = b2d_pair_set_take(&manager->places, key);
    if (place == B2D_NONE) return;
    if (manager->records_ended && !manager->fresh[place]) manager->ended_keys[manager->ended_count++] = key;
    const int32_t last = --manager->count;
    if (place == last) return;
    manager->keys[place] = manager->keys[last];
    manager->fresh[place] = manager->fresh[last];
    // Needs no memory, since a key was just removed.
    const bool replaced = b2d_pair_set_add(memory, &manager->places, manager->keys[place], place);
    B2D_ASSERT(replaced);
    (void)replaced;
}

void b2d_pair_manager_remove_all(b2d_memory* memory, b2d_pair_manager* manager, int32_t id) {
    for (int32_t k = manager->count - 1; k >= 0; k--) { // the pair that moves into a hole was looked at before
        const uint64_t key = manager->keys[k];
        if ((int32_t)(key >> 32) == id || (int32_t)(uint32_t)key == id) b2d_pair_manager_remove(memory, manager, key);
    }
}

const uint64_t* b2d_pair_manager_ended(b2d_pair_manager* manager, int32_t* count) {
    int32_t kept = 0;
    for (int32_t k = 0; k < manager->ended_count; k++)
        if (!b2d_pair_manager_has(manager, manager->ended_keys[k]))
            manager->ended_keys[kept++] = manager->ended_keys[k];
    *count = kept;
    manager->ended_count = 0;
    return manager->ended_keys;
}
