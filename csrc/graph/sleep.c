// csrc/graph/sleep.c - falling asleep and waking change bits; no row of a body moves.
//
// Idea: the touching contacts of a sleeping island are records in the rest pool, with their impulses, and its joints
// keep theirs in their own rows; none of them has a colour. The collide stage processes a contact when it is not at
// rest and at least one side is awake. A woken island therefore has the contacts with which it fell asleep, solves them
// in the same step, and collides them again in the next step. Its fat boxes may have come apart in the meantime (when
// it was put to sleep right after it moved), so its bodies are marked in new_fat_boxes.
#include "base/radix_sort.h"
#include "graph/graph.h"

void b2d_contact_refresh_awake(b2d_graph* graph, int32_t id) {
    const b2d_pair* pair = &graph->pairs[id];
    bool awake = (pair->flags & B2D_PAIR_REST) == 0 &&
                 (b2d_is_awake(graph, pair->body_a) || b2d_is_awake(graph, pair->body_b));
    if (awake) b2d_bits_set(&graph->awake_contacts[pair->bucket], id);
    else b2d_bits_unset(&graph->awake_contacts[pair->bucket], id);
}

static bool put_to_rest(b2d_graph* graph, int32_t id) { // b2d_sleep_island has reserved the rows
    int32_t row = b2d_id_pool_take(graph->memory, &graph->rest_ids);
    B2D_ASSERT(row != B2D_NONE && row < graph->rest_capacity);
    b2d_color_remove_contact(graph, id, &graph->rest[row]);
    graph->contacts[id].rest = row;
    graph->pairs[id].flags |= B2D_PAIR_REST;
    return true;
}

static bool take_from_rest(b2d_graph* graph, int32_t id) {
    b2d_contact* contact = &graph->contacts[id];
    b2d_pair* pair = &graph->pairs[id];
    if (!b2d_color_add_contact(graph, id, &graph->rest[contact->rest], (pair->flags & B2D_PAIR_EXTRA) != 0))
        return false;
    b2d_id_pool_release(&graph->rest_ids, contact->rest);
    contact->rest = B2D_NONE;
    pair->flags &= (uint8_t)~B2D_PAIR_REST;
    return true;
}

// Lists once each contact of the island's bodies that `wanted` accepts; `ids` may be NULL. Returns their number.
typedef bool contact_fn(b2d_graph* graph, int32_t contact);
static int32_t list_contacts(b2d_graph* graph, int32_t id, contact_fn* wanted, uint64_t* ids) {
    const b2d_island* island = &graph->islands[id];
    int32_t count = 0;
    for (int32_t i = 0; i < island->body_count; i++)
        for (int32_t key = graph->bodies[b2d_island_bodies(island)[i]].contact_head; key != B2D_NONE;
             key = graph->contacts[key >> 1].next[key & 1]) {
            const int32_t contact = key >> 1;
            if ((key & 1) && graph->bodies[graph->pairs[contact].body_a].island == id) continue;
            if (!wanted(graph, contact)) continue;
            if (ids != NULL) ids[count] = (uint64_t)(uint32_t)contact;
            count++;
        }
    return count;
}

// Calls `visit` for these contacts in id order.
static bool for_contacts_in_order(b2d_graph* graph, int32_t island, contact_fn* wanted, contact_fn* visit) {
    const int32_t count = list_contacts(graph, island, wanted, NULL);
    if (count == 0) return true;
    size_t granted;
    uint64_t* ids = b2d_pool_take(graph->memory, &graph->pool, 2 * (size_t)count * sizeof *ids, &granted);
    if (ids == NULL) return false;
    (void)list_contacts(graph, island, wanted, ids);
    b2d_radix_sort(ids, ids + count, count);
    bool done = true;
    for (int32_t k = 0; done && k < count; k++) done = visit(graph, (int32_t)ids[k]);
    b2d_pool_give(&graph->pool, ids, granted);
    return done;
}

static bool is_at_rest(b2d_graph* graph, int32_t id) { return (graph->pairs[id].flags & B2D_PAIR_REST) != 0; }
static bool is_solved(b2d_graph* graph, int32_t id) { return graph->pairs[id].lane_index != B2D_NONE; }

// Lists once each joint of the island's bodies; `ids` may be NULL.
static int32_t list_joints(const b2d_graph* graph, int32_t id, uint64_t* ids) {
    const b2d_island* island = &graph->islands[id];
    int32_t count = 0;
    for (int32_t i = 0; i < island->body_count; i++)
        for (int32_t key = graph->bodies[b2d_island_bodies(island)[i]].joint_head; key != B2D_NONE;
             key = graph->joints[key >> 1].next[key & 1]) {
            if ((key & 1) && graph->bodies[graph->joints[key >> 1].body[0]].island == id) continue;
            if (ids != NULL) ids[count] = (uint64_t)(uint32_t)(key >> 1);
            count++;
        }
    return count;
}

// Adds the joints of an island to the colours, or removes them, in id order.
static bool color_joints(b2d_graph* graph, int32_t island, bool solve) {
    const int32_t count = list_joints(graph, island, NULL);
    if (count == 0) return true;
    size_t granted;
    uint64_t* ids = b2d_pool_take(graph->memory, &graph->pool, 2 * (size_t)count * sizeof *ids, &granted);
    if (ids == NULL) return false;
    (void)list_joints(graph, island, ids);
    b2d_radix_sort(ids, ids + count, count);
    bool done = true;
    for (int32_t k = 0; done && k < count; k++) {
        const int32_t id = (int32_t)ids[k];
        const b2d_joint* joint = &graph->joints[id];
        if (solve && joint->lane_index == B2D_NONE && b2d_joint_acts(graph, joint))
            done = b2d_color_add_joint(graph, id);
        if (!solve && joint->lane_index != B2D_NONE) b2d_color_remove_joint(graph, id);
    }
    b2d_pool_give(&graph->pool, ids, granted);
    return done;
}

static void refresh_contacts(b2d_graph* graph, const b2d_island* island) {
    for (int32_t i = 0; i < island->body_count; i++)
        for (int32_t key = graph->bodies[b2d_island_bodies(island)[i]].contact_head; key != B2D_NONE;
             key = graph->contacts[key >> 1].next[key & 1])
            b2d_contact_refresh_awake(graph, key >> 1);
}

static bool has_constraints(const b2d_graph* graph, const b2d_island* island) {
    for (int32_t i = 0; i < island->body_count; i++) {
        const b2d_body* body = &graph->bodies[b2d_island_bodies(island)[i]];
        if (body->contact_head != B2D_NONE || body->joint_head != B2D_NONE) return true;
    }
    return false;
}

bool b2d_wake_island(b2d_graph* graph, int32_t id) {
    const b2d_island* island = &graph->islands[id];
    if (island->body_count == 0 || b2d_is_awake(graph, b2d_island_bodies(island)[0])) return true;
    // Bits were reserved when the bodies were created, so only colouring can fail. The constraints coloured by then
    // keep their colours, the others stay in the rest pool until the next wake; the island counts as awake, and the
    // caller reports the failure.
    for (int32_t i = 0; i < island->body_count; i++) {
        int32_t body = b2d_island_bodies(island)[i];
        b2d_bits_set(&graph->awake, body);
        b2d_bits_set(&graph->sleep_changed, body);
        b2d_bits_set(&graph->new_fat_boxes, body);
        graph->bodies[body].sleep_timer = 0.0f;
    }
    graph->woken += island->body_count;
    graph->grouped = graph->grouped || island->body_count > 1;
    if (!has_constraints(graph, island)) return true;
    bool done = true;
    if (b2d_moves(graph, b2d_island_bodies(island)[0])) // the island of a kinematic body has no constraints
        done = for_contacts_in_order(graph, id, is_at_rest, take_from_rest) && color_joints(graph, id, true);
    refresh_contacts(graph, island);
    graph->needs_repair = graph->needs_repair || !done;
    return done;
}

bool b2d_wakes_constraints(const b2d_graph* graph, int32_t body) {
    int32_t id = graph->bodies[body].island;
    if (id == B2D_NONE || b2d_is_awake(graph, body)) return false;
    while (graph->islands[id].parent != B2D_NONE) id = graph->islands[id].parent;
    const b2d_island* island = &graph->islands[id];
    for (int32_t i = 0; i < island->body_count; i++) {
        const b2d_body* row = &graph->bodies[b2d_island_bodies(island)[i]];
        if (row->joint_head != B2D_NONE) return true;
        for (int32_t key = row->contact_head; key != B2D_NONE; key = graph->contacts[key >> 1].next[key & 1])
            if (graph->pairs[key >> 1].flags & B2D_PAIR_REST) return true;
    }
    return false;
}

bool b2d_wake(b2d_graph* graph, int32_t body) {
    int32_t island = graph->bodies[body].island;
    return island == B2D_NONE || b2d_wake_island(graph, b2d_island_find(graph, island));
}

// Reserves rows of the rest pool for all touching contacts of an island: the lowest free ids are assigned first, so no
// higher row is used.
static bool reserve_rest(b2d_graph* graph, const b2d_island* island) {
    int32_t count = graph->rest_ids.count;
    for (int32_t i = 0; i < island->body_count; i++)
        for (int32_t key = graph->bodies[b2d_island_bodies(island)[i]].contact_head; key != B2D_NONE;
             key = graph->contacts[key >> 1].next[key & 1]) {
            const b2d_pair* pair = &graph->pairs[key >> 1];
            if (pair->lane_index != B2D_NONE && !(key & 1 && b2d_moves(graph, pair->body_a)))
                count++; // each contact once
        }
    return b2d_id_pool_reserve(graph->memory, &graph->rest_ids, count) &&
           B2D_GROW(graph->memory, graph->rest, graph->rest_capacity, count);
}

bool b2d_sleep_island(b2d_graph* graph, int32_t id) {
    const b2d_island* island = &graph->islands[id];
    if (!b2d_is_awake(graph, b2d_island_bodies(island)[0])) return true;
    const bool linked = has_constraints(graph, island);
    if (linked && b2d_moves(graph, b2d_island_bodies(island)[0])) {
        if (!reserve_rest(graph, island) || !color_joints(graph, id, false)) return false;
        if (!for_contacts_in_order(graph, id, is_solved,
                                   put_to_rest)) { // no memory for the list: the island stays awake
            graph->needs_repair = !color_joints(graph, id, true) || graph->needs_repair;
            return false;
        }
    }
    for (int32_t i = 0; i < island->body_count; i++) {
        b2d_bits_unset(&graph->awake, b2d_island_bodies(island)[i]);
        b2d_bits_set(&graph->sleep_changed, b2d_island_bodies(island)[i]);
    }
    graph->slept += island->body_count;
    if (linked) refresh_contacts(graph, island);
    return true;
}
