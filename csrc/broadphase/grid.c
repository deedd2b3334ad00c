// csrc/broadphase/grid.c - the default broad phase: a uniform grid for moving shapes, trees for the others.
//
// Idea: in demanding scenes nearly every shape leaves its fat box in each step. One stable counting sort of the ids by
// cell, and one wide scan of half of each neighbourhood, then finds all pairs for less than the maintenance of a tree
// costs. A pair is new when the fat boxes overlap now and the old ones did not, so no hash table is needed. Where few
// shapes move the grid is patched (a shape that changes its cell leaves a hole and is added to the chain of its new
// cell) and only the moved shapes are queries. Static, sleeping and large shapes are in two trees, which sixteen
// neighbours of the grid query together. The cell size follows a sample of the boxes and how crowded the cells were; it
// influences only the speed, never a result. Each pair is reported once: of two slots by the scan, or in a sparse pass
// by the lower id if both moved; of a slot and a leaf by the slot if it is a query, else by the leaf; of two leaves by
// the lower id if both moved. Before there have been more than B2D_GRID_FEW shapes nothing is built, and every shape is
// tested.
// Cost: 20-40 ns for a moved shape when all move, 120-200 ns when few do. Threads: the update and the choice of passes
// are serial, a build and queries are parallel. Proof: tests/c/test_broadphase.c.
#include "broadphase/grid_cells.h"

#include "base/cpu.h"
#include "broadphase/brute.h"

#include <string.h>

const b2d_grid_kernels* b2d_grid_kernels_for(int32_t simd) { B2D_RETURN_KERNEL(simd, b2d_grid_kernels_); }

static bool grid_create(b2d_memory* memory, const b2d_proxies* proxies, int32_t simd, b2d_broadphase** out) {
    b2d_grid* grid = b2d_allocate(memory, sizeof *grid);
    if (grid == NULL) return false;
    grid->proxies = proxies;
    grid->kernels = b2d_grid_kernels_for(simd >= 0 ? simd : b2d_cpu_best());
    b2d_tree_init(&grid->still);
    b2d_tree_init(&grid->other);
    *out = (b2d_broadphase*)grid;
    return true;
}

void b2d_grid_slot_columns(b2d_grid* grid, void** columns[10]) {
    b2d_slots* s = &grid->slots;
    void** all[10] = {(void**)&s->min_x,     (void**)&s->min_y,     (void**)&s->max_x,     (void**)&s->max_y,
                      (void**)&s->old_min_x, (void**)&s->old_min_y, (void**)&s->old_max_x, (void**)&s->old_max_y,
                      (void**)&s->ids,       (void**)&s->keys};
    memcpy(columns, all, sizeof all);
}

static void grid_destroy(b2d_memory* memory, b2d_broadphase* broadphase) {
    b2d_grid* grid = (b2d_grid*)broadphase;
    if (grid == NULL) return;
    void** columns[10];
    b2d_grid_slot_columns(grid, columns);
    for (int32_t k = 0; k < 10; k++) b2d_free(memory, *columns[k], (size_t)grid->slot_capacity * 4);
    b2d_free(memory, grid->start, (size_t)grid->start_capacity * sizeof *grid->start);
    b2d_free(memory, grid->loose_head, (size_t)grid->loose_head_capacity * sizeof *grid->loose_head);
    b2d_free(memory, grid->loose_next, (size_t)grid->loose_next_capacity * sizeof *grid->loose_next);
    b2d_free(memory, grid->group_boxes, (size_t)grid->group_capacity * sizeof *grid->group_boxes);
    b2d_free(memory, grid->block_boxes, (size_t)grid->block_capacity * sizeof *grid->block_boxes);
    b2d_tree_free(memory, &grid->still);
    b2d_tree_free(memory, &grid->other);
    b2d_free(memory, grid->holder, (size_t)grid->id_capacity * sizeof *grid->holder);
    b2d_free(memory, grid->slot_of, (size_t)grid->id_capacity * sizeof *grid->slot_of);
    b2d_bits_free(memory, &grid->moving);
    b2d_bits_free(memory, &grid->in_grid);
    b2d_bits_free(memory, &grid->changed);
    b2d_bits_free(memory, &grid->stale);
    b2d_bits_free(memory, &grid->touched);
    b2d_free(memory, grid->ids, (size_t)grid->ids_capacity * sizeof *grid->ids);
    b2d_free(memory, grid->chunks, (size_t)grid->chunk_capacity * sizeof *grid->chunks);
    b2d_free(memory, grid, sizeof *grid);
}

static bool grid_change(b2d_memory* memory, b2d_broadphase* broadphase, const int32_t* shapes, int32_t count,
                        int32_t before) {
    b2d_grid* grid = (b2d_grid*)broadphase;
    (void)before;
    return b2d_bits_add(memory, &grid->changed, shapes, count, grid->proxies->capacity);
}

bool b2d_grid_grow_columns(b2d_memory* memory, void** const* columns, const int32_t* strides, int32_t count,
                           int32_t* capacity, int32_t needed) {
    if (needed <= *capacity) return true;
    const int32_t room = b2d_max_int(needed, *capacity + *capacity / 4);
    void* blocks[10];
    for (int32_t k = 0; k < count; k++) {
        blocks[k] = b2d_allocate(memory, (size_t)room * (size_t)strides[k]);
        if (blocks[k] != NULL) continue;
        while (k-- > 0) b2d_free(memory, blocks[k], (size_t)room * (size_t)strides[k]);
        return false;
    }
    for (int32_t k = 0; k < count; k++) {
        if (*columns[k] != NULL) memcpy(blocks[k], *columns[k], (size_t)*capacity * (size_t)strides[k]);
        b2d_free(memory, *columns[k], (size_t)*capacity * (size_t)strides[k]);
        *columns[k] = blocks[k];
    }
    *capacity = room;
    return true;
}

static bool reserve_ids(b2d_memory* memory, b2d_grid* grid) {
    const int32_t needed = (grid->proxies->capacity + 63) & ~63;
    void** columns[2] = {(void**)&grid->holder, (void**)&grid->slot_of};
    const int32_t strides[2] = {1, 4};
    return b2d_grid_grow_columns(memory, columns, strides, 2, &grid->id_capacity, needed) &&
           b2d_bits_reserve(memory, &grid->moving, needed) && b2d_bits_reserve(memory, &grid->in_grid, needed) &&
           b2d_bits_reserve(memory, &grid->changed, needed) && b2d_bits_reserve(memory, &grid->stale, needed) &&
           b2d_bits_reserve(memory, &grid->touched, needed);
}

// ---- a patch

// Scratch memory for ids between pair passes: the columns of the old boxes where they are large enough.
static int32_t* scratch_ids(b2d_memory* memory, b2d_grid* grid, int32_t count) {
    if (count <= grid->slot_capacity) return (int32_t*)(void*)grid->slots.old_min_x;
    return B2D_GROW(memory, grid->ids, grid->ids_capacity, count) ? grid->ids : NULL;
}

static void take_out(b2d_grid* grid, int32_t shape) {
    const int32_t slot = grid->slot_of[shape];
    if (slot < grid->loose_begin) {
        grid->hole_count++;
    } else {
        int32_t* link = b2d_grid_loose_list(grid, grid->slots.keys[slot]);
        while (*link != slot + 1) link = &grid->loose_next[*link - 1 - grid->loose_begin];
        *link = grid->loose_next[slot - grid->loose_begin];
    }
    b2d_grid_empty_slot(&grid->slots, slot);
    grid->member_count--;
}

static void put_box(b2d_grid* grid, int32_t slot, b2d_box box) {
    b2d_slots* s = &grid->slots;
    s->min_x[slot] = box.min_x, s->min_y[slot] = box.min_y, s->max_x[slot] = box.max_x, s->max_y[slot] = box.max_y;
    b2d_box* bound = &grid->group_boxes[slot / B2D_GRID_GROUP]; // only ever grows
    *bound = b2d_box_union(box, *bound);
    b2d_box* block = &grid->block_boxes[slot / B2D_GRID_GROUP / B2D_GRID_BLOCK];
    *block = b2d_box_union(box, *block);
}

// Moves a shape to the cell of its box, or to the tree. The caller ensures that a loose slot is free.
static void place(b2d_grid* grid, int32_t shape) {
    const b2d_box box = b2d_fat_box(grid->proxies, shape);
    const b2d_grid_corner c = b2d_grid_corner_of(&grid->frame, box);
    const bool inside = grid->holder[shape] == B2D_IN_GRID;
    if (!c.fits) {
        if (inside) take_out(grid, shape);
        b2d_grid_set_holder(grid, shape, B2D_IN_OTHER_TREE);
        b2d_bits_set(&grid->touched, shape);
        return;
    }
    const uint32_t cell = b2d_grid_table_cell(&grid->frame, c.x, c.y);
    if (inside && grid->slots.keys[grid->slot_of[shape]] == cell) {
        put_box(grid, grid->slot_of[shape], box);
        return;
    }
    if (inside) take_out(grid, shape);
    const int32_t slot = grid->loose_end++;
    B2D_ASSERT(slot < grid->loose_limit);
    if (slot % B2D_GRID_GROUP == 0) { // the first of its group
        for (int32_t k = 0; k < B2D_GRID_GROUP; k++) b2d_grid_empty_slot(&grid->slots, slot + k);
        grid->group_boxes[slot / B2D_GRID_GROUP] = box;
    }
    put_box(grid, slot, box);
    grid->slots.ids[slot] = shape;
    grid->slots.keys[slot] = cell;
    grid->slot_of[shape] = slot;
    int32_t* head = b2d_grid_loose_list(grid, cell);
    grid->loose_next[slot - grid->loose_begin] = *head;
    *head = slot + 1;
    grid->member_count++;
    b2d_grid_set_holder(grid, shape, B2D_IN_GRID);
}

static bool grid_update(b2d_memory* memory, b2d_broadphase* broadphase, b2d_scheduler* scheduler) {
    b2d_grid* grid = (b2d_grid*)broadphase;
    const b2d_proxies* p = grid->proxies;
    if (b2d_grid_is_brute(grid)) return true; // `changed` remembers all shapes
    if (!reserve_ids(memory, grid)) return false;

    b2d_bits_merge(&grid->stale, &p->dirty); // these bits remain until everything below has succeeded
    B2D_FOR_BITS (&grid->changed, id) {
        const int32_t class = p->proxy_class[id];
        b2d_bits_set(&grid->stale, id);
        if (class == B2D_PROXY_MOVING) {
            b2d_bits_set(&grid->moving, id);
            continue;
        }
        b2d_bits_unset(&grid->moving, id);
        if (grid->holder[id] == B2D_IN_GRID && grid->built) take_out(grid, id);
        b2d_grid_set_holder(grid, id,
                            class == B2D_PROXY_STATIC   ? B2D_IN_STILL_TREE
                            : class == B2D_PROXY_ASLEEP ? B2D_IN_OTHER_TREE
                                                        : B2D_IN_NOTHING);
    }
    b2d_bits_clear(&grid->changed);

    int32_t need = 0; // moving shapes to place
    for (int32_t group = b2d_bits_skip(&grid->stale, 0); group < grid->stale.summary_count;
         group = b2d_bits_skip(&grid->stale, group + 1))
        for (uint64_t words = grid->stale.summary[group]; words != 0; words &= words - 1) {
            const int32_t word = 64 * group + b2d_ctz64(words);
            need += b2d_popcount64(grid->stale.words[word] & grid->moving.words[word]);
            // shapes in the trees
            for (uint64_t bits = grid->stale.words[word] & ~grid->in_grid.words[word]; bits != 0; bits &= bits - 1) {
                const int32_t id = 64 * word + b2d_ctz64(bits);
                if (grid->holder[id] > B2D_IN_GRID) b2d_bits_set(&grid->touched, id);
            }
        }
    const bool crowded = grid->loose_end + need > grid->loose_limit ||
                         grid->hole_count > grid->sorted_count / 4 + B2D_GRID_GROUP;
    if (!grid->built || (need > 0 && (crowded || 100 * (int64_t)need >
                                                     B2D_GRID_SPARSE_PERCENT * (int64_t)(grid->member_count + need)))) {
        if (!b2d_grid_build(memory, grid, scheduler)) return false;
    } else if (need > 0) {
        B2D_FOR_BITS (&grid->stale, id)
            if (b2d_bits_has(&grid->moving, id)) place(grid, id);
    }
    b2d_bits_clear(&grid->stale);

    const int32_t touched = b2d_bits_count(&grid->touched);
    if (touched > 0) {
        int32_t* ids = scratch_ids(memory, grid, touched);
        if (ids == NULL) return false;
        b2d_bits_list(&grid->touched, 0, grid->touched.word_count, ids);
        if (!b2d_tree_sync(memory, &grid->still, p, ids, touched, grid->holder, 1u << B2D_IN_STILL_TREE)) return false;
        if (!b2d_tree_sync(memory, &grid->other, p, ids, touched, grid->holder, 1u << B2D_IN_OTHER_TREE)) return false;
        b2d_bits_clear(&grid->touched);
    }
    return true;
}

// ---- validation

static const char* grid_validate(const b2d_broadphase* broadphase) {
    const b2d_grid* grid = (const b2d_grid*)broadphase;
    const b2d_proxies* p = grid->proxies;
    int32_t members = 0, still = 0, other = 0;
    for (int32_t i = 0; i < b2d_min_int(p->limit, grid->id_capacity); i++) {
        const int32_t holder = grid->holder[i], class = p->proxy_class[i];
        members += holder == B2D_IN_GRID, still += holder == B2D_IN_STILL_TREE, other += holder == B2D_IN_OTHER_TREE;
        if ((holder == B2D_IN_STILL_TREE) != b2d_tree_has(&grid->still, i) ||
            (holder == B2D_IN_OTHER_TREE) != b2d_tree_has(&grid->other, i))
            return "grid: a shape is in another tree than its holder says";
        if (b2d_bits_has(&grid->in_grid, i) != (holder == B2D_IN_GRID))
            return "grid: the set of members disagrees with the holders";
        if (b2d_bits_has(&grid->changed, i)) continue; // handled by the next update
        if (b2d_bits_has(&grid->moving, i) != (class == B2D_PROXY_MOVING))
            return "grid: the set of moving shapes disagrees with the classes";
        const bool right = class == B2D_PROXY_NONE     ? holder == B2D_IN_NOTHING
                           : class == B2D_PROXY_STATIC ? holder == B2D_IN_STILL_TREE
                           : class == B2D_PROXY_ASLEEP ? holder == B2D_IN_OTHER_TREE
                                                       : holder == B2D_IN_GRID || holder == B2D_IN_OTHER_TREE;
        if (!right) return "grid: a shape's holder does not suit its class";
        if (holder == B2D_IN_NOTHING) continue;
        const int32_t slot = holder == B2D_IN_GRID ? grid->slot_of[i] : B2D_NONE;
        if (slot != B2D_NONE && (slot >= grid->loose_end || grid->slots.ids[slot] != i))
            return "grid: a slot does not hold the shape that points at it";
        const b2d_box box = slot == B2D_NONE
                                ? b2d_tree_box(holder == B2D_IN_STILL_TREE ? &grid->still : &grid->other, i)
                                : b2d_grid_slot_box(&grid->slots, slot);
        if (!b2d_bits_has(&p->dirty, i) && !b2d_box_same(box, b2d_fat_box(p, i))) return "grid: a stored box is stale";
        if (slot == B2D_NONE) continue;
        const b2d_grid_corner c = b2d_grid_corner_of(&grid->frame, box);
        const uint32_t cell = grid->slots.keys[slot];
        if (!c.fits || b2d_grid_table_cell(&grid->frame, c.x, c.y) != cell) return "grid: a shape is in the wrong cell";
        if (slot < grid->sorted_count && (slot < grid->start[cell] || slot >= grid->start[cell + 1]))
            return "grid: a slot lies outside its cell's run";
        if (!b2d_box_contains(grid->group_boxes[slot / B2D_GRID_GROUP], box))
            return "grid: a group's bound is too small";
        if (!b2d_box_contains(grid->block_boxes[slot / B2D_GRID_GROUP / B2D_GRID_BLOCK], box))
            return "grid: a block's bound is too small";
    }
    if (members != grid->member_count) return "grid: the members are miscounted";
    if (still != grid->still.leaf_count || other != grid->other.leaf_count)
        return "grid: a tree holds a shape of another holder";
    const char* broken = b2d_tree_validate(&grid->still);
    return broken != NULL ? broken : b2d_tree_validate(&grid->other);
}

// The inner nodes of both trees, and the bound of each group of slots as level 1. Of few shapes one bound.
static void grid_boxes(const b2d_broadphase* broadphase, b2d_box_fn* found, void* context) {
    const b2d_grid* grid = (const b2d_grid*)broadphase;
    if (b2d_grid_is_brute(grid)) {
        b2d_box bound = {INFINITY, INFINITY, -INFINITY, -INFINITY};
        for (int32_t id = 0; id < grid->proxies->limit; id++)
            if (grid->proxies->proxy_class[id] != B2D_PROXY_NONE)
                bound = b2d_box_union(bound, b2d_fat_box(grid->proxies, id));
        if (bound.min_x <= bound.max_x) found(context, bound, 0);
        return;
    }
    b2d_tree_inner_boxes(&grid->still, found, context);
    b2d_tree_inner_boxes(&grid->other, found, context);
    for (int32_t first = 0; first < grid->sorted_count; first += B2D_GRID_GROUP) {
        b2d_box bound = {INFINITY, INFINITY, -INFINITY, -INFINITY};
        for (int32_t slot = first; slot < b2d_min_int(first + B2D_GRID_GROUP, grid->sorted_count); slot++)
            if (grid->slots.ids[slot] != B2D_NONE) bound = b2d_box_union(bound, b2d_grid_slot_box(&grid->slots, slot));
        if (bound.min_x <= bound.max_x) found(context, bound, 1);
    }
}

const b2d_broadphase_table b2d_broadphase_grid = {
    "grid",         grid_create,           grid_destroy, grid_change, grid_update,   b2d_grid_pairs,
    b2d_grid_query, b2d_grid_meets_static, b2d_grid_ray, grid_boxes,  grid_validate,
};
