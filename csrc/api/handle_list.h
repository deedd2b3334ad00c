// csrc/api/handle_list.h - a list of ids, written as handles in ascending order without duplicates.
#pragma once
#include "api/entry.h"

typedef struct b2d_id_list {
    b2d_memory memory; // used by this call only, because several readers may run at the same time
    uint64_t* ids;
    int32_t count, capacity;
    bool failed;
} b2d_id_list;
void b2d_id_list_add(b2d_id_list* list, int32_t id);
// Writes at most `room` handles to `out`. *count is the number of handles in the list.
b2d_status b2d_id_list_write(b2d_id_list* list, int32_t kind, const uint64_t* generations, b2d_handle* out,
                             int32_t room, int32_t* count);
