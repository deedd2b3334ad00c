// csrc/state/copy.c - copies the state of a world, table by table, in two passes.
//
// Idea: a saved state is a world without workers and broad phase, so that saving, restoring and cloning are one
// operation. The first pass reserves all memory in the target and changes nothing else; only it can fail. The second
// pass copies the rows in use. Rows beyond them become zero, as they are in a world that never used them. Members with
// pointers (lists of colours, islands, extra blocks) are copied by functions of their own. All shapes are reported to
// the broad phase as changed; its next update rebuilds what it must, and no result depends on its history. Generations
// of the target never decrease, so no handle of an object that the state lacks can become valid.
// Cost: about the bytes in use, at the speed of memory.
// Proof: tests/oracle/test_state.py, tests/lint/test_tables.py.
#include "state/copy.h"

#include "objects/proxy.h"

#include <string.h>

_Static_assert(B2D_LANES == 16, "the list of tables has this number");

enum { OWN, SCRATCH, REBUILT, STATE };

static int32_t least(int32_t rows, int32_t capacity) { return rows < capacity ? rows : capacity; }
static int64_t rounded(int64_t size) { return (size + B2D_ALIGNMENT - 1) & ~(int64_t)(B2D_ALIGNMENT - 1); }

// ---- sizes

static int64_t list_bytes(const b2d_color_list* lists, int32_t count) {
    int64_t bytes = 0;
    for (int32_t k = 0; k < count; k++)
        if (lists[k].count > 0) bytes += rounded((int64_t)b2d_color_list_blocks(&lists[k]) * 4);
    return bytes;
}

int64_t b2d_state_size(const b2d_world* world) {
    int64_t bytes = 0;
#define B2D_ARRAY(array, capacity, rows, kind, layout) \
    if (kind == STATE) bytes += rounded((int64_t)least(world->rows, world->capacity) * (int64_t)sizeof *world->array);
#define B2D_SHARED(table, rows, kind, layout) // never preallocated: a view may outlive the world
#define B2D_IDS(pool, kind)                   bytes += rounded(8ll * (world->pool.word_count + world->pool.full_count));
#define B2D_BITS(bits, kind, ids) \
    bytes += rounded(8ll * (world->bits.word_count + world->bits.summary_count + world->bits.top_count));
#define B2D_PAIR_SET(set, kind) bytes += rounded(8ll * world->set.capacity) + rounded(4ll * world->set.capacity);
#define B2D_VALUE(member, kind, layout)
#define B2D_PART(member, kind)
#include "state/tables.def"
    const b2d_graph* graph = &world->graph;
    bytes += rounded((int64_t)graph->cluster_count * (int64_t)sizeof *graph->clusters);
    for (int32_t cluster = 0; cluster < graph->cluster_count; cluster++)
        if (graph->cluster_blocks[cluster] > 0)
            bytes += list_bytes(&graph->clusters[cluster].joints[0][0], B2D_CLUSTER_LISTS);
    bytes += list_bytes(graph->overflow_contact_list, 2) + list_bytes(graph->overflow_joint_list, 2);
    return bytes + b2d_pool_room(graph->pool.live);
}

// ---- the first pass: room

static bool reserve_lists(b2d_memory* memory, b2d_color_list* to, const b2d_color_list* from, int32_t count) {
    for (int32_t k = 0; k < count; k++)
        if (from[k].count > 0 && !b2d_fit(memory, (void**)&to[k].blocks, &to[k].block_capacity,
                                          b2d_color_list_blocks(&from[k]), sizeof *to->blocks))
            return false;
    return true;
}

static bool reserve_clusters(b2d_graph* to, const b2d_graph* from) {
    if (!B2D_GROW(to->memory, to->clusters, to->cluster_capacity, from->cluster_count)) return false;
    for (; to->cluster_count < from->cluster_count; to->cluster_count++) {
        to->cluster_parents[to->cluster_count] = (uint16_t)to->cluster_count;
        to->cluster_blocks[to->cluster_count] = 0;
    }
    for (int32_t cluster = 0; cluster < from->cluster_count; cluster++)
        if (from->cluster_blocks[cluster] > 0 &&
            !reserve_lists(to->memory, &to->clusters[cluster].joints[0][0], &from->clusters[cluster].joints[0][0],
                           B2D_CLUSTER_LISTS))
            return false;
    return reserve_lists(to->memory, to->overflow_contact_list, from->overflow_contact_list, 2) &&
           reserve_lists(to->memory, to->overflow_joint_list, from->overflow_joint_list, 2);
}

static bool reserve_proxies(b2d_world* to, const b2d_world* from) {
    b2d_proxies* p = &to->proxies;
    int32_t capacity = least(to->proxy_class_capacity, to->proxy_body_capacity);
    for (int32_t k = 0; k < 8; k++) capacity = least(capacity, to->proxy_capacity[k]);
    p->capacity = capacity;
    // The broad phase needs memory for the highest shape only
    const int32_t most = b2d_max_int(p->limit, from->proxies.limit) - 1;
    return to->broadphase == NULL || most < 0 ||
           to->broadphase_table->change(&to->memory, to->broadphase, &most, 1, B2D_PROXY_NONE);
}

static bool reserve(b2d_world* to, const b2d_world* from) {
    b2d_memory* memory = &to->memory;
#define B2D_ARRAY(array, capacity, rows, kind, layout)                                                             \
    if (kind == STATE &&                                                                                           \
        !b2d_fit(memory, (void**)&to->array, &to->capacity, least(from->rows, from->capacity), sizeof *to->array)) \
        return false;
#define B2D_SHARED(table, rows, kind, layout) \
    if (from->rows > 0 && !b2d_shared_grow(memory, &to->table, from->rows)) return false;
#define B2D_IDS(pool, kind) \
    if (!b2d_id_pool_reserve(memory, &to->pool, 64 * from->pool.word_count)) return false;
#define B2D_BITS(bits, kind, ids) \
    if (!b2d_bits_reserve(memory, &to->bits, 64 * from->bits.word_count)) return false;
#define B2D_PAIR_SET(set, kind) \
    if (!b2d_pair_set_fit(memory, &to->set, &from->set)) return false;
#define B2D_VALUE(member, kind, layout)
#define B2D_PART(member, kind)
#include "state/tables.def"
    return b2d_pool_reserve(memory, &to->graph.pool, from->graph.pool.live) &&
           reserve_clusters(&to->graph, &from->graph) && reserve_proxies(to, from);
}

// ---- the second pass: rows

static void copy_rows(void* to, const void* from, int32_t rows, int32_t before, size_t stride) {
    if (rows > 0 && to != from) memcpy(to, from, (size_t)rows * stride);
    if (before > rows) memset((uint8_t*)to + (size_t)rows * stride, 0, (size_t)(before - rows) * stride);
}

static void copy_bits(b2d_bits* to, const b2d_bits* from) {
    copy_rows(to->words, from->words, from->word_count, to->word_count, sizeof *to->words);
    copy_rows(to->summary, from->summary, from->summary_count, to->summary_count, sizeof *to->summary);
    copy_rows(to->top, from->top, from->top_count, to->top_count, sizeof *to->top);
}

static void copy_ids(b2d_id_pool* to, const b2d_id_pool* from) {
    copy_rows(to->used, from->used, from->word_count, to->word_count, sizeof *to->used);
    copy_rows(to->full, from->full, from->full_count, to->full_count, sizeof *to->full);
    to->count = from->count;
    to->limit = from->limit;
}

static void copy_tables(b2d_world* to, const b2d_world* from) {
#define B2D_ARRAY(array, capacity, rows, kind, layout)                                                      \
    if (kind == STATE)                                                                                      \
        copy_rows(to->array, from->array, least(from->rows, from->capacity), least(to->rows, to->capacity), \
                  sizeof *to->array);
#define B2D_SHARED(table, rows, kind, layout) \
    copy_rows(to->table.data, from->table.data, from->rows, to->rows, (size_t)to->table.stride);
#define B2D_IDS(pool, kind)       copy_ids(&to->pool, &from->pool);
#define B2D_BITS(bits, kind, ids) copy_bits(&to->bits, &from->bits);
#define B2D_PAIR_SET(set, kind)   b2d_pair_set_copy(&to->set, &from->set);
#define B2D_VALUE(member, kind, layout) \
    if (kind == STATE) memcpy((void*)&to->member, (const void*)&from->member, sizeof to->member);
#define B2D_PART(member, kind)
#include "state/tables.def"
}

static void copy_lists(b2d_color_list* to, const b2d_color_list* from, int32_t count) {
    for (int32_t k = 0; k < count; k++) {
        to[k].count = from[k].count;
        if (from[k].count > 0)
            memcpy(to[k].blocks, from[k].blocks, (size_t)b2d_color_list_blocks(&from[k]) * sizeof *to->blocks);
    }
}

// The lists of further clusters are freed, because the count of clusters says which there are.
static void copy_clusters(b2d_graph* to, const b2d_graph* from) {
    for (int32_t cluster = 0; cluster < to->cluster_count; cluster++) {
        b2d_color_list* lists = &to->clusters[cluster].joints[0][0];
        if (cluster >= from->cluster_count) {
            b2d_color_free_lists(to, lists, B2D_CLUSTER_LISTS);
            to->clusters[cluster] = (b2d_cluster){0};
        } else if (from->cluster_blocks[cluster] > 0) {
            copy_lists(lists, &from->clusters[cluster].joints[0][0], B2D_CLUSTER_LISTS);
        } else {
            for (int32_t k = 0; k < B2D_CLUSTER_LISTS; k++) lists[k].count = 0;
        }
    }
    to->cluster_count = from->cluster_count;
    copy_lists(to->overflow_contact_list, from->overflow_contact_list, 2);
    copy_lists(to->overflow_joint_list, from->overflow_joint_list, 2);
}

static void* copy_array(b2d_graph* to, const void* from, size_t used, uint8_t size) {
    size_t granted;
    void* block = b2d_pool_take(to->memory, &to->pool, (size_t)1 << size, &granted);
    B2D_ASSERT(block != NULL && granted == (size_t)1 << size); // the first pass made room
    memcpy(block, from, used);
    return block;
}

static void copy_islands(b2d_graph* to, const b2d_graph* from) {
    for (int32_t id = b2d_id_pool_next(&from->island_ids, 0); id != B2D_NONE;
         id = b2d_id_pool_next(&from->island_ids, id + 1)) {
        const b2d_island* source = &from->islands[id];
        b2d_island* island = &to->islands[id];
        if (source->body_size != 0)
            island->bodies.many = copy_array(to, source->bodies.many, (size_t)source->body_count * 4,
                                             source->body_size);
        if (source->links == NULL) continue;
        size_t granted;
        const b2d_island_links* old = source->links;
        b2d_island_links* links = island->links = b2d_pool_take(to->memory, &to->pool, sizeof *links, &granted);
        B2D_ASSERT(links != NULL);
        *links = *old;
        if (old->contact_size != 0)
            links->contacts = copy_array(to, old->contacts, (size_t)old->contact_count * sizeof *links->contacts,
                                         old->contact_size);
        if (old->joint_size != 0)
            links->joints = copy_array(to, old->joints, (size_t)old->joint_count * sizeof *links->joints,
                                       old->joint_size);
    }
}

static void copy_extras(b2d_graph* to, const b2d_graph* from) {
    B2D_FOR_BITS (&from->extra_blocks, block) {
        size_t granted;
        to->extras[block] = b2d_pool_take(to->memory, &to->pool, sizeof(b2d_extra_block), &granted);
        B2D_ASSERT(to->extras[block] != NULL);
        *to->extras[block] = *from->extras[block];
    }
}

static void renew_broadphase(b2d_world* world, int32_t limit) {
    int32_t shapes[B2D_MANY_BOXES], count = 0;
    for (int32_t shape = 0; shape < limit; shape++) {
        shapes[count++] = shape;
        if (count < B2D_MANY_BOXES && shape + 1 < limit) continue;
        (void)world->broadphase_table->change(&world->memory, world->broadphase, shapes, count, B2D_PROXY_NONE);
        count = 0;
    }
    world->broadphase_stale = true;
    world->direct.looped_count = B2D_NONE;
}

bool b2d_world_copy(b2d_world* to, const b2d_world* from) {
    if (!reserve(to, from)) return false;
    int32_t limit = b2d_max_int(to->proxies.limit, from->proxies.limit);
    copy_tables(to, from);
    copy_clusters(&to->graph, &from->graph);
    b2d_pool_clear(&to->graph.pool);
    copy_islands(&to->graph, &from->graph);
    copy_extras(&to->graph, &from->graph);
    to->memory.settling = false;
    if (to->graph.generation < from->graph.generation) to->graph.generation = from->graph.generation;
    to->shape_changes++;
    to->graph.contact_links++;
    to->repair = to->repair || to->graph.loose; // another strategy may keep its links
    if (to->broadphase != NULL) renew_broadphase(to, limit);
    return true;
}

bool b2d_world_same_objects(const b2d_world* a, const b2d_world* b) {
#define SAME(ids, generations)       \
    (a->ids.limit == b->ids.limit && \
     (a->ids.limit == 0 || memcmp(a->generations, b->generations, (size_t)a->ids.limit * 8) == 0))
    if (!SAME(body_ids, body_generations) || !SAME(shape_ids, shape_generations) ||
        !SAME(chain_ids, chain_generations) || !SAME(graph.joint_ids, graph.joint_generations))
        return false;
#undef SAME
    for (int32_t k = 0; k < a->graph.joint_ids.limit; k++)
        if (a->graph.joint_generations[k] != 0 && a->graph.joints[k].type != b->graph.joints[k].type)
            return false; // their handles have other classes
    return true;
}
