// csrc/narrowphase/collide.h - the narrow phase: box test, recycling, contact manifold and matching of feature ids.
//
// b2d_collide_blocks_fn takes the awake contacts that have a lane_index, block by block: manifolds that can be recycled
// are refreshed in their lane, the others are sorted by bucket for a full manifold. b2d_collide_fn takes lists of
// contacts of one bucket that have no lane_index.
//
// A call writes only the lanes of the contacts it was given, `pair.record`, and its worker's bit sets and records:
//   fat boxes apart                 -> `parted` bit, for a touching contact also the `ended` bit
//   lane, motion within the limits  -> initial separation, normal and shifts of the lane are refreshed (recycled)
//   lane, points                    -> lane rewritten; impulses are kept where feature ids match, else 0
//   lane, no points                 -> `ended` bit; the lane is not changed (a serial stage frees it)
//   no lane, points                 -> `begun` bit and a record in the shared list, or the worker's if that is full:
//                                      pair.record = (B2D_SHARED_RECORDS or worker) << 24 | index
//   no lane, no points              -> nothing
#pragma once
#include "base/bits.h"
#include "base/vec.h"
#include "geometry/hot_shape.h"
#include "narrowphase/contact_block.h"

#include <stdatomic.h>

typedef struct b2d_collide_worker {
    b2d_bits begun, ended, parted;
    // Records for which the shared list had no room. Grows through `memory`; when that fails, `failed` is set and the
    // contact begins a step later
    b2d_contact_record* records;
    int32_t record_count;
    int32_t record_capacity;
    b2d_memory* memory;        // a memory of this worker alone
    int64_t updated, recycled; // counters
    bool failed;
} b2d_collide_worker;

// Records of contacts that begin, in any order: the worker that finds one takes the next row. The list is as large as
// the largest number that any step needed, so a steady state allocates nothing, however the contacts are spread over
// the workers; a list of that size for each worker would take too much memory.
typedef struct b2d_shared_records {
    b2d_contact_record* rows;
    int32_t capacity;
    atomic_int taken; // may exceed the capacity
    bool lent;        // it is larger for this step alone
} b2d_shared_records;
enum { B2D_SHARED_RECORDS = 64 }; // in place of a worker's number

// Whether the shapes of a contact with B2D_PAIR_ONE_WAY pass through each other: its new points then do not count. Runs
// on the worker that has the contact. Of the record the normal, levers, separations and feature ids (0xFFFF: no such
// point) are filled.
typedef bool b2d_passes_through_fn(void* world, int32_t contact, const b2d_contact_record* record);
// The other terrain shapes that the moving shape of a contact meets: at most B2D_INTERNAL_EDGE_NEIGHBORS shapes, by id.
typedef int32_t b2d_neighbors_fn(const void* world, int32_t contact, int32_t* shapes, bool* terrain_is_b);
// How deep the body that is not terrain may get into the terrain by its motion.
typedef float b2d_landing_depth_fn(const void* world, int32_t contact);
// Whether the shapes of a contact, apart by this distance more than the speculative one, meet in the next `dt` seconds
// because one of their bodies turns about something else that holds it.
typedef bool b2d_turns_onto_fn(const void* world, int32_t contact, float dt, float distance);
typedef bool b2d_same_material_fn(const void* world, int32_t shape_a, int32_t shape_b); // of the same terrain material?

// When a contact, or points of it, began: step << B2D_BEGIN_SHIFT | what began.
enum { B2D_BEGIN_POINT = 1, B2D_BEGIN_CONTACT = 4, B2D_BEGIN_SHIFT = 3 }; // POINT << k: point k

typedef struct b2d_collide_context {
    const b2d_pose* poses;         // by body id
    const float* states;           // by body id: rows of 8, the spin at 2; NULL: no body turns, and no blocks
    float ahead, dt;               // s, to the middle of the step (contact_block.h), and to its end
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
    uint32_t* begin_stamps;        // by contact id; NULL: not wanted
    uint32_t step;                 // << B2D_BEGIN_SHIFT
    const b2d_bits* new_fat_boxes; // bodies with a new fat box since the last collide stage, and bodies that woke
    b2d_shared_records* shared;    // NULL: every worker fills its own list
    b2d_passes_through_fn* passes_through;
    b2d_neighbors_fn* neighbors;         // of contacts flagged B2D_PAIR_INTERNAL_EDGES
    b2d_landing_depth_fn* landing_depth; // of the same
    b2d_same_material_fn* same_material; // of two terrain shapes
    b2d_turns_onto_fn* turns_onto;
    void* world; // first argument of all five
} b2d_collide_context;

typedef void b2d_collide_blocks_fn(const b2d_collide_context* context, const int32_t* blocks, int32_t count,
                                   int32_t worker);
#define B2D_LAST_RECORD 0xFFFFFF // the greatest index in a list
static inline b2d_contact_record* b2d_begun_record(const b2d_shared_records* shared, const b2d_collide_worker* workers,
                                                   int32_t record) {
    const int32_t list = record >> 24, at = record & B2D_LAST_RECORD;
    return list == B2D_SHARED_RECORDS ? &shared->rows[at] : &workers[list].records[at];
}

typedef void b2d_collide_fn(const b2d_collide_context* context, int32_t bucket, const int32_t* contacts, int32_t count,
                            int32_t worker);

int32_t b2d_bucket_of(int32_t form_a, int32_t form_b); // B2D_BUCKET_*, in any order of the forms
// One instance per instruction set; all give equal bits.
b2d_collide_fn* b2d_collide_kernel(int32_t simd);
b2d_collide_blocks_fn* b2d_collide_blocks_kernel(int32_t simd);

typedef struct b2d_manifold {
    b2d_vec2 normal;   // frame A, from A to B
    b2d_vec2 point[2]; // frame A, midway between the surfaces
    float separation[2];
    uint16_t feature[2];
    int32_t count;
} b2d_manifold;
// The manifolds of at most B2D_MANIFOLD_BATCH contacts of one bucket where their bodies are now, with the bits of
// b2d_collide_one. Of the context only poses, pairs, shapes and the distances are read.
enum { B2D_MANIFOLD_BATCH = 64 };
typedef void b2d_manifolds_fn(const b2d_collide_context* context, int32_t bucket, const int32_t* contacts,
                              int32_t count, b2d_manifold* found);
b2d_manifolds_fn* b2d_manifolds_kernel(int32_t simd);
// The manifold of two rows of context->shapes, by the scalar instance. Of the context only the shapes and the distances
// are read.
void b2d_collide_one(const b2d_collide_context* context, int32_t bucket, int32_t shape_a, int32_t shape_b,
                     b2d_transform b_in_a, b2d_manifold* out);
// The same for a pair of geometries.
void b2d_collide_shapes(const b2d_geometry* a, const b2d_geometry* b, b2d_transform b_in_a, float speculative_distance,
                        b2d_manifold* out);

// Copies a record to or from a lane (serial stages: begin, wake, sleep, move to another lane).
void b2d_block_write(b2d_contact_block* block, b2d_manifold_block* manifold, int32_t lane,
                     const b2d_contact_record* record);
void b2d_block_read(const b2d_contact_block* block, const b2d_manifold_block* manifold, int32_t lane,
                    b2d_contact_record* record);
