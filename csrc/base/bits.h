// csrc/base/bits.h - a set of small integers as a 64-bit bit array with two summary levels, walked in ascending order.
//
// Idea: bit i % 64 of words[i / 64] says whether i is in the set; bit w % 64 of summary[w / 64] says whether words[w]
// is not zero, and bit s % 64 of top[s / 64] whether summary[s] is not zero; all lie in one block. The cost of
// iteration, merging and clearing depends on the members, not on the largest id or on former members: of a million ids
// without members, four words are read.
// Threads: reserving is serial; a worker only sets bits in an array of its own, whose capacity was reserved before.
// Proof: tests/c/test_base.c.
#pragma once
#include "base/memory.h"

typedef struct b2d_bits {
    uint64_t* words;
    uint64_t* summary;
    uint64_t* top;
    int32_t word_count; // capacity, in words
    int32_t summary_count, top_count;
} b2d_bits;

bool b2d_bits_grow(b2d_memory* memory, b2d_bits* bits, int32_t words);
static inline bool b2d_bits_reserve(b2d_memory* memory, b2d_bits* bits, int32_t count) { // room for ids 0 .. count - 1
    return count <= 64ll * bits->word_count || b2d_bits_grow(memory, bits, (int32_t)((count + 63ll) / 64));
}
// Adds members; where the room does not suffice, it becomes at least `room`. False: no memory, and nothing is added.
bool b2d_bits_add(b2d_memory* memory, b2d_bits* bits, const int32_t* members, int32_t count, int32_t room);
void b2d_bits_free(b2d_memory* memory, b2d_bits* bits);
void b2d_bits_clear_members(b2d_bits* bits);
void b2d_bits_merge(b2d_bits* into, const b2d_bits* from); // into |= from; capacity must suffice
int32_t b2d_bits_count_members(const b2d_bits* bits);
int32_t b2d_bits_next(const b2d_bits* bits, int32_t from); // the least member >= from, or B2D_NONE
// Writes the members in [from_word * 64, to_word * 64) ascending to `out`, which has room for all; returns how many.
int32_t b2d_bits_list(const b2d_bits* bits, int32_t from_word, int32_t to_word, int32_t* out);

// The first word of the summary at or after s that has members, or summary_count
static inline int32_t b2d_bits_skip(const b2d_bits* bits, int32_t s) {
    if (s >= bits->summary_count || bits->summary[s] != 0) return s;
    int32_t t = s >> 6;
    uint64_t left = bits->top[t] & UINT64_MAX << (s & 63);
    while (left == 0) {
        if (++t == bits->top_count) return bits->summary_count;
        left = bits->top[t];
    }
    return 64 * t + b2d_ctz64(left);
}
static inline bool b2d_bits_is_empty(const b2d_bits* bits) {
    for (int32_t t = 0; t < bits->top_count; t++)
        if (bits->top[t] != 0) return false;
    return true;
}
// Most sets of a small step are empty, which these find out without a call.
static inline void b2d_bits_clear(b2d_bits* bits) { // cost: the words that have members
    if (!b2d_bits_is_empty(bits)) b2d_bits_clear_members(bits);
}
static inline int32_t b2d_bits_count(const b2d_bits* bits) {
    return b2d_bits_is_empty(bits) ? 0 : b2d_bits_count_members(bits);
}
static inline int32_t b2d_bits_first(const b2d_bits* bits) { // the least member, or B2D_NONE
    return b2d_bits_is_empty(bits) ? B2D_NONE : b2d_bits_next(bits, 0);
}

static inline void b2d_bits_note(b2d_bits* bits, int32_t w) { // words[w] is not zero
    bits->summary[w >> 6] |= 1ull << (w & 63);
    bits->top[w >> 12] |= 1ull << (w >> 6 & 63);
}
static inline void b2d_bits_note_empty(b2d_bits* bits, int32_t w) { // words[w] is zero
    if ((bits->summary[w >> 6] &= ~(1ull << (w & 63))) == 0) bits->top[w >> 12] &= ~(1ull << (w >> 6 & 63));
}
static inline void b2d_bits_set(b2d_bits* bits, int32_t i) {
    B2D_ASSERT(i >= 0 && i / 64 < bits->word_count);
    bits->words[i >> 6] |= 1ull << (i & 63);
    b2d_bits_note(bits, i >> 6);
}
// Whether the members are first, first + 1, first + 2 ..
static inline bool b2d_are_neighbours(const int32_t* members, int32_t count) {
    bool all = true;
    for (int32_t k = 1; k < count; k++) all &= members[k] == members[0] + k;
    return all;
}
static inline void b2d_bits_set_range(b2d_bits* bits, int32_t first, int32_t count) {
    B2D_ASSERT(first >= 0 && (first + count + 63) / 64 <= bits->word_count);
    for (int32_t end = first + count; first < end; first = (first | 63) + 1) {
        const int32_t w = first >> 6, beyond = 64 * w + 64 - end;
        bits->words[w] |= (UINT64_MAX >> (beyond > 0 ? beyond : 0)) & UINT64_MAX << (first & 63);
        b2d_bits_note(bits, w);
    }
}
// Sets many members; neighbours cost little more than one.
static inline void b2d_bits_set_many(b2d_bits* bits, const int32_t* members, int32_t count) {
    if (count > 0 && b2d_are_neighbours(members, count)) b2d_bits_set_range(bits, members[0], count);
    else
        for (int32_t k = 0; k < count; k++) b2d_bits_set(bits, members[k]);
}
static inline void b2d_bits_unset(b2d_bits* bits, int32_t i) {
    int32_t w = i >> 6;
    if (w < bits->word_count && (bits->words[w] &= ~(1ull << (i & 63))) == 0) b2d_bits_note_empty(bits, w);
}
static inline bool b2d_bits_has(const b2d_bits* bits, int32_t i) {
    return i >> 6 < bits->word_count && (bits->words[i >> 6] >> (i & 63) & 1) != 0;
}
// The bits first .. first + count - 1 of an array of words, at most 64; those beyond its end are zero
static inline uint64_t b2d_bit_range(const uint64_t* words, int32_t word_count, int32_t first, int32_t count) {
    const int32_t w = first >> 6, shift = first & 63;
    uint64_t bits = w < word_count ? words[w] >> shift : 0;
    if (shift != 0 && w + 1 < word_count) bits |= words[w + 1] << (64 - shift);
    return count == 64 ? bits : bits & ((1ull << count) - 1);
}
// Makes to[to_first + k] equal from[from_first + k] for k below `count`; the target has room.
static inline void b2d_bits_copy(b2d_bits* to, int32_t to_first, const b2d_bits* from, int32_t from_first,
                                 int32_t count) {
    for (int32_t k = 0; k < count; k += 64) {
        const int32_t n = count - k < 64 ? count - k : 64;
        const uint64_t change = b2d_bit_range(to->words, to->word_count, to_first + k, n) ^
                                b2d_bit_range(from->words, from->word_count, from_first + k, n);
        const uint64_t parts[2] = {change << ((to_first + k) & 63),
                                   (to_first + k) & 63 ? change >> (64 - ((to_first + k) & 63)) : 0};
        for (int32_t part = 0; part < 2; part++) {
            const int32_t w = ((to_first + k) >> 6) + part;
            if (parts[part] == 0) continue;
            B2D_ASSERT(w < to->word_count);
            to->words[w] ^= parts[part];
            if (to->words[w] != 0) b2d_bits_note(to, w);
            else b2d_bits_note_empty(to, w);
        }
    }
}
// Usage: B2D_FOR_BITS(bits, id) { ... }  The body may unset the current member and those below it.
#define B2D_FOR_BITS(bits, id) for (int32_t id = b2d_bits_first(bits); id != B2D_NONE; id = b2d_bits_next(bits, id + 1))
