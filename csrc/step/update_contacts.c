// csrc/step/update_contacts.c - the narrow phase: touching contacts block by block, then the others bucket by bucket.
#include "step/update_contacts.h"

#include "base/cpu.h"
#include "base/trace.h"
#include "objects/one_way.h"
#include "objects/scratch.h"
#include "objects/terrain.h"
#include "step/clock.h"
#include "step/impact.h"
#include "step/motion.h"

// A chunk is eight 64-bit words of a bit array: one byte of the summary. The grain of the block stage is in blocks.
enum { COLLIDE_WORDS = 8, COLLIDE_CHUNK = COLLIDE_WORDS * 64, SUMMARY_CHUNKS = 64 / COLLIDE_WORDS, BLOCK_GRAIN = 32 };

typedef struct collide_job {
    b2d_world* world;
    const b2d_collide_context* context;
    // Chunks that have a member. In the job of the block stage: ids of blocks.
    const int32_t* chunks;
    int32_t bucket;
    int32_t simd;
} collide_job;

// Lists in ascending order the chunks that have a member, and returns their number. Sleeping contacts cost nothing,
// because empty chunks are skipped in the summary. `out` has room for SUMMARY_CHUNKS times the words of the summary.
static int32_t list_chunks_with_members(const b2d_bits* bits, int32_t* out) {
    int32_t count = 0;
    for (int32_t s = b2d_bits_skip(bits, 0); s < bits->summary_count; s = b2d_bits_skip(bits, s + 1))
        for (uint64_t left = bits->summary[s]; left != 0; count++) {
            int32_t byte = b2d_ctz64(left) / COLLIDE_WORDS;
            out[count] = SUMMARY_CHUNKS * s + byte;
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
        if (count == 0) continue;
        b2d_collide_fn* collide = b2d_collide_kernel(b2d_simd_for(job->simd, count));
        collide(job->context, job->bucket, ids, count, worker);
    }
}

static void collide_block_range(void* context, int32_t begin, int32_t end, int32_t worker) {
    const collide_job* job = context;
    b2d_collide_blocks_kernel(job->simd)(job->context, job->chunks + begin, end - begin, worker);
}

// Where the body moves in this step if it turns on, about what holds it.
static b2d_way way_of(const b2d_world* world, int32_t body, const b2d_pose* origin, float time) {
    const b2d_body_state* state = (const b2d_body_state*)world->states.data + body;
    const float turn = time * state->w, square = turn * turn, along = time * (1.0f - square / 6.0f),
                across = time * turn * (0.5f - square / 24.0f);
    return b2d_way_of((const b2d_pose*)world->poses.data + body, origin, along * state->vx - across * state->vy,
                      along * state->vy + across * state->vx, turn);
}

// Whether the shapes of a contact meet by then.
static bool will_meet(const b2d_world* world, const b2d_pair* pair, float time) {
    const b2d_pose* origin = (const b2d_pose*)world->poses.data + pair->body_a;
    const b2d_shape_hot *a = &world->shapes_hot[pair->shape_a], *b = &world->shapes_hot[pair->shape_b];
    const b2d_proxy core_a = b2d_shape_proxy(a, b2d_world_second(world, a)),
                    core_b = b2d_shape_proxy(b, b2d_world_second(world, b));
    const b2d_way way_a = way_of(world, pair->body_a, origin, time), way_b = way_of(world, pair->body_b, origin, time);
    return b2d_time_of_impact(&core_a, &way_a.sweep, &core_b, &way_b.sweep, 1.0f, b2d_linear_slop(world)).state !=
           B2D_TOI_SEPARATED;
}

static bool turns_onto(const void* context, int32_t contact, float dt, float distance) {
    const b2d_world* world = context;
    const b2d_graph* graph = &world->graph;
    const b2d_body_state* states = (const b2d_body_state*)world->states.data;
    const int32_t bodies[2] = {graph->pairs[contact].body_a, graph->pairs[contact].body_b};
    for (int32_t k = 0; k < 2; k++) {
        const b2d_body_state *turning = states + bodies[k], *other = states + bodies[1 - k];
        const float way = b2d_turning_way(turning->vx - other->vx, turning->vy - other->vy, turning->w,
                                          graph->bodies[bodies[k]].extent, dt);
        if (b2d_holds(other->inverse_mass, turning->inverse_mass) && way >= distance &&
            b2d_is_held(world, bodies[k], contact))
            return will_meet(world, &graph->pairs[contact], b2d_time_of_turn(dt, turning->w));
    }
    return false;
}

void b2d_world_collide(b2d_world* world, float ahead, float dt) {
    b2d_scheduler_label(world->scheduler, B2D_STAGE_collide);
    b2d_graph* graph = &world->graph;
    int32_t contacts = graph->contact_ids.limit;
    atomic_store_explicit(&world->scratch->records.taken, 0, memory_order_relaxed);
    if (!B2D_GROW(&world->memory, world->begin_stamps, world->begin_stamp_capacity, contacts)) {
        world->step_failed = true;
        return;
    }
    for (int32_t w = 0; w < world->scratch->worker_count; w++) {
        b2d_collide_worker* out = &world->scratch->collide_workers[w];
        out->record_count = 0;
        out->failed = false;
        out->updated = out->recycled = 0;
        if (!b2d_bits_reserve(&world->scratch->memory, &out->begun, contacts) ||
            !b2d_bits_reserve(&world->scratch->memory, &out->ended, contacts) ||
            !b2d_bits_reserve(&world->scratch->memory, &out->parted, contacts)) {
            world->step_failed = true; // this step uses the manifolds of the step before again
            return;
        }
    }
    const b2d_proxies* p = &world->proxies;
    const b2d_collide_context context = {.poses = world->poses.data,
                                         .states = world->states.data,
                                         .ahead = ahead,
                                         .dt = dt,
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
                                         .speculative_distance = b2d_speculative_distance(world),
                                         .recycle_distance = b2d_in_units(world, B2D_OPTION_CONTACT_RECYCLE),
                                         .recycle_sine = 0.19937f, // 11.5 degrees
                                         .begin_stamps = world->begin_stamps,
                                         .step = b2d_begin_stamp(world, 0),
                                         .workers = world->scratch->collide_workers,
                                         .shared = &world->scratch->records,
                                         .new_fat_boxes = &graph->new_fat_boxes,
                                         .neighbors = b2d_world_terrain_neighbors,
                                         .landing_depth = b2d_world_landing_depth,
                                         .same_material = b2d_world_same_terrain_material,
                                         .passes_through = b2d_world_passes_through,
                                         .turns_onto = turns_onto,
                                         .world = world};
    collide_job jobs[B2D_BUCKET_COUNT + 1];
    b2d_stage stages[B2D_BUCKET_COUNT + 1];
    int32_t block_count = 0,
            *blocks = b2d_arena_take(&world->scratch->arena, (size_t)(graph->block_ids.count + 1) * sizeof *blocks);
    if (blocks == NULL) {
        world->step_failed = true;
        return;
    }
    // It ends with the last block: where many contacts sleep, most ids are free
    for (int32_t id = 0; block_count < graph->block_ids.count; id++) {
        id = b2d_id_pool_next(&graph->block_ids, id);
        blocks[block_count++] = id;
    }
    const int32_t simd = world->narrowphase_kind == B2D_NARROWPHASE_PER_PAIR ? B2D_SIMD_SCALAR : world->simd;
    const int32_t lanes = graph->touching / b2d_max_int(block_count, 1); // of a block, on average
    jobs[B2D_BUCKET_COUNT] = (collide_job){world, &context, blocks, 0, b2d_simd_for(simd, lanes)};
    stages[0] = (b2d_stage){collide_block_range, &jobs[B2D_BUCKET_COUNT], block_count, BLOCK_GRAIN};
    int32_t stage_count = 1;
    for (int32_t bucket = 0; bucket < B2D_BUCKET_COUNT; bucket++) {
        const b2d_bits* awake = &graph->awake_contacts[bucket];
        if (b2d_bits_is_empty(awake)) continue;
        const size_t room = SUMMARY_CHUNKS * (size_t)awake->summary_count;
        int32_t* chunks = b2d_arena_take(&world->scratch->arena, room * sizeof *chunks);
        if (chunks == NULL) {
            world->step_failed = true;
            return;
        }
        const int32_t chunk_count = list_chunks_with_members(awake, chunks);
        jobs[bucket] = (collide_job){world, &context, chunks, bucket, simd};
        stages[stage_count++] = (b2d_stage){collide_range, &jobs[bucket], chunk_count, 1};
    }
    b2d_scheduler_run_entered(world->scheduler, stages, stage_count);
    b2d_bits_clear(&graph->new_fat_boxes);
    for (int32_t w = 0; w < world->scratch->worker_count; w++) {
        world->counters.contacts_updated += world->scratch->collide_workers[w].updated +
                                            world->scratch->collide_workers[w].recycled;
        world->counters.contacts_recycled += world->scratch->collide_workers[w].recycled;
        world->step_failed = world->step_failed || world->scratch->collide_workers[w].failed;
    }
}
