// csrc/step/finalize_wide.inl - the finalize kernel, V_LANES awake bodies at a time; compiled once per instruction set.
//
// Scalar loops gather scattered data and write the results to rows; all arithmetic between them is vectorized. The
// first shapes of all bodies are tested against their fat boxes together, then their second shapes, and so on. A body
// that turns by more than half a radian is moved by b2d_move_pose with the exact rotation, and b2d_refresh_boxes
// updates its boxes.

#include "base/double_wide.inl"
#include "step/balance.h"
#include "step/continuous.h"
#include "step/finalize.h"

B2D_INLINE vf length_of(vf x, vf y) { return v_sqrt(v_add(v_mul(x, x), v_mul(y, y))); }

B2D_INLINE void turn_wide(vf c, vf s, vf angle, vf* out_c, vf* out_s) {
    vf a2 = v_mul(angle, angle);
    vf sine = v_add(v_set(1.0f),
                    v_mul(a2, v_add(v_set(-1.0f / 6.0f),
                                    v_mul(a2, v_add(v_set(1.0f / 120.0f), v_mul(a2, v_set(-1.0f / 5040.0f)))))));
    sine = v_mul(angle, sine);
    vf cosine = v_add(v_set(-1.0f / 720.0f), v_mul(a2, v_set(1.0f / 40320.0f)));
    cosine = v_add(v_set(1.0f),
                   v_mul(a2, v_add(v_set(-0.5f), v_mul(a2, v_add(v_set(1.0f / 24.0f), v_mul(a2, cosine))))));
    vf x = v_sub(v_mul(c, cosine), v_mul(s, sine)), y = v_add(v_mul(s, cosine), v_mul(c, sine));
    vf length = length_of(x, y);
    *out_c = v_div(x, length);
    *out_s = v_div(y, length);
}

// Where the bodies of some lanes will be after another step like this, if their far shapes may land in it
// (b2d_turns_far); the others stay.
typedef struct next_place {
    vf c, s, x, y; // x, y: from the origin now
    bool any;
} next_place;

// Gives new fat boxes to the shapes that are no longer inside their old ones. Lane i holds a shape of body index[i], or
// B2D_NONE. Coordinates are relative to the body origins, so float32 suffices. Unused vertices repeat used ones, so
// four vertices also serve circles and capsules; vertices 5 to 8 are tested only if some lane has them.
static void update_fat_boxes(b2d_world* world, const int32_t* index, const int32_t* shapes, vf c, vf s,
                             const next_place* next, b2d_finalize_worker* out) {
    enum { ROWS = V_LANES < 16 ? 16 : V_LANES };
    const b2d_proxies* proxies = &world->proxies;
    static const float empty[4] __attribute__((aligned(16))) = {0};
    _Alignas(64) float radius[ROWS], box[4][ROWS];
    _Alignas(64) double at[2][ROWS];
    const float *x_rows[ROWS], *y_rows[ROWS], *more_x[ROWS], *more_y[ROWS];
    bool more = false;
    uint32_t check = 0;
    for (int32_t i = 0; i < V_LANES; i++) {
        const int32_t shape = shapes[i];
        if (shape == B2D_NONE || proxies->proxy_class[shape] == B2D_PROXY_NONE) {
            x_rows[i] = y_rows[i] = more_x[i] = more_y[i] = empty;
            box[0][i] = box[1][i] = box[2][i] = box[3][i] = radius[i] = 0.0f;
            at[0][i] = at[1][i] = 0.0;
            continue;
        }
        const b2d_shape_hot* hot = &world->shapes_hot[shape];
        const b2d_hull4 *hull = &hot->hull, *second = hot->count <= 4 ? hull : &world->second_hulls[hot->second_hull];
        const b2d_pose* pose = b2d_world_pose(world, index[i]);
        check |= 1u << i;
        more = more || second != hull;
        x_rows[i] = hull->vx, y_rows[i] = hull->vy;
        more_x[i] = second->vx, more_y[i] = second->vy;
        radius[i] = hot->radius;
        at[0][i] = pose->x, at[1][i] = pose->y;
        box[0][i] = proxies->fat_min_x[shape], box[1][i] = proxies->fat_min_y[shape];
        box[2][i] = proxies->fat_max_x[shape], box[3][i] = proxies->fat_max_y[shape];
    }
    for (int32_t i = 0; i < V_LANES; i += D_LANES)
        for (int32_t k = 0; k < 4; k++) d_store(box[k] + i, d_load(box[k] + i) - d_load_doubles(at[k & 1] + i));
    vf vx[4], vy[4];
    v_gather4(x_rows, vx);
    v_gather4(y_rows, vy);
    vf low_x, low_y, high_x, high_y;
    low_x = high_x = v_sub(v_mul(c, vx[0]), v_mul(s, vy[0]));
    low_y = high_y = v_add(v_mul(s, vx[0]), v_mul(c, vy[0]));
#define B2D_EXTEND_AT(k, c, s, dx, dy)                                                                          \
    {                                                                                                           \
        vf x = v_add(dx, v_sub(v_mul(c, vx[k]), v_mul(s, vy[k])));                                              \
        vf y = v_add(dy, v_add(v_mul(s, vx[k]), v_mul(c, vy[k])));                                              \
        low_x = v_min(low_x, x), high_x = v_max(high_x, x), low_y = v_min(low_y, y), high_y = v_max(high_y, y); \
    }
#define B2D_EXTEND(k)                                                       \
    {                                                                       \
        B2D_EXTEND_AT(k, c, s, v_zero(), v_zero())                          \
        if (next->any) B2D_EXTEND_AT(k, next->c, next->s, next->x, next->y) \
    }
    if (next->any) B2D_EXTEND_AT(0, next->c, next->s, next->x, next->y)
    B2D_EXTEND(1)
    B2D_EXTEND(2)
    B2D_EXTEND(3)
    if (more) {
        v_gather4(more_x, vx);
        v_gather4(more_y, vy);
        B2D_EXTEND(0)
        B2D_EXTEND(1)
        B2D_EXTEND(2)
        B2D_EXTEND(3)
    }
#undef B2D_EXTEND
#undef B2D_EXTEND_AT
    vf r = v_load(radius);
    vm inside = m_and(m_and(v_le(v_load(box[0]), v_sub(low_x, r)), v_le(v_load(box[1]), v_sub(low_y, r))),
                      m_and(v_ge(v_load(box[2]), v_add(high_x, r)), v_ge(v_load(box[3]), v_add(high_y, r))));
    uint32_t left = check & ~m_bits(inside);
    if (left == 0) return;
    v_store(box[0], v_sub(low_x, r)), v_store(box[1], v_sub(low_y, r)), v_store(box[2], v_add(high_x, r)),
        v_store(box[3], v_add(high_y, r));
    _Alignas(64) float margin[ROWS] = {0.0f};
    for (uint32_t rest = left; rest != 0; rest &= rest - 1)
        margin[b2d_ctz64(rest)] = world->shapes_hot[shapes[b2d_ctz64(rest)]].margin;
    for (int32_t i = 0; i < V_LANES; i += D_LANES) {
        const vd grow = d_load(margin + i), x = d_load_doubles(at[0] + i), y = d_load_doubles(at[1] + i);
        d_store_below(box[0] + i, x + (d_load(box[0] + i) - grow));
        d_store_below(box[1] + i, y + (d_load(box[1] + i) - grow));
        d_store_above(box[2] + i, x + (d_load(box[2] + i) + grow));
        d_store_above(box[3] + i, y + (d_load(box[3] + i) + grow));
    }
    for (; left != 0; left &= left - 1) {
        const int32_t i = b2d_ctz64(left), shape = shapes[i];
        proxies->fat_min_x[shape] = box[0][i], proxies->fat_min_y[shape] = box[1][i];
        proxies->fat_max_x[shape] = box[2][i], proxies->fat_max_y[shape] = box[3][i];
        b2d_bits_set(&out->moved, shape);
    }
}

static void note_widths(const float* half, uint32_t movers, uint32_t plates, b2d_finalize_worker* out) {
    out->movers += b2d_popcount64(movers);
    for (; movers != 0; movers &= movers - 1) out->widest = b2d_max(out->widest, half[b2d_ctz64(movers)]);
    for (; plates != 0; plates &= plates - 1) out->narrowest = b2d_min(out->narrowest, half[b2d_ctz64(plates)]);
}

typedef struct v2 {
    vf x, y;
} v2;

// The lanes of the bodies that may meet a platform and, seen from it, move far; more than those of platforms.c, which
// decides. `center`: of mass, from the origin.
static uint32_t near_platforms(const b2d_finalize_job* job, const int32_t* index, v2 center, v2 motion, vf angle,
                               vf extent, vf travel, vf far_from) {
    enum { FEW = 8, ROWS = V_LANES < 16 ? 16 : V_LANES }; // with more, to look at them later takes less time
    const b2d_platforms* platforms = job->platforms;
    const vf around = v_mul(v_set(1.01f), v_add(extent, travel)),
             most = v_add(v_add(travel, v_set(platforms->travel)),
                          v_mul(v_set(platforms->turn), v_add(extent, around)));
    const uint32_t fast = m_bits(v_gt(most, far_from));
    if (fast == 0 || platforms->count > FEW) return fast;
    _Alignas(64) float x[ROWS], y[ROWS];
    uint32_t near = 0;
    for (int32_t k = 0; k < platforms->count; k++) {
        const b2d_platform* p = &platforms->rows[k];
        for (int32_t i = 0; i < V_LANES; i++) {
            const b2d_pose* pose = b2d_world_pose(job->world, index[i]);
            x[i] = (float)(pose->x - p->x), y[i] = (float)(pose->y - p->y);
        }
        const v2 lever = {v_add(v_load(x), center.x), v_add(v_load(y), center.y)};
        const vf c = v_set(p->turn.c), s = v_set(p->turn.s), apart = length_of(lever.x, lever.y),
                 reach = v_add(around, v_set(p->slack)),
                 carried_x = v_sub(v_sub(v_mul(c, lever.x), v_mul(s, lever.y)), lever.x),
                 carried_y = v_sub(v_add(v_mul(s, lever.x), v_mul(c, lever.y)), lever.y),
                 past = length_of(v_sub(v_sub(motion.x, v_set(p->dx)), carried_x),
                                  v_sub(v_sub(motion.y, v_set(p->dy)), carried_y)),
                 turned = v_mul(v_abs(v_sub(angle, v_set(p->angle))), extent);
        near |= m_bits(m_and(v_gt(v_add(past, turned), far_from), m_and(v_ge(v_add(apart, reach), v_set(p->inner)),
                                                                        v_ge(v_add(v_set(p->extent), reach), apart))));
    }
    return near & fast;
}

static void finalize_group(const b2d_finalize_job* job, const int32_t* ids, int32_t count, b2d_finalize_worker* out) {
    enum { ROWS = V_LANES < 16 ? 16 : V_LANES };
    b2d_world* world = job->world;
    b2d_graph* graph = &world->graph;
    _Alignas(64) int32_t index[ROWS];
    _Alignas(64) float extent[ROWS], min_extent_of[ROWS], threshold[ROWS], safety[ROWS], timer[ROWS];
    _Alignas(64) float rest[4][ROWS]; // of slow bodies
    _Alignas(64) float next_c[ROWS], next_s[ROWS], move_x[ROWS], move_y[ROWS];
    const float* pose_rows[ROWS];
    int32_t shape_of[ROWS];
    uint32_t can_sleep = 0, dynamic = 0, has_more_shapes = 0, jointed = 0;
    for (int32_t i = 0; i < V_LANES; i++) {
        int32_t id = index[i] = ids[i < count ? i : count - 1];
        const b2d_body* body = &graph->bodies[id];
        const b2d_body_mass* mass = &world->masses[id];
        extent[i] = body->extent, min_extent_of[i] = body->min_extent, timer[i] = body->sleep_timer;
        threshold[i] = mass->sleep_threshold, safety[i] = mass->safety_factor;
        can_sleep |= (uint32_t)((body->flags & B2D_BODY_FLAG_CAN_SLEEP) != 0) << i;
        dynamic |= (uint32_t)(body->type == B2D_DYNAMIC) << i;
        jointed |= (uint32_t)(body->joint_count > 0) << i;
        pose_rows[i] = &b2d_world_pose(world, id)->c;
        shape_of[i] = body->shape_head;
        has_more_shapes |= (uint32_t)(body->shape_count > 1) << i;
        if (body->shape_head != B2D_NONE) {
            __builtin_prefetch(&world->shapes_hot[body->shape_head].hull);
            __builtin_prefetch(&world->shapes_hot[body->shape_head].radius);
        }
    }
    vf state[8], pose[4];
    v_gather8((const float*)world->states.data, index, state);
    v_gather4(pose_rows, pose);
    vf dx = state[4], dy = state[5], angle = state[6];
    vf sum = v_add(v_add(v_add(state[0], state[1]), state[2]), v_add(v_add(dx, dy), angle));
    uint32_t finite = m_bits(v_le(v_abs(sum), v_set(3.0e38f)));

    // The speed of the farthest point counts, and so does half the speed of the actual motion: a body that position
    // correction still moves must not fall asleep.
    vf turned = v_abs(angle), reach = v_load(extent);
    vf linear = length_of(state[0], state[1]), travel = v_add(length_of(dx, dy), v_mul(turned, reach)),
       speed = v_add(linear, v_mul(v_abs(state[2]), reach));
    const uint32_t too_fast = dynamic & m_bits(v_gt(linear, v_set(job->max_speed)));
    vf sleep_speed = v_max(speed, v_mul(v_set(0.5f * job->inverse_dt), travel));
    vm is_dynamic = m_from_bits(dynamic);
    // A kinematic body sleeps only at zero velocity.
    vf limit = v_mask(is_dynamic, v_mul(v_load(threshold), v_set(job->length_unit)));
    vm slow = m_and(v_le(v_select(is_dynamic, sleep_speed, speed), limit), m_from_bits(job->sleeping ? can_sleep : 0));
    const uint32_t slow_lanes = m_bits(slow);
    if (slow_lanes != 0) { // nor must one whose velocity changes: at the turning point of a swing it is slow, too
        const float* rest_rows[ROWS];
        vf kept[4]; // b2d_body_rest; that of a body which is not slow is not read again
        for (int32_t i = 0; i < V_LANES; i++) rest_rows[i] = world->body_rests[index[i]].velocity;
        v_gather4(rest_rows, kept);
        vm begins = v_le(v_load(timer), v_zero());
        for (int32_t k = 0; k < 3; k++) kept[k] = v_select(begins, state[k], kept[k]);
        vf change = v_add(length_of(v_sub(state[0], kept[0]), v_sub(state[1], kept[1])),
                          v_mul(v_abs(v_sub(state[2], kept[2])), reach));
        kept[3] = change = v_max(change, v_select(begins, v_zero(), kept[3]));
        for (int32_t k = 0; k < 4; k++) v_store(rest[k], kept[k]);
        slow = m_and(slow, v_le(change, v_mul(v_set(B2D_STEADY_PART), limit)));
    }
    v_store(timer, v_mask(slow, v_add(v_load(timer), v_set(job->dt))));
    const vf far_from = v_mul(v_load(safety), v_load(min_extent_of));
    uint32_t travels_far = job->continuous ? m_bits(v_gt(travel, far_from)) : 0, fast = dynamic & travels_far;
    uint32_t moving = m_bits(v_gt(speed, v_zero())), large_turn = m_bits(v_gt(turned, v_set(0.5f)));

    vf c, s;
    turn_wide(pose[0], pose[1], angle, &c, &s);
    vm turns = v_gt(turned, v_zero()); // without a turn the rotation stays bitwise the same
    c = v_select(turns, c, pose[0]);
    s = v_select(turns, s, pose[1]);
    v_store(next_c, c);
    v_store(next_s, s);
    // The origin moves by the motion of the centre of mass, plus the shift due to the rotation about that centre.
    vf before_x = v_sub(v_mul(pose[0], pose[2]), v_mul(pose[1], pose[3])),
       before_y = v_add(v_mul(pose[1], pose[2]), v_mul(pose[0], pose[3]));
    vf after_x = v_sub(v_mul(c, pose[2]), v_mul(s, pose[3])), after_y = v_add(v_mul(s, pose[2]), v_mul(c, pose[3]));
    v_store(move_x, v_add(dx, v_sub(before_x, after_x)));
    v_store(move_y, v_add(dy, v_sub(before_y, after_y)));

    // At least b2d_turning_way: what flies rather than turns needs no look at what holds it
    const vf spin = v_abs(state[2]), end_speed = v_mul(spin, reach),
             turning = v_min(end_speed, v_sub(v_mul(v_set(2.0f), end_speed), linear)),
             way = v_mul(v_set(2.0f * job->dt), turning);
    uint32_t far = m_bits(v_gt(way, v_set(2.0f * job->speculative_distance))) & has_more_shapes & finite & ~large_turn;
    for (uint32_t left = far; left != 0; left &= left - 1) {
        const int32_t i = b2d_ctz64(left);
        if (!b2d_turns_far(world, index[i], job->dt)) far &= ~(1u << i);
    }
    const vm leads = m_from_bits(far);
    next_place next = {c, s, v_zero(), v_zero(), far != 0};
    if (next.any) {
        const vf time = v_min(v_set(job->dt), v_div(v_set(2.0f * B2D_MOST_TURN), v_select(leads, spin, v_set(1.0f))));
        turn_wide(c, s, v_mul(time, state[2]), &next.c, &next.s);
        const vf next_x = v_sub(v_mul(next.c, pose[2]), v_mul(next.s, pose[3])),
                 next_y = v_add(v_mul(next.s, pose[2]), v_mul(next.c, pose[3]));
        next.x = v_mask(leads, v_add(v_mul(time, state[0]), v_sub(after_x, next_x)));
        next.y = v_mask(leads, v_add(v_mul(time, state[1]), v_sub(after_y, next_y)));
        next.c = v_select(leads, next.c, c), next.s = v_select(leads, next.s, s);
    }

    fast &= finite & ((1u << count) - 1u);
    if (job->has_plates) {
        const vf half = v_load(min_extent_of), far = v_mul(v_mul(v_set(B2D_FAR), v_load(safety)), half);
        note_widths(min_extent_of, fast & ~jointed & ~m_bits(v_gt(travel, far)),
                    m_bits(v_gt(reach, v_mul(v_set(B2D_COMPACT), half))), out);
    }
    if (job->platforms->count > 0) {
        uint32_t near = dynamic & finite & ((1u << count) - 1u) &
                        near_platforms(job, index, (v2){before_x, before_y}, (v2){dx, dy}, angle, reach, travel,
                                       v_mul(v_set(0.999f), far_from));
        for (; near != 0; near &= near - 1)
            if (shape_of[b2d_ctz64(near)] != B2D_NONE) b2d_bits_set(&out->near, ids[b2d_ctz64(near)]);
    }
    const uint32_t swept = fast != 0 ? b2d_may_hit(world, ids, fast, job->platforms->sleeps, &out->sweeps_moving) : 0;
    uint32_t moved_bodies = 0;
    for (int32_t i = 0; i < count; i++) {
        int32_t id = ids[i];
        b2d_body* body = &graph->bodies[id];
        b2d_body_mass* mass = &world->masses[id];
        b2d_body_state* row = b2d_world_state(world, id);
        const bool sweeps = (travels_far >> i & 1u) && body->shape_head != B2D_NONE;
        if (timer[i] > 0.0f && (b2d_is_pushed(mass) || (body->flags & B2D_BODY_FLAG_YIELDS)) &&
            b2d_world_is_carried(world, id))
            timer[i] = 0.0f;
        if (b2d_is_pushed(mass)) { // the continuous stage needs those of fast bodies
            out->pushes_fast = out->pushes_fast || sweeps;
            if (!sweeps || !(finite >> i & 1u)) b2d_forget_forces(mass);
        }
        if (!(finite >> i & 1u)) { // keep the last finite pose; disable_invalid disables the body
            row->vx = row->vy = row->w = row->dx = row->dy = row->angle = 0.0f; // other workers read its mass
            b2d_bits_set(&out->invalid, id);
            continue;
        }
        // The last pass of the solver may have left too much speed, or a speed along a locked axis
        if (too_fast >> i & 1u) {
            const float scale = job->max_speed / sqrtf(row->vx * row->vx + row->vy * row->vy);
            row->vx *= scale, row->vy *= scale;
        }
        if (body->flags & B2D_BODY_FLAG_LOCK_X) row->vx = 0.0f;
        if (body->flags & B2D_BODY_FLAG_LOCK_Y) row->vy = 0.0f;
        body->sleep_timer = timer[i];
        if (slow_lanes >> i & 1u)
            world->body_rests[id] = (b2d_body_rest){{rest[0][i], rest[1][i], rest[2][i]}, rest[3][i]};
        if (!(dynamic >> i & 1u) && (moving >> i & 1u)) b2d_keep_touching_islands_awake(world, out, id);
        const bool rested = timer[i] >= job->sleep_time, splits = rested && graph->islands[body->island].removals > 0;
        if (rested) b2d_bits_set(&out->may_sleep, id);
        else b2d_bits_set(&out->awake_islands, body->island);
        if (splits && graph->cells.count > 0) b2d_bits_set(&out->split_islands, body->island);
        else if (splits &&
                 (timer[i] > out->split_timer || (timer[i] == out->split_timer && body->island > out->split_island))) {
            out->split_timer = timer[i];
            out->split_island = body->island;
        }
        if (travels_far >> i & 1u) b2d_record_motion(world, (int32_t)(ids - job->awake) + i, id);
        if (swept >> i & 1u) {
            b2d_bits_set(&out->fast, id);
            continue;
        }
        if (sweeps) {
            b2d_bits_set(&out->passing, id);
            out->sweeps_moving = out->sweeps_moving || body->type == B2D_KINEMATIC;
        }
        b2d_pose* to = b2d_world_pose(world, id);
        if (large_turn >> i & 1u) b2d_move_pose(to, body, row->dx, row->dy, row->angle);
        else {
            if (to->c < 0.0f && next_c[i] < 0.0f && (to->s < 0.0f) != (next_s[i] < 0.0f))
                body->turns += to->s < 0.0f ? -1 : 1;
            to->x += (double)move_x[i], to->y += (double)move_y[i];
            to->c = next_c[i], to->s = next_s[i];
        }
        if (!job->keeps_motions) row->dx = row->dy = row->angle = 0.0f;
        moved_bodies |= 1u << i;
    }

    for (uint32_t turned_far = moved_bodies & large_turn; turned_far != 0; turned_far &= turned_far - 1)
        b2d_refresh_boxes(world, ids[b2d_ctz64(turned_far)], &out->moved);
    moved_bodies &= ~large_turn;
    for (int32_t i = 0; i < V_LANES; i++)
        if (!(moved_bodies >> i & 1u)) shape_of[i] = B2D_NONE;
    while (moved_bodies != 0) {
        update_fat_boxes(world, index, shape_of, c, s, &next, out);
        for (uint32_t left = moved_bodies &= has_more_shapes; left != 0;
             left &= left - 1) { // continue with their next shapes
            const int32_t i = b2d_ctz64(left);
            if (shape_of[i] != B2D_NONE) shape_of[i] = world->shapes[shape_of[i]].next;
            if (shape_of[i] == B2D_NONE) moved_bodies &= ~(1u << i);
        }
    }
}

void B2D_KERNEL(b2d_finalize_bodies)(void* context, int32_t begin, int32_t end, int32_t worker) {
    const b2d_finalize_job* job = context;
    b2d_finalize_worker* out = &job->world->scratch->finalize_workers[worker];
    for (int32_t k = begin; k < end; k += V_LANES)
        finalize_group(job, job->awake + k, b2d_min_int(end - k, V_LANES), out);
}
