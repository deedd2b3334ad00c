// csrc/api/handle_list.h - a list of ids, written as handles: ascending, each once.
#pragma once
#include "api/entry.h"

typedef struct b2d_id_list {
    b2d_memory memory; // of this call alone: readers may run side by side
    uint64_t* ids;
    int32_t count, capacity;
    bool failed;
} b2d_id_list;
void b2d_id_list_add(b2d_id_list* list, int32_t id);
// `out` gets at most `room` handles; *count is the number there are.
b2d_status b2d_id_list_write(b2d_id_list* list, int32_t kind, const uint64_t* generations, b2d_handle* out,
                             int32_t room, int32_t* count);
