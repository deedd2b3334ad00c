// csrc/solver/bounce_find.h - which contacts bounce before the first substep.
#pragma once
#include "solver/solver.h"

typedef struct b2d_fast_block {
    int32_t block;
    uint32_t lanes; // those that are fast, then those that will bounce
} b2d_fast_block;

typedef struct b2d_bounce_search {
    const b2d_solver* solver;
    b2d_fast_block* blocks; // those that have an extra block, then those with fast lanes
    int32_t count;
    uint64_t* keys; // room for twice as many as there are fast lanes
} b2d_bounce_search;

bool b2d_bounce_search_begin(const b2d_solver* solver, b2d_bounce_search* search); // false: no memory
// Writes the contacts that will bounce to the keys. Returns how many.
int32_t b2d_bounce_find(const b2d_bounce_search* search);
