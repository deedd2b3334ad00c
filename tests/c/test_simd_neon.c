#define B2D_ISA_NEON
#define TEST_SET neon
#include "test_simd.inl"
