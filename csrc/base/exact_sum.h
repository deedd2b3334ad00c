// csrc/base/exact_sum.h - sums of products of two float32 without any rounding.
//
// The order of the terms changes nothing, and a term can be taken out again: a sum is a function of the set of its
// terms. It is a whole number of 32-bit digits; up to 2**31 terms their carries stay in the digits.
#pragma once
#include "base/core.h"

#include <string.h>

enum {
    B2D_EXACT_DIGITS = 20, // the product of two float32 is below 2**256, and with its 53 bits it ends above 2**-352
    B2D_EXACT_PLACES = 352 // binary places behind the point: 11 digits
};
typedef struct b2d_exact_sum {
    int64_t digits[B2D_EXACT_DIGITS];
} b2d_exact_sum;

// `product` is finite; `sign` is 1, or -1 to take it out.
static inline void b2d_exact_add(b2d_exact_sum* sum, double product, int64_t sign) {
    const uint64_t digit = 0xFFFFFFFFu;
    uint64_t bits;
    memcpy(&bits, &product, sizeof bits);
    if (bits << 1 == 0) return;
    if (bits >> 63) sign = -sign;
    const int32_t place = (int32_t)(bits >> 52 & 0x7FF) - 1075 + B2D_EXACT_PLACES; // of the lowest of the 53 bits
    const uint64_t whole = (bits & ((1ull << 52) - 1)) | 1ull << 52;
    const uint64_t low = (whole & digit) << (place & 31), high = (whole >> 32) << (place & 31);
    int64_t* at = &sum->digits[place >> 5];
    at[0] += sign * (int64_t)(low & digit);
    at[1] += sign * (int64_t)((low >> 32) + (high & digit));
    at[2] += sign * (int64_t)(high >> 32);
}

// Within 2**-52 of the sum, and the same for equal sums.
static inline double b2d_exact_value(const b2d_exact_sum* sum) {
    int64_t digits[B2D_EXACT_DIGITS], carry = 0;
    for (int32_t k = 0; k < B2D_EXACT_DIGITS; k++) {
        const int64_t whole = sum->digits[k] + carry;
        digits[k] = k + 1 < B2D_EXACT_DIGITS ? whole & 0xFFFFFFFF : whole; // the highest has the sign
        carry = whole >> 32;
    }
    double value = 0.0;
    for (int32_t k = B2D_EXACT_DIGITS; k-- > 0;) value = value * 0x1p32 + (double)digits[k];
    return value * 0x1p-352;
}
