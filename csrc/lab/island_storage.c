// csrc/lab/island_storage.c - islands as linked lists, as document 000 has them, against arrays.
//
// Both keep for each island its bodies and its links, and for each of these its island. With lists a body and a link
// have neighbours, an island has heads and tails: adding, removing and joining two lists take constant time. With
// arrays an island has two arrays, and a member its place: adding takes constant time on average, a removal moves the
// last member into the hole, and of two islands the smaller is copied behind the larger. Both write the island into all
// members of the one that is absorbed. A split goes through the links and bodies of the island alone, by union-find.
#include "base/memory.h"
#include "base/timer.h"
#include "box2dpy_lab.h"

#include <stdlib.h>
#include <string.h>

typedef struct member {      // of a body or link; 64 bytes, as large as the row in which the document keeps it
    int32_t island, ends[2]; // bodies of a link
    union {
        int32_t next, place;
    } at;
    int32_t previous;
    int32_t rest[11];
} member;

typedef struct group { // the bodies or links of an island
    int32_t head, tail, count, capacity;
    int32_t* members; // NULL with lists
} group;

typedef struct store {
    bool lists, failed;
    member* rows[2]; // bodies, links
    group (*islands)[2];
} store;

static void append(store* s, int32_t island, int32_t kind, int32_t id) {
    group* g = &s->islands[island][kind];
    member* row = &s->rows[kind][id];
    row->island = island;
    if (s->lists) {
        row->previous = g->tail;
        row->at.next = B2D_NONE;
        if (g->tail == B2D_NONE) g->head = id;
        else s->rows[kind][g->tail].at.next = id;
        g->tail = id;
    } else {
        if (g->count == g->capacity) {
            const int32_t capacity = b2d_max_int(4, 2 * g->capacity);
            int32_t* grown = realloc(g->members, (size_t)capacity * sizeof *grown);
            s->failed = s->failed || grown == NULL;
            if (grown == NULL) return;
            g->members = grown;
            g->capacity = capacity;
        }
        row->at.place = g->count;
        g->members[g->count] = id;
    }
    g->count++;
}

static void take_out(store* s, int32_t kind, int32_t id) {
    member* row = &s->rows[kind][id];
    group* g = &s->islands[row->island][kind];
    g->count--;
    if (s->lists) {
        const int32_t next = row->at.next, previous = row->previous;
        *(previous == B2D_NONE ? &g->head : &s->rows[kind][previous].at.next) = next;
        *(next == B2D_NONE ? &g->tail : &s->rows[kind][next].previous) = previous;
    } else {
        const int32_t last = g->members[g->count];
        g->members[row->at.place] = last;
        s->rows[kind][last].at.place = row->at.place;
    }
    row->island = B2D_NONE;
}

static void merge(store* s, int32_t to, int32_t from) {
    for (int32_t kind = 0; kind < 2; kind++) {
        group *a = &s->islands[to][kind], *b = &s->islands[from][kind];
        member* rows = s->rows[kind];
        if (b->count == 0) continue;
        if (!s->lists) {
            for (int32_t k = 0; k < b->count; k++) append(s, to, kind, b->members[k]);
            free(b->members);
        } else {
            for (int32_t id = b->head; id != B2D_NONE; id = rows[id].at.next) rows[id].island = to;
            rows[b->head].previous = a->tail;
            *(a->tail == B2D_NONE ? &a->head : &rows[a->tail].at.next) = b->head;
            a->tail = b->tail;
            a->count += b->count;
        }
        *b = (group){B2D_NONE, B2D_NONE, 0, 0, NULL};
    }
}

static int32_t root_of(int32_t* parent, int32_t k) {
    while (parent[k] != k) k = parent[k] = parent[parent[k]];
    return k;
}

static int32_t member_at(const store* s, const group* g, int32_t kind, int32_t k, int32_t before) {
    return !s->lists ? g->members[k] : k == 0 ? g->head : s->rows[kind][before].at.next;
}

// New islands from one: the parents of its links, then its bodies and links are dealt out. `island_of`: by body id.
static int32_t split(store* s, int32_t island, int32_t first_new, int32_t* parent, int32_t* island_of) {
    const group of[2] = {s->islands[island][0], s->islands[island][1]};
    int32_t parts = 0, id = B2D_NONE;
    for (int32_t k = 0; k < of[0].count; k++) {
        id = member_at(s, &of[0], 0, k, id);
        parent[id] = id;
        island_of[id] = B2D_NONE;
    }
    for (int32_t k = 0; k < of[1].count; k++) {
        id = member_at(s, &of[1], 1, k, id);
        const int32_t a = root_of(parent, s->rows[1][id].ends[0]), b = root_of(parent, s->rows[1][id].ends[1]);
        parent[b2d_max_int(a, b)] = b2d_min_int(a, b);
    }
    for (int32_t kind = 0; kind < 2; kind++) {
        s->islands[island][kind] = (group){B2D_NONE, B2D_NONE, 0, 0, NULL};
        int32_t next = of[kind].count > 0 ? member_at(s, &of[kind], kind, 0, B2D_NONE) : B2D_NONE;
        for (int32_t k = 0; k < of[kind].count; k++) {
            const int32_t here = next; // read before `append` changes the list
            if (k + 1 < of[kind].count) next = member_at(s, &of[kind], kind, k + 1, here);
            const int32_t root = root_of(parent, kind == 0 ? here : s->rows[1][here].ends[0]);
            if (island_of[root] == B2D_NONE) island_of[root] = first_new + parts++;
            append(s, island_of[root], kind, here);
        }
        free(of[kind].members);
    }
    return parts;
}

static int64_t walk(const store* s, int32_t island) { // reads the row of each member, as a step that wakes it does
    int64_t met = 0;
    for (int32_t kind = 0; kind < 2; kind++) {
        const group* g = &s->islands[island][kind];
        for (int32_t k = 0, id = B2D_NONE; k < g->count; k++) {
            id = member_at(s, g, kind, k, id);
            met += s->rows[kind][id].island == island;
        }
    }
    return met;
}

static int32_t scattered(int32_t k, int32_t count) { return (int32_t)((int64_t)k * 7368787 % count); } // a prime

b2d_status b2d_lab_island_storage(bool lists, int32_t count, int32_t cut, double ms[4], int32_t* parts) {
    if (count < 2 || count >= 7368787 || cut < 1) return B2D_OUT_OF_RANGE;
    const int32_t bodies = 2 * count, links = 2 * count - 1;
    store s = {.lists = lists};
    int32_t* scratch = calloc(2 * (size_t)bodies, sizeof *scratch);
    s.rows[0] = calloc((size_t)bodies, sizeof(member));
    s.rows[1] = calloc((size_t)links, sizeof(member));
    s.islands = calloc(2 * (size_t)bodies, sizeof *s.islands);
    s.failed = scratch == NULL || s.rows[0] == NULL || s.rows[1] == NULL || s.islands == NULL;
    *parts = 0;
    if (!s.failed) {
        for (int32_t k = 0; k < 2 * bodies; k++)
            s.islands[k][0] = s.islands[k][1] = (group){B2D_NONE, B2D_NONE, 0, 0, NULL};
        // Link k joins bodies k and k + 1; those with an even number are there at first. Neighbours have scattered ids
        for (int32_t k = 0; k < links; k++)
            for (int32_t j = 0; j < 2; j++) s.rows[1][k].ends[j] = scattered(k + j, bodies);
        for (int32_t k = 0; k < bodies; k++) append(&s, k / 2, 0, scattered(k, bodies));
        for (int32_t k = 0; k < links; k += 2) append(&s, k / 2, 1, k);
        double start = b2d_milliseconds();
        for (int32_t half = 0; half < count - 1; half++) { // the other links begin, in any order
            const int32_t k = 2 * scattered(half, count - 1) + 1;
            const int32_t a = s.rows[0][s.rows[1][k].ends[0]].island, b = s.rows[0][s.rows[1][k].ends[1]].island;
            const bool larger = s.islands[a][0].count >= s.islands[b][0].count;
            merge(&s, larger ? a : b, larger ? b : a);
            append(&s, larger ? a : b, 1, k);
        }
        double end = b2d_milliseconds();
        ms[0] = end - start;
        const int32_t island = s.rows[0][0].island;
        start = b2d_milliseconds();
        for (int32_t k = 0; k < links; k++) {
            const int32_t link = scattered(k, links);
            take_out(&s, 1, link);
            append(&s, island, 1, link);
        }
        ms[1] = b2d_milliseconds() - start;
        start = b2d_milliseconds();
        int64_t met = walk(&s, island);
        ms[3] = b2d_milliseconds() - start;
        s.failed = s.failed || met != bodies + links;
        for (int32_t k = cut - 1; k < links; k += cut) take_out(&s, 1, k);
        start = b2d_milliseconds();
        *parts = split(&s, island, bodies, scratch, scratch + bodies);
        ms[2] = b2d_milliseconds() - start;
        int32_t held[2] = {0, 0};
        for (int32_t k = bodies; k < bodies + *parts; k++)
            held[0] += s.islands[k][0].count, held[1] += s.islands[k][1].count;
        s.failed = s.failed || held[0] != bodies || held[1] != links - links / cut;
        for (int32_t k = 0; k < 2 * bodies; k++) free(s.islands[k][0].members), free(s.islands[k][1].members);
    }
    free(scratch);
    free(s.rows[0]);
    free(s.rows[1]);
    free(s.islands);
    return s.failed ? B2D_NO_MEMORY : B2D_OK;
}
