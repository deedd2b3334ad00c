// csrc/lab/refine_pairs.c - finds the overlapping leaves of the refined tree in three ways.
#include "base/cpu.h"
#include "base/timer.h"
#include "lab/refine_data.h"

#include <string.h>
#if defined(__SSE2__)
#include <emmintrin.h>
#endif

static void report(const b2d_refine_tree* tree, b2d_key_list* list, int32_t a, int32_t b) {
    const b2d_proxies* p = tree->proxies;
    const int32_t i = tree->shape_of[a], j = tree->shape_of[b];
    if (!b2d_box_overlaps(b2d_old_box(p, i), b2d_old_box(p, j)) && b2d_proxies_may_pair(p, i, j) &&
        (b2d_bits_has(&p->moved, i) || b2d_bits_has(&p->moved, j)))
        b2d_key_list_push(list, b2d_pair_key(i, j));
}

static void found(const b2d_refine_tree* tree, b2d_refine_tally* t, int32_t a, int32_t b) {
    if (t->list != NULL) {
        report(tree, t->list, a, b);
        return;
    }
    t->hash += b2d_refine_pair_hash(a, b);
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

// ---- the self test with batches: subtrees of a few leaves are compared as a square of boxes, not node by node

typedef struct batches {
    const b2d_refine_tree* tree;
    b2d_refine_tally* tally;
    uint64_t (*square)(const b2d_box_columns* boxes, int32_t a, int32_t a_count, int32_t b, int32_t b_count);
    b2d_box_columns boxes;
    int32_t* leaf; // by place in the columns
} batches;

typedef struct part { // a child of a node
    const b2d_refine_node* node;
    int32_t side, first; // place of its first leaf in the columns
} part;

static part part_of(const b2d_refine_node* node, int32_t side, int32_t first) {
    return (part){node, side, side == 0 ? first : first + node->leaves[0]};
}

static batches batches_of(const b2d_refine_tree* tree, b2d_refine_tally* tally) {
    const size_t rows = (size_t)(tree->count + B2D_REFINE_BATCH);
    float* columns = tree->columns;
    return (batches){tree,
                     tally,
                     b2d_run_kernels_of(b2d_simd_for(b2d_cpu_best(), B2D_REFINE_BATCH))->square,
                     {columns, columns + rows, columns + 2 * rows, columns + 3 * rows},
                     tree->column_leaf};
}

static void compare(const batches* s, int32_t a, int32_t a_count, int32_t b, int32_t b_count) {
    s->tally->tests += a == b ? a_count * (a_count - 1) / 2 : a_count * b_count;
    for (uint64_t hits = s->square(&s->boxes, a, a_count, b, b_count); hits != 0; hits &= hits - 1) {
        const int32_t bit = b2d_ctz64(hits);
        found(s->tree, s->tally, s->leaf[a + bit / 8], s->leaf[b + bit % 8]);
    }
}

static void put_leaf(const batches* s, const b2d_refine_node* node, int32_t side, int32_t at) {
    s->boxes.min_x[at] = node->min_x[side], s->boxes.min_y[at] = node->min_y[side];
    s->boxes.max_x[at] = node->max_x[side], s->boxes.max_y[at] = node->max_y[side];
    s->leaf[at] = -1 - node->child[side];
}

// Writes the leaves of a small subtree to the columns. Which children are leaves cannot be predicted, so each child is
// written as if it were one and as if it were none.
static void put_leaves(const batches* s, int32_t n, int32_t first, int32_t leaves) {
    int32_t stack[B2D_REFINE_BATCH + 1], size = 0;
    stack[size++] = n;
    for (int32_t k = 0; k < leaves - 1; k++) {
        const b2d_refine_node* node = &s->tree->nodes[stack[--size]];
        for (int32_t side = 0; side < 2; side++) {
            put_leaf(s, node, side, first);
            stack[size] = node->child[side];
            first += node->child[side] < 0;
            size += node->child[side] >= 0;
        }
    }
}

// Two overlapping subtrees whose leaves are in the columns.
static void part_with_part(const batches* s, part a, part b) {
    int32_t a_count = a.node->leaves[a.side], b_count = b.node->leaves[b.side];
    if (a_count <= B2D_REFINE_BATCH && b_count <= B2D_REFINE_BATCH) {
        compare(s, a.first, a_count, b.first, b_count);
        return;
    }
    if (a_count < b_count) {
        const part swap = a;
        a = b, b = swap;
        b_count = a_count;
    }
    const b2d_refine_node* first = &s->tree->nodes[a.node->child[a.side]];
    if (b_count <= B2D_REFINE_BATCH) {
        const b2d_box box = b2d_refine_side_box(b.node, b.side);
        s->tally->tests += 2;
        for (int32_t k = 0; k < 2; k++)
            if (b2d_box_overlaps(box, b2d_refine_side_box(first, k))) part_with_part(s, part_of(first, k, a.first), b);
        return;
    }
    const b2d_refine_node* second = &s->tree->nodes[b.node->child[b.side]];
    s->tally->tests += 4;
    for (uint32_t hits = overlapping_children(s->tree, first, second); hits != 0; hits &= hits - 1) {
        const int32_t bit = b2d_ctz64(hits);
        part_with_part(s, part_of(first, bit >> 1, a.first), part_of(second, bit & 1, b.first));
    }
}

static void parts_with_each_other(const batches* s, int32_t n, int32_t first) {
    const b2d_refine_node* node = &s->tree->nodes[n];
    s->tally->tests++;
    if (overlaps(node, 0, node, 1)) part_with_part(s, part_of(node, 0, first), part_of(node, 1, first));
}

static void batched_self_test(const batches* s, int32_t n, int32_t first) {
    const b2d_refine_node* node = &s->tree->nodes[n];
    const int32_t leaves = b2d_refine_node_leaves(node);
    if (leaves <= B2D_REFINE_BATCH) {
        put_leaves(s, n, first, leaves);
        compare(s, first, leaves, first, leaves);
        return;
    }
    for (int32_t k = 0; k < 2; k++) {
        const part child = part_of(node, k, first);
        if (node->child[k] >= 0) batched_self_test(s, node->child[k], child.first);
        else put_leaf(s, node, k, child.first);
    }
    parts_with_each_other(s, n, first);
}

// First the jobs of whole subtrees; all write their leaves to the columns. Then the nodes above them.
static void subtrees_stage(void* context, int32_t begin, int32_t end, int32_t worker) {
    b2d_refine_tree* tree = context;
    const batches s = batches_of(tree, &tree->tallies[worker]);
    const double start = b2d_milliseconds();
    for (int32_t k = begin; k < end; k++) {
        const b2d_refine_job* job = &tree->jobs[k];
        const b2d_refine_node* node = &tree->nodes[job->a];
        if (job->b != B2D_NONE) batched_self_test(&s, job->a, job->first);
        else
            for (int32_t side = 0; side < 2; side++)
                if (node->child[side] < 0) put_leaf(&s, node, side, part_of(node, side, job->first).first);
    }
    s.tally->ms += b2d_milliseconds() - start;
}

static void above_stage(void* context, int32_t begin, int32_t end, int32_t worker) {
    b2d_refine_tree* tree = context;
    const batches s = batches_of(tree, &tree->tallies[worker]);
    const double start = b2d_milliseconds();
    for (int32_t k = begin; k < end; k++)
        if (tree->jobs[k].b == B2D_NONE) parts_with_each_other(&s, tree->jobs[k].a, tree->jobs[k].first);
    s.tally->ms += b2d_milliseconds() - start;
}

// ---- stages

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
static void list_pair_jobs(b2d_refine_tree* tree, int32_t n, int32_t most, int32_t depth, int32_t first) {
    const b2d_refine_node* node = &tree->nodes[n];
    const bool whole = b2d_refine_node_leaves(node) <= most || depth == B2D_REFINE_JOB_LEVELS;
    tree->jobs[tree->job_count++] = (b2d_refine_job){.a = n, .b = whole ? 0 : B2D_NONE, .first = first};
    for (int32_t k = 0; k < 2 && !whole; k++)
        if (node->child[k] >= 0) list_pair_jobs(tree, node->child[k], most, depth + 1, part_of(node, k, first).first);
}

static void search_from_jobs(b2d_refine_tree* tree, bool in_batches) {
    tree->job_count = 0;
    list_pair_jobs(tree, 0, b2d_max_int(tree->count / 64, 64), 0, 0);
    if (in_batches) {
        b2d_parallel_for(tree->scheduler, subtrees_stage, tree, tree->job_count, 1);
        b2d_parallel_for(tree->scheduler, above_stage, tree, tree->job_count, 1);
    } else {
        b2d_parallel_for(tree->scheduler, pairs_stage, tree, tree->job_count, 1);
    }
}

void b2d_refine_find_pairs(b2d_refine_tree* tree, b2d_refine_frame* out) {
    const int32_t workers = b2d_scheduler_workers(tree->scheduler);
    memset(tree->tallies, 0, sizeof tree->tallies);
    if (tree->options.pairs == B2D_REFINE_PAIRS_QUERY) {
        b2d_parallel_for(tree->scheduler, query_stage, tree, tree->id_count, 256);
    } else {
        search_from_jobs(tree, b2d_refine_in_batches(tree));
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

void b2d_refine_find_new_pairs(b2d_refine_tree* tree, int32_t changed, b2d_key_list* lists) {
    memset(tree->tallies, 0, sizeof tree->tallies);
    for (int32_t w = 0; w < b2d_scheduler_workers(tree->scheduler); w++) tree->tallies[w].list = &lists[w];
    // All leaves in batches take as long as a tenth of them one by one
    search_from_jobs(tree, tree->options.simd != 0 && 10 * changed > tree->count);
}
