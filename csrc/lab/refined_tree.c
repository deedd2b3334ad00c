// csrc/lab/refined_tree.c - the broad phase "refined_tree": sleeping and moving shapes in one refined tree.
//
// Idea (Nordby 2015): see refine_tree.h. A step fits the bounds to the shapes that moved, refines a few parts, puts
// some nodes in depth-first order, and searches pairs among the subtrees in which something moved. Shapes come and go
// one by one, many at once by a new build. Static shapes lie in the tree of members.h, so that they cost nothing.
// Cost: figures in docs/lab.md. Threads: refit, refinement and the pair search are parallel.
// Proof: tests/c/test_broadphase.c, tests/c/test_lab_pairs.c.
#include "lab/members.h"
#include "lab/refine_data.h"

#include <string.h>

enum {
    HEIGHT = 200, // levels after which the tree is built anew
    PERIOD = 16,  // updates until a full refit measures the height: a refinement adds less than 120 levels
};

typedef struct b2d_refined {
    b2d_members members;
    b2d_refine_tree tree;
    int32_t* leaf_of; // by shape id, one more; 0: no leaf
    int32_t leaf_capacity, shape_capacity;
    int32_t* ids; // leaves that an update changes
    int32_t id_capacity;
    int32_t updates; // since the last full refit
} b2d_refined;

static bool refined_visit(const b2d_broadphase* broadphase, b2d_box box, b2d_query_fn* found, void* context) {
    const b2d_refine_tree* tree = &((const b2d_refined*)broadphase)->tree;
    if (tree->count == 1) return !b2d_box_overlaps(tree->boxes[0], box) || found(context, tree->shape_of[0]);
    int32_t stack[B2D_REFINE_LEVELS], size = 0;
    if (tree->count > 1) stack[size++] = 0;
    while (size > 0) {
        const b2d_refine_node* node = &tree->nodes[stack[--size]];
        for (int32_t k = 0; k < 2; k++) {
            if (!b2d_box_overlaps(b2d_refine_side_box(node, k), box)) continue;
            if (node->child[k] >= 0) stack[size++] = node->child[k];
            else if (!found(context, tree->shape_of[-1 - node->child[k]])) return false;
        }
    }
    return true;
}

static bool refined_visit_ray(const b2d_broadphase* broadphase, const b2d_ray* ray, const float* max_fraction,
                              b2d_query_fn* found, void* context) {
    const b2d_refine_tree* tree = &((const b2d_refined*)broadphase)->tree;
    if (tree->count == 1)
        return b2d_ray_enter(ray, tree->boxes[0], *max_fraction) < 0.0 || found(context, tree->shape_of[0]);
    int32_t stack[B2D_REFINE_LEVELS], size = 0;
    if (tree->count > 1) stack[size++] = 0;
    while (size > 0) {
        const b2d_refine_node* node = &tree->nodes[stack[--size]];
        for (int32_t k = 0; k < 2; k++) {
            if (b2d_ray_enter(ray, b2d_refine_side_box(node, k), *max_fraction) < 0.0) continue;
            if (node->child[k] >= 0) stack[size++] = node->child[k];
            else if (!found(context, tree->shape_of[-1 - node->child[k]])) return false;
        }
    }
    return true;
}

static bool refined_create(b2d_memory* memory, const b2d_proxies* proxies, int32_t simd, b2d_broadphase** out) {
    b2d_refined* refined = b2d_allocate(memory, sizeof *refined);
    if (refined == NULL) return false;
    b2d_members_init(&refined->members, proxies, refined_visit, refined_visit_ray);
    refined->tree.proxies = proxies;
    refined->tree.options = (b2d_refine_options){.build = B2D_REFINE_BINNED,
                                                 .refiner = B2D_REFINE_BINNED,
                                                 .pairs = B2D_REFINE_PAIRS_CHANGED,
                                                 .simd = simd != B2D_SIMD_SCALAR,
                                                 .root = 1,
                                                 .workers = 2}; // so that time is not read from the system
    *out = (b2d_broadphase*)refined;
    return true;
}

static void refined_destroy(b2d_memory* memory, b2d_broadphase* broadphase) {
    b2d_refined* refined = (b2d_refined*)broadphase;
    if (refined == NULL) return;
    b2d_members_free(memory, &refined->members);
    refined->tree.memory = memory;
    b2d_refine_free(&refined->tree);
    b2d_free(memory, refined->leaf_of, (size_t)refined->leaf_capacity * sizeof *refined->leaf_of);
    b2d_free(memory, refined->tree.shape_of, (size_t)refined->shape_capacity * sizeof *refined->tree.shape_of);
    b2d_free(memory, refined->ids, (size_t)refined->id_capacity * sizeof *refined->ids);
    b2d_free(memory, refined, sizeof *refined);
}

static void build_anew(b2d_refined* refined) {
    b2d_refine_tree* tree = &refined->tree;
    int32_t count = 0;
    for (int32_t k = 0; k < tree->count; k++) refined->leaf_of[tree->shape_of[k]] = 0;
    B2D_FOR_BITS (&refined->members.inside, id) {
        tree->shape_of[count] = id;
        tree->boxes[count] = b2d_fat_box(refined->members.proxies, id);
        refined->leaf_of[id] = ++count;
    }
    if (count > 1) b2d_refine_build(tree, count);
    else tree->count = count;
}

static void take_out(b2d_refined* refined, int32_t id) {
    b2d_refine_tree* tree = &refined->tree;
    const int32_t leaf = refined->leaf_of[id] - 1, last = tree->count - 1;
    b2d_refine_remove_leaf(tree, leaf);
    tree->shape_of[leaf] = tree->shape_of[last];
    refined->leaf_of[tree->shape_of[leaf]] = leaf + 1;
    refined->leaf_of[id] = 0;
}

// False: the tree has become too high.
static bool put_in(b2d_refined* refined, int32_t id) {
    b2d_refine_tree* tree = &refined->tree;
    const int32_t leaf = tree->count++;
    tree->boxes[leaf] = b2d_fat_box(refined->members.proxies, id);
    tree->moved[leaf] = 0;
    tree->refined_in[leaf] = B2D_NONE;
    tree->shape_of[leaf] = id;
    refined->leaf_of[id] = leaf + 1;
    return b2d_refine_insert_leaf(tree, leaf, leaf - 1) <= HEIGHT;
}

static bool refined_update(b2d_memory* memory, b2d_broadphase* broadphase, b2d_scheduler* scheduler) {
    b2d_refined* refined = (b2d_refined*)broadphase;
    b2d_members* members = &refined->members;
    b2d_refine_tree* tree = &refined->tree;
    tree->memory = memory;
    tree->scheduler = scheduler;
    if (!b2d_members_update(memory, members)) return false;
    if (b2d_bits_is_empty(&members->stale)) return true;
    const int32_t now = b2d_bits_count(&members->inside), most = b2d_max_int(now, tree->count);
    if (!b2d_refine_make_room(tree, most + 1) ||
        !B2D_GROW(memory, refined->leaf_of, refined->leaf_capacity, members->holder_capacity) ||
        !B2D_GROW(memory, tree->shape_of, refined->shape_capacity, most + 1) ||
        !B2D_GROW(memory, refined->ids, refined->id_capacity, most + 1))
        return false;
    int32_t came = 0, went = 0, changed = 0;
    B2D_FOR_BITS (&members->stale, id) {
        const bool inside = b2d_bits_has(&members->inside, id), had = refined->leaf_of[id] != 0;
        came += inside && !had;
        went += had && !inside;
    }
    // One by one a leaf costs about ten times what it costs in a build.
    bool anew = tree->count - went < 2 || 10 * (came + went) > now;
    if (!anew && came + went > 0) {
        b2d_refine_clear_flags(tree, 0);
        tree->restructured = true;
        B2D_FOR_BITS (&members->stale, id)
            if (!b2d_bits_has(&members->inside, id) && refined->leaf_of[id] != 0) take_out(refined, id);
        B2D_FOR_BITS (&members->stale, id)
            if (!anew && b2d_bits_has(&members->inside, id) && refined->leaf_of[id] == 0) anew = !put_in(refined, id);
    }
    if (anew) {
        build_anew(refined);
    } else {
        B2D_FOR_BITS (&members->stale, id) {
            if (!b2d_bits_has(&members->inside, id)) continue;
            const int32_t leaf = refined->leaf_of[id] - 1;
            tree->boxes[leaf] = b2d_fat_box(members->proxies, id);
            tree->moved[leaf] = 1;
            refined->ids[changed++] = leaf;
        }
        const bool few = changed < tree->count / 16 && refined->updates < PERIOD;
        refined->updates = few ? refined->updates + 1 : 0;
        tree->restructured |= refined->updates == 0;
        tree->options.layout = few ? B2D_REFINE_LAYOUT_INCREMENTAL : B2D_REFINE_LAYOUT_COPY;
        b2d_refine_update(tree, refined->ids, changed, &(b2d_refine_frame){0});
        for (int32_t k = 0; k < changed; k++) tree->moved[refined->ids[k]] = 0;
        if (tree->height > HEIGHT) build_anew(refined), tree->height = 0;
    }
    b2d_members_done(members);
    return true;
}

static bool refined_pairs(b2d_memory* memory, b2d_broadphase* broadphase, b2d_scheduler* scheduler,
                          b2d_key_list* lists) {
    b2d_refined* refined = (b2d_refined*)broadphase;
    b2d_refine_tree* tree = &refined->tree;
    const b2d_proxies* p = refined->members.proxies;
    if (!b2d_bits_is_empty(&refined->members.stale)) return false; // the previous update found no memory
    if (b2d_bits_is_empty(&p->moved)) return true;
    int32_t changed = 0;
    if (tree->count > 1) { // marks the ways from the root to the moved leaves
        b2d_refine_clear_flags(tree, 0);
        B2D_FOR_BITS (&p->moved, id) {
            if (!b2d_bits_has(&refined->members.inside, id)) continue;
            changed++;
            for (int32_t place = tree->places[refined->leaf_of[id] - 1]; place != B2D_NONE;) {
                b2d_refine_node* node = &tree->nodes[place >> 1];
                const bool marked = node->changed != 0;
                node->changed |= 1 << (place & 1);
                place = marked ? B2D_NONE : node->parent;
            }
        }
        tree->scheduler = scheduler;
        b2d_refine_find_new_pairs(tree, changed, lists);
    }
    return b2d_members_tree_pairs(memory, &refined->members, scheduler, lists);
}

static void refined_boxes(const b2d_broadphase* broadphase, b2d_box_fn* found, void* context) {
    const b2d_refined* refined = (const b2d_refined*)broadphase;
    b2d_members_boxes(&refined->members, found, context);
    for (int32_t n = 0; n < refined->tree.count - 1; n++)
        found(context, b2d_refine_node_box(&refined->tree.nodes[n]), 1);
}

static const char* refined_validate(const b2d_broadphase* broadphase) {
    const b2d_refined* refined = (const b2d_refined*)broadphase;
    const b2d_refine_tree* tree = &refined->tree;
    const b2d_members* members = &refined->members;
    if (!b2d_bits_is_empty(&members->stale)) return NULL; // handled by the next update
    if (tree->count != b2d_bits_count(&members->inside)) return "refined_tree: members are missing in the tree";
    for (int32_t k = 0; k < tree->count; k++) {
        const int32_t id = tree->shape_of[k];
        if (!b2d_bits_has(&members->inside, id) || refined->leaf_of[id] != k + 1)
            return "refined_tree: a leaf and its shape do not know each other";
    }
    const char* broken = tree->count > 1 ? b2d_refine_tree_validate(tree) : NULL;
    return broken != NULL ? broken : b2d_members_validate(members);
}

const b2d_broadphase_table b2d_broadphase_refined_tree = {
    "refined_tree",    refined_create, refined_destroy, b2d_members_change, refined_update,   refined_pairs,
    b2d_members_query, NULL,           b2d_members_ray, refined_boxes,      refined_validate,
};
