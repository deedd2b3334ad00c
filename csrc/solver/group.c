// csrc/solver/group.c - deals zones, awake bodies, overflow constraints and direct assemblies out to groups, once a
// step.
#include "solver/direct.h"
#include "solver/group.h"

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

// Deals `count` ids out by the group of what `key` says, keeping their order: group g has out[first[g]] .. out[first[g
// + 1] - 1].
typedef int32_t zone_fn(const b2d_graph* graph, int32_t id);
static int32_t zone_itself(const b2d_graph* graph, int32_t id) { return (void)graph, id; }
static int32_t zone_of_body(const b2d_graph* graph, int32_t id) { return graph->body_zones[id]; }
static int32_t zone_of_joint(const b2d_graph* graph, int32_t id) { return graph->body_zones[body_of_joint(graph, id)]; }
static int32_t zone_of_contact(const b2d_graph* graph, int32_t id) {
    return graph->body_zones[body_of_contact(graph, id)];
}

static inline __attribute__((always_inline)) void deal(const b2d_graph* graph, const int32_t* ids, int32_t count,
                                                       zone_fn* key, const int32_t* group_of_zone, int32_t groups,
                                                       int32_t* first, int32_t* out) {
    memset(first, 0, (size_t)(groups + 2) * sizeof *first);
    for (int32_t begin = 0, end; begin < count; begin = end) { // neighbours are mostly of one zone: run by run
        const int32_t zone = key(graph, ids[begin]);
        for (end = begin + 1; end < count && key(graph, ids[end]) == zone; end++) {}
        first[group_of_zone[zone] + 2] += end - begin;
    }
    for (int32_t g = 2; g < groups + 2; g++) first[g] += first[g - 1];
    for (int32_t begin = 0, end; begin < count; begin = end) {
        const int32_t zone = key(graph, ids[begin]);
        int32_t* to = out + first[group_of_zone[zone] + 1];
        for (end = begin; end < count && key(graph, ids[end]) == zone; end++) *to++ = ids[end];
        first[group_of_zone[zone] + 1] += end - begin;
    }
}

// Groups by zone: those alone first, then one for all that are shared out. Returns how many are alone; 0: it is not
// worth it.
static int32_t number_groups(const b2d_graph* graph, int32_t workers, int32_t* group_of_zone, int32_t* weight) {
    int32_t total = 0, working = 0, alone = 0;
    memset(weight, 0, (size_t)graph->zone_count * sizeof *weight);
    for (int32_t zone = 0; zone < graph->zone_count; zone++) {
        const int32_t blocks = graph->zone_blocks[zone];
        int32_t* sum = &weight[b2d_zone_find(graph, zone)];
        working += *sum == 0 && blocks > 0;
        *sum += blocks;
        total += blocks;
    }
    if (total < WORTH_BLOCKS || working < 2) return 0;
    const int32_t most = workers == 1 ? total : total / (2 * workers);
    for (int32_t zone = 0; zone < graph->zone_count; zone++)
        if (b2d_zone_find(graph, zone) == zone) group_of_zone[zone] = weight[zone] <= most ? alone++ : B2D_NONE;
    for (int32_t zone = 0; zone < graph->zone_count; zone++) {
        const int32_t group = group_of_zone[b2d_zone_find(graph, zone)];
        group_of_zone[zone] = group == B2D_NONE ? alone : group;
    }
    return alone;
}

bool b2d_plan_groups(const b2d_solver* solver, b2d_solver_plan* plan) {
    const b2d_graph* graph = solver->graph;
    const int32_t zones = graph->zone_count, bodies = solver->awake_count, joints = graph->overflow_joint_count,
                  contacts = graph->overflow_contact_count;
    const int32_t kept = solver->direct->assembly_count, ids = zones + bodies + joints + contacts + kept;
    // Of first rows: a group for each zone at most, one for what is shared out, and two for counting
    const int32_t rows = zones + 3;
    int32_t* group_of_zone = b2d_arena_take(solver->memory, solver->arena,
                                            sizeof(int32_t) *
                                                (2 * (size_t)zones + 5 * (size_t)rows + (size_t)ids + (size_t)kept));
    if (group_of_zone == NULL) return false;
    int32_t *all_zones = group_of_zone + zones, *seeds = all_zones + zones, *first = seeds + kept;
    int32_t* out = first + 5 * rows;
    const int32_t assemblies = b2d_direct_awake(solver, seeds);
    int32_t working = 0; // zones
    for (int32_t zone = 0; zone < zones; zone++)
        if (graph->zone_blocks[zone] > 0) all_zones[working++] = zone;
    const b2d_solver_group whole = {
        solver, all_zones, solver->awake, graph->overflow_joints, graph->overflow_contacts, seeds, working, bodies,
        joints, contacts,  assemblies};
    *plan = (b2d_solver_plan){whole, whole, NULL, 0};
    const int32_t alone = number_groups(graph, b2d_scheduler_workers(solver->scheduler), group_of_zone, first);
    if (alone == 0) return true;

    plan->alone = b2d_arena_take(solver->memory, solver->arena, (size_t)(alone + 1) * sizeof *plan->alone);
    if (plan->alone == NULL) return false;
    int32_t *first_zone = first, *first_body = first + rows, *first_joint = first_body + rows,
            *first_contact = first_joint + rows, *first_seed = first_contact + rows;
    int32_t *zone_ids = out, *body_ids = out + zones, *joint_ids = body_ids + bodies, *contact_ids = joint_ids + joints,
            *seed_ids = contact_ids + contacts;
    deal(graph, all_zones, working, zone_itself, group_of_zone, alone + 1, first_zone, zone_ids);
    deal(graph, solver->awake, bodies, zone_of_body, group_of_zone, alone + 1, first_body, body_ids);
    deal(graph, graph->overflow_joints, joints, zone_of_joint, group_of_zone, alone + 1, first_joint, joint_ids);
    deal(graph, graph->overflow_contacts, contacts, zone_of_contact, group_of_zone, alone + 1, first_contact,
         contact_ids);
    deal(graph, seeds, assemblies, zone_of_joint, group_of_zone, alone + 1, first_seed, seed_ids);
    for (int32_t g = 0; g <= alone; g++)
        plan->alone[g] = (b2d_solver_group){solver,
                                            zone_ids + first_zone[g],
                                            body_ids + first_body[g],
                                            joint_ids + first_joint[g],
                                            contact_ids + first_contact[g],
                                            seed_ids + first_seed[g],
                                            first_zone[g + 1] - first_zone[g],
                                            first_body[g + 1] - first_body[g],
                                            first_joint[g + 1] - first_joint[g],
                                            first_contact[g + 1] - first_contact[g],
                                            first_seed[g + 1] - first_seed[g]};
    plan->shared = plan->alone[alone];
    plan->alone_count = alone;
    return true;
}
