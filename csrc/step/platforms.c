// csrc/step/platforms.c - which bodies are swept against kinematic bodies that are not fast themselves.
//
// Idea: seen from a kinematic body, it is a static one. So a body is swept against it if it moves, seen from there, as
// far as bodies do that are swept against static shapes, whoever of the two moves; in the same way, with both motions
// (relative.c). A kinematic body that sleeps is swept against as a static one, and one that is fast searches itself.
// Kinematic bodies are few, so each body that may move so far is compared with them, not with the broad phase. Bodies
// that sleep are found by the platforms.
// Threads: bodies are compared in parallel. Proof: tests/physics/test_platforms.py.
#include "step/platforms.h"

#include "objects/contact.h"
#include "objects/proxy.h"
#include "step/continuous.h"
#include "step/keys.h"

#include <math.h>
#include <stdlib.h>

static float threshold_of(const b2d_world* world, int32_t id) {
    return world->masses[id].safety_factor * world->graph.bodies[id].min_extent;
}

// No shape of a body is nearer to its centre of mass, which may be that of a drum.
static float inner_radius(const b2d_world* world, int32_t id) {
    const b2d_pose* pose = (const b2d_pose*)world->poses.data + id;
    const b2d_vec2 center = b2d_v(pose->cx, pose->cy);
    float inner = 3.0e38f;
    for (int32_t s = world->graph.bodies[id].shape_head; s != B2D_NONE && inner > 0.0f; s = world->shapes[s].next) {
        const b2d_shape_hot* hot = &world->shapes_hot[s];
        const b2d_hull4* second = b2d_world_second(world, hot);
        float apart = hot->count == 1 ? b2d_length(b2d_v(hot->hull.vx[0] - center.x, hot->hull.vy[0] - center.y))
                                      : 0.0f;
        for (int32_t k = 0; k < hot->count && hot->count > 1; k++) {
            const b2d_hull4* hull = k < 4 ? &hot->hull : second;
            const b2d_vec2 normal = b2d_v(hull->nx[k & 3], hull->ny[k & 3]);
            apart = b2d_max(apart, b2d_dot(normal, center) - hull->offset[k & 3]);
        }
        inner = b2d_min(inner, 0.999f * apart - hot->radius);
    }
    return b2d_max(inner, 0.0f);
}

bool b2d_list_platforms(b2d_world* world, b2d_platforms* out) {
    *out = (b2d_platforms){.count = 0};
    if (world->options[B2D_OPTION_CONTINUOUS] == 0.0 || b2d_bits_is_empty(&world->kinematics)) return true;
    const size_t room = (size_t)b2d_bits_count(&world->kinematics);
    out->rows = b2d_arena_take(&world->scratch->arena, room * sizeof *out->rows);
    if (out->rows == NULL) return false;
    B2D_FOR_BITS (&world->kinematics, id) {
        const b2d_body* body = &world->graph.bodies[id];
        if (!b2d_is_awake(&world->graph, id)) {
            out->sleeps = true;
            continue;
        }
        const float travel = b2d_travel(world, id);
        if (body->shape_head == B2D_NONE || !(travel <= threshold_of(world, id))) continue;
        const b2d_pose* pose = b2d_world_pose(world, id);
        const b2d_body_state* state = b2d_world_state(world, id);
        const b2d_vec2 center = b2d_pose_center(pose);
        const b2d_platform row = {.start = *pose,
                                  .x = pose->x + (double)center.x,
                                  .y = pose->y + (double)center.y,
                                  .dx = state->dx,
                                  .dy = state->dy,
                                  .angle = state->angle,
                                  .extent = body->extent,
                                  .travel = travel,
                                  .inner = inner_radius(world, id),
                                  .slack = travel + 5.0f * b2d_linear_slop(world) + 0.01f * body->extent,
                                  .turn = b2d_integrate_rot((b2d_rot){1.0f, 0.0f}, state->angle),
                                  .body = id};
        out->travel = b2d_max(out->travel, travel + b2d_abs(row.angle) * row.slack); // also of what is beside it
        out->turn = b2d_max(out->turn, b2d_abs(row.angle));
        out->rows[out->count++] = row;
    }
    return true;
}

// Whether a body with its centre of mass at this place moves far, seen from the platform.
static bool moves_far_from(const b2d_world* world, const b2d_platform* p, int32_t id, double x, double y) {
    const b2d_body_state* state = (const b2d_body_state*)world->states.data + id;
    const float extent = world->graph.bodies[id].extent;
    const b2d_vec2 lever = b2d_v((float)(x - p->x), (float)(y - p->y));
    const float reach = 1.001f * (p->extent + extent) + p->travel + b2d_travel(world, id) + b2d_linear_slop(world);
    if (b2d_abs(lever.x) > reach || b2d_abs(lever.y) > reach) return false;
    const b2d_vec2 carried = b2d_add(b2d_v(p->dx, p->dy), b2d_sub(b2d_rotate(p->turn, lever), lever));
    return b2d_length(b2d_sub(b2d_v(state->dx, state->dy), carried)) + b2d_abs(state->angle - p->angle) * extent >
           threshold_of(world, id);
}

typedef struct part { // a shape of a platform
    b2d_box box;      // swept
    int32_t shape, cell;
    const b2d_platform* platform;
} part;

typedef struct search {
    b2d_world* world;
    const int32_t* bodies;
    const part* parts; // by cell, then by min_x
    int32_t count;
    float widest;
} search;

static int compare_parts(const void* a, const void* b) {
    const part *x = a, *y = b;
    if (x->cell != y->cell) return (x->cell > y->cell) - (x->cell < y->cell);
    if (x->box.min_x != y->box.min_x) return (x->box.min_x > y->box.min_x) - (x->box.min_x < y->box.min_x);
    return (x->shape > y->shape) - (x->shape < y->shape);
}

static void note(const search* s, const part* p, int32_t shape, b2d_box box, b2d_key_list* keys) {
    if (b2d_box_overlaps(p->box, box) && b2d_world_pair_allowed(s->world, shape, p->shape))
        b2d_key_list_push(keys, (uint64_t)(uint32_t)shape << 32 | (uint32_t)p->shape);
}

// The poses of a body at both ends of its motion.
static void poses_of(const b2d_world* world, int32_t id, b2d_pose* from, b2d_pose* to) {
    const b2d_body_state* state = (const b2d_body_state*)world->states.data + id;
    const bool moved = !b2d_bits_has(&world->scratch->finalize_workers[0].fast, id);
    const float way = moved ? -1.0f : 1.0f;
    b2d_body body = {.turns = 0};
    *from = *to = ((const b2d_pose*)world->poses.data)[id];
    b2d_move_pose(moved ? from : to, &body, way * state->dx, way * state->dy, way * state->angle);
}

static void compare(const search* s, int32_t id, const part* p, b2d_key_list* keys) {
    b2d_world* world = s->world;
    const b2d_body* body = &world->graph.bodies[id];
    const float angle = b2d_world_state(world, id)->angle;
    b2d_pose from, to;
    poses_of(world, id, &from, &to);
    const b2d_vec2 center = b2d_pose_center(&from);
    if (!moves_far_from(world, p->platform, id, from.x + (double)center.x, from.y + (double)center.y)) return;
    for (int32_t shape = body->shape_head; shape != B2D_NONE; shape = world->shapes[shape].next)
        if (world->proxies.proxy_class[shape] != B2D_PROXY_NONE)
            note(s, p, shape, b2d_swept_box(world, shape, &from, &to, body->extent, angle), keys);
}

static void compare_with_parts(void* context, int32_t begin, int32_t end, int32_t worker) {
    const search* s = context;
    b2d_world* world = s->world;
    b2d_key_list* keys = &world->scratch->key_lists[worker];
    for (int32_t k = begin; k < end; k++) {
        const int32_t id = s->bodies[k], cell = b2d_cell_of_body(&world->graph.cells, id);
        const b2d_box path = b2d_path_box(world, id, !b2d_bits_has(&world->scratch->finalize_workers[0].fast, id));
        int32_t low = 0, high = s->count; // the first that may reach the path
        while (low < high) {
            const int32_t middle = (low + high) / 2;
            const part* p = &s->parts[middle];
            if (p->cell < cell || (p->cell == cell && p->box.min_x < path.min_x - s->widest)) low = middle + 1;
            else high = middle;
        }
        for (const part* p = s->parts + low; p < s->parts + s->count; p++) {
            if (p->cell != cell || p->box.min_x > path.max_x) break;
            if (b2d_box_overlaps(p->box, path)) compare(s, id, p, keys);
        }
    }
}

typedef struct sleeper_search {
    const search* all;
    const part* part;
} sleeper_search;

static bool note_sleeper(void* context, int32_t shape) {
    const sleeper_search* s = context;
    const b2d_world* world = s->all->world;
    const int32_t id = world->shapes_hot[shape].body;
    const b2d_pose* pose = (const b2d_pose*)world->poses.data + id;
    const b2d_vec2 center = b2d_pose_center(pose);
    if (world->graph.bodies[id].type == B2D_DYNAMIC &&
        moves_far_from(world, s->part->platform, id, pose->x + (double)center.x, pose->y + (double)center.y))
        note(s->all, s->part, shape, b2d_swept_box(world, shape, pose, pose, 0.0f, 0.0f),
             &world->scratch->key_lists[0]);
    return true;
}

// Fast kinematic bodies are left out.
static bool make_parts(search* s, const b2d_platforms* platforms) {
    b2d_world* world = s->world;
    int32_t count = 0;
    for (int32_t k = 0; k < platforms->count; k++) count += world->graph.bodies[platforms->rows[k].body].shape_count;
    part* parts = b2d_arena_take(&world->scratch->arena, (size_t)(count + 1) * sizeof *parts);
    if (parts == NULL) return false;
    s->parts = parts;
    for (int32_t k = 0; k < platforms->count; k++) {
        const b2d_platform* p = &platforms->rows[k];
        if (b2d_bits_has(&world->scratch->finalize_workers[0].passing, p->body)) continue;
        const b2d_body* body = &world->graph.bodies[p->body];
        for (int32_t shape = body->shape_head; shape != B2D_NONE; shape = world->shapes[shape].next) {
            if (world->proxies.proxy_class[shape] == B2D_PROXY_NONE) continue;
            part* one = &parts[s->count++];
            *one = (part){b2d_swept_box(world, shape, &p->start, b2d_world_pose(world, p->body), p->extent, p->angle),
                          shape, b2d_cell_of_body(&world->graph.cells, p->body), p};
            s->widest = b2d_max(s->widest, 1.001f * (one->box.max_x - one->box.min_x));
        }
    }
    if (s->count > 1) qsort(parts, (size_t)s->count, sizeof *parts, compare_parts);
    return true;
}

bool b2d_list_platform_pairs(b2d_world* world, const b2d_platforms* platforms, b2d_platform_pairs* out) {
    enum { GRAIN = 16 };
    const b2d_bits* near = &world->scratch->finalize_workers[0].near;
    *out = (b2d_platform_pairs){.count = 0};
    if (platforms->count == 0 || (b2d_bits_is_empty(near) && platforms->travel == 0.0f)) return true;
    const int32_t count = b2d_bits_count(near);
    search s = {.world = world};
    int32_t* bodies = b2d_arena_take(&world->scratch->arena, (size_t)(count + 1) * sizeof *bodies);
    if (bodies == NULL || !make_parts(&s, platforms)) return false;
    b2d_bits_list(near, 0, near->word_count, bodies);
    s.bodies = bodies;
    b2d_world_clear_keys(world);
    b2d_parallel_for(world->scheduler, compare_with_parts, &s, count, GRAIN);
    for (int32_t k = 0; k < s.count; k++) {
        sleeper_search sleepers = {&s, &s.parts[k]};
        if (s.parts[k].platform->travel > 0.0f)
            b2d_world_query_near(world, s.parts[k].platform->body, s.parts[k].box, 1u << B2D_PROXY_ASLEEP, note_sleeper,
                                 &sleepers);
    }
    out->keys = b2d_world_join_keys(world, &out->count);
    return out->keys != NULL;
}
