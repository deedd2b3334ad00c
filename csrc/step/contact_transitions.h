// csrc/step/contact_transitions.h - applies the results of the narrow phase: contacts end, begin and are destroyed.
#pragma once
#include "objects/world.h"

void b2d_world_apply_contact_transitions(b2d_world* world);
