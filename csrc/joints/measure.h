// csrc/joints/measure.h - where a joint is: its anchors, coordinates and speeds, and the load that it carries.
//
// All values are in the order of bodies that the user gave (A, B), whatever side the solver puts them on. The functions
// named b2d_read_... are the readers of computed properties (joints/properties.h).
#pragma once
#include "graph/graph.h"

// A joint and what is needed to read its state.
typedef struct b2d_joint_view {
    const b2d_graph* graph;
    const b2d_pose* poses;
    const b2d_joint* joint;
    int32_t id;
    b2d_vec2 velocity[2]; // of the centres of mass, m/s
    float angular_velocity[2];
    b2d_vec2 base_velocity; // of a gear: of the base of its joint A
    float base_angular_velocity;
    double rate; // 1 / (length of a substep): turns impulses into forces; 0 before the first step
} b2d_joint_view;

// Anchors in world axes.
typedef struct b2d_joint_place {
    b2d_vec2 ra, rb; // from the centres of mass to the anchors
    b2d_vec2 d;      // anchor B - anchor A
    b2d_vec2 axis;   // of the line: the x axis of frame A, or for a rod the direction of d
    float value;     // d along the axis: a translation or length
} b2d_joint_place;
b2d_joint_place b2d_place_joint(const b2d_joint* joint, const b2d_pose* poses);

typedef struct b2d_inverse_masses { // of bodies A and B of a joint
    float mass[2], inertia[2];
} b2d_inverse_masses;

// The inverse effective mass of a spring of the joint, by the rows that it acts on (B2D_ROWS_*): kg^-1, about the angle
// kg^-1 m^-2. In the plane, where it depends on the direction: the mean.
float b2d_spring_inverse_mass(const b2d_joint* joint, const b2d_pose* poses, const b2d_inverse_masses* of,
                              uint8_t rows);

// The axes of a motor in the plane: those of the world, or of one of the frames.
b2d_rot b2d_joint_axes(const b2d_joint* joint, const b2d_pose* poses);

// Angle of frame B relative to frame A, radians; whole turns are counted.
float b2d_joint_angle(const b2d_joint* joint, const b2d_pose* poses, const b2d_body* bodies);

// A coordinate, and its speed by the motion of one body: n . v + lever * w.
typedef struct b2d_coordinate {
    float value;
    b2d_vec2 n;
    float lever;
} b2d_coordinate;

// The row of a gear or pulley, coordinate a + ratio * coordinate b - total. The ratio is in n and lever of side B.
typedef struct b2d_coupling {
    float value, coordinate[2];
    b2d_vec2 n[2];
    float lever[2];
} b2d_coupling;
b2d_coupling b2d_couple(const b2d_joint* joint, const b2d_coordinate coordinates[2]);
// The start of types with a coupled row: their sum of coordinates must stay as it is.
void b2d_start_coupling(const b2d_graph* graph, const b2d_pose* poses, float linear_slop, b2d_joint* joint);

// Whether a spring or motor of a solved joint moves its bodies against each other by more than `still` (m/s), or a
// motor that is slower than that by half its speed.
bool b2d_joint_drives(const b2d_joint_view* view, float still);
// Whether a solved joint has no spring that is on and no motor that drives: it adds no energy. By its rows, so only
// after they are prepared.
bool b2d_joint_is_passive(const b2d_graph* graph, const b2d_joint* joint);

// Parts of separations
double b2d_distance_of_anchors(const b2d_joint_view* view);
double b2d_distance_outside(double x, double lower, double upper); // 0 within [lower, upper]
// Of a slide: the distance from the axis and, if limited, the distance beyond the ends, together
double b2d_distance_from_slide(const b2d_joint_view* view);
double b2d_angle_of_frames(const b2d_joint_view* view); // without sign

void b2d_read_zero(const b2d_joint_view* view, double out[2]);
void b2d_read_one(const b2d_joint_view* view, double out[2]);
void b2d_read_angle(const b2d_joint_view* view, double out[2]);
void b2d_read_line(const b2d_joint_view* view, double out[2]); // the translation or length
void b2d_read_coordinate_a(const b2d_joint_view* view, double out[2]);
void b2d_read_coordinate_b(const b2d_joint_view* view, double out[2]);
void b2d_read_angular_speed(const b2d_joint_view* view, double out[2]);
void b2d_read_line_speed(const b2d_joint_view* view, double out[2]);
void b2d_read_coordinate_a_speed(const b2d_joint_view* view, double out[2]);
void b2d_read_relative_position(const b2d_joint_view* view, double out[2]);
void b2d_read_relative_velocity(const b2d_joint_view* view, double out[2]);
void b2d_read_constraint_force(const b2d_joint_view* view, double out[2]);
void b2d_read_constraint_torque(const b2d_joint_view* view, double out[2]);
void b2d_read_linear_separation(const b2d_joint_view* view, double out[2]);
void b2d_read_angular_separation(const b2d_joint_view* view, double out[2]);
