// csrc/base/simd_end.h - included last by a translation unit that includes base/simd.h: clang demands the pop.
#if defined(B2D_ISA_PUSHED)
#pragma clang attribute pop
#undef B2D_ISA_PUSHED
#endif
