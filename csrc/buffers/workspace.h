// csrc/buffers/workspace.h - takes blocks from the caller's arena, and counts what would have been needed.
//
// Taking goes on counting when the arena is full, so that a call can take all blocks of one of its parts, ask once
// whether they fit, and report the size that this part needs.
#pragma once
#include "base/bits.h"
#include "box2dpy.h"

#include <string.h>

typedef struct b2d_workspace {
    uint8_t* bytes; // aligned to 64
    int64_t size, used;
    b2d_buffer_fault* fault;
} b2d_workspace;

enum { B2D_WORKSPACE_LINE = 64 };

static inline b2d_workspace b2d_workspace_open(void* arena, int64_t size, b2d_buffer_fault* fault) {
    const int64_t skip = (int64_t)(-(uintptr_t)arena % B2D_WORKSPACE_LINE);
    *fault = (b2d_buffer_fault){.problem = "", .row = B2D_NONE};
    return (b2d_workspace){(uint8_t*)arena + skip, size - skip, 0, fault};
}
// 64-byte aligned, not zeroed; not to be used before b2d_workspace_fits.
static inline void* b2d_workspace_take(b2d_workspace* w, int64_t count, size_t stride) {
    uint8_t* block = w->bytes + w->used;
    w->used += (count * (int64_t)stride + B2D_WORKSPACE_LINE - 1) / B2D_WORKSPACE_LINE * B2D_WORKSPACE_LINE;
    return block;
}
#define B2D_WORKSPACE_TAKE(w, pointer, count) ((pointer) = b2d_workspace_take(w, count, sizeof *(pointer)))

// A copy of rows of the caller, whose other threads may change them between the check of a row and its use.
static inline void* b2d_workspace_copy(b2d_workspace* w, const void* rows, int64_t count, size_t stride) {
    void* block = b2d_workspace_take(w, count, stride);
    if (count > 0 && w->used <= w->size) memcpy(block, rows, (size_t)count * stride);
    return block;
}
#define B2D_WORKSPACE_COPY(w, pointer, rows, count) ((pointer) = b2d_workspace_copy(w, rows, count, sizeof *(pointer)))

// A set of ids up to `count`; cleared once it fits.
static inline b2d_bits b2d_workspace_take_bits(b2d_workspace* w, int32_t count) {
    b2d_bits bits = {.word_count = count / 64 + 1};
    bits.summary_count = (bits.word_count + 63) / 64, bits.top_count = (bits.summary_count + 63) / 64;
    B2D_WORKSPACE_TAKE(w, bits.words, bits.word_count);
    B2D_WORKSPACE_TAKE(w, bits.summary, bits.summary_count);
    B2D_WORKSPACE_TAKE(w, bits.top, bits.top_count);
    return bits;
}
static inline void b2d_workspace_clear_bits(b2d_bits* bits) {
    memset(bits->words, 0, (size_t)bits->word_count * sizeof *bits->words);
    memset(bits->summary, 0, (size_t)bits->summary_count * sizeof *bits->summary);
    memset(bits->top, 0, (size_t)bits->top_count * sizeof *bits->top);
}

// The status of a wrong row of an array, or of none with B2D_NONE.
static inline b2d_status b2d_buffer_wrong(b2d_buffer_fault* fault, int32_t argument, int32_t row, const char* problem) {
    fault->problem = problem;
    fault->row = row;
    return B2D_OUT_OF_RANGE | argument << 8;
}
static inline b2d_status b2d_buffer_no_room(b2d_buffer_fault* fault, int32_t argument, int64_t needed) {
    fault->needed = needed;
    return B2D_NO_ROOM | argument << 8;
}
// B2D_OK if all that was taken fits, together with `more` bytes that are about to be taken.
static inline b2d_status b2d_workspace_fits(const b2d_workspace* w, int64_t more) {
    if (w->used + more <= w->size) return B2D_OK;
    return b2d_buffer_no_room(w->fault, B2D_ARG_ARENA, w->used + more + B2D_WORKSPACE_LINE);
}

// check.c - the values of rows
b2d_status b2d_buffer_check_bodies(const b2d_buffer_bodies* bodies, b2d_buffer_fault* fault);
b2d_status b2d_buffer_check_colliders(const b2d_buffer_collider* colliders, int32_t count, int32_t bodies,
                                      b2d_buffer_fault* fault);
b2d_status b2d_buffer_check_connections(const int32_t* connections, int32_t count, int32_t bodies,
                                        b2d_buffer_fault* fault);
b2d_status b2d_buffer_check_contacts(const b2d_buffer_contact* contacts, int32_t count, const b2d_buffer_bodies* bodies,
                                     b2d_buffer_fault* fault);
b2d_status b2d_buffer_check_sleeping(const uint64_t* sleeping, int32_t count, b2d_buffer_fault* fault);
b2d_status b2d_buffer_check_active(const int32_t* active, int32_t count, int32_t bodies, b2d_buffer_fault* fault);
b2d_status b2d_buffer_check_cache(const b2d_buffer_cache* cache, b2d_buffer_fault* fault);
b2d_status b2d_buffer_check_step(const b2d_buffer_step* step, b2d_buffer_fault* fault);
// The number of rows in use
int32_t b2d_buffer_cache_count(const b2d_buffer_cache* cache);

#define B2D_NO_TAG UINT64_MAX // in a row of a cache: it is free
