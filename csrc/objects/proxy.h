// csrc/objects/proxy.h - the proxies of the broad phase: fat box, old box and class of each shape, and their update.
#pragma once
#include "broadphase/cell_pairs.h"
#include "objects/world.h"

bool b2d_world_reserve_proxies(b2d_world* world, int32_t count); // rows for ids 0 .. count - 1
bool b2d_world_create_proxy(b2d_world* world, int32_t shape);    // false without memory; the shape then has no proxy
void b2d_world_drop_proxy(b2d_world* world, int32_t shape);
// Computes the fat box from the pose. `force`: also if the old fat box still contains the shape; its pairs are then
// searched again.
void b2d_world_update_proxy_box(b2d_world* world, int32_t shape, bool force);
void b2d_world_update_proxy_class(b2d_world* world, int32_t shape); // computes the class from the state of the body
// New boxes and pairs of at most B2D_MANY_BOXES shapes of awake bodies, all of which were of the class `before`: NONE,
// or MOVING, which they are afterwards.
enum { B2D_MANY_BOXES = 64 };
void b2d_world_renew_boxes(b2d_world* world, const int32_t* shapes, int32_t count, uint8_t before);
typedef struct b2d_fat_boxes {
    _Alignas(64) float limits[4][B2D_MANY_BOXES]; // least x, least y, greatest x, greatest y
} b2d_fat_boxes;
typedef void b2d_fat_boxes_fn(const b2d_world* world, const int32_t* shapes, int32_t count, b2d_fat_boxes* out);
// The class of a shape that is in the broad phase and stays there.
void b2d_world_set_proxy_class(b2d_world* world, int32_t shape, uint8_t now);
void b2d_world_set_proxy_classes(b2d_world* world, const int32_t* shapes, int32_t count,
                                 uint8_t now); // of many of one class
// Takes shapes of moving bodies, which have been disabled, out of the broad phase.
void b2d_world_take_out(b2d_world* world, const int32_t* shapes, int32_t count);
// Class, box and pairs of a shape whose body was enabled, disabled or given another type.
void b2d_world_renew_proxy(b2d_world* world, int32_t shape);
// Lets the next pair stage search the pairs of the shape again, including refused ones: its old box becomes empty.
void b2d_world_renew_pairs(b2d_world* world, int32_t shape);
// The same; if the shape is static, bodies that overlap it for the first time wake.
void b2d_world_renew_pairs_of_changed(b2d_world* world, int32_t shape);
// Whether the fat boxes of the two overlap and no search for pairs of either is pending.
bool b2d_proxies_still_near(const b2d_proxies* proxies, int32_t shape_a, int32_t shape_b);
// Calls `found` for the shapes of these classes whose fat box overlaps the box, in the world or the cell of the body.
static inline void b2d_world_query_near(const b2d_world* world, int32_t body, b2d_box box, uint32_t classes,
                                        b2d_query_fn* found, void* context) {
    const b2d_cells* cells = &world->graph.cells;
    if (cells->count == 0) world->broadphase_table->query(world->broadphase, box, classes, found, context);
    else
        b2d_cells_query(world->broadphase, b2d_cell_of_body(cells, body) * cells->shapes, box, classes, found, context);
}
// Passes all changes to the broad phase; false without memory, then nothing is lost
bool b2d_world_update_broadphase(b2d_world* world);
