// csrc/lab/box_run_neon.c - the kernels of box_run.h, compiled for NEON.
#define B2D_ISA_NEON
#include "base/simd.h"
#if !defined(B2D_ISA_ABSENT)
#include "lab/box_run_wide.inl"
#endif
#include "base/simd_end.h"
