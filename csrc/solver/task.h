// csrc/solver/task.h - solver tasks: tied clusters with their awake bodies and all constraints of these bodies.
//
// No two tasks share an awake body, so they can be solved in any order, or at once, to the same bits. A single worker
// takes a small task through all substeps: its bodies and blocks stay in the cache of that core, and it meets no
// barrier. All other clusters are one shared task, whose sections are dealt out to all workers.
#pragma once
#include "solver/kernels.h"
#include "solver/press.h"

// A list of constraints that is not empty. The rows of a task are in the order in which their lists are solved: by
// colour, then by cluster, joints before contacts, and in each pairs of two moving bodies before those with a fixed
// side.
typedef struct b2d_task_list {
    const b2d_color_list* list;
    b2d_kernel_fn* const* kernels; // by pass
    int32_t blocks;
    uint16_t cluster;
    bool is_joints, fixed;
} b2d_task_list;

typedef struct b2d_solver_task {
    const b2d_solver* solver;
    void* order; // of a schedule with an order of its own; NULL: the default order
    const int32_t *bodies, *overflow_joints, *overflow_contacts; // ids, each ascending
    const b2d_task_list* lists;
    const int32_t* assemblies;                       // solved directly; the ids of their seeds (direct.h)
    const struct b2d_added_contacts* added_contacts; // of the shared task only; mostly NULL
    b2d_press* const* presses;
    int32_t* substeps_done; // NULL without solver->machines
    int32_t list_count, body_count, overflow_joint_count, overflow_contact_count, assembly_count, press_count;
    int32_t first_list[B2D_COLORS + 1]; // by colour; not of single-worker tasks, which run all lists in turn
} b2d_solver_task;

typedef struct b2d_solver_plan {
    b2d_solver_task everything; // all tasks as one
    b2d_solver_task shared;     // the clusters of no single-worker task; may be empty
    b2d_solver_task* single;    // single-worker tasks
    int32_t single_count;
    const int32_t* task_of_cluster; // number of the task, single_count: the shared one; NULL: there is no other
} b2d_solver_plan;

// Both return false when there is no memory.
bool b2d_task_of_everything(const b2d_solver* solver, b2d_solver_task* everything); // expects zeros
bool b2d_deal_presses(const b2d_solver* solver, b2d_solver_plan* plan, const b2d_presses* presses);
bool b2d_plan_tasks(const b2d_solver* solver, b2d_solver_plan* plan); // expects plan->everything, also as plan->shared
