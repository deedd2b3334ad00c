// csrc/lab/refine_policies.c - what keeps the tree good: bounded refinement, and the policies of other engines.
#include "lab/refine_data.h"

#include <stdlib.h>

enum {          // flags of a node
    TARGET = 1, // root of a part that is refined
    OPENED = 2, // in the part that is being refined
};

// ---- refinement

// Pieces of one refinement: 3 sqrt(N), 768 of 65,536.
int32_t b2d_refine_most_pieces(const b2d_refine_tree* tree) {
    return b2d_max_int((int32_t)(3.0 * sqrt((double)tree->count)), 8);
}

static void list_candidates(b2d_refine_tree* tree, int32_t n, int32_t most) { // subtrees of at most so many leaves
    const b2d_refine_node* node = &tree->nodes[n];
    if (b2d_refine_node_leaves(node) <= most) {
        if (tree->candidate_count < tree->candidate_capacity) tree->candidates[tree->candidate_count++] = n;
        return;
    }
    for (int32_t k = 0; k < 2; k++)
        if (node->child[k] >= 0) list_candidates(tree, node->child[k], most);
}

static int compare_int(const void* a, const void* b) {
    const int32_t x = *(const int32_t*)a, y = *(const int32_t*)b;
    return (x > y) - (x < y);
}

// A build takes the slots in their order, so its nodes lie in depth-first order among these slots. With the layout NONE
// the order has no effect, as where each node is an object of its own.
static void sort_slots(const b2d_refine_tree* tree, b2d_refine_scratch* s, int32_t nodes) {
    if (tree->options.layout != B2D_REFINE_LAYOUT_NONE)
        qsort(s->slots + 1, (size_t)(nodes - 1), sizeof *s->slots, compare_int);
}

// What is taken apart first. With the option `growth` all below which the bounds grew by a tenth or more come before
// all others: only there can a leaf be that belongs elsewhere. Growth alone would leave what a refinement lower down
// has arranged in vain.
static double urgency(const b2d_refine_tree* tree, const b2d_refine_item* it) {
    const double metric = b2d_refine_metric(tree, it->box);
    if (!tree->options.growth || tree->growth[it->child] < 0.1 * metric) return metric * it->leaves;
    const double most = b2d_refine_metric(tree, b2d_refine_node_box(&tree->nodes[0])) * tree->count;
    return most + tree->growth[it->child];
}

// Takes apart the subtree of a node into at most `most` pieces: all leaves of a small one, else the largest nodes
// first, see `urgency`. A node that is flagged is not entered. The slots are those of the nodes that were taken apart,
// the root first.
static int32_t collect(b2d_refine_tree* tree, b2d_refine_scratch* s, int32_t root, int32_t most) {
    int32_t count = 0, nodes = 0;
    s->slots[nodes++] = root;
    b2d_refine_node* n = &tree->nodes[root];
    for (int32_t k = 0; k < 2; k++)
        s->items[count++] = (b2d_refine_item){b2d_refine_side_box(n, k), n->child[k], n->leaves[k]};
    if (b2d_refine_node_leaves(n) <= most) {
        for (int32_t k = 0; k < count;) {
            const int32_t child = s->items[k].child;
            if (child < 0) {
                k++;
                continue;
            }
            n = &tree->nodes[child];
            s->slots[nodes++] = child;
            s->items[k] = (b2d_refine_item){b2d_refine_side_box(n, 0), n->child[0], n->leaves[0]};
            s->items[count++] = (b2d_refine_item){b2d_refine_side_box(n, 1), n->child[1], n->leaves[1]};
        }
    } else { // a heap of the positions by urgency; equal ones by position, so that all is determined
        int32_t* heap = (int32_t*)(void*)s->keys;
        int32_t size = 0;
        const int32_t first_two = count;
        for (int32_t k = 0; k < first_two || (size > 0 && count < most);) {
            int32_t pushed[2], push_count = 0;
            if (k < first_two) {
                pushed[push_count++] = k++;
            } else {
                const int32_t top = heap[0];
                heap[0] = heap[--size];
                for (int32_t at = 0;;) {
                    int32_t down = 2 * at + 1;
                    if (down >= size) break;
                    if (down + 1 < size && s->costs[heap[down + 1]] > s->costs[heap[down]]) down++;
                    if (!(s->costs[heap[down]] > s->costs[heap[at]])) break;
                    const int32_t swap = heap[at];
                    heap[at] = heap[down], heap[down] = swap, at = down;
                }
                const int32_t child = s->items[top].child;
                n = &tree->nodes[child];
                s->slots[nodes++] = child;
                s->items[top] = (b2d_refine_item){b2d_refine_side_box(n, 0), n->child[0], n->leaves[0]};
                s->items[count] = (b2d_refine_item){b2d_refine_side_box(n, 1), n->child[1], n->leaves[1]};
                pushed[push_count++] = top, pushed[push_count++] = count++;
            }
            for (int32_t p = 0; p < push_count; p++) {
                const b2d_refine_item* it = &s->items[pushed[p]];
                if (it->child < 0 || (tree->nodes[it->child].flagged & TARGET) != 0) continue;
                s->costs[pushed[p]] = urgency(tree, it);

                int32_t at = size++;
                for (; at > 0 && s->costs[heap[(at - 1) / 2]] < s->costs[pushed[p]]; at = (at - 1) / 2)
                    heap[at] = heap[(at - 1) / 2];
                heap[at] = pushed[p];
            }
        }
    }
    sort_slots(tree, s, nodes);
    return count;
}

// Whether something below changed, for the nodes of a part anew.
static bool flag_anew(b2d_refine_tree* tree, int32_t n) {
    b2d_refine_node* node = &tree->nodes[n];
    node->changed = 0;
    for (int32_t k = 0; k < 2; k++) {
        const int32_t child = node->child[k];
        bool changed;
        if (child < 0) changed = tree->moved[-1 - child] != 0;
        else if ((tree->nodes[child].flagged & OPENED) != 0) changed = flag_anew(tree, child);
        else changed = tree->nodes[child].changed != 0;
        node->changed |= changed << k;
    }
    return node->changed != 0;
}

static double part_cost(const b2d_refine_tree* tree, int32_t n) { // of the nodes of a part and its pieces
    const b2d_refine_node* node = &tree->nodes[n];
    double cost = 0.0;
    for (int32_t k = 0; k < 2; k++) {
        const int32_t child = node->child[k];
        cost += b2d_refine_metric(tree, b2d_refine_side_box(node, k));
        if (child >= 0 && (tree->nodes[child].flagged & OPENED) != 0) cost += part_cost(tree, child);
    }
    return cost;
}

// Rebuilds a part of the tree. Returns by how much the sum of the metrics changed.
static double refine_at(b2d_refine_tree* tree, int32_t root, int32_t most, int32_t refiner, int32_t worker) {
    b2d_refine_scratch* s = &tree->scratches[worker];
    const int32_t parent = tree->nodes[root].parent;
    const int32_t count = collect(tree, s, root, most);
    for (int32_t k = 0; k < count - 1; k++) tree->nodes[s->slots[k]].flagged |= OPENED;
    const double before = part_cost(tree, root);
    tree->refined[worker] += count;
    for (int32_t k = 0; k < count; k++)
        if (s->items[k].child < 0) tree->refined_in[-1 - s->items[k].child] = (int32_t)tree->frame;
    b2d_refine_arrange(tree, s, s->items, count, refiner);
    tree->nodes[root].parent = parent;
    flag_anew(tree, root);
    const double change = part_cost(tree, root) - before;
    for (int32_t k = 0; k < count - 1; k++) tree->nodes[s->slots[k]].flagged &= ~OPENED;
    return change;
}

static void refine_stage(void* context, int32_t begin, int32_t end, int32_t worker) {
    b2d_refine_tree* tree = context;
    const int32_t most = b2d_refine_most_pieces(tree);
    for (int32_t k = begin; k < end; k++)
        tree->jobs[k].change = refine_at(tree, tree->targets[k], most, tree->options.refiner, worker);
}

// A twentieth of the leaves in a calm world, up to four times as many where the cost rises quickly; nothing where
// nothing changes any more.
void b2d_refine_parts(b2d_refine_tree* tree, double change, b2d_refine_frame* out) {
    const int32_t most = b2d_refine_most_pieces(tree);
    const int32_t budget = (int32_t)(b2d_refine_effort(tree, change) * tree->count / 20.0);
    out->refine_bound = 4 * (int64_t)tree->count / 20 + 2 * most;
    tree->candidate_count = tree->target_count = 0;
    if (tree->id_count == 0 && tree->calm > 40) return;
    list_candidates(tree, 0, most);
    int32_t total = 0, passed = 0, start = 0, taken = 0;
    for (int32_t k = 0; k < tree->candidate_count; k++)
        total += b2d_refine_node_leaves(&tree->nodes[tree->candidates[k]]);
    if (tree->cursor >= total) tree->cursor = 0;
    while (start < tree->candidate_count &&
           passed + b2d_refine_node_leaves(&tree->nodes[tree->candidates[start]]) <= tree->cursor)
        passed += b2d_refine_node_leaves(&tree->nodes[tree->candidates[start++]]);
    for (int32_t k = 0; k < tree->candidate_count && taken < budget && tree->target_count < B2D_REFINE_TARGETS; k++) {
        const int32_t n = tree->candidates[(start + k) % tree->candidate_count];
        const int32_t leaves = b2d_refine_node_leaves(&tree->nodes[n]);
        taken += leaves;
        if (leaves < 3) continue; // there is only one tree of two leaves
        tree->targets[tree->target_count++] = n;
        tree->nodes[n].flagged = TARGET;
    }
    tree->cursor = total > 0 ? (passed + taken) % total : 0;
    double improved = 0.0;
    b2d_parallel_for(tree->scheduler, refine_stage, tree, tree->target_count, 1);
    for (int32_t k = 0; k < tree->target_count; k++) improved += tree->jobs[k].change;
    if (tree->options.root && tree->frame % 2 == 0 && b2d_refine_node_leaves(&tree->nodes[0]) > most)
        improved += refine_at(tree, 0, most, tree->options.refiner, 0);
    for (int32_t k = 0; k < tree->target_count; k++) tree->nodes[tree->targets[k]].flagged &= ~TARGET;
    tree->cost_sum += improved;
    if (tree->id_count > 0 || tree->cost_sum < 0.999 * tree->calm_cost)
        tree->calm = 0, tree->calm_cost = tree->cost_sum;
    else tree->calm++;
}

// ---- the other policies

// The policy of the document's old tree: a node whose metric passed its threshold is rebuilt with all below, and the
// new thresholds follow from what was rebuilt.
void b2d_refine_rebuild_above_threshold(b2d_refine_tree* tree, int32_t n) {
    b2d_refine_node* node = &tree->nodes[n];
    if (b2d_refine_node_leaves(node) > 2 &&
        b2d_refine_metric(tree, b2d_refine_node_box(node)) > 1.4f * node->arranged) {
        tree->cost_sum += refine_at(tree, n, tree->count, B2D_REFINE_MEDIAN, 0);
        return;
    }
    for (int32_t k = 0; k < 2; k++)
        if (node->child[k] >= 0) b2d_refine_rebuild_above_threshold(tree, node->child[k]);
}

// Box2D's policy: nodes above changed leaves are dissolved, and what remains, unchanged subtrees and changed leaves, is
// built anew.
static void dissolve(b2d_refine_tree* tree, int32_t n, int32_t* count, int32_t* nodes) {
    b2d_refine_scratch* s = &tree->scratches[0];
    const b2d_refine_node* node = &tree->nodes[n];
    s->slots[(*nodes)++] = n;
    for (int32_t k = 0; k < 2; k++) {
        if ((node->changed >> k & 1) != 0 && node->child[k] >= 0) dissolve(tree, node->child[k], count, nodes);
        else s->items[(*count)++] = (b2d_refine_item){b2d_refine_side_box(node, k), node->child[k], node->leaves[k]};
    }
}

void b2d_refine_rebuild_changed(b2d_refine_tree* tree) {
    b2d_refine_scratch* s = &tree->scratches[0];
    int32_t count = 0, nodes = 0;
    if (tree->nodes[0].changed == 0) return;
    dissolve(tree, 0, &count, &nodes);
    sort_slots(tree, s, nodes);
    tree->refined[0] += count;
    for (int32_t k = 0; k < nodes; k++) tree->nodes[s->slots[k]].flagged |= OPENED;
    b2d_refine_arrange(tree, s, s->items, count, B2D_REFINE_BINNED);
    tree->nodes[0].parent = B2D_NONE;
    flag_anew(tree, 0);
    for (int32_t k = 0; k < nodes; k++) tree->nodes[s->slots[k]].flagged &= ~OPENED;
}
