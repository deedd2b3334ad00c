// csrc/solver/bounce.h - restitution: impacts before the first substep, one after the other.
#pragma once
#include "solver/solver.h"

// Reflects the contacts that approach each other fast and meet in this step, and those that they hit in turn. Expects
// prepared contacts, and the clusters that have any, in ascending order. Returns false without memory; nothing has
// changed then.
bool b2d_bounce(const b2d_solver* solver, const int32_t* clusters, int32_t cluster_count);
