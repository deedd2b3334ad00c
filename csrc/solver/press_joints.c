// csrc/solver/press_joints.c - the rows of the joints of a press.
#include "solver/press_parts.h"

#include <math.h>

bool b2d_press_reserve_joints(const b2d_solver* solver, b2d_press* press, int32_t count) {
    if (count == 0) return true;
    press->joints = b2d_arena_take(solver->arena, (size_t)count * sizeof *press->joints);
    press->members = b2d_arena_take(solver->arena, (size_t)press->body_count * sizeof *press->members);
    if (press->joints == NULL || press->members == NULL) return false;
    for (int32_t k = 0; k < press->body_count; k++) {
        press->members[k] = (b2d_direct_body){.id = press->bodies[k].id};
        for (int32_t i = 0; i < 3; i++) press->members[k].mass[i] = press->bodies[k].mass[i];
    }
    return true;
}

void b2d_press_add_joint(const b2d_solver* solver, b2d_press* press, int32_t id, const int32_t side[2]) {
    b2d_press_joint* p = &press->joints[press->joint_count++];
    *p = (b2d_press_joint){.joint = {.id = id, .body = {side[0], side[1]}}, .first = press->row_count};
    b2d_direct_begin(solver, &p->joint);
    press->row_count += B2D_DIRECT_ROWS;
}

static bool is_rigid(const b2d_direct_row* row) { return row->impulse != NULL && !row->springs; }

// Row `to` by a direction and a row of a joint.
static void fill_row(const b2d_solver* solver, const b2d_press* press, const b2d_direct_joint* joint,
                     const b2d_direct_direction* d, const b2d_direct_row* row, b2d_press_row* to) {
    const double push = (double)solver->push_speed, old = (double)row->sign * (double)*row->impulse;
    for (int32_t side = 0; side < 2; side++) {
        to->side[side] = joint->body[side];
        for (int32_t i = 0; i < 3; i++) to->j[side][i] = d->j[side][i];
    }
    to->stiffness = d->inverse_mass > 0.0 ? 1.0 / (press->compliance * d->inverse_mass) : 0.0;
    to->low = row->low - (press->relax ? 0.0 : old), to->high = row->high - (press->relax ? 0.0 : old);
    double bias = row->bias; // errors close as slowly as overlaps do, but gaps and motors are as fast as they are
    if (row->high == B2D_DIRECT_LARGEST) bias = fmax(bias, -push);
    if (row->low == -B2D_DIRECT_LARGEST) bias = fmin(bias, push);
    to->wanted = d->known + bias;
}

// The rows of an assembly of more bodies than a pendulum's do not depend on velocities that are expected.
void b2d_press_fill_joints(const b2d_solver* solver, b2d_press* press) {
    const b2d_direct_assembly assembly = {.fresh = true, .share = 1.0, .body_count = B2D_DIRECT_PENDULUM + 1};
    for (int32_t k = 0; k < press->body_count && press->joint_count > 0; k++)
        press->members[k].rotation = b2d_make_rot((double)solver->states[press->members[k].id].angle);
    for (int32_t k = 0; k < press->joint_count; k++) {
        b2d_direct_joint* joint = &press->joints[k].joint;
        b2d_press_row *to = press->rows + press->joints[k].first, *end = to + B2D_DIRECT_ROWS;
        (void)b2d_direct_fill(solver, &assembly, press->members, joint, press->relax);
        for (int32_t i = 0; i < 3; i++) {
            const b2d_direct_direction* d = &joint->directions[i];
            for (const b2d_direct_row* row = joint->rows + d->first; row < joint->rows + d->first + d->count; row++)
                if (is_rigid(row)) fill_row(solver, press, joint, d, row, to++);
        }
        for (; to < end; to++) *to = (b2d_press_row){.side = {B2D_NONE, B2D_NONE}};
    }
    if (press->joint_count > 0) press->factors[press->relax].valid = false; // the bodies have turned
}

void b2d_press_add_loads(const b2d_solver* solver, const b2d_press* press) {
    for (int32_t k = 0; k < press->joint_count; k++) {
        const b2d_direct_joint* joint = &press->joints[k].joint;
        const int32_t lane_index = solver->graph->joints[joint->id].lane_index, lane = lane_index % B2D_LANES;
        b2d_joint_block* block = &solver->graph->joint_blocks[lane_index / B2D_LANES];
        const b2d_press_row* row = press->rows + press->joints[k].first;
        for (int32_t i = 0; i < joint->row_count; i++) {
            if (!is_rigid(&joint->rows[i])) continue;
            const double *j = row->j[0], force = row++->given / (double)solver->dt; // side A always moves
            block->force_x[lane] -= (float)(force * j[0]), block->force_y[lane] -= (float)(force * j[1]);
            if (j[0] == 0.0 && j[1] == 0.0) block->torque[lane] -= (float)(force * j[2]);
        }
    }
}

static bool is_direct(const b2d_solver* solver, const b2d_press_joint* joint) {
    return (solver->graph->joints[joint->joint.id].flags & B2D_JOINT_DIRECT) != 0;
}

// Its tension adds inertia in the next pass, so it must be known; the press does not take its part back then.
void b2d_press_store_direct(const b2d_solver* solver, b2d_press* press) {
    for (int32_t k = 0; k < press->joint_count; k++) {
        if (!is_direct(solver, &press->joints[k])) continue;
        const b2d_direct_joint* joint = &press->joints[k].joint;
        b2d_press_row* from = press->rows + press->joints[k].first;
        for (const b2d_direct_row* row = joint->rows; row < joint->rows + joint->row_count; row++) {
            if (!is_rigid(row)) continue;
            *row->impulse += row->sign * (float)from->given;
            for (int32_t side = 0; side < 2; side++)
                for (int32_t i = 0; i < 3 && from->side[side] != B2D_NONE; i++) {
                    b2d_pressed_body* body = &press->bodies[from->side[side]];
                    const double change = body->mass[i] > 0.0 ? from->given * from->j[side][i] / body->mass[i] : 0.0;
                    body->change[i] -= change;
                    if (body->direct != NULL) body->direct->change[i] += change;
                }
            from->given = from->multiplier[0] = from->multiplier[1] = 0.0;
            from++;
        }
    }
}

void b2d_press_store_others(const b2d_solver* solver, const b2d_press* press) {
    for (int32_t k = 0; k < press->joint_count; k++) {
        if (is_direct(solver, &press->joints[k])) continue;
        const b2d_direct_joint* joint = &press->joints[k].joint;
        const b2d_press_row* from = press->rows + press->joints[k].first;
        for (const b2d_direct_row* row = joint->rows; row < joint->rows + joint->row_count; row++)
            if (is_rigid(row)) *row->impulse += row->sign * (float)(from++)->multiplier[1];
    }
}
