// benchmarks/c/narrowphase.c - nanoseconds a pair by bucket and instruction set.
//
// cc -O2 -std=c17 -ffp-contract=off -Icsrc -Icsrc/include -D"B2D_KERNELS_OF=<narrowphase/collide_wide.inl>"
// benchmarks/c/narrowphase.c csrc/simd/*.c csrc/narrowphase/*.c csrc/base/*.c csrc/geometry/*.c -lm -lpthread
#define _POSIX_C_SOURCE 200809L
#include "base/cpu.h"
#include "narrowphase/collide.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static uint64_t seed = 88172645463325252ull;
static double uniform(double a, double b) {
    seed ^= seed << 13, seed ^= seed >> 7, seed ^= seed << 17;
    return a + (b - a) * ((seed >> 32) / 4294967296.0);
}
static double now(void) { // of this thread, so that other programs on the machine disturb less
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return t.tv_sec + 1e-9 * t.tv_nsec;
}
static b2d_geometry make(int form) {
    b2d_geometry g = {.type = form == 0   ? B2D_CIRCLE
                              : form == 1 ? B2D_CAPSULE
                                          : B2D_POLYGON,
                      .count = form == 0   ? 1
                               : form == 1 ? 2
                               : form == 2 ? 4
                                           : 8};
    if (form < 2) g.radius = 0.5f;
    for (int i = 0; i < g.count && form > 0; i++) {
        b2d_rot q = b2d_make_rot(6.283185307 * (i + 0.5) / g.count);
        g.x[i] = 0.7f * q.c, g.y[i] = 0.7f * q.s;
    }
    return g;
}

int main(int argc, char** argv) {
    // Arguments: number of pairs, then a single bucket, instruction set, part, and the repetitions
    int n = argc > 1 ? atoi(argv[1]) : 16384, bodies = n / 2 + 2;
    int only_bucket = argc > 2 ? atoi(argv[2]) : -1, only_set = argc > 3 ? atoi(argv[3]) : -1,
        only_part = argc > 4 ? atoi(argv[4]) : -1;
    int reps = argc > 5 ? atoi(argv[5]) : 30;
    static const char* buckets[] = {"point-point", "line-point", "line-line", "quad-point", "oct-point", "quad", "oct"};
    static const int forms[B2D_BUCKET_COUNT][2] = {{0, 0}, {1, 0}, {1, 1}, {2, 0}, {3, 0}, {2, 2}, {3, 3}};
    static const char* sets[] = {"scalar", "sse2", "avx2", "avx512", "neon", "wasm"};
    b2d_memory m = {.fail_after = -1};
    b2d_pose* poses = b2d_allocate(&m, sizeof *poses * bodies);
    b2d_shape_hot* shapes = b2d_allocate(&m, sizeof *shapes * bodies);
    b2d_hull4* second = b2d_allocate(&m, sizeof *second * bodies);
    float* fat[4];
    for (int k = 0; k < 4; k++) fat[k] = b2d_allocate(&m, sizeof(float) * bodies);
    b2d_pair* pairs = b2d_allocate(&m, sizeof *pairs * n);
    b2d_contact_block* blocks = b2d_allocate(&m, sizeof *blocks * (n / 16 + 1));
    b2d_manifold_block* manifolds = b2d_allocate(&m, sizeof *manifolds * (n / 16 + 1));
    int32_t* list = b2d_allocate(&m, sizeof *list * n);
    int32_t* lane_indices = b2d_allocate(&m, sizeof *lane_indices * n);
    b2d_collide_worker worker = {.memory = &m};
    b2d_bits_reserve(&m, &worker.begun, n), b2d_bits_reserve(&m, &worker.ended, n),
        b2d_bits_reserve(&m, &worker.parted, n);
    b2d_bits new_fat_boxes = {0};
    b2d_bits_reserve(&m, &new_fat_boxes, bodies);
    b2d_collide_context c = {.poses = poses,
                             .shapes = shapes,
                             .second_hulls = second,
                             .fat_min_x = fat[0],
                             .fat_min_y = fat[1],
                             .fat_max_x = fat[2],
                             .fat_max_y = fat[3],
                             .pairs = pairs,
                             .blocks = blocks,
                             .manifolds = manifolds,
                             .speculative_distance = 0.02f,
                             .linear_slop = 0.005f,
                             .recycle_sine = 0.199f,
                             .workers = &worker,
                             .new_fat_boxes = &new_fat_boxes};
    printf("%-12s %-7s %9s %9s %9s %9s   ns a pair, %d pairs\n", "bucket", "set", "begin", "full", "full rnd",
           "recycle", n);
    for (int bucket = 0; bucket < B2D_BUCKET_CHAIN_POINT; bucket++) {
        if (only_bucket >= 0 && bucket != only_bucket) continue;
        for (int i = 0; i < bodies; i++) { // two rows of bodies, each in contact with its neighbours
            b2d_geometry g = make(forms[bucket][i & 1]);
            b2d_shape_hot_make(&g, &shapes[i], &second[i]);
            shapes[i].second_hull = g.count > 4 ? i : B2D_NONE;
            b2d_rot q = b2d_make_rot(uniform(-0.01, 0.01));
            poses[i] = (b2d_pose){0.99 * i, uniform(-0.05, 0.05), q.c, q.s, 0, 0};
            b2d_box b = b2d_box_grow(b2d_shape_box(&shapes[i], &second[i], &poses[i]), 1.0f);
            fat[0][i] = b.min_x, fat[1][i] = b.min_y, fat[2][i] = b.max_x, fat[3][i] = b.max_y;
        }
        for (int i = 0; i < n; i++) {
            int a = i / 2, b = i % 2 ? i / 2 + 1 : i / 2 + 1;
            if (shapes[a].form < shapes[b].form) {
                int t = a;
                a = b, b = t;
            }
            pairs[i] = (b2d_pair){.shape_a = a,
                                  .shape_b = b,
                                  .body_a = a,
                                  .body_b = b,
                                  .lane_index = B2D_NONE,
                                  .record = B2D_NONE,
                                  .bucket = (uint8_t)bucket,
                                  .flags = i % 2 ? B2D_PAIR_FLIP : 0,
                                  .extent = 0.7f};
            list[i] = i, lane_indices[i] = i;
        }
        for (int i = n - 1; i > 0; i--) {
            int j = (int)uniform(0, i + 1), t = lane_indices[i];
            lane_indices[i] = lane_indices[j], lane_indices[j] = t;
        }
        for (int simd = 0; simd < B2D_SIMD_COUNT; simd++) {
            if (!b2d_cpu_has(simd) || (only_set >= 0 && simd != only_set)) continue;
            double best[4] = {1e9, 1e9, 1e9, 1e9};
            for (int part = 0; part < 4; part++) {
                for (int i = 0; i < n; i++)
                    pairs[i].lane_index = part == 0 ? B2D_NONE : part == 1 ? i : lane_indices[i];
                c.recycle_distance = part == 3 ? 0.05f : 0.0f;
                for (int i = 0; i < n && part; i++) {
                    b2d_contact_record* r = &worker.records[pairs[i].record & 0xffffff];
                    b2d_contact_block* block = &blocks[pairs[i].lane_index / 16];
                    b2d_manifold_block* manifold = &manifolds[pairs[i].lane_index / 16];
                    int lane = pairs[i].lane_index % 16, flip = pairs[i].flags & B2D_PAIR_FLIP;
                    b2d_block_write(block, manifold, lane, r);
                    block->body_a[lane] = flip ? pairs[i].body_b : pairs[i].body_a,
                    block->body_b[lane] = flip ? pairs[i].body_a : pairs[i].body_b;
                    manifold->contact[lane] = i, manifold->extent[lane] = pairs[i].extent;
                }
                for (int rep = 0; rep < (part == only_part ? reps : 30); rep++) {
                    if (part == 0) worker.record_count = 0;
                    double t0 = now();
                    if (part > 0) b2d_collide_blocks_kernel(simd)(&c, list, n / 16, 0); // ids of blocks
                    else b2d_collide_kernel(simd)(&c, bucket, list, n, 0);
                    double t = 1e9 * (now() - t0) / n;
                    if (t < best[part]) best[part] = t;
                }
            }
            printf("%-12s %-7s %9.2f %9.2f %9.2f %9.2f   begun %d\n", buckets[bucket], sets[simd], best[0], best[1],
                   best[2], best[3], worker.record_count);
        }
    }
    return 0;
}
