// csrc/lab/pair_sets.c - the four ways that document 001 names to keep pairs, against each other.
//
// The pair manager (a hash table over a dense array), a matrix of bits, a list for each lower id, and an ordered map: a
// balanced tree with a node on the heap for each pair, as the map of the C++ library has.
#include "base/timer.h"
#include "box2dpy_lab.h"
#include "lab/pair_manager.h"

#include <string.h>

typedef struct pair_node { // of a tree of Andersson: levels fall by one to the left, right ones may be equal once
    uint64_t key;
    struct pair_node *left, *right;
    int32_t level;
} pair_node;

typedef struct keeper {
    b2d_memory* memory;
    const uint64_t* keys; // the pairs, in the order in which they are added
    uint64_t* asked;      // in the order in which they are looked up and removed
    int32_t count, ids;
    b2d_pair_manager manager;
    uint64_t* bits;
    size_t words;
    int32_t *heads, *next; // places of keys plus one, by lower id and by place
    pair_node* root;
    bool failed;
} keeper;

// Each function adds, finds, walks or removes all pairs, and returns how many it found.
typedef int64_t keep_fn(keeper* k);

static int64_t manager_add(keeper* k) {
    for (int32_t i = 0; i < k->count; i++) b2d_pair_manager_add(k->memory, &k->manager, k->keys[i]);
    k->failed = k->manager.failed;
    return k->manager.count;
}
static int64_t manager_find(keeper* k) {
    int64_t found = 0;
    for (int32_t i = 0; i < k->count; i++) found += b2d_pair_manager_has(&k->manager, k->asked[i]);
    return found;
}
static int64_t manager_walk(keeper* k) {
    int64_t found = 0;
    for (int32_t i = 0; i < k->manager.count; i++) found += k->manager.keys[i] != UINT64_MAX;
    return found;
}
static int64_t manager_remove(keeper* k) {
    for (int32_t i = 0; i < k->count; i++) b2d_pair_manager_remove(k->memory, &k->manager, k->asked[i]);
    return k->count - k->manager.count;
}

static uint64_t bit_of(const keeper* k, uint64_t key) { return (key >> 32) * (uint64_t)k->ids + (uint32_t)key; }
static int64_t matrix_add(keeper* k) {
    for (int32_t i = 0; i < k->count; i++) k->bits[bit_of(k, k->keys[i]) >> 6] |= 1ull << (bit_of(k, k->keys[i]) & 63);
    return k->count;
}
static int64_t matrix_find(keeper* k) {
    int64_t found = 0;
    for (int32_t i = 0; i < k->count; i++)
        found += k->bits[bit_of(k, k->asked[i]) >> 6] >> (bit_of(k, k->asked[i]) & 63) & 1;
    return found;
}
static int64_t matrix_walk(keeper* k) {
    int64_t found = 0;
    for (size_t w = 0; w < k->words; w++)
        for (uint64_t left = k->bits[w]; left != 0; left &= left - 1) found++;
    return found;
}
static int64_t matrix_remove(keeper* k) {
    for (int32_t i = 0; i < k->count; i++)
        k->bits[bit_of(k, k->asked[i]) >> 6] &= ~(1ull << (bit_of(k, k->asked[i]) & 63));
    return k->count;
}

static int32_t* link_of(keeper* k, uint64_t key) { // the link that leads to the pair, or the last of its list
    int32_t* link = &k->heads[key >> 32];
    while (*link != 0 && k->keys[*link - 1] != key) link = &k->next[*link - 1];
    return link;
}
static int64_t lists_add(keeper* k) { // a list is searched first: a pair may be present
    int64_t added = 0;
    for (int32_t i = 0; i < k->count; i++) {
        int32_t* link = link_of(k, k->keys[i]);
        if (*link != 0) continue;
        k->next[i] = 0;
        *link = i + 1;
        added++;
    }
    return added;
}
static int64_t lists_find(keeper* k) {
    int64_t found = 0;
    for (int32_t i = 0; i < k->count; i++) found += *link_of(k, k->asked[i]) != 0;
    return found;
}
static int64_t lists_walk(keeper* k) {
    int64_t found = 0;
    for (int32_t id = 0; id < k->ids; id++)
        for (int32_t at = k->heads[id]; at != 0; at = k->next[at - 1]) found += k->keys[at - 1] != UINT64_MAX;
    return found;
}
static int64_t lists_remove(keeper* k) {
    int64_t removed = 0;
    for (int32_t i = 0; i < k->count; i++) {
        int32_t* link = link_of(k, k->asked[i]);
        if (*link == 0) continue;
        *link = k->next[*link - 1];
        removed++;
    }
    return removed;
}

static pair_node* skew(pair_node* n) {
    if (n == NULL || n->left == NULL || n->left->level != n->level) return n;
    pair_node* left = n->left;
    n->left = left->right;
    left->right = n;
    return left;
}
static pair_node* split(pair_node* n) {
    if (n == NULL || n->right == NULL || n->right->right == NULL || n->right->right->level != n->level) return n;
    pair_node* right = n->right;
    n->right = right->left;
    right->left = n;
    right->level++;
    return right;
}
static pair_node* insert(keeper* k, pair_node* n, uint64_t key, int64_t* added) {
    if (n == NULL) {
        pair_node* made = b2d_allocate(k->memory, sizeof *made);
        if (made == NULL) {
            k->failed = true;
            return NULL;
        }
        *made = (pair_node){.key = key, .level = 1};
        ++*added;
        return made;
    }
    if (key < n->key) n->left = insert(k, n->left, key, added);
    else if (key > n->key) n->right = insert(k, n->right, key, added);
    return split(skew(n));
}
static int32_t level_of(const pair_node* n) { return n == NULL ? 0 : n->level; }
static pair_node* erase(keeper* k, pair_node* n, uint64_t key, int64_t* removed) {
    if (n == NULL) return NULL;
    if (key < n->key) n->left = erase(k, n->left, key, removed);
    else if (key > n->key) n->right = erase(k, n->right, key, removed);
    else if (n->left == NULL || n->right == NULL) {
        pair_node* below = n->left == NULL ? n->right : n->left;
        b2d_free(k->memory, n, sizeof *n);
        ++*removed;
        return below;
    } else {
        const pair_node* next = n->right;
        while (next->left != NULL) next = next->left;
        n->key = next->key;
        n->right = erase(k, n->right, n->key, removed);
    }
    const int32_t least = 1 + b2d_min_int(level_of(n->left), level_of(n->right));
    if (least < n->level) {
        n->level = least;
        if (level_of(n->right) > least) n->right->level = least;
    }
    n = skew(n);
    n->right = skew(n->right);
    if (n->right != NULL) n->right->right = skew(n->right->right);
    n = split(n);
    n->right = split(n->right);
    return n;
}
static int64_t map_add(keeper* k) {
    int64_t added = 0;
    for (int32_t i = 0; i < k->count; i++) k->root = insert(k, k->root, k->keys[i], &added);
    return added;
}
static int32_t nodes_to(const keeper* k, uint64_t key, int64_t* found) {
    int32_t nodes = 1;
    const pair_node* n = k->root;
    for (; n != NULL && n->key != key; nodes++) n = key < n->key ? n->left : n->right;
    *found += n != NULL;
    return nodes;
}
static int64_t map_find(keeper* k) {
    int64_t found = 0;
    for (int32_t i = 0; i < k->count; i++) nodes_to(k, k->asked[i], &found);
    return found;
}
static int64_t walk(const pair_node* n) { return n == NULL ? 0 : walk(n->left) + 1 + walk(n->right); }
static int64_t map_walk(keeper* k) { return walk(k->root); }
static int64_t map_remove(keeper* k) {
    int64_t removed = 0;
    for (int32_t i = 0; i < k->count; i++) k->root = erase(k, k->root, k->asked[i], &removed);
    return removed;
}

static int32_t longest_look_up(keeper* k, int32_t kind) {
    int32_t longest = 1;
    if (kind == B2D_LAB_PAIR_MANAGER) return b2d_pair_set_longest_probe(&k->manager.places);
    for (int32_t i = 0; i < k->count; i++) {
        int64_t found = 0;
        int32_t reads = 1;
        if (kind == B2D_LAB_PAIR_MAP) reads = nodes_to(k, k->keys[i], &found);
        for (int32_t at = kind == B2D_LAB_PAIR_LISTS ? k->heads[k->keys[i] >> 32] : 0;
             at != 0 && k->keys[at - 1] != k->keys[i]; at = k->next[at - 1])
            reads++;
        longest = b2d_max_int(longest, reads);
    }
    return longest;
}

b2d_status b2d_lab_pair_sets(int32_t kind, const uint64_t* keys, int32_t count, int32_t ids, double ms[4],
                             int64_t* bytes, int32_t* longest) {
    static keep_fn* const ways[4][4] = {{manager_add, manager_find, manager_walk, manager_remove},
                                        {matrix_add, matrix_find, matrix_walk, matrix_remove},
                                        {lists_add, lists_find, lists_walk, lists_remove},
                                        {map_add, map_find, map_walk, map_remove}};
    b2d_memory memory = {.fail_after = -1};
    keeper k = {.memory = &memory, .keys = keys, .count = count, .ids = ids};
    if (kind < 0 || kind > B2D_LAB_PAIR_MAP || count < 1 || count >= 7368787) return B2D_OUT_OF_RANGE;
    k.words = ((size_t)ids * (size_t)ids + 63) / 64;
    if (kind == B2D_LAB_PAIR_MATRIX) k.failed = (k.bits = b2d_allocate(&memory, k.words * sizeof *k.bits)) == NULL;
    if (kind == B2D_LAB_PAIR_LISTS) {
        k.heads = b2d_allocate(&memory, (size_t)(ids + 1) * sizeof *k.heads);
        k.next = b2d_allocate(&memory, (size_t)(count + 1) * sizeof *k.next);
        k.failed = k.heads == NULL || k.next == NULL;
    }
    k.asked = b2d_allocate(&memory, (size_t)(count + 1) * sizeof *k.asked);
    k.failed = k.failed || k.asked == NULL;
    const int64_t stride = 7368787; // a prime, so that each pair is met once
    for (int32_t i = 0; i < count && k.asked != NULL; i++) k.asked[i] = keys[i * stride % count];
    *longest = 1;
    for (int32_t round = 0; round < 2; round++)
        for (int32_t phase = 0; phase < 4 && !k.failed; phase++) {
            if (phase == 3 && round == 1) *longest = longest_look_up(&k, kind);
            const double start = b2d_milliseconds();
            const int64_t found = ways[kind][phase](&k);
            ms[phase] = b2d_milliseconds() - start;
            k.failed = k.failed || found != count;
        }
    *bytes = memory.peak_bytes - (int64_t)(count + 1) * (int64_t)sizeof *k.asked;
    if (k.asked != NULL) map_remove(&k); // what is left of it after a failure
    b2d_pair_manager_free(&memory, &k.manager);
    b2d_free(&memory, k.asked, (size_t)(count + 1) * sizeof *k.asked);
    b2d_free(&memory, k.bits, k.words * sizeof *k.bits);
    b2d_free(&memory, k.heads, (size_t)(ids + 1) * sizeof *k.heads);
    b2d_free(&memory, k.next, (size_t)(count + 1) * sizeof *k.next);
    return k.failed ? B2D_NO_MEMORY : B2D_OK;
}
