// csrc/step/balance.c - islands that are slow but not in balance stay awake.
//
// Idea: at the turning point of a swing, or on a belt that creeps, bodies are as slow as at rest. The finalize stage
// begins a body's rest anew when its velocity has changed or forces carry it; here, once the rest has been long enough,
// comes what takes more time to find out. So the search costs something only for islands that are about to sleep, and
// of those that do not, only once in the sleep time. Threads: serial. Proof: tests/physics/test_sleep.py.
#include "step/balance.h"

#include "joints/measure.h"
#include "objects/joint.h"

#include <math.h>

static bool is_touching(const b2d_world* world, int32_t contact) {
    return (world->graph.pairs[contact].flags & B2D_PAIR_TOUCHING) != 0;
}

// Whether the surface speed of a contact moves its bodies against each other.
static bool belt_drives(b2d_world* world, int32_t contact, float still) {
    const b2d_graph* graph = &world->graph;
    const int32_t lane_index = graph->pairs[contact].lane_index;
    if (lane_index == B2D_NONE || graph->extras[lane_index / B2D_LANES] == NULL) return false;
    const b2d_contact_block* block = &graph->blocks[lane_index / B2D_LANES];
    const int32_t lane = lane_index % B2D_LANES;
    const float belt = graph->extras[lane_index / B2D_LANES]->tangent_speed[lane];
    if (belt == 0.0f) return false;
    const b2d_body_state *a = b2d_world_state(world, block->body_a[lane]),
                         *b = b2d_world_state(world, block->body_b[lane]);
    const float lever = block->point[0].along_normal[lane];
    const float speed = (b->vx - a->vx) * block->ny[lane] - (b->vy - a->vy) * block->nx[lane] + a->w * lever -
                        b->w * (lever + block->along_normal_shift[lane]);
    return (belt < 0.0f ? -speed : speed) > b2d_min(still, 0.5f * fabsf(belt));
}

static float threshold_of(const b2d_world* world, int32_t body) {
    return world->masses[body].sleep_threshold * b2d_option(world, B2D_OPTION_LENGTH_UNIT);
}

// Whether something moves the body; `touches` is set where a contact of it does.
static bool is_driven(b2d_world* world, int32_t body, bool* touches) {
    const b2d_graph* graph = &world->graph;
    const float still = B2D_STILL_PART * threshold_of(world, body);
    for (int32_t key = graph->bodies[body].contact_head; key != B2D_NONE;
         key = graph->contacts[key >> 1].next[key & 1]) {
        if (!is_touching(world, key >> 1)) continue;
        *touches = true;
        if (belt_drives(world, key >> 1, still)) return true;
    }
    for (int32_t key = graph->bodies[body].joint_head; key != B2D_NONE; key = graph->joints[key >> 1].next[key & 1]) {
        if (graph->joints[key >> 1].lane_index == B2D_NONE) continue;
        const b2d_joint_view view = b2d_world_view_joint(world, key >> 1);
        if (b2d_joint_drives(&view, still)) return true;
    }
    return false;
}

bool b2d_world_is_carried(const b2d_world* world, int32_t body) {
    const b2d_body* row = &world->graph.bodies[body];
    const b2d_body_mass* mass = &world->masses[body];
    const b2d_body_state* state = (const b2d_body_state*)world->states.data + body;
    const b2d_cells* cells = &world->graph.cells;
    const b2d_vec2 g = cells->count > 0 ? world->cell_gravities[b2d_cell_of_body(cells, body)]
                                        : b2d_v((float)world->options[B2D_OPTION_GRAVITY_X],
                                                (float)world->options[B2D_OPTION_GRAVITY_Y]);
    const float weight = mass->mass * mass->gravity_scale, v[3] = {state->vx, state->vy, state->w},
                force[3] = {mass->force_x + weight * g.x, mass->force_y + weight * g.y, mass->torque};
    float power = 0.0f;
    for (int32_t i = 0; i < 3; i++) {
        power += force[i] * v[i];
        for (int32_t j = 0; j < 3 && (row->flags & B2D_BODY_FLAG_YIELDS); j++)
            power -= world->laws[body].by_velocity[3 * i + j] * v[j] * v[i];
    }
    return power > 0.0f &&
           b2d_length(b2d_v(v[0], v[1])) + b2d_abs(v[2]) * row->extent > B2D_STILL_PART * threshold_of(world, body);
}

bool b2d_world_island_in_balance(b2d_world* world, int32_t id) {
    b2d_graph* graph = &world->graph;
    const b2d_island* island = &graph->islands[id];
    const int32_t* bodies = b2d_island_bodies(island);
    bool touches = false;
    if (!b2d_moves(graph, bodies[0])) return true; // a kinematic body, which stands still
    for (int32_t k = 0; k < island->body_count; k++)
        if (is_driven(world, bodies[k], &touches)) {
            graph->bodies[bodies[k]].sleep_timer = 0.0f;
            return false;
        }
    for (int32_t k = 0; !touches && k < island->body_count; k++) {
        if (world->body_rests[bodies[k]].change <= B2D_QUIET_PART * threshold_of(world, bodies[k])) continue;
        graph->bodies[bodies[k]].sleep_timer = 0.0f;
        return false;
    }
    return true;
}
