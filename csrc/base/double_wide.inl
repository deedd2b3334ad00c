// csrc/base/double_wide.inl - float64 arithmetic for D_LANES lanes at a time; included after simd.h.
//
// The operators of C work on `vd`, a vector type of the compiler (or a double); each is one IEEE operation for each
// lane, as in simd.h.
#if !defined(B2D_DOUBLE_WIDE)
#define B2D_DOUBLE_WIDE
#include "base/vec.h"
#if defined(B2D_ISA_SCALAR)
enum { D_LANES = 1 };
typedef double vd;
typedef int64_t vl; // comparisons
B2D_INLINE vd d_load(const float* p) { return (double)*p; }
B2D_INLINE void d_store(float* p, vd a) { *p = (float)a; }
B2D_INLINE vd d_select(vl m, vd yes, vd no) { return m ? yes : no; }
B2D_INLINE vd d_abs(vd a) { return fabs(a); }
B2D_INLINE vd d_load_doubles(const double* p) { return *p; }
B2D_INLINE void d_store_below(float* p, vd a) { *p = b2d_round_down(a); }
B2D_INLINE void d_store_above(float* p, vd a) { *p = b2d_round_up(a); }
#else
#if defined(B2D_ISA_AVX512)
enum { D_LANES = 8 };
#elif defined(B2D_ISA_AVX2)
enum { D_LANES = 4 };
#else
enum { D_LANES = 2 };
#endif
typedef double vd __attribute__((vector_size(D_LANES * sizeof(double))));
typedef int64_t vl __attribute__((vector_size(D_LANES * sizeof(double)))); // comparisons: all ones or all zeros
typedef float d_floats __attribute__((vector_size(D_LANES * sizeof(float))));
typedef int32_t d_ints __attribute__((vector_size(D_LANES * sizeof(float))));

B2D_INLINE vd d_load(const float* p) {
    d_floats a;
    memcpy(&a, p, sizeof a);
    return __builtin_convertvector(a, vd);
}
B2D_INLINE void d_store(float* p, vd a) { // rounds to nearest
    const d_floats rounded = __builtin_convertvector(a, d_floats);
    memcpy(p, &rounded, sizeof rounded);
}
B2D_INLINE vd d_select(vl m, vd yes, vd no) { return (vd)(((vl)yes & m) | ((vl)no & ~m)); }
B2D_INLINE vd d_abs(vd a) { return (vd)((vl)a & INT64_MAX); }
B2D_INLINE vd d_sqrt(vd a) {
#if defined(B2D_ISA_AVX512)
    return (vd)_mm512_sqrt_pd((__m512d)a);
#elif defined(B2D_ISA_AVX2)
    return (vd)_mm256_sqrt_pd((__m256d)a);
#elif defined(B2D_ISA_SSE2)
    return (vd)_mm_sqrt_pd((__m128d)a);
#else
    return (vd){sqrt(a[0]), sqrt(a[1])};
#endif
}
B2D_INLINE vd d_set(double a) { return a - (vd){0.0}; } // a + 0 would be +0 for -0
B2D_INLINE uint32_t d_bits(vl m) {                      // bit i = lane i
#if defined(B2D_ISA_AVX512)
    return _mm512_movepi64_mask((__m512i)m);
#elif defined(B2D_ISA_AVX2)
    return (uint32_t)_mm256_movemask_pd((__m256d)m);
#elif defined(B2D_ISA_SSE2)
    return (uint32_t)_mm_movemask_pd((__m128d)m);
#else
    return (uint32_t)((m[0] & 1) | (m[1] & 2));
#endif
}
B2D_INLINE vd d_load_doubles(const double* p) {
    vd a;
    memcpy(&a, p, sizeof a);
    return a;
}
B2D_INLINE void d_store_doubles(double* p, vd a) { memcpy(p, &a, sizeof a); }
B2D_INLINE vd d_float(vd a) { return __builtin_convertvector(__builtin_convertvector(a, d_floats), vd); } // rounded
B2D_INLINE void d_transpose(vd m[D_LANES]) { // element i of m[k] becomes element k of m[i]
#if defined(B2D_ISA_AVX512)
    __m512d pairs[8];
    for (int32_t k = 0; k < 8; k += 2) {
        pairs[k] = _mm512_unpacklo_pd((__m512d)m[k], (__m512d)m[k + 1]);
        pairs[k + 1] = _mm512_unpackhi_pd((__m512d)m[k], (__m512d)m[k + 1]);
    }
    for (int32_t k = 0; k < 2; k++) {
        const __m512d a = _mm512_shuffle_f64x2(pairs[k], pairs[k + 2], 0x88),
                      b = _mm512_shuffle_f64x2(pairs[k + 4], pairs[k + 6], 0x88),
                      c = _mm512_shuffle_f64x2(pairs[k], pairs[k + 2], 0xdd),
                      d = _mm512_shuffle_f64x2(pairs[k + 4], pairs[k + 6], 0xdd);
        m[k] = (vd)_mm512_shuffle_f64x2(a, b, 0x88), m[k + 4] = (vd)_mm512_shuffle_f64x2(a, b, 0xdd);
        m[k + 2] = (vd)_mm512_shuffle_f64x2(c, d, 0x88), m[k + 6] = (vd)_mm512_shuffle_f64x2(c, d, 0xdd);
    }
#elif defined(B2D_ISA_AVX2)
    const __m256d a = _mm256_unpacklo_pd((__m256d)m[0], (__m256d)m[1]),
                  b = _mm256_unpackhi_pd((__m256d)m[0], (__m256d)m[1]),
                  c = _mm256_unpacklo_pd((__m256d)m[2], (__m256d)m[3]),
                  d = _mm256_unpackhi_pd((__m256d)m[2], (__m256d)m[3]);
    m[0] = (vd)_mm256_permute2f128_pd(a, c, 0x20), m[2] = (vd)_mm256_permute2f128_pd(a, c, 0x31);
    m[1] = (vd)_mm256_permute2f128_pd(b, d, 0x20), m[3] = (vd)_mm256_permute2f128_pd(b, d, 0x31);
#else
    const vd first = {m[0][0], m[1][0]}, second = {m[0][1], m[1][1]};
    m[0] = first, m[1] = second;
#endif
}
// The same operations as b2d_round_down.
B2D_INLINE d_floats d_below(vd a) {
    const d_floats f = __builtin_convertvector(a, d_floats);
    const d_ints too_high = __builtin_convertvector(__builtin_convertvector(f, vd) > a, d_ints), bits = (d_ints)f;
    return (d_floats)(bits - ((bits >> 31 | 1) & too_high));
}
B2D_INLINE void d_store_below(float* p, vd a) {
    const d_floats below = d_below(a);
    memcpy(p, &below, sizeof below);
}
B2D_INLINE void d_store_above(float* p, vd a) {
    const d_floats above = -d_below(-a);
    memcpy(p, &above, sizeof above);
}
#endif
#endif
