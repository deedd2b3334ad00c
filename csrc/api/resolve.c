// csrc/api/resolve.c - world.resolve_overlaps(): moves bodies out of what they overlap, without giving them velocities.
//
// Idea: pairs of shapes are pushed apart one after the other, along the face through which the way out is shortest, by
// translations alone. Bodies that joints connect move together, so no joint is torn. A face of a shape that does not
// move is no way out where another such shape lies in front of it: a floor of tiles pushes up, not sideways into the
// next tile. Pairs whose shortest way is blocked so wait until the others have been pushed apart.
// Threads: a writer, serial: bodies, shapes and partners in ascending order of ids. Proof: tests/api/test_resolve.py.
#include "api/entry.h"
#include "api/query.h"
#include "base/radix_sort.h"
#include "objects/body.h"
#include "objects/contact.h"
#include "objects/proxy.h"

#include <string.h>

typedef struct group { // bodies connected by joints, by the id of one of them
    double x, y;       // translation that is not yet applied, m
    double mass;       // kg
    bool fixed;        // also connected to a body that is not dynamic
    uint16_t locks;    // B2D_BODY_FLAG_LOCK_X and B2D_BODY_FLAG_LOCK_Y of any body
} group;

typedef struct resolver {
    b2d_world* world;
    b2d_memory memory;
    int32_t* parents; // by body id: union-find over joints
    group* groups;    // by body id; used at roots
    b2d_key_list near;
    uint64_t* keys; // of `near`, ascending
    int32_t body_count;
    double slop;
    double deepest; // of this sweep, m
    bool moves;     // false: the sweep only measures
} resolver;

typedef struct placed { // a shape in world axes, relative to the origin of the sweep's shape
    const b2d_shape_hot* hot;
    b2d_point64 points[8], normals[8], center;
    double radius;
    bool still; // does not move
} placed;

typedef struct way_out {
    b2d_point64 normal; // from the first shape to the second
    double depth;       // m, not positive: no overlap
    bool blocked;       // a shorter way is blocked
} way_out;

static int32_t root_of(const resolver* r, int32_t body) {
    while (r->parents[body] != body) body = r->parents[body];
    return body;
}

static double weight(const group* g, bool y) {
    if (g->fixed || g->mass <= 0.0 || g->locks & (y ? B2D_BODY_FLAG_LOCK_Y : B2D_BODY_FLAG_LOCK_X)) return 0.0;
    return 1.0 / g->mass;
}

static bool can_move(const resolver* r, int32_t body) {
    if (!b2d_moves(&r->world->graph, body)) return false;
    const group* g = &r->groups[root_of(r, body)];
    return weight(g, false) > 0.0 || weight(g, true) > 0.0;
}

static void make_groups(resolver* r) {
    const b2d_graph* graph = &r->world->graph;
    for (int32_t body = 0; body < r->body_count; body++) r->parents[body] = body;
    for (int32_t pass = 0; pass < 2; pass++) // first the unions, then what they are fixed to
        for (int32_t id = b2d_id_pool_next(&graph->joint_ids, 0); id != B2D_NONE;
             id = b2d_id_pool_next(&graph->joint_ids, id + 1)) {
            const b2d_joint* joint = &graph->joints[id];
            if (!b2d_joint_acts(graph, joint)) continue;
            const int32_t a = joint->body[0], b = joint->body[1];
            if (b2d_moves(graph, a) && b2d_moves(graph, b)) {
                const int32_t from = root_of(r, a), to = root_of(r, b);
                r->parents[b2d_max_int(from, to)] = b2d_min_int(from, to);
            } else if (pass == 1) {
                r->groups[root_of(r, b2d_moves(graph, a) ? a : b)].fixed = true;
            }
        }
    for (int32_t body = b2d_id_pool_next(&r->world->body_ids, 0); body != B2D_NONE;
         body = b2d_id_pool_next(&r->world->body_ids, body + 1)) {
        if (!b2d_moves(graph, body)) continue;
        group* g = &r->groups[root_of(r, body)];
        g->mass += (double)r->world->masses[body].mass;
        g->locks |= (uint16_t)(graph->bodies[body].flags & (B2D_BODY_FLAG_LOCK_X | B2D_BODY_FLAG_LOCK_Y));
    }
}

static placed place(const resolver* r, int32_t shape, const b2d_pose* origin) {
    const b2d_world* world = r->world;
    const b2d_shape_hot* hot = &world->shapes_hot[shape];
    const b2d_hull4* second = b2d_world_second(world, hot);
    const b2d_pose* pose = (const b2d_pose*)world->poses.data + hot->body;
    const b2d_proxy proxy = b2d_shape_proxy(hot, second);
    const double c = pose->c, s = pose->s;
    double x = pose->x - origin->x, y = pose->y - origin->y;
    placed p = {.hot = hot, .radius = (double)hot->radius, .still = !can_move(r, hot->body)};
    if (b2d_moves(&world->graph, hot->body)) {
        const group* g = &r->groups[root_of(r, hot->body)];
        x += g->x, y += g->y;
    }
    b2d_place_points(&proxy, x, y, (b2d_rot){pose->c, pose->s}, p.points);
    for (int32_t k = 0; k < hot->count; k++) {
        const b2d_hull4* hull = k < 4 ? &hot->hull : second;
        const double nx = hull->nx[k & 3], ny = hull->ny[k & 3];
        p.normals[k] = (b2d_point64){c * nx - s * ny, s * nx + c * ny};
    }
    p.center = (b2d_point64){x + (c * hot->center_x - s * hot->center_y), y + (s * hot->center_x + c * hot->center_y)};
    return p;
}

// Whether another still shape covers the face at the point that is nearest to the other side's centre.
static bool is_blocked(const resolver* r, const placed* owner, int32_t face, b2d_point64 center,
                       const b2d_pose* origin) {
    const b2d_point64 n = owner->normals[face], a = owner->points[face],
                      b = owner->points[face + 1 < owner->hot->count ? face + 1 : 0];
    const double ex = b.x - a.x, ey = b.y - a.y, squared = ex * ex + ey * ey;
    double t = ((center.x - a.x) * ex + (center.y - a.y) * ey) / squared;
    t = t < 0.0 ? 0.0 : t > 1.0 ? 1.0 : t;
    const double out = owner->radius + 2.0 * r->slop;
    const b2d_point64 at = {a.x + t * ex + out * n.x, a.y + t * ey + out * n.y};
    for (int32_t k = 0; k < r->near.count; k++) {
        const placed other = place(r, (int32_t)r->keys[k], origin);
        if (!other.still || other.hot == owner->hot || other.hot->count < 3) continue;
        if (b2d_gjk_solve(other.points, other.hot->count, &at, 1).distance <= other.radius) return true;
    }
    return false;
}

// The face of a shape that looks most in a direction.
static int32_t facing(const placed* p, double x, double y) {
    int32_t best = 0;
    for (int32_t k = 1; k < p->hot->count; k++)
        if (p->normals[k].x * x + p->normals[k].y * y > p->normals[best].x * x + p->normals[best].y * y) best = k;
    return best;
}

// The shortest way by which `b` leaves `a` through a face of `owner`, which is one of them.
static void try_faces(const resolver* r, const placed* owner, const placed* other, double sign, const b2d_pose* origin,
                      way_out* way, double* shortest) {
    const int32_t faces = owner->hot->form == B2D_FORM_CHAIN ? 1 : owner->hot->count < 2 ? 0 : owner->hot->count;
    for (int32_t k = 0; k < faces; k++) {
        const b2d_point64 n = owner->normals[k];
        double least = INFINITY;
        for (int32_t i = 0; i < other->hot->count; i++) {
            const double x = other->points[i].x - owner->points[k].x, y = other->points[i].y - owner->points[k].y;
            const double height = n.x * x + n.y * y;
            least = height < least ? height : least;
        }
        const double depth = owner->radius + other->radius - least;
        if (depth >= way->depth) continue;
        const bool out_of_owner = owner->still && owner->hot->count > 2;
        const bool out_of_other = !owner->still && other->still && other->hot->count > 2;
        if ((out_of_owner && is_blocked(r, owner, k, other->center, origin)) ||
            (out_of_other && is_blocked(r, other, facing(other, -n.x, -n.y), owner->center, origin))) {
            *shortest = depth < *shortest ? depth : *shortest;
            continue;
        }
        way->depth = depth;
        way->normal = (b2d_point64){sign * n.x, sign * n.y};
    }
}

static way_out find_way(const resolver* r, const placed* a, const placed* b, const b2d_pose* origin) {
    const b2d_gjk g = b2d_gjk_solve(a->points, a->hot->count, b->points, b->hot->count);
    way_out way = {g.normal, a->radius + b->radius - g.distance, false};
    const placed* chain = a->hot->form == B2D_FORM_CHAIN ? a : b->hot->form == B2D_FORM_CHAIN ? b : NULL;
    if (way.depth < 0.0) return way;
    if (g.distance > 0.0) { // a chain segment does not touch what is behind it
        const b2d_point64 front = chain == NULL ? g.normal : chain->normals[0];
        const double facing = front.x * g.normal.x + front.y * g.normal.y;
        if (chain != NULL && (chain == a ? facing : -facing) <= 0.0) way.depth = 0.0;
        return way;
    }
    double shortest = INFINITY;
    way.depth = INFINITY;
    if (chain != b) try_faces(r, a, b, 1.0, origin, &way, &shortest);
    if (chain != a) try_faces(r, b, a, -1.0, origin, &way, &shortest);
    way.blocked = shortest < way.depth;
    if (way.depth == INFINITY && way.blocked) way.depth = shortest, way.normal = (b2d_point64){0.0, 0.0}; // stuck
    else if (way.depth == INFINITY) // two points at one place
        way.depth = a->radius + b->radius, way.normal = (b2d_point64){0.0, b->still ? -1.0 : 1.0};
    return way;
}

static void push_apart(resolver* r, int32_t body_a, int32_t body_b, const way_out* way) {
    const int32_t bodies[2] = {body_a, body_b};
    const b2d_point64 n = way->normal;
    double give = 0.0;
    for (int32_t side = 0; side < 2; side++) {
        if (!b2d_moves(&r->world->graph, bodies[side])) continue;
        const group* g = &r->groups[root_of(r, bodies[side])];
        give += n.x * n.x * weight(g, false) + n.y * n.y * weight(g, true);
    }
    if (give * way->depth <= 0.0) return;
    const double push = way->depth / give;
    for (int32_t side = 0; side < 2; side++) {
        if (!b2d_moves(&r->world->graph, bodies[side])) continue;
        group* g = &r->groups[root_of(r, bodies[side])];
        const double sign = side == 0 ? -push : push;
        g->x += sign * n.x * weight(g, false);
        g->y += sign * n.y * weight(g, true);
    }
}

static bool add_near(void* context, int32_t shape) {
    resolver* r = context;
    b2d_key_list_push(&r->near, (uint64_t)(uint32_t)shape);
    return !r->near.failed;
}

// Whether the pair collides, and this side of it is the one that handles it.
static bool handles(const resolver* r, int32_t shape, int32_t other) {
    const b2d_world* world = r->world;
    const int32_t body = world->shapes_hot[shape].body, partner = world->shapes_hot[other].body;
    if (b2d_moves(&world->graph, partner) && b2d_is_awake(&world->graph, partner) && other < shape) return false;
    if (!b2d_world_pair_allowed(world, shape, other)) return false;
    const uint64_t key = b2d_pair_key(shape, other);
    const int32_t contact = b2d_pair_set_find(&world->graph.pair_set, key);
    const bool one_way = ((world->shapes[shape].flags | world->shapes[other].flags) & B2D_SHAPE_FLAG_ONE_WAY) != 0;
    if (one_way && (contact == B2D_NONE || !(world->graph.pairs[contact].flags & B2D_PAIR_TOUCHING))) return false;
    if (b2d_world_has_call(world, B2D_CALL_FILTER) && b2d_world_is_refused(world, key)) return false;
    if (b2d_moves(&world->graph, partner) && root_of(r, partner) == root_of(r, body)) return false;
    return can_move(r, body) || can_move(r, partner);
}

static bool sweep_shape(resolver* r, int32_t shape) {
    b2d_world* world = r->world;
    const int32_t body = world->shapes_hot[shape].body;
    const b2d_pose origin = *((const b2d_pose*)world->poses.data + body);
    const group* g = &r->groups[root_of(r, body)];
    b2d_pose now = origin;
    now.x += g->x, now.y += g->y;
    const b2d_shape_hot* hot = &world->shapes_hot[shape];
    // Faces are looked for as far away as the shape is long
    const b2d_box box = b2d_box_grow(b2d_shape_box(hot, b2d_world_second(world, hot), &now), 2.0f * hot->extent);
    r->near.count = 0;
    b2d_query_box(world, box.min_x, box.min_y, box.max_x, box.max_y, add_near, r);
    if (r->near.failed) return false;
    uint64_t* scratch = b2d_allocate(&r->memory, 2 * (size_t)(r->near.count + 1) * sizeof *scratch);
    if (scratch == NULL) return false;
    r->keys = scratch;
    if (r->near.count > 0) {
        memcpy(r->keys, r->near.keys, (size_t)r->near.count * sizeof *r->keys);
        b2d_radix_sort(r->keys, r->keys + r->near.count, r->near.count);
    }
    for (int32_t blocked = 0; blocked < 2; blocked++)
        for (int32_t k = 0; k < r->near.count; k++) {
            const int32_t other = (int32_t)r->keys[k];
            if (other == shape || !handles(r, shape, other)) continue;
            const placed a = place(r, shape, &origin), b = place(r, other, &origin);
            const way_out way = find_way(r, &a, &b, &origin);
            if (way.blocked != (blocked == 1)) continue;
            r->deepest = way.depth > r->deepest ? way.depth : r->deepest;
            if (r->moves && way.depth > r->slop) push_apart(r, body, world->shapes_hot[other].body, &way);
        }
    b2d_free(&r->memory, scratch, 2 * (size_t)(r->near.count + 1) * sizeof *scratch);
    return true;
}

static bool sweep_awake(resolver* r) {
    const b2d_graph* graph = &r->world->graph;
    r->deepest = 0.0;
    B2D_FOR_BITS (&graph->awake, body)
        for (int32_t shape = b2d_moves(graph, body) ? graph->bodies[body].shape_head : B2D_NONE; shape != B2D_NONE;
             shape = r->world->shapes[shape].next)
            if (!sweep_shape(r, shape)) return false;
    return true;
}

static bool apply(resolver* r) {
    b2d_world* world = r->world;
    for (int32_t body = b2d_id_pool_next(&world->body_ids, 0); body != B2D_NONE;
         body = b2d_id_pool_next(&world->body_ids, body + 1)) {
        if (!b2d_moves(&world->graph, body)) continue;
        const group* g = &r->groups[root_of(r, body)];
        const b2d_pose* pose = b2d_world_pose(world, body);
        if (g->x != 0.0 || g->y != 0.0)
            b2d_world_place_body(world, body, pose->x + g->x, pose->y + g->y, (b2d_rot){pose->c, pose->s});
    }
    for (int32_t body = 0; body < r->body_count; body++) r->groups[body].x = r->groups[body].y = 0.0;
    return b2d_world_update_broadphase(world);
}

static bool resolve(resolver* r, int32_t iterations) {
    r->parents = b2d_allocate(&r->memory, (size_t)r->body_count * sizeof *r->parents);
    r->groups = b2d_allocate(&r->memory, (size_t)r->body_count * sizeof *r->groups);
    if (r->parents == NULL || r->groups == NULL) return false;
    memset(r->groups, 0, (size_t)r->body_count * sizeof *r->groups);
    make_groups(r);
    for (int32_t k = 0; k <= iterations; k++) { // the last sweep measures what is left
        r->moves = k < iterations;
        if (!b2d_world_update_broadphase(r->world) || !sweep_awake(r)) return false;
        if (!(r->deepest > r->slop)) break;
        if (r->moves && !apply(r)) return false;
    }
    return true;
}

b2d_status b2d_world_resolve_overlaps(b2d_world* world, int32_t iterations, double* deepest) {
    B2D_TRY(b2d_check_range(iterations, 0, 1.0e6, B2D_ARG_ITERATIONS));
    B2D_TRY(b2d_open_write(world));
    resolver r = {.world = world,
                  .memory = {.fail_after = -1},
                  .body_count = world->body_ids.limit,
                  .slop = (double)b2d_linear_slop(world)};
    r.near.memory = &r.memory;
    const bool done = r.body_count == 0 || resolve(&r, iterations);
    *deepest = r.deepest;
    b2d_free(&r.memory, r.near.keys, (size_t)r.near.capacity * sizeof *r.near.keys);
    b2d_free(&r.memory, r.parents, (size_t)r.body_count * sizeof *r.parents);
    b2d_free(&r.memory, r.groups, (size_t)r.body_count * sizeof *r.groups);
    const b2d_status status = done ? B2D_OK : b2d_error(B2D_NO_MEMORY, B2D_ARG_NONE);
    B2D_LOG(world, status, B2D_LOGGED_RESOLVE_OVERLAPS, iterations);
    return b2d_close_write(world, status);
}
