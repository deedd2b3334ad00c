// tests/c/test_scheduler.c - the scheduler and its side tasks, with delayed workers, several threads and a fork; and
// the floating-point control word that workers set. A part of the program test_base.
#define _GNU_SOURCE
#include "base/scheduler.h"
#include "test_base.h"

#include <stdlib.h>
#include <string.h>
#if !defined(B2D_NO_THREADS)
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>
#endif
#if defined(__x86_64__)
#include <xmmintrin.h>
#endif

// Each stage adds to items in a way that depends on all items of the stage before, so a stage begun early shows.
typedef struct chain {
    int32_t* items; // how often each was touched, over all stages
    int32_t count;
    int32_t workers;
    int32_t stage; // written by single-grain stages between
} chain;

static void touch(void* context, int32_t begin, int32_t end, int32_t worker) {
    chain* c = context;
    CHECK(worker, >=, 0);
    CHECK(worker, <, c->workers);
    for (int32_t i = begin; i < end; i++) {
        CHECK(c->items[i], ==, c->stage);
        c->items[i]++;
    }
}

static void verify(void* context, int32_t begin, int32_t end, int32_t worker) {
    chain* c = context;
    (void)worker;
    CHECK(begin, ==, 0);
    CHECK(end, ==, 1);
    c->stage++;
    for (int32_t i = 0; i < c->count; i++) CHECK(c->items[i], ==, c->stage);
}

static void touch_neighbours(void* context, int32_t begin, int32_t end, int32_t worker) {
    (void)worker;
    chain* c = context; // two arrays; reads the one that the stage before wrote
    int32_t *from = c->items, *to = c->items + c->count;
    for (int32_t i = begin; i < end; i++) to[i] = from[i] + from[c->count - 1 - i];
}

static void touch_back(void* context, int32_t begin, int32_t end, int32_t worker) {
    (void)worker;
    chain* c = context;
    int32_t *from = c->items + c->count, *to = c->items;
    for (int32_t i = begin; i < end; i++) to[i] = (int32_t)(((int64_t)from[i] + from[c->count - 1 - i]) % 1000003);
}

static void hammer(b2d_scheduler* scheduler, int32_t jobs, int32_t most) {
    int32_t* items = calloc(2 * (size_t)most, sizeof *items);
    b2d_stage stages[60];
    for (int32_t job = 0; job < jobs; job++) {
        int32_t count = 1 + job * 37 % most, n = 0, pairs = 1 + job % 20;
        chain c = {.items = items, .count = count, .workers = b2d_scheduler_workers(scheduler)};
        memset(items, 0, (size_t)count * sizeof *items);
        for (int32_t k = 0; k < pairs; k++) {
            stages[n++] = (b2d_stage){touch, &c, count, 1 + (job + k) % 9};
            if (k % 3 == 0) stages[n++] = (b2d_stage){touch, &c, 0, 1}; // skipped
            stages[n++] = (b2d_stage){verify, &c, 1, 1};
        }
        b2d_scheduler_run(scheduler, stages, n);
        for (int32_t i = 0; i < count; i++) CHECK(items[i], ==, pairs);

        for (int32_t i = 0; i < count; i++) items[i] = i % 7; // parallel stages one upon the other
        for (n = 0; n < 40; n += 2) {
            stages[n] = (b2d_stage){touch_neighbours, &c, count, 1 + job % 5};
            stages[n + 1] = (b2d_stage){touch_back, &c, count, 2};
        }
        b2d_scheduler_run(scheduler, stages, n);
        if (job % 50 == 0) {
            int64_t sum = 0, sum_inline = 0;
            for (int32_t i = 0; i < count; i++) sum += items[i] * (int64_t)(i + 1);
            for (int32_t i = 0; i < count; i++) items[i] = i % 7;
            for (int32_t k = 0; k < n; k++) stages[k].run(&c, 0, count, 0);
            for (int32_t i = 0; i < count; i++) sum_inline += items[i] * (int64_t)(i + 1);
            CHECK(sum, ==, sum_inline);
        }
    }
    free(items);
}

void test_scheduler(void) {
    for (int32_t workers = 1; workers <= 8; workers++) {
        b2d_scheduler* scheduler;
        CHECK(b2d_scheduler_create(workers, &scheduler), ==, B2D_OK);
        CHECK(b2d_scheduler_workers(scheduler), ==, workers);
        hammer(scheduler, 2000 / scale, 300);
        while (b2d_scheduler_parked(scheduler) < workers - 1) b2d_thread_yield();
        hammer(scheduler, 20, 300);
        b2d_scheduler_destroy(scheduler);
    }
    for (int32_t i = 0; i < 200; i++) { // never used, and destroyed right after the first job
        b2d_scheduler* scheduler;
        CHECK(b2d_scheduler_create(1 + i % 6, &scheduler), ==, B2D_OK);
        if (i % 2) hammer(scheduler, 1, 300);
        b2d_scheduler_destroy(scheduler);
    }
    b2d_scheduler_destroy(NULL);
}

void test_scheduler_chaos(void) {
    char seed[16];
    for (int32_t round = 1; round <= 6; round++) {
        snprintf(seed, sizeof seed, "%d", round);
        setenv("B2D_CHAOS", seed, 1);
        b2d_scheduler* scheduler;
        b2d_scheduler_create(1 + round, &scheduler);
        hammer(scheduler, 100 / scale + 1, 120);
        b2d_scheduler_destroy(scheduler);
    }
    unsetenv("B2D_CHAOS");
}

#if !defined(B2D_NO_THREADS)
// ---- side tasks

typedef struct side_work {
    b2d_side_task task;
    int32_t runs; // not atomic: the join orders it
    int64_t sum;
} side_work;

static void add_up(void* context) {
    side_work* work = context;
    for (int32_t k = 0; k < 2000; k++) work->sum += k;
    work->runs++;
}

static void offer_and_join(b2d_scheduler* scheduler, int32_t rounds) {
    for (int32_t r = 0; r < rounds; r++) {
        side_work first = {.task = {.run = add_up, .context = &first}},
                  second = {.task = {.run = add_up, .context = &second}};
        b2d_scheduler_offer(scheduler, &first.task);
        if (r % 3 == 0) b2d_scheduler_offer(scheduler, &second.task); // there is room for one
        if (r % 4 != 0) hammer(scheduler, 1, 60);
        b2d_scheduler_join(scheduler, &first.task);
        if (r % 3 == 0) b2d_scheduler_join(scheduler, &second.task);
        CHECK(first.runs, ==, 1);
        CHECK(first.sum, ==, 1999000);
        CHECK(second.runs, ==, (r % 3 == 0 ? 1 : 0));
    }
}

static void* side_thread(void* scheduler) {
    offer_and_join(scheduler, 400 / scale);
    return NULL;
}

void test_side_tasks(void) {
    for (int32_t round = 0; round < 8; round++) {
        char seed[16];
        snprintf(seed, sizeof seed, "%d", round);
        if (round > 3) setenv("B2D_CHAOS", seed, 1);
        b2d_scheduler* scheduler;
        b2d_scheduler_create(1 + round % 4, &scheduler);
        offer_and_join(scheduler, 800 / scale);
        pthread_t threads[2]; // of several worlds
        for (int i = 0; i < 2; i++) pthread_create(&threads[i], NULL, side_thread, scheduler);
        for (int i = 0; i < 2; i++) pthread_join(threads[i], NULL);
        b2d_scheduler_destroy(scheduler);
    }
    unsetenv("B2D_CHAOS");
}

static void* hammer_thread(void* scheduler) {
    hammer(scheduler, 1000 / scale, 200);
    return NULL;
}

void test_scheduler_shared(void) {
    b2d_scheduler* scheduler;
    b2d_scheduler_create(3, &scheduler);
    pthread_t threads[3];
    for (int i = 0; i < 3; i++) pthread_create(&threads[i], NULL, hammer_thread, scheduler);
    for (int i = 0; i < 3; i++) pthread_join(threads[i], NULL);
    b2d_scheduler_destroy(scheduler);
}

// Programs that give a hosted scheduler no other thread
enum { AT_ONCE, TWICE, NEVER, WAITING };
typedef struct host {
    int32_t way, asked;
} host;

static void* run_ticket(void* help) {
    b2d_help_run(help);
    return NULL;
}

static void enqueue(void* user, b2d_help* help) {
    host* h = user;
    pthread_t thread;
    h->asked++;
    if (h->way == AT_ONCE || h->way == TWICE) b2d_help_run(help);
    if (h->way == TWICE) b2d_help_run(b2d_help_hold(help)), b2d_help_release(help);
    if (h->way != WAITING) return;
    pthread_create(&thread, NULL, run_ticket, help);
    pthread_join(thread, NULL);
}

void test_scheduler_hosted(void) {
    for (int32_t way = AT_ONCE; way <= WAITING; way++) {
        const int32_t jobs = 100 / scale + 1;
        host h = {.way = way};
        b2d_scheduler* scheduler;
        CHECK(b2d_scheduler_create_hosted(4, enqueue, &h, &scheduler), ==, B2D_OK);
        hammer(scheduler, jobs, 300);
        CHECK(h.asked, >, 0);
        CHECK(h.asked, <=, 2 * jobs); // hammer runs two jobs a round
        CHECK(b2d_scheduler_spins(scheduler), ==, 0);
        b2d_scheduler_destroy(scheduler);
    }
}

void test_scheduler_fork(void) {
    b2d_scheduler* scheduler;
    b2d_scheduler_create(4, &scheduler);
    hammer(scheduler, 10, 100);
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
        hammer(scheduler, 10, 100);
        b2d_scheduler_destroy(scheduler);
        _exit(failures != 0);
    }
    int status = -1;
    waitpid(child, &status, 0);
    CHECK(status, ==, 0);
    hammer(scheduler, 10, 100);
    b2d_scheduler_destroy(scheduler);
}

#endif

static void denormal_stage(void* context, int32_t begin, int32_t end, int32_t worker) {
    (void)context, (void)worker;
    for (int32_t i = begin; i < end; i++) {
        volatile float small = 1e-38f, half = 0.5f;
        CHECK(small * half, >, 0.0f);
    }
}

void test_float_word(void) {
#if defined(__x86_64__)
    uint32_t flush = _mm_getcsr() | 0x8040;
    _mm_setcsr(flush);
    b2d_scheduler* scheduler;
    b2d_scheduler_create(3, &scheduler); // threads inherit the caller's word
    b2d_parallel_for(scheduler, denormal_stage, NULL, 1000, 1);
    b2d_parallel_for(scheduler, denormal_stage, NULL, 1, 1);
    CHECK(_mm_getcsr(), ==, flush);
    b2d_scheduler_destroy(scheduler);
    _mm_setcsr(0x1f80);
#else
    uint32_t saved = b2d_float_enter();
    denormal_stage(NULL, 0, 1, 0);
    b2d_float_leave(saved);
#endif
}
