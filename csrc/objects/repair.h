// csrc/objects/repair.h - completes changes that a call left unfinished because it found no memory.
#pragma once
#include "objects/world.h"

// Adds the missing constraints to the solver; false if there is still no memory
bool b2d_world_repair(b2d_world* world);
