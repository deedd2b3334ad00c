// csrc/narrowphase/collide.h - two calls take the awake contacts through disjoint test, recycling test, manifold and
// feature match.
//
// b2d_collide_blocks_fn takes those that have a lane_index, block by block: what rests is refreshed without leaving its lane,
// the others are sorted by bucket for a full manifold. b2d_collide_fn takes runs of contacts of one bucket that have no
// lane_index.
//
// Writes only: lanes of the contacts it was given, `pair.record`, its worker's bit arrays and its worker's record list.
//   fat boxes apart           -> `parted` bit (a touching one gets the `ended` bit too)
//   lane_index, motion under limits -> initial separation, normal and offset of the lane refreshed in place (recycled)
//   lane_index, points              -> lane rewritten; impulses kept where feature ids match, else 0
//   lane_index, no points           -> `ended` bit; the lane stays as it is (the serial stage frees it)
//   no lane_index, points           -> `begun` bit and a record in the shared list, or in the worker's own when that is full:
//                                pair.record = (B2D_SHARED_RECORDS or worker) << 24 | index
//   no lane_index, no points        -> nothing
#pragma once
#include "base/bits.h"
#include "base/vec.h"
#include "geometry/shape.h"
#include "narrowphase/contact_block.h"

#include <stdatomic.h>

typedef struct b2d_collide_worker {
    b2d_bits begun, ended, parted;
    // What the shared list had no room for; grows through `memory`; when that fails, `failed` is set and the contact
    // waits a step
    b2d_contact_record* records;
    int32_t record_count;
    int32_t record_capacity;
    b2d_memory* memory;        // a memory of this worker alone
    int64_t updated, recycled; // counters
    bool failed;
} b2d_collide_worker;

// Records of contacts that begin, in any order: whoever finds one takes the next row. It is as large as the most that
// any step needed, so nobody allocates in a steady state, whichever worker finds how many; a list of that size for each
// worker would be too much.
typedef struct b2d_shared_records {
    b2d_contact_record* rows;
    int32_t capacity;
    atomic_int taken; // may exceed the capacity
} b2d_shared_records;
enum { B2D_SHARED_RECORDS = 64 }; // in place of a worker's number

// Of a contact with B2D_PAIR_ONE_WAY: whether its fresh points do not count, so that it is as if there were none. Runs on
// the worker that owns the contact; of the record normal, levers and separations are filled, and features (0xFFFF: no
// such point).
typedef bool b2d_passes_through_fn(void* world, int32_t contact, const b2d_contact_record* record);
// The other terrain that the moving shape of a contact meets: at most B2D_INTERNAL_EDGE_NEIGHBORS shapes, by id.
typedef int32_t b2d_neighbors_fn(const void* world, int32_t contact, int32_t* shapes, bool* terrain_is_b);
typedef bool b2d_same_material_fn(const void* world, int32_t shape_a, int32_t shape_b); // of one material?

// When a contact, or points of it, began: step << 3 | what.
enum { B2D_BEGIN_POINT = 1, B2D_BEGIN_CONTACT = 4, B2D_BEGIN_SHIFT = 3 }; // POINT << k: point k

typedef struct b2d_collide_context {
    const b2d_pose* poses;         // by body id
    const b2d_shape_hot* shapes;   // by shape id
    const b2d_hull4* second_hulls; // by shape.second_hull
    const float* fat_min_x;
    const float* fat_min_y;
    const float* fat_max_x;
    const float* fat_max_y;    // by shape id
    b2d_pair* pairs;           // by contact id
    b2d_contact_block* blocks; // by lane_index / B2D_LANES
    b2d_manifold_block* manifolds;
    float speculative_distance; // 4 linear slops
    float linear_slop;
    float recycle_distance; // 0 = never
    float recycle_sine;     // sine of 11.5 degrees
    b2d_collide_worker* workers;
    uint32_t* begin_stamps;        // by contact id; NULL: nobody asks
    uint32_t step;                 // << B2D_BEGIN_SHIFT
    const b2d_bits* new_fat_boxes; // bodies of which a fat box is new since the last collide stage, or that woke
    b2d_shared_records* shared;    // NULL: every worker fills its own list
    b2d_passes_through_fn* passes_through;
    b2d_neighbors_fn* neighbors;         // of contacts flagged B2D_PAIR_INTERNAL_EDGES
    b2d_same_material_fn* same_material; // of terrain
    void* world;                         // first argument of all three
} b2d_collide_context;

typedef void b2d_collide_blocks_fn(const b2d_collide_context* context, const int32_t* blocks, int32_t count,
                                   int32_t worker);
static inline b2d_contact_record* b2d_begun_record(const b2d_shared_records* shared, const b2d_collide_worker* workers,
                                                   int32_t fresh) {
    const int32_t list = fresh >> 24, at = fresh & 0xFFFFFF;
    return list == B2D_SHARED_RECORDS ? &shared->rows[at] : &workers[list].records[at];
}

typedef void b2d_collide_fn(const b2d_collide_context* context, int32_t bucket, const int32_t* contacts, int32_t count,
                            int32_t worker);

// One instance per instruction set, all with equal bits; per_pair is the scalar one.
b2d_collide_fn* b2d_collide_kernel(int32_t simd);
b2d_collide_blocks_fn* b2d_collide_blocks_kernel(int32_t simd);

// Manifold of one pair of geometries (the scalar instance), for tests and tools.
typedef struct b2d_manifold {
    b2d_vec2 normal;   // frame A, from A to B
    b2d_vec2 point[2]; // frame A, midway between the surfaces
    float separation[2];
    uint16_t feature[2];
    int32_t count;
} b2d_manifold;
void b2d_collide_shapes(const b2d_geometry* a, const b2d_geometry* b, b2d_transform b_in_a, float speculative_distance,
                        b2d_manifold* out);

// A fresh record to or from a lane (serial stages: begin, wake, sleep, move to another lane).
void b2d_block_write(b2d_contact_block* block, b2d_manifold_block* manifold, int32_t lane,
                     const b2d_contact_record* record);
void b2d_block_read(const b2d_contact_block* block, const b2d_manifold_block* manifold, int32_t lane,
                    b2d_contact_record* record);
