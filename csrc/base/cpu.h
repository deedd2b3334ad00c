// csrc/base/cpu.h - which instruction sets this processor has, and how many processors the process may use.
#pragma once
#include "base/core.h"

// The instruction sets of the target, whose kernels are compiled in: EACH(NAME, name, ...) for each of them.
#if defined(__x86_64__)
#define B2D_SIMD_SETS(EACH, ...)      \
    EACH(SCALAR, scalar, __VA_ARGS__) \
    EACH(SSE2, sse2, __VA_ARGS__)     \
    EACH(AVX2, avx2, __VA_ARGS__)     \
    EACH(AVX512, avx512, __VA_ARGS__)
#elif defined(__aarch64__)
#define B2D_SIMD_SETS(EACH, ...) EACH(SCALAR, scalar, __VA_ARGS__) EACH(NEON, neon, __VA_ARGS__)
#elif defined(__wasm_simd128__)
#define B2D_SIMD_SETS(EACH, ...) EACH(SCALAR, scalar, __VA_ARGS__) EACH(WASM, wasm, __VA_ARGS__)
#else
#define B2D_SIMD_SETS(EACH, ...) EACH(SCALAR, scalar, __VA_ARGS__)
#endif

// Each module declares its kernels and picks one by this list: `declaration` and `symbol` are what stands before the
// name of a set. The scalar kernels stand for sets that the target does not have.
#define B2D_DECLARE_KERNELS(declaration)            B2D_SIMD_SETS(B2D_DECLARE_KERNEL, declaration)
#define B2D_DECLARE_KERNEL(NAME, name, declaration) declaration##name;
#define B2D_KERNEL_CASE(NAME, name, symbol) \
    case B2D_SIMD_##NAME: return &symbol##name;
#define B2D_RETURN_KERNEL(simd, symbol)        \
    switch (simd) {                            \
        B2D_SIMD_SETS(B2D_KERNEL_CASE, symbol) \
    default: return &symbol##scalar;           \
    }

// The instruction set for a few lanes: a narrower one where it has as many, which costs less for them.
static inline int32_t b2d_simd_for(int32_t simd, int32_t lanes) {
    if (simd == B2D_SIMD_AVX512 && lanes <= 8) simd = B2D_SIMD_AVX2;
    if (simd == B2D_SIMD_AVX2 && lanes <= 4) simd = B2D_SIMD_SSE2;
    return lanes <= 1 ? B2D_SIMD_SCALAR : simd;
}
bool b2d_cpu_has(int32_t simd); // B2D_SIMD_*; SCALAR always; the environment variable B2D_SIMD limits them
int32_t b2d_cpu_best(void);     // what "auto" means here
int32_t b2d_cpu_count(void);    // processors this process may run on
const char* b2d_compiler(void); // name and version of the compiler
