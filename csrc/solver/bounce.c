// csrc/solver/bounce.c - impacts before the first substep: restitution, one after the other, and stops in wedges.
//
// Idea: a contact that approaches faster than the threshold and will touch within the step is reflected with the
// velocities before the step. If the soft substeps stopped it first, they would share out its momentum among all bodies
// that touch, and energy that is spread so cannot be given back.
//
// Impacts go in rounds. One round reflects all contacts that approach at its beginning together; the bodies that they
// push approach others in the next round. So a row of balls passes a hit on ball by ball, and a box that lands on two
// floors at once rebounds straight. A round conserves energy at restitution 1 and never adds any below: each impulse j
// changes it by j (v + v') / 2, where v is the normal speed before the round and v' = -e v after it, or j is 0.
// Contacts at rest that do not bounce support the bodies in a round: a ball rebounds from a crate on the floor.
//
// Contacts of little restitution, which bounce in a pass after the substeps, count as such supports too. Where a body
// strikes several fixed things, those contacts stop it together, for the sweeps of a step do not converge in a wedge.
//
// Source: Smith, Kaufman, Vouga, Tamstorf, Grinspun, "Reflections on Simultaneous Impact" (2012), generalized
// reflections; the impulses of a round by projected Gauss-Seidel. Friction follows Coulomb's law for the impulses.
// Threads: stops in wedges body by body in any order; restitution serial, in the order of contact ids. The cost depends
// on the contacts that bounce.
// Proof: tests/physics/test_restitution.py.
#include "solver/bounce.h"
#include "base/radix_sort.h"

enum {
    MOST_MEMBERS = 256, // contacts of a round; what is farther away is left to the substeps
    MOST_VISITS = 4096, // visits of contacts in all rounds of an impact
    MOST_PASSES = 32,   // of Gauss-Seidel in a round
    SUPPORT_DEPTH = 4,  // contacts from the impact to the last support that counts
};

#define WEDGE_SPEED 0.25f // of the restitution threshold: a slower approach needs no help in a wedge

typedef struct member { // a contact near an impact
    int32_t contact, block, lane, depth;
    bool fixed;             // side B does not move
    bool solved[2], hit[2]; // by point, in this round: hit where it bounces, otherwise it supports
    float approach[2], slip[2], target[2], normal[2], tangent[2];
} member;

// Ids, in a table of fixed size. Half of the slots stay free, so that a search ends soon; a full set takes no more.
enum { SET_BITS = 10, SET_SIZE = 1 << SET_BITS };
typedef struct id_set {
    struct {
        int32_t id;
        uint32_t stamp; // of the set when the id was added: an older one is a free slot
    } slots[SET_SIZE];
    uint32_t stamp;
    int32_t count;
} id_set;

// 50 KB on the stack: the arena would have to grow whenever impacts come at a step that needs most of it.
typedef struct impact {
    const b2d_solver* solver;
    id_set seen, spread; // contacts that are members, bodies all of whose contacts are
    id_set bounced;      // contacts, in this step
    member members[MOST_MEMBERS];
    int32_t count;
    int32_t pushed[2 * MOST_MEMBERS]; // bodies that the last round has pushed
    int32_t pushed_count;
    float least; // m/s, slower approaches do not bounce
} impact;

typedef struct row { // the normal or the tangent of a point: its direction, levers and inverse effective mass
    b2d_body_state *a, *b;
    float dx, dy, arm_a, arm_b, mass_a, mass_b, turn_a, turn_b, inverse_mass;
} row;

// Returns the slot of the id, or the free slot where it belongs.
static uint32_t find_slot(const id_set* set, int32_t id) {
    uint32_t at = (uint32_t)id * 2654435761u >> (32 - SET_BITS);
    while (set->slots[at].stamp == set->stamp && set->slots[at].id != id) at = (at + 1) % SET_SIZE;
    return at;
}

static bool has_id(const id_set* set, int32_t id) { return set->slots[find_slot(set, id)].stamp == set->stamp; }

static bool add_id(id_set* set, int32_t id) { // false: it is a member, or the set is full
    const uint32_t at = find_slot(set, id);
    if (set->slots[at].stamp == set->stamp || set->count == SET_SIZE / 2) return false;
    set->slots[at].id = id, set->slots[at].stamp = set->stamp;
    set->count++;
    return true;
}

static void clear_set(id_set* set) { set->stamp++, set->count = 0; }

static row make_row(const b2d_solver* solver, const member* m, int32_t j, bool along_tangent) {
    const b2d_contact_block* block = &solver->graph->blocks[m->block];
    const int32_t lane = m->lane;
    const float nx = block->nx[lane], ny = block->ny[lane];
    row r = {.a = &solver->states[block->body_a[lane]], .b = &solver->states[block->body_b[lane]]};
    if (along_tangent) {
        r.dx = ny, r.dy = -nx;
        r.arm_a = -block->point[j].along_normal[lane];
        r.arm_b = r.arm_a - block->along_normal_shift[lane];
    } else {
        r.dx = nx, r.dy = ny;
        r.arm_a = block->point[j].normal_arm[lane];
        r.arm_b = r.arm_a + block->normal_arm_shift[lane];
    }
    r.mass_a = r.a->inverse_mass, r.turn_a = r.a->inverse_inertia * r.arm_a;
    if (!m->fixed) r.mass_b = r.b->inverse_mass, r.turn_b = r.b->inverse_inertia * r.arm_b;
    r.inverse_mass = r.mass_a + r.mass_b + (r.turn_a * r.arm_a + r.turn_b * r.arm_b);
    return r;
}

static float speed_of(const row* r) {
    return r->dx * (r->b->vx - r->a->vx) + r->dy * (r->b->vy - r->a->vy) + (r->b->w * r->arm_b - r->a->w * r->arm_a);
}

static void push(const row* r, float impulse) {
    r->a->vx -= r->mass_a * impulse * r->dx, r->a->vy -= r->mass_a * impulse * r->dy, r->a->w -= r->turn_a * impulse;
    if (r->mass_b == 0.0f && r->turn_b == 0.0f) return; // its row may be shared with other islands
    r->b->vx += r->mass_b * impulse * r->dx, r->b->vy += r->mass_b * impulse * r->dy, r->b->w += r->turn_b * impulse;
}

static member make_member(const b2d_solver* solver, int32_t contact, int32_t depth) {
    const b2d_graph* graph = solver->graph;
    const int32_t lane_index = graph->pairs[contact].lane_index;
    return (member){.contact = contact,
                    .block = lane_index / B2D_LANES,
                    .lane = lane_index % B2D_LANES,
                    .depth = depth,
                    .fixed = graph->contacts[contact].fixed != 0};
}

static void add_member(impact* all, int32_t contact, int32_t depth) {
    if (all->count == MOST_MEMBERS || !add_id(&all->seen, contact)) return;
    all->members[all->count++] = make_member(all->solver, contact, depth);
}

// Adds the contacts of a moving body.
static void spread_from(impact* all, int32_t body, int32_t depth) {
    const b2d_graph* graph = all->solver->graph;
    if (!b2d_moves(graph, body) || !add_id(&all->spread, body)) return;
    for (int32_t key = graph->bodies[body].contact_head; key != B2D_NONE; key = graph->contacts[key >> 1].next[key & 1])
        if (graph->contacts[key >> 1].color >= 0) add_member(all, key >> 1, depth);
}

static void clear_members(impact* all) {
    all->count = 0;
    clear_set(&all->seen);
    clear_set(&all->spread);
}

static float belt_of(const b2d_solver* solver, const member* m) {
    const b2d_extra_block* extra = solver->graph->extras[m->block];
    return extra == NULL ? 0.0f : extra->tangent_speed[m->lane];
}

static b2d_vec2 acceleration(const b2d_solver* solver, int32_t body) {
    const float inverse_mass = body == B2D_NONE ? 0.0f : solver->states[body].inverse_mass;
    if (inverse_mass == 0.0f) return b2d_v(0.0f, 0.0f);
    const b2d_body_mass* mass = &solver->masses[body];
    const b2d_vec2 gravity = b2d_gravity_of(solver, body);
    return b2d_v(mass->gravity_scale * gravity.x + inverse_mass * mass->force_x,
                 mass->gravity_scale * gravity.y + inverse_mass * mass->force_y);
}

// By how much the integration is late. A substep moves bodies by its last velocity, so they follow the exact parabola
// of a velocity that is half a substep of acceleration ahead. That one must be reflected, or each bounce on a floor
// loses speed.
static float lag(const b2d_solver* solver, const member* m) {
    const b2d_contact_block* block = &solver->graph->blocks[m->block];
    const b2d_vec2 a = acceleration(solver, block->body_a[m->lane]),
                   b = m->fixed ? b2d_v(0.0f, 0.0f) : acceleration(solver, block->body_b[m->lane]);
    return 0.5f * solver->h * b2d_dot(b2d_v(block->nx[m->lane], block->ny[m->lane]), b2d_sub(b, a));
}

// Decides what a point does in the coming round. Returns whether it bounces.
static bool aim(const impact* all, member* m, int32_t j) {
    const b2d_solver* solver = all->solver;
    const b2d_extra_block* extra = solver->graph->extras[m->block];
    const float apart = solver->graph->blocks[m->block].point[j].initial_separation[m->lane];
    const float e = extra == NULL ? 0.0f : extra->restitution[m->lane];
    const row normal = make_row(solver, m, j, false);
    const float speed = speed_of(&normal);
    m->target[j] = m->normal[j] = m->tangent[j] = 0.0f;
    m->hit[j] = e >= B2D_LEAST_IMPACT_RESTITUTION && speed < -all->least &&
                apart + speed * solver->dt < solver->linear_slop;
    if (m->hit[j]) {
        const float half = lag(solver, m),
                    again = e > 1.0f && has_id(&all->bounced, m->contact) ? 1.0f : e; // no gain twice in a step
        m->target[j] = b2d_max(-again * (speed + half) - half, 0.0f);
        m->approach[j] = speed;
        const row tangent = make_row(solver, m, j, true);
        m->slip[j] = speed_of(&tangent) - belt_of(solver, m);
    }
    const bool supports = (e < B2D_LEAST_IMPACT_RESTITUTION || m->fixed) && speed < all->least &&
                          apart < solver->linear_slop;
    m->solved[j] = (m->hit[j] || supports) && normal.inverse_mass > 0.0f;
    return m->hit[j];
}

// Returns whether some point bounces.
static bool aim_all(impact* all) {
    const b2d_graph* graph = all->solver->graph;
    bool hits = false;
    for (int32_t k = 0; k < all->count; k++) { // the loop adds members
        member* m = &all->members[k];
        const bool first = aim(all, m, 0), second = aim(all, m, 1), hit = first || second;
        hits = hits || hit;
        if (!hit && !((m->solved[0] || m->solved[1]) && m->depth < SUPPORT_DEPTH)) continue;
        for (int32_t side = 0; side < 2; side++)
            spread_from(all, side ? graph->pairs[m->contact].body_b : graph->pairs[m->contact].body_a,
                        hit ? 1 : m->depth + 1);
    }
    return hits;
}

// Solves a row for the wanted speed, its impulse within the bounds. Returns by how much the speed changed.
static float solve_row(const row* r, float wanted, float least, float most, float* impulse) {
    const float total = b2d_max(least, b2d_min(most, *impulse + (wanted - speed_of(r)) / r->inverse_mass));
    const float change = total - *impulse;
    *impulse = total;
    push(r, change);
    return fabsf(change) * r->inverse_mass;
}

static float solve_normals(const b2d_solver* solver, member* m) {
    float change = 0.0f;
    for (int32_t j = 0; j < 2; j++) {
        if (!m->solved[j]) continue;
        const row normal = make_row(solver, m, j, false);
        change = b2d_max(change, solve_row(&normal, m->target[j], 0.0f, 3.0e38f, &m->normal[j]));
    }
    return change;
}

static float solve_frictions(const b2d_solver* solver, member* m) {
    float change = 0.0f;
    for (int32_t j = 0; j < 2; j++) {
        const float limit = m->normal[j] * solver->graph->blocks[m->block].friction[m->lane];
        if (!m->hit[j] || (limit == 0.0f && m->tangent[j] == 0.0f)) continue;
        const row tangent = make_row(solver, m, j, true);
        change = b2d_max(change, solve_row(&tangent, belt_of(solver, m), -limit, limit, &m->tangent[j]));
    }
    return change;
}

static void iterate(impact* all, bool normals, bool frictions) {
    for (int32_t pass = 0; pass < MOST_PASSES; pass++) {
        float change = 0.0f;
        for (int32_t k = 0; k < all->count; k++) {
            if (normals) change = b2d_max(change, solve_normals(all->solver, &all->members[k]));
            if (frictions) change = b2d_max(change, solve_frictions(all->solver, &all->members[k]));
        }
        if (!(change > 1.0e-3f * all->least)) break;
    }
}

// The energy that friction has added: an impulse times the mean of the slips before and after.
static float work_of_friction(const impact* all) {
    float work = 0.0f;
    for (int32_t k = 0; k < all->count; k++)
        for (int32_t j = 0; j < 2; j++) {
            const member* m = &all->members[k];
            if (m->tangent[j] == 0.0f) continue;
            const row tangent = make_row(all->solver, m, j, true);
            work += 0.5f * m->tangent[j] * (m->slip[j] + speed_of(&tangent) - belt_of(all->solver, m));
        }
    return work;
}

static void undo_round(impact* all) {
    for (int32_t k = 0; k < all->count; k++)
        for (int32_t j = 0; j < 2; j++) {
            member* m = &all->members[k];
            const row normal = make_row(all->solver, m, j, false), tangent = make_row(all->solver, m, j, true);
            if (m->normal[j] != 0.0f) push(&normal, -m->normal[j]);
            if (m->tangent[j] != 0.0f) push(&tangent, -m->tangent[j]);
            m->normal[j] = m->tangent[j] = 0.0f;
        }
}

// Newton's law of restitution together with friction can add energy (Kane, 1984). Then friction comes after the normal
// impulses, so it can only take energy, and contacts that it makes approach each other are left to the next round.
static void solve_round(impact* all) {
    iterate(all, true, true);
    if (!(work_of_friction(all) > 0.0f)) return;
    undo_round(all);
    iterate(all, true, false);
    iterate(all, false, true);
}

// Hit events read the approach speeds and the greatest impulses.
static void record_peaks(const impact* all) {
    for (int32_t k = 0; k < all->count; k++) {
        const member* m = &all->members[k];
        b2d_extra_block* extra = all->solver->graph->extras[m->block];
        for (int32_t j = 0; extra != NULL && j < 2; j++) {
            if (!(m->normal[j] > 0.0f)) continue;
            float *peak = &extra->peak_impulse[j][m->lane], *approach = &extra->approach[j][m->lane];
            *peak = b2d_max(*peak, m->normal[j]);
            if (m->hit[j]) *approach = b2d_min(*approach, m->approach[j]);
        }
    }
}

// The next round begins at the bodies that were pushed.
static void finish_round(impact* all) {
    const b2d_graph* graph = all->solver->graph;
    all->pushed_count = 0;
    record_peaks(all);
    for (int32_t k = 0; k < all->count; k++) {
        member* m = &all->members[k];
        if (!(m->normal[0] > 0.0f) && !(m->normal[1] > 0.0f)) continue;
        all->pushed[all->pushed_count++] = graph->pairs[m->contact].body_a;
        all->pushed[all->pushed_count++] = graph->pairs[m->contact].body_b;
        if (m->hit[0] || m->hit[1]) (void)add_id(&all->bounced, m->contact);
    }
    clear_members(all);
    for (int32_t k = 0; k < all->pushed_count; k++) spread_from(all, all->pushed[k], 1);
}

static void bounce_from(impact* all, int32_t contact) {
    int32_t visits = 0;
    add_member(all, contact, 0);
    while (visits < MOST_VISITS && aim_all(all)) {
        visits += all->count;
        solve_round(all);
        finish_round(all);
    }
    clear_members(all);
}

static bool approaches(const b2d_solver* solver, int32_t block, int32_t lane) {
    const b2d_extra_block* extra = solver->graph->extras[block];
    if (!(extra->restitution[lane] >= B2D_LEAST_IMPACT_RESTITUTION)) return false;
    for (int32_t j = 0; j < 2; j++) {
        const float speed = extra->approach[j][lane],
                    apart = solver->graph->blocks[block].point[j].initial_separation[lane];
        if (speed < -solver->restitution_threshold && apart + speed * solver->dt < solver->linear_slop)
            return solver->graph->blocks[block].body_a[lane] != B2D_NONE; // not padding
    }
    return false;
}

// In the order of contacts, those of a cell of a packed world together
static uint64_t key_of(const b2d_graph* graph, int32_t contact) {
    const int32_t cells = graph->cells.count;
    return (uint64_t)(uint32_t)(cells == 0 ? 0 : contact % cells) << 32 | (uint32_t)contact;
}

// Writes the contacts that will bounce to `keys`, if it is not NULL. Returns how many.
static int32_t find_contacts(const b2d_solver* solver, uint64_t* keys) {
    const b2d_graph* graph = solver->graph;
    int32_t count = 0;
    B2D_FOR_BITS (&graph->extra_blocks, block)
        for (int32_t lane = 0; lane < B2D_LANES; lane++) {
            if (!approaches(solver, block, lane)) continue;
            if (keys != NULL) keys[count] = key_of(graph, graph->manifolds[block].contact[lane]);
            count++;
        }
    return count;
}

static bool gives_back_little(const b2d_solver* solver, const member* m) {
    const b2d_extra_block* extra = solver->graph->extras[m->block];
    return extra == NULL || extra->restitution[m->lane] < B2D_LEAST_IMPACT_RESTITUTION;
}

// The speed at which a point of the contact may approach, as a negative number: what is apart closes within the step.
static float closing_speed(const b2d_solver* solver, const member* m, int32_t j) {
    return -b2d_max(solver->graph->blocks[m->block].point[j].initial_separation[m->lane], 0.0f) / solver->dt;
}

// Whether some point of a contact without much restitution approaches faster than it may.
static bool strikes(const b2d_solver* solver, const member* m) {
    for (int32_t j = 0; j < 2; j++) {
        const row normal = make_row(solver, m, j, false);
        if (normal.inverse_mass > 0.0f &&
            speed_of(&normal) < closing_speed(solver, m, j) - WEDGE_SPEED * solver->restitution_threshold)
            return gives_back_little(solver, m);
    }
    return false;
}

// The impulses of an impact in the last step must not act again in each substep.
static void forget_impact(const b2d_solver* solver, const member* m) {
    b2d_contact_point* points = solver->graph->blocks[m->block].point;
    for (int32_t j = 0; j < 2; j++)
        if (points[j].normal_impulse[m->lane] * make_row(solver, m, j, false).inverse_mass >
            WEDGE_SPEED * solver->restitution_threshold)
            points[j].normal_impulse[m->lane] = points[j].tangent_impulse[m->lane] = 0.0f;
}

// Stops a body at all of its contacts with what does not move, the members, together.
static void stop_body(impact* all) {
    const b2d_solver* solver = all->solver;
    for (int32_t k = 0; k < all->count; k++) {
        member* m = &all->members[k];
        for (int32_t j = 0; j < 2; j++) {
            const row normal = make_row(solver, m, j, false), tangent = make_row(solver, m, j, true);
            m->solved[j] = m->hit[j] = gives_back_little(solver, m) && normal.inverse_mass > 0.0f;
            m->normal[j] = m->tangent[j] = 0.0f;
            m->target[j] = closing_speed(solver, m, j);
            m->approach[j] = speed_of(&normal);
            m->slip[j] = speed_of(&tangent) - belt_of(solver, m);
        }
    }
    solve_round(all);
    record_peaks(all);
    for (int32_t k = 0; k < all->count; k++) forget_impact(solver, &all->members[k]);
}

// The place of a contact with a fixed side in the order in which the contacts of a body are solved
static int32_t place_of(const b2d_graph* graph, const member* m) {
    const int32_t color = graph->contacts[m->contact].color;
    const b2d_color_list* list = &graph->overflow_contact_list[1];
    int32_t k = 0;
    if (color != B2D_OVERFLOW) return color;
    while (list->blocks[k] != m->block) k++;
    return B2D_OVERFLOW + k * B2D_LANES + m->lane;
}

static bool is_slow(const b2d_solver* solver, int32_t body) {
    const float least = WEDGE_SPEED * solver->restitution_threshold;
    const b2d_body_state* state = &solver->states[body];
    return state->vx * state->vx + state->vy * state->vy < least * least;
}

// In the order of its contacts, stops a body at each that it still strikes.
static void stop_at_each(const b2d_solver* solver, int32_t body) {
    const b2d_graph* graph = solver->graph;
    impact all; // its sets are not used
    all.solver = solver, all.count = 0, all.least = solver->restitution_threshold;
    for (int32_t key = graph->bodies[body].contact_head; key != B2D_NONE && all.count < MOST_MEMBERS;
         key = graph->contacts[key >> 1].next[key & 1])
        if (graph->contacts[key >> 1].color >= 0 && graph->contacts[key >> 1].fixed)
            all.members[all.count++] = make_member(solver, key >> 1, 0);
    if (all.count == 1) return; // the sweeps stop it
    for (int32_t visited = 0, last = -1; visited < all.count && !is_slow(solver, body); visited++) {
        int32_t next = 0, place = INT32_MAX;
        for (int32_t k = 0; k < all.count; k++) {
            const int32_t at = place_of(graph, &all.members[k]);
            if (at > last && at < place) next = k, place = at;
        }
        last = place;
        if (strikes(solver, &all.members[next])) stop_body(&all);
    }
}

typedef struct wedges {
    const b2d_solver* solver;
    const b2d_task_list* lists;
    int32_t list_count;
    uint16_t* striking; // by block, in the order of the lists: a bit for each lane whose body strikes
    const uint64_t* bodies;
} wedges;

// The k-th list if its contacts have a fixed side, otherwise NULL; the overflow comes after all others.
static const b2d_color_list* fixed_list(const wedges* all, int32_t k) {
    if (k == all->list_count) return &all->solver->graph->overflow_contact_list[1];
    return all->lists[k].fixed && !all->lists[k].is_joints ? all->lists[k].list : NULL;
}

static uint16_t striking_lanes(const b2d_solver* solver, const b2d_color_list* list, int32_t k) {
    const int32_t* body = solver->graph->blocks[list->blocks[k]].body_a;
    uint16_t lanes = 0;
    for (int32_t lane = 0; lane < b2d_color_list_live(list, k); lane++) {
        if (is_slow(solver, body[lane])) continue;
        const member m = {.block = list->blocks[k], .lane = lane, .fixed = true};
        if (strikes(solver, &m)) lanes |= (uint16_t)(1u << lane);
    }
    return lanes;
}

static void find_striking(void* context, int32_t begin, int32_t end, int32_t worker) {
    (void)worker;
    const wedges* all = context;
    for (int32_t k = 0, first = 0; k <= all->list_count && first < end; k++) {
        const b2d_color_list* list = fixed_list(all, k);
        const int32_t blocks = list == NULL ? 0 : b2d_color_list_blocks(list);
        for (int32_t block = b2d_max_int(begin - first, 0); block < b2d_min_int(end - first, blocks); block++)
            all->striking[first + block] = striking_lanes(all->solver, list, block);
        first += blocks;
    }
}

static void stop_range(void* context, int32_t begin, int32_t end, int32_t worker) {
    (void)worker;
    const wedges* all = context;
    for (int32_t k = begin; k < end; k++)
        if (k == 0 || all->bodies[k] != all->bodies[k - 1]) stop_at_each(all->solver, (int32_t)all->bodies[k]);
}

// The passes of a step do not converge where a body strikes several fixed things, and what is left would throw it out
// of a wedge. Each body is on its own here, so they may be stopped in any order. Between moving bodies the error is
// smaller, and heaps have too many such impacts (docs/decisions.md).
static bool stop_in_wedges(const b2d_solver* solver, const b2d_task_list* lists, int32_t list_count) {
    enum { BLOCK_GRAIN = 64, BODY_GRAIN = 8 };
    wedges all = {.solver = solver, .lists = lists, .list_count = list_count};
    int32_t blocks = 0, count = 0;
    for (int32_t k = 0; k <= list_count; k++)
        if (fixed_list(&all, k) != NULL) blocks += b2d_color_list_blocks(fixed_list(&all, k));
    if (blocks == 0) return true;
    all.striking = b2d_arena_take(solver->arena, (size_t)blocks * sizeof *all.striking);
    if (all.striking == NULL) return false;
    b2d_parallel_for(solver->scheduler, find_striking, &all, blocks, BLOCK_GRAIN);
    for (int32_t k = 0; k < blocks; k++) count += b2d_popcount64(all.striking[k]);
    if (count == 0) return true;
    uint64_t* bodies = b2d_arena_take(solver->arena, 2 * (size_t)count * sizeof *bodies);
    if (bodies == NULL) return false;
    count = 0;
    for (int32_t k = 0, first = 0; k <= list_count; k++) {
        const b2d_color_list* list = fixed_list(&all, k);
        for (int32_t block = 0; list != NULL && block < b2d_color_list_blocks(list); block++, first++)
            for (uint32_t left = all.striking[first]; left != 0; left &= left - 1)
                bodies[count++] = (uint64_t)solver->graph->blocks[list->blocks[block]].body_a[b2d_ctz64(left)];
    }
    b2d_radix_sort(bodies, bodies + count, count);
    all.bodies = bodies;
    b2d_parallel_for(solver->scheduler, stop_range, &all, count, BODY_GRAIN);
    return true;
}

bool b2d_bounce(const b2d_solver* solver, const b2d_task_list* lists, int32_t list_count) {
    const b2d_graph* graph = solver->graph;
    if (!stop_in_wedges(solver, lists, list_count)) return false;
    const int32_t count = find_contacts(solver, NULL);
    if (count == 0) return true;
    uint64_t* keys = b2d_arena_take(solver->arena, 2 * (size_t)count * sizeof *keys);
    if (keys == NULL) return false;
    (void)find_contacts(solver, keys);
    b2d_radix_sort(keys, keys + count, count);
    impact all = {.solver = solver, .seen.stamp = 1, .spread.stamp = 1, .bounced.stamp = 1};
    for (int32_t k = 0; k < count; k++) {
        if (k > 0 && keys[k] >> 32 != keys[k - 1] >> 32) clear_set(&all.bounced);
        const int32_t contact = (int32_t)keys[k], at = graph->pairs[contact].lane_index;
        const b2d_extra_block* extra = graph->extras[at / B2D_LANES];
        const float fastest = b2d_min(extra->approach[0][at % B2D_LANES], extra->approach[1][at % B2D_LANES]);
        all.least = b2d_max(solver->restitution_threshold, -1.0e-4f * fastest);
        bounce_from(&all, contact);
    }
    return true;
}
