// csrc/graph/graph.h - the constraint graph: rows of bodies, contacts, joints; colours, clusters, islands, sleep.
//
// Idea: an id is the index of a row, and no row here ever moves. Bodies are the nodes of the graph, contacts and joints
// connect two of them.
// * Half-edge: one side of a contact or joint, in the adjacency list of the body on that side. The lists are doubly
//   linked; a half-edge is named by its key = id << 1 | side.
// * Island: bodies connected by contacts and joints, which sleep and wake together. Islands persist: union-find merges
//   them when constraints begin, and a depth-first search splits them after constraints ended.
// * Colour: constraints of which no two share a moving body. Constraints that find no free colour are in the overflow,
//   which is solved serially.
// * Cluster: a group of islands of about B2D_CLUSTER_BODIES bodies whose constraints have lists and blocks of their
//   own. It is small enough for the cache of one core, which solves it through all substeps while it stays there.
// * Rest pool: records of the touching contacts of sleeping islands. Only constraints with an awake moving body lie in
//   blocks.
// Threads: serial stages, unless a function says otherwise. What may need memory returns false and changes nothing.
// Proof: b2d_graph_validate, tests/oracle/test_islands.py, tests/oracle/test_colors.py.
#pragma once
#include "base/bits.h"
#include "base/id_pool.h"
#include "base/pair_set.h"
#include "base/scheduler.h"
#include "base/vec.h"
#include "graph/cell.h"
#include "graph/joint_block.h"
#include "narrowphase/collide.h"

enum {
#define B2D_BODY_PROPERTY(NAME, ...) B2D_BODY_BIT_##NAME,
#include "lists/body_flags.def"
#undef B2D_BODY_PROPERTY
};
enum {
    B2D_BODY_FLAG_ENABLED = 1,
    B2D_BODY_FLAG_OWN_MASS = 2,   // the user set the mass: shapes do not change it
    B2D_BODY_FLAG_TELEPORTED = 4, // static body that the user moved since the last pair stage
    B2D_BODY_FLAG_YIELDS = 8,     // its row of force laws holds in the coming step (solver/solver.h)
#define B2D_BODY_PROPERTY(NAME, ...) B2D_BODY_FLAG_##NAME = 16 << B2D_BODY_BIT_##NAME,
#include "lists/body_flags.def"
#undef B2D_BODY_PROPERTY
    B2D_BODY_FLAG_LOOPED = 0x4000, // of an assembly of joints with loops, which may disagree (step/conserve.h)
    B2D_BODY_FLAG_LADEN = 0x8000,  // joints connect it with a much heavier body (solver/press.h)
    B2D_BODY_FLAG_LOCKS = B2D_BODY_FLAG_LOCK_X | B2D_BODY_FLAG_LOCK_Y | B2D_BODY_FLAG_LOCK_ROTATION,
};

enum { B2D_MOST_TURNS = 1000000000 }; // the difference of two counts fits into 32 bits

typedef struct b2d_body { // cold, by body id
    int32_t shape_head, shape_count;
    int32_t contact_head, contact_tail, contact_count; // keys of half-edges; contacts with B2D_PAIR_TERRAIN come first
    int32_t joint_head, joint_count;
    int32_t island, island_slot; // B2D_NONE for static and disabled bodies
    uint16_t flags;
    uint8_t type; // B2D_STATIC, B2D_KINEMATIC, B2D_DYNAMIC
    uint8_t unused;
    int32_t turns; // whole ones, within +-B2D_MOST_TURNS
    float sleep_timer;
    float extent;     // farthest point of any shape from the centre of mass
    float min_extent; // least half width of any shape (fast-body test)
} b2d_body;
#define B2D_COMPACT 2.0f // extent to half width up to which a body is no plate (step/plates.h)

typedef struct b2d_contact {     // cold, by contact id
    int32_t next[2], prev[2];    // half-edge 0 is in the list of pair.body_a, half-edge 1 in that of pair.body_b
    int32_t island, island_slot; // in the contact links of the island; B2D_NONE: connects no two dynamic bodies
    int32_t rest;                // row of the rest pool, B2D_NONE
    int8_t color;                // 0 .. B2D_OVERFLOW while solved, -1 otherwise
    uint8_t fixed;               // which list of the colour: 1 = side B does not move
    uint8_t flags;               // B2D_CONTACT_*
    uint8_t unused;
} b2d_contact;
enum {
    // Its end will be reported as well; set before a contact begins that takes this over from another
    B2D_CONTACT_BEGIN_REPORTED = 1,
    B2D_CONTACT_HITS = 2,   // hit events are wanted
    B2D_CONTACT_UNLIKE = 4, // of bodies that masses much heavier may press (b2d_may_press in solver/press.h)
    B2D_CONTACT_YIELDS = 8, // until its points vanish they do not count: step/wedge.h
    // The four highest bits count the steps in which it held a joint open since it began; after the most it yields
    B2D_CONTACT_WEDGED_ONCE = 16,
    B2D_CONTACT_WEDGED = 240,
};

enum {
    B2D_JOINT_FLIP = 1,
    B2D_JOINT_COLLIDE = 2,
    B2D_JOINT_SPRING = 4,
    B2D_JOINT_LIMIT = 8,
    B2D_JOINT_MOTOR = 16,
    B2D_JOINT_SEED = 32, // the lowest id of an assembly that is to be solved directly (solver/direct.h)
    B2D_JOINT_DIRECT = 64,
    B2D_JOINT_NO_ROWS = 128 // its type has no rows: it links no islands and is never solved
};

// What decides whether a joint is solved directly: the load of its assembly and the world's option, or the user.
enum { B2D_AXES_WORLD, B2D_AXES_A, B2D_AXES_B };
enum { B2D_JOINT_SOLVER_AUTO, B2D_JOINT_SOLVER_DIRECT, B2D_JOINT_SOLVER_ITERATIVE, B2D_JOINT_SOLVER_COUNT };

typedef struct b2d_joint { // cold, by joint id
    int32_t body[2];
    int32_t next[2], prev[2];
    int32_t island, island_slot;
    int32_t lane_index; // block * B2D_LANES + lane while solved, B2D_NONE otherwise
    int8_t color;       // as in b2d_contact
    uint8_t fixed;
    uint8_t type;
    uint8_t flags;      // B2D_JOINT_*
    b2d_vec2 anchor[2]; // frames, body coordinates
    float frame_angle[2];
    float hertz, damping_ratio; // softness of the rigid rows; negative: that of the world
    float solver;               // B2D_JOINT_SOLVER_*
    float force_threshold, torque_threshold;
    float spring_hertz, spring_damping_ratio, spring_target; // acts on the angle, along the line or in the plane
    // A negative hertz is -stiffness, with the damping in place of its ratio (B2D_PROPERTY_STIFFNESS)
    float spring_low, spring_high;                                  // force, N
    float angular_hertz, angular_damping_ratio, angular_spring_max; // angular softness of a weld or motor joint
    float lower, upper;                                             // of the angle, translation or length
    float motor_speed, motor_max;
    float velocity[2], velocity_force_max[2]; // of a motor joint (one bound) or a mover joint (along x and y)
    float axes;                               // of a mover joint: B2D_AXES_*
    // Of a gear or pulley: value a + ratio * value b = total; of a ratchet: the distance of teeth, the tooth that holds
    float ratio, total;
    double ground[2][2];                // of a pulley, world coordinates
    int32_t joint[2];                   // of a gear; B2D_NONE
    int32_t gear_head;                  // half-edge of the last gear that couples this joint to another
    int32_t gear_next[2], gear_prev[2]; // of a gear, in the lists of its joints
    b2d_joint_impulses impulses;        // while lane_index is B2D_NONE
    float impulse_h;                    // for which they stand, as in b2d_contact_record
    b2d_joint_load load;                // in the user's order, while lane_index is B2D_NONE
    float forgotten;                    // the share of its impulses that the next step does not repeat (machine.c)
} b2d_joint;
// The side with whose frame the axes of a mover joint turn, in the user's order; B2D_NONE: they are those of the world
static inline int32_t b2d_joint_axes_side(const b2d_joint* joint) {
    return joint->axes == (float)B2D_AXES_A ? 0 : joint->axes == (float)B2D_AXES_B ? 1 : B2D_NONE;
}

typedef struct b2d_link {
    int32_t id, body_a, body_b; // a contact or joint between two dynamic bodies, as its island keeps it
} b2d_link;

typedef struct b2d_island_links { // of an island of two bodies or more
    b2d_link* contacts;
    b2d_link* joints;
    int32_t contact_count, joint_count;
    int32_t held;                     // a body that something fixed held when one was last looked for, or any
    uint8_t contact_size, joint_size; // of the arrays: log2 of the bytes, 0 = none
} b2d_island_links;

typedef struct b2d_island { // 32 bytes: in large scenes most islands have one body
    union {
        int32_t few[2]; // while body_size is 0
        int32_t* many;
    } bodies;                // see b2d_island_bodies
    b2d_island_links* links; // NULL: there are none yet
    int32_t body_count;
    int32_t parent;    // of the union-find, between a merge and the collapse; B2D_NONE = root
    int32_t removals;  // constraints that ended since the last split
    uint8_t body_size; // of the array: log2 of the bytes, 0 = none
    uint16_t cluster;  // of its bodies
} b2d_island;
static inline const int32_t* b2d_island_bodies(const b2d_island* island) {
    return island->body_size == 0 ? island->bodies.few : island->bodies.many;
}
static inline b2d_island_links b2d_island_linked(const b2d_island* island) {
    return island->links == NULL ? (b2d_island_links){0} : *island->links;
}

// List: the blocks of the contacts (or joints) of one colour and cluster whose side B moves (list 0) or does not (list
// 1). All blocks but the last are full.
typedef struct b2d_color_list {
    int32_t* blocks;
    int32_t block_capacity;
    int32_t count; // constraints
} b2d_color_list;
static inline int32_t b2d_color_list_blocks(const b2d_color_list* list) {
    return (list->count + B2D_LANES - 1) / B2D_LANES;
}
static inline int32_t b2d_color_list_live(const b2d_color_list* list, int32_t k) {
    return b2d_min_int(list->count - k * B2D_LANES, B2D_LANES);
}
static inline int32_t b2d_color_list_lane(const b2d_color_list* list, int32_t k) { // the lane_index of constraint k
    return list->blocks[k / B2D_LANES] * B2D_LANES + k % B2D_LANES;
}
static inline int32_t b2d_overflow_count(const b2d_color_list lists[2]) { return lists[0].count + lists[1].count; }

// See above. A new body is in cluster id / B2D_CLUSTER_BODIES; a body that joins an island takes the cluster of the
// island, so a cluster may grow without bound.
enum { B2D_CLUSTER_BODIES = 1024 };
typedef struct b2d_cluster {
    b2d_color_list joints[B2D_COLORS][2], contacts[B2D_COLORS][2];
} b2d_cluster;
enum { B2D_CLUSTER_LISTS = sizeof(b2d_cluster) / sizeof(b2d_color_list) };

typedef struct b2d_graph {
    b2d_memory* memory;
    b2d_pool pool; // arrays of the islands
    b2d_cells cells;

    b2d_body* bodies;        // by body id; the world grows it
    uint32_t* color_masks;   // by body id: colours of its constraints; dynamic bodies only
    uint16_t* body_clusters; // by body id
    int32_t body_capacity, color_mask_capacity, body_cluster_capacity;
    b2d_bits awake; // awake dynamic and kinematic bodies
    // Bodies whose fat boxes may no longer overlap those of their contacts since the last collide stage: bodies with
    // new boxes, and woken ones
    b2d_bits new_fat_boxes;
    b2d_bits sleep_changed; // bodies that woke or fell asleep since the broad phase was last updated

    b2d_id_pool contact_ids;
    b2d_pair* pairs;
    b2d_contact* contacts;
    uint64_t* contact_generations; // 0 = dead
    int32_t pair_capacity, contact_capacity, contact_generation_capacity;
    b2d_pair_set pair_set;
    b2d_bits awake_contacts[B2D_BUCKET_COUNT]; // the contacts that the collide stage processes
    b2d_bits in_lanes;                         // contacts in blocks, which the collide stage processes block by block

    b2d_id_pool block_ids;
    b2d_contact_block* blocks;
    b2d_manifold_block* manifolds;
    b2d_extra_block** extras; // by block, NULL where no lane needs one
    b2d_bits extra_blocks;    // blocks that have one
    uint16_t* block_clusters;
    int32_t block_capacity, manifold_capacity, extra_capacity, block_cluster_capacity;
    b2d_bits overflow_contacts;              // their lane_index is a lane of an overflow block
    b2d_bits unlike_contacts;                // contacts in blocks with B2D_CONTACT_UNLIKE
    b2d_bits pressed_contacts;               // contacts in blocks that were in a press in the last step
    b2d_color_list overflow_contact_list[2]; // blocks of the overflow, by the same rules

    b2d_id_pool rest_ids;
    b2d_contact_record* rest;
    int32_t rest_capacity;

    b2d_id_pool joint_ids;
    b2d_joint* joints;
    uint64_t* joint_generations;
    int32_t joint_capacity, joint_generation_capacity;
    b2d_id_pool joint_block_ids;
    b2d_joint_block* joint_blocks;
    b2d_joint_rows* joint_rows;     // by joint block
    b2d_joint_frames* joint_frames; // by joint block
    int32_t* joint_block_joint;     // by lane_index: joint id
    uint8_t* joint_block_rows;      // by block: B2D_ROWS_*
    uint16_t* joint_block_clusters;
    int32_t joint_block_capacity, joint_row_capacity, joint_frames_capacity, joint_block_joint_capacity,
        joint_block_rows_capacity, joint_block_cluster_capacity;
    // The solver's settings with which the joint lanes were prepared; when they change all blocks become UNKNOWN
    float prepared_settings[4];
    b2d_bits overflow_joints;
    b2d_color_list overflow_joint_list[2];

    b2d_cluster* clusters;
    uint16_t* cluster_parents; // union-find: the constraints of tied clusters may share awake bodies
    int32_t* cluster_blocks;   // by cluster: number of blocks of contacts and joints
    int32_t cluster_capacity, cluster_parent_capacity, cluster_block_capacity, cluster_count;
    int32_t cluster_ties; // ties made since the ties were last rebuilt
    // Steps until the next rebuild of the ties, and from that one to the next
    int32_t cluster_wait, cluster_patience;
    int32_t color_blocks[B2D_COLORS];   // by colour: number of blocks of all clusters, contacts and joints
    int32_t color_disorder[B2D_COLORS]; // by colour: contacts out of order since they were last sorted

    b2d_id_pool island_ids;
    b2d_island* islands;
    uint64_t* island_generations;
    int32_t island_capacity, island_generation_capacity;
    int32_t* merged; // islands with a parent, which the next collapse empties
    int32_t merged_count, merged_capacity;

    float impulse_h;        // s, of the last substeps, for which the impulses in lanes stand; 0: there were none yet
    uint64_t generation;    // the last one that was assigned
    uint64_t contact_links; // how often a contact was put in a list of a body
    int32_t touching;       // number of contacts that have begun and not ended
    bool loose;             // awake constraints may be in no island, see partition.h
    bool grouped;           // awake islands may have several bodies; unset where each awake body has its own
    bool needs_repair;      // an operation ran out of memory half way; the world completes it later (repair.c)
    int64_t merges, relabeled, searches, splits, traversed, woken, slept; // counters
} b2d_graph;

// The cluster of a body that has joined no island yet. A cell is in one cluster.
static inline uint16_t b2d_cluster_of_new(const b2d_graph* graph, int32_t body) {
    const b2d_cells* cells = &graph->cells;
    return (uint16_t)(body / (cells->count == 0 ? B2D_CLUSTER_BODIES : cells->bodies * cells->per_cluster));
}
static inline bool b2d_is_awake(const b2d_graph* graph, int32_t body) { return b2d_bits_has(&graph->awake, body); }
// Whether the joint links islands and is solved while a body of it is awake.
static inline bool b2d_joint_acts(const b2d_graph* graph, const b2d_joint* joint) {
    return !(joint->flags & B2D_JOINT_NO_ROWS) &&
           (graph->bodies[joint->body[0]].flags & graph->bodies[joint->body[1]].flags & B2D_BODY_FLAG_ENABLED) != 0;
}
static inline bool b2d_is_unlike(const b2d_graph* graph, int32_t contact) { // and in a block
    return graph->contacts[contact].color >= 0 && (graph->contacts[contact].flags & B2D_CONTACT_UNLIKE) != 0;
}
static inline bool b2d_moves(const b2d_graph* graph, int32_t body) { return graph->bodies[body].type == B2D_DYNAMIC; }
// Whether a joint of the body is solved directly (solver/direct.h).
static inline bool b2d_is_direct(const b2d_graph* graph, int32_t body) {
    for (int32_t key = graph->bodies[body].joint_head; key != B2D_NONE; key = graph->joints[key >> 1].next[key & 1])
        if (graph->joints[key >> 1].flags & B2D_JOINT_DIRECT) return true;
    return false;
}
// A gear drives one body of each of two joints; the other body of such a joint is its base.
static inline int32_t b2d_gear_base(const b2d_graph* graph, const b2d_joint* gear, int32_t side) {
    const int32_t* body = graph->joints[gear->joint[side]].body;
    return body[body[0] == gear->body[side]];
}
// Whether the joint is a gear that acts on its bases as well. Such a joint has no colour.
static inline bool b2d_gear_moves_bases(const b2d_graph* graph, const b2d_joint* joint) {
    return joint->joint[0] != B2D_NONE && (graph->bodies[b2d_gear_base(graph, joint, 0)].type != B2D_STATIC ||
                                           graph->bodies[b2d_gear_base(graph, joint, 1)].type != B2D_STATIC);
}

// adjacency.c - contacts and joints in the lists of their bodies
int32_t b2d_contact_create(b2d_graph* graph, const b2d_pair* pair, uint8_t flags); // B2D_NONE: no memory
void b2d_contact_set_terrain(b2d_graph* graph, int32_t contact);                   // toggles B2D_PAIR_TERRAIN
void b2d_contact_destroy(b2d_graph* graph, int32_t contact);                       // call b2d_contact_end before
typedef struct b2d_new_contact {
    b2d_pair pair;
    uint8_t flags;       // of the contact
    bool allowed, wakes; // there is none yet and the shapes may collide; its bodies wake
} b2d_new_contact;
// The same as one after the other, on all workers; of an ordinary world. To create them there must be room for all rows
void b2d_contacts_create(b2d_graph* graph, b2d_scheduler* scheduler, const b2d_new_contact* made, int32_t* ids,
                         int32_t count);
void b2d_contacts_destroy(b2d_graph* graph, b2d_scheduler* scheduler, const int32_t* ids, int32_t count);
int32_t b2d_joint_add(b2d_graph* graph, const b2d_joint* row); // adjacency only; B2D_NONE: no memory
void b2d_joint_remove(b2d_graph* graph, int32_t joint);        // must be in no colour and no island

// color.c - blocks and colours. A contact with an extra (restitution, rolling, conveyor, hits) gets an extra block.
// Blocks for so many more constraints, by an estimate of how they spread over colours and clusters
bool b2d_color_reserve_contacts(b2d_graph* graph, int32_t contacts);
bool b2d_color_reserve_joints(b2d_graph* graph, int32_t joints);
bool b2d_color_add_contact(b2d_graph* graph, int32_t contact, const b2d_contact_record* record, bool extra);
// The steps of it, of which the lane is filled last; before that it must not be read.
typedef struct b2d_contact_place {
    int32_t contact, side[2], moving[2]; // sides A and B; the same, or B2D_NONE where a side does not move
    int32_t lane_index;
    uint16_t cluster;
    int8_t color;
    uint8_t fixed;
    bool extra, unlike; // B2D_CONTACT_UNLIKE
} b2d_contact_place;
void b2d_place_begin(const b2d_graph* graph, b2d_contact_place* place, int32_t contact, bool extra); // any worker
// Of many contacts at once each of these three may go through all of them, beside the others
void b2d_place_color(b2d_graph* graph, b2d_contact_place* place);
void b2d_place_cluster(b2d_graph* graph, b2d_contact_place* place);
void b2d_place_bits(b2d_graph* graph, const b2d_contact_place* place);
// False: no memory; b2d_place_undo takes colour and bits back
bool b2d_place_lane(b2d_graph* graph, b2d_contact_place* place);
void b2d_place_undo(b2d_graph* graph, const b2d_contact_place* place);
void b2d_place_end(b2d_graph* graph, const b2d_contact_place* place);                             // any worker
void b2d_color_fill_contact(b2d_graph* graph, int32_t contact, const b2d_contact_record* record); // any worker
void b2d_color_remove_contact(b2d_graph* graph, int32_t contact,
                              b2d_contact_record* record); // record may be NULL: not wanted

// color_many.c - many contacts that end together. Which contact gets which lane is decided as if each hole were closed
// at once. The lanes themselves follow on all workers: one move for each contact that has another place now, whatever
// the way there. A place that was left is behind the end of its list and no place that was taken, so the moves are
// independent.
typedef struct b2d_contact_end {
    int32_t contact, moving[2]; // bodies; B2D_NONE: it does not move
    int8_t color;               // -1: it has no lane
    uint8_t fixed;
    bool touches;  // before; otherwise nothing ends
    bool reported; // its end is an event
} b2d_contact_end;
enum { B2D_LIST_PARTS = 4 };    // the lists of contacts, by colour
typedef struct b2d_lane_moves { // of a part: places in the arrays, from `first` on
    int32_t first, key_count, moved_count, vacated_count, emptied_count, starved_count;
} b2d_lane_moves;
typedef struct b2d_contact_ends {
    b2d_contact_end* rows;          // in ascending order of ids
    int32_t count, lanes, reported; // lanes: how many have one
    b2d_lane_moves parts[B2D_LIST_PARTS];
    uint64_t *keys, *scratch; // of the moves, by target: lane_index of the target << 32 | lane_index of the source
    int32_t* ids;             // room for the contacts, until they are in the rows
    int32_t* moved;           // contacts; the member `record` of their pairs is the lane_index that they had
    int32_t* vacated;         // lanes that were left
    int32_t* emptied;         // blocks << 1 | of the overflow
    int32_t* starved[2];      // blocks that need an extra block, each for this contact
} b2d_contact_ends;
bool b2d_ends_make(b2d_arena* arena, int32_t count, b2d_contact_ends* ends); // false: no memory
// In this order; the rows have their contacts
void b2d_end_note(b2d_graph* graph, b2d_contact_end* end); // any worker
void b2d_ends_divide(b2d_contact_ends* ends);
enum { B2D_END_ITEMS = 3 + B2D_LIST_PARTS };
void b2d_ends_item(b2d_graph* graph, b2d_contact_ends* ends, int32_t item); // any worker: each of the items
void b2d_ends_feed(b2d_graph* graph, const b2d_contact_ends* ends);
void b2d_ends_move(b2d_graph* graph, const b2d_contact_ends* ends, int32_t begin,
                   int32_t end); // any worker: 0 to lanes
void b2d_ends_release(b2d_graph* graph, const b2d_contact_ends* ends);
// Any worker, when contacts have begun: clears the lanes in the range that were not taken again
void b2d_ends_clear(b2d_graph* graph, const b2d_contact_ends* ends, int32_t begin, int32_t end);
// The first key at or after k whose block is not that of the key before it: a worker writes whole blocks
int32_t b2d_lane_keys_from(const uint64_t* keys, int32_t k, int32_t count);

bool b2d_color_add_joint(b2d_graph* graph, int32_t joint);    // of a type that has rows
void b2d_color_remove_joint(b2d_graph* graph, int32_t joint); // impulses go back to the joint's row
// From the joint's lane or its row; bodies in the user's order
b2d_joint_impulses b2d_joint_read_impulses(const b2d_graph* graph, int32_t joint);
b2d_joint_load b2d_joint_read_load(const b2d_graph* graph, int32_t joint);                // in the user's order
void b2d_joint_write_load(b2d_graph* graph, const b2d_joint* joint, b2d_joint_load load); // to its lane
void b2d_joint_block_clear_impulses(b2d_graph* graph, int32_t block);
enum { B2D_JOINT_IMPULSES = sizeof(b2d_joint_impulses) / sizeof(float) };
void b2d_joint_block_impulses(const b2d_graph* graph, int32_t block, float* rows[B2D_JOINT_IMPULSES]); // all its lanes
void b2d_joint_clear_impulses(b2d_graph* graph, int32_t joint);                                        // of its lane
// From the block or the rest pool
void b2d_contact_record_read(const b2d_graph* graph, int32_t contact, b2d_contact_record* record);
// Only what b2d_world_describe_contact reads: a lane has a member of a record on each cache line.
void b2d_contact_record_glance(const b2d_graph* graph, int32_t contact, b2d_contact_record* record);
void b2d_contact_record_write(b2d_graph* graph, int32_t contact, const b2d_contact_record* record); // to its place
void b2d_contact_set_unlike(b2d_graph* graph, int32_t contact, bool unlike);
void b2d_contact_refresh(b2d_graph* graph, int32_t contact); // any worker: the next collide stage computes it again
void b2d_contact_forget(b2d_graph* graph, int32_t contact);  // sets its impulses to 0
// Moves a constraint to the cluster of its bodies; false: no memory, nothing changed
bool b2d_color_recluster_contact(b2d_graph* graph, int32_t contact);
bool b2d_color_recluster_joint(b2d_graph* graph, int32_t joint);
void b2d_color_free_lists(b2d_graph* graph, b2d_color_list* lists, int32_t count);
// Sorts the contacts of one colour by their bodies if half of them are out of order. It changes no result
void b2d_color_sort_contacts(b2d_graph* graph, b2d_scheduler* scheduler, b2d_arena* arena);
// Gives a constraint a copy of the lane of `source`, which is in another place or another graph, in the same colour; it
// keeps a lane that it has. Its row and those of its bodies have been copied. False: no memory
bool b2d_color_copy_contact(b2d_graph* graph, int32_t contact, const b2d_graph* from, int32_t source);
bool b2d_color_copy_joint(b2d_graph* graph, int32_t joint, const b2d_graph* from, int32_t source, bool same);

// cluster.c - which clusters may share bodies
bool b2d_clusters_reserve(b2d_graph* graph, int32_t bodies);
int32_t b2d_cluster_find(const b2d_graph* graph, int32_t cluster);
void b2d_cluster_tie(b2d_graph* graph, int32_t cluster_a, int32_t cluster_b);
void b2d_clusters_untie(b2d_graph* graph); // once a step, before the solver: rebuilds the ties now and then
void b2d_clusters_free(b2d_graph* graph);  // the clusters and all lists; other columns are tables of the world

// island.c, island_split.c - persistent islands
bool b2d_island_reserve(b2d_graph* graph);                 // the next island needs no memory
int32_t b2d_island_create(b2d_graph* graph, int32_t body); // an island of one body; B2D_NONE: no memory
// Islands of one body each, of an ordinary world; their rows have been reserved: of `more` islands, of which there are
// never more than ids of bodies.
bool b2d_islands_reserve(b2d_graph* graph, int32_t more, int32_t body_limit);
void b2d_islands_create(b2d_graph* graph, const int32_t* bodies, int32_t count);
void b2d_island_remove_body(b2d_graph* graph, int32_t body); // the body must have no links; frees an empty island
// Union-find only: b2d_island_collapse moves the members
bool b2d_island_link_contact(b2d_graph* graph, int32_t contact);
void b2d_island_unlink_contact(b2d_graph* graph, int32_t contact);
bool b2d_island_link_joint(b2d_graph* graph, int32_t joint);
void b2d_island_unlink_joint(b2d_graph* graph, int32_t joint);
int32_t b2d_island_find(b2d_graph* graph, int32_t island); // root
// Moves the members of merged islands to their root and clears the merged list
bool b2d_island_collapse(b2d_graph* graph);
bool b2d_island_split(b2d_graph* graph, b2d_arena* arena, int32_t island, int32_t* made);
void b2d_island_drop(b2d_graph* graph, int32_t island); // whatever it holds
// Makes the island with this id a copy of another one, whether it exists or not. False: no memory
bool b2d_island_copy(b2d_graph* graph, int32_t island, const b2d_graph* from, int32_t source, const b2d_cell_map* map);

// sleep.c - awake bits, and whose constraints are solved. A woken island's constraints are coloured in id order.
bool b2d_wake_island(b2d_graph* graph, int32_t island);
bool b2d_wake(b2d_graph* graph, int32_t body);                    // its whole island; nothing for static bodies
bool b2d_wakes_constraints(const b2d_graph* graph, int32_t body); // whether constraints take colours then
bool b2d_sleep_island(b2d_graph* graph, int32_t island);
void b2d_contact_refresh_awake(b2d_graph* graph, int32_t contact); // sets or clears the contact's awake bit

// cell.c - copies a cell with so many rows of bodies and joints; there is room for all rows of the target. False: no
// memory; b2d_cell_disable must follow, which leaves a cell of disabled bodies without constraints.
bool b2d_cell_copy_graph(b2d_graph* graph, const b2d_graph* from, const b2d_cell_map* map, int32_t bodies,
                         int32_t joints);
void b2d_cell_disable(b2d_graph* graph, const b2d_cell* cell, int32_t bodies, int32_t joints);

// For tests and validate(): NULL, or a sentence about the first broken invariant, written to `message`.
const char* b2d_graph_validate(const b2d_graph* graph, char* message, size_t room);
