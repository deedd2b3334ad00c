// csrc/objects/terrain.c - terrain of many shapes: finds the contacts that have neighbours, and transfers impulses
// between them (narrowphase/internal_edge.h).
//
// A terrain shape is any shape except a circle on a body that is not dynamic, or on a dynamic body of several shapes
// that is at least twice as large as the other body. If a moving shape touches more than one terrain shape, all these
// contacts are flagged B2D_PAIR_INTERNAL_EDGES; the flag may be set without need, but it is never missing. Contacts
// with terrain are flagged B2D_PAIR_TERRAIN when they are created or when a body grows or shrinks, and they come first
// in the lists of their bodies. When a shape slides off one terrain shape, the impulses of that contact are added to
// the contact with the terrain shape that now carries the same points.
// Threads: as the header says. To mark and to refresh contacts leaves the same in any order.
#include "objects/terrain.h"

#include "narrowphase/internal_edge.h"
#include "objects/body.h"
#include "objects/scratch.h"

// Ratio of the extents: a compound body this much larger than a body on it is terrain for it
enum { TERRAIN_RATIO = 2 };

static bool is_large_compound(const b2d_body* body, const b2d_body* other) {
    return body->shape_count > 1 && body->extent >= (float)TERRAIN_RATIO * other->extent;
}

// The side of a pair that is terrain for the other: a body that is not dynamic, or a much larger compound body.
// B2D_NONE if neither is.
static int32_t terrain_side(const b2d_world* world, const b2d_pair* pair) {
    const b2d_body *a = &world->graph.bodies[pair->body_a], *b = &world->graph.bodies[pair->body_b];
    return b->type != B2D_DYNAMIC    ? 1
           : a->type != B2D_DYNAMIC  ? 0
           : is_large_compound(a, b) ? 0
           : is_large_compound(b, a) ? 1
                                     : B2D_NONE;
}

bool b2d_world_meets_terrain(const b2d_world* world, const b2d_pair* pair) {
    int32_t side = terrain_side(world, pair);
    return side != B2D_NONE && world->shapes_hot[side == 0 ? pair->shape_a : pair->shape_b].form != B2D_FORM_POINT;
}

// Only terrain shapes of the same radius can continue each other: their cores are adjacent, and the radius is treated
// as part of the moving shape.
static bool may_continue(const b2d_world* world, int32_t terrain, int32_t other) {
    return other != B2D_NONE && other != terrain &&
           b2d_abs(world->shapes_hot[terrain].radius - world->shapes_hot[other].radius) <=
               0.1f * b2d_linear_slop(world);
}

// Whether two shapes of a body share a corner. Without this test a container would be terrain for all bodies in it,
// although its walls hide no edges of each other.
static bool share_corner(const b2d_world* world, int32_t shape_a, int32_t shape_b) {
    const b2d_shape_hot *a = &world->shapes_hot[shape_a], *b = &world->shapes_hot[shape_b];
    b2d_proxy pa = b2d_shape_proxy(a, b2d_world_second(world, a)), pb = b2d_shape_proxy(b, b2d_world_second(world, b));
    for (int32_t i = 0; i < pa.count; i++)
        for (int32_t j = 0; j < pb.count; j++)
            if (b2d_length(b2d_sub(pa.points[i], pb.points[j])) <= b2d_linear_slop(world)) return true;
    return false;
}

// The terrain shape of a contact in the list of a moving body, if it is a contact of the shape `moving`; otherwise
// B2D_NONE.
static int32_t terrain_of(const b2d_world* world, int32_t key, int32_t moving) {
    const b2d_pair* pair = &world->graph.pairs[key >> 1];
    int32_t here = key & 1 ? pair->shape_b : pair->shape_a, there = key & 1 ? pair->shape_a : pair->shape_b;
    return here == moving && terrain_side(world, pair) == (key & 1 ? 0 : 1) ? there : B2D_NONE;
}

// The moving shape of a contact with terrain.
static int32_t moving_shape_of(const b2d_world* world, const b2d_pair* pair, bool* terrain_is_b) {
    *terrain_is_b = terrain_side(world, pair) == 1;
    return *terrain_is_b ? pair->shape_a : pair->shape_b;
}

// Iterates over the contacts with terrain of a moving body, which come first in its list. In the narrow phase another
// worker may write another flag of such a contact (one_way.c).
static int32_t terrain_link(const b2d_graph* graph, int32_t key) {
    if (key == B2D_NONE) return B2D_NONE;
    return __atomic_load_n(&graph->pairs[key >> 1].flags, __ATOMIC_RELAXED) & B2D_PAIR_TERRAIN ? key : B2D_NONE;
}
static int32_t first_terrain_link(const b2d_world* world, int32_t shape) {
    return terrain_link(&world->graph, world->graph.bodies[world->shapes_hot[shape].body].contact_head);
}
static int32_t next_terrain_link(const b2d_graph* graph, int32_t key) {
    return terrain_link(graph, graph->contacts[key >> 1].next[key & 1]);
}

static void mark(b2d_graph* graph, int32_t contact) {
    (void)__atomic_fetch_or(&graph->pairs[contact].flags, B2D_PAIR_INTERNAL_EDGES, __ATOMIC_RELAXED);
}

void b2d_world_mark_internal_edges(b2d_world* world, int32_t contact) {
    b2d_graph* graph = &world->graph;
    const b2d_pair* pair = &graph->pairs[contact];
    bool terrain_is_b;
    int32_t moving = moving_shape_of(world, pair, &terrain_is_b),
            terrain = terrain_is_b ? pair->shape_b : pair->shape_a;
    for (int32_t key = first_terrain_link(world, moving); key != B2D_NONE; key = next_terrain_link(graph, key)) {
        int32_t other = terrain_of(world, key, moving);
        if (!may_continue(world, terrain, other) ||
            (b2d_moves(graph, world->shapes_hot[terrain].body) && !share_corner(world, terrain, other)))
            continue;
        mark(graph, key >> 1);
        b2d_contact_refresh(graph, key >> 1);
        mark(graph, contact);
    }
}

// Updates the flags of contacts after the extent of a dynamic body changed: it may have become terrain or have stopped
// being terrain.
void b2d_world_update_terrain(b2d_world* world, int32_t body) {
    b2d_graph* graph = &world->graph;
    for (int32_t id = graph->bodies[body].contact_head, next; id != B2D_NONE; id = next) {
        // The contact may move to the other end of the list, where it is tested again
        next = graph->contacts[id >> 1].next[id & 1];
        b2d_pair* pair = &graph->pairs[id >> 1];
        if (((pair->flags & B2D_PAIR_TERRAIN) != 0) != b2d_world_meets_terrain(world, pair)) {
            b2d_contact_set_terrain(graph, id >> 1);
            b2d_contact_refresh(graph, id >> 1);
        }
        if (pair->flags & B2D_PAIR_TERRAIN) b2d_world_mark_internal_edges(world, id >> 1);
    }
}

void b2d_world_refresh_internal_edges(b2d_world* world, int32_t contact) {
    b2d_graph* graph = &world->graph;
    bool terrain_is_b;
    b2d_world_settle_mass(world, graph->pairs[contact].body_a); // extents decide which side is terrain
    b2d_world_settle_mass(world, graph->pairs[contact].body_b);
    int32_t moving = moving_shape_of(world, &graph->pairs[contact], &terrain_is_b);
    for (int32_t key = first_terrain_link(world, moving); key != B2D_NONE; key = next_terrain_link(graph, key))
        if (graph->pairs[key >> 1].flags & B2D_PAIR_INTERNAL_EDGES) b2d_contact_refresh(graph, key >> 1);
}

// The distance between the boxes of two shapes, along the axis on which it is greater.
static float box_gap(const b2d_world* world, int32_t a, int32_t b) {
    const b2d_proxies* p = &world->proxies;
    float x = b2d_max(p->fat_min_x[a] - p->fat_max_x[b], p->fat_min_x[b] - p->fat_max_x[a]),
          y = b2d_max(p->fat_min_y[a] - p->fat_max_y[b], p->fat_min_y[b] - p->fat_max_y[a]);
    return b2d_max(b2d_max(x, y), 0.0f);
}

// Of very many neighbours it lists the nearest; the list is in ascending order of ids.
int32_t b2d_world_terrain_neighbors(const void* context, int32_t contact, int32_t* shapes, bool* terrain_is_b) {
    const b2d_world* world = context;
    const b2d_graph* graph = &world->graph;
    const b2d_pair* pair = &graph->pairs[contact];
    if ((pair->flags & B2D_PAIR_TERRAIN) == 0) return 0; // not terrain any more
    int32_t moving = moving_shape_of(world, pair, terrain_is_b),
            terrain = *terrain_is_b ? pair->shape_b : pair->shape_a, count = 0;
    int32_t body = world->shapes_hot[terrain].body;
    float gaps[B2D_INTERNAL_EDGE_NEIGHBORS];
    for (int32_t key = first_terrain_link(world, moving); key != B2D_NONE; key = next_terrain_link(graph, key)) {
        int32_t other = terrain_of(world, key, moving);
        if (!may_continue(world, terrain, other)) continue;
        // A one-way shape may be passed through, so it does not continue a solid one
        if ((world->shapes[terrain].flags ^ world->shapes[other].flags) & B2D_SHAPE_FLAG_ONE_WAY) continue;
        int32_t other_body = world->shapes_hot[other].body;
        if (other_body != body &&
            (graph->bodies[body].type != B2D_STATIC || graph->bodies[other_body].type != B2D_STATIC))
            continue;
        const float gap = box_gap(world, terrain, other);
        int32_t at = count < B2D_INTERNAL_EDGE_NEIGHBORS ? count++ : B2D_INTERNAL_EDGE_NEIGHBORS;
        for (; at > 0 && (gaps[at - 1] > gap || (gaps[at - 1] == gap && shapes[at - 1] > other)); at--)
            if (at < B2D_INTERNAL_EDGE_NEIGHBORS) shapes[at] = shapes[at - 1], gaps[at] = gaps[at - 1];
        if (at < B2D_INTERNAL_EDGE_NEIGHBORS) shapes[at] = other, gaps[at] = gap;
    }
    for (int32_t k = 1; k < count; k++) {
        const int32_t shape = shapes[k];
        int32_t at = k;
        for (; at > 0 && shapes[at - 1] > shape; at--) shapes[at] = shapes[at - 1];
        shapes[at] = shape;
    }
    return count;
}

// A body that moves farther in a step is swept (b2d_travel).
float b2d_world_landing_depth(const void* context, int32_t contact) {
    const b2d_world* world = context;
    const int32_t body = b2d_world_body_on_terrain(world, contact);
    return world->masses[body].safety_factor * world->graph.bodies[body].min_extent;
}

bool b2d_world_same_terrain_material(const void* context, int32_t shape_a, int32_t shape_b) {
    const b2d_world* world = context;
    const b2d_shape_hot *a = &world->shapes_hot[shape_a], *b = &world->shapes_hot[shape_b];
    return a->friction == b->friction && a->restitution == b->restitution &&
           a->rolling_resistance == b->rolling_resistance && a->tangent_speed == b->tangent_speed &&
           world->shapes[shape_a].material == world->shapes[shape_b].material;
}

// Pointers to the impulses of a contact: in its lane, or in the record of a contact that begins.
typedef struct impulses {
    float nx, ny;
    uint32_t feature;
    float *normal[2], *tangent[2];
} impulses;

static impulses find_impulses(b2d_world* world, int32_t contact) {
    const b2d_pair* pair = &world->graph.pairs[contact];
    if (pair->lane_index == B2D_NONE) {
        b2d_contact_record* r = b2d_begun_record(&world->scratch->records, world->scratch->collide_workers,
                                                 pair->record);
        return (impulses){r->nx,
                          r->ny,
                          r->feature,
                          {&r->point[0].normal_impulse, &r->point[1].normal_impulse},
                          {&r->point[0].tangent_impulse, &r->point[1].tangent_impulse}};
    }
    uint32_t block = (uint32_t)pair->lane_index / B2D_LANES, lane = (uint32_t)pair->lane_index % B2D_LANES;
    b2d_contact_block* b = &world->graph.blocks[block];
    return (impulses){b->nx[lane],
                      b->ny[lane],
                      world->graph.manifolds[block].feature[lane],
                      {&b->point[0].normal_impulse[lane], &b->point[1].normal_impulse[lane]},
                      {&b->point[0].tangent_impulse[lane], &b->point[1].tangent_impulse[lane]}};
}

int32_t b2d_world_body_on_terrain(const b2d_world* world, int32_t contact) {
    const b2d_pair* pair = &world->graph.pairs[contact];
    return terrain_side(world, pair) == 1 ? pair->body_a : pair->body_b;
}

static int32_t moving_vertex(uint32_t feature, int32_t point, bool terrain_is_b) {
    uint32_t f = feature >> 16 * point & 0xffff;
    return f == 0xffff ? B2D_NONE : (int32_t)(terrain_is_b ? f & 0xff : f >> 8);
}

void b2d_world_transfer_impulses(b2d_world* world, int32_t contact, const b2d_bits* begun, const b2d_bits* ended) {
    const b2d_graph* graph = &world->graph;
    const b2d_pair* pair = &graph->pairs[contact];
    if (pair->lane_index == B2D_NONE || (pair->flags & B2D_PAIR_TERRAIN) == 0) return;
    bool terrain_is_b;
    int32_t moving = moving_shape_of(world, pair, &terrain_is_b), body = terrain_is_b ? pair->body_b : pair->body_a,
            successor = B2D_NONE;
    impulses from = find_impulses(world, contact);
    for (int32_t key = first_terrain_link(world, moving); key != B2D_NONE; key = next_terrain_link(graph, key)) {
        int32_t id = key >> 1, terrain = terrain_of(world, key, moving);
        if (id == contact || terrain == B2D_NONE || b2d_bits_has(ended, id) ||
            (graph->pairs[id].lane_index == B2D_NONE && !b2d_bits_has(begun, id)))
            continue;
        int32_t other_body = world->shapes_hot[terrain].body;
        if (other_body != body && (b2d_moves(graph, body) || b2d_moves(graph, other_body))) continue;
        impulses to = find_impulses(world, id);
        if (from.nx * to.nx + from.ny * to.ny > 0.9999f && (successor == B2D_NONE || id < successor)) successor = id;
    }
    if (successor == B2D_NONE) return;
    impulses to = find_impulses(world, successor);
    for (int32_t i = 0; i < 2; i++)
        for (int32_t j = 0; j < 2; j++) {
            int32_t vertex = moving_vertex(from.feature, i, terrain_is_b);
            if (vertex == B2D_NONE || vertex != moving_vertex(to.feature, j, terrain_is_b)) continue;
            *to.normal[j] += *from.normal[i];
            *to.tangent[j] += *from.tangent[i];
            break;
        }
}
