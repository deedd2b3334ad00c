"""`PulleyJoint`: a rope over two fixed wheels."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .._bridge.handles import NUMBER, TOTAL, WORLD_PAIR, Property, ReadOnly
from .._objects.joint import Joint
from .creation import joint_maker
from .drawing import draw_anchors, draw_ropes

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from .._bridge.vectors import Vec2Like
    from .._objects.body import Body
    from .._objects.collections import WorldObjects
    from .creation import PlacedJointOptions


class PulleyJoint(Joint):
    """A rope over two fixed wheels: distance a + ratio * distance b, each from an anchor to its ground anchor, is
    constant.

    >>> with World() as world:
    ...     a, b = world.create_dynamic_body((-1, 0)), world.create_dynamic_body((1, 0))
    ...     shapes = a.create_shape(Box(0.5, 0.5)), b.create_shape(Box(0.5, 0.5), density=2)
    ...     rope = world.create_pulley_joint(
    ...         a, b, local_anchor_a=(0, 0), local_anchor_b=(0, 0), ground_anchor_a=(-1, 4), ground_anchor_b=(1, 4)
    ...     )
    ...     for _ in range(30):
    ...         world.step()
    ...     a.position.y > 0.3, round(rope.length_a + rope.length_b, 3)
    (True, 8.0)
    """

    __slots__ = ()
    _DRAWN = (draw_ropes, draw_anchors)

    # generated: properties of pulley joints, see tools/lists.py
    ground_anchor_a = Property(WORLD_PAIR)
    ground_anchor_b = Property(WORLD_PAIR)
    ratio = Property(NUMBER)
    total = Property(TOTAL)
    length_a = ReadOnly(NUMBER)
    length_b = ReadOnly(NUMBER)
    speed = ReadOnly(NUMBER)
    # end of generated


@joint_maker(PulleyJoint)
def create_pulley_joint(
    world: WorldObjects,
    body_a: Body,
    body_b: Body,
    *,
    # generated: keywords of pulley joints, see tools/lists.py
    ground_anchor_a: Vec2Like,
    ground_anchor_b: Vec2Like,
    ratio: float = 1.0,
    total: float | None = None,
    # end of generated
    **options: Unpack[PlacedJointOptions],
) -> PulleyJoint:
    """A rope over two fixed wheels, as long as it is now; see `PulleyJoint`."""
    raise NotImplementedError
