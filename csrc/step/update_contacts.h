// csrc/step/update_contacts.h - the narrow phase of a step.
#pragma once
#include "objects/world.h"

void b2d_world_collide(b2d_world* world, float ahead, float dt); // collide.h
