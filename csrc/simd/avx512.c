// csrc/simd/avx512.c - all wide kernels, compiled for AVX-512; see kernels.inl.
#define B2D_ISA_AVX512
#include "simd/kernels.inl"
