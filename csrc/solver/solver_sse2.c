// csrc/solver/solver_sse2.c - the solver's kernels for this instruction set; empty where the target has no such set.
#define B2D_ISA_SSE2
#include "base/simd.h"
#ifndef B2D_ISA_ABSENT
#include "solver/kernels_wide.inl"
#endif
#include "base/simd_end.h"
