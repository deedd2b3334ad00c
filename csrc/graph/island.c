// csrc/graph/island.c - persistent islands: the bodies that sleep and wake together.
//
// Idea (Catto, "Simulation Islands", 2023): an island keeps its bodies and the links between them across steps. A link
// that begins merges two islands by serial union-find over island ids; one collapse a step moves the members. A link
// that ends only counts as a removal; at most one island a step is split by depth-first search over its own link
// arrays. Constraints on static and kinematic bodies connect no islands and are not kept as links. The partition is
// therefore a coarsening of the connected components, and equal to them once splitting is exhausted
// (tests/oracle/test_islands.py).
// Cost: link O(log), collapse O(members of the smaller side), split O(bodies + links of one island).
#include "graph/partition.h"

#include <string.h>

static size_t bytes_of(uint8_t size) { return size == 0 ? 0 : (size_t)1 << size; }

// Moves an array to a larger block of the pool, of at least `needed` bytes; its size is a power of two.
static void* larger(b2d_graph* graph, const void* old, size_t old_bytes, uint8_t* size, size_t needed) {
    size_t granted;
    void* block = b2d_pool_take(graph->memory, &graph->pool, needed, &granted);
    if (block == NULL) return NULL;
    if (old_bytes > 0) memcpy(block, old, old_bytes);
    if (*size != 0) b2d_pool_give(&graph->pool, (void*)old, bytes_of(*size));
    *size = (uint8_t)b2d_ctz64(granted);
    return block;
}

static bool reserve_bodies(b2d_graph* graph, b2d_island* island, int32_t needed) {
    const size_t stride = sizeof(int32_t),
                 room = island->body_size == 0 ? sizeof island->bodies.few : bytes_of(island->body_size);
    if ((size_t)needed * stride <= room) return true;
    int32_t* block = larger(graph, b2d_island_bodies(island), (size_t)island->body_count * stride, &island->body_size,
                            (size_t)needed * stride);
    if (block != NULL) island->bodies.many = block;
    return block != NULL;
}

static bool reserve_links(b2d_graph* graph, b2d_link** links, uint8_t* size, int32_t count, int32_t needed) {
    if ((size_t)needed * sizeof **links <= bytes_of(*size)) return true;
    b2d_link* block = larger(graph, *links, (size_t)count * sizeof *block, size, (size_t)needed * sizeof *block);
    if (block != NULL) *links = block;
    return block != NULL;
}

// The links of the island, created if there are none; NULL: no memory.
static b2d_island_links* links_of(b2d_graph* graph, b2d_island* island) {
    size_t granted;
    if (island->links != NULL) return island->links;
    b2d_island_links* links = b2d_pool_take(graph->memory, &graph->pool, sizeof *links, &granted);
    if (links != NULL) *links = (b2d_island_links){0};
    island->links = links;
    return links;
}

static bool reserve_contacts(b2d_graph* graph, b2d_island* island, int32_t needed) {
    b2d_island_links* links = links_of(graph, island);
    return links != NULL && reserve_links(graph, &links->contacts, &links->contact_size, links->contact_count, needed);
}
static bool reserve_joints(b2d_graph* graph, b2d_island* island, int32_t needed) {
    b2d_island_links* links = links_of(graph, island);
    return links != NULL && reserve_links(graph, &links->joints, &links->joint_size, links->joint_count, needed);
}

static int32_t* bodies_of(b2d_island* island) { return (int32_t*)b2d_island_bodies(island); }

static bool reserve_rows(b2d_graph* graph, int32_t rows) {
    return b2d_id_pool_reserve(graph->memory, &graph->island_ids, rows) &&
           B2D_GROW(graph->memory, graph->islands, graph->island_capacity, rows) &&
           B2D_GROW(graph->memory, graph->island_generations, graph->island_generation_capacity, rows);
}

bool b2d_island_reserve(b2d_graph* graph) {
    // Every id below the limit has its row
    if (graph->cells.count == 0 && graph->island_ids.count < graph->island_ids.limit) return true;
    // In a packed world the next island of each cell
    const int32_t rows = graph->cells.count == 0 ? b2d_id_pool_rows(&graph->island_ids)
                                                 : graph->island_ids.limit + graph->cells.count;
    return reserve_rows(graph, rows);
}

static int32_t new_island(b2d_graph* graph, int32_t body) {
    if (!b2d_island_reserve(graph)) return B2D_NONE;
    const int32_t id = b2d_cells_next_id(&graph->cells, &graph->island_ids, body);
    if (id == B2D_NONE || !b2d_id_pool_take_id(graph->memory, &graph->island_ids, id)) return B2D_NONE;
    graph->islands[id] = (b2d_island){.parent = B2D_NONE};
    graph->island_generations[id] = ++graph->generation;
    return id;
}

void b2d_island_drop(b2d_graph* graph, int32_t id) {
    b2d_island* island = &graph->islands[id];
    if (island->body_size != 0) b2d_pool_give(&graph->pool, island->bodies.many, bytes_of(island->body_size));
    b2d_island_links* links = island->links;
    if (links != NULL) {
        if (links->contact_size != 0) b2d_pool_give(&graph->pool, links->contacts, bytes_of(links->contact_size));
        if (links->joint_size != 0) b2d_pool_give(&graph->pool, links->joints, bytes_of(links->joint_size));
        b2d_pool_give(&graph->pool, links, b2d_pool_granted(sizeof *links));
    }
    *island = (b2d_island){.parent = B2D_NONE};
    graph->island_generations[id] = 0;
    b2d_id_pool_release(&graph->island_ids, id);
}

int32_t b2d_island_create(b2d_graph* graph, int32_t body) {
    int32_t id = new_island(graph, body);
    if (id == B2D_NONE) return B2D_NONE;
    b2d_island* island = &graph->islands[id];
    island->bodies.few[0] = body;
    island->body_count = 1;
    graph->bodies[body].island = id;
    graph->bodies[body].island_slot = 0;
    graph->body_clusters[body] = island->cluster = b2d_cluster_of_new(graph, body);
    return id;
}

bool b2d_islands_reserve(b2d_graph* graph, int32_t more, int32_t body_limit) {
    return reserve_rows(graph, b2d_min_int(graph->island_ids.count + more, body_limit));
}

void b2d_islands_create(b2d_graph* graph, const int32_t* bodies, int32_t count) {
    b2d_id_pool* pool = &graph->island_ids;
    int32_t w = 0;
    uint64_t open = 0; // free ids of the word w
    for (int32_t k = 0; k < count; k++) {
        if (open == 0) w = b2d_id_pool_lowest(pool) >> 6, open = ~pool->used[w];
        const int32_t id = 64 * w + b2d_ctz64(open), body = bodies[k];
        pool->used[w] |= open & -open;
        open &= open - 1;
        if (open == 0) pool->full[w >> 6] |= 1ull << (w & 63);
        pool->limit = b2d_max_int(pool->limit, id + 1);
        const uint16_t cluster = b2d_cluster_of_new(graph, body);
        graph->islands[id] = (b2d_island){
            .bodies.few = {body}, .body_count = 1, .parent = B2D_NONE, .cluster = cluster};
        graph->island_generations[id] = ++graph->generation;
        graph->bodies[body].island = id;
        graph->bodies[body].island_slot = 0;
        graph->body_clusters[body] = cluster;
    }
    pool->count += count;
}

bool b2d_island_copy(b2d_graph* graph, int32_t id, const b2d_graph* from, int32_t source, const b2d_cell_map* map) {
    const b2d_island* old = &from->islands[source];
    const b2d_island_links linked = b2d_island_linked(old);
    b2d_island* island = &graph->islands[id];
    if (b2d_id_pool_has(&graph->island_ids, id)) { // it keeps its arrays
        island->body_count = 0;
        if (island->links != NULL) island->links->contact_count = island->links->joint_count = 0;
    } else {
        if (!b2d_id_pool_take_id(graph->memory, &graph->island_ids, id)) return false;
        *island = (b2d_island){.parent = B2D_NONE};
    }
    island->removals = old->removals;
    graph->island_generations[id] = ++graph->generation;
    if (!reserve_bodies(graph, island, old->body_count) ||
        (linked.contact_count > 0 && !reserve_contacts(graph, island, linked.contact_count)) ||
        (linked.joint_count > 0 && !reserve_joints(graph, island, linked.joint_count)))
        return false;
    island->body_count = old->body_count;
    graph->grouped = graph->grouped || island->body_count > 1;
    for (int32_t k = 0; k < old->body_count; k++) bodies_of(island)[k] = b2d_map_body(map, b2d_island_bodies(old)[k]);
    island->cluster = graph->body_clusters[b2d_island_bodies(island)[0]];
    if (island->links == NULL) return true;
    island->links->contact_count = linked.contact_count;
    island->links->joint_count = linked.joint_count;
    for (int32_t kind = 0; kind < 2; kind++)
        for (int32_t k = 0; k < (kind ? linked.joint_count : linked.contact_count); k++) {
            const b2d_link* link = &(kind ? linked.joints : linked.contacts)[k];
            (kind ? island->links->joints : island->links->contacts)[k] = (b2d_link){
                kind ? b2d_map_joint(map, link->id) : b2d_map_strided(map, link->id), b2d_map_body(map, link->body_a),
                b2d_map_body(map, link->body_b)};
        }
    return true;
}

// Whether islands wait to be merged into it, or it into another one: for want of memory b2d_island_collapse has left
// them.
static bool is_merging(b2d_graph* graph, int32_t id) {
    bool found = graph->islands[id].parent != B2D_NONE;
    for (int32_t k = 0; k < graph->merged_count && !found; k++) found = b2d_island_find(graph, graph->merged[k]) == id;
    return found;
}

void b2d_island_remove_body(b2d_graph* graph, int32_t body_id) {
    b2d_body* body = &graph->bodies[body_id];
    int32_t id = body->island;
    b2d_island* island = &graph->islands[id];
    int32_t* bodies = bodies_of(island);
    int32_t last = bodies[--island->body_count];
    bodies[body->island_slot] = last;
    graph->bodies[last].island_slot = body->island_slot;
    body->island = body->island_slot = B2D_NONE;
    if (island->body_count == 0 && !is_merging(graph, id)) { // else b2d_island_collapse drops it
        B2D_ASSERT(b2d_island_linked(island).contact_count == 0 && b2d_island_linked(island).joint_count == 0);
        b2d_island_drop(graph, id);
    }
}

int32_t b2d_island_find(b2d_graph* graph, int32_t id) {
    b2d_island* islands = graph->islands;
    while (islands[id].parent != B2D_NONE) {
        int32_t parent = islands[id].parent;
        if (islands[parent].parent != B2D_NONE) islands[id].parent = islands[parent].parent; // path halving
        id = parent;
    }
    return id;
}

// Unites the islands of two bodies; returns the root, or B2D_NONE without memory. The root is the island of more bodies
// (before the merges of this step), of equal ones that with the lower id: the cost of a merge is that of the smaller
// island.
static int32_t unite(b2d_graph* graph, int32_t body_a, int32_t body_b) {
    int32_t a = b2d_island_find(graph, graph->bodies[body_a].island);
    int32_t b = b2d_island_find(graph, graph->bodies[body_b].island);
    if (a == b) return a;
    if (!B2D_GROW(graph->memory, graph->merged, graph->merged_capacity, graph->merged_count + 1)) return B2D_NONE;
    int32_t count_a = graph->islands[a].body_count, count_b = graph->islands[b].body_count;
    int32_t root = count_a > count_b || (count_a == count_b && a < b) ? a : b;
    int32_t child = root == a ? b : a;
    graph->islands[child].parent = root;
    graph->merged[graph->merged_count++] = child;
    graph->merges++;
    return root;
}

static bool both_dynamic(const b2d_graph* graph, int32_t body_a, int32_t body_b) {
    return b2d_moves(graph, body_a) && b2d_moves(graph, body_b);
}

bool b2d_island_link_contact(b2d_graph* graph, int32_t id) {
    const b2d_pair* pair = &graph->pairs[id];
    if (!both_dynamic(graph, pair->body_a, pair->body_b)) return true;
    int32_t root = unite(graph, pair->body_a, pair->body_b);
    if (root == B2D_NONE) return false;
    b2d_island* island = &graph->islands[root];
    if (!reserve_contacts(graph, island, b2d_island_linked(island).contact_count + 1)) return false;
    graph->contacts[id].island = root;
    graph->contacts[id].island_slot = island->links->contact_count;
    island->links->contacts[island->links->contact_count++] = (b2d_link){id, pair->body_a, pair->body_b};
    return true;
}

void b2d_island_unlink_contact(b2d_graph* graph, int32_t id) {
    b2d_contact* contact = &graph->contacts[id];
    if (contact->island == B2D_NONE) return;
    b2d_island* island = &graph->islands[contact->island];
    b2d_link last = island->links->contacts[--island->links->contact_count];
    island->links->contacts[contact->island_slot] = last;
    graph->contacts[last.id].island_slot = contact->island_slot;
    contact->island = contact->island_slot = B2D_NONE;
    island->removals++;
}

bool b2d_island_link_joint(b2d_graph* graph, int32_t id) {
    b2d_joint* joint = &graph->joints[id];
    if (!both_dynamic(graph, joint->body[0], joint->body[1])) return true;
    int32_t root = unite(graph, joint->body[0], joint->body[1]);
    if (root == B2D_NONE) return false;
    b2d_island* island = &graph->islands[root];
    if (!reserve_joints(graph, island, b2d_island_linked(island).joint_count + 1)) return false;
    joint->island = root;
    joint->island_slot = island->links->joint_count;
    island->links->joints[island->links->joint_count++] = (b2d_link){id, joint->body[0], joint->body[1]};
    return true;
}

void b2d_island_unlink_joint(b2d_graph* graph, int32_t id) {
    b2d_joint* joint = &graph->joints[id];
    if (joint->island == B2D_NONE) return;
    b2d_island* island = &graph->islands[joint->island];
    b2d_link last = island->links->joints[--island->links->joint_count];
    island->links->joints[joint->island_slot] = last;
    graph->joints[last.id].island_slot = joint->island_slot;
    joint->island = joint->island_slot = B2D_NONE;
    island->removals++;
}

bool b2d_island_collapse(b2d_graph* graph) {
    graph->grouped = graph->grouped || graph->merged_count > 0;
    for (int32_t k = 0; k < graph->merged_count; k++) {
        const b2d_island* child = &graph->islands[graph->merged[k]];
        b2d_island* root = &graph->islands[b2d_island_find(graph, graph->merged[k])];
        const b2d_island_links child_links = b2d_island_linked(child), root_links = b2d_island_linked(root);
        if (!reserve_bodies(graph, root, root->body_count + child->body_count) ||
            !reserve_contacts(graph, root, root_links.contact_count + child_links.contact_count) ||
            !reserve_joints(graph, root, root_links.joint_count + child_links.joint_count)) {
            return false; // children that are already empty stay on the list: the next call continues
        }
        int32_t id = graph->merged[k], root_id = b2d_island_find(graph, id);
        int32_t* root_bodies = bodies_of(root);
        b2d_cluster_tie(graph, child->cluster, root->cluster);
        for (int32_t i = 0; i < child->body_count; i++) {
            int32_t body = b2d_island_bodies(child)[i];
            graph->bodies[body].island = root_id;
            graph->bodies[body].island_slot = root->body_count;
            graph->body_clusters[body] = root->cluster;
            root_bodies[root->body_count++] = body;
        }
        b2d_island_links* to = root->links;
        for (int32_t i = 0; i < child_links.contact_count; i++) {
            graph->contacts[child_links.contacts[i].id].island = root_id;
            graph->contacts[child_links.contacts[i].id].island_slot = to->contact_count;
            to->contacts[to->contact_count++] = child_links.contacts[i];
        }
        for (int32_t i = 0; i < child_links.joint_count; i++) {
            graph->joints[child_links.joints[i].id].island = root_id;
            graph->joints[child_links.joints[i].id].island_slot = to->joint_count;
            to->joints[to->joint_count++] = child_links.joints[i];
        }
        root->removals += child->removals;
        graph->relabeled += child->body_count + child_links.contact_count + child_links.joint_count;
        b2d_island* emptied = &graph->islands[id];
        emptied->body_count = emptied->removals = 0;
        if (emptied->links != NULL) emptied->links->contact_count = emptied->links->joint_count = 0;
    }
    for (int32_t k = 0; k < graph->merged_count; k++) { // all bodies may have been destroyed since a failed collapse
        const int32_t root = b2d_island_find(graph, graph->merged[k]);
        if (b2d_id_pool_has(&graph->island_ids, root) && graph->islands[root].body_count == 0)
            b2d_island_drop(graph, root);
    }
    for (int32_t k = 0; k < graph->merged_count; k++) b2d_island_drop(graph, graph->merged[k]);
    graph->merged_count = 0;
    return true;
}

// Neighbours of the bodies, by place, in one array with offsets (two entries for each link).
static void count_links(const b2d_partition* p, const b2d_link* links, int32_t count, int32_t* offset) {
    for (int32_t i = 0; i < count; i++) {
        offset[b2d_place(p, links[i].body_a) + 1]++;
        offset[b2d_place(p, links[i].body_b) + 1]++;
    }
}
static void fill_links(const b2d_partition* p, const b2d_link* links, int32_t count, int32_t* cursor,
                       int32_t* neighbor) {
    for (int32_t i = 0; i < count; i++) {
        int32_t a = b2d_place(p, links[i].body_a), b = b2d_place(p, links[i].body_b);
        neighbor[cursor[a]++] = b;
        neighbor[cursor[b]++] = a;
    }
}

static bool take_search_memory(b2d_island_search* search) {
    const b2d_partition* p = &search->p;
    const size_t bodies = (size_t)p->body_count + 1, links = (size_t)(p->link_count[0] + p->link_count[1]);
    search->offset = b2d_arena_take(p->arena, bodies * sizeof *search->offset);
    search->cursor = b2d_arena_take(p->arena, bodies * sizeof *search->cursor);
    search->neighbor = b2d_arena_take(p->arena, (2 * links + 1) * sizeof *search->neighbor);
    search->stack = b2d_arena_take(p->arena, bodies * sizeof *search->stack);
    return search->offset != NULL && search->cursor != NULL && search->neighbor != NULL && search->stack != NULL;
}

void b2d_island_search_run(b2d_island_search* search) {
    const b2d_partition* p = &search->p;
    const int32_t n = p->body_count;
    int32_t *offset = search->offset, *neighbor = search->neighbor, *stack = search->stack;
    memset(offset, 0, (size_t)(n + 1) * sizeof *offset);
    for (int32_t kind = 0; kind < 2; kind++) count_links(p, p->links[kind], p->link_count[kind], offset);
    for (int32_t i = 0; i < n; i++) offset[i + 1] += offset[i];
    memcpy(search->cursor, offset, (size_t)n * sizeof *offset);
    for (int32_t kind = 0; kind < 2; kind++)
        fill_links(p, p->links[kind], p->link_count[kind], search->cursor, neighbor);

    for (int32_t i = 0; i < n; i++) p->part[i] = B2D_NONE;
    search->parts = 0;
    for (int32_t seed = 0; seed < n; seed++) {
        if (p->part[seed] != B2D_NONE) continue;
        int32_t depth = 0;
        stack[depth++] = seed;
        p->part[seed] = search->parts;
        while (depth > 0) {
            int32_t slot = stack[--depth];
            for (int32_t k = offset[slot]; k < offset[slot + 1]; k++) {
                if (p->part[neighbor[k]] != B2D_NONE) continue;
                p->part[neighbor[k]] = search->parts;
                stack[depth++] = neighbor[k];
            }
        }
        search->parts++;
    }
}

int32_t b2d_partition_by_search(const b2d_partition* p) {
    b2d_island_search search = {.p = *p};
    if (!take_search_memory(&search)) return -1;
    b2d_island_search_run(&search);
    return search.parts;
}

static void keep_link(b2d_graph* graph, const b2d_link* link, bool joint, int32_t target) {
    b2d_island_links* island = graph->islands[target].links;
    if (joint) {
        graph->joints[link->id].island = target;
        graph->joints[link->id].island_slot = island->joint_count;
        island->joints[island->joint_count++] = *link;
    } else {
        graph->contacts[link->id].island = target;
        graph->contacts[link->id].island_slot = island->contact_count;
        island->contacts[island->contact_count++] = *link;
    }
}

// An empty island for each part but `stays`, with room for its bodies, contacts and joints. False: no memory, nothing
// changed.
static bool new_islands(b2d_graph* graph, int32_t body, int32_t parts, int32_t stays, const int32_t (*size)[3],
                        int32_t* island_of) {
    for (int32_t k = 0; k < parts; k++) {
        if (k == stays) continue;
        island_of[k] = new_island(graph, body);
        b2d_island* island = island_of[k] == B2D_NONE ? NULL : &graph->islands[island_of[k]];
        if (island != NULL && reserve_bodies(graph, island, size[k][0]) &&
            (size[k][1] == 0 || reserve_contacts(graph, island, size[k][1])) &&
            (size[k][2] == 0 || reserve_joints(graph, island, size[k][2])))
            continue;
        for (int32_t q = 0; q <= k; q++)
            if (q != stays && island_of[q] != B2D_NONE) b2d_island_drop(graph, island_of[q]);
        return false;
    }
    return true;
}

// Makes an island of each part. The bodies and links are counted first, so that every island gets its arrays at once; a
// failure drops the new islands and changes nothing. The islands that the bodies were in are left to the caller.
static bool make_parts(b2d_graph* graph, const b2d_partition* p, int32_t parts) {
    int32_t* island_of = b2d_arena_take(p->arena, (size_t)parts * sizeof *island_of);
    int32_t (*size)[3] = b2d_arena_take(p->arena, (size_t)parts * sizeof *size);
    if (island_of == NULL || size == NULL) return false;
    memset(size, 0, (size_t)parts * sizeof *size);
    for (int32_t i = 0; i < p->body_count; i++) size[p->part[i]][0]++;
    for (int32_t kind = 0; kind < 2; kind++)
        for (int32_t i = 0; i < p->link_count[kind]; i++)
            size[p->part[b2d_place(p, p->links[kind][i].body_a)]][1 + kind]++;
    if (!new_islands(graph, p->bodies[0], parts, B2D_NONE, (const int32_t (*)[3])size, island_of)) return false;
    for (int32_t kind = 0; kind < 2; kind++)
        for (int32_t i = 0; i < p->link_count[kind]; i++) {
            const b2d_link* link = &p->links[kind][i];
            keep_link(graph, link, kind == 1, island_of[p->part[b2d_place(p, link->body_a)]]);
        }
    graph->grouped = graph->grouped || parts < p->body_count;
    for (int32_t i = 0; i < p->body_count; i++) {
        b2d_island* island = &graph->islands[island_of[p->part[i]]];
        const int32_t body = p->bodies[i], cluster = graph->body_clusters[body];
        if (island->body_count == 0) island->cluster = (uint16_t)cluster;
        b2d_cluster_tie(graph, cluster, island->cluster);
        graph->body_clusters[body] = island->cluster;
        graph->bodies[body].island = island_of[p->part[i]];
        graph->bodies[body].island_slot = island->body_count;
        bodies_of(island)[island->body_count++] = body;
    }
    return true;
}

bool b2d_island_search_begin(const b2d_graph* graph, b2d_arena* arena, int32_t island, b2d_island_search* search) {
    const b2d_island* row = &graph->islands[island];
    const b2d_island_links linked = b2d_island_linked(row);
    *search = (b2d_island_search){.p = {.graph = graph,
                                        .arena = arena,
                                        .bodies = b2d_island_bodies(row),
                                        .body_count = row->body_count,
                                        .links = {linked.contacts, linked.joints},
                                        .link_count = {linked.contact_count, linked.joint_count}},
                                  .island = island};
    if (row->body_size == 0) search->p.bodies = memcpy(search->few, row->bodies.few, sizeof search->few);
    search->p.part = b2d_arena_take(arena, (size_t)(row->body_count + 1) * sizeof *search->p.part);
    return search->p.part != NULL && take_search_memory(search);
}

// The part with the most bodies, the first of equals, and the number of bodies, contacts and joints of all others.
static int32_t count_parts(const b2d_graph* graph, const b2d_partition* p, int32_t parts, int32_t (*size)[3]) {
    memset(size, 0, (size_t)parts * sizeof *size);
    for (int32_t i = 0; i < p->body_count; i++) size[p->part[i]][0]++;
    int32_t most = 0;
    for (int32_t k = 1; k < parts; k++)
        if (size[k][0] > size[most][0]) most = k;
    for (int32_t i = 0; i < p->body_count; i++) {
        const b2d_body* body = &graph->bodies[p->bodies[i]];
        if (p->part[i] == most) continue;
        for (int32_t key = body->contact_head; key != B2D_NONE; key = graph->contacts[key >> 1].next[key & 1])
            size[p->part[i]][1] += (key & 1) == 0 && graph->contacts[key >> 1].island != B2D_NONE;
        for (int32_t key = body->joint_head; key != B2D_NONE; key = graph->joints[key >> 1].next[key & 1])
            size[p->part[i]][2] += (key & 1) == 0 && graph->joints[key >> 1].island != B2D_NONE;
    }
    return most;
}

// Moves the links that a body is the first side of from its island to another one.
static void move_links(b2d_graph* graph, int32_t body, const b2d_island_links* from, int32_t target) {
    for (int32_t key = graph->bodies[body].contact_head; key != B2D_NONE;
         key = graph->contacts[key >> 1].next[key & 1]) {
        const int32_t slot = graph->contacts[key >> 1].island_slot;
        if ((key & 1) != 0 || slot == B2D_NONE) continue;
        const b2d_link link = from->contacts[slot];
        b2d_island_unlink_contact(graph, link.id);
        keep_link(graph, &link, false, target);
    }
    for (int32_t key = graph->bodies[body].joint_head; key != B2D_NONE; key = graph->joints[key >> 1].next[key & 1]) {
        const int32_t slot = graph->joints[key >> 1].island_slot;
        if ((key & 1) != 0 || slot == B2D_NONE) continue;
        const b2d_link link = from->joints[slot];
        b2d_island_unlink_joint(graph, link.id);
        keep_link(graph, &link, true, target);
    }
}

// An array moves to the block that a new one of so many bytes would get; without memory it stays.
static void* fit_array(b2d_graph* graph, void* old, uint8_t* size, size_t needed) {
    if (*size == 0 || (needed > 0 && b2d_pool_granted(needed) == bytes_of(*size))) return old;
    size_t granted = 0;
    void* block = needed == 0 ? NULL : b2d_pool_take(graph->memory, &graph->pool, needed, &granted);
    if (needed > 0 && block == NULL) return old;
    if (needed > 0) memcpy(block, old, needed);
    b2d_pool_give(&graph->pool, old, bytes_of(*size));
    *size = needed == 0 ? 0 : (uint8_t)b2d_ctz64(granted);
    return block;
}
static void fit_arrays(b2d_graph* graph, b2d_island* island) {
    if (island->body_size != 0) {
        int32_t few[2] = {island->bodies.many[0], island->bodies.many[1]};
        const bool is_few = (size_t)island->body_count * sizeof *few <= sizeof few;
        int32_t* many = fit_array(graph, island->bodies.many, &island->body_size,
                                  is_few ? 0 : (size_t)island->body_count * sizeof *few);
        if (island->body_size == 0) memcpy(island->bodies.few, few, sizeof few);
        else island->bodies.many = many;
    }
    b2d_island_links* links = island->links;
    if (links == NULL) return;
    links->contacts = fit_array(graph, links->contacts, &links->contact_size,
                                (size_t)links->contact_count * sizeof(b2d_link));
    links->joints = fit_array(graph, links->joints, &links->joint_size, (size_t)links->joint_count * sizeof(b2d_link));
    if (links->contact_size != 0 || links->joint_size != 0) return;
    b2d_pool_give(&graph->pool, links, b2d_pool_granted(sizeof *links));
    island->links = NULL;
}

// Makes an island of each part but the largest, which stays the island that it was: most splits take a few bodies off a
// pile. Cost: the bodies of the island, and the links of those that leave it. False: no memory, nothing changed.
static bool part_off(b2d_graph* graph, const b2d_partition* p, int32_t id, int32_t parts) {
    int32_t* island_of = b2d_arena_take(p->arena, (size_t)parts * sizeof *island_of);
    int32_t (*size)[3] = b2d_arena_take(p->arena, (size_t)parts * sizeof *size);
    if (island_of == NULL || size == NULL) return false;
    const int32_t stays = count_parts(graph, p, parts, size);
    island_of[stays] = id;
    if (!new_islands(graph, p->bodies[0], parts, stays, (const int32_t (*)[3])size, island_of)) return false;
    b2d_island* from = &graph->islands[id];
    for (int32_t i = 0; from->links != NULL && i < p->body_count; i++)
        if (p->part[i] != stays) move_links(graph, p->bodies[i], from->links, island_of[p->part[i]]);
    // Backwards: the last body, which fills the hole, stays
    for (int32_t i = p->body_count - 1; i >= 0; i--) {
        const int32_t k = p->part[i], body = bodies_of(from)[i], last = bodies_of(from)[from->body_count - 1];
        if (k == stays) continue;
        bodies_of(from)[i] = last;
        graph->bodies[last].island_slot = i;
        from->body_count--;
        b2d_island* island = &graph->islands[island_of[k]];
        island->cluster = from->cluster;
        island->body_count++;
        graph->bodies[body].island = island_of[k];
        graph->bodies[body].island_slot = --size[k][0];
        bodies_of(island)[size[k][0]] = body;
    }
    from->removals = 0;
    fit_arrays(graph, from);
    return true;
}

bool b2d_island_search_apply(b2d_graph* graph, const b2d_island_search* search, int32_t* made) {
    *made = 0;
    graph->searches++;
    graph->traversed += search->p.body_count;
    if (search->parts == 1) {
        graph->islands[search->island].removals = 0;
        return true;
    }
    if (!part_off(graph, &search->p, search->island, search->parts)) return false;
    graph->splits += search->parts;
    *made = search->parts;
    return true;
}

bool b2d_island_split(b2d_graph* graph, b2d_arena* arena, int32_t id, int32_t* made) {
    b2d_island_search search;
    *made = 0;
    if (!b2d_island_search_begin(graph, arena, id, &search)) return false;
    b2d_island_search_run(&search);
    return b2d_island_search_apply(graph, &search, made);
}

bool b2d_partition_of_awake(b2d_graph* graph, b2d_scheduler* scheduler, b2d_arena* arena, b2d_partition* p) {
    const int32_t awake = b2d_bits_count(&graph->awake), limit = 64 * graph->awake.word_count,
                  contacts = b2d_bits_count(&graph->in_lanes), joints = graph->joint_ids.count;
    int32_t* bodies = b2d_arena_take(arena, (size_t)(awake + 1) * sizeof *bodies);
    int32_t* place = b2d_arena_take(arena, (size_t)(limit + 1) * sizeof *place);
    int32_t* part = b2d_arena_take(arena, (size_t)(awake + 1) * sizeof *part);
    b2d_link* links = b2d_arena_take(arena, (size_t)(contacts + joints + 1) * sizeof *links);
    if (bodies == NULL || place == NULL || part == NULL || links == NULL) return false;
    *p = (b2d_partition){.graph = graph,
                         .scheduler = scheduler,
                         .arena = arena,
                         .bodies = bodies,
                         .place = place,
                         .links = {links, links + contacts},
                         .part = part};
    B2D_FOR_BITS (&graph->awake, body) {
        if (!b2d_moves(graph, body)) continue;
        place[body] = p->body_count;
        bodies[p->body_count++] = body;
    }
    B2D_FOR_BITS (&graph->in_lanes, id) {
        const b2d_pair* pair = &graph->pairs[id];
        if (both_dynamic(graph, pair->body_a, pair->body_b))
            links[p->link_count[0]++] = (b2d_link){id, pair->body_a, pair->body_b};
    }
    for (int32_t id = b2d_id_pool_next(&graph->joint_ids, 0); id != B2D_NONE;
         id = b2d_id_pool_next(&graph->joint_ids, id + 1)) {
        const b2d_joint* joint = &graph->joints[id];
        if (joint->lane_index != B2D_NONE && both_dynamic(graph, joint->body[0], joint->body[1]))
            links[contacts + p->link_count[1]++] = (b2d_link){id, joint->body[0], joint->body[1]};
    }
    return true;
}

static void forget_links(b2d_graph* graph, int32_t id) {
    const b2d_island_links linked = b2d_island_linked(&graph->islands[id]);
    for (int32_t k = 0; k < linked.contact_count; k++)
        graph->contacts[linked.contacts[k].id].island = graph->contacts[linked.contacts[k].id].island_slot = B2D_NONE;
    for (int32_t k = 0; k < linked.joint_count; k++)
        graph->joints[linked.joints[k].id].island = graph->joints[linked.joints[k].id].island_slot = B2D_NONE;
}

// Makes every awake body of a larger island an island of its own.
static bool dissolve(b2d_graph* graph, b2d_arena* arena) {
    if (!graph->grouped) return true;
    int32_t* bodies = b2d_arena_take(arena, (size_t)(2 * b2d_bits_count(&graph->awake) + 1) * sizeof *bodies);
    if (bodies == NULL) return false;
    b2d_partition p = {.graph = graph, .arena = arena, .bodies = bodies};
    B2D_FOR_BITS (&graph->awake, body)
        if (graph->bodies[body].island != B2D_NONE && graph->islands[graph->bodies[body].island].body_count > 1)
            bodies[p.body_count++] = body;
    p.part = bodies + p.body_count;
    int32_t* old = b2d_arena_take(arena, (size_t)(p.body_count + 1) * sizeof *old);
    if (old == NULL) return false;
    int32_t islands = 0;
    for (int32_t k = 0; k < p.body_count; k++) {
        p.part[k] = k;
        if (graph->bodies[bodies[k]].island_slot == 0) old[islands++] = graph->bodies[bodies[k]].island;
    }
    if (!make_parts(graph, &p, p.body_count)) return false;
    for (int32_t k = 0; k < islands; k++) {
        forget_links(graph, old[k]);
        b2d_island_drop(graph, old[k]);
    }
    graph->grouped = false;
    return true;
}

bool b2d_islands_settle(b2d_graph* graph, const b2d_island_table* table, b2d_scheduler* scheduler, b2d_arena* arena) {
    b2d_partition p;
    graph->loose = true;
    if (table->parts == NULL) return dissolve(graph, arena);
    if (!b2d_partition_of_awake(graph, scheduler, arena, &p)) return false;
    int32_t* old = b2d_arena_take(arena, (size_t)(p.body_count + 1) * sizeof *old);
    const int32_t parts = old == NULL ? -1 : table->parts(&p);
    if (parts < 0) return false;
    int32_t islands = 0;
    for (int32_t k = 0; k < p.body_count; k++)
        if (graph->bodies[p.bodies[k]].island_slot == 0) old[islands++] = graph->bodies[p.bodies[k]].island;
    if (!make_parts(graph, &p, parts)) return false;
    for (int32_t k = 0; k < islands; k++) b2d_island_drop(graph, old[k]);
    graph->searches++;
    graph->traversed += p.body_count;
    graph->loose = false;
    return true;
}

bool b2d_islands_link_bodies(b2d_graph* graph, const int32_t* bodies, int32_t count) {
    for (int32_t k = 0; k < count; k++) {
        const b2d_body* body = &graph->bodies[bodies[k]];
        if (body->type != B2D_DYNAMIC) continue;
        for (int32_t key = body->contact_head; key != B2D_NONE; key = graph->contacts[key >> 1].next[key & 1])
            if ((graph->pairs[key >> 1].flags & B2D_PAIR_TOUCHING) && graph->contacts[key >> 1].island == B2D_NONE &&
                !b2d_island_link_contact(graph, key >> 1))
                return false;
        for (int32_t key = body->joint_head; key != B2D_NONE; key = graph->joints[key >> 1].next[key & 1])
            if (b2d_joint_acts(graph, &graph->joints[key >> 1]) && graph->joints[key >> 1].island == B2D_NONE &&
                !b2d_island_link_joint(graph, key >> 1))
                return false;
    }
    return b2d_island_collapse(graph);
}

bool b2d_islands_link_all(b2d_graph* graph) {
    B2D_FOR_BITS (&graph->awake, body)
        if (!b2d_islands_link_bodies(graph, &body, 1)) return false;
    graph->loose = false;
    return true;
}

bool b2d_island_close(b2d_graph* graph, b2d_arena* arena, int32_t body) {
    for (int32_t before = 0;;) {
        const b2d_island* island = &graph->islands[graph->bodies[body].island];
        const int32_t count = island->body_count;
        if (count == before) return true;
        int32_t* bodies = b2d_arena_take(arena, (size_t)count * sizeof *bodies);
        if (bodies == NULL) return false;
        memcpy(bodies, b2d_island_bodies(island), (size_t)count * sizeof *bodies);
        if (!b2d_islands_link_bodies(graph, bodies, count)) return false;
        before = count;
    }
}

const b2d_island_table b2d_islands_persistent = {"persistent", true, NULL, NULL, NULL};
