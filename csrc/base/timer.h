// csrc/base/timer.h - monotonic time for profiles; no result depends on it.
#pragma once
#include "base/core.h"
double b2d_milliseconds(void);
