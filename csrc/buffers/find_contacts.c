// csrc/buffers/find_contacts.c - finds the contacts of the caller's colliders, and the bodies that do not rest.
//
// Idea (Barr 2017, document 004): islands are found twice. Before the narrow phase, by overlapping boxes: pairs of
// islands at rest cost no manifold. After it, by contacts: an island that only comes near an awake one rests as well.
// Colliders are numbered by their tags, so that neither contacts nor results depend on where a row lies.
// Cost: proportional to all colliders for the boxes, to the awake ones for the rest. Threads: serial, no shared state.
// Proof: tests/api/test_buffers.py.
#include "base/cpu.h"
#include "base/radix_sort.h"
#include "base/scheduler.h"
#include "buffers/pairs.h"
#include "buffers/rests.h"
#include "narrowphase/collide.h"

#define SLOP 0.005f // m, as in a world with a length unit of 1

_Static_assert(sizeof(b2d_buffer_pose) == sizeof(b2d_pose), "poses are copied as they are");

typedef struct finder {
    b2d_workspace w;
    b2d_buffer_bodies own; // copies of the caller's rows, as all that is read
    const b2d_buffer_bodies* bodies;
    const b2d_buffer_collider* colliders;
    const int32_t* connections;
    int32_t count, connection_count, hull_count, simd;
    int32_t* collider_of; // by shape, which is the rank of its tag among all
    b2d_shape_hot* shapes;
    b2d_hull4* second_hulls;
    b2d_buffer_boxes boxes;
    b2d_rests rests;
    uint64_t* keys; // pairs of shapes, lower << 32 | higher; those at rest come first after sort_pairs
    int64_t pair_count, pair_room;
    uint64_t* sleeping;
    int32_t sleeping_count;
    b2d_pair* pairs;
    int32_t live_count;
    b2d_contact_record* records;
    b2d_bits begun, ended, parted;
    b2d_collide_worker worker;
    b2d_shared_records shared;
} finder;

static b2d_status copy_rows(finder* f, const b2d_buffer_bodies* bodies) {
    const b2d_buffer_collider* colliders = f->colliders;
    const int32_t* connections = f->connections;
    f->own.count = bodies->count;
    B2D_WORKSPACE_COPY(&f->w, f->own.poses, bodies->poses, bodies->count);
    B2D_WORKSPACE_COPY(&f->w, f->own.masses, bodies->masses, bodies->count);
    B2D_WORKSPACE_COPY(&f->w, f->own.velocities, bodies->velocities, bodies->count);
    B2D_WORKSPACE_COPY(&f->w, f->own.idle, bodies->idle, bodies->count);
    B2D_WORKSPACE_COPY(&f->w, f->colliders, colliders, f->count);
    B2D_WORKSPACE_COPY(&f->w, f->connections, connections, 2 * (int64_t)f->connection_count);
    f->bodies = f->rests.bodies = &f->own;
    b2d_status status = b2d_workspace_fits(&f->w, 0);
    if (status == B2D_OK) status = b2d_buffer_check_bodies(f->bodies, f->w.fault);
    if (status == B2D_OK) status = b2d_buffer_check_colliders(f->colliders, f->count, f->own.count, f->w.fault);
    if (status == B2D_OK)
        status = b2d_buffer_check_connections(f->connections, f->connection_count, f->own.count, f->w.fault);
    return status;
}

static const b2d_buffer_collider* collider_at(const finder* f, int32_t shape) {
    return &f->colliders[f->collider_of[shape]];
}

// The rows that the kernels read; the copy is aligned to lines.
static const b2d_pose* poses_of(const finder* f) { return (const b2d_pose*)(const void*)f->own.poses; }

// Ranks the colliders by their tags.
static b2d_status rank_colliders(finder* f) {
    uint64_t* keys;
    B2D_WORKSPACE_TAKE(&f->w, keys, 2 * (int64_t)f->count);
    B2D_WORKSPACE_TAKE(&f->w, f->collider_of, f->count);
    const b2d_status status = b2d_workspace_fits(&f->w, 0);
    if (status != B2D_OK) return status;
    for (int32_t k = 0; k < f->count; k++) keys[k] = (uint64_t)f->colliders[k].tag << 32 | (uint32_t)k;
    b2d_radix_sort(keys, keys + f->count, f->count);
    for (int32_t k = 0; k < f->count; k++) {
        f->collider_of[k] = (int32_t)(uint32_t)keys[k];
        if (k > 0 && keys[k] >> 32 == keys[k - 1] >> 32)
            return b2d_buffer_wrong(f->w.fault, B2D_ARG_COLLIDERS, f->collider_of[k], "another collider has its tag");
        f->hull_count += collider_at(f, k)->count > 4;
    }
    return B2D_OK;
}

static void make_shape(finder* f, int32_t shape, int32_t* hulls) {
    const b2d_buffer_collider* c = collider_at(f, shape);
    b2d_geometry geometry = {.count = c->count, .radius = c->radius};
    geometry.type = c->count == 1 ? B2D_CIRCLE : c->count == 2 ? B2D_CAPSULE : B2D_POLYGON;
    for (int32_t k = 0; k < c->count; k++) geometry.x[k] = c->x[k], geometry.y[k] = c->y[k];
    b2d_shape_hot* hot = &f->shapes[shape];
    *hot = (b2d_shape_hot){.body = c->body, .second_hull = B2D_NONE};
    b2d_shape_hot_make(&geometry, hot, &f->second_hulls[*hulls]);
    if (c->count > 4) hot->second_hull = (*hulls)++;
}

// The rows that the kernels read, and boxes that overlap where shapes come within the speculative distance.
static b2d_status make_shapes(finder* f) {
    int32_t *bodies, hulls = 0;
    uint8_t* moves;
    const int32_t body_count = f->bodies->count;
    B2D_WORKSPACE_TAKE(&f->w, f->shapes, f->count);
    B2D_WORKSPACE_TAKE(&f->w, f->second_hulls, f->hull_count + 1); // the last one is written for nothing
    float** columns[4] = {&f->boxes.min_x, &f->boxes.min_y, &f->boxes.max_x, &f->boxes.max_y};
    for (int32_t k = 0; k < 4; k++) B2D_WORKSPACE_TAKE(&f->w, *columns[k], f->count);
    B2D_WORKSPACE_TAKE(&f->w, bodies, f->count);
    B2D_WORKSPACE_TAKE(&f->w, moves, body_count);
    B2D_WORKSPACE_TAKE(&f->w, f->rests.parents, body_count);
    B2D_WORKSPACE_TAKE(&f->w, f->rests.awake, body_count);
    const b2d_status status = b2d_workspace_fits(&f->w, 0);
    if (status != B2D_OK) return status;
    const b2d_pose* poses = poses_of(f);
    for (int32_t k = 0; k < body_count; k++) moves[k] = b2d_buffer_moves(f->bodies, k);
    for (int32_t k = 0; k < f->count; k++) {
        make_shape(f, k, &hulls);
        const b2d_shape_hot* hot = &f->shapes[k];
        const b2d_hull4* second = &f->second_hulls[b2d_max_int(hot->second_hull, 0)];
        const b2d_box box = b2d_box_grow(b2d_shape_box(hot, second, &poses[hot->body]), 2.0f * SLOP);
        f->boxes.min_x[k] = box.min_x, f->boxes.min_y[k] = box.min_y;
        f->boxes.max_x[k] = box.max_x, f->boxes.max_y[k] = box.max_y;
        bodies[k] = hot->body;
    }
    f->boxes.bodies = bodies, f->boxes.moves = moves, f->boxes.count = f->count;
    return B2D_OK;
}

static void add_pair(void* context, int32_t shape_a, int32_t shape_b) {
    finder* f = context;
    if (f->keys == NULL) { // the first one: all that the search needs has been taken
        f->keys = (uint64_t*)(void*)(f->w.bytes + f->w.used);
        f->pair_room = (f->w.size - f->w.used) / (int64_t)sizeof *f->keys;
    }
    if (f->pair_count < f->pair_room) f->keys[f->pair_count] = (uint64_t)(uint32_t)shape_a << 32 | (uint32_t)shape_b;
    f->pair_count++;
}

static uint64_t tag_of(const finder* f, uint64_t key) { // ranks ascend with the tags
    return (uint64_t)collider_at(f, (int32_t)(key >> 32))->tag << 32 | collider_at(f, (int32_t)(uint32_t)key)->tag;
}

static void note_sleeping(finder* f, uint64_t key) { f->sleeping[f->sleeping_count++] = tag_of(f, key); }

static int32_t body_of(const finder* f, int32_t shape) { return f->shapes[shape].body; }

static bool is_awake_pair(const finder* f, uint64_t key) {
    return b2d_rests_is_awake(&f->rests, body_of(f, (int32_t)(key >> 32))) ||
           b2d_rests_is_awake(&f->rests, body_of(f, (int32_t)(uint32_t)key));
}

// All pairs in ascending order. Pairs of islands at rest go to the sleeping ones, the others stay.
static b2d_status find_pairs(finder* f) {
    b2d_status status = b2d_buffer_find_pairs(&f->boxes, f->simd, &f->w, add_pair, f);
    if (status != B2D_OK) return status;
    uint64_t *keys, *scratch;
    const int64_t count = f->pair_count;
    if (count > INT32_MAX / 2) return b2d_buffer_no_room(f->w.fault, B2D_ARG_ARENA, INT64_MAX);
    B2D_WORKSPACE_TAKE(&f->w, keys, count);
    B2D_WORKSPACE_TAKE(&f->w, scratch, count);
    B2D_WORKSPACE_TAKE(&f->w, f->sleeping, 2 * count); // the second half is scratch for sorting
    status = b2d_workspace_fits(&f->w, count * (int64_t)(sizeof(b2d_pair) + sizeof(b2d_contact_record) + 16) + 1024);
    if (status != B2D_OK) return status;
    f->keys = keys; // where they have been written
    b2d_radix_sort(keys, scratch, (int32_t)count);
    b2d_rests_begin(&f->rests);
    b2d_rests_connect(&f->rests, f->connections, f->connection_count);
    for (int64_t k = 0; k < count; k++)
        b2d_rests_link(&f->rests, body_of(f, (int32_t)(keys[k] >> 32)), body_of(f, (int32_t)(uint32_t)keys[k]));
    for (int64_t k = 0; k < count; k++) {
        if (is_awake_pair(f, keys[k])) keys[f->live_count++] = keys[k];
        else note_sleeping(f, keys[k]);
    }
    return B2D_OK;
}

// Which shape the kernels take as their first, and which body is side A: the rules of objects/contact.c.
static b2d_pair make_pair(const finder* f, uint64_t key) {
    int32_t a = (int32_t)(key >> 32), b = (int32_t)(uint32_t)key;
    const bool hulls = f->shapes[a].form != B2D_FORM_POINT && f->shapes[b].form != B2D_FORM_POINT,
               moves_low = b2d_buffer_moves(f->bodies, body_of(f, a)),
               moves_high = b2d_buffer_moves(f->bodies, body_of(f, b));
    if (hulls && moves_low != moves_high ? moves_low : f->shapes[b].form > f->shapes[a].form) {
        const int32_t low = a;
        a = b, b = low;
    }
    const bool moves_a = b2d_buffer_moves(f->bodies, body_of(f, a)),
               moves_b = b2d_buffer_moves(f->bodies, body_of(f, b));
    const float extent_a = f->shapes[a].extent, extent_b = f->shapes[b].extent;
    const bool flips = moves_a != moves_b ? moves_b : extent_a != extent_b ? extent_b < extent_a : b < a;
    return (b2d_pair){.shape_a = a,
                      .shape_b = b,
                      .body_a = body_of(f, a),
                      .body_b = body_of(f, b),
                      .lane_index = B2D_NONE,
                      .record = B2D_NONE,
                      .bucket = (uint8_t)b2d_bucket_of(f->shapes[a].form, f->shapes[b].form),
                      .flags = flips ? B2D_PAIR_FLIP : 0};
}

static b2d_status find_manifolds(finder* f) {
    int32_t *ids, first[B2D_BUCKET_COUNT + 1] = {0};
    B2D_WORKSPACE_TAKE(&f->w, f->pairs, f->live_count);
    B2D_WORKSPACE_TAKE(&f->w, f->records, f->live_count);
    B2D_WORKSPACE_TAKE(&f->w, ids, f->live_count);
    f->worker = (b2d_collide_worker){.begun = b2d_workspace_take_bits(&f->w, f->live_count),
                                     .ended = b2d_workspace_take_bits(&f->w, f->live_count),
                                     .parted = b2d_workspace_take_bits(&f->w, f->live_count)};
    const b2d_status status = b2d_workspace_fits(&f->w, 0);
    if (status != B2D_OK) return status;
    b2d_workspace_clear_bits(&f->worker.begun);
    b2d_workspace_clear_bits(&f->worker.ended);
    b2d_workspace_clear_bits(&f->worker.parted);
    f->shared = (b2d_shared_records){.rows = f->records, .capacity = f->live_count};
    for (int32_t k = 0; k < f->live_count; k++) {
        f->pairs[k] = make_pair(f, f->keys[k]);
        first[f->pairs[k].bucket + 1]++;
    }
    for (int32_t bucket = 0; bucket < B2D_BUCKET_COUNT; bucket++) first[bucket + 1] += first[bucket];
    int32_t next[B2D_BUCKET_COUNT];
    memcpy(next, first, sizeof next);
    for (int32_t k = 0; k < f->live_count; k++) ids[next[f->pairs[k].bucket]++] = k;
    const b2d_collide_context context = {.poses = poses_of(f),
                                         .shapes = f->shapes,
                                         .second_hulls = f->second_hulls,
                                         .fat_min_x = f->boxes.min_x,
                                         .fat_min_y = f->boxes.min_y,
                                         .fat_max_x = f->boxes.max_x,
                                         .fat_max_y = f->boxes.max_y,
                                         .pairs = f->pairs,
                                         .speculative_distance = 4.0f * SLOP,
                                         .linear_slop = SLOP,
                                         .workers = &f->worker,
                                         .shared = &f->shared};
    for (int32_t bucket = 0; bucket < B2D_BUCKET_COUNT; bucket++) {
        const int32_t count = first[bucket + 1] - first[bucket];
        if (count == 0) continue;
        b2d_collide_kernel(b2d_simd_for(f->simd, count))(&context, bucket, ids + first[bucket], count, 0);
    }
    return B2D_OK;
}

// ---- the results

static b2d_buffer_contact make_contact(const finder* f, int32_t id) {
    const b2d_pair* pair = &f->pairs[id];
    const b2d_contact_record* record = b2d_begun_record(&f->shared, &f->worker, pair->record);
    const bool flip = (pair->flags & B2D_PAIR_FLIP) != 0;
    const b2d_buffer_collider *a = collider_at(f, flip ? pair->shape_b : pair->shape_a),
                              *b = collider_at(f, flip ? pair->shape_a : pair->shape_b);
    b2d_buffer_contact c = {.tag = tag_of(f, f->keys[id]),
                            .body_a = a->body,
                            .body_b = b->body,
                            .normal = {record->nx, record->ny},
                            .friction = sqrtf(a->friction * b->friction),
                            .restitution = b2d_max(a->restitution, b->restitution),
                            .rolling_resistance = b2d_max(a->rolling_resistance, b->rolling_resistance) *
                                                  b2d_max(a->radius, b->radius),
                            .tangent_speed = a->tangent_speed + b->tangent_speed,
                            .radius_a = a->radius,
                            .radius_b = b->radius};
    for (int32_t j = 0; j < 2; j++) { // the tangent is (n.y, -n.x)
        c.feature[j] = (uint16_t)(record->feature >> 16 * j & 0xFFFF);
        if (c.feature[j] == 0xFFFF) continue;
        const float arm = record->point[j].normal_arm, along = record->point[j].along_normal;
        c.lever[j][0] = along * record->nx + arm * record->ny;
        c.lever[j][1] = along * record->ny - arm * record->nx;
        c.separation[j] = record->point[j].initial_separation;
    }
    return c;
}

// Islands by contacts, then all results. Nothing is written before it is known that everything has room.
static b2d_status write_results(finder* f, b2d_buffer_found* found) {
    const b2d_bits* begun = &f->worker.begun;
    int32_t contacts = 0, active = 0;
    b2d_rests_begin(&f->rests);
    b2d_rests_connect(&f->rests, f->connections, f->connection_count);
    B2D_FOR_BITS (begun, id) b2d_rests_link(&f->rests, f->pairs[id].body_a, f->pairs[id].body_b);
    for (int32_t k = 0; k < f->live_count; k++) {
        const bool awake = is_awake_pair(f, f->keys[k]);
        if (!awake) note_sleeping(f, f->keys[k]);
        contacts += awake && b2d_bits_has(begun, k);
    }
    for (int32_t k = 0; k < f->bodies->count; k++)
        active += b2d_rests_is_awake(&f->rests, k) || b2d_buffer_carries(f->bodies, k);
    if (contacts > found->contact_room) return b2d_buffer_no_room(f->w.fault, B2D_ARG_CONTACTS, contacts);
    if (f->sleeping_count > found->sleeping_room)
        return b2d_buffer_no_room(f->w.fault, B2D_ARG_SLEEPING, f->sleeping_count);
    if (active > found->active_room) return b2d_buffer_no_room(f->w.fault, B2D_ARG_ACTIVE, active);

    found->contact_count = found->active_count = 0;
    B2D_FOR_BITS (begun, id)
        if (is_awake_pair(f, f->keys[id])) found->contacts[found->contact_count++] = make_contact(f, id);
    for (int32_t k = 0; k < f->bodies->count; k++)
        if (b2d_rests_is_awake(&f->rests, k) || b2d_buffer_carries(f->bodies, k))
            found->active[found->active_count++] = k;
    b2d_radix_sort(f->sleeping, f->sleeping + f->sleeping_count, f->sleeping_count);
    found->sleeping_count = f->sleeping_count;
    if (f->sleeping_count > 0) memcpy(found->sleeping, f->sleeping, (size_t)f->sleeping_count * sizeof *f->sleeping);
    found->broad_pairs = (int32_t)f->pair_count;
    found->narrow_pairs = f->live_count;
    return B2D_OK;
}

b2d_status b2d_buffers_collide(const b2d_buffer_bodies* bodies, const b2d_buffer_collider* colliders,
                               int32_t collider_count, const int32_t* connections, int32_t connection_count,
                               int32_t idle_limit, b2d_buffer_found* found, void* arena, int64_t arena_size,
                               b2d_buffer_fault* fault) {
    finder f = {.w = b2d_workspace_open(arena, arena_size, fault),
                .colliders = colliders,
                .connections = connections,
                .count = collider_count,
                .connection_count = connection_count,
                .rests.idle_limit = idle_limit,
                .simd = b2d_cpu_best()};
    if (idle_limit < 1 || idle_limit > 255)
        return b2d_buffer_wrong(fault, B2D_ARG_IDLE_LIMIT, B2D_NONE, "must be 1 to 255");
    b2d_status status = copy_rows(&f, bodies);
    if (status != B2D_OK) return status;
    const uint32_t saved = b2d_float_enter();
    status = rank_colliders(&f);
    if (status == B2D_OK) status = make_shapes(&f);
    if (status == B2D_OK) status = find_pairs(&f);
    if (status == B2D_OK) status = find_manifolds(&f);
    if (status == B2D_OK) status = write_results(&f, found);
    b2d_float_leave(saved);
    return status;
}
