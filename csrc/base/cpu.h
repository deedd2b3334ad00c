// csrc/base/cpu.h - which wide kernels this processor can run.
#pragma once
#include "base/core.h"
bool b2d_cpu_has(int32_t simd); // B2D_SIMD_*; SCALAR always
int32_t b2d_cpu_best(void);     // what "auto" means here
int32_t b2d_cpu_count(void);    // processors this process may run on
const char* b2d_compiler(void); // what built this
