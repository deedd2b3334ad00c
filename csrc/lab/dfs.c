// csrc/lab/dfs.c - islands="dfs": the islands of all awake bodies by depth-first search in every step.
//
// Source: Catto, "Simulation Islands" (2023), as Box2D did until version 2.4. The search follows the adjacency lists of
// the bodies with an explicit stack: touching contacts and acting joints lead on, static and kinematic bodies do not.
// Cost: linear in awake bodies and their contacts, touching or not.
#include "lab/dfs.h"

#include <string.h>

static bool is_marked(const b2d_marks* marks, int32_t body) {
    switch (marks->kind) {
    case B2D_MARKS_CLEAR: return marks->flags[body] != 0;
    case B2D_MARKS_STAMP: return marks->stamps[body] == marks->stamp;
    case B2D_MARKS_OBJECTS_CLEAR:
    case B2D_MARKS_OBJECTS_STAMP: return marks->bodies[B2D_MARKED_BODY * (size_t)body] == marks->stamp;
    default: return (marks->words[body >> 6] >> (body & 63) & 1) != 0;
    }
}

static void mark(b2d_marks* marks, int32_t body) {
    switch (marks->kind) {
    case B2D_MARKS_CLEAR: marks->flags[body] = 1; break;
    case B2D_MARKS_STAMP: marks->stamps[body] = marks->stamp; break;
    case B2D_MARKS_OBJECTS_CLEAR:
    case B2D_MARKS_OBJECTS_STAMP: marks->bodies[B2D_MARKED_BODY * (size_t)body] = marks->stamp; break;
    default: marks->words[body >> 6] |= 1ull << (body & 63);
    }
}

void b2d_marks_start(b2d_marks* marks) {
    switch (marks->kind) {
    case B2D_MARKS_CLEAR: memset(marks->flags, 0, (size_t)marks->limit); break;
    case B2D_MARKS_BITSET: memset(marks->words, 0, (size_t)(marks->limit + 63) / 64 * 8); break;
    case B2D_MARKS_OBJECTS_CLEAR:
        marks->stamp = 1;
        for (int32_t k = 0; k < marks->limit; k++) marks->bodies[B2D_MARKED_BODY * (size_t)k] = 0;
        for (int32_t k = 0; k < marks->link_limit; k++) marks->links[B2D_MARKED_LINK * (size_t)k] = 0;
        break;
    case B2D_MARKS_OBJECTS_STAMP: marks->stamp++; break; // a harness that searches a few times
    default:
        if (++marks->stamp != 0) return;
        memset(marks->stamps, 0, (size_t)marks->limit * sizeof *marks->stamps); // the counter started again
        marks->stamp = 1;
    }
}

static int32_t other_of_contact(const b2d_graph* graph, int32_t key) {
    const b2d_pair* pair = &graph->pairs[key >> 1];
    return pair->flags & B2D_PAIR_TOUCHING ? (key & 1 ? pair->body_a : pair->body_b) : B2D_NONE;
}
static int32_t other_of_joint(const b2d_graph* graph, int32_t key) {
    const b2d_joint* joint = &graph->joints[key >> 1];
    return b2d_joint_acts(graph, joint) ? joint->body[1 - (key & 1)] : B2D_NONE;
}

static void visit(const b2d_partition* p, b2d_marks* marks, int32_t other, int32_t part, int32_t* stack,
                  int32_t* depth) {
    if (other == B2D_NONE || !b2d_moves(p->graph, other) || is_marked(marks, other)) return;
    mark(marks, other);
    p->part[b2d_place(p, other)] = part;
    stack[(*depth)++] = other;
}

// Whether a contact is marked, which it is then.
static bool was_passed(b2d_marks* marks, int32_t contact) {
    if (marks->links == NULL) return false;
    uint32_t* mark = &marks->links[B2D_MARKED_LINK * (size_t)contact];
    const bool passed = *mark == marks->stamp;
    *mark = marks->stamp;
    return passed;
}

int32_t b2d_partition_by_marks(const b2d_partition* p, b2d_marks* marks, const int32_t* seeds, int32_t seed_count) {
    const b2d_graph* graph = p->graph;
    int32_t* stack = b2d_arena_take(p->arena, (size_t)(p->body_count + 1) * sizeof *stack);
    if (stack == NULL) return -1;
    b2d_marks_start(marks);
    int32_t parts = 0;
    for (int32_t k = 0; k < seed_count; k++) {
        const int32_t seed = seeds != NULL ? seeds[k] : k;
        if (is_marked(marks, seed) || !b2d_is_awake(graph, seed) || !b2d_moves(graph, seed)) continue;
        int32_t depth = 0;
        visit(p, marks, seed, parts, stack, &depth);
        while (depth > 0) {
            const b2d_body* body = &graph->bodies[stack[--depth]];
            for (int32_t key = body->contact_head; key != B2D_NONE; key = graph->contacts[key >> 1].next[key & 1])
                if (!was_passed(marks, key >> 1)) visit(p, marks, other_of_contact(graph, key), parts, stack, &depth);
            for (int32_t key = body->joint_head; key != B2D_NONE; key = graph->joints[key >> 1].next[key & 1])
                visit(p, marks, other_of_joint(graph, key), parts, stack, &depth);
        }
        parts++;
    }
    return parts;
}

static int32_t search(const b2d_partition* p) {
    b2d_marks marks = {.kind = B2D_MARKS_CLEAR, .limit = 64 * p->graph->awake.word_count};
    marks.flags = b2d_arena_take(p->arena, (size_t)marks.limit + 1);
    return marks.flags == NULL ? -1 : b2d_partition_by_marks(p, &marks, p->bodies, p->body_count);
}

const b2d_island_table b2d_islands_dfs = {"dfs", false, search, NULL, NULL};
