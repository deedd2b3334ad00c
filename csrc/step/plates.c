// csrc/step/plates.c - which bodies search for thin obstacles in the way of wider movers.
//
// Shapes that overlap are pushed apart along the shorter way. So nothing is missed while the centres of two bodies do
// not pass each other in one step: while they move against each other by less than both half widths. Past a compact
// body a mover slides anyway; a plate holds it at all its places, and is passed most easily.
// Idea: to search the broad phase for all that is so fast costs more than the rest of a step in scenes where all is
// (docs/decisions/continuous.md). But plates are few, and hardly a pair moves so far against each other: a pile falls
// as one. So motions are compared first: of a plate with the box of the motions of all movers, then with those near it,
// which are found in bins. Only a plate that a mover may cross searches, and only the movers near it, in the same bins.
// Few movers among many plates, which may be asleep, search the broad phase themselves.
// Threads: plates look through the bins in parallel. Proof: tests/physics/test_plates.py.
#include "step/plates.h"

#include "broadphase/proxies.h"
#include "step/continuous.h"
#include "step/keys.h"

#include <math.h>
#include <string.h>

static bool is_free(const b2d_body* body) { return body->type == B2D_DYNAMIC && body->joint_count == 0; }

bool b2d_moves_past(const b2d_world* world, int32_t a, int32_t b) {
    const b2d_body_state* states = (const b2d_body_state*)world->states.data;
    const b2d_body* bodies = world->graph.bodies;
    const float motion = b2d_length(b2d_v(states[a].dx - states[b].dx, states[a].dy - states[b].dy)) +
                         b2d_abs(states[a].angle) * bodies[a].extent + b2d_abs(states[b].angle) * bodies[b].extent;
    return motion > bodies[a].min_extent + bodies[b].min_extent;
}

bool b2d_crosses(const b2d_world* world, int32_t fast, int32_t plate) {
    const b2d_body* bodies = world->graph.bodies;
    return is_free(&bodies[fast]) && b2d_bits_has(&world->plates, plate) &&
           bodies[plate].min_extent < bodies[fast].min_extent && b2d_moves_past(world, fast, plate);
}

typedef struct row { // a body in this step
    double x, y;     // at its beginning
    float dx, dy, turn, half, extent;
    int32_t body;
} row;

static row row_of(const b2d_world* world, int32_t id) {
    const b2d_pose* pose = (const b2d_pose*)world->poses.data + id;
    const b2d_body_state* state = (const b2d_body_state*)world->states.data + id;
    const b2d_body* body = &world->graph.bodies[id];
    const b2d_vec2 center = b2d_pose_center(pose);
    const float back = b2d_bits_has(&world->scratch->finalize_workers[0].fast, id) ? 0.0f : 1.0f; // it has moved
    return (row){.x = pose->x + (double)(center.x - back * state->dx),
                 .y = pose->y + (double)(center.y - back * state->dy),
                 .dx = state->dx,
                 .dy = state->dy,
                 .turn = b2d_abs(state->angle) * body->extent,
                 .half = body->min_extent,
                 .extent = body->extent,
                 .body = id};
}

typedef struct motions { // of a set of bodies: the least and the greatest
    b2d_vec2 low, high;
    float turn, extent, narrowest;
} motions;

static motions no_motions(void) {
    const float none = 3.0e38f;
    return (motions){.low = {none, none}, .high = {-none, -none}, .narrowest = none};
}

static void include(motions* all, const row* r) {
    all->low = b2d_v(b2d_min(all->low.x, r->dx), b2d_min(all->low.y, r->dy));
    all->high = b2d_v(b2d_max(all->high.x, r->dx), b2d_max(all->high.y, r->dy));
    all->turn = b2d_max(all->turn, r->turn), all->extent = b2d_max(all->extent, r->extent);
    all->narrowest = b2d_min(all->narrowest, r->half);
}

// Rounded so that no pair is lost for which b2d_moves_past is true.
static bool is_longer(b2d_vec2 motion, float least) {
    return least < 0.0f || 1.001f * b2d_dot(motion, motion) > least * least;
}

// Whether the body may move against one of the others by more than both half widths, `half` of the other at least.
static bool may_pass(const row* r, const motions* others, float half) {
    const b2d_vec2 farthest = b2d_v(b2d_max(r->dx - others->low.x, others->high.x - r->dx),
                                    b2d_max(r->dy - others->low.y, others->high.y - r->dy));
    return is_longer(farthest, half + r->half - others->turn - r->turn);
}

// How far the bodies move at most, along an axis.
static float reach_of(const motions* all) {
    const b2d_vec2 most = b2d_v(b2d_max(b2d_abs(all->low.x), b2d_abs(all->high.x)),
                                b2d_max(b2d_abs(all->low.y), b2d_abs(all->high.y)));
    return b2d_max(most.x, most.y) + all->turn;
}

// Those that may cross one of the plates, in the order of ids, so that those of a cell are neighbours.
static int32_t list_movers(const b2d_world* world, const motions* plates, row* movers) {
    const b2d_finalize_worker* found = &world->scratch->finalize_workers[0];
    int32_t count = 0;
    for (int32_t w = 0; w < found->fast.word_count && w < found->passing.word_count; w++)
        for (uint64_t left = found->fast.words[w] | found->passing.words[w]; left != 0; left &= left - 1) {
            const int32_t id = 64 * w + b2d_ctz64(left);
            const b2d_body* body = &world->graph.bodies[id];
            if (!is_free(body) || body->min_extent <= plates->narrowest) continue;
            movers[count] = row_of(world, id);
            count += may_pass(&movers[count], plates, plates->narrowest) && !b2d_moves_far(world, id);
        }
    return count;
}

// Few movers search themselves, for plates that rest or are awake. Returns how far these move.
static float let_movers_search(const b2d_world* world, row* movers, b2d_bits* searchers) {
    motions plates = {.narrowest = 0.0f};
    for (int32_t w = 0; w < world->plates.word_count && w < world->graph.awake.word_count; w++)
        for (uint64_t left = world->plates.words[w] & world->graph.awake.words[w]; left != 0; left &= left - 1) {
            const row plate = row_of(world, 64 * w + b2d_ctz64(left));
            include(&plates, &plate);
        }
    plates.narrowest = 0.0f;
    const int32_t count = list_movers(world, &plates, movers);
    for (int32_t k = 0; k < count; k++) b2d_bits_set(searchers, movers[k].body);
    return reach_of(&plates);
}

typedef struct bins { // of the movers of a cell: squares, one for each mover on average
    row* movers;      // bin by bin, along x first
    int32_t* starts;  // of the movers in each bin, and the end of the last
    int32_t count[2]; // of the bins along x and y
    double low[2], per_length;
    float slop;
    const motions* all; // of the movers
    const row* plates;
    bool* crossed;           // plates
    b2d_key_list* key_lists; // of the workers
} bins;

static int32_t bin_along(const bins* b, int32_t axis, double at) {
    const double k = (at - b->low[axis]) * b->per_length;
    return k > 0.0 ? k < (double)(b->count[axis] - 1) ? (int32_t)k : b->count[axis] - 1 : 0;
}

static int32_t bin_of(const bins* b, const row* r) {
    return bin_along(b, 1, r->y) * b->count[0] + bin_along(b, 0, r->x);
}

// False: no memory.
static bool sort_movers(bins* b, b2d_arena* arena, const row* movers, int32_t count) {
    double low[2] = {1.0e300, 1.0e300}, high[2] = {-1.0e300, -1.0e300};
    for (int32_t k = 0; k < count; k++) {
        low[0] = b2d_min(low[0], movers[k].x), high[0] = b2d_max(high[0], movers[k].x);
        low[1] = b2d_min(low[1], movers[k].y), high[1] = b2d_max(high[1], movers[k].y);
    }
    const double width = high[0] - low[0], height = high[1] - low[1], n = (double)count,
                 side = b2d_max(sqrt(width * height / n), b2d_max(width, height) / n);
    b->per_length = side > 0.0 ? 1.0 / side : 0.0;
    b->low[0] = low[0], b->low[1] = low[1];
    b->count[0] = (int32_t)(width * b->per_length) + 1, b->count[1] = (int32_t)(height * b->per_length) + 1;
    const int32_t bin_count = b->count[0] * b->count[1]; // at most 3 n + 1
    const size_t ends = (size_t)bin_count + 2;
    b->movers = b2d_arena_take(arena, (size_t)count * sizeof *b->movers + ends * sizeof *b->starts);
    if (b->movers == NULL) return false;
    b->starts = (int32_t*)(b->movers + count);
    memset(b->starts, 0, ends * sizeof *b->starts);
    for (int32_t k = 0; k < count; k++) b->starts[bin_of(b, &movers[k]) + 2]++;
    for (int32_t k = 2; k < bin_count + 2; k++) b->starts[k] += b->starts[k - 1];
    for (int32_t k = 0; k < count; k++) b->movers[b->starts[bin_of(b, &movers[k]) + 1]++] = movers[k];
    return true;
}

static bool may_cross(const row* mover, const row* plate, float slop) {
    const b2d_vec2 motion = b2d_v(plate->dx - mover->dx, plate->dy - mover->dy);
    const float least = plate->half + mover->half - plate->turn - mover->turn;
    if (mover->half <= plate->half || (least > 0.0f && b2d_dot(motion, motion) <= least * least)) return false;
    const b2d_vec2 apart = b2d_v((float)(plate->x - mover->x), (float)(plate->y - mover->y));
    const float reach = 1.001f * (mover->extent + plate->extent) + slop;
    if (b2d_abs(apart.x) > reach + b2d_abs(motion.x) || b2d_abs(apart.y) > reach + b2d_abs(motion.y)) return false;
    return b2d_nearest(apart, motion) <= reach;
}

// Whether the two may meet if one of them stops on its way: then they also meet off the straight way of the motion.
static bool may_meet(const row* mover, const row* plate, float slop) {
    const b2d_vec2 motion = b2d_v(plate->dx - mover->dx, plate->dy - mover->dy);
    if (mover->half <= plate->half || !is_longer(motion, plate->half + mover->half - plate->turn - mover->turn))
        return false;
    const float x = (float)(plate->x - mover->x), y = (float)(plate->y - mover->y),
                reach = 1.001f * (mover->extent + plate->extent) + slop;
    return x + b2d_min(plate->dx, 0.0f) - b2d_max(mover->dx, 0.0f) <= reach &&
           b2d_min(mover->dx, 0.0f) - b2d_max(plate->dx, 0.0f) - x <= reach &&
           y + b2d_min(plate->dy, 0.0f) - b2d_max(mover->dy, 0.0f) <= reach &&
           b2d_min(mover->dy, 0.0f) - b2d_max(plate->dy, 0.0f) - y <= reach;
}

// Looks for a mover that may cross the plate; or lists all that may meet it.
static bool look(const bins* b, const row* plate, b2d_key_list* pairs) {
    const double at[2] = {plate->x, plate->y};
    const float d[2] = {plate->dx, plate->dy}, low[2] = {b->all->low.x, b->all->low.y},
                high[2] = {b->all->high.x, b->all->high.y}, reach = 1.001f * (plate->extent + b->all->extent) + b->slop;
    int32_t first[2], last[2];
    for (int32_t k = 0; k < 2; k++) {
        const float below = pairs == NULL ? b2d_max(high[k] - d[k], 0.0f)
                                          : b2d_max(high[k], 0.0f) - b2d_min(d[k], 0.0f),
                    above = pairs == NULL ? b2d_max(d[k] - low[k], 0.0f) : b2d_max(d[k], 0.0f) - b2d_min(low[k], 0.0f);
        first[k] = bin_along(b, k, at[k] - (double)(reach + 1.001f * below));
        last[k] = bin_along(b, k, at[k] + (double)(reach + 1.001f * above));
    }
    for (int32_t y = first[1]; y <= last[1]; y++) {
        const int32_t *starts = b->starts + y * b->count[0], end = starts[last[0] + 1];
        for (int32_t m = starts[first[0]]; m < end; m++) {
            const row* mover = &b->movers[m];
            if (pairs == NULL && may_cross(mover, plate, b->slop)) return true;
            if (pairs != NULL && may_meet(mover, plate, b->slop))
                b2d_key_list_push(pairs, (uint64_t)(uint32_t)plate->body << 32 | (uint32_t)mover->body);
        }
    }
    return false;
}

static void look_through(void* context, int32_t begin, int32_t end, int32_t worker) {
    const bins* b = context;
    for (int32_t k = begin; k < end; k++) {
        b->crossed[k] = look(b, &b->plates[k], NULL);
        if (b->crossed[k]) (void)look(b, &b->plates[k], &b->key_lists[worker]);
    }
}

// The plates that a mover may cross. Returns their number.
static int32_t list_plates(const b2d_world* world, row* plates, motions* of_plates) {
    const float widest = world->scratch->finalize_workers[0].widest;
    int32_t count = 0;
    B2D_FOR_BITS (&world->plates, id) {
        if (world->graph.bodies[id].min_extent >= widest) continue;
        plates[count] = row_of(world, id);
        include(of_plates, &plates[count++]);
    }
    return count;
}

// Before many movers, each plate that one of them may cross searches. False: no memory.
static bool let_plates_search(b2d_world* world, row* movers, b2d_bits* searchers, b2d_crossings* out) {
    enum { GRAIN = 32 };
    const b2d_cells* cells = &world->graph.cells;
    b2d_arena* arena = &world->scratch->arena;
    const size_t room = (size_t)b2d_bits_count(&world->plates) + 1;
    row* plates = b2d_arena_take(arena, room * (sizeof *plates + sizeof(bool)));
    if (plates == NULL) return false;
    b2d_world_clear_keys(world);
    motions of_movers = no_motions(), of_plates = of_movers;
    const int32_t all = list_plates(world, plates, &of_plates), count = list_movers(world, &of_plates, movers);
    for (int32_t k = 0; k < count; k++) include(&of_movers, &movers[k]);
    int32_t plate_count = 0;
    for (int32_t k = 0; k < all && count > 0; k++)
        if (may_pass(&plates[k], &of_movers, b2d_max(of_movers.narrowest, plates[k].half)))
            plates[plate_count++] = plates[k];
    for (int32_t p = 0, m = 0, p_end, m_end; p < plate_count; p = p_end, m = m_end) {
        const int32_t cell = b2d_cell_of_body(cells, plates[p].body);
        for (p_end = p; p_end < plate_count && b2d_cell_of_body(cells, plates[p_end].body) == cell;) p_end++;
        while (m < count && b2d_cell_of_body(cells, movers[m].body) < cell) m++;
        for (m_end = m; m_end < count && b2d_cell_of_body(cells, movers[m_end].body) == cell;) m_end++;
        if (m == m_end) continue;
        bins b = {.plates = plates + p,
                  .crossed = (bool*)(plates + room),
                  .all = &of_movers,
                  .key_lists = world->scratch->key_lists,
                  .slop = 5.0f * b2d_linear_slop(world)}; // as b2d_swept_box
        if (!sort_movers(&b, arena, movers + m, m_end - m)) return false;
        b2d_parallel_for(world->scheduler, look_through, &b, p_end - p, GRAIN);
        for (int32_t k = p; k < p_end; k++)
            if (b.crossed[k - p]) b2d_bits_set(searchers, plates[k].body);
    }
    out->reach = plate_count > 0 ? reach_of(&of_movers) : 0.0f;
    out->pairs = b2d_world_join_keys(world, &out->count);
    return out->pairs != NULL;
}

// Whether the widest mover is wider than a plate.
static bool has_thin_plates(const b2d_world* world) {
    const b2d_finalize_worker* found = &world->scratch->finalize_workers[0];
    if (found->narrowest < found->widest) return true;
    for (int32_t w = 0; w < world->plates.word_count && w < world->graph.awake.word_count; w++)
        for (uint64_t left = world->plates.words[w] & ~world->graph.awake.words[w]; left != 0; left &= left - 1)
            if (world->graph.bodies[64 * w + b2d_ctz64(left)].min_extent < found->widest) return true;
    return false;
}

b2d_crossings b2d_list_plates(b2d_world* world, b2d_bits* searchers) {
    enum { MANY = 32 }; // to search the broad phase takes as long as to look at so many plates
    const b2d_finalize_worker* found = &world->scratch->finalize_workers[0];
    b2d_crossings out = {.reach = 0.0f};
    if (found->movers == 0) return out;
    const bool few = (int64_t)MANY * found->movers < b2d_bits_count(&world->plates);
    if (!few && !has_thin_plates(world)) return out;
    const size_t room = (size_t)b2d_bits_count(&found->fast) + (size_t)b2d_bits_count(&found->passing) + 1;
    row* movers = b2d_arena_take(&world->scratch->arena, room * sizeof *movers);
    if (movers != NULL && few) out.reach = let_movers_search(world, movers, searchers);
    if (movers == NULL || (!few && !let_plates_search(world, movers, searchers, &out))) world->step_failed = true;
    out.reach = b2d_bits_is_empty(searchers) ? 0.0f : b2d_max(out.reach, 1.0e-30f);
    return out;
}
