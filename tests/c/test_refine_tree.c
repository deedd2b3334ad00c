// tests/c/test_refine_tree.c - the refined tree: every builder, policy, layout and pair finder, against brute force.
//
// Random moving boxes; after each frame the tree is valid, its pairs are those of brute force, and its nodes are the
// same bits for any number of workers. Counters bound the refinement. Hand trees have the cost that a pencil finds.
#include "base/cpu.h"
#include "lab/box_run.h"
#include "lab/refine_tree.h"

#include "test.h"

#include <string.h>

static int failures;
#define CHECK(actual, expected)                                                                                 \
    do {                                                                                                        \
        long long check_a = (long long)(actual), check_b = (long long)(expected);                               \
        if (check_a != check_b) {                                                                               \
            fprintf(stderr, "%s:%d: %s is %lld, %s is %lld\n", __FILE__, __LINE__, #actual, check_a, #expected, \
                    check_b);                                                                                   \
            if (++failures > 20) exit(1);                                                                       \
        }                                                                                                       \
    } while (0)

enum { MOST = 2000 };
static float boxes[4 * MOST], speed[2 * MOST];
static int32_t ids[MOST];

static void make_scene(int32_t count, float side, float fastest) {
    for (int32_t k = 0; k < count; k++) {
        const float x = side * draw_float(), y = side * draw_float(), u = draw_float(),
                    size = 1.0f + 4.0f * u * draw_float();
        boxes[4 * k] = x, boxes[4 * k + 1] = y, boxes[4 * k + 2] = x + size, boxes[4 * k + 3] = y + size;
        speed[2 * k] = fastest * (2.0f * draw_float() - 1.0f),
                  speed[2 * k + 1] = fastest * (2.0f * draw_float() - 1.0f);
    }
}

// Moves the leaves that `share` chooses; returns how many there are, in ids.
static int32_t move(int32_t count, float share) {
    int32_t moved = 0;
    for (int32_t k = 0; k < count; k++) {
        if (draw_float() >= share) continue;
        ids[moved++] = k;
        for (int32_t c = 0; c < 4; c++) boxes[4 * k + c] += speed[2 * k + (c & 1)];
    }
    return moved;
}

static bool overlap(int32_t a, int32_t b) {
    const float *p = &boxes[4 * a], *q = &boxes[4 * b];
    return p[0] <= q[2] && q[0] <= p[2] && p[1] <= q[3] && q[1] <= p[3];
}

static int64_t brute(int32_t count, int32_t moved, bool all, uint64_t* hash) {
    static bool in[MOST];
    int64_t pairs = 0;
    *hash = 0;
    memset(in, 0, sizeof in);
    for (int32_t k = 0; k < moved; k++) in[ids[k]] = true;
    for (int32_t a = 0; a < count; a++)
        for (int32_t b = a + 1; b < count; b++) {
            if (!(all || in[a] || in[b]) || !overlap(a, b)) continue;
            uint64_t key = ((uint64_t)(uint32_t)a << 32 | (uint32_t)b) * 0x9e3779b97f4a7c15ull;
            key ^= key >> 29;
            *hash += key * 0xbf58476d1ce4e5b9ull;
            pairs++;
        }
    return pairs;
}

static b2d_refine_tree* open_tree(b2d_refine_options options) {
    b2d_refine_tree* tree;
    if (options.workers == 0) options.workers = 1;
    CHECK(b2d_refine_tree_create(&options, &tree), B2D_OK);
    return tree;
}

static void check_valid(const b2d_refine_tree* tree) {
    const char* broken = b2d_refine_tree_validate(tree);
    if (broken == NULL) return;
    fprintf(stderr, "%s\n", broken);
    exit(1);
}

static void test_all_options_find_the_pairs_of_brute_force(void) {
    enum { COUNT = 400, FRAMES = 40 };
    int32_t runs = 0;
    for (int32_t build = 0; build <= B2D_REFINE_TREELETS; build++)
        for (int32_t policy = 0; policy <= B2D_REFINE_POLICY_NONE; policy++)
            for (int32_t layout = 0; layout <= B2D_REFINE_LAYOUT_NONE; layout++, runs++) {
                const int32_t refiners[4] = {B2D_REFINE_BINNED, B2D_REFINE_SWEEP, B2D_REFINE_AGGLOMERATIVE,
                                             B2D_REFINE_TREELETS};
                b2d_refine_tree* tree = open_tree((b2d_refine_options){.build = build,
                                                                       .policy = policy,
                                                                       .refiner = refiners[runs % 4],
                                                                       .growth = runs / 4 % 2,
                                                                       .layout = layout,
                                                                       .pairs = runs % 3,
                                                                       .metric = runs % 2,
                                                                       .simd = runs / 2 % 2,
                                                                       .root = 1,
                                                                       .workers = 1 + runs % 3});
                make_scene(COUNT, 80.0f, 0.6f);
                CHECK(b2d_refine_tree_load(tree, boxes, COUNT), B2D_OK);
                check_valid(tree);
                for (int32_t f = 0; f < FRAMES; f++) {
                    static const float shares[] = {1.0f, 0.3f, 0.02f, 0.0f};
                    const int32_t moved = move(COUNT, shares[f % 4]);
                    b2d_refine_frame out;
                    CHECK(b2d_refine_tree_frame(tree, boxes, ids, moved, &out), B2D_OK);
                    check_valid(tree);
                    uint64_t hash;
                    CHECK(out.pairs, brute(COUNT, moved, runs % 3 == B2D_REFINE_PAIRS_SELF, &hash));
                    CHECK(out.pair_hash == hash, true);
                    if (policy == B2D_REFINE_POLICY_REFINE)
                        CHECK(BOUND(out.refined_leaves, <=, out.refine_bound), true);
                    if (policy != B2D_REFINE_POLICY_REBUILD)
                        CHECK(BOUND(fabs(out.carried_cost - out.cost), <, 1e-9 * out.cost), true);
                }
                b2d_refine_tree_destroy(tree);
            }
    printf("test_all_options_find_the_pairs_of_brute_force: %d runs\n", runs);
}

static void test_batches_of_every_size_find_the_pairs_of_brute_force(void) {
    for (int32_t count = 2; count <= 70; count++)
        for (int32_t build = 0; build <= B2D_REFINE_TREELETS; build++) {
            b2d_refine_tree* tree = open_tree(
                (b2d_refine_options){.build = build, .simd = 1, .root = 1, .workers = 1 + count % 3});
            make_scene(count, count % 2 == 0 ? 6.0f : 60.0f, 0.6f);
            CHECK(b2d_refine_tree_load(tree, boxes, count), B2D_OK);
            for (int32_t f = 0; f < 4; f++) {
                b2d_refine_frame out;
                uint64_t hash;
                CHECK(b2d_refine_tree_frame(tree, boxes, ids, move(count, 0.5f), &out), B2D_OK);
                CHECK(out.pairs, brute(count, 0, true, &hash));
                CHECK(out.pair_hash == hash, true);
            }
            b2d_refine_tree_destroy(tree);
        }
}

// Boxes on a coarse grid, so that many of them only touch.
static void test_squares_of_boxes_agree_in_every_instruction_set(void) {
    enum { SIDE = 8, ROWS = 3 * SIDE };
    float columns[4][ROWS];
    int64_t touching = 0;
    for (int32_t round = 0; round < 400; round++) {
        for (int32_t k = 0; k < ROWS; k++)
            for (int32_t c = 0; c < 2; c++) {
                columns[c][k] = (float)(int32_t)(8.0f * draw_float());
                columns[2 + c][k] = columns[c][k] + (float)(int32_t)(3.0f * draw_float());
            }
        const b2d_box_columns all = {columns[0], columns[1], columns[2], columns[3]};
        for (int32_t a_count = 1; a_count <= SIDE; a_count++)
            for (int32_t b = 0; b <= SIDE; b += SIDE) {
                const int32_t b_count = b == 0 ? a_count : 1 + (a_count + round) % SIDE;
                uint64_t wanted = 0;
                for (int32_t i = 0; i < a_count; i++)
                    for (int32_t j = b == 0 ? i + 1 : 0; j < b_count; j++)
                        wanted |= (uint64_t)(columns[0][i] <= columns[2][b + j] && columns[0][b + j] <= columns[2][i] &&
                                             columns[1][i] <= columns[3][b + j] && columns[1][b + j] <= columns[3][i])
                                  << (SIDE * i + j);
                touching += wanted != 0;
                for (int32_t set = 0; set < B2D_SIMD_COUNT; set++)
                    if (b2d_cpu_has(set))
                        CHECK(b2d_run_kernels_of(set)->square(&all, 0, a_count, b, b_count) == wanted, true);
            }
    }
    CHECK(BOUND((double)touching, >, 1000.0), true);
}

static void test_nodes_do_not_depend_on_the_number_of_workers(void) {
    const uint64_t start = draw_state;
    for (int32_t layout = 0; layout <= B2D_REFINE_LAYOUT_NONE; layout++) {
        uint64_t wanted[60];
        for (int32_t workers = 1; workers <= 4; workers++) {
            b2d_refine_tree* tree = open_tree(
                (b2d_refine_options){.refiner = layout % 2 == 0 ? B2D_REFINE_BINNED : B2D_REFINE_TREELETS,
                                     .layout = layout,
                                     .root = 1,
                                     .growth = layout / 2,
                                     .simd = 1,
                                     .workers = workers});
            draw_state = start;
            make_scene(MOST, 150.0f, 1.0f);
            b2d_refine_tree_load(tree, boxes, MOST);
            for (int32_t f = 0; f < 60; f++) {
                const int32_t moved = move(MOST, f % 5 == 0 ? 0.03f : 1.0f);
                b2d_refine_frame out;
                b2d_refine_tree_frame(tree, boxes, ids, moved, &out);
                if (workers == 1) wanted[f] = b2d_refine_tree_hash(tree);
                CHECK(b2d_refine_tree_hash(tree) == wanted[f], true);
            }
            b2d_refine_tree_destroy(tree);
        }
    }
}

static void test_a_tree_of_objects_finds_the_pairs_of_brute_force(void) {
    for (int32_t count = 2; count <= 402; count += 50) {
        b2d_object_tree* tree;
        make_scene(count, 60.0f, 0.6f);
        CHECK(b2d_object_tree_create(boxes, count, &tree), B2D_OK);
        for (int32_t f = 0; f < 30; f++) {
            double ms[2];
            int64_t pairs;
            uint64_t hash, wanted;
            move(count, 1.0f);
            b2d_object_tree_frame(tree, boxes, ms, &pairs, &hash);
            CHECK(pairs, brute(count, 0, true, &wanted));
            CHECK(hash == wanted, true);
        }
        b2d_object_tree_destroy(tree);
    }
}

static double root_metric(const b2d_refine_tree* tree) {
    const b2d_refine_node* root = b2d_refine_tree_nodes(tree);
    const double width = (double)b2d_max(root->max_x[0], root->max_x[1]) - b2d_min(root->min_x[0], root->min_x[1]);
    const double height = (double)b2d_max(root->max_y[0], root->max_y[1]) - b2d_min(root->min_y[0], root->min_y[1]);
    return width + height;
}

static void test_partial_and_full_refit_give_the_same_boxes(void) {
    // The layout COPY always refits all nodes, NONE only the few that changed; without refinement the trees are equal.
    b2d_refine_tree* trees[2];
    for (int32_t k = 0; k < 2; k++)
        trees[k] = open_tree((b2d_refine_options){.build = B2D_REFINE_SWEEP,
                                                  .policy = B2D_REFINE_POLICY_NONE,
                                                  .layout = k == 0 ? B2D_REFINE_LAYOUT_COPY : B2D_REFINE_LAYOUT_NONE});
    make_scene(MOST, 150.0f, 1.0f);
    for (int32_t k = 0; k < 2; k++) b2d_refine_tree_load(trees[k], boxes, MOST);
    double largest = 0.0;
    for (int32_t f = 0; f < 30; f++) {
        const int32_t moved = move(MOST, 0.03f);
        b2d_refine_frame out[2];
        for (int32_t k = 0; k < 2; k++) {
            const double cost = b2d_refine_tree_cost(trees[k]), root = root_metric(trees[k]);
            b2d_refine_tree_frame(trees[k], boxes, ids, moved, &out[k]);
            const double change = (out[k].cost * root_metric(trees[k]) - cost * root) / root;
            CHECK(BOUND(fabs(out[k].cost_change - change), <, 1e-4), true);
            largest = fmax(largest, fabs(change));
        }
        CHECK(b2d_refine_tree_hash(trees[0]) == b2d_refine_tree_hash(trees[1]), true);
    }
    CHECK(BOUND(largest, >, 1e-3), true);
    for (int32_t k = 0; k < 2; k++) b2d_refine_tree_destroy(trees[k]);
}

static void test_hand_tree_has_the_cost_of_a_pencil(void) {
    static const float four[16] = {0, 0, 1, 1, 2, 0, 3, 1, 10, 0, 11, 1, 12, 0, 13, 1};
    b2d_refine_tree* tree = open_tree((b2d_refine_options){.build = B2D_REFINE_SWEEP});
    b2d_refine_tree_load(tree, four, 4);
    // Leaves 4 times 2, two pairs of 3 + 1, root 13 + 1
    CHECK(b2d_refine_tree_cost(tree) * 14.0 == 16.0, true);
    b2d_refine_tree_destroy(tree);
    tree = open_tree((b2d_refine_options){.build = B2D_REFINE_SWEEP, .metric = B2D_REFINE_METRIC_AREA});
    b2d_refine_tree_load(tree, four, 4);
    CHECK(b2d_refine_tree_cost(tree) * 13.0 == 10.0, true);
    b2d_refine_tree_destroy(tree);
}

static void test_refinement_reaches_every_leaf_and_stops_when_nothing_changes(void) {
    b2d_refine_tree* tree = open_tree((b2d_refine_options){
        .build = B2D_REFINE_INSERT, .refiner = B2D_REFINE_BINNED, .layout = B2D_REFINE_LAYOUT_NONE, .root = 1});
    make_scene(MOST, 150.0f, 0.0f);
    b2d_refine_tree_load(tree, boxes, MOST);
    const double before = b2d_refine_tree_cost(tree);
    int64_t refined = 0, last = 0;
    for (int32_t f = 0; f < 300; f++) {
        b2d_refine_frame out;
        b2d_refine_tree_frame(tree, boxes, ids, 0, &out);
        if (f < 40) refined += out.refined_leaves;
        last = out.refined_leaves;
    }
    CHECK(BOUND(refined, >, 2 * MOST * 9 / 10), true); // twice within 40 frames
    CHECK(last, 0);
    b2d_refine_tree* best = open_tree((b2d_refine_options){.build = B2D_REFINE_SWEEP});
    b2d_refine_tree_load(best, boxes, MOST);
    CHECK(BOUND(b2d_refine_tree_cost(tree), <, before), true);
    CHECK(BOUND(b2d_refine_tree_cost(tree), <, 1.25 * b2d_refine_tree_cost(best)), true);
    b2d_refine_tree_destroy(tree);
    b2d_refine_tree_destroy(best);
}

// While all leaves move, each is a piece of some refinement at least once in 40 frames, twice the time in which a
// twentieth of the leaves a frame covers all.
static void test_every_leaf_is_refined_again_within_40_frames(void) {
    b2d_refine_tree* tree = open_tree((b2d_refine_options){
        .build = B2D_REFINE_INSERT, .refiner = B2D_REFINE_BINNED, .layout = B2D_REFINE_LAYOUT_COPY, .root = 1});
    make_scene(MOST, 150.0f, 0.3f);
    b2d_refine_tree_load(tree, boxes, MOST);
    for (int32_t f = 0; f < 200; f++) {
        b2d_refine_frame out;
        if (f % 50 == 0) // back, so that the leaves stay together
            for (int32_t k = 0; k < 2 * MOST; k++) speed[k] = -speed[k];
        b2d_refine_tree_frame(tree, boxes, ids, move(MOST, 1.0f), &out);
        for (int32_t k = 0; k < MOST && f >= 40; k++)
            CHECK(BOUND(f - b2d_refine_tree_refined_in(tree, k), <, 40), true);
    }
    b2d_refine_tree_destroy(tree);
}

static void test_layouts_approach_depth_first_order(void) {
    const uint64_t start = draw_state;
    double quality[4];
    for (int32_t layout = 0; layout <= B2D_REFINE_LAYOUT_NONE; layout++) {
        b2d_refine_tree* tree = open_tree((b2d_refine_options){
            .build = B2D_REFINE_INSERT, .refiner = B2D_REFINE_BINNED, .layout = layout, .root = 1});
        draw_state = start;
        make_scene(MOST, 150.0f, 0.2f);
        b2d_refine_tree_load(tree, boxes, MOST);
        b2d_refine_frame out;
        for (int32_t f = 0; f < 100; f++) b2d_refine_tree_frame(tree, boxes, ids, move(MOST, 1.0f), &out);
        quality[layout] = out.cache_quality;
        b2d_refine_tree_destroy(tree);
    }
    CHECK(BOUND(quality[B2D_REFINE_LAYOUT_COPY], >, quality[B2D_REFINE_LAYOUT_NONE]), true);
    CHECK(BOUND(quality[B2D_REFINE_LAYOUT_INCREMENTAL], >, quality[B2D_REFINE_LAYOUT_NONE]), true);
    CHECK(BOUND(quality[B2D_REFINE_LAYOUT_PARTS], >, quality[B2D_REFINE_LAYOUT_NONE]), true);
}

static void test_equal_boxes_and_growing_chains_stay_shallow_enough(void) {
    for (int32_t kind = 0; kind < 2; kind++)
        for (int32_t build = B2D_REFINE_MEDIAN; build <= B2D_REFINE_TREELETS; build++) {
            for (int32_t k = 0; k < 900; k++) {
                const float x = kind == 0 ? 1.0f : ldexpf(1.0f, k % 240 - 120);
                boxes[4 * k] = x, boxes[4 * k + 1] = 0, boxes[4 * k + 2] = 1.5f * x, boxes[4 * k + 3] = 1;
            }
            b2d_refine_tree* tree = open_tree((b2d_refine_options){
                .build = build, .refiner = B2D_REFINE_SWEEP, .pairs = B2D_REFINE_PAIRS_QUERY, .root = 1});
            b2d_refine_tree_load(tree, boxes, 900);
            for (int32_t k = 0; k < 900; k++) ids[k] = k;
            for (int32_t f = 0; f < 5; f++) {
                b2d_refine_frame out;
                uint64_t hash;
                b2d_refine_tree_frame(tree, boxes, ids, 900, &out);
                check_valid(tree);
                CHECK(out.pairs, brute(900, 900, true, &hash));
            }
            b2d_refine_tree_destroy(tree);
        }
}

int main(void) {
    RUN(test_hand_tree_has_the_cost_of_a_pencil);
    RUN(test_all_options_find_the_pairs_of_brute_force);
    RUN(test_batches_of_every_size_find_the_pairs_of_brute_force);
    RUN(test_squares_of_boxes_agree_in_every_instruction_set);
    RUN(test_nodes_do_not_depend_on_the_number_of_workers);
    RUN(test_a_tree_of_objects_finds_the_pairs_of_brute_force);
    RUN(test_partial_and_full_refit_give_the_same_boxes);
    RUN(test_refinement_reaches_every_leaf_and_stops_when_nothing_changes);
    RUN(test_every_leaf_is_refined_again_within_40_frames);
    RUN(test_layouts_approach_depth_first_order);
    RUN(test_equal_boxes_and_growing_chains_stay_shallow_enough);
    print_bounds();
    if (failures > 0) fprintf(stderr, "%d failures\n", failures);
    else printf("all tests of the refined tree pass\n");
    return failures > 0;
}
