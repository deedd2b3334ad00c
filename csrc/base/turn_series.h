// csrc/base/turn_series.h - the series of b2d_make_rot, shared by trig.c and direct_lanes_wide.inl, which do the
// same operations.
#pragma once

#define B2D_TWO_OVER_PI 0.6366197723675814

// Sine and cosine of r for |r| <= pi / 4, where x = r * r; they work on doubles and on vectors of doubles.
#define B2D_SINE_SERIES(r, x) \
    ((r) + (r) * (x) *        \
               (-1.0 / 6 + (x) * (1.0 / 120 + (x) * (-1.0 / 5040 + (x) * (1.0 / 362880 + (x) * (-1.0 / 39916800))))))
#define B2D_COSINE_SERIES(x)                            \
    (1.0 + (x) * (-1.0 / 2 +                            \
                  (x) * (1.0 / 24 + (x) * (-1.0 / 720 + \
                                           (x) * (1.0 / 40320 + (x) * (-1.0 / 3628800 + (x) * (1.0 / 479001600)))))))
