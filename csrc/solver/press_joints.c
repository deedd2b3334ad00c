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

static bool is_direct(const b2d_solver* solver, const b2d_press_joint* joint) {
    return (solver->graph->joints[joint->joint.id].flags & B2D_JOINT_DIRECT) != 0;
}

void b2d_press_add_joint(const b2d_solver* solver, b2d_press* press, int32_t id, const int32_t side[2]) {
    b2d_press_joint* p = &press->joints[press->joint_count++];
    *p = (b2d_press_joint){.joint = {.id = id, .body = {side[0], side[1]}}, .first = press->row_count};
    b2d_direct_begin(solver, &p->joint);
    press->row_count += B2D_DIRECT_ROWS;
}

// Row `to` by a direction and a row of a joint, with the whole impulse or what is beyond that of the joint's own pass.
static void fill_row(const b2d_solver* solver, const b2d_press* press, const b2d_direct_joint* joint, bool whole,
                     const b2d_direct_direction* d, const b2d_direct_row* row, b2d_press_row* to) {
    const double push = (double)solver->push_speed,
                 old = row->impulse != NULL ? (double)row->sign * (double)*row->impulse : 0.0,
                 less = (whole ? 0.0 : old) - (press->relax ? old : 0.0); // b2d_direct_start has it in the relax pass
    for (int32_t side = 0; side < 2; side++) {
        to->side[side] = joint->body[side];
        for (int32_t i = 0; i < 3; i++) to->j[side][i] = d->j[side][i];
    }
    to->soft = row->springs || row->impulse == NULL;
    const double softness = to->soft ? row->softness : press->compliance * d->inverse_mass;
    to->stiffness = d->inverse_mass > 0.0 ? 1.0 / softness : 0.0;
    to->low = row->low - less, to->high = row->high - less;
    to->correction = 0.0;
    double bias = row->bias; // errors close as slowly as overlaps do, but gaps and motors are as fast as they are
    if (!to->soft && row->high == B2D_DIRECT_LARGEST && bias < 0.0) to->correction = bias = fmax(bias, -push);
    if (!to->soft && row->low == -B2D_DIRECT_LARGEST && bias > 0.0) to->correction = bias = fmin(bias, push);
    if (press->held) bias -= to->correction;
    if (row->springs) bias += softness * less;
    to->wanted = d->known + bias;
    if (whole) to->given = to->multiplier[press->relax] = old;
}

// Adds the inertia that tension requires where something fixed holds it, as in the direct solver: that of the stored
// impulses or of those just found. Elsewhere tension passes with the impact, and contradictions would make it endless.
// Returns whether some body needs more than twice what it had.
static bool stiffen(const b2d_solver* solver, b2d_press* press, bool stored) {
    bool more = false;
    for (int32_t k = 0; k < press->body_count && press->joint_count > 0; k++) press->members[k].stiffness = 0.0;
    for (int32_t k = 0; k < press->joint_count && press->held; k++)
        b2d_direct_stiffen((double)solver->h, press->members, &press->joints[k].joint, stored);
    for (int32_t k = 0; k < press->body_count && press->joint_count > 0; k++) {
        b2d_pressed_body* body = &press->bodies[k];
        if (!(body->inertia > 0.0)) continue;
        const double whole = body->free[2] + body->lag, needed = press->members[k].stiffness;
        more = more || needed > 2.0 * body->mass[2];
        body->mass[2] = fmax(body->mass[2], needed);
        body->free[2] = whole * (body->inertia / body->mass[2]);
        body->lag = whole - body->free[2];
    }
    if (press->joint_count > 0) press->factors[press->relax].valid = false; // and the bodies have turned
    return more;
}

// The rows of an assembly of more bodies than a pendulum's do not depend on velocities that are expected.
void b2d_press_fill_joints(const b2d_solver* solver, b2d_press* press) {
    const b2d_direct_assembly assembly = {
        .fresh = true, .share = 1.0, .anew = press->held, .body_count = B2D_DIRECT_PENDULUM + 1};
    for (int32_t k = 0; k < press->body_count && press->joint_count > 0; k++)
        press->members[k].rotation = b2d_make_rot((double)solver->states[press->members[k].id].angle);
    for (int32_t k = 0; k < press->joint_count; k++) {
        b2d_direct_joint* joint = &press->joints[k].joint;
        b2d_press_row *to = press->rows + press->joints[k].first, *end = to + B2D_DIRECT_ROWS;
        const bool whole = press->held && is_direct(solver, &press->joints[k]);
        (void)b2d_direct_fill(solver, &assembly, press->members, joint, press->relax);
        for (int32_t i = 0; i < 3; i++) {
            const b2d_direct_direction* d = &joint->directions[i];
            for (const b2d_direct_row* row = joint->rows + d->first; row < joint->rows + d->first + d->count; row++)
                fill_row(solver, press, joint, whole, d, row, to++);
        }
        for (; to < end; to++) *to = (b2d_press_row){.side = {B2D_NONE, B2D_NONE}};
    }
    for (int32_t k = 0; k < press->body_count; k++) press->bodies[k].mass[2] = press->bodies[k].inertia;
    (void)stiffen(solver, press, true);
}

// In a held press a direct joint has the whole of what the press gives, in place of what its own pass has added.
void b2d_press_add_loads(const b2d_solver* solver, const b2d_press* press) {
    for (int32_t k = 0; k < press->joint_count; k++) {
        const b2d_direct_joint* joint = &press->joints[k].joint;
        const int32_t lane_index = solver->graph->joints[joint->id].lane_index, lane = lane_index % B2D_LANES;
        b2d_joint_block* block = &solver->graph->joint_blocks[lane_index / B2D_LANES];
        const b2d_press_row* from = press->rows + press->joints[k].first;
        const bool whole = press->held && is_direct(solver, &press->joints[k]);
        for (const b2d_direct_row* row = joint->rows; row < joint->rows + joint->row_count; row++, from++) {
            const double had = whole && row->impulse != NULL ? (double)(row->sign * *row->impulse) : 0.0,
                         *j = from->j[0], force = (from->given - had) / (double)solver->dt; // side A always moves
            block->force_x[lane] -= (float)(force * j[0]), block->force_y[lane] -= (float)(force * j[1]);
            if (j[0] == 0.0 && j[1] == 0.0) block->torque[lane] -= (float)(force * j[2]);
        }
    }
}

bool b2d_press_stiffen_again(const b2d_solver* solver, b2d_press* press) {
    if (!press->held) return false;
    for (int32_t k = 0; k < press->joint_count; k++) {
        b2d_direct_joint* joint = &press->joints[k].joint;
        const b2d_press_row* from = press->rows + press->joints[k].first;
        const bool direct = is_direct(solver, &press->joints[k]);
        for (b2d_direct_row* row = joint->rows; row < joint->rows + joint->row_count; row++, from++)
            row->lambda = from->impulse + (direct || row->impulse == NULL ? 0.0 : (double)(row->sign * *row->impulse));
    }
    return stiffen(solver, press, false);
}

// Springs and motors have bounds of their own, and the damper of tension only slows down.
static bool is_bounded(const b2d_direct_row* row) {
    return row->springs || row->impulse == NULL || (row->low > -B2D_DIRECT_LARGEST && row->high < B2D_DIRECT_LARGEST);
}

static bool pulls_rigidly(const b2d_press* press, const b2d_press_joint* joint) {
    for (int32_t i = 0; i < joint->joint.row_count; i++) {
        const b2d_direct_row* row = &joint->joint.rows[i];
        if (is_bounded(row)) continue;
        if (*row->impulse != 0.0f || press->rows[joint->first + i].impulse != 0.0) return true;
    }
    return false;
}

void b2d_press_find_pulled(b2d_press* press) {
    for (int32_t k = 0; k < press->body_count; k++) press->bodies[k].pulled = false;
    for (int32_t k = 0; k < press->joint_count; k++) {
        if (!pulls_rigidly(press, &press->joints[k])) continue;
        const int32_t* body = press->joints[k].joint.body;
        for (int32_t side = 0; side < 2; side++)
            if (body[side] != B2D_NONE) press->bodies[body[side]].pulled = true;
    }
}

// The direct solver has them in its next pass, with their changes; the press does not take its part back then.
void b2d_press_store_direct(const b2d_solver* solver, b2d_press* press) {
    for (int32_t k = 0; k < press->body_count; k++) {
        b2d_pressed_body* body = &press->bodies[k];
        for (int32_t i = 0; i < 3 && press->held && body->direct != NULL; i++) body->direct->change[i] = 0.0;
    }
    for (int32_t k = 0; k < press->joint_count; k++) {
        if (!is_direct(solver, &press->joints[k])) continue;
        const b2d_direct_joint* joint = &press->joints[k].joint;
        b2d_press_row* from = press->rows + press->joints[k].first;
        for (const b2d_direct_row* row = joint->rows; row < joint->rows + joint->row_count; row++) {
            if (row->impulse != NULL)
                *row->impulse = (press->held ? 0.0f : *row->impulse) + row->sign * (float)from->given;
            for (int32_t side = 0; side < 2; side++)
                for (int32_t i = 0; i < 3 && from->side[side] != B2D_NONE; i++) {
                    b2d_pressed_body* body = &press->bodies[from->side[side]];
                    const double change = body->mass[i] > 0.0 ? from->given * from->j[side][i] / body->mass[i] : 0.0;
                    body->change[i] -= change;
                    if (body->direct != NULL) body->direct->change[i] += change;
                }
            if (!press->held) from->given = from->multiplier[0] = from->multiplier[1] = 0.0;
            from++;
        }
    }
}

void b2d_press_store_others(const b2d_solver* solver, const b2d_press* press) {
    for (int32_t k = 0; k < press->joint_count; k++) {
        if (is_direct(solver, &press->joints[k])) continue;
        const b2d_direct_joint* joint = &press->joints[k].joint;
        const b2d_press_row* from = press->rows + press->joints[k].first;
        for (const b2d_direct_row* row = joint->rows; row < joint->rows + joint->row_count; row++, from++)
            if (row->impulse != NULL) *row->impulse += row->sign * (float)from->multiplier[1];
    }
}
