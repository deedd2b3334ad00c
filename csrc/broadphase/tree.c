// csrc/broadphase/tree.c - see tree.h. Links first, then insertion and removal, builds, traversals, and the validator.
#include "broadphase/tree.h"

#include <string.h>

// Below MEDIAN_DEPTH ranges are only halved, so that never more than OPEN ranges are pending
enum { BINS = 16, FEW = 6, MEDIAN_DEPTH = 64, OPEN = 96 };

// Number of nodes beyond those of `leaves` leaves, so that no node overwrites a pending item (build_whole): when a
// range of m items becomes a pair while o other ranges are pending, the nodes take 2 (leaves - m + o + 2), the items 20
// / 32 m, and m is at least o + 2.
static int32_t spare_nodes(int32_t leaves) {
    const int32_t item = (int32_t)sizeof(b2d_tree_item), node = (int32_t)sizeof(b2d_tree_node);
    return 2 + (item * (b2d_min_int(leaves, OPEN) + 2) + node - 1) / node;
}

static float half_perimeter(b2d_box b) { return (b.max_x - b.min_x) + (b.max_y - b.min_y); }

void b2d_tree_clear(b2d_tree* tree) {
    if (tree->node_of != NULL) memset(tree->node_of, 0, (size_t)tree->id_capacity * sizeof *tree->node_of);
    tree->used = 2;
    tree->free_pair = B2D_NONE;
    tree->leaf_count = tree->refits = 0;
}

void b2d_tree_init(b2d_tree* tree) {
    *tree = (b2d_tree){0};
    b2d_tree_clear(tree);
}

void b2d_tree_free(b2d_memory* memory, b2d_tree* tree) {
    b2d_free(memory, tree->nodes, (size_t)tree->node_capacity * sizeof *tree->nodes);
    b2d_free(memory, tree->node_of, (size_t)tree->id_capacity * sizeof *tree->node_of);
    b2d_tree_init(tree);
}

bool b2d_tree_reserve(b2d_memory* memory, b2d_tree* tree, int32_t leaves, int32_t ids) {
    return B2D_GROW(memory, tree->nodes, tree->node_capacity, 2 * leaves + spare_nodes(leaves)) &&
           B2D_GROW(memory, tree->node_of, tree->id_capacity, ids);
}

// ---- links

static int32_t take_pair(b2d_tree* tree) {
    int32_t pair = tree->free_pair;
    if (pair != B2D_NONE) {
        tree->free_pair = tree->nodes[pair].parent;
        return pair;
    }
    pair = tree->used;
    tree->used += 2;
    B2D_ASSERT(tree->used <= tree->node_capacity);
    return pair;
}

static void give_pair(b2d_tree* tree, int32_t pair) {
    tree->nodes[pair].parent = tree->free_pair;
    tree->free_pair = pair;
}

// Updates the links to the content of node n, which has moved.
static void relink(b2d_tree* tree, int32_t n) {
    const b2d_tree_node* node = &tree->nodes[n];
    if (node->child == B2D_NONE) tree->node_of[node->shape] = n + 1;
    else tree->nodes[node->child].parent = tree->nodes[node->child + 1].parent = n;
}

static void put(b2d_tree* tree, int32_t n, b2d_tree_node content) {
    int32_t parent = tree->nodes[n].parent;
    tree->nodes[n] = content;
    tree->nodes[n].parent = parent;
    relink(tree, n);
}

static void set_leaf(b2d_tree* tree, int32_t n, int32_t shape, b2d_box box) {
    b2d_tree_node* node = &tree->nodes[n];
    node->box = box;
    node->child = B2D_NONE;
    node->shape = shape;
    node->height = 0;
    tree->node_of[shape] = n + 1;
}

static bool refit(b2d_tree* tree, int32_t n) { // true when something changed
    b2d_tree_node* node = &tree->nodes[n];
    const b2d_tree_node *a = &tree->nodes[node->child], *b = a + 1;
    b2d_box box = b2d_box_union(a->box, b->box);
    int32_t height = b2d_max_int(a->height, b->height) + 1;
    if (height == node->height && b2d_box_same(box, node->box)) return false;
    node->box = box;
    node->height = height;
    return true;
}

static void refit_up(b2d_tree* tree, int32_t n) {
    while (n != B2D_NONE && refit(tree, n)) n = tree->nodes[n].parent;
}

// Exchanges a child of n with a grandchild under its sibling when that makes the sibling smaller.
static void rotate(b2d_tree* tree, int32_t n) {
    const int32_t free_height = 64; // levels; higher nodes take only rotations that do not increase the height
    const int32_t pair = tree->nodes[n].child;
    float best = 0.0f;
    int32_t best_child = B2D_NONE, best_grandchild = B2D_NONE;
    for (int32_t side = 0; side < 2; side++) {
        const b2d_tree_node *child = &tree->nodes[pair + side], *sibling = &tree->nodes[pair + 1 - side];
        if (sibling->child == B2D_NONE || (child->height >= sibling->height && sibling->height > free_height)) continue;
        float now = half_perimeter(sibling->box);
        for (int32_t k = 0; k < 2; k++) { // grandchild k changes places with `child`, the other one stays
            float gain = now - half_perimeter(b2d_box_union(child->box, tree->nodes[sibling->child + 1 - k].box));
            if (gain > best) best = gain, best_child = pair + side, best_grandchild = sibling->child + k;
        }
    }
    if (best_child == B2D_NONE) return;
    b2d_tree_node content = tree->nodes[best_child];
    put(tree, best_child, tree->nodes[best_grandchild]);
    put(tree, best_grandchild, content);
    refit(tree, tree->nodes[best_grandchild].parent);
}

static void improve_up(b2d_tree* tree, int32_t n) {
    for (; n != B2D_NONE; n = tree->nodes[n].parent) {
        refit(tree, n);
        rotate(tree, n);
        refit(tree, n); // a rotation keeps the box but may change the height
    }
}

// ---- one leaf

// The node beside which a box costs least: the union with it plus the growth of all ancestors. Depth first, the cheaper
// child first; branches whose lower bound is no better are skipped.
static int32_t best_sibling(const b2d_tree* tree, b2d_box box) {
    struct {
        int32_t node;
        double inherited;
    } stack[B2D_TREE_HEIGHT + 2];
    const b2d_tree_node* nodes = tree->nodes;
    const double own = half_perimeter(box);
    double best = INFINITY;
    int32_t best_node = 0, count = 1;
    stack[0].node = 0, stack[0].inherited = 0.0;
    while (count > 0) {
        int32_t n = stack[--count].node;
        double inherited = stack[count].inherited;
        while (inherited + own < best) {
            double direct = half_perimeter(b2d_box_union(nodes[n].box, box));
            if (inherited + direct < best) best = inherited + direct, best_node = n;
            if (nodes[n].child == B2D_NONE) break;
            inherited += direct - (double)half_perimeter(nodes[n].box);
            if (!(inherited + own < best)) break;
            int32_t c = nodes[n].child;
            double grow0 = (double)half_perimeter(b2d_box_union(nodes[c].box, box)) -
                           (double)half_perimeter(nodes[c].box);
            double grow1 = (double)half_perimeter(b2d_box_union(nodes[c + 1].box, box)) -
                           (double)half_perimeter(nodes[c + 1].box);
            int32_t near = grow1 < grow0;
            stack[count].node = c + 1 - near, stack[count++].inherited = inherited;
            n = c + near;
        }
    }
    return best_node;
}

// An empty node for content with this box: the root of an empty tree, or one node of a new pair beside the best
// sibling.
static int32_t make_room(b2d_tree* tree, b2d_box box) {
    if (tree->leaf_count == 0) {
        tree->nodes[0].parent = B2D_NONE;
        return 0;
    }
    int32_t n = best_sibling(tree, box), pair = take_pair(tree);
    b2d_tree_node* node = &tree->nodes[n];
    tree->nodes[pair].parent = tree->nodes[pair + 1].parent = n;
    put(tree, pair, *node);
    node->child = pair;
    node->shape = B2D_NONE;
    node->height = -1; // so that the refit finds a change
    return pair + 1;
}

void b2d_tree_insert(b2d_tree* tree, int32_t shape, b2d_box box) {
    B2D_ASSERT(!b2d_tree_has(tree, shape));
    int32_t n = make_room(tree, box);
    set_leaf(tree, n, shape, box);
    tree->leaf_count++;
    improve_up(tree, tree->nodes[n].parent);
    if (tree->nodes[0].height > B2D_TREE_HEIGHT - 2) b2d_tree_rebuild(tree);
}

void b2d_tree_remove(b2d_tree* tree, int32_t shape) {
    B2D_ASSERT(b2d_tree_has(tree, shape));
    int32_t n = tree->node_of[shape] - 1;
    tree->node_of[shape] = 0;
    tree->leaf_count--;
    if (n == 0) return;
    int32_t parent = tree->nodes[n].parent;
    put(tree, parent, tree->nodes[n ^ 1]);
    give_pair(tree, n & ~1);
    refit_up(tree, tree->nodes[parent].parent);
}

void b2d_tree_move(b2d_tree* tree, int32_t shape, b2d_box box) {
    int32_t n = tree->node_of[shape] - 1;
    if (b2d_box_overlaps(tree->nodes[n].box, box)) {
        tree->nodes[n].box = box;
        tree->refits++;
        refit_up(tree, tree->nodes[n].parent);
        return;
    }
    b2d_tree_remove(tree, shape);
    b2d_tree_insert(tree, shape, box);
}

// ---- builds

static float center_x(const b2d_tree_item* item) { return 0.5f * item->box.min_x + 0.5f * item->box.max_x; }
static float center_y(const b2d_tree_item* item) { return 0.5f * item->box.min_y + 0.5f * item->box.max_y; }

// Splits items[0 .. count) at the cheapest plane between bins on the longer axis of their centres; returns how many
// come first. Items with equal centres are halved in their present order.
static int32_t split(b2d_tree_item* items, int32_t count, bool halve) {
    if (count == 2 || halve) return count / 2;
    float lower_x = INFINITY, lower_y = INFINITY, upper_x = -INFINITY, upper_y = -INFINITY;
    for (int32_t i = 0; i < count; i++) {
        float x = center_x(&items[i]), y = center_y(&items[i]);
        lower_x = b2d_min(lower_x, x), upper_x = b2d_max(upper_x, x);
        lower_y = b2d_min(lower_y, y), upper_y = b2d_max(upper_y, y);
    }
    const bool vertical = upper_y - lower_y > upper_x - lower_x;
    const float lower = vertical ? lower_y : lower_x, extent = vertical ? upper_y - lower_y : upper_x - lower_x;
    if (!(extent > 1.0e-30f)) return count / 2;
    if (count <= FEW) { // sorting is cheaper than bins
        for (int32_t i = 1; i < count; i++) {
            const b2d_tree_item item = items[i];
            const float center = vertical ? center_y(&item) : center_x(&item);
            int32_t j = i;
            for (; j > 0 && center < (vertical ? center_y(&items[j - 1]) : center_x(&items[j - 1])); j--)
                items[j] = items[j - 1];
            items[j] = item;
        }
        return count / 2;
    }
    const float scale = (float)BINS / extent;

    struct {
        b2d_box box;
        int32_t count;
    } bins[BINS];
    const b2d_box nothing = {INFINITY, INFINITY, -INFINITY, -INFINITY};
    for (int32_t b = 0; b < BINS; b++) bins[b].box = nothing, bins[b].count = 0;
    for (int32_t i = 0; i < count; i++) {
        int32_t b = b2d_min_int((int32_t)(((vertical ? center_y(&items[i]) : center_x(&items[i])) - lower) * scale),
                                BINS - 1);
        bins[b].box = b2d_box_union(bins[b].box, items[i].box);
        bins[b].count++;
    }
    double cost[BINS]; // of what lies in bins 0 .. b
    b2d_box box = nothing;
    int32_t sum = 0;
    for (int32_t b = 0; b < BINS - 1; b++) {
        box = b2d_box_union(box, bins[b].box);
        sum += bins[b].count;
        cost[b] = sum == 0 ? 0.0 : (double)sum * (double)half_perimeter(box);
    }
    box = nothing;
    sum = 0;
    double best = INFINITY;
    int32_t best_bin = B2D_NONE;
    for (int32_t b = BINS - 1; b > 0; b--) {
        box = b2d_box_union(box, bins[b].box);
        sum += bins[b].count;
        if (sum == 0 || sum == count) continue;
        double both = cost[b - 1] + (double)sum * (double)half_perimeter(box);
        if (both < best) best = both, best_bin = b;
    }
    if (best_bin == B2D_NONE) return count / 2;
    int32_t first = 0; // bins below best_bin come first; no branch, since it would be unpredictable
    for (int32_t i = 0; i < count; i++) {
        const b2d_tree_item item = items[i];
        const int32_t b = b2d_min_int((int32_t)(((vertical ? center_y(&item) : center_x(&item)) - lower) * scale),
                                      BINS - 1);
        items[i] = items[first];
        items[first] = item;
        first += b < best_bin;
    }
    return first;
}

static b2d_box bounds(const b2d_tree_item* items, int32_t count) {
    b2d_box box = items[0].box;
    for (int32_t i = 1; i < count; i++) box = b2d_box_union(box, items[i].box);
    return box;
}

// Boxes and heights of the inner nodes from n down, children before parents.
static void refit_below(b2d_tree* tree, int32_t root) {
    int32_t n = root;
    do {
        while (tree->nodes[n].child != B2D_NONE) n = tree->nodes[n].child;
        while (n != root && (n & 1) != 0) {
            n = tree->nodes[n].parent;
            refit(tree, n);
        }
        if (n != root) n++;
    } while (n != root);
}

// Fills node `root`, whose parent is set, with a tree over items; the caller counts the leaves.
static void build_at(b2d_tree* tree, int32_t root, b2d_tree_item* items, int32_t count) {
    struct {
        int32_t node, begin, end, depth;
    } stack[OPEN];
    int32_t open = 1;
    stack[0].node = root, stack[0].begin = 0, stack[0].end = count, stack[0].depth = 0;
    while (open > 0) {
        open--;
        const int32_t n = stack[open].node, begin = stack[open].begin, end = stack[open].end, depth = stack[open].depth;
        if (end - begin == 1) {
            const b2d_tree_item item = items[begin];
            set_leaf(tree, n, item.shape, item.box);
            continue;
        }
        const int32_t middle = begin + split(items + begin, end - begin, depth >= MEDIAN_DEPTH), pair = take_pair(tree);
        tree->nodes[n].child = pair;
        tree->nodes[n].shape = B2D_NONE;
        tree->nodes[pair].parent = tree->nodes[pair + 1].parent = n;
        stack[open].node = pair + 1, stack[open].begin = middle, stack[open].end = end, stack[open++].depth = depth + 1;
        stack[open].node = pair, stack[open].begin = begin, stack[open].end = middle, stack[open++].depth = depth + 1;
    }
    refit_below(tree, root);
}

// Where items for build_whole are collected: at the start of the array of nodes, which are no longer needed.
static b2d_tree_item* build_items(b2d_tree* tree) { return (b2d_tree_item*)(void*)tree->nodes; }

// Builds a tree from the first `count` build_items, for which room was reserved. They move to the end of the array;
// nodes are taken from its start in the order in which items are used up, so the two never overlap (spare_nodes).
static void build_whole(b2d_tree* tree, int32_t count) {
    const size_t bytes = (size_t)count * sizeof(b2d_tree_item);
    b2d_tree_item* items = (b2d_tree_item*)(void*)((uint8_t*)(tree->nodes + tree->node_capacity) - bytes);
    if (count > 0) memmove(items, tree->nodes, bytes);
    tree->used = 2;
    tree->free_pair = B2D_NONE;
    tree->leaf_count = count;
    tree->refits = 0;
    if (count == 0) return;
    tree->nodes[0].parent = B2D_NONE;
    build_at(tree, 0, items, count);
}

// Packs the leaves to build_items, in the order of their nodes: an item is smaller than a node. Returns how many.
static int32_t pack_leaves(b2d_tree* tree) {
    b2d_tree_item* items = build_items(tree);
    int32_t count = 0;
    for (int32_t n = 0; count < tree->leaf_count; n++) {
        const b2d_tree_node node = tree->nodes[n];
        const bool leaf = node.child == B2D_NONE && node.shape >= 0 && node.shape < tree->id_capacity &&
                          tree->node_of[node.shape] == n + 1;
        if (leaf) items[count++] = (b2d_tree_item){node.box, node.shape};
    }
    return count;
}

void b2d_tree_rebuild(b2d_tree* tree) { build_whole(tree, pack_leaves(tree)); }

void b2d_tree_insert_items(b2d_tree* tree, b2d_tree_item* items, int32_t count) {
    const int32_t clump = 16; // leaves; smaller clumps give a better tree, larger ones a cheaper insertion
    struct {
        int32_t begin, end, depth;
    } stack[OPEN];
    int32_t open = 0;
    if (count > 0) stack[open].begin = 0, stack[open].end = count, stack[open++].depth = 0;
    while (open > 0) {
        open--;
        const int32_t begin = stack[open].begin, end = stack[open].end, depth = stack[open].depth;
        if (end - begin > clump) {
            const int32_t middle = begin + split(items + begin, end - begin, depth >= MEDIAN_DEPTH);
            stack[open].begin = middle, stack[open].end = end, stack[open++].depth = depth + 1;
            stack[open].begin = begin, stack[open].end = middle, stack[open++].depth = depth + 1;
            continue;
        }
        const int32_t n = make_room(tree, bounds(items + begin, end - begin));
        build_at(tree, n, items + begin, end - begin);
        tree->leaf_count += end - begin;
        improve_up(tree, tree->nodes[n].parent);
        if (tree->nodes[0].height >
            B2D_TREE_HEIGHT - 2 - clump) { // rare: one build of the remaining items and the present leaves
            const int32_t kept = pack_leaves(tree);
            memcpy(build_items(tree) + kept, items + end, (size_t)(count - end) * sizeof *items);
            build_whole(tree, kept + count - end);
            return;
        }
    }
}

// ---- many changes at once

bool b2d_tree_sync(b2d_memory* memory, b2d_tree* tree, const b2d_proxies* proxies, const int32_t* ids, int32_t count,
                   const uint8_t* column, uint32_t wanted) {
    int32_t come = 0, gone = 0, moved = 0;
    for (int32_t k = 0; k < count; k++) {
        const bool has = b2d_tree_has(tree, ids[k]), wants = (wanted >> column[ids[k]] & 1) != 0;
        come += wants && !has;
        gone += has && !wants;
        moved += has && wants;
    }
    if (come + gone + moved == 0) return true;
    if (!b2d_tree_reserve(memory, tree, tree->leaf_count + come, proxies->capacity)) return false;

    if (come + gone > 32 && 4 * (int64_t)(come + gone) > tree->leaf_count) { // a new build is cheaper
        int32_t kept = 0;
        const int32_t total = pack_leaves(tree);
        b2d_tree_item* items = build_items(tree);
        for (int32_t i = 0; i < total; i++) {
            const int32_t shape = items[i].shape;
            if ((wanted >> column[shape] & 1) != 0) items[kept++] = (b2d_tree_item){b2d_fat_box(proxies, shape), shape};
            else tree->node_of[shape] = 0;
        }
        for (int32_t k = 0; k < count; k++)
            if ((wanted >> column[ids[k]] & 1) != 0 && !b2d_tree_has(tree, ids[k]))
                items[kept++] = (b2d_tree_item){b2d_fat_box(proxies, ids[k]), ids[k]};
        build_whole(tree, kept);
        return true;
    }

    if (gone > 0)
        for (int32_t k = 0; k < count; k++)
            if ((wanted >> column[ids[k]] & 1) == 0 && b2d_tree_has(tree, ids[k])) b2d_tree_remove(tree, ids[k]);
    if (moved > 0) {
        const bool all = 4 * (int64_t)moved >
                         tree->leaf_count; // one pass over all nodes is cheaper than a climb for each leaf
        if (all) {
            for (int32_t k = 0; k < count; k++) {
                if (!b2d_tree_has(tree, ids[k])) continue;
                b2d_tree_node* leaf = &tree->nodes[tree->node_of[ids[k]] - 1];
                const b2d_box box = b2d_fat_box(proxies, ids[k]);
                if (b2d_box_same(leaf->box, box) || !b2d_box_overlaps(leaf->box, box)) continue;
                leaf->box = box;
                tree->refits++;
            }
            refit_below(tree, 0);
        }
        for (int32_t k = 0; k < count; k++) {
            if (!b2d_tree_has(tree, ids[k])) continue;
            const b2d_box box = b2d_fat_box(proxies, ids[k]);
            if (!b2d_box_same(b2d_tree_box(tree, ids[k]), box)) b2d_tree_move(tree, ids[k], box);
        }
        const int32_t patience = 16; // mean number of refits of a leaf before the tree is rebuilt
        if (tree->refits / patience > tree->leaf_count) b2d_tree_rebuild(tree);
    }
    for (int32_t k = 0; k < count && come > 0;) {
        b2d_tree_item items[512]; // clumps are made from as many items
        int32_t some = 0;
        for (; k < count && some < 512; k++)
            if ((wanted >> column[ids[k]] & 1) != 0 && !b2d_tree_has(tree, ids[k]))
                items[some++] = (b2d_tree_item){b2d_fat_box(proxies, ids[k]), ids[k]};
        if (some > 32) b2d_tree_insert_items(tree, items, some);
        else
            for (int32_t i = 0; i < some; i++) b2d_tree_insert(tree, items[i].shape, items[i].box);
    }
    return true;
}

// ---- ray traversal

bool b2d_tree_ray(const b2d_tree* tree, const b2d_ray* ray, const float* max_fraction, b2d_query_fn* found,
                  void* context) {
    struct {
        int32_t node;
        double enter;
    } stack[B2D_TREE_HEIGHT + 2];
    const b2d_tree_node* nodes = tree->nodes;
    if (tree->leaf_count == 0) return true;
    int32_t count = 0;
    double enter = b2d_ray_enter(ray, nodes[0].box, *max_fraction);
    if (enter >= 0.0) stack[0].node = 0, stack[0].enter = enter, count = 1;
    while (count > 0) {
        int32_t n = stack[--count].node;
        if (stack[count].enter > *max_fraction) continue; // equal fractions are kept
        while (nodes[n].child != B2D_NONE) {
            int32_t c = nodes[n].child;
            double first = b2d_ray_enter(ray, nodes[c].box, *max_fraction),
                   second = b2d_ray_enter(ray, nodes[c + 1].box, *max_fraction);
            if (first < 0.0 && second < 0.0) {
                n = B2D_NONE;
                break;
            }
            bool second_near = first < 0.0 || (second >= 0.0 && second < first);
            n = second_near ? c + 1 : c;
            if (first >= 0.0 && second >= 0.0) {
                stack[count].node = second_near ? c : c + 1;
                stack[count++].enter = second_near ? first : second;
            }
        }
        if (n != B2D_NONE && !found(context, nodes[n].shape)) return false;
    }
    return true;
}

// ---- validation

double b2d_tree_cost(const b2d_tree* tree) {
    if (tree->leaf_count < 2) return 0.0;
    double sum = 0.0;
    int32_t n = 0;
    do { // inner nodes from the left, by parent links
        if (tree->nodes[n].child != B2D_NONE) {
            sum += half_perimeter(tree->nodes[n].box);
            n = tree->nodes[n].child;
            continue;
        }
        while (n != 0 && (n & 1) != 0) n = tree->nodes[n].parent;
        if (n != 0) n++;
    } while (n != 0);
    double root = half_perimeter(tree->nodes[0].box);
    return root > 0.0 ? sum / root : 0.0;
}

static void inner_boxes(const b2d_tree* tree, int32_t node, b2d_box_fn* found, void* context) {
    const b2d_tree_node* n = &tree->nodes[node];
    if (n->child == B2D_NONE) return;
    found(context, n->box, n->height);
    inner_boxes(tree, n->child, found, context);
    inner_boxes(tree, n->child + 1, found, context);
}

void b2d_tree_inner_boxes(const b2d_tree* tree, b2d_box_fn* found, void* context) {
    if (tree->leaf_count > 0) inner_boxes(tree, 0, found, context);
}

const char* b2d_tree_validate(const b2d_tree* tree) {
    int32_t leaves = 0, pairs = 0, listed = 0;
    if (tree->leaf_count > 0) {
        if (tree->nodes[0].parent != B2D_NONE) return "tree: the root has a parent";
        int32_t n = 0;
        do {
            const b2d_tree_node* node = &tree->nodes[n];
            if (node->child != B2D_NONE) {
                const b2d_tree_node *a = &tree->nodes[node->child], *b = a + 1;
                if (node->child < 2 || (node->child & 1) != 0 || node->child + 1 >= tree->used)
                    return "tree: a pair of children is out of range";
                if (a->parent != n || b->parent != n) return "tree: a child does not know its parent";
                if (node->shape != B2D_NONE) return "tree: an inner node holds a shape";
                if (!b2d_box_same(node->box, b2d_box_union(a->box, b->box)))
                    return "tree: a box is not the union of its children's";
                if (node->height != b2d_max_int(a->height, b->height) + 1) return "tree: a height is wrong";
                if (node->height > B2D_TREE_HEIGHT) return "tree: too high";
                if (++pairs >= tree->leaf_count) return "tree: more inner nodes than leaves";
                n = node->child;
                continue;
            }
            if (node->height != 0) return "tree: a leaf has a height";
            if (node->shape < 0 || node->shape >= tree->id_capacity || tree->node_of[node->shape] != n + 1)
                return "tree: a leaf is not in the node that its shape names";
            leaves++;
            while (n != 0 && (n & 1) != 0) n = tree->nodes[n].parent;
            if (n != 0) n++;
        } while (n != 0);
    }
    if (leaves != tree->leaf_count) return "tree: the leaves are miscounted";
    for (int32_t i = 0; i < tree->id_capacity; i++) listed += tree->node_of[i] != 0;
    if (listed != tree->leaf_count) return "tree: a shape points at no leaf";
    for (int32_t pair = tree->free_pair; pair != B2D_NONE; pair = tree->nodes[pair].parent)
        if (++pairs > tree->used / 2) return "tree: the free list runs in a circle";
    if (2 * pairs + 2 != tree->used) return "tree: nodes leak";
    return NULL;
}
