// tests/c/blocks.c - see blocks.h. It is compiled without the options that let the core call these functions.
#include "blocks.h"

#include <string.h>

_Thread_local int64_t blocks_run;

void __sanitizer_cov_trace_pc(void);
void* counted_memcpy(void* restrict to, const void* restrict from, size_t size);
void* counted_memmove(void* to, const void* from, size_t size);
void* counted_memset(void* to, int value, size_t size);

void __sanitizer_cov_trace_pc(void) { blocks_run++; }

void* counted_memcpy(void* restrict to, const void* restrict from, size_t size) {
    blocks_run += (int64_t)size / 16;
    return memcpy(to, from, size);
}

void* counted_memmove(void* to, const void* from, size_t size) {
    blocks_run += (int64_t)size / 16;
    return memmove(to, from, size);
}

void* counted_memset(void* to, int value, size_t size) {
    blocks_run += (int64_t)size / 16;
    return memset(to, value, size);
}
