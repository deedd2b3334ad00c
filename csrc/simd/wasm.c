// csrc/simd/wasm.c - all wide kernels, compiled for the 128-bit vectors of WebAssembly; see kernels.inl.
#define B2D_ISA_WASM
#include "simd/kernels.inl"
