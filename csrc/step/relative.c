// csrc/step/relative.c - continuous collision of moving bodies with moving bodies.
//
// Pairs: a bullet that is fast (with continuous="all" every fast dynamic body) with every body that is not static, a
// body that moves far with every such body that it moves past (both are sweepers), a fast body with every plate that it
// crosses (plates.h), and a wall (a fast kinematic body) with every dynamic body, fast, slow or asleep. Those of other
// kinematic bodies come from platforms.c.
// Idea: 1. A body has a track: its pose at the beginning of the step, its motion, and the fraction of the step at which
// it stops. Fast bodies stop where their sweep against static shapes has ended. Slow bodies have been moved already;
// their beginning is computed back. 2. Pairs of shapes whose swept boxes overlap are collected in parallel and sorted
// by id. 3. The time of impact of each pair is computed in parallel, with both motions. 4. Impacts are decided serially
// in the order of time: an impact counts if it is the earliest of both its bodies (ties: the lower pair). A fast body
// stops at it. A body that is met by a kinematic body that moves is carried along for the rest of the step, unless a
// static shape stops it, because a kinematic body does not stop. A slow body is not cut: it moves less than half of its
// half width. Then the other pairs of the bodies that have stopped are computed again, in parallel, from that time on.
// So no result depends on the order of workers or on the broad phase: parallel parts write only rows of their own, and
// the serial part goes through pairs in the order of shape ids.
// Dynamic bodies that touch at the beginning of the step are left to the solver, which has moved both together; but the
// solver may fail to hold a heavy body at a light plate, so the centroid of a mover does not enter a free plate. A wall
// that turns goes on pressing what touches it: the body is carried from where it would get deeper into the wall.
// Limits: a carried body meets static shapes only, so bodies that a wall gathers in one step overlap and are pushed
// apart in the next steps.
// Proof: tests/physics/test_continuous.py, test_plates.py.
#include "step/relative.h"

#include "base/lower_bound.h"
#include "base/radix_sort.h"
#include "broadphase/proxies.h"
#include "objects/body.h"
#include "objects/callback.h"
#include "objects/contact.h"
#include "objects/proxy.h"
#include "solver/impact_round.h"
#include "step/continuous.h"
#include "step/impact.h"
#include "step/keys.h"
#include "step/motion.h"
#include "step/plates.h"

typedef struct track {
    int32_t body;
    int32_t turns; // whole turns at the beginning
    b2d_pose start;
    float dx, dy, angle;    // motion of the whole step
    float until;            // the fraction of the step at which it stops
    float travel;           // of its farthest point
    float taken;            // the fraction from which a wall carries it; above 1 if none does
    int32_t carrier, first; // the wall's track; its earliest impact in this round
    int32_t first_entry, entry_count;
    bool fast, sweeper, bullet, wall, moves; // `fast`: its motion may be cut
    bool platform;                           // kinematic, but no wall: its pairs come from platforms.c
    bool seeks;                              // a plate, or a mover before plates
    bool held;                               // its pose is still that of the beginning
    bool cut;                                // in this round
} track;

typedef struct entry { // a shape of a body that searches
    b2d_box box;       // swept
    int32_t shape, track;
} entry;

typedef struct meeting {
    int32_t shape, other; // a shape of a dynamic body, and one of any body
    int32_t track, met;   // the tracks of their bodies
    float fraction;       // above 1 if they do not meet
    b2d_vec2 normal;
    double x, y;
    bool over; // decided
} meeting;

typedef struct relative_job {
    b2d_world* world;
    const int32_t* awake;
    const b2d_bits* bodies; // of the tracks
    track* tracks;
    int32_t track_count;
    const entry* entries; // by track
    const entry* sorted;  // by min_x
    int32_t entry_count;
    float widest; // of the entries
    float reach;  // greatest motion of the other bodies
    const b2d_crossings* crossings;
    const uint64_t* keys; // of the meetings: pairs of shapes
    meeting* meetings;
} relative_job;

static track track_of(b2d_world* world, int32_t id) {
    const b2d_finalize_worker* first = &world->scratch->finalize_workers[0];
    const b2d_body_state* state = b2d_world_state(world, id);
    b2d_body body = world->graph.bodies[id];
    track t = {.body = id, .start = *b2d_world_pose(world, id), .until = 1.0f, .taken = 2.0f, .carrier = B2D_NONE};
    t.held = b2d_bits_has(&first->fast, id);
    bool passing = b2d_bits_has(&first->passing, id);
    t.moves = body.type == B2D_DYNAMIC;
    t.wall = passing && !t.moves;
    t.platform = !passing && !t.moves;
    t.fast = t.held || (passing && t.moves);
    t.sweeper = t.held && b2d_is_sweeper(world, id);
    t.seeks = !t.sweeper || b2d_bits_has(&world->plates, id);
    t.bullet = t.held && b2d_sweeps_always(world, id);
    t.dx = state->dx, t.dy = state->dy, t.angle = state->angle;
    t.travel = b2d_travel(world, id);
    if (!t.held && t.travel > 0.0f) b2d_move_pose(&t.start, &body, -t.dx, -t.dy, -t.angle);
    t.turns = body.turns;
    return t;
}

static b2d_pose pose_at(const track* t, float fraction) {
    b2d_pose pose = t->start;
    b2d_body body = {.turns = 0};
    fraction = b2d_min(fraction, t->until);
    b2d_move_pose(&pose, &body, fraction * t->dx, fraction * t->dy, fraction * t->angle);
    return pose;
}

static track* find_track(const relative_job* job, int32_t body) {
    int32_t at = b2d_lower_bound_id(&job->tracks->body, sizeof *job->tracks, job->track_count, body);
    return at < job->track_count && job->tracks[at].body == body ? &job->tracks[at] : NULL;
}

static b2d_box box_of(const b2d_world* world, const track* t, int32_t shape, const b2d_pose* end) {
    return b2d_swept_box(world, shape, &t->start, end, world->graph.bodies[t->body].extent, t->until * t->angle);
}

static void measure(void* context, int32_t begin, int32_t end, int32_t worker) {
    const relative_job* job = context;
    b2d_finalize_worker* out = &job->world->scratch->finalize_workers[worker];
    for (int32_t k = begin; k < end; k++)
        if (!b2d_bits_has(job->bodies, job->awake[k]))
            out->farthest = b2d_max(out->farthest, b2d_travel(job->world, job->awake[k]));
}

// Pairs

// Whether the first body may get through the second one, a plate.
static bool crosses(const b2d_world* world, const track* mover, const track* plate) {
    return mover->fast && b2d_crosses(world, mover->body, plate->body);
}

// One of two for which is_relevant is true.
static bool is_active(const b2d_world* world, const track* t) {
    return t->sweeper || t->wall || (t->fast && world->graph.bodies[t->body].joint_count == 0);
}

static bool is_relevant(const b2d_world* world, const track* a, const track* b) {
    if (a->bullet || b->bullet) return true;
    if ((a->sweeper || b->sweeper) && b2d_moves_past(world, a->body, b->body)) return true;
    if (crosses(world, a, b) || crosses(world, b, a)) return true;
    const track *wall = a->wall ? a : b, *other = a->wall ? b : a;
    if (!wall->wall || !other->moves) return false;
    // A body that the wall cannot pass in one step gets a contact in the next step.
    return other->fast || wall->travel + other->travel >
                              world->masses[other->body].safety_factor * world->graph.bodies[other->body].min_extent;
}

static void note(b2d_world* world, const track* a, int32_t shape_a, const track* b, int32_t shape_b,
                 b2d_key_list* keys) {
    const b2d_cells* cells = &world->graph.cells;
    if (a->platform || b->platform || b2d_cell_of_body(cells, a->body) != b2d_cell_of_body(cells, b->body)) return;
    if (!is_relevant(world, a, b) || !b2d_world_pair_allowed(world, shape_a, shape_b)) return;
    const int32_t contact = b2d_pair_set_find(&world->graph.pair_set, b2d_pair_key(shape_a, shape_b));
    const bool touches = contact != B2D_NONE && (world->graph.pairs[contact].flags & B2D_PAIR_TOUCHING);
    const bool cross = crosses(world, a, b), is_crossed = crosses(world, b, a);
    const bool enters = (cross && world->graph.bodies[b->body].joint_count == 0) ||
                        (is_crossed && world->graph.bodies[a->body].joint_count == 0); // joints may drive a plate
    if (touches && !a->wall && !b->wall && !enters) return;
    // The shape of a sweeper comes first, else that of a dynamic body, else that of a mover, else the lower id
    bool swap = a->sweeper != b->sweeper ? b->sweeper
                : a->moves != b->moves   ? b->moves
                                         : is_crossed || (!cross && shape_b < shape_a);
    uint64_t one = (uint64_t)(uint32_t)(swap ? shape_b : shape_a), two = (uint64_t)(uint32_t)(swap ? shape_a : shape_b);
    b2d_key_list_push(keys, one << 32 | two);
}

typedef struct search {
    const relative_job* job;
    const entry* from;
    b2d_key_list* keys;
} search;

static bool note_slow(void* context, int32_t shape) {
    const search* s = context;
    b2d_world* world = s->job->world;
    const int32_t body = world->shapes_hot[shape].body;
    const track* from = &s->job->tracks[s->from->track];
    if (!from->wall && !from->bullet && !b2d_moves_past(world, from->body, body)) return true;
    if (b2d_bits_has(s->job->bodies, body)) return true; // among the entries
    const track other = track_of(world, body);
    const b2d_pose end = pose_at(&other, 1.0f);
    if (b2d_box_overlaps(s->from->box, box_of(world, &other, shape, &end)))
        note(world, from, s->from->shape, &other, shape, s->keys);
    return true;
}

// Plates have a list of the movers near them, unless they are sweepers or walls, too.
static bool searches_boxes(const relative_job* job, const track* t) {
    return t->sweeper || t->wall || job->crossings->pairs == NULL;
}

static void collect(void* context, int32_t begin, int32_t end, int32_t worker) {
    const relative_job* job = context;
    b2d_world* world = job->world;
    for (int32_t k = begin; k < end; k++) {
        const entry* e = &job->sorted[k];
        const track* t = &job->tracks[e->track];
        search s = {job, e, &world->scratch->key_lists[worker]};
        // What moves out of the way of a body that only moves far is no thin plate that it passes
        const float reach = t->wall || t->bullet ? job->reach : t->seeks ? job->crossings->reach : 0.0f;
        if (searches_boxes(job, t))
            b2d_world_query_near(world, t->body, b2d_box_grow(e->box, reach),
                                 1u << B2D_PROXY_ASLEEP | 1u << B2D_PROXY_MOVING, note_slow, &s);
        if (!is_active(world, t)) continue;
        int32_t low = 0, high = job->entry_count; // the first entry that may reach this box
        while (low < high) {
            int32_t middle = (low + high) / 2;
            if (job->sorted[middle].box.min_x < e->box.min_x - job->widest) low = middle + 1;
            else high = middle;
        }
        for (; low < job->entry_count && job->sorted[low].box.min_x <= e->box.max_x; low++) {
            const entry* f = &job->sorted[low];
            const track* u = &job->tracks[f->track];
            if (u == t || !b2d_box_overlaps(e->box, f->box)) continue;
            if (f->shape < e->shape && is_active(world, u)) continue; // two such shapes find each other twice
            note(world, t, e->shape, u, f->shape, s.keys);
        }
    }
}

static bool is_near(const relative_job* job, const track* plate, b2d_box box) {
    const entry *e = job->entries + plate->first_entry, *last = e + plate->entry_count;
    while (e < last && !b2d_box_overlaps(e->box, box)) e++;
    return e < last;
}

static void collect_crossings(void* context, int32_t begin, int32_t end, int32_t worker) {
    const relative_job* job = context;
    b2d_world* world = job->world;
    for (int32_t k = begin; k < end; k++) {
        const uint64_t pair = job->crossings->pairs[k];
        const track* plate = find_track(job, (int32_t)(pair >> 32));
        const int32_t mover = (int32_t)(pair & 0xFFFFFFFFu);
        if (searches_boxes(job, plate) || b2d_bits_has(job->bodies, mover)) continue; // they have found each other
        if (!b2d_moves_past(world, mover, plate->body)) continue;
        const bool moved = !b2d_bits_has(&world->scratch->finalize_workers[0].fast, mover);
        if (!is_near(job, plate, b2d_path_box(world, mover, moved))) continue;
        const track t = track_of(world, mover);
        const b2d_pose at_end = pose_at(&t, 1.0f);
        for (int32_t s = world->graph.bodies[mover].shape_head; s != B2D_NONE; s = world->shapes[s].next) {
            if (world->proxies.proxy_class[s] == B2D_PROXY_NONE) continue;
            const b2d_box box = box_of(world, &t, s, &at_end);
            for (const entry *e = job->entries + plate->first_entry, *last = e + plate->entry_count; e < last; e++)
                if (b2d_box_overlaps(e->box, box))
                    note(world, plate, e->shape, &t, s, &world->scratch->key_lists[worker]);
        }
    }
}

static bool make_entries(relative_job* job) {
    b2d_world* world = job->world;
    int32_t count = 0;
    for (int32_t k = 0; k < job->track_count; k++) count += world->graph.bodies[job->tracks[k].body].shape_count;
    const size_t room = (size_t)(count + 1);
    uint64_t* order = b2d_arena_take(&world->scratch->arena, room * (2 * sizeof *order + 2 * sizeof(entry)));
    if (order == NULL) return false;
    entry *entries = (entry*)(order + 2 * room), *sorted = entries + room;
    count = 0;
    for (int32_t k = 0; k < job->track_count; k++) {
        track* t = &job->tracks[k];
        const b2d_pose end = pose_at(t, 1.0f);
        t->first_entry = count;
        for (int32_t s = world->graph.bodies[t->body].shape_head; s != B2D_NONE; s = world->shapes[s].next) {
            if (world->proxies.proxy_class[s] == B2D_PROXY_NONE) continue;
            const b2d_box box = box_of(world, t, s, &end);
            job->widest = b2d_max(job->widest, box.max_x - box.min_x);
            order[count] = (uint64_t)b2d_float_key(box.min_x) << 32 | (uint32_t)count;
            entries[count++] = (entry){box, s, k};
        }
        t->entry_count = count - t->first_entry;
    }
    job->widest *= 1.001f;
    b2d_radix_sort(order, order + room, count);
    for (int32_t k = 0; k < count; k++) sorted[k] = entries[order[k] & 0xFFFFFFFFu];
    job->entries = entries, job->sorted = sorted, job->entry_count = count;
    return true;
}

// Times of impact

// Whether the circles around two bodies, the second of which moves against the first, stay apart.
static bool stay_apart(const b2d_world* world, const track* t, const track* u, const b2d_pose* from,
                       const b2d_pose* met, b2d_vec2 motion) {
    const b2d_body* bodies = world->graph.bodies;
    const float reach = 1.001f * (bodies[t->body].extent + bodies[u->body].extent) + b2d_linear_slop(world);
    const b2d_vec2 a = b2d_pose_center(from), b = b2d_pose_center(met),
                   apart = b2d_v((float)(met->x - from->x) + b.x - a.x, (float)(met->y - from->y) + b.y - a.y);
    return b2d_nearest(apart, motion) > reach;
}

// The fraction after `now` at which the two shapes meet. Each body stops where its track ends.
static void find_impact(b2d_world* world, const track* t, const track* u, float now, meeting* m) {
    const float low = b2d_min(t->until, u->until), high = b2d_max(t->until, u->until), ends[2] = {low, high};
    m->fraction = 2.0f;
    for (int32_t part = 0; part < 2; part++) {
        const float end = ends[part];
        if (end <= now) continue;
        const b2d_pose from = pose_at(t, now), met = pose_at(u, now);
        const float share_t = b2d_max(b2d_min(end, t->until) - now, 0.0f),
                    share_u = b2d_max(b2d_min(end, u->until) - now, 0.0f);
        if (stay_apart(world, t, u, &from, &met,
                       b2d_v(share_u * u->dx - share_t * t->dx, share_u * u->dy - share_t * t->dy))) {
            now = end;
            continue;
        }
        const b2d_way way = b2d_way_of(&from, &from, share_t * t->dx, share_t * t->dy, share_t * t->angle),
                      other = b2d_way_of(&met, &from, share_u * u->dx, share_u * u->dy, share_u * u->angle);
        b2d_traveller traveller;
        b2d_traveller_make(world, m->shape, &way.sweep, way.begin, way.end, &traveller);
        traveller.pressed = u->wall;
        b2d_toi toi = {0};
        const float part_of = b2d_impact(world, &traveller, m->other, &other, 1.0f, &toi);
        if (part_of < 1.0f) {
            m->fraction = now + part_of * (end - now);
            m->normal = toi.normal;
            m->x = from.x + (double)toi.point.x, m->y = from.y + (double)toi.point.y;
            return;
        }
        now = end;
    }
}

static void find_impacts(void* context, int32_t begin, int32_t end, int32_t worker) {
    (void)worker;
    const relative_job* job = context;
    for (int32_t k = begin; k < end; k++) {
        meeting* m = &job->meetings[k];
        const int32_t shape = (int32_t)(job->keys[k] >> 32), other = (int32_t)(job->keys[k] & 0xFFFFFFFFu);
        const track *t = find_track(job, job->world->shapes_hot[shape].body),
                    *u = find_track(job, job->world->shapes_hot[other].body);
        *m = (meeting){
            .shape = shape, .other = other, .track = (int32_t)(t - job->tracks), .met = (int32_t)(u - job->tracks)};
        find_impact(job->world, t, u, 0.0f, m);
    }
}

// Resolution

static bool comes_before(const meeting* meetings, int32_t k, int32_t other) {
    return other == B2D_NONE || meetings[k].fraction < meetings[other].fraction;
}

// Decides all impacts that are the earliest of both bodies.
static bool resolve_round(const relative_job* job, int32_t count) {
    meeting* meetings = job->meetings;
    for (int32_t k = 0; k < job->track_count; k++) job->tracks[k].first = B2D_NONE, job->tracks[k].cut = false;
    for (int32_t k = 0; k < count; k++) {
        if (meetings[k].over || meetings[k].fraction > 1.0f) continue;
        track *t = &job->tracks[meetings[k].track], *u = &job->tracks[meetings[k].met];
        if (comes_before(meetings, k, t->first)) t->first = k;
        if (comes_before(meetings, k, u->first)) u->first = k;
    }
    bool any = false;
    for (int32_t k = 0; k < count; k++) {
        meeting* m = &meetings[k];
        track *t = &job->tracks[m->track], *u = &job->tracks[m->met];
        if (m->over || m->fraction > 1.0f || t->first != k || (u->fast && u->first != k)) continue;
        any = m->over = true;
        const b2d_swept_hit hit = {m->x, m->y, m->normal, m->fraction, t->body, m->shape, m->other};
        if (!b2d_swept_hit_stops(job->world, &hit)) continue;
        t->until = b2d_min(t->until, m->fraction), t->cut = true;
        if (!u->moves && u->travel > 0.0f) t->taken = m->fraction, t->carrier = m->met;
        else if (u->fast) u->until = b2d_min(u->until, m->fraction), u->cut = true;
    }
    return any;
}

// Computes the pairs again whose bodies have been cut in this round.
static void find_later_impacts(void* context, int32_t begin, int32_t end, int32_t worker) {
    (void)worker;
    const relative_job* job = context;
    for (int32_t k = begin; k < end; k++) {
        meeting* m = &job->meetings[k];
        const track *t = &job->tracks[m->track], *u = &job->tracks[m->met];
        if (m->over || !(t->cut || u->cut)) continue;
        if (t->carrier != B2D_NONE || u->carrier != B2D_NONE) m->over = true;
        else find_impact(job->world, t, u, b2d_max(t->cut ? t->until : 0.0f, u->cut ? u->until : 0.0f), m);
    }
}

static void put_back(b2d_world* world, const track* t) {
    b2d_body_state* state = b2d_world_state(world, t->body);
    *b2d_world_pose(world, t->body) = t->start;
    world->graph.bodies[t->body].turns = t->turns;
    state->dx = t->dx, state->dy = t->dy, state->angle = t->angle;
}

enum { MOST_PRESSED = 16 };

// Lists the contacts of a body with the wall that carries it, which has touched it since the step began.
static int32_t list_pressed(const b2d_solver* solver, int32_t body, int32_t wall, b2d_impact_member* members) {
    const b2d_graph* graph = solver->graph;
    int32_t count = b2d_impact_list_fixed(solver, body, members, MOST_PRESSED), kept = 0;
    for (int32_t k = 0; k < count; k++) {
        const b2d_pair* pair = &graph->pairs[members[k].contact];
        if (pair->body_a == wall || pair->body_b == wall) members[kept++] = members[k];
    }
    return kept;
}

// By how much contacts push a body out in a part of the step, in the axes of its beginning.
static b2d_vec2 push_out(const b2d_world* world, const b2d_impact_member* members, int32_t count, float part) {
    const float most = part * world->last_dt * b2d_in_units(world, B2D_OPTION_CONTACT_PUSH_SPEED);
    b2d_vec2 out = b2d_v(0.0f, 0.0f);
    for (int32_t k = 0; k < count; k++) {
        const b2d_contact_block* block = &world->graph.blocks[members[k].block];
        const int32_t lane = members[k].lane;
        const b2d_vec2 away = b2d_v(-block->nx[lane], -block->ny[lane]); // side A is the body
        const float deepest = b2d_min(block->point[0].initial_separation[lane],
                                      block->point[1].initial_separation[lane]),
                    missing = b2d_min(-deepest, most) - b2d_dot(out, away);
        if (missing > 0.0f) out = b2d_add(out, b2d_scale(missing, away));
    }
    return out;
}

// The contacts of a step have the normals of its beginning, but a wall that turns presses a body all the time. Seen
// from the wall, a body that goes straight on turns the other way. What presses it into the wall by that is one impact
// without restitution, with friction, in the axes of the beginning; then the velocity turns with the wall.
static void press(const b2d_solver* solver, b2d_impact_member* members, int32_t count, const track* t,
                  const track* wall, b2d_world* world) {
    b2d_body_state* state = b2d_world_state(world, t->body);
    const b2d_rot turn = b2d_integrate_rot((b2d_rot){1.0f, 0.0f}, wall->angle);
    const uint32_t flags = world->graph.bodies[t->body].flags;
    const float vx = state->vx, vy = state->vy, slop = b2d_linear_slop(world);
    state->vx += turn.s * vy, state->vy -= turn.s * vx;
    for (int32_t k = 0; k < count; k++)
        for (int32_t j = 0; j < 2; j++) {
            b2d_impact_member* m = &members[k];
            const b2d_impact_row normal = b2d_impact_member_row(solver, m, j, false),
                                 tangent = b2d_impact_member_row(solver, m, j, true);
            m->solved[j] = m->hit[j] = normal.inverse_mass > 0.0f &&
                                       world->graph.blocks[m->block].point[j].initial_separation[m->lane] < slop;
            m->grip[j] = 1.0f;
            m->slip[j] = b2d_impact_row_speed(&tangent) - b2d_impact_belt(solver, m);
        }
    const b2d_impact_round round = {solver, members, count, 1.0e-3f * slop / world->last_dt, false};
    b2d_impact_round_solve(&round);
    const b2d_vec2 v = b2d_rotate(turn, b2d_v(state->vx, state->vy));
    state->vx = flags & B2D_BODY_FLAG_LOCK_X ? 0.0f : v.x;
    state->vy = flags & B2D_BODY_FLAG_LOCK_Y ? 0.0f : v.y;
}

// The wall moves the body as if both were one rigid body, up to a static shape. `whole` becomes its motion of the step.
static bool carry(b2d_world* world, const track* t, const track* wall, b2d_motion* whole) {
    b2d_finalize_worker* out = &world->scratch->finalize_workers[0];
    const bool done = b2d_world_wake_body(world, t->body);
    if (world->graph.bodies[t->body].island != B2D_NONE)
        b2d_bits_set(&out->awake_islands, world->graph.bodies[t->body].island);
    put_back(world, t);
    b2d_stop_at(world, t->body, b2d_min(t->until, 1.0f), &out->moved);
    const b2d_pose *at = b2d_world_pose(world, t->body), from = pose_at(wall, t->taken), to = pose_at(wall, 1.0f);
    const b2d_vec2 center = b2d_pose_center(at),
                   lever = b2d_v((float)(at->x - from.x) + center.x, (float)(at->y - from.y) + center.y);
    const b2d_rot turn = b2d_rot_relative((b2d_rot){from.c, from.s}, (b2d_rot){to.c, to.s});
    const b2d_vec2 swung = b2d_sub(b2d_rotate(turn, lever), lever);
    b2d_body_state* state = b2d_world_state(world, t->body);
    const b2d_solver solver = {
        .graph = &world->graph, .states = (b2d_body_state*)world->states.data, .dt = world->last_dt};
    b2d_impact_member members[MOST_PRESSED];
    const int32_t count = list_pressed(&solver, t->body, wall->body, members);
    const b2d_vec2 out_by = b2d_rotate(turn, push_out(world, members, count, 1.0f - t->taken));
    if (count > 0) press(&solver, members, count, t, wall, world);
    const uint32_t flags = world->graph.bodies[t->body].flags;
    state->dx = flags & B2D_BODY_FLAG_LOCK_X ? 0.0f : (float)(to.x - from.x) + swung.x + out_by.x;
    state->dy = flags & B2D_BODY_FLAG_LOCK_Y ? 0.0f : (float)(to.y - from.y) + swung.y + out_by.y;
    state->angle = flags & B2D_BODY_FLAG_LOCK_ROTATION ? 0.0f : (1.0f - t->taken) * wall->angle;
    const float fraction = b2d_sweep_carried(world, t->body);
    const float angle = b2d_min(t->until, 1.0f) * t->angle + fraction * state->angle;
    b2d_move_by(world, t->body, fraction, &out->moved);
    const b2d_vec2 before = b2d_pose_center(&t->start), after = b2d_pose_center(at);
    *whole = (b2d_motion){t->start, (float)(at->x - t->start.x) + after.x - before.x,
                          (float)(at->y - t->start.y) + after.y - before.y, angle, t->body};
    return done;
}

// Gives the carried bodies that sensors may find their motions, so that both lists become one, sorted by body.
static void merge_motions(b2d_world* world, b2d_motion* merged, const b2d_motion* carried, int32_t carried_count) {
    int32_t count = 0, next = 0;
    for (int32_t k = 0; k <= carried_count; k++) {
        const int32_t body = k < carried_count ? carried[k].body : INT32_MAX;
        while (next < world->motion_count && world->motions[next].body < body) merged[count++] = world->motions[next++];
        if (k == carried_count) break;
        if (next < world->motion_count && world->motions[next].body == body) next++;
        if (b2d_body_meets_sensors(world, body)) merged[count++] = carried[k];
    }
    world->motions = merged;
    world->motion_count = count;
}

static bool apply(const relative_job* job, const int32_t* fast, float* fractions, int32_t fast_count) {
    b2d_world* world = job->world;
    int32_t carried_count = 0;
    for (int32_t k = 0; k < job->track_count; k++) carried_count += job->tracks[k].carrier != B2D_NONE;
    const size_t room = (size_t)(world->motion_count + 2 * carried_count + 1);
    b2d_motion* merged = b2d_arena_take(&world->scratch->arena, room * sizeof *merged);
    if (merged == NULL) return false;
    b2d_motion *carried = merged + world->motion_count + carried_count, *next = carried;
    for (int32_t k = 0; k < fast_count; k++) {
        const track* t = find_track(job, fast[k]);
        if (t != NULL) fractions[k] = t->carrier == B2D_NONE ? t->until : 1.0f; // what is carried is moved below
    }
    for (int32_t k = 0; k < job->track_count; k++) {
        const track* t = &job->tracks[k];
        if (t->carrier != B2D_NONE) {
            if (!carry(world, t, &job->tracks[t->carrier], next++)) world->step_failed = true;
        } else if (!t->held && t->until < 1.0f) {
            put_back(world, t);
            b2d_stop_at(world, t->body, t->until, &world->scratch->finalize_workers[0].moved);
        } else continue;
        world->counters.continuous_bodies += !t->held;
        b2d_bits_set(&world->swept, t->body);
    }
    if (world->motions != NULL && carried_count > 0) merge_motions(world, merged, carried, carried_count);
    return true;
}

enum { TRACK_GRAIN = 32, IMPACT_GRAIN = 8, CROSSING_GRAIN = 16 };

static void fill_tracks(void* context, int32_t begin, int32_t end, int32_t worker) {
    (void)worker;
    const relative_job* job = context;
    for (int32_t k = begin; k < end; k++) job->tracks[k] = track_of(job->world, job->tracks[k].body);
}

// Makes the tracks of these bodies in ascending order. Those of fast bodies end at their fractions.
static bool make_tracks(relative_job* job, const b2d_bits* bodies, const int32_t* fast, const float* fractions,
                        int32_t fast_count) {
    b2d_world* world = job->world;
    const int32_t count = b2d_bits_count(bodies);
    track* tracks = b2d_arena_take(&world->scratch->arena, (size_t)(count + 1) * sizeof *tracks);
    if (tracks == NULL) return false;
    int32_t at = 0;
    B2D_FOR_BITS (bodies, id) tracks[at++].body = id;
    job->tracks = tracks, job->track_count = count;
    b2d_parallel_for(world->scheduler, fill_tracks, job, count, TRACK_GRAIN);
    for (int32_t k = 0, next = 0; k < count && next < fast_count;) // both ascend
        if (tracks[k].body < fast[next]) k++;
        else if (tracks[k].body > fast[next]) next++;
        else tracks[k++].until = fractions[next++];
    return true;
}

typedef struct sweeper_job {
    const b2d_world* world;
    const int32_t* fast;
    bool* found;
} sweeper_job;

static void find_sweepers(void* context, int32_t begin, int32_t end, int32_t worker) {
    (void)worker;
    const sweeper_job* job = context;
    for (int32_t k = begin; k < end; k++) job->found[k] = b2d_is_sweeper(job->world, job->fast[k]);
}

// The bodies that search: sweepers and walls.
static bool list_searchers(b2d_world* world, const int32_t* fast, int32_t fast_count, b2d_bits* bodies) {
    sweeper_job job = {world, fast, b2d_arena_take(&world->scratch->arena, (size_t)(fast_count + 1))};
    if (job.found == NULL) return false;
    b2d_parallel_for(world->scheduler, find_sweepers, &job, fast_count, TRACK_GRAIN);
    for (int32_t k = 0; k < fast_count; k++)
        if (job.found[k]) b2d_bits_set(bodies, fast[k]);
    B2D_FOR_BITS (&world->scratch->finalize_workers[0].passing, id)
        if (world->graph.bodies[id].type == B2D_KINEMATIC) b2d_bits_set(bodies, id);
    return true;
}

bool b2d_world_relative(b2d_world* world, const int32_t* awake, int32_t awake_count, const int32_t* fast,
                        float* fractions, int32_t fast_count, const b2d_crossings* crossings,
                        const b2d_platform_pairs* platform_pairs) {
    relative_job job = {.world = world, .awake = awake, .crossings = crossings};
    b2d_bits* bodies = &world->scratch->finalize_workers[0].partners;
    job.bodies = bodies;
    bool done = list_searchers(world, fast, fast_count, bodies);
    if (done && !b2d_bits_is_empty(bodies)) {
        b2d_collect_moved(world); // queries find the slow bodies at their final poses
        world->broadphase_stale = true;
        done = b2d_world_update_broadphase(world);
    }
    done = done && make_tracks(&job, bodies, fast, fractions, fast_count) && make_entries(&job);
    int32_t count = 0;
    uint64_t* keys = NULL;
    bool reaches = false; // a wall or a bullet searches as far as other bodies move
    for (int32_t k = 0; done && k < job.track_count; k++) reaches |= job.tracks[k].wall || job.tracks[k].bullet;
    if (done) {
        for (int32_t w = 0; w < world->scratch->worker_count; w++) world->scratch->finalize_workers[w].farthest = 0.0f;
        if (reaches) b2d_parallel_for(world->scheduler, measure, &job, awake_count, 512);
        for (int32_t w = 0; w < world->scratch->worker_count; w++)
            job.reach = b2d_max(job.reach, world->scratch->finalize_workers[w].farthest);
        b2d_world_clear_keys(world);
        b2d_parallel_for(world->scheduler, collect, &job, job.entry_count, 8);
        b2d_parallel_for(world->scheduler, collect_crossings, &job, crossings->count, CROSSING_GRAIN);
        for (int32_t k = 0; k < platform_pairs->count; k++)
            b2d_key_list_push(&world->scratch->key_lists[0], platform_pairs->keys[k]);
        keys = b2d_world_join_keys(world, &count);
        done = keys != NULL;
    }
    if (done) {
        for (int32_t k = 0; k < count; k++) {
            b2d_bits_set(bodies, world->shapes_hot[keys[k] >> 32].body);
            b2d_bits_set(bodies, world->shapes_hot[keys[k] & 0xFFFFFFFFu].body);
        }
        job.meetings = b2d_arena_take(&world->scratch->arena, (size_t)(count + 1) * sizeof *job.meetings);
        done = job.meetings != NULL && make_tracks(&job, bodies, fast, fractions, fast_count);
    }
    b2d_bits_clear(bodies);
    if (!done) return false;
    job.keys = keys;
    b2d_parallel_for(world->scheduler, find_impacts, &job, count, IMPACT_GRAIN);
    while (resolve_round(&job, count))
        b2d_parallel_for(world->scheduler, find_later_impacts, &job, count, IMPACT_GRAIN);
    b2d_world_sort_refused(world); // the user's filter may have refused pairs
    return apply(&job, fast, fractions, fast_count);
}
