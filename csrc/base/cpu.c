// csrc/base/cpu.c - cpuid and the affinity mask.
//
// A vector set counts only if the system also saves its registers (xgetbv), or the first switch of threads would lose them.
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

#if defined(__x86_64__)
#include <cpuid.h>
static uint32_t saved_registers(void) {
    uint32_t low, high;
    __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
    return low;
}

// Features as bits of leaf 7's ebx, with those removed that the system does not support.
static uint32_t extended_features(void) {
    uint32_t a, b, c, d;
    if (!__get_cpuid(1, &a, &b, &c, &d)) return 0;
    if ((c & bit_OSXSAVE) == 0 || (c & bit_AVX) == 0) return 0;
    uint32_t saved = saved_registers();
    if ((saved & 0x06) != 0x06) return 0; // xmm and ymm
    if (!__get_cpuid_count(7, 0, &a, &b, &c, &d)) return 0;
    if ((saved & 0xe0) != 0xe0) b &= ~(1u << 16); // mask registers and zmm; 16 = AVX512F
    return b;
}
#endif

bool b2d_cpu_has(int32_t simd) {
    switch (simd) {
    case B2D_SIMD_SCALAR: return true;
#if defined(__x86_64__)
    case B2D_SIMD_SSE2: return true;
    case B2D_SIMD_AVX2: return (extended_features() & 1u << 5) != 0;
    case B2D_SIMD_AVX512: {
        const uint32_t needed = 1u << 5 | 1u << 16 | 1u << 17 | 1u << 31; // AVX2, F, DQ, VL
        return (extended_features() & needed) == needed;
    }
#elif defined(__aarch64__)
    case B2D_SIMD_NEON: return true;
#endif
    default: return false;
    }
}

// AVX-512 is not chosen by itself: AVX2 has as many lanes in flight here and no lower clock.
int32_t b2d_cpu_best(void) {
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
