// csrc/step/balance.h - whether an island whose bodies have been slow for the sleep time is in balance.
#pragma once
#include "objects/world.h"

// Parts of a body's sleep threshold (m/s). Its velocity may change by the first over the sleep time: contacts make noise
// of some millimetres a second. Where nothing touches there is none, so that the second is enough; and what a motor, a
// spring or a belt moves faster than this is driven.
#define B2D_STEADY_PART 0.2f
#define B2D_STILL_PART  0.02f

// False: an island that must go on. One of its bodies then begins to rest anew.
bool b2d_world_island_in_balance(b2d_world* world, int32_t island);
