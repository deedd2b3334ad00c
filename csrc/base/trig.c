// csrc/base/trig.c - sine, cosine and arc tangent that give equal bits everywhere.
//
// Idea: float64 arithmetic only (+ - * / and sqrt are exact by IEEE 754), Taylor series about the nearest quarter turn,
// one rounding to float32 at the end. The series' errors are below 1e-11, the float's half ulp is 3e-8.
#include "base/atan_series.h"
#include "base/turn_series.h"
#include "base/vec.h"

static const double half_pi = B2D_QUARTER_TURN; // pi / 2 = half_pi + half_pi_rest, to 107 bits
static const double half_pi_rest = 6.123233995736766e-17;

typedef struct sine_cosine {
    double s, c;
} sine_cosine;

// The rounding error of a * b: both are split into halves whose products are exact (Dekker 1971).
static double product_error(double a, double b, double product) {
    double a_cut = 134217729.0 * a, b_cut = 134217729.0 * b; // 2^27 + 1
    double a_high = a_cut - (a_cut - a), b_high = b_cut - (b_cut - b);
    double a_low = a - a_high, b_low = b - b_high;
    return ((a_high * b_high - product) + a_high * b_low + a_low * b_high) + a_low * b_low;
}

static sine_cosine turn(double angle) {
    if (!isfinite(angle)) return (sine_cosine){angle - angle, angle - angle}; // NaN
    // Above 2^50 adjacent doubles are a quarter radian apart, so the direction has no meaning and any fixed one is
    // right.
    while (fabs(angle) > 1125899906842624.0) angle *= 0.5;

    double quarters = angle * B2D_TWO_OVER_PI;
    int64_t n = (int64_t)(quarters < 0.0 ? quarters - 0.5 : quarters + 0.5);
    double turns = (double)n, whole = turns * half_pi;
    double r = ((angle - whole) - product_error(turns, half_pi, whole)) - turns * half_pi_rest; // |r| <= pi / 4

    double x = r * r;
    double s = B2D_SINE_SERIES(r, x), c = B2D_COSINE_SERIES(x);
    switch (n & 3) {
    case 0: return (sine_cosine){s, c};
    case 1: return (sine_cosine){c, -s};
    case 2: return (sine_cosine){-s, -c};
    default: return (sine_cosine){-c, s};
    }
}

b2d_rot b2d_make_rot(double angle) {
    if (angle == 0.0) return (b2d_rot){1.0f, 0.0f}; // as below, and by far the most frequent angle
    sine_cosine t = turn(angle);
    return (b2d_rot){(float)t.c + 0.0f, (float)t.s + 0.0f}; // + 0 turns -0 into +0
}

// In float64 throughout, so that a body that does not rotate keeps its rotation and errors of length do not accumulate.
b2d_rot b2d_integrate_rot(b2d_rot q, float angle) {
    sine_cosine t = turn(angle);
    double c = q.c * t.c - q.s * t.s, s = q.s * t.c + q.c * t.s;
    double length = sqrt(c * c + s * s);
    return (b2d_rot){(float)(c / length) + 0.0f, (float)(s / length) + 0.0f};
}

static double small_atan(double z) {
    double x = z * z;
    return B2D_ATAN_SERIES(z, x);
}

float b2d_atan2(float y, float x) {
    double ax = fabs((double)x), ay = fabs((double)y);
    if (ax == 0.0 && ay == 0.0) return 0.0f;
    double t = ax < ay ? ax / ay : ay / ax; // in [0, 1]
    double a = t > B2D_TAN_EIGHTH ? 0.5 * half_pi + small_atan((t - 1.0) / (t + 1.0)) : small_atan(t);
    if (ax < ay) a = half_pi - a;
    if (x < 0.0f) a = 2.0 * half_pi - a;
    return (float)(y < 0.0f ? -a : a);
}
