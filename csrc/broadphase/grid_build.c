// csrc/broadphase/grid_build.c - the size of the cells, and the counting sort of all moving shapes into them.
//
// Idea, cost and proof: grid.c. Threads: of many shapes the cells are found in chunks of ids, dealt into bands of cells
// and sorted band by band on all workers; the order is that of one worker.
#include "broadphase/grid_cells.h"

enum {
    FRAME_BUILDS = 16,   // number of builds for which a cell size is kept
    SAMPLES = 128,       // number of boxes from which it is chosen
    CHUNK_WORDS = 8,     // 64-bit words of ids in one unit of a build
    SHARED_COUNT = 1024, // shapes whose sorting is worth sharing out
};

// ---- the frame

static void sort_floats(float* a, int32_t count) { // a sample only
    for (int32_t gap = count > 24 ? 23 : 1; gap > 0; gap = gap > 4 ? gap / 4 : gap > 1 ? 1 : 0)
        for (int32_t i = gap; i < count; i++) {
            float x = a[i];
            int32_t j = i;
            for (; j >= gap && x < a[j - gap]; j -= gap) a[j] = a[j - gap];
            a[j] = x;
        }
}

// Chooses the cell size: of some quantiles of the box sides the one with the least estimated cost, from a sample and
// from how crowded the cells of the last build were. A small quantile, which leaves many shapes to the tree, pays only
// where larger cells would be crowded.
static void choose_frame(b2d_grid* grid, const int32_t* ids, int32_t count) {
    float sides[SAMPLES], x[SAMPLES], y[SAMPLES];
    const int32_t samples = b2d_min_int(count, SAMPLES);
    double area = 0.0;
    for (int32_t k = 0; k < samples; k++) {
        const b2d_box box = b2d_fat_box(grid->proxies, ids[(int64_t)k * count / samples]);
        const float width = box.max_x - box.min_x, height = box.max_y - box.min_y;
        sides[k] = b2d_max(width, height);
        x[k] = box.min_x, y[k] = box.min_y;
        area += (double)width * (double)height;
    }
    sort_floats(sides, samples);
    sort_floats(x, samples);
    sort_floats(y, samples);

    const int32_t edge = samples / 50;
    const float span_x = x[samples - 1 - edge] - x[edge], span_y = y[samples - 1 - edge] - y[edge];
    // Cell size for which a table of two cells for each shape covers the span
    const float covering = sqrtf(span_x) * sqrtf(span_y) / sqrtf(1.5f * (float)count);

    // In ns: the scan of a slot, each other shape in its cell, a shape in the tree
    const double look = 15.0, test = 1.0, leaf = 150.0;
    const double wrap = 15.0; // ns, where cells far apart share a cell of the table
    const double density = grid->crowd > 0.0 && grid->cell > 0.0f
                               ? grid->crowd / ((double)grid->cell * (double)grid->cell)
                               : (area > 0.0 ? (double)samples / area : 0.0);
    static const int32_t percents[] = {100, 98, 95, 90, 80, 65, 50, 35, 20, 0}; // the last means the covering size
    double best = INFINITY;
    float cell = 0.0f;
    for (size_t k = 0; k < sizeof percents / sizeof *percents; k++) {
        const float candidate = percents[k] > 0 ? 1.2f * sides[b2d_max_int((samples * percents[k] + 99) / 100 - 1, 0)]
                                                : covering;
        int32_t fit = 0;
        while (fit < samples && sides[fit] <= 0.875f * candidate) fit++;
        const double share = (double)fit / samples;
        const double cost = share * (look + test * density * (double)candidate * (double)candidate +
                                     (candidate < 0.9f * covering ? wrap : 0.0)) +
                            (1.0 - share) * leaf;
        if (cost < best) best = cost, cell = candidate;
    }
    cell = b2d_max(cell, b2d_max(b2d_max(span_x, span_y) * 0x1p-16f, 1.0e-30f));

    b2d_grid_frame* frame = &grid->frame;
    frame->origin_x = x[samples / 2], frame->origin_y = y[samples / 2];
    frame->inverse = 1.0f / cell;
    frame->side = 0.875f * cell;
    frame->range = 0x1p18f;
    grid->cell = cell;
    // The table covers the span if about two cells for each shape suffice; else cells far apart share a cell of the
    // table.
    int32_t width = 4, height = 4;
    while (width < (1 << 20) && (float)width < 1.1f * span_x / cell + 2.0f) width *= 2;
    while (height < (1 << 20) && (float)height < 1.1f * span_y / cell + 2.0f) height *= 2;
    int64_t most = 16;
    while (most < 2 * (int64_t)count) most *= 2;
    while ((int64_t)width * height > most) {
        if (width >= height) width /= 2;
        else height /= 2;
    }
    frame->width = b2d_max_int(width, 4), frame->height = b2d_max_int(height, 4);
    grid->frame_age = 0;
    grid->frame_count = count;
}

// ---- a build

static void gather_stage(void* context, int32_t begin, int32_t end, int32_t worker) { // items: groups
    b2d_grid* grid = context;
    const b2d_proxies* p = grid->proxies;
    b2d_slots s = grid->slots;
    (void)worker;
    for (int32_t g = begin; g < end; g++) {
        b2d_box bound = {INFINITY, INFINITY, -INFINITY, -INFINITY};
        for (int32_t slot = B2D_GRID_GROUP * g; slot < B2D_GRID_GROUP * (g + 1); slot++) {
            if (slot >= grid->sorted_count) {
                b2d_grid_empty_slot(&s, slot);
                continue;
            }
            const b2d_box box = b2d_fat_box(p, s.ids[slot]);
            s.min_x[slot] = box.min_x, s.min_y[slot] = box.min_y, s.max_x[slot] = box.max_x, s.max_y[slot] = box.max_y;
            grid->slot_of[s.ids[slot]] = slot;
            bound = b2d_box_union(box, bound);
        }
        grid->group_boxes[g] = bound;
    }
}

// Cells of the 64 shapes of a word of the bit set; the columns may end within it.
static uint64_t word_cells(const b2d_grid* grid, int32_t word, float x[64], float y[64]) {
    const b2d_proxies* p = grid->proxies;
    const float* now[4] = {p->fat_min_x, p->fat_min_y, p->fat_max_x, p->fat_max_y};
    if (64 * (word + 1) <= p->capacity) return grid->kernels->cells(&grid->frame, now, 64 * word, x, y);
    _Alignas(64) float copy[4][64] = {{0}};
    for (int32_t k = 0; k < 4; k++)
        memcpy(copy[k], now[k] + 64 * word, (size_t)(p->capacity - 64 * word) * sizeof(float));
    const float* part[4] = {copy[0], copy[1], copy[2], copy[3]};
    return grid->kernels->cells(&grid->frame, part, 0, x, y);
}

typedef struct build_job {
    b2d_grid* grid;
    b2d_cell_chunk* chunks;
    int32_t chunk_words, bands, band_shift; // one band: all is done by the calling thread
    int32_t* ids[2];                        // in the order of ids, and by bands
    uint32_t* cells[2];
    int32_t first_of_band[B2D_GRID_BANDS + 1];
    int64_t crowd[B2D_GRID_BANDS]; // the sum of the squares of the numbers of shapes in a cell
} build_job;

static void set_holders(b2d_grid* grid, int32_t word, uint64_t misfits, uint64_t fits) {
    for (; misfits != 0; misfits &= misfits - 1)
        b2d_grid_set_holder(grid, 64 * word + b2d_ctz64(misfits), B2D_IN_OTHER_TREE);
    for (fits &= ~grid->in_grid.words[word]; fits != 0; fits &= fits - 1)
        b2d_grid_set_holder(grid, 64 * word + b2d_ctz64(fits), B2D_IN_GRID);
}

static bool holders_change(const b2d_grid* grid, int32_t word, uint64_t misfits, uint64_t fits) {
    if ((fits & ~grid->in_grid.words[word]) != 0) return true;
    for (; misfits != 0; misfits &= misfits - 1)
        if (grid->holder[64 * word + b2d_ctz64(misfits)] != B2D_IN_OTHER_TREE) return true;
    return false;
}

// Ids ascending with their cells, and how many lie in each band, or in each cell if there is one band.
static void find_cells(build_job* job, b2d_cell_chunk* chunk, int32_t from, int32_t to) {
    b2d_grid* grid = job->grid;
    const uint32_t column_mask = (uint32_t)grid->frame.width - 1, row_mask = (uint32_t)grid->frame.height - 1;
    const int32_t row_shift = b2d_ctz64((uint64_t)grid->frame.width), shift = job->band_shift;
    int32_t *ids = job->ids[0] + chunk->first, *counts = job->bands > 1 ? chunk->band : grid->start + 1;
    uint32_t* cells = job->cells[0] + chunk->first;
    int32_t members = 0;
    for (int32_t word = from; word < to; word++) {
        const uint64_t all = grid->moving.words[word];
        if (grid->moving.summary[word >> 6] == 0) word |= 63; // the next word is the first of another 64
        if (all == 0) continue;
        _Alignas(64) float x[64], y[64];
        const uint64_t fits = word_cells(grid, word, x, y) & all;
        chunk->misfits += b2d_popcount64(all & ~fits);
        if (job->bands == 1) set_holders(grid, word, all & ~fits, fits);
        else chunk->changes |= holders_change(grid, word, all & ~fits, fits);
        for (uint64_t bits = fits; bits != 0; bits &= bits - 1) {
            const int32_t k = b2d_ctz64(bits);
            uint32_t ux, uy;
            memcpy(&ux, &x[k], sizeof ux);
            memcpy(&uy, &y[k], sizeof uy);
            const uint32_t cell = (uy & row_mask) << row_shift | (ux & column_mask);
            ids[members] = 64 * word + k;
            cells[members++] = cell;
            counts[cell >> shift]++;
        }
    }
    chunk->members = members;
}

static void find_cells_stage(void* context, int32_t begin, int32_t end, int32_t worker) { // items: chunks
    build_job* job = context;
    (void)worker;
    for (int32_t c = begin; c < end; c++)
        find_cells(job, &job->chunks[c], job->chunk_words * c,
                   b2d_min_int(job->chunk_words * (c + 1), job->grid->moving.word_count));
}

static void deal_bands_stage(void* context, int32_t begin, int32_t end, int32_t worker) { // items: chunks
    build_job* job = context;
    (void)worker;
    for (int32_t c = begin; c < end; c++) {
        b2d_cell_chunk* chunk = &job->chunks[c]; // its counts have become its first places in each band
        for (int32_t m = chunk->first; m < chunk->first + chunk->members; m++) {
            const int32_t to = chunk->band[job->cells[0][m] >> job->band_shift]++;
            job->ids[1][to] = job->ids[0][m];
            job->cells[1][to] = job->cells[0][m];
        }
    }
}

// Sorts the members [from, to) of the cells [first_cell, end_cell), which are counted. Stable: ids ascend in a cell.
static int64_t sort_cells(b2d_grid* grid, const int32_t* ids, const uint32_t* cells, int32_t from, int32_t to,
                          int32_t first_cell, int32_t end_cell) {
    b2d_slots* s = &grid->slots;
    int32_t* start = grid->start + 1; // of each cell first its count, then its first slot, in the end that of the next
    int64_t crowd = 0;
    for (int32_t cell = first_cell, first = from; cell < end_cell; cell++) {
        const int32_t count = start[cell];
        crowd += (int64_t)count * count;
        start[cell] = first;
        first += count;
    }
    for (int32_t m = from; m < to; m++) {
        const int32_t slot = start[cells[m]]++;
        s->ids[slot] = ids[m];
        s->keys[slot] = cells[m];
    }
    return crowd;
}

static void sort_bands_stage(void* context, int32_t begin, int32_t end, int32_t worker) { // items: bands
    build_job* job = context;
    int32_t* start = job->grid->start + 1;
    (void)worker;
    for (int32_t band = begin; band < end; band++) {
        const int32_t first = band << job->band_shift, cells = 1 << job->band_shift, from = job->first_of_band[band],
                      to = job->first_of_band[band + 1];
        memset(start + first, 0, (size_t)cells * sizeof *start);
        for (int32_t m = from; m < to; m++) start[job->cells[1][m]]++;
        job->crowd[band] = sort_cells(job->grid, job->ids[1], job->cells[1], from, to, first, first + cells);
    }
}

// Where each chunk begins in each band.
static void find_bands(build_job* job, int32_t chunks) {
    int32_t first = 0;
    for (int32_t band = 0; band < B2D_GRID_BANDS; band++) {
        job->first_of_band[band] = first;
        for (int32_t c = 0; c < chunks; c++) {
            const int32_t count = job->chunks[c].band[band];
            job->chunks[c].band[band] = first;
            first += count;
        }
    }
    job->first_of_band[B2D_GRID_BANDS] = first;
}

// Prepares the chunks, with room for all their shapes. False: no memory.
static bool cut_chunks(b2d_memory* memory, build_job* job, int32_t chunks) {
    b2d_grid* grid = job->grid;
    if (!B2D_GROW(memory, grid->chunks, grid->chunk_capacity, chunks)) return false;
    job->chunks = grid->chunks;
    for (int32_t c = 0, first = 0; c < chunks; c++) {
        job->chunks[c] = (b2d_cell_chunk){.first = first};
        for (int32_t word = CHUNK_WORDS * c; word < CHUNK_WORDS * (c + 1) && word < grid->moving.word_count; word++)
            first += b2d_popcount64(grid->moving.words[word]);
    }
    return true;
}

// Sorts the moving shapes by cells into slots; `table` cells. False: no memory. Sets the number of shapes that fit and
// that do not.
static bool sort_shapes(b2d_memory* memory, b2d_grid* grid, b2d_scheduler* scheduler, int32_t count, int32_t table,
                        int32_t* members, int32_t* misfits) {
    b2d_slots* s = &grid->slots;
    b2d_cell_chunk whole = {0};
    build_job job = {.grid = grid,
                     .chunks = &whole,
                     .chunk_words = grid->moving.word_count,
                     .bands = 1,
                     .ids = {(int32_t*)(void*)s->old_min_x, (int32_t*)(void*)s->old_max_x},
                     .cells = {(uint32_t*)(void*)s->old_min_y, (uint32_t*)(void*)s->old_max_y}};
    const int32_t chunks = (grid->moving.word_count + CHUNK_WORDS - 1) / CHUNK_WORDS;
    grid->start[0] = 0;
    if (count < SHARED_COUNT || table < B2D_GRID_BANDS || b2d_scheduler_workers(scheduler) == 1) {
        memset(grid->start + 1, 0, (size_t)(table + 1) * sizeof *grid->start);
        if (count > 0) find_cells_stage(&job, 0, 1, 0);
        const int64_t crowd = sort_cells(grid, job.ids[0], job.cells[0], 0, whole.members, 0, table);
        *members = whole.members;
        *misfits = whole.misfits;
        grid->crowd = *members > 0 ? (double)crowd / *members - 1.0 : 0.0;
        return true;
    }
    if (!cut_chunks(memory, &job, chunks)) return false;
    job.chunk_words = CHUNK_WORDS;
    job.bands = B2D_GRID_BANDS;
    job.band_shift = b2d_ctz64((uint64_t)table / B2D_GRID_BANDS);
    grid->start[table + 1] = 0;
    b2d_parallel_for(scheduler, find_cells_stage, &job, chunks, 1);
    find_bands(&job, chunks);
    const b2d_stage stages[] = {{deal_bands_stage, &job, chunks, 1}, {sort_bands_stage, &job, B2D_GRID_BANDS, 2}};
    b2d_scheduler_run(scheduler, stages, 2);
    int64_t crowd = 0;
    for (int32_t band = 0; band < B2D_GRID_BANDS; band++) crowd += job.crowd[band];
    *members = job.first_of_band[B2D_GRID_BANDS];
    *misfits = count - *members;
    grid->crowd = *members > 0 ? (double)crowd / *members - 1.0 : 0.0;
    for (int32_t c = 0; c < chunks; c++) {
        const int32_t end = b2d_min_int(CHUNK_WORDS * (c + 1), grid->moving.word_count);
        for (int32_t word = CHUNK_WORDS * c; job.chunks[c].changes && word < end; word++) {
            _Alignas(64) float x[64], y[64];
            const uint64_t all = grid->moving.words[word], fits = all == 0 ? 0 : word_cells(grid, word, x, y) & all;
            set_holders(grid, word, all & ~fits, fits);
        }
    }
    return true;
}

bool b2d_grid_build(b2d_memory* memory, b2d_grid* grid, b2d_scheduler* scheduler) {
    const int32_t count = b2d_bits_count(&grid->moving);
    grid->built = false;
    const int32_t loose = count / 8 + (count < 64 ? 1 : 4) * B2D_GRID_GROUP;
    // Kernels load whole vectors, so they read beyond the last slot
    const int32_t slots = b2d_grid_round(count) + b2d_grid_round(loose) + B2D_GRID_GROUP;
    void** columns[10];
    b2d_grid_slot_columns(grid, columns);
    const int32_t strides[10] = {4, 4, 4, 4, 4, 4, 4, 4, 4, 4};
    int32_t slot_capacity = grid->slot_capacity;
    if (!b2d_grid_grow_columns(memory, columns, strides, 10, &slot_capacity, slots)) return false;
    grid->slot_capacity = slot_capacity;
    int32_t* ids = (int32_t*)(void*)grid->slots.old_min_x; // scratch
    const int32_t grown = b2d_max_int(count - grid->frame_count, grid->frame_count - count);
    if (count > 0 && (grown > grid->frame_count / 4 || grid->frame_age >= FRAME_BUILDS)) {
        b2d_bits_list(&grid->moving, 0, grid->moving.word_count, ids);
        choose_frame(grid, ids, count);
    }
    grid->frame_age++;
    const int32_t table = count > 0 ? grid->frame.width * grid->frame.height : 0;
    int32_t shift = 28;
    while (1 << (32 - shift) < count / 8) shift--;
    if (!B2D_GROW(memory, grid->start, grid->start_capacity, table + 2) ||
        !B2D_GROW(memory, grid->loose_head, grid->loose_head_capacity, 1 << (32 - shift)) ||
        !B2D_GROW(memory, grid->loose_next, grid->loose_next_capacity, b2d_grid_round(loose)) ||
        !B2D_GROW(memory, grid->group_boxes, grid->group_capacity, slots / B2D_GRID_GROUP) ||
        !B2D_GROW(memory, grid->block_boxes, grid->block_capacity, slots / B2D_GRID_GROUP / B2D_GRID_BLOCK + 1))
        return false;
    grid->loose_shift = shift;

    if (grid->loose_end > grid->loose_begin)
        memset(grid->loose_head, 0, (size_t)grid->loose_head_capacity * sizeof *grid->loose_head);
    grid->loose_begin = grid->loose_end = 0; // no loose slots until the end of the build
    int32_t members, misfits;
    if (!sort_shapes(memory, grid, scheduler, count, table, &members, &misfits)) return false;
    // Many more shapes do not fit than when the frame was chosen: choose again at the next build.
    if (grid->frame_age == 1) grid->frame_misfits = misfits;
    if (misfits > 2 * grid->frame_misfits + count / 32 + 8) grid->frame_age = FRAME_BUILDS;
    grid->sorted_count = grid->member_count = members;
    grid->hole_count = 0;
    grid->loose_begin = grid->loose_end = b2d_grid_round(members);
    grid->loose_limit = grid->loose_begin + b2d_grid_round(loose);
    b2d_parallel_for(scheduler, gather_stage, grid, grid->loose_begin / B2D_GRID_GROUP,
                     B2D_GRID_GRAIN / B2D_GRID_GROUP);
    const b2d_box nothing = {INFINITY, INFINITY, -INFINITY, -INFINITY};
    for (int32_t b = 0; b <= slots / B2D_GRID_GROUP / B2D_GRID_BLOCK; b++) grid->block_boxes[b] = nothing;
    for (int32_t g = 0; g < grid->loose_begin / B2D_GRID_GROUP; g++)
        grid->block_boxes[g / B2D_GRID_BLOCK] = b2d_box_union(grid->group_boxes[g],
                                                              grid->block_boxes[g / B2D_GRID_BLOCK]);
    grid->built = true;
    return true;
}
