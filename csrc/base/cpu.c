// csrc/base/cpu.c - cpu features and the affinity mask.
//
// The compiler's runtime executes cpuid (and xgetbv: a vector set counts only if the system saves its registers) once
// for each process; doing so for each world would cost two traps of 8 us in a virtual machine.
#if !defined(_GNU_SOURCE) && !defined(_WIN32)
#define _GNU_SOURCE // sched_getaffinity
#endif
#include "base/cpu.h"

#if defined(_WIN32)
#define WIN32_LEAN_AND_MEAN
#include <windows.h>
#else
#include <unistd.h>
#if defined(__linux__)
#include <sched.h>
#endif
#endif

bool b2d_cpu_has(int32_t simd) {
    switch (simd) {
    case B2D_SIMD_SCALAR: return true;
#if defined(__x86_64__)
    case B2D_SIMD_SSE2: return true;
    case B2D_SIMD_AVX2: return __builtin_cpu_supports("avx2") != 0;
    case B2D_SIMD_AVX512:
        return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("avx512f") &&
               __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
#elif defined(__aarch64__)
    case B2D_SIMD_NEON: return true;
#endif
    default: return false;
    }
}

// AVX-512 is the default where it does not lower the clock frequency: on processors of the generation that introduced
// VBMI2 (Ice Lake, Zen 4). There steps took 1 to 18 % less time than with AVX2 (docs/decisions.md).
int32_t b2d_cpu_best(void) {
#if defined(__x86_64__)
    if (b2d_cpu_has(B2D_SIMD_AVX512) && __builtin_cpu_supports("avx512vbmi2")) return B2D_SIMD_AVX512;
#endif
    if (b2d_cpu_has(B2D_SIMD_AVX2)) return B2D_SIMD_AVX2;
    if (b2d_cpu_has(B2D_SIMD_SSE2)) return B2D_SIMD_SSE2;
    return b2d_cpu_has(B2D_SIMD_NEON) ? B2D_SIMD_NEON : B2D_SIMD_SCALAR;
}

int32_t b2d_cpu_count(void) {
#if defined(_WIN32)
    DWORD_PTR mine = 0, all = 0;
    int32_t count = GetProcessAffinityMask(GetCurrentProcess(), &mine, &all) ? b2d_popcount64(mine) : 0;
#else
    int32_t count = 0;
#if defined(__linux__)
    cpu_set_t set;
    if (sched_getaffinity(0, sizeof set, &set) == 0) count = CPU_COUNT(&set);
#endif
    if (count < 1) count = (int32_t)sysconf(_SC_NPROCESSORS_ONLN);
#endif
    return count < 1 ? 1 : count;
}

#if defined(__clang__)
const char* b2d_compiler(void) { return __VERSION__; } // contains the name of the compiler
#elif defined(__GNUC__)
const char* b2d_compiler(void) { return "gcc " __VERSION__; }
#else
const char* b2d_compiler(void) { return "unknown"; }
#endif
