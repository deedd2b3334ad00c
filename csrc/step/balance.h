// csrc/step/balance.h - whether an island whose bodies have been slow for the sleep time is in balance.
#pragma once
#include "objects/world.h"

// Parts of a body's sleep threshold (m/s, 0.05 by default). Over the sleep time its velocity may change by the first:
// contacts make noise of some millimetres a second, and piles that settle change theirs by up to the threshold. An
// island that nothing touches makes no noise, and the second is enough. What a motor, a spring or a belt moves faster
// than the third is driven. Chosen by tests/physics/test_sleep.py.
#define B2D_STEADY_PART 1.0f
#define B2D_QUIET_PART  0.01f
#define B2D_STILL_PART  0.02f

// Whether the forces of this step, such as those of a stream or the wind, move the body. At a constant speed drag takes
// what they give, so they count as they are for a body at rest, and with its weight.
bool b2d_world_is_carried(const b2d_world* world, int32_t body);
// False: an island that must go on. The rest of one of its bodies then begins again.
bool b2d_world_island_in_balance(b2d_world* world, int32_t island);
