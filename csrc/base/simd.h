// csrc/base/simd.h - one set of vector operations: kernels are written once and compiled for each instruction set.
//
// A translation unit defines exactly one of B2D_ISA_SCALAR, _SSE2, _AVX2, _AVX512, _NEON, _WASM, includes this file
// (which switches the compiler to that instruction set), then the kernel's .inl, and base/simd_end.h last. Where the
// target does not have the set, this file defines only B2D_ISA_ABSENT, and the unit must be empty. B2D_KERNEL(name)
// appends the name of the set. V_LANES is 1, 4, 8, 16, 4 and 4. All functions are static: otherwise the linker might
// pick an AVX copy for an old CPU. Every operation is a single IEEE operation per lane, in one order, never fused, so
// lanes of all widths agree to the bit.
//
// Types: vf (V_LANES floats), vm (V_LANES booleans).
//   vf v_load(const float* p); void v_store(float* p, vf a);      p aligned to the vector, or to 64 bytes
//   vf v_set(float a); vf v_zero(void);
//   vf v_add(a, b), v_sub, v_mul, v_div; vf v_sqrt(a), v_abs(a), v_neg(a);
//   vf v_min(a, b) = a < b ? a : b; vf v_max(a, b) = a > b ? a : b;
//   vm v_lt(a, b), v_le, v_gt, v_ge, v_eq; vm m_and(a, b), m_or, m_not(a), m_andnot(a, b) = a & ~b;
//   vf v_select(vm m, vf yes, vf no);
//   uint32_t m_bits(vm m): bit i = lane i; vm m_from_bits(uint32_t bits);
//   vf v_mask(vm m, vf a) = m ? a : +0;
//   void v_gather8(const float* base, const int32_t* index, vf out[8]):
//       out[k][lane] = base[8 * index[lane] + k]; index may be -1;
//       rows are 32-byte aligned: full-row loads and a transpose.
//   void v_scatter4(float* base, const int32_t* index, vf in[4]):
//       base[8 * index[lane] + k] = in[k][lane], k < 4, all lanes.
//   void v_scatter4_some(float* base, const int32_t* index, vf in[4], uint32_t lanes):
//       the same for the lanes in the bit mask.
//   void v_gather4(const float* const* rows, vf out[4]): out[k][lane] = rows[lane][k]; rows 16-byte aligned.
//   void v_between(const double* const* from, const double* const* to, vf out[2]):
//       out[k][lane] = (float)(to[lane][k] - from[lane][k]); rows 16-byte aligned.
#pragma once
#include "base/core.h"
#include <math.h>
#include <string.h>

// The pragma's argument is not macro-expanded, hence one literal line per set and compiler. FMA is not asked for.
#if defined(B2D_ISA_SCALAR)
#define B2D_KERNEL(name) name##_scalar
#elif defined(B2D_ISA_SSE2) && defined(__x86_64__)
#include <emmintrin.h>
#define B2D_KERNEL(name) name##_sse2
#elif defined(B2D_ISA_AVX2) && defined(__x86_64__)
#include <immintrin.h>
#define B2D_KERNEL(name) name##_avx2
#if defined(__clang__)
#define B2D_ISA_PUSHED
#pragma clang attribute push(__attribute__((target("avx2"))), apply_to = function)
#else
#pragma GCC target("avx2")
#endif
#elif defined(B2D_ISA_AVX512) && defined(__x86_64__)
#include <immintrin.h>
#define B2D_KERNEL(name) name##_avx512
#if defined(__clang__)
#define B2D_ISA_PUSHED
#pragma clang attribute push(__attribute__((target("avx512f,avx512dq,avx512vl"))), apply_to = function)
#else
#pragma GCC target("avx512f,avx512dq,avx512vl")
#endif
#elif defined(B2D_ISA_NEON) && defined(__aarch64__)
#include <arm_neon.h>
#define B2D_KERNEL(name) name##_neon
#elif defined(B2D_ISA_WASM) && defined(__wasm_simd128__)
#include <wasm_simd128.h>
#define B2D_KERNEL(name) name##_wasm
#else
#define B2D_ISA_ABSENT
#endif

#if !defined(B2D_ISA_ABSENT)
#define V_OP     static inline __attribute__((always_inline))
// Row i of a gather or scatter. These are written out, not looped: gcc unrolls too late to keep arrays in registers.
#define V_ROW(i) (base + 8 * (ptrdiff_t)index[i])

#if defined(B2D_ISA_SCALAR) // ---------------------------------------------------------------------------------- scalar
enum { V_LANES = 1 };
typedef float vf;
typedef bool vm;

V_OP vf v_load(const float* p) { return *p; }
V_OP void v_store(float* p, vf a) { *p = a; }
V_OP vf v_set(float a) { return a; }
V_OP vf v_zero(void) { return 0.0f; }
V_OP vf v_add(vf a, vf b) { return a + b; }
V_OP vf v_sub(vf a, vf b) { return a - b; }
V_OP vf v_mul(vf a, vf b) { return a * b; }
V_OP vf v_div(vf a, vf b) { return a / b; }
V_OP vf v_sqrt(vf a) { return sqrtf(a); }
V_OP vf v_abs(vf a) { return fabsf(a); }
V_OP vf v_neg(vf a) { return -a; }
V_OP vf v_min(vf a, vf b) { return a < b ? a : b; }
V_OP vf v_max(vf a, vf b) { return a > b ? a : b; }
V_OP vm v_lt(vf a, vf b) { return a < b; }
V_OP vm v_le(vf a, vf b) { return a <= b; }
V_OP vm v_gt(vf a, vf b) { return a > b; }
V_OP vm v_ge(vf a, vf b) { return a >= b; }
V_OP vm v_eq(vf a, vf b) { return a == b; }
V_OP vm m_and(vm a, vm b) { return a && b; }
V_OP vm m_or(vm a, vm b) { return a || b; }
V_OP vm m_not(vm a) { return !a; }
V_OP vm m_andnot(vm a, vm b) { return a && !b; }
V_OP uint32_t m_bits(vm m) { return m ? 1u : 0u; }
V_OP vm m_from_bits(uint32_t bits) { return (bits & 1u) != 0; }
V_OP vf v_select(vm m, vf yes, vf no) { return m ? yes : no; }
V_OP vf v_mask(vm m, vf a) { return m ? a : 0.0f; }

V_OP void v_gather8(const float* base, const int32_t* index, vf out[8]) {
    const float* row = base + 8 * (ptrdiff_t)index[0];
    for (int k = 0; k < 8; k++) out[k] = row[k];
}
V_OP void v_gather4(const float* const* rows, vf out[4]) {
    for (int k = 0; k < 4; k++) out[k] = rows[0][k];
}
V_OP void v_between(const double* const* from, const double* const* to, vf out[2]) {
    for (int k = 0; k < 2; k++) out[k] = (float)(to[0][k] - from[0][k]);
}
V_OP void v_scatter4(float* base, const int32_t* index, vf in[4]) {
    // One store: a vector that is loaded next could not be forwarded from four
    typedef float row4 __attribute__((vector_size(16), may_alias));
    *(row4*)(base + 8 * (ptrdiff_t)index[0]) = (row4){in[0], in[1], in[2], in[3]};
}
V_OP void v_scatter4_some(float* base, const int32_t* index, vf in[4], uint32_t lanes) {
    if (lanes & 1u) v_scatter4(base, index, in);
}

#elif defined(B2D_ISA_SSE2) // ------------------------------------------------------------------------------------ SSE2
enum { V_LANES = 4 };
typedef __m128 vf;
typedef __m128 vm; // all ones or all zeros

V_OP vf v_load(const float* p) { return _mm_load_ps(p); }
V_OP void v_store(float* p, vf a) { _mm_store_ps(p, a); }
V_OP vf v_set(float a) { return _mm_set1_ps(a); }
V_OP vf v_zero(void) { return _mm_setzero_ps(); }
V_OP vf v_add(vf a, vf b) { return _mm_add_ps(a, b); }
V_OP vf v_sub(vf a, vf b) { return _mm_sub_ps(a, b); }
V_OP vf v_mul(vf a, vf b) { return _mm_mul_ps(a, b); }
V_OP vf v_div(vf a, vf b) { return _mm_div_ps(a, b); }
V_OP vf v_sqrt(vf a) { return _mm_sqrt_ps(a); }
V_OP vf v_abs(vf a) { return _mm_andnot_ps(_mm_set1_ps(-0.0f), a); }
V_OP vf v_neg(vf a) { return _mm_xor_ps(_mm_set1_ps(-0.0f), a); }
V_OP vf v_min(vf a, vf b) { return _mm_min_ps(a, b); } // minps is a < b ? a : b, also for NaN and zeros of both signs
V_OP vf v_max(vf a, vf b) { return _mm_max_ps(a, b); }
V_OP vm v_lt(vf a, vf b) { return _mm_cmplt_ps(a, b); }
V_OP vm v_le(vf a, vf b) { return _mm_cmple_ps(a, b); }
V_OP vm v_gt(vf a, vf b) { return _mm_cmplt_ps(b, a); }
V_OP vm v_ge(vf a, vf b) { return _mm_cmple_ps(b, a); }
V_OP vm v_eq(vf a, vf b) { return _mm_cmpeq_ps(a, b); }
V_OP vm m_and(vm a, vm b) { return _mm_and_ps(a, b); }
V_OP vm m_or(vm a, vm b) { return _mm_or_ps(a, b); }
V_OP vm m_not(vm a) { return _mm_xor_ps(a, _mm_castsi128_ps(_mm_set1_epi32(-1))); }
V_OP vm m_andnot(vm a, vm b) { return _mm_andnot_ps(b, a); } // the instruction negates its first operand
V_OP uint32_t m_bits(vm m) { return (uint32_t)_mm_movemask_ps(m); }
V_OP vm m_from_bits(uint32_t bits) {
    __m128i lane = _mm_setr_epi32(1, 2, 4, 8);
    return _mm_castsi128_ps(_mm_cmpeq_epi32(_mm_and_si128(_mm_set1_epi32((int)bits), lane), lane));
}
V_OP vf v_select(vm m, vf yes, vf no) { return _mm_or_ps(_mm_and_ps(m, yes), _mm_andnot_ps(m, no)); }
V_OP vf v_mask(vm m, vf a) { return _mm_and_ps(m, a); }

// 4 x 4 transpose; `to` may be `from`.
V_OP void v_transpose(const __m128* from, __m128* to) {
    __m128 a = _mm_unpacklo_ps(from[0], from[1]), b = _mm_unpackhi_ps(from[0], from[1]);
    __m128 c = _mm_unpacklo_ps(from[2], from[3]), d = _mm_unpackhi_ps(from[2], from[3]);
    to[0] = _mm_shuffle_ps(a, c, 0x44);
    to[1] = _mm_shuffle_ps(a, c, 0xee);
    to[2] = _mm_shuffle_ps(b, d, 0x44);
    to[3] = _mm_shuffle_ps(b, d, 0xee);
}
V_OP void v_gather4(const float* const* rows, vf out[4]) {
    __m128 r[4] = {_mm_load_ps(rows[0]), _mm_load_ps(rows[1]), _mm_load_ps(rows[2]), _mm_load_ps(rows[3])};
    v_transpose(r, out);
}
V_OP void v_gather8(const float* base, const int32_t* index, vf out[8]) {
    const float *p = V_ROW(0), *q = V_ROW(1), *r = V_ROW(2), *t = V_ROW(3);
    __m128 low[4] = {_mm_load_ps(p), _mm_load_ps(q), _mm_load_ps(r), _mm_load_ps(t)};
    __m128 high[4] = {_mm_load_ps(p + 4), _mm_load_ps(q + 4), _mm_load_ps(r + 4), _mm_load_ps(t + 4)};
    v_transpose(low, out);
    v_transpose(high, out + 4);
}
V_OP void v_to_rows(const vf in[4], __m128 rows[4]) { v_transpose(in, rows); }

#elif defined(B2D_ISA_AVX2) // ------------------------------------------------------------------------------------ AVX2
enum { V_LANES = 8 };
typedef __m256 vf;
typedef __m256 vm;
V_OP vf v_load(const float* p) { return _mm256_load_ps(p); }
V_OP void v_store(float* p, vf a) { _mm256_store_ps(p, a); }
V_OP vf v_set(float a) { return _mm256_set1_ps(a); }
V_OP vf v_zero(void) { return _mm256_setzero_ps(); }
V_OP vf v_add(vf a, vf b) { return _mm256_add_ps(a, b); }
V_OP vf v_sub(vf a, vf b) { return _mm256_sub_ps(a, b); }
V_OP vf v_mul(vf a, vf b) { return _mm256_mul_ps(a, b); }
V_OP vf v_div(vf a, vf b) { return _mm256_div_ps(a, b); }
V_OP vf v_sqrt(vf a) { return _mm256_sqrt_ps(a); }
V_OP vf v_abs(vf a) { return _mm256_andnot_ps(_mm256_set1_ps(-0.0f), a); }
V_OP vf v_neg(vf a) { return _mm256_xor_ps(_mm256_set1_ps(-0.0f), a); }
V_OP vf v_min(vf a, vf b) { return _mm256_min_ps(a, b); } // minps is a < b ? a : b, also for NaN and -0
V_OP vf v_max(vf a, vf b) { return _mm256_max_ps(a, b); }
V_OP vm v_lt(vf a, vf b) { return _mm256_cmp_ps(a, b, _CMP_LT_OQ); }
V_OP vm v_le(vf a, vf b) { return _mm256_cmp_ps(a, b, _CMP_LE_OQ); }
V_OP vm v_gt(vf a, vf b) { return _mm256_cmp_ps(a, b, _CMP_GT_OQ); }
V_OP vm v_ge(vf a, vf b) { return _mm256_cmp_ps(a, b, _CMP_GE_OQ); }
V_OP vm v_eq(vf a, vf b) { return _mm256_cmp_ps(a, b, _CMP_EQ_OQ); }
V_OP vm m_and(vm a, vm b) { return _mm256_and_ps(a, b); }
V_OP vm m_or(vm a, vm b) { return _mm256_or_ps(a, b); }
V_OP vm m_not(vm a) { return _mm256_xor_ps(a, _mm256_castsi256_ps(_mm256_set1_epi32(-1))); }
V_OP vm m_andnot(vm a, vm b) { return _mm256_andnot_ps(b, a); } // the instruction negates its first operand
V_OP uint32_t m_bits(vm m) { return (uint32_t)_mm256_movemask_ps(m); }
V_OP vm m_from_bits(uint32_t bits) {
    __m256i all = _mm256_set1_epi32((int)bits), low = _mm256_setr_epi32(1, 2, 4, 8, 16, 32, 64, 128);
    return _mm256_castsi256_ps(_mm256_cmpeq_epi32(_mm256_and_si256(all, low), low));
}
V_OP vf v_select(vm m, vf yes, vf no) { return _mm256_blendv_ps(no, yes, m); }
V_OP vf v_mask(vm m, vf a) { return _mm256_and_ps(m, a); }

// 4 x 4 transposes of both 128-bit halves at once. Half rows are loaded as 128 bits: a scatter wrote them that way, so
// the store buffer can forward them, and no shuffle has to cross the halves.
V_OP void v_transpose(const __m256* from, __m256* to) {
    __m256 a = _mm256_unpacklo_ps(from[0], from[1]), b = _mm256_unpackhi_ps(from[0], from[1]);
    __m256 c = _mm256_unpacklo_ps(from[2], from[3]), d = _mm256_unpackhi_ps(from[2], from[3]);
    to[0] = _mm256_shuffle_ps(a, c, 0x44);
    to[1] = _mm256_shuffle_ps(a, c, 0xee);
    to[2] = _mm256_shuffle_ps(b, d, 0x44);
    to[3] = _mm256_shuffle_ps(b, d, 0xee);
}
V_OP __m256 v_join(const float* low, const float* high) {
    return _mm256_insertf128_ps(_mm256_castps128_ps256(_mm_load_ps(low)), _mm_load_ps(high), 1);
}
V_OP void v_gather4(const float* const* rows, vf out[4]) {
    __m256 r[4] = {v_join(rows[0], rows[4]), v_join(rows[1], rows[5]), v_join(rows[2], rows[6]),
                   v_join(rows[3], rows[7])};
    v_transpose(r, out);
}
#define V_PAIR(i, part) v_join(V_ROW(i) + (part), V_ROW((i) + 4) + (part))
V_OP void v_gather8(const float* base, const int32_t* index, vf out[8]) {
    __m256 a[4] = {V_PAIR(0, 0), V_PAIR(1, 0), V_PAIR(2, 0), V_PAIR(3, 0)};
    __m256 b[4] = {V_PAIR(0, 4), V_PAIR(1, 4), V_PAIR(2, 4), V_PAIR(3, 4)};
    v_transpose(a, out);
    v_transpose(b, out + 4);
}
#undef V_PAIR
V_OP void v_to_rows(const vf in[4], __m128 rows[8]) {
    __m256 a[4];
    v_transpose(in, a);
#define V_SPLIT(i)                          \
    rows[i] = _mm256_castps256_ps128(a[i]); \
    rows[i + 4] = _mm256_extractf128_ps(a[i], 1)
    V_SPLIT(0);
    V_SPLIT(1);
    V_SPLIT(2);
    V_SPLIT(3);
#undef V_SPLIT
}

#elif defined(B2D_ISA_AVX512) // ------------------------------------------------------------------------------ AVX-512
enum { V_LANES = 16 };
typedef __m512 vf;
typedef __mmask16 vm;

V_OP vf v_load(const float* p) { return _mm512_load_ps(p); }
V_OP void v_store(float* p, vf a) { _mm512_store_ps(p, a); }
V_OP vf v_set(float a) { return _mm512_set1_ps(a); }
V_OP vf v_zero(void) { return _mm512_setzero_ps(); }
V_OP vf v_add(vf a, vf b) { return _mm512_add_ps(a, b); }
V_OP vf v_sub(vf a, vf b) { return _mm512_sub_ps(a, b); }
V_OP vf v_mul(vf a, vf b) { return _mm512_mul_ps(a, b); }
V_OP vf v_div(vf a, vf b) { return _mm512_div_ps(a, b); }
V_OP vf v_sqrt(vf a) { return _mm512_sqrt_ps(a); }
V_OP vf v_abs(vf a) { return _mm512_andnot_ps(_mm512_set1_ps(-0.0f), a); }
V_OP vf v_neg(vf a) { return _mm512_xor_ps(_mm512_set1_ps(-0.0f), a); }
// vminps is a < b ? a : b, also for NaN and zeros of both signs
V_OP vf v_min(vf a, vf b) { return _mm512_min_ps(a, b); }
V_OP vf v_max(vf a, vf b) { return _mm512_max_ps(a, b); }
V_OP vm v_lt(vf a, vf b) { return _mm512_cmp_ps_mask(a, b, _CMP_LT_OQ); }
V_OP vm v_le(vf a, vf b) { return _mm512_cmp_ps_mask(a, b, _CMP_LE_OQ); }
V_OP vm v_gt(vf a, vf b) { return _mm512_cmp_ps_mask(a, b, _CMP_GT_OQ); }
V_OP vm v_ge(vf a, vf b) { return _mm512_cmp_ps_mask(a, b, _CMP_GE_OQ); }
V_OP vm v_eq(vf a, vf b) { return _mm512_cmp_ps_mask(a, b, _CMP_EQ_OQ); }
V_OP vm m_and(vm a, vm b) { return (vm)(a & b); }
V_OP vm m_or(vm a, vm b) { return (vm)(a | b); }
V_OP vm m_not(vm a) { return (vm)~a; }
V_OP vm m_andnot(vm a, vm b) { return (vm)(a & ~b); }
V_OP uint32_t m_bits(vm m) { return m; }
V_OP vm m_from_bits(uint32_t bits) { return (vm)bits; }
V_OP vf v_select(vm m, vf yes, vf no) { return _mm512_mask_blend_ps(m, no, yes); }
V_OP vf v_mask(vm m, vf a) { return _mm512_maskz_mov_ps(m, a); }

// 4 x 4 transposes of all four 128-bit quarters at once; quarter q holds lanes 4 q to 4 q + 3.
V_OP void v_transpose(const __m512* from, __m512* to) {
    __m512 a = _mm512_unpacklo_ps(from[0], from[1]), b = _mm512_unpackhi_ps(from[0], from[1]);
    __m512 c = _mm512_unpacklo_ps(from[2], from[3]), d = _mm512_unpackhi_ps(from[2], from[3]);
    to[0] = _mm512_shuffle_ps(a, c, 0x44);
    to[1] = _mm512_shuffle_ps(a, c, 0xee);
    to[2] = _mm512_shuffle_ps(b, d, 0x44);
    to[3] = _mm512_shuffle_ps(b, d, 0xee);
}
V_OP __m512 v_join(const float* p, const float* q, const float* r, const float* s) {
    __m512 low = _mm512_insertf32x4(_mm512_castps128_ps512(_mm_load_ps(p)), _mm_load_ps(q), 1);
    return _mm512_insertf32x4(_mm512_insertf32x4(low, _mm_load_ps(r), 2), _mm_load_ps(s), 3);
}
#define V_QUAD(i) v_join(rows[i], rows[(i) + 4], rows[(i) + 8], rows[(i) + 12])
V_OP void v_gather4(const float* const* rows, vf out[4]) {
    __m512 r[4] = {V_QUAD(0), V_QUAD(1), V_QUAD(2), V_QUAD(3)};
    v_transpose(r, out);
}
#undef V_QUAD
// Loads whole rows: half the loads and a third of the inserts, for eight more shuffles. A half row written just before
// (by a colour of less than four blocks) cannot be forwarded to such a load, which then waits for the cache; the gain
// is 5 % nevertheless.
V_OP __m512 v_two(const float* p, const float* q) {
    return _mm512_castpd_ps(_mm512_insertf64x4(_mm512_castpd256_pd512(_mm256_load_pd((const double*)p)),
                                               _mm256_load_pd((const double*)q), 1));
}
V_OP void v_gather8(const float* base, const int32_t* index, vf out[8]) {
    __m512 low[4] = {v_two(V_ROW(0), V_ROW(4)), v_two(V_ROW(1), V_ROW(5)), v_two(V_ROW(2), V_ROW(6)),
                     v_two(V_ROW(3), V_ROW(7))};
    __m512 high[4] = {v_two(V_ROW(8), V_ROW(12)), v_two(V_ROW(9), V_ROW(13)), v_two(V_ROW(10), V_ROW(14)),
                      v_two(V_ROW(11), V_ROW(15))};
    __m512 t[4], u[4];
    v_transpose(low, t);
    v_transpose(high, u);
    out[0] = _mm512_shuffle_f32x4(t[0], u[0], 0x88);
    out[1] = _mm512_shuffle_f32x4(t[1], u[1], 0x88);
    out[2] = _mm512_shuffle_f32x4(t[2], u[2], 0x88);
    out[3] = _mm512_shuffle_f32x4(t[3], u[3], 0x88);
    out[4] = _mm512_shuffle_f32x4(t[0], u[0], 0xdd);
    out[5] = _mm512_shuffle_f32x4(t[1], u[1], 0xdd);
    out[6] = _mm512_shuffle_f32x4(t[2], u[2], 0xdd);
    out[7] = _mm512_shuffle_f32x4(t[3], u[3], 0xdd);
}
V_OP void v_to_rows(const vf in[4], __m128 rows[16]) {
    __m512 r[4];
    v_transpose(in, r);
#define V_SPLIT(i)                                 \
    rows[i] = _mm512_castps512_ps128(r[i]);        \
    rows[i + 4] = _mm512_extractf32x4_ps(r[i], 1); \
    rows[i + 8] = _mm512_extractf32x4_ps(r[i], 2); \
    rows[i + 12] = _mm512_extractf32x4_ps(r[i], 3)
    V_SPLIT(0);
    V_SPLIT(1);
    V_SPLIT(2);
    V_SPLIT(3);
#undef V_SPLIT
}

#elif defined(B2D_ISA_NEON) // ------------------------------------------------------------------------------------ NEON
enum { V_LANES = 4 };
typedef float32x4_t vf;
typedef uint32x4_t vm; // all ones or all zeros

V_OP vf v_load(const float* p) { return vld1q_f32(p); }
V_OP void v_store(float* p, vf a) { vst1q_f32(p, a); }
V_OP vf v_set(float a) { return vdupq_n_f32(a); }
V_OP vf v_zero(void) { return vdupq_n_f32(0.0f); }
V_OP vf v_add(vf a, vf b) { return vaddq_f32(a, b); }
V_OP vf v_sub(vf a, vf b) { return vsubq_f32(a, b); }
V_OP vf v_mul(vf a, vf b) { return vmulq_f32(a, b); }
V_OP vf v_div(vf a, vf b) { return vdivq_f32(a, b); }
V_OP vf v_sqrt(vf a) { return vsqrtq_f32(a); }
V_OP vf v_abs(vf a) { return vabsq_f32(a); }
V_OP vf v_neg(vf a) { return vnegq_f32(a); }
V_OP vm v_lt(vf a, vf b) { return vcltq_f32(a, b); }
V_OP vm v_le(vf a, vf b) { return vcleq_f32(a, b); }
V_OP vm v_gt(vf a, vf b) { return vcgtq_f32(a, b); }
V_OP vm v_ge(vf a, vf b) { return vcgeq_f32(a, b); }
V_OP vm v_eq(vf a, vf b) { return vceqq_f32(a, b); }
V_OP vf v_min(vf a, vf b) { return vbslq_f32(vcltq_f32(a, b), a, b); } // fmin orders NaN and zeros otherwise
V_OP vf v_max(vf a, vf b) { return vbslq_f32(vcgtq_f32(a, b), a, b); }
V_OP vm m_and(vm a, vm b) { return vandq_u32(a, b); }
V_OP vm m_or(vm a, vm b) { return vorrq_u32(a, b); }
V_OP vm m_not(vm a) { return vmvnq_u32(a); }
V_OP vm m_andnot(vm a, vm b) { return vbicq_u32(a, b); }
V_OP uint32x4_t v_lane_bits(void) {
    const uint32_t bits[4] = {1, 2, 4, 8};
    return vld1q_u32(bits);
}
V_OP uint32_t m_bits(vm m) { return vaddvq_u32(vandq_u32(m, v_lane_bits())); }
V_OP vm m_from_bits(uint32_t bits) { return vtstq_u32(vdupq_n_u32(bits), v_lane_bits()); }
V_OP vf v_select(vm m, vf yes, vf no) { return vbslq_f32(m, yes, no); }
V_OP vf v_mask(vm m, vf a) { return vreinterpretq_f32_u32(vandq_u32(m, vreinterpretq_u32_f32(a))); }

// 4 x 4 transpose; `to` may be `from`.
V_OP void v_transpose(const float32x4_t* from, float32x4_t* to) {
    float64x2_t a = vreinterpretq_f64_f32(vtrn1q_f32(from[0], from[1])),
                b = vreinterpretq_f64_f32(vtrn2q_f32(from[0], from[1]));
    float64x2_t c = vreinterpretq_f64_f32(vtrn1q_f32(from[2], from[3])),
                d = vreinterpretq_f64_f32(vtrn2q_f32(from[2], from[3]));
    to[0] = vreinterpretq_f32_f64(vtrn1q_f64(a, c));
    to[1] = vreinterpretq_f32_f64(vtrn1q_f64(b, d));
    to[2] = vreinterpretq_f32_f64(vtrn2q_f64(a, c));
    to[3] = vreinterpretq_f32_f64(vtrn2q_f64(b, d));
}
V_OP void v_gather4(const float* const* rows, vf out[4]) {
    float32x4_t r[4] = {vld1q_f32(rows[0]), vld1q_f32(rows[1]), vld1q_f32(rows[2]), vld1q_f32(rows[3])};
    v_transpose(r, out);
}
V_OP void v_gather8(const float* base, const int32_t* index, vf out[8]) {
    const float *p = V_ROW(0), *q = V_ROW(1), *r = V_ROW(2), *t = V_ROW(3);
    float32x4_t low[4] = {vld1q_f32(p), vld1q_f32(q), vld1q_f32(r), vld1q_f32(t)};
    float32x4_t high[4] = {vld1q_f32(p + 4), vld1q_f32(q + 4), vld1q_f32(r + 4), vld1q_f32(t + 4)};
    v_transpose(low, out);
    v_transpose(high, out + 4);
}
V_OP void v_to_rows(const vf in[4], float32x4_t rows[4]) { v_transpose(in, rows); }

#elif defined(B2D_ISA_WASM) // ----------------------------------------------------------------------------- WebAssembly
enum { V_LANES = 4 };
typedef v128_t vf;
typedef v128_t vm; // all ones or all zeros

V_OP vf v_load(const float* p) { return wasm_v128_load(p); }
V_OP void v_store(float* p, vf a) { wasm_v128_store(p, a); }
V_OP vf v_set(float a) { return wasm_f32x4_splat(a); }
V_OP vf v_zero(void) { return wasm_f32x4_splat(0.0f); }
V_OP vf v_add(vf a, vf b) { return wasm_f32x4_add(a, b); }
V_OP vf v_sub(vf a, vf b) { return wasm_f32x4_sub(a, b); }
V_OP vf v_mul(vf a, vf b) { return wasm_f32x4_mul(a, b); }
V_OP vf v_div(vf a, vf b) { return wasm_f32x4_div(a, b); }
V_OP vf v_sqrt(vf a) { return wasm_f32x4_sqrt(a); }
V_OP vf v_abs(vf a) { return wasm_f32x4_abs(a); }
V_OP vf v_neg(vf a) { return wasm_f32x4_neg(a); }
V_OP vf v_min(vf a, vf b) { return wasm_f32x4_pmin(b, a); } // pmin(x, y) is y < x ? y : x, also for NaN and -0
V_OP vf v_max(vf a, vf b) { return wasm_f32x4_pmax(b, a); } // pmax(x, y) is x < y ? y : x
V_OP vm v_lt(vf a, vf b) { return wasm_f32x4_lt(a, b); }
V_OP vm v_le(vf a, vf b) { return wasm_f32x4_le(a, b); }
V_OP vm v_gt(vf a, vf b) { return wasm_f32x4_gt(a, b); }
V_OP vm v_ge(vf a, vf b) { return wasm_f32x4_ge(a, b); }
V_OP vm v_eq(vf a, vf b) { return wasm_f32x4_eq(a, b); }
V_OP vm m_and(vm a, vm b) { return wasm_v128_and(a, b); }
V_OP vm m_or(vm a, vm b) { return wasm_v128_or(a, b); }
V_OP vm m_not(vm a) { return wasm_v128_not(a); }
V_OP vm m_andnot(vm a, vm b) { return wasm_v128_andnot(a, b); }
V_OP uint32_t m_bits(vm m) { return (uint32_t)wasm_i32x4_bitmask(m); }
V_OP vm m_from_bits(uint32_t bits) {
    const v128_t lane = wasm_i32x4_const(1, 2, 4, 8);
    return wasm_i32x4_eq(wasm_v128_and(wasm_i32x4_splat((int32_t)bits), lane), lane);
}
V_OP vf v_select(vm m, vf yes, vf no) { return wasm_v128_bitselect(yes, no, m); }
V_OP vf v_mask(vm m, vf a) { return wasm_v128_and(m, a); }

// 4 x 4 transpose; `to` may be `from`.
V_OP void v_transpose(const v128_t* from, v128_t* to) {
    const v128_t a = wasm_i32x4_shuffle(from[0], from[1], 0, 4, 1, 5),
                 b = wasm_i32x4_shuffle(from[0], from[1], 2, 6, 3, 7);
    const v128_t c = wasm_i32x4_shuffle(from[2], from[3], 0, 4, 1, 5),
                 d = wasm_i32x4_shuffle(from[2], from[3], 2, 6, 3, 7);
    to[0] = wasm_i64x2_shuffle(a, c, 0, 2);
    to[1] = wasm_i64x2_shuffle(a, c, 1, 3);
    to[2] = wasm_i64x2_shuffle(b, d, 0, 2);
    to[3] = wasm_i64x2_shuffle(b, d, 1, 3);
}
V_OP void v_gather4(const float* const* rows, vf out[4]) {
    v128_t r[4] = {v_load(rows[0]), v_load(rows[1]), v_load(rows[2]), v_load(rows[3])};
    v_transpose(r, out);
}
V_OP void v_gather8(const float* base, const int32_t* index, vf out[8]) {
    const float *p = V_ROW(0), *q = V_ROW(1), *r = V_ROW(2), *t = V_ROW(3);
    v128_t low[4] = {v_load(p), v_load(q), v_load(r), v_load(t)};
    v128_t high[4] = {v_load(p + 4), v_load(q + 4), v_load(r + 4), v_load(t + 4)};
    v_transpose(low, out);
    v_transpose(high, out + 4);
}
V_OP void v_to_rows(const vf in[4], v128_t rows[4]) { v_transpose(in, rows); }
#endif

#if !defined(B2D_ISA_SCALAR) // the scatters of all vector sets: rows of 128 bits, stored one by one
#if defined(B2D_ISA_NEON)
typedef float32x4_t v_row;
#define V_STORE_ROW(p, row) vst1q_f32(p, row)
#elif defined(B2D_ISA_WASM)
typedef v128_t v_row;
#define V_STORE_ROW(p, row) wasm_v128_store(p, row)
#else
typedef __m128 v_row;
#define V_STORE_ROW(p, row) _mm_store_ps(p, row)
#endif
#define V_STORE_FOUR(i)                                                         \
    V_STORE_ROW(V_ROW(i), rows[i]), V_STORE_ROW(V_ROW((i) + 1), rows[(i) + 1]), \
        V_STORE_ROW(V_ROW((i) + 2), rows[(i) + 2]), V_STORE_ROW(V_ROW((i) + 3), rows[(i) + 3])
V_OP void v_scatter4(float* base, const int32_t* index, vf in[4]) {
    v_row rows[V_LANES];
    v_to_rows(in, rows);
    V_STORE_FOUR(0);
#if defined(B2D_ISA_AVX2) || defined(B2D_ISA_AVX512)
    V_STORE_FOUR(4);
#endif
#if defined(B2D_ISA_AVX512)
    V_STORE_FOUR(8);
    V_STORE_FOUR(12);
#endif
}
#undef V_STORE_FOUR
#if defined(B2D_ISA_AVX512) || defined(B2D_ISA_NEON) || defined(B2D_ISA_WASM)
#define V_RARE V_OP
#else // not inline: gcc would compute the rows of both scatters before it knows which is needed, and spill them
#define V_RARE static __attribute__((noinline, unused))
#endif
V_RARE void v_scatter4_some(float* base, const int32_t* index, const vf in[4], uint32_t lanes) {
    v_row rows[V_LANES];
    v_to_rows(in, rows);
    for (int i = 0; i < V_LANES; i++)
        if (lanes >> i & 1u) V_STORE_ROW(V_ROW(i), rows[i]);
}
#undef V_STORE_ROW
#undef V_RARE

// Of four lanes
#if defined(B2D_ISA_NEON)
V_OP void v_between4(const double* const* from, const double* const* to, v_row out[2]) {
#define V_DIFFERENCE(i) vcvt_f32_f64(vsubq_f64(vld1q_f64(to[i]), vld1q_f64(from[i])))
    v_row low = vcombine_f32(V_DIFFERENCE(0), V_DIFFERENCE(1)), high = vcombine_f32(V_DIFFERENCE(2), V_DIFFERENCE(3));
    out[0] = vuzp1q_f32(low, high), out[1] = vuzp2q_f32(low, high);
}
#elif defined(B2D_ISA_WASM)
V_OP void v_between4(const double* const* from, const double* const* to, v_row out[2]) {
#define V_DIFFERENCE(i) wasm_f32x4_demote_f64x2_zero(wasm_f64x2_sub(wasm_v128_load(to[i]), wasm_v128_load(from[i])))
    const v_row low = wasm_i64x2_shuffle(V_DIFFERENCE(0), V_DIFFERENCE(1), 0, 2),
                high = wasm_i64x2_shuffle(V_DIFFERENCE(2), V_DIFFERENCE(3), 0, 2);
    out[0] = wasm_i32x4_shuffle(low, high, 0, 2, 4, 6), out[1] = wasm_i32x4_shuffle(low, high, 1, 3, 5, 7);
}
#else
V_OP void v_between4(const double* const* from, const double* const* to, v_row out[2]) {
#define V_DIFFERENCE(i) _mm_cvtpd_ps(_mm_sub_pd(_mm_load_pd(to[i]), _mm_load_pd(from[i])))
    v_row low = _mm_movelh_ps(V_DIFFERENCE(0), V_DIFFERENCE(1)), high = _mm_movelh_ps(V_DIFFERENCE(2), V_DIFFERENCE(3));
    out[0] = _mm_shuffle_ps(low, high, 0x88), out[1] = _mm_shuffle_ps(low, high, 0xdd);
}
#endif
#undef V_DIFFERENCE
V_OP void v_between(const double* const* from, const double* const* to, vf out[2]) {
#if defined(B2D_ISA_SSE2) || defined(B2D_ISA_NEON) || defined(B2D_ISA_WASM)
    v_between4(from, to, out);
#else
    v_row low[2], high[2];
    v_between4(from, to, low), v_between4(from + 4, to + 4, high);
#if defined(B2D_ISA_AVX2)
    for (int k = 0; k < 2; k++) out[k] = _mm256_set_m128(high[k], low[k]);
#else
    v_row third[2], last[2];
    v_between4(from + 8, to + 8, third), v_between4(from + 12, to + 12, last);
    for (int k = 0; k < 2; k++)
        out[k] = _mm512_castpd_ps(
            _mm512_insertf64x4(_mm512_castps_pd(_mm512_castps256_ps512(_mm256_set_m128(high[k], low[k]))),
                               _mm256_castps_pd(_mm256_set_m128(last[k], third[k])), 1));
#endif
#endif
}
#endif

#undef V_OP
#undef V_ROW
#endif // B2D_ISA_ABSENT
