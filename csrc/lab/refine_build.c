// csrc/lab/refine_build.c - builders of the refined tree: insertion, median, sweep, bins, Morton order, agglomeration.
//
// A build arranges leaves or whole subtrees, so that the builders are refiners too. All sorts and partitions are
// stable: nodes depend on the boxes alone.
#include "base/radix_sort.h"
#include "lab/refine_data.h"

#include <string.h>

enum {
    BINS = 16,
    DEEP = 100, // below this depth a build halves
};

// Positions of the items along an axis, ascending, by radix sort; stable, so that equal centres keep their order.
static void sort_by_center(b2d_refine_scratch* s, b2d_refine_item* items, int32_t count, int32_t axis) {
    for (int32_t k = 0; k < count; k++) {
        const b2d_box b = items[k].box;
        const float center = axis == 0 ? 0.5f * b.min_x + 0.5f * b.max_x : 0.5f * b.min_y + 0.5f * b.max_y;
        s->keys[k] = (uint64_t)b2d_float_key(center) << 32 | (uint32_t)k;
    }
    b2d_radix_sort(s->keys, s->keys + count, count);
    for (int32_t k = 0; k < count; k++) s->other[k] = items[(uint32_t)s->keys[k]];
    memcpy(items, s->other, (size_t)count * sizeof *items);
}

// How many leaves are to be cut in two, where the pair search compares batches of leaves; otherwise 0.
static int64_t batched_leaves(const b2d_refine_tree* tree, const b2d_refine_item* items, int32_t count) {
    int64_t leaves = 0;
    for (int32_t k = 0; k < count && b2d_refine_in_batches(tree); k++) leaves += items[k].leaves;
    return leaves;
}

// What leaves on one side of a cut count. A batch takes as long with few leaves as with many, so above the batches
// their number counts, and they become full.
static double weight(int64_t leaves, int64_t batched) {
    return batched > B2D_REFINE_BATCH ? (double)((leaves + B2D_REFINE_BATCH - 1) / B2D_REFINE_BATCH) : (double)leaves;
}

// The cheapest place to cut the sorted items, with its cost.
static int32_t best_cut(const b2d_refine_tree* tree, b2d_refine_scratch* s, const b2d_refine_item* items, int32_t count,
                        double* cost) {
    b2d_box box = b2d_refine_no_box();
    const int64_t batched = batched_leaves(tree, items, count);
    int64_t leaves = 0;
    for (int32_t k = count - 1; k > 0; k--) {
        box = b2d_box_union(box, items[k].box);
        leaves += items[k].leaves;
        s->costs[k] = b2d_refine_metric(tree, box) * weight(leaves, batched);
    }
    box = b2d_refine_no_box(), leaves = 0;
    *cost = INFINITY;
    int32_t cut = count / 2;
    for (int32_t k = 1; k < count; k++) {
        box = b2d_box_union(box, items[k - 1].box);
        leaves += items[k - 1].leaves;
        const double both = b2d_refine_metric(tree, box) * weight(leaves, batched) + s->costs[k];
        if (both < *cost) *cost = both, cut = k;
    }
    return cut;
}

static int32_t split_sweep(const b2d_refine_tree* tree, b2d_refine_scratch* s, b2d_refine_item* items, int32_t count) {
    double cost_x, cost_y;
    sort_by_center(s, items, count, 0);
    const int32_t cut_x = best_cut(tree, s, items, count, &cost_x);
    sort_by_center(s, items, count, 1);
    const int32_t cut_y = best_cut(tree, s, items, count, &cost_y);
    if (cost_y < cost_x) return cut_y;
    sort_by_center(s, items, count, 0);
    return cut_x;
}

static b2d_box center_bounds(const b2d_refine_item* items, int32_t count) {
    b2d_box bounds = b2d_refine_no_box();
    for (int32_t k = 0; k < count; k++) {
        const b2d_box b = items[k].box;
        const float x = 0.5f * b.min_x + 0.5f * b.max_x, y = 0.5f * b.min_y + 0.5f * b.max_y;
        bounds = b2d_box_union(bounds, (b2d_box){x, y, x, y});
    }
    return bounds;
}

static int32_t split_median(b2d_refine_scratch* s, b2d_refine_item* items, int32_t count) {
    const b2d_box centers = center_bounds(items, count);
    sort_by_center(s, items, count, centers.max_y - centers.min_y > centers.max_x - centers.min_x);
    return count / 2;
}

static int32_t bin_of(const b2d_refine_item* each, int32_t axis, float lower, float scale) {
    const b2d_box b = each->box;
    const float center = axis == 0 ? 0.5f * b.min_x + 0.5f * b.max_x : 0.5f * b.min_y + 0.5f * b.max_y;
    return b2d_min_int((int32_t)((center - lower) * scale), BINS - 1);
}

// Wald 2007: the cut is one of the planes between bins along the longer axis of the centres.
static int32_t split_binned(const b2d_refine_tree* tree, b2d_refine_scratch* s, b2d_refine_item* items, int32_t count) {
    const b2d_box centers = center_bounds(items, count);
    const int32_t axis = centers.max_y - centers.min_y > centers.max_x - centers.min_x;
    const float lower = axis == 0 ? centers.min_x : centers.min_y,
                extent = (axis == 0 ? centers.max_x : centers.max_y) - lower;
    if (!(extent > 1.0e-30f)) return count / 2; // equal centres: half of them each, in their order
    if (count <= BINS) {                        // sorting finds a better cut for as much work
        double cost;
        sort_by_center(s, items, count, axis);
        return best_cut(tree, s, items, count, &cost);
    }
    const float scale = (float)BINS / extent;
    b2d_box boxes[BINS];
    int64_t leaves[BINS] = {0};
    int32_t counts[BINS] = {0};
    for (int32_t b = 0; b < BINS; b++) boxes[b] = b2d_refine_no_box();
    for (int32_t k = 0; k < count; k++) {
        const int32_t b = bin_of(&items[k], axis, lower, scale);
        boxes[b] = b2d_box_union(boxes[b], items[k].box);
        leaves[b] += items[k].leaves;
        counts[b]++;
    }
    const int64_t batched = batched_leaves(tree, items, count);
    double costs[BINS];
    b2d_box box = b2d_refine_no_box();
    int64_t sum = 0;
    for (int32_t b = BINS - 1; b > 0; b--) {
        box = b2d_box_union(box, boxes[b]);
        sum += leaves[b];
        costs[b] = sum > 0 ? b2d_refine_metric(tree, box) * weight(sum, batched) : 0.0;
    }
    box = b2d_refine_no_box(), sum = 0;
    double best = INFINITY;
    int32_t best_bin = B2D_NONE, before = 0;
    for (int32_t b = 1; b < BINS; b++) { // bins below b come first
        box = b2d_box_union(box, boxes[b - 1]);
        sum += leaves[b - 1];
        before += counts[b - 1];
        if (before == 0 || before == count) continue;
        const double both = b2d_refine_metric(tree, box) * weight(sum, batched) + costs[b];
        if (both < best) best = both, best_bin = b;
    }
    if (best_bin == B2D_NONE) return count / 2;
    int32_t first = 0, second = 0; // stable, so that nodes depend on the boxes alone
    for (int32_t k = 0; k < count; k++) {
        if (bin_of(&items[k], axis, lower, scale) < best_bin) items[first++] = items[k];
        else s->other[second++] = items[k];
    }
    memcpy(items + first, s->other, (size_t)second * sizeof *items);
    return first;
}

static uint32_t every_second_bit(uint32_t x) {
    x = (x | x << 8) & 0x00ff00ffu;
    x = (x | x << 4) & 0x0f0f0f0fu;
    x = (x | x << 2) & 0x33333333u;
    return (x | x << 1) & 0x55555555u;
}

static void sort_by_morton_code(b2d_refine_scratch* s, b2d_refine_item* items, int32_t count) {
    const b2d_box centers = center_bounds(items, count);
    const double span = b2d_max(centers.max_x - centers.min_x, centers.max_y - centers.min_y),
                 scale = span > 0.0 ? 65535.0 / span : 0.0;
    for (int32_t k = 0; k < count; k++) {
        const b2d_box b = items[k].box;
        const uint32_t x = (uint32_t)((0.5 * b.min_x + 0.5 * b.max_x - centers.min_x) * scale),
                       y = (uint32_t)((0.5 * b.min_y + 0.5 * b.max_y - centers.min_y) * scale);
        s->keys[k] = (uint64_t)(every_second_bit(x) | every_second_bit(y) << 1) << 32 | (uint32_t)k;
    }
    b2d_radix_sort(s->keys, s->keys + count, count);
    for (int32_t k = 0; k < count; k++) s->other[k] = items[(uint32_t)s->keys[k]];
    memcpy(items, s->other, (size_t)count * sizeof *items);
}

void b2d_refine_fill_side(b2d_refine_tree* tree, int32_t node, int32_t side, const b2d_refine_item* it) {
    b2d_refine_node* n = &tree->nodes[node];
    b2d_refine_set_side(n, side, it->box);
    n->child[side] = it->child;
    n->leaves[side] = it->leaves;
    b2d_refine_set_parent(tree, it->child, 2 * node + side);
}

// ---- treelets: the best tree of a few pieces, of all there are (Karras and Aila 2013)

enum {
    TREELET = 7,         // pieces at most: 2^7 sets of them, 966 ways to cut these in two
    IN_TREELET = 1 << 8, // flag of a node that the build has made
};

typedef struct treelet {
    b2d_refine_item pieces[TREELET];
    int32_t slots[TREELET - 1];
    int32_t next;
    b2d_box box[1 << TREELET]; // by set of pieces
    double cost[1 << TREELET]; // least sum of the metrics of the nodes of a tree of the set
    uint8_t cut[1 << TREELET]; // the set on the first side of that tree
} treelet;

static b2d_refine_item make_treelet(b2d_refine_tree* tree, treelet* t, uint32_t set) {
    if ((set & (set - 1)) == 0) return t->pieces[b2d_ctz64(set)];
    const int32_t node = t->slots[t->next++];
    const b2d_refine_item sides[2] = {make_treelet(tree, t, t->cut[set]), make_treelet(tree, t, set ^ t->cut[set])};
    for (int32_t k = 0; k < 2; k++) b2d_refine_fill_side(tree, node, k, &sides[k]);
    tree->nodes[node].changed = 0;
    tree->nodes[node].arranged = (float)b2d_refine_metric(tree, t->box[set]);
    return (b2d_refine_item){t->box[set], node, sides[0].leaves + sides[1].leaves};
}

// Opens the largest nodes below a node until there are seven pieces, and gives these the tree whose nodes have the
// least metrics in sum.
static void improve_treelet(b2d_refine_tree* tree, int32_t root) {
    treelet t = {.next = 0};
    int32_t count = 0, nodes = 0;
    double now = 0.0;
    for (int32_t opened = root; opened != B2D_NONE;) {
        const b2d_refine_node* n = &tree->nodes[opened];
        int32_t at = count; // the second child is a new piece, the first takes the place of the opened node
        for (int32_t k = 0; k < count; k++)
            if (t.pieces[k].child == opened) at = k;
        if (at < count) now += b2d_refine_metric(tree, t.pieces[at].box);
        else count++;
        t.slots[nodes++] = opened;
        t.pieces[at] = (b2d_refine_item){b2d_refine_side_box(n, 0), n->child[0], n->leaves[0]};
        t.pieces[count++] = (b2d_refine_item){b2d_refine_side_box(n, 1), n->child[1], n->leaves[1]};
        opened = B2D_NONE;
        double most = -INFINITY;
        for (int32_t k = 0; k < count && count < TREELET; k++) {
            const int32_t child = t.pieces[k].child;
            if (child < 0 || (tree->nodes[child].flagged & IN_TREELET) == 0) continue;
            const double metric = b2d_refine_metric(tree, t.pieces[k].box);
            if (metric > most) most = metric, opened = child;
        }
    }
    if (count < 3) return;
    const uint32_t all = (1u << count) - 1;
    for (uint32_t set = 1; set <= all; set++) {
        const uint32_t low = set & (~set + 1), rest = set ^ low;
        const b2d_box piece = t.pieces[b2d_ctz64(low)].box;
        t.box[set] = rest == 0 ? piece : b2d_box_union(t.box[rest], piece);
        if (rest == 0) continue;
        t.cost[set] = INFINITY;
        for (uint32_t part = (rest - 1) & rest;; part = (part - 1) & rest) { // with the lowest piece, but not all
            const double cost = t.cost[low | part] + t.cost[rest ^ part];
            if (cost < t.cost[set]) t.cost[set] = cost, t.cut[set] = (uint8_t)(low | part);
            if (part == 0) break;
        }
        if (set != all) t.cost[set] += b2d_refine_metric(tree, t.box[set]);
    }
    if (!(t.cost[all] < now)) return;
    const int32_t parent = tree->nodes[root].parent;
    make_treelet(tree, &t, all);
    tree->nodes[root].parent = parent;
}

// Arranges the items below a node, which the next slot names; returns what the parent has to know.
static b2d_refine_item build(b2d_refine_tree* tree, b2d_refine_scratch* s, b2d_refine_item* items, int32_t count,
                             int32_t kind, int32_t depth) {
    if (count == 1) return items[0];
    const int32_t node = s->slots[s->next++];
    const bool treelets = kind == B2D_REFINE_TREELETS;
    int32_t cut = count / 2; // MORTON: the items are in order
    if (depth > DEEP) kind = B2D_REFINE_MORTON;
    if (count > 2 && kind == B2D_REFINE_SWEEP) cut = split_sweep(tree, s, items, count);
    else if (count > 2 && (kind == B2D_REFINE_BINNED || treelets)) cut = split_binned(tree, s, items, count);
    else if (count > 2 && kind == B2D_REFINE_MEDIAN) cut = split_median(s, items, count);
    const b2d_refine_item sides[2] = {build(tree, s, items, cut, kind, depth + 1),
                                      build(tree, s, items + cut, count - cut, kind, depth + 1)};
    for (int32_t k = 0; k < 2; k++) b2d_refine_fill_side(tree, node, k, &sides[k]);
    const b2d_box box = b2d_refine_node_box(&tree->nodes[node]);
    tree->nodes[node].changed = 0;
    tree->nodes[node].arranged = (float)b2d_refine_metric(tree, box);
    if (treelets) {
        tree->nodes[node].flagged |= IN_TREELET;
        improve_treelet(tree, node);
    }
    return (b2d_refine_item){box, node, sides[0].leaves + sides[1].leaves};
}

// From the bottom up: again and again the two items whose union has the least metric become one. The nearest other item
// of each is kept, so the work is about quadratic. The root gets the first slot.
static b2d_refine_item build_agglomerative(b2d_refine_tree* tree, b2d_refine_scratch* s, b2d_refine_item* items,
                                           int32_t count) {
    int32_t* nearest = (int32_t*)(void*)s->keys; // room for two integers of 64 bits for each b2d_refine_item
    const int32_t first = s->next;
    int32_t slot = first + count - 1;
    s->next = slot;
    for (int32_t k = 0; k < count; k++) nearest[k] = B2D_NONE;
    for (int32_t live = count; live > 1; live--) {
        int32_t best = 0;
        for (int32_t k = 0; k < live; k++) {
            if (nearest[k] == B2D_NONE) {
                s->costs[k] = INFINITY;
                for (int32_t j = 0; j < live; j++) {
                    const double cost = j == k ? INFINITY
                                               : b2d_refine_metric(tree, b2d_box_union(items[k].box, items[j].box));
                    if (cost < s->costs[k]) s->costs[k] = cost, nearest[k] = j;
                }
                if (nearest[k] == B2D_NONE) nearest[k] = k == 0; // infinite boxes
            }
            if (s->costs[k] < s->costs[best]) best = k;
        }
        const int32_t low = b2d_min_int(best, nearest[best]), high = b2d_max_int(best, nearest[best]);
        const int32_t node = s->slots[--slot];
        b2d_refine_fill_side(tree, node, 0, &items[low]);
        b2d_refine_fill_side(tree, node, 1, &items[high]);
        const b2d_box box = b2d_refine_node_box(&tree->nodes[node]);
        tree->nodes[node].changed = 0;
        tree->nodes[node].arranged = (float)b2d_refine_metric(tree, box);
        items[low] = (b2d_refine_item){box, node, items[low].leaves + items[high].leaves};
        const int32_t last = live - 1; // it moves to the place of the second
        items[high] = items[last];
        nearest[high] = nearest[last];
        s->costs[high] = s->costs[last];
        nearest[low] = B2D_NONE;
        for (int32_t k = 0; k < last; k++) {
            if (nearest[k] == low || nearest[k] == high) nearest[k] = B2D_NONE;
            else if (nearest[k] == last) nearest[k] = high;
        }
    }
    return items[0];
}

b2d_refine_item b2d_refine_arrange(b2d_refine_tree* tree, b2d_refine_scratch* s, b2d_refine_item* items, int32_t count,
                                   int32_t kind) {
    s->next = 0;
    if (kind == B2D_REFINE_AGGLOMERATIVE) return build_agglomerative(tree, s, items, count);
    if (kind == B2D_REFINE_MORTON) sort_by_morton_code(s, items, count);
    const b2d_refine_item whole = build(tree, s, items, count, kind, 0);
    for (int32_t k = 0; k < s->next && kind == B2D_REFINE_TREELETS; k++)
        tree->nodes[s->slots[k]].flagged &= ~IN_TREELET;
    return whole;
}

bool b2d_refine_reserve(b2d_refine_tree* tree, b2d_refine_scratch* s, int32_t count) {
    const int32_t room = count + count / 8;
    b2d_memory* m = tree->memory;
    int32_t* capacity = s->capacities;
    return count <= capacity[4] || // the last to grow
           (B2D_GROW(m, s->items, capacity[0], room) && B2D_GROW(m, s->other, capacity[1], room) &&
            B2D_GROW(m, s->keys, capacity[2], 2 * room) && B2D_GROW(m, s->costs, capacity[3], room) &&
            B2D_GROW(m, s->slots, capacity[4], room));
}

// ---- insertion, one leaf after the other

int32_t b2d_refine_insert_leaf(b2d_refine_tree* tree, int32_t leaf, int32_t node) {
    const b2d_box box = tree->boxes[leaf];
    int32_t n = 0;
    for (int32_t depth = 1;; depth++) { // into the child that grows less; bounds grow on the way down
        b2d_refine_node* each = &tree->nodes[n];
        double growth[2];
        for (int32_t k = 0; k < 2; k++)
            growth[k] = b2d_refine_metric(tree, b2d_box_union(b2d_refine_side_box(each, k), box)) -
                        b2d_refine_metric(tree, b2d_refine_side_box(each, k));
        const int32_t side = growth[1] < growth[0] || (growth[1] == growth[0] && each->leaves[1] < each->leaves[0]);
        const b2d_refine_item below = {b2d_refine_side_box(each, side), each->child[side], each->leaves[side]};
        b2d_refine_set_side(each, side, b2d_box_union(below.box, box));
        each->leaves[side]++;
        if (below.child >= 0) {
            n = below.child;
            continue;
        }
        each->child[side] = node;
        tree->nodes[node] = (b2d_refine_node){.parent = 2 * n + side};
        b2d_refine_fill_side(tree, node, 0, &below);
        b2d_refine_fill_side(tree, node, 1, &(b2d_refine_item){box, -1 - leaf, 1});
        return depth;
    }
}

// A node goes to another place; what it was there is forgotten.
static void move_node(b2d_refine_tree* tree, int32_t from, int32_t to) {
    if (from == to) return;
    b2d_refine_node* n = &tree->nodes[to];
    *n = tree->nodes[from];
    for (int32_t k = 0; k < 2; k++) b2d_refine_set_parent(tree, n->child[k], 2 * to + k);
    if (n->parent != B2D_NONE) tree->nodes[n->parent >> 1].child[n->parent & 1] = to;
}

void b2d_refine_remove_leaf(b2d_refine_tree* tree, int32_t leaf) {
    const int32_t place = tree->places[leaf], n = place >> 1, last_node = tree->count - 2, last_leaf = tree->count - 1;
    const b2d_refine_node gone = tree->nodes[n];
    const int32_t other = 1 - (place & 1);
    int32_t free_node = n;
    if (gone.parent == B2D_NONE) { // of three leaves or more, so the other child is a node
        free_node = gone.child[other];
        tree->nodes[free_node].parent = B2D_NONE;
        move_node(tree, free_node, 0);
    } else {
        const b2d_refine_item rest = {b2d_refine_side_box(&gone, other), gone.child[other], gone.leaves[other]};
        b2d_refine_fill_side(tree, gone.parent >> 1, gone.parent & 1, &rest);
        for (int32_t m = gone.parent >> 1; tree->nodes[m].parent != B2D_NONE; m = tree->nodes[m].parent >> 1) {
            const b2d_refine_node* below = &tree->nodes[m];
            b2d_refine_node* above = &tree->nodes[below->parent >> 1];
            b2d_refine_set_side(above, below->parent & 1, b2d_refine_node_box(below));
            above->leaves[below->parent & 1] = b2d_refine_node_leaves(below);
        }
    }
    move_node(tree, last_node, free_node);
    if (leaf != last_leaf) {
        tree->boxes[leaf] = tree->boxes[last_leaf];
        tree->moved[leaf] = tree->moved[last_leaf];
        tree->refined_in[leaf] = tree->refined_in[last_leaf];
        tree->places[leaf] = tree->places[last_leaf];
        tree->nodes[tree->places[leaf] >> 1].child[tree->places[leaf] & 1] = -1 - leaf;
    }
    tree->count--;
}
