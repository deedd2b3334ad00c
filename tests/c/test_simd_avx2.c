#define B2D_ISA_AVX2
#define TEST_SET avx2
#include "test_simd.inl"
