// csrc/solver/impact_round.h - the contacts of an impact, solved together: what bounce.c and restitution.c share.
//
// Each point that hits has a speed that it must leave with, and each that supports one at which it may not approach.
// The impulses are found by projected Gauss-Seidel over contacts, both normals of a contact at once, with friction by
// Coulomb's law; where that does not converge, all normals are solved as a whole (impact_exact.c).
// The joints of the bodies keep their speeds where the round asks for that (impact_joints.c).
// Threads: a round reads and writes the states of its bodies only, and of those that joints connect with them.
#pragma once
#include "solver/impact_row.h"

typedef struct b2d_impact_member { // a contact of a round
    int32_t contact, block, lane, depth;
    bool fixed;             // side B does not move
    bool solved[2], hit[2]; // by point: hit where it bounces, solved alone where it supports
    float approach[2], slip[2], target[2], normal[2], tangent[2]; // m/s before the round, m/s wanted, impulses
    float grip[2];                                                // factor of the friction of a point that hits
    bool timed[2];   // the point has the levers of its impact, until which side A turns by
    float turned[2]; // rad
} b2d_impact_member;

typedef struct b2d_impact_round {
    const b2d_solver* solver;
    b2d_impact_member* members;
    int32_t count;
    float tolerance; // m/s
    bool joints;     // those of its bodies take part
} b2d_impact_round;

b2d_impact_member b2d_impact_member_make(const b2d_solver* solver, int32_t contact, int32_t depth);

static inline b2d_impact_row b2d_impact_member_row(const b2d_solver* solver, const b2d_impact_member* m, int32_t j,
                                                   bool along_tangent) {
    b2d_impact_row row = b2d_impact_row_make(solver, m->block, m->lane, m->fixed, j, along_tangent);
    if (m->timed[j])
        b2d_impact_row_turn(&row, &solver->graph->blocks[m->block], m->lane, j, along_tangent, m->turned[j]);
    return row;
}

static inline float b2d_impact_belt(const b2d_solver* solver, const b2d_impact_member* m) {
    const b2d_extra_block* extra = solver->graph->extras[m->block];
    return extra == NULL ? 0.0f : extra->tangent_speed[m->lane];
}

// Aims a point that bounces at a separation, where it has the speed `now` (negative: it approaches). Friction is that
// of a bounce at the surface, where the impulse is by `grip` greater: `part` is how much of it is still to come.
static inline void b2d_impact_throw(b2d_impact_member* m, int32_t j, const b2d_rebound* rebound, float restitution,
                                    float part, float now, float separation) {
    m->hit[j] = true;
    m->target[j] = b2d_rebound_speed(rebound, restitution, separation);
    m->grip[j] = part * sqrtf(rebound->meeting) / (m->target[j] - now);
}

// Lists the contacts of a body with what does not move, at most `most`.
int32_t b2d_impact_list_fixed(const b2d_solver* solver, int32_t body, b2d_impact_member* members, int32_t most);
// Gives the bodies the impulses of a round, and notes them in its members, whose impulses are 0 before.
void b2d_impact_round_solve(const b2d_impact_round* round);
// Solves the normals alone, exactly; friction keeps its impulses. False: there are too many rows, and nothing changes.
bool b2d_impact_normals_solve(const b2d_impact_round* round);
// Solves a round together with the joints of its bodies. False: there are none, or too many rows; nothing changes.
bool b2d_impact_solve_held(const b2d_impact_round* round);
// The body that the next joint with rows connects with this one. The key begins at its `joint_head`; B2D_NONE: no more.
int32_t b2d_impact_next_joined(const b2d_graph* graph, int32_t body, int32_t* key);
bool b2d_impact_are_joined(const b2d_graph* graph, int32_t a, int32_t b); // by one joint
