// csrc/solver/direct_rows.c - the rows of a directly solved joint: read from its lane as at most three directions, and
// the impulses written back.
//
// Rows about one coordinate share a direction. Free rows act in parallel, so their softnesses combine like resistances
// in parallel,
//   1 / G = sum 1 / G_i,   b / G = sum b_i / G_i,
// and a row at a bound is a given impulse. Biases and softnesses are those of the sequential rows (solver.h), except
// for rigid rows: these are truly rigid here unless the joint has a softness of its own, whereas a sequential rigid
// row is a spring with the mass of the lighter body.
#include "joints/joint_type.h"
#include "solver/direct.h"

#include <math.h>
#include <string.h>

#define YIELD_HERTZ 1.83e3 // of the spring that all joints of an assembly with loops are together
#define CLOSING     0.03   // a joint that closes a loop is softer by this share of that spring
#define COUPLED     1.0e-5 // softness of a coupling that closes a loop, over its inverse mass

typedef struct lane_of {
    const b2d_solver* solver;
    const b2d_direct_body* bodies;
    const b2d_body_state* side[2];
    b2d_joint_block* block;
    b2d_joint_rows* rows;
    int32_t lane;
    uint8_t line; // B2D_LINE_*
    bool coupled, soft_plane, angle;
    bool free; // it has neither a point nor a line: only its rows about the angle are here
    bool relax, anew;
    double loose, rate; // softness of rigid rows over the inverse mass; bias rate
    // What rotation by a whole substep adds to the relative speed of the anchors: rigid rows of the solve pass count
    // with it, so that they hold where the motion of the substep ends (solver/direct.h)
    double bend[2], half_h; // 0: not added
    double expected[2][3];  // velocities of the sides with which it counts
} lane_of;

static bool has_length(double distance) { return !(distance < 1.0e-6); }

// ---- Directions: where the bodies are ----

static void place_direction(const lane_of* l, b2d_direct_joint* joint, int32_t index, const double a[3],
                            const double b[3], double at) {
    b2d_direct_direction* d = &joint->directions[index];
    *d = (b2d_direct_direction){.n = {b[0], b[1]}, .at = at};
    for (int32_t side = 0; side < 2; side++) {
        const b2d_body_state* state = l->side[side];
        const double still[3] = {state->vx, state->vy, state->w};
        const b2d_direct_body* body = joint->body[side] == B2D_NONE ? NULL : &l->bodies[joint->body[side]];
        for (int32_t k = 0; k < 3; k++) {
            double j = side == 0 ? a[k] : b[k];
            bool moves = body != NULL && body->mass[k] > 0.0;
            d->j[side][k] = moves ? j : 0.0;
            if (moves) d->inverse_mass += j * j * (double)(k < 2 ? state->inverse_mass : state->inverse_inertia);
            else d->known += j * still[k];
        }
    }
}

static void turn(b2d_rot q, double x, double y, double out[2]) {
    out[0] = (double)q.c * x - (double)q.s * y;
    out[1] = (double)q.s * x + (double)q.c * y;
}

static void place_point(const lane_of* l, b2d_direct_joint* joint, const double d[2]) {
    // Impulses on two moving bodies act midway between the anchors, as in joint_rows_wide.inl
    const bool both = b2d_moves(l->solver->graph, l->block->body_a[l->lane]) &&
                      b2d_moves(l->solver->graph, l->block->body_b[l->lane]);
    const double half[2] = {both ? 0.5 * d[0] : 0.0, both ? 0.5 * d[1] : 0.0}, *at_a = joint->lever[0],
                 *at_b = joint->lever[1], ra[2] = {at_a[0] + half[0], at_a[1] + half[1]},
                 rb[2] = {at_b[0] - half[0], at_b[1] - half[1]};
    const double ax[3] = {-1.0, 0.0, ra[1]}, bx[3] = {1.0, 0.0, -rb[1]};
    const double ay[3] = {0.0, -1.0, -ra[0]}, by[3] = {0.0, 1.0, rb[0]};
    place_direction(l, joint, 0, ax, bx, d[0]);
    place_direction(l, joint, 1, ay, by, d[1]);
}

// One row with a direction of its own on each side, fixed for the step.
static void place_coupling(const lane_of* l, b2d_direct_joint* joint) {
    const int32_t k = l->lane;
    const b2d_joint_rows* rows = l->rows;
    const b2d_body_state *a = l->side[0], *b = l->side[1];
    const double ja[3] = {rows->coupling_ax[k], rows->coupling_ay[k], rows->coupling_aw[k]};
    const double jb[3] = {rows->coupling_bx[k], rows->coupling_by[k], rows->coupling_bw[k]};
    const double error = (double)rows->coupling_value[k] + ja[0] * (double)a->dx + ja[1] * (double)a->dy +
                         ja[2] * (double)a->angle + jb[0] * (double)b->dx + jb[1] * (double)b->dy +
                         jb[2] * (double)b->angle;
    place_direction(l, joint, 0, ja, jb, error);
}

static void direction_of(const double n[2], const double ra[2], const double rb[2], double a[3], double b[3]) {
    a[0] = -n[0], a[1] = -n[1], a[2] = -(ra[0] * n[1] - ra[1] * n[0]);
    b[0] = n[0], b[1] = n[1], b[2] = rb[0] * n[1] - rb[1] * n[0];
}

// Along and across. Anchors at the same place have no distance between them, so no direction.
static void place_line(const lane_of* l, b2d_direct_joint* joint, const b2d_rot q[2], const double d[2]) {
    const int32_t k = l->lane;
    const bool on_b = l->rows->axis_on_b[k] > 0.0f, distance = l->rows->distance_on[k] > 0.0f;
    const double length = sqrt(d[0] * d[0] + d[1] * d[1]);
    const double *at_a = joint->lever[0], *at_b = joint->lever[1];
    double n[2], a[3], b[3];
    turn(q[on_b], l->rows->axis_x[k], l->rows->axis_y[k], n);
    if (distance) {
        if (!has_length(length)) return;
        n[0] = d[0] / length, n[1] = d[1] / length;
    }
    const double p[2] = {-n[1], n[0]};
    const double ra[2] = {on_b || distance ? at_a[0] : at_a[0] + d[0], on_b || distance ? at_a[1] : at_a[1] + d[1]};
    const double rb[2] = {on_b && !distance ? at_b[0] - d[0] : at_b[0], on_b && !distance ? at_b[1] - d[1] : at_b[1]};
    direction_of(n, ra, rb, a, b);
    place_direction(l, joint, 0, a, b, distance ? length : n[0] * d[0] + n[1] * d[1]);
    direction_of(p, ra, rb, a, b);
    place_direction(l, joint, 1, a, b, p[0] * d[0] + p[1] * d[1]);
}

static bool is_still(const b2d_direct_body* body) { // on some axis
    return body->mass[0] == 0.0 || body->mass[1] == 0.0 || body->mass[2] == 0.0;
}

// Notes where the bodies are. Returns whether that is new, so that the directions are to be found again.
static bool note_place(const lane_of* l, b2d_direct_joint* joint, bool fresh) {
    bool moved = fresh;
    for (int32_t side = 0; side < 2; side++) {
        const b2d_body_state* state = l->side[side];
        float* place = joint->place[side];
        const float now[6] = {state->dx, state->dy, state->angle, state->vx, state->vy, state->w};
        if (fresh) joint->still[side] = joint->body[side] == B2D_NONE || is_still(&l->bodies[joint->body[side]]);
        const size_t size = (joint->still[side] ? 6 : 3) * sizeof *now;
        if (!fresh && memcmp(place, now, size) == 0) continue;
        memcpy(place, now, size);
        moved = true;
    }
    return moved;
}

// Rows of a loop may be redundant. A straight bridge would carry its weight by forces without bound, and rounding
// errors would become large impulses. So all joints of an assembly with loops, one after the other, are as stiff as one
// spring on the mean of its bodies, whatever the length of a substep is. A softer spring lets a bridge sag farther than
// it falls in its first step, so that its force grows from zero; a stiffer one holds heavier impacts.
static void soften_loops(const lane_of* l, const b2d_direct_assembly* assembly, b2d_direct_joint* joint) {
    const double turn = 2.0 * 3.141592653589793 * YIELD_HERTZ;
    const double share = 1.0 / (double)assembly->body_count + (joint->closes ? CLOSING : 0.0),
                 softness = share * (double)l->block->bias_rate[l->lane] * (double)l->solver->inverse_h / (turn * turn);
    for (int32_t k = 0; k < 3; k++) {
        b2d_direct_direction* d = &joint->directions[k];
        if (l->coupled) d->yield = joint->closes ? COUPLED * d->inverse_mass : 0.0;
        else d->yield = softness * assembly->inverse_mean[k == 2];
    }
}

static void place_joint(const lane_of* l, const b2d_direct_assembly* assembly, b2d_direct_joint* joint) {
    const int32_t k = l->lane;
    const b2d_joint_block* block = l->block;
    const b2d_body_state *a = l->side[0], *b = l->side[1];
    b2d_rot q[2];
    for (int32_t side = 0; side < 2; side++)
        q[side] = joint->body[side] == B2D_NONE ? b2d_make_rot((double)l->side[side]->angle)
                                                : l->bodies[joint->body[side]].rotation;
    turn(q[0], block->ax[k], block->ay[k], joint->lever[0]);
    turn(q[1], block->bx[k], block->by[k], joint->lever[1]);
    const double d[2] = {
        (double)block->dx[k] + ((double)b->dx - (double)a->dx) + (joint->lever[1][0] - joint->lever[0][0]),
        (double)block->dy[k] + ((double)b->dy - (double)a->dy) + (joint->lever[1][1] - joint->lever[0][1])};
    memset(joint->directions, 0, sizeof joint->directions);
    joint->lasts = l->line == B2D_LINE_NONE || l->line == B2D_LINE_SLIDE;
    for (int32_t side = 0; side < 2; side++)
        if (joint->body[side] != B2D_NONE && joint->still[side]) joint->lasts = false;
    const double ja[3] = {0.0, 0.0, -1.0}, jb[3] = {0.0, 0.0, 1.0},
                 angle = (double)l->rows->start_angle[k] + ((double)b->angle - (double)a->angle);
    if (l->coupled) place_coupling(l, joint);
    else if (l->soft_plane || l->line == B2D_LINE_NONE) place_point(l, joint, d);
    else place_line(l, joint, q, d);
    if (l->angle && !l->coupled) place_direction(l, joint, 2, ja, jb, angle);
    if (assembly->loops) soften_loops(l, assembly, joint);
}

// ---- Rows: what the pass and the impulses make of them ----

// Rows that are added after this call belong to the direction.
static b2d_direct_direction* open_direction(b2d_direct_joint* joint, int32_t index) {
    b2d_direct_direction* d = &joint->directions[index];
    d->first = joint->row_count;
    d->count = 0;
    return d;
}

static b2d_direct_row* add_row(b2d_direct_joint* joint, b2d_direct_direction* d, float* impulse, float sign) {
    B2D_ASSERT(joint->row_count < B2D_DIRECT_ROWS);
    b2d_direct_row* row = &joint->rows[joint->row_count++];
    d->count++;
    *row = (b2d_direct_row){.impulse = impulse, .sign = sign, .low = -B2D_DIRECT_LARGEST, .high = B2D_DIRECT_LARGEST};
    return row;
}

static void add_rigid(const lane_of* l, b2d_direct_joint* joint, b2d_direct_direction* d, float* impulse, double error,
                      double bend) {
    b2d_direct_row* row = add_row(joint, d, impulse, 1.0f);
    row->softness = l->loose * d->inverse_mass + d->yield;
    row->rigid = true;
    row->bias = l->relax ? 0.0 : l->rate * error + bend;
}

// The gap times this is the speed with which it may close; of a negative gap, that with which it opens.
static double limit_rate(const lane_of* l, double gap) {
    return gap > 0.0 ? (double)l->solver->inverse_h : (l->relax ? 0.0 : l->rate);
}

static void add_limit(const lane_of* l, b2d_direct_joint* joint, b2d_direct_direction* d, float* impulse, float sign,
                      double gap) {
    b2d_direct_row* row = add_row(joint, d, impulse, sign);
    bool apart = gap > 0.0;
    row->softness = (apart || l->relax ? B2D_DIRECT_RIGID : l->loose) * d->inverse_mass + d->yield;
    row->bias = (double)sign * gap * limit_rate(l, gap);
    *(sign > 0.0f ? &row->low : &row->high) = 0.0;
}

static void add_spring(const lane_of* l, b2d_direct_joint* joint, b2d_direct_direction* d, b2d_scalar_rows* rows) {
    int32_t k = l->lane;
    b2d_direct_row* row = add_row(joint, d, &rows->spring_impulse[k], 1.0f);
    double scale = rows->spring_mass_scale[k];
    row->softness = scale > 0.0 ? d->inverse_mass * (double)rows->spring_impulse_scale[k] / scale : 1.0e30;
    row->softness += B2D_DIRECT_RIGID * d->inverse_mass;
    row->springs = true;
    if (!l->relax) rows->spring_bias[k] = rows->spring_bias_rate[k] * (float)(d->at - (double)rows->target[k]);
    row->bias = (double)rows->spring_bias[k];
    row->low = rows->spring_low[k], row->high = rows->spring_high[k];
}

// As in the kernels (joint_rows_wide.inl), it drives towards a limit no farther than that, and does not brake there.
static void add_motor(const lane_of* l, b2d_direct_joint* joint, b2d_direct_direction* d, b2d_scalar_rows* rows) {
    int32_t k = l->lane;
    b2d_direct_row* row = add_row(joint, d, &rows->motor_impulse[k], 1.0f);
    const double max = (double)rows->motor_max[k];
    double speed = (double)rows->motor_speed[k];
    row->softness = 1.0e3 * B2D_DIRECT_RIGID * d->inverse_mass + d->yield; // softer than limits, so that limits prevail
    row->low = -max, row->high = max;
    if (rows->limit_on[k] > 0.0f && speed != 0.0) {
        const double gap = speed > 0.0 ? (double)rows->upper[k] - d->at : d->at - (double)rows->lower[k];
        const double closing = limit_rate(l, gap) * gap;
        if (closing < fabs(speed)) {
            speed = speed > 0.0 ? closing : -closing;
            *(rows->motor_speed[k] > 0.0f ? &row->low : &row->high) = 0.0;
        }
    }
    row->bias = -speed;
}

static void add_scalar_rows(const lane_of* l, b2d_direct_joint* joint, b2d_direct_direction* d, b2d_scalar_rows* rows,
                            double bend) {
    int32_t k = l->lane;
    if (rows->spring_on[k] > 0.0f) add_spring(l, joint, d, rows);
    if (rows->motor_on[k] > 0.0f) add_motor(l, joint, d, rows);
    if (rows->limit_on[k] > 0.0f) {
        add_limit(l, joint, d, &rows->lower_impulse[k], 1.0f, d->at - (double)rows->lower[k]);
        add_limit(l, joint, d, &rows->upper_impulse[k], -1.0f, (double)rows->upper[k] - d->at);
    }
    if (rows->rigid_on[k] > 0.0f)
        add_rigid(l, joint, d, &rows->rigid_impulse[k], d->at - (double)rows->target[k], bend);
}

// Tension T pulls the end of a rod back across the rod with the stiffness T / length. If that is too stiff for a step
// of a light end, the step takes this force at its end (implicitly), which acts as a damper (Tournier et al., "Stable
// constrained dynamics", 2015). What begins anew in each pass would lose it again in the relax pass, so there it counts
// in both, and however weak: a bound would turn it on and off.
static void add_tension(const lane_of* l, b2d_direct_joint* joint, b2d_direct_direction* d, double length) {
    const b2d_scalar_rows* rows = &l->rows->line;
    int32_t k = l->lane;
    double impulse = (double)rows->spring_impulse[k] + (double)rows->lower_impulse[k] - (double)rows->upper_impulse[k] +
                     (double)rows->rigid_impulse[k];
    double damper = -impulse * (double)l->solver->h / length;
    const double upper = rows->limit_on[k] > 0.0f ? (double)rows->upper[k] : B2D_DIRECT_LARGEST,
                 longest = rows->rigid_on[k] > 0.0f ? (double)rows->target[k] : upper,
                 push = (double)l->solver->push_speed;
    const double share = 2.0 * push * (double)l->solver->h / length; // as slow_swing in joint_rows_wide.inl
    const bool far = (double)l->block->bias_rate[k] * (length - longest) > push && share < 1.0;
    if (far && damper * d->inverse_mass < share / (1.0 - share)) damper = share / ((1.0 - share) * d->inverse_mass);
    const double least = l->anew ? 0.0 : 1.0;
    if ((l->relax && !l->anew) || !(d->inverse_mass > 0.0) || !(far || damper * d->inverse_mass > least)) return;
    b2d_direct_row* row = add_row(joint, d, NULL, 1.0f);
    row->softness = 1.0 / damper;
}

// The spring that holds the point of a soft weld.
static void add_plane_spring(const lane_of* l, b2d_direct_joint* joint, b2d_direct_direction* d, float* impulse,
                             float* bias) {
    const int32_t k = l->lane;
    const double scale = l->rows->plane_spring_mass_scale[k];
    b2d_direct_row* row = add_row(joint, d, impulse, 1.0f);
    row->softness = (scale > 0.0 ? (double)l->rows->plane_spring_impulse_scale[k] / scale : 1.0e30) + B2D_DIRECT_RIGID;
    row->softness *= d->inverse_mass;
    if (scale < 0.0) row->softness = B2D_DIRECT_RIGID * d->inverse_mass - scale; // it is given as such
    row->springs = true;
    if (!l->relax) *bias = l->rows->plane_spring_bias_rate[k] * (float)d->at;
    row->bias = (double)*bias;
}

static void fill_point(const lane_of* l, b2d_direct_joint* joint) {
    const int32_t k = l->lane;
    b2d_direct_direction *x = open_direction(joint, 0), *y;
    if (l->soft_plane) add_plane_spring(l, joint, x, &l->rows->plane_spring_x[k], &l->rows->plane_spring_bias_x[k]);
    else add_rigid(l, joint, x, &l->block->impulse_x[k], x->at, l->bend[0]);
    y = open_direction(joint, 1);
    if (l->soft_plane) add_plane_spring(l, joint, y, &l->rows->plane_spring_y[k], &l->rows->plane_spring_bias_y[k]);
    else add_rigid(l, joint, y, &l->block->impulse_y[k], y->at, l->bend[1]);
}

static void fill_line(const lane_of* l, b2d_direct_joint* joint) {
    const int32_t k = l->lane;
    const bool distance = l->rows->distance_on[k] > 0.0f;
    const double *n = joint->directions[0].n, *p = joint->directions[1].n, length = joint->directions[0].at;
    double bend = 0.0;
    if (distance && !has_length(length)) return;
    if (distance && l->half_h > 0.0) { // the speed of anchor B across the rod lengthens it too
        const double *va = l->expected[0], *vb = l->expected[1], *ra = joint->lever[0], *rb = joint->lever[1];
        const double x = vb[0] - vb[2] * rb[1] - va[0] + va[2] * ra[1],
                     y = vb[1] + vb[2] * rb[0] - va[1] - va[2] * ra[0];
        const double aside = p[0] * x + p[1] * y;
        bend = n[0] * l->bend[0] + n[1] * l->bend[1] + l->half_h * aside * aside / length;
    }
    add_scalar_rows(l, joint, open_direction(joint, 0), &l->rows->line, bend);
    b2d_direct_direction* across = open_direction(joint, 1);
    if (distance) add_tension(l, joint, across, length);
    else if (l->rows->across_on[k] > 0.0f) add_rigid(l, joint, across, &l->rows->across_impulse[k], across->at, 0.0);
}

static void fill_rows(const lane_of* l, b2d_direct_joint* joint) {
    joint->row_count = 0;
    if (l->coupled) {
        b2d_direct_direction* d = open_direction(joint, 0);
        add_rigid(l, joint, d, &l->rows->coupling_impulse[l->lane], d->at, 0.0);
        return;
    }
    if (!l->free && (l->soft_plane || l->line == B2D_LINE_NONE)) fill_point(l, joint);
    else if (!l->free) fill_line(l, joint);
    if (l->angle) add_scalar_rows(l, joint, open_direction(joint, 2), &l->rows->angle, 0.0);
}

static double bounded(double w, double most) { return w > most ? most : (w < -most ? -most : w); }

// The series hold up to a radian.
static void find_bend(lane_of* l, const b2d_direct_joint* joint) {
    const double h = l->solver->h, rate = 1.0 / h;
    l->half_h = 0.5 * h;
    for (int32_t side = 0; side < 2; side++) {
        const b2d_body_state* state = l->side[side];
        const double still[3] = {state->vx, state->vy, state->w}, *r = joint->lever[side];
        const b2d_direct_body* body = joint->body[side] == B2D_NONE ? NULL : &l->bodies[joint->body[side]];
        double* expected = l->expected[side];
        memcpy(expected, body == NULL ? still : body->expected, sizeof still);
        expected[2] = bounded(expected[2], body == NULL ? (double)l->solver->inverse_h : body->most);
        const double turned = expected[2] * h, sign = side == 0 ? -1.0 : 1.0;
        const double square = turned * turned; // cosine - 1, sine - angle, as series
        const double versine = square * (square / 24.0 - 0.5), sine = turned * square * (square / 120.0 - 1.0 / 6.0);
        l->bend[0] += sign * (versine * r[0] - sine * r[1]) * rate;
        l->bend[1] += sign * (versine * r[1] + sine * r[0]) * rate;
    }
}

void b2d_direct_start(b2d_direct_joint* joint, bool relax) {
    for (int32_t k = 0; k < joint->row_count; k++) {
        b2d_direct_row* row = &joint->rows[k];
        if (row->impulse == NULL) continue;
        const double old = (double)row->sign * (double)*row->impulse;
        row->held = (int8_t)(row->springs ? 0 : (old >= row->high ? 1 : (old <= row->low ? -1 : 0)));
        if (!relax) continue;
        if (row->springs) row->bias += row->softness * old;
        row->low -= old, row->high -= old;
    }
}

bool b2d_direct_fill(const b2d_solver* solver, const b2d_direct_assembly* assembly, const b2d_direct_body* bodies,
                     b2d_direct_joint* joint, bool relax) {
    b2d_graph* graph = solver->graph;
    const b2d_joint* source = &graph->joints[joint->id];
    if (joint->lane_index == B2D_NONE) {
        memset(joint->directions, 0, sizeof joint->directions);
        joint->row_count = 0;
        joint->turns = false;
        return true;
    }
    const int32_t block = joint->lane_index / B2D_LANES, lane = joint->lane_index % B2D_LANES;
    const uint8_t kinds = b2d_joint_type_of(source)->rows;
    lane_of l; // assigned one by one: small assemblies alone have `expected`
    l.solver = solver;
    l.bodies = bodies;
    l.block = &graph->joint_blocks[block];
    l.rows = &graph->joint_rows[block];
    l.lane = lane;
    l.line = b2d_joint_type_of(source)->line;
    l.coupled = (kinds & B2D_ROWS_COUPLING) != 0;
    l.free = l.line == B2D_LINE_NONE && !b2d_joint_type_of(source)->direct;
    l.soft_plane = !l.free && (kinds & B2D_ROWS_PLANE) != 0 && source->spring_hertz != 0.0f;
    l.angle = (graph->joint_block_rows[block] & B2D_ROWS_ANGLE) != 0;
    l.relax = relax;
    l.anew = assembly->anew;
    l.loose = relax ? B2D_DIRECT_RIGID : joint->loose;
    l.bend[0] = l.bend[1] = l.half_h = 0.0;
    l.side[0] = &solver->states[l.block->body_a[lane]];
    l.side[1] = &solver->states[l.block->body_b[lane]];
    l.rate = assembly->share * (double)l.block->bias_rate[lane];
    const bool moved = note_place(&l, joint, assembly->fresh);
    if (moved) place_joint(&l, assembly, joint);
    joint->turns = l.line != B2D_LINE_SLIDE && !l.coupled;
    if (assembly->body_count <= B2D_DIRECT_PENDULUM) find_bend(&l, joint);
    fill_rows(&l, joint);
    b2d_direct_start(joint, relax);
    return moved;
}

void b2d_direct_begin(const b2d_solver* solver, b2d_direct_joint* joint) {
    const b2d_joint* source = &solver->graph->joints[joint->id];
    joint->lane_index = source->lane_index;
    joint->loose = B2D_DIRECT_RIGID;
    if (joint->lane_index == B2D_NONE || source->hertz < 0.0f) return;
    const b2d_joint_block* block = &solver->graph->joint_blocks[joint->lane_index / B2D_LANES];
    const int32_t k = joint->lane_index % B2D_LANES;
    if (block->mass_scale[k] > 0.0f) joint->loose += (double)block->impulse_scale[k] / (double)block->mass_scale[k];
}

bool b2d_direct_works_by_angle(const b2d_solver* solver, const b2d_direct_joint* joint) {
    const b2d_joint* source = &solver->graph->joints[joint->id];
    const b2d_joint_type* type = b2d_joint_type_of(source);
    if (joint->lane_index == B2D_NONE || joint->loose > B2D_DIRECT_RIGID) return false;
    if ((type->rows & B2D_ROWS_PLANE) && source->spring_hertz != 0.0f) return false;
    if (type->line == B2D_LINE_NONE || !(source->flags & (B2D_JOINT_SPRING | B2D_JOINT_LIMIT | B2D_JOINT_MOTOR)))
        return type->direct;
    const b2d_joint_rows* rows = &solver->graph->joint_rows[joint->lane_index / B2D_LANES];
    return type->line == B2D_LINE_SLIDE && joint->body[1] == B2D_NONE &&
           rows->axis_on_b[joint->lane_index % B2D_LANES] > 0.0f;
}

int32_t b2d_direct_rigid_rows(const b2d_solver* solver, const b2d_direct_joint* joint) {
    const b2d_graph* graph = solver->graph;
    const b2d_joint* source = &graph->joints[joint->id];
    const b2d_joint_type* type = b2d_joint_type_of(source);
    if (joint->lane_index == B2D_NONE) return 0;
    if (type->rows & B2D_ROWS_COUPLING) return 1;
    const int32_t block = joint->lane_index / B2D_LANES, k = joint->lane_index % B2D_LANES;
    const b2d_joint_rows* rows = &graph->joint_rows[block];
    int32_t count = (graph->joint_block_rows[block] & B2D_ROWS_ANGLE) && rows->angle.rigid_on[k] > 0.0f ? 1 : 0;
    if ((type->rows & B2D_ROWS_PLANE) && source->spring_hertz != 0.0f) return count;
    if (type->line == B2D_LINE_NONE) return count + 2;
    return count + (rows->line.rigid_on[k] > 0.0f) + (rows->distance_on[k] > 0.0f ? 0 : rows->across_on[k] > 0.0f);
}

bool b2d_direct_rows_of(const b2d_solver* solver, const b2d_direct_joint* joint, uint32_t* rows) {
    const b2d_graph* graph = solver->graph;
    const b2d_joint* source = &graph->joints[joint->id];
    const b2d_joint_type* type = b2d_joint_type_of(source);
    if (joint->lane_index == B2D_NONE || type->line != B2D_LINE_NONE || (type->rows & B2D_ROWS_COUPLING)) return false;
    if ((type->rows & B2D_ROWS_PLANE) && source->spring_hertz != 0.0f) return false;
    const int32_t block = joint->lane_index / B2D_LANES, k = joint->lane_index % B2D_LANES;
    const int32_t b = graph->joint_blocks[block].body_b[k];
    const b2d_body_state *still = &(b2d_body_state){0}, *state = &solver->states[b];
    *rows = graph->bodies[b].type == B2D_STATIC && memcmp(state, still, sizeof *still) == 0 ? B2D_DIRECT_STILL : 0u;
    if (!(graph->joint_block_rows[block] & B2D_ROWS_ANGLE)) return true;
    const b2d_scalar_rows* angle = &graph->joint_rows[block].angle;
    *rows |= B2D_DIRECT_ANGLE | (angle->spring_on[k] > 0.0f ? B2D_DIRECT_SPRING_ROW : 0u) |
             (angle->motor_on[k] > 0.0f ? B2D_DIRECT_MOTOR_ROW : 0u) |
             (angle->limit_on[k] > 0.0f ? B2D_DIRECT_LIMIT_ROWS : 0u) |
             (angle->rigid_on[k] > 0.0f ? B2D_DIRECT_RIGID_ROW : 0u);
    return true;
}

void b2d_direct_stiffen(double h, b2d_direct_body* bodies, const b2d_direct_joint* joint, bool stored) {
    if (!joint->turns) return;
    double x = 0.0, y = 0.0; // impulse on side B
    for (int32_t i = 0; i < 2; i++) {
        const b2d_direct_direction* d = &joint->directions[i];
        const b2d_direct_row *row = joint->rows + d->first, *end = row + d->count;
        for (; row < end; row++) {
            if (row->impulse == NULL) continue; // a damper
            const double lambda = stored ? (double)row->sign * (double)*row->impulse : row->lambda;
            x += d->n[0] * lambda;
            y += d->n[1] * lambda;
        }
    }
    const double *a = joint->lever[0], *b = joint->lever[1];
    if (joint->body[0] != B2D_NONE) bodies[joint->body[0]].stiffness += -h * (a[0] * x + a[1] * y);
    if (joint->body[1] != B2D_NONE) bodies[joint->body[1]].stiffness += h * (b[0] * x + b[1] * y);
}

void b2d_direct_combine(b2d_direct_joint* joint) {
    for (int32_t i = 0; i < 3; i++) {
        b2d_direct_direction* d = &joint->directions[i];
        double conductance = 0.0, driven = 0.0, held = 0.0;
        const b2d_direct_row *row = joint->rows + d->first, *end = row + (d->inverse_mass > 0.0 ? d->count : 0);
        if (end - row == 1 && row->held == 0) {
            d->held = 0.0, d->softness = row->softness, d->bias = row->bias;
            continue;
        }
        for (; row < end; row++) {
            if (row->held != 0) {
                held += row->held < 0 ? row->low : row->high;
            } else {
                conductance += 1.0 / row->softness;
                driven += row->bias / row->softness;
            }
        }
        d->held = held;
        d->softness = conductance > 0.0 ? 1.0 / conductance : 0.0; // 0: no free row
        d->bias = conductance > 0.0 ? driven / conductance : 0.0;
    }
}

static int8_t next_state(const b2d_direct_row* row, double speed) {
    if (row->held != 0 && row->low == row->high) return row->held; // as a given impulse, not as two bounds
    if (row->held == 0) return row->lambda < row->low ? -1 : (row->lambda > row->high ? 1 : 0);
    double wrong = speed + row->bias + row->softness * row->lambda;
    return row->held < 0 ? (wrong < -B2D_DIRECT_FREE_SPEED ? 0 : -1) : (wrong > B2D_DIRECT_FREE_SPEED ? 0 : 1);
}

// Divides the impulse of a direction among its rows. The stiffest free row takes the rest.
static void share_impulse(b2d_direct_row* row, const b2d_direct_row* end, double speed, double total) {
    b2d_direct_row* stiffest = NULL;
    if (end - row == 1 && row->held == 0) {
        row->lambda = total;
        return;
    }
    for (; row < end; row++) {
        if (row->held != 0) {
            row->lambda = row->held < 0 ? row->low : row->high;
            continue;
        }
        row->lambda = -(speed + row->bias) / row->softness;
        if (stiffest == NULL || row->softness < stiffest->softness) stiffest = row;
        total -= row->lambda;
    }
    if (stiffest != NULL) stiffest->lambda += total;
}

bool b2d_direct_pivot(b2d_direct_joint* joint, const double speed[3], const double total[3], bool one) {
    bool changed = false;
    for (int32_t i = 0; i < 3; i++) {
        const b2d_direct_direction* d = &joint->directions[i];
        b2d_direct_row *row = joint->rows + d->first, *end = row + d->count;
        if (d->inverse_mass == 0.0) {
            for (; row < end; row++) row->lambda = 0.0;
            continue;
        }
        share_impulse(row, end, speed[i], total[i]);
        for (; row < end; row++) {
            const int8_t next = next_state(row, speed[i]);
            if (next == row->held) continue;
            row->held = next;
            changed = true;
            if (one) return true;
        }
    }
    return changed;
}

void b2d_direct_store(b2d_direct_joint* joint, bool relax) {
    for (int32_t k = 0; k < joint->row_count; k++) {
        b2d_direct_row* row = &joint->rows[k];
        if (row->impulse == NULL) continue;
        double lambda = row->lambda < row->low ? row->low : (row->lambda > row->high ? row->high : row->lambda);
        *row->impulse = (float)((double)row->sign * lambda + 0.0) + (relax ? *row->impulse : 0.0f);
    }
}
