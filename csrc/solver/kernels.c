// csrc/solver/kernels.c - picks the table of kernels for an instruction set.
#include "solver/kernels.h"

const b2d_solver_kernels* b2d_solver_kernel_table(int32_t simd) { B2D_RETURN_KERNEL(simd, b2d_solver_kernels_of_); }
