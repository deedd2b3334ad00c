// csrc/simd/neon.c - all wide kernels, compiled for NEON; see kernels.inl.
#define B2D_ISA_NEON
#include "simd/kernels.inl"
