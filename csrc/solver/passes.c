// csrc/solver/passes.c - all substeps of a step as one list of stages, run as one job.
//
// Tied clusters are a task. Small tasks are each solved by one worker through all substeps (b2d_solve_tasks), so that
// what they work on stays in its cache, and no barrier is met. The bodies and constraints of large ones are shared out:
// a unit of work is the overflow lists and neighbouring small colours (one worker, no barrier) or one large colour (any
// worker, block by block: no two of its constraints share a moving body).
#include "base/trace.h"
#include "base/timer.h"
#include "solver/direct.h"
#include "solver/task.h"
#include "solver/kernels.h"
#include "solver/prepare.h"

#include <string.h>

// Blocks: small, and worth sharing by itself; blocks a claim; bodies a claim; direct joints worth sharing
enum { SMALL_COLOR = 6, LARGE_COLOR = 64, BLOCK_GRAIN = 6, BODY_GRAIN = 256, SHARED_JOINTS = 128 };

typedef struct unit {
    const b2d_solver_task* task;
    int32_t first, last; // colours; one when parallel
    int32_t pass;
    bool overflow; // the overflow lists come first
    bool direct;   // before them the assemblies that are solved directly
} unit;

enum { PREPARE = B2D_PASS_RESTITUTION + 1, PASS_COUNT };

static void run_joints(const b2d_solver* s, int32_t pass, const b2d_color_list* list, int32_t fixed, int32_t begin,
                       int32_t end) {
    switch (pass) {
    case PREPARE: b2d_prepare_joints(s, list, begin, end); break;
    case B2D_PASS_WARM_START: s->kernels->joint_warm_start(s, list, fixed, begin, end); break;
    case B2D_PASS_SOLVE: s->kernels->joint_solve(s, list, fixed, begin, end); break;
    case B2D_PASS_RELAX: s->kernels->joint_relax(s, list, fixed, begin, end); break;
    }
}

static void run_contacts(const b2d_solver* s, int32_t pass, const b2d_color_list* list, int32_t fixed, int32_t begin,
                         int32_t end) {
    switch (pass) {
    case PREPARE: b2d_prepare_contacts(s, list, begin, end); break;
    case B2D_PASS_WARM_START: s->kernels->contact_warm_start(s, list, fixed, begin, end); break;
    case B2D_PASS_SOLVE: s->kernels->contact_solve(s, list, fixed, begin, end); break;
    case B2D_PASS_RELAX: s->kernels->contact_relax(s, list, fixed, begin, end); break;
    case B2D_PASS_RESTITUTION: s->kernels->contact_restitution(s, list, fixed, begin, end); break;
    }
}

static int32_t color_blocks(const b2d_solver_task* task, int32_t color) {
    const b2d_graph* graph = task->solver->graph;
    int32_t blocks = 0;
    for (int32_t k = 0; k < task->cluster_count; k++) {
        const b2d_cluster* cluster = &graph->clusters[task->clusters[k]];
        for (int32_t fixed = 0; fixed < 2; fixed++)
            blocks += b2d_color_list_blocks(&cluster->joints[color][fixed]) +
                      b2d_color_list_blocks(&cluster->contacts[color][fixed]);
    }
    return blocks;
}

// Blocks [begin, end) of a colour, counted cluster by cluster over four lists: joints, then contacts; moving pairs, then
// fixed ones.
static void run_color(const unit* u, int32_t color, int32_t begin, int32_t end) {
    for (int32_t k = 0; k < 4 * u->task->cluster_count; k++) {
        const b2d_cluster* cluster = &u->task->solver->graph->clusters[u->task->clusters[k / 4]];
        const int32_t fixed = k & 1;
        const bool joints = (k & 2) == 0;
        const b2d_color_list* list = joints ? &cluster->joints[color][fixed] : &cluster->contacts[color][fixed];
        const int32_t blocks = b2d_color_list_blocks(list);
        const int32_t from = b2d_max_int(begin, 0), to = b2d_min_int(end, blocks);
        if (from < to) (joints ? run_joints : run_contacts)(u->task->solver, u->pass, list, fixed, from, to);
        begin -= blocks;
        end -= blocks;
    }
}

static void prepare_overflow(const b2d_solver* solver) {
    for (int32_t fixed = 0; fixed < 2; fixed++) {
        const b2d_color_list* list = &solver->graph->overflow_joint_list[fixed];
        b2d_prepare_joints(solver, list, 0, b2d_color_list_blocks(list));
        list = &solver->graph->overflow_contact_list[fixed];
        b2d_prepare_contacts(solver, list, 0, b2d_color_list_blocks(list));
    }
}

static void run_overflow(const unit* u) {
    const b2d_graph* graph = u->task->solver->graph;
    const b2d_solver_task* task = u->task;
    if (u->pass == PREPARE) {
        prepare_overflow(u->task->solver);
        return;
    }
    for (int32_t k = 0; u->pass != B2D_PASS_RESTITUTION && k < task->overflow_joint_count; k++) {
        const b2d_joint* joint = &graph->joints[task->overflow_joints[k]];
        if (!(joint->flags & B2D_JOINT_DIRECT))
            b2d_solve_overflow_joint(u->task->solver, joint->lane_index, joint->fixed, u->pass);
    }
    for (int32_t k = 0; k < task->overflow_contact_count; k++) {
        int32_t id = task->overflow_contacts[k];
        b2d_solve_overflow_contact(u->task->solver, graph->pairs[id].lane_index, graph->contacts[id].fixed, u->pass);
    }
}

static void run_direct(void* context, int32_t begin, int32_t end, int32_t worker) {
    (void)worker;
    const unit* u = context;
    b2d_direct_pass(u->task->solver, u->pass, u->task->assemblies, begin, end);
}

static void run_serial_unit(void* context, int32_t begin, int32_t end, int32_t worker) {
    (void)begin, (void)end;
    const unit* u = context;
    if (u->direct) run_direct(context, 0, u->task->assembly_count, worker);
    if (u->overflow) run_overflow(u);
    for (int32_t color = u->first; color <= u->last; color++) run_color(u, color, 0, INT32_MAX);
}

static void run_parallel_unit(void* context, int32_t begin, int32_t end, int32_t worker) {
    (void)worker;
    const unit* u = context;
    run_color(u, u->first, begin, end);
}

typedef float row4 __attribute__((vector_size(16), may_alias));
typedef int32_t mask4 __attribute__((vector_size(16), may_alias));
typedef int64_t pair2 __attribute__((vector_size(16), may_alias));
static const mask4 first_three = {-1, -1, -1, 0}, magnitude = {0x7FFFFFFF, 0x7FFFFFFF, 0x7FFFFFFF, 0},
                   minus_zero = {0, 0, INT32_MIN, INT32_MIN};

static inline float max_rotation(const b2d_solver* solver, uint32_t flags) {
    return flags & B2D_STEP_FAST_ROTATION ? 3.0e38f : solver->max_rotation;
}

// Anything that bounds a velocity from outside the constraints: speed and rotation caps, motion locks.
static row4 bounded(const b2d_solver* solver, uint32_t flags, row4 v) {
    if (!(flags & B2D_STEP_DYNAMIC)) return v;
    float speed2 = v[0] * v[0] + v[1] * v[1], max2 = solver->max_speed * solver->max_speed,
          max_w = max_rotation(solver, flags);
    if (speed2 > max2) {
        float scale = solver->max_speed / sqrtf(speed2);
        v[0] *= scale;
        v[1] *= scale;
    }
    if (fabsf(v[2]) > max_w) v[2] = v[2] > 0.0f ? max_w : -max_w;
    if (flags & B2D_BODY_FLAG_LOCK_X) v[0] = 0.0f;
    if (flags & B2D_BODY_FLAG_LOCK_Y) v[1] = 0.0f;
    if (flags & B2D_BODY_FLAG_LOCK_ROTATION) v[2] = 0.0f;
    return v;
}

// Velocities below these need no bounds: 0.7 of the greatest speed on each axis, and the greatest rotation.
static inline row4 safe_velocity(const b2d_solver* solver) {
    return (row4){0.7f * solver->max_speed, 0.7f * solver->max_speed, solver->max_rotation, 0.0f};
}

static inline bool is_safe(row4 v, row4 safe) {
    // As integers: a number's bits grow with its magnitude, NaN is last
    const pair2 over = (pair2)(((mask4)v & magnitude) > (mask4)safe);
    return (over[0] | over[1]) == 0;
}

// Velocity after the forces of a substep; the fourth lane, the inverse mass, stays. Without damping the factors are
// exactly 1, and adding -0 keeps every number to the bit.
static inline row4 pushed(const b2d_body_mass* mass, row4 v, float inverse_inertia, row4 gravity, float h) {
    const row4 inverse_mass = {v[3], v[3], v[3], v[3]}, inverse = {v[3], v[3], inverse_inertia, 0.0f};
    row4 force; // the fourth lane is the gravity scale
    uint64_t dampings;
    memcpy(&force, &mass->force_x, sizeof force);
    memcpy(&dampings, &mass->linear_damping, sizeof dampings);
    const mask4 heavy = inverse_mass > 0.0f;
    const row4 scale = (row4)((mask4)(row4){force[3], force[3], force[3], force[3]} & heavy);
    v += h * ((row4)((mask4)(scale * gravity) | minus_zero) + inverse * force);
    if (dampings != 0) {
        const float linear = 1.0f / (1.0f + h * mass->linear_damping),
                    angular = 1.0f / (1.0f + h * mass->angular_damping);
        v *= (row4){linear, linear, angular, 1.0f};
    }
    return v;
}

static inline __attribute__((always_inline)) void integrate_velocities(const b2d_solver* solver, const int32_t* bodies,
                                                                       int32_t begin, int32_t end, bool replay) {
    const row4 safe = safe_velocity(solver), gravity = {solver->gravity_x, solver->gravity_y, 0.0f, 0.0f};
    const float h = solver->h;
    const row4 fall = h * (gravity + (row4){0.0f}); // what `pushed` adds to a plain body
    b2d_body_state* states = solver->states;
    b2d_body_step* steps = solver->steps;
    const b2d_body_mass* masses = solver->masses;
    for (int32_t k = begin; k < end; k++) {
        const int32_t id = bodies[k];
        const uint32_t flags = steps[id].flags;
        row4 *row = (row4*)&states[id], *kept = (row4*)&steps[id];
        const row4 v = *row, old = *kept;
        row4 base = v + (row4){0.0f};
        if (flags & B2D_STEP_PLAIN) base = v + fall;
        else if (flags & B2D_STEP_DYNAMIC) base = pushed(&masses[id], v, states[id].inverse_inertia, gravity, h);
        const bool locked = (flags & B2D_STEP_LOCKS) != 0;
        if (!is_safe(base, safe) || locked) base = bounded(solver, flags, base);
        row4 next = base;
        if (replay) next += (row4)((mask4)(v - (row4)((mask4)old & first_three)) & first_three);
        if (locked) next = bounded(solver, flags, next);
        *kept = (row4)(((mask4)base & first_three) | ((mask4)old & ~first_three));
        *row = next;
    }
}
static void first_velocities(void* context, int32_t begin, int32_t end, int32_t worker) {
    (void)worker;
    const b2d_solver_task* task = context;
    integrate_velocities(task->solver, task->bodies, begin, end, false);
}
static void next_velocities(void* context, int32_t begin, int32_t end, int32_t worker) {
    (void)worker;
    const b2d_solver_task* task = context;
    integrate_velocities(task->solver, task->bodies, begin, end, task->solver->warm_starting);
}

static void integrate_positions(void* context, int32_t begin, int32_t end, int32_t worker) {
    (void)worker;
    const b2d_solver_task* task = context;
    const b2d_solver* solver = task->solver;
    const int32_t* bodies = task->bodies;
    const row4 least = {solver->least_speed, solver->least_speed, solver->least_rotation, 0.0f};
    const row4 h = {solver->h, solver->h, solver->h, 0.0f}; // the fourth lane is the inverse inertia
    const row4 safe = safe_velocity(solver);
    for (int32_t k = begin; k < end; k++) {
        const int32_t id = bodies[k];
        row4* state = (row4*)&solver->states[id];
        const uint32_t flags = solver->steps[id].flags;
        // What the constraints gave counts too: a joint that was torn far apart must not throw a body out of the world.
        if (!is_safe(state[0], safe) || (flags & B2D_STEP_LOCKS) != 0) state[0] = bounded(solver, flags, state[0]);
        // What spreads through a mesh of joints falls by a factor from body to body, down to numbers so small that a
        // processor takes a hundred times as long for each.
        if (flags & B2D_STEP_JOINTED)
            state[0] = (row4)((mask4)state[0] & (((mask4)state[0] & magnitude) >= (mask4)least));
        state[1] += h * state[0];
    }
}

static void run_pass(const b2d_solver_task* task, int32_t pass) {
    const unit u = {task, 0, B2D_COLORS - 1, pass, true, true};
    b2d_direct_pass(task->solver, pass, task->assemblies, 0, task->assembly_count);
    run_overflow(&u);
    for (int32_t color = 0; color < B2D_COLORS; color++)
        if (task->solver->graph->color_blocks[color] > 0) run_color(&u, color, 0, INT32_MAX);
}

// The substeps of small tasks, each from its first to its last.
static void solve_alone(void* context, int32_t begin, int32_t end, int32_t worker) {
    b2d_solver_task* tasks = context;
    for (int32_t k = begin; k < end; k++) {
        b2d_solver_task* task = &tasks[k];
        for (int32_t substep = 0; substep < task->solver->substeps; substep++) {
            (substep == 0 ? first_velocities : next_velocities)(task, 0, task->body_count, worker);
            if (substep == 0 && task->solver->warm_starting) run_pass(task, B2D_PASS_WARM_START);
            run_pass(task, B2D_PASS_SOLVE);
            integrate_positions(task, 0, task->body_count, worker);
            run_pass(task, B2D_PASS_RELAX);
        }
    }
}

bool b2d_solver_stays_on_one_core(const b2d_graph* graph) {
    int32_t small = 0, large = 0;
    for (int32_t color = 0; color < B2D_COLORS; color++) {
        const int32_t blocks = graph->color_blocks[color];
        *(blocks > LARGE_COLOR ? &large : &small) += blocks;
    }
    return large < small;
}

// Units of one pass, in order. Returns how many; `units` and `stages` have room for B2D_COLORS + 2.
static int32_t list_units(const b2d_solver_task* task, int32_t pass, unit* units, b2d_stage* stages) {
    int32_t count = 0;
    bool open = false; // the last unit is serial and may take in more
    const int32_t small = b2d_solver_stays_on_one_core(task->solver->graph) ? INT32_MAX : SMALL_COLOR;
    const bool shared = task->assembly_count > 1 && task->solver->direct->joint_count >= SHARED_JOINTS;
    if (shared) {
        units[count] = (unit){task, 0, -1, pass, false, true};
        stages[count] = (b2d_stage){run_direct, &units[count], task->assembly_count, 1 + task->assembly_count / 64};
        count++;
    }
    if (task->overflow_contact_count + task->overflow_joint_count > 0) {
        units[count] = (unit){task, 0, -1, pass, true, !shared};
        stages[count] = (b2d_stage){run_serial_unit, &units[count], 1, 1};
        count++;
        open = true;
    }
    for (int32_t color = 0; color < B2D_COLORS; color++) {
        int32_t blocks = color_blocks(task, color);
        if (blocks == 0) continue;
        if (blocks > small) {
            units[count] = (unit){task, color, color, pass, false, false};
            stages[count] = (b2d_stage){run_parallel_unit, &units[count], blocks, BLOCK_GRAIN};
            count++;
            open = false;
        } else if (open) {
            unit* last = &units[count - 1];
            if (last->last < last->first) last->first = color;
            last->last = color;
        } else {
            units[count] = (unit){task, color, color, pass, false, false};
            stages[count] = (b2d_stage){run_serial_unit, &units[count], 1, 1};
            count++;
            open = true;
        }
    }
    return count;
}

static int32_t append(b2d_stage* stages, int32_t count, const b2d_stage* more, int32_t more_count) {
    memcpy(stages + count, more, (size_t)more_count * sizeof *more);
    return count + more_count;
}

// Room for what list_units makes of each pass.
enum { ROOM = B2D_COLORS + 2 };
typedef struct pass_list {
    unit units[PASS_COUNT][ROOM];
    b2d_stage stages[PASS_COUNT][ROOM];
    int32_t counts[PASS_COUNT];
} pass_list;

static void list_pass(const b2d_solver_task* task, int32_t pass, pass_list* list) {
    list->counts[pass] = list_units(task, pass, list->units[pass], list->stages[pass]);
}

// The substeps of all tasks as one list of stages; returns how many.
static int32_t list_substeps(const b2d_solver* solver, b2d_solver_plan* plan, pass_list* list, int32_t body_grain,
                             b2d_stage* stages) {
    int32_t count = 0;
    const b2d_stage alone = {solve_alone, plan->alone, plan->alone_count, 1};
    b2d_stage bodies = {NULL, &plan->shared, plan->shared.body_count, body_grain};
    if (plan->alone_count > 0) count = append(stages, count, &alone, 1);
    for (int32_t pass = B2D_PASS_WARM_START; pass <= B2D_PASS_RELAX; pass++) list_pass(&plan->shared, pass, list);
    for (int32_t substep = 0; plan->shared.body_count > 0 && substep < solver->substeps; substep++) {
        bodies.run = substep == 0 ? first_velocities : next_velocities;
        count = append(stages, count, &bodies, 1);
        if (substep == 0 && solver->warm_starting)
            count = append(stages, count, list->stages[B2D_PASS_WARM_START], list->counts[B2D_PASS_WARM_START]);
        count = append(stages, count, list->stages[B2D_PASS_SOLVE], list->counts[B2D_PASS_SOLVE]);
        bodies.run = integrate_positions;
        count = append(stages, count, &bodies, 1);
        count = append(stages, count, list->stages[B2D_PASS_RELAX], list->counts[B2D_PASS_RELAX]);
    }
    return count;
}

bool b2d_solver_run(b2d_solver* solver, double* prepare_ms, double* solve_ms, double* restitution_ms) {
    pass_list* list = b2d_arena_take(solver->memory, solver->arena, sizeof *list);
    b2d_stage* stages = b2d_arena_take(solver->memory, solver->arena,
                                       sizeof(b2d_stage) * (size_t)(ROOM * 2 + 2) * (size_t)(solver->substeps + 1));
    b2d_solver_plan plan;
    double start = b2d_milliseconds();
    b2d_clusters_untie(solver->graph);
    if (list == NULL || stages == NULL || !b2d_plan_tasks(solver, &plan)) return false;

    b2d_scheduler_label(solver->scheduler, B2D_STAGE_prepare);
    b2d_forget_joint_lanes(solver);
    const int32_t body_grain = b2d_solver_stays_on_one_core(solver->graph) ? b2d_max_int(solver->awake_count, 1)
                                                                           : BODY_GRAIN;
    const b2d_stage bodies = {b2d_prepare_bodies, solver, solver->awake_count, body_grain};
    list_pass(&plan.whole, PREPARE, list);
    int32_t count = append(stages, 0, &bodies, 1);
    count = append(stages, count, list->stages[PREPARE], list->counts[PREPARE]);
    b2d_scheduler_run(solver->scheduler, stages, count);
    double prepared = b2d_milliseconds();
    *prepare_ms = prepared - start;

    b2d_scheduler_label(solver->scheduler, B2D_STAGE_solve);
    b2d_scheduler_run(solver->scheduler, stages, list_substeps(solver, &plan, list, body_grain, stages));
    double solved = b2d_milliseconds();
    *solve_ms = solved - prepared;

    b2d_scheduler_label(solver->scheduler, B2D_STAGE_restitution);
    if (b2d_bits_next(&solver->graph->extra_blocks, 0) != B2D_NONE) {
        list_pass(&plan.whole, B2D_PASS_RESTITUTION, list);
        b2d_scheduler_run(solver->scheduler, list->stages[B2D_PASS_RESTITUTION], list->counts[B2D_PASS_RESTITUTION]);
    }
    *restitution_ms = b2d_milliseconds() - solved;
    return true;
}

const b2d_solver_kernels* b2d_solver_kernel_table(int32_t simd) {
    switch (simd) {
#if defined(__x86_64__)
    case B2D_SIMD_SSE2: return &b2d_solver_kernels_of_sse2;
    case B2D_SIMD_AVX2: return &b2d_solver_kernels_of_avx2;
    case B2D_SIMD_AVX512: return &b2d_solver_kernels_of_avx512;
#elif defined(__aarch64__)
    case B2D_SIMD_NEON: return &b2d_solver_kernels_of_neon;
#endif
    default: return &b2d_solver_kernels_of_scalar;
    }
}
