// csrc/solver/schedule.c - the passes of a step as one table, the order inside a pass, and which workers run it.
//
// `program` is the sequence of passes, and ORDER the order inside a pass; both are written only here. A single
// worker runs a small task through all substeps, so that its bodies and blocks stay in the cache and no barrier is met.
// The sections of the shared task become stages that all workers share: a large section is a stage of its own, whose
// items any worker takes; small neighbours are joined to one stage of one item. The words are in csrc/README.md.
#include "solver/schedule.h"
#include "base/timer.h"
#include "base/trace.h"
#include "solver/added_contacts.h"
#include "solver/bounce.h"
#include "solver/direct.h"
#include "solver/gear.h"
#include "solver/integrate.h"
#include "solver/kernels.h"
#include "solver/machine.h"
#include "solver/prepare.h"

#include <math.h>
#include <string.h>

// ---- The program of a step ----

// Substeps; only with or only without warm starting
enum { FIRST = 1, LATER = 2, EVERY = FIRST | LATER, IF_WARM = 4, IF_COLD = 8 };

static const struct program_pass {
    int32_t pass, label; // B2D_PASS_*, B2D_STAGE_*
    int32_t when;
} program[] = {
    {B2D_PASS_PREPARE, B2D_STAGE_prepare, FIRST},
    {B2D_PASS_FORCES, B2D_STAGE_solve, FIRST},
    {B2D_PASS_WARM_START, B2D_STAGE_solve, FIRST | IF_WARM},
    {B2D_PASS_REPLAY, B2D_STAGE_solve, LATER},
    {B2D_PASS_CLEAR, B2D_STAGE_solve, EVERY | IF_COLD},
    {B2D_PASS_SOLVE, B2D_STAGE_solve, EVERY},
    {B2D_PASS_MOVE, B2D_STAGE_solve, EVERY},
    {B2D_PASS_RELAX, B2D_STAGE_solve, EVERY},
    {B2D_PASS_RESTITUTION, B2D_STAGE_restitution, FIRST},
};
enum { PROGRAM_LENGTH = sizeof program / sizeof *program };
enum { FIRST_PASS_OF_MOTION = 6 }; // B2D_PASS_MOVE: between it and the pass before, a staged step stops

// A range of positions in the program: those of substep s begin at s * PROGRAM_LENGTH.
typedef struct program_range {
    int32_t label, begin, end;
    uint32_t due[2]; // of the first and of later substeps: a bit for each entry with this label and kind of warm start
} program_range;

static program_range make_range(const b2d_solver* solver, int32_t label, int32_t begin, int32_t end) {
    program_range range = {.label = label, .begin = begin, .end = end};
    for (int32_t p = 0; p < PROGRAM_LENGTH; p++) {
        const int32_t when = program[p].when;
        if (program[p].label != label || (when & (solver->warm_starting ? IF_COLD : IF_WARM)) != 0) continue;
        if (when & FIRST) range.due[0] |= 1u << p;
        if (when & LATER) range.due[1] |= 1u << p;
    }
    return range;
}

static program_range whole_range(const b2d_solver* solver, int32_t label) {
    return make_range(solver, label, 0, PROGRAM_LENGTH * (label == B2D_STAGE_solve ? solver->substeps : 1));
}

// The entries of the substep that begins at position `base` whose passes are due in the range, as bits.
static inline uint32_t due_from(const program_range* range, int32_t base) {
    uint32_t due = range->due[base > 0];
    if (base < range->begin) due &= ~0u << (range->begin - base);
    if (base + PROGRAM_LENGTH > range->end) due &= ~(~0u << (range->end - base));
    return due;
}

// Usage: FOR_DUE (range, entry) { ... program[entry] ... }
#define FOR_DUE(range, entry)                                                                                          \
    for (int32_t base = (range)->begin - (range)->begin % PROGRAM_LENGTH; base < (range)->end; base += PROGRAM_LENGTH) \
        for (uint32_t left = due_from(range, base), entry; left != 0 && (entry = b2d_ctz64(left), true);               \
             left &= left - 1)

// Where half substep `half` begins.
static int32_t position_of(int32_t half) { return half / 2 * PROGRAM_LENGTH + half % 2 * FIRST_PASS_OF_MOTION; }

void b2d_run_program(const b2d_solver* solver, int32_t label, int32_t from, int32_t to, b2d_pass_fn* run,
                     void* context) {
    const program_range range = make_range(solver, label, position_of(from), position_of(to));
    FOR_DUE (&range, entry) run(context, program[entry].pass);
}

// ---- The order inside a pass ----

// The sections of constraints: a name, the number of sections, and the function that runs all of them. They must follow
// each other. Within a colour no two constraints share a moving body, so their order is free. ASSEMBLIES_AGAIN, of the
// solve pass, solves what contacts have changed; PRESSES end a pass with exact velocities; MACHINES end a relax pass.
#define ORDER(SECTION)                                   \
    SECTION(ASSEMBLIES, 1, run_assemblies)               \
    SECTION(OVERFLOW_JOINTS, 1, run_overflow_joints)     \
    SECTION(OVERFLOW_CONTACTS, 1, run_overflow_contacts) \
    SECTION(ADDED_CONTACTS, 1, run_added_contacts)       \
    SECTION(COLORS, B2D_COLORS, run_colors)              \
    SECTION(ASSEMBLIES_AGAIN, 1, run_assemblies_again)   \
    SECTION(PRESSES, 1, run_presses)                     \
    SECTION(MACHINES, 1, run_machines)

enum section {
    BODIES,
#define SECTION(NAME, count, run) NAME, LAST_OF_##NAME = NAME + (count) - 1,
    ORDER(SECTION)
#undef SECTION
        SECTIONS
};

bool b2d_is_body_pass(int32_t pass) {
    return pass == B2D_PASS_FORCES || pass == B2D_PASS_REPLAY || pass == B2D_PASS_MOVE;
}

void b2d_bodies_pass(const b2d_solver* solver, int32_t pass, const int32_t* bodies, int32_t begin, int32_t end) {
    switch (pass) {
    case B2D_PASS_PREPARE: b2d_prepare_bodies(solver, bodies, begin, end); break;
    case B2D_PASS_FORCES: b2d_integrate_velocities(solver, bodies, begin, end, false); break;
    case B2D_PASS_REPLAY: b2d_integrate_velocities(solver, bodies, begin, end, solver->warm_starting); break;
    case B2D_PASS_MOVE: b2d_integrate_positions(solver, bodies, begin, end); break;
    }
}

static void run_range_of_assemblies(const b2d_solver_task* task, int32_t pass, int32_t begin, int32_t end) {
    b2d_direct_pass(task->solver, pass, task->assemblies, begin, end);
}

static void run_assemblies(const b2d_solver_task* task, int32_t pass) {
    if (task->assembly_count > 0) run_range_of_assemblies(task, pass, 0, task->assembly_count);
}

static void run_range_of_assemblies_again(const b2d_solver_task* task, int32_t pass, int32_t begin, int32_t end) {
    const bool alone = task->list_count == 0 && task->overflow_joint_count == 0 && task->overflow_contact_count == 0 &&
                       task->press_count == 0 && task->added_contacts == NULL;
    if (pass == B2D_PASS_SOLVE && !alone) b2d_direct_again(task->solver, task->assemblies, begin, end);
}

static void run_assemblies_again(const b2d_solver_task* task, int32_t pass) {
    if (task->assembly_count > 0) run_range_of_assemblies_again(task, pass, 0, task->assembly_count);
}

static void prepare_or_clear(const b2d_solver* solver, int32_t pass, const b2d_color_list* list, bool is_joints,
                             int32_t begin, int32_t end) {
    if (pass == B2D_PASS_PREPARE) (is_joints ? b2d_prepare_joints : b2d_prepare_contacts)(solver, list, begin, end);
    else (is_joints ? b2d_clear_joints : b2d_clear_contacts)(solver, list, begin, end);
}

// The blocks of overflow constraints hold those of all tasks, so they are prepared before the tasks.
static void prepare_overflow(const b2d_solver* solver) {
    for (int32_t fixed = 0; fixed < 2; fixed++) {
        const b2d_color_list *joints = &solver->graph->overflow_joint_list[fixed],
                             *contacts = &solver->graph->overflow_contact_list[fixed];
        b2d_prepare_joints(solver, joints, 0, b2d_color_list_blocks(joints));
        b2d_prepare_contacts(solver, contacts, 0, b2d_color_list_blocks(contacts));
    }
}

// A task visits its overflow constraints one by one, in the order of their ids.
static void run_overflow_joints(const b2d_solver_task* task, int32_t pass) {
    b2d_graph* graph = task->solver->graph;
    if (pass == B2D_PASS_PREPARE || pass == B2D_PASS_RESTITUTION) return;
    for (int32_t k = 0; k < task->overflow_joint_count; k++) {
        const int32_t id = task->overflow_joints[k];
        const b2d_joint* joint = &graph->joints[id];
        if (pass == B2D_PASS_CLEAR) b2d_joint_clear_impulses(graph, id);
        else if (b2d_gear_moves_bases(graph, joint)) b2d_solve_gear(task->solver, id, pass);
        else b2d_solve_overflow_joint(task->solver, joint->lane_index, joint->fixed, pass);
    }
}

static void run_overflow_contacts(const b2d_solver_task* task, int32_t pass) {
    const b2d_graph* graph = task->solver->graph;
    for (int32_t k = 0; pass != B2D_PASS_PREPARE && k < task->overflow_contact_count; k++) {
        const int32_t id = task->overflow_contacts[k], lane_index = graph->pairs[id].lane_index;
        if (pass == B2D_PASS_CLEAR) b2d_clear_contact(task->solver, lane_index);
        else b2d_solve_overflow_contact(task->solver, lane_index, graph->contacts[id].fixed, pass);
    }
}

static void run_added_contacts(const b2d_solver_task* task, int32_t pass) {
    if (task->added_contacts != NULL) b2d_added_contacts_pass(task->added_contacts, pass);
}

static void run_range_of_presses(const b2d_solver_task* task, int32_t pass, int32_t begin, int32_t end) {
    for (int32_t k = begin; k < end; k++) b2d_press_pass(task->solver, task->presses[k], pass);
}

static void run_presses(const b2d_solver_task* task, int32_t pass) {
    run_range_of_presses(task, pass, 0, task->press_count);
}

static void run_machines(const b2d_solver_task* task, int32_t pass) {
    if (pass != B2D_PASS_RELAX || task->substeps_done == NULL) return;
    const bool last = ++*task->substeps_done == task->solver->substeps;
    b2d_forget_machine_impacts(task, last);
}

static inline void run_list(const b2d_solver_task* task, int32_t pass, const b2d_task_list* row, int32_t begin,
                            int32_t end) {
    if (pass == B2D_PASS_PREPARE || pass == B2D_PASS_CLEAR)
        prepare_or_clear(task->solver, pass, row->list, row->is_joints, begin, end);
    else if (row->kernels[pass] != NULL) row->kernels[pass](task->solver, row->list, row->fixed, begin, end);
}

static void run_colors(const b2d_solver_task* task, int32_t pass) { // their lists are in the order of the colours
    for (int32_t k = 0; k < task->list_count; k++) run_list(task, pass, &task->lists[k], 0, task->lists[k].blocks);
}

static int32_t count_color_blocks(const b2d_solver_task* task, int32_t color) {
    int32_t blocks = 0;
    for (int32_t k = task->first_list[color]; k < task->first_list[color + 1]; k++) blocks += task->lists[k].blocks;
    return blocks;
}

// Blocks [begin, end) of a colour, counted list by list.
static void run_color(const b2d_solver_task* task, int32_t pass, int32_t color, int32_t begin, int32_t end) {
    for (int32_t k = task->first_list[color]; k < task->first_list[color + 1]; k++) {
        const b2d_task_list* row = &task->lists[k];
        const int32_t from = b2d_max_int(begin, 0), to = b2d_min_int(end, row->blocks);
        if (from < to) run_list(task, pass, row, from, to);
        begin -= row->blocks;
        end -= row->blocks;
    }
}

static int32_t count_items(const b2d_solver_task* task, int32_t pass, int32_t section) {
    if (section == BODIES) return b2d_is_body_pass(pass) || pass == B2D_PASS_PREPARE ? task->body_count : 0;
    if (b2d_is_body_pass(pass)) return 0;
    switch (section) {
    case ASSEMBLIES: return task->assembly_count;
    case ASSEMBLIES_AGAIN: return pass == B2D_PASS_SOLVE ? task->assembly_count : 0;
    case OVERFLOW_JOINTS: return task->overflow_joint_count;
    case OVERFLOW_CONTACTS: return task->overflow_contact_count;
    case PRESSES: return task->press_count;
    case MACHINES: return pass == B2D_PASS_RELAX && task->substeps_done != NULL ? 1 : 0;
    case ADDED_CONTACTS: return task->added_contacts == NULL ? 0 : task->added_contacts->count;
    default: return count_color_blocks(task, section - COLORS);
    }
}

// Items [begin, end) of a section. The overflow lists and the added contacts are always processed as a whole.
static void run_section(const b2d_solver_task* task, int32_t pass, int32_t section, int32_t begin, int32_t end) {
    switch (section) {
    case BODIES: b2d_bodies_pass(task->solver, pass, task->bodies, begin, b2d_min_int(end, task->body_count)); break;
    case ASSEMBLIES: run_range_of_assemblies(task, pass, begin, b2d_min_int(end, task->assembly_count)); break;
    case ASSEMBLIES_AGAIN:
        run_range_of_assemblies_again(task, pass, begin, b2d_min_int(end, task->assembly_count));
        break;
    case OVERFLOW_JOINTS: run_overflow_joints(task, pass); break;
    case OVERFLOW_CONTACTS: run_overflow_contacts(task, pass); break;
    case ADDED_CONTACTS: run_added_contacts(task, pass); break;
    case PRESSES: run_range_of_presses(task, pass, begin, b2d_min_int(end, task->press_count)); break;
    case MACHINES: run_machines(task, pass); break;
    default: run_color(task, pass, section - COLORS, begin, end);
    }
}

static void run_sections(const b2d_solver_task* task, int32_t pass, int32_t first, int32_t last) {
    for (int32_t section = first; section <= last; section++) run_section(task, pass, section, 0, INT32_MAX);
}

// All sections of a pass; all colours at once, because most are empty.
static void run_pass(const b2d_solver_task* task, int32_t pass) {
    const b2d_schedule* schedule = task->solver->schedule;
    b2d_bodies_pass(task->solver, pass, task->bodies, 0, task->body_count);
    if (b2d_is_body_pass(pass)) return;
    if (schedule->pass != NULL) {
        schedule->pass(task, pass);
        return;
    }
#define SECTION(NAME, count, run) run(task, pass);
    ORDER(SECTION)
#undef SECTION
}

// ---- Single-worker tasks: each worker takes a task through all substeps ----

typedef struct single_tasks {
    const b2d_solver_task* tasks;
    program_range range;
} single_tasks;

static void run_single_tasks(void* context, int32_t begin, int32_t end, int32_t worker) {
    (void)worker;
    const single_tasks* single = context;
    for (int32_t k = begin; k < end; k++) {
        const b2d_solver_task* task = &single->tasks[k];
        FOR_DUE (&single->range, entry) run_pass(task, program[entry].pass);
    }
}

// ---- The shared task: its sections as stages ----

// Blocks of a colour that stays in a joined stage; of one that is worth a worker by itself; blocks and bodies a grain;
// joints in assemblies that are worth sharing out
enum { SMALL_COLOR = 6, LARGE_COLOR = 64, BLOCK_GRAIN = 3, BODY_GRAIN = 256, SHARED_JOINTS = 128 };

typedef struct section_range { // the context of a stage
    const b2d_solver_task* task;
    int32_t pass, first, last; // sections
} section_range;

typedef struct b2d_pass_stages {
    section_range ranges[SECTIONS];
    b2d_stage stages[SECTIONS];
    int32_t count;
    int32_t sections; // that are not empty: as many stages as there may be, on one core or shared out
} b2d_pass_stages;

static void run_one_section(void* context, int32_t begin, int32_t end, int32_t worker) {
    (void)worker;
    const section_range* range = context;
    run_section(range->task, range->pass, range->first, begin, end);
}

static void run_joined_sections(void* context, int32_t begin, int32_t end, int32_t worker) {
    (void)begin, (void)end, (void)worker;
    const section_range* range = context;
    run_sections(range->task, range->pass, range->first, range->last);
}

static int32_t count_blocks(const b2d_graph* graph, int32_t least) { // of colours of more than `least` blocks
    int32_t blocks = 0;
    for (int32_t color = 0; color < B2D_COLORS; color++)
        blocks += graph->color_blocks[color] > least ? graph->color_blocks[color] : 0;
    return blocks;
}

// Whether all passes run on the calling thread: a core waits for data that another core has written, and what that
// costs depends on the machine and on what else it does. So the way that took less time is taken, and the other one is
// tried now and then. A first guess is that colours of at most LARGE_COLOR blocks are too small to be shared out.
static bool stays_on_one_core(const b2d_solver* solver) {
    enum { TRY = 24 }; // steps; a try that is twice as slow costs 4 %
    b2d_solve_costs* costs = solver->costs;
    const int32_t sharing = b2d_scheduler_sharing(solver->scheduler);
    if (sharing != B2D_SHARE_AS_IT_PAYS) return sharing == B2D_SHARE_IN_TURN && (solver->step & 1) != 0;
    const bool known = costs->shared > 0.0 && costs->alone > 0.0,
               alone = known ? costs->alone < costs->shared
                             : 2 * count_blocks(solver->graph, LARGE_COLOR) < count_blocks(solver->graph, 0);
    if (++costs->wait < TRY) return alone;
    costs->wait = 0;
    return !alone;
}

// A time that is far too long, because the system took a core away, counts as twice the mean.
static void note_cost(b2d_solver_run* run, int64_t ticks) {
    const int32_t blocks = count_blocks(run->solver.graph, 0);
    double* cost = run->one_core ? &run->solver.costs->alone : &run->solver.costs->shared;
    if (blocks == 0 || ticks <= 0) return;
    const double now = (double)ticks / blocks;
    *cost = *cost == 0.0 ? now : *cost + 0.25 * (fmin(now, 2.0 * *cost) - *cost);
}

// The number of items that a worker takes at once if the section is large enough for a stage of its own. 0: the section
// is joined to its neighbours.
static int32_t choose_grain(const b2d_solver_task* task, int32_t pass, int32_t section, int32_t items, bool one_core) {
    switch (section) {
    case BODIES: return one_core ? items : BODY_GRAIN;
    case ASSEMBLIES:
    case ASSEMBLIES_AGAIN: return items > 1 && task->solver->direct->joint_count >= SHARED_JOINTS ? 1 + items / 64 : 0;
    case PRESSES: return items > 1 ? 1 : 0;
    case MACHINES:
    case OVERFLOW_JOINTS:
    case OVERFLOW_CONTACTS:
    case ADDED_CONTACTS: return 0;
    default:
        if (one_core) return 0;
        if (pass == B2D_PASS_RESTITUTION) return items > 2 ? 1 : 0; // a block costs as much as ten of another pass
        return items > SMALL_COLOR ? BLOCK_GRAIN : 0;
    }
}

static void list_stages(const b2d_solver_task* task, int32_t pass, bool one_core, b2d_pass_stages* list) {
    bool joining = false; // the last stage takes in further small sections
    list->count = list->sections = 0;
    for (int32_t section = 0; section < SECTIONS; section++) {
        const int32_t items = count_items(task, pass, section);
        if (items == 0) continue;
        list->sections++;
        const int32_t grain = choose_grain(task, pass, section, items, one_core);
        if (grain == 0 && joining) {
            list->ranges[list->count - 1].last = section;
            continue;
        }
        joining = grain == 0;
        section_range* range = &list->ranges[list->count];
        *range = (section_range){task, pass, section, section};
        list->stages[list->count++] = joining ? (b2d_stage){run_joined_sections, range, 1, 1}
                                              : (b2d_stage){run_one_section, range, items, grain};
    }
}

// ---- Both, pass by pass of the program ----

static b2d_stage* take_stages(const b2d_solver* solver, int32_t count) {
    return b2d_arena_take(solver->arena, (size_t)count * sizeof(b2d_stage));
}

// The passes of a range as one job: first the single-worker tasks, then the shared one. Without lists, a lone worker
// runs both in the same way. `room` is for its stages; NULL: it takes some, and returns false without memory.
static bool run_job(b2d_solver_run* run, program_range range, const b2d_solver_task* tasks, int32_t task_count,
                    const b2d_solver_task* shared, b2d_stage* room) {
    const b2d_solver* solver = &run->solver;
    single_tasks single = {tasks, range}, all = {shared, range};
    b2d_scheduler_label(solver->scheduler, range.label);
    if (run->lists == NULL) {
        const b2d_stage both[2] = {{run_single_tasks, &single, task_count, 1}, {run_single_tasks, &all, 1, 1}};
        b2d_scheduler_run_entered(solver->scheduler, both, 2);
        return true;
    }
    int32_t most = 0, count = 0;
    for (int32_t p = 0; p < PROGRAM_LENGTH; p++) {
        if (program[p].label != range.label) continue;
        list_stages(shared, program[p].pass, run->one_core, &run->lists[p]);
        most += run->lists[p].sections; // so that a try of the other way needs no memory
    }
    most *= 1 + (range.end - range.begin - 1) / PROGRAM_LENGTH; // a range within one substep has each pass once
    b2d_stage* stages = room != NULL ? room : take_stages(solver, 1 + most);
    if (stages == NULL) return false;
    stages[count++] = (b2d_stage){run_single_tasks, &single, task_count, 1};
    FOR_DUE (&range, entry) {
        const b2d_pass_stages* list = &run->lists[entry];
        memcpy(stages + count, list->stages, (size_t)list->count * sizeof *stages);
        count += list->count;
    }
    b2d_scheduler_run_entered(solver->scheduler, stages, count);
    return true;
}

bool b2d_solver_prepare(b2d_solver_run* run) {
    b2d_solver* solver = &run->solver;
    b2d_solver_plan* plan = &run->plan;
    const bool lone = b2d_scheduler_workers(solver->scheduler) == 1 && solver->schedule->pass == NULL;
    *plan = (b2d_solver_plan){0};
    run->one_core = !lone && stays_on_one_core(solver);
    run->lists = lone ? NULL : b2d_arena_take(solver->arena, PROGRAM_LENGTH * sizeof *run->lists);
    b2d_clusters_untie(solver->graph); // it may take blocks
    solver->contact_steps = b2d_arena_take(solver->arena, (size_t)(solver->graph->block_ids.limit + 1) *
                                                              sizeof *solver->contact_steps);
    const size_t joint_blocks = (size_t)solver->graph->joint_block_ids.limit;
    solver->open_joints = b2d_arena_take(solver->arena, (joint_blocks + 1) * sizeof *solver->open_joints);
    if (solver->open_joints != NULL) memset(solver->open_joints, 0, joint_blocks * sizeof *solver->open_joints);
    atomic_init(&run->flags_seen, 0);
    solver->flags_seen = &run->flags_seen;
    const size_t blocks = (size_t)solver->graph->block_ids.limit;
    solver->deep_contacts = joint_blocks == 0
                                ? NULL
                                : b2d_arena_take(solver->arena, (blocks + 1) * sizeof *solver->deep_contacts);
    if (solver->deep_contacts != NULL) memset(solver->deep_contacts, 0, blocks * sizeof *solver->deep_contacts);
    if ((!lone && run->lists == NULL) || solver->contact_steps == NULL || solver->open_joints == NULL ||
        (joint_blocks > 0 && solver->deep_contacts == NULL) || !b2d_task_of_everything(solver, &plan->everything))
        return false;
    plan->everything.added_contacts = run->added_contacts;

    b2d_check_joint_lanes(solver);
    const program_range range = whole_range(solver, B2D_STAGE_prepare);
    const bool ordered = solver->schedule->pass != NULL;
    if (ordered && !run_job(run, range, NULL, 0, &plan->everything, NULL)) return false;
    plan->shared = plan->everything;
    // Added contacts may connect any two bodies, so they are in the shared task, beside all that they share a body with
    if ((run->added_contacts == NULL || ordered) && !solver->schedule->plan(solver, plan)) return false;
    plan->shared.added_contacts = run->added_contacts;
    if (ordered) return true;
    prepare_overflow(solver);
    return run_job(run, range, plan->single, plan->single_count, &plan->shared, NULL);
}

bool b2d_solver_bounce(b2d_solver_run* run) {
    const b2d_solver* solver = &run->solver;
    const bool lone = run->lists == NULL;
    b2d_scheduler_label(solver->scheduler, B2D_STAGE_restitution);
    const b2d_solver_task* everything = &run->plan.everything;
    // Restitution, which is one pass, may not fail: the bodies have moved then
    run->restitutes = run->added_contacts != NULL || !b2d_bits_is_empty(&solver->graph->extra_blocks);
    run->restitution_stages = run->restitutes && !lone ? take_stages(solver, 1 + SECTIONS) : NULL;
    run->presses.count = 0;
    if (run->restitutes && !lone && run->restitution_stages == NULL) return false;
    if (!b2d_bounce(solver, everything->lists, everything->list_count)) return false;
    if (solver->schedule->pass == NULL && !b2d_presses_begin(solver, &run->presses)) return false;
    if (b2d_deal_presses(solver, &run->plan, &run->presses)) return true;
    b2d_presses_end(solver, &run->presses);
    return false;
}

static bool solve_range(b2d_solver_run* run, int32_t begin, int32_t end) {
    const b2d_solver_plan* plan = &run->plan;
    return run_job(run, make_range(&run->solver, B2D_STAGE_solve, begin, end), plan->single, plan->single_count,
                   &plan->shared, NULL);
}

bool b2d_solver_substeps(b2d_solver_run* run, int32_t from, int32_t to) {
    const int32_t begin = position_of(from), end = position_of(to);
    bool done = true;
    const bool measured = run->lists != NULL && from == 0 && to == 2 * run->solver.substeps;
    const int64_t start = measured ? b2d_ticks() : 0;
    if (run->added_contacts == NULL || run->solver.schedule->pass == NULL) done = solve_range(run, begin, end);
    else // the single-worker tasks of such a schedule must not be a pass ahead of the added contacts
        for (int32_t position = begin; position < end; position++)
            done = solve_range(run, position, position + 1) && done;
    if (measured) note_cost(run, b2d_ticks() - start);
    if (!done && from == 0) b2d_presses_end(&run->solver, &run->presses); // no body has moved
    return done;
}

void b2d_solver_finish(b2d_solver_run* run) {
    const b2d_solver* solver = &run->solver;
    b2d_presses_end(solver, &run->presses);
    const b2d_solver_plan* plan = &run->plan;
    const b2d_solver_task added_only = {.solver = solver, .added_contacts = run->added_contacts};
    if (run->restitutes) {
        const bool alone = solver->schedule->pass != NULL;
        (void)run_job(run, whole_range(solver, B2D_STAGE_restitution), alone ? plan->single : NULL,
                      alone ? plan->single_count : 0, alone ? &added_only : &plan->everything, run->restitution_stages);
    }
    if (solver->schedule->finish != NULL) solver->schedule->finish(solver, plan);
}

const b2d_schedule b2d_schedule_colors = {"colors", b2d_plan_tasks, NULL, NULL};
