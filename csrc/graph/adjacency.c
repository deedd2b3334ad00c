// csrc/graph/adjacency.c - contacts and joints connect bodies: creation, removal, the half-edges in the bodies' lists.
#include "graph/graph.h"

#include <string.h>

// Contacts and joints keep the links of their half-edges in rows of different types, so each list operation is given a
// function that finds the links.
typedef struct half_edge_links {
    int32_t* next;
    int32_t* prev;
} half_edge_links;

typedef half_edge_links links_of(b2d_graph* graph, int32_t id);
static half_edge_links contact_links(b2d_graph* graph, int32_t id) {
    return (half_edge_links){graph->contacts[id].next, graph->contacts[id].prev};
}
static half_edge_links joint_links(b2d_graph* graph, int32_t id) {
    return (half_edge_links){graph->joints[id].next, graph->joints[id].prev};
}

static half_edge_links gear_links(b2d_graph* graph, int32_t id) {
    return (half_edge_links){graph->joints[id].gear_next, graph->joints[id].gear_prev};
}

static void push_half_edge(b2d_graph* graph, links_of* links, int32_t* head, int32_t id, int32_t side) {
    half_edge_links at = links(graph, id);
    at.prev[side] = B2D_NONE;
    at.next[side] = *head;
    if (*head != B2D_NONE) links(graph, *head >> 1).prev[*head & 1] = id << 1 | side;
    *head = id << 1 | side;
}

static void remove_half_edge(b2d_graph* graph, links_of* links, int32_t* head, int32_t id, int32_t side) {
    half_edge_links at = links(graph, id);
    int32_t next = at.next[side], prev = at.prev[side];
    if (next != B2D_NONE) links(graph, next >> 1).prev[next & 1] = prev;
    if (prev != B2D_NONE) links(graph, prev >> 1).next[prev & 1] = next;
    else *head = next;
}

// Contacts with terrain shapes come first in the list of a body, so that a search for them stops at the first other
// contact.
static void push_contact(b2d_graph* graph, b2d_body* body, int32_t id, int32_t side) {
    int32_t tail = body->contact_tail;
    body->contact_count++;
    if (tail == B2D_NONE || graph->pairs[id].flags & B2D_PAIR_TERRAIN) {
        push_half_edge(graph, contact_links, &body->contact_head, id, side);
        if (tail == B2D_NONE) body->contact_tail = id << 1 | side;
        return;
    }
    graph->contacts[id].next[side] = B2D_NONE;
    graph->contacts[id].prev[side] = tail;
    graph->contacts[tail >> 1].next[tail & 1] = body->contact_tail = id << 1 | side;
}

static void remove_contact(b2d_graph* graph, b2d_body* body, int32_t id, int32_t side) {
    body->contact_count--;
    if (body->contact_tail == (id << 1 | side)) body->contact_tail = graph->contacts[id].prev[side];
    remove_half_edge(graph, contact_links, &body->contact_head, id, side);
}

static bool reserve_bits(b2d_graph* graph, int32_t count) {
    if (count <= 64 * graph->in_lanes.word_count) return true; // in_lanes grows last, so all others are large enough
    bool room = true;
    for (int32_t k = 0; room && k < B2D_BUCKET_COUNT; k++)
        room = b2d_bits_reserve(graph->memory, &graph->awake_contacts[k], count);
    return room && b2d_bits_reserve(graph->memory, &graph->overflow_contacts, count) &&
           b2d_bits_reserve(graph->memory, &graph->unlike_contacts, count) &&
           b2d_bits_reserve(graph->memory, &graph->pressed_contacts, count) &&
           b2d_bits_reserve(graph->memory, &graph->in_lanes, count);
}

int32_t b2d_contact_create(b2d_graph* graph, const b2d_pair* pair, uint8_t flags) {
    const int32_t id = b2d_cells_next_id(&graph->cells, &graph->contact_ids, pair->body_a);
    const int32_t rows = b2d_max_int(graph->contact_ids.limit, id + 1);
    if (id == B2D_NONE || !B2D_GROW(graph->memory, graph->pairs, graph->pair_capacity, rows) ||
        !B2D_GROW(graph->memory, graph->contacts, graph->contact_capacity, rows) ||
        !B2D_GROW(graph->memory, graph->contact_generations, graph->contact_generation_capacity, rows) ||
        !reserve_bits(graph, rows) || !b2d_id_pool_take_id(graph->memory, &graph->contact_ids, id))
        return B2D_NONE;
    if (!b2d_pair_set_add(graph->memory, &graph->pair_set, b2d_pair_key(pair->shape_a, pair->shape_b), id)) {
        b2d_id_pool_release(&graph->contact_ids, id);
        return B2D_NONE;
    }
    graph->pairs[id] = *pair;
    graph->pairs[id].lane_index = B2D_NONE;
    graph->pairs[id].record = B2D_NONE;
    graph->contacts[id] = (b2d_contact){
        .island = B2D_NONE, .island_slot = B2D_NONE, .rest = B2D_NONE, .color = -1, .flags = flags};
    graph->contact_generations[id] = ++graph->generation;
    push_contact(graph, &graph->bodies[pair->body_a], id, 0);
    push_contact(graph, &graph->bodies[pair->body_b], id, 1);
    graph->contact_links += 2;
    b2d_contact_refresh_awake(graph, id);
    return id;
}

void b2d_contact_set_terrain(b2d_graph* graph, int32_t id) {
    b2d_pair* pair = &graph->pairs[id];
    remove_contact(graph, &graph->bodies[pair->body_a], id, 0);
    remove_contact(graph, &graph->bodies[pair->body_b], id, 1);
    pair->flags = (uint8_t)((pair->flags ^ B2D_PAIR_TERRAIN) & ~B2D_PAIR_INTERNAL_EDGES);
    push_contact(graph, &graph->bodies[pair->body_a], id, 0);
    push_contact(graph, &graph->bodies[pair->body_b], id, 1);
    graph->contact_links += 2;
}

void b2d_contact_destroy(b2d_graph* graph, int32_t id) {
    b2d_pair* pair = &graph->pairs[id];
    B2D_ASSERT(pair->lane_index == B2D_NONE && (pair->flags & B2D_PAIR_TOUCHING) == 0 &&
               graph->contacts[id].island == B2D_NONE);
    remove_contact(graph, &graph->bodies[pair->body_a], id, 0);
    remove_contact(graph, &graph->bodies[pair->body_b], id, 1);
    b2d_pair_set_remove(&graph->pair_set, b2d_pair_key(pair->shape_a, pair->shape_b));
    b2d_bits_unset(&graph->awake_contacts[pair->bucket], id);
    graph->contact_generations[id] = 0;
    b2d_id_pool_release(&graph->contact_ids, id);
}

// ---- Many contacts at once ----
//
// Ids are given serially. The pair set, the bits and ids, and the lists of the bodies know nothing of each other, and a
// half-edge is in the list of one body. So the items of a stage are the pair set, the bits and parts of the bodies;
// each goes through all contacts in their order, and the lists are those that one contact after the other would leave.

typedef struct many_contacts {
    b2d_graph* graph;
    const b2d_new_contact* made; // NULL: the contacts are destroyed
    const int32_t* ids;
    int32_t count;
    int32_t parts;       // of the bodies, a power of two
    uint64_t generation; // of the first contact
} many_contacts;

enum { PARTS = 4, RUN = 16 }; // bodies in a row that are in one part

static bool is_in_part(const many_contacts* all, int32_t body, int32_t part) {
    return (body / RUN & (all->parts - 1)) == part;
}

static void write_rows(void* context, int32_t begin, int32_t end, int32_t worker) {
    (void)worker;
    const many_contacts* all = context;
    b2d_graph* graph = all->graph;
    for (int32_t k = begin; k < end; k++) {
        const int32_t id = all->ids[k];
        graph->pairs[id] = all->made[k].pair;
        graph->contacts[id] = (b2d_contact){
            .island = B2D_NONE, .island_slot = B2D_NONE, .rest = B2D_NONE, .color = -1, .flags = all->made[k].flags};
        graph->contact_generations[id] = all->generation + (uint64_t)k;
    }
}

static void change_pair_set(const many_contacts* all) {
    b2d_graph* graph = all->graph;
    for (int32_t from = 0; from < all->count; from += RUN) {
        const int32_t to = b2d_min_int(from + RUN, all->count);
        uint64_t keys[RUN];
        for (int32_t k = from; k < to; k++) {
            const b2d_pair* pair = &graph->pairs[all->ids[k]];
            keys[k - from] = b2d_pair_key(pair->shape_a, pair->shape_b);
            b2d_pair_set_fetch(&graph->pair_set, keys[k - from]);
        }
        for (int32_t k = from; k < to; k++)
            if (all->made == NULL) b2d_pair_set_remove(&graph->pair_set, keys[k - from]);
            else (void)b2d_pair_set_add(graph->memory, &graph->pair_set, keys[k - from], all->ids[k]); // there is room
    }
}

static void fetch_link(const b2d_graph* graph, int32_t key) {
    if (key != B2D_NONE) __builtin_prefetch(&graph->contacts[key >> 1]);
}

static void change_lists(const many_contacts* all, int32_t part) {
    b2d_graph* graph = all->graph;
    for (int32_t from = 0; from < all->count; from += RUN) {
        const int32_t to = b2d_min_int(from + RUN, all->count);
        int32_t keys[2 * RUN], bodies[2 * RUN], count = 0;
        for (int32_t k = from; k < to; k++)
            for (int32_t side = 0; side < 2; side++) {
                const b2d_pair* pair = &graph->pairs[all->ids[k]];
                const int32_t body = side == 0 ? pair->body_a : pair->body_b;
                if (!is_in_part(all, body, part)) continue;
                __builtin_prefetch(&graph->bodies[body]);
                bodies[count] = body, keys[count++] = all->ids[k] << 1 | side;
            }
        for (int32_t k = 0; k < count; k++) {
            const b2d_contact* contact = &graph->contacts[keys[k] >> 1];
            if (all->made != NULL) fetch_link(graph, graph->bodies[bodies[k]].contact_tail);
            else fetch_link(graph, contact->next[keys[k] & 1]), fetch_link(graph, contact->prev[keys[k] & 1]);
        }
        for (int32_t k = 0; k < count; k++)
            (all->made != NULL ? push_contact : remove_contact)(graph, &graph->bodies[bodies[k]], keys[k] >> 1,
                                                                keys[k] & 1);
    }
}

static void change_bits(const many_contacts* all) {
    b2d_graph* graph = all->graph;
    for (int32_t k = 0; k < all->count; k++) {
        const int32_t id = all->ids[k];
        if (all->made != NULL) b2d_contact_refresh_awake(graph, id);
        else {
            B2D_ASSERT(graph->pairs[id].lane_index == B2D_NONE && graph->contacts[id].island == B2D_NONE);
            b2d_bits_unset(&graph->awake_contacts[graph->pairs[id].bucket], id);
            graph->contact_generations[id] = 0;
            b2d_id_pool_release(&graph->contact_ids, id);
        }
    }
}

enum { OTHER_ITEMS = 2 };
static void change_part(void* context, int32_t begin, int32_t end, int32_t worker) {
    (void)worker;
    for (int32_t k = begin; k < end; k++)
        if (k == 0) change_pair_set(context);
        else if (k == 1) change_bits(context);
        else change_lists(context, k - OTHER_ITEMS);
}

static many_contacts begin_many(b2d_graph* graph, b2d_scheduler* scheduler, const int32_t* ids, int32_t count) {
    return (many_contacts){
        .graph = graph, .ids = ids, .count = count, .parts = b2d_scheduler_workers(scheduler) == 1 ? 1 : PARTS};
}

void b2d_contacts_create(b2d_graph* graph, b2d_scheduler* scheduler, const b2d_new_contact* made, int32_t* ids,
                         int32_t count) {
    enum { GRAIN = 64 };
    many_contacts all = begin_many(graph, scheduler, ids, count);
    all.made = made;
    all.generation = graph->generation + 1;
    for (int32_t k = 0; k < count; k++) {
        ids[k] = b2d_id_pool_lowest(&graph->contact_ids);
        (void)b2d_id_pool_take_id(graph->memory, &graph->contact_ids, ids[k]);
    }
    const b2d_stage stages[2] = {{write_rows, &all, count, GRAIN}, {change_part, &all, OTHER_ITEMS + all.parts, 1}};
    b2d_scheduler_run_entered(scheduler, stages, 2);
    graph->generation += (uint64_t)count;
    graph->contact_links += 2 * (uint64_t)count;
}

void b2d_contacts_destroy(b2d_graph* graph, b2d_scheduler* scheduler, const int32_t* ids, int32_t count) {
    many_contacts all = begin_many(graph, scheduler, ids, count);
    const b2d_stage stage = {change_part, &all, OTHER_ITEMS + all.parts, 1};
    b2d_scheduler_run_entered(scheduler, &stage, 1);
}

int32_t b2d_joint_add(b2d_graph* graph, const b2d_joint* row) {
    const int32_t rows = b2d_id_pool_rows(&graph->joint_ids);
    if (!B2D_GROW(graph->memory, graph->joints, graph->joint_capacity, rows) ||
        !B2D_GROW(graph->memory, graph->joint_generations, graph->joint_generation_capacity, rows) ||
        !b2d_bits_reserve(graph->memory, &graph->overflow_joints, rows))
        return B2D_NONE;
    int32_t id = b2d_id_pool_take(graph->memory, &graph->joint_ids);
    if (id == B2D_NONE) return B2D_NONE;
    b2d_joint* joint = &graph->joints[id];
    *joint = *row;
    joint->gear_head = joint->gear_next[0] = joint->gear_next[1] = joint->gear_prev[0] = joint->gear_prev[1] = B2D_NONE;
    joint->island = joint->island_slot = joint->lane_index = B2D_NONE;
    joint->color = -1;
    graph->joint_generations[id] = ++graph->generation;
    for (int32_t side = 0; side < 2; side++) {
        b2d_body* body = &graph->bodies[joint->body[side]];
        push_half_edge(graph, joint_links, &body->joint_head, id, side);
        body->joint_count++;
        if (joint->joint[side] != B2D_NONE)
            push_half_edge(graph, gear_links, &graph->joints[joint->joint[side]].gear_head, id, side);
    }
    return id;
}

void b2d_joint_remove(b2d_graph* graph, int32_t id) {
    b2d_joint* joint = &graph->joints[id];
    B2D_ASSERT(joint->lane_index == B2D_NONE && joint->island == B2D_NONE && joint->gear_head == B2D_NONE);
    for (int32_t side = 0; side < 2; side++) {
        b2d_body* body = &graph->bodies[joint->body[side]];
        remove_half_edge(graph, joint_links, &body->joint_head, id, side);
        body->joint_count--;
        if (joint->joint[side] != B2D_NONE)
            remove_half_edge(graph, gear_links, &graph->joints[joint->joint[side]].gear_head, id, side);
    }
    graph->joint_generations[id] = 0;
    b2d_id_pool_release(&graph->joint_ids, id);
}
