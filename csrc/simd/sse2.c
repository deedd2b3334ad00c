// csrc/simd/sse2.c - all wide kernels, compiled for SSE2; see kernels.inl.
#define B2D_ISA_SSE2
#include "simd/kernels.inl"
