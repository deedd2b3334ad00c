// csrc/broadphase/scan_scalar.c - the grid's kernels for one instruction set.
#define B2D_ISA_SCALAR
#include "base/simd.h"
#if !defined(B2D_ISA_ABSENT)
#include "broadphase/scan_wide.inl"
#endif
#include "base/simd_end.h"
