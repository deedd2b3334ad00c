"""`ConnectionJoint`: keeps two bodies in one island, for constraints of the program's own."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .._objects.joint import Joint
from .creation import NoSharedOptions, joint_maker
from .drawing import between_centers

if TYPE_CHECKING:
    from .._objects.body import Body
    from .._objects.collections import WorldObjects


class ConnectionJoint(Joint):
    """Keeps two bodies in one island, so that they sleep and wake together, and does nothing else: they are not held
    together, and they collide. It is for a constraint that the program applies in a staged step.

    >>> with World() as world:
    ...     a, b = world.create_dynamic_body(), world.create_dynamic_body((0.5, 0))
    ...     joint = world.connect(a, b)
    ...     a.island == b.island, joint.collide_connected, hasattr(joint, "local_anchor_a")
    (True, True, False)
    """

    __slots__ = ()
    _DRAWN = (between_centers("grey"),)


@joint_maker(ConnectionJoint, NoSharedOptions)
def create_connection_joint(world: WorldObjects, body_a: Body, body_b: Body, *, data: Any = None) -> ConnectionJoint:
    """Keeps two bodies in one island as long as it exists; `World.connect` is the same."""
    raise NotImplementedError
