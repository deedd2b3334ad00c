// csrc/api/draw.c - the API for drawing: bodies, shapes, joints and boxes in bulk, one call of each kind for a picture.
//
// Cost: 5-20 ns per row. Threads: readers only. Proof: tests/api/test_bulk.py.
#include "api/entry.h"
#include "api/query.h"
#include "joints/joint_type.h"
#include "objects/joint.h"

b2d_status b2d_world_shape_changes(b2d_world* world, uint32_t* out) {
    B2D_TRY(b2d_open_read(world));
    *out = world->shape_changes;
    return b2d_close_read(world, B2D_OK);
}

b2d_status b2d_world_bodies(b2d_world* world, b2d_body_data* out, int32_t room, int32_t* count) {
    B2D_TRY(b2d_open_read(world));
    const b2d_graph* graph = &world->graph;
    int32_t rows = b2d_min_int(world->body_generation_capacity, world->body_ids.limit);
    *count = rows;
    for (int32_t id = 0; id < b2d_min_int(rows, room); id++) {
        const b2d_body* body = &graph->bodies[id];
        out[id] = (b2d_body_data){.type = -1, .island = B2D_NONE};
        if (world->body_generations[id] == 0) continue;
        out[id] = (b2d_body_data){.type = body->type,
                                  .island = body->island,
                                  .awake = b2d_is_awake(graph, id),
                                  .enabled = (body->flags & B2D_BODY_FLAG_ENABLED) != 0,
                                  .bullet = (body->flags & B2D_BODY_FLAG_BULLET) != 0,
                                  .fast = id / 64 < world->swept.word_count && b2d_bits_has(&world->swept, id),
                                  .sleep_timer = body->sleep_timer};
    }
    return b2d_close_read(world, B2D_OK);
}

b2d_status b2d_world_shapes(b2d_world* world, b2d_shape_data* out, int32_t room, int32_t* count) {
    B2D_TRY(b2d_open_read(world));
    *count = world->shape_ids.count;
    int32_t written = 0;
    for (int32_t id = b2d_id_pool_next(&world->shape_ids, 0); id != B2D_NONE && written < room;
         id = b2d_id_pool_next(&world->shape_ids, id + 1)) {
        const b2d_shape_hot* hot = &world->shapes_hot[id];
        const b2d_shape* cold = &world->shapes[id];
        b2d_geometry geometry = {0};
        b2d_shape_hot_geometry(hot, b2d_world_second(world, hot), cold->type, &geometry);
        b2d_shape_data* row = &out[written++];
        *row = (b2d_shape_data){.generation = world->shape_generations[id],
                                .shape = id,
                                .body = hot->body,
                                .type = cold->type,
                                .count = geometry.count,
                                .radius = geometry.radius,
                                .color = cold->color,
                                .material = cold->material,
                                .sensor = (cold->flags & B2D_SHAPE_FLAG_SENSOR) != 0,
                                .enabled = (world->graph.bodies[hot->body].flags & B2D_BODY_FLAG_ENABLED) != 0};
        memcpy(row->x, geometry.x, sizeof row->x);
        memcpy(row->y, geometry.y, sizeof row->y);
    }
    return b2d_close_read(world, B2D_OK);
}

b2d_status b2d_world_vertices(b2d_world* world, double* out, int32_t room, int32_t* count) {
    B2D_TRY(b2d_open_read(world));
    *count = world->shape_ids.count;
    int32_t written = 0;
    for (int32_t id = b2d_id_pool_next(&world->shape_ids, 0); id != B2D_NONE && written < room;
         id = b2d_id_pool_next(&world->shape_ids, id + 1)) {
        const b2d_shape_hot* hot = &world->shapes_hot[id];
        const b2d_pose* pose = (const b2d_pose*)world->poses.data + hot->body;
        const b2d_proxy proxy = b2d_shape_proxy(hot, b2d_world_second(world, hot));
        b2d_point64 points[8];
        b2d_place_points(&proxy, pose->x, pose->y, (b2d_rot){pose->c, pose->s}, points);
        for (int32_t i = proxy.count; i < 8; i++) points[i] = points[proxy.count - 1];
        memcpy(out + 16 * (size_t)written++, points, sizeof points);
    }
    return b2d_close_read(world, B2D_OK);
}

static b2d_joint_data describe_joint(b2d_world* world, int32_t id) {
    const b2d_graph* graph = &world->graph;
    const b2d_joint* joint = &graph->joints[id];
    const bool has_ground = b2d_joint_type_of(joint)->properties[B2D_JOINT_GROUND_ANCHOR_A].kind != B2D_PROPERTY_ABSENT;
    b2d_joint_data data = {.generation = graph->joint_generations[id],
                           .joint = id,
                           .type = joint->type,
                           .body_a = joint->body[0],
                           .body_b = joint->body[1],
                           .lower = joint->lower,
                           .upper = joint->upper,
                           .color = joint->color,
                           .limited = (joint->flags & B2D_JOINT_LIMIT) != 0,
                           .motor = (joint->flags & B2D_JOINT_MOTOR) != 0,
                           .spring = (joint->flags & B2D_JOINT_SPRING) != 0,
                           .awake = b2d_world_joint_solved(world, id)};
    double* anchors[2] = {&data.ax, &data.bx};
    double* centers[2] = {&data.center_ax, &data.center_bx};
    double* grounds[2] = {&data.ground_ax, &data.ground_bx};
    float* angles[2] = {&data.angle_a, &data.angle_b};
    for (int32_t side = 0; side < 2; side++) {
        const b2d_pose* pose = b2d_world_pose(world, joint->body[side]);
        b2d_rot q = {pose->c, pose->s};
        b2d_vec2 anchor = b2d_rotate(q, joint->anchor[side]), center = b2d_pose_center(pose);
        anchors[side][0] = pose->x + (double)anchor.x;
        anchors[side][1] = pose->y + (double)anchor.y;
        centers[side][0] = pose->x + (double)center.x;
        centers[side][1] = pose->y + (double)center.y;
        for (int32_t k = 0; k < 2; k++) grounds[side][k] = has_ground ? joint->ground[side][k] : anchors[side][k];
        b2d_rot frame = b2d_rot_multiply(q, b2d_make_rot((double)joint->frame_angle[side]));
        *angles[side] = b2d_atan2(frame.s, frame.c);
        if (side == 0) data.axis_x = frame.c, data.axis_y = frame.s;
    }
    const b2d_joint_load load = b2d_joint_read_load(&world->graph, id);
    data.force_x = (double)load.x, data.force_y = (double)load.y, data.torque = (double)load.torque;
    return data;
}

b2d_status b2d_world_joints(b2d_world* world, b2d_joint_data* out, int32_t room, int32_t* count) {
    B2D_TRY(b2d_open_read(world));
    const b2d_id_pool* ids = &world->graph.joint_ids;
    *count = ids->count;
    int32_t written = 0;
    for (int32_t id = b2d_id_pool_next(ids, 0); id != B2D_NONE && written < room; id = b2d_id_pool_next(ids, id + 1))
        out[written++] = describe_joint(world, id);
    return b2d_close_read(world, B2D_OK);
}

typedef struct box_list {
    b2d_box_data* out;
    int32_t room, count;
} box_list;

static void add_box(box_list* list, b2d_box box, int32_t shape, int32_t level) {
    if (list->count < list->room)
        list->out[list->count] = (b2d_box_data){box.min_x, box.min_y, box.max_x, box.max_y, shape, level};
    list->count++;
}

static void add_node(void* context, b2d_box box, int32_t level) { add_box(context, box, B2D_NONE, level); }

b2d_status b2d_world_boxes(b2d_world* world, int32_t what, b2d_box_data* out, int32_t room, int32_t* count) {
    if (what < 0 || what >= B2D_BOXES_COUNT) return b2d_error(B2D_OUT_OF_RANGE, B2D_ARG_TYPE);
    B2D_TRY(b2d_open_query(world));
    box_list list = {out, room, 0};
    if (what == B2D_BOXES_NODES) {
        if (world->broadphase_table->boxes != NULL) world->broadphase_table->boxes(world->broadphase, add_node, &list);
    } else {
        const b2d_proxies* p = &world->proxies;
        for (int32_t id = b2d_id_pool_next(&world->shape_ids, 0); id != B2D_NONE;
             id = b2d_id_pool_next(&world->shape_ids, id + 1)) {
            const b2d_shape_hot* hot = &world->shapes_hot[id];
            b2d_box fat = {p->fat_min_x[id], p->fat_min_y[id], p->fat_max_x[id], p->fat_max_y[id]};
            bool tight = what == B2D_BOXES_TIGHT;
            add_box(&list,
                    tight ? b2d_shape_box(hot, b2d_world_second(world, hot), b2d_world_pose(world, hot->body)) : fat,
                    id, 0);
        }
    }
    *count = list.count;
    return b2d_close_read(world, B2D_OK);
}
