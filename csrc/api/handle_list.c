// csrc/api/handle_list.c - lists of handles: gathered in any order, written in ascending order without duplicates.
#include "api/handle_list.h"

#include "api/entry.h"
#include "base/radix_sort.h"

void b2d_id_list_add(b2d_id_list* list, int32_t id) {
    if (list->capacity == 0) list->memory.fail_after = -1;
    if (list->failed || !B2D_GROW(&list->memory, list->ids, list->capacity, list->count < 32 ? 32 : list->count + 1)) {
        list->failed = true;
        return;
    }
    list->ids[list->count++] = (uint64_t)(uint32_t)id;
}

static bool sort(b2d_id_list* list) {
    bool ordered = true;
    for (int32_t k = 1; k < list->count; k++) ordered = ordered && list->ids[k - 1] < list->ids[k];
    if (ordered) return true;
    size_t size = (size_t)list->count * sizeof *list->ids;
    uint64_t* scratch = b2d_allocate(&list->memory, size);
    if (scratch == NULL) return false;
    b2d_radix_sort(list->ids, scratch, list->count);
    b2d_free(&list->memory, scratch, size);
    int32_t unique = 0;
    for (int32_t k = 0; k < list->count; k++)
        if (k == 0 || list->ids[k] != list->ids[k - 1]) list->ids[unique++] = list->ids[k];
    list->count = unique;
    return true;
}

b2d_status b2d_id_list_write(b2d_id_list* list, int32_t kind, const uint64_t* generations, b2d_handle* out,
                             int32_t room, int32_t* count) {
    b2d_status status = B2D_OK;
    if (list->failed || !sort(list)) {
        status = b2d_error(B2D_NO_MEMORY, B2D_ARG_NONE);
    } else {
        *count = list->count;
        for (int32_t k = 0; k < list->count && k < room; k++) {
            int32_t id = (int32_t)list->ids[k];
            out[k] = (b2d_handle){generations[id], id, kind};
        }
    }
    b2d_free(&list->memory, list->ids, (size_t)list->capacity * sizeof *list->ids);
    return status;
}
