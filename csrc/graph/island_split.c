// csrc/graph/island_split.c - islands that are divided: the search over the links of one, and partitions of all.
//
// The search only reads bodies and links, so a worker runs it beside the solver; making the parts is serial.
#include "graph/island_parts.h"

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
        island_of[k] = b2d_island_new(graph, body);
        b2d_island* island = island_of[k] == B2D_NONE ? NULL : &graph->islands[island_of[k]];
        if (island != NULL && b2d_island_reserve_bodies(graph, island, size[k][0]) &&
            (size[k][1] == 0 || b2d_island_reserve_contacts(graph, island, size[k][1])) &&
            (size[k][2] == 0 || b2d_island_reserve_joints(graph, island, size[k][2])))
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
        b2d_bodies_to_write(island)[island->body_count++] = body;
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
    if (*size == 0 || (needed > 0 && b2d_pool_granted(needed) == b2d_pool_bytes(*size))) return old;
    size_t granted = 0;
    void* block = needed == 0 ? NULL : b2d_pool_take(graph->memory, &graph->pool, needed, &granted);
    if (needed > 0 && block == NULL) return old;
    if (needed > 0) memcpy(block, old, needed);
    b2d_pool_give(&graph->pool, old, b2d_pool_bytes(*size));
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
        const int32_t k = p->part[i], body = b2d_bodies_to_write(from)[i],
                      last = b2d_bodies_to_write(from)[from->body_count - 1];
        if (k == stays) continue;
        b2d_bodies_to_write(from)[i] = last;
        graph->bodies[last].island_slot = i;
        from->body_count--;
        b2d_island* island = &graph->islands[island_of[k]];
        island->cluster = from->cluster;
        island->body_count++;
        graph->bodies[body].island = island_of[k];
        graph->bodies[body].island_slot = --size[k][0];
        b2d_bodies_to_write(island)[size[k][0]] = body;
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
        if (b2d_both_dynamic(graph, pair->body_a, pair->body_b))
            links[p->link_count[0]++] = (b2d_link){id, pair->body_a, pair->body_b};
    }
    for (int32_t id = b2d_id_pool_next(&graph->joint_ids, 0); id != B2D_NONE;
         id = b2d_id_pool_next(&graph->joint_ids, id + 1)) {
        const b2d_joint* joint = &graph->joints[id];
        if (joint->lane_index != B2D_NONE && b2d_both_dynamic(graph, joint->body[0], joint->body[1]))
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
