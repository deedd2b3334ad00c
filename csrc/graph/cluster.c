// csrc/graph/cluster.c - clusters of islands, and which of them may share bodies.
//
// Idea: the constraints of a cluster are in lists of their own, so that islands that do not touch are solved one
// cluster after the other, each through all substeps, while its bodies and blocks stay in the cache. A new island of
// one body is in the cluster of the body's id; merged islands take the cluster of the root. A constraint that is still
// in the lists of another cluster than its bodies ties the two clusters, and so does a kinematic body that both touch.
// Tied clusters are solved together. From time to time constraints are moved to the cluster of their bodies and the
// ties are rebuilt. No result depends on clusters: within a colour no two constraints share a moving body, and two
// islands share no moving body at all.
// Threads: serial stages only. Proof: b2d_graph_validate (no untied clusters share a moving body).
#include "graph/graph.h"

enum { MOST_MOVES = 4096, SHORTEST_WAIT = 4, LONGEST_WAIT = 64 }; // constraints moved in one rebuild; steps; steps

bool b2d_clusters_reserve(b2d_graph* graph, int32_t bodies) {
    // Numbers of clusters have 16 bits; the ids of bodies beyond them start again at 0
    int32_t clusters = b2d_min_int((bodies + B2D_CLUSTER_BODIES - 1) / B2D_CLUSTER_BODIES, UINT16_MAX + 1);
    if (graph->cells.count > 0 && bodies > 0)
        clusters = b2d_max_int(clusters, b2d_cluster_of_new(graph, bodies - 1) + 1);
    if (!B2D_GROW(graph->memory, graph->body_clusters, graph->body_cluster_capacity, bodies) ||
        !B2D_GROW(graph->memory, graph->clusters, graph->cluster_capacity, clusters) ||
        !B2D_GROW(graph->memory, graph->cluster_blocks, graph->cluster_block_capacity, clusters) ||
        !B2D_GROW(graph->memory, graph->cluster_parents, graph->cluster_parent_capacity, clusters))
        return false;
    for (; graph->cluster_count < clusters; graph->cluster_count++)
        graph->cluster_parents[graph->cluster_count] = (uint16_t)graph->cluster_count;
    return true;
}

int32_t b2d_cluster_find(const b2d_graph* graph, int32_t cluster) {
    while (graph->cluster_parents[cluster] != cluster) cluster = graph->cluster_parents[cluster];
    return cluster;
}

void b2d_cluster_tie(b2d_graph* graph, int32_t cluster_a, int32_t cluster_b) {
    if (cluster_a == cluster_b) return;
    int32_t a = b2d_cluster_find(graph, cluster_a), b = b2d_cluster_find(graph, cluster_b), root = b2d_min_int(a, b);
    graph->cluster_ties += a != b;
    graph->cluster_parents[a] = graph->cluster_parents[b] = (uint16_t)root;
    graph->cluster_parents[cluster_a] = graph->cluster_parents[cluster_b] = (uint16_t)root;
}

// Kinematic bodies tie clusters as well, because each substep moves them once for all constraints on them.
static void tie_sides(b2d_graph* graph, int32_t cluster, const int32_t* bodies, int32_t live) {
    for (int32_t lane = 0; lane < live; lane++)
        if (graph->bodies[bodies[lane]].type != B2D_STATIC)
            b2d_cluster_tie(graph, cluster, graph->body_clusters[bodies[lane]]);
}

// Two bodies that move and are linked are in one island, hence in one cluster, unless links may be loose.
static void retie_contacts(b2d_graph* graph, int32_t cluster, const b2d_color_list* list, int32_t fixed,
                           int32_t* budget) {
    const bool ties = fixed || graph->loose;
    for (int32_t k = list->count - 1; k >= 0; k--) { // backwards: removal fills the hole with the last lane
        const int32_t block = list->blocks[k / B2D_LANES], lane = k % B2D_LANES;
        const int32_t target = graph->body_clusters[graph->blocks[block].body_a[lane]],
                      other = graph->blocks[block].body_b[lane];
        if (target == cluster) continue;
        if (ties) tie_sides(graph, target, &other, 1); // the lists of the target may have been processed already
        if (--*budget < 0 || !b2d_color_recluster_contact(graph, graph->manifolds[block].contact[lane]))
            b2d_cluster_tie(graph, cluster, target);
    }
    for (int32_t k = 0; ties && k < b2d_color_list_blocks(list); k++)
        tie_sides(graph, cluster, graph->blocks[list->blocks[k]].body_b, b2d_color_list_live(list, k));
}

static void retie_joints(b2d_graph* graph, int32_t cluster, const b2d_color_list* list, int32_t fixed,
                         int32_t* budget) {
    const bool ties = fixed || graph->loose;
    for (int32_t k = list->count - 1; k >= 0; k--) {
        const int32_t block = list->blocks[k / B2D_LANES], lane = k % B2D_LANES;
        const int32_t target = graph->body_clusters[graph->joint_blocks[block].body_a[lane]],
                      other = graph->joint_blocks[block].body_b[lane];
        if (target == cluster) continue;
        if (ties) tie_sides(graph, target, &other, 1);
        if (--*budget < 0 || !b2d_color_recluster_joint(graph, graph->joint_block_joint[block * B2D_LANES + lane]))
            b2d_cluster_tie(graph, cluster, target);
    }
    for (int32_t k = 0; ties && k < b2d_color_list_blocks(list); k++)
        tie_sides(graph, cluster, graph->joint_blocks[list->blocks[k]].body_b, b2d_color_list_live(list, k));
}

static int32_t count_roots(const b2d_graph* graph) {
    int32_t count = 0;
    for (int32_t cluster = 0; cluster < graph->cluster_count; cluster++)
        count += graph->cluster_parents[cluster] == cluster;
    return count;
}

// Ties only accumulate between rebuilds. While a rebuild separates clusters, the next one follows soon; otherwise the
// intervals grow.
void b2d_clusters_untie(b2d_graph* graph) {
    if (graph->cluster_ties == 0 || --graph->cluster_wait > 0) return;
    int32_t before = count_roots(graph), budget = MOST_MOVES;
    for (int32_t cluster = 0; cluster < graph->cluster_count; cluster++)
        graph->cluster_parents[cluster] = (uint16_t)cluster;
    graph->cluster_ties = 0;
    for (int32_t cluster = 0; cluster < graph->cluster_count; cluster++)
        for (int32_t color = 0; graph->cluster_blocks[cluster] > 0 && color < B2D_COLORS; color++)
            for (int32_t fixed = 0; fixed < 2; fixed++) {
                retie_joints(graph, cluster, &graph->clusters[cluster].joints[color][fixed], fixed, &budget);
                retie_contacts(graph, cluster, &graph->clusters[cluster].contacts[color][fixed], fixed, &budget);
            }
    B2D_FOR_BITS (&graph->overflow_joints, id) {
        const b2d_joint* joint = &graph->joints[id];
        tie_sides(graph, graph->body_clusters[joint->body[0]], &joint->body[1], 1);
    }
    B2D_FOR_BITS (&graph->overflow_contacts, id) {
        const b2d_pair* pair = &graph->pairs[id];
        tie_sides(graph, graph->body_clusters[pair->body_a], &pair->body_b, 1);
    }
    bool helped = count_roots(graph) > before;
    graph->cluster_patience = helped
                                  ? SHORTEST_WAIT
                                  : b2d_min_int(b2d_max_int(2 * graph->cluster_patience, SHORTEST_WAIT), LONGEST_WAIT);
    graph->cluster_wait = graph->cluster_patience;
}

void b2d_clusters_free(b2d_graph* graph) {
    b2d_memory* memory = graph->memory;
    for (int32_t cluster = 0; cluster < graph->cluster_count; cluster++)
        b2d_color_free_lists(graph, &graph->clusters[cluster].joints[0][0], B2D_CLUSTER_LISTS);
    b2d_color_free_lists(graph, graph->overflow_contact_list, 2);
    b2d_color_free_lists(graph, graph->overflow_joint_list, 2);
    b2d_free(memory, graph->clusters, (size_t)graph->cluster_capacity * sizeof *graph->clusters);
}
