// csrc/base/atan_wide.inl - b2d_atan2 over lanes, equal to it to the bit; included after simd.h.
//
// The same float64 operations as in trig.c, with selects for its branches, as many lanes at a time as a register of the set has doubles.
#include "base/atan_series.h"

#if defined(B2D_ISA_SCALAR)
B2D_INLINE vf v_atan2(vf y, vf x) { return b2d_atan2(y, x); }
#else
#if defined(B2D_ISA_AVX512)
enum { D_LANES = 8 };
#elif defined(B2D_ISA_AVX2)
enum { D_LANES = 4 };
#else
enum { D_LANES = 2 };
#endif
typedef double vd __attribute__((vector_size(D_LANES * sizeof(double))));
typedef int64_t vl __attribute__((vector_size(D_LANES * sizeof(double)))); // all ones or all zeros
typedef float d_floats __attribute__((vector_size(D_LANES * sizeof(float))));

B2D_INLINE vd d_select(vl m, vd yes, vd no) { return (vd)(((vl)yes & m) | ((vl)no & ~m)); }
B2D_INLINE vd d_abs(vd a) { return (vd)((vl)a & INT64_MAX); }

B2D_INLINE void atan2_lanes(const float* y_lanes, const float* x_lanes, float* out) {
    d_floats yf, xf;
    memcpy(&yf, y_lanes, sizeof yf);
    memcpy(&xf, x_lanes, sizeof xf);
    const vd zero = {0.0}, one = zero + 1.0, y = __builtin_convertvector(yf, vd), x = __builtin_convertvector(xf, vd);
    const vd ax = d_abs(x), ay = d_abs(y);
    const vl steep = ax < ay;
    const vd bottom = d_select(steep, ay, ax), t = d_select(steep, ax, ay) / d_select(bottom == 0.0, one, bottom);
    const vl large = t > B2D_TAN_EIGHTH;
    const vd z = d_select(large, t - 1.0, t) / d_select(large, t + 1.0, one), z2 = z * z;
    vd a = B2D_ATAN_SERIES(z, z2);
    a = d_select(large, B2D_QUARTER_TURN * 0.5 + a, a);
    a = d_select(steep, B2D_QUARTER_TURN - a, a);
    a = d_select(x < 0.0, 2.0 * B2D_QUARTER_TURN - a, a);
    a = d_select(y < 0.0, -a, a);
    const d_floats angle = __builtin_convertvector(a, d_floats);
    memcpy(out, &angle, sizeof angle);
}

B2D_INLINE vf v_atan2(vf y, vf x) {
    _Alignas(64) float y_lanes[V_LANES], x_lanes[V_LANES], out[V_LANES];
    v_store(y_lanes, y), v_store(x_lanes, x);
    for (int i = 0; i < V_LANES; i += D_LANES) atan2_lanes(y_lanes + i, x_lanes + i, out + i);
    return v_load(out);
}
#endif
