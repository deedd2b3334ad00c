// csrc/solver/press.c - finds the presses of a step and solves them.
#include "solver/press.h"
#include "solver/kernels.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    MOST_BODIES = 96,   // of a press: the nearest to its heavy contact by the walk
    MOST_IN_STEP = 384, // bodies of all presses of a step; the contacts of others are left to the passes
    MOST_ROUNDS = 40,   // of Newton's method
    MOST_LIMITS = 8,    // times that the limits of friction follow the normal impulses
};

// A contact is heavy while it carries so many times the weight of its lighter body, or while its bodies meet.
#define HEAVY_LOAD 5.0f
#define MEETING    0.25f // of the restitution threshold: the speed from which on bodies meet
// Compliance of a row over its inverse mass: a load of 1e6 times the mass closes a gap by 1e-2 mm in a second
#define COMPLIANCE 1.0e-2
extern float b2d_x[16];
#define REST_DEPTH 0.2 // slops, at which a contact comes to rest

typedef struct press_body {
    int32_t id, first; // first unknown that is coupled with those of this body
    double mass[3];    // 0: no impulse moves this axis
    double v[3], free[3], change[3]; // now; without the contacts; change by them in this substep
} press_body;

enum { OPEN = 0, PUSHES = 1, STICKS = 1, SLIDES_UP = 2, SLIDES_DOWN = 3 };

typedef struct press_row { // normal or tangent of a point, or the rolling of a contact
    double j[2][3];        // speed by the velocities of sides A and B
    double known, wanted, bias;    // speed of a side that no impulse moves; wanted speed is -bias
    double stiffness;      // 1 / compliance
    double limit, impulse, before, kept[2]; // kept: of the last soft and of the last relax pass
    double speed, slope; // along the search: J v + bias and its change
    int32_t state;
} press_row;

typedef struct press_contact {
    int32_t contact, block, lane;
    int32_t side[2]; // indices of the bodies; B2D_NONE: no impulse moves it
    int32_t id[2];
    int32_t points; // bit j: point j exists
    float separation[2], normal[2], tangent[2], rolling; // what the lane had
    int32_t first, count; // rows: for each point normal and tangent, then rolling
} press_contact;

struct b2d_press {
    press_body* bodies;
    press_contact* contacts;
    press_row* rows;
    double *factors[2], *right, *found; // envelopes of lower triangles, row by row; right side; velocities
    int32_t* row_start;             // of the envelope: index of the first entry of a row, less its column
    int32_t body_count, contact_count, row_count, unknowns;
    double compliance, scale, tolerance; // scale: of the stiffness of this attempt
    uint8_t* states[2];   // of the rows, at the end of the last soft and of the last relax pass
    uint8_t* factored[2]; // rows that are in the factors
    bool has_factor[2], relax;
};

// ---- Finding ----

static const b2d_contact_block* block_of(const b2d_graph* graph, int32_t contact, int32_t* lane) {
    const int32_t at = graph->pairs[contact].lane_index;
    *lane = at % B2D_LANES;
    return &graph->blocks[at / B2D_LANES];
}

// Whether a joint to a fixed body carries the body.
static bool is_held(const b2d_graph* graph, int32_t body) {
    for (int32_t key = graph->bodies[body].joint_head; key != B2D_NONE; key = graph->joints[key >> 1].next[key & 1])
        if (!b2d_moves(graph, graph->joints[key >> 1].body[~key & 1]) &&
            !(graph->joints[key >> 1].flags & B2D_JOINT_NO_ROWS))
            return true;
    return false;
}

// Whether the heavier body of the contact presses the lighter one: by its weight, or because it moves towards it.
static bool is_heavy(const b2d_solver* solver, int32_t contact) {
    int32_t lane;
    const b2d_contact_block* block = block_of(solver->graph, contact, &lane);
    const int32_t* id[2] = {&block->body_a[lane], &block->body_b[lane]};
    const int32_t side = solver->states[*id[0]].inverse_mass > solver->states[*id[1]].inverse_mass; // of the heavier
    const b2d_body_state *heavy = &solver->states[*id[side]], *light = &solver->states[*id[!side]];
    const float towards = side ? -1.0f : 1.0f, nx = towards * block->nx[lane], ny = towards * block->ny[lane];
    const b2d_vec2 gravity = b2d_gravity_of(solver, *id[side]);
    const float load = heavy->inverse_mass > 0.0f ? light->inverse_mass / heavy->inverse_mass : 0.0f,
                weight = sqrtf(gravity.x * gravity.x + gravity.y * gravity.y);
    if (is_held(solver->graph, *id[side])) return false;
    if (load * (nx * gravity.x + ny * gravity.y) > HEAVY_LOAD * weight && weight > 0.0f) return true;
    for (int32_t j = 0; j < 2; j++) {
        const b2d_contact_point* p = &block->point[j];
        if (p->initial_separation[lane] > 0.5f * B2D_DEAD_POINT) continue;
        const float arm = towards * (p->normal_arm[lane] + (side ? block->normal_arm_shift[lane] : 0.0f)),
                    speed = nx * heavy->vx + ny * heavy->vy + heavy->w * arm;
        if (speed > MEETING * solver->restitution_threshold &&
            p->initial_separation[lane] < solver->linear_slop + speed * solver->dt)
            return true;
    }
    return false;
}

typedef struct finder {
    const b2d_solver* solver;
    int32_t* place; // by body: 0, or 1 + its index in its press
    int32_t* owner; // by body, where place is not 0: its press
    int32_t *walk, walked;
} finder;

static void reach(finder* f, int32_t body, int32_t press) {
    if (!b2d_moves(f->solver->graph, body) || f->place[body] != 0) return;
    f->owner[body] = press;
    f->walk[f->walked++] = body;
    f->place[body] = f->walked;
}

// Breadth first from the bodies of a heavy contact, over their contacts. From the heavy body the walk goes on only over
// contacts of unlike masses: what lies beside it is not pressed.
static bool walk_from(finder* f, int32_t contact, int32_t press) {
    const b2d_graph* graph = f->solver->graph;
    const b2d_body_state* states = f->solver->states;
    const int32_t bodies[2] = {graph->pairs[contact].body_a, graph->pairs[contact].body_b};
    const int32_t heavy = states[bodies[0]].inverse_mass < states[bodies[1]].inverse_mass ? 0 : 1;
    f->walked = 0;
    reach(f, bodies[heavy], press);
    reach(f, bodies[!heavy], press);
    bool carried = false;
    for (int32_t k = 0; k < f->walked && f->walked < MOST_BODIES; k++)
        for (int32_t key = graph->bodies[f->walk[k]].contact_head; key != B2D_NONE && f->walked < MOST_BODIES;
             key = graph->contacts[key >> 1].next[key & 1]) {
            const int32_t id = key >> 1, other = key & 1 ? graph->pairs[id].body_a : graph->pairs[id].body_b;
            if (graph->contacts[id].color < 0) continue;
            carried = carried || (k > 0 && graph->contacts[id].fixed);
            if (k == 0 && !(graph->contacts[id].flags & B2D_CONTACT_UNLIKE)) continue;
            reach(f, other, press);
        }
    if (carried) return true;
    for (int32_t k = 0; k < f->walked; k++) f->place[f->walk[k]] = 0;
    return false;
}

static int32_t side_of(const finder* f, int32_t body, int32_t press) {
    return b2d_moves(f->solver->graph, body) && f->place[body] != 0 && f->owner[body] == press ? f->place[body] - 1
                                                                                              : B2D_NONE;
}

// Whether all bodies that the contact moves are in the press.
static bool is_inside(const finder* f, int32_t id, int32_t press) {
    const b2d_pair* pair = &f->solver->graph->pairs[id];
    for (int32_t side = 0; side < 2; side++) {
        const int32_t body = side ? pair->body_b : pair->body_a;
        if (b2d_moves(f->solver->graph, body) && side_of(f, body, press) == B2D_NONE) return false;
    }
    return true;
}

// Calls of a contact that is met from both sides count once.
static bool is_met_first(const finder* f, int32_t key) {
    const b2d_pair* pair = &f->solver->graph->pairs[key >> 1];
    return (key & 1) == 0 || !b2d_moves(f->solver->graph, pair->body_a);
}

static void weigh(const b2d_solver* solver, press_body* body) {
    const b2d_body_state* state = &solver->states[body->id];
    const uint32_t locks = solver->steps[body->id].flags;
    const float inverse[3] = {locks & B2D_BODY_FLAG_LOCK_X ? 0.0f : state->inverse_mass,
                              locks & B2D_BODY_FLAG_LOCK_Y ? 0.0f : state->inverse_mass,
                              locks & B2D_BODY_FLAG_LOCK_ROTATION ? 0.0f : state->inverse_inertia};
    for (int32_t i = 0; i < 3; i++) body->mass[i] = inverse[i] > 0.0f ? 1.0 / (double)inverse[i] : 0.0;
}

static void place_row(const b2d_press* press, const press_contact* c, press_row* row, const double a[3],
                      const double b[3]) {
    double inverse = 0.0;
    *row = (press_row){.state = OPEN};
    for (int32_t side = 0; side < 2; side++)
        for (int32_t i = 0; i < 3; i++) {
            const double j = side ? b[i] : a[i];
            const press_body* body = c->side[side] == B2D_NONE ? NULL : &press->bodies[c->side[side]];
            row->j[side][i] = j; // where nothing moves it, `known` replaces it in each pass
            if (body != NULL && body->mass[i] > 0.0) inverse += j * j / body->mass[i];
        }
    row->stiffness = inverse > 0.0 ? 1.0 / (press->compliance * inverse) : 0.0;
}

static void place_rows(const b2d_solver* solver, b2d_press* press, press_contact* c) {
    const b2d_contact_block* block = &solver->graph->blocks[c->block];
    const b2d_extra_block* extra = solver->graph->extras[c->block];
    const int32_t l = c->lane;
    const double nx = (double)block->nx[l], ny = (double)block->ny[l];
    press_row* row = press->rows + c->first;
    for (int32_t j = 0; j < 2; j++) {
        if (!(c->points >> j & 1)) continue;
        const b2d_contact_point* p = &block->point[j];
        const double arm_a = (double)p->normal_arm[l], arm_b = arm_a + (double)block->normal_arm_shift[l],
                     along_a = (double)p->along_normal[l], along_b = along_a + (double)block->along_normal_shift[l];
        const double na[3] = {-nx, -ny, -arm_a}, nb[3] = {nx, ny, arm_b};
        const double ta[3] = {-ny, nx, along_a}, tb[3] = {ny, -nx, -along_b};
        place_row(press, c, row, na, nb);
        row++->impulse = (double)c->normal[j];
        place_row(press, c, row, ta, tb);
        row++->impulse = (double)c->tangent[j];
    }
    if (extra != NULL && extra->rolling[l] > 0.0f) {
        const double a[3] = {0.0, 0.0, -1.0}, b[3] = {0.0, 0.0, 1.0};
        place_row(press, c, row, a, b);
        row->impulse = (double)c->rolling;
    }
}

static int32_t rows_of(const b2d_graph* graph, int32_t id, int32_t* points) {
    int32_t lane, count = 0;
    const b2d_contact_block* block = block_of(graph, id, &lane);
    const b2d_extra_block* extra = graph->extras[graph->pairs[id].lane_index / B2D_LANES];
    *points = 0;
    for (int32_t j = 0; j < 2; j++)
        if (block->point[j].initial_separation[lane] < 0.5f * B2D_DEAD_POINT) *points |= 1 << j, count += 2;
    return count + (extra != NULL && extra->rolling[lane] > 0.0f);
}

static press_contact take_contact(const finder* f, int32_t id, int32_t press) {
    const b2d_graph* graph = f->solver->graph;
    press_contact c = {.contact = id, .block = graph->pairs[id].lane_index / B2D_LANES};
    const b2d_contact_block* block = block_of(graph, id, &c.lane);
    c.id[0] = block->body_a[c.lane], c.id[1] = block->body_b[c.lane];
    for (int32_t side = 0; side < 2; side++) c.side[side] = side_of(f, c.id[side], press);
    c.count = rows_of(graph, id, &c.points);
    for (int32_t j = 0; j < 2; j++) {
        c.separation[j] = block->point[j].initial_separation[c.lane];
        c.normal[j] = block->point[j].normal_impulse[c.lane];
        c.tangent[j] = block->point[j].tangent_impulse[c.lane];
    }
    if (graph->extras[c.block] != NULL) c.rolling = graph->extras[c.block]->rolling_impulse[c.lane];
    return c;
}

// The limits of friction and rolling by the normal impulses. Returns by how much the largest has changed, relative to it.
static double set_limits(const b2d_solver* solver, b2d_press* press) {
    double most = 0.0, change = 0.0;
    for (int32_t k = 0; k < press->contact_count; k++) {
        const press_contact* c = &press->contacts[k];
        const double friction = (double)solver->graph->blocks[c->block].friction[c->lane];
        press_row *row = press->rows + c->first, *end = row + c->count;
        double sum = 0.0;
        for (int32_t j = 0; j < 2; j++) {
            if (!(c->points >> j & 1)) continue;
            const double limit = friction * row[0].impulse;
            sum += row[0].impulse;
            change = fmax(change, fabs(limit - row[1].limit));
            most = fmax(most, limit);
            row[1].limit = limit;
            row += 2;
        }
        if (row < end) row->limit = (double)solver->graph->extras[c->block]->rolling[c->lane] * sum;
    }
    return most > 0.0 ? change / most : change;
}

static bool is_normal(const press_contact* c, int32_t i) { return i % 2 == 0 && i + 1 < c->count; }

#define FOR_ROWS(press, c, row, normal)                                                             \
    for (const press_contact* c = (press)->contacts; c < (press)->contacts + (press)->contact_count; c++) \
        for (press_row* row = (press)->rows + c->first; row < (press)->rows + c->first + c->count; row++)   \
            for (bool normal = is_normal(c, (int32_t)(row - (press)->rows) - c->first), once = true; once; once = false)

// The last body of the walk is eliminated first, so a column couples only bodies near it.
static bool lay_out(finder* f, b2d_press* press, int32_t number) {
    const b2d_solver* solver = f->solver;
    const b2d_graph* graph = solver->graph;
    *press = (b2d_press){.body_count = f->walked, .unknowns = 3 * f->walked};
    for (int32_t k = 0; k < f->walked; k++) f->place[f->walk[k]] = f->walked - k;
    for (int32_t k = 0; k < f->walked; k++)
        for (int32_t key = graph->bodies[f->walk[k]].contact_head; key != B2D_NONE;
             key = graph->contacts[key >> 1].next[key & 1])
            press->contact_count += graph->contacts[key >> 1].color >= 0 && is_met_first(f, key);
    press->bodies = b2d_arena_take(solver->arena, (size_t)press->body_count * sizeof *press->bodies);
    press->contacts = b2d_arena_take(solver->arena, (size_t)(press->contact_count + 1) * sizeof *press->contacts);
    press->row_start = b2d_arena_take(solver->arena, (size_t)press->unknowns * sizeof *press->row_start);
    press->right = b2d_arena_take(solver->arena, 2 * (size_t)press->unknowns * sizeof *press->right);
    if (press->bodies == NULL || press->contacts == NULL || press->row_start == NULL || press->right == NULL)
        return false;
    press->found = press->right + press->unknowns;
    for (int32_t k = 0; k < f->walked; k++) {
        press_body* body = &press->bodies[f->walked - 1 - k];
        *body = (press_body){.id = f->walk[k], .first = f->walked - 1 - k};
        weigh(solver, body);
    }
    double least = 1.0e300, most = 0.0;
    for (int32_t k = 0; k < f->walked; k++) {
        const double inverse = (double)solver->states[f->walk[k]].inverse_mass;
        if (inverse > 0.0) least = fmin(least, inverse), most = fmax(most, inverse);
    }
    press->compliance = fmin(fmax((double)b2d_x[2] * least / most, 1.0e-9),(double)b2d_x[4]);
    press->scale = 1.0;
    press->contact_count = 0;
    for (int32_t k = 0; k < f->walked; k++)
        for (int32_t key = graph->bodies[f->walk[k]].contact_head; key != B2D_NONE;
             key = graph->contacts[key >> 1].next[key & 1]) {
            const int32_t id = key >> 1;
            if (graph->contacts[id].color < 0 || !is_met_first(f, key) || !is_inside(f, id, number)) continue;
            press_contact* c = &press->contacts[press->contact_count++];
            *c = take_contact(f, id, number);
            c->first = press->row_count;
            press->row_count += c->count;
            if (c->side[0] == B2D_NONE || c->side[1] == B2D_NONE) continue;
            const int32_t low = b2d_min_int(c->side[0], c->side[1]), high = b2d_max_int(c->side[0], c->side[1]);
            press->bodies[high].first = b2d_min_int(press->bodies[high].first, low);
        }
    int32_t size = 0;
    for (int32_t row = 0; row < press->unknowns; row++) {
        const int32_t column = 3 * press->bodies[row / 3].first;
        press->row_start[row] = size - column;
        size += row + 1 - column;
    }
    press->rows = b2d_arena_take(solver->arena, (size_t)(press->row_count + 1) * sizeof *press->rows);
    for (int32_t k = 0; k < 2; k++) {
        press->states[k] = b2d_arena_take(solver->arena, 2 * (size_t)(press->row_count + 1));
        press->factors[k] = b2d_arena_take(solver->arena, (size_t)size * sizeof(double));
        if (press->states[k] == NULL || press->factors[k] == NULL) return false;
        press->factored[k] = press->states[k] + press->row_count + 1;
    }
    if (press->rows == NULL) return false;
    for (int32_t k = 0; k < press->contact_count; k++) place_rows(solver, press, &press->contacts[k]);
    (void)set_limits(solver, press);
    FOR_ROWS (press, c, row, normal) {
        const bool slides = !normal && fabs(row->impulse) >= row->limit;
        row->kept[0] = row->kept[1] = row->impulse;
        row->state = row->impulse == 0.0 || row->limit==0.0 && !normal ? OPEN : !slides ? PUSHES : row->impulse < 0.0 ? SLIDES_UP : SLIDES_DOWN;
        press->states[0][row - press->rows] = press->states[1][row - press->rows] = (uint8_t)row->state;
    }
    return true;
}

static void switch_off(const b2d_solver* solver, const b2d_press* press) {
    for (int32_t k = 0; k < press->contact_count; k++) {
        const press_contact* c = &press->contacts[k];
        b2d_contact_block* block = &solver->graph->blocks[c->block];
        for (int32_t j = 0; j < 2; j++) {
            block->point[j].initial_separation[c->lane] = B2D_DEAD_POINT;
            block->point[j].normal_impulse[c->lane] = block->point[j].tangent_impulse[c->lane] = 0.0f;
        }
        if (solver->graph->extras[c->block] != NULL) solver->graph->extras[c->block]->rolling_impulse[c->lane] = 0.0f;
    }
}

// What a contact carried in a press acts without the others of the press when it has left it.
static void forget_load(const b2d_solver* solver, int32_t contact) {
    int32_t lane;
    const b2d_contact_block* block = block_of(solver->graph, contact, &lane);
    const float a = solver->states[block->body_a[lane]].inverse_mass, b = solver->states[block->body_b[lane]].inverse_mass,
                load = b2d_max(block->point[0].normal_impulse[lane], block->point[1].normal_impulse[lane]);
    if (load * b2d_max(a, b) > MEETING * solver->restitution_threshold) b2d_contact_forget(solver->graph, contact);
}

static bool find_presses(const b2d_solver* solver, b2d_presses* presses) {
    const b2d_graph* graph = solver->graph;
    const int32_t most = b2d_bits_count(&graph->unlike_contacts);
    if (most == 0) return true;
    int32_t *heavy = b2d_arena_take(solver->arena, (size_t)most * sizeof *heavy), count = 0, bodies = 0;
    if (heavy == NULL) return false;
    B2D_FOR_BITS (&graph->unlike_contacts, id)
        if (is_heavy(solver, id)) heavy[count++] = id;
    if (count == 0) return true;
    finder f = {.solver = solver};
    f.place = b2d_arena_take(solver->arena, (size_t)(2 * graph->body_capacity + MOST_BODIES) * sizeof *f.place);
    presses->rows = b2d_arena_take(solver->arena, (size_t)count * sizeof *presses->rows);
    if (f.place == NULL || presses->rows == NULL) return false;
    memset(f.place, 0, (size_t)graph->body_capacity * sizeof *f.place);
    f.owner = f.place + graph->body_capacity;
    f.walk = f.owner + graph->body_capacity;
    for (int32_t k = 0; k < count && bodies < MOST_IN_STEP; k++) {
        const b2d_pair* pair = &graph->pairs[heavy[k]];
        if (f.place[pair->body_a] != 0 || f.place[pair->body_b] != 0) continue;
        if (!walk_from(&f, heavy[k], presses->count)) continue;
        if (!lay_out(&f, &presses->rows[presses->count], presses->count)) return false;
        bodies += f.walked;
        presses->count++;
    }
    return true;
}

bool b2d_presses_begin(const b2d_solver* solver, b2d_presses* presses) {
    b2d_bits* pressed = &solver->graph->pressed_contacts;
    *presses = (b2d_presses){NULL, 0};
    if (!find_presses(solver, presses)) {
        presses->count = 0;
        return false;
    }
    for (int32_t k = 0; k < presses->count; k++)
        for (int32_t i = 0; i < presses->rows[k].contact_count; i++)
            b2d_bits_unset(pressed, presses->rows[k].contacts[i].contact);
    B2D_FOR_BITS (pressed, id) forget_load(solver, id);
    b2d_bits_clear(pressed);
    for (int32_t k = 0; k < presses->count; k++) switch_off(solver, &presses->rows[k]);
    return true;
}

void b2d_presses_end(const b2d_solver* solver, b2d_presses* presses) {
    for (int32_t k = 0; k < presses->count; k++)
        for (int32_t i = 0; i < presses->rows[k].contact_count; i++) {
            const press_contact* c = &presses->rows[k].contacts[i];
            b2d_contact_block* block = &solver->graph->blocks[c->block];
            b2d_bits_set(&solver->graph->pressed_contacts, c->contact);
            b2d_extra_block* extra = solver->graph->extras[c->block];
            const press_row* row = presses->rows[k].rows + c->first;
            for (int32_t j = 0; j < 2; j++) {
                block->point[j].initial_separation[c->lane] = c->separation[j];
                if (!(c->points >> j & 1)) continue;
                block->point[j].normal_impulse[c->lane] = (float)row++->impulse;
                block->point[j].tangent_impulse[c->lane] = (float)row++->impulse;
            }
            if (extra != NULL && extra->rolling[c->lane] > 0.0f) extra->rolling_impulse[c->lane] = (float)row->impulse;
        }
    presses->count = 0;
}

b2d_press* b2d_press_at(const b2d_presses* presses, int32_t k) { return &presses->rows[k]; }
int32_t b2d_press_body(const b2d_press* press) { return press->bodies[0].id; }

// ---- Solving ----

// Sine and 1 - cosine of the angle that a body has turned since the step began, as in contact_wide.inl.
static void turn_series(double angle, double* sine, double* versine) {
    const double t = fmin(fmax(angle, -0.78539816339744831), 0.78539816339744831), t2 = t * t;
    *sine = t * (1.0 + t2 * (-1.0 / 6.0 + t2 / 120.0));
    *versine = t2 * (0.5 - t2 / 24.0);
}

static double separation_of(const b2d_solver* solver, const press_contact* c, int32_t j) {
    const b2d_contact_block* block = &solver->graph->blocks[c->block];
    const b2d_body_state *a = &solver->states[c->id[0]], *b = &solver->states[c->id[1]];
    const int32_t l = c->lane;
    const double arm_a = (double)block->point[j].normal_arm[l], arm_b = arm_a + (double)block->normal_arm_shift[l],
                 along_a = (double)block->point[j].along_normal[l],
                 along_b = along_a + (double)block->along_normal_shift[l];
    double sine_a, versine_a, sine_b, versine_b;
    turn_series((double)a->angle, &sine_a, &versine_a);
    turn_series((double)b->angle, &sine_b, &versine_b);
    return (double)c->separation[j] + (double)block->nx[l] * ((double)b->dx - (double)a->dx) +
           (double)block->ny[l] * ((double)b->dy - (double)a->dy) +
           (sine_b * arm_b - versine_b * (along_b + (double)block->radius_b[l])) -
           (sine_a * arm_a - versine_a * (along_a - (double)block->radius_a[l]));
}

static double bias_of(const b2d_solver* solver, double separation, bool fixed, bool relax) {
    const double push = (double)solver->push_speed;
    if (separation > 0.0) return separation * (double)solver->inverse_h;
    if (relax) return 0.0;
    const double depth = separation + REST_DEPTH * (double)solver->linear_slop;
    return fmax((double)solver->contact_soft[fixed].bias_rate * depth, -push);
}

// What does not change while the velocities are found: speeds of fixed sides, biases.
static void fill(const b2d_solver* solver, b2d_press* press, bool relax) {
    for (int32_t k = 0; k < press->contact_count; k++) {
        const press_contact* c = &press->contacts[k];
        const b2d_extra_block* extra = solver->graph->extras[c->block];
        press_row* row = press->rows + c->first;
        for (int32_t i = 0; i < c->count; i++) {
            row[i].known = 0.0;
            for (int32_t side = 0; side < 2; side++) {
                const b2d_body_state* s = &solver->states[c->id[side]];
                const double still[3] = {(double)s->vx, (double)s->vy, (double)s->w};
                for (int32_t axis = 0; axis < 3; axis++) {
                    const bool moves = c->side[side] != B2D_NONE && press->bodies[c->side[side]].mass[axis] > 0.0;
                    if (!moves) row[i].known += row[i].j[side][axis] * still[axis];
                }
            }
        }
        for (int32_t j = 0; j < 2; j++) {
            if (!(c->points >> j & 1)) continue;
            row->wanted = row->known + bias_of(solver, separation_of(solver, c, j), c->side[1] == B2D_NONE, relax);
            row++;
            row->wanted = row->known - (extra == NULL ? 0.0 : (double)extra->tangent_speed[c->lane]);
            row++;
        }
        if (row < press->rows + c->first + c->count) row->wanted = row->known;
        for (row = press->rows + c->first; row < press->rows + c->first + c->count; row++) {
            row->impulse = row->kept[relax];
        }
    }
}

static void load_bodies(const b2d_solver* solver, b2d_press* press) {
    for (int32_t k = 0; k < press->body_count; k++) {
        press_body* body = &press->bodies[k];
        const b2d_body_state* s = &solver->states[body->id];
        const double v[3] = {(double)s->vx, (double)s->vy, (double)s->w};
        for (int32_t i = 0; i < 3; i++) body->v[i] = v[i], body->free[i] = v[i] - body->change[i];
    }
}

static void store_bodies(const b2d_solver* solver, b2d_press* press) {
    for (int32_t k = 0; k < press->body_count; k++) {
        press_body* body = &press->bodies[k];
        b2d_body_state* s = &solver->states[body->id];
        for (int32_t i = 0; i < 3; i++) body->change[i] = body->mass[i] > 0.0 ? body->v[i] - body->free[i] : 0.0;
        if (body->mass[0] > 0.0) s->vx = (float)body->v[0];
        if (body->mass[1] > 0.0) s->vy = (float)body->v[1];
        if (body->mass[2] > 0.0) s->w = (float)body->v[2];
    }
}

static double speed_by(const b2d_press* press, const press_contact* c, const press_row* row, bool found) {
    double speed = 0.0;
    for (int32_t side = 0; side < 2; side++) {
        if (c->side[side] == B2D_NONE) continue;
        const press_body* body = &press->bodies[c->side[side]];
        const double* v = found ? press->found + 3 * c->side[side] : body->v;
        for (int32_t i = 0; i < 3; i++)
            if (body->mass[i] > 0.0) speed += row->j[side][i] * v[i];
    }
    return speed;
}

static int32_t state_at(const b2d_press* press, const press_row* row, double speed, bool normal) {
    if (normal) return speed < 0.0 ? PUSHES : OPEN;
    if (row->limit == 0.0) return OPEN;
    const double reach = row->limit / (press->scale * row->stiffness);
    return speed > reach ? SLIDES_UP : speed < -reach ? SLIDES_DOWN : STICKS;
}

static double impulse_at(const b2d_press* press, const press_row* row, double speed, int32_t state) {
    switch (state) {
    case OPEN: return 0.0;
    case SLIDES_UP: return -row->limit;
    case SLIDES_DOWN: return row->limit;
    default: return -press->scale * row->stiffness * speed;
    }
}

// Lower triangle of M + sum of stiffness J^T J over the rows in force.
static void assemble(b2d_press* press) {
    double* a = press->factors[press->relax];
    const int32_t last = press->unknowns - 1;
    memset(a, 0, (size_t)(press->row_start[last] + last + 1) * sizeof *a);
    for (int32_t k = 0; k < press->unknowns; k++) {
        const double mass = press->bodies[k / 3].mass[k % 3];
        a[press->row_start[k] + k] = mass > 0.0 ? mass : 1.0;
    }
    FOR_ROWS (press, c, row, normal) {
        (void)normal;
        if (row->state != PUSHES) continue;
        for (int32_t x = 0; x < 2; x++)
            for (int32_t y = 0; y < 2; y++) {
                if (c->side[x] == B2D_NONE || c->side[y] == B2D_NONE || c->side[y] > c->side[x]) continue;
                for (int32_t i = 0; i < 3; i++)
                    for (int32_t j = 0; j < 3; j++) {
                        const int32_t at = 3 * c->side[x] + i, column = 3 * c->side[y] + j;
                        if (column > at || press->bodies[c->side[x]].mass[i] == 0.0 ||
                            press->bodies[c->side[y]].mass[j] == 0.0)
                            continue;
                        a[press->row_start[at] + column] += press->scale * row->stiffness * row->j[x][i] * row->j[y][j];
                    }
            }
    }
}

// L L^T in the envelope.
static void factor(b2d_press* press) {
    for (int32_t r = 0; r < press->unknowns; r++) {
        double* row = press->factors[press->relax] + press->row_start[r];
        const int32_t first = 3 * press->bodies[r / 3].first;
        for (int32_t c = first; c <= r; c++) {
            const double* other = press->factors[press->relax] + press->row_start[c];
            double sum = row[c];
            for (int32_t k = b2d_max_int(first, 3 * press->bodies[c / 3].first); k < c; k++) sum -= row[k] * other[k];
            row[c] = c < r ? sum / other[c] : sqrt(fmax(sum, 1.0e-300));
        }
    }
}

static void substitute(b2d_press* press) {
    double* x = press->found;
    memcpy(x, press->right, (size_t)press->unknowns * sizeof *x);
    for (int32_t r = 0; r < press->unknowns; r++) {
        const double* row = press->factors[press->relax] + press->row_start[r];
        for (int32_t k = 3 * press->bodies[r / 3].first; k < r; k++) x[r] -= row[k] * x[k];
        x[r] /= row[r];
    }
    for (int32_t r = press->unknowns; r-- > 0;) {
        const double* row = press->factors[press->relax] + press->row_start[r];
        x[r] /= row[r];
        for (int32_t k = 3 * press->bodies[r / 3].first; k < r; k++) x[k] -= row[k] * x[r];
    }
}

// The minimum of the function if the states of all rows stayed as they are.
static void find(b2d_press* press) {
    bool same = press->has_factor[press->relax];
    uint8_t* factored = press->factored[press->relax];
    for (int32_t k = 0; k < press->row_count; k++) {
        const uint8_t in_force = press->rows[k].state == PUSHES;
        same = same && factored[k] == in_force;
        factored[k] = in_force;
    }
    if (!same) assemble(press), factor(press);
    press->has_factor[press->relax] = true;
    for (int32_t k = 0; k < press->unknowns; k++) {
        const press_body* body = &press->bodies[k / 3];
        const double mass = body->mass[k % 3];
        press->right[k] = mass > 0.0 ? mass * body->free[k % 3] : body->v[k % 3];
    }
    FOR_ROWS (press, c, row, normal) {
        (void)normal;
        const double impulse = row->state == PUSHES ? -press->scale * row->stiffness * row->bias : impulse_at(press, row, 0.0, row->state);
        if (impulse == 0.0) continue;
        for (int32_t side = 0; side < 2; side++)
            for (int32_t i = 0; i < 3; i++)
                if (c->side[side] != B2D_NONE && press->bodies[c->side[side]].mass[i] > 0.0)
                    press->right[3 * c->side[side] + i] += impulse * row->j[side][i];
    }
    substitute(press);
}

// Derivative of the function along the search, at v + t (found - v).
static double derivative(const b2d_press* press, double t) {
    double sum = 0.0;
    for (int32_t k = 0; k < press->unknowns; k++) {
        const press_body* body = &press->bodies[k / 3];
        const double v = body->v[k % 3], d = press->found[k] - v;
        sum += body->mass[k % 3] * d * (v + t * d - body->free[k % 3]);
    }
    FOR_ROWS (press, c, row, normal) {
        const double speed = row->speed + t * row->slope;
        sum -= impulse_at(press, row, speed, state_at(press, row, speed, normal)) * row->slope;
    }
    return sum;
}

// By how much a speed is outside of the range of a state.
static double outside(const b2d_press* press, const press_row* row, double speed, bool normal) {
    const double reach = normal ? 0.0 : row->limit / (press->scale * row->stiffness);
    switch (row->state) {
    case OPEN: return normal ? fmax(-speed, 0.0) : 0.0;
    case PUSHES: return normal ? fmax(speed, 0.0) : fmax(fabs(speed) - reach, 0.0);
    case SLIDES_UP: return fmax(reach - speed, 0.0);
    default: return fmax(reach + speed, 0.0);
    }
}

// Sets the states at v + t (found - v). Returns the energy by which those before were wrong.
static double move_states(b2d_press* press, double t) {
    double error = 0.0;
    FOR_ROWS (press, c, row, normal) {
        const double speed = row->speed + t * row->slope, wrong = outside(press, row, speed, normal);
        error += 0.5 * press->scale * row->stiffness * wrong * wrong;
        row->state = state_at(press, row, speed, normal);
        row->impulse = impulse_at(press, row, speed, row->state);
    }
    return error;
}

// The place of the minimum along the search, in [0, 1]: the derivative grows with t.
static double search(const b2d_press* press) {
    double low = 0.0, high = 1.0;
    if (!(derivative(press, 1.0) > 0.0)) return 1.0;
    for (int32_t k = 0; k < 24; k++) {
        const double t = 0.5 * (low + high);
        if (derivative(press, t) > 0.0) high = t;
        else low = t;
    }
    return high;
}

static void go(b2d_press* press, double t) {
    for (int32_t k = 0; k < press->unknowns; k++) {
        double* v = &press->bodies[k / 3].v[k % 3];
        *v += t * (press->found[k] - *v);
    }
}

// Begins at the minimum for the states of the last pass of the same kind, which mostly are the right ones.
static void minimise(b2d_press* press) {
    for (int32_t k = 0; k < press->row_count; k++) {
        press_row* row = &press->rows[k];
        row->state = press->states[press->relax][k];
    }
    for (int32_t round = 0; round < MOST_ROUNDS; round++) {
        find(press);
        FOR_ROWS (press, c, row, normal) {
            (void)normal;
            row->speed = row->bias + speed_by(press, c, row, false);
            row->slope = row->bias + speed_by(press, c, row, true) - row->speed;
        }
        const bool right = move_states(press, 1.0) < press->tolerance;
        const double t = right ? 1.0 : round == 0 ? 0.0 : search(press);
        if (t < 1.0) (void)move_states(press, t);
        go(press, t);
        if (getenv("PDEBUG")) fprintf(stderr,"  round %d t %g right %d\n",round,t,right);
        if (!right && round==MOST_ROUNDS-1 && getenv("PDEBUG")) fprintf(stderr,"UNCONVERGED\n");
        if (right) break;
    }
    for (int32_t k = 0; k < press->row_count; k++) press->states[press->relax][k] = (uint8_t)press->rows[k].state;
}

static void track_peaks(const b2d_solver* solver, const b2d_press* press) {
    for (int32_t k = 0; k < press->contact_count; k++) {
        const press_contact* c = &press->contacts[k];
        b2d_extra_block* extra = solver->graph->extras[c->block];
        const press_row* row = press->rows + c->first;
        for (int32_t j = 0; extra != NULL && j < 2; j++) {
            if (!(c->points >> j & 1)) continue;
            extra->peak_impulse[j][c->lane] = b2d_max(extra->peak_impulse[j][c->lane], (float)row->impulse);
            row += 2;
        }
    }
}

static bool is_finite(const b2d_press* press) {
    double sum = 0.0;
    for (int32_t k = 0; k < press->unknowns; k++) sum += fabs(press->bodies[k / 3].v[k % 3]);
    return sum < 1.0e300;
}

void b2d_press_pass(const b2d_solver* solver, b2d_press* press, int32_t pass) {
    const bool relax = pass == B2D_PASS_RELAX;
    if (pass == B2D_PASS_CLEAR)
        for (int32_t k = 0; k < press->body_count; k++) memset(press->bodies[k].change, 0, sizeof press->bodies[k].change);
    if (pass != B2D_PASS_SOLVE && !relax) return;
    press->relax = relax;
    load_bodies(solver, press);
    fill(solver, press, relax);
    press->tolerance = 0.0;
    for (int32_t k = 0; k < press->body_count; k++) {
        const press_body* b = &press->bodies[k];
        const b2d_vec2 g = b2d_gravity_of(solver, b->id);
        press->tolerance += b->mass[0] * (1e-8 * (double)(solver->h * solver->h * (g.x * g.x + g.y * g.y)) + 1e-10*(b->free[0]*b->free[0]+b->free[1]*b->free[1]));
    }
    for (int32_t limits = 0; limits < MOST_LIMITS; limits++) {
        (void)set_limits(solver, press);
        if (limits == 1) FOR_ROWS (press, c, row, normal) if (!normal && (row->limit > 0.0 || solver->graph->blocks[c->block].friction[c->lane] > 0.0f)) row->limit = 1e30;
        double error = 0.0;
        for (int32_t k = 0; k < press->row_count; k++) {
            press_row* row = &press->rows[k];
            row->before = row->impulse;
            row->bias = row->stiffness > 0.0 ? row->wanted - row->impulse / row->stiffness : row->wanted;
        }
        minimise(press);
        for (int32_t k = 0; k < press->row_count; k++) {
            const press_row* row = &press->rows[k];
            if (row->stiffness > 0.0) error = fmax(error, fabs(row->impulse - row->before) / row->stiffness);
        }
        if (getenv("PDEBUG")) fprintf(stderr,"pass %d limits %d error %g\n",pass,limits,error);
        if (error < (double)b2d_x[3]) break;
    }
    for (int32_t k = 0; k < press->row_count; k++) press->rows[k].kept[relax] = press->rows[k].impulse;
    if (!is_finite(press)) return;
    store_bodies(solver, press);
    track_peaks(solver, press);
}
