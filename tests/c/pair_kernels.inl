// tests/c/pair_kernels.inl - the wide kernels that compare boxes, for programs without the rest of the core.
#include "broadphase/scan_wide.inl"
#include "lab/box_run_wide.inl"
