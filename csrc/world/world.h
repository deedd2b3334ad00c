// csrc/world/world.h - the world: all tables and the step over them. Internal; the public face is include/box2dpy.h.
//
// Every public entry takes the world with one atomic: any number of readers or one writer (B2D_READ, B2D_WRITE in
// entry.h). `*_api.c` files are the edge: they check all input and answer with a status; the other files of this room
// trust their input.
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
    // Of a static body, by the user, since the last pair stage: who it meets anew is woken
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

typedef struct b2d_mixture { // of the two materials of a contact
    float friction, restitution, rolling, tangent_speed;
    float radius_a, radius_b; // radii of the record's sides
    bool extra, events, hits, asks;
} b2d_mixture;
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

// How a fast body moved in this step, dynamic or kinematic: noted by finalize, cut by the continuous stage.
typedef struct b2d_motion {
    b2d_pose start;
    float dx, dy, angle;
    int32_t body;
} b2d_motion;

// A sweep met a shape about which a callback has to be asked; decided serially, by body, then fraction.
typedef struct b2d_swept_hit {
    double x, y;     // between the surfaces, world coordinates
    b2d_vec2 normal; // from the other shape to the fast one, world axes
    float fraction;
    int32_t body, shape, other;
} b2d_swept_hit;

// What a worker of the finalize stage owns.
typedef struct b2d_finalize_worker {
    b2d_bits moved;                                              // shapes whose fat box grew
    b2d_bits awake_islands;                                      // islands that must stay awake
    b2d_bits fast;                                               // bodies to sweep
    b2d_bits invalid;                                            // bodies with a non-finite state
    b2d_bits bullets;                                            // of the fast ones; the first worker's only
    int32_t* candidates;                                         // shapes that a sweep may hit
    int32_t candidate_count, candidate_capacity, candidate_most; // candidate_most: of any sweep so far
    b2d_swept_hit* hits;
    int32_t hit_count, hit_capacity;
    b2d_memory* memory; // of this worker alone
    bool failed;        // no memory for candidates
    float split_timer;  // sleepiest body of an island with removals
    int32_t split_island;
    bool pushes_sleeper; // a moving kinematic body touches a sleeping one
} b2d_finalize_worker;

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

    b2d_callback callback; // NULL: nobody is asked
    void* callback_user;
    uint32_t calls;               // bits 1 << B2D_CALL_*, B2D_EVENT_*
    _Atomic(const void*) calling; // the thread that is inside a callback, NULL otherwise
    int32_t told_ends;            // contact ends of this step that were reported already
    // Keys of pairs that the user's filter refused and whose fat boxes have not parted since
    uint64_t* refused;
    int32_t refused_count, refused_capacity;
    int32_t refused_sorted; // so many, from the first, are sorted: those of this stage come behind
    b2d_overrides overrides;
    // By contact id: the step in which it or a point of it last began, with what did (collide.h)
    uint32_t* began;
    int32_t began_capacity;

    b2d_counters counters; // those of the last step; the rest is computed when asked for
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
static inline uint32_t b2d_world_began(const b2d_world* world, uint32_t what) {
    return (uint32_t)world->counters.steps << B2D_BEGIN_SHIFT | what;
}
static inline float b2d_linear_slop(const b2d_world* world) {
    return 0.005f * (float)world->options[B2D_OPTION_LENGTH_UNIT];
}
static inline float b2d_option(const b2d_world* world, int32_t option) { return (float)world->options[option]; }
// Of a length or speed
static inline float b2d_in_units(const b2d_world* world, int32_t option) {
    return b2d_option(world, option) * b2d_option(world, B2D_OPTION_LENGTH_UNIT);
}

// body.c - trusted operations on bodies. All that may fail for memory return false and leave the world as it was.
bool b2d_world_reserve_bodies(b2d_world* world, int32_t count);        // columns for ids 0 .. count - 1
int32_t b2d_world_new_body(b2d_world* world, const b2d_body_def* def); // id or B2D_NONE
// With its shapes, joints, contacts; events queued
void b2d_world_drop_body(b2d_world* world, int32_t body);
bool b2d_world_wake_body(b2d_world* world, int32_t body);     // its island; tells the broad phase
bool b2d_world_wake_moving(b2d_world* world, int32_t body);   // if it is dynamic and sleeps
void b2d_world_wake_touching(b2d_world* world, int32_t body); // every body it touches, and itself
// Graph.sleep_changed -> proxies, zero velocities
void b2d_world_flush_sleep_changes(b2d_world* world);
void b2d_world_destroy_contacts_of_body(b2d_world* world, int32_t body); // wakes both sides first
void b2d_world_destroy_contacts_of_shape(b2d_world* world, int32_t shape);
// From its shapes; keeps the velocity of the origin's material point
void b2d_world_update_mass(b2d_world* world, int32_t body);
void b2d_world_update_extents(b2d_world* world, int32_t body);
void b2d_world_place_body(b2d_world* world, int32_t body, double x, double y, b2d_rot q); // teleport: boxes, wake rules
bool b2d_world_set_body_type(b2d_world* world, int32_t body, int32_t type);
bool b2d_world_set_body_enabled(b2d_world* world, int32_t body, bool enabled);
bool b2d_world_set_body_awake(b2d_world* world, int32_t body, bool awake);

// shape.c
// Checked geometry
int32_t b2d_world_new_shape(b2d_world* world, int32_t body, const b2d_geometry* geometry, const b2d_shape_def* def);
void b2d_world_drop_shape(b2d_world* world, int32_t shape, bool update_mass);
bool b2d_world_replace_geometry(b2d_world* world, int32_t shape, const b2d_geometry* geometry, bool update_mass);
// Fat box from the pose; `force`: even when still inside, and reopened
void b2d_world_sync_shape(b2d_world* world, int32_t shape, bool force);
void b2d_world_reopen(b2d_world* world, int32_t shape); // old box empty, moved set: refused pairs are looked at again
void b2d_world_reopen_changed(b2d_world* world, int32_t shape); // the same, and a static one wakes who it meets anew
void b2d_world_class_shape(b2d_world* world, int32_t shape);    // proxy class from the body's state
bool b2d_world_reserve_shapes(b2d_world* world, int32_t count); // columns for ids 0 .. count - 1

// contact_api.c; NULL: no points
b2d_contact_data b2d_world_describe(b2d_world* world, int32_t contact, const b2d_contact_record* record);

// callback.c
const void* b2d_this_thread(void); // differs between threads that live
static inline bool b2d_world_calls(const b2d_world* world, int32_t call) { return (world->calls >> call & 1) != 0; }
void b2d_world_tell(b2d_world* world, int32_t event, const void* rows, int32_t count); // if wanted, and there are some
bool b2d_world_is_refused(const b2d_world* world, uint64_t key);
void b2d_world_prune_refused(b2d_world* world);            // before pairs are created
void b2d_world_sort_refused(b2d_world* world);             // after
bool b2d_world_ask_filter(b2d_world* world, uint64_t key); // whether they may meet; remembers a refusal
bool b2d_world_ask_shapes(b2d_world* world, int32_t shape_a, int32_t shape_b); // the same, and forgets
bool b2d_world_ask_presolve(b2d_world* world, const b2d_contact_data* data);
void b2d_world_presolve(b2d_world* world); // after the narrow phase: what the user lets pass has no points

// material.c
b2d_mixture b2d_world_mix(const b2d_world* world, const b2d_pair* pair);
uint8_t b2d_mixture_flags(const b2d_mixture* m); // B2D_CONTACT_HITS
void b2d_mixture_write(const b2d_mixture* m, b2d_contact_record* record);
uint64_t b2d_material_key(int32_t a, int32_t b);
int32_t b2d_material_find(const b2d_material_rules* rules, uint64_t key); // the first row not below
bool b2d_world_refresh_material(b2d_world* world, int32_t contact);       // mixes anew
void b2d_world_override_materials(b2d_world* world, bool on); // what on_presolve set, for the solver; or back again
bool b2d_world_refresh_materials(b2d_world* world, int32_t shape); // of its contacts
// The same, waking who feels the difference; B2D_NONE: of all contacts
bool b2d_world_remix(b2d_world* world, int32_t shape);

// chain.c
b2d_geometry b2d_chain_segment(const double* points, int32_t count, bool loop, int32_t k); // from point k
// Checked points
int32_t b2d_world_new_chain(b2d_world* world, int32_t body, const double* points, int32_t count, bool loop,
                            const b2d_shape_def* def);
void b2d_world_drop_chain(b2d_world* world, int32_t chain);
void b2d_world_leave_chain(b2d_world* world, int32_t shape); // of a shape that dies; the last takes the chain along

// contact.c
void b2d_world_create_pair(b2d_world* world, uint64_t key); // filter, create; sets step_failed without memory
bool b2d_world_pair_swapped(const b2d_world* world, int32_t low, int32_t high); // is `high` shape a of their contact?
void b2d_world_sort_ends(b2d_world* world, int32_t from); // the end events from that row on, by contact
// Out of colour, island, rest pool; end event queued
void b2d_world_end_contact(b2d_world* world, int32_t contact, bool event);
void b2d_world_destroy_contact(b2d_world* world, int32_t contact, bool wake);
bool b2d_world_begin_contact(b2d_world* world, int32_t contact, const b2d_contact_record* record);
bool b2d_world_wake_neighbors_of_shape(b2d_world* world, int32_t shape); // both sides of all its contacts
// Groups, categories and masks only
bool b2d_world_filter_allows(const b2d_world* world, int32_t shape_a, int32_t shape_b);
// All that decides whether they may meet
bool b2d_world_pair_allowed(const b2d_world* world, int32_t shape_a, int32_t shape_b);
void b2d_world_refresh_contacts(b2d_world* world, int32_t body); // its contacts get a full manifold at the next collide

// one_way.c
#define B2D_ONE_WAY_FACING 0.5f // least cosine between a one-way direction and the normal of what lands there
// Normal from a to b, world axes
bool b2d_world_one_way_faces(const b2d_world* world, int32_t shape_a, int32_t shape_b, b2d_vec2 normal, float least);
b2d_vec2 b2d_one_way_unit(double x, double y); // of length 1, or zero
b2d_passes_through_fn b2d_world_passes_through;
bool b2d_world_set_one_way(b2d_world* world, int32_t shape, b2d_vec2 direction); // false: no memory

// terrain.c
bool b2d_world_meets_terrain(const b2d_world* world, const b2d_pair* pair); // one of its shapes is a terrain
void b2d_world_mark_internal_edges(b2d_world* world, int32_t contact);      // of a new contact with a terrain
void b2d_world_update_terrain(b2d_world* world, int32_t body);              // a dynamic body grew or shrank
// A terrain goes or moves: full manifolds for its neighbours' contacts
void b2d_world_refresh_internal_edges(b2d_world* world, int32_t contact);
b2d_neighbors_fn b2d_world_terrain_neighbors;
b2d_same_material_fn b2d_world_same_terrain_material;
// Before it ends
void b2d_world_hand_over(b2d_world* world, int32_t contact, const b2d_bits* begun, const b2d_bits* ended);

// sensor.c
void b2d_world_sense(b2d_world* world);                                              // stage 12
bool b2d_world_shapes_overlap(b2d_world* world, int32_t shape_a, int32_t shape_b);   // tight geometry
bool b2d_world_sensor_sees(const b2d_world* world, int32_t sensor, int32_t visitor); // all but geometry
int32_t b2d_overlap_find(const b2d_overlaps* list, uint64_t key);

// hit.c
void b2d_world_collect_hits(b2d_world* world);

// joint.c
// Completes the row by what depends on the bodies' places
int32_t b2d_world_new_joint(b2d_world* world, b2d_joint* row);
// Measures what the joint keeps of the present poses (b2d_joint_type.start)
void b2d_world_start_joint(const b2d_world* world, b2d_joint* joint);
void b2d_world_drop_joint(b2d_world* world, int32_t joint);
bool b2d_world_watch_joint(b2d_world* world, int32_t joint); // by its thresholds; false: no memory
void b2d_world_collect_joint_events(b2d_world* world);       // watched joints whose load is above a threshold, by id
bool b2d_world_joint_solved(const b2d_world* world, int32_t joint); // some side is awake and dynamic, both enabled
bool b2d_world_activate_joint(b2d_world* world, int32_t joint);     // island link and colour
void b2d_world_deactivate_joint(b2d_world* world, int32_t joint);
bool b2d_world_has_high_mass_ratio(const b2d_world* world, int32_t joint); // between bodies of very unequal masses
// After a change: marks it if it is high_mass_ratio, and direct assemblies as stale
void b2d_world_weigh_joint(b2d_world* world, int32_t joint, bool active);
void b2d_world_weigh_joints(b2d_world* world, int32_t body);                // those of a body whose mass changed
void b2d_world_separate_connected(b2d_world* world, int32_t joint);         // destroys the contacts between its bodies
void b2d_world_reopen_connected(b2d_world* world, int32_t joint);           // its bodies' shapes may meet again
b2d_joint_view b2d_world_view_joint(const b2d_world* world, int32_t joint); // to read its state

// repair.c
bool b2d_world_repair(b2d_world* world); // solves what should be solved; false: still no memory

// contact_transitions.c
bool b2d_world_reserve_contacts(b2d_world* world, int32_t contacts);
void b2d_world_create_pairs(b2d_world* world, const uint64_t* keys, int32_t count); // ascending
void b2d_world_apply_contact_transitions(
    b2d_world* world); // after the narrow phase: contacts end, begin and are destroyed

// step.c, finalize.c, continuous.c
bool b2d_world_at_rest(const b2d_world* world);
void b2d_world_run_step(b2d_world* world, float dt, int32_t substeps, bool at_rest);
void b2d_world_finalize(b2d_world* world, const int32_t* awake, int32_t count, float dt);
void b2d_world_continuous(b2d_world* world);
b2d_motion* b2d_world_motion(const b2d_world* world, int32_t body); // NULL: it is not fast
void b2d_world_clear_keys(b2d_world* world);                        // of the workers' key lists
// All of them sorted, in the arena; NULL: no memory, or a list failed
uint64_t* b2d_world_join_keys(b2d_world* world, int32_t* count);
bool b2d_world_update_broadphase(b2d_world* world); // flushes user changes; queries call it too
