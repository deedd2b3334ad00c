// csrc/narrowphase/collide_wide.inl - the narrow phase, written once for V_LANES contacts at a time.
//
// Idea: recycling works in place, on whole blocks. For full manifolds a scalar pass drops the contacts whose fat boxes
// no longer overlap and puts what the lanes need of the others into a queue; manifolds are then computed for V_LANES
// entries of the queue at a time. No lane reads another lane, so neither the width nor the order of the queue changes a
// bit. The last batch of a queue is filled up by repeating the last entry.
// Frames: kernels work in the body frame of shape_a; what is stored is in the frame of side A (the body of shape_b if
// flipped).
// Threads: see collide.h. Proof: tests/c/test_narrowphase.c.

#include "narrowphase/collide.h"
#include "narrowphase/internal_edge.h"
#include "narrowphase/manifold_wide.inl"

enum { QUEUE_SIZE = 64 }; // contacts: a multiple of every width; the queue stays in the first-level cache

typedef struct full_queue {                                      // contacts that need a full manifold
    _Alignas(64) float dx[QUEUE_SIZE], dy[QUEUE_SIZE];           // origin of body b less that of body a, world axes
    _Alignas(64) float flip[QUEUE_SIZE];                         // 1 when side A is body b, else 0
    _Alignas(64) float reach[QUEUE_SIZE];                        // m, up to which a manifold is looked for
    _Alignas(64) int32_t hull_a[QUEUE_SIZE], hull_b[QUEUE_SIZE]; // first 32-byte row of the shape
    const float *pose_a[QUEUE_SIZE], *pose_b[QUEUE_SIZE];        // cosine, sine, local centre
    int32_t id[QUEUE_SIZE], lane_index[QUEUE_SIZE];
    uint64_t internal_edges; // bit k: contact k has B2D_PAIR_INTERNAL_EDGES
    int32_t count;
    bool one_way;        // some contact has B2D_PAIR_ONE_WAY
    b2d_manifold* found; // NULL; otherwise only the manifolds are wanted, here
} full_queue;

// Rows of the results of a batch, in the form of a record; every lane is computed, and scalar code stores those that
// are needed.
enum {
    ROW_NORMAL_X,
    ROW_NORMAL_Y,
    ROW_NORMAL_ARM_SHIFT,
    ROW_ALONG_NORMAL_SHIFT,
    ROW_POSE_X,
    ROW_POSE_Y,
    ROW_POSE_COSINE,
    ROW_POSE_SINE,
    ROW_LOCAL_NORMAL_X,
    ROW_LOCAL_NORMAL_Y,
    ROW_NORMAL_ARM0,
    ROW_ALONG_NORMAL0,
    ROW_SEPARATION0,
    ROW_FEATURE0,
    ROW_NORMAL_ARM1,
    ROW_ALONG_NORMAL1,
    ROW_SEPARATION1,
    ROW_FEATURE1,
    ROW_CURVATURE,
    ROW_COUNT
};

typedef float result_rows[ROW_COUNT][V_LANES < 16 ? 16 : V_LANES];

V_FN uint32_t feature_of(const result_rows out, int i) {
    return (uint32_t)(int32_t)out[ROW_FEATURE0][i] | (uint32_t)(int32_t)out[ROW_FEATURE1][i] << 16;
}

// The arm of point k in the middle of the step.
V_FN float arm_ahead(const result_rows out, int i, int k, float radius, float turn) {
    const int row = k == 0 ? ROW_NORMAL_ARM0 : ROW_NORMAL_ARM1; // along_normal and the separation follow
    return b2d_turned_arm(out[row][i], b2d_core_along(out[row + 1][i], radius, out[row + 2][i]), -turn);
}

// Of the lanes in `has`, those whose points count: contacts of one-way shapes that pass through each other are dropped.
V_ONCE uint32_t drop_passing(const b2d_collide_context* context, const full_queue* queue, int from, int count,
                             const result_rows out, uint32_t has) {
    for (int i = 0; i < count; i++) {
        int32_t id = queue->id[from + i];
        if ((context->pairs[id].flags & B2D_PAIR_ONE_WAY) == 0) continue;
        b2d_contact_record record = {.nx = out[ROW_NORMAL_X][i],
                                     .ny = out[ROW_NORMAL_Y][i],
                                     .normal_arm_shift = out[ROW_NORMAL_ARM_SHIFT][i],
                                     .along_normal_shift = out[ROW_ALONG_NORMAL_SHIFT][i]};
        record.point[0].normal_arm = out[ROW_NORMAL_ARM0][i], record.point[0].along_normal = out[ROW_ALONG_NORMAL0][i],
        record.point[0].separation = out[ROW_SEPARATION0][i];
        record.point[1].normal_arm = out[ROW_NORMAL_ARM1][i], record.point[1].along_normal = out[ROW_ALONG_NORMAL1][i],
        record.point[1].separation = out[ROW_SEPARATION1][i];
        record.feature = has >> i & 1u ? feature_of(out, i) : 0xffffffffu;
        if (context->passes_through(context->world, id, &record)) has &= ~(1u << i);
    }
    return has;
}

// Takes a record for a contact that begins, and its number; NULL: no memory.
static b2d_contact_record* take_record(const b2d_collide_context* context, int32_t worker_index, int32_t* number) {
    b2d_shared_records* shared = context->shared;
    if (shared != NULL && atomic_load_explicit(&shared->taken, memory_order_relaxed) < shared->capacity) {
        const int32_t at = atomic_fetch_add_explicit(&shared->taken, 1, memory_order_relaxed);
        *number = B2D_SHARED_RECORDS << 24 | at;
        if (at < shared->capacity) return &shared->rows[at];
    }
    b2d_collide_worker* worker = &context->workers[worker_index];
    if (worker->record_count > B2D_LAST_RECORD) return NULL; // its number has 24 bits
    const int32_t count = worker->record_count;
    if (count == worker->record_capacity &&
        !B2D_GROW(worker->memory, worker->records, worker->record_capacity, b2d_max_int(2 * count, 64)))
        return NULL;
    *number = worker_index << 24 | worker->record_count;
    return &worker->records[worker->record_count++];
}

V_FN void write_manifolds(const b2d_collide_context* context, const wide_manifold* m, int count, b2d_manifold* out) {
    enum { ROWS = V_LANES < 16 ? 16 : V_LANES };
    _Alignas(64) float normal[2][ROWS], point[2][4][ROWS];
    v_store(normal[0], m->normal.x), v_store(normal[1], m->normal.y);
    for (int k = 0; k < 2; k++) {
        v_store(point[k][0], m->point[k].x), v_store(point[k][1], m->point[k].y);
        v_store(point[k][2], m->separation[k]), v_store(point[k][3], m->feature[k]);
    }
    const uint32_t first = m_bits(m->has[0]), // a far point is not wanted
        second = m_bits(m_and(m->has[1], v_le(m->separation[1], v_set(context->speculative_distance))));
    for (int i = 0; i < count; i++) {
        const int32_t points = second >> i & 1u ? 2 : (int32_t)(first >> i & 1u);
        out[i] = (b2d_manifold){.normal = {normal[0][i], normal[1][i]}, .feature = {0xffff, 0xffff}, .count = points};
        for (int32_t k = 0; k < points; k++) {
            out[i].point[k] = b2d_v(point[k][0][i], point[k][1][i]);
            out[i].separation[k] = point[k][2][i];
            out[i].feature[k] = (uint16_t)point[k][3][i];
        }
    }
}

// Corrects contacts with adjoining terrain shapes, lane by lane.
V_ONCE void correct_internal_edges(const b2d_collide_context* context, const full_queue* queue, int from,
                                   uint32_t internal_edges, const wide_pose* q, wide_manifold* m) {
    enum { ROWS = V_LANES < 16 ? 16 : V_LANES };
    _Alignas(64) float pose[4][ROWS], row[12][ROWS];
    v_store(pose[0], q->p.x), v_store(pose[1], q->p.y), v_store(pose[2], q->c), v_store(pose[3], q->s);
    v_store(row[0], m->normal.x), v_store(row[1], m->normal.y);
    for (int k = 0; k < 2; k++) {
        v_store(row[2 + 4 * k], m->point[k].x), v_store(row[3 + 4 * k], m->point[k].y);
        v_store(row[4 + 4 * k], m->separation[k]), v_store(row[5 + 4 * k], m->feature[k]);
    }
    uint32_t has[2] = {m_bits(m->has[0]), m_bits(m->has[1])};
    for (uint32_t left = internal_edges & has[0]; left != 0; left &= left - 1) {
        int i = b2d_ctz64(left);
        b2d_manifold one = {.normal = {row[0][i], row[1][i]}, .count = has[1] >> i & 1u ? 2 : 1};
        for (int k = 0; k < 2; k++) {
            one.point[k] = b2d_v(row[2 + 4 * k][i], row[3 + 4 * k][i]);
            one.separation[k] = row[4 + 4 * k][i];
            one.feature[k] = (uint16_t)row[5 + 4 * k][i];
        }
        b2d_internal_edges_correct(context, queue->id[from + i], queue->reach[from + i],
                                   (b2d_transform){{pose[0][i], pose[1][i]}, {pose[2][i], pose[3][i]}}, &one);
        row[0][i] = one.normal.x, row[1][i] = one.normal.y;
        for (int k = 0; k < 2; k++) {
            row[2 + 4 * k][i] = one.point[k].x, row[3 + 4 * k][i] = one.point[k].y;
            row[4 + 4 * k][i] = one.separation[k], row[5 + 4 * k][i] = (float)one.feature[k];
            has[k] = (has[k] & ~(1u << i)) | (uint32_t)(one.count > k) << i;
        }
    }
    m->normal = (wide_vec){v_load(row[0]), v_load(row[1])};
    for (int k = 0; k < 2; k++) {
        m->point[k] = (wide_vec){v_load(row[2 + 4 * k]), v_load(row[3 + 4 * k])};
        m->separation[k] = v_load(row[4 + 4 * k]), m->feature[k] = v_load(row[5 + 4 * k]);
        m->has[k] = m_from_bits(has[k]);
    }
    m->lasts = m_and(m->lasts, m_from_bits(~internal_edges));
}

// m, up to which a manifold is looked for. A body that turns about what holds it may move its far end farther than the
// speculative distance in a step, onto something fixed: it must find a point there. Whether it will is decided later,
// as few contacts that are far have such a body.
V_FN float reach_of(const b2d_collide_context* context, const b2d_pair* pair) {
    const float near = context->speculative_distance;
    if (context->states == NULL) return near;
    const float *a = context->states + 8 * (ptrdiff_t)pair->body_a, *b = context->states + 8 * (ptrdiff_t)pair->body_b;
    // Without branches
    const int32_t turns_a = (int32_t)b2d_holds(b[3], a[3]) & (context->dt * b2d_abs(a[2]) > B2D_LEAST_TURN),
                  turns_b = (int32_t)b2d_holds(a[3], b[3]) & (context->dt * b2d_abs(b[2]) > B2D_LEAST_TURN);
    return (turns_a | turns_b) != 0 ? B2D_DEAD_POINT : near;
}

// Of the lanes in `has`, those whose first point is near, or whose shapes meet in the step because a body turns.
V_ONCE uint32_t drop_far(const b2d_collide_context* context, const full_queue* queue, int from, int count,
                         const result_rows out, uint32_t has) {
    const float near = context->speculative_distance;
    for (int i = 0; i < count; i++) {
        const float gap = out[ROW_SEPARATION0][i];
        if ((has >> i & 1u) == 0 || gap <= near) continue;
        const int32_t id = queue->id[from + i];
        const b2d_pair* pair = &context->pairs[id];
        const bool flipped = (pair->flags & B2D_PAIR_FLIP) != 0;
        const float *a = context->states + 8 * (ptrdiff_t)(flipped ? pair->body_b : pair->body_a),
                    *b = context->states + 8 * (ptrdiff_t)(flipped ? pair->body_a : pair->body_b),
                    nx = out[ROW_NORMAL_X][i], ny = out[ROW_NORMAL_Y][i];
        float least = gap;
        for (int row = ROW_NORMAL_ARM0; row <= ROW_NORMAL_ARM1; row += ROW_NORMAL_ARM1 - ROW_NORMAL_ARM0) {
            const float arm_a = out[row][i], arm_b = arm_a + out[ROW_NORMAL_ARM_SHIFT][i],
                        way_a = b2d_time_of_turn(context->dt, a[2]) * (nx * a[0] + ny * a[1] + a[2] * arm_a),
                        way_b = b2d_time_of_turn(context->dt, b[2]) * (nx * b[0] + ny * b[1] + b[2] * arm_b);
            least = b2d_min(least, out[row + 2][i] + way_b - way_a);
        }
        if (least > near || !context->turns_onto(context->world, id, context->dt, gap - near)) has &= ~(1u << i);
    }
    return has;
}

// By how much a body turns up to the middle of the step.
V_FN float turn_ahead(const b2d_collide_context* context, int32_t body) {
    return context->states == NULL ? 0.0f : b2d_turn_ahead(context->states[8 * (ptrdiff_t)body + 2], context->ahead);
}

// Whether the friction of a touching contact was within its limit at the end of the last step.
V_FN bool sticks(const b2d_contact_block* block, uint32_t lane) {
    const b2d_contact_point* p = block->point;
    return b2d_abs(p[0].tangent_impulse[lane]) + b2d_abs(p[1].tangent_impulse[lane]) <
           block->friction[lane] * (p[0].normal_impulse[lane] + p[1].normal_impulse[lane]);
}

V_ONCE void full_batch(const b2d_collide_context* context, int bucket, const full_queue* queue, int from,
                       b2d_collide_worker* worker, int32_t worker_index) {
    vf a[4], b[4];
    v_gather4(queue->pose_a + from, a);
    v_gather4(queue->pose_b + from, b);
    wide_vec d = {v_load(queue->dx + from), v_load(queue->dy + from)};
    wide_pose q;
    q.c = v_add(v_mul(a[0], b[0]), v_mul(a[1], b[1]));
    q.s = v_sub(v_mul(a[0], b[1]), v_mul(a[1], b[0]));
    q.p = w_unrotate(a[0], a[1], d);
    wide_manifold m;
    manifolds(context, bucket, queue->hull_a + from, queue->hull_b + from, &q, v_load(queue->reach + from), &m);
    if (queue->found != NULL) {
        write_manifolds(context, &m, b2d_min_int(queue->count - from, V_LANES), queue->found + from);
        return;
    }
    uint32_t internal_edges = (uint32_t)(queue->internal_edges >> from) & (uint32_t)((1ull << V_LANES) - 1);
    if (internal_edges != 0) correct_internal_edges(context, queue, from, internal_edges, &q, &m);

    // To the frame of side A.
    vm flip = v_gt(v_load(queue->flip + from), v_zero());
    vf c_side = v_select(flip, b[0], a[0]), s_side = v_select(flip, b[1], a[1]);
    wide_vec center = w_select(flip, (wide_vec){b[2], b[3]}, (wide_vec){a[2], a[3]});
    wide_vec center_other = w_select(flip, (wide_vec){a[2], a[3]}, (wide_vec){b[2], b[3]});
    wide_vec p = w_unrotate(c_side, s_side, w_select(flip, w_neg(d), d));
    vf q_s = v_select(flip, v_neg(q.s), q.s);
    wide_vec normal = w_select(flip, w_neg(w_unrotate(q.c, q.s, m.normal)), m.normal);
    wide_vec point0 = w_select(flip, w_unrotate(q.c, q.s, w_sub(m.point[0], q.p)), m.point[0]);
    wide_vec point1 = w_select(flip, w_unrotate(q.c, q.s, w_sub(m.point[1], q.p)), m.point[1]);
    wide_vec r0 = w_sub(point0, center), r1 = w_sub(point1, center);
    wide_vec between = w_sub(center, w_add(p, w_rotate(q.c, q_s, center_other)));
    wide_vec world = w_rotate(c_side, s_side, normal);
    vm two = m.has[1];

    _Alignas(64) result_rows out;
    v_store(out[ROW_NORMAL_X], world.x), v_store(out[ROW_NORMAL_Y], world.y);
    v_store(out[ROW_NORMAL_ARM_SHIFT], w_cross(between, normal)),
        v_store(out[ROW_ALONG_NORMAL_SHIFT], w_dot(between, normal));
    v_store(out[ROW_POSE_X], p.x), v_store(out[ROW_POSE_Y], p.y);
    const float reach = context->speculative_distance;
    const vm lasts = m_or(m_and(two, v_le(m.separation[1], v_set(reach))), m.lasts); // the others are not recycled
    v_store(out[ROW_POSE_COSINE], v_mask(lasts, q.c)), v_store(out[ROW_POSE_SINE], v_mask(lasts, q_s));
    v_store(out[ROW_LOCAL_NORMAL_X], normal.x), v_store(out[ROW_LOCAL_NORMAL_Y], normal.y);
    v_store(out[ROW_NORMAL_ARM0], w_cross(r0, normal)), v_store(out[ROW_ALONG_NORMAL0], w_dot(r0, normal));
    v_store(out[ROW_SEPARATION0], m.separation[0]), v_store(out[ROW_FEATURE0], m.feature[0]);
    v_store(out[ROW_NORMAL_ARM1], v_mask(two, w_cross(r1, normal))),
        v_store(out[ROW_ALONG_NORMAL1], v_mask(two, w_dot(r1, normal)));
    v_store(out[ROW_SEPARATION1], v_select(two, m.separation[1], v_set(B2D_DEAD_POINT)));
    v_store(out[ROW_FEATURE1], v_select(two, m.feature[1], v_set(65535.0f)));
    v_store(out[ROW_CURVATURE], m.curvature);

    uint32_t has = m_bits(m.has[0]);
    int count = b2d_min_int(queue->count - from, V_LANES);
    if (m_bits(m_and(m.has[0], v_gt(m.separation[0], v_set(reach)))) != 0)
        has = drop_far(context, queue, from, count, out, has);
    if (queue->one_way) has = drop_passing(context, queue, from, count, out, has);
    for (int i = 0; i < count; i++) {
        int32_t id = queue->id[from + i], lane_index = queue->lane_index[from + i];
        if ((has >> i & 1u) == 0) {
            if (lane_index != B2D_NONE) b2d_bits_set(&worker->ended, id);
            continue;
        }
        uint32_t feature = feature_of(out, i);
        if (lane_index != B2D_NONE) {
            b2d_contact_block* block = &context->blocks[(uint32_t)lane_index / B2D_LANES];
            b2d_manifold_block* old = &context->manifolds[(uint32_t)lane_index / B2D_LANES];
            uint32_t lane = (uint32_t)lane_index % B2D_LANES;
            block->nx[lane] = out[ROW_NORMAL_X][i];
            block->ny[lane] = out[ROW_NORMAL_Y][i];
            const bool far = out[ROW_SEPARATION1][i] > reach,
                       was_far = old->separation[1][lane] > reach && !(block->point[1].normal_impulse[lane] > 0.0f);
            const float radius = block->radius_a[lane], turn = turn_ahead(context, block->body_a[lane]);
            b2d_roll roll = {0.0f, 0.0f};
            if (out[ROW_CURVATURE][i] > 0.0f && sticks(block, lane)) {
                const float along = out[ROW_ALONG_NORMAL0][i];
                roll = b2d_roll_ahead(turn, turn_ahead(context, block->body_b[lane]), along,
                                      along + out[ROW_ALONG_NORMAL_SHIFT][i],
                                      b2d_core_along(along, radius, out[ROW_SEPARATION0][i]), out[ROW_CURVATURE][i]);
            }
            block->turn[lane] = turn;
            block->roll_arm[lane] = roll.arm;
            block->roll_shift[lane] = roll.shift;
            block->normal_arm_shift[lane] = out[ROW_NORMAL_ARM_SHIFT][i] + roll.shift;
            block->along_normal_shift[lane] = out[ROW_ALONG_NORMAL_SHIFT][i];
            old->px[lane] = out[ROW_POSE_X][i];
            old->py[lane] = out[ROW_POSE_Y][i];
            old->qc[lane] = out[ROW_POSE_COSINE][i];
            old->qs[lane] = out[ROW_POSE_SINE][i];
            old->local_nx[lane] = out[ROW_LOCAL_NORMAL_X][i];
            old->local_ny[lane] = out[ROW_LOCAL_NORMAL_Y][i];
            b2d_contact_point *p0 = &block->point[0], *p1 = &block->point[1];
            old->normal_arm[0][lane] = out[ROW_NORMAL_ARM0][i];
            p0->normal_arm[lane] = arm_ahead(out, i, 0, radius, turn) + roll.arm;
            p0->along_normal[lane] = out[ROW_ALONG_NORMAL0][i];
            p0->initial_separation[lane] = old->separation[0][lane] = out[ROW_SEPARATION0][i];
            old->normal_arm[1][lane] = out[ROW_NORMAL_ARM1][i];
            p1->normal_arm[lane] = arm_ahead(out, i, 1, radius, turn) + roll.arm;
            p1->along_normal[lane] = out[ROW_ALONG_NORMAL1][i];
            p1->initial_separation[lane] = old->separation[1][lane] = out[ROW_SEPARATION1][i];
            uint32_t before = old->feature[lane];
            if (before != feature || was_far != far) {
                float n0 = p0->normal_impulse[lane], t0 = p0->tangent_impulse[lane];
                float n1 = p1->normal_impulse[lane], t1 = p1->tangent_impulse[lane];
                uint32_t before0 = before & 0xffff, before1 = before >> 16, now0 = feature & 0xffff,
                         now1 = feature >> 16;
                p0->normal_impulse[lane] = now0 == before0 ? n0 : now0 == before1 ? n1 : 0.0f;
                p0->tangent_impulse[lane] = now0 == before0 ? t0 : now0 == before1 ? t1 : 0.0f;
                bool idle = now1 == 0xffff || far, stays0 = now0 == before0 || (now0 == before1 && !was_far),
                     stays1 = far || now1 == before0 || (now1 == before1 && !was_far);
                if (context->begin_stamps != NULL && !(stays0 && stays1))
                    context->begin_stamps[id] = context->step | (stays0 ? 0u : B2D_BEGIN_POINT) |
                                                (stays1 ? 0u : 2u * B2D_BEGIN_POINT);
                p1->normal_impulse[lane] = idle ? 0.0f : now1 == before1 ? n1 : now1 == before0 ? n0 : 0.0f;
                p1->tangent_impulse[lane] = idle ? 0.0f : now1 == before1 ? t1 : now1 == before0 ? t0 : 0.0f;
                old->feature[lane] = feature;
            }
        } else {
            b2d_contact_record* record = take_record(context, worker_index, &context->pairs[id].record);
            if (record == NULL) {
                worker->failed = true;
                continue;
            }
            const b2d_pair* pair = &context->pairs[id];
            const bool flipped = (pair->flags & B2D_PAIR_FLIP) != 0;
            const float radius = context->shapes[flipped ? pair->shape_b : pair->shape_a].radius,
                        turn = turn_ahead(context, flipped ? pair->body_b : pair->body_a);
            *record = (b2d_contact_record){.nx = out[ROW_NORMAL_X][i],
                                           .ny = out[ROW_NORMAL_Y][i],
                                           .normal_arm_shift = out[ROW_NORMAL_ARM_SHIFT][i],
                                           .along_normal_shift = out[ROW_ALONG_NORMAL_SHIFT][i],
                                           .turn = turn,
                                           .feature = feature,
                                           .px = out[ROW_POSE_X][i],
                                           .py = out[ROW_POSE_Y][i],
                                           .qc = out[ROW_POSE_COSINE][i],
                                           .qs = out[ROW_POSE_SINE][i],
                                           .local_nx = out[ROW_LOCAL_NORMAL_X][i],
                                           .local_ny = out[ROW_LOCAL_NORMAL_Y][i]};
            record->point[0].full_normal_arm = out[ROW_NORMAL_ARM0][i];
            record->point[0].normal_arm = arm_ahead(out, i, 0, radius, turn);
            record->point[0].along_normal = out[ROW_ALONG_NORMAL0][i];
            record->point[0].initial_separation = record->point[0].separation = out[ROW_SEPARATION0][i];
            record->point[1].full_normal_arm = out[ROW_NORMAL_ARM1][i];
            record->point[1].normal_arm = arm_ahead(out, i, 1, radius, turn);
            record->point[1].along_normal = out[ROW_ALONG_NORMAL1][i];
            record->point[1].initial_separation = record->point[1].separation = out[ROW_SEPARATION1][i];
            b2d_bits_set(&worker->begun, id);
        }
    }
}

#include "narrowphase/recycle_wide.inl"

// Whether the fat boxes of a contact still overlap; tested only where one of them is new.
V_FN bool fat_boxes_overlap(const b2d_collide_context* context, const b2d_pair* pair) {
    const float *min_x = context->fat_min_x, *min_y = context->fat_min_y, *max_x = context->fat_max_x,
                *max_y = context->fat_max_y;
    const int32_t a = pair->shape_a, b = pair->shape_b;
    return (int)(min_x[a] <= max_x[b]) & (int)(min_x[b] <= max_x[a]) & (int)(min_y[a] <= max_y[b]) &
           (int)(min_y[b] <= max_y[a]);
}

// -------------------------------------------------------------------------------------------------------- entry points

V_FN void start_full(full_queue* queue, b2d_manifold* found) {
    queue->count = 0;
    queue->one_way = false;
    queue->internal_edges = 0;
    queue->found = found;
}

V_FN void push_full(const b2d_collide_context* context, full_queue* queue, int32_t id) {
    const b2d_pair* pair = &context->pairs[id];
    b2d_shape_prefetch(&context->shapes[pair->shape_a]); // the queue is processed later
    b2d_shape_prefetch(&context->shapes[pair->shape_b]);
    const b2d_pose *a = &context->poses[pair->body_a], *b = &context->poses[pair->body_b];
    int k = queue->count++;
    queue->one_way = queue->one_way || (pair->flags & B2D_PAIR_ONE_WAY) != 0;
    if (pair->flags & B2D_PAIR_INTERNAL_EDGES) queue->internal_edges |= 1ull << k;
    queue->dx[k] = (float)(b->x - a->x);
    queue->dy[k] = (float)(b->y - a->y);
    queue->flip[k] = pair->flags & B2D_PAIR_FLIP ? 1.0f : 0.0f;
    queue->reach[k] = reach_of(context, pair);
    queue->hull_a[k] = 4 * pair->shape_a;
    queue->hull_b[k] = 4 * pair->shape_b;
    queue->pose_a[k] = &a->c;
    queue->pose_b[k] = &b->c;
    queue->id[k] = id;
    queue->lane_index[k] = pair->lane_index;
}

// Repeats the last entry up to a multiple of the width.
V_FN void pad_full(full_queue* queue) {
    for (int k = queue->count; k % V_LANES != 0; k++) {
        int last = queue->count - 1;
        queue->dx[k] = queue->dx[last], queue->dy[k] = queue->dy[last], queue->flip[k] = queue->flip[last];
        queue->reach[k] = queue->reach[last];
        queue->hull_a[k] = queue->hull_a[last], queue->hull_b[k] = queue->hull_b[last];
        queue->pose_a[k] = queue->pose_a[last], queue->pose_b[k] = queue->pose_b[last];
    }
}

V_ONCE void flush_full(const b2d_collide_context* context, int32_t bucket, full_queue* queue,
                       b2d_collide_worker* worker, int32_t worker_index) {
    pad_full(queue);
    for (int32_t i = 0; i < queue->count; i += V_LANES) full_batch(context, bucket, queue, i, worker, worker_index);
    worker->updated += queue->count;
    start_full(queue, NULL);
}

void B2D_KERNEL(b2d_collide_run)(const b2d_collide_context* context, int32_t bucket, const int32_t* contacts,
                                 int32_t count, int32_t worker_index);
void B2D_KERNEL(b2d_collide_run)(const b2d_collide_context* context, int32_t bucket, const int32_t* contacts,
                                 int32_t count, int32_t worker_index) {
    b2d_collide_worker* worker = &context->workers[worker_index];
    full_queue full;
    start_full(&full, NULL);
    for (int32_t i = 0; i < count; i++) {
        const int32_t id = contacts[i];
        const b2d_pair* pair = &context->pairs[id];
        if (!fat_boxes_overlap(context, pair)) {
            b2d_bits_set(&worker->parted, id);
            if (pair->flags & B2D_PAIR_TOUCHING) b2d_bits_set(&worker->ended, id);
            continue;
        }
        push_full(context, &full, id);
        if (full.count == QUEUE_SIZE) flush_full(context, bucket, &full, worker, worker_index);
    }
    flush_full(context, bucket, &full, worker, worker_index);
}

// Full manifolds are computed in the order of the lanes as well, so that writes go to neighbouring memory.
void B2D_KERNEL(b2d_collide_blocks_run)(const b2d_collide_context* context, const int32_t* blocks, int32_t count,
                                        int32_t worker_index);
void B2D_KERNEL(b2d_collide_blocks_run)(const b2d_collide_context* context, const int32_t* blocks, int32_t count,
                                        int32_t worker_index) {
    b2d_collide_worker* worker = &context->workers[worker_index];
    const uint64_t* new_boxes = context->new_fat_boxes->words;
    const bool any_new_boxes = !b2d_bits_is_empty(context->new_fat_boxes);
    const bool recycles = context->recycle_distance > 0.0f;
    full_queue queues[B2D_BUCKET_COUNT];
    for (int32_t bucket = 0; bucket < B2D_BUCKET_COUNT; bucket++) start_full(&queues[bucket], NULL);
    for (int32_t k = 0; k < count; k++) {
        b2d_contact_block* block = &context->blocks[blocks[k]];
        const b2d_manifold_block* old = &context->manifolds[blocks[k]];
        uint32_t live = 0, check_boxes = 0, done = 0;
        for (int32_t i = 0; i < B2D_LANES; i++) live |= (uint32_t)(old->contact[i] != B2D_NONE) << i;
        for (int32_t i = 0; any_new_boxes && i < B2D_LANES; i++) {
            if ((live >> i & 1u) == 0) continue;
            const int32_t a = block->body_a[i], b = block->body_b[i];
            check_boxes |= (uint32_t)((new_boxes[a >> 6] >> (a & 63) | new_boxes[b >> 6] >> (b & 63)) & 1) << i;
        }
        if (check_boxes != 0 &&
            k + 1 < count) // where one body has a new box, those of the next block probably have one too
            for (int i = 0; i < B2D_LANES; i++)
                __builtin_prefetch(&context->pairs[context->manifolds[blocks[k + 1]].contact[i]]);
        for (; check_boxes != 0; check_boxes &= check_boxes - 1) {
            const int32_t i = b2d_ctz64(check_boxes), id = old->contact[i];
            if (fat_boxes_overlap(context, &context->pairs[id])) continue;
            b2d_bits_set(&worker->parted, id);
            b2d_bits_set(&worker->ended, id);
            live &= ~(1u << i);
        }
        if (recycles) done = recycle_block(context, block, old, live);
        worker->recycled += b2d_popcount64(done);
        for (uint32_t moved = live & ~done; moved != 0; moved &= moved - 1) {
            const int32_t id = old->contact[b2d_ctz64(moved)], bucket = context->pairs[id].bucket;
            push_full(context, &queues[bucket], id);
            if (queues[bucket].count == QUEUE_SIZE) flush_full(context, bucket, &queues[bucket], worker, worker_index);
        }
    }
    for (int32_t bucket = 0; bucket < B2D_BUCKET_COUNT; bucket++)
        if (queues[bucket].count > 0) flush_full(context, bucket, &queues[bucket], worker, worker_index);
}

void B2D_KERNEL(b2d_manifolds_run)(const b2d_collide_context* context, int32_t bucket, const int32_t* contacts,
                                   int32_t count, b2d_manifold* found);
void B2D_KERNEL(b2d_manifolds_run)(const b2d_collide_context* context, int32_t bucket, const int32_t* contacts,
                                   int32_t count, b2d_manifold* found) {
    full_queue full;
    start_full(&full, found);
    for (int32_t k = 0; k < count; k++) push_full(context, &full, contacts[k]);
    pad_full(&full);
    for (int32_t k = 0; k < count; k += V_LANES) full_batch(context, bucket, &full, k, NULL, 0);
}

#if defined(B2D_ISA_SCALAR)
void b2d_collide_one(const b2d_collide_context* context, int32_t bucket, int32_t shape_a, int32_t shape_b,
                     b2d_transform b_in_a, b2d_manifold* out) {
    int32_t row_a = 4 * shape_a, row_b = 4 * shape_b;
    wide_pose q = {{b_in_a.p.x, b_in_a.p.y}, b_in_a.q.c, b_in_a.q.s};
    wide_manifold m;
    manifolds(context, bucket, &row_a, &row_b, &q, v_set(context->speculative_distance), &m);
    write_manifolds(context, &m, 1, out);
}
#endif
