// csrc/objects/proxy.h - what the broad phase knows of shapes: box, class and age of each, and its update.
#pragma once
#include "objects/world.h"

bool b2d_world_reserve_proxies(b2d_world* world, int32_t count); // columns for ids 0 .. count - 1
bool b2d_world_create_proxy(b2d_world* world, int32_t shape);    // false: no memory, and there is none
void b2d_world_drop_proxy(b2d_world* world, int32_t shape);
// The fat box from the pose. `force`: also where the old one still contains the shape; its pairs are found again.
void b2d_world_update_proxy_box(b2d_world* world, int32_t shape, bool force);
void b2d_world_update_proxy_class(b2d_world* world, int32_t shape); // from the state of the body
// The next pair stage finds the pairs of the shape again, those that were refused too: its old box becomes empty.
void b2d_world_renew_pairs(b2d_world* world, int32_t shape);
// The same; if the shape is static, bodies wake that meet it for the first time.
void b2d_world_renew_pairs_of_changed(b2d_world* world, int32_t shape);
// The fat boxes of the two overlap, and the pairs of neither are to be found again.
bool b2d_proxies_still_near(const b2d_proxies* proxies, int32_t shape_a, int32_t shape_b);
bool b2d_world_update_broadphase(b2d_world* world); // hands all changes on; false: no memory, nothing is lost
