// csrc/broadphase/grid.h - the data that the grid and its wide kernels share.
#pragma once
#include "base/cpu.h"
#include "broadphase/tree.h"

enum {
    B2D_GRID_GROUP = 16,        // slots that query the trees together; the widest vector
    B2D_GRID_BLOCK = 16,        // groups with one common bound, for rays and large queries
    B2D_GRID_FEW = 64,          // so many shapes need no structure; the bits of a word
    B2D_GRID_ZERO = 0x4b400000, // bits of the float 1.5 * 2^23: adding it to f leaves the rounded f in the low bits
};

// The cell of a shape is that of the lower left corner of its box: f = (min - origin) * inverse, cell = f rounded to an
// integer. The cells of two overlapping boxes in the grid differ by at most 1 on each axis: a side is at most 7/8 of a
// cell, and while |f| <= range the two rounding errors of f together are below 1/8. Shapes that do not fit are in a
// tree.
typedef struct b2d_grid_frame {
    float origin_x, origin_y;
    float inverse;         // 1 / cell
    float side;            // largest side of a box that fits, m
    float range;           // largest |f| that fits
    int32_t width, height; // cells of the table, powers of two, at least 4; cells wrap around
} b2d_grid_frame;

// Boxes in the order of their cells, then padding, then loose slots: shapes that were added since the build
typedef struct b2d_slots {
    float *min_x, *min_y, *max_x, *max_y;
    float *old_min_x, *old_min_y, *old_max_x, *old_max_y; // filled only by a full pass, scratch memory otherwise
    int32_t* ids;                                         // B2D_NONE: a hole, whose box is empty
    uint32_t* keys;                                       // cell in the table, row by row
} b2d_slots;

// A build that is shared out sorts by bands of cells first. Each chunk of ids counts its shapes in each band, so that
// all workers can write them to their places, in the order of ids; then each band is sorted like the whole.
enum { B2D_GRID_BANDS = 64 };
typedef struct b2d_cell_chunk {
    int32_t first, members; // of the shapes that fit: their place in the scratch columns
    int32_t misfits;
    bool changes; // of holders, which are left to the caller
    int32_t band[B2D_GRID_BANDS];
} b2d_cell_chunk;

typedef struct b2d_grid {
    const b2d_proxies* proxies;
    const struct b2d_grid_kernels* kernels;
    b2d_grid_frame frame;
    float cell; // m
    bool built; // false: the next update builds all of it
    b2d_slots slots;
    int32_t slot_capacity;
    int32_t sorted_count;                        // slots [0, sorted_count) in cell order
    int32_t loose_begin, loose_end, loose_limit; // loose slots, chained by cell
    int32_t member_count;                        // shapes in slots
    int32_t hole_count;
    int32_t* start; // first slot of each cell, one more at the end
    int32_t start_capacity;
    int32_t* loose_head; // by hash of the cell: slot plus one of the first loose shape there, 0 = none
    int32_t loose_head_capacity;
    int32_t loose_shift; // of the hash: there are 2^(32 - loose_shift) heads
    int32_t* loose_next; // by slot - loose_begin: slot plus one
    int32_t loose_next_capacity;
    b2d_box* group_boxes; // bound of each group of slots
    int32_t group_capacity;
    b2d_box* block_boxes; // bound of each B2D_GRID_BLOCK groups
    int32_t block_capacity;
    double crowd;                       // mean number of other shapes in a shape's cell at the last build
    int32_t frame_age;                  // builds since the frame was chosen
    int32_t frame_count, frame_misfits; // moving shapes, and those too large for it, when it was chosen

    b2d_tree still;   // static shapes
    b2d_tree other;   // sleeping shapes, and moving ones that do not fit in a cell
    uint8_t* holder;  // by id: the structure that holds the shape, IN_*
    int32_t* slot_of; // by id, for IN_GRID
    int32_t id_capacity;
    b2d_bits moving;  // class MOVING
    b2d_bits in_grid; // shapes with IN_GRID
    b2d_bits changed; // stored by `change` until the next update
    b2d_bits stale;   // boxes that changed since the last update
    b2d_bits touched; // shapes that the trees must insert, remove or move
    int32_t* ids;     // scratch, see also scratch_ids
    int32_t ids_capacity;
    b2d_cell_chunk* chunks; // scratch of a build that is shared out
    int32_t chunk_capacity;

    // during a call of `pairs`
    b2d_key_list* lists;
    const int32_t* queries;
    int32_t query_count;
    bool full;                     // every slot is a query; else only the moved shapes are
    bool still_moved, other_moved; // a leaf of the tree
} b2d_grid;

// Rays side by side: their boxes, and the lines n . p = offset on which they are; `slack` is what the rounding of
// offset and of n may be worth at the ray.
enum { B2D_RAYS = 16 };
typedef struct b2d_rays {
    _Alignas(64) float min_x[B2D_RAYS];
    float min_y[B2D_RAYS], max_x[B2D_RAYS], max_y[B2D_RAYS];
    float nx[B2D_RAYS], ny[B2D_RAYS], offset[B2D_RAYS], slack[B2D_RAYS];
} b2d_rays;

typedef struct b2d_grid_kernels {
    // Corner cells (bits of f + 1.5 * 2^23) of 64 ids, and which of them fit.
    uint64_t (*cells)(const b2d_grid_frame* frame, const float* const now[4], int32_t first, float x[64], float y[64]);
    // New pairs among sorted slots, found from slots [begin, end).
    void (*scan)(const b2d_grid* grid, int32_t begin, int32_t end, b2d_key_list* list);
    // New pairs of a group of slots with the leaves of a tree that is not empty. Bit k of `asked`: slot + k.
    void (*group)(const b2d_grid* grid, const b2d_tree* tree, int32_t slot, uint32_t asked, b2d_key_list* list);
    // Of the boxes asked for, those that overlap a leaf of a tree that is not empty.
    uint32_t (*meets_leaf)(const b2d_tree* tree, const b2d_box_rows* boxes, uint32_t asked);
    // Slots in [begin, end) whose box overlaps; `out` has room for all. Returns how many.
    int32_t (*find)(const b2d_slots* slots, b2d_box box, int32_t begin, int32_t end, int32_t* out);
    // Bit k: the box is met by ray k of the first `count`, at least 1. A box that the ray touches is always met, others
    // near it may be.
    uint32_t (*meet)(const b2d_rays* rays, int32_t count, b2d_box box);
    // New pairs of all moved shapes in a world of at most B2D_GRID_FEW.
    void (*few)(const b2d_proxies* proxies, b2d_key_list* list);
} b2d_grid_kernels;

B2D_DECLARE_KERNELS(extern const b2d_grid_kernels b2d_grid_kernels_)
const b2d_grid_kernels* b2d_grid_kernels_for(int32_t simd); // B2D_SIMD_*

// Reports two shapes whose fat boxes overlap now and whose old boxes did not, if they are of different bodies and one
// of them moved.
static inline void b2d_grid_report(const b2d_proxies* p, int32_t i, int32_t j, b2d_key_list* list) {
    if (p->body[i] == p->body[j] || !(b2d_bits_has(&p->moved, i) || b2d_bits_has(&p->moved, j))) return;
    b2d_key_list_push(list, b2d_pair_key(i, j));
}
