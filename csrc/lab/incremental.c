// csrc/lab/incremental.c - islands="incremental": awake bodies have no islands; a search finds those that may sleep.
//
// Source: Nordby, plans for BEPUphysics v2 (document 003): no graph is kept for awake bodies. In each step a search
// starts from about 1 % of them and follows their constraints. It gives up at the first body that is not at rest; when
// it finds none, the bodies that it has seen are an island and fall asleep. The seeds rotate with the number of the
// step, so every body is a seed within 100 steps.
// Cost: at most the budget and one island, and nothing in a step in which no body has been slow for long enough.
#include "graph/partition.h"

#include <string.h>

enum { SEED_SHARE = 100, LEAST_BUDGET = 64 }; // one body in so many is visited in a step, but at least so many

enum { UNSEEN, SEEN, RESTING, MOVING }; // in this search; of an island that falls asleep; of one that does not

typedef struct search {
    const b2d_graph* graph;
    const b2d_bits* stay;
    uint8_t* state; // by body id
    int32_t* found; // bodies of the island so far
    int32_t count;
    bool complete;
} search;

// A body may fall asleep when its island, which has no other body, may.
static void visit(search* s, int32_t body) {
    if (!b2d_moves(s->graph, body) || s->state[body] == SEEN) return;
    if (s->state[body] == MOVING || b2d_bits_has(s->stay, s->graph->bodies[body].island)) {
        s->complete = false;
        return;
    }
    s->state[body] = SEEN;
    s->found[s->count++] = body;
}

static void visit_neighbors(search* s, const b2d_body* body) {
    const b2d_graph* graph = s->graph;
    for (int32_t key = body->contact_head; key != B2D_NONE && s->complete;
         key = graph->contacts[key >> 1].next[key & 1]) {
        const b2d_pair* pair = &graph->pairs[key >> 1];
        if (pair->flags & B2D_PAIR_TOUCHING) visit(s, key & 1 ? pair->body_a : pair->body_b);
    }
    for (int32_t key = body->joint_head; key != B2D_NONE && s->complete; key = graph->joints[key >> 1].next[key & 1])
        if (b2d_joint_acts(graph, &graph->joints[key >> 1])) visit(s, graph->joints[key >> 1].body[1 - (key & 1)]);
}

// Whether the whole component of a body is at rest; it is in s->found then.
static bool find_island(search* s, int32_t seed) {
    s->count = 0;
    s->complete = true;
    visit(s, seed);
    for (int32_t k = 0; k < s->count && s->complete; k++) visit_neighbors(s, &s->graph->bodies[s->found[k]]);
    for (int32_t k = 0; k < s->count; k++) s->state[s->found[k]] = s->complete ? RESTING : MOVING;
    return s->complete && s->count > 0;
}

static bool rest(b2d_graph* graph, b2d_arena* arena, const int32_t* awake, int32_t count, int64_t step,
                 const b2d_bits* stay, b2d_bits* may) {
    const size_t limit = 64 * (size_t)graph->awake.word_count;
    search s = {.graph = graph, .stay = stay};
    s.state = b2d_arena_take(arena, limit + 1);
    s.found = b2d_arena_take(arena, (size_t)(count + 1) * sizeof *s.found);
    if (s.state == NULL || s.found == NULL) return false;
    memset(s.state, UNSEEN, limit);
    const int32_t budget = b2d_max_int(LEAST_BUDGET, (count + SEED_SHARE - 1) / SEED_SHARE);
    const int32_t seeds = b2d_min_int(budget, count);
    bool done = true;
    for (int32_t k = 0, left = budget; k < seeds && left > 0 && done; k++) {
        const int32_t seed = awake[(step * seeds + k) % count];
        if (!b2d_is_awake(graph, seed) || s.state[seed] != UNSEEN) continue;
        const bool found = find_island(&s, seed);
        left -= b2d_max_int(s.count, 1);
        graph->searches++;
        graph->traversed += s.count;
        if (!found) continue;
        done = b2d_islands_link_bodies(graph, s.found, s.count);
        graph->islands[graph->bodies[seed].island].removals = 0; // it is one component
    }
    B2D_FOR_BITS (may, id)
        if (b2d_moves(graph, id) && s.state[id] != RESTING) b2d_bits_unset(may, id);
    return done;
}

const b2d_island_table b2d_islands_incremental = {"incremental", false, NULL, rest, NULL};
