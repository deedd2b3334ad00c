// csrc/broadphase/scan_wide.inl - the grid's kernels, written once on base/simd.h. All static but the table at the end.
#include "broadphase/grid.h"

#define V_OP static inline __attribute__((always_inline))

typedef struct wide_box { vf min_x, min_y, max_x, max_y; } wide_box;

V_OP wide_box spread(float min_x, float min_y, float max_x, float max_y) {
    return (wide_box){v_set(min_x), v_set(min_y), v_set(max_x), v_set(max_y)};
}
V_OP uint32_t overlap(const wide_box* box, const float* min_x, const float* min_y, const float* max_x, const float* max_y) {
    vm x = m_and(v_le(v_load(min_x), box->max_x), v_le(box->min_x, v_load(max_x)));
    vm y = m_and(v_le(v_load(min_y), box->max_y), v_le(box->min_y, v_load(max_y)));
    return m_bits(m_and(x, y));
}
V_OP uint32_t overlap_now(const b2d_slots* s, const wide_box* box, int32_t at) { return overlap(box, s->min_x + at, s->min_y + at, s->max_x + at, s->max_y + at); }
V_OP uint32_t overlap_old(const b2d_slots* s, const wide_box* box, int32_t at) {
    return overlap(box, s->old_min_x + at, s->old_min_y + at, s->old_max_x + at, s->old_max_y + at);
}
// Lanes of the vector at slot `at` that lie in [begin, end), which it meets.
V_OP uint32_t lanes_within(int32_t at, int32_t begin, int32_t end) {
    uint32_t lanes = ~0u;
    if (at < begin) lanes <<= begin - at;
    if (at + V_LANES > end) lanes &= (1u << (end - at)) - 1u;
    return lanes;
}

static uint64_t differ(const float* const now[4], float* const seen[4], int32_t first) {
    uint64_t same = 0;
    for (int32_t k = 0; k < 64; k += V_LANES) {
        const int32_t i = first + k;
        vf a = v_load(now[0] + i), b = v_load(now[1] + i), c = v_load(now[2] + i), d = v_load(now[3] + i);
        vm equal = m_and(m_and(v_eq(a, v_load(seen[0] + i)), v_eq(b, v_load(seen[1] + i))), m_and(v_eq(c, v_load(seen[2] + i)), v_eq(d, v_load(seen[3] + i))));
        same |= (uint64_t)m_bits(equal) << k;
        v_store(seen[0] + i, a), v_store(seen[1] + i, b), v_store(seen[2] + i, c), v_store(seen[3] + i, d);
    }
    return ~same;
}

static uint64_t cells(const b2d_grid_frame* frame, const float* const now[4], int32_t first, float x[64], float y[64]) {
    const vf origin_x = v_set(frame->origin_x), origin_y = v_set(frame->origin_y), inverse = v_set(frame->inverse);
    const vf side = v_set(frame->side), range = v_set(frame->range), zero = v_set(12582912.0f);
    uint64_t fits = 0;
    for (int32_t k = 0; k < 64; k += V_LANES) {
        const int32_t i = first + k;
        vf min_x = v_load(now[0] + i), min_y = v_load(now[1] + i);
        vf fx = v_mul(v_sub(min_x, origin_x), inverse), fy = v_mul(v_sub(min_y, origin_y), inverse);
        vm small = m_and(v_le(v_sub(v_load(now[2] + i), min_x), side), v_le(v_sub(v_load(now[3] + i), min_y), side));
        vm near = m_and(v_le(v_abs(fx), range), v_le(v_abs(fy), range));
        fits |= (uint64_t)m_bits(m_and(small, near)) << k;
        v_store(x + k, v_add(fx, zero));
        v_store(y + k, v_add(fy, zero));
    }
    return fits;
}

static void scan(const b2d_grid* grid, int32_t begin, int32_t end, b2d_key_list* list) {
    const b2d_slots s = grid->slots;
    const int32_t* start = grid->start;
    const int32_t width = grid->frame.width, count = width * grid->frame.height;
    for (int32_t i = begin; i < end; i++) {
        // Half of the neighbourhood: the rest of its cell and the next, and three cells of the next row.
        const int32_t k = (int32_t)s.keys[i], column = k & (width - 1), row = (k + width) & (count - 1);
        int32_t runs[4][2], run_count = 2;
        runs[0][0] = i + 1;
        if (column > 0 && column < width - 1) {
            runs[0][1] = start[k + 2];
            runs[1][0] = start[row - 1], runs[1][1] = start[row + 2];
        } else if (column == 0) {
            runs[0][1] = start[k + 2];
            runs[1][0] = start[row], runs[1][1] = start[row + 2];
            runs[2][0] = start[row + width - 1], runs[2][1] = start[row + width];
            run_count = 3;
        } else {
            runs[0][1] = start[k + 1];
            runs[1][0] = start[row - 1], runs[1][1] = start[row + 1];
            runs[2][0] = start[k + 1 - width], runs[2][1] = start[k + 2 - width];
            runs[3][0] = start[row + 1 - width], runs[3][1] = start[row + 2 - width];
            run_count = 4;
        }
        const wide_box box = spread(s.min_x[i], s.min_y[i], s.max_x[i], s.max_y[i]);
        const wide_box old = spread(s.old_min_x[i], s.old_min_y[i], s.old_max_x[i], s.old_max_y[i]);
        for (int32_t r = 0; r < run_count; r++) {
            const int32_t from = runs[r][0], to = runs[r][1];
            for (int32_t at = from & -V_LANES; at < to; at += V_LANES) {
                uint32_t hits = overlap_now(&s, &box, at) & lanes_within(at, from, to);
                if (hits == 0) continue;
                for (hits &= ~overlap_old(&s, &old, at); hits != 0; hits &= hits - 1) b2d_grid_report(grid->proxies, s.ids[i], s.ids[at + b2d_ctz64(hits)], list);
            }
        }
    }
}

static void group(const b2d_grid* grid, const b2d_tree* tree, int32_t g, b2d_key_list* list) {
    const b2d_slots s = grid->slots;
    const b2d_box box = grid->group_boxes[g];
    b2d_tree_walk walk;
    b2d_tree_walk_start(tree, &walk, box);
    for (int32_t j; (j = b2d_tree_walk_next(tree, &walk, box)) != B2D_NONE;) {
        const b2d_box leaf = b2d_fat_box(grid->proxies, j);
        const wide_box now = spread(leaf.min_x, leaf.min_y, leaf.max_x, leaf.max_y);
        uint32_t hits = 0;
        for (int32_t k = 0; k < B2D_GRID_GROUP; k += V_LANES) hits |= overlap_now(&s, &now, B2D_GRID_GROUP * g + k) << k;
        if (hits == 0) continue;
        const b2d_box before = b2d_old_box(grid->proxies, j);
        const wide_box old = spread(before.min_x, before.min_y, before.max_x, before.max_y);
        for (int32_t k = 0; k < B2D_GRID_GROUP; k += V_LANES) hits &= ~(overlap_old(&s, &old, B2D_GRID_GROUP * g + k) << k);
        for (; hits != 0; hits &= hits - 1) b2d_grid_report(grid->proxies, s.ids[B2D_GRID_GROUP * g + b2d_ctz64(hits)], j, list);
    }
}

static int32_t find(const b2d_slots* slots, b2d_box box, int32_t begin, int32_t end, int32_t* out) {
    const wide_box wide = spread(box.min_x, box.min_y, box.max_x, box.max_y);
    int32_t count = 0;
    for (int32_t at = begin & -V_LANES; at < end; at += V_LANES)
        for (uint32_t hits = overlap_now(slots, &wide, at) & lanes_within(at, begin, end); hits != 0; hits &= hits - 1) out[count++] = at + b2d_ctz64(hits);
    return count;
}

#undef V_OP

const b2d_grid_kernels B2D_KERNEL(b2d_grid_kernels) = {differ, cells, scan, group, find};
