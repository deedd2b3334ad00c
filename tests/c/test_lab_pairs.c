// tests/c/test_lab_pairs.c - the parts of the lab's broad phases one by one, and the traps of a sweep-and-prune.
//
// Scripted cases on one axis, the batches of Terdiman's paper, counters, the histories of a pair, and for each trap of
// a persistent broad phase a world in which a plain implementation loses or repeats a pair. test_broadphase.c compares
// all broad phases on random worlds.
#include "base/cpu.h"
#include "broadphase/proxies.h"
#include "lab/sap_broadphase.h"

#include "test.h"

#include <string.h>

static int failures;
#define CHECK(actual, expected)                                                                                 \
    do {                                                                                                        \
        long long check_a = (long long)(actual), check_b = (long long)(expected);                               \
        if (check_a != check_b) {                                                                               \
            fprintf(stderr, "%s:%d: %s is %lld, %s is %lld\n", __FILE__, __LINE__, #actual, check_a, #expected, \
                    check_b);                                                                                   \
            failures++;                                                                                         \
        }                                                                                                       \
    } while (0)

enum { MOST = 4096, WORKERS = 2 };

typedef struct world { // columns as a world has them, and one broad phase
    b2d_memory memory, worker_memory[WORKERS];
    b2d_proxies p;
    const b2d_broadphase_table* table;
    b2d_broadphase* phase;
    b2d_scheduler* scheduler;
    b2d_key_list lists[WORKERS];
    int32_t workers;
} world;

static float* column(void) { return aligned_alloc(64, MOST * sizeof(float)); }

static void world_open(world* w, const b2d_broadphase_table* table, int32_t workers) {
    memset(w, 0, sizeof *w);
    w->memory.fail_after = -1;
    float** columns[8] = {&w->p.fat_min_x, &w->p.fat_min_y, &w->p.fat_max_x, &w->p.fat_max_y,
                          &w->p.old_min_x, &w->p.old_min_y, &w->p.old_max_x, &w->p.old_max_y};
    for (int k = 0; k < 8; k++) *columns[k] = column();
    w->p.proxy_class = calloc(1, MOST);
    w->p.body = calloc(MOST, sizeof(int32_t));
    w->p.capacity = MOST;
    CHECK(b2d_bits_reserve(&w->memory, &w->p.moved, MOST) && b2d_bits_reserve(&w->memory, &w->p.dirty, MOST), true);
    w->table = table;
    w->workers = workers;
    CHECK(b2d_scheduler_create(workers, &w->scheduler), B2D_OK);
    CHECK(table->create(&w->memory, &w->p, b2d_cpu_best(), &w->phase), true);
    for (int k = 0; k < workers; k++) w->worker_memory[k].fail_after = -1, w->lists[k].memory = &w->worker_memory[k];
}

static void world_close(world* w) {
    w->table->destroy(&w->memory, w->phase);
    b2d_scheduler_destroy(w->scheduler);
    b2d_bits_free(&w->memory, &w->p.moved);
    b2d_bits_free(&w->memory, &w->p.dirty);
    CHECK(w->memory.bytes, 0);
    float* columns[8] = {w->p.fat_min_x, w->p.fat_min_y, w->p.fat_max_x, w->p.fat_max_y,
                         w->p.old_min_x, w->p.old_min_y, w->p.old_max_x, w->p.old_max_y};
    for (int k = 0; k < 8; k++) free(columns[k]);
    free(w->p.proxy_class);
    free(w->p.body);
    for (int k = 0; k < w->workers; k++)
        b2d_free(&w->worker_memory[k], w->lists[k].keys, (size_t)w->lists[k].capacity * sizeof(uint64_t));
}

static void set_box(world* w, int32_t i, b2d_box box) {
    w->p.fat_min_x[i] = box.min_x, w->p.fat_min_y[i] = box.min_y;
    w->p.fat_max_x[i] = box.max_x, w->p.fat_max_y[i] = box.max_y;
    b2d_bits_set(&w->p.moved, i);
    b2d_bits_set(&w->p.dirty, i);
}

static void reopen(world* w, int32_t i) {
    w->p.old_min_x[i] = w->p.old_min_y[i] = 1.0f;
    w->p.old_max_x[i] = w->p.old_max_y[i] = 0.0f;
    b2d_bits_set(&w->p.moved, i);
}

static void set_class(world* w, int32_t i, int32_t class) {
    const int32_t before = w->p.proxy_class[i];
    w->p.proxy_class[i] = (uint8_t)class;
    if (class == B2D_PROXY_NONE) b2d_bits_unset(&w->p.moved, i);
    CHECK(w->table->change(&w->memory, w->phase, &i, 1, before), true);
}

static void create(world* w, int32_t i, b2d_box box, int32_t class) {
    if (i >= w->p.limit) w->p.limit = i + 1;
    w->p.body[i] = i;
    set_box(w, i, box);
    reopen(w, i);
    set_class(w, i, class);
}

static bool update(world* w) {
    const bool done = w->table->update(&w->memory, w->phase, w->scheduler);
    if (done) {
        b2d_bits_clear(&w->p.dirty);
        const char* broken = w->table->validate(w->phase);
        if (broken != NULL) fprintf(stderr, "%s: %s\n", w->table->name, broken), failures++;
    }
    return done;
}

// How many pairs; -1 when there was no memory.
static int32_t pairs(world* w) {
    int32_t count = 0;
    for (int k = 0; k < w->workers; k++) w->lists[k].count = 0, w->lists[k].failed = false;
    if (!w->table->pairs(&w->memory, w->phase, w->scheduler, w->lists)) return -1;
    for (int k = 0; k < w->workers; k++) count += w->lists[k].count;
    return count;
}

static void consume(world* w) { // what a step does when it succeeds
    b2d_proxies* p = &w->p;
    B2D_FOR_BITS (&p->moved, i) {
        p->old_min_x[i] = p->fat_min_x[i], p->old_min_y[i] = p->fat_min_y[i];
        p->old_max_x[i] = p->fat_max_x[i], p->old_max_y[i] = p->fat_max_y[i];
    }
    b2d_bits_clear(&p->moved);
}

static int32_t step(world* w) {
    CHECK(update(w), true);
    const int32_t count = pairs(w);
    consume(w);
    return count;
}

static b2d_box square(float x, float y) { return (b2d_box){x, y, x + 1.0f, y + 1.0f}; }
static b2d_box drawn_square(float side) {
    const float x = side * draw_float();
    return square(x, side * draw_float());
}

static const b2d_broadphase_table* const persistent[] = {&b2d_broadphase_sap, &b2d_broadphase_multi_sap};
static const b2d_broadphase_table* const lab[] = {&b2d_broadphase_brute_wide, &b2d_broadphase_box_pruning,
                                                  &b2d_broadphase_morton,     &b2d_broadphase_sap,
                                                  &b2d_broadphase_multi_sap,  &b2d_broadphase_refined_tree};
enum { PERSISTENT = 2, LAB = 6 };

// ---- the pair manager

static void test_pair_manager_is_a_set(void) {
    enum { IDS = 60 };
    b2d_memory memory = {.fail_after = -1};
    b2d_pair_manager manager = {0};
    static bool in[IDS][IDS];
    int32_t count = 0;
    for (int32_t n = 0; n < 1000000; n++) {
        const int32_t a = (int32_t)(draw_float() * IDS), b = (int32_t)(draw_float() * IDS);
        if (a >= b) continue;
        CHECK(b2d_pair_manager_has(&manager, b2d_pair_key(a, b)), in[a][b]);
        if (draw_float() < 0.5f) b2d_pair_manager_add(&memory, &manager, b2d_pair_key(b, a)), count += !in[a][b];
        else b2d_pair_manager_remove(&memory, &manager, b2d_pair_key(a, b)), count -= in[a][b];
        in[a][b] = b2d_pair_manager_has(&manager, b2d_pair_key(a, b));
        if (n % 5000 == 0) { // all pairs of one object
            b2d_pair_manager_remove_all(&memory, &manager, a);
            for (int32_t k = 0; k < IDS; k++) {
                count -= in[a][k] + in[k][a];
                in[a][k] = in[k][a] = false;
            }
        }
        CHECK(manager.count, count);
    }
    for (int32_t k = 0; k < manager.count; k++) CHECK(in[manager.keys[k] >> 32][(uint32_t)manager.keys[k]], true);
    CHECK(manager.failed, false);
    b2d_pair_manager_free(&memory, &manager);
    CHECK(memory.bytes, 0);
}

// ---- one axis, scripted

static void test_lower_and_upper_ends_that_pass_start_and_end_overlaps(void) {
    world w;
    world_open(&w, &b2d_broadphase_sap, 1);
    create(&w, 0, square(0, 0), B2D_PROXY_MOVING);
    create(&w, 1, square(3, 0), B2D_PROXY_MOVING);
    CHECK(step(&w), 0);
    const b2d_pair_manager* manager = b2d_sap_manager(w.phase);
    set_box(&w, 1, square(0.5f, 0)); // from the right into the first: its lower end passes an upper end
    CHECK(step(&w), 1);
    CHECK(manager->count, 1);
    set_box(&w, 1, square(-3, 0)); // out on the left: its upper end passes a lower end
    CHECK(step(&w), 0);
    CHECK(manager->count, 0);
    set_box(&w, 1, square(3, 0)); // through it within one update: starts, then ends
    CHECK(step(&w), 0);
    CHECK(manager->count, 0);
    set_box(&w, 1, square(1, 1)); // closed: a common corner is an overlap
    CHECK(step(&w), 1);
    set_box(&w, 1, (b2d_box){1, nextafterf(1.0f, 2.0f), 2, 2});
    CHECK(step(&w), 0);
    CHECK(manager->count, 0);
    set_box(&w, 1, (b2d_box){-0.0f, 0, 1, 1}); // -0 and +0 are equal
    set_box(&w, 0, (b2d_box){-1, 0, 0.0f, 1});
    CHECK(step(&w), 1);
    world_close(&w);
}

static void test_two_boxes_that_change_places_give_what_their_last_boxes_say(void) {
    for (int t = 0; t < PERSISTENT; t++) {
        world w;
        world_open(&w, persistent[t], 1);
        create(&w, 0, square(0, 0), B2D_PROXY_MOVING);
        create(&w, 1, square(0.5f, 0), B2D_PROXY_MOVING);
        CHECK(step(&w), 1);
        set_box(&w, 0, square(0.5f, 0));
        set_box(&w, 1, square(0, 0));
        CHECK(step(&w), 0); // persists
        set_box(&w, 0, square(5, 0));
        set_box(&w, 1, square(-5, 0));
        CHECK(step(&w), 0);
        set_box(&w, 0, square(-5, 0.5f));
        set_box(&w, 1, square(-4.5f, 0));
        CHECK(step(&w), 1);
        world_close(&w);
    }
}

// ---- batches

static void test_batch_of_the_paper_is_merged_in_one_pass(void) {
    // {42, 10, 60, 12} into {-6, -1, 0, 11, 15, 20, 50, 150}: 4 boxes hold the old end points, 2 the new.
    const float old[8] = {-6, -1, 0, 11, 15, 20, 50, 150}, added[4] = {42, 10, 60, 12};
    world w;
    world_open(&w, &b2d_broadphase_sap, 1);
    for (int32_t k = 0; k < 4; k++)
        create(&w, k, (b2d_box){old[2 * k], (float)(10 * k), old[2 * k + 1], (float)(10 * k + 1)}, B2D_PROXY_MOVING);
    CHECK(step(&w), 0);
    const int64_t before = b2d_sap_count(w.phase).endpoint_moves;
    create(&w, 4, (b2d_box){added[1], 100, added[0], 101}, B2D_PROXY_MOVING);
    create(&w, 5, (b2d_box){added[3], 110, added[2], 111}, B2D_PROXY_MOVING);
    CHECK(step(&w), 0);
    const int64_t moves = b2d_sap_count(w.phase).endpoint_moves - before;
    CHECK(moves <= 2 * 2 * (2 + 4), true);
    // x: all but -6, -1 and 0 move or are new, 5 + 4; y: the new ones lie above all others, 4
    CHECK(moves, 9 + 4);
    CHECK(b2d_sap_count(w.phase).swaps, 0);
    world_close(&w);
}

static void test_batches_and_single_insertions_find_the_same_pairs(void) {
    int32_t found[3][3]; // 2: dropping all pairs of an object that is removed
    int64_t moves[3][2];
    const uint64_t start = draw_state;
    for (int32_t single = 0; single < 3; single++) {
        world w;
        draw_state = start; // the same samples for all
        world_open(&w, &b2d_broadphase_sap, 1);
        b2d_sap_set_options(w.phase, &(b2d_sap_options){.one_by_one = single});
        for (int32_t k = 0; k < 1000; k++) create(&w, k, drawn_square(60), B2D_PROXY_MOVING);
        found[single][0] = step(&w);
        int64_t before = b2d_sap_count(w.phase).endpoint_moves;
        for (int32_t k = 1000; k < 1300; k++) create(&w, k, drawn_square(60), B2D_PROXY_MOVING);
        found[single][1] = step(&w);
        moves[single][0] = b2d_sap_count(w.phase).endpoint_moves - before;
        before = b2d_sap_count(w.phase).endpoint_moves;
        for (int32_t k = 0; k < 1300; k += 4) set_class(&w, k, B2D_PROXY_NONE);
        CHECK(step(&w), 0);
        moves[single][1] = b2d_sap_count(w.phase).endpoint_moves - before;
        found[single][2] = b2d_sap_manager(w.phase)->count;
        world_close(&w);
    }
    CHECK(BOUND(found[0][0], >, 300), true);
    for (int k = 0; k < 6; k++) CHECK(found[0][k % 3], found[1 + k / 3][k % 3]);
    CHECK(BOUND(moves[0][0], <=, 2 * 2 * 1300), true); // one pass over each array
    CHECK(BOUND(moves[0][1], <=, 2 * 2 * 1300), true);
    CHECK(BOUND(moves[1][0], >, 20 * moves[0][0]), true);
    CHECK(BOUND(moves[1][1], >, 20 * moves[0][1]), true);
}

static void test_overlaps_on_one_axis_are_filtered_before_the_manager_is_searched(void) {
    world w;
    world_open(&w, &b2d_broadphase_sap, 1);
    for (int32_t k = 0; k < 300; k++) create(&w, k, square(2.0f * (float)k, 10.0f), B2D_PROXY_MOVING);
    create(&w, 300, square(-5, 0), B2D_PROXY_MOVING); // below all of them, then past all of them
    step(&w);
    for (int32_t k = 0; k < 60; k++) {
        set_box(&w, 300, square(10.0f * (float)k, k == 30 ? 9.5f : 0.0f));
        step(&w);
    }
    const b2d_sap_counters counters = b2d_sap_count(w.phase);
    CHECK(counters.apparent_removals >= 290, true);
    CHECK(counters.real_removals >= 1 && counters.real_removals <= 6, true);
    world_close(&w);
}

// ---- histories of a pair: the incremental results

static void test_ended_pairs_are_reported_once_and_only_when_they_end(void) {
    world w;
    int32_t count = 0;
    world_open(&w, &b2d_broadphase_sap, 1);
    b2d_pair_manager* manager = b2d_sap_manager(w.phase);
    manager->records_ended = true;
    create(&w, 0, square(0, 0), B2D_PROXY_MOVING);
    create(&w, 1, square(0.5f, 0), B2D_PROXY_MOVING);
    CHECK(step(&w), 1);
    CHECK(step(&w), 0); // the pair is taken over
    set_box(&w, 1, square(5, 0));
    CHECK(step(&w), 0);
    CHECK(b2d_pair_manager_ended(manager, &count)[0] == b2d_pair_key(0, 1), true);
    CHECK(count, 1);
    b2d_pair_manager_ended(manager, &count);
    CHECK(count, 0); // once
    set_box(&w, 1, square(0.5f, 0));
    update(&w);
    set_box(&w, 1, square(5, 0));
    CHECK(step(&w), 0); // added and removed between two pair stages
    b2d_pair_manager_ended(manager, &count);
    CHECK(count, 0);
    set_box(&w, 1, square(0.5f, 0));
    CHECK(step(&w), 1);
    step(&w);
    set_box(&w, 1, square(5, 0));
    update(&w);
    set_box(&w, 1, square(0.5f, 0));
    CHECK(step(&w), 0); // removed and added again
    b2d_pair_manager_ended(manager, &count);
    CHECK(count, 0);
    world_close(&w);
}

// Cells of another size for many more shapes are built anew, and the pairs that are kept meanwhile still end.
static void test_pairs_that_end_while_the_cells_change_their_size_are_reported(void) {
    world w;
    int32_t count = 0;
    world_open(&w, &b2d_broadphase_multi_sap, 1);
    b2d_pair_manager* manager = b2d_sap_manager(w.phase);
    manager->records_ended = true;
    for (int32_t k = 0; k < 4; k++)
        create(&w, k, square(10.0f * (float)(k / 2) + 0.5f * (float)k, 0), B2D_PROXY_MOVING);
    CHECK(step(&w), 2);
    CHECK(step(&w), 0);
    for (int32_t k = 4; k < 40; k++) create(&w, k, square(0, 5.0f * (float)k), B2D_PROXY_MOVING);
    set_box(&w, 1, square(5, 0));
    CHECK(step(&w), 0);
    CHECK(manager->count, 1);
    const uint64_t* ended = b2d_pair_manager_ended(manager, &count);
    CHECK(count == 1 && ended[0] == b2d_pair_key(0, 1), true);
    world_close(&w);
}

static bool has_key(const uint64_t* keys, int32_t count, uint64_t key) {
    for (int32_t k = 0; k < count; k++)
        if (keys[k] == key) return true;
    return false;
}

// In each of 500 random steps the pairs that are kept are those of brute force, and the lists of new and of ended pairs
// are the differences from the step before. Meanwhile the pair manager grows from nothing to hundreds of pairs.
static void test_new_and_ended_pairs_are_the_differences_of_brute_force(void) {
    enum { COUNT = 150, STEPS = 500, KINDS = 4 };
    for (int32_t kind = 0; kind < KINDS; kind++) {
        static bool overlapped[COUNT][COUNT];
        world w;
        int32_t most = 0, began = 0, over = 0;
        memset(overlapped, 0, sizeof overlapped);
        world_open(&w, kind == 0 ? &b2d_broadphase_sap : &b2d_broadphase_multi_sap, kind == 3 ? 2 : 1);
        // Cells of 4 m, which movers leave often; kind 2 and 3 list events and let the boxes decide
        if (kind > 0) b2d_sap_set_options(w.phase, &(b2d_sap_options){.cells = 4, .queues = kind == 2});
        b2d_pair_manager* manager = b2d_sap_manager(w.phase);
        manager->records_ended = true;
        for (int32_t s = 0; s < STEPS; s++) {
            for (int32_t i = 0; i < COUNT; i++) {
                const float chance = draw_float(), spread = 10.0f + 10.0f * (float)(s / 100);
                if (w.p.proxy_class[i] == B2D_PROXY_NONE) {
                    if (chance < 0.3f) create(&w, i, drawn_square(spread), B2D_PROXY_MOVING);
                } else if (chance < 0.02f) {
                    set_class(&w, i, B2D_PROXY_NONE);
                } else if (chance < 0.5f) {
                    const b2d_box box = b2d_fat_box(&w.p, i);
                    const float x = box.min_x + 2.0f * draw_float() - 1.0f, y = box.min_y + 2.0f * draw_float() - 1.0f;
                    set_box(&w, i, square(x, y));
                } else if (chance < 0.52f) { // to another place, past many others
                    set_box(&w, i, drawn_square(spread));
                }
            }
            CHECK(update(&w), true);
            CHECK(pairs(&w) >= 0, true);
            int32_t ended_count = 0, present = 0, new_wanted = 0, new_found = 0, ended_wanted = 0;
            const uint64_t* ended = b2d_pair_manager_ended(manager, &ended_count);
            for (int32_t k = 0; k < w.workers; k++) new_found += w.lists[k].count;
            for (int32_t i = 0; i < COUNT; i++)
                for (int32_t j = i + 1; j < COUNT; j++) {
                    const bool here = w.p.proxy_class[i] != B2D_PROXY_NONE && w.p.proxy_class[j] != B2D_PROXY_NONE &&
                                      b2d_box_overlaps(b2d_fat_box(&w.p, i), b2d_fat_box(&w.p, j));
                    const uint64_t key = b2d_pair_key(i, j);
                    present += here;
                    if (here) CHECK(b2d_pair_manager_has(manager, key), true);
                    if (here && !overlapped[i][j]) {
                        bool listed = false;
                        for (int32_t k = 0; k < w.workers; k++)
                            listed |= has_key(w.lists[k].keys, w.lists[k].count, key);
                        CHECK(listed, true);
                        new_wanted++;
                    }
                    if (!here && overlapped[i][j]) {
                        CHECK(has_key(ended, ended_count, key), true);
                        ended_wanted++;
                    }
                    overlapped[i][j] = here;
                }
            CHECK(manager->count, present);
            CHECK(new_found, new_wanted);
            CHECK(ended_count, ended_wanted);
            most = present > most ? present : most, began += new_wanted, over += ended_wanted;
            consume(&w);
        }
        CHECK(BOUND(most, >, 150) && BOUND(began, >, 2000) && BOUND(over, >, 2000), true);
        world_close(&w);
    }
}

// ---- the traps

// 1. A step that finds no memory takes nothing over: its pairs must be found again.
static void test_pairs_that_were_not_taken_over_are_found_again(void) {
    for (int t = 0; t < LAB; t++) {
        world w;
        world_open(&w, lab[t], 2);
        for (int32_t k = 0; k < 100; k++) create(&w, k, square(0.5f * (float)k, 0), B2D_PROXY_MOVING);
        CHECK(update(&w), true);
        const int32_t first = pairs(&w);
        CHECK(first > 99, true);
        w.worker_memory[0].fail_after = w.worker_memory[1].fail_after = 0;
        for (int k = 0; k < 2; k++) {
            b2d_free(&w.worker_memory[k], w.lists[k].keys, (size_t)w.lists[k].capacity * sizeof(uint64_t));
            w.lists[k].keys = NULL, w.lists[k].capacity = 0;
        }
        CHECK(pairs(&w), -1);
        w.worker_memory[0].fail_after = w.worker_memory[1].fail_after = -1;
        CHECK(update(&w), true);
        CHECK(pairs(&w), first);
        consume(&w);
        CHECK(pairs(&w), 0);
        world_close(&w);
    }
}

// 2. A shape whose old box is empty reports all its pairs, though no end point moved; and so does a new shape that has
// the id of a destroyed one.
static void test_reopened_and_replaced_shapes_report_their_persistent_pairs(void) {
    for (int t = 0; t < LAB; t++) {
        world w;
        world_open(&w, lab[t], 1);
        for (int32_t k = 0; k < 3; k++) create(&w, k, square(0.9f * (float)k, 0), B2D_PROXY_MOVING);
        CHECK(step(&w), 2);
        CHECK(step(&w), 0);
        reopen(&w, 1);
        CHECK(step(&w), 2);
        CHECK(step(&w), 0);
        set_class(&w, 0, B2D_PROXY_NONE); // destroyed and created with the same id and box, without an update
        create(&w, 0, square(0, 0), B2D_PROXY_MOVING);
        CHECK(step(&w), 1);
        CHECK(step(&w), 0);
        world_close(&w);
    }
}

// 3. Updates without a pair stage between them lose and repeat nothing.
static void test_updates_between_pair_stages_change_no_pair(void) {
    for (int t = 0; t < LAB; t++) {
        world w;
        world_open(&w, lab[t], 1);
        create(&w, 0, square(0, 0), B2D_PROXY_MOVING);
        create(&w, 1, square(5, 0), B2D_PROXY_MOVING);
        CHECK(step(&w), 0);
        set_box(&w, 1, square(0.5f, 0));
        for (int k = 0; k < 3; k++) CHECK(update(&w), true);
        set_box(&w, 0, square(0.25f, 0));
        CHECK(update(&w), true);
        CHECK(step(&w), 1);
        CHECK(step(&w), 0);
        world_close(&w);
    }
}

// 4. Columns move when they grow.
static void test_columns_may_move_between_calls(void) {
    for (int t = 0; t < LAB; t++) {
        world w;
        world_open(&w, lab[t], 1);
        for (int32_t k = 0; k < 50; k++) create(&w, k, square(0.9f * (float)k, 0), B2D_PROXY_MOVING);
        CHECK(step(&w), 49);
        float** columns[8] = {&w.p.fat_min_x, &w.p.fat_min_y, &w.p.fat_max_x, &w.p.fat_max_y,
                              &w.p.old_min_x, &w.p.old_min_y, &w.p.old_max_x, &w.p.old_max_y};
        for (int k = 0; k < 8; k++) {
            float* moved = column();
            memcpy(moved, *columns[k], MOST * sizeof(float));
            memset(*columns[k], 0xff, MOST * sizeof(float)); // NaN, for a phase that reads it still
            free(*columns[k]);
            *columns[k] = moved;
        }
        set_box(&w, 0, square(-5, 0));
        CHECK(step(&w), 0);
        set_box(&w, 0, square(0, 0));
        CHECK(step(&w), 1);
        world_close(&w);
    }
}

// 5. Shapes of one body, and two static shapes, are no pair, but the static shape that a mover meets is one.
static void test_shapes_of_one_body_and_static_shapes_are_no_pairs(void) {
    for (int t = 0; t < LAB; t++) {
        world w;
        world_open(&w, lab[t], 1);
        for (int32_t k = 0; k < 4; k++)
            create(&w, k, square(0.1f * (float)k, 0), k < 2 ? B2D_PROXY_MOVING : B2D_PROXY_STATIC);
        w.p.body[1] = w.p.body[0];
        CHECK(step(&w), 4);
        set_class(&w, 1, B2D_PROXY_STATIC);
        w.p.body[1] = 1;
        reopen(&w, 1);
        CHECK(step(&w), 1); // with the mover only
        world_close(&w);
    }
}

// 7. Two boxes that share two cells and of which one leaves a cell still are a pair.
static void test_shape_that_leaves_a_cell_keeps_the_pairs_of_its_other_cells(void) {
    for (int32_t queues = 0; queues < 2; queues++) {
        world w;
        int32_t count = 0;
        world_open(&w, &b2d_broadphase_multi_sap, 1);
        b2d_sap_set_options(w.phase, &(b2d_sap_options){.queues = queues, .cells = 4});
        b2d_pair_manager* manager = b2d_sap_manager(w.phase);
        manager->records_ended = true;
        // Cells of 4 m: the boxes lie across the border at x = 4, then the second only on its right side.
        create(&w, 0, square(3.5f, 0.5f), B2D_PROXY_MOVING);
        create(&w, 1, square(3.75f, 0.5f), B2D_PROXY_MOVING);
        CHECK(step(&w), 1);
        CHECK(b2d_sap_cell_entries(w.phase), 4);
        CHECK(step(&w), 0);
        set_box(&w, 1, square(4.25f, 0.5f));
        CHECK(step(&w), 0);
        CHECK(b2d_sap_cell_entries(w.phase), 3);
        CHECK(manager->count, 1);
        b2d_pair_manager_ended(manager, &count);
        CHECK(count, 0);
        set_box(&w, 1, square(4.75f, 0.5f));
        CHECK(step(&w), 0);
        b2d_pair_manager_ended(manager, &count);
        CHECK(count, 1);
        world_close(&w);
    }
}

// Objects that cross borders in every step, in each kind of grid, give the pairs of the plain sweep-and-prune.
static void test_all_kinds_of_grid_give_the_same_pairs(void) {
    enum { KINDS = 5, COUNT = 400, STEPS = 60 };
    static int32_t found[KINDS][STEPS];
    const uint64_t start = draw_state;
    for (int32_t kind = 0; kind < KINDS; kind++) {
        world w;
        draw_state = start; // the same samples for all
        world_open(&w, kind < KINDS - 1 ? &b2d_broadphase_multi_sap : &b2d_broadphase_sap, kind == 3 ? 2 : 1);
        if (kind < KINDS - 1) b2d_sap_set_options(w.phase, &(b2d_sap_options){.grid = kind % 3, .cells = 2});
        for (int32_t k = 0; k < COUNT; k++) {
            const float y = 30 * draw_float(), x = 300 * draw_float();
            create(&w, k, square(x, y), B2D_PROXY_MOVING);
        }
        for (int32_t s = 0; s < STEPS; s++) {
            for (int32_t k = 0; k < COUNT; k++) {
                b2d_box box = b2d_fat_box(&w.p, k);
                const float dx = 4.0f * draw_float() - 2.0f, dy = 4.0f * draw_float() - 2.0f;
                set_box(&w, k, (b2d_box){box.min_x + dx, box.min_y + dy, box.max_x + dx, box.max_y + dy});
            }
            found[kind][s] = step(&w);
        }
        world_close(&w);
    }
    for (int32_t kind = 1; kind < KINDS; kind++) CHECK(memcmp(found[kind], found[0], sizeof found[0]), 0);
    // 35 of the pairs overlap in the mean, and about as many begin in two steps
    int32_t sum = 0;
    for (int32_t step = 1; step < STEPS; step++) sum += found[0][step];
    CHECK(BOUND(sum, >, 35 * STEPS / 4), true);
}

// In a wrapped grid two boxes that are one turn of the grid apart lie in one cell, and are no pair.
static void test_shapes_one_turn_of_a_wrapped_grid_apart_are_no_pair(void) {
    for (int32_t queues = 0; queues < 2; queues++) {
        world w;
        world_open(&w, &b2d_broadphase_multi_sap, 1);
        b2d_sap_set_options(w.phase, &(b2d_sap_options){.grid = B2D_LAB_GRID_WRAPPED, .cells = 4, .queues = queues});
        create(&w, 0, square(1, 1), B2D_PROXY_MOVING);
        create(&w, 1, square(1.5f + 4.0f * B2D_SAP_GRID_SIDE, 1), B2D_PROXY_MOVING);
        create(&w, 2, square(1, 1.5f - 4.0f * B2D_SAP_GRID_SIDE), B2D_PROXY_MOVING);
        CHECK(step(&w), 0);
        CHECK(b2d_sap_manager(w.phase)->count, 0);
        set_box(&w, 1, square(1.5f, 1));
        CHECK(step(&w), 1);
        set_box(&w, 0, square(1, 1 - 4.0f * B2D_SAP_GRID_SIDE));
        CHECK(step(&w), 1); // with 2, and no longer with 1
        CHECK(b2d_sap_manager(w.phase)->count, 1);
        world_close(&w);
    }
}

static void test_sweep_and_prune_at_rest_swaps_nothing(void) {
    for (int t = 0; t < PERSISTENT; t++) {
        world w;
        world_open(&w, persistent[t], 1);
        for (int32_t k = 0; k < 500; k++) create(&w, k, drawn_square(40), B2D_PROXY_MOVING);
        step(&w);
        const b2d_sap_counters before = b2d_sap_count(w.phase);
        for (int k = 0; k < 10; k++) step(&w);
        const b2d_sap_counters after = b2d_sap_count(w.phase);
        CHECK(memcmp(&before, &after, sizeof before), 0);
        world_close(&w);
    }
}

static void test_infinite_coordinates_lie_between_the_sentinels(void) {
    for (int t = 0; t < LAB; t++) {
        world w;
        world_open(&w, lab[t], 1);
        create(&w, 0, square(0, 0), B2D_PROXY_MOVING);
        create(&w, 1, (b2d_box){-INFINITY, -INFINITY, INFINITY, INFINITY}, B2D_PROXY_MOVING);
        create(&w, 2, square(3.0e38f, 3.0e38f), B2D_PROXY_MOVING);
        CHECK(step(&w), 2);
        set_box(&w, 1, square(9, 9));
        CHECK(step(&w), 0);
        world_close(&w);
    }
}

// Every allocation of the updates and the pair stages fails in turn; afterwards the pairs are those of a calm world.
static void test_no_memory_loses_no_pair(void) {
    const uint64_t start = draw_state;
    for (int t = 0; t < LAB; t++)
        for (int32_t after = 0; after < 40; after++) {
            world w;
            draw_state = start; // the same samples for all
            world_open(&w, lab[t], 2);
            for (int32_t k = 0; k < 60; k++) create(&w, k, drawn_square(10), B2D_PROXY_MOVING);
            const int32_t wanted = step(&w);
            for (int32_t k = 0; k < 60; k += 2) set_class(&w, k, B2D_PROXY_NONE);
            for (int32_t k = 0; k < 200; k++)
                if (w.p.proxy_class[k] == B2D_PROXY_NONE) create(&w, k, drawn_square(10), B2D_PROXY_MOVING);
            w.memory.fail_after = after;
            const bool done = w.table->update(&w.memory, w.phase, w.scheduler);
            if (done) pairs(&w);
            w.memory.fail_after = -1;
            CHECK(update(&w), true);
            int32_t expected = 0;
            for (int32_t i = 0; i < 200; i++)
                for (int32_t j = i + 1; j < 200; j++)
                    expected += b2d_box_overlaps(b2d_fat_box(&w.p, i), b2d_fat_box(&w.p, j)) &&
                                !b2d_box_overlaps(b2d_old_box(&w.p, i), b2d_old_box(&w.p, j));
            CHECK(pairs(&w), expected);
            CHECK(BOUND(wanted, >, 20) && BOUND(expected, >, 200), true);
            world_close(&w);
        }
}

int main(void) {
    RUN(test_pair_manager_is_a_set);
    RUN(test_lower_and_upper_ends_that_pass_start_and_end_overlaps);
    RUN(test_two_boxes_that_change_places_give_what_their_last_boxes_say);
    RUN(test_batch_of_the_paper_is_merged_in_one_pass);
    RUN(test_batches_and_single_insertions_find_the_same_pairs);
    RUN(test_overlaps_on_one_axis_are_filtered_before_the_manager_is_searched);
    RUN(test_ended_pairs_are_reported_once_and_only_when_they_end);
    RUN(test_pairs_that_end_while_the_cells_change_their_size_are_reported);
    RUN(test_new_and_ended_pairs_are_the_differences_of_brute_force);
    RUN(test_pairs_that_were_not_taken_over_are_found_again);
    RUN(test_reopened_and_replaced_shapes_report_their_persistent_pairs);
    RUN(test_updates_between_pair_stages_change_no_pair);
    RUN(test_columns_may_move_between_calls);
    RUN(test_shapes_of_one_body_and_static_shapes_are_no_pairs);
    RUN(test_shape_that_leaves_a_cell_keeps_the_pairs_of_its_other_cells);
    RUN(test_all_kinds_of_grid_give_the_same_pairs);
    RUN(test_shapes_one_turn_of_a_wrapped_grid_apart_are_no_pair);
    RUN(test_sweep_and_prune_at_rest_swaps_nothing);
    RUN(test_infinite_coordinates_lie_between_the_sentinels);
    RUN(test_no_memory_loses_no_pair);
    print_bounds();
    if (failures > 0) fprintf(stderr, "%d failures\n", failures);
    else printf("all tests of the lab's broad phases pass\n");
    return failures > 0;
}
