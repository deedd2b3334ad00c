// csrc/solver/added_contacts.h - contacts that the user adds to one step, between the collide stage and the solver.
//
// An added contact has one point. It lies in a block of its own in the arena of the step, so the graph does not know
// it: it has no id, no colour and no island. Added contacts are solved one after the other, like overflow contacts and
// after them, by the same kernels, which find the blocks in a shallow copy of the graph. Threads: serial.
// Proof: tests/physics/test_added_contacts.py.
#pragma once
#include "solver/solver.h"

typedef struct b2d_added_contacts {
    b2d_solver solver;       // that of the step, with the graph below
    b2d_graph graph;         // that of the world, with the blocks below
    b2d_added_contact* rows; // of the user; their impulses are written back by b2d_added_contacts_read
    int32_t row_count;
    const int32_t* row_of; // by contact: its row
    int32_t count;         // contacts: the rows of which some body is awake and dynamic
    b2d_color_list list;   // all blocks
} b2d_added_contacts;

// Lays out the contacts of the rows. False: no memory.
bool b2d_added_contacts_lay_out(b2d_added_contacts* added, const b2d_solver* solver);
void b2d_added_contacts_pass(const b2d_added_contacts* added, int32_t pass); // B2D_PASS_*
void b2d_added_contacts_read(const b2d_added_contacts* added); // the impulses of the last substep, into the rows
