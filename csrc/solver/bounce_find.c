// csrc/solver/bounce_find.c - which contacts bounce before the first substep. Block by block, then lane by lane.
#include "solver/bounce_find.h"

#include "solver/impact_row.h"

// A bit for each lane of an extra block that bounces, where a point approaches faster than the threshold
static uint32_t fast_lanes(const b2d_solver* solver, const b2d_extra_block* extra) {
    typedef float row4 __attribute__((vector_size(16), may_alias));
    typedef int32_t mask4 __attribute__((vector_size(16), may_alias));
    const float threshold = solver->restitution_threshold;
    uint32_t lanes = 0;
    for (int32_t k = 0; k < B2D_LANES; k += 4) {
        const row4 first = *(const row4*)&extra->approach[0][k], second = *(const row4*)&extra->approach[1][k],
                   restitution = *(const row4*)&extra->restitution[k];
        const mask4 fast = (restitution > 0.0f) & ((first < -threshold) | (second < -threshold));
        if ((fast[0] | fast[1] | fast[2] | fast[3]) == 0) continue;
        for (int32_t j = 0; j < 4; j++) lanes |= (uint32_t)(fast[j] & 1) << (k + j);
    }
    return lanes;
}

static bool approaches(const b2d_solver* solver, int32_t block, int32_t lane) {
    const b2d_extra_block* extra = solver->graph->extras[block];
    if (solver->graph->blocks[block].body_a[lane] == B2D_NONE) return false; // padding
    const bool fixed = solver->graph->contacts[solver->graph->manifolds[block].contact[lane]].fixed != 0;
    if (!b2d_may_bounce_early(solver, block, lane, fixed, b2d_min(extra->approach[0][lane], extra->approach[1][lane])))
        return false;
    const float acceleration = b2d_normal_acceleration(solver, block, lane, fixed);
    b2d_rebound rebound;
    for (int32_t j = 0; j < 2; j++) {
        const float speed = extra->approach[j][lane];
        if (speed < -solver->restitution_threshold && b2d_may_bounce_early(solver, block, lane, fixed, speed) &&
            b2d_bounces_early(solver, block, lane, j, speed, acceleration, &rebound))
            return true;
    }
    return false;
}

// In the order of contacts, those of a cell of a packed world together
static uint64_t key_of(const b2d_graph* graph, int32_t contact) {
    const int32_t cells = graph->cells.count;
    return (uint64_t)(uint32_t)(cells == 0 ? 0 : contact % cells) << 32 | (uint32_t)contact;
}

static void find_fast(void* context, int32_t begin, int32_t end, int32_t worker) {
    (void)worker;
    const b2d_bounce_search* s = context;
    for (int32_t k = begin; k < end; k++)
        s->blocks[k].lanes = fast_lanes(s->solver, s->solver->graph->extras[s->blocks[k].block]);
}

static void find_bouncing(void* context, int32_t begin, int32_t end, int32_t worker) {
    (void)worker;
    const b2d_bounce_search* s = context;
    for (int32_t k = begin; k < end; k++)
        for (uint32_t left = s->blocks[k].lanes; left != 0; left &= left - 1)
            if (!approaches(s->solver, s->blocks[k].block, b2d_ctz64(left))) s->blocks[k].lanes &= ~(left & -left);
}

bool b2d_bounce_search_begin(const b2d_solver* solver, b2d_bounce_search* s) {
    enum { GRAIN = 64 };
    const b2d_graph* graph = solver->graph;
    const int32_t blocks = b2d_bits_count(&graph->extra_blocks);
    int32_t at = 0, most = 0;
    *s = (b2d_bounce_search){.solver = solver};
    if (blocks == 0) return true;
    s->blocks = b2d_arena_take(solver->arena, (size_t)blocks * sizeof *s->blocks);
    if (s->blocks == NULL) return false;
    B2D_FOR_BITS (&graph->extra_blocks, block) s->blocks[at++].block = block;
    const b2d_stage stage = {find_fast, s, blocks, GRAIN};
    b2d_scheduler_run_entered(solver->scheduler, &stage, 1);
    for (int32_t k = 0; k < blocks; k++) {
        if (s->blocks[k].lanes == 0) continue;
        most += b2d_popcount64(s->blocks[k].lanes);
        s->blocks[s->count++] = s->blocks[k];
    }
    s->keys = most == 0 ? NULL : b2d_arena_take(solver->arena, 2 * (size_t)most * sizeof *s->keys);
    return most == 0 || s->keys != NULL;
}

int32_t b2d_bounce_find(const b2d_bounce_search* s) {
    enum { GRAIN = 4 };
    const b2d_graph* graph = s->solver->graph;
    int32_t count = 0;
    const b2d_stage stage = {find_bouncing, (void*)s, s->count, GRAIN};
    b2d_scheduler_run_entered(s->solver->scheduler, &stage, 1);
    for (int32_t k = 0; k < s->count; k++)
        for (uint32_t left = s->blocks[k].lanes; left != 0; left &= left - 1)
            s->keys[count++] = key_of(graph, graph->manifolds[s->blocks[k].block].contact[b2d_ctz64(left)]);
    return count;
}
