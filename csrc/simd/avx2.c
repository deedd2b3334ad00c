// csrc/simd/avx2.c - all wide kernels, compiled for AVX2; see kernels.inl.
#define B2D_ISA_AVX2
#include "simd/kernels.inl"
