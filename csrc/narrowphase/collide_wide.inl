// csrc/narrowphase/collide_wide.inl - the narrow phase, written once for V_LANES contacts at a time.
//
// Idea: recycling works in place, on whole blocks. For full manifolds a scalar pass drops the contacts whose fat boxes
// no longer overlap and puts what the lanes need of the others into a queue; manifolds are then computed for V_LANES
// entries of the queue at a time. No lane reads another lane, so neither the width nor the order of the queue changes a
// bit. The last batch of a queue is filled up by repeating the last entry.
// Frames: kernels work in the body frame of shape_a; what is stored is in the frame of side A (the body of shape_b if
// flipped).
// Threads: see collide.h. Proof: tests/c/test_narrowphase.c.

#include "narrowphase/collide.h"
#include "narrowphase/internal_edge.h"

#define V_FN static inline __attribute__((always_inline))
#if defined(__clang__)
#define V_UNROLL _Pragma("unroll")
#else
#define V_UNROLL _Pragma("GCC unroll 8")
#endif

#define V_ONCE static __attribute__((noinline)) // one copy for all buckets

enum { QUEUE_SIZE = 64 }; // contacts: a multiple of every width; the queue stays in the first-level cache

typedef struct wide_vec {
    vf x, y;
} wide_vec;
typedef struct wide_pose {
    wide_vec p;
    vf c, s;
} wide_pose; // of the body of shape_b in the frame of that of shape_a
typedef struct wide_hull {
    wide_vec v[8], n[8];
    vf offset[8], radius;
} wide_hull;

typedef struct wide_manifold { // in the frame of the body of shape_a
    wide_vec normal, point[2];
    vf separation[2], feature[2];
    vm has[2]; // there is a second point only if there is a first one
    vm lasts;  // a point that is alone near is a vertex over an edge: it stays one through small motions
} wide_manifold;

typedef struct full_queue {                                      // contacts that need a full manifold
    _Alignas(64) float dx[QUEUE_SIZE], dy[QUEUE_SIZE];           // origin of body b less that of body a, world axes
    _Alignas(64) float flip[QUEUE_SIZE];                         // 1 when side A is body b, else 0
    _Alignas(64) int32_t hull_a[QUEUE_SIZE], hull_b[QUEUE_SIZE]; // first 32-byte row of the shape
    const float *pose_a[QUEUE_SIZE], *pose_b[QUEUE_SIZE];        // cosine, sine, local centre
    int32_t id[QUEUE_SIZE], lane_index[QUEUE_SIZE];
    uint64_t internal_edges; // bit k: contact k has B2D_PAIR_INTERNAL_EDGES
    int32_t count;
    bool one_way;        // some contact has B2D_PAIR_ONE_WAY
    b2d_manifold* found; // NULL; otherwise only the manifolds are wanted, here
} full_queue;

V_FN wide_vec w_add(wide_vec a, wide_vec b) { return (wide_vec){v_add(a.x, b.x), v_add(a.y, b.y)}; }
V_FN wide_vec w_sub(wide_vec a, wide_vec b) { return (wide_vec){v_sub(a.x, b.x), v_sub(a.y, b.y)}; }
V_FN wide_vec w_neg(wide_vec a) { return (wide_vec){v_neg(a.x), v_neg(a.y)}; }
V_FN wide_vec w_scale(vf s, wide_vec a) { return (wide_vec){v_mul(s, a.x), v_mul(s, a.y)}; }
V_FN vf w_dot(wide_vec a, wide_vec b) { return v_add(v_mul(a.x, b.x), v_mul(a.y, b.y)); }
V_FN vf w_cross(wide_vec a, wide_vec b) { return v_sub(v_mul(a.x, b.y), v_mul(a.y, b.x)); }
V_FN wide_vec w_select(vm m, wide_vec yes, wide_vec no) {
    return (wide_vec){v_select(m, yes.x, no.x), v_select(m, yes.y, no.y)};
}
V_FN wide_vec w_rotate(vf c, vf s, wide_vec v) {
    return (wide_vec){v_sub(v_mul(c, v.x), v_mul(s, v.y)), v_add(v_mul(s, v.x), v_mul(c, v.y))};
}
V_FN wide_vec w_unrotate(vf c, vf s, wide_vec v) {
    return (wide_vec){v_add(v_mul(c, v.x), v_mul(s, v.y)), v_sub(v_mul(c, v.y), v_mul(s, v.x))};
}

// ----------------------------------------------------------------------------------------------------------- manifolds

// Loads the first n vertices, normals and offsets of each lane's shape. For n = 8 a shape without a second hull gets
// its first one twice: the copies have no effect, because of equal candidates the first always wins.
V_FN void load_hull(const b2d_collide_context* context, const int32_t* rows, int n, wide_hull* out) {
    const float* base = (const float*)(const void*)context->shapes;
    vf t[8];
    v_gather8(base, rows, t);
    V_UNROLL for (int k = 0; k < (n < 4 ? n : 4); k++) out->v[k] = (wide_vec){t[k], t[k + 4]};
    if (n > 1) {
        v_gather8(base + 8, rows, t);
        V_UNROLL for (int k = 0; k < (n < 4 ? n : 4); k++) out->n[k] = (wide_vec){t[k], t[k + 4]};
    }
    v_gather8(base + 16, rows, t);
    V_UNROLL for (int k = 0; k < (n < 4 ? n : 4); k++) out->offset[k] = t[k];
    out->radius = t[4];
    if (n > 4) {
        const float* more[5][V_LANES];
        for (int i = 0; i < V_LANES; i++) {
            const b2d_shape_hot* s = &context->shapes[rows[i] / 4];
            const b2d_hull4* hull = s->second_hull == B2D_NONE ? &s->hull : &context->second_hulls[s->second_hull];
            more[0][i] = hull->vx, more[1][i] = hull->vy, more[2][i] = hull->nx, more[3][i] = hull->ny,
            more[4][i] = hull->offset;
        }
        vf x[4], y[4];
        v_gather4(more[0], x), v_gather4(more[1], y);
        V_UNROLL for (int k = 0; k < 4; k++) out->v[k + 4] = (wide_vec){x[k], y[k]};
        v_gather4(more[2], x), v_gather4(more[3], y);
        V_UNROLL for (int k = 0; k < 4; k++) out->n[k + 4] = (wide_vec){x[k], y[k]};
        v_gather4(more[4], x);
        V_UNROLL for (int k = 0; k < 4; k++) out->offset[k + 4] = x[k];
    }
}

// A manifold of one point, between a point `a` of the core of shape a and the point `a + distance * normal` of the core
// of shape b: midway between the surfaces.
V_FN void one_point(wide_vec a, wide_vec normal, vf distance, vf radius_a, vf radius_b, vf speculative,
                    wide_manifold* out) {
    vf separation = v_sub(distance, v_add(radius_a, radius_b));
    vf middle = v_mul(v_set(0.5f), v_add(distance, v_sub(radius_a, radius_b)));
    out->normal = normal;
    out->point[0] = out->point[1] = w_add(a, w_scale(middle, normal));
    out->separation[0] = out->separation[1] = separation;
    out->feature[0] = out->feature[1] =
        v_zero(); // the same feature everywhere, so that warm starting works while a circle rolls
    out->has[0] = v_le(separation, speculative);
    out->has[1] = out->lasts = m_from_bits(0);
}

V_FN void circle_circle(const wide_hull* a, const wide_hull* b, const wide_pose* q, vf speculative,
                        wide_manifold* out) {
    wide_vec center = w_add(w_rotate(q->c, q->s, b->v[0]), q->p);
    wide_vec d = w_sub(center, a->v[0]);
    vf square = w_dot(d, d);
    vm apart = v_gt(square, v_set(1.0e-20f));
    vf distance = v_sqrt(v_select(apart, square, v_set(1.0f)));
    wide_vec normal = {v_mask(apart, v_div(d.x, distance)), v_select(apart, v_div(d.y, distance), v_set(1.0f))};
    one_point(a->v[0], normal, v_mask(apart, distance), a->radius, b->radius, speculative, out);
}

// Shape a is a hull of n slots. Beyond an end of the edge with the greatest separation its vertex is the closest
// feature, else the edge itself.
V_FN void hull_circle(const wide_hull* a, int n, const wide_hull* b, const wide_pose* q, vf speculative,
                      wide_manifold* out) {
    wide_vec center = w_add(w_rotate(q->c, q->s, b->v[0]), q->p);
    vf best = v_sub(w_dot(a->n[0], center), a->offset[0]);
    wide_vec normal = a->n[0], v1 = a->v[0], v2 = a->v[1];
    V_UNROLL for (int k = 1; k < n; k++) {
        vf separation = v_sub(w_dot(a->n[k], center), a->offset[k]);
        vm better = v_gt(separation, best);
        best = v_select(better, separation, best);
        normal = w_select(better, a->n[k], normal);
        v1 = w_select(better, a->v[k], v1);
        v2 = w_select(better, a->v[(k + 1) % n], v2);
    }
    wide_vec edge = {v_neg(normal.y), normal.x};
    vf u1 = w_dot(edge, w_sub(center, v1)), u2 = w_dot(edge, w_sub(center, v2));
    vm before = v_lt(u1, v_zero()), after = v_gt(u2, v_zero());
    wide_vec corner = w_select(after, v2, v1);
    wide_vec d = w_sub(center, corner);
    vf square = w_dot(d, d);
    vm rounded = m_and(m_or(before, after), v_gt(square, v_set(1.0e-20f)));
    vf distance = v_sqrt(v_select(rounded, square, v_set(1.0f)));
    wide_vec direction = {v_div(d.x, distance), v_div(d.y, distance)};
    normal = w_select(rounded, direction, normal);
    distance = v_select(rounded, distance, best);
    wide_vec from = w_select(rounded, corner, w_sub(center, w_scale(distance, normal)));
    one_point(from, normal, distance, a->radius, b->radius, speculative, out);
}

// Transforms a hull of n slots of shape b to the frame of shape a.
V_FN void move_hull(wide_hull* b, int n, const wide_pose* q) {
    V_UNROLL for (int k = 0; k < n; k++) {
        b->v[k] = w_add(w_rotate(q->c, q->s, b->v[k]), q->p);
        b->n[k] = w_rotate(q->c, q->s, b->n[k]);
        b->offset[k] = v_add(b->offset[k], w_dot(b->n[k], q->p));
    }
}

// The edge of `a` with the greatest separation from the vertices of `b`, both in one frame; the first of equals.
V_FN vf best_edge(const wide_hull* a, const wide_hull* b, int n, vf* index, wide_vec* normal) {
    vf best = v_zero();
    V_UNROLL for (int k = 0; k < n; k++) {
        vf least = w_dot(a->n[k], b->v[0]);
        V_UNROLL for (int j = 1; j < n; j++) least = v_min(w_dot(a->n[k], b->v[j]), least);
        vf separation = v_sub(least, a->offset[k]);
        if (k == 0) {
            best = separation, *index = v_zero(), *normal = a->n[0];
        } else {
            vm better = v_gt(separation, best);
            best = v_select(better, separation, best);
            *index = v_select(better, v_set((float)k), *index);
            *normal = w_select(better, a->n[k], *normal);
        }
    }
    return best;
}

// Two hulls of n slots, n = 2, 4 or 8, both in the frame of a; slots from `used` on are copies, which never win. The
// reference edge is the edge of either hull with the greatest separation; the incident edge, which is the most opposed
// edge of the other hull, is clipped to its ends. In the coordinates of the reference edge u runs along it from its
// first end and h is the height over it. The feature id of a point names a vertex of each shape: the nearer end of the
// reference edge, and the vertex of the incident edge at that end. It therefore stays the same when the end that clips
// changes, and when the other shape becomes the reference. In lanes of `face` the first edge of a is the reference edge
// whenever `face` is set, and b must lie over it.
V_FN void hull_hull(const wide_hull* a, const wide_hull* b, int n, int used, vf speculative, vf slop, vm face,
                    wide_manifold* out) {
    vf index_a, index_b, tolerance = v_mul(v_set(0.1f), slop);
    wide_vec normal_a, normal_b;
    vf best_a = best_edge(a, b, used, &index_a, &normal_a), best_b = best_edge(b, a, used, &index_b, &normal_b);
    // The edge of b is the reference if it is better by the tolerance. Where the cores are apart it is the reference if
    // it is better at all: only then are the closest vertices certainly ends of the two edges.
    vm flip = m_andnot(v_gt(best_b, v_add(best_a, v_mask(v_le(best_a, tolerance), tolerance))), face);
    vf best = v_select(flip, best_b, best_a), reference = v_select(flip, index_b, index_a);
    wide_vec normal = w_select(flip, normal_b, normal_a);

    wide_vec r0 = a->v[0], r1 = a->v[1], i0 = b->v[0], i1 = b->v[1], first = a->v[0], first_i = a->v[0];
    vf incident = v_zero(), least = v_zero();
    wide_vec rv[8], iv[8];
    V_UNROLL for (int k = 0; k < used; k++) {
        rv[k] = w_select(flip, b->v[k], a->v[k]);
        iv[k] = w_select(flip, a->v[k], b->v[k]);
    }
    first = rv[0], first_i = iv[0];
    r0 = rv[0], r1 = rv[1], i0 = iv[0], i1 = iv[1];
    V_UNROLL for (int k = 0; k < used; k++) {
        wide_vec next = k + 1 < used ? rv[k + 1] : first, next_i = k + 1 < used ? iv[k + 1] : first_i;
        vf opposed = w_dot(normal, w_select(flip, a->n[k], b->n[k]));
        if (k == 0) {
            least = opposed;
        } else {
            vm is = v_eq(reference, v_set((float)k)), better = v_lt(opposed, least);
            r0 = w_select(is, rv[k], r0);
            r1 = w_select(is, next, r1);
            least = v_select(better, opposed, least);
            incident = v_select(better, v_set((float)k), incident);
            i0 = w_select(better, iv[k], i0);
            i1 = w_select(better, next_i, i1);
        }
    }

    wide_vec edge = {v_neg(normal.y), normal.x}, to0 = w_sub(i0, r0), to1 = w_sub(i1, r0);
    vf length = w_dot(edge, w_sub(r1, r0)), zero = v_zero(), one = v_set(1.0f);
    vf u0 = w_dot(edge, to0),
       h0 = w_dot(normal, to0); // the later end: the incident edge runs against the reference edge
    vf u1 = w_dot(edge, to1), h1 = w_dot(normal, to1);

    // Face: the part of the incident edge over the reference edge, or the incident vertex nearest to it. The tolerance
    // keeps a vertex that lies barely beyond an end: on a steep incident edge the clipped point would be much higher.
    vf lower = v_min(v_max(u1, v_neg(tolerance)), u0), upper = v_max(v_min(u0, v_add(length, tolerance)), u1);
    vm single = v_le(upper, lower);
    vf span = v_max(v_sub(u0, u1), v_set(1.0e-12f)), rise = v_sub(h0, h1);
    vf t_lower = v_min(v_max(v_div(v_sub(lower, u1), span), zero), one);
    vf t_upper = v_min(v_max(v_div(v_sub(u0, upper), span), zero), one);
    vf h_lower = v_add(h1, v_mul(t_lower, rise)), h_upper = v_sub(h0, v_mul(t_upper, rise));
    h_lower = v_select(single, v_min(h_lower, h_upper), h_lower);

    // Corner: both closest points are vertices. `out_*` is how far an incident vertex lies beyond the nearer end of the
    // reference edge.
    vm at_end = v_gt(v_select(v_lt(h0, h1), u0, u1), v_mul(v_set(0.5f), length));
    vf out0 = v_select(at_end, v_sub(u0, length), v_neg(u0)), out1 = v_select(at_end, v_sub(u1, length), v_neg(u1));
    vf square0 = v_add(v_mul(out0, out0), v_mul(h0, h0)), square1 = v_add(v_mul(out1, out1), v_mul(h1, h1));
    vm nearer0 = v_lt(square0, square1);
    vf out_near = v_select(nearer0, out0, out1), out_far = v_select(nearer0, out1, out0);
    vf h_near = v_select(nearer0, h0, h1), h_far = v_select(nearer0, h1, h0);
    vf beyond = v_add(v_mul(out_near, v_sub(out_near, out_far)), v_mul(h_near, v_sub(h_near, h_far)));
    vm corner = m_andnot(m_and(v_gt(best, v_neg(tolerance)), m_and(v_gt(out_near, tolerance), v_lt(beyond, zero))),
                         face);
    vm off_face = m_and(face, m_or(v_gt(u1, v_add(length, tolerance)), v_lt(u0, v_neg(tolerance))));
    vf distance = v_sqrt(v_select(corner, v_select(nearer0, square0, square1), one));
    vf side = v_select(at_end, out_near, v_neg(out_near));
    wide_vec direction = w_add(w_scale(v_div(side, distance), edge), w_scale(v_div(h_near, distance), normal));
    wide_vec end = w_select(at_end, r1, r0);

    vf radius_r = v_select(flip, b->radius, a->radius), radius_i = v_select(flip, a->radius, b->radius);
    vf sum = v_add(radius_r, radius_i), shift = v_sub(radius_r, radius_i), half = v_set(0.5f);
    vf s_lower = v_sub(v_select(corner, distance, h_lower), sum), s_upper = v_sub(h_upper, sum);
    // Where one point is near, the other is kept at any distance (contact_block.h: a far point)
    vm lone = m_or(corner, single), near_lower = v_le(s_lower, speculative),
       near = m_andnot(m_or(near_lower, m_andnot(v_le(s_upper, speculative), lone)), off_face);
    wide_vec p_lower = w_add(w_add(r0, w_scale(lower, edge)), w_scale(v_mul(half, v_add(h_lower, shift)), normal));
    wide_vec p_upper = w_add(w_add(r0, w_scale(upper, edge)), w_scale(v_mul(half, v_add(h_upper, shift)), normal));
    wide_vec p_corner = w_add(end, w_scale(v_mul(half, v_add(distance, shift)), direction));
    p_lower = w_select(corner, p_corner, p_lower);
    normal = w_select(corner, direction, normal);

    vf count = v_set((float)n), step = v_set(256.0f);
    vf reference1 = v_add(reference, one), incident1 = v_add(incident, one);
    reference1 = v_select(v_eq(reference1, count), zero, reference1);
    incident1 = v_select(v_eq(incident1, count), zero, incident1);
    vf r_lower = v_select(m_and(corner, at_end), reference1, reference);
    vf i_lower = v_select(m_and(corner, nearer0), incident, incident1);
    vf f_lower = v_select(flip, v_add(i_lower, v_mul(step, r_lower)), v_add(r_lower, v_mul(step, i_lower)));
    vf f_upper = v_select(flip, v_add(incident, v_mul(step, reference1)), v_add(reference1, v_mul(step, incident)));

    vm swap = m_andnot(near, near_lower); // a far point is the second
    out->normal = w_select(flip, w_neg(normal), normal);
    out->point[0] = w_select(swap, p_upper, p_lower);
    out->separation[0] = v_select(swap, s_upper, s_lower);
    out->feature[0] = v_select(swap, f_upper, f_lower);
    out->point[1] = w_select(swap, p_lower, p_upper);
    out->separation[1] = v_select(swap, s_lower, s_upper);
    out->feature[1] = v_select(swap, f_lower, f_upper);
    out->has[0] = near;
    out->has[1] = m_andnot(near, lone);
    out->lasts = m_not(m_or(lone, face));
}

// A chain segment collides only in front of its first edge. Where the chain continues straight or bends towards the
// front, the end of the segment is no corner: a contact whose normal leans over that end gets the normal of the segment
// or belongs to the neighbour. Where the chain bends away the end is a corner, with all normals between those of the
// two segments, and both segments report it. A free end is a corner between the front and the back of the segment.
typedef struct wide_chain {
    wide_vec before, after; // directions of the neighbours
    vm corner_before, corner_after;
} wide_chain;

V_FN void load_chain(const b2d_collide_context* context, const int32_t* rows, int n, wide_hull* out,
                     wide_chain* chain) {
    load_hull(context, rows, 2, out);
    out->n[1] = w_neg(out->n[0]);
    V_UNROLL for (int k = 1; k < n; k++) { // the back is never the reference edge, as padding is not
        if (k > 1) out->v[k] = out->v[0], out->n[k] = out->n[0];
        out->offset[k] = v_set(B2D_PAD_OFFSET);
    }
    const float* more[3][V_LANES];
    for (int i = 0; i < V_LANES; i++) {
        const b2d_hull4* hull = &context->second_hulls[context->shapes[rows[i] / 4].second_hull];
        more[0][i] = hull->nx, more[1][i] = hull->ny, more[2][i] = hull->offset;
    }
    vf x[4], y[4], corner[4];
    v_gather4(more[0], x), v_gather4(more[1], y), v_gather4(more[2], corner);
    chain->before = (wide_vec){x[0], y[0]};
    chain->after = (wide_vec){x[1], y[1]};
    chain->corner_before = v_gt(corner[0], v_zero());
    chain->corner_after = v_gt(corner[1], v_zero());
}

V_FN void chain_circle(const wide_hull* a, const wide_chain* chain, const wide_hull* b, const wide_pose* q,
                       vf speculative, wide_manifold* out) {
    wide_vec center = w_add(w_rotate(q->c, q->s, b->v[0]), q->p), normal = a->n[0], edge = {v_neg(normal.y), normal.x};
    wide_vec d1 = w_sub(center, a->v[0]), d2 = w_sub(center, a->v[1]);
    vf zero = v_zero(), height = v_sub(w_dot(normal, center), a->offset[0]);
    vm before = v_lt(w_dot(edge, d1), zero), after = v_gt(w_dot(edge, d2), zero);
    vm others = m_or(m_and(before, v_le(w_dot(chain->before, d1), zero)),
                     m_and(after, v_gt(w_dot(chain->after, d2), zero)));
    wide_vec corner = w_select(after, a->v[1], a->v[0]), d = w_sub(center, corner);
    vf square = w_dot(d, d);
    vm rounded = m_and(m_or(before, after), v_gt(square, v_set(1.0e-20f)));
    vf distance = v_sqrt(v_select(rounded, square, v_set(1.0f)));
    normal = w_select(rounded, (wide_vec){v_div(d.x, distance), v_div(d.y, distance)}, normal);
    distance = v_select(rounded, distance, height);
    wide_vec from = w_select(rounded, corner, w_sub(center, w_scale(distance, normal)));
    one_point(from, normal, distance, a->radius, b->radius, speculative, out);
    out->has[0] = m_andnot(m_and(out->has[0], v_ge(height, zero)), others);
}

// Shape b is in the frame of the chain segment, `center` is its centroid there: a shape whose centroid lies behind the
// segment has no contact.
V_FN void chain_hull(const wide_hull* a, const wide_chain* chain, const wide_hull* b, int n, wide_vec center,
                     vf speculative, vf slop, wide_manifold* out) {
    wide_vec front = a->n[0], edge = {v_neg(front.y), front.x};
    vf straight = v_set(0.01f);
    hull_hull(a, b, n, n, speculative, slop, m_from_bits(0), out);
    vf along = w_dot(edge, out->normal);
    vm first = m_and(v_lt(along, v_neg(straight)), chain->corner_before),
       last = m_and(v_gt(along, straight), chain->corner_after);
    vm of_neighbor = m_or(m_and(first, v_lt(w_dot(chain->before, out->normal), v_neg(straight))),
                          m_and(last, v_gt(w_dot(chain->after, out->normal), straight)));
    vm is_face = m_and(v_le(v_abs(along), v_set(1.0e-5f)), v_gt(w_dot(front, out->normal), v_zero()));
    vm face = m_not(m_or(is_face, m_or(first, last)));
    if (m_bits(face) != 0) {
        wide_manifold flat;
        hull_hull(a, b, n, n, speculative, slop, m_not(m_from_bits(0)), &flat);
        out->normal = w_select(face, flat.normal, out->normal);
        for (int k = 0; k < 2; k++) {
            out->point[k] = w_select(face, flat.point[k], out->point[k]);
            out->separation[k] = v_select(face, flat.separation[k], out->separation[k]);
            out->feature[k] = v_select(face, flat.feature[k], out->feature[k]);
            out->has[k] = m_or(m_and(face, flat.has[k]), m_andnot(out->has[k], face));
        }
    }
    vm valid = m_andnot(v_ge(v_sub(w_dot(front, center), a->offset[0]), v_zero()), of_neighbor);
    out->has[0] = m_and(out->has[0], valid);
    out->has[1] = m_and(out->has[1], valid);
    out->lasts = m_from_bits(0);
}

// Centroid of the core, body coordinates.
V_FN wide_vec load_center(const b2d_collide_context* context, const int32_t* rows) {
    vf t[8];
    v_gather8((const float*)(const void*)context->shapes + 24, rows, t);
    return (wide_vec){t[1], t[2]};
}

// The greatest number of vertices of the shapes of a batch.
V_FN int most_vertices(const b2d_collide_context* context, const int32_t* rows_a, const int32_t* rows_b) {
    int most = 0;
    for (int i = 0; i < V_LANES; i++) {
        const int a = context->shapes[rows_a[i] / 4].count, b = context->shapes[rows_b[i] / 4].count;
        most = b2d_max_int(most, b2d_max_int(a, b));
    }
    return most;
}

V_FN void manifolds(const b2d_collide_context* context, int bucket, const int32_t* rows_a, const int32_t* rows_b,
                    const wide_pose* q, wide_manifold* out) {
    vf speculative = v_set(context->speculative_distance), slop = v_set(context->linear_slop);
    wide_hull a, b;
#define V_ROUND(NAME, n)                             \
    case B2D_BUCKET_##NAME:                          \
        load_hull(context, rows_a, n, &a);           \
        load_hull(context, rows_b, 1, &b);           \
        hull_circle(&a, n, &b, q, speculative, out); \
        break;
#define V_HULLS(NAME, n)                                                 \
    case B2D_BUCKET_##NAME:                                              \
        load_hull(context, rows_a, n, &a);                               \
        load_hull(context, rows_b, n, &b);                               \
        move_hull(&b, n, q);                                             \
        hull_hull(&a, &b, n, n, speculative, slop, m_from_bits(0), out); \
        break;
#define V_CHAIN(NAME, n)                                                                                            \
    case B2D_BUCKET_CHAIN_##NAME:                                                                                   \
        load_chain(context, rows_a, n, &a, &chain);                                                                 \
        load_hull(context, rows_b, n, &b);                                                                          \
        move_hull(&b, n, q);                                                                                        \
        chain_hull(&a, &chain, &b, n, w_add(w_rotate(q->c, q->s, load_center(context, rows_b)), q->p), speculative, \
                   slop, out);                                                                                      \
        break;
    wide_chain chain;
    switch (bucket) {
    default:
        load_hull(context, rows_a, 1, &a);
        load_hull(context, rows_b, 1, &b);
        circle_circle(&a, &b, q, speculative, out);
        break;
        V_ROUND(LINE_POINT, 2)
        V_ROUND(QUAD_POINT, 4)
        V_ROUND(OCT_POINT, 8)
        V_HULLS(LINE_LINE, 2)
        V_HULLS(QUAD, 4)
    case B2D_BUCKET_OCT: {
        load_hull(context, rows_a, 8, &a);
        load_hull(context, rows_b, 8, &b);
        move_hull(&b, 8, q);
        const int most = most_vertices(context, rows_a, rows_b);
        if (most <= 5) hull_hull(&a, &b, 8, 5, speculative, slop, m_from_bits(0), out);
        else if (most == 6) hull_hull(&a, &b, 8, 6, speculative, slop, m_from_bits(0), out);
        else hull_hull(&a, &b, 8, 8, speculative, slop, m_from_bits(0), out);
        break;
    }
    case B2D_BUCKET_CHAIN_POINT:
        load_chain(context, rows_a, 2, &a, &chain);
        load_hull(context, rows_b, 1, &b);
        chain_circle(&a, &chain, &b, q, speculative, out);
        break;
        V_CHAIN(LINE, 2)
        V_CHAIN(QUAD, 4)
        V_CHAIN(OCT, 8)
    }
#undef V_CHAIN
#undef V_ROUND
#undef V_HULLS
}

// -------------------------------------------------------------------------------------------------------- a full batch

// Rows of the results of a batch, in the form of a record; every lane is computed, and scalar code stores those that
// are needed.
enum {
    ROW_NORMAL_X,
    ROW_NORMAL_Y,
    ROW_NORMAL_ARM_SHIFT,
    ROW_ALONG_NORMAL_SHIFT,
    ROW_POSE_X,
    ROW_POSE_Y,
    ROW_POSE_COSINE,
    ROW_POSE_SINE,
    ROW_LOCAL_NORMAL_X,
    ROW_LOCAL_NORMAL_Y,
    ROW_NORMAL_ARM0,
    ROW_ALONG_NORMAL0,
    ROW_SEPARATION0,
    ROW_FEATURE0,
    ROW_NORMAL_ARM1,
    ROW_ALONG_NORMAL1,
    ROW_SEPARATION1,
    ROW_FEATURE1,
    ROW_COUNT
};

typedef float result_rows[ROW_COUNT][V_LANES < 16 ? 16 : V_LANES];

V_FN uint32_t feature_of(const result_rows out, int i) {
    return (uint32_t)(int32_t)out[ROW_FEATURE0][i] | (uint32_t)(int32_t)out[ROW_FEATURE1][i] << 16;
}

// The arm of point k in the middle of the step.
V_FN float arm_ahead(const result_rows out, int i, int k, float radius, float turn) {
    const int row = k == 0 ? ROW_NORMAL_ARM0 : ROW_NORMAL_ARM1; // along_normal and the separation follow
    return b2d_turned_arm(out[row][i], b2d_core_along(out[row + 1][i], radius, out[row + 2][i]), -turn);
}

// Of the lanes in `has`, those whose points count: contacts of one-way shapes that pass through each other are dropped.
V_ONCE uint32_t drop_passing(const b2d_collide_context* context, const full_queue* queue, int from, int count,
                             const result_rows out, uint32_t has) {
    for (int i = 0; i < count; i++) {
        int32_t id = queue->id[from + i];
        if ((context->pairs[id].flags & B2D_PAIR_ONE_WAY) == 0) continue;
        b2d_contact_record record = {.nx = out[ROW_NORMAL_X][i],
                                     .ny = out[ROW_NORMAL_Y][i],
                                     .normal_arm_shift = out[ROW_NORMAL_ARM_SHIFT][i],
                                     .along_normal_shift = out[ROW_ALONG_NORMAL_SHIFT][i]};
        record.point[0].normal_arm = out[ROW_NORMAL_ARM0][i], record.point[0].along_normal = out[ROW_ALONG_NORMAL0][i],
        record.point[0].separation = out[ROW_SEPARATION0][i];
        record.point[1].normal_arm = out[ROW_NORMAL_ARM1][i], record.point[1].along_normal = out[ROW_ALONG_NORMAL1][i],
        record.point[1].separation = out[ROW_SEPARATION1][i];
        record.feature = has >> i & 1u ? feature_of(out, i) : 0xffffffffu;
        if (context->passes_through(context->world, id, &record)) has &= ~(1u << i);
    }
    return has;
}

// Takes a record for a contact that begins, and its number; NULL: no memory.
static b2d_contact_record* take_record(const b2d_collide_context* context, int32_t worker_index, int32_t* number) {
    b2d_shared_records* shared = context->shared;
    if (shared != NULL && atomic_load_explicit(&shared->taken, memory_order_relaxed) < shared->capacity) {
        const int32_t at = atomic_fetch_add_explicit(&shared->taken, 1, memory_order_relaxed);
        *number = B2D_SHARED_RECORDS << 24 | at;
        if (at < shared->capacity) return &shared->rows[at];
    }
    b2d_collide_worker* worker = &context->workers[worker_index];
    if (worker->record_count > B2D_LAST_RECORD) return NULL; // its number has 24 bits
    const int32_t count = worker->record_count;
    if (count == worker->record_capacity &&
        !B2D_GROW(worker->memory, worker->records, worker->record_capacity, b2d_max_int(2 * count, 64)))
        return NULL;
    *number = worker_index << 24 | worker->record_count;
    return &worker->records[worker->record_count++];
}

V_FN void write_manifolds(const b2d_collide_context* context, const wide_manifold* m, int count, b2d_manifold* out) {
    enum { ROWS = V_LANES < 16 ? 16 : V_LANES };
    _Alignas(64) float normal[2][ROWS], point[2][4][ROWS];
    v_store(normal[0], m->normal.x), v_store(normal[1], m->normal.y);
    for (int k = 0; k < 2; k++) {
        v_store(point[k][0], m->point[k].x), v_store(point[k][1], m->point[k].y);
        v_store(point[k][2], m->separation[k]), v_store(point[k][3], m->feature[k]);
    }
    const uint32_t first = m_bits(m->has[0]), // a far point is not wanted
        second = m_bits(m_and(m->has[1], v_le(m->separation[1], v_set(context->speculative_distance))));
    for (int i = 0; i < count; i++) {
        const int32_t points = second >> i & 1u ? 2 : (int32_t)(first >> i & 1u);
        out[i] = (b2d_manifold){.normal = {normal[0][i], normal[1][i]}, .feature = {0xffff, 0xffff}, .count = points};
        for (int32_t k = 0; k < points; k++) {
            out[i].point[k] = b2d_v(point[k][0][i], point[k][1][i]);
            out[i].separation[k] = point[k][2][i];
            out[i].feature[k] = (uint16_t)point[k][3][i];
        }
    }
}

// Corrects contacts with adjoining terrain shapes, lane by lane.
V_ONCE void correct_internal_edges(const b2d_collide_context* context, const full_queue* queue, int from,
                                   uint32_t internal_edges, const wide_pose* q, wide_manifold* m) {
    enum { ROWS = V_LANES < 16 ? 16 : V_LANES };
    _Alignas(64) float pose[4][ROWS], row[12][ROWS];
    v_store(pose[0], q->p.x), v_store(pose[1], q->p.y), v_store(pose[2], q->c), v_store(pose[3], q->s);
    v_store(row[0], m->normal.x), v_store(row[1], m->normal.y);
    for (int k = 0; k < 2; k++) {
        v_store(row[2 + 4 * k], m->point[k].x), v_store(row[3 + 4 * k], m->point[k].y);
        v_store(row[4 + 4 * k], m->separation[k]), v_store(row[5 + 4 * k], m->feature[k]);
    }
    uint32_t has[2] = {m_bits(m->has[0]), m_bits(m->has[1])};
    for (uint32_t left = internal_edges & has[0]; left != 0; left &= left - 1) {
        int i = b2d_ctz64(left);
        b2d_manifold one = {.normal = {row[0][i], row[1][i]}, .count = has[1] >> i & 1u ? 2 : 1};
        for (int k = 0; k < 2; k++) {
            one.point[k] = b2d_v(row[2 + 4 * k][i], row[3 + 4 * k][i]);
            one.separation[k] = row[4 + 4 * k][i];
            one.feature[k] = (uint16_t)row[5 + 4 * k][i];
        }
        b2d_internal_edges_correct(context, queue->id[from + i],
                                   (b2d_transform){{pose[0][i], pose[1][i]}, {pose[2][i], pose[3][i]}}, &one);
        row[0][i] = one.normal.x, row[1][i] = one.normal.y;
        for (int k = 0; k < 2; k++) {
            row[2 + 4 * k][i] = one.point[k].x, row[3 + 4 * k][i] = one.point[k].y;
            row[4 + 4 * k][i] = one.separation[k], row[5 + 4 * k][i] = (float)one.feature[k];
            has[k] = (has[k] & ~(1u << i)) | (uint32_t)(one.count > k) << i;
        }
    }
    m->normal = (wide_vec){v_load(row[0]), v_load(row[1])};
    for (int k = 0; k < 2; k++) {
        m->point[k] = (wide_vec){v_load(row[2 + 4 * k]), v_load(row[3 + 4 * k])};
        m->separation[k] = v_load(row[4 + 4 * k]), m->feature[k] = v_load(row[5 + 4 * k]);
        m->has[k] = m_from_bits(has[k]);
    }
    m->lasts = m_and(m->lasts, m_from_bits(~internal_edges));
}

// By how much side A turns up to the middle of the step.
V_FN float turn_ahead(const b2d_collide_context* context, int32_t side_a) {
    return context->states == NULL ? 0.0f : b2d_turn_ahead(context->states[8 * (ptrdiff_t)side_a + 2], context->ahead);
}

V_ONCE void full_batch(const b2d_collide_context* context, int bucket, const full_queue* queue, int from,
                       b2d_collide_worker* worker, int32_t worker_index) {
    vf a[4], b[4];
    v_gather4(queue->pose_a + from, a);
    v_gather4(queue->pose_b + from, b);
    wide_vec d = {v_load(queue->dx + from), v_load(queue->dy + from)};
    wide_pose q;
    q.c = v_add(v_mul(a[0], b[0]), v_mul(a[1], b[1]));
    q.s = v_sub(v_mul(a[0], b[1]), v_mul(a[1], b[0]));
    q.p = w_unrotate(a[0], a[1], d);
    wide_manifold m;
    manifolds(context, bucket, queue->hull_a + from, queue->hull_b + from, &q, &m);
    if (queue->found != NULL) {
        write_manifolds(context, &m, b2d_min_int(queue->count - from, V_LANES), queue->found + from);
        return;
    }
    uint32_t internal_edges = (uint32_t)(queue->internal_edges >> from) & (uint32_t)((1ull << V_LANES) - 1);
    if (internal_edges != 0) correct_internal_edges(context, queue, from, internal_edges, &q, &m);

    // To the frame of side A.
    vm flip = v_gt(v_load(queue->flip + from), v_zero());
    vf c_side = v_select(flip, b[0], a[0]), s_side = v_select(flip, b[1], a[1]);
    wide_vec center = w_select(flip, (wide_vec){b[2], b[3]}, (wide_vec){a[2], a[3]});
    wide_vec center_other = w_select(flip, (wide_vec){a[2], a[3]}, (wide_vec){b[2], b[3]});
    wide_vec p = w_unrotate(c_side, s_side, w_select(flip, w_neg(d), d));
    vf q_s = v_select(flip, v_neg(q.s), q.s);
    wide_vec normal = w_select(flip, w_neg(w_unrotate(q.c, q.s, m.normal)), m.normal);
    wide_vec point0 = w_select(flip, w_unrotate(q.c, q.s, w_sub(m.point[0], q.p)), m.point[0]);
    wide_vec point1 = w_select(flip, w_unrotate(q.c, q.s, w_sub(m.point[1], q.p)), m.point[1]);
    wide_vec r0 = w_sub(point0, center), r1 = w_sub(point1, center);
    wide_vec between = w_sub(center, w_add(p, w_rotate(q.c, q_s, center_other)));
    wide_vec world = w_rotate(c_side, s_side, normal);
    vm two = m.has[1];

    _Alignas(64) result_rows out;
    v_store(out[ROW_NORMAL_X], world.x), v_store(out[ROW_NORMAL_Y], world.y);
    v_store(out[ROW_NORMAL_ARM_SHIFT], w_cross(between, normal)),
        v_store(out[ROW_ALONG_NORMAL_SHIFT], w_dot(between, normal));
    v_store(out[ROW_POSE_X], p.x), v_store(out[ROW_POSE_Y], p.y);
    const float reach = context->speculative_distance;
    const vm lasts = m_or(m_and(two, v_le(m.separation[1], v_set(reach))), m.lasts); // the others are not recycled
    v_store(out[ROW_POSE_COSINE], v_mask(lasts, q.c)), v_store(out[ROW_POSE_SINE], v_mask(lasts, q_s));
    v_store(out[ROW_LOCAL_NORMAL_X], normal.x), v_store(out[ROW_LOCAL_NORMAL_Y], normal.y);
    v_store(out[ROW_NORMAL_ARM0], w_cross(r0, normal)), v_store(out[ROW_ALONG_NORMAL0], w_dot(r0, normal));
    v_store(out[ROW_SEPARATION0], m.separation[0]), v_store(out[ROW_FEATURE0], m.feature[0]);
    v_store(out[ROW_NORMAL_ARM1], v_mask(two, w_cross(r1, normal))),
        v_store(out[ROW_ALONG_NORMAL1], v_mask(two, w_dot(r1, normal)));
    v_store(out[ROW_SEPARATION1], v_select(two, m.separation[1], v_set(B2D_DEAD_POINT)));
    v_store(out[ROW_FEATURE1], v_select(two, m.feature[1], v_set(65535.0f)));

    uint32_t has = m_bits(m.has[0]);
    int count = b2d_min_int(queue->count - from, V_LANES);
    if (queue->one_way) has = drop_passing(context, queue, from, count, out, has);
    for (int i = 0; i < count; i++) {
        int32_t id = queue->id[from + i], lane_index = queue->lane_index[from + i];
        if ((has >> i & 1u) == 0) {
            if (lane_index != B2D_NONE) b2d_bits_set(&worker->ended, id);
            continue;
        }
        uint32_t feature = feature_of(out, i);
        if (lane_index != B2D_NONE) {
            b2d_contact_block* block = &context->blocks[(uint32_t)lane_index / B2D_LANES];
            b2d_manifold_block* old = &context->manifolds[(uint32_t)lane_index / B2D_LANES];
            uint32_t lane = (uint32_t)lane_index % B2D_LANES;
            block->nx[lane] = out[ROW_NORMAL_X][i];
            block->ny[lane] = out[ROW_NORMAL_Y][i];
            const bool far = out[ROW_SEPARATION1][i] > reach,
                       was_far = old->separation[1][lane] > reach && !(block->point[1].normal_impulse[lane] > 0.0f);
            const float radius = block->radius_a[lane], turn = turn_ahead(context, block->body_a[lane]);
            block->turn[lane] = turn;
            block->normal_arm_shift[lane] = out[ROW_NORMAL_ARM_SHIFT][i];
            block->along_normal_shift[lane] = out[ROW_ALONG_NORMAL_SHIFT][i];
            old->px[lane] = out[ROW_POSE_X][i];
            old->py[lane] = out[ROW_POSE_Y][i];
            old->qc[lane] = out[ROW_POSE_COSINE][i];
            old->qs[lane] = out[ROW_POSE_SINE][i];
            old->local_nx[lane] = out[ROW_LOCAL_NORMAL_X][i];
            old->local_ny[lane] = out[ROW_LOCAL_NORMAL_Y][i];
            b2d_contact_point *p0 = &block->point[0], *p1 = &block->point[1];
            old->normal_arm[0][lane] = out[ROW_NORMAL_ARM0][i];
            p0->normal_arm[lane] = arm_ahead(out, i, 0, radius, turn);
            p0->along_normal[lane] = out[ROW_ALONG_NORMAL0][i];
            p0->initial_separation[lane] = old->separation[0][lane] = out[ROW_SEPARATION0][i];
            old->normal_arm[1][lane] = out[ROW_NORMAL_ARM1][i];
            p1->normal_arm[lane] = arm_ahead(out, i, 1, radius, turn);
            p1->along_normal[lane] = out[ROW_ALONG_NORMAL1][i];
            p1->initial_separation[lane] = old->separation[1][lane] = out[ROW_SEPARATION1][i];
            uint32_t before = old->feature[lane];
            if (before != feature || was_far != far) {
                float n0 = p0->normal_impulse[lane], t0 = p0->tangent_impulse[lane];
                float n1 = p1->normal_impulse[lane], t1 = p1->tangent_impulse[lane];
                uint32_t before0 = before & 0xffff, before1 = before >> 16, now0 = feature & 0xffff,
                         now1 = feature >> 16;
                p0->normal_impulse[lane] = now0 == before0 ? n0 : now0 == before1 ? n1 : 0.0f;
                p0->tangent_impulse[lane] = now0 == before0 ? t0 : now0 == before1 ? t1 : 0.0f;
                bool idle = now1 == 0xffff || far, stays0 = now0 == before0 || (now0 == before1 && !was_far),
                     stays1 = far || now1 == before0 || (now1 == before1 && !was_far);
                if (context->begin_stamps != NULL && !(stays0 && stays1))
                    context->begin_stamps[id] = context->step | (stays0 ? 0u : B2D_BEGIN_POINT) |
                                                (stays1 ? 0u : 2u * B2D_BEGIN_POINT);
                p1->normal_impulse[lane] = idle ? 0.0f : now1 == before1 ? n1 : now1 == before0 ? n0 : 0.0f;
                p1->tangent_impulse[lane] = idle ? 0.0f : now1 == before1 ? t1 : now1 == before0 ? t0 : 0.0f;
                old->feature[lane] = feature;
            }
        } else {
            b2d_contact_record* record = take_record(context, worker_index, &context->pairs[id].record);
            if (record == NULL) {
                worker->failed = true;
                continue;
            }
            const b2d_pair* pair = &context->pairs[id];
            const bool flipped = (pair->flags & B2D_PAIR_FLIP) != 0;
            const float radius = context->shapes[flipped ? pair->shape_b : pair->shape_a].radius,
                        turn = turn_ahead(context, flipped ? pair->body_b : pair->body_a);
            *record = (b2d_contact_record){.nx = out[ROW_NORMAL_X][i],
                                           .ny = out[ROW_NORMAL_Y][i],
                                           .normal_arm_shift = out[ROW_NORMAL_ARM_SHIFT][i],
                                           .along_normal_shift = out[ROW_ALONG_NORMAL_SHIFT][i],
                                           .turn = turn,
                                           .feature = feature,
                                           .px = out[ROW_POSE_X][i],
                                           .py = out[ROW_POSE_Y][i],
                                           .qc = out[ROW_POSE_COSINE][i],
                                           .qs = out[ROW_POSE_SINE][i],
                                           .local_nx = out[ROW_LOCAL_NORMAL_X][i],
                                           .local_ny = out[ROW_LOCAL_NORMAL_Y][i]};
            record->point[0].full_normal_arm = out[ROW_NORMAL_ARM0][i];
            record->point[0].normal_arm = arm_ahead(out, i, 0, radius, turn);
            record->point[0].along_normal = out[ROW_ALONG_NORMAL0][i];
            record->point[0].initial_separation = record->point[0].separation = out[ROW_SEPARATION0][i];
            record->point[1].full_normal_arm = out[ROW_NORMAL_ARM1][i];
            record->point[1].normal_arm = arm_ahead(out, i, 1, radius, turn);
            record->point[1].along_normal = out[ROW_ALONG_NORMAL1][i];
            record->point[1].initial_separation = record->point[1].separation = out[ROW_SEPARATION1][i];
            b2d_bits_set(&worker->begun, id);
        }
    }
}

// ----------------------------------------------------------------------------------------------------------- recycling

#define B2D_HELD_SINE 0.03f // side A may turn by 1.7 degrees before the frame of a recycled contact follows it

typedef struct recycle_poses {
    vf a[4], b[4]; // cosine, sine, local centre
    vf between[2]; // origin of body b less that of body a, world axes
    vf spin;       // angular velocity of body a
} recycle_poses;

V_FN void gather_poses(const b2d_collide_context* context, const b2d_contact_block* block, int lane,
                       recycle_poses* out) {
    const float *row_a[V_LANES], *row_b[V_LANES];
    const double *origin_a[V_LANES], *origin_b[V_LANES];
    _Alignas(64) float spin[V_LANES];
    for (int i = 0; i < V_LANES; i++) {
        const int32_t body_a = block->body_a[lane + i], body_b = block->body_b[lane + i];
        // padding lanes read any body
        const b2d_pose *a = &context->poses[body_a < 0 ? 0 : body_a], *b = &context->poses[body_b < 0 ? 0 : body_b];
        row_a[i] = &a->c, row_b[i] = &b->c;
        origin_a[i] = &a->x, origin_b[i] = &b->x;
        spin[i] = context->states[8 * (ptrdiff_t)body_a + 2]; // of padding lanes: the hidden zero row
    }
    v_gather4(row_a, out->a);
    v_gather4(row_b, out->b);
    v_between(origin_a, origin_b, out->between);
    out->spin = v_load(spin);
}

// Recycles manifolds: the last full manifold moves with side A, and only the separations change, by how far the copy of
// each point that is fixed to side B moved along the normal. Let u be the point relative to the origin of B at the time
// of the full manifold, in normal and tangent components, and (c, s) the cosine and sine of the relative rotation
// since. Then n . (rotated u) = c u_n + s u_t and t . (rotated u) = c u_t - s u_n. Returns the lanes that were
// refreshed; the others need a full manifold. A single point is recycled only as a vertex over an edge, and within
// narrower limits: beyond them the shape may roll on, or a second vertex may come near. Lanes that must not be recycled
// store a cosine and sine of 0.
V_FN uint32_t recycle_lanes(const b2d_collide_context* context, b2d_contact_block* block, const b2d_manifold_block* old,
                            int lane, uint32_t may, const recycle_poses* poses) {
    const vf *a = poses->a, *b = poses->b, *d = poses->between;
    wide_vec p = w_unrotate(a[0], a[1], (wide_vec){d[0], d[1]});
    vf q_c = v_add(v_mul(a[0], b[0]), v_mul(a[1], b[1])), q_s = v_sub(v_mul(a[0], b[1]), v_mul(a[1], b[0]));
    vf old_c = v_load(old->qc + lane), old_s = v_load(old->qs + lane);
    vf c = v_add(v_mul(old_c, q_c), v_mul(old_s, q_s)), s = v_sub(v_mul(old_c, q_s), v_mul(old_s, q_c));
    wide_vec normal = {v_load(old->local_nx + lane), v_load(old->local_ny + lane)},
             tangent = {normal.y, v_neg(normal.x)};
    wide_vec old_p = {v_load(old->px + lane), v_load(old->py + lane)}, center = {a[2], a[3]};
    wide_vec moved = w_sub(p, old_p), arm = w_sub(center, old_p);
    vf moved_n = w_dot(normal, moved), moved_t = w_dot(tangent, moved), arm_n = w_dot(normal, arm),
       arm_t = w_dot(tangent, arm);
    vf c1 = v_sub(c, v_set(1.0f));
    const b2d_contact_point *p0 = &block->point[0], *p1 = &block->point[1];
    const vf along_a0 = v_load(p0->along_normal + lane), along_a1 = v_load(p1->along_normal + lane),
             arm0 = v_load(old->normal_arm[0] + lane), arm1 = v_load(old->normal_arm[1] + lane);
    vf n0 = v_add(along_a0, arm_n), t0 = v_add(arm0, arm_t), n1 = v_add(along_a1, arm_n), t1 = v_add(arm1, arm_t);
    vf along0 = v_add(moved_n, v_add(v_mul(c1, n0), v_mul(s, t0)));
    vf along1 = v_add(moved_n, v_add(v_mul(c1, n1), v_mul(s, t1)));
    vf across0 = v_add(moved_t, v_sub(v_mul(c1, t0), v_mul(s, n0)));
    vf across1 = v_add(moved_t, v_sub(v_mul(c1, t1), v_mul(s, n1)));

    // Limits: the distance that B slid at the first point, and what the rotation adds over the extent of the smaller
    // body.
    const vf reach = v_set(context->speculative_distance), old1 = v_load(old->separation[1] + lane);
    const vm single = v_gt(old1, reach);
    vf most_slide = v_select(single, v_set(0.1f * context->recycle_distance), v_set(context->recycle_distance)),
       most_turn = v_select(single, v_set(B2D_HELD_SINE), v_set(context->recycle_sine));
    vf angle = v_abs(s), room = v_sub(most_slide, v_mul(angle, v_load(old->extent + lane)));
    vf slid = v_add(v_mul(along0, along0), v_mul(across0, across0));
    vm recyclable = m_and(m_and(v_lt(angle, most_turn), v_gt(c, v_zero())),
                          m_and(v_gt(room, v_zero()), v_lt(slid, v_mul(room, room))));
    // The frame stays where it is while side A has turned by less than 1.7 degrees: if the normals of a tall stack
    // followed the tilt of its boxes, they would tip it (tests/physics/test_stacks.py). The separation is that of the
    // turned frame, (cosine, sine) the turn of side A since the frame was made.
    wide_vec world = w_rotate(a[0], a[1], normal), held = {v_load(block->nx + lane), v_load(block->ny + lane)};
    vf cosine = w_dot(held, world), sine = w_cross(held, world);
    vm hold = v_lt(v_abs(sine), v_set(B2D_HELD_SINE));
    vf separation0 = v_add(v_load(old->separation[0] + lane), along0), separation1 = v_add(old1, along1);
    separation0 = v_select(hold, v_add(v_mul(cosine, separation0), v_mul(sine, across0)), separation0);
    separation1 = v_select(hold, v_add(v_mul(cosine, separation1), v_mul(sine, across1)), separation1);
    separation1 = v_select(v_ge(old1, v_set(B2D_DEAD_POINT)), v_set(B2D_DEAD_POINT), separation1);
    // If both points are beyond the speculative distance the full test ends the contact; a far point that comes near or
    // was touched begins with a full test
    recyclable = m_and(recyclable, m_or(v_le(separation0, reach), m_andnot(v_le(separation1, reach), single)));
    const vm touched = v_gt(v_load(p1->normal_impulse + lane), v_zero());
    recyclable = m_andnot(recyclable, m_and(single, m_or(touched, v_le(separation1, reach))));
    recyclable = m_and(recyclable, m_from_bits(may));

    wide_vec between = w_sub(center, w_add(p, w_rotate(q_c, q_s, (wide_vec){b[2], b[3]})));
    const uint32_t recycled = m_bits(recyclable);
#define STORE_RECYCLED(row, value) v_store(row + lane, v_select(recyclable, value, v_load(row + lane)))
    STORE_RECYCLED(block->point[0].initial_separation, separation0);
    STORE_RECYCLED(block->point[1].initial_separation, separation1);
    // Under a held normal the points turn with side A. Other lanes are overwritten or given up, so no old value is kept
    const vf turn = v_max(v_set(-B2D_MOST_TURN),
                          v_min(v_set(B2D_MOST_TURN), v_mul(v_set(context->ahead), poses->spin))),
             turned = v_add(v_mask(hold, sine), turn), radius = v_load(block->radius_a + lane);
    v_store(block->turn + lane, turn);
    const vf half = v_set(0.5f), core0 = v_sub(v_sub(along_a0, radius), v_mul(half, separation0)),
             core1 = v_sub(v_sub(along_a1, radius),
                           v_mask(v_lt(separation1, v_set(B2D_DEAD_POINT)), v_mul(half, separation1)));
    v_store(block->point[0].normal_arm + lane, v_sub(arm0, v_mul(turned, core0)));
    v_store(block->point[1].normal_arm + lane, v_sub(arm1, v_mul(turned, core1)));
    const vm turns = m_andnot(recyclable, hold);
    const wide_vec kept = w_select(hold, w_unrotate(a[0], a[1], held), normal);
    recyclable = m_andnot(recyclable, m_and(hold, v_le(v_abs(across0), v_set(0.1f * context->recycle_distance))));
    STORE_RECYCLED(block->normal_arm_shift, w_cross(between, kept));
    STORE_RECYCLED(block->along_normal_shift, w_dot(between, kept));
    recyclable = turns;
    STORE_RECYCLED(block->nx, world.x);
    STORE_RECYCLED(block->ny, world.y);
#undef STORE_RECYCLED
    return recycled;
}

// Of the lanes in `live` those that were refreshed. Two groups of lanes at a time, so that their gathers overlap.
V_FN uint32_t recycle_block(const b2d_collide_context* context, b2d_contact_block* block, const b2d_manifold_block* old,
                            uint32_t live) {
    const uint32_t width = (uint32_t)((1ull << V_LANES) - 1);
    const bool whole = V_LANES == (int)B2D_LANES; // a block is one group
    uint32_t done = 0;
    for (int lane = 0; lane < B2D_LANES && live >> lane != 0; lane += 2 * V_LANES) {
        const int next = lane + V_LANES;
        recycle_poses poses, next_poses;
        gather_poses(context, block, lane, &poses);
        if (!whole) gather_poses(context, block, next, &next_poses);
        done |= recycle_lanes(context, block, old, lane, live >> lane & width, &poses) << lane;
        if (!whole && live >> next != 0)
            done |= recycle_lanes(context, block, old, next, live >> next & width, &next_poses) << next;
    }
    return done;
}

// Whether the fat boxes of a contact still overlap; tested only where one of them is new.
V_FN bool fat_boxes_overlap(const b2d_collide_context* context, const b2d_pair* pair) {
    const float *min_x = context->fat_min_x, *min_y = context->fat_min_y, *max_x = context->fat_max_x,
                *max_y = context->fat_max_y;
    const int32_t a = pair->shape_a, b = pair->shape_b;
    return (int)(min_x[a] <= max_x[b]) & (int)(min_x[b] <= max_x[a]) & (int)(min_y[a] <= max_y[b]) &
           (int)(min_y[b] <= max_y[a]);
}

// -------------------------------------------------------------------------------------------------------- entry points

V_FN void start_full(full_queue* queue, b2d_manifold* found) {
    queue->count = 0;
    queue->one_way = false;
    queue->internal_edges = 0;
    queue->found = found;
}

V_FN void push_full(const b2d_collide_context* context, full_queue* queue, int32_t id) {
    const b2d_pair* pair = &context->pairs[id];
    b2d_shape_prefetch(&context->shapes[pair->shape_a]); // the queue is processed later
    b2d_shape_prefetch(&context->shapes[pair->shape_b]);
    const b2d_pose *a = &context->poses[pair->body_a], *b = &context->poses[pair->body_b];
    int k = queue->count++;
    queue->one_way = queue->one_way || (pair->flags & B2D_PAIR_ONE_WAY) != 0;
    if (pair->flags & B2D_PAIR_INTERNAL_EDGES) queue->internal_edges |= 1ull << k;
    queue->dx[k] = (float)(b->x - a->x);
    queue->dy[k] = (float)(b->y - a->y);
    queue->flip[k] = pair->flags & B2D_PAIR_FLIP ? 1.0f : 0.0f;
    queue->hull_a[k] = 4 * pair->shape_a;
    queue->hull_b[k] = 4 * pair->shape_b;
    queue->pose_a[k] = &a->c;
    queue->pose_b[k] = &b->c;
    queue->id[k] = id;
    queue->lane_index[k] = pair->lane_index;
}

// Repeats the last entry up to a multiple of the width.
V_FN void pad_full(full_queue* queue) {
    for (int k = queue->count; k % V_LANES != 0; k++) {
        int last = queue->count - 1;
        queue->dx[k] = queue->dx[last], queue->dy[k] = queue->dy[last], queue->flip[k] = queue->flip[last];
        queue->hull_a[k] = queue->hull_a[last], queue->hull_b[k] = queue->hull_b[last];
        queue->pose_a[k] = queue->pose_a[last], queue->pose_b[k] = queue->pose_b[last];
    }
}

V_ONCE void flush_full(const b2d_collide_context* context, int32_t bucket, full_queue* queue,
                       b2d_collide_worker* worker, int32_t worker_index) {
    pad_full(queue);
    for (int32_t i = 0; i < queue->count; i += V_LANES) full_batch(context, bucket, queue, i, worker, worker_index);
    worker->updated += queue->count;
    start_full(queue, NULL);
}

void B2D_KERNEL(b2d_collide_run)(const b2d_collide_context* context, int32_t bucket, const int32_t* contacts,
                                 int32_t count, int32_t worker_index);
void B2D_KERNEL(b2d_collide_run)(const b2d_collide_context* context, int32_t bucket, const int32_t* contacts,
                                 int32_t count, int32_t worker_index) {
    b2d_collide_worker* worker = &context->workers[worker_index];
    full_queue full;
    start_full(&full, NULL);
    for (int32_t i = 0; i < count; i++) {
        const int32_t id = contacts[i];
        const b2d_pair* pair = &context->pairs[id];
        if (!fat_boxes_overlap(context, pair)) {
            b2d_bits_set(&worker->parted, id);
            if (pair->flags & B2D_PAIR_TOUCHING) b2d_bits_set(&worker->ended, id);
            continue;
        }
        push_full(context, &full, id);
        if (full.count == QUEUE_SIZE) flush_full(context, bucket, &full, worker, worker_index);
    }
    flush_full(context, bucket, &full, worker, worker_index);
}

// Full manifolds are computed in the order of the lanes as well, so that writes go to neighbouring memory.
void B2D_KERNEL(b2d_collide_blocks_run)(const b2d_collide_context* context, const int32_t* blocks, int32_t count,
                                        int32_t worker_index);
void B2D_KERNEL(b2d_collide_blocks_run)(const b2d_collide_context* context, const int32_t* blocks, int32_t count,
                                        int32_t worker_index) {
    b2d_collide_worker* worker = &context->workers[worker_index];
    const uint64_t* new_boxes = context->new_fat_boxes->words;
    const bool any_new_boxes = !b2d_bits_is_empty(context->new_fat_boxes);
    const bool recycles = context->recycle_distance > 0.0f;
    full_queue queues[B2D_BUCKET_COUNT];
    for (int32_t bucket = 0; bucket < B2D_BUCKET_COUNT; bucket++) start_full(&queues[bucket], NULL);
    for (int32_t k = 0; k < count; k++) {
        b2d_contact_block* block = &context->blocks[blocks[k]];
        const b2d_manifold_block* old = &context->manifolds[blocks[k]];
        uint32_t live = 0, check_boxes = 0, done = 0;
        for (int32_t i = 0; i < B2D_LANES; i++) live |= (uint32_t)(old->contact[i] != B2D_NONE) << i;
        for (int32_t i = 0; any_new_boxes && i < B2D_LANES; i++) {
            if ((live >> i & 1u) == 0) continue;
            const int32_t a = block->body_a[i], b = block->body_b[i];
            check_boxes |= (uint32_t)((new_boxes[a >> 6] >> (a & 63) | new_boxes[b >> 6] >> (b & 63)) & 1) << i;
        }
        if (check_boxes != 0 &&
            k + 1 < count) // where one body has a new box, those of the next block probably have one too
            for (int i = 0; i < B2D_LANES; i++)
                __builtin_prefetch(&context->pairs[context->manifolds[blocks[k + 1]].contact[i]]);
        for (; check_boxes != 0; check_boxes &= check_boxes - 1) {
            const int32_t i = b2d_ctz64(check_boxes), id = old->contact[i];
            if (fat_boxes_overlap(context, &context->pairs[id])) continue;
            b2d_bits_set(&worker->parted, id);
            b2d_bits_set(&worker->ended, id);
            live &= ~(1u << i);
        }
        if (recycles) done = recycle_block(context, block, old, live);
        worker->recycled += b2d_popcount64(done);
        for (uint32_t moved = live & ~done; moved != 0; moved &= moved - 1) {
            const int32_t id = old->contact[b2d_ctz64(moved)], bucket = context->pairs[id].bucket;
            push_full(context, &queues[bucket], id);
            if (queues[bucket].count == QUEUE_SIZE) flush_full(context, bucket, &queues[bucket], worker, worker_index);
        }
    }
    for (int32_t bucket = 0; bucket < B2D_BUCKET_COUNT; bucket++)
        if (queues[bucket].count > 0) flush_full(context, bucket, &queues[bucket], worker, worker_index);
}

void B2D_KERNEL(b2d_manifolds_run)(const b2d_collide_context* context, int32_t bucket, const int32_t* contacts,
                                   int32_t count, b2d_manifold* found);
void B2D_KERNEL(b2d_manifolds_run)(const b2d_collide_context* context, int32_t bucket, const int32_t* contacts,
                                   int32_t count, b2d_manifold* found) {
    full_queue full;
    start_full(&full, found);
    for (int32_t k = 0; k < count; k++) push_full(context, &full, contacts[k]);
    pad_full(&full);
    for (int32_t k = 0; k < count; k += V_LANES) full_batch(context, bucket, &full, k, NULL, 0);
}

#if defined(B2D_ISA_SCALAR)
void b2d_collide_one(const b2d_collide_context* context, int32_t bucket, int32_t shape_a, int32_t shape_b,
                     b2d_transform b_in_a, b2d_manifold* out) {
    int32_t row_a = 4 * shape_a, row_b = 4 * shape_b;
    wide_pose q = {{b_in_a.p.x, b_in_a.p.y}, b_in_a.q.c, b_in_a.q.s};
    wide_manifold m;
    manifolds(context, bucket, &row_a, &row_b, &q, &m);
    write_manifolds(context, &m, 1, out);
}
#endif
