// csrc/solver/task.c - deals clusters, awake bodies, overflow constraints and direct assemblies out to tasks, once a
// step.
#include "solver/direct.h"
#include "solver/task.h"

#include <string.h>

// Blocks of a whole that stays in the cache anyhow (512 of them are 600 KB): not worth taking apart.
enum { WORTH_BLOCKS = 512 };

static int32_t body_of_joint(const b2d_graph* graph, int32_t id) {
    const b2d_joint* joint = &graph->joints[id];
    return joint->body[(joint->flags & B2D_JOINT_FLIP) != 0];
}
static int32_t body_of_contact(const b2d_graph* graph, int32_t id) {
    const b2d_pair* pair = &graph->pairs[id];
    return pair->flags & B2D_PAIR_FLIP ? pair->body_b : pair->body_a;
}

// Deals `count` ids out by the task of what `key` says, keeping their order: task g has out[first[g]] .. out[first[g
// + 1] - 1].
typedef int32_t cluster_fn(const b2d_graph* graph, int32_t id);
static int32_t cluster_itself(const b2d_graph* graph, int32_t id) { return (void)graph, id; }
static int32_t cluster_of_body(const b2d_graph* graph, int32_t id) { return graph->body_clusters[id]; }
static int32_t cluster_of_joint(const b2d_graph* graph, int32_t id) {
    return graph->body_clusters[body_of_joint(graph, id)];
}
static int32_t cluster_of_contact(const b2d_graph* graph, int32_t id) {
    return graph->body_clusters[body_of_contact(graph, id)];
}

static inline __attribute__((always_inline)) void deal(const b2d_graph* graph, const int32_t* ids, int32_t count,
                                                       cluster_fn* key, const int32_t* task_of_cluster, int32_t tasks,
                                                       int32_t* first, int32_t* out) {
    memset(first, 0, (size_t)(tasks + 2) * sizeof *first);
    for (int32_t begin = 0, end; begin < count; begin = end) { // neighbours are mostly of one cluster: run by run
        const int32_t cluster = key(graph, ids[begin]);
        for (end = begin + 1; end < count && key(graph, ids[end]) == cluster; end++) {}
        first[task_of_cluster[cluster] + 2] += end - begin;
    }
    for (int32_t g = 2; g < tasks + 2; g++) first[g] += first[g - 1];
    for (int32_t begin = 0, end; begin < count; begin = end) {
        const int32_t cluster = key(graph, ids[begin]);
        int32_t* to = out + first[task_of_cluster[cluster] + 1];
        for (end = begin; end < count && key(graph, ids[end]) == cluster; end++) *to++ = ids[end];
        first[task_of_cluster[cluster] + 1] += end - begin;
    }
}

// Groups by cluster: those alone first, then one for all that are shared out. Returns how many are alone; 0: it is not
// worth it.
static int32_t number_tasks(const b2d_graph* graph, int32_t workers, int32_t* task_of_cluster, int32_t* weight) {
    int32_t total = 0, working = 0, alone = 0;
    memset(weight, 0, (size_t)graph->cluster_count * sizeof *weight);
    for (int32_t cluster = 0; cluster < graph->cluster_count; cluster++) {
        const int32_t blocks = graph->cluster_blocks[cluster];
        int32_t* sum = &weight[b2d_cluster_find(graph, cluster)];
        working += *sum == 0 && blocks > 0;
        *sum += blocks;
        total += blocks;
    }
    if (total < WORTH_BLOCKS || working < 2) return 0;
    const int32_t most = workers == 1 ? total : total / (2 * workers);
    for (int32_t cluster = 0; cluster < graph->cluster_count; cluster++)
        if (b2d_cluster_find(graph, cluster) == cluster)
            task_of_cluster[cluster] = weight[cluster] <= most ? alone++ : B2D_NONE;
    for (int32_t cluster = 0; cluster < graph->cluster_count; cluster++) {
        const int32_t task = task_of_cluster[b2d_cluster_find(graph, cluster)];
        task_of_cluster[cluster] = task == B2D_NONE ? alone : task;
    }
    return alone;
}

bool b2d_plan_tasks(const b2d_solver* solver, b2d_solver_plan* plan) {
    const b2d_graph* graph = solver->graph;
    const int32_t clusters = graph->cluster_count, bodies = solver->awake_count, joints = graph->overflow_joint_count,
                  contacts = graph->overflow_contact_count;
    const int32_t kept = solver->direct->assembly_count, ids = clusters + bodies + joints + contacts + kept;
    // Of first rows: a task for each cluster at most, one for what is shared out, and two for counting
    const int32_t rows = clusters + 3;
    int32_t* task_of_cluster = b2d_arena_take(
        solver->memory, solver->arena,
        sizeof(int32_t) * (2 * (size_t)clusters + 5 * (size_t)rows + (size_t)ids + (size_t)kept));
    if (task_of_cluster == NULL) return false;
    int32_t *all_clusters = task_of_cluster + clusters, *seeds = all_clusters + clusters, *first = seeds + kept;
    int32_t* out = first + 5 * rows;
    const int32_t assemblies = b2d_direct_awake(solver, seeds);
    int32_t working = 0; // clusters
    for (int32_t cluster = 0; cluster < clusters; cluster++)
        if (graph->cluster_blocks[cluster] > 0) all_clusters[working++] = cluster;
    const b2d_solver_task whole = {
        solver, all_clusters, solver->awake, graph->overflow_joints, graph->overflow_contacts, seeds, working, bodies,
        joints, contacts,     assemblies};
    *plan = (b2d_solver_plan){whole, whole, NULL, 0};
    const int32_t alone = number_tasks(graph, b2d_scheduler_workers(solver->scheduler), task_of_cluster, first);
    if (alone == 0) return true;

    plan->alone = b2d_arena_take(solver->memory, solver->arena, (size_t)(alone + 1) * sizeof *plan->alone);
    if (plan->alone == NULL) return false;
    int32_t *first_cluster = first, *first_body = first + rows, *first_joint = first_body + rows,
            *first_contact = first_joint + rows, *first_seed = first_contact + rows;
    int32_t *cluster_ids = out, *body_ids = out + clusters, *joint_ids = body_ids + bodies,
            *contact_ids = joint_ids + joints, *seed_ids = contact_ids + contacts;
    deal(graph, all_clusters, working, cluster_itself, task_of_cluster, alone + 1, first_cluster, cluster_ids);
    deal(graph, solver->awake, bodies, cluster_of_body, task_of_cluster, alone + 1, first_body, body_ids);
    deal(graph, graph->overflow_joints, joints, cluster_of_joint, task_of_cluster, alone + 1, first_joint, joint_ids);
    deal(graph, graph->overflow_contacts, contacts, cluster_of_contact, task_of_cluster, alone + 1, first_contact,
         contact_ids);
    deal(graph, seeds, assemblies, cluster_of_joint, task_of_cluster, alone + 1, first_seed, seed_ids);
    for (int32_t g = 0; g <= alone; g++)
        plan->alone[g] = (b2d_solver_task){solver,
                                           cluster_ids + first_cluster[g],
                                           body_ids + first_body[g],
                                           joint_ids + first_joint[g],
                                           contact_ids + first_contact[g],
                                           seed_ids + first_seed[g],
                                           first_cluster[g + 1] - first_cluster[g],
                                           first_body[g + 1] - first_body[g],
                                           first_joint[g + 1] - first_joint[g],
                                           first_contact[g + 1] - first_contact[g],
                                           first_seed[g + 1] - first_seed[g]};
    plan->shared = plan->alone[alone];
    plan->alone_count = alone;
    return true;
}
