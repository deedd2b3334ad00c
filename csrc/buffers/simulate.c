// csrc/buffers/simulate.c - moves the caller's bodies by one step: a warm start from the cache, then the soft step.
//
// The kernels are those of a world. They run on rows in the arena: the active bodies, numbered 0 to n - 1, and blocks
// of 16 contacts in the order in which the slots are solved, in a graph that has only the tables that solving reads.
// A body that does not move in this step is row -1, the hidden zero row. The program of passes is that of
// solver/schedule.c. A step in parts is the same sequence, with all that it needs in the arena between the parts.
// Threads: serial, no shared state. Proof: tests/api/test_buffers.py.
#include "base/cpu.h"
#include "base/scheduler.h"
#include "base/trace.h"
#include "buffers/rests.h"
#include "buffers/slots.h"
#include "solver/bounce.h"
#include "solver/schedule.h"
#include "solver/settings.h"

#include <math.h>

typedef struct b2d_buffer_run {
    b2d_workspace w;
    b2d_buffer_step step;
    // Copies of the caller's rows: all that is read before the results are written
    b2d_buffer_bodies own;
    b2d_buffer_cache own_cache;
    const b2d_buffer_bodies* bodies; // the copies
    const int32_t* active;
    const b2d_buffer_contact* contacts;
    const uint64_t* sleeping;
    const b2d_buffer_cache* cache;
    int32_t active_count, contact_count, sleeping_count, cached_count;
    int32_t* row_of; // by body: its place among the active ones, or B2D_NONE
    int32_t* cached; // by contact: row of the cache, or B2D_NONE
    int32_t* kept;   // rows of the cache of sleeping pairs
    int32_t kept_count;
    int32_t* lanes; // by contact: slot * 16 + lane
    b2d_slot* slots;
    int32_t slot_count;
    int32_t* rows; // 0 to n - 1
    b2d_solver solver;
    b2d_solve_costs costs;
    b2d_graph graph;
    b2d_arena arena;
    b2d_memory memory;
    uint64_t* tags; // the new rows of the cache
    b2d_buffer_impulse* impulses;
    int32_t halves; // of substeps, that are over
} simulation;

static bool is_extra(const b2d_buffer_contact* c) {
    return c->restitution > 0.0f || c->rolling_resistance > 0.0f || c->tangent_speed != 0.0f;
}

// Side A of a row of the solver moves: where body a of a contact does not, the sides are exchanged.
static bool is_exchanged(const simulation* s, const b2d_buffer_contact* c) {
    return !b2d_buffer_moves(s->bodies, c->body_a);
}

static b2d_status number_bodies(simulation* s) {
    B2D_WORKSPACE_TAKE(&s->w, s->row_of, s->bodies->count);
    B2D_WORKSPACE_TAKE(&s->w, s->cached, s->contact_count);
    B2D_WORKSPACE_TAKE(&s->w, s->kept, s->cached_count);
    const b2d_status status = b2d_workspace_fits(&s->w, 0);
    if (status != B2D_OK) return status;
    memset(s->row_of, 0xFF, (size_t)s->bodies->count * sizeof *s->row_of);
    for (int32_t k = 0; k < s->active_count; k++) s->row_of[s->active[k]] = k;
    for (int32_t k = 0; k < s->contact_count; k++) {
        const int32_t sides[2] = {s->contacts[k].body_a, s->contacts[k].body_b};
        for (int32_t side = 0; side < 2; side++)
            if (b2d_buffer_moves(s->bodies, sides[side]) && s->row_of[sides[side]] == B2D_NONE)
                return b2d_buffer_wrong(s->w.fault, B2D_ARG_CONTACTS, k, "a body of it is not active");
    }
    return B2D_OK;
}

// All three lists ascend: they are merged.
static b2d_status match_cache(simulation* s) {
    const uint64_t* tags = s->cache->tags;
    int32_t at = 0, needed = 0;
    for (int32_t k = 0; k < s->contact_count; k++) {
        const uint64_t tag = s->contacts[k].tag;
        while (at < s->cached_count && tags[at] < tag) at++;
        s->cached[k] = tag != 0 && at < s->cached_count && tags[at] == tag ? at : B2D_NONE;
        needed += tag != 0;
    }
    at = 0;
    for (int32_t k = 0, contact = 0; k < s->sleeping_count; k++) {
        while (contact < s->contact_count && s->contacts[contact].tag < s->sleeping[k]) contact++;
        if (contact < s->contact_count && s->contacts[contact].tag == s->sleeping[k])
            return b2d_buffer_wrong(s->w.fault, B2D_ARG_SLEEPING, k, "there is a contact with this tag");
        while (at < s->cached_count && tags[at] < s->sleeping[k]) at++;
        if (at < s->cached_count && tags[at] == s->sleeping[k]) s->kept[s->kept_count++] = at;
    }
    needed += s->kept_count;
    return needed <= s->cache->room ? B2D_OK : b2d_buffer_no_room(s->w.fault, B2D_ARG_CACHE_TAGS, needed);
}

static b2d_status pack_contacts(simulation* s) {
    b2d_slot_sides* sides;
    uint32_t* masks;
    B2D_WORKSPACE_TAKE(&s->w, sides, s->contact_count);
    B2D_WORKSPACE_TAKE(&s->w, s->lanes, s->contact_count);
    B2D_WORKSPACE_TAKE(&s->w, s->slots, s->contact_count);
    B2D_WORKSPACE_TAKE(&s->w, masks, s->active_count);
    const b2d_status status = b2d_workspace_fits(&s->w, 0);
    if (status != B2D_OK) return status;
    memset(masks, 0, (size_t)s->active_count * sizeof *masks);
    for (int32_t k = 0; k < s->contact_count; k++) {
        const b2d_buffer_contact* c = &s->contacts[k];
        const int32_t a = is_exchanged(s, c) ? c->body_b : c->body_a, b = is_exchanged(s, c) ? c->body_a : c->body_b;
        sides[k] = (b2d_slot_sides){s->row_of[a], b2d_buffer_moves(s->bodies, b) ? s->row_of[b] : B2D_NONE};
    }
    s->slot_count = b2d_slots_pack(sides, s->contact_count, 0, s->slots, s->lanes, masks);
    return B2D_OK;
}

// ---- the rows of the solver

static b2d_status take_rows(simulation* s) {
    b2d_graph* graph = &s->graph;
    b2d_solver* solver = &s->solver;
    b2d_workspace* w = &s->w;
    b2d_body* graph_bodies;
    b2d_body_state* states;
    b2d_bits* extras = &graph->extra_blocks;
    const int64_t rows = (int64_t)s->active_count + 1; // and the hidden one
    int32_t extra_count = 0;
    *extras = b2d_workspace_take_bits(w, s->slot_count);
    b2d_status status = b2d_workspace_fits(w, 0);
    if (status != B2D_OK) return status;
    b2d_workspace_clear_bits(extras);
    for (int32_t k = 0; k < s->contact_count; k++) {
        const int32_t slot = s->lanes[k] / B2D_LANES;
        if (!is_extra(&s->contacts[k]) || b2d_bits_has(extras, slot)) continue;
        b2d_bits_set(extras, slot);
        extra_count++;
    }
    b2d_extra_block* extra;
    B2D_WORKSPACE_TAKE(w, graph->blocks, s->slot_count);
    B2D_WORKSPACE_TAKE(w, graph->extras, s->slot_count);
    B2D_WORKSPACE_TAKE(w, solver->contact_steps, s->slot_count);
    B2D_WORKSPACE_TAKE(w, extra, extra_count);
    B2D_WORKSPACE_TAKE(w, graph->manifolds, extra_count > 0 ? s->slot_count : 0); // impacts look contacts up
    B2D_WORKSPACE_TAKE(w, graph->pairs, s->contact_count);
    B2D_WORKSPACE_TAKE(w, graph->contacts, s->contact_count);
    B2D_WORKSPACE_TAKE(w, graph_bodies, rows);
    B2D_WORKSPACE_TAKE(w, states, rows);
    B2D_WORKSPACE_TAKE(w, solver->masses, rows);
    B2D_WORKSPACE_TAKE(w, solver->steps, rows);
    B2D_WORKSPACE_TAKE(w, s->rows, rows);
    s->arena.capacity = (int64_t)(2 * sizeof(uint64_t) * B2D_LANES) * extra_count + B2D_WORKSPACE_LINE;
    s->arena.block = b2d_workspace_take(w, s->arena.capacity, 1);
    status = b2d_workspace_fits(w, 0);
    if (status != B2D_OK) return status;
    memset(graph_bodies, 0, (size_t)rows * sizeof *graph_bodies);
    memset(states, 0, (size_t)rows * sizeof *states);
    memset(extra, 0, (size_t)extra_count * sizeof *extra);
    graph_bodies[0].joint_head = B2D_NONE; // of what does not move
    graph->bodies = graph_bodies + 1;
    solver->states = states + 1;
    for (int32_t slot = 0; slot < s->slot_count; slot++) {
        b2d_slot_clear(&graph->blocks[slot]);
        graph->extras[slot] = b2d_bits_has(extras, slot) ? extra++ : NULL;
    }
    return B2D_OK;
}

static void write_bodies(simulation* s) {
    for (int32_t k = 0; k < s->active_count; k++) {
        const int32_t id = s->active[k];
        const b2d_buffer_mass* mass = &s->bodies->masses[id];
        const b2d_buffer_velocity* v = &s->bodies->velocities[id];
        const bool moves = b2d_buffer_moves(s->bodies, id);
        s->rows[k] = k;
        s->graph.bodies[k] = (b2d_body){
            .type = moves ? B2D_DYNAMIC : B2D_KINEMATIC, .contact_head = B2D_NONE, .joint_head = B2D_NONE};
        s->solver.states[k] = (b2d_body_state){
            .vx = v->x,
            .vy = v->y,
            .w = v->w,
            .inverse_mass = moves ? 1.0f / mass->mass : 0.0f,
            .inverse_inertia = moves && mass->inertia > 0.0f ? 1.0f / mass->inertia : 0.0f,
        };
        s->solver.masses[k] = (b2d_body_mass){.gravity_scale = mass->gravity_scale,
                                              .linear_damping = mass->linear_damping,
                                              .angular_damping = mass->angular_damping,
                                              .mass = mass->mass,
                                              .inertia = mass->inertia};
        s->solver.steps[k] = (b2d_body_step){0};
    }
}

static b2d_vec2 center_of(const b2d_buffer_pose* pose) {
    return b2d_rotate((b2d_rot){pose->c, pose->s}, b2d_v(pose->cx, pose->cy));
}

// The centre of mass of body a less that of body b.
static b2d_vec2 between_centers(const simulation* s, int32_t a, int32_t b) {
    const b2d_buffer_pose *pose_a = &s->bodies->poses[a], *pose_b = &s->bodies->poses[b];
    return b2d_add(b2d_v((float)(pose_a->x - pose_b->x), (float)(pose_a->y - pose_b->y)),
                   b2d_sub(center_of(pose_a), center_of(pose_b)));
}

static float kept_impulse(const b2d_buffer_impulse* old, uint16_t feature, bool along_normal) {
    for (int32_t j = 0; old != NULL && j < 2; j++)
        if (old->feature[j] == feature) return along_normal ? old->normal[j] : old->tangent[j];
    return 0.0f;
}

static void link_contact(b2d_graph* graph, int32_t id, int32_t side, int32_t body) {
    if (body == B2D_NONE) return;
    graph->contacts[id].next[side] = graph->bodies[body].contact_head;
    graph->bodies[body].contact_head = id << 1 | side;
}

static void write_contact(simulation* s, int32_t id) {
    const b2d_buffer_contact* c = &s->contacts[id];
    const bool exchanged = is_exchanged(s, c);
    const int32_t a = exchanged ? c->body_b : c->body_a, b = exchanged ? c->body_a : c->body_b;
    const int32_t block_index = s->lanes[id] / B2D_LANES, lane = s->lanes[id] % B2D_LANES;
    const b2d_buffer_impulse* old = s->cached[id] == B2D_NONE ? NULL : &s->cache->impulses[s->cached[id]];
    const b2d_vec2 shift = between_centers(s, a, b);
    const float sign = exchanged ? -1.0f : 1.0f;
    const b2d_vec2 n = {sign * c->normal[0], sign * c->normal[1]};
    b2d_contact_block* block = &s->graph.blocks[block_index];
    block->body_a[lane] = s->row_of[a], block->body_b[lane] = s->row_of[b];
    block->nx[lane] = n.x, block->ny[lane] = n.y;
    block->normal_arm_shift[lane] = b2d_cross(shift, n);
    block->along_normal_shift[lane] = b2d_dot(shift, n);
    block->friction[lane] = c->friction;
    block->radius_a[lane] = exchanged ? c->radius_b : c->radius_a;
    block->radius_b[lane] = exchanged ? c->radius_a : c->radius_b;
    for (int32_t j = 0; j < 2; j++) {
        b2d_contact_point* point = &block->point[j];
        if (c->feature[j] == 0xFFFF) continue;
        b2d_vec2 lever = {c->lever[j][0], c->lever[j][1]};
        if (exchanged) lever = b2d_sub(lever, shift); // it is from the centre of the other body
        point->normal_arm[lane] = b2d_cross(lever, n);
        point->along_normal[lane] = b2d_dot(lever, n);
        point->initial_separation[lane] = c->separation[j];
        point->normal_impulse[lane] = kept_impulse(old, c->feature[j], true);
        point->tangent_impulse[lane] = kept_impulse(old, c->feature[j], false);
    }
    b2d_move_arms(block, lane, s->solver.states, b2d_middle_of_step((float)s->step.dt, s->step.substeps));
    b2d_extra_block* extra = s->graph.extras[block_index];
    if (extra != NULL) {
        extra->restitution[lane] = c->restitution;
        extra->rolling[lane] = c->rolling_resistance;
        extra->tangent_speed[lane] = c->tangent_speed;
        extra->rolling_impulse[lane] = old == NULL || !(c->rolling_resistance > 0.0f) ? 0.0f : old->rolling;
        s->graph.manifolds[block_index].contact[lane] = id;
    }
    s->graph.pairs[id] = (b2d_pair){.body_a = s->row_of[a], .body_b = s->row_of[b], .lane_index = s->lanes[id]};
    s->graph.contacts[id] = (b2d_contact){.fixed = !b2d_buffer_moves(s->bodies, b), .next = {B2D_NONE, B2D_NONE}};
    link_contact(&s->graph, id, 0, s->row_of[a]);
    link_contact(&s->graph, id, 1, s->row_of[b]);
}

// ---- solving

static void make_solver(simulation* s) {
    double options[B2D_OPTION_COUNT] = {
#define B2D_OPTION(NAME, name, type, choices, standard, ...) standard,
#include "lists/options.def"
#undef B2D_OPTION
    };
    options[B2D_OPTION_GRAVITY_X] = s->step.gravity_x, options[B2D_OPTION_GRAVITY_Y] = s->step.gravity_y;
    b2d_solver* solver = &s->solver;
    solver->graph = &s->graph;
    solver->arena = &s->arena;
    solver->impulse_ratio = 1.0f;
    b2d_solver_set_numbers(solver, options, (float)s->step.dt, s->step.substeps);
    b2d_solver_set_kernels(solver, b2d_cpu_best());
    solver->costs = &s->costs;
}

static void run_pass(void* context, int32_t pass) {
    const simulation* s = context;
    b2d_bodies_pass(&s->solver, pass, s->rows, 0, s->active_count);
    if (!b2d_is_body_pass(pass)) b2d_slots_pass(&s->solver, s->slots, 0, s->slot_count, pass);
}

static void prepare(simulation* s) {
    b2d_run_program(&s->solver, B2D_STAGE_prepare, 0, 2, run_pass, s);
    const bool done = b2d_bounce(&s->solver, NULL, 0); // take_rows has made room for all contacts in its arena
    B2D_ASSERT(done);
    (void)done;
}

static int32_t halves_left(const simulation* s) { return 2 * s->step.substeps - s->halves; }

static void advance(simulation* s) {
    const int32_t half = s->halves++;
    b2d_run_program(&s->solver, B2D_STAGE_solve, half, half + 1, run_pass, s);
}

static b2d_status check_finite(const simulation* s) {
    for (int32_t k = 0; k < s->active_count; k++) {
        const b2d_body_state* row = &s->solver.states[k];
        const float sum = row->vx + row->vy + row->w + row->dx + row->dy + row->angle;
        if (!(fabsf(sum) <= 3.0e38f))
            return b2d_buffer_wrong(s->w.fault, B2D_ARG_ACTIVE, k, "the velocity of the body became infinite");
    }
    return B2D_OK;
}

// ---- the results

static void move_body(const simulation* s, const b2d_buffer_bodies* out, int32_t k) {
    const b2d_body_state* row = &s->solver.states[k];
    const int32_t id = s->active[k];
    b2d_buffer_pose pose = s->bodies->poses[id];
    const b2d_vec2 before = center_of(&pose);
    if (row->angle != 0.0f) {
        const b2d_rot q = b2d_integrate_rot((b2d_rot){pose.c, pose.s}, row->angle);
        pose.c = q.c, pose.s = q.s;
    }
    const b2d_vec2 turned = b2d_sub(before, center_of(&pose)); // the centre of mass moves by dx, dy
    pose.x += (double)row->dx + (double)turned.x;
    pose.y += (double)row->dy + (double)turned.y;
    out->poses[id] = pose;
    out->velocities[id] = (b2d_buffer_velocity){row->vx, row->vy, row->w};
    if (!b2d_buffer_moves(s->bodies, id)) return;
    // Half the speed of the actual motion counts as well: a body that is still pushed out of another is not idle.
    // With the radius of gyration as its lever, a rotation counts by its energy
    const b2d_buffer_mass* mass = &s->bodies->masses[id];
    const float gyration = sqrtf(mass->inertia / mass->mass), half = 0.5f / (float)s->step.dt;
    const float speed = b2d_length(b2d_v(row->vx, row->vy)) + fabsf(row->w) * gyration,
                motion = half * (b2d_length(b2d_v(row->dx, row->dy)) + fabsf(row->angle) * gyration);
    uint8_t* idle = &out->idle[id];
    *idle = b2d_max(speed, motion) < (float)s->step.idle_speed ? (uint8_t)b2d_min_int(*idle + 1, 255) : 0;
}

static b2d_buffer_impulse impulse_of(const simulation* s, int32_t id) {
    const int32_t block_index = s->lanes[id] / B2D_LANES, lane = s->lanes[id] % B2D_LANES;
    const b2d_buffer_contact* c = &s->contacts[id];
    const b2d_extra_block* extra = s->graph.extras[block_index];
    b2d_buffer_impulse impulse = {.rolling = extra == NULL ? 0.0f : extra->rolling_impulse[lane]};
    for (int32_t j = 0; j < 2; j++) {
        const b2d_contact_point* point = &s->graph.blocks[block_index].point[j];
        impulse.feature[j] = c->feature[j];
        if (c->feature[j] == 0xFFFF) continue;
        impulse.normal[j] = point->normal_impulse[lane];
        impulse.tangent[j] = point->tangent_impulse[lane];
    }
    return impulse;
}

// Merges the contacts and the kept rows into `tags` and `impulses`, and copies them to the cache of the caller.
static void write_cache(const simulation* s, const b2d_buffer_cache* out) {
    const b2d_buffer_cache* cache = s->cache;
    uint64_t* tags = s->tags;
    b2d_buffer_impulse* impulses = s->impulses;
    int32_t count = 0, kept = 0;
    for (int32_t id = 0; id <= s->contact_count; id++) {
        const uint64_t tag = id < s->contact_count ? s->contacts[id].tag : B2D_NO_TAG;
        for (; kept < s->kept_count && cache->tags[s->kept[kept]] < tag; kept++, count++) {
            tags[count] = cache->tags[s->kept[kept]];
            impulses[count] = cache->impulses[s->kept[kept]];
        }
        if (tag == 0 || tag == B2D_NO_TAG) continue;
        tags[count] = tag;
        impulses[count++] = impulse_of(s, id);
    }
    if (count > 0) {
        memcpy(out->tags, tags, (size_t)count * sizeof *tags);
        memcpy(out->impulses, impulses, (size_t)count * sizeof *impulses);
    }
    for (int32_t k = count; k < s->cached_count; k++) { // rows that were in use
        out->tags[k] = B2D_NO_TAG;
        out->impulses[k] = (b2d_buffer_impulse){.feature = {0}};
    }
}

static b2d_status check_all(const simulation* s) {
    b2d_buffer_fault* fault = s->w.fault;
    b2d_status status = b2d_buffer_check_step(&s->step, fault);
    if (status == B2D_OK) status = b2d_buffer_check_bodies(s->bodies, fault);
    if (status == B2D_OK) status = b2d_buffer_check_active(s->active, s->active_count, s->bodies->count, fault);
    if (status == B2D_OK) status = b2d_buffer_check_contacts(s->contacts, s->contact_count, s->bodies, fault);
    if (status == B2D_OK) status = b2d_buffer_check_sleeping(s->sleeping, s->sleeping_count, fault);
    if (status == B2D_OK) status = b2d_buffer_check_cache(s->cache, fault);
    return status;
}

static b2d_status lay_out(simulation* s) {
    b2d_status status = number_bodies(s);
    if (status == B2D_OK) status = match_cache(s);
    if (status == B2D_OK) status = pack_contacts(s);
    B2D_WORKSPACE_TAKE(&s->w, s->tags, s->contact_count + s->kept_count);
    B2D_WORKSPACE_TAKE(&s->w, s->impulses, s->contact_count + s->kept_count);
    if (status == B2D_OK) status = take_rows(s);
    if (status != B2D_OK) return status;
    write_bodies(s);
    for (int32_t k = s->contact_count - 1; k >= 0; k--) write_contact(s, k); // so the lists of bodies ascend
    make_solver(s);
    prepare(s);
    return B2D_OK;
}

// The rows of the solver take more than 64 bytes for a body and a contact. Asking for so much at once saves calls.
static int64_t least_room(const simulation* s) { return 64 * ((int64_t)s->active_count + s->contact_count); }

static b2d_status copy_rows(simulation* s, const b2d_buffer_bodies* bodies, const b2d_buffer_cache* cache) {
    const int32_t* active = s->active;
    const b2d_buffer_contact* contacts = s->contacts;
    const uint64_t* sleeping = s->sleeping;
    s->own.count = bodies->count, s->own_cache.room = cache->room;
    B2D_WORKSPACE_COPY(&s->w, s->own.poses, bodies->poses, bodies->count);
    B2D_WORKSPACE_COPY(&s->w, s->own.masses, bodies->masses, bodies->count);
    B2D_WORKSPACE_COPY(&s->w, s->own.velocities, bodies->velocities, bodies->count);
    B2D_WORKSPACE_COPY(&s->w, s->active, active, s->active_count);
    B2D_WORKSPACE_COPY(&s->w, s->contacts, contacts, s->contact_count);
    B2D_WORKSPACE_COPY(&s->w, s->sleeping, sleeping, s->sleeping_count);
    B2D_WORKSPACE_COPY(&s->w, s->own_cache.tags, cache->tags, cache->room);
    const int64_t cached = b2d_buffer_cache_count(cache); // a guess, as the caller may change it
    const b2d_status status = b2d_workspace_fits(&s->w, cached * (int64_t)sizeof *cache->impulses + least_room(s));
    if (status != B2D_OK) return status;
    s->cached_count = b2d_buffer_cache_count(&s->own_cache);
    B2D_WORKSPACE_COPY(&s->w, s->own_cache.impulses, cache->impulses, s->cached_count);
    s->bodies = &s->own, s->cache = &s->own_cache;
    return b2d_workspace_fits(&s->w, 0);
}

static b2d_status begin(simulation* s, const b2d_buffer_bodies* bodies, const b2d_buffer_cache* cache) {
    s->memory.fail_after = -1;
    s->arena.memory = &s->memory;
    b2d_status status = copy_rows(s, bodies, cache);
    if (status == B2D_OK) status = check_all(s);
    if (status != B2D_OK) return status;
    const uint32_t saved = b2d_float_enter();
    status = lay_out(s);
    b2d_float_leave(saved);
    return status;
}

static b2d_status finish(simulation* s, const b2d_buffer_bodies* bodies, const b2d_buffer_cache* cache) {
    const uint32_t saved = b2d_float_enter();
    while (halves_left(s) > 0) advance(s);
    b2d_run_program(&s->solver, B2D_STAGE_restitution, 0, 2, run_pass, s);
    const b2d_status status = check_finite(s);
    for (int32_t k = 0; k < s->active_count && status == B2D_OK; k++) move_body(s, bodies, k);
    if (status == B2D_OK) write_cache(s, cache);
    b2d_float_leave(saved);
    return status;
}

// ---- a step in parts

b2d_status b2d_buffers_begin(const b2d_buffer_bodies* bodies, const int32_t* active, int32_t active_count,
                             const b2d_buffer_contact* contacts, int32_t contact_count, const uint64_t* sleeping,
                             int32_t sleeping_count, const b2d_buffer_cache* cache, const b2d_buffer_step* step,
                             void* arena, int64_t arena_size, b2d_buffer_fault* fault, b2d_buffer_run** out) {
    b2d_workspace w = b2d_workspace_open(arena, arena_size, fault);
    simulation* s;
    B2D_WORKSPACE_TAKE(&w, s, 1);
    const b2d_status status = b2d_workspace_fits(&w, 0);
    if (status != B2D_OK) return status;
    *s = (simulation){.w = w,
                      .step = *step,
                      .active = active,
                      .contacts = contacts,
                      .sleeping = sleeping,
                      .active_count = active_count,
                      .contact_count = contact_count,
                      .sleeping_count = sleeping_count};
    *out = s;
    return begin(s, bodies, cache);
}

b2d_status b2d_buffers_finish(b2d_buffer_run* run, const b2d_buffer_bodies* bodies, const b2d_buffer_cache* cache) {
    return finish(run, bodies, cache);
}

b2d_status b2d_buffers_simulate(const b2d_buffer_bodies* bodies, const int32_t* active, int32_t active_count,
                                const b2d_buffer_contact* contacts, int32_t contact_count, const uint64_t* sleeping,
                                int32_t sleeping_count, const b2d_buffer_cache* cache, const b2d_buffer_step* step,
                                void* arena, int64_t arena_size, b2d_buffer_fault* fault) {
    b2d_buffer_run* run;
    const b2d_status status = b2d_buffers_begin(bodies, active, active_count, contacts, contact_count, sleeping,
                                                sleeping_count, cache, step, arena, arena_size, fault, &run);
    return status == B2D_OK ? finish(run, bodies, cache) : status;
}

void b2d_buffers_advance(b2d_buffer_run* run) {
    const uint32_t saved = b2d_float_enter();
    if (halves_left(run) > 0) advance(run);
    b2d_float_leave(saved);
}

int32_t b2d_buffers_left(const b2d_buffer_run* run) { return halves_left(run); }

void b2d_buffers_get_velocities(const b2d_buffer_run* run, b2d_buffer_velocity* out) {
    for (int32_t k = 0; k < run->active_count; k++) {
        const b2d_body_state* row = &run->solver.states[k];
        out[k] = (b2d_buffer_velocity){row->vx, row->vy, row->w};
    }
}

// The next substep repeats what the contacts did in this one and not what the program did, see api/staged.c.
b2d_status b2d_buffers_set_velocities(b2d_buffer_run* run, const b2d_buffer_velocity* in) {
    for (int32_t k = 0; k < run->active_count; k++)
        if (!(fabsf(in[k].x) <= 1.0e9f && fabsf(in[k].y) <= 1.0e9f && fabsf(in[k].w) <= 1.0e9f))
            return b2d_buffer_wrong(run->w.fault, B2D_ARG_LINEAR_VELOCITIES, k, "it is not finite or too high");
    for (int32_t k = 0; k < run->active_count; k++) {
        b2d_body_state* row = &run->solver.states[k];
        float* base = run->solver.steps[k].free_velocity;
        if (memcmp(&row->vx, &in[k], sizeof in[k]) == 0) continue; // adding 0 could change the sign of a zero
        base[0] += in[k].x - row->vx, base[1] += in[k].y - row->vy, base[2] += in[k].w - row->w;
        row->vx = in[k].x, row->vy = in[k].y, row->w = in[k].w;
    }
    return B2D_OK;
}

void b2d_buffers_placement(const b2d_buffer_run* run, double* centers, float* rotations) {
    for (int32_t k = 0; k < run->active_count; k++) {
        const b2d_body_state* row = &run->solver.states[k];
        const b2d_buffer_pose* pose = &run->bodies->poses[run->active[k]];
        const b2d_vec2 center = center_of(pose);
        const b2d_rot q = b2d_integrate_rot((b2d_rot){pose->c, pose->s}, row->angle);
        centers[2 * k] = pose->x + (double)center.x + (double)row->dx;
        centers[2 * k + 1] = pose->y + (double)center.y + (double)row->dy;
        rotations[2 * k] = q.c, rotations[2 * k + 1] = q.s;
    }
}
