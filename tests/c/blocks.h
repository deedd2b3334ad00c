// tests/c/blocks.h - how many basic blocks of the core this thread has run: a cost that is the same in every run.
//
// The core is compiled with -fsanitize-coverage=trace-pc, which lets each basic block call __sanitizer_cov_trace_pc.
// Memory that the core lets the C library copy or clear counts too, 16 bytes as a block, because a list may be shifted
// by memmove.
#pragma once
#include <stdint.h>

extern _Thread_local int64_t blocks_run;
