// csrc/world/tile.c - terrain of many shapes: which contacts have neighbours, and what one hands to the next (narrowphase/tile.h).
//
// Terrain are sharp polygons, segments and chain segments on bodies that are not dynamic. A moving shape that meets more than one of them
// has all those contacts flagged B2D_PAIR_TILED; the flag may be there in vain, never be missing. Whether a shape is a tile cannot change
// while it has contacts: they are flagged B2D_PAIR_TILE when they are made, and come first in the lists of their bodies. When a shape
// slides off a tile, the impulses of that contact go on in the contact with the tile that now carries the same points.
// Threads: serial stages, but for b2d_world_tile_neighbors, which reads only.
#include "narrowphase/tile.h"
#include "world/world.h"

static bool is_tile(const b2d_world* world, int32_t shape) {
    const b2d_shape_hot* hot = &world->shapes_hot[shape];
    return hot->radius == 0.0f && hot->form != B2D_FORM_POINT && !b2d_moves(&world->graph, hot->body);
}

bool b2d_world_meets_tile(const b2d_world* world, const b2d_pair* pair) { return is_tile(world, pair->shape_a) || is_tile(world, pair->shape_b); }

// The tile at the far end of an edge of a moving body, if that contact with a tile is of this shape; else B2D_NONE.
static int32_t tile_of(const b2d_world* world, int32_t key, int32_t moving) {
    const b2d_pair* pair = &world->graph.pairs[key >> 1];
    int32_t here = key & 1 ? pair->shape_b : pair->shape_a, there = key & 1 ? pair->shape_a : pair->shape_b;
    return here == moving ? there : B2D_NONE;
}

// Of a contact with a tile.
static int32_t moving_of(const b2d_world* world, const b2d_pair* pair, bool* tile_is_b) {
    *tile_is_b = !b2d_moves(&world->graph, pair->body_b);
    return *tile_is_b ? pair->shape_a : pair->shape_b;
}

// The edges of a moving shape's body to tiles.
static int32_t tile_edge(const b2d_graph* graph, int32_t key) { return key != B2D_NONE && graph->pairs[key >> 1].flags & B2D_PAIR_TILE ? key : B2D_NONE; }
static int32_t first_edge(const b2d_world* world, int32_t shape) {
    return tile_edge(&world->graph, world->graph.bodies[world->shapes_hot[shape].body].contact_head);
}
static int32_t next_edge(const b2d_graph* graph, int32_t key) { return tile_edge(graph, graph->contacts[key >> 1].next[key & 1]); }

void b2d_world_mark_tiled(b2d_world* world, int32_t contact) {
    b2d_graph* graph = &world->graph;
    b2d_pair* pair = &graph->pairs[contact];
    bool tile_is_b;
    int32_t moving = moving_of(world, pair, &tile_is_b);
    for (int32_t key = first_edge(world, moving); key != B2D_NONE; key = next_edge(graph, key)) {
        if (key >> 1 == contact || tile_of(world, key, moving) == B2D_NONE) continue;
        graph->pairs[key >> 1].flags |= B2D_PAIR_TILED;
        b2d_contact_refresh(graph, key >> 1);
        pair->flags |= B2D_PAIR_TILED;
    }
}

void b2d_world_refresh_tiled(b2d_world* world, int32_t contact) {
    b2d_graph* graph = &world->graph;
    bool tile_is_b;
    int32_t moving = moving_of(world, &graph->pairs[contact], &tile_is_b);
    for (int32_t key = first_edge(world, moving); key != B2D_NONE; key = next_edge(graph, key))
        if (graph->pairs[key >> 1].flags & B2D_PAIR_TILED) b2d_contact_refresh(graph, key >> 1);
}

int32_t b2d_world_tile_neighbors(const void* context, int32_t contact, int32_t* shapes, bool* tile_is_b) {
    const b2d_world* world = context;
    const b2d_graph* graph = &world->graph;
    const b2d_pair* pair = &graph->pairs[contact];
    int32_t moving = moving_of(world, pair, tile_is_b), tile = *tile_is_b ? pair->shape_b : pair->shape_a, count = 0;
    int32_t body = world->shapes_hot[tile].body;
    for (int32_t key = first_edge(world, moving); key != B2D_NONE; key = next_edge(graph, key)) {
        int32_t other = tile_of(world, key, moving);
        if (other == B2D_NONE || other == tile) continue;
        if ((world->shapes[tile].flags ^ world->shapes[other].flags) & B2D_SHAPE_FLAG_ONE_WAY) continue; // may be passed
        int32_t its_body = world->shapes_hot[other].body;
        if (its_body != body && (graph->bodies[body].type != B2D_STATIC || graph->bodies[its_body].type != B2D_STATIC)) continue;
        int32_t at = count < B2D_TILE_NEIGHBORS ? count++ : B2D_TILE_NEIGHBORS;
        for (; at > 0 && shapes[at - 1] > other; at--)
            if (at < B2D_TILE_NEIGHBORS) shapes[at] = shapes[at - 1];
        if (at < B2D_TILE_NEIGHBORS) shapes[at] = other;
    }
    return count;
}

bool b2d_world_tiles_alike(const void* context, int32_t shape_a, int32_t shape_b) {
    const b2d_world* world = context;
    const b2d_shape_hot *a = &world->shapes_hot[shape_a], *b = &world->shapes_hot[shape_b];
    return a->friction == b->friction && a->restitution == b->restitution && a->rolling_resistance == b->rolling_resistance &&
           a->tangent_speed == b->tangent_speed && world->shapes[shape_a].material == world->shapes[shape_b].material;
}

// Where the impulses of a contact are: its lane, or the record of one that begins.
typedef struct impulses {
    float nx, ny;
    uint32_t feature;
    float *normal[2], *tangent[2];
} impulses;

static impulses find_impulses(b2d_world* world, int32_t contact) {
    const b2d_pair* pair = &world->graph.pairs[contact];
    if (pair->home == B2D_NONE) {
        b2d_contact_record* r = b2d_fresh_record(&world->records, world->collide_workers, pair->fresh);
        return (impulses){r->nx, r->ny, r->feature, {&r->point[0].normal_impulse, &r->point[1].normal_impulse}, {&r->point[0].tangent_impulse, &r->point[1].tangent_impulse}};
    }
    uint32_t block = (uint32_t)pair->home / B2D_LANES, lane = (uint32_t)pair->home % B2D_LANES;
    b2d_contact_block* b = &world->graph.blocks[block];
    return (impulses){b->nx[lane], b->ny[lane], world->graph.manifolds[block].feature[lane],
                      {&b->point[0].normal_impulse[lane], &b->point[1].normal_impulse[lane]}, {&b->point[0].tangent_impulse[lane], &b->point[1].tangent_impulse[lane]}};
}

static int32_t moving_vertex(uint32_t feature, int32_t point, bool tile_is_b) {
    uint32_t f = feature >> 16 * point & 0xffff;
    return f == 0xffff ? B2D_NONE : (int32_t)(tile_is_b ? f & 0xff : f >> 8);
}

void b2d_world_hand_over(b2d_world* world, int32_t contact, const b2d_bits* begun, const b2d_bits* ended) {
    const b2d_graph* graph = &world->graph;
    if (graph->pairs[contact].home == B2D_NONE) return;
    bool tile_is_b;
    int32_t moving = moving_of(world, &graph->pairs[contact], &tile_is_b), heir = B2D_NONE;
    impulses from = find_impulses(world, contact);
    for (int32_t key = first_edge(world, moving); key != B2D_NONE; key = next_edge(graph, key)) {
        int32_t id = key >> 1;
        if (id == contact || tile_of(world, key, moving) == B2D_NONE || b2d_bits_has(ended, id) || (graph->pairs[id].home == B2D_NONE && !b2d_bits_has(begun, id))) continue;
        impulses to = find_impulses(world, id);
        if (from.nx * to.nx + from.ny * to.ny > 0.9999f && (heir == B2D_NONE || id < heir)) heir = id;
    }
    if (heir == B2D_NONE) return;
    impulses to = find_impulses(world, heir);
    for (int32_t i = 0; i < 2; i++)
        for (int32_t j = 0; j < 2; j++) {
            int32_t vertex = moving_vertex(from.feature, i, tile_is_b);
            if (vertex == B2D_NONE || vertex != moving_vertex(to.feature, j, tile_is_b)) continue;
            *to.normal[j] += *from.normal[i];
            *to.tangent[j] += *from.tangent[i];
            break;
        }
}
