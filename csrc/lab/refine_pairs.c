// csrc/lab/refine_pairs.c - finds the overlapping leaves of the refined tree in three ways.
#include "base/timer.h"
#include "lab/refine_data.h"

#include <string.h>
#if defined(__SSE2__)
#include <emmintrin.h>
#endif

static void report(const b2d_refine_tree* tree, b2d_key_list* list, int32_t a, int32_t b) {
    const b2d_proxies* p = tree->proxies;
    const int32_t i = tree->shape_of[a], j = tree->shape_of[b];
    if (!b2d_box_overlaps(b2d_old_box(p, i), b2d_old_box(p, j)) && b2d_proxies_may_pair(p, i, j))
        b2d_key_list_push(list, b2d_pair_key(i, j));
}

static void found(const b2d_refine_tree* tree, b2d_refine_tally* t, int32_t a, int32_t b) {
    if (t->list != NULL) {
        report(tree, t->list, a, b);
        return;
    }
    const uint64_t low = (uint64_t)(uint32_t)b2d_min_int(a, b), high = (uint64_t)(uint32_t)b2d_max_int(a, b);
    uint64_t key = (low << 32 | high) * 0x9e3779b97f4a7c15ull;
    key ^= key >> 29;
    t->hash += key * 0xbf58476d1ce4e5b9ull;
    t->pairs++;
}

static bool overlaps(const b2d_refine_node* a, int32_t i, const b2d_refine_node* b, int32_t j) {
    return a->min_x[i] <= b->max_x[j] && b->min_x[j] <= a->max_x[i] && a->min_y[i] <= b->max_y[j] &&
           b->min_y[j] <= a->max_y[i];
}

#if defined(__SSE2__)
static __m128 load_two(const float* p) { return _mm_castsi128_ps(_mm_loadl_epi64((const __m128i*)(const void*)p)); }
static __m128 each_twice(const float* p) { // p0 p0 p1 p1
    const __m128 two = load_two(p);
    return _mm_unpacklo_ps(two, two);
}
static __m128 both_twice(const float* p) { // p0 p1 p0 p1
    const __m128 two = load_two(p);
    return _mm_movelh_ps(two, two);
}
static uint32_t overlaps_four(const b2d_refine_node* a, const b2d_refine_node* b) {
    const __m128 x = _mm_and_ps(_mm_cmple_ps(each_twice(a->min_x), both_twice(b->max_x)),
                                _mm_cmple_ps(both_twice(b->min_x), each_twice(a->max_x)));
    const __m128 y = _mm_and_ps(_mm_cmple_ps(each_twice(a->min_y), both_twice(b->max_y)),
                                _mm_cmple_ps(both_twice(b->min_y), each_twice(a->max_y)));
    return (uint32_t)_mm_movemask_ps(_mm_and_ps(x, y));
}
#endif

// Bit 2 i + j: child i of a overlaps child j of b.
static inline uint32_t overlapping_children(const b2d_refine_tree* tree, const b2d_refine_node* a,
                                            const b2d_refine_node* b) {
#if defined(__SSE2__)
    if (tree->options.simd) return overlaps_four(a, b);
#else
    (void)tree;
#endif
    return (uint32_t)overlaps(a, 0, b, 0) | (uint32_t)overlaps(a, 0, b, 1) << 1 | (uint32_t)overlaps(a, 1, b, 0) << 2 |
           (uint32_t)overlaps(a, 1, b, 1) << 3;
}

static void leaf_with_node(const b2d_refine_tree* tree, b2d_refine_tally* t, int32_t leaf, bool changed, int32_t n,
                           bool all) {
    const b2d_box box = tree->boxes[leaf];
    const b2d_refine_node* node = &tree->nodes[n];
    for (int32_t k = 0; k < 2; k++) {
        t->tests++;
        if ((!all && !changed && (node->changed >> k & 1) == 0) || !b2d_box_overlaps(box, b2d_refine_side_box(node, k)))
            continue;
        if (node->child[k] < 0) found(tree, t, leaf, -1 - node->child[k]);
        else leaf_with_node(tree, t, leaf, changed, node->child[k], all);
    }
}

// `all`: otherwise only pairs with a changed leaf.
static void node_with_node(const b2d_refine_tree* tree, b2d_refine_tally* t, int32_t a, int32_t b, bool all) {
    const b2d_refine_node *first = &tree->nodes[a], *second = &tree->nodes[b];
    t->tests += 4;
    for (uint32_t hits = overlapping_children(tree, first, second); hits != 0; hits &= hits - 1) {
        const int32_t bit = b2d_ctz64(hits), i = bit >> 1, j = bit & 1;
        const bool changed_i = (first->changed >> i & 1) != 0, changed_j = (second->changed >> j & 1) != 0;
        if (!all && !changed_i && !changed_j) continue;
        const int32_t c = first->child[i], d = second->child[j];
        if (c >= 0 && d >= 0) node_with_node(tree, t, c, d, all);
        else if (c >= 0) leaf_with_node(tree, t, -1 - d, changed_j, c, all);
        else if (d >= 0) leaf_with_node(tree, t, -1 - c, changed_i, d, all);
        else found(tree, t, -1 - c, -1 - d);
    }
}

static void children_with_each_other(const b2d_refine_tree* tree, b2d_refine_tally* t, int32_t n, bool all) {
    const b2d_refine_node* node = &tree->nodes[n];
    t->tests++;
    if ((!all && node->changed == 0) || !overlaps(node, 0, node, 1)) return;
    const int32_t c = node->child[0], d = node->child[1];
    if (c >= 0 && d >= 0) node_with_node(tree, t, c, d, all);
    else if (c >= 0) leaf_with_node(tree, t, -1 - d, (node->changed & 2) != 0, c, all);
    else if (d >= 0) leaf_with_node(tree, t, -1 - c, (node->changed & 1) != 0, d, all);
    else found(tree, t, -1 - c, -1 - d);
}

static void self_test(const b2d_refine_tree* tree, b2d_refine_tally* t, int32_t n, bool all) {
    const b2d_refine_node* node = &tree->nodes[n];
    if (!all && node->changed == 0) return;
    for (int32_t k = 0; k < 2; k++)
        if (node->child[k] >= 0) self_test(tree, t, node->child[k], all);
    children_with_each_other(tree, t, n, all);
}

// A subtree's self test, or two siblings against each other.
static void pairs_stage(void* context, int32_t begin, int32_t end, int32_t worker) {
    b2d_refine_tree* tree = context;
    b2d_refine_tally* t = &tree->tallies[worker];
    const double start = b2d_milliseconds();
    const bool all = tree->options.pairs == B2D_REFINE_PAIRS_SELF;
    for (int32_t k = begin; k < end; k++) {
        if (tree->jobs[k].b == B2D_NONE) children_with_each_other(tree, t, tree->jobs[k].a, all);
        else self_test(tree, t, tree->jobs[k].a, all);
    }
    t->ms += b2d_milliseconds() - start;
}

static void query_stage(void* context, int32_t begin, int32_t end, int32_t worker) {
    b2d_refine_tree* tree = context;
    b2d_refine_tally* t = &tree->tallies[worker];
    const double start = b2d_milliseconds();
    for (int32_t k = begin; k < end; k++) {
        const int32_t leaf = tree->ids[k];
        const b2d_box box = tree->boxes[leaf];
        int32_t stack[B2D_REFINE_LEVELS], size = 0;
        stack[size++] = 0;
        while (size > 0) {
            const b2d_refine_node* node = &tree->nodes[stack[--size]];
            for (int32_t side = 0; side < 2; side++) {
                t->tests++;
                if (!b2d_box_overlaps(box, b2d_refine_side_box(node, side))) continue;
                const int32_t child = node->child[side], other = -1 - child;
                if (child >= 0) stack[size++] = child;
                else if (other != leaf && (other > leaf || !tree->moved[other])) found(tree, t, leaf, other);
            }
        }
    }
    t->ms += b2d_milliseconds() - start;
}

// A node of the top of the tree becomes a job, its two children against each other, and so does each subtree of at most
// `most` leaves.
static void list_pair_jobs(b2d_refine_tree* tree, int32_t n, int32_t most, int32_t depth) {
    const b2d_refine_node* node = &tree->nodes[n];
    const bool whole = b2d_refine_node_leaves(node) <= most || depth == B2D_REFINE_JOB_LEVELS;
    tree->jobs[tree->job_count++] = (b2d_refine_job){.a = n, .b = whole ? 0 : B2D_NONE};
    for (int32_t k = 0; k < 2 && !whole; k++)
        if (node->child[k] >= 0) list_pair_jobs(tree, node->child[k], most, depth + 1);
}

static void search_from_jobs(b2d_refine_tree* tree) {
    tree->job_count = 0;
    list_pair_jobs(tree, 0, b2d_max_int(tree->count / 64, 64), 0);
    b2d_parallel_for(tree->scheduler, pairs_stage, tree, tree->job_count, 1);
}

void b2d_refine_find_pairs(b2d_refine_tree* tree, b2d_refine_frame* out) {
    const int32_t workers = b2d_scheduler_workers(tree->scheduler);
    memset(tree->tallies, 0, sizeof tree->tallies);
    if (tree->options.pairs == B2D_REFINE_PAIRS_QUERY) {
        b2d_parallel_for(tree->scheduler, query_stage, tree, tree->id_count, 256);
    } else {
        search_from_jobs(tree);
    }
    double most = 0.0, sum = 0.0;
    for (int32_t w = 0; w < workers; w++) {
        const b2d_refine_tally* t = &tree->tallies[w];
        out->pairs += t->pairs;
        out->pair_hash += t->hash;
        out->tests += t->tests;
        if (t->ms > most) most = t->ms;
        sum += t->ms;
    }
    out->balance = sum > 0.0 ? most * workers / sum : 1.0;
}

void b2d_refine_find_new_pairs(b2d_refine_tree* tree, b2d_key_list* lists) {
    memset(tree->tallies, 0, sizeof tree->tallies);
    for (int32_t w = 0; w < b2d_scheduler_workers(tree->scheduler); w++) tree->tallies[w].list = &lists[w];
    search_from_jobs(tree);
}
