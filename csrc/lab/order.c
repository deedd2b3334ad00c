// csrc/lab/order.c - see order.h.
//
// Units of work are islands; islands that share an awake kinematic body are one unit, because each substep moves that
// body once. Small units are joined to one task, so that a world of many small islands has few tasks.
// Threads: the plan and the copy back are serial; each task copies its contacts in when its first pass begins.
#include "lab/order.h"
#include "base/radix_sort.h"
#include "base/timer.h"
#include "buffers/slots.h"
#include "solver/direct.h"
#include "solver/gear.h"
#include "solver/kernels.h"
#include "solver/prepare.h"

#include <stdatomic.h>
#include <string.h>

enum { LEAST_CONTACTS = 128 }; // of a task; smaller units are joined
enum { ARRIVAL_GRAIN = 8 };    // contacts that a worker takes at a time

typedef struct order { // of all tasks of a step
    b2d_solver solver; // with the graph below
    b2d_graph graph;   // blocks and extras are those of the arena
    b2d_order_kind kind;
    const int32_t* joints;   // ids, dealt out to the tasks
    const int32_t* contacts; // ids, dealt out to the tasks, in the order of each
    const int32_t* lanes;    // where each of them lies in the arena: block * 16 + lane
    const b2d_slot* slots;
    int32_t contact_count;
    const b2d_contact_block* home_blocks; // where the impulses live
    b2d_extra_block* const* home_extras;
    atomic_int_least64_t copy_ns;
} order;

typedef struct task_order {
    order* all;
    int32_t first_joint, joint_count, first_contact, contact_count, first_slot, slot_count;
    bool copied;
} task_order;

static _Thread_local b2d_order_report last_report; // plan and finish run on the thread that calls the step
b2d_order_report b2d_order_last_report(void) { return last_report; }

// ---- the order of contacts

static bool has_switch(const b2d_solver* solver, int32_t bit) { return (solver->lab >> bit & 1) != 0; }

static uint32_t scramble(uint32_t x) { // a bijection without visible order (the finalizer of MurmurHash3)
    x = (x ^ x >> 16) * 0x85EBCA6Bu;
    x = (x ^ x >> 13) * 0xC2B2AE35u;
    return x ^ x >> 16;
}

static float height_of(const b2d_solver* solver, const b2d_pair* pair) {
    const b2d_pose *a = &solver->poses[pair->body_a], *b = &solver->poses[pair->body_b];
    const bool moves_a = b2d_moves(solver->graph, pair->body_a), moves_b = b2d_moves(solver->graph, pair->body_b);
    return moves_a && moves_b ? (float)(a->y + b->y) : 2.0f * (float)(moves_a ? a->y : b->y);
}

typedef struct arrival {
    const int32_t* ids;
    int32_t* arrived;
    atomic_int_least32_t count;
} arrival;

static void arrive(void* context, int32_t begin, int32_t end, int32_t worker) {
    (void)worker;
    arrival* a = context;
    for (int32_t k = begin; k < end; k++)
        a->arrived[atomic_fetch_add_explicit(&a->count, 1, memory_order_relaxed)] = a->ids[k];
}

// The ids in the order in which workers that share them out append them to one list.
static bool let_arrive(const b2d_solver* solver, int32_t* ids, int32_t count) {
    arrival a = {.ids = ids, .arrived = b2d_arena_take(solver->arena, ((size_t)count + 1) * sizeof *ids)};
    if (a.arrived == NULL) return false;
    const b2d_stage stage = {arrive, &a, count, ARRIVAL_GRAIN};
    b2d_scheduler_run_entered(solver->scheduler, &stage, 1);
    memcpy(ids, a.arrived, (size_t)count * sizeof *ids);
    return true;
}

// The lowest colour that no body of the contact has; contacts are coloured in their order. `used`: by body id.
static uint32_t take_color(const b2d_solver* solver, uint64_t* used, const b2d_pair* pair) {
    const bool moves[2] = {b2d_moves(solver->graph, pair->body_a), b2d_moves(solver->graph, pair->body_b)};
    const int32_t bodies[2] = {pair->body_a, pair->body_b};
    uint64_t taken = 0;
    for (int32_t k = 0; k < 2; k++) taken |= moves[k] ? used[bodies[k]] : 0;
    const uint32_t color = taken == UINT64_MAX ? 64 : (uint32_t)b2d_ctz64(~taken);
    for (int32_t k = 0; k < 2; k++)
        if (moves[k] && color < 64) used[bodies[k]] |= 1ull << color;
    return color;
}

// Sorts the ids, which are ascending, by the switch "order". Contacts of equal keys stay in the order of ids.
static bool sort_contacts(const b2d_solver* solver, int32_t* ids, int32_t count) {
    if (has_switch(solver, B2D_LAB_ORDER_ARRIVAL)) return let_arrive(solver, ids, count);
    bool ordered = false;
    for (int32_t bit = B2D_LAB_ORDER_FIXED; bit <= B2D_LAB_ORDER_STATIC_LAST; bit++)
        ordered = ordered || has_switch(solver, bit);
    ordered = ordered || has_switch(solver, B2D_LAB_ORDER_COLOR) || has_switch(solver, B2D_LAB_ORDER_NO_BAND);
    if (!ordered) return true;
    const b2d_graph* graph = solver->graph;
    uint64_t* keys = b2d_arena_take(solver->arena, ((size_t)count * 2 + 1) * sizeof *keys);
    int32_t* sorted = b2d_arena_take(solver->arena, ((size_t)count + 1) * sizeof *sorted);
    if (keys == NULL || sorted == NULL) return false;
    uint64_t* used = NULL;
    if (has_switch(solver, B2D_LAB_ORDER_NO_BAND)) {
        used = b2d_arena_take(solver->arena, ((size_t)graph->body_capacity + 1) * sizeof *used);
        if (used == NULL) return false;
        memset(used, 0, ((size_t)graph->body_capacity + 1) * sizeof *used);
    }
    if (has_switch(solver, B2D_LAB_ORDER_TAG)) { // a tag is the key of the pair and has 64 bits
        for (int32_t k = 0; k < count; k++)
            keys[k] = b2d_pair_key(graph->pairs[ids[k]].shape_a, graph->pairs[ids[k]].shape_b);
        b2d_radix_sort(keys, keys + count, count);
        for (int32_t k = 0; k < count; k++) ids[k] = b2d_pair_set_find(&graph->pair_set, keys[k]);
        return true;
    }
    const uint32_t seed = has_switch(solver, B2D_LAB_ORDER_PER_STEP) ? scramble((uint32_t)solver->step) : 0x9E3779B9u;
    for (int32_t k = 0; k < count; k++) {
        const b2d_pair* pair = &graph->pairs[ids[k]];
        const bool fixed = graph->contacts[ids[k]].fixed != 0;
        uint32_t key = scramble((uint32_t)ids[k] ^ seed); // fixed, per_step
        if (has_switch(solver, B2D_LAB_ORDER_BOTTOM_UP)) key = b2d_float_key(height_of(solver, pair));
        if (has_switch(solver, B2D_LAB_ORDER_STATIC_FIRST)) key = fixed ? 0 : 1;
        if (has_switch(solver, B2D_LAB_ORDER_STATIC_LAST)) key = fixed ? 1 : 0;
        if (has_switch(solver, B2D_LAB_ORDER_COLOR)) key = (uint32_t)graph->contacts[ids[k]].color;
        if (used != NULL) key = take_color(solver, used, pair);
        keys[k] = (uint64_t)key << 32 | (uint32_t)k;
    }
    b2d_radix_sort(keys, keys + count, count);
    for (int32_t k = 0; k < count; k++) sorted[k] = ids[(uint32_t)keys[k]];
    memcpy(ids, sorted, (size_t)count * sizeof *ids);
    return true;
}

// ---- units and tasks

static int32_t find(int32_t* parent, int32_t k) {
    while (parent[k] != k) k = parent[k] = parent[parent[k]];
    return k;
}

static void unite(const b2d_graph* graph, int32_t* parent, int32_t body_a, int32_t body_b) {
    if (!b2d_is_awake(graph, body_a) || !b2d_is_awake(graph, body_b)) return; // static bodies are never awake
    const int32_t a = find(parent, graph->bodies[body_a].island), b = find(parent, graph->bodies[body_b].island);
    parent[b2d_max_int(a, b)] = b2d_min_int(a, b);
}

static int32_t moving_body(const b2d_graph* graph, int32_t body_a, int32_t body_b) {
    return b2d_moves(graph, body_a) && b2d_is_awake(graph, body_a) ? body_a : body_b;
}
static int32_t body_of_contact(const b2d_graph* graph, int32_t id) {
    return moving_body(graph, graph->pairs[id].body_a, graph->pairs[id].body_b);
}
static int32_t body_of_joint(const b2d_graph* graph, int32_t id) {
    return moving_body(graph, graph->joints[id].body[0], graph->joints[id].body[1]);
}
static int32_t body_itself(const b2d_graph* graph, int32_t id) { return (void)graph, id; }

typedef struct dealer {
    const b2d_solver* solver;
    int32_t* task_of_island; // by island id
    int32_t tasks;
} dealer;

// Deals ids out by the task of their body, in their order; those of task t become out[first[t]] to out[first[t+1] - 1].
static bool deal(const dealer* d, const int32_t* ids, int32_t count, int32_t (*body_of)(const b2d_graph*, int32_t),
                 int32_t** first, int32_t** out) {
    const b2d_graph* graph = d->solver->graph;
    *first = b2d_arena_take(d->solver->arena, (size_t)(d->tasks + 2) * sizeof **first);
    *out = b2d_arena_take(d->solver->arena, (size_t)(count + 1) * sizeof **out);
    if (*first == NULL || *out == NULL) return false;
    memset(*first, 0, (size_t)(d->tasks + 2) * sizeof **first);
    for (int32_t k = 0; k < count; k++) (*first)[d->task_of_island[graph->bodies[body_of(graph, ids[k])].island] + 2]++;
    for (int32_t t = 2; t < d->tasks + 2; t++) (*first)[t] += (*first)[t - 1];
    for (int32_t k = 0; k < count; k++)
        (*out)[(*first)[d->task_of_island[graph->bodies[body_of(graph, ids[k])].island] + 1]++] = ids[k];
    return true;
}

// Units become tasks in descending order of their contacts, so that workers begin with the largest.
static bool number_tasks(dealer* d, b2d_order_kind kind, const int32_t* joints, int32_t joint_count,
                         const int32_t* contacts, int32_t contact_count) {
    const b2d_solver* solver = d->solver;
    const b2d_graph* graph = solver->graph;
    const int32_t limit = graph->island_ids.limit;
    int32_t* parent = b2d_arena_take(solver->arena, (size_t)(3 * limit + 3) * sizeof *parent);
    uint64_t* keys = b2d_arena_take(solver->arena, (size_t)(2 * limit + 2) * sizeof *keys);
    if (parent == NULL || keys == NULL) return false;
    int32_t* weight = parent + limit + 1;
    d->task_of_island = weight + limit + 1;
    for (int32_t k = 0; k < limit; k++) parent[k] = kind == B2D_ORDER_SERIAL ? 0 : k, weight[k] = 0;
    if (kind == B2D_ORDER_SERIAL) {
        for (int32_t k = 0; k < limit; k++) d->task_of_island[k] = 0;
        d->tasks = 1;
        return true;
    }
    for (int32_t k = 0; k < contact_count; k++)
        unite(graph, parent, graph->pairs[contacts[k]].body_a, graph->pairs[contacts[k]].body_b);
    for (int32_t k = 0; k < joint_count; k++)
        unite(graph, parent, graph->joints[joints[k]].body[0], graph->joints[joints[k]].body[1]);
    for (int32_t k = 0; k < contact_count; k++)
        weight[find(parent, graph->bodies[body_of_contact(graph, contacts[k])].island)]++;
    for (int32_t k = 0; k < joint_count; k++)
        weight[find(parent, graph->bodies[body_of_joint(graph, joints[k])].island)]++;
    int32_t units = 0, gathered = 0;
    for (int32_t k = 0; k < solver->awake_count; k++) { // each unit once
        const int32_t root = find(parent, graph->bodies[solver->awake[k]].island);
        if (weight[root] < 0) continue;
        keys[units++] = (uint64_t)(uint32_t)(INT32_MAX - weight[root]) << 32 | (uint32_t)root;
        weight[root] = -1 - weight[root];
    }
    b2d_radix_sort(keys, keys + limit + 1, units);
    d->tasks = 0;
    for (int32_t k = 0; k < units; k++) {
        const int32_t root = (int32_t)(uint32_t)keys[k];
        if (k == 0 || gathered >= LEAST_CONTACTS) d->tasks++, gathered = 0;
        gathered += -1 - weight[root];
        weight[root] = d->tasks - 1;
    }
    for (int32_t k = 0; k < solver->awake_count; k++) {
        const int32_t island = graph->bodies[solver->awake[k]].island;
        d->task_of_island[island] = weight[find(parent, island)];
    }
    return true;
}

// ---- the plan

// The awake joints that are not solved as part of an assembly, ascending.
static int32_t list_joints(const b2d_graph* graph, int32_t* ids) {
    int32_t count = 0;
    for (int32_t id = b2d_id_pool_next(&graph->joint_ids, 0); id != B2D_NONE;
         id = b2d_id_pool_next(&graph->joint_ids, id + 1))
        if (graph->joints[id].lane_index != B2D_NONE && !(graph->joints[id].flags & B2D_JOINT_DIRECT))
            ids[count++] = id;
    return count;
}

// Room for the contacts in blocks of the arena, and extra blocks for those that have one where they live.
static bool take_blocks(order* all, int32_t blocks) {
    const b2d_solver* solver = &all->solver;
    const b2d_graph* home = solver->graph;
    b2d_contact_block* rows = b2d_arena_take(solver->arena, (size_t)(blocks + 1) * sizeof *rows);
    b2d_extra_block** extras = b2d_arena_take(solver->arena, (size_t)(blocks + 1) * sizeof *extras);
    b2d_contact_step* steps = b2d_arena_take(solver->arena, (size_t)(blocks + 1) * sizeof *steps);
    if (rows == NULL || extras == NULL || steps == NULL) return false;
    memset(extras, 0, (size_t)(blocks + 1) * sizeof *extras);
    for (int32_t k = 0; k < all->contact_count; k++) {
        b2d_extra_block** extra = &extras[all->lanes[k] / B2D_LANES];
        if (*extra != NULL || home->extras[home->pairs[all->contacts[k]].lane_index / B2D_LANES] == NULL) continue;
        *extra = b2d_arena_take(solver->arena, sizeof **extra);
        if (*extra == NULL) return false;
        memset(*extra, 0, sizeof **extra);
    }
    all->graph.blocks = rows;
    all->solver.contact_steps = steps;
    all->graph.extras = extras;
    return true;
}

static b2d_slot_sides moving_sides(const b2d_graph* graph, int32_t contact) {
    const b2d_pair* pair = &graph->pairs[contact];
    if (graph->contacts[contact].fixed) return (b2d_slot_sides){body_of_contact(graph, contact), B2D_NONE};
    return (b2d_slot_sides){pair->body_a, pair->body_b};
}

static bool lay_out(order* all, task_order* tasks, int32_t task_count, int32_t* blocks) {
    const b2d_solver* solver = &all->solver;
    int32_t* lanes = b2d_arena_take(solver->arena, (size_t)(all->contact_count + 1) * sizeof *lanes);
    b2d_slot* slots = b2d_arena_take(solver->arena, (size_t)(all->contact_count + 1) * sizeof *slots);
    const size_t bodies = (size_t)all->solver.graph->body_capacity;
    uint32_t* masks = b2d_arena_take(solver->arena, (bodies + 1) * sizeof *masks);
    b2d_slot_sides* sides = b2d_arena_take(solver->arena, (size_t)(all->contact_count + 1) * sizeof *sides);
    if (lanes == NULL || slots == NULL || masks == NULL || sides == NULL) return false;
    memset(masks, 0, bodies * sizeof *masks);
    for (int32_t k = 0; k < all->contact_count; k++) sides[k] = moving_sides(solver->graph, all->contacts[k]);
    *blocks = 0;
    for (int32_t t = 0; t < task_count; t++) {
        task_order* task = &tasks[t];
        if (all->kind == B2D_ORDER_SLOTS) {
            task->first_slot = *blocks;
            task->slot_count = b2d_slots_pack(sides + task->first_contact, task->contact_count, *blocks, slots,
                                              lanes + task->first_contact, masks);
            *blocks += task->slot_count;
        } else {
            for (int32_t k = 0; k < task->contact_count; k++) lanes[task->first_contact + k] = *blocks * B2D_LANES + k;
            *blocks += (task->contact_count + B2D_LANES - 1) / B2D_LANES;
        }
    }
    all->lanes = lanes;
    all->slots = slots;
    return take_blocks(all, *blocks);
}

bool b2d_order_plan(const b2d_solver* solver, b2d_solver_plan* plan, b2d_order_kind kind) {
    const double start = b2d_milliseconds();
    b2d_graph* graph = solver->graph;
    const b2d_solver_task* everything = &plan->everything;
    const int32_t contact_count = b2d_bits_count(&graph->in_lanes);
    int32_t* contacts = b2d_arena_take(solver->arena, (size_t)(contact_count + 1) * sizeof *contacts);
    int32_t* joints = b2d_arena_take(solver->arena, (size_t)(graph->joint_ids.count + 1) * sizeof *joints);
    order* all = b2d_arena_take(solver->arena, sizeof *all);
    if (contacts == NULL || joints == NULL || all == NULL) return false;
    b2d_bits_list(&graph->in_lanes, 0, graph->in_lanes.word_count, contacts);
    const int32_t joint_count = list_joints(graph, joints);
    dealer d = {.solver = solver};
    if (!sort_contacts(solver, contacts, contact_count) ||
        !number_tasks(&d, kind, joints, joint_count, contacts, contact_count))
        return false;

    int32_t *first_body, *bodies, *first_joint, *dealt_joints, *first_contact, *dealt_contacts, *first_assembly, *seeds;
    if (!deal(&d, solver->awake, solver->awake_count, body_itself, &first_body, &bodies) ||
        !deal(&d, joints, joint_count, body_of_joint, &first_joint, &dealt_joints) ||
        !deal(&d, contacts, contact_count, body_of_contact, &first_contact, &dealt_contacts) ||
        !deal(&d, everything->assemblies, everything->assembly_count, body_of_joint, &first_assembly, &seeds))
        return false;
    *all = (order){.solver = *solver,
                   .graph = *graph,
                   .kind = kind,
                   .joints = dealt_joints,
                   .contacts = dealt_contacts,
                   .contact_count = contact_count,
                   .home_blocks = graph->blocks,
                   .home_extras = graph->extras};
    b2d_solver_task* tasks = b2d_arena_take(solver->arena, (size_t)(d.tasks + 1) * sizeof *tasks);
    task_order* orders = b2d_arena_take(solver->arena, (size_t)(d.tasks + 1) * sizeof *orders);
    if (tasks == NULL || orders == NULL) return false;
    for (int32_t t = 0; t < d.tasks; t++) {
        orders[t] = (task_order){.all = all,
                                 .first_joint = first_joint[t],
                                 .joint_count = first_joint[t + 1] - first_joint[t],
                                 .first_contact = first_contact[t],
                                 .contact_count = first_contact[t + 1] - first_contact[t]};
        tasks[t] = (b2d_solver_task){.solver = &all->solver,
                                     .order = &orders[t],
                                     .bodies = bodies + first_body[t],
                                     .body_count = first_body[t + 1] - first_body[t],
                                     .assemblies = seeds + first_assembly[t],
                                     .assembly_count = first_assembly[t + 1] - first_assembly[t]};
    }
    int32_t blocks;
    if (!lay_out(all, orders, d.tasks, &blocks)) return false;
    all->solver.graph = &all->graph;
    all->solver.lanes_away = true;
    plan->single = tasks;
    plan->single_count = d.tasks;
    plan->shared = (b2d_solver_task){.solver = solver};
    last_report = (b2d_order_report){.plan_ms = b2d_milliseconds() - start,
                                     .tasks = d.tasks,
                                     .contacts = contact_count,
                                     .lanes = kind == B2D_ORDER_SLOTS ? blocks * B2D_LANES : contact_count};
    return true;
}

// ---- passes

static b2d_color_list list_of(int32_t* blocks, int32_t count) {
    return (b2d_color_list){.blocks = blocks, .block_capacity = count, .count = count * B2D_LANES};
}

static int32_t first_block(const task_order* task) {
    return task->contact_count == 0             ? 0
           : task->all->kind == B2D_ORDER_SLOTS ? task->first_slot
                                                : task->all->lanes[task->first_contact] / B2D_LANES;
}
static int32_t block_count(const task_order* task) {
    return task->all->kind == B2D_ORDER_SLOTS ? task->slot_count : (task->contact_count + B2D_LANES - 1) / B2D_LANES;
}

static void copy_in(task_order* task) {
    order* all = task->all;
    const double start = b2d_milliseconds();
    const int32_t blocks = first_block(task);
    for (int32_t k = 0; k < block_count(task); k++) b2d_slot_clear(&all->graph.blocks[blocks + k]);
    for (int32_t k = task->first_contact; k < task->first_contact + task->contact_count; k++) {
        const int32_t home = all->graph.pairs[all->contacts[k]].lane_index, to = all->lanes[k];
        b2d_slot_copy_lane(&all->graph.blocks[to / B2D_LANES], to % B2D_LANES, &all->home_blocks[home / B2D_LANES],
                           home % B2D_LANES, sizeof(b2d_contact_block));
        if (all->home_extras[home / B2D_LANES] != NULL)
            b2d_slot_copy_lane(all->graph.extras[to / B2D_LANES], to % B2D_LANES, all->home_extras[home / B2D_LANES],
                               home % B2D_LANES, sizeof(b2d_extra_block));
    }
    for (int32_t k = 0; !all->solver.warm_starting && k < block_count(task); k++)
        b2d_begin_contacts(&all->solver, blocks + k); // no pass of the order would
    atomic_fetch_add_explicit(&all->copy_ns, (int64_t)(1.0e6 * (b2d_milliseconds() - start)), memory_order_relaxed);
    task->copied = true;
}

static void clear(const task_order* task) {
    order* all = task->all;
    for (int32_t k = 0; k < task->joint_count; k++)
        b2d_joint_clear_impulses(&all->graph, all->joints[task->first_joint + k]);
    for (int32_t k = 0, block = first_block(task); k < block_count(task); k++, block++) {
        const b2d_color_list list = list_of(&block, 1);
        b2d_clear_contacts(&all->solver, &list, 0, 1);
    }
}

static void solve_joints(const task_order* task, int32_t pass) {
    const order* all = task->all;
    for (int32_t at = task->first_joint; at < task->first_joint + task->joint_count; at++) {
        const b2d_joint* joint = &all->graph.joints[all->joints[at]];
        if (b2d_gear_moves_bases(&all->graph, joint)) b2d_solve_gear(&all->solver, all->joints[at], pass);
        else b2d_solve_overflow_joint(&all->solver, joint->lane_index, joint->fixed, pass);
    }
}

static void solve_contacts(const task_order* task, int32_t pass) {
    const order* all = task->all;
    if (all->kind != B2D_ORDER_SLOTS) {
        for (int32_t k = task->first_contact; k < task->first_contact + task->contact_count; k++)
            b2d_solve_overflow_contact(&all->solver, all->lanes[k], all->graph.contacts[all->contacts[k]].fixed, pass);
        return;
    }
    b2d_slots_pass(&all->solver, all->slots, task->first_slot, task->slot_count, pass);
}

void b2d_order_pass(const b2d_solver_task* task, int32_t pass) {
    task_order* own = task->order;
    if (!own->copied) copy_in(own);
    b2d_direct_pass(task->solver, pass, task->assemblies, 0, task->assembly_count);
    if (pass == B2D_PASS_CLEAR) {
        clear(own);
        return;
    }
    if (pass != B2D_PASS_RESTITUTION) solve_joints(own, pass);
    solve_contacts(own, pass);
    if (pass == B2D_PASS_SOLVE) b2d_direct_again(task->solver, task->assemblies, 0, task->assembly_count);
}

// ---- back home

// store="lookup": a constraint that does not store where its contact is looks it up by its shapes.
static int32_t look_up(const b2d_graph* graph, const b2d_pair* pair) {
    const int32_t found = b2d_pair_set_find(&graph->pair_set, b2d_pair_key(pair->shape_a, pair->shape_b));
    return graph->pairs[found].lane_index;
}

void b2d_order_finish(const b2d_solver* solver, const b2d_solver_plan* plan) {
    if (plan->single_count == 0) return;
    const order* all = ((const task_order*)plan->single[0].order)->all;
    b2d_graph* graph = solver->graph;
    const bool lookup = has_switch(solver, B2D_LAB_STORE_LOOKUP);
    const double start = b2d_milliseconds();
    for (int32_t k = 0; k < all->contact_count; k++) {
        const b2d_pair* pair = &graph->pairs[all->contacts[k]];
        const int32_t home = lookup ? look_up(graph, pair) : pair->lane_index, at = all->lanes[k];
        const b2d_contact_block* from = &all->graph.blocks[at / B2D_LANES];
        b2d_contact_block* to = &graph->blocks[home / B2D_LANES];
        const int32_t lane = home % B2D_LANES, from_lane = at % B2D_LANES;
        for (int32_t j = 0; j < 2; j++) {
            to->point[j].normal_impulse[lane] = from->point[j].normal_impulse[from_lane];
            to->point[j].tangent_impulse[lane] = from->point[j].tangent_impulse[from_lane];
        }
        to->normal_force[lane] = from->normal_force[from_lane];
        to->tangent_force[lane] = from->tangent_force[from_lane];
        const b2d_extra_block* extra = all->graph.extras[at / B2D_LANES];
        b2d_extra_block* to_extra = graph->extras[home / B2D_LANES];
        if (to_extra == NULL) continue;
        to_extra->rolling_impulse[lane] = extra->rolling_impulse[from_lane];
        for (int32_t j = 0; j < 2; j++) to_extra->peak_impulse[j][lane] = extra->peak_impulse[j][from_lane];
    }
    last_report.copy_out_ms = b2d_milliseconds() - start;
    last_report.copy_in_ms = 1.0e-6 * (double)atomic_load_explicit(&all->copy_ns, memory_order_relaxed);
}

static bool plan_serial(const b2d_solver* solver, b2d_solver_plan* plan) {
    return b2d_order_plan(solver, plan, B2D_ORDER_SERIAL);
}
static bool plan_islands(const b2d_solver* solver, b2d_solver_plan* plan) {
    return b2d_order_plan(solver, plan, B2D_ORDER_ISLANDS);
}
static bool plan_slots(const b2d_solver* solver, b2d_solver_plan* plan) {
    return b2d_order_plan(solver, plan, B2D_ORDER_SLOTS);
}
const b2d_schedule b2d_schedule_serial = {"serial", plan_serial, b2d_order_pass, b2d_order_finish};
const b2d_schedule b2d_schedule_islands = {"islands", plan_islands, b2d_order_pass, b2d_order_finish};
const b2d_schedule b2d_schedule_slots = {"slots", plan_slots, b2d_order_pass, b2d_order_finish};
