// csrc/base/atan_wide.inl - b2d_atan2 for all lanes, with equal bits; included after simd.h.
//
// The same float64 operations as in trig.c, with selects for its branches.
#include "base/atan_series.h"
#include "base/double_wide.inl"

B2D_INLINE void atan2_lanes(const float* y_lanes, const float* x_lanes, float* out) {
    const vd y = d_load(y_lanes), x = d_load(x_lanes), one = (vd){0.0} + 1.0, ax = d_abs(x), ay = d_abs(y);
    const vl above_diagonal = ax < ay;
    const vd divisor = d_select(above_diagonal, ay, ax),
             t = d_select(above_diagonal, ax, ay) / d_select(divisor == 0.0, one, divisor);
    const vl large = t > B2D_TAN_EIGHTH;
    const vd z = d_select(large, t - 1.0, t) / d_select(large, t + 1.0, one), z2 = z * z;
    vd a = B2D_ATAN_SERIES(z, z2);
    a = d_select(large, B2D_QUARTER_TURN * 0.5 + a, a);
    a = d_select(above_diagonal, B2D_QUARTER_TURN - a, a);
    a = d_select(x < 0.0, 2.0 * B2D_QUARTER_TURN - a, a);
    d_store(out, d_select(y < 0.0, -a, a));
}

B2D_INLINE vf v_atan2(vf y, vf x) {
    _Alignas(64) float y_lanes[V_LANES], x_lanes[V_LANES], out[V_LANES];
    v_store(y_lanes, y), v_store(x_lanes, x);
    for (int i = 0; i < V_LANES; i += D_LANES) atan2_lanes(y_lanes + i, x_lanes + i, out + i);
    return v_load(out);
}
