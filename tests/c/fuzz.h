// tests/c/fuzz.h - what the targets of libFuzzer share: damage of snapshots, and what must hold of a world.
//
// Idea: a mutator that knows the format changes rows, lengths or whole sections and repairs all checksums, so that the
// damage reaches the checks behind them.
#pragma once
#include "box2dpy.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

size_t LLVMFuzzerMutate(uint8_t* data, size_t size, size_t max_size);
int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);
size_t LLVMFuzzerCustomMutator(uint8_t* data, size_t size, size_t max_size, unsigned seed);
size_t LLVMFuzzerCustomCrossOver(const uint8_t* one, size_t one_size, const uint8_t* two, size_t two_size, uint8_t* out,
                                 size_t max_size, unsigned seed);

enum { HEAD = 32, SECTION = 64, NAME = 40, MOST = 256 };

static uint32_t state;
static uint32_t draw(uint32_t limit) {
    state = state * 1664525u + 1013904223u;
    return (uint32_t)((uint64_t)state * limit >> 32);
}

typedef struct section { // where its head begins, and its rows
    size_t head, rows, bytes;
} section;

static uint32_t word(const uint8_t* at) {
    return at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;
}
static void put(uint8_t* at, uint64_t value, size_t bytes) {
    for (size_t k = 0; k < bytes; k++) at[k] = (uint8_t)(value >> 8 * k);
}

// The sections of the data. 0: the heads do not lead to its end.
static int find_sections(const uint8_t* data, size_t size, section* out) {
    int count = 0;
    for (size_t at = HEAD; at < size; count++) {
        if (size - at < SECTION || count == MOST) return 0;
        const uint64_t bytes = (uint64_t)word(data + at + 40) * word(data + at + 44);
        if (bytes > size - at - SECTION) return 0;
        out[count] = (section){at, at + SECTION, (size_t)bytes};
        at += SECTION + (size_t)bytes;
    }
    return count;
}

// A number of `bytes` bytes near the old one, at a limit, or any.
static void change_number(uint8_t* at, size_t bytes) {
    static const int64_t limits[] = {0, 1, -1, INT32_MAX, INT32_MIN, 100, 5, 16, 0x7F800000, 0x7FC00000, 0x7F7FFFFF};
    uint64_t old = 0;
    for (size_t k = 0; k < bytes; k++) old |= (uint64_t)at[k] << 8 * k;
    switch (draw(4)) {
    case 0: put(at, old + draw(5) - 2, bytes); break;
    case 1: put(at, old ^ 1ull << draw(8 * (uint32_t)bytes), bytes); break;
    case 2: put(at, (uint64_t)limits[draw(sizeof limits / sizeof *limits)], bytes); break;
    default: put(at, (uint64_t)draw(UINT32_MAX) << 32 | draw(UINT32_MAX), bytes);
    }
}

static void change_rows(uint8_t* data, const section* chosen) {
    static const size_t sizes[] = {1, 2, 4, 4, 4, 8};
    size_t bytes = sizes[draw(6)];
    if (bytes > chosen->bytes) bytes = 1;
    change_number(data + chosen->rows + draw((uint32_t)(chosen->bytes / bytes)) * bytes, bytes);
}

// Gives a section another number of rows: some are cut off, or some are repeated.
static size_t change_length(uint8_t* data, size_t size, size_t max_size, const section* chosen) {
    const uint32_t rows = word(data + chosen->head + 40), row_bytes = word(data + chosen->head + 44);
    const uint32_t wanted = draw(2) ? draw(rows + 1) : rows + 1 + draw(3);
    const size_t bytes = (size_t)wanted * row_bytes, end = chosen->rows + chosen->bytes;
    if (size - chosen->bytes + bytes > max_size) return size;
    memmove(data + chosen->rows + bytes, data + end, size - end);
    for (size_t k = chosen->bytes; k < bytes; k++)
        data[chosen->rows + k] = k < row_bytes ? 0 : data[chosen->rows + k - row_bytes];
    put(data + chosen->head + 40, wanted, 4);
    return size - chosen->bytes + bytes;
}

static size_t repaired(uint8_t* data, size_t size) {
    put(data + 16, size, 8);
    (void)b2d_repair_snapshot(data, (int64_t)size);
    return size;
}

// Damages rows, lengths or anything of a snapshot, and repairs its checksums.
static size_t damage_snapshot(uint8_t* data, size_t size, size_t max_size) {
    static section sections[MOST];
    const int count = size < HEAD ? 0 : find_sections(data, size, sections);
    if (count == 0 || draw(64) == 0) { // any damage, also of the heads
        size = LLVMFuzzerMutate(data, size, max_size);
        return size < HEAD || draw(2) ? size : repaired(data, size);
    }
    for (uint32_t k = 1 + draw(3); k > 0; k--) {
        const section* chosen = &sections[draw((uint32_t)count)];
        if (draw(16) == 0) return repaired(data, change_length(data, size, max_size, chosen));
        if (chosen->bytes == 0) continue;
        if (draw(4) != 0) change_rows(data, chosen);
        else (void)LLVMFuzzerMutate(data + chosen->rows, chosen->bytes, chosen->bytes);
    }
    return repaired(data, size);
}

#define MUST(condition)                                  \
    do {                                                 \
        if (!(condition)) {                              \
            fprintf(stderr, "not so: %s\n", #condition); \
            abort();                                     \
        }                                                \
    } while (0)

static void must_be_valid(b2d_world* world) {
    char what[384] = "";
    if (b2d_world_validate(world, what, sizeof what) == B2D_OK) return;
    fprintf(stderr, "not valid: %s\n", what);
    abort();
}

static uint64_t hash_of(b2d_world* world) {
    uint64_t hash = 0;
    MUST(b2d_world_hash(world, &hash) == B2D_OK);
    return hash;
}

static void must_be_written_again(b2d_world* world, const b2d_world_def* def) {
    char message[512] = "";
    int64_t bytes = 0;
    MUST(b2d_world_snapshot(world, NULL, 0, &bytes) == B2D_OK && bytes > 0);
    uint8_t* again = malloc((size_t)bytes);
    MUST(again != NULL && b2d_world_snapshot(world, again, bytes, &bytes) == B2D_OK);
    b2d_world* copy = NULL;
    MUST(b2d_world_from_snapshot(again, bytes, def, &copy, message, sizeof message) == B2D_OK);
    MUST(hash_of(world) == hash_of(copy));
    b2d_world_destroy(copy);
    free(again);
}

static void must_go_on(b2d_world* world) {
    must_be_valid(world);
    for (int k = 0; k < 3; k++) MUST(b2d_world_step(world, 1.0 / 60.0, 4) == B2D_OK);
    must_be_valid(world);
    b2d_body_def def;
    b2d_shape_def material;
    b2d_handle body, shape;
    b2d_body_def_init(&def);
    b2d_shape_def_init(&material);
    def.type = B2D_DYNAMIC, def.y = 3.0;
    MUST(b2d_body_create(world, &def, &body) == B2D_OK);
    const b2d_geometry circle = {.type = B2D_CIRCLE, .count = 1, .radius = 0.4f};
    MUST(b2d_shape_create(world, body.index, body.generation, &circle, &material, &shape) == B2D_OK);
    MUST(b2d_world_step(world, 1.0 / 60.0, 4) == B2D_OK);
    must_be_valid(world);
    MUST(b2d_world_clear(world) == B2D_OK);
}
