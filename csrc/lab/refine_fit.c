// csrc/lab/refine_fit.c - fits the bounds of the refined tree to moved leaves, and keeps the order of its nodes.
#include "lab/refine_data.h"

#include <string.h>

// ---- refit

typedef struct fit {
    b2d_box box;
    double change, cost, growth; // of the nodes and leaves below
    bool changed;
    int32_t height; // levels of nodes
} fit;

// Fits node `from` and all below, and writes them in depth-first order from `to` on when the layout is COPY.
static fit refit_node(b2d_refine_tree* tree, int32_t from, int32_t to, const b2d_refine_job* jobs, int32_t* next_job);

static fit refit_child(b2d_refine_tree* tree, int32_t child, int32_t to, const b2d_refine_job* jobs,
                       int32_t* next_job) {
    if (child < 0) return (fit){tree->boxes[-1 - child], 0.0, 0.0, 0.0, tree->moved[-1 - child] != 0, 0};
    if (jobs != NULL && *next_job < tree->job_count && jobs[*next_job].a == child) {
        const b2d_refine_job* done = &jobs[(*next_job)++];
        return (fit){done->box, done->change, done->cost, done->growth, done->changed, done->height};
    }
    return refit_node(tree, child, to, jobs, next_job);
}

static fit refit_node(b2d_refine_tree* tree, int32_t from, int32_t to, const b2d_refine_job* jobs, int32_t* next_job) {
    const bool copies = tree->options.layout == B2D_REFINE_LAYOUT_COPY;
    const b2d_refine_node n = tree->nodes[from];
    b2d_refine_node* out = copies ? &tree->spare[to] : &tree->nodes[from];
    if (copies) *out = n;
    const int32_t index = copies ? to : from;
    fit result = {b2d_refine_no_box(), 0.0, 0.0, 0.0, false, 0};
    int32_t changed = 0, at = to + 1;
    for (int32_t k = 0; k < 2; k++) {
        const fit below = refit_child(tree, n.child[k], at, jobs, next_job);
        const double now = b2d_refine_metric(tree, below.box);
        result.change += below.change + (now - b2d_refine_metric(tree, b2d_refine_side_box(&n, k)));
        result.cost += below.cost + now;
        result.growth += below.growth;
        result.box = b2d_box_union(result.box, below.box);
        result.changed |= below.changed;
        result.height = b2d_max_int(result.height, below.height + 1);
        changed |= below.changed << k;
        b2d_refine_set_side(out, k, below.box);
        if (copies) {
            if (n.child[k] >= 0) out->child[k] = at, tree->spare[at].parent = 2 * index + k;
            else tree->places[-1 - n.child[k]] = 2 * index + k;
        }
        at += n.leaves[k] - 1;
    }
    out->changed = changed;
    out->flagged = 0;
    if (tree->options.growth) {
        result.growth += b2d_max(0.0f, (float)b2d_refine_metric(tree, result.box) - n.arranged);
        tree->growth[index] = (float)result.growth;
    }
    return result;
}

// Lists subtrees of at most `most` leaves, in depth-first order, with their new places.
static void list_subtrees(b2d_refine_tree* tree, int32_t n, int32_t to, int32_t most, int32_t depth) {
    const b2d_refine_node* node = &tree->nodes[n];
    if (n != 0 && (b2d_refine_node_leaves(node) <= most || depth == B2D_REFINE_JOB_LEVELS)) {
        tree->jobs[tree->job_count++] = (b2d_refine_job){.a = n, .b = to};
        return;
    }
    int32_t at = to + 1;
    for (int32_t k = 0; k < 2; k++) {
        if (node->child[k] >= 0) list_subtrees(tree, node->child[k], at, most, depth + 1);
        at += node->leaves[k] - 1;
    }
}

static void refit_stage(void* context, int32_t begin, int32_t end, int32_t worker) {
    b2d_refine_tree* tree = context;
    (void)worker;
    for (int32_t k = begin; k < end; k++) {
        b2d_refine_job* j = &tree->jobs[k];
        const fit done = refit_node(tree, j->a, j->b, NULL, NULL);
        j->box = done.box, j->change = done.change, j->cost = done.cost, j->growth = done.growth,
        j->changed = done.changed, j->height = done.height;
    }
}

double b2d_refine_refit_all(b2d_refine_tree* tree) {
    tree->job_count = 0;
    list_subtrees(tree, 0, 0, b2d_max_int(tree->count / 64, 64), 0);
    b2d_parallel_for(tree->scheduler, refit_stage, tree, tree->job_count, 1);
    int32_t next = 0;
    const fit done = refit_node(tree, 0, 0, tree->jobs, &next);
    if (tree->options.layout == B2D_REFINE_LAYOUT_COPY) {
        b2d_refine_node* swap = tree->nodes;
        tree->nodes = tree->spare;
        tree->spare = swap;
        tree->nodes[0].parent = B2D_NONE;
        tree->disorder = 0;
    }
    tree->cost_sum = done.cost;
    tree->height = done.height;
    return done.change;
}

// Only from the changed leaves up. Gives the same boxes as a full refit.
double b2d_refine_refit_some(b2d_refine_tree* tree) {
    double change = 0.0;
    for (int32_t k = 0; k < tree->id_count; k++) {
        const int32_t leaf = tree->ids[k];
        b2d_box box = tree->boxes[leaf];
        for (int32_t place = tree->places[leaf]; place != B2D_NONE; place = tree->nodes[place >> 1].parent) {
            b2d_refine_node* n = &tree->nodes[place >> 1];
            const int32_t side = place & 1;
            const b2d_box before = b2d_refine_side_box(n, side);
            const bool same = memcmp(&before, &box, sizeof box) == 0;
            if (same && (n->changed >> side & 1) != 0) break;
            change += b2d_refine_metric(tree, box) - b2d_refine_metric(tree, before);
            n->changed |= 1 << side;
            b2d_refine_set_side(n, side, box);
            box = b2d_refine_node_box(n);
        }
    }
    tree->cost_sum += change;
    return change;
}

// A flagged node has flagged ancestors, wherever refinement and layout moved it.
void b2d_refine_clear_flags(b2d_refine_tree* tree, int32_t n) {
    b2d_refine_node* node = &tree->nodes[n];
    for (int32_t k = 0; k < 2; k++)
        if ((node->changed >> k & 1) != 0 && node->child[k] >= 0) b2d_refine_clear_flags(tree, node->child[k]);
    node->changed = 0;
}

// ---- layout

static void swap_nodes(b2d_refine_tree* tree, int32_t a, int32_t b) {
    if (a == b) return;
    const b2d_refine_node swap = tree->nodes[a];
    tree->nodes[a] = tree->nodes[b];
    tree->nodes[b] = swap;
    const int32_t pair[2] = {a, b};
    for (int32_t k = 0; k < 2; k++) { // a node may be the parent of the other
        b2d_refine_node* n = &tree->nodes[pair[k]];
        if (n->parent >> 1 == pair[k]) n->parent = 2 * pair[1 - k] + (n->parent & 1);
        for (int32_t side = 0; side < 2; side++)
            if (n->child[side] == pair[k]) n->child[side] = pair[1 - k];
    }
    for (int32_t k = 0; k < 2; k++) {
        b2d_refine_node* n = &tree->nodes[pair[k]];
        if (n->parent != B2D_NONE) tree->nodes[n->parent >> 1].child[n->parent & 1] = pair[k];
        for (int32_t side = 0; side < 2; side++) b2d_refine_set_parent(tree, n->child[side], 2 * pair[k] + side);
    }
}

static void order_children(b2d_refine_tree* tree, int32_t n) { // for depth-first order
    const int32_t nodes = tree->count - 1, second = n + tree->nodes[n].leaves[0];
    if (tree->nodes[n].child[0] >= 0 && n + 1 < nodes) swap_nodes(tree, tree->nodes[n].child[0], n + 1);
    if (tree->nodes[n].child[1] >= 0 && second < nodes) swap_nodes(tree, tree->nodes[n].child[1], second);
}

// Walks a twentieth of the nodes, up to a fifth where the cost rises quickly.
void b2d_refine_improve_layout(b2d_refine_tree* tree, double change) {
    const int32_t nodes = tree->count - 1;
    const int32_t walked = (int32_t)(b2d_refine_effort(tree, change) * nodes / 20.0) + 1;
    for (int32_t k = 0; k < walked; k++) {
        const int32_t n = tree->layout_cursor;
        tree->layout_cursor = (n + 1) % nodes;
        order_children(tree, n);
    }
}

// Each subtree that was refined lies behind its root afterwards. Putting one in order moves the roots of others, so
// each is known by a leaf and by its number of leaves.
void b2d_refine_order_parts(b2d_refine_tree* tree) {
    for (int32_t k = 0; k < tree->target_count; k++) {
        int32_t n = tree->targets[k];
        tree->jobs[k].b = b2d_refine_node_leaves(&tree->nodes[n]);
        while (n >= 0) n = tree->nodes[n].child[0];
        tree->jobs[k].a = -1 - n;
    }
    for (int32_t k = 0; k < tree->target_count; k++) {
        const int32_t leaves = tree->jobs[k].b;
        int32_t n = tree->places[tree->jobs[k].a] >> 1;
        while (b2d_refine_node_leaves(&tree->nodes[n]) < leaves) n = tree->nodes[n].parent >> 1;
        const int32_t end = b2d_min_int(n + leaves - 1, tree->count - 1);
        for (; n < end; n++) order_children(tree, n);
    }
}

double b2d_refine_cache_quality(const b2d_refine_tree* tree) {
    int32_t right = 0, children = 0;
    for (int32_t n = 0; n < tree->count - 1; n++) {
        const b2d_refine_node* node = &tree->nodes[n];
        const int32_t wanted[2] = {n + 1, n + node->leaves[0]};
        for (int32_t k = 0; k < 2; k++)
            if (node->child[k] >= 0) children++, right += node->child[k] == wanted[k];
    }
    return children > 0 ? (double)right / children : 1.0;
}
