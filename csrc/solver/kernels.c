// csrc/solver/kernels.c - picks the table of kernels for an instruction set.
#include "solver/kernels.h"

const b2d_solver_kernels* b2d_solver_kernel_table(int32_t simd) {
    switch (simd) {
#if defined(__x86_64__)
    case B2D_SIMD_SSE2: return &b2d_solver_kernels_of_sse2;
    case B2D_SIMD_AVX2: return &b2d_solver_kernels_of_avx2;
    case B2D_SIMD_AVX512: return &b2d_solver_kernels_of_avx512;
#elif defined(__aarch64__)
    case B2D_SIMD_NEON: return &b2d_solver_kernels_of_neon;
#endif
    default: return &b2d_solver_kernels_of_scalar;
    }
}
