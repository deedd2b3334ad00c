// csrc/solver/bounce.h - restitution: impacts before the first substep, one after the other.
#pragma once
#include "solver/task.h"

// Reflects the contacts that approach each other fast and meet in this step, and those that they hit in turn. Expects
// prepared contacts, and their lists in the order of a task. Returns false without memory; nothing has changed then.
bool b2d_bounce(const b2d_solver* solver, const b2d_task_list* lists, int32_t list_count);
