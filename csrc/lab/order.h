// csrc/lab/order.h - what the schedules "serial", "islands" and "slots" share: constraints in an order of their own.
//
// The home of the impulses of a contact is its lane in a block of its colour. Each task of these schedules copies its
// contacts, in the order in which it will solve them, into blocks of the arena, so that it reads memory in sequence;
// the kernels of the solver run on them through a shallow copy of the graph. After the last pass the impulses are
// copied back. Joints are solved one by one where they live, direct assemblies before them.
#pragma once
#include "solver/schedule.h"

typedef enum b2d_order_kind {
    B2D_ORDER_SERIAL,  // one task, contact by contact
    B2D_ORDER_ISLANDS, // a task for each island, contact by contact
    B2D_ORDER_SLOTS    // a task for each island, 16 contacts at a time that share no moving body
} b2d_order_kind;

bool b2d_order_plan(const b2d_solver* solver, b2d_solver_plan* plan, b2d_order_kind kind);
void b2d_order_pass(const b2d_solver_task* task, int32_t pass);
void b2d_order_finish(const b2d_solver* solver, const b2d_solver_plan* plan);

// Of the last step of any world with one of these schedules, for the harness.
typedef struct b2d_order_report {
    double plan_ms, copy_in_ms, copy_out_ms; // copying in: the sum over the workers
    int32_t tasks, contacts, lanes;          // lanes: room in the slots that were solved, 16 for each
} b2d_order_report;
b2d_order_report b2d_order_last_report(void);
