// csrc/broadphase/key_list.c - makes room in a list of pair keys: drops refused keys, or grows the list.
#include "broadphase/proxies.h"

// Keys, 512 KB: a list of fewer grows and is not searched for refused keys.
enum { LONG = 1 << 16 };

void b2d_key_list_drop_refused(b2d_key_list* list) {
    for (int32_t k = list->kept; k < list->count; k++)
        if (list->keep(list->context, list->keys[k])) list->keys[list->kept++] = list->keys[k];
    list->count = list->kept;
}

bool b2d_key_list_make_room(b2d_key_list* list) {
    if (list->failed) return false;
    if (list->keep != NULL && list->count >= LONG) b2d_key_list_drop_refused(list);
    if (list->count < list->capacity / 2) return true; // a list that is nearly full again would be searched too often
    list->failed = list->count > INT32_MAX / 4 ||
                   !B2D_GROW(list->memory, list->keys, list->capacity, 2 * list->count + 64);
    return !list->failed;
}
