// csrc/lab/cell_harness.c - two choices of a grid of sweep-and-prunes that no broad phase here offers.
//
// Idea (Terdiman 2007): a pair that lies in several cells must be reported once, by a hash table of all pairs or by the
// one cell that owns it; and a shape that touches very many cells can lie in all of them or in a tree beside the grid.
// Cost: figures in docs/lab.md. Threads: serial. Proof: tests/scenes/test_lab.py.
#include "base/radix_sort.h"
#include "base/timer.h"
#include "broadphase/tree.h"
#include "lab/sap.h"
#include "box2dpy_lab.h"

// ---- the owner of a pair

static b2d_box box_at(const float* boxes, int32_t k) {
    const float* b = &boxes[4 * k];
    return (b2d_box){b[0], b[1], b[2], b[3]};
}

typedef struct cell_grid {
    float x, y, inverse;
    int32_t columns, rows;
} cell_grid;

static int32_t column_of(const cell_grid* grid, float x) { return (int32_t)((x - grid->x) * grid->inverse); }
static int32_t row_of(const cell_grid* grid, float y) { return (int32_t)((y - grid->y) * grid->inverse); }

static cell_grid grid_around(const float* boxes, int32_t count, float cell) {
    b2d_box all = box_at(boxes, 0);
    for (int32_t k = 1; k < count; k++) all = b2d_box_union(all, box_at(boxes, k));
    cell_grid grid = {.x = all.min_x, .y = all.min_y, .inverse = 1.0f / cell};
    grid.columns = column_of(&grid, all.max_x) + 1;
    grid.rows = row_of(&grid, all.max_y) + 1;
    return grid;
}

// Entries of the boxes in the cells that they touch, in each cell in the order of their lower x. `ends`: where the
// entries of each cell end, and zeros before the call; `entries` NULL counts them only.
static void enter_cells(const cell_grid* grid, const float* boxes, const uint64_t* order, int32_t count, int32_t* ends,
                        int32_t* entries) {
    for (int32_t k = 0; k < count; k++) {
        const int32_t id = (int32_t)(uint32_t)order[k];
        const b2d_box b = box_at(boxes, id);
        for (int32_t y = row_of(grid, b.min_y); y <= row_of(grid, b.max_y); y++)
            for (int32_t x = column_of(grid, b.min_x); x <= column_of(grid, b.max_x); x++) {
                int32_t* end = &ends[y * grid->columns + x];
                if (entries != NULL) entries[*end] = id;
                ++*end;
            }
    }
}

// Sweeps the entries of a cell along x. False: no memory.
static bool prune_cell(const cell_grid* grid, const float* boxes, int32_t cell, const int32_t* entries, int32_t count,
                       bool owner, b2d_memory* memory, b2d_pair_set* set, b2d_key_list* list, int64_t* found) {
    for (int32_t k = 0; k < count; k++) {
        const b2d_box a = box_at(boxes, entries[k]);
        for (int32_t j = k + 1; j < count; j++) {
            const b2d_box b = box_at(boxes, entries[j]);
            if (b.min_x > a.max_x) break;
            if (!(a.min_y <= b.max_y && b.min_y <= a.max_y)) continue;
            ++*found;
            const uint64_t key = b2d_pair_key(entries[k], entries[j]);
            if (owner) { // the cell with the lower left corner of the intersection; b begins after a
                if (row_of(grid, b2d_max(a.min_y, b.min_y)) * grid->columns + column_of(grid, b.min_x) != cell)
                    continue;
            } else {
                if (b2d_pair_set_find(set, key) != B2D_NONE) continue;
                if (!b2d_pair_set_add(memory, set, key, 0)) return false;
            }
            b2d_key_list_push(list, key);
        }
    }
    return !list->failed;
}

b2d_status b2d_lab_cell_pairs(bool owner, const float* boxes, int32_t count, float cell, double* ms, int64_t* pairs,
                              int64_t* found) {
    if (count < 1) return B2D_OUT_OF_RANGE;
    b2d_memory memory = {.fail_after = -1};
    const cell_grid grid = grid_around(boxes, count, cell);
    const int32_t cells = grid.columns * grid.rows;
    const size_t order_bytes = 2 * (size_t)count * sizeof(uint64_t), ends_bytes = (size_t)cells * sizeof(int32_t);
    b2d_pair_set set = {0};
    b2d_key_list list = {.memory = &memory};
    uint64_t* order = b2d_allocate(&memory, order_bytes);
    int32_t *ends = b2d_allocate(&memory, ends_bytes), *entries = NULL;
    int32_t total = 0;
    bool done = order != NULL && ends != NULL;
    *pairs = *found = 0;
    if (done) {
        for (int32_t k = 0; k < count; k++) order[k] = (uint64_t)b2d_float_key(boxes[4 * k]) << 32 | (uint32_t)k;
        b2d_radix_sort(order, order + count, count);
        enter_cells(&grid, boxes, order, count, ends, NULL);
        for (int32_t c = 0; c < cells; c++) { // from counts to where the entries of each cell begin
            const int32_t here = ends[c];
            ends[c] = total;
            total += here;
        }
        entries = b2d_allocate(&memory, (size_t)total * sizeof *entries);
        done = entries != NULL;
    }
    if (done) {
        enter_cells(&grid, boxes, order, count, ends, entries);
        const double start = b2d_milliseconds();
        for (int32_t c = 0, begin = 0; c < cells && done; begin = ends[c++])
            done = prune_cell(&grid, boxes, c, entries + begin, ends[c] - begin, owner, &memory, &set, &list, found);
        *ms = b2d_milliseconds() - start;
        *pairs = list.count;
    }
    b2d_pair_set_free(&memory, &set);
    b2d_free(&memory, list.keys, (size_t)list.capacity * sizeof *list.keys);
    b2d_free(&memory, order, order_bytes);
    b2d_free(&memory, ends, ends_bytes);
    b2d_free(&memory, entries, (size_t)total * sizeof *entries);
    return done ? B2D_OK : B2D_NO_MEMORY;
}

// ---- a hash grid

typedef struct hash_entry {
    int32_t x, y, id, next; // next: 0 ends the list
} hash_entry;

static uint32_t hash_of(int32_t x, int32_t y) { return (uint32_t)x * 73856093u ^ (uint32_t)y * 19349663u; }

b2d_status b2d_lab_hash_grid(const float* boxes, int32_t count, float cell, double* ms, int64_t* pairs) {
    b2d_memory memory = {.fail_after = -1};
    int32_t slots = 64, capacity = 0, used = 1;
    while (slots < 2 * count) slots *= 2;
    int32_t* heads = b2d_allocate(&memory, (size_t)slots * sizeof *heads);
    hash_entry* entries = NULL;
    b2d_key_list list = {.memory = &memory};
    bool done = heads != NULL && B2D_GROW(&memory, entries, capacity, 4 * count);
    const float inverse = 1.0f / cell;
    const double start = b2d_milliseconds();
    for (int32_t id = 0; id < count && done; id++) {
        const b2d_box a = box_at(boxes, id);
        const int32_t x0 = (int32_t)floorf(a.min_x * inverse), x1 = (int32_t)floorf(a.max_x * inverse);
        const int32_t y0 = (int32_t)floorf(a.min_y * inverse), y1 = (int32_t)floorf(a.max_y * inverse);
        for (int32_t y = y0; y <= y1; y++)
            for (int32_t x = x0; x <= x1 && done; x++) {
                int32_t* head = &heads[hash_of(x, y) & (uint32_t)(slots - 1)];
                for (int32_t k = *head; k != 0; k = entries[k].next) {
                    if (entries[k].x != x || entries[k].y != y) continue; // another cell with this hash
                    const b2d_box b = box_at(boxes, entries[k].id);
                    if (!b2d_box_overlaps(a, b)) continue;
                    // The cell with the lower left corner of the intersection reports the pair.
                    if ((int32_t)floorf(b2d_max(a.min_x, b.min_x) * inverse) == x &&
                        (int32_t)floorf(b2d_max(a.min_y, b.min_y) * inverse) == y)
                        b2d_key_list_push(&list, b2d_pair_key(id, entries[k].id));
                }
                done = B2D_GROW(&memory, entries, capacity, used + 1);
                if (done) entries[used] = (hash_entry){x, y, id, *head}, *head = used++;
            }
    }
    *ms = b2d_milliseconds() - start;
    *pairs = list.count;
    done = done && !list.failed;
    b2d_free(&memory, list.keys, (size_t)list.capacity * sizeof *list.keys);
    b2d_free(&memory, heads, (size_t)slots * sizeof *heads);
    b2d_free(&memory, entries, (size_t)capacity * sizeof *entries);
    return done ? B2D_OK : B2D_NO_MEMORY;
}

// ---- a long ground

enum { IN_CELL = 4 }; // movers in a cell

typedef struct row_of_cells {
    b2d_memory memory;
    b2d_proxies p; // of the movers, and last of the ground
    b2d_pool pool;
    b2d_sap* cells;
    int32_t* handle_of; // by mover
    b2d_sap_sink sink;
    b2d_pair_manager manager;
    b2d_tree tree;
    int32_t count, cell_count, tree_pairs;
} row_of_cells;

static void place_mover(row_of_cells* row, int32_t k, float cell, int32_t step) {
    // Movers slide on the ground and stay in their cell; in each cell they overlap a little.
    const float at = (float)(k / IN_CELL) * cell + 0.1f + (cell - 1.3f) * (float)(k % IN_CELL) / IN_CELL;
    const float shift = (step + k) % 2 == 0 ? 0.0f : 0.1f;
    row->p.fat_min_x[k] = at + shift, row->p.fat_max_x[k] = at + shift + 1.0f;
    row->p.fat_min_y[k] = -0.05f, row->p.fat_max_y[k] = 0.95f;
}

static bool insert_in_cells(row_of_cells* row, bool ground) {
    for (int32_t c = 0; c < row->cell_count; c++) {
        int32_t taken = 0;
        for (int32_t k = c * IN_CELL; k < (c + 1) * IN_CELL; k++)
            row->sink.handles[taken++] = row->handle_of[k] = b2d_sap_take_handle(&row->cells[c], k);
        if (ground) row->sink.handles[taken++] = b2d_sap_take_handle(&row->cells[c], row->count);
        b2d_sap_insert(&row->cells[c], &row->sink, taken);
    }
    return !row->manager.failed;
}

static bool reserve_row(row_of_cells* row) {
    b2d_memory* m = &row->memory;
    b2d_proxies* p = &row->p;
    float** columns[4] = {&p->fat_min_x, &p->fat_min_y, &p->fat_max_x, &p->fat_max_y};
    bool done = true;
    p->capacity = p->limit = row->count + 1;
    for (int32_t k = 0; k < 4; k++)
        done &= (*columns[k] = b2d_allocate(m, (size_t)p->capacity * sizeof(float))) != NULL;
    row->cells = b2d_allocate(m, (size_t)row->cell_count * sizeof *row->cells);
    row->handle_of = b2d_allocate(m, (size_t)row->count * sizeof *row->handle_of);
    b2d_tree_init(&row->tree);
    row->sink.proxies = p, row->sink.memory = m, row->sink.manager = &row->manager, row->sink.shared = true;
    done = done && row->cells != NULL && row->handle_of != NULL && b2d_sap_sink_reserve(m, &row->sink, IN_CELL + 1) &&
           b2d_tree_reserve(m, &row->tree, 1, p->capacity);
    for (int32_t c = 0; c < row->cell_count && done; c++) {
        row->cells[c].free_handle = B2D_NONE;
        done = b2d_sap_reserve(m, &row->pool, &row->cells[c], IN_CELL + 1);
    }
    return done;
}

static void free_row(row_of_cells* row) {
    b2d_memory* m = &row->memory;
    b2d_proxies* p = &row->p;
    float* columns[4] = {p->fat_min_x, p->fat_min_y, p->fat_max_x, p->fat_max_y};
    for (int32_t k = 0; k < 4; k++) b2d_free(m, columns[k], (size_t)p->capacity * sizeof(float));
    b2d_free(m, row->cells, (size_t)row->cell_count * sizeof *row->cells);
    b2d_free(m, row->handle_of, (size_t)row->count * sizeof *row->handle_of);
    b2d_pool_free(m, &row->pool);
    b2d_sap_sink_free(m, &row->sink);
    b2d_pair_manager_free(m, &row->manager);
    b2d_tree_free(m, &row->tree);
}

b2d_status b2d_lab_ground(bool in_cells, int32_t count, float cell, int32_t steps, double* ms, int64_t* bytes,
                          int64_t* entries, int64_t* pairs) {
    if (count < IN_CELL || count % IN_CELL != 0 || cell < 2.0f) return B2D_OUT_OF_RANGE;
    row_of_cells row = {.memory = {.fail_after = -1}, .count = count, .cell_count = count / IN_CELL};
    bool done = reserve_row(&row);
    if (done) {
        b2d_proxies* p = &row.p;
        for (int32_t k = 0; k < count; k++) place_mover(&row, k, cell, 0);
        p->fat_min_x[count] = 0.0f, p->fat_max_x[count] = cell * (float)row.cell_count;
        p->fat_min_y[count] = -1.0f, p->fat_max_y[count] = 0.0f;
        if (!in_cells) b2d_tree_insert(&row.tree, count, b2d_fat_box(p, count));
        done = insert_in_cells(&row, in_cells);
        const double start = b2d_milliseconds();
        for (int32_t s = 1; s <= steps && done; s++) {
            row.tree_pairs = 0;
            for (int32_t k = 0; k < count; k++) {
                place_mover(&row, k, cell, s);
                b2d_sap_move(&row.cells[k / IN_CELL], &row.sink, row.handle_of[k]);
                if (in_cells) continue;
                const b2d_box box = b2d_fat_box(p, k);
                b2d_tree_walk walk;
                b2d_tree_walk_start(&row.tree, &walk, box);
                while (b2d_tree_walk_next(&row.tree, &walk, box) != B2D_NONE) row.tree_pairs++;
            }
            done = !row.manager.failed;
        }
        *ms = b2d_milliseconds() - start;
        *bytes = row.memory.bytes;
        *entries = 0;
        for (int32_t c = 0; c < row.cell_count; c++) *entries += row.cells[c].count;
        *pairs = row.tree_pairs;
        for (int32_t k = 0; k < row.manager.count; k++) *pairs += (int32_t)(uint32_t)row.manager.keys[k] == count;
    }
    free_row(&row);
    return done ? B2D_OK : B2D_NO_MEMORY;
}
