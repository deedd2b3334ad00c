// csrc/broadphase/scan_wide.inl - the kernels of the grid, written once on base/simd.h; all static but the table.
#include "broadphase/grid.h"

#define V_OP static inline __attribute__((always_inline))

typedef struct wide_box {
    vf min_x, min_y, max_x, max_y;
} wide_box;

V_OP wide_box spread(float min_x, float min_y, float max_x, float max_y) {
    return (wide_box){v_set(min_x), v_set(min_y), v_set(max_x), v_set(max_y)};
}
V_OP vf load_anywhere(const float* p) {
    vf a;
    memcpy(&a, p, sizeof a);
    return a;
}
V_OP uint32_t overlap(const wide_box* box, const float* min_x, const float* min_y, const float* max_x,
                      const float* max_y) {
    vm x = m_and(v_le(load_anywhere(min_x), box->max_x), v_le(box->min_x, load_anywhere(max_x)));
    vm y = m_and(v_le(load_anywhere(min_y), box->max_y), v_le(box->min_y, load_anywhere(max_y)));
    return m_bits(m_and(x, y));
}
V_OP uint32_t overlap_now(const b2d_slots* s, const wide_box* box, int32_t at) {
    return overlap(box, s->min_x + at, s->min_y + at, s->max_x + at, s->max_y + at);
}
V_OP uint32_t overlap_old(const b2d_slots* s, const wide_box* box, int32_t at) {
    return overlap(box, s->old_min_x + at, s->old_min_y + at, s->old_max_x + at, s->old_max_y + at);
}
// The first `count` lanes, count > 0. The lanes beyond them are loaded as well, and masked.
V_OP uint32_t first_lanes(int32_t count) { return (uint32_t)((1ull << b2d_min_int(count, 32)) - 1); }

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

typedef struct overlaps {
    int32_t slot, at;
    uint32_t hits;
} overlaps; // slot overlaps slot at + k for each bit k of hits

static void report_new(const b2d_grid* grid, const overlaps* found, int32_t count, b2d_key_list* list) {
    const b2d_slots s = grid->slots;
    for (int32_t k = 0; k < count; k++) {
        const int32_t i = found[k].slot;
        const wide_box old = spread(s.old_min_x[i], s.old_min_y[i], s.old_max_x[i], s.old_max_y[i]);
        for (uint32_t hits = found[k].hits & ~overlap_old(&s, &old, found[k].at); hits != 0; hits &= hits - 1)
            b2d_grid_report(grid->proxies, s.ids[i], s.ids[found[k].at + b2d_ctz64(hits)], list);
    }
}

static void scan(const b2d_grid* grid, int32_t begin, int32_t end, b2d_key_list* list) {
    enum { ROOM = 256 };
    const b2d_slots s = grid->slots;
    const int32_t* start = grid->start;
    const int32_t width = grid->frame.width, count = width * grid->frame.height;
    overlaps found[ROOM]; // whether there are hits is unpredictable: they are collected without a branch
    int32_t found_count = 0;
    for (int32_t i = begin; i < end; i++) {
        // Half of the neighbourhood: the rest of its cell and the next cell, and three cells of the next row.
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
        for (int32_t r = 0; r < run_count; r++) {
            int32_t at = runs[r][0];
            const int32_t to = runs[r][1];
            do { // an empty run takes one iteration as well: cheaper than an unpredictable branch
                const uint32_t hits = at < to ? overlap_now(&s, &box, at) & first_lanes(to - at) : 0;
                found[found_count].slot = i;
                found[found_count].at = at;
                found[found_count].hits = hits;
                found_count += hits != 0;
                at += V_LANES;
                if (found_count < ROOM) continue;
                report_new(grid, found, found_count, list);
                found_count = 0;
            } while (at < to);
        }
    }
    report_new(grid, found, found_count, list);
}

// A walk of a tree with up to B2D_GRID_GROUP boxes at once; bit k of a mask is box k. Each box goes down only where it
// overlaps: a common bound may be wide and mostly empty.
typedef struct wide_walk {
    const float *min_x, *min_y, *max_x, *max_y; // of the boxes
    int32_t count;
    struct {
        int32_t node;
        uint32_t boxes; // that overlap it
    } stack[B2D_TREE_HEIGHT + 2];
} wide_walk;

_Static_assert((int)B2D_BOX_ROWS == (int)B2D_GRID_GROUP, "both are walked");

V_OP uint32_t boxes_in(const wide_walk* walk, uint32_t asked, b2d_box box) {
    const wide_box wide = spread(box.min_x, box.min_y, box.max_x, box.max_y);
    uint32_t hits = 0;
    for (int32_t k = 0; k < B2D_GRID_GROUP; k += V_LANES)
        if ((asked >> k & first_lanes(V_LANES)) != 0)
            hits |= overlap(&wide, walk->min_x + k, walk->min_y + k, walk->max_x + k, walk->max_y + k) << k;
    return hits & asked;
}

V_OP void walk_start(const b2d_tree* tree, wide_walk* walk, uint32_t asked) {
    walk->stack[0].node = 0, walk->stack[0].boxes = boxes_in(walk, asked, tree->nodes[0].box);
    walk->count = 1;
}

// The shape of the next leaf that some of the boxes asked for overlap, and which; B2D_NONE: there are no more.
V_OP int32_t walk_next(const b2d_tree* tree, wide_walk* walk, uint32_t asked, uint32_t* boxes) {
    const b2d_tree_node* nodes = tree->nodes;
    while (walk->count > 0) {
        int32_t n = walk->stack[--walk->count].node;
        uint32_t hits = walk->stack[walk->count].boxes & asked;
        while (hits != 0 && nodes[n].child != B2D_NONE) {
            const int32_t child = nodes[n].child;
            const uint32_t first = boxes_in(walk, hits, nodes[child].box),
                           second = boxes_in(walk, hits, nodes[child + 1].box);
            walk->stack[walk->count].node = child + 1, walk->stack[walk->count].boxes = second;
            walk->count += first != 0 && second != 0;
            n = first != 0 ? child : child + 1, hits = first != 0 ? first : second;
        }
        *boxes = hits;
        if (hits != 0) return nodes[n].shape;
    }
    return B2D_NONE;
}

static void group(const b2d_grid* grid, const b2d_tree* tree, int32_t slot, uint32_t asked, b2d_key_list* list) {
    const b2d_slots s = grid->slots;
    wide_walk walk;
    walk.min_x = s.min_x + slot, walk.min_y = s.min_y + slot, walk.max_x = s.max_x + slot, walk.max_y = s.max_y + slot;
    walk_start(tree, &walk, asked);
    uint32_t hits;
    for (int32_t leaf; (leaf = walk_next(tree, &walk, asked, &hits)) != B2D_NONE;) {
        const b2d_box before = b2d_old_box(grid->proxies, leaf);
        const wide_box old = spread(before.min_x, before.min_y, before.max_x, before.max_y);
        for (int32_t k = 0; k < B2D_GRID_GROUP; k += V_LANES) hits &= ~(overlap_old(&s, &old, slot + k) << k);
        for (; hits != 0; hits &= hits - 1) b2d_grid_report(grid->proxies, s.ids[slot + b2d_ctz64(hits)], leaf, list);
    }
}

static uint32_t meets_leaf(const b2d_tree* tree, const b2d_box_rows* boxes, uint32_t asked) {
    if (b2d_popcount64(asked) == 1) {
        const b2d_box box = b2d_box_row(boxes, b2d_ctz64(asked));
        b2d_tree_walk lone;
        b2d_tree_walk_start(tree, &lone, box);
        return b2d_tree_walk_next(tree, &lone, box) == B2D_NONE ? 0 : asked;
    }
    wide_walk walk;
    walk.min_x = boxes->min_x, walk.min_y = boxes->min_y, walk.max_x = boxes->max_x, walk.max_y = boxes->max_y;
    walk_start(tree, &walk, asked);
    uint32_t found = 0, hits;
    while (walk_next(tree, &walk, asked & ~found, &hits) != B2D_NONE) found |= hits;
    return found;
}

static int32_t find(const b2d_slots* slots, b2d_box box, int32_t begin, int32_t end, int32_t* out) {
    const wide_box wide = spread(box.min_x, box.min_y, box.max_x, box.max_y);
    int32_t count = 0;
    for (int32_t at = begin; at < end; at += V_LANES)
        for (uint32_t hits = overlap_now(slots, &wide, at) & first_lanes(end - at); hits != 0; hits &= hits - 1)
            out[count++] = at + b2d_ctz64(hits);
    return count;
}

// A ray meets a box if their boxes overlap and the box has corners on both sides of the line n . p = offset. The sum of
// two rounded products is off by less than 2^-21 of their magnitudes, so no box on the line is missed.
static uint32_t meet(const b2d_rays* rays, int32_t count, b2d_box box) {
    const wide_box wide = spread(box.min_x, box.min_y, box.max_x, box.max_y);
    const vf rounding = v_set(0x1p-21f);
    uint32_t met = 0;
    for (int32_t at = 0; at < count; at += V_LANES) {
        const uint32_t hits = overlap(&wide, rays->min_x + at, rays->min_y + at, rays->max_x + at, rays->max_y + at);
        if (hits == 0) continue;
        const vf nx = v_load(rays->nx + at), ny = v_load(rays->ny + at), offset = v_load(rays->offset + at);
        const vf left = v_mul(nx, wide.min_x), right = v_mul(nx, wide.max_x), down = v_mul(ny, wide.min_y),
                 up = v_mul(ny, wide.max_y);
        const vf most = v_add(v_max(v_abs(left), v_abs(right)), v_max(v_abs(down), v_abs(up)));
        const vf slack = v_add(v_mul(rounding, most), v_load(rays->slack + at));
        const vf low = v_sub(v_add(v_min(left, right), v_min(down, up)), slack),
                 high = v_add(v_add(v_max(left, right), v_max(down, up)), slack);
        met |= (hits & m_bits(m_and(v_le(low, offset), v_le(offset, high)))) << at;
    }
    return met & first_lanes(count);
}

// Every moved shape against all shapes but the moved ones with lower ids, which have found their pairs.
static void few(const b2d_proxies* p, b2d_key_list* list) {
    float boxes[8][B2D_GRID_FEW];
    const float* const columns[4] = {p->fat_min_x, p->fat_min_y, p->fat_max_x, p->fat_max_y};
    const int32_t lanes = (p->limit + V_LANES - 1) & -V_LANES;
    uint64_t partners = 0;
    for (int32_t k = 0; k < 8; k++) { // whole vectors, which the columns may not have
        if (k < 4) memcpy(boxes[k], columns[k], (size_t)p->limit * sizeof(float));
        memset(boxes[k] + p->limit, 0, (size_t)(lanes - p->limit) * sizeof(float));
    }
    for (int32_t i = 0; i < p->limit; i++) { // an empty box must overlap nothing
        const b2d_box old = b2d_old_box(p, i);
        boxes[4][i] = old.min_x, boxes[5][i] = old.min_y, boxes[6][i] = old.max_x, boxes[7][i] = old.max_y;
    }
    for (int32_t i = 0; i < p->limit; i++) partners |= (uint64_t)(p->proxy_class[i] != B2D_PROXY_NONE) << i;
    for (uint64_t movers = p->moved.words[0] & partners; movers != 0; movers &= movers - 1) {
        const int32_t i = b2d_ctz64(movers);
        partners &= ~(1ull << i);
        const wide_box now = spread(boxes[0][i], boxes[1][i], boxes[2][i], boxes[3][i]);
        const wide_box old = spread(boxes[4][i], boxes[5][i], boxes[6][i], boxes[7][i]);
        uint64_t hits = 0;
        for (int32_t at = 0; at < lanes; at += V_LANES) {
            const uint32_t here = overlap(&now, boxes[0] + at, boxes[1] + at, boxes[2] + at, boxes[3] + at),
                           before = overlap(&old, boxes[4] + at, boxes[5] + at, boxes[6] + at, boxes[7] + at);
            hits |= (uint64_t)(here & ~before) << at;
        }
        for (hits &= partners; hits != 0; hits &= hits - 1) {
            const int32_t j = b2d_ctz64(hits);
            if (b2d_proxies_may_pair(p, i, j)) b2d_key_list_push(list, b2d_pair_key(i, j));
        }
    }
}

#undef V_OP

const b2d_grid_kernels B2D_KERNEL(b2d_grid_kernels) = {cells, scan, group, meets_leaf, find, meet, few};
