// csrc/lab/refine_tree.c - see refine_tree.h.
#if !defined(_POSIX_C_SOURCE)
#define _POSIX_C_SOURCE 200809L // clock_gettime
#endif
#include "lab/refine_tree.h"

#include "base/radix_sort.h"
#include "base/timer.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>
#if defined(__SSE2__)
#include <emmintrin.h>
#endif

enum {
    BINS = 16,
    LEVELS = 4096,     // of a walk's stack
    DEEP = 100,        // below this depth a build halves
    JOB_LEVELS = 8,    // levels of the tree whose nodes may be jobs
    MOST_WORKERS = 64, // as a scheduler
    JOBS = 512,        // parts of a parallel walk, 2^(JOB_LEVELS + 1)
    MOST_TARGETS = 512,
    TARGET = 1, // flags of a node: root of a part that is refined
    OPENED = 2, // in the part that is being refined
};

typedef struct item { // what a build arranges: a leaf or a whole subtree
    b2d_box box;
    int32_t child;  // as in a node
    int32_t leaves; // below it
} item;

typedef struct scratch { // of one worker
    item *items, *other;
    uint64_t* keys; // twice the items
    double* costs;  // one for each item
    int32_t* slots; // nodes that a build may use, in this order
    int32_t capacity;
    int32_t next; // of slots
} scratch;

typedef struct job { // a subtree of the refit, or a pair of subtrees of the pair search
    int32_t a, b;    // b: B2D_NONE for one subtree
    b2d_box box;
    double change, cost;
    bool changed;
} job;

typedef struct tally { // of one worker, on a cache line of its own
    int64_t pairs, tests;
    uint64_t hash;
    double ms;
    int64_t padding[4];
} tally;

struct b2d_refine_tree {
    b2d_memory memory;
    b2d_refine_options options;
    b2d_scheduler* scheduler;
    b2d_refine_node *nodes, *spare; // spare: where the layout COPY writes
    int32_t* places;                // by leaf: 2 node + side
    b2d_box* boxes;                 // by leaf
    uint8_t* moved;                 // by leaf: changed in this frame
    int32_t* refined_in;            // by leaf: the last frame in which it was a piece of a refinement
    int32_t* touched;               // nodes whose flags a partial refit set
    int32_t touched_count;
    int32_t count, node_capacity;
    bool all_flagged; // flags may be set anywhere
    double cost_sum;  // sum of the metrics below the root
    scratch scratches[MOST_WORKERS];
    int32_t scratch_count;
    job jobs[JOBS];
    int32_t job_count;
    int32_t* candidates;
    int32_t candidate_count, candidate_capacity;
    int32_t targets[MOST_TARGETS], target_count;
    int32_t cursor; // leaves before the first target of the next frame
    int64_t frame;
    int32_t calm;          // frames in which no box changed and the cost did not fall further
    double calm_cost;      // sum of the metrics when it last fell
    int32_t layout_cursor; // of the layout INCREMENTAL
    int64_t refined[MOST_WORKERS];
    tally tallies[MOST_WORKERS];
    const int32_t* ids; // of the frame under way
    int32_t id_count;
};

// With one worker the processor time of the thread, which other programs disturb less.
static double now(const b2d_refine_tree* tree) {
#if defined(CLOCK_THREAD_CPUTIME_ID)
    struct timespec time;
    if (tree->options.workers == 1 && clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time) == 0)
        return 1.0e3 * (double)time.tv_sec + 1.0e-6 * (double)time.tv_nsec;
#else
    (void)tree;
#endif
    return b2d_milliseconds();
}

// ---- boxes and nodes

static const b2d_box nothing = {INFINITY, INFINITY, -INFINITY, -INFINITY};

static b2d_box box_union(b2d_box a, b2d_box b) {
    return (b2d_box){b2d_min(a.min_x, b.min_x), b2d_min(a.min_y, b.min_y), b2d_max(a.max_x, b.max_x),
                     b2d_max(a.max_y, b.max_y)};
}
static double metric(const b2d_refine_tree* tree, b2d_box box) {
    const double width = (double)box.max_x - (double)box.min_x, height = (double)box.max_y - (double)box.min_y;
    return tree->options.metric == B2D_REFINE_METRIC_AREA ? width * height : width + height;
}
static b2d_box side_box(const b2d_refine_node* n, int32_t side) {
    return (b2d_box){n->min_x[side], n->min_y[side], n->max_x[side], n->max_y[side]};
}
static void set_side(b2d_refine_node* n, int32_t side, b2d_box box) {
    n->min_x[side] = box.min_x, n->min_y[side] = box.min_y, n->max_x[side] = box.max_x, n->max_y[side] = box.max_y;
}
static b2d_box node_box(const b2d_refine_node* n) { return box_union(side_box(n, 0), side_box(n, 1)); }
static int32_t node_leaves(const b2d_refine_node* n) { return n->leaves[0] + n->leaves[1]; }

static void set_parent(b2d_refine_tree* tree, int32_t child, int32_t parent) {
    if (child < 0) tree->places[-1 - child] = parent;
    else tree->nodes[child].parent = parent;
}

// ---- builds

// Positions of the items along an axis, ascending, by radix sort; stable, so that equal centres keep their order.
static void sort_by_center(scratch* s, item* items, int32_t count, int32_t axis) {
    for (int32_t k = 0; k < count; k++) {
        const b2d_box b = items[k].box;
        const float center = axis == 0 ? 0.5f * b.min_x + 0.5f * b.max_x : 0.5f * b.min_y + 0.5f * b.max_y;
        s->keys[k] = (uint64_t)b2d_float_key(center) << 32 | (uint32_t)k;
    }
    b2d_radix_sort(s->keys, s->keys + count, count);
    for (int32_t k = 0; k < count; k++) s->other[k] = items[(uint32_t)s->keys[k]];
    memcpy(items, s->other, (size_t)count * sizeof *items);
}

// The cheapest place to cut the sorted items, with its cost.
static int32_t best_cut(const b2d_refine_tree* tree, scratch* s, const item* items, int32_t count, double* cost) {
    b2d_box box = nothing;
    int64_t leaves = 0;
    for (int32_t k = count - 1; k > 0; k--) {
        box = box_union(box, items[k].box);
        leaves += items[k].leaves;
        s->costs[k] = metric(tree, box) * (double)leaves;
    }
    box = nothing, leaves = 0;
    *cost = INFINITY;
    int32_t cut = count / 2;
    for (int32_t k = 1; k < count; k++) {
        box = box_union(box, items[k - 1].box);
        leaves += items[k - 1].leaves;
        const double both = metric(tree, box) * (double)leaves + s->costs[k];
        if (both < *cost) *cost = both, cut = k;
    }
    return cut;
}

static int32_t split_sweep(const b2d_refine_tree* tree, scratch* s, item* items, int32_t count) {
    double cost_x, cost_y;
    sort_by_center(s, items, count, 0);
    const int32_t cut_x = best_cut(tree, s, items, count, &cost_x);
    sort_by_center(s, items, count, 1);
    const int32_t cut_y = best_cut(tree, s, items, count, &cost_y);
    if (cost_y < cost_x) return cut_y;
    sort_by_center(s, items, count, 0);
    return cut_x;
}

static b2d_box center_bounds(const item* items, int32_t count) {
    b2d_box bounds = nothing;
    for (int32_t k = 0; k < count; k++) {
        const b2d_box b = items[k].box;
        const float x = 0.5f * b.min_x + 0.5f * b.max_x, y = 0.5f * b.min_y + 0.5f * b.max_y;
        bounds = box_union(bounds, (b2d_box){x, y, x, y});
    }
    return bounds;
}

static int32_t split_median(scratch* s, item* items, int32_t count) {
    const b2d_box centers = center_bounds(items, count);
    sort_by_center(s, items, count, centers.max_y - centers.min_y > centers.max_x - centers.min_x);
    return count / 2;
}

static int32_t bin_of(const item* each, int32_t axis, float lower, float scale) {
    const b2d_box b = each->box;
    const float center = axis == 0 ? 0.5f * b.min_x + 0.5f * b.max_x : 0.5f * b.min_y + 0.5f * b.max_y;
    return b2d_min_int((int32_t)((center - lower) * scale), BINS - 1);
}

// Wald 2007: the cut is one of the planes between bins along the longer axis of the centres.
static int32_t split_binned(const b2d_refine_tree* tree, scratch* s, item* items, int32_t count) {
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
    for (int32_t b = 0; b < BINS; b++) boxes[b] = nothing;
    for (int32_t k = 0; k < count; k++) {
        const int32_t b = bin_of(&items[k], axis, lower, scale);
        boxes[b] = box_union(boxes[b], items[k].box);
        leaves[b] += items[k].leaves;
        counts[b]++;
    }
    double costs[BINS];
    b2d_box box = nothing;
    int64_t sum = 0;
    for (int32_t b = BINS - 1; b > 0; b--) {
        box = box_union(box, boxes[b]);
        sum += leaves[b];
        costs[b] = sum > 0 ? metric(tree, box) * (double)sum : 0.0;
    }
    box = nothing, sum = 0;
    double best = INFINITY;
    int32_t best_bin = B2D_NONE, before = 0;
    for (int32_t b = 1; b < BINS; b++) { // bins below b come first
        box = box_union(box, boxes[b - 1]);
        sum += leaves[b - 1];
        before += counts[b - 1];
        if (before == 0 || before == count) continue;
        const double both = metric(tree, box) * (double)sum + costs[b];
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

static void sort_by_morton_code(scratch* s, item* items, int32_t count) {
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

static void fill_side(b2d_refine_tree* tree, int32_t node, int32_t side, const item* it) {
    b2d_refine_node* n = &tree->nodes[node];
    set_side(n, side, it->box);
    n->child[side] = it->child;
    n->leaves[side] = it->leaves;
    set_parent(tree, it->child, 2 * node + side);
}

// Arranges the items below a node, which the next slot names; returns what the parent has to know.
static item build(b2d_refine_tree* tree, scratch* s, item* items, int32_t count, int32_t kind, int32_t depth) {
    if (count == 1) return items[0];
    const int32_t node = s->slots[s->next++];
    int32_t cut = count / 2; // MORTON: the items are in order
    if (depth > DEEP) kind = B2D_REFINE_MORTON;
    if (count > 2 && kind == B2D_REFINE_SWEEP) cut = split_sweep(tree, s, items, count);
    else if (count > 2 && kind == B2D_REFINE_BINNED) cut = split_binned(tree, s, items, count);
    else if (count > 2 && kind == B2D_REFINE_MEDIAN) cut = split_median(s, items, count);
    const item sides[2] = {build(tree, s, items, cut, kind, depth + 1),
                           build(tree, s, items + cut, count - cut, kind, depth + 1)};
    for (int32_t k = 0; k < 2; k++) fill_side(tree, node, k, &sides[k]);
    const b2d_box box = node_box(&tree->nodes[node]);
    tree->nodes[node].changed = 0;
    tree->nodes[node].threshold = 1.4f * (float)metric(tree, box);
    return (item){box, node, sides[0].leaves + sides[1].leaves};
}

// From the bottom up: again and again the two items whose union has the least metric become one. The nearest other item
// of each is kept, so the work is about quadratic. The root gets the first slot.
static item build_agglomerative(b2d_refine_tree* tree, scratch* s, item* items, int32_t count) {
    int32_t* nearest = (int32_t*)(void*)s->keys; // room for two integers of 64 bits for each item
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
                    const double cost = j == k ? INFINITY : metric(tree, box_union(items[k].box, items[j].box));
                    if (cost < s->costs[k]) s->costs[k] = cost, nearest[k] = j;
                }
                if (nearest[k] == B2D_NONE) nearest[k] = k == 0; // infinite boxes
            }
            if (s->costs[k] < s->costs[best]) best = k;
        }
        const int32_t low = b2d_min_int(best, nearest[best]), high = b2d_max_int(best, nearest[best]);
        const int32_t node = s->slots[--slot];
        fill_side(tree, node, 0, &items[low]);
        fill_side(tree, node, 1, &items[high]);
        const b2d_box box = node_box(&tree->nodes[node]);
        tree->nodes[node].changed = 0;
        tree->nodes[node].threshold = 1.4f * (float)metric(tree, box);
        items[low] = (item){box, node, items[low].leaves + items[high].leaves};
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

static item arrange(b2d_refine_tree* tree, scratch* s, item* items, int32_t count, int32_t kind) {
    s->next = 0;
    if (kind == B2D_REFINE_AGGLOMERATIVE) return build_agglomerative(tree, s, items, count);
    if (kind == B2D_REFINE_MORTON) sort_by_morton_code(s, items, count);
    return build(tree, s, items, count, kind, 0);
}

static bool reserve(b2d_refine_tree* tree, scratch* s, int32_t count) {
    if (count <= s->capacity) return true;
    int32_t capacities[5] = {s->capacity, s->capacity, 2 * s->capacity, s->capacity, s->capacity};
    const int32_t room = count + count / 8;
    b2d_memory* m = &tree->memory;
    // A failure leaves some larger than the rest, so the arrays are only ever freed together.
    if (!B2D_GROW(m, s->items, capacities[0], room) || !B2D_GROW(m, s->other, capacities[1], room) ||
        !B2D_GROW(m, s->keys, capacities[2], 2 * room) || !B2D_GROW(m, s->costs, capacities[3], room) ||
        !B2D_GROW(m, s->slots, capacities[4], room))
        return false;
    s->capacity = room;
    return true;
}

// ---- insertion, one leaf after the other

static void insert_leaf(b2d_refine_tree* tree, int32_t leaf, int32_t node) {
    const b2d_box box = tree->boxes[leaf];
    int32_t n = 0;
    for (;;) { // into the child that grows less; bounds grow on the way down
        b2d_refine_node* each = &tree->nodes[n];
        double growth[2];
        for (int32_t k = 0; k < 2; k++)
            growth[k] = metric(tree, box_union(side_box(each, k), box)) - metric(tree, side_box(each, k));
        const int32_t side = growth[1] < growth[0] || (growth[1] == growth[0] && each->leaves[1] < each->leaves[0]);
        const item below = {side_box(each, side), each->child[side], each->leaves[side]};
        set_side(each, side, box_union(below.box, box));
        each->leaves[side]++;
        if (below.child >= 0) {
            n = below.child;
            continue;
        }
        each->child[side] = node;
        tree->nodes[node] = (b2d_refine_node){.parent = 2 * n + side};
        fill_side(tree, node, 0, &below);
        fill_side(tree, node, 1, &(item){box, -1 - leaf, 1});
        return;
    }
}

// ---- refit

typedef struct fit {
    b2d_box box;
    double change, cost; // of the nodes and leaves below
    bool changed;
} fit;

// Fits node `from` and all below, and writes them in depth-first order from `to` on when the layout is COPY.
static fit refit_node(b2d_refine_tree* tree, int32_t from, int32_t to, const job* jobs, int32_t* next_job);

static fit refit_child(b2d_refine_tree* tree, int32_t child, int32_t to, const job* jobs, int32_t* next_job) {
    if (child < 0) return (fit){tree->boxes[-1 - child], 0.0, 0.0, tree->moved[-1 - child] != 0};
    if (jobs != NULL && *next_job < tree->job_count && jobs[*next_job].a == child) {
        const job* done = &jobs[(*next_job)++];
        return (fit){done->box, done->change, done->cost, done->changed};
    }
    return refit_node(tree, child, to, jobs, next_job);
}

static fit refit_node(b2d_refine_tree* tree, int32_t from, int32_t to, const job* jobs, int32_t* next_job) {
    const bool copies = tree->options.layout == B2D_REFINE_LAYOUT_COPY;
    const b2d_refine_node n = tree->nodes[from];
    b2d_refine_node* out = copies ? &tree->spare[to] : &tree->nodes[from];
    if (copies) *out = n;
    const int32_t index = copies ? to : from;
    fit result = {nothing, 0.0, 0.0, false};
    int32_t changed = 0, at = to + 1;
    for (int32_t k = 0; k < 2; k++) {
        const fit below = refit_child(tree, n.child[k], at, jobs, next_job);
        const double now = metric(tree, below.box);
        result.change += below.change + (now - metric(tree, side_box(&n, k)));
        result.cost += below.cost + now;
        result.box = box_union(result.box, below.box);
        result.changed |= below.changed;
        changed |= below.changed << k;
        set_side(out, k, below.box);
        if (copies) {
            if (n.child[k] >= 0) out->child[k] = at, tree->spare[at].parent = 2 * index + k;
            else tree->places[-1 - n.child[k]] = 2 * index + k;
        }
        at += n.leaves[k] - 1;
    }
    out->changed = changed;
    out->flagged = 0;
    return result;
}

// Lists subtrees of at most `most` leaves, in depth-first order, with their new places.
static void list_subtrees(b2d_refine_tree* tree, int32_t n, int32_t to, int32_t most, int32_t depth) {
    const b2d_refine_node* node = &tree->nodes[n];
    if (n != 0 && (node_leaves(node) <= most || depth == JOB_LEVELS)) {
        tree->jobs[tree->job_count++] = (job){.a = n, .b = to};
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
        job* j = &tree->jobs[k];
        const fit done = refit_node(tree, j->a, j->b, NULL, NULL);
        j->box = done.box, j->change = done.change, j->cost = done.cost, j->changed = done.changed;
    }
}

static double refit_all(b2d_refine_tree* tree) {
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
    }
    tree->cost_sum = done.cost;
    tree->all_flagged = true; // flags may be set anywhere
    return done.change;
}

// Only from the changed leaves up. Gives the same boxes as a full refit.
static double refit_some(b2d_refine_tree* tree) {
    double change = 0.0;
    for (int32_t k = 0; k < tree->id_count; k++) {
        const int32_t leaf = tree->ids[k];
        b2d_box box = tree->boxes[leaf];
        for (int32_t place = tree->places[leaf]; place != B2D_NONE; place = tree->nodes[place >> 1].parent) {
            b2d_refine_node* n = &tree->nodes[place >> 1];
            const int32_t side = place & 1;
            const b2d_box before = side_box(n, side);
            const bool same = memcmp(&before, &box, sizeof box) == 0;
            if (same && (n->changed >> side & 1) != 0) break;
            if (n->changed == 0) tree->touched[tree->touched_count++] = place >> 1;
            change += metric(tree, box) - metric(tree, before);
            n->changed |= 1 << side;
            set_side(n, side, box);
            box = node_box(n);
        }
    }
    tree->cost_sum += change;
    return change;
}

static void clear_flags(b2d_refine_tree* tree) {
    if (tree->all_flagged)
        for (int32_t n = 0; n < tree->count - 1; n++) tree->nodes[n].changed = 0;
    else
        for (int32_t k = 0; k < tree->touched_count; k++) tree->nodes[tree->touched[k]].changed = 0;
    tree->all_flagged = false;
    tree->touched_count = 0;
}

// ---- refinement

// Pieces of one refinement: 3 sqrt(N), 768 of 65,536.
static int32_t most_pieces(const b2d_refine_tree* tree) {
    return b2d_max_int((int32_t)(3.0 * sqrt((double)tree->count)), 8);
}

static void list_candidates(b2d_refine_tree* tree, int32_t n, int32_t most) { // subtrees of at most so many leaves
    const b2d_refine_node* node = &tree->nodes[n];
    if (node_leaves(node) <= most) {
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

typedef struct piece {
    double weight;
    item it;
} piece;

// Takes apart the subtree of a node into at most `most` pieces: all leaves of a small one, else the largest nodes
// first. A node that is flagged is not entered. The slots of the nodes that were taken apart are sorted: the root, then
// the rest.
static int32_t collect(b2d_refine_tree* tree, scratch* s, int32_t root, int32_t most) {
    int32_t count = 0, nodes = 0;
    s->slots[nodes++] = root;
    b2d_refine_node* n = &tree->nodes[root];
    for (int32_t k = 0; k < 2; k++) s->items[count++] = (item){side_box(n, k), n->child[k], n->leaves[k]};
    if (node_leaves(n) <= most) {
        for (int32_t k = 0; k < count;) {
            const int32_t child = s->items[k].child;
            if (child < 0) {
                k++;
                continue;
            }
            n = &tree->nodes[child];
            s->slots[nodes++] = child;
            s->items[k] = (item){side_box(n, 0), n->child[0], n->leaves[0]};
            s->items[count++] = (item){side_box(n, 1), n->child[1], n->leaves[1]};
        }
    } else { // a heap of the positions by metric times leaves; equal weights by position, so that all is determined
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
                s->items[top] = (item){side_box(n, 0), n->child[0], n->leaves[0]};
                s->items[count] = (item){side_box(n, 1), n->child[1], n->leaves[1]};
                pushed[push_count++] = top, pushed[push_count++] = count++;
            }
            for (int32_t p = 0; p < push_count; p++) {
                const item* it = &s->items[pushed[p]];
                if (it->child < 0 || (tree->nodes[it->child].flagged & TARGET) != 0) continue;
                s->costs[pushed[p]] = metric(tree, it->box) * it->leaves;
                int32_t at = size++;
                for (; at > 0 && s->costs[heap[(at - 1) / 2]] < s->costs[pushed[p]]; at = (at - 1) / 2)
                    heap[at] = heap[(at - 1) / 2];
                heap[at] = pushed[p];
            }
        }
    }
    qsort(s->slots + 1, (size_t)(nodes - 1), sizeof *s->slots, compare_int);
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
        cost += metric(tree, side_box(node, k));
        if (child >= 0 && (tree->nodes[child].flagged & OPENED) != 0) cost += part_cost(tree, child);
    }
    return cost;
}

// Rebuilds a part of the tree. Returns by how much the sum of the metrics changed.
static double refine_at(b2d_refine_tree* tree, int32_t root, int32_t most, int32_t refiner, int32_t worker) {
    scratch* s = &tree->scratches[worker];
    const int32_t parent = tree->nodes[root].parent;
    const int32_t count = collect(tree, s, root, most);
    for (int32_t k = 0; k < count - 1; k++) tree->nodes[s->slots[k]].flagged |= OPENED;
    const double before = part_cost(tree, root);
    tree->refined[worker] += count;
    for (int32_t k = 0; k < count; k++)
        if (s->items[k].child < 0) tree->refined_in[-1 - s->items[k].child] = (int32_t)tree->frame;
    arrange(tree, s, s->items, count, refiner);
    tree->nodes[root].parent = parent;
    flag_anew(tree, root);
    const double change = part_cost(tree, root) - before;
    for (int32_t k = 0; k < count - 1; k++) tree->nodes[s->slots[k]].flagged &= ~OPENED;
    return change;
}

static void refine_stage(void* context, int32_t begin, int32_t end, int32_t worker) {
    b2d_refine_tree* tree = context;
    const int32_t most = most_pieces(tree);
    for (int32_t k = begin; k < end; k++)
        tree->jobs[k].change = refine_at(tree, tree->targets[k], most, tree->options.refiner, worker);
}

// A twentieth of the leaves in a calm world, up to four times as many where the cost rises quickly; nothing where
// nothing changes any more.
static void refine(b2d_refine_tree* tree, double change, b2d_refine_frame* out) {
    const int32_t most = most_pieces(tree);
    const double root_metric = metric(tree, node_box(&tree->nodes[0]));
    const double relative = root_metric > 0.0 ? fabs(change) / root_metric : 0.0;
    const double cost = root_metric > 0.0 ? tree->cost_sum / root_metric : 0.0;
    const double effort = 1.0 + 3.0 * b2d_min(1.0f, (float)(200.0 * relative / (cost + 1.0e-9)));
    const int32_t budget = (int32_t)(effort * tree->count / 20.0);
    out->refine_bound = 4 * (int64_t)tree->count / 20 + 2 * most;
    if (tree->id_count == 0 && tree->calm > 40) return;

    tree->candidate_count = tree->target_count = 0;
    list_candidates(tree, 0, most);
    int32_t total = 0, passed = 0, start = 0, taken = 0;
    for (int32_t k = 0; k < tree->candidate_count; k++) total += node_leaves(&tree->nodes[tree->candidates[k]]);
    if (tree->cursor >= total) tree->cursor = 0;
    while (start < tree->candidate_count && passed + node_leaves(&tree->nodes[tree->candidates[start]]) <= tree->cursor)
        passed += node_leaves(&tree->nodes[tree->candidates[start++]]);
    for (int32_t k = 0; k < tree->candidate_count && taken < budget && tree->target_count < MOST_TARGETS; k++) {
        const int32_t n = tree->candidates[(start + k) % tree->candidate_count];
        const int32_t leaves = node_leaves(&tree->nodes[n]);
        taken += leaves;
        if (leaves < 3) continue; // there is only one tree of two leaves
        tree->targets[tree->target_count++] = n;
        tree->nodes[n].flagged = TARGET;
    }
    tree->cursor = total > 0 ? (passed + taken) % total : 0;
    double improved = 0.0;
    b2d_parallel_for(tree->scheduler, refine_stage, tree, tree->target_count, 1);
    for (int32_t k = 0; k < tree->target_count; k++) improved += tree->jobs[k].change;
    if (tree->options.root && tree->frame % 2 == 0 && node_leaves(&tree->nodes[0]) > most)
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
static void rebuild_above_threshold(b2d_refine_tree* tree, int32_t n) {
    b2d_refine_node* node = &tree->nodes[n];
    if (node_leaves(node) > 2 && metric(tree, node_box(node)) > node->threshold) {
        tree->cost_sum += refine_at(tree, n, tree->count, B2D_REFINE_MEDIAN, 0);
        return;
    }
    for (int32_t k = 0; k < 2; k++)
        if (node->child[k] >= 0) rebuild_above_threshold(tree, node->child[k]);
}

// Box2D's policy: nodes above changed leaves are dissolved, and what remains, unchanged subtrees and changed leaves, is
// built anew.
static void dissolve(b2d_refine_tree* tree, int32_t n, int32_t* count, int32_t* nodes) {
    scratch* s = &tree->scratches[0];
    const b2d_refine_node* node = &tree->nodes[n];
    s->slots[(*nodes)++] = n;
    for (int32_t k = 0; k < 2; k++) {
        if ((node->changed >> k & 1) != 0 && node->child[k] >= 0) dissolve(tree, node->child[k], count, nodes);
        else s->items[(*count)++] = (item){side_box(node, k), node->child[k], node->leaves[k]};
    }
}

static void rebuild_changed(b2d_refine_tree* tree) {
    scratch* s = &tree->scratches[0];
    int32_t count = 0, nodes = 0;
    if (tree->nodes[0].changed == 0) return;
    dissolve(tree, 0, &count, &nodes);
    qsort(s->slots + 1, (size_t)(nodes - 1), sizeof *s->slots, compare_int);
    tree->refined[0] += count;
    for (int32_t k = 0; k < nodes; k++) tree->nodes[s->slots[k]].flagged |= OPENED;
    arrange(tree, s, s->items, count, B2D_REFINE_BINNED);
    tree->nodes[0].parent = B2D_NONE;
    flag_anew(tree, 0);
    for (int32_t k = 0; k < nodes; k++) tree->nodes[s->slots[k]].flagged &= ~OPENED;
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
        for (int32_t side = 0; side < 2; side++) set_parent(tree, n->child[side], 2 * pair[k] + side);
    }
}

// Walks a twentieth of the nodes and puts their children where depth-first order wants them.
static void improve_layout(b2d_refine_tree* tree) {
    const int32_t nodes = tree->count - 1;
    for (int32_t k = 0; k < nodes / 20 + 1; k++) {
        const int32_t n = tree->layout_cursor;
        tree->layout_cursor = (n + 1) % nodes;
        if (tree->nodes[n].child[0] >= 0 && n + 1 < nodes) swap_nodes(tree, tree->nodes[n].child[0], n + 1);
        const int32_t second = n + tree->nodes[n].leaves[0];
        if (tree->nodes[n].child[1] >= 0 && second < nodes) swap_nodes(tree, tree->nodes[n].child[1], second);
    }
}

static double cache_quality(const b2d_refine_tree* tree) {
    int32_t right = 0, children = 0;
    for (int32_t n = 0; n < tree->count - 1; n++) {
        const b2d_refine_node* node = &tree->nodes[n];
        const int32_t wanted[2] = {n + 1, n + node->leaves[0]};
        for (int32_t k = 0; k < 2; k++)
            if (node->child[k] >= 0) children++, right += node->child[k] == wanted[k];
    }
    return children > 0 ? (double)right / children : 1.0;
}

// ---- pairs

static void found(tally* t, int32_t a, int32_t b) {
    const uint64_t low = (uint64_t)(uint32_t)b2d_min_int(a, b), high = (uint64_t)(uint32_t)b2d_max_int(a, b);
    uint64_t key = (low << 32 | high) * 0x9e3779b97f4a7c15ull;
    key ^= key >> 29;
    t->hash += key * 0xbf58476d1ce4e5b9ull;
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

static void leaf_with_node(const b2d_refine_tree* tree, tally* t, int32_t leaf, bool changed, int32_t n, bool all) {
    const b2d_box box = tree->boxes[leaf];
    const b2d_refine_node* node = &tree->nodes[n];
    for (int32_t k = 0; k < 2; k++) {
        t->tests++;
        if ((!all && !changed && (node->changed >> k & 1) == 0) || !b2d_box_overlaps(box, side_box(node, k))) continue;
        if (node->child[k] < 0) found(t, leaf, -1 - node->child[k]);
        else leaf_with_node(tree, t, leaf, changed, node->child[k], all);
    }
}

// `all`: otherwise only pairs with a changed leaf.
static void node_with_node(const b2d_refine_tree* tree, tally* t, int32_t a, int32_t b, bool all) {
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
        else found(t, -1 - c, -1 - d);
    }
}

static void children_with_each_other(const b2d_refine_tree* tree, tally* t, int32_t n, bool all) {
    const b2d_refine_node* node = &tree->nodes[n];
    t->tests++;
    if ((!all && node->changed == 0) || !overlaps(node, 0, node, 1)) return;
    const int32_t c = node->child[0], d = node->child[1];
    if (c >= 0 && d >= 0) node_with_node(tree, t, c, d, all);
    else if (c >= 0) leaf_with_node(tree, t, -1 - d, (node->changed & 2) != 0, c, all);
    else if (d >= 0) leaf_with_node(tree, t, -1 - c, (node->changed & 1) != 0, d, all);
    else found(t, -1 - c, -1 - d);
}

static void self_test(const b2d_refine_tree* tree, tally* t, int32_t n, bool all) {
    const b2d_refine_node* node = &tree->nodes[n];
    if (!all && node->changed == 0) return;
    for (int32_t k = 0; k < 2; k++)
        if (node->child[k] >= 0) self_test(tree, t, node->child[k], all);
    children_with_each_other(tree, t, n, all);
}

// A subtree's self test, or two siblings against each other.
static void pairs_stage(void* context, int32_t begin, int32_t end, int32_t worker) {
    b2d_refine_tree* tree = context;
    tally* t = &tree->tallies[worker];
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
    tally* t = &tree->tallies[worker];
    const double start = b2d_milliseconds();
    for (int32_t k = begin; k < end; k++) {
        const int32_t leaf = tree->ids[k];
        const b2d_box box = tree->boxes[leaf];
        int32_t stack[LEVELS], size = 0;
        stack[size++] = 0;
        while (size > 0) {
            const b2d_refine_node* node = &tree->nodes[stack[--size]];
            for (int32_t side = 0; side < 2; side++) {
                t->tests++;
                if (!b2d_box_overlaps(box, side_box(node, side))) continue;
                const int32_t child = node->child[side], other = -1 - child;
                if (child >= 0) stack[size++] = child;
                else if (other != leaf && (other > leaf || !tree->moved[other])) found(t, leaf, other);
            }
        }
    }
    t->ms += b2d_milliseconds() - start;
}

// A node of the top of the tree becomes a job, its two children against each other, and so does each subtree of at most
// `most` leaves.
static void list_pair_jobs(b2d_refine_tree* tree, int32_t n, int32_t most, int32_t depth) {
    const b2d_refine_node* node = &tree->nodes[n];
    const bool whole = node_leaves(node) <= most || depth == JOB_LEVELS;
    tree->jobs[tree->job_count++] = (job){.a = n, .b = whole ? 0 : B2D_NONE};
    for (int32_t k = 0; k < 2 && !whole; k++)
        if (node->child[k] >= 0) list_pair_jobs(tree, node->child[k], most, depth + 1);
}

static void find_pairs(b2d_refine_tree* tree, b2d_refine_frame* out) {
    const int32_t workers = b2d_scheduler_workers(tree->scheduler);
    memset(tree->tallies, 0, sizeof tree->tallies);
    if (tree->options.pairs == B2D_REFINE_PAIRS_QUERY) {
        b2d_parallel_for(tree->scheduler, query_stage, tree, tree->id_count, 256);
    } else {
        tree->job_count = 0;
        list_pair_jobs(tree, 0, b2d_max_int(tree->count / 64, 64), 0);
        b2d_parallel_for(tree->scheduler, pairs_stage, tree, tree->job_count, 1);
    }
    double most = 0.0, sum = 0.0;
    for (int32_t w = 0; w < workers; w++) {
        const tally* t = &tree->tallies[w];
        out->pairs += t->pairs;
        out->pair_hash += t->hash;
        out->tests += t->tests;
        if (t->ms > most) most = t->ms;
        sum += t->ms;
    }
    out->balance = sum > 0.0 ? most * workers / sum : 1.0;
}

// ---- the calls

void b2d_refine_tree_destroy(b2d_refine_tree* tree) {
    if (tree == NULL) return;
    b2d_memory* m = &tree->memory;
    b2d_free(m, tree->nodes, (size_t)tree->node_capacity * sizeof *tree->nodes);
    b2d_free(m, tree->spare, (size_t)tree->node_capacity * sizeof *tree->spare);
    b2d_free(m, tree->places, (size_t)tree->node_capacity * sizeof *tree->places);
    b2d_free(m, tree->boxes, (size_t)tree->node_capacity * sizeof *tree->boxes);
    b2d_free(m, tree->moved, (size_t)tree->node_capacity * sizeof *tree->moved);
    b2d_free(m, tree->refined_in, (size_t)tree->node_capacity * sizeof *tree->refined_in);
    b2d_free(m, tree->touched, (size_t)tree->node_capacity * sizeof *tree->touched);
    b2d_free(m, tree->candidates, (size_t)tree->candidate_capacity * sizeof *tree->candidates);
    for (int32_t k = 0; k < tree->scratch_count; k++) {
        scratch* s = &tree->scratches[k];
        b2d_free(m, s->items, (size_t)s->capacity * sizeof *s->items);
        b2d_free(m, s->other, (size_t)s->capacity * sizeof *s->other);
        b2d_free(m, s->keys, 2 * (size_t)s->capacity * sizeof *s->keys);
        b2d_free(m, s->costs, (size_t)s->capacity * sizeof *s->costs);
        b2d_free(m, s->slots, (size_t)s->capacity * sizeof *s->slots);
    }
    b2d_scheduler_destroy(tree->scheduler);
    b2d_memory last = *m;
    b2d_free(&last, tree, sizeof *tree);
}

b2d_status b2d_refine_tree_create(const b2d_refine_options* options, b2d_refine_tree** out) {
    b2d_memory memory = {.fail_after = -1};
    *out = NULL;
    b2d_refine_tree* tree = b2d_allocate(&memory, sizeof *tree);
    if (tree == NULL) return B2D_NO_MEMORY;
    tree->memory = memory;
    tree->options = *options;
    if (b2d_scheduler_create(options->workers, &tree->scheduler) != B2D_OK) {
        b2d_refine_tree_destroy(tree);
        return B2D_NO_MEMORY;
    }
    *out = tree;
    return B2D_OK;
}

// All arrays anew for this many leaves.
static bool make_room(b2d_refine_tree* tree, int32_t count) {
    b2d_memory* m = &tree->memory;
    const int32_t workers = b2d_scheduler_workers(tree->scheduler);
    int32_t capacities[7];
    for (int32_t k = 0; k < 7; k++) capacities[k] = tree->node_capacity;
    tree->scratch_count = b2d_max_int(tree->scratch_count, workers);
    if (!B2D_GROW(m, tree->nodes, capacities[0], count) || !B2D_GROW(m, tree->spare, capacities[1], count) ||
        !B2D_GROW(m, tree->places, capacities[2], count) || !B2D_GROW(m, tree->boxes, capacities[3], count) ||
        !B2D_GROW(m, tree->moved, capacities[4], count) || !B2D_GROW(m, tree->touched, capacities[5], count) ||
        !B2D_GROW(m, tree->refined_in, capacities[6], count) ||
        !B2D_GROW(m, tree->candidates, tree->candidate_capacity, count / 2 + 1))
        return false;
    tree->node_capacity = capacities[0];
    tree->count = count;
    for (int32_t w = 0; w < workers; w++)
        if (!reserve(tree, &tree->scratches[w], w == 0 ? count : most_pieces(tree) + 1)) return false;
    return true;
}

b2d_status b2d_refine_tree_load(b2d_refine_tree* tree, const float* boxes, int32_t count) {
    if (count < 2) return B2D_OUT_OF_RANGE;
    if (!make_room(tree, count)) return B2D_NO_MEMORY;
    scratch* s = &tree->scratches[0];
    memset(tree->moved, 0, (size_t)count);
    for (int32_t k = 0; k < count; k++) {
        tree->boxes[k] = (b2d_box){boxes[4 * k], boxes[4 * k + 1], boxes[4 * k + 2], boxes[4 * k + 3]};
        s->items[k] = (item){tree->boxes[k], -1 - k, 1};
        s->slots[k] = k;
        tree->refined_in[k] = B2D_NONE;
    }
    if (tree->options.build == B2D_REFINE_INSERT) {
        for (int32_t k = 0; k < 2; k++) fill_side(tree, 0, k, &s->items[k]);
        for (int32_t k = 2; k < count; k++) insert_leaf(tree, k, k - 1);
    } else {
        arrange(tree, s, s->items, count, tree->options.build);
    }
    tree->nodes[0].parent = B2D_NONE;
    for (int32_t n = 0; n < count - 1; n++) tree->nodes[n].changed = tree->nodes[n].flagged = 0;
    tree->cost_sum = b2d_refine_tree_cost(tree) * metric(tree, node_box(&tree->nodes[0]));
    tree->cursor = tree->layout_cursor = tree->touched_count = tree->calm = 0;
    tree->frame = 0;
    tree->all_flagged = false;
    return B2D_OK;
}

b2d_status b2d_refine_tree_frame(b2d_refine_tree* tree, const float* boxes, const int32_t* ids, int32_t count,
                                 b2d_refine_frame* out) {
    *out = (b2d_refine_frame){.balance = 1.0};
    for (int32_t k = 0; k < count; k++)
        if (ids[k] < 0 || ids[k] >= tree->count) return B2D_OUT_OF_RANGE;
    const double start = now(tree);
    const double root_metric = metric(tree, node_box(&tree->nodes[0]));
    memset(tree->refined, 0, sizeof tree->refined);
    clear_flags(tree);
    for (int32_t k = 0; k < count; k++) {
        const float* b = &boxes[4 * ids[k]];
        tree->boxes[ids[k]] = (b2d_box){b[0], b[1], b[2], b[3]};
        tree->moved[ids[k]] = 1;
    }
    tree->ids = ids;
    tree->id_count = count;
    // With COPY a full refit every frame repairs the order; where nothing moves there is nothing to repair.
    const bool few = count < tree->count / 16 && (count == 0 || tree->options.layout != B2D_REFINE_LAYOUT_COPY);
    const double change = few ? refit_some(tree) : refit_all(tree);
    const double fitted = now(tree);
    switch (tree->options.policy) {
    case B2D_REFINE_POLICY_REFINE: refine(tree, change, out); break;
    case B2D_REFINE_POLICY_THRESHOLD: rebuild_above_threshold(tree, 0); break;
    case B2D_REFINE_POLICY_REBUILD: rebuild_changed(tree); break;
    default: break;
    }
    const double refined = now(tree);
    if (tree->options.layout == B2D_REFINE_LAYOUT_INCREMENTAL) improve_layout(tree);
    const double laid = now(tree);
    find_pairs(tree, out);
    const double end = now(tree);
    out->refit_ms = fitted - start, out->refine_ms = refined - fitted;
    out->layout_ms = laid - refined, out->pairs_ms = end - laid;
    out->cost_change = root_metric > 0.0 ? change / root_metric : 0.0;
    out->cost = b2d_refine_tree_cost(tree);
    const double metric_now = metric(tree, node_box(&tree->nodes[0]));
    out->carried_cost = metric_now > 0.0 ? tree->cost_sum / metric_now : 0.0;
    out->cache_quality = cache_quality(tree);
    for (int32_t w = 0; w < MOST_WORKERS; w++) out->refined_leaves += tree->refined[w];
    tree->frame++;
    for (int32_t k = 0; k < count; k++) tree->moved[ids[k]] = 0;
    return B2D_OK;
}

double b2d_refine_tree_cost(const b2d_refine_tree* tree) {
    double sum = 0.0;
    for (int32_t n = 0; n < tree->count - 1; n++)
        for (int32_t k = 0; k < 2; k++) sum += metric(tree, side_box(&tree->nodes[n], k));
    const double root = metric(tree, node_box(&tree->nodes[0]));
    return root > 0.0 ? sum / root : 0.0;
}

uint64_t b2d_refine_tree_hash(const b2d_refine_tree* tree) {
    uint64_t hash = 14695981039346656037ull;
    for (int32_t n = 0; n < tree->count - 1; n++) {
        b2d_refine_node node = tree->nodes[n];
        node.threshold = 0.0f;
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
            const b2d_box box = side_box(node, k);
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
                if (node->leaves[k] != node_leaves(&tree->nodes[child])) return "refine_tree: leaves are miscounted";
                below = node_box(&tree->nodes[child]);
                seen_nodes++;
            }
            if (memcmp(&below, &box, sizeof box) != 0) return "refine_tree: a bound is not exact";
        }
    }
    if (seen_leaves != tree->count || seen_nodes != tree->count - 1) return "refine_tree: a node is in no place";
    return NULL;
}
