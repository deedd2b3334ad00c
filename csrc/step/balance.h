// csrc/step/balance.h - whether an island whose bodies have been slow for the sleep time is in balance.
#pragma once
#include "objects/world.h"

// Parts of a body's sleep threshold (m/s, 0.05 by default), by which its velocity may change over the sleep time. Contacts
// make noise of some millimetres a second; an island that nothing touches makes none.
#define B2D_STEADY_PART 0.2f
#define B2D_QUIET_PART  0.01f
// What a motor, a spring or a belt moves faster than this part is driven.
#define B2D_STILL_PART  0.02f

// False: an island that must go on. One of its bodies then begins to rest anew.
bool b2d_world_island_in_balance(b2d_world* world, int32_t island);
