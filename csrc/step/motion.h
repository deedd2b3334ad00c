// csrc/step/motion.h - moves bodies to their poses at the end of the step. The finalize and continuous stages share it.
#pragma once
#include "objects/scratch.h"

// The motion of a fast body in this step. Dynamic and kinematic bodies have one. The finalize stage writes it, and the
// continuous stage shortens it.
struct b2d_motion {
    b2d_pose start;
    float dx, dy, angle;
    int32_t body;
};

bool b2d_body_meets_sensors(const b2d_world* world, int32_t body); // has a sensor or a shape with sensor events
// Records the motion of a fast body before it moves, if it meets sensors.
void b2d_record_motion(b2d_world* world, int32_t row, int32_t body);
b2d_motion* b2d_world_motion(const b2d_world* world, int32_t body); // NULL if none was recorded for the body
bool b2d_keeps_motions(const b2d_world* world); // relative sweeps may follow: states keep the motions of the step
// Moves the centre of mass by (dx, dy) and turns the body by `angle`.
void b2d_move_pose(b2d_pose* pose, b2d_body* body, float dx, float dy, float angle);
// Whether something fixed or much heavier (b2d_holds) touches an awake body without joints, but for this contact.
bool b2d_is_held(const b2d_world* world, int32_t id, int32_t contact);
// Whether the far shapes of a body that something holds turn by more than the fat boxes allow for: these then reach to
// where another step like this would bring the body, so that contacts begin in time.
bool b2d_turns_far(const b2d_world* world, int32_t id, float dt);
// Gives new fat boxes to shapes that have left theirs, and sets the bits of these shapes in `moved`.
void b2d_refresh_boxes(b2d_world* world, int32_t body, b2d_bits* moved);
void b2d_collect_moved(b2d_world* world); // merges the moved bits of the workers into those of the proxies
// Keeps the islands awake that a moving kinematic body touches.
void b2d_keep_touching_islands_awake(b2d_world* world, b2d_finalize_worker* out, int32_t body);
