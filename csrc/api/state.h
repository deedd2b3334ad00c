// csrc/api/state.h - a state is a world that cannot be stepped (state/copy.h).
#pragma once
#include "api/entry.h"

struct b2d_state {
    b2d_world world;
};
