// csrc/lab/members.h - the part that box pruning, Morton chunks and the sweep-and-prune kinds share.
//
// Idea: as in the grid, static shapes lie in a tree and large ones in another, and a broad phase has a structure of its
// own only for the rest, its members: sleeping and moving shapes of ordinary size. This file decides who holds a shape,
// keeps the trees up to date, and finds the pairs and answers in which a tree takes part. Of two moved shapes in
// different structures the member reports the pair, then the large shape; of two in one structure the lower id.
// Threads: `update` is serial, pairs are parallel over the moved shapes, queries only read.
// Proof: tests/c/test_broadphase.c.
#pragma once
#include "broadphase/tree.h"

enum { B2D_HELD_NOWHERE, B2D_HELD_AS_MEMBER, B2D_HELD_STILL, B2D_HELD_LARGE };

// What a broad phase of this kind implements itself; both visit members of any class, and return false when the
// callback ended the search.
typedef bool b2d_members_visit_fn(const b2d_broadphase* broadphase, b2d_box box, b2d_query_fn* found, void* context);
typedef bool b2d_members_ray_fn(const b2d_broadphase* broadphase, const b2d_ray* ray, const float* max_fraction,
                                b2d_query_fn* found, void* context);

typedef struct b2d_members {    // the first member of the structure of each broad phase
    const b2d_proxies* proxies; // the columns move when they grow: keep no pointer to one
    b2d_members_visit_fn* visit;
    b2d_members_ray_fn* visit_ray;
    b2d_tree still, large;
    float most_extent; // of a member; INFINITY: no shape is large
    uint8_t* holder;   // by id: B2D_HELD_*
    int32_t holder_capacity;
    b2d_bits inside;  // the members
    b2d_bits changed; // stored by `change` until the next update
    // Shapes that came from nowhere since b2d_members_done, also where the id was used before, or were put elsewhere
    b2d_bits replaced;
    b2d_bits stale;   // box, class or holder changed since b2d_members_done
    b2d_bits touched; // shapes that the trees must insert, remove or move
    int32_t* ids;     // scratch
    int32_t id_capacity;
    b2d_key_list* lists; // during a call of `pairs`
} b2d_members;

void b2d_members_init(b2d_members* members, const b2d_proxies* proxies, b2d_members_visit_fn* visit,
                      b2d_members_ray_fn* visit_ray);
void b2d_members_free(b2d_memory* memory, b2d_members* members);
// Decides the holders of all changed shapes, marks these as stale and updates the trees. After a failure the next
// update continues.
bool b2d_members_update(b2d_memory* memory, b2d_members* members);
void b2d_members_done(b2d_members* members); // the broad phase is up to date
// Changes the greatest extent of a member, and decides the holders of all sleeping and moving shapes anew.
bool b2d_members_set_extent(b2d_memory* memory, b2d_members* members, float extent);
// The median of the greater sides of a sample of sleeping and moving shapes; 0 when there are none.
float b2d_members_median_extent(const b2d_members* members);
// Finds the new pairs of the moved shapes in which a tree takes part.
bool b2d_members_tree_pairs(b2d_memory* memory, b2d_members* members, b2d_scheduler* scheduler, b2d_key_list* lists);

// The members of the table that all these broad phases share.
bool b2d_members_change(b2d_memory* memory, b2d_broadphase* broadphase, const int32_t* shapes, int32_t count,
                        int32_t before);
void b2d_members_query(const b2d_broadphase* broadphase, b2d_box box, uint32_t classes, b2d_query_fn* found,
                       void* context);
void b2d_members_ray(const b2d_broadphase* broadphase, double px, double py, double dx, double dy, float radius,
                     uint32_t classes, const float* max_fraction, b2d_query_fn* found, void* context);
void b2d_members_boxes(const b2d_members* members, b2d_box_fn* found, void* context); // of the trees
const char* b2d_members_validate(const b2d_members* members);
