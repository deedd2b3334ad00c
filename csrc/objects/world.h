// csrc/objects/world.h - the world: all of its tables. Operations on them are in the headers of the nouns beside it.
//
// Every API function locks the world with one atomic: any number of readers or one writer (api/entry.h).
#pragma once
#include "broadphase/broadphase.h"
#include "joints/measure.h"
#include "narrowphase/collide.h"
#include "solver/direct.h"

#include <stdatomic.h>

typedef struct b2d_shape { // cold, by shape id
    int32_t next, prev;    // of the same body
    int32_t group;
    int32_t material;
    uint64_t category, mask;
    uint32_t color;
    float density;
    uint8_t type;     // B2D_CIRCLE ..
    uint8_t flags;    // B2D_SHAPE_FLAG_*
    b2d_vec2 one_way; // unit, body axes: the side on which others stand; zero: solid from all sides
} b2d_shape;
enum {
    B2D_SHAPE_FLAG_SENSOR = 1,
    B2D_SHAPE_FLAG_CONTACT_EVENTS = 2,
    B2D_SHAPE_FLAG_HIT_EVENTS = 4,
    B2D_SHAPE_FLAG_SENSOR_EVENTS = 8,
    B2D_SHAPE_FLAG_ONE_WAY = 16,
    B2D_SHAPE_FLAG_PRESOLVE = 32,
    // Changed by the user since the last pair stage, on a static body: bodies that it meets newly wake
    B2D_SHAPE_FLAG_CHANGED = 64
};

typedef struct b2d_chain {     // by chain id
    int32_t body, head, count; // segments, linked by b2d_chain_link
    bool loop;
} b2d_chain;
typedef struct b2d_chain_link { // by row of the table of second hulls, for rows of chain segments
    int32_t chain, next;        // whose segment it is, and the segment after it; B2D_NONE
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
typedef struct b2d_override { // of a contact's mixture, by on_presolve, in this step
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

// One pair of a sensor and a visitor; lists of them are sorted by key: sensor << 32 | visitor << 1 | found by its sweep
// only.
typedef struct b2d_overlap {
    uint64_t key, generation_sensor, generation_visitor;
    bool refused; // by the user's filter when it began: it is no visit until the two have parted
} b2d_overlap;
#define B2D_OVERLAP_SWEPT 1ull
typedef struct b2d_overlaps {
    b2d_overlap* rows;
    int32_t count, capacity, refused;
} b2d_overlaps;
static inline int32_t b2d_overlap_sensor(const b2d_overlap* row) { return (int32_t)(row->key >> 32); }
static inline int32_t b2d_overlap_visitor(const b2d_overlap* row) { return (int32_t)((row->key & 0xFFFFFFFFu) >> 1); }

// Of the stages that move bodies (step/motion.h).
typedef struct b2d_motion b2d_motion;
typedef struct b2d_finalize_worker b2d_finalize_worker;

struct b2d_world {
    b2d_memory memory;
    atomic_int lock; // -1 a writer, n > 0 readers, B2D_LOCK_FLUSH a reader that updates the broad phase
    double options[B2D_OPTION_COUNT];
    int32_t simd, broadphase_kind, narrowphase_kind;

    b2d_scheduler* scheduler;
    bool shares_scheduler; // it was given one
    int32_t worker_count;
    b2d_memory* worker_memory; // one a worker; merged into the counters
    b2d_collide_worker* collide_workers;
    b2d_shared_records records; // of contacts that begin
    b2d_key_list* key_lists;
    b2d_finalize_worker* finalize_workers;
    b2d_arena arena;

    b2d_graph graph;

    b2d_id_pool body_ids;
    uint64_t* body_generations; // 0 = dead
    int32_t body_generation_capacity;
    b2d_shared poses;  // b2d_pose
    b2d_shared states; // b2d_body_state, one hidden row
    b2d_body_mass* masses;
    b2d_body_step* body_steps;
    int32_t mass_capacity, body_step_capacity;
    atomic_uint tables_version; // read without the lock: published when a write ends

    b2d_id_pool shape_ids;
    uint64_t* shape_generations;
    b2d_shape_hot* shapes_hot;
    b2d_shape* shapes;
    int32_t shape_generation_capacity, shape_hot_capacity, shape_capacity;
    b2d_id_pool second_ids;
    b2d_hull4* second_hulls;
    b2d_chain_link* chain_links; // as many as the greatest row of a chain segment needs
    int32_t second_capacity, chain_link_capacity;

    b2d_id_pool chain_ids;
    uint64_t* chain_generations;
    b2d_chain* chains;
    int32_t chain_generation_capacity, chain_capacity;

    b2d_proxies proxies;
    int32_t proxy_capacity[8], proxy_class_capacity, proxy_body_capacity; // of the columns
    const b2d_broadphase_table* broadphase_table;
    b2d_broadphase* broadphase;
    bool broadphase_stale; // something changed since the last update
    int32_t static_shapes; // in the broad phase
    b2d_collide_blocks_fn* collide_blocks;
    b2d_collide_fn* collide;

    int32_t split_island; // candidate, with its generation: dropped when that died
    uint64_t split_generation;
    float last_h;  // substep length of the last step, 0 before the first
    float last_dt; // length of the last step

    b2d_material_rules material_rules;

    b2d_contact_events begin_events, end_events;
    b2d_contact_events pending_end_events; // from destroys between steps: delivered with the next step's
    b2d_body_events move_events, invalid_events;
    b2d_hit_events hit_events;
    bool hits_wanted; // some shape has had hit events
    b2d_joint_events joint_events;
    b2d_direct direct;       // joints solved directly
    b2d_bits watched_joints; // those with a threshold
    b2d_sensor_events sensor_begin_events, sensor_end_events;

    b2d_bits sensors;                     // shapes that are sensors
    b2d_bits sensor_changes;              // shapes made, changed or dropped since the last sensor stage
    b2d_overlaps overlaps, next_overlaps; // of the last sensor stage; and room for those of the next
    b2d_motion* motions; // of this step's fast bodies that sensors may see, by body, in the arena; none without sensors
    int32_t motion_count;
    b2d_bits swept;         // bodies that the continuous stage of the last step swept
    uint32_t shape_changes; // counts what changes how shapes look: made, dropped, another geometry or property

    b2d_callback callback; // NULL: none
    void* callback_user;
    uint32_t calls;               // bits 1 << B2D_CALL_*, B2D_EVENT_*
    _Atomic(const void*) calling; // the thread that is inside a callback, NULL otherwise
    int32_t reported_ends;        // contact ends of this step that were reported already
    // Keys of pairs that the user's filter refused and whose fat boxes have not parted since
    uint64_t* refused;
    int32_t refused_count, refused_capacity;
    int32_t refused_sorted; // so many, from the first, are sorted: those of this stage come behind
    b2d_overrides overrides;
    // By contact id: the step in which it or a point of it last began, with what did (collide.h)
    uint32_t* begin_stamps;
    int32_t begin_stamp_capacity;

    b2d_counters counters; // those of the last step; the others are computed when they are read
    b2d_profile profile;
    bool step_failed;      // a stage of this step ran out of memory
    bool stepping;         // inside b2d_world_step: contact ends go to end_events, otherwise to pending_end_events
    bool repair;           // a call found no memory half way: b2d_world_repair before the next step
    uint32_t caller_float; // floating-point word of the writer that holds the lock
};

static inline b2d_pose* b2d_world_pose(b2d_world* world, int32_t body) { return (b2d_pose*)world->poses.data + body; }
static inline b2d_body_state* b2d_world_state(b2d_world* world, int32_t body) {
    return (b2d_body_state*)world->states.data + body;
}
static inline const b2d_hull4* b2d_world_second(const b2d_world* world, const b2d_shape_hot* hot) {
    return hot->second_hull == B2D_NONE ? NULL : &world->second_hulls[hot->second_hull];
}
static inline b2d_chain_link* b2d_world_chain_link(const b2d_world* world, int32_t shape) {
    return &world->chain_links[world->shapes_hot[shape].second_hull];
}
static inline int32_t b2d_world_chain_of(const b2d_world* world, int32_t shape) { // B2D_NONE: no segment of a chain
    return world->shapes_hot[shape].form == B2D_FORM_CHAIN ? b2d_world_chain_link(world, shape)->chain : B2D_NONE;
}
static inline uint32_t b2d_begin_stamp(const b2d_world* world, uint32_t what) {
    return (uint32_t)world->counters.steps << B2D_BEGIN_SHIFT | what;
}
// Every move of a table or column is a growth of its capacity, and capacities never shrink, so their sum counts the
// moves.
static inline void b2d_publish_tables(b2d_world* world) {
    const b2d_graph* graph = &world->graph;
    uint32_t sum = (uint32_t)world->poses.capacity + (uint32_t)world->states.capacity +
                   (uint32_t)world->body_generation_capacity + (uint32_t)world->shape_generation_capacity +
                   (uint32_t)world->chain_generation_capacity + (uint32_t)graph->contact_generation_capacity +
                   (uint32_t)graph->joint_generation_capacity + (uint32_t)graph->island_generation_capacity;
    atomic_store_explicit(&world->tables_version, sum, memory_order_release);
}
static inline float b2d_linear_slop(const b2d_world* world) {
    return 0.005f * (float)world->options[B2D_OPTION_LENGTH_UNIT];
}
static inline float b2d_option(const b2d_world* world, int32_t option) { return (float)world->options[option]; }
// Of a length or speed
static inline float b2d_in_units(const b2d_world* world, int32_t option) {
    return b2d_option(world, option) * b2d_option(world, B2D_OPTION_LENGTH_UNIT);
}
