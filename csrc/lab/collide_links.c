// csrc/lab/collide_links.c - parallel union-find inside the narrow phase, with waking.
//
// As Rouwe presented it and Catto built it first ("Simulation Islands", 2023): the worker that finds that two bodies
// touch unites their sets with compare-and-swap at once, and wakes the other body. The contacts of a body that woke
// were not collided yet, so they are the work of another round, until a round wakes no body. A pile that is touched at
// one end therefore wakes in as many rounds as it is long.
// Threads: parallel; parents, marks and the list of the next round are atomic.
#include "api/entry.h"
#include "base/timer.h"
#include "box2dpy_lab.h"
#include "lab/parallel_union_find.h"
#include "narrowphase/collide.h"

#include <stdlib.h>
#include <string.h>

enum { BODY_GRAIN = 64 };

typedef struct awakening {
    b2d_graph* graph;
    const b2d_collide_context* context;
    atomic_int_least32_t* parent;              // by body id
    atomic_uchar *reached, *collided, *joined; // by id of body, contact, joint
    const int32_t* bodies;                     // of this round
    int32_t* woken;                            // of the next one
    atomic_int_least32_t woken_count;
    atomic_int_least64_t pairs;
} awakening;

static bool first_to(atomic_uchar* marks, int32_t id) { return atomic_exchange(&marks[id], 1) == 0; }

static void meet(awakening* a, int32_t one, int32_t other) {
    if (!b2d_moves(a->graph, one) || !b2d_moves(a->graph, other)) return;
    b2d_unite_by_swaps(a->parent, one, other);
    if (first_to(a->reached, other))
        a->woken[atomic_fetch_add_explicit(&a->woken_count, 1, memory_order_relaxed)] = other;
}

static void collide_bodies(void* context, int32_t begin, int32_t end, int32_t worker) {
    (void)worker;
    awakening* a = context;
    int64_t pairs = 0;
    for (int32_t k = begin; k < end; k++) {
        const int32_t id = a->bodies[k];
        const b2d_body* body = &a->graph->bodies[id];
        for (int32_t key = body->contact_head; key != B2D_NONE; key = a->graph->contacts[key >> 1].next[key & 1]) {
            const b2d_pair* pair = &a->graph->pairs[key >> 1];
            if (!first_to(a->collided, key >> 1)) continue; // the other body's worker has it
            const b2d_pose* poses = a->context->poses;
            b2d_manifold found;
            b2d_collide_one(a->context, pair->bucket, pair->shape_a, pair->shape_b,
                            b2d_pose_relative(&poses[pair->body_a], &poses[pair->body_b]), &found);
            pairs++;
            if (found.count > 0) meet(a, id, (key & 1) != 0 ? pair->body_a : pair->body_b);
        }
        for (int32_t key = body->joint_head; key != B2D_NONE; key = a->graph->joints[key >> 1].next[key & 1]) {
            const b2d_joint* joint = &a->graph->joints[key >> 1];
            if (first_to(a->joined, key >> 1) && b2d_joint_acts(a->graph, joint))
                meet(a, id, joint->body[1 - (key & 1)]);
        }
    }
    atomic_fetch_add_explicit(&a->pairs, pairs, memory_order_relaxed);
}

static void one_pass(b2d_world* world, awakening* a, int32_t* rows, const int32_t* seeds, int32_t count,
                     b2d_lab_waking* out) {
    const int32_t bodies = world->body_ids.limit;
    int32_t *now = rows, *next = rows + bodies;
    for (int32_t k = 0; k < bodies; k++) atomic_init(&a->parent[k], k);
    memset(a->reached, 0, (size_t)bodies);
    memset(a->collided, 0, (size_t)world->graph.contact_ids.limit);
    memset(a->joined, 0, (size_t)world->graph.joint_ids.limit);
    atomic_init(&a->pairs, 0);
    out->rounds = out->woken = 0;
    int32_t work = 0;
    for (int32_t k = 0; k < count; k++)
        if (first_to(a->reached, seeds[k])) now[work++] = seeds[k];
    const double start = b2d_milliseconds();
    while (work > 0) {
        a->bodies = now;
        a->woken = next;
        atomic_init(&a->woken_count, 0);
        b2d_parallel_for(world->scheduler, collide_bodies, a, work, BODY_GRAIN);
        work = atomic_load(&a->woken_count);
        out->woken += work;
        out->rounds++;
        int32_t* other = now;
        now = next, next = other;
    }
    const double ms = b2d_milliseconds() - start;
    out->ms = ms < out->ms ? ms : out->ms;
    out->pairs = atomic_load(&a->pairs);
}

b2d_status b2d_lab_wake_by_links(b2d_world* world, const int32_t* seeds, int32_t count, int32_t passes, int32_t* root,
                                 b2d_lab_waking* out) {
    B2D_TRY(b2d_open_write(world));
    const size_t bodies = (size_t)world->body_ids.limit, contacts = (size_t)world->graph.contact_ids.limit,
                 joints = (size_t)world->graph.joint_ids.limit;
    for (int32_t k = 0; k < count; k++)
        if (!b2d_id_pool_has(&world->body_ids, seeds[k]) || !b2d_moves(&world->graph, seeds[k]))
            return b2d_close_write(world, b2d_error(B2D_OUT_OF_RANGE, B2D_ARG_BODY));
    const b2d_collide_context context = {.poses = world->poses.data,
                                         .shapes = world->shapes_hot,
                                         .second_hulls = world->second_hulls,
                                         .pairs = world->graph.pairs,
                                         .linear_slop = b2d_linear_slop(world),
                                         .speculative_distance = b2d_speculative_distance(world)};
    awakening a = {.graph = &world->graph, .context = &context};
    a.parent = calloc(bodies + 1, sizeof *a.parent);
    a.reached = calloc(bodies + contacts + joints + 3, 1);
    int32_t* rows = calloc(2 * bodies + 1, sizeof *rows);
    *out = (b2d_lab_waking){.ms = 1.0e30};
    b2d_status status = B2D_OK;
    if (a.parent == NULL || a.reached == NULL || rows == NULL) status = b2d_error(B2D_NO_MEMORY, B2D_ARG_NONE);
    else {
        a.collided = a.reached + bodies + 1;
        a.joined = a.collided + contacts + 1;
        for (int32_t pass = 0; pass < passes; pass++) one_pass(world, &a, rows, seeds, count, out);
        for (int32_t k = 0; k < (int32_t)bodies; k++)
            root[k] = atomic_load(&a.reached[k]) != 0 ? b2d_root_by_swaps(a.parent, k) : B2D_NONE;
    }
    free(a.parent);
    free(a.reached);
    free(rows);
    return b2d_close_write(world, status);
}
