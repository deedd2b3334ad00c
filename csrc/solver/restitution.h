// csrc/solver/restitution.h - restitution after the last substep, of contacts that do not bounce before the first one.
#pragma once
#include "solver/solver.h"

// One contact with extra rows. `early`: contacts that bounce before the first substep have done so.
void b2d_restitute(const b2d_solver* solver, int32_t block, int32_t lane, bool fixed, bool early);
// The pass over blocks [begin, end) of a list.
void b2d_restitute_contacts(const b2d_solver* solver, const b2d_color_list* list, int32_t fixed, int32_t begin,
                            int32_t end);
