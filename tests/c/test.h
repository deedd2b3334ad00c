// tests/c/test.h - the random numbers of the C tests, and the worst values that their bounds met.
//
// RUN(test) starts a generator of the test's own: from the name of the test, so that nothing that another test draws
// changes its samples, and from the number in B2D_SEED, which gives all tests other samples. A draw outside of RUN
// ends the program. The samples must not depend on the processor either: what is drawn once for each instruction set
// is drawn in a branch. RUN prints the state of the generator after the test. tests/unit/test_c_narrowphase.py and
// tests/unit/test_c_broadphase.py compare these lines with those of a run that is limited to scalar code. The order in
// which C evaluates arguments and operands is open, so an expression draws once.
//
// With B2D_WORST in the environment, `print_bounds` lists the value of each BOUND that came nearest to its limit.
#pragma once
#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

// ---- random numbers

static uint64_t draw_state; // 0: no test runs
static bool bounds_wanted;

static inline uint64_t mixed(uint64_t x) { // a bijection in which each bit of the result depends on all bits
    x += 0x9e3779b97f4a7c15ull;
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9ull;
    x = (x ^ x >> 27) * 0x94d049bb133111ebull;
    return x ^ x >> 31;
}

static inline void draw_start(const char* name) {
    const char* offset = getenv("B2D_SEED");
    bounds_wanted = getenv("B2D_WORST") != NULL;
    uint64_t hash = 14695981039346656037ull;
    for (; *name != 0; name++) hash = (hash ^ (uint8_t)*name) * 1099511628211ull;
    draw_state = mixed(hash + mixed(offset == NULL ? 0 : strtoull(offset, NULL, 10))) | 1u;
}

static inline uint64_t draw_bits(void) { // xorshift64*
    if (draw_state == 0) {
        fprintf(stderr, "a random number is drawn outside of a test\n");
        abort();
    }
    draw_state ^= draw_state >> 12, draw_state ^= draw_state << 25, draw_state ^= draw_state >> 27;
    return draw_state * 2685821657736338717ull;
}
static inline double draw_unit(void) { return (double)(draw_bits() >> 32) * 0x1p-32; } // [0, 1)
static inline float draw_float(void) { return (float)(draw_bits() >> 40) * 0x1p-24f; } // [0, 1)
static inline double draw(double lower, double upper) { return lower + (upper - lower) * draw_unit(); }
static inline int32_t draw_below(int32_t n) { return (int32_t)((draw_bits() >> 32) * (uint64_t)n >> 32); }
static inline bool draw_chance(double p) { return draw_unit() < p; }

// Begins branch k of the generator; setting draw_state to the returned value ends it as if nothing had been drawn.
static inline uint64_t draw_branch(uint64_t k) {
    const uint64_t here = draw_state;
    draw_state = mixed(here + mixed(k)) | 1u;
    return here;
}

static inline void run_test(const char* name, void (*test)(void)) {
    draw_start(name);
    const uint64_t start = draw_state;
    test();
    if (draw_state != start) printf("samples of %s: %016" PRIx64 "\n", name, draw_state);
    draw_state = 0;
}
#define RUN(test) run_test(#test, test)

// ---- bounds

typedef struct bound {
    const char *file, *text;
    int line;
    double value, limit, margin; // the margin is a share of the limit, negative where the bound is not met
    struct bound* next;
} bound;
static bound* noted_bounds;

static inline void note_bound(bound* b, double value, const char* relation, double limit) {
    if (!bounds_wanted || (*relation != '<' && *relation != '>')) return;
    const double margin = (*relation == '<' ? limit - value : value - limit) / (limit == 0.0 ? 1.0 : fabs(limit));
    if (b->next == NULL) b->next = noted_bounds == NULL ? b : noted_bounds, noted_bounds = b;
    else if (margin >= b->margin) return;
    b->value = value, b->limit = limit, b->margin = margin;
}
#define NOTE_BOUND(value, relation, limit, words)                                \
    do {                                                                         \
        static bound here = {.file = __FILE__, .text = words, .line = __LINE__}; \
        note_bound(&here, (double)(value), #relation, (double)(limit));          \
    } while (0)

// Whether `value relation limit` holds.
#define BOUND(value, relation, limit)                                                    \
    ({                                                                                   \
        const double bound_value = (double)(value), bound_limit = (double)(limit);       \
        NOTE_BOUND(bound_value, relation, bound_limit, #value " " #relation " " #limit); \
        bound_value relation bound_limit;                                                \
    })

static inline void print_bounds(void) {
    for (const bound* b = noted_bounds; b != NULL; b = b->next == b ? NULL : b->next)
        printf("bound\t%s:%d\t%s\t%.6g\t%.6g\n", b->file, b->line, b->text, b->value, b->limit);
}
