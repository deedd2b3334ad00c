// csrc/graph/color_order.c - sorts the contacts of a colour by their bodies when half of them are out of order, so that
// neighbouring lanes read neighbouring rows. No result depends on the lane of a contact.
#include "base/radix_sort.h"
#include "graph/color_parts.h"

// A block in its new order, before it takes the place of the old one
typedef struct sorted_block {
    b2d_contact_block block;
    b2d_manifold_block manifold;
    b2d_extra_block extra;
} sorted_block;

typedef struct sort_item { // a block of the colour
    const b2d_color_list* list;
    const uint64_t* keys; // of its lanes, place by place; the lower half is the old place in the list
    int32_t k;            // in the list
    bool needs_extra;
} sort_item;

typedef struct sort_job {
    b2d_graph* graph;
    sort_item* items;
    sorted_block* sorted;
} sort_job;

// Gives all blocks of a list an extra block if one has one. False: no memory.
static bool take_extras(b2d_graph* graph, const b2d_color_list* list) {
    bool any = false, done = true;
    for (int32_t k = 0; k < b2d_color_list_blocks(list); k++) any = any || graph->extras[list->blocks[k]] != NULL;
    for (int32_t k = 0; any && done && k < b2d_color_list_blocks(list); k++)
        done = b2d_color_take_extra(graph, list->blocks[k]);
    return done;
}

static void gather_sorted(void* context, int32_t begin, int32_t end, int32_t worker) {
    (void)worker;
    const sort_job* job = context;
    const b2d_graph* graph = job->graph;
    for (int32_t i = begin; i < end; i++) {
        const sort_item* item = &job->items[i];
        sorted_block* to = &job->sorted[i];
        const int32_t here = item->list->blocks[item->k], live = b2d_color_list_live(item->list, item->k);
        const bool extra = graph->extras[here] != NULL; // then all blocks of the list have one
        if (live < B2D_LANES) {
            to->block = graph->blocks[here], to->manifold = graph->manifolds[here];
            if (extra) to->extra = *graph->extras[here];
        }
        for (int32_t lane = 0; lane < live; lane++) {
            const int32_t from = b2d_color_list_lane(item->list, (int32_t)(uint32_t)item->keys[lane]),
                          block = from / B2D_LANES, at = from % B2D_LANES;
            b2d_move_lane(&to->block, lane, &graph->blocks[block], at, sizeof to->block);
            b2d_move_lane(&to->manifold, lane, &graph->manifolds[block], at, sizeof to->manifold);
            if (extra) b2d_move_lane(&to->extra, lane, graph->extras[block], at, sizeof to->extra);
        }
    }
}

static void put_sorted(void* context, int32_t begin, int32_t end, int32_t worker) {
    (void)worker;
    const sort_job* job = context;
    b2d_graph* graph = job->graph;
    for (int32_t i = begin; i < end; i++) {
        sort_item* item = &job->items[i];
        const sorted_block* from = &job->sorted[i];
        const int32_t here = item->list->blocks[item->k], live = b2d_color_list_live(item->list, item->k);
        graph->blocks[here] = from->block, graph->manifolds[here] = from->manifold;
        if (graph->extras[here] != NULL) *graph->extras[here] = from->extra;
        item->needs_extra = false;
        for (int32_t lane = 0; lane < live; lane++) {
            b2d_pair* pair = &graph->pairs[from->manifold.contact[lane]];
            pair->lane_index = here * B2D_LANES + lane;
            item->needs_extra = item->needs_extra || (pair->flags & B2D_PAIR_EXTRA) != 0;
        }
    }
}

// Lists the blocks of the colour and the order of their lanes. Returns how many there are; B2D_NONE: no memory.
static int32_t order_color(b2d_graph* graph, b2d_arena* arena, int32_t color, sort_item* items) {
    int32_t count = 0;
    for (int32_t cluster = 0; cluster < graph->cluster_count; cluster++)
        for (int32_t fixed = 0; fixed < 2; fixed++) {
            const b2d_color_list* list = &graph->clusters[cluster].contacts[color][fixed];
            if (list->count < 2) continue;
            const size_t room = (size_t)list->count * sizeof(uint64_t);
            uint64_t *keys = b2d_arena_take(arena, room), *scratch = b2d_arena_take(arena, room);
            if (keys == NULL || scratch == NULL || !take_extras(graph, list)) return B2D_NONE;
            for (int32_t k = 0; k < list->count; k++)
                keys[k] = (uint64_t)b2d_color_first_body(graph, list, k, fixed) << 32 | (uint32_t)k;
            b2d_radix_sort(keys, scratch, list->count);
            for (int32_t k = 0; k < b2d_color_list_blocks(list); k++)
                items[count++] = (sort_item){.list = list, .keys = keys + k * B2D_LANES, .k = k};
        }
    return count;
}

static void sort_color(b2d_graph* graph, b2d_scheduler* scheduler, b2d_arena* arena, int32_t color) {
    enum { BLOCK_GRAIN = 2 };
    const size_t blocks = (size_t)graph->color_blocks[color];
    sort_job job = {graph, b2d_arena_take(arena, blocks * sizeof *job.items),
                    b2d_arena_take(arena, blocks * sizeof *job.sorted)};
    if (job.items == NULL || job.sorted == NULL) return; // without memory the order stays as it is
    const int32_t count = order_color(graph, arena, color, job.items);
    if (count == B2D_NONE) return;
    const b2d_stage stages[2] = {{gather_sorted, &job, count, BLOCK_GRAIN}, {put_sorted, &job, count, BLOCK_GRAIN}};
    b2d_scheduler_run_entered(scheduler, stages, 2);
    for (int32_t i = 0; i < count; i++)
        if (!job.items[i].needs_extra) b2d_color_give_extra(graph, job.items[i].list->blocks[job.items[i].k]);
    graph->color_disorder[color] = 0;
}

void b2d_color_sort_contacts(b2d_graph* graph, b2d_scheduler* scheduler, b2d_arena* arena) {
    enum { LEAST = 256 }; // lanes that are out of order; fewer stay in the cache in any order
    if (B2D_LANES * graph->block_ids.count < LEAST) return;
    for (int32_t color = 0; color < B2D_COLORS; color++) {
        const int32_t disorder = graph->color_disorder[color];
        if (disorder < LEAST || 2 * disorder < B2D_LANES * graph->color_blocks[color]) continue;
        sort_color(graph, scheduler, arena, color);
        return;
    }
}
