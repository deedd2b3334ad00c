// benchmarks/c/broadphase.c - cost of update and pairs in ns for each moved shape.
//
// Worlds are boxes that drift in a square at the density of a loose pile and are reflected at its walls; a fat box is
// replaced when its box leaves it. Arguments: workers (1), name of an instruction set (auto), only scenes whose name
// contains this.
#include "base/cpu.h"
#include "base/timer.h"
#include "broadphase/proxies.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static uint64_t seed = 88172645463325252ull;
static float unit(void) {
    seed ^= seed << 13, seed ^= seed >> 7, seed ^= seed << 17;
    return (float)(seed >> 40) * (1.0f / 16777216.0f);
}

typedef struct scene {
    const char* name;
    int32_t movers, statics;
    float share;   // of the movers that leave their fat box in a step
    float large;   // share of movers 8 times as large
    float density; // area of boxes over area
} scene;

static const scene scenes[] = {
    {"2k all", 2000, 4, 1.0f, 0.0f, 0.5f},
    {"10k all", 10000, 4, 1.0f, 0.0f, 0.5f},
    {"60k all", 60000, 4, 1.0f, 0.0f, 0.5f},
    {"10k all, dense", 10000, 4, 1.0f, 0.0f, 1.0f},
    {"10k all, sparse", 10000, 4, 1.0f, 0.0f, 0.02f},
    {"10k 2%", 10000, 4, 0.02f, 0.0f, 0.5f},
    {"60k 2%", 60000, 4, 0.02f, 0.0f, 0.5f},
    {"10k none", 10000, 4, 0.0f, 0.0f, 0.5f},
    {"10k all, 2% large", 10000, 4, 1.0f, 0.02f, 0.5f},
    {"10k all, 5% large", 10000, 4, 1.0f, 0.05f, 0.5f},
    {"2k all in 100k statics", 2000, 100000, 1.0f, 0.0f, 0.5f},
    {"2k 2% in 100k statics", 2000, 100000, 0.02f, 0.0f, 0.5f},
};

static void* take(size_t n) { return calloc(1, (n * 4 + 63) / 64 * 64 + 64); }
static void* aligned(size_t n) {
    void* p = aligned_alloc(64, (n * 4 + 127) / 64 * 64);
    memset(p, 0, (n * 4 + 127) / 64 * 64);
    return p;
}

static void run(const scene* sc, const b2d_broadphase_table* table, int32_t simd, int32_t workers) {
    b2d_memory memory = {.fail_after = -1}, lists_memory[64];
    const int32_t n = sc->movers + sc->statics;
    seed = 88172645463325252ull;
    b2d_proxies p = {0};
    float** columns[8] = {&p.fat_min_x, &p.fat_min_y, &p.fat_max_x, &p.fat_max_y,
                          &p.old_min_x, &p.old_min_y, &p.old_max_x, &p.old_max_y};
    for (int k = 0; k < 8; k++) *columns[k] = aligned((size_t)n);
    p.proxy_class = take((size_t)n), p.body = take((size_t)n);
    p.capacity = p.limit = n;
    b2d_bits_reserve(&memory, &p.moved, n);
    b2d_bits_reserve(&memory, &p.dirty, n);
    float *x = take((size_t)n), *y = take((size_t)n), *vx = take((size_t)n), *vy = take((size_t)n),
          *h = take((size_t)n);
    float area = 0;
    for (int32_t i = 0; i < n; i++) {
        p.body[i] = i;
        h[i] = 0.5f;
        if (i < sc->movers && unit() < sc->large) h[i] = 4.0f;
        if (i < sc->movers || sc->statics > 4) area += 4 * h[i] * h[i];
        p.proxy_class[i] = i < sc->movers ? B2D_PROXY_MOVING : B2D_PROXY_STATIC;
    }
    const float side = sqrtf(area / sc->density);
    b2d_scheduler* scheduler;
    b2d_scheduler_create(workers, &scheduler);
    b2d_broadphase* phase;
    table->create(&memory, &p, simd, &phase);
    for (int32_t i = 0; i < n; i++) {
        float w = h[i], t = h[i];
        x[i] = side * unit(), y[i] = side * unit(), vx[i] = 0.3f * (unit() - 0.5f), vy[i] = 0.3f * (unit() - 0.5f);
        if (sc->statics == 4 && i >= sc->movers) { // walls
            const int32_t k = i - sc->movers;
            w = k < 2 ? side / 2 : 1, t = k < 2 ? 1 : side / 2;
            x[i] = k < 2 ? side / 2 : k == 2 ? 0 : side, y[i] = k < 2 ? (k == 0 ? 0 : side) : side / 2;
        }
        p.fat_min_x[i] = x[i] - w, p.fat_max_x[i] = x[i] + w, p.fat_min_y[i] = y[i] - t, p.fat_max_y[i] = y[i] + t;
        p.old_min_x[i] = 1, p.old_max_x[i] = 0;
        b2d_bits_set(&p.moved, i);
        table->change(&memory, phase, &i, 1, B2D_PROXY_NONE);
    }
    b2d_key_list lists[64] = {{0}};
    for (int k = 0; k < workers; k++)
        lists_memory[k] = (b2d_memory){.fail_after = -1}, lists[k].memory = &lists_memory[k];
    const int32_t steps = table == &b2d_broadphase_brute ? 3 : 100;
    // The machine may be shared: the least is what counts
    double first = 0, best_update = 1e30, best_pairs = 1e30, best = 1e30;
    int64_t moved = 0, keys = 0;
    for (int32_t s = 0; s <= steps; s++) {
        double t0 = b2d_milliseconds();
        table->update(&memory, phase, scheduler);
        b2d_bits_clear(&p.dirty);
        double t1 = b2d_milliseconds();
        for (int k = 0; k < workers; k++) lists[k].count = 0;
        table->pairs(&memory, phase, scheduler, lists);
        double t2 = b2d_milliseconds();
        if (s == 0) first = t2 - t0;
        else {
            if (t2 - t0 < best) best = t2 - t0;
            if (t1 - t0 < best_update) best_update = t1 - t0;
            if (t2 - t1 < best_pairs) best_pairs = t2 - t1;
            for (int k = 0; k < workers; k++) keys += lists[k].count;
            moved += b2d_bits_count(&p.moved);
        }
        B2D_FOR_BITS (&p.moved, i) {
            p.old_min_x[i] = p.fat_min_x[i], p.old_min_y[i] = p.fat_min_y[i], p.old_max_x[i] = p.fat_max_x[i],
            p.old_max_y[i] = p.fat_max_y[i];
        }
        b2d_bits_clear(&p.moved);
        for (int32_t i = 0; i < sc->movers; i++) {
            if (unit() >= sc->share) continue;
            x[i] += vx[i], y[i] += vy[i];
            if (x[i] < 0 || x[i] > side) vx[i] = -vx[i];
            if (y[i] < 0 || y[i] > side) vy[i] = -vy[i];
            const float fat = h[i] + 0.05f;
            p.fat_min_x[i] = x[i] - fat, p.fat_max_x[i] = x[i] + fat, p.fat_min_y[i] = y[i] - fat,
            p.fat_max_y[i] = y[i] + fat;
            b2d_bits_set(&p.moved, i);
            b2d_bits_set(&p.dirty, i);
        }
    }
    const double per_step = (double)moved / steps, scale = per_step > 0 ? 1e6 / per_step : 1e6;
    printf("%-24s %-6s least %7.1f ns  = update %6.1f + pairs %6.1f  %8.1f new/step  first %7.2f ms\n", sc->name,
           table->name, best * scale, best_update * scale, best_pairs * scale, (double)keys / steps, first);
    fflush(stdout);
    table->destroy(&memory, phase);
    b2d_scheduler_destroy(scheduler);
}

int main(int argc, char** argv) {
    static const char* const names[] = {"scalar", "sse2", "avx2", "avx512", "neon", "wasm"};
    const int32_t workers = argc > 1 ? atoi(argv[1]) : 1;
    int32_t simd = b2d_cpu_best();
    for (int32_t k = 0; argc > 2 && k < B2D_SIMD_COUNT; k++)
        if (strcmp(argv[2], names[k]) == 0 && b2d_cpu_has(k)) simd = k;
    printf("%d workers, %s; ns a moved shape (a step where none moves)\n", workers, names[simd]);
    for (size_t k = 0; k < sizeof scenes / sizeof *scenes; k++) {
        if (argc > 3 && strstr(scenes[k].name, argv[3]) == NULL) continue;
        run(&scenes[k], &b2d_broadphase_grid, simd, workers);
        run(&scenes[k], &b2d_broadphase_tree, simd, workers);
        if (scenes[k].movers + scenes[k].statics < 3000) run(&scenes[k], &b2d_broadphase_brute, simd, workers);
    }
    return 0;
}
