// csrc/lab/tags.c - warm starting by a sorted cache of tags, instead of by impulses that stay in their lanes.
//
// Idea: each point of a contact has a 64-bit tag: the lower shape, the higher shape, the feature of the point. Before
// the collide stage the tags of all touching contacts are sorted, with their impulses beside them; after it, each point
// gets the impulse of its tag, or 0. So the impulses never depend on where the contact lies, and a solver that makes
// its contacts anew in each step can be warm started too. Here the lanes persist, so the result must be the same to
// the bit, which proves both. Sleeping contacts are in the cache as well, as in the source, although nothing looks them
// up before they wake. The rolling impulse belongs to the contact, not to a point, and stays in its lane.
// Source: Rasmus Barringer, nudge (2017), contact cache with tags. Threads: serial.
// Cost: a radix sort of the points, and two binary searches for each. Proof: tests/oracle/test_warm_starts.py.
#include "base/lower_bound.h"
#include "base/radix_sort.h"
#include "objects/scratch.h"
#include "step/warm_start.h"

typedef struct cached_point {
    float normal, tangent; // impulses
} cached_point;

typedef struct tag_cache {
    uint64_t* tags; // strictly ascending
    cached_point* points;
    int32_t count;
} tag_cache;

enum { SHAPE_BITS = 24, FEATURE_BITS = 16, NO_FEATURE = 0xFFFF };

static int32_t feature_of(uint32_t features, int32_t j) { return (int32_t)(features >> FEATURE_BITS * j & NO_FEATURE); }

static uint64_t tag_of(const b2d_pair* pair, int32_t feature) {
    const uint64_t low = (uint64_t)b2d_min_int(pair->shape_a, pair->shape_b),
                   high = (uint64_t)b2d_max_int(pair->shape_a, pair->shape_b);
    return (low << SHAPE_BITS | high) << FEATURE_BITS | (uint64_t)feature;
}

// Collects the points of all contacts that touch: first the tags alone, then their impulses.
static void collect(const b2d_graph* graph, tag_cache* cache, bool impulses) {
    int32_t count = 0;
    for (int32_t id = b2d_id_pool_next(&graph->contact_ids, 0); id != B2D_NONE;
         id = b2d_id_pool_next(&graph->contact_ids, id + 1)) {
        if (!(graph->pairs[id].flags & B2D_PAIR_TOUCHING)) continue;
        b2d_contact_record record;
        b2d_contact_record_read(graph, id, &record);
        for (int32_t j = 0; j < 2; j++) {
            const int32_t feature = feature_of(record.feature, j);
            if (feature == NO_FEATURE) continue;
            const uint64_t tag = tag_of(&graph->pairs[id], feature);
            if (!impulses) {
                cache->tags[count++] = tag;
                continue;
            }
            const int32_t at = b2d_lower_bound(cache->tags, sizeof *cache->tags, cache->count, tag);
            cache->points[at] = (cached_point){record.point[j].normal_impulse, record.point[j].tangent_impulse};
        }
    }
    if (!impulses) cache->count = count;
}

static void* keep(b2d_world* world) {
    const b2d_graph* graph = &world->graph;
    b2d_arena* arena = &world->scratch->arena;
    const size_t most = 2 * (size_t)graph->touching + 1;
    tag_cache* cache = b2d_arena_take(arena, sizeof *cache);
    uint64_t* tags = b2d_arena_take(arena, 2 * most * sizeof *tags);
    cached_point* points = b2d_arena_take(arena, most * sizeof *points);
    if (cache == NULL || tags == NULL || points == NULL) return NULL;
    *cache = (tag_cache){.tags = tags, .points = points};
    // With more shapes than a tag can name the cache stays empty, and the impulses stay where they are
    if (world->shape_ids.limit > 1 << SHAPE_BITS) return cache;
    collect(graph, cache, false);
    b2d_radix_sort(tags, tags + most, cache->count);
    for (int32_t k = 1; k < cache->count; k++) B2D_ASSERT(tags[k - 1] < tags[k]);
    collect(graph, cache, true);
    return cache;
}

static void restore(b2d_world* world, const void* kept) {
    const tag_cache* cache = kept;
    b2d_graph* graph = &world->graph;
    if (world->shape_ids.limit > 1 << SHAPE_BITS) return;
    B2D_FOR_BITS (&graph->in_lanes, id) {
        const int32_t block = graph->pairs[id].lane_index / B2D_LANES, lane = graph->pairs[id].lane_index % B2D_LANES;
        for (int32_t j = 0; j < 2; j++) {
            const int32_t feature = feature_of(graph->manifolds[block].feature[lane], j);
            const uint64_t tag = tag_of(&graph->pairs[id], feature);
            const int32_t at = b2d_lower_bound(cache->tags, sizeof *cache->tags, cache->count, tag);
            // A far point has none, but for one that went beyond that distance while its contact was recycled
            if (graph->manifolds[block].separation[j][lane] > b2d_speculative_distance(world)) continue;
            const bool found = feature != NO_FEATURE && at < cache->count && cache->tags[at] == tag;
            graph->blocks[block].point[j].normal_impulse[lane] = found ? cache->points[at].normal : 0.0f;
            graph->blocks[block].point[j].tangent_impulse[lane] = found ? cache->points[at].tangent : 0.0f;
        }
    }
}

const b2d_warm_start b2d_warm_start_tags = {"tags", keep, restore};
