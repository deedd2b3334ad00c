"""`Limbs`: the bodies of a world that have joints. They decide how joints are solved, and in how many parts a step is
made."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from ..rows import body_row, motion_tables, overlap_count
from ._contacts import SEEN
from ._joints import b2RevoluteJoint

if TYPE_CHECKING:
    from collections.abc import Iterable

    from .. import ContactHit
    from ..arguments import JointSolver
    from ._joint import b2Joint
    from ._world import b2World

PRESSES = 30.0  # the ratio of masses
_ROOM = 0.3  # a distance for what bodies accelerate in a step, metres


def _jointed(joints: Iterable[b2Joint]) -> tuple[list[tuple[int, float]], int, bool]:
    """The bodies that have joints: the rows of their poses and how far they and a little more reach, metres; how many
    of their shapes a query finds; and whether one is so much heavier than another that they may be a press."""
    bodies = {body: None for joint in joints for body in (joint.bodyA, joint.bodyB)}
    rows = [(body_row(body.box2dpy), _ROOM + body._reach()) for body in bodies]
    shapes = [shape for body in bodies if body.active for shape in body.box2dpy.shapes if not shape.sensor]
    found = sum(shape.filter.category != 0 and shape.filter.mask != 0 for shape in shapes)
    masses = [sorted((joint.bodyA.mass, joint.bodyB.mass)) for joint in joints]
    return rows, found, any(0 < PRESSES * light <= heavy for light, heavy in masses)


def _swing(joints: Iterable[b2Joint]) -> float:
    """How fast the motors of revolute joints move the far ends of their bodies, metres a second."""
    speeds = [
        2.0 * joint.bodyB._reach() * abs(joint.motorSpeed)
        for joint in joints
        if isinstance(joint, b2RevoluteJoint) and joint.motorEnabled
    ]
    return max(speeds, default=0.0)


class Limbs:
    def __init__(self, world: b2World) -> None:
        self.world = world
        self.yielding = 0  # for so many steps
        self.solver: JointSolver = "direct"
        self.forget()

    def forget(self) -> None:
        """After a change of bodies, fixtures or joints."""
        self._jointed: tuple[list[tuple[int, float]], int, bool] | None = None  # see _jointed; None: not known
        self.swing: float | None = None  # see _swing; None: not known

    @property
    def jointed(self) -> tuple[list[tuple[int, float]], int, bool]:
        if self._jointed is None:
            self._jointed = _jointed(self.world._joints)
        return self._jointed

    def hit(self, event: ContactHit) -> None:
        if event.approach_speed > self.yields_from():
            self.yielding = self.world.yieldSteps

    def yields_from(self) -> float:
        """Speed of an impact, m/s."""
        world = self.world
        if world.yieldSpeed is None:
            return math.inf
        return min(world.yieldSpeed, world.pressSpeed) if self.jointed[2] else world.yieldSpeed

    def choose_solver(self) -> None:
        """Joints are solved directly and are rigid, except for some steps after a hard impact; see the guide."""
        if self.world._fresh:
            self.forget()
        if self.yielding:
            self.yielding -= 1
        wanted: JointSolver = "iterative" if self.yielding or self.strikes() else "direct"
        if wanted != self.solver:
            self.world.box2dpy.joint_solver = self.solver = wanted

    def strikes(self) -> bool:
        """Whether a body with joints may strike another one in this step, so fast that its joints yield."""
        (_, state), fast = motion_tables(self.world.box2dpy), self.yields_from()
        try:
            for row, _ in self.jointed[0]:
                if abs(state[2 * row]) > fast or abs(state[2 * row + 1]) > fast:
                    return self.near()
        except IndexError:  # the tables have grown
            return self.near()
        return False

    def parts(self) -> int:
        """In how many steps of box2dpy to make this one, so that no limb that a motor swings moves farther than
        contacts are seen. Forces would last for the first one only.

        Otherwise continuous collision stops a fast foot, but its velocity, its joints and the listener know of it one
        step later. Box2D 2.3 solves the velocity of a body that it stops at once.
        """
        world = self.world
        if world._forces or world._presolves or world._postsolves:
            return 1
        if self.swing is None:
            self.swing = _swing(world._joints)
        parts = min(math.ceil(self.swing * world._dt / SEEN), world.parts)
        return parts if parts > 1 and self.near() else 1

    def near(self) -> bool:
        """Whether bodies with joints may touch others in the next step: by a box around all of them."""
        native, time = self.world.box2dpy, self.world._dt
        pose, state = motion_tables(native)
        bodies, shapes, _ = self.jointed
        left = below = math.inf
        right = above = -math.inf
        try:
            for row, extent in bodies:  # min and max would take twice as long as comparisons
                x, y, u, v = pose[row], pose[row + 1], abs(state[2 * row]), abs(state[2 * row + 1])
                reach = extent + time * (u if u > v else v)
                if x - reach < left:
                    left = x - reach
                if x + reach > right:
                    right = x + reach
                if y - reach < below:
                    below = y - reach
                if y + reach > above:
                    above = y + reach
            return overlap_count(native, left, below, right, above) > shapes
        except (IndexError, ValueError):  # the tables have grown, or a body is very far away
            return True
