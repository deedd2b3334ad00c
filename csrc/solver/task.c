// csrc/solver/task.c - deals clusters, awake bodies, overflow constraints and direct assemblies out to tasks, once a
// step.
#include "solver/direct.h"
#include "solver/task.h"

#include <string.h>

// The least number of blocks for which a division into tasks pays: for one worker, fewer stay in the cache as a whole
// (512 of them are 600 KB); several workers share out the tasks.
enum { LEAST_BLOCKS_OF_ONE = 512, LEAST_BLOCKS = 32 };

static int32_t body_of_joint(const b2d_graph* graph, int32_t id) {
    const b2d_joint* joint = &graph->joints[id];
    return joint->body[(joint->flags & B2D_JOINT_FLIP) != 0];
}
static int32_t body_of_contact(const b2d_graph* graph, int32_t id) {
    const b2d_pair* pair = &graph->pairs[id];
    return pair->flags & B2D_PAIR_FLIP ? pair->body_b : pair->body_a;
}

typedef int32_t cluster_fn(const b2d_graph* graph, int32_t id);
static int32_t cluster_of_body(const b2d_graph* graph, int32_t id) { return graph->body_clusters[id]; }
static int32_t cluster_of_joint(const b2d_graph* graph, int32_t id) {
    return graph->body_clusters[body_of_joint(graph, id)];
}
static int32_t cluster_of_contact(const b2d_graph* graph, int32_t id) {
    return graph->body_clusters[body_of_contact(graph, id)];
}

// Deals `count` ids out by the task of the cluster that `key` gives, without changing their order: those of task t
// become out[first[t]] to out[first[t + 1] - 1].
static inline __attribute__((always_inline)) void deal(const b2d_graph* graph, const int32_t* ids, int32_t count,
                                                       cluster_fn* key, const int32_t* task_of_cluster, int32_t tasks,
                                                       int32_t* first, int32_t* out) {
    memset(first, 0, (size_t)(tasks + 2) * sizeof *first);
    for (int32_t begin = 0, end; begin < count; begin = end) { // run by run: neighbours are mostly in one cluster
        const int32_t cluster = key(graph, ids[begin]);
        for (end = begin + 1; end < count && key(graph, ids[end]) == cluster; end++) {}
        first[task_of_cluster[cluster] + 2] += end - begin;
    }
    for (int32_t t = 2; t < tasks + 2; t++) first[t] += first[t - 1];
    for (int32_t begin = 0, end; begin < count; begin = end) {
        const int32_t cluster = key(graph, ids[begin]);
        int32_t* to = out + first[task_of_cluster[cluster] + 1];
        for (end = begin; end < count && key(graph, ids[end]) == cluster; end++) *to++ = ids[end];
        first[task_of_cluster[cluster] + 1] += end - begin;
    }
}

// The same for the lists: those of task t become out[first[t]] to out[first[t + 1] - 1].
static void deal_lists(const b2d_solver_task* all, const int32_t* task_of_cluster, int32_t tasks, int32_t* first,
                       b2d_task_list* out) {
    memset(first, 0, (size_t)(tasks + 2) * sizeof *first);
    for (int32_t k = 0; k < all->list_count; k++) first[task_of_cluster[all->lists[k].cluster] + 2]++;
    for (int32_t t = 2; t < tasks + 2; t++) first[t] += first[t - 1];
    for (int32_t k = 0; k < all->list_count; k++)
        out[first[task_of_cluster[all->lists[k].cluster] + 1]++] = all->lists[k];
}

// Numbers the tasks of the clusters: first the single-worker tasks, then the shared one. Returns how many single-worker
// tasks there are; 0: tasks are not worth it.
static int32_t number_tasks(const b2d_graph* graph, int32_t workers, int32_t* task_of_cluster, int32_t* weight) {
    int32_t total = 0, working = 0, single = 0;
    memset(weight, 0, (size_t)graph->cluster_count * sizeof *weight);
    for (int32_t cluster = 0; cluster < graph->cluster_count; cluster++) {
        const int32_t blocks = graph->cluster_blocks[cluster];
        int32_t* sum = &weight[b2d_cluster_find(graph, cluster)];
        working += *sum == 0 && blocks > 0;
        *sum += blocks;
        total += blocks;
    }
    if (total < (workers == 1 ? LEAST_BLOCKS_OF_ONE : LEAST_BLOCKS) || working < 2) return 0;
    const int32_t most = workers == 1 ? total : total / (2 * workers);
    for (int32_t cluster = 0; cluster < graph->cluster_count; cluster++)
        if (b2d_cluster_find(graph, cluster) == cluster)
            task_of_cluster[cluster] = weight[cluster] <= most ? single++ : B2D_NONE;
    for (int32_t cluster = 0; cluster < graph->cluster_count; cluster++) {
        const int32_t task = task_of_cluster[b2d_cluster_find(graph, cluster)];
        task_of_cluster[cluster] = task == B2D_NONE ? single : task;
    }
    return single;
}

// Appends the lists of a colour that are not empty to `count` rows; returns how many there are then.
static int32_t append_lists(const b2d_solver* solver, int32_t color, b2d_task_list* rows, int32_t count) {
    const b2d_graph* graph = solver->graph;
    for (int32_t cluster = 0; cluster < graph->cluster_count; cluster++) {
        if (graph->cluster_blocks[cluster] == 0) continue; // of a million sleepers there are a thousand such
        const b2d_cluster* row = &graph->clusters[cluster];
        for (int32_t k = 0; k < 4; k++) {
            const bool is_joints = k < 2;
            const b2d_color_list* list = is_joints ? &row->joints[color][k] : &row->contacts[color][k - 2];
            if (list->count == 0) continue;
            const b2d_solver_kernels* kernels = b2d_kernels_for(solver, list);
            rows[count++] = (b2d_task_list){.list = list,
                                            .kernels = is_joints ? kernels->joints : kernels->contacts,
                                            .blocks = b2d_color_list_blocks(list),
                                            .cluster = (uint16_t)cluster,
                                            .is_joints = is_joints,
                                            .fixed = k & 1};
        }
    }
    return count;
}

// Of tasks that follow each other; false without memory.
static bool count_substeps(const b2d_solver* solver, b2d_solver_task* tasks, int32_t count) {
    if (solver->machines == NULL) return true;
    int32_t* done = b2d_arena_take(solver->arena, (size_t)count * sizeof *done);
    if (done == NULL) return false;
    memset(done, 0, (size_t)count * sizeof *done);
    for (int32_t k = 0; k < count; k++) tasks[k].substeps_done = &done[k];
    return true;
}

bool b2d_task_of_everything(const b2d_solver* solver, b2d_solver_task* everything) {
    const b2d_graph* graph = solver->graph;
    const int32_t assemblies = solver->direct->assembly_count, joints = b2d_overflow_count(graph->overflow_joint_list),
                  contacts = b2d_overflow_count(graph->overflow_contact_list);
    int32_t blocks = 0; // there are no more lists than blocks
    for (int32_t color = 0; color < B2D_COLORS; color++) blocks += graph->color_blocks[color];
    b2d_task_list* lists = b2d_arena_take(solver->arena, (size_t)(blocks + 1) * sizeof *lists);
    int32_t* seeds = b2d_arena_take(solver->arena,
                                    ((size_t)assemblies + (size_t)joints + (size_t)contacts + 1) * sizeof *seeds);
    if (lists == NULL || seeds == NULL || !count_substeps(solver, everything, 1)) return false;
    int32_t *joint_ids = seeds + assemblies, *contact_ids = joint_ids + joints;
    int32_t iterated = 0; // the others belong to assemblies
    B2D_FOR_BITS (&graph->overflow_joints, id)
        if (!(graph->joints[id].flags & B2D_JOINT_DIRECT)) joint_ids[iterated++] = id;
    if (contacts > 0) b2d_bits_list(&graph->overflow_contacts, 0, graph->overflow_contacts.word_count, contact_ids);
    everything->solver = solver;
    everything->lists = lists;
    everything->bodies = solver->awake;
    everything->body_count = solver->awake_count;
    everything->overflow_joints = joint_ids;
    everything->overflow_joint_count = iterated;
    everything->overflow_contacts = contact_ids;
    everything->overflow_contact_count = contacts;
    everything->assemblies = seeds;
    everything->assembly_count = b2d_direct_awake(solver, seeds);
    int32_t count = 0, color = 0;
    for (int32_t left = blocks; left > 0; left -= graph->color_blocks[color++]) {
        if (graph->color_blocks[color] > 0) count = append_lists(solver, color, lists, count);
        everything->first_list[color + 1] = count;
    }
    while (color < B2D_COLORS) everything->first_list[++color] = count;
    everything->list_count = count;
    return true;
}

bool b2d_plan_tasks(const b2d_solver* solver, b2d_solver_plan* plan) {
    const b2d_graph* graph = solver->graph;
    const b2d_solver_task* all = &plan->everything;
    const int32_t clusters = graph->cluster_count;
    // Of the first ids: a row for each task, at most one a cluster and the shared one, and two for counting
    const int32_t rows = clusters + 3,
                  ids = all->body_count + all->overflow_joint_count + all->overflow_contact_count + all->assembly_count;
    int32_t* task_of_cluster = b2d_arena_take(solver->arena,
                                              sizeof(int32_t) * ((size_t)clusters + 5 * (size_t)rows + (size_t)ids));
    if (task_of_cluster == NULL) return false;
    int32_t* first = task_of_cluster + clusters;
    const int32_t single = number_tasks(graph, b2d_scheduler_workers(solver->scheduler), task_of_cluster, first);
    if (single == 0) return true;
    b2d_solver_task* tasks = b2d_arena_take(solver->arena, (size_t)(single + 1) * sizeof *tasks);
    b2d_task_list* lists = b2d_arena_take(solver->arena, (size_t)(all->list_count + 1) * sizeof *lists);
    if (tasks == NULL || lists == NULL) return false;

    int32_t *first_list = first, *first_body = first + rows, *first_joint = first_body + rows,
            *first_contact = first_joint + rows, *first_assembly = first_contact + rows;
    int32_t *body_ids = first_assembly + rows, *joint_ids = body_ids + all->body_count,
            *contact_ids = joint_ids + all->overflow_joint_count,
            *assembly_ids = contact_ids + all->overflow_contact_count;
    deal_lists(all, task_of_cluster, single + 1, first_list, lists);
    deal(graph, all->bodies, all->body_count, cluster_of_body, task_of_cluster, single + 1, first_body, body_ids);
    deal(graph, all->overflow_joints, all->overflow_joint_count, cluster_of_joint, task_of_cluster, single + 1,
         first_joint, joint_ids);
    deal(graph, all->overflow_contacts, all->overflow_contact_count, cluster_of_contact, task_of_cluster, single + 1,
         first_contact, contact_ids);
    deal(graph, all->assemblies, all->assembly_count, cluster_of_joint, task_of_cluster, single + 1, first_assembly,
         assembly_ids);
    for (int32_t t = 0; t <= single; t++)
        tasks[t] = (b2d_solver_task){.solver = solver,
                                     .lists = lists + first_list[t],
                                     .list_count = first_list[t + 1] - first_list[t],
                                     .bodies = body_ids + first_body[t],
                                     .body_count = first_body[t + 1] - first_body[t],
                                     .overflow_joints = joint_ids + first_joint[t],
                                     .overflow_joint_count = first_joint[t + 1] - first_joint[t],
                                     .overflow_contacts = contact_ids + first_contact[t],
                                     .overflow_contact_count = first_contact[t + 1] - first_contact[t],
                                     .assemblies = assembly_ids + first_assembly[t],
                                     .assembly_count = first_assembly[t + 1] - first_assembly[t]};
    if (!count_substeps(solver, tasks, single + 1)) return false;
    plan->single = tasks;
    plan->single_count = single;
    plan->task_of_cluster = task_of_cluster;
    plan->shared = tasks[single];
    // Of each colour, the lists that are not in single-worker tasks
    for (int32_t color = 0, count = 0; color < B2D_COLORS; color++) {
        for (int32_t k = all->first_list[color]; k < all->first_list[color + 1]; k++)
            count += task_of_cluster[all->lists[k].cluster] == single;
        plan->shared.first_list[color + 1] = count;
    }
    return true;
}

bool b2d_deal_presses(const b2d_solver* solver, b2d_solver_plan* plan, const b2d_presses* presses) {
    if (presses->count == 0) return true;
    b2d_press** rows = b2d_arena_take(solver->arena, 2 * (size_t)presses->count * sizeof *rows);
    if (rows == NULL) return false;
    for (int32_t k = 0; k < presses->count; k++) rows[k] = b2d_press_at(presses, k);
    plan->everything.presses = rows, plan->everything.press_count = presses->count;
    b2d_press** to = rows + presses->count;
    for (int32_t t = 0; t <= plan->single_count; t++) {
        b2d_solver_task* task = t < plan->single_count ? &plan->single[t] : &plan->shared;
        task->presses = to;
        for (int32_t k = 0; k < presses->count; k++) {
            const int32_t cluster = solver->graph->body_clusters[b2d_press_body(rows[k])];
            if (plan->task_of_cluster != NULL && plan->task_of_cluster[cluster] != t) continue;
            *to++ = rows[k];
            task->press_count++;
        }
    }
    return true;
}
