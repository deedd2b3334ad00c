// csrc/broadphase/grid_pairs.c - the passes of the grid that find new pairs.
//
// Idea: in a full pass the wide scan finds the pairs among sorted slots, groups of slots query the trees together, and
// loose slots and moved leaves query the slots. In a sparse pass each moved shape queries slots and trees by itself.
// Cost and proof: grid.c. Threads: items of the stages are groups of slots, or queries; each worker has its list.
#include "broadphase/grid_cells.h"

static void gather_old_stage(void* context, int32_t begin, int32_t end, int32_t worker) { // items: groups
    b2d_grid* grid = context;
    b2d_slots s = grid->slots;
    (void)worker;
    for (int32_t slot = B2D_GRID_GROUP * begin; slot < B2D_GRID_GROUP * end; slot++) {
        const b2d_box old = s.ids[slot] == B2D_NONE ? (b2d_box){INFINITY, INFINITY, -INFINITY, -INFINITY}
                                                    : b2d_old_box(grid->proxies, s.ids[slot]);
        s.old_min_x[slot] = old.min_x, s.old_min_y[slot] = old.min_y, s.old_max_x[slot] = old.max_x,
        s.old_max_y[slot] = old.max_y;
    }
}

// ---- queries of the pair passes

static bool visit_run(const b2d_grid* grid, b2d_box box, int32_t begin, int32_t end, b2d_grid_slot_fn* found,
                      void* context) {
    int32_t slots[64];
    for (int32_t from = begin; from < end; from += 64) {
        const int32_t count = grid->kernels->find(&grid->slots, box, from, b2d_min_int(from + 64, end), slots);
        for (int32_t k = 0; k < count; k++)
            if (!found(context, slots[k])) return false;
    }
    return true;
}

static bool visit_chain(const b2d_grid* grid, b2d_box box, uint32_t cell, b2d_grid_slot_fn* found, void* context) {
    const b2d_slots* s = &grid->slots;
    for (int32_t link = *b2d_grid_loose_list(grid, cell); link != 0;) {
        const int32_t slot = link - 1;
        link = grid->loose_next[slot - grid->loose_begin];
        if (s->keys[slot] == cell && b2d_box_overlaps(box, b2d_grid_slot_box(s, slot)) && !found(context, slot))
            return false;
    }
    return true;
}

bool b2d_grid_visit(const b2d_grid* grid, b2d_box box, b2d_grid_slot_fn* found, void* context) {
    if (grid->member_count == 0) return true;
    const b2d_grid_frame* frame = &grid->frame;
    int32_t left, right, bottom, top;
    b2d_grid_cell_range(frame->origin_x, frame, box.min_x, box.max_x, &left, &right);
    b2d_grid_cell_range(frame->origin_y, frame, box.min_y, box.max_y, &bottom, &top);
    if (right < left || top < bottom) return true; // an empty query box
    const int32_t columns = b2d_min_int(right - left + 1, frame->width),
                  rows = b2d_min_int(top - bottom + 1, frame->height);
    const int32_t groups = b2d_grid_round(grid->loose_end) / B2D_GRID_GROUP;
    if (rows * (int64_t)columns > 9 && rows * (int64_t)columns > groups) {
        for (int32_t g = 0; g < groups; g++) {
            if (g % B2D_GRID_BLOCK == 0 && !b2d_box_overlaps(grid->block_boxes[g / B2D_GRID_BLOCK], box)) {
                g += B2D_GRID_BLOCK - 1;
                continue;
            }
            if (b2d_box_overlaps(grid->group_boxes[g], box) &&
                !visit_run(grid, box, B2D_GRID_GROUP * g, B2D_GRID_GROUP * (g + 1), found, context))
                return false;
        }
        return true;
    }
    const bool loose = grid->loose_end > grid->loose_begin;
    const int32_t first = left & (frame->width - 1), beyond = b2d_max_int(first + columns - frame->width, 0);
    for (int32_t r = 0; r < rows; r++) {
        const int32_t row = ((bottom + r) & (frame->height - 1)) * frame->width;
        if (!visit_run(grid, box, grid->start[row + first], grid->start[row + first + columns - beyond], found,
                       context))
            return false;
        if (beyond > 0 && !visit_run(grid, box, grid->start[row], grid->start[row + beyond], found, context))
            return false;
        for (int32_t c = 0; loose && c < columns; c++)
            if (!visit_chain(grid, box, (uint32_t)(row + ((first + c) & (frame->width - 1))), found, context))
                return false;
    }
    return true;
}

typedef struct pair_query {
    const b2d_grid* grid;
    b2d_key_list* list;
    b2d_box old;
    int32_t shape, slot; // slot: B2D_NONE for a leaf
} pair_query;

// A slot finds a slot. In a full pass only loose slots are queries, against all slots; of two loose ones the lower id
// reports.
static bool slot_finds_slot(void* context, int32_t slot) {
    const pair_query* query = context;
    const b2d_grid* grid = query->grid;
    const int32_t other = grid->slots.ids[slot];
    const bool other_queries = grid->full ? slot >= grid->loose_begin : b2d_bits_has(&grid->proxies->moved, other);
    if (slot == query->slot || (other_queries && other < query->shape)) return true;
    if (!b2d_box_overlaps(query->old, b2d_old_box(grid->proxies, other)))
        b2d_grid_report(grid->proxies, query->shape, other, query->list);
    return true;
}

// A moved leaf finds a slot that is no query itself.
static bool leaf_finds_slot(void* context, int32_t slot) {
    const pair_query* query = context;
    const int32_t other = query->grid->slots.ids[slot];
    if (b2d_bits_has(&query->grid->proxies->moved, other)) return true;
    if (!b2d_box_overlaps(query->old, b2d_old_box(query->grid->proxies, other)))
        b2d_grid_report(query->grid->proxies, query->shape, other, query->list);
    return true;
}

// Tests a slot, or a moved leaf, against the leaves of a tree. Of two moved leaves the lower id reports.
static void query_leaves(const pair_query* query, const b2d_tree* tree, b2d_box box) {
    const b2d_proxies* p = query->grid->proxies;
    b2d_tree_walk walk;
    b2d_tree_walk_start(tree, &walk, box);
    for (int32_t other; (other = b2d_tree_walk_next(tree, &walk, box)) != B2D_NONE;) {
        if (other == query->shape ||
            (query->slot == B2D_NONE && other < query->shape && b2d_bits_has(&p->moved, other)))
            continue;
        if (!b2d_box_overlaps(query->old, b2d_old_box(p, other))) b2d_grid_report(p, query->shape, other, query->list);
    }
}

static void query_stage(void* context, int32_t begin, int32_t end, int32_t worker) { // items: lookers
    const b2d_grid* grid = context;
    const b2d_proxies* p = grid->proxies;
    for (int32_t k = begin; k < end; k++) {
        const int32_t shape = grid->queries[k];
        const bool in_grid = grid->holder[shape] == B2D_IN_GRID;
        const b2d_box box = b2d_fat_box(p, shape);
        pair_query query = {grid, &grid->lists[worker], b2d_old_box(p, shape), shape,
                            in_grid ? grid->slot_of[shape] : B2D_NONE};
        if (in_grid) b2d_grid_visit(grid, box, slot_finds_slot, &query);
        else if (!grid->full) b2d_grid_visit(grid, box, leaf_finds_slot, &query);
        if (in_grid && grid->full) continue; // its group is tested against the leaves
        if (grid->holder[shape] != B2D_IN_STILL_TREE) query_leaves(&query, &grid->still, box);
        query_leaves(&query, &grid->other, box);
    }
}

// The slots of a group that a tree may give new pairs: all where one of its leaves moved, else those that moved.
static uint32_t asking_slots(const b2d_grid* grid, int32_t first, bool leaf_moved) {
    uint32_t asking = 0;
    for (int32_t k = 0; k < B2D_GRID_GROUP; k++) {
        const int32_t id = grid->slots.ids[first + k];
        if (id != B2D_NONE) asking |= (uint32_t)(leaf_moved || b2d_bits_has(&grid->proxies->moved, id)) << k;
    }
    return asking;
}

static void query_tree_by_group(const b2d_grid* grid, const b2d_tree* tree, bool leaf_moved, int32_t group,
                                b2d_key_list* list) {
    if (tree->leaf_count == 0 || !b2d_box_overlaps(tree->nodes[0].box, grid->group_boxes[group])) return;
    const int32_t first = B2D_GRID_GROUP * group;
    const uint32_t asking = asking_slots(grid, first, leaf_moved);
    if (asking != 0) grid->kernels->group(grid, tree, first, asking, list);
}

static void full_stage(void* context, int32_t begin, int32_t end, int32_t worker) { // items: groups
    const b2d_grid* grid = context;
    b2d_key_list* list = &grid->lists[worker];
    const int32_t from = B2D_GRID_GROUP * begin, to = b2d_min_int(B2D_GRID_GROUP * end, grid->sorted_count);
    if (from < to) grid->kernels->scan(grid, from, to, list);
    for (int32_t g = begin; g < end; g++) {
        query_tree_by_group(grid, &grid->still, grid->still_moved, g, list);
        query_tree_by_group(grid, &grid->other, grid->other_moved, g, list);
    }
}

bool b2d_grid_pairs(b2d_memory* memory, b2d_broadphase* broadphase, b2d_scheduler* scheduler, b2d_key_list* lists) {
    b2d_grid* grid = (b2d_grid*)broadphase;
    const b2d_proxies* p = grid->proxies;
    if (b2d_grid_is_brute(grid)) {
        if (p->limit > 0) grid->kernels->few(p, &lists[0]);
        return !lists[0].failed;
    }
    if (!grid->built) return false; // the previous update found no memory
    int32_t movers = 0, leaves = 0;
    grid->still_moved = grid->other_moved = false;
    for (int32_t pass = 0; pass < 2; pass++) { // count, then list
        int32_t count = 0;
        for (int32_t group = b2d_bits_skip(&p->moved, 0); group < p->moved.summary_count;
             group = b2d_bits_skip(&p->moved, group + 1))
            for (uint64_t words = p->moved.summary[group]; words != 0; words &= words - 1) {
                const int32_t word = 64 * group + b2d_ctz64(words);
                if (word >= grid->in_grid.word_count) break;
                const uint64_t inside = p->moved.words[word] & grid->in_grid.words[word],
                               rest = p->moved.words[word] & ~inside;
                if (pass == 0) {
                    movers += b2d_popcount64(inside);
                    leaves += b2d_popcount64(rest);
                    continue;
                }
                for (uint64_t bits = grid->full ? rest : p->moved.words[word]; bits != 0; bits &= bits - 1) {
                    const int32_t id = 64 * word + b2d_ctz64(bits);
                    if (grid->holder[id] != B2D_IN_NOTHING) grid->ids[count++] = id;
                    if (grid->holder[id] == B2D_IN_STILL_TREE) grid->still_moved = true;
                    if (grid->holder[id] == B2D_IN_OTHER_TREE) grid->other_moved = true;
                }
            }
        if (pass == 0) {
            grid->full = 100 * (int64_t)movers >= B2D_GRID_SPARSE_PERCENT * (int64_t)grid->member_count && movers > 0;
            // For as many as if the last build had been at another step: then other shapes are loose, or too large. So
            // a motion that is repeated needs no memory.
            const int32_t room = leaves + movers + grid->loose_next_capacity;
            if (!B2D_GROW(memory, grid->ids, grid->ids_capacity, room)) return false;
            continue;
        }
        if (grid->full) // loose slots are in no run of a cell
            for (int32_t slot = grid->loose_begin; slot < grid->loose_end; slot++)
                if (grid->slots.ids[slot] != B2D_NONE) grid->ids[count++] = grid->slots.ids[slot];
        grid->queries = grid->ids;
        grid->query_count = count;
    }
    grid->lists = lists;
    const int32_t groups = grid->full ? b2d_grid_round(grid->loose_end) / B2D_GRID_GROUP : 0;
    const b2d_stage stages[3] = {
        {gather_old_stage, grid, groups, B2D_GRID_GRAIN / B2D_GRID_GROUP},
        {full_stage, grid, groups, B2D_GRID_GRAIN / B2D_GRID_GROUP / 2},
        {query_stage, grid, grid->query_count, 128},
    };
    b2d_scheduler_run(scheduler, stages, 3);
    return !b2d_key_lists_failed(lists, b2d_scheduler_workers(scheduler));
}
