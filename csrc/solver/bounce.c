// csrc/solver/bounce.c - impacts before the first substep: restitution, one after the other, and stops in wedges.
// restitution.c has the impacts that come after the last.
//
// Idea: a contact that approaches faster than the threshold and will touch within the step is reflected with the
// velocities before the step. If the soft substeps stopped it first, they would share out its momentum among all bodies
// that touch, and energy that is spread so cannot be given back.
//
// Impacts go in rounds. One round reflects all contacts that approach at its beginning together; the bodies that they
// push approach others in the next round. So a row of balls passes a hit on ball by ball, and a box that lands on two
// floors at once rebounds straight. A round conserves energy at restitution 1 and never adds any below: each impulse j
// changes it by j (v + v') / 2, where v is the normal speed before the round and v' = -e v after it, or j is 0.
// Contacts at rest that do not bounce support the bodies in a round: a ball rebounds from a crate on the floor. The
// joints of the bodies hold in it (impact_joints.c), so an impact goes through a machine to its other contacts.
//
// Contacts of little restitution count as such supports too. In a crowd they begin no rounds, because among many bodies
// impacts need many rounds for little effect: fixed things throw bodies without joints back here, and two bodies that
// touch nothing else each other; others bounce after the substeps.
// Where a body strikes several fixed things, those contacts stop it together: the sweeps do not converge in a wedge.
//
// Source: Smith, Kaufman, Vouga, Tamstorf, Grinspun, "Reflections on Simultaneous Impact" (2012), generalized
// reflections; the impulses of a round by projected Gauss-Seidel. Friction follows Coulomb's law for the impulses.
// Threads: what will bounce is found block by block (bounce_find.c), and bodies stop in wedges and are thrown back by
// fixed things one by one, all in any order. Where a contact bounces in rounds, restitution is serial, in the order of
// contact ids. The cost depends on the contacts that bounce.
// Proof: tests/physics/test_restitution.py.
#include "solver/bounce.h"
#include "base/radix_sort.h"
#include "solver/bounce_find.h"
#include "solver/impact_round.h"

enum {
    MOST_MEMBERS = 256, // contacts of a round; what is farther away is left to the substeps
    FEW_MEMBERS = 32,   // the same where the impact began with little restitution, or with joints
    MOST_VISITS = 4096, // visits of contacts in all rounds of an impact
};

#define WEDGE_SPEED 0.25f // of the restitution threshold: a slower approach needs no help in a wedge

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
    b2d_impact_member members[MOST_MEMBERS];
    int32_t count, most;
    bool joints;                      // impacts go through them
    bool full;                        // some contact found no room
    int32_t pushed[2 * MOST_MEMBERS]; // bodies that the last round has pushed
    int32_t pushed_count;
    float least;   // m/s, slower approaches do not bounce
    b2d_vec2 back; // m, by which the body that is thrown back has been moved to the surface in this round
} impact;

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

static float restitution_of(const b2d_solver* solver, const b2d_impact_member* m) {
    const b2d_extra_block* extra = solver->graph->extras[m->block];
    return extra == NULL ? 0.0f : extra->restitution[m->lane];
}

// Contacts that give back little have a place beside others that stop a body, unless they bounce in rounds.
static bool gives_back_little(const b2d_solver* solver, const b2d_impact_member* m) {
    if (!(restitution_of(solver, m) < B2D_LEAST_IMPACT_RESTITUTION)) return false;
    const b2d_extra_block* extra = solver->graph->extras[m->block];
    return !m->fixed || extra == NULL ||
           !b2d_bounces_in_rounds(solver, m->block, m->lane, true,
                                  b2d_min(extra->approach[0][m->lane], extra->approach[1][m->lane]));
}

static void add_member(impact* all, int32_t contact, int32_t depth) {
    if (has_id(&all->seen, contact)) return;
    if (all->count == all->most || !add_id(&all->seen, contact)) all->full = true;
    else all->members[all->count++] = b2d_impact_member_make(all->solver, contact, depth);
}

// Adds the contacts of a moving body, and of those that joints connect with it.
static void spread_from(impact* all, int32_t body, int32_t depth) {
    const b2d_graph* graph = all->solver->graph;
    if (!b2d_moves(graph, body) || !add_id(&all->spread, body)) return;
    for (int32_t key = graph->bodies[body].contact_head; key != B2D_NONE; key = graph->contacts[key >> 1].next[key & 1])
        if (graph->contacts[key >> 1].color >= 0) add_member(all, key >> 1, depth);
    for (int32_t key = graph->bodies[body].joint_head, other;
         all->joints && (other = b2d_impact_next_joined(graph, body, &key)) != B2D_NONE;)
        spread_from(all, other, depth);
}

static void clear_members(impact* all) {
    all->count = 0, all->full = false;
    clear_set(&all->seen);
    clear_set(&all->spread);
}

// Whether nothing that moves holds or touches the body.
static bool is_alone(const b2d_graph* graph, int32_t body) {
    if (graph->bodies[body].joint_count > 0) return false;
    for (int32_t key = graph->bodies[body].contact_head; key != B2D_NONE; key = graph->contacts[key >> 1].next[key & 1])
        if (graph->contacts[key >> 1].color >= 0 && !graph->contacts[key >> 1].fixed) return false;
    return true;
}

// A body that a fixed thing throws back was at its surface when they met. From deeper it would be pushed out as well,
// and rise higher than it fell from. So a body that is alone goes back to the surface, to the speed that it had there,
// and its contacts follow. What its speed cannot pay of a way uphill, its spin does.
static void go_back(impact* all, const b2d_impact_member* m, int32_t j) {
    const b2d_solver* solver = all->solver;
    const b2d_graph* graph = solver->graph;
    const b2d_contact_block* hit = &graph->blocks[m->block];
    const int32_t body = hit->body_a[m->lane]; // side A moves
    const float depth = -hit->point[j].initial_separation[m->lane];
    if (!m->fixed || !(depth > 0.0f) || !is_alone(graph, body)) return;
    b2d_body_state* state = &solver->states[body];
    float owed;
    const b2d_vec2 back = b2d_v(-depth * hit->nx[m->lane], -depth * hit->ny[m->lane]),
                   v = b2d_velocity_moved(b2d_v(state->vx, state->vy), b2d_free_acceleration(solver, body), back,
                                          solver->h, &owed);
    const float spin = state->w * state->w * state->inverse_mass;
    if (owed > 0.0f && spin > 0.0f) state->w *= sqrtf(b2d_max(1.0f - owed * state->inverse_inertia / spin, 0.0f));
    all->back = b2d_add(all->back, back);
    state->dx += back.x, state->dy += back.y;
    state->vx = v.x, state->vy = v.y;
    for (int32_t key = graph->bodies[body].contact_head; key != B2D_NONE;
         key = graph->contacts[key >> 1].next[key & 1]) {
        if (graph->contacts[key >> 1].color < 0) continue;
        const int32_t at = graph->pairs[key >> 1].lane_index, lane = at % B2D_LANES;
        b2d_contact_block* block = &graph->blocks[at / B2D_LANES];
        const float along = block->nx[lane] * back.x + block->ny[lane] * back.y;
        block->along_normal_shift[lane] += along;
        for (int32_t k = 0; k < 2; k++) {
            block->point[k].along_normal[lane] -= 0.5f * along;
            block->point[k].initial_separation[lane] -= along;
        }
    }
}

// Whether a point that approaches bounces before the first substep; then it is aimed. Its levers are those of the time
// at which it met the surface from where the body came, so points at one place keep the same ones.
static bool throw_point(impact* all, b2d_impact_member* m, int32_t j, float restitution) {
    const b2d_solver* solver = all->solver;
    b2d_rebound rebound;
    if (!b2d_may_bounce_early(solver, m->block, m->lane, m->fixed, m->approach[j])) return false;
    const float acceleration = b2d_normal_acceleration(solver, m->block, m->lane, m->fixed);
    if (!b2d_bounces_early(solver, m->block, m->lane, j, m->approach[j], acceleration, &rebound)) return false;
    const b2d_impact_row now = b2d_impact_member_row(solver, m, j, false);
    const b2d_contact_block* block = &solver->graph->blocks[m->block];
    m->timed[j] = b2d_lever_turns(solver, &now, m->fixed, block, m->lane, j);
    m->turned[j] = b2d_turn_to_impact(solver, &now, block, m->lane, j,
                                      block->point[j].initial_separation[m->lane] + now.dx * all->back.x +
                                          now.dy * all->back.y);
    const b2d_impact_row then = b2d_impact_member_row(solver, m, j, false);
    m->timed[j] = m->timed[j] && b2d_impact_row_speed(&then) < 0.0f;
    go_back(all, m, j);
    const b2d_impact_row normal = b2d_impact_member_row(solver, m, j, false);
    const float speed = b2d_impact_row_speed(&normal),
                apart = solver->graph->blocks[m->block].point[j].initial_separation[m->lane];
    rebound = b2d_rebound_make(solver, acceleration, speed, apart);
    b2d_impact_throw(m, j, &rebound, restitution, 1.0f + restitution, speed, apart);
    return true;
}

// Whether a joint holds the bodies of a contact in each other: the surfaces met before the last step, so that was no
// impact. In a round that knows the joints such points would reverse a motion about a hinge, with next to no lever.
static bool is_held_in(const b2d_solver* solver, const b2d_impact_member* m, float apart, float speed) {
    const b2d_pair* pair = &solver->graph->pairs[m->contact];
    return apart < speed * solver->dt - solver->linear_slop &&
           b2d_impact_are_joined(solver->graph, pair->body_a, pair->body_b);
}

// Decides what a point does in the coming round. Returns whether it bounces.
static bool aim(impact* all, b2d_impact_member* m, int32_t j) {
    const b2d_solver* solver = all->solver;
    const b2d_extra_block* extra = solver->graph->extras[m->block];
    const float apart = solver->graph->blocks[m->block].point[j].initial_separation[m->lane];
    const float e = extra == NULL ? 0.0f : extra->restitution[m->lane];
    const b2d_impact_row normal = b2d_impact_member_row(solver, m, j, false);
    const float speed = b2d_impact_row_speed(&normal);
    m->timed[j] = false;
    m->target[j] = m->normal[j] = m->tangent[j] = 0.0f;
    m->approach[j] = speed;
    const float again = e > 1.0f && has_id(&all->bounced, m->contact) ? 1.0f : e; // no gain twice in a step
    m->hit[j] = speed < -all->least && !is_held_in(solver, m, apart, speed) &&
                b2d_bounces_in_rounds(solver, m->block, m->lane, m->fixed, speed) && throw_point(all, m, j, again);
    if (m->hit[j]) {
        const b2d_impact_row tangent = b2d_impact_member_row(solver, m, j, true);
        m->slip[j] = b2d_impact_row_speed(&tangent) - b2d_impact_belt(solver, m);
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
    all->back = b2d_v(0.0f, 0.0f);
    for (int32_t k = 0; k < all->count; k++) { // the loop adds members
        b2d_impact_member* m = &all->members[k];
        const bool first = aim(all, m, 0), second = aim(all, m, 1), hit = first || second;
        hits = hits || hit;
        if (!hit && !((m->solved[0] || m->solved[1]) && m->depth < B2D_SUPPORT_DEPTH)) continue;
        for (int32_t side = 0; side < 2; side++)
            spread_from(all, side ? graph->pairs[m->contact].body_b : graph->pairs[m->contact].body_a,
                        hit ? 1 : m->depth + 1);
    }
    return hits;
}

static void solve_round(impact* all, bool joints) {
    const b2d_impact_round round = {all->solver, all->members, all->count, 1.0e-3f * all->least, joints};
    b2d_impact_round_solve(&round);
}

// The substeps leave a body no more spin than this, so no impact may (integrate.c).
static void limit_spin(const b2d_solver* solver, int32_t body) {
    if (!b2d_moves(solver->graph, body) || (solver->steps[body].flags & B2D_STEP_FAST_ROTATION)) return;
    float* w = &solver->states[body].w;
    *w = b2d_max(-solver->max_rotation, b2d_min(solver->max_rotation, *w));
}

// Hit events read the approach speeds and the greatest impulses.
static void record_peaks(const impact* all) {
    for (int32_t k = 0; k < all->count; k++) {
        const b2d_impact_member* m = &all->members[k];
        if (!(m->normal[0] > 0.0f) && !(m->normal[1] > 0.0f)) continue;
        const b2d_pair* pair = &all->solver->graph->pairs[m->contact];
        limit_spin(all->solver, pair->body_a), limit_spin(all->solver, pair->body_b);
        b2d_extra_block* extra = all->solver->graph->extras[m->block];
        for (int32_t j = 0; extra != NULL && j < 2; j++) {
            if (!(m->normal[j] > 0.0f)) continue;
            float *peak = &extra->peak_impulse[j][m->lane], *approach = &extra->approach[j][m->lane];
            *peak = b2d_max(*peak, m->normal[j]);
            if (m->hit[j]) *approach = b2d_min(*approach, m->approach[j]);
        }
    }
}

// What strikes later in the step does so with the speed that the rounds have left: reflected with that before them, a
// body whose ends land one after the other would gain energy.
static void note_speeds(const impact* all) {
    for (int32_t k = 0; k < all->count; k++) {
        const b2d_impact_member* m = &all->members[k];
        b2d_extra_block* extra = all->solver->graph->extras[m->block];
        for (int32_t j = 0; extra != NULL && j < 2; j++) {
            if (extra->peak_impulse[j][m->lane] > 0.0f) continue;
            const b2d_impact_row row = b2d_impact_row_make(all->solver, m->block, m->lane, m->fixed, j, false);
            extra->approach[j][m->lane] = b2d_impact_row_speed(&row);
        }
    }
}

// The next round begins at the bodies that were pushed, if there are any.
static void finish_round(impact* all) {
    const b2d_graph* graph = all->solver->graph;
    all->pushed_count = 0;
    record_peaks(all);
    for (int32_t k = 0; k < all->count; k++) {
        b2d_impact_member* m = &all->members[k];
        if (!(m->normal[0] > 0.0f) && !(m->normal[1] > 0.0f)) continue;
        all->pushed[all->pushed_count++] = graph->pairs[m->contact].body_a;
        all->pushed[all->pushed_count++] = graph->pairs[m->contact].body_b;
        if (m->hit[0] || m->hit[1]) (void)add_id(&all->bounced, m->contact);
    }
    clear_members(all);
    for (int32_t k = 0; k < all->pushed_count; k++) spread_from(all, all->pushed[k], 1);
}

static bool is_jointed(const impact* all, int32_t contact) {
    const b2d_graph* graph = all->solver->graph;
    const b2d_pair* pair = &graph->pairs[contact];
    return (b2d_moves(graph, pair->body_a) && graph->bodies[pair->body_a].joint_count > 0) ||
           (b2d_moves(graph, pair->body_b) && graph->bodies[pair->body_b].joint_count > 0);
}

static void begin_round(impact* all, int32_t contact) {
    clear_members(all);
    if (all->pushed_count == 0) add_member(all, contact, 0);
    for (int32_t k = 0; k < all->pushed_count; k++) spread_from(all, all->pushed[k], 1);
}

// Where a machine has more contacts than there is room for, those without a place would let its joints turn the blow
// into a kick: then bodies bounce as if there were no joints.
static void bounce_from(impact* all, int32_t contact) {
    int32_t visits = 0;
    const bool jointed = is_jointed(all, contact);
    all->most = MOST_MEMBERS, all->joints = true, all->pushed_count = 0;
    begin_round(all, contact);
    if (restitution_of(all->solver, &all->members[0]) < B2D_LEAST_IMPACT_RESTITUTION || jointed)
        all->most = FEW_MEMBERS;
    while (visits < MOST_VISITS && aim_all(all)) {
        visits += all->count;
        if (jointed && all->joints && all->full) {
            all->most = MOST_MEMBERS, all->joints = false;
            begin_round(all, contact);
            continue;
        }
        solve_round(all, all->joints);
        finish_round(all);
    }
    note_speeds(all);
    clear_members(all);
}

// The speed at which a point of the contact may approach, as a negative number: what is apart closes within the step.
static float closing_speed(const b2d_solver* solver, const b2d_impact_member* m, int32_t j) {
    return -b2d_max(solver->graph->blocks[m->block].point[j].initial_separation[m->lane], 0.0f) / solver->dt;
}

// Whether some point of a contact without much restitution approaches faster than it may.
static bool strikes(const b2d_solver* solver, const b2d_impact_member* m) {
    for (int32_t j = 0; j < 2; j++) {
        const b2d_impact_row normal = b2d_impact_member_row(solver, m, j, false);
        if (normal.inverse_mass > 0.0f &&
            b2d_impact_row_speed(&normal) < closing_speed(solver, m, j) - WEDGE_SPEED * solver->restitution_threshold)
            return gives_back_little(solver, m);
    }
    return false;
}

// The impulses of an impact in the last step must not act again in each substep.
static void forget_impact(const b2d_solver* solver, const b2d_impact_member* m) {
    b2d_contact_point* points = solver->graph->blocks[m->block].point;
    for (int32_t j = 0; j < 2; j++)
        if (points[j].normal_impulse[m->lane] * b2d_impact_member_row(solver, m, j, false).inverse_mass >
            WEDGE_SPEED * solver->restitution_threshold)
            points[j].normal_impulse[m->lane] = points[j].tangent_impulse[m->lane] = 0.0f;
}

// Stops a body at all of its contacts with what does not move, the members, together. Those that bounce throw it back.
static void stop_body(impact* all) {
    const b2d_solver* solver = all->solver;
    all->back = b2d_v(0.0f, 0.0f);
    for (int32_t k = 0; k < all->count; k++) {
        b2d_impact_member* m = &all->members[k];
        for (int32_t j = 0; j < 2; j++) {
            m->timed[j] = false;
            const b2d_impact_row normal = b2d_impact_member_row(solver, m, j, false);
            m->solved[j] = m->hit[j] = gives_back_little(solver, m) && normal.inverse_mass > 0.0f;
            m->normal[j] = m->tangent[j] = 0.0f;
            m->approach[j] = b2d_impact_row_speed(&normal);
            m->target[j] = closing_speed(solver, m, j), m->grip[j] = 1.0f;
            if (m->solved[j] && m->approach[j] < -solver->restitution_threshold)
                (void)throw_point(all, m, j, restitution_of(solver, m));
            const b2d_impact_row tangent = b2d_impact_member_row(solver, m, j, true);
            m->slip[j] = b2d_impact_row_speed(&tangent) - b2d_impact_belt(solver, m);
        }
    }
    solve_round(all, false);
    record_peaks(all);
    note_speeds(all);
    for (int32_t k = 0; k < all->count; k++) forget_impact(solver, &all->members[k]);
}

// The place of a contact with a fixed side in the order in which the contacts of a body are solved
static int32_t place_of(const b2d_graph* graph, const b2d_impact_member* m) {
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
    all.solver = solver, all.least = solver->restitution_threshold;
    all.count = b2d_impact_list_fixed(solver, body, all.members, MOST_MEMBERS);
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
        const b2d_impact_member m = {.block = list->blocks[k], .lane = lane, .fixed = true};
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
// smaller, and heaps have too many such impacts (docs/decisions/solver.md).
static bool stop_in_wedges(const b2d_solver* solver, const b2d_task_list* lists, int32_t list_count) {
    enum { BLOCK_GRAIN = 8, BODY_GRAIN = 8 };
    wedges all = {.solver = solver, .lists = lists, .list_count = list_count};
    int32_t blocks = 0, count = 0;
    for (int32_t k = 0; k <= list_count; k++)
        if (fixed_list(&all, k) != NULL) blocks += b2d_color_list_blocks(fixed_list(&all, k));
    if (blocks == 0) return true;
    all.striking = b2d_arena_take(solver->arena, (size_t)blocks * sizeof *all.striking);
    if (all.striking == NULL) return false;
    const b2d_stage stage = {find_striking, &all, blocks, BLOCK_GRAIN};
    b2d_scheduler_run_entered(solver->scheduler, &stage, 1);
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

// From all fixed contacts of its body at once, or two bodies that are alone; an impact before may have done it.
static void throw_back(impact* all, int32_t contact) {
    const b2d_impact_member m = b2d_impact_member_make(all->solver, contact, 0);
    const float acceleration = b2d_normal_acceleration(all->solver, m.block, m.lane, m.fixed);
    bool any = false;
    for (int32_t j = 0; j < 2; j++) {
        const b2d_impact_row normal = b2d_impact_member_row(all->solver, &m, j, false);
        const float speed = b2d_impact_row_speed(&normal);
        b2d_rebound rebound;
        any = any || (speed < -all->solver->restitution_threshold &&
                      b2d_bounces_early(all->solver, m.block, m.lane, j, speed, acceleration, &rebound));
    }
    if (!any) return;
    if (m.fixed)
        all->count = b2d_impact_list_fixed(all->solver, all->solver->graph->blocks[m.block].body_a[m.lane],
                                           all->members, MOST_MEMBERS);
    else all->members[0] = m, all->count = 1;
    stop_body(all);
}

typedef struct throws {
    const b2d_solver* solver;
    const uint64_t* keys; // body << 32 | contact, sorted
    int32_t count;
} throws;

// Approaches that are slower than this do not bounce.
static float least_of(const b2d_solver* solver, int32_t contact) {
    const int32_t at = solver->graph->pairs[contact].lane_index;
    const b2d_extra_block* extra = solver->graph->extras[at / B2D_LANES];
    return b2d_max(solver->restitution_threshold,
                   -1.0e-4f * b2d_min(extra->approach[0][at % B2D_LANES], extra->approach[1][at % B2D_LANES]));
}

static void throw_range(void* context, int32_t begin, int32_t end, int32_t worker) {
    (void)worker;
    const throws* t = context;
    impact all; // its sets are not used
    all.solver = t->solver;
    for (int32_t k = begin; k < end; k++) {
        const uint64_t body = t->keys[k] >> 32;
        if (k > 0 && t->keys[k - 1] >> 32 == body) continue; // with the first of its contacts
        for (int32_t j = k; j < t->count && t->keys[j] >> 32 == body; j++) {
            all.least = least_of(t->solver, (int32_t)t->keys[j]);
            throw_back(&all, (int32_t)t->keys[j]);
        }
    }
}

// Contacts of little restitution have a fixed side here, or bodies that are alone: each body is on its own.
static void throw_all(const b2d_solver* solver, uint64_t* keys, int32_t count) {
    enum { GRAIN = 4 };
    const b2d_graph* graph = solver->graph;
    throws t = {solver, keys, count};
    for (int32_t k = 0; k < count; k++) {
        const int32_t at = graph->pairs[(int32_t)keys[k]].lane_index;
        keys[k] = (uint64_t)(uint32_t)graph->blocks[at / B2D_LANES].body_a[at % B2D_LANES] << 32 | (uint32_t)keys[k];
    }
    b2d_radix_sort(keys, keys + count, count);
    b2d_parallel_for(solver->scheduler, throw_range, &t, count, GRAIN);
}

static bool in_rounds(const b2d_solver* solver, int32_t contact) {
    const b2d_graph* graph = solver->graph;
    const int32_t at = graph->pairs[contact].lane_index, block = at / B2D_LANES, lane = at % B2D_LANES;
    const b2d_extra_block* extra = graph->extras[block];
    return b2d_bounces_in_rounds(solver, block, lane, graph->contacts[contact].fixed != 0,
                                 b2d_min(extra->approach[0][lane], extra->approach[1][lane]));
}

static void reflect(const b2d_bounce_search* s) {
    const b2d_solver* solver = s->solver;
    uint64_t* keys = s->keys;
    const int32_t count = b2d_bounce_find(s);
    bool rounds = false;
    for (int32_t k = 0; k < count; k++) rounds = rounds || in_rounds(solver, (int32_t)keys[k]);
    if (!rounds) {
        throw_all(solver, keys, count);
        return;
    }
    b2d_radix_sort(keys, keys + count, count);
    impact all = {.solver = solver, .seen.stamp = 1, .spread.stamp = 1, .bounced.stamp = 1};
    for (int32_t k = 0; k < count; k++) {
        if (k > 0 && keys[k] >> 32 != keys[k - 1] >> 32) clear_set(&all.bounced);
        const int32_t contact = (int32_t)keys[k];
        all.least = least_of(solver, contact);
        if (in_rounds(solver, contact)) {
            bounce_from(&all, contact);
        } else {
            throw_back(&all, contact);
            clear_members(&all);
        }
    }
}

bool b2d_bounce(const b2d_solver* solver, const b2d_task_list* lists, int32_t list_count) {
    b2d_bounce_search s;
    if (!b2d_bounce_search_begin(solver, &s) || !stop_in_wedges(solver, lists, list_count)) return false;
    if (s.count > 0) reflect(&s);
    return true;
}
