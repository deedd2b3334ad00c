"""`RotarySpringJoint`: a damped spring between the angles of two bodies."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .._bridge.handles import CONSTANT, NUMBER, Property, ReadOnly
from .._objects.joint import Joint
from .creation import INFINITY, JointOptions, joint_maker
from .drawing import draw_anchors, draw_arms

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from .._objects.body import Body
    from .._objects.collections import WorldObjects


class RotarySpringJoint(Joint):
    """A spring between the angles of two bodies, damped, with bounded torque: the hinge of a door that closes itself.

    With the reduced inertia I = 1 / (1 / I_a + 1 / I_b) its stiffness is I (2 pi hertz)^2 N m a radian, and its damping
    2 damping_ratio I (2 pi hertz) N m s. It holds the angle only: add a revolute joint as the axle.

    Source: the damped rotary spring of Chipmunk, by its documentation; the soft step of this engine.

    >>> with World(gravity=(0, 0)) as world:
    ...     wall, door = world.create_static_body(), world.create_dynamic_body(angle=0.5)
    ...     shape = door.create_shape(Box(1, 0.1))
    ...     spring = world.create_rotary_spring_joint(wall, door, target_angle=0.2, hertz=2, damping_ratio=1)
    ...     for _ in range(120):
    ...         world.step()
    ...     round(spring.angle, 3)
    0.2
    """

    __slots__ = ()
    _DRAWN = (draw_arms, draw_anchors)

    # generated: properties of rotary spring joints, see tools/lists.py
    target_angle = Property(NUMBER)
    hertz = Property(NUMBER)
    damping_ratio = Property(NUMBER)
    stiffness = Property(CONSTANT)
    damping = Property(CONSTANT)
    max_spring_torque = Property(NUMBER)
    angle = ReadOnly(NUMBER)
    speed = ReadOnly(NUMBER)
    spring_torque = ReadOnly(NUMBER)
    # end of generated


@joint_maker(RotarySpringJoint, JointOptions)
def create_rotary_spring_joint(
    world: WorldObjects,
    body_a: Body,
    body_b: Body,
    *,
    # generated: keywords of rotary spring joints, see tools/lists.py
    target_angle: float = 0.0,
    hertz: float = 1.0,
    damping_ratio: float = 0.0,
    stiffness: float | None = None,
    damping: float | None = None,
    max_spring_torque: float = INFINITY,
    # end of generated
    **options: Unpack[JointOptions],
) -> RotarySpringJoint:
    """A spring between the angles of two bodies; see `RotarySpringJoint`."""
    raise NotImplementedError
