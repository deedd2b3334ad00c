#define B2D_ISA_SCALAR
#define TEST_SET scalar
#include "test_simd.inl"
