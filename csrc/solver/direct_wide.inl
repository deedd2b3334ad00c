// csrc/solver/direct_wide.inl - a pass over several assemblies with the same plan and rows, one in each lane.
//
// The operations and their order are those of direct_rows.c and direct_solve.c, so a lane has the bits of an assembly
// by itself. Assemblies in lanes are trees of moving bodies on something fixed, with joints that hold a point and
// perhaps an angle (B2D_DIRECT_IN_LANE). Their elimination has no fill-in: a column has one block at most. What is rare
// is left to the scalar code: a lane whose active set does not settle soon, whose corrections may be too fast, or whose
// numbers are huge. Then no velocity or impulse of the lane is written. Factors and directions are computed again
// in every pass, because a lane costs less than finding out whether it may keep them.
#include "base/double_wide.inl"
#include "solver/direct.h"

#if !defined(B2D_ISA_SCALAR)
enum { WIDE_NODES = 2 * B2D_DIRECT_WIDE };
#define HUGE_IMPULSE 1.0e38 // rows of points have no other bound

#if defined(__clang__)
#define UNROLL _Pragma("unroll")
#else // gcc keeps loops of three iterations as loops below -O3
#define UNROLL _Pragma("GCC unroll 9")
#endif

// out[lane] = expression of `lane`, in two steps: the vector is loaded when its parts have long been stored
#define EACH_LANE(out, expression) \
    for (int32_t lane = 0; lane < D_LANES; lane++) { ((double*)&(out))[lane] = (double)(expression); }

typedef struct wide_side {    // a moving body, or the fixed side B of a joint
    vd moved[3], rotation[2]; // motion since the step began; cosine and sine
    vd speed[3], expected[3], most;
    vd versine, sine; // cosine - 1 and sine - angle of the rotation of a substep
} wide_side;

typedef struct wide_body {
    wide_side side;
    vd mass[3], inverse_mass, inverse_inertia, velocity[3], change[3], stiffness, extent;
    int32_t position;
} wide_body;

typedef struct wide_row {
    vd old, bias, softness, low, high, held, lambda;
    float* impulse[D_LANES]; // only the first if they lie side by side
    double sign;
    bool springs, side_by_side;
} wide_row;

typedef struct wide_direction {
    vd j[2][3], known, inverse_mass, at, conductance, softness, bias, held;
    int32_t first, count;
} wide_direction;

typedef struct wide_scalars { // b2d_scalar_rows
    vd spring_target, spring_rate, spring_scale, spring_impulse_scale, spring_low, spring_high, motor_speed, motor_max,
        lower, upper, rigid_target;
    float* spring_bias[D_LANES];
} wide_scalars;

typedef struct wide_joint {
    uint32_t kinds; // B2D_DIRECT_*
    int32_t position;
    const wide_body *a, *b; // NULL: side B is fixed
    wide_side fixed;
    vd anchor[2][2], between[2], rate, loose, start_angle;
    wide_scalars scalars;
    bool rests; // the fixed side does not turn
    vd lever[2][2];
    wide_direction directions[3];
    wide_row rows[B2D_DIRECT_ROWS];
    int32_t row_count;
} wide_joint;

typedef struct wide_node {
    int32_t index, row; // of the block of its column, -1: it has none
    bool plane;         // of a joint without rows of the angle
    vd diagonal[3], pivot[9], block[9], x[3];
} wide_node;

typedef struct wide_pass {
    const b2d_solver* solver;
    const b2d_direct_assembly* lanes[D_LANES];
    int32_t body_count, joint_count, node_count;
    bool relax, small, factored;
    wide_body bodies[B2D_DIRECT_WIDE];
    wide_joint joints[B2D_DIRECT_WIDE];
    wide_node nodes[WIDE_NODES];
} wide_pass;

// ---- Reading ----

static void wide_load_body(const wide_pass* t, wide_body* body, int32_t index) {
    const b2d_solver* solver = t->solver;
    b2d_direct_body* rows[D_LANES];
    const b2d_body_state* states[D_LANES];
    for (int32_t lane = 0; lane < D_LANES; lane++) {
        b2d_direct_body* row = rows[lane] = &solver->direct->bodies[t->lanes[lane]->first_body + index];
        const b2d_body_state* state = states[lane] = &solver->states[row->id];
        if (state->angle != row->angle) {
            row->angle = state->angle;
            row->rotation = b2d_make_rot((double)state->angle);
        }
    }
    wide_side* side = &body->side;
    EACH_LANE(side->moved[0], states[lane]->dx)
    EACH_LANE(side->moved[1], states[lane]->dy)
    EACH_LANE(side->moved[2], states[lane]->angle)
    EACH_LANE(side->speed[0], states[lane]->vx)
    EACH_LANE(side->speed[1], states[lane]->vy)
    EACH_LANE(side->speed[2], states[lane]->w)
    EACH_LANE(side->rotation[0], rows[lane]->rotation.c)
    EACH_LANE(side->rotation[1], rows[lane]->rotation.s)
    side->expected[2] = side->speed[2];
    EACH_LANE(side->most, rows[lane]->most)
    EACH_LANE(body->extent, rows[lane]->extent)
    UNROLL
    for (int32_t k = 0; k < 3; k++) {
        EACH_LANE(body->mass[k], rows[lane]->mass[k])
        EACH_LANE(body->change[k], rows[lane]->change[k])
    }
    body->position = rows[0]->position;
}

// Where the joints of the lanes are. One after the other, as often where the assemblies are of one world, they lie side
// by side in a block, and their values are loaded at once.
typedef struct wide_source {
    b2d_joint_block* blocks[D_LANES];
    b2d_joint_rows* rows[D_LANES];
    int32_t at[D_LANES];
    bool side_by_side;
} wide_source;

// out = an array of the block or of the rows, for each lane
#define LOAD(out, from, array)                                                            \
    {                                                                                     \
        if (source->side_by_side) (out) = d_load(&source->from[0]->array[source->at[0]]); \
        else EACH_LANE(out, source->from[lane]->array[source->at[lane]])                  \
    }
#define ADD_ROW(from, array, of_sign, of_spring)                                                 \
    {                                                                                            \
        wide_row* row = &joint->rows[joint->row_count++];                                        \
        for (int32_t lane = 0; lane < (source->side_by_side ? 1 : D_LANES); lane++)              \
            row->impulse[lane] = &source->from[lane]->array[source->at[lane]];                   \
        LOAD(row->old, from, array)                                                              \
        row->old = (of_sign) * row->old;                                                         \
        row->sign = of_sign, row->springs = of_spring, row->side_by_side = source->side_by_side; \
    }

static void wide_load_scalars(wide_joint* joint, const wide_source* source) {
    wide_scalars* s = &joint->scalars;
    if (joint->kinds & B2D_DIRECT_SPRING_ROW) {
        LOAD(s->spring_rate, rows, angle.spring_bias_rate)
        LOAD(s->spring_scale, rows, angle.spring_mass_scale)
        LOAD(s->spring_impulse_scale, rows, angle.spring_impulse_scale)
        LOAD(s->spring_low, rows, angle.spring_low)
        LOAD(s->spring_high, rows, angle.spring_high)
        for (int32_t lane = 0; lane < D_LANES; lane++)
            s->spring_bias[lane] = &source->rows[lane]->angle.spring_bias[source->at[lane]];
        ADD_ROW(rows, angle.spring_impulse, 1.0, true)
    }
    if (joint->kinds & B2D_DIRECT_MOTOR_ROW) {
        LOAD(s->motor_speed, rows, angle.motor_speed)
        LOAD(s->motor_max, rows, angle.motor_max)
        ADD_ROW(rows, angle.motor_impulse, 1.0, false)
    }
    if (joint->kinds & B2D_DIRECT_LIMIT_ROWS) {
        LOAD(s->lower, rows, angle.lower)
        LOAD(s->upper, rows, angle.upper)
        ADD_ROW(rows, angle.lower_impulse, 1.0, false)
        ADD_ROW(rows, angle.upper_impulse, -1.0, false)
    }
    if (joint->kinds & B2D_DIRECT_RIGID_ROW) ADD_ROW(rows, angle.rigid_impulse, 1.0, false)
    LOAD(s->spring_target, rows, angle.target)
}

static void wide_load_joint(wide_pass* t, wide_joint* joint, int32_t index) {
    const b2d_solver* solver = t->solver;
    b2d_graph* graph = solver->graph;
    wide_source where, *source = &where;
    const b2d_direct_joint* of_joint = NULL;
    source->side_by_side = true;
    for (int32_t lane = D_LANES; lane-- > 0;) {
        const b2d_direct_assembly* assembly = t->lanes[lane];
        of_joint = &solver->direct->joints[assembly->first_joint + index];
        const int32_t block = of_joint->lane_index / B2D_LANES, k = source->at[lane] = of_joint->lane_index % B2D_LANES;
        const b2d_joint_block* b = source->blocks[lane] = &graph->joint_blocks[block];
        source->rows[lane] = &graph->joint_rows[block];
        if (lane + 1 < D_LANES)
            source->side_by_side &= (b == source->blocks[lane + 1]) & (k + 1 == source->at[lane + 1]);
        ((double*)&joint->loose)[lane] = t->relax ? B2D_DIRECT_RIGID : of_joint->loose;
        ((double*)&joint->rate)[lane] = assembly->share * (double)b->bias_rate[k];
    }
    joint->kinds = (uint32_t)(t->lanes[0]->rows >> index * B2D_DIRECT_ROW_BITS) & ((1u << B2D_DIRECT_ROW_BITS) - 1);
    joint->position = of_joint->position;
    joint->a = &t->bodies[of_joint->body[0]];
    joint->b = of_joint->body[1] == B2D_NONE ? NULL : &t->bodies[of_joint->body[1]];
    joint->row_count = 0;
    LOAD(joint->anchor[0][0], blocks, ax)
    LOAD(joint->anchor[0][1], blocks, ay)
    LOAD(joint->anchor[1][0], blocks, bx)
    LOAD(joint->anchor[1][1], blocks, by)
    LOAD(joint->between[0], blocks, dx)
    LOAD(joint->between[1], blocks, dy)
    ADD_ROW(blocks, impulse_x, 1.0, false)
    ADD_ROW(blocks, impulse_y, 1.0, false)
    if (joint->kinds & B2D_DIRECT_ANGLE) {
        LOAD(joint->start_angle, rows, start_angle)
        wide_load_scalars(joint, source);
    }
    if (joint->b != NULL) return;
    wide_side* fixed = &joint->fixed;
    joint->rests = (joint->kinds & B2D_DIRECT_STILL) != 0;
    if (joint->rests) {
        UNROLL
        for (int32_t k = 0; k < 3; k++) fixed->moved[k] = fixed->speed[k] = d_set(0.0);
        fixed->rotation[0] = d_set(1.0), fixed->rotation[1] = d_set(0.0);
        return;
    }
    const b2d_body_state* states[D_LANES];
    for (int32_t lane = 0; lane < D_LANES; lane++) {
        const b2d_body_state* state = states[lane] = &solver->states[source->blocks[lane]->body_b[source->at[lane]]];
        const b2d_rot q = state->angle == 0.0f ? (b2d_rot){1.0f, 0.0f} : b2d_make_rot((double)state->angle);
        ((double*)&fixed->rotation[0])[lane] = (double)q.c;
        ((double*)&fixed->rotation[1])[lane] = (double)q.s;
    }
    EACH_LANE(fixed->moved[0], states[lane]->dx)
    EACH_LANE(fixed->moved[1], states[lane]->dy)
    EACH_LANE(fixed->moved[2], states[lane]->angle)
    EACH_LANE(fixed->speed[0], states[lane]->vx)
    EACH_LANE(fixed->speed[1], states[lane]->vy)
    EACH_LANE(fixed->speed[2], states[lane]->w)
    joint->rests = d_bits(fixed->speed[2] != 0.0) == 0;
}

// ---- Directions and rows ----

static void wide_turn(const vd q[2], const vd v[2], vd out[2]) {
    out[0] = q[0] * v[0] - q[1] * v[1];
    out[1] = q[1] * v[0] + q[0] * v[1];
}

// Of the linear parts of a direction one is 1 and one is 0, or both are 0. A body has the same mass in x and y.
static void wide_place(const wide_joint* joint, wide_direction* d, const vd a[3], const vd b[3], bool turns, vd at) {
    const vd zero = d_set(0.0);
    d->at = at, d->known = zero;
    UNROLL
    for (int32_t k = 0; k < 3; k++) {
        d->j[0][k] = a[k];
        d->j[1][k] = joint->b == NULL ? zero : b[k];
        if (joint->b == NULL) d->known = d->known + b[k] * joint->fixed.speed[k];
    }
    if (turns) d->inverse_mass = joint->a->inverse_inertia;
    else d->inverse_mass = joint->a->inverse_mass + a[2] * a[2] / joint->a->mass[2];
    if (joint->b == NULL) return;
    if (turns) d->inverse_mass = d->inverse_mass + joint->b->inverse_inertia;
    else d->inverse_mass = d->inverse_mass + joint->b->inverse_mass + b[2] * b[2] / joint->b->mass[2];
}

static void wide_expect(wide_side* side, vd h) { // of the rotation in a substep; bounds and series as in find_bend
    const vd w = side->expected[2], most = side->most,
             turned = d_select(w > most, most, d_select(w < -most, -most, w)) * h, square = turned * turned;
    side->versine = square * (square / 24.0 - 0.5);
    side->sine = turned * square * (square / 120.0 - 1.0 / 6.0);
}

static void wide_bend(const wide_pass* t, const wide_joint* joint, vd bend[2]) {
    const double h = (double)t->solver->h;
    bend[0] = bend[1] = d_set(0.0);
    if (t->relax || !t->small) return;
    for (int32_t side = 0; side < (joint->b == NULL && joint->rests ? 1 : 2); side++) {
        const wide_side* s = side == 0 ? &joint->a->side : (joint->b == NULL ? &joint->fixed : &joint->b->side);
        const vd* r = joint->lever[side];
        const double sign = side == 0 ? -1.0 : 1.0;
        bend[0] = bend[0] + sign * (s->versine * r[0] - s->sine * r[1]) / h;
        bend[1] = bend[1] + sign * (s->versine * r[1] + s->sine * r[0]) / h;
    }
}

static void wide_set_row(wide_row* row, vd softness, vd bias) {
    row->softness = softness, row->bias = bias;
    row->low = d_set(-B2D_DIRECT_LARGEST), row->high = d_set(B2D_DIRECT_LARGEST);
}

static vd wide_limit_rate(const wide_pass* t, const wide_joint* joint, vd gap) {
    return d_select(gap > 0.0, d_set((double)t->solver->inverse_h), t->relax ? d_set(0.0) : joint->rate);
}

static void wide_set_limit(const wide_pass* t, const wide_joint* joint, const wide_direction* d, wide_row* row,
                           vd gap) {
    const vd soft = t->relax ? d_set(B2D_DIRECT_RIGID) : d_select(gap > 0.0, d_set(B2D_DIRECT_RIGID), joint->loose);
    wide_set_row(row, soft * d->inverse_mass, row->sign * gap * wide_limit_rate(t, joint, gap));
    *(row->sign > 0.0 ? &row->low : &row->high) = d_set(0.0);
}

static void wide_set_spring(const wide_pass* t, const wide_joint* joint, const wide_direction* d, wide_row* row) {
    const wide_scalars* s = &joint->scalars;
    const vd scale = s->spring_scale;
    const vd soft = d_select(scale > 0.0, d->inverse_mass * s->spring_impulse_scale / scale, d_set(1.0e30));
    vd bias;
    for (int32_t lane = 0; lane < D_LANES && !t->relax; lane++)
        *s->spring_bias[lane] = (float)s->spring_rate[lane] * (float)(d->at[lane] - s->spring_target[lane]);
    EACH_LANE(bias, *s->spring_bias[lane])
    wide_set_row(row, soft + B2D_DIRECT_RIGID * d->inverse_mass, bias);
    row->low = s->spring_low, row->high = s->spring_high;
}

static void wide_set_motor(const wide_pass* t, const wide_joint* joint, const wide_direction* d, wide_row* row) {
    const wide_scalars* s = &joint->scalars;
    const vd zero = d_set(0.0), wish = s->motor_speed;
    vd speed = wish, low = -s->motor_max, high = s->motor_max;
    if (joint->kinds & B2D_DIRECT_LIMIT_ROWS) {
        const vl up = wish > 0.0;
        const vd gap = d_select(up, s->upper - d->at, d->at - s->lower);
        const vd closing = wide_limit_rate(t, joint, gap) * gap;
        const vl near = (wish != 0.0) & (closing < d_abs(wish));
        speed = d_select(near, d_select(up, closing, -closing), wish);
        low = d_select(near & up, zero, low);
        high = d_select(near & ~up, zero, high);
    }
    wide_set_row(row, 1.0e3 * B2D_DIRECT_RIGID * d->inverse_mass, -speed);
    row->low = low, row->high = high;
}

static void wide_set_scalars(const wide_pass* t, wide_joint* joint, wide_direction* d) {
    const wide_scalars* s = &joint->scalars;
    wide_row* row = joint->rows + 2;
    if (joint->kinds & B2D_DIRECT_SPRING_ROW) wide_set_spring(t, joint, d, row++);
    if (joint->kinds & B2D_DIRECT_MOTOR_ROW) wide_set_motor(t, joint, d, row++);
    if (joint->kinds & B2D_DIRECT_LIMIT_ROWS) {
        wide_set_limit(t, joint, d, row++, d->at - s->lower);
        wide_set_limit(t, joint, d, row++, s->upper - d->at);
    }
    if (joint->kinds & B2D_DIRECT_RIGID_ROW)
        wide_set_row(row, joint->loose * d->inverse_mass,
                     t->relax ? d_set(0.0) : joint->rate * (d->at - s->spring_target) + 0.0);
}

static void wide_start(const wide_pass* t, wide_row* row) {
    const vd one = d_set(1.0), zero = d_set(0.0);
    row->held = row->springs ? zero : d_select(row->old >= row->high, one, d_select(row->old <= row->low, -one, zero));
    if (!t->relax) return;
    if (row->springs) row->bias = row->bias + row->softness * row->old;
    row->low = row->low - row->old, row->high = row->high - row->old;
}

static void wide_stiffen(const wide_pass* t, wide_joint* joint, bool stored) {
    const double h = (double)t->solver->h;
    const vd u = stored ? joint->rows[0].old : joint->rows[0].lambda,
             v = stored ? joint->rows[1].old : joint->rows[1].lambda;
    const vd x = d_set(0.0) + 1.0 * u + 0.0 * v, y = d_set(0.0) + 0.0 * u + 1.0 * v;
    const vd *a = joint->lever[0], *b = joint->lever[1];
    wide_body *body_a = (wide_body*)joint->a, *body_b = (wide_body*)joint->b;
    body_a->stiffness = body_a->stiffness + -h * (a[0] * x + a[1] * y);
    if (body_b != NULL) body_b->stiffness = body_b->stiffness + h * (b[0] * x + b[1] * y);
}

// The rows of the point are always free, so they are combined once.
static void wide_set_point(const wide_pass* t, wide_joint* joint, bool first) {
    vd bend[2];
    wide_bend(t, joint, bend);
    UNROLL
    for (int32_t k = 0; k < 2; k++) {
        wide_direction* d = &joint->directions[k];
        wide_row* row = &joint->rows[k];
        if (first) {
            wide_set_row(row, joint->loose * d->inverse_mass, d_set(0.0));
            wide_start(t, row);
            d->conductance = 1.0 / row->softness;
            d->softness = 1.0 / d->conductance;
        }
        row->bias = t->relax ? d_set(0.0) : joint->rate * d->at + bend[k];
        d->bias = t->relax ? d_set(0.0) : (d_set(0.0) + row->bias / row->softness) / d->conductance;
    }
}

static void wide_fill(wide_pass* t, wide_joint* joint, bool first) {
    const vd zero = d_set(0.0), one = d_set(1.0);
    const wide_side *a = &joint->a->side, *b = joint->b == NULL ? &joint->fixed : &joint->b->side;
    wide_direction* directions = joint->directions;
    if (first) {
        wide_turn(a->rotation, joint->anchor[0], joint->lever[0]);
        wide_turn(b->rotation, joint->anchor[1], joint->lever[1]);
        const vd *ra = joint->lever[0], *rb = joint->lever[1];
        vd d[2], half[2];
        UNROLL
        for (int32_t k = 0; k < 2; k++) {
            d[k] = joint->between[k] + (b->moved[k] - a->moved[k]) + (rb[k] - ra[k]);
            half[k] = joint->b == NULL ? zero : 0.5 * d[k];
        }
        const vd at_a[2] = {ra[0] + half[0], ra[1] + half[1]}, at_b[2] = {rb[0] - half[0], rb[1] - half[1]};
        const vd ax[3] = {-one, zero, at_a[1]}, bx[3] = {one, zero, -at_b[1]};
        const vd ay[3] = {zero, -one, -at_a[0]}, by[3] = {zero, one, at_b[0]};
        const vd aw[3] = {zero, zero, -one}, bw[3] = {zero, zero, one};
        wide_place(joint, &directions[0], ax, bx, false, d[0]);
        wide_place(joint, &directions[1], ay, by, false, d[1]);
        UNROLL
        for (int32_t k = 0; k < 2; k++) directions[k].first = k, directions[k].count = 1, directions[k].held = zero;
        directions[2] = (wide_direction){.first = 2, .count = joint->row_count - 2};
        if (joint->kinds & B2D_DIRECT_ANGLE)
            wide_place(joint, &directions[2], aw, bw, true, joint->start_angle + (b->moved[2] - a->moved[2]));
    }
    wide_set_point(t, joint, first);
    if (joint->row_count == 2) return;
    wide_set_scalars(t, joint, &directions[2]);
    for (int32_t k = 2; k < joint->row_count; k++) wide_start(t, &joint->rows[k]);
}

// ---- Solving ----

static void wide_combine(wide_joint* joint) { // the rows of the angle
    const vd zero = d_set(0.0);
    wide_direction* d = &joint->directions[2];
    vd conductance = zero, driven = zero, held = zero;
    for (int32_t k = 2; k < joint->row_count; k++) {
        const wide_row* row = &joint->rows[k];
        const vl free = row->held == 0.0;
        conductance = d_select(free, conductance + 1.0 / row->softness, conductance);
        driven = d_select(free, driven + row->bias / row->softness, driven);
        held = d_select(free, held, held + d_select(row->held < 0.0, row->low, row->high));
    }
    const vl some = conductance > 0.0;
    d->held = held;
    d->softness = d_select(some, 1.0 / conductance, zero);
    d->bias = d_select(some, driven / conductance, zero);
}

static vd wide_inertia(const wide_pass* t, const wide_body* body) { // held_inertia
    const vd stiffness = (t->small ? 0.5 : 1.0) * body->stiffness;
    return d_select(stiffness > body->mass[2], stiffness, body->mass[2]);
}

static bool wide_same_diagonal(wide_pass* t) {
    bool same = t->factored;
    for (int32_t k = 0; k < t->node_count; k++) {
        wide_node* node = &t->nodes[k];
        vd diagonal[3];
        UNROLL
        for (int32_t i = 0; i < 3; i++)
            diagonal[i] = node->index < 0
                              ? t->joints[~node->index].directions[i].softness
                              : (i < 2 ? t->bodies[node->index].mass[i] : wide_inertia(t, &t->bodies[node->index]));
        UNROLL
        for (int32_t i = 0; i < 3; i++) {
            same = same && d_bits(node->diagonal[i] != diagonal[i]) == 0;
            node->diagonal[i] = diagonal[i];
        }
    }
    return same;
}

static inline vd wide_dot(const vd a[3], const vd b[3]) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }

// `plane`: the last row is 0, 0, -1, and products give the quotients of 0 and -1.
static inline void wide_invert(const vd a[9], bool plane, vd out[9]) {
    const vd l10 = a[3] / a[0], l20 = plane ? a[6] * a[0] : a[6] / a[0];
    const vd d1 = a[4] - l10 * a[3], u = a[7] - l10 * a[6], l21 = plane ? u * d1 : u / d1,
             d2 = a[8] - l20 * a[6] - l21 * u;
    const vd i0 = 1.0 / a[0], i1 = 1.0 / d1, i2 = plane ? d2 : 1.0 / d2, m20 = l10 * l21 - l20;
    out[8] = i2;
    out[7] = out[5] = -l21 * i2;
    out[6] = out[2] = m20 * i2;
    out[4] = i1 + l21 * l21 * i2;
    out[3] = out[1] = -l10 * i1 - l21 * m20 * i2;
    out[0] = i0 + l10 * l10 * i1 + m20 * m20 * i2;
}

static void wide_lay_out_joint(wide_pass* t, const wide_joint* joint, wide_node* node) {
    for (int32_t side = 0; side < 2; side++) {
        const wide_body* body = side == 0 ? joint->a : joint->b;
        if (body == NULL) continue;
        const bool column = joint->position < body->position; // then the block is the Jacobian transposed
        vd* block = t->nodes[column ? joint->position : body->position].block;
        for (int32_t k = 0; k < 3; k++) {
            const vl on = node->diagonal[k] > 0.0;
            UNROLL
            for (int32_t i = 0; i < 3; i++) {
                const vd j = d_select(on, joint->directions[k].j[side][i], d_set(0.0));
                if (column) block[3 * i + k] = j;
                else block[3 * k + i] = j;
            }
        }
    }
}

static void wide_eliminate(wide_pass* t, wide_node* node) {
    vd inverse[9], original[9];
    wide_invert(node->pivot, node->plane, inverse);
    UNROLL
    for (int32_t k = 0; k < 9; k++) node->pivot[k] = inverse[k], original[k] = node->block[k];
    if (node->row < 0) return;
    vd *l = node->block, *to = t->nodes[node->row].pivot;
    UNROLL
    for (int32_t r = 0; r < 9; r += 3) UNROLL
    for (int32_t k = 0; k < 3; k++)
        l[r + k] = original[r] * inverse[k] + original[r + 1] * inverse[k + 3] + original[r + 2] * inverse[k + 6];
    UNROLL
    for (int32_t r = 0; r < 9; r += 3) UNROLL
    for (int32_t k = 0; k <= r; k += 3) to[r + k / 3] = to[r + k / 3] - wide_dot(l + r, original + k);
}

static void wide_factor(wide_pass* t) {
    for (int32_t k = 0; k < t->node_count; k++) {
        wide_node* node = &t->nodes[k];
        // One by one: gcc would call for the setting of memory
        node->pivot[1] = node->pivot[2] = node->pivot[3] = node->pivot[5] = node->pivot[6] = node->pivot[7] = d_set(
            0.0);
        UNROLL
        for (int32_t i = 0; i < 3; i++) {
            const vd d = node->diagonal[i];
            node->pivot[4 * i] = node->index >= 0 ? d : -d_select(d > 0.0, d, d_set(1.0));
        }
        if (node->index < 0) wide_lay_out_joint(t, &t->joints[~node->index], node);
    }
    for (int32_t k = 0; k < t->node_count; k++) wide_eliminate(t, &t->nodes[k]);
    t->factored = true;
}

static void wide_lay_out_right_side(wide_pass* t) {
    for (int32_t k = 0; k < t->body_count; k++) {
        const wide_body* body = &t->bodies[k];
        wide_node* node = &t->nodes[body->position];
        UNROLL
        for (int32_t i = 0; i < 3; i++) node->x[i] = (t->relax ? node->diagonal[i] : body->mass[i]) * body->velocity[i];
    }
    for (int32_t k = 0; k < t->joint_count; k++) {
        const wide_joint* joint = &t->joints[k];
        const wide_direction* d = joint->directions;
        wide_node* node = &t->nodes[joint->position];
        UNROLL
        for (int32_t i = 0; i < 3; i++) node->x[i] = d_select(d[i].softness > 0.0, -d[i].bias - d[i].known, d_set(0.0));
        for (int32_t side = 0; side < 2; side++) {
            const wide_body* body = side == 0 ? joint->a : joint->b;
            if (body == NULL) continue;
            vd* x = t->nodes[body->position].x;
            UNROLL
            for (int32_t i = 0; i < 3; i++)
                x[i] = x[i] + d[0].j[side][i] * d[0].held + d[1].j[side][i] * d[1].held + d[2].j[side][i] * d[2].held;
        }
    }
}

static void wide_substitute(wide_pass* t) {
    for (int32_t k = 0; k < t->node_count; k++) {
        const wide_node* node = &t->nodes[k];
        if (node->row < 0) continue;
        vd* x = t->nodes[node->row].x;
        UNROLL
        for (int32_t i = 0; i < 3; i++) x[i] = x[i] - wide_dot(node->block + 3 * i, node->x);
    }
    for (int32_t k = t->node_count; k-- > 0;) {
        wide_node* node = &t->nodes[k];
        const vd* l = node->block;
        vd x[3];
        UNROLL
        for (int32_t i = 0; i < 3; i++) x[i] = wide_dot(node->pivot + 3 * i, node->x);
        if (node->row >= 0) {
            const vd* later = t->nodes[node->row].x;
            UNROLL
            for (int32_t i = 0; i < 3; i++) x[i] = x[i] - (l[i] * later[0] + l[i + 3] * later[1] + l[i + 6] * later[2]);
        }
        UNROLL
        for (int32_t i = 0; i < 3; i++) node->x[i] = x[i];
    }
}

static vd wide_next_state(const wide_row* row, vd speed) {
    const vd zero = d_set(0.0), one = d_set(1.0);
    const vd free = d_select(row->lambda < row->low, -one, d_select(row->lambda > row->high, one, zero));
    const vd wrong = speed + row->bias + row->softness * row->lambda;
    const vd low = d_select(wrong < -B2D_DIRECT_FREE_SPEED, zero, -one),
             high = d_select(wrong > B2D_DIRECT_FREE_SPEED, zero, one);
    return d_select(row->held == 0.0, free, d_select(row->held < 0.0, low, high));
}

// Divides the impulse of a direction among its rows. The stiffest free row takes the rest.
static void wide_share_impulse(wide_joint* joint, const wide_direction* d, vd speed, vd total) {
    wide_row* rows = joint->rows + d->first;
    vl is_stiffest[B2D_DIRECT_ROWS];
    vl found = d_set(0.0) > 0.0;
    vd softness = d_set(0.0);
    for (int32_t k = 0; k < d->count; k++) {
        wide_row* row = &rows[k];
        const vl free = row->held == 0.0;
        row->lambda = d_select(free, -(speed + row->bias) / row->softness,
                               d_select(row->held < 0.0, row->low, row->high));
        total = d_select(free, total - row->lambda, total);
        const vl stiffer = free & (~found | (row->softness < softness));
        softness = d_select(stiffer, row->softness, softness);
        found = found | free;
        is_stiffest[k] = stiffer;
        for (int32_t i = 0; i < k; i++) is_stiffest[i] = is_stiffest[i] & ~stiffer;
    }
    for (int32_t k = 0; k < d->count; k++)
        rows[k].lambda = d_select(is_stiffest[k], rows[k].lambda + total, rows[k].lambda);
}

// Returns the lanes in which a row changed its state; those with huge impulses go to `bad`.
static uint32_t wide_pivot(wide_pass* t, uint32_t* bad) {
    vl changed = d_set(0.0) > 0.0, fine = ~changed;
    for (int32_t k = 0; k < t->joint_count; k++) {
        wide_joint* joint = &t->joints[k];
        const vd* y = t->nodes[joint->position].x;
        UNROLL
        for (int32_t i = 0; i < 3; i++) {
            const wide_direction* d = &joint->directions[i];
            if (d->count == 0) continue;
            vd speed = d->known;
            for (int32_t side = 0; side < 2; side++) {
                const wide_body* body = side == 0 ? joint->a : joint->b;
                if (body == NULL) continue;
                const vd *v = t->nodes[body->position].x, *j = d->j[side];
                speed = speed + j[0] * v[0] + j[1] * v[1] + j[2] * v[2];
            }
            wide_share_impulse(joint, d, speed, d_select(d->softness > 0.0, -y[i], d_set(0.0)));
            for (int32_t r = d->first; r < d->first + d->count; r++) {
                wide_row* row = &joint->rows[r];
                if (r < 2) {
                    fine = fine & (d_abs(row->lambda) < HUGE_IMPULSE) & (d_abs(row->old) < HUGE_IMPULSE);
                    continue;
                }
                const vd next = wide_next_state(row, speed);
                changed = changed | (next != row->held);
                row->held = next;
            }
        }
    }
    *bad |= d_bits(~fine);
    return d_bits(changed);
}

// Returns the lanes in which a body needs more inertia. The others, and those in `except`, keep what they have: they
// are settled, and further rounds must find their solution again.
static uint32_t wide_stiffen_again(wide_pass* t, const vl except) {
    vd had[B2D_DIRECT_WIDE], before[B2D_DIRECT_WIDE];
    vl more = d_set(0.0) > 0.0;
    for (int32_t k = 0; k < t->body_count; k++) {
        wide_body* body = &t->bodies[k];
        had[k] = wide_inertia(t, body), before[k] = body->stiffness;
        body->stiffness = d_set(0.0);
    }
    for (int32_t k = 0; k < t->joint_count; k++) wide_stiffen(t, &t->joints[k], false);
    for (int32_t k = 0; k < t->body_count; k++) more = more | (wide_inertia(t, &t->bodies[k]) > 2.0 * had[k]);
    more = more & ~except;
    for (int32_t k = 0; k < t->body_count; k++) {
        wide_body* body = &t->bodies[k];
        const vd least = (t->small ? 2.0 : 1.0) * had[k];
        body->stiffness = d_select(more, d_select(body->stiffness > least, body->stiffness, least), before[k]);
    }
    return d_bits(more);
}

static vl wide_mask(uint32_t bits) {
    vl mask = {0};
    for (int32_t lane = 0; lane < D_LANES; lane++) mask[lane] = -(int64_t)(bits >> lane & 1);
    return mask;
}

// Returns the lanes that are not settled or have huge numbers. A lane that is settled finds the same solution again.
static uint32_t wide_solve_rounds(wide_pass* t, uint32_t all, bool first) {
    uint32_t open = all, bad = 0;
    for (int32_t k = 0; k < t->joint_count; k++) {
        wide_fill(t, &t->joints[k], first);
        wide_stiffen(t, &t->joints[k], true);
    }
    for (int32_t round = 0; round < B2D_DIRECT_BOLD_ROUNDS && (open & ~bad) != 0; round++) {
        for (int32_t k = 0; k < t->joint_count; k++)
            if (t->joints[k].row_count > 2) wide_combine(&t->joints[k]);
        if (!wide_same_diagonal(t)) wide_factor(t);
        wide_lay_out_right_side(t);
        wide_substitute(t);
        uint32_t changed = wide_pivot(t, &bad) & open;
        const uint32_t retained = changed | ~open;
        if (!t->relax && (all & ~retained) != 0) changed |= wide_stiffen_again(t, wide_mask(retained));
        open = changed;
    }
    return open | bad;
}

// Lanes in which the greatest change of speed by the pass may exceed the push speed (bound_correction).
static uint32_t wide_fast(const wide_pass* t) {
    vl slow = ~(d_set(0.0) > 0.0);
    for (int32_t k = 0; k < t->body_count; k++) {
        const wide_body* body = &t->bodies[k];
        const vd *v = t->nodes[body->position].x, *now = body->side.speed;
        const vd speed = d_abs(v[0] - now[0]) + d_abs(v[1] - now[1]) + d_abs(v[2] - now[2]) * body->extent;
        slow = slow & (speed < 0.999 * (double)t->solver->push_speed);
    }
    return d_bits(~slow);
}

static uint32_t wide_infinite(const wide_pass* t) {
    vd sum = d_set(0.0);
    for (int32_t k = 0; k < t->node_count; k++) UNROLL
    for (int32_t i = 0; i < 3; i++) sum = sum + d_abs(t->nodes[k].x[i]);
    return d_bits(~(sum < 1.0e299));
}

static void wide_store(const wide_pass* t, uint32_t lanes) {
    const b2d_solver* solver = t->solver;
    for (int32_t k = 0; k < t->body_count; k++) {
        const wide_body* body = &t->bodies[k];
        const vd* v = t->nodes[body->position].x;
        vd change[3];
        UNROLL
        for (int32_t i = 0; i < 3; i++) {
            change[i] = v[i] - body->velocity[i];
            if (t->relax) change[i] = body->change[i] + change[i];
        }
        for (int32_t lane = 0; lane < D_LANES; lane++) {
            if (!(lanes >> lane & 1)) continue;
            const b2d_direct_assembly* assembly = t->lanes[lane];
            b2d_direct_body* row = &solver->direct->bodies[assembly->first_body + k];
            b2d_body_state* state = &solver->states[row->id];
            UNROLL
            for (int32_t i = 0; i < 3; i++) row->change[i] = change[i][lane], row->solved[i] = (float)v[i][lane];
            state->vx = row->solved[0], state->vy = row->solved[1], state->w = row->solved[2];
        }
    }
    for (int32_t k = 0; k < t->joint_count; k++) {
        const wide_joint* joint = &t->joints[k];
        for (int32_t r = 0; r < joint->row_count; r++) {
            const wide_row* row = &joint->rows[r];
            const vd lambda = d_select(row->lambda < row->low, row->low,
                                       d_select(row->lambda > row->high, row->high, row->lambda)) *
                              row->sign;
            if (row->side_by_side && lanes == (1u << D_LANES) - 1) {
                float new[D_LANES], old[D_LANES];
                d_store(new, lambda);
                memcpy(old, row->impulse[0], sizeof old);
                for (int32_t lane = 0; lane < D_LANES; lane++) new[lane] = new[lane] + (t->relax ? old[lane] : 0.0f);
                memcpy(row->impulse[0], new, sizeof new);
                continue;
            }
            for (int32_t lane = 0; lane < D_LANES; lane++) {
                float* impulse = row->side_by_side ? row->impulse[0] + lane : row->impulse[lane];
                if (lanes >> lane & 1) *impulse = (float)lambda[lane] + (t->relax ? *impulse : 0.0f);
            }
        }
    }
}

static void wide_begin_solve(wide_pass* t) {
    const vd h = d_set((double)t->solver->h);
    for (int32_t k = 0; k < t->body_count; k++) {
        t->bodies[k].stiffness = d_set(0.0);
        if (!t->relax) wide_expect(&t->bodies[k].side, h);
    }
    for (int32_t k = 0; k < t->joint_count; k++) {
        wide_side* fixed = &t->joints[k].fixed;
        if (t->relax || t->joints[k].b != NULL || t->joints[k].rests) continue;
        UNROLL
        for (int32_t i = 0; i < 3; i++) fixed->expected[i] = fixed->speed[i];
        fixed->most = d_set((double)t->solver->inverse_h);
        wide_expect(fixed, h);
    }
}

static uint32_t b2d_direct_lanes(const b2d_solver* solver, const b2d_direct_assembly* const* lanes, int32_t count,
                                 bool relax, bool again) {
    wide_pass pass, *t = &pass;
    const uint32_t all = (1u << count) - 1;
    t->solver = solver;
    t->body_count = lanes[0]->body_count, t->joint_count = lanes[0]->joint_count;
    t->relax = relax, t->small = t->body_count <= B2D_DIRECT_PENDULUM, t->factored = false;
    t->node_count = t->body_count + t->joint_count;
    for (int32_t lane = 0; lane < D_LANES; lane++) t->lanes[lane] = lanes[lane < count ? lane : 0];
    for (int32_t k = 0; k < t->node_count; k++) {
        const b2d_direct_node* node = &solver->direct->nodes[lanes[0]->first_node + k];
        t->nodes[k].index = node->index, t->nodes[k].plane = false;
        t->nodes[k].row = node->count > 0 ? solver->direct->blocks[lanes[0]->first_block + node->first].row : -1;
    }
    for (int32_t k = 0; k < t->body_count; k++) wide_load_body(t, &t->bodies[k], k);
    for (int32_t k = 0; k < t->joint_count; k++) {
        wide_load_joint(t, &t->joints[k], k);
        t->nodes[t->joints[k].position].plane = t->joints[k].row_count == 2;
    }
    for (int32_t k = 0; k < t->body_count; k++) {
        wide_body* body = &t->bodies[k];
        UNROLL
        for (int32_t i = 0; i < 3; i++)
            body->velocity[i] = relax ? body->side.speed[i] : body->side.speed[i] - body->change[i];
        body->inverse_mass = 1.0 / body->mass[0], body->inverse_inertia = 1.0 / body->mass[2];
    }
    wide_begin_solve(t);
    uint32_t left = wide_solve_rounds(t, all, true);
    if (!relax && !again) left |= wide_fast(t);
    if (t->small && !relax) { // again, with the rotation that was found
        for (int32_t k = 0; k < t->body_count; k++)
            t->bodies[k].side.expected[2] = t->nodes[t->bodies[k].position].x[2];
        wide_begin_solve(t);
        left |= wide_solve_rounds(t, all, false);
    }
    left = (left | wide_infinite(t)) & all;
    wide_store(t, all & ~left);
    return left;
}
#undef EACH_LANE
#undef LOAD
#undef ADD_ROW
#undef UNROLL
#undef HUGE_IMPULSE
#endif
