// csrc/world/final.h - what finalize.c and continuous.c share.
#pragma once
#include "world/world.h"

void b2d_move_pose(b2d_pose* pose, b2d_body* body, float dx, float dy, float angle);
void b2d_refresh_boxes(b2d_world* world, int32_t body, b2d_bits* moved); // fat boxes that no longer contain their shape
void b2d_collect_moved(b2d_world* world); // the workers' moved bits into the proxies'
