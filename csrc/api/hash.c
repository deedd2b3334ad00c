// csrc/api/hash.c - a 64-bit hash of the state of a world, equal for worlds that simulate identically: the main test
// oracle of the project.
//
// The hash covers existing bodies, touching contacts and joints, each in ascending order of ids. It contains nothing
// that influences only speed: no boxes, islands, colours, lanes or counters. Words are chained, so their order counts;
// floats enter as raw bits.
#include "api/entry.h"
#include "joints/joint_type.h"

#include <string.h>

// One round: xor, then the bijective finaliser of splitmix64 (Steele, Lea, Flood 2014).
static uint64_t mix(uint64_t hash, uint64_t word) {
    uint64_t z = (hash ^ word) + 0x9E3779B97F4A7C15u;
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9u;
    z = (z ^ z >> 27) * 0x94D049BB133111EBu;
    return z ^ z >> 31;
}
static uint64_t mix_double(uint64_t hash, double x) {
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return mix(hash, bits);
}
static uint64_t mix_floats(uint64_t hash, float x, float y) {
    uint32_t bits[2];
    memcpy(&bits[0], &x, sizeof x);
    memcpy(&bits[1], &y, sizeof y);
    return mix(hash, (uint64_t)bits[1] << 32 | bits[0]);
}

// `local` is the id in a world of its own.
static uint64_t mix_body(uint64_t hash, b2d_world* world, int32_t id, int32_t local) {
    const b2d_body* body = &world->graph.bodies[id];
    const b2d_pose* pose = b2d_world_pose(world, id);
    const b2d_body_state* state = b2d_world_state(world, id);
    hash = mix(hash, (uint64_t)(uint32_t)local << 8 | (uint64_t)body->type << 1 |
                         (b2d_is_awake(&world->graph, id) ? 1u : 0u));
    hash = mix_double(hash, pose->x);
    hash = mix_double(hash, pose->y);
    hash = mix_floats(hash, pose->c, pose->s);
    hash = mix_floats(hash, state->vx, state->vy);
    return mix_floats(hash, state->w, body->sleep_timer);
}

static uint64_t mix_contact(uint64_t hash, const b2d_graph* graph, int32_t id, const b2d_cell* cell) {
    const b2d_pair* pair = &graph->pairs[id];
    b2d_contact_record record;
    b2d_contact_record_read(graph, id, &record);
    hash = mix(hash, (uint64_t)(uint32_t)((id - cell->first) / cell->stride));
    hash = mix(hash, (uint64_t)(uint32_t)(pair->shape_a - cell->shape) << 32 | (uint32_t)(pair->shape_b - cell->shape));
    hash = mix(hash, record.feature);
    for (int32_t k = 0; k < 2; k++)
        if ((record.feature >> 16 * k & 0xFFFF) != 0xFFFF)
            hash = mix_floats(hash, record.point[k].normal_impulse, record.point[k].tangent_impulse);
    return pair->flags & B2D_PAIR_EXTRA ? mix_floats(hash, record.rolling_impulse, 0.0f) : hash;
}

static uint64_t mix_joint(uint64_t hash, const b2d_graph* graph, int32_t id, int32_t local) {
    b2d_joint_impulses impulses = b2d_joint_read_impulses(graph, id);
    hash = mix(hash, (uint64_t)(uint32_t)local);
    hash = mix_floats(hash, impulses.point_x, impulses.point_y);
    hash = mix_floats(hash, impulses.angle_spring, impulses.angle_motor);
    hash = mix_floats(hash, impulses.angle_lower, impulses.angle_upper);
    // A joint that has only rows at the point and about the angle, none of them rigid, has no other impulses.
    if (b2d_joint_type_of(&graph->joints[id])->rows == B2D_ROWS_ANGLE && impulses.angle_rigid == 0.0f) return hash;
    hash = mix_floats(hash, impulses.angle_rigid, impulses.coupling);
    hash = mix_floats(hash, impulses.line_spring, impulses.line_motor);
    hash = mix_floats(hash, impulses.line_lower, impulses.line_upper);
    hash = mix_floats(hash, impulses.line_rigid, impulses.across);
    hash = mix_floats(hash, impulses.plane_spring_x, impulses.plane_spring_y);
    return mix_floats(hash, impulses.plane_motor_x, impulses.plane_motor_y);
}

static int32_t next_contact(const b2d_id_pool* ids, int32_t from, int32_t stride) {
    if (stride == 1) return b2d_id_pool_next(ids, from);
    while (from < ids->limit && !b2d_id_pool_has(ids, from)) from += stride;
    return from < ids->limit ? from : B2D_NONE;
}

static int32_t count_ids(const b2d_id_pool* ids, int32_t begin, int32_t end) {
    int32_t count = 0;
    for (int32_t id = b2d_id_pool_next(ids, begin); id != B2D_NONE && id < end; id = b2d_id_pool_next(ids, id + 1))
        count++;
    return count;
}

static int32_t count_touching(const b2d_graph* graph, const b2d_cell* cell) {
    int32_t count = 0;
    for (int32_t id = next_contact(&graph->contact_ids, cell->first, cell->stride); id != B2D_NONE;
         id = next_contact(&graph->contact_ids, id + cell->stride, cell->stride))
        count += (graph->pairs[id].flags & B2D_PAIR_TOUCHING) != 0;
    return count;
}

uint64_t b2d_cell_hash_of(b2d_world* world, int32_t k) {
    const b2d_graph* graph = &world->graph;
    const b2d_cells* cells = &graph->cells;
    const b2d_cell cell = b2d_cell_at(cells, k);
    const bool packed = cells->count > 0;
    const int32_t body_end = packed ? cell.body + cells->bodies : world->body_ids.limit,
                  joint_end = packed ? cell.joint + cells->joints : graph->joint_ids.limit;
    uint64_t hash = 0;
    for (int32_t id = b2d_id_pool_next(&world->body_ids, cell.body); id != B2D_NONE && id < body_end;
         id = b2d_id_pool_next(&world->body_ids, id + 1))
        hash = mix_body(hash, world, id, id - cell.body);
    hash = mix(hash, (uint64_t)(packed ? count_touching(graph, &cell) : graph->touching));
    for (int32_t id = next_contact(&graph->contact_ids, cell.first, cell.stride); id != B2D_NONE;
         id = next_contact(&graph->contact_ids, id + cell.stride, cell.stride))
        if (graph->pairs[id].flags & B2D_PAIR_TOUCHING) hash = mix_contact(hash, graph, id, &cell);
    hash = mix(hash, (uint64_t)(packed ? count_ids(&graph->joint_ids, cell.joint, joint_end) : graph->joint_ids.count));
    for (int32_t id = b2d_id_pool_next(&graph->joint_ids, cell.joint); id != B2D_NONE && id < joint_end;
         id = b2d_id_pool_next(&graph->joint_ids, id + 1))
        hash = mix_joint(hash, graph, id, id - cell.joint);
    return hash;
}

uint64_t b2d_world_hash_of(b2d_world* world) { return b2d_cell_hash_of(world, 0); }

b2d_status b2d_world_hash(b2d_world* world, uint64_t* out) {
    B2D_TRY(b2d_open_read(world));
    *out = b2d_world_hash_of(world);
    return b2d_close_read(world, B2D_OK);
}
