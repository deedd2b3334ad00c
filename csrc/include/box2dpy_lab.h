// csrc/include/box2dpy_lab.h - what the harnesses of `python -m benchmarks lab` call: experiments that need no world.
//
// cffi reads it after box2dpy_trace.h. A build with B2D_NO_LAB has none of it, and nothing outside csrc/lab, benchmarks
// and tests uses it.
#ifndef BOX2DPY_H_LAB
#define BOX2DPY_H_LAB
#include "box2dpy_trace.h"

#endif
