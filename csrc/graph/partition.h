// csrc/graph/partition.h - the seam for finding islands: what labels the connected parts of a set of bodies.
//
// The same functions split one island, whose links it keeps, and find the islands of all awake bodies from nothing.
// Parts are numbered by their first member, so two functions that find the same partition write the same array.
#pragma once
#include "base/scheduler.h"
#include "graph/graph.h"

typedef struct b2d_partition {
    const b2d_graph* graph;
    b2d_scheduler* scheduler; // NULL: this thread alone
    b2d_arena* arena;
    const int32_t* bodies; // dynamic; whatever is linked to one of them is among them
    int32_t body_count;
    const int32_t* place;     // by body id: its place in `bodies`. NULL: its slot in its island
    const b2d_link* links[2]; // contacts, joints
    int32_t link_count[2];
    int32_t* part; // out, by place: the number of the part
} b2d_partition;
static inline int32_t b2d_place(const b2d_partition* p, int32_t body) {
    return p->place != NULL ? p->place[body] : p->graph->bodies[body].island_slot;
}

typedef int32_t b2d_partition_fn(const b2d_partition* p); // the number of parts; -1: no memory

int32_t b2d_partition_by_search(const b2d_partition* p); // depth first over the links, sorted by body

// The split of an island in three parts. The middle one, which does most of the work, only reads bodies and links of
// the graph and takes no memory, so it may run beside the solver, which changes none of them.
typedef struct b2d_island_search {
    b2d_partition p;
    int32_t *offset, *cursor, *neighbor, *stack; // memory of the search
    int32_t island;
    int32_t parts;  // found by the search
    int32_t few[2]; // bodies of an island that keeps them in its row, which moves when the table of islands grows
} b2d_island_search;

// Takes the memory. False: there is none. The island must stay as it is until the split is applied.
bool b2d_island_search_begin(const b2d_graph* graph, b2d_arena* arena, int32_t island, b2d_island_search* search);
void b2d_island_search_run(b2d_island_search* search);
// Makes islands of all parts but the largest, which stays the island. *made is the number of parts, 0 when the island
// is one part. False: no memory.
bool b2d_island_search_apply(b2d_graph* graph, const b2d_island_search* search, int32_t* made);

typedef struct b2d_island_table {
    const char* name;
    bool
        keeps; // islands keep their links: a link that begins merges two, and ended links make one a candidate to split
    // Without `keeps`: finds the islands of all awake bodies in each step. NULL: an awake body is an island of its own
    b2d_partition_fn* parts;
    // NULL: an island falls asleep when `stay` has no bit of it. Otherwise this unites the bodies that are to fall
    // asleep together, and takes all other dynamic ones out of `may`, the bodies that have been slow for long enough.
    // It is not called when there are none. False: no memory.
    bool (*rest)(b2d_graph* graph, b2d_arena* arena, const int32_t* awake, int32_t count, int64_t step,
                 const b2d_bits* stay, b2d_bits* may);
    // With `keeps`: the awake island with removals that is searched next, or B2D_NONE. NULL: the one nearest to sleep
    int32_t (*pick)(const b2d_graph* graph);
} b2d_island_table;

// persistent, the default: island.c.
#define B2D_ISLANDS(NAME, name) extern const b2d_island_table b2d_islands_##name;
#include "lists/islands.def"
#undef B2D_ISLANDS

// The awake dynamic bodies and the links between them, by ids, with room for the result. False: no memory.
bool b2d_partition_of_awake(b2d_graph* graph, b2d_scheduler* scheduler, b2d_arena* arena, b2d_partition* p);
// Replaces the islands of all awake bodies by the parts that the table finds. False: no memory, nothing changed.
bool b2d_islands_settle(b2d_graph* graph, const b2d_island_table* table, b2d_scheduler* scheduler, b2d_arena* arena);
// Links the acting constraints of these bodies that no island keeps (graph->loose), and collapses. False: no memory.
bool b2d_islands_link_bodies(b2d_graph* graph, const int32_t* bodies, int32_t count);
bool b2d_islands_link_all(b2d_graph* graph);
// Makes sure that the island of a body holds whatever is connected to it. False: no memory.
bool b2d_island_close(b2d_graph* graph, b2d_arena* arena, int32_t body);
