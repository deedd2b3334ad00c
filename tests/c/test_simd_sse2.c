#define B2D_ISA_SSE2
#define TEST_SET sse2
#include "test_simd.inl"
