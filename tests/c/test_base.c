// tests/c/test_base.c - the module base against naive models and libm. One line for each test; non-zero on failure.
// test_scheduler.c has the tests of the scheduler.
//
// Usage: test_base [substring of the tests to run]. tests/unit/test_c_base.py builds and runs it.
#define _GNU_SOURCE
#include "base/bits.h"
#include "base/cpu.h"
#include "base/id_pool.h"
#include "base/memory.h"
#include "base/pair_set.h"
#include "base/radix_sort.h"
#include "base/vec.h"
#include "test_base.h"
#include "test_simd.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/asan_interface.h>
#endif

atomic_int failures;
int32_t scale = 1;
static b2d_memory memory = {.fail_after = -1};

// ---- memory ----

static void test_growth(void) {
    int32_t* array = NULL;
    int32_t capacity = 0;
    for (int32_t i = 0; i < 100000; i++) {
        CHECK(B2D_GROW(&memory, array, capacity, i + 1), ==, true);
        CHECK(array[i], ==, 0);
        CHECK((uintptr_t)array % 64, ==, 0u);
        array[i] = i;
    }
    for (int32_t i = 0; i < 100000; i++) CHECK(array[i], ==, i);
    b2d_memory before = memory;
    int32_t* same = array;
    memory.fail_after = 0;
    CHECK(B2D_GROW(&memory, array, capacity, 2 * capacity), ==, false);
    CHECK(array == same, ==, true);
    CHECK(memory.bytes, ==, before.bytes);
    memory.fail_after = -1;
    b2d_free(&memory, array, (size_t)capacity * 4);
    CHECK(memory.bytes, ==, 0);
    CHECK(memory.allocations, <, 80); // geometric

    memory.fail_after = 1;
    void* one = b2d_allocate(&memory, 1);
    CHECK(one != NULL, ==, true);
    CHECK(b2d_allocate(&memory, 1) == NULL, ==, true);
    b2d_free(&memory, one, 1);
    memory.fail_after = -1;
}

// Blocks taken and given back at random keep what was written: they never overlap, free pieces are merged, empty slabs
// are released.
// A product that a size_t does not hold is refused; it must not be granted as what is left of it.
static void test_overflow(void) {
    const int32_t rows = (1 << 26) + 1;
    const size_t stride = SIZE_MAX / (1u << 26) + 1; // rows * stride is stride + 2^bits
    void* block = NULL;
    int32_t capacity = 0;
    CHECK(b2d_grow(&memory, &block, &capacity, rows, stride), ==, false);
    memory.settling = true;
    CHECK(b2d_fit(&memory, &block, &capacity, rows, stride), ==, false);
    memory.settling = false;
    CHECK(capacity, ==, 0);
    CHECK((uintptr_t)block, ==, 0u);
    if (sizeof(size_t) > sizeof(int32_t)) return; // no table of so few rows is too large
    b2d_shared table = {.stride = 64, .lead = 1};
    CHECK(b2d_shared_grow(&memory, &table, rows), ==, false);
    CHECK((uintptr_t)table.block, ==, 0u);
    uint64_t *words = NULL, *full = NULL, **const levels[] = {&words, &full};
    int32_t word_count = 0, full_count = 0, *const counts[] = {&word_count, &full_count};
    CHECK(b2d_grow_levels(&memory, levels, counts, 2, (1 << 29) + 1), ==, false);
    CHECK(word_count, ==, 0);
    b2d_memory_ask_again(&memory);
}

static void test_refused(void) {
    b2d_memory own = {.fail_after = -1};
    const size_t huge = SIZE_MAX / 4 + 1;
    CHECK(b2d_allocate(&own, huge) == NULL, ==, true);
    CHECK(own.refused, ==, (int64_t)huge);
    CHECK(b2d_memory_may_take(&own, own.refused), ==, false);
    own.refused = 4096; // as if the system had refused so many
    CHECK(b2d_allocate(&own, 4096) == NULL, ==, true);
    CHECK(b2d_allocate(&own, 8192) == NULL, ==, true);
    void* block = b2d_allocate(&own, 4032);
    CHECK(block != NULL, ==, true);
    CHECK(own.allocations, ==, 1);
    b2d_memory_ask_again(&own);
    void* larger = b2d_allocate(&own, 8192);
    CHECK(larger != NULL, ==, true);
    CHECK(b2d_memory_may_take(&own, -1), ==, true);
    b2d_free(&own, block, 4032);
    b2d_free(&own, larger, 8192);
    CHECK(own.bytes, ==, 0);

    // An eighth of the memory stays free, or half of what is free now.
    const int64_t gb = 1 << 30;
    CHECK(b2d_leaves_enough(14 * gb, 16 * gb, 16 * gb), ==, true);
    CHECK(b2d_leaves_enough(14 * gb + 1, 16 * gb, 16 * gb), ==, false);
    CHECK(b2d_leaves_enough(gb / 2, gb, 16 * gb), ==, true);
    CHECK(b2d_leaves_enough(gb / 2 + 1, gb, 16 * gb), ==, false);
    CHECK(b2d_leaves_enough(1, 0, 16 * gb), ==, false);
}

static void test_slab(void) {
    enum { BLOCKS = 60, ROUNDS = 20000, LARGEST = 1 << 20 };
    struct {
        uint8_t* p;
        size_t size;
        uint8_t mark;
    } blocks[BLOCKS] = {0};
    b2d_slab* slabs = NULL;
    size_t live = 0, most = 0;
    for (int32_t round = 0; round < ROUNDS + BLOCKS; round++) {
        const int32_t i = round < ROUNDS ? draw_below(BLOCKS) : round - ROUNDS;
        if (blocks[i].p != NULL) {
            CHECK(blocks[i].p[0], ==, blocks[i].mark);
            CHECK(blocks[i].p[blocks[i].size - 1], ==, blocks[i].mark);
            CHECK(b2d_slab_give(&slabs, blocks[i].p, blocks[i].size, false), ==, true);
            live -= blocks[i].size;
            blocks[i].p = NULL;
        } else if (round < ROUNDS) {
            blocks[i].size = (size_t)64 * (size_t)(1 + draw_below(draw_below(LARGEST / 64) + 1));
            blocks[i].mark = (uint8_t)(1 + draw_below(255));
            blocks[i].p = b2d_slab_take(&slabs, blocks[i].size);
            CHECK(blocks[i].p != NULL, ==, true);
            CHECK((uintptr_t)blocks[i].p % 64, ==, 0u);
            memset(blocks[i].p, blocks[i].mark, blocks[i].size < 200 ? blocks[i].size : 200);
            blocks[i].p[blocks[i].size - 1] = blocks[i].mark;
            live += blocks[i].size;
            if (live > most) most = live;
        }
    }
    CHECK(most, >, (size_t)(8 << 20));
    CHECK(slabs == NULL, ==, true);
    uint8_t mine[64];
    CHECK(b2d_slab_give(&slabs, mine, sizeof mine, false), ==, false);
}

// A stock serves requests of all sizes, counted once, and a request that does not fit goes to the system.
static void test_stock(void) {
    enum { STOCK = 100000, MOST = 40 };
    const int64_t before = memory.bytes;
    CHECK(b2d_memory_stock(&memory, STOCK), ==, true);
    CHECK(memory.bytes, ==, before + STOCK);
    const int64_t allocations = memory.allocations;
    uint8_t* blocks[MOST];
    for (int32_t round = 0; round < 100; round++) {
        for (int32_t k = 0; k < MOST; k++) {
            blocks[k] = b2d_allocate(&memory, (size_t)(1 + 97 * k));
            CHECK(blocks[k] != NULL, ==, true);
            memset(blocks[k], k + 1, (size_t)(1 + 97 * k));
        }
        for (int32_t k = 0; k < MOST; k++) {
            const int32_t at = round % 2 ? k : MOST - 1 - k;
            CHECK(blocks[at][97 * at], ==, at + 1);
            b2d_free(&memory, blocks[at], (size_t)(1 + 97 * at));
        }
    }
    CHECK(memory.allocations, ==, allocations);
    CHECK(memory.bytes, ==, before + STOCK);
    void* large = b2d_allocate(&memory, 2 * STOCK);
    CHECK(large != NULL, ==, true);
    CHECK(memory.allocations, ==, allocations + 1);
    b2d_free(&memory, large, 2 * STOCK);
    CHECK(b2d_memory_stock(&memory, STOCK / 2), ==, true); // there is as much
    CHECK(memory.bytes, ==, before + STOCK);
    memory.fail_after = 0;
    CHECK(b2d_memory_stock(&memory, 2 * STOCK), ==, false);
    memory.fail_after = -1;
    CHECK(b2d_memory_stock(&memory, 2 * STOCK), ==, true);
    b2d_memory_leave_stock(&memory);
    CHECK(memory.bytes, ==, before);
    CHECK(memory.stock == NULL, ==, true);

    b2d_arena arena = {.memory = &memory};
    CHECK(b2d_arena_reserve(&arena, 50000), ==, true);
    const int64_t taken = memory.allocations;
    for (int32_t k = 0; k < 50; k++) CHECK(b2d_arena_take(&arena, 900) != NULL, ==, true);
    CHECK(memory.allocations, ==, taken);
    b2d_arena_free(&arena);
    CHECK(memory.bytes, ==, before);
}

// The large arrays of a world move into slabs as it grows, and all slabs are released with the last array.
static void test_large(void) {
    void* arrays[40];
    for (int32_t i = 0; i < 40; i++) {
        arrays[i] = b2d_allocate(&memory, (size_t)300 << 10);
        CHECK(arrays[i] != NULL, ==, true);
    }
    CHECK(memory.slabs != NULL, ==, true);
#if defined(__SANITIZE_ADDRESS__) // the gap behind a block is guarded, so a write beyond its end is reported
    CHECK(__asan_address_is_poisoned(arrays[39]), ==, 0);
    CHECK(__asan_address_is_poisoned((char*)arrays[39] + ((size_t)300 << 10)), ==, 1);
#endif
    for (int32_t i = 0; i < 40; i++) b2d_free(&memory, arrays[i], (size_t)300 << 10);
    CHECK(memory.slabs == NULL, ==, true);
    CHECK(memory.bytes, ==, 0);
}

static void test_shared(void) {
    b2d_shared table = {.stride = 40, .lead = 1};
    CHECK(b2d_shared_acquire(&table) == NULL, ==, true);
    CHECK(b2d_shared_grow(&memory, &table, 3), ==, true);
    CHECK((uintptr_t)table.data % 64, ==, 0u);
    for (int i = -40; i < 120; i++) CHECK(((uint8_t*)table.data)[i], ==, 0);
    ((uint8_t*)table.data)[119] = 7;
    void* view = b2d_shared_acquire(&table);
    uint8_t* old = table.data;
    CHECK(b2d_shared_grow(&memory, &table, 1000), ==, true);
    CHECK(((uint8_t*)table.data)[119], ==, 7);
    CHECK(((uint8_t*)table.data)[120], ==, 0);
    CHECK(((uint8_t*)table.data)[-1], ==, 0);
    CHECK(old[119], ==, 7); // stale, not dangling
    void* second = b2d_shared_acquire(&table);
    b2d_shared_free(&memory, &table);
    CHECK(memory.bytes, ==, 0);
    b2d_shared_release(view);
    b2d_shared_release(second);
    b2d_shared_release(NULL);
}

static void test_pool(void) {
    enum { BLOCKS = 2000 };
    static struct {
        uint8_t* p;
        size_t granted;
    } blocks[BLOCKS];
    b2d_pool pool = {0};
    int64_t steady = 0;
    for (int32_t round = 0; round < 60; round++) {
        for (int32_t i = 0; i < BLOCKS; i++) {
            size_t wanted = (size_t)(i % 97 == 0 ? 30000 : i * 7 % 700);
            blocks[i].p = b2d_pool_take(&memory, &pool, wanted, &blocks[i].granted);
            CHECK((uintptr_t)blocks[i].p % (blocks[i].granted < 64 ? blocks[i].granted : 64), ==, 0u);
            CHECK(blocks[i].granted, >=, wanted);
            CHECK(blocks[i].granted, ==, b2d_pool_granted(wanted));
            memset(blocks[i].p, i & 255, blocks[i].granted);
        }
        for (int32_t i = 0; i < BLOCKS; i++) {
            CHECK(blocks[i].p[0], ==, i & 255);
            CHECK(blocks[i].p[blocks[i].granted - 1], ==, i & 255);
            b2d_pool_give(&pool, blocks[i].p, blocks[i].granted);
        }
        if (round == 0) steady = memory.allocations;
    }
    CHECK(memory.allocations, ==, steady);
    memory.fail_after = 0;
    size_t granted;
    CHECK(b2d_pool_take(&memory, &pool, 1 << 26, &granted) == NULL, ==, true);
    memory.fail_after = -1;
    b2d_pool_free(&memory, &pool);
    CHECK(memory.bytes, ==, 0);
}

static void test_arena(void) {
    b2d_arena arena = {.memory = &memory};
    int64_t steady = 0;
    for (int32_t round = 0; round < 20; round++) {
        b2d_arena_reset(&arena);
        if (round == 2) steady = memory.allocations;
        uint8_t* last = NULL;
        for (int32_t i = 0; i < 300; i++) {
            uint8_t* p = b2d_arena_take(&arena, (size_t)i * 11);
            CHECK((uintptr_t)p % 64, ==, 0u);
            memset(p, i & 255, (size_t)i * 11);
            if (last != NULL) CHECK(last[0], ==, (i - 1) & 255);
            last = i == 0 ? NULL : p;
        }
    }
    CHECK(memory.allocations, ==, steady);
    CHECK(arena.overflow == NULL, ==, true);
    b2d_arena_free(&arena);
    CHECK(memory.bytes, ==, 0);
}

// ---- sets ----

static void test_bits(void) {
    const int32_t sizes[] = {0, 1, 31, 32, 33, 63, 64, 65, 4095, 4096, 4097, 1000000};
    for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
        int32_t n = sizes[k];
        b2d_bits bits = {0}, other = {0};
        CHECK(b2d_bits_next(&bits, 0), ==, B2D_NONE);
        CHECK(b2d_bits_has(&bits, 0), ==, false);
        CHECK(b2d_bits_reserve(&memory, &bits, n), ==, true);
        CHECK(b2d_bits_reserve(&memory, &other, n), ==, true);
        bool* naive = calloc((size_t)n + 1, sizeof *naive);
        int32_t* list = malloc(((size_t)n + 64) * sizeof *list);
        int32_t members = 0;
        for (int32_t i = 0; i < n; i++) {
            // every bit of some words, sparse in the rest, and always the trap bits
            bool in = i % 4096 < 70 || draw_below(500) == 0 || i == n - 1 ||
                      (i < 256 && (i % 64 == 63 || i % 32 == 31));
            naive[i] = in;
            members += in;
            if (in) b2d_bits_set(draw_below(2) ? &bits : &other, i);
        }
        b2d_bits_merge(&bits, &other);
        CHECK(b2d_bits_count(&bits), ==, members);
        int32_t at = 0;
        for (int32_t i = 0; i < n; i++) CHECK(b2d_bits_has(&bits, i), ==, naive[i]);
        B2D_FOR_BITS (&bits, id) {
            while (at < n && !naive[at]) at++;
            CHECK(id, ==, at);
            at++;
        }
        int32_t cut = bits.word_count / 3, count = b2d_bits_list(&bits, 0, cut, list);
        count += b2d_bits_list(&bits, cut, bits.word_count + 5, list + count);
        CHECK(count, ==, members);
        int32_t j = 0;
        B2D_FOR_BITS (&bits, id) CHECK(list[j++], ==, id);
        int32_t removed = 0;
        for (int32_t i = 0; i < members; i++)
            if (list[i] % 3 != 0) list[removed++] = list[i];
        b2d_bits_unset_many(&bits, list, removed / 2);
        for (int32_t i = removed / 2; i < removed; i++) b2d_bits_unset(&bits, list[i]);
        for (int32_t w = 0; w < bits.word_count; w++)
            CHECK((bits.summary[w >> 6] >> (w & 63) & 1) != 0, ==, bits.words[w] != 0);
        for (int32_t s = 0; s < bits.summary_count; s++)
            CHECK((bits.top[s >> 6] >> (s & 63) & 1) != 0, ==, bits.summary[s] != 0);
        B2D_FOR_BITS (&bits, id) CHECK(id % 3, ==, 0);
        for (int32_t trial = 0; trial < 200 && n > 0; trial++) {
            int32_t from = draw_below(n), expected = from;
            while (expected < n && !(naive[expected] && expected % 3 == 0)) expected++;
            CHECK(b2d_bits_next(&bits, from), ==, expected == n ? B2D_NONE : expected);
        }
        CHECK(b2d_bits_reserve(&memory, &bits, 2 * n + 100), ==, true); // grows with its members, summary as well
        b2d_bits_set(&bits, 2 * n + 99);
        for (int32_t i = 0; i < n; i++) CHECK(b2d_bits_has(&bits, i), ==, naive[i] && i % 3 == 0);
        b2d_bits_clear(&bits);
        CHECK(b2d_bits_count(&bits), ==, 0);
        for (int32_t w = 0; w < bits.word_count; w++) CHECK(bits.words[w], ==, 0u);
        free(naive);
        free(list);
        b2d_bits_free(&memory, &bits);
        b2d_bits_free(&memory, &other);
    }
    b2d_bits bits = {0}; // growing one by one, the summary always covers the words
    for (int32_t i = 0; i < 70000; i += 61) {
        CHECK(b2d_bits_reserve(&memory, &bits, i + 1), ==, true);
        CHECK((int64_t)bits.summary_count * 64, >=, bits.word_count);
        CHECK((int64_t)bits.top_count * 64, >=, bits.summary_count);
        b2d_bits_set(&bits, i);
    }
    b2d_bits_free(&memory, &bits);
    CHECK(memory.bytes, ==, 0);
}

// Lists that grow in turns get ids that follow each other, and lists that shrink leave no more gaps than allowed.
static void test_id_pool_after(void) {
    enum { LISTS = 6, ROWS = 3000, RUN = 8 };
    static int32_t rows[LISTS][ROWS];
    int32_t length[LISTS] = {0}, followers = 0, most = 0;
    b2d_id_pool pool = {0};
    CHECK(b2d_id_pool_after(&pool, B2D_NONE, RUN), ==, 0);
    for (int32_t op = 0; op < 60000; op++) {
        const int32_t k = draw_below(LISTS), n = length[k];
        if (draw_below(100) < (op % 20000 < 10000 ? 80 : 35) && n < ROWS) {
            const int32_t last = n == 0 ? B2D_NONE : rows[k][n - 1],
                          run = n < 2   ? 1
                                : n < 4 ? 2
                                : n < 8 ? 4
                                        : RUN,
                          id = b2d_id_pool_after(&pool, last, run), end = pool.count + pool.count / 4;
            CHECK(b2d_id_pool_has(&pool, id), ==, false);
            CHECK(id, <, b2d_max_int(end, pool.count + 1));
            if (last != B2D_NONE && last + 1 < end && !b2d_id_pool_has(&pool, last + 1)) CHECK(id, ==, last + 1);
            CHECK(b2d_id_pool_take_id(&memory, &pool, id), ==, true);
            rows[k][length[k]++] = id;
        } else if (n > 0) {
            b2d_id_pool_release(&pool, rows[k][--length[k]]);
        }
        most = b2d_max_int(most, pool.count);
        CHECK(pool.limit, <=, most + most / 4 + 1);
        if (op != 10000) continue;
        for (int32_t j = 0; j < LISTS; j++)
            for (int32_t i = 1; i < length[j]; i++) followers += rows[j][i] == rows[j][i - 1] + 1;
        CHECK(followers, >, pool.count * 3 / 4); // at random it is a sixth
    }
    b2d_id_pool_free(&memory, &pool);

    for (int32_t id = 0; id < 40; id++)
        if (id < 16 || id >= 24) CHECK(b2d_id_pool_take_id(&memory, &pool, id), ==, true);
    CHECK(b2d_id_pool_after(&pool, B2D_NONE, 8), ==, 16); // the least run
    CHECK(b2d_id_pool_after(&pool, 15, 8), ==, 16);
    CHECK(b2d_id_pool_take_id(&memory, &pool, 17), ==, true);
    CHECK(b2d_id_pool_after(&pool, 30, 8), ==, 20); // there are only four
    CHECK(b2d_id_pool_after(&pool, 17, 8), ==, 18);
    CHECK(b2d_id_pool_after(&pool, 30, 1), ==, 16); // the lowest
    b2d_id_pool_free(&memory, &pool);
    CHECK(memory.bytes, ==, 0);
}

static void test_id_pool(void) {
    enum { IDS = 20000 };
    static bool taken[IDS];
    b2d_id_pool pool = {0};
    CHECK(b2d_id_pool_next(&pool, 0), ==, B2D_NONE);
    int32_t count = 0, limit = 0;
    for (int32_t op = 0; op < 300000; op++) {
        bool grow = draw_below(100) < (op % 60000 < 30000 ? 80 : 30);
        if (grow && count < IDS) {
            int32_t lowest = 0;
            while (taken[lowest]) lowest++;
            int32_t id = b2d_id_pool_take(&memory, &pool);
            CHECK(id, ==, lowest);
            if (id != lowest) return;
            taken[id] = true;
            count++;
            limit = b2d_max_int(limit, id + 1);
        } else if (count > 0) {
            int32_t id = b2d_id_pool_next(&pool, draw_below(limit));
            if (id == B2D_NONE) id = b2d_id_pool_next(&pool, 0);
            CHECK(taken[id], ==, true);
            b2d_id_pool_release(&pool, id);
            taken[id] = false;
            count--;
        }
        CHECK(pool.count, ==, count);
        CHECK(pool.limit, ==, limit);
        if (op % 1000 == 0)
            for (int32_t i = 0; i < limit; i++) CHECK(b2d_id_pool_has(&pool, i), ==, taken[i]);
    }
    CHECK(b2d_id_pool_has(&pool, -1), ==, false);
    CHECK(b2d_id_pool_has(&pool, INT32_MAX), ==, false);
    b2d_id_pool_free(&memory, &pool);

    CHECK(b2d_id_pool_reserve(&memory, &pool, 65), ==, true);
    memory.fail_after = 0;
    int32_t without = 0; // no memory needed
    while (b2d_id_pool_take(&memory, &pool) != B2D_NONE) without++;
    CHECK(without, >=, 65);
    CHECK(pool.count, ==, without);
    memory.fail_after = -1;
    CHECK(b2d_id_pool_take(&memory, &pool), ==, without);
    b2d_id_pool_free(&memory, &pool);

    for (int32_t k = 0; k < 300; k++) { // three owners take every third id, in turns
        const int32_t id = b2d_id_pool_lowest_of(&pool, k % 3, 3);
        CHECK(id, ==, k);
        CHECK(b2d_id_pool_take_id(&memory, &pool, id), ==, true);
    }
    CHECK(b2d_id_pool_lowest(&pool), ==, 300);
    b2d_id_pool_release(&pool, 100);
    b2d_id_pool_release(&pool, 64);
    CHECK(b2d_id_pool_lowest(&pool), ==, 64);
    CHECK(b2d_id_pool_lowest_of(&pool, 1, 3), ==, 64);
    CHECK(b2d_id_pool_lowest_of(&pool, 2, 3), ==, 302);
    CHECK(b2d_id_pool_take_id(&memory, &pool, 64), ==, true);
    CHECK(b2d_id_pool_lowest_of(&pool, 1, 3), ==, 100);
    b2d_id_pool_free(&memory, &pool);
    CHECK(memory.bytes, ==, 0);
}

static void test_pair_set(void) {
    enum { IDS = 256 };
    static int32_t naive[IDS][IDS]; // value + 1
    b2d_pair_set set = {0};
    int32_t count = 0;
    CHECK(b2d_pair_set_find(&set, b2d_pair_key(3, 1)), ==, B2D_NONE);
    CHECK(b2d_pair_key(3, 1), ==, b2d_pair_key(1, 3));
    for (int32_t op = 0; op < 1000000; op++) {
        int32_t a = draw_below(IDS), b = draw_below(IDS);
        uint64_t key = b2d_pair_key(a * 1000003, b * 1000003); // wide ids too
        int32_t* model = a < b ? &naive[a][b] : &naive[b][a];
        int32_t what = draw_below(100);
        if (what < (op % 200000 < 120000 ? 55 : 25)) {
            CHECK(b2d_pair_set_add(&memory, &set, key, op), ==, true);
            count += *model == 0;
            *model = op + 1;
        } else if (what < 70) {
            b2d_pair_set_remove(&set, key);
            count -= *model != 0;
            *model = 0;
        } else {
            CHECK(b2d_pair_set_find(&set, key), ==, *model - 1);
        }
        CHECK(set.count, ==, count);
    }
    for (int32_t a = 0; a < IDS; a++)
        for (int32_t b = a; b < IDS; b++)
            CHECK(b2d_pair_set_find(&set, b2d_pair_key(a * 1000003, b * 1000003)), ==, naive[a][b] - 1);
    b2d_pair_set before = set;
    for (int32_t after = 0; after < 2; after++) {
        memory.fail_after = after;
        CHECK(b2d_pair_set_reserve(&memory, &set, 1000000), ==, false);
        CHECK(set.keys == before.keys && set.capacity == before.capacity, ==, true);
    }
    memory.fail_after = -1;
    b2d_pair_set_free(&memory, &set);
    CHECK(memory.bytes, ==, 0);
}

// ---- sorting ----

static int by_key(const void* a, const void* b) {
    uint64_t x = *(const uint64_t*)a, y = *(const uint64_t*)b;
    return (x > y) - (x < y);
}

static void test_radix_sort(void) {
    const int32_t sizes[] = {0, 1, 2, 47, 48, 49, 50, 255, 1000, 100000};
    const uint64_t masks[] = {UINT64_MAX, 0xff, 0xff00000000, 0x000fffff000fffff, 0x8000000000000001, 0};
    uint64_t *keys = malloc(800000), *model = malloc(800000), *scratch = malloc(800000);
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++)
        for (size_t m = 0; m < sizeof masks / sizeof *masks; m++) {
            size_t n = (size_t)sizes[s];
            for (size_t i = 0; i < n; i++) keys[i] = model[i] = draw_bits() & masks[m];
            b2d_radix_sort(keys, scratch, sizes[s]);
            qsort(model, n, sizeof *model, by_key);
            CHECK(memcmp(keys, model, n * 8), ==, 0);
        }
    free(keys);
    free(model);
    free(scratch);

    const float special[] = {-INFINITY, -3.4e38f, -1.0f,  -1e-38f, -1e-45f, -0.0f,
                             0.0f,      1e-45f,   1e-38f, 1.0f,    3.4e38f, INFINITY};
    enum { SPECIALS = sizeof special / sizeof *special };
    for (int32_t i = 0; i < 200000; i++) {
        union {
            uint32_t u;
            float f;
        } a = {(uint32_t)draw_bits()}, b = {(uint32_t)draw_bits()};
        if (i % 3 == 0) a.f = special[draw_below(SPECIALS)], b.f = special[draw_below(SPECIALS)];
        if (isnan(a.f) || isnan(b.f)) continue;
        CHECK(a.f < b.f, ==, (b2d_float_key(a.f) < b2d_float_key(b.f)));
        CHECK(a.f == b.f, ==, (b2d_float_key(a.f) == b2d_float_key(b.f)));
    }
}

// Every pattern of 32 bits that is a number, or one block of `scale`: keys ascend with the numbers from -infinity to
// infinity, and a key gives its number back.
static void test_float_key(void) {
    int64_t wrong = 0, numbers = 0;
    for (uint32_t sign = 0; sign < 2; sign++)
        // Away from zero, in blocks, so that a compiler sees a simple loop.
        for (uint32_t from = 0; from < 0x7f800000u; from += 0x8000u * (uint32_t)scale)
            for (uint32_t k = 0; k < 0x8000u; k++, numbers++) {
                const uint32_t pattern = from + 1 + k;
                union {
                    uint32_t u;
                    float f;
                } number = {pattern | sign << 31};
                // Keys ascend by one from number to number.
                const uint32_t key = b2d_float_key(number.f);
                const uint32_t back = (key & 0x80000000u) != 0 ? key ^ 0x80000000u : ~key;
                wrong += (key != (sign == 0 ? 0x80000000u + pattern : 0x7fffffffu - pattern)) | (back != number.u);
            }
    CHECK(wrong, ==, 0);
    CHECK(numbers * scale, >=, 2 * 0x7f800000ll); // all but zeros and what is no number
    CHECK(b2d_float_key(0.0f), ==, 0x80000000u);
    CHECK(b2d_float_key(-0.0f), ==, 0x80000000u);
}

// ---- trigonometry ----

static double ulps(float got, double exact) {
    float rounded = fabsf((float)exact);
    double step = fmax(nextafterf(rounded, INFINITY) - rounded, 1.4e-45);
    return fabs(got - exact) / step;
}

static void test_trig(void) {
    b2d_rot none = b2d_make_rot(0.0), minus = b2d_make_rot(-0.0);
    CHECK(none.c, ==, 1.0f);
    CHECK(none.s, ==, 0.0f);
    CHECK(signbit(minus.s), ==, 0);
    double worst = 0.0, worst_angle = 0.0;
    for (int32_t i = 0; i < 2000000; i++) {
        double unit = (double)(int64_t)draw_bits() / 9.3e18;
        double ranges[] = {0.001, 1.0, 8.0, 1000.0, 1e6, 1e10, 1e15};
        double angle = unit * ranges[i % 7];
        if (i % 11 == 0) angle = (draw_below(4001) - 2000) * (M_PI / 4); // beside zeros and edges of the series
        b2d_rot q = b2d_make_rot(angle);
        double error = fmax(ulps(q.c, cos(angle)), ulps(q.s, sin(angle)));
        if (error > worst) worst = error, worst_angle = angle;
    }
    CHECK(worst, <, 0.51);
    printf("    sine and cosine: %.4f ulp at %.17g\n", worst, worst_angle);
    const double huge[] = {1e16, 1e100, 1.7e308, -1e300};
    for (int i = 0; i < 4; i++) {
        b2d_rot q = b2d_make_rot(huge[i]);
        CHECK(fabsf(q.c * q.c + q.s * q.s - 1.0f), <, 1e-6f);
    }
    CHECK(isnan(b2d_make_rot(INFINITY).c), ==, true);
    CHECK(isnan(b2d_integrate_rot(none, NAN).s), ==, true);

    worst = 0.0;
    for (int32_t i = 0; i < 2000000; i++) {
        union {
            uint32_t u;
            float f;
        } x = {(uint32_t)draw_bits()}, y = {(uint32_t)draw_bits()};
        if (i % 2 == 0) x.f = (float)draw_below(2001) - 1000.0f, y.f = (float)draw_below(2001) - 1000.0f;
        if (isnan(x.f) || isnan(y.f) || (isinf(x.f) && isinf(y.f)) || (x.f == 0.0f && y.f == 0.0f)) continue;
        double exact = atan2((double)y.f + 0.0, (double)x.f + 0.0);
        worst = fmax(worst, ulps(b2d_atan2(y.f, x.f), exact));
    }
    CHECK(worst, <, 0.51);
    printf("    arc tangent: %.4f ulp\n", worst);
    CHECK(b2d_atan2(0.0f, 0.0f), ==, 0.0f);
    CHECK(b2d_atan2(-0.0f, -1.0f), ==, (float)M_PI);
    CHECK(b2d_atan2(-0.0f, -0.0f), ==, 0.0f);

    b2d_rot q = b2d_make_rot(0.3);
    double angle = 0.3;
    for (int32_t i = 0; i < 100000; i++) q = b2d_integrate_rot(q, 0.01f), angle += (double)0.01f;
    CHECK(fabs(sqrt((double)q.c * q.c + (double)q.s * q.s) - 1.0), <, 1e-7);
    CHECK(fabs(q.s - sin(angle)), <, 1e-4); // 1e5 roundings of 3e-8, random in sign
    for (int32_t i = 0; i < 1000; i++) {    // a body that does not rotate keeps its bits
        b2d_rot a = b2d_integrate_rot(b2d_make_rot(i * 0.37), 0.0f), b = b2d_integrate_rot(a, 0.0f);
        CHECK(a.c, ==, b.c);
        CHECK(a.s, ==, b.s);
    }
}

// ---- SIMD ----

static bool equal_floats(const float* a, const float* b, int count, bool any_nan) {
    for (int i = 0; i < count; i++)
        if (memcmp(&a[i], &b[i], 4) != 0 && !(any_nan && isnan(a[i]) && isnan(b[i]))) return false;
    return true;
}

static void test_simd(void) {
    static simd_input in;
    static simd_output expected, got;
    const float special[] = {0.0f, -0.0f, 1.0f, -1.0f, INFINITY, -INFINITY, NAN, 1e-45f, -1e-40f, 3.4e38f, 1e-20f};
    enum { SPECIALS = sizeof special / sizeof *special };
    for (int i = 0; i < SIMD_VALUES; i++) {
        union {
            uint32_t u;
            float f;
        } a = {(uint32_t)draw_bits()}, b = {(uint32_t)draw_bits()};
        in.a[i] = i < SPECIALS * SPECIALS ? special[i / SPECIALS] : i % 2 ? a.f : (float)draw_below(100) * 0.37f;
        in.b[i] = i < SPECIALS * SPECIALS ? special[i % SPECIALS] : i % 2 ? b.f : (float)draw_below(100) * 0.37f;
        in.index[i] = i % 5 == 0 ? -1 : draw_below(SIMD_VALUES);
        in.targets[i] = i;
        in.flags[i] = draw_below(2);
    }
    for (int i = 0; i < 8 * (SIMD_VALUES + 1); i++) in.rows[i] = (float)i;
    for (int i = SIMD_VALUES - 1; i > 0; i--) {
        int j = draw_below(i + 1), t = in.targets[i];
        in.targets[i] = in.targets[j], in.targets[j] = t;
    }
    CHECK(simd_test_scalar(&in, &expected), ==, true);
    for (int i = 0; i < SIMD_VALUES; i++)
        for (int k = 0; k < 8; k++) CHECK(expected.gathered[k][i], ==, (float)(8 * (in.index[i] + 1) + k));

    static const struct {
        int32_t simd;
        const char* name;
        bool (*run)(const simd_input*, simd_output*);
    } sets[] = {{B2D_SIMD_SSE2, "sse2", simd_test_sse2},
                {B2D_SIMD_AVX2, "avx2", simd_test_avx2},
                {B2D_SIMD_AVX512, "avx512", simd_test_avx512},
                {B2D_SIMD_NEON, "neon", simd_test_neon},
                {B2D_SIMD_WASM, "wasm", simd_test_wasm}};
    CHECK(b2d_cpu_has(b2d_cpu_best()), ==, true);
    for (int s = 0; s < (int)(sizeof sets / sizeof *sets); s++) {
        if (!b2d_cpu_has(sets[s].simd)) {
            printf("    %s: not on this processor\n", sets[s].name);
            continue;
        }
        memset(&got, 0, sizeof got);
        CHECK(sets[s].run(&in, &got), ==, true);
        for (int k = 0; k < SIMD_OPERATIONS; k++)
            if (!equal_floats(expected.values[k], got.values[k], SIMD_VALUES, k < SIMD_ARITHMETIC))
                printf("    %s: operation %d differs\n", sets[s].name, k), failures++;
        for (int k = 0; k < SIMD_MASKS; k++)
            if (memcmp(expected.masks[k], got.masks[k], SIMD_VALUES) != 0)
                printf("    %s: mask %d differs\n", sets[s].name, k), failures++;
        CHECK(memcmp(expected.gathered, got.gathered, sizeof got.gathered), ==, 0);
        CHECK(memcmp(expected.quads, got.quads, sizeof got.quads), ==, 0);
        CHECK(memcmp(expected.scattered, got.scattered, sizeof got.scattered), ==, 0);
        CHECK(memcmp(expected.scattered_some, got.scattered_some, sizeof got.scattered_some), ==, 0);
        printf("    %s: agrees with scalar\n", sets[s].name);
    }
}

int main(int count, char** arguments) {
    static const struct {
        const char* name;
        void (*run)(void);
    } tests[] = {{"growth", test_growth},
                 {"overflow", test_overflow},
                 {"refused", test_refused},
                 {"slab", test_slab},
                 {"stock", test_stock},
                 {"large", test_large},
                 {"shared", test_shared},
                 {"pool", test_pool},
                 {"arena", test_arena},
                 {"bits", test_bits},
                 {"id_pool", test_id_pool},
                 {"id_pool_after", test_id_pool_after},
                 {"pair_set", test_pair_set},
                 {"radix_sort", test_radix_sort},
                 {"float_key", test_float_key},
                 {"trig", test_trig},
                 {"simd", test_simd},
                 {"scheduler", test_scheduler},
                 {"scheduler_chaos", test_scheduler_chaos},
#if !defined(B2D_NO_THREADS)
                 {"scheduler_shared", test_scheduler_shared},
                 {"scheduler_hosted", test_scheduler_hosted},
                 {"side_tasks", test_side_tasks},
                 {"scheduler_fork", test_scheduler_fork},
#endif
                 {"float_word", test_float_word}};
    if (getenv("TEST_SCALE") != NULL) scale = atoi(getenv("TEST_SCALE"));
    for (size_t i = 0; i < sizeof tests / sizeof *tests; i++) {
        if (count > 1 && strstr(tests[i].name, arguments[1]) == NULL) continue;
        int before = failures;
        run_test(tests[i].name, tests[i].run);
        printf("%s %s\n", failures == before ? "ok  " : "FAIL", tests[i].name);
        fflush(stdout);
    }
    print_bounds();
    return failures != 0;
}
