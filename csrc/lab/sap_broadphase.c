// csrc/lab/sap_broadphase.c - the broad phases "sap", one sweep-and-prune, and "multi_sap", a grid of them.
//
// Idea (Terdiman 2007): in one sweep-and-prune a mover swaps end points with all boxes that its projection passes, also
// with those far away, so its cost grows with the world. A grid of them bounds it: a shape lies in each of the at most
// four cells that it touches. All cells share one pair manager, which removes the duplicates; a pair ends only when its
// boxes really part, for a shape that leaves a cell may still overlap a neighbour that it meets in another. An update
// first decides serially which shapes enter, leave and move in which cell. The cells then work: directly on the pair
// manager with one worker, or in parallel, where each worker lists its events, and the boxes decide in the end what
// each pair that occurs in an event has become. So the pairs depend neither on the order of the events nor on the
// workers. What is new is not decided by the manager alone: a pair is reported when one of its shapes moved and the old
// boxes do not overlap, so a step that found no memory can be repeated. Shapes whose old box is empty report all their
// pairs.
// Cost: nothing at rest; 100-300 ns for a mover among few, more the further it moves.
// Threads: with one worker serial; with more the cells of an update in parallel. Proof: tests/c/test_broadphase.c,
// tests/c/test_lab_pairs.c.
#include "base/timer.h"
#include "lab/members.h"
#include "lab/sap_broadphase.h"

enum { NO_OPERATION = -1, TOUCHED = 4, LEAVE = 0, MOVE = 1, ENTER = 2 };

typedef struct sap_cell {
    b2d_sap sap;
    uint64_t key;        // in the table of cells
    b2d_box bound;       // of all boxes that were in the cell since it was last empty
    int32_t first, last; // operations of the update under way
    int32_t counts[3];   // of each kind
} sap_cell;

typedef struct sap_operation {
    int32_t kind, shape, slot; // slot: which of the shape's cells; of LEAVE the handle
    int32_t next;
} sap_operation;

typedef struct sap_places { // the cells of a shape, the first has its lower left corner
    int32_t cell[TOUCHED];  // index plus one, 0 = none
    int32_t handle[TOUCHED];
} sap_places;

typedef struct b2d_sap_broadphase {
    b2d_members members;
    b2d_sap_options options;
    bool multiple;  // multi_sap
    bool built;     // false: the next update begins anew
    double inverse; // cells a metre
    int32_t sized_for;
    sap_cell* cells;
    int32_t cell_count, cell_capacity;
    int32_t* free_cells;
    int32_t free_count, free_capacity;
    b2d_pair_set table; // cell of a key
    b2d_pool pool;
    sap_places* places; // by shape
    int32_t place_capacity;
    sap_operation* operations;
    int32_t operation_count, operation_capacity;
    int32_t* active; // cells with operations
    int32_t active_count, active_capacity;
    b2d_bits gone;     // shapes that left all cells, or were replaced: all their pairs end
    b2d_bits left;     // shapes that left a cell: pairs that they no longer overlap end
    b2d_bits entering; // members that are not yet in all cells that they touch
    b2d_pair_manager manager;
    b2d_sap_sink* sinks; // by worker
    int32_t sink_count;
    double serial, merging; // ms; merging is a part of what is serial
} b2d_sap_broadphase;

// ---- the interface for the members

static bool sap_visit(const b2d_broadphase* broadphase, b2d_box box, b2d_query_fn* found, void* context);
static bool sap_visit_ray(const b2d_broadphase* broadphase, const b2d_ray* ray, const float* max_fraction,
                          b2d_query_fn* found, void* context);

static bool create(b2d_memory* memory, const b2d_proxies* proxies, bool multiple, b2d_broadphase** out) {
    b2d_sap_broadphase* phase = b2d_allocate(memory, sizeof *phase);
    if (phase == NULL) return false;
    b2d_members_init(&phase->members, proxies, sap_visit, sap_visit_ray);
    phase->multiple = multiple;
    *out = (b2d_broadphase*)phase;
    return true;
}
static bool sap_create(b2d_memory* memory, const b2d_proxies* proxies, int32_t simd, b2d_broadphase** out) {
    (void)simd;
    return create(memory, proxies, false, out);
}
static bool multi_create(b2d_memory* memory, const b2d_proxies* proxies, int32_t simd, b2d_broadphase** out) {
    (void)simd;
    return create(memory, proxies, true, out);
}

static void sap_destroy(b2d_memory* memory, b2d_broadphase* broadphase) {
    b2d_sap_broadphase* phase = (b2d_sap_broadphase*)broadphase;
    if (phase == NULL) return;
    b2d_members_free(memory, &phase->members);
    b2d_free(memory, phase->cells, (size_t)phase->cell_capacity * sizeof *phase->cells);
    b2d_free(memory, phase->free_cells, (size_t)phase->free_capacity * sizeof *phase->free_cells);
    b2d_pair_set_free(memory, &phase->table);
    b2d_pool_free(memory, &phase->pool);
    b2d_free(memory, phase->places, (size_t)phase->place_capacity * sizeof *phase->places);
    b2d_free(memory, phase->operations, (size_t)phase->operation_capacity * sizeof *phase->operations);
    b2d_free(memory, phase->active, (size_t)phase->active_capacity * sizeof *phase->active);
    b2d_bits_free(memory, &phase->gone);
    b2d_bits_free(memory, &phase->left);
    b2d_bits_free(memory, &phase->entering);
    b2d_pair_manager_free(memory, &phase->manager);
    for (int32_t k = 0; k < phase->sink_count; k++) b2d_sap_sink_free(memory, &phase->sinks[k]);
    b2d_free(memory, phase->sinks, (size_t)phase->sink_count * sizeof *phase->sinks);
    b2d_free(memory, phase, sizeof *phase);
}

// ---- cells

static int32_t cell_coordinate(const b2d_sap_broadphase* phase, float x) { // monotonic in x
    const double most = 1 << 24, cell = (double)x * phase->inverse;
    const double bounded = cell < -most ? -most : cell > most ? most : cell;
    int32_t coordinate = (int32_t)bounded;
    coordinate -= (double)coordinate > bounded;
    const int32_t side = B2D_SAP_GRID_SIDE;
    switch (phase->options.grid) {
    case B2D_LAB_GRID_WRAPPED: return coordinate & (side - 1);
    case B2D_LAB_GRID_FIXED: return b2d_max_int(0, b2d_min_int(coordinate + side / 2, side - 1));
    default: return coordinate + (1 << 25);
    }
}

// The keys of the cells that a box touches, the first that of its lower left corner; returns how many.
static int32_t keys_of(const b2d_sap_broadphase* phase, b2d_box box, uint64_t keys[TOUCHED]) {
    if (!phase->multiple) {
        keys[0] = 0;
        return 1;
    }
    const int32_t x[2] = {cell_coordinate(phase, box.min_x), cell_coordinate(phase, box.max_x)};
    const int32_t y[2] = {cell_coordinate(phase, box.min_y), cell_coordinate(phase, box.max_y)};
    int32_t count = 0;
    for (int32_t k = 0; k < (y[1] == y[0] ? 1 : 2); k++)
        for (int32_t j = 0; j < (x[1] == x[0] ? 1 : 2); j++)
            keys[count++] = (uint64_t)(uint32_t)y[k] << 32 | (uint32_t)x[j];
    return count;
}

static int32_t find_or_make_cell(b2d_memory* memory, b2d_sap_broadphase* phase, uint64_t key) {
    int32_t index = b2d_pair_set_find(&phase->table, key);
    if (index != B2D_NONE) return index;
    index = phase->free_count > 0 ? phase->free_cells[phase->free_count - 1] : phase->cell_count;
    if (!B2D_GROW(memory, phase->cells, phase->cell_capacity, index + 1) ||
        !B2D_GROW(memory, phase->active, phase->active_capacity, phase->cell_count + 1) ||
        !B2D_GROW(memory, phase->free_cells, phase->free_capacity, phase->cell_count + 1) ||
        !b2d_pair_set_add(memory, &phase->table, key, index))
        return B2D_NONE;
    if (phase->free_count > 0) phase->free_count--;
    else phase->cell_count++;
    phase->cells[index] = (sap_cell){.sap = {.free_handle = B2D_NONE},
                                     .key = key,
                                     .bound = {INFINITY, INFINITY, -INFINITY, -INFINITY},
                                     .first = NO_OPERATION,
                                     .last = NO_OPERATION};
    return index;
}

static void push_operation(b2d_sap_broadphase* phase, int32_t index, int32_t kind, int32_t shape, int32_t slot) {
    sap_cell* cell = &phase->cells[index];
    const int32_t at = phase->operation_count++;
    phase->operations[at] = (sap_operation){kind, shape, slot, NO_OPERATION};
    if (cell->first == NO_OPERATION) {
        cell->first = at;
        phase->active[phase->active_count++] = index;
    } else {
        phase->operations[cell->last].next = at;
    }
    cell->last = at;
    cell->counts[kind]++;
}

static void leave_all(b2d_sap_broadphase* phase, int32_t shape) {
    sap_places* places = &phase->places[shape];
    for (int32_t k = 0; k < TOUCHED; k++) {
        if (places->cell[k] != 0) push_operation(phase, places->cell[k] - 1, LEAVE, shape, places->handle[k]);
        places->cell[k] = 0;
    }
    b2d_bits_set(&phase->gone, shape);
}

// Decides which cells a member leaves and moves in. What it enters is decided when these cells may be used again.
static void leave_and_move(b2d_sap_broadphase* phase, int32_t shape) {
    uint64_t keys[TOUCHED];
    const int32_t count = keys_of(phase, b2d_fat_box(phase->members.proxies, shape), keys);
    sap_places* places = &phase->places[shape];
    const sap_places before = *places;
    *places = (sap_places){{0}, {0}};
    int32_t kept = 0;
    for (int32_t old = 0; old < TOUCHED; old++) {
        if (before.cell[old] == 0) continue;
        const int32_t index = before.cell[old] - 1;
        int32_t k = 0;
        while (k < count && keys[k] != phase->cells[index].key) k++;
        if (k < count) {
            places->cell[k] = before.cell[old];
            places->handle[k] = before.handle[old];
            push_operation(phase, index, MOVE, shape, k);
            kept++;
        } else {
            push_operation(phase, index, LEAVE, shape, before.handle[old]);
            b2d_bits_set(&phase->left, shape);
        }
    }
    if (kept < count) b2d_bits_set(&phase->entering, shape);
}

static bool enter(b2d_memory* memory, b2d_sap_broadphase* phase, int32_t shape) {
    uint64_t keys[TOUCHED];
    const int32_t count = keys_of(phase, b2d_fat_box(phase->members.proxies, shape), keys);
    for (int32_t k = 0; k < count; k++) {
        if (phase->places[shape].cell[k] != 0) continue;
        const int32_t index = find_or_make_cell(memory, phase, keys[k]);
        if (index == B2D_NONE) return false;
        phase->places[shape].cell[k] = index + 1;
        push_operation(phase, index, ENTER, shape, k);
    }
    return true;
}

// ---- the update

// Forgets the cells. The pairs that still overlap stay, because their end is to be recorded when it comes. Shapes in
// cells would be at most a quarter of a cell large, so they touch at most four.
static bool begin_anew(b2d_memory* memory, b2d_sap_broadphase* phase) {
    b2d_members* members = &phase->members;
    for (int32_t k = 0; k < phase->cell_count; k++) b2d_sap_release(&phase->pool, &phase->cells[k].sap);
    for (int32_t k = 0; k < phase->cell_count; k++) b2d_pair_set_remove(&phase->table, phase->cells[k].key);
    phase->cell_count = phase->free_count = 0;
    for (int32_t k = 0; k < phase->place_capacity; k++) phase->places[k] = (sap_places){{0}, {0}};
    if (phase->multiple) {
        const float factor = phase->options.cells > 0.0f ? phase->options.cells : 8.0f;
        const float median = b2d_members_median_extent(members), cell = factor * b2d_max(median, 1.0e-6f);
        phase->inverse = 1.0 / (double)cell;
        if (!b2d_members_set_extent(memory, members, 0.99f * cell)) return false;
        phase->sized_for = b2d_bits_count(&members->inside) + members->large.leaf_count;
    }
    b2d_bits_merge(&members->stale, &members->inside);
    b2d_pair_manager* manager = &phase->manager;
    manager->failed = false;
    for (int32_t k = manager->count - 1; k >= 0; k--) {
        const uint64_t key = manager->keys[k];
        const int32_t a = (int32_t)(key >> 32), b = (int32_t)(uint32_t)key;
        if (!b2d_bits_has(&members->inside, a) || !b2d_bits_has(&members->inside, b) ||
            b2d_bits_has(&members->replaced, a) || b2d_bits_has(&members->replaced, b) ||
            !b2d_box_overlaps(b2d_fat_box(members->proxies, a), b2d_fat_box(members->proxies, b)))
            b2d_pair_manager_remove(memory, manager, key);
    }
    return !manager->failed;
}

static void remove_parted_pairs(b2d_memory* memory, b2d_sap_broadphase* phase) {
    const b2d_proxies* p = phase->members.proxies;
    b2d_pair_manager* manager = &phase->manager;
    for (int32_t k = manager->count - 1; k >= 0; k--) { // a removal moves the last pair to k, which was looked at
        const uint64_t key = manager->keys[k];
        const int32_t a = (int32_t)(key >> 32), b = (int32_t)(uint32_t)key;
        const bool ends = b2d_bits_has(&phase->gone, a) || b2d_bits_has(&phase->gone, b) ||
                          ((b2d_bits_has(&phase->left, a) || b2d_bits_has(&phase->left, b)) &&
                           !b2d_box_overlaps(b2d_fat_box(p, a), b2d_fat_box(p, b)));
        if (ends) b2d_pair_manager_remove(memory, manager, key);
    }
}

// The other way to remove one box: the pair manager drops its pairs, so that nothing has to move to infinity. The
// manager of several cells must keep those of the cells in which the shape stays.
static void drop_object(b2d_sap* sap, b2d_sap_sink* sink, const sap_operation* operation) {
    if (!sink->shared) b2d_pair_manager_remove_all(sink->memory, sink->manager, operation->shape);
    sink->handles[0] = operation->slot;
    b2d_sap_remove(sap, sink, 1);
}

static void run_cell(b2d_sap_broadphase* phase, sap_cell* cell, int32_t first, int32_t last, b2d_sap_sink* sink) {
    const b2d_proxies* p = phase->members.proxies;
    b2d_sap* sap = &cell->sap;
    for (int32_t kind = first; kind <= last; kind++) {
        int32_t count = 0;
        for (int32_t at = cell->counts[kind] > 0 ? cell->first : NO_OPERATION; at != NO_OPERATION;
             at = phase->operations[at].next) {
            const sap_operation* operation = &phase->operations[at];
            if (operation->kind != kind) continue;
            const bool single = phase->options.one_by_one != 0;
            if (kind == LEAVE) {
                if (phase->options.one_by_one == 2) drop_object(sap, sink, operation);
                else if (single) b2d_sap_remove_single(sap, sink, operation->slot);
                else sink->handles[count++] = operation->slot;
                continue;
            }
            cell->bound = b2d_box_union(b2d_fat_box(p, operation->shape), cell->bound);
            int32_t* handle = &phase->places[operation->shape].handle[operation->slot];
            if (kind == MOVE) {
                b2d_sap_move(sap, sink, *handle);
                continue;
            }
            *handle = b2d_sap_take_handle(sap, operation->shape);
            if (single) b2d_sap_insert_single(sap, sink, *handle);
            else sink->handles[count++] = *handle;
        }
        if (kind == LEAVE) b2d_sap_remove(sap, sink, count);
        if (kind == ENTER) b2d_sap_insert(sap, sink, count);
    }
}

static void cell_stage(void* context, int32_t begin, int32_t end, int32_t worker) {
    b2d_sap_broadphase* phase = context;
    for (int32_t k = begin; k < end; k++)
        run_cell(phase, &phase->cells[phase->active[k]], MOVE, ENTER, &phase->sinks[worker]);
}

// Room for all that the cells and the workers will need.
static bool reserve_cells(b2d_memory* memory, b2d_sap_broadphase* phase, int32_t workers) {
    int32_t most = 0;
    for (int32_t k = 0; k < phase->active_count; k++) {
        sap_cell* cell = &phase->cells[phase->active[k]];
        const int32_t boxes = cell->sap.count + cell->counts[ENTER];
        if (!b2d_sap_reserve(memory, &phase->pool, &cell->sap, boxes)) return false;
        most = b2d_max_int(most, boxes);
    }
    if (phase->sink_count < workers && !B2D_GROW(memory, phase->sinks, phase->sink_count, workers)) return false;
    for (int32_t w = 0; w < workers; w++) {
        b2d_sap_sink* sink = &phase->sinks[w];
        sink->proxies = phase->members.proxies;
        sink->memory = memory;
        sink->shared = phase->multiple;
        sink->always_search = phase->options.always_search != 0;
        sink->by_coordinates = phase->options.by_coordinates != 0;
        sink->event_count = 0;
        if (!b2d_sap_sink_reserve(memory, sink, most)) return false;
    }
    return true;
}

// The boxes decide what has become of the pairs in the events. Removals come first, so that the most pairs at a time,
// and with it the memory, do not depend on which worker had which event.
static bool merge_events(b2d_memory* memory, b2d_sap_broadphase* phase, int32_t workers) {
    const b2d_proxies* p = phase->members.proxies;
    b2d_pair_manager* manager = &phase->manager;
    int32_t total = 0;
    bool lost = false;
    for (int32_t w = 0; w < workers; w++) {
        b2d_sap_sink* sink = &phase->sinks[w];
        const int32_t count = b2d_min_int(sink->event_count, sink->event_capacity);
        total += sink->event_count;
        lost |= sink->event_count > sink->event_capacity;
        sink->event_count = 0;
        for (int32_t k = 0; k < count; k++) {
            const uint64_t key = sink->events[k];
            if (b2d_box_overlaps(b2d_fat_box(p, (int32_t)(key >> 32)), b2d_fat_box(p, (int32_t)(uint32_t)key)))
                sink->events[sink->event_count++] = key;
            else b2d_pair_manager_remove(memory, manager, key);
        }
    }
    for (int32_t w = 0; w < workers; w++)
        for (int32_t k = 0; k < phase->sinks[w].event_count; k++)
            b2d_pair_manager_add(memory, manager, phase->sinks[w].events[k]);
    // Work may be distributed differently next time: each worker gets room for all events.
    for (int32_t w = 0; w < workers; w++)
        if (!B2D_GROW(memory, phase->sinks[w].events, phase->sinks[w].event_capacity, total)) return false;
    if (!lost) return true;
    // Some events found no room: all pairs are found anew in the cells.
    b2d_bits_merge(&phase->left, &phase->members.inside);
    remove_parted_pairs(memory, phase);
    b2d_sap_sink* sink = &phase->sinks[0];
    sink->manager = manager;
    int32_t most = 0;
    for (int32_t k = 0; k < phase->cell_count; k++) most = b2d_max_int(most, phase->cells[k].sap.count);
    if (!b2d_sap_sink_reserve(memory, sink, most)) return false;
    for (int32_t k = 0; k < phase->cell_count; k++)
        if (phase->cells[k].sap.count > 0) b2d_sap_all_pairs(&phase->cells[k].sap, sink);
    return true;
}

// Ends the operations of the cells, and releases the cells that are empty.
static void finish_cells(b2d_sap_broadphase* phase) {
    int32_t kept = 0;
    for (int32_t k = 0; k < phase->active_count; k++) {
        const int32_t index = phase->active[k];
        sap_cell* cell = &phase->cells[index];
        if (cell->counts[MOVE] > 0) { // after the removals: the moves are still to be made
            phase->active[kept++] = index;
            continue;
        }
        cell->first = cell->last = NO_OPERATION;
        if (cell->sap.count > 0 || !phase->multiple) continue;
        b2d_sap_release(&phase->pool, &cell->sap);
        b2d_pair_set_remove(&phase->table, cell->key);
        cell->bound = (b2d_box){INFINITY, INFINITY, -INFINITY, -INFINITY};
        phase->free_cells[phase->free_count++] = index;
    }
    phase->active_count = kept;
}

// Removes the shapes that left cells, and the pairs that this ends. Empty cells are released before others are needed.
static bool run_removals(b2d_memory* memory, b2d_sap_broadphase* phase) {
    b2d_members* members = &phase->members;
    B2D_FOR_BITS (&members->stale, shape) {
        const bool wanted = b2d_bits_has(&members->inside, shape), held = phase->places[shape].cell[0] != 0;
        const bool stays = held && wanted && !b2d_bits_has(&members->replaced, shape);
        if (stays) leave_and_move(phase, shape);
        else if (held) leave_all(phase, shape);
        if (wanted && !stays) b2d_bits_set(&phase->entering, shape);
    }
    if (b2d_bits_is_empty(&phase->gone) && b2d_bits_is_empty(&phase->left)) return true;
    if (!reserve_cells(memory, phase, 1)) return false;
    phase->sinks[0].manager = &phase->manager;
    for (int32_t k = 0; k < phase->active_count; k++) {
        sap_cell* cell = &phase->cells[phase->active[k]];
        run_cell(phase, cell, LEAVE, LEAVE, &phase->sinks[0]);
        cell->counts[LEAVE] = 0;
    }
    remove_parted_pairs(memory, phase);
    finish_cells(phase);
    return true;
}

static bool run_operations(b2d_memory* memory, b2d_sap_broadphase* phase, b2d_scheduler* scheduler) {
    b2d_members* members = &phase->members;
    const int32_t ids = 64 * members->inside.word_count, stale = b2d_bits_count(&members->stale);
    if (!B2D_GROW(memory, phase->places, phase->place_capacity, ids) || !b2d_bits_reserve(memory, &phase->gone, ids) ||
        !b2d_bits_reserve(memory, &phase->left, ids) || !b2d_bits_reserve(memory, &phase->entering, ids) ||
        !B2D_GROW(memory, phase->operations, phase->operation_capacity, 2 * TOUCHED * stale))
        return false;
    const double start = b2d_milliseconds();
    phase->operation_count = phase->active_count = 0;
    b2d_bits_clear(&phase->gone);
    b2d_bits_clear(&phase->left);
    b2d_bits_clear(&phase->entering);
    if (!run_removals(memory, phase)) return false;
    B2D_FOR_BITS (&phase->entering, shape)
        if (!enter(memory, phase, shape)) return false;
    const int32_t workers = b2d_scheduler_workers(scheduler);
    if (!reserve_cells(memory, phase, workers)) return false;
    const bool queues = phase->active_count > 1 && (workers > 1 || phase->options.queues != 0);
    for (int32_t w = 0; w < workers; w++) phase->sinks[w].manager = queues ? NULL : &phase->manager;
    const double middle = b2d_milliseconds();
    if (queues) b2d_parallel_for(scheduler, cell_stage, phase, phase->active_count, 1);
    else cell_stage(phase, 0, phase->active_count, 0);
    const double after = b2d_milliseconds();
    for (int32_t k = 0; k < phase->active_count; k++) {
        sap_cell* cell = &phase->cells[phase->active[k]];
        cell->counts[MOVE] = cell->counts[ENTER] = 0;
    }
    finish_cells(phase);
    const double merging = b2d_milliseconds();
    if (queues && !merge_events(memory, phase, workers)) return false;
    const double end = b2d_milliseconds();
    phase->merging += end - merging;
    phase->serial += middle - start + (end - after);
    return !phase->manager.failed;
}

static bool old_boxes_overlap(const b2d_proxies* p, uint64_t key) {
    return b2d_box_overlaps(b2d_old_box(p, (int32_t)(key >> 32)), b2d_old_box(p, (int32_t)(uint32_t)key));
}

// Pairs that were taken over since they were reported are no longer fresh, so their end is recorded.
static void drop_reported(b2d_sap_broadphase* phase) {
    b2d_pair_manager* manager = &phase->manager;
    for (int32_t k = 0; k < manager->fresh_count; k++) {
        const int32_t place = b2d_pair_set_find(&manager->places, manager->fresh_keys[k]);
        if (place != B2D_NONE && old_boxes_overlap(phase->members.proxies, manager->fresh_keys[k]))
            manager->fresh[place] = false;
    }
}

static bool sap_update(b2d_memory* memory, b2d_broadphase* broadphase, b2d_scheduler* scheduler) {
    b2d_sap_broadphase* phase = (b2d_sap_broadphase*)broadphase;
    b2d_members* members = &phase->members;
    if (!b2d_members_update(memory, members)) return false;
    if (phase->built && b2d_bits_is_empty(&members->stale)) return true;
    if (phase->manager.records_ended) drop_reported(phase);
    const int32_t count = b2d_bits_count(&members->inside) + members->large.leaf_count;
    const bool resized = phase->multiple && (count > 4 * phase->sized_for || 4 * count < phase->sized_for);
    if (!phase->built || resized) {
        phase->built = false;
        if (!begin_anew(memory, phase)) return false;
    }
    phase->built = false;
    if (!run_operations(memory, phase, scheduler)) return false;
    phase->built = true;
    b2d_members_done(members);
    return true;
}

// ---- pairs

static void report(const b2d_proxies* p, uint64_t key, b2d_key_list* list) {
    const int32_t a = (int32_t)(key >> 32), b = (int32_t)(uint32_t)key;
    if ((b2d_bits_has(&p->moved, a) || b2d_bits_has(&p->moved, b)) && b2d_proxies_may_pair(p, a, b))
        b2d_key_list_push(list, key);
}

static bool old_box_is_empty(const b2d_proxies* p, int32_t shape) { return !(b2d_old_box(p, shape).min_x < INFINITY); }

static bool sap_pairs(b2d_memory* memory, b2d_broadphase* broadphase, b2d_scheduler* scheduler, b2d_key_list* lists) {
    b2d_sap_broadphase* phase = (b2d_sap_broadphase*)broadphase;
    const b2d_proxies* p = phase->members.proxies;
    b2d_pair_manager* manager = &phase->manager;
    if (!phase->built) return false; // the previous update found no memory
    bool reopened = false;
    B2D_FOR_BITS (&p->moved, shape) reopened |= old_box_is_empty(p, shape);
    if (reopened) { // also pairs that persist are new for these shapes
        for (int32_t k = 0; k < manager->count; k++) {
            const uint64_t key = manager->keys[k];
            if (!manager->fresh[k] &&
                (old_box_is_empty(p, (int32_t)(key >> 32)) || old_box_is_empty(p, (int32_t)(uint32_t)key)))
                report(p, key, &lists[0]);
        }
    }
    // A fresh pair remains fresh until the old boxes show that it was taken over. The flag is unset while the list is
    // walked, so that a key that occurs twice is treated once.
    int32_t kept = 0;
    for (int32_t k = 0; k < manager->fresh_count; k++) {
        const uint64_t key = manager->fresh_keys[k];
        const int32_t place = b2d_pair_set_find(&manager->places, key);
        if (place == B2D_NONE || !manager->fresh[place]) continue;
        manager->fresh[place] = false;
        if (old_boxes_overlap(p, key)) continue;
        report(p, key, &lists[0]);
        manager->fresh_keys[kept++] = key;
    }
    manager->fresh_count = kept;
    for (int32_t k = 0; k < kept; k++)
        manager->fresh[b2d_pair_set_find(&manager->places, manager->fresh_keys[k])] = true;
    return b2d_members_tree_pairs(memory, &phase->members, scheduler, lists);
}

// ---- queries

typedef struct home_filter { // a shape in several cells counts in the cell of its lower left corner
    const b2d_sap_broadphase* phase;
    int32_t cell; // index plus one
    b2d_query_fn* found;
    void* context;
} home_filter;

static bool found_at_home(void* context, int32_t shape) {
    const home_filter* filter = context;
    return filter->phase->places[shape].cell[0] != filter->cell || filter->found(filter->context, shape);
}

static bool sap_visit(const b2d_broadphase* broadphase, b2d_box box, b2d_query_fn* found, void* context) {
    const b2d_sap_broadphase* phase = (const b2d_sap_broadphase*)broadphase;
    for (int32_t k = 0; k < phase->cell_count; k++) {
        home_filter filter = {phase, k + 1, found, context};
        if (b2d_box_overlaps(phase->cells[k].bound, box) &&
            !b2d_sap_visit(&phase->cells[k].sap, phase->members.proxies, box, found_at_home, &filter))
            return false;
    }
    return true;
}

static bool sap_visit_ray(const b2d_broadphase* broadphase, const b2d_ray* ray, const float* max_fraction,
                          b2d_query_fn* found, void* context) {
    const b2d_sap_broadphase* phase = (const b2d_sap_broadphase*)broadphase;
    for (int32_t k = 0; k < phase->cell_count; k++) {
        home_filter filter = {phase, k + 1, found, context};
        if (b2d_ray_enter(ray, phase->cells[k].bound, *max_fraction) >= 0.0 &&
            !b2d_sap_visit_ray(&phase->cells[k].sap, phase->members.proxies, ray, max_fraction, found_at_home, &filter))
            return false;
    }
    return true;
}

static void sap_boxes(const b2d_broadphase* broadphase, b2d_box_fn* found, void* context) {
    const b2d_sap_broadphase* phase = (const b2d_sap_broadphase*)broadphase;
    b2d_members_boxes(&phase->members, found, context);
    for (int32_t k = 0; k < phase->cell_count; k++) {
        const sap_cell* cell = &phase->cells[k];
        if (!phase->multiple) b2d_sap_boxes(&cell->sap, phase->members.proxies, found, context);
        else if (cell->sap.count > 0) found(context, cell->bound, 1);
    }
}

static const char* sap_validate(const b2d_broadphase* broadphase) {
    const b2d_sap_broadphase* phase = (const b2d_sap_broadphase*)broadphase;
    const b2d_members* members = &phase->members;
    const b2d_proxies* p = members->proxies;
    if (!phase->built) return NULL; // the next update begins anew
    for (int32_t k = 0; k < phase->cell_count; k++) {
        const char* broken = b2d_sap_validate(&phase->cells[k].sap, p);
        if (broken != NULL) return broken;
    }
    for (int32_t i = 0; i < b2d_min_int(p->limit, phase->place_capacity); i++) {
        if (b2d_bits_has(&members->changed, i) || b2d_bits_has(&p->dirty, i)) continue; // handled by the next update
        const sap_places* places = &phase->places[i];
        if (b2d_bits_has(&members->inside, i) != (places->cell[0] != 0)) return "sap: a member is in no cell";
        for (int32_t k = 0; k < TOUCHED && places->cell[k] != 0; k++)
            if (phase->cells[places->cell[k] - 1].sap.shapes[places->handle[k]] != i)
                return "sap: a cell does not hold the shape that points at it";
    }
    const b2d_pair_manager* manager = &phase->manager;
    for (int32_t k = 0; k < manager->count; k++) {
        const int32_t a = (int32_t)(manager->keys[k] >> 32), b = (int32_t)(uint32_t)manager->keys[k];
        if (b2d_bits_has(&p->dirty, a) || b2d_bits_has(&p->dirty, b) || b2d_bits_has(&members->changed, a) ||
            b2d_bits_has(&members->changed, b))
            continue;
        if (!b2d_box_overlaps(b2d_fat_box(p, a), b2d_fat_box(p, b))) return "sap: a pair does not overlap";
    }
    return b2d_members_validate(members);
}

// ---- the harness

void b2d_sap_set_options(b2d_broadphase* broadphase, const b2d_sap_options* options) {
    ((b2d_sap_broadphase*)broadphase)->options = *options;
}
b2d_sap_counters b2d_sap_count(const b2d_broadphase* broadphase) {
    const b2d_sap_broadphase* phase = (const b2d_sap_broadphase*)broadphase;
    b2d_sap_counters sum = {0};
    for (int32_t k = 0; k < phase->sink_count; k++) {
        const b2d_sap_counters* one = &phase->sinks[k].counters;
        sum.swaps += one->swaps;
        sum.endpoint_moves += one->endpoint_moves;
        sum.apparent_removals += one->apparent_removals;
        sum.real_removals += one->real_removals;
        sum.tests += one->tests;
    }
    return sum;
}
int32_t b2d_sap_cell_entries(const b2d_broadphase* broadphase) {
    const b2d_sap_broadphase* phase = (const b2d_sap_broadphase*)broadphase;
    int32_t entries = 0;
    for (int32_t k = 0; k < phase->cell_count; k++) entries += phase->cells[k].sap.count;
    return entries;
}
double b2d_sap_serial_milliseconds(const b2d_broadphase* broadphase) {
    return ((const b2d_sap_broadphase*)broadphase)->serial;
}
double b2d_sap_merging_milliseconds(const b2d_broadphase* broadphase) {
    return ((const b2d_sap_broadphase*)broadphase)->merging;
}
b2d_pair_manager* b2d_sap_manager(b2d_broadphase* broadphase) { return &((b2d_sap_broadphase*)broadphase)->manager; }

const b2d_broadphase_table b2d_broadphase_sap = {
    "sap", sap_create,      sap_destroy, b2d_members_change, sap_update, sap_pairs, b2d_members_query,
    NULL,  b2d_members_ray, sap_boxes,   sap_validate,
};
const b2d_broadphase_table b2d_broadphase_multi_sap = {
    "multi_sap",       multi_create, sap_destroy,     b2d_members_change, sap_update,   sap_pairs,
    b2d_members_query, NULL,         b2d_members_ray, sap_boxes,          sap_validate,
};
