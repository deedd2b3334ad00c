// csrc/lab/object_tree.c - a tree of objects: each node and each leaf in memory of its own, with virtual functions.
//
// Idea (Nordby 2015): what the refined tree replaced. A node holds only its own box, so a test of the boxes of two
// children reads both objects. Leaves are added one by one. An update fits all bounds from the bottom up; a node whose
// bounds passed its threshold is built anew at the medians, with all below, and its new threshold follows from that.
// Cost: figures in docs/lab.md. Threads: one. Proof: tests/c/test_refine_tree.c.
#include "base/radix_sort.h"
#include "lab/refine_data.h"

#include <string.h>

typedef struct object object;

typedef struct object_type {
    b2d_box (*fit)(b2d_object_tree*, object*);
    void (*among)(b2d_object_tree*, const object*);                  // pairs below
    void (*between)(b2d_object_tree*, const object*, const object*); // pairs of what is below two that overlap
    int32_t (*collect)(b2d_object_tree*, object*, int32_t);          // leaves below, into an array from a place on
} object_type;

struct object { // a node
    const object_type* type;
    b2d_box box;
    object* child[2]; // NULL in a leaf
    struct entry* entry;
    double threshold;
};

typedef struct entry { // what a leaf stands for: an object of the program
    b2d_box box;
    int32_t id;
} entry;

struct b2d_object_tree {
    b2d_memory memory;
    object* root;
    entry** entries;
    object **leaves, **sorted, **unused; // the nodes that a build may use are in `unused`
    object** made;                       // all objects
    uint64_t* keys;
    int32_t count, made_count, unused_count;
    int64_t pairs;
    uint64_t hash;
};

static double metric(b2d_box box) {
    return (double)box.max_x - (double)box.min_x + (double)box.max_y - (double)box.min_y;
}

// ---- leaves

static b2d_box fit_leaf(b2d_object_tree* tree, object* leaf) {
    (void)tree;
    return leaf->box = leaf->entry->box;
}

static void among_leaf(b2d_object_tree* tree, const object* leaf) { (void)tree, (void)leaf; }

static void between_leaf(b2d_object_tree* tree, const object* leaf, const object* other) {
    if (other->child[0] != NULL) {
        other->type->between(tree, other, leaf);
        return;
    }
    tree->pairs++;
    tree->hash += b2d_refine_pair_hash(leaf->entry->id, other->entry->id);
}

static int32_t collect_leaf(b2d_object_tree* tree, object* leaf, int32_t at) {
    tree->leaves[at] = leaf;
    return at + 1;
}

// ---- nodes

static object* build(b2d_object_tree* tree, int32_t from, int32_t to) {
    if (to - from == 1) return tree->leaves[from];
    b2d_box centers = b2d_refine_no_box();
    for (int32_t k = from; k < to; k++) {
        const b2d_box b = tree->leaves[k]->box;
        const float x = 0.5f * b.min_x + 0.5f * b.max_x, y = 0.5f * b.min_y + 0.5f * b.max_y;
        centers = b2d_box_union(centers, (b2d_box){x, y, x, y});
    }
    const bool upright = centers.max_y - centers.min_y > centers.max_x - centers.min_x;
    for (int32_t k = from; k < to; k++) {
        const b2d_box b = tree->leaves[k]->box;
        const float center = upright ? 0.5f * b.min_y + 0.5f * b.max_y : 0.5f * b.min_x + 0.5f * b.max_x;
        tree->keys[k - from] = (uint64_t)b2d_float_key(center) << 32 | (uint32_t)k;
    }
    b2d_radix_sort(tree->keys, tree->keys + (to - from), to - from);
    for (int32_t k = from; k < to; k++) tree->sorted[k] = tree->leaves[(uint32_t)tree->keys[k - from]];
    memcpy(tree->leaves + from, tree->sorted + from, (size_t)(to - from) * sizeof *tree->leaves);
    const int32_t middle = from + (to - from) / 2;
    object* node = tree->unused[--tree->unused_count];
    node->child[0] = build(tree, from, middle);
    node->child[1] = build(tree, middle, to);
    node->box = b2d_box_union(node->child[0]->box, node->child[1]->box);
    node->threshold = 1.4 * metric(node->box);
    return node;
}

static b2d_box fit_node(b2d_object_tree* tree, object* node) {
    for (int32_t k = 0; k < 2; k++) node->child[k]->type->fit(tree, node->child[k]);
    return node->box = b2d_box_union(node->child[0]->box, node->child[1]->box);
}

static int32_t collect_node(b2d_object_tree* tree, object* node, int32_t at) {
    tree->unused[tree->unused_count++] = node;
    for (int32_t k = 0; k < 2; k++) at = node->child[k]->type->collect(tree, node->child[k], at);
    return at;
}

static void between_node(b2d_object_tree* tree, const object* node, const object* other) {
    for (int32_t k = 0; k < 2; k++) {
        const object* child = node->child[k];
        if (other->child[0] == NULL) {
            if (b2d_box_overlaps(child->box, other->box)) child->type->between(tree, child, other);
            continue;
        }
        for (int32_t j = 0; j < 2; j++)
            if (b2d_box_overlaps(child->box, other->child[j]->box)) child->type->between(tree, child, other->child[j]);
    }
}

static void among_node(b2d_object_tree* tree, const object* node) {
    const object *a = node->child[0], *b = node->child[1];
    a->type->among(tree, a);
    b->type->among(tree, b);
    if (b2d_box_overlaps(a->box, b->box)) a->type->between(tree, a, b);
}

static const object_type LEAF = {fit_leaf, among_leaf, between_leaf, collect_leaf},
                         NODE = {fit_node, among_node, between_node, collect_node};

// The place of a node that is to be built anew is `link`.
static void rebuild_above_threshold(b2d_object_tree* tree, object** link) {
    object* node = *link;
    if (node->child[0] == NULL) return;
    if (metric(node->box) <= node->threshold) {
        for (int32_t k = 0; k < 2; k++) rebuild_above_threshold(tree, &node->child[k]);
        return;
    }
    tree->unused_count = 0;
    *link = build(tree, 0, node->type->collect(tree, node, 0));
}

// ---- the tree

static object* make_node(b2d_object_tree* tree, const object_type* type) {
    object* made = b2d_allocate(&tree->memory, sizeof *made);
    if (made == NULL) return NULL;
    made->type = type;
    return tree->made[tree->made_count++] = made;
}

static bool insert(b2d_object_tree* tree, int32_t id, b2d_box box) {
    entry* added = tree->entries[id] = b2d_allocate(&tree->memory, sizeof *added);
    object* leaf = make_node(tree, &LEAF);
    if (added == NULL || leaf == NULL) return false;
    *added = (entry){box, id};
    leaf->entry = added;
    leaf->box = box;
    object** link = &tree->root;
    while (*link != NULL && (*link)->child[0] != NULL) {
        object* node = *link;
        node->box = b2d_box_union(node->box, box);
        double growth[2];
        for (int32_t k = 0; k < 2; k++)
            growth[k] = metric(b2d_box_union(node->child[k]->box, box)) - metric(node->child[k]->box);
        link = &node->child[growth[1] < growth[0]];
    }
    if (*link == NULL) return *link = leaf, true;
    object* node = make_node(tree, &NODE);
    if (node == NULL) return false;
    node->child[0] = *link, node->child[1] = leaf;
    node->box = b2d_box_union((*link)->box, box);
    *link = node;
    return true;
}

void b2d_object_tree_destroy(b2d_object_tree* tree) {
    if (tree == NULL) return;
    const size_t n = (size_t)tree->count;
    b2d_memory* m = &tree->memory;
    for (int32_t k = 0; k < tree->made_count; k++) b2d_free(m, tree->made[k], sizeof **tree->made);
    for (int32_t k = 0; k < tree->count && tree->entries != NULL; k++) b2d_free(m, tree->entries[k], sizeof(entry));
    b2d_free(m, tree->entries, n * sizeof *tree->entries);
    b2d_free(m, tree->leaves, n * sizeof *tree->leaves);
    b2d_free(m, tree->sorted, n * sizeof *tree->sorted);
    b2d_free(m, tree->unused, n * sizeof *tree->unused);
    b2d_free(m, tree->made, 2 * n * sizeof *tree->made);
    b2d_free(m, tree->keys, 2 * n * sizeof *tree->keys);
    b2d_memory last = *m;
    b2d_free(&last, tree, sizeof *tree);
}

b2d_status b2d_object_tree_create(const float* boxes, int32_t count, b2d_object_tree** out) {
    b2d_memory memory = {.fail_after = -1};
    *out = NULL;
    if (count < 2) return B2D_OUT_OF_RANGE;
    b2d_object_tree* tree = b2d_allocate(&memory, sizeof *tree);
    if (tree == NULL) return B2D_NO_MEMORY;
    const size_t n = (size_t)count;
    tree->memory = memory;
    tree->count = count;
    bool whole = (tree->entries = b2d_allocate(&tree->memory, n * sizeof *tree->entries)) != NULL &&
                 (tree->leaves = b2d_allocate(&tree->memory, n * sizeof *tree->leaves)) != NULL &&
                 (tree->sorted = b2d_allocate(&tree->memory, n * sizeof *tree->sorted)) != NULL &&
                 (tree->unused = b2d_allocate(&tree->memory, n * sizeof *tree->unused)) != NULL &&
                 (tree->made = b2d_allocate(&tree->memory, 2 * n * sizeof *tree->made)) != NULL &&
                 (tree->keys = b2d_allocate(&tree->memory, 2 * n * sizeof *tree->keys)) != NULL;
    for (int32_t k = 0; k < count && whole; k++)
        whole = insert(tree, k, (b2d_box){boxes[4 * k], boxes[4 * k + 1], boxes[4 * k + 2], boxes[4 * k + 3]});
    if (!whole) return b2d_object_tree_destroy(tree), B2D_NO_MEMORY;
    *out = tree;
    return B2D_OK;
}

void b2d_object_tree_frame(b2d_object_tree* tree, const float* boxes, double ms[2], int64_t* pairs, uint64_t* hash) {
    for (int32_t k = 0; k < tree->count; k++)
        tree->entries[k]->box = (b2d_box){boxes[4 * k], boxes[4 * k + 1], boxes[4 * k + 2], boxes[4 * k + 3]};
    const double start = b2d_thread_milliseconds();
    tree->root->type->fit(tree, tree->root);
    rebuild_above_threshold(tree, &tree->root);
    const double updated = b2d_thread_milliseconds();
    tree->pairs = 0, tree->hash = 0;
    tree->root->type->among(tree, tree->root);
    ms[0] = updated - start, ms[1] = b2d_thread_milliseconds() - updated;
    *pairs = tree->pairs, *hash = tree->hash;
}
