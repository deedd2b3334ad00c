// csrc/step/reserve.c - memory for a number of objects in advance.
//
// Idea: what has one row for each object grows to its final size at once. What cannot be known (lists of colours, the
// broad phase, islands, events, sensors) grows as ever, out of a stock of memory that is large enough for it and for
// the holes that outgrown arrays leave. The sizes of the stocks are those that the benchmark scenes need, with a
// margin.
// Threads: serial. Proof: tests/oracle/test_reserve.py.
#include "step/reserve.h"

#include "objects/body.h"
#include "objects/scratch.h"
#include "objects/shape.h"
#include "step/pairs.h"

enum { DIRECT_JOINTS = 256, DIRECT_SIZE = 4 }; // their number, and the KB of one of them

static bool reserve_bodies(b2d_world* world, int32_t bodies) {
    b2d_graph* graph = &world->graph;
    b2d_memory* memory = &world->memory;
    b2d_body_events* moves = &world->move_events;
    return b2d_id_pool_reserve(memory, &world->body_ids, bodies) && b2d_world_reserve_bodies(world, bodies) &&
           b2d_islands_reserve(graph, bodies, bodies) && b2d_bits_reserve(memory, &world->swept, bodies) &&
           B2D_GROW(memory, graph->merged, graph->merged_capacity, bodies) &&
           B2D_GROW(memory, moves->rows, moves->capacity, bodies);
}

static bool reserve_contacts(b2d_world* world, int32_t contacts) {
    b2d_graph* graph = &world->graph;
    b2d_memory* memory = &world->memory;
    b2d_contact_events* begins = &world->begin_events;
    if (!b2d_world_reserve_contacts(world, contacts) ||
        !b2d_color_reserve_contacts(graph, contacts - b2d_min_int(contacts, graph->touching)) ||
        !B2D_GROW(memory, begins->rows, begins->capacity, contacts))
        return false;
    if (world->options[B2D_OPTION_SLEEPING] == 0.0) return true;
    return b2d_id_pool_reserve(memory, &graph->rest_ids, contacts) &&
           B2D_GROW(memory, graph->rest, graph->rest_capacity, contacts);
}

static bool reserve_joints(b2d_world* world, int32_t joints) {
    b2d_graph* graph = &world->graph;
    b2d_memory* memory = &world->memory;
    return b2d_id_pool_reserve(memory, &graph->joint_ids, joints) &&
           B2D_GROW(memory, graph->joints, graph->joint_capacity, joints) &&
           B2D_GROW(memory, graph->joint_generations, graph->joint_generation_capacity, joints) &&
           b2d_bits_reserve(memory, &graph->overflow_joints, joints) &&
           b2d_color_reserve_joints(graph, joints - b2d_min_int(joints, graph->joint_ids.count));
}

// Bytes for the lists of the islands (links of 12 bytes in arrays of a power of two, twice while an array grows) and
// for extra blocks.
static int64_t pool_size(const b2d_object_counts* most) {
    return 48ll * most->bodies + 64ll * most->contacts + 48ll * most->joints;
}

// A joint that is solved directly needs far more memory than others, and a scene rarely has many of them.
static int64_t stock_size(const b2d_object_counts* most) {
    const int64_t direct = b2d_min_int(most->joints, DIRECT_JOINTS);
    return (24ll << 10) + 64ll * most->bodies + 256ll * most->shapes + 64ll * most->contacts + 64ll * most->joints +
           (DIRECT_SIZE << 10) * direct;
}

static int64_t arena_size(const b2d_object_counts* most, int32_t workers) {
    const int64_t machines = most->joints == 0 ? 0 : 48ll * most->bodies + 64ll * most->joints;
    return (16ll << 10) * workers + 76ll * most->bodies + 152ll * most->contacts + 120ll * most->joints + machines;
}

static bool reserve_scratch(b2d_world* world, const b2d_object_counts* most) {
    if (!b2d_lease_scratch(world)) return false;
    b2d_scratch* s = world->scratch;
    b2d_shared_records* records = &s->records;
    const int32_t listed = b2d_min_int(most->contacts, B2D_LAST_RECORD);
    const int64_t arena = arena_size(most, s->worker_count);
    bool done = b2d_arena_reserve(&s->arena, arena) && B2D_GROW(&s->memory, records->rows, records->capacity, listed);
    for (int32_t w = 0; done && w < s->worker_count; w++) {
        b2d_collide_worker* collide = &s->collide_workers[w];
        b2d_finalize_worker* finalize = &s->finalize_workers[w];
        b2d_key_list* list = &s->key_lists[w];
        b2d_bits* of_contacts[] = {&collide->begun, &collide->ended, &collide->parted};
        b2d_bits* of_bodies[] = {&finalize->awake_islands, &finalize->may_sleep, &finalize->fast, &finalize->invalid,
                                 &finalize->passing,       &finalize->renewed,   &finalize->near};
        for (size_t k = 0; done && k < sizeof of_contacts / sizeof *of_contacts; k++)
            done = b2d_bits_reserve(&s->memory, of_contacts[k], most->contacts);
        for (size_t k = 0; done && k < sizeof of_bodies / sizeof *of_bodies; k++)
            done = b2d_bits_reserve(&s->memory, of_bodies[k], most->bodies);
        done = done && b2d_bits_reserve(&s->memory, &finalize->moved, most->shapes) &&
               B2D_GROW(list->memory, list->keys, list->capacity, most->contacts) &&
               b2d_memory_stock(&s->worker_memory[w], (8ll << 10) + 32ll * most->bodies);
    }
    return done && b2d_bits_reserve(&s->memory, &s->finalize_workers[0].partners, most->bodies) &&
           b2d_memory_stock(&s->memory, 2 * arena);
}

bool b2d_world_reserve_objects(b2d_world* world, const b2d_object_counts* most) {
    b2d_memory* memory = &world->memory;
    if (most->bodies + most->shapes + most->contacts + most->joints == 0) return true;
    return reserve_bodies(world, most->bodies) && b2d_world_reserve_shapes(world, most->shapes) &&
           reserve_contacts(world, most->contacts) && reserve_joints(world, most->joints) &&
           b2d_pool_reserve(memory, &world->graph.pool, pool_size(most)) && reserve_scratch(world, most) &&
           b2d_memory_stock(memory, stock_size(most));
}

// Ids are always the lowest free ones.
b2d_object_counts b2d_world_most_objects(const b2d_world* world) {
    return (b2d_object_counts){world->body_ids.limit, world->shape_ids.limit, world->graph.contact_ids.limit,
                               world->graph.joint_ids.limit};
}
