"""`FilterJoint`: keeps two bodies from colliding with each other."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .._objects.joint import Joint
from .creation import NoSharedOptions, joint_maker
from .drawing import between_centers

if TYPE_CHECKING:
    from .._objects.body import Body
    from .._objects.collections import WorldObjects


class FilterJoint(Joint):
    """Keeps two bodies from touching each other, and nothing else. It has no frames, rows or thresholds, and `hasattr`
    is false for them.

    >>> with World(gravity=(0, 0)) as world:
    ...     a, b = world.create_dynamic_body(), world.create_dynamic_body((0.5, 0))
    ...     shapes = a.create_shape(Circle(0.5)), b.create_shape(Circle(0.5))
    ...     joint = world.create_filter_joint(a, b)
    ...     world.step()
    ...     len(world.contacts), joint.collide_connected, hasattr(joint, "local_anchor_a")
    (0, False, False)
    """

    __slots__ = ()
    _DRAWN = (between_centers("grey"),)


@joint_maker(FilterJoint, NoSharedOptions)
def create_filter_joint(world: WorldObjects, body_a: Body, body_b: Body, *, data: Any = None) -> FilterJoint:
    """Keeps two bodies from colliding with each other as long as it exists."""
    raise NotImplementedError
