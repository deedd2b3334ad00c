// csrc/simd/kernels.inl - the wide kernels of all modules; each file beside it compiles them for one instruction set.
//
// Where the target has no such set, the unit is empty. A build of one module by itself (tests/unit) names its
// kernels: -DB2D_KERNELS_OF="<broadphase/scan_wide.inl>".
#include "base/simd.h"
#if !defined(B2D_ISA_ABSENT)
#if defined(__GNUC__) && !defined(__clang__) // it does not see that rows and lanes that are not set are not read
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#endif
#if defined(B2D_KERNELS_OF)
#include B2D_KERNELS_OF
#else
#include "broadphase/scan_wide.inl"
#include "narrowphase/collide_wide.inl"
#include "solver/kernels_wide.inl"
#include "objects/boxes_wide.inl"
#include "step/finalize_wide.inl"
#if !defined(B2D_NO_LAB)
#include "lab/box_run_wide.inl"
#endif
#endif
#endif
#include "base/simd_end.h"
