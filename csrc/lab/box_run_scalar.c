// csrc/lab/box_run_scalar.c - the kernels of box_run.h, compiled for portable C.
#define B2D_ISA_SCALAR
#include "base/simd.h"
#if !defined(B2D_ISA_ABSENT)
#include "lab/box_run_wide.inl"
#endif
#include "base/simd_end.h"
