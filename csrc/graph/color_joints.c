// csrc/graph/color_joints.c - the blocks of joints, and where their impulses are stored.
//
// Idea: as for contacts in color.c. Between two steps impulses are in the order of the user, in the lane in that of the
// solver: a joint whose side A does not move is flipped.
#include "graph/color_parts.h"

static bool reserve_joint_blocks(b2d_graph* graph, int32_t count) {
    return B2D_GROW(graph->memory, graph->joint_blocks, graph->joint_block_capacity, count) &&
           B2D_GROW(graph->memory, graph->joint_rows, graph->joint_row_capacity, count) &&
           B2D_GROW(graph->memory, graph->joint_frames, graph->joint_frames_capacity, count) &&
           B2D_GROW(graph->memory, graph->joint_block_joint, graph->joint_block_joint_capacity, count * B2D_LANES) &&
           B2D_GROW(graph->memory, graph->joint_block_rows, graph->joint_block_rows_capacity, count) &&
           B2D_GROW(graph->memory, graph->joint_block_clusters, graph->joint_block_cluster_capacity, count);
}

bool b2d_color_reserve_joints(b2d_graph* graph, int32_t joints) {
    return reserve_joint_blocks(graph, b2d_color_rows_for(&graph->joint_block_ids, b2d_color_blocks_of(graph, joints)));
}

static int32_t take_joint_block(b2d_graph* graph, const b2d_color_list* list, int32_t cluster) {
    const int32_t id = b2d_color_next_block_id(&graph->joint_block_ids, list);
    if (id == B2D_NONE || !reserve_joint_blocks(graph, b2d_max_int(graph->joint_block_ids.limit, id + 1)) ||
        !b2d_id_pool_take_id(graph->memory, &graph->joint_block_ids, id))
        return B2D_NONE;
    memset(&graph->joint_blocks[id], 0, sizeof graph->joint_blocks[id]);
    memset(&graph->joint_rows[id], 0, sizeof graph->joint_rows[id]);
    memset(&graph->joint_frames[id], 0, sizeof graph->joint_frames[id]);
    for (int32_t lane = 0; lane < B2D_LANES; lane++) {
        graph->joint_blocks[id].body_a[lane] = graph->joint_blocks[id].body_b[lane] = B2D_NONE;
        graph->joint_block_joint[id * B2D_LANES + lane] = B2D_NONE;
    }
    graph->joint_block_rows[id] = 0;
    graph->joint_block_clusters[id] = (uint16_t)cluster;
    return id;
}

// Where an impulse is stored: its row in the block, its member in user order for a joint that is not flipped and for
// one that is flipped, and its sign if the joint is flipped.
typedef struct impulse_place {
    size_t row, user, flipped;
    float sign;
} impulse_place;
#define POINT(row, user) \
    {offsetof(b2d_joint_block, row), offsetof(b2d_joint_impulses, user), offsetof(b2d_joint_impulses, user), -1.0f}
#define ROW(row, user, flipped, sign) \
    {offsetof(b2d_joint_rows, row), offsetof(b2d_joint_impulses, user), offsetof(b2d_joint_impulses, flipped), sign}
static const impulse_place point_places[] = {POINT(impulse_x, point_x), POINT(impulse_y, point_y)};
static const impulse_place row_places[] = {
    ROW(angle.spring_impulse, angle_spring, angle_spring, -1.0f),
    ROW(angle.motor_impulse, angle_motor, angle_motor, -1.0f),
    ROW(angle.lower_impulse, angle_lower, angle_upper, 1.0f), // a flipped joint swaps its limits
    ROW(angle.upper_impulse, angle_upper, angle_lower, 1.0f),
    ROW(angle.rigid_impulse, angle_rigid, angle_rigid, -1.0f),
    ROW(line.spring_impulse, line_spring, line_spring, 1.0f),
    ROW(line.motor_impulse, line_motor, line_motor, 1.0f),
    ROW(line.lower_impulse, line_lower, line_lower, 1.0f),
    ROW(line.upper_impulse, line_upper, line_upper, 1.0f),
    ROW(line.rigid_impulse, line_rigid, line_rigid, 1.0f),
    ROW(across_impulse, across, across, 1.0f),
    ROW(plane_spring_x, plane_spring_x, plane_spring_x, -1.0f),
    ROW(plane_spring_y, plane_spring_y, plane_spring_y, -1.0f),
    ROW(plane_motor_x, plane_motor_x, plane_motor_x, -1.0f),
    ROW(plane_motor_y, plane_motor_y, plane_motor_y, -1.0f),
    ROW(coupling_impulse, coupling, coupling, 1.0f),
};
#undef POINT
#undef ROW
_Static_assert(sizeof point_places / sizeof *point_places + sizeof row_places / sizeof *row_places ==
                   sizeof(b2d_joint_impulses) / sizeof(float),
               "every impulse has a place");

static void exchange_impulses(void* block, int32_t lane, b2d_joint_impulses* impulses, bool flip, bool write,
                              const impulse_place* places, size_t count) {
    for (size_t k = 0; k < count; k++) {
        float* at = (float*)((char*)block + places[k].row) + lane;
        float* user = (float*)((char*)impulses + (flip ? places[k].flipped : places[k].user));
        float sign = flip ? places[k].sign : 1.0f;
        if (write) *at = sign * *user;
        else *user = sign * *at;
    }
}

// The impulses of a joint's row, for a substep as long as the last one.
static b2d_joint_impulses present_impulses(const b2d_graph* graph, const b2d_joint* joint) {
    b2d_joint_impulses impulses = joint->impulses;
    const float ratio = b2d_color_impulse_ratio(graph, joint->impulse_h);
    float* of = &impulses.point_x;
    for (int32_t k = 0; ratio != 1.0f && k < B2D_JOINT_IMPULSES; k++) of[k] *= ratio;
    return impulses;
}

// Copies impulses between the row of a joint, in user order, and its lane, where a flipped joint has body B on side A.
static void exchange_joint_impulses(const b2d_graph* graph, b2d_joint* joint, bool write) {
    int32_t block = joint->lane_index / B2D_LANES, lane = joint->lane_index % B2D_LANES;
    bool flip = (joint->flags & B2D_JOINT_FLIP) != 0;
    if (write) joint->impulses = present_impulses(graph, joint);
    joint->impulse_h = graph->impulse_h;
    exchange_impulses(&graph->joint_blocks[block], lane, &joint->impulses, flip, write, point_places,
                      sizeof point_places / sizeof *point_places);
    exchange_impulses(&graph->joint_rows[block], lane, &joint->impulses, flip, write, row_places,
                      sizeof row_places / sizeof *row_places);
}

static b2d_joint_load in_lane_order(const b2d_joint* joint, b2d_joint_load load) {
    if (!(joint->flags & B2D_JOINT_FLIP)) return load;
    return (b2d_joint_load){0.0f - load.x, 0.0f - load.y, 0.0f - load.torque}; // never -0
}

void b2d_joint_write_load(b2d_graph* graph, const b2d_joint* joint, b2d_joint_load user) {
    b2d_joint_block* block = &graph->joint_blocks[joint->lane_index / B2D_LANES];
    const int32_t lane = joint->lane_index % B2D_LANES;
    const b2d_joint_load load = in_lane_order(joint, user);
    block->force_x[lane] = load.x, block->force_y[lane] = load.y, block->torque[lane] = load.torque;
}

b2d_joint_load b2d_joint_read_load(const b2d_graph* graph, int32_t id) {
    const b2d_joint* joint = &graph->joints[id];
    if (joint->lane_index == B2D_NONE) return joint->load;
    const b2d_joint_block* block = &graph->joint_blocks[joint->lane_index / B2D_LANES];
    const int32_t lane = joint->lane_index % B2D_LANES;
    return in_lane_order(joint, (b2d_joint_load){block->force_x[lane], block->force_y[lane], block->torque[lane]});
}

static void clear_impulses(void* block, const impulse_place* places, size_t count) {
    for (size_t k = 0; k < count; k++) memset((char*)block + places[k].row, 0, B2D_LANES * sizeof(float));
}

void b2d_joint_block_clear_impulses(b2d_graph* graph, int32_t block) {
    clear_impulses(&graph->joint_blocks[block], point_places, sizeof point_places / sizeof *point_places);
    clear_impulses(&graph->joint_rows[block], row_places, sizeof row_places / sizeof *row_places);
}

static float** list_rows(float** rows, void* block, const impulse_place* places, size_t count) {
    for (size_t k = 0; k < count; k++) *rows++ = (float*)((char*)block + places[k].row);
    return rows;
}

void b2d_joint_block_impulses(const b2d_graph* graph, int32_t block, float* rows[B2D_JOINT_IMPULSES]) {
    rows = list_rows(rows, &graph->joint_blocks[block], point_places, sizeof point_places / sizeof *point_places);
    (void)list_rows(rows, &graph->joint_rows[block], row_places, sizeof row_places / sizeof *row_places);
}

void b2d_joint_clear_impulses(b2d_graph* graph, int32_t id) {
    b2d_joint copy = graph->joints[id];
    copy.impulses = (b2d_joint_impulses){0};
    exchange_joint_impulses(graph, &copy, true);
}

b2d_joint_impulses b2d_joint_read_impulses(const b2d_graph* graph, int32_t id) {
    b2d_joint copy = graph->joints[id];
    if (copy.lane_index == B2D_NONE) return present_impulses(graph, &copy);
    exchange_joint_impulses(graph, &copy, false);
    return copy.impulses;
}

static int32_t open_joint_lane(b2d_graph* graph, b2d_color_list* list, int32_t cluster) {
    int32_t k = list->count / B2D_LANES, lane = list->count % B2D_LANES;
    if (lane == 0) {
        if (!B2D_GROW(graph->memory, list->blocks, list->block_capacity, k + 1)) return B2D_NONE;
        int32_t block = take_joint_block(graph, list, cluster);
        if (block == B2D_NONE) return B2D_NONE;
        list->blocks[k] = block;
    }
    return list->blocks[k] * B2D_LANES + lane;
}

bool b2d_color_add_joint(b2d_graph* graph, int32_t id) {
    b2d_joint* joint = &graph->joints[id];
    B2D_ASSERT(joint->lane_index == B2D_NONE && !(joint->flags & B2D_JOINT_NO_ROWS));
    bool flip = !b2d_moves(graph, joint->body[0]);
    int32_t side_a = joint->body[flip], side_b = joint->body[!flip];
    int32_t fixed = !b2d_moves(graph, side_b);
    const bool overflow = (joint->flags & B2D_JOINT_DIRECT) != 0 || b2d_gear_moves_bases(graph, joint);
    int32_t color = overflow ? B2D_OVERFLOW : b2d_pick_color(b2d_used_colors(graph, side_a, side_b), fixed),
            cluster = b2d_choose_cluster(graph, side_a, side_b);
    b2d_color_list* list = b2d_color_joint_list(graph, cluster, color, fixed);
    int32_t lane_index = open_joint_lane(graph, list, cluster), block = lane_index / B2D_LANES,
            lane = lane_index % B2D_LANES;
    if (lane_index == B2D_NONE) return false;
    if (color == B2D_OVERFLOW) b2d_bits_set(&graph->overflow_joints, id);
    list->count++;
    if (lane == 0) b2d_color_count_block(graph, cluster, color, 1);
    joint->lane_index = lane_index;
    joint->color = (int8_t)color;
    joint->fixed = (uint8_t)fixed;
    joint->flags = (uint8_t)(flip ? joint->flags | B2D_JOINT_FLIP : joint->flags & ~B2D_JOINT_FLIP);
    graph->joint_blocks[block].body_a[lane] = side_a;
    graph->joint_blocks[block].body_b[lane] = side_b;
    graph->joint_block_joint[joint->lane_index] = id;
    graph->joint_block_rows[block] |= B2D_ROWS_STALE;
    exchange_joint_impulses(graph, joint, true);
    b2d_joint_write_load(graph, joint, joint->load);
    b2d_color_set_masks(graph, side_a, side_b, color, true);
    return true;
}

static void copy_rows_of_joint_lane(b2d_graph* graph, int32_t to, const b2d_graph* from, int32_t source) {
    const int32_t to_block = to / B2D_LANES, to_lane = to % B2D_LANES, from_block = source / B2D_LANES,
                  from_lane = source % B2D_LANES;
    b2d_move_lane(&graph->joint_blocks[to_block], to_lane, &from->joint_blocks[from_block], from_lane,
                  sizeof(b2d_joint_block));
    b2d_move_lane(&graph->joint_rows[to_block], to_lane, &from->joint_rows[from_block], from_lane,
                  sizeof(b2d_joint_rows));
    b2d_move_lane(&graph->joint_frames[to_block], to_lane, &from->joint_frames[from_block], from_lane,
                  sizeof(b2d_joint_frames));
    graph->joint_block_rows[to_block] |= from->joint_block_rows[from_block];
}

static void copy_joint_lane(b2d_graph* graph, int32_t to, int32_t from) {
    const int32_t moved = graph->joint_block_joint[from];
    copy_rows_of_joint_lane(graph, to, graph, from);
    graph->joint_block_joint[to] = moved;
    graph->joints[moved].lane_index = to;
}

static void clear_lane(void* block, int32_t lane, size_t size) {
    for (size_t k = 0; k < size / sizeof(uint32_t); k += B2D_LANES) ((uint32_t*)block)[k + (size_t)lane] = 0;
}

static void close_joint_lane(b2d_graph* graph, b2d_color_list* list, int32_t color, int32_t lane_index) {
    list->count--;
    int32_t block = list->blocks[list->count / B2D_LANES], lane = list->count % B2D_LANES,
            last = block * B2D_LANES + lane;
    if (last != lane_index) copy_joint_lane(graph, lane_index, last);
    clear_lane(&graph->joint_blocks[block], lane, sizeof(b2d_joint_block));
    clear_lane(&graph->joint_rows[block], lane, sizeof(b2d_joint_rows));
    clear_lane(&graph->joint_frames[block], lane, sizeof(b2d_joint_frames));
    graph->joint_blocks[block].body_a[lane] = graph->joint_blocks[block].body_b[lane] = B2D_NONE;
    graph->joint_block_joint[last] = B2D_NONE;
    if (lane != 0) return;
    b2d_id_pool_release(&graph->joint_block_ids, block);
    b2d_color_count_block(graph, graph->joint_block_clusters[block], color, -1);
}

void b2d_color_remove_joint(b2d_graph* graph, int32_t id) {
    b2d_joint* joint = &graph->joints[id];
    exchange_joint_impulses(graph, joint, false);
    joint->load = b2d_joint_read_load(graph, id);
    b2d_color_set_masks(graph, joint->body[0], joint->body[1], joint->color, false);
    if (joint->color == B2D_OVERFLOW) b2d_bits_unset(&graph->overflow_joints, id);
    close_joint_lane(graph,
                     b2d_color_joint_list(graph, graph->joint_block_clusters[joint->lane_index / B2D_LANES],
                                          joint->color, joint->fixed),
                     joint->color, joint->lane_index);
    joint->lane_index = B2D_NONE;
    joint->color = -1;
}

// The joint keeps the lane that it has; with `same` that lane is laid out for the same joint, so that only the impulses
// are another's.
bool b2d_color_copy_joint(b2d_graph* graph, int32_t id, const b2d_graph* from, int32_t source, bool same) {
    b2d_joint* joint = &graph->joints[id];
    const bool flip = (joint->flags & B2D_JOINT_FLIP) != 0;
    int32_t to = joint->lane_index;
    if (to != B2D_NONE && same) {
        const int32_t taken = from->joints[source].lane_index;
        joint->impulses = b2d_joint_read_impulses(from, source);
        exchange_joint_impulses(graph, joint, true);
        joint->load = b2d_joint_read_load(from, source);
        b2d_joint_write_load(graph, joint, joint->load);
        // Laying a lane out clears the rows that are off: what was not laid out may have -0 there
        if (taken == B2D_NONE || (from->joint_block_rows[taken / B2D_LANES] & B2D_ROWS_STALE))
            graph->joint_block_rows[to / B2D_LANES] |= B2D_ROWS_STALE;
        return true;
    }
    if (to == B2D_NONE) {
        const int32_t cluster = graph->body_clusters[joint->body[flip]];
        b2d_color_list* list = b2d_color_joint_list(graph, cluster, joint->color, joint->fixed);
        to = joint->lane_index = open_joint_lane(graph, list, cluster);
        if (to == B2D_NONE) return false;
        list->count++;
        if (to % B2D_LANES == 0) b2d_color_count_block(graph, cluster, joint->color, 1);
        if (joint->color == B2D_OVERFLOW) b2d_bits_set(&graph->overflow_joints, id);
        graph->joint_block_joint[to] = id;
    }
    copy_rows_of_joint_lane(graph, to, from, from->joints[source].lane_index);
    graph->joint_blocks[to / B2D_LANES].body_a[to % B2D_LANES] = joint->body[flip];
    graph->joint_blocks[to / B2D_LANES].body_b[to % B2D_LANES] = joint->body[!flip];
    // The lanes of the other graph may have been laid out for a step of another length
    if (memcmp(graph->prepared_settings, from->prepared_settings, sizeof graph->prepared_settings) != 0)
        graph->joint_block_rows[to / B2D_LANES] |= B2D_ROWS_STALE;
    return true;
}

bool b2d_color_recluster_joint(b2d_graph* graph, int32_t id) {
    const b2d_joint* joint = &graph->joints[id];
    int32_t from = joint->lane_index, from_cluster = graph->joint_block_clusters[from / B2D_LANES];
    int32_t cluster = graph->body_clusters[graph->joint_blocks[from / B2D_LANES].body_a[from % B2D_LANES]];
    if (joint->color == B2D_OVERFLOW || cluster == from_cluster) return true;
    b2d_color_list* list = b2d_color_joint_list(graph, cluster, joint->color, joint->fixed);
    int32_t to = open_joint_lane(graph, list, cluster);
    if (to == B2D_NONE) return false;
    list->count++;
    if (to % B2D_LANES == 0) b2d_color_count_block(graph, cluster, joint->color, 1);
    copy_joint_lane(graph, to, from);
    close_joint_lane(graph, b2d_color_joint_list(graph, from_cluster, joint->color, joint->fixed), joint->color, from);
    return true;
}
