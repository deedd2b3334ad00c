// csrc/base/cpu.h - which instruction sets this processor has, and how many processors the process may use.
#pragma once
#include "base/core.h"
bool b2d_cpu_has(int32_t simd); // B2D_SIMD_*; SCALAR always
int32_t b2d_cpu_best(void);     // what "auto" means here
int32_t b2d_cpu_count(void);    // processors this process may run on
const char* b2d_compiler(void); // name and version of the compiler
