// csrc/graph/color_many.c - contacts that end or begin at once: what they change, part by part.
//
// Idea: islands, masks of colours, bits, and the lists of each colour know nothing of each other. So a stage has an
// item for each of them, which goes through all contacts in ascending order of ids and leaves what single calls leave.
// What belongs to one contact or to one lane is read before and written after, on all workers.
// Threads: each item belongs to one worker at a time. Items take no memory but those of islands.
// Proof: tests/c/test_graph.c compares all rows with those of single calls.
#include "base/radix_sort.h"
#include "graph/color_parts.h"

// ---- Ends ----

void b2d_end_note(b2d_graph* graph, b2d_contact_end* end) {
    b2d_pair* pair = &graph->pairs[end->contact];
    b2d_contact* contact = &graph->contacts[end->contact];
    const bool touches = (pair->flags & B2D_PAIR_TOUCHING) != 0, in_lane = touches && pair->lane_index != B2D_NONE;
    end->moving[0] = b2d_moves(graph, pair->body_a) ? pair->body_a : B2D_NONE;
    end->moving[1] = b2d_moves(graph, pair->body_b) ? pair->body_b : B2D_NONE;
    end->touches = touches;
    end->color = in_lane ? contact->color : -1;
    end->fixed = contact->fixed;
    if (in_lane) contact->color = -1;
    pair->flags &= (uint8_t)~B2D_PAIR_TOUCHING;
}

bool b2d_ends_make(b2d_arena* arena, int32_t count, b2d_contact_ends* ends) {
    const size_t row = sizeof *ends->rows + 2 * sizeof(uint64_t) + 5 * sizeof(int32_t);
    *ends = (b2d_contact_ends){.keys = b2d_arena_take(arena, (size_t)count * row)};
    if (ends->keys == NULL) return false;
    ends->count = count;
    ends->scratch = ends->keys + count;
    ends->rows = (b2d_contact_end*)(ends->scratch + count);
    ends->ids = ends->moved = (int32_t*)(ends->rows + count);
    ends->vacated = ends->moved + count;
    ends->emptied = ends->vacated + count;
    ends->starved[0] = ends->emptied + count;
    ends->starved[1] = ends->starved[0] + count;
    return true;
}

static int32_t part_of(int32_t color) { return color % B2D_LIST_PARTS; }

void b2d_ends_divide(b2d_contact_ends* ends) {
    int32_t counts[B2D_LIST_PARTS] = {0}, first = 0;
    for (int32_t k = 0; k < ends->count; k++) {
        if (ends->rows[k].color >= 0) counts[part_of(ends->rows[k].color)]++;
        ends->reported += ends->rows[k].reported;
    }
    for (int32_t p = 0; p < B2D_LIST_PARTS; p++) {
        ends->parts[p] = (b2d_lane_moves){.first = first};
        first += counts[p];
    }
    ends->lanes = first;
}

// As if the hole were closed at once: the last lane of the list moves into it. Of both only the rows of ids change now.
static void leave_lane(b2d_graph* graph, b2d_contact_ends* ends, b2d_lane_moves* moves, const b2d_contact_end* end) {
    b2d_pair* ended = &graph->pairs[end->contact];
    const int32_t hole = ended->lane_index, color = end->color;
    b2d_color_list* list = b2d_color_contact_list(graph, graph->block_clusters[hole / B2D_LANES], color, end->fixed);
    ended->lane_index = B2D_NONE;
    list->count--;
    const int32_t from = list->blocks[list->count / B2D_LANES], from_lane = list->count % B2D_LANES,
                  last = from * B2D_LANES + from_lane;
    if (last != hole) {
        const int32_t moved = graph->manifolds[from].contact[from_lane];
        b2d_pair* pair = &graph->pairs[moved];
        if ((pair->flags & B2D_PAIR_EXTRA) != 0 && graph->extras[hole / B2D_LANES] == NULL) {
            ends->starved[0][moves->first + moves->starved_count] = hole / B2D_LANES;
            ends->starved[1][moves->first + moves->starved_count++] = moved;
        }
        if (pair->record == B2D_NONE) {
            pair->record = last;
            ends->moved[moves->first + moves->moved_count++] = moved;
        }
        pair->lane_index = hole;
        b2d_color_copy_ids(graph, hole, graph, last);
        if (color != B2D_OVERFLOW) graph->color_disorder[color]++;
    }
    graph->blocks[from].body_a[from_lane] = graph->blocks[from].body_b[from_lane] = B2D_NONE;
    graph->manifolds[from].contact[from_lane] = B2D_NONE;
    ends->vacated[moves->first + moves->vacated_count++] = last;
    if (from_lane != 0) return;
    ends->emptied[moves->first + moves->emptied_count++] = from << 1 | (color == B2D_OVERFLOW);
    if (color != B2D_OVERFLOW) graph->color_blocks[color]--;
}

// The keys of a part, in the order of their targets. A contact that was moved may have ended afterwards.
static void sort_moves(b2d_graph* graph, b2d_contact_ends* ends, b2d_lane_moves* moves) {
    uint64_t* keys = ends->keys + moves->first;
    for (int32_t k = 0; k < moves->moved_count; k++) {
        b2d_pair* pair = &graph->pairs[ends->moved[moves->first + k]];
        if (pair->lane_index != B2D_NONE)
            keys[moves->key_count++] = (uint64_t)(uint32_t)pair->lane_index << 32 | (uint32_t)pair->record;
        pair->record = B2D_NONE;
    }
    b2d_radix_sort(keys, ends->scratch + moves->first, moves->key_count);
}

static void leave_lists(b2d_graph* graph, b2d_contact_ends* ends, int32_t part) {
    enum { GROUP = 16 };
    b2d_lane_moves* moves = &ends->parts[part];
    for (int32_t k = 0; k < ends->count;) {
        const b2d_contact_end* group[GROUP];
        int32_t count = 0;
        for (; k < ends->count && count < GROUP; k++) {
            const b2d_contact_end* end = &ends->rows[k];
            if (end->color < 0 || part_of(end->color) != part) continue;
            __builtin_prefetch(&graph->pairs[end->contact], 1);
            group[count++] = end;
        }
        for (int32_t at = 0; at < count; at++) leave_lane(graph, ends, moves, group[at]);
    }
    sort_moves(graph, ends, moves);
}

static void leave_islands(b2d_graph* graph, const b2d_contact_ends* ends) {
    enum { AHEAD = 16 };
    for (int32_t k = 0; k < ends->count; k++) {
        if (k + AHEAD < ends->count) __builtin_prefetch(&graph->contacts[ends->rows[k + AHEAD].contact].island, 1);
        if (ends->rows[k].touches) b2d_island_unlink_contact(graph, ends->rows[k].contact);
    }
}

static void give_colors(b2d_graph* graph, const b2d_contact_ends* ends) {
    for (int32_t k = 0; k < ends->count; k++)
        if (ends->rows[k].color >= 0) b2d_color_change_masks(graph, ends->rows[k].moving, ends->rows[k].color, false);
}

static void leave_bits(b2d_graph* graph, const b2d_contact_ends* ends) {
    for (int32_t k = 0; k < ends->count; k++)
        if (ends->rows[k].color >= 0) b2d_color_unset_bits(graph, ends->rows[k].contact);
}

void b2d_ends_item(b2d_graph* graph, b2d_contact_ends* ends, int32_t item) {
    switch (item) {
    case 0: leave_islands(graph, ends); break;
    case 1: give_colors(graph, ends); break;
    case 2: leave_bits(graph, ends); break;
    default: leave_lists(graph, ends, item - 3); break;
    }
}

void b2d_ends_feed(b2d_graph* graph, const b2d_contact_ends* ends) {
    for (int32_t p = 0; p < B2D_LIST_PARTS; p++)
        for (int32_t k = ends->parts[p].first; k < ends->parts[p].first + ends->parts[p].starved_count; k++)
            if (!b2d_color_take_extra(graph, ends->starved[0][k]))
                graph->pairs[ends->starved[1][k]].flags &= (uint8_t)~B2D_PAIR_EXTRA;
}

// Usage: FOR_PARTS (ends, begin, end, member_count, from, to) { ... } where [from, to) are the places of the part's
// entries within [begin, end)
#define FOR_PARTS(ends, begin, end, member, from, to)                                     \
    for (int32_t part = 0; part < B2D_LIST_PARTS; part++)                                 \
        for (int32_t first = (ends)->parts[part].first, from = b2d_max_int(begin, first), \
                     to = b2d_min_int(end, first + (ends)->parts[part].member), once = 1; \
             once && from < to; once = 0)

void b2d_ends_move(b2d_graph* graph, const b2d_contact_ends* ends, int32_t begin, int32_t end) {
    FOR_PARTS(ends, begin, end, key_count, from, to) {
        const uint64_t* keys = ends->keys + first;
        const int32_t count = ends->parts[part].key_count;
        to = b2d_lane_keys_from(keys, to - first, count);
        for (int32_t k = b2d_lane_keys_from(keys, from - first, count); k < to; k++)
            b2d_color_copy_values(graph, (int32_t)(keys[k] >> 32), graph, (int32_t)(keys[k] & 0xFFFFFFFFu));
    }
}

void b2d_ends_release(b2d_graph* graph, const b2d_contact_ends* ends) {
    FOR_PARTS(ends, 0, ends->lanes, emptied_count, from, to) {
        for (int32_t k = from; k < to; k++) {
            const int32_t block = ends->emptied[k] >> 1;
            if ((ends->emptied[k] & 1) == 0) graph->cluster_blocks[graph->block_clusters[block]]--;
            b2d_color_abandon(graph, block * B2D_LANES);
        }
    }
}

void b2d_ends_clear(b2d_graph* graph, const b2d_contact_ends* ends, int32_t begin, int32_t end) {
    FOR_PARTS(ends, begin, end, vacated_count, from, to) {
        for (int32_t k = from; k < to; k++) {
            const int32_t* contact = graph->manifolds[ends->vacated[k] / B2D_LANES].contact;
            if (contact[ends->vacated[k] % B2D_LANES] != B2D_NONE || contact[0] == B2D_NONE) continue;
            b2d_color_clear_lane(graph, ends->vacated[k]); // not taken again, and the block is not free
        }
    }
}

int32_t b2d_lane_keys_from(const uint64_t* keys, int32_t k, int32_t count) {
    const uint64_t lanes = (uint64_t)B2D_LANES << 32;
    while (0 < k && k < count && keys[k] / lanes == keys[k - 1] / lanes) k++;
    return k;
}
