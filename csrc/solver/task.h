// csrc/solver/task.h - what the solver does together: tied clusters, their awake bodies and their share of the overflow.
//
// No two tasks share an awake body, so they are solved in any order, or at once, to the same bits. A task that is
// small beside the whole is solved by one worker through all substeps: its bodies and blocks stay in that core's cache
// and it meets no barrier. The constraints of the others are shared out colour by colour.
#pragma once
#include "solver/solver.h"

typedef struct b2d_solver_task {
    const b2d_solver* solver;
    const int32_t *clusters, *bodies, *overflow_joints, *overflow_contacts; // ids, each ascending
    const int32_t* assemblies; // solved directly: by their seeds (direct.h)
    int32_t cluster_count, body_count, overflow_joint_count, overflow_contact_count, assembly_count;
} b2d_solver_task;

typedef struct b2d_solver_plan {
    b2d_solver_task whole;  // everything
    b2d_solver_task shared; // what is not alone; may be empty
    b2d_solver_task* alone;
    int32_t alone_count;
} b2d_solver_plan;

bool b2d_plan_tasks(const b2d_solver* solver, b2d_solver_plan* plan); // false: no memory
