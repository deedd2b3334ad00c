// tests/c/test_visits.c - how many nodes of a tree a ray visits: the tests of boxes are counted.
//
// A cast along a diagonal must follow the line. A search for all that overlaps the box of the cast would visit the
// whole area between its ends.
#include "broadphase/proxies.h"

#include "test.h"

static int64_t tested;
static bool counted_overlaps(b2d_box a, b2d_box b) { return tested++, b2d_box_overlaps(a, b); }
static double counted_enter(const b2d_ray* ray, b2d_box box, double most) {
    return tested++, b2d_ray_enter(ray, box, most);
}
static bool counted_meets(const b2d_box* box, b2d_corners wanted) { return tested++, b2d_box_meets(box, wanted); }
#define b2d_box_overlaps counted_overlaps
#define b2d_box_meets    counted_meets
#define b2d_ray_enter    counted_enter
#include "broadphase/tree.c"

static int32_t hits;
static bool count_hit(void* context, int32_t shape) { return (void)context, (void)shape, hits++, true; }

static bool passes;

static void test_a_cast_visits_few_nodes(void) {
    enum { COUNT = 20000, CASTS = 200 };
    const float side = 400.0f;
    b2d_memory memory = {.fail_after = -1};
    b2d_tree tree;
    b2d_tree_init(&tree);
    if (!b2d_tree_reserve(&memory, &tree, COUNT, COUNT)) return;
    for (int32_t i = 0; i < COUNT; i++) {
        const float x = side * draw_float(), y = side * draw_float();
        b2d_tree_insert(&tree, i, (b2d_box){x, y, x + 0.5f, y + 0.5f});
    }
    int64_t ray_tests = 0, box_tests = 0;
    for (int32_t k = 0; k < CASTS; k++) {
        const bool falls = k % 2 == 0;
        const float x = 40.0f * draw_float(), y = 40.0f * draw_float(), length = side - 80.0f, whole = 1.0f;
        const b2d_box box = {x, y, x + length, y + length};
        const b2d_ray ray = b2d_ray_make(x, falls ? y + length : y, length, falls ? -length : length, 0.25f);
        tested = 0;
        b2d_tree_ray(&tree, &ray, &whole, count_hit, NULL);
        ray_tests += tested;
        tested = 0;
        b2d_tree_walk walk;
        b2d_tree_walk_start(&tree, &walk, box);
        while (b2d_tree_walk_next(&tree, &walk, box) != B2D_NONE) continue;
        box_tests += tested;
    }
    b2d_tree_free(&memory, &tree);
    const double ratio = (double)box_tests / (double)ray_tests;
    printf("tests of boxes: %.0f a cast, %.0f a query of its box, %.1f times as many; %d hits\n",
           (double)ray_tests / CASTS, (double)box_tests / CASTS, ratio, hits);
    passes = BOUND(ratio, >=, 5.0) && BOUND(hits, >, CASTS) && memory.bytes == 0;
}

int main(void) {
    RUN(test_a_cast_visits_few_nodes);
    print_bounds();
    return passes ? 0 : 1;
}
