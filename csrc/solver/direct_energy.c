// csrc/solver/direct_energy.c - a small tree of joints keeps its energy (solver/direct.h), with the operations of
// wide_keep_energy in direct_wide.inl and in their order.
#include "solver/direct.h"

#include <math.h>

void b2d_direct_base_motion(const b2d_solver* solver, int32_t base, int32_t body, double motion[3]) {
    const b2d_body_state *still = &solver->states[base], *state = &solver->states[body];
    motion[0] = (double)still->vx, motion[1] = (double)still->vy, motion[2] = (double)still->w;
    if (still->w == 0.0f) return;
    const b2d_pose *from = &solver->poses[base], *to = &solver->poses[body];
    const b2d_vec2 a = b2d_pose_center(from), b = b2d_pose_center(to);
    motion[0] -= motion[2] * (to->y - from->y + (double)(b.y - a.y) + (double)(state->dy - still->dy));
    motion[1] += motion[2] * (to->x - from->x + (double)(b.x - a.x) + (double)(state->dx - still->dx));
}

typedef double velocities[B2D_DIRECT_PENDULUM][3];

static double speed_along(const b2d_direct_joint* joint, const b2d_direct_direction* d, velocities of) {
    double speed = 0.0;
    for (int32_t side = 0; side < 2; side++) {
        if (joint->body[side] == B2D_NONE) continue;
        const double *j = d->j[side], *v = of[joint->body[side]];
        speed = speed + j[0] * v[0] + j[1] * v[1] + j[2] * v[2];
    }
    return speed;
}

// Twice the work of rows that may do work.
static double work_of(const b2d_direct_joint* joint, velocities before, velocities after) {
    double work = 0.0;
    for (int32_t i = 0; i < 3; i++) {
        const b2d_direct_direction* d = &joint->directions[i];
        const b2d_direct_row *row = joint->rows + d->first, *end = row + (d->inverse_mass > 0.0 ? d->count : 0);
        for (; row < end; row++) {
            if (row->rigid || row->impulse == NULL) continue;
            work += (double)row->sign * (double)*row->impulse * speed_along(joint, d, after) +
                    row->lambda * speed_along(joint, d, before);
        }
    }
    return work;
}

void b2d_direct_keep_energy(const b2d_solver* solver, const b2d_direct_assembly* assembly,
                            const b2d_direct_body* bodies, const b2d_direct_joint* joints, b2d_direct_node* nodes) {
    velocities before, after, base;              // relative to the base
    double error = 0.0, energy = 0.0, way = 0.0; // way: twice the work of gravity along the one that closes open joints
    const int32_t at = joints[assembly->root].lane_index;
    for (int32_t k = 0; k < assembly->body_count; k++) {
        const b2d_direct_body* body = &bodies[k];
        const double* v = nodes[body->position].x;
        const double kick[3] = {assembly->plain ? assembly->kick[0] : body->kick[0],
                                assembly->plain ? assembly->kick[1] : body->kick[1],
                                assembly->plain ? 0.0 : body->kick[2]};
        b2d_direct_base_motion(solver, solver->graph->joint_blocks[at / B2D_LANES].body_b[at % B2D_LANES], body->id,
                               base[k]);
        for (int32_t i = 0; i < 3; i++) {
            const double m = body->mass[i], now = v[i] - base[k][i];
            const double old = body->velocity[i] - body->change[i] + kick[i] - base[k][i];
            error += m * (body->change[i] * now + (v[i] - body->velocity[i]) * old);
            energy += m * (now * (now + 0.5 * kick[i]) + kick[i] * kick[i]);
            if (assembly->closing) way += 2.0 * m * kick[i] * body->pushed[i];
            after[k][i] = now, before[k][i] = old;
        }
    }
    if (way > 0.0) error += way; // it gives nothing, but takes
    for (int32_t k = 0; k < assembly->joint_count; k++) error -= work_of(&joints[k], before, after);
    if (!(energy > 0.0 && energy < B2D_DIRECT_LARGEST)) return;
    const double square = 1.0 - error / energy;
    const double most = assembly->touches ? 1.0 : B2D_DIRECT_LARGEST, least = square < most ? square : most;
    const double scale = least > 0.0 ? sqrt(least) : 0.0;
    for (int32_t k = 0; k < assembly->body_count; k++)
        for (int32_t i = 0; i < 3; i++)
            if (bodies[k].mass[i] > 0.0) nodes[bodies[k].position].x[i] = base[k][i] + scale * after[k][i];
}
