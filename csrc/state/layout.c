// csrc/state/layout.c - see layout.h.
#include "state/layout.h"

#include <string.h>

static int32_t size_of(char letter) {
    switch (letter) {
    case 'b':
    case 't':
    case 'x': return 1;
    case 'h':
    case 'y':
    case 'G': return 2;
    case 'q': return 8;
    default: return 4;
    }
}

int32_t b2d_layout_columns(const char* layout, size_t stride, b2d_column* columns) {
    int32_t found = 0, offset = 0, alignment = 1;
    for (const char* at = layout; *at != 0; at++) {
        int32_t count = 0;
        bool fill = *at == '*';
        if (fill) at++;
        while (*at >= '0' && *at <= '9') count = 10 * count + (*at++ - '0');
        const int32_t size = size_of(*at);
        alignment = b2d_max_int(alignment, size);
        offset = (offset + size - 1) / size * size;
        if (fill) count = ((int32_t)stride - offset) / size;
        if (count == 0) count = 1;
        if (*at != 'x' && *at != 'y' && *at != 'z') {
            if (found == B2D_MOST_COLUMNS) return -1;
            columns[found++] = (b2d_column){*at, count, size, offset};
        }
        offset += count * size;
    }
    return (offset + alignment - 1) / alignment * alignment == (int32_t)stride ? found : -1;
}

int64_t b2d_layout_bytes(const b2d_column* columns, int32_t count) {
    int64_t bytes = 0;
    for (int32_t c = 0; c < count; c++) bytes += (int64_t)columns[c].count * columns[c].size;
    return bytes;
}

// Little-endian on every machine.
static void copy_members(uint8_t* to, const uint8_t* from, int32_t count, int32_t size) {
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    for (int32_t k = 0; k < count; k++)
        for (int32_t byte = 0; byte < size; byte++) to[k * size + byte] = from[k * size + size - 1 - byte];
#else
    switch (count * size) { // most members are one number: no call
    case 1: *to = *from; break;
    case 4: memcpy(to, from, 4); break;
    case 8: memcpy(to, from, 8); break;
    default: memcpy(to, from, (size_t)count * (size_t)size); break;
    }
#endif
}

const b2d_id_pool* b2d_layout_pool(const b2d_world* world, const char* rows) {
#define B2D_ARRAY(array, capacity, rows, kind, layout)
#define B2D_SHARED(table, rows, kind, layout)
#define B2D_IDS(pool, kind) \
    if (strcmp(rows, #pool ".limit") == 0) return &world->pool;
#define B2D_BITS(bits, kind, ids)
#define B2D_PAIR_SET(set, kind)
#define B2D_VALUE(member, kind, layout)
#define B2D_PART(member, kind)
#include "state/tables.def"
    return strcmp(rows, "proxies.limit") == 0 ? &world->shape_ids : NULL;
}

static bool is_reference(const b2d_column* column) { return column->letter >= 'A' && column->letter <= 'Z'; }

// B2D_NONE, and cluster 0
static void refer_to_nothing(const b2d_column* column, uint8_t* at) {
    memset(at, column->letter == 'G' ? 0 : 0xFF, (size_t)column->count * (size_t)column->size);
}

void b2d_layout_pack(const b2d_column* columns, int32_t count, const void* base, size_t stride, int32_t rows,
                     int32_t have, const b2d_id_pool* pool, uint8_t* out) {
    for (int32_t c = 0; c < count; c++) {
        const size_t bytes = (size_t)columns[c].count * (size_t)columns[c].size;
        const bool refers = pool != NULL && is_reference(&columns[c]);
        for (int32_t row = 0; row < rows; row++, out += bytes)
            if (refers && !b2d_id_pool_has(pool, row)) refer_to_nothing(&columns[c], out);
            else if (row < have)
                copy_members(out, (const uint8_t*)base + (size_t)row * stride + columns[c].offset, columns[c].count,
                             columns[c].size);
            else memset(out, 0, bytes);
    }
}

void b2d_layout_unpack(const b2d_column* columns, int32_t count, void* base, size_t stride, int32_t rows,
                       const uint8_t* in) {
    for (int32_t c = 0; c < count; c++) {
        const size_t bytes = (size_t)columns[c].count * (size_t)columns[c].size;
        for (int32_t row = 0; row < rows; row++, in += bytes) {
            uint8_t* to = (uint8_t*)base + (size_t)row * stride + columns[c].offset;
            copy_members(to, in, columns[c].count, columns[c].size);
            if (columns[c].letter == 't') *to = *to != 0; // a bool has no other values
        }
    }
}

static int32_t limit_of(char letter, const b2d_world* world) {
    const b2d_graph* g = &world->graph;
    switch (letter) {
    case 'B': return world->body_ids.limit;
    case 'S': return world->shape_ids.limit;
    case 'H': return world->second_ids.limit;
    case 'I': return g->island_ids.limit;
    case 'R': return g->rest_ids.limit;
    case 'C': return g->contact_ids.limit;
    case 'J': return g->joint_ids.limit;
    case 'K': return 2 * g->contact_ids.limit;
    case 'E': return 2 * g->joint_ids.limit;
    case 'L': return B2D_LANES * g->block_ids.limit;
    case 'M': return B2D_LANES * g->joint_block_ids.limit;
    default: return g->cluster_count; // G
    }
}

bool b2d_layout_check(const b2d_column* columns, int32_t count, const void* base, size_t stride, int32_t rows,
                      const b2d_world* world) {
    for (int32_t c = 0; c < count; c++) {
        if (!is_reference(&columns[c])) continue;
        const int32_t limit = limit_of(columns[c].letter, world);
        for (int32_t row = 0; row < rows; row++) {
            const uint8_t* at = (const uint8_t*)base + (size_t)row * stride + columns[c].offset;
            for (int32_t k = 0; k < columns[c].count; k++, at += columns[c].size) {
                int32_t id;
                uint16_t number;
                memcpy(&id, at, columns[c].size == 2 ? 0 : sizeof id);
                memcpy(&number, at, sizeof number);
                if (columns[c].size == 2 ? number >= limit : id < B2D_NONE || id >= limit) return false;
            }
        }
    }
    return true;
}

void b2d_layout_forget(const b2d_column* columns, int32_t count, void* base, size_t stride, int32_t row) {
    for (int32_t c = 0; c < count; c++)
        if (is_reference(&columns[c]))
            refer_to_nothing(&columns[c], (uint8_t*)base + (size_t)row * stride + columns[c].offset);
}

// Eight sums of every eighth word each, so that the multiplications of different words overlap. Every operation can be
// inverted, so one changed word always changes the result.
uint64_t b2d_checksum(const uint8_t* data, int64_t size) {
    enum { SUMS = 8 };
    const uint64_t odd = 0x9E3779B97F4A7C15u;
    uint64_t sums[SUMS], hash = (uint64_t)size;
    for (int32_t k = 0; k < SUMS; k++) sums[k] = odd * (uint64_t)(k + 1);
    for (int64_t at = 0; at < size; at += 8 * SUMS) {
        uint8_t last[8 * SUMS] = {0};
        const uint8_t* from = data + at;
        uint64_t words[SUMS];
        if (size - at < (int64_t)sizeof last) from = memcpy(last, from, (size_t)(size - at));
        copy_members((uint8_t*)words, from, SUMS, 8);
        for (int32_t k = 0; k < SUMS; k++) {
            sums[k] = (sums[k] ^ words[k]) * odd;
            sums[k] ^= sums[k] >> 32;
        }
    }
    for (int32_t k = 0; k < SUMS; k++) {
        hash = (hash ^ sums[k]) * odd;
        hash ^= hash >> 29;
    }
    return hash;
}
