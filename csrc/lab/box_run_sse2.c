// csrc/lab/box_run_sse2.c - the kernels of box_run.h, compiled for SSE2.
#define B2D_ISA_SSE2
#include "base/simd.h"
#if !defined(B2D_ISA_ABSENT)
#include "lab/box_run_wide.inl"
#endif
#include "base/simd_end.h"
