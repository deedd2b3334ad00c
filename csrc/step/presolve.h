// csrc/step/presolve.h - the presolve function of the user may remove the points of a contact for one step.
#pragma once
#include "objects/world.h"

void b2d_world_presolve(b2d_world* world); // called after the narrow phase
