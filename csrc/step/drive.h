// csrc/step/drive.h - the energy that springs and motors of joints may give.
#pragma once
#include "objects/world.h"

// J, which the springs and motors of a solved joint give in a step at most. A spring gets weaker while it gives up its
// energy, so it gives no more than its force at the start of the step does along the way of its bodies. A motor brakes
// what is faster than it wants, so it gives no more than its greatest force at that speed.
double b2d_joint_most_work(b2d_world* world, const b2d_joint* joint, float dt);
