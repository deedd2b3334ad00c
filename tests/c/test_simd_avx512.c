#define B2D_ISA_AVX512
#define TEST_SET avx512
#include "test_simd.inl"
