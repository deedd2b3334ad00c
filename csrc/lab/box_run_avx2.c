// csrc/lab/box_run_avx2.c - the kernels of box_run.h, compiled for AVX2.
#define B2D_ISA_AVX2
#include "base/simd.h"
#if !defined(B2D_ISA_ABSENT)
#include "lab/box_run_wide.inl"
#endif
#include "base/simd_end.h"
