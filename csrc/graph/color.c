// csrc/graph/color.c - greedy persistent colours, and the blocks in which coloured constraints live.
//
// Idea: a constraint takes the first colour that none of its dynamic bodies has (one u64 mask a body). Colours 0 .. 27 go to pairs
// of dynamic bodies, upwards; constraints with a fixed side may take any, from the last down, and the last four are theirs alone, so
// that statics are solved last. No free colour: overflow, solved serially first. The choice depends on the masks alone, and
// these on the order of serial calls, never on lanes. Within a list lanes are dense: removing one moves the last into the hole.
// Cost: O(1) a constraint. Proof: b2d_graph_validate recomputes all masks.
#include "graph/graph.h"

#include <stdlib.h>
#include <string.h>

#define ALL_COLORS ((1ull << B2D_COLORS) - 1)
#define MOVING_COLORS ((1ull << (B2D_COLORS - B2D_STATIC_COLORS)) - 1)

static int32_t pick_color(uint64_t used, bool fixed) {
    uint64_t open = ~used & (fixed ? ALL_COLORS : MOVING_COLORS);
    if (open == 0) return B2D_OVERFLOW;
    return fixed ? 63 - __builtin_clzll(open) : b2d_ctz64(open);
}

_Static_assert(B2D_COLORS <= 32, "a colour mask has 32 bits");
static void set_masks(b2d_graph* graph, int32_t body_a, int32_t body_b, int32_t color, bool set) {
    if (color == B2D_OVERFLOW) return; // overflow owns no bits
    const int32_t bodies[2] = {body_a, body_b};
    for (int32_t k = 0; k < 2; k++) {
        if (!b2d_moves(graph, bodies[k])) continue;
        if (set) graph->color_masks[bodies[k]] |= 1u << color;
        else graph->color_masks[bodies[k]] &= ~(1u << color);
    }
}

static uint64_t used_colors(const b2d_graph* graph, int32_t body_a, int32_t body_b) {
    return (b2d_moves(graph, body_a) ? graph->color_masks[body_a] : 0) | (b2d_moves(graph, body_b) ? graph->color_masks[body_b] : 0);
}

static b2d_color_list* contact_list(b2d_graph* graph, int32_t color, int32_t fixed) {
    return color == B2D_OVERFLOW ? &graph->overflow_contact_list[fixed] : &graph->contact_lists[color][fixed];
}
static b2d_color_list* joint_list(b2d_graph* graph, int32_t color, int32_t fixed) {
    return color == B2D_OVERFLOW ? &graph->overflow_joint_list[fixed] : &graph->joint_lists[color][fixed];
}

// Overflow lists are sorted by id: small, serial, and the order in which they are solved.
static bool insert_sorted(b2d_graph* graph, int32_t** ids, int32_t* count, int32_t* capacity, int32_t id) {
    if (!b2d_grow(graph->memory, (void**)ids, capacity, *count + 1, sizeof **ids)) return false;
    int32_t k = *count;
    while (k > 0 && (*ids)[k - 1] > id) k--;
    memmove(*ids + k + 1, *ids + k, (size_t)(*count - k) * sizeof **ids);
    (*ids)[k] = id;
    *count += 1;
    return true;
}
static void erase_sorted(int32_t* ids, int32_t* count, int32_t id) {
    int32_t low = 0, high = *count;
    while (low < high) {
        int32_t mid = (low + high) / 2;
        if (ids[mid] < id) low = mid + 1;
        else high = mid;
    }
    B2D_ASSERT(low < *count && ids[low] == id);
    memmove(ids + low, ids + low + 1, (size_t)(*count - low - 1) * sizeof *ids);
    *count -= 1;
}

static void clear_contact_lane(b2d_contact_block* block, b2d_manifold_block* manifold, int32_t lane) {
    float* rows = block->nx;
    block->body_a[lane] = block->body_b[lane] = B2D_NONE;
    for (size_t k = 0; k < (sizeof *block - offsetof(b2d_contact_block, nx)) / sizeof(float) / B2D_LANES; k++) rows[k * B2D_LANES + (size_t)lane] = 0.0f;
    block->point[0].base[lane] = block->point[1].base[lane] = B2D_DEAD_POINT;
    manifold->contact[lane] = B2D_NONE;
}

static int32_t take_contact_block(b2d_graph* graph) {
    int32_t id = b2d_id_pool_take(graph->memory, &graph->block_ids);
    if (id == B2D_NONE) return B2D_NONE;
    if (!B2D_GROW(graph->memory, graph->blocks, graph->block_capacity, id + 1) ||
        !B2D_GROW(graph->memory, graph->manifolds, graph->manifold_capacity, id + 1) ||
        !B2D_GROW(graph->memory, graph->extras, graph->extra_capacity, id + 1) || !b2d_bits_reserve(graph->memory, &graph->extra_blocks, id + 1)) {
        b2d_id_pool_release(&graph->block_ids, id);
        return B2D_NONE;
    }
    for (int32_t lane = 0; lane < B2D_LANES; lane++) clear_contact_lane(&graph->blocks[id], &graph->manifolds[id], lane);
    B2D_ASSERT(graph->extras[id] == NULL);
    return id;
}

// Sees to it that the block has an extra; false: no memory.
static bool take_extra(b2d_graph* graph, int32_t block) {
    if (graph->extras[block] != NULL) return true;
    size_t granted;
    b2d_extra_block* extra = graph->extras[block] = b2d_pool_take(graph->memory, &graph->pool, sizeof *extra, &granted);
    if (extra == NULL) return false;
    memset(extra, 0, sizeof *extra);
    b2d_bits_set(&graph->extra_blocks, block);
    return true;
}
static void give_extra(b2d_graph* graph, int32_t block) {
    if (graph->extras[block] == NULL) return;
    b2d_pool_give(&graph->pool, graph->extras[block], b2d_pool_granted(sizeof(b2d_extra_block)));
    graph->extras[block] = NULL;
    b2d_bits_unset(&graph->extra_blocks, block);
}

static void write_extra(b2d_extra_block* extra, int32_t lane, const b2d_contact_record* record) {
    extra->restitution[lane] = record->restitution;
    extra->rolling[lane] = record->rolling;
    extra->tangent_speed[lane] = record->tangent_speed;
    extra->rolling_impulse[lane] = record->rolling_impulse;
    extra->approach[0][lane] = extra->approach[1][lane] = 0.0f;
    extra->peak_impulse[0][lane] = extra->peak_impulse[1][lane] = 0.0f;
}
static void read_extra(const b2d_extra_block* extra, int32_t lane, b2d_contact_record* record) {
    record->restitution = extra == NULL ? 0.0f : extra->restitution[lane];
    record->rolling = extra == NULL ? 0.0f : extra->rolling[lane];
    record->tangent_speed = extra == NULL ? 0.0f : extra->tangent_speed[lane];
    record->rolling_impulse = extra == NULL ? 0.0f : extra->rolling_impulse[lane];
}

bool b2d_color_add_contact(b2d_graph* graph, int32_t id, const b2d_contact_record* record, bool extra) {
    b2d_pair* pair = &graph->pairs[id];
    b2d_contact* contact = &graph->contacts[id];
    B2D_ASSERT(pair->home == B2D_NONE);
    bool flip = (pair->flags & B2D_PAIR_FLIP) != 0;
    int32_t side_a = flip ? pair->body_b : pair->body_a, side_b = flip ? pair->body_a : pair->body_b;
    int32_t fixed = !b2d_moves(graph, side_b);
    int32_t color = pick_color(used_colors(graph, side_a, side_b), fixed);
    b2d_color_list* list = contact_list(graph, color, fixed);
    int32_t k = list->count / B2D_LANES, lane = list->count % B2D_LANES;
    if (lane == 0) {
        if (!B2D_GROW(graph->memory, list->blocks, list->block_capacity, k + 1)) return false;
        int32_t block = take_contact_block(graph);
        if (block == B2D_NONE) return false;
        list->blocks[k] = block;
    }
    int32_t block = list->blocks[k];
    if ((extra && !take_extra(graph, block)) ||
        (color == B2D_OVERFLOW && !insert_sorted(graph, &graph->overflow_contacts, &graph->overflow_contact_count, &graph->overflow_contact_capacity, id))) {
        if (lane == 0) {
            give_extra(graph, block);
            b2d_id_pool_release(&graph->block_ids, block);
        }
        return false;
    }
    list->count++;
    b2d_block_write(&graph->blocks[block], &graph->manifolds[block], lane, record);
    if (graph->extras[block] != NULL) write_extra(graph->extras[block], lane, record);
    graph->blocks[block].body_a[lane] = side_a;
    graph->blocks[block].body_b[lane] = side_b;
    graph->manifolds[block].contact[lane] = id;
    graph->manifolds[block].extent[lane] = pair->extent;
    b2d_bits_set(&graph->homed, id);
    pair->home = block * B2D_LANES + lane;
    pair->flags = (uint8_t)(extra ? pair->flags | B2D_PAIR_EXTRA : pair->flags & ~B2D_PAIR_EXTRA);
    contact->color = (int8_t)color;
    contact->fixed = (uint8_t)fixed;
    set_masks(graph, side_a, side_b, color, true);
    return true;
}

void b2d_contact_record_read(const b2d_graph* graph, int32_t id, b2d_contact_record* record) {
    const b2d_pair* pair = &graph->pairs[id];
    if (pair->home == B2D_NONE) {
        *record = graph->rest[graph->contacts[id].rest];
        return;
    }
    int32_t block = pair->home / B2D_LANES, lane = pair->home % B2D_LANES;
    b2d_block_read(&graph->blocks[block], &graph->manifolds[block], lane, record);
    read_extra(graph->extras[block], lane, record);
}

void b2d_contact_record_write(b2d_graph* graph, int32_t id, const b2d_contact_record* record) {
    const b2d_pair* pair = &graph->pairs[id];
    if (pair->home == B2D_NONE) {
        graph->rest[graph->contacts[id].rest] = *record;
        return;
    }
    int32_t block = pair->home / B2D_LANES, lane = pair->home % B2D_LANES;
    b2d_block_write(&graph->blocks[block], &graph->manifolds[block], lane, record);
    if (graph->extras[block] != NULL) write_extra(graph->extras[block], lane, record);
}

// Without rotation the old pose is none that could be recycled.
void b2d_contact_refresh(b2d_graph* graph, int32_t id) {
    const b2d_pair* pair = &graph->pairs[id];
    if (pair->home != B2D_NONE) {
        b2d_manifold_block* manifold = &graph->manifolds[pair->home / B2D_LANES];
        manifold->qc[pair->home % B2D_LANES] = manifold->qs[pair->home % B2D_LANES] = 0.0f;
    } else if (graph->contacts[id].rest != B2D_NONE) {
        b2d_contact_record* record = &graph->rest[graph->contacts[id].rest];
        record->qc = record->qs = 0.0f;
    }
}

// Copies lane `from` of one block over lane `to` of another: every row of 16 floats or ids.
static void move_lane(void* to_block, int32_t to, const void* from_block, int32_t from, size_t size) {
    uint32_t* t = to_block;
    const uint32_t* f = from_block;
    for (size_t k = 0; k < size / sizeof(uint32_t); k += B2D_LANES) t[k + (size_t)to] = f[k + (size_t)from];
}

void b2d_color_remove_contact(b2d_graph* graph, int32_t id, b2d_contact_record* record) {
    b2d_pair* pair = &graph->pairs[id];
    b2d_contact* contact = &graph->contacts[id];
    if (record != NULL) b2d_contact_record_read(graph, id, record);
    set_masks(graph, pair->body_a, pair->body_b, contact->color, false);
    b2d_color_list* list = contact_list(graph, contact->color, contact->fixed);
    if (contact->color == B2D_OVERFLOW) erase_sorted(graph->overflow_contacts, &graph->overflow_contact_count, id);
    int32_t block = pair->home / B2D_LANES, lane = pair->home % B2D_LANES;
    list->count--;
    int32_t last_block = list->blocks[list->count / B2D_LANES], last_lane = list->count % B2D_LANES;
    if (last_block != block || last_lane != lane) {
        int32_t moved = graph->manifolds[last_block].contact[last_lane];
        bool moved_extra = (graph->pairs[moved].flags & B2D_PAIR_EXTRA) != 0;
        move_lane(&graph->blocks[block], lane, &graph->blocks[last_block], last_lane, sizeof(b2d_contact_block));
        move_lane(&graph->manifolds[block], lane, &graph->manifolds[last_block], last_lane, sizeof(b2d_manifold_block));
        // Without memory the moved contact loses its extras (restitution and the like), and its flag says so.
        if (moved_extra && !take_extra(graph, block)) graph->pairs[moved].flags &= (uint8_t)~B2D_PAIR_EXTRA;
        if (graph->extras[block] != NULL) {
            if (graph->extras[last_block] != NULL) move_lane(graph->extras[block], lane, graph->extras[last_block], last_lane, sizeof(b2d_extra_block));
            else for (size_t k = 0; k < sizeof(b2d_extra_block) / sizeof(float); k += B2D_LANES) ((float*)graph->extras[block])[k + (size_t)lane] = 0.0f;
        }
        graph->pairs[moved].home = block * B2D_LANES + lane;
    }
    clear_contact_lane(&graph->blocks[last_block], &graph->manifolds[last_block], last_lane);
    if (graph->extras[last_block] != NULL)
        for (size_t k = 0; k < sizeof(b2d_extra_block) / sizeof(float); k += B2D_LANES) ((float*)graph->extras[last_block])[k + (size_t)last_lane] = 0.0f;
    if (last_lane == 0) {
        give_extra(graph, last_block);
        b2d_id_pool_release(&graph->block_ids, last_block);
    }
    pair->home = B2D_NONE;
    b2d_bits_unset(&graph->homed, id);
    contact->color = -1;
}

// Joints

static int32_t take_joint_block(b2d_graph* graph) {
    int32_t id = b2d_id_pool_take(graph->memory, &graph->joint_block_ids);
    if (id == B2D_NONE) return B2D_NONE;
    if (!B2D_GROW(graph->memory, graph->joint_blocks, graph->joint_block_capacity, id + 1) ||
        !B2D_GROW(graph->memory, graph->joint_rows, graph->joint_row_capacity, id + 1) ||
        !B2D_GROW(graph->memory, graph->joint_block_joint, graph->joint_block_joint_capacity, (id + 1) * B2D_LANES) ||
        !B2D_GROW(graph->memory, graph->joint_block_rows, graph->joint_block_rows_capacity, id + 1)) {
        b2d_id_pool_release(&graph->joint_block_ids, id);
        return B2D_NONE;
    }
    memset(&graph->joint_blocks[id], 0, sizeof graph->joint_blocks[id]);
    memset(&graph->joint_rows[id], 0, sizeof graph->joint_rows[id]);
    for (int32_t lane = 0; lane < B2D_LANES; lane++) {
        graph->joint_blocks[id].body_a[lane] = graph->joint_blocks[id].body_b[lane] = B2D_NONE;
        graph->joint_block_joint[id * B2D_LANES + lane] = B2D_NONE;
    }
    graph->joint_block_rows[id] = 0;
    return id;
}

// Where an impulse is: its row in a block, its member when not flipped and when flipped, and its sign when flipped.
typedef struct impulse_place {
    size_t row, user, flipped;
    float sign;
} impulse_place;
#define POINT(row, user) {offsetof(b2d_joint_block, row), offsetof(b2d_joint_impulses, user), offsetof(b2d_joint_impulses, user), -1.0f}
#define ROW(row, user, flipped, sign) {offsetof(b2d_joint_rows, row), offsetof(b2d_joint_impulses, user), offsetof(b2d_joint_impulses, flipped), sign}
static const impulse_place point_places[] = {POINT(impulse_x, x), POINT(impulse_y, y)};
static const impulse_place row_places[] = {
    ROW(angle.spring_impulse, spring, spring, -1.0f),
    ROW(angle.motor_impulse, motor, motor, -1.0f),
    ROW(angle.lower_impulse, lower, upper, 1.0f), // limits swap
    ROW(angle.upper_impulse, upper, lower, 1.0f),
    ROW(angle.rigid_impulse, turn, turn, -1.0f),
    ROW(line.spring_impulse, line_spring, line_spring, 1.0f),
    ROW(line.motor_impulse, line_motor, line_motor, 1.0f),
    ROW(line.lower_impulse, line_lower, line_lower, 1.0f),
    ROW(line.upper_impulse, line_upper, line_upper, 1.0f),
    ROW(line.rigid_impulse, line, line, 1.0f),
    ROW(cross_impulse, cross, cross, 1.0f),
    ROW(pull_x, pull_x, pull_x, -1.0f),
    ROW(pull_y, pull_y, pull_y, -1.0f),
    ROW(drive_x, drive_x, drive_x, -1.0f),
    ROW(drive_y, drive_y, drive_y, -1.0f),
    ROW(link_impulse, link, link, 1.0f),
};
#undef POINT
#undef ROW
_Static_assert(sizeof point_places / sizeof *point_places + sizeof row_places / sizeof *row_places == sizeof(b2d_joint_impulses) / sizeof(float),
               "every impulse has a place");

static void exchange_impulses(void* block, int32_t lane, b2d_joint_impulses* impulses, bool flip, bool write, const impulse_place* places, size_t count) {
    for (size_t k = 0; k < count; k++) {
        float* at = (float*)((char*)block + places[k].row) + lane;
        float* user = (float*)((char*)impulses + (flip ? places[k].flipped : places[k].user));
        float sign = flip ? places[k].sign : 1.0f;
        if (write) *at = sign * *user;
        else *user = sign * *at;
    }
}

// Between a joint's row, in user order, and its lane, where a flipped joint has body B on side A.
static void exchange_joint_impulses(const b2d_graph* graph, b2d_joint* joint, bool write) {
    int32_t block = joint->home / B2D_LANES, lane = joint->home % B2D_LANES;
    bool flip = (joint->flags & B2D_JOINT_FLIP) != 0;
    exchange_impulses(&graph->joint_blocks[block], lane, &joint->impulses, flip, write, point_places, sizeof point_places / sizeof *point_places);
    exchange_impulses(&graph->joint_rows[block], lane, &joint->impulses, flip, write, row_places, sizeof row_places / sizeof *row_places);
}

b2d_joint_impulses b2d_joint_read_impulses(const b2d_graph* graph, int32_t id) {
    b2d_joint copy = graph->joints[id];
    if (copy.home != B2D_NONE) exchange_joint_impulses(graph, &copy, false);
    return copy.impulses;
}

bool b2d_color_add_joint(b2d_graph* graph, int32_t id) {
    b2d_joint* joint = &graph->joints[id];
    B2D_ASSERT(joint->home == B2D_NONE && joint->type != B2D_FILTER);
    bool flip = !b2d_moves(graph, joint->body[0]);
    int32_t side_a = joint->body[flip], side_b = joint->body[!flip];
    int32_t fixed = !b2d_moves(graph, side_b);
    int32_t color = pick_color(used_colors(graph, side_a, side_b), fixed);
    b2d_color_list* list = joint_list(graph, color, fixed);
    int32_t k = list->count / B2D_LANES, lane = list->count % B2D_LANES;
    if (lane == 0) {
        if (!B2D_GROW(graph->memory, list->blocks, list->block_capacity, k + 1)) return false;
        int32_t block = take_joint_block(graph);
        if (block == B2D_NONE) return false;
        list->blocks[k] = block;
    }
    int32_t block = list->blocks[k];
    if (color == B2D_OVERFLOW && !insert_sorted(graph, &graph->overflow_joints, &graph->overflow_joint_count, &graph->overflow_joint_capacity, id)) {
        if (lane == 0) b2d_id_pool_release(&graph->joint_block_ids, block);
        return false;
    }
    list->count++;
    joint->home = block * B2D_LANES + lane;
    joint->color = (int8_t)color;
    joint->fixed = (uint8_t)fixed;
    joint->flags = (uint8_t)(flip ? joint->flags | B2D_JOINT_FLIP : joint->flags & ~B2D_JOINT_FLIP);
    graph->joint_blocks[block].body_a[lane] = side_a;
    graph->joint_blocks[block].body_b[lane] = side_b;
    graph->joint_block_joint[joint->home] = id;
    graph->joint_block_rows[block] |= B2D_ROWS_UNKNOWN;
    exchange_joint_impulses(graph, joint, true);
    set_masks(graph, side_a, side_b, color, true);
    return true;
}

void b2d_color_remove_joint(b2d_graph* graph, int32_t id) {
    b2d_joint* joint = &graph->joints[id];
    exchange_joint_impulses(graph, joint, false);
    set_masks(graph, joint->body[0], joint->body[1], joint->color, false);
    b2d_color_list* list = joint_list(graph, joint->color, joint->fixed);
    if (joint->color == B2D_OVERFLOW) erase_sorted(graph->overflow_joints, &graph->overflow_joint_count, id);
    int32_t block = joint->home / B2D_LANES, lane = joint->home % B2D_LANES;
    list->count--;
    int32_t last_block = list->blocks[list->count / B2D_LANES], last_lane = list->count % B2D_LANES;
    if (last_block != block || last_lane != lane) {
        int32_t moved = graph->joint_block_joint[last_block * B2D_LANES + last_lane];
        move_lane(&graph->joint_blocks[block], lane, &graph->joint_blocks[last_block], last_lane, sizeof(b2d_joint_block));
        move_lane(&graph->joint_rows[block], lane, &graph->joint_rows[last_block], last_lane, sizeof(b2d_joint_rows));
        graph->joint_block_joint[block * B2D_LANES + lane] = moved;
        graph->joints[moved].home = block * B2D_LANES + lane;
        graph->joint_block_rows[block] |= graph->joint_block_rows[last_block];
    }
    uint32_t* rows = (uint32_t*)&graph->joint_blocks[last_block];
    for (size_t k = 0; k < sizeof(b2d_joint_block) / sizeof *rows; k += B2D_LANES) rows[k + (size_t)last_lane] = 0;
    rows = (uint32_t*)&graph->joint_rows[last_block];
    for (size_t k = 0; k < sizeof(b2d_joint_rows) / sizeof *rows; k += B2D_LANES) rows[k + (size_t)last_lane] = 0;
    graph->joint_blocks[last_block].body_a[last_lane] = graph->joint_blocks[last_block].body_b[last_lane] = B2D_NONE;
    graph->joint_block_joint[last_block * B2D_LANES + last_lane] = B2D_NONE;
    if (last_lane == 0) b2d_id_pool_release(&graph->joint_block_ids, last_block);
    joint->home = B2D_NONE;
    joint->color = -1;
}

static void free_list(b2d_graph* graph, b2d_color_list* list) {
    b2d_free(graph->memory, list->blocks, (size_t)list->block_capacity * sizeof *list->blocks);
    *list = (b2d_color_list){0};
}

void b2d_color_free(b2d_graph* graph) {
    for (int32_t c = 0; c < B2D_COLORS; c++)
        for (int32_t f = 0; f < 2; f++) {
            free_list(graph, &graph->contact_lists[c][f]);
            free_list(graph, &graph->joint_lists[c][f]);
        }
    for (int32_t f = 0; f < 2; f++) {
        free_list(graph, &graph->overflow_contact_list[f]);
        free_list(graph, &graph->overflow_joint_list[f]);
    }
}
