// csrc/step/presolve.h - contacts that the presolve function of the user lets pass.
#pragma once
#include "objects/world.h"

void b2d_world_presolve(b2d_world* world); // after the narrow phase: what passes has no points
