// csrc/world/step.c - one step, stage by stage (DESIGN.md section 4, docs/architecture.md).
#include "base/trace.h"
#include "base/radix_sort.h"
#include "base/timer.h"
#include "solver/schedule.h"
#include "world/finalize.h"

#include <string.h>

bool b2d_world_update_broadphase(b2d_world* world) {
    if (!world->broadphase_stale) return true;
    if (!world->broadphase_table->update(&world->memory, world->broadphase, world->scheduler)) return false;
    b2d_bits_clear(&world->proxies.dirty);
    world->broadphase_stale = false;
    return true;
}

static int64_t allocations_so_far(const b2d_world* world) {
    int64_t sum = world->memory.allocations;
    for (int32_t w = 0; w < world->worker_count; w++) sum += world->worker_memory[w].allocations;
    return sum;
}

void b2d_world_clear_keys(b2d_world* world) {
    for (int32_t w = 0; w < world->worker_count; w++) {
        world->key_lists[w].count = 0;
        world->key_lists[w].failed = false;
    }
}

uint64_t* b2d_world_join_keys(b2d_world* world, int32_t* count) {
    int32_t total = 0, at = 0;
    bool failed = false;
    for (int32_t w = 0; w < world->worker_count; w++) {
        total += world->key_lists[w].count;
        failed = failed || world->key_lists[w].failed;
    }
    uint64_t* keys = failed ? NULL
                            : b2d_arena_take(&world->memory, &world->arena, (size_t)(total + 1) * 2 * sizeof *keys);
    if (keys == NULL) return NULL;
    for (int32_t w = 0; w < world->worker_count; w++) {
        // Next time one worker may find them all: a steady state must not allocate
        b2d_key_list* list = &world->key_lists[w];
        if (world->worker_count > 1) (void)B2D_GROW(list->memory, list->keys, list->capacity, total);
        if (list->count == 0) continue;
        memcpy(keys + at, world->key_lists[w].keys, (size_t)world->key_lists[w].count * sizeof *keys);
        at += world->key_lists[w].count;
    }
    b2d_radix_sort(keys, keys + total, total);
    *count = total;
    return keys;
}

// 1, 2: new pairs, created in the order of their keys. The boxes seen here become the old boxes.

static void create_pairs(b2d_world* world) {
    double start = b2d_milliseconds();
    b2d_scheduler_label(world->scheduler, B2D_STAGE_pairs);
    int32_t count = 0;
    bool found = b2d_world_update_broadphase(world);
    b2d_world_clear_keys(world);
    found = found &&
            world->broadphase_table->pairs(&world->memory, world->broadphase, world->scheduler, world->key_lists);
    uint64_t* keys = found ? b2d_world_join_keys(world, &count) : NULL;
    if (world->refused_count > 0) b2d_world_prune_refused(world);
    world->profile.pairs = b2d_milliseconds() - start;
    if (keys == NULL) { // the moved bits and old boxes stay, so the next step looks again
        world->step_failed = true;
        return;
    }
    start = b2d_milliseconds();
    b2d_world_create_pairs(world, keys, count);
    b2d_world_sort_refused(world);
    if (world->step_failed) { // some found no memory: old boxes and moved bits stay, so the next step finds those again
        world->profile.create_contacts = b2d_milliseconds() - start;
        return;
    }

    b2d_proxies* p = &world->proxies;
    B2D_FOR_BITS (&p->moved, shape) {
        b2d_bits_set(&world->graph.new_fat_boxes, p->body[shape]);
        p->old_min_x[shape] = p->fat_min_x[shape], p->old_min_y[shape] = p->fat_min_y[shape];
        p->old_max_x[shape] = p->fat_max_x[shape], p->old_max_y[shape] = p->fat_max_y[shape];
        if (p->proxy_class[shape] != B2D_PROXY_STATIC) continue;
        world->shapes[shape].flags &= (uint8_t)~B2D_SHAPE_FLAG_CHANGED;
        int32_t body = p->body[shape];
        if (world->graph.bodies[body].flags & B2D_BODY_FLAG_TELEPORTED) { // wakes what its new fat boxes overlap
            world->graph.bodies[body].flags &= (uint16_t)~B2D_BODY_FLAG_TELEPORTED;
            for (int32_t key = world->graph.bodies[body].contact_head; key != B2D_NONE;
                 key = world->graph.contacts[key >> 1].next[key & 1]) {
                const b2d_pair* pair = &world->graph.pairs[key >> 1];
                b2d_wake(&world->graph, key & 1 ? pair->body_a : pair->body_b);
            }
            b2d_world_flush_sleep_changes(world);
        }
    }
    b2d_bits_clear(&p->moved);
    world->profile.create_contacts = b2d_milliseconds() - start;
}

// 4: the narrow phase: touching contacts block by block, then the others bucket by bucket

// A chunk is eight words: a byte of the summary; blocks
enum { COLLIDE_WORDS = 8, COLLIDE_CHUNK = COLLIDE_WORDS * 64, BLOCK_GRAIN = 32 };

typedef struct collide_job {
    b2d_world* world;
    const b2d_collide_context* context;
    const int32_t* chunks; // those with a member; of the stage of the blocks those
    int32_t bucket;
} collide_job;

// Chunks that have a member, ascending: sleeping contacts cost nothing, however many. `out` may be NULL.
static int32_t list_chunks(const b2d_bits* bits, int32_t* out) {
    int32_t count = 0;
    for (int32_t s = b2d_bits_skip(bits, 0); s < bits->summary_count; s = b2d_bits_skip(bits, s + 1))
        for (uint64_t left = bits->summary[s]; left != 0; count++) {
            int32_t byte = b2d_ctz64(left) / COLLIDE_WORDS;
            if (out != NULL) out[count] = 64 / COLLIDE_WORDS * s + byte;
            left &= ~(0xFFull << (COLLIDE_WORDS * byte));
        }
    return count;
}

static void collide_range(void* context, int32_t begin, int32_t end, int32_t worker) {
    const collide_job* job = context;
    const b2d_world* world = job->world;
    int32_t ids[COLLIDE_CHUNK];
    const b2d_bits *awake = &world->graph.awake_contacts[job->bucket], *in_lanes = &world->graph.in_lanes;
    const int32_t words = (world->graph.contact_ids.limit + 63) / 64;
    for (int32_t k = begin; k < end; k++) {
        int32_t from = job->chunks[k] * COLLIDE_WORDS, to = b2d_min_int(from + COLLIDE_WORDS, words), count = 0;
        for (int32_t word = from; word < to; word++)
            for (uint64_t left = awake->words[word] & ~in_lanes->words[word]; left != 0; left &= left - 1)
                ids[count++] = 64 * word + b2d_ctz64(left);
        if (count > 0) world->collide(job->context, job->bucket, ids, count, worker);
    }
}

static void collide_block_range(void* context, int32_t begin, int32_t end, int32_t worker) {
    const collide_job* job = context;
    job->world->collide_blocks(job->context, job->chunks + begin, end - begin, worker);
}

static void collide(b2d_world* world) {
    double start = b2d_milliseconds();
    b2d_scheduler_label(world->scheduler, B2D_STAGE_collide);
    b2d_graph* graph = &world->graph;
    int32_t contacts = graph->contact_ids.limit;
    atomic_store_explicit(&world->records.taken, 0, memory_order_relaxed);
    if (!B2D_GROW(&world->memory, world->began, world->began_capacity, contacts)) {
        world->step_failed = true;
        return;
    }
    for (int32_t w = 0; w < world->worker_count; w++) {
        b2d_collide_worker* out = &world->collide_workers[w];
        out->record_count = 0;
        out->failed = false;
        out->updated = out->recycled = 0;
        if (!b2d_bits_reserve(&world->memory, &out->begun, contacts) ||
            !b2d_bits_reserve(&world->memory, &out->ended, contacts) ||
            !b2d_bits_reserve(&world->memory, &out->parted, contacts)) {
            world->step_failed = true; // the manifolds of the step before serve once more
            return;
        }
    }
    const b2d_proxies* p = &world->proxies;
    const b2d_collide_context context = {.poses = world->poses.data,
                                         .shapes = world->shapes_hot,
                                         .second_hulls = world->second_hulls,
                                         .fat_min_x = p->fat_min_x,
                                         .fat_min_y = p->fat_min_y,
                                         .fat_max_x = p->fat_max_x,
                                         .fat_max_y = p->fat_max_y,
                                         .pairs = graph->pairs,
                                         .blocks = graph->blocks,
                                         .manifolds = graph->manifolds,
                                         .linear_slop = b2d_linear_slop(world),
                                         .speculative_distance = 4.0f * b2d_linear_slop(world),
                                         .recycle_distance = b2d_in_units(world, B2D_OPTION_CONTACT_RECYCLE),
                                         .recycle_sine = 0.19937f, // 11.5 degrees
                                         .begin_stamps = world->began,
                                         .step = b2d_world_began(world, 0),
                                         .workers = world->collide_workers,
                                         .shared = &world->records,
                                         .new_fat_boxes = &graph->new_fat_boxes,
                                         .neighbors = b2d_world_terrain_neighbors,
                                         .same_material = b2d_world_same_terrain_material,
                                         .passes_through = b2d_world_passes_through,
                                         .world = world};
    collide_job jobs[B2D_BUCKET_COUNT + 1];
    b2d_stage stages[B2D_BUCKET_COUNT + 1];
    int32_t block_count = 0, *blocks = b2d_arena_take(&world->memory, &world->arena,
                                                      (size_t)(graph->block_ids.count + 1) * sizeof *blocks);
    if (blocks == NULL) {
        world->step_failed = true;
        return;
    }
    for (int32_t id = b2d_id_pool_next(&graph->block_ids, 0); id != B2D_NONE;
         id = b2d_id_pool_next(&graph->block_ids, id + 1))
        blocks[block_count++] = id;
    jobs[B2D_BUCKET_COUNT] = (collide_job){world, &context, blocks, 0};
    const int32_t grain = b2d_solver_stays_on_one_core(graph) ? b2d_max_int(block_count, 1) : BLOCK_GRAIN;
    stages[0] = (b2d_stage){collide_block_range, &jobs[B2D_BUCKET_COUNT], block_count, grain};
    for (int32_t bucket = 0; bucket < B2D_BUCKET_COUNT; bucket++) {
        const b2d_bits* awake = &graph->awake_contacts[bucket];
        int32_t chunk_count = list_chunks(awake, NULL);
        int32_t* chunks = b2d_arena_take(&world->memory, &world->arena, (size_t)(chunk_count + 1) * sizeof *chunks);
        if (chunks == NULL) {
            world->step_failed = true;
            return;
        }
        list_chunks(awake, chunks);
        jobs[bucket] = (collide_job){world, &context, chunks, bucket};
        stages[1 + bucket] = (b2d_stage){collide_range, &jobs[bucket], chunk_count, 1};
    }
    b2d_scheduler_run(world->scheduler, stages, B2D_BUCKET_COUNT + 1);
    b2d_bits_clear(&graph->new_fat_boxes);
    for (int32_t w = 0; w < world->worker_count; w++) {
        world->counters.contacts_updated += world->collide_workers[w].updated + world->collide_workers[w].recycled;
        world->counters.contacts_recycled += world->collide_workers[w].recycled;
        world->step_failed = world->step_failed || world->collide_workers[w].failed;
    }
    world->profile.collide = b2d_milliseconds() - start;
}

// 7: one candidate a step, dropped when it merged, died or fell asleep meanwhile
static void split_one(b2d_world* world) {
    double start = b2d_milliseconds();
    int32_t id = world->split_island, made = 0;
    b2d_graph* graph = &world->graph;
    if (id != B2D_NONE && b2d_id_pool_has(&graph->island_ids, id) &&
        graph->island_generations[id] == world->split_generation && graph->islands[id].removals > 0)
        if (!b2d_island_split(graph, &world->arena, id, &made)) world->step_failed = true;
    world->split_island = B2D_NONE;
    world->profile.split = b2d_milliseconds() - start;
}

static bool solve(b2d_world* world, const int32_t* awake, int32_t count, float dt, int32_t substeps) {
    float h = dt / (float)substeps, inverse_h = (float)substeps / dt;
    float hertz = b2d_min(b2d_option(world, B2D_OPTION_CONTACT_HERTZ), 0.125f * inverse_h);
    float ratio = b2d_option(world, B2D_OPTION_CONTACT_DAMPING_RATIO);
    b2d_solver solver = {
        .graph = &world->graph,
        .scheduler = world->scheduler,
        .memory = &world->memory,
        .arena = &world->arena,
        .poses = world->poses.data,
        .states = world->states.data,
        .masses = world->masses,
        .steps = world->body_steps,
        .awake = awake,
        .awake_count = count,
        .gravity_x = b2d_option(world, B2D_OPTION_GRAVITY_X),
        .gravity_y = b2d_option(world, B2D_OPTION_GRAVITY_Y),
        .dt = dt,
        .h = h,
        .inverse_h = inverse_h,
        .linear_slop = b2d_linear_slop(world),
        .substeps = substeps,
        .contact_soft = {b2d_make_softness(hertz, ratio, h), b2d_make_softness(2.0f * hertz, ratio, h)},
        .push_speed = b2d_in_units(world, B2D_OPTION_CONTACT_PUSH_SPEED),
        .joint_hertz = b2d_option(world, B2D_OPTION_JOINT_HERTZ),
        .joint_damping_ratio = b2d_option(world, B2D_OPTION_JOINT_DAMPING_RATIO),
        .least_length = 1.0e-6f * b2d_option(world, B2D_OPTION_LENGTH_UNIT),
        .max_speed = b2d_in_units(world, B2D_OPTION_MAX_LINEAR_SPEED),
        .max_rotation = 0.78539816f / dt,
        .least_speed = 1.0e-12f * b2d_option(world, B2D_OPTION_LENGTH_UNIT),
        .least_rotation = 1.0e-12f,
        .restitution_threshold = b2d_in_units(world, B2D_OPTION_RESTITUTION_THRESHOLD),
        .impulse_ratio = world->last_h > 0.0f && world->last_h != h ? h / world->last_h : 1.0f,
        .warm_starting = world->options[B2D_OPTION_WARM_STARTING] != 0.0,
        .kernels = b2d_solver_kernel_table(world->simd),
        .schedule = &b2d_schedule_colors,
        .direct = &world->direct,
    };
    if (hertz == 0.0f) solver.contact_soft[0] = solver.contact_soft[1] = (b2d_softness){0.0f, 1.0f, 0.0f};
    if (world->direct.stale && !b2d_direct_plan(&solver)) return false;
    world->last_h = h;
    world->last_dt = dt;
    return b2d_solver_run(&solver, &world->profile.prepare, &world->profile.solve, &world->profile.restitution);
}

// Disables bodies whose state became non-finite, in id order.
static void disable_invalid(b2d_world* world) {
    b2d_bits* invalid = &world->finalize_workers[0].invalid;
    const int32_t ends = world->end_events.count;
    B2D_FOR_BITS (invalid, id) {
        b2d_body_events* events = &world->invalid_events;
        b2d_world_set_body_enabled(world, id, false);
        for (int32_t key = world->graph.bodies[id].joint_head; key != B2D_NONE;
             key = world->graph.joints[key >> 1].next[key & 1])
            // Not finite either, and the body may be enabled again
            world->graph.joints[key >> 1].impulses = (b2d_joint_impulses){0};
        if (B2D_GROW(&world->memory, events->rows, events->capacity, events->count + 1))
            events->rows[events->count++] = (b2d_body_event){world->body_generations[id], id, 0};
        else world->step_failed = true;
    }
    b2d_bits_clear(invalid);
    b2d_world_sort_ends(world, ends);
}

static int32_t find_id(const int32_t* ids, int32_t count, int32_t id) {
    int32_t low = 0, high = count;
    while (low < high) {
        int32_t mid = (low + high) / 2;
        if (ids[mid] < id) low = mid + 1;
        else high = mid;
    }
    return low < count && ids[low] == id ? low : B2D_NONE;
}

// What was put to sleep by hand on a moving kinematic body.
static void wake_pushed(b2d_world* world, const b2d_bits* stay) {
    B2D_FOR_BITS (stay, island)
        if (!b2d_wake_island(&world->graph, island)) world->step_failed = true;
    b2d_world_flush_sleep_changes(world);
}

// 13: islands without an awake bit, by their lowest body
static void fall_asleep(b2d_world* world, const int32_t* awake, int32_t count) {
    double start = b2d_milliseconds();
    b2d_graph* graph = &world->graph;
    b2d_bits* stay = &world->finalize_workers[0].awake_islands;
    if (world->finalize_workers[0].pushes_sleeper) wake_pushed(world, stay);
    if (world->options[B2D_OPTION_SLEEPING] != 0.0) {
        for (int32_t k = 0; k < count; k++) {
            int32_t island = graph->bodies[awake[k]].island;
            if (island == B2D_NONE || b2d_bits_has(stay, island)) continue;
            b2d_bits_set(stay, island); // each island once
            const b2d_island* row = &graph->islands[island];
            if (!b2d_is_awake(graph, awake[k]) || (row->removals > 0 && row->body_count > 1)) continue;
            if (!b2d_sleep_island(graph, island)) world->step_failed = true;
        }
        B2D_FOR_BITS (&graph->sleep_changed, id) {
            int32_t row = find_id(awake, world->move_events.count, id);
            if (row != B2D_NONE) world->move_events.rows[row].fell_asleep = 1;
        }
        b2d_world_flush_sleep_changes(world);
    }
    b2d_bits_clear(stay);
    world->profile.sleep = b2d_milliseconds() - start;
}

static bool reserve_worker_bits(b2d_world* world) {
    for (int32_t w = 0; w < world->worker_count; w++) {
        b2d_finalize_worker* out = &world->finalize_workers[w];
        if (!b2d_bits_reserve(&world->memory, &out->moved, world->shape_ids.limit) ||
            !b2d_bits_reserve(&world->memory, &out->awake_islands, world->graph.island_ids.limit) ||
            !b2d_bits_reserve(&world->memory, &out->fast, world->body_ids.limit) ||
            !b2d_bits_reserve(&world->memory, &out->invalid, world->body_ids.limit) ||
            !b2d_bits_reserve(&world->memory, &out->bullets, world->body_ids.limit))
            return false;
    }
    return b2d_bits_reserve(&world->memory, &world->swept, world->body_ids.limit);
}

// Every awake body reports a move; the rows are in id order because the list is.
static bool list_moves(b2d_world* world, const int32_t* awake, int32_t count) {
    b2d_body_events* events = &world->move_events;
    if (!B2D_GROW(&world->memory, events->rows, events->capacity, count)) return false;
    for (int32_t k = 0; k < count; k++)
        events->rows[k] = (b2d_body_event){world->body_generations[awake[k]], awake[k], 0};
    events->count = count;
    return true;
}

static void swap_events(b2d_world* world) {
    world->begin_events.count = world->move_events.count = world->invalid_events.count = world->hit_events.count = 0;
    world->joint_events.count = 0;
    world->sensor_begin_events.count = world->sensor_end_events.count = 0;
    b2d_contact_events spare = world->end_events; // ends of objects destroyed since the last step come with this one's
    world->end_events = world->pending_end_events;
    world->pending_end_events = spare;
    world->pending_end_events.count = 0;
}

// 12
static void sense(b2d_world* world) {
    double start = b2d_milliseconds();
    b2d_scheduler_label(world->scheduler, B2D_STAGE_sensors);
    b2d_world_sense(world);
    world->profile.sensors = b2d_milliseconds() - start;
}

// The moving part of a step: nothing of it happens when dt is 0.
static void advance(b2d_world* world, float dt, int32_t substeps) {
    int32_t count = b2d_bits_count(&world->graph.awake);
    int32_t* awake = b2d_arena_take(&world->memory, &world->arena, (size_t)(count + 1) * sizeof *awake);
    if (awake == NULL || !reserve_worker_bits(world) || !list_moves(world, awake, 0)) {
        world->step_failed = true;
        return;
    }
    b2d_bits_list(&world->graph.awake, 0, world->graph.awake.word_count, awake);
    if (!solve(world, awake, count, dt, substeps)) {
        world->step_failed = true;
        return;
    }
    double solved = b2d_milliseconds();
    b2d_world_collect_hits(world);
    double start = b2d_milliseconds();
    world->profile.restitution += start - solved;
    b2d_scheduler_label(world->scheduler, B2D_STAGE_finalize);
    b2d_world_finalize(world, awake, count, dt);
    if (!list_moves(world, awake, count)) world->step_failed = true;
    disable_invalid(world);
    double finalized = b2d_milliseconds();
    world->profile.finalize = finalized - start;
    b2d_scheduler_label(world->scheduler, B2D_STAGE_continuous);
    b2d_world_continuous(world);
    double swept = b2d_milliseconds();
    world->profile.continuous = swept - finalized;
    b2d_scheduler_label(world->scheduler, B2D_STAGE_refit);
    b2d_collect_moved(world);
    world->counters.moved_shapes = b2d_bits_count(&world->proxies.moved);
    world->broadphase_stale = world->broadphase_stale || world->counters.moved_shapes > 0;
    if (!b2d_world_update_broadphase(world)) world->step_failed = true;
    world->profile.refit = b2d_milliseconds() - swept;
    b2d_world_collect_joint_events(world);
    sense(world);
    fall_asleep(world, awake, count);
}

// Callbacks between the stages: contacts before anything moves, the rest when all is done.
static void tell_ends(b2d_world* world) {
    b2d_world_tell(world, B2D_EVENT_CONTACT_END, world->end_events.rows + world->told_ends,
                   world->end_events.count - world->told_ends);
    world->told_ends = world->end_events.count;
}

static void tell_contacts(b2d_world* world) {
    if (world->calls == 0) return;
    world->told_ends = 0;
    tell_ends(world);
    b2d_world_tell(world, B2D_EVENT_CONTACT_BEGIN, world->begin_events.rows, world->begin_events.count);
}

static void tell_rest(b2d_world* world) {
    if (world->calls == 0) return;
    tell_ends(world); // of bodies that were disabled because their state was not finite
    b2d_world_tell(world, B2D_EVENT_CONTACT_HIT, world->hit_events.rows, world->hit_events.count);
    b2d_world_tell(world, B2D_EVENT_SENSOR_END, world->sensor_end_events.rows, world->sensor_end_events.count);
    b2d_world_tell(world, B2D_EVENT_SENSOR_BEGIN, world->sensor_begin_events.rows, world->sensor_begin_events.count);
    b2d_world_tell(world, B2D_EVENT_JOINT_THRESHOLD, world->joint_events.rows, world->joint_events.count);
    b2d_world_tell(world, B2D_EVENT_BODY_MOVE, world->move_events.rows, world->move_events.count);
    b2d_world_tell(world, B2D_EVENT_BODY_INVALID, world->invalid_events.rows, world->invalid_events.count);
}

// Nothing is awake, nothing was changed and nothing is to be reported: the stages would do nothing.
bool b2d_world_at_rest(const b2d_world* world) {
    const b2d_graph* graph = &world->graph;
    int32_t events = world->begin_events.count + world->end_events.count + world->pending_end_events.count +
                     world->move_events.count + world->invalid_events.count + world->hit_events.count +
                     world->joint_events.count + world->sensor_begin_events.count + world->sensor_end_events.count;
    if (events > 0 || world->broadphase_stale || world->repair || world->split_island != B2D_NONE) return false;
    if (b2d_bits_next(&graph->awake, 0) != B2D_NONE || b2d_bits_next(&world->proxies.moved, 0) != B2D_NONE)
        return false;
    if (b2d_bits_next(&world->sensor_changes, 0) != B2D_NONE || b2d_bits_next(&graph->sleep_changed, 0) != B2D_NONE)
        return false;
    for (int32_t bucket = 0; bucket < B2D_BUCKET_COUNT; bucket++)
        if (b2d_bits_next(&graph->awake_contacts[bucket], 0) != B2D_NONE) return false;
    return true;
}

static void rest(b2d_world* world, float dt, int32_t substeps) {
    world->last_dt = dt;
    if (dt > 0.0f) world->last_h = dt / (float)substeps;
}

static void run_stages(b2d_world* world, float dt, int32_t substeps) {
    world->motion_count = 0;
    world->motions = NULL;
    b2d_arena_reset(&world->memory, &world->arena);
    swap_events(world);
    const bool pending = world->end_events.count > 0;

    create_pairs(world);
    collide(world);
    b2d_world_apply_contact_transitions(world);
    if (pending) b2d_world_sort_ends(world, 0);
    b2d_world_override_materials(world, true);
    split_one(world);
    tell_contacts(world);
    if (dt > 0.0f) {
        advance(world, dt, substeps);
    } else {
        world->last_dt = 0.0f;
        sense(world);
    }
    b2d_world_override_materials(world, false);
    // Here too: what the first step of a pile overflowed is merged in that step, not in the next, which may have
    // nothing else to do.
    world->motions = NULL;
    world->motion_count = 0;
    b2d_arena_reset(&world->memory, &world->arena);
}

void b2d_world_run_step(b2d_world* world, float dt, int32_t substeps, bool at_rest) {
    double start = b2d_milliseconds();
    b2d_scheduler_start_trace(world->scheduler);
    int64_t allocations = allocations_so_far(world), steps = world->counters.steps;
    world->counters = (b2d_counters){.steps = steps + 1};
    world->profile = (b2d_profile){0};
    world->step_failed = false;
    world->graph.merges = world->graph.searches = world->graph.splits = world->graph.slept = 0;
    if (at_rest) rest(world, dt, substeps);
    else run_stages(world, dt, substeps);

    tell_rest(world);
    world->counters.islands_merged = world->graph.merges;
    world->counters.islands_relabeled = world->graph.relabeled;
    world->counters.splits_tried = world->graph.searches;
    world->counters.islands_split = world->graph.splits;
    world->counters.bodies_slept = world->graph.slept;
    world->counters.bodies_woken = world->graph.woken;
    world->graph.woken = world->graph.relabeled = 0;
    world->counters.step_allocations = allocations_so_far(world) - allocations;
    world->profile.step = b2d_milliseconds() - start;
}
