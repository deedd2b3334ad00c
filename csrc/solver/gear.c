// csrc/solver/gear.c - warm start, solve and relax of a gear whose bases move.
#include "solver/gear.h"
#include "joints/joint_type.h"
#include "solver/kernels.h"

typedef struct part { // how the sum of the gear's coordinates changes with the motion of a body
    b2d_body_state* state;
    b2d_vec2 n;
    float lever;
} part;

// A body may be at two ends, as the base of both joints is in most gearboxes.
static int32_t add_part(part parts[4], int32_t count, b2d_body_state* state, const b2d_coordinate* c, float factor) {
    int32_t k = 0;
    while (k < count && parts[k].state != state) k++;
    if (k == count) parts[count++] = (part){.state = state};
    parts[k].n = b2d_add(parts[k].n, b2d_scale(factor, c->n));
    parts[k].lever += factor * c->lever;
    return count;
}

static int32_t list_parts(const b2d_solver* solver, const b2d_joint* gear, part parts[4]) {
    const b2d_graph* graph = solver->graph;
    int32_t count = 0;
    for (int32_t k = 0; k < 2; k++) {
        const b2d_joint* driven = &graph->joints[gear->joint[k]];
        for (int32_t side = 0; side < 2; side++) {
            const int32_t body = driven->body[side];
            if (graph->bodies[body].type == B2D_STATIC || !(graph->bodies[body].flags & B2D_BODY_FLAG_ENABLED))
                continue;
            const b2d_coordinate c = b2d_joint_type_of(driven)->coordinate(graph, solver->poses, driven, side);
            count = add_part(parts, count, &solver->states[body], &c, k == 0 ? 1.0f : gear->ratio);
        }
    }
    return count;
}

static void apply(part* parts, int32_t count, float impulse) {
    for (int32_t k = 0; k < count; k++) {
        b2d_body_state* s = parts[k].state;
        s->vx += s->inverse_mass * parts[k].n.x * impulse;
        s->vy += s->inverse_mass * parts[k].n.y * impulse;
        s->w += s->inverse_inertia * parts[k].lever * impulse;
    }
}

void b2d_solve_gear(const b2d_solver* solver, int32_t id, int32_t pass) {
    const b2d_joint* gear = &solver->graph->joints[id];
    const b2d_joint_block* block = &solver->graph->joint_blocks[gear->lane_index / B2D_LANES];
    b2d_joint_rows* rows = &solver->graph->joint_rows[gear->lane_index / B2D_LANES];
    const int32_t lane = gear->lane_index % B2D_LANES;
    part parts[4];
    const int32_t count = list_parts(solver, gear, parts);
    float* total = &rows->coupling_impulse[lane];
    if (pass == B2D_PASS_WARM_START) {
        apply(parts, count, *total);
        return;
    }
    float inverse_mass = 0.0f, speed = 0.0f, value = rows->coupling_value[lane];
    for (int32_t k = 0; k < count; k++) {
        const part* p = &parts[k];
        const b2d_body_state* s = p->state;
        inverse_mass += s->inverse_mass * b2d_dot(p->n, p->n) + s->inverse_inertia * p->lever * p->lever;
        speed += p->n.x * s->vx + p->n.y * s->vy + p->lever * s->w;
        value += p->n.x * s->dx + p->n.y * s->dy + p->lever * s->angle;
    }
    if (!(inverse_mass > 0.0f)) return;
    float impulse = -speed / inverse_mass;
    if (pass == B2D_PASS_SOLVE)
        impulse = -block->mass_scale[lane] * (speed + block->bias_rate[lane] * value) / inverse_mass -
                  block->impulse_scale[lane] * *total;
    *total += impulse;
    apply(parts, count, impulse);
    if (pass == B2D_PASS_RELAX) b2d_add_joint_load(solver, gear->lane_index);
}
