// csrc/include/box2dpy.h - the public C API.
//
// box2dpy/_build.py reads it and box2dpy_trace.h as text for cffi: it drops the lines that start with # and expands the
// lists.
//
// Every call that can fail returns a status: its low byte is B2D_OK or what went wrong, the bytes above number the
// argument (B2D_ARG_*). On failure the world is unchanged. A handle is (index, generation). Units: metres, kilograms,
// seconds, radians.
// Threads: a world takes any number of readers or one writer; a busy world answers B2D_LOCKED and never waits.
#ifndef BOX2DPY_H
#define BOX2DPY_H
#include <stdint.h>
#include <stdbool.h>

typedef int32_t b2d_status;

enum {
#define B2D_STATUS(NAME, sentence) B2D_##NAME,
#include "lists/status.def"
#undef B2D_STATUS
    B2D_STATUS_COUNT
};
enum {
#define B2D_ARGUMENT(NAME, name) B2D_ARG_##NAME,
#include "lists/arguments.def"
#undef B2D_ARGUMENT
    B2D_ARG_COUNT
};
enum {
#define B2D_SIMD(NAME, name) B2D_SIMD_##NAME,
#include "lists/simd.def"
#undef B2D_SIMD
    B2D_SIMD_COUNT
};
enum {
#define B2D_MIXING(NAME, name) B2D_MIX_##NAME,
#include "lists/mixing.def"
#undef B2D_MIXING
    B2D_MIX_COUNT
};
enum {
#define B2D_OPTION(NAME, name, default_value, lower, upper) B2D_OPTION_##NAME,
#include "lists/options.def"
#undef B2D_OPTION
    B2D_OPTION_COUNT
};
enum {
#define B2D_BODY_PROPERTY(NAME, name, components, ARGUMENT, lower, upper) B2D_BODY_##NAME,
#include "lists/body_properties.def"
#undef B2D_BODY_PROPERTY
    B2D_BODY_PROPERTY_COUNT
};
enum {
#define B2D_SHAPE_PROPERTY(NAME, name, components) B2D_SHAPE_##NAME,
#include "lists/shape_properties.def"
#undef B2D_SHAPE_PROPERTY
    B2D_SHAPE_PROPERTY_COUNT
};
enum {
#define B2D_JOINT_PROPERTY(NAME, name, components) B2D_JOINT_##NAME,
#include "lists/joint_properties.def"
#undef B2D_JOINT_PROPERTY
    B2D_JOINT_PROPERTY_COUNT
};

enum { B2D_STATIC, B2D_KINEMATIC, B2D_DYNAMIC };
enum { B2D_CIRCLE, B2D_CAPSULE, B2D_SEGMENT, B2D_POLYGON, B2D_CHAIN_SEGMENT, B2D_GEOMETRY_COUNT };
enum {
#define B2D_JOINT_TYPE(NAME, name) B2D_##NAME,
#include "lists/joint_types.def"
#undef B2D_JOINT_TYPE
    B2D_JOINT_TYPE_COUNT
};
enum { B2D_BROADPHASE_AUTO, B2D_BROADPHASE_BRUTE, B2D_BROADPHASE_TREE, B2D_BROADPHASE_GRID, B2D_BROADPHASE_COUNT };
enum { B2D_NARROWPHASE_BATCHED, B2D_NARROWPHASE_PER_PAIR, B2D_NARROWPHASE_COUNT };
enum {
    B2D_KIND_BODY,
    B2D_KIND_SHAPE,
    B2D_KIND_JOINT,
    B2D_KIND_CONTACT,
    B2D_KIND_ISLAND,
    B2D_KIND_CHAIN,
    B2D_KIND_COUNT
};
enum { B2D_MAX_VERTICES = 8 };

typedef struct b2d_world b2d_world;
typedef struct b2d_scheduler b2d_scheduler;

typedef struct b2d_handle {
    uint64_t generation;
    int32_t index;
    int32_t kind; // B2D_KIND_*
} b2d_handle;

// Input and read-back form of every shape. Circle: x[0], y[0], radius. Capsule: two points and radius. Segment: two
// points.
// Polygon: count points in any order in, hull in counter-clockwise order out, and a rounding radius. Chain segment: two
// points, then the point before the first and the point after the second; it collides on the right of its direction.
typedef struct b2d_geometry {
    int32_t type;
    int32_t count;
    float radius;
    float x[8], y[8];
} b2d_geometry;

typedef struct b2d_body_def {
    double x, y, angle;
    double vx, vy, angular_velocity;
    double linear_damping, angular_damping, gravity_scale, sleep_threshold, safety_factor;
    int32_t type;
    bool can_sleep, awake, enabled, bullet, allow_fast_rotation, lock_x, lock_y, lock_rotation;
} b2d_body_def;

typedef struct b2d_shape_def {
    double density, friction, restitution, rolling_resistance, tangent_speed;
    uint64_t category, mask;
    int32_t group;
    int32_t material;
    uint32_t color;
    double one_way_x, one_way_y; // body axes, any length: the side on which others stand; zero: solid from all sides
    bool sensor, contact_events, hit_events, sensor_events, presolve, update_mass;
} b2d_shape_def;

// Frames are in body coordinates (of the origin, not the centre of mass). b2d_joint_def_init sets all values of the
// type to their defaults; those that the type does not have are ignored.
typedef struct b2d_joint_def {
    int32_t type;
    double ax, ay, angle_a; // frame on body A
    double bx, by, angle_b; // frame on body B
    b2d_handle joint[2];    // what a gear couples; its bodies are then those that they move
    double value[96][2];    // by B2D_JOINT_*: a number, flag or pair
} b2d_joint_def;

typedef struct b2d_world_def {
    double options[24]; // by B2D_OPTION_*
    int32_t workers;    // ignored when a scheduler is given
    int32_t simd;       // B2D_SIMD_* or -1 for the best
    int32_t broadphase, narrowphase;
    b2d_scheduler* scheduler; // shared, may be NULL; the world holds a reference
} b2d_world_def;

typedef struct b2d_counters {
#define B2D_COUNTER(name, meaning) int64_t name;
#include "lists/counters.def"
#undef B2D_COUNTER
} b2d_counters;

typedef struct b2d_profile {
#define B2D_PROFILE(name) double name;
#include "lists/profile.def"
#undef B2D_PROFILE
} b2d_profile;

// Events carry handles, so they stay meaningful when an object has died since.
typedef struct b2d_contact_event {
    uint64_t generation_a, generation_b, generation_contact;
    int32_t shape_a, shape_b, contact, unused;
} b2d_contact_event;

typedef struct b2d_body_event {
    uint64_t generation;
    int32_t body;
    int32_t fell_asleep;
} b2d_body_event;

typedef struct b2d_joint_event { // a joint's force or torque was above its threshold at the end of the step
    uint64_t generation;
    int32_t joint, unused;
    double force, torque;
} b2d_joint_event;

typedef struct b2d_sensor_event {
    uint64_t generation_sensor, generation_visitor;
    int32_t sensor, visitor;
} b2d_sensor_event;

// Where and how fast two shapes met, in world coordinates when the step began. Normal from shape a to shape b.
typedef struct b2d_hit_event {
    uint64_t generation_a, generation_b, generation_contact;
    double point_x, point_y;
    float normal_x, normal_y;
    float approach_speed, impulse; // m/s; greatest normal impulse of a substep, N s
    int32_t shape_a, shape_b, contact, unused;
} b2d_hit_event;

enum {
    B2D_EVENT_CONTACT_BEGIN,
    B2D_EVENT_CONTACT_END,
    B2D_EVENT_BODY_MOVE,
    B2D_EVENT_BODY_INVALID,
    B2D_EVENT_SENSOR_BEGIN,
    B2D_EVENT_SENSOR_END,
    B2D_EVENT_CONTACT_HIT,
    B2D_EVENT_JOINT_THRESHOLD,
    B2D_EVENT_COUNT
};

// Callbacks, on the thread that steps, between stages and never from a worker. Kinds below B2D_EVENT_COUNT: the events
// of that kind (rows as b2d_world_events gives them), the answer is ignored. B2D_CALL_FILTER: one b2d_contact_event,
// contact -1: may these two shapes meet. B2D_CALL_PRESOLVE: one b2d_contact_data: do its points count in this step;
// contact -1 in the continuous stage, else friction, restitution and tangent speed that are written into the row
// hold in this step. Inside, the thread may read the world; all that would change it answers B2D_LOCKED.
enum { B2D_CALL_FILTER = B2D_EVENT_COUNT, B2D_CALL_PRESOLVE, B2D_CALL_COUNT };
typedef int32_t (*b2d_callback)(void* user, int32_t call, const void* rows, int32_t count);

// A contact as the user sees it. Normal from shape a to shape b; points in world coordinates; impulses in N s of the
// last substep's warm start (force = impulse / substep length).
typedef struct b2d_contact_data {
    uint64_t generation, generation_a, generation_b;
    double px[2], py[2];
    float normal_x, normal_y;
    float separation[2], normal_impulse[2], tangent_impulse[2];
    float friction, restitution, tangent_speed;
    float velocity_x[2], velocity_y[2]; // of shape b's material relative to shape a's at each point, m/s
    int32_t contact, shape_a, shape_b, body_a, body_b;
    int32_t point_count, feature[2], color; // color: 0.., 32 = overflow, -1 = not solved now
    int32_t awake;
    int32_t persisted;          // it touched at the end of the step before, too
    int32_t persisted_point[2]; // that point was there
} b2d_contact_data;

// Bodies, shapes and joints in bulk, for drawing and for looking into a world. Dead rows of bodies have type -1.
typedef struct b2d_body_data {
    int32_t type;
    int32_t island;                    // -1: none, as of static and disabled bodies
    bool awake, enabled, bullet, fast; // fast: the continuous stage of the last step swept it
    float sleep_timer;
} b2d_body_data;

typedef struct b2d_shape_data {
    uint64_t generation;
    int32_t shape, body;
    int32_t type, count; // B2D_CIRCLE.., vertices as in b2d_geometry
    float x[8], y[8];    // body coordinates
    float radius;
    uint32_t color;
    int32_t material;
    bool sensor, enabled; // enabled: its body is
} b2d_shape_data;

typedef struct b2d_joint_data {
    uint64_t generation;
    double ax, ay, bx, by;                             // anchors in world coordinates
    double center_ax, center_ay, center_bx, center_by; // centres of mass of the bodies
    double ground_ax, ground_ay, ground_bx, ground_by; // of a pulley, else the anchors
    double force_x, force_y, torque;                   // on body b in the last step
    float axis_x, axis_y;   // of a prismatic or wheel joint, else frame A's x axis; world axes
    float angle_a, angle_b; // of the frames, world axes
    float lower, upper;     // limits of the angle, translation or length
    int32_t joint, type, body_a, body_b;
    int32_t color; // 0.., 32 = overflow, -1 = not solved now
    bool limited, motor, spring, awake;
} b2d_joint_data;

typedef struct b2d_box_data {
    double lower_x, lower_y, upper_x, upper_y;
    int32_t shape; // -1: a node of the search structure
    int32_t level; // height of the node, 0 for shapes
} b2d_box_data;
enum { B2D_BOXES_TIGHT, B2D_BOXES_FAT, B2D_BOXES_NODES, B2D_BOXES_COUNT };
// The values of contacts between two materials, in place of those that the shapes give. Bit 1 << k of `given` is set
// where value[k] counts.
enum {
    B2D_MATERIAL_FRICTION,
    B2D_MATERIAL_RESTITUTION,
    B2D_MATERIAL_ROLLING_RESISTANCE,
    B2D_MATERIAL_TANGENT_SPEED,
    B2D_MATERIAL_COUNT
};
typedef struct b2d_material_pair {
    int32_t a, b; // a <= b
    double value[4];
    int32_t given, unused;
} b2d_material_pair;

// The shape that a ray, a cast or a search for the nearest shape found.
typedef struct b2d_query_hit {
    uint64_t generation; // of the shape
    double px, py;       // on the surface, world coordinates
    double fraction;     // of the translation; b2d_world_nearest: metres
    float nx, ny;        // unit, out of the shape; zero when the two overlap at the start
    int32_t shape, body; // -1: nothing was found, and all the rest is zero
} b2d_query_hit;

// One shape that one of many overlap queries found; sorted by query, then by shape.
typedef struct b2d_query_overlap {
    uint64_t generation;
    int32_t query, shape, body, unused;
} b2d_query_overlap;

// Standalone geometry. A pose is x, y, angle. Points are in world coordinates, normals point from a to b.
typedef struct b2d_distance_data {
    double ax, ay, bx, by; // closest points of the surfaces
    double distance;       // negative: the rounded rims overlap by so much
    float nx, ny;          // zero when the cores overlap
} b2d_distance_data;

typedef struct b2d_manifold_data {
    double point[4]; // x, y of each, midway between the surfaces
    float nx, ny;
    float separation[2];
    int32_t feature[2];
    int32_t count, unused;
} b2d_manifold_data;

typedef struct b2d_geometry_hit { // of a ray or a moving geometry; all zero: none
    double px, py;                // on the surface
    double fraction;
    float nx, ny; // out of what was hit
    bool hit;
} b2d_geometry_hit;

typedef struct b2d_geometry_motion {
    double x, y, angle;  // pose at fraction 0
    double dx, dy, turn; // how far the centre moves and the shape turns by fraction 1
    double cx, cy;       // the centre, in the shape's own coordinates
} b2d_geometry_motion;

enum { B2D_IMPACT_SEPARATED, B2D_IMPACT_HIT, B2D_IMPACT_OVERLAPPED, B2D_IMPACT_FAILED };
typedef struct b2d_impact_data {
    double fraction, px, py;
    float nx, ny;
    int32_t state, unused;
} b2d_impact_data;

// Tables that may be viewed without a copy, by body index.
enum { B2D_TABLE_POSE, B2D_TABLE_STATE, B2D_TABLE_COUNT };
typedef struct b2d_table {
    void* data;       // row 0: pose {double x, y; float cos, sin, center_x, center_y}, state {float vx, vy, w, ...}
    int32_t count;    // rows in use: one more than the highest live index
    int32_t capacity; // rows
    int32_t stride;   // bytes a row
    uint32_t version; // changes whenever the table moves
} b2d_table;

// cpu and library
bool b2d_cpu_has(int32_t simd);
int32_t b2d_cpu_best(void);
int32_t b2d_cpu_count(void);
const char* b2d_compiler(void); // what built the core, with its version

// scheduler
b2d_status b2d_scheduler_create(int32_t workers, b2d_scheduler** out);
void b2d_scheduler_destroy(b2d_scheduler* scheduler); // gives back the maker's reference; the last one ends the threads
int32_t b2d_scheduler_workers(const b2d_scheduler* scheduler);

// geometry: validates and normalises in place (hull, counter-clockwise order, welding)
b2d_status b2d_geometry_check(b2d_geometry* geometry);
b2d_status b2d_make_box(double hx, double hy, double cx, double cy, double angle, double radius, b2d_geometry* out);
// Mass, inertia about the centre, centre
b2d_status b2d_geometry_mass_data(const b2d_geometry* geometry, double density, double out[4]);
// Min x, min y, max x, max y
b2d_status b2d_geometry_boxes(const b2d_geometry* geometry, int32_t n, const double* poses, double* out);
// Own coordinates
b2d_status b2d_geometry_contains(const b2d_geometry* geometry, int32_t n, const double* points, bool* out);
// Own coordinates
b2d_status b2d_geometry_ray_casts(const b2d_geometry* geometry, int32_t n, const double* origins,
                                  const double* translations, b2d_geometry_hit* out);
// The convex hull of n points (x, y pairs), counter-clockwise from the lowest x, then y; *count under 3: they have no
// area. Sorts `points` and drops some; `out` has room for n + 1.
b2d_status b2d_convex_hull(int32_t n, double* points, double* out, int32_t* count);
// Of n pairs, pair k is a[which_a[k]] and b[which_b[k]]; without `which` the first of each. The geometries are
// normalised in place where they are not normal yet. `poses`: of pair k the pose of a, then that of b.
b2d_status b2d_geometry_distances(b2d_geometry* a, int32_t count_a, const int32_t* which_a, b2d_geometry* b,
                                  int32_t count_b, const int32_t* which_b, int32_t n, const double* poses,
                                  b2d_distance_data* out);
b2d_status b2d_geometry_manifolds(b2d_geometry* a, int32_t count_a, const int32_t* which_a, b2d_geometry* b,
                                  int32_t count_b, const int32_t* which_b, int32_t n, const double* poses,
                                  double speculative_distance, b2d_manifold_data* out);
// Moves b
b2d_status b2d_geometry_casts(b2d_geometry* a, int32_t count_a, const int32_t* which_a, b2d_geometry* b,
                              int32_t count_b, const int32_t* which_b, int32_t n, const double* poses,
                              const double* translations, b2d_geometry_hit* out);
// Of a, then of b
b2d_status b2d_geometry_impacts(b2d_geometry* a, int32_t count_a, const int32_t* which_a, b2d_geometry* b,
                                int32_t count_b, const int32_t* which_b, int32_t n, const b2d_geometry_motion* motions,
                                b2d_impact_data* out);

// world
void b2d_world_def_init(b2d_world_def* def);
b2d_status b2d_world_create(const b2d_world_def* def, b2d_world** out);
b2d_status b2d_world_destroy(b2d_world* world);
b2d_status b2d_world_step(b2d_world* world, double dt, int32_t substeps);
// The step of a world in which nothing moves and nothing is to be reported. False: the world is not at rest or is busy,
// or an argument is wrong; nothing was done.
bool b2d_world_step_at_rest(b2d_world* world, double dt, int32_t substeps);
// `calls`: the wanted callbacks, bits 1 << call; NULL or 0: none. `assigned`: the call whose function has changed. A
// new filter function is called again for the pairs that the last one refused. A new presolve function wakes the
// bodies that sleep where the last one let them pass.
b2d_status b2d_world_set_callback(b2d_world* world, b2d_callback callback, void* user, uint32_t calls,
                                  int32_t assigned);
b2d_status b2d_world_get_option(b2d_world* world, int32_t option, double* value);
b2d_status b2d_world_set_option(b2d_world* world, int32_t option, double value);
// A pool of its own with this number of workers, or a shared pool. Between steps; no result depends on it.
b2d_status b2d_world_set_workers(b2d_world* world, int32_t workers);
b2d_status b2d_world_set_scheduler(b2d_world* world, b2d_scheduler* scheduler);
int32_t b2d_world_workers(b2d_world* world);
int32_t b2d_world_simd(b2d_world* world);
int32_t b2d_world_broadphase(b2d_world* world);
b2d_status b2d_world_counters(b2d_world* world, b2d_counters* out);
b2d_status b2d_world_profile(b2d_world* world, b2d_profile* out);
b2d_status b2d_world_hash(b2d_world* world, uint64_t* out);
b2d_status b2d_world_validate(b2d_world* world, char* message, int32_t room); // B2D_INVARIANT and a sentence, or B2D_OK
b2d_status b2d_world_reserve(b2d_world* world, int32_t bodies, int32_t shapes, int32_t contacts);
// Of all shapes: min x, min y, max x, max y; no shape: zeros
b2d_status b2d_world_bounds(b2d_world* world, double out[4]);
// Live handles of one kind in ascending id order; *count is the number there are, of which at most `room` are written.
b2d_status b2d_world_list(b2d_world* world, int32_t kind, b2d_handle* out, int32_t room, int32_t* count);
// A part of that list: at most `room` handles with ids from `from` on; *count is how many were written. *newest is set
// when it is 0; what is created after that call is left out, so that a walk in parts ends.
b2d_status b2d_world_list_from(b2d_world* world, int32_t kind, int32_t from, uint64_t* newest, b2d_handle* out,
                               int32_t room, int32_t* count);
b2d_status b2d_world_contacts(b2d_world* world, bool touching_only, b2d_contact_data* out, int32_t room,
                              int32_t* count);
// As b2d_world_contacts: all there are, ascending; bodies by id with dead rows between them.
b2d_status b2d_world_bodies(b2d_world* world, b2d_body_data* out, int32_t room, int32_t* count);
b2d_status b2d_world_shapes(b2d_world* world, b2d_shape_data* out, int32_t room, int32_t* count);
b2d_status b2d_world_joints(b2d_world* world, b2d_joint_data* out, int32_t room, int32_t* count);
// B2D_BOXES_*
b2d_status b2d_world_boxes(b2d_world* world, int32_t what, b2d_box_data* out, int32_t room, int32_t* count);
// Grows whenever b2d_world_shapes may answer otherwise
b2d_status b2d_world_shape_changes(b2d_world* world, uint32_t* out);
b2d_status b2d_world_events(b2d_world* world, int32_t event, const void** data, int32_t* count); // until the next step
// Room in bytes; nothing is written when they do not fit
b2d_status b2d_world_copy_events(b2d_world* world, int32_t event, void* out, int64_t room, int32_t* count);
// Whether each handle names a living object of the kind: bodies, shapes, joints, chains.
b2d_status b2d_world_living(b2d_world* world, int32_t kind, int32_t n, const uint64_t* generations,
                            const int32_t* indices, bool* out);
// Copies the chosen bodies' or all live bodies' AWAKE/TYPE/MASS property into doubles, by index; dead rows read zero.
b2d_status b2d_world_gather(b2d_world* world, int32_t body_property, double* out, int32_t rows, int32_t* count);
b2d_status b2d_world_table(b2d_world* world, int32_t table, b2d_table* out);
void* b2d_world_acquire_table(b2d_world* world, int32_t table); // reference for a view; NULL while empty
void b2d_shared_release(void* block);
// 0 = dead; valid until the kind's next creation
const uint64_t* b2d_world_generations(b2d_world* world, int32_t kind, int32_t* count);
uint32_t b2d_world_tables_version(b2d_world* world); // changes whenever any table or generation column moves
// Tests: the allocation after `after` more fails; negative = never
void b2d_world_fail_allocation(b2d_world* world, int64_t after);

// queries: readers, any number at once; they see what was changed since the last step. A shape is seen when (mask & its
// category) and (its mask & category); sensors and disabled bodies are not seen. Equal fractions: the lower shape id.
// Lists (room, count) as above. A ray that starts inside a shape, or is of no length, does not meet it; a cast that
// starts overlapping meets it at fraction 0. Sees all; else b2d_world_ray_casts
b2d_status b2d_world_ray_cast(b2d_world* world, double ox, double oy, double dx, double dy, b2d_query_hit* out);
// By fraction, then id
b2d_status b2d_world_ray_cast_all(b2d_world* world, double ox, double oy, double dx, double dy, uint64_t category,
                                  uint64_t mask, b2d_query_hit* out, int32_t room, int32_t* count);
b2d_status b2d_world_ray_cast_any(b2d_world* world, double ox, double oy, double dx, double dy, uint64_t category,
                                  uint64_t mask, bool* out);
b2d_status b2d_world_ray_casts(b2d_world* world, int32_t n, const double* origins, const double* translations,
                               uint64_t category, uint64_t mask, b2d_query_hit* out);
b2d_status b2d_world_shape_cast_all(b2d_world* world, const b2d_geometry* geometry, double x, double y, double angle,
                                    double dx, double dy, uint64_t category, uint64_t mask, b2d_query_hit* out,
                                    int32_t room, int32_t* count);
b2d_status b2d_world_shape_cast_any(b2d_world* world, const b2d_geometry* geometry, double x, double y, double angle,
                                    double dx, double dy, uint64_t category, uint64_t mask, bool* out);
// Angles may be NULL
b2d_status b2d_world_shape_casts(b2d_world* world, const b2d_geometry* geometry, int32_t n, const double* positions,
                                 const double* angles, const double* translations, uint64_t category, uint64_t mask,
                                 b2d_query_hit* out);
// Inside: distance 0, the point itself, no normal
b2d_status b2d_world_nearest(b2d_world* world, int32_t n, const double* points, double max_distance, uint64_t category,
                             uint64_t mask, b2d_query_hit* out);
b2d_status b2d_world_overlap_boxes(b2d_world* world, int32_t n, const double* lowers, const double* uppers,
                                   uint64_t category, uint64_t mask, b2d_query_overlap* out, int32_t room,
                                   int32_t* count);
b2d_status b2d_world_overlap_shapes(b2d_world* world, const b2d_geometry* geometry, int32_t n, const double* positions,
                                    const double* angles, uint64_t category, uint64_t mask, b2d_query_overlap* out,
                                    int32_t room, int32_t* count);
b2d_status b2d_world_overlap_points(b2d_world* world, int32_t n, const double* points, uint64_t category, uint64_t mask,
                                    b2d_query_overlap* out, int32_t room, int32_t* count);
// Pushes every dynamic body seen away from the centre: impulse_per_length times the width that the shape shows to the
// centre, at its nearest point, less where that is beyond the radius, none from radius + falloff on. A writer.
b2d_status b2d_world_explode(b2d_world* world, double x, double y, double radius, double falloff,
                             double impulse_per_length, uint64_t category, uint64_t mask);
// Forces for the next step on dynamic shapes that are seen; with `wake` on sleeping ones too, else these are left
// alone. Writers.
b2d_status b2d_shape_apply_wind(b2d_world* world, int32_t index, uint64_t generation, double x, double y,
                                double density, double drag, double lift, bool wake);
b2d_status b2d_world_apply_wind(b2d_world* world, double x, double y, double density, double drag, double lift,
                                bool wake, uint64_t category, uint64_t mask);
// A sharp polygon of water
b2d_status b2d_world_apply_buoyancy(b2d_world* world, const b2d_geometry* region, double x, double y, double angle,
                                    double density, double drag, double flow_x, double flow_y, bool wake,
                                    uint64_t category, uint64_t mask);

// bodies
void b2d_body_def_init(b2d_body_def* def);
b2d_status b2d_body_create(b2d_world* world, const b2d_body_def* def, b2d_handle* out);
// All else default
b2d_status b2d_body_create_at(b2d_world* world, int32_t type, double x, double y, double angle, b2d_handle* out);
// With its shapes, joints and chains, which it lists as they were. With too little room nothing is destroyed: *count
// says how many there are.
b2d_status b2d_body_destroy(b2d_world* world, int32_t index, uint64_t generation, b2d_handle* out, int32_t room,
                            int32_t* count);
b2d_status b2d_body_get(b2d_world* world, int32_t index, uint64_t generation, int32_t property, double* out);
b2d_status b2d_body_set(b2d_world* world, int32_t index, uint64_t generation, int32_t property, const double* in);
b2d_status b2d_body_apply_force(b2d_world* world, int32_t index, uint64_t generation, double fx, double fy,
                                bool at_point, double px, double py, bool wake);
b2d_status b2d_body_apply_torque(b2d_world* world, int32_t index, uint64_t generation, double torque, bool wake);
b2d_status b2d_body_apply_impulse(b2d_world* world, int32_t index, uint64_t generation, double jx, double jy,
                                  bool at_point, double px, double py, bool wake);
b2d_status b2d_body_apply_angular_impulse(b2d_world* world, int32_t index, uint64_t generation, double impulse,
                                          bool wake);
b2d_status b2d_body_set_target(b2d_world* world, int32_t index, uint64_t generation, double x, double y, double angle,
                               double dt);
b2d_status b2d_body_update_mass(b2d_world* world, int32_t index, uint64_t generation);
// Shapes, joints, contacts, touching bodies (KIND_BODY), its island (KIND_ISLAND)
b2d_status b2d_body_list(b2d_world* world, int32_t index, uint64_t generation, int32_t kind, b2d_handle* out,
                         int32_t room, int32_t* count);
// n bodies with one shape each in one call; angles and velocities (x, y pairs) may be NULL. Handles are written to
// out[n].
b2d_status b2d_bodies_create(b2d_world* world, const b2d_body_def* def, const b2d_geometry* geometry,
                             const b2d_shape_def* shape, int32_t n, const double* positions, const double* angles,
                             const double* velocities, b2d_handle* out);
// A property of n bodies, or a push of them, in one call: in row order as by the calls for one body, and none if a row
// is wrong. *row tells which. `in` and `out` hold the components of each body.
b2d_status b2d_bodies_get(b2d_world* world, int32_t n, const int32_t* indices, const uint64_t* generations,
                          int32_t property, double* out, int32_t* row);
b2d_status b2d_bodies_set(b2d_world* world, int32_t n, const int32_t* indices, const uint64_t* generations,
                          int32_t property, const double* in, int32_t* row);
// Forces or impulses, or, `turning`, torques or angular impulses; points: where forces act, or NULL
b2d_status b2d_bodies_push(b2d_world* world, int32_t n, const int32_t* indices, const uint64_t* generations,
                           bool turning, bool impulse, const double* values, const double* points, bool wake,
                           int32_t* row);

// shapes
void b2d_shape_def_init(b2d_shape_def* def);
b2d_status b2d_shape_create(b2d_world* world, int32_t body, uint64_t body_generation, const b2d_geometry* geometry,
                            const b2d_shape_def* def, b2d_handle* out);
b2d_status b2d_shape_destroy(b2d_world* world, int32_t index, uint64_t generation, bool update_mass);
b2d_status b2d_shape_get(b2d_world* world, int32_t index, uint64_t generation, int32_t property, double* out);
b2d_status b2d_shape_set(b2d_world* world, int32_t index, uint64_t generation, int32_t property, const double* in);
b2d_status b2d_shape_geometry(b2d_world* world, int32_t index, uint64_t generation, b2d_geometry* out);
b2d_status b2d_shape_set_geometry(b2d_world* world, int32_t index, uint64_t generation, const b2d_geometry* geometry,
                                  bool update_mass);
b2d_status b2d_shape_filter(b2d_world* world, int32_t index, uint64_t generation, uint64_t* category, uint64_t* mask,
                            int32_t* group);
b2d_status b2d_shape_set_filter(b2d_world* world, int32_t index, uint64_t generation, uint64_t category, uint64_t mask,
                                int32_t group);
b2d_status b2d_shape_body(b2d_world* world, int32_t index, uint64_t generation, b2d_handle* out);
b2d_status b2d_shape_chain(b2d_world* world, int32_t index, uint64_t generation, b2d_handle* out); // generation 0: none
// Of a sensor: the shapes in it at the last step
b2d_status b2d_shape_overlaps(b2d_world* world, int32_t index, uint64_t generation, b2d_handle* out, int32_t room,
                              int32_t* count);
b2d_status b2d_shape_contacts(b2d_world* world, int32_t index, uint64_t generation, b2d_handle* out, int32_t room,
                              int32_t* count);

// chains: one-sided segments along points, made and destroyed together
// X, y pairs
b2d_status b2d_chain_create(b2d_world* world, int32_t body, uint64_t body_generation, const double* points,
                            int32_t count, bool loop, const b2d_shape_def* def, b2d_handle* out);
b2d_status b2d_chain_destroy(b2d_world* world, int32_t index, uint64_t generation);
// Of its first segment
b2d_status b2d_chain_get(b2d_world* world, int32_t index, uint64_t generation, int32_t shape_property, double* out);
// Of all
b2d_status b2d_chain_set(b2d_world* world, int32_t index, uint64_t generation, int32_t shape_property,
                         const double* in);
b2d_status b2d_chain_filter(b2d_world* world, int32_t index, uint64_t generation, uint64_t* category, uint64_t* mask,
                            int32_t* group);
b2d_status b2d_chain_set_filter(b2d_world* world, int32_t index, uint64_t generation, uint64_t category, uint64_t mask,
                                int32_t group);
b2d_status b2d_chain_body(b2d_world* world, int32_t index, uint64_t generation, b2d_handle* out, bool* loop);
// Along the points
b2d_status b2d_chain_shapes(b2d_world* world, int32_t index, uint64_t generation, b2d_handle* out, int32_t room,
                            int32_t* count);

// joints
void b2d_joint_def_init(b2d_joint_def* def, int32_t type);
b2d_status b2d_joint_create(b2d_world* world, int32_t body_a, uint64_t generation_a, int32_t body_b,
                            uint64_t generation_b, const b2d_joint_def* def, b2d_handle* out);
b2d_status b2d_joint_destroy(b2d_world* world, int32_t index, uint64_t generation);
b2d_status b2d_joint_get(b2d_world* world, int32_t index, uint64_t generation, int32_t property, double* out);
b2d_status b2d_joint_set(b2d_world* world, int32_t index, uint64_t generation, int32_t property, const double* in);
b2d_status b2d_joint_bodies(b2d_world* world, int32_t index, uint64_t generation, b2d_handle* body_a,
                            b2d_handle* body_b, int32_t* type);

// materials: pairs of `material` numbers of shapes, in any order. Contacts follow at once, and what rests on a changed
// one is woken.
b2d_status b2d_world_set_material_pair(b2d_world* world, const b2d_material_pair* pair);
b2d_status b2d_world_remove_material_pair(b2d_world* world, int32_t a, int32_t b, bool* found);
// By a, then b
b2d_status b2d_world_material_pairs(b2d_world* world, b2d_material_pair* out, int32_t room, int32_t* count);

// contacts and islands
b2d_status b2d_contact_get(b2d_world* world, int32_t index, uint64_t generation, b2d_contact_data* out);
// Whether a[k] and b[k] touch now: handles of bodies or shapes in any mix; generation 0 stands for whatever lives at
// the index.
b2d_status b2d_world_touching(b2d_world* world, int32_t n, const b2d_handle* a, const b2d_handle* b, bool* out);
// Bodies, contacts, joints
b2d_status b2d_island_list(b2d_world* world, int32_t index, uint64_t generation, int32_t kind, b2d_handle* out,
                           int32_t room, int32_t* count);
// Splits every island that has pending removals, now
b2d_status b2d_world_split_islands(b2d_world* world, int32_t* made);

#endif
