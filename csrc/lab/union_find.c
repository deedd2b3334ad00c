// csrc/lab/union_find.c - islands="union_find": the islands of all awake bodies by serial union-find in every step.
//
// Each link unites the sets of its two bodies, by size, with path halving; the roots are then numbered by the first
// member of their set.
#include "graph/partition.h"

static int32_t find(int32_t* parent, int32_t k) {
    while (parent[k] != k) k = parent[k] = parent[parent[k]];
    return k;
}

static int32_t unite(const b2d_partition* p) {
    const int32_t n = p->body_count;
    int32_t* parent = b2d_arena_take(p->arena, (size_t)(2 * n + 1) * sizeof *parent);
    if (parent == NULL) return -1;
    int32_t* size = parent + n;
    for (int32_t k = 0; k < n; k++) parent[k] = k, size[k] = 1;
    for (int32_t kind = 0; kind < 2; kind++)
        for (int32_t i = 0; i < p->link_count[kind]; i++) {
            const b2d_link* link = &p->links[kind][i];
            const int32_t a = find(parent, b2d_place(p, link->body_a)), b = find(parent, b2d_place(p, link->body_b));
            if (a == b) continue;
            const int32_t root = size[a] > size[b] || (size[a] == size[b] && a < b) ? a : b, child = a + b - root;
            parent[child] = root;
            size[root] += size[child];
        }
    int32_t parts = 0;
    int32_t* number = size; // by root; the sizes are no longer needed
    for (int32_t k = 0; k < n; k++) number[k] = B2D_NONE;
    for (int32_t k = 0; k < n; k++) {
        const int32_t root = find(parent, k);
        if (number[root] == B2D_NONE) number[root] = parts++;
        p->part[k] = number[root];
    }
    return parts;
}

const b2d_island_table b2d_islands_union_find = {"union_find", false, unite, NULL, NULL};
