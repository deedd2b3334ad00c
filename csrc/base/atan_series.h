// csrc/base/atan_series.h - the series of b2d_atan2, shared by trig.c and atan_wide.inl, which do the same operations.
#pragma once

#define B2D_QUARTER_TURN 1.5707963267948966  // pi / 2
#define B2D_TAN_EIGHTH   0.41421356237309503 // tan(pi / 8)

// atan(z) for |z| <= tan(pi / 8), where x = z * z; works on doubles and on vectors of doubles.
#define B2D_ATAN_SERIES(z, x)                                                       \
    ((z) + (z) * (x) *                                                              \
               (-1.0 / 3 +                                                          \
                (x) * (1.0 / 5 +                                                    \
                       (x) * (-1.0 / 7 +                                            \
                              (x) * (1.0 / 9 +                                      \
                                     (x) * (-1.0 / 11 +                             \
                                            (x) * (1.0 / 13 +                       \
                                                   (x) * (-1.0 / 15 +               \
                                                          (x) * (1.0 / 17 +         \
                                                                 (x) * (-1.0 / 19 + \
                                                                        (x) * (1.0 / 21 + (x) * (-1.0 / 23))))))))))))
