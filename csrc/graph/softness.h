// csrc/graph/softness.h - the softness of a constraint row: three numbers for a spring in place of a rigid row.
//
// Source: Catto, "Solver2D" (2024), soft constraints. With omega = 2 pi hertz, a1 = 2 zeta + h omega, a2 = h omega a1 and
// a3 = 1 / (1 + a2): bias rate omega / a1, mass scale a2 a3, impulse scale a3.
#pragma once

typedef struct b2d_softness {
    float bias_rate, mass_scale, impulse_scale;
} b2d_softness;

// `h`: length of a substep, s. 0 hertz is no spring at all; the caller decides what a rigid row is.
static inline b2d_softness b2d_make_softness(float hertz, float damping_ratio, float h) {
    if (hertz == 0.0f) return (b2d_softness){0.0f, 0.0f, 0.0f};
    float omega = 2.0f * 3.14159265358979323846f * hertz;
    float a1 = 2.0f * damping_ratio + h * omega;
    float a2 = h * omega * a1;
    float a3 = 1.0f / (1.0f + a2);
    return (b2d_softness){omega / a1, a2 * a3, a3};
}
