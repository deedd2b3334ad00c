// tests/c/test_simd.h - what test_base.c and the instances of test_simd.inl share.
#pragma once
#include <stdbool.h>
#include <stdint.h>

enum { SIMD_VALUES = 4096, SIMD_OPERATIONS = 14, SIMD_ARITHMETIC = 5, SIMD_MASKS = 10 };

typedef struct simd_input {
    _Alignas(64) float a[SIMD_VALUES];
    _Alignas(64) float b[SIMD_VALUES];
    _Alignas(64) float rows[8 * (SIMD_VALUES + 1)]; // row -1 first
    int32_t index[SIMD_VALUES];                     // -1 .. SIMD_VALUES - 1, with repeats
    int32_t targets[SIMD_VALUES];                   // a permutation
    uint8_t flags[SIMD_VALUES];
} simd_input;

typedef struct simd_output {
    _Alignas(64) float values[SIMD_OPERATIONS][SIMD_VALUES];
    _Alignas(64) float gathered[8][SIMD_VALUES];
    _Alignas(64) float quads[4][SIMD_VALUES];
    _Alignas(64) float scattered[8 * SIMD_VALUES];
    _Alignas(64) float scattered_some[8 * SIMD_VALUES];
    uint8_t masks[SIMD_MASKS][SIMD_VALUES];
} simd_output;

// Fill `out` with one instruction set; false where the target has none such.
bool simd_test_scalar(const simd_input* in, simd_output* out);
bool simd_test_sse2(const simd_input* in, simd_output* out);
bool simd_test_avx2(const simd_input* in, simd_output* out);
bool simd_test_avx512(const simd_input* in, simd_output* out);
bool simd_test_neon(const simd_input* in, simd_output* out);
bool simd_test_wasm(const simd_input* in, simd_output* out);
