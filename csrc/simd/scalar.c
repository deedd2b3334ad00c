// csrc/simd/scalar.c - all wide kernels, one lane at a time; see kernels.inl.
#define B2D_ISA_SCALAR
#include "simd/kernels.inl"
