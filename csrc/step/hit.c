// csrc/step/hit.c - hit events: contacts whose shapes met faster than the threshold and pushed each other in this step.
//
// Idea: the solver stores approach speeds and greatest impulses in the extra blocks, so the workers search whole blocks
// lane by lane. The few contacts found are added to the key lists of the workers and reported in ascending order of
// ids.
#include "step/hit.h"

#include "broadphase/proxies.h"
#include "objects/scratch.h"
#include "step/keys.h"

enum { BLOCK_GRAIN = 64 };

typedef struct hit_job {
    b2d_world* world;
    const int32_t* blocks; // blocks that have an extra block
    float threshold;       // m/s
} hit_job;

// Returns the approach speed of the fastest point with an impulse, or 0 if no point has one. `approach` is the relative
// normal velocity, so it is negative while the shapes approach each other.
static float hit_speed(const b2d_extra_block* extra, uint32_t lane, int32_t* point) {
    float speed = 0.0f;
    *point = 0;
    for (int32_t j = 0; j < 2; j++)
        if (extra->peak_impulse[j][lane] > 0.0f && -extra->approach[j][lane] > speed) {
            speed = -extra->approach[j][lane];
            *point = j;
        }
    return speed;
}

static void find_hits(void* context, int32_t begin, int32_t end, int32_t worker) {
    const hit_job* job = context;
    b2d_graph* graph = &job->world->graph;
    for (int32_t k = begin; k < end; k++) {
        int32_t block = job->blocks[k];
        const b2d_extra_block* extra = graph->extras[block];
        for (uint32_t lane = 0; lane < B2D_LANES; lane++) {
            if (!(b2d_min(extra->approach[0][lane], extra->approach[1][lane]) < -job->threshold)) continue;
            if (graph->blocks[block].body_a[lane] == B2D_NONE) continue; // padding
            int32_t point, contact = graph->manifolds[block].contact[lane];
            if ((graph->contacts[contact].flags & B2D_CONTACT_HITS) && hit_speed(extra, lane, &point) > job->threshold)
                b2d_key_list_push(&job->world->scratch->key_lists[worker], (uint64_t)(uint32_t)contact);
        }
    }
}

// The pose is that of the start of the step, as the arm.
static b2d_hit_event event_of(b2d_world* world, int32_t contact) {
    b2d_graph* graph = &world->graph;
    const b2d_pair* pair = &graph->pairs[contact];
    uint32_t block = (uint32_t)pair->lane_index / B2D_LANES, lane = (uint32_t)pair->lane_index % B2D_LANES;
    const b2d_contact_block* row = &graph->blocks[block];
    const b2d_extra_block* extra = graph->extras[block];
    int32_t point;
    float speed = hit_speed(extra, lane, &point);
    bool flip = (pair->flags & B2D_PAIR_FLIP) != 0;
    const b2d_pose* pose = b2d_world_pose(world, flip ? pair->body_b : pair->body_a);
    b2d_vec2 n = {row->nx[lane], row->ny[lane]}, t = {row->ny[lane], -row->nx[lane]};
    const float along = row->point[point].along_normal[lane],
                arm = b2d_turned_arm(row->point[point].normal_arm[lane] - row->roll_arm[lane],
                                     along - row->radius_a[lane], row->turn[lane]);
    b2d_vec2 r = b2d_add(b2d_scale(along, n), b2d_scale(arm, t));
    b2d_vec2 at = b2d_add(b2d_pose_center(pose), r);
    return (b2d_hit_event){.generation_a = world->shape_generations[pair->shape_a],
                           .generation_b = world->shape_generations[pair->shape_b],
                           .generation_contact = graph->contact_generations[contact],
                           .point_x = pose->x + (double)at.x,
                           .point_y = pose->y + (double)at.y,
                           .normal_x = flip ? -n.x : n.x,
                           .normal_y = flip ? -n.y : n.y,
                           .approach_speed = speed,
                           .impulse = extra->peak_impulse[point][lane],
                           .shape_a = pair->shape_a,
                           .shape_b = pair->shape_b,
                           .contact = contact};
}

void b2d_world_collect_hits(b2d_world* world) {
    b2d_graph* graph = &world->graph;
    b2d_hit_events* events = &world->hit_events;
    int32_t block_count = world->hits_wanted ? b2d_bits_count(&graph->extra_blocks) : 0, count = 0;
    if (block_count == 0) return;
    int32_t* blocks = b2d_arena_take(&world->scratch->arena, (size_t)block_count * sizeof *blocks);
    uint64_t* keys = NULL;
    if (blocks != NULL) {
        b2d_bits_list(&graph->extra_blocks, 0, graph->extra_blocks.word_count, blocks);
        hit_job job = {world, blocks, b2d_in_units(world, B2D_OPTION_HIT_THRESHOLD)};
        b2d_world_clear_keys(world);
        b2d_parallel_for(world->scheduler, find_hits, &job, block_count, BLOCK_GRAIN);
        keys = b2d_world_join_keys(world, &count);
    }
    if (keys == NULL || !B2D_GROW(&world->memory, events->rows, events->capacity, count)) {
        world->step_failed = true; // only the hit events of this step are lost
        return;
    }
    for (int32_t k = 0; k < count; k++) events->rows[k] = event_of(world, (int32_t)keys[k]);
    events->count = count;
    world->counters.hits = count;
}
