// csrc/step/contact_transitions.h - contacts end, begin and are destroyed, as the narrow phase found.
#pragma once
#include "objects/world.h"

void b2d_world_apply_contact_transitions(b2d_world* world);
