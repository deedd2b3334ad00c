// csrc/base/simd.h - one width-generic vocabulary; a kernel is written once on it and compiled per instruction set.
//
// A translation unit defines exactly one of B2D_ISA_SCALAR, _SSE2, _AVX2, _AVX512, _NEON, includes this file (which switches the
// compiler to that instruction set) and then the kernel's .inl. B2D_KERNEL(name) appends the set's name. V_LANES is 1, 4, 16
// (AVX2: two registers that every operation treats side by side, so two groups interleave), 16 and 4. All is static:
// otherwise the linker might pick an AVX copy for an old CPU. Every operation is a single IEEE operation per lane, in one
// order, never fused, so lanes of all widths agree to the bit.
//
// Types: vf (V_LANES floats), vm (V_LANES booleans).
//   vf v_load(const float* p); void v_store(float* p, vf a);      p aligned to the vector, or to 64 bytes
//   vf v_set(float a); vf v_zero(void);
//   vf v_add(a, b), v_sub, v_mul, v_div; vf v_sqrt(a), v_abs(a), v_neg(a);
//   vf v_min(a, b) = a < b ? a : b; vf v_max(a, b) = a > b ? a : b;
//   vm v_lt(a, b), v_le, v_gt, v_ge, v_eq; vm m_and(a, b), m_or, m_not(a), m_andnot(a, b) = a & ~b;
//   vf v_select(vm m, vf yes, vf no);
//   uint32_t m_bits(vm m): bit i = lane i; vm m_from_bits(uint32_t bits);
//   vf v_mask(vm m, vf a) = m ? a : +0;
//   void v_gather8(const float* base, const int32_t* index, vf out[8]): out[k][lane] = base[8 * index[lane] + k]; index may be -1;
//       rows are 32-byte aligned: full-row loads and a transpose.
//   void v_scatter4(float* base, const int32_t* index, vf in[4]): base[8 * index[lane] + k] = in[k][lane], k < 4, all lanes.
//   void v_scatter4_some(float* base, const int32_t* index, vf in[4], uint32_t lanes): the same for the lanes in the bit mask.
//   void v_gather4(const float* const* rows, vf out[4]): out[k][lane] = rows[lane][k]; rows 16-byte aligned.
