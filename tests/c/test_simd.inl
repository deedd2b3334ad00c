// tests/c/test_simd.inl - applies every operation of base/simd.h to the same data; compiled once per instruction set.
//
// test_base.c compares what each set writes with what the scalar set writes, to the bit (any NaN equals any NaN in
// arithmetic: its sign and payload are the processor's business, and no result of the engine may depend on them).
#include "base/simd.h"
#include "base/vec.h"
#include "test_simd.h"

#define JOIN(a, b)  a##b
#define RUNNER(set) JOIN(simd_test_, set) // the unit defines TEST_SET: scalar, sse2, ...

#if defined(B2D_ISA_ABSENT)
bool RUNNER(TEST_SET)(const simd_input* in, simd_output* out) { return (void)in, (void)out, false; }
#else
static void put_mask(simd_output* out, int op, int at, vm m) {
    for (int i = 0; i < V_LANES; i++) out->masks[op][at + i] = m_bits(m) >> i & 1;
    if (m_bits(m) >> (V_LANES - 1) >> 1 != 0) out->masks[op][at] = 99; // no bits above the lanes
}

bool RUNNER(TEST_SET)(const simd_input* in, simd_output* out) {
    for (int at = 0; at < SIMD_VALUES; at += V_LANES) {
        vf a = v_load(in->a + at), b = v_load(in->b + at);
        uint32_t bits = 0;
        for (int i = 0; i < V_LANES; i++) bits |= (uint32_t)(in->flags[at + i] & 1) << i;
        vm m = m_from_bits(bits | ~0u << (V_LANES - 1) << 1), lt = v_lt(a, b);

        // Arithmetic first: see SIMD_ARITHMETIC
        vf results[] = {v_add(a, b),        v_sub(a, b),  v_mul(a, b),     v_div(a, b), v_sqrt(a),
                        v_abs(a),           v_neg(a),     v_min(a, b),     v_max(a, b), v_select(m, a, b),
                        v_select(lt, a, b), v_mask(m, a), v_set(in->a[7]), v_zero()};
        _Static_assert(sizeof results / sizeof *results == SIMD_OPERATIONS, "");
        for (int k = 0; k < SIMD_OPERATIONS; k++) v_store(out->values[k] + at, results[k]);

        vm masks[] = {lt, v_le(a, b),   v_gt(a, b),  v_ge(a, b), v_eq(a, b),
                      m,  m_and(m, lt), m_or(m, lt), m_not(m),   m_andnot(m, lt)};
        _Static_assert(sizeof masks / sizeof *masks == SIMD_MASKS, "");
        for (int k = 0; k < SIMD_MASKS; k++) put_mask(out, k, at, masks[k]);

        vf rows[8], quads[4];
        v_gather8(in->rows + 8, in->index + at, rows); // index -1 reads the row before
        for (int k = 0; k < 8; k++) v_store(out->gathered[k] + at, rows[k]);
        const float* pointers[V_LANES];
        for (int i = 0; i < V_LANES; i++) pointers[i] = in->rows + 8 + 8 * in->index[at + i] + 4 * ((at + i) & 1);
        v_gather4(pointers, quads);
        for (int k = 0; k < 4; k++) v_store(out->quads[k] + at, quads[k]);
        v_scatter4(out->scattered, in->targets + at, rows + 2);
        v_scatter4_some(out->scattered_some, in->targets + at, rows + 4, bits);
    }
    return true;
}
#endif
#include "base/simd_end.h"
