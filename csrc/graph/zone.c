// csrc/graph/zone.c - zones of islands, and which of them may share bodies.
//
// Idea: the constraints of a zone are in lists of their own, so that islands that do not touch are solved one zone
// after the other, each through all substeps, while its bodies and blocks stay in the cache. A new island of one body
// is in the zone of the body's id; merged islands take the zone of the root. Constraints that stay behind, and
// kinematic bodies, tie zones: tied zones are solved together. From time to time constraints are brought to the zone of
// their bodies and the ties are made anew. No result depends on zones: within a colour no two constraints share a
// moving body, and islands share nothing.
// Threads: serial stages only. Proof: b2d_graph_validate (no untied zones share a moving body).
#include "graph/graph.h"

enum { REZONED_AT_ONCE = 4096, LEAST_PATIENCE = 4, MOST_PATIENCE = 64 }; // constraints; steps

bool b2d_zones_reserve(b2d_graph* graph, int32_t bodies) {
    // Then they begin anew
    int32_t zones = b2d_min_int((bodies + B2D_ZONE_BODIES - 1) / B2D_ZONE_BODIES, UINT16_MAX + 1);
    if (!B2D_GROW(graph->memory, graph->body_zones, graph->body_zone_capacity, bodies) ||
        !B2D_GROW(graph->memory, graph->zones, graph->zone_capacity, zones) ||
        !B2D_GROW(graph->memory, graph->zone_blocks, graph->zone_block_capacity, zones) ||
        !B2D_GROW(graph->memory, graph->zone_parents, graph->zone_parent_capacity, zones))
        return false;
    for (; graph->zone_count < zones; graph->zone_count++)
        graph->zone_parents[graph->zone_count] = (uint16_t)graph->zone_count;
    return true;
}

int32_t b2d_zone_find(const b2d_graph* graph, int32_t zone) {
    while (graph->zone_parents[zone] != zone) zone = graph->zone_parents[zone];
    return zone;
}

void b2d_zone_tie(b2d_graph* graph, int32_t zone_a, int32_t zone_b) {
    if (zone_a == zone_b) return;
    int32_t a = b2d_zone_find(graph, zone_a), b = b2d_zone_find(graph, zone_b), root = b2d_min_int(a, b);
    graph->zone_ties += a != b;
    graph->zone_parents[a] = graph->zone_parents[b] = (uint16_t)root;
    graph->zone_parents[zone_a] = graph->zone_parents[zone_b] = (uint16_t)root;
}

// Kinematic bodies tie too: each substep moves them once, for all who touch them.
static void tie_sides(b2d_graph* graph, int32_t zone, const int32_t* bodies, int32_t live) {
    for (int32_t lane = 0; lane < live; lane++)
        if (graph->bodies[bodies[lane]].type != B2D_STATIC) b2d_zone_tie(graph, zone, graph->body_zones[bodies[lane]]);
}

// Two moving sides are of one island, so of one zone.
static void retie_contacts(b2d_graph* graph, int32_t zone, const b2d_color_list* list, int32_t fixed, int32_t* budget) {
    for (int32_t k = list->count - 1; k >= 0; k--) { // backwards: the last lane fills the hole
        const int32_t block = list->blocks[k / B2D_LANES], lane = k % B2D_LANES;
        const int32_t target = graph->body_zones[graph->blocks[block].body_a[lane]],
                      other = graph->blocks[block].body_b[lane];
        if (target == zone) continue;
        if (fixed) tie_sides(graph, target, &other, 1); // the lists of the target may have been looked at already
        if (--*budget < 0 || !b2d_color_rezone_contact(graph, graph->manifolds[block].contact[lane]))
            b2d_zone_tie(graph, zone, target);
    }
    for (int32_t k = 0; fixed && k < b2d_color_list_blocks(list); k++)
        tie_sides(graph, zone, graph->blocks[list->blocks[k]].body_b, b2d_color_list_live(list, k));
}

static void retie_joints(b2d_graph* graph, int32_t zone, const b2d_color_list* list, int32_t fixed, int32_t* budget) {
    for (int32_t k = list->count - 1; k >= 0; k--) {
        const int32_t block = list->blocks[k / B2D_LANES], lane = k % B2D_LANES;
        const int32_t target = graph->body_zones[graph->joint_blocks[block].body_a[lane]],
                      other = graph->joint_blocks[block].body_b[lane];
        if (target == zone) continue;
        if (fixed) tie_sides(graph, target, &other, 1);
        if (--*budget < 0 || !b2d_color_rezone_joint(graph, graph->joint_block_joint[block * B2D_LANES + lane]))
            b2d_zone_tie(graph, zone, target);
    }
    for (int32_t k = 0; fixed && k < b2d_color_list_blocks(list); k++)
        tie_sides(graph, zone, graph->joint_blocks[list->blocks[k]].body_b, b2d_color_list_live(list, k));
}

static int32_t count_roots(const b2d_graph* graph) {
    int32_t count = 0;
    for (int32_t zone = 0; zone < graph->zone_count; zone++) count += graph->zone_parents[zone] == zone;
    return count;
}

// Ties only grow, so they are made anew while that helps, and else ever more rarely.
void b2d_zones_untie(b2d_graph* graph) {
    if (graph->zone_ties == 0 || --graph->zone_wait > 0) return;
    int32_t before = count_roots(graph), budget = REZONED_AT_ONCE;
    for (int32_t zone = 0; zone < graph->zone_count; zone++) graph->zone_parents[zone] = (uint16_t)zone;
    graph->zone_ties = 0;
    for (int32_t zone = 0; zone < graph->zone_count; zone++)
        for (int32_t color = 0; graph->zone_blocks[zone] > 0 && color < B2D_COLORS; color++)
            for (int32_t fixed = 0; fixed < 2; fixed++) {
                retie_joints(graph, zone, &graph->zones[zone].joints[color][fixed], fixed, &budget);
                retie_contacts(graph, zone, &graph->zones[zone].contacts[color][fixed], fixed, &budget);
            }
    for (int32_t k = 0; k < graph->overflow_joint_count; k++) {
        const b2d_joint* joint = &graph->joints[graph->overflow_joints[k]];
        tie_sides(graph, graph->body_zones[joint->body[0]], &joint->body[1], 1);
    }
    for (int32_t k = 0; k < graph->overflow_contact_count; k++) {
        const b2d_pair* pair = &graph->pairs[graph->overflow_contacts[k]];
        tie_sides(graph, graph->body_zones[pair->body_a], &pair->body_b, 1);
    }
    bool helped = count_roots(graph) > before;
    graph->zone_patience = helped ? LEAST_PATIENCE
                                  : b2d_min_int(b2d_max_int(2 * graph->zone_patience, LEAST_PATIENCE), MOST_PATIENCE);
    graph->zone_wait = graph->zone_patience;
}

void b2d_zones_free(b2d_graph* graph) {
    b2d_memory* memory = graph->memory;
    for (int32_t zone = 0; zone < graph->zone_count; zone++)
        b2d_color_free_lists(graph, &graph->zones[zone].joints[0][0], B2D_ZONE_LISTS);
    b2d_color_free_lists(graph, graph->overflow_contact_list, 2);
    b2d_color_free_lists(graph, graph->overflow_joint_list, 2);
    b2d_free(memory, graph->zones, (size_t)graph->zone_capacity * sizeof *graph->zones);
    b2d_free(memory, graph->zone_blocks, (size_t)graph->zone_block_capacity * sizeof *graph->zone_blocks);
    b2d_free(memory, graph->zone_parents, (size_t)graph->zone_parent_capacity * sizeof *graph->zone_parents);
    b2d_free(memory, graph->body_zones, (size_t)graph->body_zone_capacity * sizeof *graph->body_zones);
}
