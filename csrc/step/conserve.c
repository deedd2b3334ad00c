// csrc/step/conserve.c - machines that touch themselves, or whose joints disagree, keep their momentum and energy.
//
// Idea: the levers of a contact are those of the start of a step, or older where the narrow phase recycled them. While
// its bodies slide on each other, the places where the two halves of an impulse act part across the normal, and the
// pair gets a torque from nothing. Contacts that push apart what a joint holds in each other, or what a rope or a limit
// pulls together, give energy as well, without bound, and so do joints of a loop that can never all be closed. Bodies
// that fly apart end this by themselves. Parts of a machine do not: they spun each other for ever, or exploded. So each
// assembly, which is what joints and contacts connect, is measured before the solver. If it floats, one rotation of the
// whole, which no joint and no contact notices, gives back the angular momentum that is missing. Its kinetic energy
// after the step is at most that before plus the work of gravity and of forces, and what its drives can give
// (step/drive.h): its velocities are scaled down (of one that floats, those beside the rotation), and its way in the
// step to what such energies and a push-out at full speed reach. Corrections of overlaps and open joints move bodies
// without velocity, so their work does not count.
// Cost: with joints and contacts between moving bodies, two looks at each joint, and one with loops. Where an assembly
// may be found, a number for each body id, and a walk over what may be one.
// Threads: serial. Proof: tests/physics/test_momentum.py, tests/physics/test_random_machines.py.
#include "step/conserve.h"

#include "joints/joint_type.h"
#include "objects/scratch.h"
#include "step/drive.h"

#include <math.h>

typedef struct search {
    b2d_world* world;
    int32_t* assembly; // by body: UNSEEN, or the one that it is in, or EXEMPT
    int32_t* queue;
    b2d_assemblies* found;
    int32_t body_count;
} search;
enum { UNSEEN = -1, EXEMPT = INT32_MAX };

// 1/s: what does not float may gain this share of its energy, because the energy of a swing is slightly too high or too
// low after a step. With 0 a pendulum of 1.5 m on a frame whose parts touch lost 13 % of it in 30 s.
#define GAIN_RATE 0.01

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

// Whether it touches or is joined to something kinematic, whose work is not known, or has a gear or pulley, which acts
// on bodies that are not walked to.
static bool is_driven(const b2d_graph* graph, int32_t body) {
    FOR_CONTACTS(graph, body, id)
    if (graph->bodies[partner(graph, id, body)].type == B2D_KINEMATIC) return true;
    FOR_JOINTS(graph, body, id) {
        const b2d_joint* joint = &graph->joints[id];
        if (joint->gear_head != B2D_NONE || (b2d_joint_type_of(joint)->rows & B2D_ROWS_COUPLING) ||
            graph->bodies[partner_by_joint(joint, body)].type == B2D_KINEMATIC)
            return true;
    }
    return false;
}

// Whether it is driven, or held by something static.
static bool is_held(const b2d_graph* graph, int32_t body) {
    FOR_CONTACTS(graph, body, id)
    if (!b2d_moves(graph, partner(graph, id, body))) return true;
    FOR_JOINTS(graph, body, id)
    if (!b2d_moves(graph, partner_by_joint(&graph->joints[id], body))) return true;
    return is_driven(graph, body);
}

// Whether it moves and touches another such body that has joints, or any one.
static bool touches_another(const b2d_graph* graph, int32_t body, bool any) {
    if (!b2d_moves(graph, body)) return false;
    FOR_CONTACTS(graph, body, id) {
        const int32_t other = partner(graph, id, body);
        if (b2d_moves(graph, other) && (any || graph->bodies[other].joint_head != B2D_NONE)) return true;
    }
    return false;
}

// The extra block of a contact, or NULL.
static const b2d_extra_block* extra_of(const b2d_graph* graph, int32_t contact) {
    const int32_t lane_index = graph->pairs[contact].lane_index;
    return lane_index == B2D_NONE ? NULL : graph->extras[lane_index / B2D_LANES];
}

static float belt_speed(const b2d_graph* graph, int32_t contact) {
    const b2d_extra_block* extra = extra_of(graph, contact);
    return extra == NULL ? 0.0f : extra->tangent_speed[graph->pairs[contact].lane_index % B2D_LANES];
}

// Whether a contact throws nothing back faster than it came.
static bool contact_is_passive(const b2d_graph* graph, int32_t contact) {
    const b2d_extra_block* extra = extra_of(graph, contact);
    return extra == NULL || extra->restitution[graph->pairs[contact].lane_index % B2D_LANES] <= 1.0f;
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

// Whether the body has inertia, and nothing acts on it but gravity, of that scale.
static bool falls_freely(b2d_world* world, int32_t body, float weight) {
    const b2d_body_mass* mass = &world->masses[body];
    return b2d_world_state(world, body)->inverse_inertia > 0.0f && !b2d_is_pushed(mass) &&
           (world->graph.bodies[body].flags & (B2D_BODY_FLAG_LOCKS | B2D_BODY_FLAG_YIELDS)) == 0 &&
           mass->linear_damping == 0.0f && mass->angular_damping == 0.0f && weight_of(world, body) == weight;
}

// False: the body is known to be exempt, or sleeps, as one beside an awake one may where islands have one body.
static bool visit(search* s, int32_t body, int32_t* count) {
    if (s->assembly[body] != UNSEEN) return s->assembly[body] != EXEMPT;
    if (!b2d_is_awake(&s->world->graph, body)) return false;
    s->assembly[body] = s->found->count;
    s->queue[(*count)++] = body;
    return true;
}

// From which joints a walk begins: those of bodies that touch another one with joints; that touch any other one, which
// may be between two parts of a machine; those that are open because joints of a loop disagree; that nothing holds. The
// last walk ends early, so it follows.
typedef enum sought { MACHINES, LADEN, OPEN, FLOATING } sought;

// Walks over what is connected to a body and makes an assembly of it, if it floats or, unless that is sought, if
// its drives are known. What is neither is left when that is clear; what leads to it later is none, too.
static void walk(search* s, int32_t seed, sought kind) {
    b2d_world* world = s->world;
    const b2d_graph* graph = &world->graph;
    const float weight = weight_of(world, seed);
    int32_t count = 0, contacts = 0;
    bool on = visit(s, seed, &count), floats = true, loose = true, passive = true, driven = false;
    for (int32_t k = 0; k < count && on; k++) {
        const int32_t body = s->queue[k];
        floats = floats && falls_freely(world, body, weight);
        on = b2d_world_state(world, body)->inverse_mass > 0.0f && !is_driven(graph, body);
        FOR_JOINTS(graph, body, id) {
            const b2d_joint* joint = &graph->joints[id];
            const int32_t other = partner_by_joint(joint, body);
            driven = driven || !b2d_joint_is_passive(graph, joint);
            if (!b2d_moves(graph, other)) floats = loose = false;
            else on = on && visit(s, other, &count);
        }
        FOR_CONTACTS(graph, body, id) {
            const int32_t other = partner(graph, id, body);
            passive = passive && contact_is_passive(graph, id);
            driven = driven || belt_speed(graph, id) != 0.0f;
            if (!b2d_moves(graph, other)) floats = loose = false;
            else on = on && visit(s, other, &count), contacts++;
        }
        on = on && (floats || (passive && kind != FLOATING));
    }
    if (on && (contacts > 0 || kind == OPEN)) {
        s->found->rows[s->found->count++] = (b2d_assembly){.first = s->body_count,
                                                           .count = count,
                                                           .floats = floats,
                                                           .loose = loose && kind == OPEN,
                                                           .passive = passive,
                                                           .driven = driven,
                                                           .lifts = kind == LADEN || kind == OPEN};
        s->body_count += count;
    } else {
        for (int32_t k = 0; k < count; k++) s->assembly[s->queue[k]] = EXEMPT;
    }
}

// Whether nothing floats in an island that is in one piece: one that links left may be in several.
static bool island_is_held(b2d_graph* graph, int32_t id) {
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

// Called by the first walk
static bool take_memory(search* s, int32_t awake_count) {
    b2d_arena* arena = &s->world->scratch->arena;
    const size_t limit = (size_t)s->world->body_ids.limit, most = (size_t)awake_count + 1,
                 rows = (size_t)s->world->graph.joint_ids.count + 1;
    s->assembly = b2d_arena_take(arena, limit * sizeof *s->assembly);
    s->queue = b2d_arena_take(arena, most * sizeof *s->queue);
    s->found->bodies = b2d_arena_take(arena, most * sizeof *s->found->bodies);
    s->found->rows = b2d_arena_take(arena, rows * sizeof *s->found->rows);
    if (s->assembly == NULL || s->queue == NULL || s->found->bodies == NULL || s->found->rows == NULL) return false;
    for (size_t k = 0; k < limit; k++) s->assembly[k] = UNSEEN;
    return true;
}

static bool is_open(b2d_world* world, int32_t id, int32_t body) {
    const b2d_joint* joint = &world->graph.joints[id];
    const b2d_joint_type* type = b2d_joint_type_of(joint);
    if (!(world->graph.bodies[body].flags & B2D_BODY_FLAG_LOOPED) || type->separation == NULL) return false;
    const b2d_joint_view view = {.graph = &world->graph, .poses = world->poses.data, .joint = joint, .id = id};
    double apart = 0.0, angle = 0.0; // a type may have no such part
    type->separation(&view, &apart, &angle);
    return apart + angle * (double)world->graph.bodies[body].extent > (double)b2d_linear_slop(world);
}

static bool some_loop(b2d_world* world) {
    b2d_direct* direct = &world->direct;
    if (direct->looped_count != B2D_NONE) return direct->looped_count > 0;
    direct->looped_count = 0;
    for (int32_t id = 0; id < world->body_ids.limit; id++)
        direct->looped_count += (world->graph.bodies[id].flags & B2D_BODY_FLAG_LOOPED) != 0;
    return direct->looped_count > 0;
}

// Whether a walk begins at a body of the joint that moves.
static bool begins(b2d_world* world, int32_t id, int32_t body, sought kind) {
    const b2d_graph* graph = &world->graph;
    const b2d_joint* joint = &graph->joints[id];
    if (kind == OPEN) return is_open(world, id, body);
    if (kind != FLOATING)
        return touches_another(graph, joint->body[0], kind == LADEN) ||
               touches_another(graph, joint->body[1], kind == LADEN);
    const int32_t island = graph->bodies[body].island;
    return falls_freely(world, body, weight_of(world, body)) &&
           (graph->loose || island == B2D_NONE || !island_is_held(&world->graph, island));
}

static bool walk_from_joints(search* s, int32_t awake_count, sought kind) {
    b2d_graph* graph = &s->world->graph;
    for (int32_t id = b2d_id_pool_next(&graph->joint_ids, 0); id != B2D_NONE;
         id = b2d_id_pool_next(&graph->joint_ids, id + 1)) {
        const b2d_joint* joint = &graph->joints[id];
        const int32_t body = joint->body[b2d_moves(graph, joint->body[0]) ? 0 : 1];
        if (!b2d_joint_acts(graph, joint) || !b2d_moves(graph, body) || !b2d_is_awake(graph, body) ||
            (s->assembly != NULL && s->assembly[body] != UNSEEN))
            continue;
        if (!begins(s->world, id, body, kind)) continue;
        if (s->assembly == NULL && !take_memory(s, awake_count)) return false;
        walk(s, body, kind);
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

typedef struct vector {
    double x, y;
} vector;
static vector place_of(b2d_world* world, int32_t body, int32_t origin) {
    const b2d_pose *pose = (const b2d_pose*)world->poses.data + body,
                   *first = (const b2d_pose*)world->poses.data + origin;
    const b2d_body_state* state = b2d_world_state(world, body);
    const b2d_vec2 center = b2d_pose_center(pose);
    return (vector){pose->x - first->x + (double)center.x + (double)state->dx,
                    pose->y - first->y + (double)center.y + (double)state->dy};
}

// `floats`: relative to the centre of mass. Otherwise the energy alone, of the motion in the world.
static whole measure(b2d_world* world, const int32_t* bodies, int32_t count, bool floats) {
    whole w = {0};
    for (int32_t k = 0; k < count && floats; k++) {
        const b2d_body_state* state = b2d_world_state(world, bodies[k]);
        const vector at = place_of(world, bodies[k], bodies[0]);
        const double m = 1.0 / (double)state->inverse_mass;
        w.mass += m;
        w.x += m * at.x, w.y += m * at.y;
        w.vx += m * (double)state->vx, w.vy += m * (double)state->vy;
    }
    if (floats) w.x /= w.mass, w.y /= w.mass, w.vx /= w.mass, w.vy /= w.mass;
    for (int32_t k = 0; k < count; k++) {
        const b2d_body_state* state = b2d_world_state(world, bodies[k]);
        const double m = 1.0 / (double)state->inverse_mass, vx = (double)state->vx - w.vx,
                     vy = (double)state->vy - w.vy, spin = (double)state->w,
                     inertia = state->inverse_inertia > 0.0f ? 1.0 / (double)state->inverse_inertia : 0.0;
        w.energy += 0.5 * (inertia * spin * spin + m * (vx * vx + vy * vy));
        if (!floats) continue;
        const vector at = place_of(world, bodies[k], bodies[0]);
        const double x = at.x - w.x, y = at.y - w.y;
        w.momentum += inertia * spin + m * (x * vy - y * vx);
        w.inertia += inertia + m * (x * x + y * y);
    }
    return w;
}

// By what wind and water give more at the end of a step than at its start, along a motion. Lift gets weaker along it.
static double gust(const b2d_world* world, int32_t body, const b2d_body_state* state, const double motion[3]) {
    if (!(world->graph.bodies[body].flags & B2D_BODY_FLAG_YIELDS)) return 0.0;
    const b2d_force_law* law = &world->laws[body];
    const double now[3] = {(double)state->vx, (double)state->vy, (double)state->w};
    double sum = 0.0;
    for (int32_t k = 0; k < 9; k++)
        sum += (double)law->by_velocity[k] * (now[k % 3] - (double)law->start[k % 3]) * motion[k / 3];
    return fmax(sum, 0.0);
}

// What gravity, the user, wind and water do to the bodies along a motion: their velocities (W) or, with `moved`, their
// way in the step (J).
static double work(b2d_world* world, const int32_t* bodies, int32_t count, bool moved) {
    double sum = 0.0;
    for (int32_t k = 0; k < count; k++) {
        const b2d_body_state* state = b2d_world_state(world, bodies[k]);
        const b2d_body_mass* mass = &world->masses[bodies[k]];
        const b2d_vec2 gravity = gravity_at(world, bodies[k]);
        const double weight = (double)mass->gravity_scale / (double)state->inverse_mass,
                     fx = weight * (double)gravity.x, fy = weight * (double)gravity.y,
                     x = (double)(moved ? state->dx : state->vx), y = (double)(moved ? state->dy : state->vy);
        const double motion[3] = {x, y, (double)(moved ? state->angle : state->w)};
        sum += (fx + (double)mass->force_x) * x + (fy + (double)mass->force_y) * y + (double)mass->torque * motion[2] +
               gust(world, bodies[k], state, motion);
    }
    return sum;
}

// J, which springs, motors and belts give in the step at most. Of two bodies of a joint or contact, one counts it.
static double work_of_drives(b2d_world* world, const b2d_assembly* row, const int32_t* bodies, float dt) {
    const b2d_graph* graph = &world->graph;
    double sum = 0.0;
    for (int32_t k = 0; k < row->count && row->driven; k++) {
        FOR_JOINTS(graph, bodies[k], id) {
            const b2d_joint* joint = &graph->joints[id];
            if (joint->body[0] == bodies[k] || !b2d_moves(graph, joint->body[0]))
                sum += b2d_joint_most_work(world, joint, dt);
        }
        FOR_CONTACTS(graph, bodies[k], id) {
            const b2d_pair* pair = &graph->pairs[id];
            const float speed = belt_speed(graph, id);
            if (speed != 0.0f && (pair->body_a == bodies[k] || !b2d_moves(graph, pair->body_a)))
                sum += fabs(
                    (double)dt * (double)speed *
                    (double)graph->blocks[pair->lane_index / B2D_LANES].tangent_force[pair->lane_index % B2D_LANES]);
        }
    }
    return sum;
}

bool b2d_world_measure_assemblies(b2d_world* world, const int32_t* awake, int32_t count, b2d_assemblies* assemblies) {
    const b2d_graph* graph = &world->graph;
    *assemblies = (b2d_assemblies){0};
    const bool joints = graph->joint_ids.count > 0, touch = joints && some_contact_moves(graph),
               loops = joints && some_loop(world);
    search s = {.world = world, .found = assemblies};
    for (sought kind = MACHINES; kind <= FLOATING; kind++)
        if ((kind == OPEN ? loops : touch) && !walk_from_joints(&s, count, kind)) return false;
    for (int32_t k = 0; k < assemblies->count; k++) assemblies->rows[k].count = 0;
    for (int32_t k = 0; k < count && assemblies->count > 0; k++) { // in ascending order
        const int32_t id = s.assembly[awake[k]];
        if (id < 0 || id >= assemblies->count) continue;
        b2d_assembly* row = &assemblies->rows[id];
        assemblies->bodies[row->first + row->count++] = awake[k];
    }
    for (int32_t k = 0; k < assemblies->count; k++) {
        b2d_assembly* row = &assemblies->rows[k];
        const int32_t* bodies = assemblies->bodies + row->first;
        const whole w = measure(world, bodies, row->count, row->floats);
        row->energy = w.energy;
        row->vx = w.vx, row->vy = w.vy, row->momentum = w.momentum;
        if (!row->floats) row->power = work(world, bodies, row->count, false);
    }
    return true;
}

// The rotation that the bodies get has an energy, which may not come from nothing either: what is more than the bodies
// had before the step and were given, or have now where contacts throw them back, is taken from the motion beside the
// rotation. This is the share of it that stays.
static double share_of_rest(b2d_world* world, const int32_t* bodies, const b2d_assembly* row, const whole* now,
                            float dt) {
    const double rotation = 0.5 * row->momentum * row->momentum / now->inertia,
                 rest = now->energy - 0.5 * now->momentum * now->momentum / now->inertia;
    double most = row->passive ? row->energy : fmax(row->energy, now->energy);
    if (rotation + rest > most && row->passive) most += work_of_drives(world, row, bodies, dt);
    if (!(rotation + rest > most)) return 1.0;
    return rotation < most ? sqrt((most - rotation) / rest) : 0.0;
}

// Bodies that were faster than they may be, and so were slowed down, have changed the momentum of the whole as well.
static void conserve_momentum(b2d_world* world, const int32_t* bodies, const b2d_assembly* row, float dt) {
    const whole now = measure(world, bodies, row->count, true);
    const b2d_vec2 gravity = gravity_at(world, bodies[0]);
    const double fall = (double)dt * (double)weight_of(world, bodies[0]), vx = row->vx + fall * (double)gravity.x,
                 vy = row->vy + fall * (double)gravity.y,
                 most = (double)b2d_in_units(world, B2D_OPTION_MAX_LINEAR_SPEED);
    const vector base = vx * vx + vy * vy < most * most ? (vector){vx, vy} : (vector){now.vx, now.vy};
    const double share = share_of_rest(world, bodies, row, &now, dt), turn = now.momentum / now.inertia,
                 wanted = row->momentum / now.inertia - share * turn;
    if (!isfinite(wanted) || !isfinite(share)) return;
    for (int32_t k = 0; k < row->count; k++) {
        b2d_body_state* state = b2d_world_state(world, bodies[k]);
        const vector at = place_of(world, bodies[k], bodies[0]);
        state->vx = (float)(base.x + share * ((double)state->vx - now.vx) - wanted * (at.y - now.y));
        state->vy = (float)(base.y + share * ((double)state->vy - now.vy) + wanted * (at.x - now.x));
        state->w = (float)(share * (double)state->w + wanted);
    }
}

// J, of bodies that went their way of the step at a steady speed.
static double energy_of_way(b2d_world* world, const int32_t* bodies, int32_t count, double dt) {
    double sum = 0.0;
    for (int32_t k = 0; k < count; k++) {
        const b2d_body_state* state = b2d_world_state(world, bodies[k]);
        const double m = 1.0 / (double)state->inverse_mass, x = (double)state->dx, y = (double)state->dy,
                     angle = (double)state->angle,
                     inertia = state->inverse_inertia > 0.0f ? 1.0 / (double)state->inverse_inertia : 0.0;
        sum += 0.5 * (m * (x * x + y * y) + inertia * angle * angle) / (dt * dt);
    }
    return sum;
}

// J, of bodies that a push-out moves at its full speed.
static double energy_of_push(b2d_world* world, const int32_t* bodies, int32_t count) {
    const double push = (double)b2d_in_units(world, B2D_OPTION_CONTACT_PUSH_SPEED);
    double sum = 0.0;
    for (int32_t k = 0; k < count; k++)
        sum += 0.5 * push * push / (double)b2d_world_state(world, bodies[k])->inverse_mass;
    return sum;
}

// Velocity and way of the centre of mass.
static whole mean_motion(b2d_world* world, const int32_t* bodies, int32_t count) {
    whole w = {0};
    for (int32_t k = 0; k < count; k++) {
        const b2d_body_state* state = b2d_world_state(world, bodies[k]);
        const double m = 1.0 / (double)state->inverse_mass;
        w.mass += m;
        w.vx += m * (double)state->vx, w.vy += m * (double)state->vy;
        w.x += m * (double)state->dx, w.y += m * (double)state->dy;
    }
    return (whole){.vx = w.vx / w.mass, .vy = w.vy / w.mass, .x = w.x / w.mass, .y = w.y / w.mass};
}

// What nothing holds keeps its momentum. Work is the greater of force times way and force times mean velocity, because
// corrections move bodies without velocity. Bodies that are thrown to and fro do no such work: of what is too fast, the
// speeds that are kept do it, and the way that is kept. Stretched chains and jaws lift what lies in them with velocity,
// but not faster than a push-out.
static void conserve_energy(b2d_world* world, const int32_t* bodies, const b2d_assembly* row, float step) {
    const double dt = (double)step, now = measure(world, bodies, row->count, false).energy,
                 lifted = row->lifts ? energy_of_push(world, bodies, row->count) : 0.0, gain = 0.5 * dt * row->power,
                 by_speed = 0.5 * dt * work(world, bodies, row->count, false),
                 by_way = work(world, bodies, row->count, true), by_forces = fmax(by_way, gain + by_speed);
    double before = (1.0 + GAIN_RATE * dt) * row->energy + lifted;
    if (!(now > fmax(before + by_forces, 0.0)) || !isfinite(now)) return;
    before += work_of_drives(world, row, bodies, step);
    if (!(now > fmax(before + by_forces, 0.0))) return;
    const double old = before + gain;
    // The share s of the velocities for which now s^2 = old + by_speed s
    const double root = by_speed * by_speed + 4.0 * now * old,
                 steady = root > 0.0 ? fmax(by_speed + sqrt(root), 0.0) / (2.0 * now) : 0.0,
                 most = fmax(now * steady * steady, before) + energy_of_push(world, bodies, row->count),
                 way = energy_of_way(world, bodies, row->count, dt), part = way > most ? sqrt(most / way) : 1.0,
                 share = fmin(fmax(steady, sqrt(fmax(before + part * by_way, 0.0) / now)), 1.0);
    const whole mean = row->loose ? mean_motion(world, bodies, row->count) : (whole){0};
    for (int32_t k = 0; k < row->count; k++) {
        b2d_body_state* state = b2d_world_state(world, bodies[k]);
        const float vx = (float)mean.vx, vy = (float)mean.vy, x = (float)mean.x, y = (float)mean.y;
        state->vx = vx + (float)share * (state->vx - vx), state->vy = vy + (float)share * (state->vy - vy);
        state->dx = x + (float)part * (state->dx - x), state->dy = y + (float)part * (state->dy - y);
        state->w *= (float)share, state->angle *= (float)part;
    }
}

void b2d_world_conserve(b2d_world* world, const b2d_assemblies* assemblies, float dt) {
    for (int32_t k = 0; k < assemblies->count; k++) {
        const b2d_assembly* row = &assemblies->rows[k];
        const int32_t* bodies = assemblies->bodies + row->first;
        if (row->floats) conserve_momentum(world, bodies, row, dt);
        else conserve_energy(world, bodies, row, dt);
    }
}
