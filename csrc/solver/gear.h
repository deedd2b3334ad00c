// csrc/solver/gear.h - gears whose bases move: one row on up to four bodies.
//
// The lanes of the kernels have two bodies, so such a gear has no colour. It is solved with the overflow joints, one by
// one, and keeps its impulse and its softness in its lane like any gear.
#pragma once
#include "solver/solver.h"

void b2d_solve_gear(const b2d_solver* solver, int32_t id, int32_t pass); // warm start, solve or relax
