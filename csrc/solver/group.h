// csrc/solver/group.h - what the solver does together: tied zones, their awake bodies and their share of the overflow.
//
// No two groups share an awake body, so they are solved in any order, or at once, to the same bits. A group that is
// small beside the whole is solved by one worker through all substeps: its bodies and blocks stay in that core's cache
// and it meets no barrier. The constraints of the others are shared out colour by colour.
#pragma once
#include "solver/solver.h"

typedef struct b2d_solver_group {
    const b2d_solver* solver;
    const int32_t *zones, *bodies, *overflow_joints, *overflow_contacts; // ids, each ascending
    const int32_t* assemblies;                                           // solved directly: by their seeds (direct.h)
    int32_t zone_count, body_count, overflow_joint_count, overflow_contact_count, assembly_count;
} b2d_solver_group;

typedef struct b2d_solver_plan {
    b2d_solver_group whole;  // everything
    b2d_solver_group shared; // what is not alone; may be empty
    b2d_solver_group* alone;
    int32_t alone_count;
} b2d_solver_plan;

bool b2d_plan_groups(const b2d_solver* solver, b2d_solver_plan* plan); // false: no memory
