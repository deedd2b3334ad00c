// csrc/base/cpu.c - cpu features and the affinity mask.
//
// The compiler's runtime executes cpuid (and xgetbv: a vector set counts only if the system saves its registers) once
// for each process; doing so for each world would cost two traps of 8 us in a virtual machine.
#if !defined(_GNU_SOURCE) && !defined(_WIN32)
#define _GNU_SOURCE // sched_getaffinity
#endif
#include "base/cpu.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#if defined(_WIN32)
#define WIN32_LEAN_AND_MEAN
#include <windows.h>
#else
#include <unistd.h>
#if defined(__linux__)
#include <sched.h>
#endif
#endif

// Environment B2D_SIMD: the widest instruction set to use, as on a processor without wider ones. An unknown name
// leaves the scalar one. It is read once in a process, because the environment may change while other threads ask.
static int32_t limit_of_the_user(void) {
    static atomic_int known = -1;
    int32_t limit = atomic_load_explicit(&known, memory_order_relaxed);
    if (limit >= 0) return limit;
    static const char* const names[] = {
#define B2D_SIMD(NAME, name) #name,
#include "lists/simd.def"
#undef B2D_SIMD
    };
    const char* wanted = getenv("B2D_SIMD");
    limit = B2D_SIMD_COUNT - 1;
    if (wanted != NULL && *wanted != 0)
        while (limit > B2D_SIMD_SCALAR && strcmp(wanted, names[limit]) != 0) limit--;
    atomic_store_explicit(&known, limit, memory_order_relaxed);
    return limit;
}

bool b2d_cpu_has(int32_t simd) {
    if (simd > limit_of_the_user()) return false;
    switch (simd) {
#if defined(__x86_64__)
    case B2D_SIMD_AVX2: return __builtin_cpu_supports("avx2") != 0;
    case B2D_SIMD_AVX512:
        return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("avx512f") &&
               __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
#endif
    default: break;
    }
#define IS_OF_TARGET(NAME, name, unused) simd == B2D_SIMD_##NAME ||
    return B2D_SIMD_SETS(IS_OF_TARGET, ) false; // every processor of the target has it
#undef IS_OF_TARGET
}

// AVX-512 is the default where it does not lower the clock frequency: on processors of the generation that introduced
// VBMI2 (Ice Lake, Zen 4). There steps took 1 to 18 % less time than with AVX2 (docs/decisions/simd.md).
int32_t b2d_cpu_best(void) {
    int32_t best = B2D_SIMD_COUNT - 1;
    while (best > B2D_SIMD_SCALAR && !b2d_cpu_has(best)) best--;
#if defined(__x86_64__)
    if (best == B2D_SIMD_AVX512 && !__builtin_cpu_supports("avx512vbmi2")) best = B2D_SIMD_AVX2;
#endif
    return best;
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
