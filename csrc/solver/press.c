// csrc/solver/press.c - the passes of a press, and what is written back after the step.
#include "solver/press_parts.h"
#include "solver/kernels.h"
#include "solver/machine.h"

#include <math.h>
#include <string.h>

enum {
    MOST_ROUNDS = 40,     // of Newton's method for one multiplier
    MOST_MULTIPLIERS = 8, // steps of the method of multipliers in a pass
    MOST_STIFFER = 4      // solutions with the inertia that the tension found requires
};

#define REST_DEPTH  0.2 // slops, at which a contact comes to rest
#define GROSS_SPEED 0.3 // of the restitution threshold: an impulse beyond its bounds may not change a speed by more

// Sine and 1 - cosine of the angle that a body has turned since the step began, as in contact_rows_wide.inl.
static void turn_series(double angle, double* sine, double* versine) {
    const double t = fmin(fmax(angle, -0.78539816339744831), 0.78539816339744831), t2 = t * t;
    *sine = t * (1.0 + t2 * (-1.0 / 6.0 + t2 / 120.0));
    *versine = t2 * (0.5 - t2 / 24.0);
}

static double separation_of(const b2d_solver* solver, const b2d_press_contact* c, int32_t j) {
    const b2d_contact_block* block = &solver->graph->blocks[c->block];
    const b2d_body_state *a = &solver->states[c->id[0]], *b = &solver->states[c->id[1]];
    const int32_t l = c->lane;
    const double along = (double)block->point[j].along_normal[l], half_gap = 0.5 * (double)c->separation[j],
                 core_a = along - half_gap - (double)block->radius_a[l],
                 core_b = along + (double)block->along_normal_shift[l] + half_gap + (double)block->radius_b[l],
                 arm_a = (double)block->point[j].normal_arm[l] - (double)block->roll_arm[l] +
                         (double)block->turn[l] * core_a,
                 arm_b = arm_a + ((double)block->normal_arm_shift[l] - (double)block->roll_shift[l]);
    double sine_a, versine_a, sine_b, versine_b;
    turn_series((double)a->angle, &sine_a, &versine_a);
    turn_series((double)b->angle, &sine_b, &versine_b);
    return (double)c->separation[j] + (double)block->nx[l] * ((double)b->dx - (double)a->dx) +
           (double)block->ny[l] * ((double)b->dy - (double)a->dy) + (sine_b * arm_b - versine_b * core_b) -
           (sine_a * arm_a - versine_a * core_a);
}

// The late rebounds, which follow, read the separations of the last substep too.
void b2d_presses_end(const b2d_solver* solver, b2d_presses* presses) {
    for (int32_t k = 0; k < presses->count; k++) {
        b2d_press_store_others(solver, &presses->rows[k]);
        for (int32_t i = 0; i < presses->rows[k].contact_count; i++) {
            const b2d_press_contact* c = &presses->rows[k].contacts[i];
            b2d_contact_block* block = &solver->graph->blocks[c->block];
            const b2d_press_row* row = presses->rows[k].rows + c->first;
            for (int32_t j = 0; j < 2; j++) {
                block->point[j].initial_separation[c->lane] = c->separation[j];
                if (!c->exists[j]) continue;
                solver->contact_steps[c->block].separation[j][c->lane] = (float)separation_of(solver, c, j);
                block->point[j].normal_impulse[c->lane] = (float)row++->impulse;
                block->point[j].tangent_impulse[c->lane] = (float)row++->impulse;
            }
            if (c->rolls) solver->graph->extras[c->block]->rolling_impulse[c->lane] = (float)row->impulse;
            b2d_bits_set(&solver->graph->pressed_contacts, c->contact);
        }
    }
    presses->count = 0;
}

// The limits of friction and rolling resistance by the normal impulses; `start`: by those of the last relax pass.
void b2d_press_set_limits(const b2d_solver* solver, b2d_press* press, bool start) {
    for (int32_t k = 0; k < press->contact_count; k++) {
        const b2d_press_contact* c = &press->contacts[k];
        const double friction = (double)solver->graph->blocks[c->block].friction[c->lane];
        b2d_press_row* row = press->rows + c->first;
        double sum = 0.0;
        for (int32_t j = 0; j < 2; j++) {
            if (!c->exists[j]) continue;
            const double push = start ? row[0].multiplier[1] : row[0].impulse;
            b2d_press_set_bound(&row[1], friction * push);
            sum += push;
            row += 2;
        }
        if (c->rolls) b2d_press_set_bound(row, (double)solver->graph->extras[c->block]->rolling[c->lane] * sum);
    }
}

static double bias_of(const b2d_solver* solver, double separation, const b2d_softness* soft, bool relax) {
    const double push = (double)solver->push_speed;
    if (separation > 0.0) return separation * (double)solver->inverse_h;
    if (relax) return 0.0;
    const double depth = separation + REST_DEPTH * (double)solver->linear_slop;
    return fmax((double)soft->bias_rate * depth, -push);
}

static double speed_of(const double j[3], const b2d_body_state* s, const double* mass) { // on axes that stay
    const double v[3] = {(double)s->vx, (double)s->vy, (double)s->w};
    double speed = 0.0;
    for (int32_t i = 0; i < 3; i++)
        if (mass == NULL || mass[i] == 0.0) speed += j[i] * v[i];
    return speed;
}

// The speed of a direction by what no impulse moves.
static double dragging(const b2d_solver* solver, const b2d_press* press, const b2d_press_contact* c,
                       b2d_press_direction d) {
    if (!c->dragged) return 0.0;
    double speed = 0.0;
    for (int32_t side = 0; side < 2; side++)
        speed += speed_of(side ? d.b : d.a, &solver->states[c->id[side]],
                          c->side[side] == B2D_NONE ? NULL : press->bodies[c->side[side]].mass);
    return speed;
}

// What does not change while the velocities are found.
static void fill(const b2d_solver* solver, b2d_press* press) {
    for (int32_t k = 0; k < press->contact_count; k++) {
        const b2d_press_contact* c = &press->contacts[k];
        const b2d_contact_block* block = &solver->graph->blocks[c->block];
        const b2d_extra_block* extra = solver->graph->extras[c->block];
        const double belt = extra == NULL ? 0.0 : (double)extra->tangent_speed[c->lane];
        const b2d_softness* soft = &b2d_stiffness_of(solver, c->id[0])->contact[c->side[1] == B2D_NONE];
        b2d_press_row* row = press->rows + c->first;
        for (int32_t j = 0; j < 2; j++) {
            if (!c->exists[j]) continue;
            row++->wanted = dragging(solver, press, c, b2d_press_normal(block, c->lane, j)) +
                            bias_of(solver, separation_of(solver, c, j), soft, press->relax);
            row++->wanted = dragging(solver, press, c, b2d_press_tangent(block, c->lane, j)) - belt;
        }
        if (c->rolls) row->wanted = dragging(solver, press, c, b2d_press_turning);
    }
    b2d_press_fill_joints(solver, press);
    for (int32_t k = 0; k < press->row_count; k++) press->rows[k].impulse = press->rows[k].multiplier[press->relax];
}

static void load_bodies(const b2d_solver* solver, b2d_press* press) {
    const double gain = 1.0e-6 * (double)solver->h * (double)solver->h;
    press->tolerance = 0.0;
    for (int32_t k = 0; k < press->body_count; k++) {
        b2d_pressed_body* body = &press->bodies[k];
        const b2d_body_state* s = &solver->states[body->id];
        const double v[3] = {(double)s->vx, (double)s->vy, (double)s->w};
        const b2d_vec2 g = b2d_gravity_of(solver, body->id);
        for (int32_t i = 0; i < 3; i++)
            body->v[i] = v[i], body->free[i] = v[i] - body->change[i] -
                                               (press->held && body->direct != NULL ? body->direct->change[i] : 0.0);
        body->lag = 0.0;
        press->tolerance += body->mass[0] * (gain * (double)b2d_dot(g, g) +
                                             1.0e-10 * (body->free[0] * body->free[0] + body->free[1] * body->free[1]));
    }
}

static void store_bodies(const b2d_solver* solver, b2d_press* press) {
    for (int32_t k = 0; k < press->body_count; k++) {
        b2d_pressed_body* body = &press->bodies[k];
        b2d_body_state* s = &solver->states[body->id];
        for (int32_t i = 0; i < 3; i++)
            body->change[i] = body->mass[i] > 0.0 ? body->v[i] - body->free[i] - (i == 2 ? body->lag : 0.0) : 0.0;
        if (body->mass[0] > 0.0) s->vx = (float)body->v[0];
        if (body->mass[1] > 0.0) s->vy = (float)body->v[1];
        if (body->mass[2] > 0.0) s->w = (float)body->v[2];
    }
}

static inline double dot3(const double a[3], const double b[3]) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }

static uint8_t state_at(const b2d_press_row* row, double speed) {
    const double impulse = -row->stiffness * speed;
    return impulse <= row->low ? B2D_AT_LOW : impulse >= row->high ? B2D_AT_HIGH : B2D_HOLDS;
}

static double impulse_at(const b2d_press_row* row, double speed, uint8_t state) {
    return state == B2D_AT_LOW ? row->low : state == B2D_AT_HIGH ? row->high : -row->stiffness * speed;
}

static inline double greater(double a, double b) { return a > b ? a : b; } // fmax, without its call

// By how much a speed is outside of the range of the row's state.
static double outside(const b2d_press_row* row, double speed) {
    if (row->stiffness == 0.0) return 0.0;
    const double least = -row->high / row->stiffness, most = -row->low / row->stiffness;
    if (row->state == B2D_AT_LOW) return greater(most - speed, 0.0);
    if (row->state == B2D_AT_HIGH) return greater(speed - least, 0.0);
    return greater(greater(speed - most, least - speed), 0.0);
}

// ---- The linear system ----

static void add_outer(double to[9], const double a[3], const double b[3], double factor) {
    for (int32_t i = 0; i < 3; i++)
        for (int32_t j = 0; j < 3; j++) to[3 * i + j] += factor * a[i] * b[j];
}

static double linear_mass(const b2d_pressed_body* body) { return greater(body->mass[0], body->mass[1]); }

// Lower triangle of M + sum of stiffness J^T J over the rows that hold. All bodies have the mass `equal` with the radii
// of gyration that they have; 0: each its own.
static void assemble(b2d_press* press, double (*blocks)[9], double equal) {
    const int32_t last = press->body_count - 1;
    memset(blocks, 0, (size_t)(press->start[last] + last + 1) * sizeof *blocks);
    for (int32_t k = 0; k <= last; k++)
        for (int32_t i = 0; i < 3; i++) {
            const double linear = linear_mass(&press->bodies[k]), share = equal * linear > 0.0 ? equal / linear : 1.0,
                         mass = share * press->bodies[k].mass[i];
            blocks[press->start[k] + k][4 * i] = mass > 0.0 ? mass : 1.0;
        }
    for (int32_t k = 0; k < press->row_count; k++) {
        const b2d_press_row* row = &press->rows[k];
        if (row->state != B2D_HOLDS) continue;
        const int32_t a = row->side[0], b = row->side[1];
        if (a != B2D_NONE) add_outer(blocks[press->start[a] + a], row->j[0], row->j[0], row->stiffness);
        if (b != B2D_NONE) add_outer(blocks[press->start[b] + b], row->j[1], row->j[1], row->stiffness);
        if (a != B2D_NONE && b != B2D_NONE) {
            const int32_t high = a < b;
            add_outer(blocks[press->start[row->side[high]] + row->side[!high]], row->j[high], row->j[!high],
                      row->stiffness);
        }
    }
}

// l = a L^-T, where L is lower triangular with the reciprocals of its diagonal.
static void solve_block(double a[9], const double l[9]) {
    for (int32_t i = 0; i < 3; i++) {
        double* r = a + 3 * i;
        r[0] *= l[0];
        r[1] = (r[1] - r[0] * l[3]) * l[4];
        r[2] = (r[2] - r[0] * l[6] - r[1] * l[7]) * l[8];
    }
}

static double pivot(double d) { return 1.0 / sqrt(greater(d, 1.0e-300)); }

static void factor_block(double a[9]) {
    a[0] = pivot(a[0]);
    a[3] *= a[0], a[6] *= a[0];
    a[4] = pivot(a[4] - a[3] * a[3]);
    a[7] = (a[7] - a[6] * a[3]) * a[4];
    a[8] = pivot(a[8] - a[6] * a[6] - a[7] * a[7]);
}

static void factor(b2d_press* press, double (*blocks)[9]) {
    for (int32_t r = 0; r < press->body_count; r++) {
        double (*row)[9] = blocks + press->start[r];
        const int32_t first = press->bodies[r].first;
        for (int32_t c = first; c <= r; c++) {
            const double (*other)[9] = (const double (*)[9])blocks + press->start[c];
            double sum[9];
            memcpy(sum, row[c], sizeof sum);
            for (int32_t k = b2d_max_int(first, press->bodies[c].first); k < c; k++)
                for (int32_t i = 0; i < 3; i++)
                    for (int32_t j = 0; j < 3; j++) sum[3 * i + j] -= dot3(row[k] + 3 * i, other[k] + 3 * j);
            if (c < r) solve_block(sum, other[c]);
            else factor_block(sum);
            memcpy(row[c], sum, sizeof sum);
        }
    }
}

static void substitute(b2d_press* press, double (*blocks)[9]) {
    for (int32_t r = 0; r < press->body_count; r++) {
        const double (*row)[9] = (const double (*)[9])blocks + press->start[r];
        double x[3];
        memcpy(x, press->bodies[r].right, sizeof x);
        for (int32_t c = press->bodies[r].first; c < r; c++)
            for (int32_t i = 0; i < 3; i++) x[i] -= dot3(row[c] + 3 * i, press->bodies[c].found);
        const double* l = row[r];
        x[0] *= l[0];
        x[1] = (x[1] - l[3] * x[0]) * l[4];
        x[2] = (x[2] - l[6] * x[0] - l[7] * x[1]) * l[8];
        memcpy(press->bodies[r].found, x, sizeof x);
    }
    for (int32_t r = press->body_count; r-- > 0;) {
        const double (*row)[9] = (const double (*)[9])blocks + press->start[r];
        double* x = press->bodies[r].found;
        const double* l = row[r];
        x[2] *= l[8];
        x[1] = (x[1] - l[7] * x[2]) * l[4];
        x[0] = (x[0] - l[3] * x[1] - l[6] * x[2]) * l[0];
        for (int32_t c = press->bodies[r].first; c < r; c++)
            for (int32_t j = 0; j < 3; j++)
                press->bodies[c].found[j] -= row[c][j] * x[0] + row[c][3 + j] * x[1] + row[c][6 + j] * x[2];
    }
}

static void add_to_right(b2d_press* press, const b2d_press_row* row, double impulse) {
    for (int32_t side = 0; side < 2 && impulse != 0.0; side++)
        for (int32_t i = 0; i < 3 && row->side[side] != B2D_NONE; i++)
            press->bodies[row->side[side]].right[i] += impulse * row->j[side][i];
}

// Finds the minimum of the function if all rows stayed in their states, and how the speeds of the rows change to it.
static void find(b2d_press* press) {
    b2d_press_factors* factors = &press->factors[press->relax];
    bool same = factors->valid;
    for (int32_t k = 0; k < press->row_count; k++) {
        const uint8_t holds = press->rows[k].state == B2D_HOLDS;
        same = same && factors->holds[k] == holds;
        factors->holds[k] = holds;
    }
    if (!same) assemble(press, factors->blocks, 0.0), factor(press, factors->blocks);
    factors->valid = true;
    for (int32_t k = 0; k < press->body_count; k++) {
        b2d_pressed_body* body = &press->bodies[k];
        for (int32_t i = 0; i < 3; i++)
            body->right[i] = body->mass[i] > 0.0 ? body->mass[i] * body->free[i] : body->v[i];
    }
    for (int32_t k = 0; k < press->row_count; k++) {
        const b2d_press_row* row = &press->rows[k];
        add_to_right(press, row, impulse_at(row, row->bias, row->state));
    }
    substitute(press, factors->blocks);
    for (int32_t k = 0; k < press->row_count; k++) {
        b2d_press_row* row = &press->rows[k];
        double now = row->bias, then = row->bias;
        for (int32_t side = 0; side < 2; side++) {
            if (row->side[side] == B2D_NONE) continue;
            const b2d_pressed_body* body = &press->bodies[row->side[side]];
            now += dot3(row->j[side], body->v), then += dot3(row->j[side], body->found);
        }
        row->speed = now, row->slope = then - now;
        row->found = impulse_at(row, then, row->state);
    }
}

// ---- The minimum ----

// The derivative of the function along the search, at v + t (found - v), is a straight line but for the few rows whose
// states at its ends differ.
typedef struct line {
    double value, slope; // at t = 0
    int32_t count;       // of press->bent
} line;

static line lay_line(const b2d_press* press) {
    line line = {0.0, 0.0, 0};
    for (int32_t k = 0; k < press->body_count; k++) {
        const b2d_pressed_body* body = &press->bodies[k];
        for (int32_t i = 0; i < 3; i++) {
            const double d = body->found[i] - body->v[i];
            line.value += body->mass[i] * d * (body->v[i] - body->free[i]);
            line.slope += body->mass[i] * d * d;
        }
    }
    for (int32_t k = 0; k < press->row_count; k++) {
        const b2d_press_row* row = &press->rows[k];
        const uint8_t state = state_at(row, row->speed);
        if (state != state_at(row, row->speed + row->slope)) {
            press->bent[line.count++] = k;
            continue;
        }
        line.value -= impulse_at(row, row->speed, state) * row->slope;
        if (state == B2D_HOLDS) line.slope += row->stiffness * row->slope * row->slope;
    }
    return line;
}

static double derivative(const b2d_press* press, const line* line, double t) {
    double sum = line->value + t * line->slope;
    for (int32_t k = 0; k < line->count; k++) {
        const b2d_press_row* row = &press->rows[press->bent[k]];
        const double speed = row->speed + t * row->slope;
        sum -= impulse_at(row, speed, state_at(row, speed)) * row->slope;
    }
    return sum;
}

// Sets the states at v + t (found - v). Returns whether those before were right: whether the energy by which they were
// wrong is within the tolerance, and no impulse beyond its bounds has a gross effect. The energy alone is compared with
// that of the heavy bodies, beside which the friction of a light one is nothing.
static bool move_states(b2d_press* press, double t, double gross) {
    double error = 0.0, fastest = 0.0;
    for (int32_t k = 0; k < press->row_count; k++) {
        b2d_press_row* row = &press->rows[k];
        const double speed = row->speed + t * row->slope, wrong = outside(row, speed);
        error += 0.5 * row->stiffness * wrong * wrong;
        if (!row->soft) fastest = greater(fastest, wrong);
        row->state = state_at(row, speed);
        row->impulse = impulse_at(row, speed, row->state);
    }
    return error < press->tolerance && fastest <= gross * press->compliance;
}

// The place of the minimum along the search, in (0, 1], by bisection: the derivative grows with t, but as a broken line
// whose slopes differ by orders of magnitude.
static double search(const b2d_press* press) {
    const line line = lay_line(press);
    double low = 0.0, high = 1.0;
    if (!(derivative(press, &line, 1.0) > 0.0)) return 1.0;
    for (int32_t k = 0; k < 24; k++) {
        const double t = 0.5 * (low + high);
        if (derivative(press, &line, t) > 0.0) high = t;
        else low = t;
    }
    return high;
}

// First tries the states of the last pass of the same kind, which mostly are still right.
static void minimise(b2d_press* press, double gross) {
    for (int32_t k = 0; k < press->row_count; k++) press->rows[k].state = press->rows[k].states[press->relax];
    bool right = false;
    for (int32_t round = 0; round < MOST_ROUNDS && !right; round++) {
        find(press);
        right = move_states(press, 1.0, gross);
        const double t = right ? 1.0 : round == 0 ? 0.0 : search(press);
        if (t < 1.0) (void)move_states(press, t, gross);
        for (int32_t k = 0; k < press->body_count; k++)
            for (int32_t i = 0; i < 3; i++)
                press->bodies[k].v[i] += t * (press->bodies[k].found[i] - press->bodies[k].v[i]);
        for (int32_t k = 0; k < press->row_count; k++)
            press->rows[k].given += t * (press->rows[k].found - press->rows[k].given);
    }
    for (int32_t k = 0; k < press->row_count; k++) press->rows[k].states[press->relax] = press->rows[k].state;
}

// One step of the method of multipliers: the impulses found become the multipliers of the next step. Returns the
// greatest speed that a row lacked.
static double step_multipliers(b2d_press* press, double gross) {
    double error = 0.0;
    for (int32_t k = 0; k < press->row_count; k++) {
        b2d_press_row* row = &press->rows[k];
        row->before = row->impulse;
        row->bias = row->stiffness > 0.0 && !row->soft ? row->wanted - row->impulse / row->stiffness : row->wanted;
    }
    minimise(press, gross);
    for (int32_t k = 0; k < press->row_count; k++) {
        const b2d_press_row* row = &press->rows[k];
        if (row->stiffness > 0.0 && !row->soft)
            error = greater(fabs(row->impulse - row->before) / row->stiffness, error);
    }
    return error;
}

// Rough contacts without limits of their friction.
static void hold_all(const b2d_solver* solver, b2d_press* press) {
    for (int32_t k = 0; k < press->contact_count; k++) {
        const b2d_press_contact* c = &press->contacts[k];
        const bool rough = solver->graph->blocks[c->block].friction[c->lane] > 0.0f;
        for (int32_t i = 1; i < c->count && rough; i += 2) b2d_press_set_bound(&press->rows[c->first + i], 1.0e30);
    }
}

// Sets the limits of friction and rolling resistance anew. Returns whether no impulse was so far beyond them that it
// has a gross effect. In heaps they change by more than a tenth with each step of multipliers, which does not matter.
static bool is_within_limits(const b2d_solver* solver, b2d_press* press, double gross) {
    bool within = true;
    b2d_press_set_limits(solver, press, false);
    for (int32_t k = 0; k < press->contact_count; k++)
        for (int32_t i = 0; i < press->contacts[k].count; i++) {
            const b2d_press_row* row = &press->rows[press->contacts[k].first + i];
            within = within && fabs(row->impulse) - row->high <= gross * press->compliance * row->stiffness;
        }
    return within;
}

// Impulses that differ much from those of the last pass are those of an impact. More than one state may satisfy
// Coulomb's law then: a light body that slips out sideways, or one that is held. So the second step of multipliers
// begins with all tangents held, because a body that is held needs no sudden speed; the third has the limits by its
// impulses. The velocities that stay are those of the relax pass: there steps follow until the limits by the impulses
// found are kept too.
// Returns false if some rows contradict each other, as where a kinematic body crushes another one.
static bool solve(const b2d_solver* solver, b2d_press* press) {
    const double least = B2D_PRESS_ERROR_SPEED * (double)solver->restitution_threshold,
                 gross = GROSS_SPEED * (double)solver->restitution_threshold;
    bool settled = false, holding = false;
    b2d_press_set_limits(solver, press, true);
    for (int32_t k = 0; k < MOST_MULTIPLIERS; k++) {
        settled = step_multipliers(press, gross) < least;
        if (settled && !holding && (!press->relax || is_within_limits(solver, press, gross))) return true;
        if (holding) b2d_press_set_limits(solver, press, false);
        holding = k == 0 && !settled;
        if (holding) hold_all(solver, press);
    }
    return settled;
}

static bool is_pulled(const b2d_press* press, int32_t body) { return body != B2D_NONE && press->bodies[body].pulled; }

// Where things that do not yield squeeze a body, no velocity tells how hard, so the relax pass alone would find no push
// and hence no friction there: what is stuck would get the speed of a fall. So its normals begin with what the push-out
// of the soft pass needed, at most the stiffness of the row times the speed that it wants: no squeeze grows with time.
// Rows that got what they want are not squeezed. Joints that disagree would squeeze for ever, so bodies that a rigid
// joint pulls are left out; a slack rope pulls nothing, and springs and motors have bounds.
static void keep_squeeze(const b2d_solver* solver, b2d_press* press) {
    const double least = B2D_PRESS_ERROR_SPEED * (double)solver->restitution_threshold;
    b2d_press_find_pulled(press);
    for (int32_t k = 0; k < press->contact_count; k++) {
        const b2d_press_contact* c = &press->contacts[k];
        if (is_pulled(press, c->side[0]) || is_pulled(press, c->side[1])) continue;
        for (int32_t i = 0; i + 1 < c->count; i += 2) {
            b2d_press_row* row = &press->rows[c->first + i];
            if (row->impulse - row->before > row->stiffness * least)
                row->multiplier[1] = fmax(row->multiplier[1], fmin(row->impulse, -row->stiffness * row->wanted));
        }
    }
}

// ---- Open joints of a held press ----

// Velocities that close open joints by the impulses `found` of their rows, where all rows that hold stay as they are.
static void find_closing(b2d_press* press) {
    b2d_press_factors* factors = &press->factors[press->relax];
    double lightest = 0.0;
    for (int32_t k = 0; k < press->body_count; k++) {
        const double mass = linear_mass(&press->bodies[k]);
        if (mass > 0.0 && (mass < lightest || lightest == 0.0)) lightest = mass;
        memset(press->bodies[k].right, 0, sizeof press->bodies[k].right);
    }
    assemble(press, factors->blocks, lightest), factor(press, factors->blocks);
    factors->valid = false;
    for (int32_t k = 0; k < press->row_count; k++) add_to_right(press, &press->rows[k], press->rows[k].found);
    substitute(press, factors->blocks);
}

// The greatest speed of some point of a body by the velocities found.
static double fastest_found(const b2d_solver* solver, const b2d_press* press) {
    double most = 0.0;
    for (int32_t k = 0; k < press->body_count; k++) {
        const b2d_pressed_body* body = &press->bodies[k];
        const double *v = body->found, extent = (double)solver->graph->bodies[body->id].extent;
        most = greater(most, sqrt(v[0] * v[0] + v[1] * v[1]) + fabs(v[2]) * extent);
    }
    return most;
}

// Adds the velocities that close open joints, at no more than the push speed. The relax pass begins without them, so
// they are a motion without momentum and all bodies count as equally heavy: a bridge whose ropes are too long lifts the
// box on it. By their masses its light planks would fold instead, in each step to the other side and farther. What
// closes more slowly than a press is exact waits.
static void close_joints(const b2d_solver* solver, b2d_press* press) {
    const double least = B2D_PRESS_ERROR_SPEED * (double)solver->restitution_threshold;
    bool open = false;
    for (int32_t k = 0; k < press->row_count; k++) {
        b2d_press_row* row = &press->rows[k];
        row->found = 0.0;
        if (row->correction == 0.0) continue;
        double speed = row->wanted + row->correction;
        for (int32_t side = 0; side < 2; side++)
            if (row->side[side] != B2D_NONE) speed += dot3(row->j[side], press->bodies[row->side[side]].v);
        if (speed * row->correction <= 0.0) continue; // it closes by itself
        row->found = -row->stiffness * speed, row->state = B2D_HOLDS;
        open = open || fabs(speed) > least;
    }
    if (!open) return;
    find_closing(press);
    const double push = (double)solver->push_speed, fastest = fastest_found(solver, press),
                 share = fastest > push ? push / fastest : 1.0;
    for (int32_t k = 0; k < press->body_count; k++) {
        b2d_pressed_body* body = &press->bodies[k];
        for (int32_t i = 0; i < 3; i++) body->v[i] += body->mass[i] > 0.0 ? share * body->found[i] : 0.0;
        if (share < 1.0) solver->steps[body->id].flags |= B2D_STEP_CLOSING;
    }
}

static void track_peaks(const b2d_solver* solver, const b2d_press* press) {
    for (int32_t k = 0; k < press->contact_count; k++) {
        const b2d_press_contact* c = &press->contacts[k];
        b2d_extra_block* extra = solver->graph->extras[c->block];
        const b2d_press_row* row = press->rows + c->first;
        for (int32_t j = 0; extra != NULL && j < 2; j++) {
            if (!c->exists[j]) continue;
            extra->peak_impulse[j][c->lane] = b2d_max(extra->peak_impulse[j][c->lane], (float)row->impulse);
            row += 2;
        }
    }
}

static void add_forces(const b2d_solver* solver, const b2d_press* press) {
    for (int32_t k = 0; k < press->contact_count; k++) {
        const b2d_press_contact* c = &press->contacts[k];
        b2d_contact_block* block = &solver->graph->blocks[c->block];
        const b2d_press_row* row = press->rows + c->first;
        for (int32_t j = 0; j < c->exists[0] + c->exists[1]; j++) {
            block->normal_force[c->lane] += (float)row++->given / solver->dt;
            block->tangent_force[c->lane] += (float)row++->given / solver->dt;
        }
    }
    b2d_press_add_loads(solver, press);
}

static bool is_finite(const b2d_press* press) {
    double sum = 0.0;
    for (int32_t k = 0; k < press->body_count; k++)
        for (int32_t i = 0; i < 3; i++) sum += fabs(press->bodies[k].v[i]);
    return sum < 1.0e300;
}

void b2d_press_pass(const b2d_solver* solver, b2d_press* press, int32_t pass) {
    if (pass == B2D_PASS_CLEAR) {
        for (int32_t k = 0; k < press->body_count; k++)
            memset(press->bodies[k].change, 0, sizeof press->bodies[k].change);
        for (int32_t k = 0; k < press->row_count; k++) press->rows[k].given = 0.0;
    }
    if (pass != B2D_PASS_SOLVE && pass != B2D_PASS_RELAX) return;
    press->relax = pass == B2D_PASS_RELAX;
    load_bodies(solver, press);
    fill(solver, press);
    bool solved = solve(solver, press);
    for (int32_t k = 0; k < MOST_STIFFER && !press->relax && b2d_press_stiffen_again(solver, press); k++)
        solved = solve(solver, press);
    if (press->held && !press->relax) close_joints(solver, press);
    solved = solved && is_finite(press);
    if (!press->relax) keep_squeeze(solver, press);
    for (int32_t k = 0; k < press->row_count; k++)
        press->rows[k].multiplier[press->relax] = solved ? press->rows[k].impulse : 0.0;
    if (!is_finite(press)) return;
    store_bodies(solver, press);
    if (press->relax) add_forces(solver, press);
    b2d_press_store_direct(solver, press);
    track_peaks(solver, press);
}

void b2d_press_forget(const b2d_solver* solver, b2d_press* press) {
    for (int32_t k = 0; k < press->body_count; k++)
        for (int32_t i = 0; i < 3; i++) press->bodies[k].change[i] *= b2d_repeated_share(solver, press->bodies[k].id);
}
