// csrc/step/contact_transitions.h - applies the results of the narrow phase: contacts end, begin and are destroyed.
#pragma once
#include "objects/world.h"

// Before the narrow phase: if this step has created very many contacts, as the first step of a pile does, the shared
// list of records has room for all of them until they have begun. Without memory the workers' lists grow.
void b2d_world_lend_records(b2d_world* world);
void b2d_world_apply_contact_transitions(b2d_world* world);
