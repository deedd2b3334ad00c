// csrc/lab/refine_tree.c - see refine_tree.h. The parts of a frame are in the other files refine_*.c.
#if !defined(_POSIX_C_SOURCE)
#define _POSIX_C_SOURCE 200809L // clock_gettime
#endif
#include "lab/refine_data.h"

#include "base/timer.h"

#include <string.h>
#include <time.h>

// The processor time of the thread, which other programs disturb less than the time of the wall.
double b2d_thread_milliseconds(void) {
#if defined(CLOCK_THREAD_CPUTIME_ID) && !defined(_WIN32)
    struct timespec time;
    if (clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time) == 0)
        return 1.0e3 * (double)time.tv_sec + 1.0e-6 * (double)time.tv_nsec;
#endif
    return b2d_milliseconds();
}

static double now(const b2d_refine_tree* tree) {
    return tree->options.workers == 1 ? b2d_thread_milliseconds() : b2d_milliseconds();
}

void b2d_refine_free(b2d_refine_tree* tree) {
    b2d_memory* m = tree->memory;
    const int32_t* capacity = tree->capacities;
    b2d_free(m, tree->nodes, (size_t)capacity[0] * sizeof *tree->nodes);
    b2d_free(m, tree->spare, (size_t)capacity[1] * sizeof *tree->spare);
    b2d_free(m, tree->places, (size_t)capacity[2] * sizeof *tree->places);
    b2d_free(m, tree->boxes, (size_t)capacity[3] * sizeof *tree->boxes);
    b2d_free(m, tree->moved, (size_t)capacity[4] * sizeof *tree->moved);
    b2d_free(m, tree->refined_in, (size_t)capacity[5] * sizeof *tree->refined_in);
    b2d_free(m, tree->columns, (size_t)capacity[6] * sizeof *tree->columns);
    b2d_free(m, tree->column_leaf, (size_t)capacity[7] * sizeof *tree->column_leaf);
    b2d_free(m, tree->growth, (size_t)capacity[8] * sizeof *tree->growth);
    b2d_free(m, tree->candidates, (size_t)tree->candidate_capacity * sizeof *tree->candidates);
    for (int32_t k = 0; k < tree->scratch_count; k++) {
        b2d_refine_scratch* s = &tree->scratches[k];
        b2d_free(m, s->items, (size_t)s->capacities[0] * sizeof *s->items);
        b2d_free(m, s->other, (size_t)s->capacities[1] * sizeof *s->other);
        b2d_free(m, s->keys, (size_t)s->capacities[2] * sizeof *s->keys);
        b2d_free(m, s->costs, (size_t)s->capacities[3] * sizeof *s->costs);
        b2d_free(m, s->slots, (size_t)s->capacities[4] * sizeof *s->slots);
    }
}

void b2d_refine_tree_destroy(b2d_refine_tree* tree) {
    if (tree == NULL) return;
    b2d_refine_free(tree);
    b2d_scheduler_destroy(tree->scheduler);
    b2d_memory last = tree->own;
    b2d_free(&last, tree, sizeof *tree);
}

b2d_status b2d_refine_tree_create(const b2d_refine_options* options, b2d_refine_tree** out) {
    b2d_memory memory = {.fail_after = -1};
    *out = NULL;
    b2d_refine_tree* tree = b2d_allocate(&memory, sizeof *tree);
    if (tree == NULL) return B2D_NO_MEMORY;
    tree->own = memory;
    tree->memory = &tree->own;
    tree->options = *options;
    if (b2d_scheduler_create(options->workers, &tree->scheduler) != B2D_OK) {
        b2d_refine_tree_destroy(tree);
        return B2D_NO_MEMORY;
    }
    *out = tree;
    return B2D_OK;
}

// The pieces of a refinement of `count` leaves.
static int32_t pieces_of(int32_t count) {
    const b2d_refine_tree tree = {.count = count};
    return b2d_refine_most_pieces(&tree);
}

bool b2d_refine_make_room(b2d_refine_tree* tree, int32_t count) {
    b2d_memory* m = tree->memory;
    const int32_t workers = b2d_scheduler_workers(tree->scheduler);
    int32_t* capacity = tree->capacities;
    if (!B2D_GROW(m, tree->nodes, capacity[0], count) || !B2D_GROW(m, tree->spare, capacity[1], count) ||
        !B2D_GROW(m, tree->places, capacity[2], count) || !B2D_GROW(m, tree->boxes, capacity[3], count) ||
        !B2D_GROW(m, tree->moved, capacity[4], count) || !B2D_GROW(m, tree->refined_in, capacity[5], count) ||
        !B2D_GROW(m, tree->columns, capacity[6], 4 * (count + B2D_REFINE_BATCH)) ||
        !B2D_GROW(m, tree->column_leaf, capacity[7], count) ||
        (tree->options.growth && !B2D_GROW(m, tree->growth, capacity[8], count)) ||
        !B2D_GROW(m, tree->candidates, tree->candidate_capacity, count / 2 + 1))
        return false;
    tree->scratch_count = b2d_max_int(tree->scratch_count, workers);
    for (int32_t w = 0; w < workers; w++)
        if (!b2d_refine_reserve(tree, &tree->scratches[w], w == 0 ? count : pieces_of(count) + 1)) return false;
    return true;
}

void b2d_refine_build(b2d_refine_tree* tree, int32_t count) {
    b2d_refine_scratch* s = &tree->scratches[0];
    tree->count = count;
    memset(tree->moved, 0, (size_t)count);
    for (int32_t k = 0; k < count; k++) {
        s->items[k] = (b2d_refine_item){tree->boxes[k], -1 - k, 1};
        s->slots[k] = k;
        tree->nodes[k].flagged = 0;
        tree->refined_in[k] = B2D_NONE;
    }
    if (tree->options.build == B2D_REFINE_INSERT) {
        for (int32_t k = 0; k < 2; k++) b2d_refine_fill_side(tree, 0, k, &s->items[k]);
        for (int32_t k = 2; k < count; k++) b2d_refine_insert_leaf(tree, k, k - 1);
    } else {
        b2d_refine_arrange(tree, s, s->items, count, tree->options.build);
    }
    tree->nodes[0].parent = B2D_NONE;
    for (int32_t n = 0; n < count - 1; n++) tree->nodes[n].changed = tree->nodes[n].flagged = 0;
    for (int32_t n = 0; n < count - 1 && tree->options.growth; n++) tree->growth[n] = 0.0f;
    tree->cost_sum = b2d_refine_tree_cost(tree) * b2d_refine_metric(tree, b2d_refine_node_box(&tree->nodes[0]));
    tree->cursor = tree->layout_cursor = tree->calm = 0;
    tree->frame = 0;
    tree->disorder = tree->options.build == B2D_REFINE_INSERT ? count : 0;
}

b2d_status b2d_refine_tree_load(b2d_refine_tree* tree, const float* boxes, int32_t count) {
    if (count < 2) return B2D_OUT_OF_RANGE;
    if (!b2d_refine_make_room(tree, count)) return B2D_NO_MEMORY;
    for (int32_t k = 0; k < count; k++)
        tree->boxes[k] = (b2d_box){boxes[4 * k], boxes[4 * k + 1], boxes[4 * k + 2], boxes[4 * k + 3]};
    b2d_refine_build(tree, count);
    return B2D_OK;
}

void b2d_refine_update(b2d_refine_tree* tree, const int32_t* ids, int32_t count, b2d_refine_frame* out) {
    const double start = now(tree);
    memset(tree->refined, 0, sizeof tree->refined);
    b2d_refine_clear_flags(tree, 0);
    tree->ids = ids;
    tree->id_count = count;
    // With COPY a full refit repairs the order. Where nothing moves it is repaired once a tenth is out of order: the
    // document's trees sit at 80 to 95 %.
    const bool ordered = tree->options.layout != B2D_REFINE_LAYOUT_COPY ||
                         (count == 0 && 10 * tree->disorder < tree->count);
    const bool few = count < tree->count / 16 && ordered && !tree->restructured &&
                     (count == 0 || !tree->options.growth);
    const double change = few ? b2d_refine_refit_some(tree) : b2d_refine_refit_all(tree);
    tree->restructured = false;
    const double fitted = now(tree);
    switch (tree->options.policy) {
    case B2D_REFINE_POLICY_REFINE: b2d_refine_parts(tree, change, out); break;
    case B2D_REFINE_POLICY_THRESHOLD: b2d_refine_rebuild_above_threshold(tree, 0); break;
    case B2D_REFINE_POLICY_REBUILD: b2d_refine_rebuild_changed(tree); break;
    default: break;
    }
    const double refined = now(tree);
    for (int32_t w = 0; w < B2D_REFINE_WORKERS; w++) tree->disorder += tree->refined[w];
    if (tree->options.layout == B2D_REFINE_LAYOUT_INCREMENTAL) b2d_refine_improve_layout(tree, change);
    if (tree->options.layout == B2D_REFINE_LAYOUT_PARTS && tree->options.policy == B2D_REFINE_POLICY_REFINE)
        b2d_refine_order_parts(tree);
    out->refit_ms = fitted - start, out->refine_ms = refined - fitted, out->layout_ms = now(tree) - refined;
    out->cost_change = change;
    tree->frame++;
}

b2d_status b2d_refine_tree_frame(b2d_refine_tree* tree, const float* boxes, const int32_t* ids, int32_t count,
                                 b2d_refine_frame* out) {
    *out = (b2d_refine_frame){.balance = 1.0};
    for (int32_t k = 0; k < count; k++)
        if (ids[k] < 0 || ids[k] >= tree->count) return B2D_OUT_OF_RANGE;
    const double root_metric = b2d_refine_metric(tree, b2d_refine_node_box(&tree->nodes[0]));
    for (int32_t k = 0; k < count; k++) {
        const float* b = &boxes[4 * ids[k]];
        tree->boxes[ids[k]] = (b2d_box){b[0], b[1], b[2], b[3]};
        tree->moved[ids[k]] = 1;
    }
    b2d_refine_update(tree, ids, count, out);
    const double laid = now(tree);
    b2d_refine_find_pairs(tree, out);
    out->pairs_ms = now(tree) - laid;
    out->cost_change = root_metric > 0.0 ? out->cost_change / root_metric : 0.0;
    out->cost = b2d_refine_tree_cost(tree);
    const double metric_now = b2d_refine_metric(tree, b2d_refine_node_box(&tree->nodes[0]));
    out->carried_cost = metric_now > 0.0 ? tree->cost_sum / metric_now : 0.0;
    out->cache_quality = b2d_refine_cache_quality(tree);
    for (int32_t w = 0; w < B2D_REFINE_WORKERS; w++) out->refined_leaves += tree->refined[w];
    for (int32_t k = 0; k < count; k++) tree->moved[ids[k]] = 0;
    return B2D_OK;
}

double b2d_refine_tree_cost(const b2d_refine_tree* tree) {
    double sum = 0.0;
    for (int32_t n = 0; n < tree->count - 1; n++)
        for (int32_t k = 0; k < 2; k++) sum += b2d_refine_metric(tree, b2d_refine_side_box(&tree->nodes[n], k));
    const double root = b2d_refine_metric(tree, b2d_refine_node_box(&tree->nodes[0]));
    return root > 0.0 ? sum / root : 0.0;
}

uint64_t b2d_refine_tree_hash(const b2d_refine_tree* tree) {
    uint64_t hash = 14695981039346656037ull;
    for (int32_t n = 0; n < tree->count - 1; n++) {
        b2d_refine_node node = tree->nodes[n];
        node.arranged = 0.0f;
        uint32_t words[sizeof node / 4];
        memcpy(words, &node, sizeof node);
        for (size_t k = 0; k < sizeof node / 4; k++) hash = (hash ^ words[k]) * 1099511628211ull;
    }
    return hash;
}

int32_t b2d_refine_tree_refined_in(const b2d_refine_tree* tree, int32_t leaf) { return tree->refined_in[leaf]; }

const b2d_refine_node* b2d_refine_tree_nodes(const b2d_refine_tree* tree) { return tree->nodes; }

const char* b2d_refine_tree_validate(const b2d_refine_tree* tree) {
    if (tree->nodes[0].parent != B2D_NONE) return "refine_tree: the root has a parent";
    int64_t seen_leaves = 0, seen_nodes = 1;
    for (int32_t n = 0; n < tree->count - 1; n++) {
        const b2d_refine_node* node = &tree->nodes[n];
        for (int32_t k = 0; k < 2; k++) {
            const int32_t child = node->child[k];
            const b2d_box box = b2d_refine_side_box(node, k);
            b2d_box below;
            if (child < 0) {
                if (-1 - child >= tree->count) return "refine_tree: a child is no leaf";
                if (tree->places[-1 - child] != 2 * n + k) return "refine_tree: a leaf does not know its place";
                if (node->leaves[k] != 1) return "refine_tree: a leaf counts as several";
                below = tree->boxes[-1 - child];
                seen_leaves++;
            } else {
                if (child == 0 || child >= tree->count - 1) return "refine_tree: a child is no node";
                if (tree->nodes[child].parent != 2 * n + k) return "refine_tree: a node does not know its parent";
                if (node->leaves[k] != b2d_refine_node_leaves(&tree->nodes[child]))
                    return "refine_tree: leaves are miscounted";
                below = b2d_refine_node_box(&tree->nodes[child]);
                seen_nodes++;
            }
            if (memcmp(&below, &box, sizeof box) != 0) return "refine_tree: a bound is not exact";
        }
    }
    if (seen_leaves != tree->count || seen_nodes != tree->count - 1) return "refine_tree: a node is in no place";
    return NULL;
}
