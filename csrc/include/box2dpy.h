// csrc/include/box2dpy.h - the functions of the public C API; box2dpy_types.h has its values and structs.
//
// box2dpy/_build.py reads both and box2dpy_trace.h as text for cffi: it drops the lines that start with # and expands
// the lists.
//
// Every call that can fail returns a status. Its low byte is B2D_OK or the kind of the error; the bytes above it are
// the number of the wrong argument (B2D_ARG_*). A call that fails leaves the world unchanged, except after
// B2D_NO_MEMORY from a step or from a change of what exists: then the world is valid, and the next step or
// b2d_world_validate does what is left undone. A handle is an index and a generation. Units: metres, kilograms,
// seconds, radians.
// Lists: a call with `out`, `room` and `count` sets *count to the number of results and writes at most `room` of them.
// Threads: several threads may read a world, or one may write it. A call on a busy world returns B2D_LOCKED at once.
#ifndef BOX2DPY_H
#define BOX2DPY_H
#include "box2dpy_types.h"

// cpu and library
bool b2d_cpu_has(int32_t simd);
int32_t b2d_cpu_best(void);
int32_t b2d_cpu_count(void);
const char* b2d_compiler(void); // name and version of the compiler of the core
// What the last argument of this thread that was out of range should have been; NaN: it is no range
void b2d_allowed_range(double out[2]);

// scheduler
b2d_status b2d_scheduler_create(int32_t workers, b2d_scheduler** out);
// A scheduler without threads of its own. Whenever there is work for another worker it calls `enqueue`, on any of the
// threads that work, with a ticket for one worker's help. The program runs the ticket on any thread, at once or later,
// or not at all. It holds the ticket until then: without a reference the ticket is gone when `enqueue` returns. Running
// it a second time, or inside of `enqueue`, does nothing. A job never waits for help that has not begun, so help that
// comes late finds nothing to do and returns. At most workers - 1 tickets are open, that is neither run nor released,
// at a time. A ticket holds a reference to the scheduler.
typedef struct b2d_help b2d_help;
typedef void (*b2d_enqueue)(void* user, b2d_help* help);
b2d_status b2d_scheduler_create_hosted(int32_t workers, b2d_enqueue enqueue, void* user, b2d_scheduler** out);
b2d_help* b2d_help_hold(b2d_help* help); // adds a reference and returns the ticket
void b2d_help_run(b2d_help* help);
void b2d_help_release(b2d_help* help);
void b2d_scheduler_destroy(b2d_scheduler* scheduler); // releases one reference; the last one ends the threads
int32_t b2d_scheduler_workers(const b2d_scheduler* scheduler);

// geometry
// Validates and normalises in place: convex hull, counter-clockwise order, close vertices welded together.
b2d_status b2d_geometry_check(b2d_geometry* geometry);
b2d_status b2d_make_box(double hx, double hy, double cx, double cy, double angle, double radius, b2d_geometry* out);
// Writes four numbers for each geometry: mass, inertia about the centre of mass, and the centre of mass (x, y).
b2d_status b2d_geometry_mass_data(const b2d_geometry* geometries, int32_t n, const double* densities, double* out);
// Writes four numbers for each pose: min x, min y, max x, max y.
b2d_status b2d_geometry_boxes(const b2d_geometry* geometry, int32_t n, const double* poses, double* out);
// Points in the coordinates of the geometry.
b2d_status b2d_geometry_contains(const b2d_geometry* geometry, int32_t n, const double* points, bool* out);
// Rays in the coordinates of the geometry.
b2d_status b2d_geometry_ray_casts(const b2d_geometry* geometry, int32_t n, const double* origins,
                                  const double* translations, b2d_geometry_hit* out);
// The convex hull of n points (x, y pairs), counter-clockwise from the point of least x, then least y. *count is below
// 3 if the points have no area. Reorders `points` and removes some of them; `out` must have room for n + 1 points.
b2d_status b2d_convex_hull(int32_t n, double* points, double* out, int32_t* count);
// n pairs of geometries. Pair k is a[which_a[k]] and b[which_b[k]], or a[0] and b[0] where `which` is NULL. Geometries
// that are not normalised are normalised in place. `poses` has the pose of a and then the pose of b for each pair.
b2d_status b2d_geometry_distances(b2d_geometry* a, int32_t count_a, const int32_t* which_a, b2d_geometry* b,
                                  int32_t count_b, const int32_t* which_b, int32_t n, const double* poses,
                                  b2d_distance_data* out);
b2d_status b2d_geometry_manifolds(b2d_geometry* a, int32_t count_a, const int32_t* which_a, b2d_geometry* b,
                                  int32_t count_b, const int32_t* which_b, int32_t n, const double* poses,
                                  double speculative_distance, b2d_manifold_data* out);
// As above; b moves by the translation.
b2d_status b2d_geometry_casts(b2d_geometry* a, int32_t count_a, const int32_t* which_a, b2d_geometry* b,
                              int32_t count_b, const int32_t* which_b, int32_t n, const double* poses,
                              const double* translations, b2d_geometry_hit* out);
// As above. `motions` has the motion of a and then the motion of b for each pair.
b2d_status b2d_geometry_impacts(b2d_geometry* a, int32_t count_a, const int32_t* which_a, b2d_geometry* b,
                                int32_t count_b, const int32_t* which_b, int32_t n, const b2d_geometry_motion* motions,
                                b2d_impact_data* out);

// world
void b2d_world_def_init(b2d_world_def* def);
b2d_status b2d_world_create(const b2d_world_def* def, b2d_world** out);
b2d_status b2d_world_destroy(b2d_world* world);
// A copy of the state of a world, in memory. Not in a callback. It is freed by b2d_state_free, and it may outlive the
// world.
b2d_status b2d_world_save(b2d_world* world, b2d_state** out);
void b2d_state_free(b2d_state* state);
int64_t b2d_state_bytes(b2d_state* state);
// Gives the world, or another one, the saved state. It keeps its workers, broad phase, instruction set and callbacks.
// Out of memory: it is as it was. `same_objects`: it already had the bodies, shapes, joints and chains of the state.
b2d_status b2d_world_restore(b2d_world* world, b2d_state* state, bool* same_objects);
// Destroys all objects and keeps the options, the table of material pairs, the callbacks and the memory.
b2d_status b2d_world_clear(b2d_world* world);
// A new world with the state of this one, without callbacks. Of the definition all but the options count; workers 0
// without a scheduler, simd -2, the strategies -1 and lab UINT32_MAX mean those of this world. NULL:
// all as in this world.
b2d_status b2d_world_clone(b2d_world* world, const b2d_world_def* def, b2d_world** out);
// The state as bytes, which any machine can read: see csrc/state/snapshot.h. If they do not fit in `room`, only *size
// is set. The world must not be read by others, because it may first complete what an earlier call left undone.
b2d_status b2d_world_snapshot(b2d_world* world, uint8_t* out, int64_t room, int64_t* size);
// A new world from such bytes; of the definition all but the options count. B2D_SNAPSHOT: `message` says which section
// of the bytes is wrong. The bytes may come from anywhere.
b2d_status b2d_world_from_snapshot(const uint8_t* data, int64_t size, const b2d_world_def* def, b2d_world** out,
                                   char* message, int32_t room);
// Gives a world the state of these bytes. After an error it is as it was.
b2d_status b2d_world_restore_snapshot(b2d_world* world, const uint8_t* data, int64_t size, bool* same_objects,
                                      char* message, int32_t room);
bool b2d_repair_snapshot(uint8_t* data, int64_t size); // for fuzz tests: the checksums of bytes that were changed
// A log of the calls that change the world, of the answers of callbacks, and of the hash after each step, for
// recordings. `start` begins with an empty log; the world as it is now is where a replay must start.
b2d_status b2d_world_log_start(b2d_world* world);
// As b2d_world_snapshot; if the bytes fit in `room`, a log starts at the same moment, in which the state has this hash.
b2d_status b2d_world_log_from_snapshot(b2d_world* world, uint8_t* out, int64_t room, int64_t* size, uint64_t* hash);
b2d_status b2d_world_log_stop(b2d_world* world);
// Moves the log since the last call out, if it fits in `room`, and has a step or is incomplete.
b2d_status b2d_world_log_take(b2d_world* world, uint8_t* out, int64_t room, b2d_log* found);
// Makes the calls of a log again. The bytes may come from anywhere; B2D_SNAPSHOT: they are damaged. The world has no
// callbacks afterwards.
b2d_status b2d_world_replay(b2d_world* world, const uint8_t* data, int64_t size, b2d_replay* replay);
// Packed worlds: many worlds in one, its cells, which never meet. Body k of cell c is body c * bodies + k, and so are
// shapes and joints; the functions for bodies, shapes, joints, tables and steps take a packed world, too. Cell c begins
// as states[which[c]]; NULL: all as states[0]. A packed world is stepped by dt and substeps alone. `message` says why a
// state cannot be packed, or does not fit a cell (B2D_NOT_ALLOWED).
typedef struct b2d_cells_size { // what each cell has room for
    int32_t count, bodies, shapes, joints, chains;
} b2d_cells_size;
// Each cell has room for the objects of every state, and for `least`.
b2d_status b2d_cells_create(const b2d_world_def* def, int32_t count, const b2d_cells_size* least, b2d_state** states,
                            int32_t state_count, const int32_t* which, double dt, int32_t substeps, b2d_world** out,
                            char* message, int32_t room);
void b2d_cells_get_size(b2d_world* world, b2d_cells_size* out);
// By cell. A NULL mask means all. The objects of the new state get the generations of `names`.
b2d_status b2d_cells_save(b2d_world* world, int32_t cell, b2d_state* names, b2d_state** out);
// Cell c gets states[which[c]]; where that is negative, it is left alone. With `replace`, a state may have other
// objects than its cell: then those of the cell are destroyed, and `renewed` gets true for it.
b2d_status b2d_cells_restore(b2d_world* world, b2d_state** states, int32_t state_count, const int32_t* which,
                             bool replace, bool* renewed, char* message, int32_t room);
b2d_status b2d_cells_hash(b2d_world* world, uint64_t* out);
b2d_status b2d_cells_exist(b2d_world* world, int32_t kind, bool* out); // B2D_KIND_*, by index
b2d_status b2d_cells_invalid(b2d_world* world, bool* out); // whether a body was no longer finite since its cell began
b2d_status b2d_cells_get_gravity(b2d_world* world, double* out);
b2d_status b2d_cells_set_gravity(b2d_world* world, const double* in, int32_t* cell); // wakes the cells that it changes
// Rows by body: forces at the centres of mass (x, y) and torques of this step, which become zero; NULL: none.
b2d_status b2d_cells_step(b2d_world* world, double* forces, double* torques, double dt, int32_t substeps, int32_t* row);
// A property of one component of all shapes or all joints, by id. Read: NaN where there is none. Written: rows with the
// present value and NaN where there is none are left alone; all others are checked before the first one changes.
b2d_status b2d_cells_get_shapes(b2d_world* world, int32_t property, double* out);
b2d_status b2d_cells_set_shapes(b2d_world* world, int32_t property, const double* in, int32_t* row);
b2d_status b2d_cells_get_joints(b2d_world* world, int32_t property, double* out);
b2d_status b2d_cells_set_joints(b2d_world* world, int32_t property, const double* in, int32_t* row);
// Whether pairs of objects of a cell touch, or overlap with `sensor`: out[cell * n + k]. An object is a shape, or ~body
// for any shape of a body. Of a sensor pair the first object is the sensor.
b2d_status b2d_cells_watch(b2d_world* world, bool sensor, int32_t n, const int32_t* pairs, const bool* mask, bool* out);
// `count` numbers in [0, 1) for each of n keys (seed, episode, how many were drawn in it): out[row * count + k].
void b2d_random_uniform(int32_t n, const uint64_t* keys, int32_t count, double* out);
// The nearest hit of k rays in each cell, as b2d_world_ray_casts. Of ray r in cell c the origin is row
// c * steps[0] + r * steps[1] of the origins, and likewise the translation. Results by ray: the fraction, infinity
// without a hit; the normal (x, y); the shape in its cell, B2D_NONE without a hit.
b2d_status b2d_cells_ray_casts(b2d_world* world, int32_t k, const double* origins, const int64_t* origin_steps,
                               const double* translations, const int64_t* translation_steps,
                               const b2d_query_filter* filter, double* fraction, float* normal, int32_t* shape);
// New geometries for `count` shapes of each cell of the mask: one for each shape, the same in all of these cells, or
// with `each` for every cell one after the other. `row` says which of the rows with `each` is refused.
b2d_status b2d_cells_set_geometry(b2d_world* world, int32_t count, const int32_t* shapes,
                                  const b2d_geometry* geometries, bool each, const bool* mask, int32_t* row);
// Whether a step may have this length (s) and number of substeps.
b2d_status b2d_check_step(double dt, int32_t substeps);
// The number of substeps of a step: as given, or in a step longer than 1/50 s so many for each 1/60 s of it.
int32_t b2d_substeps(double dt, int32_t substeps);
b2d_status b2d_world_step(b2d_world* world, double dt, int32_t substeps);
// The same for callers that keep tables: the status, and whether the scheduler is a hosted one, the version of the
// tables is another one now, and such a step of this world would now be a brief one.
enum { B2D_STEP_HOSTED = 1 << 28, B2D_STEP_MOVED_TABLES = 1 << 29, B2D_STEP_BRIEF = 1 << 30 };
int32_t b2d_world_step_watched(b2d_world* world, double dt, int32_t substeps, uint32_t version);
// The same for brief steps: those of a small world without callbacks, or of any world that is at rest. They wait for
// nothing and end within a fraction of a millisecond, so a caller may hold a lock meanwhile. Returns -1 and does
// nothing if the step is not brief, if the world is busy, or if an argument is wrong.
int32_t b2d_world_step_brief(b2d_world* world, double dt, int32_t substeps, uint32_t version);
// The same for worlds at rest alone: nothing that a reader can see changes.
int32_t b2d_world_step_at_rest(b2d_world* world, double dt, int32_t substeps, uint32_t version);
// The staged step: b2d_world_step in parts. Between two parts the user reads everything, edits contacts and changes
// velocities. If nothing is edited, the result is that of b2d_world_step to the bit. From begin to finish the world is
// locked for writing: the thread of the last part may read it, and all other calls return B2D_LOCKED. Parts come in the
// order collide, prepare, advance (two for each substep), finish; a part out of order returns B2D_NOT_ALLOWED and does
// nothing. b2d_staged_finish does what is left of the step, from whichever part, and unlocks the world; any thread may
// call it.
b2d_status b2d_staged_begin(b2d_world* world, double dt, int32_t substeps);
b2d_status b2d_staged_collide(b2d_world* world); // pairs, contacts, and their callbacks
// The touching contacts that will be solved, in ascending order. Between collide and prepare.
b2d_status b2d_staged_contacts(b2d_world* world, b2d_contact_data* out, int32_t room, int32_t* count);
// Checks rows for b2d_staged_prepare. After an error *row is the number of the wrong row.
b2d_status b2d_staged_check(b2d_world* world, int32_t n, const b2d_added_contact* added, int32_t* row);
// Edits contacts, adds others, and lays out all constraints. After an error nothing has changed, and *row is the number
// of the wrong row. Rows whose bodies are both fixed or asleep count for nothing. A row of an awake and a sleeping body
// wakes the latter.
b2d_status b2d_staged_prepare(b2d_world* world, int32_t edits, const b2d_contact_edit* edit, int32_t n,
                              const b2d_added_contact* added, int32_t* row);
// Half a substep. The first half ends with velocities that satisfy all constraints, the second moves the bodies by
// them. *left is the number of halves to come; it is 0 at once if dt is 0 or there was no memory to prepare.
b2d_status b2d_staged_advance(b2d_world* world, int32_t* left);
// The rows of added contacts with the impulses so far. After prepare.
b2d_status b2d_staged_added(b2d_world* world, b2d_added_contact* out, int32_t room, int32_t* count);
// Three numbers for each body by index: velocity x, y and angular velocity. Rows without an awake body are zero.
b2d_status b2d_staged_get_velocities(b2d_world* world, float* out, int32_t rows);
// Gives awake bodies other velocities, between the halves of a substep. A wrong row changes nothing, and *row is its
// number.
b2d_status b2d_staged_set_velocities(b2d_world* world, const float* in, int32_t rows, int32_t* row);
// Where the bodies are now in the step, by index: the centre of mass in world coordinates and the rotation (cos, sin).
// Either may be NULL.
b2d_status b2d_staged_placement(b2d_world* world, double* centers, float* rotations, int32_t rows);
// Inverse mass and inverse inertia by index; zero for bodies that nothing can push now.
b2d_status b2d_staged_inverse_masses(b2d_world* world, float* out, int32_t rows);
b2d_status b2d_staged_finish(b2d_world* world);
// `calls` has the bit 1 << call for each callback that is used; NULL or 0 means none. `assigned` is the call whose
// function has changed. A new filter function is called again for the pairs that the previous one refused. A new
// presolve function wakes the sleeping bodies of contacts that the previous one disabled.
b2d_status b2d_world_set_callback(b2d_world* world, b2d_callback callback, void* user, uint32_t calls,
                                  int32_t assigned);
b2d_status b2d_world_get_option(b2d_world* world, int32_t option, double* value);
b2d_status b2d_world_set_option(b2d_world* world, int32_t option, double value);
// Gives the world a pool of threads of its own, or a shared pool. Not during a step. No result depends on it.
b2d_status b2d_world_set_workers(b2d_world* world, int32_t workers);
b2d_status b2d_world_set_scheduler(b2d_world* world, b2d_scheduler* scheduler);
int32_t b2d_world_workers(b2d_world* world);
int32_t b2d_world_simd(b2d_world* world);
int32_t b2d_world_broadphase(b2d_world* world);
int32_t b2d_world_narrowphase(b2d_world* world);
int32_t b2d_world_islands(b2d_world* world);
int32_t b2d_world_schedule(b2d_world* world);
int32_t b2d_world_warm_start(b2d_world* world);
uint32_t b2d_world_lab(b2d_world* world);
b2d_status b2d_world_counters(b2d_world* world, b2d_counters* out);
b2d_status b2d_world_steps(b2d_world* world, int64_t* out); // the number of steps so far
b2d_status b2d_world_last_dt(b2d_world* world, double* dt); // of the last step, seconds; 0 before the first
b2d_status b2d_world_profile(b2d_world* world, b2d_profile* out);
b2d_status b2d_world_hash(b2d_world* world, uint64_t* out);
b2d_status b2d_world_validate(b2d_world* world, char* message, int32_t room); // B2D_OK, or B2D_INVARIANT and a message
// Memory for so many objects in all, so that steps within these numbers ask the system for none.
b2d_status b2d_world_reserve(b2d_world* world, int32_t bodies, int32_t shapes, int32_t contacts, int32_t joints);
b2d_status b2d_world_most(b2d_world* world, int32_t out[4]); // the same four numbers, the most that have existed
// The bounding box of all shapes: min x, min y, max x, max y. Zeros if there are no shapes.
b2d_status b2d_world_bounds(b2d_world* world, double out[4]);
// The handles of all live objects of one kind, in ascending order of their indices.
b2d_status b2d_world_list(b2d_world* world, int32_t kind, b2d_handle* out, int32_t room, int32_t* count);
// A part of that list: at most `room` handles with indices of at least `from`. Here *count is the number of handles
// that were written. If *newest is 0, the call sets it to the newest generation. Objects that are created later are
// left out, so that an iteration in parts ends.
b2d_status b2d_world_list_from(b2d_world* world, int32_t kind, int32_t from, uint64_t* newest, b2d_handle* out,
                               int32_t room, int32_t* count);
b2d_status b2d_world_contacts(b2d_world* world, bool touching_only, b2d_contact_data* out, int32_t room,
                              int32_t* count);
// All bodies, shapes and joints in ascending order. Bodies are by index, with the rows of destroyed bodies.
b2d_status b2d_world_bodies(b2d_world* world, b2d_body_data* out, int32_t room, int32_t* count);
b2d_status b2d_world_shapes(b2d_world* world, b2d_shape_data* out, int32_t room, int32_t* count);
// For each shape 8 points in world coordinates, x and y: those of its geometry, of which the last is repeated.
b2d_status b2d_world_vertices(b2d_world* world, double* out, int32_t room, int32_t* count);
b2d_status b2d_world_joints(b2d_world* world, b2d_joint_data* out, int32_t room, int32_t* count);
// `what` is one of B2D_BOXES_*.
b2d_status b2d_world_boxes(b2d_world* world, int32_t what, b2d_box_data* out, int32_t room, int32_t* count);
// A number that grows whenever the result of b2d_world_shapes may have changed.
b2d_status b2d_world_shape_changes(b2d_world* world, uint32_t* out);
b2d_status b2d_world_events(b2d_world* world, int32_t event, const void** data, int32_t* count); // until the next step
// `room` is in bytes. If the events do not fit, nothing is written.
b2d_status b2d_world_copy_events(b2d_world* world, int32_t event, void* out, int64_t room, int32_t* count);
// Whether each handle names a live object of the kind (body, shape, joint or chain).
b2d_status b2d_world_living(b2d_world* world, int32_t kind, int32_t n, const uint64_t* generations,
                            const int32_t* indices, bool* out);
// Writes a property of all bodies as doubles, by index. Rows of destroyed bodies are zero.
b2d_status b2d_world_gather(b2d_world* world, int32_t body_property, double* out, int32_t rows, int32_t* count);
b2d_status b2d_world_table(b2d_world* world, int32_t table, b2d_table* out);
void* b2d_world_acquire_table(b2d_world* world, int32_t table); // adds a reference for a view; NULL if empty
void b2d_shared_release(void* block);
// By index; 0: destroyed. The pointer is valid until the next object of the kind is created.
const uint64_t* b2d_world_generations(b2d_world* world, int32_t kind, int32_t* count);
uint32_t b2d_world_tables_version(b2d_world* world); // changes whenever a table or generations move in memory
// Where two numbers are, as long as the world exists: the rows of the tables of bodies << 32 | their version, and how
// many calls have changed the world, or may have
const uint64_t* b2d_world_tables_state(b2d_world* world);
// For tests: the allocation that follows `after` successful ones fails; negative: none fails.
void b2d_world_fail_allocation(b2d_world* world, int64_t after);

// queries: readers, so several threads may run them at once. They include all changes since the last step. A query
// finds a shape if (mask & category of the shape) and (mask of the shape & category) are not zero. It never finds
// shapes of disabled bodies. It finds sensors only with `sensors`, in a time in proportion to their number. Of shapes
// with equal fractions, the one with the lower index comes first. A ray that starts inside a shape, or has no length,
// does not hit it; a shape cast that starts in overlap hits at fraction 0. The first has no filter and finds no
// sensors; b2d_world_ray_casts has both.
extern const b2d_query_filter b2d_query_all; // accepts all shapes; the options have their defaults
b2d_status b2d_world_ray_cast(b2d_world* world, double ox, double oy, double dx, double dy, b2d_query_hit* out);
// Sorted by fraction, then by shape index.
b2d_status b2d_world_ray_cast_all(b2d_world* world, double ox, double oy, double dx, double dy,
                                  const b2d_query_filter* filter, b2d_query_hit* out, int32_t room, int32_t* count);
b2d_status b2d_world_ray_cast_any(b2d_world* world, double ox, double oy, double dx, double dy,
                                  const b2d_query_filter* filter, bool* out);
// All hits of a ray with shapes as if they had no rounding, sensors included, whatever their filters say. `closest`:
// the first one only, whose shape is -1 if there is none; then `room` and `count` are not used.
b2d_status b2d_world_ray_cast_cores(b2d_world* world, double ox, double oy, double dx, double dy, bool closest,
                                    b2d_query_hit* out, int32_t room, int32_t* count);
b2d_status b2d_world_ray_casts(b2d_world* world, int32_t n, const double* origins, const double* translations,
                               const b2d_query_filter* filter, b2d_query_hit* out);
// `mover`: a shape that it touches or overlaps at the start is met only if the path leads deeper into it, and a groove
// between flush rounded polygons is filled.
b2d_status b2d_world_shape_cast_all(b2d_world* world, const b2d_geometry* geometry, double x, double y, double angle,
                                    double dx, double dy, const b2d_query_filter* filter, bool mover,
                                    b2d_query_hit* out, int32_t room, int32_t* count);
b2d_status b2d_world_shape_cast_any(b2d_world* world, const b2d_geometry* geometry, double x, double y, double angle,
                                    double dx, double dy, const b2d_query_filter* filter, bool* out);
// `angles` may be NULL.
b2d_status b2d_world_shape_casts(b2d_world* world, const b2d_geometry* geometry, int32_t n, const double* positions,
                                 const double* angles, const double* translations, const b2d_query_filter* filter,
                                 b2d_query_hit* out);
// For a point inside a shape: distance 0, the point itself, and a zero normal.
b2d_status b2d_world_nearest(b2d_world* world, int32_t n, const double* points, double max_distance,
                             const b2d_query_filter* filter, b2d_query_hit* out);
b2d_status b2d_world_overlap_boxes(b2d_world* world, int32_t n, const double* lowers, const double* uppers,
                                   const b2d_query_filter* filter, b2d_query_overlap* out, int32_t room,
                                   int32_t* count);
b2d_status b2d_world_overlap_shapes(b2d_world* world, const b2d_geometry* geometry, int32_t n, const double* positions,
                                    const double* angles, const b2d_query_filter* filter, b2d_query_overlap* out,
                                    int32_t room, int32_t* count);
b2d_status b2d_world_overlap_points(b2d_world* world, int32_t n, const double* points, const b2d_query_filter* filter,
                                    b2d_query_overlap* out, int32_t room, int32_t* count);
// A writer. Pushes each dynamic body that the filter finds away from the centre. The impulse is impulse_per_length
// times the width of the shape as seen from the centre, and it acts at the nearest point of the shape. Beyond the
// radius it decreases, and it is zero from radius + falloff on.
b2d_status b2d_world_explode(b2d_world* world, double x, double y, double radius, double falloff,
                             double impulse_per_length, uint64_t category, uint64_t mask);
// A writer. Translates dynamic bodies that overlap others, or shapes that do not move, by more than the linear slop,
// until none does, at most `iterations` times; velocities stay. Writes the deepest overlap of an awake body that is
// left, m.
b2d_status b2d_world_resolve_overlaps(b2d_world* world, int32_t iterations, double* deepest);
// Writers. Forces in the next step on the shapes of dynamic bodies that the filter finds. With `wake`, sleeping bodies
// are woken; without it, they are skipped.
b2d_status b2d_shape_apply_wind(b2d_world* world, int32_t index, uint64_t generation, double x, double y,
                                double density, double drag, double lift, bool wake);
b2d_status b2d_world_apply_wind(b2d_world* world, double x, double y, double density, double drag, double lift,
                                bool wake, uint64_t category, uint64_t mask);
// `region` is a polygon of fluid without a rounding radius.
b2d_status b2d_world_apply_buoyancy(b2d_world* world, const b2d_geometry* region, double x, double y, double angle,
                                    double density, double drag, double flow_x, double flow_y, bool wake,
                                    uint64_t category, uint64_t mask);

// bodies
void b2d_body_def_init(b2d_body_def* def);
b2d_status b2d_body_create(b2d_world* world, const b2d_body_def* def, b2d_handle* out);
// All other values are the defaults.
b2d_status b2d_body_create_at(b2d_world* world, int32_t type, double x, double y, double angle, b2d_handle* out);
// Destroys the body with its shapes, joints and chains, and writes their former handles. If there is too little room,
// nothing is destroyed, and *count is the number of handles.
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
// `kind`: its shapes, joints, contacts, touching bodies (B2D_KIND_BODY) or island (B2D_KIND_ISLAND).
b2d_status b2d_body_list(b2d_world* world, int32_t index, uint64_t generation, int32_t kind, b2d_handle* out,
                         int32_t room, int32_t* count);
// Creates n bodies with one shape each. `positions` and `velocities` are x, y pairs; `angles` and `velocities` may be
// NULL. Writes n handles.
b2d_status b2d_bodies_create(b2d_world* world, const b2d_body_def* def, const b2d_geometry* geometry,
                             const b2d_shape_def* shape, int32_t n, const double* positions, const double* angles,
                             const double* velocities, b2d_handle* out);
// Places n copies of a template, all or none: rotated by `angles` (NULL: none) and then moved to `positions`. With
// `groups`, the shapes of copy k that have a filter group get groups[k] instead. Writes the bodies of all copies.
b2d_status b2d_template_place(b2d_world* world, const b2d_template* template_, int32_t n, const double* positions,
                              const double* angles, const int32_t* groups, b2d_handle* out);
// What a body, a shape or a joint would be created from; `mass` as in b2d_template. A shape of a chain is not allowed.
b2d_status b2d_body_definition(b2d_world* world, int32_t index, uint64_t generation, b2d_body_def* out, double* mass);
b2d_status b2d_shape_definition(b2d_world* world, int32_t index, uint64_t generation, b2d_geometry* geometry,
                                b2d_shape_def* out);
b2d_status b2d_joint_definition(b2d_world* world, int32_t index, uint64_t generation, b2d_joint_def* out);
// Gets or sets a property of n bodies, or pushes them. The result is that of the calls for one body, in the order of
// the rows. If a row is wrong, nothing changes, and *row is its number. `in` and `out` have all components of each
// body.
b2d_status b2d_bodies_get(b2d_world* world, int32_t n, const int32_t* indices, const uint64_t* generations,
                          int32_t property, double* out, int32_t* row);
b2d_status b2d_bodies_set(b2d_world* world, int32_t n, const int32_t* indices, const uint64_t* generations,
                          int32_t property, const double* in, int32_t* row);
// Only the checks of b2d_bodies_set. In these three calls `generations` may be NULL: the bodies with these indices.
b2d_status b2d_bodies_check(b2d_world* world, int32_t n, const int32_t* indices, const uint64_t* generations,
                            int32_t property, const double* in, int32_t* row);
// Whether a property of a shape may have these values.
b2d_status b2d_shape_check(int32_t property, const double* in);
// A property of the shapes of n bodies: reads that of the first shape of each, NaN without one, and sets that of all.
b2d_status b2d_bodies_get_shapes(b2d_world* world, int32_t n, const int32_t* indices, const uint64_t* generations,
                                 int32_t property, double* out, int32_t* row);
b2d_status b2d_bodies_set_shapes(b2d_world* world, int32_t n, const int32_t* indices, const uint64_t* generations,
                                 int32_t property, const double* in, int32_t* row);
// Sets a property of all bodies by index; rows without a body are ignored, and a body whose row holds its present value
// is left as it is.
b2d_status b2d_world_set_bodies(b2d_world* world, int32_t property, int32_t rows, const double* in, int32_t* row);
// Forces or impulses; if `turning`, torques or angular impulses. `points`: where the forces act, or NULL.
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
// The shapes that overlapped a sensor in the last step.
b2d_status b2d_shape_overlaps(b2d_world* world, int32_t index, uint64_t generation, b2d_handle* out, int32_t room,
                              int32_t* count);
b2d_status b2d_shape_contacts(b2d_world* world, int32_t index, uint64_t generation, b2d_handle* out, int32_t room,
                              int32_t* count);

// chains: one-sided segments along points, which are created and destroyed together
// `points` are x, y pairs.
b2d_status b2d_chain_create(b2d_world* world, int32_t body, uint64_t body_generation, const double* points,
                            int32_t count, bool loop, const b2d_shape_def* def, b2d_handle* out);
b2d_status b2d_chain_destroy(b2d_world* world, int32_t index, uint64_t generation);
// The value of its first segment.
b2d_status b2d_chain_get(b2d_world* world, int32_t index, uint64_t generation, int32_t shape_property, double* out);
// Sets the value of all segments.
b2d_status b2d_chain_set(b2d_world* world, int32_t index, uint64_t generation, int32_t shape_property,
                         const double* in);
b2d_status b2d_chain_filter(b2d_world* world, int32_t index, uint64_t generation, uint64_t* category, uint64_t* mask,
                            int32_t* group);
b2d_status b2d_chain_set_filter(b2d_world* world, int32_t index, uint64_t generation, uint64_t category, uint64_t mask,
                                int32_t group);
b2d_status b2d_chain_body(b2d_world* world, int32_t index, uint64_t generation, b2d_handle* out, bool* loop);
// In the order of the points.
b2d_status b2d_chain_shapes(b2d_world* world, int32_t index, uint64_t generation, b2d_handle* out, int32_t room,
                            int32_t* count);

// joints
void b2d_joint_def_init(b2d_joint_def* def, int32_t type);
b2d_status b2d_joint_create(b2d_world* world, int32_t body_a, uint64_t generation_a, int32_t body_b,
                            uint64_t generation_b, const b2d_joint_def* def, b2d_handle* out);
// Destroys the joint with the gears on it, as b2d_body_destroy does.
b2d_status b2d_joint_destroy(b2d_world* world, int32_t index, uint64_t generation, b2d_handle* out, int32_t room,
                             int32_t* count);
b2d_status b2d_joint_get(b2d_world* world, int32_t index, uint64_t generation, int32_t property, double* out);
b2d_status b2d_joint_set(b2d_world* world, int32_t index, uint64_t generation, int32_t property, const double* in);
b2d_status b2d_joint_bodies(b2d_world* world, int32_t index, uint64_t generation, b2d_handle* body_a,
                            b2d_handle* body_b, int32_t* type);

// materials: pairs of the `material` numbers of shapes, in any order. Existing contacts change at once, and the
// sleeping bodies of changed contacts are woken.
b2d_status b2d_world_set_material_pair(b2d_world* world, const b2d_material_pair* pair);
b2d_status b2d_world_remove_material_pair(b2d_world* world, int32_t a, int32_t b, bool* found);
// Sorted by a, then by b.
b2d_status b2d_world_material_pairs(b2d_world* world, b2d_material_pair* out, int32_t room, int32_t* count);

// contacts and islands
b2d_status b2d_contact_get(b2d_world* world, int32_t index, uint64_t generation, b2d_contact_data* out);
// Whether a[k] and b[k] touch now. The handles may be of bodies and of shapes. Generation 0 stands for the live object
// at the index.
b2d_status b2d_world_touching(b2d_world* world, int32_t n, const b2d_handle* a, const b2d_handle* b, bool* out);
// The contact of two shapes; generation 0 when there is none. Takes the same time however many contacts they have.
b2d_status b2d_world_contact_between(b2d_world* world, const b2d_handle* a, const b2d_handle* b, b2d_handle* out);
// `kind`: its bodies, contacts or joints.
b2d_status b2d_island_list(b2d_world* world, int32_t index, uint64_t generation, int32_t kind, b2d_handle* out,
                           int32_t room, int32_t* count);
// Splits at once all islands from which constraints have been removed. *made is the number of their parts.
b2d_status b2d_world_split_islands(b2d_world* world, int32_t* made);

// buffers: collision and simulation on arrays of the caller's, without a world (csrc/buffers/). No state is kept
// between calls and no memory is taken: what a call needs lies in `arena`, `arena_size` bytes of the caller's that mean
// nothing before and after. A call that fails has written to nothing but the arena and *fault; its status names the
// array. No two arrays may overlap. Rows of a body are found by its index, and rows of a collider have one tag.
typedef struct b2d_buffer_pose { // of a body
    double x, y;                 // m, the origin
    float c, s;                  // cosine and sine of the angle
    float cx, cy;                // m, centre of mass in body coordinates
} b2d_buffer_pose;
typedef struct b2d_buffer_mass { // of a body; one with a mass of 0 moves by its velocity alone
    float mass, inertia;         // kg; kg m^2 about the centre of mass, 0: it does not turn
    float gravity_scale;
    float linear_damping, angular_damping; // 1/s
} b2d_buffer_mass;
typedef struct b2d_buffer_velocity {
    float x, y, w; // m/s of the centre of mass, rad/s
} b2d_buffer_velocity;
typedef struct b2d_buffer_collider { // a circle, a capsule or a convex polygon, with a rounding radius
    int32_t body;
    uint32_t tag;                // the user's name of it: no other collider has it
    int32_t count;               // vertices: 1 to 8
    float radius;                // m
    float x[8], y[8];            // m, body coordinates, counter-clockwise
    float friction, restitution; // coefficients, no unit
    float rolling_resistance;    // no unit
    float tangent_speed;         // m/s
} b2d_buffer_collider;
typedef struct b2d_buffer_contact {
    uint64_t tag; // lesser tag << 32 | greater tag of its colliders; 0: none, its impulses are not cached
    int32_t body_a, body_b;
    float normal[2];             // unit, from a to b
    float friction, restitution; // coefficients, no unit
    float rolling_resistance;    // m
    float tangent_speed;         // m/s
    float radius_a, radius_b;    // m, of the round surfaces of both sides
    float lever[2][2];           // m, by point: from the centre of mass of a, world axes, midway between the surfaces
    float separation[2];         // m, by point
    uint16_t feature[2];         // by point: corner or edge; 0xFFFF: there is no such point
    uint32_t user;               // left to the program; collide writes 0
} b2d_buffer_contact;
typedef struct b2d_buffer_impulse { // what warm starting keeps of a contact
    uint16_t feature[2];
    float normal[2], tangent[2]; // kg m/s
    float rolling;               // kg m^2/s
} b2d_buffer_impulse;

typedef struct b2d_buffer_bodies {
    int32_t count;
    b2d_buffer_pose* poses;
    const b2d_buffer_mass* masses;
    b2d_buffer_velocity* velocities;
    uint8_t* idle; // simulate calls in a row in which the body hardly moved, at most 255
} b2d_buffer_bodies;
typedef struct b2d_buffer_found { // in: arrays and rooms; out: counts
    b2d_buffer_contact* contacts; // ascending by tag
    uint64_t* sleeping;           // tags of pairs that rest, ascending
    int32_t* active;              // bodies that move in this step, ascending
    int32_t contact_room, sleeping_room, active_room;
    int32_t contact_count, sleeping_count, active_count;
    int32_t broad_pairs, narrow_pairs; // pairs of overlapping boxes; those of them that were tested in detail
} b2d_buffer_found;
typedef struct b2d_buffer_cache { // tags strictly ascending, then B2D_NO_TAG in all rows that are free
    uint64_t* tags;
    b2d_buffer_impulse* impulses;
    int32_t room;
} b2d_buffer_cache;
typedef struct b2d_buffer_step {
    double gravity_x, gravity_y; // m/s^2
    double dt;                   // s
    int32_t substeps;
    double idle_speed; // m/s: below it a body is idle
} b2d_buffer_step;
typedef struct b2d_buffer_fault {
    const char* problem; // a sentence without its subject
    int32_t row;         // of the array, -1: of no row
    int64_t needed;      // rows or bytes, when there is too little room: at least so many
} b2d_buffer_fault;

// Finds contacts. `connections` are pairs of bodies that rest only together. An island rests while all its bodies have
// been idle for `idle_limit` calls.
b2d_status b2d_buffers_collide(const b2d_buffer_bodies* bodies, const b2d_buffer_collider* colliders,
                               int32_t collider_count, const int32_t* connections, int32_t connection_count,
                               int32_t idle_limit, b2d_buffer_found* found, void* arena, int64_t arena_size,
                               b2d_buffer_fault* fault);
// Moves the active bodies by dt. Contacts ascend by tag; several may have tag 0. Warm starts from the cache, and leaves
// in it the impulses of these contacts and those of the pairs in `sleeping`.
b2d_status b2d_buffers_simulate(const b2d_buffer_bodies* bodies, const int32_t* active, int32_t active_count,
                                const b2d_buffer_contact* contacts, int32_t contact_count, const uint64_t* sleeping,
                                int32_t sleeping_count, const b2d_buffer_cache* cache, const b2d_buffer_step* step,
                                void* arena, int64_t arena_size, b2d_buffer_fault* fault);
// The same in parts: begin, two calls of advance for each substep, finish. All that the run needs lies in `arena`,
// which no other thread may write until finish, and so does `fault`; no other argument is used after the call that has
// it. Between the halves of a substep the velocities may be changed. Without changes the result is that of
// b2d_buffers_simulate to the bit. Only finish writes to bodies and cache, after it has done the halves that are left.
// They may lie elsewhere than those of begin, but have as many rows.
typedef struct b2d_buffer_run b2d_buffer_run;
b2d_status b2d_buffers_begin(const b2d_buffer_bodies* bodies, const int32_t* active, int32_t active_count,
                             const b2d_buffer_contact* contacts, int32_t contact_count, const uint64_t* sleeping,
                             int32_t sleeping_count, const b2d_buffer_cache* cache, const b2d_buffer_step* step,
                             void* arena, int64_t arena_size, b2d_buffer_fault* fault, b2d_buffer_run** out);
void b2d_buffers_advance(b2d_buffer_run* run);       // half a substep
int32_t b2d_buffers_left(const b2d_buffer_run* run); // how many halves are left
// One row for each active body, in their order. A wrong row changes nothing.
void b2d_buffers_get_velocities(const b2d_buffer_run* run, b2d_buffer_velocity* out);
b2d_status b2d_buffers_set_velocities(b2d_buffer_run* run, const b2d_buffer_velocity* in);
void b2d_buffers_placement(const b2d_buffer_run* run, double* centers, float* rotations); // two numbers each
b2d_status b2d_buffers_finish(b2d_buffer_run* run, const b2d_buffer_bodies* bodies, const b2d_buffer_cache* cache);

#endif
