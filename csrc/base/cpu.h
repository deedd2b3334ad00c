// csrc/base/cpu.h - which instruction sets this processor has, and how many processors the process may use.
#pragma once
#include "base/core.h"
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
