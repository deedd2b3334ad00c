// tests/c/test_graph.c - the graph alone, without a world: roots of merged islands, colours, sizes of rows.
//
// The rows that the narrow phase and the solver read are small. The colours equal those of a bitset for each colour.
// The order of links changes no island, and each body is moved at most once. The contacts of a colour are sorted.
#include "graph/partition.h"

#include "test.h"

#include <string.h>

_Static_assert(sizeof(b2d_pair) == 32, "what the narrow phase reads of a contact that does not touch");
_Static_assert(sizeof(b2d_contact_block) == 96 * B2D_LANES, "what the solver reads of a contact in each pass");
_Static_assert(sizeof(b2d_manifold_block) == 52 * B2D_LANES, "what the narrow phase adds for a touching contact");

static int failures;
#define CHECK(actual, expected)                                                                                 \
    do {                                                                                                        \
        long long check_a = (long long)(actual), check_b = (long long)(expected);                               \
        if (check_a != check_b) {                                                                               \
            fprintf(stderr, "%s:%d: %s is %lld, %s is %lld\n", __FILE__, __LINE__, #actual, check_a, #expected, \
                    check_b);                                                                                   \
            if (++failures > 20) exit(1);                                                                       \
        }                                                                                                       \
    } while (0)

// ---- a graph of bodies that are awake; the last `fixed` of them do not move

typedef struct setting {
    b2d_memory memory;
    b2d_graph graph;
} setting;

static void open_graph(setting* s, int32_t bodies, int32_t fixed) {
    *s = (setting){.memory = {.fail_after = -1}};
    b2d_graph* g = &s->graph;
    g->memory = &s->memory;
    bool room = B2D_GROW(g->memory, g->bodies, g->body_capacity, bodies) &&
                B2D_GROW(g->memory, g->color_masks, g->color_mask_capacity, bodies) &&
                b2d_clusters_reserve(g, bodies) && b2d_bits_reserve(g->memory, &g->awake, bodies) &&
                b2d_bits_reserve(g->memory, &g->new_fat_boxes, bodies) &&
                b2d_bits_reserve(g->memory, &g->sleep_changed, bodies);
    CHECK(room, true);
    for (int32_t body = 0; body < bodies; body++) {
        const bool moves = body < bodies - fixed;
        g->bodies[body] = (b2d_body){.shape_head = B2D_NONE,
                                     .contact_head = B2D_NONE,
                                     .contact_tail = B2D_NONE,
                                     .joint_head = B2D_NONE,
                                     .island = B2D_NONE,
                                     .island_slot = B2D_NONE,
                                     .flags = B2D_BODY_FLAG_ENABLED,
                                     .type = moves ? B2D_DYNAMIC : B2D_STATIC};
        if (!moves) continue;
        CHECK(b2d_island_create(g, body), body);
        b2d_bits_set(&g->awake, body);
    }
}

static void close_graph(setting* s) {
    b2d_graph* g = &s->graph;
    b2d_memory* memory = &s->memory;
    b2d_clusters_free(g);
    b2d_pool_free(memory, &g->pool);
#define FREE(array, capacity) b2d_free(memory, g->array, (size_t)g->capacity * sizeof *g->array)
    FREE(bodies, body_capacity);
    FREE(color_masks, color_mask_capacity);
    FREE(body_clusters, body_cluster_capacity);
    FREE(pairs, pair_capacity);
    FREE(contacts, contact_capacity);
    FREE(contact_generations, contact_generation_capacity);
    FREE(blocks, block_capacity);
    FREE(manifolds, manifold_capacity);
    FREE(extras, extra_capacity);
    FREE(block_clusters, block_cluster_capacity);
    FREE(cluster_parents, cluster_parent_capacity);
    FREE(cluster_blocks, cluster_block_capacity);
    FREE(islands, island_capacity);
    FREE(island_generations, island_generation_capacity);
    FREE(merged, merged_capacity);
#undef FREE
    b2d_bits* bits[] = {&g->awake,        &g->new_fat_boxes,     &g->sleep_changed,   &g->in_lanes,
                        &g->extra_blocks, &g->overflow_contacts, &g->unlike_contacts, &g->pressed_contacts};
    for (size_t k = 0; k < sizeof bits / sizeof *bits; k++) b2d_bits_free(memory, bits[k]);
    for (int32_t k = 0; k < B2D_BUCKET_COUNT; k++) b2d_bits_free(memory, &g->awake_contacts[k]);
    b2d_pair_set_free(memory, &g->pair_set);
    b2d_id_pool_free(memory, &g->contact_ids);
    b2d_id_pool_free(memory, &g->block_ids);
    b2d_id_pool_free(memory, &g->island_ids);
    CHECK(s->memory.bytes, 0);
}

static int32_t touch(b2d_graph* g, int32_t body_a, int32_t body_b) {
    const b2d_pair pair = {.shape_a = body_a,
                           .shape_b = body_b,
                           .body_a = body_a,
                           .body_b = body_b,
                           .lane_index = B2D_NONE,
                           .record = B2D_NONE,
                           .bucket = B2D_BUCKET_QUAD,
                           .flags = b2d_moves(g, body_a) ? 0 : B2D_PAIR_FLIP};
    const int32_t contact = b2d_contact_create(g, &pair, 0);
    CHECK(contact != B2D_NONE, true);
    return contact;
}

// ---- the order of links

enum { ISLANDS = 10000, LINKS = 10000, ORDERS = 20 };

static void test_the_order_of_links_changes_no_island(void) {
    static int32_t ends[LINKS][2], order[LINKS], wanted[ISLANDS];
    for (int32_t k = 0; k < LINKS; k++) {
        order[k] = k;
        ends[k][0] = draw_below(ISLANDS);
        do ends[k][1] = draw_below(ISLANDS);
        while (ends[k][1] == ends[k][0]);
        for (int32_t before = 0; before < k; before++) // each pair of bodies has one contact
            if ((ends[before][0] == ends[k][0] && ends[before][1] == ends[k][1]) ||
                (ends[before][0] == ends[k][1] && ends[before][1] == ends[k][0])) {
                ends[k][1] = (ends[k][1] + 1) % ISLANDS == ends[k][0] ? (ends[k][1] + 2) % ISLANDS
                                                                      : (ends[k][1] + 1) % ISLANDS;
                before = -1;
            }
    }
    for (int32_t turn = 0; turn < ORDERS; turn++) {
        setting s;
        open_graph(&s, ISLANDS, 0);
        for (int32_t k = LINKS - 1; k > 0 && turn > 0; k--) {
            const int32_t other = draw_below(k + 1), kept = order[k];
            order[k] = order[other];
            order[other] = kept;
        }
        for (int32_t k = 0; k < LINKS; k++)
            CHECK(b2d_island_link_contact(&s.graph, touch(&s.graph, ends[order[k]][0], ends[order[k]][1])), true);
        CHECK(b2d_island_collapse(&s.graph), true);
        int32_t moved = 0;
        for (int32_t body = 0; body < ISLANDS; body++) {
            const int32_t island = s.graph.bodies[body].island;
            moved += island != body;
            if (turn == 0) wanted[body] = island;
            else CHECK(island, wanted[body]);
        }
        CHECK(moved, s.graph.merges); // each merged island had one body, which moved once
        CHECK(BOUND(s.graph.relabeled, <=, moved + LINKS), true);
        close_graph(&s);
    }
}

// ---- a bitset for each colour

enum { BODIES = 200, FIXED = 20, CALLS = 20000, MOST_CONTACTS = 4096, WORDS = (BODIES + 63) / 64 };

// The same rule with a bitset of bodies for each colour, as Box2D has it.
static uint64_t mirror[B2D_COLORS][WORDS];
static bool is_in(int32_t color, int32_t body) { return (mirror[color][body / 64] >> (body % 64) & 1) != 0; }
static void change(const b2d_graph* g, int32_t color, int32_t body) {
    if (color != B2D_OVERFLOW && b2d_moves(g, body)) mirror[color][body / 64] ^= 1ull << (body % 64);
}
static int32_t first_free(const b2d_graph* g, int32_t body_a, int32_t body_b) {
    const bool fixed = !b2d_moves(g, body_a) || !b2d_moves(g, body_b);
    for (int32_t k = 0; k < B2D_COLORS; k++) {
        const int32_t color = fixed ? B2D_COLORS - 1 - k : k;
        if (!fixed && color >= B2D_COLORS - B2D_STATIC_COLORS) break;
        if (!(b2d_moves(g, body_a) && is_in(color, body_a)) && !(b2d_moves(g, body_b) && is_in(color, body_b)))
            return color;
    }
    return B2D_OVERFLOW;
}

static void test_colours_equal_those_of_a_bitset_for_each_colour(void) {
    static int32_t contacts[MOST_CONTACTS];
    int32_t count = 0, overflow = 0;
    setting s;
    open_graph(&s, BODIES, FIXED);
    b2d_graph* g = &s.graph;
    for (int32_t call = 0; call < CALLS; call++) {
        if (count < MOST_CONTACTS && draw_below(3) > 0) {
            // A tenth of the contacts touch one hub, which has more of them than there are colours
            const int32_t a = draw_below(10) == 0 ? 0 : draw_below(BODIES), b = draw_below(BODIES);
            if (a == b || (!b2d_moves(g, a) && !b2d_moves(g, b))) continue;
            if (b2d_pair_set_find(&g->pair_set, b2d_pair_key(a, b)) != B2D_NONE) continue;
            const b2d_contact_record record = {0};
            const int32_t contact = contacts[count++] = touch(g, a, b), wanted = first_free(g, a, b);
            CHECK(b2d_color_add_contact(g, contact, &record, false), true);
            CHECK(g->contacts[contact].color, wanted);
            overflow += wanted == B2D_OVERFLOW;
            change(g, wanted, a);
            change(g, wanted, b);
        } else if (count > 0) {
            const int32_t k = draw_below(count), contact = contacts[k];
            change(g, g->contacts[contact].color, g->pairs[contact].body_a);
            change(g, g->contacts[contact].color, g->pairs[contact].body_b);
            b2d_color_remove_contact(g, contact, NULL);
            b2d_contact_destroy(g, contact);
            contacts[k] = contacts[--count];
        }
    }
    CHECK(BOUND(overflow, >, 0), true);
    while (count > 0) {
        b2d_color_remove_contact(g, contacts[--count], NULL);
        b2d_contact_destroy(g, contacts[count]);
    }
    close_graph(&s);
}

// ---- the order of the contacts of a colour

enum { CHAIN = 3000, CHURN = 12000 };

static b2d_contact_record record_of(int32_t contact, bool extra) {
    b2d_contact_record record = {.nx = (float)contact, .feature = (uint32_t)contact};
    record.point[1].normal_impulse = (float)-contact;
    if (extra) record.restitution = record.rolling_impulse = (float)contact;
    return record;
}
static bool has_extra(int32_t contact) { return contact % 7 == 0; }

static void check_lanes(const b2d_graph* g, const int32_t* contacts, int32_t count) {
    for (int32_t k = 0; k < count; k++) {
        const b2d_pair* pair = &g->pairs[contacts[k]];
        const int32_t block = pair->lane_index / B2D_LANES, lane = pair->lane_index % B2D_LANES;
        CHECK(g->manifolds[block].contact[lane], contacts[k]);
        CHECK((pair->flags & B2D_PAIR_EXTRA) != 0, has_extra(contacts[k]));
        b2d_contact_record found;
        b2d_contact_record_read(g, contacts[k], &found);
        const b2d_contact_record wanted = record_of(contacts[k], has_extra(contacts[k]));
        CHECK(memcmp(&found, &wanted, sizeof found), 0);
    }
}

static int32_t steps_down(const b2d_graph* g, const b2d_color_list* list, int32_t fixed) {
    int32_t steps = 0, last = -1;
    for (int32_t k = 0; k < list->count; k++) {
        const int32_t at = b2d_color_list_lane(list, k);
        const b2d_contact_block* block = &g->blocks[at / B2D_LANES];
        const int32_t a = block->body_a[at % B2D_LANES], b = block->body_b[at % B2D_LANES];
        const int32_t body = fixed || a < b ? a : b;
        steps += body < last;
        last = body;
    }
    return steps;
}

// The counter of a colour is at least the number of places where its order is broken; a sorted colour has none.
static int32_t check_order(const b2d_graph* g) {
    int32_t most = 0;
    for (int32_t color = 0; color < B2D_COLORS; color++) {
        int32_t steps = 0;
        for (int32_t cluster = 0; cluster < g->cluster_count; cluster++)
            for (int32_t fixed = 0; fixed < 2; fixed++)
                steps += steps_down(g, &g->clusters[cluster].contacts[color][fixed], fixed);
        // A lane that moves into a hole may break the order before and behind it
        CHECK(BOUND(steps, <=, 2 * g->color_disorder[color]), true);
        if (steps > most) most = steps;
    }
    return most;
}

static void test_contacts_of_a_colour_are_sorted_by_their_bodies(void) {
    static int32_t contacts[CHURN];
    int32_t count = 0;
    setting s;
    open_graph(&s, CHAIN, 50);
    b2d_graph* g = &s.graph;
    for (int32_t call = 0; call < CHURN; call++) {
        if (draw_below(4) > 0) {
            const int32_t a = draw_below(CHAIN - 50), b = draw_below(4) == 0 ? CHAIN - 1 - draw_below(50) : a + 1;
            if (b2d_pair_set_find(&g->pair_set, b2d_pair_key(a, b)) != B2D_NONE) continue;
            const int32_t contact = contacts[count++] = touch(g, a, b);
            const b2d_contact_record record = record_of(contact, has_extra(contact));
            CHECK(b2d_color_add_contact(g, contact, &record, has_extra(contact)), true);
        } else if (count > 0) {
            const int32_t k = draw_below(count);
            b2d_color_remove_contact(g, contacts[k], NULL);
            b2d_contact_destroy(g, contacts[k]);
            contacts[k] = contacts[--count];
        }
    }
    const int32_t before = check_order(g);
    b2d_memory none = {.fail_after = 0};
    b2d_arena empty = {.memory = &none}, arena = {.memory = &s.memory};
    b2d_scheduler* scheduler;
    CHECK(b2d_scheduler_create(2, &scheduler), B2D_OK);
    b2d_color_sort_contacts(g, scheduler, &empty); // without memory nothing moves
    check_lanes(g, contacts, count);
    check_order(g);
    for (int32_t color = 0; color < B2D_COLORS; color++) b2d_color_sort_contacts(g, scheduler, &arena); // one a call
    b2d_scheduler_destroy(scheduler);
    check_lanes(g, contacts, count);
    const int32_t after = check_order(g); // colours with few contacts are left as they are
    CHECK(BOUND(before, >, 300) && BOUND(after, <, before / 3), true);
    b2d_arena_free(&arena);
    while (count > 0) {
        b2d_color_remove_contact(g, contacts[--count], NULL);
        b2d_contact_destroy(g, contacts[count]);
    }
    close_graph(&s);
}

// ---- many contacts that end and begin at once

enum { BATCHES = 40, ENDS = 300 };

static void begin_at_once(b2d_graph* g, int32_t contact) {
    const b2d_contact_record record = record_of(contact, has_extra(contact));
    CHECK(b2d_color_add_contact(g, contact, &record, has_extra(contact)), true);
}

static int ascending(const void* a, const void* b) {
    return (*(const int32_t*)a > *(const int32_t*)b) - (*(const int32_t*)a < *(const int32_t*)b);
}

// Removes the contacts, which are in order, and begins others; the moves in three ranges, as of three workers, and what
// may be decided in any order backwards.
static void change_together(b2d_graph* g, b2d_arena* arena, const int32_t* ended, int32_t ends, const int32_t* begun,
                            int32_t begins) {
    static b2d_contact_place places[ENDS];
    b2d_contact_ends many;
    CHECK(b2d_ends_make(arena, ends, &many), true);
    for (int32_t k = 0; k < ends; k++) many.rows[k] = (b2d_contact_end){.contact = ended[k]};
    for (int32_t k = ends - 1; k >= 0; k--) {
        g->pairs[ended[k]].flags |= B2D_PAIR_TOUCHING;
        b2d_end_note(g, &many.rows[k]);
    }
    b2d_ends_divide(&many);
    for (int32_t item = B2D_END_ITEMS - 1; item >= 0; item--) b2d_ends_item(g, &many, item);
    b2d_ends_feed(g, &many);
    for (int32_t part = 2; part >= 0; part--)
        b2d_ends_move(g, &many, part * many.lanes / 3, (part + 1) * many.lanes / 3);
    b2d_ends_release(g, &many);
    for (int32_t k = 0; k < begins; k++) b2d_place_begin(g, &places[k], begun[k], has_extra(begun[k]));
    for (int32_t k = 0; k < begins; k++) b2d_place_bits(g, &places[k]);
    for (int32_t k = 0; k < begins; k++) b2d_place_color(g, &places[k]);
    for (int32_t k = 0; k < begins; k++) b2d_place_cluster(g, &places[k]);
    for (int32_t k = 0; k < begins; k++) CHECK(b2d_place_lane(g, &places[k]), true);
    for (int32_t k = begins - 1; k >= 0; k--) {
        const b2d_contact_record record = record_of(begun[k], has_extra(begun[k]));
        b2d_place_end(g, &places[k]);
        b2d_color_fill_contact(g, begun[k], &record);
    }
    for (int32_t part = 2; part >= 0; part--)
        b2d_ends_clear(g, &many, part * many.lanes / 3, (part + 1) * many.lanes / 3);
}

static void test_many_changes_at_once_leave_what_single_ones_leave(void) {
    static int32_t contacts[CHURN], begun[ENDS];
    int32_t count = 0;
    setting one, all;
    open_graph(&one, CHAIN, 50);
    open_graph(&all, CHAIN, 50);
    b2d_graph *a = &one.graph, *b = &all.graph;
    b2d_arena arena = {.memory = &all.memory};
    for (int32_t batch = 0; batch < BATCHES; batch++) {
        const int32_t ends = b2d_min_int(count, draw_below(batch % 5 == 4 ? count + 1 : ENDS)),
                      wanted = draw_below(ENDS);
        int32_t begins = 0;
        for (int32_t k = 0; k < ends; k++) { // the last ones of the list end
            const int32_t other = draw_below(count - k), kept = contacts[count - 1 - k];
            contacts[count - 1 - k] = contacts[other];
            contacts[other] = kept;
        }
        int32_t* ended = contacts + count - ends;
        qsort(ended, (size_t)ends, sizeof *ended, ascending);
        for (int32_t k = 0; k < wanted; k++) {
            const int32_t x = draw_below(CHAIN - 50), y = draw_below(4) == 0 ? CHAIN - 1 - draw_below(50) : x + 1;
            if (b2d_pair_set_find(&a->pair_set, b2d_pair_key(x, y)) != B2D_NONE) continue;
            CHECK(touch(a, x, y), begun[begins] = touch(b, x, y));
            begins++;
        }
        for (int32_t k = 0; k < ends; k++) b2d_color_remove_contact(a, ended[k], NULL);
        for (int32_t k = 0; k < begins; k++) begin_at_once(a, begun[k]);
        change_together(b, &arena, ended, ends, begun, begins);
        for (int32_t k = 0; k < ends; k++) b2d_contact_destroy(a, ended[k]), b2d_contact_destroy(b, ended[k]);
        count -= ends;
        for (int32_t k = 0; k < begins; k++) contacts[count++] = begun[k];
        check_lanes(b, contacts, count);
        for (int32_t k = 0; k < count; k++) CHECK(b->pairs[contacts[k]].lane_index, a->pairs[contacts[k]].lane_index);
        CHECK(b->block_ids.count, a->block_ids.count);
        for (int32_t id = b2d_id_pool_next(&a->block_ids, 0); id != B2D_NONE;
             id = b2d_id_pool_next(&a->block_ids, id + 1)) {
            CHECK(memcmp(&a->blocks[id], &b->blocks[id], sizeof *a->blocks), 0);
            CHECK(memcmp(a->manifolds[id].contact, b->manifolds[id].contact, sizeof a->manifolds->contact), 0);
            CHECK(b->extras[id] == NULL, a->extras[id] == NULL);
            if (a->extras[id] != NULL) CHECK(memcmp(a->extras[id], b->extras[id], sizeof *a->extras[id]), 0);
        }
        for (int32_t color = 0; color < B2D_COLORS; color++) {
            CHECK(b->color_blocks[color], a->color_blocks[color]);
            CHECK(b->color_disorder[color], a->color_disorder[color]);
        }
        b2d_arena_reset(&arena);
    }
    while (count-- > 0) {
        b2d_color_remove_contact(a, contacts[count], NULL), b2d_color_remove_contact(b, contacts[count], NULL);
        b2d_contact_destroy(a, contacts[count]), b2d_contact_destroy(b, contacts[count]);
    }
    b2d_arena_free(&arena);
    close_graph(&one);
    close_graph(&all);
}

// ---- many contacts that are created and destroyed at once

static void check_lists(const b2d_graph* a, const b2d_graph* b, int32_t bodies) {
    for (int32_t body = 0; body < bodies; body++) {
        const b2d_body *x = &a->bodies[body], *y = &b->bodies[body];
        CHECK(y->contact_count, x->contact_count);
        CHECK(y->contact_tail, x->contact_tail);
        int32_t key = x->contact_head, other = y->contact_head, last = B2D_NONE;
        while (key != B2D_NONE && key == other) {
            CHECK(b->contacts[key >> 1].prev[key & 1], last);
            last = key;
            other = b->contacts[key >> 1].next[key & 1], key = a->contacts[key >> 1].next[key & 1];
        }
        CHECK(other, key);
    }
}

static void test_many_contacts_at_once_are_those_of_single_calls(void) {
    enum { HUBS = 10, MOST = 700 };
    static b2d_new_contact rows[MOST];
    static int32_t made[MOST], contacts[CHURN];
    int32_t count = 0;
    for (int32_t workers = 1; workers <= 3; workers += 2) {
        setting one, all;
        open_graph(&one, CHAIN, HUBS);
        open_graph(&all, CHAIN, HUBS);
        b2d_graph *a = &one.graph, *b = &all.graph;
        b2d_scheduler* scheduler;
        CHECK(b2d_scheduler_create(workers, &scheduler), B2D_OK);
        for (int32_t batch = 0; batch < BATCHES; batch++) {
            int32_t begins = 0;
            for (int32_t k = draw_below(MOST); k > 0; k--) {
                const int32_t x = draw_below(CHAIN - HUBS), y = draw_below(3) == 0
                                                                    ? CHAIN - 1 - draw_below(HUBS)
                                                                    : (x + 1 + draw_below(3)) % (CHAIN - HUBS);
                if (x == y || b2d_pair_set_find(&a->pair_set, b2d_pair_key(x, y)) != B2D_NONE) continue;
                b2d_pair* pair = &rows[begins].pair;
                *pair = (b2d_pair){.shape_a = x,
                                   .shape_b = y,
                                   .body_a = x,
                                   .body_b = y,
                                   .lane_index = B2D_NONE,
                                   .record = B2D_NONE,
                                   .bucket = (uint8_t)draw_below(B2D_BUCKET_COUNT),
                                   .flags = b2d_moves(a, y) ? 0 : B2D_PAIR_TERRAIN};
                rows[begins].flags = (uint8_t)draw_below(8);
                made[begins] = b2d_contact_create(a, pair, rows[begins].flags);
                begins++;
            }
            const int32_t room = b->contact_ids.count + begins; // as b2d_world_reserve_contacts
            bool done = b2d_id_pool_reserve(b->memory, &b->contact_ids, room) &&
                        B2D_GROW(b->memory, b->pairs, b->pair_capacity, room) &&
                        B2D_GROW(b->memory, b->contacts, b->contact_capacity, room) &&
                        B2D_GROW(b->memory, b->contact_generations, b->contact_generation_capacity, room) &&
                        b2d_pair_set_reserve(b->memory, &b->pair_set, room);
            for (int32_t k = 0; k < B2D_BUCKET_COUNT; k++)
                done = done && b2d_bits_reserve(b->memory, &b->awake_contacts[k], room);
            CHECK(done && b2d_bits_reserve(b->memory, &b->overflow_contacts, room) &&
                      b2d_bits_reserve(b->memory, &b->unlike_contacts, room) &&
                      b2d_bits_reserve(b->memory, &b->pressed_contacts, room) &&
                      b2d_bits_reserve(b->memory, &b->in_lanes, room),
                  true);
            static int32_t ids[MOST];
            b2d_contacts_create(b, scheduler, rows, ids, begins);
            for (int32_t k = 0; k < begins; k++) CHECK(ids[k], made[k]);
            for (int32_t k = 0; k < begins; k++) contacts[count++] = made[k];
            check_lists(a, b, CHAIN);
            const int32_t ends = b2d_min_int(count, draw_below(MOST));
            for (int32_t k = 0; k < ends; k++) {
                const int32_t other = draw_below(count - k), kept = contacts[count - 1 - k];
                contacts[count - 1 - k] = contacts[other];
                contacts[other] = kept;
            }
            count -= ends;
            qsort(contacts + count, (size_t)ends, sizeof *contacts, ascending);
            for (int32_t k = 0; k < ends; k++) b2d_contact_destroy(a, contacts[count + k]);
            b2d_contacts_destroy(b, scheduler, contacts + count, ends);
            check_lists(a, b, CHAIN);
            CHECK(b->contact_links == a->contact_links && b->generation == a->generation, true);
            for (int32_t k = 0; k < count; k++) {
                const int32_t id = contacts[k];
                const b2d_pair* pair = &a->pairs[id];
                CHECK(memcmp(&a->pairs[id], &b->pairs[id], sizeof *a->pairs), 0);
                CHECK(memcmp(&a->contacts[id], &b->contacts[id], sizeof *a->contacts), 0);
                CHECK(b->contact_generations[id] == a->contact_generations[id], true);
                CHECK(b2d_pair_set_find(&b->pair_set, b2d_pair_key(pair->shape_a, pair->shape_b)), id);
                for (int32_t bucket = 0; bucket < B2D_BUCKET_COUNT; bucket++)
                    CHECK(b2d_bits_has(&b->awake_contacts[bucket], id), b2d_bits_has(&a->awake_contacts[bucket], id));
            }
            CHECK(b->pair_set.count, count);
        }
        b2d_contacts_destroy(b, scheduler, contacts, count);
        while (count > 0) b2d_contact_destroy(a, contacts[--count]);
        b2d_scheduler_destroy(scheduler);
        close_graph(&one);
        close_graph(&all);
    }
}

int main(void) {
    RUN(test_the_order_of_links_changes_no_island);
    printf("ok   links\n");
    RUN(test_colours_equal_those_of_a_bitset_for_each_colour);
    printf("ok   colours\n");
    RUN(test_contacts_of_a_colour_are_sorted_by_their_bodies);
    printf("ok   order\n");
    RUN(test_many_changes_at_once_leave_what_single_ones_leave);
    printf("ok   changes\n");
    RUN(test_many_contacts_at_once_are_those_of_single_calls);
    printf("ok   creation\n");
    print_bounds();
    return failures > 0;
}
