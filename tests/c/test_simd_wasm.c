#define B2D_ISA_WASM
#define TEST_SET wasm
#include "test_simd.inl"
