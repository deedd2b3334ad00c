"""`RatchetJoint`: lets a body turn in one direction only."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .._bridge.handles import NUMBER, Property, ReadOnly
from .._objects.joint import Joint
from .creation import JointOptions, joint_maker
from .drawing import draw_anchors, draw_arms

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from .._objects.body import Body
    from .._objects.collections import WorldObjects


class RatchetJoint(Joint):
    """Lets body B turn one way against body A and holds it at the last tooth when it turns back.

    Teeth are at `phase + k * ratchet`. A positive `ratchet` lets the angle grow, a negative one shrink. It holds the
    angle only: add a revolute joint as the axle.

    Source: the ratchet joint of Chipmunk, by its documentation.

    >>> with World(gravity=(0, 0)) as world:
    ...     base, wheel = world.create_static_body(), world.create_dynamic_body()
    ...     shape = wheel.create_shape(Circle(0.5))
    ...     pawl = world.create_ratchet_joint(base, wheel, ratchet=math.pi / 6)
    ...     wheel.angular_velocity = 2
    ...     for _ in range(60):
    ...         world.step()
    ...     wheel.angular_velocity = -2
    ...     for _ in range(60):
    ...         world.step()
    ...     round(wheel.angle / (math.pi / 6), 2)
    3.0
    """

    __slots__ = ()
    _DRAWN = (draw_arms, draw_anchors)

    # generated: properties of ratchet joints, see tools/lists.py
    ratchet = Property(NUMBER)
    phase = Property(NUMBER)
    held_angle = ReadOnly(NUMBER)
    angle = ReadOnly(NUMBER)
    speed = ReadOnly(NUMBER)
    # end of generated


@joint_maker(RatchetJoint, JointOptions)
def create_ratchet_joint(
    world: WorldObjects,
    body_a: Body,
    body_b: Body,
    *,
    # generated: keywords of ratchet joints, see tools/lists.py
    ratchet: float,
    phase: float = 0.0,
    # end of generated
    **options: Unpack[JointOptions],
) -> RatchetJoint:
    """Lets body B turn in one direction relative to body A; see `RatchetJoint`."""
    raise NotImplementedError
