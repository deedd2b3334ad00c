// csrc/state/write.c - the state of a world as bytes: one section for each table in tables.def, and for what has
// pointers.
//
// Idea: the same list that copies a world writes it, so no table can be forgotten. What can be rebuilt is not written:
// the broad phase, the pair set, summaries of bit arrays, the plan of the direct solver (the marks of its joints are).
#include "state/snapshot.h"

#include <string.h>

typedef struct writer {
    uint8_t* out; // NULL: there is no room, bytes are only counted
    int64_t room, size;
    int32_t sections;
} writer;

static void put(writer* w, const void* data, int64_t bytes) {
    if (w->size + bytes <= w->room && bytes > 0) memcpy(w->out + w->size, data, (size_t)bytes);
    w->size += bytes;
}

static void put_number(writer* w, uint64_t value, int32_t bytes) {
    uint8_t raw[8];
    for (int32_t k = 0; k < bytes; k++) raw[k] = (uint8_t)(value >> 8 * k);
    put(w, raw, bytes);
}

static void put_head(writer* w, const char* name, int32_t rows, int64_t row_bytes, uint64_t checksum) {
    char padded[B2D_SECTION_NAME] = {0};
    const int64_t start = w->size;
    B2D_ASSERT(strlen(name) < sizeof padded);
    memcpy(padded, name, strlen(name));
    put(w, padded, B2D_SECTION_NAME);
    put_number(w, (uint64_t)rows, 4);
    put_number(w, (uint64_t)row_bytes, 4);
    put_number(w, checksum, 8);
    put_number(w, w->size <= w->room ? b2d_checksum(w->out + start, w->size - start) : 0, 8);
}

static bool begin(writer* w, int64_t bytes) { // whether the rows and their head fit
    w->sections++;
    if (w->size + B2D_SECTION_HEAD + bytes <= w->room) return true;
    w->size += B2D_SECTION_HEAD + bytes;
    return false;
}

static void finish(writer* w, const char* name, int32_t rows, int64_t row_bytes) { // the rows have been written
    const int64_t bytes = rows * row_bytes;
    put_head(w, name, rows, row_bytes, b2d_checksum(w->out + w->size + B2D_SECTION_HEAD, bytes));
    w->size += bytes;
}

static void put_rows(writer* w, const char* name, const char* layout, const void* base, size_t stride, int32_t rows,
                     int32_t have, const b2d_id_pool* pool) {
    b2d_column columns[B2D_MOST_COLUMNS];
    const int32_t count = b2d_layout_columns(layout, stride, columns);
    B2D_ASSERT(count > 0); // the layout must fit the struct
    const int64_t row_bytes = b2d_layout_bytes(columns, count);
    if (!begin(w, rows * row_bytes)) return;
    b2d_layout_pack(columns, count, base, stride, rows, have, pool, w->out + w->size + B2D_SECTION_HEAD);
    finish(w, name, rows, row_bytes);
}

// A fixed array is written with a row for each member, so that a later version may have more of them.
static void put_members(writer* w, const char* name, const char* layout, const void* base, size_t bytes) {
    const int32_t size = layout[1] == 'q' ? 8 : layout[1] == 'w' ? 4 : 1;
    const int32_t rows = (int32_t)bytes / size;
    put_rows(w, name, layout + 1, base, (size_t)size, rows, rows, NULL);
}

// Rows of int32_t that are collected one by one.
typedef struct numbers {
    writer* w;
    uint8_t* at; // NULL: there is no room
} numbers;

static numbers begin_numbers(writer* w, int32_t count) {
    const bool fits = begin(w, 4ll * count);
    return (numbers){w, fits ? w->out + w->size + B2D_SECTION_HEAD : NULL};
}
static void add(numbers* list, int32_t value) {
    if (list->at == NULL) return;
    for (int32_t k = 0; k < 4; k++) *list->at++ = (uint8_t)((uint32_t)value >> 8 * k);
}
static void finish_numbers(numbers* list, const char* name, int32_t count) {
    if (list->at != NULL) finish(list->w, name, count, 4);
}

static int32_t used_words(const b2d_bits* bits) {
    int32_t words = bits->word_count;
    while (words > 0 && bits->words[words - 1] == 0) words--;
    return words;
}

static void put_tables(writer* w, const b2d_world* world) {
#define B2D_ARRAY(array, capacity, rows, kind, layout)                                                           \
    if (layout[0] != 0)                                                                                          \
        put_rows(w, #array, layout, world->array, sizeof *world->array, (int32_t)(world->rows), world->capacity, \
                 b2d_layout_pool(world, #rows));
#define B2D_SHARED(table, rows, kind, layout)                                                                       \
    put_rows(w, #table, layout, world->table.data, (size_t)world->table.stride, world->rows, world->table.capacity, \
             NULL);
#define B2D_IDS(pool, kind)                                                                                    \
    put_rows(w, #pool, "q", world->pool.used, 8, (world->pool.limit + 63) / 64, world->pool.word_count, NULL); \
    put_rows(w, #pool ".limit", "w", &world->pool.limit, 4, 1, 1, NULL);
#define B2D_BITS(bits, kind, ids) \
    if (kind) put_rows(w, #bits, "q", world->bits.words, 8, used_words(&world->bits), used_words(&world->bits), NULL);
#define B2D_PAIR_SET(set, kind)
#define B2D_VALUE(member, kind, layout) \
    if (layout[0] != 0) put_members(w, #member, layout, &world->member, sizeof world->member);
#define B2D_PART(member, kind)
    enum { REBUILT, STATE };
#include "state/tables.def"
}

static void put_islands(writer* w, const b2d_graph* g) {
    const int32_t limit = g->island_ids.limit;
    int32_t totals[3] = {0};
    numbers rows = begin_numbers(w, 5 * limit);
    for (int32_t id = 0; id < limit; id++) {
        const b2d_island* island = &g->islands[id];
        const bool exists = b2d_id_pool_has(&g->island_ids, id);
        const b2d_island_links linked = exists ? b2d_island_linked(island) : (b2d_island_links){0};
        const int32_t row[5] = {exists ? island->body_count : 0, linked.contact_count, linked.joint_count,
                                exists ? island->removals : 0, exists ? island->cluster : 0};
        for (int32_t k = 0; k < 5; k++) add(&rows, row[k]);
        for (int32_t k = 0; k < 3; k++) totals[k] += row[k];
    }
    finish_numbers(&rows, "graph.islands", 5 * limit);
    numbers members = begin_numbers(w, totals[0] + 3 * (totals[1] + totals[2]));
    for (int32_t id = b2d_id_pool_next(&g->island_ids, 0); id != B2D_NONE;
         id = b2d_id_pool_next(&g->island_ids, id + 1)) {
        const b2d_island_links linked = b2d_island_linked(&g->islands[id]);
        for (int32_t k = 0; k < g->islands[id].body_count; k++) add(&members, b2d_island_bodies(&g->islands[id])[k]);
        for (int32_t k = 0; k < linked.contact_count + linked.joint_count; k++) {
            const b2d_link* link = k < linked.contact_count ? &linked.contacts[k]
                                                            : &linked.joints[k - linked.contact_count];
            add(&members, link->id), add(&members, link->body_a), add(&members, link->body_b);
        }
    }
    finish_numbers(&members, "graph.islands.members", totals[0] + 3 * (totals[1] + totals[2]));
}

static void put_extras(writer* w, const b2d_graph* g) {
    const int32_t count = b2d_bits_count(&g->extra_blocks), columns = (int32_t)sizeof(b2d_extra_block) / 4;
    numbers rows = begin_numbers(w, count * columns);
    B2D_FOR_BITS (&g->extra_blocks, block)
        for (int32_t k = 0; k < columns; k++) {
            int32_t value;
            memcpy(&value, (const uint8_t*)g->extras[block] + 4 * (size_t)k, sizeof value);
            add(&rows, value);
        }
    finish_numbers(&rows, "graph.extras", count * columns);
}

static void put_lists(writer* w, const b2d_graph* g) {
    const int32_t count = g->cluster_count * B2D_CLUSTER_LISTS + 4;
    int32_t blocks = 0;
    numbers rows = begin_numbers(w, count);
    for (int32_t k = 0; k < count; k++) {
        const b2d_color_list* list = b2d_snapshot_list(g, k);
        add(&rows, list->count);
        blocks += b2d_color_list_blocks(list);
    }
    finish_numbers(&rows, "graph.clusters", count);
    numbers numbers_of_blocks = begin_numbers(w, blocks);
    for (int32_t k = 0; k < count; k++) {
        const b2d_color_list* list = b2d_snapshot_list(g, k);
        for (int32_t n = 0; n < b2d_color_list_blocks(list); n++) add(&numbers_of_blocks, list->blocks[n]);
    }
    finish_numbers(&numbers_of_blocks, "graph.clusters.blocks", blocks);
}

int64_t b2d_snapshot_write(const b2d_world* world, uint8_t* out, int64_t room) {
    writer w = {.out = out, .room = room, .size = B2D_SNAPSHOT_HEAD};
    put_tables(&w, world);
    put_islands(&w, &world->graph);
    put_extras(&w, &world->graph);
    put_lists(&w, &world->graph);
    put_rows(&w, "graph.generation", "q", &world->graph.generation, 8, 1, 1, NULL);
    if (w.size > room) return w.size;
    writer head = {.out = out, .room = B2D_SNAPSHOT_HEAD};
    put(&head, "b2dstate", 8);
    put_number(&head, B2D_SNAPSHOT_VERSION, 4);
    put_number(&head, (uint64_t)w.sections, 4);
    put_number(&head, (uint64_t)w.size, 8);
    put_number(&head, b2d_checksum(out, head.size), 8);
    return w.size;
}
