// csrc/narrowphase/internal_edge.c - see internal_edge.h. Scalar and compiled once, for equal bits at every width.
#include "narrowphase/internal_edge.h"

typedef struct outline { // convex, in any one frame; two vertices are a segment, one is a point
    b2d_vec2 v[8], n[8];
    float offset[8];
    int32_t count;
    int32_t edges; // number of edges that collide: of a chain segment only the first
} outline;

typedef struct neighborhood { // all in the frame of the body of shape_a
    outline terrain, moving, neighbors[B2D_INTERNAL_EDGE_NEIGHBORS];
    bool same_material[B2D_INTERNAL_EDGE_NEIGHBORS]; // has the material of the terrain shape
    int32_t count;
    float radius, terrain_radius; // sum of both radii; radius of the terrain shape
    float reach;                  // m, up to which a manifold is wanted
    bool terrain_is_b, is_chain;
} neighborhood;

static void make_outline(const b2d_shape_hot* hot, const b2d_hull4* second, b2d_transform place, outline* out) {
    out->count = hot->count;
    out->edges = hot->form == B2D_FORM_CHAIN ? 1 : hot->count;
    for (int32_t k = 0; k < hot->count; k++) {
        const b2d_hull4* hull = k < 4 ? &hot->hull : second;
        out->v[k] = b2d_transform_point(place, b2d_v(hull->vx[k & 3], hull->vy[k & 3]));
        out->n[k] = b2d_rotate(place.q, b2d_v(hull->nx[k & 3], hull->ny[k & 3]));
        out->offset[k] = b2d_dot(out->n[k], out->v[k]);
    }
}

typedef struct interval {
    float lower, upper;
} interval; // along an edge, measured from its first vertex

static interval project(const outline* shape, b2d_vec2 along, b2d_vec2 from) {
    interval span = {3.0e38f, -3.0e38f};
    for (int32_t k = 0; k < shape->count; k++) {
        float at = b2d_dot(along, b2d_sub(shape->v[k], from));
        span = (interval){b2d_min(span.lower, at), b2d_max(span.upper, at)};
    }
    return span;
}

static interval edge_interval(const outline* terrain, int32_t edge) {
    int32_t next = edge + 1 == terrain->count ? 0 : edge + 1;
    return (interval){0.0f, b2d_dot(b2d_left_perp(terrain->n[edge]), b2d_sub(terrain->v[next], terrain->v[edge]))};
}

// Whether the neighbour covers the interval t0 .. t1 of an edge, measured from its first vertex: the line one slop
// outside the edge must run inside the neighbour there, with a tolerance of half a slop along the edge.
static bool covers(const outline* neighbor, const outline* terrain, int32_t edge, float t0, float t1, float slop) {
    if (neighbor->count < 3) return false;
    b2d_vec2 normal = terrain->n[edge], along = b2d_left_perp(normal),
             from = b2d_add(terrain->v[edge], b2d_scale(slop, normal));
    float lower = -1.0e30f, upper = 1.0e30f;
    for (int32_t k = 0; k < neighbor->count; k++) {
        float rate = b2d_dot(neighbor->n[k], along), room = neighbor->offset[k] - b2d_dot(neighbor->n[k], from);
        if (b2d_abs(rate) < 1.0e-6f) {
            if (room < 0.0f) return false;
        } else if (rate > 0.0f) upper = b2d_min(upper, room / rate);
        else lower = b2d_max(lower, room / rate);
    }
    return lower - 0.5f * slop <= t0 && t1 <= upper + 0.5f * slop && lower < upper;
}

// Whether a neighbour that contains this corner continues beyond it in the direction of `out`.
static bool continues_beyond(const outline* neighbor, b2d_vec2 corner, b2d_vec2 out, float slop) {
    for (int32_t k = 0; k < neighbor->count; k++)
        if (b2d_dot(neighbor->n[k], corner) - neighbor->offset[k] > slop) return false;
    if (neighbor->count == 2) {
        b2d_vec2 along = b2d_left_perp(neighbor->n[0]);
        if (b2d_dot(along, b2d_sub(corner, neighbor->v[0])) < -slop ||
            b2d_dot(along, b2d_sub(corner, neighbor->v[1])) > slop)
            return false;
    }
    for (int32_t k = 0; k < neighbor->count; k++) {
        b2d_vec2 to_vertex = b2d_sub(neighbor->v[k], corner);
        float length = b2d_length(to_vertex);
        if (length > 2.0f * slop && b2d_dot(out, to_vertex) > 1.0e-5f * length) return true;
    }
    return false;
}

// Whether a neighbour covers an edge wherever the moving shape is beside it. Where the edge comes out of the neighbour
// beside the moving shape, both make a concave corner, and there both block.
static bool edge_hidden(const neighborhood* s, int32_t edge, float slop) {
    const interval span = project(&s->moving, b2d_left_perp(s->terrain.n[edge]), s->terrain.v[edge]),
                   whole = edge_interval(&s->terrain, edge);
    const float t0 = b2d_clamp(span.lower - s->radius, whole.lower, whole.upper),
                t1 = b2d_clamp(span.upper + s->radius, whole.lower, whole.upper);
    for (int32_t i = 0; i < s->count; i++)
        if (covers(&s->neighbors[i], &s->terrain, edge, t0, t1, slop)) return true;
    return false;
}

static int32_t nearest_edge(const outline* terrain, b2d_vec2 out) {
    int32_t edge = 0;
    for (int32_t k = 1; k < terrain->edges; k++)
        if (b2d_dot(terrain->n[k], out) > b2d_dot(terrain->n[edge], out)) edge = k;
    return edge;
}

// Whether `out` is the normal of this edge, and not one between the normals of two edges.
static bool is_edge_normal(const outline* terrain, int32_t edge, b2d_vec2 out) {
    return b2d_abs(b2d_cross(terrain->n[edge], out)) <= 1.0e-5f && b2d_dot(terrain->n[edge], out) > 0.0f;
}

// Whether the neighbours hide the part of the surface with the outward unit normal `out` that the moving shape touches.
static bool is_hidden(const neighborhood* s, b2d_vec2 out, float slop) {
    const outline* terrain = &s->terrain;
    int32_t edge = nearest_edge(terrain, out), corner = 0;
    if (is_edge_normal(terrain, edge, out)) return edge_hidden(s, edge, slop);
    for (int32_t k = 1; k < terrain->count; k++)
        if (b2d_dot(terrain->v[k], out) > b2d_dot(terrain->v[corner], out)) corner = k;
    for (int32_t i = 0; i < s->count; i++)
        if (continues_beyond(&s->neighbors[i], terrain->v[corner], out, slop)) return true;
    return false;
}

// The interval of the edge of another terrain shape that is collinear with this edge, to a tenth of the slop; false:
// there is none.
static bool collinear_edge(const outline* terrain, int32_t edge, const outline* other, float slop, interval* out) {
    b2d_vec2 normal = terrain->n[edge], along = b2d_left_perp(normal), from = terrain->v[edge];
    int32_t k = nearest_edge(other, normal), after = k + 1 == other->count ? 0 : k + 1;
    if (b2d_dot(other->n[k], normal) < 0.999f) return false;
    b2d_vec2 to0 = b2d_sub(other->v[k], from), to1 = b2d_sub(other->v[after], from);
    if (b2d_abs(b2d_dot(normal, to0)) > 0.1f * slop || b2d_abs(b2d_dot(normal, to1)) > 0.1f * slop) return false;
    *out = (interval){b2d_dot(along, to0), b2d_dot(along, to1)};
    return true;
}

// Whether two collinear edges adjoin. Rounded terrain shapes that are flush have a groove between their edges: it is
// ignored where the moving shape lies over it and on both sides of it.
static bool adjoins(interval edge, interval other, interval moving, float terrain_radius, float slop) {
    float begin = b2d_min(edge.upper, other.upper), end = b2d_max(edge.lower, other.lower);
    return end <= begin + slop ||
           (end <= begin + slop + 2.0f * terrain_radius && moving.lower < begin && moving.upper > end);
}

// The interval of an edge together with the collinear edges that adjoin it. False: no edge adjoins it.
static bool extend_edge(const outline* terrain, int32_t edge, const outline* neighbors, const bool* same_material,
                        int32_t count, const outline* moving, float terrain_radius, float slop, interval* out) {
    interval span = project(moving, b2d_left_perp(terrain->n[edge]), terrain->v[edge]), other;
    bool grew = true, any = false;
    *out = edge_interval(terrain, edge);
    while (grew) {
        grew = false;
        for (int32_t i = 0; i < count; i++) {
            if (!same_material[i] || !collinear_edge(terrain, edge, &neighbors[i], slop, &other)) continue;
            if (!adjoins(*out, other, span, terrain_radius, slop) ||
                (other.lower >= out->lower && other.upper <= out->upper))
                continue;
            *out = (interval){b2d_min(out->lower, other.lower), b2d_max(out->upper, other.upper)};
            grew = any = true;
        }
    }
    return any;
}

typedef struct edge_manifold { // a new manifold with an edge of the terrain shape as reference edge
    b2d_vec2 point[2];
    float separation[2];
    int32_t terrain_vertex[2], moving_vertex[2], count;
} edge_manifold;

static void circle_on_edge(const outline* terrain, int32_t edge, b2d_vec2 center, float radius, float terrain_radius,
                           float reach, float slop, edge_manifold* out) {
    b2d_vec2 normal = terrain->n[edge], along = b2d_left_perp(normal);
    int32_t next = edge + 1 == terrain->count ? 0 : edge + 1;
    float height = b2d_dot(normal, center) - terrain->offset[edge];
    if (b2d_dot(along, b2d_sub(center, terrain->v[edge])) < -slop ||
        b2d_dot(along, b2d_sub(center, terrain->v[next])) > slop || height - radius > reach)
        return;
    out->point[0] = b2d_sub(center, b2d_scale(0.5f * (height + radius) - terrain_radius, normal));
    out->separation[0] = height - radius;
    out->terrain_vertex[0] = out->moving_vertex[0] = 0; // all points of circles have this feature id
    out->count = 1;
}

// Clips the incident edge, which is the most opposed edge of the moving hull, to the ends of the interval, as hull_hull
// does with the reference edge.
static void hull_on_edge(const outline* terrain, int32_t edge, interval whole, const outline* moving, float radius,
                         float terrain_radius, float near, float reach, float slop, edge_manifold* out) {
    b2d_vec2 normal = terrain->n[edge], along = b2d_left_perp(normal);
    int32_t next = edge + 1 == terrain->count ? 0 : edge + 1, incident = 0;
    for (int32_t k = 1; k < moving->count; k++)
        if (b2d_dot(normal, moving->n[k]) < b2d_dot(normal, moving->n[incident])) incident = k;
    int32_t after = incident + 1 == moving->count ? 0 : incident + 1;
    float tolerance = 0.1f * slop, length = b2d_dot(along, b2d_sub(terrain->v[next], terrain->v[edge]));
    b2d_vec2 to0 = b2d_sub(moving->v[incident], terrain->v[edge]), to1 = b2d_sub(moving->v[after], terrain->v[edge]);
    // u1 < u0: the incident edge runs against the reference edge
    float u0 = b2d_dot(along, to0), h0 = b2d_dot(normal, to0), u1 = b2d_dot(along, to1), h1 = b2d_dot(normal, to1);
    if (u1 > length + tolerance || u0 < -tolerance) return; // the incident edge lies beside the reference edge
    float lower = b2d_min(b2d_max(u1, whole.lower - tolerance), u0),
          upper = b2d_max(b2d_min(u0, whole.upper + tolerance), u1), span = b2d_max(u0 - u1, 1.0e-12f);
    const float u[2] = {lower, upper}, h[2] = {h1 + b2d_clamp((lower - u1) / span, 0.0f, 1.0f) * (h0 - h1) - radius,
                                               h0 - b2d_clamp((u0 - upper) / span, 0.0f, 1.0f) * (h0 - h1) - radius};
    const int32_t of_terrain[2] = {edge, next}, of_moving[2] = {after, incident}, points = upper > lower ? 2 : 1,
                  first = h[0] <= near || h[0] <= h[points - 1] ? 0 : points - 1; // a far point is the second
    if (h[first] > reach) return;
    for (int32_t k = 0; k < points; k++) {
        const int32_t i = k == 0 ? first : 1 - first;
        out->point[k] = b2d_add(terrain->v[edge],
                                b2d_add(b2d_scale(u[i], along), b2d_scale(0.5f * h[i] + terrain_radius, normal)));
        out->separation[k] = h[i];
        out->terrain_vertex[k] = of_terrain[i], out->moving_vertex[k] = of_moving[i];
    }
    out->count = points;
}

static void store_manifold(b2d_manifold* manifold, const neighborhood* s, int32_t edge, const edge_manifold* found) {
    manifold->normal = s->terrain_is_b ? b2d_neg(s->terrain.n[edge]) : s->terrain.n[edge];
    manifold->count = found->count;
    for (int32_t k = 0; k < found->count; k++) {
        int32_t of_terrain = found->terrain_vertex[k], of_moving = found->moving_vertex[k];
        manifold->point[k] = found->point[k];
        manifold->separation[k] = found->separation[k];
        manifold->feature[k] = (uint16_t)(s->terrain_is_b ? of_moving | of_terrain << 8 : of_terrain | of_moving << 8);
    }
}

static bool gather_neighbors(const b2d_collide_context* context, int32_t contact, b2d_transform b_in_a,
                             neighborhood* s) {
    const b2d_transform here = {{0.0f, 0.0f}, {1.0f, 0.0f}};
    int32_t ids[B2D_INTERNAL_EDGE_NEIGHBORS];
    s->count = context->neighbors(context->world, contact, ids, &s->terrain_is_b);
    if (s->count == 0) return false;
    const b2d_pair* pair = &context->pairs[contact];
    const b2d_shape_hot *terrain = &context->shapes[s->terrain_is_b ? pair->shape_b : pair->shape_a],
                        *moving = &context->shapes[s->terrain_is_b ? pair->shape_a : pair->shape_b];
    make_outline(terrain, terrain->second_hull == B2D_NONE ? NULL : &context->second_hulls[terrain->second_hull],
                 s->terrain_is_b ? b_in_a : here, &s->terrain);
    make_outline(moving, moving->second_hull == B2D_NONE ? NULL : &context->second_hulls[moving->second_hull],
                 s->terrain_is_b ? here : b_in_a, &s->moving);
    s->terrain_radius = terrain->radius;
    s->radius = moving->radius + terrain->radius;
    s->is_chain = terrain->form == B2D_FORM_CHAIN;
    for (int32_t i = 0; i < s->count; i++) {
        const b2d_shape_hot* row = &context->shapes[ids[i]];
        b2d_transform place = b2d_pose_relative(&context->poses[pair->body_a], &context->poses[row->body]);
        make_outline(row, row->second_hull == B2D_NONE ? NULL : &context->second_hulls[row->second_hull], place,
                     &s->neighbors[i]);
        s->same_material[i] = context->same_material(context->world, ids[i],
                                                     s->terrain_is_b ? pair->shape_b : pair->shape_a);
    }
    return true;
}

static void collide_edge(const b2d_collide_context* context, const neighborhood* s, int32_t edge,
                         edge_manifold* found) {
    const float slop = context->linear_slop;
    interval whole;
    found->count = 0;
    extend_edge(&s->terrain, edge, s->neighbors, s->same_material, s->count, &s->moving, s->terrain_radius, slop,
                &whole);
    if (s->moving.count == 1)
        circle_on_edge(&s->terrain, edge, s->moving.v[0], s->radius, s->terrain_radius, s->reach, slop, found);
    else
        hull_on_edge(&s->terrain, edge, whole, &s->moving, s->radius, s->terrain_radius, context->speculative_distance,
                     s->reach, slop, found);
}

// Collides with the visible edge that has the least penetration, unless that is deeper than `deepest`; else the
// manifold becomes empty. False: all visible edges are deeper.
static bool collide_best_edge(const b2d_collide_context* context, const neighborhood* s, float deepest,
                              b2d_manifold* manifold) {
    float best = deepest;
    bool any = false;
    manifold->count = 0;
    for (int32_t edge = 0; edge < s->terrain.edges; edge++) {
        float least = b2d_dot(s->terrain.n[edge], s->moving.v[0]);
        for (int32_t k = 1; k < s->moving.count; k++)
            least = b2d_min(least, b2d_dot(s->terrain.n[edge], s->moving.v[k]));
        float separation = least - s->terrain.offset[edge] - s->radius;
        if (!(separation > best) || edge_hidden(s, edge, context->linear_slop)) continue;
        any = true;
        edge_manifold found;
        collide_edge(context, s, edge, &found);
        if (found.count == 0) continue;
        best = separation;
        store_manifold(manifold, s, edge, &found);
    }
    return any;
}

static bool overlap(interval a, interval b) { return a.lower < b.upper && b.lower < a.upper; }

// An edge of a rounded terrain shape that continues beyond a groove while the moving shape lies on it or on its
// continuation, with a penetration of at most the slop: the rounding beside the groove is then not met. B2D_NONE: there
// is none.
static int32_t bridged_edge(const b2d_collide_context* context, const neighborhood* s, b2d_vec2 out) {
    const float slop = context->linear_slop;
    for (int32_t edge = 0; s->terrain_radius > 0.0f && s->moving.count > 1 && edge < s->terrain.edges; edge++) {
        b2d_vec2 normal = s->terrain.n[edge];
        if (is_edge_normal(&s->terrain, edge, out)) continue;
        float height = project(&s->moving, normal, s->terrain.v[edge]).lower - s->radius;
        if (height < -slop || height > s->reach) continue;
        interval span = project(&s->moving, b2d_left_perp(normal), s->terrain.v[edge]),
                 own = edge_interval(&s->terrain, edge), other;
        for (int32_t i = 0; i < s->count; i++) {
            if (!collinear_edge(&s->terrain, edge, &s->neighbors[i], slop, &other)) continue;
            if (b2d_max(own.lower, other.lower) > b2d_min(own.upper, other.upper) + slop + 2.0f * s->terrain_radius)
                continue;
            if (overlap(span, own) || overlap(span, other)) return edge;
        }
    }
    return B2D_NONE;
}

void b2d_internal_edges_correct(const b2d_collide_context* context, int32_t contact, float reach, b2d_transform b_in_a,
                                b2d_manifold* manifold) {
    if (manifold->count == 0) return;
    const float slop = context->linear_slop, resolved = -4.0f * slop, // metres; contacts at rest are no deeper
        landed = b2d_min(resolved, -context->landing_depth(context->world, contact)),
                nearer = b2d_min(manifold->separation[0], manifold->separation[manifold->count - 1]),
                least = b2d_min(nearer, 0.0f);
    if (least < landed) return; // it was put there, or is pressed in
    neighborhood s;
    if (!gather_neighbors(context, contact, b_in_a, &s)) return;
    s.reach = nearer > context->speculative_distance ? reach : context->speculative_distance;
    b2d_vec2 out = s.terrain_is_b ? b2d_neg(manifold->normal) : manifold->normal;
    edge_manifold found;
    int32_t edge = bridged_edge(context, &s, out);
    if (edge != B2D_NONE) {
        collide_edge(context, &s, edge, &found);
        manifold->count = 0;
        if (found.count > 0) store_manifold(manifold, &s, edge, &found);
        return;
    }
    if (!s.is_chain && is_hidden(&s, out, slop)) {
        const b2d_manifold deep = *manifold;
        if (!collide_best_edge(context, &s, b2d_min(landed, least + resolved), manifold) && least < resolved)
            *manifold = deep;
        return;
    }
    edge = nearest_edge(&s.terrain, out);
    interval whole;
    if (s.moving.count == 1 || !is_edge_normal(&s.terrain, edge, out) ||
        !extend_edge(&s.terrain, edge, s.neighbors, s.same_material, s.count, &s.moving, s.terrain_radius, slop,
                     &whole))
        return;
    collide_edge(context, &s, edge, &found);
    if (found.count > 0) store_manifold(manifold, &s, edge, &found);
}
