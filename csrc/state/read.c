// csrc/state/read.c - fills an empty world from untrusted bytes.
//
// Idea: the head and the heads of the sections are checked first, so that every section is known to lie in the data and
// to be undamaged. Then the sections are read by name in the order in which they need each other: numbers of rows,
// single values, tables, what has pointers. No section may have another number of rows than these say, so the memory
// that is taken is in proportion to the data. check.c then checks what the rows refer to.
// Proof: tests/oracle/test_snapshot.py.
#include "objects/body.h"
#include "objects/proxy.h"
#include "state/snapshot.h"

#include <stdio.h>
#include <string.h>

enum { MOST_SECTIONS = 256, MOST_REMOVALS = 1 << 30 }; // the removals of an island are counted on

typedef struct section {
    const char* name;
    const uint8_t* rows;
    int32_t count, row_bytes;
    bool used;
} section;

typedef struct reader {
    section sections[MOST_SECTIONS];
    int32_t section_count;
    char* message;
    size_t room;
    b2d_read_result result;
} reader;

static bool wrong(reader* r, const char* name, const char* why) {
    if (r->result == B2D_READ_OK) snprintf(r->message, r->room, "section %s: %s", name, why);
    r->result = B2D_READ_WRONG;
    return false;
}
static bool no_memory(reader* r) {
    r->result = B2D_READ_NO_MEMORY;
    return false;
}

static uint64_t number(const uint8_t* at, int32_t bytes) {
    uint64_t value = 0;
    for (int32_t k = 0; k < bytes; k++) value |= (uint64_t)at[k] << 8 * k;
    return value;
}
static int32_t entry(const section* rows, int32_t k) {
    return (int32_t)(uint32_t)number(rows->rows + 4 * (size_t)k, 4);
}

// ---- heads

static bool read_section(reader* r, const uint8_t* data, int64_t size, int64_t* at) {
    char name[B2D_SECTION_NAME + 1] = {0};
    if (size - *at < B2D_SECTION_HEAD) return wrong(r, "heads", "the data is cut off");
    const uint8_t* head = data + *at;
    if (number(head + 56, 8) != b2d_checksum(head, 56)) return wrong(r, "heads", "the head of a section is damaged");
    memcpy(name, head, B2D_SECTION_NAME);
    const uint64_t rows = number(head + 40, 4), row_bytes = number(head + 44, 4);
    *at += B2D_SECTION_HEAD;
    if (name[B2D_SECTION_NAME - 1] != 0 || rows > INT32_MAX || row_bytes == 0 || row_bytes > INT32_MAX)
        return wrong(r, "heads", "the head of a section is wrong");
    if (rows * row_bytes > (uint64_t)(size - *at)) return wrong(r, name, "the data is cut off");
    if (number(head + 48, 8) != b2d_checksum(data + *at, (int64_t)(rows * row_bytes)))
        return wrong(r, name, "it is damaged");
    r->sections[r->section_count++] = (section){(const char*)head, data + *at, (int32_t)rows, (int32_t)row_bytes,
                                                false};
    *at += (int64_t)(rows * row_bytes);
    return true;
}

static bool read_heads(reader* r, const uint8_t* data, int64_t size) {
    if (size < B2D_SNAPSHOT_HEAD || memcmp(data, "b2dstate", 8) != 0)
        return wrong(r, "head", "these bytes are no snapshot of box2dpy");
    if (number(data + 8, 4) != B2D_SNAPSHOT_VERSION) {
        snprintf(r->message, r->room, "section head: version %u, this build reads version %d",
                 (unsigned)number(data + 8, 4), B2D_SNAPSHOT_VERSION);
        r->result = B2D_READ_WRONG;
        return false;
    }
    if (number(data + 24, 8) != b2d_checksum(data, 24)) return wrong(r, "head", "it is damaged");
    if (number(data + 16, 8) != (uint64_t)size) return wrong(r, "head", "the data has another length than it says");
    const uint64_t count = number(data + 12, 4);
    if (count > MOST_SECTIONS) return wrong(r, "head", "there are too many sections");
    int64_t at = B2D_SNAPSHOT_HEAD;
    for (uint64_t k = 0; k < count; k++)
        if (!read_section(r, data, size, &at)) return false;
    return at == size || wrong(r, "heads", "there are bytes after the last section");
}

// ---- rows

static const section* find(reader* r, const char* name, int32_t row_bytes) {
    for (int32_t k = 0; k < r->section_count; k++) {
        section* found = &r->sections[k];
        if (strcmp(found->name, name) != 0) continue;
        if (found->used) return wrong(r, name, "it is there twice"), NULL;
        if (found->row_bytes != row_bytes) return wrong(r, name, "its rows have another size"), NULL;
        found->used = true;
        return found;
    }
    return wrong(r, name, "it is missing"), NULL;
}

static const section* find_rows(reader* r, const char* name, const char* layout, size_t stride, b2d_column* columns,
                                int32_t* count) {
    *count = b2d_layout_columns(layout, stride, columns);
    B2D_ASSERT(*count > 0);
    return find(r, name, (int32_t)b2d_layout_bytes(columns, *count));
}

// Exactly `rows` rows, to memory that exists.
static bool read_value(reader* r, const char* name, const char* layout, void* base, size_t stride, int32_t rows) {
    b2d_column columns[B2D_MOST_COLUMNS];
    int32_t count;
    const section* found = find_rows(r, name, layout, stride, columns, &count);
    if (found == NULL) return false;
    if (found->count != rows) return wrong(r, name, "it has another number of rows than the world");
    b2d_layout_unpack(columns, count, base, stride, rows, found->rows);
    return true;
}

// As written by put_members. Bytes of an earlier version may have fewer members; the others keep their values.
static bool read_members(reader* r, const char* name, const char* layout, void* base, size_t bytes) {
    b2d_column column[B2D_MOST_COLUMNS];
    const int32_t size = layout[1] == 'q' ? 8 : layout[1] == 'w' ? 4 : 1;
    int32_t count;
    const section* found = find_rows(r, name, layout + 1, (size_t)size, column, &count);
    if (found == NULL) return false;
    if (found->count > (int32_t)bytes / size) return wrong(r, name, "it has more members than this build knows");
    b2d_layout_unpack(column, count, base, (size_t)size, found->count, found->rows);
    return true;
}

static bool read_array(reader* r, b2d_memory* memory, const char* name, const char* layout, void** block,
                       int32_t* capacity, size_t stride, int32_t rows) {
    b2d_column columns[B2D_MOST_COLUMNS];
    int32_t count;
    const section* found = find_rows(r, name, layout, stride, columns, &count);
    if (found == NULL) return false;
    if (rows < 0 || found->count != rows) return wrong(r, name, "it has another number of rows than the world");
    void* base;
    if (!b2d_grow(memory, block, capacity, rows, stride)) return no_memory(r);
    memcpy(&base, (void*)block, sizeof base);
    b2d_layout_unpack(columns, count, base, stride, rows, found->rows);
    return true;
}

static bool read_shared(reader* r, b2d_memory* memory, const char* name, const char* layout, b2d_shared* table,
                        int32_t rows) {
    if (rows > 0 && !b2d_shared_grow(memory, table, rows)) return no_memory(r);
    return read_value(r, name, layout, table->data, (size_t)table->stride, rows);
}

static bool read_ids(reader* r, b2d_memory* memory, const char* name, const char* limit_name, b2d_id_pool* pool) {
    int32_t limit;
    const section* found = find(r, name, 8);
    if (found == NULL || !read_value(r, limit_name, "w", &limit, sizeof limit, 1)) return false;
    if (limit < 0 || limit > 1 << 28 || found->count != (limit + 63) / 64)
        return wrong(r, name, "it does not fit its greatest id");
    if (!b2d_id_pool_reserve(memory, pool, limit)) return no_memory(r);
    pool->limit = limit;
    for (int32_t w = 0; w < found->count; w++) {
        const uint64_t word = number(found->rows + 8 * (size_t)w, 8);
        if (64 * (w + 1) > limit && (limit & 63) != 0 && word >> (limit & 63) != 0)
            return wrong(r, name, "an id is beyond the greatest one");
        pool->used[w] = word;
        pool->count += b2d_popcount64(word);
        if (word == UINT64_MAX) pool->full[w >> 6] |= 1ull << (w & 63);
    }
    return true;
}

static bool read_bits(reader* r, b2d_memory* memory, const char* name, b2d_bits* bits, int32_t limit) {
    const section* found = find(r, name, 8);
    if (found == NULL) return false;
    if (found->count > (limit + 63) / 64) return wrong(r, name, "a member is beyond the greatest id");
    if (!b2d_bits_reserve(memory, bits, limit)) return no_memory(r);
    for (int32_t w = 0; w < found->count; w++)
        for (uint64_t left = number(found->rows + 8 * (size_t)w, 8); left != 0; left &= left - 1) {
            const int32_t id = 64 * w + b2d_ctz64(left);
            if (id >= limit) return wrong(r, name, "a member is beyond the greatest id");
            b2d_bits_set(bits, id);
        }
    return true;
}

static bool read_numbers_of_rows(reader* r, b2d_world* world) {
    b2d_memory* memory = &world->memory;
#define B2D_ARRAY(array, capacity, rows, kind, layout)
#define B2D_SHARED(table, rows, kind, layout)
#define B2D_IDS(pool, kind) \
    if (!read_ids(r, memory, #pool, #pool ".limit", &world->pool)) return false;
#define B2D_BITS(bits, kind, ids)
#define B2D_PAIR_SET(set, kind)
#define B2D_VALUE(member, kind, layout) \
    if (layout[0] != 0 && !read_members(r, #member, layout, &world->member, sizeof world->member)) return false;
#define B2D_PART(member, kind)
#include "state/tables.def"
    return read_value(r, "graph.generation", "q", &world->graph.generation, 8, 1);
}

static bool read_tables(reader* r, b2d_world* world) {
    enum { REBUILT, STATE };
    b2d_memory* memory = &world->memory;
#define B2D_ARRAY(array, capacity, rows, kind, layout)                                                    \
    if (layout[0] != 0 && !read_array(r, memory, #array, layout, (void**)&world->array, &world->capacity, \
                                      sizeof *world->array, world->rows))                                 \
        return false;
#define B2D_SHARED(table, rows, kind, layout) \
    if (!read_shared(r, memory, #table, layout, &world->table, world->rows)) return false;
#define B2D_IDS(pool, kind)
#define B2D_BITS(bits, kind, ids) \
    if (kind == STATE && !read_bits(r, memory, #bits, &world->bits, world->ids.limit)) return false;
#define B2D_PAIR_SET(set, kind)
#define B2D_VALUE(member, kind, layout)
#define B2D_PART(member, kind)
#include "state/tables.def"
    return b2d_world_reserve_proxies(world, world->proxies.limit) || no_memory(r); // it stores their capacity
}

// ---- what has pointers

static bool read_clusters(reader* r, b2d_world* world) {
    b2d_graph* g = &world->graph;
    const section *counts = find(r, "graph.clusters", 4), *blocks = find(r, "graph.clusters.blocks", 4);
    if (counts == NULL || blocks == NULL) return false;
    const int32_t clusters = (counts->count - 4) / B2D_CLUSTER_LISTS;
    const int32_t least = b2d_min_int((world->body_ids.limit + B2D_CLUSTER_BODIES - 1) / B2D_CLUSTER_BODIES, 1 << 16);
    if (counts->count != clusters * B2D_CLUSTER_LISTS + 4 || clusters < least || clusters > 1 << 16)
        return wrong(r, "graph.clusters", "it has another number of rows than the world");
    if (!B2D_GROW(&world->memory, g->clusters, g->cluster_capacity, clusters)) return no_memory(r);
    g->cluster_count = clusters;
    for (int32_t k = 0, first = 0; k < counts->count; k++) {
        b2d_color_list* list = b2d_snapshot_list(g, k);
        const int32_t lanes = entry(counts, k);
        if (lanes < 0 || lanes > INT32_MAX - B2D_LANES) return wrong(r, "graph.clusters", "a list has a wrong length");
        const int32_t count = (lanes + B2D_LANES - 1) / B2D_LANES;
        if (count > blocks->count - first) return wrong(r, "graph.clusters.blocks", "it has too few rows");
        if (!B2D_GROW(&world->memory, list->blocks, list->block_capacity, count)) return no_memory(r);
        list->count = lanes;
        for (int32_t n = 0; n < count; n++) list->blocks[n] = entry(blocks, first + n);
        first += count;
        if (k == counts->count - 1 && first != blocks->count)
            return wrong(r, "graph.clusters.blocks", "it has too many rows");
    }
    return true;
}

static void* take(b2d_graph* g, size_t bytes, uint8_t* size) {
    size_t granted;
    void* block = b2d_pool_take(g->memory, &g->pool, bytes, &granted);
    if (block != NULL) *size = (uint8_t)b2d_ctz64(granted);
    return block;
}

static b2d_link* read_links(b2d_graph* g, const section* members, int32_t first, int32_t count, uint8_t* size) {
    b2d_link* links = take(g, (size_t)count * sizeof *links, size);
    for (int32_t k = 0; k < count && links != NULL; k++, first += 3)
        links[k] = (b2d_link){entry(members, first), entry(members, first + 1), entry(members, first + 2)};
    return links;
}

static bool read_island(b2d_graph* g, int32_t id, const section* rows, const section* members, int32_t first) {
    b2d_island* island = &g->islands[id];
    const int32_t *few = island->bodies.few, bodies = entry(rows, 5 * id), contacts = entry(rows, 5 * id + 1),
                  joints = entry(rows, 5 * id + 2);
    int32_t* list = island->bodies.few;
    if (bodies > (int32_t)(sizeof island->bodies.few / sizeof *few)) {
        list = take(g, (size_t)bodies * sizeof *list, &island->body_size);
        if (list == NULL) return false;
        island->bodies.many = list;
    }
    island->body_count = bodies;
    island->removals = entry(rows, 5 * id + 3);
    island->cluster = (uint16_t)entry(rows, 5 * id + 4);
    for (int32_t k = 0; k < bodies; k++) list[k] = entry(members, first++);
    if (contacts + joints == 0) return true;
    uint8_t ignored;
    b2d_island_links* links = island->links = take(g, sizeof *links, &ignored);
    if (links == NULL) return false;
    *links = (b2d_island_links){.contact_count = contacts, .joint_count = joints};
    if (contacts > 0) links->contacts = read_links(g, members, first, contacts, &links->contact_size);
    if (joints > 0) links->joints = read_links(g, members, first + 3 * contacts, joints, &links->joint_size);
    return (contacts == 0 || links->contacts != NULL) && (joints == 0 || links->joints != NULL);
}

static bool read_islands(reader* r, b2d_world* world) {
    b2d_graph* g = &world->graph;
    const section *rows = find(r, "graph.islands", 4), *members = find(r, "graph.islands.members", 4);
    const int32_t limit = g->island_ids.limit;
    if (rows == NULL || members == NULL) return false;
    if (rows->count != 5 * (int64_t)limit) return wrong(r, "graph.islands", "it has another number of rows than ids");
    if (!B2D_GROW(&world->memory, g->islands, g->island_capacity, limit)) return no_memory(r);
    int64_t first = 0;
    for (int32_t id = 0; id < limit; id++) {
        g->islands[id] = (b2d_island){.parent = B2D_NONE};
        int64_t needed = 0;
        for (int32_t k = 0; k < 3; k++) {
            const int32_t count = entry(rows, 5 * id + k);
            if (count < 0) return wrong(r, "graph.islands", "an island has a negative count");
            needed += (k == 0 ? 1ll : 3ll) * count;
        }
        if (b2d_id_pool_has(&g->island_ids, id) != (entry(rows, 5 * id) > 0) || entry(rows, 5 * id + 4) < 0 ||
            entry(rows, 5 * id + 4) >= g->cluster_count || entry(rows, 5 * id + 3) < 0 ||
            entry(rows, 5 * id + 3) > MOST_REMOVALS)
            return wrong(r, "graph.islands", "an island is wrong");
        if (needed > members->count - first) return wrong(r, "graph.islands.members", "it has too few rows");
        if (!read_island(g, id, rows, members, (int32_t)first)) return no_memory(r);
        first += needed;
    }
    return first == members->count || wrong(r, "graph.islands.members", "it has too many rows");
}

static bool read_extras(reader* r, b2d_world* world) {
    b2d_graph* g = &world->graph;
    const int32_t columns = (int32_t)sizeof(b2d_extra_block) / 4, limit = g->block_ids.limit;
    const section* rows = find(r, "graph.extras", 4);
    if (rows == NULL) return false;
    if (rows->count != (int64_t)b2d_bits_count(&g->extra_blocks) * columns)
        return wrong(r, "graph.extras", "it has another number of rows than blocks");
    if (!B2D_GROW(&world->memory, g->extras, g->extra_capacity, limit)) return no_memory(r);
    int32_t first = 0;
    B2D_FOR_BITS (&g->extra_blocks, block) {
        uint8_t ignored;
        g->extras[block] = take(g, sizeof(b2d_extra_block), &ignored);
        if (g->extras[block] == NULL) return no_memory(r);
        for (int32_t k = 0; k < columns; k++) {
            const int32_t value = entry(rows, first++);
            memcpy((uint8_t*)g->extras[block] + 4 * (size_t)k, &value, sizeof value);
        }
    }
    return true;
}

static bool read_pairs(reader* r, b2d_world* world) {
    b2d_graph* g = &world->graph;
    if (!b2d_pair_set_reserve(g->memory, &g->pair_set, g->contact_ids.count)) return no_memory(r);
    for (int32_t id = b2d_id_pool_next(&g->contact_ids, 0); id != B2D_NONE;
         id = b2d_id_pool_next(&g->contact_ids, id + 1)) {
        g->pairs[id].record = B2D_NONE; // it is not saved
        if (!b2d_pair_set_add(g->memory, &g->pair_set, b2d_pair_key(g->pairs[id].shape_a, g->pairs[id].shape_b), id))
            return no_memory(r);
    }
    return true;
}

b2d_read_result b2d_snapshot_read(b2d_world* world, const uint8_t* data, int64_t size, char* message, size_t room) {
    reader r = {.message = message, .room = room};
    // Clusters first: other tables have as many rows. The pairs last: they are read by then, and checked
    bool done = read_heads(&r, data, size) && read_numbers_of_rows(&r, world) && read_clusters(&r, world) &&
                read_tables(&r, world) && read_islands(&r, world) && read_extras(&r, world);
    if (!done) return r.result;
    r.result = b2d_snapshot_check(world, message, room);
    if (r.result != B2D_READ_OK) return r.result;
    if (!read_pairs(&r, world)) return r.result;
    if (!b2d_bits_reserve(&world->memory, &world->plates, world->body_ids.limit) ||
        !b2d_bits_reserve(&world->memory, &world->kinematics, world->body_ids.limit))
        return B2D_READ_NO_MEMORY;
    for (int32_t id = b2d_id_pool_next(&world->body_ids, 0); id != B2D_NONE;
         id = b2d_id_pool_next(&world->body_ids, id + 1))
        b2d_world_note_kind(world, id);
    for (int32_t shape = 0; shape < world->proxies.limit; shape++)
        if (!world->broadphase_table->change(&world->memory, world->broadphase, &shape, 1, B2D_PROXY_NONE))
            return B2D_READ_NO_MEMORY;
    for (int32_t id = b2d_id_pool_next(&world->graph.joint_ids, 0); id != B2D_NONE;
         id = b2d_id_pool_next(&world->graph.joint_ids, id + 1)) // the next step makes the plan of the marks
        if (world->graph.joints[id].flags & (B2D_JOINT_DIRECT | B2D_JOINT_SEED)) world->direct.stale = true;
    world->graph.grouped = true;
    world->memory.settling = false;
    world->broadphase_stale = true;
    world->direct.looped_count = B2D_NONE;
    return B2D_READ_OK;
}

static void put_checksum(uint8_t* at, uint64_t checksum) {
    for (int32_t k = 0; k < 8; k++) at[k] = (uint8_t)(checksum >> 8 * k);
}

bool b2d_snapshot_repair(uint8_t* data, int64_t size) {
    if (size < B2D_SNAPSHOT_HEAD) return false;
    put_checksum(data + 24, b2d_checksum(data, 24));
    for (int64_t at = B2D_SNAPSHOT_HEAD; at < size;) {
        if (size - at < B2D_SECTION_HEAD) return false;
        uint8_t* head = data + at;
        const uint64_t bytes = number(head + 40, 4) * number(head + 44, 4);
        at += B2D_SECTION_HEAD;
        if (bytes > (uint64_t)(size - at)) return false;
        put_checksum(head + 48, b2d_checksum(data + at, (int64_t)bytes));
        put_checksum(head + 56, b2d_checksum(head, 56));
        at += (int64_t)bytes;
    }
    return true;
}
