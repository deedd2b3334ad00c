// csrc/objects/repair.h - finishes what a call left half done because it found no memory.
#pragma once
#include "objects/world.h"

bool b2d_world_repair(b2d_world* world); // adds to the solver what is missing there; false: still no memory
