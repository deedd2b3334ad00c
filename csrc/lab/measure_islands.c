// csrc/lab/measure_islands.c - times of the partition functions on the bodies of a world, and of bit arrays.
//
// The world is locked for writing and not changed; what the functions need is taken from its arena.
#include "api/entry.h"
#include "base/timer.h"
#include "box2dpy_lab.h"
#include "lab/dfs.h"
#include "lab/order.h"
#include "lab/parallel_union_find.h"

#include <stdlib.h>
#include <string.h>

static double now_ns(void) { return 1.0e6 * b2d_milliseconds(); }

static uint64_t digest_of(const b2d_partition* p) { // FNV-1a over the parts in the order of bodies
    uint64_t hash = 0xCBF29CE484222325u;
    for (int32_t k = 0; k < p->body_count; k++) hash = (hash ^ (uint32_t)p->part[k]) * 0x100000001B3u;
    return hash;
}

typedef int32_t find_fn(const b2d_partition* p, void* context);

static b2d_status measure(b2d_world* world, find_fn* find, void* context, int32_t passes,
                          b2d_lab_partition_result* out) {
    b2d_status status = B2D_OK;
    *out = (b2d_lab_partition_result){.gather_ns = 1.0e30, .find_ns = 1.0e30};
    for (int32_t pass = 0; pass < passes && status == B2D_OK; pass++) {
        b2d_partition p;
        b2d_arena_reset(&world->scratch->arena);
        const double start = now_ns();
        const bool gathered = b2d_partition_of_awake(&world->graph, world->scheduler, &world->scratch->arena, &p);
        const double found = now_ns();
        const int32_t parts = gathered ? find(&p, context) : -1;
        const double end = now_ns();
        if (parts < 0) {
            status = b2d_error(B2D_NO_MEMORY, B2D_ARG_NONE);
            break;
        }
        out->gather_ns = found - start < out->gather_ns ? found - start : out->gather_ns;
        out->find_ns = end - found < out->find_ns ? end - found : out->find_ns;
        out->digest = digest_of(&p);
        out->bodies = p.body_count;
        out->links = p.link_count[0] + p.link_count[1];
        out->parts = parts;
    }
    return status;
}

static int32_t find_by_function(const b2d_partition* p, void* context) { return (*(b2d_partition_fn**)context)(p); }

b2d_status b2d_lab_partition(b2d_world* world, int32_t kind, int32_t passes, b2d_lab_partition_result* out) {
    b2d_partition_fn* functions[B2D_LAB_PARTITION_COUNT] = {b2d_partition_by_search, b2d_islands_dfs.parts,
                                                            b2d_islands_union_find.parts, b2d_partition_by_workers};
    if (kind < 0 || kind >= B2D_LAB_PARTITION_COUNT) return b2d_error(B2D_OUT_OF_RANGE, B2D_ARG_TYPE);
    B2D_TRY(b2d_open_write(world));
    if (!b2d_lease_scratch(world)) return b2d_close_write(world, b2d_error(B2D_NO_MEMORY, B2D_ARG_NONE));
    return b2d_close_write(world, measure(world, find_by_function, &functions[kind], passes, out));
}

typedef struct marked_search {
    b2d_marks marks;
    bool all_seeds;
} marked_search;

static int32_t find_by_marks(const b2d_partition* p, void* context) {
    marked_search* search = context;
    return b2d_partition_by_marks(p, &search->marks, search->all_seeds ? NULL : p->bodies,
                                  search->all_seeds ? search->marks.limit : p->body_count);
}

b2d_status b2d_lab_marks(b2d_world* world, int32_t marks, bool all_seeds, uint32_t stamp, int32_t passes,
                         b2d_lab_partition_result* out) {
    if (marks < 0 || marks >= B2D_MARKS_COUNT) return b2d_error(B2D_OUT_OF_RANGE, B2D_ARG_TYPE);
    B2D_TRY(b2d_open_write(world));
    const int32_t limit = world->body_ids.limit;
    const int32_t links = world->graph.contact_ids.limit;
    const bool objects = marks >= B2D_MARKS_OBJECTS_CLEAR;
    const size_t words = objects ? B2D_MARKED_BODY * (size_t)limit + B2D_MARKED_LINK * (size_t)links : (size_t)limit;
    uint32_t* rows = calloc(words + 64, sizeof *rows);
    if (rows == NULL || !b2d_lease_scratch(world)) free(rows), rows = NULL;
    if (rows == NULL) return b2d_close_write(world, b2d_error(B2D_NO_MEMORY, B2D_ARG_NONE));
    marked_search search = {{marks, limit, (uint8_t*)rows, rows, (uint64_t*)(void*)rows, stamp, NULL, NULL, links},
                            all_seeds};
    if (objects) search.marks.bodies = rows, search.marks.links = rows + B2D_MARKED_BODY * (size_t)limit;
    const b2d_status status = measure(world, find_by_marks, &search, passes, out);
    free(rows);
    return b2d_close_write(world, status);
}

static b2d_status time_lists(b2d_world* world, int32_t passes, double* append_ns, double* sorted_ns,
                             int32_t* displaced) {
    *append_ns = *sorted_ns = 1.0e30;
    *displaced = 0;
    for (int32_t pass = 0; pass < passes; pass++) {
        b2d_partition p;
        b2d_arena_reset(&world->scratch->arena);
        if (!b2d_partition_of_awake(&world->graph, world->scheduler, &world->scratch->arena, &p))
            return b2d_error(B2D_NO_MEMORY, B2D_ARG_NONE);
        const int32_t parts = b2d_partition_by_workers(&p), contacts = p.link_count[0];
        int32_t* rows = b2d_arena_take(&world->scratch->arena,
                                       sizeof *rows * (2 * (size_t)contacts + 2 * ((size_t)parts + 1)));
        if (parts < 0 || rows == NULL) return b2d_error(B2D_NO_MEMORY, B2D_ARG_NONE);
        int32_t *arrived = rows, *sorted = rows + contacts, *first = sorted + contacts;
        const double start = now_ns();
        bool done = b2d_list_links_by_workers(&p, parts, false, first, arrived);
        const double appended = now_ns();
        done = b2d_list_links_by_workers(&p, parts, true, first, sorted) && done;
        const double end = now_ns();
        if (!done) return b2d_error(B2D_NO_MEMORY, B2D_ARG_NONE);
        *append_ns = appended - start < *append_ns ? appended - start : *append_ns;
        *sorted_ns = end - appended < *sorted_ns ? end - appended : *sorted_ns;
        for (int32_t k = 0; k < contacts; k++) *displaced += arrived[k] != sorted[k];
    }
    return B2D_OK;
}

b2d_status b2d_lab_link_order(b2d_world* world, int32_t passes, double* append_ns, double* sorted_ns,
                              int32_t* displaced) {
    B2D_TRY(b2d_open_write(world));
    if (!b2d_lease_scratch(world)) return b2d_close_write(world, b2d_error(B2D_NO_MEMORY, B2D_ARG_NONE));
    return b2d_close_write(world, time_lists(world, passes, append_ns, sorted_ns, displaced));
}

b2d_status b2d_lab_scan_bits(int32_t ids, int32_t stride, int32_t passes, double* bits_ns, double* loop_ns,
                             int64_t* found) {
    b2d_memory memory = {.fail_after = -1};
    b2d_bits bits = {0};
    b2d_pair* pairs = calloc((size_t)ids + 1, sizeof *pairs);
    if (pairs == NULL || !b2d_bits_reserve(&memory, &bits, ids)) {
        free(pairs);
        return b2d_error(B2D_NO_MEMORY, B2D_ARG_NONE);
    }
    for (int32_t id = 0; stride > 0 && id < ids; id += stride) {
        b2d_bits_set(&bits, id);
        pairs[id].flags = B2D_PAIR_TOUCHING;
    }
    *bits_ns = *loop_ns = 1.0e30;
    for (int32_t pass = 0; pass < passes; pass++) {
        int64_t by_bits = 0, by_loop = 0;
        const double start = now_ns();
        B2D_FOR_BITS (&bits, id) by_bits += id + 1;
        const double scanned = now_ns();
        for (int32_t id = 0; id < ids; id++)
            if (pairs[id].flags & B2D_PAIR_TOUCHING) by_loop += id + 1;
        const double end = now_ns();
        *bits_ns = scanned - start < *bits_ns ? scanned - start : *bits_ns;
        *loop_ns = end - scanned < *loop_ns ? end - scanned : *loop_ns;
        *found = by_bits == by_loop ? by_bits : -1;
    }
    b2d_bits_free(&memory, &bits);
    free(pairs);
    return B2D_OK;
}

void b2d_lab_last_order(b2d_lab_order* out) {
    const b2d_order_report last = b2d_order_last_report();
    *out = (b2d_lab_order){last.plan_ms, last.copy_in_ms, last.copy_out_ms, last.tasks, last.contacts, last.lanes};
}
