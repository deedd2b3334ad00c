// csrc/lab/parallel_union_find.h - lock-free union-find, and what the order of arrival does to lists of links.
#pragma once
#include "graph/partition.h"

#include <stdatomic.h>

// Sets over an array of parents that all workers change at once: the root of a set is its lowest member.
int32_t b2d_root_by_swaps(atomic_int_least32_t* parent, int32_t member);
void b2d_unite_by_swaps(atomic_int_least32_t* parent, int32_t a, int32_t b);

int32_t b2d_partition_by_workers(const b2d_partition* p);
// Lists the contacts of each part as the workers find them: those of part k are ids[first[k]] to ids[first[k + 1] - 1],
// in the order in which they arrived, or sorted. False: no memory.
bool b2d_list_links_by_workers(const b2d_partition* p, int32_t parts, bool sort, int32_t* first, int32_t* ids);
