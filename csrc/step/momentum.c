// csrc/step/momentum.c - gives floating assemblies back the angular momentum that their inner contacts change, and
// takes the energy that those give.
//
// Idea: the levers of a contact are those of the start of a step, or older where the narrow phase recycled them. While
// its bodies slide on each other, the places where the two halves of an impulse act part across the normal, and the
// pair gets a torque from nothing. Bodies that fly apart end this by themselves. Parts of a machine that a joint holds
// in each other do not: they spun each other for ever. So what floats free is measured as a whole before the solver,
// and one rotation of the whole, which no joint and no contact notices, gives back afterwards what is missing.
// Contacts that push apart what a joint holds in each other give energy as well. Where nothing drives the bodies, they
// have no more after the step than before: all velocities, less that rotation, are scaled down to it. This holds for
// jointed bodies that static ones carry, too, with the work of gravity and without the rotation; but not for what lies
// on them without a joint, which joints lift when they close.
// Cost: in worlds with joints and with contacts between moving bodies, a look at each joint. In an island with both, a
// look at the body that was held last; an island that links have left, and one that nothing holds, is walked over.
// Threads: serial. Proof: tests/physics/test_momentum.py.
#include "step/momentum.h"

#include "joints/joint_type.h"
#include "objects/scratch.h"

#include <math.h>

typedef struct search {
    b2d_world* world;
    int32_t* group; // by body: UNSEEN, or the group that it is in, or HELD
    int32_t* queue;
    b2d_floating_groups* groups;
    int32_t body_count;
} search;
enum { UNSEEN = -1, HELD = INT32_MAX };

#define FOR_CONTACTS(graph, body, id)                                                                    \
    for (int32_t key = (graph)->bodies[body].contact_head, id; key != B2D_NONE && (id = key >> 1, true); \
         key = (graph)->contacts[id].next[key & 1])                                                      \
        if ((graph)->pairs[id].flags & B2D_PAIR_TOUCHING)
#define FOR_JOINTS(graph, body, id)                                                                    \
    for (int32_t key = (graph)->bodies[body].joint_head, id; key != B2D_NONE && (id = key >> 1, true); \
         key = (graph)->joints[id].next[key & 1])                                                      \
        if (b2d_joint_acts(graph, &(graph)->joints[id]))

static int32_t partner(const b2d_graph* graph, int32_t contact, int32_t body) {
    const b2d_pair* pair = &graph->pairs[contact];
    return pair->body_a ^ pair->body_b ^ body;
}

static int32_t partner_by_joint(const b2d_joint* joint, int32_t body) { return joint->body[0] ^ joint->body[1] ^ body; }

// Whether a contact connects the body with something that does not move freely, or a joint with something kinematic.
// Couplings act on wheels and bases as well.
static bool is_held(const b2d_graph* graph, int32_t body) {
    FOR_CONTACTS(graph, body, id)
    if (!b2d_moves(graph, partner(graph, id, body))) return true;
    FOR_JOINTS(graph, body, id) {
        const b2d_joint* joint = &graph->joints[id];
        if (joint->gear_head != B2D_NONE || (b2d_joint_type_of(joint)->rows & B2D_ROWS_COUPLING) ||
            graph->bodies[partner_by_joint(joint, body)].type == B2D_KINEMATIC)
            return true;
    }
    return false;
}

// Whether a contact gives its bodies no energy: its surfaces do not run, and it throws nothing back faster than it
// came.
static bool contact_is_passive(const b2d_graph* graph, int32_t contact) {
    const int32_t lane_index = graph->pairs[contact].lane_index;
    if (lane_index == B2D_NONE) return false;
    const b2d_extra_block* extra = graph->extras[lane_index / B2D_LANES];
    const int32_t lane = lane_index % B2D_LANES;
    return extra == NULL || (extra->tangent_speed[lane] == 0.0f && extra->restitution[lane] <= 1.0f);
}

static b2d_vec2 gravity_at(const b2d_world* world, int32_t body) {
    const b2d_cells* cells = &world->graph.cells;
    return cells->count > 0
               ? world->cell_gravities[b2d_cell_of_body(cells, body)]
               : (b2d_vec2){(float)world->options[B2D_OPTION_GRAVITY_X], (float)world->options[B2D_OPTION_GRAVITY_Y]};
}

// Its gravity scale; 0 where there is no gravity.
static float weight_of(const b2d_world* world, int32_t body) {
    const b2d_vec2 gravity = gravity_at(world, body);
    return gravity.x != 0.0f || gravity.y != 0.0f ? world->masses[body].gravity_scale : 0.0f;
}

// Whether the body has mass and inertia, and nothing acts on it but gravity, of that scale.
static bool falls_freely(b2d_world* world, int32_t body, float weight) {
    const b2d_body_mass* mass = &world->masses[body];
    const b2d_body_state* state = b2d_world_state(world, body);
    return state->inverse_mass > 0.0f && state->inverse_inertia > 0.0f &&
           (world->graph.bodies[body].flags & (B2D_BODY_FLAG_LOCKS | B2D_BODY_FLAG_YIELDS)) == 0 &&
           mass->linear_damping == 0.0f && mass->angular_damping == 0.0f && mass->force_x == 0.0f &&
           mass->force_y == 0.0f && mass->torque == 0.0f && weight_of(world, body) == weight;
}

// False: the body is known to be held, or sleeps, as one beside an awake one may where islands have one body.
static bool visit(search* s, int32_t body, int32_t* count) {
    if (s->group[body] != UNSEEN) return s->group[body] != HELD;
    if (!b2d_is_awake(&s->world->graph, body)) return false;
    s->group[body] = s->groups->count;
    s->queue[(*count)++] = body;
    return true;
}

// Walks over what is connected to a body and makes a group of it if it floats. What is held is left when that is known;
// what leads to it later is held, too.
static void walk(search* s, int32_t seed) {
    b2d_world* world = s->world;
    const b2d_graph* graph = &world->graph;
    const float weight = weight_of(world, seed);
    int32_t count = 0, contacts = 0, joints = 0;
    bool free = visit(s, seed, &count), pinned = false, passive = true, jointed = true;
    for (int32_t k = 0; k < count && free && ((passive && jointed) || !pinned); k++) {
        const int32_t body = s->queue[k];
        free = falls_freely(world, body, weight) && !is_held(graph, body);
        jointed = jointed && graph->bodies[body].joint_head != B2D_NONE;
        FOR_JOINTS(graph, body, id) {
            const b2d_joint* joint = &graph->joints[id];
            const int32_t other = partner_by_joint(joint, body);
            joints++;
            passive = passive && b2d_joint_is_passive(graph, joint);
            if (!b2d_moves(graph, other)) pinned = true;
            else free = free && visit(s, other, &count);
        }
        FOR_CONTACTS(graph, body, id) {
            contacts++;
            passive = passive && contact_is_passive(graph, id);
            free = free && visit(s, partner(graph, id, body), &count);
        }
    }
    if (free && contacts > 0 && joints > 0 && ((passive && jointed) || !pinned)) {
        s->groups->rows[s->groups->count++] = (b2d_floating){
            .first = s->body_count, .count = count, .pinned = pinned, .passive = passive};
        s->body_count += count;
    } else {
        for (int32_t k = 0; k < count; k++) s->group[s->queue[k]] = HELD;
    }
}

// Whether nothing of an island that is in one piece floats with contacts: an island that links left may be in several.
static bool island_has_no_group(b2d_graph* graph, int32_t id) {
    const b2d_island* island = &graph->islands[id];
    if (island->links == NULL || island->links->contact_count == 0) return true;
    if (island->removals > 0) return false;
    const int32_t last = island->links->held;
    if (graph->bodies[last].island == id && is_held(graph, last)) return true;
    const int32_t* bodies = b2d_island_bodies(island);
    for (int32_t k = 0; k < island->body_count; k++) {
        if (!is_held(graph, bodies[k])) continue;
        island->links->held = bodies[k];
        return true;
    }
    return false;
}

// Only where something may float
static bool take_memory(search* s, int32_t awake_count) {
    b2d_arena* arena = &s->world->scratch->arena;
    const size_t limit = (size_t)s->world->body_ids.limit, most = (size_t)awake_count + 1,
                 groups = (size_t)s->world->graph.joint_ids.count + 1;
    s->group = b2d_arena_take(arena, limit * sizeof *s->group);
    s->queue = b2d_arena_take(arena, most * sizeof *s->queue);
    s->groups->bodies = b2d_arena_take(arena, most * sizeof *s->groups->bodies);
    s->groups->rows = b2d_arena_take(arena, groups * sizeof *s->groups->rows);
    if (s->group == NULL || s->queue == NULL || s->groups->bodies == NULL || s->groups->rows == NULL) return false;
    for (size_t k = 0; k < limit; k++) s->group[k] = UNSEEN;
    return true;
}

static bool walk_from_joints(search* s, int32_t awake_count) {
    b2d_graph* graph = &s->world->graph;
    for (int32_t id = b2d_id_pool_next(&graph->joint_ids, 0); id != B2D_NONE;
         id = b2d_id_pool_next(&graph->joint_ids, id + 1)) {
        const b2d_joint* joint = &graph->joints[id];
        const int32_t body = joint->body[b2d_moves(graph, joint->body[0]) ? 0 : 1];
        if (!b2d_joint_acts(graph, joint) || !b2d_moves(graph, body) || !b2d_is_awake(graph, body) ||
            (s->group != NULL && s->group[body] != UNSEEN))
            continue;
        const int32_t island = graph->bodies[body].island;
        if (!graph->loose && island != B2D_NONE && island_has_no_group(graph, island)) continue;
        if (s->group == NULL && !take_memory(s, awake_count)) return false;
        walk(s, body);
    }
    return true;
}

// Whether some contact is between two moving bodies.
static bool some_contact_moves(const b2d_graph* graph) {
    int32_t count = graph->overflow_contact_list[0].count;
    for (int32_t k = 0; k < graph->cluster_count && count == 0; k++)
        for (int32_t color = 0; color < B2D_COLORS; color++) count += graph->clusters[k].contacts[color][0].count;
    return count > 0;
}

// The centre of mass, relative to the pose of the first body, its velocity, and what the bodies have about it.
typedef struct whole {
    double mass, x, y, vx, vy, momentum, inertia, energy;
} whole;

typedef struct place {
    double x, y;
} place;
static place place_of(b2d_world* world, int32_t body, int32_t origin) {
    const b2d_pose *pose = (const b2d_pose*)world->poses.data + body,
                   *first = (const b2d_pose*)world->poses.data + origin;
    const b2d_body_state* state = b2d_world_state(world, body);
    const b2d_vec2 center = b2d_pose_center(pose);
    return (place){pose->x - first->x + (double)center.x + (double)state->dx,
                   pose->y - first->y + (double)center.y + (double)state->dy};
}

// Of a pinned one the energy alone, as it is seen by what holds it.
static whole measure(b2d_world* world, const int32_t* bodies, int32_t count, bool pinned) {
    whole w = {0};
    for (int32_t k = 0; k < count; k++) {
        const b2d_body_state* state = b2d_world_state(world, bodies[k]);
        const place at = place_of(world, bodies[k], bodies[0]);
        const double m = 1.0 / (double)state->inverse_mass;
        w.mass += m;
        w.x += m * at.x, w.y += m * at.y;
        w.vx += m * (double)state->vx, w.vy += m * (double)state->vy;
    }
    w.x /= w.mass, w.y /= w.mass;
    w.vx *= pinned ? 0.0 : 1.0 / w.mass, w.vy *= pinned ? 0.0 : 1.0 / w.mass;
    for (int32_t k = 0; k < count; k++) {
        const b2d_body_state* state = b2d_world_state(world, bodies[k]);
        const place at = place_of(world, bodies[k], bodies[0]);
        const double m = 1.0 / (double)state->inverse_mass, inertia = 1.0 / (double)state->inverse_inertia,
                     x = at.x - w.x, y = at.y - w.y, vx = (double)state->vx - w.vx, vy = (double)state->vy - w.vy,
                     spin = (double)state->w;
        w.momentum += inertia * spin + m * (x * vy - y * vx);
        w.inertia += inertia + m * (x * x + y * y);
        w.energy += 0.5 * (inertia * spin * spin + m * (vx * vx + vy * vy));
    }
    return w;
}

bool b2d_world_measure_momentum(b2d_world* world, const int32_t* awake, int32_t count, b2d_floating_groups* groups) {
    const b2d_graph* graph = &world->graph;
    *groups = (b2d_floating_groups){0};
    if (graph->joint_ids.count == 0 || !some_contact_moves(graph)) return true;
    search s = {.world = world, .groups = groups};
    if (!walk_from_joints(&s, count)) return false;
    for (int32_t k = 0; k < groups->count; k++) groups->rows[k].count = 0;
    for (int32_t k = 0; k < count && groups->count > 0; k++) { // in ascending order
        const int32_t group = s.group[awake[k]];
        if (group < 0 || group >= groups->count) continue;
        b2d_floating* row = &groups->rows[group];
        groups->bodies[row->first + row->count++] = awake[k];
    }
    for (int32_t k = 0; k < groups->count; k++) {
        b2d_floating* row = &groups->rows[k];
        const whole w = measure(world, groups->bodies + row->first, row->count, row->pinned);
        row->momentum = w.momentum, row->energy = w.energy;
    }
    return true;
}

// The rotation that the bodies get has an energy, which may not come from nothing either: what is more than the bodies
// had before the step, or have now where something drives them, is taken from the motion beside the rotation. This is
// the share of it that stays.
static double share_of_rest(const b2d_floating* row, const whole* now) {
    const double rotation = 0.5 * row->momentum * row->momentum / now->inertia,
                 rest = now->energy - 0.5 * now->momentum * now->momentum / now->inertia,
                 most = row->passive ? row->energy : fmax(row->energy, now->energy);
    if (!(rotation + rest > most)) return 1.0;
    return rotation < most ? sqrt((most - rotation) / rest) : 0.0;
}

static void return_momentum(b2d_world* world, const int32_t* bodies, const b2d_floating* row) {
    const whole now = measure(world, bodies, row->count, false);
    const double share = share_of_rest(row, &now), turn = now.momentum / now.inertia,
                 wanted = row->momentum / now.inertia - share * turn;
    if (!isfinite(wanted) || !isfinite(share)) return;
    for (int32_t i = 0; i < row->count; i++) {
        b2d_body_state* state = b2d_world_state(world, bodies[i]);
        const place at = place_of(world, bodies[i], bodies[0]);
        state->vx = (float)(now.vx + share * ((double)state->vx - now.vx) - wanted * (at.y - now.y));
        state->vy = (float)(now.vy + share * ((double)state->vy - now.vy) + wanted * (at.x - now.x));
        state->w = (float)(share * (double)state->w + wanted);
    }
}

// What gravity did to the bodies in this step, J
static double work_of_gravity(b2d_world* world, const int32_t* bodies, int32_t count) {
    double work = 0.0;
    for (int32_t i = 0; i < count; i++) {
        const b2d_body_state* state = b2d_world_state(world, bodies[i]);
        const b2d_vec2 gravity = gravity_at(world, bodies[i]);
        work += (double)world->masses[bodies[i]].gravity_scale / (double)state->inverse_mass *
                ((double)gravity.x * (double)state->dx + (double)gravity.y * (double)state->dy);
    }
    return work;
}

static void take_energy(b2d_world* world, const int32_t* bodies, const b2d_floating* row) {
    const double now = measure(world, bodies, row->count, true).energy,
                 most = fmax(row->energy + work_of_gravity(world, bodies, row->count), 0.0);
    if (!(now > most) || !isfinite(now)) return;
    const float share = (float)sqrt(most / now);
    for (int32_t i = 0; i < row->count; i++) {
        b2d_body_state* state = b2d_world_state(world, bodies[i]);
        state->vx *= share, state->vy *= share, state->w *= share;
    }
}

void b2d_world_return_momentum(b2d_world* world, const b2d_floating_groups* groups) {
    for (int32_t k = 0; k < groups->count; k++) {
        const b2d_floating* row = &groups->rows[k];
        (row->pinned ? take_energy : return_momentum)(world, groups->bodies + row->first, row);
    }
}
