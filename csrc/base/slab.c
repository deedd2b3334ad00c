// csrc/base/slab.c - see slab.h. With memory.c the only file of the core that asks the system for memory.
#if defined(__linux__)
#define _DEFAULT_SOURCE // madvise
#include <sys/mman.h>
#endif
#include "base/slab.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#if defined(_WIN32)
#include <malloc.h>
#endif

// The address sanitizer reports every access to what lies in a slab but in no block: free pieces, but for their heads,
// and the gaps between blocks.
#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define GUARD_SLABS
#endif
#endif
#if defined(GUARD_SLABS) || defined(__SANITIZE_ADDRESS__)
#include <sanitizer/asan_interface.h>
#else
#define ASAN_POISON_MEMORY_REGION(address, size)   ((void)(address), (void)(size))
#define ASAN_UNPOISON_MEMORY_REGION(address, size) ((void)(address), (void)(size))
#endif

// Bytes between blocks, so that columns of equal length do not all begin in the same cache set. Short arrays need none.
enum { SKEW = 5 * B2D_ALIGNMENT, SHORT = 4 << 10 };
enum { LARGE = 16 << 20 }; // bytes: before a request of so many, the free memory of the machine is looked up

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

// ---- the memory of the machine

#if defined(__linux__)
// The number that follows `name` in a short text file, or -1.
static int64_t read_number(const char* path, const char* name) {
    char text[4096];
    FILE* file = fopen(path, "r");
    if (file == NULL) return -1;
    text[fread(text, 1, sizeof text - 1, file)] = 0;
    (void)fclose(file);
    const char* at = strstr(text, name);
    if (at == NULL) return -1;
    char* end;
    const int64_t number = strtoll(at + strlen(name), &end, 10);
    return end == at + strlen(name) ? -1 : number;
}

// Linux grants more memory than there is and ends programs when they use it. So what it has is read here: that of the
// machine, or less in a container.
static int64_t free_bytes(int64_t* all) {
    int64_t left = read_number("/proc/meminfo", "MemAvailable:") * 1024;
    *all = read_number("/proc/meminfo", "MemTotal:") * 1024;
    const int64_t limit = read_number("/sys/fs/cgroup/memory.max", "");
    if (left < 0 || *all < 0) return -1;
    if (limit < 0 || limit > *all) return left;
    const int64_t used = read_number("/sys/fs/cgroup/memory.current", ""),
                  cache = read_number("/sys/fs/cgroup/memory.stat", "inactive_file ");
    *all = limit;
    if (used >= 0 && cache >= 0 && limit - used + cache < left) left = limit - used + cache;
    return left < 0 ? 0 : left;
}
#else
static int64_t free_bytes(int64_t* all) { return *all = -1; }
#endif

bool b2d_leaves_enough(int64_t size, int64_t left, int64_t all) {
    const int64_t eighth = all / 8, half = left / 2;
    return size <= left - (eighth < half ? eighth : half);
}

bool b2d_system_may_take(size_t size) {
    int64_t all;
    if (size < LARGE) return true;
    const int64_t left = free_bytes(&all);
    return left < 0 || b2d_leaves_enough((int64_t)size, left, all);
}

void b2d_want_huge_pages(void* memory, size_t size) {
#if defined(MADV_HUGEPAGE)
    const uintptr_t begin = ((uintptr_t)memory + B2D_HUGE_PAGE - 1) & ~(B2D_HUGE_PAGE - 1),
                    end = ((uintptr_t)memory + size) & ~(B2D_HUGE_PAGE - 1);
    if (begin < end) (void)madvise((uint8_t*)memory + (begin - (uintptr_t)memory), end - begin, MADV_HUGEPAGE);
#else
    (void)memory, (void)size;
#endif
}

void* b2d_system_take(size_t size) {
    if (!b2d_system_may_take(size)) return NULL;
    const size_t alignment = size >= B2D_HUGE_PAGE ? B2D_HUGE_PAGE : B2D_ALIGNMENT;
#if defined(_WIN32)
    return _aligned_malloc(size, alignment);
#else
    void* block = aligned_alloc(alignment, (size + alignment - 1) & ~(alignment - 1));
    if (block != NULL) b2d_want_huge_pages(block, size);
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

static void guard(free_piece* piece) { ASAN_POISON_MEMORY_REGION(piece + 1, piece->size - sizeof *piece); }

static size_t gap_after(size_t size) { return size <= SHORT ? B2D_ALIGNMENT : SKEW; }
static size_t with_gap(size_t size) {
    return ((size + B2D_ALIGNMENT - 1) & ~(size_t)(B2D_ALIGNMENT - 1)) + gap_after(size);
}

void* b2d_slab_cut(b2d_slab** slabs, size_t size) {
    const size_t whole = with_gap(size);
    free_piece** best = NULL;
    for (b2d_slab* slab = *slabs; slab != NULL; slab = slab->next)
        for (free_piece** link = &slab->free; *link != NULL; link = &(*link)->next)
            if ((*link)->size >= whole && (best == NULL || (*link)->size < (*best)->size)) best = link;
    if (best == NULL) return NULL;
    free_piece* from = *best; // the block is cut off its end, so that most pieces only shrink
    from->size -= whole;
    void* block = (uint8_t*)from + from->size;
    if (from->size == 0) *best = from->next;
    ASAN_UNPOISON_MEMORY_REGION(block, whole - gap_after(size));
    return block;
}

static bool add(b2d_slab** slabs, size_t size, bool touch) {
    b2d_slab* slab = malloc(sizeof *slab);
    uint8_t* base = slab == NULL ? NULL : b2d_system_take(size);
    if (base == NULL) {
        free(slab);
        return false;
    }
    if (touch) memset(base, 0, size);
    *slab = (b2d_slab){*slabs, base, size, (free_piece*)base};
    *slab->free = (free_piece){NULL, size};
    guard(slab->free);
    *slabs = slab;
    return true;
}

bool b2d_slab_add(b2d_slab** slabs, size_t size) { return add(slabs, with_gap(size), true); }

void* b2d_slab_take(b2d_slab** slabs, size_t size) {
    void* block = b2d_slab_cut(slabs, size);
    if (block != NULL) return block;
    size_t open = 0, room = with_gap(size);
    for (const b2d_slab* slab = *slabs; slab != NULL; slab = slab->next) open += slab->size;
    const size_t more = room < open / 4 ? open / 4 : room;
    const bool done = add(slabs, (more + B2D_HUGE_PAGE - 1) & ~(B2D_HUGE_PAGE - 1), false) || add(slabs, room, false);
    return done ? b2d_slab_cut(slabs, size) : NULL;
}

static void give_slab(b2d_slab** link) {
    b2d_slab* slab = *link;
    *link = slab->next;
    ASAN_UNPOISON_MEMORY_REGION(slab->base, slab->size);
    b2d_system_give(slab->base);
    free(slab);
}

size_t b2d_slab_room(const b2d_slab* slabs) {
    size_t room = 0;
    for (; slabs != NULL; slabs = slabs->next)
        for (const free_piece* piece = slabs->free; piece != NULL; piece = piece->next) room += piece->size;
    return room;
}

void b2d_slab_free(b2d_slab** slabs) {
    while (*slabs != NULL) give_slab(slabs);
}

bool b2d_slab_give(b2d_slab** slabs, void* block, size_t size, bool keep) {
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
    guard(freed);
    if (before != NULL && (uint8_t*)before + before->size == (uint8_t*)freed)
        before->size += freed->size, before->next = freed->next, guard(before);
    else if (before != NULL) before->next = freed;
    else slab->free = freed;
    if (!keep && slab->free->size == slab->size) give_slab(link);
    return true;
}
