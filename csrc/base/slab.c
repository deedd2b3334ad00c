// csrc/base/slab.c - see slab.h. With memory.c the only file of the core that asks the system for memory.
#if defined(__linux__)
#define _DEFAULT_SOURCE // madvise
#include <sys/mman.h>
#endif
#include "base/slab.h"

#include <stdlib.h>
#if defined(_WIN32)
#include <malloc.h>
#endif

// Bytes between blocks, so that columns of equal length do not all begin in the same cache set
enum { SKEW = 5 * B2D_ALIGNMENT };

typedef struct free_piece { // the head of each free piece; sorted by address, adjacent pieces are merged
    struct free_piece* next;
    size_t size;
} free_piece;

struct b2d_slab {
    b2d_slab* next;
    uint8_t* base;
    size_t size;
    free_piece* free;
};

void* b2d_system_take(size_t size) {
    const size_t alignment = size >= B2D_HUGE_PAGE ? B2D_HUGE_PAGE : B2D_ALIGNMENT;
#if defined(_WIN32)
    return _aligned_malloc(size, alignment);
#else
    void* block = aligned_alloc(alignment, (size + alignment - 1) & ~(alignment - 1));
#if defined(MADV_HUGEPAGE)
    // a request that the system may ignore
    if (block != NULL && size >= B2D_HUGE_PAGE) (void)madvise(block, size & ~(B2D_HUGE_PAGE - 1), MADV_HUGEPAGE);
#endif
    return block;
#endif
}

void b2d_system_give(void* block) {
#if defined(_WIN32)
    _aligned_free(block);
#else
    free(block);
#endif
}

static size_t with_gap(size_t size) { return ((size + B2D_ALIGNMENT - 1) & ~(size_t)(B2D_ALIGNMENT - 1)) + SKEW; }

// Cuts the block off the end of the piece, so that most pieces only shrink.
static void* cut(free_piece** link, size_t size) {
    free_piece* from = *link;
    from->size -= size;
    void* block = (uint8_t*)from + from->size;
    if (from->size == 0) *link = from->next;
    return block;
}

void* b2d_slab_take(b2d_slab** slabs, size_t size) {
    size = with_gap(size);
    free_piece** best = NULL;
    size_t open = 0;
    for (b2d_slab* slab = *slabs; slab != NULL; slab = slab->next) {
        open += slab->size;
        for (free_piece** link = &slab->free; *link != NULL; link = &(*link)->next)
            if ((*link)->size >= size && (best == NULL || (*link)->size < (*best)->size)) best = link;
    }
    if (best != NULL) return cut(best, size);
    size_t room = size > open / 4 ? size : open / 4;
    room = (room + B2D_HUGE_PAGE - 1) & ~(B2D_HUGE_PAGE - 1);
    b2d_slab* slab = malloc(sizeof *slab);
    uint8_t* base = slab == NULL ? NULL : b2d_system_take(room);
    if (base == NULL) {
        free(slab);
        return NULL;
    }
    *slab = (b2d_slab){*slabs, base, room, (free_piece*)base};
    *slab->free = (free_piece){NULL, room};
    *slabs = slab;
    return cut(&slab->free, size);
}

bool b2d_slab_give(b2d_slab** slabs, void* block, size_t size) {
    b2d_slab** link = slabs;
    while (*link != NULL && (uintptr_t)block - (uintptr_t)(*link)->base >= (*link)->size) link = &(*link)->next;
    b2d_slab* slab = *link;
    if (slab == NULL) return false;
    free_piece *before = NULL, *after = slab->free;
    while (after != NULL && (uintptr_t)after < (uintptr_t)block) before = after, after = after->next;
    free_piece* freed = block;
    *freed = (free_piece){after, with_gap(size)};
    if (after != NULL && (uint8_t*)freed + freed->size == (uint8_t*)after)
        freed->size += after->size, freed->next = after->next;
    if (before != NULL && (uint8_t*)before + before->size == (uint8_t*)freed)
        before->size += freed->size, before->next = freed->next;
    else if (before != NULL) before->next = freed;
    else slab->free = freed;
    if (slab->free->size == slab->size) {
        *link = slab->next;
        b2d_system_give(slab->base);
        free(slab);
    }
    return true;
}
