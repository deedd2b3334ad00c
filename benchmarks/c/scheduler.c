// benchmarks/c/scheduler.c - the cost of handing a stage to the workers, and of making a scheduler.
//
// cc -O2 -std=c17 -D_GNU_SOURCE -Icsrc -Icsrc/include benchmarks/c/scheduler.c csrc/base/*.c -lm -lpthread
#include "base/cpu.h"
#include "base/scheduler.h"
#include "base/timer.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

static void work_stage(void* context, int32_t begin, int32_t end, int32_t worker) {
    (void)context, (void)worker;
    for (int32_t i = begin; i < end; i++) {
        volatile float value = 1.0f; // no shared data: a chain of 100 multiplications through the worker's own stack
        for (int32_t k = 0; k < 100; k++) value = value * 0.999f;
    }
}
int main(void) {
    enum { STAGES = 400, JOBS = 500 };
    b2d_stage stages[STAGES];
    for (int32_t grains = 1; grains <= 4; grains *= 2)
        for (int32_t workers = 1; workers <= b2d_cpu_count() && workers <= 8; workers *= 2) {
            b2d_scheduler* scheduler;
            b2d_scheduler_create(workers, &scheduler);
            for (int32_t i = 0; i < STAGES; i++) stages[i] = (b2d_stage){work_stage, NULL, 2 * grains, 1};
            double best = 1e9;
            for (int32_t job = 0; job < JOBS; job++) {
                double start = b2d_milliseconds();
                b2d_scheduler_run(scheduler, stages, STAGES);
                best = fmin(best, b2d_milliseconds() - start);
            }
            printf("    %d workers, %d grains: %.0f ns a stage, %" PRId64 " spins\n", workers, 2 * grains,
                   best * 1e6 / STAGES, b2d_scheduler_spins(scheduler));
            b2d_scheduler_destroy(scheduler);
        }
    double start = b2d_milliseconds();
    for (int32_t i = 0; i < 1000; i++) {
        b2d_scheduler* scheduler;
        b2d_scheduler_create(8, &scheduler);
        b2d_scheduler_destroy(scheduler);
    }
    printf("    create and destroy: %.2f us\n", b2d_milliseconds() - start);
    return 0;
}
