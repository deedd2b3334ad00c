// csrc/narrowphase/manifold_wide.inl - contact points of V_LANES pairs of shapes of one bucket, in the body frame of
// shape_a.
//
// A manifold has a normal, at most two points and their separations. A point of a hull is named by the vertex that it
// comes from, so that impulses find it again.
#include "narrowphase/collide.h"

#define V_FN static inline __attribute__((always_inline))
#if defined(__clang__)
#define V_UNROLL _Pragma("unroll")
#else
#define V_UNROLL _Pragma("GCC unroll 8")
#endif

#define V_ONCE static __attribute__((noinline)) // one copy for all buckets

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
    vf curvature; // m, the reduced radius of both surfaces; 0: sharp, or an edge lies flat
    vm has[2];    // there is a second point only if there is a first one
    vm lasts;     // a point that is alone near is a vertex over an edge: it stays one through small motions
} wide_manifold;

typedef struct wide_reach { // m, up to which points are near, and up to which a manifold is wanted: that or more
    vf near, first;
} wide_reach;

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

// Of a round shape b on an edge of a, or on something round; the radii are those to the middle of the gap.
V_FN vf reduced_radius(vf a, vf b, vf separation, vm on_edge) {
    const vf half = v_mul(v_set(0.5f), separation), least = v_set(1.0e-12f);
    const vf to_a = v_max(v_add(a, half), v_zero()), to_b = v_max(v_add(b, half), v_zero());
    return v_select(on_edge, to_b, v_div(v_mul(to_a, to_b), v_max(v_add(to_a, to_b), least)));
}

// A manifold of one point, between a point `a` of the core of shape a and the point `a + distance * normal` of the core
// of shape b: midway between the surfaces. Shape b is a circle, on an edge of a or on a vertex.
V_FN void one_point(wide_vec a, wide_vec normal, vf distance, vf radius_a, vf radius_b, vm on_edge, wide_reach reach,
                    wide_manifold* out) {
    vf separation = v_sub(distance, v_add(radius_a, radius_b));
    vf middle = v_mul(v_set(0.5f), v_add(distance, v_sub(radius_a, radius_b)));
    out->normal = normal;
    out->point[0] = out->point[1] = w_add(a, w_scale(middle, normal));
    out->separation[0] = out->separation[1] = separation;
    out->curvature = reduced_radius(radius_a, radius_b, separation, on_edge);
    out->feature[0] = out->feature[1] =
        v_zero(); // the same feature everywhere, so that warm starting works while a circle rolls
    out->has[0] = v_le(separation, reach.first);
    out->has[1] = out->lasts = m_from_bits(0);
}

V_FN void circle_circle(const wide_hull* a, const wide_hull* b, const wide_pose* q, wide_reach reach,
                        wide_manifold* out) {
    wide_vec center = w_add(w_rotate(q->c, q->s, b->v[0]), q->p);
    wide_vec d = w_sub(center, a->v[0]);
    vf square = w_dot(d, d);
    vm apart = v_gt(square, v_set(1.0e-20f));
    vf distance = v_sqrt(v_select(apart, square, v_set(1.0f)));
    wide_vec normal = {v_mask(apart, v_div(d.x, distance)), v_select(apart, v_div(d.y, distance), v_set(1.0f))};
    one_point(a->v[0], normal, v_mask(apart, distance), a->radius, b->radius, m_from_bits(0), reach, out);
}

// Shape a is a hull of n slots. Beyond an end of the edge with the greatest separation its vertex is the closest
// feature, else the edge itself.
V_FN void hull_circle(const wide_hull* a, int n, const wide_hull* b, const wide_pose* q, wide_reach reach,
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
    one_point(from, normal, distance, a->radius, b->radius, m_not(rounded), reach, out);
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
V_FN void hull_hull(const wide_hull* a, const wide_hull* b, int n, int used, wide_reach reach, vf slop, vm face,
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
    vm lone = m_or(corner, single), near_lower = v_le(s_lower, reach.near), near_upper = v_le(s_upper, reach.near),
       near = m_or(near_lower, m_andnot(near_upper, lone)), upper_first = m_andnot(v_lt(s_upper, s_lower), lone),
       has = m_andnot(v_le(v_select(upper_first, s_upper, s_lower), v_max(reach.near, reach.first)), off_face);
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

    vm swap = m_andnot(m_or(near, upper_first), near_lower); // a far point is the second, or the farther one
    out->normal = w_select(flip, w_neg(normal), normal);
    out->point[0] = w_select(swap, p_upper, p_lower);
    out->separation[0] = v_select(swap, s_upper, s_lower);
    out->feature[0] = v_select(swap, f_upper, f_lower);
    out->point[1] = w_select(swap, p_lower, p_upper);
    out->separation[1] = v_select(swap, s_lower, s_upper);
    out->feature[1] = v_select(swap, f_lower, f_upper);
    out->has[0] = has;
    out->has[1] = m_andnot(has, lone);
    const vm flat = m_andnot(m_and(near_lower, near_upper), lone);
    const vm rolls = m_andnot(v_gt(v_select(corner, v_min(radius_r, radius_i), radius_i), zero), flat);
    out->curvature = v_mask(rolls, reduced_radius(radius_r, radius_i, out->separation[0], m_not(corner)));
    out->lasts = m_not(m_or(m_or(lone, face), v_gt(out->curvature, zero)));
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
                       wide_reach reach, wide_manifold* out) {
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
    one_point(from, normal, distance, a->radius, b->radius, m_not(rounded), reach, out);
    out->has[0] = m_andnot(m_and(out->has[0], v_ge(height, zero)), others);
}

// Shape b is in the frame of the chain segment, `center` is its centroid there: a shape whose centroid lies behind the
// segment has no contact.
V_FN void chain_hull(const wide_hull* a, const wide_chain* chain, const wide_hull* b, int n, wide_vec center,
                     wide_reach reach, vf slop, wide_manifold* out) {
    wide_vec front = a->n[0], edge = {v_neg(front.y), front.x};
    vf straight = v_set(0.01f);
    hull_hull(a, b, n, n, reach, slop, m_from_bits(0), out);
    vf along = w_dot(edge, out->normal);
    vm first = m_and(v_lt(along, v_neg(straight)), chain->corner_before),
       last = m_and(v_gt(along, straight), chain->corner_after);
    vm of_neighbor = m_or(m_and(first, v_lt(w_dot(chain->before, out->normal), v_neg(straight))),
                          m_and(last, v_gt(w_dot(chain->after, out->normal), straight)));
    vm is_face = m_and(v_le(v_abs(along), v_set(1.0e-5f)), v_gt(w_dot(front, out->normal), v_zero()));
    vm face = m_not(m_or(is_face, m_or(first, last)));
    if (m_bits(face) != 0) {
        wide_manifold flat;
        hull_hull(a, b, n, n, reach, slop, m_not(m_from_bits(0)), &flat);
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
                    const wide_pose* q, vf first_reach, wide_manifold* out) {
    const vf slop = v_set(context->linear_slop);
    const wide_reach reach = {v_set(context->speculative_distance), first_reach};
    wide_hull a, b;
#define V_ROUND(NAME, n)                       \
    case B2D_BUCKET_##NAME:                    \
        load_hull(context, rows_a, n, &a);     \
        load_hull(context, rows_b, 1, &b);     \
        hull_circle(&a, n, &b, q, reach, out); \
        break;
#define V_HULLS(NAME, n)                                           \
    case B2D_BUCKET_##NAME:                                        \
        load_hull(context, rows_a, n, &a);                         \
        load_hull(context, rows_b, n, &b);                         \
        move_hull(&b, n, q);                                       \
        hull_hull(&a, &b, n, n, reach, slop, m_from_bits(0), out); \
        break;
#define V_CHAIN(NAME, n)                                                                                            \
    case B2D_BUCKET_CHAIN_##NAME:                                                                                   \
        load_chain(context, rows_a, n, &a, &chain);                                                                 \
        load_hull(context, rows_b, n, &b);                                                                          \
        move_hull(&b, n, q);                                                                                        \
        chain_hull(&a, &chain, &b, n, w_add(w_rotate(q->c, q->s, load_center(context, rows_b)), q->p), reach, slop, \
                   out);                                                                                            \
        break;
    wide_chain chain;
    switch (bucket) {
    default:
        load_hull(context, rows_a, 1, &a);
        load_hull(context, rows_b, 1, &b);
        circle_circle(&a, &b, q, reach, out);
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
        if (most <= 5) hull_hull(&a, &b, 8, 5, reach, slop, m_from_bits(0), out);
        else if (most == 6) hull_hull(&a, &b, 8, 6, reach, slop, m_from_bits(0), out);
        else hull_hull(&a, &b, 8, 8, reach, slop, m_from_bits(0), out);
        break;
    }
    case B2D_BUCKET_CHAIN_POINT:
        load_chain(context, rows_a, 2, &a, &chain);
        load_hull(context, rows_b, 1, &b);
        chain_circle(&a, &chain, &b, q, reach, out);
        break;
        V_CHAIN(LINE, 2)
        V_CHAIN(QUAD, 4)
        V_CHAIN(OCT, 8)
    }
#undef V_CHAIN
#undef V_ROUND
#undef V_HULLS
}
