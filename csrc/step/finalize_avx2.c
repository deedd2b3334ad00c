// csrc/step/finalize_avx2.c - finalize for this instruction set; empty where the target has no such set.
#define B2D_ISA_AVX2
#include "base/simd.h"
#ifndef B2D_ISA_ABSENT
#include "step/finalize.h"
#include "step/finalize_wide.inl"
#endif
#include "base/simd_end.h"
