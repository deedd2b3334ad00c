// csrc/solver/direct_lanes_wide.inl - what a pass over several assemblies reads and writes, one assembly in each lane.
#include "base/double_wide.inl"
#include "base/turn_series.h"
#include "solver/direct.h"

#if !defined(B2D_ISA_SCALAR)
enum { WIDE_NODES = 2 * B2D_DIRECT_WIDE };

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
    union { // the first numbers of b2d_direct_body
        vd row[8];
        struct {
            vd change[3], most, mass[3], extent;
        };
    };
    vd inverse_mass, inverse_inertia, velocity[3], stiffness;
    int32_t position;
} wide_body;

typedef struct wide_row {
    vd old, bias, softness, low, high, held, lambda;
    float* impulse[D_LANES]; // only the first if they lie side by side
    double sign;
    bool springs, side_by_side;
} wide_row;

typedef struct wide_direction {
    vd known, inverse_mass, at, softness, bias, held;
    int32_t first, count;
} wide_direction;

typedef struct wide_scalars { // b2d_scalar_rows
    vd spring_target, spring_rate, spring_scale, spring_impulse_scale, spring_low, spring_high, motor_speed, motor_max,
        lower, upper, rigid_target;
    float* spring_bias[D_LANES]; // only the first if they lie side by side
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
    // Speeds of the directions x, y, angle by the velocities of a side: sign * vx + arm[0] * w, sign * vy + arm[1] * w
    // and sign * w, where sign is -1 for side A and 1 for side B
    vd arm[2][2];
    wide_direction directions[3];
    wide_row rows[B2D_DIRECT_ROWS];
    int32_t row_count;
} wide_joint;

typedef struct wide_node {
    int32_t index, row; // of the block of its column, -1: it has none
    bool plane;         // of a joint without rows of the angle
    bool leaf;          // nothing has been eliminated before that it is coupled with
    vd diagonal[3], pivot[9], block[9], x[3];
} wide_node;

typedef struct wide_pass {
    const b2d_solver* solver;
    const b2d_direct_assembly* lanes[D_LANES];
    vd share;
    int32_t body_count, joint_count, node_count;
    bool relax, small, keeps, factored;
    wide_body bodies[B2D_DIRECT_WIDE];
    wide_joint joints[B2D_DIRECT_WIDE];
    wide_node nodes[WIDE_NODES];
} wide_pass;

// ---- Reading ----

// out[k] = number k of the rows of all lanes, for 8 numbers
static inline void wide_gather(const double* const rows[D_LANES], vd out[8]) {
    for (int32_t k = 0; k < 8; k += D_LANES) {
        for (int32_t lane = 0; lane < D_LANES; lane++) out[k + lane] = d_load_doubles(rows[lane] + k);
        d_transpose(out + k);
    }
}

// Cosine and sine as of b2d_make_rot, which has the nearest quarter turn 0 where the angle is small
static void wide_rotate(vd angle, vd rotation[2]) {
    if (d_bits(d_abs(angle * B2D_TWO_OVER_PI) < 0.5) == (1u << D_LANES) - 1) {
        const vd x = angle * angle;
        rotation[0] = d_float(B2D_COSINE_SERIES(x)), rotation[1] = d_float(B2D_SINE_SERIES(angle, x)) + 0.0;
        return;
    }
    for (int32_t lane = 0; lane < D_LANES; lane++) {
        const b2d_rot q = b2d_make_rot(angle[lane]);
        ((double*)&rotation[0])[lane] = (double)q.c, ((double*)&rotation[1])[lane] = (double)q.s;
    }
}

static void wide_load_state(const b2d_body_state* const states[D_LANES], wide_side* side, vd* inverse_mass,
                            vd* inverse_inertia) {
    vd row[8];
    for (int32_t k = 0; k < 8; k += D_LANES) {
        for (int32_t lane = 0; lane < D_LANES; lane++) row[k + lane] = d_load(&states[lane]->vx + k);
        d_transpose(row + k);
    }
    side->speed[0] = row[0], side->speed[1] = row[1], side->speed[2] = row[2], *inverse_mass = row[3];
    side->moved[0] = row[4], side->moved[1] = row[5], side->moved[2] = row[6], *inverse_inertia = row[7];
    wide_rotate(row[6], side->rotation);
}

static void wide_load_body(const wide_pass* t, wide_body* body, int32_t index) {
    const b2d_solver* solver = t->solver;
    const double* rows[D_LANES];
    const b2d_body_state* states[D_LANES];
    for (int32_t lane = 0; lane < D_LANES; lane++) {
        const b2d_direct_body* row = &solver->direct->bodies[t->lanes[lane]->first_body + index];
        rows[lane] = row->change, states[lane] = &solver->states[row->id];
    }
    wide_side* side = &body->side;
    wide_load_state(states, side, &body->inverse_mass, &body->inverse_inertia);
    wide_gather(rows, body->row);
    side->expected[2] = side->speed[2];
    side->most = body->most;
    body->position = solver->direct->bodies[t->lanes[0]->first_body + index].position;
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
        for (int32_t lane = 0; lane < (source->side_by_side ? 1 : D_LANES); lane++)
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
    const b2d_direct_joint* joints[D_LANES];
    for (int32_t lane = 0; lane < D_LANES; lane++)
        joints[lane] = &solver->direct->joints[t->lanes[lane]->first_joint + index];
    const b2d_direct_joint* of_joint = joints[0];
    source->side_by_side = of_joint->lane_index % B2D_LANES + D_LANES <= B2D_LANES;
    for (int32_t lane = 1; lane < D_LANES; lane++)
        source->side_by_side &= joints[lane]->lane_index == of_joint->lane_index + lane;
    for (int32_t lane = 0; lane < (source->side_by_side ? 1 : D_LANES); lane++) {
        const int32_t block = joints[lane]->lane_index / B2D_LANES;
        source->at[lane] = joints[lane]->lane_index % B2D_LANES;
        source->blocks[lane] = &graph->joint_blocks[block], source->rows[lane] = &graph->joint_rows[block];
    }
    if (t->relax) joint->loose = d_set(B2D_DIRECT_RIGID);
    else EACH_LANE(joint->loose, joints[lane]->loose)
    LOAD(joint->rate, blocks, bias_rate)
    joint->rate = t->share * joint->rate;
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
        const int32_t at = joints[lane]->lane_index;
        states[lane] = &solver->states[graph->joint_blocks[at / B2D_LANES].body_b[at % B2D_LANES]];
    }
    vd unused;
    wide_load_state(states, fixed, &unused, &unused);
    joint->rests = d_bits(fixed->speed[2] != 0.0) == 0;
}

// ---- Writing ----

// b2d_add_joint_load for the lanes; `whole`: all of them, and they lie side by side
static void wide_add_load(const wide_pass* t, const wide_joint* joint, int32_t index, bool whole, uint32_t lanes) {
    const b2d_solver* solver = t->solver;
    const int32_t first = solver->direct->joints[t->lanes[0]->first_joint + index].lane_index;
    if (whole && joint->row_count == 2) {
        b2d_joint_block* block = &solver->graph->joint_blocks[first / B2D_LANES];
        const float inverse_dt = 1.0f / solver->dt;
        float* force[2] = {block->force_x + first % B2D_LANES, block->force_y + first % B2D_LANES};
        for (int32_t k = 0; k < 2; k++) {
            d_floats impulse, sum;
            memcpy(&impulse, joint->rows[k].impulse[0], sizeof impulse), memcpy(&sum, force[k], sizeof sum);
            sum = impulse * inverse_dt + sum;
            memcpy(force[k], &sum, sizeof sum);
        }
        return;
    }
    for (; lanes != 0; lanes &= lanes - 1) {
        const b2d_direct_assembly* assembly = t->lanes[b2d_ctz64(lanes)];
        b2d_add_joint_load(solver, solver->direct->joints[assembly->first_joint + index].lane_index);
    }
}

static void wide_store(const wide_pass* t, uint32_t lanes) {
    const b2d_solver* solver = t->solver;
    for (int32_t k = 0; k < t->body_count; k++) {
        const wide_body* body = &t->bodies[k];
        const wide_side* side = &body->side;
        const vd* v = t->nodes[body->position].x;
        vd row[8], state[8] = {v[0],           v[1],           v[2],           body->inverse_mass,
                               side->moved[0], side->moved[1], side->moved[2], body->inverse_inertia};
        memcpy(row, body->row, sizeof row);
        UNROLL
        for (int32_t i = 0; i < 3; i++) {
            const vd change = v[i] - body->velocity[i];
            row[i] = t->relax ? row[i] + change : change;
        }
        for (int32_t i = 0; i < 4; i += D_LANES) { // velocities and changes are in the first four
            d_transpose(row + i), d_transpose(state + i);
            for (uint32_t left = lanes; left != 0; left &= left - 1) {
                const int32_t lane = b2d_ctz64(left);
                b2d_direct_body* to = &solver->direct->bodies[t->lanes[lane]->first_body + k];
                d_store_doubles(to->change + i, row[i + lane]);
                d_store(&solver->states[to->id].vx + i, state[i + lane]);
                d_store(&to->solved.vx + i, state[i + lane]);
            }
        }
    }
    for (int32_t k = 0; k < t->joint_count; k++) {
        const wide_joint* joint = &t->joints[k];
        const bool whole = joint->rows[0].side_by_side && lanes == (1u << D_LANES) - 1;
        for (int32_t r = 0; r < joint->row_count; r++) {
            const wide_row* row = &joint->rows[r];
            const vd lambda = d_select(row->lambda < row->low, row->low,
                                       d_select(row->lambda > row->high, row->high, row->lambda)) *
                                  row->sign +
                              0.0;
            if (whole) {
                d_floats old = {0.0f}, new = __builtin_convertvector(lambda, d_floats);
                if (t->relax) memcpy(&old, row->impulse[0], sizeof old);
                new = new + old;
                memcpy(row->impulse[0], &new, sizeof new);
                continue;
            }
            for (int32_t lane = 0; lane < D_LANES; lane++) {
                float* impulse = row->side_by_side ? row->impulse[0] + lane : row->impulse[lane];
                if (lanes >> lane & 1) *impulse = (float)lambda[lane] + (t->relax ? *impulse : 0.0f);
            }
        }
        if (t->relax) wide_add_load(t, joint, k, whole, lanes);
    }
}
#undef LOAD
#undef ADD_ROW
#endif
