// csrc/objects/world.h - the world: all of its tables. The operations are in the headers beside this one.
//
// Every API function locks the world with one atomic: any number of readers or one writer (api/entry.h).
#pragma once
#include "base/exact_sum.h"
#include "broadphase/broadphase.h"
#include "graph/partition.h"
#include "joints/measure.h"
#include "narrowphase/collide.h"
#include "objects/call_log.h"
#include "solver/direct.h"
#include "solver/lift.h"
#include "solver/loads.h"
#include "solver/settings.h"

#include <stdatomic.h>

typedef struct b2d_shape { // rarely used data, by shape id
    int32_t next, prev;    // neighbours in the list of shapes of the same body
    int32_t group;
    int32_t material;
    uint64_t category, mask;
    uint32_t color;
    float density;
    uint8_t type;     // B2D_CIRCLE ..
    uint8_t flags;    // B2D_SHAPE_FLAG_*
    b2d_vec2 one_way; // unit vector in body axes to the side on which others stand; zero: solid from all sides
} b2d_shape;
enum {
#define B2D_SHAPE_PROPERTY(NAME, ...) B2D_SHAPE_BIT_##NAME,
#include "lists/shape_flags.def"
#undef B2D_SHAPE_PROPERTY
};
enum {
    B2D_SHAPE_FLAG_SENSOR = 1,
    B2D_SHAPE_FLAG_ONE_WAY = 2,
    // Changed by the user since the last pair stage, on a static body: bodies that overlap it for the first time wake
    B2D_SHAPE_FLAG_CHANGED = 4,
#define B2D_SHAPE_PROPERTY(NAME, ...) B2D_SHAPE_FLAG_##NAME = 8 << B2D_SHAPE_BIT_##NAME,
#include "lists/shape_flags.def"
#undef B2D_SHAPE_PROPERTY
};

typedef struct b2d_chain {     // by chain id
    int32_t body, head, count; // segments, linked by b2d_chain_link
    bool loop;
} b2d_chain;
typedef struct b2d_chain_link { // by row of the table of second hulls, for rows of chain segments
    int32_t chain, next;        // its chain and the next segment, or B2D_NONE
} b2d_chain_link;

typedef struct b2d_contact_events {
    b2d_contact_event* rows;
    int32_t count, capacity;
} b2d_contact_events;
typedef struct b2d_sensor_events {
    b2d_sensor_event* rows;
    int32_t count, capacity;
} b2d_sensor_events;
typedef struct b2d_joint_events {
    b2d_joint_event* rows;
    int32_t count, capacity;
} b2d_joint_events;
typedef struct b2d_hit_events {
    b2d_hit_event* rows;
    int32_t count, capacity;
} b2d_hit_events;
typedef struct b2d_body_events {
    b2d_body_event* rows;
    int32_t count, capacity;
} b2d_body_events;

typedef struct b2d_material_rule { // one row of the table of material pairs, sorted by key
    uint64_t key;
    b2d_material_pair row;
} b2d_material_rule;
typedef struct b2d_override { // the values of one contact in this step, set by on_presolve
    uint64_t generation;
    int32_t contact;
    float friction, restitution, tangent_speed;
} b2d_override;
typedef struct b2d_overrides {
    b2d_override* rows;
    int32_t count, capacity;
} b2d_overrides;
typedef struct b2d_material_rules {
    b2d_material_rule* rows;
    int32_t count, capacity;
} b2d_material_rules;

// One pair of a sensor and a visitor. Lists are sorted by key: sensor << 32 | visitor << 1 | B2D_OVERLAP_SWEPT if only
// the sweep of a fast body found it.
typedef struct b2d_overlap {
    uint64_t key, generation_sensor, generation_visitor;
    bool refused; // refused by the user's filter when it began: it is not reported until the two have separated
} b2d_overlap;
#define B2D_OVERLAP_SWEPT 1ull
typedef struct b2d_clock {
    int64_t ticks; // when the clock of the system was read last, by the counter
    double now;    // and by that clock, ms
    double tick;   // ms; 0: not measured yet
} b2d_clock;

typedef struct b2d_overlaps {
    b2d_overlap* rows;
    int32_t count, capacity, refused;
} b2d_overlaps;
static inline int32_t b2d_overlap_sensor(const b2d_overlap* row) { return (int32_t)(row->key >> 32); }
static inline int32_t b2d_overlap_visitor(const b2d_overlap* row) { return (int32_t)((row->key & 0xFFFFFFFFu) >> 1); }

typedef struct b2d_balance {  // over all shapes of a body
    b2d_exact_sum mass, x, y; // x and y: mass times centre, in coordinates of the body
    int32_t body;
} b2d_balance;

typedef struct b2d_body_rest { // by body id, 16-byte aligned: since the sleep timer began
    float velocity[3];         // then: x, y, angular
    float change;              // m/s, its greatest change, of the farthest point
} b2d_body_rest;

// The contacts of each shape, see contact_index.h
typedef struct b2d_contact_index {
    int32_t *ends, *keys; // by shape: where its half-edges end; those of the shape before it end where they begin
    int32_t end_capacity, key_capacity;
    int32_t shapes;   // of which it has contacts; 0: it has never been built
    int64_t searched; // contacts that searches have visited in vain since it was built
    uint64_t links;   // graph.contact_links when it was built
} b2d_contact_index;

typedef struct b2d_cell_row { // what each cell of a packed world has, where an ordinary world has one of its own
    uint64_t split_generation;
    int32_t split_island; // candidate for a split, or B2D_NONE
    float split_timer;    // of the candidate, while it is chosen
    b2d_loads loads;
    bool invalid; // a body of it was no longer finite, since the cell was last restored
} b2d_cell_row;

typedef struct b2d_motion b2d_motion;   // step/motion.h
typedef struct b2d_scratch b2d_scratch; // objects/scratch.h

struct b2d_world {
    b2d_memory memory;
    atomic_int lock; // -1: a writer, n > 0: readers, B2D_LOCK_FLUSH: a reader that updates the broad phase
    double options[B2D_OPTION_COUNT];
    int32_t simd, broadphase_kind, narrowphase_kind, islands_kind, schedule_kind, warm_start_kind;
    uint32_t lab; // bits 1 << B2D_LAB_*; read by csrc/lab alone

    b2d_scheduler* scheduler;
    bool shares_scheduler;    // the user passed a scheduler
    b2d_scratch* scratch;     // leased for the length of a call (scratch.h)
    b2d_scratch* own_scratch; // kept between two calls, because it is large

    b2d_graph graph;

    b2d_id_pool body_ids;
    uint64_t* body_generations; // 0: the id is free
    int32_t body_generation_capacity;
    b2d_shared poses;  // b2d_pose
    b2d_shared states; // b2d_body_state, with one hidden row before row 0
    b2d_body_mass* masses;
    b2d_body_step* body_steps;
    b2d_body_rest* body_rests;
    // Bodies with many shapes that have changed: whose mass is not computed yet, which no call but those of shapes may
    // meet; and whose contacts and joints the next step tells about their mass. Both may have room for few ids.
    b2d_bits mass_due, mass_changed;
    // Of those among them that turn: what their centres of mass follow from. A call not of shapes drops them
    b2d_balance* balances;
    int32_t balance_capacity, balance_count;
    b2d_force_law* laws; // of the coming step, of bodies with B2D_BODY_FLAG_YIELDS
    int32_t mass_capacity, body_step_capacity, body_rest_capacity, law_capacity, law_rows;
    b2d_water* waters; // of the coming step
    int32_t water_capacity, water_count;
    atomic_ullong tables_state; // rows << 32 | version; read without the lock, written when a write ends
    atomic_ullong writes;       // calls that have changed the world, or may have; it follows tables_state

    b2d_id_pool shape_ids;
    uint64_t* shape_generations;
    b2d_shape_hot* shapes_hot;
    b2d_shape* shapes;
    int32_t shape_generation_capacity, shape_hot_capacity, shape_capacity;
    b2d_id_pool second_ids;
    b2d_hull4* second_hulls;
    b2d_chain_link* chain_links; // rows up to the greatest row of a chain segment
    int32_t second_capacity, chain_link_capacity;

    b2d_id_pool chain_ids;
    uint64_t* chain_generations;
    b2d_chain* chains;
    int32_t chain_generation_capacity, chain_capacity;

    b2d_proxies proxies;
    int32_t proxy_capacity[8], proxy_class_capacity, proxy_body_capacity; // capacities of the columns
    const b2d_broadphase_table* broadphase_table;
    b2d_broadphase* broadphase;
    bool broadphase_stale;                   // whether something has changed since the last update
    int32_t static_shapes;                   // number of static shapes in the broad phase
    const struct b2d_warm_start* warm_start; // step/warm_start.h
    const struct b2d_schedule* schedule;
    const b2d_island_table* island_table;

    b2d_cell_row* cell_rows;  // by cell of a packed world
    b2d_vec2* cell_gravities; // m/s^2
    int32_t cell_row_capacity, cell_gravity_capacity;

    int32_t split_island; // candidate for a split; dropped if its generation has changed
    uint64_t split_generation;
    b2d_loads loads;
    float last_dt; // length of the last step

    b2d_contact_index contact_index;
    b2d_material_rules material_rules;

    // generated: members for events, see tools/lists.py
    b2d_contact_events end_events;
    b2d_contact_events begin_events;
    b2d_hit_events hit_events;
    b2d_sensor_events sensor_end_events;
    b2d_sensor_events sensor_begin_events;
    b2d_joint_events joint_events;
    b2d_body_events move_events;
    b2d_body_events invalid_events;
    // end of generated
    // Contacts that ended because objects were destroyed between steps; delivered with the next step
    b2d_contact_events pending_end_events;
    bool hits_wanted;        // whether any shape has ever had hit events
    b2d_direct direct;       // the joints that are solved directly
    b2d_bits watched_joints; // joints with a threshold

    b2d_bits sensors;                     // shapes that are sensors
    b2d_bits sensor_changes;              // shapes created, changed or destroyed since the last sensor stage
    b2d_overlaps overlaps, next_overlaps; // of the last sensor stage, and the buffer for the next
    // Motions of the fast bodies with shapes that sensors may detect, by body, in the arena. NULL without sensors.
    b2d_motion* motions;
    int32_t motion_count;
    b2d_bits plates; // bodies that are neither static nor compact
    b2d_bits kinematics;
    b2d_bits swept; // bodies that the continuous stage of the last step swept
    // Counts changes of the appearance of shapes: creation, destruction, another geometry or property
    uint32_t shape_changes;

    b2d_callback callback; // NULL if there is none
    void* callback_user;
    uint32_t calls;               // bits 1 << B2D_CALL_*, B2D_EVENT_*
    _Atomic(const void*) calling; // the thread that may read during a step: in a callback, or between two stages
    bool callback_failed;         // in this step: no further calls, and all pairs are allowed
    int32_t reported_ends;        // number of contact ends of this step that were already reported
    // Keys of pairs that the user's filter refused and whose fat boxes have not separated since
    uint64_t* refused;
    int32_t refused_count, refused_capacity;
    int32_t refused_sorted; // the first refused_sorted keys are sorted; keys added in this stage follow
    b2d_overrides overrides;
    // Keys of the pairs of shapes that pass through each other in this step, sorted (b2d_staged_prepare)
    uint64_t* disabled;
    int32_t disabled_count, disabled_capacity;
    struct b2d_staged_step* staged; // of the thread that changes this (api/staged.c):
    atomic_int staged_state;        // whether a staged step is running, and a part of it
    // By contact id: the step in which the contact or a point of it last began, with bits for each (collide.h)
    uint32_t* begin_stamps;
    int32_t begin_stamp_capacity;

    b2d_call_log log;

    b2d_counters counters; // counters of the last step; others are computed when they are read
    b2d_profile profile;
    b2d_clock clock;  // how long a tick is
    int64_t lap;      // when the last stage ended, ticks
    b2d_profile laps; // of the step so far, ticks
    b2d_solve_costs solve_costs;
    bool step_failed;      // a stage of this step ran out of memory
    bool stepping;         // inside a step: contact ends go to end_events, otherwise to pending_end_events
    bool repair;           // a call was not completed for lack of memory; b2d_world_repair runs before the next step
    uint32_t caller_float; // the floating-point control word of the writer that holds the lock
};

static inline b2d_pose* b2d_world_pose(b2d_world* world, int32_t body) { return (b2d_pose*)world->poses.data + body; }
static inline b2d_body_state* b2d_world_state(b2d_world* world, int32_t body) {
    return (b2d_body_state*)world->states.data + body;
}
static inline b2d_loads* b2d_loads_of_cell(b2d_world* world, int32_t k) { // cell 0 of an ordinary world is all of it
    return world->graph.cells.count == 0 ? &world->loads : &world->cell_rows[k].loads;
}
static inline const b2d_hull4* b2d_world_second(const b2d_world* world, const b2d_shape_hot* hot) {
    return hot->second_hull == B2D_NONE ? NULL : &world->second_hulls[hot->second_hull];
}
static inline b2d_chain_link* b2d_world_chain_link(const b2d_world* world, int32_t shape) {
    return &world->chain_links[world->shapes_hot[shape].second_hull];
}
// B2D_NONE if the shape is not a chain segment
static inline int32_t b2d_world_chain_of(const b2d_world* world, int32_t shape) {
    return world->shapes_hot[shape].form == B2D_FORM_CHAIN ? b2d_world_chain_link(world, shape)->chain : B2D_NONE;
}
static inline uint32_t b2d_begin_stamp(const b2d_world* world, uint32_t what) {
    return (uint32_t)world->counters.steps << B2D_BEGIN_SHIFT | what;
}
// A table or column moves only when its capacity grows, and capacities never shrink. So the sum of the capacities
// changes with every move.
static inline void b2d_publish_tables(b2d_world* world) {
    const b2d_graph* graph = &world->graph;
    uint32_t sum = (uint32_t)world->poses.capacity + (uint32_t)world->states.capacity +
                   (uint32_t)world->body_generation_capacity + (uint32_t)world->shape_generation_capacity +
                   (uint32_t)world->chain_generation_capacity + (uint32_t)graph->contact_generation_capacity +
                   (uint32_t)graph->joint_generation_capacity + (uint32_t)graph->island_generation_capacity;
    const int32_t rows = b2d_min_int(world->body_generation_capacity, world->body_ids.limit);
    atomic_store_explicit(&world->tables_state, (unsigned long long)rows << 32 | sum, memory_order_release);
}
static inline float b2d_linear_slop(const b2d_world* world) {
    return b2d_slop_of(world->options[B2D_OPTION_LENGTH_UNIT]);
}
// Contacts have points up to this distance
static inline float b2d_speculative_distance(const b2d_world* world) { return 4.0f * b2d_linear_slop(world); }
static inline float b2d_option(const b2d_world* world, int32_t option) { return (float)world->options[option]; }
// The value of an option that is a length or a speed, in units of the world
static inline float b2d_in_units(const b2d_world* world, int32_t option) {
    return b2d_option(world, option) * b2d_option(world, B2D_OPTION_LENGTH_UNIT);
}
