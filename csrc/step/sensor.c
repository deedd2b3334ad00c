// csrc/step/sensor.c - sensor events: finds the shapes that overlap sensors at their final poses.
//
// Idea: a sensor has no proxy in the broad phase and no contacts; it queries the broad phase. All pairs of a sensor and
// a visitor form one sorted list of rows. Merging the old list with the new one gives begin events, end events and the
// rows of destroyed shapes. A sensor at rest queries only moving shapes: its other visitors stay until one of them
// changes (`sensor_changes`). When nothing is awake and nothing has changed, the list stays as it is without any work.
// A fast body that has already left the sensor is found by its sweep. The filter function of the user is called for
// each new row, in the order of the list; a refused row stays in the list, but is not reported.
// Threads: sensors run in parallel and add keys to the list of each worker; the keys are joined and radix-sorted; the
// merge is serial.
// Proof: tests/physics/test_sensors.py, and validate(), which computes the list again.
#include "step/sensor.h"

#include "base/lower_bound.h"
#include "broadphase/proxies.h"
#include "objects/callback.h"
#include "objects/contact.h"
#include "objects/proxy.h"
#include "step/keys.h"
#include "step/motion.h"

#include <stdlib.h>
#include <string.h>

typedef struct swept_shape { // a shape of a fast body
    b2d_box box;
    float reach; // the greatest max_x of this box and all boxes before it
    int32_t shape;
    const b2d_motion* motion;
} swept_shape;

typedef struct sensor_job {
    b2d_world* world;
    const int32_t* sensors;
    const swept_shape* swept; // sorted by min_x
    int32_t swept_count;
    bool search_all; // a shape at rest has changed, so no sensor may keep its old rows
} sensor_job;

typedef struct visit {
    const sensor_job* job;
    int32_t sensor;
    b2d_box box;              // tight
    const b2d_motion* motion; // motion of the sensor's body if that is fast, else NULL
    int32_t first, last;      // the range of its old rows
    b2d_key_list* keys;
} visit;

static b2d_box tight_box(b2d_world* world, int32_t shape, const b2d_pose* pose) {
    const b2d_shape_hot* hot = &world->shapes_hot[shape];
    return b2d_shape_box(hot, b2d_world_second(world, hot), pose);
}

static bool cores_overlap(b2d_world* world, int32_t shape_a, int32_t shape_b) {
    const b2d_shape_hot *a = &world->shapes_hot[shape_a], *b = &world->shapes_hot[shape_b];
    b2d_proxy core_a = b2d_shape_proxy(a, b2d_world_second(world, a)),
              core_b = b2d_shape_proxy(b, b2d_world_second(world, b));
    b2d_transform b_in_a = b2d_pose_relative(b2d_world_pose(world, a->body), b2d_world_pose(world, b->body));
    return b2d_shape_distance(&core_a, &core_b, b_in_a).distance <= 0.0f;
}

// Both tests decide, because at a distance of about a nanometre they round differently.
bool b2d_world_shapes_overlap(b2d_world* world, int32_t shape_a, int32_t shape_b) {
    const b2d_box a = tight_box(world, shape_a, b2d_world_pose(world, world->shapes_hot[shape_a].body)),
                  b = tight_box(world, shape_b, b2d_world_pose(world, world->shapes_hot[shape_b].body));
    return b2d_box_overlaps(a, b) && cores_overlap(world, shape_a, shape_b);
}

bool b2d_world_sensor_accepts(const b2d_world* world, int32_t sensor, int32_t visitor) {
    return world->proxies.proxy_class[visitor] != B2D_PROXY_NONE &&
           (world->shapes[visitor].flags & B2D_SHAPE_FLAG_SENSOR_EVENTS) &&
           world->shapes_hot[visitor].body != world->shapes_hot[sensor].body &&
           b2d_world_filter_allows(world, sensor, visitor);
}

static uint64_t key_of(int32_t sensor, int32_t visitor) {
    return (uint64_t)(uint32_t)sensor << 32 | (uint64_t)(uint32_t)visitor << 1;
}

// The first row of the sorted list whose key is not below `key`.
int32_t b2d_overlap_find(const b2d_overlaps* list, uint64_t key) {
    return list->count == 0 ? 0 : b2d_lower_bound(&list->rows->key, sizeof *list->rows, list->count, key);
}

static bool row_is_valid(const b2d_world* world, const b2d_overlap* row) {
    return world->shape_generations[b2d_overlap_sensor(row)] == row->generation_sensor &&
           world->shape_generations[b2d_overlap_visitor(row)] == row->generation_visitor;
}

// Whether the result of the user's filter for a row that is in both lists is still valid: neither shape has changed.
static bool unchanged(const b2d_world* world, const b2d_overlap* row) {
    return !b2d_bits_has(&world->sensor_changes, b2d_overlap_sensor(row)) &&
           !b2d_bits_has(&world->sensor_changes, b2d_overlap_visitor(row));
}

static void add_overlap(const visit* v, int32_t visitor, bool swept) {
    b2d_key_list_push(v->keys, key_of(v->sensor, visitor) | (swept ? B2D_OVERLAP_SWEPT : 0));
}

static bool visit_shape(void* context, int32_t visitor) {
    const visit* v = context;
    b2d_world* world = v->job->world;
    if (!b2d_world_sensor_accepts(world, v->sensor, visitor)) return true;
    b2d_box box = tight_box(world, visitor, b2d_world_pose(world, world->shapes_hot[visitor].body));
    if (b2d_box_overlaps(v->box, box) && cores_overlap(world, v->sensor, visitor)) add_overlap(v, visitor, false);
    return true;
}

// Keeps the rows of the last step whose visitors are at rest and unchanged.
static void keep_old(const visit* v) {
    b2d_world* world = v->job->world;
    for (int32_t k = v->first; k < v->last; k++) {
        const b2d_overlap* row = &world->overlaps.rows[k];
        int32_t visitor = b2d_overlap_visitor(row);
        uint8_t class = world->proxies.proxy_class[visitor];
        if ((class != B2D_PROXY_STATIC && class != B2D_PROXY_ASLEEP) || !row_is_valid(world, row)) continue;
        if (row->key & B2D_OVERLAP_SWEPT) visit_shape((void*)v, visitor);
        else if (b2d_world_sensor_accepts(world, v->sensor, visitor)) add_overlap(v, visitor, false);
    }
}

// The sweep of a body, relative to the position of `origin`.
static b2d_sweep sweep_of(b2d_world* world, int32_t body, const b2d_motion* motion, const b2d_pose* origin) {
    const b2d_pose* pose = motion != NULL ? &motion->start : b2d_world_pose(world, body);
    b2d_vec2 at = {(float)(pose->x - origin->x), (float)(pose->y - origin->y)};
    b2d_sweep sweep = {.local_center = {pose->cx, pose->cy}, .q1 = {pose->c, pose->s}};
    sweep.c1 = sweep.c2 = b2d_add(at, b2d_pose_center(pose));
    if (motion == NULL) return sweep;
    sweep.c2 = b2d_add(sweep.c1, b2d_v(motion->dx, motion->dy));
    sweep.angle = motion->angle;
    return sweep;
}

// Adds the pair if the shapes met during the motion. A visitor that was inside at the start of the step has left by
// now, so this is not a new visit; nor if the user's filter refused it and is not to be asked again.
static void visit_swept(const visit* v, int32_t visitor, const b2d_motion* motion) {
    b2d_world* world = v->job->world;
    const int32_t at = b2d_overlap_find(&world->overlaps, key_of(v->sensor, visitor));
    const b2d_overlap* old = at < v->last ? &world->overlaps.rows[at] : NULL;
    if (old != NULL && old->key == key_of(v->sensor, visitor) && row_is_valid(world, old) &&
        !(old->refused && !unchanged(world, old)))
        return;
    if (!b2d_world_sensor_accepts(world, v->sensor, visitor) || b2d_world_shapes_overlap(world, v->sensor, visitor))
        return;
    const b2d_shape_hot *a = &world->shapes_hot[v->sensor], *b = &world->shapes_hot[visitor];
    b2d_proxy core_a = b2d_shape_proxy(a, b2d_world_second(world, a)),
              core_b = b2d_shape_proxy(b, b2d_world_second(world, b));
    const b2d_pose* origin = b2d_world_pose(world, a->body);
    b2d_sweep sweep_a = sweep_of(world, a->body, v->motion, origin), sweep_b = sweep_of(world, b->body, motion, origin);
    b2d_toi toi = b2d_time_of_impact(&core_a, &sweep_a, &core_b, &sweep_b, 1.0f, b2d_linear_slop(world));
    if (toi.state == B2D_TOI_HIT || toi.state == B2D_TOI_OVERLAPPED) add_overlap(v, visitor, true);
}

static bool visit_still(void* context, int32_t visitor) {
    const visit* v = context;
    if (b2d_world_motion(v->job->world, v->job->world->shapes_hot[visitor].body) == NULL) visit_swept(v, visitor, NULL);
    return true;
}

static void visit_fast(const visit* v, b2d_box box) {
    const sensor_job* job = v->job;
    const b2d_cells* cells = &job->world->graph.cells;
    const int32_t cell = b2d_cell_of_body(cells, job->world->shapes_hot[v->sensor].body);
    int32_t low = 0, high = job->swept_count; // find the first box that begins beyond this one
    while (low < high) {
        int32_t middle = (low + high) / 2;
        if (job->swept[middle].box.min_x <= box.max_x) low = middle + 1;
        else high = middle;
    }
    for (int32_t k = low - 1; k >= 0 && job->swept[k].reach >= box.min_x; k--)
        if (b2d_box_overlaps(job->swept[k].box, box) && b2d_cell_of_body(cells, job->swept[k].motion->body) == cell)
            visit_swept(v, job->swept[k].shape, job->swept[k].motion);
}

// A box around all positions of a shape of a fast body during the step: the union of the boxes at both ends, grown by
// the distance by which a rotation may leave them.
static b2d_box swept_box(b2d_world* world, int32_t shape, const b2d_motion* motion) {
    const b2d_shape_hot* hot = &world->shapes_hot[shape];
    b2d_box from = tight_box(world, shape, &motion->start),
            to = tight_box(world, shape, b2d_world_pose(world, hot->body));
    b2d_box both = b2d_box_union(from, to);
    return b2d_box_grow(both,
                        hot->extent + world->graph.bodies[hot->body].extent * b2d_min(b2d_abs(motion->angle), 1.0f));
}

static void search_sensors(void* context, int32_t begin, int32_t end, int32_t worker) {
    const sensor_job* job = context;
    b2d_world* world = job->world;
    for (int32_t k = begin; k < end; k++) {
        int32_t sensor = job->sensors[k], body = world->shapes_hot[sensor].body;
        if (!(world->graph.bodies[body].flags & B2D_BODY_FLAG_ENABLED)) continue;
        visit v = {.job = job,
                   .sensor = sensor,
                   .keys = &world->scratch->key_lists[worker],
                   .motion = b2d_world_motion(world, body)};
        v.box = tight_box(world, sensor, b2d_world_pose(world, body));
        v.first = b2d_overlap_find(&world->overlaps, key_of(sensor, 0));
        v.last = b2d_overlap_find(&world->overlaps, key_of(sensor + 1, 0));
        bool at_rest = !job->search_all && !b2d_is_awake(&world->graph, body) &&
                       !b2d_bits_has(&world->sensor_changes, sensor);
        uint32_t moving = 1u << B2D_PROXY_MOVING, all = moving | 1u << B2D_PROXY_ASLEEP | 1u << B2D_PROXY_STATIC;
        if (at_rest) keep_old(&v);
        b2d_world_query_near(world, body, v.box, at_rest ? moving : all, visit_shape, &v);
        b2d_box box = v.motion == NULL ? v.box : swept_box(world, sensor, v.motion);
        visit_fast(&v, box);
        if (v.motion != NULL) b2d_world_query_near(world, body, box, all, visit_still, &v);
    }
}

static int compare_swept(const void* a, const void* b) {
    const swept_shape *x = a, *y = b;
    if (x->box.min_x != y->box.min_x) return x->box.min_x < y->box.min_x ? -1 : 1;
    return (x->shape > y->shape) - (x->shape < y->shape);
}

// Lists the shapes of fast bodies that have sensor events, sorted by min_x. False if there is no memory.
static bool list_swept(b2d_world* world, sensor_job* job) {
    int32_t room = 0, count = 0;
    for (int32_t k = 0; k < world->motion_count; k++) room += world->graph.bodies[world->motions[k].body].shape_count;
    swept_shape* rows = b2d_arena_take(&world->scratch->arena, (size_t)(room + 1) * sizeof *rows);
    if (rows == NULL) return false;
    for (int32_t k = 0; k < world->motion_count; k++) {
        const b2d_motion* motion = &world->motions[k];
        for (int32_t shape = world->graph.bodies[motion->body].shape_head; shape != B2D_NONE;
             shape = world->shapes[shape].next)
            if ((world->shapes[shape].flags & B2D_SHAPE_FLAG_SENSOR_EVENTS) &&
                world->proxies.proxy_class[shape] != B2D_PROXY_NONE)
                rows[count++] = (swept_shape){.box = swept_box(world, shape, motion), .shape = shape, .motion = motion};
    }
    qsort(rows, (size_t)count, sizeof *rows, compare_swept);
    for (int32_t k = 0; k < count; k++)
        rows[k].reach = k == 0 ? rows[k].box.max_x : b2d_max(rows[k - 1].reach, rows[k].box.max_x);
    job->swept = rows;
    job->swept_count = count;
    return true;
}

// Whether a visitor at rest is new or has changed.
static bool rest_changed(const b2d_world* world) {
    B2D_FOR_BITS (&world->sensor_changes, shape) {
        uint8_t class = world->proxies.proxy_class[shape];
        if ((class == B2D_PROXY_STATIC || class == B2D_PROXY_ASLEEP) &&
            (world->shapes[shape].flags & B2D_SHAPE_FLAG_SENSOR_EVENTS))
            return true;
    }
    return false;
}

static b2d_sensor_event event_of(const b2d_overlap* row) {
    return (b2d_sensor_event){row->generation_sensor, row->generation_visitor, b2d_overlap_sensor(row),
                              b2d_overlap_visitor(row)};
}

// Calls the user's filter for pairs that begin to overlap and for pairs with a changed shape. All other pairs keep the
// result of the last step.
static void filter(b2d_world* world, const b2d_overlaps* old, b2d_overlaps* now) {
    now->refused = 0;
    bool has_filter = b2d_world_has_call(world, B2D_CALL_FILTER);
    if (!has_filter && old->refused == 0) return;
    for (int32_t i = 0, j = 0; j < now->count; j++) {
        b2d_overlap* row = &now->rows[j];
        uint64_t key = row->key & ~B2D_OVERLAP_SWEPT;
        while (i < old->count && (old->rows[i].key & ~B2D_OVERLAP_SWEPT) < key) i++;
        const b2d_overlap* old_row = i < old->count && (old->rows[i].key & ~B2D_OVERLAP_SWEPT) == key ? &old->rows[i]
                                                                                                      : NULL;
        bool same = old_row != NULL && old_row->generation_sensor == row->generation_sensor &&
                    old_row->generation_visitor == row->generation_visitor;
        if (same && unchanged(world, row)) row->refused = old_row->refused;
        else
            row->refused = has_filter &&
                           !b2d_world_call_filter(world, b2d_overlap_sensor(row), b2d_overlap_visitor(row));
        now->refused += row->refused;
    }
}

// Turns the sorted keys into the new list and reports how it differs from the old one.
static bool publish(b2d_world* world, const uint64_t* keys, int32_t count) {
    b2d_overlaps *old = &world->overlaps, *now = &world->next_overlaps;
    b2d_sensor_events *begins = &world->sensor_begin_events, *ends = &world->sensor_end_events;
    if (!B2D_GROW(&world->memory, now->rows, now->capacity, count) ||
        !B2D_GROW(&world->memory, begins->rows, begins->capacity, count) ||
        !B2D_GROW(&world->memory, ends->rows, ends->capacity, old->count))
        return false;
    for (int32_t k = 0; k < count; k++) {
        b2d_overlap* row = &now->rows[k];
        row->key = keys[k];
        row->generation_sensor = world->shape_generations[b2d_overlap_sensor(row)];
        row->generation_visitor = world->shape_generations[b2d_overlap_visitor(row)];
        row->refused = false;
    }
    now->count = count;
    filter(world, old, now);
    int32_t i = 0, j = 0;
    while (i < old->count || j < now->count) {
        const b2d_overlap *old_row = i < old->count ? &old->rows[i] : NULL,
                          *new_row = j < now->count ? &now->rows[j] : NULL;
        uint64_t a = old_row != NULL ? old_row->key | B2D_OVERLAP_SWEPT : UINT64_MAX,
                 b = new_row != NULL ? new_row->key | B2D_OVERLAP_SWEPT : UINT64_MAX;
        bool same = a == b && old_row->generation_sensor == new_row->generation_sensor &&
                    old_row->generation_visitor == new_row->generation_visitor && old_row->refused == new_row->refused;
        if (!same && a <= b && !old_row->refused) ends->rows[ends->count++] = event_of(old_row);
        if (!same && b <= a && !new_row->refused) begins->rows[begins->count++] = event_of(new_row);
        i += a <= b;
        j += b <= a;
    }
    b2d_overlaps spare = *old;
    *old = *now;
    *now = spare;
    return true;
}

static bool update(b2d_world* world) {
    if (!b2d_world_update_broadphase(world)) return false;
    sensor_job job = {.world = world, .search_all = rest_changed(world)};
    int32_t count = b2d_bits_count(&world->sensors);
    int32_t* sensors = b2d_arena_take(&world->scratch->arena, (size_t)(count + 1) * sizeof *sensors);
    if (sensors == NULL || !list_swept(world, &job)) return false;
    b2d_bits_list(&world->sensors, 0, world->sensors.word_count, sensors);
    job.sensors = sensors;
    b2d_world_clear_keys(world);
    b2d_parallel_for(world->scheduler, search_sensors, &job, count, 8);
    int32_t found;
    uint64_t* keys = b2d_world_join_keys(world, &found);
    return keys != NULL && publish(world, keys, found);
}

bool b2d_world_update_sensors(b2d_world* world) {
    const bool senses = !b2d_bits_is_empty(&world->sensors) || world->overlaps.count > 0,
               changed = !b2d_bits_is_empty(&world->sensor_changes) || !b2d_bits_is_empty(&world->graph.awake),
               works = senses && changed;
    if (works && !update(world)) { // the old list and the changes stay, so the next step searches again
        world->step_failed = true;
        return true;
    }
    b2d_bits_clear(&world->sensor_changes);
    return works;
}
