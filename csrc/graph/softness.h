// csrc/graph/softness.h - the softness of a constraint row: three numbers for a spring in place of a rigid row.
//
// Source: Catto, "Solver2D" (2024), soft constraints. With p = (omega h)^2, omega = 2 pi hertz, and the damping a of a
// substep, the bias rate is p / (h a), the mass scale a / (1 + a), and the impulse scale 1 / (1 + a). Every a > 0 gives
// the exact force at rest, and a substep keeps 1 / (1 + a) of the area in phase space. The implicit Euler method, which
// is stable for all rows together, has a = 2 zeta omega h + p, so that it damps a spring without a damper.
#pragma once

#include <math.h>

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

// A spring of the user keeps its energy while omega h is small: a is then the expansion of exp(2 zeta omega h) - 1, the
// damping of the true motion. For zeta 0 that is the symplectic Euler method, which is stable up to omega h = 2 for all
// springs of a body together; so from 0.25 (9.5 hertz with 4 substeps of 60 steps a second) to 0.5 the method becomes
// the implicit one.
static inline b2d_softness b2d_make_spring(float hertz, float damping_ratio, float h) {
    if (hertz == 0.0f) return (b2d_softness){0.0f, 0.0f, 0.0f};
    const float turn = 2.0f * 3.14159265358979323846f * hertz * h, p = turn * turn;
    const float implicit = fminf(fmaxf(4.0f * turn - 1.0f, 0.0f), 1.0f),
                expansion = 2.0f * damping_ratio * damping_ratio;
    const float a = fmaxf(2.0f * damping_ratio * turn + fmaxf(fminf(expansion, 1.0f), implicit) * p, 1.0e-7f);
    return (b2d_softness){p / (h * a), a / (1.0f + a), 1.0f / (1.0f + a)};
}

// The same spring from its stiffness and damping, and the inverse effective mass of its row: omega^2 is the stiffness
// and 2 zeta omega the damping, both times the inverse mass.
static inline b2d_softness b2d_make_newton_spring(float stiffness, float damping, float inverse_mass, float h) {
    const float p = h * h * inverse_mass * stiffness, damper = h * inverse_mass * damping;
    const float implicit = fminf(fmaxf(4.0f * sqrtf(p) - 1.0f, 0.0f), 1.0f);
    const float a = fmaxf(damper + fmaxf(fminf(0.5f * damper * damper, p), implicit * p), 1.0e-7f);
    return (b2d_softness){p / (h * a), a / (1.0f + a), 1.0f / (1.0f + a)};
}
