// csrc/broadphase/scan_sse2.c - the grid's kernels for one instruction set.
#define B2D_ISA_SSE2
#include "base/simd.h"
#if !defined(B2D_ISA_ABSENT)
#include "broadphase/scan_wide.inl"
#endif
#include "base/simd_end.h"
