// csrc/base/scheduler.c - see scheduler.h.
//
// The grains of a stage are divided equally among the workers. What is left of a share is a 64-bit word, [stage number,
// 40 bits | first free grain, 12 bits | number of free grains, 12 bits], on a cache line of its own, so that workers do
// not wait for each other's words. A word with an older number stands for the whole share. A worker takes grains by
// compare-and-swap on the whole word, first from the front of its own share, then from the backs of the others, so a
// worker that is late or does not exist holds nothing up. Many stages of a step visit the same data, so each worker
// visits the same part of it each time, and that part stays in its cache.
// `stage` = [number | 0 | number of grains] says which stage runs, and from it alone follow the shares. A worker that
// slept through any number of stages cannot take a grain of a wrong one: where a share of the stage that it believes in
// was not empty, the stage cannot have ended before the word had the number of this stage or of a later one, and then
// the swap fails or finds no grain. A worker reads the description of the stage, which it finds by the number, only
// after the swap. The stage cannot end until the grains of the worker are counted in `done`, so no worker reads memory
// of the caller after b2d_scheduler_run has returned. The worker that counts the last grain publishes the next stage;
// it runs stages of one grain directly, without publishing them. A stage without grains says that the job is over.
// A line that another core has written costs 0.1 to 0.3 us. So the line of `stage`, on which all wait, holds nothing
// else, and a worker counts what it has done before it looks into the shares of others.
#if !defined(_GNU_SOURCE) && !defined(_WIN32)
#define _GNU_SOURCE
#endif
#include "base/scheduler.h"
#include "base/cpu.h"
#include "base/timer.h"
#include "base/trace.h"

#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

// ---- spare objects: a place is taken and filled with one atomic operation, so a fork at any time does no harm ----

enum { SPARES = 8 }; // as many calls as can run at the same time without making new objects

typedef struct spares {
    _Atomic(void*) object[SPARES];
    _Atomic(b2d_destroy_fn*) destroy;
} spares;

static void* take_spare(spares* s) {
    for (int32_t k = 0; k < SPARES; k++) {
        if (atomic_load_explicit(&s->object[k], memory_order_relaxed) == NULL) continue;
        void* object = atomic_exchange_explicit(&s->object[k], NULL, memory_order_acquire);
        if (object != NULL) return object;
    }
    return NULL;
}

static bool keep_spare(spares* s, void* object, b2d_destroy_fn* destroy) {
    atomic_store_explicit(&s->destroy, destroy, memory_order_relaxed);
    for (int32_t k = 0; k < SPARES; k++) {
        void* nothing = NULL;
        if (atomic_compare_exchange_strong_explicit(&s->object[k], &nothing, object, memory_order_release,
                                                    memory_order_relaxed))
            return true;
    }
    return false;
}

static void destroy_spares(spares* s) {
    for (void* object; (object = take_spare(s)) != NULL;)
        atomic_load_explicit(&s->destroy, memory_order_relaxed)(object);
}

// ---- floating-point control word ----

#if defined(__x86_64__)
#include <xmmintrin.h>
// Round to nearest, no flush to zero, denormals are denormals, no traps; and the sticky flags, which change nothing
enum { FLOAT_WORD = 0x1f80, FLOAT_FLAGS = 0x3f };
static uint32_t float_word(void) { return _mm_getcsr(); }
static void set_float_word(uint32_t word) { _mm_setcsr(word); }
#elif defined(__aarch64__)
enum { FLOAT_WORD = 0, FLOAT_FLAGS = 0 }; // the same
static uint32_t float_word(void) {
    uint64_t word;
    __asm__ volatile("mrs %0, fpcr" : "=r"(word));
    return (uint32_t)word;
}
static void set_float_word(uint32_t word) { __asm__ volatile("msr fpcr, %0" : : "r"((uint64_t)word)); }
#else
enum { FLOAT_WORD = 0, FLOAT_FLAGS = 0 };
static uint32_t float_word(void) { return 0; }
static void set_float_word(uint32_t word) { (void)word; }
#endif

// The saved word contains the sticky exception flags too, so exceptions inside the engine do not reach the caller.
uint32_t b2d_float_enter(void) {
    uint32_t saved = float_word();
    if ((saved & ~(uint32_t)FLOAT_FLAGS) != FLOAT_WORD) set_float_word(FLOAT_WORD);
    return saved;
}

void b2d_float_leave(uint32_t saved) {
    if (float_word() != saved) set_float_word(saved);
}

static void run_inline(const b2d_stage* stages, int32_t stage_count) {
    for (int32_t i = 0; i < stage_count; i++)
        if (stages[i].count > 0) stages[i].run(stages[i].context, 0, stages[i].count, 0);
}

#if defined(B2D_NO_THREADS)
// ---- every job runs on the calling thread ----

struct b2d_scheduler {
    int32_t workers;
    atomic_int_least32_t holders;
    spares spares;
};

b2d_status b2d_scheduler_create_hosted(int32_t workers, b2d_enqueue enqueue, void* user, b2d_scheduler** out) {
    (void)enqueue, (void)user;
    *out = calloc(1, sizeof **out);
    if (*out == NULL) return B2D_NO_MEMORY;
    (*out)->workers = workers;
    atomic_init(&(*out)->holders, 1);
    return B2D_OK;
}
void b2d_scheduler_hold(b2d_scheduler* s) { atomic_fetch_add(&s->holders, 1); }
void b2d_scheduler_destroy(b2d_scheduler* s) {
    if (s == NULL || atomic_fetch_sub(&s->holders, 1) > 1) return;
    destroy_spares(&s->spares);
    free(s);
}
int32_t b2d_scheduler_workers(const b2d_scheduler* s) { return s->workers; }
int64_t b2d_scheduler_spins(const b2d_scheduler* s) { return (void)s, 0; }
int32_t b2d_scheduler_parked(const b2d_scheduler* s) { return s->workers - 1; }
void b2d_scheduler_run_entered(b2d_scheduler* s, const b2d_stage* stages, int32_t stage_count) {
    (void)s, run_inline(stages, stage_count);
}
int32_t b2d_scheduler_sharing(const b2d_scheduler* s) { return (void)s, B2D_SHARE_AS_IT_PAYS; }
void b2d_scheduler_offer(b2d_scheduler* s, b2d_side_task* task) { (void)s, (void)task; }
void b2d_scheduler_join(b2d_scheduler* s, b2d_side_task* task) { (void)s, task->run(task->context); }
void b2d_thread_yield(void) {}
bool b2d_scheduler_is_hosted(const b2d_scheduler* s) { return (void)s, false; }
b2d_help* b2d_help_hold(b2d_help* help) { return help; } // there are no tickets
void b2d_help_run(b2d_help* help) { (void)help; }
void b2d_help_release(b2d_help* help) { (void)help; }
bool b2d_scheduler_trace(b2d_scheduler* s, int32_t room, bool alone) { return (void)s, (void)alone, room == 0; }
void b2d_scheduler_start_trace(b2d_scheduler* s) { (void)s; }
void b2d_scheduler_label(b2d_scheduler* s, int32_t stage) { (void)s, (void)stage; }
int32_t b2d_scheduler_spans(b2d_scheduler* s, b2d_span* out, int32_t room) { return (void)s, (void)out, (void)room, 0; }
#else
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <unistd.h>

enum { APART = 128 }; // bytes: processors fetch lines of 64 bytes in pairs, or have such lines
enum { LEFT_BITS = 12, LEFT_MASK = (1 << LEFT_BITS) - 1, NUMBER_SHIFT = 2 * LEFT_BITS, PART_BITS = 20 };
// Longer than most serial stages, short enough to save energy between steps
static const double spin_milliseconds = 0.05;

typedef struct worker {                          // cache lines of its own
    _Alignas(APART) atomic_uint_least64_t share; // of the grains of a stage; others take from it too
    _Alignas(APART) b2d_scheduler* scheduler;
    uint64_t seen;    // number of the last stage in which this worker found no free grain
    uint64_t visited; // the stage in which it has found this many shares, from its own on, exhausted
    int32_t exhausted;
    uint32_t begin, end; // its part of [0, 2^PART_BITS), as of the grains of each stage
    pthread_t thread;
    int32_t index;
    uint32_t chaos; // state of the delays; 0 = no chaos
    atomic_int_least64_t spins;
    atomic_flag helping; // of a hosted scheduler: a thread of the program is this worker now
    b2d_span* spans;     // of a trace, owned by this worker while a job runs; NULL = off
    int32_t span_count, span_room;
} worker;

struct b2d_scheduler {
    _Alignas(APART) atomic_uint_least64_t stage; // written only while no worker holds a grain

    _Alignas(APART) const b2d_stage* stages; // of the job
    int32_t stage_count;
    uint64_t before; // number of the stage before the first one of the job

    _Alignas(APART) atomic_int_least32_t done; // finished grains of the stage
    int32_t next;                              // for the worker that counts the last grain

    _Alignas(APART) atomic_flag busy; // a caller has a job here
    _Atomic(b2d_side_task*) side;     // offered, and taken by nobody yet
    atomic_int_least32_t parked;      // threads that sleep or are about to
    atomic_bool caller_parked;        // the calling thread is one of them
    bool quit;                        // under `lock`
    pthread_mutex_t lock;
    pthread_cond_t wake;

    atomic_int_least32_t holders; // references: its creator and worlds
    spares spares;
    pid_t process; // that created the threads
    int32_t workers;
    int32_t threads; // started so far; none before the first stage that needs them
    bool tried;
    bool crowded;        // more workers than processors
    b2d_enqueue enqueue; // of a hosted scheduler, otherwise NULL
    void* user;
    atomic_int_least32_t asked; // open tickets
    atomic_bool unaided;        // the rest of the job: the program has no other thread for it
    double trace_start;         // ms
    bool alone;                 // the caller runs all stages by itself, for a trace; under `busy`
    atomic_bool tracing;        // may be read without `busy`
    atomic_int_least32_t label;
    worker worker[];
};

struct b2d_help {
    b2d_scheduler* scheduler;
    pthread_t asker;
    atomic_bool asking; // the asker is inside of `enqueue`
    atomic_flag used;
    atomic_bool over; // it is not open any more
    atomic_int_least32_t holders;
};

static void pause_briefly(void) {
#if defined(__x86_64__)
    _mm_pause();
#elif defined(__aarch64__)
    __asm__ volatile("isb");
#endif
}

void b2d_thread_yield(void) { sched_yield(); }

// For tests: delays at the places where threads can overtake each other.
static void chaos(worker* w) {
    if (w->chaos == 0) return;
    w->chaos ^= w->chaos << 13, w->chaos ^= w->chaos >> 17, w->chaos ^= w->chaos << 5;
    uint32_t pick = w->chaos & 63;
    if (pick == 0) {
        struct timespec nap = {0, 1000 * (long)(w->chaos >> 6 & 63)};
        nanosleep(&nap, NULL);
    } else if (pick < 8) {
        sched_yield();
    } else if (pick < 32) {
        for (uint32_t i = 0; i < (w->chaos >> 6 & 255); i++) pause_briefly();
    }
}

static double span_begin(const worker* w) { return w->spans == NULL ? 0.0 : b2d_milliseconds(); }

// Extends the previous span if this one follows it within a microsecond and has the same label.
static void span_end(worker* w, double begin, int32_t grains) {
    if (w->spans == NULL) return;
    const b2d_scheduler* s = w->scheduler;
    double end = b2d_milliseconds() - s->trace_start;
    int32_t label = atomic_load_explicit(&((b2d_scheduler*)s)->label, memory_order_relaxed);
    b2d_span* last = w->span_count > 0 ? &w->spans[w->span_count - 1] : NULL;
    begin -= s->trace_start;
    if (!s->alone && last != NULL && last->stage == label && begin - last->end < 1.0e-3) {
        last->end = end;
        last->grains += grains;
    } else if (w->span_count < w->span_room) {
        w->spans[w->span_count++] = (b2d_span){
            .begin = begin, .end = end, .worker = w->index, .stage = label, .grains = grains};
    }
}

// For a trace alone: a stage as one span.
static void run_alone(b2d_scheduler* s, const b2d_stage* stage) {
    worker* w = &s->worker[0];
    double begin = span_begin(w), longest = 0.0;
    if (stage->count <= 0) return;
    const int32_t step = stage->grain == 1 ? 1 : stage->count;
    for (int32_t k = 0; k < stage->count; k += step) {
        const double start = step == 1 ? b2d_milliseconds() : 0.0;
        stage->run(stage->context, k, k + step, 0);
        if (step == 1) longest = fmax(longest, b2d_milliseconds() - start);
    }
    const int32_t before = w->span_count;
    span_end(w, begin, (stage->count + stage->grain - 1) / stage->grain);
    if (w->span_count > before) w->spans[before].longest = longest;
}

// The grain of a stage, larger where there would be more grains than a share can count.
static int32_t grain_of(const b2d_stage* stage) {
    return b2d_max_int(stage->grain, (int32_t)(((int64_t)stage->count + LEFT_MASK - 1) / LEFT_MASK));
}

static void run_grains(const b2d_scheduler* s, worker* w, uint64_t number, int32_t first, int32_t n) {
    const b2d_stage* stage = &s->stages[number - s->before - 1];
    double traced = span_begin(w);
    chaos(w);
    int64_t grain = grain_of(stage), begin = first * grain, end = begin + n * grain;
    stage->run(stage->context, (int32_t)begin, end < stage->count ? (int32_t)end : stage->count, w->index);
    span_end(w, traced, n);
    chaos(w);
}

// Wakes at most `wanted` sleeping workers. This thread stores the stage before it reads `parked`; a worker that goes to
// sleep increments `parked` before it reads the stage for the last time. Both are sequentially consistent, so at least
// one of the two threads sees the write of the other, and no wake-up is lost.
static void wake(b2d_scheduler* s, int32_t wanted) {
    int32_t parked = atomic_load(&s->parked);
    if (parked == 0 || wanted <= 0) return;
    pthread_mutex_lock(&s->lock); // now a sleeping worker either waits or has not yet read the stage
    pthread_mutex_unlock(&s->lock);
    if (wanted >= parked) pthread_cond_broadcast(&s->wake);
    else
        for (int32_t i = 0; i < wanted; i++) pthread_cond_signal(&s->wake);
}

static void close_ticket(b2d_help* help) {
    if (atomic_exchange(&help->over, true)) return;
    atomic_fetch_sub(&help->scheduler->asked, 1);
}

b2d_help* b2d_help_hold(b2d_help* help) {
    atomic_fetch_add_explicit(&help->holders, 1, memory_order_relaxed);
    return help;
}

void b2d_help_release(b2d_help* help) {
    if (atomic_fetch_sub_explicit(&help->holders, 1, memory_order_acq_rel) > 1) return;
    close_ticket(help);
    b2d_scheduler_destroy(help->scheduler);
    free(help);
}

static b2d_help* new_ticket(b2d_scheduler* s) {
    b2d_help* help = malloc(sizeof *help);
    if (help == NULL) return NULL;
    b2d_scheduler_hold(s);
    help->scheduler = s;
    help->asker = pthread_self();
    atomic_init(&help->asking, true);
    atomic_flag_clear(&help->used);
    atomic_init(&help->over, false);
    atomic_init(&help->holders, 1);
    return help;
}

// Asks the program for the help of at most `wanted` threads. If a ticket is over when `enqueue` returns, the program
// refused it, ran it at once, or has waited for the thread that ran it: the rest of the job asks for nothing.
static void ask_for_help(b2d_scheduler* s, int32_t wanted) {
    for (int32_t i = 0; s->enqueue != NULL && i < wanted; i++) {
        if (atomic_load_explicit(&s->unaided, memory_order_relaxed)) return;
        if (atomic_fetch_add(&s->asked, 1) >= s->workers - 1) {
            atomic_fetch_sub(&s->asked, 1);
            return;
        }
        b2d_help* help = new_ticket(s);
        if (help == NULL) {
            atomic_fetch_sub(&s->asked, 1);
            return;
        }
        s->enqueue(s->user, help);
        atomic_store(&help->asking, false);
        if (atomic_load(&help->over) || atomic_load(&help->holders) == 1)
            atomic_store_explicit(&s->unaided, true, memory_order_relaxed);
        b2d_help_release(help);
    }
}

// Takes half of the grains that are left of a share in the stage, so that many small grains need few swaps and the last
// ones go one by one to whichever worker is free. Returns how many; *first is the first of them.
static int32_t take_from(worker* w, worker* owner, uint64_t stage, int32_t* first) {
    const uint64_t number = stage >> NUMBER_SHIFT;
    uint64_t word = atomic_load_explicit(&owner->share, memory_order_relaxed);
    while (word >> NUMBER_SHIFT <= number) {
        int32_t front = (int32_t)(word >> LEFT_BITS) & LEFT_MASK, left = (int32_t)(word & LEFT_MASK);
        if (word >> NUMBER_SHIFT < number) {
            const uint32_t grains = (uint32_t)(stage & LEFT_MASK);
            front = (int32_t)(grains * owner->begin >> PART_BITS);
            left = (int32_t)(grains * owner->end >> PART_BITS) - front;
        }
        if (left == 0) break;
        const int32_t n = (left + 1) / 2;
        const bool from_front = owner == w;
        *first = from_front ? front : front + left - n;
        chaos(w);
        if (atomic_compare_exchange_weak_explicit(
                &owner->share, &word,
                number << NUMBER_SHIFT | (uint64_t)(from_front ? front + n : front) << LEFT_BITS | (uint64_t)(left - n),
                memory_order_relaxed, memory_order_relaxed))
            return n;
    }
    return 0;
}

// The same from the worker's own share.
static int32_t take_own(worker* w, uint64_t stage, int32_t* first) {
    if (w->visited != stage) w->visited = stage, w->exhausted = 0;
    if (w->exhausted > 0) return 0;
    const int32_t n = take_from(w, w, stage, first);
    w->exhausted = n == 0;
    return n;
}

// The same from the first share that is not exhausted. Returns 0 if all are.
static int32_t take_others(b2d_scheduler* s, worker* w, uint64_t stage, int32_t* first) {
    for (; w->exhausted < s->workers; w->exhausted++) {
        const int32_t owner = w->index + w->exhausted;
        const int32_t n = take_from(w, &s->worker[owner < s->workers ? owner : owner - s->workers], stage, first);
        if (n > 0) return n;
    }
    return 0;
}

static uint64_t end_of_job(const b2d_scheduler* s) { return s->before + (uint64_t)s->stage_count + 1; }

// Called only while no worker holds a grain. Runs stages of one grain, publishes the next larger stage and runs its
// first grains. Returns the number of these grains, which are not yet counted in `done`; 0 when the job is over.
static int32_t advance(b2d_scheduler* s, worker* w) {
    while (s->next < s->stage_count) {
        const b2d_stage* stage = &s->stages[s->next++];
        if (stage->count <= 0) continue;
        B2D_ASSERT(stage->grain > 0);
        if (stage->count <= stage->grain) {
            double traced = span_begin(w);
            stage->run(stage->context, 0, stage->count, w->index);
            span_end(w, traced, 1);
            continue;
        }
        const int32_t grain = grain_of(stage), grains = (int32_t)(((int64_t)stage->count + grain - 1) / grain);
        const uint64_t number = s->before + (uint64_t)s->next, now = number << NUMBER_SHIFT | (uint64_t)grains;
        atomic_store_explicit(&s->done, 0, memory_order_relaxed);
        int32_t first;
        int32_t mine = take_own(w, now, &first); // the stage is not published yet
        if (mine == 0) mine = take_others(s, w, now, &first);
        chaos(w);
        atomic_store(&s->stage, now);
        wake(s, grains - mine);
        ask_for_help(s, grains - mine);
        run_grains(s, w, number, first, mine);
        return mine;
    }
    atomic_store(&s->stage, end_of_job(s) << NUMBER_SHIFT);
    if (atomic_load(&s->caller_parked)) wake(s, s->workers);
    return 0;
}

// Runs the side task if no worker has taken it.
static bool run_side_task(b2d_scheduler* s, worker* w) {
    if (atomic_load_explicit(&s->side, memory_order_relaxed) == NULL) return false;
    chaos(w);
    b2d_side_task* task = atomic_exchange(&s->side, NULL);
    if (task == NULL) return false;
    double traced = span_begin(w);
    task->run(task->context);
    span_end(w, traced, 0);
    chaos(w);
    atomic_store_explicit(&task->done, true, memory_order_release); // its owner may reuse it now
    return true;
}

// Works until no grain is free. This worker has run `mine` grains that are not yet counted in `done`; it counts them
// together, and the stage cannot end before.
static void work(b2d_scheduler* s, worker* w, int32_t mine) {
    for (uint64_t counted = 0;;) { // the stage in which the worker has counted the grains of its share
        const uint64_t stage = atomic_load_explicit(&s->stage, memory_order_acquire);
        const int32_t grains = (int32_t)(stage & LEFT_MASK);
        int32_t first, n = take_own(w, stage, &first);
        if (n == 0 && grains > 0 && (mine == 0 || counted == stage)) {
            counted = stage;
            n = take_others(s, w, stage, &first);
        }
        if (n > 0) {
            run_grains(s, w, stage >> NUMBER_SHIFT, first, n);
            mine += n;
        } else if (mine > 0) {
            int32_t before = atomic_fetch_add_explicit(&s->done, mine, memory_order_acq_rel);
            mine = before + mine == grains ? advance(s, w) : 0;
        } else {
            w->seen = stage >> NUMBER_SHIFT;
            if (w->index == 0 || !run_side_task(s, w)) return; // the caller may be the only one who can go on
        }
    }
}

static bool has_reason(b2d_scheduler* s, const worker* w) {
    return atomic_load(&s->stage) >> NUMBER_SHIFT != w->seen || (w->index != 0 && atomic_load(&s->side) != NULL);
}

// Spins until there is something to do. False: after a while none is.
static bool spin(b2d_scheduler* s, worker* w) {
    double start = 0.0;
    int64_t spins = 0;
    bool found = false;
    while (!(found = has_reason(s, w))) {
        spins++;
        if (s->crowded && spins > 8) sched_yield(); // the worker that holds a grain may need this processor
        else pause_briefly();
        if ((spins & 63) == 0) {
            double now = b2d_milliseconds();
            if (start == 0.0) start = now;
            if (now - start > spin_milliseconds) break;
        }
    }
    if (spins > 0)
        atomic_store_explicit(&w->spins, atomic_load_explicit(&w->spins, memory_order_relaxed) + spins,
                              memory_order_relaxed);
    return found;
}

// Waits until a grain is free or, on the calling thread, until the job is over. False: the scheduler is destroyed.
static bool idle(b2d_scheduler* s, worker* w) {
    if (spin(s, w)) return true;

    chaos(w);
    pthread_mutex_lock(&s->lock);
    atomic_fetch_add(&s->parked, 1);
    if (w->index == 0) atomic_store(&s->caller_parked, true);
    while (!has_reason(s, w) && !s->quit) pthread_cond_wait(&s->wake, &s->lock);
    if (w->index == 0) atomic_store(&s->caller_parked, false);
    atomic_fetch_sub(&s->parked, 1);
    bool quit = s->quit;
    pthread_mutex_unlock(&s->lock);
    return !quit;
}

static void* worker_main(void* argument) {
    worker* w = argument;
    b2d_float_enter();
    while (idle(w->scheduler, w)) work(w->scheduler, w, 0);
    return NULL;
}

// On the thread that asks, all that could be done here is what that thread will do next. Where that thread waits for
// this one, there is nothing to spin for.
void b2d_help_run(b2d_help* help) {
    b2d_scheduler* s = help->scheduler;
    if (atomic_flag_test_and_set(&help->used)) return;
    const bool inside = atomic_load(&help->asking) && pthread_equal(help->asker, pthread_self());
    worker* w = NULL;
    for (int32_t i = 1; i < s->workers && w == NULL && !inside; i++)
        if (!atomic_flag_test_and_set(&s->worker[i].helping)) w = &s->worker[i];
    if (w != NULL) {
        uint32_t saved = b2d_float_enter();
        do { work(s, w, 0); } while (!atomic_load(&help->asking) && spin(s, w));
        b2d_float_leave(saved);
        atomic_flag_clear(&w->helping);
    }
    close_ticket(help);
}

bool b2d_scheduler_is_hosted(const b2d_scheduler* s) { return s->enqueue != NULL; }

// If the system gives fewer threads, fewer workers work; results do not depend on it.
static void start_threads(b2d_scheduler* s) {
    s->tried = true;
    sigset_t all, before; // signals of the application must not run on these threads
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    for (int32_t i = 1; i < s->workers; i++, s->threads++)
        if (pthread_create(&s->worker[i].thread, NULL, worker_main, &s->worker[i]) != 0) break;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
}

b2d_status b2d_scheduler_create_hosted(int32_t workers, b2d_enqueue enqueue, void* user, b2d_scheduler** out) {
    size_t size = sizeof(b2d_scheduler) + (size_t)workers * sizeof(worker);
    b2d_scheduler* s = *out = aligned_alloc(APART, size); // both parts are multiples of it
    if (s == NULL) return B2D_NO_MEMORY;
    memset(s, 0, size);
    atomic_init(&s->holders, 1);
    atomic_init(&s->stage, 0);
    atomic_init(&s->done, 0);
    atomic_init(&s->side, NULL);
    atomic_init(&s->parked, 0);
    atomic_init(&s->caller_parked, false);
    atomic_flag_clear(&s->busy);
    s->workers = workers;
    s->enqueue = enqueue;
    s->user = user;
    atomic_init(&s->asked, 0);
    atomic_init(&s->unaided, false);
    if (workers > 1) {
        pthread_mutex_init(&s->lock, NULL);
        pthread_cond_init(&s->wake, NULL);
        s->process = getpid();
        s->crowded = workers > b2d_cpu_count();
    }
    const char* seed = getenv("B2D_CHAOS");
    for (int32_t i = 0; i < workers; i++) {
        s->worker[i].scheduler = s;
        s->worker[i].index = i;
        s->worker[i].begin = (uint32_t)(((int64_t)i << PART_BITS) / workers);
        s->worker[i].end = (uint32_t)(((int64_t)(i + 1) << PART_BITS) / workers);
        s->worker[i].spans = NULL;
        atomic_flag_clear(&s->worker[i].helping);
        atomic_init(&s->worker[i].spins, 0);
        atomic_init(&s->worker[i].share, 0);
        if (seed != NULL && *seed != 0)
            s->worker[i].chaos = ((uint32_t)strtoul(seed, NULL, 10) * 64u + (uint32_t)i) * 2654435761u | 1u;
    }
    return B2D_OK;
}

void b2d_scheduler_hold(b2d_scheduler* s) { atomic_fetch_add_explicit(&s->holders, 1, memory_order_relaxed); }

void b2d_scheduler_destroy(b2d_scheduler* s) {
    if (s == NULL || atomic_fetch_sub_explicit(&s->holders, 1, memory_order_acq_rel) > 1) return;
    // In a forked process the threads do not exist, and the lock may be held for ever
    if (s->workers > 1 && s->process == getpid()) {
        pthread_mutex_lock(&s->lock);
        s->quit = true;
        pthread_cond_broadcast(&s->wake);
        pthread_mutex_unlock(&s->lock);
        for (int32_t i = 1; i <= s->threads; i++) pthread_join(s->worker[i].thread, NULL);
        pthread_cond_destroy(&s->wake);
        pthread_mutex_destroy(&s->lock);
    }
    for (int32_t i = 0; i < s->workers; i++) free(s->worker[i].spans);
    destroy_spares(&s->spares);
    free(s);
}

// While `busy` is held no job can start; releasing it makes all writes visible to the workers of the next job.
static bool hold(b2d_scheduler* s) { return !atomic_flag_test_and_set_explicit(&s->busy, memory_order_acquire); }
static void let_go(b2d_scheduler* s) { atomic_flag_clear_explicit(&s->busy, memory_order_release); }

bool b2d_scheduler_trace(b2d_scheduler* s, int32_t room, bool alone) {
    if (!hold(s)) return false;
    bool done = true;
    for (int32_t i = 0; i < s->workers; i++) {
        free(s->worker[i].spans);
        s->worker[i].spans = room > 0 ? malloc(sizeof(b2d_span) * (size_t)room) : NULL;
        s->worker[i].span_count = 0;
        s->worker[i].span_room = s->worker[i].spans == NULL ? 0 : room;
        done = done && (room == 0 || s->worker[i].spans != NULL);
    }
    s->trace_start = b2d_milliseconds();
    s->alone = alone && room > 0;
    atomic_store_explicit(&s->tracing, room > 0, memory_order_relaxed);
    let_go(s);
    return done;
}

void b2d_scheduler_start_trace(b2d_scheduler* s) {
    if (!atomic_load_explicit(&s->tracing, memory_order_relaxed) || !hold(s)) return;
    if (s->worker[0].spans != NULL) {
        for (int32_t i = 0; i < s->workers; i++) s->worker[i].span_count = 0;
        s->trace_start = b2d_milliseconds();
    }
    let_go(s);
}

void b2d_scheduler_label(b2d_scheduler* s, int32_t stage) {
    atomic_store_explicit(&s->label, stage, memory_order_relaxed);
}

int32_t b2d_scheduler_spans(b2d_scheduler* s, b2d_span* out, int32_t room) {
    if (!hold(s)) return -1;
    int32_t count = 0;
    for (int32_t i = 0; i < s->workers; i++)
        for (int32_t k = 0; k < s->worker[i].span_count; k++, count++)
            if (count < room) out[count] = s->worker[i].spans[k];
    let_go(s);
    return count;
}

int32_t b2d_scheduler_workers(const b2d_scheduler* s) { return s->workers; }

int64_t b2d_scheduler_spins(const b2d_scheduler* s) {
    int64_t spins = 0;
    for (int32_t i = 0; i < s->workers; i++)
        spins += atomic_load_explicit(&((worker*)&s->worker[i])->spins, memory_order_relaxed);
    return spins;
}

int32_t b2d_scheduler_sharing(const b2d_scheduler* s) {
    if (atomic_load_explicit(&s->tracing, memory_order_relaxed) && s->alone) return B2D_SHARE_ALWAYS;
    return s->worker[0].chaos != 0 ? B2D_SHARE_IN_TURN : B2D_SHARE_AS_IT_PAYS;
}

int32_t b2d_scheduler_parked(const b2d_scheduler* s) { return atomic_load(&((b2d_scheduler*)s)->parked); }

static bool wants_threads(const b2d_stage* stages, int32_t stage_count) {
    for (int32_t i = 0; i < stage_count; i++)
        if (stages[i].count > stages[i].grain) return true;
    return false;
}

// The store of `side` and the read of `parked` are ordered as those of the stage: see wake.
void b2d_scheduler_offer(b2d_scheduler* s, b2d_side_task* task) {
    b2d_side_task* none = NULL;
    atomic_store_explicit(&task->done, false, memory_order_relaxed);
    task->offered = s->workers > 1 && s->process == getpid() && atomic_compare_exchange_strong(&s->side, &none, task);
    if (!task->offered || s->alone) return;
    wake(s, 1);
    ask_for_help(s, 1);
}

void b2d_scheduler_join(b2d_scheduler* s, b2d_side_task* task) {
    b2d_side_task* here = task;
    if (!task->offered || atomic_compare_exchange_strong(&s->side, &here, NULL)) {
        const bool traced = atomic_load_explicit(&s->tracing, memory_order_relaxed) && hold(s);
        double begin = traced ? span_begin(&s->worker[0]) : 0.0;
        task->run(task->context);
        if (!traced) return;
        span_end(&s->worker[0], begin, 0);
        let_go(s);
        return;
    }
    while (!atomic_load_explicit(&task->done, memory_order_acquire)) {
        if (s->crowded) sched_yield(); // the worker that has it may need this processor
        else pause_briefly();
    }
}

void b2d_scheduler_run_entered(b2d_scheduler* s, const b2d_stage* stages, int32_t stage_count) {
    if (s == NULL) {
        run_inline(stages, stage_count);
        return;
    }
    bool alone = s->workers == 1 || !wants_threads(stages, stage_count) || s->process != getpid();
    if (alone && atomic_load_explicit(&s->tracing, memory_order_relaxed) && hold(s)) { // traced as worker 0
        double traced = span_begin(&s->worker[0]);
        run_inline(stages, stage_count);
        span_end(&s->worker[0], traced, 1);
        let_go(s);
    } else if (alone || !hold(s)) {
        run_inline(stages, stage_count);
    } else if (s->alone) {
        for (int32_t i = 0; i < stage_count; i++) run_alone(s, &stages[i]);
        let_go(s);
    } else {
        if (!s->tried && s->enqueue == NULL) start_threads(s);
        worker* me = &s->worker[0];
        atomic_store_explicit(&s->unaided, false, memory_order_relaxed);
        s->stages = stages;
        s->stage_count = stage_count;
        s->before = atomic_load_explicit(&s->stage, memory_order_relaxed) >> NUMBER_SHIFT;
        s->next = 0;
        work(s, me, advance(s, me));
        while (me->seen != end_of_job(s))
            if (idle(s, me)) work(s, me, 0);
        let_go(s);
    }
}
#endif

void b2d_scheduler_run(b2d_scheduler* s, const b2d_stage* stages, int32_t stage_count) {
    const uint32_t saved = b2d_float_enter();
    b2d_scheduler_run_entered(s, stages, stage_count);
    b2d_float_leave(saved);
}

b2d_status b2d_scheduler_create(int32_t workers, b2d_scheduler** out) {
    return b2d_scheduler_create_hosted(workers, NULL, NULL, out);
}

void* b2d_scheduler_take_spare(b2d_scheduler* s) { return take_spare(&s->spares); }
bool b2d_scheduler_keep_spare(b2d_scheduler* s, void* object, b2d_destroy_fn* destroy) {
    return keep_spare(&s->spares, object, destroy);
}
