// csrc/graph/island.c - persistent islands: the bodies that sleep and wake together.
//
// Idea (Catto, "Simulation Islands", 2023): an island keeps its bodies and the links between them across steps. A link
// that begins merges two islands by serial union-find over island ids; one collapse a step moves the members. A link
// that ends only counts as a removal; at most one island a step is split by depth-first search over its own link
// arrays. Constraints on static and kinematic bodies connect no islands and are not kept as links. The partition is
// therefore a coarsening of the connected components, and equal to them once splitting is exhausted
// (tests/oracle/test_islands.py).
// Cost: link O(log), collapse O(members of the smaller side), split O(bodies + links of one island).
#include "graph/island_parts.h"

// Moves an array to a larger block of the pool, of at least `needed` bytes; its size is a power of two.
static void* larger(b2d_graph* graph, const void* old, size_t old_bytes, uint8_t* size, size_t needed) {
    size_t granted;
    void* block = b2d_pool_take(graph->memory, &graph->pool, needed, &granted);
    if (block == NULL) return NULL;
    if (old_bytes > 0) memcpy(block, old, old_bytes);
    if (*size != 0) b2d_pool_give(&graph->pool, (void*)old, b2d_pool_bytes(*size));
    *size = (uint8_t)b2d_ctz64(granted);
    return block;
}

bool b2d_island_reserve_bodies(b2d_graph* graph, b2d_island* island, int32_t needed) {
    const size_t stride = sizeof(int32_t),
                 room = island->body_size == 0 ? sizeof island->bodies.few : b2d_pool_bytes(island->body_size);
    if ((size_t)needed * stride <= room) return true;
    int32_t* block = larger(graph, b2d_island_bodies(island), (size_t)island->body_count * stride, &island->body_size,
                            (size_t)needed * stride);
    if (block != NULL) island->bodies.many = block;
    return block != NULL;
}

static bool reserve_links(b2d_graph* graph, b2d_link** links, uint8_t* size, int32_t count, int32_t needed) {
    if ((size_t)needed * sizeof **links <= b2d_pool_bytes(*size)) return true;
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

bool b2d_island_reserve_contacts(b2d_graph* graph, b2d_island* island, int32_t needed) {
    b2d_island_links* links = links_of(graph, island);
    return links != NULL && reserve_links(graph, &links->contacts, &links->contact_size, links->contact_count, needed);
}
bool b2d_island_reserve_joints(b2d_graph* graph, b2d_island* island, int32_t needed) {
    b2d_island_links* links = links_of(graph, island);
    return links != NULL && reserve_links(graph, &links->joints, &links->joint_size, links->joint_count, needed);
}

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

int32_t b2d_island_new(b2d_graph* graph, int32_t body) {
    if (!b2d_island_reserve(graph)) return B2D_NONE;
    const int32_t id = b2d_cells_next_id(&graph->cells, &graph->island_ids, body);
    if (id == B2D_NONE || !b2d_id_pool_take_id(graph->memory, &graph->island_ids, id)) return B2D_NONE;
    graph->islands[id] = (b2d_island){.parent = B2D_NONE};
    graph->island_generations[id] = ++graph->generation;
    return id;
}

void b2d_island_drop(b2d_graph* graph, int32_t id) {
    b2d_island* island = &graph->islands[id];
    if (island->body_size != 0) b2d_pool_give(&graph->pool, island->bodies.many, b2d_pool_bytes(island->body_size));
    b2d_island_links* links = island->links;
    if (links != NULL) {
        if (links->contact_size != 0) b2d_pool_give(&graph->pool, links->contacts, b2d_pool_bytes(links->contact_size));
        if (links->joint_size != 0) b2d_pool_give(&graph->pool, links->joints, b2d_pool_bytes(links->joint_size));
        b2d_pool_give(&graph->pool, links, b2d_pool_granted(sizeof *links));
    }
    *island = (b2d_island){.parent = B2D_NONE};
    graph->island_generations[id] = 0;
    b2d_id_pool_release(&graph->island_ids, id);
}

int32_t b2d_island_create(b2d_graph* graph, int32_t body) {
    int32_t id = b2d_island_new(graph, body);
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
    if (!b2d_island_reserve_bodies(graph, island, old->body_count) ||
        (linked.contact_count > 0 && !b2d_island_reserve_contacts(graph, island, linked.contact_count)) ||
        (linked.joint_count > 0 && !b2d_island_reserve_joints(graph, island, linked.joint_count)))
        return false;
    island->body_count = old->body_count;
    graph->grouped = graph->grouped || island->body_count > 1;
    for (int32_t k = 0; k < old->body_count; k++)
        b2d_bodies_to_write(island)[k] = b2d_map_body(map, b2d_island_bodies(old)[k]);
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
    int32_t* bodies = b2d_bodies_to_write(island);
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

bool b2d_island_link_contact(b2d_graph* graph, int32_t id) {
    const b2d_pair* pair = &graph->pairs[id];
    if (!b2d_both_dynamic(graph, pair->body_a, pair->body_b)) return true;
    int32_t root = unite(graph, pair->body_a, pair->body_b);
    if (root == B2D_NONE) return false;
    b2d_island* island = &graph->islands[root];
    if (!b2d_island_reserve_contacts(graph, island, b2d_island_linked(island).contact_count + 1)) return false;
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
    if (!b2d_both_dynamic(graph, joint->body[0], joint->body[1])) return true;
    int32_t root = unite(graph, joint->body[0], joint->body[1]);
    if (root == B2D_NONE) return false;
    b2d_island* island = &graph->islands[root];
    if (!b2d_island_reserve_joints(graph, island, b2d_island_linked(island).joint_count + 1)) return false;
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
        if (!b2d_island_reserve_bodies(graph, root, root->body_count + child->body_count) ||
            !b2d_island_reserve_contacts(graph, root, root_links.contact_count + child_links.contact_count) ||
            !b2d_island_reserve_joints(graph, root, root_links.joint_count + child_links.joint_count)) {
            return false; // children that are already empty stay on the list: the next call continues
        }
        int32_t id = graph->merged[k], root_id = b2d_island_find(graph, id);
        int32_t* root_bodies = b2d_bodies_to_write(root);
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
