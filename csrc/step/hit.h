// csrc/step/hit.h - hit events.
#pragma once
#include "objects/world.h"

void b2d_world_collect_hits(b2d_world* world);
