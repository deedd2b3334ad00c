// csrc/lab/split_choice.c - islands="split_largest" and "split_most_removed": persistent islands with another choice of
// the island that is searched next.
//
// Catto ("Simulation Islands", 2023) names both and thinks that any heuristic does. The default searches the island
// that is nearest to sleep, because only sleep needs the split.
#include "graph/partition.h"

// The awake island with removals that has the greatest value; ties go to the larger id.
static int32_t greatest(const b2d_graph* graph, int32_t (*value)(const b2d_island*)) {
    int32_t best = B2D_NONE, most = 0;
    for (int32_t id = b2d_id_pool_next(&graph->island_ids, 0); id != B2D_NONE;
         id = b2d_id_pool_next(&graph->island_ids, id + 1)) {
        const b2d_island* island = &graph->islands[id];
        if (island->removals == 0 || island->body_count < 2 || value(island) < most) continue;
        if (!b2d_is_awake(graph, b2d_island_bodies(island)[0])) continue;
        best = id;
        most = value(island);
    }
    return best;
}

static int32_t bodies_of(const b2d_island* island) { return island->body_count; }
static int32_t removals_of(const b2d_island* island) { return island->removals; }
static int32_t pick_largest(const b2d_graph* graph) { return greatest(graph, bodies_of); }
static int32_t pick_most_removed(const b2d_graph* graph) { return greatest(graph, removals_of); }

const b2d_island_table b2d_islands_split_largest = {"split_largest", true, NULL, NULL, pick_largest};
const b2d_island_table b2d_islands_split_most_removed = {"split_most_removed", true, NULL, NULL, pick_most_removed};
