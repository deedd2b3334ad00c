"""`ConnectionJoint`: keeps two bodies in one island, for constraints of the program's own."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .._bridge.library import lib
from .._objects.joint import Joint
from .creation import NoSharedOptions, joint_maker
from .drawing import draw_between_centers

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from .._objects.body import Body
    from .._objects.collections import WorldObjects
    from .._objects.joint import Pen


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
    _TYPE_NAME = "ConnectionJoint"
    _TYPE = lib.B2D_CONNECTION

    @classmethod
    def _draw(cls, pen: Pen, rows: NDArray[np.void], moving: NDArray[np.bool_]) -> None:
        draw_between_centers(pen, rows, "grey")


@joint_maker(ConnectionJoint, NoSharedOptions)
def create_connection_joint(
    world: WorldObjects,
    body_a: Body,
    body_b: Body,
    *,
    data: Any = None,
) -> ConnectionJoint:
    """Keeps two bodies in one island as long as it exists; `World.connect` is the same."""
    raise NotImplementedError
