// csrc/narrowphase/collide_sse2.c - the SSE2 instance of collide_wide.inl; empty where the target has no such set.
#include "narrowphase/collide.h"
#define B2D_ISA_SSE2
#include "base/simd.h"
#if !defined(B2D_ISA_ABSENT)
#include "narrowphase/collide_wide.inl"
#endif
#include "base/simd_end.h"
