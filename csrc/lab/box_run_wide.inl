// csrc/lab/box_run_wide.inl - the kernels of box_run.h, written once on base/simd.h; all static but the table.
#include "lab/box_run.h"

#define V_OP static inline __attribute__((always_inline))

typedef struct run_box {
    vf min_x, min_y, max_x, max_y;
} run_box;

V_OP run_box run_spread(const b2d_box_columns* boxes, int32_t i) {
    return (run_box){v_set(boxes->min_x[i]), v_set(boxes->min_y[i]), v_set(boxes->max_x[i]), v_set(boxes->max_y[i])};
}
V_OP vf run_load(const float* p) {
    vf a;
    memcpy(&a, p, sizeof a);
    return a;
}
V_OP uint32_t run_overlap(const run_box* box, const b2d_box_columns* boxes, int32_t at) {
    vm x = m_and(v_le(run_load(boxes->min_x + at), box->max_x), v_le(box->min_x, run_load(boxes->max_x + at)));
    vm y = m_and(v_le(run_load(boxes->min_y + at), box->max_y), v_le(box->min_y, run_load(boxes->max_y + at)));
    return m_bits(m_and(x, y));
}
V_OP uint32_t run_lanes(int32_t count) { return (uint32_t)((1ull << b2d_min_int(count, 32)) - 1); }

static void run_report(const b2d_proxies* p, int32_t i, const int32_t* ids, uint32_t hits, b2d_key_list* list) {
    for (; hits != 0; hits &= hits - 1) {
        const int32_t j = ids[b2d_ctz64(hits)];
        if (b2d_proxies_may_pair(p, i, j) && (b2d_bits_has(&p->moved, i) || b2d_bits_has(&p->moved, j)))
            b2d_key_list_push(list, b2d_pair_key(i, j));
    }
}

static void run_pairs(const b2d_proxies* p, const b2d_box_run* a, int32_t first, int32_t last, const b2d_box_run* b,
                      int32_t begin, int32_t end, bool sorted, b2d_key_list* list) {
    const b2d_box_columns now = b->now, old = b->old;
    for (int32_t i = first; i < last; i++) {
        const run_box box = run_spread(&a->now, i), before = run_spread(&a->old, i);
        const float stop = sorted ? a->now.max_x[i] : INFINITY;
        // From an aligned place: the lanes before the first box are masked. In a short run hits are frequent and hard
        // to predict, and nearly all are old pairs, so both boxes are always compared.
        const int32_t from = a == b ? b2d_max_int(begin, i + 1) : begin;
        const bool both = sorted || end - from <= 256;
        uint32_t lanes = ~0u << (from & (V_LANES - 1));
        for (int32_t at = from & -V_LANES; at < end; at += V_LANES, lanes = ~0u) {
            if (now.min_x[at] > stop) break;
            uint32_t hits = run_overlap(&box, &now, at) & lanes & run_lanes(end - at);
            if (hits == 0 && !both) continue;
            hits &= ~run_overlap(&before, &old, at);
            if (hits != 0) run_report(p, a->ids[i], b->ids + at, hits, list);
        }
    }
}

static int32_t run_find(const b2d_box_columns* boxes, b2d_box box, int32_t begin, int32_t end, int32_t* out) {
    const run_box wide = {v_set(box.min_x), v_set(box.min_y), v_set(box.max_x), v_set(box.max_y)};
    int32_t count = 0, at = begin;
    for (; at + V_LANES <= end; at += V_LANES)
        for (uint32_t hits = run_overlap(&wide, boxes, at); hits != 0; hits &= hits - 1)
            out[count++] = at + b2d_ctz64(hits);
    for (; at < end; at++) { // the columns of the world may end here
        out[count] = at;
        count += (boxes->min_x[at] <= box.max_x) & (box.min_x <= boxes->max_x[at]) & (boxes->min_y[at] <= box.max_y) &
                 (box.min_y <= boxes->max_y[at]);
    }
    return count;
}

static uint64_t run_square(const b2d_box_columns* boxes, int32_t a, int32_t a_count, int32_t b, int32_t b_count) {
    enum { SIDE = 8, VECTORS = V_LANES < SIDE ? SIDE / V_LANES : 1 };
    run_box with[VECTORS];
    for (int32_t v = 0; v < VECTORS; v++) {
        const int32_t at = b + v * V_LANES;
        with[v] = (run_box){run_load(boxes->min_x + at), run_load(boxes->min_y + at), run_load(boxes->max_x + at),
                            run_load(boxes->max_y + at)};
    }
    const uint32_t lanes = run_lanes(b_count);
    uint64_t all = 0;
    for (int32_t i = 0; i < a_count; i++) {
        const run_box box = run_spread(boxes, a + i);
        uint32_t hits = 0;
        for (int32_t v = 0; v < VECTORS; v++)
            hits |= m_bits(m_and(m_and(v_le(box.min_x, with[v].max_x), v_le(with[v].min_x, box.max_x)),
                                 m_and(v_le(box.min_y, with[v].max_y), v_le(with[v].min_y, box.max_y))))
                    << v * V_LANES;
        hits &= a == b ? lanes & ~1u << i : lanes;
        all |= (uint64_t)hits << SIDE * i;
    }
    return all;
}

#undef V_OP

const b2d_run_kernels B2D_KERNEL(b2d_run_kernels) = {V_LANES, run_pairs, run_find, run_square};
