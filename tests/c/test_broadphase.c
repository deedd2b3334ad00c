// tests/c/test_broadphase.c - all broad phases give equal pairs and answers on random worlds.
//
// Oracle: brute force. Each instance (every row of lists/broadphases.def, every instruction set this processor has, 1
// to 4 workers) sees the same columns and calls; after each step pair keys are sorted and compared, none may occur
// twice, queries and rays must visit exactly what brute force visits, and validate() must find nothing. Arguments: a
// factor on the number of steps (default 1).
#include "base/cpu.h"
#include "broadphase/broadphase.h"
#include "broadphase/proxies.h"
#include "broadphase/tree.h"
#include "base/radix_sort.h"

#include "test.h"

#include <string.h>

#define B2D_BROADPHASE(NAME, name) &b2d_broadphase_##name,
static const b2d_broadphase_table* const tables[] = {
#include "lists/broadphases.def"
};
#undef B2D_BROADPHASE
enum { TABLES = sizeof tables / sizeof *tables };

static int failures;
#define CHECK(actual, expected)                                                                                 \
    do {                                                                                                        \
        long long check_a = (long long)(actual), check_b = (long long)(expected);                               \
        if (check_a != check_b) {                                                                               \
            fprintf(stderr, "%s:%d: %s is %lld, %s is %lld\n", __FILE__, __LINE__, #actual, check_a, #expected, \
                    check_b);                                                                                   \
            if (++failures > 20) exit(1);                                                                       \
        }                                                                                                       \
    } while (0)

enum { MOST = 4096, WORKERS = 4, INSTANCES = 64 };

typedef struct instance {
    char name[48];
    const b2d_broadphase_table* table;
    uint64_t number; // the same on every processor
    b2d_broadphase* phase;
    b2d_memory memory;
    b2d_memory worker_memory[WORKERS];
    b2d_key_list lists[WORKERS];
    b2d_scheduler* scheduler;
    int32_t workers;
    uint64_t* keys;
    int32_t key_count, key_capacity;
    int32_t* hits;
    int32_t hit_count;
} instance;

typedef struct world {
    b2d_memory memory;
    b2d_proxies p;
    instance instances[INSTANCES];
    int32_t instance_count;
    int32_t scenario;
    int64_t pairs;
} world;

static b2d_scheduler* schedulers[WORKERS + 1];

static void grow_float(world* w, float** column, int32_t capacity) {
    float* grown = b2d_allocate(&w->memory, (size_t)capacity * sizeof(float));
    if (*column != NULL) memcpy(grown, *column, (size_t)w->p.capacity * sizeof(float));
    b2d_free(&w->memory, *column, (size_t)w->p.capacity * sizeof(float));
    *column = grown;
}

// The capacity grows during the test, and is no multiple of the vector width.
static void reserve(world* w, int32_t capacity) {
    b2d_proxies* p = &w->p;
    if (capacity <= p->capacity) return;
    float** columns[8] = {&p->fat_min_x, &p->fat_min_y, &p->fat_max_x, &p->fat_max_y,
                          &p->old_min_x, &p->old_min_y, &p->old_max_x, &p->old_max_y};
    for (int k = 0; k < 8; k++) grow_float(w, columns[k], capacity);
    uint8_t* classes = b2d_allocate(&w->memory, (size_t)capacity);
    int32_t* body = b2d_allocate(&w->memory, (size_t)capacity * sizeof(int32_t));
    if (p->capacity > 0) {
        memcpy(classes, p->proxy_class, (size_t)p->capacity);
        memcpy(body, p->body, (size_t)p->capacity * sizeof(int32_t));
    }
    b2d_free(&w->memory, p->proxy_class, (size_t)p->capacity);
    b2d_free(&w->memory, p->body, (size_t)p->capacity * sizeof(int32_t));
    p->proxy_class = classes;
    p->body = body;
    CHECK(b2d_bits_reserve(&w->memory, &p->moved, capacity) && b2d_bits_reserve(&w->memory, &p->dirty, capacity), true);
    p->capacity = capacity;
}

static void add_instance(world* w, const b2d_broadphase_table* table, int32_t simd, const char* isa, int32_t number) {
    instance* in = &w->instances[w->instance_count++];
    const int32_t workers = 1 + number % WORKERS;
    memset(in, 0, sizeof *in);
    snprintf(in->name, sizeof in->name, "%s %s %d", table->name, isa, workers);
    in->table = table;
    in->number = (uint64_t)number;
    in->workers = workers;
    in->scheduler = schedulers[workers];
    in->memory.fail_after = -1;
    for (int k = 0; k < WORKERS; k++) {
        in->worker_memory[k].fail_after = -1;
        in->lists[k].memory = &in->worker_memory[k];
    }
    in->hits = malloc(MOST * sizeof(int32_t));
    CHECK(table->create(&in->memory, &w->p, simd, &in->phase), true);
}

enum { MIXED, LATTICE, FAR, HUGE_RANGE, CLUSTER, SPARSE_MOVERS, SWARM, THOUSAND, WRAPPED, FEW, CROWD, SCENARIOS };
static const char* const scenario_names[] = {"mixed",   "lattice",       "far",   "huge range",
                                             "cluster", "sparse movers", "swarm", "thousand to one",
                                             "wrapped", "few",           "crowd"};

static b2d_box random_box(const world* w) {
    double x = 0, y = 0, hx = 0.5, hy = 0.5;
    switch (w->scenario) {
    case MIXED:
        x = 60 * draw_unit(), y = 60 * draw_unit();
        hx = 0.2 + draw_unit(), hy = 0.2 + draw_unit();
        if (draw_chance(0.04)) hx *= 12, hy *= 6;
        break;
    case LATTICE: // many boxes touch exactly
        return (b2d_box){(float)draw_below(40), (float)draw_below(20), 0, 0};
    case FAR: x = 1.0e7 + 60 * draw_unit(), y = -1.0e7 + 40 * draw_unit(); break;
    case HUGE_RANGE: {
        double scale = pow(10.0, 37.0 * draw_unit());
        x = (draw_unit() - 0.5) * 2 * scale, y = (draw_unit() - 0.5) * 2 * scale;
        hx = 0.1 * scale * draw_unit(), hy = 0.1 * scale * draw_unit();
        break;
    }
    case CLUSTER:
        x = 2 * draw_unit(), y = 2 * draw_unit();
        hx = 0.02 + 0.1 * draw_unit(), hy = hx;
        break;
    case FEW: x = 10 * draw_unit(), y = 6 * draw_unit(), hx = 0.2 + draw_unit(), hy = 0.2 + draw_unit(); break;
    case SPARSE_MOVERS:
    case SWARM: x = 50 * draw_unit(), y = 25 * draw_unit(); break;
    case CROWD:
        x = 200 * draw_unit(), y = 80 * draw_unit(), hx += 0.3 * draw_unit();
        break; // enough for many units of parallel work
    case THOUSAND: {
        double size = pow(10.0, 3.0 * draw_unit() - 2.0);
        x = 20 * draw_unit(), y = 20 * draw_unit();
        hx = size * (0.3 + draw_unit()), hy = size * (0.3 + draw_unit());
        break;
    }
    case WRAPPED: // cells far apart share a cell of the table
        x = 3.0e4 * draw_unit(), y = 3.0e4 * draw_unit();
        if (draw_chance(0.5)) x = 50 * draw_unit(), y = 50 * draw_unit();
        break;
    }
    return (b2d_box){(float)(x - hx), (float)(y - hy), (float)(x + hx), (float)(y + hy)};
}

static void set_box(world* w, int32_t i, b2d_box box) {
    if (w->scenario == LATTICE) box.max_x = box.min_x + (float)(1 + i % 3), box.max_y = box.min_y + 1;
    w->p.fat_min_x[i] = box.min_x, w->p.fat_min_y[i] = box.min_y, w->p.fat_max_x[i] = box.max_x,
    w->p.fat_max_y[i] = box.max_y;
    b2d_bits_set(&w->p.moved, i);
    b2d_bits_set(&w->p.dirty, i);
}

static void nudge(world* w, int32_t i) {
    b2d_box box = b2d_fat_box(&w->p, i);
    const float width = box.max_x - box.min_x, height = box.max_y - box.min_y;
    float dx = (float)(draw_unit() - 0.5) * width * 0.8f, dy = (float)(draw_unit() - 0.5) * height * 0.8f;
    if (w->scenario == LATTICE) dx = (float)(draw_below(3) - 1), dy = (float)(draw_below(3) - 1);
    if (w->scenario == HUGE_RANGE && !(fabsf(box.min_x + dx) < 1.0e37f && fabsf(box.max_y + dy) < 1.0e37f)) dx = dy = 0;
    box.min_x += dx, box.max_x += dx, box.min_y += dy, box.max_y += dy;
    set_box(w, i, box);
}

static void reopen(world* w, int32_t i) {
    b2d_proxies* p = &w->p;
    if (draw_chance(0.5))
        p->old_min_x[i] = INFINITY, p->old_max_x[i] = -INFINITY, p->old_min_y[i] = INFINITY,
        p->old_max_y[i] = -INFINITY;
    else p->old_min_x[i] = 1, p->old_max_x[i] = 0, p->old_min_y[i] = 0, p->old_max_y[i] = 1; // empty on one axis only
    b2d_bits_set(&p->moved, i);
}

static void change(world* w, int32_t i, int32_t to) {
    const int32_t before = w->p.proxy_class[i];
    w->p.proxy_class[i] = (uint8_t)to;
    for (int32_t k = 0; k < w->instance_count; k++)
        CHECK(w->instances[k].table->change(&w->instances[k].memory, w->instances[k].phase, &i, 1, before), true);
}

static void create_shape(world* w, int32_t class) {
    int32_t i = 0;
    while (i < w->p.limit && w->p.proxy_class[i] != B2D_PROXY_NONE) i++;
    if (i == MOST) return;
    if (i >= w->p.capacity) reserve(w, w->p.capacity + w->p.capacity / 3 + 5);
    if (i >= w->p.limit) w->p.limit = i + 1;
    w->p.body[i] = draw_chance(0.2) && i > 0 ? w->p.body[draw_below(i)] : i;
    set_box(w, i, random_box(w));
    reopen(w, i);
    change(w, i, class);
}

static void update(world* w) {
    for (int32_t k = 0; k < w->instance_count; k++) {
        instance* in = &w->instances[k];
        const uint64_t here = draw_branch(in->number);
        if (draw_chance(0.05)) { // no memory at first
            in->memory.fail_after = draw_below(4);
            in->table->update(&in->memory, in->phase, in->scheduler);
            in->memory.fail_after = -1;
        }
        draw_state = here;
        CHECK(in->table->update(&in->memory, in->phase, in->scheduler), true);
        const char* broken = in->table->validate(in->phase);
        if (broken != NULL) {
            fprintf(stderr, "%s, %s: %s\n", scenario_names[w->scenario], in->name, broken);
            exit(1);
        }
    }
    draw_bits(); // the branches of the next update are others
    b2d_bits_clear(&w->p.dirty);
}

static void find_pairs(world* w) {
    for (int32_t k = 0; k < w->instance_count; k++) {
        instance* in = &w->instances[k];
        for (int32_t l = 0; l < in->workers; l++) in->lists[l].count = 0;
        CHECK(in->table->pairs(&in->memory, in->phase, in->scheduler, in->lists), true);
        in->key_count = 0;
        for (int32_t l = 0; l < in->workers; l++) in->key_count += in->lists[l].count;
        if (in->key_count > in->key_capacity) {
            in->key_capacity = 2 * in->key_count;
            in->keys = realloc(in->keys, 2 * (size_t)in->key_capacity * sizeof *in->keys);
        }
        int32_t at = 0;
        for (int32_t l = 0; l < in->workers; l++) {
            if (in->lists[l].count > 0)
                memcpy(in->keys + at, in->lists[l].keys, (size_t)in->lists[l].count * sizeof *in->keys);
            at += in->lists[l].count;
        }
        if (in->key_count > 1) b2d_radix_sort(in->keys, in->keys + in->key_capacity, in->key_count);
        for (int32_t j = 1; j < in->key_count; j++)
            if (in->keys[j] == in->keys[j - 1]) {
                fprintf(stderr, "%s, %s: pair %llx twice\n", scenario_names[w->scenario], in->name,
                        (unsigned long long)in->keys[j]);
                failures++;
            }
        const instance* brute = &w->instances[0];
        bool same = in->key_count == brute->key_count;
        for (int32_t j = 0; same && j < in->key_count; j++) same = in->keys[j] == brute->keys[j];
        if (!same) {
            int32_t j = 0;
            while (j < in->key_count && j < brute->key_count && in->keys[j] == brute->keys[j]) j++;
            fprintf(stderr, "%s, %s: %d pairs, brute %d; first difference at %d: %llx, %llx\n",
                    scenario_names[w->scenario], in->name, in->key_count, brute->key_count, j,
                    (unsigned long long)(j < in->key_count ? in->keys[j] : 0),
                    (unsigned long long)(j < brute->key_count ? brute->keys[j] : 0));
            if (++failures > 10) exit(1);
        }
    }
    w->pairs += w->instances[0].key_count;
}

static void consume_moved(world* w) {
    b2d_proxies* p = &w->p;
    B2D_FOR_BITS (&p->moved, i) {
        p->old_min_x[i] = p->fat_min_x[i], p->old_min_y[i] = p->fat_min_y[i];
        p->old_max_x[i] = p->fat_max_x[i], p->old_max_y[i] = p->fat_max_y[i];
    }
    b2d_bits_clear(&p->moved);
}

static bool note_hit(void* context, int32_t shape) {
    instance* in = context;
    if (in->hit_count < MOST) in->hits[in->hit_count] = shape;
    in->hit_count++;
    return true;
}
static bool stop_at_once(void* context, int32_t shape) {
    (void)shape;
    ++*(int32_t*)context;
    return false;
}
static int compare_int(const void* a, const void* b) { return *(const int32_t*)a - *(const int32_t*)b; }

static void compare_hits(world* w, const char* what) {
    for (int32_t k = 0; k < w->instance_count; k++) {
        instance *in = &w->instances[k], *brute = &w->instances[0];
        if (in->hit_count <= MOST) qsort(in->hits, (size_t)in->hit_count, sizeof(int32_t), compare_int);
        if (in->hit_count == brute->hit_count &&
            memcmp(in->hits, brute->hits, (size_t)in->hit_count * sizeof(int32_t)) == 0)
            continue;
        fprintf(stderr, "%s, %s: %s finds %d shapes, brute %d\n", scenario_names[w->scenario], in->name, what,
                in->hit_count, brute->hit_count);
        if (++failures > 10) exit(1);
    }
}

// Many boxes at once meet the same static shapes as each by itself.
static void meet_static(world* w) {
    b2d_box_rows boxes;
    uint32_t expected = 0, asked = 0;
    const int32_t lanes = draw_below(B2D_BOX_ROWS + 1);
    for (int32_t k = 0; k < B2D_BOX_ROWS; k++) {
        const b2d_box box = random_box(w);
        boxes.min_x[k] = box.min_x, boxes.min_y[k] = box.min_y, boxes.max_x[k] = box.max_x, boxes.max_y[k] = box.max_y;
        int32_t calls = 0;
        w->instances[0].table->query(w->instances[0].phase, box, 1u << B2D_PROXY_STATIC, stop_at_once, &calls);
        expected |= (uint32_t)(calls > 0) << k;
        asked |= (uint32_t)(lanes == 1 ? k == 5 : draw_below(B2D_BOX_ROWS) < lanes) << k;
    }
    for (int32_t k = 0; k < w->instance_count; k++)
        if (w->instances[k].table->meets_static != NULL)
            CHECK(w->instances[k].table->meets_static(w->instances[k].phase, &boxes, asked), expected & asked);
}

static void query_all(world* w) {
    meet_static(w);
    b2d_box box = random_box(w);
    if (w->scenario == LATTICE) box.max_x = box.min_x + 2, box.max_y = box.min_y;
    if (draw_chance(0.2)) {
        const float grow = (float)pow(10.0, 6.0 * draw_unit());
        box.min_x -= grow, box.max_x += grow, box.min_y -= grow * 0.3f, box.max_y += grow * 0.3f;
    }
    if (draw_chance(0.05)) box = (b2d_box){-3.0e38f, -3.0e38f, 3.0e38f, 3.0e38f};
    const uint32_t classes = draw_chance(0.3) ? (uint32_t)draw_below(16) : 14u;
    for (int32_t k = 0; k < w->instance_count; k++) {
        instance* in = &w->instances[k];
        in->hit_count = 0;
        in->table->query(in->phase, box, classes, note_hit, in);
    }
    compare_hits(w, "query");
    if (w->instances[0].hit_count > 0)
        for (int32_t k = 0; k < w->instance_count; k++) {
            int32_t calls = 0;
            w->instances[k].table->query(w->instances[k].phase, box, classes, stop_at_once, &calls);
            CHECK(calls, 1);
        }
    const b2d_box from = random_box(w), to = random_box(w);
    double px = from.min_x, py = from.min_y, dx = (double)to.min_x - px, dy = (double)to.min_y - py;
    if (draw_chance(0.15)) dx = 0;
    if (draw_chance(0.15)) dy = 0;
    if (draw_chance(0.1)) dx *= 1.0e6, dy *= 1.0e6;
    const float radius = draw_chance(0.5) ? 0.0f : (float)draw_unit(),
                fraction = draw_chance(0.5) ? 1.0f : (float)draw_unit();
    for (int32_t k = 0; k < w->instance_count; k++) {
        instance* in = &w->instances[k];
        in->hit_count = 0;
        in->table->ray(in->phase, px, py, dx, dy, radius, classes, &fraction, note_hit, in);
    }
    compare_hits(w, "ray");
}

// FEW: the grid tests all of at most 64 shapes, and the lowest free ids are taken first.
static int32_t wanted_count(const world* w) { return w->scenario == CROWD ? 3000 : w->scenario == FEW ? 45 : 300; }

static void step(world* w) {
    b2d_proxies* p = &w->p;
    // The user's calls: creation, destruction, teleports, shapes whose old box is emptied so that all pairs are found
    // again.
    int32_t live = 0;
    for (int32_t i = 0; i < p->limit; i++) live += p->proxy_class[i] != B2D_PROXY_NONE;
    const int32_t wanted = wanted_count(w);
    for (int32_t k = draw_below(6); k > 0; k--)
        if (live + k < wanted * 4 / 3) create_shape(w, 1 + draw_below(3));
    if (draw_chance(0.03)) // a batch
        for (int32_t k = 0; k < wanted / 2 && live + k < wanted * 4 / 3; k++)
            create_shape(w, k % 2 == 0 ? B2D_PROXY_STATIC : B2D_PROXY_MOVING);
    for (int32_t i = 0; i < p->limit; i++) {
        if (p->proxy_class[i] == B2D_PROXY_NONE) continue;
        if (draw_chance(live > wanted ? 0.02 : 0.005)) change(w, i, B2D_PROXY_NONE);
        else if (draw_chance(0.004)) change(w, i, 1 + draw_below(3)); // only the class changes
        else if (draw_chance(0.004)) reopen(w, i);
        else if (draw_chance(0.01)) {
            set_box(w, i, random_box(w));
            if (draw_chance(0.3)) reopen(w, i);
            change(w, i, p->proxy_class[i]);
        }
    }
    while (p->limit > 0 && p->proxy_class[p->limit - 1] == B2D_PROXY_NONE) p->limit--;
    if (draw_chance(0.04)) { // all fall asleep or wake
        const int32_t to = draw_chance(0.5) ? B2D_PROXY_ASLEEP : B2D_PROXY_MOVING;
        for (int32_t i = 0; i < p->limit; i++)
            if (p->proxy_class[i] >= B2D_PROXY_ASLEEP) change(w, i, to);
    }
    if (draw_chance(0.5)) update(w);
find_pairs_after_update:
    update(w);
    find_pairs(w);
    consume_moved(w);
    for (int32_t k = draw_below(3); k > 0; k--) query_all(w);
    // The step: awake shapes move, some of them twice.
    const double share = w->scenario == SPARSE_MOVERS ? 0.03 : w->scenario == SWARM ? 1.0 : draw_unit();
    for (int32_t i = 0; i < p->limit; i++)
        if (p->proxy_class[i] == B2D_PROXY_MOVING && draw_chance(share)) nudge(w, i);
    update(w);
    for (int32_t i = 0; i < p->limit; i++)
        if (b2d_bits_has(&p->moved, i) && p->proxy_class[i] == B2D_PROXY_MOVING && draw_chance(0.05)) nudge(w, i);
    update(w);
    for (int32_t k = draw_below(3); k > 0; k--) query_all(w);
    if (draw_chance(0.05)) goto find_pairs_after_update;
}

static void world_free(world* w) {
    for (int32_t k = 0; k < w->instance_count; k++) {
        instance* in = &w->instances[k];
        in->table->destroy(&in->memory, in->phase);
        CHECK(in->memory.bytes, 0);
        for (int32_t l = 0; l < WORKERS; l++)
            b2d_free(&in->worker_memory[l], in->lists[l].keys, (size_t)in->lists[l].capacity * sizeof(uint64_t));
        free(in->keys);
        free(in->hits);
    }
    b2d_proxies* p = &w->p;
    float* columns[8] = {p->fat_min_x, p->fat_min_y, p->fat_max_x, p->fat_max_y,
                         p->old_min_x, p->old_min_y, p->old_max_x, p->old_max_y};
    for (int k = 0; k < 8; k++) b2d_free(&w->memory, columns[k], (size_t)p->capacity * sizeof(float));
    b2d_free(&w->memory, p->proxy_class, (size_t)p->capacity);
    b2d_free(&w->memory, p->body, (size_t)p->capacity * sizeof(int32_t));
    b2d_bits_free(&w->memory, &p->moved);
    b2d_bits_free(&w->memory, &p->dirty);
    CHECK(w->memory.bytes, 0);
    free(w);
}

static world* world_make(int32_t scenario) {
    static const char* const names[] = {"scalar", "sse2", "avx2", "avx512", "neon", "wasm"};
    world* w = calloc(1, sizeof *w);
    w->memory.fail_after = -1;
    w->scenario = scenario;
    reserve(w, 37);
    add_instance(w, &b2d_broadphase_brute, B2D_SIMD_SCALAR, "-", 0);
    int32_t number = 0;
    for (int32_t k = 0; k < TABLES; k++)
        for (int32_t simd = 0; simd < B2D_SIMD_COUNT; simd++, number++)
            if (tables[k] != &b2d_broadphase_brute && b2d_cpu_has(simd))
                add_instance(w, tables[k], simd, names[simd], number);
    for (int32_t k = 0; k < WORKERS; k++) add_instance(w, &b2d_broadphase_grid, b2d_cpu_best(), "best", number++);
    return w;
}

static void test_scenario(int32_t scenario, int32_t steps) {
    world* w = world_make(scenario);
    for (int32_t k = 0; k < wanted_count(w); k++)
        create_shape(w, draw_chance(0.7) ? B2D_PROXY_MOVING : 1 + draw_below(3));
    for (int32_t k = 0; k < steps; k++) step(w);
    printf("test_all_broad_phases_agree[%s]: %d steps, %lld pairs, %d instances\n", scenario_names[scenario], steps,
           (long long)w->pairs, w->instance_count);
    world_free(w);
}

static double factor; // on the number of steps

static void test_all_broad_phases_agree(void) {
    const uint64_t start = draw_state;
    for (int32_t scenario = 0; scenario < SCENARIOS; scenario++) {
        draw_state = start;
        draw_branch((uint64_t)scenario);
        test_scenario(scenario, (int32_t)((scenario == CROWD ? 100 : 300) * factor));
    }
}

// In a steady state, after some steps, nothing is allocated.
static void test_steady_state_allocates_nothing(void) {
    world* w = world_make(SPARSE_MOVERS);
    for (int32_t k = 0; k < 500; k++) create_shape(w, k % 5 == 0 ? B2D_PROXY_STATIC : B2D_PROXY_MOVING);
    for (int32_t k = 0; k < 3 * 50; k++) {
        if (k == 100) // warm
            for (int32_t j = 0; j < w->instance_count; j++) w->instances[j].memory.allocations = 0;
        for (int32_t i = 0; i < w->p.limit; i++) // there and back, all or few
            if (w->p.proxy_class[i] == B2D_PROXY_MOVING && (k / 2 % 2 == 0 || i % 32 == 0)) {
                b2d_box box = b2d_fat_box(&w->p, i);
                const float dx = k % 2 == 0 ? 0.75f : -0.75f;
                box.min_x += dx, box.max_x += dx;
                set_box(w, i, box);
            }
        for (int32_t j = 0; j < w->instance_count; j++)
            CHECK(w->instances[j].table->update(&w->instances[j].memory, w->instances[j].phase,
                                                w->instances[j].scheduler),
                  true);
        b2d_bits_clear(&w->p.dirty);
        find_pairs(w);
        consume_moved(w);
    }
    for (int32_t j = 0; j < w->instance_count; j++) CHECK(w->instances[j].memory.allocations, 0);
    printf("test_steady_state_allocates_nothing: %d instances\n", w->instance_count);
    world_free(w);
}

// The tree alone: sorted insertion, equal centres, exponentially growing boxes; its cost stays close to that of a new
// build.
static void test_tree_stays_shallow(void) {
    b2d_memory memory = {.fail_after = -1};
    b2d_tree tree;
    b2d_tree_init(&tree);
    for (int32_t kind = 0; kind < 4; kind++) {
        const int32_t count = kind == 2 ? 1000 : 5000;
        b2d_tree_clear(&tree);
        CHECK(b2d_tree_reserve(&memory, &tree, count, count), true);
        for (int32_t i = 0; i < count; i++) {
            const float x = kind == 0   ? (float)i
                            : kind == 1 ? 0.0f
                            : kind == 2 ? ldexpf(1.0f, i % 240 - 120)
                                        : (float)draw_unit() * 100.0f;
            b2d_tree_insert(&tree, i, (b2d_box){x, 0.0f, x + 0.5f, kind == 3 ? 0.5f : 0.0f});
        }
        CHECK(b2d_tree_validate(&tree) == NULL, true);
        const double inserted = b2d_tree_cost(&tree);
        b2d_tree_rebuild(&tree);
        CHECK(b2d_tree_validate(&tree) == NULL, true);
        if (kind != 1) CHECK(BOUND(inserted, <, 2.0 * b2d_tree_cost(&tree) + 1.0), true);
        CHECK(BOUND(tree.nodes[0].height, <=, 120), true);
        for (int32_t i = 0; i < count; i += 2) b2d_tree_remove(&tree, i);
        CHECK(b2d_tree_validate(&tree) == NULL, true);
        CHECK(tree.leaf_count, count / 2);
    }
    b2d_tree_free(&memory, &tree);
    CHECK(memory.bytes, 0);
    printf("test_tree_stays_shallow: 4 kinds\n");
}

int main(int argc, char** argv) {
    factor = argc > 1 ? atof(argv[1]) : 1.0;
    for (int32_t k = 1; k <= WORKERS; k++) CHECK(b2d_scheduler_create(k, &schedulers[k]), B2D_OK);
    RUN(test_tree_stays_shallow);
    RUN(test_all_broad_phases_agree);
    RUN(test_steady_state_allocates_nothing);
    print_bounds();
    for (int32_t k = 1; k <= WORKERS; k++) b2d_scheduler_destroy(schedulers[k]);
    if (failures > 0) fprintf(stderr, "%d failures\n", failures);
    return failures > 0;
}
