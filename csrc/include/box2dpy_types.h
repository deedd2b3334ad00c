// csrc/include/box2dpy_types.h - the values and structs of the public C API; box2dpy.h has the functions.
#ifndef BOX2DPY_H_TYPES
#define BOX2DPY_H_TYPES
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
#define B2D_OPTION(NAME, name, ...) B2D_OPTION_##NAME,
#include "lists/options.def"
#undef B2D_OPTION
    B2D_OPTION_COUNT
};
enum {
#define B2D_BODY_PROPERTY(NAME, ...) B2D_BODY_##NAME,
#include "lists/body_properties.def"
#undef B2D_BODY_PROPERTY
    B2D_BODY_PROPERTY_COUNT
};
enum {
#define B2D_SHAPE_PROPERTY(NAME, ...) B2D_SHAPE_##NAME,
#include "lists/shape_properties.def"
#undef B2D_SHAPE_PROPERTY
    B2D_SHAPE_PROPERTY_COUNT
};
enum {
#define B2D_JOINT_PROPERTY(NAME, ...) B2D_JOINT_##NAME,
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
enum { B2D_PROFILE_FULL, B2D_PROFILE_STEP, B2D_PROFILE_OFF }; // B2D_OPTION_PROFILING: what b2d_profile tells
enum {
    B2D_BROADPHASE_AUTO,
#define B2D_BROADPHASE(NAME, name) B2D_BROADPHASE_##NAME,
#include "lists/broadphases.def"
#undef B2D_BROADPHASE
    B2D_BROADPHASE_COUNT
};
enum {
#define B2D_ISLANDS(NAME, name) B2D_ISLANDS_##NAME,
#include "lists/islands.def"
#undef B2D_ISLANDS
    B2D_ISLANDS_COUNT
};
enum {
#define B2D_SCHEDULE(NAME, name) B2D_SCHEDULE_##NAME,
#include "lists/schedules.def"
#undef B2D_SCHEDULE
    B2D_SCHEDULE_COUNT
};
enum {
#define B2D_WARM_START(NAME, name) B2D_WARM_START_##NAME,
#include "lists/warm_starts.def"
#undef B2D_WARM_START
    B2D_WARM_START_COUNT
};
enum { // bits of b2d_world_def.lab
#define B2D_LAB(SWITCH, VALUE, name, value) B2D_LAB_##SWITCH##_##VALUE,
#include "lists/lab.def"
#undef B2D_LAB
    B2D_LAB_COUNT
};
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
typedef struct b2d_state b2d_state; // see b2d_world_save
typedef struct b2d_scheduler b2d_scheduler;

typedef struct b2d_handle {
    uint64_t generation;
    int32_t index;
    int32_t kind; // B2D_KIND_*
} b2d_handle;

// The geometry of a shape, in body coordinates.
// * Circle: the centre x[0], y[0] and the radius.
// * Capsule: two points and the radius.
// * Segment: two points.
// * Polygon: `count` points and a rounding radius. The input may be in any order; the core stores and returns the
//   convex hull in counter-clockwise order.
// * Chain segment: two points, then the point before the first and the point after the second. Only its right side
//   collides.
typedef struct b2d_geometry {
    int32_t type;
    int32_t count;
    float radius;
    float x[8], y[8];
} b2d_geometry;

typedef struct b2d_body_def {
    double x, y, angle;
    double vx, vy, angular_velocity;
#define B2D_BODY_PROPERTY(NAME, name, ...) double name;
#include "lists/body_numbers.def"
#undef B2D_BODY_PROPERTY
    int32_t type;
    bool awake, enabled;
#define B2D_BODY_PROPERTY(NAME, name, ...) bool name;
#include "lists/body_flags.def"
#undef B2D_BODY_PROPERTY
} b2d_body_def;

typedef struct b2d_shape_def {
    double density;
#define B2D_SHAPE_PROPERTY(NAME, name, ...) double name;
#include "lists/shape_surface.def"
#undef B2D_SHAPE_PROPERTY
    uint64_t category, mask;
    int32_t group;
    int32_t material;
    uint32_t color;
    double one_way_x, one_way_y; // direction of the solid side, body axes, any length; zero: all sides are solid
    bool sensor, update_mass;
#define B2D_SHAPE_PROPERTY(NAME, name, ...) bool name;
#include "lists/shape_flags.def"
#undef B2D_SHAPE_PROPERTY
} b2d_shape_def;

// Frames are in body coordinates, relative to the origin of the body and not to its centre of mass.
// b2d_joint_def_init sets all values of the type to their defaults, those that must be given to NaN. Values that the
// type does not have are ignored.
typedef struct b2d_joint_def {
    int32_t type;
    double ax, ay, angle_a; // frame on body A
    double bx, by, angle_b; // frame on body B
    b2d_handle joint[2];    // of a gear: the two coupled joints, which also determine its bodies
    double value[96][2];    // by B2D_JOINT_*: a number, a flag or a pair
} b2d_joint_def;

typedef struct b2d_world_def {
    double options[B2D_OPTION_COUNT];
    int32_t workers; // ignored if `scheduler` is given
    int32_t simd;    // B2D_SIMD_*, or -1 for the best that the CPU has
    int32_t broadphase, narrowphase;
    int32_t islands, schedule; // B2D_ISLANDS_*, B2D_SCHEDULE_*
    int32_t warm_start;        // B2D_WARM_START_*; B2D_OPTION_WARM_STARTING says whether there is any
    uint32_t lab;              // bits 1 << B2D_LAB_*, of the experiments of csrc/lab
    b2d_scheduler* scheduler;  // a shared pool of threads, or NULL; the world holds a reference to it
} b2d_world_def;

// Bodies with their shapes and joints, to be placed many times. Shapes are in the order of their bodies, joints in that
// of the later of their two bodies.
typedef struct b2d_template {
    int32_t body_count, shape_count, joint_count;
    double origin[2];           // the point that goes to the position of a copy
    const b2d_body_def* bodies; // in world coordinates, as the joints
    const double* masses;       // four for each body: mass, inertia, centre of mass; NaN: what the shapes give
    const int32_t* shape_bodies;
    const b2d_geometry* geometries;
    const b2d_shape_def* shapes;
    const int32_t* joint_bodies; // two for each joint
    const int32_t* joint_joints; // two for each joint: those that a gear couples, which come before it; else -1
    const b2d_joint_def* joints;
} b2d_template;

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

typedef struct b2d_log { // see b2d_world_log_take
    int64_t size;        // bytes
    uint64_t hash;       // after the last step
    double time;         // length of the steps together, s
    int32_t steps;
    bool incomplete; // something has changed that no log can hold
} b2d_log;

typedef struct b2d_replay { // see b2d_world_replay
    uint64_t hash;          // after the last step
    uint32_t calls;         // in and out: the callbacks that are assigned, as in b2d_world_set_callback
    int32_t steps;          // how many the log has
    bool equal;             // all hashes, answers and results of calls are those of the log
} b2d_replay;

// Events contain handles, so they remain valid after their objects have been destroyed.
typedef struct b2d_contact_event {
    uint64_t generation_a, generation_b, generation_contact;
    int32_t shape_a, shape_b, contact, unused;
} b2d_contact_event;

typedef struct b2d_body_event {
    uint64_t generation;
    int32_t body;
    int32_t fell_asleep;
} b2d_body_event;

typedef struct b2d_joint_event { // the force or torque of a joint exceeded its threshold at the end of the step
    uint64_t generation;
    int32_t joint, unused;
    double force, torque;
} b2d_joint_event;

typedef struct b2d_sensor_event {
    uint64_t generation_sensor, generation_visitor;
    int32_t sensor, visitor;
} b2d_sensor_event;

// The point and the speed at which two shapes hit each other, in world coordinates at the start of the step. The normal
// points from shape a to shape b.
typedef struct b2d_hit_event {
    uint64_t generation_a, generation_b, generation_contact;
    double point_x, point_y;
    float normal_x, normal_y;
    float approach_speed, impulse; // m/s; the greatest normal impulse of a substep, N s
    int32_t shape_a, shape_b, contact, unused;
} b2d_hit_event;

enum {
#define B2D_EVENT(KIND, ...) B2D_EVENT_##KIND,
#include "lists/events.def"
#undef B2D_EVENT
    B2D_EVENT_COUNT
};

// Callbacks run on the thread that steps, between stages, never on a worker. A callback may read the world; every call
// that would change it returns B2D_LOCKED.
// * Kinds below B2D_EVENT_COUNT: the events of that kind, with rows as in b2d_world_events. The result is ignored.
// * B2D_CALL_FILTER: one b2d_contact_event with contact -1. The result tells whether the two shapes may collide.
// * B2D_CALL_PRESOLVE: one b2d_contact_data. The result tells whether the contact is solved in this step. The callback
//   may write friction, restitution and tangent speed into the row, for this step only. In the continuous stage the
//   contact is -1, and these values have no effect.
// A negative result says that the callback failed. It counts as yes, no further callback is called in this step, and
// the step returns B2D_CALLBACK when it has run to its end.
enum { B2D_CALL_FILTER = B2D_EVENT_COUNT, B2D_CALL_PRESOLVE, B2D_CALL_COUNT };
typedef int32_t (*b2d_callback)(void* user, int32_t call, const void* rows, int32_t count);

// The state of a contact. The normal points from shape a to shape b. Points (world coordinates) and separations are
// those of the present poses. The normal and the impulses (N s) are those of the last substep: an impulse divided by
// the length of a substep is the force in it. force_x and force_y are the mean over the whole last step, N: the force
// on shape b, with all that stopped and threw back the bodies in it.
typedef struct b2d_contact_data {
    uint64_t generation, generation_a, generation_b;
    double px[2], py[2];
    float normal_x, normal_y;
    float separation[2], normal_impulse[2], tangent_impulse[2];
    float force_x, force_y;
    float friction, restitution, tangent_speed;
    float velocity_x[2], velocity_y[2]; // of the material of shape b relative to shape a at each point, m/s
    int32_t contact, shape_a, shape_b, body_a, body_b;
    int32_t point_count, feature[2], color; // color: 0 to 31, 32: overflow, -1: not solved now
    int32_t awake;
    int32_t persisted;          // it also touched at the end of the previous step
    int32_t persisted_point[2]; // the point also existed then
} b2d_contact_data;

// How a touching contact is solved in one staged step: b2d_staged_prepare.
typedef struct b2d_contact_edit {
    uint64_t generation;
    double friction, restitution, tangent_speed;
    int32_t contact;
    bool enabled; // false: the two shapes pass through each other in this step
} b2d_contact_edit;

// A contact of one point that the user adds to one staged step. The normal points from body a to body b; -1 stands for
// the fixed ground. The point is midway between the two surfaces. In a contact of a rounded surface that turns with its
// body, the radius says how far the surface is from the core that turns. Impulses: those to start from, N s; later
// those of the last substep.
typedef struct b2d_added_contact {
    double px, py;
    float normal_x, normal_y, separation, friction, restitution, rolling_resistance, tangent_speed, radius_a, radius_b;
    float normal_impulse, tangent_impulse, rolling_impulse;
    int32_t body_a, body_b;
} b2d_added_contact;

// Many bodies, shapes and joints at once, for drawing and inspection. Rows of destroyed bodies have type -1.
typedef struct b2d_body_data {
    int32_t type;
    int32_t island;                    // -1: none; static and disabled bodies have none
    bool awake, enabled, bullet, fast; // fast: swept by the continuous stage of the last step
    float sleep_timer;
} b2d_body_data;

typedef struct b2d_shape_data {
    uint64_t generation;
    int32_t shape, body;
    int32_t type, count; // B2D_CIRCLE and so on; vertices as in b2d_geometry
    float x[8], y[8];    // body coordinates
    float radius;
    uint32_t color;
    int32_t material;
    bool sensor, enabled; // enabled: whether its body is enabled
} b2d_shape_data;

typedef struct b2d_joint_data {
    uint64_t generation;
    double ax, ay, bx, by;                             // anchors in world coordinates
    double center_ax, center_ay, center_bx, center_by; // centres of mass of the bodies
    double ground_ax, ground_ay, ground_bx, ground_by; // of a pulley; otherwise the anchors
    double force_x, force_y, torque;                   // on body b in the last step
    float axis_x, axis_y;   // of a prismatic or wheel joint, otherwise the x axis of frame A; world axes
    float angle_a, angle_b; // of the frames, world axes
    float lower, upper;     // limits of the angle, translation or length
    int32_t joint, type, body_a, body_b;
    int32_t color; // 0 to 31, 32: overflow, -1: not solved now
    bool limited, motor, spring, awake;
} b2d_joint_data;

typedef struct b2d_box_data {
    double lower_x, lower_y, upper_x, upper_y;
    int32_t shape; // -1: a node of the search structure
    int32_t level; // height of the node, 0 for shapes
} b2d_box_data;
enum { B2D_BOXES_TIGHT, B2D_BOXES_FAT, B2D_BOXES_NODES, B2D_BOXES_COUNT };

// The values of contacts between two materials, which replace the values from the shapes. value[k] is used only if bit
// 1 << k of `given` is set.
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

// Which shapes a query finds, and the other keywords of queries; see the queries below.
typedef struct b2d_query_filter {
    uint64_t category, mask;
#define B2D_QUERY_OPTION(QUERY, NAME, name, type, ...) type name;
#include "lists/query_options.def"
#undef B2D_QUERY_OPTION
} b2d_query_filter;

// The shape that a ray cast, a shape cast or a nearest-shape query found.
typedef struct b2d_query_hit {
    uint64_t generation; // of the shape
    double px, py;       // on the surface, world coordinates
    double fraction;     // of the translation; for b2d_world_nearest the distance in metres
    float nx, ny;        // outward unit normal; zero if the two overlap at the start
    int32_t shape, body; // -1: nothing was found, and all other members are zero
} b2d_query_hit;

// One result of a batch of overlap queries. Results are sorted by query, then by shape.
typedef struct b2d_query_overlap {
    uint64_t generation;
    int32_t query, shape, body, unused;
} b2d_query_overlap;

// Geometries without a world. A pose is x, y, angle. Points are in world coordinates; normals point from a to b.
typedef struct b2d_distance_data {
    double ax, ay, bx, by; // closest points of the surfaces
    double distance;       // negative: the depth by which the rounded outlines overlap
    float nx, ny;          // zero if the outlines without their radii overlap
} b2d_distance_data;

typedef struct b2d_manifold_data {
    double point[4]; // x, y of each point, midway between the surfaces
    float nx, ny;
    float separation[2];
    int32_t feature[2];
    int32_t count, unused;
} b2d_manifold_data;

typedef struct b2d_geometry_hit { // of a ray or a moving geometry; all zero: no hit
    double px, py;                // on the surface
    double fraction;
    float nx, ny; // outward normal of the geometry that was hit
    bool hit;
} b2d_geometry_hit;

typedef struct b2d_geometry_motion {
    double x, y, angle;  // pose at fraction 0
    double dx, dy, turn; // translation of the centre and rotation up to fraction 1
    double cx, cy;       // the centre, in the shape's own coordinates
} b2d_geometry_motion;

enum { B2D_IMPACT_SEPARATED, B2D_IMPACT_HIT, B2D_IMPACT_OVERLAPPED, B2D_IMPACT_FAILED };
typedef struct b2d_impact_data {
    double fraction, px, py;
    float nx, ny;
    int32_t state, unused;
} b2d_impact_data;

// Tables by body index, which can be read without a copy.
enum { B2D_TABLE_POSE, B2D_TABLE_STATE, B2D_TABLE_COUNT };
typedef struct b2d_table {
    void* data;       // row 0: pose {double x, y; float cos, sin, center_x, center_y}, state {float vx, vy, w, ...}
    int32_t count;    // rows in use: the highest index of a live body plus one
    int32_t capacity; // rows
    int32_t stride;   // bytes from one row to the next
    uint32_t version; // changes whenever the table moves in memory
} b2d_table;

#endif
