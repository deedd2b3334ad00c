// csrc/lab/box_run_avx512.c - the kernels of box_run.h, compiled for AVX-512.
#define B2D_ISA_AVX512
#include "base/simd.h"
#if !defined(B2D_ISA_ABSENT)
#include "lab/box_run_wide.inl"
#endif
#include "base/simd_end.h"
