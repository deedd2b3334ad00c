"""`WeldJoint`: holds two bodies together, rigidly or on springs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .._bridge.handles import CONSTANT, NUMBER, PAIR, Property, ReadOnly
from .._objects.joint import Joint
from .creation import joint_maker
from .drawing import draw_anchors, draw_arms

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from .._objects.body import Body
    from .._objects.collections import WorldObjects
    from .creation import PlacedJointOptions


class WeldJoint(Joint):
    """Holds frame B on frame A, rigidly or, where a hertz is not 0, on springs.

    >>> with World() as world:
    ...     wall, shelf = world.create_static_body(), world.create_dynamic_body((1, 0))
    ...     shape = shelf.create_shape(Box(1, 0.1))
    ...     weld = world.create_weld_joint(wall, shelf, anchor=(0, 0))
    ...     for _ in range(60):
    ...         world.step()
    ...     abs(shelf.angle) < 0.002, round(weld.constraint_force.y)
    (True, 4)
    """

    __slots__ = ()
    _DRAWN = (draw_arms, draw_anchors)

    # generated: properties of weld joints, see tools/lists.py
    linear_hertz = Property(NUMBER)
    linear_damping_ratio = Property(NUMBER)
    linear_stiffness = Property(CONSTANT)
    linear_damping = Property(CONSTANT)
    angular_hertz = Property(NUMBER)
    angular_damping_ratio = Property(NUMBER)
    angular_stiffness = Property(CONSTANT)
    angular_damping = Property(CONSTANT)
    angle = ReadOnly(NUMBER)
    speed = ReadOnly(NUMBER)
    spring_force = ReadOnly(PAIR)
    spring_torque = ReadOnly(NUMBER)
    # end of generated


@joint_maker(WeldJoint)
def create_weld_joint(
    world: WorldObjects,
    body_a: Body,
    body_b: Body,
    *,
    # generated: keywords of weld joints, see tools/lists.py
    linear_hertz: float = 0.0,
    linear_damping_ratio: float = 1.0,
    linear_stiffness: float | None = None,
    linear_damping: float | None = None,
    angular_hertz: float = 0.0,
    angular_damping_ratio: float = 1.0,
    angular_stiffness: float | None = None,
    angular_damping: float | None = None,
    # end of generated
    **options: Unpack[PlacedJointOptions],
) -> WeldJoint:
    """Holds two bodies together; see `WeldJoint`.

    With `anchor` the bodies keep their present relative angle. With local anchors they are turned to equal angles.
    """
    raise NotImplementedError
